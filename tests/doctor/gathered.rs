//! Faults that belong together are one finding, which tells how many there are and how far they reach.

use super::{CELLS, House, LIMITS, add_rectangle, hills, is_good};
use glam::{DVec3, Vec3};
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::nav::doctor::{FaultKind, Finding, Mend, examine_level, examine_mesh};
use walkabout::nav::mesh::{MeshFile, RawMesh};

/// A level grid, so that lengths are known.
fn grid() -> RawMesh {
    let mut mesh = hills(&mut SplitMix64::new(51));
    let across = CELLS + 1;
    for (i, v) in mesh.vertices.iter_mut().enumerate() {
        *v = DVec3::new((i % across) as f64, 0.0, (i / across) as f64);
    }
    mesh
}

fn vertex(x: usize, z: usize) -> usize {
    z * (CELLS + 1) + x
}

fn found(mesh: RawMesh) -> Vec<Finding> {
    let findings = examine_mesh(&MeshFile { mesh, ..MeshFile::default() }, &LIMITS, &[]);
    is_good(&findings);
    findings
}

/// The only finding of a mesh.
fn only(mesh: RawMesh) -> Finding {
    let mut findings = found(mesh);
    assert_eq!(findings.len(), 1, "{findings:?}");
    findings.remove(0)
}

/// Cuts a mesh along a line of its grid and moves what lies beyond away; as one polygon where that is asked for.
fn cut_along(x: usize, by: f64, is_whole: bool) -> RawMesh {
    let mut mesh = grid();
    let first = mesh.vertices.len();
    let line = x as f64;
    let column: Vec<DVec3> = (0..=CELLS).map(|z| DVec3::new(line + by, 0.0, z as f64)).collect();
    mesh.vertices.extend(column);
    let split = |v: &mut u32| {
        let (column, row) = (*v as usize % (CELLS + 1), *v as usize / (CELLS + 1));
        if column == x {
            *v = (first + row) as u32;
        }
    };
    for (i, polygon) in mesh.polygons.iter_mut().enumerate() {
        if i % CELLS >= x {
            polygon.vertices.iter_mut().for_each(split);
        }
    }
    if is_whole {
        mesh.polygons = (0..mesh.polygons.len()).filter(|i| i % CELLS < x).map(|i| mesh.polygons[i].clone()).collect();
        add_rectangle(&mut mesh, DVec3::new(line + by, 0.0, 0.0), CELLS as f64);
    }
    mesh
}

#[test]
fn one_seam_is_one_finding() {
    for (by, kind) in [(0.0, FaultKind::DuplicateVertex), (0.01, FaultKind::OpenSeam)] {
        let seam = only(cut_along(6, by, false));
        assert_eq!(seam.fault, kind);
        assert!(seam.cause.starts_with("12 pairs of polygons, ") && seam.cause.contains("12.00 m"), "{}", seam.cause);
        assert!(seam.place.distance(DVec3::new(6.0, 0.0, 6.0)) < 1.0 && (seam.size - 12.0).abs() < 0.01, "{seam:?}");
        assert_eq!(seam.lines.len(), 12);
    }
    let joint = only(cut_along(6, 0.0, true));
    assert_eq!(joint.fault, FaultKind::TJunction);
    assert!(joint.cause.starts_with("12 pairs of polygons, "), "{}", joint.cause);
    // A vertex in one edge.
    let mut mesh = grid();
    let polygon = 5 * CELLS + 5;
    mesh.vertices.push(DVec3::new(5.5, 0.0, 5.0));
    mesh.polygons[polygon].vertices.insert(1, mesh.vertices.len() as u32 - 1);
    assert_eq!(only(mesh).fault, FaultKind::TJunction);
}

#[test]
fn seams_of_centimetres_are_open_seams_of_that_width() {
    for (by, width) in [(0.03, "30.0 mm"), (0.05, "50.0 mm"), (0.09, "90.0 mm")] {
        for is_whole in [false, true] {
            let seam = only(cut_along(6, by, is_whole));
            assert_eq!(seam.fault, FaultKind::OpenSeam, "{seam:?}");
            assert!(seam.cause.contains(width) && seam.cause.contains("12.00 m"), "{}", seam.cause);
        }
        // A slit with a way around.
        let mut mesh = cut_along(6, by, false);
        let joined = vertex(6, CELLS) as u32;
        let apart = mesh.vertices.len() as u32 - 1;
        mesh.polygons.iter_mut().flat_map(|p| &mut p.vertices).filter(|v| **v == apart).for_each(|v| *v = joined);
        let slit = only(mesh);
        assert_eq!(slit.fault, FaultKind::OpenSeam);
        assert!(slit.cause.contains(width), "{}", slit.cause);
    }
    // Wider ones are none: a fence fits between where agents are thin.
    assert!(found(cut_along(6, 0.3, true)).iter().all(|f| f.fault != FaultKind::OpenSeam));
}

#[test]
fn what_lies_upon_others_is_one_overlap() {
    let mut mesh = grid();
    add_rectangle(&mut mesh, DVec3::new(3.5, 0.05, 3.5), 3.0);
    let overlap = only(mesh);
    assert_eq!(overlap.fault, FaultKind::Overlap);
    assert!(overlap.cause.starts_with("16 pairs of polygons, ") && overlap.cause.contains("9.00 m²"), "{overlap:?}");
    assert!(overlap.place.distance(DVec3::new(5.0, 0.05, 5.0)) < 1.0, "{overlap:?}");
}

#[test]
fn bad_polygons_beside_each_other_are_one_finding() {
    let mut mesh = grid();
    mesh.polygons.iter_mut().for_each(|p| p.area = 99);
    let areas: Vec<Finding> = found(mesh).into_iter().filter(|f| f.fault == FaultKind::BadPolygon).collect();
    let [area] = &areas[..] else { panic!("{areas:?}") };
    let told = "144 polygons, 0 among them, have areas beyond 63; areas are 0 to 63, so no query accepts them.";
    assert_eq!(area.cause, told);
    let mut mesh = grid();
    for polygon in [50, 51, 62, 100] {
        mesh.polygons[polygon].vertices.reverse();
    }
    let flipped = found(mesh);
    let causes: Vec<&str> = flipped.iter().map(|f| &f.cause[..3]).collect();
    assert_eq!(causes, ["3 p", "Pol"], "{flipped:?}");
}

#[test]
fn a_few_corners_far_above_all_others_are_a_spike() {
    let raised = |corners: &[[usize; 2]], height: f64| {
        let mut mesh = grid();
        corners.iter().for_each(|&[x, z]| mesh.vertices[vertex(x, z)].y += height);
        mesh
    };
    for corners in [&[[6, 6]][..], &[[6, 6], [7, 6]], &[[4, 4], [5, 4], [5, 5], [4, 5]], &[[0, 0], [1, 0]]] {
        for height in [5.0, 30.0, -8.0] {
            let spike = only(raised(corners, height));
            assert_eq!(spike.fault, FaultKind::Spike, "{spike:?}");
            let told =
                format!("{:.2} m {} everything around", height.abs(), if height > 0.0 { "above" } else { "below" });
            assert!(spike.cause.contains(&told), "{}", spike.cause);
        }
    }
    // Half of the ground on another level is no spike, and neither is a hill.
    let terrace: Vec<[usize; 2]> = (0..=CELLS).flat_map(|x| (6..=CELLS).map(move |z| [x, z])).collect();
    assert!(found(raised(&terrace, 3.0)).iter().all(|f| f.fault != FaultKind::Spike));
    let mut hill = grid();
    hill.vertices.iter_mut().for_each(|v| v.y = (4.0 - v.distance(DVec3::new(6.0, 0.0, 6.0))).max(0.0) * 0.9);
    assert!(found(hill).iter().all(|f| f.fault != FaultKind::Spike));
}

#[test]
fn a_corner_of_a_level_far_above_all_others_is_a_spike() {
    let mut dice = SplitMix64::new(52);
    for _ in 0..20 {
        let mut yard = House::default();
        yard.floor([0.0, 12.0], [0.0, 12.0], 0.0);
        assert_eq!(examine_level(&yard.triangles, &LIMITS).unwrap(), []);
        let at = Vec3::new((2 + dice.below(8)) as f32, 0.0, (2 + dice.below(8)) as f32);
        let height = dice.between(2.0, 6.0) * if dice.below(2) == 0 { 1.0 } else { -1.0 };
        yard.triangles.iter_mut().flatten().filter(|p| **p == at).for_each(|p| p.y = height);
        let found = examine_level(&yard.triangles, &LIMITS).unwrap();
        let spikes: Vec<&Finding> = found.iter().filter(|f| f.fault == FaultKind::Spike).collect();
        let [spike] = spikes[..] else { panic!("{height}: {found:?}") };
        assert!((spike.size - f64::from(height.abs())).abs() < 0.01 && found.len() == 1, "{found:?}");
    }
    // Tents and the like stand on the ground, and are no part of it.
    let mut camp = House::default();
    camp.floor([0.0, 12.0], [0.0, 12.0], 0.0);
    let top = Vec3::new(6.0, 3.0, 6.0);
    let around = [[5.0, 5.0], [5.0, 7.0], [7.0, 7.0], [7.0, 5.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    camp.triangles.extend((0..4).map(|i| [around[i], around[(i + 1) % 4], top]));
    let found = examine_level(&camp.triangles, &LIMITS).unwrap();
    assert!(found.iter().all(|f| f.fault != FaultKind::Spike), "{found:?}");
}

#[test]
fn a_row_of_equal_furniture_is_one_finding() {
    let mut court = House::default();
    court.floor([0.0, 24.0], [0.0, 16.0], 0.0);
    for i in 0..12 {
        let [x, z] = [2.0 + (i % 4) as f32 * 5.0, 2.0 + (i / 4) as f32 * 5.0];
        court.block([x, x + 2.0], [z, z + 2.0], [0.0, 0.52]);
    }
    let found = examine_level(&court.triangles, &LIMITS).unwrap();
    let [benches] = &found[..] else { panic!("{found:?}") };
    assert_eq!((benches.fault, &benches.mend), (FaultKind::StepTooHigh, &Some(Mend::Climb(0.55))));
    assert!(benches.cause.starts_with("12 places are alike: ") && benches.lines.len() >= 12, "{benches:?}");
    // A chair and a table are furniture as well, though of other heights.
    let mut room = House::default();
    room.floor([0.0, 12.0], [0.0, 12.0], 0.0);
    room.block([2.0, 4.2], [3.0, 5.2], [0.0, 0.45]);
    room.block([6.0, 9.0], [3.0, 5.2], [0.0, 0.55]);
    let found = examine_level(&room.triangles, &LIMITS).unwrap();
    let [step] = &found[..] else { panic!("{found:?}") };
    assert_eq!(step.mend, Some(Mend::Climb(0.6)), "{step:?}");
}

#[test]
fn islands_alike_are_one_finding() {
    // One beyond each side of the ground, as far away.
    let mut mesh = grid();
    let far = [[-5.2, 4.0], [13.2, 4.0], [4.0, -5.2], [4.0, 13.2]];
    far.iter().for_each(|&[x, z]| add_rectangle(&mut mesh, DVec3::new(x, 0.0, z), 4.0));
    let gap = only(mesh);
    assert_eq!(gap.fault, FaultKind::GapTooWide);
    assert!(gap.cause.starts_with("4 places are alike: 16.0 m² of ground end 1.20 m from the rest"), "{}", gap.cause);
    let Some(Mend::Many(links)) = &gap.mend else { panic!("{gap:?}") };
    assert!(links.len() == 4 && links.iter().all(|mend| matches!(mend, Mend::Link(_))), "{links:?}");
}
