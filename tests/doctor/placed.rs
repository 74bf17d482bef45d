//! Levels as modelling programs write them: with another axis up, in other units, for giants; holes and spikes in grids and beside
//! walls.

use super::{House, LIMITS, is_good};
use glam::Vec3;
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::nav::doctor::{AgentLimits, FaultKind, Finding, Mend, UpAxis, examine_level};

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
fn houses_in_centimetres_on_their_side_are_told_as_both() {
    let mut dice = SplitMix64::new(43);
    for round in 0..ROUNDS {
        let triangles = placed(&storeys(&mut dice), &mut dice);
        let lying = mapped(&triangles, |p| Vec3::new(p.x, -p.z, p.y) * 100.0);
        let found = examined(&lying, &LIMITS);
        let mends: Vec<_> = found.iter().map(|finding| finding.mend.clone()).collect();
        assert_eq!(mends, [Some(Mend::Scale(0.01)), Some(Mend::StandUp(UpAxis::Z))], "{round}: {found:?}");
    }
}

/// A hall with furniture, a door and a stage with steps.
fn furnished(dice: &mut SplitMix64) -> House {
    let mut hall = House::default();
    let (width, depth, height) = (dice.between(16.0, 30.0), dice.between(9.0, 14.0), dice.between(3.0, 6.0));
    hall.floor([0.0, width + 6.0], [0.0, depth], 0.0);
    for z in [[-0.3, 0.0], [depth, depth + 0.3]] {
        hall.block([-0.3, width + 6.3], z, [0.0, height]);
    }
    for x in [[-0.3, 0.0], [width + 6.0, width + 6.3]] {
        hall.block(x, [0.0, depth], [0.0, height]);
    }
    let door = dice.between(1.0, depth - 3.0);
    let wall = [width, width + 0.2];
    hall.block(wall, [0.0, door], [0.0, height]);
    hall.block(wall, [door + 1.2, depth], [0.0, height]);
    hall.block(wall, [door, door + 1.2], [2.1, height]);
    for step in 0..4 {
        hall.block([0.3 * step as f32, 0.3 * (step + 1) as f32], [0.0, depth], [0.0, 0.17 * (4 - step) as f32]);
    }
    for table in 0..3 {
        let [x, z] = [4.0 + 4.0 * table as f32, dice.between(1.0, depth - 2.0)];
        hall.block([x, x + 1.4], [z, z + 0.8], [0.7, 0.75]);
        for (dx, dz) in [(0.05, 0.05), (1.3, 0.05), (0.05, 0.7), (1.3, 0.7)] {
            hall.block([x + dx, x + dx + 0.06], [z + dz, z + dz + 0.06], [0.0, 0.7]);
        }
    }
    hall
}

#[test]
fn halls_in_other_units_are_told_for_people_and_giants() {
    let mut dice = SplitMix64::new(42);
    for round in 0..ROUNDS {
        let size = [1.0, 3.0][round % 2];
        let limits = limits_times(size);
        let triangles = mapped(&placed(&furnished(&mut dice), &mut dice), |p| p * size);
        let clean = examined(&triangles, &limits);
        assert!(
            clean.len() <= 1 && clean.iter().all(|f| f.fault == FaultKind::UnreachableIsland),
            "{round}: {clean:?}"
        );
        for (factor, name) in [(100.0, "centimetres"), (39.37, "inches"), (1000.0, "millimetres")] {
            let found = examined(&mapped(&triangles, |p| p * factor), &limits);
            let units = found.iter().find(|f| f.fault == FaultKind::Units);
            assert!(units.is_some_and(|f| f.cause.contains(name)), "{round}, {name}: {units:?}");
        }
    }
}

/// The same for people of another size.
fn limits_times(size: f32) -> AgentLimits {
    AgentLimits {
        radius: LIMITS.radius * size,
        mesh_radius: LIMITS.radius * size,
        height: LIMITS.height * size,
        climb: LIMITS.climb * size,
        jump: LIMITS.jump * size,
        ..LIMITS
    }
}

#[test]
fn houses_in_feet_are_told_by_their_stairs_and_doors() {
    let mut dice = SplitMix64::new(45);
    for round in 0..ROUNDS {
        let limits = limits_times([1.0, 3.0][round % 2]);
        let triangles = mapped(&placed(&storeys(&mut dice), &mut dice), |p| p * limits.height / LIMITS.height);
        let found = examined(&mapped(&triangles, |p| p / 0.3048), &limits);
        let [only] = &found[..] else { panic!("{round}: {found:?}") };
        let is_told = only.cause.contains("in feet (its stairs rise ") && only.cause.contains("lintels lie ");
        assert!(only.fault == FaultKind::Units && is_told, "{round}: {only:?}");
    }
}

/// Rows of seats, half a step high and wide enough to sit on, beside a field.
#[test]
fn rows_of_seats_are_no_stairs_in_feet() {
    let mut stands = House::default();
    stands.floor([0.0, 40.0], [0.0, 20.0], 0.0);
    for row in 0..8 {
        let [z, top] = [20.0 + 0.85 * row as f32, 0.45 * (row + 1) as f32];
        stands.block([0.0, 40.0], [z, z + 0.85], [0.0, top]);
    }
    let found = examined(&stands.triangles, &LIMITS);
    assert!(found.iter().all(|f| f.fault != FaultKind::Units), "{found:?}");
}

#[test]
fn storeys_without_stairs_are_told_apart_from_roofs() {
    let with = |upper: &dyn Fn(&mut House)| {
        let mut house = House::default();
        house.floor([0.0, 14.0], [0.0, 10.0], 0.0);
        for z in [[0.0, 0.2], [9.8, 10.0]] {
            house.block([0.0, 14.0], z, [0.0, 3.0]);
        }
        upper(&mut house);
        let found = examined(&house.triangles, &LIMITS);
        found.iter().any(|f| f.fault == FaultKind::UnreachableIsland)
    };
    let slab = [3.0, 3.2];
    assert!(!with(&|house| house.block([0.0, 14.0], [0.0, 10.0], slab)), "a roof");
    assert!(
        with(&|house| {
            house.block([0.0, 14.0], [0.0, 10.0], slab);
            for [x, z] in [[[0.0, 14.0], [0.0, 0.1]], [[0.0, 14.0], [9.9, 10.0]], [[0.0, 0.1], [0.1, 9.9]]] {
                house.block(x, z, [3.2, 4.3]);
            }
        }),
        "railings"
    );
    assert!(
        with(&|house| {
            for [x, z] in [
                [[0.0, 14.0], [0.0, 3.0]],
                [[0.0, 14.0], [6.0, 10.0]],
                [[0.0, 4.0], [3.0, 6.0]],
                [[8.0, 14.0], [3.0, 6.0]],
            ] {
                house.block(x, z, slab);
            }
        }),
        "an opening for stairs"
    );
}

#[test]
fn sides_of_steep_ramps_are_slopes_and_no_steps() {
    for order in [false, true] {
        let mut yard = House::default();
        yard.floor([-10.0, 10.0], [-8.0, 8.0], 0.0);
        yard.block([-8.0, 0.0], [-4.0, 4.0], [0.0, 1.9]);
        let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let [a, b, c, d] = [at(0.0, 1.9, -0.73), at(0.0, 1.9, 0.73), at(0.95, 0.0, 0.73), at(0.95, 0.0, -0.73)];
        let foot = [at(0.0, 0.0, -0.73), at(0.0, 0.0, 0.73)];
        let mut triangles = yard.triangles;
        triangles.extend([[a, b, c], [a, c, d], [foot[0], a, d], [foot[1], c, b]]);
        if order {
            triangles.reverse();
        }
        // As cells lie on the edge of the ramp, or beside it.
        for turn in [0.0_f32, 0.2, 0.7, 1.1] {
            let turn = glam::Quat::from_rotation_y(turn);
            let found = examined(&mapped(&triangles, |p| turn * p), &LIMITS);
            assert!(found.iter().any(|f| f.fault == FaultKind::SlopeTooSteep), "{order} {turn}: {found:?}");
        }
    }
}

#[test]
fn ramps_that_reach_into_cells_by_little_are_measured() {
    let limits = AgentLimits { radius: 0.6, height: 2.0, climb: 0.9, ..LIMITS };
    let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
    // Two floors with a ramp of 67° between, whose side lies between 0 and 10 mm within a row of cells of 10 cm.
    for millimetres in 0..=10 {
        let mut yard = House::default();
        let (side, run, top) = (1.6 + 0.001 * millimetres as f32, 0.98, 2.29);
        yard.block([0.0, 9.73], [0.0, 10.0], [-1.0, 0.0]);
        yard.block([9.73 + run, 20.0], [0.0, 10.0], [-1.0, top]);
        let [a, b] = [5.0 - side, 5.0 + side].map(|z| [at(9.73, 0.0, z), at(9.73 + run, top, z)]);
        let mut triangles = yard.triangles;
        triangles.extend([[a[0], b[0], b[1]], [a[0], b[1], a[1]]]);
        let found = examined(&triangles, &limits);
        assert!(found.iter().any(|f| f.fault == FaultKind::SlopeTooSteep), "{millimetres} mm: {found:?}");
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
