//! Motion matching: root motion taken out of clips, the search of the database, and a character that walks by it.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a person has to fail")]

#[path = "common/hour.rs"]
mod hour;
#[path = "common/stage.rs"]
#[allow(dead_code, reason = "other tests use the rest of the stage")]
mod stage;
#[path = "common/travelling.rs"]
mod travelling;

use glam::{Vec2, Vec3, Vec3Swizzles};
use stage::own_models::{self, matrices};
use stage::{Profile, Stage};
use travelling::{KEY_SECS, legs, noise, travelling};
use walkabout::anim::motion_database::{MotionDatabase, MotionFrame, Trajectory};
use walkabout::asset::clip_compression::compress_clips;
use walkabout::asset::root_track::RootPlace;
use walkabout::asset::{ClipSources, Model};
use walkabout::inspect::motion_meter::MotionMeter;
use walkabout::scene::SceneModel;
use walkabout::sim::STEP_SECS;
use walkabout::vocab::MoveState;

fn ada() -> Model {
    own_models::load("people/ada.glb")
}

/// A walk along a circle of so many metres at a speed, to the left above zero.
fn circle(radius: f32, speed: f32) -> impl Fn(f32) -> RootPlace {
    move |time| {
        let yaw_rad = speed / radius * time;
        RootPlace { at: Vec2::new(radius * (1.0 - yaw_rad.cos()), radius * yaw_rad.sin()), yaw_rad }
    }
}

fn straight(speed: f32) -> impl Fn(f32) -> RootPlace {
    move |time| RootPlace { at: Vec2::new(0.0, speed * time), yaw_rad: 0.0 }
}

/// Ada with a walk ahead and two along circles, their roots taken out, besides her idle clip.
fn walker() -> Model {
    let mut model = ada();
    let idle = model.clips.iter().find(|clip| clip.name == "Idle").unwrap().clone();
    let away = [
        travelling(&model, "Walk", 4.0, straight(1.5)),
        travelling(&model, "Walk", 5.0, circle(2.0, 1.5)),
        travelling(&model, "Walk", 5.0, circle(-2.0, 1.5)),
    ];
    model.clips = std::iter::once(idle).chain(away).collect();
    taken_out(model)
}

fn taken_out(mut model: Model) -> Model {
    let sources = ClipSources { root_tracks: true, ..ClipSources::default() };
    sources.add_to(&mut model, |file| panic!("{} is not asked for", file.display()));
    assert_eq!(model.warnings, Vec::<String>::new());
    model
}

#[test]
fn root_motion_is_taken_out_and_nothing_else() {
    let model = ada();
    for (name, way) in [("ahead", straight(1.5)(4.0).at), ("left", circle(2.0, 1.5)(4.0).at)] {
        let clip = match name {
            "ahead" => travelling(&model, "Walk", 4.0, straight(1.5)),
            _ => travelling(&model, "Walk", 4.0, circle(2.0, 1.5)),
        };
        let before = Model { clips: vec![clip.clone()], ..model.clone() };
        let after = taken_out(before.clone());
        let track = after.root_track(0).unwrap();
        let gone = track.at(4.0).at - track.at(0.0).at;
        assert!(gone.distance(way) < 0.05, "{name}: {gone} instead of {way}");
        for key in (0..=120).step_by(7) {
            let time = key as f32 * KEY_SECS;
            let root = track.at(time);
            let pairs = matrices(&before, &clip, time).into_iter().zip(matrices(&after, &after.clips[0], time));
            let off = pairs.map(|(a, b)| a.w_axis.truncate().distance(root.carry(b.w_axis.truncate())));
            assert!(off.fold(0.0, f32::max) < 1e-3, "{name}, {time} s");
            let hips = matrices(&after, &after.clips[0], time)[after.skeleton.find("hips").unwrap().0 as usize];
            assert!(hips.w_axis.truncate().xz().length() < 0.1, "{name}, {time} s: {}", hips.w_axis);
        }
    }
    // Clips on the spot stay as they are; those from the first start on travel or turn.
    let all = taken_out(model.clone());
    let first = model.clips.iter().position(|clip| clip.name == "StartLeft").unwrap();
    assert!(all.root_tracks[..first].iter().all(Option::is_none) && all.clips[..first] == model.clips[..first]);
    assert!(all.root_tracks[first..].iter().all(Option::is_some) && all.root_tracks.len() == first + 12);
}

#[test]
fn feet_stand_in_clips_whose_root_is_known() {
    let model = walker();
    let legs = legs(&model);
    let ada = ada();
    let on_the_spot = self::legs(&ada);
    let walk = ada.clips.iter().position(|clip| clip.name == "Walk").unwrap();
    assert!((on_the_spot.ground_velocity(walk).z + 1.5).abs() < 0.1, "{}", on_the_spot.ground_velocity(walk));
    assert_eq!(legs.ground_velocity(1), Vec3::ZERO);
    let playback = |clip: u32, time_secs: f32| {
        let at = walkabout::anim::ClipAt { clip: walkabout::ids::ClipId(clip), time_secs };
        walkabout::anim::Playback::of(walkabout::anim::Blend { clips: [at; 2], weight: 0.0 })
    };
    let mut same = 0;
    for i in 0..60 {
        let time = 1.0 + i as f32 / 60.0;
        let [a, b] =
            [legs.stance(&playback(1, time), 0).1, on_the_spot.stance(&playback(walk as u32, time % 1.0), 0).1];
        same += usize::from(a.planted == b.planted);
    }
    assert!(same >= 54, "{same} of 60 moments have the same contacts");
}

#[test]
fn the_search_finds_what_a_scan_finds() {
    let model = walker();
    let database = MotionDatabase::new(&model, &legs(&model), 0..4).unwrap();
    assert_eq!(database.clips().len(), 4);
    let mut seed = 7;
    for i in 0..300 {
        let frame = MotionFrame { clip: i % 4, time_secs: 2.0 + 0.9 * noise(&mut seed) };
        let mut way = Trajectory { directions: [Vec2::Y; 3], ..Trajectory::default() };
        way.places.iter_mut().for_each(|at| *at = 1.5 * Vec2::new(noise(&mut seed), noise(&mut seed)));
        let mut query = database.query(frame, &way).unwrap();
        query.way_weight = 1.0 + (i % 5) as f32;
        let limit = if i % 3 == 0 { database.cost(frame, &query) } else { f32::INFINITY };
        let (found, scanned) = (database.nearest(&query, limit), database.nearest_by_scan(&query, limit));
        assert_eq!(found.map(|found| found.cost), scanned.map(|scanned| scanned.cost));
        assert!(i % 3 == 0 || found.is_some());
    }
}

#[test]
fn clips_for_which_there_is_no_room_leave_room_for_others() {
    let mut model = walker();
    let legs = legs(&model);
    model.clips[0].duration_secs = 1e5;
    let database = MotionDatabase::new(&model, &legs, 0..4).unwrap();
    assert_eq!(database.clips().map(|clip| clip.0).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn an_hour_of_clips_takes_at_most_25_megabytes() {
    let mut model = hour::hour();
    let roots = |model: &Model| model.root_tracks.iter().flatten().map(|track| track.bytes()).sum::<usize>();
    let (legs, roots) = (legs(&model), roots(&model));
    let features = MotionDatabase::new(&model, &legs, 0..hour::CLIPS).unwrap().bytes();
    let made = compress_clips(&mut model, 1.0);
    let worst_mm = made.iter().map(|clip| clip.error_mm).fold(0.0, f32::max);
    assert!(worst_mm <= 1.0, "{worst_mm} mm");
    let keys: usize = made.iter().map(|clip| clip.bytes).sum();
    println!("keys {keys}, features {features}, root tracks {roots} bytes, error {worst_mm:.2} mm");
    assert!(keys + features + roots <= 25_000_000, "{keys} + {features} + {roots} bytes");
}

#[test]
fn frames_lead_where_their_clips_go() {
    let model = walker();
    let database = MotionDatabase::new(&model, &legs(&model), 0..4).unwrap();
    let way = |clip| database.trajectory(MotionFrame { clip, time_secs: 2.0 }).unwrap();
    let (idle, ahead, left, right) = (way(0), way(1), way(2), way(3));
    assert!(idle.places.iter().all(|at| at.length() < 0.02), "{idle:?}");
    assert!(ahead.places[2].distance(Vec2::new(0.0, 1.5)) < 0.05, "{ahead:?}");
    assert!(left.places[2].x > 0.3 && right.places[2].x < -0.3, "{left:?} {right:?}");
    assert!(left.directions[2].x > 0.5 && right.directions[2].x < -0.5);
    for (clip, wanted) in [idle, ahead, left, right].iter().enumerate() {
        assert_eq!(database.nearest_by_way(wanted).unwrap().frame.clip, clip as u32);
    }
}

/// Ada on flat ground, walking by the frames of her idle clip, walk, run, starts, stops, turns and curves.
fn matching() -> Stage {
    let by_matching = |entry: &mut SceneModel| entry.clip_sources.root_tracks = true;
    Stage::with_entry("ada.glb", &Profile::flat(), true, by_matching)
}

fn plays(stage: &Stage) -> String {
    let matched = stage.world.matched_motion(stage.person);
    matched.map_or_else(String::new, |matched| stage.model.clips[matched.at.clip.0 as usize].name.clone())
}

#[test]
fn a_person_stands_walks_runs_and_stops_by_matching() {
    let mut stage = matching();
    for (pace, secs, clip) in
        [(0.0, 1.0, "Idle"), (1.0, 3.0, "Walk"), (2.0, 3.0, "Run"), (1.0, 3.0, "Walk"), (0.0, 2.0, "Idle")]
    {
        for _ in 0..(secs / STEP_SECS) as usize {
            stage.steer(pace, 0.0);
            stage.step();
        }
        assert!(plays(&stage).starts_with(clip), "pace {pace}: {}", plays(&stage));
    }
    let matched = stage.world.matched_motion(stage.person).unwrap();
    assert!((3..20).contains(&matched.jumps), "{} jumps", matched.jumps);
}

#[test]
fn loops_alone_go_over_into_each_other() {
    let loops = |entry: &mut SceneModel| {
        entry.clip_sources.root_tracks = true;
        entry.matching_clips = vec![0, 1];
    };
    let mut stage = Stage::with_entry("ada.glb", &Profile::flat(), true, loops);
    for (pace, clip) in [(0.0, "Idle"), (1.0, "Walk"), (0.0, "Idle")] {
        for _ in 0..(2.0 / STEP_SECS) as usize {
            stage.steer(pace, 0.0);
            stage.step();
        }
        assert_eq!(plays(&stage), clip, "pace {pace}");
    }
}

#[test]
fn feet_and_joints_move_as_well_by_matching() {
    let mut stage = matching();
    let mut meter = MotionMeter::default();
    for i in 0..(24.0 / STEP_SECS) as usize {
        // Starts, stops and turns.
        let second = (i as f32 * STEP_SECS) as usize;
        let (pace, heading_rad) =
            [(1.0, 0.0), (1.0, 0.7), (0.0, 0.7), (1.0, -0.6), (2.0, -0.6), (1.0, 0.2)][second / 2 % 6];
        stage.steer(pace, heading_rad);
        stage.step();
        meter.observe(&stage.world);
    }
    let report = meter.report();
    assert!(report.planted_drift_cm_per_sec.mean <= 1.0, "{:?}", report.planted_drift_cm_per_sec);
    assert!(report.off_ground_cm.mean <= 0.5, "{:?}", report.off_ground_cm);
    assert!(report.transition_acceleration.p99 <= 2.0, "{:?}", report.transition_acceleration);
}

#[test]
fn actions_interrupt_and_the_walk_goes_on() {
    let mut stage = matching();
    let mut seen = Vec::new();
    for i in 0..300 {
        if i == 60 {
            stage.world.orders_mut(stage.person).unwrap().action = Some(MoveState::Wave);
        }
        stage.steer(0.0, 0.0);
        stage.step();
        let playback = stage.world.live(stage.person).unwrap().now.playback;
        let name = &stage.model.clips[playback.clips[0].clip.0 as usize].name;
        if seen.last() != Some(name) {
            seen.push(name.clone());
        }
    }
    assert_eq!(seen, ["Idle", "Wave", "Idle"]);
    assert_eq!(stage.world.motion_database(stage.person).unwrap().clips().len(), 15);
}
