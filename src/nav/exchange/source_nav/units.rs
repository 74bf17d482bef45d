//! Lengths and axes of the game, and ours.

use glam::DVec3;

/// A unit of the game is an inch.
pub(super) const METRES_PER_UNIT: f64 = 0.0254;

/// Highest step a player walks up.
pub(super) const STEP_UNITS: f64 = 18.0;

/// From units, z up, to metres, Y up.
pub(super) fn metres(place: DVec3) -> DVec3 {
    DVec3::new(place.x, place.z, -place.y) * METRES_PER_UNIT
}
