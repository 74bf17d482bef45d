//! Baked meshes against the polygon counts of Recast with RecastDemo's settings (solo mesh, watershed).

use glam::Vec3;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use walkabout::nav::bake::{BakeSettings, Baked, Partition, bake, silent};

fn obj(path: &Path) -> Vec<[Vec3; 3]> {
    let (mut vertices, mut out) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"v") => vertices.push(Vec3::from([1, 2, 3].map(|i| words[i].parse::<f32>().unwrap()))),
            Some(&"f") => {
                let number = |w: &&str| w.split('/').next().and_then(|n| n.parse::<usize>().ok()).unwrap() - 1;
                let face: Vec<Vec3> = words[1..].iter().map(|w| vertices[number(w)]).collect();
                out.extend(face[1..].windows(2).map(|w| [face[0], w[0], w[1]]));
            }
            _ => {}
        }
    }
    out
}

fn de_dust(data: &Path, scale: f32) -> Vec<[Vec3; 3]> {
    super::town(data, scale).iter().map(|t| t.points).collect()
}

fn baked(triangles: &[[Vec3; 3]], partition: Partition) -> Baked {
    let baked = bake(triangles, &BakeSettings { partition, ..BakeSettings::default() }, &mut silent).unwrap();
    let mesh = baked.mesh.validate().unwrap();
    assert_eq!(mesh.len(), baked.polygons());
    baked
}

fn counts_are_those_of_recast(data: PathBuf) {
    let count = |t: &[[Vec3; 3]]| baked(t, Partition::Watershed).polygons() as f64;
    let test_level = count(&obj(&data.join("meshes/nav_test.obj")));
    let (town, large) = (count(&de_dust(&data, 1.0)), count(&de_dust(&data, 5.0)));
    println!("nav_test {test_level}, de_dust {town}, five times as large {large}");
    for (ours, theirs) in [(test_level, 155.0), (town, 238.0), (large, 1195.0)] {
        // Sloped cells are measured by the plane, not by cutting: a span may differ by a rounding.
        assert!((ours / theirs - 1.0f64).abs() <= 0.02, "{ours} polygons, Recast makes {theirs}");
    }
}

fn corners_lie_where_those_of_recast_lie(data: PathBuf) {
    let text = std::fs::read_to_string(data.join("navmesh/nav_test.mesh.json")).unwrap();
    let measured: serde_json::Value = serde_json::from_str(&text).unwrap();
    let theirs: Vec<Vec3> = serde_json::from_value(measured["verts"].clone()).unwrap();
    let ours = baked(&obj(&data.join("meshes/nav_test.obj")), Partition::Watershed).mesh.vertices;
    let found = theirs.iter().filter(|t| ours.iter().any(|o| (o.as_vec3() - **t).length() < 0.01)).count();
    assert!(found * 100 >= theirs.len() * 98, "{found} of {} corners", theirs.len());
}

fn every_partition_makes_a_valid_mesh(data: PathBuf) {
    let town = de_dust(&data, 1.0);
    for partition in [Partition::Monotone, Partition::Layers] {
        let baked = baked(&town, partition);
        assert!((200..800).contains(&baked.polygons()), "{partition:?}: {}", baked.polygons());
    }
}

/// The tests of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        super::trial("bake_counts_are_those_of_recast", counts_are_those_of_recast),
        super::trial("bake_corners_lie_where_those_of_recast_lie", corners_lie_where_those_of_recast_lie),
        super::trial("bake_every_partition_makes_a_valid_mesh", every_partition_makes_a_valid_mesh),
    ]
}
