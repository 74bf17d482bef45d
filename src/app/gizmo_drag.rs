//! Drags of the handles of what is selected. A drag is one step of the history; with Ctrl it goes by quarters of a metre,
//! by 15 degrees and by tenths of the size; numbers that are typed meanwhile count in place of the cursor, and Escape puts
//! all back. With Shift, copies are dragged. All that is selected goes along, about the one that was selected last.

use super::gizmo::{Gizmo, Handle};
use crate::ids::InstanceId;
use crate::math::Ray;
use crate::scene::SceneInstance;
use crate::scene::limits::SCALE_RANGE;
use glam::{EulerRot, Quat, Vec3};

/// Steps with Ctrl.
pub(super) const STEP_M: f32 = 0.25;
pub(super) const STEP_DEG: f32 = 15.0;
const STEP_SCALE: f32 = 0.1;
/// Smallest scale that a drag leads to.
const MIN_SCALE: f32 = 0.01;
/// Key under which the edits of a drag become one.
pub(super) const MERGE: u64 = 0x6769_7a6d;
/// Most characters of a number that is typed.
const MAX_TYPED: usize = 12;
/// Movement of the first that counts as a drag, metres, degrees and shares; copies are made only then.
pub(super) const MOVED: f32 = 1e-3;

/// What is being dragged.
#[derive(Clone, Debug, PartialEq)]
pub struct GizmoDrag {
    pub(super) handle: Handle,
    /// The handles as they lay when the drag began.
    pub(super) gizmo: Gizmo,
    /// The dragged instances, as when the drag began; the handles stand on the first.
    pub(super) start: Vec<(InstanceId, SceneInstance)>,
    /// Where along the axis, or at which angle (radians), the cursor was then.
    pub(super) from: f32,
    /// Where the cursor met the plane of the handle then.
    pub(super) from_at: Vec3,
    /// What is typed while it is dragged.
    pub(super) typed: String,
    /// Whether copies are to be dragged that are not made yet.
    pub(super) copies: bool,
}

/// What a drag does to all dragged instances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    /// Metres, world space.
    pub by: Vec3,
    /// Unit axis of the turn, world space.
    pub axis: Vec3,
    /// How far about it, degrees.
    pub turn_deg: f32,
    /// Factor.
    pub scale: f32,
}

impl Change {
    /// What changes nothing.
    pub const NONE: Self = Self { by: Vec3::ZERO, axis: Vec3::Y, turn_deg: 0.0, scale: 1.0 };

    /// The instances after the change, about the first of them; `None` where that is not finite.
    pub fn of_all(&self, start: &[(InstanceId, SceneInstance)]) -> Option<Vec<(InstanceId, SceneInstance)>> {
        let pivot = start.first()?.1.position;
        let turn = Quat::from_axis_angle(self.axis, self.turn_deg.to_radians());
        let one = |start: &SceneInstance| {
            let mut to = start.clone();
            to.position = pivot + turn * ((start.position - pivot) * self.scale) + self.by;
            to.rotation_deg = turned(to.rotation_deg, self.axis, self.turn_deg);
            to.scale = (to.scale * self.scale).clamp(SCALE_RANGE[0], SCALE_RANGE[1]);
            to
        };
        let all: Vec<_> = start.iter().map(|(id, start)| (*id, one(start))).collect();
        let finite =
            |to: &SceneInstance| to.position.is_finite() && to.rotation_deg.is_finite() && to.scale.is_finite();
        all.iter().all(|(_, to)| finite(to)).then_some(all)
    }
}

/// Euler angles of an instance, degrees, after it was turned about an axis in world space.
fn turned(rotation_deg: Vec3, axis: Vec3, turn_deg: f32) -> Vec3 {
    let full = |deg: f32| (deg + 180.0).rem_euclid(360.0) - 180.0;
    if turn_deg == 0.0 {
        return rotation_deg;
    }
    if axis == Vec3::Y && rotation_deg.z == 0.0 {
        // Without a turn about z, those about the up axis just add: the others stay as they are, to the bit.
        return rotation_deg.with_y(full(rotation_deg.y + turn_deg));
    }
    let [x, y, z] = rotation_deg.to_array().map(f32::to_radians);
    let turn = Quat::from_axis_angle(axis, turn_deg.to_radians()) * Quat::from_euler(EulerRot::ZYX, z, y, x);
    let (z, y, x) = turn.normalize().to_euler(EulerRot::ZYX);
    Vec3::new(x, y, z).map(f32::to_degrees)
}

pub(super) fn snapped(value: f32, step: f32, snap: bool) -> f32 {
    if snap { (value / step).round() * step } else { value }
}

impl GizmoDrag {
    /// The instances as a ray drags the handle; `ground` is where the ray meets the ground.
    pub(super) fn moved(
        &self,
        ray: &Ray,
        ground: Option<Vec3>,
        snap: bool,
    ) -> Option<(Change, Vec<(InstanceId, SceneInstance)>)> {
        let pivot = &self.start.first()?.1;
        let change = self.change(pivot, ray, ground, snap)?;
        change.of_all(&self.start).map(|all| (change, all))
    }

    fn change(&self, pivot: &SceneInstance, ray: &Ray, ground: Option<Vec3>, snap: bool) -> Option<Change> {
        let mut change = Change::NONE;
        let gizmo = &self.gizmo;
        let numbers = self.numbers();
        let typed = numbers.first().copied();
        match self.handle {
            Handle::Axis(axis) => {
                let along = match typed {
                    Some(metres) => metres,
                    None => self.on_grid(axis, gizmo.measure(self.handle, ray)? - self.from, snap),
                };
                change.by = gizmo.axes[axis] * along;
            }
            // Along the axes of the plane in their order, or along all three: what is not typed is nothing.
            Handle::Plane(across) if typed.is_some() => {
                for (axis, metres) in (0..3).filter(|axis| *axis != across).zip(numbers) {
                    change.by += gizmo.axes[axis] * metres;
                }
            }
            Handle::Free if typed.is_some() => {
                change.by = gizmo.axes.iter().zip(numbers).map(|(axis, metres)| *axis * metres).sum();
            }
            Handle::Plane(across) => {
                let by = gizmo.meets(self.handle, ray)? - self.from_at;
                for axis in (0..3).filter(|axis| *axis != across) {
                    change.by += gizmo.axes[axis] * self.on_grid(axis, by.dot(gizmo.axes[axis]), snap);
                }
            }
            Handle::Free => {
                let by = gizmo.meets(self.handle, ray)? - self.from_at;
                for axis in 0..3 {
                    change.by += gizmo.axes[axis] * self.on_grid(axis, by.dot(gizmo.axes[axis]), snap);
                }
            }
            Handle::Ground => {
                let at = ground?;
                let at = Vec3::new(snapped(at.x, STEP_M, snap), at.y, snapped(at.z, STEP_M, snap));
                change.by = at - pivot.position;
            }
            Handle::Turn(axis) => {
                change.axis = gizmo.axes[axis];
                // About the up axis to round headings, else by round angles.
                let start = if change.axis == Vec3::Y { pivot.rotation_deg.y } else { 0.0 };
                let by = match typed {
                    Some(degrees) => degrees,
                    None => {
                        let now = gizmo.measure(self.handle, ray)?;
                        snapped(start + (now - self.from).to_degrees(), STEP_DEG, snap) - start
                    }
                };
                change.turn_deg = (by + 180.0).rem_euclid(360.0) - 180.0;
            }
            Handle::Scale => {
                let scale = match typed {
                    Some(factor) => pivot.scale * factor,
                    None => {
                        let now = gizmo.measure(self.handle, ray)?;
                        snapped(pivot.scale * (now / self.from).max(0.0), STEP_SCALE, snap)
                    }
                };
                // What is smaller already does not jump up to it.
                change.scale = scale.max(MIN_SCALE.min(pivot.scale)) / pivot.scale;
            }
        }
        Some(change)
    }

    /// A way along an axis, by steps: to round places along the axes of the world, else by round lengths.
    fn on_grid(&self, axis: usize, by: f32, snap: bool) -> f32 {
        let start = if self.gizmo.axes == Vec3::AXES { self.gizmo.at[axis] } else { 0.0 };
        snapped(start + by, STEP_M, snap) - start
    }

    /// How many numbers the handle takes.
    fn takes(&self) -> usize {
        match self.handle {
            Handle::Plane(_) => 2,
            Handle::Free => 3,
            Handle::Axis(_) | Handle::Turn(_) | Handle::Scale | Handle::Ground => 1,
        }
    }

    /// The numbers that were typed; none while the first is none yet.
    fn numbers(&self) -> Vec<f32> {
        let number = |text: &str| text.parse::<f32>().ok().filter(|value| value.is_finite());
        self.typed.split(' ').map_while(number).collect()
    }

    /// Takes a character that was typed, if it belongs to a number or parts two.
    pub(super) fn type_in(&mut self, character: char) {
        let begin = self.typed.rfind(' ').map_or(0, |space| space + 1);
        let number = &self.typed[begin..];
        let room = number.len() < MAX_TYPED;
        match character {
            '0'..='9' if room => self.typed.push(character),
            '.' | ',' if room && !number.contains('.') => self.typed.push('.'),
            // A sign counts wherever it is typed.
            '-' if number.starts_with('-') => drop(self.typed.remove(begin)),
            '-' if room => self.typed.insert(begin, '-'),
            ' ' if !number.is_empty() && self.typed.split(' ').count() < self.takes() => self.typed.push(' '),
            _ => {}
        }
    }

    /// What the drag has done so far, for people.
    pub(super) fn text(&self, change: &Change, now: &SceneInstance) -> Option<String> {
        let start = &self.start.first()?.1;
        let by = now.position - start.position;
        let axes = ["X", "Y", "Z"];
        let text = match self.handle {
            Handle::Axis(axis) => format!("{} {:+.2} m", axes[axis], by.dot(self.gizmo.axes[axis])),
            Handle::Plane(_) | Handle::Free | Handle::Ground => format!("{:+.2}  {:+.2}  {:+.2} m", by.x, by.y, by.z),
            Handle::Turn(axis) => format!("{} {:+.1}°", axes[axis], change.turn_deg),
            Handle::Scale => format!("× {:.2}", now.scale / start.scale),
        };
        let typed = if self.typed.is_empty() { String::new() } else { format!("   typed: {}", self.typed) };
        Some(text + &typed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use crate::ids::Arena;
    use glam::Vec2;

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);

    fn view() -> View {
        View::new(Vec3::new(3.0, 4.0, 8.0), Vec3::new(-3.0, -4.0, -8.0), Lens::Perspective { fov_rad: 1.0 }, 4.0 / 3.0)
    }

    fn ray(to: Vec3) -> Ray {
        view().ray_through(view().project(to, SIZE).unwrap(), SIZE)
    }

    /// A drag of two instances: one at the origin, turned by 10 degrees, one a metre ahead of it.
    fn gizmo_drag(handle: Handle, from: Vec3) -> GizmoDrag {
        let gizmo = Gizmo::new(Vec3::ZERO, Vec3::AXES, &view());
        let (from, from_at) = (gizmo.measure(handle, &ray(from)).unwrap(), gizmo.meets(handle, &ray(from)).unwrap());
        let mut ids = Arena::default();
        let first = SceneInstance { rotation_deg: Vec3::Y * 10.0, ..SceneInstance::default() };
        let second = SceneInstance { position: Vec3::Z, scale: 2.0, ..SceneInstance::default() };
        let start = vec![(ids.insert(()), first), (ids.insert(()), second)];
        GizmoDrag { handle, gizmo, start, from, from_at, typed: String::new(), copies: false }
    }

    fn dragged(handle: Handle, from: Vec3, to: Vec3, snap: bool) -> [SceneInstance; 2] {
        let (_, all) = gizmo_drag(handle, from).moved(&ray(to), Some(to), snap).unwrap();
        [all[0].1.clone(), all[1].1.clone()]
    }

    #[test]
    fn arrows_move_along_their_axis_by_what_the_cursor_goes() {
        let [to, other] = dragged(Handle::Axis(0), Vec3::X, Vec3::X * 2.1, false);
        assert!(to.position.abs_diff_eq(Vec3::X * 1.1, 1e-2), "{}", to.position);
        assert!(other.position.abs_diff_eq(Vec3::X * 1.1 + Vec3::Z, 1e-2), "the other goes along");
        let [to, _] = dragged(Handle::Axis(0), Vec3::X, Vec3::X * 2.1, true);
        assert!(to.position.abs_diff_eq(Vec3::X, 1e-4), "by quarters of a metre: {}", to.position);
        let [to, _] = dragged(Handle::Axis(1), Vec3::Y * 0.5, Vec3::Y * 1.5, false);
        assert!(to.position.abs_diff_eq(Vec3::Y, 1e-2));
    }

    #[test]
    fn the_middle_follows_the_ground_and_the_ring_turns() {
        let ground = Vec3::new(1.3, 0.4, -2.0);
        assert_eq!(dragged(Handle::Ground, Vec3::ZERO, ground, false)[0].position, ground);
        // From +Z to +X is a quarter turn.
        let [to, other] = dragged(Handle::Turn(1), Vec3::Z, Vec3::X, false);
        assert!((to.rotation_deg.y - 100.0).abs() < 0.5 && to.position == Vec3::ZERO, "{}", to.rotation_deg);
        assert!(other.position.abs_diff_eq(Vec3::X, 1e-2), "the other goes round the first");
        assert!((dragged(Handle::Turn(1), Vec3::Z, Vec3::X, true)[0].rotation_deg.y - 105.0).abs() < 1e-3);
    }

    #[test]
    fn the_other_rings_tilt_about_their_axes() {
        // From +Y to +Z is a quarter turn about +X.
        let [to, other] = dragged(Handle::Turn(0), Vec3::Y, Vec3::Z, true);
        let up = |of: &SceneInstance| of.world_from_model().transform_vector3(Vec3::Y).normalize();
        assert!(up(&to).abs_diff_eq(Vec3::Z, 1e-3), "{}", to.rotation_deg);
        assert!(other.position.abs_diff_eq(Vec3::NEG_Y, 1e-3), "the other goes round the first: {}", other.position);
        let [to, _] = dragged(Handle::Turn(2), Vec3::X, Vec3::Y, true);
        assert!(up(&to).abs_diff_eq(Vec3::NEG_X, 1e-3), "{}", to.rotation_deg);
        assert_eq!(turned(Vec3::new(7.0, 170.0, 0.0), Vec3::Y, 20.0), Vec3::new(7.0, -170.0, 0.0));
        let tilted = Vec3::new(10.0, 20.0, 30.0);
        assert!(turned(turned(tilted, Vec3::Z, 50.0), Vec3::Z, -50.0).abs_diff_eq(tilted, 1e-3));
    }

    #[test]
    fn the_knob_scales_all_about_the_first() {
        let [to, other] = dragged(Handle::Scale, Vec3::Y, Vec3::Y * 1.5, false);
        assert!((to.scale - 1.5).abs() < 0.02 && to.position == Vec3::ZERO, "{}", to.scale);
        assert!((other.scale - 3.0).abs() < 0.04 && other.position.abs_diff_eq(Vec3::Z * 1.5, 0.02));
        assert!((dragged(Handle::Scale, Vec3::Y, Vec3::Y * 1.52, true)[0].scale - 1.5).abs() < 1e-4);
        let [to, _] = dragged(Handle::Scale, Vec3::Y, Vec3::NEG_Y, false);
        assert!((to.scale - MIN_SCALE).abs() < 1e-6, "never nothing, never inside out: {}", to.scale);
        let mut of_millimetres = gizmo_drag(Handle::Scale, Vec3::Y);
        of_millimetres.start[0].1.scale = 0.001;
        let (_, all) = of_millimetres.moved(&ray(Vec3::Y), None, false).unwrap();
        assert!((all[0].1.scale - 0.001).abs() < 1e-6, "what is small already does not jump: {}", all[0].1.scale);
    }

    #[test]
    fn squares_drag_in_their_plane_and_the_diamond_in_the_view() {
        let [to, _] = dragged(Handle::Plane(1), Vec3::new(0.5, 0.0, 0.5), Vec3::new(1.5, 0.0, -0.5), false);
        assert!(to.position.abs_diff_eq(Vec3::new(1.0, 0.0, -1.0), 1e-2), "{}", to.position);
        let [to, _] = dragged(Handle::Plane(0), Vec3::new(0.0, 0.5, 0.5), Vec3::new(0.0, 1.6, 0.5), true);
        assert!(to.position.abs_diff_eq(Vec3::Y, 1e-4), "by quarters: {}", to.position);
        let [to, _] = dragged(Handle::Free, Vec3::ZERO, Vec3::X, false);
        assert!(to.position.dot(view().direction).abs() < 1e-3 && to.position.x > 0.5, "{}", to.position);
    }

    #[test]
    fn a_typed_number_counts_in_place_of_the_cursor() {
        let typed = |handle, text: &str| {
            let mut gizmo_drag = gizmo_drag(handle, Vec3::new(0.6, 0.8, 0.6));
            text.chars().for_each(|character| gizmo_drag.type_in(character));
            gizmo_drag.moved(&ray(Vec3::new(0.2, 0.9, 0.1)), None, false).unwrap().1[0].1.clone()
        };
        assert!(typed(Handle::Axis(0), "2.5-").position.abs_diff_eq(Vec3::X * -2.5, 1e-5));
        assert!((typed(Handle::Turn(1), "9x0").rotation_deg.y - 100.0).abs() < 1e-3);
        assert!((typed(Handle::Scale, "1,5").scale - 1.5).abs() < 1e-5);
        assert!(typed(Handle::Plane(1), "2.5 x-1").position.abs_diff_eq(Vec3::new(2.5, 0.0, -1.0), 1e-5));
        assert!(typed(Handle::Plane(0), " 4").position.abs_diff_eq(Vec3::Y * 4.0, 1e-5), "the rest is nothing");
        assert!(typed(Handle::Free, "1 -,5  3 9").position.abs_diff_eq(Vec3::new(1.0, -0.5, 39.0), 1e-5));
        assert!((typed(Handle::Scale, "-").scale - typed(Handle::Scale, "").scale).abs() < 1e-6, "no number yet");
    }

    #[test]
    fn local_axes_are_followed() {
        let mut gizmo_drag = gizmo_drag(Handle::Axis(0), Vec3::ZERO);
        gizmo_drag.gizmo.axes = [Vec3::NEG_Z, Vec3::Y, Vec3::X];
        gizmo_drag.typed = "2".into();
        let to = gizmo_drag.moved(&ray(Vec3::ZERO), None, false).unwrap();
        assert!(to.1[0].1.position.abs_diff_eq(Vec3::NEG_Z * 2.0, 1e-5));
    }

    #[test]
    fn a_ray_along_an_axis_moves_nothing() {
        let along = Ray { origin: Vec3::X * 9.0, direction: Vec3::NEG_X };
        assert!(gizmo_drag(Handle::Axis(0), Vec3::X).moved(&along, None, false).is_none());
    }
}
