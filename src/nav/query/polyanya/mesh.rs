//! The mesh that Polyanya searches: convex cells, the portals between them and the corners to turn at.
//!
//! Cells are exactly convex: polygons with a reflex vertex (a rotated mesh has many, of the size of rounding) are cut,
//! and neighbours that together are convex become one cell. Walls are not kept, only the corners that they make.

use glam::DVec2;

use super::cell_locator::CellLocator;
use super::half_edge::HalfEdgeMesh;
use crate::math::graph::Biconnected;
use crate::math::plan::{inner_angle, to_plan_f64};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};
use crate::nav::query::touching::TouchingPolygons;

/// A portal out of a cell: seen in that direction, `a` is on the right and `b` on the left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portal {
    pub(super) a: DVec2,
    pub(super) b: DVec2,
    /// The cell beyond.
    pub(super) to: u32,
    /// The same portal as a way out of that cell.
    pub(super) twin: u32,
    /// The corner at `a`, around which a path turns right; [`NONE`] where no path turns.
    pub(super) corner_a: u32,
    /// The corner at `b`, likewise to the left.
    pub(super) corner_b: u32,
    /// See [`PolyanyaMesh::tops`].
    pub(super) block: u32,
}

/// A convex part of the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Its portals, in order around it.
    pub(super) first: u32,
    pub(super) end: u32,
    /// Its part of [`PolyanyaMesh::walls`].
    pub(super) walls: u32,
    pub(super) walls_end: u32,
    /// The block that leads up the tree, [`NONE`] at its root.
    pub(super) block: u32,
    /// Blocks up to the root of the tree.
    pub(super) depth: u32,
    /// Cells with the same number are connected.
    pub(super) island: u32,
}

/// A vertex where the ground spans more than half a turn between two walls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) at: DVec2,
    /// Directions of the walls: the ground lies to the left of `right_wall`, to the right of `left_wall`.
    pub(super) right_wall: DVec2,
    pub(super) left_wall: DVec2,
    /// The portals seen from here, in order from the right wall to the left: a part of [`PolyanyaMesh::seen`].
    pub(super) seen: u32,
    pub(super) seen_end: u32,
    pub(super) vertex: u32,
    /// The ground winds around it by more than a full turn: directions do not say what lies beside what.
    pub(super) spiral: bool,
}

/// The mesh that [`Polyanya`](super::Polyanya) searches, for one navigation mesh and filter; can be built on any
/// thread.
#[derive(Clone, Debug)]
pub struct PolyanyaMesh {
    pub(super) key: (u64, u16, u16),
    pub(super) cells: Vec<Cell>,
    /// The edges without a way out, from end to end.
    pub(super) walls: Vec<[DVec2; 2]>,
    pub(super) portals: Vec<Portal>,
    pub(super) corners: Vec<Corner>,
    pub(super) seen: Vec<u32>,
    /// Vertices of the portals' ends.
    pub(super) ends: Vec<[u32; 2]>,
    /// Blocks are sets of portals: those of one block lie on circles of cells, or the block is a single portal. A cell
    /// in several blocks is all that connects them, so blocks and cells form a tree, and a path stays in the blocks on
    /// the tree's way from its start to its end. Per block: its cell nearest to the root.
    pub(super) tops: Vec<u32>,
    pub(super) touching: TouchingPolygons,
    locator: CellLocator,
}

impl PolyanyaMesh {
    pub(super) fn key_of(mesh: &NavMesh, filter: &Filter) -> (u64, u16, u16) {
        (mesh.id(), filter.include, filter.exclude)
    }

    /// Builds the mesh; the time grows with the size of `mesh`.
    pub fn build(mesh: &NavMesh, filter: &Filter) -> Self {
        let mut rings = HalfEdgeMesh::new(mesh, filter);
        rings.drop_edges_without_length(false);
        rings.cut_reflex_vertices();
        let outlines = rings.cut_outlines();
        rings.merge(|_, _| true);
        rings.join_portals();
        let mut net = Self {
            key: Self::key_of(mesh, filter),
            cells: Vec::new(),
            walls: Vec::new(),
            portals: Vec::new(),
            corners: Vec::new(),
            seen: Vec::new(),
            ends: Vec::new(),
            tops: Vec::new(),
            touching: TouchingPolygons::find(mesh, filter),
            locator: CellLocator::default(),
        };
        let (cell_of_ring, portal_of) = net.lay_out(&rings);
        net.find_corners(&rings, &portal_of);
        net.find_blocks();
        net.locator = CellLocator::new(mesh, filter, outlines, |ring| cell_of_ring[rings.merged(ring) as usize]);
        net
    }

    /// Number of vertices at which paths may turn.
    pub fn corner_count(&self) -> usize {
        self.corners.len()
    }

    /// Its size in memory.
    pub fn bytes(&self) -> usize {
        let lists = size_of_val(&self.cells[..]) + size_of_val(&self.walls[..]) + size_of_val(&self.portals[..]);
        let others = size_of_val(&self.corners[..]) + size_of_val(&self.seen[..]) + size_of_val(&self.ends[..]);
        size_of::<Self>() + lists + others + size_of_val(&self.tops[..]) + self.locator.bytes() + self.touching.bytes()
    }

    /// The cell of a point over a polygon that the filter passes.
    pub(super) fn cell_at(&self, polygon: PolyId, point: DVec2) -> u32 {
        self.locator.cell_at(polygon, point)
    }

    /// Finds the cells that a point over a polygon lies in or on: into `found`, its own first, then those that portals
    /// connect around it, then those that only touch it at a vertex. Returns how many are connected, and the point as
    /// the search takes it.
    pub(super) fn locate(&self, mesh: &NavMesh, place: NavPoint, found: &mut Vec<u32>) -> (usize, DVec2) {
        let given = to_plan_f64(place.point);
        let point = self.place(self.cell_at(place.polygon, given), given, found);
        let connected = found.len();
        for polygon in self.touching.at(mesh, place) {
            let cell = self.cell_at(polygon, given);
            if !found.contains(&cell) {
                found.push(cell);
            }
        }
        (connected, point)
    }

    /// Finds the cells that a point of a cell lies in or on, as far as portals connect them around it: into `found`, its own
    /// first. Returns the point as searches take it.
    pub(super) fn place(&self, cell: u32, point: DVec2, found: &mut Vec<u32>) -> DVec2 {
        let point = settled(self, cell, point);
        flood(self, cell, point, found);
        point
    }

    /// Numbers cells and portals; returns the number of each ring and each edge.
    fn lay_out(&mut self, rings: &HalfEdgeMesh<'_>) -> (Vec<u32>, Vec<u32>) {
        let mut cell_of = vec![NONE; rings.count()];
        let mut portal_of = vec![NONE; rings.edges.len()];
        for edge in 0..rings.edges.len() as u32 {
            let ring = rings.ring(edge);
            if !rings.edges[edge as usize].live || cell_of[ring as usize] != NONE {
                continue;
            }
            cell_of[ring as usize] = self.cells.len() as u32;
            let (first, walls) = (self.portals.len() as u32, self.walls.len() as u32);
            rings.around(edge, |e| {
                let side = &rings.edges[e as usize];
                if side.twin == NONE {
                    self.walls.push([rings.at(side.vertex), rings.at(rings.end(e))]);
                } else {
                    portal_of[e as usize] = self.portals.len() as u32;
                    let end = rings.end(e);
                    self.ends.push([side.vertex, end]);
                    self.portals.push(Portal {
                        a: rings.at(side.vertex),
                        b: rings.at(end),
                        to: rings.ring(side.twin),
                        twin: side.twin,
                        corner_a: NONE,
                        corner_b: NONE,
                        block: NONE,
                    });
                }
            });
            let (end, walls_end) = (self.portals.len() as u32, self.walls.len() as u32);
            self.cells.push(Cell { first, end, walls, walls_end, block: NONE, depth: 0, island: NONE });
        }
        for p in &mut self.portals {
            p.to = cell_of[p.to as usize];
            p.twin = portal_of[p.twin as usize];
        }
        (cell_of, portal_of)
    }

    /// Goes around the beginning of every wall, to the wall at its other side.
    fn find_corners(&mut self, rings: &HalfEdgeMesh<'_>, portal_of: &[u32]) {
        let mut crossed = Vec::new();
        for wall in 0..rings.edges.len() as u32 {
            let side = &rings.edges[wall as usize];
            if !side.live || side.twin != NONE {
                continue;
            }
            let at = rings.at(side.vertex);
            let seen = self.seen.len() as u32;
            crossed.clear();
            let (mut out, mut angle) = (wall, 0.0);
            let last = loop {
                let back = rings.edges[out as usize].before;
                let mut e = rings.edges[out as usize].next;
                let sides = [rings.edges[e as usize].vertex, rings.edges[back as usize].vertex];
                angle += inner_angle(rings.at(sides[0]) - at, rings.at(sides[1]) - at);
                while e != back && e != out {
                    if portal_of[e as usize] != NONE {
                        self.seen.push(portal_of[e as usize]);
                    }
                    e = rings.edges[e as usize].next;
                }
                if rings.edges[back as usize].twin == NONE {
                    break back;
                }
                crossed.push(portal_of[back as usize]);
                out = rings.edges[back as usize].twin;
            };
            let (right_wall, left_wall) =
                (rings.at(rings.end(wall)) - at, rings.at(rings.edges[last as usize].vertex) - at);
            let wedge = right_wall.perp_dot(left_wall);
            let narrow = wedge > 0.0 || (wedge == 0.0 && right_wall.dot(left_wall) <= 0.0);
            let spiral = angle > if narrow { 1.5 } else { 2.5 } * std::f64::consts::PI;
            if crossed.is_empty() || (narrow && !spiral) {
                self.seen.truncate(seen as usize);
                continue;
            }
            let number = self.corners.len() as u32;
            for &p in &crossed {
                let twin = self.portals[p as usize].twin;
                self.portals[p as usize].corner_b = number;
                self.portals[twin as usize].corner_a = number;
            }
            let seen_end = self.seen.len() as u32;
            self.corners.push(Corner { at, right_wall, left_wall, seen, seen_end, vertex: side.vertex, spiral });
        }
    }

    /// Finds islands and blocks.
    fn find_blocks(&mut self) {
        let blocks = Biconnected::find(self.cells.len(), |cell, i| {
            let cell = &self.cells[cell as usize];
            (cell.first + i < cell.end).then(|| self.portals[(cell.first + i) as usize].to)
        });
        let mut islands = 0;
        // A component's top is found before the cells below it.
        for &number in &blocks.order {
            let block = blocks.above[number as usize];
            let (depth, island) = match blocks.tops.get(block as usize) {
                Some(&top) => (self.cells[top as usize].depth + 1, self.cells[top as usize].island),
                None => {
                    islands += 1;
                    (0, islands - 1)
                }
            };
            let cell = &mut self.cells[number as usize];
            (cell.block, cell.depth, cell.island) = (block, depth, island);
            for portal in &mut self.portals[cell.first as usize..cell.end as usize] {
                portal.block = blocks.component_of_edge(number, portal.to);
            }
        }
        self.tops = blocks.tops;
    }
}

/// The point, moved into its cell where rounding (or a careless caller) put it behind a wall or the line of a portal:
/// from there it would see too much or too little. A point within a portal's width lies in the cell beyond instead.
fn settled(net: &PolyanyaMesh, cell: u32, mut point: DVec2) -> DVec2 {
    let cell = net.cells[cell as usize];
    let walls = &net.walls[cell.walls as usize..cell.walls_end as usize];
    let portals = &net.portals[cell.first as usize..cell.end as usize];
    for round in 0..4 {
        let before = point;
        for (wall, [a, b]) in walls.iter().map(|&w| (true, w)).chain(portals.iter().map(|p| (false, [p.a, p.b]))) {
            let behind = (b - point).perp_dot(a - point);
            let along = b - a;
            if behind > 0.0 && (wall || (a - point).dot(b - point) > 0.0) && along != DVec2::ZERO {
                let margin = 1e-15 * (point.length() + a.length()) * f64::from(1 << (4 * round));
                point += along.perp() * ((behind / along.length() + margin) / along.length());
            }
        }
        if point == before {
            break;
        }
    }
    point
}

/// The cells that the point lies in or on, as far as portals connect them around it.
fn flood(net: &PolyanyaMesh, cell: u32, point: DVec2, found: &mut Vec<u32>) {
    found.clear();
    found.push(cell);
    let mut next = 0;
    while next < found.len() {
        let cell = net.cells[found[next] as usize];
        for p in &net.portals[cell.first as usize..cell.end as usize] {
            let (a, b) = (p.a - point, p.b - point);
            if a.perp_dot(b) <= 0.0 && a.dot(b) <= 0.0 && !found.contains(&p.to) {
                found.push(p.to);
            }
        }
        next += 1;
    }
}
