//! Geometry that meshoptimizer and Draco have compressed.

use super::{load, write_glb};
use glam::Vec3;
use serde_json::{Value, json};
use walkabout::asset::{Importer, Model};

/// Corners of a square of two triangles, in quarters of a metre.
const CORNERS: [[i16; 3]; 4] = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 2]];
const FACES: [u32; 6] = [0, 1, 2, 0, 2, 3];

/// What every form of the square has to come in as.
fn assert_square(model: &Model) {
    let mesh = &model.meshes[0];
    let at = model.skeleton.rest_model_from_node()[mesh.node.0 as usize];
    let triangles: Vec<Vec3> =
        mesh.indices.iter().map(|&i| at.transform_point3(mesh.vertices[i as usize].position)).collect();
    let expected: Vec<Vec3> = FACES.iter().map(|&i| Vec3::from(CORNERS[i as usize].map(f32::from)) / 4.0).collect();
    // Decoders order triangles anew, and begin them at other corners.
    let turned = |found: &[Vec3], expected: &[Vec3]| {
        (0..3).any(|by| (0..3).all(|i| found[(i + by) % 3].abs_diff_eq(expected[i], 1e-3)))
    };
    for expected in expected.chunks(3) {
        assert!(triangles.chunks(3).any(|found| turned(found, expected)), "{}: {triangles:?}", model.name);
    }
    assert_eq!(triangles.len(), 6, "{}", model.name);
}

fn square(extensions: &[&str]) -> Value {
    json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "extensionsUsed": extensions, "extensionsRequired": extensions,
        "nodes": [{"mesh": 0, "scale": [0.25, 0.25, 0.25]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]
    })
}

#[test]
fn data_compressed_by_meshopt_is_decoded() {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let corners: Vec<[i16; 4]> = CORNERS.iter().map(|c| [c[0], c[1], c[2], 0]).collect();
        let points = meshopt::encoding::encode_vertex_buffer(&corners).unwrap();
        let faces = meshopt::encoding::encode_index_buffer(&FACES, 4).unwrap();
        let mut json = square(&[extension, "KHR_mesh_quantization"]);
        json["accessors"] = json!([
            {"bufferView": 0, "componentType": 5122, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [4, 4, 2]},
            {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}]);
        let compressed = |offset: usize, length: usize, stride: u32, count: u32, mode: &str| {
            json!({extension: {"buffer": 0, "byteOffset": offset, "byteLength": length, "byteStride": stride,
                "count": count, "mode": mode}})
        };
        json["bufferViews"] = json!([
            {"buffer": 1, "byteLength": 32, "byteStride": 8,
                "extensions": compressed(0, points.len(), 8, 4, "ATTRIBUTES")},
            {"buffer": 1, "byteOffset": 32, "byteLength": 12,
                "extensions": compressed(points.len(), faces.len(), 2, 6, "TRIANGLES")}]);
        json["buffers"] = json!([{"byteLength": points.len() + faces.len()},
            {"byteLength": 44, "extensions": {extension: {"fallback": true}}}]);
        let data = [points, faces].concat();
        assert_square(&load(&write_glb(folder.path(), &format!("{extension}.glb"), &json, &data)));
        std::fs::write(folder.path().join("beside.bin"), &data).unwrap();
        json["buffers"][0]["uri"] = "beside.bin".into();
        let text = folder.path().join("text.gltf");
        std::fs::write(&text, json.to_string()).unwrap();
        assert_square(&load(&text));
        std::fs::write(folder.path().join("beside.bin"), vec![0; data.len()]).unwrap();
        let error = Importer::default().load(&text).unwrap_err().to_string();
        assert!(error.contains("bufferView 0 is compressed by meshoptimizer and damaged"), "{error}");
    }
}

#[test]
fn meshes_compressed_by_draco_are_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let mut mesh = draco_core::Mesh::new();
    let mut points = draco_core::PointAttribute::new();
    points.init(draco_core::GeometryAttributeType::Position, 3, draco_core::DataType::Float32, false, 4);
    for (i, x) in CORNERS.iter().flatten().enumerate() {
        points.buffer_mut().write(i * 4, &f32::from(*x).to_le_bytes());
    }
    mesh.set_num_points(4);
    let id = mesh.add_attribute(points);
    mesh.set_num_faces(2);
    mesh.set_faces_from_flat_indices(&FACES);
    let mut encoder = draco_core::MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut out = draco_core::EncoderBuffer::new();
    encoder.encode(&draco_core::EncoderOptions::new(), &mut out).unwrap();
    let mut json = square(&["KHR_draco_mesh_compression"]);
    json["meshes"][0]["primitives"][0]["extensions"] =
        json!({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": id}}});
    json["accessors"] = json!([
        {"componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [4, 4, 2]},
        {"componentType": 5125, "count": 6, "type": "SCALAR"}]);
    json["bufferViews"] = json!([{"buffer": 0, "byteLength": out.data().len()}]);
    json["buffers"] = json!([{"byteLength": out.data().len()}]);
    assert_square(&load(&write_glb(folder.path(), "whole.glb", &json, out.data())));
    let cut = write_glb(folder.path(), "cut.glb", &json, &vec![7; out.data().len()]);
    let error = Importer::default().load(&cut).unwrap_err().to_string();
    assert!(error.contains("primitive 0 of mesh 0 is compressed by Draco and cannot be decoded"), "{error}");
}
