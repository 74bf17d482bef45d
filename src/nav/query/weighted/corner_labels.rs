//! Hub labels of the corners: what paths over the ways between them cost, and which corners they turn at.
//!
//! The labels are those of `exact-index` ([`HubLabels`]) over ways that bend in place of lines that are straight. They tell what a
//! path between two corners costs within single precision; what the whole path costs is added up from its ways. Between two
//! corners that both are none to turn at they may tell more than the path costs, as no way is known between these.

use glam::Vec4;

use super::ways::CornerWays;
use crate::nav::mesh::NONE;
use crate::nav::query::polyanya::hub_labels::{BuiltLabels, HubLabels, Links, both_ways};

/// The share by which a sum of two labels and the way to a corner may be wrong: each is rounded to single precision.
const ROUNDING: f64 = 5e-7;
/// Labels of all corners together take at most this.
const MAX_BYTES: usize = 64 << 20;
/// So many corners around the start are looked at.
pub(super) const NEAR: usize = 4;

/// The labels of all corners; none where there are too many, or no ways.
#[derive(Clone, Debug, Default)]
pub(super) struct CornerLabels {
    labels: HubLabels,
    /// Per label the rank of its hub.
    hubs: Vec<u32>,
}

/// Between what a path costs that labels know.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelCosts {
    pub(super) least: f64,
    pub(super) most: f64,
}

impl CornerLabels {
    /// Builds the labels of so many corners.
    pub(super) fn build(ways: &CornerWays, corners: usize) -> Self {
        if !ways.are_known() {
            return Self::default();
        }
        let list = |corner: u32| ways.from(corner).iter().map(|way| (way.to, way.cost)).collect();
        let links: Links = both_ways((0..corners as u32).map(list).collect());
        let built = HubLabels::build(&links, MAX_BYTES, |_| ());
        built.map_or_else(|_| Self::default(), |BuiltLabels { labels, hubs, .. }| Self { labels, hubs })
    }

    pub(super) fn are_known(&self) -> bool {
        !self.hubs.is_empty()
    }

    /// The hubs of a corner, and what paths to them cost.
    #[inline]
    fn of(&self, corner: u32) -> impl Iterator<Item = (usize, f32)> {
        let own = self.labels.of(corner);
        self.hubs[own.clone()].iter().map(|&hub| hub as usize).zip(self.labels.lengths[own].iter().copied())
    }

    /// The corners between two with a hub in common, both included.
    pub(super) fn over(&self, [from, to]: [u32; 2], hub: usize, out: &mut Vec<u32>) {
        let label = |corner: u32| {
            let own = self.labels.of(corner);
            own.start as u32 + self.hubs[own].iter().position(|&h| h as usize == hub).unwrap_or_default() as u32
        };
        out.clear();
        self.labels.walk(label(from), out);
        // Both come to the hub.
        out.pop();
        let middle = out.len();
        self.labels.walk(label(to), out);
        out[middle..].reverse();
    }
}

/// A corner of a cell that a start lies in or on.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearCorner {
    pub(super) corner: u32,
    /// What the straight way to it costs.
    pub(super) cost: f64,
    /// Whether paths turn there.
    pub(super) turns: bool,
}

/// What paths cost from a start over corners near it: those of the cells that it lies in or on.
#[derive(Debug, Default)]
pub(super) struct StartCosts {
    corners: Vec<u32>,
    /// What the straight way to each costs, infinite for those that are missing.
    ways: Vec4,
    /// The same of those at which paths turn.
    turning: Vec4,
    /// Per hub what paths to it from each corner cost, infinite where it is none of the corner's.
    hubs: Vec<Vec4>,
    apart: bool,
}

impl StartCosts {
    /// Starts from a place with these corners around it, no more than [`NEAR`]. Where several lie `apart` at the place itself, a path
    /// begins at one of them, else all of them lie on the same ground.
    pub(super) fn set(&mut self, labels: &CornerLabels, near: &[NearCorner], apart: bool) {
        self.clear(labels);
        self.hubs.resize(labels.labels.corners(), Vec4::INFINITY);
        self.apart = apart;
        for (k, corner) in near.iter().enumerate() {
            self.corners.push(corner.corner);
            self.ways[k] = corner.cost as f32;
            if corner.turns {
                self.turning[k] = corner.cost as f32;
            }
            labels.of(corner.corner).for_each(|(hub, cost)| self.hubs[hub][k] = cost);
        }
    }

    /// Forgets the start.
    pub(super) fn clear(&mut self, labels: &CornerLabels) {
        for corner in self.corners.drain(..) {
            labels.of(corner).for_each(|(hub, _)| self.hubs[hub] = Vec4::INFINITY);
        }
        (self.ways, self.turning) = (Vec4::INFINITY, Vec4::INFINITY);
    }

    /// What paths from the start to a corner cost.
    pub(super) fn to(&self, labels: &CornerLabels, corner: u32, turns: bool) -> LabelCosts {
        let mut costs = Vec4::INFINITY;
        for (hub, cost) in labels.of(corner) {
            costs = costs.min(self.hubs[hub] + Vec4::splat(cost));
        }
        let ways = if turns { self.ways } else { self.turning };
        let least = costs * (1.0 - ROUNDING as f32) - ways;
        let least = if self.apart {
            // One that is missing says nothing, one that is none to turn at says nothing of others.
            let is_any = ways.cmpeq(self.ways).all();
            if is_any { Vec4::select(ways.cmplt(Vec4::INFINITY), least, Vec4::INFINITY).min_element() } else { 0.0 }
        } else {
            let known = costs.cmplt(Vec4::INFINITY) & ways.cmplt(Vec4::INFINITY);
            Vec4::select(known, least, Vec4::ZERO).max_element()
        };
        let most = (costs + self.ways).min_element();
        LabelCosts { least: f64::from(least).max(0.0), most: f64::from(most) * (1.0 + ROUNDING) }
    }

    /// Lists the corners of the cheapest path from the start to a corner; returns which of the corners around the start is the first.
    pub(super) fn corners_to(&self, labels: &CornerLabels, corner: u32, out: &mut Vec<u32>) -> Option<usize> {
        let over = |(hub, cost): (usize, f32)| {
            let costs = self.hubs[hub] + self.ways;
            let near = costs.min_position();
            (costs[near] + cost, near, hub)
        };
        let (_, near, hub) = labels.of(corner).map(over).min_by(|a, b| a.0.total_cmp(&b.0))?;
        labels.over([self.corners[near], corner], hub, out);
        Some(near)
    }
}

/// What paths cost to an end, over the corners that the search from there came to.
#[derive(Debug, Default)]
pub(super) struct EndCosts {
    /// Per hub what the cheapest path from it costs, and the number of the arrival where it leaves the last corner.
    hubs: Vec<(f32, u32)>,
    touched: Vec<u32>,
}

impl EndCosts {
    pub(super) fn clear(&mut self, labels: &CornerLabels) {
        for hub in self.touched.drain(..) {
            self.hubs[hub as usize] = (f32::INFINITY, NONE);
        }
        self.hubs.resize(labels.labels.corners(), (f32::INFINITY, NONE));
    }

    /// Adds a path from a corner to the end.
    pub(super) fn add(&mut self, labels: &CornerLabels, corner: u32, cost: f64, arrival: u32) {
        for (hub, length) in labels.of(corner) {
            let (known, length) = (&mut self.hubs[hub], length + cost as f32);
            if length < known.0 {
                if known.1 == NONE {
                    self.touched.push(hub as u32);
                }
                *known = (length, arrival);
            }
        }
    }

    /// What paths from a corner to the end cost.
    pub(super) fn from(&self, labels: &CornerLabels, corner: u32) -> LabelCosts {
        let best = labels.of(corner).fold(f32::INFINITY, |best, (hub, cost)| best.min(self.hubs[hub].0 + cost));
        LabelCosts { least: f64::from(best) * (1.0 - ROUNDING), most: f64::from(best) * (1.0 + ROUNDING) }
    }

    /// The hub of the cheapest path from a corner to the end, and the number of the arrival where it leaves the last corner.
    pub(super) fn over(&self, labels: &CornerLabels, corner: u32) -> Option<(usize, u32)> {
        let over = |(hub, cost): (usize, f32)| (self.hubs[hub].0 + cost, hub, self.hubs[hub].1);
        labels.of(corner).map(over).min_by(|a, b| a.0.total_cmp(&b.0)).filter(|best| best.2 != NONE).map(|b| (b.1, b.2))
    }
}
