//! One search for many goals: Dijkstra's algorithm over the same places and costs as [`path`](super::path).

use glam::Vec3;

use super::heap::{Heap, NO_ITEM, pack, unpack};
use super::path::{Corridor, Node, tame, weight};
use super::{QueryError, check};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};

/// How many of the goals are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The one that costs least.
    Cheapest,
    /// All that can be reached.
    All,
}

/// The best way to a goal so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    cost: f32,
    /// The polygon before the goal's and the portal between, [`NONE`] when the start lies on the goal's polygon.
    from: u32,
    portal: u32,
}

/// The searcher: keeps its memory from query to query.
#[derive(Clone, Debug, Default)]
pub struct ManyPaths {
    nodes: Vec<Node>,
    stamp: u32,
    heap: Heap,
    /// Polygons of goals with the goals' numbers, sorted.
    goals: Vec<(u32, u32)>,
    best: Vec<Option<Best>>,
}

impl ManyPaths {
    /// A searcher without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds ways from `start` to `goals`. The answer has as many entries as there are goals: a corridor with its
    /// cost, or why there is none; with [`Wanted::Cheapest`] the others are `Ok(None)`. Goals that tie may both come.
    ///
    /// # Errors
    /// The start is none; see [`QueryError`].
    pub fn find(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        goals: &[NavPoint],
        filter: &Filter,
        wanted: Wanted,
    ) -> Result<Vec<Result<Option<Corridor>, QueryError>>, QueryError> {
        check(mesh, start, start, filter)?;
        let faults: Vec<_> = goals.iter().map(|&g| check(mesh, start, g, filter).err()).collect();
        self.begin(mesh, start, goals, &faults, filter);
        let expanded = self.search(mesh, goals, filter, wanted);
        let least = self.best.iter().flatten().map(|b| b.cost).fold(f32::INFINITY, f32::min);
        let answer = |i: usize| match (faults[i], self.best[i]) {
            (Some(fault), _) => Err(fault),
            (None, Some(best)) if wanted == Wanted::All || best.cost <= least => {
                let mut out = Corridor { cost: best.cost, expanded, ..Corridor::default() };
                self.trace(mesh, best, goals[i].polygon, &mut out);
                Ok(Some(out))
            }
            (None, _) if wanted == Wanted::Cheapest && least.is_finite() => Ok(None),
            (None, _) => Err(QueryError::Blocked(start.polygon.0, goals[i].polygon.0)),
        };
        Ok((0..goals.len()).map(answer).collect())
    }

    fn begin(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        goals: &[NavPoint],
        faults: &[Option<QueryError>],
        filter: &Filter,
    ) {
        if self.nodes.len() < mesh.len() || self.stamp == u32::MAX {
            self.nodes.clear();
            self.nodes.resize(mesh.len(), Node::default());
            self.stamp = 0;
        }
        self.stamp += 1;
        let at = tame(mesh, start);
        self.nodes[start.polygon.index()] =
            Node { at, cost: 0.0, total: 0.0, parent: NONE, portal: NONE, stamp: self.stamp };
        self.heap.clear();
        self.heap.push(pack(0.0, start.polygon.0));
        self.best.clear();
        self.best.resize(goals.len(), None);
        self.goals.clear();
        for (i, goal) in goals.iter().enumerate().filter(|g| faults[g.0].is_none()) {
            self.goals.push((goal.polygon.0, i as u32));
            if goal.polygon == start.polygon {
                let cost = at.distance(tame(mesh, *goal)) * weight(mesh, filter, start.polygon.0);
                self.best[i] = Some(Best { cost, from: NONE, portal: NONE });
            }
        }
        self.goals.sort_unstable();
    }

    fn search(&mut self, mesh: &NavMesh, goals: &[NavPoint], filter: &Filter, wanted: Wanted) -> u32 {
        let mut expanded = 0;
        while let Some(item) = self.heap.exchange(NO_ITEM) {
            let (cost, at) = unpack(item);
            let here = self.nodes[at as usize];
            if here.cost != cost {
                continue;
            }
            let done = |goal: &(u32, u32)| self.best[goal.1 as usize].is_some_and(|b| b.cost <= cost);
            let enough = match wanted {
                Wanted::Cheapest => self.goals.iter().any(done),
                Wanted::All => self.goals.iter().all(done),
            };
            if enough {
                break;
            }
            expanded += 1;
            let weight_here = weight(mesh, filter, at);
            for way in mesh.portals().of(at) {
                if !filter.passes(mesh.polygon(PolyId(way.neighbor))) {
                    continue;
                }
                let here_to = |place: Vec3| cost + place.distance(here.at) * weight_here;
                self.offer(
                    mesh,
                    goals,
                    filter,
                    way.neighbor,
                    Best { cost: here_to(way.middle), from: at, portal: way.number },
                    way.middle,
                );
                let next = &mut self.nodes[way.neighbor as usize];
                let known = next.stamp == self.stamp;
                let place = if known { next.at } else { way.middle };
                let cost = here_to(place);
                if known && cost >= next.cost || !(cost < f32::INFINITY) {
                    continue;
                }
                *next = Node { at: place, cost, total: cost, parent: at, portal: way.number, stamp: self.stamp };
                self.heap.push(pack(cost, way.neighbor));
            }
        }
        expanded
    }

    /// Ends the way at the goals of a polygon, entered at `place`.
    fn offer(&mut self, mesh: &NavMesh, goals: &[NavPoint], filter: &Filter, polygon: u32, way: Best, place: Vec3) {
        let first = self.goals.partition_point(|g| g.0 < polygon);
        for &(_, goal) in self.goals[first..].iter().take_while(|g| g.0 == polygon) {
            let rest = place.distance(tame(mesh, goals[goal as usize])) * weight(mesh, filter, polygon);
            let cost = way.cost + rest;
            let best = &mut self.best[goal as usize];
            if best.is_none_or(|b| cost < b.cost) && cost < f32::INFINITY {
                *best = Some(Best { cost, ..way });
            }
        }
    }

    fn trace(&self, mesh: &NavMesh, best: Best, goal: PolyId, out: &mut Corridor) {
        let (mut portal, mut from) = (best.portal, best.from);
        while portal != NONE {
            out.portals.push(portal);
            let node = &self.nodes[from as usize];
            (portal, from) = (node.portal, node.parent);
        }
        out.portals.reverse();
        out.polygons.extend(out.portals.iter().map(|&p| PolyId(mesh.portals().gate(p).polygon)));
        out.polygons.push(goal);
    }
}
