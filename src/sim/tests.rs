//! Whole steps, looked at from inside; what shows from outside is in `tests/simulation`.

use super::model_rig::ModelRig;
use super::{EventKind, NavStatus};
use crate::ids::InstanceId;
use crate::scene::ClipEvent;
use crate::vocab::MoveState;
use glam::Vec3;
use stage::{Plan, Stage, punching};
use std::sync::Arc;

#[path = "../../tests/common/halls.rs"]
#[allow(dead_code, reason = "tests from outside use the rest")]
mod halls;
#[path = "../../tests/simulation/stage.rs"]
#[allow(dead_code, reason = "tests from outside use the rest")]
mod stage;

#[test]
fn corners_are_rounded_without_brushing_along_walls() {
    // A slalom: walls from both sides, each a little beyond the middle.
    let mut plan = Plan::default().floor([-3.0, 3.0], 0.0, [-1.0, 13.0]);
    for i in 0..4 {
        let x = if i % 2 == 0 { [-3.0, 0.6] } else { [-0.6, 3.0] };
        plan = plan.block(x, [0.0, 2.0], [i as f32 * 3.0 + 1.5, i as f32 * 3.0 + 1.6]);
    }
    let mut stage = Stage::new(plan);
    let target = stage.marker(Vec3::new(0.0, 0.0, 12.5));
    let walker = stage.walker(Vec3::new(0.0, 0.0, -0.5), target);
    for _ in 0..900 {
        stage.step();
        assert!(stage.world.instances.characters[1].radius_scale.factor() > 0.8, "no agent has to shrink");
    }
    stage.run(1.0);
    assert_eq!(stage.live(walker).nav, NavStatus::Arrived);
    assert!(stage.count(EventKind::Wall) <= 4, "more than one touch a corner");
}

#[test]
fn ledges_and_walls_stop_characters() {
    let ledge = Plan::default().floor([0.0, 9.0], 0.0, [-4.0, 4.0]).block([-5.0, 0.0], [0.0, 5.0], [-4.0, 4.0]);
    let wall = Plan::default().floor([-5.0, 9.0], 5.0, [-4.0, 4.0]).block([0.0, 0.1], [5.0, 8.0], [-4.0, 4.0]);
    for (plan, farthest) in [(ledge, 0.3), (wall, 0.0)] {
        let mut stage = Stage::new(plan);
        let target = stage.marker(Vec3::new(-4.0, 5.0, 3.0));
        let walker = stage.walker(Vec3::new(-2.0, 5.0, 0.0), target);
        stage.step();
        for _ in 0..300 {
            let (live, body) = stage.world.instances.at_mut(1);
            live.nav = NavStatus::Walking;
            live.path = vec![Vec3::new(4.0, 5.0, 0.5), Vec3::new(8.0, 5.0, 0.5)];
            body.nav.wants_path = false;
            stage.step();
            let at = stage.at(walker);
            assert!(at.x < farthest && (at.y - 5.0).abs() < 1e-3, "{at}");
        }
        assert!(stage.at(walker).x > -0.5, "it has to get to the end: {}", stage.at(walker));
    }
}

#[test]
fn characters_look_at_the_nearest_neighbour_and_smile() {
    let mut stage = Stage::new(Plan::default().floor([-20.0, 20.0], 0.0, [-20.0, 20.0]));
    let places = [(0.0, 0.0), (0.0, 5.0), (-2.0, 2.0)];
    let [watcher, far, near] = places.map(|(x, z)| stage.add(stage.person, Vec3::new(x, 0.0, z), None));
    let saved = Arc::make_mut(stage.scene.instances.get_mut(watcher).unwrap());
    (saved.look_at_range, saved.look_at_smile) = (4.0, 0.8);
    stage.world.reconcile(&stage.scene, &stage.assets);
    stage.run(1.0);
    let features = |stage: &Stage, id| stage.world.instances.characters[stage.world.index_of(id).unwrap()].features;
    let shown = features(&stage, watcher);
    assert!(shown.head.x > 0.5 && shown.head.y.abs() < 0.05, "it looks to the right: {shown:?}");
    assert!((shown.face[3] - 0.8).abs() < 1e-3 && features(&stage, far).head == glam::Vec2::ZERO);
    stage.move_to(near, Vec3::new(0.0, 0.0, -3.0));
    stage.run(1.0);
    let shown = features(&stage, watcher);
    assert!(shown.head == glam::Vec2::ZERO && shown.face == [0.0; 4], "no character is before it: {shown:?}");
}

/// A character with a punch, on a floor.
fn stage_of_one() -> (Stage, InstanceId) {
    let mut stage = punching(true, Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]));
    let id = stage.add(stage.person, Vec3::ZERO, None);
    stage.world.reconcile(&stage.scene, &stage.assets);
    (stage, id)
}

fn rig(stage: &Stage, id: InstanceId) -> Arc<ModelRig> {
    stage.world.instances.characters[stage.world.index_of(id).unwrap()].binding.rig.clone()
}

#[test]
fn events_and_curves_change_without_a_new_rig() {
    let (mut stage, id) = stage_of_one();
    let root = |stage: &Stage| rig(stage, id).moves.roots[MoveState::Punch as usize].clone().unwrap();
    let before = root(&stage);
    let entry = Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap());
    entry.clip_events.push(ClipEvent { clip: 1, time: 0.5, ..ClipEvent::default() });
    stage.world.reconcile(&stage.scene, &stage.assets);
    assert_eq!(rig(&stage, id).events.len(), 1);
    assert!(Arc::ptr_eq(&before, &root(&stage)), "nothing else is made anew");
    let entry = Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap());
    entry.actions[0].clip.speed = 0.5;
    stage.world.reconcile(&stage.scene, &stage.assets);
    assert!(!Arc::ptr_eq(&before, &root(&stage)));
}

#[test]
fn a_change_of_one_model_leaves_characters_of_others_alone() {
    let (mut stage, id) = stage_of_one();
    let marker = stage.marker(Vec3::X * 3.0);
    let markers = stage.scene.instances.get(marker).unwrap().model_id().unwrap();
    stage.run(0.5);
    let slot = stage.world.index_of(id).unwrap();
    stage.world.instances.characters[slot].asleep = true;
    Arc::make_mut(stage.scene.models.get_mut(markers).unwrap()).name = "another".into();
    stage.world.reconcile(&stage.scene, &stage.assets);
    assert!(stage.world.instances.characters[slot].asleep, "it sleeps on");
    Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap()).actions[0].clip.speed = 0.5;
    stage.world.reconcile(&stage.scene, &stage.assets);
    assert!(!stage.world.instances.characters[slot].asleep, "its own model has changed");
}

#[test]
fn a_restart_makes_no_rig_anew() {
    let (mut stage, id) = stage_of_one();
    let before = rig(&stage, id);
    stage.run(0.5);
    stage.world = std::mem::take(&mut stage.world).restarted();
    stage.world.reconcile(&stage.scene, &stage.assets);
    assert!(Arc::ptr_eq(&before, &rig(&stage, id)) && stage.world.steps() == 0);
}
