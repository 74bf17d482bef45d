//! Navigation meshes that other programs wrote.

use std::path::{Path, PathBuf};
use std::process::Command;

use glam::Mat4;
use libtest_mimic::Trial;
use walkabout::asset::NodeTransforms;
use walkabout::asset::level::append_triangles;
use walkabout::asset::store::load_model;
use walkabout::math::plan;
use walkabout::nav::bake::{BakeSettings, bake, silent};
use walkabout::nav::exchange::{ExchangeAgent, MeshFormat, parse_mesh, read_mesh, write_as};
use walkabout::nav::mesh::{NavMesh, PolyId};

use crate::trial;

/// The tests of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("tiled_mesh_sets_of_detour_join_and_come_back", tiled_sets),
        trial("benchmark_meshes_come_back_as_their_authors_wrote_them", benchmark_meshes),
        trial("a_tile_cache_becomes_a_mesh", tile_cache),
        trial("test_cases_of_recast_demo_run", demo_cases),
    ]
}

fn tiled_sets(data: PathBuf) {
    let agent = ExchangeAgent { height: 2.0, radius: 0.6, climb: 0.9 };
    for (name, polygons, islands) in [("all_tiles_navmesh", 271, 33), ("dungeon_all_tiles_navmesh", 143, 5)] {
        let file = data.join("interchange/detour").join(name).with_extension("bin");
        let first = read_mesh(&file).unwrap();
        assert!(first.notes.is_empty(), "{:?}", first.notes);
        assert_eq!((first.mesh.len(), first.mesh.island_count()), (polygons, islands), "{name}");
        let out = write_as(&first.mesh, &first.file, Path::new("out.bin"), &agent).unwrap();
        assert!(out.notes.is_empty(), "{:?}", out.notes);
        let second = parse_mesh(&out.bytes, MeshFormat::DetourSet).unwrap();
        assert_eq!(second.file, first.file, "{name}");
    }
}

fn tile_cache(data: PathBuf) {
    let read = read_mesh(&data.join("interchange/detour/all_tiles_tilecache.bin")).unwrap();
    let area = |mesh: &NavMesh| -> f64 { (0..mesh.len() as u32).map(|i| plan::area(mesh.corners_of(PolyId(i)))).sum() };
    // The level of the cache, baked with the agent of the cache.
    let level = load_model(&data.join("meshes/nav_test.obj")).unwrap();
    let mut triangles = Vec::new();
    append_triangles(&level, &Mat4::IDENTITY, NodeTransforms::All, &mut triangles);
    let triangles: Vec<_> = triangles.iter().map(|t| t.points).collect();
    let baked = bake(&triangles, &BakeSettings::default(), &mut silent).unwrap().nav_mesh().unwrap();
    let share = area(&read.mesh) / area(&baked);
    assert!((share - 1.0).abs() < 0.05, "{share}");
    assert!(read.format.contains("TSET") && read.mesh.island_count() < 60, "{}", read.mesh.island_count());
}

fn demo_cases(data: PathBuf) {
    for (name, count) in [("nav_mesh_test.txt", 21), ("raycast_test.txt", 4)] {
        let file = data.join("interchange/recastdemo").join(name);
        let output = Command::new(env!("CARGO_BIN_EXE_walkabout")).arg("nav-test").arg(file).arg("--json").output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(answer["cases"].as_array().unwrap().len(), count, "{name}: {said}");
    }
}

/// Corners, what lies beyond the edges, and obstacles around vertices, of a mesh of the path benchmarks; circles of polygons
/// and vertices begin anywhere.
fn benchmark_shape(text: &str) -> (Vec<Vec<[i64; 2]>>, Vec<usize>) {
    let mut words = text.split_ascii_whitespace().skip(2);
    let mut word = || words.next().unwrap();
    let [vertices, polygons] = [word(), word()].map(|w| w.parse::<usize>().unwrap());
    let mut obstacles = Vec::new();
    for _ in 0..vertices {
        let _place = [word(), word()];
        let count = word().parse::<usize>().unwrap();
        obstacles.push((0..count).filter(|_| word() == "-1").count());
    }
    let mut shapes = Vec::new();
    for _ in 0..polygons {
        let count = word().parse::<usize>().unwrap();
        let mut list = || (0..count).map(|_| word().parse::<i64>().unwrap()).collect::<Vec<i64>>();
        let (corners, beyond) = (list(), list());
        let mut shape: Vec<[i64; 2]> = corners.into_iter().zip(beyond).map(|(c, b)| [c, b]).collect();
        let first = (0..count).min_by_key(|&i| shape[i]).unwrap();
        shape.rotate_left(first);
        shapes.push(shape);
    }
    (shapes, obstacles)
}

fn benchmark_meshes(data: PathBuf) {
    let agent = ExchangeAgent { height: 2.0, radius: 0.6, climb: 0.9 };
    for name in ["dao/lak100c", "da2/ht_mansion_n"] {
        let file = data.join("benchmark").join(name).with_extension("mesh");
        let read = read_mesh(&file).unwrap();
        let out = write_as(&read.mesh, &read.file, Path::new("out.mesh"), &agent).unwrap();
        let (found, wanted) = (String::from_utf8(out.bytes).unwrap(), std::fs::read_to_string(&file).unwrap());
        assert_eq!(benchmark_shape(&found), benchmark_shape(&wanted), "{name}");
    }
}
