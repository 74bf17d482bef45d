//! A beam in a cell: the ends, corners and sides that it meets.

use glam::DVec2;

use super::super::beam::{Beam, PathRay, PointSight};
use super::super::bound::{CostTangent, hit, rough_bound};
use super::super::mesh::WeightedMesh;
use super::super::path::{LegOver, PathLeg};
use super::{CellView, WeightedSearch};
use crate::nav::mesh::NONE;

/// A corner of a cell beside a beam.
struct BeamCorner {
    /// In the development of the beam.
    at: DVec2,
    sight: PointSight,
    /// The ray that arrives there, once it was asked for: finding it takes longer than all else.
    ray: Option<PathRay>,
}

impl BeamCorner {
    /// The ray of the beam that arrives here.
    fn ray(&mut self, beam: &Beam) -> Option<PathRay> {
        if self.ray.is_none() {
            self.ray = beam.ray_at(self.at, self.sight);
        }
        self.ray
    }

    fn is_outside(&self) -> bool {
        matches!(self.sight, PointSight::Right | PointSight::Left)
    }
}

impl WeightedSearch {
    /// Goes around a cell from one side to before another: ends, vertices, and sides that the beam leaves by.
    pub(super) fn look_over(&mut self, net: &WeightedMesh, view: &CellView, first: u32, stop: u32) {
        for i in 0..self.ends.len() {
            let (cell, at) = self.ends[i];
            let at = view.frame.apply(at);
            if cell == view.cell
                && let Some(ray) = view.beam.ray_at(at, view.beam.sight(at))
            {
                let leg = PathLeg { source: view.source, over: LegOver::beam(view.node), ray };
                self.offer_whole(leg);
            }
        }
        let corner_of = |side: u32| {
            let at = view.frame.apply(net.sides[side as usize].at);
            BeamCorner { at, sight: view.beam.sight(at), ray: None }
        };
        let (mut side, mut right) = (first, corner_of(first));
        // Paths to the ends of the side that the beam came by are known: from the cell before, or along that side.
        let is_root = view.node == NONE;
        if is_root {
            self.arrive_in(net, view, side, &mut right);
        }
        while side != stop {
            let next = net.sides[side as usize].next;
            let mut left = corner_of(next);
            if is_root || next != stop {
                self.arrive_in(net, view, next, &mut left);
            }
            if right.sight == PointSight::Left {
                break;
            }
            if left.sight != PointSight::Right {
                self.look_through(net, view, side, [&mut right, &mut left]);
            }
            (side, right) = (next, left);
        }
    }

    /// Sees through a side between two corners, right and left, unless the outermost rays of the beam tell that this cannot pay.
    fn look_through(&mut self, net: &WeightedMesh, view: &CellView, side: u32, corners: [&mut BeamCorner; 2]) {
        if net.sides[side as usize].twin == NONE {
            return;
        }
        let (gate, beam) = (self.gate(net, view, side), &view.beam);
        let outer = [&beam.right, &beam.left];
        let mut rays = [0, 1]
            .map(|i| if corners[i].is_outside() { Some(hit(&gate, outer[i], beam.weight)) } else { corners[i].ray });
        let between = [0, 1].map(|i| gate.place_of(rays[i].map_or(corners[i].at, |ray| ray.at)));
        let tangents = outer.map(|ray| CostTangent::on(&gate, ray, beam.weight));
        let ahead = [side, net.sides[side as usize].next].map(|side| self.ahead(net, side));
        if rough_bound(&gate, tangents, between, ahead) >= self.target.known
            || self.is_dominated(net, &gate, side, tangents, between)
        {
            return;
        }
        for (ray, corner) in rays.iter_mut().zip(corners) {
            *ray = ray.or_else(|| corner.ray(beam));
        }
        if let [Some(right), Some(left)] = rays {
            self.see(net, view, side, right, left);
        }
    }

    /// A path may turn at the vertex where a side begins, if the beam meets it and this can pay.
    fn arrive_in(&mut self, net: &WeightedMesh, view: &CellView, side: u32, corner: &mut BeamCorner) {
        if corner.is_outside() {
            return;
        }
        let least = view.beam.least_cost(corner.at);
        let known = self.corner(net, net.sides[side as usize].corner);
        if known.cost <= least || least + known.ahead >= self.target.known {
            return;
        }
        if let Some(ray) = corner.ray(&view.beam) {
            let ray = PathRay { dir: view.frame.direction_in_cell(ray.dir), ..ray };
            self.arrive(net, PathLeg { source: view.source, over: LegOver::beam(view.node), ray }, side);
        }
    }
}
