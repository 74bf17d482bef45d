//! Tactical search: A* over the borders of exposure cells with costs that weigh length against exposure.
//!
//! A metre costs area cost · mark factors · (1 + bias · exposure) (Brewer, "Tactical Pathfinding on a NavMesh"). Polygons
//! are cut along the outlines of the shadows, so that within a cell every metre costs the same; the cheapest sequence of
//! cells over points on their borders is then pulled tight. No rays are cast.

use glam::Vec3;
use thiserror::Error;

use super::cell_graph::{CellBorder, CellGraph};
use super::markup::{Biases, Factors, Marks, Markup};
use super::shadow::Intervals;
use super::taut::{Gate, SnellPath, TautPoint};
use super::threats::Threats;
use crate::math::plan;
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};
use crate::nav::query::funnel::{Crossings, PathPoint, straight_path};
use crate::nav::query::path::{Corridor, CorridorFinder};
use crate::nav::query::raycast::raycast;
use crate::nav::search::heap::{Heap, HeapItem, pack, unpack};

/// A tactical path query.
#[derive(Clone, Copy, Debug)]
pub struct TacticalQuery<'a> {
    /// The mesh.
    pub mesh: &'a NavMesh,
    /// Which polygons may be used, and what their areas cost.
    pub filter: &'a Filter,
    /// Tactical marks of the polygons.
    pub markup: Option<&'a Markup>,
    /// The agent's weights.
    pub biases: &'a Biases,
    /// The enemies; without any, exposure does not count.
    pub threats: Option<&'a Threats>,
    /// A search that expands more nodes than this per node of its path is [excessive](SearchStats::is_excessive).
    pub excessive_ratio: f32,
}

impl<'a> TacticalQuery<'a> {
    /// Default of [`excessive_ratio`](Self::excessive_ratio).
    pub const EXCESSIVE: f32 = 40.0;

    /// A query without marks and enemies.
    pub fn new(mesh: &'a NavMesh, filter: &'a Filter, biases: &'a Biases) -> Self {
        Self { mesh, filter, markup: None, biases, threats: None, excessive_ratio: Self::EXCESSIVE }
    }

    /// What a line on the mesh costs where only length and exposure count, in plan; else `None`.
    pub fn cost_of(&self, points: &[Vec3]) -> Option<f64> {
        let threats = self.threats.filter(|t| !t.is_empty());
        if !self.is_even() || threats.is_some_and(Threats::counts_heights) {
            return None;
        }
        Some(points.windows(2).map(|leg| self.leg_cost(threats, leg[0], leg[1])).sum())
    }

    /// Whether a metre costs the same on every polygon, exposure aside.
    fn is_even(&self) -> bool {
        self.markup.is_none() && self.filter.has_uniform_cost()
    }

    /// Cost of a straight line where only length and exposure count.
    fn leg_cost(&self, threats: Option<&Threats>, a: Vec3, b: Vec3) -> f64 {
        let exposed = threats.map_or(0.0, |threats| threats.exposed_length(&[a, b]));
        f64::from(a.distance(b)) + f64::from(self.biases.exposure) * exposed
    }
}

/// Why there is no path.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TacticalError {
    /// Start or end is not a point on a polygon.
    #[error("no tactical path: the {0} is not a finite point on a polygon of this mesh")]
    BadEnd(&'static str),
    /// Start or end lies on ground that the filter or the marks exclude.
    #[error("no tactical path: the {0} lies on ground that the agent may not use; change its filter or the marks")]
    Barred(&'static str),
    /// Start and end lie on these two islands.
    #[error("no tactical path: start and end lie on different islands of the mesh; no edge leads across")]
    OtherIsland(u32, u32),
    /// The island is connected, but not for this agent; nodes expanded.
    #[error("no tactical path: every way leads over ground that the agent may not use ({0} nodes were expanded)")]
    NoWay(u32),
    /// A factor of the biases or the filter is out of range: name and value.
    #[error("no tactical path: factor '{0}' is {1}; use one of at least 1, or allow smaller ones above 0 by scaling")]
    BadFactor(String, f32),
}

/// A straight leg of a path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TacticalLeg {
    /// Length, metres.
    pub length: f32,
    /// Fraction of it that is seen, 0 to 1.
    pub exposure: f32,
    /// The hidden parts; empty without enemies.
    pub hidden: Intervals,
}

/// A tactical path.
#[derive(Clone, Debug, Default)]
pub struct TacticalPath {
    /// Start, points on the borders of cells, end; local.
    pub points: Vec<Vec3>,
    /// The polygons crossed, one per leg; one that is cut into cells may come several times.
    pub polygons: Vec<PolyId>,
    /// The legs between the points.
    pub legs: Vec<TacticalLeg>,
    /// The minimized cost.
    pub cost: f32,
    /// Length, metres.
    pub length: f32,
    /// Exposed length, metres.
    pub exposed_length: f32,
    /// Statistics of the search.
    pub stats: SearchStats,
}

/// Statistics of a tactical search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchStats {
    /// Number of expanded nodes.
    pub expanded: u32,
    /// Expanded nodes per node of the path before it is pulled tight, both ends included.
    pub ratio: f32,
    /// Whether the ratio exceeds the query's limit: the biases are so large that the heuristic hardly guides the search.
    pub is_excessive: bool,
    /// Cost of the way over points on the borders of cells, before it is pulled tight.
    pub cost: f64,
}

impl SearchStats {
    fn new(expanded: u32, nodes: usize, cost: f32, query: &TacticalQuery) -> Self {
        let ratio = expanded as f32 / nodes as f32;
        Self { expanded, ratio, is_excessive: ratio > query.excessive_ratio, cost: cost.into() }
    }
}

/// What is known of a node of the graph.
#[derive(Clone, Copy, Debug, Default)]
struct Label {
    cost: f32,
    total: f32,
    /// The node before; [`NONE`] for the start.
    parent: u32,
    /// The cell that it leads into.
    into: u32,
    point: Vec3,
    run: u32,
}

/// A line that saves less is not worth a change, as a cost.
pub(in crate::nav) const MIN_GAIN: f64 = 1e-4;

/// The end's node.
const GOAL: u32 = NONE - 1;

/// Runs one search at a time; keeps its buffers, and the cells as long as threats and mesh stay the same.
#[derive(Clone, Debug, Default)]
pub struct TacticalSearch {
    graph: CellGraph,
    labels: Vec<Label>,
    goal: Label,
    heap: Heap<u64>,
    /// The best node of the last expansion, held out of the heap since it is often the next.
    held: u64,
    run: u32,
    plain: CorridorFinder,
    corridor: Corridor,
    turns: Vec<PathPoint>,
    taut: SnellPath,
    gates: Vec<Gate>,
    weights: Vec<f32>,
    /// The cells of the path found, from the start on.
    cells: Vec<u32>,
    line: Vec<TautPoint>,
    /// Costs of its legs.
    costs: Vec<f64>,
    /// Polygons under a leg that may replace others.
    under: Vec<PolyId>,
}

/// The constants of one search.
struct ActiveQuery<'a> {
    query: &'a TacticalQuery<'a>,
    /// The enemies, if there are any.
    threats: Option<&'a Threats>,
    factors: Factors,
    end: NavPoint,
    end_cell: u32,
    /// Goal number of the end's polygon.
    goal_number: u32,
    /// Whether a metre costs the same on every polygon, exposure aside.
    even: bool,
    /// Whether every polygon may be entered.
    all_pass: bool,
}

impl ActiveQuery<'_> {
    fn marks(&self, polygon: u32) -> Marks {
        self.query.markup.map_or(Marks::NONE, |m| m.get(self.query.mesh, PolyId(polygon)))
    }

    fn may_enter(&self, polygon: u32) -> bool {
        self.query.filter.passes(&self.query.mesh.polygons()[polygon as usize])
            && self.factors.factor(self.marks(polygon)).is_finite()
    }

    fn check_end(&self, name: &'static str, NavPoint { polygon, point }: NavPoint) -> Result<(), TacticalError> {
        if polygon.index() >= self.query.mesh.len() || !point.is_finite() {
            return Err(TacticalError::BadEnd(name));
        }
        if self.may_enter(polygon.0) { Ok(()) } else { Err(TacticalError::Barred(name)) }
    }

    /// Whether a border may be crossed into a cell and leads to the goal: directly, or back by another portal, which pays
    /// where the polygon itself is costly.
    fn leads_on(&self, border: &CellBorder, into: u32) -> bool {
        if border.portal == NONE {
            return true;
        }
        let portals = self.query.mesh.portals();
        let out = portals.portal(border.portal);
        let (from, edge) = if border.cells[1] == into {
            (out.polygon, out.edge)
        } else {
            let twin = self.query.mesh.edges()[out.edge as usize].twin;
            (self.query.mesh.edges()[twin as usize].polygon, twin)
        };
        let links = portals.links_of(from);
        let Some(way) = links.iter().find(|l| portals.portal(l.portal).edge == edge) else { return false };
        (self.all_pass || self.may_enter(way.neighbor))
            && (way.goals.contains(self.goal_number)
                || links.iter().any(|other| other.portal != way.portal && other.goals == way.goals))
    }

    /// Cost of a straight line where only length and exposure count.
    fn cost(&self, a: Vec3, b: Vec3) -> f64 {
        self.query.leg_cost(self.threats, a, b)
    }

    /// Cost of a metre of a polygon, seen or not.
    #[inline]
    fn weight(&self, polygon: u32, is_seen: bool) -> f32 {
        let bias = if is_seen { self.query.biases.exposure } else { 0.0 };
        if self.even {
            return 1.0 + bias;
        }
        let marks = self.marks(polygon);
        let area = self.query.mesh.polygons()[polygon as usize].area;
        let factor = self.query.filter.cost[usize::from(area & 63)] * self.factors.factor(marks);
        factor * (1.0 + bias * self.factors.visibility(marks))
    }
}

impl TacticalSearch {
    /// Finds the cheapest path over points on the borders of cells, each of which is seen or hidden throughout.
    ///
    /// # Errors
    /// See [`TacticalError`].
    pub fn find(
        &mut self,
        query: &TacticalQuery,
        start: NavPoint,
        end: NavPoint,
    ) -> Result<TacticalPath, TacticalError> {
        let mut run = prepare(query, start, end)?;
        let expanded = self.search(&mut run, start)?;
        Ok(self.collect(&run, start, expanded))
    }

    /// As [`find`](Self::find), pulled tight. Writes its points and its polygons to `out`.
    ///
    /// # Errors
    /// As [`find`](Self::find); then `out` is empty.
    pub fn find_line(
        &mut self,
        query: &TacticalQuery,
        start: NavPoint,
        end: NavPoint,
        out: (&mut Vec<Vec3>, &mut Vec<PolyId>),
    ) -> Result<SearchStats, TacticalError> {
        out.0.clear();
        out.1.clear();
        let mut run = prepare(query, start, end)?;
        if run.even && (run.threats.is_none() || query.biases.exposure == 0.0) {
            return self.find_plain(&run, start, out);
        }
        let expanded = self.search(&mut run, start)?;
        self.tighten(&run, start, (&mut *out.0, &mut *out.1));
        self.take_plain_if_cheaper(&run, start, out);
        Ok(SearchStats::new(expanded, self.gates.len() + 2, self.goal.cost, query))
    }

    /// Where only length counts, the funnel gives the path.
    fn find_plain(
        &mut self,
        run: &ActiveQuery,
        start: NavPoint,
        (points, polygons): (&mut Vec<Vec3>, &mut Vec<PolyId>),
    ) -> Result<SearchStats, TacticalError> {
        let TacticalQuery { mesh, filter, .. } = *run.query;
        let found = self.plain.find(mesh, start, run.end, filter, &mut self.corridor);
        found.map_err(|_| TacticalError::NoWay(self.corridor.expanded))?;
        straight_path(mesh, &self.corridor, start.point, run.end.point, Crossings::None, &mut self.turns);
        points.extend(self.turns.iter().map(|t| t.point));
        polygons.extend_from_slice(&self.corridor.polygons);
        let nodes = self.corridor.portals.len() + 2;
        Ok(SearchStats::new(self.corridor.expanded, nodes, self.corridor.cost, run.query))
    }

    /// Puts the plain path in place of one that costs more: a search over a few points of each border may miss that the
    /// straight way is the cheapest.
    fn take_plain_if_cheaper(
        &mut self,
        run: &ActiveQuery,
        start: NavPoint,
        (points, polygons): (&mut Vec<Vec3>, &mut Vec<PolyId>),
    ) {
        let TacticalQuery { mesh, filter, .. } = *run.query;
        if !run.even || self.plain.find(mesh, start, run.end, filter, &mut self.corridor).is_err() {
            return;
        }
        let by_height = run.threats.is_some_and(Threats::counts_heights);
        let crossings = if by_height { Crossings::All } else { Crossings::None };
        straight_path(mesh, &self.corridor, start.point, run.end.point, crossings, &mut self.turns);
        let plain = self.turns.windows(2).map(|leg| run.cost(leg[0].point, leg[1].point)).sum::<f64>();
        if plain < points.windows(2).map(|leg| run.cost(leg[0], leg[1])).sum::<f64>() - MIN_GAIN {
            points.clear();
            points.extend(self.turns.iter().map(|t| t.point));
            polygons.clear();
            polygons.extend_from_slice(&self.corridor.polygons);
        }
    }

    /// Expands nodes until the end is the cheapest; returns the number of expansions. The cells of the path stand in
    /// `self.cells`, the borders between them in `self.gates`.
    fn search(&mut self, run: &mut ActiveQuery, start: NavPoint) -> Result<u32, TacticalError> {
        self.graph.keep_for(run.query.mesh, run.threats);
        run.end_cell = self.graph.cell_at(run.query.mesh, run.threats, run.end);
        self.heap.clear();
        self.held = u64::NONE;
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.labels.fill(Label::default());
            self.run = 1;
        }
        self.goal = Label { cost: f32::INFINITY, ..Label::default() };
        let first = self.graph.cell_at(run.query.mesh, run.threats, start);
        let mut expanded = 1;
        self.expand(run, &Label { point: start.point, parent: NONE, into: first, ..Label::default() }, NONE);
        while let Some(item) = self.heap.replace_top(std::mem::replace(&mut self.held, u64::NONE)) {
            let (total, node) = unpack(item);
            if node == GOAL {
                break;
            }
            let label = self.labels[node as usize];
            let border = &self.graph.borders[self.graph.nodes[node as usize] as usize];
            if total != label.total || !run.leads_on(border, label.into) {
                continue;
            }
            expanded += 1;
            self.expand(run, &label, node);
        }
        if !self.goal.cost.is_finite() {
            return Err(TacticalError::NoWay(expanded));
        }
        self.trace(run, first);
        Ok(expanded)
    }

    /// Relaxes the points on the borders of the cell that a node leads into, and the end if it lies in it.
    fn expand(&mut self, run: &ActiveQuery, from: &Label, node: u32) {
        let cell = from.into;
        self.graph.open(run.query.mesh, run.threats, self.graph.cells[cell as usize].polygon);
        self.labels.resize(self.graph.nodes.len().max(self.labels.len()), Label::default());
        let here = &self.graph.cells[cell as usize];
        let weight = run.weight(here.polygon, here.is_seen);
        let (end, least) = (run.end.point, run.factors.min_cost);
        if cell == run.end_cell {
            let cost = from.cost + weight * from.point.distance(end);
            if cost < self.goal.cost {
                self.goal = Label { cost, total: cost, parent: node, into: cell, point: end, run: self.run };
                self.held = self.heap.keep_larger(self.held, pack(cost, GOAL));
            }
        }
        for to in &here.points {
            let cost = from.cost + weight * from.point.distance(to.point);
            let label = &mut self.labels[to.node as usize];
            if label.run == self.run && cost >= label.cost {
                continue;
            }
            let total = cost + least * to.point.distance(end);
            if total < self.goal.cost {
                *label = Label { cost, total, parent: node, into: to.beyond, point: to.point, run: self.run };
                self.held = self.heap.keep_larger(self.held, pack(total, to.node));
            }
        }
    }

    /// Follows the parents back from the end.
    fn trace(&mut self, run: &ActiveQuery, first: u32) {
        self.gates.clear();
        self.cells.clear();
        let mut node = self.goal.parent;
        while node != NONE {
            let label = &self.labels[node as usize];
            let CellBorder { left, right, cells, .. } = self.graph.borders[self.graph.nodes[node as usize] as usize];
            let (left, right) = if label.into == cells[1] { (left, right) } else { (right, left) };
            self.gates.push(Gate { left, right, at: label.point });
            self.cells.push(label.into);
            node = label.parent;
        }
        self.gates.reverse();
        self.cells.push(first);
        self.cells.reverse();
        self.weights.clear();
        let weight = |&cell: &u32| {
            let cell = &self.graph.cells[cell as usize];
            run.weight(cell.polygon, cell.is_seen)
        };
        self.weights.extend(self.cells.iter().map(weight));
    }

    /// Pulls the path tight, and adds the points where it crosses borders if costs or heights differ there.
    fn tighten(&mut self, run: &ActiveQuery, start: NavPoint, (points, polygons): (&mut Vec<Vec3>, &mut Vec<PolyId>)) {
        self.line.clear();
        self.taut.pull([start.point, run.end.point], &self.gates, &self.weights, &mut self.line);
        polygons.extend(self.cells.iter().map(|&cell| PolyId(self.graph.cells[cell as usize].polygon)));
        if run.even && !run.threats.is_some_and(Threats::counts_heights) {
            self.shorten(run, polygons);
            self.line.iter().for_each(|p| push(points, p.at));
        } else {
            for pair in self.line.windows(2) {
                push(points, pair[0].at);
                for leg in (pair[0].leg..pair[1].leg).filter(|&leg| polygons[leg] != polygons[leg + 1]) {
                    let gate = &self.gates[leg];
                    push(points, plan::gate_crossing([pair[0].at, pair[1].at], [gate.left, gate.right]));
                }
            }
            push(points, run.end.point);
        }
        if points.len() == 1 {
            points.push(run.end.point);
        }
        polygons.dedup();
    }

    /// Leaves out bends where the straight line is free and costs less: what keeps to a sequence of cells bends around
    /// corners of cells that are no walls.
    fn shorten(&mut self, run: &ActiveQuery, polygons: &mut Vec<PolyId>) {
        let cost = |a: Vec3, b: Vec3| run.cost(a, b);
        self.costs.clear();
        self.costs.extend(self.line.windows(2).map(|leg| cost(leg[0].at, leg[1].at)));
        let mut first = 0;
        while first + 2 < self.line.len() {
            let shorter = [3, 2].into_iter().find_map(|span| {
                let [a, b] = [*self.line.get(first)?, *self.line.get(first + span)?];
                let own = cost(a.at, b.at);
                if own > self.costs[first..first + span].iter().sum::<f64>() - MIN_GAIN {
                    return None;
                }
                self.under.clear();
                let place = NavPoint::new(polygons[a.leg], a.at);
                let hit = raycast(run.query.mesh, place, b.at, run.query.filter, |p| self.under.push(p));
                (hit.share >= 1.0 && hit.polygon == polygons[b.leg]).then_some((span, own))
            });
            let Some((span, own)) = shorter else {
                first += 1;
                continue;
            };
            let (from, to) = (self.line[first].leg, self.line[first + span].leg);
            polygons.splice(from..=to, self.under.iter().copied());
            for point in &mut self.line[first + span..] {
                point.leg = point.leg + self.under.len() - (to + 1 - from);
            }
            self.line.drain(first + 1..first + span);
            self.costs.splice(first..first + span, [own]);
            first = first.saturating_sub(1);
        }
    }

    /// The path over points on borders, with its legs.
    fn collect(&self, run: &ActiveQuery, start: NavPoint, expanded: u32) -> TacticalPath {
        let mut path = TacticalPath { cost: self.goal.cost, ..TacticalPath::default() };
        path.points.push(start.point);
        path.points.extend(self.gates.iter().map(|g| g.at));
        path.points.push(run.end.point);
        for (ends, &cell) in path.points.windows(2).zip(&self.cells) {
            let cell = &self.graph.cells[cell as usize];
            path.polygons.push(PolyId(cell.polygon));
            let mut leg = TacticalLeg { length: ends[0].distance(ends[1]), ..TacticalLeg::default() };
            if cell.is_seen {
                leg.exposure = run.factors.visibility(run.marks(cell.polygon));
            } else if run.threats.is_some() {
                leg.hidden.add(0.0, 1.0);
            }
            path.length += leg.length;
            path.exposed_length += leg.length * leg.exposure;
            path.legs.push(leg);
        }
        path.stats = SearchStats::new(expanded, path.points.len(), path.cost, run.query);
        path
    }
}

/// Checks a query, and finds out what counts in it.
fn prepare<'a>(query: &'a TacticalQuery<'a>, start: NavPoint, end: NavPoint) -> Result<ActiveQuery<'a>, TacticalError> {
    let mut factors =
        Factors::new(query.biases, query.filter).map_err(|(name, value)| TacticalError::BadFactor(name, value))?;
    let threats = query.threats.filter(|t| !t.is_empty());
    let even = query.is_even();
    let all_pass = query.mesh.every_poly_walkable() && query.markup.is_none() && query.filter.passes_all();
    if even {
        factors.min_cost = 1.0;
    }
    let mut run = ActiveQuery { query, threats, factors, end, end_cell: NONE, goal_number: 0, even, all_pass };
    run.check_end("start", start)?;
    run.check_end("end", end)?;
    run.goal_number = query.mesh.portals().goal_number(end.polygon.0);
    let islands = [start.polygon, end.polygon].map(|p| query.mesh.polygon(p).island);
    if islands[0] != islands[1] {
        return Err(TacticalError::OtherIsland(islands[0], islands[1]));
    }
    Ok(run)
}

/// Adds a point that is not the last one.
fn push(points: &mut Vec<Vec3>, point: Vec3) {
    if points.last().is_none_or(|last| last.distance(point) > 1e-4) {
        points.push(point);
    }
}

#[cfg(test)]
mod tests;
