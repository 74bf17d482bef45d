//! What the doctor measures in levels agrees with what agents can do, close to their limits and on both sides of them.

use super::{House, LIMITS, is_good};
use glam::{DVec3, Vec3};
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::nav::doctor::{
    AgentLimits, Barrier, DoctorWatch, FaultKind, Finding, Mend, examine_level, examine_level_until, why_no_path,
    why_no_path_until,
};
use walkabout::nav::mesh::off_mesh::PlacedLink;

/// Number of levels of each kind.
const ROUNDS: usize = 60;

/// What is between two places; nothing where there is a way.
fn between(triangles: &[[Vec3; 3]], limits: &AgentLimits, ends: [Vec3; 2]) -> Vec<Finding> {
    let answer = why_no_path(triangles, limits, ends.map(|p| p.as_dvec3())).unwrap();
    match answer.barrier {
        Barrier::None => Vec::new(),
        Barrier::Findings(findings) => {
            is_good(&findings);
            findings
        }
        other => panic!("{other:?}: {}", answer.text),
    }
}

/// The one thing between, if any, which is of this kind: its measure.
fn measure(triangles: &[[Vec3; 3]], limits: &AgentLimits, ends: [Vec3; 2], fault: FaultKind) -> Option<f64> {
    match &between(triangles, limits, ends)[..] {
        [] => None,
        [one] if one.fault == fault => Some(one.size),
        other => panic!("{other:?}"),
    }
}

/// A turn about the vertical through a place.
fn turned(triangles: &[[Vec3; 3]], degrees: f32) -> Vec<[Vec3; 3]> {
    let turn = glam::Quat::from_rotation_y(degrees.to_radians());
    triangles.iter().map(|t| t.map(|p| turn * p)).collect()
}

#[test]
fn walls_of_one_sheet_are_told_by_their_height() {
    let mut dice = SplitMix64::new(21);
    for _ in 0..ROUNDS {
        // At the side of a cell, too.
        let (height, x) = (dice.between(0.42, 0.58), [10.0, dice.between(9.5, 10.5)][dice.below(2)]);
        let mut yard = House::default();
        yard.floor([0.0, 20.0], [0.0, 8.0], 0.0);
        let [a, b] = [0.0, 8.0].map(|z| Vec3::new(x, 0.0, z));
        let up = Vec3::Y * height;
        yard.triangles.extend([[a, b, b + up], [a, b + up, a + up]]);
        let ends = [Vec3::new(2.0, 0.0, 4.0), Vec3::new(18.0, 0.0, 4.0)];
        let found = between(&yard.triangles, &LIMITS, ends);
        let [step] = &found[..] else { panic!("{found:?}") };
        assert_eq!(step.fault, FaultKind::StepTooHigh, "{step:?}");
        assert!((step.size - f64::from(height)).abs() < 0.005, "{height}: {step:?}");
        let Some(Mend::Climb(climb)) = step.mend else { panic!("{step:?}") };
        assert!(climb > LIMITS.climb && climb >= height, "{step:?}");
        let taller = AgentLimits { climb, ..LIMITS };
        assert_eq!(between(&yard.triangles, &taller, ends), [], "{height} m is climbed by {climb} m");
    }
}

#[test]
fn steps_about_as_high_as_agents_climb_are_told_apart() {
    let mut dice = SplitMix64::new(22);
    for climb in [0.25, 0.4, 0.45] {
        let limits = AgentLimits { climb, ..LIMITS };
        for _ in 0..ROUNDS {
            let rise = climb * dice.between(0.88, 1.12);
            let mut house = House::default();
            house.floor([0.0, 6.0], [0.0, 6.0], 0.0);
            house.block([6.0, 12.0], [0.0, 6.0], [0.0, rise]);
            let ends = [Vec3::new(1.0, 0.0, 3.0), Vec3::new(11.0, rise, 3.0)];
            let told = measure(&house.triangles, &limits, ends, FaultKind::StepTooHigh);
            if (rise - climb).abs() > 2e-3 {
                assert_eq!(told.is_some(), rise > climb, "{rise} m where {climb} m are climbed: {told:?}");
            }
            assert!(told.is_none_or(|size| (size - f64::from(rise)).abs() < 0.005), "{rise}: {told:?}");
        }
    }
}

#[test]
fn bridges_about_as_wide_as_agents_are_told_apart() {
    let mut dice = SplitMix64::new(23);
    for _ in 0..ROUNDS {
        let width = dice.between(0.3, 0.9);
        let z = dice.between(2.0, 5.0);
        let mut land = House::default();
        land.floor([0.0, 8.0], [0.0, 8.0], 0.0);
        land.floor([8.0, 12.0], [z, z + width], 0.0);
        land.floor([12.0, 20.0], [0.0, 8.0], 0.0);
        let angle = [0.0, dice.between(0.0, 90.0)][dice.below(2)];
        let triangles = turned(&land.triangles, angle);
        let turn = glam::Quat::from_rotation_y(angle.to_radians());
        let ends = [2.0, 18.0].map(|x| turn * Vec3::new(x, 0.0, 4.0));
        let told = measure(&triangles, &LIMITS, ends, FaultKind::DoorTooThin);
        if (width - 0.6).abs() > 0.01 {
            assert_eq!(told.is_some(), width < 0.6, "{width} m, turned by {angle}°: {told:?}");
        }
        assert!(told.is_none_or(|size| (size / f64::from(width) - 1.0).abs() < 0.03), "{width}, {angle}°: {told:?}");
    }
}

#[test]
fn ceilings_are_as_high_as_they_are_told() {
    let mut dice = SplitMix64::new(24);
    for _ in 0..ROUNDS {
        let free = dice.between(1.25, 1.95);
        let mut house = House::default();
        house.floor([0.0, 12.0], [0.0, 6.0], 0.0);
        house.block([5.0, 7.0], [0.0, 6.0], [free, 3.0]);
        let ends = [Vec3::new(1.0, 0.0, 3.0), Vec3::new(11.0, 0.0, 3.0)];
        let found = between(&house.triangles, &LIMITS, ends);
        if (free - LIMITS.height).abs() > 2e-3 {
            assert_eq!(found.len(), usize::from(free < LIMITS.height), "{free}: {found:?}");
        }
        let Some(ceiling) = found.first() else { continue };
        assert!((ceiling.size - f64::from(free)).abs() < 0.005, "{free}: {ceiling:?}");
        let Some(Mend::Height(height)) = ceiling.mend else { panic!("{ceiling:?}") };
        let shorter = AgentLimits { height, ..LIMITS };
        assert_eq!(between(&house.triangles, &shorter, ends), [], "agents of {height} m under {free} m");
    }
}

#[test]
fn gaps_are_as_wide_as_they_are_told_in_any_direction() {
    let mut dice = SplitMix64::new(25);
    for radius in [0.3, 0.6] {
        let limits = AgentLimits { radius, mesh_radius: radius, ..LIMITS };
        for round in 0..ROUNDS / 2 {
            let (width, angle) = (dice.between(1.05, 1.45), [0.0, 45.0, dice.between(0.0, 90.0)][round % 3]);
            let mut land = House::default();
            land.floor([0.0, 9.0], [0.0, 8.0], 0.0);
            land.floor([9.0 + width, 20.0], [0.0, 8.0], 0.0);
            let triangles = turned(&land.triangles, angle);
            let turn = glam::Quat::from_rotation_y(angle.to_radians());
            let ends = [2.0, 18.0].map(|x| turn * Vec3::new(x, 0.0, 4.0));
            let told = measure(&triangles, &limits, ends, FaultKind::GapTooWide).unwrap();
            assert!((told - f64::from(width)).abs() < 0.002, "{width} m, turned by {angle}°: {told}");
            let found = examine_level(&triangles, &limits).unwrap();
            let [gap] = &found[..] else { panic!("{width} m, turned by {angle}°: {found:?}") };
            assert_eq!(gap.fault, FaultKind::GapTooWide);
            // Told in the middle of the border.
            let middle = turn * Vec3::new(9.0 + 0.5 * width, 0.0, 4.0);
            assert!(gap.place.distance(middle.as_dvec3()) < 1.6, "turned by {angle}°: {:?}", gap.place);
        }
    }
}

#[test]
fn links_lead_over_what_parts_a_level() {
    let mut dice = SplitMix64::new(26);
    let examine = |triangles: &[[Vec3; 3]], links: &[PlacedLink]| {
        examine_level_until(triangles, links, &LIMITS, &DoctorWatch::default()).unwrap()
    };
    for _ in 0..ROUNDS {
        let width = dice.between(1.05, 1.4);
        let mut land = House::default();
        land.floor([0.0, 9.0], [0.0, 8.0], 0.0);
        land.floor([9.0 + width, 20.0], [0.0, 8.0], 0.0);
        let found = examine(&land.triangles, &[]);
        let [gap] = &found[..] else { panic!("{found:?}") };
        let Some(Mend::Link(link)) = gap.mend.clone() else { panic!("{gap:?}") };
        // Its ends lie on ground with room for the agent.
        let room = |p: DVec3| {
            let of_gap = (p.x - 9.0).abs().min((p.x - 9.0 - f64::from(width)).abs());
            of_gap.min(p.z).min(8.0 - p.z)
        };
        for end in [link.start, link.end] {
            assert!(room(end) > f64::from(LIMITS.radius), "{link:?}");
        }
        assert_eq!(examine(&land.triangles, std::slice::from_ref(&link)), [], "a link leads over it");
        let ends = [2.0, 18.0].map(|x| DVec3::new(x, 0.0, 4.0));
        let ask = |link: &PlacedLink, ends: [DVec3; 2]| {
            let links = std::slice::from_ref(link);
            why_no_path_until(&land.triangles, links, &LIMITS, ends, &DoctorWatch::default()).unwrap()
        };
        assert_eq!(ask(&link, ends).barrier, Barrier::None);
        let one_way = PlacedLink { both_ways: false, ..link };
        let [there, back] = [ends, [ends[1], ends[0]]].map(|ends| ask(&one_way, ends));
        assert!([&there, &back].iter().any(|answer| answer.barrier == Barrier::None));
        assert!([&there, &back].iter().any(|answer| answer.text == "Link 0 leads the other way only."), "{there:?}");
    }
}

#[test]
fn a_place_off_the_ground_is_no_fault_of_the_level() {
    let mut yard = House::default();
    yard.floor([0.0, 20.0], [0.0, 8.0], 0.0);
    let answer = |goal: DVec3, triangles: &[[Vec3; 3]]| {
        why_no_path(triangles, &LIMITS, [DVec3::new(2.0, 0.0, 4.0), goal]).unwrap()
    };
    for goal in [DVec3::new(900.0, 0.0, 4.0), DVec3::new(18.0, 30.0, 4.0)] {
        let told = answer(goal, &yard.triangles);
        assert_eq!(told.barrier, Barrier::OffGround(1));
        assert!(told.text.ends_with("m of the goal."), "{}", told.text);
    }
    let mut sill = House::default();
    sill.floor([0.0, 20.0], [4.0, 4.1], 0.0);
    let told = answer(DVec3::new(18.0, 0.0, 4.0), &sill.triangles);
    assert_eq!(told.barrier, Barrier::OffGround(0));
    assert!(told.text.contains("nowhere is there room"), "{}", told.text);
}

#[test]
fn levels_without_ground_are_told_with_the_reason() {
    let cause = |house: &House| {
        let found = examine_level(&house.triangles, &LIMITS).unwrap();
        is_good(&found);
        assert_eq!(found[0].fault, FaultKind::NoGround, "{found:?}");
        found[0].cause.clone()
    };
    let mut floor = House::default();
    floor.floor([0.0, 10.0], [0.0, 10.0], 0.0);
    let with = |change: &dyn Fn(Vec3) -> Vec3| House {
        triangles: floor.triangles.iter().map(|t| t.map(change)).collect(),
        seeded: Vec::new(),
    };
    let mut turned = with(&|p| p);
    turned.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    assert!(cause(&turned).starts_with("All ground faces down: 200 triangles (100.0 m²)"), "{}", cause(&turned));
    let on_side = with(&|p| Vec3::new(p.x, -p.z, p.y));
    assert!(cause(&on_side).contains("its ground faces along z"), "{}", cause(&on_side));
    let narrow = with(&|p| p * Vec3::new(1.0, 1.0, 0.04));
    assert!(cause(&narrow).contains("nowhere is there room for an agent 0.60 m wide"), "{}", cause(&narrow));
    let mut walls = House::default();
    walls.block([0.0, 10.0], [0.0, 10.0], [0.0, 3.0]);
    walls.triangles.retain(|t| t.iter().any(|p| p.y == 0.0));
    assert!(cause(&walls).contains("there is nothing to walk on"), "{}", cause(&walls));
}

#[test]
fn rows_of_posts_and_sheets_are_told_apart_at_any_angle() {
    let mut dice = SplitMix64::new(27);
    for round in 0..ROUNDS {
        let limits = AgentLimits { radius: [0.3, 0.52][round % 2], ..LIMITS };
        let needed = 2.0 * limits.radius;
        let width = needed * dice.between(0.5, 1.3);
        let depth = [0.4, 0.0, 0.1][round % 3];
        let mut yard = House::default();
        yard.floor([0.0, 20.0], [0.0, 8.0], 0.0);
        let count = (8.0 / (width + 0.4)) as usize;
        let post = (8.0 - count as f32 * width) / (count + 1) as f32;
        for k in 0..=count {
            let z = k as f32 * (width + post);
            if depth > 0.0 {
                yard.block([10.0, 10.0 + depth], [z, z + post], [0.0, 3.0]);
            } else {
                let [a, b] = [z, z + post].map(|z| Vec3::new(10.0, 0.0, z));
                let up = Vec3::Y * 3.0;
                yard.triangles.extend([[a, b, b + up], [a, b + up, a + up]]);
            }
        }
        let angle = [45.0, dice.between(0.0, 90.0), 0.0][round % 3];
        let triangles = turned(&yard.triangles, angle);
        let turn = glam::Quat::from_rotation_y(angle.to_radians());
        let ends = [2.0, 18.0].map(|x| turn * Vec3::new(x, 0.0, 4.0));
        let told = measure(&triangles, &limits, ends, FaultKind::DoorTooThin);
        let what = format!("{width} of {needed} m, {depth} m deep, turned by {angle}°: {told:?}");
        if (width - needed).abs() > 0.01 {
            assert_eq!(told.is_some(), width < needed, "{what}");
        }
        assert!(told.is_none_or(|size| (size / f64::from(width) - 1.0).abs() < 0.02), "{what}");
    }
}
