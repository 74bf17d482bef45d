//! `walkabout ground`: the walkable triangles of a level and their neighbours.

use super::level::{LevelArgs, Prepared};
use super::output::print_line;
use crate::math::triangle;
use crate::nav::ground::Adjacency;
use serde::Serialize;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  walkabout ground config/plaza.acfg
  walkabout ground assets/levels/plaza.glb --slope 40 --step 0.4 --json
  walkabout ground de_dust.glb --scale 5 --slope 40 --step 2 --adjacency original --json";

/// List the walkable triangles of a level with their neighbours.
///
/// Prints counts and times; with --json every ground triangle with its number, corners, normal, centre and the
/// numbers of its neighbours.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct GroundArgs {
    #[command(flatten)]
    level: LevelArgs,

    /// Print JSON to standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct GroundReport {
    triangles: usize,
    ground_triangles: usize,
    nodes: usize,
    directed_links: usize,
    adjacency: &'static str,
    slope_deg: f32,
    step_m: f32,
    octree_ms: f64,
    ground_ms: f64,
    ground: Vec<Ground>,
}

#[derive(Serialize)]
struct Ground {
    index: u32,
    points: [[f32; 3]; 3],
    normal: [f32; 3],
    center: [f32; 3],
    neighbors: Vec<u32>,
}

/// Runs the command.
///
/// # Errors
/// An option out of range, or a level that does not load.
pub fn run(args: &GroundArgs) -> anyhow::Result<ExitCode> {
    let report = report(&args.level.prepare()?);
    if args.json {
        print_line(&serde_json::to_string(&report)?)?;
    } else {
        print_line(&format!(
            "{} triangles, {} of them ground, {} links ({} rule, slope {}°, step {} m); octree {:.2} ms, ground {:.2} ms",
            report.triangles,
            report.ground_triangles,
            report.directed_links,
            report.adjacency,
            report.slope_deg,
            report.step_m,
            report.octree_ms,
            report.ground_ms,
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn report(level: &Prepared) -> GroundReport {
    let graph = &level.graph;
    let mut numbers: Vec<(u32, _)> = graph.nodes().map(|n| (graph.triangle(n), n)).collect();
    numbers.sort_unstable();
    numbers.dedup_by_key(|(triangle, _)| *triangle);
    let ground: Vec<Ground> = numbers
        .into_iter()
        .map(|(index, node)| Ground {
            index,
            points: graph.points(node).map(|p| p.to_array()),
            normal: graph.normal(node).to_array(),
            center: triangle::center(graph.points(node)).to_array(),
            neighbors: graph.triangle_neighbors(index),
        })
        .collect();
    GroundReport {
        triangles: level.triangles.len(),
        ground_triangles: ground.len(),
        nodes: graph.len(),
        directed_links: ground.iter().map(|g| g.neighbors.len()).sum(),
        adjacency: match graph.adjacency() {
            Adjacency::Shared => "shared",
            Adjacency::Original => "original",
        },
        slope_deg: level.settings.slope_rad.to_degrees(),
        step_m: level.settings.step_height,
        octree_ms: level.octree_ms,
        ground_ms: level.ground_ms,
        ground,
    }
}
