//! `walkabout path`, with paths as the original finds them, over the centres of a level's triangles.

use super::level::Adjacency;
use super::mesh_path;
use super::output::print_line;
use super::pairs::{End, Pair, QueryTimes, check_pairs, read_pairs};
use super::path_args::PathArgs;
use super::progress::ProgressLine;
use crate::nav::original::{GroundGraph, PathFinder, TrianglePath};
use crate::nav::search::strategy::SearchStrategy;
use glam::DVec3;
use serde::Serialize;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Serialize)]
struct GroundPathReport {
    queries: Vec<GroundPathEntry>,
    found: usize,
    #[serde(flatten)]
    spread: QueryTimes,
}

#[derive(Serialize)]
struct GroundPathEntry {
    triangles: Vec<u32>,
    points: Vec<[f32; 3]>,
    length: f64,
    expanded: u32,
    micros: f64,
    reason: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// An option out of range, a level that does not load, a pairs file that is not one, a triangle that the level lacks.
pub fn run(args: &PathArgs) -> anyhow::Result<ExitCode> {
    let loaded = args.input.scene()?;
    let scene = loaded.as_ref().map(|loaded| &loaded.scene);
    let planner = args.planner(scene)?;
    if planner.needs_mesh() {
        return mesh_path::run(args, planner, loaded.as_ref());
    }
    args.check_without_mesh()?;
    let pairs = match (&args.pairs, args.from, args.to) {
        (Some(file), _, _) => read_pairs(file)?,
        (None, Some(from), Some(to)) => vec![Pair::between(from, to)],
        _ => super::output::misused!("nothing to find; give --from and --to, or --pairs"),
    };
    let level = args.input.level.load_of(loaded.as_ref(), Some(Adjacency::Original))?;
    check_pairs(&pairs, Some(level.triangles.len()), args.pairs_file())?;
    ProgressLine::new().say("linking the ground");
    let graph = GroundGraph::build(&level.triangles, &level.settings);
    graph.prepare();
    let report = answer(&graph, args.search(scene), &pairs);
    if args.json {
        print_line(&serde_json::to_string(&report)?)?;
    } else {
        for answer in &report.queries {
            print_line(&match &answer.reason {
                None => format!(
                    "{:.2} m over {} triangles, {} expanded, {:.1} µs",
                    answer.length,
                    answer.triangles.len(),
                    answer.expanded,
                    answer.micros
                ),
                Some(reason) => format!("no path: {reason}"),
            })?;
        }
        print_line(&format!("{} of {} found; {:.1}", report.found, report.queries.len(), report.spread))?;
    }
    Ok(args.exit_code(report.found))
}

fn answer(graph: &GroundGraph, strategy: SearchStrategy, queries: &[Pair]) -> GroundPathReport {
    let mut finder = PathFinder::default();
    finder.strategy = strategy;
    // Once without a clock, so that the first query does not pay for the growing buffers.
    if let Some(query) = queries.first() {
        ask(&mut finder, graph, query);
    }
    let answers: Vec<GroundPathEntry> = queries
        .iter()
        .map(|query| {
            let start = Instant::now();
            let found = ask(&mut finder, graph, query);
            let micros = start.elapsed().as_secs_f64() * 1e6;
            GroundPathEntry {
                points: found.points.iter().map(|p| p.to_array()).collect(),
                triangles: found.triangles,
                length: found.length,
                expanded: found.expanded,
                micros,
                reason: found.outcome.err().map(|reason| reason.to_string()),
            }
        })
        .collect();
    let spread = QueryTimes::of(answers.iter().map(|a| a.micros).collect());
    GroundPathReport { found: answers.iter().filter(|a| a.reason.is_none()).count(), spread, queries: answers }
}

fn ask(finder: &mut PathFinder, graph: &GroundGraph, query: &Pair) -> TrianglePath {
    let node = |end: End| match end {
        End::Triangle(triangle) => graph.node_of(triangle),
        End::Point(point) => graph.node_at(DVec3::from(point).as_vec3()),
    };
    finder.find_between(graph, node(query.start), node(query.end))
}
