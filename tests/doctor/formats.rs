//! Faults are found in the polygons that a file lists, whatever format it has, and vertices that a program writes anew for
//! each face are none.

use super::{LIMITS, add_rectangle, corners, hills, middle, split_off};
use glam::DVec3;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::nav::doctor::{DoctorWatch, FaultKind, Finding, examine_mesh, examine_mesh_until};
use walkabout::nav::exchange::{MeshPlacement, read_unchecked};
use walkabout::nav::mesh::{DetourValues, ExchangeAgent, MeshFile, RawMesh, RawPolygon};

const FORMATS: [&str; 6] = ["json", "obj", "ply", "gltf", "tres", "unity.json"];

/// Bytes as base 64.
fn base64(bytes: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let triple = |part: &[u8]| {
        let all = part.iter().fold(0_u32, |all, &byte| all << 8 | u32::from(byte)) << (8 * (3 - part.len()));
        let letter = |k: usize| if k > part.len() { '=' } else { letters[(all >> (18 - 6 * k)) as usize & 63] as char };
        (0..4).map(letter).collect::<String>()
    };
    bytes.chunks(3).map(triple).collect()
}

/// The fans of triangles of all polygons.
fn triangles(mesh: &RawMesh) -> Vec<[u32; 3]> {
    let fan = |ring: &[u32]| ring[1..].windows(2).map(|w| [ring[0], w[0], w[1]]).collect::<Vec<_>>();
    mesh.polygons.iter().flat_map(|p| fan(&p.vertices)).collect()
}

/// A mesh as a glTF file whose triangles tell their polygons.
fn gltf(mesh: &RawMesh) -> String {
    let mut bytes: Vec<u8> = Vec::new();
    mesh.vertices.iter().flat_map(|v| v.as_vec3().to_array()).for_each(|n| bytes.extend(n.to_le_bytes()));
    let (places, triangles) = (bytes.len(), triangles(mesh));
    triangles.iter().flatten().for_each(|n| bytes.extend(n.to_le_bytes()));
    let primitive = r#"{"attributes": {"POSITION": 0}, "indices": 1, "extensions": {"FB_ngon_encoding": {}}}"#;
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "extensionsUsed": ["FB_ngon_encoding"], "scene": 0, "scenes": [{{"nodes": [0]}}],
        "nodes": [{{"mesh": 0}}], "meshes": [{{"primitives": [{primitive}]}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": {}}},
            {{"bufferView": 1, "componentType": 5125, "type": "SCALAR", "count": {}}}],
        "bufferViews": [{{"buffer": 0, "byteOffset": 0, "byteLength": {places}}},
            {{"buffer": 0, "byteOffset": {places}, "byteLength": {}}}],
        "buffers": [{{"byteLength": {}, "uri": "data:application/octet-stream;base64,{}"}}]}}"#,
        mesh.vertices.len(),
        3 * triangles.len(),
        bytes.len() - places,
        bytes.len(),
        base64(&bytes)
    )
}

/// A mesh as a file of a format.
fn written(mesh: &RawMesh, format: &str) -> String {
    let list = |ring: &[u32], by: u32| ring.iter().map(|v| (v + by).to_string()).collect::<Vec<_>>();
    let mut text = String::new();
    match format {
        "json" => {
            let rings: Vec<&Vec<u32>> = mesh.polygons.iter().map(|p| &p.vertices).collect();
            let places: Vec<[f64; 3]> = mesh.vertices.iter().map(|v| v.to_array()).collect();
            text = serde_json::json!({ "verts": places, "polys": rings }).to_string();
        }
        "obj" => {
            mesh.vertices.iter().for_each(|v| writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap());
            mesh.polygons.iter().for_each(|p| writeln!(text, "f {}", list(&p.vertices, 1).join(" ")).unwrap());
        }
        "ply" => {
            let [v, f] = [mesh.vertices.len(), mesh.polygons.len()];
            write!(
                text,
                "ply\nformat ascii 1.0\nelement vertex {v}\nproperty double x\nproperty double y\nproperty double z\n\
                 element face {f}\nproperty list uchar uint vertex_indices\nend_header\n"
            )
            .unwrap();
            mesh.vertices.iter().for_each(|v| writeln!(text, "{} {} {}", v.x, v.y, v.z).unwrap());
            for p in &mesh.polygons {
                writeln!(text, "{} {}", p.vertices.len(), list(&p.vertices, 0).join(" ")).unwrap();
            }
        }
        "gltf" => text = gltf(mesh),
        "tres" => {
            let places: Vec<String> = mesh.vertices.iter().flat_map(|v| v.to_array().map(|n| n.to_string())).collect();
            let rings: Vec<String> = mesh
                .polygons
                .iter()
                .map(|p| format!("PackedInt32Array({})", list(&p.vertices, 0).join(", ")))
                .collect();
            write!(
                text,
                "[gd_resource type=\"NavigationMesh\" format=3]\n\n[resource]\nvertices = PackedVector3Array({})\n\
                 polygons = [{}]\n",
                places.join(", "),
                rings.join(", ")
            )
            .unwrap();
        }
        _ => {
            let triangles = triangles(mesh);
            let places: Vec<[f64; 3]> = mesh.vertices.iter().map(|v| [v.x, v.y, -v.z]).collect();
            let areas = vec![0; triangles.len()];
            text = serde_json::json!({ "vertices": places, "indices": triangles.concat(), "areas": areas }).to_string();
        }
    }
    text
}

/// What is found in a mesh as a file of a format.
fn found(mesh: &RawMesh, format: &str) -> Vec<Finding> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("doctor-listed-{number}.{format}"));
    std::fs::write(&file, written(mesh, format)).unwrap();
    let placement = MeshPlacement::default();
    let read = read_unchecked(&file, &placement).unwrap();
    std::fs::remove_file(&file).unwrap();
    examine_mesh_until((&read.file, &placement), read.listed.as_ref(), &LIMITS, &[], &DoctorWatch::default())
        .unwrap()
        .findings
}

/// A mesh with a fault of a kind near its middle, and the formats that can hold it.
fn faulty(fault: FaultKind, mesh: &mut RawMesh) -> (DVec3, &'static [&'static str]) {
    let polygon = 5 * super::CELLS + 5;
    let outline = corners(mesh, polygon);
    let (center, side) = (middle(&outline), outline[1] - outline[0]);
    match fault {
        FaultKind::Flipped => mesh.polygons[polygon].vertices.reverse(),
        FaultKind::DuplicateVertex => split_off(mesh, polygon, 2, DVec3::ZERO),
        FaultKind::TJunction => {
            mesh.vertices.push(outline[0] + side * 0.5);
            let number = mesh.vertices.len() as u32 - 1;
            mesh.polygons[polygon].vertices.insert(1, number);
            // So that no triangle of its fan is flat.
            mesh.polygons[polygon].vertices.rotate_left(1);
        }
        FaultKind::OpenSeam => {
            let away = (outline[3] - outline[0]).normalize() * 0.005;
            split_off(mesh, polygon, 0, away);
            split_off(mesh, polygon, 1, away);
        }
        FaultKind::Overlap => {
            // A polygon twice, and one that lies upon others.
            mesh.polygons.push(mesh.polygons[polygon].clone());
            add_rectangle(mesh, outline[0] + DVec3::Y * 0.1, 0.8);
        }
        FaultKind::Sliver => {
            let inward = (outline[3] - outline[0]).normalize() * 0.008;
            let old = mesh.polygons[polygon].vertices.clone();
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend([outline[0] + inward, outline[1] + inward]);
            mesh.polygons[polygon].vertices = vec![first, first + 1, old[2], old[3]];
            mesh.polygons.push(walkabout::nav::mesh::RawPolygon::new([old[0], old[1], first + 1, first]));
        }
        FaultKind::Spike => mesh.vertices[mesh.polygons[polygon].vertices[0] as usize].y += 5.0,
        _ => {
            // A corner within the triangle of the others.
            split_off(mesh, polygon, 2, (outline[0] - outline[2]) * 0.7);
            return (center, &["json", "obj", "ply", "tres"]);
        }
    }
    (center, &FORMATS)
}

#[test]
fn faults_are_named_alike_in_every_format() {
    let kinds = [
        FaultKind::Flipped,
        FaultKind::DuplicateVertex,
        FaultKind::TJunction,
        FaultKind::OpenSeam,
        FaultKind::Overlap,
        FaultKind::Sliver,
        FaultKind::Spike,
        FaultKind::BadPolygon,
    ];
    let mut dice = SplitMix64::new(41);
    for fault in kinds {
        let mut mesh = hills(&mut dice);
        for format in FORMATS {
            assert_eq!(found(&mesh, format), [], "{format}");
        }
        let (place, formats) = faulty(fault, &mut mesh);
        for format in formats {
            let found = found(&mesh, format);
            let near: Vec<&Finding> = found.iter().filter(|f| f.fault == fault).collect();
            let [only] = near[..] else { panic!("{format}: {fault:?}: {found:?}") };
            assert!((only.place - place).with_y(0.0).length() < 4.0, "{format}: {only:?}");
        }
    }
}

#[test]
fn vertices_written_anew_for_each_face_are_no_faults() {
    let mut mesh = hills(&mut SplitMix64::new(42));
    // Of one face alone they are.
    let mut one = mesh.clone();
    split_off(&mut one, 70, 0, DVec3::ZERO);
    // Of every face they are not.
    for polygon in 0..mesh.polygons.len() {
        (0..4).for_each(|corner| split_off(&mut mesh, polygon, corner, DVec3::ZERO));
    }
    for format in ["obj", "ply", "gltf", "tres", "unity.json"] {
        assert_eq!(found(&mesh, format), [], "{format}");
        let kinds: Vec<FaultKind> = found(&one, format).iter().map(|f| f.fault).collect();
        assert_eq!(kinds, [FaultKind::DuplicateVertex], "{format}");
    }
    // Other faults are seen all the same.
    mesh.polygons[30].vertices.reverse();
    let kinds: Vec<FaultKind> = found(&mesh, "obj").iter().map(|f| f.fault).collect();
    assert_eq!(kinds, [FaultKind::Flipped]);
}

#[test]
fn a_mesh_that_names_its_agents_is_in_their_unit() {
    // Large flat squares, as in a mesh in centimetres.
    let mut mesh = RawMesh::default();
    mesh.vertices.extend((0..169).map(|i| DVec3::new(f64::from(i % 13), 0.0, f64::from(i / 13)) * 100.0));
    let square = |i: u32| RawPolygon::new([i, i + 1, i + 14, i + 13]);
    mesh.polygons.extend((0..144).map(|i| square(i / 12 * 13 + i % 12)));
    let is_told = |values| {
        let file = MeshFile { mesh: mesh.clone(), values, ..MeshFile::default() };
        examine_mesh(&file, &LIMITS, &[]).iter().any(|finding| finding.fault == FaultKind::Units)
    };
    assert!(is_told(None));
    assert!(!is_told(Some(DetourValues::new(ExchangeAgent { height: 2.0, radius: 0.6, climb: 0.9 }))));
}
