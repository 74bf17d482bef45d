//! Polyanya paths against the measured optimum on meshes of real levels.

use super::pairs::Case;
use libtest_mimic::Trial;
use std::path::PathBuf;
use walkabout::nav::mesh::Filter;
use walkabout::nav::query::polyanya::index::{CornerIndex, IndexScratch};
use walkabout::nav::query::polyanya::{Polyanya, ShortestPath};

/// Requirement: N-2
fn lengths_are_the_optimum_wherever_the_mesh_lies(data: PathBuf) {
    let (mut exact, mut scratch, mut path) = (Polyanya::new(), IndexScratch::default(), ShortestPath::default());
    for name in ["nav_test", "de_dust_x5"] {
        for offset in [0.0, 5000.0, -5000.0, 50_000.0, -50_000.0] {
            let case = Case::read(&data, name, offset);
            let mesh = &case.mesh;
            let index = CornerIndex::build(mesh, &Filter::default(), 1 << 24).unwrap();
            for (i, pair) in case.pairs.iter().enumerate() {
                let ((start, end), length) = (case.ends(pair), pair.optimum_len2d);
                let found = exact.find(mesh, start, end, &Filter::default(), &mut path);
                assert_eq!(found, Ok(()), "{name}, moved by {offset}, pair {i}");
                let searched = path.length_2d;
                let found = index.find(mesh, start, end, &mut scratch, &mut path);
                assert_eq!(found, Ok(()), "{name}, moved by {offset}, pair {i} by index");
                for found in [searched, path.length_2d] {
                    let error = (found - length).abs() / length.max(1e-9);
                    assert!(error < 1e-5, "{name}, moved by {offset}, pair {i}: {found} for {length}");
                }
            }
        }
    }
}

/// The trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![super::trial("lengths_are_the_optimum_wherever_the_mesh_lies", lengths_are_the_optimum_wherever_the_mesh_lies)]
}
