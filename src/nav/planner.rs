//! The planners: requests for paths on a navigation mesh, their results, and the algorithms behind one interface.

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use glam::{DVec2, Vec3};

use super::mesh::off_mesh::{OffMeshExit, OffMeshLinks};
use super::mesh::{Filter, NavMesh, NavPoint};
use super::query::QueryError;
pub use super::query::clearance::SearchHints;
use super::query::clearance::{ClearancePath, ClearancePaths, ClearanceQuery};
use super::query::off_mesh::{ExitPair, LinkedPath, LinkedPathFinder, number};
use super::query::path::{Corridor, CorridorFinder};
use super::query::polyanya::index::{CornerIndex, IndexScratch};
use super::query::polyanya::{Polyanya, PolyanyaMesh, ShortestPath};
pub use super::query::weighted::Metric;
use super::query::weighted::{WeightedMesh, WeightedPath, WeightedPaths, line_cost, rounded_down};
use super::tactical::{Biases, MIN_GAIN, Markup, TacticalQuery, TacticalSearch, Threats};
use crate::math::plan;
pub use batch::find_all;
use ends::TouchingEnds;
pub use kind::{EARLIER_PLANNERS, Planner, UnknownPlanner};
use prepare::{AsyncBuild, Key, Poll};
pub use result::{
    AREAS_DIFFER, GAVE_UP, MARKS_LEFT_OUT, PREPARING, PathCost, PathResult, PlanError, SURFACE_FOR_NO_RADIUS,
};
use trace::Tracer;

/// Memory limit of an index of corners; meshes that need a larger one are searched without.
const MAX_INDEX_BYTES: usize = 1 << 28;
/// Number of segments between links that are banned before a query fails.
const MAX_BANNED: usize = 64;
/// Points within this distance are the same, metres.
const AT_CORNER: f32 = 1e-3;

/// A request for a path.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Where the path begins.
    pub start: NavPoint,
    /// Where it ends.
    pub end: NavPoint,
    /// Which polygons may be used, and what their areas cost.
    pub filter: &'a Filter,
    /// Distance to keep from walls, metres. One that is negative or no number counts as none.
    pub radius: f32,
    /// How the exact planners measure lengths: all others measure them in space, along their own lines.
    pub metric: Metric,
    /// What the tactical planner weighs besides length.
    pub tactics: Option<Tactics<'a>>,
    /// Off-mesh links that may be taken. A search over polygons and links ([`LinkedPathFinder`]) chooses among them;
    /// between them every planner finds paths of its own kind, the exact ones shortest paths.
    pub links: Option<&'a OffMeshLinks>,
    /// What the search may leave out; planners are free to ignore it.
    pub hints: SearchHints,
    /// Skips [`PathResult::polygons`] where they take a pass of their own over the finished path: in exact planners.
    pub skip_polygons: bool,
}

/// Enemies, marks and how an agent weighs them.
#[derive(Clone, Copy, Debug)]
pub struct Tactics<'a> {
    /// The enemies.
    pub threats: Option<&'a Threats>,
    /// Marks that designers put on polygons.
    pub markup: Option<&'a Markup>,
    /// How the agent weighs both.
    pub biases: &'a Biases,
    /// How many nodes a search may expand per node of its path before it counts as excessive.
    pub excessive_ratio: f32,
}

impl<'a> Tactics<'a> {
    /// Against enemies, without marks.
    pub fn against(threats: &'a Threats, biases: &'a Biases) -> Self {
        Self { threats: Some(threats), markup: None, biases, excessive_ratio: TacticalQuery::EXCESSIVE }
    }
}

/// Memory that planners keep from query to query; one per thread.
#[derive(Debug, Default)]
pub struct PlannerContext {
    finder: CorridorFinder,
    linked: LinkedPathFinder,
    linked_path: LinkedPath,
    corridor: Corridor,
    clearance: ClearancePaths,
    wide: ClearancePath,
    exact: Polyanya,
    exact_path: ShortestPath,
    weighted: WeightedPaths,
    weighted_path: WeightedPath,
    index: Option<(Key, Option<Arc<CornerIndex>>)>,
    /// Per island of a mesh which areas lie on it, as bits, as far as a filter's flags pass their polygons.
    areas: Option<(Key, Vec<u64>)>,
    /// The mesh that frames query without waiting, and its id. Weak, so that it can be changed in place.
    shared: Option<(u64, Weak<NavMesh>)>,
    mesh_build: AsyncBuild<Filter, PolyanyaMesh>,
    weighted_build: AsyncBuild<(Filter, Metric), WeightedMesh>,
    index_build: AsyncBuild<Filter, Option<CornerIndex>>,
    index_scratch: IndexScratch,
    tactical: TacticalSearch,
    tracer: Tracer,
    touching: TouchingEnds,
}

impl Clone for PlannerContext {
    /// A copy starts with no memory.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PlannerContext {
    /// With no memory allocated yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on, what exact planners need of this mesh is built on another thread. Until then `exact-index` answers
    /// like `exact`, and `exact` like `funnel`.
    pub fn share(&mut self, mesh: &Arc<NavMesh>) {
        // An id returns when obstacles are removed, possibly with another allocation.
        if self.shared.as_ref().is_none_or(|s| s.0 != mesh.id() || !std::ptr::eq(s.1.as_ptr(), Arc::as_ptr(mesh))) {
            self.shared = Some((mesh.id(), Arc::downgrade(mesh)));
        }
    }

    /// The mesh itself, if it is shared.
    fn shared(&self, mesh: &NavMesh) -> Option<Arc<NavMesh>> {
        self.shared.as_ref().filter(|s| s.0 == mesh.id()).and_then(|s| s.1.upgrade())
    }

    /// From now on, the planner `exact-index` answers from this index, on its mesh with its filter.
    pub fn adopt_index(&mut self, index: CornerIndex) {
        self.index = Some((index.key(), Some(Arc::new(index))));
    }

    /// Whether queries since the last [`forget_queries`](Self::forget_queries) were answered in another way for want of what
    /// is being built, so that answers may become better.
    pub fn is_preparing(&self) -> bool {
        self.mesh_build.is_awaited() || self.weighted_build.is_awaited() || self.index_build.is_awaited()
    }

    /// Whether some of that is built, so that the same queries will have better answers now.
    pub fn has_prepared(&self) -> bool {
        self.mesh_build.has_ended() || self.weighted_build.has_ended() || self.index_build.has_ended()
    }

    /// Waits for nothing that earlier queries wanted; what is being built goes on.
    pub fn forget_queries(&mut self) {
        self.mesh_build.forget_queries();
        self.weighted_build.forget_queries();
        self.index_build.forget_queries();
    }

    /// What a metre costs on all ground around the start that the filter passes; `None` where it is not the same, or
    /// without end.
    fn even_cost(&mut self, mesh: &NavMesh, query: &Query) -> Option<f32> {
        let filter = query.filter;
        if filter.has_uniform_cost() {
            return Some(1.0);
        }
        let key = prepare::key(mesh, filter);
        if self.areas.as_ref().is_none_or(|a| a.0 != key) {
            let mut areas = vec![0u64; mesh.island_count() as usize];
            for polygon in mesh.polygons().iter().filter(|p| filter.passes(p)) {
                // Polygons that obstacles cut are on no island.
                if let Some(areas) = areas.get_mut(polygon.island as usize) {
                    *areas |= 1 << (polygon.area & 63);
                }
            }
            self.areas = Some((key, areas));
        }
        // Where polygons touch, the start lies on several islands.
        let starts = self.touching.places(mesh, filter, query.start);
        let islands = starts.iter().filter_map(|p| mesh.polygons().get(p.polygon.index())).map(|p| p.island as usize);
        let areas = self.areas.iter().flat_map(|a| islands.clone().filter_map(|island| a.1.get(island)));
        let areas = areas.fold(0, |all, areas| all | areas);
        let mut costs = (0..64).filter(|area| areas >> area & 1 != 0).map(|area: usize| filter.cost[area].max(0.0));
        let first = costs.next().unwrap_or(1.0);
        (costs.all(|cost| cost == first) && first.is_finite()).then_some(first)
    }

    /// Whether exact paths on this mesh can be searched at once.
    fn has_polyanya_mesh(&mut self, mesh: &NavMesh, filter: &Filter) -> bool {
        let Some(shared) = self.shared(mesh) else { return true };
        if self.exact.is_prepared(mesh, filter) {
            return true;
        }
        match self.mesh_build.ask(&shared, prepare::flags(filter), PolyanyaMesh::build) {
            Poll::Done(net) => {
                self.exact.adopt(net);
                true
            }
            Poll::NotYet => false,
            Poll::Never => true,
        }
    }

    /// Whether cheapest paths on this mesh can be searched at once.
    fn has_weighted_mesh(&mut self, mesh: &NavMesh, filter: &Filter, metric: Metric) -> bool {
        let Some(shared) = self.shared(mesh) else { return true };
        if self.weighted.is_prepared(mesh, filter, metric) {
            return true;
        }
        let build = |mesh: &NavMesh, (filter, metric): &(Filter, Metric)| WeightedMesh::build(mesh, filter, *metric);
        match self.weighted_build.ask(&shared, (filter.clone(), metric), build) {
            Poll::Done(net) => {
                self.weighted.adopt(net);
                true
            }
            Poll::NotYet => false,
            Poll::Never => true,
        }
    }

    /// Updates the index for a mesh and a filter; returns whether it is ready.
    fn has_index(&mut self, mesh: &NavMesh, filter: &Filter) -> bool {
        let key = prepare::key(mesh, filter);
        if self.index.as_ref().is_some_and(|t| t.0 == key) {
            return true;
        }
        let build = |mesh: &NavMesh, filter: &Filter| CornerIndex::build(mesh, filter, MAX_INDEX_BYTES).ok();
        let index = match self.shared(mesh) {
            Some(shared) => match self.index_build.ask(&shared, prepare::flags(filter), build) {
                Poll::Done(index) => index,
                Poll::NotYet => return false,
                Poll::Never => None,
            },
            None => build(mesh, filter),
        };
        self.index = Some((key, index.map(Arc::new)));
        true
    }
}

impl Planner {
    /// Finds a path. A result without points has a [`reason`](PathResult::reason).
    pub fn find(self, planning: &mut PlannerContext, mesh: &NavMesh, query: &Query) -> PathResult {
        let mut found = PathResult::default();
        self.find_into(planning, mesh, query, &mut found);
        found
    }

    /// As [`find`](Self::find), reusing the memory of a result.
    pub fn find_into(self, planning: &mut PlannerContext, mesh: &NavMesh, query: &Query, found: &mut PathResult) {
        found.clear();
        let [start, end] = [query.start, query.end].map(|place| on_surface(mesh, place));
        let query = &Query { start, end, radius: query.radius.max(0.0), ..*query };
        let answer = match query.links.filter(|l| !l.all().is_empty()) {
            Some(links) => self.find_linked(planning, mesh, links, query, found),
            None => self.run(planning, mesh, query, found),
        };
        if let Err(reason) = answer {
            found.points.clear();
            found.polygons.clear();
            found.links.clear();
            found.reason = Some(reason);
            found.notes.clear();
        } else if !self.weighs_marks() && query.tactics.is_some_and(|t| t.markup.is_some()) {
            found.notes.push(MARKS_LEFT_OUT);
        }
        // The length of arcs is known better than by the chords that they are drawn with.
        let known = std::mem::take(&mut found.length_2d);
        for leg in found.points.windows(2) {
            let way = leg[1].as_dvec3() - leg[0].as_dvec3();
            found.length += way.length();
            found.length_2d += DVec2::new(way.x, way.z).length();
        }
        if query.radius > 0.0 && known > 0.0 && found.reason.is_none() {
            found.length += known - found.length_2d;
            found.length_2d = known;
        }
    }

    /// Finds a path that may take links: segment by segment. A segment without a path, for want of room, is banned.
    fn find_linked(
        self,
        own: &mut PlannerContext,
        mesh: &NavMesh,
        links: &OffMeshLinks,
        query: &Query,
        found: &mut PathResult,
    ) -> Result<(), PlanError> {
        let mut banned: HashSet<ExitPair> = HashSet::new();
        let mut linked_path = std::mem::take(&mut own.linked_path);
        let mut fault: Option<PlanError> = None;
        let answer = loop {
            if let Err(e) =
                own.linked.find_without(mesh, links, (query.start, query.end), query.filter, &banned, &mut linked_path)
            {
                break Err(fault.unwrap_or_else(|| e.into()));
            }
            found.expanded += linked_path.expanded;
            match self.find_segments(own, mesh, links, query, &linked_path, found) {
                Ok(()) => break Ok(()),
                Err((span, reason)) if banned.len() < MAX_BANNED && banned.insert(span) => {
                    fault.get_or_insert(reason);
                }
                Err((_, reason)) => break Err(fault.unwrap_or(reason)),
            }
        };
        own.linked_path = linked_path;
        answer
    }

    /// Finds the paths of all segments, or returns the one that has none.
    fn find_segments(
        self,
        own: &mut PlannerContext,
        mesh: &NavMesh,
        links: &OffMeshLinks,
        query: &Query,
        linked_path: &LinkedPath,
        found: &mut PathResult,
    ) -> Result<(), (ExitPair, PlanError)> {
        found.points.clear();
        found.polygons.clear();
        found.links.clear();
        found.notes.clear();
        (found.cost, found.expanded_ratio, found.is_excessive) = (None, None, false);
        let mut came_by: Option<OffMeshExit> = None;
        for segment in &linked_path.segments {
            let span = (came_by.map_or(u32::MAX, number), segment.exit.map_or(u32::MAX, number));
            let start = segment.start.point;
            let mut part = PathResult::default();
            // Only the last segment has the end that others have, too.
            let hints = SearchHints { shared: query.hints.shared && segment.exit.is_none(), ..query.hints };
            let ask = Query { start: segment.start, end: segment.end, links: None, hints, ..*query };
            let answer = self.run(own, mesh, &ask, &mut part);
            found.expanded += part.expanded;
            found.shared_expanded += part.shared_expanded;
            answer.map_err(|reason| (span, reason))?;
            found.is_excessive |= part.is_excessive;
            part.notes.retain(|note| !found.notes.contains(note));
            found.notes.append(&mut part.notes);
            if found.expanded_ratio < part.expanded_ratio {
                found.expanded_ratio = part.expanded_ratio;
            }
            // An agent that does not fit beside the link begins and ends a little off it.
            if came_by.is_some() {
                found.points.push(start);
                let on = part.points.first().is_some_and(|p| plan::distance(*p, start) < AT_CORNER);
                part.points.drain(..usize::from(on));
            }
            found.points.append(&mut part.points);
            found.polygons.append(&mut part.polygons);
            came_by = segment.exit;
            if let Some(exit) = came_by {
                let at = links.taken(exit).start;
                match found.points.last_mut() {
                    Some(last) if plan::distance(*last, at) < AT_CORNER => *last = at,
                    _ => found.points.push(at),
                }
                found.links.push((found.points.len() - 1, exit));
            }
        }
        Ok(())
    }

    /// Finds the points, the polygons and the number of expanded nodes.
    fn run(
        self,
        own: &mut PlannerContext,
        mesh: &NavMesh,
        query: &Query,
        found: &mut PathResult,
    ) -> Result<(), PlanError> {
        if query.radius > 0.0 && self.needs_mesh() && !self.takes_any_radius() {
            return Err(PlanError::NeedsRadiusZero(self));
        }
        match self {
            Self::Centers => Err(PlanError::NeedsTriangles(self)),
            Self::EdgeMidpoints => between_all(own, mesh, query, found, edge_midpoints),
            Self::Funnel => between_all(own, mesh, query, found, funnel),
            Self::Exact => exact(own, mesh, query, found),
            Self::ExactIndex => exact_index(own, mesh, query, found),
            Self::Tactical => between_all(own, mesh, query, found, tactical),
        }
    }
}

/// The place at the height of its polygon's surface.
fn on_surface(mesh: &NavMesh, NavPoint { polygon, point }: NavPoint) -> NavPoint {
    let known = polygon.index() < mesh.len();
    NavPoint::new(polygon, if known { point.with_y(mesh.height_at(polygon, point)) } else { point })
}

/// Writes the path of a planner between the polygons of a query's ends; returns what it costs, by the planner's own measure.
type FindBetween = fn(&mut PlannerContext, &NavMesh, &Query, &mut PathResult) -> Result<f64, PlanError>;

/// Finds the cheapest of the paths between all polygons that the ends lie in.
fn between_all(
    own: &mut PlannerContext,
    mesh: &NavMesh,
    query: &Query,
    found: &mut PathResult,
    find: FindBetween,
) -> Result<(), PlanError> {
    let [starts, ends] = [query.start, query.end].map(|place| own.touching.places(mesh, query.filter, place));
    if starts.len() == 1 && ends.len() == 1 {
        return find(own, mesh, query, found).map(|_| ());
    }
    let hints = SearchHints { shared: query.hints.shared && ends.len() == 1, ..query.hints };
    let (mut best, mut fault): (Option<(f64, PathResult)>, _) = (None, Ok(()));
    for (&start, &end) in starts.iter().flat_map(|start| ends.iter().map(move |end| (start, end))) {
        let mut part = PathResult { notes: found.notes.clone(), ..PathResult::default() };
        match find(own, mesh, &Query { start, end, hints, ..*query }, &mut part) {
            Ok(cost) if best.as_ref().is_none_or(|best| cost < best.0) => best = Some((cost, part)),
            Err(reason) if fault.is_ok() => fault = Err(reason),
            _ => {}
        }
    }
    match best {
        Some((_, path)) => *found = path,
        None => return fault,
    }
    Ok(())
}

fn edge_midpoints(
    own: &mut PlannerContext,
    mesh: &NavMesh,
    query: &Query,
    found: &mut PathResult,
) -> Result<f64, PlanError> {
    let corridor = &mut own.corridor;
    let answer = own.finder.find(mesh, query.start, query.end, query.filter, corridor);
    found.expanded = corridor.expanded;
    answer?;
    found.polygons.extend_from_slice(&corridor.polygons);
    found.points.push(query.start.point);
    if !corridor.portals.is_empty() {
        for (i, polygon) in corridor.polygons.iter().enumerate() {
            found.points.push(mesh.polygon(*polygon).center);
            if let Some(&portal) = corridor.portals.get(i) {
                let gate = mesh.portals().portal(portal);
                found.points.push((gate.left + gate.right) * 0.5);
            }
        }
    }
    found.points.push(query.end.point);
    Ok(corridor.cost.into())
}

fn funnel(own: &mut PlannerContext, mesh: &NavMesh, query: &Query, found: &mut PathResult) -> Result<f64, PlanError> {
    let Query { start, end, filter, radius, hints, .. } = *query;
    let answer =
        own.clearance.find_with_hints(mesh, &ClearanceQuery { start, end, filter, radius, hints }, &mut own.wide);
    (found.expanded, found.shared_expanded) = (own.wide.corridor.expanded, own.wide.shared_expanded);
    answer?;
    found.polygons.extend_from_slice(&own.wide.corridor.polygons);
    found.points.extend(own.wide.points.iter().map(|t| t.point));
    // Where areas cost differently, the corridor alone knows what it costs.
    Ok(if filter.has_uniform_cost() { length(&found.points) } else { own.wide.corridor.cost.into() })
}

fn tactical(own: &mut PlannerContext, mesh: &NavMesh, query: &Query, found: &mut PathResult) -> Result<f64, PlanError> {
    let plain = Biases::default();
    let ask = TacticalQuery {
        threats: query.tactics.and_then(|t| t.threats),
        markup: query.tactics.and_then(|t| t.markup),
        excessive_ratio: query.tactics.map_or(TacticalQuery::EXCESSIVE, |t| t.excessive_ratio),
        ..TacticalQuery::new(mesh, query.filter, query.tactics.map_or(&plain, |t| t.biases))
    };
    let stats = own.tactical.find_line(&ask, query.start, query.end, (&mut found.points, &mut found.polygons))?;
    (found.expanded, found.expanded_ratio, found.is_excessive) =
        (stats.expanded, Some(stats.ratio), stats.is_excessive);
    let Some(cost) = ask.cost_of(&found.points) else { return Ok(stats.cost) };
    // The search samples borders: it may miss that the shortest path is the cheapest.
    if own.has_polyanya_mesh(mesh, query.filter)
        && own.exact.find(mesh, query.start, query.end, query.filter, &mut own.exact_path).is_ok()
        && let Some(shortest) = ask.cost_of(&own.exact_path.points)
        && shortest < cost - MIN_GAIN
    {
        found.points.clone_from(&own.exact_path.points);
        found.polygons.clear();
        own.tracer.trace(mesh, own.exact_path.ends, &found.points, query.filter, &mut found.polygons);
        return Ok(shortest);
    }
    Ok(cost)
}

/// Length of a line, metres.
fn length(points: &[Vec3]) -> f64 {
    points.windows(2).map(|leg| f64::from(leg[0].distance(leg[1]))).sum()
}

fn exact(own: &mut PlannerContext, mesh: &NavMesh, query: &Query, found: &mut PathResult) -> Result<(), PlanError> {
    let (on_surface, even) = (query.metric == Metric::Surface, own.even_cost(mesh, query));
    if on_surface || even.is_none() {
        // What areas cost that are nowhere around is of no account.
        let everywhere = even
            .filter(|&cost| cost > 0.0 && !WeightedPaths::takes(query.filter))
            .map(|cost| Filter { cost: [cost; 64], ..query.filter.clone() });
        let query = &Query { filter: everywhere.as_ref().unwrap_or(query.filter), ..*query };
        if query.radius == 0.0 && WeightedPaths::takes(query.filter) {
            if own.has_weighted_mesh(mesh, query.filter, query.metric) {
                return weighted(own, mesh, query, found);
            }
            found.notes.push(PREPARING);
            return between_all(own, mesh, query, found, funnel);
        }
        if even.is_none() {
            found.notes.push(AREAS_DIFFER);
            return between_all(own, mesh, query, found, funnel);
        }
        found.notes.extend((query.radius > 0.0).then_some(SURFACE_FOR_NO_RADIUS));
    }
    if !own.has_polyanya_mesh(mesh, query.filter) {
        found.notes.push(PREPARING);
        return between_all(own, mesh, query, found, funnel);
    }
    let ends = [query.start, query.end];
    let answer = own.exact.find_for_disc(mesh, ends, query.filter, query.radius, &mut own.exact_path);
    found.expanded = own.exact_path.expanded;
    answer?;
    found.length_2d = own.exact_path.length_2d;
    found.cost = cost_of_shortest(even, found.length_2d);
    found.points.extend_from_slice(&own.exact_path.points);
    if !query.skip_polygons {
        own.tracer.trace(mesh, own.exact_path.ends, &found.points, query.filter, &mut found.polygons);
    }
    Ok(())
}

/// What a shortest path costs where a metre costs the same everywhere, but not 1.
fn cost_of_shortest(even: Option<f32>, length: f64) -> Option<PathCost> {
    let cost = f64::from(even.filter(|&cost| cost != 1.0)?) * length;
    Some(PathCost { cost, lower_bound: rounded_down(cost) })
}

fn weighted(own: &mut PlannerContext, mesh: &NavMesh, query: &Query, found: &mut PathResult) -> Result<(), PlanError> {
    let (ends, path) = ([query.start, query.end], &mut own.weighted_path);
    let answer = own.weighted.find(mesh, ends, query.filter, query.metric, path);
    found.expanded = path.expanded;
    if let Err(QueryError::GaveUp(..)) = answer {
        let lower_bound = path.lower_bound;
        found.notes.push(GAVE_UP);
        between_all(own, mesh, query, found, funnel)?;
        let cost = line_cost(mesh, query.filter, query.metric, &found.points, &found.polygons);
        found.cost = cost.map(|cost| PathCost { cost, lower_bound });
        return Ok(());
    }
    answer?;
    found.cost = Some(PathCost { cost: path.cost, lower_bound: path.lower_bound });
    found.points.extend_from_slice(&path.points);
    if !query.skip_polygons {
        own.tracer.trace(mesh, own.weighted_path.ends, &found.points, query.filter, &mut found.polygons);
    }
    Ok(())
}

fn exact_index(
    own: &mut PlannerContext,
    mesh: &NavMesh,
    query: &Query,
    found: &mut PathResult,
) -> Result<(), PlanError> {
    let is_plain = query.radius == 0.0 && query.metric == Metric::Plan;
    let even = own.even_cost(mesh, query);
    if !is_plain || even.is_none() || !own.has_index(mesh, query.filter) {
        return exact(own, mesh, query, found);
    }
    let Some((_, Some(index))) = &own.index else { return exact(own, mesh, query, found) };
    let answer = index.find(mesh, query.start, query.end, &mut own.index_scratch, &mut own.exact_path);
    found.expanded = own.exact_path.expanded;
    answer?;
    found.cost = cost_of_shortest(even, own.exact_path.length_2d);
    found.points.extend_from_slice(&own.exact_path.points);
    if !query.skip_polygons {
        own.tracer.trace(mesh, own.exact_path.ends, &found.points, query.filter, &mut found.polygons);
    }
    Ok(())
}

mod batch;
mod ends;
mod kind;
mod prepare;
mod query;
mod result;
#[cfg(test)]
mod tests {
    use super::PlannerContext;
    use crate::nav::mesh::fixture;
    use std::sync::Arc;

    #[test]
    fn n_06_a_mesh_that_comes_back_elsewhere_is_shared_anew() {
        let (mesh, mut planning) = (fixture::plan(&["...."], false).validate().unwrap(), PlannerContext::new());
        planning.share(&Arc::new(mesh.clone()));
        let back = Arc::new(mesh);
        planning.share(&back);
        assert!(planning.shared(&back).is_some());
    }
}
mod trace;
