//! Characters that live by behaviours: what they hear, where they go, whom they meet.

use crate::graphs::{self, Row};
use crate::halls::SPEED;
use crate::stage::{Plan, Stage, parted_hall};
use glam::Vec3;
use std::f32::consts::PI;
use std::sync::Arc;
use walkabout::behavior::graph::{BehaviorGraph, GraphLink};
use walkabout::ids::{BehaviorId, InstanceId};
use walkabout::scene::instance::ModelRef;
use walkabout::scene::settings::LostRule;
use walkabout::scene::{ActionClip, ClipSpeed, Edit, SceneInstance};
use walkabout::sim::{EventKind, NavStatus};
use walkabout::vocab::{CollisionMode, FaceExpression, MoveState};

const WALK: &[(&str, &str)] = &[("instance-move-state", "1"), ("instance-move-direction", "1")];
const BACK: &[(&str, &str)] = &[("instance-min-rotation", "180"), ("instance-relative-rotation", "1")];

/// A graph of nodes (number, kind, properties) and links (from, to), each from the first output; node 0 is the root.
fn graph(nodes: &[Row<'_>], links: &[(i64, i64)]) -> BehaviorGraph {
    graphs::graph(nodes, &links.iter().map(|&(from, to)| (from, 0, to)).collect::<Vec<_>>())
}

fn floor() -> Plan {
    Plan::default().floor([-20.0, 20.0], 0.0, [-20.0, 20.0])
}

impl Stage {
    fn template(&mut self, graph: BehaviorGraph) -> BehaviorId {
        self.scene.behaviors.insert(Arc::new(graph))
    }

    fn person(&mut self, at: Vec3, yaw_deg: f32, behavior: Option<BehaviorId>) -> InstanceId {
        let id = self.scene.instances.insert(Arc::new(SceneInstance {
            model: ModelRef::Known(self.person),
            position: at,
            rotation_deg: Vec3::Y * yaw_deg,
            behavior,
            ..SceneInstance::default()
        }));
        self.world.reconcile(&self.scene, &self.assets);
        id
    }

    fn edit(&mut self, edit: Edit) {
        self.scene.apply(&edit).unwrap();
        self.world.reconcile(&self.scene, &self.assets);
    }

    fn settings(&mut self) -> &mut walkabout::scene::Settings {
        Arc::make_mut(&mut self.scene.settings)
    }

    fn face(&mut self, id: InstanceId) -> Option<FaceExpression> {
        self.world.orders_mut(id).unwrap().face.map(|(face, _)| face)
    }
}

/// Shows a smile when `event` happens.
fn smile_on(event: &str) -> BehaviorGraph {
    let happy = [("face-anim", "4"), ("face-anim-end-weight", "1"), ("face-anim-blend-time", "0.1")];
    graph(&[(1, 8, &[("event-type", event)]), (2, 11, &happy)], &[(1, 2)])
}

#[test]
fn a_behaviour_walks_turns_and_stands() {
    let stand: &[_] = &[("instance-move-state", "0"), ("instance-move-direction", "0")];
    let left: &[_] = &[("instance-min-rotation", "-90"), ("instance-relative-rotation", "1")];
    let (two, long): (&[_], &[_]) = (&[("wait-time", "2")], &[("wait-time", "60")]);
    let mut stage = Stage::new(floor());
    let g = graph(
        &[(1, 7, WALK), (2, 3, two), (3, 7, left), (4, 3, two), (5, 7, stand), (6, 3, long)],
        &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)],
    );
    let walks = stage.template(g);
    let id = stage.person(Vec3::ZERO, 0.0, Some(walks));
    stage.run(2.0);
    assert!(stage.at(id).z > SPEED * 1.5 && stage.at(id).x.abs() < 0.01, "{}", stage.at(id));
    assert_eq!(stage.live(id).state, MoveState::Walk);
    stage.run(2.0);
    assert!(stage.at(id).x > SPEED, "left of +z is +x: {}", stage.at(id));
    stage.run(2.0);
    assert_eq!(stage.live(id).now.velocity, Vec3::ZERO);
    let running = stage.world.behavior(id).unwrap();
    assert_eq!(running.current().unwrap().id, 6);
    assert!(running.current().unwrap().time.unwrap().0 < 59.0);
    stage.run(5.0);
    assert_eq!(stage.live(id).now.velocity, Vec3::ZERO, "idle is idle");
}

#[test]
fn walls_are_heard_and_nobody_gets_lost() {
    let mut stage = Stage::new(parted_hall([-1.0, 1.0]));
    let wall: &[_] = &[("event-type", "4"), ("event-cooldown", "1")];
    let edge: &[_] = &[("event-type", "2"), ("event-cooldown", "1")];
    let g = graph(
        &[(1, 7, WALK), (2, 4, &[]), (3, 8, wall), (4, 7, BACK), (5, 8, edge), (6, 7, BACK)],
        &[(0, 1), (1, 2), (3, 4), (5, 6)],
    );
    let back = stage.template(g);
    let id = stage.person(Vec3::new(-3.0, 0.0, -3.0), 0.0, Some(back));
    let mut turns = 0;
    let mut ahead = 1.0;
    for _ in 0..60 * 60 {
        stage.step();
        let speed = stage.live(id).now.velocity.z;
        if speed * ahead < -0.5 {
            (turns, ahead) = (turns + 1, -ahead);
        }
        assert!(stage.live(id).on_ground && stage.at(id).z < -0.3, "{}", stage.at(id));
    }
    assert!(turns > 10, "{turns} turns between wall and border");
    assert_eq!(stage.count(EventKind::PutBack), 0);
}

#[test]
fn random_navigation_goes_from_target_to_target() {
    let mut stage = Stage::new(floor());
    let mut targets = vec![Vec3::new(8.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 8.0), Vec3::new(-8.0, 0.0, 0.0)];
    let places = targets.clone();
    let ids: Vec<_> = places.iter().map(|at| stage.marker(*at)).collect();
    let g = graph(&[(1, 13, &[]), (2, 3, &[("wait-time", "0.5")])], &[(0, 1), (1, 2)]);
    let roam = stage.template(g);
    let id = stage.person(Vec3::ZERO, 0.0, Some(roam));
    for _ in 0..60 * 180 {
        stage.step();
        targets.retain(|t| t.distance(stage.at(id)) > 1.2);
    }
    assert!(targets.is_empty(), "never came to {targets:?}");
    let reached = stage.count(EventKind::TargetReached);
    assert!(reached > 8, "{reached} walks");
    // The target of the way is deleted: it finds another one.
    while stage.live(id).nav != NavStatus::Walking {
        stage.step();
    }
    let goal = *stage.live(id).path.last().unwrap();
    let nearest = (0..3).min_by(|a, b| places[*a].distance(goal).total_cmp(&places[*b].distance(goal))).unwrap();
    stage.edit(Edit::RemoveInstance(ids[nearest]));
    stage.run(60.0);
    assert!(stage.count(EventKind::TargetReached) > reached + 1);
    // Switched off: it stays.
    stage.settings().nav.enabled = false;
    stage.run(2.0);
    let at = stage.at(id);
    stage.run(5.0);
    assert_eq!(stage.at(id), at);
}

#[test]
fn who_reaches_a_target_goes_on_when_a_behavior_draws_another() {
    let mut stage = Stage::new(floor());
    let [first, other] = [Vec3::new(6.0, 0.0, 0.0), Vec3::new(-6.0, 0.0, 0.0)];
    let targets = [stage.marker(first), stage.marker(other)];
    let g = graph(&[(1, 3, &[("wait-time", "1")]), (2, 13, &[])], &[(0, 1), (1, 2)]);
    let stroll = stage.template(g);
    let id = stage.person(Vec3::ZERO, 0.0, Some(stroll));
    let saved = SceneInstance::clone(&stage.scene.instances.get(id).unwrap().clone());
    let to = SceneInstance { navigation: true, target: Some(targets[0]), ..saved };
    stage.edit(Edit::SetInstance { id, to: to.into() });
    // On its way it keeps the target that the scene gives, however often the behaviour asks for one.
    stage.until_arrived(id, 20.0);
    assert!(stage.at(id).distance(first) < 1.2, "{}", stage.at(id));
    // Both are drawn in the end.
    let mut seen = false;
    for _ in 0..60 * 60 {
        stage.step();
        seen |= stage.at(id).distance(other) < 1.2;
    }
    assert!(seen && stage.count(EventKind::TargetReached) > 2);
}

#[test]
fn targets_of_behaviours_go_with_the_behaviours() {
    let mut stage = Stage::new(floor());
    stage.marker(Vec3::new(15.0, 0.0, 0.0));
    Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap()).is_nav_target = false;
    let roam = stage.template(graph(&[(1, 13, &[]), (2, 3, &[("wait-time", "60")])], &[(0, 1), (1, 2)]));
    let own = stage.person(Vec3::new(-6.0, 0.0, -4.0), 0.0, None);
    let [follower, idler, switched] = [-4.0, 0.0, 4.0].map(|z| stage.person(Vec3::Z * z, 0.0, Some(roam)));
    let set = |stage: &mut Stage, id, change: &dyn Fn(&mut SceneInstance)| {
        let mut to = SceneInstance::clone(stage.scene.instances.get(id).unwrap());
        change(&mut to);
        stage.edit(Edit::SetInstance { id, to: to.into() });
    };
    set(&mut stage, follower, &|to: &mut SceneInstance| to.target = Some(own));
    set(&mut stage, idler, &|to: &mut SceneInstance| to.navigation = true);
    stage.run(2.0);
    for id in [follower, idler, switched] {
        assert!(stage.at(id).x > 1.0, "{id:?} walks to the marker: {}", stage.at(id));
    }
    set(&mut stage, follower, &|to: &mut SceneInstance| (to.behavior, to.navigation) = (None, true));
    set(&mut stage, idler, &|to: &mut SceneInstance| to.behavior = None);
    set(&mut stage, switched, &|to: &mut SceneInstance| to.navigation = true);
    stage.until_arrived(follower, 20.0);
    assert!(stage.at(follower).distance(stage.at(own)) < 1.5, "{}", stage.at(follower));
    for id in [idler, switched] {
        assert!(stage.live(id).nav == NavStatus::Off && stage.at(id).x < 5.0, "{id:?} stops: {}", stage.at(id));
    }
}

#[test]
fn another_behaviour_begins_with_the_target_of_the_scene() {
    let mut stage = Stage::new(floor());
    stage.marker(Vec3::new(15.0, 0.0, 0.0));
    Arc::make_mut(stage.scene.models.get_mut(stage.person).unwrap()).is_nav_target = false;
    let waits: &[_] = &[("wait-time", "3")];
    let g = graph(&[(1, 3, waits), (2, 13, &[]), (3, 3, &[("wait-time", "60")])], &[(0, 1), (1, 2), (2, 3)]);
    let (roam, smile) = (stage.template(g), stage.template(smile_on("5")));
    let own = stage.person(Vec3::X * -1.0, 0.0, None);
    let id = stage.person(Vec3::ZERO, 0.0, Some(roam));
    let set = |stage: &mut Stage, behavior: BehaviorId| {
        let saved = SceneInstance::clone(stage.scene.instances.get(id).unwrap());
        let to = SceneInstance { behavior: Some(behavior), navigation: true, target: Some(own), ..saved };
        stage.edit(Edit::SetInstance { id, to: to.into() });
    };
    set(&mut stage, roam);
    stage.run(7.0);
    assert!(stage.at(id).x > 1.0, "it was at its target and walks to the marker: {}", stage.at(id));
    set(&mut stage, smile);
    stage.until_arrived(id, 30.0);
    assert!(stage.at(id).distance(stage.at(own)) < 1.5, "{}", stage.at(id));
}

#[test]
fn who_reaches_a_target_of_the_scene_stays_and_hears_of_it() {
    let mut stage = Stage::new(floor());
    let target = stage.marker(Vec3::new(5.0, 0.0, 5.0));
    let smile = stage.template(smile_on("5"));
    let id = stage.person(Vec3::ZERO, 0.0, Some(smile));
    let saved = SceneInstance::clone(&stage.scene.instances.get(id).unwrap().clone());
    stage.edit(Edit::SetInstance { id, to: SceneInstance { navigation: true, target: Some(target), ..saved }.into() });
    assert_eq!(stage.face(id), None);
    stage.until_arrived(id, 20.0);
    stage.run(0.5);
    assert_eq!((stage.face(id), &stage.live(id).nav), (Some(FaceExpression::Happy), &NavStatus::Arrived));
}

#[test]
fn who_interacts_is_answered_by_the_nearest_who_faces_it() {
    let mut stage = Stage::new(floor());
    let smile = stage.template(smile_on("3"));
    let wave = graph(
        &[(1, 3, &[("wait-time", "0.5")]), (2, 9, &[("action-move-state", "9")]), (3, 3, &[("wait-time", "99")])],
        &[(0, 1), (1, 2), (2, 3)],
    );
    let wave = stage.template(wave);
    let me = stage.person(Vec3::ZERO, 0.0, Some(wave));
    let near = stage.person(Vec3::new(0.2, 0.0, 3.0), 180.0, Some(smile));
    let others =
        [(Vec3::new(-0.5, 0.0, 4.0), 180.0), (Vec3::new(0.8, 0.0, 2.2), 0.0), (Vec3::new(0.0, 0.0, -2.5), 0.0)]
            .map(|(at, yaw)| stage.person(at, yaw, Some(smile)));
    stage.run(1.0);
    assert_eq!(stage.count(EventKind::Interaction), 0, "switched off");
    stage.settings().interaction_enabled = true;
    assert_eq!(stage.world.interaction_partner(me, &stage.scene.settings), Some(near));
    assert_eq!(stage.world.interaction_partner(near, &stage.scene.settings), Some(me));
    stage.world.orders_mut(me).unwrap().action = Some(MoveState::Interact);
    stage.run(0.5);
    assert_eq!(stage.count(EventKind::Interaction), 1);
    assert_eq!(stage.face(near), Some(FaceExpression::Happy));
    assert!(others.iter().all(|id| stage.face(*id).is_none()));
    // By a behaviour, after its wait.
    stage.edit(Edit::RemoveInstance(near));
    let again = stage.person(Vec3::new(0.0, 0.0, 1.7), 180.0, Some(wave));
    stage.run(1.0);
    assert_eq!(stage.count(EventKind::Interaction), 2, "{again:?}");
}

#[test]
fn contacts_are_found_by_mode_and_heard() {
    for (mode, apart, expected) in [
        (CollisionMode::Off, 0.3, 0),
        (CollisionMode::Boxes, 0.3, 2),
        (CollisionMode::Boxes, 0.5, 0),
        (CollisionMode::Spheres, 0.3, 2),
        (CollisionMode::Spheres, 0.39, 0),
    ] {
        let mut stage = Stage::new(floor());
        stage.settings().collision_mode = mode;
        // One bone at the feet, 0.18 m around it.
        let mut entry = walkabout::scene::SceneModel::clone(stage.scene.models.get(stage.person).unwrap());
        entry.sphere_adjustments = vec![glam::Vec4::new(0.0, 0.0, 0.0, 0.18)];
        stage.edit(Edit::SetModel { id: stage.person, to: entry });
        let smile = stage.template(smile_on("1"));
        let ids = [0.0, apart].map(|x| stage.person(Vec3::X * x, 0.0, Some(smile)));
        stage.step();
        assert_eq!(stage.count(EventKind::Contact), expected, "{mode:?} {apart}");
        assert_eq!(stage.world.contacts().len() as u64 * 2, expected);
        stage.step();
        assert_eq!(ids.map(|id| stage.face(id).is_some()), [expected > 0; 2]);
    }
}

#[test]
fn templates_change_while_instances_run_them() {
    let mut stage = Stage::new(floor());
    let wait = |secs: &str| {
        graph(
            &[(1, 3, &[("wait-time", secs)]), (2, 7, WALK), (3, 3, &[("wait-time", "99")])],
            &[(0, 1), (1, 2), (2, 3)],
        )
    };
    let id = stage.person(Vec3::ZERO, 0.0, None);
    let template = stage.template(wait("50"));
    assert!(stage.world.behavior(id).is_none());
    let give = |stage: &mut Stage, behavior| {
        let saved = SceneInstance::clone(stage.scene.instances.get(id).unwrap());
        stage.edit(Edit::SetInstance { id, to: SceneInstance { behavior, ..saved }.into() });
    };
    give(&mut stage, Some(template));
    stage.run(10.0);
    let left = |stage: &Stage| stage.world.behavior(id).unwrap().current().unwrap().time.unwrap();
    assert!((left(&stage).0 - 40.0).abs() < 0.1);
    // Moved by hand: its behaviour goes on.
    stage.move_to(id, Vec3::X * 3.0);
    assert!((left(&stage).0 - 40.0).abs() < 0.1);
    let to = BehaviorGraph { name: "other".into(), ..wait("20") };
    stage.edit(Edit::SetBehavior { id: template, to });
    assert_eq!(left(&stage), (20.0, 20.0));
    stage.run(22.0);
    assert!(stage.live(id).now.velocity.length() > SPEED * 0.9);
    give(&mut stage, None);
    stage.run(2.0);
    assert_eq!((stage.live(id).now.velocity, stage.world.behavior(id).is_none()), (Vec3::ZERO, true));
    give(&mut stage, Some(template));
    stage.edit(Edit::RemoveBehavior(template));
    assert!(stage.world.behavior(id).is_none());
}

#[test]
fn who_waits_goes_on_once_its_node_is_deactivated_by_hand() {
    let mut stage = Stage::new(floor());
    let outs: &[_] = &[("sequence-num-outs", "2")];
    let mut g = graph(&[(1, 6, outs), (2, 3, &[("wait-time", "90")]), (3, 7, WALK)], &[(0, 1), (1, 2)]);
    g.links.push(GraphLink { id: 10_010, from_pin: 1201, to_pin: 3000 });
    let template = stage.template(g);
    let [id, other] = [0.0, 5.0].map(|x| stage.person(Vec3::X * x, 0.0, Some(template)));
    stage.run(2.0);
    assert!(!stage.world.deactivate(id, 3) && !stage.world.deactivate(id, 77), "neither is active");
    assert!(stage.world.deactivate(id, 2));
    let active = |stage: &Stage, id| stage.world.behavior(id).unwrap().active_nodes().any(|w| w.id == 2);
    assert_eq!([id, other].map(|id| active(&stage, id)), [false, true], "one character's, not the template's");
    stage.run(2.0);
    assert!(stage.live(id).now.velocity.length() > SPEED * 0.9);
    assert_eq!(stage.live(other).now.velocity, Vec3::ZERO);
}

#[test]
fn tests_are_fired_by_hand() {
    let mut stage = Stage::new(floor());
    let g = graph(&[(1, 2, &[]), (2, 7, WALK)], &[(1, 2)]);
    let template = stage.template(g);
    let id = stage.person(Vec3::ZERO, 0.0, Some(template));
    stage.run(1.0);
    assert_eq!(stage.at(id), Vec3::ZERO);
    assert!(stage.world.fire(id, 1) && !stage.world.fire(id, 2));
    stage.run(1.0);
    assert!(stage.at(id).z > 0.5);
}

#[test]
fn deleting_somebody_makes_nobody_elses_target_wrong() {
    let mut stage = Stage::new(floor());
    let roam = stage.template(graph(&[(1, 13, &[]), (2, 3, &[])], &[(0, 1), (1, 2)]));
    let doomed = stage.marker(Vec3::new(-9.0, 0.0, 0.0));
    let targets = [Vec3::new(9.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 9.0)].map(|at| stage.marker(at));
    let walkers = targets.map(|t| stage.walker(Vec3::new(-1.0, 0.0, -1.0), t));
    let orphan = stage.walker(Vec3::new(1.0, 0.0, -1.0), doomed);
    let roamers: Vec<_> = (0..5).map(|i| stage.person(Vec3::new(i as f32, 0.0, -5.0), 0.0, Some(roam))).collect();
    let camera =
        walkabout::scene::SceneCamera { name: "behind".into(), target: Some(walkers[1]), ..Default::default() };
    let camera = stage.scene.cameras.insert(Arc::new(camera));
    stage.run(1.0);
    for id in [doomed, roamers[0], walkers[0]] {
        stage.edit(Edit::RemoveInstance(id));
        stage.run(0.5);
    }
    assert_eq!(stage.scene.cameras.get(camera).unwrap().target, Some(walkers[1]));
    assert_eq!(stage.scene.instances.get(walkers[1]).unwrap().target, Some(targets[1]));
    assert_eq!((stage.live(orphan).nav.clone(), stage.live(orphan).path.len()), (NavStatus::Off, 0));
    stage.until_arrived(walkers[1], 20.0);
    assert!(stage.at(walkers[1]).distance(Vec3::new(0.0, 0.0, 9.0)) < 1.5);
    stage.run(30.0);
    let near = |id: &InstanceId| targets.iter().any(|t| stage.at(*t).distance(stage.at(*id)) < 12.0);
    assert!(roamers[1..].iter().all(near));
    assert!(stage.count(EventKind::TargetReached) >= 5);
}

#[test]
fn who_is_lost_is_put_back_or_deleted_as_the_scene_says() {
    let far: &[_] = &[("instance-position-x", "0"), ("instance-position-y", "-80"), ("instance-position-z", "0")];
    for rule in [LostRule::PutBack, LostRule::Delete] {
        let mut stage = Stage::new(floor());
        stage.settings().lost = rule;
        let g = graph(
            &[(1, 3, &[("wait-time", "1")]), (2, 7, far), (3, 3, &[("wait-time", "99")])],
            &[(0, 1), (1, 2), (2, 3)],
        );
        let template = stage.template(g);
        let id = stage.person(Vec3::new(4.0, 0.0, 5.0), 0.0, Some(template));
        stage.run(2.0);
        let kinds = [EventKind::PutBack, EventKind::Lost].map(|kind| stage.count(kind));
        assert_eq!(kinds, if rule == LostRule::PutBack { [1, 0] } else { [0, 1] });
        assert!(stage.at(id).distance(Vec3::new(4.0, 0.0, 5.0)) < 0.1, "its last safe ground: {}", stage.at(id));
        let events = stage.world.delete_lost(&mut stage.scene, &stage.assets);
        let is_told = events.iter().any(|event| event.kind == EventKind::Lost);
        let is_gone = !stage.scene.instances.contains(id) && stage.world.live(id).is_none();
        assert_eq!([is_told, is_gone], [rule == LostRule::Delete; 2]);
    }
}

#[test]
fn who_is_lost_without_walkable_ground_is_deleted() {
    let steep = Plan::default().ramp([-5.0, 5.0], [0.0, 40.0], [-5.0, 5.0]);
    let mut stage = Stage::new(steep);
    stage.settings().lost = LostRule::Delete;
    stage.add(stage.person, Vec3::new(30.0, 0.0, 0.0), None);
    stage.run(3.0);
    assert!(stage.count(EventKind::Lost) > 0);
}

#[test]
fn with_everything_on_the_number_of_threads_changes_nothing() {
    let hash_with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut stage = Stage::new(parted_hall([-1.0, 1.0]));
            stage.settings().collision_mode = CollisionMode::Spheres;
            stage.settings().interaction_enabled = true;
            let mut entry = walkabout::scene::SceneModel::clone(stage.scene.models.get(stage.person).unwrap());
            entry.actions = vec![ActionClip {
                state: MoveState::Interact,
                clip: ClipSpeed { clip: 1, speed: 1.0 },
                curve: Default::default(),
                root_motion: false,
            }];
            entry.allowed_orders = vec![(MoveState::Walk, MoveState::Interact), (MoveState::Idle, MoveState::Interact)];
            stage.edit(Edit::SetModel { id: stage.person, to: entry });
            stage.marker(Vec3::new(3.0, 0.0, 3.0));
            stage.marker(Vec3::new(-3.0, 0.0, -3.0));
            let turn: &[_] = &[
                ("instance-min-rotation", "20"),
                ("instance-max-rotation", "90"),
                ("instance-random-rotation", "1"),
                ("instance-relative-rotation", "1"),
            ];
            let short: &[_] = &[("random-wait-min-time", "0.1"), ("random-wait-max-time", "1")];
            let g = graph(
                &[
                    (1, 7, WALK),
                    (2, 4, short),
                    (3, 9, &[("action-move-state", "9")]),
                    (4, 13, &[]),
                    (5, 8, &[("event-type", "1"), ("event-cooldown", "0.5")]),
                    (6, 7, turn),
                    (7, 8, &[("event-type", "4")]),
                    (8, 7, BACK),
                ],
                &[(0, 1), (1, 2), (2, 3), (3, 4), (5, 6), (7, 8)],
            );
            let template = stage.template(g);
            for i in 0..150 {
                let at = Vec3::new(-4.5 + (i % 20) as f32 * 0.45, 0.0, -4.5 + (i / 20) as f32 * 0.45);
                stage.scene.instances.insert(Arc::new(SceneInstance {
                    model: ModelRef::Known(stage.person),
                    position: at,
                    rotation_deg: Vec3::Y * (i as f32 * 37.0),
                    behavior: Some(template),
                    ..SceneInstance::default()
                }));
            }
            stage.world.reconcile(&stage.scene, &stage.assets);
            stage.run(4.0);
            assert!(stage.count(EventKind::Contact) > 20);
            stage.world.hash()
        })
    };
    let hash = hash_with(1);
    assert_eq!([2, 4].map(hash_with), [hash; 2]);
}

#[test]
fn a_character_looks_where_its_behaviour_says_and_backs_away() {
    let mut stage = Stage::new(floor());
    let back: &[_] = &[
        ("instance-move-state", "1"),
        ("instance-move-direction", "2"),
        ("instance-min-rotation", "180"),
        ("instance-min-speed", "0.5"),
    ];
    let g = graph(&[(1, 7, back), (2, 3, &[])], &[(0, 1), (1, 2)]);
    let template = stage.template(g);
    let id = stage.person(Vec3::ZERO, 0.0, Some(template));
    stage.run(6.0);
    assert!((stage.live(id).now.yaw_rad.abs() - PI).abs() < 0.05, "faces -z");
    let v = stage.live(id).now.velocity;
    assert!((v.z - SPEED * 0.5).abs() < 0.05 && v.x.abs() < 0.05, "and goes +z: {v}");
}

#[test]
fn patrols_walk_to_their_waypoints_in_order() {
    let mut stage = Stage::new(Plan::default());
    stage.scene.levels = Default::default();
    let places = [(0.0, 4.0), (4.0, 4.0), (4.0, 0.0), (20.0, 20.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let markers = places.map(|at| stage.marker(at));
    let patrol = [("navigation-order", "2"), ("navigation-last", "3")];
    let graph = graph(&[(1, 13, &patrol), (2, 3, &[("wait-time", "0.2")])], &[(0, 1), (1, 2)]);
    let template = stage.template(graph);
    let walker = stage.person(Vec3::ZERO, 0.0, Some(template));
    let (mut visited, mut last) = (Vec::new(), 0);
    for _ in 0..1800 {
        stage.step();
        if stage.count(EventKind::TargetReached) > last {
            last = stage.count(EventKind::TargetReached);
            let at = stage.at(walker);
            visited
                .extend((0..markers.len()).min_by(|a, b| places[*a].distance(at).total_cmp(&places[*b].distance(at))));
        }
    }
    assert!(visited.len() >= 6 && visited[..6] == [0, 1, 2, 1, 0, 1], "{visited:?}");
}
