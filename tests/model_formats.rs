//! Models of the rarer formats come in right: Quake MDL, COLLADA, animated FBX, STL, PLY.

#![allow(clippy::unwrap_used, reason = "a test that cannot write or read its models has to fail")]

#[path = "common/fbx_seven.rs"]
mod fbx_seven;
#[path = "common/fbx_six.rs"]
mod fbx_six;
#[path = "common/half_life.rs"]
mod half_life;
#[path = "common/quake.rs"]
mod quake;
#[path = "common/words.rs"]
mod words;

use glam::{Mat4, Quat, Vec3};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkabout::anim::{local_to_model::local_to_model, sample::sample_clip};
use walkabout::asset::cache::Cache;
use walkabout::asset::level::append_triangles;
use walkabout::asset::{AlphaMode, Importer, Mesh, Model, NodeTransforms, SkinVertex, Vertex};
use walkabout::math::Trs;

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

/// Model-space positions of all corners at a moment of a clip, or at rest.
fn corners_at(model: &Model, clip: Option<usize>, time_secs: f32) -> Vec<Vec3> {
    let mut locals = vec![Trs::IDENTITY; model.skeleton.len()];
    sample_clip(&model.skeleton, clip.map(|c| &model.clips[c]), time_secs, &mut locals);
    let mut model_from_node = vec![Mat4::IDENTITY; model.skeleton.len()];
    local_to_model(&model.skeleton, &locals, &mut model_from_node);
    let posed = |mesh: &Mesh| -> Vec<Vec3> {
        let place = |(v, s): (&Vertex, &SkinVertex)| model.skinned_point(s, v.position, &model_from_node);
        mesh.vertices.iter().zip(&mesh.skin).map(place).collect()
    };
    model.meshes.iter().flat_map(posed).collect()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models").join(name)
}

#[test]
fn an_fbx_turned_before_its_clip_turns_is_turned_once() {
    // A box of 2 m along z, which a rotation before the animated one stands up, and a clip turns about its own axis.
    let model = load(&fixture("turned_before.fbx"));
    for time in [None, Some(0.0), Some(0.5), Some(1.0)] {
        let corners = corners_at(&model, time.map(|_| 0), time.unwrap_or(0.0));
        let (low, high) = corners.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), p| (a.min(p.y), b.max(p.y)));
        assert!(low.abs() < 1e-3 && (high - 2.0).abs() < 1e-3, "{time:?}: from {low} to {high} m");
    }
    let [first, last] = [0.0, 1.0].map(|time| corners_at(&model, Some(0), time)[0]);
    assert!(first.distance(last) > 0.5, "it turns: {first} {last}");
}

#[test]
fn curves_of_an_fbx_are_followed_between_their_keys() {
    let model = load(&write("curves.fbx", fbx_seven::CURVES.as_bytes()));
    let [clip] = &model.clips[..] else { panic!("{} clips", model.clips.len()) };
    assert_eq!((clip.name.as_str(), clip.duration_secs), ("go", 1.0));
    for step in 0..=20 {
        let time = step as f32 / 20.0;
        // A cubic between flat ends (Hermite), and an angle that grows evenly, past the half turn.
        let along = 10.0 * time * time * (3.0 - 2.0 * time);
        let turned = Quat::from_rotation_y(std::f32::consts::TAU * time);
        let corner = corners_at(&model, Some(0), time)[1];
        let expected = Vec3::X * along + turned * Vec3::X;
        assert!(corner.distance(expected) < 0.02, "after {time} s at {corner}, not {expected}");
    }
}

#[test]
fn a_bone_named_as_a_mesh_moves_its_skin() {
    let model = load(&fixture("bone_named_as_mesh.fbx"));
    let bounds = model.rest_bounds;
    assert!((bounds.min.y - 1.2).abs() < 1e-3 && (bounds.max.y - 1.8).abs() < 1e-3, "{bounds:?}");
}

#[test]
fn morph_targets_of_a_take_that_begins_later_keep_to_its_time() {
    // From frame 1 to 24 of 24 a second the weight rises from 0 to 1.
    let model = load(&fixture("morph_from_frame_1.fbx"));
    let [clip] = &model.clips[..] else { panic!("{} clips", model.clips.len()) };
    assert!((clip.duration_secs - 23.0 / 24.0).abs() < 1e-3, "{}", clip.duration_secs);
    let weights = &clip.morphs[0].weights;
    let keys: Vec<(f32, f32)> = weights.times_secs.iter().zip(&weights.values).map(|(t, w)| (*t, w[0])).collect();
    let [(begin, rest), .., (end, full)] = keys[..] else { panic!("{keys:?}") };
    assert!(begin == 0.0 && rest.abs() < 0.05 && (full - 1.0).abs() < 1e-3, "{keys:?}");
    assert!((end - clip.duration_secs).abs() < 1e-3, "{keys:?}");
}

#[test]
fn an_animated_fbx_moves_like_the_same_gltf() {
    let report = report(&fixture("waver.fbx"));
    assert_eq!((&report["triangles"], &report["meshes"]), (&json!(56), &json!(2)), "{report}");
    let (fbx, gltf) = (load(&fixture("waver.fbx")), load(&fixture("waver.glb")));
    for (model, seconds) in [(&fbx, [0.6, 1.0]), (&gltf, [0.6, 1.0])] {
        let names: Vec<&str> = model.clips.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["Bend", "Twist"], "{}", model.name);
        for (clip, seconds) in model.clips.iter().zip(seconds) {
            assert!(
                (clip.duration_secs - seconds).abs() < 1e-3,
                "{}: {} takes {}",
                model.name,
                clip.name,
                clip.duration_secs
            );
        }
        let bones: BTreeSet<&str> =
            model.joints.iter().map(|j| model.skeleton.names[j.node.0 as usize].as_str()).collect();
        for bone in ["Foot", "Knee", "Hip", "Hand"] {
            assert!(bones.contains(bone), "{} has no bone {bone}: {bones:?}", model.name);
        }
    }
    let (fbx_rest, gltf_rest) = (corners_at(&fbx, None, 0.0), corners_at(&gltf, None, 0.0));
    // The formats order their corners differently: each belongs to the one at the same place at rest.
    let twin = |p: Vec3| {
        let nearest = (0..gltf_rest.len())
            .min_by(|&a, &b| gltf_rest[a].distance_squared(p).total_cmp(&gltf_rest[b].distance_squared(p)));
        nearest.filter(|&i| gltf_rest[i].distance(p) < 1e-3).unwrap_or_else(|| panic!("the glTF has nothing at {p}"))
    };
    let twins: Vec<usize> = fbx_rest.iter().map(|p| twin(*p)).collect();
    let mut way = 0.0_f32;
    // At the frames alone, 15 a second: between them the one turns by Euler angles and the other along the shortest arc.
    for (clip, frames) in [(0, 9), (1, 15)] {
        for frame in 0..=frames {
            let time = frame as f32 / 15.0;
            let (moved, expected) = (corners_at(&fbx, Some(clip), time), corners_at(&gltf, Some(clip), time));
            for (i, p) in moved.iter().enumerate() {
                let off = p.distance(expected[twins[i]]);
                assert!(off < 1e-3, "clip {clip} at {time} s: a corner is at {p}, off by {off} m");
                way = way.max(p.distance(fbx_rest[i]));
            }
        }
    }
    assert!(way > 0.5, "nothing moves by more than {way} m");
}

#[test]
fn bones_of_a_skin_keep_their_order() {
    let model = load(&fixture("waver.glb"));
    let names = model.skin_bones.iter().map(|node| model.skeleton.names[node.0 as usize].as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["Foot", "Knee", "Hip", "Hand"], "as the skin lists them");
}

#[test]
fn an_fbx_with_z_up_stands_upright() {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models/waver.fbx");
    let mut bytes = std::fs::read(&original).unwrap();
    // Front is −y: the same axes seen after a quarter turn about x.
    for (name, value) in [("UpAxis", 2_i32), ("FrontAxis", 1), ("FrontAxisSign", -1)] {
        let key = [&(name.len() as u32).to_le_bytes()[..], name.as_bytes(), b"S"].concat();
        let at = bytes.windows(key.len()).position(|w| w == key).unwrap();
        // The texts "int", "Integer" and "" with their lengths lie between the name and the number.
        let number = at + key.len() + 4 + 3 + 5 + 7 + 5;
        assert_eq!(bytes[number], b'I');
        bytes[number + 1..number + 5].copy_from_slice(&value.to_le_bytes());
    }
    let (turned, whole) = (load(&write("z-up.fbx", &bytes)), load(&original));
    for (p, q) in corners_at(&turned, Some(1), 0.5).iter().zip(corners_at(&whole, Some(1), 0.5)) {
        assert!(p.abs_diff_eq(Vec3::new(q.x, q.z, -q.y), 1e-4), "{p} for {q}");
    }
}

#[test]
fn fbx_6_comes_in_with_textures_morph_targets_and_clips() {
    let opaque = |side: u32| image::RgbaImage::from_pixel(side, side, image::Rgba([90, 60, 30, 255]));
    opaque(2).save(folder().join("fbx6_stone.png")).unwrap();
    opaque(4).save(folder().join("fbx6_wood.png")).unwrap();
    let half = image::RgbaImage::from_fn(2, 1, |x, _| image::Rgba(if x == 0 { [255; 4] } else { [0, 0, 0, 255] }));
    half.save(folder().join("fbx6_mask.png")).unwrap();
    let model = load(&write("quad-6100.fbx", fbx_six::QUAD.as_bytes()));
    assert_eq!((model.triangle_count(), model.morph_names()), (2, vec!["bent"]));
    let worn = |name: &str| {
        let mut materials = model.meshes.iter().map(|mesh| &model.materials[mesh.material as usize]);
        let material = materials.find(|material| material.name == name).unwrap();
        let picture = material.base_color_image.map(|i| model.images[i as usize].width);
        (picture, material.base_color, material.alpha)
    };
    assert_eq!(worn("wood"), (Some(4), [1.0; 4], AlphaMode::Cutout(0.5)), "a grey under a texture, and a mask");
    assert_eq!(worn("stone"), (Some(2), [1.0, 0.5, 0.25, 1.0], AlphaMode::Opaque), "a tint");
    let names: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!((names, model.clips[0].morphs.is_empty()), (vec!["rise"], false));
    for (clip, seconds, lowest) in [(None, 0.0, 1.0), (Some(0), 0.0, 1.0), (Some(0), 0.5, 2.0), (Some(0), 1.0, 3.0)] {
        let corners = corners_at(&model, clip, seconds);
        let low = corners.iter().fold(f32::INFINITY, |low, p| low.min(p.y));
        assert!((low - lowest).abs() < 1e-3, "{low} m after {seconds} s of {clip:?}");
    }
}

/// A COLLADA scene in centimetres: a lorry without a mesh at (100, 200, 0), turned by 90° about its up axis, and on
/// it, 300 further along its own x and twice as large, a flat triangle with the right angle at its origin. Within
/// two seconds the load is pulled 400 along x.
fn lorry(up_axis: &str) -> String {
    let (turn, corners) = match up_axis {
        "Z_UP" => ("0 0 1 90", "0 0 0 10 0 0 0 10 0"),
        _ => ("0 1 0 90", "0 0 0 10 0 0 0 0 -10"),
    };
    let source = |id: &str, values: &str, count: usize, stride: usize, kind: &str, param: &str| {
        format!(
            r##"<source id="{id}"><{kind} id="{id}-a" count="{}">{values}</{kind}><technique_common>
            <accessor source="#{id}-a" count="{count}" stride="{stride}">{param}</accessor></technique_common></source>"##,
            count * stride
        )
    };
    let xyz = ["X", "Y", "Z"].map(|n| format!(r#"<param name="{n}" type="float"/>"#)).concat();
    let positions = source("corners", corners, 3, 3, "float_array", &xyz);
    let times = source("times", "0 2", 2, 1, "float_array", r#"<param name="TIME" type="float"/>"#);
    let places = source("places", "300 0 0 700 0 0", 2, 3, "float_array", &xyz);
    let kinds = source("kinds", "LINEAR LINEAR", 2, 1, "Name_array", r#"<param name="INTERPOLATION" type="name"/>"#);
    format!(
        r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><unit name="centimeter" meter="0.01"/><up_axis>{up_axis}</up_axis></asset>
        <library_animations><animation id="pull">{times}{places}{kinds}<sampler id="way">
        <input semantic="INPUT" source="#times"/><input semantic="OUTPUT" source="#places"/>
        <input semantic="INTERPOLATION" source="#kinds"/></sampler><channel source="#way" target="load/place"/>
        </animation></library_animations>
        <library_geometries><geometry id="flat"><mesh>{positions}
        <vertices id="v"><input semantic="POSITION" source="#corners"/></vertices>
        <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
        </mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="s"><node id="lorry" name="lorry">
        <translate sid="t">100 200 0</translate><rotate sid="r">{turn}</rotate>
        <node id="load" name="load"><translate sid="place">300 0 0</translate><scale sid="size">2 2 2</scale>
        <instance_geometry url="#flat"/></node></node></visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##
    )
}

#[test]
fn collada_children_stand_on_their_parents() {
    // Where the triangle's corners are at the start, in metres and with y up, and where the pull leads.
    let cases = [
        ("Y_UP", [[1.0, 2.0, -3.0], [1.0, 2.0, -3.2], [0.8, 2.0, -3.0]], Vec3::new(0.0, 0.0, -4.0)),
        ("Z_UP", [[1.0, 0.0, -5.0], [1.0, 0.0, -5.2], [0.8, 0.0, -5.0]], Vec3::new(0.0, 0.0, -4.0)),
    ];
    for (up_axis, corners, way) in cases {
        let path = write(&format!("lorry-{up_axis}.dae"), lorry(up_axis).as_bytes());
        let report = report(&path);
        assert_eq!((&report["triangles"], &report["vertices"]), (&json!(1), &json!(3)), "{report}");
        let model = load(&path);
        let mut level = Vec::new();
        append_triangles(&model, &Mat4::IDENTITY, NodeTransforms::All, &mut level);
        assert!(level[0].normal.abs_diff_eq(Vec3::Y, 1e-5), "{up_axis}: {}", level[0].normal);
        assert_eq!(model.clips.len(), 1);
        assert!((model.clips[0].duration_secs - 2.0).abs() < 1e-4, "{} s", model.clips[0].duration_secs);
        let end = corners_at(&model, Some(0), 2.0);
        for ((p, moved), expected) in level[0].points.iter().zip(end).zip(corners.map(Vec3::from)) {
            assert!(p.abs_diff_eq(expected, 1e-4), "{up_axis}: {p} for {expected}");
            assert!(moved.abs_diff_eq(expected + way, 1e-3), "{up_axis}: pulled to {moved}");
        }
    }
}

/// A COLLADA triangle in red whose corners hang from two joints, the first from the second of them.
fn skinned_triangle() -> String {
    let source = |id: &str, kind: &str, values: &str, stride: usize, param: &str| {
        let count = values.split(' ').count();
        format!(
            r##"<source id="{id}"><{kind} id="{id}-a" count="{count}">{values}</{kind}><technique_common>
            <accessor source="#{id}-a" count="{}" stride="{stride}">{param}</accessor></technique_common></source>"##,
            count / stride
        )
    };
    let xyz = ["X", "Y", "Z"].map(|n| format!(r#"<param name="{n}" type="float"/>"#)).concat();
    let corners = source("corners", "float_array", "0 0 0 1 0 0 0 1 0", 3, &xyz);
    let joints = source("joints", "Name_array", "low high", 1, r#"<param name="JOINT" type="name"/>"#);
    let identity = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1";
    let matrix = r#"<param name="TRANSFORM" type="float4x4"/>"#;
    let binds = source("binds", "float_array", &format!("{identity} {identity}"), 16, matrix);
    let weights = source("weights", "float_array", "1", 1, r#"<param name="WEIGHT" type="float"/>"#);
    format!(
        r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><up_axis>Y_UP</up_axis></asset>
        <library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
        <diffuse><color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
        <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
        <library_geometries><geometry id="g"><mesh>{corners}
        <vertices id="v"><input semantic="POSITION" source="#corners"/></vertices><triangles count="1" material="m">
        <input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
        <library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>{identity}</bind_shape_matrix>
        {joints}{binds}{weights}<joints><input semantic="JOINT" source="#joints"/>
        <input semantic="INV_BIND_MATRIX" source="#binds"/></joints><vertex_weights count="3">
        <input semantic="JOINT" source="#joints" offset="0"/><input semantic="WEIGHT" source="#weights" offset="1"/>
        <vcount>1 1 1</vcount><v>1 0 0 0 0 0</v></vertex_weights></skin></controller></library_controllers>
        <library_visual_scenes><visual_scene id="s"><node id="low" name="low" sid="low" type="JOINT">
        <node id="high" name="high" sid="high" type="JOINT"/></node>
        <node id="n" name="n"><instance_controller url="#c"><skeleton>#low</skeleton><bind_material><technique_common>
        <instance_material symbol="m" target="#m"/></technique_common></bind_material></instance_controller></node>
        </visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##
    )
}

#[test]
fn collada_lists_and_encodings_of_all_writers_are_read() {
    let plain = skinned_triangle();
    let parts: Vec<&str> = plain.split('>').collect();
    let begins_text = |part: &&str| part.starts_with(|c: char| c != '<' && !c.is_whitespace());
    assert!(parts.iter().filter(|part| begins_text(part)).count() > 9);
    let spaced: Vec<String> =
        parts.iter().map(|part| if begins_text(part) { format!("\n\t  {part}") } else { (*part).to_owned() }).collect();
    // The text before the first tag is none.
    let spaced = spaced.join(">").trim_start().to_owned();
    let wide: Vec<u8> = plain.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let [plain, spaced, wide] =
        [("plain.dae", plain.into_bytes()), ("spaced.dae", spaced.into_bytes()), ("wide.dae", wide)]
            .map(|(name, bytes)| load(&write(name, &bytes)));
    assert_eq!(plain.materials[0].base_color, [1.0, 0.0, 0.0, 1.0]);
    let joint = |corner: usize| plain.joints[plain.meshes[0].skin[corner].joints[0] as usize].node;
    assert_eq!([0, 1].map(|corner| plain.skeleton.names[joint(corner).0 as usize].as_str()), ["high", "low"]);
    for other in [spaced, wide] {
        assert_eq!((&plain.meshes, &plain.joints), (&other.meshes, &other.joints));
        assert_eq!(plain.materials, other.materials);
    }
}

#[test]
fn half_life_limbs_hang_from_each_other() {
    let [model, group] = half_life::half_life_hand();
    write("hand01.mdl", &group);
    let hand = load(&write("hand.mdl", &model));
    let names: Vec<&str> = hand.skeleton.names.iter().map(String::as_str).collect();
    let [hip, wrist] = ["Hip", "Hand"].map(|name| hand.skeleton.find(name).unwrap_or_else(|| panic!("{names:?}")));
    assert_eq!(hand.skeleton.parents[wrist.0 as usize], Some(hip), "{names:?}");
    let mut corners = corners_at(&hand, None, 0.0);
    corners.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.z.total_cmp(&b.z)));
    for (p, expected) in corners.iter().zip([[0.0, 50.0, 0.0], [0.0, 50.0, 4.0], [0.0, 54.0, 0.0]]) {
        assert!(p.abs_diff_eq(Vec3::from(expected), 1e-4), "{corners:?}");
    }
    assert_eq!(hand.clips[0].name, "raise");
    assert!((hand.clips[0].duration_secs - 0.2).abs() < 1e-4, "{} s", hand.clips[0].duration_secs);
    let raised = corners_at(&hand, Some(0), 0.2);
    let lowest = raised.iter().map(|p| p.y).fold(f32::MAX, f32::min);
    assert!((lowest - 52.0).abs() < 1e-3, "{raised:?}");

    // The same by a name without a folder.
    let output = Command::new(env!("CARGO_BIN_EXE_walkabout"))
        .args(["import", "hand.mdl", "--json"])
        .current_dir(folder())
        .env("WALKABOUT_CACHE", "")
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["warnings"], json!([]), "{report}");
    assert_eq!(report["fit"], "it stands 50 m away from its origin; bring it near");
}

/// Two triangles of a square of 2 m, as an STL in bytes.
fn stl_square(corners: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut out = vec![0; 80];
    out.extend((corners.len() as u32).to_le_bytes());
    for triangle in corners {
        let numbers = [[0.0, 1.0, 0.0]].into_iter().chain(*triangle).flatten();
        out.extend(numbers.flat_map(f32::to_le_bytes));
        out.extend([0, 0]);
    }
    out
}

#[test]
fn levels_come_in_from_stl_and_ply() {
    let square =
        [[[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [2.0, 0.0, 2.0]], [[0.0, 0.0, 0.0], [2.0, 0.0, 2.0], [2.0, 0.0, 0.0]]];
    let facet = |triangle: &[[f32; 3]; 3]| {
        let corners = triangle.map(|[x, y, z]| format!("vertex {x} {y} {z}\n")).concat();
        format!("facet normal 0 1 0\nouter loop\n{corners}endloop\nendfacet\n")
    };
    let text =
        format!("solid none\nendsolid none\nsolid square\n{}{}endsolid square\n", facet(&square[0]), facet(&square[1]));
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n0 0 0\n0 0 2\n2 0 2\n2 0 0\n4 0 1 2 3\n";
    for (name, bytes) in
        [("square.stl", stl_square(&square)), ("text.STL", text.into_bytes()), ("square.ply", ply.as_bytes().to_vec())]
    {
        let model = load(&write(name, &bytes));
        let mut level = Vec::new();
        append_triangles(&model, &Mat4::IDENTITY, NodeTransforms::All, &mut level);
        assert_eq!(level.len(), 2, "{name}");
        assert!(level.iter().all(|triangle| triangle.normal.abs_diff_eq(Vec3::Y, 1e-5)), "{name}: {level:?}");
        let bounds = model.rest_bounds;
        assert_eq!((bounds.min, bounds.max), (Vec3::ZERO, Vec3::new(2.0, 0.0, 2.0)), "{name}");
    }
}

#[test]
fn libraries_of_all_writers_are_read() {
    let faces = "mtllib odd.mtl\nusemtl red\nv 0 0 0\nv 0 0 1\nv 1 0 0\nf 1 2 3\n";
    let path = write("odd.obj", faces.as_bytes());
    for lines in ["aniso 0.2\nanisor 0", "d -halo 1", "decal x.png", "Tf spectral x.rfl", "Ka"] {
        write("odd.mtl", format!("newmtl red\nKd 1 0 0\n{lines}\n").as_bytes());
        let model = load(&path);
        let color = model.materials.iter().find(|m| m.name == "red").map(|m| m.base_color);
        assert_eq!(color, Some([1.0, 0.0, 0.0, 1.0]), "{lines:?}");
    }
}

#[test]
fn binary_numbers_may_begin_with_a_line_feed() {
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    // The lowest byte of the first number is 10.
    let first = f32::from_bits(1_f32.to_bits() + 10);
    let corners = [[first, 0.0, 0.0], [0.0, 0.0, 2.0], [2.0, 0.0, 2.0], [2.0, 0.0, 0.0]];
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend(corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    bytes.push(4);
    bytes.extend((0..4_i32).flat_map(i32::to_le_bytes));
    let model = load(&write("feed.ply", &bytes));
    assert_eq!(model.triangle_count(), 2);
    assert_eq!((model.rest_bounds.min, model.rest_bounds.max), (Vec3::ZERO, Vec3::new(2.0, 0.0, 2.0)));
    assert!(model.meshes.iter().flat_map(|mesh| &mesh.vertices).any(|vertex| vertex.position.x == first));
}

#[test]
fn obj_statements_of_all_writers_are_read() {
    let places = "v 0 0 0\nv 0 0 1\nv 1 0 0\n";
    let colored = "v 0 0 0 1 0 0 1\nv 0 0 1 1 0 0 1\nv 1 0 0 1 0 0 1\n";
    for (name, text) in [
        ("indented", format!("g a\n\t{}\t f 1 2 3\n", places.replace("\nv", "\n\tv"))),
        ("comments", format!("{places}f 1 2 3 # a face\n")),
        ("edges", format!("{places}f 1 2\nf 1 2 3\n")),
        ("curves", format!("{places}vp 0.3 0.4\nlod 9\ncstype bezier\ncurv 0 1 1 2\nparm u 0 1\nend\nf 1 2 3\n")),
        ("line of a texture", format!("{places}vt 0.5\nvt 1\nvt 0\nf 1/1 2/2 3/3\n")),
        ("colours with alpha", format!("{colored}f 1 2 3\n")),
    ] {
        let model = load(&write(&format!("{name}.obj"), text.as_bytes()));
        assert_eq!(model.triangle_count(), 1, "{name}");
        assert_eq!((model.rest_bounds.min, model.rest_bounds.max), (Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0)), "{name}");
    }
}

#[test]
fn joints_of_motion_capture_may_have_spaces_in_their_names() {
    let text = "Hierarchy\nROOT Bip01 Pelvis\n{\nOFFSET 0 0 0\n\
        CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\nJOINT Bip01 L Thigh\n{\nOFFSET 0 -1 0\n\
        CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site Bip01 L Foot\n{\nOFFSET 0 -1 0\n}\n}\n}\n\
        MOTION\nFrames:2\nFrame Time: 0.1\n0 0 0 0 0 0 0 0 0\n0 1 0 0 0 0 0 10 0\n";
    let model = load(&write("biped.bvh", text.as_bytes()));
    for name in ["Bip01_Pelvis", "Bip01_L_Thigh"] {
        assert!(model.skeleton.find(name).is_some(), "{:?}", model.skeleton.names);
    }
    assert_eq!((model.clips.len(), model.clips[0].channels.len()), (1, 2));
}

#[test]
fn a_line_may_name_several_material_libraries() {
    write("red.mtl", b"newmtl red\nKd 1 0 0\n");
    write("green.mtl", b"newmtl green\nKd 0 1 0\n");
    let faces = "v 0 0 0\nv 0 0 1\nv 1 0 0\nusemtl red\nf 1 2 3\nusemtl green\nf 3 2 1\n";
    let model = load(&write("two.obj", format!("mtllib red.mtl green.mtl\n{faces}").as_bytes()));
    let color = |name: &str| model.materials.iter().find(|m| m.name == name).map(|m| m.base_color);
    assert_eq!(color("red"), Some([1.0, 0.0, 0.0, 1.0]), "{:?}", model.materials);
    assert_eq!(color("green"), Some([0.0, 1.0, 0.0, 1.0]), "{:?}", model.materials);
    let report = report(&write("none.obj", format!("mtllib red.mtl blue.mtl\n{faces}").as_bytes()));
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("blue.mtl") && !warnings.contains("red.mtl"), "{report}");
}
