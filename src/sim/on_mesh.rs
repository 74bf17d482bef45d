//! Ways over the scene's navigation mesh, by the planner that the scene names.

use super::body::Body;
use super::navigate::{fail, set_out};
use super::way::Way;
use super::world::{Live, NavStatus, World};
use crate::math::plan::to_plan;
use crate::math::triangle::closest_point_on_segment;
use crate::nav::ground::GroundNode;
use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::planner::{Planner, PlannerContext, Query, SearchHints, Tactics};
use crate::nav::query::nearest::{SearchExtents, nearest};
use crate::nav::query::raycast::raycast;
use crate::nav::query::smooth::Smoother;
use crate::nav::query::spline::Spline;
use crate::nav::tactical::{Biases, Markup, Threats};
use crate::scene::SceneNav;
use crate::scene::nav::MeshSource;
use glam::Vec3;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// Distance that paths keep from walls at least where there is room, as a share of the radius.
const ELBOW_ROOM: f32 = 1.2;
/// The same on the level's own triangles, whose passages are no wider than they look.
const ELBOW_ROOM_ON_TRIANGLES: f32 = 1.05;

/// Share of its radius that an agent which squeezes through a passage takes up.
const MIN_RADIUS_SCALE: f32 = 0.6;

/// Most searches per step.
const SEARCHES: u32 = 1024;
/// Polygons after whose expansion no further search begins in a step.
const EXPANSIONS: u32 = 120_000;
/// How many searches are made before what they tell is taken in.
const BLOCK: usize = 256;
/// So many with the same goal share a search.
const SHARERS: usize = 6;
/// Up to so many searches are made on one thread.
const FEW: usize = 16;
/// How far a walker may be pushed aside before it mends its way, in radii.
const ASIDE: f32 = 1.5;
/// Share of a leg that has to be free; the rest is rounding.
const WHOLE: f32 = 1.0 - 1e-3;
/// How far a target may move in all before a way that was led on is searched again: metres, and share of what is left.
const DRIFT: (f32, f32) = (3.0, 0.3);

/// The place on a mesh of somebody who stands at `point` in the world.
pub fn place(mesh: &NavMesh, point: Vec3, filter: &Filter) -> Option<NavPoint> {
    nearest(mesh, mesh.local(point.as_dvec3()), &SearchExtents::default(), filter).map(|n| n.nav_point())
}

/// Distance from walls that a mesh keeps by itself, metres.
pub fn eroded(nav: &SceneNav) -> f32 {
    if nav.mesh == MeshSource::Baked { nav.bake.agent_radius } else { 0.0 }
}

/// Distance from walls that a body keeps at least, metres: where no wider passage leads to the goal it squeezes through.
/// Meshes from files are taken to keep their agents' radius from walls already.
fn least_room(nav: &SceneNav, radius: f32) -> f32 {
    match nav.mesh {
        MeshSource::Triangles | MeshSource::Baked => (radius * MIN_RADIUS_SCALE - eroded(nav)).max(0.0),
        MeshSource::Level | MeshSource::File(_) => 0.0,
    }
}

/// A character that gets a way, and what comes of it.
struct Job {
    /// Its place in the arrays.
    i: usize,
    from: Vec3,
    goal: Vec3,
    goal_node: Option<GroundNode>,
    /// Its radius, metres.
    radius: f32,
    /// Whether others go to the same place.
    shared: bool,
    way: Way,
    /// How many nodes the search expanded, if one was made.
    expanded: Option<u32>,
    /// Two islands, where one has to come from the first to the second.
    islands: Option<(u32, u32)>,
    failed: Option<String>,
}

/// Where a way begins and ends: points on the mesh.
pub(super) type Ends = (NavPoint, NavPoint);

/// What all searches of a step have in common.
struct Searching<'a> {
    planner: Planner,
    mesh: &'a NavMesh,
    links: Option<&'a OffMeshLinks>,
    threats: Option<&'a Threats>,
    nav: &'a SceneNav,
    filter: Filter,
    markup: Option<Markup>,
    biases: Biases,
}

/// What finds ways on one thread.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    pub(super) planning: PlannerContext,
    pub(super) smoother: Smoother,
    pub(super) spline: Spline,
    last_goal: Option<Goal>,
}

/// A goal, and its place on the mesh with this number.
#[derive(Clone, Copy, Debug)]
struct Goal {
    mesh: u64,
    at: Vec3,
    place: Option<NavPoint>,
}

/// How many turns the `i`th of `count` waits behind the one whose turn it is, who may have gone since.
fn turn(i: usize, first: usize, count: usize) -> usize {
    (i + count - first % count) % count
}

impl World {
    /// Gives ways over the mesh to those who want one, in turns and within the step's budget, many at a time.
    pub(super) fn serve_on_mesh(&mut self, planner: Planner, nav: &SceneNav) {
        let count = self.live.len();
        let (mut searches, mut expanded) = (0, 0);
        let first = self.next_in_queue;
        let mut wants: Vec<usize> = (0..count).filter(|&i| self.wants_way(i)).collect();
        wants.sort_unstable_by_key(|&i| turn(i, first, count));
        let wants = self.by_goals(wants);
        for (k, block) in wants.chunks(BLOCK).enumerate() {
            if searches >= SEARCHES || expanded >= EXPANSIONS {
                let next = wants[k * BLOCK..].iter().copied().min_by_key(|&i| turn(i, first, count));
                self.next_in_queue = next.unwrap_or(0);
                return;
            }
            for job in self.find_ways(block, planner, nav) {
                searches += u32::from(job.expanded.is_some());
                expanded += job.expanded.unwrap_or(0);
                self.take_way(job);
            }
        }
    }

    /// Puts those with the same goal side by side; the one who has waited longest comes first with all who share his.
    fn by_goals(&self, wants: Vec<usize>) -> Vec<usize> {
        let mut ranks = HashMap::new();
        let goal = |i: usize| {
            self.goal_of(i).map(|g| (g.0.to_array().map(f32::to_bits), self.bodies[i].size.radius.to_bits()))
        };
        let mut ranked = Vec::with_capacity(wants.len());
        for i in wants {
            let next = ranks.len();
            ranked.push((*ranks.entry(goal(i)).or_insert(next), i));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, i)| i).collect()
    }

    /// Finds ways for these characters, on as many threads as it is worth.
    fn find_ways(&mut self, block: &[usize], planner: Planner, nav: &SceneNav) -> Vec<Job> {
        let mesh = self.mesh.current().cloned();
        if mesh.is_none() && self.mesh.is_building() && self.mesh.error().is_none() {
            return Vec::new();
        }
        let mut jobs: Vec<Job> = block.iter().filter_map(|&i| self.job(i)).collect();
        share_goals(&mut jobs);
        let Some(shared) = mesh else {
            let reason = match self.mesh.error() {
                Some(error) => format!("there is no navigation mesh: {error}"),
                None => format!("the planner '{planner}' needs a navigation mesh; bake one"),
            };
            jobs.iter_mut().for_each(|job| job.failed = Some(reason.clone()));
            return jobs;
        };
        if self.apart.0 != planner {
            // Another planner may take links that this one does not.
            self.apart = (planner, BTreeSet::new());
        }
        let threads = if planner.is_thread_cheap() && jobs.len() > FEW { rayon::current_num_threads() } else { 1 };
        if self.mesh.is_in_background() {
            self.tools.planning.share(&shared);
        }
        let searching = Searching {
            planner,
            mesh: &shared,
            links: self.mesh.links().map(|l| &**l),
            threats: self.cover.threats().map(|t| &**t),
            nav,
            filter: nav.filter(),
            markup: nav.markup(),
            biases: nav.biases(),
        };
        let begin = |tools: &mut Tools, job: &mut Job| {
            if let Some(ends) = searching.ends(tools, job)
                && job.islands.is_none()
            {
                searching.find(tools, job, ends);
            }
        };
        if threads > 1 {
            self.helpers.resize_with(self.helpers.len().max(threads), Tools::default);
            let part = jobs.len().div_ceil(threads);
            let parts = jobs.par_chunks_mut(part).zip(self.helpers.par_iter_mut());
            parts.for_each(|(jobs, tools)| jobs.iter_mut().for_each(|job| begin(tools, job)));
        } else {
            jobs.iter_mut().for_each(|job| begin(&mut self.tools, job));
        }
        // From island to island one after the other: what one learns the next need not.
        for job in &mut jobs {
            let Some(islands) = job.islands else { continue };
            let reason = || format!("no path leads from island {} to island {} of the mesh", islands.0, islands.1);
            if self.apart.1.contains(&islands) {
                job.failed = Some(reason());
            } else if let Some(ends) = searching.ends(&mut self.tools, job) {
                searching.find(&mut self.tools, job, ends);
                if job.failed.is_some() {
                    self.apart.1.insert(islands);
                    job.failed = Some(reason());
                }
            }
        }
        jobs
    }

    fn job(&mut self, i: usize) -> Option<Job> {
        let (goal, goal_node) = self.goal_of(i)?;
        let (live, body) = (&mut self.live[i], &self.bodies[i]);
        Some(Job {
            i,
            from: live.now.position.with_y(body.floor),
            goal,
            goal_node,
            radius: body.size.radius,
            shared: false,
            way: Way::with_memory_of(live),
            expanded: None,
            islands: None,
            failed: None,
        })
    }

    /// Sends a character on the way that was found for it.
    fn take_way(&mut self, job: Job) {
        let (live, body) = (&mut self.live[job.i], &mut self.bodies[job.i]);
        self.searches += u64::from(job.expanded.is_some());
        if let Some(reason) = job.failed {
            fail(live, body, self.steps, reason);
            return;
        }
        job.way.give(live, &mut body.nav);
        body.nav.triangles.clear();
        set_out(live, &mut body.nav, job.goal, job.goal_node, self.steps);
    }
}

/// Tells those side by side who have the same goal where they are enough to share a search.
fn share_goals(jobs: &mut [Job]) {
    let key = |job: &Job| (job.goal.to_array().map(f32::to_bits), job.radius.to_bits());
    for group in jobs.chunk_by_mut(|a, b| key(a) == key(b)).filter(|group| group.len() >= SHARERS) {
        group.iter_mut().for_each(|job| job.shared = true);
    }
}

impl Searching<'_> {
    /// The places of a character and its target on the mesh; notes when they lie on different islands.
    fn ends(&self, tools: &mut Tools, job: &mut Job) -> Option<Ends> {
        let on = |point| place(self.mesh, point, &Filter::default());
        let (mesh, at) = (self.mesh.id(), job.goal);
        let known = tools.last_goal.filter(|goal| (goal.mesh, goal.at) == (mesh, at));
        let goal = known.unwrap_or_else(|| Goal { mesh, at, place: on(at) });
        tools.last_goal = Some(goal);
        let Some((start, end)) = on(job.from).zip(goal.place) else {
            job.failed = Some("it or its target is off the navigation mesh".into());
            return None;
        };
        let islands = (self.mesh.polygon(start.polygon).island, self.mesh.polygon(end.polygon).island);
        job.islands = Some(islands).filter(|i| i.0 != i.1);
        Some((start, end))
    }

    /// Finds the way to where the target stands.
    fn find(&self, tools: &mut Tools, job: &mut Job, (start, end): Ends) {
        let Self { planner, mesh, links, threats, nav, ref filter, ref markup, ref biases } = *self;
        let share = if nav.mesh == MeshSource::Triangles { ELBOW_ROOM_ON_TRIANGLES } else { ELBOW_ROOM };
        let room = (job.radius * share - eroded(nav)).max(0.0);
        let radius = if planner.takes_any_radius() { room } else { 0.0 };
        let tactics = Some(Tactics { threats, markup: markup.as_ref(), biases, excessive_ratio: nav.excessive_ratio });
        let hints = SearchHints { shared: job.shared, sketched: true };
        let skip_polygons = true;
        let query = Query { start, end, filter, radius, tactics, links, hints, skip_polygons };
        job.way.room = radius;
        let mut found = planner.find(&mut tools.planning, mesh, &query);
        let mut expanded = found.expanded;
        let narrow = least_room(nav, job.radius);
        if found.reason.is_some() && narrow < radius {
            job.way.room = narrow;
            found = planner.find(&mut tools.planning, mesh, &Query { radius: narrow, ..query });
            expanded += found.expanded;
        }
        job.expanded = Some(expanded);
        if found.reason.is_some() {
            job.failed = found.reason.map(|reason| reason.to_string());
            return;
        }
        job.way.lay(mesh, links, &found);
        job.way.end_at(job.goal);
    }
}

/// Whether one can go straight from a place on the mesh to another, both in the world.
pub(super) fn is_free(mesh: &NavMesh, from: Vec3, to: Vec3) -> bool {
    let filter = Filter::default();
    let Some(NavPoint { polygon, point: at }) = place(mesh, from, &filter) else { return false };
    let Some(NavPoint { polygon: _, point: end }) = place(mesh, to, &filter) else { return false };
    raycast(mesh, NavPoint::new(polygon, at), end, &filter, |_| {}).share >= WHOLE
}

/// Mends the way of a walker that was pushed off it: it goes straight to the next point where it can, and asks for a
/// new way where it cannot.
pub(super) fn mend_way(live: &Live, body: &mut Body, mesh: &NavMesh) {
    let (Some(next), true) = (live.path.first(), live.nav == NavStatus::Walking && live.crossing.is_none()) else {
        return;
    };
    let at = live.now.position;
    let on_way = closest_point_on_segment(body.nav.leg_from, *next, at);
    if to_plan(on_way).distance(to_plan(at)) <= ASIDE * body.size.radius {
        return;
    }
    body.nav.wants_path |= !is_free(mesh, at, *next);
    body.nav.leg_from = at;
}

/// Leads a way on to a target that has moved: its last leg is turned there, or lengthened. Says whether that could be
/// done; the last point is for the caller to set.
pub(super) fn lead_on(live: &mut Live, body: &mut Body, goal: Vec3, mesh: &NavMesh) -> bool {
    let Some(&last) = live.path.last() else { return false };
    body.nav.drift += last.distance(goal);
    if body.nav.drift > DRIFT.0 + DRIFT.1 * live.distance_left.unwrap_or(0.0) {
        return false;
    }
    let from = live.path.len().checked_sub(2).map_or(live.now.position, |i| live.path[i]);
    if live.leaps.last().is_none_or(|leap| leap.left != live.path.len() + 1) && is_free(mesh, from, goal) {
        return true;
    }
    let free = is_free(mesh, last, goal);
    if free {
        live.path.push(goal);
        live.leaps.iter_mut().for_each(|leap| leap.left += 1);
        body.nav.rough += usize::from(body.nav.rough > 0);
    }
    free
}

/// Whether the whole way of a walker still leads over the mesh.
pub(super) fn is_way_whole(live: &Live, mesh: &NavMesh) -> bool {
    let begin = live.crossing.is_none().then_some(live.now.position);
    let points: Vec<Vec3> = begin.into_iter().chain(live.path.iter().copied()).collect();
    let last = points.len().saturating_sub(1);
    points.windows(2).enumerate().all(|(i, leg)| {
        // The target may stand beside the mesh; links are looked at when one comes to them.
        let leaps = live.leaps.iter().any(|leap| leap.left == points.len() - i);
        leaps || i + 1 == last && !on(mesh, leg[1]) || is_free(mesh, leg[0], leg[1])
    })
}

fn on(mesh: &NavMesh, point: Vec3) -> bool {
    let filter = Filter::default();
    place(mesh, point, &filter).is_some_and(|NavPoint { polygon: _, point: p }| {
        to_plan(p).distance(to_plan(mesh.local(point.as_dvec3()))) < 1e-3
    })
}

#[cfg(test)]
mod tests {
    use super::turn;

    #[test]
    fn turns_go_round_also_when_most_have_gone() {
        assert_eq!([0, 1, 2, 3].map(|i| turn(i, 2, 4)), [2, 3, 0, 1]);
        assert_eq!([0, 49, 50, 99].map(|i| turn(i, 250, 100)), [50, 99, 0, 49]);
    }
}
