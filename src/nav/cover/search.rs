//! Ways that weigh length against exposure: A* over the middles of the mesh's inner edges.
//!
//! A leg costs its length, times the area's cost and the factors of the marks, times 1 + bias · exposure (Brewer,
//! "Tactical Pathfinding on a NavMesh"). The exposure of a leg comes from the planes of a handful of covers: no rays.

use glam::Vec3;
use thiserror::Error;

use super::markup::{Biases, Factors, Marks, Markup};
use super::pull::{LineCost, Pull};
use super::threats::Threats;
use super::wedge::{Intervals, Sides};
use crate::nav::mesh::{Filter, NO_STEP, NONE, NavMesh, NavPoint, PolyId, Portal};
use crate::nav::search::heap::{Heap, HeapItem, pack, unpack};

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
    /// A search that expands more nodes than this per node of its way is [excessive](Effort::is_excessive).
    pub excessive_ratio: f32,
}

impl<'a> TacticalQuery<'a> {
    /// The usual ratio from which on a search is excessive.
    pub const EXCESSIVE: f32 = 40.0;

    /// Everything passable, nothing marked.
    pub fn new(mesh: &'a NavMesh, filter: &'a Filter, biases: &'a Biases) -> Self {
        Self { mesh, filter, markup: None, biases, threats: None, excessive_ratio: Self::EXCESSIVE }
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
    /// What the search did to find it.
    pub effort: Effort,
}

/// What a search did to find a way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// How many nodes it expanded.
    pub expanded: u32,
    /// That per node of the way over middles of edges, both ends included.
    pub ratio: f32,
    /// Whether it is more than the query asked for: the biases are too large for the search to aim at the target.
    pub is_excessive: bool,
}

impl Effort {
    fn new(expanded: u32, nodes: usize, query: &TacticalQuery) -> Self {
        let ratio = expanded as f32 / nodes as f32;
        Self { expanded, ratio, is_excessive: ratio > query.excessive_ratio }
    }
}

/// A node: a portal, crossed out of its polygon; the last one is the end.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
struct Node {
    point: Vec3,
    cost: f32,
    total: f32,
    parent: u32,
    run: u32,
    /// The polygon that one comes to.
    polygon: u32,
}

/// How much of a leg between two middles is seen, by the number of its way; it counts when `run` is the memory's.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    run: u32,
    exposure: f32,
}

/// What is known of legs for one set of threats on one mesh.
#[derive(Clone, Debug, Default)]
struct Memory {
    of: (u64, u64),
    run: u32,
    legs: Vec<Seen>,
}

impl Memory {
    /// Forgets what belongs to other threats or to another mesh.
    fn keep_for(&mut self, threats: &Threats, mesh: &NavMesh) {
        let of = (threats.id(), mesh.id());
        if self.run == 0 || self.of != of {
            self.of = of;
            self.run = self.run.wrapping_add(1);
            if self.run == 0 {
                self.legs.clear();
                self.run = 1;
            }
        }
        if self.legs.len() < mesh.portals().ways_len() {
            self.legs.resize(mesh.portals().ways_len(), Seen::default());
        }
    }
}

/// Searches one way after the other; keeps its arrays, and how exposed legs between middles are as long as threats and
/// mesh stay.
#[derive(Clone, Debug, Default)]
pub struct TacticalSearch {
    nodes: Vec<Node>,
    heap: Heap<u64>,
    /// The best of the last expansion, which is often the next: it stays out of the heap until then.
    held: u64,
    run: u32,
    memory: Memory,
    /// Of the node that is being expanded.
    sides: Vec<Sides>,
    parts: (Intervals, Intervals),
    pull: Pull,
}

/// What stays the same during one search.
struct Run<'a> {
    query: &'a TacticalQuery<'a>,
    factors: Factors,
    /// The exposure bias; 0 without enemies.
    bias: f32,
    end: NavPoint,
    /// Number of the end's node, and of its polygon as a goal.
    goal: u32,
    goal_number: u32,
    /// A metre costs the same on every polygon, but for what enemies see of it.
    even: bool,
    /// Nothing weighs but length, so that no way leads twice through a polygon.
    plain: bool,
    /// Every polygon may be entered.
    all_pass: bool,
}

impl Run<'_> {
    fn marks(&self, polygon: u32) -> Marks {
        self.query.markup.map_or(Marks::NONE, |m| m.get(self.query.mesh, PolyId(polygon)))
    }

    fn may_enter(&self, polygon: u32) -> bool {
        self.query.filter.passes(&self.query.mesh.polygons()[polygon as usize])
            && self.factors.of(self.marks(polygon)).is_finite()
    }

    fn check_end(&self, name: &'static str, NavPoint { polygon, point }: NavPoint) -> Result<(), TacticalError> {
        if polygon.index() >= self.query.mesh.len() || !point.is_finite() {
            return Err(TacticalError::BadEnd(name));
        }
        if self.may_enter(polygon.0) { Ok(()) } else { Err(TacticalError::Barred(name)) }
    }

    /// Whether a way out of a polygon may be taken and leads to the end: at once, or back by another edge, which pays
    /// where the polygon itself is dear.
    #[inline(always)]
    fn leads_on(&self, polygon: u32, way: &Portal) -> bool {
        let on = way.goals.contain(self.goal_number);
        (on || !self.plain && self.comes_back(polygon, way)) && (self.all_pass || self.may_enter(way.neighbor))
    }

    #[inline(never)]
    fn comes_back(&self, polygon: u32, way: &Portal) -> bool {
        let returns = |o: &Portal| o.number != way.number && o.goals == way.goals;
        self.query.mesh.portals().of(polygon).iter().any(returns)
    }

    /// Factor on a metre of the polygon, and on that of an enemy's sight.
    #[inline(always)]
    fn weigh(&self, polygon: u32) -> (f32, f32) {
        if self.even {
            return (1.0, if self.plain { 0.0 } else { 1.0 });
        }
        let marks = self.marks(polygon);
        let area = self.query.mesh.polygons()[polygon as usize].area;
        (self.query.filter.cost[usize::from(area & 63)] * self.factors.of(marks), self.factors.visible(marks))
    }
}

impl TacticalSearch {
    /// The cheapest way over the middles of edges from a point in a polygon to another, with what is seen of it.
    ///
    /// # Errors
    /// There is none, or the query makes no sense: see [`TacticalError`].
    pub fn find(
        &mut self,
        query: &TacticalQuery,
        start: NavPoint,
        end: NavPoint,
    ) -> Result<TacticalPath, TacticalError> {
        let (run, expanded) = self.search(query, start, end)?;
        Ok(self.collect(&run, start, expanded))
    }

    /// The same way, pulled tight where that makes it neither dearer nor more exposed. `out` gets its points and the
    /// polygons beside the middles.
    ///
    /// # Errors
    /// As [`find`](Self::find); then `out` is empty.
    pub fn find_line(
        &mut self,
        query: &TacticalQuery,
        start: NavPoint,
        end: NavPoint,
        out: (&mut Vec<Vec3>, &mut Vec<PolyId>),
    ) -> Result<Effort, TacticalError> {
        out.0.clear();
        out.1.clear();
        let (run, expanded) = self.search(query, start, end)?;
        let mut pull = std::mem::take(&mut self.pull);
        pull.begin();
        let (mut state, mut nodes) = (run.goal, 1);
        while state != NONE {
            nodes += 1;
            let node = &self.nodes[state as usize];
            pull.add(node.point, node.cost, (state != run.goal).then_some(state));
            state = node.parent;
        }
        let threats = query.threats.filter(|_| run.bias > 0.0);
        let cost = LineCost {
            mesh: query.mesh,
            threats,
            bias: run.bias,
            plain: run.plain,
            by_corners: run.even && !threats.is_some_and(Threats::counts_heights),
            weigh: |p| run.weigh(p),
        };
        pull.run(&cost, start, end, out);
        self.pull = pull;
        Ok(Effort::new(expanded, nodes, query))
    }

    fn search<'a>(
        &mut self,
        query: &'a TacticalQuery<'a>,
        start: NavPoint,
        end: NavPoint,
    ) -> Result<(Run<'a>, u32), TacticalError> {
        let factors =
            Factors::new(query.biases, query.filter).map_err(|(name, value)| TacticalError::BadFactor(name, value))?;
        let bias = if query.threats.is_some_and(|t| !t.is_empty()) { query.biases.exposure } else { 0.0 };
        let even = query.markup.is_none() && query.filter.is_even();
        let plain = even && bias == 0.0;
        let all_pass = query.mesh.all_flagged() && query.markup.is_none() && query.filter.passes_all();
        let mesh = query.mesh;
        let mut run =
            Run { query, factors, bias, end, goal: mesh.portals().len() as u32, goal_number: 0, even, plain, all_pass };
        run.check_end("start", start)?;
        run.check_end("end", end)?;
        run.goal_number = mesh.portals().number(end.polygon.0);
        if plain {
            run.factors.least = 1.0;
        }
        let islands = [start.polygon, end.polygon].map(|p| mesh.polygon(p).component);
        if islands[0] != islands[1] {
            return Err(TacticalError::OtherIsland(islands[0], islands[1]));
        }
        if let Some(threats) = query.threats.filter(|_| bias > 0.0) {
            self.memory.keep_for(threats, mesh);
        }
        let expanded = self.spread(&run, start);
        if self.nodes[run.goal as usize].run != self.run {
            return Err(TacticalError::NoWay(expanded));
        }
        Ok((run, expanded))
    }

    /// Expands nodes until the end is the cheapest of them.
    fn spread(&mut self, run: &Run, start: NavPoint) -> u32 {
        self.heap.clear();
        self.held = u64::NONE;
        if self.nodes.len() <= run.goal as usize {
            self.nodes.resize(run.goal as usize + 1, Node::default());
        }
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.nodes.fill(Node::default());
            self.run = 1;
        }
        let origin = Node { point: start.point, parent: NONE, polygon: start.polygon.0, ..Node::default() };
        let mut expanded = 1;
        if run.bias > 0.0 {
            self.expand::<true>(run, &origin, NONE);
        } else {
            self.expand::<false>(run, &origin, NONE);
        }
        while let Some(item) = self.heap.replace_top(std::mem::replace(&mut self.held, u64::NONE)) {
            let (total, state) = unpack(item);
            let node = self.nodes[state as usize];
            if total != node.total {
                continue;
            }
            if state == run.goal {
                break;
            }
            expanded += 1;
            if run.bias > 0.0 {
                self.expand::<true>(run, &node, state);
            } else {
                self.expand::<false>(run, &node, state);
            }
        }
        expanded
    }

    /// Reaches out from a node to all ways out of the polygon beyond, and to the end if it is there.
    fn expand<const FEARS: bool>(&mut self, run: &Run, from: &Node, state: u32) {
        let (portals, polygon) = (run.query.mesh.portals(), from.polygon);
        let (factor, visible) = run.weigh(polygon);
        let bias = run.bias * visible;
        let threats = run.query.threats.filter(|_| FEARS && bias > 0.0);
        self.sides.clear();
        if polygon == run.end.polygon.0 {
            let plain = from.point.distance(run.end.point) * factor;
            let seen = threats.map_or(0.0, |t| self.exposure(t, from.point, run.end.point));
            self.reach(run, from.cost + plain * (1.0 + bias * seen), (run.end.point, polygon), state, run.goal);
        }
        for at in portals.ways_out(polygon, state) {
            let way = *portals.way(at);
            let listed = way.step != NO_STEP;
            // Lists of exits leave out what leads back.
            let back = !listed && state != NONE && portals.gate(state).polygon == way.neighbor;
            if back || !run.leads_on(polygon, &way) {
                continue;
            }
            let length = if listed { way.step } else { from.point.distance(way.middle) };
            let plain = length * factor;
            // The planes are asked only where the way would be an improvement if nobody saw it.
            let node = &self.nodes[way.number as usize];
            if node.run == self.run && from.cost + plain >= node.cost {
                continue;
            }
            let mut cost = from.cost + plain;
            if let Some(threats) = threats {
                let known = self.memory.legs[at as usize];
                let seen = if listed && known.run == self.memory.run {
                    known.exposure
                } else {
                    let exposure = self.exposure(threats, from.point, way.middle);
                    if listed {
                        self.memory.legs[at as usize] = Seen { run: self.memory.run, exposure };
                    }
                    exposure
                };
                cost = from.cost + plain * (1.0 + bias * seen);
            }
            self.reach(run, cost, (way.middle, way.neighbor), state, way.number);
        }
    }

    /// Which part of the way from the place that is being expanded is seen.
    #[inline(never)]
    fn exposure(&mut self, threats: &Threats, from: Vec3, to: Vec3) -> f32 {
        if self.sides.is_empty() {
            threats.sides(from, &mut self.sides);
        }
        threats.exposure_from(&self.sides, to, &mut self.parts)
    }

    #[inline]
    fn reach(&mut self, run: &Run, cost: f32, (point, polygon): (Vec3, u32), parent: u32, state: u32) {
        let node = &mut self.nodes[state as usize];
        if node.run == self.run && cost >= node.cost {
            return;
        }
        let total = cost + run.factors.least * point.distance(run.end.point);
        *node = Node { point, cost, total, parent, run: self.run, polygon };
        self.held = self.heap.keep_larger(self.held, pack(total, state));
    }

    /// The way back from the end, turned round, with the exposure of its legs.
    fn collect(&mut self, run: &Run, start: NavPoint, expanded: u32) -> TacticalPath {
        let mesh = run.query.mesh;
        let mut path = TacticalPath { cost: self.nodes[run.goal as usize].cost, ..TacticalPath::default() };
        let mut state = run.goal;
        while state != NONE {
            let node = &self.nodes[state as usize];
            path.points.push(node.point);
            path.polygons.push(if state == run.goal {
                run.end.polygon
            } else {
                PolyId(mesh.portals().gate(state).polygon)
            });
            state = node.parent;
        }
        path.points.push(start.point);
        path.points.reverse();
        path.polygons.reverse();
        for (ends, polygon) in path.points.windows(2).zip(&path.polygons) {
            let mut leg = Leg { length: ends[0].distance(ends[1]), ..Leg::default() };
            if let Some(threats) = run.query.threats.filter(|t| !t.is_empty()) {
                threats.hidden(ends[0], ends[1], &mut leg.hidden, &mut self.parts.1);
                leg.exposure = (1.0 - leg.hidden.total()) * run.factors.visible(run.marks(polygon.0));
            }
            path.length += leg.length;
            path.exposed_length += leg.length * leg.exposure;
            path.legs.push(leg);
        }
        path.effort = Effort::new(expanded, path.points.len(), run.query);
        path
    }
}

#[cfg(test)]
mod tests;
