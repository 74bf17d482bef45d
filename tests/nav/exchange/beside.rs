//! Formats are told by content whatever comes first in a file, and files beside a file are read with it.

use super::AGENT;
use std::path::{Path, PathBuf};
use walkabout::nav::exchange::recast_demo::find_level;
use walkabout::nav::exchange::{is_mesh_file, mesh_files_beside, read_mesh, write_joined};

/// Two squares as OBJ.
const SQUARES: &str = "v 0 0 0\nv 2 0 0\nv 2 0 2\nv 0 0 2\nv 4 0 0\nv 4 0 2\nf 1 4 3 2\nf 2 3 6 5\n";
/// A triangle of Godot.
const RESOURCE: &str = "[gd_resource type=\"NavigationMesh\" format=3]\n\n[resource]\n\
    vertices = PackedVector3Array(0, 0, 0, 2, 0, 0, 2, 0, 2)\npolygons = [PackedInt32Array(2, 1, 0)]\nagent_radius = 0.3\n";

fn put(folder: &tempfile::TempDir, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
    let file = folder.path().join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, contents).unwrap();
    file
}

fn polygons(file: &Path) -> usize {
    read_mesh(file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).mesh.len()
}

#[test]
fn a_mesh_is_told_behind_long_comments_and_other_words() {
    let folder = tempfile::tempdir().unwrap();
    let comment = "# A comment of many words.\n".repeat(800);
    for name in ["a.obj", "a.dat", "a.acfg"] {
        assert_eq!(polygons(&put(&folder, name, format!("{comment}{SQUARES}"))), 2, "{name}");
        assert_eq!(polygons(&put(&folder, name, format!("rd_agh 144\nmtllib a.mtl\n{SQUARES}"))), 2, "{name}");
    }
    let resource = put(&folder, "a.txt", format!("{}{RESOURCE}", comment.replace('#', ";")));
    assert!(is_mesh_file(&resource));
    assert_eq!(polygons(&resource), 1);
    // What is nothing but a comment is no mesh.
    let error = read_mesh(&put(&folder, "b.dat", &comment)).unwrap_err().to_string();
    assert!(error.starts_with("no navigation mesh"), "{error}");
    // Names in the letters of another time.
    let latin = [&b"# Fl\xe4che\nusemtl gr\xfcn\n"[..], SQUARES.as_bytes()].concat();
    assert_eq!(polygons(&put(&folder, "latin.obj", latin)), 2);
    let wide: Vec<u8> = SQUARES.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(read_mesh(&put(&folder, "wide.obj", wide)).is_err(), "two bytes to a letter are not read");
}

#[test]
fn files_that_other_programs_export_in_another_form_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let asset = b"%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!238 &23800000\nNavMeshData:\n";
    let kinds: [(&[u8], &str); 4] = [
        (b"RSRC\0\0\0\0", "a binary resource or scene of Godot; save it as text"),
        (b"RSCC\x02\0\0\0", "a binary resource or scene of Godot; save it as text"),
        (b"\xc1\x83\x2a\x9e\xf8\xff\xff\xff", "a package of Unreal Engine; export"),
        (asset, "an asset of Unity; write the triangulation"),
    ];
    for (bytes, words) in kinds {
        let error = read_mesh(&put(&folder, "a.dat", bytes)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn an_unreal_export_without_its_box_is_in_centimetres() {
    let folder = tempfile::tempdir().unwrap();
    let big = SQUARES.replace('2', "200").replace('4', "400").replace("f 1 400 3 200", "f 1 4 3 2");
    let file = put(&folder, "a.obj", format!("{}rd_agh 144.0\nrd_agr 35.0\n", big.replace("f 200 3 6 5", "f 2 3 6 5")));
    let mesh = read_mesh(&file).unwrap();
    assert!(mesh.format.contains("taken as centimetres"), "{}", mesh.format);
    assert!(mesh.file.mesh.vertices.iter().all(|v| v.max_element() <= 4.0), "{:?}", mesh.file.mesh.vertices);
}

#[test]
fn buffers_and_resources_beside_a_file_are_read_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = [0.0_f32, 0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 0.0, 2.0];
    put(&folder, "näv mesh.bin", numbers.map(f32::to_le_bytes).concat());
    let document = |uri: &str| {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 36}}], "buffers": [{{"byteLength": 36, "uri": "{uri}"}}]}}"#
        )
    };
    for uri in ["näv mesh.bin", "n%C3%A4v%20mesh.bin", "NÄV MESH.bin"] {
        assert_eq!(polygons(&put(&folder, "a.gltf", document(uri))), 1, "{uri}");
    }
    let error = read_mesh(&put(&folder, "b.gltf", document("other.bin"))).unwrap_err().to_string();
    assert!(error.contains("the file other.bin that it names"), "{error}");
    let scene = |path: &str| {
        format!(
            "[gd_scene load_steps=2 format=3]\n[ext_resource type=\"NavigationMesh\" path=\"{path}\" id=\"1_a\"]\n\
             [node name=\"World\" type=\"Node3D\"]\n[node name=\"R\" type=\"NavigationRegion3D\" parent=\".\"]\n\
             transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 10, 0, 0)\nnavigation_mesh = ExtResource(\"1_a\")\n"
        )
    };
    put(&folder, "nav/yard.tres", RESOURCE);
    let read = read_mesh(&put(&folder, "yard.tscn", scene("res://levels/nav/yard.tres"))).unwrap();
    assert_eq!((read.mesh.len(), read.file.mesh.vertices[0].x >= 10.0), (1, true));
    assert_eq!(read.detour.unwrap().agent.radius, 0.3);
    let beside = mesh_files_beside(&folder.path().join("yard.tscn"));
    assert_eq!(beside, [std::fs::canonicalize(folder.path().join("nav/yard.tres")).unwrap()]);
    // What lies elsewhere is not read.
    put(&folder, "inner/far.tscn", scene("res://../nav/yard.tres"));
    let error = read_mesh(&folder.path().join("inner/far.tscn")).unwrap_err().to_string();
    assert!(error.contains("lie in files of their own") && error.contains("that it names"), "{error}");
    // In a project files are named from its folder on, wherever the scene lies.
    put(&folder, "game/project.godot", "config_version=5\n");
    put(&folder, "game/yard.tres", RESOURCE);
    let deep = put(&folder, "game/scenes/park/yard.tscn", scene("res://yard.tres"));
    assert_eq!(polygons(&deep), 1);
    assert_eq!(mesh_files_beside(&deep).len(), 1);
    assert!(read_mesh(&put(&folder, "game/scenes/far.tscn", scene("res://../nav/yard.tres"))).is_err());
}

#[test]
fn levels_of_scenes_are_found_in_any_case() {
    let folder = tempfile::tempdir().unwrap();
    let level = put(&folder, "Meshes/Yärd 1.obj", SQUARES);
    let scene = put(&folder, "a.gset", "f YÄRD 1.OBJ\n");
    let found = find_level(&scene, "YÄRD 1.OBJ").unwrap();
    assert_eq!(std::fs::canonicalize(found).unwrap(), std::fs::canonicalize(level).unwrap());
    assert_eq!(find_level(&scene, "other.obj"), None);
}

#[test]
fn levels_of_scenes_lie_in_the_folders_above_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let level = put(&folder, "levels/yard.obj", SQUARES);
    let found = |scene: &str, name: &str| find_level(&folder.path().join(scene), name);
    for name in ["../levels/yard.obj", "..\\levels\\yard.obj", "levels/yard.obj", "/levels/yard.obj"] {
        assert_eq!(found("scenes/a.gset", name), Some(level.clone()), "{name}");
    }
    put(&folder, "a/b/c/d/a.gset", "f yard.obj\n");
    for name in ["../../../../levels/yard.obj", level.to_str().unwrap(), "..", "/", ""] {
        assert_eq!(found("a/b/c/d/a.gset", name), None, "{name}");
    }
}

#[test]
fn regions_of_instanced_scenes_of_godot_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let inner = "[gd_scene format=3]\n[node name=\"R\" type=\"NavigationRegion3D\"]\n";
    put(&folder, "parts/room.tscn", inner);
    put(&folder, "parts/lamp.tscn", "[gd_scene format=3]\n[node name=\"Lamp\" type=\"Node3D\"]\n");
    let scene = |own: &str| {
        format!(
            "[gd_scene format=3]\n[ext_resource type=\"PackedScene\" uid=\"uid://a\" path=\"res://parts/room.tscn\" id=\"1_a\"]\n\
             [ext_resource type=\"PackedScene\" path=\"res://parts/lamp.tscn\" id=\"2_b\"]\n\
             [sub_resource type=\"NavigationMesh\" id=\"m\"]\nvertices = PackedVector3Array(0, 0, 0, 2, 0, 0, 2, 0, 2)\n\
             polygons = [PackedInt32Array(2, 1, 0)]\n[node name=\"World\" type=\"Node3D\"]\n{own}\
             [node name=\"Room\" parent=\".\" instance=ExtResource(\"1_a\")]\n\
             [node name=\"Lamp\" parent=\".\" instance=ExtResource(\"2_b\")]\n"
        )
    };
    let own = "[node name=\"R\" type=\"NavigationRegion3D\" parent=\".\"]\nnavigation_mesh = SubResource(\"m\")\n";
    let read = read_mesh(&put(&folder, "own.tscn", scene(own))).unwrap();
    let note = "The regions of the scene res://parts/room.tscn that it instances are left out; open that by itself.";
    assert_eq!((read.mesh.len(), &read.notes[..]), (1, &[note.to_owned()][..]));
    let bare = scene("").replace("type=\"NavigationMesh\"", "type=\"BoxMesh\"");
    let error = read_mesh(&put(&folder, "bare.tscn", bare)).unwrap_err().to_string();
    assert!(error.contains("but the scene res://parts/room.tscn that it instances does"), "{error}");
}

#[test]
fn a_resource_keeps_agents_and_cells_where_the_format_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{RESOURCE}cell_size = 0.1\ncell_height = 0.05\nagent_height = 1.8\nagent_max_climb = 0.4\n");
    let read = read_mesh(&put(&folder, "a.tres", text)).unwrap();
    let write = |name: &str| write_joined(&read, Path::new(name), None, &AGENT).unwrap();
    let again = String::from_utf8(write("b.tres").bytes).unwrap();
    for line in ["agent_radius = 0.3", "agent_height = 1.8", "agent_max_climb = 0.4", "cell_size = 0.1"] {
        assert!(again.lines().any(|l| l == line), "{line}: {again}");
    }
    assert_eq!(read_mesh(&put(&folder, "b.tres", &again)).unwrap().detour, read.detour);
    assert!(write("b.tres").notes.is_empty() && write("b.navmesh").notes.is_empty());
    let own = read_mesh(&put(&folder, "b.navmesh", write("b.navmesh").bytes)).unwrap();
    assert_eq!(own.detour, read.detour);
    let notes = write("b.obj").notes.join(" ");
    assert!(notes.contains("0.30 m radius") && notes.contains("The cells of its bake (0.1 m, 0.05 m"), "{notes}");
    assert_eq!(write("b.bin").notes.len(), 1, "{:?}", write("b.bin").notes);
}
