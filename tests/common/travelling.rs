//! Clips that travel, made of clips on the spot.

#![allow(clippy::unwrap_used, reason = "for tests, which have to fail where a clip is not there")]

use glam::{Quat, Vec3Swizzles};
use walkabout::anim::legs::Legs;
use walkabout::anim::sample::sample_clip;
use walkabout::asset::root_track::RootPlace;
use walkabout::asset::{Channel, Clip, Model, Track};
use walkabout::ids::NodeId;
use walkabout::math::Trs;

/// Key distance of the clips made here, seconds.
pub const KEY_SECS: f32 = 1.0 / 30.0;

/// A clip that plays another on the spot over and over while the whole body goes where `way` says.
pub fn travelling(model: &Model, name: &str, secs: f32, way: impl Fn(f32) -> RootPlace) -> Clip {
    let source = model.clips.iter().find(|clip| clip.name == name).unwrap();
    let times: Vec<f32> = (0..=(secs / KEY_SECS).round() as usize).map(|i| i as f32 * KEY_SECS).collect();
    let mut poses = vec![vec![Trs::IDENTITY; model.skeleton.len()]; times.len()];
    for (pose, time) in poses.iter_mut().zip(&times) {
        sample_clip(&model.skeleton, Some(source), time % source.duration_secs, pose);
        let root = way(*time);
        let turn = Quat::from_rotation_y(root.yaw_rad);
        pose[0].translation = turn * pose[0].translation + root.at.extend(0.0).xzy();
        pose[0].rotation = turn * pose[0].rotation;
    }
    let channel = |node: usize| Channel {
        node: NodeId(node as u32),
        translation: Track { times_secs: times.clone(), values: poses.iter().map(|p| p[node].translation).collect() },
        rotation: Track { times_secs: times.clone(), values: poses.iter().map(|p| p[node].rotation).collect() },
        ..Channel::default()
    };
    let channels = (0..model.skeleton.len()).map(channel).collect();
    Clip { name: format!("{name} away"), duration_secs: *times.last().unwrap(), channels, ..Clip::default() }
}

/// Numbers between -1 and 1, the same at every run.
pub fn noise(seed: &mut u64) -> f32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
}

/// The legs of one of our own people.
pub fn legs(model: &Model) -> Legs {
    let node = |name: &str| model.skeleton.find(name).unwrap().0;
    let [left, right] =
        ["l", "r"].map(|side| ["foot", "lower_leg", "upper_leg"].map(|part| node(&format!("{part}_{side}"))));
    Legs::new(model, &left, &right).unwrap()
}
