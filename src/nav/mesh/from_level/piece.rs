//! Convex pieces of walkable surfaces, and the planes of the triangles that they lie in.

use crate::asset::LevelTriangle;
use crate::math::plan::to_plan_f64;
use glam::{DVec2, DVec3, Vec3};
use smallvec::SmallVec;

/// The plane of a triangle that is not upright: a point of it, and how it rises along x and z.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourcePlane {
    at: DVec3,
    slope: DVec2,
}

impl SourcePlane {
    pub fn of(triangle: &[Vec3; 3]) -> Self {
        let [a, b, c] = triangle.map(|p| p.as_dvec3());
        let normal = (b - a).cross(c - a);
        Self { at: a, slope: DVec2::new(-normal.x, -normal.z) / normal.y }
    }

    /// Its height at a place in plan view.
    pub fn height_at(&self, p: DVec2) -> f64 {
        self.at.y + self.slope.dot(p - DVec2::new(self.at.x, self.at.z))
    }
}

/// The corners of a triangle in plan view, counter-clockwise.
pub(super) fn plan_corners(triangle: &[Vec3; 3]) -> [DVec2; 3] {
    plan_order(triangle).map(|corner| to_plan_f64(triangle[corner]))
}

/// The order in which the corners of a triangle are counter-clockwise in plan view.
pub(super) fn plan_order(triangle: &[Vec3; 3]) -> [usize; 3] {
    if super::convex::double_area(&triangle.map(to_plan_f64)) < 0.0 { [2, 1, 0] } else { [0, 1, 2] }
}

/// A convex piece of a surface, counter-clockwise in (x, z): the inside lies where the plan's perpendicular of an edge,
/// (−z, x), points.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Position in the level's list of a triangle in whose plane it lies.
    pub source: u32,
    /// Corners in plan view; `None` for the whole triangle, which most pieces are.
    outline: Option<Box<[DVec2]>>,
}

impl Piece {
    /// A whole triangle that is not upright, by its position in the level's list.
    pub fn whole(source: u32) -> Self {
        Self { source, outline: None }
    }

    /// A piece in the plane of a triangle with these corners, counter-clockwise.
    pub fn part(source: u32, corners: impl IntoIterator<Item = DVec2>) -> Self {
        Self { source, outline: Some(corners.into_iter().collect()) }
    }

    /// Whether it is a whole triangle, whose corners are those of the piece.
    pub fn is_whole(&self) -> bool {
        self.outline.is_none()
    }

    /// Its corners in plan view.
    pub fn corners(&self, level: &[LevelTriangle]) -> SmallVec<[DVec2; 4]> {
        match &self.outline {
            Some(outline) => SmallVec::from_slice(outline),
            None => SmallVec::from_slice(&plan_corners(&level[self.source as usize].points)),
        }
    }

    /// The plane in which it lies.
    pub fn plane(&self, level: &[LevelTriangle]) -> SourcePlane {
        SourcePlane::of(&level[self.source as usize].points)
    }
}
