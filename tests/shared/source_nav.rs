//! Real navigation meshes of the Source engine come in whole.

use crate::trial;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use walkabout::nav::exchange::source_nav::{is_source_nav, read_source_nav};
use walkabout::nav::exchange::{ForeignMesh, Joining, read_mesh};

/// All trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![trial("source_nav::real_meshes_are_read_and_joined", |data| {
        let mut meshes = nav_files(&data.join("interchange/source"));
        meshes.sort();
        assert!(!meshes.is_empty(), "no meshes");
        meshes.iter().for_each(|path| check(path));
    })]
}

fn nav_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "nav")).collect()
}

fn check(path: &Path) {
    let name = path.display();
    let bytes = std::fs::read(path).unwrap();
    assert!(is_source_nav(&bytes), "{name}");
    let mesh = read_source_nav(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(!mesh.polygons.is_empty(), "{name}");
    check_joints(&mesh, &name.to_string());
    let joined = read_mesh(path).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(joined.cover.len(), mesh.cover.len(), "{name}");
    assert!(joined.mesh.len() >= mesh.polygons.len(), "{name}: {} polygons", joined.mesh.len());
    let [low, high] = bounds(&mesh);
    for link in &mesh.links {
        for end in [link.start, link.end] {
            assert!(end.cmpge(low).all() && end.cmple(high).all(), "{name}: a link ends at {end}");
        }
    }
}

/// Edges that are joined run along each other, within an inch.
fn check_joints(mesh: &ForeignMesh, name: &str) {
    let Joining::Explicit { joints, .. } = &mesh.joining else { panic!("{name} is joined by nearness") };
    assert!(!joints.is_empty(), "{name}");
    for joint in joints {
        let [a, b] = [joint.from, joint.to].map(|[polygon, edge]| {
            let corners = &mesh.polygons[polygon as usize].corners;
            [corners[edge as usize], corners[(edge as usize + 1) % corners.len()]]
        });
        let across = if a[0].x == a[1].x { (a[0].x - b[0].x).abs() } else { (a[0].z - b[0].z).abs() };
        assert!(across < 0.0255, "{name}: {joint:?} is {across} m wide");
    }
}

fn bounds(mesh: &ForeignMesh) -> [glam::DVec3; 2] {
    let corners = || mesh.polygons.iter().flat_map(|polygon| &polygon.corners).copied();
    let low = corners().reduce(glam::DVec3::min).unwrap();
    let high = corners().reduce(glam::DVec3::max).unwrap();
    [low, high]
}
