//! The rectangles of the picture in which outlines are searched.

/// Rows and columns of the grid of these rectangles.
pub const PART_GRID: usize = 32;

/// The rectangles whose bits are set, merged within each row.
pub fn parts(rows: &[u32; PART_GRID]) -> Vec<[f32; 4]> {
    let mut parts = Vec::new();
    let at = |i: usize| i as f32 / PART_GRID as f32;
    for (y, &row) in rows.iter().enumerate() {
        let mut x = 0;
        while let Some(rest) = row.checked_shr(x as u32).filter(|rest| *rest != 0) {
            let first = x + rest.trailing_zeros() as usize;
            x = first + (row >> first).trailing_ones() as usize;
            parts.push([at(first), at(y), at(x), at(y + 1)]);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_picture_are_joined_in_rows() {
        let mut rows = [0; PART_GRID];
        assert!(parts(&rows).is_empty());
        rows[0] = u32::MAX;
        rows[31] = 0b1101 | 1 << 31;
        let at = |i: u8| f32::from(i) / 32.0;
        let last = |from, to| [at(from), at(31), at(to), 1.0];
        assert_eq!(parts(&rows), [[0.0, 0.0, 1.0, at(1)], last(0, 1), last(2, 4), last(31, 32)]);
    }
}
