//! Appends numbers of four bytes to a file that is made, little-endian.

pub fn ints(out: &mut Vec<u8>, values: &[i32]) {
    values.iter().for_each(|v| out.extend(v.to_le_bytes()));
}

pub fn floats(out: &mut Vec<u8>, values: &[f32]) {
    values.iter().for_each(|v| out.extend(v.to_le_bytes()));
}
