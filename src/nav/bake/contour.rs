//! A contour: vertices on the grid of a bake, and exact tests of them seen from above.

/// A vertex of a contour, in cells and cell heights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContourVertex {
    /// Cells along x.
    pub x: i32,
    /// Cell heights.
    pub y: i32,
    /// Cells along z.
    pub z: i32,
}

impl ContourVertex {
    /// Whether both lie at one place in plan view.
    pub fn same_place(&self, other: &Self) -> bool {
        self.x == other.x && self.z == other.z
    }
}

/// Twice the signed area of a, b, c in the xz plane: negative where c lies left of the line from a to b.
pub fn area2(a: &ContourVertex, b: &ContourVertex, c: &ContourVertex) -> i64 {
    i64::from(b.x - a.x) * i64::from(c.z - a.z) - i64::from(c.x - a.x) * i64::from(b.z - a.z)
}

/// The contour of a region.
#[derive(Clone, Debug, Default)]
pub struct Contour {
    /// Vertices in order.
    pub vertices: Vec<ContourVertex>,
    /// The region.
    pub region: u32,
    /// Area of the region's spans, as in [`super::heightfield::Span::area`].
    pub area: u8,
    /// Least height from a span of the region to another one of it over that, cell heights; `None` where none lies over
    /// another.
    pub storey: Option<u16>,
}

/// Whether p lies inside the angle at `at` between its neighbours in a contour (O'Rourke, "Computational Geometry in
/// C", section 1.6).
pub fn in_cone(before: &ContourVertex, at: &ContourVertex, after: &ContourVertex, p: &ContourVertex) -> bool {
    if area2(before, at, after) <= 0 {
        area2(at, p, before) < 0 && area2(p, at, after) < 0
    } else {
        !(area2(at, p, after) <= 0 && area2(p, at, before) <= 0)
    }
}

/// Whether the closed segments a–b and c–d intersect.
pub fn segments_meet(a: &ContourVertex, b: &ContourVertex, c: &ContourVertex, d: &ContourVertex) -> bool {
    let (abc, abd, cda, cdb) = (area2(a, b, c), area2(a, b, d), area2(c, d, a), area2(c, d, b));
    if abc != 0 && abd != 0 && cda != 0 && cdb != 0 {
        return (abc < 0) != (abd < 0) && (cda < 0) != (cdb < 0);
    }
    let between = |p: &ContourVertex, q: &ContourVertex, r: &ContourVertex, area: i64| {
        let within = |p: i32, q: i32, r: i32| p.min(q) <= r && r <= p.max(q);
        area == 0 && if p.x == q.x { within(p.z, q.z, r.z) } else { within(p.x, q.x, r.x) }
    };
    between(a, b, c, abc) || between(a, b, d, abd) || between(c, d, a, cda) || between(c, d, b, cdb)
}
