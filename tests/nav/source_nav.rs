//! Files of each version, built by a writer of the tests' own.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use glam::DVec3;
use walkabout::nav::exchange::source_nav::{is_source_nav, read_source_nav};
use walkabout::nav::exchange::{BorderJoint, ExchangeError, ForeignMesh, Joining};
use walkabout::nav::mesh::off_mesh::LinkKind;

/// A unit is an inch.
const METRES_PER_UNIT: f64 = 0.0254;

/// Versions with the numbers of the games' own formats.
const KINDS: [[u32; 2]; 35] = [
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 0],
    [5, 0],
    [6, 0],
    [7, 0],
    [8, 0],
    [9, 0],
    [10, 0],
    [10, 1],
    [11, 0],
    [12, 0],
    [13, 0],
    [14, 1],
    [14, 2],
    [15, 0],
    [15, 1],
    [16, 0],
    [16, 1],
    [16, 2],
    [12, 1],
    [13, 2],
    [13, 3],
    [13, 4],
    [13, 5],
    [13, 6],
    [13, 7],
    [14, 8],
    [14, 9],
    [15, 10],
    [15, 11],
    [16, 12],
    [16, 13],
    [16, 14],
];

/// An area as a test writes it: heights of the corners from north-west clockwise, connections from north clockwise.
#[derive(Default)]
struct Written {
    id: u32,
    attributes: u32,
    low: [f32; 2],
    high: [f32; 2],
    heights: [f32; 4],
    connections: [Vec<u32>; 4],
    /// Flags of hiding spots; they lie at the first corner.
    spots: Vec<u8>,
    ladders_up: Vec<u32>,
    ladders_down: Vec<u32>,
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    fn number(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    fn list(&mut self, numbers: &[u32]) {
        self.number(numbers.len() as u32);
        numbers.iter().for_each(|&n| self.number(n));
    }

    fn floats(&mut self, floats: &[f32]) {
        floats.iter().for_each(|f| self.bytes(&f.to_le_bytes()));
    }

    fn approach_areas(&mut self) {
        self.bytes(&[1]);
        self.bytes(&[7; 14]);
    }

    fn area(&mut self, [version, sub]: [u32; 2], area: &Written) {
        self.number(area.id);
        let attributes = area.attributes.to_le_bytes();
        self.bytes(match version {
            ..=8 => &attributes[..1],
            9..=12 => &attributes[..2],
            _ => &attributes,
        });
        let [nw, ne, se, sw] = area.heights;
        self.floats(&[area.low[0], area.low[1], nw, area.high[0], area.high[1], se, ne, sw]);
        area.connections.iter().for_each(|c| self.list(c));
        self.bytes(&[area.spots.len() as u8]);
        for &flags in &area.spots {
            if version >= 2 {
                self.number(3);
            }
            self.floats(&[area.low[0], area.low[1], nw]);
            if version >= 2 {
                self.bytes(&[flags]);
            }
        }
        if version < 15 {
            self.approach_areas();
        }
        self.number(1);
        // An encounter path with two spots.
        if version < 3 {
            self.bytes(&[1; 32]);
            self.bytes(&[2]);
            self.bytes(&[1; 32]);
        } else {
            self.bytes(&[1; 10]);
            self.bytes(&[2]);
            self.bytes(&[1; 10]);
        }
        if version >= 5 {
            self.bytes(&[1, 0]);
        }
        if version >= 7 {
            self.list(&area.ladders_up);
            self.list(&area.ladders_down);
        }
        if version >= 8 {
            self.floats(&[f32::NAN; 2]);
        }
        if version >= 11 {
            self.floats(&[1.0; 4]);
        }
        if version >= 16 && sub < 3 {
            self.number(2);
            self.bytes(&[1; 10]);
            self.number(0);
        }
        match sub {
            1 if version >= 15 => self.approach_areas(),
            1 if version == 12 => self.terror(1),
            2 if version == 13 => self.terror(2),
            2 => self.number(0x40),
            3.. => self.terror(sub),
            _ => {}
        }
    }

    /// The part of an area of Left 4 Dead.
    fn terror(&mut self, sub: u32) {
        // Bit 3 brings five numbers more in old formats.
        self.number(8);
        let numbers = match sub {
            2 | 3 => 1,
            4 => 2,
            5..=9 => 3,
            10..=12 => 1,
            _ => 0,
        };
        (0..numbers).for_each(|n| self.number(n));
        if sub >= 8 {
            self.bytes(&[1, 0]);
        }
        if sub < 10 {
            self.floats(&[1.0; 5]);
        }
        if (3..=9).contains(&sub) {
            self.bytes(&[2]);
            self.bytes(&[9; 8]);
        }
        if sub >= 5 {
            self.number(3);
            self.bytes(&[7; 15][..if sub >= 9 { 15 } else { 12 }]);
        }
        if sub >= 11 {
            self.number(0);
        }
    }

    fn header(&mut self, [version, sub]: [u32; 2]) {
        self.number(0xFEED_FACE);
        self.number(version);
        if version >= 10 {
            self.number(sub);
        }
        if version >= 4 {
            self.number(123_456);
        }
        if version >= 14 {
            self.bytes(&[1]);
        }
        if version >= 5 {
            self.bytes(&[1, 0, 5, 0]);
            self.bytes(b"Yard\0");
        }
        if version >= 12 {
            self.bytes(&[1]);
        }
        if sub >= 12 {
            self.bytes(b"crowd\0");
        }
        if sub >= 8 {
            self.bytes(&[1, 0, 4, 0]);
            self.bytes(b"fog\0");
        }
    }

    fn ladder(&mut self, version: u32, tops: [u32; 4], bottom: u32) {
        self.number(9);
        self.floats(&[32.0, 50.0, 4.0, 100.0, 50.0, 4.0, 0.0, 100.0]);
        self.number(2);
        if version == 6 {
            self.bytes(&[0]);
        }
        tops.iter().for_each(|&t| self.number(t));
        self.number(bottom);
    }
}

fn square(id: u32, low: [f32; 2], height: f32, connections: [Vec<u32>; 4]) -> Written {
    Written { id, low, high: [low[0] + 100.0, low[1] + 100.0], heights: [height; 4], connections, ..Written::default() }
}

/// A square with a neighbour in the east, a roof in the north with a ladder, a pit over a gap in the south, and an area
/// without extent.
fn yard() -> Vec<Written> {
    let none = Vec::new;
    let mut ground = square(11, [0.0, 0.0], 0.0, [vec![13], vec![12], vec![14], none()]);
    ground.spots = vec![1, 8];
    ground.ladders_up = vec![9];
    let mut east = square(12, [100.0, 0.0], 10.0, [none(), vec![15], none(), vec![11, 99]]);
    east.attributes = 3;
    let mut roof = square(13, [0.0, -100.0], 100.0, [none(), none(), vec![11], none()]);
    roof.ladders_down = vec![9];
    let pit = square(14, [0.0, 125.0], -100.0, Default::default());
    let mut line = square(15, [200.0, 0.0], 10.0, [none(), none(), none(), vec![12]]);
    line.high[0] = 200.0;
    vec![ground, east, roof, pit, line]
}

fn nav_of(kind: [u32; 2], areas: &[Written]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.header(kind);
    writer.number(areas.len() as u32);
    areas.iter().for_each(|area| writer.area(kind, area));
    if kind[0] >= 6 {
        writer.number(1);
        writer.ladder(kind[0], [13, 0, 0, 0], 11);
    }
    if kind[1] >= 3 || kind == [12, 1] || kind == [13, 2] {
        writer.floats(&[1000.0]);
    }
    writer.0
}

fn read(kind: [u32; 2], areas: &[Written]) -> ForeignMesh {
    read_source_nav(&nav_of(kind, areas)).unwrap_or_else(|e| panic!("{kind:?}: {e}"))
}

fn joints(mesh: &ForeignMesh) -> &[BorderJoint] {
    match &mesh.joining {
        Joining::Explicit { joints, climb } => {
            assert!((climb - 0.4572).abs() < 1e-9);
            joints
        }
        Joining::Nearby { .. } => panic!("joined by nearness"),
    }
}

#[test]
fn every_version_is_read() {
    for kind in KINDS {
        let mesh = read(kind, &yard());
        assert_eq!(mesh.format, format!("Source engine navigation mesh, version {}", kind[0]));
        assert_eq!(mesh.polygons.len(), 4, "{kind:?}");
        assert_eq!(joints(&mesh), [BorderJoint { from: [0, 1], to: [1, 3] }], "{kind:?}");
        assert_eq!(mesh.cover.len(), if kind[0] == 1 { 2 } else { 1 }, "{kind:?}");
        assert_eq!(mesh.links.len(), if kind[0] >= 6 { 3 } else { 2 }, "{kind:?}");
        assert!(mesh.notes.iter().any(|n| n == "Areas without extent that were left out: 1."), "{:?}", mesh.notes);
        assert!(mesh.notes.iter().any(|n| n.starts_with("Connections") && n.ends_with(": 2.")), "{:?}", mesh.notes);
    }
}

#[test]
fn axes_are_ours_and_lengths_are_metres() {
    let mut areas = yard();
    areas[0].heights = [0.0, 10.0, 10.0, 0.0];
    let mesh = read([16, 1], &areas);
    let side = 100.0 * METRES_PER_UNIT;
    let expected = [
        DVec3::ZERO,
        DVec3::new(side, 10.0 * METRES_PER_UNIT, 0.0),
        DVec3::new(side, 10.0 * METRES_PER_UNIT, -side),
        DVec3::new(0.0, 0.0, -side),
    ];
    for (corner, expected) in mesh.polygons[0].corners.iter().zip(expected) {
        assert!(corner.distance(expected) < 1e-9, "{corner} instead of {expected}");
    }
    // The joint's edges lie upon each other.
    let [a, b] = [&mesh.polygons[0].corners, &mesh.polygons[1].corners];
    assert!(a[1].distance(b[0]) < 1e-9 && a[2].distance(b[3]) < 1e-9);
}

#[test]
fn other_connections_become_links() {
    let mesh = read([16, 0], &yard());
    let [jump, drop, ladder] = &mesh.links[..] else { panic!("{:?}", mesh.links) };
    assert_eq!([jump.kind, drop.kind, ladder.kind], [LinkKind::Jump, LinkKind::Drop, LinkKind::Placed]);
    assert_eq!([jump.both_ways, drop.both_ways, ladder.both_ways], [true, false, true]);
    let at = |x: f64, height: f64, z: f64| DVec3::new(x, height, z) * METRES_PER_UNIT;
    assert!(jump.start.distance(at(50.0, 0.0, -2.0)) < 1e-9, "{}", jump.start);
    assert!(jump.end.distance(at(50.0, 100.0, 2.0)) < 1e-9, "{}", jump.end);
    assert!(drop.start.distance(at(50.0, 0.0, -98.0)) < 1e-9, "{}", drop.start);
    assert!(drop.end.distance(at(50.0, -100.0, -127.0)) < 1e-9, "{}", drop.end);
    assert!(ladder.start.distance(at(50.0, 0.0, -4.0)) < 1e-9, "{}", ladder.start);
    assert!(ladder.end.distance(at(50.0, 100.0, 2.0)) < 1e-9, "{}", ladder.end);
}

#[test]
fn a_ladder_goes_where_its_areas_say() {
    let mut areas = yard();
    areas[2].ladders_down.clear();
    let up = read([16, 0], &areas).links.pop().unwrap();
    assert!(!up.both_ways && up.end.y > up.start.y);
    areas[2].ladders_down.push(9);
    areas[0].ladders_up.clear();
    let down = read([16, 0], &areas).links.pop().unwrap();
    assert!(!down.both_ways && down.end.y < down.start.y);
    areas[2].ladders_down.clear();
    let mesh = read([16, 0], &areas);
    assert_eq!(mesh.links.len(), 2);
    assert!(mesh.notes.iter().any(|n| n.starts_with("Ladders") && n.ends_with(": 1.")), "{:?}", mesh.notes);
}

#[test]
fn a_dangling_ladder_goes_down_alone() {
    let mut bytes = nav_of([6, 0], &yard());
    let flag = bytes.len() - 21;
    bytes[flag] = 1;
    let ladder = read_source_nav(&bytes).unwrap().links.pop().unwrap();
    assert!(!ladder.both_ways && ladder.kind == LinkKind::Placed && ladder.end.y < ladder.start.y);
}

#[test]
fn a_slope_is_joined_where_its_border_meets_the_step() {
    let mut areas = yard();
    // The roof's southern border rises from the ground.
    areas[2].heights = [100.0, 100.0, 100.0, 0.0];
    let mesh = read([16, 0], &areas);
    assert!(joints(&mesh).contains(&BorderJoint { from: [0, 0], to: [2, 2] }), "{:?}", mesh.joining);
    // Its corners are no plane: the ground under its middle is higher than one of its diagonals.
    assert_eq!(mesh.polygons[2].detail.len(), 4);
    assert!((mesh.polygons[2].detail[0][2].y - 75.0 * METRES_PER_UNIT).abs() < 1e-9);
}

#[test]
fn attributes_become_areas() {
    for [attributes, area] in [[0, 0], [1, 1], [3, 1], [2, 2], [0x80, 3], [0x1000, 4], [0x2000, 0]] {
        let mut areas = yard();
        areas[0].attributes = attributes;
        let polygon = read([16, 0], &areas).polygons.swap_remove(0);
        assert_eq!([u32::from(polygon.area), u32::from(polygon.flags)], [area, 1], "{attributes:#x}");
    }
    let mut areas = yard();
    areas[0].attributes = 0x8000_0000;
    let notes = read([16, 0], &areas).notes;
    assert!(notes.iter().any(|n| n.starts_with("Areas that can be walked on")), "{notes:?}");
}

#[test]
fn what_team_fortress_once_wrote_is_read() {
    let mut bytes = nav_of([16, 0], &yard());
    bytes[8] = 1;
    assert_eq!(read_source_nav(&bytes).unwrap().polygons.len(), 4);
}

#[test]
fn unknown_layouts_are_refused() {
    for [version, sub] in [[0, 0], [17, 0], [16, 4], [16, 15]] {
        let mut bytes = nav_of([16, 1], &yard());
        bytes[4..8].copy_from_slice(&u32::to_le_bytes(version));
        bytes[8..12].copy_from_slice(&u32::to_le_bytes(sub));
        let error = read_source_nav(&bytes).unwrap_err();
        assert!(matches!(error, ExchangeError::Version { .. }), "{version}.{sub}: {error}");
    }
    assert!(!is_source_nav(b"RIFF") && is_source_nav(&nav_of([5, 0], &yard())));
    assert!(matches!(read_source_nav(b"RIFF"), Err(ExchangeError::Unknown)));
    assert!(matches!(read_source_nav(&nav_of([16, 0], &[])), Err(ExchangeError::Empty)));
}

#[test]
fn a_mod_that_counts_on_without_adding_anything_is_read() {
    let mut bytes = nav_of([16, 0], &yard());
    bytes[8] = 77;
    assert_eq!(read_source_nav(&bytes).unwrap().polygons.len(), 4);
}

#[test]
fn what_is_left_of_a_longer_mesh_is_no_part_of_it() {
    let plain = |id, east| square(id, [f32::from(id as u8) * 100.0, 0.0], 0.0, [vec![], vec![east], vec![], vec![]]);
    for version in [5, 16] {
        let mut longer = nav_of([version, 0], &[plain(1, 2), plain(2, 1)]);
        longer.extend(b"what an older mesh had here");
        let mesh = read_source_nav(&longer).unwrap();
        assert_eq!(mesh.polygons.len(), 2);
        let note = "Bytes behind the mesh, which older games leave there of a longer one: 27.";
        assert!(mesh.notes.iter().any(|n| n == note), "{:?}", mesh.notes);
        // Where connections lead nowhere, it is not the mesh that was read.
        let mut other = nav_of([version, 0], &[plain(1, 7), plain(2, 8)]);
        other.push(0);
        assert!(matches!(read_source_nav(&other), Err(ExchangeError::Text(_))));
    }
}

#[test]
fn no_part_of_a_file_is_taken_for_the_whole() {
    for kind in KINDS {
        let bytes = nav_of(kind, &yard());
        for length in 0..bytes.len() {
            assert!(read_source_nav(&bytes[..length]).is_err(), "{kind:?} cut to {length} bytes");
        }
    }
}

#[test]
fn damage_never_panics() {
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for kind in KINDS {
        let whole = nav_of(kind, &yard());
        for _ in 0..300 {
            let mut bytes = whole.clone();
            for _ in 0..=random(4) {
                let place = random(bytes.len());
                bytes[place] = random(256) as u8;
            }
            if let Ok(mesh) = read_source_nav(&bytes) {
                let polygons = mesh.polygons.len() as u32;
                assert!(joints(&mesh).iter().all(|j| j.from[0] < polygons && j.to[0] < polygons));
                assert!(mesh.links.iter().all(|l| l.start.is_finite() && l.end.is_finite()));
            }
        }
    }
}
