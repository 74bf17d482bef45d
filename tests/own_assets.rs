//! The assets of this repository are what their README says.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a level has to fail")]

#[path = "common/own_models.rs"]
mod own_models;

use std::path::Path;
use walkabout::anim::clip_classification::classify_clips;
use walkabout::asset::Model;

fn load(name: &str) -> Model {
    let model = own_models::load(name);
    assert_eq!(model.warnings, Vec::<String>::new(), "{name}");
    model
}

#[test]
fn people_have_bones_clips_and_faces() {
    let clips = [
        "Idle",
        "Walk",
        "Run",
        "Hop",
        "Jump",
        "Punch",
        "Pick",
        "Roll",
        "Kick",
        "Interact",
        "Wave",
        "HeadLeft",
        "HeadRight",
        "HeadUp",
        "HeadDown",
        "StartLeft",
        "StartRight",
        "StopLeft",
        "StopRight",
        "TurnLeft",
        "TurnRight",
        "AboutLeft",
        "AboutRight",
        "CurveLeft",
        "CurveRight",
        "BendLeft",
        "BendRight",
    ];
    for name in ["people/ada.glb", "people/bruno.glb", "people/carla.glb"] {
        let model = load(name);
        let bones: std::collections::BTreeSet<_> = model.joints.iter().map(|j| j.node).collect();
        assert!((40..=70).contains(&bones.len()), "{name} has {} bones", bones.len());
        assert_eq!(model.clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), clips, "{name}");
        assert_eq!(model.morph_names(), ["angry", "worried", "surprised", "happy"], "{name}");
        assert_eq!(model.material_variants.len(), 7, "{name}");
        for mesh in &model.meshes {
            let dresses: std::collections::BTreeSet<_> =
                mesh.variant_materials.iter().chain([&mesh.material]).collect();
            let named = |i: &u32| model.materials[*i as usize].name.clone();
            assert_eq!(dresses.len(), 8, "{name}: each variant has a material of its own");
            assert_eq!(mesh.variant_materials.iter().map(named).collect::<Vec<_>>(), model.material_variants, "{name}");
        }
        let bounds = model.rest_bounds;
        assert!((1.6..2.0).contains(&bounds.size().y), "{name} is {} m tall", bounds.size().y);
        assert!(bounds.min.y.abs() < 0.02, "{name} stands at {}", bounds.min.y);
        let face = model.meshes.iter().find(|m| m.morphs.len() == 4).unwrap();
        for morph in &face.morphs {
            let most = morph.positions.iter().map(|d| d.length()).fold(0.0, f32::max);
            assert!((0.005..0.1).contains(&most), "{name}: morph {} moves {most} m", morph.name);
        }
    }
}

#[test]
fn what_clips_are_for_and_how_fast_they_walk_is_guessed() {
    for name in ["ada", "bruno", "carla"] {
        let model = load(&format!("people/{name}.glb"));
        let found = classify_clips(&model);
        let clip = |i: Option<usize>| i.map(|i| model.clips[i].name.as_str());
        assert_eq!([clip(found.idle), clip(found.walk), clip(found.run)], [Some("Idle"), Some("Walk"), Some("Run")]);
        for (state, number) in &found.actions {
            assert_eq!(state.label(), model.clips[*number].name);
        }
        assert_eq!((found.actions.len(), found.head.len()), (8, 4));
        let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/people/{name}.motion.json"));
        let recorded: serde_json::Value = serde_json::from_slice(&std::fs::read(recorded).unwrap()).unwrap();
        for (gait, speed) in [("Walk", found.walk_speed), ("Run", found.run_speed)] {
            let made_for = recorded["clips"][gait]["ground_speed_m_per_s"].as_f64().unwrap();
            let speed = f64::from(speed.unwrap());
            assert!((speed - made_for).abs() < 0.05 * made_for, "{name} {gait}: {speed} for {made_for}");
        }
    }
    let thing = classify_clips(&load("props/marker.glb"));
    assert_eq!((thing.idle, thing.walk_speed), (None, None));
}

#[test]
fn levels_of_all_formats_come_in_metres() {
    for (name, widest) in
        [("levels/plaza.glb", 50.0..200.0), ("levels/courtyard.fbx", 8.0..80.0), ("levels/arena.obj", 8.0..150.0)]
    {
        let model = load(name);
        let size = model.rest_bounds.size();
        assert!(widest.contains(&size.x.max(size.z)), "{name} is {size} m large");
        assert!(size.y < size.x, "{name} stands upright: {size}");
        assert!(!model.is_skinned() && model.triangle_count() > 300, "{name}");
        assert!(!model.images.is_empty(), "{name} has no texture");
    }
}

#[test]
fn the_marker_is_small_and_static() {
    let marker = load("props/marker.glb");
    assert!((0.5..2.5).contains(&marker.rest_bounds.size().y));
    assert!(!marker.is_skinned() && marker.triangle_count() <= 2000);
}
