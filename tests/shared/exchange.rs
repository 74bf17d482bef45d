//! Navigation meshes that other programs wrote.

use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use walkabout::nav::exchange::{ExchangeAgent, MeshFormat, parse_mesh, read_mesh, write_as};

use crate::trial;

/// The tests of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("tiled_mesh_sets_of_detour_join_and_come_back", tiled_sets),
        trial("a_tile_cache_is_refused_as_one", tile_cache),
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
    let error = read_mesh(&data.join("interchange/detour/all_tiles_tilecache.bin")).unwrap_err().to_string();
    assert!(error.contains("tile cache"), "{error}");
}
