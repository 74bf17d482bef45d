//! What it takes to read a mesh set of Detour's with 100,000 polygons, and to examine a mesh of 10,000.
//!
//! Bounds: half a second for the one, a second for the other.

#![allow(clippy::unwrap_used, reason = "a bench whose meshes are wrong has to fail")]

use glam::DVec3;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use walkabout::nav::doctor::{AgentLimits, examine_mesh};
use walkabout::nav::exchange::{ExchangeAgent, MeshFormat, parse_mesh, write_as};
use walkabout::nav::mesh::{MeshFile, RawMesh, RawPolygon};

/// Runs of which the fastest counts.
const RUNS: usize = 5;
/// Bytes of a set before its first tile: header, parameters, reference and length.
const BEFORE_TILE: usize = 48;

/// Hills of `side` × `side` squares of half a metre, from `x` on.
fn hills(side: usize, x: f64) -> MeshFile {
    let corner = |i: usize| {
        let (a, b) = ((i % (side + 1)) as f64, (i / (side + 1)) as f64);
        DVec3::new(x + a * 0.5, (a * 0.11).sin() * 0.6 + (b * 0.17).cos() * 0.4, b * 0.5)
    };
    let square = |i: usize| {
        let a = (i / side * (side + 1) + i % side) as u32;
        let below = a + side as u32 + 1;
        RawPolygon::new([a, a + 1, below + 1, below])
    };
    let vertices = (0..(side + 1) * (side + 1)).map(corner).collect();
    let mesh = RawMesh { vertices, polygons: (0..side * side).map(square).collect() };
    MeshFile { mesh, ..MeshFile::default() }
}

/// A set of `tiles` tiles of `side` × `side` squares.
fn set_of(tiles: usize, side: usize) -> Vec<u8> {
    let agent = ExchangeAgent { radius: 0.3, height: 1.8, climb: 0.4 };
    let mut set = Vec::new();
    for tile in 0..tiles {
        let file = hills(side, tile as f64 * (side as f64 * 0.5 + 5.0));
        let (mesh, _) = file.check().unwrap();
        let one = write_as(&mesh, &file, Path::new("tile.bin"), &agent).unwrap().bytes;
        if set.is_empty() {
            set.extend_from_slice(&one[..BEFORE_TILE - 8]);
            set[8..12].copy_from_slice(&(tiles as u32).to_le_bytes());
        }
        set.extend_from_slice(&one[BEFORE_TILE - 8..]);
    }
    set
}

fn best_ms(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let begin = Instant::now();
        work();
        best = best.min(begin.elapsed().as_secs_f64() * 1e3);
    }
    best
}

fn main() {
    let set = set_of(4, 160);
    let polygons = parse_mesh(&set, MeshFormat::DetourSet).unwrap().mesh.len();
    let ms = best_ms(|| {
        black_box(parse_mesh(&set, MeshFormat::DetourSet).unwrap());
    });
    println!("mesh set, {polygons} polygons, {} MB: read in {ms:.0} ms (at most 500)", set.len() >> 20);
    let limits = AgentLimits {
        radius: 0.3,
        mesh_radius: 0.3,
        height: 1.8,
        climb: 0.4,
        slope_rad: std::f32::consts::FRAC_PI_4,
        jump: 1.0,
        has_links: false,
        cells: None,
    };
    let file = hills(100, 0.0);
    let ms = best_ms(|| {
        black_box(examine_mesh(&file, &limits, &[]));
    });
    println!("doctor, {} polygons: {ms:.0} ms (at most 1000)", file.mesh.polygons.len());
}
