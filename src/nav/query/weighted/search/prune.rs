//! What a search leaves out: what cannot be part of a path cheaper than those known.

use super::super::beam::{BeamGate, PathRay};
use super::super::landmarks::{COUNT, TargetCosts};
use super::super::mesh::WeightedMesh;
use super::WeightedSearch;
use glam::DVec2;

impl WeightedMesh {
    /// What paths from the landmarks to an end cost, given in all cells that it lies in or on.
    pub(in crate::nav::query::weighted) fn costs_to(&self, ends: &[(u32, DVec2)]) -> TargetCosts {
        let island = |cell: u32| self.cells[cell as usize].island;
        if self.landmarks.costs.is_empty() || ends.iter().any(|end| island(end.0) != island(ends[0].0)) {
            return TargetCosts::default();
        }
        let mut all = TargetCosts { least: [f64::INFINITY; COUNT], most: [f64::NEG_INFINITY; COUNT] };
        for &(cell, at) in ends {
            let own = self.cells[cell as usize];
            let (mut least, mut most) = ([f64::NEG_INFINITY; COUNT], [f64::INFINITY; COUNT]);
            for side in &self.sides[own.first as usize..own.end as usize] {
                let way = own.weight * side.at.distance(at);
                for (k, &cost) in self.landmarks.costs[side.corner as usize].iter().enumerate() {
                    least[k] = least[k].max(cost - way);
                    most[k] = most[k].min(cost + way);
                }
            }
            for k in 0..COUNT {
                all.least[k] = all.least[k].min(least[k]);
                all.most[k] = all.most[k].max(most[k]);
            }
        }
        all
    }
}

impl WeightedSearch {
    /// What no path from the corner where a side begins to the end costs less than, by landmarks.
    pub(super) fn ahead(&mut self, net: &WeightedMesh, side: u32) -> f64 {
        let corner = net.sides[side as usize].corner;
        let known = &mut self.ahead[corner as usize];
        if known.0 != self.query {
            *known = (self.query, net.landmarks.bound(corner, &self.landmarks));
        }
        known.1
    }

    /// Whether no point of a side is reached cheaper by a beam than along the side from one of its ends, as far as paths to
    /// these are known. The beam's cost is convex, that from the ends concave: what the tangents of the one stay above of the
    /// other at the points where either bends, and at the outermost rays, they stay above of everywhere.
    pub(super) fn is_dominated(
        &self,
        net: &WeightedMesh,
        gate: &BeamGate,
        side: u32,
        (right, left): (&PathRay, &PathRay),
    ) -> bool {
        let known = |side: u32| {
            let reached = self.reached.get(net.sides[side as usize].fan as usize);
            reached.filter(|r| r.query == self.query).map_or(f64::INFINITY, |r| r.cost)
        };
        let (a, b) = (known(side), known(net.sides[side as usize].next));
        if a.min(b) == f64::INFINITY {
            return false;
        }
        let weight = gate.before.min(gate.beyond);
        let along = |x: f64| (a + weight * x).min(b + weight * (gate.length - x));
        let [low, high] =
            [right, left].map(|ray| (gate.place_of(ray.at), ray.cost, gate.before * ray.dir.dot(gate.along)));
        let above = |x: f64| {
            let tangent = |(at, cost, slope): (f64, f64, f64)| cost + slope * (x - at);
            tangent(low).max(tangent(high)) >= along(x) * (1.0 - 1e-12)
        };
        let meeting = (high.1 - low.1 + low.2 * low.0 - high.2 * high.0) / (low.2 - high.2);
        let apex = if a.is_finite() && b.is_finite() { (gate.length + (b - a) / weight) * 0.5 } else { low.0 };
        let inside = |x: f64| if x.is_finite() { x.clamp(low.0, high.0) } else { low.0 };
        above(low.0) && above(high.0) && above(inside(meeting)) && above(inside(apex))
    }
}
