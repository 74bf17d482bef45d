//! Clips of our own people as an animator changes them: mirror, trim, copies, root tracks, fewer keys, events and curves.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a person has to fail")]

#[path = "common/stage.rs"]
#[allow(dead_code, reason = "other tests use the rest of the stage")]
mod stage;

use glam::{Quat, Vec3};
use stage::own_models::{self, matrices};
use stage::{Profile, Stage};
use std::f32::consts::FRAC_PI_2;
use walkabout::anim::{Blend, ClipAt, Playback};
use walkabout::asset::human_bone::{HumanBone, Side};
use walkabout::asset::humanoid::Humanoid;
use walkabout::asset::{BoneNames, ClipEdit, ClipSources, Model};
use walkabout::ids::ClipId;
use walkabout::math::angle;
use walkabout::scene::{ActionClip, ClipCurve, ClipEvent, ClipEventKind, ClipSpeed, SceneModel};
use walkabout::sim::{Preview, STEP_SECS};
use walkabout::vocab::MoveState;

fn person(name: &str) -> Model {
    own_models::load(&format!("people/{name}"))
}

fn clip(model: &Model, name: &str) -> usize {
    model.clips.iter().position(|clip| clip.name == name).unwrap_or_else(|| panic!("{name} is not there"))
}

fn edited(mut model: Model, edits: Vec<ClipEdit>) -> Model {
    let sources = ClipSources { edits, ..ClipSources::default() };
    sources.add_to(&mut model, |file| panic!("{} is not asked for", file.display()));
    model
}

/// The bone that has the place of a bone in a mirror.
fn across(bone: HumanBone) -> HumanBone {
    match bone {
        HumanBone::Limb(side, limb) => HumanBone::Limb(side.other(), limb),
        HumanBone::Finger(side, finger, phalanx) => HumanBone::Finger(side.other(), finger, phalanx),
        other => other,
    }
}

#[test]
fn left_and_right_change_places_in_a_mirror() {
    assert_eq!(Side::Left.other(), Side::Right);
    for (name, clips) in [("ada.glb", ["Walk", "TurnLeft", "Wave"]), ("bruno.glb", ["Run", "CurveRight", "Kick"])] {
        let was = person(name);
        let body = Humanoid::of(&was, &BoneNames::new()).unwrap();
        let copy = |name: &str| ClipEdit {
            clip: clip(&was, name) as u32,
            copy_name: format!("{name} mirrored"),
            is_mirrored: true,
            ..ClipEdit::default()
        };
        let model = edited(was.clone(), clips.iter().map(|name| copy(name)).collect());
        assert_eq!(model.warnings, Vec::<String>::new());
        for name in clips {
            let (one, other) =
                (&model.clips[clip(&model, name)], &model.clips[clip(&model, &format!("{name} mirrored"))]);
            let mut farthest = 0.0_f32;
            for i in 0..=10 {
                // At keys of the mirrored clip.
                let time = (one.duration_secs * 3.0 * i as f32).round() / 30.0;
                let [was, is] = [one, other].map(|clip| matrices(&model, clip, time.min(one.duration_secs)));
                for (bone, node) in body.bones() {
                    let reflected = was[node.0 as usize].w_axis.truncate() * Vec3::new(-1.0, 1.0, 1.0);
                    let there = is[body.node(across(bone)).unwrap().0 as usize].w_axis.truncate();
                    farthest = farthest.max(reflected.distance(there));
                }
            }
            assert!(farthest < 0.004, "{name}: {farthest} m");
        }
    }
}

#[test]
fn a_mirrored_clip_mirrored_again_is_the_clip() {
    let was = person("carla.glb");
    let walk = clip(&was, "Walk") as u32;
    let mirror = ClipEdit { clip: walk, is_mirrored: true, ..ClipEdit::default() };
    let model = edited(was.clone(), vec![mirror.clone(), mirror]);
    for i in 0..=30 {
        let time = i as f32 / 30.0 * was.clips[walk as usize].duration_secs;
        let [then, now] = [&was, &model].map(|model| matrices(model, &model.clips[walk as usize], time));
        let apart = then.iter().zip(&now).map(|(a, b)| a.w_axis.distance(b.w_axis)).fold(0.0, f32::max);
        assert!(apart < 0.004, "{time} s: {apart} m");
    }
}

#[test]
fn root_tracks_turn_the_way_that_a_clip_turns() {
    let was = person("ada.glb");
    let turn = clip(&was, "TurnLeft") as u32;
    let root = ClipEdit { clip: turn, copy_name: "left".into(), has_root_track: true, ..ClipEdit::default() };
    let mirrored = ClipEdit { copy_name: "right".into(), is_mirrored: true, ..root.clone() };
    let model = edited(was.clone(), vec![root.clone(), mirrored]);
    let turned = |name: &str| {
        let track = model.root_track(clip(&model, name)).unwrap();
        track.at(model.clips[clip(&model, name)].duration_secs).yaw_rad - track.at(0.0).yaw_rad
    };
    assert!((turned("left") - FRAC_PI_2).abs() < 0.1, "{}", turned("left"));
    assert!((turned("left") + turned("right")).abs() < 0.02, "{}", turned("right"));
    assert!(model.root_track(turn as usize).is_none(), "the clip itself stays");
    // Edits of what is taken out go on with it.
    let again = ClipEdit { clip: clip(&model, "left") as u32, is_mirrored: true, ..ClipEdit::default() };
    let model = edited(was, vec![root, again]);
    let track = model.root_track(clip(&model, "left")).unwrap();
    assert!((track.at(9.0).yaw_rad - track.at(0.0).yaw_rad) < -1.4);
}

#[test]
fn edits_keep_what_clip_speeds_are_relative_to() {
    let was = person("ada.glb");
    let longest = was.longest_clip_secs();
    let number = was.clips.iter().position(|clip| clip.duration_secs == longest).unwrap() as u32;
    let cut = ClipEdit { clip: number, start_secs: 0.1, end_secs: Some(0.6), ..ClipEdit::default() };
    let model = edited(was.clone(), vec![cut]);
    assert_eq!(model.longest_clip_secs(), longest);
    assert!((model.clips[number as usize].duration_secs - 0.5).abs() < 1e-6);
    assert_eq!(model.clips.len(), was.clips.len());
}

#[test]
fn edits_that_cannot_be_made_are_said() {
    let was = person("ada.glb");
    let count = was.clips.len();
    let edits = vec![
        ClipEdit { clip: 99, is_mirrored: true, ..ClipEdit::default() },
        ClipEdit { clip: 1, start_secs: 50.0, ..ClipEdit::default() },
    ];
    let model = edited(was.clone(), edits);
    assert_eq!(model.clips, was.clips);
    let texts: Vec<&str> = model.warnings.iter().map(String::as_str).collect();
    assert_eq!(
        texts,
        [
            &*format!("edits no clip 99: it has {count} clips, counted from 0"),
            "edits no clip 1: it starts at 50 s, after its end"
        ]
    );
    assert!(model.warnings.iter().all(|text| ClipEdit::is_warning(text)));
}

#[test]
fn compressed_people_move_within_the_tolerance() {
    let was = person("bruno.glb");
    let mut model = was.clone();
    ClipSources { tolerance_um: 500, ..ClipSources::default() }.add_to(&mut model, |_| panic!("no file"));
    assert_eq!(model.compression.len(), was.clips.len());
    let (before, after) =
        model.compression.iter().fold((0, 0), |sum, one| (sum.0 + one.bytes_before, sum.1 + one.bytes));
    println!("{after} of {before} bytes");
    assert!(after * 2 < before, "{after} of {before} bytes");
    for (i, report) in model.compression.iter().enumerate() {
        let name = &was.clips[i].name;
        assert!(report.error_mm <= 0.5, "{name}: {} mm", report.error_mm);
        for key in 0..40 {
            let time = key as f32 / 40.0 * was.clips[i].duration_secs;
            let [then, now] = [&was, &model].map(|model| matrices(model, &model.clips[i], time));
            let apart = then.iter().zip(&now).map(|(a, b)| a.w_axis.distance(b.w_axis)).fold(0.0, f32::max);
            assert!(apart < 0.55e-3, "{name}, {time} s: {apart} m");
        }
    }
}

#[test]
fn a_turn_as_an_action_turns_the_character() {
    let turn = clip(&person("ada.glb"), "TurnLeft") as u32;
    for (mirror, sign) in [(false, 1.0), (true, -1.0)] {
        let turning = |entry: &mut SceneModel| {
            entry.clip_sources.edits =
                vec![ClipEdit { clip: turn, is_mirrored: mirror, has_root_track: true, ..ClipEdit::default() }];
            let clip = ClipSpeed { clip: turn, speed: 2.0 };
            let action = ActionClip { state: MoveState::Punch, clip, curve: Default::default(), root_motion: true };
            entry.actions = vec![action];
            entry.allowed_orders = vec![(MoveState::Idle, MoveState::Punch)];
        };
        let mut stage = Stage::with_entry("ada.glb", &Profile::flat(), true, turning);
        let track = stage.model.root_track(turn as usize).unwrap();
        let asked = track.at(stage.model.clips[turn as usize].duration_secs).yaw_rad - track.at(0.0).yaw_rad;
        assert!(asked * sign > 1.4, "{asked} rad");
        for _ in 0..30 {
            stage.step();
        }
        let heading = |stage: &Stage| stage.world.live(stage.person).unwrap().now.yaw_rad;
        let start = heading(&stage);
        stage.world.orders_mut(stage.person).unwrap().action = Some(MoveState::Punch);
        let mut last = hips(&stage);
        for _ in 0..(4.0 / STEP_SECS) as usize {
            stage.step();
            let now = hips(&stage);
            assert!(now.angle_between(last) < 0.2, "the hips never jump: {} rad", now.angle_between(last));
            last = now;
        }
        let turned = angle::shortest_turn_rad(start, heading(&stage));
        assert!((turned - asked).abs() < 0.15, "{turned} of {asked} rad");
    }
}

#[test]
fn events_of_clips_pass_as_often_as_their_clips_go_round() {
    let walk = clip(&person("ada.glb"), "Walk") as u32;
    let event = |time: f32, kind| ClipEvent { clip: walk, time, kind, ..ClipEvent::default() };
    let events = vec![
        event(0.0, ClipEventKind::Footstep),
        event(0.5, ClipEventKind::Footstep),
        event(0.25, ClipEventKind::Sound),
        event(0.25, ClipEventKind::Dust),
    ];
    let with_events = |entry: &mut SceneModel| entry.clip_events = events;
    let mut stage = Stage::with_entry("ada.glb", &Profile::flat(), true, with_events);
    let (mut steps, mut sounds, mut rounds, mut most_dust) = (0, 0, 0.0_f32, 0);
    let mut last: Option<f32> = None;
    for _ in 0..(10.0 / STEP_SECS) as usize {
        stage.steer(1.0, 0.0);
        stage.step();
        steps += stage.world.footfalls().count();
        sounds += stage.world.clip_events().filter(|passed| passed.event.kind == ClipEventKind::Sound).count();
        most_dust = most_dust.max(stage.world.dust(1.0).count());
        let playback = &stage.world.live(stage.person).unwrap().now.playback;
        let walking = playback.weighted_clips().into_iter().filter(|(at, _)| at.clip.0 == walk);
        let time = walking.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, weight)| *weight > 0.5);
        if let (Some((at, _)), Some(before)) = (time, last) {
            rounds += (at.time_secs - before).rem_euclid(stage.model.clips[walk as usize].duration_secs);
        }
        last = time.map(|(at, _)| at.time_secs);
    }
    let rounds = rounds / stage.model.clips[walk as usize].duration_secs;
    assert!(rounds > 7.0, "{rounds}");
    assert!((sounds as f32 - rounds).abs() <= 1.0, "{sounds} sounds in {rounds} rounds");
    // Those of standing and starting feet come by themselves, before the walk leads.
    assert!((steps as f32 - 2.0 * rounds).abs() <= 3.0, "{steps} steps in {rounds} rounds");
    assert!(most_dust > 0);
    assert!(stage.world.dust(1.0).all(|grain| grain.place.is_finite() && (0.0..=1.0).contains(&grain.opacity)));
}

#[test]
fn scrubbing_passes_events_too() {
    let walk = clip(&person("ada.glb"), "Walk") as u32;
    let event = ClipEvent { clip: walk, time: 0.4, ..ClipEvent::default() };
    let mut stage =
        Stage::with_entry("ada.glb", &Profile::flat(), true, |entry: &mut SceneModel| entry.clip_events = vec![event]);
    let shows = |time_secs: f32| Preview {
        id: stage.person,
        shows: Playback::of(Blend::from(ClipAt { clip: ClipId(walk), time_secs })),
        ghost: None,
    };
    let previews = [0.3, 0.35, 0.42, 0.42, 0.38].map(shows);
    let passed = previews.map(|preview| {
        stage.world.preview(Some(preview));
        stage.step();
        stage.world.clip_events().count()
    });
    assert_eq!(passed, [0, 0, 1, 0, 1], "forwards and backwards, once each");
}

#[test]
fn curves_move_morph_targets_by_as_much_as_their_clips_count() {
    let idle = clip(&person("ada.glb"), "Idle") as u32;
    let curve = ClipCurve { clip: idle, morph: "smile".into(), keys: vec![[0.0, 0.75]] };
    let mut stage =
        Stage::with_entry("ada.glb", &Profile::flat(), true, |entry: &mut SceneModel| entry.clip_curves = vec![curve]);
    let smile = |stage: &Stage| {
        let set = [("blink".to_owned(), 0.5)].into();
        let weights = stage.world.morph_weights(stage.person, &set);
        assert_eq!(weights["blink"], 0.5, "what the scene sets stays");
        weights.get("smile").copied().unwrap_or(0.0)
    };
    stage.step();
    assert!((smile(&stage) - 0.75).abs() < 1e-3);
    for _ in 0..(3.0 / STEP_SECS) as usize {
        stage.steer(1.0, 0.0);
        stage.step();
    }
    assert_eq!(smile(&stage), 0.0, "it walks");
}

/// How the hips are turned as drawn.
fn hips(stage: &Stage) -> Quat {
    let node = stage.model.skeleton.find("hips").unwrap().0 as usize;
    stage.posed()[node].to_scale_rotation_translation().1
}
