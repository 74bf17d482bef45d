//! Walked lines on Walkabout's own levels stay on the ground and pass no wall.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a level has to fail")]

#[path = "common/walked.rs"]
mod walked;

use glam::Mat4;
use std::path::Path;
use walkabout::asset::level::append_triangles;
use walkabout::asset::{LevelTriangle, TriangleSource};
use walkabout::nav::ground::{Adjacency, GroundGraph, GroundNode, GroundSettings};
use walkabout::nav::path::PathFinder;

fn level(file: &str, scale: f32) -> Vec<LevelTriangle> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let model = walkabout::asset::import::import_file(&path).unwrap();
    let mut triangles = Vec::new();
    let placed = Mat4::from_scale(glam::Vec3::splat(scale));
    append_triangles(&model, &placed, TriangleSource::AllNodes, &mut triangles);
    triangles
}

#[test]
fn plaza_lines_are_clean() {
    let triangles = level("assets/levels/plaza.glb", 1.0);
    let settings = GroundSettings { slope_rad: 40_f32.to_radians(), step_height: 0.4, adjacency: Adjacency::Shared };
    let graph = GroundGraph::build(&triangles, &settings);
    let judge = walked::Judge::new(&triangles, settings.slope_rad, settings.step_height);
    let mut finder = PathFinder::default();
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        GroundNode(((seed >> 33) % graph.len() as u64) as u32)
    };
    let (mut found, mut faults) = (0, Vec::new());
    for _ in 0..1000 {
        let (start, target) = (random(), random());
        let path = finder.find_path(&graph, start, target);
        if path.outcome.is_ok() && start != target {
            found += 1;
            faults.extend(judge.faults(&path.points));
        }
    }
    assert!(found > 200, "{found} paths");
    assert!(faults.is_empty(), "{} faults in {found} paths: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
}
