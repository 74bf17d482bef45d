//! Polygons that lie upon each other.

use glam::{DVec2, DVec3};

use super::finding::{FaultKind, Finding, LargestFaults};
use super::limits::AgentLimits;
use super::mesh_shape::{corners_of, middle};
use super::watch::{DoctorError, DoctorWatch};
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan::{self, PlanPoint, to_plan};
use crate::nav::mesh::RawMesh;
use crate::nav::rect_grid::{Rect, RectGrid};

/// Smallest area of an overlap, square metres.
const MIN_AREA: f64 = 1e-3;
/// Most overlaps of a polygon with later ones that are looked for.
const MAX_OF_ONE: usize = 64;
/// Smallest part of the smaller polygon that is covered.
const MIN_PART: f64 = 0.01;

/// The overlaps of a mesh, and its polygons in sets of those that lie upon each other.
pub(super) fn examine(
    mesh: &RawMesh,
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<(Vec<Finding>, DisjointSets), DoctorError> {
    let outlines: Vec<Outlined> = (0..mesh.polygons.len()).filter_map(|i| Outlined::new(mesh, i)).collect();
    let origin = outlines.first().map_or(DVec3::ZERO, |o| o.corners[0]);
    let local = |p: &DVec3| to_plan((*p - origin).as_vec3());
    let rects: Vec<Rect> = outlines.iter().map(|o| Rect::around(o.corners.iter().map(local))).collect();
    let grid = RectGrid::build(&rects);
    let climb = f64::from(limits.climb);
    let mut joined = DisjointSets::new(mesh.polygons.len());
    let (mut found, mut clip) = (LargestFaults::new(), OverlapClip::default());
    for (i, a) in outlines.iter().enumerate() {
        watch.check()?;
        let mut of_one = 0;
        grid.for_each_meeting(&rects, &rects[i], |j| {
            let b = &outlines[j as usize];
            if j as usize > i
                && of_one < MAX_OF_ONE
                && a.is_within(b, climb)
                && let Some(area) = clip.overlap(a, b, climb)
            {
                of_one += 1;
                joined.join(a.polygon, b.polygon);
                found.push(area.sqrt(), [i, j as usize]);
            }
        });
    }
    let findings = found.findings(|[i, j]| OverlapClip::finding(&outlines[i], &outlines[j]));
    Ok((findings, joined))
}

/// A polygon with its corners counter-clockwise as seen from above.
struct Outlined {
    polygon: usize,
    corners: Vec<DVec3>,
    area: f64,
    /// Lowest and highest corner.
    heights: [f64; 2],
}

impl Outlined {
    fn new(mesh: &RawMesh, polygon: usize) -> Option<Self> {
        let mut corners = corners_of(mesh, polygon);
        let area = plan::area(&corners);
        if area < 0.0 {
            corners.reverse();
        }
        let low = corners.iter().map(|c| c.y).fold(f64::INFINITY, f64::min);
        let high = corners.iter().map(|c| c.y).fold(f64::NEG_INFINITY, f64::max);
        (corners.iter().all(|c| c.is_finite()) && area.abs() > 1e-9).then_some(Self {
            polygon,
            corners,
            area: area.abs(),
            heights: [low, high],
        })
    }

    /// Whether the ranges of heights are no further apart than that.
    fn is_within(&self, other: &Self, apart: f64) -> bool {
        self.heights[0] - other.heights[1] < apart && other.heights[0] - self.heights[1] < apart
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

/// Where two polygons lie upon each other, seen from above.
#[derive(Default)]
struct OverlapClip {
    part: Vec<DVec2>,
    next: Vec<DVec2>,
}

impl OverlapClip {
    /// Cuts one polygon with the other.
    fn cut(&mut self, a: &Outlined, b: &Outlined) {
        self.part.clear();
        self.part.extend(a.corners.iter().map(|c| c.plan()));
        for (k, &p) in b.corners.iter().enumerate() {
            let q = b.corners[(k + 1) % b.corners.len()];
            self.next.clear();
            let next = &mut self.next;
            plan::clip_convex(&self.part, |c: DVec2| plan::cross(p.plan(), q.plan(), c), |c| next.push(c));
            std::mem::swap(&mut self.part, &mut self.next);
            if self.part.len() < 3 {
                self.part.clear();
                return;
            }
        }
    }

    /// How far apart in height the polygons are at the middle of what they share, metres.
    fn apart(&self, a: &Outlined, b: &Outlined) -> f64 {
        let place = self.part.iter().sum::<DVec2>() / self.part.len().max(1) as f64;
        (a.height(place) - b.height(place)).abs()
    }

    /// The area over which they lie upon each other, square metres; `None` where that is nearly nothing, or where there
    /// is a step between.
    fn overlap(&mut self, a: &Outlined, b: &Outlined, climb: f64) -> Option<f64> {
        self.cut(a, b);
        let area = plan::area(&self.part).abs();
        let is_large = area >= MIN_AREA && area >= MIN_PART * a.area.min(b.area);
        (is_large && self.apart(a, b) < climb).then_some(area)
    }

    fn finding(a: &Outlined, b: &Outlined) -> Finding {
        let mut own = Self::default();
        own.cut(a, b);
        let (area, apart) = (plan::area(&own.part).abs(), own.apart(a, b));
        let outline: Vec<DVec3> = own.part.iter().map(|&at| DVec3::new(at.x, a.height(at), at.y)).collect();
        let cause = format!(
            "Polygons {} and {} lie upon each other over {area:.2} m², {apart:.2} m apart in height.",
            a.polygon, b.polygon
        );
        let remedy = "Cut one of them back to the edge of the other, or bake the level again.".into();
        Finding::new(FaultKind::Overlap, middle(&outline), area.sqrt(), [cause, remedy]).around(&outline)
    }
}
