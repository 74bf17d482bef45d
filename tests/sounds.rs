//! `walkabout render --sound`: the file is measured.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its sound has to fail")]

#[path = "common/own_models.rs"]
mod own_models;

use glam::Vec3;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use walkabout::app::camera_view;
use walkabout::asset::AssetStore;
use walkabout::scene::SceneCamera;
use walkabout::sim::{STEP_SECS, World};
use walkabout::sound::Listener;

const RATE: usize = 48_000;

/// The samples of the left channel.
fn left(file: &Path) -> Vec<f32> {
    let bytes = std::fs::read(file).unwrap();
    assert_eq!((&bytes[..4], &bytes[8..16]), (&b"RIFF"[..], &b"WAVEfmt "[..]));
    let frames = bytes[44..].chunks_exact(4);
    frames.map(|f| f32::from(i16::from_le_bytes([f[0], f[1]])) / 32_768.0).collect()
}

fn rendered(scene: &Path, out: &Path, arguments: &[&str]) -> Vec<f32> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_walkabout"));
    command.arg("render").arg(scene).arg("--sound").arg(out).args(arguments);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    left(out)
}

/// Loudness of each hundredth of a second.
fn loudness(samples: &[f32]) -> Vec<f32> {
    samples
        .chunks(RATE / 100)
        .map(|part| (part.iter().map(|s| s * s).sum::<f32>() / part.len() as f32).sqrt())
        .collect()
}

/// Times at which feet come down near the camera of a scene, seconds, with the volume at which each is heard.
fn footfalls(scene: &Path, camera: &str, secs: f32) -> Vec<(f32, f32)> {
    let loaded = walkabout::scene::file::load(scene).unwrap();
    let scene = loaded.scene;
    let mut assets = AssetStore::with_importer(own_models::importer());
    assets.set_root(&loaded.root);
    scene.request_assets(&mut assets);
    assets.wait();
    let camera = scene.cameras.values().find(|one| one.name == camera).unwrap();
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    let mut falls = Vec::new();
    for step in 0..(secs / STEP_SECS).round() as u32 {
        world.step(&scene);
        let view = camera_view::of(camera, &scene, &world, &assets, 1.0).view(1.0);
        let listener = Listener { position: view.position, right: Vec3::X };
        let heard = world.footfalls().filter_map(|fall| listener.hear(fall.position));
        falls.extend(heard.map(|heard| (step as f32 * STEP_SECS, heard.volume)));
    }
    falls
}

/// The plaza with one walker, the nearest to a camera, saved in `folder`.
fn lone_walker(folder: &Path, camera: &str) -> PathBuf {
    let loaded =
        walkabout::scene::file::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("config/plaza.acfg")).unwrap();
    let (mut scene, root) = (loaded.scene, loaded.root);
    let absolute = |file: &str| root.join(file).to_string_lossy().into_owned();
    for id in scene.models.iter().map(|(id, _)| id).collect::<Vec<_>>() {
        let model = Arc::make_mut(scene.models.get_mut(id).unwrap());
        model.file = absolute(&model.file);
    }
    for id in scene.levels.iter().map(|(id, _)| id).collect::<Vec<_>>() {
        let level = Arc::make_mut(scene.levels.get_mut(id).unwrap());
        level.file = absolute(&level.file);
    }
    let ear = scene.cameras.values().find(|one| one.name == camera).unwrap().position;
    let walkers = scene.instances.iter().filter(|(_, one)| one.navigation);
    let nearest = walkers.min_by(|a, b| a.1.position.distance(ear).total_cmp(&b.1.position.distance(ear))).unwrap().0;
    let walkers = scene.instances.iter().filter(|(_, one)| one.navigation).map(|(id, _)| id);
    let others: Vec<_> = walkers.filter(|id| *id != nearest).collect();
    scene.instances.remove_all(others);
    // One of the cameras follows a character that is gone.
    let unused = |(id, one): (_, &Arc<SceneCamera>)| (one.name != "FreeCam" && one.name != camera).then_some(id);
    let cameras: Vec<_> = scene.cameras.iter().filter_map(unused).collect();
    scene.cameras.remove_all(cameras);
    let file = folder.join("lone.acfg");
    walkabout::scene::file::save(&scene, &Default::default(), &file).unwrap();
    file
}

#[test]
fn a_step_is_heard_at_each_footfall_and_alike_in_every_run() {
    let folder = tempfile::tempdir().unwrap();
    let scene = lone_walker(folder.path(), "Street");
    let arguments = ["--seconds", "6", "--camera", "Street"];
    let samples = rendered(&scene, &folder.path().join("a.wav"), &arguments);
    assert_eq!(samples.len(), 6 * RATE);
    let loud = loudness(&samples);
    let falls = footfalls(&scene, "Street", 6.0);
    assert!(falls.len() >= 6, "{falls:?}");
    for &(secs, volume) in &falls {
        let at = (secs * 100.0) as usize;
        let before = loud[at.saturating_sub(2)..at].iter().fold(0.0_f32, |a, b| a.max(*b));
        let after = loud[at..(at + 6).min(loud.len())].iter().fold(0.0_f32, |a, b| a.max(*b));
        assert!(after > 2.0 * before && after > 1e-3 * volume, "a step at {secs} s: {before} before, {after} after");
    }
    let first = (falls[0].0 * RATE as f32) as usize;
    assert!(samples[..first - RATE / 100].iter().all(|s| *s == 0.0), "nothing is heard before the first step");
    assert_eq!(samples, rendered(&scene, &folder.path().join("b.wav"), &arguments));
}

/// A tone in a 16-bit mono file.
fn write_tone(path: &Path, hz: f32, secs: usize) {
    let samples: Vec<u8> = (0..secs * RATE)
        .map(|i| ((i as f32 / RATE as f32 * hz * std::f32::consts::TAU).sin() * 16_000.0) as i16)
        .flat_map(i16::to_le_bytes)
        .collect();
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + samples.len() as u32).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16_u32.to_le_bytes());
    bytes.extend([1_u16, 1].iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend([RATE as u32, RATE as u32 * 2].iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend([2_u16, 16].iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend(b"data");
    bytes.extend((samples.len() as u32).to_le_bytes());
    bytes.extend(samples);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn tracks_beside_a_scene_start_cross_and_fade_out() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("assets/music")).unwrap();
    std::fs::create_dir_all(folder.path().join("config")).unwrap();
    write_tone(&folder.path().join("assets/music/1.wav"), 300.0, 5);
    write_tone(&folder.path().join("assets/music/2.wav"), 900.0, 60);
    let scene = folder.path().join("config/quiet.acfg");
    std::fs::write(&scene, "version: 9.0\n").unwrap();
    let samples = rendered(&scene, &folder.path().join("out.wav"), &["--seconds", "10"]);
    let loud = loudness(&samples);
    assert!(loud[2] < 0.2 * loud[200] && loud[200] > 0.05, "the first track fades in");
    let turns = |secs: usize| {
        let part = &samples[secs * RATE..(secs + 1) * RATE];
        part.windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0).count()
    };
    assert!(turns(2).abs_diff(300) < 5, "{} Hz", turns(2));
    assert!(turns(6).abs_diff(900) < 5, "{} Hz", turns(6));
    assert!(loud[990] < 0.1 * loud[700], "it fades out at the end");
}

#[test]
fn the_sound_of_a_place_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    write_tone(&folder.path().join("hum.wav"), 440.0, 1);
    let scene = folder.path().join("hum.acfg");
    let place = |ahead: f32| {
        let camera = "cameras: [{camera-name: Ear, position: [0, 0, 0]}]";
        let sound = format!("{{position: [0, 0, -{ahead}], reach: 10, file: hum.wav}}");
        let text = format!("version: 9.0\n{camera}\nwalkabout: {{sounds: {{places: [{sound}]}}}}\n");
        std::fs::write(&scene, text).unwrap();
        let samples = rendered(&scene, &folder.path().join("out.wav"), &["--seconds", "1"]);
        loudness(&samples)[90]
    };
    let (near, far, gone) = (place(1.0), place(8.0), place(12.0));
    assert!(near > 2.0 * far && far > 1e-4 && gone == 0.0, "{near} {far} {gone}");
}
