//! Which borders may lie upon each other: a grid of the segments themselves, not of their boxes, with cells as large as
//! the mean segment. Its memory is a small multiple of the segments, however long or crowded they are.

use glam::DVec2;

/// Most pairs of segments that are compared.
const MAX_COMPARED: usize = 1 << 25;

/// A segment's part of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CellEntry {
    cell: [i64; 2],
    segment: u32,
}

/// Calls `visit` with all pairs of segments of different owners that come within `reach` of each other, and with others;
/// the smaller number comes first, and a pair may come again. `owners` has an ascending number for each segment. Returns how many pairs there were where `visit` ends it or they are too many.
pub fn for_each_near_pair(
    segments: &[[DVec2; 2]],
    owners: &[u32],
    reach: f64,
    mut visit: impl FnMut(u32, u32) -> bool,
) -> Result<(), usize> {
    let total: f64 = segments.iter().map(|[a, b]| a.distance(*b)).sum();
    let size = (total / segments.len().max(1) as f64).max(4.0 * reach).max(1e-6);
    let mut entries = Vec::new();
    for (i, ends) in segments.iter().enumerate() {
        for_each_cell(ends, size, reach, |cell| entries.push(CellEntry { cell, segment: i as u32 }));
    }
    entries.sort_unstable();
    let mut compared = 0;
    for group in entries.chunk_by(|a, b| a.cell == b.cell) {
        let owner = |entry: &CellEntry| owners[entry.segment as usize];
        // The first of the next owner.
        let mut next = 0;
        for (i, a) in group.iter().enumerate() {
            if next <= i {
                next = i + group[i..].iter().take_while(|b| owner(b) == owner(a)).count();
            }
            compared += group.len() - next;
            if compared > MAX_COMPARED || !group[next..].iter().all(|b| visit(a.segment, b.segment)) {
                return Err(compared);
            }
        }
    }
    Ok(())
}

/// Calls `visit` with the cells that lie within `reach` of a segment.
fn for_each_cell([a, b]: &[DVec2; 2], size: f64, reach: f64, mut visit: impl FnMut([i64; 2])) {
    let cell = |c: f64| (c / size).floor() as i64;
    let (low, high) = (a.min(*b) - reach, a.max(*b) + reach);
    for column in cell(low.x)..=cell(high.x) {
        // The part of the segment over this column, widened.
        let at = |x: f64| if a.x == b.x { 0.0 } else { ((x - a.x) / (b.x - a.x)).clamp(0.0, 1.0) };
        let left = column as f64 * size;
        let part = match a.x == b.x {
            true => [a.y, b.y],
            false => [left - reach, left + size + reach].map(|x| a.y + (b.y - a.y) * at(x)),
        };
        let (from, to) = (part[0].min(part[1]) - reach, part[0].max(part[1]) + reach);
        for row in cell(from.max(low.y))..=cell(to.min(high.y)) {
            visit([column, row]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn near_pairs_are_found_and_memory_is_bounded() {
        // A fan of segments through one point, a border in parts, and one far away.
        let mut segments: Vec<[DVec2; 2]> = (0..40)
            .map(|i| {
                let way = DVec2::from_angle(f64::from(i) * 0.07) * 30.0;
                [-way, way]
            })
            .collect();
        segments.extend((0..20).map(|i| [DVec2::new(f64::from(i), 40.0), DVec2::new(f64::from(i) + 1.0, 40.0)]));
        segments.push([DVec2::new(20.0, 40.005), DVec2::new(0.0, 40.005)]);
        segments.push([DVec2::splat(5000.0), DVec2::splat(5001.0)]);
        let mut found = HashSet::new();
        let owners: Vec<u32> = (0..segments.len() as u32).collect();
        assert!(for_each_near_pair(&segments, &owners, 0.01, |a, b| found.insert((a, b)) || a < b).is_ok());
        for i in 0..40 {
            assert!((i + 1..40).all(|k| found.contains(&(i, k))), "{i}");
        }
        assert!((40..60).all(|i| found.contains(&(i, 60))));
        assert!(found.iter().all(|&(a, b)| a < b && b < 61));
        assert!(for_each_near_pair(&segments, &owners, 0.01, |_, _| false).is_err());
        // Of one owner there is no pair, however many segments cross.
        assert!(for_each_near_pair(&segments, &vec![0; segments.len()], 0.01, |_, _| false).is_ok());
        let halves: Vec<u32> = owners.iter().map(|i| i / 20).collect();
        let all = |a: u32, b: u32| a < b && a / 20 != b / 20;
        assert!(for_each_near_pair(&segments, &halves, 0.01, all).is_ok());
    }
}
