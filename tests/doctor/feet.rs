//! Levels in feet, and levels in metres whose sizes are as large as those of levels in feet look.

use super::{FOUND, House, LIMITS, is_good};
use glam::Vec3;
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::nav::doctor::{AgentLimits, DoctorWatch, FaultKind, Mend, examine_export};

/// Number of levels of each kind.
const ROUNDS: usize = 200;
const FEET: f32 = 0.3048;
/// Agents as the doctor's tests and as the bake have them.
const AGENTS: [AgentLimits; 2] =
    [LIMITS, AgentLimits { radius: 0.6, mesh_radius: 0.6, height: 2.0, climb: 0.9, ..LIMITS }];

/// By what the doctor scales a level, turned about the vertical, whose numbers are times a factor.
fn unit(house: &House, factor: f32, limits: &AgentLimits, dice: &mut SplitMix64) -> Option<Mend> {
    let turn = glam::Quat::from_rotation_y(dice.between(0.0, std::f32::consts::TAU));
    let triangles: Vec<[Vec3; 3]> = house.triangles.iter().map(|t| t.map(|p| turn * p * factor)).collect();
    let found = examine_export(&triangles, limits, &DoctorWatch::default()).unwrap();
    is_good(&found);
    found.into_iter().find(|f| f.fault == FaultKind::Units).and_then(|f| f.mend)
}

/// Levels in feet are told, and the same in metres and as large as games make them are not.
fn are_told(build: impl Fn(&mut SplitMix64) -> House, limits: &AgentLimits, seed: u64) {
    let mut dice = SplitMix64::new(seed);
    let (mut told, mut false_alarms) = (0, 0);
    for _ in 0..ROUNDS {
        let house = build(&mut dice);
        told += usize::from(unit(&house, 1.0 / FEET, limits, &mut dice) == Some(Mend::Scale(FEET)));
        let size = dice.between(1.0, 1.6);
        false_alarms += usize::from(unit(&house, size, limits, &mut dice).is_some());
    }
    assert!(told as f64 >= FOUND * ROUNDS as f64, "{told} of {ROUNDS} told, climbing {} m", limits.climb);
    assert_eq!(false_alarms, 0, "climbing {} m", limits.climb);
}

/// A flight of stairs beside its floor, solid or of single steps.
fn flight(house: &mut House, steps: usize, step: [f32; 2], width: f32, is_solid: bool) {
    let [tread, rise] = step;
    for k in 0..steps {
        let [top, x] = [rise * (k + 1) as f32, tread * k as f32];
        let under = if is_solid || k == 0 { 0.0 } else { top - rise };
        house.block([x, x + tread], [0.0, width], [under, top]);
    }
}

/// Stairs to a platform, and nothing else: risers of 15 to 20 cm, treads of 25 to 32 cm.
fn stairs_alone(dice: &mut SplitMix64) -> House {
    let mut house = House::default();
    let (steps, step) = (6 + dice.below(13), [dice.between(0.25, 0.32), dice.between(0.15, 0.2)]);
    let (run, width) = (step[0] * steps as f32, dice.between(0.9, 2.2));
    let around = dice.between(3.0, 8.0);
    house.floor([-around, run + around], [-around, width + around], 0.0);
    flight(&mut house, steps, step, width, dice.below(2) == 0);
    let top = step[1] * steps as f32;
    house.block([run, run + dice.between(1.5, 4.0)], [-1.0, width + 1.0], [top - 0.2, top]);
    house
}

#[test]
fn stairs_alone_in_feet_are_told() {
    are_told(stairs_alone, &LIMITS, 51);
}

/// Walls without ceilings, with openings to their tops or with lintels.
fn open_house(dice: &mut SplitMix64) -> House {
    let mut house = House::default();
    let (width, depth, height) = (dice.between(8.0, 16.0), dice.between(7.0, 13.0), dice.between(2.4, 3.2));
    let (outer, inner) = (dice.between(0.2, 0.4), dice.between(0.1, 0.2));
    let has_lintels = dice.below(3) == 0;
    house.floor([-4.0, width + 4.0], [-4.0, depth + 4.0], 0.0);
    let mut wall = |x: [f32; 2], z: [f32; 2], doors: usize| {
        let is_along = x[1] - x[0] > z[1] - z[0];
        let [low, high] = if is_along { x } else { z };
        let mut part = |from: f32, to: f32, y: [f32; 2]| {
            if is_along { house.block([from, to], z, y) } else { house.block(x, [from, to], y) }
        };
        let (mut from, share) = (low, (high - low) / doors.max(1) as f32);
        for door in 0..doors {
            let opening = dice.between(0.8, 1.2);
            let at = low + share * door as f32 + dice.between(0.3, share - 0.3 - opening);
            part(from, at, [0.0, height]);
            from = at + opening;
            if has_lintels {
                part(at, from, [2.1, height]);
            }
        }
        part(from, high, [0.0, height]);
    };
    let (middle, side) = (0.5 * depth, 0.5 * width);
    wall([-outer, width + outer], [-outer, 0.0], 1);
    wall([-outer, width + outer], [depth, depth + outer], 0);
    wall([-outer, 0.0], [0.0, depth], 0);
    wall([width, width + outer], [0.0, depth], 0);
    wall([0.0, width], [middle, middle + inner], 2);
    wall([side, side + inner], [0.0, middle], 1);
    house
}

#[test]
fn open_houses_in_feet_are_told_by_their_doorways() {
    AGENTS.iter().for_each(|limits| are_told(open_house, limits, 52));
}

/// A hall of boxes with large doors and steps, as shooters have them.
fn arena(dice: &mut SplitMix64) -> House {
    let mut house = House::default();
    let (height, wall) = ([3.0, 4.0, 6.0][dice.below(3)], [0.25, 0.5, 1.0][dice.below(3)]);
    let (door, lintel) = ([1.5, 2.0, 3.0][dice.below(3)], [2.5, 2.9][dice.below(2)]);
    house.floor([-12.0, 30.0], [-12.0, 20.0], 0.0);
    house.block([-12.0, 30.0], [10.0, 10.0 + wall], [0.0, height]);
    house.block([20.0, 20.0 + wall], [-12.0, 0.0], [0.0, height]);
    house.block([20.0, 20.0 + wall], [door, 10.0], [0.0, height]);
    house.block([20.0, 20.0 + wall], [0.0, door], [lintel, height]);
    let step = [[0.4, 0.5][dice.below(2)], [0.25, 0.3][dice.below(2)]];
    flight(&mut house, 6, step, [2.0, 4.0, 8.0][dice.below(3)], true);
    house
}

/// A castle's gate under a high wall.
fn gate(dice: &mut SplitMix64) -> House {
    let mut house = House::default();
    let (height, wall, width) = (dice.between(8.0, 12.0), dice.between(1.0, 2.0), dice.between(3.0, 4.0));
    house.floor([-20.0, 20.0], [-20.0, 20.0], 0.0);
    house.block([-20.0, -0.5 * width], [0.0, wall], [0.0, height]);
    house.block([0.5 * width, 20.0], [0.0, wall], [0.0, height]);
    house.block([-0.5 * width, 0.5 * width], [0.0, wall], [dice.between(3.5, 5.0), height]);
    house
}

/// Rows of seats.
fn stand(dice: &mut SplitMix64) -> House {
    let mut house = House::default();
    house.floor([-5.0, 15.0], [-5.0, 40.0], 0.0);
    flight(&mut house, 8, [dice.between(0.75, 0.9), dice.between(0.4, 0.46)], dice.between(15.0, 35.0), true);
    house
}

/// Rows of cubes or half cubes, piled up.
fn cubes(dice: &mut SplitMix64) -> House {
    let mut house = House::default();
    let (edge, part) = ([0.5, 1.0][dice.below(2)], [0.5, 1.0][dice.below(2)]);
    house.floor([-10.0, 20.0], [-10.0, 10.0], 0.0);
    flight(&mut house, 4 + dice.below(8), [edge, edge * part], edge, true);
    house
}

#[test]
fn large_steps_and_gates_are_not_taken_for_feet() {
    let mut dice = SplitMix64::new(53);
    for round in 0..ROUNDS {
        let builds: [fn(&mut SplitMix64) -> House; 4] = [arena, gate, stand, cubes];
        for (kind, build) in builds.into_iter().enumerate() {
            let house = build(&mut dice);
            let told = unit(&house, 1.0, &AGENTS[round % 2], &mut dice);
            assert_eq!(told, None, "{round}, {kind}");
        }
    }
}
