//! An hour of clips for motion matching: Ada's walk along ways whose speed and turn wander.

use super::travelling::{KEY_SECS, noise, travelling};
use glam::Vec2;
use std::path::Path;
use walkabout::asset::import::import_file;
use walkabout::asset::root_track::RootPlace;
use walkabout::asset::{ClipSources, Model};

/// Clips of the hour, and the length of each in seconds.
pub const CLIPS: usize = 60;
pub const CLIP_SECS: f32 = 60.0;

/// Ways that wander: speed between standing and a fast walk, turns of up to a quarter turn a second.
fn wandering(seed: &mut u64) -> Vec<RootPlace> {
    let (mut place, mut speed, mut turn) = (RootPlace::default(), 1.4, 0.0);
    let mut keys = vec![place];
    for _ in 0..(CLIP_SECS / KEY_SECS) as usize {
        speed = (speed + 0.15 * noise(seed)).clamp(0.0, 1.9);
        turn = (turn * 0.97 + 0.35 * noise(seed)).clamp(-1.6, 1.6);
        place.yaw_rad += turn * KEY_SECS;
        place.at += Vec2::from(place.yaw_rad.sin_cos()) * speed * KEY_SECS;
        keys.push(place);
    }
    keys
}

/// Ada with the clips of the hour, their roots taken out.
pub fn hour() -> Model {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/people/ada.glb");
    let mut model = import_file(&file).unwrap_or_else(|error| panic!("{error}"));
    let mut seed = 3;
    let walk = |_| {
        let way = wandering(&mut seed);
        travelling(&model, "Walk", CLIP_SECS, |time| way[((time / KEY_SECS).round() as usize).min(way.len() - 1)])
    };
    model.clips = (0..CLIPS).map(walk).collect();
    let sources = ClipSources { root_tracks: true, ..ClipSources::default() };
    sources.add_to(&mut model, |file| panic!("{} is not asked for", file.display()));
    model
}
