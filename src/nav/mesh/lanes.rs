//! Polygons as rays read them: four corners to a cache line, beside what lies beyond.

use glam::{DVec2, Vec3, Vec4};

use super::spare::put;
use super::{Edge, NONE, Polygon};

/// Corners of a polygon and the edges that begin at them. A polygon has as many blocks as it needs; the last corner
/// fills up the last block, which changes nothing since an edge without length is never crossed.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Block {
    x: [f32; 4],
    z: [f32; 4],
    /// The first block of the polygon beyond.
    next: [u32; 4],
    /// Flags of the polygon beyond, 0 for a wall, in the upper half; its number of blocks in the lower.
    beyond: [u32; 4],
}

/// The place of a polygon among the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// Error of a cross product in single precision, as a share of its terms: eight roundings, and some.
const ROUGH: f32 = 1e-6;

/// All polygons.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    /// Per polygon, where its blocks are.
    pub(super) lanes: Vec<Lane>,
    pub(super) owners: Vec<u32>,
    pub(super) blocks: Vec<Block>,
}

impl Lanes {
    pub(super) fn build(vertices: &[Vec3], polygons: &[Polygon], edges: &[Edge]) -> Self {
        let mut all = Self::default();
        for (id, p) in (0..).zip(polygons) {
            let lane = all.room(id, p, all.blocks.len() as u32);
            all.lanes.push(lane);
        }
        for id in 0..polygons.len() as u32 {
            all.fill(id, vertices, polygons, edges);
        }
        all
    }

    /// How many blocks a polygon needs.
    pub(super) fn blocks_for(p: &Polygon) -> usize {
        usize::from(p.edge_count).div_ceil(4)
    }

    /// Makes these blocks those of a polygon, still empty.
    pub(super) fn room(&mut self, polygon: u32, p: &Polygon, first: u32) -> Lane {
        let lane = Lane { first, count: Self::blocks_for(p) as u32 };
        (first..first + lane.count).for_each(|block| put(&mut self.owners, block, polygon));
        if self.blocks.len() < self.owners.len() {
            self.blocks.resize(self.owners.len(), Block { x: [0.0; 4], z: [0.0; 4], next: [0; 4], beyond: [0; 4] });
        }
        lane
    }

    /// Writes the blocks of a polygon.
    pub(super) fn fill(&mut self, polygon: u32, vertices: &[Vec3], polygons: &[Polygon], edges: &[Edge]) {
        let (p, own) = (&polygons[polygon as usize], self.lane(polygon));
        for block in 0..own.count {
            let mut b = Block { x: [0.0; 4], z: [0.0; 4], next: [0; 4], beyond: [0; 4] };
            for lane in 0..4 {
                let corner = (block * 4 + lane as u32).min(u32::from(p.edge_count) - 1);
                let edge = &edges[(p.first_edge + corner) as usize];
                let at = vertices[edge.vertex as usize];
                (b.x[lane], b.z[lane]) = (at.x, at.z);
                if edge.neighbor != NONE {
                    let n = self.lane(edge.neighbor);
                    b.next[lane] = n.first;
                    b.beyond[lane] = u32::from(polygons[edge.neighbor as usize].flags) << 16 | n.count;
                }
            }
            self.blocks[(own.first + block) as usize] = b;
        }
    }

    /// Where the blocks of a polygon are.
    #[inline]
    pub fn lane(&self, polygon: u32) -> Lane {
        self.lanes[polygon as usize]
    }

    /// The polygon of these blocks.
    #[inline]
    pub fn polygon(&self, lane: Lane) -> u32 {
        self.owners[lane.first as usize]
    }

    /// What lies beyond the edge that begins at a corner, and its flags: 0 for a wall.
    #[inline]
    pub fn beyond(&self, lane: Lane, corner: usize) -> (Lane, u16) {
        let block = &self.blocks[lane.first as usize + corner / 4];
        let (next, beyond) = (block.next[corner % 4], block.beyond[corner % 4]);
        (Lane { first: next, count: beyond & 0xffff }, (beyond >> 16) as u16)
    }

    /// A corner in the xz plane.
    #[inline]
    pub fn corner(&self, lane: Lane, corner: usize) -> DVec2 {
        let block = &self.blocks[lane.first as usize + corner / 4];
        DVec2::new(f64::from(block.x[corner % 4]), f64::from(block.z[corner % 4]))
    }

    /// The corners between which the line leaves the polygon: the first lies on the line's
    /// negative side or on it, the second on the positive one. `None` when there are none.
    #[inline(always)]
    pub fn crossing(&self, lane: Lane, line: &Line) -> Option<(usize, usize)> {
        if lane.count != 1 {
            return self.crossing_of_many(lane, line);
        }
        let sides = line.sides(&self.blocks[lane.first as usize]);
        let changes = sides & !(sides << 1 | sides >> 3);
        let end = changes.trailing_zeros() as usize;
        (changes != 0).then_some(((end + 3) % 4, end))
    }

    #[inline(always)]
    fn crossing_of_many(&self, lane: Lane, line: &Line) -> Option<(usize, usize)> {
        let blocks = &self.blocks[lane.first as usize..(lane.first + lane.count) as usize];
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
pub struct Line {
    from: DVec2,
    way: DVec2,
    /// Both again, rounded, four times each.
    rough: [Vec4; 4],
}

impl Line {
    /// The line through `from` along `way`.
    pub fn new(from: DVec2, way: DVec2) -> Self {
        let wide = |v: f64| Vec4::splat(v as f32);
        Self { from, way, rough: [wide(from.x), wide(from.y), wide(way.x), wide(way.y)] }
    }

    /// One bit per corner: whether it lies on the positive side. What single precision cannot tell is found out exactly.
    #[inline(always)]
    fn sides(&self, block: &Block) -> u32 {
        let [x, z, way_x, way_z] = self.rough;
        let (a, b) = (way_x * (Vec4::from_array(block.z) - z), (Vec4::from_array(block.x) - x) * way_z);
        let across = a - b;
        let doubt = (a.abs() + b.abs()) * ROUGH;
        if across.abs().cmpgt(doubt).bitmask() == 15 {
            across.cmpgt(Vec4::ZERO).bitmask()
        } else {
            self.exact_sides(block)
        }
    }

    #[inline(never)]
    fn exact_sides(&self, block: &Block) -> u32 {
        (0..4).fold(0, |bits, i| {
            let corner = DVec2::new(f64::from(block.x[i]), f64::from(block.z[i]));
            bits | u32::from(self.way.perp_dot(corner - self.from) > 0.0) << i
        })
    }
}
