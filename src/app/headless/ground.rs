//! `walkabout ground`: the walkable ground of a level and what is next to what.

use super::level::{Adjacency, LevelArgs, LevelTriangles};
use super::output::print_line;
use super::progress::ProgressLine;
use crate::collide::triangle_octree::TriangleOctree;
use crate::nav::mesh::from_level::{LevelMesh, is_walkable};
use crate::nav::mesh::{MeshError, NONE, NavMesh, PolyId, RawPolygon};
use crate::nav::original::GroundGraph;
use anyhow::Context;
use clap::ValueEnum;
use glam::Vec3;
use serde::Serialize;
use std::process::ExitCode;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  walkabout ground config/plaza.acfg
  walkabout ground assets/levels/plaza.glb --slope 40 --step 0.4 --json
  walkabout ground de_dust.glb --scale 5 --slope 40 --step 2 --adjacency original --json";

/// List the walkable ground of a level: the polygons that its triangles make, or triangles as the original links them.
///
/// Prints counts and times; with --json every polygon with its number, corners, normal, centre and the numbers of its
/// neighbours. The characters of a scene may walk on another mesh, baked or from a file: `path` and `nav-query` ask that one.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct GroundArgs {
    #[command(flatten)]
    pub(in crate::app) level: LevelArgs,

    /// Which parts of the ground are neighbours [default: original for a scene with the planner 'centers', else shared].
    #[arg(long, value_enum)]
    adjacency: Option<Adjacency>,

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
    adjacency: String,
    slope_deg: f32,
    step_m: f32,
    octree_ms: f64,
    ground_ms: f64,
    /// Empty where it was not asked for: of a level of millions of triangles it takes a gigabyte.
    ground: Vec<Ground>,
}

/// A polygon of the mesh, or under the original's rule a triangle.
#[derive(Serialize)]
struct Ground {
    index: u32,
    points: Vec<[f32; 3]>,
    normal: [f32; 3],
    center: [f32; 3],
    neighbors: Vec<u32>,
}

/// Runs the command.
///
/// # Errors
/// An option out of range, or a level that does not load.
pub fn run(args: &GroundArgs) -> anyhow::Result<ExitCode> {
    let report = report(args.level.load(args.adjacency)?, args.json)?;
    if args.json {
        print_line(&serde_json::to_string(&report)?)?;
    } else {
        print_line(&format!(
            "{} triangles, {} of them ground, {} polygons with {} links ({} rule, slope {}°, step {} m); \
             octree {:.2} ms, ground {:.2} ms",
            report.triangles,
            report.ground_triangles,
            report.nodes,
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

fn report(level: LevelTriangles, is_listed: bool) -> anyhow::Result<GroundReport> {
    // Threads start with the process in every other command; they are no part of what is timed.
    rayon::broadcast(|_| ());
    let start = Instant::now();
    let octree = TriangleOctree::build(level.triangles, level.octree.0, level.octree.1);
    let octree_ms = start.elapsed().as_secs_f64() * 1e3;
    ProgressLine::new().say("finding the ground");
    let is_ground = |normal| is_walkable(normal, level.settings.slope_rad);
    let triangles = octree.into_triangles();
    let ground_triangles = triangles.iter().filter(|t| is_ground(t.normal)).count();
    let count = triangles.len();
    let start = Instant::now();
    let (found, ground_ms) = match level.adjacency {
        Adjacency::Shared => {
            let built = LevelMesh::build(triangles, &level.settings);
            let found = FoundGround::of_level(&built, is_listed);
            let ground_ms = start.elapsed().as_secs_f64() * 1e3;
            (found.context("the mesh of the level's triangles is not one; please report this")?, ground_ms)
        }
        Adjacency::Original => {
            let graph = GroundGraph::build(&triangles, &level.settings);
            let ground_ms = start.elapsed().as_secs_f64() * 1e3;
            (FoundGround::of_graph(&graph, is_listed), ground_ms)
        }
    };
    Ok(GroundReport {
        triangles: count,
        ground_triangles,
        nodes: found.nodes,
        directed_links: found.directed_links,
        adjacency: level.adjacency.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned()),
        slope_deg: level.settings.slope_rad.to_degrees(),
        step_m: level.settings.step_height,
        octree_ms,
        ground_ms,
        ground: found.listed,
    })
}

/// What was found: how much, and where it is asked for each piece.
struct FoundGround {
    nodes: usize,
    directed_links: usize,
    listed: Vec<Ground>,
}

impl FoundGround {
    /// Counts what a mesh of a level's triangles holds, once it is checked.
    fn of_level(built: &LevelMesh, is_listed: bool) -> Result<Self, MeshError> {
        let listed = if is_listed { polygons(&built.nav_mesh()?) } else { Vec::new() };
        if !built.mesh.polygons.is_empty() {
            built.mesh.check()?;
        }
        let links = |p: &RawPolygon| p.neighbors.iter().flatten().flatten().count();
        Ok(Self {
            nodes: built.mesh.polygons.len(),
            directed_links: built.mesh.polygons.iter().map(links).sum(),
            listed,
        })
    }

    fn of_graph(graph: &GroundGraph, is_listed: bool) -> Self {
        Self {
            nodes: graph.nodes().count(),
            directed_links: graph.nodes().map(|node| graph.triangle_neighbors(graph.triangle(node)).len()).sum(),
            listed: if is_listed { triangles(graph) } else { Vec::new() },
        }
    }
}

fn polygons(mesh: &NavMesh) -> Vec<Ground> {
    let ground = |id: PolyId| {
        let outline: Vec<Vec3> = mesh.world_outline(id).collect();
        let fan = outline.windows(2).map(|w| (w[0] - outline[0]).cross(w[1] - outline[0]));
        let normal = fan.sum::<Vec3>().normalize_or_zero();
        Ground {
            index: id.0,
            points: outline.iter().map(|p| p.to_array()).collect(),
            normal: if normal.y < 0.0 { -normal } else { normal }.to_array(),
            center: mesh.world(mesh.polygon(id).center).as_vec3().to_array(),
            neighbors: mesh.edges_of(id).iter().map(|edge| edge.neighbor).filter(|n| *n != NONE).collect(),
        }
    };
    mesh.live_polygons().map(ground).collect()
}

fn triangles(graph: &GroundGraph) -> Vec<Ground> {
    let mut ground: Vec<Ground> = graph
        .nodes()
        .map(|node| Ground {
            index: graph.triangle(node),
            points: graph.points(node).iter().map(|p| p.to_array()).collect(),
            normal: graph.normal(node).to_array(),
            center: graph.center(node).to_array(),
            neighbors: graph.triangle_neighbors(graph.triangle(node)),
        })
        .collect();
    ground.sort_by_key(|g| g.index);
    ground
}
