//! Handles on the selected instance: arrows move it along an axis, the middle slides it over the ground, the ring turns
//! it. A drag is one step of the history; with Ctrl it goes by quarters of a metre and by 15 degrees.

use super::App;
use super::tool::ground_at;
use crate::camera::View;
use crate::debug::{DebugDraw, Layer, shapes};
use crate::ids::InstanceId;
use crate::math::Ray;
use crate::scene::SceneInstance;
use crate::scene::edit::Edit;
use crate::ui::ViewportInput;
use crate::ui::command::EditStep;
use crate::ui::names::instance_name;
use glam::{Vec2, Vec3};

/// Length of an arrow as a share of its distance from the eye.
const LENGTH: f32 = 0.14;
/// Radius of the ring, and of the middle, as shares of an arrow.
const RING: f32 = 0.75;
const MIDDLE: f32 = 0.16;
/// How near to a handle the cursor has to be, pixels at scale 1.
const REACH_PX: f32 = 8.0;
/// Corners of the ring.
const SEGMENTS: u32 = 48;
/// Steps with Ctrl.
const STEP_M: f32 = 0.25;
const STEP_DEG: f32 = 15.0;
/// Key under which the edits of a drag become one.
const MERGE: u64 = 0x6769_7a6d;

const COLORS: [[f32; 4]; 3] = [[0.85, 0.08, 0.06, 1.0], [0.12, 0.65, 0.08, 1.0], [0.05, 0.22, 0.9, 1.0]];
const TURN_COLOR: [f32; 4] = [0.9, 0.65, 0.05, 1.0];
const HOT: [f32; 4] = [1.0, 0.9, 0.35, 1.0];

/// A part that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// Moves along x, y or z.
    Axis(usize),
    /// Slides over the ground.
    Ground,
    /// Turns about the up axis.
    Turn,
}

/// What is being dragged.
#[derive(Clone, Debug, PartialEq)]
pub struct Grip {
    handle: Handle,
    id: InstanceId,
    /// Where it stood, and how it was turned, when the drag began.
    place: Vec3,
    yaw_deg: f32,
    /// Where along the axis, or at which angle (radians), the cursor was then.
    from: f32,
}

/// The handles of one frame.
#[derive(Clone, Copy, Debug)]
pub struct Gizmo {
    at: Vec3,
    length: f32,
}

impl Gizmo {
    /// Handles around a place, of the same size in every picture.
    pub fn new(at: Vec3, view: &View) -> Self {
        Self { at, length: (at.distance(view.position) * LENGTH).clamp(0.05, 1e4) }
    }

    /// The handle under a point of the picture; the middle first, then the nearest.
    pub fn under(&self, view: &View, point_px: Vec2, size_px: Vec2, scale: f32) -> Option<Handle> {
        let reach = REACH_PX * scale;
        let px = |p: Vec3| view.project(p, size_px);
        let middle = px(self.at)?;
        let rim = px(self.at + view.direction.any_orthonormal_vector() * self.length * MIDDLE)?;
        if middle.distance(point_px) <= rim.distance(middle).max(reach) {
            return Some(Handle::Ground);
        }
        let mut best: Option<(f32, Handle)> = None;
        let mut keep = |off: f32, handle: Handle| {
            if off <= reach && best.is_none_or(|b| off < b.0) {
                best = Some((off, handle));
            }
        };
        for axis in 0..3 {
            if let Some(tip) = px(self.at + Vec3::AXES[axis] * self.length) {
                keep(distance_to_segment(point_px, middle, tip), Handle::Axis(axis));
            }
        }
        let rim: Vec<Option<Vec2>> = shapes::rim(self.at, self.length * RING, SEGMENTS).into_iter().map(px).collect();
        for (i, a) in rim.iter().enumerate() {
            if let (Some(a), Some(b)) = (a, rim[(i + 1) % rim.len()]) {
                keep(distance_to_segment(point_px, *a, b), Handle::Turn);
            }
        }
        best.map(|b| b.1)
    }

    /// Where along its axis, or at which angle, a ray meets a handle.
    fn measure(&self, handle: Handle, ray: &Ray) -> Option<f32> {
        match handle {
            Handle::Axis(axis) => along(self.at, Vec3::AXES[axis], ray),
            Handle::Ground => Some(0.0),
            Handle::Turn => {
                let down = ray.direction.y;
                let t = (self.at.y - ray.origin.y) / down;
                let off = ray.at(t) - self.at;
                (down.abs() > 1e-4 && t > 0.0 && off.is_finite()).then(|| off.x.atan2(off.z))
            }
        }
    }

    /// Adds the handles to the debug geometry of a frame.
    pub(super) fn draw(&self, hot: Option<Handle>, debug: &mut DebugDraw) {
        let mut mark = DebugDraw::wanting([Layer::Selection]);
        let color = |handle: Handle, usual| if hot == Some(handle) { HOT } else { usual };
        for (axis, usual) in COLORS.into_iter().enumerate() {
            let tip = self.at + Vec3::AXES[axis] * self.length;
            shapes::arrow(&mut mark, Layer::Selection, self.at, tip, color(Handle::Axis(axis), usual));
        }
        let turn = color(Handle::Turn, TURN_COLOR);
        shapes::circle(&mut mark, Layer::Selection, self.at, self.length * RING, SEGMENTS, turn);
        let [r, g, b, _] = color(Handle::Ground, TURN_COLOR);
        shapes::disc(&mut mark, Layer::Selection, self.at, self.length * MIDDLE, 20, [r, g, b, 0.6]);
        debug.lines.append(&mut mark.lines);
        debug.triangles.append(&mut mark.triangles);
    }
}

fn distance_to_segment(p: Vec2, a: Vec2, b: Vec2) -> f32 {
    let ab = b - a;
    let t = ((p - a).dot(ab) / ab.length_squared().max(1e-6)).clamp(0.0, 1.0);
    p.distance(a + ab * t)
}

/// How far along the line through `at` the point lies that is nearest to a ray; `None` for a ray along the line.
fn along(at: Vec3, axis: Vec3, ray: &Ray) -> Option<f32> {
    let (d, w) = (ray.direction.try_normalize()?, at - ray.origin);
    let b = axis.dot(d);
    let slant = 1.0 - b * b;
    let t = (b * d.dot(w) - axis.dot(w)) / slant;
    (slant > 1e-3 && t.is_finite()).then_some(t)
}

fn snapped(value: f32, step: f32, snap: bool) -> f32 {
    if snap { (value / step).round() * step } else { value }
}

impl Grip {
    /// The instance as a ray leaves it; `ground` is where the ray meets the ground.
    fn moved(&self, instance: &SceneInstance, ray: &Ray, ground: Option<Vec3>, snap: bool) -> Option<SceneInstance> {
        let mut to = instance.clone();
        let start = Gizmo { at: self.place, length: 1.0 };
        match self.handle {
            Handle::Axis(axis) => {
                let by = start.measure(self.handle, ray)? - self.from;
                to.position = self.place;
                to.position[axis] = snapped(self.place[axis] + by, STEP_M, snap);
            }
            Handle::Ground => {
                let at = ground?;
                to.position = Vec3::new(snapped(at.x, STEP_M, snap), at.y, snapped(at.z, STEP_M, snap));
            }
            Handle::Turn => {
                let by = start.measure(self.handle, ray)? - self.from;
                to.position = self.place;
                to.rotation_deg.y = snapped(self.yaw_deg + by.to_degrees(), STEP_DEG, snap);
                to.rotation_deg.y = (to.rotation_deg.y + 180.0).rem_euclid(360.0) - 180.0;
            }
        }
        to.position.is_finite().then_some(to)
    }
}

impl App {
    /// The handles of the selected instance: in edit mode, without a tool.
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
                let from = gizmo.measure(handle, &view.ray_through(px(at), size))?;
                let yaw_deg = self.world.live(id)?.now.yaw_rad.to_degrees();
                Some(Grip { handle, id, place: gizmo.at, yaw_deg, from })
            });
        }
        let Some(grip) = self.grip.clone() else { return false };
        if let Some(at) = viewport.drag {
            self.drag(&grip, &view.ray_through(px(at), size), viewport.command);
        }
        if viewport.release.is_some() || viewport.click.is_some() || (viewport.press.or(viewport.drag)).is_none() {
            self.grip = None;
        }
        true
    }

    fn drag(&mut self, grip: &Grip, ray: &Ray, snap: bool) {
        let Some(instance) = self.scene.instances.get(grip.id) else { return };
        let ground = ground_at(&self.world, ray);
        let Some(to) = grip.moved(instance, ray, ground, snap).filter(|to| *to != **instance) else { return };
        let what = if grip.handle == Handle::Turn { "turn" } else { "move" };
        let name = format!("{what} {}", instance_name(&self.scene, grip.id));
        let edit = Edit::SetInstance { id: grip.id, to };
        self.edit(EditStep { name, edit, merge: Some(MERGE ^ grip.id.to_bits()) });
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

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);

    fn view() -> View {
        View::new(Vec3::new(3.0, 4.0, 8.0), Vec3::new(-3.0, -4.0, -8.0), Lens::Perspective { fov_rad: 1.0 }, 4.0 / 3.0)
    }

    #[test]
    fn every_handle_is_found_where_it_is_drawn() {
        let (view, gizmo) = (view(), Gizmo::new(Vec3::ZERO, &view()));
        let under = |p: Vec3| gizmo.under(&view, view.project(p, SIZE).unwrap(), SIZE, 1.0);
        assert_eq!(under(Vec3::ZERO), Some(Handle::Ground));
        for axis in 0..3 {
            assert_eq!(under(Vec3::AXES[axis] * gizmo.length * 0.95), Some(Handle::Axis(axis)));
        }
        let oblique = Vec3::new(-1.0, 0.0, 1.0).normalize() * gizmo.length * RING;
        assert_eq!(under(oblique), Some(Handle::Turn));
        assert_eq!(under(Vec3::new(5.0, 0.0, 5.0)), None);
    }

    fn grip(handle: Handle, from: Vec3) -> Grip {
        let view = view();
        let ray = view.ray_through(view.project(from, SIZE).unwrap(), SIZE);
        let from = Gizmo::new(Vec3::ZERO, &view).measure(handle, &ray).unwrap();
        let id = crate::ids::Arena::default().insert(());
        Grip { handle, id, place: Vec3::ZERO, yaw_deg: 10.0, from }
    }

    fn dragged(handle: Handle, from: Vec3, to: Vec3, snap: bool) -> SceneInstance {
        let view = view();
        let ray = view.ray_through(view.project(to, SIZE).unwrap(), SIZE);
        grip(handle, from).moved(&SceneInstance::default(), &ray, Some(to), snap).unwrap()
    }

    #[test]
    fn arrows_move_along_their_axis_by_what_the_cursor_goes() {
        let to = dragged(Handle::Axis(0), Vec3::X, Vec3::X * 2.1, false);
        assert!(to.position.abs_diff_eq(Vec3::X * 1.1, 1e-2), "{}", to.position);
        let to = dragged(Handle::Axis(0), Vec3::X, Vec3::X * 2.1, true);
        assert!(to.position.abs_diff_eq(Vec3::X, 1e-4), "by quarters of a metre: {}", to.position);
        let to = dragged(Handle::Axis(1), Vec3::Y * 0.5, Vec3::Y * 1.5, false);
        assert!(to.position.abs_diff_eq(Vec3::Y, 1e-2));
    }

    #[test]
    fn the_middle_follows_the_ground_and_the_ring_turns() {
        let ground = Vec3::new(1.3, 0.4, -2.0);
        assert_eq!(dragged(Handle::Ground, Vec3::ZERO, ground, false).position, ground);
        // From +Z to +X is a quarter turn.
        let to = dragged(Handle::Turn, Vec3::Z, Vec3::X, false);
        assert!((to.rotation_deg.y - 100.0).abs() < 0.5 && to.position == Vec3::ZERO, "{}", to.rotation_deg);
        assert_eq!(dragged(Handle::Turn, Vec3::Z, Vec3::X, true).rotation_deg.y, 105.0);
    }

    #[test]
    fn a_ray_along_an_axis_moves_nothing() {
        let ray = Ray { origin: Vec3::X * 9.0, direction: Vec3::NEG_X };
        assert_eq!(along(Vec3::ZERO, Vec3::X, &ray), None);
        let held = grip(Handle::Axis(0), Vec3::X);
        assert!(held.moved(&SceneInstance::default(), &ray, None, false).is_none());
    }
}
