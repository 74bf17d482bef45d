//! Damaged navigation meshes of every format are refused or read: no panic, and no more than 256 MB for a small file.
//!
//! `WALKABOUT_DAMAGED=1000000 cargo test --test damaged_meshes -- --nocapture` tries a million and says what took longest.

#![allow(clippy::unwrap_used, reason = "a test whose seeds cannot be made has to fail")]

#[path = "common/counted.rs"]
#[allow(dead_code, reason = "bytes that are taken now serve other trials")]
mod counted;

use glam::DVec3;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::nav::exchange::{ExchangeAgent, MeshFormat, WRITTEN_FORMATS, parse_mesh, write_as};
use walkabout::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use walkabout::nav::mesh::{MeshFile, RawMesh, RawPolygon};

/// Files that are tried where no number is asked for.
const FILES: usize = 4000;
/// Most memory that one of them may take, bytes.
const MAX_BYTES: usize = 256 << 20;
/// Larger seeds are damaged seldom: one in so many.
const LARGE_SEED: (usize, usize) = (20_000, 20);

/// A valid file.
struct Seed {
    name: String,
    bytes: Vec<u8>,
    format: MeshFormat,
}

impl Seed {
    fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let name = name.into();
        let format = MeshFormat::of(&bytes).or_else(|| MeshFormat::of_surface(&bytes));
        let format = format.unwrap_or_else(|| panic!("{name} is of no format"));
        if let Err(error) = parse_mesh(&bytes, format) {
            panic!("{name} is not valid: {error}");
        }
        Self { name, bytes, format }
    }
}

/// A yard of squares on hills, with areas, flags and links.
fn yard() -> MeshFile {
    let corner = |i: usize| DVec3::new((i % 7) as f64, ((i * 5) % 7) as f64 * 0.1, (i / 7) as f64);
    let mut mesh = RawMesh { vertices: (0..49).map(corner).collect(), polygons: Vec::new() };
    for i in 0..36 {
        let a = (i / 6 * 7 + i % 6) as u32;
        let mut square = RawPolygon::new([a, a + 1, a + 8, a + 7]);
        (square.area, square.flags) = ((i % 5) as u8, 1 << (i % 3));
        mesh.polygons.push(square);
    }
    let link = |x: f64, z: f64| PlacedLink {
        start: DVec3::new(x, 0.3, z),
        end: DVec3::new(z, 0.3, x),
        kind: LinkKind::Jump,
        both_ways: x < 3.0,
        reach: 0.8,
        area: 3,
        flags: 1,
    };
    MeshFile { mesh, links: vec![link(1.5, 4.5), link(3.5, 0.5)], ..MeshFile::default() }
}

const GODOT_SCENE: &str = "[gd_scene format=3]\n[sub_resource type=\"NavigationMesh\" id=\"a\"]\nvertices = \
    PackedVector3Array(0, 0, 0, 2, 0, 0, 2, 0, 2, 0, 0, 2)\npolygons = [PackedInt32Array(3, 2, 1, 0)]\n[node \
    name=\"N\" type=\"NavigationRegion3D\"]\ntransform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0)\n\
    navigation_mesh = SubResource(\"a\")\n[node name=\"L\" type=\"NavigationLink3D\" parent=\".\"]\nstart_position = \
    Vector3(0.5, 0, 0.5)\nend_position = Vector3(1.5, 0, 1.5)\n";

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n0 0 1\n1 0 1\n1 0 0\n4 0 1 2 3\n";

const GRID_MAP: &str = "type octile\nheight 4\nwidth 6\nmap\n......\n.@@.S.\n.WW...\n..T...\n";

/// Versions of `.nav` files with the numbers of the games' own formats: Counter-Strike 1.6, Source, Garry's Mod, Global
/// Offensive, Team Fortress 2, Left 4 Dead.
const NAV_KINDS: [[u32; 2]; 10] = [[1, 0], [2, 0], [3, 0], [4, 0], [5, 0], [9, 0], [16, 0], [16, 1], [16, 2], [16, 14]];

/// A `.nav` file: two areas with connections and a spot.
fn source_nav([version, game]: [u32; 2]) -> Vec<u8> {
    let mut out: Vec<u8> = [0xFEED_FACE, version].iter().flat_map(|n: &u32| n.to_le_bytes()).collect();
    let number = |out: &mut Vec<u8>, n: u32| out.extend(n.to_le_bytes());
    if version >= 10 {
        number(&mut out, game);
    }
    if version >= 4 {
        number(&mut out, 77);
    }
    // Analyzed, no places, areas without one; a crowd of zombies and no fog.
    out.extend(match (version, game) {
        (16, 14) => &b"\x01\0\0\x01crowd\0\0\0"[..],
        (16, _) => b"\x01\0\0\x01",
        (5.., _) => b"\0\0",
        _ => b"",
    });
    number(&mut out, 2);
    for area in [1_u32, 2] {
        number(&mut out, area);
        out.extend(vec![
            0;
            if version <= 8 {
                1
            } else if version < 13 {
                2
            } else {
                4
            }
        ]);
        let x = if area == 1 { 0.0_f32 } else { 100.0 };
        for value in [x, 0.0, 8.0, x + 100.0, 100.0, 8.0, 8.0, 8.0] {
            out.extend(value.to_le_bytes());
        }
        for side in 0..4 {
            let other = if (area, side) == (1, 1) { Some(2) } else { Some(1).filter(|_| (area, side) == (2, 3)) };
            number(&mut out, u32::from(other.is_some()));
            other.into_iter().for_each(|other| number(&mut out, other));
        }
        out.push(1);
        if version >= 2 {
            number(&mut out, area);
        }
        [x + 5.0, 5.0, 8.0].iter().for_each(|value| out.extend(value.to_le_bytes()));
        if version >= 2 {
            out.push(1);
        }
        // Approaches, encounters, the place; ladders and times; light.
        let rest = match version {
            ..=4 => 5,
            5 => 7,
            9 => 23,
            _ => 38,
        };
        out.extend(vec![0; rest]);
        let visible = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
        match (version, game) {
            (16, 14) => {
                out.extend([0; 6]);
                out.extend(visible);
            }
            (16, _) => {
                out.extend(visible);
                out.extend(vec![0; [0, 1, 4][game as usize]]);
            }
            _ => {}
        }
    }
    // No ladders; how far zombies see.
    out.extend(vec![
        0;
        if version < 6 {
            0
        } else if game == 14 {
            8
        } else {
            4
        }
    ]);
    out
}

fn seeds() -> Vec<Seed> {
    let file = yard();
    let (mesh, _) = file.check().unwrap();
    let agent = ExchangeAgent { radius: 0.3, height: 1.8, climb: 0.4 };
    let mut seeds = Vec::new();
    for [ending, _] in WRITTEN_FORMATS {
        let name = format!("yard.{ending}");
        let written = write_as(&mesh, &file, Path::new(&name), &agent).unwrap();
        if ending == "bin" {
            let tile = written.bytes[48..].to_vec();
            let header = [0x4d4d_4150, 7, 16, tile.len() as u32, 1].into_iter().flat_map(u32::to_le_bytes);
            seeds.push(Seed::new("yard.mmtile", header.chain(tile.iter().copied()).collect()));
            seeds.push(Seed::new("tile.bin", tile));
            // Without its mark as KBEngine writes it, and with bounds behind the parameters.
            let (parameters, tiles) = written.bytes[4..].split_at(36);
            seeds.push(Seed::new("unmarked.navmesh", [parameters, tiles].concat()));
            seeds.push(Seed::new("bounded.bin", [&b"TASM"[..], parameters, &[0; 24], tiles].concat()));
        }
        seeds.push(Seed::new(name, written.bytes));
    }
    for (name, text) in [("yard.tscn", GODOT_SCENE), ("yard.ply", PLY), ("yard.map", GRID_MAP)] {
        seeds.push(Seed::new(name, text.into()));
    }
    seeds.extend(NAV_KINDS.map(|kind| Seed::new(format!("{}.{}.nav", kind[0], kind[1]), source_nav(kind))));
    let shared = std::env::var_os("WALKABOUT_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    for folder in ["detour", "source"] {
        let entries = std::fs::read_dir(shared.join("data/interchange").join(folder)).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        seeds.extend(files.iter().map(|file| Seed::new(file.to_string_lossy(), std::fs::read(file).unwrap())));
    }
    seeds
}

/// Numbers that are often not expected where they come.
const NUMBERS: [u32; 12] =
    [0, 1, 2, 255, 65_535, 65_536, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fc0_0000, 0x7f80_0000, 0x0100_0000];
const WORDS: [&str; 10] = ["-1", "0", "1e39", "nan", "4294967296", "99999999999999999999", "{", "[[[[", "\"", ""];

/// Damages a file in one to four places.
fn damage(bytes: &mut Vec<u8>, other: &[u8], dice: &mut SplitMix64) {
    for _ in 0..=dice.below(4) {
        let Some(last) = bytes.len().checked_sub(1) else { return };
        // Headers are where counts stand.
        let at = if dice.below(3) == 0 { dice.below(last.min(160) + 1) } else { dice.below(last + 1) };
        let to = (at + 1 + dice.below(64)).min(bytes.len());
        match dice.below(9) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => bytes[at] = dice.below(256) as u8,
            2 | 3 => {
                let number = NUMBERS[dice.below(NUMBERS.len())].to_le_bytes();
                let at = at & !3;
                let end = (at + 4).min(bytes.len());
                bytes[at..end].copy_from_slice(&number[..end - at]);
            }
            4 => bytes.truncate(at),
            5 => {
                let slice = bytes[at..to].to_vec();
                bytes.splice(at..at, slice);
            }
            6 => drop(bytes.drain(at..to)),
            7 => {
                let from = dice.below(other.len().max(1));
                let slice = other[from..(from + 64).min(other.len())].to_vec();
                bytes.splice(at..to, slice);
            }
            _ => drop(bytes.splice(at..to.min(at + 4), WORDS[dice.below(WORDS.len())].bytes())),
        }
    }
}

#[test]
fn damaged_meshes_of_every_format_do_no_harm() {
    let files = std::env::var("WALKABOUT_DAMAGED").ok().and_then(|n| n.parse().ok()).unwrap_or(FILES);
    let seeds = seeds();
    let mut dice = SplitMix64::new(files as u64);
    let (mut read, mut slowest, mut largest) = (0, (Duration::ZERO, ""), (0, ""));
    let mut tried = 0;
    while tried < files {
        let seed = &seeds[dice.below(seeds.len())];
        if seed.bytes.len() > LARGE_SEED.0 && dice.below(LARGE_SEED.1) > 0 {
            continue;
        }
        tried += 1;
        let mut bytes = seed.bytes.clone();
        let other = dice.below(seeds.len());
        damage(&mut bytes, &seeds[other].bytes, &mut dice);
        // By its content where that still tells a format, else by what it was.
        let told = MeshFormat::of(&bytes).or_else(|| MeshFormat::of_surface(&bytes)).unwrap_or(seed.format);
        let begin = Instant::now();
        let (outcome, most) = counted::most_during(|| catch_unwind(|| parse_mesh(&bytes, told).is_ok()));
        let time = begin.elapsed();
        let keep = |what: &str| {
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged");
            std::fs::write(&kept, &bytes).unwrap();
            panic!("{what}: a damaged {} ({told:?}). Kept as {}", seed.name, kept.display());
        };
        match outcome {
            Ok(is_read) => read += usize::from(is_read),
            Err(_) => keep("panic"),
        }
        if most > MAX_BYTES {
            keep(&format!("{} MB", most >> 20));
        }
        slowest = slowest.max((time, &seed.name));
        largest = largest.max((most, &seed.name));
    }
    println!(
        "{tried} files of {} kinds, {read} of them read; the slowest {:.2} s ({}), the most memory {} MB ({})",
        seeds.len(),
        slowest.0.as_secs_f64(),
        slowest.1,
        largest.0 >> 20,
        largest.1
    );
    assert!(read > 0 && read < tried);
}
