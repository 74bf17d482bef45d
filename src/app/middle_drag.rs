//! Drags with the middle button: they move, turn or scale what is selected wherever the cursor is, as the keys 1, 2 and 3
//! have chosen. The original program edits so.

use super::gizmo_drag::{Change, STEP_DEG, STEP_M, snapped};
use crate::ids::InstanceId;
use crate::scene::SceneInstance;
use crate::ui::viewport_input::MiddleDragMode;
use glam::{Quat, Vec2, Vec3};

/// Degrees of a turn for each point of travel, and the part of its size by which something grows.
const TURN_DEG: f32 = 0.5;
const GROWTH: f32 = 0.008;

/// A drag with the middle button.
#[derive(Clone, Debug, PartialEq)]
pub struct MiddleDrag {
    /// The instances as they were when it began; the first is the one that was selected last.
    pub(super) start: Vec<(InstanceId, SceneInstance)>,
    /// Travel of the cursor since, points.
    pub(super) travel: Vec2,
}

/// What a travel of so many points does to something at `at`, with Shift (up and down, or about the up axis) and with
/// Ctrl (by steps). `metres` is the length of a point of the picture there.
pub(super) fn change(mode: MiddleDragMode, travel: Vec2, metres: f32, look: Vec3, shift: bool, snap: bool) -> Change {
    // Level with the ground, as the picture shows right and ahead.
    let right = look.cross(Vec3::Y).normalize_or(Vec3::X);
    let ahead = Vec3::Y.cross(right);
    let (way, turn_deg) = (travel * metres, travel * TURN_DEG);
    match mode {
        MiddleDragMode::Move => {
            let by = if shift { Vec3::Y * -way.y } else { right * way.x - ahead * way.y };
            Change { by: by.map(|metres| snapped(metres, STEP_M, snap)), ..Change::NONE }
        }
        MiddleDragMode::Turn if shift => Change { turn_deg: snapped(turn_deg.x, STEP_DEG, snap), ..Change::NONE },
        MiddleDragMode::Turn => {
            let [x, y] = turn_deg.to_array().map(|deg| snapped(deg, STEP_DEG, snap).to_radians());
            let turn = Quat::from_axis_angle(ahead, x) * Quat::from_axis_angle(right, y);
            let (axis, angle) = turn.to_axis_angle();
            Change { axis, turn_deg: angle.to_degrees(), ..Change::NONE }
        }
        MiddleDragMode::Scale => Change { scale: (-travel.y * GROWTH).exp(), ..Change::NONE },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_go_as_the_picture_shows_it() {
        let look = Vec3::new(0.0, -0.5, -1.0);
        let of = |mode, shift, snap| change(mode, Vec2::new(100.0, -60.0), 0.011, look, shift, snap);
        assert!(
            of(MiddleDragMode::Move, false, false).by.abs_diff_eq(Vec3::new(1.1, 0.0, -0.66), 1e-4),
            "right and ahead"
        );
        assert!(of(MiddleDragMode::Move, true, false).by.abs_diff_eq(Vec3::Y * 0.66, 1e-4), "up");
        assert!(of(MiddleDragMode::Move, false, true).by.abs_diff_eq(Vec3::new(1.0, 0.0, -0.75), 1e-4), "by quarters");
        assert_eq!(of(MiddleDragMode::Turn, true, false).turn_deg, 50.0);
        assert_eq!(of(MiddleDragMode::Turn, true, true).turn_deg, 45.0);
        let tilt = change(MiddleDragMode::Turn, Vec2::X * 20.0, 1.0, look, false, false);
        let turn = Quat::from_axis_angle(tilt.axis, tilt.turn_deg.to_radians());
        assert!((turn * Vec3::Y).x > 0.1, "it leans to the right");
        assert!(of(MiddleDragMode::Scale, false, false).scale > 1.0, "upwards it grows");
        let down = change(MiddleDragMode::Move, Vec2::X, 1.0, Vec3::NEG_Y, false, false);
        assert!(down.by.is_finite() && down.by != Vec3::ZERO, "seen from above");
    }
}
