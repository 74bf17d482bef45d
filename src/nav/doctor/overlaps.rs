//! Polygons that lie upon each other.

use glam::{DVec2, DVec3};

use super::finding::{FaultKind, Finding};
use super::limits::AgentLimits;
use super::mesh_shape::{corners_of, middle};
use super::watch::{DoctorError, DoctorWatch};
use crate::math::plan::{self, PlanPoint, to_plan};
use crate::nav::mesh::RawMesh;
use crate::nav::rect_grid::{Rect, RectGrid};

/// Smallest area of an overlap, square metres.
const MIN_AREA: f64 = 1e-3;
/// Smallest part of the smaller polygon that is covered.
const MIN_PART: f64 = 0.01;

/// The overlaps of a mesh.
pub(super) fn examine(
    mesh: &RawMesh,
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<Vec<Finding>, DoctorError> {
    let outlines: Vec<Outlined> = (0..mesh.polygons.len()).filter_map(|i| Outlined::new(mesh, i)).collect();
    let origin = outlines.first().map_or(DVec3::ZERO, |o| o.corners[0]);
    let local = |p: &DVec3| to_plan((*p - origin).as_vec3());
    let rects: Vec<Rect> = outlines.iter().map(|o| Rect::around(o.corners.iter().map(local))).collect();
    let grid = RectGrid::build(&rects);
    let (mut findings, mut near) = (Vec::new(), Vec::new());
    for (i, a) in outlines.iter().enumerate() {
        watch.check()?;
        grid.near_after(&rects, i, &mut near);
        for &j in near.iter().filter(|&&j| rects[j].intersects(&rects[i])) {
            findings.extend(overlap(a, &outlines[j], f64::from(limits.climb)));
        }
    }
    Ok(findings)
}

/// A polygon with its corners counter-clockwise as seen from above.
struct Outlined {
    polygon: usize,
    corners: Vec<DVec3>,
    area: f64,
}

impl Outlined {
    fn new(mesh: &RawMesh, polygon: usize) -> Option<Self> {
        let mut corners = corners_of(mesh, polygon);
        let area = plan::area(&corners);
        if area < 0.0 {
            corners.reverse();
        }
        (corners.iter().all(|c| c.is_finite()) && area.abs() > 1e-9).then_some(Self {
            polygon,
            corners,
            area: area.abs(),
        })
    }

    /// Height over a place inside, on the fan of the corners.
    fn height(&self, at: DVec2) -> f64 {
        let corners = &self.corners;
        let first = corners[0];
        let fan = corners[1..].windows(2).map(|w| [first, w[0], w[1]]);
        let mut best = (f64::NEG_INFINITY, first.y);
        for [a, b, c] in fan {
            let twice = plan::cross(a, b, c);
            let sides = [(b, c), (c, a), (a, b)].map(|(p, q)| plan::cross(p.plan(), q.plan(), at) / twice);
            let inside = sides.iter().copied().fold(f64::INFINITY, f64::min);
            if inside > best.0 {
                best = (inside, a.y * sides[0] + b.y * sides[1] + c.y * sides[2]);
            }
        }
        best.1
    }
}

fn overlap(a: &Outlined, b: &Outlined, climb: f64) -> Option<Finding> {
    let mut part: Vec<DVec2> = a.corners.iter().map(|c| c.plan()).collect();
    let mut next = Vec::new();
    for (k, &p) in b.corners.iter().enumerate() {
        let q = b.corners[(k + 1) % b.corners.len()];
        next.clear();
        plan::clip_convex(&part, |c: DVec2| plan::cross(p.plan(), q.plan(), c), |c| next.push(c));
        std::mem::swap(&mut part, &mut next);
        if part.len() < 3 {
            return None;
        }
    }
    let area = plan::area(&part).abs();
    if area < MIN_AREA || area < MIN_PART * a.area.min(b.area) {
        return None;
    }
    let raised = |at: DVec2| DVec3::new(at.x, a.height(at), at.y);
    let outline: Vec<DVec3> = part.iter().map(|&at| raised(at)).collect();
    let place = middle(&outline);
    let apart = (a.height(place.plan()) - b.height(place.plan())).abs();
    (apart < climb).then(|| {
        let pair = format!("Polygons {} and {}", a.polygon, b.polygon);
        let cause = format!("{pair} lie upon each other over {area:.2} m², {apart:.2} m apart in height.");
        let remedy = "Cut one of them back to the edge of the other, or bake the level again.".into();
        Finding::new(FaultKind::Overlap, place, area.sqrt(), [cause, remedy]).around(&outline)
    })
}
