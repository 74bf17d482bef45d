//! Surfaces of modelling programs as navigation meshes.

use super::{written, yard};
use walkabout::nav::exchange::*;

/// A square of two triangles, and a step of 2 cm to a quadrilateral beside it.
const OBJ: &str = "# a comment\no floor\nv 0 0 0\nv 2 0 0 1.0\nv 2 0 2\nv 0 0 2\nv 2 0.02 0\nv 4 0 0\nv 4 0 2\nvt 0 0\n\
                   f 1/1/1 2//1 3\nf -7 -5 -4\ns off\nf 3 5 6 7 # the end\nl 1 2\n";

fn taken(bytes: &[u8]) -> Result<JoinedMesh, ExchangeError> {
    parse_mesh(bytes, MeshFormat::of_surface(bytes).ok_or(ExchangeError::Unknown)?)
}

fn error(bytes: &[u8]) -> String {
    taken(bytes).map(drop).unwrap_err().to_string()
}

#[test]
fn surfaces_are_no_meshes_unless_asked_for() {
    for begin in [OBJ.as_bytes(), b"ply\nformat ascii 1.0\n", b"glTF\x02\0\0\0", b"{\"asset\":{\"version\":\"2.0\"}}"] {
        assert_eq!(MeshFormat::of(begin), None);
        assert!(MeshFormat::of_surface(begin).is_some());
    }
    for begin in [&b"[gd_scene"[..], b"verts", b"", b"\x89PNG\r\n"] {
        assert_eq!(MeshFormat::of_surface(begin), None);
    }
}

#[test]
fn faces_of_obj_join_and_come_back_equal() {
    let mesh = taken(OBJ.as_bytes()).unwrap();
    assert_eq!((mesh.mesh.len(), mesh.mesh.island_count()), (3, 1), "{:?}", mesh.notes);
    assert_eq!(mesh.format, "Wavefront OBJ, metres, Y up");
    let file = yard();
    let back = taken(&written(&file, "yard.obj").bytes).unwrap();
    assert_eq!(super::text::shape(&back.file), super::text::shape(&file));
    assert!(error(OBJ.replace("-7 -5", "-8 -5").as_bytes()).contains("the face of line 12"));
    assert!(error(OBJ.replace("3 5 6 7", "3 5 6 8").as_bytes()).contains("polygon 2"));
    assert!(error(OBJ.replace("v 4 0 0", "v 4 x 0").as_bytes()).contains("the vertex of line 8"));
    assert!(error(b"o nothing\nv 0 0 0\n").contains("no polygon"));
}

#[test]
fn lines_of_obj_go_on_and_begin_with_a_mark() {
    let split = OBJ.replace("f 3 5 6 7", "f 3 \\\n 5 \\ \n6 7").replace("# a comment", "# C:\\floors\\");
    let marked = format!("\u{feff}{split}");
    assert_eq!(taken(marked.as_bytes()).unwrap().file, taken(OBJ.as_bytes()).unwrap().file);
}

#[test]
fn numbers_of_obj_may_have_a_comma() {
    let commas = OBJ.replace("0.02", "0,02").replace("v 4 0 0", "v  4,0 0,0 -0,0");
    assert_eq!(taken(commas.as_bytes()).unwrap().file, taken(OBJ.as_bytes()).unwrap().file);
    assert!(error(OBJ.replace("v 4 0 0", "v 4,0,0 0 0").as_bytes()).contains("the vertex of line 8"));
}

#[test]
fn a_polygon_of_many_corners_is_cut_in_halves() {
    use std::fmt::Write;
    let mut text = String::new();
    let corners = 60_000;
    for i in 0..corners {
        let (sin, cos) = (f64::from(i) / f64::from(corners) * std::f64::consts::TAU).sin_cos();
        let _ = writeln!(text, "v {} 0 {}", cos * 1000.0, -sin * 1000.0);
    }
    let numbers: Vec<String> = (1..=corners).map(|i| i.to_string()).collect();
    let _ = writeln!(text, "f {}", numbers.join(" "));
    let mesh = taken(text.as_bytes()).unwrap();
    assert_eq!((mesh.mesh.len(), mesh.mesh.island_count()), (64, 1), "{:?}", mesh.notes);
}

#[test]
fn polygons_of_gltf_come_back_equal() {
    let mut file = yard();
    let out = written(&file, "yard.glb");
    assert!(out.notes.iter().any(|n| n.contains("2 links are left out")), "{:?}", out.notes);
    assert!(out.notes.iter().any(|n| n.contains("Areas are left out")), "{:?}", out.notes);
    let back = taken(&out.bytes).unwrap();
    assert!(back.notes.is_empty(), "{:?}", back.notes);
    assert_eq!(super::text::shape(&back.file), super::text::shape(&file));
    // Polygons that follow each other and begin at one corner stay apart.
    file.mesh.polygons[1].vertices.rotate_left(3);
    file.mesh.polygons.iter_mut().for_each(|p| p.vertices.reverse());
    file.mesh.polygons[0].vertices.rotate_left(1);
    let (mesh, _) = file.check().unwrap();
    let back = taken(&written(&file, "yard.glb").bytes).unwrap();
    assert_eq!((back.mesh.len(), back.mesh.island_count()), (mesh.len(), mesh.island_count()));
    file.detail = None;
    file.links.clear();
    // Far from the origin, and without the extension.
    file.mesh.vertices.iter_mut().for_each(|v| *v += glam::DVec3::new(1e6, -300.0, -2e6));
    let far = written(&file, "yard.glb").bytes;
    let back = taken(&far).unwrap();
    assert_eq!(back.file.mesh.vertices.len(), file.mesh.vertices.len());
    assert!(back.file.mesh.vertices.iter().all(|v| file.mesh.vertices.contains(v)));
    let mut plain = far;
    while let Some(at) = plain.windows(6).position(|w| w == b"FB_ngo") {
        plain[at] = b'X';
    }
    assert_eq!(taken(&plain).unwrap().mesh.len(), 4 * 2 + 6);
}

#[test]
fn primitives_of_gltf_count_for_each_node_that_has_them() {
    // Of points, which are no ground.
    let list = |count: usize, of: &str| vec![of; count].join(",");
    let text = |nodes: usize| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{}],"meshes":[{{"primitives":[{}]}}]}}"#,
            list(nodes, r#"{"mesh":0}"#),
            list(1000, r#"{"attributes":{},"mode":0}"#)
        )
    };
    assert!(error(text(2).as_bytes()).contains("no polygon"));
    assert!(error(text(1000).as_bytes()).contains("262145 primitives are more than 262144"));
}

#[test]
fn nodes_of_gltf_are_counted_as_they_are_read() {
    let text = |nodes: usize| format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{}]}}"#, vec!["{}"; nodes].join(","));
    assert!(error(text(70_000).as_bytes()).contains("nodes are more than"), "{}", error(text(70_000).as_bytes()));
    let many = error(text((1 << 20) + 1).as_bytes());
    assert!(many.contains("a list of at most 1048576 nodes"), "{many}");
}

#[test]
fn lists_of_too_many_numbers_are_refused_unread() {
    let gltf = r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"componentType":5126,"count":4194305,"type":"VEC3"}]}"#;
    assert!(error(gltf.as_bytes()).contains("4194305 corners are more than 4194304"));
    let ply = "ply\nformat ascii 1.0\nelement face 4194305\nproperty list uchar int vertex_indices\nend_header\n";
    assert!(error(ply.as_bytes()).contains("4194305 faces are more than 4194304"));
    let property = "property list uchar int vertex_indices\n";
    let declared = [1, 4_194_304].map(|count| format!("element face {count}\n{property}")).concat();
    let twice = format!("ply\nformat ascii 1.0\n{declared}end_header\n0\n");
    assert!(error(twice.as_bytes()).contains("4194305 faces are more than 4194304"));
}

#[test]
fn exports_of_unreal_are_brought_to_metres_and_our_axes() {
    // One triangle: as the engine writes it, and as plug-ins do.
    let bounds = "# RecastDemo specific data\nrd_bbox -500.0 -10.0 100.0 -300.0 20.0 400.0\nrd_cs 19.0\n";
    let faces = "f 1 2 3\n";
    let ways = [
        "v -500 0 100\nv -300 0 100\nv -300 10 400\n",
        "v -5 0 1\nv -3 0 1\nv -3 0.1 4\n",
        "v 500 -100 0\nv 300 -100 0\nv 300 -400 10\n",
        "v 5 -1 0\nv 3 -1 0\nv 3 -4 0.1\n",
    ];
    for (way, words) in ways.iter().zip(["centimetres, Recast", "metres, Recast", "centimetres, Z up", "metres, Z up"])
    {
        let mesh = taken(format!("{way}{faces}{bounds}").as_bytes()).unwrap();
        assert!(mesh.format.contains(words), "{}", mesh.format);
        let places: Vec<_> = mesh.file.mesh.vertices.iter().map(|v| (*v * 1e3).round().to_array()).collect();
        assert!(places.contains(&[-3000.0, 100.0, 4000.0]), "{words}: {places:?}");
    }
}

#[test]
fn axes_and_units_can_be_changed() {
    let placement = MeshPlacement { axes: "x,z,-y".parse().unwrap(), scale: 0.01 };
    let upright = "v 0 0 50\nv 200 0 50\nv 200 300 50\nf 1 2 3\n";
    let mesh = parse_placed(upright.as_bytes(), MeshFormat::Obj, &placement).unwrap();
    assert!(mesh.format.ends_with("; taken as x,z,-y, times 0.01"), "{}", mesh.format);
    assert!(mesh.file.mesh.vertices.contains(&glam::DVec3::new(2.0, 0.5, -3.0)));
    // Mirrored, detail and all, and back again.
    let mirror = MeshPlacement { axes: "x,y,-z".parse().unwrap(), scale: 1.0 };
    let file = yard();
    let once = parse_placed(&file.to_bytes(), MeshFormat::Navmesh, &mirror).unwrap().file;
    assert_ne!(once, file);
    assert_eq!(parse_placed(&once.to_bytes(), MeshFormat::Navmesh, &mirror).unwrap().file, file);
    let bad = MeshPlacement { scale: f64::NAN, ..mirror };
    let error = parse_placed(OBJ.as_bytes(), MeshFormat::Obj, &bad).map(drop).unwrap_err().to_string();
    assert!(error.contains("a scale of NaN"), "{error}");
}

/// A PLY file of a quadrilateral and a triangle, in one of its formats.
fn ply(format: &str) -> Vec<u8> {
    let header = format!(
        "ply\nformat {format} 1.0\ncomment by hand\nelement vertex 5\nproperty float x\nproperty double y\n\
         property float z\nproperty uchar red\nelement face 2\nproperty uchar flags\n\
         property list uchar int vertex_indices\nelement edge 1\nproperty int a\nend_header\n"
    );
    let vertices = [[0.0, 0.5, 0.0], [2.0, 0.5, 0.0], [2.0, 0.5, 2.0], [0.0, 0.5, 2.0], [4.0, 0.5, 1.0]];
    let faces: [&[i32]; 2] = [&[0, 1, 2, 3], &[1, 4, 2]];
    let mut out = header.into_bytes();
    let is_big = format.contains("big");
    let mut push = |bytes: &[u8]| if is_big { out.extend(bytes.iter().rev()) } else { out.extend(bytes) };
    if format == "ascii" {
        vertices.iter().for_each(|[x, y, z]| push(format!("{x} {y} {z} 255\n").as_bytes()));
        faces.iter().for_each(|f| {
            push(format!("7 {} {}\n", f.len(), f.iter().map(|i| format!("{i} ")).collect::<String>()).as_bytes())
        });
        push(b"3\n");
        return out;
    }
    for [x, y, z] in vertices {
        push(&(x as f32).to_le_bytes());
        push(&f64::to_le_bytes(y));
        push(&(z as f32).to_le_bytes());
        push(&[255]);
    }
    for face in faces {
        push(&[7]);
        push(&[face.len() as u8]);
        face.iter().for_each(|i| push(&i.to_le_bytes()));
    }
    push(&3i32.to_le_bytes());
    out
}

#[test]
fn ply_is_read_as_text_and_in_both_byte_orders() {
    let text = taken(&ply("ascii")).unwrap();
    assert_eq!((text.mesh.len(), text.mesh.island_count()), (2, 1));
    for format in ["binary_little_endian", "binary_big_endian"] {
        assert_eq!(taken(&ply(format)).unwrap().file, text.file, "{format}");
    }
    let bytes = ply("binary_little_endian");
    let body = bytes.len() - 4;
    // All but the edge at the end is read: cut anywhere it is refused.
    assert!((0..body).all(|length| taken(&bytes[..length]).is_err()));
    let with = |from: &str, to: &str| String::from_utf8(ply("ascii")).unwrap().replace(from, to).into_bytes();
    let mut latin = ply("ascii");
    drop(latin.splice(21..21, b"comment by J\xf6rg\n".iter().copied()));
    assert_eq!(taken(&latin).unwrap().file, text.file);
    assert!(error(&with("1 4 2", "1 5 2")).contains("polygon 1"));
    assert!(error(&with("vertex 5", "vertex 4000000000")).contains("vertex 8 is"));
    assert!(error(&with("ascii 1.0", "ascii 2.0")).contains("no known format"));
    assert!(error(&with("double y", "quad y")).contains("the header, line 6"));
}

#[test]
fn gltf_with_compressed_geometry_is_left_to_the_importer() {
    let folder = tempfile::tempdir().unwrap();
    let plain = gltf("\"uri\":\"yard.bin\",");
    // The corners as bytes in place of numbers, as the extension allows.
    let packed = plain
        .replace("\"scene\":0", "\"scene\":0,\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"extensionsUsed\":[\"KHR_mesh_quantization\"]")
        .replace(
            "\"componentType\":5126,\"count\":4",
            "\"componentType\":5121,\"count\":4,\"min\":[0,0,0],\"max\":[1,0,1]",
        )
        .replace("\"byteLength\":48}", "\"byteLength\":48,\"byteStride\":12}");
    let corners = [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]];
    let mut buffer: Vec<u8> =
        corners.iter().flat_map(|&[x, y, z]: &[u8; 3]| [x, y, z, 0, 0, 0, 0, 0, 0, 0, 0, 0]).collect();
    buffer.extend([0u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes()));
    std::fs::write(folder.path().join("yard.bin"), buffer).unwrap();
    let file = folder.path().join("yard.gltf");
    std::fs::write(&file, &packed).unwrap();
    let mesh = read_mesh(&file).unwrap();
    assert_eq!((mesh.mesh.len(), mesh.mesh.island_count()), (2, 1));
    assert!(mesh.file.mesh.vertices.contains(&glam::DVec3::new(-2.0, 1.0, -1.0)), "{:?}", mesh.file.mesh.vertices);
    assert!(error(packed.as_bytes()).contains("needs the extension KHR_mesh_quantization"), "without a file");
}

/// A glTF document of a square below a node that lifts it, with this address of its buffer.
fn gltf(uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"children":[1],"translation":[0,1,0]}},{{"mesh":0,"rotation":[0,1,0,0],"scale":[2,1,1]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
        {{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":12}}],
        "buffers":[{{{uri}"byteLength":60}}]}}"#
    )
}

fn gltf_buffer() -> Vec<u8> {
    let square = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
    let places = square.as_flattened().iter().flat_map(|c| c.to_le_bytes());
    places.chain([0u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes())).collect()
}

fn glb() -> Vec<u8> {
    let mut json = gltf("").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let binary = gltf_buffer();
    let length = (28 + json.len() + binary.len()) as u32;
    let mut out = b"glTF".to_vec();
    out.extend([2, length, json.len() as u32, 0x4E4F_534A].iter().flat_map(|n: &u32| n.to_le_bytes()));
    out.extend(&json);
    out.extend([binary.len() as u32, 0x004E_4942].iter().flat_map(|n| n.to_le_bytes()));
    out.extend(&binary);
    out
}

#[test]
fn gltf_is_read_as_one_file_and_as_json() {
    let mesh = taken(&glb()).unwrap();
    assert_eq!((mesh.mesh.len(), mesh.mesh.island_count()), (2, 1));
    // Turned by half and twice as wide.
    assert!(mesh.file.mesh.vertices.contains(&glam::DVec3::new(-2.0, 1.0, -1.0)), "{:?}", mesh.file.mesh.vertices);
    let zeros = format!(r#""uri":"data:application/octet-stream;base64,{}","#, "A".repeat(80));
    assert!(error(gltf(&zeros).as_bytes()).contains("no polygon"), "a square without extent");
    for other in [format!("\u{feff}{}", gltf(&zeros)), gltf(&zeros.replace("data:", "DATA:"))] {
        assert!(error(other.as_bytes()).contains("no polygon"), "{}", error(other.as_bytes()));
    }
    let outside = error(gltf(r#""uri":"yard.bin","#).as_bytes());
    assert!(outside.contains("another file, yard.bin; save it as one file (.glb)"), "{outside}");
    let packed =
        gltf("").replace("\"scene\":0", "\"scene\":0,\"extensionsRequired\":[\"KHR_materials_unlit\",\"EXT_pack\"]");
    assert!(error(packed.as_bytes()).contains("needs the extension EXT_pack"));
    let mut filled = glb();
    let end = filled.windows(4).position(|w| w == b"BIN\0").unwrap() - 4;
    filled[..end].iter_mut().rev().take_while(|byte| **byte == b' ').for_each(|byte| *byte = 0);
    assert_eq!(taken(&filled).unwrap().file, mesh.file, "filled up with zeros");
    let bytes = glb();
    assert!((0..bytes.len()).all(|length| taken(&bytes[..length]).is_err()));
    // Nodes that lead back to themselves, and ever so many of one.
    let circle = gltf(&zeros).replace("\"mesh\":0,\"rotation\"", "\"children\":[0],\"rotation\"");
    assert!(error(circle.as_bytes()).contains("nodes are more than"));
}
