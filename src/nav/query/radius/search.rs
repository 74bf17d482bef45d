//! A* for a corridor that is wide enough.
//!
//! A polygon all of whose transits are wide enough is one node, as in a search without a radius; of another one every
//! way in is a node of its own, since what one can leave it by depends on it.

use super::width::Walls;
use super::{Ask, TOLERANCE, Transit};
use crate::nav::mesh::{NO_STEP, NONE, PolyId};
use crate::nav::query::heap::{Heap, NO_ITEM, pack, unpack};
use crate::nav::query::path::{Corridor, Node, tame, weight};

/// What a search knows; its memory stays from query to query.
#[derive(Debug, Default)]
pub(super) struct Transits {
    /// One per polygon, then one per portal, then the goal.
    nodes: Vec<Node>,
    heap: Heap,
    stamp: u32,
}

impl Transits {
    /// Finds a corridor by transits that are not banned, or says that there is none.
    pub(super) fn find(&mut self, ask: &Ask, walls: &mut Walls, banned: &[Transit], out: &mut Corridor) -> bool {
        let plain = ask.mesh.all_flagged() && ask.filter.passes_all() && ask.filter.is_even();
        out.clear();
        // The quick way leaves out what hardly ever is on the only way: to come back to a polygon after turning round.
        let quick = banned.is_empty()
            && match plain {
                true => self.run::<true, false>(ask, walls, banned, out),
                false => self.run::<false, false>(ask, walls, banned, out),
            };
        quick || self.run::<false, true>(ask, walls, banned, out)
    }

    fn begin(&mut self, ask: &Ask) -> u32 {
        let count = ask.mesh.len() + ask.mesh.portals().len() + 1;
        if self.nodes.len() < count || self.stamp == u32::MAX {
            self.nodes.clear();
            self.nodes.resize(count, Node::default());
            self.stamp = 0;
        }
        self.stamp += 1;
        self.heap.clear();
        count as u32 - 1
    }

    /// With `PLAIN`, the filter lets all pass at cost 1. With `WHOLE`, every way in is a node and nothing is left out.
    fn run<const PLAIN: bool, const WHOLE: bool>(
        &mut self,
        ask: &Ask,
        walls: &mut Walls,
        banned: &[Transit],
        out: &mut Corridor,
    ) -> bool {
        let Ask { mesh, start, end, filter, radius, .. } = *ask;
        let (goal_node, portals) = (self.begin(ask), mesh.portals());
        let (from, goal, goal_polygon) = (tame(mesh, start), tame(mesh, end), end.polygon.0);
        let (goal_number, polygons, stamp) = (portals.number(goal_polygon), mesh.len() as u32, self.stamp);
        let need = (2.0 * (radius - TOLERANCE)) as f32;
        if start.polygon == end.polygon && !banned.contains(&(NONE, NONE)) {
            (out.cost, out.expanded) = (from.distance(goal) * weight(mesh, filter, goal_polygon), out.expanded + 1);
            out.polygons.push(start.polygon);
            return true;
        }
        let first = Node { at: from, cost: 0.0, total: 0.0, parent: NONE, portal: NONE, stamp };
        self.nodes[start.polygon.index()] = first;
        let mut held = pack(0.0, start.polygon.0);
        while let Some(item) = self.heap.exchange(held) {
            held = NO_ITEM;
            let (total, number) = unpack(item);
            let here = self.nodes[number as usize];
            if here.total != total {
                continue;
            }
            if number == goal_node {
                self.trace(ask, here, out);
                return true;
            }
            out.expanded += 1;
            let by = here.portal;
            let (polygon, behind) = if by == NONE {
                (start.polygon.0, NONE)
            } else {
                let gate = portals.gate(by);
                (mesh.edges()[gate.edge as usize].neighbor, gate.polygon)
            };
            let twin = |edge: u32| WHOLE && by != NONE && mesh.edges()[edge as usize].twin == portals.gate(by).edge;
            let split = number >= polygons;
            let weight_here = if PLAIN { 1.0 } else { weight(mesh, filter, polygon) };
            let ways = if by == NONE || WHOLE { portals.of(polygon) } else { portals.exits(by) };
            for way in ways {
                if if WHOLE { twin(portals.gate(way.number).edge) } else { way.neighbor == behind }
                    || !WHOLE && !way.goals.contain(goal_number)
                    || !PLAIN && !filter.passes(mesh.polygon(PolyId(way.neighbor)))
                    || split && walls.width(mesh, filter, by, way.number) < need
                    || WHOLE && banned.contains(&(by, way.number))
                {
                    continue;
                }
                let is_goal = way.neighbor == goal_polygon && !(WHOLE && banned.contains(&(way.number, NONE)));
                let node = if is_goal {
                    goal_node
                } else if !WHOLE && walls.is_wide(mesh, filter, way.neighbor, need) {
                    way.neighbor
                } else {
                    polygons + way.number
                };
                let step = if way.step == NO_STEP { way.middle.distance(here.at) } else { way.step };
                let rest = way.middle.distance(goal);
                let (mut cost, mut total) = (here.cost + step * weight_here, 0.0);
                if is_goal {
                    cost += rest * if PLAIN { 1.0 } else { weight(mesh, filter, goal_polygon) };
                } else {
                    total = rest;
                }
                total += cost;
                let known = &mut self.nodes[node as usize];
                if known.stamp == stamp && total >= known.total || !(total < f32::INFINITY) {
                    continue;
                }
                *known = Node { at: way.middle, cost, total, parent: number, portal: way.number, stamp };
                held = self.heap.swap_least(held, pack(total, node));
            }
        }
        false
    }

    fn trace(&self, ask: &Ask, mut node: Node, out: &mut Corridor) {
        out.cost = node.cost;
        while node.portal != NONE {
            out.portals.push(node.portal);
            node = self.nodes[node.parent as usize];
        }
        out.portals.reverse();
        out.polygons.extend(out.portals.iter().map(|&p| PolyId(ask.mesh.portals().gate(p).polygon)));
        out.polygons.push(ask.end.polygon);
    }
}
