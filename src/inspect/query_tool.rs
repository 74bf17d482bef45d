//! The workbench's query tool: paths from the probe's start to its end by one planner or two, a raycast, the distance to
//! the nearest wall, random points, each with places of its own, what enemies see, and a search that is stepped by hand.

pub mod debug;

use crate::behavior::split_mix::SplitMix64;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::original::{GroundGraph, PathFinder};
use crate::nav::planner::{Metric, PathCost, Planner, PlannerContext, Query, Tactics};
use crate::nav::query::path::Corridor;
use crate::nav::query::random::{random_around, random_point};
use crate::nav::query::raycast::raycast;
use crate::nav::query::sliced::{Slice, SlicedPath};
use crate::nav::query::surface::Surface;
use crate::nav::search::strategy::SearchStrategy;
use crate::nav::tactical::{Intervals, Threats};
use crate::scene::nav::{AreaRule, MarkWeights, Probe};
use crate::scene::{Scene, SceneNav};
use crate::sim::{World, nav_mesh};
use glam::Vec3;
use std::sync::{Arc, Weak};
use std::time::Instant;

/// How often a quick query is asked for its time.
const RUNS: usize = 5;
/// A query that takes longer is asked once, microseconds.
const SLOW_MICROS: f64 = 2000.0;

/// A part of a path that enemies see, or that is hidden from all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenPart {
    /// Both ends, world space.
    pub ends: [Vec3; 2],
    /// Whether an enemy sees it.
    pub exposed: bool,
}

/// What a planner said about the test path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryResult {
    /// The planner.
    pub planner: Planner,
    /// How it searched, by triangles.
    pub search: Option<SearchStrategy>,
    /// The hops by which that search reached its nodes, each from centre to centre, world space.
    pub search_tree: Vec<[Vec3; 2]>,
    /// From start to end, world space; empty without a path.
    pub points: Vec<Vec3>,
    /// Polygons walked over; none by triangles.
    pub polygons: Vec<PolyId>,
    /// Length, metres.
    pub length: f64,
    /// The same seen from above.
    pub length_2d: f64,
    /// What it costs, from the exact planners where areas cost differently.
    pub cost: Option<PathCost>,
    /// Nodes that the search expanded.
    pub expanded: u32,
    /// That per node of the way, by the planner that weighs exposure.
    pub expanded_ratio: Option<f32>,
    /// Whether it is more than the scene's `excessive-ratio`.
    pub is_excessive: bool,
    /// Time that the query took, microseconds: the median of a few.
    pub micros: f64,
    /// Why there is no path.
    pub reason: Option<String>,
    /// What the planner could not do as asked, and did instead.
    pub notes: Vec<&'static str>,
    /// The path in parts by what enemies see; empty without enemies.
    pub seen: Vec<SeenPart>,
}

impl QueryResult {
    /// Metres that enemies see.
    pub fn exposed_length(&self) -> f32 {
        // The sum of no numbers is -0.
        0.0 + self.seen.iter().filter(|s| s.exposed).map(|s| s.ends[0].distance(s.ends[1])).sum::<f32>()
    }

    fn failed(planner: Planner, reason: impl Into<String>) -> Self {
        Self { planner, reason: Some(reason.into()), ..Self::default() }
    }
}

/// The raycast from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayResult {
    /// Where it begins, world space.
    pub start: Vec3,
    /// Where the free way ends.
    pub reached: Vec3,
    /// Where it was to lead.
    pub end: Vec3,
    /// Whether nothing is in the way.
    pub free: bool,
}

/// The wall nearest to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallResult {
    /// The place on the mesh, world space.
    pub start: Vec3,
    /// Nearest point of a wall.
    pub wall: Vec3,
    /// Metres between them, seen from above.
    pub distance: f32,
}

/// What results depend on.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    probe: Probe,
    /// Revision of what enemies see.
    threats: u64,
    excessive_ratio: f32,
    bias: f32,
    areas: Vec<AreaRule>,
    weights: MarkWeights,
    mesh: Option<u64>,
}

/// A search stepped by hand.
#[derive(Clone, Debug)]
pub struct SteppedSearch {
    /// The search with its nodes.
    pub path: SlicedPath,
    /// How far it is.
    pub slice: Slice,
    /// The corridor, once it is found.
    pub corridor: Vec<PolyId>,
}

/// Results of what the scene's probe asks. Computed anew when anything that they depend on changes.
#[derive(Clone, Debug, Default)]
pub struct QueryTool {
    key: Option<Key>,
    /// The triangles that the original's planner walked on. They are not kept alive, but nothing else comes to lie where
    /// they lay.
    ground: Weak<GroundGraph>,
    results: Vec<QueryResult>,
    ends: [Option<NavPoint>; 2],
    ray: Option<RayResult>,
    wall: Option<WallResult>,
    wall_from: Option<NavPoint>,
    random: Vec<Vec3>,
    search: Option<SteppedSearch>,
    /// Which polygons the stepped search may use, and what their areas cost.
    filter: Filter,
    planning: PlannerContext,
    finder: PathFinder,
}

impl QueryTool {
    /// The test path by the probe's planner, and by the one laid over it; empty without start and end.
    pub fn results(&self) -> &[QueryResult] {
        &self.results
    }

    /// Start and end on the mesh: polygons and local points.
    pub fn ends(&self) -> [Option<NavPoint>; 2] {
        self.ends
    }

    /// The raycast.
    pub fn ray(&self) -> Option<&RayResult> {
        self.ray.as_ref()
    }

    /// The nearest wall.
    pub fn wall(&self) -> Option<&WallResult> {
        self.wall.as_ref()
    }

    /// Where the distance to the nearest wall is measured from, on the mesh.
    pub fn wall_from(&self) -> Option<NavPoint> {
        self.wall_from
    }

    /// Random points, world space.
    pub fn random(&self) -> &[Vec3] {
        &self.random
    }

    /// The search that is stepped by hand.
    pub fn search(&self) -> Option<&SteppedSearch> {
        self.search.as_ref()
    }

    /// Whether a planner prepares the mesh on another thread, and another answered in its place meanwhile:
    /// [`reconcile`](Self::reconcile) asks again once that is done.
    pub fn is_preparing(&self) -> bool {
        self.planning.is_preparing()
    }

    /// Expands up to `expansions` nodes of the search from start to end; begins it where there is none.
    pub fn step_search(&mut self, world: &World, expansions: u32) {
        let Some(mesh) = world.mesh().current() else { return };
        let [Some(start), Some(end)] = self.ends else { return };
        if self.search.is_none() {
            let begun = SlicedPath::begin(mesh, start, end, &self.filter, true);
            let fresh = |path| SteppedSearch { path, slice: Slice::Open, corridor: Vec::new() };
            self.search = begun.ok().map(fresh);
        }
        let Some(search) = &mut self.search else { return };
        search.slice = search.path.advance(mesh, expansions);
        let mut corridor = Corridor::default();
        if search.slice != Slice::Open {
            search.path.corridor(mesh, &mut corridor);
        }
        search.corridor = corridor.polygons;
    }

    /// Drops the search that was stepped.
    pub fn reset_search(&mut self) {
        self.search = None;
    }

    /// Brings the results in line with scene, mesh and level.
    pub fn reconcile(&mut self, world: &World, scene: &Scene) {
        let nav = &*scene.nav;
        let mesh = world.mesh().current();
        let key = Key {
            probe: nav.probe.clone(),
            threats: world.cover().revision(),
            excessive_ratio: nav.excessive_ratio,
            bias: nav.bias,
            areas: nav.areas.clone(),
            weights: nav.weights.clone(),
            mesh: mesh.map(|m| m.id()),
        };
        let ground = world.original().map_or_else(Weak::new, Arc::downgrade);
        if self.key.as_ref() == Some(&key) && Weak::ptr_eq(&self.ground, &ground) {
            if !self.planning.has_prepared() {
                return;
            }
            // What planners prepare is nothing to the search that is stepped.
        } else {
            self.search = None;
        }
        self.planning.forget_queries();
        self.ground = ground;
        let filter = Filter::default();
        let on = |point: Option<Vec3>| point.zip(mesh).and_then(|(p, m)| nav_mesh::locate(m, p, &filter));
        self.ends = [on(nav.probe.start), on(nav.probe.end)];
        self.filter = nav.filter();
        if let Some(mesh) = mesh.filter(|_| world.mesh().is_in_background()) {
            self.planning.share(mesh);
        }
        let probe = &nav.probe;
        let beside = probe.beside.map(|planner| (planner, probe.beside_search));
        let asked = std::iter::once((probe.planner, probe.search)).chain(beside);
        self.results = match probe.start.zip(probe.end) {
            Some(ends) => asked.map(|asked| self.ask(asked, ends, world, nav)).collect(),
            None => Vec::new(),
        };
        (self.ray, self.wall, self.wall_from) = (None, None, None);
        self.random.clear();
        if let Some(mesh) = mesh {
            self.look_around(nav, mesh, &filter);
        }
        self.key = Some(key);
    }

    fn ask(
        &mut self,
        (planner, search): (Planner, SearchStrategy),
        ends: (Vec3, Vec3),
        world: &World,
        nav: &SceneNav,
    ) -> QueryResult {
        let (mesh, threats) = (world.mesh().current(), world.cover().threats());
        let mut result = match mesh {
            _ if !planner.needs_mesh() => self.ask_ground(search, ends, world.original()),
            Some(mesh) => self.ask_mesh(planner, mesh, world, nav),
            None => QueryResult::failed(planner, "there is no navigation mesh yet; choose where it comes from"),
        };
        if let (Some(mesh), Some(threats)) = (mesh, threats) {
            result.seen = seen_parts(mesh, threats, &result.points);
        }
        result
    }

    /// By the level's triangles.
    fn ask_ground(
        &mut self,
        search: SearchStrategy,
        (start, end): (Vec3, Vec3),
        ground: Option<&Arc<GroundGraph>>,
    ) -> QueryResult {
        let Some(ground) = ground else {
            return QueryResult::failed(Planner::Centers, "the scene has no level to walk on yet");
        };
        let finder = &mut self.finder;
        finder.strategy = search;
        let (found, micros) = median_timed(|| finder.find_between(ground, ground.node_at(start), ground.node_at(end)));
        let mut result = QueryResult {
            planner: Planner::Centers,
            search: Some(search),
            search_tree: finder.search_tree(ground).collect(),
            micros,
            expanded: found.expanded,
            ..Default::default()
        };
        match found.outcome {
            Ok(()) => (result.points, result.length) = (found.points, found.length),
            Err(reason) => result.reason = Some(reason.to_string()),
        }
        let leg_2d = |leg: &[Vec3]| (leg[1] - leg[0]).as_dvec3().with_y(0.0).length();
        result.length_2d = result.points.windows(2).map(leg_2d).sum();
        result
    }

    fn ask_mesh(&mut self, planner: Planner, mesh: &NavMesh, world: &World, nav: &SceneNav) -> QueryResult {
        let [Some(start), Some(end)] = self.ends else {
            let which = if self.ends[0].is_none() { "start" } else { "end" };
            let reason = format!("the {which} is off the navigation mesh; choose a place nearer to it");
            return QueryResult::failed(planner, reason);
        };
        let (filter, markup, biases) = (nav.filter(), nav.markup(), nav.biases());
        let excessive_ratio = nav.excessive_ratio;
        let threats = world.cover().threats().map(|t| &**t);
        let tactics = Some(Tactics { threats, markup: markup.as_ref(), biases: &biases, excessive_ratio });
        let (radius, links) = (nav.probe.radius, world.mesh().links().map(|l| &**l));
        let metric = Metric::along_surface(nav.probe.along_surface);
        let query = Query { radius, metric, tactics, links, ..Query::new(start, end, &filter) };
        let planning = &mut self.planning;
        // What is measured is the path, without the polygons under it, and after a first search: that prepares what the planner needs of
        // the mesh, which takes a thousand times as long.
        let found = planner.find(planning, mesh, &query);
        let (_, micros) = median_timed(|| planner.find(planning, mesh, &Query { skip_polygons: true, ..query }));
        QueryResult {
            planner,
            search: None,
            search_tree: Vec::new(),
            points: found.points.iter().map(|p| mesh.world(*p).as_vec3()).collect(),
            polygons: found.polygons,
            length: found.length,
            length_2d: found.length_2d,
            cost: found.cost,
            expanded: found.expanded,
            expanded_ratio: found.expanded_ratio,
            is_excessive: found.is_excessive,
            micros,
            reason: found.reason.map(|reason| reason.to_string()),
            notes: found.notes,
            seen: Vec::new(),
        }
    }

    /// The ray, the wall and the random points.
    fn look_around(&mut self, nav: &SceneNav, mesh: &NavMesh, filter: &Filter) {
        let world = |p: Vec3| mesh.world(p).as_vec3();
        let mut surface = Surface::new();
        let on = |place: Option<Vec3>| place.and_then(|at| nav_mesh::locate(mesh, at, filter));
        if let Some((start, to)) = on(nav.probe.ray_start).zip(nav.probe.ray_end) {
            let end = mesh.local(to.as_dvec3());
            let hit = raycast(mesh, start, end, filter, |_| {});
            let reached = world(hit.point(mesh, start.point, end));
            self.ray = Some(RayResult { start: world(start.point), reached, end: to, free: hit.wall.is_none() });
        }
        self.wall_from = on(nav.probe.wall_from);
        if let Some(start) = self.wall_from {
            let wall = surface.wall_distance(mesh, start, f32::INFINITY, filter);
            self.wall = wall.map(|hit| WallResult {
                start: world(start.point),
                wall: world(hit.point),
                distance: hit.distance,
            });
        }
        let mut random = SplitMix64::new(u64::from(nav.probe.seed));
        let mut chance = move || random.unit();
        let middle = nav.probe.around.filter(|_| nav.probe.reach > 0.0);
        let around = on(middle);
        if middle.is_some() && around.is_none() {
            return;
        }
        let one = |_| match around {
            Some(place) => Some(random_around(mesh, &mut surface, place, nav.probe.reach, filter, &mut chance)),
            None => random_point(mesh, filter, &mut chance),
        };
        self.random = (0..nav.probe.random).map_while(one).map(|NavPoint { polygon: _, point: p }| world(p)).collect();
    }
}

/// The median time of a few runs, microseconds, and the answer of the last.
fn median_timed<T>(mut ask: impl FnMut() -> T) -> (T, f64) {
    let mut once = || {
        let begin = Instant::now();
        let answer = ask();
        (answer, begin.elapsed().as_secs_f64() * 1e6)
    };
    let (mut answer, first) = once();
    if first > SLOW_MICROS {
        return (answer, first);
    }
    let mut times = [0.0; RUNS];
    for time in &mut times {
        (answer, *time) = once();
    }
    times.sort_by(f64::total_cmp);
    (answer, times[RUNS / 2])
}

/// A path cut where it comes into sight or goes out of it.
fn seen_parts(mesh: &NavMesh, threats: &Threats, points: &[Vec3]) -> Vec<SeenPart> {
    let (mut hidden, mut scratch) = (Intervals::default(), Intervals::default());
    let mut parts = Vec::new();
    for leg in points.windows(2) {
        let [p, q] = [mesh.local(leg[0].as_dvec3()), mesh.local(leg[1].as_dvec3())];
        threats.hidden(p, q, &mut hidden, &mut scratch);
        let mut push = |from: f32, to: f32, exposed| {
            if to > from {
                parts.push(SeenPart { ends: [leg[0].lerp(leg[1], from), leg[0].lerp(leg[1], to)], exposed });
            }
        };
        let mut at = 0.0;
        for &(from, to) in hidden.parts() {
            push(at, from, true);
            push(from, to, false);
            at = to;
        }
        push(at, 1.0, true);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture::plan;
    use crate::nav::planner::PREPARING;

    #[test]
    fn it_asks_again_once_a_planner_is_prepared_and_not_before() {
        let (mut scene, world, mut tool) = (Scene::default(), World::default(), QueryTool::default());
        let (mesh, filter) =
            (Arc::new(plan(&["......", ".####.", "......"], false).validate().unwrap()), Filter::default());
        let at = |x: f32| nav_mesh::locate(&mesh, Vec3::new(x, 0.0, 0.5), &filter).unwrap();
        let path = SlicedPath::begin(&mesh, at(0.5), at(5.5), &filter, true).unwrap();
        tool.reconcile(&world, &scene);
        tool.search = Some(SteppedSearch { path, slice: Slice::Open, corridor: Vec::new() });
        tool.planning.share(&mesh);
        let query = Query::new(at(0.5), at(5.5), &filter);
        let notes = |tool: &mut QueryTool| Planner::Exact.find(&mut tool.planning, &mesh, &query).notes;
        assert_eq!(notes(&mut tool), [PREPARING]);
        // The scene asks for nothing: asking again clears this.
        tool.results.push(QueryResult::default());
        while !tool.results.is_empty() {
            assert!(tool.is_preparing());
            tool.reconcile(&world, &scene);
            std::thread::yield_now();
        }
        assert!(!tool.is_preparing(), "nothing waits for it any more");
        assert!(notes(&mut tool).is_empty(), "it was asked before the mesh was prepared");
        assert!(tool.search().is_some(), "it was asked again, for the same");
        Arc::make_mut(&mut scene.nav).bias += 1.0;
        tool.reconcile(&world, &scene);
        assert!(tool.search().is_none(), "for another");
    }
}
