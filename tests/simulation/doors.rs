//! Doors that open by themselves, by hand and by buttons, and the navigation mesh that follows them.

use crate::halls::model;
use crate::stage::{Plan, Stage, parted_hall};
use glam::Vec3;
use std::sync::Arc;
use walkabout::ids::{InstanceId, ModelId};
use walkabout::scene::door::{DoorTrigger, SceneDoor};
use walkabout::scene::instance::ModelRef;
use walkabout::scene::{SceneInstance, SceneModel};
use walkabout::sim::{EventKind, NavStatus};
use walkabout::vocab::{CollisionMode, MoveState};

impl Stage {
    /// A leaf of 1.2 × 2 m, whose origin is the middle of its lower edge.
    fn leaf(&mut self) -> ModelId {
        let leaf = Plan::default().block([-0.6, 0.6], [0.0, 2.0], [-0.05, 0.05]);
        self.assets.insert("leaf", model(&leaf.0, 0));
        let entry = SceneModel { name: "leaf".into(), file: "leaf".into(), ..SceneModel::default() };
        self.scene.models.insert(Arc::new(entry))
    }

    fn door(&mut self, model: ModelId, name: &str, at: Vec3, door: SceneDoor) -> InstanceId {
        let id = self.scene.instances.insert(Arc::new(SceneInstance {
            name: name.into(),
            model: ModelRef::Known(model),
            position: at,
            door: Some(Box::new(door)),
            ..SceneInstance::default()
        }));
        self.world.reconcile(&self.scene, &self.assets);
        id
    }

    fn interact(&mut self, id: InstanceId) {
        self.world.orders_mut(id).unwrap().action = Some(MoveState::Interact);
    }
}

fn sliding(trigger: DoorTrigger) -> SceneDoor {
    SceneDoor { trigger, shift: Vec3::X * 1.3, turn: 0.0, ..SceneDoor::default() }
}

/// A hall whose wall has a gap of 1.2 m at x = 1.6.
fn hall() -> Stage {
    Stage::new(parted_hall([1.0, 2.2]))
}

const GAP: Vec3 = Vec3::new(1.6, 0.0, 0.0);

#[test]
fn doors_open_for_those_who_come_and_shut_behind_them() {
    let mut stage = hall();
    let leaf = stage.leaf();
    let door = stage.door(leaf, "", GAP, sliding(DoorTrigger::Near));
    let target = stage.marker(Vec3::new(1.6, 0.0, 4.0));
    let walker = stage.walker(Vec3::new(1.6, 0.0, -4.5), target);
    stage.step();
    assert_eq!((stage.world.door_openness(door), stage.at(door)), (Some(0.0), GAP));
    let mut widest = 0.0_f32;
    for _ in 0..600 {
        stage.step();
        if stage.at(walker).z.abs() < 0.2 {
            widest = widest.max(stage.world.door_openness(door).unwrap());
        }
    }
    assert_eq!(stage.live(walker).nav, NavStatus::Arrived, "a door that opens by itself bars no way");
    assert!(widest > 0.9, "it is open for characters that pass: {widest}");
    stage.run(3.0);
    assert_eq!(stage.at(door), GAP, "and shuts again");
}

#[test]
fn who_touches_a_door_is_told_of_the_contact() {
    let mut stage = hall();
    Arc::make_mut(&mut stage.scene.settings).collision_mode = CollisionMode::Boxes;
    let leaf = stage.leaf();
    stage.door(leaf, "", GAP, sliding(DoorTrigger::Button));
    stage.add(stage.person, GAP + Vec3::Z * 0.1, None);
    stage.run(0.5);
    assert_eq!(stage.count(EventKind::Contact), 2, "the button and the person");
}

#[test]
fn ways_lead_through_a_used_door_while_it_is_open() {
    let mut stage = hall();
    let leaf = stage.leaf();
    let door = stage.door(leaf, "gate", GAP, SceneDoor { stays_open: 0.0, ..sliding(DoorTrigger::Used) });
    let button = SceneDoor { opens: "gate".into(), ..sliding(DoorTrigger::Button) };
    let button = stage.door(leaf, "", Vec3::new(-4.0, 0.0, -4.0), SceneDoor { shift: Vec3::Z * 0.05, ..button });
    let target = stage.marker(Vec3::new(1.6, 0.0, 4.0));
    let walker = stage.walker(Vec3::new(1.6, 0.0, -3.0), target);
    stage.run(2.0);
    assert!(matches!(stage.live(walker).nav, NavStatus::Failed(_)), "{:?}", stage.live(walker).nav);
    assert!(stage.world.use_door(button));
    stage.run(2.0);
    assert_eq!(stage.world.door_openness(door), Some(1.0));
    assert_eq!(stage.world.door_openness(button), Some(0.0), "a button falls back");
    stage.until_arrived(walker, 10.0);
    assert!(stage.world.use_door(door) && !stage.world.use_door(target));
    stage.run(1.5);
    assert_eq!(stage.at(door), GAP);
}

#[test]
fn characters_use_the_door_before_them_and_are_held_up_by_it() {
    let mut stage = hall();
    let leaf = stage.leaf();
    let door = stage.door(leaf, "", GAP, SceneDoor { reach: 1.0, ..sliding(DoorTrigger::Used) });
    let person = stage.add(stage.person, Vec3::new(1.6, 0.0, -0.8), None);
    stage.run(0.5);
    stage.interact(person);
    stage.run(1.2);
    assert!(stage.world.door_openness(door).unwrap() > 0.9);
    stage.run(4.0);
    assert_eq!(stage.world.door_openness(door), Some(0.0), "it shuts by itself when its time is over");
    stage.move_to(person, GAP + Vec3::Z * 0.1);
    stage.step();
    let off = (stage.at(person).z - GAP.z).abs();
    assert!(off > 0.3, "a shut door is no place to stand: {off} m");
    let far = stage.add(stage.person, Vec3::new(-4.0, 0.0, -4.0), None);
    stage.run(0.2);
    stage.interact(far);
    stage.run(1.0);
    assert_eq!(stage.world.door_openness(door), Some(0.0), "out of reach");
}
