//! Characters that the root motion of their actions moves.

use crate::stage::{Plan, punching};
use glam::Vec3;
use std::sync::Arc;
use walkabout::anim::root_motion::RootShift;
use walkabout::vocab::MoveState;

#[test]
fn root_motion_moves_the_character_in_place_of_its_pose() {
    for (root_motion, least, most) in [(true, 1.4, 2.0), (false, 0.0, 0.01)] {
        let mut stage = punching(root_motion, Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]));
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
        punching(true, Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]).block([-5.0, 5.0], [0.0, 2.0], [1.0, 1.3]));
    let id = stage.add(stage.person, Vec3::ZERO, None);
    stage.run(0.1);
    stage.world.orders_mut(id).unwrap().action = Some(MoveState::Punch);
    stage.run(1.5);
    assert!((0.3..1.0).contains(&stage.at(id).z), "{}", stage.at(id));
}
