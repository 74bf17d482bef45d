//! A* for a corridor that is wide enough.
//!
//! A polygon all of whose portal pairs are wide enough is one node, as in a search without a radius. In another one
//! every portal that leads in is a node of its own, since it decides which portals lead out.

use glam::Vec3;

use super::request::{PortalPair, Request};
use super::width_cache::WidthCache;
use crate::nav::mesh::{NO_STEP, NONE, PolyId};
use crate::nav::query::path::{Corridor, Node, cost_within, sanitize, weight};
use crate::nav::search::kernel::{OpenList, Progress, Search, SearchSpace};

/// The search; keeps its memory from query to query. Nodes: one per polygon, then one per portal, then the goal.
#[derive(Debug, Default)]
pub(super) struct WideSearch {
    kernel: Search<Node>,
}

impl WideSearch {
    /// Finds a corridor over portal pairs that are not banned; whether there is one.
    pub(super) fn find(
        &mut self,
        request: &Request,
        walls: &mut WidthCache,
        banned: &[PortalPair],
        out: &mut Corridor,
    ) -> bool {
        let plain =
            request.mesh.every_poly_walkable() && request.filter.passes_all() && request.filter.has_uniform_cost();
        out.clear();
        // The fast variant omits returning to a polygon after turning round, which the only path hardly ever needs.
        let quick = banned.is_empty()
            && match plain {
                true => self.run::<true, false>(request, walls, banned, out),
                false => self.run::<false, false>(request, walls, banned, out),
            };
        quick || self.run::<false, true>(request, walls, banned, out)
    }

    fn run<const PLAIN: bool, const WHOLE: bool>(
        &mut self,
        request: &Request,
        walls: &mut WidthCache,
        banned: &[PortalPair],
        out: &mut Corridor,
    ) -> bool {
        let Request { mesh, start, end, filter, .. } = *request;
        let (from, goal, goal_polygon) = (sanitize(mesh, start), sanitize(mesh, end), end.polygon.0);
        if start.polygon == end.polygon && !banned.contains(&(NONE, NONE)) {
            (out.cost, out.expanded) = (cost_within(mesh, filter, goal_polygon, [from, goal]), out.expanded + 1);
            out.polygons.push(start.polygon);
            return true;
        }
        let polygons = mesh.len() as u32;
        let goal_node = polygons + mesh.portals().len() as u32;
        self.kernel.begin(goal_node as usize + 1, |open| {
            let stamp = open.stamp();
            *open.slot(start.polygon.0) = Node { at: from, cost: 0.0, total: 0.0, parent: NONE, portal: NONE, stamp };
            open.push(start.polygon.0, 0.0);
        });
        let mut space = WideCorridors::<PLAIN, WHOLE> {
            request,
            walls,
            banned,
            need: request.needed_width(),
            goal,
            goal_node,
            goal_number: mesh.portals().goal_number(goal_polygon),
            polygons,
        };
        let progress = self.kernel.run(&mut space);
        out.expanded += self.kernel.expanded();
        let found = self.kernel.get(goal_node).filter(|_| progress == Progress::Found(goal_node));
        let Some(mut node) = found else { return false };
        out.cost = node.cost;
        while node.portal != NONE {
            out.portals.push(node.portal);
            node = self.kernel.parent(node.parent);
        }
        out.finish(mesh, end.polygon);
        true
    }
}

/// The corridors that are wide enough. With `PLAIN`, the filter passes everything at cost 1. With `WHOLE`, every portal
/// that leads in is a node, and nothing is omitted.
struct WideCorridors<'a, const PLAIN: bool, const WHOLE: bool> {
    request: &'a Request<'a>,
    walls: &'a mut WidthCache,
    banned: &'a [PortalPair],
    need: f32,
    goal: Vec3,
    goal_node: u32,
    goal_number: u32,
    /// How many nodes are polygons.
    polygons: u32,
}

impl<const PLAIN: bool, const WHOLE: bool> SearchSpace for WideCorridors<'_, PLAIN, WHOLE> {
    type State = Node;

    #[inline(always)]
    fn is_goal(&self, node: u32, _: &Node) -> bool {
        node == self.goal_node
    }

    #[inline(always)]
    fn expand(&mut self, number: u32, here: &Node, open: &mut OpenList<Node>) {
        let Request { mesh, start, end, filter, .. } = *self.request;
        let (banned, need, goal, polygons) = (self.banned, self.need, self.goal, self.polygons);
        let (portals, goal_polygon, by, stamp) = (mesh.portals(), end.polygon.0, here.portal, open.stamp());
        let (polygon, behind) = if by == NONE {
            (start.polygon.0, NONE)
        } else {
            let gate = portals.portal(by);
            (mesh.edges()[gate.edge as usize].neighbor, gate.polygon)
        };
        let twin = |edge: u32| WHOLE && by != NONE && mesh.edges()[edge as usize].twin == portals.portal(by).edge;
        let split = number >= polygons;
        let weight_here = if PLAIN { 1.0 } else { weight(mesh, filter, polygon) };
        let ways = if by == NONE || WHOLE { portals.links_of(polygon) } else { portals.links_beyond(by) };
        for way in ways {
            if if WHOLE { twin(portals.portal(way.portal).edge) } else { way.neighbor == behind }
                || !WHOLE && !way.goals.contains(self.goal_number)
                || !PLAIN && !filter.passes(mesh.polygon(PolyId(way.neighbor)))
                || split && self.walls.width(mesh, filter, by, way.portal) < need
                || WHOLE && banned.contains(&(by, way.portal))
            {
                continue;
            }
            let is_goal = way.neighbor == goal_polygon && !(WHOLE && banned.contains(&(way.portal, NONE)));
            let node = if is_goal {
                self.goal_node
            } else if !WHOLE && self.walls.is_wide(mesh, filter, way.neighbor, need) {
                way.neighbor
            } else {
                polygons + way.portal
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
            let known = open.slot(node);
            if known.stamp == stamp && total >= known.total || !(total < f32::INFINITY) {
                continue;
            }
            *known = Node { at: way.middle, cost, total, parent: number, portal: way.portal, stamp };
            open.push(node, total);
        }
    }
}
