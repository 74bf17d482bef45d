//! Convex pieces of walkable surfaces, with their planes.

use glam::{DVec2, DVec3, Vec3};
use smallvec::SmallVec;

/// A convex piece of a surface, counter-clockwise in (x, z): the inside lies where the plan's perpendicular of
/// an edge, (−z, x), points.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Position in the level's list of a triangle in whose plane it lies.
    pub source: u32,
    /// Corners in plan view; four at most in most pieces.
    pub corners: SmallVec<[DVec2; 4]>,
    /// A point of the triangle's plane, and how it rises along x and z.
    plane: (DVec3, DVec2),
}

impl Piece {
    /// A whole triangle that is not upright, with its position in the level's list.
    pub fn of_triangle(source: u32, triangle: &[Vec3; 3]) -> Self {
        let [a, b, c] = triangle.map(|p| p.as_dvec3());
        let normal = (b - a).cross(c - a);
        let plane = (a, DVec2::new(-normal.x, -normal.z) / normal.y);
        let mut corners = [a, b, c].map(|p| DVec2::new(p.x, p.z));
        if super::convex::double_area(&corners) < 0.0 {
            corners.reverse();
        }
        Self { source, corners: SmallVec::from_slice(&corners), plane }
    }

    /// A piece of the same triangle with other corners, counter-clockwise.
    pub fn with_corners(&self, corners: impl IntoIterator<Item = DVec2>) -> Self {
        Self { corners: corners.into_iter().collect(), ..*self }
    }

    /// Height of the triangle's plane at a place in plan view.
    pub fn height_at(&self, p: DVec2) -> f64 {
        let (at, slope) = self.plane;
        at.y + slope.dot(p - DVec2::new(at.x, at.z))
    }

    /// Start and end of an edge in plan view.
    pub fn edge(&self, i: usize) -> (DVec2, DVec2) {
        (self.corners[i], self.corners[(i + 1) % self.corners.len()])
    }

    /// Heights of the start and the end of an edge.
    pub fn edge_heights(&self, i: usize) -> (f64, f64) {
        let (from, to) = self.edge(i);
        (self.height_at(from), self.height_at(to))
    }
}
