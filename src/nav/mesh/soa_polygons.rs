//! The polygons as structure of arrays, for ray casts: four corners to a cache line, with the polygons beyond.

use glam::{DVec2, Vec3, Vec4};

use super::free_list::put;
use super::{Edge, NONE, Polygon};

/// Four corners of a polygon and the edges that begin at them. The last corner fills up the last block of a polygon:
/// an edge without length is never crossed.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct SoaBlock {
    x: [f32; 4],
    z: [f32; 4],
    /// First block of the polygon beyond.
    next: [u32; 4],
    /// Flags of the polygon beyond (0 for a wall) in the upper half, its number of blocks in the lower.
    beyond: [u32; 4],
}

/// The blocks of a polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoaPolygon {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// Relative error of a cross product in single precision: eight roundings, with a margin.
const REL_ERROR: f32 = 1e-6;

/// All polygons.
#[derive(Clone, Debug, Default)]
pub struct SoaPolygons {
    /// Per polygon, its blocks.
    pub(super) polygons: Vec<SoaPolygon>,
    pub(super) owners: Vec<u32>,
    pub(super) blocks: Vec<SoaBlock>,
}

impl SoaPolygons {
    pub(super) fn build(vertices: &[Vec3], polygons: &[Polygon], edges: &[Edge]) -> Self {
        let mut all = Self::default();
        for (id, p) in (0..).zip(polygons) {
            let polygon = all.reserve(id, p, all.blocks.len() as u32);
            all.polygons.push(polygon);
        }
        for id in 0..polygons.len() as u32 {
            all.fill(id, vertices, polygons, edges);
        }
        all
    }

    /// Number of blocks that a polygon needs.
    pub(super) fn blocks_for(p: &Polygon) -> usize {
        usize::from(p.edge_count).div_ceil(4)
    }

    /// Assigns blocks to a polygon; [`fill`](Self::fill) writes them.
    pub(super) fn reserve(&mut self, polygon: u32, p: &Polygon, first: u32) -> SoaPolygon {
        let blocks = SoaPolygon { first, count: Self::blocks_for(p) as u32 };
        (first..first + blocks.count).for_each(|block| put(&mut self.owners, block, polygon));
        if self.blocks.len() < self.owners.len() {
            self.blocks.resize(self.owners.len(), SoaBlock { x: [0.0; 4], z: [0.0; 4], next: [0; 4], beyond: [0; 4] });
        }
        blocks
    }

    /// Writes the blocks of a polygon.
    pub(super) fn fill(&mut self, polygon: u32, vertices: &[Vec3], polygons: &[Polygon], edges: &[Edge]) {
        let (p, own) = (&polygons[polygon as usize], self.get(polygon));
        for block in 0..own.count {
            let mut b = SoaBlock { x: [0.0; 4], z: [0.0; 4], next: [0; 4], beyond: [0; 4] };
            for lane in 0..4 {
                let corner = (block * 4 + lane as u32).min(u32::from(p.edge_count) - 1);
                let edge = &edges[(p.first_edge + corner) as usize];
                let at = vertices[edge.vertex as usize];
                (b.x[lane], b.z[lane]) = (at.x, at.z);
                if edge.neighbor != NONE {
                    let n = self.get(edge.neighbor);
                    b.next[lane] = n.first;
                    b.beyond[lane] = u32::from(polygons[edge.neighbor as usize].flags) << 16 | n.count;
                }
            }
            self.blocks[(own.first + block) as usize] = b;
        }
    }

    /// The blocks of a polygon.
    #[inline]
    pub fn get(&self, polygon: u32) -> SoaPolygon {
        self.polygons[polygon as usize]
    }

    /// The polygon of these blocks.
    #[inline]
    pub fn poly_id(&self, polygon: SoaPolygon) -> u32 {
        self.owners[polygon.first as usize]
    }

    /// The polygon beyond the edge that begins at a corner, and its flags: 0 for a wall.
    #[inline]
    pub fn beyond(&self, polygon: SoaPolygon, corner: usize) -> (SoaPolygon, u16) {
        let block = &self.blocks[polygon.first as usize + corner / 4];
        let (next, beyond) = (block.next[corner % 4], block.beyond[corner % 4]);
        (SoaPolygon { first: next, count: beyond & 0xffff }, (beyond >> 16) as u16)
    }

    /// A corner in the xz plane.
    #[inline]
    pub fn corner(&self, polygon: SoaPolygon, corner: usize) -> DVec2 {
        let block = &self.blocks[polygon.first as usize + corner / 4];
        DVec2::new(f64::from(block.x[corner % 4]), f64::from(block.z[corner % 4]))
    }

    /// Whether the polygon surely contains the point in plan view, as [`contains_2d`](super::NavMesh::contains_2d) says: `false`
    /// also where single precision cannot tell.
    #[inline]
    pub fn holds(&self, polygon: u32, point: Vec3) -> bool {
        let SoaPolygon { first, count } = self.get(polygon);
        let blocks = &self.blocks[first as usize..(first + count) as usize];
        let (x, z) = (Vec4::splat(point.x), Vec4::splat(point.z));
        let follows = blocks.iter().skip(1).chain(blocks.first());
        blocks.iter().zip(follows).all(|(block, next)| {
            let (ax, az) = (Vec4::from_array(block.x), Vec4::from_array(block.z));
            let [bx, bz] = [(block.x, next.x), (block.z, next.z)].map(|([_, b, c, d], [e, ..])| Vec4::new(b, c, d, e));
            let (a, b) = ((bx - ax) * (z - az), (bz - az) * (x - ax));
            (a - b).cmpge((a.abs() + b.abs()) * REL_ERROR).bitmask() == 15
        })
    }

    /// The corners between which the line leaves the polygon: the first on the line's negative side or on it, the
    /// second on the positive side. `None` if there are none.
    #[inline(always)]
    pub fn crossing(&self, polygon: SoaPolygon, line: &RayLine) -> Option<(usize, usize)> {
        if polygon.count != 1 {
            return self.crossing_of_many(polygon, line);
        }
        let sides = line.sides(&self.blocks[polygon.first as usize]);
        let changes = sides & !(sides << 1 | sides >> 3);
        let end = changes.trailing_zeros() as usize;
        (changes != 0).then_some(((end + 3) % 4, end))
    }

    #[inline(always)]
    fn crossing_of_many(&self, polygon: SoaPolygon, line: &RayLine) -> Option<(usize, usize)> {
        let blocks = &self.blocks[polygon.first as usize..(polygon.first + polygon.count) as usize];
        let corners = 4 * blocks.len();
        if let [a, b] = blocks {
            let sides = line.sides(a) | line.sides(b) << 4;
            let changes = sides & !(sides << 1 | sides >> 7);
            let end = changes.trailing_zeros() as usize;
            return (changes != 0).then_some(((end + 7) % 8, end));
        }
        let mut before = line.sides(blocks.last()?) >> 3;
        for (i, block) in blocks.iter().enumerate() {
            let sides = line.sides(block);
            let changes = sides & !(sides << 1 | before);
            if changes != 0 {
                let end = 4 * i + changes.trailing_zeros() as usize;
                return Some(((end + corners - 1) % corners, end));
            }
            before = sides >> 3;
        }
        None
    }
}

/// A line in the xz plane.
#[derive(Clone, Copy, Debug)]
pub struct RayLine {
    from: DVec2,
    way: DVec2,
    /// Origin and direction in single precision, four lanes each.
    lanes: [Vec4; 4],
}

impl RayLine {
    /// The line through `from` along `way`.
    pub fn new(from: DVec2, way: DVec2) -> Self {
        let wide = |v: f64| Vec4::splat(v as f32);
        Self { from, way, lanes: [wide(from.x), wide(from.y), wide(way.x), wide(way.y)] }
    }

    /// One bit per corner: whether it lies on the positive side, decided in double precision where single precision is
    /// ambiguous.
    #[inline(always)]
    fn sides(&self, block: &SoaBlock) -> u32 {
        let [x, z, way_x, way_z] = self.lanes;
        let (a, b) = (way_x * (Vec4::from_array(block.z) - z), (Vec4::from_array(block.x) - x) * way_z);
        let across = a - b;
        let doubt = (a.abs() + b.abs()) * REL_ERROR;
        if across.abs().cmpgt(doubt).bitmask() == 15 {
            across.cmpgt(Vec4::ZERO).bitmask()
        } else {
            self.exact_sides(block)
        }
    }

    #[inline(never)]
    fn exact_sides(&self, block: &SoaBlock) -> u32 {
        (0..4).fold(0, |bits, i| {
            let corner = DVec2::new(f64::from(block.x[i]), f64::from(block.z[i]));
            bits | u32::from(self.way.perp_dot(corner - self.from) > 0.0) << i
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::nav::mesh::fixture::chance;
    use crate::nav::mesh::{PolyId, RawMesh, RawPolygon};
    use glam::{DVec2, DVec3, Vec3};

    #[test]
    fn what_surely_lies_within_is_contained_and_little_else_is() {
        let mut chance = chance(3);
        for count in 3..11_u32 {
            let corner = |i: u32| {
                let way = DVec2::from_angle(std::f64::consts::TAU * f64::from(i) / f64::from(count));
                DVec3::new(way.x, 0.0, way.y)
            };
            let (vertices, polygons) =
                ((0..count).map(corner).collect(), vec![RawPolygon::new(Vec::from_iter(0..count))]);
            let mesh = RawMesh { vertices, polygons }.validate().unwrap();
            let (bounds, polygon) = (mesh.bounds(), PolyId(0));
            let (mut within, mut untold) = (0, 0);
            for _ in 0..2000 {
                let share = Vec3::new(chance(), 0.0, chance()) * 1.5 - Vec3::new(0.25, 0.0, 0.25);
                let point = bounds.min + (bounds.max - bounds.min) * share;
                let (holds, contains) = (mesh.soa_polygons().holds(0, point), mesh.contains_2d(polygon, point));
                assert!(contains || !holds, "{count} corners, {point}");
                within += u32::from(holds);
                untold += u32::from(contains && !holds);
            }
            assert!(within > 300 && untold < 5, "{count} corners: {within} within, {untold} not told");
        }
    }
}
