//! What a button of the doctor changes in a scene with a baked mesh opens the way that it is about.

use super::halls::{Hall, block, floor};
use glam::Vec3;
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::inspect::doctor::{Examination, Patient};
use walkabout::nav::doctor::{DoctorWatch, FaultKind, Finding, Mend};
use walkabout::nav::planner::Planner;
use walkabout::scene::nav::MeshSource;

/// Number of levels of each kind.
const ROUNDS: usize = 24;
/// Edges of the cells.
const CELLS: [f32; 2] = [0.1, 0.3];

/// A scene with a mesh that is baked for people 0.6 m wide.
fn hall(quads: &[[Vec3; 4]], cell_size: f32) -> Hall {
    let mut hall = Hall::new(quads, MeshSource::Baked, Planner::default());
    let bake = &mut hall.nav().bake;
    (bake.cell_size, bake.agent_radius, bake.agent_height, bake.agent_climb) = (cell_size, 0.3, 1.8, 0.4);
    hall.reconcile();
    hall
}

fn asked(hall: &Hall, examination: Examination) -> Vec<Finding> {
    let patient = Patient::of(&hall.scene, &hall.world).asked(examination);
    patient.examine(&DoctorWatch::default()).unwrap().findings
}

/// What is between two places.
fn between(hall: &Hall, ends: [Vec3; 2]) -> Vec<Finding> {
    asked(hall, Examination::Path(ends.map(|p| p.as_dvec3())))
}

fn apply(hall: &mut Hall, mend: &Mend) {
    let settings = &mut std::sync::Arc::make_mut(&mut hall.scene.settings).nav;
    match mend {
        Mend::Slope(slope) => settings.ground_slope_deg = slope.to_degrees(),
        Mend::Climb(climb) => settings.max_step_height = *climb,
        _ => {}
    }
    let bake = &mut hall.nav().bake;
    match mend {
        Mend::Slope(slope) => bake.slope_rad = *slope,
        Mend::Climb(climb) => bake.agent_climb = *climb,
        Mend::Radius(radius) => bake.agent_radius = *radius,
        Mend::Height(height) => bake.agent_height = *height,
        Mend::CellSize(edge) => bake.cell_size = *edge,
        Mend::Link(link) => bake.placed_links.push(link.clone()),
        Mend::Many(all) => all.iter().for_each(|mend| apply(hall, mend)),
        other => panic!("{other:?}"),
    }
}

/// Mends what is found and asks again: the mesh is there, and has a way over its islands and links.
fn mended(hall: &mut Hall, ends: [Vec3; 2], fault: FaultKind) {
    let found = between(hall, ends);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!(finding.fault, fault, "{finding:?}");
    let mend = finding.mend.clone().unwrap_or_else(|| panic!("{finding:?}"));
    apply(hall, &mend);
    hall.reconcile();
    assert!(hall.world.mesh().error().is_none(), "{finding:?}");
    let mesh = &hall.world.mesh().built().unwrap().mesh;
    let island = |at: Vec3| {
        let polygons = mesh.live_polygons().filter(|id| mesh.contains_2d(*id, mesh.local(at.as_dvec3())));
        let near =
            |id: &walkabout::nav::mesh::PolyId| (mesh.world(mesh.polygon(*id).center).y - f64::from(at.y)).abs() < 1.0;
        polygons.into_iter().find(near).map(|id| mesh.polygon(id).island)
    };
    let is_linked = !hall.scene.nav.bake.placed_links.is_empty();
    let [from, to] = ends.map(island);
    assert!(is_linked || (from.is_some() && from == to), "the mesh has no way: {from:?} to {to:?}, {finding:?}");
    assert_eq!(between(hall, ends), [], "after {finding:?}");
}

#[test]
fn links_of_the_doctor_lie_on_the_mesh() {
    let mut dice = SplitMix64::new(31);
    for round in 0..ROUNDS {
        let (width, z) = (dice.between(1.05, 1.45), dice.between(6.0, 9.0));
        let quads = [floor([0.0, 9.0], 0.0, [0.0, z]), floor([9.0 + width, 20.0], 0.0, [0.0, z])];
        let mut hall = hall(&quads, CELLS[round % 2]);
        let ends = [2.0, 18.0].map(|x| Vec3::new(x, 0.0, 4.0));
        mended(&mut hall, ends, FaultKind::GapTooWide);
        assert_eq!(asked(&hall, Examination::Everything), []);
        let links = hall.world.mesh().links().unwrap();
        assert_eq!(links.placed(&hall.world.mesh().built().unwrap().mesh).len(), 1);
    }
}

#[test]
fn narrower_agents_get_through_the_door_on_the_mesh() {
    let mut dice = SplitMix64::new(32);
    for round in 0..ROUNDS {
        let (width, z) = (dice.between(0.35, 0.55), dice.between(3.0, 4.0));
        let mut quads = vec![floor([0.0, 16.0], 0.0, [0.0, 8.0])];
        quads.extend(block([7.9, 8.1], [0.0, 3.0], [0.0, z]));
        quads.extend(block([7.9, 8.1], [0.0, 3.0], [z + width, 8.0]));
        let ends = [2.0, 14.0].map(|x| Vec3::new(x, 0.0, 4.0));
        mended(&mut hall(&quads, CELLS[round % 2]), ends, FaultKind::DoorTooThin);
    }
}

#[test]
fn shorter_agents_get_under_the_ceiling_on_the_mesh() {
    let mut dice = SplitMix64::new(33);
    for round in 0..ROUNDS {
        let free = dice.between(1.25, 1.7);
        let mut quads = vec![floor([0.0, 16.0], 0.0, [0.0, 8.0])];
        quads.extend(block([7.0, 9.0], [free, 3.0], [0.0, 8.0]));
        // Its underside.
        let [a, b, c, d] = floor([7.0, 9.0], free, [0.0, 8.0]);
        quads.push([a, d, c, b]);
        let ends = [2.0, 14.0].map(|x| Vec3::new(x, 0.0, 4.0));
        mended(&mut hall(&quads, CELLS[round % 2]), ends, FaultKind::CeilingTooLow);
    }
}

#[test]
fn links_of_the_doctor_get_over_walls_and_far_gaps() {
    let mut walled = vec![floor([0.0, 16.0], 0.0, [0.0, 8.0])];
    walled.extend(block([7.9, 8.1], [0.0, 3.0], [0.0, 8.0]));
    let gap = [floor([0.0, 6.0], 0.0, [0.0, 8.0]), floor([9.0, 16.0], 0.0, [0.0, 8.0])];
    let high = [floor([0.0, 8.0], 0.0, [0.0, 8.0]), floor([8.5, 16.0], 2.5, [0.0, 8.0])];
    for (quads, y) in [(&walled[..], 0.0), (&gap, 0.0), (&high, 2.5)] {
        let mut hall = hall(quads, 0.1);
        let ends = [Vec3::new(2.0, 0.0, 4.0), Vec3::new(14.0, y, 4.0)];
        let found = between(&hall, ends);
        let Some(Mend::Link(link)) = found[0].mend.clone() else { panic!("{found:?}") };
        hall.nav().bake.placed_links.push(link);
        hall.reconcile();
        assert!(hall.world.mesh().error().is_none(), "{found:?}");
        assert_eq!(between(&hall, ends), []);
        assert!(found[0].place.is_finite());
    }
}

/// A level of a kind with something between its two halves, turned.
fn parted(fault: FaultKind, dice: &mut SplitMix64) -> (Vec<[Vec3; 4]>, [Vec3; 2]) {
    let mut quads = vec![floor([0.0, 8.0], 0.0, [0.0, 8.0])];
    let mut y = 0.0;
    match fault {
        FaultKind::StepTooHigh => {
            y = dice.between(0.43, 0.58);
            quads.extend(block([8.0, 16.0], [0.0, y], [0.0, 8.0]));
        }
        FaultKind::SlopeTooSteep => {
            let (rise, angle) = (dice.between(0.8, 1.5), dice.between(47.0_f32, 66.0).to_radians());
            let end = 8.0 + rise / angle.tan();
            let corner = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
            quads.push([corner(8.0, 0.0, 0.0), corner(8.0, 0.0, 8.0), corner(end, rise, 8.0), corner(end, rise, 0.0)]);
            quads.push(floor([end, 16.0], rise, [0.0, 8.0]));
            y = rise;
        }
        FaultKind::DoorTooThin => {
            let (width, z) = (dice.between(0.35, 0.56), dice.between(3.0, 4.0));
            quads.push(floor([8.0, 16.0], 0.0, [0.0, 8.0]));
            quads.extend(block([7.9, 8.1], [0.0, 3.0], [0.0, z]));
            quads.extend(block([7.9, 8.1], [0.0, 3.0], [z + width, 8.0]));
        }
        _ => {
            let free = dice.between(1.25, 1.75);
            quads.push(floor([8.0, 16.0], 0.0, [0.0, 8.0]));
            quads.extend(block([7.0, 9.0], [free, 3.0], [0.0, 8.0]));
            let [a, b, c, d] = floor([7.0, 9.0], free, [0.0, 8.0]);
            quads.push([a, d, c, b]);
        }
    }
    let turn = glam::Quat::from_rotation_y([0.0, dice.between(0.0, 1.5)][dice.below(2)]);
    let ends = [Vec3::new(2.0, 0.0, 4.0), Vec3::new(14.0, y, 4.0)].map(|end| turn * end);
    (quads.into_iter().map(|quad| quad.map(|p| turn * p)).collect(), ends)
}

#[test]
fn every_change_that_is_offered_opens_the_way() {
    let kinds = [FaultKind::StepTooHigh, FaultKind::SlopeTooSteep, FaultKind::DoorTooThin, FaultKind::CeilingTooLow];
    let mut dice = SplitMix64::new(34);
    for fault in kinds {
        let mut offered = 0;
        for round in 0..ROUNDS {
            let (quads, ends) = parted(fault, &mut dice);
            let mut hall = hall(&quads, CELLS[round % 2]);
            let found = between(&hall, ends);
            let [finding] = &found[..] else { panic!("{fault:?}: {found:?}") };
            assert_eq!(finding.fault, fault, "{finding:?}");
            if finding.mend.is_some() {
                offered += 1;
                mended(&mut hall, ends, fault);
            } else {
                assert!(!finding.remedy.contains("agents"), "{finding:?}");
            }
        }
        assert!(offered * 10 >= ROUNDS * 9, "{fault:?}: {offered} of {ROUNDS}");
    }
}
