//! Ways that weigh length against exposure: A* over the middles of the mesh's inner edges.
//!
//! A leg costs its length, times the area's cost and the factors of the marks, times 1 + bias · exposure (Brewer,
//! "Tactical Pathfinding on a NavMesh"). The exposure of a leg comes from the planes of a handful of covers: no rays.

use glam::Vec3;
use thiserror::Error;

use super::markup::{Biases, Factors, Marks, Markup};
use super::threats::Threats;
use super::wedge::{Intervals, Sides};
use crate::nav::mesh::{Filter, NONE, NavMesh, PolyId};
use crate::nav::query::key_heap::KeyHeap;

/// What a way is asked for.
#[derive(Clone, Copy, Debug)]
pub struct TacticalQuery<'a> {
    /// The ground.
    pub mesh: &'a NavMesh,
    /// Which polygons may be used, and what their areas cost.
    pub filter: &'a Filter,
    /// What designers said about them.
    pub markup: Option<&'a Markup>,
    /// How the agent weighs it.
    pub biases: &'a Biases,
    /// Whom he fears; none: the plain way.
    pub threats: Option<&'a Threats>,
    /// A search that expands more nodes than this per node of its way is [excessive](TacticalPath::is_excessive).
    pub excessive_ratio: f32,
}

impl<'a> TacticalQuery<'a> {
    /// Everything passable, nothing marked.
    pub fn new(mesh: &'a NavMesh, filter: &'a Filter, biases: &'a Biases) -> Self {
        Self { mesh, filter, markup: None, biases, threats: None, excessive_ratio: 40.0 }
    }
}

/// Why there is no way.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TacticalError {
    /// Start or end lies nowhere.
    #[error("no tactical path: the {0} is not a finite point on a polygon of this mesh")]
    BadEnd(&'static str),
    /// Start or end lies where the filter or the marks keep the agent off.
    #[error("no tactical path: the {0} lies on ground that the agent may not use; change its filter or the marks")]
    Barred(&'static str),
    /// Start and end are not connected: their components.
    #[error("no tactical path: start and end lie on islands {0} and {1}, which are not connected")]
    OtherIsland(u32, u32),
    /// They are, but not for this agent: nodes expanded to find out.
    #[error("no tactical path: every way leads over ground that the agent may not use ({0} nodes were expanded)")]
    NoWay(u32),
    /// A factor of the biases or the filter is out of bounds: its name and value.
    #[error("no tactical path: factor '{0}' is {1}; use one of at least 1, or allow smaller ones above 0 by scaling")]
    BadFactor(String, f32),
}

/// One straight piece of a way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Leg {
    /// In metres.
    pub length: f32,
    /// Which part of it is seen, 0 to 1.
    pub exposure: f32,
    /// The parts that nobody sees; empty when there is no enemy.
    pub hidden: Intervals,
}

/// A way and what it cost to find it.
#[derive(Clone, Debug, Default)]
pub struct TacticalPath {
    /// Start, middles of the crossed edges, end; local.
    pub points: Vec<Vec3>,
    /// The polygons that it leads through, one per leg.
    pub polygons: Vec<PolyId>,
    /// The pieces between the points.
    pub legs: Vec<Leg>,
    /// What was made least.
    pub cost: f32,
    /// In metres.
    pub length: f32,
    /// How much of that is seen, in metres.
    pub exposed_length: f32,
    /// How many nodes the search expanded.
    pub expanded: u32,
    /// That per node of the way.
    pub expanded_ratio: f32,
    /// Whether it is more than the query asked for: the biases are too large for the search to aim at the target.
    pub is_excessive: bool,
}

/// A node: an edge, crossed out of its polygon; the last one is the end.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    point: Vec3,
    cost: f32,
    parent: u32,
    run: u32,
}

/// Searches one way after the other; keeps its arrays.
#[derive(Clone, Debug, Default)]
pub struct TacticalSearch {
    nodes: Vec<Node>,
    /// States by the least cost of a way through them, each with its cost when it was put in: a later, cheaper entry
    /// makes it stale.
    heap: KeyHeap<f32, (f32, u32)>,
    run: u32,
    /// Of the node that is being expanded.
    sides: Vec<Sides>,
    hidden: Intervals,
    scratch: Intervals,
}

/// What stays the same during one search.
struct Run<'a> {
    query: &'a TacticalQuery<'a>,
    factors: Factors,
    /// The exposure bias; 0 without enemies.
    bias: f32,
    end: (PolyId, Vec3),
    /// Number of the end's node.
    goal: u32,
}

impl Run<'_> {
    fn marks(&self, polygon: u32) -> Marks {
        self.query.markup.map_or(Marks::NONE, |m| m.get(PolyId(polygon)))
    }

    fn may_enter(&self, polygon: u32) -> bool {
        self.query.filter.passes(&self.query.mesh.polygons()[polygon as usize])
            && self.factors.of(self.marks(polygon)).is_finite()
    }

    fn check_end(&self, name: &'static str, (polygon, point): (PolyId, Vec3)) -> Result<(), TacticalError> {
        if polygon.index() >= self.query.mesh.len() || !point.is_finite() {
            return Err(TacticalError::BadEnd(name));
        }
        if self.may_enter(polygon.0) { Ok(()) } else { Err(TacticalError::Barred(name)) }
    }
}

impl TacticalSearch {
    /// The cheapest way over the middles of edges from a point in a polygon to another.
    ///
    /// # Errors
    /// There is none, or the query makes no sense: see [`TacticalError`].
    pub fn find(
        &mut self,
        query: &TacticalQuery,
        start: (PolyId, Vec3),
        end: (PolyId, Vec3),
    ) -> Result<TacticalPath, TacticalError> {
        let factors =
            Factors::new(query.biases, query.filter).map_err(|(name, value)| TacticalError::BadFactor(name, value))?;
        let bias = if query.threats.is_some_and(|t| !t.is_empty()) { query.biases.exposure } else { 0.0 };
        let run = Run { query, factors, bias, end, goal: query.mesh.edges().len() as u32 };
        run.check_end("start", start)?;
        run.check_end("end", end)?;
        let islands = [start.0, end.0].map(|p| query.mesh.polygon(p).component);
        if islands[0] != islands[1] {
            return Err(TacticalError::OtherIsland(islands[0], islands[1]));
        }
        let expanded = self.spread(&run, start);
        if self.nodes[run.goal as usize].run != self.run {
            return Err(TacticalError::NoWay(expanded));
        }
        Ok(self.collect(&run, start, expanded))
    }

    /// Expands nodes until the end is the cheapest of them.
    fn spread(&mut self, run: &Run, start: (PolyId, Vec3)) -> u32 {
        self.heap.clear();
        self.nodes.resize(run.goal as usize + 1, Node::default());
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.nodes.fill(Node::default());
            self.run = 1;
        }
        self.expand(run, start.0.0, start.1, 0.0, NONE);
        let mut expanded = 1;
        while let Some((_, (cost, state))) = self.heap.pop() {
            if state == run.goal {
                break;
            }
            let node = self.nodes[state as usize];
            if cost > node.cost {
                continue;
            }
            expanded += 1;
            let polygon = run.query.mesh.edges()[state as usize].neighbor;
            self.expand(run, polygon, node.point, node.cost, state);
        }
        expanded
    }

    /// Reaches out from a point to all ways out of the polygon, and to the end if it is there.
    fn expand(&mut self, run: &Run, polygon: u32, from: Vec3, cost: f32, state: u32) {
        let mesh = run.query.mesh;
        let p = &mesh.polygons()[polygon as usize];
        let marks = run.marks(polygon);
        let factor = run.query.filter.cost[usize::from(p.area)] * run.factors.of(marks);
        let leg = Reach { from, cost, state, factor, bias: run.bias * run.factors.visible(marks) };
        if let Some(threats) = run.query.threats.filter(|_| leg.bias > 0.0) {
            threats.sides(from, &mut self.sides);
        }
        if polygon == run.end.0.0 {
            self.reach(run, &leg, run.goal, run.end.1);
        }
        let back = if state == NONE { NONE } else { mesh.edges()[state as usize].twin };
        let edges = mesh.edges_of(PolyId(polygon));
        for (i, e) in edges.iter().enumerate() {
            let number = p.first_edge + i as u32;
            if e.neighbor == NONE || number == back || !run.may_enter(e.neighbor) {
                continue;
            }
            let next = edges[if i + 1 == edges.len() { 0 } else { i + 1 }].vertex;
            let middle = (mesh.vertices()[e.vertex as usize] + mesh.vertices()[next as usize]) * 0.5;
            self.reach(run, &leg, number, middle);
        }
    }

    #[inline]
    fn reach(&mut self, run: &Run, leg: &Reach, state: u32, point: Vec3) {
        let known =
            if self.nodes[state as usize].run == self.run { self.nodes[state as usize].cost } else { f32::INFINITY };
        let plain = leg.from.distance(point) * leg.factor;
        // The planes are asked only where the way would be an improvement if nobody saw it.
        if leg.cost + plain >= known {
            return;
        }
        let mut cost = leg.cost + plain;
        if leg.bias > 0.0
            && let Some(threats) = run.query.threats
        {
            threats.hidden_from(&self.sides, point, &mut self.hidden, &mut self.scratch);
            cost = leg.cost + plain * (1.0 + leg.bias * (1.0 - self.hidden.total()));
            if cost >= known {
                return;
            }
        }
        self.nodes[state as usize] = Node { point, cost, parent: leg.state, run: self.run };
        self.heap.push(cost + run.factors.least * point.distance(run.end.1), (cost, state));
    }

    /// The way back from the end, turned round, with the exposure of its legs.
    fn collect(&mut self, run: &Run, start: (PolyId, Vec3), expanded: u32) -> TacticalPath {
        let mesh = run.query.mesh;
        let mut path = TacticalPath { expanded, cost: self.nodes[run.goal as usize].cost, ..TacticalPath::default() };
        let mut state = run.goal;
        while state != NONE {
            let node = &self.nodes[state as usize];
            path.points.push(node.point);
            path.polygons.push(if state == run.goal {
                run.end.0
            } else {
                PolyId(mesh.edges()[state as usize].polygon)
            });
            state = node.parent;
        }
        path.points.push(start.1);
        path.points.reverse();
        path.polygons.reverse();
        for (ends, polygon) in path.points.windows(2).zip(&path.polygons) {
            let mut leg = Leg { length: ends[0].distance(ends[1]), ..Leg::default() };
            if let Some(threats) = run.query.threats.filter(|t| !t.is_empty()) {
                threats.hidden(ends[0], ends[1], &mut leg.hidden, &mut self.scratch);
                leg.exposure = (1.0 - leg.hidden.total()) * run.factors.visible(run.marks(polygon.0));
            }
            path.length += leg.length;
            path.exposed_length += leg.length * leg.exposure;
            path.legs.push(leg);
        }
        path.expanded_ratio = expanded as f32 / path.points.len() as f32;
        path.is_excessive = path.expanded_ratio > run.query.excessive_ratio;
        path
    }
}

/// From where a leg starts and what it costs there.
struct Reach {
    from: Vec3,
    cost: f32,
    state: u32,
    factor: f32,
    bias: f32,
}

#[cfg(test)]
mod tests;
