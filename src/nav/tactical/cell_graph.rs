//! The graph of a tactical search: points on the borders of exposure cells, made polygon by polygon when a search
//! comes there, and kept for the same enemies on the same mesh.

use glam::Vec3;

use super::cells::{self, CellOutline};
use super::threats::Threats;
use crate::math::plan;
use crate::nav::mesh::{NONE, NavMesh, NavPoint, PolyId};

/// Borders nearer to each other than this are one, metres.
const SAME_BORDER: f32 = 2e-3;
/// Shorter borders cannot be crossed, metres.
const MIN_BORDER: f32 = 5e-3;
/// Longest distance between points of a border, metres, and their greatest number.
const SPACING: f32 = 2.0;
const MAX_POINTS: usize = 4;
/// Place of the first point of a border with several, as a share of its length: paths bend at its ends.
const INSET: f32 = 0.02;
/// With more points than this the graph begins anew with the next search.
const MAX_GRAPH: usize = 1 << 21;

/// A border between two cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellBorder {
    /// Its ends as seen from the first cell, in the order of the mesh's portals.
    pub(super) left: Vec3,
    pub(super) right: Vec3,
    pub(super) cells: [u32; 2],
    /// The portal of the mesh out of the first cell's polygon; [`NONE`] within a polygon.
    pub(super) portal: u32,
}

/// A point on the border of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct BorderPoint {
    pub(super) point: Vec3,
    /// Its number in the graph.
    pub(super) node: u32,
    /// The cell beyond.
    pub(super) beyond: u32,
}

/// A cell and the points on its borders.
#[derive(Clone, Debug)]
pub(super) struct GraphCell {
    pub(super) polygon: u32,
    pub(super) is_seen: bool,
    outline: CellOutline,
    pub(super) points: Vec<BorderPoint>,
}

/// The cells of a polygon; `first` is [`NONE`] until they are made.
#[derive(Clone, Copy, Debug)]
struct PolyCells {
    first: u32,
    end: u32,
    /// Whether all its borders are made.
    is_open: bool,
}

const NOT_MADE: PolyCells = PolyCells { first: NONE, end: NONE, is_open: false };

/// The graph.
#[derive(Clone, Debug, Default)]
pub(super) struct CellGraph {
    /// Threats and mesh.
    of: Option<(u64, u64)>,
    polygons: Vec<PolyCells>,
    pub(super) cells: Vec<GraphCell>,
    pub(super) borders: Vec<CellBorder>,
    /// The border of each node.
    pub(super) nodes: Vec<u32>,
}

impl CellGraph {
    /// Begins anew where threats or mesh are others than before.
    pub(super) fn keep_for(&mut self, mesh: &NavMesh, threats: Option<&Threats>) {
        let of = Some((threats.map_or(0, Threats::id), mesh.id()));
        if self.of != of || self.nodes.len() > MAX_GRAPH {
            self.of = of;
            self.polygons.clear();
            self.cells.clear();
            self.borders.clear();
            self.nodes.clear();
        }
        self.polygons.resize(mesh.len(), NOT_MADE);
    }

    /// The cell of a point over its polygon.
    pub(super) fn cell_at(&mut self, mesh: &NavMesh, threats: Option<&Threats>, place: NavPoint) -> u32 {
        self.open(mesh, threats, place.polygon.0);
        let PolyCells { first, end, .. } = self.polygons[place.polygon.index()];
        let depth = |cell: &u32| {
            let outline = &self.cells[*cell as usize].outline;
            let edges = (0..outline.len()).map(|i| (outline[i], outline[(i + 1) % outline.len()]));
            let depths = edges.map(|(a, b)| plan::cross(a, b, place.point) / f64::from(plan::distance(a, b)));
            depths.fold(f64::INFINITY, f64::min)
        };
        (first..end).max_by(|a, b| depth(a).total_cmp(&depth(b))).unwrap_or(first)
    }

    /// Makes all borders of a polygon's cells.
    pub(super) fn open(&mut self, mesh: &NavMesh, threats: Option<&Threats>, polygon: u32) {
        if self.polygons[polygon as usize].is_open {
            return;
        }
        self.make(mesh, threats, polygon);
        let PolyCells { first, end, .. } = self.polygons[polygon as usize];
        for cell in first..end {
            for other in cell + 1..end {
                self.join_within(cell, other);
            }
        }
        let portals = mesh.portals();
        for link in portals.links_of(polygon) {
            self.make(mesh, threats, link.neighbor);
            let next = self.polygons[link.neighbor as usize];
            if !next.is_open {
                let portal = portals.portal(link.portal);
                let ends = [portal.left, portal.right];
                for cell in first..end {
                    let Some(own) = self.along(cell, ends) else { continue };
                    for other in next.first..next.end {
                        if let Some(its) = self.along(other, ends) {
                            let share = (own.0.max(its.0), own.1.min(its.1));
                            self.add(ends, share, [cell, other], link.portal);
                        }
                    }
                }
            }
        }
        self.polygons[polygon as usize].is_open = true;
    }

    fn make(&mut self, mesh: &NavMesh, threats: Option<&Threats>, polygon: u32) {
        if self.polygons[polygon as usize].first != NONE {
            return;
        }
        let first = self.cells.len() as u32;
        for cell in cells::split(mesh.corners_of(PolyId(polygon)), threats) {
            let (outline, is_seen) = (cell.outline, cell.is_seen);
            self.cells.push(GraphCell { polygon, is_seen, outline, points: Vec::new() });
        }
        self.polygons[polygon as usize] = PolyCells { first, end: self.cells.len() as u32, is_open: false };
    }

    /// The part of a line that borders a cell, as shares of its length.
    fn along(&self, cell: u32, [a, b]: [Vec3; 2]) -> Option<(f32, f32)> {
        let length = plan::distance(a, b);
        if !(length > 0.0) {
            return None;
        }
        let aside = |p: Vec3| (plan::cross(a, b, p) as f32 / length).abs();
        let share = |p: Vec3| ((p.x - a.x) * (b.x - a.x) + (p.z - a.z) * (b.z - a.z)) / (length * length);
        let outline = &self.cells[cell as usize].outline;
        let edges = (0..outline.len()).map(|i| (outline[i], outline[(i + 1) % outline.len()]));
        let on = edges.filter(|&(p, q)| aside(p) < SAME_BORDER && aside(q) < SAME_BORDER);
        let spans = on.map(|(p, q)| (share(p).min(share(q)), share(p).max(share(q))));
        spans.reduce(|s, t| (s.0.min(t.0), s.1.max(t.1))).map(|s| (s.0.max(0.0), s.1.min(1.0)))
    }

    /// Joins two cells of a polygon, which have at most one border.
    fn join_within(&mut self, cell: u32, other: u32) {
        let outline = self.cells[cell as usize].outline.clone();
        for i in 0..outline.len() {
            let ends = [outline[i], outline[(i + 1) % outline.len()]];
            if let Some(share) = self.along(other, ends) {
                self.add(ends, share, [cell, other], NONE);
            }
        }
    }

    /// Adds a border on a part of a line, with its points.
    fn add(&mut self, [a, b]: [Vec3; 2], (from, to): (f32, f32), cells: [u32; 2], portal: u32) {
        // Ends near those of the line are these to the bit: where borders meet in a corner, they share it.
        let near = SAME_BORDER / plan::distance(a, b);
        let at = |share: f32| match share {
            s if s < near => a,
            s if s > 1.0 - near => b,
            s => a.lerp(b, s),
        };
        let (left, right) = (at(from), at(to));
        let length = plan::distance(left, right);
        if !(to > from && length > MIN_BORDER) {
            return;
        }
        let border = self.borders.len() as u32;
        self.borders.push(CellBorder { left, right, cells, portal });
        let count = ((length / SPACING) as usize + 1).min(MAX_POINTS);
        for i in 0..count {
            let share = match count {
                1 => 0.5,
                _ => INSET + (1.0 - 2.0 * INSET) * i as f32 / (count - 1) as f32,
            };
            let (point, node) = (left.lerp(right, share), self.nodes.len() as u32);
            self.nodes.push(border);
            for side in [0, 1] {
                self.cells[cells[side] as usize].points.push(BorderPoint { point, node, beyond: cells[1 - side] });
            }
        }
    }
}
