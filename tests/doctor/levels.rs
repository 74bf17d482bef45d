//! Levels with roofs, and what is between ground that nothing an agent nearly could do joins.

use super::{FOUND, House, LIMITS, SEEDS, is_found, is_good};
use glam::{DVec3, Vec3};
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::nav::doctor::{Barrier, FaultKind, Finding, examine_level, why_no_path};

/// A house under a roof that is larger than its ground.
fn roofed(fault: Option<FaultKind>, dice: &mut SplitMix64) -> House {
    let mut house = House::build(fault, dice);
    house.block([-0.5, 9.0], [-0.5, 30.5], [3.6, 3.8]);
    house
}

#[test]
fn faults_below_a_roof_are_found_and_named() {
    let kinds = [
        FaultKind::DoorTooThin,
        FaultKind::CeilingTooLow,
        FaultKind::StepTooHigh,
        FaultKind::SlopeTooSteep,
        FaultKind::GapTooWide,
        FaultKind::UnreachableIsland,
    ];
    for fault in kinds {
        let (mut seeded, mut found) = (0, 0);
        let mut dice = SplitMix64::new(fault as u64 * 31 + 7);
        let clean = examine_level(&roofed(None, &mut dice).triangles, &LIMITS).unwrap();
        assert_eq!(clean, [], "a roof is no fault");
        while seeded < SEEDS / 4 {
            let house = roofed(Some(fault), &mut dice);
            let findings = examine_level(&house.triangles, &LIMITS).unwrap();
            is_good(&findings);
            seeded += house.seeded.len();
            found += house.seeded.iter().filter(|p| is_found(&findings, fault, p.as_dvec3())).count();
        }
        assert!(found as f64 >= FOUND * seeded as f64, "{fault:?}: {found} of {seeded}");
    }
}

/// A hall with walls around it.
fn hall() -> House {
    let mut hall = House::default();
    hall.floor([0.0, 20.0], [0.0, 12.0], 0.0);
    hall.block([-0.3, 20.3], [-0.3, 0.0], [0.0, 3.0]);
    hall.block([-0.3, 20.3], [12.0, 12.3], [0.0, 3.0]);
    hall.block([-0.3, 0.0], [0.0, 12.0], [0.0, 3.0]);
    hall.block([20.0, 20.3], [0.0, 12.0], [0.0, 3.0]);
    hall
}

fn kinds(house: &House) -> Vec<FaultKind> {
    examine_level(&house.triangles, &LIMITS).unwrap().iter().map(|f| f.fault).collect()
}

#[test]
fn roofs_are_told_from_storeys_and_platforms() {
    // Two slabs at two heights.
    let mut slabs = hall();
    slabs.block([-0.3, 9.0], [-0.3, 12.3], [3.0, 3.2]);
    slabs.block([9.0, 20.3], [-0.3, 12.3], [3.6, 3.9]);
    assert_eq!(kinds(&slabs), []);
    // A deck in a hall without a roof is no roof, nor is a platform.
    for [low, high] in [[3.0, 3.2], [0.0, 1.2]] {
        let mut yard = hall();
        yard.block([4.0, 8.0], [4.0, 8.0], [low, high]);
        assert_eq!(kinds(&yard), [FaultKind::UnreachableIsland], "{low}");
    }
    // A storey without stairs is one below its roof, too.
    let mut storeys = hall();
    storeys.block([-0.3, 20.3], [-0.3, 12.3], [3.0, 3.2]);
    storeys.block([-0.3, 20.3], [-0.3, 12.3], [6.0, 6.2]);
    assert_eq!(kinds(&storeys), [FaultKind::UnreachableIsland]);
    // Without walls it is not told which of two is the roof: what parts the upper one is a finding.
    let mut bridge = House::default();
    bridge.floor([0.0, 20.0], [0.0, 12.0], -4.0);
    bridge.floor([0.0, 9.35], [0.0, 12.0], 0.0);
    bridge.floor([10.65, 20.0], [0.0, 12.0], 0.0);
    assert_eq!(kinds(&bridge), [FaultKind::GapTooWide]);
    // Cellars are not what people walk on, though ground lies over them.
    let mut land = House::default();
    land.floor([0.0, 40.0], [0.0, 30.0], 0.0);
    land.floor([5.0, 20.0], [5.0, 20.0], -4.0);
    land.block([25.0, 35.0], [5.0, 25.0], [0.0, 0.5]);
    let findings = examine_level(&land.triangles, &LIMITS).unwrap();
    assert!(findings.iter().any(|f| f.fault == FaultKind::StepTooHigh), "{findings:?}");
}

/// What is between two places, and its cause.
fn between(house: &House, ends: [[f64; 3]; 2]) -> (Finding, String) {
    let answer = why_no_path(&house.triangles, &LIMITS, ends.map(DVec3::from)).unwrap();
    let Barrier::Findings(list) = answer.barrier else { panic!("{answer:?}") };
    is_good(&list);
    let [finding] = &list[..] else { panic!("{list:?}") };
    (finding.clone(), answer.text)
}

#[test]
fn ground_that_is_far_apart_is_measured_where_it_comes_nearest() {
    let far = "Nothing that the agent nearly could do leads from the start's part of the ground to the goal's. Where they \
               come nearest: ";
    let near = |finding: &Finding, place: [f32; 3]| {
        assert!(finding.place.as_vec3().distance(Vec3::from(place)) < 0.3, "{finding:?}");
    };
    // A gap too wide for a jump, narrower at one side.
    let mut gap = House::default();
    gap.floor([0.0, 9.0], [0.0, 12.0], 0.0);
    gap.floor([11.0, 20.0], [0.0, 12.0], 0.0);
    gap.floor([10.6, 11.0], [4.0, 4.6], 0.0);
    let (finding, text) = between(&gap, [[2.0, 0.0, 6.0], [18.0, 0.0, 6.0]]);
    assert_eq!(text, format!("{far}A gap of 1.60 m parts the ground; an agent jumps 1.00 m."));
    assert_eq!((finding.fault, (finding.size - 1.6).abs() < 0.02), (FaultKind::GapTooWide, true), "{finding:?}");
    near(&finding, [9.8, 0.0, 4.3]);
    // A table.
    let mut table = hall();
    table.block([4.0, 8.0], [4.0, 8.0], [0.0, 2.5]);
    let (finding, text) = between(&table, [[2.0, 0.0, 6.0], [6.0, 2.5, 6.0]]);
    assert_eq!(text, format!("{far}The goal's ground lies 2.50 m higher; an agent climbs 0.40 m."));
    assert_eq!(finding.fault, FaultKind::StepTooHigh);
    // A wall.
    let mut walled = hall();
    walled.block([9.9, 10.1], [0.0, 12.0], [0.0, 3.0]);
    let (finding, text) = between(&walled, [[2.0, 0.0, 6.0], [18.0, 0.0, 6.0]]);
    assert_eq!(text, format!("{far}A wall of 0.20 m is between."));
    assert!((finding.place.x - 10.0).abs() < 0.1, "{finding:?}");
    // A hole in it, too low to crawl through.
    let mut crawl = hall();
    crawl.block([8.5, 11.5], [0.0, 5.0], [0.0, 3.0]);
    crawl.block([8.5, 11.5], [7.0, 12.0], [0.0, 3.0]);
    crawl.block([9.0, 11.0], [5.0, 7.0], [0.9, 3.0]);
    let (finding, text) = between(&crawl, [[2.0, 0.0, 6.0], [18.0, 0.0, 6.0]]);
    assert_eq!(text, format!("{far}0.90 m are free under a ceiling; an agent is 1.80 m tall."));
    near(&finding, [10.0, 0.0, finding.place.z as f32]);
}
