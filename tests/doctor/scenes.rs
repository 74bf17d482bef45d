//! Faults seeded into scenes: ways that something bars, links whose ends are off the mesh; and passages of a mesh that are
//! too narrow for wider agents than it was made for.

use super::halls::{Hall, block, floor};
use super::{FOUND, LIMITS, SEEDS, hills, is_found, is_good, link};
use glam::{DVec3, Vec2, Vec3};
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::inspect::doctor::{Diagnosis, Examination, Patient};
use walkabout::nav::doctor::{AgentLimits, Barrier, DoctorWatch, FaultKind, Mend, examine_mesh, why_no_path_on_mesh};
use walkabout::nav::mesh::off_mesh::PlacedLink;
use walkabout::nav::mesh::{MeshFile, RawMesh, RawPolygon};
use walkabout::nav::planner::Planner;
use walkabout::scene::barred_cells::BarredCells;
use walkabout::scene::nav::{MeshSource, ObstacleShape, PlacedObstacle};

/// Rooms along a corridor, and the width of each, metres.
const ROOMS: usize = 10;
const ROOM: f32 = 3.0;
/// Half the width of a door.
const DOOR: f32 = 0.7;

/// The middle of the door of a room.
fn door(room: usize) -> Vec3 {
    Vec3::new((room as f32 + 0.5) * ROOM, 0.0, 3.1)
}

/// Rooms with doors to a corridor.
fn hall() -> Hall {
    let end = ROOMS as f32 * ROOM;
    let mut quads = vec![floor([0.0, end], 0.0, [0.0, 8.0])];
    for room in 0..ROOMS {
        let (from, x) = (room as f32 * ROOM, door(room).x);
        quads.extend(block([from, x - DOOR], [0.0, 3.0], [3.0, 3.2]));
        quads.extend(block([x + DOOR, from + ROOM], [0.0, 3.0], [3.0, 3.2]));
        quads.extend(block([from - 0.1, from + 0.1], [0.0, 3.0], [3.2, 8.0]));
    }
    let mut hall = Hall::new(&quads, MeshSource::Baked, Planner::default());
    let bake = &mut hall.nav().bake;
    (bake.cell_size, bake.agent_radius) = (0.1, 0.3);
    hall
}

/// Something that closes a door.
fn bar(hall: &mut Hall, room: usize, dice: &mut SplitMix64) {
    let at = door(room) + Vec3::new(dice.between(-0.2, 0.2), 0.0, dice.between(-0.3, 0.3));
    let reach = dice.between(0.8, 1.2);
    let shape = match dice.below(4) {
        0 => {
            let cells = &mut hall.nav().barred_cells;
            let [from, to] =
                [-1.0, 1.0].map(|side| BarredCells::cell_at(at + Vec3::new(side * reach, 0.0, side * 0.2)));
            for x in from[0]..=to[0] {
                (from[2]..=to[2]).for_each(|z| _ = cells.set([x, from[1], z], true));
            }
            return;
        }
        1 => ObstacleShape::Cylinder { base: at, radius: reach, height: dice.between(0.5, 2.0) },
        2 => ObstacleShape::Box {
            base: at,
            size: Vec3::new(2.0 * reach, dice.between(0.5, 2.0), dice.between(0.2, 0.6)),
            yaw_deg: dice.between(-10.0, 10.0),
        },
        _ => {
            let outline = [[-reach, -0.2], [reach, -0.2], [reach, 0.3], [-reach, 0.2]].map(Vec2::from).to_vec();
            ObstacleShape::Prism { base: at, outline, height: 1.0 }
        }
    };
    hall.nav().obstacles.push(PlacedObstacle { shape, open: false });
}

fn examine(hall: &Hall, examination: Examination) -> Diagnosis {
    let patient = Patient::of(&hall.scene, &hall.world).asked(examination);
    let diagnosis = patient.examine(&DoctorWatch::default()).unwrap();
    is_good(&diagnosis.findings);
    diagnosis
}

#[test]
fn what_bars_a_way_in_a_scene_is_found_and_named() {
    let (mut hall, mut dice) = (hall(), SplitMix64::new(11));
    let mut found = 0;
    let ways = (0..ROOMS).map(|room| [door(room).with_z(1.0), door(room).with_z(6.0)].map(|p| p.as_dvec3()));
    let ways: Vec<[DVec3; 2]> = ways.collect();
    hall.reconcile();
    for &way in &ways {
        let open = examine(&hall, Examination::Path(way));
        assert!(open.findings.is_empty(), "{open:?}");
    }
    for _ in 0..SEEDS / ROOMS {
        hall.nav().obstacles.clear();
        hall.nav().barred_cells.clear();
        (0..ROOMS).for_each(|room| bar(&mut hall, room, &mut dice));
        hall.reconcile();
        for (room, &way) in ways.iter().enumerate() {
            let findings = examine(&hall, Examination::Path(way)).findings;
            let near = |place: DVec3| place.distance(door(room).as_dvec3()) < 1.5;
            found += usize::from(matches!(&findings[..], [f] if f.fault == FaultKind::Barred && near(f.place)));
        }
    }
    assert!(found as f64 >= FOUND * SEEDS as f64, "{found}");
}

#[test]
fn polygons_that_bar_a_way_on_a_mesh_are_found_and_named() {
    let mut dice = SplitMix64::new(12);
    let mut found = 0;
    for _ in 0..SEEDS {
        let mut file = MeshFile { mesh: hills(&mut dice), ..MeshFile::default() };
        let row = 1 + dice.below(super::CELLS - 2);
        let middle = |polygon: usize| super::middle(&super::corners(&file.mesh, polygon));
        let column = dice.below(super::CELLS);
        let ends = [0, super::CELLS - 1].map(|row| middle(row * super::CELLS + column));
        let place = middle(row * super::CELLS + column);
        file.mesh.polygons[row * super::CELLS..(row + 1) * super::CELLS].iter_mut().for_each(|p| p.flags = 0);
        let answer = why_no_path_on_mesh(&file, &LIMITS, ends);
        let walkabout::nav::doctor::Barrier::Findings(findings) = answer.barrier else { continue };
        // Any of the row's polygons may be the one that is named.
        let is_row = |p: DVec3| (p.z - place.z).abs() < 2.0;
        found += usize::from(findings.iter().any(|f| f.fault == FaultKind::Barred && is_row(f.place)));
    }
    assert!(found as f64 >= FOUND * SEEDS as f64, "{found}");
}

/// Links into the open, from a place in the corridor: near the ground where it can be moved there, far from it elsewhere.
fn lost_link(room: usize, dice: &mut SplitMix64) -> PlacedLink {
    let inside = door(room).with_z(1.0).as_dvec3();
    let away = if dice.below(2) == 0 { dice.between(0.8, 3.0) } else { dice.between(8.0, 50.0) };
    let outside = DVec3::new(inside.x, 0.0, f64::from(-away));
    match dice.below(3) {
        0 => link(inside, outside),
        1 => link(outside, inside),
        _ => link(outside, outside + DVec3::X * 2.0),
    }
}

#[test]
fn links_off_the_mesh_of_a_scene_are_found_and_mended() {
    let (mut hall, mut dice) = (hall(), SplitMix64::new(13));
    let good = link(door(0).with_z(1.0).as_dvec3(), door(0).with_z(6.0).as_dvec3());
    let (mut found, mut moved) = (0, 0);
    for _ in 0..SEEDS / (5 * ROOMS) {
        let mut links: Vec<PlacedLink> = (0..5 * ROOMS).map(|i| lost_link(i % ROOMS, &mut dice)).collect();
        links.insert(7, good.clone());
        hall.nav().bake.placed_links = links.clone();
        hall.world.reconcile(&hall.scene, &hall.assets);
        let diagnosis = examine(&hall, Examination::Everything);
        assert_eq!(diagnosis.error, None, "what keeps the mesh from being one is a finding");
        let mut mends: Vec<Mend> = diagnosis.findings.iter().filter_map(|f| f.mend.clone()).collect();
        let number = |mend: &Mend| match mend {
            Mend::RemoveLink(link) | Mend::MoveLink { link, .. } => *link,
            other => panic!("{other:?}"),
        };
        // From the last on, so that the numbers of the others stay.
        mends.sort_by_key(|mend| std::cmp::Reverse(number(mend)));
        for mend in &mends {
            assert_ne!(number(mend), 7, "a link on the ground is no fault");
            let lost = [links[number(mend)].start, links[number(mend)].end];
            found += usize::from(lost.iter().any(|&at| is_found(&diagnosis.findings, FaultKind::LinkOffMesh, at)));
            match mend {
                Mend::MoveLink { link, ends } => {
                    moved += 1;
                    let link = &mut hall.nav().bake.placed_links[*link];
                    [link.start, link.end] = *ends;
                }
                mend => _ = hall.nav().bake.placed_links.remove(number(mend)),
            }
        }
        hall.reconcile();
        assert!(examine(&hall, Examination::Everything).findings.is_empty());
        assert!(hall.world.mesh().links().is_some());
    }
    assert!(found as f64 >= FOUND * SEEDS as f64, "{found}");
    assert!((SEEDS / 4..SEEDS * 3 / 4).contains(&moved), "{moved}");
}

/// Rooms in a row, joined by doors of these widths on a mesh.
fn rooms_on_mesh(doors: &[f64]) -> RawMesh {
    let mut mesh = RawMesh::default();
    let mut before: Option<[u32; 2]> = None;
    for (room, width) in doors.iter().enumerate() {
        let x = room as f64 * 3.5;
        let first = mesh.vertices.len() as u32;
        let half = width * 0.5;
        mesh.vertices.extend(
            [[x, -2.0], [x + 3.0, -2.0], [x + 3.0, -half], [x + 3.0, half], [x + 3.0, 2.0], [x, 2.0]]
                .map(|[x, z]| DVec3::new(x, 0.0, z)),
        );
        let mut ring: Vec<u32> = (first..first + 6).collect();
        if let Some([low, high]) = before {
            // The door leads from the wall of the room before to this one's.
            let (z_low, z_high) = (mesh.vertices[low as usize].z, mesh.vertices[high as usize].z);
            mesh.vertices.extend([DVec3::new(x, 0.0, z_high), DVec3::new(x, 0.0, z_low)]);
            ring.extend([first + 6, first + 7]);
            mesh.polygons.push(RawPolygon::new([low, first + 7, first + 6, high]));
        }
        before = Some([first + 2, first + 3]);
        mesh.polygons.push(RawPolygon::new(ring));
    }
    mesh
}

#[test]
fn passages_of_a_mesh_too_narrow_for_wider_agents_are_found() {
    let mut dice = SplitMix64::new(14);
    let wider = AgentLimits { radius: 0.5, ..LIMITS };
    // A mesh for 0.3 m keeps that from walls: an agent of 0.5 m needs 0.4 m of it.
    let (mut seeded, mut found) = (0, 0);
    while seeded < SEEDS {
        let widths: Vec<f64> = (0..ROOMS + 1)
            .map(|room| f64::from(if room % 2 == 0 { dice.between(0.05, 0.39) } else { dice.between(0.41, 2.0) }))
            .collect();
        let file = MeshFile { mesh: rooms_on_mesh(&widths), ..MeshFile::default() };
        assert_eq!(examine_mesh(&file, &LIMITS, &[]), [], "as wide as the mesh was made for");
        let findings = examine_mesh(&file, &wider, &[]);
        is_good(&findings);
        assert_eq!(findings.len(), ROOMS / 2, "{findings:?}");
        // The same passages are in the way from the first room to the last.
        let ends = [0, ROOMS].map(|room| DVec3::new(room as f64 * 3.5 + 1.5, 0.0, 0.0));
        assert_eq!(why_no_path_on_mesh(&file, &LIMITS, ends).barrier, Barrier::None);
        let Barrier::Findings(between) = why_no_path_on_mesh(&file, &wider, ends).barrier else { panic!("no answer") };
        let places = |list: &[walkabout::nav::doctor::Finding]| list.iter().map(|f| f.place).collect::<Vec<_>>();
        let mut on_the_way = places(&findings);
        on_the_way.sort_by(|a, b| a.x.total_cmp(&b.x));
        assert_eq!(places(&between), on_the_way);
        for room in (0..ROOMS).step_by(2) {
            let place = DVec3::new(room as f64 * 3.5 + 3.25, 0.0, 0.0);
            let is_it = |f: &walkabout::nav::doctor::Finding| {
                f.fault == FaultKind::DoorTooThin
                    && f.place.distance(place) < 0.5
                    && (f.size - widths[room] - 0.6).abs() < 1e-3
            };
            seeded += 1;
            found += usize::from(findings.iter().any(is_it));
        }
    }
    assert!(found as f64 >= FOUND * seeded as f64, "{found} of {seeded}");
}
