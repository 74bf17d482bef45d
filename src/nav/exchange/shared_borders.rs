//! Borders that two polygons share corner for corner, and polygons that have no border to join at all.
//!
//! What is shared exactly needs no tolerance: its corners stay where the file has them, however narrow the polygons are.
//! Only the other borders are joined where they lie near each other.

use foldhash::HashMap;
use glam::DVec3;

use super::foreign::{BorderJoint, ForeignPolygon};
use crate::math::plan;

/// A cut nearer to a corner than this is the corner, metres; a narrower passage is none.
pub const SNAP: f64 = 0.002;
/// Cosine of the steepest slope that ground has: 80 degrees.
const MAX_UPRIGHT: f64 = 0.174;

/// Whether a polygon is steeper than ground ever is.
pub fn is_upright(corners: &[DVec3]) -> bool {
    let next = corners.iter().cycle().skip(1);
    let normal: DVec3 = corners.iter().zip(next).map(|(a, b)| (*a - corners[0]).cross(*b - corners[0])).sum();
    normal.y.abs() < MAX_UPRIGHT * normal.length()
}

/// The longest edge as seen from above, metres.
fn longest_edge(corners: &[DVec3]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| (*a - *b).with_y(0.0).length()).fold(0.0, f64::max)
}

/// Whether a polygon is no ground: seen from above it is narrower than two borders that are one, as a wall or the front of a
/// stair is. Its borders lie upon those of ground on both sides of it, above and below, which it must not draw together.
pub fn is_no_ground(corners: &[DVec3]) -> bool {
    plan::area(corners).abs() <= SNAP * longest_edge(corners)
}

/// Whether a polygon leans as a wall does, and seen from above is narrower than `reach`, metres: what lies beside it by no more
/// than that may lie far above or below.
fn leans(corners: &[DVec3], reach: f64) -> bool {
    plan::area(corners).abs() <= reach * longest_edge(corners) && is_upright(corners)
}

/// Edges of polygons: those that two polygons on opposite sides share, and all others.
#[derive(Default)]
pub struct SharedBorders {
    /// Pairs of edges with the same two corners.
    pub joints: Vec<BorderJoint>,
    /// The polygons and edges of no such pair.
    pub others: Vec<[u32; 2]>,
}

/// An edge of a polygon.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct OwnedEdge {
    /// The numbers of the places that it lies between, the smaller first.
    ends: [u32; 2],
    polygon: u32,
    edge: u32,
    /// Whether the polygon lies to the left on the way from the first place to the second.
    is_left: bool,
}

impl SharedBorders {
    /// Finds the edges that polygons share; what is no ground has none, and leaning walls have no others.
    pub fn of(polygons: &[ForeignPolygon], reach: f64) -> Self {
        let mut edges = edges_of(polygons);
        edges.sort_unstable();
        let mut found = Self::default();
        for owners in edges.chunk_by(|a, b| a.ends == b.ends) {
            match owners {
                // A border of three polygons, or of two that are folded upon each other, is for the tolerance to decide.
                [a, b] if a.is_left != b.is_left && a.polygon != b.polygon && a.ends[0] != a.ends[1] => {
                    found.joints.push(BorderJoint { from: [a.polygon, a.edge], to: [b.polygon, b.edge] });
                }
                _ => {
                    let near = owners.iter().filter(|owner| !leans(&polygons[owner.polygon as usize].corners, reach));
                    found.others.extend(near.map(|owner| [owner.polygon, owner.edge]));
                }
            }
        }
        found.joints.sort_unstable_by_key(|joint| (joint.from, joint.to));
        found.others.sort_unstable();
        found
    }
}

/// The edges of all polygons that are ground.
fn edges_of(polygons: &[ForeignPolygon]) -> Vec<OwnedEdge> {
    let mut places: HashMap<[u64; 3], u32> = HashMap::default();
    let mut edges = Vec::new();
    let mut ring = Vec::new();
    for (polygon, ForeignPolygon { corners, .. }) in (0..).zip(polygons) {
        if is_no_ground(corners) {
            continue;
        }
        let is_positive = plan::area(corners) > 0.0;
        ring.clear();
        for corner in corners {
            let next = places.len() as u32;
            ring.push(*places.entry(bits(*corner)).or_insert(next));
        }
        for (edge, &from) in (0..).zip(&ring) {
            let to = ring[(edge as usize + 1) % ring.len()];
            edges.push(OwnedEdge {
                ends: [from.min(to), from.max(to)],
                polygon,
                edge,
                is_left: (from < to) == is_positive,
            });
        }
    }
    edges
}

/// The bits of a place, so that places are equal where their coordinates are; both zeros are one.
pub fn bits(place: DVec3) -> [u64; 3] {
    place.to_array().map(|c| (c + 0.0).to_bits())
}
