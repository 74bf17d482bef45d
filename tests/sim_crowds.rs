//! Crowds of characters on a navigation mesh: they pass each other, share doors, and never leave the mesh. What has
//! changed is searched again, what has not is not.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its hall has to fail")]

use glam::{Vec2, Vec3};
use std::f32::consts::FRAC_PI_6;
use walkabout::ids::InstanceId;
use walkabout::nav::mesh::Filter;
use walkabout::nav::planner::Planner;
use walkabout::nav::query::nearest::{SearchExtents, nearest};
use walkabout::nav::query::surface::Surface;
use walkabout::scene::nav::{Bends, MeshSource, ObstacleShape, PlacedObstacle};
use walkabout::sim::{EventKind, NavStatus, STEP_SECS};

#[path = "common/halls.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod halls;
use halls::*;

/// Most distance of a character from the mesh, metres.
const OFF: f32 = 0.06;

/// Persons who pass a metre of width in a second: U. Weidmann, "Transporttechnik der Fussgänger", ETH Zürich 1993.
const FLOW: f32 = 1.3;
/// What it takes to start, to turn and to stop, seconds.
const START_SECS: f32 = 1.0;
/// Distance from shoulder to shoulder of the people in the halls, metres.
const SHOULDERS: f32 = 0.6;

/// How long it takes so many to walk so far, all of them through a place of this width, seconds.
fn expected_secs(persons: usize, width: f32, metres: f32) -> f32 {
    persons as f32 / (FLOW * width) + metres / SPEED + START_SECS
}

/// How far from the mesh a character stands, seen from above.
fn off_mesh(hall: &Hall, id: InstanceId) -> f32 {
    let mesh = hall.world.mesh().current().unwrap();
    let at = mesh.local(hall.at(id).as_dvec3());
    let near = nearest(mesh, at, &SearchExtents::default(), &Filter::default());
    near.map_or(f32::INFINITY, |n| Vec2::new(n.point.x - at.x, n.point.z - at.z).length())
}

/// Steps until all have arrived, at most for `secs`; the seconds that it took. Checks that none leaves the mesh.
fn walk(hall: &mut Hall, name: &str, walkers: &[InstanceId], secs: f32) -> f32 {
    let mut farthest = 0.0_f32;
    for step in 0..(secs / STEP_SECS) as u32 {
        hall.step();
        for &id in walkers {
            let off = off_mesh(hall, id);
            farthest = farthest.max(off);
            assert!(off < OFF, "{name}: {id:?} is {off} m off the mesh at {}", hall.at(id));
        }
        if walkers.iter().all(|&id| hall.live(id).nav == NavStatus::Arrived) {
            let secs = step as f32 * STEP_SECS;
            println!("{name}: {} arrived after {secs:.1} s, {farthest:.3} m off the mesh at most", walkers.len());
            return secs;
        }
    }
    let left: Vec<_> = walkers.iter().map(|&id| hall.live(id)).filter(|l| l.nav != NavStatus::Arrived).collect();
    let first = left[0];
    panic!("{name}: {} are under way after {secs} s, one at {}: {:?}", left.len(), first.now.position, first.nav);
}

/// A group of `count` around one place, with targets around another.
fn group(hall: &mut Hall, count: usize, from: Vec3, to: Vec3) -> Vec<InstanceId> {
    let rows = (count as f32).sqrt().ceil() as usize;
    let place = |i: usize, room: f32| {
        let middle = (rows as f32 - 1.0) * 0.5;
        Vec3::new((i / rows) as f32 - middle, 0.0, (i % rows) as f32 - middle) * room
    };
    (0..count)
        .map(|i| {
            let target = hall.marker(to + place(i, 1.1));
            hall.walker(from + place(i, 0.8), target)
        })
        .collect()
}

/// A square hall.
fn square() -> Hall {
    Hall::new(&[floor([-16.0, 16.0], 0.0, [-16.0, 16.0])], MeshSource::Baked, Planner::Funnel)
}

/// Two rooms with a door of this width between them.
fn rooms(door: f32) -> Hall {
    let mut quads = vec![floor([-12.0, 12.0], 0.0, [-8.0, 8.0])];
    for z in [[-8.0, -door / 2.0], [door / 2.0, 8.0]] {
        quads.extend(block([-0.2, 0.2], [0.0, 2.5], z));
    }
    Hall::new(&quads, MeshSource::Baked, Planner::Funnel)
}

/// Width of the door between the rooms on the mesh, where middles of bodies go, metres.
fn door_on_mesh(hall: &Hall) -> f32 {
    let mesh = hall.world.mesh().current().unwrap();
    let is_on = |z: f32| {
        let at = mesh.local(Vec3::new(0.0, 0.0, z).as_dvec3());
        let near = nearest(mesh, at, &SearchExtents::default(), &Filter::default());
        near.is_some_and(|n| Vec2::new(n.point.x - at.x, n.point.z - at.z).length() < 1e-3)
    };
    (-100..100).filter(|&i| is_on(i as f32 * 0.01)).count() as f32 * 0.01
}

#[test]
fn n_08_two_groups_of_fifty_pass_and_nobody_leaves_the_mesh() {
    let mut hall = square();
    let (left, right) = (Vec3::new(-10.0, 0.0, 0.0), Vec3::new(10.0, 0.0, 0.0));
    let mut walkers = group(&mut hall, 50, left, right);
    walkers.extend(group(&mut hall, 50, right, left));
    hall.reconcile();
    let secs = walk(&mut hall, "two groups", &walkers, 60.0);
    // Rows of eight, 0.8 m apart; the longest way is 21.1 m.
    let most_secs = expected_secs(100, 7.0 * 0.8 + SHOULDERS, 21.1);
    assert!(secs < most_secs, "{secs} s, not {most_secs}");
    assert_eq!(hall.count(EventKind::Stuck), 0);
}

#[test]
fn bodies_at_one_goal_do_not_touch() {
    let mut hall = square();
    let target = hall.marker(Vec3::ZERO);
    let around = |i: usize| Vec3::new((i as f32 * FRAC_PI_6).cos(), 0.0, (i as f32 * FRAC_PI_6).sin()) * 8.0;
    let walkers: Vec<_> = (0..12).map(|i| hall.walker(around(i), target)).collect();
    hall.reconcile();
    walk(&mut hall, "one goal", &walkers, 40.0);
    for _ in 0..(3.0 / STEP_SECS) as u32 {
        hall.step();
    }
    let all: Vec<Vec3> = walkers.iter().map(|&id| hall.at(id)).collect();
    let pairs = all.iter().enumerate().flat_map(|(i, a)| all[i + 1..].iter().map(move |b| a.distance(*b)));
    let nearest = pairs.fold(f32::INFINITY, f32::min);
    assert!(nearest > SHOULDERS - 0.01, "two stand {nearest} m apart");
    let farthest = all.iter().map(|at| at.length()).fold(0.0, f32::max);
    assert!(farthest < 3.0, "all stand around the goal, the farthest {farthest} m away");
}

#[test]
fn who_is_pushed_off_its_place_at_a_goal_comes_back() {
    // The others come past the first one, which makes way for them.
    for others in 1..=4 {
        let mut hall = square();
        let target = hall.marker(Vec3::ZERO);
        let first = hall.walker(Vec3::new(-5.0, 0.0, 0.3), target);
        hall.reconcile();
        hall.until_arrived(first, 10.0, |_| {});
        let mut walkers = vec![first];
        let place = |i: usize| Vec3::new(-6.0 - i as f32, 0.0, 0.4 * i as f32);
        walkers.extend((0..others).map(|i| hall.walker(place(i), target)));
        hall.reconcile();
        walk(&mut hall, "to one goal", &walkers, 30.0);
        (0..600).for_each(|_| hall.step());
        let errors: Vec<f32> = walkers.iter().filter_map(|&id| hall.world.stop_error(id)).collect();
        println!("{others} others: {errors:.3?} m off their places");
        assert!(errors.len() == walkers.len() && errors.iter().all(|e| e.abs() < 0.05), "{others}: {errors:?}");
    }
}

/// Two halls with a passage of this width between them that is too long to be passed in turns, and so many people in either
/// who go to the other; how deep two of them came to be in each other, metres.
fn through_a_passage(width: f32, people: usize, secs: f32) -> f32 {
    let mut quads = vec![floor([-14.0, 14.0], 0.0, [-4.0, 4.0])];
    for z in [[-4.0, -width / 2.0], [width / 2.0, 4.0]] {
        quads.extend(block([-5.0, 5.0], [0.0, 2.5], z));
    }
    let mut hall = Hall::new(&quads, MeshSource::Baked, Planner::Funnel);
    let bake = &mut hall.nav().bake;
    (bake.cell_size, bake.cell_height, bake.agent_radius) = (0.05, 0.05, 0.3);
    let mut walkers = Vec::new();
    for side in [-1.0, 1.0] {
        for i in 0..people {
            let target = hall.marker(Vec3::new(-12.0 * side, 0.0, 1.5 * i as f32 - 2.0));
            walkers.push(hall.walker(Vec3::new((7.5 + i as f32) * side, 0.0, 0.1 * i as f32), target));
        }
    }
    hall.reconcile();
    let mut deepest = 0.0_f32;
    let arrived = (0..(secs / STEP_SECS) as u32).any(|_| {
        hall.step();
        let at: Vec<Vec3> = walkers.iter().map(|&id| hall.at(id)).collect();
        let pairs = at.iter().enumerate().flat_map(|(i, a)| at[i + 1..].iter().map(move |b| a.distance(*b)));
        deepest = deepest.max(SHOULDERS - pairs.fold(f32::INFINITY, f32::min));
        walkers.iter().all(|&id| hall.live(id).nav == NavStatus::Arrived)
    });
    println!("{people} and {people} through {width} m: {deepest:.3} m in each other");
    assert!(arrived, "{width} m: {:?}", walkers.iter().map(|&id| hall.at(id)).collect::<Vec<_>>());
    deepest
}

#[test]
fn bodies_that_meet_where_two_fit_do_not_overlap() {
    for people in 1..=3 {
        let deepest = through_a_passage(1.6, people, 60.0);
        assert!(deepest < 0.05, "{people} and {people}: {deepest} m in each other");
    }
}

#[test]
fn who_meets_in_a_passage_for_one_gets_past() {
    for width in [0.8, 0.9, 1.0, 1.1, 1.2] {
        through_a_passage(width, 1, 60.0);
    }
}

#[test]
fn n_08_four_groups_cross() {
    let mut hall = square();
    let ends = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(|d| d * 10.0);
    let walkers: Vec<_> = ends.iter().flat_map(|&e| group(&mut hall, 25, e, -e)).collect();
    hall.reconcile();
    let secs = walk(&mut hall, "four groups", &walkers, 60.0);
    // Rows of five, 0.8 m apart, of which two at a time cross the middle; the longest way is 20.6 m.
    let most_secs = expected_secs(100, 4.0 * 0.8 + SHOULDERS, 20.6);
    assert!(secs < most_secs, "{secs} s, not {most_secs}");
    assert_eq!(hall.count(EventKind::Stuck), 0);
}

#[test]
fn n_08_a_door_of_a_metre_and_a_half_is_shared() {
    // Which agents meet at the door turns on the last bits of a place: the median of starts 10 micrometres apart.
    let run = |start: i32| {
        let (mut hall, aside) = (rooms(1.5), start as f32 * 1e-5);
        let (left, right) = (Vec3::new(-6.0 - aside, 0.0, 0.0), Vec3::new(6.0, 0.0, aside));
        let mut walkers = group(&mut hall, 30, left, right);
        walkers.extend(group(&mut hall, 30, right, left));
        hall.reconcile();
        walk(&mut hall, "door of 1.5 m", &walkers, 120.0)
    };
    let mut runs: Vec<f32> = (0..24).map(run).collect();
    runs.sort_by(f32::total_cmp);
    let (secs, mut hall) = (runs[runs.len() / 2], rooms(1.5));
    hall.reconcile();
    // The mesh is baked in cells of 0.2 m: less of the door is left to bodies. The longest ways are 4.8 m to the door
    // and 7.7 m from it.
    let most_secs = expected_secs(60, door_on_mesh(&hall) + SHOULDERS, 4.8 + 7.7);
    assert!(secs < most_secs, "{secs} s, not {most_secs}");
}

#[test]
fn n_09_crowds_are_the_same_each_time() {
    let run = || {
        let mut hall = rooms(1.5);
        let (left, right) = (Vec3::new(-3.0, 0.0, 0.0), Vec3::new(3.0, 0.0, 0.0));
        group(&mut hall, 12, left, right);
        group(&mut hall, 12, right, left);
        hall.reconcile();
        (0..600).for_each(|_| hall.step());
        let copy = hall.world.clone();
        (0..60).for_each(|_| hall.step());
        let hash = hall.world.hash();
        hall.world = copy;
        (0..60).for_each(|_| hall.step());
        assert_eq!(hall.world.hash(), hash, "a copy goes on as the world does");
        hash
    };
    assert_eq!(run(), run());
}

#[test]
fn n_09_crowds_are_the_same_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut hall = square();
            let (left, right) = (Vec3::new(-5.0, 0.0, 0.0), Vec3::new(5.0, 0.0, 0.0));
            group(&mut hall, 100, left, right);
            group(&mut hall, 100, right, left);
            hall.reconcile();
            (0..400).for_each(|_| hall.step());
            hall.world.hash()
        })
    };
    let alone = run(1);
    assert_eq!([2, 3, 8].map(run), [alone; 3]);
}

#[test]
fn n_08_who_stands_makes_way_for_who_walks() {
    let mut hall = Hall::new(&[floor([-8.0, 8.0], 0.0, [-1.2, 1.2])], MeshSource::Baked, Planner::Funnel);
    let standing: Vec<_> = (0..6).map(|i| hall.idler(Vec3::new(i as f32 - 3.0, 0.0, 0.0))).collect();
    let target = hall.marker(Vec3::new(7.0, 0.0, 0.0));
    let walker = hall.walker(Vec3::new(-7.0, 0.0, 0.0), target);
    hall.reconcile();
    let secs = walk(&mut hall, "through those who stand", &[walker], 30.0);
    assert!(secs < 16.0, "{secs}");
    (0..300).for_each(|_| hall.step());
    for (i, id) in standing.into_iter().enumerate() {
        let moved = hall.at(id).distance(Vec3::new(i as f32 - 3.0, 0.0, 0.0));
        assert!(moved < 0.5 && off_mesh(&hall, id) < OFF, "{moved}");
    }
}

#[test]
fn n_08_a_target_that_walks_is_followed_without_searches() {
    let mut hall = square();
    let target = hall.marker(Vec3::new(0.0, 0.0, 0.0));
    let walker = hall.walker(Vec3::new(-12.0, 0.0, -3.0), target);
    hall.reconcile();
    for step in 0..600 {
        hall.move_to(target, Vec3::new(step as f32 * STEP_SECS, 0.0, (step as f32 * 0.01).sin()));
        hall.step();
    }
    assert!((1..=4).contains(&hall.world.searches()), "{}", hall.world.searches());
    hall.until_arrived(walker, 20.0, |_| {});
}

#[test]
fn n_08_an_unreachable_target_is_searched_once_for_all() {
    let quads = [floor([-6.0, 0.0], 0.0, [-4.0, 4.0]), floor([3.0, 8.0], 0.0, [-4.0, 4.0])];
    let mut hall = Hall::new(&quads, MeshSource::Baked, Planner::Funnel);
    let target = hall.marker(Vec3::new(6.0, 0.0, 0.0));
    let walkers: Vec<_> = (0..40)
        .map(|i| hall.walker(Vec3::new(-5.0 + 0.6 * (i % 8) as f32, 0.0, -2.0 + 0.8 * (i / 8) as f32), target))
        .collect();
    hall.reconcile();
    (0..60 * 60).for_each(|_| hall.step());
    assert!(walkers.iter().all(|&w| matches!(hall.live(w).nav, NavStatus::Failed(_))));
    assert_eq!(hall.world.searches(), 1);
    // A target that comes within reach is walked to.
    hall.move_to(target, Vec3::new(-1.0, 0.0, 0.0));
    hall.until_arrived(walkers[0], 90.0, |_| {});
}

#[test]
fn n_08_only_those_whose_way_is_cut_search_again_at_once() {
    // Two lanes beside each other, each with a way around its middle.
    let mut quads = vec![floor([-10.0, 10.0], 0.0, [-10.0, 10.0])];
    quads.extend(block([-10.0, 10.0], [0.0, 2.5], [-0.2, 0.2]));
    let mut hall = Hall::new(&quads, MeshSource::Baked, Planner::Funnel);
    let lane = |hall: &mut Hall, z: f32| -> Vec<_> {
        (0..8)
            .map(|i| {
                let z = z + 0.8 * i as f32 - 2.8;
                let target = hall.marker(Vec3::new(9.0, 0.0, z));
                hall.walker(Vec3::new(-9.0, 0.0, z), target)
            })
            .collect()
    };
    let (cut, free) = (lane(&mut hall, 5.0), lane(&mut hall, -5.0));
    hall.reconcile();
    (0..120).for_each(|_| hall.step());
    let before = hall.world.searches();
    let ways = |hall: &Hall, ids: &[InstanceId]| -> Vec<_> { ids.iter().map(|&w| hall.live(w).path.clone()).collect() };
    let untouched = ways(&hall, &free);
    let shape = ObstacleShape::Box { base: Vec3::new(3.0, 0.0, 5.0), size: Vec3::new(1.0, 2.0, 6.6), yaw_deg: 0.0 };
    hall.nav().obstacles.push(PlacedObstacle { shape, open: false });
    hall.reconcile();
    hall.step();
    assert_eq!(hall.world.searches() - before, 8, "each of those whose way is cut, in one step");
    assert_eq!(ways(&hall, &free), untouched);
    for &w in cut.iter().chain(&free) {
        hall.until_arrived(w, 40.0, |_| {});
    }
    // The door opens: none is under way any more, so none searches.
    let before = hall.world.searches();
    hall.nav().obstacles[0].open = true;
    hall.reconcile();
    (0..30).for_each(|_| hall.step());
    assert_eq!(hall.world.searches(), before);
}

#[test]
fn tp_walkers_hide_and_replan_when_an_enemy_moves() {
    // A wall along the middle with a way on either side of it.
    let mut quads = vec![floor([-10.0, 10.0], 0.0, [-8.0, 8.0])];
    quads.extend(block([-6.0, 6.0], [0.0, 2.5], [-0.3, 0.3]));
    let mut hall = Hall::new(&quads, MeshSource::Baked, Planner::Tactical);
    hall.nav().bias = 50.0;
    hall.nav().threats = vec![Vec3::new(0.0, 0.0, 6.0)];
    let target = hall.marker(Vec3::new(9.0, 0.0, 0.0));
    let walker = hall.walker(Vec3::new(-9.0, 0.0, 0.0), target);
    hall.reconcile();
    (0..30).for_each(|_| hall.step());
    let side = |hall: &Hall| hall.live(walker).path.iter().map(|p| p.z).filter(|z| z.abs() > 0.2).sum::<f32>();
    let (first, before) = (side(&hall), hall.world.searches());
    assert!(first < 0.0, "behind the wall as seen from the enemy: {first}");
    (0..30).for_each(|_| hall.step());
    assert_eq!(hall.world.searches(), before);
    hall.nav().threats[0].z = -6.0;
    hall.reconcile();
    hall.step();
    hall.step();
    assert_eq!(hall.world.searches(), before + 1);
    assert!(side(&hall) > 0.0, "on the other side: {}", side(&hall));
    hall.until_arrived(walker, 40.0, |_| {});
}

#[test]
fn n_01_a_hundred_start_in_one_step_and_keep_off_walls() {
    // A floor with a hole in its middle, as a mesh of its own triangles: it keeps no agent off its walls.
    let lines = [[-12.0, -3.0], [-3.0, 3.0], [3.0, 12.0]];
    let fields = (0..9).filter(|i| *i != 4).map(|i| floor(lines[i % 3], 0.0, lines[i / 3]));
    let mut hall = Hall::new(&fields.collect::<Vec<_>>(), MeshSource::Triangles, Planner::Funnel);
    let target = hall.marker(Vec3::new(9.0, 0.0, 0.5));
    let walkers: Vec<_> = (0..100)
        .map(|i| hall.walker(Vec3::new(-10.5 + 0.7 * (i % 10) as f32, 0.0, -3.5 + 0.7 * (i / 10) as f32), target))
        .collect();
    hall.reconcile();
    let walking = |hall: &Hall| walkers.iter().filter(|&&w| hall.live(w).nav == NavStatus::Walking).count();
    while walking(&hall) == 0 {
        hall.step();
    }
    assert_eq!((walking(&hall), hall.world.searches()), (100, 100));
    // Those who come first get theirs made fit first.
    (0..3).for_each(|_| hall.step());
    let mesh = hall.world.mesh().current().unwrap().clone();
    let (mut surface, filter, mut bends) = (Surface::new(), Filter::default(), 0);
    for &w in &walkers {
        let live = hall.live(w);
        let mut from = live.now.position;
        let mut gone = 0.0;
        for (i, &to) in live.path.iter().enumerate() {
            let length = from.distance(to);
            for k in 0..=20 {
                let at = from.lerp(to, k as f32 / 20.0);
                if gone + length * k as f32 / 20.0 > 3.5 || (i == 0 && k < 10) {
                    continue;
                }
                let near = nearest(&mesh, mesh.local(at.as_dvec3()), &SearchExtents::default(), &filter).unwrap();
                let wall = surface.wall_distance(&mesh, near.nav_point(), 1.0, &filter);
                assert!(wall.is_none_or(|w| w.distance > 0.2), "{wall:?} at {at} on the way of {w:?}: {:?}", live.path);
            }
            bends += usize::from(gone < 3.5 && i > 0);
            gone += length;
            from = to;
        }
    }
    assert!(bends > 100, "{bends}");
    let reached = walkers.iter().filter(|&&w| hall.live(w).path.last() == Some(&hall.at(target))).count();
    assert_eq!(reached, 100);
}

#[test]
fn e_1_walkers_follow_splines_and_never_leave_the_mesh() {
    // A hall with two walls that leave a gap at its one side and at its other.
    let mut quads = vec![floor([-12.0, 12.0], 0.0, [-8.0, 8.0])];
    quads.extend(block([-4.2, -3.8], [0.0, 2.5], [-8.0, 5.0]));
    quads.extend(block([3.8, 4.2], [0.0, 2.5], [-5.0, 8.0]));
    let hall = |bends: Bends| {
        let mut hall = Hall::new(&quads, MeshSource::Baked, Planner::Funnel);
        hall.nav().bends = bends;
        hall
    };
    let (from, to) = (Vec3::new(-9.0, 0.0, -4.0), Vec3::new(9.0, 0.0, 4.0));
    let mut many = hall(Bends::Spline);
    let walkers = group(&mut many, 9, from, to);
    many.reconcile();
    walk(&mut many, "spline", &walkers, 60.0);
    // Alone, no other is in the way: what is walked is the line itself. Of its points, those near the agent.
    let alone = |bends: Bends| {
        let mut hall = hall(bends);
        let target = hall.marker(to);
        let walker = hall.walker(from, target);
        hall.reconcile();
        let (mut track, mut points) = (Vec::new(), 0);
        hall.until_arrived(walker, 60.0, |hall| {
            assert!(off_mesh(hall, walker) < OFF);
            track.push(hall.at(walker));
            let near = |p: &&Vec3| p.distance(hall.at(walker)) < 3.0;
            points = points.max(hall.live(walker).path.iter().filter(near).count());
        });
        (track, points)
    };
    let ((arcs, of_arcs), (spline, of_spline)) = (alone(Bends::Arcs), alone(Bends::Spline));
    assert!(of_spline > of_arcs.max(9), "a spline has points all along: {of_spline}, {of_arcs}");
    let apart = |p: &Vec3| arcs.iter().map(|q| p.distance(*q)).fold(f32::INFINITY, f32::min);
    let farthest = spline.iter().map(apart).fold(0.0, f32::max);
    assert!(farthest > 0.02 && farthest < 1.0, "another line around the same corners: {farthest} m");
}

#[test]
fn e_1_ways_are_cut_on_the_ground_and_walked_over_slopes() {
    // From a terrace down a ramp: the straight leg from the one wall's end to the other's lies high above the ramp's foot.
    let mut quads = vec![floor([-26.0, -12.0], 5.0, [-3.0, 3.0]), floor([-2.0, 20.0], 0.0, [-3.0, 3.0])];
    quads.push([(-12.0, 5.0, -3.0), (-12.0, 5.0, 3.0), (-2.0, 0.0, 3.0), (-2.0, 0.0, -3.0)].map(Vec3::from));
    quads.extend(block([-14.2, -13.8], [5.0, 7.5], [-3.0, 1.5]));
    quads.extend(block([13.8, 14.2], [0.0, 2.5], [-1.5, 3.0]));
    for bends in [Bends::Arcs, Bends::Spline] {
        let mut hall = Hall::new(&quads, MeshSource::Baked, Planner::Funnel);
        hall.nav().bends = bends;
        let target = hall.marker(Vec3::new(18.0, 0.0, 2.0));
        let walker = hall.walker(Vec3::new(-22.0, 5.0, -2.0), target);
        hall.reconcile();
        let secs = hall.until_arrived(walker, 60.0, |hall| {
            for p in &hall.live(walker).path {
                let ground = (-0.5 * (p.x + 2.0)).clamp(0.0, 5.0);
                assert!((p.y - ground).abs() < 0.4, "{bends:?}: {p} lies {} m above the ground", p.y - ground);
            }
        });
        println!("{bends:?}: {secs:.1} s");
        assert!(secs < 40.0 && hall.count(EventKind::Stuck) == 0, "{bends:?}: {secs} s");
    }
}
