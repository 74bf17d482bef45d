//! Writes a small Quake model.

use super::words::{floats, ints};
use glam::Vec3;

/// Corners of a box from 0 to 1; bit 0 of the number is x, bit 1 y, bit 2 z.
const CORNERS: usize = 8;
/// Triangles of that box, counter-clockwise seen from outside.
const FACES: [[i32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];

/// A Quake model: a box of the given size (x, y, z with z up) with one frame and one skin of 4 × 4 texels in two
/// colours of the palette. Layout after the format's description ("IDPO", version 6).
pub fn quake_box(size: Vec3) -> Vec<u8> {
    let mut out = b"IDPO".to_vec();
    ints(&mut out, &[6]);
    floats(&mut out, &(size / 255.0).to_array());
    floats(&mut out, &(-size / 2.0).to_array());
    floats(&mut out, &[size.length() / 2.0]);
    floats(&mut out, &[0.0, 0.0, size.z / 2.0]);
    // Skins with their size, counts, in step with the clock, no flags, mean triangle size.
    ints(&mut out, &[1, 4, 4, CORNERS as i32, FACES.len() as i32, 1, 0, 0]);
    floats(&mut out, &[1.0]);
    ints(&mut out, &[0]);
    out.extend([0_u8, 0, 15, 15].repeat(4));
    for corner in 0..CORNERS as i32 {
        ints(&mut out, &[0, (corner & 1) * 3, (corner >> 2) * 3]);
    }
    for face in FACES {
        // Quake winds its triangles clockwise.
        ints(&mut out, &[1, face[0], face[2], face[1]]);
    }
    ints(&mut out, &[0]);
    out.extend([0, 0, 0, 0, 255, 255, 255, 0]);
    out.extend(b"still\0\0\0\0\0\0\0\0\0\0\0");
    for corner in 0..CORNERS as u8 {
        out.extend([corner & 1, corner >> 1 & 1, corner >> 2].map(|bit| bit * 255));
        out.push(0);
    }
    out
}
