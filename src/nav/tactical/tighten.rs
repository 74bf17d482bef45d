//! Tightens a path over edge midpoints by the funnel, wherever that makes it neither costlier nor more exposed.
//!
//! The whole path is tried first, then its parts of equal exposure (hidden, partly seen, seen), then halves of those. A
//! part that cannot be tightened keeps its midpoints. A path that no enemy sees is thus as short as the funnel makes it,
//! and no path is more exposed than the one that the search weighed.

use glam::Vec3;

use super::shadow::{Intervals, PlaneDistances};
use super::threats::Threats;
use crate::nav::mesh::{NavMesh, NavPoint, PolyId};
use crate::nav::query::funnel::{Crossings, PathPoint, pull_string};

/// Relative rounding error of sums of single-precision costs.
const ROUNDING: f32 = 1e-5;
/// A leg counts as hidden below this exposure and as seen above one minus it.
const CLASS_MARGIN: f32 = 1e-3;

/// The cost model of lines.
pub(super) struct LineCost<'a, W: Fn(u32) -> (f32, f32)> {
    pub(super) mesh: &'a NavMesh,
    pub(super) threats: Option<&'a Threats>,
    pub(super) bias: f32,
    /// Whether only length counts.
    pub(super) plain: bool,
    /// Whether every metre costs the same and heights do not matter, so that lines are weighed from corner to corner.
    pub(super) by_corners: bool,
    /// Factor on a metre of a polygon, and the fraction of its exposure that counts.
    pub(super) weigh: W,
}

/// Cost and exposure of the leg between two midpoints.
#[derive(Clone, Copy, Debug, Default)]
struct LegCost {
    cost: f32,
    exposed: f32,
    class: u8,
}

/// Tightens one path at a time; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct PathTightener {
    /// Points, accumulated costs and portals, from the end back to the start while nodes are pushed.
    points: Vec<Vec3>,
    costs: Vec<f32>,
    portals: Vec<u32>,
    legs: Vec<LegCost>,
    turns: Vec<PathPoint>,
    from_distances: Vec<PlaneDistances>,
    parts: (Intervals, Intervals),
    open: Vec<(usize, usize, bool)>,
}

impl PathTightener {
    pub(super) fn reset(&mut self) {
        self.points.clear();
        self.costs.clear();
        self.portals.clear();
        self.legs.clear();
    }

    /// Adds a node of the path, the end first.
    pub(super) fn push(&mut self, point: Vec3, cost: f32, portal: Option<u32>) {
        self.points.push(point);
        self.costs.push(cost);
        self.portals.extend(portal);
    }

    /// Appends the tightened line and the polygons of the path.
    pub(super) fn tighten<W: Fn(u32) -> (f32, f32)>(
        &mut self,
        cost: &LineCost<W>,
        start: NavPoint,
        end: NavPoint,
        (points, polygons): (&mut Vec<Vec3>, &mut Vec<PolyId>),
    ) {
        self.points.push(start.point);
        self.points.reverse();
        self.costs.push(0.0);
        self.costs.reverse();
        self.portals.reverse();
        let portals = cost.mesh.portals();
        polygons.extend(self.portals.iter().map(|&p| PolyId(portals.portal(p).polygon)));
        polygons.push(end.polygon);
        points.push(start.point);
        let count = polygons.len();
        if cost.plain {
            self.funnel(cost, (0, count), polygons);
            points.extend(self.turns[1..].iter().map(|t| t.point));
            return;
        }
        self.measure(cost, polygons);
        self.open.clear();
        self.open.push((0, count, true));
        while let Some((from, to, whole)) = self.open.pop() {
            if to - from == 1 {
                points.push(self.points[to]);
            } else if self.improves(cost, (from, to), polygons) {
                points.extend(self.turns[1..].iter().map(|t| t.point));
            } else if whole && self.legs[from..to].iter().any(|l| l.class != self.legs[from].class) {
                let mut last = to;
                for at in (from + 1..to).rev() {
                    if self.legs[at].class != self.legs[at - 1].class {
                        self.open.push((at, last, false));
                        last = at;
                    }
                }
                self.open.push((from, last, false));
            } else {
                let middle = from.midpoint(to);
                self.open.push((middle, to, false));
                self.open.push((from, middle, false));
            }
        }
    }

    /// Computes cost and exposure of the legs between the midpoints.
    fn measure<W: Fn(u32) -> (f32, f32)>(&mut self, cost: &LineCost<W>, polygons: &[PolyId]) {
        for (i, polygon) in polygons.iter().enumerate() {
            let length = self.points[i].distance(self.points[i + 1]);
            let own = self.costs[i + 1] - self.costs[i];
            let (factor, visible) = (cost.weigh)(polygon.0);
            // cost = length · factor · (1 + bias · exposure)
            let weighed = cost.bias * length * factor;
            let share = if weighed > 0.0 { ((own - length * factor) / weighed).clamp(0.0, 1.0) } else { 0.0 };
            let class = if share < CLASS_MARGIN {
                0
            } else if share > visible - CLASS_MARGIN {
                2
            } else {
                1
            };
            self.legs.push(LegCost { cost: own, exposed: share * length, class });
        }
    }

    /// Runs the funnel between two points of the path.
    fn funnel<W: Fn(u32) -> (f32, f32)>(
        &mut self,
        cost: &LineCost<W>,
        (from, to): (usize, usize),
        polygons: &[PolyId],
    ) {
        let crossings = if cost.by_corners { Crossings::None } else { Crossings::All };
        let part = (&polygons[from..to], &self.portals[from..to - 1]);
        pull_string(cost.mesh, part, [self.points[from], self.points[to]], crossings, &mut self.turns);
    }

    /// Runs the funnel between two points; whether its line is neither costlier nor more exposed than the legs.
    fn improves<W: Fn(u32) -> (f32, f32)>(
        &mut self,
        cost: &LineCost<W>,
        (from, to): (usize, usize),
        polygons: &[PolyId],
    ) -> bool {
        let (most, most_exposed) =
            self.legs[from..to].iter().fold((0.0, 0.0), |sum, l| (sum.0 + l.cost, sum.1 + l.exposed));
        let slack = ROUNDING * self.costs[to];
        self.funnel(cost, (from, to), polygons);
        // Where most of the legs is seen, a shorter line passes even if all of it were seen: no exposure query needed.
        let (mut sum, mut exposed) = (0.0, 0.0);
        for pair in self.turns.windows(2) {
            let length = pair[0].point.distance(pair[1].point);
            let (factor, visible) = (cost.weigh)(pair[0].polygon);
            sum += length * factor * (1.0 + cost.bias * visible);
            exposed += length * visible;
        }
        if sum <= most + slack && exposed <= most_exposed + slack {
            return true;
        }
        (sum, exposed) = (0.0, 0.0);
        for pair in self.turns.windows(2) {
            let length = pair[0].point.distance(pair[1].point);
            let (factor, visible) = (cost.weigh)(pair[0].polygon);
            let mut share = 0.0;
            if let Some(threats) = cost.threats.filter(|_| visible > 0.0) {
                self.from_distances.clear();
                threats.plane_distances(pair[0].point, &mut self.from_distances);
                share = threats.exposure_from(&self.from_distances, pair[1].point, &mut self.parts) * visible;
            }
            sum += length * factor * (1.0 + cost.bias * share);
            exposed += length * share;
            if sum > most + slack || exposed > most_exposed + slack {
                return false;
            }
        }
        true
    }
}
