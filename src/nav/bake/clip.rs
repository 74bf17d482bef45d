//! Clips triangles to the rows of the grid (Sutherland and Hodgman, "Reentrant polygon clipping", 1974).

use glam::{Vec3, Vec3A};

/// Most corners of a [`ClipPolygon`].
pub const MAX_CORNERS: usize = 12;

/// A convex polygon of up to seven corners: a triangle clipped four times.
#[derive(Clone, Copy, Debug)]
pub struct ClipPolygon {
    corners: [Vec3A; MAX_CORNERS],
    count: usize,
}

impl ClipPolygon {
    /// No corners.
    pub const NONE: Self = Self { corners: [Vec3A::ZERO; MAX_CORNERS], count: 0 };

    /// A triangle.
    #[cfg(test)]
    pub fn new(t: &[Vec3; 3]) -> Self {
        let mut c = Self::NONE;
        c.set(t);
        c
    }

    /// Becomes a triangle.
    #[inline]
    pub fn set(&mut self, t: &[Vec3; 3]) {
        self.corners[..3].copy_from_slice(&t.map(Vec3A::from));
        self.count = 3;
    }

    /// The corners in order.
    #[inline]
    pub fn corners(&self) -> &[Vec3A] {
        &self.corners[..self.count]
    }

    /// Whether fewer than three corners are left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count < 3
    }

    /// Appends a corner if `wanted`.
    #[inline]
    fn push(&mut self, p: Vec3A, wanted: bool) {
        // Rounding can make a polygon concave by an ulp, so that a plane crosses it more than twice. The room for one more
        // corner is there to be written to whether it is wanted or not, without a branch.
        self.corners[self.count] = p;
        self.count = (self.count + usize::from(wanted)).min(MAX_CORNERS - 1);
    }

    /// Splits at the plane where coordinate `AXIS` (0 x, 2 z) equals `at`, into the part at or below and the part at
    /// or above it. A corner on the plane belongs to both; an edge across it gives both the same new corner. A part
    /// with fewer than three corners is empty.
    #[inline]
    pub fn split<const AXIS: usize>(&self, at: f32, below: &mut Self, above: &mut Self) {
        (below.count, above.count) = (0, 0);
        let Some(&last) = self.corners().last() else { return };
        let (mut a, mut to_a) = (last, at - last[AXIS]);
        for &b in self.corners() {
            let to_b = at - b[AXIS];
            if (to_a < 0.0 && to_b > 0.0) || (to_a > 0.0 && to_b < 0.0) {
                let mut p = a + (b - a) * (to_a / (to_a - to_b));
                p[AXIS] = at;
                below.push(p, true);
                above.push(p, true);
            }
            below.push(b, to_b >= 0.0);
            above.push(b, to_b <= 0.0);
            (a, to_a) = (b, to_b);
        }
    }

    /// Smallest and largest coordinates.
    #[inline]
    pub fn bounds(&self) -> (Vec3A, Vec3A) {
        let nothing = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        self.corners().iter().fold(nothing, |(low, high), p| (low.min(*p), high.max(*p)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut<const AXIS: usize>(c: &ClipPolygon, at: f32) -> (ClipPolygon, ClipPolygon) {
        let (mut below, mut above) = (ClipPolygon::NONE, ClipPolygon::NONE);
        c.split::<AXIS>(at, &mut below, &mut above);
        (below, above)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn r_5_four_cuts_give_at_most_seven_corners_and_lose_no_area(
            p in proptest::array::uniform9(-4.0f32..8.0), q in proptest::array::uniform4(0u8..4),
        ) {
            let t = [0, 3, 6].map(|i| Vec3::new(p[i], p[i + 1], p[i + 2]));
            let area = |c: &ClipPolygon| -> f32 {
                (1..c.count.max(2) - 1).map(|i| {
                    let (a, b) = (c.corners[i] - c.corners[0], c.corners[i + 1] - c.corners[0]);
                    (a.x * b.z - a.z * b.x) * 0.5
                }).sum()
            };
            let mut rest = vec![ClipPolygon::new(&t)];
            let whole = area(&rest[0]);
            for (i, at) in q.into_iter().map(f32::from).enumerate() {
                rest = rest.iter().flat_map(|c| {
                    let (a, b) = if i % 2 == 0 { cut::<2>(c, at) } else { cut::<0>(c, at) };
                    [a, b]
                }).filter(|c| c.count >= 3).collect();
                for c in &rest {
                    prop_assert!(c.count <= 4 + i, "{} corners after {} cuts", c.count, i + 1);
                }
            }
            let sum: f32 = rest.iter().map(area).sum();
            prop_assert!((sum - whole).abs() < 1e-3, "{sum} of {whole}");
        }
    }

    #[test]
    fn r_6_both_sides_of_a_plane_share_the_cut_corner() {
        let c = ClipPolygon::new(&[Vec3::ZERO, Vec3::new(4.0, 4.0, 0.0), Vec3::new(0.0, 0.0, 4.0)]);
        let (below, above) = cut::<0>(&c, 1.0);
        let shared: Vec<Vec3A> = below.corners().iter().copied().filter(|p| above.corners().contains(p)).collect();
        assert_eq!(shared.len(), 2);
        assert!(shared.iter().all(|p| p.x == 1.0));
        assert_eq!((below.count, above.count), (4, 3));
        // A corner on the plane belongs to both parts.
        let (below, above) = cut::<0>(&c, 0.0);
        assert_eq!((below.count, above.count), (2, 3));
    }

    #[test]
    fn r_8_polygons_in_the_plane_are_on_both_sides() {
        let wall = ClipPolygon::new(&[Vec3::new(2.0, 0.0, 0.0), Vec3::new(2.0, 3.0, 0.0), Vec3::new(2.0, 0.0, 5.0)]);
        let counts = |at| {
            let (below, above) = cut::<0>(&wall, at);
            (below.count, above.count)
        };
        assert_eq!((counts(2.0), counts(1.0), counts(3.0)), ((3, 3), (0, 3), (3, 0)));
        assert!(cut::<0>(&ClipPolygon::NONE, 0.0).0.is_empty());
    }
}
