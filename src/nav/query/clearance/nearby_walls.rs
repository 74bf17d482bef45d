//! The walls within reach of an agent on a polygon, listed on first use.

use glam::{DVec2, Vec3, Vec4};

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

/// Walls that reach beyond a corner by no more than this lie behind it, metres: an eighth of what paths may come too near.
const BEHIND: f32 = 1e-4;

/// A part of a path that turns around a corner of walls: one look at the walls of a polygon serves all of its legs there. With
/// that, [`follow`](super::follow)'s margins and heights of level ground by bounds a path of radius 0.3 m on the town takes
/// 3.35 µs in place of 3.95, and one among shelves (`lt_warehouse`) 3.25 in place of 4.6.
pub(super) struct CornerArc {
    /// The stop of the path that it turns at.
    pub(super) stop: usize,
    center: [Vec4; 2],
    /// Unit directions from the corner to the first and to the last point.
    ends: [[Vec4; 2]; 2],
    /// Farther than this no wall is too near, metres.
    reach: Vec4,
    /// The last polygon that was asked for, and whether all walls near it keep their distance.
    known: Option<(PolyId, bool)>,
}

impl CornerArc {
    /// From `first` to `last` around the corner that the path passes at a stop; `None` for turns that this cannot judge: of
    /// more than a quarter turn.
    pub(super) fn new(stop: usize, center: DVec2, [first, last]: [DVec2; 2], limit: f64) -> Option<Self> {
        let (first, last) = (first - center, last - center);
        let wide = |v: DVec2| [v.x, v.y].map(|v| Vec4::splat(v as f32));
        let outer = first.length();
        let ends = [wide(first / outer), wide(last / outer)];
        let reach = Vec4::splat((outer + limit) as f32 + BEHIND);
        (first.dot(last) >= 0.0).then(|| Self { stop, center: wide(center), ends, reach, known: None })
    }

    /// Whether four walls surely keep their distance: each lies beyond a box around the circle or behind the corner, as seen
    /// from all of the arc. What lies behind is nearest at the corner.
    #[inline]
    fn keeps_from(&self, block: &Block) -> bool {
        let [x, z] = self.center;
        let (ax, az, bx, bz) = (block.ax - x, block.az - z, block.bx - x, block.bz - z);
        let beyond = ax.min(bx).cmpgt(self.reach)
            | ax.max(bx).cmplt(-self.reach)
            | az.min(bz).cmpgt(self.reach)
            | az.max(bz).cmplt(-self.reach);
        let before = |[x, z]: [Vec4; 2]| (ax * x + az * z).max(bx * x + bz * z);
        let behind = before(self.ends[0]).max(before(self.ends[1])).cmple(Vec4::splat(BEHIND));
        (beyond | behind).bitmask() == 15
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
        self.blocks_near(mesh, filter, polygon).is_some_and(|near| near.iter().all(|block| leg.keeps_from(block)))
    }

    /// The same of an arc that crosses the polygon; `false` also where its legs have to be asked for one by one.
    #[inline]
    pub(super) fn is_arc_clear(
        &mut self,
        mesh: &NavMesh,
        filter: &Filter,
        polygon: PolyId,
        arc: &mut CornerArc,
    ) -> bool {
        if let Some((known, clear)) = arc.known
            && known == polygon
        {
            return clear;
        }
        let near = self.blocks_near(mesh, filter, polygon);
        let clear = near.is_some_and(|near| near.iter().all(|block| arc.keeps_from(block)));
        arc.known = Some((polygon, clear));
        clear
    }

    /// The walls within reach of a polygon, if they can be listed.
    #[inline]
    fn blocks_near(&mut self, mesh: &NavMesh, filter: &Filter, polygon: PolyId) -> Option<&[Block]> {
        if self.spans[polygon.index()].0 == NOT_YET {
            self.list(mesh, filter, polygon);
        }
        let (first, last) = self.spans[polygon.index()];
        (first != NEVER).then(|| &self.blocks[first as usize..last as usize])
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

#[cfg(test)]
mod tests {
    use super::{Block, CornerArc, Leg};
    use crate::nav::mesh::fixture::chance;
    use glam::{DVec2, Vec3};

    #[test]
    fn an_arc_that_is_clear_keeps_its_distance_on_every_leg() {
        let mut chance = chance(5);
        let mut number = |from: f64, to: f64| from + (to - from) * f64::from(chance());
        let (mut clear, mut beside) = (0, 0);
        for _ in 0..20_000 {
            let (radius, turn) = (number(0.1, 2.0), number(0.05, 1.5));
            let (center, at) = (DVec2::new(number(-50.0, 50.0), number(-50.0, 50.0)).as_vec2(), number(0.0, 6.0));
            let points: Vec<DVec2> = (0..4)
                .map(|i| {
                    center.as_dvec2() + DVec2::from_angle(at + turn * f64::from(i) / 3.0) * radius / (turn / 6.0).cos()
                })
                .collect();
            let place = |p: DVec2| Vec3::new(p.x as f32, 0.0, p.y as f32);
            let away = |length: f64, number: &mut dyn FnMut(f64, f64) -> f64| {
                place(center.as_dvec2() + DVec2::from_angle(number(0.0, 6.3)) * number(0.0, length))
            };
            // Half of the walls end at the corner.
            let first = away(if number(0.0, 1.0) < 0.5 { 0.0 } else { 5.0 }, &mut number);
            let wall = (first, away(5.0, &mut number));
            let limit = radius - 8e-4;
            let arc = CornerArc::new(0, center.as_dvec2(), [points[0], points[3]], limit);
            let keeps = arc.is_some_and(|arc| arc.keeps_from(&Block::new(&[wall])));
            let legs = || points.windows(2).map(|leg| Leg::new(place(leg[0]), place(leg[1]), limit as f32));
            clear += u32::from(keeps);
            beside += u32::from(!keeps && legs().all(|leg| leg.keeps_from_one(wall)));
            assert!(!keeps || legs().all(|leg| leg.keeps_from_one(wall)), "{center} {points:?} {wall:?}");
        }
        assert!(clear > 4000 && beside < clear, "{clear} clear, {beside} not told");
    }
}
