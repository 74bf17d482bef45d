//! Scenes without a level: on the plane that everything stands on.

use crate::halls::{SPEED, model};
use crate::stage::{Plan, Stage};
use glam::Vec3;
use std::f32::consts::PI;
use std::sync::Arc;
use walkabout::ids::InstanceId;
use walkabout::scene::SceneLevel;
use walkabout::sim::plane::EXTENT;
use walkabout::sim::{EventKind, NavStatus, Steer};
use walkabout::vocab::{CollisionMode, MoveDirection};

/// A stage without a level.
fn plane() -> Stage {
    let mut stage = Stage::new(Plan::default());
    stage.scene.levels = Default::default();
    stage
}

impl Stage {
    fn steer(&mut self, id: InstanceId, heading_rad: f32, pace: f32) {
        let steer = Steer { heading_rad, pace, direction: MoveDirection::Forward };
        self.world.orders_mut(id).unwrap().steer = Some(steer);
    }
}

#[test]
fn steered_characters_walk_on_their_plane_to_the_border() {
    let mut stage = plane();
    let walker = stage.add(stage.person, Vec3::new(EXTENT - 4.0, 2.5, 7.0), None);
    stage.steer(walker, PI / 2.0, 1.0);
    stage.run(2.0);
    assert!(stage.live(walker).on_ground && (stage.live(walker).now.velocity.length() - SPEED).abs() < 0.01);
    assert_eq!((stage.at(walker).y, stage.count(EventKind::Border)), (2.5, 0));
    stage.run(3.0);
    assert_eq!((stage.at(walker).x, stage.count(EventKind::Border)), (EXTENT, 1));
    stage.steer(walker, -PI / 2.0, 2.0);
    stage.run(2.0);
    assert!(stage.at(walker).x < EXTENT - 3.0, "it runs back");
}

#[test]
fn targets_on_a_plane_are_walked_to_in_a_straight_line() {
    let mut stage = plane();
    let target = stage.marker(Vec3::new(8.0, 1.0, 6.0));
    let walkers = [0.0, 1.0, 2.0].map(|x| stage.walker(Vec3::new(x, 0.0, 0.0), target));
    stage.step();
    assert_eq!(stage.live(walkers[0]).path, [Vec3::new(8.0, 0.0, 6.0)]);
    for walker in walkers {
        stage.until_arrived(walker, 20.0);
        assert_eq!(stage.at(walker).y, 0.0);
    }
    assert_eq!(stage.count(EventKind::TargetReached), 3);
    stage.move_to(target, Vec3::new(-8.0, 0.0, 6.0));
    stage.run(1.0);
    assert_eq!(stage.live(walkers[0]).nav, NavStatus::Walking, "it follows a target that has moved");
    Arc::make_mut(&mut stage.scene.settings).nav.enabled = false;
    stage.run(1.0);
    assert_eq!(stage.live(walkers[0]).nav, NavStatus::Off);
}

#[test]
fn those_who_meet_on_a_plane_are_told() {
    let mut stage = plane();
    Arc::make_mut(&mut stage.scene.settings).collision_mode = CollisionMode::Boxes;
    let [a, b] = [-3.0, 3.0].map(|x| stage.add(stage.person, Vec3::X * x, None));
    stage.steer(a, PI / 2.0, 1.0);
    stage.steer(b, -PI / 2.0, 1.0);
    stage.run(1.0);
    assert!(!stage.world.is_touching(a));
    stage.run(2.0);
    assert_eq!(stage.count(EventKind::Contact), 2, "they walk through each other, and each is told");
}

#[test]
fn a_level_that_is_added_takes_the_place_of_the_plane() {
    let mut stage = plane();
    let walker = stage.add(stage.person, Vec3::Y * 0.3, None);
    stage.run(0.5);
    assert!(stage.world.is_on_plane() && stage.at(walker).y == 0.3);
    let floor = model(&Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]).0, 0);
    stage.assets.insert("floor", floor);
    stage.scene.levels.insert(Arc::new(SceneLevel { file: "floor".into(), ..SceneLevel::default() }));
    stage.world.reconcile(&stage.scene, &stage.assets);
    stage.run(1.0);
    assert!(!stage.world.is_on_plane() && stage.at(walker).y == 0.0);
    stage.scene.levels = Default::default();
    stage.world.reconcile(&stage.scene, &stage.assets);
    stage.run(0.5);
    assert!(stage.world.is_on_plane() && stage.live(walker).on_ground);
}

#[test]
fn those_who_are_stopped_stand_until_they_are_sent_again() {
    let mut stage = plane();
    let target = stage.marker(Vec3::X * 20.0);
    let walker = stage.walker(Vec3::ZERO, target);
    stage.run(2.0);
    assert!(stage.at(walker).x > 1.0);
    stage.world.stop(walker);
    stage.run(0.2);
    let there = stage.at(walker);
    stage.run(1.0);
    assert_eq!((stage.at(walker), &stage.live(walker).nav), (there, &NavStatus::Off));
    let other = stage.marker(Vec3::Z * 20.0);
    Arc::make_mut(stage.scene.instances.get_mut(walker).unwrap()).target = Some(other);
    stage.world.reconcile(&stage.scene, &stage.assets);
    stage.run(2.0);
    assert!(stage.at(walker).z > 1.0, "another target moves it again");
}
