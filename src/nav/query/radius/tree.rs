//! The wide enough ways from everywhere to one place, for many who go there: a search from the goal, made once.
//!
//! The width of a transit is the same in both directions, and so are lengths where every polygon costs the same; the
//! nodes are those of the [search](super::search) for one.

use super::width::{Walls, twin};
use super::{Ask, TOLERANCE};
use crate::nav::mesh::{NO_STEP, NONE, PolyId};
use crate::nav::query::heap::{Heap, NO_ITEM, pack, unpack};
use crate::nav::query::path::{Corridor, Node, tame};

/// All that counts for the ways to a goal: mesh and filter, polygon and place of the goal, radius.
type Key = ((u64, u16, u16), u32, [u32; 3], u64);

/// The ways to the goal that was asked for last.
#[derive(Debug, Default)]
pub(super) struct Tree {
    key: Option<Key>,
    /// One per polygon, then one per portal: the cost from there to the goal, and the portal through which a search
    /// that comes from the goal enters.
    nodes: Vec<Node>,
    heap: Heap,
}

impl Tree {
    /// Takes the way from the start of `ask` to its end, or says that there is none.
    pub(super) fn find(&mut self, ask: &Ask, walls: &mut Walls, out: &mut Corridor) -> bool {
        out.clear();
        let goal = tame(ask.mesh, ask.end);
        let place = goal.to_array().map(f32::to_bits);
        let flags = (ask.mesh.id(), ask.filter.include, ask.filter.exclude);
        let key = Some((flags, ask.end.polygon.0, place, ask.radius.to_bits()));
        if self.key != key {
            out.expanded = self.grow(ask, walls);
            self.key = key;
        }
        if ask.start.polygon == ask.end.polygon {
            out.polygons.push(ask.start.polygon);
            return true;
        }
        let Some((first, mut node)) = self.first(ask, walls) else { return false };
        out.portals.push(first);
        while node.portal != NONE {
            let Some(twin) = twin(ask.mesh, node.portal) else { return false };
            out.portals.push(twin);
            node = self.nodes[node.parent as usize];
        }
        out.polygons.extend(out.portals.iter().map(|&p| PolyId(ask.mesh.portals().gate(p).polygon)));
        out.polygons.push(ask.end.polygon);
        true
    }

    /// Searches from the goal until everything is seen; says how many nodes that were.
    fn grow(&mut self, ask: &Ask, walls: &mut Walls) -> u32 {
        let Ask { mesh, end, filter, .. } = *ask;
        let (portals, polygons, need) = (mesh.portals(), mesh.len() as u32, need(ask));
        self.nodes.clear();
        self.nodes.resize(mesh.len() + portals.len(), Node { cost: f32::INFINITY, ..Node::default() });
        self.heap.clear();
        let at = tame(mesh, end);
        self.nodes[end.polygon.index()] = Node { at, cost: 0.0, total: 0.0, parent: NONE, portal: NONE, stamp: 0 };
        let (mut held, mut expanded) = (pack(0.0, end.polygon.0), 0);
        while let Some(item) = self.heap.exchange(held) {
            held = NO_ITEM;
            let (cost, number) = unpack(item);
            let here = self.nodes[number as usize];
            if here.cost != cost {
                continue;
            }
            expanded += 1;
            let by = here.portal;
            let (ways, behind) = if by == NONE {
                (portals.of(end.polygon.0), NONE)
            } else {
                (portals.exits(by), portals.gate(by).polygon)
            };
            for way in ways {
                if way.neighbor == behind
                    || !filter.passes(mesh.polygon(PolyId(way.neighbor)))
                    || number >= polygons && walls.width(mesh, filter, by, way.number) < need
                {
                    continue;
                }
                let wide = walls.is_wide(mesh, filter, way.neighbor, need);
                let node = if wide { way.neighbor } else { polygons + way.number };
                let step = if way.step == NO_STEP { way.middle.distance(here.at) } else { way.step };
                let cost = here.cost + step;
                let known = &mut self.nodes[node as usize];
                if cost < known.cost {
                    *known = Node { at: way.middle, cost, total: cost, parent: number, portal: way.number, stamp: 0 };
                    held = self.heap.swap_least(held, pack(cost, node));
                }
            }
        }
        expanded
    }

    /// The best portal to leave the start by, and the node beyond it.
    fn first(&self, ask: &Ask, walls: &mut Walls) -> Option<(u32, Node)> {
        let Ask { mesh, start, end, filter, .. } = *ask;
        let (portals, polygons, need) = (mesh.portals(), mesh.len(), need(ask));
        let from = tame(mesh, start);
        let mut best: Option<(f32, u32, Node)> = None;
        for way in portals.of(start.polygon.0).iter().filter(|w| filter.passes(mesh.polygon(PolyId(w.neighbor)))) {
            let mut offer = |node: Node| {
                let back = node.portal != NONE && portals.gate(node.portal).polygon == start.polygon.0;
                let cost = from.distance(way.middle) + way.middle.distance(node.at) + node.cost;
                if !back && cost < best.map_or(f32::INFINITY, |b| b.0) {
                    best = Some((cost, way.number, node));
                }
            };
            let next = way.neighbor;
            if next == end.polygon.0 || walls.is_wide(mesh, filter, next, need) {
                offer(self.nodes[next as usize]);
                continue;
            }
            for on in portals.of(next) {
                let Some(by) = twin(mesh, on.number) else { continue };
                let node = self.nodes[polygons + by as usize];
                if node.cost < f32::INFINITY && walls.width(mesh, filter, way.number, on.number) >= need {
                    offer(node);
                }
            }
        }
        best.map(|(_, first, node)| (first, node))
    }
}

fn need(ask: &Ask) -> f32 {
    (2.0 * (ask.radius - TOLERANCE)) as f32
}
