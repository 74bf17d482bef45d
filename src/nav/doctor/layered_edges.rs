//! Edges of a mesh, found by where they are seen from above and by their heights: many storeys lie over each other.

use glam::DVec3;

use super::open_edges::OpenEdge;
use crate::math::plan::to_plan;
use crate::nav::rect_grid::{Rect, RectGrid};

/// Most layers.
const MAX_LAYERS: f64 = 256.0;
/// Smallest height of a layer, metres.
const MIN_HEIGHT: f64 = 0.5;

/// The edges whose heights lie in a layer.
#[derive(Default)]
struct EdgeLayer {
    members: Vec<u32>,
    rects: Vec<Rect>,
    grid: RectGrid,
}

/// Edges in layers of height, each with a grid. Places are local to the first edge.
pub(super) struct LayeredEdges {
    layers: Vec<EdgeLayer>,
    /// The first layer of each edge.
    first: Vec<usize>,
    origin: DVec3,
    low: f64,
    /// Height of a layer.
    height: f64,
    /// How far apart in height edges are near each other.
    reach: f64,
}

impl LayeredEdges {
    /// `margin` is how far around each edge it is found, `reach` how far above and below, metres.
    pub fn new(edges: &[OpenEdge], margin: f32, reach: f64) -> Self {
        let origin = edges.first().map_or(DVec3::ZERO, |e| e.ends[0]);
        let heights = || edges.iter().flat_map(|e| e.ends).map(|end| end.y);
        let (low, high) = (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
        let height = (4.0 * reach).max(MIN_HEIGHT).max((high - low).max(0.0) / MAX_LAYERS);
        let mut layered = Self { layers: Vec::new(), first: Vec::new(), origin, low, height, reach };
        for (i, edge) in edges.iter().enumerate() {
            let range = layered.range(edge, 0.0);
            let rect = layered.rect(edge).expanded(margin);
            layered.first.push(range[0]);
            if layered.layers.len() <= range[1] {
                layered.layers.resize_with(range[1] + 1, EdgeLayer::default);
            }
            for layer in &mut layered.layers[range[0]..=range[1]] {
                layer.members.push(i as u32);
                layer.rects.push(rect);
            }
        }
        layered.layers.iter_mut().for_each(|layer| layer.grid = RectGrid::build(&layer.rects));
        layered
    }

    /// The place to which others are local.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The rectangle around an edge.
    fn rect(&self, edge: &OpenEdge) -> Rect {
        Rect::around(edge.ends.map(|p| to_plan((p - self.origin).as_vec3())))
    }

    /// The first and last layer in which an edge lies.
    fn range(&self, edge: &OpenEdge, reach: f64) -> [usize; 2] {
        let [a, b] = edge.ends.map(|end| end.y - self.low);
        [a.min(b) - reach, a.max(b) + reach].map(|height| (height / self.height).clamp(0.0, MAX_LAYERS) as usize)
    }

    /// Calls `f` once with the number of each edge near this one: `margin` around it and the edges' own margins meet.
    pub fn for_each_near(&self, edge: &OpenEdge, margin: f32, mut f: impl FnMut(u32)) {
        let rect = self.rect(edge).expanded(margin);
        let [first, last] = self.range(edge, self.reach);
        for (number, layer) in self.layers.iter().enumerate().take(last + 1).skip(first) {
            layer.grid.for_each_meeting(&layer.rects, &rect, |k| {
                let other = layer.members[k as usize];
                // Of the layers that both lie in, the first one counts.
                if self.first[other as usize].max(first) == number {
                    f(other);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn edges_near_each_other_are_found_once() {
        // Steep ones, level ones, and stacks of them.
        let edge = |i: u32| {
            let at = |k: u32| f64::from((i * 7919 + k * 104_729) % 1000) / 100.0;
            let from = DVec3::new(at(1), 4.0 * at(2), at(3));
            let along = DVec3::new(at(4) * 0.1, if i.is_multiple_of(9) { 20.0 } else { 0.0 }, at(5) * 0.1);
            OpenEdge::plain(i, [from, from + along])
        };
        let edges: Vec<OpenEdge> = (0..600).map(edge).collect();
        let (margin, reach) = (0.5_f32, 0.3);
        let layered = LayeredEdges::new(&edges, margin, reach);
        let rects: Vec<Rect> = edges.iter().map(|e| layered.rect(e)).collect();
        for (i, edge) in edges.iter().enumerate() {
            let mut found = Vec::new();
            layered.for_each_near(edge, 0.0, |other| found.push(other as usize));
            let set: BTreeSet<usize> = found.iter().copied().collect();
            assert_eq!(set.len(), found.len(), "each once");
            for (k, other) in edges.iter().enumerate() {
                let [a, b] = [edge, other].map(|e| e.ends.map(|end| end.y));
                let apart = (a[0].min(a[1]) - b[0].max(b[1])).max(b[0].min(b[1]) - a[0].max(a[1]));
                if apart <= reach && rects[i].intersects(&rects[k].expanded(margin)) {
                    assert!(set.contains(&k), "{i} and {k}");
                }
            }
        }
    }
}
