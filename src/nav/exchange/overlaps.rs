//! Which borders may lie upon each other: a grid of the segments themselves, not of their boxes, with cells as large as
//! the mean segment. Its memory is a small multiple of the segments, however long or crowded they are.

use glam::DVec2;

/// Most pairs of segments that are compared for each segment, and at least: ground of triangles has some 18.
const COMPARED_PER_SEGMENT: usize = 48;
const MIN_COMPARED: usize = 1 << 25;

/// Why not all pairs were gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairFault {
    /// The callback ended it.
    Ended,
    /// The segments lie too close together.
    Crowded {
        /// Pairs that were to be compared.
        count: usize,
        /// Most that are.
        limit: usize,
    },
}

/// A segment's part of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CellEntry {
    cell: [i64; 2],
    segment: u32,
}

/// Calls `visit` with all pairs of segments of different owners that come within `reach` of each other, and with others;
/// the smaller number comes first, and a pair may come again. `owners` has an ascending number for each segment.
///
/// # Errors
/// `visit` answers that it wants no more, or they are too many.
pub fn for_each_near_pair(
    segments: &[[DVec2; 2]],
    owners: &[u32],
    reach: f64,
    mut visit: impl FnMut(u32, u32) -> bool,
) -> Result<(), PairFault> {
    let limit = MIN_COMPARED.max(segments.len().saturating_mul(COMPARED_PER_SEGMENT));
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
            if compared > limit {
                return Err(PairFault::Crowded { count: compared, limit });
            }
            if !group[next..].iter().all(|b| visit(a.segment, b.segment)) {
                return Err(PairFault::Ended);
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
        assert_eq!(for_each_near_pair(&segments, &owners, 0.01, |_, _| false), Err(PairFault::Ended));
        // Of one owner there is no pair, however many segments cross.
        assert!(for_each_near_pair(&segments, &vec![0; segments.len()], 0.01, |_, _| false).is_ok());
        let halves: Vec<u32> = owners.iter().map(|i| i / 20).collect();
        let all = |a: u32, b: u32| a < b && a / 20 != b / 20;
        assert!(for_each_near_pair(&segments, &halves, 0.01, all).is_ok());
    }

    #[test]
    fn ground_of_triangles_is_far_below_the_limit() {
        const SIDE: u32 = 40;
        let mut segments = Vec::new();
        for (x, z) in (0..SIDE).flat_map(|x| (0..SIDE).map(move |z| (f64::from(x), f64::from(z)))) {
            let [a, b, c, d] =
                [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|p| DVec2::new(x, z) + DVec2::from(p));
            segments.extend([[a, b], [b, c], [c, a], [b, d], [d, c], [c, b]]);
        }
        let owners: Vec<u32> = (0..segments.len() as u32).map(|i| i / 3).collect();
        let mut compared = 0;
        let all = for_each_near_pair(&segments, &owners, 0.01, |_, _| {
            compared += 1;
            true
        });
        assert!(all.is_ok() && 2 * compared < COMPARED_PER_SEGMENT * segments.len(), "{compared}");
    }

    #[test]
    fn segments_upon_each_other_are_refused_with_figures() {
        let same = vec![[DVec2::ZERO, DVec2::X]; 6000];
        let owners: Vec<u32> = (0..6000).collect();
        let fault = for_each_near_pair(&same, &owners, 0.01, |_, _| true);
        assert!(
            matches!(fault, Err(PairFault::Crowded { count, limit: MIN_COMPARED }) if count > MIN_COMPARED),
            "{fault:?}"
        );
    }
}
