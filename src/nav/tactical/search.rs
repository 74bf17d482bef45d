//! Tactical search: A* over portal midpoints with costs that weigh length against exposure.
//!
//! A leg costs length · area cost · mark factors · (1 + bias · exposure) (Brewer, "Tactical Pathfinding on a NavMesh").
//! Exposure is computed from the planes of a handful of covers, without rays.

use glam::Vec3;
use thiserror::Error;

use super::markup::{Biases, Factors, Marks, Markup};
use super::shadow::{Intervals, PlaneDistances};
use super::threats::Threats;
use super::tighten::{LineCost, PathTightener};
use crate::nav::mesh::{Filter, NO_STEP, NONE, NavMesh, NavPoint, PolyId, PolyLink};
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
    #[error("no tactical path: start and end lie on islands {0} and {1}, which are not connected")]
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
    /// Start, midpoints of the crossed edges, end; local.
    pub points: Vec<Vec3>,
    /// The polygons crossed, one per leg.
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
    /// Expanded nodes per node of the midpoint path, both ends included.
    pub ratio: f32,
    /// Whether the ratio exceeds the query's limit: the biases are so large that the heuristic hardly guides the search.
    pub is_excessive: bool,
}

impl SearchStats {
    fn new(expanded: u32, nodes: usize, query: &TacticalQuery) -> Self {
        let ratio = expanded as f32 / nodes as f32;
        Self { expanded, ratio, is_excessive: ratio > query.excessive_ratio }
    }
}

/// State of a search node: a portal, crossed out of its polygon; the last node is the end.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
struct PortalNode {
    point: Vec3,
    cost: f32,
    total: f32,
    parent: u32,
    run: u32,
    /// The polygon entered.
    polygon: u32,
}

/// Cached exposure of the leg between two midpoints, indexed by its link; valid where `run` is the cache's.
#[derive(Clone, Copy, Debug, Default)]
struct KnownExposure {
    run: u32,
    exposure: f32,
}

/// Cached exposures of legs, for one set of threats on one mesh.
#[derive(Clone, Debug, Default)]
struct ExposureCache {
    of: (u64, u64),
    run: u32,
    legs: Vec<KnownExposure>,
}

impl ExposureCache {
    /// Invalidates what belongs to other threats or another mesh.
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
        if self.legs.len() < mesh.portals().links_len() {
            self.legs.resize(mesh.portals().links_len(), KnownExposure::default());
        }
    }
}

/// Runs one search at a time; keeps its buffers, and the exposures of legs as long as threats and mesh stay the
/// same.
#[derive(Clone, Debug, Default)]
pub struct TacticalSearch {
    nodes: Vec<PortalNode>,
    heap: Heap<u64>,
    /// The best node of the last expansion, held out of the heap since it is often the next.
    held: u64,
    run: u32,
    cache: ExposureCache,
    /// Plane distances of the node being expanded.
    from_distances: Vec<PlaneDistances>,
    parts: (Intervals, Intervals),
    tightener: PathTightener,
}

/// The constants of one search.
struct ActiveQuery<'a> {
    query: &'a TacticalQuery<'a>,
    factors: Factors,
    /// The exposure bias; 0 without enemies.
    bias: f32,
    end: NavPoint,
    /// Index of the end's node, and goal number of its polygon.
    goal: u32,
    goal_number: u32,
    /// Whether a metre costs the same on every polygon, exposure aside.
    even: bool,
    /// Whether only length counts, so that no path crosses a polygon twice.
    plain: bool,
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

    /// Whether a link may be taken and leads to the goal: directly, or back into the polygon by another portal, which
    /// pays where the polygon itself is costly.
    #[inline(always)]
    fn leads_on(&self, polygon: u32, way: &PolyLink) -> bool {
        let on = way.goals.contains(self.goal_number);
        (on || !self.plain && self.comes_back(polygon, way)) && (self.all_pass || self.may_enter(way.neighbor))
    }

    #[inline(never)]
    fn comes_back(&self, polygon: u32, way: &PolyLink) -> bool {
        let returns = |o: &PolyLink| o.portal != way.portal && o.goals == way.goals;
        self.query.mesh.portals().links_of(polygon).iter().any(returns)
    }

    /// Factor on a metre of the polygon, and the fraction of its exposure that counts.
    #[inline(always)]
    fn weigh(&self, polygon: u32) -> (f32, f32) {
        if self.even {
            return (1.0, if self.plain { 0.0 } else { 1.0 });
        }
        let marks = self.marks(polygon);
        let area = self.query.mesh.polygons()[polygon as usize].area;
        (self.query.filter.cost[usize::from(area & 63)] * self.factors.factor(marks), self.factors.visibility(marks))
    }
}

impl TacticalSearch {
    /// Finds the cheapest path over portal midpoints, with the exposure of its legs.
    ///
    /// # Errors
    /// See [`TacticalError`].
    pub fn find(
        &mut self,
        query: &TacticalQuery,
        start: NavPoint,
        end: NavPoint,
    ) -> Result<TacticalPath, TacticalError> {
        let (run, expanded) = self.search(query, start, end)?;
        Ok(self.collect(&run, start, expanded))
    }

    /// As [`find`](Self::find), tightened by the funnel where that makes the path neither costlier nor more exposed.
    /// Writes its points and its polygons to `out`.
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
        let (run, expanded) = self.search(query, start, end)?;
        let mut tightener = std::mem::take(&mut self.tightener);
        tightener.reset();
        let (mut state, mut nodes) = (run.goal, 1);
        while state != NONE {
            nodes += 1;
            let node = &self.nodes[state as usize];
            tightener.push(node.point, node.cost, (state != run.goal).then_some(state));
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
        tightener.tighten(&cost, start, end, out);
        self.tightener = tightener;
        Ok(SearchStats::new(expanded, nodes, query))
    }

    fn search<'a>(
        &mut self,
        query: &'a TacticalQuery<'a>,
        start: NavPoint,
        end: NavPoint,
    ) -> Result<(ActiveQuery<'a>, u32), TacticalError> {
        let factors =
            Factors::new(query.biases, query.filter).map_err(|(name, value)| TacticalError::BadFactor(name, value))?;
        let bias = if query.threats.is_some_and(|t| !t.is_empty()) { query.biases.exposure } else { 0.0 };
        let even = query.markup.is_none() && query.filter.has_uniform_cost();
        let plain = even && bias == 0.0;
        let all_pass = query.mesh.every_poly_walkable() && query.markup.is_none() && query.filter.passes_all();
        let mesh = query.mesh;
        let mut run = ActiveQuery {
            query,
            factors,
            bias,
            end,
            goal: mesh.portals().len() as u32,
            goal_number: 0,
            even,
            plain,
            all_pass,
        };
        run.check_end("start", start)?;
        run.check_end("end", end)?;
        run.goal_number = mesh.portals().goal_number(end.polygon.0);
        if plain {
            run.factors.min_cost = 1.0;
        }
        let islands = [start.polygon, end.polygon].map(|p| mesh.polygon(p).island);
        if islands[0] != islands[1] {
            return Err(TacticalError::OtherIsland(islands[0], islands[1]));
        }
        if let Some(threats) = query.threats.filter(|_| bias > 0.0) {
            self.cache.keep_for(threats, mesh);
        }
        let expanded = self.spread(&run, start);
        if self.nodes[run.goal as usize].run != self.run {
            return Err(TacticalError::NoWay(expanded));
        }
        Ok((run, expanded))
    }

    /// Expands nodes until the end is the cheapest; returns the number of expansions.
    fn spread(&mut self, run: &ActiveQuery, start: NavPoint) -> u32 {
        self.heap.clear();
        self.held = u64::NONE;
        if self.nodes.len() <= run.goal as usize {
            self.nodes.resize(run.goal as usize + 1, PortalNode::default());
        }
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.nodes.fill(PortalNode::default());
            self.run = 1;
        }
        let origin = PortalNode { point: start.point, parent: NONE, polygon: start.polygon.0, ..PortalNode::default() };
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

    /// Relaxes the links of the polygon that a node enters, and the end if it lies in it.
    fn expand<const HAS_THREATS: bool>(&mut self, run: &ActiveQuery, from: &PortalNode, state: u32) {
        let (portals, polygon) = (run.query.mesh.portals(), from.polygon);
        let (factor, visible) = run.weigh(polygon);
        let bias = run.bias * visible;
        let threats = run.query.threats.filter(|_| HAS_THREATS && bias > 0.0);
        self.from_distances.clear();
        if polygon == run.end.polygon.0 {
            let plain = from.point.distance(run.end.point) * factor;
            let seen = threats.map_or(0.0, |t| self.exposure(t, from.point, run.end.point));
            self.reach(run, from.cost + plain * (1.0 + bias * seen), (run.end.point, polygon), state, run.goal);
        }
        for at in portals.onward_range(polygon, state) {
            let way = *portals.link(at);
            let listed = way.step != NO_STEP;
            // Lists of links beyond a portal have no link that leads back.
            let back = !listed && state != NONE && portals.portal(state).polygon == way.neighbor;
            if back || !run.leads_on(polygon, &way) {
                continue;
            }
            let length = if listed { way.step } else { from.point.distance(way.middle) };
            let plain = length * factor;
            // Exposure is computed only where the leg would be an improvement if it were hidden.
            let node = &self.nodes[way.portal as usize];
            if node.run == self.run && from.cost + plain >= node.cost {
                continue;
            }
            let mut cost = from.cost + plain;
            if let Some(threats) = threats {
                let known = self.cache.legs[at as usize];
                let seen = if listed && known.run == self.cache.run {
                    known.exposure
                } else {
                    let exposure = self.exposure(threats, from.point, way.middle);
                    if listed {
                        self.cache.legs[at as usize] = KnownExposure { run: self.cache.run, exposure };
                    }
                    exposure
                };
                cost = from.cost + plain * (1.0 + bias * seen);
            }
            self.reach(run, cost, (way.middle, way.neighbor), state, way.portal);
        }
    }

    /// Exposure of the leg from the node being expanded.
    #[inline(never)]
    fn exposure(&mut self, threats: &Threats, from: Vec3, to: Vec3) -> f32 {
        if self.from_distances.is_empty() {
            threats.plane_distances(from, &mut self.from_distances);
        }
        threats.exposure_from(&self.from_distances, to, &mut self.parts)
    }

    #[inline]
    fn reach(&mut self, run: &ActiveQuery, cost: f32, (point, polygon): (Vec3, u32), parent: u32, state: u32) {
        let node = &mut self.nodes[state as usize];
        if node.run == self.run && cost >= node.cost {
            return;
        }
        let total = cost + run.factors.min_cost * point.distance(run.end.point);
        *node = PortalNode { point, cost, total, parent, run: self.run, polygon };
        self.held = self.heap.keep_larger(self.held, pack(total, state));
    }

    /// Follows the parents back from the end and weighs the legs.
    fn collect(&mut self, run: &ActiveQuery, start: NavPoint, expanded: u32) -> TacticalPath {
        let mesh = run.query.mesh;
        let mut path = TacticalPath { cost: self.nodes[run.goal as usize].cost, ..TacticalPath::default() };
        let mut state = run.goal;
        while state != NONE {
            let node = &self.nodes[state as usize];
            path.points.push(node.point);
            path.polygons.push(if state == run.goal {
                run.end.polygon
            } else {
                PolyId(mesh.portals().portal(state).polygon)
            });
            state = node.parent;
        }
        path.points.push(start.point);
        path.points.reverse();
        path.polygons.reverse();
        for (ends, polygon) in path.points.windows(2).zip(&path.polygons) {
            let mut leg = TacticalLeg { length: ends[0].distance(ends[1]), ..TacticalLeg::default() };
            if let Some(threats) = run.query.threats.filter(|t| !t.is_empty()) {
                threats.hidden(ends[0], ends[1], &mut leg.hidden, &mut self.parts.1);
                leg.exposure = (1.0 - leg.hidden.total()) * run.factors.visibility(run.marks(polygon.0));
            }
            path.length += leg.length;
            path.exposed_length += leg.length * leg.exposure;
            path.legs.push(leg);
        }
        path.stats = SearchStats::new(expanded, path.points.len(), run.query);
        path
    }
}

#[cfg(test)]
mod tests;
