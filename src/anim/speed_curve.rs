//! Speed curves of actions: how the time of a clip runs while it plays.

use crate::math::smoothstep;
use crate::vocab::labelled;
use serde::{Deserialize, Serialize};

labelled! {
    /// How fast a clip plays from its begin to its end; the whole takes the same time.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum SpeedCurve: label {
        /// At the same speed throughout.
        #[default]
        Even = "Even",
        /// Faster and faster.
        SlowStart = "Slow start",
        /// Slower and slower.
        SlowEnd = "Slow end",
        /// Slow at both ends.
        SlowEnds = "Slow ends",
        /// Fast at both ends, slow between: the moment of a blow.
        SlowMiddle = "Slow middle",
    }
}

impl SpeedCurve {
    /// How far a clip is, 0 to 1, when this part of its time is over.
    pub fn at(self, t: f32) -> f32 {
        let t = t.clamp(0.0, 1.0);
        match self {
            Self::Even => t,
            Self::SlowStart => t * t,
            Self::SlowEnd => t * (2.0 - t),
            Self::SlowEnds => smoothstep(t),
            // The mean of the inverse of a smooth step's two halves and an even run: never still.
            Self::SlowMiddle => 0.5 * t + 0.5 * (4.0 * (t - 0.5).powi(3) + 0.5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_curves_lead_forward_from_begin_to_end() {
        for curve in SpeedCurve::ALL {
            assert!(curve.at(0.0).abs() < 1e-6 && (curve.at(1.0) - 1.0).abs() < 1e-6, "{curve:?}");
            let steps: Vec<f32> =
                (0..100).map(|i| curve.at((i + 1) as f32 / 100.0) - curve.at(i as f32 / 100.0)).collect();
            assert!(steps.iter().all(|step| *step > 0.0), "{curve:?} stands still");
        }
        assert!(SpeedCurve::SlowStart.at(0.5) < 0.3 && SpeedCurve::SlowEnd.at(0.5) > 0.7);
        let half_way = |curve: SpeedCurve| curve.at(0.51) - curve.at(0.49);
        assert!(half_way(SpeedCurve::SlowMiddle) < 0.012 && half_way(SpeedCurve::SlowEnds) > 0.028);
    }
}
