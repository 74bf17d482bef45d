//! Characters that the root motion of their actions moves.

use super::*;
use crate::anim::root_motion::RootShift;
use crate::asset::{Channel, Track};
use crate::scene::{ActionClip, ClipEvent, ClipSpeed};
use crate::vocab::MoveState;

/// A stage whose people punch for a second while their root joint goes 2 m ahead and 1 m up.
fn stage(root_motion: bool, plan: Plan) -> Stage {
    let mut stage = Stage::new(plan);
    let mut person = model(&Plan::default().block([-0.2, 0.2], [0.0, 1.0], [-0.2, 0.2]).0, 2);
    let translation = Track { times_secs: vec![0.0, 1.0], values: vec![Vec3::ZERO, Vec3::new(0.0, 1.0, 2.0)] };
    person.clips[1].channels = vec![Channel { node: NodeId(0), translation, ..Channel::default() }];
    stage.assets.insert("person", person);
    let entry = Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap());
    let clip = ClipSpeed { clip: 1, speed: 1.0 };
    entry.actions = vec![ActionClip { state: MoveState::Punch, clip, curve: Default::default(), root_motion }];
    entry.allowed_orders = vec![(MoveState::Idle, MoveState::Punch)];
    stage
}

#[test]
fn root_motion_moves_the_character_in_place_of_its_pose() {
    for (root_motion, least, most) in [(true, 1.4, 2.0), (false, 0.0, 0.01)] {
        let mut stage = stage(root_motion, Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]));
        let id = stage.add(stage.person, Vec3::ZERO, None);
        // Faces +X.
        Arc::make_mut(stage.scene.instances.get_mut(id).unwrap()).rotation_deg.y = 90.0;
        stage.world.reconcile(&stage.scene, &stage.assets);
        stage.run(0.1);
        stage.world.orders_mut(id).unwrap().action = Some(MoveState::Punch);
        let (mut last, mut shifts) = (stage.at(id), Vec::new());
        for _ in 0..90 {
            stage.step();
            let at = stage.at(id);
            assert!((at - last).length() < 0.06, "it never jumps: {last} to {at}");
            last = at;
            stage.world.overrides(id, 1.0, &mut shifts);
        }
        assert!((least..=most).contains(&last.x) && last.z.abs() < 1e-3, "{root_motion}: {last}");
        let farthest = shifts.iter().map(|shift| -shift.translation.z).fold(0.0, f32::max);
        assert_eq!(farthest > 1.4, root_motion, "the pose stays behind by {farthest}");
        assert!(shifts.iter().all(|shift| shift.node == 0 && shift.translation.y == 0.0), "it still jumps");
        assert_eq!(stage.live(id).now.root, [RootShift::default(); 2], "nothing is left when it is over");
    }
}

#[test]
fn walls_stop_root_motion() {
    let mut stage =
        stage(true, Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]).block([-5.0, 5.0], [0.0, 2.0], [1.0, 1.3]));
    let id = stage.add(stage.person, Vec3::ZERO, None);
    stage.run(0.1);
    stage.world.orders_mut(id).unwrap().action = Some(MoveState::Punch);
    stage.run(1.5);
    assert!((0.3..1.0).contains(&stage.at(id).z), "{}", stage.at(id));
}

#[test]
fn events_and_curves_change_without_a_new_rig() {
    let mut stage = stage(true, Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]));
    let id = stage.add(stage.person, Vec3::ZERO, None);
    stage.world.reconcile(&stage.scene, &stage.assets);
    let rig = |stage: &Stage| stage.world.instances.characters[stage.world.index_of(id).unwrap()].binding.rig.clone();
    let root = |stage: &Stage| rig(stage).moves.roots[MoveState::Punch as usize].clone().unwrap();
    let before = root(&stage);
    let entry = Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap());
    entry.clip_events.push(ClipEvent { clip: 1, time: 0.5, ..ClipEvent::default() });
    stage.world.reconcile(&stage.scene, &stage.assets);
    assert_eq!(rig(&stage).events.len(), 1);
    assert!(Arc::ptr_eq(&before, &root(&stage)), "nothing else is made anew");
    let entry = Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap());
    entry.actions[0].clip.speed = 0.5;
    stage.world.reconcile(&stage.scene, &stage.assets);
    assert!(!Arc::ptr_eq(&before, &root(&stage)));
}
