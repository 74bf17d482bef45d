//! The rectangles of the picture in which outlines are searched.

use crate::math::Aabb;
use glam::Mat4;

/// Rows and columns of the grid of these rectangles.
pub const PART_GRID: usize = 32;

/// The rectangles of the picture that boxes (in the space of the matrix) may cover, and what lies within `margin` of these, in heights of
/// the picture.
pub fn covered_parts(boxes: impl Iterator<Item = Aabb>, clip_from_space: &Mat4, margin: f32) -> Vec<[f32; 4]> {
    let mut rows = [0_u32; PART_GRID];
    for bounds in boxes {
        let [left, top, right, bottom] = covered_part(clip_from_space, &bounds);
        let cell = |at: f32| ((at * PART_GRID as f32).max(0.0) as usize).min(PART_GRID - 1);
        let [first, last] = [cell(left - margin), cell(right + margin)];
        let columns = (u32::MAX >> (PART_GRID - 1 - last)) & (u32::MAX << first);
        rows[cell(top - margin)..=cell(bottom + margin)].iter_mut().for_each(|row| *row |= columns);
    }
    parts(&rows)
}

/// The rectangle of the picture that a box may cover: left, top, right, bottom; all of it where the box reaches behind the eye,
/// and where it is so large that its corners have no place in the picture.
fn covered_part(clip_from_space: &Mat4, bounds: &Aabb) -> [f32; 4] {
    let mut part = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    for corner in bounds.corners() {
        let clip = *clip_from_space * corner.extend(1.0);
        if clip.w <= 1e-4 || !clip.is_finite() {
            return [0.0, 0.0, 1.0, 1.0];
        }
        let (x, y) = (clip.x / clip.w * 0.5 + 0.5, 0.5 - clip.y / clip.w * 0.5);
        part = [part[0].min(x), part[1].min(y), part[2].max(x), part[3].max(y)];
    }
    part
}

/// The rectangles whose bits are set, merged within each row.
fn parts(rows: &[u32; PART_GRID]) -> Vec<[f32; 4]> {
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
    use glam::Vec3;

    #[test]
    fn boxes_without_a_place_in_the_picture_may_be_anywhere() {
        let huge = Aabb::new(Vec3::splat(-3e38), Vec3::splat(3e38));
        for bounds in [huge, Aabb::EMPTY] {
            let all = covered_parts(std::iter::once(bounds), &Mat4::from_scale(Vec3::splat(2.0)), 0.0);
            assert_eq!(all.len(), PART_GRID, "{bounds:?}");
        }
    }

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
