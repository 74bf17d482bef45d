//! What a search leaves out: what cannot be part of a path cheaper than those known.

use super::super::beam::BeamGate;
use super::super::bound::CostTangent;
use super::super::corner_labels::LabelCosts;
use super::super::landmarks::{COUNT, TargetCosts};
use super::super::mesh::WeightedMesh;
use super::super::path::CornerState;
use super::{SearchPart, WeightedSearch};
use crate::nav::mesh::NONE;
use glam::DVec2;

impl WeightedMesh {
    /// What paths from the landmarks to an end cost, given in all cells that it lies in or on.
    pub(in crate::nav::query::weighted) fn costs_to(&self, ends: &[(u32, DVec2)]) -> TargetCosts {
        let island = |cell: u32| self.cells[cell as usize].island;
        if self.landmarks.costs.is_empty() || ends.iter().any(|end| island(end.0) != island(ends[0].0)) {
            return TargetCosts::default();
        }
        let mut all = TargetCosts { least: [f32::INFINITY; COUNT], most: [f32::NEG_INFINITY; COUNT] };
        for &(cell, at) in ends {
            let own = self.cells[cell as usize];
            let (mut least, mut most) = ([f32::NEG_INFINITY; COUNT], [f32::INFINITY; COUNT]);
            for side in &self.sides[own.first as usize..own.end as usize] {
                let way = (own.weight * side.at.distance(at)) as f32;
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
    /// What no path from the corner where a side begins to the end costs less than, by landmarks or by labels.
    pub(super) fn ahead(&mut self, net: &WeightedMesh, side: u32) -> f64 {
        self.corner(net, net.sides[side as usize].corner).ahead
    }

    /// What this query knows of a corner.
    pub(super) fn corner(&mut self, net: &WeightedMesh, corner: u32) -> &mut CornerState {
        let state = &mut self.corners[corner as usize];
        if state.query != self.query {
            let (turns, side) = (net.corners[corner as usize].turns, net.corners[corner as usize].side);
            let LabelCosts { least, most } = match self.part {
                SearchPart::FromEnd => self.meeting.starts.to(&net.labels, corner, turns),
                SearchPart::FromStart => self.meeting.ends.from(&net.labels, corner),
                SearchPart::Recording => LabelCosts { least: 0.0, most: f64::INFINITY },
                SearchPart::Alone => {
                    let straight = self.target.from(net.sides[side as usize].space);
                    let least = net.landmarks.bound(corner, &self.landmarks).max(straight);
                    LabelCosts { least, most: f64::INFINITY }
                }
            };
            let cost = f64::INFINITY;
            *state = CornerState { query: self.query, arrival: NONE, done: false, cost, ahead: least, on: most };
        }
        state
    }

    /// Whether no point of a side between two places on it is reached cheaper by a beam than along the side from one of its ends,
    /// as far as paths to these are known. The beam's cost is convex, that from the ends concave: what the tangents of the one stay
    /// above of the other at the points where either bends, and at the two places, they stay above of everywhere.
    pub(super) fn is_dominated(
        &self,
        net: &WeightedMesh,
        gate: &BeamGate,
        side: u32,
        tangents: [CostTangent; 2],
        [from, to]: [f64; 2],
    ) -> bool {
        let known = |side: u32| {
            let own = &net.sides[side as usize];
            let corner = &self.corners[own.corner as usize];
            if corner.query == self.query && own.fan != NONE { corner.cost } else { f64::INFINITY }
        };
        let (a, b) = (known(side), known(net.sides[side as usize].next));
        if a.min(b) == f64::INFINITY {
            return false;
        }
        let weight = gate.before.min(gate.beyond);
        let along = |x: f64| (a + weight * x).min(b + weight * (gate.length - x));
        let above = |x: f64| tangents[0].value(x).max(tangents[1].value(x)) >= along(x) * (1.0 - 1e-12);
        let apex = if a.is_finite() && b.is_finite() { (gate.length + (b - a) / weight) * 0.5 } else { from };
        let inside = |x: f64| if x.is_finite() { x.max(from).min(to) } else { from };
        above(from) && above(to) && above(inside(tangents[0].meeting(&tangents[1]))) && above(inside(apex))
    }
}
