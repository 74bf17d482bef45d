//! Pulls a way over middles of edges tight, as far as that makes it neither dearer nor more exposed.
//!
//! First the whole way is tried, then its stretches of equal exposure (hidden, seen in part, seen), then halves of
//! those. A stretch that cannot be pulled keeps its middles. So a way that nobody sees comes out as short as a funnel
//! makes it, and no way is more exposed than the one that the search weighed.

use glam::Vec3;

use super::threats::Threats;
use super::wedge::{Intervals, Sides};
use crate::nav::mesh::{NavMesh, NavPoint, PolyId};
use crate::nav::query::funnel::{Crossings, PathPoint, pull_string};

/// Rounding of sums of single-precision costs, as a share of them.
const ROUNDING: f32 = 1e-5;
/// A leg counts as hidden below this exposure, as seen above one minus it.
const CLEAR: f32 = 1e-3;

/// What lines cost.
pub(super) struct LineCost<'a, W: Fn(u32) -> (f32, f32)> {
    pub(super) mesh: &'a NavMesh,
    pub(super) threats: Option<&'a Threats>,
    pub(super) bias: f32,
    /// Nothing weighs but length.
    pub(super) plain: bool,
    /// Every metre weighs alike and heights do not count: lines are judged from corner to corner.
    pub(super) by_corners: bool,
    /// Factor on a metre of a polygon, and on the sight of it.
    pub(super) weigh: W,
}

/// One leg between two middles.
#[derive(Clone, Copy, Debug, Default)]
struct Leg {
    cost: f32,
    exposed: f32,
    class: u8,
}

/// Memory that is used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Pull {
    /// From the end back to the start: points, the cost up to them, the portals.
    points: Vec<Vec3>,
    costs: Vec<f32>,
    portals: Vec<u32>,
    legs: Vec<Leg>,
    turns: Vec<PathPoint>,
    sides: Vec<Sides>,
    parts: (Intervals, Intervals),
    open: Vec<(usize, usize, bool)>,
}

impl Pull {
    pub(super) fn begin(&mut self) {
        self.points.clear();
        self.costs.clear();
        self.portals.clear();
        self.legs.clear();
    }

    /// Adds a node, the end first.
    pub(super) fn add(&mut self, point: Vec3, cost: f32, portal: Option<u32>) {
        self.points.push(point);
        self.costs.push(cost);
        self.portals.extend(portal);
    }

    /// Writes the line and its polygons.
    pub(super) fn run<W: Fn(u32) -> (f32, f32)>(
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
        polygons.extend(self.portals.iter().map(|&p| PolyId(portals.gate(p).polygon)));
        polygons.push(end.polygon);
        points.push(start.point);
        let count = polygons.len();
        if cost.plain {
            self.stretch(cost, (0, count), polygons);
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

    /// What the legs between the middles cost and show.
    fn measure<W: Fn(u32) -> (f32, f32)>(&mut self, cost: &LineCost<W>, polygons: &[PolyId]) {
        for (i, polygon) in polygons.iter().enumerate() {
            let length = self.points[i].distance(self.points[i + 1]);
            let own = self.costs[i + 1] - self.costs[i];
            let (factor, visible) = (cost.weigh)(polygon.0);
            // cost = length · factor · (1 + bias · exposure)
            let weighed = cost.bias * length * factor;
            let share = if weighed > 0.0 { ((own - length * factor) / weighed).clamp(0.0, 1.0) } else { 0.0 };
            let class = if share < CLEAR {
                0
            } else if share > visible - CLEAR {
                2
            } else {
                1
            };
            self.legs.push(Leg { cost: own, exposed: share * length, class });
        }
    }

    /// Pulls the string between two middles.
    fn stretch<W: Fn(u32) -> (f32, f32)>(
        &mut self,
        cost: &LineCost<W>,
        (from, to): (usize, usize),
        polygons: &[PolyId],
    ) {
        let crossings = if cost.by_corners { Crossings::None } else { Crossings::All };
        let part = (&polygons[from..to], &self.portals[from..to - 1]);
        pull_string(cost.mesh, part, [self.points[from], self.points[to]], crossings, &mut self.turns);
    }

    /// Whether the string is neither dearer nor more exposed than the legs.
    fn improves<W: Fn(u32) -> (f32, f32)>(
        &mut self,
        cost: &LineCost<W>,
        (from, to): (usize, usize),
        polygons: &[PolyId],
    ) -> bool {
        let (most, most_exposed) =
            self.legs[from..to].iter().fold((0.0, 0.0), |sum, l| (sum.0 + l.cost, sum.1 + l.exposed));
        let slack = ROUNDING * self.costs[to];
        self.stretch(cost, (from, to), polygons);
        // Where the legs are seen for the most part, a string that is shorter is good enough even if all of it is seen.
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
                self.sides.clear();
                threats.sides(pair[0].point, &mut self.sides);
                share = threats.exposure_from(&self.sides, pair[1].point, &mut self.parts) * visible;
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
