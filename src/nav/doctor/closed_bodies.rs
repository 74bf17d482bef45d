//! Closed bodies of a level, as walls, slabs and furniture are, and which way they face.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use super::limits::AgentLimits;
use super::welded::{Welded, is_whole};
use crate::math::triangle;

/// Corners that differ by no more in height lie in one plane, metres.
const LEVEL: f32 = 2e-3;
/// Least volume of a body, as a part of what its surface would hold as a cube.
const MIN_VOLUME: f64 = 1e-4;
/// How many of the bodies must face inwards, by number and by area, for a level that is inside out.
const MOSTLY: f64 = 0.9;
/// Fewest bodies that tell.
const FEWEST: usize = 2;

/// Bodies that no agent fits into: their faces are seen from outside, or never.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SmallBodies {
    /// How many face inwards.
    pub inward: usize,
    /// How many there are.
    pub all: usize,
    inward_area: f64,
    area: f64,
}

/// What triangles joined by edges are.
#[derive(Clone, Copy)]
struct JoinedTriangles {
    low: Vec3,
    high: Vec3,
    /// Cubic metres, less than nothing where they face inwards.
    volume: f64,
    area: f64,
    /// Whether edges without a second triangle lie at the lowest height, at the highest, and between.
    open: [bool; 3],
}

impl JoinedTriangles {
    const NONE: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY, volume: 0.0, area: 0.0, open: [false; 3] };

    fn center(&self) -> DVec3 {
        (self.low.as_dvec3() + self.high.as_dvec3()) * 0.5
    }

    /// Whether they enclose a volume, but for the face that a body stands on: a column may lack its upper one as well, while a basin
    /// is none.
    fn is_body(&self) -> bool {
        let [foot, top, between] = self.open;
        let cube = (self.area / 6.0).powf(1.5);
        !between && (foot || !top) && self.volume.abs() > MIN_VOLUME * cube
    }

    /// Whether an agent does not fit into it, upright and with its width.
    fn is_small(&self, limits: &AgentLimits) -> bool {
        let thickness = 2.0 * self.volume.abs() / self.area;
        self.high.y - self.low.y < limits.height || thickness < f64::from(2.0 * limits.radius)
    }
}

impl SmallBodies {
    pub fn of(welded: &Welded<'_>, limits: &AgentLimits) -> Self {
        let mut bodies = Self::default();
        for body in joined_triangles(welded).values().filter(|body| body.is_body() && body.is_small(limits)) {
            bodies.all += 1;
            bodies.area += body.area;
            if body.volume < 0.0 {
                bodies.inward += 1;
                bodies.inward_area += body.area;
            }
        }
        bodies
    }

    /// Whether next to all of them face inwards.
    pub fn are_inside_out(&self) -> bool {
        self.inward >= FEWEST
            && self.inward as f64 >= MOSTLY * self.all as f64
            && self.inward_area >= MOSTLY * self.area
    }
}

/// What hangs together by edges.
fn joined_triangles(welded: &Welded<'_>) -> BTreeMap<usize, JoinedTriangles> {
    let roots = welded.components();
    let mut joined: BTreeMap<usize, JoinedTriangles> = BTreeMap::new();
    let whole = || welded.triangles.iter().enumerate().filter(|(i, _)| is_whole(&welded.corners[*i]));
    for (i, t) in whole() {
        let own = joined.entry(roots[i]).or_insert(JoinedTriangles::NONE);
        (own.low, own.high) = t.iter().fold((own.low, own.high), |(low, high), &p| (low.min(p), high.max(p)));
    }
    for (i, t) in whole() {
        let Some(own) = joined.get_mut(&roots[i]) else { continue };
        let [a, b, c] = t.map(|p| p.as_dvec3() - own.center());
        own.volume += a.dot(b.cross(c)) / 6.0;
        own.area += f64::from(triangle::area(t));
    }
    for (ends, users) in &welded.edges {
        let forward = users.iter().filter(|user| user.is_forward).count();
        if 2 * forward == users.len() {
            continue;
        }
        let Some(own) = joined.get_mut(&roots[users[0].triangle as usize]) else { continue };
        let heights = ends.map(|corner| welded.places[corner as usize].y);
        let all_at = |y: f32| heights.iter().all(|height| (height - y).abs() <= LEVEL);
        let side = if all_at(own.low.y) {
            0
        } else if all_at(own.high.y) {
            1
        } else {
            2
        };
        own.open[side] = true;
    }
    joined
}
