//! Convex pieces of walkable triangles, with their planes.

use crate::nav::ground::grid::Rect;
use glam::{DVec2, Vec2, Vec3};

/// A convex piece of one level triangle, counter-clockwise in (x, z): the inside lies where the plan's perpendicular of
/// an edge, (−z, x), points.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Position of its triangle in the level's list.
    pub source: u32,
    /// Corners in plan view.
    pub corners: Vec<DVec2>,
    /// Height of each corner, on the triangle's plane.
    pub heights: Vec<f64>,
}

impl Piece {
    /// A piece of the triangle at `source` in the level's list.
    pub fn new(source: u32, points: impl Iterator<Item = Vec3>) -> Self {
        let (mut corners, mut heights): (Vec<_>, Vec<_>) =
            points.map(|p| (DVec2::new(p.x.into(), p.z.into()), f64::from(p.y))).unzip();
        if super::convex::double_area(&corners) < 0.0 {
            corners.reverse();
            heights.reverse();
        }
        Self { source, corners, heights }
    }

    /// Start and end of an edge in plan view.
    pub fn edge(&self, i: usize) -> (DVec2, DVec2) {
        (self.corners[i], self.corners[(i + 1) % self.corners.len()])
    }

    /// Heights of the start and the end of an edge.
    pub fn edge_heights(&self, i: usize) -> (f64, f64) {
        (self.heights[i], self.heights[(i + 1) % self.heights.len()])
    }

    /// The rectangle around it in plan view.
    pub fn rect(&self) -> Rect {
        self.corners.iter().fold(Rect::EMPTY, |r, p| r.including(p.as_vec2()))
    }
}

/// Solid footprints along the ground in plan view, by the piece near which they stand.
#[derive(Debug, Default)]
pub(super) struct Walls {
    /// Range of each piece's walls in `segments`.
    pub of_piece: Vec<(u32, u32)>,
    /// Footprints, x and z of both ends.
    pub segments: Vec<[Vec2; 2]>,
}

impl Walls {
    /// The walls near a piece.
    pub fn of(&self, piece: usize) -> &[[Vec2; 2]] {
        self.of_piece.get(piece).map_or(&[], |&(from, to)| &self.segments[from as usize..to as usize])
    }
}
