//! The edges of parts as Detour's tiles name them, and whether Detour joins those on the borders of tiles as the mesh does.
//!
//! Detour knows no neighbours across tiles: when it loads one, it joins edges that are marked with the side of the tile and
//! lie upon each other.

use glam::Vec3;

use super::cut::CutMesh;

/// Bit of an edge that leads out of its tile; the side is in the low bits.
const EXTERNAL: u16 = 0x8000;
/// Largest distance of borders that Detour joins, seen from above, and what it takes off both ends of a border, metres.
const BORDER_REACH: f32 = 0.01;
/// Steps of x and z to the tile beyond sides 0, 2, 4 and 6.
const STEPS: [[i32; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];

/// In which tile a part lies, and its number there.
#[derive(Clone, Copy, Debug)]
pub struct PartPlace {
    /// The tile.
    pub tile: u32,
    /// The number.
    pub number: u16,
}

/// The edges of all parts, and what Detour makes of those between tiles.
#[derive(Debug, Default)]
pub struct TileEdges {
    /// For each part and edge: 0 for a wall, a neighbour's number plus one, or the side of the tile.
    pub neighbors: Vec<Vec<u16>>,
    /// Passages between tiles.
    pub portals: usize,
    /// Passages that Detour does not find, because they are narrower than 2 cm.
    pub narrow: usize,
    /// Passages that Detour does not find because they do not run along the border.
    pub oblique: usize,
    /// Passages that Detour finds and the mesh does not have.
    pub extra: usize,
}

/// An edge on the border of two tiles.
#[derive(Clone, Copy)]
struct PortalEdge {
    /// The tile below or left of the border, and the axis across it.
    border: [u32; 2],
    /// Whether the edge is that tile's.
    is_lower: bool,
    part: u32,
    other: u32,
    ends: [Vec3; 2],
}

impl TileEdges {
    /// Numbers the edges of parts that lie in tiles at `cells`, loaded for agents that climb so high.
    pub fn new(cut: &CutMesh, places: &[PartPlace], cells: &[[i32; 2]], climb: f32) -> Self {
        let mut edges = Self::default();
        let mut portals = Vec::new();
        for (part, p) in cut.polygons.iter().enumerate() {
            let here = places[part];
            let mut numbers = Vec::with_capacity(p.corners.len());
            for (k, neighbor) in p.neighbors.iter().enumerate() {
                let Some(other) = *neighbor else {
                    numbers.push(0);
                    continue;
                };
                let there = places[other as usize];
                if there.tile == here.tile {
                    numbers.push(there.number + 1);
                    continue;
                }
                let ends = [k, (k + 1) % p.corners.len()].map(|k| cut.points[p.corners[k] as usize].as_vec3());
                let [from, to] = [here.tile, there.tile].map(|tile| cells[tile as usize]);
                let side = STEPS.iter().position(|step| [from[0] + step[0], from[1] + step[1]] == to);
                let number = match side.map(|side| (side, joins(ends, [ends[1], ends[0]], side % 2, climb))) {
                    Some((side, true)) => {
                        let is_lower = side < 2;
                        let lower = if is_lower { here.tile } else { there.tile };
                        let border = [lower, (side % 2) as u32];
                        portals.push(PortalEdge { border, is_lower, part: part as u32, other, ends });
                        EXTERNAL | (2 * side as u16)
                    }
                    _ => {
                        // Counted from one of both sides.
                        let count = if is_narrow(ends) { &mut edges.narrow } else { &mut edges.oblique };
                        *count += usize::from(here.tile < there.tile);
                        0
                    }
                };
                numbers.push(number);
            }
            edges.neighbors.push(numbers);
        }
        edges.portals = portals.len() / 2;
        edges.extra = extra(portals, climb);
        edges
    }
}

/// Whether an edge is too short for Detour to join it.
fn is_narrow([a, b]: [Vec3; 2]) -> bool {
    (a.x - b.x).hypot(a.z - b.z) < 2.5 * BORDER_REACH
}

/// The coordinate along a border: z where the axis across it is x, which is 0.
fn along(point: Vec3, axis: usize) -> f32 {
    if axis == 0 { point.z } else { point.x }
}

fn across(point: Vec3, axis: usize) -> f32 {
    if axis == 0 { point.x } else { point.z }
}

/// An edge from its low to its high end: places along the border, and heights.
fn span([a, b]: [Vec3; 2], axis: usize) -> [[f32; 2]; 2] {
    let mut ends = [a, b].map(|p| [along(p, axis), p.y]);
    if ends[0][0] > ends[1][0] {
        ends.swap(0, 1);
    }
    ends
}

/// Whether Detour joins two edges on both sides of a border.
fn joins(a: [Vec3; 2], b: [Vec3; 2], axis: usize, climb: f32) -> bool {
    if (across(a[0], axis) - across(b[0], axis)).abs() > BORDER_REACH {
        return false;
    }
    let (a, b) = (span(a, axis), span(b, axis));
    let from = a[0][0].max(b[0][0]) + BORDER_REACH;
    let to = a[1][0].min(b[1][0]) - BORDER_REACH;
    if from > to {
        return false;
    }
    let height = |[low, high]: [[f32; 2]; 2], at: f32| {
        let slope = (high[1] - low[1]) / (high[0] - low[0]);
        slope * at + (low[1] - slope * low[0])
    };
    let steps = [from, to].map(|at| height(b, at) - height(a, at));
    steps[0] * steps[1] < 0.0 || steps.iter().any(|step| step.abs() <= 2.0 * climb)
}

/// How many pairs of edges Detour joins that are no neighbours.
fn extra(mut portals: Vec<PortalEdge>, climb: f32) -> usize {
    portals.sort_unstable_by_key(|p| p.border);
    let mut extra = 0;
    for border in portals.chunk_by(|a, b| a.border == b.border) {
        let axis = border[0].border[1] as usize;
        let low = |p: &PortalEdge| span(p.ends, axis)[0][0];
        let (lower, mut upper): (Vec<PortalEdge>, Vec<PortalEdge>) = border.iter().partition(|p| p.is_lower);
        upper.sort_by(|a, b| low(a).total_cmp(&low(b)));
        let longest = upper.iter().map(|p| span(p.ends, axis)).map(|[low, high]| high[0] - low[0]).fold(0.0, f32::max);
        for a in &lower {
            let [from, to] = span(a.ends, axis).map(|end| end[0]);
            let first = upper.partition_point(|b| low(b) < from - longest);
            let near = upper[first..].iter().take_while(|b| low(b) < to);
            extra += near.filter(|b| b.part != a.other && joins(a.ends, b.ends, axis, climb)).count();
        }
    }
    extra
}
