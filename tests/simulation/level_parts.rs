//! Parts of the level that come and go, and the navigation that follows.

use crate::halls::model;
use crate::stage::{Plan, Stage};
use glam::Vec3;
use std::sync::Arc;
use walkabout::ids::LevelId;
use walkabout::scene::door::DoorTrigger;
use walkabout::scene::level::LevelPresence;
use walkabout::scene::{SceneDoor, SceneLevel};
use walkabout::sim::NavStatus;
use walkabout::vocab::MoveState;

/// Two banks with a gap of 2.5 m, and a bridge over it that is a part of its own.
fn stage(presence: LevelPresence) -> (Stage, LevelId) {
    let x = [-5.0, 5.0];
    let mut stage = Stage::new(Plan::default().floor(x, 0.0, [-5.0, 0.0]).floor(x, 0.0, [2.5, 5.0]));
    stage.assets.insert("bridge", model(&Plan::default().floor([-1.0, 1.0], 0.0, [0.0, 2.5]).0, 0));
    let bridge = SceneLevel {
        name: "bridge".into(),
        file: "bridge".into(),
        presence,
        presence_reach: 2.0,
        ..SceneLevel::default()
    };
    let id = stage.scene.levels.insert(Arc::new(bridge));
    (stage, id)
}

#[test]
fn a_button_lets_a_bridge_come_and_paths_lead_over_it() {
    let (mut stage, bridge) = stage(LevelPresence::OnceUsed);
    let target = stage.marker(Vec3::new(0.0, 0.0, 4.0));
    let walker = stage.walker(Vec3::new(0.0, 0.0, -3.0), target);
    let other = stage.add(stage.person, Vec3::new(3.0, 0.0, -3.0), None);
    let button = stage.marker(Vec3::new(3.0, 0.0, -2.0));
    let door = SceneDoor { trigger: DoorTrigger::Button, opens: "bridge".into(), ..SceneDoor::default() };
    Arc::make_mut(stage.scene.instances.get_mut(button).unwrap()).door = Some(Box::new(door));
    stage.world.reconcile(&stage.scene, &stage.assets);
    stage.run(2.0);
    assert!(!stage.world.parts().is_there(bridge));
    assert!(matches!(stage.live(walker).nav, NavStatus::Failed(_)), "{:?}", stage.live(walker).nav);
    let triangles = stage.world.triangles().len();
    stage.world.orders_mut(other).unwrap().action = Some(MoveState::Interact);
    stage.run(0.1);
    assert!(stage.world.parts().is_there(bridge) && stage.world.triangles().len() > triangles);
    stage.until_arrived(walker, 20.0);
    stage.world.use_level("bridge");
    stage.run(0.1);
    assert_eq!(stage.world.triangles().len(), triangles, "used again, it goes");
}

#[test]
fn parts_come_to_characters_that_are_near_and_can_be_off() {
    let (mut stage, bridge) = stage(LevelPresence::Near);
    let person = stage.add(stage.person, Vec3::new(0.0, 0.0, -1.0), None);
    assert!(stage.world.parts().is_there(bridge), "from the start");
    for (z, is_there) in [(-2.3, true), (-3.0, false), (-2.3, false), (-1.8, true)] {
        stage.move_to(person, Vec3::new(0.0, 0.0, z));
        stage.run(0.5);
        assert_eq!(stage.world.parts().is_there(bridge), is_there, "{z}");
    }
    let level = Arc::make_mut(stage.scene.levels.get_mut(bridge).unwrap());
    level.presence = LevelPresence::Never;
    stage.world.reconcile(&stage.scene, &stage.assets);
    assert!(!stage.world.parts().is_there(bridge) && !stage.world.use_level("bridge"));
}

#[test]
fn things_bring_no_part_of_a_level_from_the_start() {
    let (mut stage, bridge) = stage(LevelPresence::Near);
    stage.marker(Vec3::new(0.0, 0.0, -1.0));
    assert!(!stage.world.parts().is_there(bridge));
    stage.run(0.5);
    assert!(!stage.world.parts().is_there(bridge), "nor later");
}
