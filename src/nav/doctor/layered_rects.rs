//! Things found by where they are seen from above and by their heights: many storeys lie over each other.

use glam::DVec3;

use super::open_edges::OpenEdge;
use crate::math::plan::to_plan;
use crate::nav::rect_grid::{Rect, RectGrid};

/// Most layers.
const MAX_LAYERS: f64 = 1024.0;
/// Smallest height of a layer, metres.
const MIN_HEIGHT: f64 = 0.5;

/// Something with a rectangle seen from above, local to any place, and its lowest and highest point.
#[derive(Clone, Copy, Debug)]
pub(super) struct TallRect {
    pub rect: Rect,
    pub heights: [f64; 2],
}

/// What of many things lies in a layer.
#[derive(Default)]
struct RectLayer {
    members: Vec<u32>,
    rects: Vec<Rect>,
    grid: RectGrid,
}

/// Things in layers of height, each with a grid.
pub(super) struct LayeredRects {
    layers: Vec<RectLayer>,
    /// The first layer of each thing.
    first: Vec<usize>,
    low: f64,
    /// Height of a layer.
    height: f64,
    /// How far apart in height things are near each other.
    reach: f64,
}

impl LayeredRects {
    /// `margin` is how far around each thing it is found, `reach` how far above and below, metres.
    pub fn new(things: &[TallRect], margin: f32, reach: f64) -> Self {
        let low = things.iter().map(|thing| thing.heights[0]).fold(f64::INFINITY, f64::min);
        let high = things.iter().map(|thing| thing.heights[1]).fold(f64::NEG_INFINITY, f64::max);
        let height = (2.0 * reach).max(MIN_HEIGHT).max((high - low).max(0.0) / MAX_LAYERS);
        let mut layered = Self { layers: Vec::new(), first: Vec::new(), low, height, reach };
        for (i, thing) in things.iter().enumerate() {
            let range = layered.range(thing, 0.0);
            layered.first.push(range[0]);
            if layered.layers.len() <= range[1] {
                layered.layers.resize_with(range[1] + 1, RectLayer::default);
            }
            for layer in &mut layered.layers[range[0]..=range[1]] {
                layer.members.push(i as u32);
                layer.rects.push(thing.rect.expanded(margin));
            }
        }
        layered.layers.iter_mut().for_each(|layer| layer.grid = RectGrid::build(&layer.rects));
        layered
    }

    /// The first and last layer in which something lies.
    fn range(&self, thing: &TallRect, reach: f64) -> [usize; 2] {
        let [a, b] = thing.heights.map(|height| height - self.low);
        [a - reach, b + reach].map(|height| (height / self.height).clamp(0.0, MAX_LAYERS) as usize)
    }

    /// Calls `f` once with the number of each thing near this one: its rectangle meets one with its margin, in no layer apart.
    pub fn for_each_near(&self, thing: &TallRect, mut f: impl FnMut(u32)) {
        let [first, last] = self.range(thing, self.reach);
        for (number, layer) in self.layers.iter().enumerate().take(last + 1).skip(first) {
            layer.grid.for_each_meeting(&layer.rects, &thing.rect, |k| {
                let other = layer.members[k as usize];
                // Of the layers that both lie in, the first one counts.
                if self.first[other as usize].max(first) == number {
                    f(other);
                }
            });
        }
    }
}

/// Edges of a mesh in layers. Places are local to the first edge.
pub(super) struct LayeredEdges {
    layers: LayeredRects,
    origin: DVec3,
}

impl LayeredEdges {
    /// `margin` is how far around each edge it is found, `reach` how far above and below, metres.
    pub fn new(edges: &[OpenEdge], margin: f32, reach: f64) -> Self {
        let origin = edges.first().map_or(DVec3::ZERO, |e| e.ends[0]);
        let things: Vec<TallRect> = edges.iter().map(|edge| tall_rect(edge, origin)).collect();
        Self { layers: LayeredRects::new(&things, margin, reach), origin }
    }

    /// The place to which others are local.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Calls `f` once with the number of each edge near this one.
    pub fn for_each_near(&self, edge: &OpenEdge, f: impl FnMut(u32)) {
        self.layers.for_each_near(&tall_rect(edge, self.origin), f);
    }
}

fn tall_rect(edge: &OpenEdge, origin: DVec3) -> TallRect {
    let [a, b] = edge.ends.map(|end| end.y);
    TallRect { rect: Rect::around(edge.ends.map(|p| to_plan((p - origin).as_vec3()))), heights: [a.min(b), a.max(b)] }
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
        let rects: Vec<Rect> = edges.iter().map(|e| tall_rect(e, layered.origin()).rect).collect();
        for (i, edge) in edges.iter().enumerate() {
            let mut found = Vec::new();
            layered.for_each_near(edge, |other| found.push(other as usize));
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
