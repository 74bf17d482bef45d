//! Text formats of other engines: what is written comes back, and what those engines write is read.

use super::{parsed, written, yard};
use std::fmt::Write;
use walkabout::nav::mesh::{MeshFile, NONE, PolyId};

/// The corners of a polygon and what lies beyond its edges.
pub(super) type Outline = (Vec<[f64; 3]>, Vec<Option<u32>>);

pub(super) fn shape(file: &MeshFile) -> Vec<Outline> {
    let mesh = file.check().unwrap().0;
    let polygon = |number: u32| {
        let edges = mesh.edges_of(mesh.from_source(number).unwrap());
        let place = |v: u32| mesh.world(mesh.vertices()[v as usize]).to_array();
        let beyond = |n: u32| (n != NONE).then(|| mesh.source(PolyId(n)));
        (edges.iter().map(|e| place(e.vertex)).collect(), edges.iter().map(|e| beyond(e.neighbor)).collect())
    };
    (0..mesh.len() as u32).map(polygon).collect()
}

#[test]
fn texts_of_godot_and_unity_come_back_equal() {
    let file = yard();
    for name in ["yard.tres", "yard.unity.json"] {
        let out = written(&file, name);
        let back = parsed(&out.bytes).unwrap();
        assert!(back.notes.is_empty(), "{name}: {:?}", back.notes);
        assert_eq!(shape(&back.file), shape(&file), "{name}");
        let areas: Vec<u8> = back.file.mesh.polygons.iter().map(|p| p.area).collect();
        assert_eq!(areas, if name == "yard.tres" { [0; 5] } else { [0, 1, 2, 3, 0] }, "{name}");
        let again = written(&back.file, name).bytes;
        assert_eq!(written(&parsed(&again).unwrap().file, name).bytes, again, "{name}");
    }
}

#[test]
fn neighbours_that_could_be_one_fan_stay_apart_in_unity() {
    // Around the corner 0 as a fan: two halves of a square, and a square that begins with the edge between.
    let places = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [-2.0, 2.0], [-2.0, 0.0]];
    let mut file = MeshFile::default();
    file.mesh.vertices = places.map(|[x, z]| glam::DVec3::new(x, 0.0, z)).to_vec();
    let polygons = [vec![0, 1, 2], vec![0, 2, 3], vec![0, 3, 4, 5]];
    file.mesh.polygons = polygons.map(walkabout::nav::mesh::RawPolygon::new).to_vec();
    let corners = |file: &MeshFile| -> Vec<Vec<String>> {
        let sorted = |outline: &Outline| {
            let mut corners: Vec<String> = outline.0.iter().map(|corner| format!("{corner:?}")).collect();
            corners.sort_unstable();
            corners
        };
        shape(file).iter().map(sorted).collect()
    };
    let out = written(&file, "square.unity.json");
    assert_eq!(corners(&parsed(&out.bytes).unwrap().file), corners(&file));
}

/// The lowest and highest corner of each polygon of what a text holds.
fn boxes(text: &str) -> Vec<[[f64; 3]; 2]> {
    let mesh = parsed(text.as_bytes()).unwrap().file.mesh;
    let corners =
        |p: &walkabout::nav::mesh::RawPolygon| p.vertices.iter().map(|&v| mesh.vertices[v as usize]).collect();
    let corners: Vec<Vec<glam::DVec3>> = mesh.polygons.iter().map(corners).collect();
    let ends = |all: &Vec<glam::DVec3>| {
        let low = all.iter().copied().reduce(glam::DVec3::min).unwrap();
        let high = all.iter().copied().reduce(glam::DVec3::max).unwrap();
        [low, high].map(|p| (p * 1e6).round().to_array().map(|c| c / 1e6))
    };
    corners.iter().map(ends).collect()
}

#[test]
fn godot_3_and_typed_arrays_are_read() {
    let old = "[gd_resource type=\"NavigationMesh\" format=2]\n\n[resource]\nvertices = PoolVector3Array( 0, 1, 0, 2, 1, \
               0, 2, 1, 3, 0, 1, 3 )\npolygons = [ PoolIntArray( 3, 2, 1, 0 ) ]\n\"cell/size\" = 0.2\n";
    let typed = "[gd_resource type=\"NavigationMesh\" format=3 uid=\"uid://c\"]\n[resource]\nvertices=PackedVector3Array(\
                 0,1,0,2,1,0,2,1,3,0,1,3)\npolygons = Array[PackedInt32Array]([PackedInt32Array(3,2,1,0)])";
    let none = typed.replace("[PackedInt32Array(3,2,1,0)]", "[]");
    assert!(parsed(none.as_bytes()).unwrap_err().to_string().contains("no polygon"), "a list without any");
    for text in [old, typed] {
        assert_eq!(boxes(text), [[[0.0, 1.0, 0.0], [2.0, 1.0, 3.0]]], "{text}");
    }
    let error = |text: &str| parsed(text.as_bytes()).map(drop).unwrap_err().to_string();
    assert!(error(&old.replace("3, 2, 1", "4, 2, 1")).contains("polygon 0 is cut short"));
    assert!(error(&old.replace("1, 3 )", "1 )")).contains("vertex 3 is cut short"));
    assert!(
        error(&old.replace("2, 1, \\", "2, x, \\").replace("0, 1, 0, 2", "0, x, 0, 2")).contains("vertices, entry 0")
    );
    assert!(error("[gd_resource type=\"Curve\"]").contains("is a Curve, no NavigationMesh"));
}

const SCENE: &str = r#"[gd_scene load_steps=2 format=3 uid="uid://x"]

[ext_resource type="Script" path="res://a = [b.gd" id="1_q"]
[sub_resource type="NavigationMesh" id="NavigationMesh_a1"]
vertices = PackedVector3Array(0, 0, 0, 1, 0, 0, 1, 0, 2, 0, 0, 2)
polygons = [PackedInt32Array(3, 2, 1, 0)]
agent_radius = 0.4

[node name="World" type="Node3D"]
metadata/notes = "two
[lines] = 1"

[node name="Yard" type="Node3D" parent="." groups=["a", "b"]]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 10, 0, 0)

[node name="North" type="NavigationRegion3D" parent="Yard"]
navigation_mesh = SubResource("NavigationMesh_a1")

[node name="South" type="NavigationRegion3D" parent="Yard"]
transform = Transform3D(0, 0, 1, 0, 1, 0, -1, 0, 0, 0, 5, 0)
navigation_mesh = SubResource("NavigationMesh_a1")
navigation_layers = 6

[node name="Off" type="NavigationRegion3D" parent="."]
navigation_mesh = SubResource("NavigationMesh_a1")
enabled = false

[node name="Far" type="NavigationRegion3D" parent="."]
navigation_mesh = ExtResource("2_far")

[node name="Jump" type="NavigationLink3D" parent="Yard/North"]
start_position = Vector3(0.5, 0, 1)
end_position = Vector3(0.5, 5, -0.5)
bidirectional = false
"#;

#[test]
fn regions_of_a_godot_scene_stand_where_their_nodes_do() {
    assert_eq!(boxes(SCENE), [[[10.0, 0.0, 0.0], [11.0, 0.0, 2.0]], [[10.0, 5.0, -1.0], [12.0, 5.0, 0.0]]]);
    let read = parsed(SCENE.as_bytes()).unwrap();
    let bake = "cells of 0.25 m and 0.25 m of height, agents of 0.4 m radius";
    assert_eq!(read.format, format!("Godot scene with 2 navigation meshes, metres, Y up, {bake}"));
    let agent = walkabout::nav::exchange::ExchangeAgent { height: 1.5, radius: 0.4, climb: 0.25 };
    assert_eq!(read.detour.unwrap().agent, agent);
    assert_eq!(read.file.mesh.polygons.iter().map(|p| p.flags).collect::<Vec<_>>(), [1, 6]);
    assert_eq!(read.file.links.len(), 1);
    assert_eq!(read.file.links[0].end.to_array(), [10.5, 5.0, -0.5]);
    let notes = read.notes.join(" ");
    assert!(notes.contains("'Off' is not enabled") && notes.contains("'Far' lie in files of their own"), "{notes}");
    let error = |text: String| parsed(text.as_bytes()).map(drop).unwrap_err().to_string();
    let unbaked =
        error(SCENE.replace("polygons =", "x =").replace("ExtResource(\"2", "SubResource(\"NavigationMesh_a1"));
    assert!(unbaked.contains("files of their own") || unbaked.contains("not baked"), "{unbaked}");
    assert!(error(SCENE.replace("-1, 0, 0, 0, 5, 0)", "-1, 0, 0)")).contains("transform of node 3"));
    assert!(error("[gd_scene format=3]\n[node name=\"A\"]\n".into()).contains("no NavigationMesh"));
}

/// Two square regions of 2 m, the second moved, with more lines each.
fn regions(place: &str, first: &str, second: &str) -> String {
    format!(
        r#"[gd_scene format=3]
[sub_resource type="NavigationMesh" id="m"]
vertices = PackedVector3Array(0, 0, 0, 2, 0, 0, 2, 0, 2, 0, 0, 2)
polygons = [PackedInt32Array(3, 2, 1, 0)]
[node name="A" type="NavigationRegion3D"]
navigation_mesh = SubResource("m")
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3)
{first}
[node name="B" type="NavigationRegion3D" parent="."]
navigation_mesh = SubResource("m")
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, {place})
{second}
"#
    )
}

#[test]
fn layers_of_godot_beyond_the_sixteenth_are_named() {
    for (layers, flags, said) in [
        (6, 6, None),
        (65_537, 1, Some("layers 17 of the region 'South' are left out: there are 16.")),
        (0xc000_0000_u32, 1, Some("layers 31, 32 of the region 'South' are left out: there are 16, and the first")),
    ] {
        let text = SCENE.replace("navigation_layers = 6", &format!("navigation_layers = {layers}"));
        let read = parsed(text.as_bytes()).unwrap();
        assert_eq!(read.file.mesh.polygons[1].flags, flags, "{layers}");
        assert_eq!(
            read.notes.iter().any(|note| note.contains("navigation layers")),
            said.is_some(),
            "{:?}",
            read.notes
        );
        assert!(said.is_none_or(|said| read.notes.iter().any(|note| note.contains(said))), "{:?}", read.notes);
    }
}

#[test]
fn regions_of_godot_join_over_gaps_as_in_the_engine() {
    let islands = |place: &str, first: &str, second: &str| {
        let read = parsed(regions(place, first, second).as_bytes()).unwrap();
        (read.mesh.island_count(), read.notes.join(" "))
    };
    let (count, notes) = islands("2.1, 0, 0.5", "", "");
    assert_eq!(count, 1);
    assert!(notes.contains("1 borders of regions that lie up to 0.100 m apart are joined"), "{notes}");
    assert_eq!(islands("2.1, 0.2, 0", "", "").0, 1);
    assert_eq!(islands("2, 0, 0", "", ""), (1, String::new()));
    // Further than 0.25 m in space, or not wanted.
    for place in ["2.26, 0, 0", "2.1, 0.24, 0"] {
        assert_eq!(islands(place, "", ""), (2, String::new()), "{place}");
    }
    assert_eq!(islands("2.1, 0, 0", "", "use_edge_connections = false").0, 2);
    assert_eq!(islands("2.1, 0, 0", "use_edge_connections = false", "").0, 2);
    // A region of several polygons: the nearest of two borders one behind the other is joined.
    let strips = regions("2.1, 0, 0", "", "")
        .replace("0, 2)\npolygons", "0, 2, 0.1, 0, 0, 0.1, 0, 2)\npolygons")
        .replace("(3, 2, 1, 0)", "(3, 5, 4, 0), PackedInt32Array(5, 2, 1, 4)");
    let read = parsed(strips.as_bytes()).unwrap();
    assert_eq!((read.mesh.len(), read.mesh.island_count()), (4, 1), "{:?}", read.notes);
}

#[test]
fn what_godot_says_of_nodes_and_bakes_is_read_or_said() {
    let costs = regions("9, 0, 0", "enter_cost = 5.0", "travel_cost = 2.0\ntop_level = true\nagent_radius = 9");
    let read = parsed(costs.as_bytes()).unwrap();
    let notes = read.notes.join(" ");
    for part in ["costs of the region 'A' are left out: enter_cost 5.0.", "'B' are left out: travel_cost 2.0."] {
        assert!(notes.contains(part), "{notes}");
    }
    assert_eq!(boxes(&costs)[1], [[9.0, 0.0, 0.0], [11.0, 0.0, 2.0]], "what is on top does not move with its parent");
    let below = costs.replace("top_level = true", "");
    assert_eq!(boxes(&below)[1], [[10.0, 2.0, 3.0], [12.0, 2.0, 5.0]]);
    assert_eq!(
        read.format,
        "Godot scene with 2 navigation meshes, metres, Y up, cells of 0.25 m and 0.25 m of height, agents of 0.5 m radius"
    );
    let resource = |lines: &str, format: u32| {
        let text = format!(
            "[gd_resource type=\"NavigationMesh\" format={format}]\n[resource]\n\
             vertices = PackedVector3Array(0, 0, 0, 2, 0, 0, 2, 0, 2)\npolygons = [PackedInt32Array(2, 1, 0)]\n{lines}\n"
        );
        let read = parsed(text.as_bytes()).unwrap();
        (read.detour.map(|d| d.agent.radius), read.format)
    };
    let words = "Godot navigation mesh, metres, Y up";
    let new = resource("cell_size = 0.5\nagent_radius = 0.75", 3);
    assert_eq!(new, (Some(0.75), format!("{words}, cells of 0.5 m and 0.25 m of height, agents of 0.75 m radius")));
    // The defaults of Godot 3 changed from version to version.
    assert_eq!(resource("", 2), (None, words.to_owned()));
    assert_eq!(resource("agent/radius = 0.3", 2), (None, format!("{words}, agents of 0.3 m radius")));
    let link =
        "[node name=\"L\" type=\"NavigationLink3D\" parent=\".\"]\nenabled = false\nend_position = Vector3(1, 0, 1)\n";
    let read = parsed(format!("{below}{link}").as_bytes()).unwrap();
    assert!(
        read.file.links.is_empty() && read.notes.join(" ").contains("The link 'L' is not enabled"),
        "{:?}",
        read.notes
    );
}

#[test]
fn nodes_of_godot_without_a_transform_stand_by_their_position() {
    let hand = "position = Vector3(9, 0, 0)\nrotation_degrees = Vector3(0, 90, 0)\nscale = Vector3(2, 1, 1)";
    let text = regions("9, 0, 0", "", "").replace("transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 9, 0, 0)", hand);
    let turned = text.replace("rotation_degrees = Vector3(0, 90, 0)", "rotation = Vector3(0, 1.5707963267948966, 0)");
    // Nodes of the plane have other numbers under the same names.
    let plane = "[node name=\"Hud\" type=\"CanvasLayer\" parent=\".\"]\ntransform = Transform2D(1, 0, 0, 1, 5, 5)\n\
                 [node name=\"C\" type=\"Label\" parent=\"Hud\"]\nposition = Vector2(3, 4)\nrotation = 0.5\n";
    for text in [&text, &turned, &format!("{text}{plane}")] {
        let found = boxes(text)[1].map(|corner| corner.map(|c| (c * 1000.0).round() / 1000.0));
        assert_eq!(found, [[10.0, 2.0, -1.0], [12.0, 2.0, 3.0]], "{text}");
    }
}

#[test]
fn comments_and_byte_order_marks_come_before_any_text() {
    let scene = parsed(SCENE.as_bytes()).unwrap().file;
    let unity = r#"{"vertices": [[0,0,0],[0,0,2],[2,0,2]], "indices": [0,1,2], "areas": [3]}"#;
    let json = r#"{"verts": [[0,0,0],[0,0,2],[2,0,2]], "polys": [[0,1,2]]}"#;
    assert_eq!(parsed(format!("; by hand\n ; again\n\n{SCENE}").as_bytes()).unwrap().file, scene);
    for text in [SCENE, unity, json] {
        let marked = parsed(format!("\u{feff}{text}").as_bytes()).unwrap();
        assert_eq!(marked.file, parsed(text.as_bytes()).unwrap().file, "{text}");
    }
}

#[test]
fn tiles_of_unity_join_at_their_borders() {
    // A square beside two halves, whose vertices are their own: mirrored, and joined over a step of 0.2 m.
    let text = r#"{ "vertices": [{"x":0,"y":0,"z":0},{"x":0,"y":0,"z":2},{"x":2,"y":0,"z":2},{"x":2,"y":0,"z":0},
        [2,0.2,0],[2,0.2,1],[4,0.2,1],[4,0.2,0], [2,0,1],[2,0,2],[4,0,2],[4,0,1]],
        "indices": [0,1,2,0,2,3, 4,5,6,4,6,7, 8,9,10,8,10,11], "areas": [0,0,3,3,0,0] }"#;
    let read = parsed(text.as_bytes()).unwrap();
    assert_eq!((read.mesh.len(), read.mesh.island_count()), (3, 1));
    assert_eq!(read.file.mesh.polygons[1].area, 3);
    assert!(read.file.mesh.vertices.iter().all(|v| v.z <= 0.0));
    let error = |text: String| parsed(text.as_bytes()).map(drop).unwrap_err().to_string();
    assert!(error(text.replace("10,11]", "10]")).contains("`indices` has 17 entries"));
    assert!(error(text.replace("10,11]", "10,12]")).contains("triangle 5"));
    assert!(error(text.replace("3,3,0", "3,64,0")).contains("area of triangle 3"));
    assert!(error(text.replace("\"indices\"", "\"numbers\"")).contains("missing field `indices`"));
}

#[test]
fn borders_that_lie_upon_each_other_a_thousandfold_are_refused() {
    let mut text = String::from(
        "[gd_resource type=\"NavigationMesh\" format=3]\n[resource]\nvertices = PackedVector3Array(0, 0, 0",
    );
    for i in 0..600 {
        let _ = write!(text, ", {}, 0, 1, 2, 0, {}", f64::from(i) * 1e-5, f64::from(i) * 1e-5);
    }
    text.push_str(")\npolygons = [");
    for i in 0..600 {
        let _ = write!(text, "PackedInt32Array(0, {}, {}), ", 2 * i + 1, 2 * i + 2);
    }
    text.push_str("]\n");
    let error = parsed(text.as_bytes()).map(drop).unwrap_err().to_string();
    assert!(error.contains("borders upon each other"), "{error}");
}

/// A mesh of the path benchmarks as its specification describes it.
struct BenchmarkMesh {
    vertices: Vec<[f64; 2]>,
    /// Polygons around each vertex, -1 for an obstacle.
    around: Vec<Vec<i64>>,
    /// Corners, and what lies beyond the edge that ends at each.
    polygons: Vec<(Vec<i64>, Vec<i64>)>,
}

fn benchmark_mesh(text: &str) -> BenchmarkMesh {
    let mut words =
        text.strip_prefix("mesh").unwrap().split_ascii_whitespace().map(|word| word.parse::<f64>().unwrap());
    let mut number = || words.next().unwrap();
    assert_eq!(number(), 2.0);
    let [vertices, polygons] = [number(), number()].map(|n| n as usize);
    let mut mesh = BenchmarkMesh { vertices: Vec::new(), around: Vec::new(), polygons: Vec::new() };
    for _ in 0..vertices {
        mesh.vertices.push([number(), number()]);
        let count = number() as usize;
        mesh.around.push((0..count).map(|_| number() as i64).collect());
    }
    for _ in 0..polygons {
        let count = number() as usize;
        let mut list = || (0..count).map(|_| number() as i64).collect::<Vec<i64>>();
        mesh.polygons.push((list(), list()));
    }
    mesh
}

#[test]
fn benchmark_meshes_wind_and_count_obstacles_as_specified() {
    // The yard, and a square that touches its corner (0, 0) from outside.
    let mut file = yard();
    (file.detail, file.links) = (None, Vec::new());
    let first = file.mesh.vertices.len() as u32;
    file.mesh.vertices.extend([[-1.0, 0.0], [-1.0, -1.0], [0.0, -1.0]].map(|[x, z]| glam::DVec3::new(x, 0.5, z)));
    file.mesh.polygons.push(walkabout::nav::mesh::RawPolygon::new([0, first, first + 1, first + 2]));
    let text = String::from_utf8(written(&file, "yard.mesh").bytes).unwrap();
    let mesh = benchmark_mesh(&text);
    for (number, (corners, beyond)) in mesh.polygons.iter().enumerate() {
        let at = |k: usize| mesh.vertices[corners[k % corners.len()] as usize];
        let area: f64 = (0..corners.len()).map(|k| at(k)[0] * at(k + 1)[1] - at(k + 1)[0] * at(k)[1]).sum();
        assert!(area > 0.0, "polygon {number} is clockwise");
        for (k, &other) in beyond.iter().enumerate().filter(|(_, other)| **other >= 0) {
            let edge = [corners[k], corners[(k + corners.len() - 1) % corners.len()]];
            let there = &mesh.polygons[other as usize].0;
            assert!(edge.iter().all(|v| there.contains(v)), "polygon {number}, edge that ends at {k}");
        }
    }
    // As many obstacles as walls that begin at the vertex, none where polygons close a circle.
    for (v, around) in mesh.around.iter().enumerate() {
        let begins = |(corners, beyond): &(Vec<i64>, Vec<i64>)| {
            let k = corners.iter().position(|&c| c == v as i64)?;
            (beyond[(k + 1) % beyond.len()] < 0).then_some(())
        };
        let walls = mesh.polygons.iter().filter_map(begins).count();
        assert_eq!(around.iter().filter(|n| **n == -1).count(), walls, "vertex {v}: {around:?}");
        let mut found: Vec<i64> = around.iter().copied().filter(|n| *n >= 0).collect();
        found.sort_unstable();
        let uses = |p: &usize| mesh.polygons[*p].0.contains(&(v as i64));
        let wanted: Vec<i64> = (0..mesh.polygons.len()).filter(uses).map(|p| p as i64).collect();
        assert_eq!(found, wanted, "vertex {v}");
    }
    assert_eq!(mesh.around[0], [0, -1, 5, -1], "two obstacles between two polygons");
    assert_eq!(mesh.around[4].len(), 3, "one obstacle, not one for each wall: {:?}", mesh.around[4]);
    assert_eq!(parsed(text.as_bytes()).unwrap().mesh.island_count(), 2);
}
