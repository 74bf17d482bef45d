//! What is heard: the samples are measured.

use super::super::music::FADE_SECS;
use super::super::offline::{SAMPLE_RATE, write_wav};
use super::*;
use kira::backend::Renderer;
use std::cell::Cell;

const SECOND: usize = SAMPLE_RATE as usize;

fn listener() -> Listener {
    Listener { position: Vec3::Y * 1.7, right: Vec3::X }
}

fn silent() -> SoundSettings {
    SoundSettings { footsteps: true, effects: true, music: false, effects_volume: 1.0, music_volume: 1.0 }
}

/// A tone of a frequency.
fn write_tone(path: &Path, hz: f32, secs: f32) {
    let moments = (secs * SAMPLE_RATE as f32) as usize;
    let tone = |i: usize| 0.5 * (i as f32 / SAMPLE_RATE as f32 * hz * std::f32::consts::TAU).sin();
    let samples: Vec<f32> = (0..moments).flat_map(|i| [tone(i); 2]).collect();
    write_wav(path, &samples).unwrap();
}

/// Loudness (root mean square) of each tenth of a second.
fn tenths(samples: &[f32]) -> Vec<f32> {
    let loudness = |part: &[f32]| (part.iter().map(|s| s * s).sum::<f32>() / part.len() as f32).sqrt();
    samples.chunks(SECOND / 10 * 2).map(loudness).collect()
}

/// How much of a frequency is in the left channel (Goertzel).
fn strength(samples: &[f32], hz: f32) -> f32 {
    let (mut re, mut im) = (0.0, 0.0);
    for (i, sample) in samples.iter().step_by(2).enumerate() {
        let angle = std::f32::consts::TAU * hz * i as f32 / SAMPLE_RATE as f32;
        (re, im) = (re + sample * angle.cos(), im + sample * angle.sin());
    }
    re.hypot(im) / (samples.len() as f32 * 0.5)
}

/// Which of two tones are heard in the last half second of so many.
fn tones(mixer: &mut Mixer<Offline>, secs: usize, hz: [f32; 2]) -> [bool; 2] {
    let mut out = Vec::new();
    for _ in 0..secs * 60 {
        mixer.render(SECOND / 60, &mut out);
    }
    let last = &out[out.len() - SECOND / 2 * 2..];
    hz.map(|hz| strength(last, hz) > 0.1)
}

fn step(x: f32, ground: GroundMaterial) -> Footstep {
    Footstep { position: Vec3::new(x, 0.0, -1.0), speed: 1.4, ground, file: None }
}

#[test]
fn a_step_is_heard_when_the_foot_falls_and_from_its_side() {
    let mut mixer = Mixer::<Offline>::offline(silent());
    let mut out = Vec::new();
    mixer.render(SECOND / 2, &mut out);
    assert!(out.iter().all(|s| *s == 0.0), "nothing is heard yet");
    mixer.play_steps(&[step(6.0, GroundMaterial::Hard)], &listener());
    mixer.render(SECOND / 2, &mut out);
    let loud = tenths(&out);
    assert!(loud[4] == 0.0 && loud[5] > 1e-3, "{loud:?}");
    let side = |channel: usize| out.iter().skip(channel).step_by(2).map(|s| s * s).sum::<f32>();
    assert!(side(1) > 1.5 * side(0), "it comes from the right");
}

#[test]
fn grounds_sound_unlike_each_other() {
    let bright = |ground: GroundMaterial| {
        let mut mixer = Mixer::<Offline>::offline(silent());
        let mut out = Vec::new();
        mixer.play_steps(&[step(0.0, ground)], &listener());
        mixer.render(SECOND / 2, &mut out);
        let left: Vec<f32> = out.iter().step_by(2).copied().collect();
        let change: f32 = left.windows(2).map(|p| (p[1] - p[0]).powi(2)).sum();
        change / left.iter().map(|s| s * s).sum::<f32>()
    };
    let [hard, soft, metal] = [GroundMaterial::Hard, GroundMaterial::Soft, GroundMaterial::Metal].map(bright);
    assert!(soft < 0.5 * hard && metal > 1.2 * hard, "soft {soft}, hard {hard}, metal {metal}");
}

#[test]
fn a_sound_of_a_grounds_own_is_heard_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("grass.wav");
    write_tone(&file, 4000.0, 0.5);
    let loud = |ground: GroundMaterial| {
        let mut mixer = Mixer::<Offline>::offline(silent());
        let mut out = Vec::new();
        mixer.play_steps(&[Footstep { file: Some(file.clone()), ..step(0.0, ground) }], &listener());
        mixer.render(SECOND / 2, &mut out);
        out.iter().map(|s| s * s).sum::<f32>()
    };
    let hard = loud(GroundMaterial::Hard);
    assert!(hard > 0.0);
    for ground in GroundMaterial::ALL {
        assert!((loud(ground) - hard).abs() < 0.01 * hard, "{ground:?}: {} instead of {hard}", loud(ground));
    }
}

#[test]
fn tracks_fade_in_follow_one_another_and_fade_out() {
    let folder = tempfile::tempdir().unwrap();
    let (low, high) = (300.0, 900.0);
    write_tone(&folder.path().join("1.wav"), low, 8.0);
    write_tone(&folder.path().join("2.wav"), high, 8.0);
    let mut mixer = Mixer::<Offline>::offline(silent());
    mixer.set_folder(folder.path());
    mixer.set(SoundSettings { music: true, ..silent() });
    let mut out = Vec::new();
    let render = |mixer: &mut Mixer<Offline>, out: &mut Vec<f32>, secs: f64| {
        for _ in 0..(secs * 60.0).round() as usize {
            mixer.render(SECOND / 60, out);
        }
    };
    render(&mut mixer, &mut out, 10.0);
    assert_eq!((mixer.music().current, mixer.music().is_playing), (Some(1), true));
    let loud = tenths(&out);
    assert!(loud[0] < 0.3 * loud[30] && loud[7] < loud[20] && loud[20] > 0.3, "it fades in: {loud:?}");
    let at = |secs: f64| &out[(secs * SECOND as f64) as usize * 2..][..SECOND / 5 * 2];
    assert!(strength(at(4.0), low) > 0.2 && strength(at(4.0), high) < 0.01);
    let cross = 8.0 - FADE_SECS * 0.5;
    assert!(strength(at(cross), low) > 0.01 && strength(at(cross), high) > 0.01, "both are heard");
    assert!(strength(at(9.0), high) > 0.2 && strength(at(9.0), low) < 0.01);
    mixer.run(MusicCommand::Stop);
    let from = out.len();
    render(&mut mixer, &mut out, 3.0);
    let loud = tenths(&out[from..]);
    assert!(loud[0] > 0.2 && loud[7] < loud[0] && loud[25] < 1e-4, "it fades out: {loud:?}");
    assert!(!mixer.settings().music);
}

#[test]
fn an_interlude_takes_the_place_of_the_tracks_and_goes_again() {
    let folder = tempfile::tempdir().unwrap();
    let (low, high) = (300.0, 900.0);
    write_tone(&folder.path().join("1.wav"), low, 20.0);
    let zone = folder.path().join("zone.flac.wav");
    let mut mixer = Mixer::<Offline>::offline(silent());
    mixer.set_folder(folder.path());
    write_tone(&zone, high, 3.0);
    mixer.set(SoundSettings { music: true, ..silent() });
    let heard = |mixer: &mut Mixer<Offline>, secs: usize| tones(mixer, secs, [low, high]);
    assert_eq!(heard(&mut mixer, 3), [true, false]);
    mixer.set_interlude(Some(zone));
    assert_eq!(heard(&mut mixer, 7), [false, true], "it is played again and again");
    mixer.set_interlude(Some(folder.path().join("gone.wav")));
    assert_eq!(heard(&mut mixer, 4), [true, false], "the list is played where it cannot be read");
    assert_eq!(mixer.take_failures().len(), 1);
    mixer.set_interlude(None);
    assert_eq!(heard(&mut mixer, 3), [true, false]);
}

#[test]
fn held_music_stays_held_where_another_track_begins() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["1", "2"].map(|name| folder.path().join(name));
    let (low, high) = (300.0, 900.0);
    for (folder, hz) in [(&first, low), (&second, high)] {
        std::fs::create_dir(folder).unwrap();
        for name in ["a.wav", "b.wav"] {
            write_tone(&folder.join(name), hz, 20.0);
        }
    }
    let heard = |mixer: &mut Mixer<Offline>| tones(mixer, 2, [low, high]);
    let mut mixer = Mixer::<Offline>::offline(silent());
    mixer.set_folder(&first);
    mixer.run(MusicCommand::Play);
    mixer.run(MusicCommand::Pause);
    assert_eq!(heard(&mut mixer), [false; 2], "it was held while it was read");
    assert!(!mixer.music().is_playing);
    mixer.run(MusicCommand::Play);
    assert_eq!(heard(&mut mixer), [true, false]);
    mixer.run(MusicCommand::Pause);
    mixer.set_interlude(Some(second.join("a.wav")));
    assert_eq!(heard(&mut mixer), [false; 2], "a zone was entered");
    mixer.set_interlude(None);
    mixer.set_folder(&second);
    assert_eq!(heard(&mut mixer), [false; 2], "a scene with another folder was opened");
    assert_eq!((mixer.music().is_playing, mixer.settings().music), (false, true));
    mixer.run(MusicCommand::Play);
    assert_eq!(heard(&mut mixer), [false, true]);
    mixer.run(MusicCommand::Pause);
    mixer.run(MusicCommand::Next);
    assert_eq!(heard(&mut mixer), [false, true], "another track is asked for in order to be heard");
}

#[test]
fn broken_tracks_of_a_folder_do_not_count_for_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let [broken, other] = ["1", "2"].map(|name| folder.path().join(name));
    for folder in [&broken, &other] {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("a.ogg"), b"no sound").unwrap();
    }
    std::fs::write(broken.join("b.ogg"), b"no sound").unwrap();
    write_tone(&other.join("b.wav"), 300.0, 20.0);
    let mut mixer = Mixer::<Offline>::offline(silent());
    for (folder, plays) in [(&broken, false), (&other, true)] {
        mixer.set_folder(folder);
        mixer.run(MusicCommand::Play);
        (0..3).for_each(|_| mixer.render(SECOND / 60, &mut Vec::new()));
        assert_eq!(mixer.music().is_playing, plays, "{}", folder.display());
    }
    assert_eq!(mixer.music().current, Some(1));
}

#[test]
fn a_broken_track_is_tried_once_and_not_in_every_round() {
    let folder = tempfile::tempdir().unwrap();
    write_tone(&folder.path().join("1.wav"), 300.0, 1.0);
    std::fs::write(folder.path().join("2.ogg"), b"no sound").unwrap();
    let mut mixer = Mixer::<Offline>::offline(silent());
    mixer.set_folder(folder.path());
    mixer.run(MusicCommand::Play);
    for _ in 0..300 {
        mixer.render(SECOND / 60, &mut Vec::new());
    }
    assert_eq!(mixer.take_failures().len(), 1, "five rounds, and one notice");
    assert!(mixer.music().is_playing && mixer.music().current == Some(0));
    // It may be whole by now.
    mixer.run(MusicCommand::Next);
    mixer.render(SECOND / 60, &mut Vec::new());
    mixer.render(SECOND / 60, &mut Vec::new());
    assert_eq!(mixer.take_failures().len(), 1);
}

#[test]
fn music_is_held_sought_and_skipped() {
    let folder = tempfile::tempdir().unwrap();
    for (name, hz) in [("1.wav", 300.0), ("2.wav", 900.0)] {
        write_tone(&folder.path().join(name), hz, 20.0);
    }
    std::fs::write(folder.path().join("0.ogg"), b"no sound").unwrap();
    let mut mixer = Mixer::<Offline>::offline(silent());
    mixer.set_folder(folder.path());
    let mut out = Vec::new();
    mixer.run(MusicCommand::Play);
    mixer.render(SECOND, &mut out);
    // The first cannot be read, so that the second plays.
    mixer.render(SECOND, &mut out);
    assert_eq!(mixer.music().current, Some(1));
    assert!(mixer.take_failures().iter().any(|error| error.to_string().contains("0.ogg")));
    mixer.run(MusicCommand::Seek(10.0));
    mixer.render(SECOND, &mut out);
    mixer.render(SECOND / 60, &mut out);
    assert!((mixer.music().position_secs - 11.0).abs() < 0.2, "{:?}", mixer.music());
    mixer.run(MusicCommand::Pause);
    mixer.render(SECOND, &mut out);
    let from = out.len();
    mixer.render(SECOND / 2, &mut out);
    assert!(tenths(&out[from..]).iter().all(|loud| *loud == 0.0), "it is held");
    mixer.run(MusicCommand::Play);
    mixer.run(MusicCommand::Next);
    mixer.render(2 * SECOND, &mut out);
    let from = out.len();
    mixer.render(SECOND, &mut out);
    assert!(strength(&out[from..], 900.0) > 0.2, "the other track plays");
    assert_eq!(mixer.music().current, Some(2));
    mixer.run(MusicCommand::Previous);
    mixer.run(MusicCommand::Random);
    mixer.run(MusicCommand::Track(7));
    mixer.run(MusicCommand::Reload);
    mixer.render(SECOND, &mut out);
    assert!(mixer.music().is_playing);
}

#[test]
fn places_are_heard_within_their_reach() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fountain.wav");
    write_tone(&file, 400.0, 0.5);
    let place = PlacedSound { file: file.clone(), position: Vec3::X * 4.0, reach: 10.0, volume: 1.0 };
    let mut mixer = Mixer::<Offline>::offline(silent());
    let mut heard_from = |x: f32| {
        let mut out = Vec::new();
        let listener = Listener { position: Vec3::X * x, right: Vec3::X };
        for _ in 0..30 {
            mixer.play_places(std::slice::from_ref(&place), &listener);
            mixer.render(SECOND / 60, &mut out);
        }
        tenths(&out).last().copied().unwrap_or_default()
    };
    let (near, far, gone) = (heard_from(3.0), heard_from(-2.0), heard_from(-30.0));
    assert!(near > 2.0 * far && far > 1e-3 && gone == 0.0, "{near} {far} {gone}");
    let mut mixer = Mixer::<Offline>::offline(silent());
    let mut out = Vec::new();
    mixer.play_at(&[SoundAt { file, position: Vec3::X, volume: 1.0 }], &listener());
    mixer.render(SECOND, &mut out);
    let loud = tenths(&out);
    assert!(loud[1] > 0.05 && loud[8] == 0.0, "once: {loud:?}");
}

#[test]
fn a_sound_goes_on_while_its_reach_and_place_change() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.wav");
    // A second of a low tone, and a high one after it.
    let tone = |i: usize| {
        let hz = if i < SECOND { 400.0 } else { 900.0 };
        0.5 * (i as f32 / SAMPLE_RATE as f32 * hz * std::f32::consts::TAU).sin()
    };
    write_wav(&file, &(0..4 * SECOND).flat_map(|i| [tone(i); 2]).collect::<Vec<f32>>()).unwrap();
    let mut mixer = Mixer::<Offline>::offline(silent());
    let mut out = Vec::new();
    for i in 0..120 {
        let by = i as f32 * 0.01;
        let place = PlacedSound { file: file.clone(), position: Vec3::X + Vec3::Z * by, reach: 10.0 + by, volume: 1.0 };
        mixer.play_places(&[place], &listener());
        mixer.render(SECOND / 60, &mut out);
    }
    let last = &out[out.len() * 3 / 4..];
    assert!(strength(last, 900.0) > 0.02 && strength(last, 400.0) < 0.01, "it began anew while it was dragged");
}

#[test]
fn a_sound_that_changes_is_heard_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fountain.wav");
    write_tone(&file, 400.0, 5.0);
    let place = PlacedSound { file: file.clone(), position: Vec3::X, reach: 10.0, volume: 1.0 };
    let mut mixer = Mixer::<Offline>::offline(silent());
    let heard = |mixer: &mut Mixer<Offline>| {
        let mut out = Vec::new();
        mixer.poll_files();
        for _ in 0..30 {
            mixer.play_places(std::slice::from_ref(&place), &listener());
            mixer.render(SECOND / 60, &mut out);
        }
        let last = &out[out.len() / 2..];
        [400.0, 900.0].map(|hertz| strength(last, hertz) > 0.05)
    };
    assert_eq!(heard(&mut mixer), [true, false]);
    write_tone(&file, 900.0, 5.0);
    mixer.reload(&file);
    assert_eq!(heard(&mut mixer), [false, true]);
    std::fs::write(&file, "noise").unwrap();
    mixer.reload(&file);
    assert_eq!(heard(&mut mixer), [false, true], "a broken file leaves what was there");
    assert_eq!(mixer.take_failures().len(), 1);
    write_tone(&file, 400.0, 5.0);
    mixer.reload(&file);
    assert_eq!(heard(&mut mixer), [true, false]);
}

#[test]
fn without_a_device_nothing_happens() {
    let mut mixer = Mixer::<Offline>::new(SoundSettings { music: true, ..silent() }, false);
    mixer.play_steps(&[step(0.0, GroundMaterial::Hard)], &listener());
    mixer.run(MusicCommand::Next);
    mixer.poll();
    let mut out = Vec::new();
    mixer.render(100, &mut out);
    assert!(mixer.is_missing() && out.is_empty());
}

thread_local! {
    static IS_PLUGGED_IN: Cell<bool> = const { Cell::new(false) };
}

/// A device that is there once it is plugged in.
struct Headset {
    _renderer: Option<Renderer>,
}

impl Backend for Headset {
    type Settings = ();
    type Error = ();

    fn setup((): (), _: usize) -> Result<(Self, u32), ()> {
        if IS_PLUGGED_IN.get() { Ok((Self { _renderer: None }, SAMPLE_RATE)) } else { Err(()) }
    }

    fn start(&mut self, renderer: Renderer) -> Result<(), ()> {
        self._renderer = Some(renderer);
        Ok(())
    }
}

#[test]
fn a_device_that_is_plugged_in_later_is_found() {
    let mut mixer = Mixer::<Headset>::new(silent(), true);
    let is_missing = |mixer: &mut Mixer<Headset>| {
        mixer.play_steps(&[step(0.0, GroundMaterial::Hard)], &listener());
        mixer.is_missing()
    };
    assert!(is_missing(&mut mixer));
    IS_PLUGGED_IN.set(true);
    assert!(is_missing(&mut mixer), "it is not looked for at each step");
    mixer.set(SoundSettings { footsteps: false, ..silent() });
    mixer.set(silent());
    assert!(!is_missing(&mut mixer));
}
