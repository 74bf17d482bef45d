//! What moves a camera by itself: its roll, its shake, the lag of its arm, and the rail that it travels on.

use crate::camera::{Rail, RailEnd, Shake};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// How a camera moves by itself. In files these keys stand among those of the camera.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct CameraMotion {
    /// Turn about the direction of view, degrees, clockwise.
    #[serde(rename = "camera-roll")]
    pub roll_deg: f32,
    /// Largest turn by the shake, degrees.
    #[serde(rename = "shake-angle")]
    pub shake_angle_deg: f32,
    /// Largest shift by the shake, metres.
    pub shake_distance: f32,
    /// Swings of the shake per second.
    #[serde(rename = "shake-rate")]
    pub shake_hz: f32,
    /// Third person: how far the camera lags behind its target, seconds; 0 for a rigid arm.
    #[serde(rename = "arm-lag")]
    pub arm_lag_secs: f32,
    /// Points of the rail in world space; fewer than two are none.
    pub rail: Vec<Vec3>,
    /// How long the camera takes from one end of the rail to the other, seconds.
    #[serde(rename = "rail-duration")]
    pub rail_secs: f32,
    /// What it does there.
    pub rail_end: RailEnd,
    /// Whether a stationary camera on a rail looks along it; else it looks as its angles say.
    pub rail_looks_ahead: bool,
}

impl Default for CameraMotion {
    fn default() -> Self {
        Self {
            roll_deg: 0.0,
            shake_angle_deg: 0.0,
            shake_distance: 0.0,
            shake_hz: 1.0,
            arm_lag_secs: 0.0,
            rail: Vec::new(),
            rail_secs: 20.0,
            rail_end: RailEnd::Loop,
            rail_looks_ahead: false,
        }
    }
}

impl CameraMotion {
    /// Its shake.
    pub fn shake(&self) -> Shake {
        Shake { angle_rad: self.shake_angle_deg.to_radians(), distance: self.shake_distance, hz: self.shake_hz }
    }

    /// Whether it shakes, and so looks otherwise in every frame.
    pub fn shakes(&self) -> bool {
        self.shake_angle_deg != 0.0 || self.shake_distance != 0.0
    }

    /// Whether it has a rail to travel on.
    pub fn travels(&self) -> bool {
        self.rail.len() > 1
    }

    /// Place and direction along the rail after so many seconds; none without a rail.
    pub fn on_rail(&self, secs: f64) -> Option<(Vec3, Vec3)> {
        let rail = Rail::new(&self.rail, self.rail_end)?;
        let (share, forward) = self.rail_end.share_at(secs, self.rail_secs);
        let (at, direction) = rail.at(share);
        Some((at, if forward { direction } else { -direction }))
    }
}
