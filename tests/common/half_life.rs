//! Writes a small Half-Life model.

use super::words::{floats, ints};

/// A Half-Life model and its sequence group: a hip 40 above the ground, and 10 above it a hand with a triangle, which
/// rises by 1 within each of two tenths of a second. Layout after the format's description ("IDST" and "IDSQ",
/// version 10); Z is up.
pub fn half_life_hand() -> [Vec<u8>; 2] {
    let mut out = b"IDST".to_vec();
    ints(&mut out, &[10]);
    text(&mut out, "hand.mdl", 64);
    ints(&mut out, &[2000]);
    floats(&mut out, &[0.0; 15]);
    // Flags, bones, controllers, hitboxes, sequences, their groups, textures and their data, skins, body parts,
    // attachments, sounds, transitions: numbers and places.
    ints(&mut out, &[0, 2, 244, 0, 0, 0, 0, 1, 468, 2, 644, 1, 852, 936, 1, 1, 932, 1, 1708, 0, 0, 0, 0, 0, 0, 0, 0]);
    for (name, parent, height) in [("Hip", -1, 40.0), ("Hand", 0, 10.0)] {
        text(&mut out, name, 32);
        ints(&mut out, &[parent, 0, -1, -1, -1, -1, -1, -1]);
        floats(&mut out, &[0.0, 0.0, height, 0.0, 0.0, 0.0]);
        floats(&mut out, &[1.0; 6]);
    }
    sequence(&mut out);
    for name in ["default", "hand01"] {
        text(&mut out, name, 32);
        text(&mut out, "", 72);
    }
    assert_eq!(out.len(), 852);
    text(&mut out, "skin.bmp", 64);
    ints(&mut out, &[0, 2, 2, 936]);
    ints(&mut out, &[0]);
    out.extend([0; 4]);
    out.extend([200; 768]);
    text(&mut out, "body", 64);
    ints(&mut out, &[1, 1, 1784]);
    text(&mut out, "body", 64);
    ints(&mut out, &[0, 0, 1, 1896, 3, 1916, 1924, 1, 1920, 1960, 0, 0]);
    ints(&mut out, &[1, 1972, 0, 1, 0]);
    // The bones of the corners and of the normal.
    out.extend([1, 1, 1, 0, 1, 0, 0, 0]);
    floats(&mut out, &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, -1.0, 0.0]);
    assert_eq!(out.len(), 1972);
    // One strip of three corners, each with its normal and texel.
    shorts(&mut out, &[3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0]);
    [out, group()]
}

/// Three frames at ten a second, whose keys lie in the first group's file.
fn sequence(out: &mut Vec<u8>) {
    text(out, "raise", 32);
    floats(out, &[10.0]);
    ints(out, &[0, 0, 0, 0, 0, 3, 0, 0, 0, 0]);
    ints(out, &[0; 11]);
    ints(out, &[1, 76]);
    ints(out, &[0; 6]);
    ints(out, &[0, 1, 0, 0, 0, 0]);
    assert_eq!(out.len(), 644);
}

fn group() -> Vec<u8> {
    let mut out = b"IDSQ".to_vec();
    ints(&mut out, &[10]);
    text(&mut out, "hand01.mdl", 64);
    ints(&mut out, &[108]);
    // Per bone the places of the values of x, y, z and the angles, from here on; then three values for three frames.
    shorts(&mut out, &[0; 6]);
    shorts(&mut out, &[0, 0, 12, 0, 0, 0]);
    shorts(&mut out, &[3 | 3 << 8, 0, 1, 2]);
    out
}

fn shorts(out: &mut Vec<u8>, values: &[i16]) {
    values.iter().for_each(|v| out.extend(v.to_le_bytes()));
}

/// A name in a field of so many bytes.
fn text(out: &mut Vec<u8>, name: &str, bytes: usize) {
    out.extend(name.bytes().chain(std::iter::repeat(0)).take(bytes));
}
