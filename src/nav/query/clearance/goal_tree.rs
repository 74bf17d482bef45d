//! A shortest-path tree: the corridors that are wide enough from everywhere to one goal, found by one search from it.
//!
//! The width of a portal pair is the same in both directions, and so is its length while every polygon costs the same.
//! The nodes are those of the [search](super::search) for a single query.

use super::request::Request;
use super::width_cache::{WidthCache, twin};
use crate::nav::mesh::{NO_STEP, NONE, PolyId};
use crate::nav::query::path::{Corridor, Node, sanitize};
use crate::nav::search::kernel::{OpenList, Search, SearchSpace};

/// Everything that determines the tree: mesh and filter, polygon and position of the goal, radius.
type Key = ((u64, u16, u16), u32, [u32; 3], u64);

/// How a corridor leaves its start.
#[derive(Clone, Copy, Debug)]
struct FirstPortal {
    /// What the whole corridor costs.
    cost: f32,
    portal: u32,
    /// The node beyond the portal.
    node: Node,
}

/// The trees of the last two goals, the later one first: of one place for two radii where those who find no way wide enough ask
/// for a narrow one.
#[derive(Debug, Default)]
pub(super) struct GoalTrees([GoalTree; 2]);

impl GoalTrees {
    /// Writes the corridor from the start of `request` to its end. Returns whether there is one, and the number of nodes of the
    /// tree, which is the same whether it was grown for this request or before.
    pub(super) fn find(&mut self, request: &Request, walls: &mut WidthCache, out: &mut Corridor) -> (bool, u32) {
        if self.0[0].key != Some(GoalTree::key_of(request)) {
            self.0.reverse();
        }
        (self.0[0].find(request, walls, out), self.0[0].size())
    }
}

/// The tree of a goal.
#[derive(Debug, Default)]
struct GoalTree {
    key: Option<Key>,
    /// One node per polygon, then one per portal: the cost from there to the goal, and the portal through which a
    /// search that comes from the goal enters.
    kernel: Search<Node>,
}

impl GoalTree {
    /// Everything that determines the tree of a request.
    fn key_of(request: &Request) -> Key {
        let place = sanitize(request.mesh, request.end).to_array().map(f32::to_bits);
        let flags = (request.mesh.id(), request.filter.include, request.filter.exclude);
        (flags, request.end.polygon.0, place, request.radius.to_bits())
    }

    /// Number of its nodes, whenever it was grown.
    fn size(&self) -> u32 {
        self.kernel.expanded()
    }

    /// Writes the corridor from the start of `request` to its end; returns whether there is one.
    fn find(&mut self, request: &Request, walls: &mut WidthCache, out: &mut Corridor) -> bool {
        out.clear();
        let (goal, key) = (sanitize(request.mesh, request.end), Some(Self::key_of(request)));
        if self.key != key {
            self.grow(request, walls);
            self.key = key;
        }
        if request.start.polygon == request.end.polygon {
            out.cost = sanitize(request.mesh, request.start).distance(goal);
            out.polygons.push(request.start.polygon);
            return true;
        }
        let Some(FirstPortal { cost, portal, mut node }) = self.first(request, walls) else { return false };
        out.cost = cost;
        out.portals.push(portal);
        while node.portal != NONE {
            let Some(twin) = twin(request.mesh, node.portal) else { return false };
            out.portals.push(twin);
            node = *self.kernel.parent(node.parent);
        }
        out.polygons.extend(out.portals.iter().map(|&p| PolyId(request.mesh.portals().portal(p).polygon)));
        out.polygons.push(request.end.polygon);
        true
    }

    /// Searches from the goal until everything is expanded.
    fn grow(&mut self, request: &Request, walls: &mut WidthCache) {
        let Request { mesh, end, .. } = *request;
        let at = sanitize(mesh, end);
        self.kernel.begin(mesh.len() + mesh.portals().len(), |open| {
            let stamp = open.stamp();
            *open.slot(end.polygon.0) = Node { at, cost: 0.0, total: 0.0, parent: NONE, portal: NONE, stamp };
            open.push(end.polygon.0, 0.0);
        });
        self.kernel.run(&mut FromGoal { request, walls, need: request.needed_width() });
    }

    /// The best portal to leave the start by, and the node beyond it.
    fn first(&self, request: &Request, walls: &mut WidthCache) -> Option<FirstPortal> {
        let Request { mesh, start, end, filter, .. } = *request;
        let (portals, polygons, need) = (mesh.portals(), mesh.len() as u32, request.needed_width());
        let from = sanitize(mesh, start);
        let mut best: Option<FirstPortal> = None;
        for way in portals.links_of(start.polygon.0).iter().filter(|w| filter.passes(mesh.polygon(PolyId(w.neighbor))))
        {
            let mut offer = |node: Node| {
                let back = node.portal != NONE && portals.portal(node.portal).polygon == start.polygon.0;
                let cost = from.distance(way.middle) + way.middle.distance(node.at) + node.cost;
                if !back && cost < best.map_or(f32::INFINITY, |b| b.cost) {
                    best = Some(FirstPortal { cost, portal: way.portal, node });
                }
            };
            let next = way.neighbor;
            if next == end.polygon.0 || walls.is_wide(mesh, filter, next, need) {
                self.kernel.get(next).into_iter().for_each(|node| offer(*node));
                continue;
            }
            for on in portals.links_of(next) {
                let Some(by) = twin(mesh, on.portal) else { continue };
                if let Some(node) = self.kernel.get(polygons + by)
                    && walls.width(mesh, filter, way.portal, on.portal) >= need
                {
                    offer(*node);
                }
            }
        }
        best
    }
}

/// The corridors that are wide enough, backwards from the goal.
struct FromGoal<'a> {
    request: &'a Request<'a>,
    walls: &'a mut WidthCache,
    need: f32,
}

impl SearchSpace for FromGoal<'_> {
    type State = Node;

    fn is_goal(&self, _: u32, _: &Node) -> bool {
        false
    }

    fn expand(&mut self, number: u32, here: &Node, open: &mut OpenList<Node>) {
        let Request { mesh, end, filter, .. } = *self.request;
        let (portals, polygons, by, stamp) = (mesh.portals(), mesh.len() as u32, here.portal, open.stamp());
        let (ways, behind) = if by == NONE {
            (portals.links_of(end.polygon.0), NONE)
        } else {
            (portals.links_beyond(by), portals.portal(by).polygon)
        };
        for way in ways {
            if way.neighbor == behind
                || !filter.passes(mesh.polygon(PolyId(way.neighbor)))
                || number >= polygons && self.walls.width(mesh, filter, by, way.portal) < self.need
            {
                continue;
            }
            let wide = self.walls.is_wide(mesh, filter, way.neighbor, self.need);
            let node = if wide { way.neighbor } else { polygons + way.portal };
            let step = if way.step == NO_STEP { way.middle.distance(here.at) } else { way.step };
            let cost = here.cost + step;
            let known = open.slot(node);
            if known.stamp != stamp || cost < known.cost {
                *known = Node { at: way.middle, cost, total: cost, parent: number, portal: way.portal, stamp };
                open.push(node, cost);
            }
        }
    }
}
