//! Morph targets that clips move.

use crate::halls::model;
use crate::stage::{Plan, Stage};
use glam::Vec3;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use walkabout::anim::{Blend, ClipAt, Playback};
use walkabout::asset::{Morph, MorphTrack, Track};
use walkabout::ids::ClipId;
use walkabout::scene::ClipCurve;
use walkabout::sim::Preview;

/// A stage whose people smile more and more for a second in their second clip, and blink in it by a curve.
fn stage() -> Stage {
    let mut stage = Stage::new(Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]));
    let mut person = model(&Plan::default().block([-0.2, 0.2], [0.0, 1.0], [-0.2, 0.2]).0, 2);
    let name = |name: &str| Morph { name: name.into(), ..Morph::default() };
    person.meshes[0].morphs = vec![name("smile"), name("blink")];
    let weights = Track { times_secs: vec![0.0, 1.0], values: vec![vec![0.0, 0.0], vec![1.0, 0.0]] };
    person.clips[1].morphs = vec![MorphTrack { mesh: 0, weights }];
    stage.assets.insert("person", person);
    let entry = Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap());
    entry.clip_curves = vec![ClipCurve { clip: 1, morph: "blink".into(), keys: vec![[0.0, 0.5]] }];
    stage
}

#[test]
fn clips_move_morph_targets_by_as_much_as_they_count() {
    let mut stage = stage();
    let id = stage.add(stage.person, Vec3::ZERO, None);
    stage.world.reconcile(&stage.scene, &stage.assets);
    let at = |clip: u32, time_secs: f32| ClipAt { clip: ClipId(clip), time_secs };
    let mut shown = |clips: [ClipAt; 2], weight: f32, set: &[(&str, f32)]| {
        let shows = Playback::of(Blend { clips, weight });
        stage.world.preview(Some(Preview { id, shows, ghost: None }));
        let set: BTreeMap<String, f32> = set.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect();
        let weights = stage.world.morph_weights(id, &set).into_owned();
        ["smile", "blink"].map(|name| weights.get(name).copied().unwrap_or(0.0))
    };
    assert_eq!(shown([at(0, 0.5), at(1, 0.5)], 0.0, &[]), [0.0, 0.0]);
    assert_eq!(shown([at(0, 0.5), at(1, 0.5)], 1.0, &[]), [0.5, 0.5]);
    assert_eq!(shown([at(0, 0.5), at(1, 1.0)], 0.5, &[]), [0.5, 0.25], "half of the clip");
    assert_eq!(shown([at(0, 0.5), at(1, 0.5)], 1.0, &[("smile", 0.25), ("blink", 0.75)]), [0.75, 1.0]);
}

#[test]
fn models_without_morph_tracks_show_what_the_scene_sets() {
    let mut stage = Stage::new(Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]));
    let id = stage.add(stage.person, Vec3::ZERO, None);
    stage.world.reconcile(&stage.scene, &stage.assets);
    let set = BTreeMap::from([("smile".to_owned(), 0.5)]);
    assert!(matches!(stage.world.morph_weights(id, &set), Cow::Borrowed(same) if *same == set));
}
