//! Goals: searched, repaired and refused ones, and input of every kind.

use glam::{DVec3, Vec3};
use std::sync::Arc;

use super::stage::*;
use crate::nav::crowd::{AgentId, AgentSettings, AgentState, Budget, Crowd};
use crate::nav::mesh::dynamic::{DynamicMesh, Obstacle};
use crate::nav::mesh::{Filter, NavMesh, RawMesh, RawPolygon};
use crate::nav::query::{Place, QueryError};

/// A hall of 24 by 24 metres in squares of 2 metres, columns left out, and an island beside it.
fn hall() -> NavMesh {
    let lines: Vec<f64> = (0..=14).map(|i| 2.0 * f64::from(i)).collect();
    floor(&lines, &lines[..13], |x, z| x != 12 && !(x % 3 == 1 && z % 3 == 1))
}

fn steps(mesh: &NavMesh, crowd: &mut Crowd, count: usize, budget: Budget) -> (u32, u32) {
    let (mut expanded, mut searches) = (0, 0);
    for _ in 0..count {
        crowd.step(mesh, &Filter::default(), DT, budget);
        check(mesh, crowd);
        expanded += crowd.stats().expanded;
        searches += crowd.stats().searches;
    }
    (expanded, searches)
}

#[test]
fn n_08_goals_that_cannot_be_reached_cost_nothing() {
    let mesh = hall();
    let mut crowd = Crowd::new();
    let ids: Vec<AgentId> = (0..1000)
        .map(|i| {
            walker(&mesh, &mut crowd, (0.5 + 0.55 * f64::from(i % 40), 0.5 + 0.05 * f64::from(i / 40)), (27.0, 5.0))
        })
        .collect();
    assert_eq!(steps(&mesh, &mut crowd, 10, Budget::ALL), (0, 0));
    for &id in &ids {
        assert!(matches!(crowd.agent(id).unwrap().state(), AgentState::Failed(QueryError::OtherIsland(..))));
    }
    // The same where only a filter is in the way.
    let mut raw = RawMesh::default();
    for x in 0..=4 {
        raw.vertices.extend([DVec3::new(f64::from(x) * 3.0, 0.0, 0.0), DVec3::new(f64::from(x) * 3.0, 0.0, 3.0)]);
    }
    for x in 0..4u32 {
        let flags = if x == 2 { 2 } else { 1 };
        raw.polygons.push(RawPolygon { flags, ..RawPolygon::new([2 * x, 2 * x + 2, 2 * x + 3, 2 * x + 1]) });
    }
    let mesh = raw.validate().unwrap();
    let mut crowd = Crowd::new();
    let id = crowd.add(&mesh, mesh.local(DVec3::new(1.0, 0.0, 1.0)), &AgentSettings::default()).unwrap();
    crowd.set_goal(id, Some(mesh.local(DVec3::new(11.0, 0.0, 1.0))));
    let filter = Filter { include: 1, ..Filter::default() };
    for _ in 0..300 {
        crowd.step(&mesh, &filter, DT, Budget::ALL);
        assert_eq!(crowd.stats().expanded, 0);
        assert!(matches!(crowd.agent(id).unwrap().state(), AgentState::Failed(QueryError::Blocked(..))));
    }
    // Once the filter lets it through, it goes.
    for _ in 0..600 {
        crowd.step(&mesh, &Filter::default(), DT, Budget::ALL);
    }
    assert_eq!(crowd.agent(id).unwrap().state(), AgentState::Arrived);
}

#[test]
fn n_08_who_stood_for_long_goes_to_a_new_goal() {
    let mesh = hall();
    let mut crowd = Crowd::new();
    let id = walker(&mesh, &mut crowd, (1.0, 1.0), (1.0, 3.0));
    for goal in [(1.0, 3.0), (5.0, 5.0)] {
        crowd.set_goal(id, Some(at(&mesh, goal.0, goal.1)));
        steps(&mesh, &mut crowd, 600, Budget::ALL);
        assert_eq!(crowd.agent(id).unwrap().state(), AgentState::Arrived, "{goal:?}");
    }
}

#[test]
fn n_08_a_goal_that_moves_a_little_needs_no_search() {
    let mesh = hall();
    let mut crowd = Crowd::new();
    let id = walker(&mesh, &mut crowd, (1.0, 1.0), (18.2, 18.2));
    assert_eq!(steps(&mesh, &mut crowd, 1, Budget::ALL).1, 1);
    // In a circle over four polygons, no farther than drift allows.
    for i in 1..=120 {
        let turn = f64::from(i) * 0.05;
        crowd.set_goal(id, Some(at(&mesh, 18.2 + 1.2 * turn.sin(), 18.2 - 1.2 * (1.0 - turn.cos()))));
        assert_eq!(steps(&mesh, &mut crowd, 1, Budget::ALL), (0, 0), "step {i}");
        assert_eq!(crowd.stats().repaired, 1);
        let agent = crowd.agent(id).unwrap();
        let corridor: Vec<_> = agent.corridor().collect();
        assert_eq!(corridor[0], agent.polygon());
        for pair in corridor.windows(2) {
            assert!(mesh.portals().links_of(pair[0].0).iter().any(|w| w.neighbor == pair[1].0), "{corridor:?}");
        }
    }
    let mut record = run(&mesh, &mut crowd, 60.0);
    assert_eq!(record.arrived, 1);
    assert_eq!(record.overlap(1.0), 0.0);
    // A goal that jumps away is searched.
    crowd.set_goal(id, Some(at(&mesh, 1.0, 20.0)));
    assert_eq!(steps(&mesh, &mut crowd, 2, Budget::ALL).1, 1);
}

#[test]
fn n_08_searches_keep_to_the_budget_and_every_agent_gets_a_turn() {
    let mesh = hall();
    let mut crowd = Crowd::new();
    for i in 0..200 {
        let (x, z) = (f64::from(i % 20), f64::from(i / 20));
        walker(&mesh, &mut crowd, (0.3 + 0.07 * x, 0.3 + 0.15 * z), (22.1 + 0.07 * x, 22.1 + 0.15 * z));
    }
    let (mut total, mut waiting, mut count) = (0, 200, 0);
    while waiting > 0 {
        let budget = Budget { expansions: 200 };
        total += steps(&mesh, &mut crowd, 1, budget).0;
        count += 1;
        // A search that has begun may go beyond; what it takes is missing later.
        assert!(total <= 200 * count + 150, "{total} after {count} steps");
        assert!(crowd.stats().waiting < waiting);
        waiting = crowd.stats().waiting;
    }
    assert!(count > 10 && crowd.iter().all(|a| a.1.state() == AgentState::Walking));
    // Nothing is searched with nothing to spend.
    let id = walker(&mesh, &mut crowd, (1.0, 22.0), (22.0, 1.0));
    assert_eq!(steps(&mesh, &mut crowd, 30, Budget { expansions: 0 }).1, 0);
    assert_eq!(crowd.agent(id).unwrap().state(), AgentState::Waiting);
    assert_eq!(steps(&mesh, &mut crowd, 1, Budget::default()).1, 1);
}

#[test]
fn n_08_another_mesh_keeps_the_ways_that_are_still_there() {
    let lines: Vec<f64> = (0..=12).map(|i| 2.0 * f64::from(i)).collect();
    let build = |hole: (usize, usize)| floor(&lines, &lines, |x, z| (x, z) != hole);
    let (before, far, near) = (build((99, 99)), build((11, 0)), build((6, 6)));
    let mut crowd = Crowd::new();
    let id = walker(&before, &mut crowd, (1.0, 1.2), (23.0, 22.8));
    steps(&before, &mut crowd, 60, Budget::ALL);
    assert_eq!(steps(&far, &mut crowd, 60, Budget::ALL).1, 0, "the hole is not on the way");
    let crosses =
        crowd.agent(id).unwrap().corridor().any(|p| far.polygon(p).center.distance(at(&far, 13.0, 13.0)) < 0.5);
    assert_eq!(steps(&near, &mut crowd, 1, Budget::ALL).1, u32::from(crosses));
    // Under the agent's feet: it is put on the ground that is left.
    let cell = (at(&near, 0.0, 0.0) - crowd.agent(id).unwrap().position()).abs() / 2.0;
    let gone = build((cell.x as usize, cell.z as usize));
    let record = run(&gone, &mut crowd, 60.0);
    assert_eq!(record.arrived, 1);
}

#[test]
fn n_08_agents_stay_where_they_are_when_the_mesh_moves() {
    let mesh = hall();
    let mut crowd = Crowd::new();
    let id = walker(&mesh, &mut crowd, (1.0, 1.0), (1.0, 21.0));
    steps(&mesh, &mut crowd, 30, Budget::ALL);
    let place = |mesh: &NavMesh, crowd: &Crowd| mesh.world(crowd.agent(id).unwrap().position());
    let before = place(&mesh, &crowd);
    let moved = mesh.clone().moved(DVec3::new(0.0, 0.0, -0.5));
    assert_ne!(moved.id(), mesh.id());
    crowd.step(&moved, &Filter::default(), 0.0, Budget::ALL);
    assert!(place(&moved, &crowd).distance(before) < 1e-4, "{} from {before}", place(&moved, &crowd));
    assert_eq!(mesh.clone().moved(DVec3::ZERO).id(), mesh.id(), "what did not move is the same mesh");
}

#[test]
fn n_08_agents_on_a_polygon_that_an_obstacle_cuts_walk_on() {
    let base = floor(&[0.0, 24.0], &[0.0, 24.0], |_, _| true);
    let mut crowd = Crowd::new();
    walker(&base, &mut crowd, (2.0, 2.0), (20.0, 20.0));
    let mut mesh = DynamicMesh::new(Arc::new(base));
    mesh.add(&Obstacle::cuboid(DVec3::new(11.0, 0.0, 11.0), DVec3::new(1.0, 4.0, 1.0), 0.0)).unwrap();
    assert_eq!(run(mesh.mesh(), &mut crowd, 60.0).arrived, 1);
}

#[test]
fn n_08_obstacles_come_and_go_under_a_crowd() {
    // Whichever of the four squares is cut: the pieces that are left when the obstacle has gone have no edges.
    for (x, z) in [(6.0, 6.0), (18.0, 6.0), (6.0, 18.0), (18.0, 18.0)] {
        let base = floor(&[0.0, 12.0, 24.0], &[0.0, 12.0, 24.0], |_, _| true);
        let mut crowd = Crowd::new();
        walker(&base, &mut crowd, (11.0, 1.0), (13.0, 23.0));
        let mut mesh = DynamicMesh::new(Arc::new(base));
        let block = |x: f64, z: f64| Obstacle::cuboid(DVec3::new(x, 0.0, z), DVec3::new(1.0, 4.0, 1.0), 0.4);
        mesh.add(&block(24.0 - x, 24.0 - z)).unwrap();
        let gone = mesh.add(&block(x, z)).unwrap();
        steps(mesh.mesh(), &mut crowd, 30, Budget::ALL);
        mesh.remove(gone).unwrap();
        assert_eq!(run(mesh.mesh(), &mut crowd, 60.0).arrived, 1);
    }
}

#[test]
fn n_08_an_obstacle_in_the_open_makes_no_doorway() {
    let lines: Vec<f64> = (0..=5).map(|i| 4.0 * f64::from(i)).collect();
    let base = floor(&lines, &lines, |_, _| true);
    let mut crowd = Crowd::new();
    walker(&base, &mut crowd, (1.0, 10.0), (19.0, 10.0));
    let mut mesh = DynamicMesh::new(Arc::new(base));
    mesh.add(&Obstacle::cuboid(DVec3::new(10.0, 0.0, 10.0), DVec3::new(0.5, 4.0, 0.5), 0.0)).unwrap();
    assert_eq!(run(mesh.mesh(), &mut crowd, 60.0).arrived, 1);
    assert!(!crowd.doorways.exist(), "the corners of the square that was cut are no wall corners");
}

#[test]
fn n_08_who_failed_goes_as_soon_as_the_filter_lets_him() {
    // One polygon with start and goal, which a filter excludes at first.
    let corners = [(0.0, 0.0), (9.0, 0.0), (9.0, 3.0), (0.0, 3.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
    let polygons = vec![RawPolygon { flags: 2, ..RawPolygon::new([0, 1, 2, 3]) }];
    let mesh = RawMesh { vertices: corners.to_vec(), polygons }.validate().unwrap();
    let mut crowd = Crowd::new();
    let id = crowd.add(&mesh, mesh.local(DVec3::new(1.0, 0.0, 1.5)), &AgentSettings::default()).unwrap();
    crowd.set_goal(id, Some(mesh.local(DVec3::new(8.0, 0.0, 1.5))));
    let filter = Filter { include: 1, ..Filter::default() };
    // By then it would ask again after five seconds.
    for _ in 0..600 {
        crowd.step(&mesh, &filter, DT, Budget::ALL);
        assert!(matches!(crowd.agent(id).unwrap().state(), AgentState::Failed(_)));
    }
    for _ in 0..3 {
        crowd.step(&mesh, &Filter::default(), DT, Budget::ALL);
    }
    assert_eq!(crowd.agent(id).unwrap().state(), AgentState::Walking);
}

#[test]
fn n_08_bodies_can_be_put_where_an_outside_simulation_has_them() {
    let mesh = hall();
    let mut crowd = Crowd::new();
    let id = walker(&mesh, &mut crowd, (1.0, 1.0), (22.9, 1.0));
    steps(&mesh, &mut crowd, 30, Budget::ALL);
    // Followed along the surface, its way stays.
    for i in 0..40 {
        assert!(crowd.sync_position(&mesh, id, at(&mesh, 2.0 + 0.2 * f64::from(i), 1.3)));
        assert_eq!(steps(&mesh, &mut crowd, 1, Budget::ALL).1, 0);
    }
    // Far away it needs another.
    assert!(crowd.sync_position(&mesh, id, at(&mesh, 1.0, 23.0)));
    assert_eq!(steps(&mesh, &mut crowd, 1, Budget::ALL).1, 1);
    assert!(!crowd.sync_position(&mesh, id, Vec3::NAN) && !crowd.sync_position(&mesh, id, Vec3::splat(1e9)));
    assert_eq!(run(&mesh, &mut crowd, 60.0).arrived, 1);
}

#[test]
fn n_08_agents_come_and_go() {
    let mesh = hall();
    let mut crowd = Crowd::new();
    let mut ids = Vec::new();
    for i in 0..300u32 {
        let (x, z) = (f64::from(i * 7 % 24), f64::from(i * 5 % 24));
        if let Some(id) = crowd.add(&mesh, at(&mesh, x, z), &AgentSettings::default()) {
            crowd.set_goal(id, Some(at(&mesh, 23.0 - x, 23.0 - z)));
            ids.push(id);
        }
        if i % 3 == 0 {
            let id = ids.remove(i as usize % ids.len());
            assert!(crowd.remove(id) && !crowd.remove(id) && crowd.agent(id).is_none());
            crowd.set_goal(id, None);
            assert!(!crowd.sync_position(&mesh, id, Vec3::ZERO));
        }
        steps(&mesh, &mut crowd, 1, Budget { expansions: 100 });
        assert_eq!((crowd.len(), crowd.iter().count()), (ids.len(), ids.len()));
    }
    for id in ids {
        crowd.remove(id);
    }
    steps(&mesh, &mut crowd, 1, Budget::default());
    assert!(crowd.is_empty());
}

#[test]
fn n_08_agents_take_other_settings_on_their_way() {
    let mesh = hall();
    let mut crowd = Crowd::new();
    let id = walker(&mesh, &mut crowd, (1.0, 1.0), (1.0, 21.0));
    steps(&mesh, &mut crowd, 60, Budget::ALL);
    let speed = |crowd: &Crowd| crowd.agent(id).unwrap().velocity().length();
    assert!(speed(&crowd) < 1.6, "{}", speed(&crowd));
    let runs = AgentSettings { max_speed: 4.0, radius: f32::NAN, ..AgentSettings::default() };
    assert!(crowd.set_settings(id, &runs));
    assert_eq!(crowd.agent(id).unwrap().settings(), &runs.sanitized());
    assert_eq!(steps(&mesh, &mut crowd, 60, Budget::ALL).1, 0, "its path is kept");
    assert!(speed(&crowd) > 3.5, "{}", speed(&crowd));
    // One that stands makes room for its new size.
    let (mesh, mut crowd) = (floor(&[-9.0, 9.0], &[-9.0, 9.0], |_, _| true), Crowd::new());
    let thin = AgentSettings { radius: 0.1, ..AgentSettings::default() };
    let both = [-0.15, 0.15].map(|x| crowd.add(&mesh, at(&mesh, x, 0.0), &thin).unwrap());
    steps(&mesh, &mut crowd, 60, Budget::ALL);
    let apart = |crowd: &Crowd| {
        let [a, b] = both.map(|id| crowd.agent(id).unwrap().position());
        a.distance(b)
    };
    assert!(apart(&crowd) < 0.35, "{}", apart(&crowd));
    assert!(both.iter().all(|id| crowd.set_settings(*id, &AgentSettings { radius: 0.4, ..thin })));
    steps(&mesh, &mut crowd, 120, Budget::ALL);
    assert!(apart(&crowd) > 0.7, "{}", apart(&crowd));
    assert!(crowd.remove(both[0]) && !crowd.set_settings(both[0], &thin));
}

#[test]
fn n_08_removed_agents_leave_the_queue_and_keep_its_order() {
    let mesh = hall();
    let mut crowd = Crowd::new();
    let from = |i: u32| (0.3 + 0.07 * f64::from(i % 20), 0.3 + 0.15 * f64::from(i / 20));
    let mut ids: Vec<AgentId> = (0..200).map(|i| walker(&mesh, &mut crowd, from(i), (23.0, 23.0))).collect();
    steps(&mesh, &mut crowd, 1, Budget { expansions: 0 });
    assert_eq!(crowd.stats().waiting, 200);
    // Those that leave make room for as many new ones in their slots, which wait behind those that stayed.
    for i in (0..200).step_by(2) {
        assert!(crowd.remove(ids[i]));
    }
    for i in (0..200).step_by(2) {
        ids[i] = walker(&mesh, &mut crowd, from(i as u32), (23.0, 23.0));
    }
    steps(&mesh, &mut crowd, 1, Budget { expansions: 0 });
    assert_eq!(crowd.stats().waiting, 200);
    while crowd.agent(ids[199]).unwrap().state() == AgentState::Waiting {
        assert!((0..200).step_by(2).all(|i| crowd.agent(ids[i]).unwrap().state() == AgentState::Waiting));
        steps(&mesh, &mut crowd, 1, Budget { expansions: 60 });
    }
    while crowd.stats().waiting > 0 {
        steps(&mesh, &mut crowd, 1, Budget { expansions: 1000 });
    }
    assert!(crowd.iter().all(|a| a.1.state() == AgentState::Walking));
    ids.into_iter().for_each(|id| assert!(crowd.remove(id)));
    steps(&mesh, &mut crowd, 1, Budget::default());
    assert_eq!((crowd.len(), crowd.stats().waiting), (0, 0));
}

#[test]
fn n_08_any_input_is_taken() {
    let mesh = hall();
    let odd = [0.0, -1.0, 1e-30, 0.3, 1e30, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let mut crowd = Crowd::new();
    let mut ids = Vec::new();
    for i in 0..64usize {
        let value = |k: usize| odd[(i * 5 + k * 3 + i / 8) % odd.len()];
        let settings = AgentSettings {
            radius: value(0),
            height: value(1),
            clearance: value(2),
            max_speed: value(3),
            max_acceleration: value(4),
            horizon_secs: value(5),
        };
        ids.extend(crowd.add(&mesh, at(&mesh, 1.0 + i as f64 % 20.0, 1.0), &settings));
    }
    assert!(crowd.add(&mesh, Vec3::NAN, &AgentSettings::default()).is_none());
    assert!(crowd.add(&mesh, Vec3::splat(1e30), &AgentSettings::default()).is_none());
    for (i, &id) in ids.iter().enumerate() {
        let goals = [at(&mesh, 22.0, 22.0), Vec3::NAN, Vec3::splat(1e30), Vec3::INFINITY, at(&mesh, 5.0, 9.0)];
        crowd.set_goal(id, Some(goals[i % goals.len()]));
    }
    for dt in [0.0, -1.0, f32::NAN, 1e-30, DT, 0.1, 1e9, f32::INFINITY].repeat(8) {
        crowd.step(&mesh, &Filter::default(), dt, Budget::default());
        check(&mesh, &crowd);
    }
    let state = |i: usize| crowd.agent(ids[i]).unwrap().state();
    assert_eq!(state(1), AgentState::Failed(QueryError::NotFinite(Place::End)));
    assert_eq!(state(2), AgentState::Failed(QueryError::NoGround(Place::End)));
    let nothing = Filter { include: 0, ..Filter::default() };
    crowd.step(&mesh, &nothing, DT, Budget::default());
    check(&mesh, &crowd);
}

#[test]
fn n_08_thousands_on_one_spot_part() {
    let mesh = floor(&[-40.0, 0.0, 40.0], &[-40.0, 0.0, 40.0], |_, _| true);
    let mut crowd = Crowd::new();
    for _ in 0..2000 {
        crowd.add(&mesh, at(&mesh, 0.1, 0.1), &AgentSettings::default()).unwrap();
    }
    steps(&mesh, &mut crowd, 240, Budget::default());
    let spread = crowd.iter().filter(|a| a.1.position().distance(at(&mesh, 0.1, 0.1)) > 3.0).count();
    assert!(spread > 1000, "{spread}");
}

/// The bits of the crowd after a while, on a number of threads.
fn bits(threads: usize) -> Vec<u32> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mesh = hall();
        let mut crowd = Crowd::new();
        for i in 0..300 {
            let (x, z) = (f64::from(i % 20), f64::from(i / 20));
            walker(&mesh, &mut crowd, (0.4 + 1.1 * x, 0.4 + 0.1 * z), (22.5 - 1.1 * x, 23.5 - 0.1 * z));
        }
        steps(&mesh, &mut crowd, 240, Budget { expansions: 500 });
        crowd
            .iter()
            .flat_map(|(_, a)| a.position().to_array().into_iter().chain(a.velocity().to_array()))
            .map(f32::to_bits)
            .collect()
    })
}

#[test]
fn n_08_the_same_bits_on_any_number_of_threads() {
    let one = bits(1);
    assert_eq!(one.len(), 1800);
    assert!(one == bits(2) && one == bits(5));
}
