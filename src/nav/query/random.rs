//! Random points on the surface, uniform by area in plan view.
//!
//! The random numbers are a function that returns numbers from 0 to below 1: equal numbers give equal points.

use glam::{DVec2, Vec3};

use super::surface::Surface;
use crate::math::plan::{self, to_plan_f64};
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};

/// Corners of the polygon that stands for a circle; it lies inside and lacks 0.04 % of the area.
const CIRCLE: u32 = 128;

/// A random point of the whole mesh; `None` when no polygon passes.
pub fn random_point(mesh: &NavMesh, filter: &Filter, chance: &mut impl FnMut() -> f32) -> Option<NavPoint> {
    let mut reservoir = Reservoir::default();
    let mut shape = Vec::new();
    for id in (0..mesh.len() as u32).map(PolyId).filter(|&p| filter.passes(mesh.polygon(p))) {
        outline(mesh, id, &mut shape);
        reservoir.offer(id, &shape, chance);
    }
    reservoir.place(mesh, chance)
}

/// A random point within `radius` metres (which may be infinite) of a point, on ground that can be reached inside of the
/// circle. The point itself when the circle holds no area.
pub fn random_around(
    mesh: &NavMesh,
    surface: &mut Surface,
    place: NavPoint,
    radius: f32,
    filter: &Filter,
    chance: &mut impl FnMut() -> f32,
) -> NavPoint {
    let (mut near, mut shape, mut spare) = (Vec::new(), Vec::new(), Vec::new());
    let (center, mut reservoir) = (to_plan_f64(place.point), Reservoir::default());
    // A finite radius has a rim.
    let radius = radius.clamp(0.0, f32::MAX);
    let rim = |i: u32| {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / f64::from(CIRCLE)).sin_cos();
        center + DVec2::new(cos, sin) * f64::from(radius)
    };
    // Lines between equal points would cut off nothing.
    if !(rim(0).distance_squared(rim(1)) > 0.0) {
        return place;
    }
    surface.polygons_around(mesh, place, radius, filter, &mut near);
    for id in near {
        outline(mesh, id, &mut shape);
        for i in 0..CIRCLE {
            clip(&mut shape, &mut spare, rim(i), rim(i + 1));
        }
        reservoir.offer(id, &shape, chance);
    }
    reservoir.place(mesh, chance).unwrap_or(place)
}

fn outline(mesh: &NavMesh, id: PolyId, shape: &mut Vec<DVec2>) {
    shape.clear();
    shape.extend(mesh.corners(id).map(to_plan_f64));
}

/// Cuts off what lies on the negative side of the line from `a` to `b`.
fn clip(shape: &mut Vec<DVec2>, spare: &mut Vec<DVec2>, a: DVec2, b: DVec2) {
    let side = |p: DVec2| plan::cross(a, b, p);
    if shape.iter().all(|&p| side(p) >= 0.0) {
        return;
    }
    spare.clear();
    plan::clip_convex(shape, side, |p| spare.push(p));
    std::mem::swap(shape, spare);
}

/// Weighted reservoir sampling: chooses one of a sequence of shapes, with a probability proportional to area.
#[derive(Default)]
struct Reservoir {
    area: f64,
    polygon: Option<PolyId>,
    shape: Vec<DVec2>,
}

impl Reservoir {
    fn offer(&mut self, id: PolyId, shape: &[DVec2], chance: &mut impl FnMut() -> f32) {
        let area = plan::area(shape);
        if !(area > 0.0) {
            return;
        }
        self.area += area;
        if f64::from(chance()) * self.area < area {
            self.polygon = Some(id);
            self.shape.clear();
            self.shape.extend_from_slice(shape);
        }
    }

    fn place(&self, mesh: &NavMesh, chance: &mut impl FnMut() -> f32) -> Option<NavPoint> {
        let polygon = self.polygon?;
        let total = fan(&self.shape).map(|t| t.0).sum::<f64>();
        let mut rest = f64::from(chance()) * total;
        let mut chosen = None;
        for (area, corners) in fan(&self.shape) {
            chosen = Some(corners);
            rest -= area;
            if rest < 0.0 {
                break;
            }
        }
        let [a, b, c] = chosen?;
        let (root, along) = (f64::from(chance()).sqrt(), f64::from(chance()));
        let at = a + (b - a) * (root * (1.0 - along)) + (c - a) * (root * along);
        let point = Vec3::new(at.x as f32, 0.0, at.y as f32);
        Some(NavPoint::new(polygon, Vec3 { y: mesh.height_at(polygon, point), ..point }))
    }
}

/// The triangles of a convex shape with their areas.
fn fan(shape: &[DVec2]) -> impl Iterator<Item = (f64, [DVec2; 3])> + '_ {
    shape.windows(2).skip(1).map(|w| {
        let (a, b, c) = (shape[0], w[0], w[1]);
        (plan::cross(a, b, c).max(0.0) * 0.5, [a, b, c])
    })
}
