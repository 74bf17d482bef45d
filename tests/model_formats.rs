//! Models of the rarer formats come in right: Quake MDL, COLLADA, animated FBX.

#![allow(clippy::unwrap_used, reason = "a test that cannot write or read its models has to fail")]

#[path = "common/quake.rs"]
mod quake;

use glam::Vec3;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkabout::asset::cache::Cache;
use walkabout::asset::{Importer, Model};

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model-formats");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// What `walkabout import --json` says about a file.
fn report(path: &Path) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_walkabout"))
        .arg("import")
        .arg(path)
        .arg("--json")
        .env("WALKABOUT_CACHE", folder().join("cache"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn load(path: &Path) -> Model {
    let importer = Importer {
        program: Some(env!("CARGO_BIN_EXE_walkabout").into()),
        cache: Cache::in_folder(folder().join("cache")),
        ..Importer::default()
    };
    let model = importer.load(path).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(model.warnings, Vec::<String>::new());
    model
}

#[test]
fn a_quake_model_comes_in_upright_with_its_skin() {
    let path = write("box.mdl", &quake::quake_box(Vec3::new(2.0, 4.0, 6.0)));
    let report = report(&path);
    assert_eq!(report["triangles"], 12, "{report}");
    assert_eq!(report["vertices"], 36, "each triangle has corners of its own: {report}");
    assert_eq!((report["bones"].as_u64(), report["clips"].as_array().map(Vec::len)), (Some(0), Some(0)));
    assert_eq!(report["textures"][0]["width"], 4);
    assert_eq!(report["textures"][0]["height"], 4);

    let model = load(&path);
    assert!(model.rest_bounds.size().abs_diff_eq(Vec3::new(2.0, 6.0, 4.0), 1e-4), "{}", model.rest_bounds.size());
    let texels: Vec<&[u8]> = model.images[0].rgba.chunks_exact(4).collect();
    assert!(texels[0].iter().take(3).all(|&c| c < 32) && texels[2].iter().take(3).all(|&c| c > 200), "{texels:?}");
    assert_outward(&model);
}

/// All triangles of a convex model around the origin show their front outwards.
fn assert_outward(model: &Model) {
    let model_from_node = model.skeleton.rest_model_from_node();
    for mesh in &model.meshes {
        let at = model_from_node[mesh.node.0 as usize];
        for face in mesh.indices.chunks_exact(3) {
            let corners = [face[0], face[1], face[2]].map(|i| &mesh.vertices[i as usize]);
            let [a, b, c] = corners.map(|v| at.transform_point3(v.position));
            assert!((b - a).cross(c - a).dot(a + b + c) > 0.0, "{a} {b} {c} faces inwards");
            for vertex in corners {
                assert!(vertex.normal.is_normalized());
            }
        }
    }
}
