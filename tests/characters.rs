//! Our own people on flat ground, slopes and stairs: where their feet are, what their heads do, what they act.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a model has to fail")]

#[path = "common/stage.rs"]
mod stage;

use glam::{Mat4, Quat, Vec2, Vec3};
use stage::{Profile, Stage};
use std::sync::Arc;
use walkabout::anim::inertialization::Transition;
use walkabout::anim::legs::{Legs, Similarity};
use walkabout::anim::sample::PoseOverride;
use walkabout::anim::{ClipAt, Playback};
use walkabout::asset::{Channel, Clip, Model, Track};
use walkabout::ids::{ClipId, NodeId};
use walkabout::inspect::motion_meter::{MotionMeter, MotionReport};
use walkabout::math::Trs;
use walkabout::sim::{STEP_SECS, Steer};
use walkabout::vocab::{MoveDirection, MoveState};

/// An override that changes nothing.
const STILL: PoseOverride = PoseOverride { node: 0, rotation: Quat::IDENTITY, translation: Vec3::ZERO };

/// What was measured of feet, metres.
#[derive(Default)]
struct Measured {
    /// Distance of the lowest part of a standing foot from the ground, and depth of a swinging one in it.
    off: Vec<f32>,
    /// Way of a foot while it stood, per step.
    slides: Vec<f32>,
    /// Largest change of the hips' speed upwards, per step of the simulation.
    jerk: f32,
    /// Where on the profile they were, and how far the hips were raised over their place in the clip.
    raised: Vec<[f32; 2]>,
}

impl Measured {
    fn mean(values: &[f32]) -> f32 {
        values.iter().sum::<f32>() / values.len().max(1) as f32
    }

    /// How far the hips go up and down over their place in the clip between two places of the profile.
    fn bob(&self, from: f32, to: f32) -> f32 {
        let heights = || self.raised.iter().filter(|[z, _]| (from..to).contains(z)).map(|[_, y]| *y);
        heights().fold(f32::NEG_INFINITY, f32::max) - heights().fold(f32::INFINITY, f32::min)
    }

    fn part(&self, share: f32) -> f32 {
        let mut sorted = self.off.clone();
        sorted.sort_by(f32::total_cmp);
        sorted[((sorted.len() - 1) as f32 * share) as usize]
    }
}

/// Walks straight on for so many seconds and measures both feet from the first second on.
fn walk(person: &str, profile: &Profile, pace: f32, seconds: f32, feet: bool) -> Measured {
    let mut stage = Stage::new(person, profile, feet);
    let mut out = Measured::default();
    let mut stood: [Option<(Vec3, Vec3)>; 2] = [None; 2];
    let mut hips: Vec<f32> = Vec::new();
    let pelvis = stage.legs.nodes[stage.legs.pelvis] as usize;
    for i in 0..(seconds / STEP_SECS) as usize {
        stage.steer(pace, 0.0);
        stage.step();
        if i < 60 {
            continue;
        }
        let posed = stage.posed();
        let now = &stage.world.live(stage.person).unwrap().now;
        let clip = stage.legs.pose(&now.playback, None, Similarity::ORIGIN).places[stage.legs.pelvis].position.y;
        hips.push(posed[pelvis].w_axis.y);
        out.raised.push([now.position.z, posed[pelvis].w_axis.y - now.position.y - clip]);
        for (leg, stood) in stood.iter_mut().enumerate() {
            let (sole, planted) = stage.foot(&posed, leg);
            let points = [sole[0], (sole[0] + sole[1]) * 0.5, sole[1]];
            let low = points.map(|p| p.y - profile.height(p.z)).into_iter().fold(f32::INFINITY, f32::min);
            out.off.push(if planted { low.abs() } else { (-low).max(0.0) });
            // The way of the part that carries: where it was when it began to.
            *stood = match (*stood, planted) {
                (Some((_, last)), true) => {
                    let ball_carries = sole[1].y <= sole[0].y + 0.005;
                    if ball_carries {
                        let flat = |p: Vec3| Vec2::new(p.x, p.z);
                        *out.slides.last_mut().unwrap() += flat(sole[1]).distance(flat(last));
                    }
                    Some((sole[0], sole[1]))
                }
                (None, true) => {
                    out.slides.push(0.0);
                    Some((sole[0], sole[1]))
                }
                _ => None,
            };
        }
    }
    for w in hips.windows(3) {
        out.jerk = out.jerk.max((w[2] - 2.0 * w[1] + w[0]).abs());
    }
    out
}

fn report(what: &str, m: &Measured) {
    println!(
        "{what}: off the ground mean {:.1} mm, p99 {:.1} mm, most {:.1} mm; slide per step {:.1} mm ({} steps); jerk {:.1} mm",
        Measured::mean(&m.off) * 1e3,
        m.part(0.99) * 1e3,
        m.part(1.0) * 1e3,
        Measured::mean(&m.slides) * 1e3,
        m.slides.len(),
        m.jerk * 1e3
    );
}

#[test]
fn feet_stay_on_stairs_and_slopes() {
    for person in ["ada.glb", "bruno.glb", "carla.glb"] {
        for (name, profile, seconds) in [
            ("flat", Profile::flat(), 10.0),
            ("30 degrees", Profile::slopes(), 10.0),
            ("stairs", Profile::stairs(), 9.0),
        ] {
            for (gait, pace) in [("walk", 1.0), ("run", 2.0)] {
                let what = format!("{person}, {name}, {gait}");
                // A walk takes slopes and stairs more slowly.
                let seconds = if pace > 1.0 { seconds / pace } else { seconds * 1.25 };
                let m = walk(person, &profile, pace, seconds, true);
                report(&what, &m);
                assert!(m.slides.len() > 6, "{what}: {} steps", m.slides.len());
                assert!(Measured::mean(&m.off) <= 0.01, "{what}: mean {} m", Measured::mean(&m.off));
                assert!(m.part(0.99) <= 0.04, "{what}: p99 {} m", m.part(0.99));
                assert!(Measured::mean(&m.slides) <= 0.008, "{what}: slides {} m a step", Measured::mean(&m.slides));
            }
        }
    }
}

/// Whether two lists change the same nodes by the same, but for rounding.
fn same_overrides(a: &[PoseOverride], b: &[PoseOverride]) -> bool {
    let same = |(a, b): (&PoseOverride, &PoseOverride)| {
        a.node == b.node
            && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-5
            && a.translation.distance(b.translation) < 1e-6
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

#[test]
fn legs_left_to_the_device_take_the_same_pose() {
    let mut stages = [false, true].map(|on_device| {
        let mut stage = Stage::new("ada.glb", &Profile::stairs(), true);
        Arc::make_mut(&mut stage.scene.settings).ik_on_device = on_device;
        stage
    });
    let (mut left, mut bent) = (0, 0);
    for step in 0..300 {
        for stage in &mut stages {
            stage.steer(1.0, 0.0);
            stage.step();
        }
        let [here, there] = stages.each_ref().map(|stage| {
            let mut overrides = Vec::new();
            stage.world.overrides(stage.person, 1.0, &mut overrides);
            overrides
        });
        assert!(same_overrides(&here, &there), "step {step}: {here:?} {there:?}");
        // What is drawn: the device fills in what the legs that are left to it say.
        let (mut drawn, mut unsolved) = (vec![here.first().copied().unwrap_or(STILL)], Vec::new());
        stages[1].world.overrides_and_legs(stages[1].person, 1.0, &mut drawn, &mut unsolved);
        drawn.remove(0);
        left += unsolved.len();
        for leg in unsolved {
            let turns = leg.solve.solve();
            for (slot, turn) in drawn[leg.first_override as usize..].iter_mut().zip(&turns.chain[..leg.solve.count]) {
                assert_eq!(slot.rotation, Quat::IDENTITY);
                slot.rotation = *turn;
            }
            if let Some(toes) = leg.toes_override {
                drawn[toes as usize].rotation = turns.toes;
                bent += 1;
            }
        }
        let by_node = |mut all: Vec<PoseOverride>| {
            all.sort_by_key(|one| one.node);
            all
        };
        assert!(same_overrides(&by_node(drawn), &by_node(here)), "step {step}");
    }
    assert!(left > 300 && bent > 20, "{left} legs, {bent} bent toes");
}

#[test]
fn hips_keep_steady_up_and_down_a_slope() {
    let m = walk("ada.glb", &Profile::slopes(), 1.0, 12.5, true);
    // A leg stays behind by half a stride, a quarter of a metre lower: heels are lifted before hips sink that far.
    let (up, down) = (m.bob(3.0, 4.7), m.bob(9.8, 11.7));
    assert!((0.01..0.15).contains(&up), "up by {up} m");
    assert!((0.01..0.17).contains(&down), "down by {down} m");
    assert!(m.bob(6.0, 8.4) < 0.04, "on flat ground by {} m", m.bob(6.0, 8.4));
    assert!(m.jerk < 0.016, "by {} m a step of the simulation", m.jerk);
}

#[test]
fn walkers_climb_more_slowly_and_take_no_more_steps() {
    let mut stage = Stage::new("ada.glb", &Profile::stairs(), true);
    let mut landings: Vec<[f32; 2]> = Vec::new();
    let mut stood = [true; 2];
    for i in 0..900 {
        stage.steer(1.0, 0.0);
        stage.step();
        let posed = stage.posed();
        let z = stage.world.live(stage.person).unwrap().now.position.z;
        for (leg, stood) in stood.iter_mut().enumerate() {
            let planted = stage.foot(&posed, leg).1;
            if planted && !std::mem::replace(stood, planted) {
                landings.push([z, i as f32 * STEP_SECS]);
            }
            *stood = planted;
        }
    }
    // Steps per second, and speed, between two places.
    let rates = |from: f32, to: f32| {
        let part: Vec<_> = landings.iter().filter(|[z, _]| (from..to).contains(z)).collect();
        let ([z0, t0], [z1, t1]) = (part[0], part[part.len() - 1]);
        [(part.len() - 1) as f32 / (t1 - t0), (z1 - z0) / (t1 - t0)]
    };
    let ([up, climb], [flat, speed]) = (rates(2.4, 4.3), rates(11.0, 18.0));
    println!("{up} steps a second at {climb} m/s on stairs, {flat} at {speed} m/s on flat ground");
    assert!((1.4..1.6).contains(&speed) && climb < 0.75 * speed, "{climb} and {speed} m/s");
    assert!(up < 1.1 * flat, "{up} and {flat} steps a second");
}

#[test]
fn without_it_feet_sink_in_and_hover() {
    let m = walk("ada.glb", &Profile::stairs(), 1.0, 9.0, false);
    report("without", &m);
    assert!(Measured::mean(&m.off) > 0.02);
}

#[test]
fn knees_bend_forward_and_stillness_is_still() {
    let mut stage = Stage::new("ada.glb", &Profile::stairs(), true);
    let at = |posed: &[Mat4], stage: &Stage, leg: usize, joint: usize| {
        posed[stage.legs.nodes[stage.legs.legs[leg].chain[joint]] as usize].w_axis.truncate()
    };
    for i in 0..540 {
        stage.steer(if i < 300 { 1.0 } else { 0.0 }, 0.0);
        stage.step();
        let posed = stage.posed();
        for leg in 0..2 {
            let [hip, knee, ankle] = [0, 1, 2].map(|j| at(&posed, &stage, leg, j));
            let out = (knee - hip).reject_from(ankle - hip);
            assert!(out.z > -0.005, "step {i}: a knee bends back by {}", out.z);
        }
    }
    // Standing on a step: feet do not creep.
    let before = [0, 1].map(|leg| stage.foot(&stage.posed(), leg).0);
    (0..120).for_each(|_| stage.step());
    let after = [0, 1].map(|leg| stage.foot(&stage.posed(), leg).0);
    for (a, b) in before.iter().flatten().zip(after.iter().flatten()) {
        assert!(a.distance(*b) < 0.02, "{a} -> {b}");
    }
}

#[test]
fn legs_read_ahead_agree_with_the_clips() {
    let stage = Stage::new("bruno.glb", &Profile::flat(), false);
    let mut live = stage.world.live(stage.person).unwrap().clone();
    for clip in 0..stage.model.clips.len() as u32 {
        for i in 0..20 {
            let time_secs = stage.model.clips[clip as usize].duration_secs * i as f32 / 19.0;
            live.now.playback.clips = [walkabout::anim::ClipAt { clip: walkabout::ids::ClipId(clip), time_secs }; 2];
            live.before = live.now;
            let full = walkabout::sim::pose::model_from_node(&stage.model, &live, &[], 1.0);
            let pose = stage.legs.pose(&live.now.playback, None, Similarity::ORIGIN);
            for (k, node) in stage.legs.nodes.iter().enumerate() {
                let expected = full[*node as usize].w_axis.truncate();
                assert!(pose.places[k].position.distance(expected) < 2e-3, "clip {clip} at {time_secs}: node {node}");
            }
        }
    }
}

#[test]
fn heads_turn_and_look_up_whatever_the_pose() {
    let mut stage = Stage::new("ada.glb", &Profile::flat(), false);
    let head = stage.model.skeleton.find("head").unwrap().0 as usize;
    let gaze = |stage: &Stage| (stage.posed()[head].transform_vector3(Vec3::Z)).normalize();
    let hold = |stage: &mut Stage, head: Vec2| {
        stage.world.orders_mut(stage.person).unwrap().head = Some(head);
        (0..60).for_each(|_| stage.step());
    };
    let mut seen = Vec::new();
    for (x, y) in [(0.0, 0.0), (-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (-1.0, -1.0)] {
        hold(&mut stage, Vec2::new(x, y));
        seen.push(gaze(&stage));
    }
    let [ahead, left, right, up, down, both] = seen[..] else { panic!() };
    // Facing +Z, left is +X.
    assert!(left.x > 0.5 && right.x < -0.5, "{left} {right}");
    assert!(up.y > ahead.y + 0.2 && down.y < ahead.y - 0.2, "{up} {down}");
    assert!(both.x > 0.35 && both.y > ahead.y + 0.15, "{both}");
}

#[test]
fn actions_play_once_when_allowed() {
    let mut stage = Stage::new("carla.glb", &Profile::flat(), true);
    (0..30).for_each(|_| stage.step());
    stage.world.orders_mut(stage.person).unwrap().action = Some(MoveState::Punch);
    let mut busy = 0;
    for _ in 0..300 {
        stage.step();
        let state = stage.world.live(stage.person).unwrap().state;
        assert_eq!(state == MoveState::Punch, stage.world.is_busy(stage.person));
        busy += usize::from(state == MoveState::Punch);
    }
    assert!((20..120).contains(&busy), "{busy} steps");
    // A jump takes the way along, a punch is not taken while walking.
    (0..60).for_each(|_| {
        stage.steer(1.0, 0.0);
        stage.step();
    });
    stage.world.orders_mut(stage.person).unwrap().action = Some(MoveState::Punch);
    stage.step();
    assert!(!stage.world.is_busy(stage.person));
    stage.world.orders_mut(stage.person).unwrap().action = Some(MoveState::Jump);
    stage.step();
    assert!(stage.world.is_busy(stage.person));
    let z = stage.world.live(stage.person).unwrap().now.position.z;
    (0..20).for_each(|_| stage.step());
    assert!(stage.world.live(stage.person).unwrap().now.position.z > z + 0.3);
}

#[test]
fn steering_runs_and_goes_sideways() {
    let mut stage = Stage::new("ada.glb", &Profile::flat(), true);
    let steer = Steer { heading_rad: 0.0, pace: 1.0, direction: MoveDirection::Left };
    stage.world.orders_mut(stage.person).unwrap().steer = Some(steer);
    (0..90).for_each(|_| stage.step());
    let now = stage.world.live(stage.person).unwrap().now;
    assert!(now.velocity.x > 1.4 && now.velocity.z.abs() < 0.05 && now.yaw_rad.abs() < 0.01, "{now:?}");
    stage.steer(2.0, 0.0);
    (0..90).for_each(|_| stage.step());
    let live = stage.world.live(stage.person).unwrap();
    assert!(live.now.velocity.z > 2.9, "{}", live.now.velocity);
    assert_eq!(live.state, MoveState::Run);
}

/// Motion of a character that walks and stops by turns.
fn measured_motion(profile: &Profile, feet: bool, seconds: f32) -> MotionReport {
    let mut stage = Stage::new("ada.glb", profile, feet);
    let mut meter = MotionMeter::default();
    for i in 0..(seconds / STEP_SECS) as usize {
        stage.steer(if i % 240 < 200 { 1.0 } else { 0.0 }, 0.0);
        stage.step();
        meter.observe(&stage.world);
    }
    meter.report()
}

#[test]
fn motion_is_measured_on_fixtures() {
    let flat = measured_motion(&Profile::flat(), true, 12.0);
    println!("{flat:?}");
    assert_eq!(flat.characters, 1);
    assert!((flat.seconds - 12.0).abs() < 0.1 && (12.0..18.0).contains(&flat.walked_m), "{flat:?}");
    assert!((1.5..3.0).contains(&flat.steps_per_sec) && (1.3..1.6).contains(&flat.step_speed_m_per_sec), "{flat:?}");
    let drift = flat.planted_drift_cm_per_sec;
    assert!(flat.off_ground_cm.mean < 0.5 && drift.mean < 0.02 && drift.p99 < 0.2, "{flat:?}");
    assert!(flat.transition_acceleration.p99 < 2.0, "{flat:?}");
    assert!(flat.transition_acceleration.p99 > 0.0 && flat.overlaps == 0, "{flat:?}");
    let hovering = measured_motion(&Profile::stairs(), false, 7.0);
    println!("{hovering:?}");
    assert!(hovering.off_ground_cm.mean > 2.0 * flat.off_ground_cm.mean, "{hovering:?}");
}

#[test]
fn feet_are_on_the_ground_from_the_first_step_on() {
    let profile = Profile::hillside();
    let mut stage = Stage::new("ada.glb", &profile, true);
    for _ in 0..20 {
        stage.step();
        let posed = stage.posed();
        for leg in 0..2 {
            let ([heel, ball], planted) = stage.foot(&posed, leg);
            let off = [heel, ball].map(|p| p.y - profile.height(p.z));
            assert!(planted && off[0].min(off[1]).abs() < 0.01, "after {} steps: {off:?}", stage.world.steps());
        }
    }
}

#[test]
fn a_foot_that_is_left_behind_never_jumps() {
    let mut stage = Stage::new("ada.glb", &Profile::flat(), true);
    let mut stood = [None; 2];
    let (mut farthest, mut swings) = (0.0_f32, 0);
    for i in 0..3000 {
        // Starts, stops and turns about at the worst moments.
        let pace = if i % 130 < 100 { 1.0 } else { 0.0 };
        stage.steer(pace, [0.0, 2.8, -1.4, 1.9, 3.1][i / 47 % 5]);
        stage.step();
        let posed = stage.posed();
        for (leg, stood) in stood.iter_mut().enumerate() {
            let (sole, planted) = stage.foot(&posed, leg);
            if let Some(old) = std::mem::replace(stood, planted.then_some(sole))
                && planted
            {
                let way = |k: usize| Vec2::new(sole[k].x, sole[k].z).distance(Vec2::new(old[k].x, old[k].z));
                farthest = farthest.max(way(0).min(way(1)));
            }
            swings += usize::from(!planted);
        }
    }
    println!("{farthest} m in a step, {swings} steps of swinging feet");
    assert!(farthest < 0.003 && swings > 500, "{farthest} m in a step, {swings}");
}

#[test]
fn feet_beyond_an_edge_swing_back_over_it() {
    let profile = Profile::beam();
    let mut stage = Stage::new("ada.glb", &profile, true);
    let (mut deepest, mut over) = (0.0_f32, 0);
    for i in 0..1500 {
        // Turns on the spot, heels and balls beyond the edges by turns.
        stage.steer(0.0, [0.0, 1.9, 0.4, -1.6, 3.0][i / 60 % 5]);
        stage.step();
        let posed = stage.posed();
        for leg in 0..2 {
            let (sole, planted) = stage.foot(&posed, leg);
            for point in sole.iter().filter(|p| !planted && profile.height(p.z) == 0.0) {
                (deepest, over) = (deepest.max(-point.y), over + 1);
            }
        }
    }
    let at = stage.world.live(stage.person).unwrap().now.position;
    println!("{deepest} m, {over} points, {at}");
    assert!(at.length() < 0.02, "a mesh 3 m below moves no character: {at}");
    assert!(over > 1000 && deepest < 0.005, "{deepest} m in the beam, {over} points");
}

#[test]
fn legs_follow_clips_of_any_frame_rate_between_keys() {
    let stage = Stage::new("ada.glb", &Profile::flat(), true);
    let source = stage.model.clips.iter().find(|clip| clip.name == "Walk").unwrap();
    let chains = stage.legs.legs.each_ref().map(|leg| {
        let nodes = leg.chain.iter().rev().map(|i| stage.legs.nodes[*i]);
        nodes.collect::<Vec<u32>>()
    });
    for rate in [24.0, 25.0, 30.0, 50.0, 120.0] {
        let count = (source.duration_secs * rate).ceil() as usize;
        let times: Vec<f32> = (0..=count).map(|i| i as f32 / rate).collect();
        let channel = |node: usize| {
            let rest = &stage.model.skeleton.rest[node];
            let local = |time: &f32| source.local_at(NodeId(node as u32), *time, rest).unwrap_or(*rest);
            let values = times.iter().map(|time| local(time).rotation).collect();
            let rotation = Track { times_secs: times.clone(), values };
            Channel { node: NodeId(node as u32), rotation, ..Channel::default() }
        };
        let channels = (0..stage.model.skeleton.len()).map(channel).collect();
        let clip = Clip { duration_secs: times[count], channels, ..Clip::default() };
        let model = Model { clips: vec![clip], ..Model::clone(&stage.model) };
        let legs = Legs::new(&model, &chains[0], &chains[1]).unwrap();
        let mut farthest = 0.0_f32;
        for i in 0..500 {
            let at = ClipAt { clip: ClipId(0), time_secs: model.clips[0].duration_secs * i as f32 / 500.0 };
            let pose = legs.pose(&Playback { clips: [at; 2], ..Playback::default() }, None, Similarity::ORIGIN);
            let local = |node, rest: &Trs| model.clips[0].local_at(node, at.time_secs, rest).unwrap_or(*rest);
            let drawn = model.skeleton.model_from_node(local);
            for (place, node) in pose.places.iter().zip(&legs.nodes) {
                farthest = farthest.max(place.position.distance(drawn[*node as usize].w_axis.truncate()));
            }
        }
        // Keys closer than samples are those of motion that moves little between two of them.
        let limit = if rate > 60.0 { 3e-3 } else { 1e-4 };
        assert!(farthest < limit, "{rate} keys a second: {farthest} m");
    }
}

#[test]
fn planted_feet_hold_their_place_on_stairs() {
    let motion = measured_motion(&Profile::stairs(), true, 14.0);
    println!("{motion:?}");
    assert!(motion.walked_m > 10.0, "up and down: {motion:?}");
    assert!(motion.planted_drift_cm_per_sec.p99 < 2.0 && motion.off_ground_cm.p99 < 2.0, "{motion:?}");
}

#[test]
fn transitions_take_no_joint_beyond_twice_its_own_acceleration() {
    let [fading, inertial] = [Transition::CrossFade, Transition::Inertial].map(|transition| {
        let mut stage = Stage::new("ada.glb", &Profile::flat(), true);
        Arc::make_mut(&mut stage.scene.settings).transition = transition;
        let mut meter = MotionMeter::default();
        let actions = [MoveState::Punch, MoveState::Kick, MoveState::Interact, MoveState::Wave, MoveState::Pick];
        for i in 0..1800 {
            // An order a second and more, whatever plays.
            if i % 71 == 30 {
                stage.world.orders_mut(stage.person).unwrap().action = Some(actions[i / 71 % actions.len()]);
            }
            stage.step();
            meter.observe(&stage.world);
        }
        meter.report().transition_acceleration
    });
    println!("cross-fades {fading:?}, inertial {inertial:?}");
    assert!(inertial.p99 <= 2.0 && inertial.mean > 0.1, "{inertial:?}");
}

#[test]
fn people_stop_with_both_feet_down_and_hips_up() {
    let mut stage = Stage::new("ada.glb", &Profile::flat(), true);
    let pelvis = stage.legs.nodes[stage.legs.pelvis] as usize;
    let mut stood: Option<[Vec3; 2]> = None;
    for i in 0..330 {
        stage.steer(if i < 150 { 1.0 } else { 0.0 }, 0.0);
        stage.step();
        let (posed, clip) = (stage.posed(), stage.world.clip_pose(stage.person).unwrap());
        let feet = stage.world.feet(stage.person, &posed).unwrap();
        let hips = posed[pelvis].w_axis.y - clip[pelvis].w_axis.y;
        assert!(hips > -0.05, "step {i}: hips {hips}");
        if i < 240 {
            continue;
        }
        let at = stage.world.live(stage.person).unwrap().now.position;
        let soles = feet.map(|foot| foot.sole[0]);
        assert!(feet.iter().all(|foot| foot.planted && foot.sole.iter().all(|p| p.y.abs() < 0.005)), "{feet:?}");
        assert!(soles.iter().all(|p| (p.z - at.z).abs() < 0.12), "a foot stays behind: {soles:?} of {at}");
        if let Some(stood) = stood.replace(soles) {
            assert!(stood.iter().zip(soles).all(|(a, b)| a.distance(b) < 1e-4), "step {i}: {stood:?} {soles:?}");
        }
    }
}

#[test]
fn feet_step_when_the_body_turns_on_the_spot() {
    let mut stage = Stage::new("ada.glb", &Profile::flat(), true);
    let mut meter = MotionMeter::default();
    for i in 0..300 {
        stage.steer(0.0, if i < 60 { 0.0 } else { 2.5 });
        stage.step();
        meter.observe(&stage.world);
    }
    let motion = meter.report();
    println!("{motion:?}");
    assert!(motion.planted_turn_deg_per_sec.mean < 20.0, "{motion:?}");
    assert!(motion.planted_drift_cm_per_sec.mean < 3.0, "{motion:?}");
}

#[test]
fn feet_keep_up_with_a_body_that_turns_about_fast() {
    let mut stage = Stage::new("ada.glb", &Profile::flat(), true);
    // By cross-fades bodies turn once around in a second, as they do at the start of a path.
    Arc::make_mut(&mut stage.scene.settings).transition = Transition::CrossFade;
    let mut stood: [Option<Quat>; 2] = [None; 2];
    let (mut turned_rad, mut stands) = (0.0_f32, 0);
    for i in 0..900 {
        stage.steer(0.0, [0.0, 2.8, -0.6, 1.7][i / 90 % 4]);
        stage.step();
        let feet = stage.world.feet(stage.person, &stage.posed()).unwrap();
        for (foot, stood) in feet.iter().zip(&mut stood) {
            if let Some(old) = std::mem::replace(stood, foot.planted.then_some(foot.rotation))
                && foot.planted
            {
                (turned_rad, stands) = (turned_rad + old.angle_between(foot.rotation), stands + 1);
            }
        }
    }
    println!("{turned_rad} rad in {stands} steps of feet that stand");
    assert!(stands > 900 && turned_rad < 1.0, "{turned_rad} rad in {stands}");
}

#[test]
fn soles_stay_out_of_the_ground_while_gaits_blend() {
    let mut stage = Stage::new("ada.glb", &Profile::flat(), true);
    let mut lowest = 0.0_f32;
    for i in 0..720 {
        // Below full walking speed standing is blended with walking.
        stage.steer([0.0, 0.2, 0.4, 0.7][i / 60 % 4], 0.0);
        stage.step();
        let posed = stage.posed();
        let soles = [0, 1].map(|leg| stage.foot(&posed, leg).0);
        lowest = soles.iter().flatten().fold(lowest, |lowest, point| lowest.min(point.y));
    }
    assert!(lowest > -0.012, "{lowest} m");
}
