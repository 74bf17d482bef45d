//! Agents that meet on floors made for it. Every step checks that all agents are on the mesh; figures of each meeting
//! are printed.

mod doors;
mod goals;
mod programs;
pub(super) mod stage;

use super::*;
use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NavMesh};
use stage::*;

/// Two rooms of 12 by 16 metres with a door of this width between them, 0.4 metres deep.
fn rooms(door: f64) -> NavMesh {
    let half = door / 2.0;
    floor(&[-12.0, -6.0, -0.2, 0.2, 6.0, 12.0], &[-8.0, -4.0, -half, half, 4.0, 8.0], |x, z| x != 2 || z == 2)
}

/// Positions of a hundred agents in the right one of the rooms.
fn hundred() -> impl Iterator<Item = (f64, f64)> {
    (0..100).map(|i| (2.0 + 0.9 * f64::from(i % 10), -4.05 + 0.9 * f64::from(i / 10)))
}

/// Two agents that walk towards each other along a corridor of this width.
fn two_in_a_corridor(width: f64) -> Record {
    let mesh = floor(&[-10.0, -5.0, 0.0, 5.0, 10.0], &[-width / 2.0, width / 2.0], |_, _| true);
    let mut crowd = Crowd::new();
    walker(&mesh, &mut crowd, (-8.0, 0.0), (8.0, 0.0));
    walker(&mesh, &mut crowd, (8.0, 0.0), (-8.0, 0.0));
    let mut record = run(&mesh, &mut crowd, 60.0);
    record.tell(&format!("two in a corridor {width} m wide"));
    record
}

#[test]
fn n_08_two_agents_that_meet_head_on_pass() {
    // Alone, each takes 10.8 s.
    for (width, most_secs) in [(4.0, 11.5), (2.0, 11.5), (1.3, 12.0), (1.2, 15.0)] {
        let mut record = two_in_a_corridor(width);
        assert!(record.all_secs < most_secs, "{width} m: {}", record.all_secs);
        assert!(record.overlap(1.0) < 0.05, "{width} m: {}", record.overlap(1.0));
    }
}

#[test]
fn n_08_two_agents_that_meet_along_a_wall_pass() {
    let mesh = floor(&[-10.0, -5.0, 0.0, 5.0, 10.0], &[0.0, 3.0], |_, _| true);
    // To the right of the one is the wall, or of the other.
    for z in [0.0, 3.0] {
        let mut crowd = Crowd::new();
        for (from, to) in [(-8.0, 8.0), (8.0, -8.0)] {
            let settings = AgentSettings { clearance: 0.0, ..AgentSettings::default() };
            let id = crowd.add(&mesh, at(&mesh, from, z), &settings).unwrap();
            crowd.set_goal(id, Some(at(&mesh, to, z)));
        }
        let mut record = run(&mesh, &mut crowd, 60.0);
        record.tell(&format!("two along a wall at {z} m"));
        assert!(record.all_secs < 16.0, "{z} m: {}", record.all_secs);
        assert!(record.overlap(1.0) < 0.05, "{z} m: {}", record.overlap(1.0));
    }
}

#[test]
fn n_08_agents_squeeze_past_each_other_in_narrow_corridors() {
    for width in [1.0, 0.9, 0.75] {
        let mut record = two_in_a_corridor(width);
        assert!(record.all_secs < 30.0, "{width} m: {}", record.all_secs);
        assert!(record.overlap(1.0) < 0.5 && record.most_stuck() < 6.0, "{width} m");
    }
}

#[test]
fn n_08_agents_on_an_eroded_mesh_meet_around_a_corner() {
    let mesh = floor(&[-3.0, 0.0, 9.0], &[-3.0, 0.0, 9.0], |x, z| x == 0 || z == 0);
    let mut crowd = Crowd::new();
    for (from, to) in [((8.0, -0.1), (-0.1, 8.0)), ((-0.1, 8.0), (8.0, -0.1))] {
        let settings = AgentSettings { clearance: 0.0, ..AgentSettings::default() };
        let id = crowd.add(&mesh, at(&mesh, from.0, from.1), &settings).unwrap();
        crowd.set_goal(id, Some(at(&mesh, to.0, to.1)));
    }
    let mut record = run(&mesh, &mut crowd, 30.0);
    record.tell("two around a corner");
    assert!(record.all_secs < 16.0 && record.overlap(1.0) < 0.08, "{}", record.overlap(1.0));
}

#[test]
fn n_08_two_of_a_crowd_that_takes_turns_pass() {
    let side = f64::from(34 * 8);
    let mesh = floor(&[0.0, 0.5 * side, side], &[0.0, 0.5 * side, side], |_, _| true);
    let mut crowd = Crowd::new();
    for pair in 0..33 * 33 {
        let (x, z) = (f64::from(pair % 33 * 8 + 8), f64::from(pair / 33 * 8 + 8));
        walker(&mesh, &mut crowd, (x - 2.5, z), (x + 2.5, z));
        walker(&mesh, &mut crowd, (x + 2.5, z), (x - 2.5, z));
    }
    assert!(crowd.len() > step::MIN_TURNS_AGENTS, "{}", crowd.len());
    let mut record = run(&mesh, &mut crowd, 30.0);
    record.tell("pairs of a large crowd");
    assert!(record.all_secs < 12.0, "{}", record.all_secs);
    assert!(record.overlap(1.0) < 0.05, "{}", record.overlap(1.0));
}

#[test]
fn n_08_circles_swap_places() {
    let mesh = floor(&[-15.0, -5.0, 5.0, 15.0], &[-15.0, -5.0, 5.0, 15.0], |_, _| true);
    for (count, radius) in [(20, 6.0), (40, 8.0)] {
        let mut crowd = Crowd::new();
        for i in 0..count {
            let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / f64::from(count)).sin_cos();
            walker(&mesh, &mut crowd, (radius * cos, radius * sin), (-radius * cos, -radius * sin));
        }
        let mut record = run(&mesh, &mut crowd, 90.0);
        record.tell(&format!("circle of {count}"));
        assert!(record.all_secs < 60.0, "{} of {count} arrived", record.arrived);
        assert!(record.overlap(0.99) < 0.5 && record.most_stuck() < 20.0);
    }
}

#[test]
fn n_08_a_doorway_is_shared_by_200_in_both_directions() {
    let mesh = rooms(1.2);
    let mut crowd = Crowd::new();
    for (x, z) in hundred() {
        walker(&mesh, &mut crowd, (-x, z), (x, z + 0.01));
        walker(&mesh, &mut crowd, (x, z), (-x, z + 0.01));
    }
    let mut record = run(&mesh, &mut crowd, 300.0);
    record.tell("doorway, both directions");
    assert_eq!(record.arrived, 200);
    assert!(record.all_secs < 125.0, "{}", record.all_secs);
    assert!(record.overlap(0.99) < 0.35 && record.mean_stuck() < 15.0);
}

#[test]
fn n_08_a_wider_doorway_is_shared_sooner() {
    let mesh = rooms(1.5);
    let mut crowd = Crowd::new();
    for (x, z) in hundred() {
        walker(&mesh, &mut crowd, (-x, z), (x, z + 0.01));
        walker(&mesh, &mut crowd, (x, z), (-x, z + 0.01));
    }
    let mut record = run(&mesh, &mut crowd, 300.0);
    record.tell("doorway of 1.5 m, both directions");
    assert!(record.all_secs < 110.0 && record.mean_stuck() < 12.0, "{}", record.all_secs);
}

#[test]
fn n_08_a_hundred_go_through_a_doorway() {
    let mesh = rooms(1.2);
    let mut crowd = Crowd::new();
    for (x, z) in hundred() {
        walker(&mesh, &mut crowd, (-x, z), (x, z + 0.01));
    }
    let mut record = run(&mesh, &mut crowd, 120.0);
    record.tell("doorway, one direction");
    assert_eq!(record.arrived, 100);
    assert!(record.overlap(0.99) < 0.4 && record.mean_stuck() < 15.0);
}

#[test]
fn n_08_a_hundred_with_one_goal_stand_around_it() {
    let mesh = rooms(1.2);
    let mut crowd = Crowd::new();
    for (x, z) in hundred() {
        walker(&mesh, &mut crowd, (x, z), (6.0, 0.0));
    }
    let mut record = run(&mesh, &mut crowd, 90.0);
    record.tell("one goal");
    assert_eq!(record.arrived, 100);
    // Discs of 0.3 m in a circle of 4.5 m cover 44 % of it. An agent that touches the others and gets no nearer stays
    // outside.
    let goal = to_plan(at(&mesh, 6.0, 0.0));
    let mut apart: Vec<f32> = crowd.iter().map(|(_, a)| to_plan(a.position()).distance(goal)).collect();
    apart.sort_by(f32::total_cmp);
    assert!(apart[84] < 4.5 && apart[99] < 5.5, "{} and {}", apart[84], apart[99]);
    assert!(record.overlap(0.99) < 0.4);
}

#[test]
fn n_08_a_standing_agent_makes_way_and_comes_back() {
    let mesh = floor(&[-10.0, 0.0, 10.0], &[-1.0, 1.0], |_, _| true);
    let mut crowd = Crowd::new();
    let stands = crowd.add(&mesh, at(&mesh, 0.0, 0.0), &AgentSettings::default()).unwrap();
    let walks = walker(&mesh, &mut crowd, (-6.0, 0.0), (6.0, 0.0));
    for _ in 0..900 {
        crowd.step(&mesh, &Filter::default(), DT, Budget::default());
        check(&mesh, &crowd);
    }
    assert_eq!(crowd.agent(walks).unwrap().state(), AgentState::Arrived);
    assert_eq!(crowd.agent(stands).unwrap().state(), AgentState::Idle);
    let moved = crowd.agent(stands).unwrap().position().distance(at(&mesh, 0.0, 0.0));
    assert!(moved < 0.3, "{moved}");
}

#[test]
fn an_agent_on_a_corner_goes_around_it() {
    let mesh = floor(&[-5.0, 0.0, 5.0], &[-5.0, 0.0, 5.0], |x, z| (x, z) != (0, 0));
    for end in [(-3.0, 0.05), (0.05, -3.0)] {
        let mut crowd = Crowd::new();
        let settings = AgentSettings { clearance: 0.0, ..AgentSettings::default() };
        let id = crowd.add(&mesh, at(&mesh, 0.0, 0.0), &settings).unwrap();
        let goal = at(&mesh, end.0, end.1);
        for _ in 0..120 {
            let way = goal - crowd.agent(id).unwrap().position();
            let preferred_velocity = way.with_y(0.0).normalize_or_zero();
            let remaining = way.length();
            let path = ExternalPath { preferred_velocity, points: [goal; LOOKAHEAD_POINTS], remaining };
            crowd.set_external_path(id, Some(path));
            crowd.step(&mesh, &Filter::default(), DT, Budget::default());
            check(&mesh, &crowd);
        }
        let left = crowd.agent(id).unwrap().position().distance(goal);
        assert!(left < 2.0, "still {left} m from {goal}");
    }
}
