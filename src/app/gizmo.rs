//! Handles on what is selected: arrows move it along an axis, squares within a plane, the white diamond across the line of
//! sight, the middle slides it over the ground, the rings turn it about an axis each, the knob above the upward arrow
//! scales it. This is where they are and how they look; `gizmo_drag` drags them.

use crate::camera::View;
use crate::debug::{DebugDraw, Depth, Layer, shapes};
use crate::math::plan;
use crate::math::{Aabb, Ray};
use glam::{Vec2, Vec3};
use std::f32::consts::TAU;

/// Handles are seen through whatever they lie in: people have to reach them.
pub const DEPTH: (Layer, Depth) = (Layer::Handles, Depth::OnTop);

/// Length of an arrow as a share of its distance from the eye.
const LENGTH: f32 = 0.14;
/// Radius of the ring about the up axis, of those about the others, and of the middle, as shares of an arrow.
const RING: f32 = 0.75;
const TILT_RING: f32 = 0.66;
const MIDDLE: f32 = 0.16;
/// How near to a handle the cursor has to be, pixels at scale 1.
const REACH_PX: f32 = 8.0;
/// Corners of a ring.
const SEGMENTS: usize = 48;
/// How much of the far half of the rings that tilt is seen.
const FAR_ALPHA: f32 = 0.25;
/// Height of the handle that scales, and half its size, as shares of an arrow.
const TOP: f32 = 1.3;
const KNOB: f32 = 0.07;
/// From where to where the squares reach along both axes, and how far out the free handle lies, as shares of an arrow.
const SQUARE: [f32; 2] = [0.34, 0.54];
const CORNER: f32 = 0.42;

const COLORS: [[f32; 4]; 3] = [[0.85, 0.08, 0.06, 1.0], [0.12, 0.65, 0.08, 1.0], [0.05, 0.22, 0.9, 1.0]];
const TURN_COLOR: [f32; 4] = [0.9, 0.65, 0.05, 1.0];
const FREE_COLOR: [f32; 4] = [0.85, 0.85, 0.85, 1.0];
const HOVERED: [f32; 4] = [1.0, 0.9, 0.35, 1.0];

/// A part that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// Moves along x, y or z.
    Axis(usize),
    /// Moves within the plane across x, y or z.
    Plane(usize),
    /// Moves across the line of sight.
    Free,
    /// Slides over the ground.
    Ground,
    /// Turns about x, y or z.
    Turn(usize),
    /// Makes larger or smaller.
    Scale,
}

/// The handles of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gizmo {
    pub(super) at: Vec3,
    /// Unit axes of the arrows, in world space.
    pub(super) axes: [Vec3; 3],
    /// Unit direction of the view.
    look: Vec3,
    length: f32,
}

impl Gizmo {
    /// Handles around a place, of the same size in every picture, along these axes.
    pub fn new(at: Vec3, axes: [Vec3; 3], view: &View) -> Self {
        let length = (at.distance(view.position) * LENGTH).clamp(0.05, 1e4);
        Self { at, axes, look: view.direction, length }
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
        if px(self.knob()).is_some_and(|knob| knob.distance(point_px) <= reach * 1.2) {
            return Some(Handle::Scale);
        }
        if px(self.corner()).is_some_and(|corner| corner.distance(point_px) <= reach) {
            return Some(Handle::Free);
        }
        let mut best: Option<(f32, Handle)> = None;
        let mut keep = |off: f32, handle: Handle| {
            if off <= reach && best.is_none_or(|b| off < b.0) {
                best = Some((off, handle));
            }
        };
        for axis in 0..3 {
            if let Some(tip) = px(self.at + self.axes[axis] * self.length) {
                keep(distance_to_segment(point_px, middle, tip), Handle::Axis(axis));
            }
        }
        // The up axis first: it wins where rings cross.
        for axis in [1, 0, 2] {
            let rim = self.rim(axis);
            for (i, from) in rim.iter().enumerate().filter(|(_, at)| axis == 1 || self.is_near(**at)) {
                if let (Some(a), Some(b)) = (px(*from), px(rim[(i + 1) % SEGMENTS])) {
                    keep(distance_to_segment(point_px, a, b), Handle::Turn(axis));
                }
            }
        }
        let square = |axis: &usize| {
            let corners = self.square(*axis).map(px);
            corners.iter().all(Option::is_some) && is_inside(point_px, corners.map(Option::unwrap_or_default))
        };
        // The rings run behind the squares.
        let best = best.map(|b| b.1);
        let covered = best.is_none_or(|handle| matches!(handle, Handle::Turn(_)));
        (0..3).find(|axis| covered && square(axis)).map(Handle::Plane).or(best)
    }

    /// Corners of the ring about an axis, in order around it.
    fn rim(&self, axis: usize) -> [Vec3; SEGMENTS] {
        let radius = self.length * if axis == 1 { RING } else { TILT_RING };
        let (u, v) = (self.axes[(axis + 1) % 3] * radius, self.axes[(axis + 2) % 3] * radius);
        std::array::from_fn(|i| {
            let (sin, cos) = (i as f32 / SEGMENTS as f32 * TAU).sin_cos();
            self.at + u * cos + v * sin
        })
    }

    /// Whether a place of a ring lies on the half before the middle.
    fn is_near(&self, at: Vec3) -> bool {
        (at - self.at).dot(self.look) <= self.length * 0.02
    }

    /// Corners of the square across an axis, in order around it.
    fn square(&self, axis: usize) -> [Vec3; 4] {
        let (u, v) = (self.axes[(axis + 1) % 3] * self.length, self.axes[(axis + 2) % 3] * self.length);
        let [near, far] = SQUARE;
        [(near, near), (far, near), (far, far), (near, far)].map(|(a, b)| self.at + u * a + v * b)
    }

    /// Where the handle lies that moves freely.
    fn corner(&self) -> Vec3 {
        self.at + self.axes.iter().sum::<Vec3>() * (self.length * CORNER)
    }

    fn knob(&self) -> Vec3 {
        self.at + Vec3::Y * (self.length * TOP)
    }

    /// Where a ray meets the plane in which a handle moves; the middle for those that move in none.
    pub(super) fn meets(&self, handle: Handle, ray: &Ray) -> Option<Vec3> {
        let normal = match handle {
            Handle::Plane(axis) => self.axes[axis],
            Handle::Free => self.look,
            _ => return Some(self.at),
        };
        let slant = normal.dot(ray.direction);
        let t = normal.dot(self.at - ray.origin) / slant;
        let steep = slant.abs() > 1e-3 * ray.direction.length();
        (steep && t > 0.0).then(|| ray.at(t)).filter(|at| at.is_finite())
    }

    /// Where along its axis, or at which angle, a ray meets a handle.
    pub(super) fn measure(&self, handle: Handle, ray: &Ray) -> Option<f32> {
        match handle {
            Handle::Axis(axis) => along(self.at, self.axes[axis], ray),
            Handle::Ground | Handle::Plane(_) | Handle::Free => Some(0.0),
            Handle::Scale => along(self.at, Vec3::Y, ray),
            Handle::Turn(axis) => {
                let slant = self.axes[axis].dot(ray.direction);
                let t = self.axes[axis].dot(self.at - ray.origin) / slant;
                let off = ray.at(t) - self.at;
                let [u, v] = [1, 2].map(|k| off.dot(self.axes[(axis + k) % 3]));
                (slant.abs() > 1e-4 && t > 0.0 && off.is_finite()).then(|| v.atan2(u))
            }
        }
    }

    /// Adds the handles to the debug geometry of a frame.
    pub(super) fn draw(&self, hovered: Option<Handle>, debug: &mut DebugDraw) {
        let mut mark = DebugDraw::wanting([Layer::Handles]);
        let color = |handle: Handle, usual| if hovered == Some(handle) { HOVERED } else { usual };
        for (axis, usual) in COLORS.into_iter().enumerate() {
            let tip = self.at + self.axes[axis] * self.length;
            let [r, g, b, _] = color(Handle::Plane(axis), usual);
            shapes::quad(&mut mark, Layer::Handles, self.square(axis), [r, g, b, 0.55]);
            shapes::arrow(&mut mark, Layer::Handles, self.at, tip, color(Handle::Axis(axis), usual));
        }
        let free = color(Handle::Free, FREE_COLOR);
        diamond(&mut mark, self.corner(), self.length * KNOB, free);
        for (axis, usual) in [COLORS[0], TURN_COLOR, COLORS[2]].into_iter().enumerate() {
            let [r, g, b, _] = color(Handle::Turn(axis), usual);
            let rim = self.rim(axis);
            for (i, from) in rim.into_iter().enumerate() {
                let alpha = if axis == 1 || self.is_near(from) { 1.0 } else { FAR_ALPHA };
                mark.line(Layer::Handles, from, rim[(i + 1) % SEGMENTS], [r, g, b, alpha]);
            }
        }
        let [r, g, b, _] = color(Handle::Ground, TURN_COLOR);
        shapes::disc(&mut mark, Layer::Handles, self.at, self.length * MIDDLE, 20, [r, g, b, 0.6]);
        let knob = Aabb::new(self.knob(), self.knob()).expanded(Vec3::splat(self.length * KNOB));
        let [r, g, b, _] = color(Handle::Scale, TURN_COLOR);
        shapes::aabb(&mut mark, Layer::Handles, &knob, [r, g, b, 1.0]);
        // Nothing hides them, so that those behind have to come first.
        let depth = |points: &[Vec3; 3]| points.iter().sum::<Vec3>().dot(self.look);
        mark.triangles.sort_by(|a, b| depth(&b.points).total_cmp(&depth(&a.points)));
        debug.lines.append(&mut mark.lines);
        debug.triangles.append(&mut mark.triangles);
    }
}

/// A filled octahedron.
fn diamond(mark: &mut DebugDraw, at: Vec3, r: f32, color: [f32; 4]) {
    for corner in 0..8_u32 {
        let sign = |bit: u32| if corner & bit == 0 { r } else { -r };
        let tips = [Vec3::X * sign(1), Vec3::Y * sign(2), Vec3::Z * sign(4)].map(|off| at + off);
        let shade = if corner & 2 == 0 { 1.0 } else { 0.6 };
        mark.triangle(Layer::Handles, tips, [color[0] * shade, color[1] * shade, color[2] * shade, color[3]]);
    }
}

/// Whether a point lies inside a convex polygon of the picture, whichever way round its corners go.
fn is_inside(p: Vec2, corners: [Vec2; 4]) -> bool {
    let sides: [f32; 4] = std::array::from_fn(|i| (corners[(i + 1) % 4] - corners[i]).perp_dot(p - corners[i]));
    sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0)
}

fn distance_to_segment(p: Vec2, a: Vec2, b: Vec2) -> f32 {
    p.distance(plan::closest_on_segment(a, b, p))
}

/// How far along the line through `at` the point lies that is nearest to a ray; `None` for a ray along the line.
pub(super) fn along(at: Vec3, axis: Vec3, ray: &Ray) -> Option<f32> {
    let (d, w) = (ray.direction.try_normalize()?, at - ray.origin);
    let b = axis.dot(d);
    let slant = 1.0 - b * b;
    let t = (b * d.dot(w) - axis.dot(w)) / slant;
    (slant > 1e-3 && t.is_finite()).then_some(t)
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
        let (view, gizmo) = (view(), Gizmo::new(Vec3::ZERO, Vec3::AXES, &view()));
        let under = |p: Vec3| gizmo.under(&view, view.project(p, SIZE).unwrap(), SIZE, 1.0);
        assert_eq!(under(Vec3::ZERO), Some(Handle::Ground));
        for axis in 0..3 {
            assert_eq!(under(Vec3::AXES[axis] * gizmo.length * 0.95), Some(Handle::Axis(axis)));
        }
        for axis in 0..3 {
            let square = gizmo.square(axis);
            assert_eq!(under((square[0] + square[2]) * 0.5), Some(Handle::Plane(axis)));
        }
        assert_eq!(under(gizmo.corner()), Some(Handle::Free));
        assert_eq!(under(gizmo.knob()), Some(Handle::Scale));
        let oblique = Vec3::new(-1.0, 0.0, 1.0).normalize() * gizmo.length * RING;
        assert_eq!(under(oblique), Some(Handle::Turn(1)));
        let on_ring = |at: Vec3| under(at.normalize() * gizmo.length * TILT_RING);
        assert_eq!(on_ring(Vec3::new(0.0, -1.0, 1.0)), Some(Handle::Turn(0)));
        assert_eq!(on_ring(Vec3::new(-1.0, 1.0, 0.0)), Some(Handle::Turn(2)));
        for (axis, far) in [(0, Vec3::new(0.0, -4.0, -8.0)), (2, Vec3::new(-3.0, -4.0, 0.0))] {
            assert_ne!(on_ring(far), Some(Handle::Turn(axis)), "the far half is only to be seen");
        }
        assert_eq!(under(Vec3::new(5.0, 0.0, 5.0)), None);
    }
}
