//! The wheel over the picture: it sets the field of view, the scale or the distance of the camera that is looked
//! through, which is saved and undone.

use super::state::App;
use crate::camera::free::{FOV_PER_NOTCH, SIZE_PER_NOTCH, WHEEL_FOV_DEG};
use crate::scene::SceneCamera;
use crate::ui::{Mode, edits};
use crate::vocab::{CameraKind, Projection};
use std::time::Duration;

/// How much faster the wheel is while Shift is held.
const FAST_FACTOR: f32 = 4.0;
/// Smallest and largest scale of an orthogonal camera: half the height of what is seen, metres.
const ORTHO_RANGE: (f32, f32) = (1.0, 50.0);
/// Nearest and farthest third-person camera, metres.
const DISTANCE_RANGE: (f32, f32) = (3.0, 10.0);
/// After so long without a turn of the wheel, the next one is a step of its own.
pub const REST: Duration = Duration::from_millis(250);

/// What the wheel makes of a camera that `follows` an instance, or none; `is_view` in view mode, where a third-person camera goes nearer.
fn turned(camera: &SceneCamera, notches: f32, follows: bool, is_view: bool) -> SceneCamera {
    let mut to = camera.clone();
    let scaled = |value: f32, rate: f32, (least, most): (f32, f32)| {
        // Cameras of files may lie beyond: the wheel does not pull them in at once.
        (value * rate.powf(notches)).clamp(least.min(value), most.max(value))
    };
    if follows && is_view && camera.kind == CameraKind::ThirdPerson {
        to.third_person_distance = scaled(to.third_person_distance, SIZE_PER_NOTCH, DISTANCE_RANGE);
    } else if camera.shown_projection(follows) == Projection::Perspective {
        to.fov_deg = scaled(to.fov_deg, FOV_PER_NOTCH, WHEEL_FOV_DEG);
    } else {
        to.ortho_scale = scaled(to.ortho_scale, SIZE_PER_NOTCH, ORTHO_RANGE);
    }
    to
}

impl App {
    /// Sets the camera that is looked through by the wheel. Returns whether there is one.
    pub(super) fn turn_wheel(&mut self, notches: f32, is_fast: bool) -> bool {
        let id = self.camera_controller.active().filter(|_| self.camera_controller.is_looked_through());
        let Some((id, camera)) = id.and_then(|id| Some((id, self.scene.cameras.get(id)?))) else { return false };
        if self.camera_controller.is_orthographic() {
            return false;
        }
        let notches = if is_fast { notches * FAST_FACTOR } else { notches };
        let follows = camera.target.is_some_and(|target| self.world.live(target).is_some());
        let to = turned(camera, notches, follows, self.ui.mode == Mode::View);
        if to != **camera {
            self.pending.push(edits::set_camera(format!("zoom {}", camera.name), id, "wheel", to));
            self.wheel_rest = Some(REST);
        }
        true
    }

    /// Ends the step of a wheel that has come to rest. Returns the time until then.
    pub(super) fn rest_wheel(&mut self, dt: Duration) {
        let Some(left) = self.wheel_rest else { return };
        self.wheel_rest = left.checked_sub(dt).filter(|left| !left.is_zero());
        if self.wheel_rest.is_none() {
            self.history.seal();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_sets_what_the_camera_has() {
        let camera = SceneCamera::default();
        assert!(turned(&camera, 1.0, false, false).fov_deg < camera.fov_deg);
        assert_eq!(turned(&camera, 1e6, false, false).fov_deg, WHEEL_FOV_DEG.0);
        let ortho = SceneCamera { projection: Projection::Orthogonal, ortho_scale: 20.0, ..camera.clone() };
        assert_eq!(turned(&ortho, 1.0, false, false), SceneCamera { ortho_scale: 18.0, ..ortho.clone() });
        assert_eq!(turned(&ortho, -1e6, false, false).ortho_scale, ORTHO_RANGE.1);
        let third = SceneCamera { kind: CameraKind::ThirdPerson, ..ortho };
        assert!(turned(&third, -1.0, true, true).third_person_distance > third.third_person_distance);
        assert!(turned(&third, -1.0, true, false).fov_deg > third.fov_deg, "in edit mode it zooms");
        assert!(
            turned(&third, -1.0, false, true).ortho_scale > third.ortho_scale,
            "without a target it shows what is set"
        );
    }
}
