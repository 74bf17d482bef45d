//! Morph targets, and clips that move nodes and weights.

use super::{floats, load, textured, triangle, write_glb};
use glam::Vec3;
use serde_json::{Value, json};
use walkabout::asset::Importer;

#[test]
fn targets_with_a_weight_at_rest_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut json = textured(&json!({"uri": "none.png"}), &json!({"source": 0}), 36, "KHR_texture_transform");
    json["materials"] = json!([{}]);
    json["accessors"].as_array_mut().unwrap().push(
        json!({"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 4, 0], "max": [0, 4, 0]}),
    );
    json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 2}, {"POSITION": 2}]);
    json["meshes"][0]["weights"] = json!([0.5, 0]);
    let data = [triangle(), floats(&[0.0, 4.0, 0.0].repeat(3))].concat();
    let model = load(&write_glb(folder.path(), "smile.glb", &json, &data));
    assert_eq!(model.rest_bounds.max, Vec3::new(1.0, 3.0, 0.0));
    assert!(model.meshes[0].morphs.iter().all(|morph| morph.positions == [Vec3::Y * 4.0; 3]), "they stay differences");
    json["nodes"][0]["weights"] = json!([0.25, 0]);
    let model = load(&write_glb(folder.path(), "node.glb", &json, &data));
    assert_eq!(model.rest_bounds.max, Vec3::new(1.0, 2.0, 0.0), "weights of a node go before those of its mesh");
}

/// A triangle with two morph targets, of which a clip raises the first within a second and lowers the second.
fn waking(names: &Value) -> (Value, Vec<u8>) {
    let numbers: Vec<f32> = [
        // Corners, and how far each target moves them.
        vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0].repeat(3),
        [0.0, 0.5, 0.0].repeat(3),
        // Times, and two weights for each.
        vec![0.0, 0.5, 1.0],
        vec![0.0, 1.0, 0.25, 0.5, 1.0, 0.0],
    ]
    .concat();
    let json = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "name": "face"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}, {"POSITION": 2}]}],
            "weights": [0, 0], "extras": names}],
        "animations": [{"name": "wake", "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
            "samplers": [{"input": 3, "output": 4, "interpolation": "LINEAR"}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 1], "max": [0, 0, 1]},
            {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0.5, 0], "max": [0, 0.5, 0]},
            {"bufferView": 3, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 4, "componentType": 5126, "count": 6, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 36},
            {"buffer": 0, "byteOffset": 72, "byteLength": 36}, {"buffer": 0, "byteOffset": 108, "byteLength": 12},
            {"buffer": 0, "byteOffset": 120, "byteLength": 24}],
        "buffers": [{"byteLength": 144}]
    });
    (json, floats(&numbers))
}

#[test]
fn clips_of_a_gltf_key_its_morph_targets() {
    let folder = tempfile::tempdir().unwrap();
    let named = json!({"targetNames": ["smile", "blink"]});
    for (names, expected) in [(&named, ["smile", "blink"]), (&json!({}), ["target 0", "target 1"])] {
        let (json, data) = waking(names);
        let model = load(&write_glb(folder.path(), "face.glb", &json, &data));
        assert_eq!(model.morph_names(), expected);
        let [clip] = &model.clips[..] else { panic!("{} clips", model.clips.len()) };
        let [track] = &clip.morphs[..] else { panic!("{} morph tracks", clip.morphs.len()) };
        assert_eq!(track.mesh, 0);
        for (time, weights) in [(0.0, [0.0, 1.0]), (0.25, [0.125, 0.75]), (0.5, [0.25, 0.5]), (2.0, [1.0, 0.0])] {
            assert_eq!(track.weights.at(time), weights, "{time} s");
        }
        assert!((clip.duration_secs - 1.0).abs() < 1e-6, "{} s", clip.duration_secs);
    }
}

#[test]
fn data_of_other_programs_and_clips_of_nothing_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let (mut json, data) = rising("LINEAR", &[0.0, 1.0, 2.0]);
    json["animations"].as_array_mut().unwrap().insert(0, json!({"name": "idle", "channels": [], "samplers": []}));
    for list in ["nodes", "meshes", "accessors", "bufferViews", "buffers", "animations"] {
        json[list][0]["extras"] = json!(["any", 1]);
    }
    let model = load(&write_glb(folder.path(), "extras.glb", &json, &data));
    assert_eq!((model.triangle_count(), model.clips.len()), (1, 1));
    json["animations"].as_array_mut().unwrap().truncate(1);
    assert!(load(&write_glb(folder.path(), "idle.glb", &json, &data)).clips.is_empty());
}

#[test]
fn clips_key_the_targets_of_the_node_that_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let (mut json, data) = waking(&json!({}));
    // A mesh of the same name hangs from another node.
    json["nodes"] = json!([{"mesh": 0, "name": "eye*left"}, {"mesh": 1, "name": "b"}]);
    json["scenes"] = json!([{"nodes": [0, 1]}]);
    let mut other = json["meshes"][0].clone();
    other["name"] = "eye*left".into();
    json["meshes"].as_array_mut().unwrap().push(other);
    let model = load(&write_glb(folder.path(), "eyes.glb", &json, &data));
    let node = |mesh: u32| &model.skeleton.names[model.meshes[mesh as usize].node.0 as usize];
    assert_eq!(model.clips[0].morphs.iter().map(|track| node(track.mesh)).collect::<Vec<_>>(), ["eye*left"]);
}

/// A triangle, and a clip that moves it up along a curve of the given values at 0, 1 and 2 s.
pub fn rising(interpolation: &str, heights: &[f32]) -> (Value, Vec<u8>) {
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0];
    let places: Vec<f32> = heights.iter().flat_map(|y| [0.0, *y, 0.0]).collect();
    let length = places.len() * 4;
    let json = json!({
        "asset": {"version": "2.0"}, "nodes": [{"mesh": 0, "name": "lift"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "animations": [{"name": "rise", "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
            "samplers": [{"input": 1, "output": 2, "interpolation": interpolation}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [2]},
            {"bufferView": 2, "componentType": 5126, "count": heights.len(), "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12},
            {"buffer": 0, "byteOffset": 48, "byteLength": length}],
        "buffers": [{"byteLength": 48 + length}]
    });
    (json, [floats(&corners), floats(&places)].concat())
}

#[test]
fn steps_and_cubic_splines_are_played_as_they_are_meant() {
    let folder = tempfile::tempdir().unwrap();
    let heights = |interpolation: &str, values: &[f32]| {
        let (json, data) = rising(interpolation, values);
        let model = load(&write_glb(folder.path(), &format!("{interpolation}.glb"), &json, &data));
        assert!((model.clips[0].duration_secs - 2.0).abs() < 1e-6);
        let track = model.clips[0].channels[0].translation.clone();
        move |time| track.at(time, Vec3::ZERO).y
    };
    let steps = heights("STEP", &[0.0, 1.0, 5.0]);
    for (time, height) in [(0.0, 0.0), (0.5, 0.0), (0.9999, 0.0), (1.0, 1.0), (1.5, 1.0), (1.9999, 1.0), (2.0, 5.0)] {
        assert_eq!(steps(time), height, "{time} s");
    }
    // Both ends at rest, up and down between them by the tangents of the middle alone.
    let spline = heights("CUBICSPLINE", &[0.0, 0.0, 0.0, 4.0, 0.0, -4.0, 0.0, 0.0, 0.0]);
    for (time, height) in [(0.0, 0.0), (0.5, -0.5), (1.0, 0.0), (1.5, -0.5), (2.0, 0.0), (0.25, -0.1875)] {
        assert!((spline(time) - height).abs() < 4e-3, "{} m at {time} s, not {height}", spline(time));
    }
    let (json, data) = rising("LINEAR", &[0.0, 1.0]);
    let path = write_glb(folder.path(), "short.glb", &json, &data);
    let error = Importer { program: None, ..Importer::default() }.load(&path).unwrap_err().to_string();
    assert!(error.contains("animation 0 has a sampler 0 with 3 keys, which need 3 values, and 2 of them"), "{error}");
}
