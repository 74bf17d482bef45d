//! What meets at the vertices of a mesh, as several threads find it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A knot along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnotPlace {
    /// The edge.
    pub edge: u32,
    /// 0 for the corner that it begins at, else the number of the knot between its corners.
    pub inner: u32,
}

/// Lowest and highest of the knots that are one vertex, and the one that says where it lies: the first corner, else the first
/// of them. None of these depends on the order in which they are joined.
pub(super) struct VertexMembers {
    low: AtomicU64,
    high: AtomicU64,
    first: AtomicU64,
}

impl Default for VertexMembers {
    fn default() -> Self {
        Self { low: AtomicU64::new(u64::MAX), high: AtomicU64::new(0), first: AtomicU64::new(u64::MAX) }
    }
}

/// Marks keys of knots that are no corners, and positive numbers.
const HIGHEST: u64 = 1 << 63;
/// Bits for the number of a knot between corners.
const INNER_BITS: u32 = 31;

impl VertexMembers {
    /// Takes in a knot at a height.
    pub fn join(&self, member: KnotPlace, height: f64) {
        let height = ascending(height);
        let corner = if member.inner == 0 { 0 } else { HIGHEST };
        let first = corner | u64::from(member.edge) << INNER_BITS | u64::from(member.inner);
        // Most change nothing, which is found out without keeping other threads from it.
        if height < self.low.load(Relaxed) {
            self.low.fetch_min(height, Relaxed);
        }
        if height > self.high.load(Relaxed) {
            self.high.fetch_max(height, Relaxed);
        }
        if first < self.first.load(Relaxed) {
            self.first.fetch_min(first, Relaxed);
        }
    }

    /// The knot that says where it lies, and the mean of the lowest and the highest one.
    pub fn result(&self) -> (KnotPlace, f64) {
        let first = self.first.load(Relaxed) & !HIGHEST;
        let member = KnotPlace { edge: (first >> INNER_BITS) as u32, inner: first as u32 & ((1 << INNER_BITS) - 1) };
        let [low, high] = [&self.low, &self.high].map(|height| from_ascending(height.load(Relaxed)));
        (member, 0.5 * (low + high))
    }
}

/// Bits of a number that are in the order of the numbers.
fn ascending(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & HIGHEST == 0 { bits | HIGHEST } else { !bits }
}

fn from_ascending(bits: u64) -> f64 {
    f64::from_bits(if bits & HIGHEST == 0 { !bits } else { bits & !HIGHEST })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_says_where_a_vertex_lies() {
        let knot = |edge, inner| KnotPlace { edge, inner };
        let heights = [(knot(2, 3), -1.0), (knot(9, 0), 4.0), (knot(u32::MAX, 0), -3.0), (knot(7, 1), 2.5)];
        for turn in 0..heights.len() {
            let members = VertexMembers::default();
            (0..heights.len()).map(|i| heights[(i + turn) % 4]).for_each(|(knot, height)| members.join(knot, height));
            assert_eq!(members.result(), (knot(9, 0), 0.5));
        }
        let members = VertexMembers::default();
        [heights[0], heights[3]].into_iter().for_each(|(knot, height)| members.join(knot, height));
        assert_eq!(members.result(), (knot(2, 3), 0.75));
    }

    #[test]
    fn bits_are_in_the_order_of_numbers() {
        let values = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 7.0, f64::INFINITY];
        assert!(values.windows(2).all(|pair| ascending(pair[0]) < ascending(pair[1])));
        assert!(values.iter().all(|&value| from_ascending(ascending(value)) == value));
    }
}
