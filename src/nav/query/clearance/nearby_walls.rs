//! The walls within reach of an agent on a polygon, listed on first use.

use glam::{Vec3, Vec4};

use super::dirty_region::{Area, DirtyRegion};
use crate::math::plan;
use crate::nav::mesh::{Filter, NavMesh, PolyId};
use crate::nav::query::surface::passable_neighbor;

/// Polygons with more others around them have no list.
const MAX_AROUND: usize = 200;
/// Limit on the blocks of walls in all lists; beyond it all lists are dropped.
const MAX_LISTED: usize = 1 << 18;
/// Start of a list that does not exist yet, and of one that never will.
const NOT_YET: u32 = u32::MAX;
const NEVER: u32 = u32::MAX - 1;

/// The end points of four walls in plan view, as a structure of arrays.
#[derive(Clone, Copy, Debug)]
struct Block {
    ax: Vec4,
    az: Vec4,
    bx: Vec4,
    bz: Vec4,
}

impl Block {
    /// Up to four walls; the last one fills up the rest.
    fn new(walls: &[(Vec3, Vec3)]) -> Self {
        let four =
            |f: fn(&(Vec3, Vec3)) -> f32| Vec4::from_array(std::array::from_fn(|i| f(&walls[i.min(walls.len() - 1)])));
        Self { ax: four(|w| w.0.x), az: four(|w| w.0.z), bx: four(|w| w.1.x), bz: four(|w| w.1.z) }
    }

    fn wall(&self, i: usize) -> (Vec3, Vec3) {
        (Vec3::new(self.ax[i], 0.0, self.az[i]), Vec3::new(self.bx[i], 0.0, self.bz[i]))
    }
}

/// A leg of a path in plan view, and the clearance that it needs.
pub(super) struct Leg {
    from: Vec3,
    to: Vec3,
    /// Unit direction.
    along: (f32, f32),
    limit: f32,
    /// The limit with room for rounding, and that beyond the leg's end.
    reach: Vec4,
    end: Vec4,
}

impl Leg {
    pub(super) fn new(from: Vec3, to: Vec3, limit: f32) -> Self {
        let (dx, dz) = (to.x - from.x, to.z - from.z);
        let length = (dx * dx + dz * dz).sqrt();
        let along = if length > 0.0 { (dx / length, dz / length) } else { (1.0, 0.0) };
        let reach = limit + 1e-5 + 2e-6 * length;
        Self { from, to, along, limit, reach: Vec4::splat(reach), end: Vec4::splat(length + reach) }
    }

    /// Whether four walls keep their distance. Most are rejected by a box around the leg.
    #[inline]
    fn keeps_from(&self, block: &Block) -> bool {
        let (x, z) = (Vec4::splat(self.along.0), Vec4::splat(self.along.1));
        let (fx, fz) = (Vec4::splat(self.from.x), Vec4::splat(self.from.z));
        let (ax, az, bx, bz) = (block.ax - fx, block.az - fz, block.bx - fx, block.bz - fz);
        let (ua, va, ub, vb) = (ax * x + az * z, az * x - ax * z, bx * x + bz * z, bz * x - bx * z);
        let beside = va.min(vb).cmpgt(self.reach)
            | va.max(vb).cmplt(-self.reach)
            | ua.max(ub).cmplt(-self.reach)
            | ua.min(ub).cmpgt(self.end);
        let beside = beside.bitmask();
        beside == 15 || (0..4).all(|i| beside >> i & 1 == 1 || self.keeps_from_one(block.wall(i)))
    }

    #[inline(never)]
    fn keeps_from_one(&self, wall: (Vec3, Vec3)) -> bool {
        let (on_way, on_wall) = plan::closest_of_segments((self.from, self.to), wall);
        plan::distance_squared(on_way, on_wall) >= self.limit * self.limit
    }
}

/// Lists of walls for radii up to one.
#[derive(Debug, Default)]
pub(super) struct NearbyWalls {
    metres: f32,
    spans: Vec<(u32, u32)>,
    blocks: Vec<Block>,
}

impl NearbyWalls {
    /// Without lists, for radii up to `metres`.
    pub(super) fn new(mesh: &NavMesh, metres: f32) -> Self {
        Self { metres, spans: vec![(NOT_YET, 0); mesh.len()], blocks: Vec::new() }
    }

    /// Drops the lists of polygons whose surroundings have changed.
    pub(super) fn adapt(&mut self, mesh: &NavMesh, touched: &DirtyRegion) {
        self.spans.resize(mesh.len(), (NOT_YET, 0));
        for (polygon, span) in (0..).map(PolyId).zip(&mut self.spans) {
            let around = || Area::of(mesh.bounds_of(polygon)).grown(self.metres);
            if span.0 != NOT_YET && (touched.holds(mesh, polygon) || touched.meets(&around())) {
                *span = (NOT_YET, 0);
            }
        }
    }

    /// The walls listed for a polygon, for comparison.
    #[cfg(test)]
    pub(super) fn listed(&self, polygon: PolyId) -> Option<String> {
        let (first, last) = self.spans[polygon.index()];
        match first {
            NOT_YET => None,
            NEVER => Some("never".into()),
            _ => Some(format!("{:?}", &self.blocks[first as usize..last as usize])),
        }
    }

    /// How far around polygons it looks.
    pub(super) fn metres(&self) -> f32 {
        self.metres
    }

    /// Whether all walls within reach of a polygon keep their distance from a leg that crosses it; `false` where
    /// unknown.
    #[inline]
    pub(super) fn is_clear(&mut self, mesh: &NavMesh, filter: &Filter, polygon: PolyId, leg: &Leg) -> bool {
        if self.spans[polygon.index()].0 == NOT_YET {
            self.list(mesh, filter, polygon);
        }
        let (first, last) = self.spans[polygon.index()];
        first != NEVER && self.blocks[first as usize..last as usize].iter().all(|block| leg.keeps_from(block))
    }

    /// Floods from polygon to polygon over common edges that are within reach.
    #[cold]
    fn list(&mut self, mesh: &NavMesh, filter: &Filter, polygon: PolyId) {
        if self.blocks.len() > MAX_LISTED {
            *self = Self::new(mesh, self.metres);
        }
        let own = mesh.polygon(polygon).first_edge;
        let own = own..own + mesh.edges_of(polygon).len() as u32;
        let near = |edge: u32| {
            let side = mesh.edge_points(edge);
            own.contains(&edge)
                || own.clone().any(|e| {
                    let (a, b) = plan::closest_of_segments(mesh.edge_points(e), side);
                    plan::distance_squared(a, b) <= self.metres * self.metres
                })
        };
        let (mut met, mut next, mut walls) = (vec![polygon.0], 0, Vec::new());
        while let Some(&at) = met.get(next) {
            let p = mesh.polygon(PolyId(at));
            for edge in p.first_edge..p.first_edge + u32::from(p.edge_count) {
                match passable_neighbor(mesh, filter, edge).map(|p| p.0) {
                    Some(neighbor) if !met.contains(&neighbor) && near(edge) => met.push(neighbor),
                    None if near(edge) => walls.push(mesh.edge_points(edge)),
                    _ => {}
                }
            }
            next += 1;
            if met.len() > MAX_AROUND {
                self.spans[polygon.index()] = (NEVER, 0);
                return;
            }
        }
        let first = self.blocks.len() as u32;
        self.blocks.extend(walls.chunks(4).map(Block::new));
        self.spans[polygon.index()] = (first, self.blocks.len() as u32);
    }
}
