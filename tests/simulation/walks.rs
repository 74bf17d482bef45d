//! Whole steps on small levels that are built in memory: what people may rely on when they walk.

use crate::stage::{Plan, Stage, parted_hall};
use glam::Vec3;
use std::f32::consts::{PI, TAU};
use std::sync::Arc;
use walkabout::collide::settings::GRAVITY;
use walkabout::math::angle;
use walkabout::scene::SceneInstance;
use walkabout::scene::instance::ModelRef;
use walkabout::sim::{EventKind, NavStatus, STEP_SECS, World};

#[test]
fn gaps_that_a_body_squeezes_through_are_passed() {
    for width in [0.46, 0.5, 0.62, 0.8] {
        let mut stage = Stage::new(parted_hall([1.0, 1.0 + width]));
        let target = stage.marker(Vec3::new(3.0, 0.0, 3.0));
        let walker = stage.walker(Vec3::new(-3.0, 0.0, -3.0), target);
        let secs = stage.until_arrived(walker, 15.0);
        assert!(secs > 4.0, "the wall was not passed: {secs} s through {width} m");
        assert_eq!(stage.count(EventKind::Stuck), 0, "through {width} m");
    }
}

/// Requirement: E-4
#[test]
fn gaps_too_narrow_for_a_body_are_refused() {
    for width in [0.16, 0.3] {
        let mut stage = Stage::new(parted_hall([1.0, 1.0 + width]));
        let target = stage.marker(Vec3::new(3.0, 0.0, 3.0));
        let walker = stage.walker(Vec3::new(-3.0, 0.0, -3.0), target);
        stage.run(1.0);
        assert!(matches!(stage.live(walker).nav, NavStatus::Failed(_)), "{:?} at {width} m", stage.live(walker).nav);
        assert_eq!(stage.count(EventKind::NoPath), 1, "at {width} m");
    }
}

/// Requirement: B-6
#[test]
fn half_a_turn_is_smooth() {
    let mut stage = Stage::new(Plan::default().floor([-9.0, 9.0], 0.0, [-9.0, 9.0]));
    let target = stage.marker(Vec3::new(0.0, 0.0, -6.0));
    let walker = stage.walker(Vec3::ZERO, target);
    let mut turned = 0.0_f32;
    for _ in 0..90 {
        let before = stage.live(walker).now.yaw_rad;
        stage.step();
        let turn = angle::shortest_turn_rad(before, stage.live(walker).now.yaw_rad);
        assert!(turn.abs() <= TAU * STEP_SECS + 1e-4, "a jerk of {turn}");
        // Yaws near half a turn are known to 5e-7 rad.
        assert!(turn * turned.signum() >= -2e-6, "turns back");
        turned += turn;
    }
    assert!((turned.abs() - PI).abs() < 0.02, "{turned}");
    assert!(stage.at(walker).x.abs() < 0.3 && stage.at(walker).z < -0.5, "{}", stage.at(walker));
}

/// Requirement: B-7
#[test]
fn beside_a_ledge_one_falls_with_gravity_and_lands() {
    let plan = Plan::default().floor([0.0, 9.0], 0.0, [-4.0, 4.0]).block([-5.0, 0.0], [0.0, 5.0], [-4.0, 4.0]);
    let mut stage = Stage::new(plan);
    let faller = stage.add(stage.person, Vec3::new(0.5, 5.0, 0.0), None);
    let (mut last_speed, mut steps) = (0.0, 0);
    while !stage.live(faller).on_ground {
        stage.step();
        let speed = -stage.live(faller).now.velocity.y;
        if !stage.live(faller).on_ground {
            assert!((speed - last_speed - GRAVITY * STEP_SECS).abs() < 1e-2, "from {last_speed} to {speed} m/s");
        }
        (last_speed, steps) = (speed, steps + 1);
        assert!(steps < 120, "never lands");
    }
    let expected = (2.0 * 5.0 / GRAVITY).sqrt() / STEP_SECS;
    assert!((steps as f32 - expected).abs() <= 2.0, "{steps} steps, not {expected}");
    stage.run(0.5);
    assert!(stage.at(faller).y.abs() < 1e-3, "{}", stage.at(faller));
    assert_eq!(stage.count(EventKind::Landed), 1);
}

#[test]
fn stairs_are_climbed_and_come_down_smoothly() {
    let mut plan = Plan::default().floor([-5.0, 0.0], 0.0, [-2.0, 2.0]);
    for i in 1..=6 {
        let x = i as f32 * 0.4;
        plan = plan.block([x - 0.4, if i == 6 { 7.0 } else { x }], [0.0, i as f32 * 0.3], [-2.0, 2.0]);
    }
    let mut stage = Stage::new(plan);
    let (top, bottom) = (stage.marker(Vec3::new(5.0, 1.8, 0.5)), stage.marker(Vec3::new(-4.0, 0.0, 0.5)));
    let up = stage.walker(Vec3::new(-4.0, 0.0, -0.5), top);
    let down = stage.walker(Vec3::new(5.0, 1.8, -0.5), bottom);
    for _ in 0..900 {
        let before = [up, down].map(|id| stage.at(id).y);
        stage.step();
        for (id, before) in [up, down].into_iter().zip(before) {
            assert!((stage.at(id).y - before).abs() <= 0.1, "a jump");
            assert!(stage.live(id).on_ground, "falls");
        }
    }
    assert_eq!([up, down].map(|id| stage.live(id).nav == NavStatus::Arrived), [true; 2]);
    assert!((stage.at(up).y - 1.8).abs() < 0.01 && stage.at(down).y.abs() < 0.01);
}

#[test]
fn slopes_and_steps_have_their_limits() {
    let ramp = |deg: f32| {
        Plan::default().floor([-5.0, 0.0], 0.0, [-2.0, 2.0]).ramp(
            [0.0, 6.0],
            [0.0, 6.0 * deg.to_radians().tan()],
            [-2.0, 2.0],
        )
    };
    let step =
        |height| Plan::default().floor([-5.0, 0.0], 0.0, [-2.0, 2.0]).block([0.0, 6.0], [0.0, height], [-2.0, 2.0]);
    let cases =
        [(ramp(38.0), 5.0 * 38_f32.to_radians().tan(), true), (ramp(42.0), 5.0 * 42_f32.to_radians().tan(), false)];
    for (plan, height, passable) in cases.into_iter().chain([(step(0.39), 0.39, true), (step(0.45), 0.45, false)]) {
        let mut stage = Stage::new(plan);
        let target = stage.marker(Vec3::new(5.0, height, 0.0));
        let walker = stage.walker(Vec3::new(-4.0, 0.0, 0.0), target);
        stage.run(12.0);
        assert_eq!(stage.live(walker).nav == NavStatus::Arrived, passable, "to {height}: {:?}", stage.live(walker).nav);
        if !passable {
            assert!(matches!(stage.live(walker).nav, NavStatus::Failed(_)));
            assert!(stage.at(walker).y < 0.1, "{}", stage.at(walker));
        }
    }
}

/// A floor of 20 strips of a metre along x, each of two triangles.
fn strips() -> Plan {
    (0..20).fold(Plan::default(), |plan, i| plan.floor([i as f32, i as f32 + 1.0], 0.0, [-2.0, 2.0]))
}

/// Requirement: B-4
#[test]
fn a_moving_target_is_followed_with_few_searches() {
    let mut stage = Stage::new(strips());
    let target = stage.marker(Vec3::new(10.1, 0.0, 1.0));
    let walker = stage.walker(Vec3::new(0.5, 0.0, 0.0), target);
    stage.run(0.5);
    assert_eq!(stage.world.searches(), 1);
    let (mut triangle, mut changes) = (stage.live(target).ground_triangle, 0);
    for i in 0..60 {
        stage.move_to(target, Vec3::new(10.1 + i as f32 * 0.05, 0.0, 1.0));
        stage.step();
        stage.step();
        let now = stage.live(target).ground_triangle;
        changes += u64::from(now != triangle);
        triangle = now;
        assert_eq!(stage.live(walker).nav, NavStatus::Walking);
        assert_eq!(stage.live(walker).path.last(), Some(&stage.at(target)), "the way ends at the target");
    }
    assert!((3..=6).contains(&changes), "{changes}");
    assert_eq!(stage.count(EventKind::Stuck), 0, "a follower is not stuck");
    let searches = stage.world.searches();
    assert!((1..=1 + changes).contains(&searches), "{searches}");
    stage.until_arrived(walker, 20.0);
    assert_eq!(stage.world.searches(), searches, "a target at rest needs no search");
}

/// Requirement: B-4
#[test]
fn unreachable_targets_are_refused_and_searched_once() {
    let plan = || Plan::default().floor([0.0, 5.0], 0.0, [0.0, 5.0]).floor([8.0, 12.0], 0.0, [0.0, 5.0]);
    for (place, most) in [(Vec3::new(10.0, 0.0, 2.0), 1), (Vec3::new(2.0, 9.0, 2.0), 0)] {
        let mut stage = Stage::new(plan());
        Arc::make_mut(&mut stage.scene.settings).gravity_enabled = false;
        let target = stage.marker(place);
        let walker = stage.walker(Vec3::new(1.0, 0.0, 1.0), target);
        stage.run(30.0);
        let reason = stage.world.path_failure(walker).unwrap();
        // Where the level's halves come nearest, or what else is wrong.
        assert!(reason.ends_with(" 3.00 m apart") || reason.contains("off the navigation mesh"), "{reason}");
        assert!(stage.world.searches() <= most, "{} searches for {place}", stage.world.searches());
        assert_eq!(stage.count(EventKind::NoPath), 1);
        assert_eq!(stage.at(walker), Vec3::new(1.0, 0.0, 1.0));
        stage.move_to(target, Vec3::new(4.0, 0.0, 4.0));
        let secs = stage.until_arrived(walker, 90.0);
        assert!(secs < 10.0, "a target that has moved is searched at once, not after {secs} s");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let hash_with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut stage = Stage::new(parted_hall([-1.0, 1.0]));
            let target = stage.marker(Vec3::new(3.0, 0.0, 3.0));
            for i in 0..200 {
                let at = Vec3::new(-4.5 + (i % 20) as f32 * 0.45, 0.0, -4.5 + (i / 20) as f32 * 0.4);
                stage.scene.instances.insert(Arc::new(SceneInstance {
                    model: ModelRef::Known(stage.person),
                    position: at,
                    navigation: true,
                    target: Some(target),
                    ..SceneInstance::default()
                }));
            }
            stage.world.reconcile(&stage.scene, &stage.assets);
            stage.run(5.0);
            stage.world.hash()
        })
    };
    let hash = hash_with(1);
    assert_eq!([2, 4].map(hash_with), [hash; 2]);
}

#[test]
fn nobody_falls_out_of_the_level_wherever_he_comes_in() {
    let mut stage = Stage::new(parted_hall([-1.0, 1.0]));
    let target = stage.marker(Vec3::new(3.0, 0.0, 3.0));
    let edge = [-5.0, -4.99, 0.0, 0.1, 4.99, 5.0, 5.2, 80.0];
    let heights = [-300.0, -1.0, 0.0, 1.3, 2.5, 40.0];
    let places = edge.into_iter().flat_map(|x| heights.map(|y| Vec3::new(x, y, -x)));
    let mut people: Vec<_> = places.map(|at| stage.walker(at, target)).collect();
    people.push(stage.walker(Vec3::NAN, target));
    stage.run(60.0);
    for id in people {
        let at = stage.at(id);
        assert!(at.is_finite() && at.y >= -0.1 && at.y < 3.0, "{at}");
        assert!(at.x.abs() <= 5.3 && at.z.abs() <= 5.3, "{at}");
        assert!(stage.live(id).on_ground, "{at}");
    }
    assert!(stage.count(EventKind::PutBack) >= 8);
}

/// Reconciles until the level that is being built beside is taken in.
fn settle(stage: &mut Stage) {
    let begun = std::time::Instant::now();
    while stage.world.is_building() {
        assert!(begun.elapsed().as_secs() < 60, "the level never came");
        std::thread::yield_now();
        stage.world.reconcile(&stage.scene, &stage.assets);
    }
}

#[test]
fn a_level_built_beside_is_the_same_and_nobody_falls_meanwhile() {
    let plan = || Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]);
    let mut here = Stage::new(plan());
    let mut beside = Stage::new(plan());
    let [a, b] = [&mut here, &mut beside].map(|stage| {
        let target = stage.marker(Vec3::new(4.0, 0.0, 4.0));
        stage.walker(Vec3::ZERO, target)
    });
    // One reconcile, which begins to build and never waits.
    beside.world = World::in_background();
    beside.world.reconcile(&beside.scene, &beside.assets);
    assert!(beside.world.is_building() && beside.world.triangles().is_empty());
    settle(&mut beside);
    let nodes = |stage: &Stage| stage.world.mesh().current().map(|mesh| mesh.len());
    assert_eq!(nodes(&here), nodes(&beside));
    assert!(here.until_arrived(a, 20.0) > 0.0 && beside.until_arrived(b, 20.0) > 0.0);
    assert!(here.at(a).distance(beside.at(b)) < 1e-3);

    // Other settings of the ground: the old one serves until the new one is there.
    Arc::make_mut(&mut beside.scene.settings).nav.ground_slope_deg = 30.0;
    beside.world.reconcile(&beside.scene, &beside.assets);
    assert!(beside.world.is_building() && !beside.world.triangles().is_empty());
    settle(&mut beside);

    // Asked for and taken back before it was there.
    Arc::make_mut(&mut beside.scene.settings).nav.ground_slope_deg = 50.0;
    beside.world.reconcile(&beside.scene, &beside.assets);
    Arc::make_mut(&mut beside.scene.settings).nav.ground_slope_deg = 30.0;
    beside.world.reconcile(&beside.scene, &beside.assets);
    assert!(!beside.world.is_building());
}

#[test]
fn a_cancelled_bake_leaves_the_mesh_until_it_is_resumed() {
    use walkabout::scene::SceneNav;
    use walkabout::scene::nav::MeshSource;
    let mut stage = Stage::new(Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]));
    stage.world = World::in_background();
    let bake = |stage: &mut Stage, cell_size: f32| {
        let mut nav = SceneNav { mesh: MeshSource::Baked, ..SceneNav::default() };
        nav.bake.cell_size = cell_size;
        stage.scene.nav = Arc::new(nav);
        stage.world.reconcile(&stage.scene, &stage.assets);
    };
    let cells = |stage: &Stage| stage.world.mesh().built().unwrap().baked.as_ref().unwrap().cells;
    bake(&mut stage, 0.2);
    settle(&mut stage);
    let before = cells(&stage);
    assert!(!stage.world.resume_bake(), "none was cancelled");
    // The result of the bake is taken after it is cancelled, however fast it is made.
    bake(&mut stage, 0.1);
    assert!(stage.world.is_building());
    stage.world.cancel_bake();
    for _ in 0..3 {
        stage.world.reconcile(&stage.scene, &stage.assets);
        assert!(!stage.world.is_building() && cells(&stage) == before, "the mesh from before stays");
    }
    assert!(stage.world.mesh().error().unwrap().to_string().contains("cancelled"));
    assert!(stage.world.resume_bake());
    stage.world.reconcile(&stage.scene, &stage.assets);
    settle(&mut stage);
    assert!(cells(&stage) > 2 * before && stage.world.mesh().error().is_none());
    // Another change begins another bake.
    bake(&mut stage, 0.2);
    stage.world.cancel_bake();
    bake(&mut stage, 0.25);
    settle(&mut stage);
    assert!(cells(&stage) < before && stage.world.mesh().error().is_none());
}

#[test]
fn another_planner_or_cost_gives_new_paths_while_time_is_held() {
    use walkabout::nav::planner::Planner;
    use walkabout::scene::nav::AreaRule;
    let plan = Plan::default().floor([-10.0, 10.0], 0.0, [-10.0, 10.0]).block([-1.0, 1.0], [0.0, 2.0], [-4.0, 4.0]);
    let mut stage = Stage::new(plan);
    let goal = stage.add(stage.marker, Vec3::new(6.0, 0.0, 0.0), None);
    let walker = stage.add(stage.person, Vec3::new(-6.0, 0.0, 0.5), Some(goal));
    stage.run(1.0);
    assert_eq!(stage.world.live(walker).unwrap().nav, NavStatus::Walking);
    let before = stage.world.searches();
    stage.world.reconcile(&stage.scene, &stage.assets);
    assert_eq!(stage.world.searches(), before, "nothing has changed");
    let mut expected = before;
    let mut nav = (*stage.scene.nav).clone();
    nav.planner = Planner::Exact;
    for nav in
        [nav.clone(), walkabout::scene::SceneNav { areas: vec![AreaRule { area: 3, cost: 2.0, marks: vec![] }], ..nav }]
    {
        stage.scene.nav = Arc::new(nav);
        let (steps, position) = (stage.world.steps(), stage.world.live(walker).unwrap().now.position);
        stage.world.reconcile(&stage.scene, &stage.assets);
        expected += 1;
        assert_eq!(stage.world.searches(), expected);
        assert_eq!((stage.world.steps(), stage.world.live(walker).unwrap().now.position), (steps, position));
    }
    assert!(!stage.world.live(walker).unwrap().path.is_empty());
}
