//! Sway and shake of a camera: smooth noise over time, the same at the same moment.

use glam::Vec3;
use std::f64::consts::TAU;

/// Frequencies of the sines that make up the noise, as factors of the rate: no small ratios, so that it does not repeat.
const FACTORS: [f64; 3] = [1.0, 1.618_034, 2.236_068];
/// Their parts; the sum is 1.
const PARTS: [f64; 3] = [0.55, 0.3, 0.15];

/// How strongly and how fast a camera shakes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shake {
    /// Largest turn about each axis, radians.
    pub angle_rad: f32,
    /// Largest shift along each axis, metres.
    pub distance: f32,
    /// Swings per second: below 1 it sways, from 5 on it shakes.
    pub hz: f32,
}

/// What a shake does at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jolt {
    /// Turn to the right, upwards, and about the direction of view, radians.
    pub turn_rad: Vec3,
    /// Shift to the right, up, and backwards, metres.
    pub shift: Vec3,
}

impl Shake {
    /// The jolt at a moment.
    pub fn at(&self, secs: f64) -> Jolt {
        if (self.angle_rad == 0.0 && self.distance == 0.0) || !secs.is_finite() {
            return Jolt::default();
        }
        let noise = |channel: u32| {
            let phase = f64::from(channel) * 0.377;
            let wave = |(factor, part): (&f64, &f64)| part * (TAU * (secs * f64::from(self.hz) * factor + phase)).sin();
            FACTORS.iter().zip(&PARTS).map(wave).sum::<f64>() as f32
        };
        let three = |first: u32| Vec3::new(noise(first), noise(first + 1), noise(first + 2));
        Jolt { turn_rad: three(0) * self.angle_rad, shift: three(3) * self.distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shakes_stay_within_their_strength_and_do_not_jump() {
        let shake = Shake { angle_rad: 0.1, distance: 0.2, hz: 2.0 };
        let (mut most, mut before) = (0.0_f32, shake.at(0.0));
        for frame in 1..600 {
            let now = shake.at(f64::from(frame) / 60.0);
            assert!(now.turn_rad.abs().max_element() <= 0.1 && now.shift.abs().max_element() <= 0.2);
            assert!((now.shift - before.shift).length() < 0.15, "it jumps at frame {frame}");
            most = most.max(now.turn_rad.length());
            before = now;
        }
        assert!(most > 0.05, "it hardly shakes: {most}");
        assert_eq!(Shake::default().at(3.0), Jolt::default());
    }
}
