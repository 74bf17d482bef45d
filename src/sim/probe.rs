//! What the workbench tries: paths from the scene's start to its end by one planner or two, a ray, the distance to a
//! wall, random places, what enemies see, and a search that is stepped by hand.

pub mod cover;
pub mod debug;
#[cfg(test)]
mod tests;

use super::level::Level;
use super::on_mesh::place;
use super::world::{NavStatus, World};
use crate::background::Builder;
use crate::nav::cover::{Intervals, Threats};
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::planner::{Planner, Query, SearchHints, Tactics};
use crate::nav::query::path::Corridor;
use crate::nav::query::random::{random_around, random_point};
use crate::nav::query::raycast::raycast;
use crate::nav::query::sliced::{Slice, SlicedPath};
use crate::nav::query::surface::Surface;
use crate::scene::nav::{AreaRule, MarkWeights, PlacedObstacle, Probe, SightRule};
use crate::scene::{Scene, SceneNav};
use cover::{CoverSources, CoverView};
use glam::Vec3;
use std::sync::Arc;
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
    /// Whether somebody sees it.
    pub exposed: bool,
}

/// What a planner said about the tried path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbeResult {
    /// The planner.
    pub planner: Planner,
    /// From start to end, world space; empty without a path.
    pub points: Vec<Vec3>,
    /// Polygons walked over; none by triangles.
    pub polygons: Vec<PolyId>,
    /// Length, metres.
    pub length: f64,
    /// The same seen from above.
    pub length_2d: f64,
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

impl ProbeResult {
    /// Metres that enemies see.
    pub fn exposed_length(&self) -> f32 {
        self.seen.iter().filter(|s| s.exposed).map(|s| s.ends[0].distance(s.ends[1])).sum()
    }

    fn failed(planner: Planner, reason: impl Into<String>) -> Self {
        Self { planner, reason: Some(reason.into()), ..Self::default() }
    }
}

/// The straight way from start to end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeRay {
    /// Where it begins, world space.
    pub start: Vec3,
    /// Where the free way ends.
    pub reached: Vec3,
    /// Where it was to lead.
    pub end: Vec3,
    /// Whether nothing is in the way.
    pub free: bool,
}

/// The wall nearest to the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeWall {
    /// The start on the mesh, world space.
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
    threats: Vec<Vec3>,
    obstacles: Vec<PlacedObstacle>,
    destroyed: Vec<Vec3>,
    sight: SightRule,
    bias: f32,
    excessive_ratio: f32,
    areas: Vec<AreaRule>,
    weights: MarkWeights,
    /// Answers may become better without a change of anything else.
    preparing: bool,
    mesh: Option<u64>,
    level: usize,
    /// Number of the mesh of the covers, and whether floors are among them.
    cover: Option<(u64, bool)>,
}

/// What may hide somebody from the scene's enemies.
fn hiding(nav: &SceneNav) -> &[PlacedObstacle] {
    if nav.threats.is_empty() { &[] } else { &nav.obstacles }
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
pub struct ProbeState {
    key: Option<Key>,
    results: Vec<ProbeResult>,
    ends: [Option<NavPoint>; 2],
    ray: Option<ProbeRay>,
    wall: Option<ProbeWall>,
    random: Vec<Vec3>,
    cover: Option<Arc<CoverView>>,
    threats: Option<Arc<Threats>>,
    builder: Builder<CoverSources>,
    search: Option<SteppedSearch>,
    /// What searches may use at what cost.
    filter: Filter,
}

impl ProbeState {
    /// One whose covers are found beside the caller's thread.
    pub fn in_background() -> Self {
        Self { builder: Builder::in_background(), ..Self::default() }
    }

    /// The tried path by the scene's planner, and by the one laid over it; empty without start and end.
    pub fn results(&self) -> &[ProbeResult] {
        &self.results
    }

    /// Start and end on the mesh: polygons and local points.
    pub fn ends(&self) -> [Option<NavPoint>; 2] {
        self.ends
    }

    /// The straight way.
    pub fn ray(&self) -> Option<&ProbeRay> {
        self.ray.as_ref()
    }

    /// The nearest wall.
    pub fn wall(&self) -> Option<&ProbeWall> {
        self.wall.as_ref()
    }

    /// Random places, world space.
    pub fn random(&self) -> &[Vec3] {
        &self.random
    }

    /// The mesh's covers, once they are known; found only for scenes with threats.
    pub fn cover(&self) -> Option<&Arc<CoverView>> {
        self.cover.as_ref()
    }

    /// What the scene's enemies see.
    pub(super) fn threats(&self) -> Option<&Arc<Threats>> {
        self.threats.as_ref()
    }

    /// The search that is stepped by hand.
    pub fn search(&self) -> Option<&SteppedSearch> {
        self.search.as_ref()
    }

    /// Whether covers are being found.
    pub fn is_building(&self) -> bool {
        self.builder.is_running()
    }

    /// Finds covers of a mesh where a scene has threats.
    fn find_cover(&mut self, nav: &SceneNav, mesh: Option<&Arc<NavMesh>>, level: Option<&Arc<Level>>) {
        let Some(mesh) = mesh.filter(|_| !nav.threats.is_empty()) else {
            self.builder.forget();
            self.cover = None;
            return;
        };
        if self.cover.as_ref().is_some_and(|c| c.fits(mesh, nav)) {
            self.builder.forget();
        } else {
            let with_floors = nav.sight.heights;
            let sources = CoverSources { mesh: mesh.clone(), level: level.cloned(), with_floors };
            if let Some(built) = self.builder.poll(&sources) {
                self.cover = built;
            }
        }
        let damaged = |c: &&mut Arc<CoverView>| c.mesh == mesh.id() && c.places != nav.destroyed;
        if let Some(cover) = self.cover.as_mut().filter(damaged) {
            Arc::make_mut(cover).destroy_at(mesh, &nav.destroyed);
        }
    }
}

impl World {
    /// What the workbench tries.
    pub fn probe(&self) -> &ProbeState {
        &self.probe
    }

    /// Takes so many steps of the search from start to end; begins it where there is none.
    pub fn step_search(&mut self, expansions: u32) {
        let Some(mesh) = self.mesh.current().cloned() else { return };
        let [Some(start), Some(end)] = self.probe.ends else { return };
        if self.probe.search.is_none() {
            let begun = SlicedPath::begin(&mesh, start, end, &self.probe.filter, true);
            let fresh = |path| SteppedSearch { path, slice: Slice::Open, corridor: Vec::new() };
            self.probe.search = begun.ok().map(fresh);
        }
        let Some(search) = &mut self.probe.search else { return };
        search.slice = search.path.advance(&mesh, expansions);
        let mut corridor = Corridor::default();
        if search.slice != Slice::Open {
            search.path.corridor(&mesh, &mut corridor);
        }
        search.corridor = corridor.polygons;
    }

    /// Forgets the search that was stepped.
    pub fn reset_search(&mut self) {
        self.probe.search = None;
    }

    /// Brings the results in line with scene, mesh and level.
    pub(super) fn reconcile_probe(&mut self, scene: &Scene) {
        let nav = &*scene.nav;
        let mesh = self.mesh.current().cloned();
        let base = self.mesh.built().map(|b| b.mesh.clone());
        self.probe.find_cover(nav, base.as_ref(), self.level.as_ref());
        let key = Key {
            probe: nav.probe.clone(),
            threats: nav.threats.clone(),
            obstacles: hiding(nav).to_vec(),
            destroyed: nav.destroyed.clone(),
            sight: nav.sight,
            preparing: false,
            bias: nav.bias,
            excessive_ratio: nav.excessive_ratio,
            areas: nav.areas.clone(),
            weights: nav.weights.clone(),
            mesh: mesh.as_ref().map(|m| m.id()),
            level: self.level.as_ref().map_or(0, |l| Arc::as_ptr(l) as usize),
            cover: self.probe.cover.as_ref().map(|c| c.key()),
        };
        if self.probe.key.as_ref() == Some(&key) {
            return;
        }
        let filter = Filter::default();
        let on = |point: Option<Vec3>| point.zip(mesh.as_deref()).and_then(|(p, m)| place(m, p, &filter));
        self.probe.ends = [on(nav.probe.start), on(nav.probe.end)];
        self.probe.search = None;
        self.probe.filter = nav.filter();
        if let Some(mesh) = mesh.as_ref().filter(|_| self.mesh.is_in_background()) {
            self.tools.planning.share(mesh);
        }
        // Covers are those of the mesh without obstacles; those hide by themselves.
        self.reconcile_threats(nav, base.as_deref());
        let threats = self.probe.threats.clone();
        let planners = std::iter::once(nav.probe.planner).chain(nav.probe.beside);
        self.probe.results = match nav.probe.start.zip(nav.probe.end) {
            Some(ends) => {
                planners.map(|planner| self.ask(planner, ends, nav, mesh.as_deref(), threats.as_deref())).collect()
            }
            None => Vec::new(),
        };
        let probe = &mut self.probe;
        (probe.ray, probe.wall) = (None, None);
        probe.random.clear();
        if let Some(mesh) = mesh.as_deref() {
            probe.look_around(nav, mesh, &filter);
        }
        probe.key = Some(Key { preparing: self.tools.planning.is_preparing(), ..key });
    }

    fn reconcile_threats(&mut self, nav: &SceneNav, mesh: Option<&NavMesh>) {
        let cover = self.probe.cover.as_ref().map(|c| c.key());
        let key = self.probe.key.as_ref();
        let other_ground =
            key.is_some_and(|k| k.areas != nav.areas || k.weights != nav.weights || k.sight != nav.sight);
        if !other_ground
            && key.is_some_and(|k| {
                let same = k.threats == nav.threats && k.obstacles == hiding(nav) && k.destroyed == nav.destroyed;
                same && k.bias == nav.bias && k.cover == cover
            })
        {
            return;
        }
        let seen = mesh.zip(self.probe.cover.as_ref()).and_then(|(mesh, cover)| cover.seen_by(nav, mesh));
        self.probe.threats = seen.map(Arc::new);
        if nav.planner == Planner::Tactical || other_ground {
            // Who walks by what enemies see, or by what ground is like, looks for another way when that has changed.
            for (live, body) in self.live.iter().zip(&mut self.bodies) {
                body.nav.wants_path |= live.nav == NavStatus::Walking;
            }
        }
    }

    fn ask(
        &mut self,
        planner: Planner,
        ends: (Vec3, Vec3),
        nav: &SceneNav,
        mesh: Option<&NavMesh>,
        threats: Option<&Threats>,
    ) -> ProbeResult {
        let mut result = match mesh {
            _ if !planner.needs_mesh() => self.ask_ground(ends),
            Some(mesh) => self.ask_mesh(planner, mesh, nav, threats),
            None => ProbeResult::failed(planner, "there is no navigation mesh yet; choose where it comes from"),
        };
        if let (Some(mesh), Some(threats)) = (mesh, threats) {
            result.seen = seen_parts(mesh, threats, &result.points);
        }
        result
    }

    /// By the level's triangles.
    fn ask_ground(&mut self, (start, end): (Vec3, Vec3)) -> ProbeResult {
        let Some(ground) = self.level.as_ref().map(|l| l.ground.clone()) else {
            return ProbeResult::failed(Planner::Centers, "the scene has no level to walk on yet");
        };
        let finder = &mut self.finder;
        let (found, micros) = timed(|| finder.find_way(&ground, start, end));
        let mut result =
            ProbeResult { planner: Planner::Centers, micros, expanded: found.expanded, ..Default::default() };
        match found.outcome {
            Ok(()) => (result.points, result.length) = (found.points, found.length),
            Err(reason) => result.reason = Some(reason.to_string()),
        }
        let leg_2d = |leg: &[Vec3]| (leg[1] - leg[0]).as_dvec3().with_y(0.0).length();
        result.length_2d = result.points.windows(2).map(leg_2d).sum();
        result
    }

    fn ask_mesh(&mut self, planner: Planner, mesh: &NavMesh, nav: &SceneNav, threats: Option<&Threats>) -> ProbeResult {
        let [Some(start), Some(end)] = self.probe.ends else {
            let which = if self.probe.ends[0].is_none() { "start" } else { "end" };
            let reason = format!("the {which} is off the navigation mesh; click nearer to it");
            return ProbeResult::failed(planner, reason);
        };
        let (filter, markup, biases) = (nav.filter(), nav.markup(), nav.biases());
        let excessive_ratio = nav.excessive_ratio;
        let tactics = Some(Tactics { threats, markup: markup.as_ref(), biases: &biases, excessive_ratio });
        let (radius, links) = (nav.probe.radius, self.mesh.links().cloned());
        let links = links.as_deref();
        let skip_polygons = false;
        let query =
            Query { start, end, filter: &filter, radius, tactics, links, hints: SearchHints::default(), skip_polygons };
        let planning = &mut self.tools.planning;
        // What is measured is the path; the polygons under it are asked for once more.
        let (_, micros) = timed(|| planner.find(planning, mesh, &Query { skip_polygons: true, ..query }));
        let found = planner.find(planning, mesh, &query);
        ProbeResult {
            planner,
            points: found.points.iter().map(|p| mesh.world(*p).as_vec3()).collect(),
            polygons: found.polygons,
            length: found.length,
            length_2d: found.length_2d,
            expanded: found.expanded,
            expanded_ratio: found.expanded_ratio,
            is_excessive: found.is_excessive,
            micros,
            reason: found.reason.map(|reason| reason.to_string()),
            notes: found.notes,
            seen: Vec::new(),
        }
    }
}

impl ProbeState {
    /// The ray, the wall and the random places.
    fn look_around(&mut self, nav: &SceneNav, mesh: &NavMesh, filter: &Filter) {
        let world = |p: Vec3| mesh.world(p).as_vec3();
        let mut surface = Surface::new();
        if let Some(start) = self.ends[0] {
            if let Some(to) = nav.probe.end {
                let end = mesh.local(to.as_dvec3());
                let hit = raycast(mesh, start, end, filter, |_| {});
                let reached = world(hit.point(mesh, start.point, end));
                self.ray = Some(ProbeRay { start: world(start.point), reached, end: to, free: hit.wall.is_none() });
            }
            let wall = surface.wall_distance(mesh, start, f32::INFINITY, filter);
            self.wall =
                wall.map(|hit| ProbeWall { start: world(start.point), wall: world(hit.point), distance: hit.distance });
        }
        let mut state = u64::from(nav.probe.seed);
        let mut chance = move || unit(&mut state);
        let around = self.ends[0].filter(|_| nav.probe.reach > 0.0);
        let one = |_| match around {
            Some(place) => Some(random_around(mesh, &mut surface, place, nav.probe.reach, filter, &mut chance)),
            None => random_point(mesh, filter, &mut chance),
        };
        self.random = (0..nav.probe.random).map_while(one).map(|NavPoint { polygon: _, point: p }| world(p)).collect();
    }
}

/// The median time of a few runs, microseconds, and the answer of the last.
fn timed<T>(mut ask: impl FnMut() -> T) -> (T, f64) {
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

/// A number from 0 up to 1 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014).
fn unit(state: &mut u64) -> f32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ z >> 31) >> 40) as f32 / (1u64 << 24) as f32
}
