//! Drags the handles of what is selected. A drag is one step of the history; with Ctrl it goes by quarters of a metre,
//! by 15 degrees and by tenths of the size. All that is selected goes along, about the one that was selected last.

use super::App;
use super::gizmo::{Gizmo, Handle};
use super::tool::ground_at;
use crate::camera::View;
use crate::ids::InstanceId;
use crate::math::Ray;
use crate::scene::SceneInstance;
use crate::scene::edit::Edit;
use crate::scene::limits::SCALE_RANGE;
use crate::ui::ViewportInput;
use crate::ui::command::EditStep;
use glam::{Quat, Vec2, Vec3};

/// Steps with Ctrl.
const STEP_M: f32 = 0.25;
const STEP_DEG: f32 = 15.0;
const STEP_SCALE: f32 = 0.1;
/// Smallest scale that a drag leads to.
const SCALE_MIN: f32 = 0.01;
/// Key under which the edits of a drag become one.
const MERGE: u64 = 0x6769_7a6d;

/// What is being dragged.
#[derive(Clone, Debug, PartialEq)]
pub struct Grip {
    handle: Handle,
    /// Everybody who is dragged, as when the drag began; the first is the one that the handles stand on.
    start: Vec<(InstanceId, SceneInstance)>,
    /// Where along the axis, or at which angle (radians), the cursor was then.
    from: f32,
}

/// What a drag does to everybody.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    by: Vec3,
    turn_deg: f32,
    scale: f32,
}

fn snapped(value: f32, step: f32, snap: bool) -> f32 {
    if snap { (value / step).round() * step } else { value }
}

impl Grip {
    /// What everybody becomes as a ray drags the handle; `ground` is where the ray meets the ground.
    fn moved(&self, ray: &Ray, ground: Option<Vec3>, snap: bool) -> Option<Vec<(InstanceId, SceneInstance)>> {
        let pivot = &self.start.first()?.1;
        let change = self.change(pivot, ray, ground, snap)?;
        let turn = Quat::from_rotation_y(change.turn_deg.to_radians());
        let one = |start: &SceneInstance| {
            let mut to = start.clone();
            let off = start.position - pivot.position;
            to.position = pivot.position + turn * (off * change.scale) + change.by;
            if change.turn_deg != 0.0 {
                to.rotation_deg.y = (to.rotation_deg.y + change.turn_deg + 180.0).rem_euclid(360.0) - 180.0;
            }
            to.scale = (to.scale * change.scale).clamp(SCALE_RANGE[0], SCALE_RANGE[1]);
            to
        };
        let all: Vec<_> = self.start.iter().map(|(id, start)| (*id, one(start))).collect();
        all.iter().all(|(_, to)| to.position.is_finite() && to.scale.is_finite()).then_some(all)
    }

    fn change(&self, pivot: &SceneInstance, ray: &Ray, ground: Option<Vec3>, snap: bool) -> Option<Change> {
        let mut change = Change { by: Vec3::ZERO, turn_deg: 0.0, scale: 1.0 };
        let to = |value: f32| Gizmo::at(pivot.position).measure(self.handle, ray).map(|now| now - self.from + value);
        match self.handle {
            Handle::Axis(axis) => {
                change.by[axis] = snapped(to(pivot.position[axis])?, STEP_M, snap) - pivot.position[axis];
            }
            Handle::Ground => {
                let at = ground?;
                let at = Vec3::new(snapped(at.x, STEP_M, snap), at.y, snapped(at.z, STEP_M, snap));
                change.by = at - pivot.position;
            }
            Handle::Turn => {
                let yaw_deg = pivot.rotation_deg.y;
                let now = Gizmo::at(pivot.position).measure(self.handle, ray)?;
                let by = snapped(yaw_deg + (now - self.from).to_degrees(), STEP_DEG, snap) - yaw_deg;
                change.turn_deg = (by + 180.0).rem_euclid(360.0) - 180.0;
            }
            Handle::Scale => {
                let now = Gizmo::at(pivot.position).measure(self.handle, ray)?;
                let scale = snapped(pivot.scale * (now / self.from).max(0.0), STEP_SCALE, snap).max(SCALE_MIN);
                change.scale = scale / pivot.scale;
            }
        }
        Some(change)
    }
}

impl App {
    /// The handles of what is selected: in edit mode, without a tool.
    fn gizmo(&self, view: &View) -> Option<(InstanceId, Gizmo)> {
        let id = self.selection.instance?;
        let edits = self.ui.mode == crate::ui::Mode::Edit && self.ui.bench.tool == crate::ui::bench::Tool::None;
        let live = self.world.live(id).filter(|_| edits)?;
        Some((id, Gizmo::new(live.now.position, view)))
    }

    /// Takes what was done in the picture to the handles; says whether they had it.
    pub(super) fn use_gizmo(&mut self, viewport: &ViewportInput, view: &View, scale: f32) -> bool {
        let size = viewport.rect.size() * scale;
        let size = Vec2::new(size.x, size.y);
        let px = |p: egui::Pos2| {
            let at = (p - viewport.rect.min) * scale;
            Vec2::new(at.x, at.y)
        };
        if let Some(at) = viewport.press {
            self.grip = self.gizmo(view).and_then(|(id, gizmo)| {
                let handle = gizmo.under(view, px(at), size, scale)?;
                self.grab(id, handle, &gizmo, &view.ray_through(px(at), size))
            });
        }
        let Some(grip) = self.grip.take() else { return false };
        if let Some(at) = viewport.drag {
            self.drag(&grip, &view.ray_through(px(at), size), viewport.command);
        }
        let held = viewport.release.is_none() && viewport.click.is_none() && viewport.press.or(viewport.drag).is_some();
        self.grip = held.then_some(grip);
        true
    }

    /// Everybody who is selected, as the world has them now: a drag begins where people see them.
    fn grab(&self, id: InstanceId, handle: Handle, gizmo: &Gizmo, ray: &Ray) -> Option<Grip> {
        let mut all = self.chosen();
        all.retain(|other| *other != id);
        all.insert(0, id);
        let seen = |id: InstanceId| {
            let live = self.world.live(id)?;
            let mut start = (**self.scene.instances.get(id)?).clone();
            start.position = live.now.position;
            if handle == Handle::Turn {
                start.rotation_deg.y = live.now.yaw_rad.to_degrees();
            }
            Some((id, start))
        };
        let from = gizmo.measure(handle, ray)?;
        // Too near to the middle, every small move would scale without bound.
        let usable = handle != Handle::Scale || from > 1e-3;
        usable.then(|| Grip { handle, start: all.into_iter().filter_map(seen).collect(), from })
    }

    fn drag(&mut self, grip: &Grip, ray: &Ray, snap: bool) {
        let ground = ground_at(&self.world, ray);
        let Some(all) = grip.moved(ray, ground, snap) else { return };
        let differs =
            |(id, to): &(InstanceId, SceneInstance)| self.scene.instances.get(*id).is_some_and(|i| **i != *to);
        if !all.iter().any(differs) {
            return;
        }
        let what = match grip.handle {
            Handle::Turn => "turn",
            Handle::Scale => "scale",
            Handle::Axis(_) | Handle::Ground => "move",
        };
        let ids: Vec<InstanceId> = all.iter().map(|one| one.0).collect();
        let name = format!("{what} {}", self.name_of_all(&ids));
        let merge = Some(MERGE ^ ids[0].to_bits());
        let mut edits: Vec<Edit> = all.into_iter().map(|(id, to)| Edit::SetInstance { id, to }).collect();
        let edit = if edits.len() == 1 { edits.remove(0) } else { Edit::Many(edits) };
        self.edit(EditStep { name, edit, merge });
    }

    /// The handles that are shown, and which of them is lit: the one held, or else the one under the cursor.
    pub(super) fn shown_gizmo(&self, view: &View) -> Option<(Gizmo, Option<Handle>)> {
        let hot = self.grip.as_ref().map(|grip| grip.handle).or(self.hot);
        Some((self.gizmo(view)?.1, hot))
    }

    /// The handle under the cursor.
    pub(super) fn hover_gizmo(&mut self, viewport: &ViewportInput, view: &View, scale: f32) {
        let size = viewport.rect.size() * scale;
        self.hot = viewport.hover.and_then(|at| {
            let at = (at - viewport.rect.min) * scale;
            let (_, gizmo) = self.gizmo(view)?;
            gizmo.under(view, Vec2::new(at.x, at.y), Vec2::new(size.x, size.y), scale)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Lens;
    use crate::ids::Arena;

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);

    fn view() -> View {
        View::new(Vec3::new(3.0, 4.0, 8.0), Vec3::new(-3.0, -4.0, -8.0), Lens::Perspective { fov_rad: 1.0 }, 4.0 / 3.0)
    }

    fn ray(to: Vec3) -> Ray {
        view().ray_through(view().project(to, SIZE).unwrap(), SIZE)
    }

    /// A drag of two instances: one at the origin, turned by 10 degrees, one a metre ahead of it.
    fn grip(handle: Handle, from: Vec3) -> Grip {
        let from = Gizmo::new(Vec3::ZERO, &view()).measure(handle, &ray(from)).unwrap();
        let mut ids = Arena::default();
        let first = SceneInstance { rotation_deg: Vec3::Y * 10.0, ..SceneInstance::default() };
        let second = SceneInstance { position: Vec3::Z, scale: 2.0, ..SceneInstance::default() };
        Grip { handle, start: vec![(ids.insert(()), first), (ids.insert(()), second)], from }
    }

    fn dragged(handle: Handle, from: Vec3, to: Vec3, snap: bool) -> [SceneInstance; 2] {
        let all = grip(handle, from).moved(&ray(to), Some(to), snap).unwrap();
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
        let [to, other] = dragged(Handle::Turn, Vec3::Z, Vec3::X, false);
        assert!((to.rotation_deg.y - 100.0).abs() < 0.5 && to.position == Vec3::ZERO, "{}", to.rotation_deg);
        assert!(other.position.abs_diff_eq(Vec3::X, 1e-2), "the other goes round the first");
        assert!((dragged(Handle::Turn, Vec3::Z, Vec3::X, true)[0].rotation_deg.y - 105.0).abs() < 1e-3);
    }

    #[test]
    fn the_knob_scales_all_about_the_first() {
        let [to, other] = dragged(Handle::Scale, Vec3::Y, Vec3::Y * 1.5, false);
        assert!((to.scale - 1.5).abs() < 0.02 && to.position == Vec3::ZERO, "{}", to.scale);
        assert!((other.scale - 3.0).abs() < 0.04 && other.position.abs_diff_eq(Vec3::Z * 1.5, 0.02));
        assert!((dragged(Handle::Scale, Vec3::Y, Vec3::Y * 1.52, true)[0].scale - 1.5).abs() < 1e-4);
        let [to, _] = dragged(Handle::Scale, Vec3::Y, Vec3::NEG_Y, false);
        assert!((to.scale - SCALE_MIN).abs() < 1e-6, "never nothing, never inside out: {}", to.scale);
    }

    #[test]
    fn a_ray_along_an_axis_moves_nothing() {
        let along = Ray { origin: Vec3::X * 9.0, direction: Vec3::NEG_X };
        assert!(grip(Handle::Axis(0), Vec3::X).moved(&along, None, false).is_none());
    }
}
