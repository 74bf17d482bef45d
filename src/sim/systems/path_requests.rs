//! Serves requests for paths over the scene's navigation mesh, by the planner that the scene names.

use super::path_builder::PathBuilder;
use super::path_progress::{begin_path, fail_path};
use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::original::GroundNode;
use crate::nav::planner::{Metric, PlanError, Planner, Query, SearchHints, Tactics};
use crate::nav::query::QueryError;
use crate::nav::tactical::{Biases, Markup, TacticalError, Threats};
use crate::scene::SceneNav;
use crate::scene::nav::MeshSource;
use crate::sim::derived::cover::CoverState;
use crate::sim::derived::nav_mesh::{MeshState, erosion, locate};
use crate::sim::instance_arrays::InstanceArrays;
use crate::sim::system_state::{LocatedGoal, NavigationState, OTHER_ISLAND, PathScratch};
use glam::Vec3;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// Distance that paths keep from walls where there is room, as a share of the radius: with less, people meet in passages
/// that one fills.
const CLEARANCE_SCALE: f32 = 1.5;
/// The same on the level's own triangles, whose passages are no wider than they look.
const CLEARANCE_SCALE_ON_TRIANGLES: f32 = 1.05;
/// Share of its radius that an agent which squeezes through a passage takes up.
const MIN_RADIUS_SCALE: f32 = 0.6;

/// Most searches per step.
const MAX_SEARCHES: u32 = 1024;
/// Expanded polygons after which no further search begins in a step.
const MAX_EXPANSIONS: u64 = 120_000;
/// Searches between two looks at the budget.
const BLOCK: usize = 256;
/// Requests with the same goal from which on they share a search.
const MIN_SHARERS: usize = 6;
/// Requests up to which one thread serves them.
const MAX_SERIAL: usize = 16;

/// A request for a path, and its result.
struct PathRequest {
    /// Position of the character in the arrays.
    i: usize,
    /// World space.
    from: Vec3,
    /// World space.
    goal: Vec3,
    goal_node: Option<GroundNode>,
    /// Radius of the character, metres.
    radius: f32,
    /// Whether enough requests have the same goal.
    is_shared: bool,
    path: PathBuilder,
    /// Number of expanded nodes, if there was a search.
    expanded: Option<u32>,
    /// Number of nodes of searches that serve all requests with the same goal.
    shared_expanded: u32,
    /// The islands of start and goal, if they differ.
    islands: Option<(u32, u32)>,
    failed: Option<String>,
    /// Whether it failed because nothing leads from one island to the other, for any character.
    is_apart: bool,
}

/// Where a path begins and ends on the mesh.
#[derive(Clone, Copy)]
struct RequestEnds {
    start: NavPoint,
    end: NavPoint,
}

/// What paths are searched on.
#[derive(Clone, Copy)]
pub struct PathContext<'a> {
    /// The scene's mesh.
    pub mesh: &'a MeshState,
    /// Its covers, and what enemies see.
    pub cover: &'a CoverState,
    /// The scene's planner and rules.
    pub nav: &'a SceneNav,
    /// Number of the step.
    pub step: u64,
}

/// What all searches of a step have in common.
struct SearchContext<'a> {
    planner: Planner,
    mesh: &'a NavMesh,
    links: Option<&'a OffMeshLinks>,
    threats: Option<&'a Threats>,
    nav: &'a SceneNav,
    filter: Filter,
    markup: Option<Markup>,
    biases: Biases,
}

/// Turns until the `i`th of `count` is served when it is the turn of `first`, which may be gone by now.
fn turns_until(i: usize, first: usize, count: usize) -> usize {
    (i + count - first % count) % count
}

/// Serves requests for paths in turns, within the budget of a step, many at a time.
pub fn process_path_requests(state: &mut NavigationState, instances: &mut InstanceArrays, context: PathContext<'_>) {
    let count = instances.len();
    let (mut searches, mut expanded) = (0_u32, 0_u64);
    let first = state.next_request;
    let mut requests: Vec<usize> = (0..count).filter(|&i| instances.wants_path(i, context.step)).collect();
    requests.sort_unstable_by_key(|&i| turns_until(i, first, count));
    let requests = group_by_goal(instances, requests);
    for (k, block) in requests.chunks(BLOCK).enumerate() {
        if searches >= MAX_SEARCHES || expanded >= MAX_EXPANSIONS {
            let next = requests[k * BLOCK..].iter().copied().min_by_key(|&i| turns_until(i, first, count));
            state.next_request = next.unwrap_or(0);
            return;
        }
        let served = search_paths(state, instances, block, context);
        expanded += expansions(&served);
        for request in served {
            searches += u32::from(request.expanded.is_some());
            finish_request(state, instances, request, context.step);
        }
    }
}

/// Puts requests with the same goal side by side; the request that has waited longest comes first, with all that share
/// its goal.
fn group_by_goal(instances: &InstanceArrays, requests: Vec<usize>) -> Vec<usize> {
    let mut ranks = HashMap::new();
    let goal = |i: usize| {
        let radius = instances.characters[i].size.radius.to_bits();
        instances.goal_of(i).map(|goal| (goal.to_array().map(f32::to_bits), radius))
    };
    let mut ranked = Vec::with_capacity(requests.len());
    for i in requests {
        let next = ranks.len();
        ranked.push((*ranks.entry(goal(i)).or_insert(next), i));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, i)| i).collect()
}

/// Searches paths for these instances, on as many threads as that is worth.
fn search_paths(
    state: &mut NavigationState,
    instances: &mut InstanceArrays,
    block: &[usize],
    context: PathContext<'_>,
) -> Vec<PathRequest> {
    let PathContext { mesh: mesh_state, cover, nav, .. } = context;
    let planner = nav.planner;
    let mesh = mesh_state.current();
    if mesh.is_none() && mesh_state.is_building() && mesh_state.error().is_none() {
        return Vec::new();
    }
    let mut requests: Vec<PathRequest> = block.iter().filter_map(|&i| request_of(instances, i)).collect();
    mark_shared(&mut requests);
    let Some(mesh) = mesh else {
        let reason = match mesh_state.error() {
            Some(error) => format!("there is no navigation mesh: {error}"),
            None => format!("the planner '{planner}' needs a navigation mesh; bake one"),
        };
        requests.iter_mut().for_each(|request| request.failed = Some(reason.clone()));
        return requests;
    };
    if state.unreachable_by != planner {
        (state.unreachable_by, state.unreachable) = (planner, BTreeMap::new());
    }
    if mesh_state.is_in_background() {
        state.scratch.planning.share(mesh);
    }
    let search = SearchContext {
        planner,
        mesh,
        links: mesh_state.links().map(|links| &**links),
        threats: cover.threats().map(|threats| &**threats),
        nav,
        filter: nav.filter(),
        markup: nav.markup(),
        biases: nav.biases(),
    };
    let threads =
        if planner.is_thread_cheap() && requests.len() > MAX_SERIAL { rayon::current_num_threads() } else { 1 };
    if threads > 1 {
        state.worker_scratch.resize_with(state.worker_scratch.len().max(threads), PathScratch::default);
        let part = requests.len().div_ceil(threads);
        let parts = requests.par_chunks_mut(part).zip(state.worker_scratch.par_iter_mut());
        parts.for_each(|(requests, scratch)| {
            requests.iter_mut().for_each(|request| search.search_on_island(scratch, request));
        });
    } else {
        requests.iter_mut().for_each(|request| search.search_on_island(&mut state.scratch, request));
    }
    requests.iter_mut().for_each(|request| search.search_between_islands(state, request));
    requests
}

/// The request of an instance; takes the memory of its path.
fn request_of(instances: &mut InstanceArrays, i: usize) -> Option<PathRequest> {
    let goal = instances.goal_of(i)?;
    let goal_node = instances.goal_node_of(i);
    let (instance, character) = instances.at_mut(i);
    Some(PathRequest {
        i,
        from: instance.now.position.with_y(character.ground_height),
        goal,
        goal_node,
        radius: character.size.radius,
        is_shared: false,
        path: PathBuilder::reusing(instance),
        expanded: None,
        shared_expanded: 0,
        islands: None,
        failed: None,
        is_apart: false,
    })
}

/// Whether two requests can share a search.
fn is_alike(a: &PathRequest, b: &PathRequest) -> bool {
    let key = |request: &PathRequest| (request.goal.to_array().map(f32::to_bits), request.radius.to_bits());
    key(a) == key(b)
}

/// Marks requests side by side with the same goal where they are enough to share a search.
fn mark_shared(requests: &mut [PathRequest]) {
    for group in requests.chunk_by_mut(is_alike).filter(|group| group.len() >= MIN_SHARERS) {
        group.iter_mut().for_each(|request| request.is_shared = true);
    }
}

/// What requests take of a step's budget: the nodes that each expanded, and those of shared searches once for all that are side by
/// side, whichever threads made them, in this step or before.
fn expansions(requests: &[PathRequest]) -> u64 {
    let own = requests.iter().filter_map(|request| request.expanded).map(u64::from).sum::<u64>();
    let shared = |group: &[PathRequest]| group.iter().map(|request| u64::from(request.shared_expanded)).max();
    own + requests.chunk_by(is_alike).filter_map(shared).sum::<u64>()
}

/// Gives a character the path of its request.
fn finish_request(state: &mut NavigationState, instances: &mut InstanceArrays, request: PathRequest, step: u64) {
    let (instance, character) = instances.at_mut(request.i);
    state.searches += u64::from(request.expanded.is_some());
    if let Some(reason) = request.failed {
        fail_path(instance, character, step, reason);
        return;
    }
    request.path.install(instance, &mut character.nav);
    character.nav.triangles.clear();
    begin_path(instance, &mut character.nav, request.goal, request.goal_node, step);
}

/// Distance from walls that a body keeps at least, metres: where no wider passage leads to the goal it squeezes through.
/// Meshes from files are taken to keep their agents' radius from walls already.
fn min_clearance(nav: &SceneNav, radius: f32) -> f32 {
    match nav.mesh {
        MeshSource::Triangles | MeshSource::Baked => (radius * MIN_RADIUS_SCALE - erosion(nav)).max(0.0),
        MeshSource::Level | MeshSource::File(_) => 0.0,
    }
}

impl SearchContext<'_> {
    /// Searches the path of a request whose start and goal lie on one island, and notes the islands otherwise.
    fn search_on_island(&self, scratch: &mut PathScratch, request: &mut PathRequest) {
        if let Some(ends) = self.locate_ends(scratch, request)
            && request.islands.is_none()
        {
            self.search(scratch, request, ends);
        }
    }

    /// Searches the path of a request from one island to another. Requests go one after the other: a pair of islands
    /// without a path is searched once. Where one character alone finds none, as it is too wide, others search.
    fn search_between_islands(&self, state: &mut NavigationState, request: &mut PathRequest) {
        let Some(islands) = request.islands else { return };
        if state.unreachable.contains_key(&islands) {
            request.failed = Some(OTHER_ISLAND.into());
        } else if let Some(ends) = self.locate_ends(&mut state.scratch, request) {
            self.search(&mut state.scratch, request, ends);
            if request.is_apart {
                state.unreachable.insert(islands, OnceLock::new());
                request.failed = Some(OTHER_ISLAND.into());
            }
        }
    }

    /// Locates start and goal of a request on the mesh, and notes when they lie on different islands.
    fn locate_ends(&self, scratch: &mut PathScratch, request: &mut PathRequest) -> Option<RequestEnds> {
        let locate = |point| locate(self.mesh, point, &Filter::default());
        let (mesh, position) = (self.mesh.id(), request.goal);
        let known = scratch.last_goal.filter(|goal| (goal.mesh, goal.position) == (mesh, position));
        let goal = known.unwrap_or_else(|| LocatedGoal { mesh, position, location: locate(position) });
        scratch.last_goal = Some(goal);
        let Some((start, end)) = locate(request.from).zip(goal.location) else {
            request.failed = Some("it or its target is off the navigation mesh".into());
            return None;
        };
        let islands = (self.mesh.polygon(start.polygon).island, self.mesh.polygon(end.polygon).island);
        request.islands = Some(islands).filter(|i| i.0 != i.1);
        Some(RequestEnds { start, end })
    }

    /// Searches the path of a request; where no passage is wide enough, once more for a body that squeezes.
    fn search(&self, scratch: &mut PathScratch, request: &mut PathRequest, RequestEnds { start, end }: RequestEnds) {
        let Self { planner, mesh, links, threats, nav, ref filter, ref markup, ref biases } = *self;
        let scale = if nav.mesh == MeshSource::Triangles { CLEARANCE_SCALE_ON_TRIANGLES } else { CLEARANCE_SCALE };
        let clearance = (request.radius * scale - erosion(nav)).max(0.0);
        // Exact paths touch walls: the crowd keeps bodies off them.
        let radius = if planner == Planner::Funnel { clearance } else { 0.0 };
        let tactics = Some(Tactics { threats, markup: markup.as_ref(), biases, excessive_ratio: nav.excessive_ratio });
        let hints = SearchHints { shared: request.is_shared, sketched: true };
        let metric = Metric::along_surface(nav.along_surface);
        let query =
            Query { radius, metric, tactics, links, hints, skip_polygons: true, ..Query::new(start, end, filter) };
        request.path.clearance = radius;
        let mut found = planner.find(&mut scratch.planning, mesh, &query);
        let mut expanded = [found.expanded, found.shared_expanded];
        let narrow = min_clearance(nav, request.radius);
        if found.reason.is_some() && narrow < radius {
            request.path.clearance = narrow;
            found = planner.find(&mut scratch.planning, mesh, &Query { radius: narrow, ..query });
            expanded = [expanded[0] + found.expanded, expanded[1] + found.shared_expanded];
        }
        (request.expanded, request.shared_expanded) = (Some(expanded[0]), expanded[1]);
        if let Some(reason) = &found.reason {
            request.is_apart = matches!(
                reason,
                PlanError::Query(QueryError::OtherIsland(..)) | PlanError::Tactical(TacticalError::OtherIsland(..))
            );
            request.failed = Some(reason.to_string());
            return;
        }
        request.path.append(mesh, links, &found);
        request.path.end_at(request.goal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture;
    use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};
    use glam::DVec3;

    #[test]
    fn turns_go_round_also_when_most_have_gone() {
        assert_eq!([0, 1, 2, 3].map(|i| turns_until(i, 2, 4)), [2, 3, 0, 1]);
        assert_eq!([0, 49, 50, 99].map(|i| turns_until(i, 250, 100)), [50, 99, 0, 49]);
    }

    /// A request from one place to another.
    fn request(from: Vec3, goal: Vec3, radius: f32) -> PathRequest {
        PathRequest {
            i: 0,
            from,
            goal,
            goal_node: None,
            radius,
            is_shared: false,
            path: PathBuilder::default(),
            expanded: None,
            shared_expanded: 0,
            islands: None,
            failed: None,
            is_apart: false,
        }
    }

    fn search<'a>(mesh: &'a NavMesh, links: Option<&'a OffMeshLinks>, nav: &'a SceneNav) -> SearchContext<'a> {
        let (filter, biases) = (nav.filter(), nav.biases());
        SearchContext { planner: Planner::Funnel, mesh, links, threats: None, nav, filter, markup: None, biases }
    }

    #[test]
    fn the_budget_knows_no_threads() {
        let mesh = fixture::plan(&["........", ".######.", "........"], true).validate().unwrap();
        let nav = SceneNav::default();
        let search = search(&mesh, None, &nav);
        let spent = |threads: usize| {
            let from = |i: u16| Vec3::new(0.5 + 0.3 * f32::from(i), 0.0, 0.5);
            let mut requests: Vec<_> = (0..12).map(|i| request(from(i), Vec3::new(7.5, 0.0, 2.5), 0.2)).collect();
            mark_shared(&mut requests);
            for part in requests.chunks_mut(12 / threads) {
                let mut scratch = PathScratch::default();
                part.iter_mut().for_each(|request| search.search_on_island(&mut scratch, request));
            }
            assert!(requests.iter().all(|request| request.failed.is_none() && request.is_shared));
            expansions(&requests)
        };
        assert!(spent(1) > 5, "{}", spent(1));
        assert_eq!([2, 3, 4].map(spent), [spent(1); 3]);
    }

    #[test]
    fn a_character_that_is_too_wide_shuts_no_island_to_others() {
        // A passage a metre wide, and a jump to an island.
        let mesh = fixture::plan(&["...#...#...", ".......#...", "...#...#..."], false).validate().unwrap();
        let jump = PlacedLink::new(LinkKind::Jump, [6.9, 8.1].map(|x| DVec3::new(x, 0.0, 1.5)), 0.5);
        let links = OffMeshLinks::new(&mesh, Vec::new(), &[jump]).unwrap();
        let (nav, mut state) = (SceneNav::default(), NavigationState::default());
        let mut ask = |radius: f32, links: Option<&OffMeshLinks>| {
            let search = search(&mesh, links, &nav);
            let mut request = request(Vec3::new(1.5, 0.0, 1.5), Vec3::new(9.5, 0.0, 1.5), radius);
            search.search_on_island(&mut state.scratch, &mut request);
            search.search_between_islands(&mut state, &mut request);
            (request.failed, state.unreachable.len())
        };
        let (wide, known) = ask(1.0, Some(&links));
        assert!(wide.is_some_and(|reason| reason.contains("too narrow")));
        assert_eq!(known, 0);
        assert_eq!(ask(0.2, Some(&links)), (None, 0));
        // Without the jump no character gets across, and that is remembered.
        let (none, known) = ask(0.2, None);
        assert!(none.is_some_and(|reason| reason.starts_with("its target lies on another island")));
        assert_eq!(known, 1);
        // The gap between the islands is computed where it is shown, not in a step.
        assert!(state.unreachable.values().all(|gap| gap.get().is_none()));
    }
}
