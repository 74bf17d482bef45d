//! Faults seeded into clean levels and meshes are found and named, and clean ones raise no alarm.

#![allow(clippy::unwrap_used, reason = "a level that cannot be examined has to fail the test")]

#[path = "doctor/exact.rs"]
mod exact;
#[path = "doctor/feet.rs"]
mod feet;
#[path = "doctor/formats.rs"]
mod formats;
#[path = "doctor/gathered.rs"]
mod gathered;
#[path = "common/halls.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod halls;
#[path = "doctor/levels.rs"]
mod levels;
#[path = "doctor/mends.rs"]
mod mends;
#[path = "doctor/placed.rs"]
mod placed;
#[path = "doctor/scenes.rs"]
mod scenes;

use std::cell::RefCell;
use std::f32::consts::FRAC_PI_4;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::{DVec3, Vec3};
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::nav::doctor::{AgentLimits, Barrier, FaultKind, Finding, NamedTarget, examine_level, examine_mesh};
use walkabout::nav::doctor::{
    DoctorError, DoctorStep, DoctorWatch, coarse_cells, examine_level_until, examine_mesh_until,
};
use walkabout::nav::doctor::{Mend, why_no_path, why_no_path_on_mesh, why_no_path_until};
use walkabout::nav::exchange::MeshPlacement;
use walkabout::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use walkabout::nav::mesh::{MeshFile, RawMesh, RawPolygon};

const LIMITS: AgentLimits = AgentLimits {
    radius: 0.3,
    mesh_radius: 0.3,
    height: 1.8,
    climb: 0.4,
    slope_rad: FRAC_PI_4,
    jump: 1.0,
    has_links: false,
    cells: None,
};

/// Number of faults of each kind.
const SEEDS: usize = 1000;
/// Share of the faults that is found.
const FOUND: f64 = 0.95;
/// Polygons along each side of a mesh.
const CELLS: usize = 12;
/// Faults of a mesh, one in each square of three by three polygons.
const FAULTS: usize = 9;

/// A mesh with what belongs to it, and what was seeded where.
#[derive(Default)]
struct Patient {
    file: MeshFile,
    targets: Vec<NamedTarget>,
    seeded: Vec<DVec3>,
}

/// A grid of rectangles on gentle hills, whose polygons share their vertices.
fn hills(dice: &mut SplitMix64) -> RawMesh {
    let mut mesh = RawMesh::default();
    let [sx, sz] = [(); 2].map(|()| f64::from(dice.between(1.0, 3.0)));
    let (amplitude, phase) = (f64::from(dice.between(0.0, 0.5)), f64::from(dice.between(0.0, 6.0)));
    let across = CELLS + 1;
    for z in 0..across {
        for x in 0..across {
            let y = amplitude * (x as f64 * 0.5 + phase).sin() * (z as f64 * 0.4).cos();
            mesh.vertices.push(DVec3::new(x as f64 * sx, y, z as f64 * sz));
        }
    }
    for z in 0..CELLS {
        for x in 0..CELLS {
            let a = (z * across + x) as u32;
            let below = a + across as u32;
            mesh.polygons.push(RawPolygon::new([a, a + 1, below + 1, below]));
        }
    }
    mesh
}

/// The polygon in the middle of a square of three by three.
fn seat(fault: usize) -> usize {
    let (x, z) = (fault % 3, fault / 3);
    (z * 4 + 1) * CELLS + x * 4 + 1
}

fn corners(mesh: &RawMesh, polygon: usize) -> Vec<DVec3> {
    mesh.polygons[polygon].vertices.iter().map(|&v| mesh.vertices[v as usize]).collect()
}

fn middle(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len() as f64
}

/// Gives a polygon a vertex of its own for one of its corners, moved by a little.
fn split_off(mesh: &mut RawMesh, polygon: usize, corner: usize, by: DVec3) {
    let place = mesh.vertices[mesh.polygons[polygon].vertices[corner] as usize];
    mesh.vertices.push(place + by);
    mesh.polygons[polygon].vertices[corner] = mesh.vertices.len() as u32 - 1;
}

/// Adds a rectangle of its own.
fn add_rectangle(mesh: &mut RawMesh, at: DVec3, size: f64) {
    let first = mesh.vertices.len() as u32;
    let around = [[0.0, 0.0], [size, 0.0], [size, size], [0.0, size]];
    mesh.vertices.extend(around.map(|[x, z]| at + DVec3::new(x, 0.0, z)));
    mesh.polygons.push(RawPolygon::new([first, first + 1, first + 2, first + 3]));
}

fn link(start: DVec3, end: DVec3) -> PlacedLink {
    PlacedLink { start, end, kind: LinkKind::Jump, both_ways: true, reach: 0.3, area: 0, flags: 1 }
}

/// Seeds a fault into a mesh at its seat.
fn seed_mesh(fault: FaultKind, patient: &mut Patient, polygon: usize, dice: &mut SplitMix64) {
    let mesh = &mut patient.file.mesh;
    let outline = corners(mesh, polygon);
    let (center, side) = (middle(&outline), outline[1] - outline[0]);
    let far = DVec3::new(-20.0 - center.x * 3.0, center.y, center.z * 3.0);
    let mut place = center;
    match fault {
        FaultKind::BadPolygon => match dice.below(4) {
            0 => mesh.polygons[polygon].vertices[2] = 1 << 30,
            1 => mesh.polygons[polygon].area = 64 + dice.below(100) as u8,
            2 => mesh.polygons[polygon].vertices.extend_from_within(..1),
            _ => split_off(mesh, polygon, 2, (outline[0] - outline[2]) * f64::from(dice.between(0.55, 0.9))),
        },
        FaultKind::Flipped => mesh.polygons[polygon].vertices.reverse(),
        FaultKind::Spike => {
            let vertex = mesh.polygons[polygon].vertices[0] as usize;
            let sign = if dice.below(2) == 0 { 1.0 } else { -1.0 };
            mesh.vertices[vertex].y += sign * f64::from(dice.between(4.0, 9.0));
            place = mesh.vertices[vertex];
        }
        FaultKind::Sliver => {
            let inward = (outline[3] - outline[0])
                * (f64::from(dice.between(0.003, 0.012)) / (outline[3] - outline[0]).length());
            let old = mesh.polygons[polygon].vertices.clone();
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend([outline[0] + inward, outline[1] + inward]);
            mesh.polygons[polygon].vertices = vec![first, first + 1, old[2], old[3]];
            mesh.polygons.push(RawPolygon::new([old[0], old[1], first + 1, first]));
            place = outline[0] + side * 0.5;
        }
        FaultKind::DuplicateVertex => {
            split_off(mesh, polygon, dice.below(4), DVec3::ZERO);
        }
        FaultKind::TJunction => {
            mesh.vertices.push(outline[0] + side * f64::from(dice.between(0.2, 0.8)));
            let number = mesh.vertices.len() as u32 - 1;
            mesh.polygons[polygon].vertices.insert(1, number);
        }
        FaultKind::OpenSeam => {
            let by = f64::from(dice.between(0.002, 0.015));
            let away = (outline[3] - outline[0]).normalize() * by;
            split_off(mesh, polygon, 0, away);
            split_off(mesh, polygon, 1, away);
            place = outline[0] + side * 0.5;
        }
        FaultKind::Overlap => add_rectangle(mesh, center + DVec3::Y * f64::from(dice.between(0.0, 0.2)), 0.4),
        FaultKind::UnreachableIsland => {
            place = far;
            add_rectangle(mesh, far, f64::from(dice.between(1.0, 4.0)));
        }
        FaultKind::StepTooHigh | FaultKind::GapTooWide => {
            place = far;
            add_rectangle(mesh, far, 1.5);
            patient.file.links.push(link(center, far + DVec3::new(0.5, 0.0, 0.5)));
            let beside = match fault {
                FaultKind::StepTooHigh => DVec3::new(1.7, f64::from(dice.between(0.42, 0.58)), 0.0),
                _ => DVec3::X * f64::from(dice.between(1.5 + 1.1, 1.5 + 1.9)),
            };
            add_rectangle(mesh, far + beside, 1.5);
        }
        FaultKind::LinkOffMesh => {
            let side = [DVec3::NEG_X, DVec3::NEG_Z][dice.below(2)] * f64::from(dice.between(20.0, 60.0));
            place = center + side * 3.0;
            let ends = if dice.below(2) == 0 { (center, place) } else { (place, center) };
            patient.file.links.push(link(ends.0, ends.1));
        }
        FaultKind::TargetOffMesh => {
            place = DVec3::new(-f64::from(dice.between(0.5, 30.0)), center.y, center.z);
            patient.targets.push(NamedTarget { name: "somebody".into(), position: place });
        }
        FaultKind::WrongFloor => {
            let away = if dice.below(2) == 0 { dice.between(1.0, 3.5) } else { -dice.between(0.5, 3.5) };
            place = center + DVec3::Y * f64::from(away);
            patient.targets.push(NamedTarget { name: "somebody".into(), position: place });
        }
        _ => unreachable!("no fault of meshes"),
    }
    patient.seeded.push(place);
}

/// Whether a finding of this kind lies at a place.
fn is_found(findings: &[Finding], fault: FaultKind, place: DVec3) -> bool {
    let near = |p: DVec3| (p - place).length() < 4.0;
    findings.iter().any(|f| f.fault == fault && (near(f.place) || f.lines.iter().flatten().any(|&p| near(p))))
}

fn is_good(findings: &[Finding]) {
    for f in findings {
        assert!(f.place.is_finite() && f.size.is_finite(), "{f:?}");
        assert!(f.cause.ends_with('.') && f.remedy.ends_with('.'), "{f:?}");
    }
}

/// Share of seeded faults of a kind that is found in meshes.
fn share_in_meshes(fault: FaultKind) -> f64 {
    let (mut seeded, mut found) = (0, 0);
    let mut dice = SplitMix64::new(fault as u64 * 7919 + 1);
    while seeded < SEEDS {
        let mut patient = Patient::default();
        patient.file.mesh = hills(&mut dice);
        let clean = examine_mesh(&patient.file, &LIMITS, &[]);
        assert!(clean.is_empty(), "{fault:?}: {clean:?}");
        (0..FAULTS).for_each(|i| seed_mesh(fault, &mut patient, seat(i), &mut dice));
        let findings = examine_mesh(&patient.file, &LIMITS, &patient.targets);
        is_good(&findings);
        seeded += FAULTS;
        found += patient.seeded.iter().filter(|&&p| is_found(&findings, fault, p)).count();
    }
    found as f64 / seeded as f64
}

#[test]
fn faults_seeded_into_meshes_are_found_and_named() {
    let kinds = [
        FaultKind::BadPolygon,
        FaultKind::Flipped,
        FaultKind::Spike,
        FaultKind::Sliver,
        FaultKind::DuplicateVertex,
        FaultKind::TJunction,
        FaultKind::OpenSeam,
        FaultKind::Overlap,
        FaultKind::UnreachableIsland,
        FaultKind::StepTooHigh,
        FaultKind::GapTooWide,
        FaultKind::LinkOffMesh,
        FaultKind::TargetOffMesh,
        FaultKind::WrongFloor,
    ];
    for fault in kinds {
        let share = share_in_meshes(fault);
        assert!(share >= FOUND, "{fault:?}: {share}");
    }
}

/// Rooms of a level: how many, how deep and how wide, metres.
const ROOMS: usize = 10;
const ROOM: f32 = 3.0;
/// Where the wall between the corridor and the rooms lies.
const WALL: [f32; 2] = [3.0, 3.2];

/// A level of rooms along a corridor.
#[derive(Default)]
struct House {
    triangles: Vec<[Vec3; 3]>,
    seeded: Vec<Vec3>,
}

impl House {
    /// A rectangle that faces up, in cells of a metre.
    fn floor(&mut self, x: [f32; 2], z: [f32; 2], y: f32) {
        let cells = [x, z].map(|[a, b]| (b - a).ceil().max(1.0) as usize);
        let at = |[a, b]: [f32; 2], k: usize, count: usize| a + (b - a) * k as f32 / count as f32;
        for i in 0..cells[0] {
            for k in 0..cells[1] {
                let [x0, x1] = [i, i + 1].map(|i| at(x, i, cells[0]));
                let [z0, z1] = [k, k + 1].map(|k| at(z, k, cells[1]));
                let [a, b, c, d] = [[x0, z0], [x0, z1], [x1, z1], [x1, z0]].map(|[x, z]| Vec3::new(x, y, z));
                self.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }

    /// A box without an underside.
    fn block(&mut self, x: [f32; 2], z: [f32; 2], y: [f32; 2]) {
        self.floor(x, z, y[1]);
        let around = [[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
        for i in 0..4 {
            let [a, b] = [around[i], around[(i + 1) % 4]].map(|[x, z]| Vec3::new(x, y[0], z));
            let up = Vec3::Y * (y[1] - y[0]);
            self.triangles.extend([[a, a + up, b], [b, a + up, b + up]]);
        }
        if y[0] > 0.0 {
            let mut under = House::default();
            under.floor(x, z, y[0]);
            self.triangles.extend(under.triangles.into_iter().map(|[a, b, c]| [a, c, b]));
        }
    }

    /// A ramp that rises along x.
    fn ramp(&mut self, x: [f32; 2], z: [f32; 2], y: [f32; 2]) {
        let corner = |i: usize, k: usize| Vec3::new(x[i], y[i], z[k]);
        let [a, b, c, d] = [corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0)];
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// The corridor, the walls and the rooms; every second room has the fault, if it is one of passages.
    fn build(fault: Option<FaultKind>, dice: &mut SplitMix64) -> Self {
        let mut house = Self::default();
        let end = ROOMS as f32 * ROOM;
        house.floor([0.0, WALL[0]], [0.0, end], 0.0);
        let outer = [WALL[1] + 5.0, WALL[1] + 5.2];
        for room in 0..ROOMS {
            let z = [room as f32 * ROOM + 0.1, (room + 1) as f32 * ROOM - 0.1];
            house.block([WALL[0], outer[1]], [z[0] - 0.1, z[0]], [0.0, 3.0]);
            house.block([WALL[0], outer[1]], [z[1], z[1] + 0.1], [0.0, 3.0]);
            house.block(outer, z, [0.0, 3.0]);
            let is_seeded = fault.is_some() && room % 2 == 0;
            house.room(z, fault.filter(|_| is_seeded), dice);
            if is_seeded {
                house.seeded.push(Vec3::new(WALL[1], 0.0, 0.5 * (z[0] + z[1])));
            }
        }
        house
    }

    /// A room behind the wall, its door and what lies behind it.
    fn room(&mut self, z: [f32; 2], fault: Option<FaultKind>, dice: &mut SplitMix64) {
        let (middle, far) = (0.5 * (z[0] + z[1]), WALL[1] + 5.0);
        let is = |kind| fault == Some(kind);
        let width = if is(FaultKind::DoorTooThin) { dice.between(0.25, 0.5) } else { dice.between(1.0, 1.6) };
        let door = [middle - width * 0.5, middle + width * 0.5];
        let lintel = if is(FaultKind::CeilingTooLow) { dice.between(1.3, 1.7) } else { dice.between(2.0, 2.5) };
        if is(FaultKind::UnreachableIsland) {
            self.block(WALL, z, [0.0, 3.0]);
        } else {
            self.block(WALL, [z[0], door[0]], [0.0, 3.0]);
            self.block(WALL, [door[1], z[1]], [0.0, 3.0]);
            self.block(WALL, door, [lintel, 3.0]);
        }
        let gap = if is(FaultKind::GapTooWide) { dice.between(1.05, 1.4) } else { 0.0 };
        self.floor([WALL[0], WALL[1] + 0.4], z, 0.0);
        let begin = WALL[1] + 0.4 + gap;
        match dice.below(3) {
            _ if is(FaultKind::SlopeTooSteep) => {
                let (rise, angle) = (dice.between(0.8, 1.5), dice.between(49.0_f32, 68.0).to_radians());
                self.raised([begin, begin + rise / angle.tan(), far], z, rise);
            }
            _ if is(FaultKind::StepTooHigh) => self.block([begin, far], z, [0.0, dice.between(0.44, 0.58)]),
            0 if fault.is_none() => {
                let (rise, angle) = (dice.between(0.5, 1.2), dice.between(10.0_f32, 40.0).to_radians());
                self.raised([begin, (begin + rise / angle.tan()).min(far - 1.0), far], z, rise.min(2.0));
            }
            1 if fault.is_none() => self.block([begin, far], z, [0.0, dice.between(0.05, 0.37)]),
            _ => self.floor([begin, far], z, 0.0),
        }
    }

    /// A ramp and the floor that it leads to.
    fn raised(&mut self, x: [f32; 3], z: [f32; 2], y: f32) {
        let y = y.min((x[1] - x[0]) * 68.5_f32.to_radians().tan());
        self.ramp([x[0], x[1]], z, [0.0, y]);
        self.floor([x[1], x[2]], z, y);
    }

    /// A triangle of the corridor's floor that has neighbours on all sides.
    fn inner_triangle(&self, number: usize) -> usize {
        // Cells of a metre, two triangles each, three rows of rooms' length.
        let cells = (ROOMS as f32 * ROOM) as usize;
        (cells + 1 + number * 5) * 2
    }
}

/// Seeds a fault of the triangles themselves.
fn seed_level(fault: FaultKind, house: &mut House, dice: &mut SplitMix64) {
    let mut gone = Vec::new();
    for number in 0..5 {
        let at = house.inner_triangle(number) + dice.below(2);
        let place = house.triangles[at].iter().sum::<Vec3>() / 3.0;
        match fault {
            FaultKind::Flipped => house.triangles[at].swap(1, 2),
            FaultKind::Overlap => house.triangles.push(house.triangles[at]),
            FaultKind::Hole => gone.push(at),
            _ => return,
        }
        house.seeded.push(place);
    }
    for at in gone.into_iter().rev() {
        house.triangles.remove(at);
    }
}

fn share_in_levels(fault: FaultKind) -> f64 {
    let (mut seeded, mut found) = (0, 0);
    let mut dice = SplitMix64::new(fault as u64 * 104_729 + 5);
    let is_of_triangles = matches!(fault, FaultKind::Flipped | FaultKind::Overlap | FaultKind::Hole);
    while seeded < SEEDS {
        let mut house = House::build((!is_of_triangles).then_some(fault), &mut dice);
        seed_level(fault, &mut house, &mut dice);
        let findings = examine_level(&house.triangles, &LIMITS).unwrap();
        is_good(&findings);
        seeded += house.seeded.len();
        found += house.seeded.iter().filter(|p| is_found(&findings, fault, p.as_dvec3())).count();
        if seeded < 2 * house.seeded.len() {
            let clean = examine_level(&House::build(None, &mut dice).triangles, &LIMITS).unwrap();
            assert!(clean.len() <= 1, "{fault:?}: {:?}", clean.iter().map(|f| &f.cause).collect::<Vec<_>>());
        }
    }
    found as f64 / seeded as f64
}

#[test]
fn faults_seeded_into_levels_are_found_and_named() {
    let kinds = [
        FaultKind::Flipped,
        FaultKind::Hole,
        FaultKind::Overlap,
        FaultKind::DoorTooThin,
        FaultKind::CeilingTooLow,
        FaultKind::StepTooHigh,
        FaultKind::SlopeTooSteep,
        FaultKind::GapTooWide,
        FaultKind::UnreachableIsland,
    ];
    for fault in kinds {
        let share = share_in_levels(fault);
        assert!(share >= FOUND, "{fault:?}: {share}");
    }
}

/// The steps that an examination begins when it is stopped as one of them has begun, and what it says.
fn stopped_at<T>(
    at: DoctorStep,
    examine: impl Fn(&DoctorWatch<'_>) -> Result<T, DoctorError>,
) -> (Vec<DoctorStep>, Option<DoctorError>) {
    let (steps, stop) = (RefCell::new(Vec::new()), AtomicBool::new(false));
    let tell = |step| {
        steps.borrow_mut().push(step);
        stop.store(step == at, Ordering::Relaxed);
    };
    let error = examine(&DoctorWatch::new(&tell, &stop)).err();
    (steps.into_inner(), error)
}

#[test]
fn an_examination_that_is_stopped_ends_within_its_step() {
    use DoctorStep as S;
    let mut house = House::default();
    house.floor([0.0, 6.0], [0.0, 6.0], 0.0);
    house.block([6.0, 12.0], [0.0, 6.0], [0.0, 0.52]);
    let mesh = MeshFile { mesh: hills(&mut SplitMix64::new(1)), ..MeshFile::default() };
    let ends = [DVec3::new(1.0, 0.0, 3.0), DVec3::new(11.0, 0.52, 3.0)];
    let level = |watch: &DoctorWatch<'_>| examine_level_until(&house.triangles, &[], &LIMITS, watch);
    let path = |watch: &DoctorWatch<'_>| why_no_path_until(&house.triangles, &[], &LIMITS, ends, watch);
    let shape =
        |watch: &DoctorWatch<'_>| examine_mesh_until((&mesh, &MeshPlacement::default()), None, &LIMITS, &[], watch);
    let of_level = [S::Shape, S::Voxels, S::Parts, S::Measures];
    for (i, &at) in of_level.iter().enumerate() {
        let stopped = Some(DoctorError::Stopped);
        assert_eq!(stopped_at(at, level), (of_level[..=i].to_vec(), stopped.clone()));
        if at != S::Shape {
            assert_eq!(stopped_at(at, path), (of_level[1..=i].to_vec(), stopped));
        }
    }
    assert_eq!(stopped_at(S::Mesh, shape), (vec![S::Mesh], Some(DoctorError::Stopped)));
    assert_eq!(stopped_at(S::Reach, shape), (vec![S::Mesh, S::Reach], Some(DoctorError::Stopped)));
    // What nothing stops goes to its end.
    assert_eq!(stopped_at(S::Reach, level), (of_level.to_vec(), None));
}

#[test]
fn cells_too_coarse_for_narrow_passages_are_told() {
    let mut yard = House::default();
    yard.floor([0.0, 50.0], [0.0, 50.0], 0.0);
    assert_eq!(coarse_cells(&yard.triangles, &LIMITS), None);
    let mut land = House::default();
    land.floor([0.0, 2000.0], [0.0, 2000.0], 0.0);
    let cell = coarse_cells(&land.triangles, &LIMITS).unwrap();
    assert!((1.0..1.5).contains(&cell), "{cell} m");
}

#[test]
fn levels_in_other_units_are_noticed() {
    let mut dice = SplitMix64::new(3);
    let mut right = 0;
    for round in 0..SEEDS {
        let factor = [100.0, 0.01, 1.0 / 0.0254, 1000.0][round % 4];
        let mut house = House::build(None, &mut dice);
        house.triangles.iter_mut().flatten().for_each(|p| *p *= factor);
        let found = examine_level(&house.triangles, &LIMITS).unwrap();
        let mended = found.iter().any(|f| matches!(f.mend, Some(Mend::Scale(s)) if (s * factor - 1.0).abs() < 1e-3));
        right += usize::from(mended);
    }
    assert!(right as f64 >= FOUND * SEEDS as f64, "{right}");
}

#[test]
fn the_question_why_there_is_no_path_is_answered_with_a_measure() {
    let mut house = House::default();
    house.floor([0.0, 6.0], [0.0, 6.0], 0.0);
    house.block([6.0, 12.0], [0.0, 6.0], [0.0, 0.52]);
    let ask = |house: &House, goal: [f64; 3]| {
        why_no_path(&house.triangles, &LIMITS, [DVec3::new(1.0, 0.0, 3.0), DVec3::from(goal)]).unwrap()
    };
    let answer = ask(&house, [11.0, 0.52, 3.0]);
    assert_eq!(answer.text, "A step of 0.52 m parts the ground; an agent climbs 0.40 m.");
    let Barrier::Findings(list) = &answer.barrier else { panic!("{answer:?}") };
    assert!((list[0].place.x - 6.0).abs() < 0.2, "{list:?}");
    assert_eq!(list[0].mend, Some(Mend::Climb(0.55)));
    assert_eq!(ask(&house, [5.0, 0.0, 1.0]).barrier, Barrier::None);
    assert_eq!(ask(&house, [5.0, 9.0, 1.0]).barrier, Barrier::OffGround(1));
    for far in [1e12, -1e12, f64::INFINITY, f64::NAN] {
        assert_eq!(ask(&house, [far, 0.0, far]).barrier, Barrier::OffGround(1), "{far}");
    }
    // A wall with a slit, behind it a room.
    house.block([3.0, 3.2], [0.0, 2.75], [0.0, 3.0]);
    house.block([3.0, 3.2], [3.25, 6.0], [0.0, 3.0]);
    let answer = ask(&house, [11.0, 0.52, 3.0]);
    assert_eq!(answer.text, "2 things are between, the first: A passage is 0.50 m wide; an agent needs 0.60 m.");
}

#[test]
fn the_same_question_is_answered_for_a_mesh() {
    let mut file = MeshFile::default();
    // Two squares with a step of 0.52 m between them, a third beyond a gap, a fourth that is far away.
    let squares = [[0.0, 0.0], [4.1, 0.52], [9.3, 0.52], [40.0, 0.0]];
    for [x, y] in squares {
        add_rectangle(&mut file.mesh, DVec3::new(x, y, 0.0), 4.0);
    }
    let on = |square: usize| DVec3::new(squares[square][0] + 2.0, squares[square][1], 2.0);
    let ask = |file: &MeshFile, from: usize, to: usize| why_no_path_on_mesh(file, &LIMITS, [on(from), on(to)]);
    let step = "The ground ends 0.10 m from the rest, which lies 0.52 m higher; an agent climbs 0.4 m.";
    assert_eq!(ask(&file, 0, 1).text, step);
    assert_eq!(ask(&file, 1, 0).text, step.replace("higher", "lower"));
    let answer = ask(&file, 0, 2);
    assert_eq!(answer.text, format!("2 things are between, the first: {step}"));
    let Barrier::Findings(list) = &answer.barrier else { panic!("{answer:?}") };
    let gap = "The ground ends 1.20 m from the rest; an agent jumps 1 m. A mesh does not tell a gap from a wall: baked for \
               a radius of 0.3 m, 0.60 m of either are there.";
    assert_eq!(list[1].cause, gap);
    assert!((list[1].place.x - 8.7).abs() < 1e-6, "{list:?}");
    let answer = ask(&file, 0, 3);
    assert_eq!(answer.barrier, Barrier::Far);
    assert!(answer.text.contains("36.00 m apart"), "{}", answer.text);
    assert_eq!(ask(&file, 2, 2).barrier, Barrier::None);
    let off = why_no_path_on_mesh(&file, &LIMITS, [on(0), DVec3::new(-9.0, 0.0, 0.0)]);
    assert_eq!(off.barrier, Barrier::OffGround(1));
    // Links lead over, a link of one way in its direction alone.
    file.links.push(PlacedLink { both_ways: false, ..link(on(0), on(2)) });
    assert_eq!(ask(&file, 0, 2).barrier, Barrier::None);
    assert_eq!(ask(&file, 2, 0).text, "Link 0 leads the other way only.");
    assert_eq!(ask(&file, 0, 1).text, step, "one thing is between, by the step as by the link and the gap");
}

#[test]
fn polygons_without_flags_are_named_as_what_bars_the_way() {
    // Three squares in a row; of the one between no flag is left.
    let mut file = MeshFile::default();
    let vertices = (0..4).flat_map(|x| [0.0, 2.0].map(|z| DVec3::new(f64::from(x) * 2.0, 0.0, z)));
    file.mesh.vertices = vertices.collect();
    let square = |i: u32| RawPolygon::new([2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1]);
    file.mesh.polygons = (0..3).map(square).collect();
    let on = |square: f64| DVec3::new(square * 2.0 + 1.0, 0.0, 1.0);
    let ask = |file: &MeshFile, from: f64, to: f64| why_no_path_on_mesh(file, &LIMITS, [on(from), on(to)]);
    assert_eq!(ask(&file, 0.0, 2.0).barrier, Barrier::None);
    file.mesh.polygons[1].flags = 0;
    let answer = ask(&file, 0.0, 2.0);
    assert_eq!(answer.text, "Polygon 1 bars the way: its flags are 0, so that no search passes it.");
    let Barrier::Findings(list) = &answer.barrier else { panic!("{answer:?}") };
    assert_eq!((list[0].fault, list[0].place, list[0].lines.len()), (FaultKind::Barred, on(1.0), 4));
    // Wide ground that is barred is no place to start from.
    file.mesh.vertices.iter_mut().filter(|v| v.x > 3.0).for_each(|v| v.x += 40.0);
    let middle = [DVec3::new(22.0, 0.0, 1.0), on(0.0)];
    let answer = why_no_path_on_mesh(&file, &LIMITS, middle);
    assert_eq!(answer.barrier, Barrier::OffGround(0));
    assert_eq!(answer.text, "The start lies on polygon 1, whose flags are 0, so that no search passes it.");
    // A link leads over it.
    file.links.push(link(DVec3::new(1.0, 0.0, 1.0), DVec3::new(45.0, 0.0, 1.0)));
    assert_eq!(why_no_path_on_mesh(&file, &LIMITS, [on(0.0), DVec3::new(45.0, 0.0, 1.0)]).barrier, Barrier::None);
}
