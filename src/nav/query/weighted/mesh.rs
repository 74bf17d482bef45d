//! The mesh that a weighted search runs on: convex cells of one cost each, laid flat, and the fans of cells around vertices.

use glam::{DVec2, DVec3};

use super::corner_labels::CornerLabels;
use super::landmarks::CornerLandmarks;
use super::metric::Metric;
use super::ways::CornerWays;
use crate::math::plan::{inner_angle, to_plan_f64};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};
use crate::nav::query::polyanya::cell_locator::CellLocator;
use crate::nav::query::polyanya::half_edge::HalfEdgeMesh;
use crate::nav::query::touching::TouchingPolygons;

/// Angles that differ by less are the same, radians.
pub(super) const SAME_ANGLE: f64 = 1e-9;

/// A side of a cell, with the cell on its left.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellSide {
    /// Where it begins, in the cell's frame.
    pub(super) at: DVec2,
    /// The same in the space where straight lines bound costs from below: the mesh's, for [`Metric::Plan`] without heights.
    pub(super) space: DVec3,
    /// The vertex of the mesh where it begins.
    pub(super) vertex: u32,
    /// The fan around that vertex, in [`WeightedMesh::fans`]; [`NONE`] where no path turns.
    pub(super) fan: u32,
    /// Its place in that fan.
    pub(super) place: u32,
    /// The corner where it begins, in [`WeightedMesh::corners`].
    pub(super) corner: u32,
    /// Its cell.
    pub(super) cell: u32,
    /// The next side around the cell.
    pub(super) next: u32,
    /// The same side of the cell beyond, [`NONE`] for a wall.
    pub(super) twin: u32,
}

/// A convex part of the ground on which a metre costs the same everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedCell {
    pub(super) first: u32,
    pub(super) end: u32,
    /// Cost of a metre.
    pub(super) weight: f64,
    /// Cells with the same number are connected.
    pub(super) island: u32,
}

/// A cell of a fan: the side that begins at the vertex, and the angle where it begins, counted counter-clockwise from
/// the fan's first side.
#[derive(Clone, Copy, Debug)]
pub(super) struct FanCell {
    pub(super) side: u32,
    pub(super) angle: f64,
}

/// The cells around a vertex, counter-clockwise; from wall to wall, or all around.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fan {
    /// Its part of [`WeightedMesh::fan_cells`].
    pub(super) first: u32,
    pub(super) end: u32,
    /// Sum of the cells' angles, radians.
    pub(super) total: f64,
    /// No wall ends at the vertex.
    pub(super) closed: bool,
}

/// A vertex with all cells around it between two walls.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedCorner {
    /// A side that begins there.
    pub(super) side: u32,
    pub(super) vertex: u32,
    /// Whether paths turn there.
    pub(super) turns: bool,
}

/// The mesh of a weighted search, for one navigation mesh, filter and metric.
#[derive(Clone, Debug)]
pub struct WeightedMesh {
    /// What it was made of: the id of the mesh, and the filter.
    source: (u64, Filter),
    pub(super) cells: Vec<WeightedCell>,
    pub(super) sides: Vec<CellSide>,
    pub(super) fans: Vec<Fan>,
    pub(super) fan_cells: Vec<FanCell>,
    /// Vertices, twice where ground of the same vertex lies apart between walls.
    pub(super) corners: Vec<WeightedCorner>,
    pub(super) landmarks: CornerLandmarks,
    pub(super) ways: CornerWays,
    pub(super) labels: CornerLabels,
    /// The least cost of a metre on each island.
    pub(super) least: Vec<f64>,
    locator: CellLocator,
    pub(super) touching: TouchingPolygons,
    pub(super) metric: Metric,
}

impl WeightedMesh {
    /// Whether it was made of this.
    pub(super) fn is_of(&self, mesh: &NavMesh, filter: &Filter, metric: Metric) -> bool {
        self.source.0 == mesh.id() && self.source.1 == *filter && self.metric == metric
    }

    /// The mesh alone.
    pub(super) fn bare(mesh: &NavMesh, filter: &Filter, metric: Metric) -> Self {
        let mut rings = HalfEdgeMesh::new(mesh, filter);
        rings.drop_edges_without_length(metric == Metric::Surface);
        match metric {
            Metric::Plan => rings.cut_reflex_vertices(),
            Metric::Surface => rings.cut_to_triangles(),
        }
        let outlines = rings.cut_outlines();
        let cost = |polygon: u32| f64::from(filter.cost[usize::from(mesh.polygon(PolyId(polygon)).area & 63)]);
        if metric == Metric::Plan {
            rings.merge(|a, b| cost(a) == cost(b));
            rings.join_portals();
        }
        let mut net = Self {
            source: (mesh.id(), filter.clone()),
            cells: Vec::new(),
            sides: Vec::new(),
            fans: Vec::new(),
            fan_cells: Vec::new(),
            corners: Vec::new(),
            landmarks: CornerLandmarks::default(),
            ways: CornerWays::default(),
            labels: CornerLabels::default(),
            least: Vec::new(),
            locator: CellLocator::default(),
            touching: TouchingPolygons::find(mesh, filter),
            metric,
        };
        let cell_of_ring = net.lay_out(mesh, &rings, cost);
        net.find_fans();
        net.find_islands();
        net.locator = CellLocator::new(mesh, filter, outlines, |ring| cell_of_ring[rings.merged(ring) as usize]);
        net
    }

    fn lay_out(&mut self, mesh: &NavMesh, rings: &HalfEdgeMesh<'_>, cost: impl Fn(u32) -> f64) -> Vec<u32> {
        let mut cell_of = vec![NONE; rings.count()];
        let mut side_of = vec![NONE; rings.edges.len()];
        for edge in 0..rings.edges.len() as u32 {
            let ring = rings.ring(edge);
            if !rings.edges[edge as usize].live || cell_of[ring as usize] != NONE {
                continue;
            }
            let (cell, first) = (self.cells.len() as u32, self.sides.len() as u32);
            cell_of[ring as usize] = cell;
            rings.around(edge, |e| {
                let side = &rings.edges[e as usize];
                let corner = mesh.vertices()[side.vertex as usize].as_dvec3();
                let space = if self.metric == Metric::Plan { DVec3 { y: 0.0, ..corner } } else { corner };
                let number = self.sides.len() as u32;
                side_of[e as usize] = number;
                self.sides.push(CellSide {
                    at: rings.at(side.vertex),
                    space,
                    vertex: side.vertex,
                    fan: NONE,
                    place: 0,
                    corner: NONE,
                    cell,
                    next: number + 1,
                    twin: side.twin,
                });
            });
            let end = self.sides.len() as u32;
            self.sides[end as usize - 1].next = first;
            if self.metric == Metric::Surface {
                lay_flat(&mut self.sides[first as usize..]);
            }
            self.cells.push(WeightedCell { first, end, weight: cost(rings.polygon(ring)), island: NONE });
        }
        for side in self.sides.iter_mut().filter(|s| s.twin != NONE) {
            side.twin = side_of[side.twin as usize];
        }
        cell_of
    }

    /// Where a side ends, in its cell's frame.
    pub(super) fn end(&self, side: u32) -> DVec2 {
        self.sides[self.sides[side as usize].next as usize].at
    }

    /// Length of a side, metres.
    pub(super) fn length(&self, side: u32) -> f64 {
        self.sides[side as usize].at.distance(self.end(side))
    }

    /// The side before another around its cell.
    pub(super) fn before(&self, side: u32) -> u32 {
        let cell = self.cells[self.sides[side as usize].cell as usize];
        if side == cell.first { cell.end - 1 } else { side - 1 }
    }

    /// Cost of a metre on the cell of a side.
    pub(super) fn weight(&self, side: u32) -> f64 {
        self.cells[self.sides[side as usize].cell as usize].weight
    }

    /// Collects the fans at which paths may turn: more than half a turn between two walls, costs that differ, or more
    /// than a full turn of ground.
    fn find_fans(&mut self) {
        let mut met = vec![false; self.sides.len()];
        // Fans between walls first: what is left goes all around.
        for pass in 0..2 {
            for side in 0..self.sides.len() as u32 {
                if !met[side as usize] && (pass == 1 || self.sides[side as usize].twin == NONE) {
                    self.add_fan(side, &mut met);
                }
            }
        }
    }

    fn add_fan(&mut self, start: u32, met: &mut [bool]) {
        let (first, mut side, mut total) = (self.fan_cells.len() as u32, start, 0.0);
        let closed = loop {
            met[side as usize] = true;
            self.sides[side as usize].corner = self.corners.len() as u32;
            self.fan_cells.push(FanCell { side, angle: total });
            let before = self.before(side);
            let at = self.sides[side as usize].at;
            let (from, to) = (self.end(side) - at, self.sides[before as usize].at - at);
            total += inner_angle(from, to);
            match self.sides[before as usize].twin {
                NONE => break false,
                twin if twin == start => break true,
                twin => side = twin,
            }
        };
        self.corners.push(WeightedCorner { side: start, vertex: self.sides[start as usize].vertex, turns: false });
        let cells = &self.fan_cells[first as usize..];
        let differs = cells.iter().any(|c| self.weight(c.side) != self.weight(start));
        let straight = if closed { std::f64::consts::TAU } else { std::f64::consts::PI };
        if !differs && total <= straight + SAME_ANGLE || closed && !differs && self.metric == Metric::Plan {
            self.fan_cells.truncate(first as usize);
            return;
        }
        if let Some(corner) = self.corners.last_mut() {
            corner.turns = true;
        }
        let fan = self.fans.len() as u32;
        for (place, cell) in (0..).zip(&self.fan_cells[first as usize..]) {
            let side = &mut self.sides[cell.side as usize];
            (side.fan, side.place) = (fan, place);
        }
        self.fans.push(Fan { first, end: self.fan_cells.len() as u32, total, closed });
    }

    fn find_islands(&mut self) {
        let mut waiting = Vec::new();
        for cell in 0..self.cells.len() {
            if self.cells[cell].island != NONE {
                continue;
            }
            let island = self.least.len() as u32;
            self.least.push(f64::INFINITY);
            waiting.push(cell as u32);
            while let Some(cell) = waiting.pop() {
                let WeightedCell { first, end, weight, island: known } = self.cells[cell as usize];
                if known != NONE {
                    continue;
                }
                self.cells[cell as usize].island = island;
                self.least[island as usize] = self.least[island as usize].min(weight);
                let beyond = self.sides[first as usize..end as usize].iter().filter(|s| s.twin != NONE);
                waiting.extend(beyond.map(|s| self.sides[s.twin as usize].cell));
            }
        }
    }

    /// The cells that a place lies in or on, also where they only touch it at a vertex, and the place in the frame of each.
    pub(super) fn locate(&self, mesh: &NavMesh, place: NavPoint, found: &mut Vec<(u32, DVec2)>) {
        found.clear();
        let point = to_plan_f64(place.point);
        for polygon in std::iter::once(place.polygon).chain(self.touching.at(mesh, place)) {
            let cell = self.locator.cell_at(polygon, point);
            if !found.iter().any(|f| f.0 == cell) {
                found.push((cell, self.settled(cell, point)));
            }
        }
        let mut next = 0;
        while let Some(&(cell, at)) = found.get(next) {
            next += 1;
            let WeightedCell { first, end, .. } = self.cells[cell as usize];
            for side in first..end {
                let CellSide { twin, at: a, .. } = self.sides[side as usize];
                let (a, b) = (a - at, self.end(side) - at);
                if twin != NONE && is_on(a, b) {
                    let beyond = self.sides[twin as usize].cell;
                    if !found.iter().any(|f| f.0 == beyond) {
                        found.push((beyond, self.settled(beyond, point)));
                    }
                }
            }
        }
    }

    /// A point of the plan in the frame of a cell, moved into it where single precision put it outside.
    fn settled(&self, cell: u32, point: DVec2) -> DVec2 {
        let mut at = self.in_frame(cell, point);
        let WeightedCell { first, end, .. } = self.cells[cell as usize];
        for side in (first..end).chain(first..end) {
            let a = self.sides[side as usize].at;
            let inward = (self.end(side) - a).normalize_or_zero().perp();
            at += inward * (-inward.dot(at - a)).max(0.0);
        }
        at
    }

    /// A point of the plan in the frame of a cell.
    fn in_frame(&self, cell: u32, point: DVec2) -> DVec2 {
        if self.metric == Metric::Plan {
            return point;
        }
        let first = self.cells[cell as usize].first as usize;
        let corners: [CellSide; 3] = std::array::from_fn(|i| self.sides[first + i]);
        let [a, b, c] = corners.map(|s| DVec2::new(s.space.x, s.space.z));
        let area = (b - a).perp_dot(c - a);
        let (u, v) = ((point - a).perp_dot(c - a) / area, (b - a).perp_dot(point - a) / area);
        let [a, b, c] = corners.map(|s| s.at);
        if area == 0.0 { a } else { a + (b - a) * u + (c - a) * v }
    }
}

/// Whether a point, the origin, lies on a segment or beyond it from inside a cell, as far as single precision can tell.
pub(super) fn is_on(a: DVec2, b: DVec2) -> bool {
    let near = 5e-7 * (1.0 + a.length() + b.length());
    a.perp_dot(b) <= near * a.distance(b) && (a.dot(b) <= 0.0 || a.length() <= near || b.length() <= near)
}

/// Gives the sides of a triangle in space their places in a frame of its own. A polygon that could not be cut into triangles,
/// since all its corners lie in one line, keeps those of the plan.
fn lay_flat(sides: &mut [CellSide]) {
    if sides.len() != 3 {
        return;
    }
    let [a, b, c] = std::array::from_fn(|i| sides[i].space);
    let (along, other) = (b - a, c - a);
    let length = along.length();
    let x = along.normalize_or(DVec3::X);
    let (u, v) = (other.dot(x), (other - x * other.dot(x)).length());
    (sides[0].at, sides[1].at, sides[2].at) = (DVec2::ZERO, DVec2::new(length, 0.0), DVec2::new(u, v));
}
