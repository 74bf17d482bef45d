//! `walkabout path` on a navigation mesh, with a planner chosen by name.

use super::error::EndOffMesh;
use super::level::Adjacency;
use super::mesh::{self, LoadedMesh};
use super::output::print_line;
use super::pairs::{End, Pair, QueryTimes, differs, points_of, read_pairs_for};
use super::path_args::{PathArgs, Smooth};
use crate::asset::LevelTriangle;
use crate::math::triangle;
use crate::nav::mesh::{Filter, NavMesh, PolyId};
use crate::nav::planner::{Metric, PathResult, PlanError, Planner, PlannerContext, Query, Tactics, find_all};
use crate::nav::query::QueryError;
use crate::nav::query::island_gap::island_gap;
use crate::nav::query::polyanya::index::CornerIndex;
use crate::nav::query::smooth::Smoother;
use crate::nav::query::spline::Spline;
use crate::nav::tactical::{TacticalError, Threats};
use crate::scene::SceneNav;
use crate::scene::file::LoadedScene;
use crate::sim::cover::CoverView;
use anyhow::Context;
use glam::{DVec3, Vec3};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How often each query is timed.
const PASSES: usize = 5;
/// No pass begins after this time.
const MAX_TIMING: Duration = Duration::from_secs(2);

#[derive(Serialize)]
struct MeshPathReport {
    planner: Planner,
    polygons: usize,
    queries: Vec<MeshPathEntry>,
    found: usize,
    /// Where the file of pairs knows the true lengths: how many of these lengths are others, by more than a part in
    /// 100,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    differ: Option<usize>,
    #[serde(flatten)]
    spread: QueryTimes,
}

#[derive(Serialize)]
struct MeshPathEntry {
    length: f64,
    length_2d: f64,
    /// What the path costs, from the exact planners where areas cost differently or lengths count along the surface, and
    /// what no path costs less than.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<f64>,
    points: Vec<[f64; 3]>,
    polygons: Vec<u32>,
    /// The line without kinks, if it is asked for; the path itself where it takes links.
    #[serde(skip_serializing_if = "Option::is_none")]
    smooth: Option<Vec<[f64; 3]>>,
    /// Places in `points` where links begin.
    links: Vec<usize>,
    expanded: u32,
    /// By the planner 'tactical': metres of the path that enemies see, when there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    exposed_length: Option<f64>,
    /// By the planner 'tactical': nodes expanded per node of the way, and whether that is more than was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    expanded_ratio: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excessive: Option<bool>,
    micros: f64,
    reason: Option<String>,
    /// What the planner could not do as asked, and did instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Cow<'static, str>>,
}

/// Answers and prints; `scene` is what the input names, where that is one.
///
/// # Errors
/// A mesh or a file of pairs that does not load, an option that fits none.
pub fn run(args: &PathArgs, planner: Planner, scene: Option<&LoadedScene>) -> anyhow::Result<ExitCode> {
    if !(args.radius >= 0.0 && args.radius.is_finite()) {
        super::output::misused!("--radius {} must be 0 or more", args.radius);
    }
    if args.smooth.is_some() && !(args.smooth_by > 0.0 && args.smooth_by.is_finite()) {
        super::output::misused!("--smooth-by {} must be more than 0", args.smooth_by);
    }
    if let Some(ratio) = args.excessive_ratio.filter(|ratio| !(*ratio >= 0.0)) {
        super::output::misused!("--excessive-ratio {ratio} must be 0 or more");
    }
    args.check_with_mesh(planner)?;
    let pairs = match (&args.pairs, args.from.zip(args.to)) {
        (Some(file), _) => read_pairs_for(&args.input.level.input, file)?,
        (None, Some((from, to))) => vec![Pair::between(from, to)],
        (None, None) => super::output::misused!("nothing to find; give --from and --to, or --pairs"),
    };
    let pairs = placed(&pairs, args, scene)?;
    let mut loaded = mesh::load_of(&args.input, scene, args.offset_m())?;
    let nav = &mut loaded.nav;
    (nav.bias, nav.excessive_ratio) =
        (args.bias.unwrap_or(nav.bias), args.excessive_ratio.unwrap_or(nav.excessive_ratio));
    (nav.sight.heights, nav.sight.ducked) = (nav.sight.heights || args.heights, nav.sight.ducked || args.ducked);
    if !args.enemy.is_empty() {
        nav.threats = args.enemy.to_vec();
    }
    args.areas.apply(nav)?;
    let nav = &loaded.nav;
    let (biases, markup) = (nav.biases(), nav.markup());
    let threats = if planner == Planner::Tactical { threats(&loaded.mesh, nav, (args, scene)) } else { None };
    let excessive_ratio = nav.excessive_ratio;
    let tactics = Tactics { threats: threats.as_ref(), markup: markup.as_ref(), biases: &biases, excessive_ratio };
    let filter = Filter { cost: nav.filter().cost, ..args.filter.clone().unwrap_or_default() };
    let mut planning = PlannerContext::new();
    if let Some(file) = &args.index {
        let index = CornerIndex::load(&loaded.mesh, &filter, file);
        planning.adopt_index(index.with_context(|| format!("index not loaded. File: {}", file.display()))?);
    }
    let report = answer(&loaded, (planner, &mut planning), args, (&filter, tactics), &pairs);
    print(&report, args.json)?;
    Ok(args.exit_code(report.found))
}

fn print(report: &MeshPathReport, json: bool) -> anyhow::Result<()> {
    if json {
        return print_line(&serde_json::to_string(report)?);
    }
    for a in &report.queries {
        print_line(&match &a.reason {
            None => format!(
                "{:.2} m over {} polygons, {} points, {} expanded, {:.1} µs",
                a.length,
                a.polygons.len(),
                a.points.len(),
                a.expanded,
                a.micros
            ),
            Some(reason) => format!("no path: {reason}"),
        })?;
        if let (Some(cost), Some(bound)) = (a.cost, a.lower_bound) {
            print_line(&format!("costs {cost:.4}; no path costs less than {bound:.4}"))?;
        }
        for note in &a.notes {
            print_line(&format!("note: {note}"))?;
        }
        if let (Some(ratio), Some(true)) = (a.expanded_ratio, a.excessive) {
            print_line(&format!(
                "warning: the search expanded {ratio:.1} nodes per node of its path; with a smaller --bias it aims better"
            ))?;
        }
    }
    if let Some(differ) = report.differ {
        print_line(&format!("{differ} of the lengths are others than the file's"))?;
    }
    print_line(&format!(
        "{} of {} found by '{}' on {} polygons; {:.2}",
        report.found,
        report.queries.len(),
        report.planner,
        report.polygons,
        report.spread
    ))?;
    Ok(())
}

/// How many lengths are others than the true ones, where these are known.
fn differing(pairs: &[PlacedPair], queries: &[MeshPathEntry]) -> Option<usize> {
    let known = pairs.iter().zip(queries).filter_map(|(pair, found)| Some((pair.length?, found)));
    let is_other = |(truth, found): &(f64, &MeshPathEntry)| {
        differs(if found.reason.is_some() { -1.0 } else { found.length_2d }, *truth)
    };
    pairs.iter().any(|pair| pair.length.is_some()).then(|| known.filter(is_other).count())
}

/// A query with its ends in the world, the polygons there where the file names them, and the true length where it
/// knows it.
struct PlacedPair {
    ends: [DVec3; 2],
    polygons: [Option<u32>; 2],
    length: Option<f64>,
}

/// The pairs of a file as points in the world: pairs of a file move with the mesh, triangles are looked up in the level.
fn placed(pairs: &[Pair], args: &PathArgs, scene: Option<&LoadedScene>) -> anyhow::Result<Vec<PlacedPair>> {
    let is_named = |pair: &Pair| matches!(pair.start, End::Triangle(_)) || matches!(pair.end, End::Triangle(_));
    let has_level = !args.input.is_mesh();
    let level = match has_level && pairs.iter().any(is_named) {
        true => args.input.level.load_of(scene, Some(Adjacency::Shared))?.triangles,
        false => Vec::new(),
    };
    let centers: Vec<DVec3> = level.iter().map(|t| triangle::center(&t.points).as_dvec3()).collect();
    let ends = points_of(pairs, has_level.then_some(&centers), args.pairs_file())?;
    let offset = if args.pairs.is_some() { args.offset_m() } else { DVec3::ZERO };
    let place = |(pair, ends): (&Pair, [DVec3; 2])| PlacedPair {
        ends: ends.map(|end| end + offset),
        polygons: [pair.start_poly, pair.end_poly],
        length: pair.length,
    };
    Ok(pairs.iter().zip(ends).map(place).collect())
}

/// What enemies see, by the walls of the mesh itself: as high as the level beside them, else as high as a standing person.
fn threats(mesh: &NavMesh, nav: &SceneNav, (args, scene): (&PathArgs, Option<&LoadedScene>)) -> Option<Threats> {
    if nav.threats.is_empty() {
        return None;
    }
    let input = Some(&args.input).filter(|input| !input.is_mesh());
    let level = input.and_then(|input| Some(input.level.load_of(scene, Some(Adjacency::Shared)).ok()?.triangles));
    let moved = |t: &LevelTriangle| t.points.map(|p| (p.as_dvec3() + args.offset_m()).as_vec3());
    let mut cover = CoverView::find(mesh, level.as_ref().map(|level| level.iter().map(moved)), nav.sight.heights);
    cover.destroy_at(mesh, &nav.destroyed);
    cover.seen_by(nav, mesh)
}

/// Microseconds of each query: the median of up to five passes over all of them, fewer where they take long. A pass
/// without a clock goes before, so that the first query does not pay for tables and growing memory.
fn clock(
    planner: Planner,
    planning: &mut PlannerContext,
    mesh: &NavMesh,
    queries: &[Result<Query, EndOffMesh>],
) -> Vec<f64> {
    let mut found = PathResult::default();
    let mut times = vec![Vec::new(); queries.len()];
    let all = Instant::now();
    for pass in 0..=PASSES {
        for (query, times) in queries.iter().zip(&mut times) {
            let Ok(query) = query else { continue };
            let begin = Instant::now();
            planner.find_into(planning, mesh, query, &mut found);
            let micros = begin.elapsed().as_secs_f64() * 1e6;
            if pass > 0 {
                times.push(micros);
            }
        }
        if pass > 0 && all.elapsed() > MAX_TIMING {
            break;
        }
    }
    times.into_iter().map(|times| QueryTimes::of(times).p50_us).collect()
}

/// The answers, one for each query whose ends lie on the mesh, and the microseconds of all queries. The clock is for the
/// paths; some planners find out the polygons under them only when asked to.
fn solve(
    (planner, planning): (Planner, &mut PlannerContext),
    mesh: &NavMesh,
    queries: &[Result<Query, EndOffMesh>],
    threads: Option<usize>,
) -> (Vec<PathResult>, Vec<f64>) {
    let with_polygons: Vec<Query> = queries.iter().flatten().map(|q| Query { skip_polygons: false, ..*q }).collect();
    let Some(threads) = threads else {
        let micros = clock(planner, planning, mesh, queries);
        return (with_polygons.iter().map(|query| planner.find(planning, mesh, query)).collect(), micros);
    };
    let mut contexts: Vec<PlannerContext> = (0..threads.max(1)).map(|_| PlannerContext::new()).collect();
    std::mem::swap(&mut contexts[0], planning);
    let begin = Instant::now();
    let found = find_all(&mut contexts, planner, mesh, &with_polygons);
    let micros = begin.elapsed().as_secs_f64() * 1e6 / with_polygons.len().max(1) as f64;
    (found, vec![micros; queries.len()])
}

/// The line of a path without kinks.
fn smoothed(mesh: &NavMesh, found: &PathResult, (kind, by): (Smooth, f32), filter: &Filter) -> Vec<Vec3> {
    let mut line = Vec::new();
    match found.polygons.first().filter(|_| found.links.is_empty()) {
        None => line.extend_from_slice(&found.points),
        Some(&start) => match kind {
            Smooth::Arcs => Smoother::default().round(mesh, start, &found.points, filter, by, &mut line),
            Smooth::Spline => Spline::default().draw(mesh, start, &found.points, filter, by, &mut line),
        },
    }
    line
}

/// What to say of ends that lie elsewhere than they were asked for: off the ground, or where an agent has no room.
fn moved_ends(mesh: &NavMesh, pair: &PlacedPair, points: &[Vec3]) -> Vec<String> {
    let moved = |(name, at, asked): (&str, Option<&Vec3>, DVec3)| {
        let way = mesh.world(*at?) - asked;
        let distance = way.x.hypot(way.z);
        // Less is the precision of a mesh far from its origin.
        (distance > MOVED + 1e-6 * asked.abs().max_element()).then(|| {
            format!(
                "the {name} was moved {distance:.2} m: where it was asked for is no ground, or no room for the radius"
            )
        })
    };
    let ends = [("start", points.first(), pair.ends[0]), ("end", points.last(), pair.ends[1])];
    ends.into_iter().filter_map(moved).collect()
}

/// Ends that lie nearer than this to where they were asked for lie there, metres.
const MOVED: f64 = 1e-3;

fn answer(
    LoadedMesh { mesh, links, .. }: &LoadedMesh,
    (planner, planning): (Planner, &mut PlannerContext),
    args: &PathArgs,
    (filter, tactics): (&Filter, Tactics),
    pairs: &[PlacedPair],
) -> MeshPathReport {
    let place = |pair: &PlacedPair, i: usize| mesh::place(mesh, pair.ends[i], pair.polygons[i], filter);
    let metric = Metric::along_surface(args.along_surface);
    let query = |pair: &PlacedPair| -> Result<Query, EndOffMesh> {
        let start = place(pair, 0).map_err(EndOffMesh::Start)?;
        let end = place(pair, 1).map_err(EndOffMesh::End)?;
        let (radius, metric, tactics, links) = (args.radius, metric, Some(tactics), Some(links));
        Ok(Query { radius, metric, tactics, links, skip_polygons: true, ..Query::new(start, end, filter) })
    };
    let queries: Vec<Result<Query, EndOffMesh>> = pairs.iter().map(query).collect();
    let (found, micros) = solve((planner, planning), mesh, &queries, args.threads.map(usize::from));
    // A query that could not be asked took no time.
    let asked = queries.iter().zip(&micros).filter(|(query, _)| query.is_ok()).map(|(_, micros)| *micros);
    let spread = QueryTimes::of(asked.collect());
    let mut found = found.into_iter();
    let world = |p: &Vec3| mesh.world(*p).to_array();
    let source = |p: &PolyId| mesh.source(*p);
    let mut gaps = BTreeMap::new();
    let mut explained = |reason: PlanError| match reason {
        PlanError::Query(QueryError::OtherIsland(from, to))
        | PlanError::Tactical(TacticalError::OtherIsland(from, to)) => {
            let gap = gaps.entry((from, to)).or_insert_with(|| island_gap(mesh, (from, to)));
            gap.map_or_else(|| reason.to_string(), |gap| format!("{reason}; {gap}"))
        }
        _ => reason.to_string(),
    };
    let answer = |((query, pair), micros): ((Result<Query, EndOffMesh>, &PlacedPair), f64)| {
        let (found, off_mesh) = match query {
            Ok(_) => (found.next().unwrap_or_default(), None),
            Err(error) => (PathResult::default(), Some(error.to_string())),
        };
        let notes = moved_ends(mesh, pair, &found.points).into_iter().map(Cow::Owned);
        MeshPathEntry {
            smooth: args
                .smooth
                .map(|kind| smoothed(mesh, &found, (kind, args.smooth_by), filter).iter().map(world).collect()),
            points: found.points.iter().map(world).collect(),
            polygons: found.polygons.iter().map(source).collect(),
            length: found.length,
            length_2d: found.length_2d,
            cost: found.cost.map(|c| c.cost),
            lower_bound: found.cost.map(|c| c.lower_bound),
            links: found.links.iter().map(|l| l.0).collect(),
            expanded: found.expanded,
            exposed_length: tactics.threats.map(|threats| threats.exposed_length(&found.points)),
            expanded_ratio: found.expanded_ratio,
            excessive: found.expanded_ratio.map(|_| found.is_excessive),
            micros,
            reason: off_mesh.or_else(|| found.reason.map(&mut explained)),
            notes: notes.chain(found.notes.iter().map(|&note| Cow::Borrowed(note))).collect(),
        }
    };
    let queries: Vec<MeshPathEntry> = queries.into_iter().zip(pairs).zip(micros).map(answer).collect();
    MeshPathReport {
        planner,
        polygons: mesh.len(),
        found: queries.iter().filter(|a| a.reason.is_none()).count(),
        differ: differing(pairs, &queries),
        spread,
        queries,
    }
}
