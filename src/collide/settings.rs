//! Settings of level contact.

/// Contact settings of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Largest walkable slope, radians.
    pub slope_rad: f32,
    /// Largest step up or down, metres.
    pub step_height: f32,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self { slope_rad: 40_f32.to_radians(), step_height: 0.4 }
    }
}

/// The upright collision cylinder of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodySize {
    /// Radius, metres.
    pub radius: f32,
    /// Height, metres.
    pub height: f32,
}

impl Default for BodySize {
    fn default() -> Self {
        Self::PERSON
    }
}

impl BodySize {
    /// The cylinder of an adult at scale 1.
    pub const PERSON: Self = Self { radius: 0.3, height: 1.8 };

    /// This size times `scale`; a scale that is not finite or not positive counts as 1.
    pub fn scaled(self, scale: f32) -> Self {
        let s = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
        Self { radius: self.radius * s, height: self.height * s }
    }
}

/// Gravitational acceleration, metres per second squared.
pub const GRAVITY: f32 = 9.81;

/// Terminal velocity, metres per second: about that of a person in air.
pub const MAX_FALL_SPEED: f32 = 55.0;
