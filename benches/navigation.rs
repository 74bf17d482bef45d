//! Octree, ground and path search, beside what the original program takes for the same work.
//!
//! The rival's figures were measured on two shared cores of the same kind of machine: octree 8.6 ms, ground with
//! neighbours 33.1 ms, a path 3.4 ms on average. With the shared data at hand the same level and the same 150 queries
//! are used, so that the printed ratios compare like with like; without it the plaza and pairs spread over it stand in,
//! and no ratio is printed.

#![allow(missing_docs, reason = "criterion's macro makes a public function without any")]

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;
use walkabout::asset::LevelTriangle;
use walkabout::asset::NodeTransforms;
use walkabout::asset::import::import_file;
use walkabout::asset::level::append_triangles;
use walkabout::collide::triangle_octree::TriangleOctree;
use walkabout::nav::mesh::from_level::{GroundSettings, LevelMesh};
use walkabout::nav::original::{GroundGraph, GroundNode, PathFinder};
use walkabout::scene::SceneLevel;

const RIVAL_OCTREE_MS: f64 = 8.6;
const RIVAL_GROUND_MS: f64 = 33.1;
const RIVAL_PATH_US: f64 = 3400.0;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A file that was measured with the rival.
fn measured(name: &str) -> PathBuf {
    let shared = std::env::var_os("WALKABOUT_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    shared.join("data/original").join(name)
}

/// The level's triangles, and whether the rival was measured on it.
fn level() -> (Vec<LevelTriangle>, bool) {
    let rival = measured("assets/level/de_dust.glb");
    let same = rival.is_file();
    let (path, scale) = if same { (rival, 5.0) } else { (root().join("assets/levels/plaza.glb"), 1.0) };
    let model = import_file(&path).unwrap_or_else(|e| panic!("{e}"));
    let placed = SceneLevel { scale, ..SceneLevel::default() };
    let mut triangles = Vec::new();
    append_triangles(&model, &placed.world_from_model(), NodeTransforms::RootOnly, &mut triangles);
    (triangles, same)
}

fn settings() -> GroundSettings {
    GroundSettings { slope_rad: 40_f32.to_radians(), step_height: 2.0 }
}

/// Best of several runs in milliseconds.
fn best_ms(runs: u32, mut work: impl FnMut()) -> f64 {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}

#[derive(serde::Deserialize)]
struct Pair {
    start: u32,
    target: u32,
}

#[derive(serde::Deserialize)]
struct Measured {
    paths: Vec<Pair>,
}

/// The rival's queries, or else node pairs that are spread over the graph.
fn pairs(graph: &GroundGraph, same: bool) -> Vec<(GroundNode, GroundNode)> {
    if same {
        let text = std::fs::read_to_string(measured("ground.json")).unwrap_or_else(|e| panic!("{e}"));
        let measured: Measured = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}"));
        let node = |triangle| graph.node_of(triangle).unwrap_or_else(|| panic!("{triangle} is no ground"));
        return measured.paths.iter().map(|pair| (node(pair.start), node(pair.target))).collect();
    }
    let nodes: Vec<GroundNode> = graph.nodes().collect();
    (0..150).map(|i| (nodes[i * 7919 % nodes.len()], nodes[i * 104_729 % nodes.len()])).collect()
}

fn navigation(criterion: &mut Criterion) {
    let (triangles, same) = level();
    let graph = GroundGraph::build(&triangles, &settings());
    graph.prepare();
    let pairs = pairs(&graph, same);
    let mut finder = PathFinder::default();
    let search = |finder: &mut PathFinder| {
        for &(start, target) in &pairs {
            black_box(finder.find_path(&graph, start, target));
        }
    };
    if same {
        let octree_ms = best_ms(10, || drop(black_box(TriangleOctree::build(&triangles, 10, 5))));
        let ground_ms = best_ms(10, || drop(black_box(GroundGraph::build(&triangles, &settings()))));
        let path_us = best_ms(10, || search(&mut finder)) * 1e3 / pairs.len() as f64;
        println!("octree  {octree_ms:8.3} ms   {:6.1} times faster", RIVAL_OCTREE_MS / octree_ms);
        println!("ground  {ground_ms:8.3} ms   {:6.1} times faster", RIVAL_GROUND_MS / ground_ms);
        println!("path    {path_us:8.3} us   {:6.1} times faster", RIVAL_PATH_US / path_us);
    }
    criterion.bench_function("octree", |b| b.iter(|| TriangleOctree::build(black_box(&triangles), 10, 5)));
    criterion.bench_function("ground original", |b| b.iter(|| GroundGraph::build(black_box(&triangles), &settings())));
    criterion.bench_function("ground mesh", |b| b.iter(|| LevelMesh::build(black_box(&triangles), &settings())));
    criterion.bench_function("150 paths", |b| b.iter(|| search(&mut finder)));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = navigation
}
criterion_main!(benches);
