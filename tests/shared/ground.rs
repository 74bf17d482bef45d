//! Ground and paths against what the original program measured on de_dust.

use super::walked::{AGENTS, Judge, paths_are_clean};
use glam::Vec3;
use libtest_mimic::Trial;
use serde::Deserialize;
use std::path::PathBuf;
use walkabout::asset::LevelTriangle;
use walkabout::nav::mesh::from_level::{GroundSettings, LevelMesh};
use walkabout::nav::original::{GroundGraph, NoPath, PathFinder};

#[derive(Deserialize)]
struct Measured {
    ground: Vec<Ground>,
    paths: Vec<Query>,
    directed_links: usize,
    slope_angle_deg: f32,
    stair_height: f32,
}

#[derive(Deserialize)]
struct Ground {
    index: u32,
    center: Vec3,
    normal: Vec3,
    points: [Vec3; 3],
    neighbors: Vec<u32>,
}

#[derive(Deserialize)]
struct Query {
    start: u32,
    target: u32,
    length: f64,
    triangles: Vec<u32>,
}

fn measured(data: PathBuf) -> Measured {
    let text = std::fs::read_to_string(data.join("original/ground.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn graph(measured: &Measured) -> GroundGraph {
    let triangles: Vec<LevelTriangle> =
        measured.ground.iter().map(|g| LevelTriangle { index: g.index, points: g.points, normal: g.normal }).collect();
    let settings =
        GroundSettings { slope_rad: measured.slope_angle_deg.to_radians(), step_height: measured.stair_height };
    GroundGraph::build(&triangles, &settings)
}

/// Requirement: B-1, B-2
fn original_neighbours_are_reproduced(data: PathBuf) {
    let measured = measured(data);
    let graph = graph(&measured);
    assert_eq!(graph.len(), measured.ground.len());
    assert_eq!(graph.link_count(), measured.directed_links);
    for ground in &measured.ground {
        let node = graph.node_of(ground.index).unwrap();
        assert!(graph.center(node).abs_diff_eq(ground.center, 1e-4), "centre of {}", ground.index);
        assert_eq!(graph.triangle_neighbors(ground.index), ground.neighbors, "neighbours of {}", ground.index);
    }
}

/// Requirement: B-3
fn original_paths_are_reproduced(data: PathBuf) {
    let measured = measured(data);
    let graph = graph(&measured);
    let mut finder = PathFinder::default();
    for query in &measured.paths {
        let found = finder.find_between(&graph, graph.node_of(query.start), graph.node_of(query.target));
        let name = format!("{} to {}", query.start, query.target);
        if query.triangles.is_empty() {
            assert_eq!(found.outcome, Err(NoPath::OtherIsland), "{name}");
            assert_eq!(found.expanded, 0, "{name}");
        } else {
            assert_eq!(found.outcome, Ok(()), "{name}");
            assert!((found.length - query.length).abs() < 1e-4, "{name}: {} for {}", found.length, query.length);
            assert_eq!((found.triangles[0], found.triangles.last()), (query.start, Some(&query.target)), "{name}");
        }
    }
}

/// Requirement: N-4
fn town_walks_are_clean(data: PathBuf) {
    let triangles = super::town(&data, 5.0);
    for (step_height, seed) in [(2.0, 11), (0.4, 12)] {
        let settings = GroundSettings { step_height, ..GroundSettings::default() };
        let mesh = LevelMesh::build(&triangles, &settings).nav_mesh().unwrap();
        let judge = Judge::new(&triangles, settings.slope_rad, settings.step_height);
        paths_are_clean(&format!("steps of {step_height} m"), &mesh, &judge, &AGENTS, seed);
    }
}

/// The trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        super::trial("original_neighbours_are_reproduced", original_neighbours_are_reproduced),
        super::trial("original_paths_are_reproduced", original_paths_are_reproduced),
        super::trial("town_walks_are_clean", town_walks_are_clean),
    ]
}
