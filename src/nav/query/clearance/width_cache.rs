//! Widths of the ways through polygons, measured on first use.

use glam::Vec3;

use super::dirty_region::{Area, DirtyRegion};
use super::nearby_walls::NearbyWalls;
use super::request::TOLERANCE;
use crate::math::plan;
use crate::nav::mesh::free_list::{FreeList, put};
use crate::nav::mesh::{Filter, NONE, NavMesh, PolyId, PolyLink};
use crate::nav::query::surface::passable_neighbor;

/// Limit on the polygons that are searched for walls beyond a side of a portal pair.
const MAX_LOOKED_INTO: usize = 64;
/// Number of radius classes with lists of nearby walls.
const MAX_REACHES: usize = 8;

/// Caps of measured widths, metres; the smallest that covers all queries is used. A capped measurement depends on less
/// of its surroundings, so that fewer are invalidated by a change.
const FAR: [f32; 2] = [1.0, 4.0];
/// Room for rounding around what is near, metres.
const SLACK: f32 = 1e-3;

/// The widths of a mesh under one filter, and the walls near its polygons.
#[derive(Debug, Default)]
pub(super) struct WidthCache {
    key: Option<(u64, u16, u16)>,
    /// Cap of widths, metres: the smallest of [`FAR`] that has covered every query so far, else infinite. It only
    /// grows, so that wide and narrow agents that take turns do not invalidate each other's widths.
    far: f32,
    /// Per vertex, whether a wall ends there.
    corners: Vec<bool>,
    /// Per portal, whether a wall ends at its left and at its right end.
    walled: Vec<[bool; 2]>,
    /// Per portal that leads in, the offset from the number of a portal that leads out to the width's index (modulo
    /// 2³²).
    starts: Vec<u32>,
    /// Per portal, the first index and the number of its widths.
    ranges: Vec<(u32, u32)>,
    /// Freed ranges of widths.
    free: FreeList,
    /// Widths; negative ones are not measured yet.
    widths: Vec<f32>,
    /// How many widths there were room for at first.
    own: usize,
    /// Per polygon, the least width of its portal pairs that are measured; negative as long as some are not.
    narrowest: Vec<f32>,
    /// Per polygon, the area that its widths were measured in.
    around: Vec<Area>,
    /// Walls near polygons, per class of radii.
    reaches: Vec<NearbyWalls>,
    /// The last radius that walls were asked for, metres, and the place of its class; no number as long as there is none.
    last_reach: (f32, usize),
    /// Scratch memory: what stands on both sides of a portal pair.
    sides: [Side; 2],
    /// Scratch memory: polygons searched for walls.
    met: Vec<u32>,
}

/// The walls and portals on one side of a portal pair.
#[derive(Debug, Default)]
struct Side {
    pieces: Vec<Piece>,
    portals: Vec<u32>,
}

/// Nothing is measured in a polygon.
const UNKNOWN: f32 = f32::NEG_INFINITY;

/// All widths are dropped when they take this many times as much memory as at first.
const MAX_LITTER: usize = 3;

/// A wall, or one corner of it.
type Piece = (Vec3, Vec3);

impl WidthCache {
    /// Drops what belongs to another mesh or filter; after a change of obstacles, only what lies around the change.
    /// `need` is the largest width of the query, metres.
    pub(super) fn prepare(&mut self, mesh: &NavMesh, filter: &Filter, need: f32) {
        let key = Some((mesh.id(), filter.include, filter.exclude));
        let far = FAR.into_iter().find(|&far| need <= far).unwrap_or(f32::INFINITY).max(self.far);
        if self.key == key && self.far == far {
            return;
        }
        let before = self.key.filter(|_| self.far == far).filter(|k| (k.1, k.2) == (filter.include, filter.exclude));
        (self.key, self.far) = (key, far);
        self.find_corners(mesh, filter);
        let touched = before.and_then(|k| DirtyRegion::since(mesh, k.0));
        match touched.filter(|_| self.widths.len() <= MAX_LITTER * self.own) {
            Some(touched) => self.adapt(mesh, &touched),
            None => self.begin(mesh),
        }
    }

    fn find_corners(&mut self, mesh: &NavMesh, filter: &Filter) {
        self.corners.clear();
        self.corners.resize(mesh.vertices().len(), false);
        let all_pass = mesh.every_poly_walkable() && filter.passes_all();
        for polygon in (0..mesh.len() as u32).map(PolyId).filter(|&p| mesh.is_live(p)) {
            let (first, edges) = (mesh.polygon(polygon).first_edge, mesh.edges_of(polygon));
            for (edge, e) in (first..).zip(edges) {
                if e.neighbor == NONE || !all_pass && passable_neighbor(mesh, filter, edge).is_none() {
                    let (a, b) = mesh.ends(edge);
                    self.corners[a as usize] = true;
                    self.corners[b as usize] = true;
                }
            }
        }
        self.walled.clear();
        self.walled.resize(mesh.portals().len(), [false; 2]);
        for way in mesh.live_polygons().flat_map(|p| mesh.portals().links_of(p.0)) {
            let (left, right) = mesh.ends(mesh.portals().portal(way.portal).edge);
            self.walled[way.portal as usize] = [left, right].map(|vertex| self.corners[vertex as usize]);
        }
    }

    /// Starts without any measurements.
    fn begin(&mut self, mesh: &NavMesh) {
        self.starts.clear();
        self.starts.resize(mesh.portals().len(), 0);
        self.ranges.clear();
        self.ranges.resize(mesh.portals().len(), (0, 0));
        self.free = FreeList::default();
        self.widths.clear();
        for polygon in (0..mesh.len() as u32).filter(|&p| mesh.is_live(PolyId(p))) {
            self.reserve(mesh, polygon);
        }
        self.own = self.widths.len();
        self.narrowest.clear();
        self.narrowest.resize(mesh.len(), UNKNOWN);
        self.around.clear();
        self.around.resize(mesh.len(), Area::NOWHERE);
        self.reaches.clear();
        self.last_reach = (f32::NAN, 0);
    }

    /// Makes room for the widths of portal pairs that lead in from a polygon, none measured yet.
    fn reserve(&mut self, mesh: &NavMesh, polygon: u32) {
        for way in mesh.portals().links_of(polygon) {
            let out = mesh.portals().links_of(way.neighbor);
            let (before, count) = self.ranges[way.portal as usize];
            self.free.release(before, count as usize);
            let begin = self.free.allocate(out.len(), self.widths.len());
            self.ranges[way.portal as usize] = (begin, out.len() as u32);
            let first = out.first().map_or(0, |p| p.portal);
            self.starts[way.portal as usize] = begin.wrapping_sub(first);
            (begin..).zip(out).for_each(|(at, _)| put(&mut self.widths, at, -1.0));
        }
    }

    /// Drops the measurements that a change invalidates.
    fn adapt(&mut self, mesh: &NavMesh, touched: &DirtyRegion) {
        self.starts.resize(mesh.portals().len(), 0);
        self.ranges.resize(mesh.portals().len(), (0, 0));
        self.narrowest.resize(mesh.len(), UNKNOWN);
        self.around.resize(mesh.len(), Area::NOWHERE);
        let all = || (0..mesh.len() as u32).filter(|&p| mesh.is_live(PolyId(p)));
        // Portals of these polygons may have new numbers, or lead to polygons whose portals have.
        all().filter(|&p| touched.holds(mesh, PolyId(p))).for_each(|p| self.reserve(mesh, p));
        for polygon in all() {
            if touched.holds(mesh, PolyId(polygon)) || touched.meets(&self.around[polygon as usize]) {
                self.forget(mesh, polygon);
            }
        }
        self.reaches.iter_mut().for_each(|reach| reach.adapt(mesh, touched));
    }

    /// Drops the widths of all portal pairs through a polygon.
    fn forget(&mut self, mesh: &NavMesh, polygon: u32) {
        let ways = mesh.portals().links_of(polygon);
        for way in ways {
            let Some(by) = twin(mesh, way.portal) else { continue };
            let start = self.starts[by as usize];
            ways.iter().for_each(|out| self.widths[start.wrapping_add(out.portal) as usize] = -1.0);
        }
        self.narrowest[polygon as usize] = UNKNOWN;
        self.around[polygon as usize] = Area::NOWHERE;
    }

    /// The walls around polygons for agents of this radius.
    pub(super) fn reach(&mut self, mesh: &NavMesh, radius: f32) -> &mut NearbyWalls {
        if self.last_reach.0 != radius {
            self.last_reach = (radius, self.find_reach(mesh, radius));
        }
        &mut self.reaches[self.last_reach.1]
    }

    fn find_reach(&mut self, mesh: &NavMesh, radius: f32) -> usize {
        // Four classes to a doubling.
        let metres = (((radius + TOLERANCE as f32).log2() * 4.0).ceil() / 4.0).exp2();
        self.reaches.iter().position(|r| r.metres() == metres).unwrap_or_else(|| {
            if self.reaches.len() == MAX_REACHES {
                self.reaches.remove(0);
            }
            self.reaches.push(NearbyWalls::new(mesh, metres));
            self.reaches.len() - 1
        })
    }

    /// Whether a wall touches the vertex.
    pub(super) fn touch(&self, vertex: u32) -> bool {
        self.corners[vertex as usize]
    }

    /// Whether a wall touches the left and the right end of a portal.
    #[inline]
    pub(super) fn touch_ends(&self, portal: u32) -> [bool; 2] {
        self.walled[portal as usize]
    }

    /// The width of a portal pair, metres, up to the cap; infinite for pairs that begin at the start.
    pub(super) fn width(&mut self, mesh: &NavMesh, filter: &Filter, by: u32, out: u32) -> f32 {
        if by == NONE {
            return f32::INFINITY;
        }
        let slot = self.starts[by as usize].wrapping_add(out) as usize;
        if self.widths[slot] < 0.0 {
            let width = self.measure(mesh, filter, by, out);
            self.widths[slot] = width;
            // The reverse pair has the same width.
            if let (Some(back_in), Some(back_out)) = (twin(mesh, out), twin(mesh, by)) {
                let slot = self.starts[back_in as usize].wrapping_add(back_out) as usize;
                self.widths[slot] = width;
            }
        }
        self.widths[slot]
    }

    /// Whether the width of a portal pair has been measured.
    #[cfg(test)]
    pub(super) fn is_measured(&self, by: u32, out: u32) -> bool {
        self.widths[self.starts[by as usize].wrapping_add(out) as usize] >= 0.0
    }

    /// Whether all portal pairs through a polygon are at least this wide, metres.
    #[inline]
    pub(super) fn is_wide(&mut self, mesh: &NavMesh, filter: &Filter, polygon: u32, need: f32) -> bool {
        let known = self.narrowest[polygon as usize];
        known.abs() >= need && (known.is_sign_positive() || self.measure_all(mesh, filter, polygon, need))
    }

    /// Measures the portal pairs through a polygon up to the first that is narrower than `need`; returns whether none
    /// is.
    #[cold]
    fn measure_all(&mut self, mesh: &NavMesh, filter: &Filter, polygon: u32, need: f32) -> bool {
        let own = Area::of(mesh.bounds_of(PolyId(polygon)));
        self.around[polygon as usize].unite(own);
        let mut least = f32::INFINITY;
        let ways = mesh.portals().links_of(polygon);
        let passes = |way: &&PolyLink| filter.passes(mesh.polygon(PolyId(way.neighbor)));
        for (i, way_in) in ways.iter().enumerate().filter(|(_, way)| passes(way)) {
            let Some(by) = twin(mesh, way_in.portal) else { continue };
            for out in ways[i + 1..].iter().filter(passes) {
                least = least.min(self.width(mesh, filter, by, out.portal));
                if least < need {
                    self.narrowest[polygon as usize] = -least;
                    return false;
                }
            }
        }
        self.narrowest[polygon as usize] = least;
        true
    }

    /// The smallest distance between what stands left and what stands right of the portal pair: bitwise equal in both
    /// directions.
    fn measure(&mut self, mesh: &NavMesh, filter: &Filter, by: u32, out: u32) -> f32 {
        let way_in = mesh.edges()[mesh.portals().portal(by).edge as usize].twin;
        let way_out = mesh.portals().portal(out).edge;
        let (first, second) = (way_in.min(way_out), way_in.max(way_out));
        let polygon = mesh.edges()[first as usize].polygon;
        let mut around = Area::of(mesh.bounds_of(PolyId(polygon)));
        if first == second {
            self.around[polygon as usize].unite(around);
            let (a, b) = mesh.edge_points(first);
            return plan::distance(a, b);
        }
        let (mut sides, mut met) = (std::mem::take(&mut self.sides), std::mem::take(&mut self.met));
        self.look_along(mesh, filter, (first, second), &mut sides[0]);
        self.look_along(mesh, filter, (second, first), &mut sides[1]);
        let mut width = self.far;
        for a in &sides[0].pieces {
            width = nearest(*a, &sides[1].pieces, width);
        }
        for (side, other) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])] {
            for &edge in &side.portals {
                width = look_into(mesh, filter, edge, &other.pieces, width, (&mut around, &mut met));
            }
        }
        self.around[polygon as usize].unite(around);
        (self.sides, self.met) = (sides, met);
        width
    }

    /// Lists what stands on the side between the end of one edge and the beginning of another of one polygon.
    fn look_along(&self, mesh: &NavMesh, filter: &Filter, (from, to): (u32, u32), out: &mut Side) {
        out.pieces.clear();
        out.portals.clear();
        let polygon = mesh.polygon(PolyId(mesh.edges()[from as usize].polygon));
        let last = polygon.first_edge + u32::from(polygon.edge_count) - 1;
        let after = |edge: u32| if edge == last { polygon.first_edge } else { edge + 1 };
        let mut edge = after(from);
        loop {
            let vertex = mesh.edges()[edge as usize].vertex;
            if self.touch(vertex) {
                let at = mesh.vertices()[vertex as usize];
                out.pieces.push((at, at));
            }
            if edge == to {
                return;
            }
            match passable_neighbor(mesh, filter, edge).map(|p| p.0) {
                Some(_) => out.portals.push(edge),
                None => out.pieces.push(mesh.edge_points(edge)),
            }
            edge = after(edge);
        }
    }
}

/// The least distance of others from a piece, at most `limit`.
fn nearest(piece: Piece, others: &[Piece], limit: f32) -> f32 {
    others.iter().fold(limit, |least, &o| if is_beyond(piece, o, least) { least } else { least.min(apart(piece, o).2) })
}

/// Whether boxes around two pieces show that they are farther apart than `metres`, with room for rounding.
#[inline]
fn is_beyond(a: Piece, b: Piece, metres: f32) -> bool {
    let gap = (a.0.min(a.1) - b.0.max(b.1)).max(b.0.min(b.1) - a.0.max(a.1)).max(Vec3::ZERO);
    let reach = metres + SLACK;
    gap.x * gap.x + gap.z * gap.z > reach * reach
}

/// The nearest points of two pieces and their distance.
fn apart(a: Piece, b: Piece) -> (Vec3, Vec3, f32) {
    let (on_a, on_b) = plan::closest_of_segments(a, b);
    (on_a, on_b, plan::distance(on_a, on_b))
}

/// The same portal as seen from its other side.
pub(super) fn twin(mesh: &NavMesh, portal: u32) -> Option<u32> {
    let edge = &mesh.edges()[mesh.portals().portal(portal).edge as usize];
    mesh.portals()
        .links_of(edge.neighbor)
        .iter()
        .map(|p| p.portal)
        .find(|&p| mesh.portals().portal(p).edge == edge.twin)
}

/// The least distance, below `width`, of the walls beyond a portal from what stands on the other side, straight
/// through the portal. `around` grows by what was looked at; `met` is memory.
fn look_into(
    mesh: &NavMesh,
    filter: &Filter,
    portal: u32,
    others: &[Piece],
    mut width: f32,
    (around, met): (&mut Area, &mut Vec<u32>),
) -> f32 {
    let door = mesh.edge_points(portal);
    if !(nearest(door, others, width) < width) {
        return width;
    }
    let through = |a: Vec3, b: Vec3| {
        plan::cross(door.0, door.1, a) < 0.0 && plan::cross(a, b, door.0) * plan::cross(a, b, door.1) <= 0.0
    };
    let mut near = Area::NOWHERE;
    others.iter().for_each(|o| near.unite(Area::between(o.0, o.1)));
    met.clear();
    met.extend([mesh.edges()[portal as usize].polygon, mesh.edges()[portal as usize].neighbor]);
    let mut next = 1;
    while next < met.len().min(MAX_LOOKED_INTO) {
        let p = mesh.polygon(PolyId(met[next]));
        for edge in p.first_edge..p.first_edge + u32::from(p.edge_count) {
            let side = mesh.edge_points(edge);
            if !near.grown(width + SLACK).meets(&Area::between(side.0, side.1)) {
                continue;
            }
            for &other in others {
                if is_beyond(side, other, width) {
                    continue;
                }
                let (a, b, distance) = apart(side, other);
                if !(distance < width) {
                    continue;
                }
                match passable_neighbor(mesh, filter, edge).map(|p| p.0) {
                    Some(neighbor) if !met.contains(&neighbor) => met.push(neighbor),
                    None if through(a, b) => width = distance,
                    _ => {}
                }
            }
        }
        next += 1;
    }
    met.iter().for_each(|&p| around.unite(Area::of(mesh.bounds_of(PolyId(p)))));
    width
}
