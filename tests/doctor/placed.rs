//! Levels as modelling programs write them: with another axis up; holes and spikes in grids and beside walls.

use super::{House, LIMITS, is_good};
use glam::Vec3;
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::nav::doctor::{AgentLimits, FaultKind, Finding, examine_level};

/// Number of levels of each kind.
const ROUNDS: usize = 8;

fn examined(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Vec<Finding> {
    let findings = examine_level(triangles, limits).unwrap();
    is_good(&findings);
    findings
}

fn mapped(triangles: &[[Vec3; 3]], map: impl Fn(Vec3) -> Vec3) -> Vec<[Vec3; 3]> {
    triangles.iter().map(|t| t.map(&map)).collect()
}

/// Turned about the vertical and moved.
fn placed(house: &House, dice: &mut SplitMix64) -> Vec<[Vec3; 3]> {
    let turn = glam::Quat::from_rotation_y(dice.between(0.0, std::f32::consts::TAU));
    let by = Vec3::new(dice.between(-50.0, 50.0), dice.between(-5.0, 5.0), dice.between(-50.0, 50.0));
    mapped(&house.triangles, |p| turn * p + by)
}

/// A house of three storeys with stairs, slabs and a wall with a door on each.
fn storeys(dice: &mut SplitMix64) -> House {
    let mut house = House::default();
    let (width, depth, storey) = (dice.between(10.0, 15.0), dice.between(7.0, 11.0), dice.between(2.8, 3.4));
    let (slab, lane) = (dice.between(0.15, 0.3), [0.0, 1.4]);
    house.floor([-4.0, width + 4.0], [-4.0, depth + 4.0], 0.0);
    let steps = 18;
    for level in 0..3 {
        let [low, high] = [level, level + 1].map(|k| k as f32 * storey);
        let door = dice.between(1.5, width - 3.0);
        let wall = [0.5 * depth, 0.5 * depth + 0.15];
        house.block([0.0, door], wall, [low, high - slab]);
        house.block([door + 1.1, width], wall, [low, high - slab]);
        house.block([door, door + 1.1], wall, [low + 2.1, high - slab]);
        let entrance = if level == 0 { 1.2 } else { 0.0 };
        house.block([-0.2, width - 2.0], [depth, depth + 0.2], [low, high]);
        house.block([width - 2.0 + entrance, width + 0.2], [depth, depth + 0.2], [low, high]);
        house.block([-0.2, width + 0.2], [-0.2, 0.0], [low, high]);
        house.block([-0.2, 0.0], [0.0, depth], [low, high]);
        house.block([width, width + 0.2], [0.0, depth], [low, high]);
        if level == 2 {
            house.block([-0.4, width + 0.4], [-0.4, depth + 0.4], [high, high + 0.2]);
            break;
        }
        let well = [1.5, 1.5 + 0.28 * steps as f32];
        for step in 0..steps {
            let x = [step, step + 1].map(|k| well[0] + 0.28 * k as f32);
            house.block(x, lane, [low, low + storey * (step + 1) as f32 / steps as f32]);
        }
        house.block([0.0, width], [lane[1], depth], [high - slab, high]);
        house.block([0.0, well[0]], lane, [high - slab, high]);
        house.block([well[1], width], lane, [high - slab, high]);
    }
    house
}

#[test]
fn houses_on_their_side_are_told_with_the_axis() {
    let mut dice = SplitMix64::new(41);
    for round in 0..ROUNDS {
        let triangles = placed(&storeys(&mut dice), &mut dice);
        let clean = examined(&triangles, &LIMITS);
        assert!(clean.len() <= 1 && clean.iter().all(|f| f.fault != FaultKind::NoGround), "{round}: {clean:?}");
        for (axis, lying) in [
            ("z", mapped(&triangles, |p| Vec3::new(p.x, -p.z, p.y))),
            ("-z", { mapped(&triangles, |p| Vec3::new(p.x, p.z, -p.y)) }),
        ] {
            let found = examined(&lying, &LIMITS);
            let [only] = &found[..] else { panic!("{round}: {found:?}") };
            let told = format!("The level lies on its side: its ground faces along {axis}, ");
            assert!(only.fault == FaultKind::NoGround && only.cause.starts_with(&told), "{round}: {only:?}");
        }
    }
}

#[test]
fn holes_in_grids_are_found_also_at_corners_of_others() {
    let mut dice = SplitMix64::new(43);
    for round in 0..4 * ROUNDS {
        // Cells of half a metre, of which two to four are missing, on even ground or on top of a slab.
        let cells = 24;
        let slab = round % 2 == 0;
        let height =
            |x: usize, z: usize| if slab { 0.0 } else { 0.1 * (x as f32 * 0.6).sin() + 0.1 * (z as f32 * 0.4).cos() };
        let at = |x: usize, z: usize| Vec3::new(x as f32 * 0.5, height(x, z), z as f32 * 0.5);
        let (x, z) = (4 + dice.below(12), 4 + dice.below(12));
        let missing = match dice.below(3) {
            0 => vec![(x, z), (x + 1, z)],
            1 => vec![(x, z), (x + 1, z), (x, z + 1)],
            _ => vec![(x, z), (x + 1, z), (x, z + 1), (x + 1, z + 1)],
        };
        // A bay at the border that the hole touches in a corner.
        let touching = if round % 4 == 1 { (0..x).map(|i| (i, z - 1)).collect() } else { Vec::new() };
        let mut triangles = Vec::new();
        for (i, k) in (0..cells).flat_map(|i| (0..cells).map(move |k| (i, k))) {
            if !missing.contains(&(i, k)) && !touching.contains(&(i, k)) {
                let [a, b, c, d] = [at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
            if slab {
                let [a, b, c, d] = [at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)].map(|p| p - Vec3::Y * 0.2);
                triangles.extend([[a, c, b], [a, d, c]]);
            }
        }
        let found = examined(&triangles, &LIMITS);
        let place = at(x + 1, z + 1).as_dvec3();
        let is_found = found.iter().any(|f| f.fault == FaultKind::Hole && f.place.distance(place) < 0.8);
        assert!(is_found, "{round}: {missing:?} {found:?}");
    }
}

#[test]
fn spikes_beside_walls_are_found() {
    let mut dice = SplitMix64::new(44);
    for round in 0..4 * ROUNDS {
        // A room whose walls hang together with its floor, in cells of a metre and a half.
        let (cells, edge) = (8, 1.5);
        let spike = [1 + dice.below(2) * (cells - 2), 1 + dice.below(cells - 1)];
        let rise = dice.between(2.0, 4.0) * if round % 2 == 0 { 1.0 } else { -1.0 };
        let at = |x: usize, z: usize, y: f32| Vec3::new(x as f32 * edge, y, z as f32 * edge);
        let floor = |x: usize, z: usize| at(x, z, if [x, z] == spike { rise } else { 0.0 });
        let mut triangles = Vec::new();
        for (x, z) in (0..cells).flat_map(|x| (0..cells).map(move |z| (x, z))) {
            let [a, b, c, d] = [floor(x, z), floor(x, z + 1), floor(x + 1, z + 1), floor(x + 1, z)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        for k in 0..cells {
            let sides = [
                [(k + 1, 0), (k, 0)],
                [(k, cells), (k + 1, cells)],
                [(0, k), (0, k + 1)],
                [(cells, k + 1), (cells, k)],
            ];
            for [p, q] in sides {
                let [a, b] = [p, q].map(|(x, z)| at(x, z, 0.0));
                let up = Vec3::Y * 5.0;
                triangles.extend([[b, a, a + up], [b, a + up, b + up]]);
            }
        }
        let found = examined(&triangles, &LIMITS);
        let place = floor(spike[0], spike[1]).as_dvec3();
        let is_found = found.iter().any(|f| f.fault == FaultKind::Spike && f.place.distance(place) < 0.01);
        assert!(is_found, "{round}: {spike:?} {rise} {found:?}");
    }
}
