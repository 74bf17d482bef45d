//! The grid of integers on which outlines are united and subtracted.

use crate::asset::LevelTriangle;
use crate::nav::rect_grid::Rect;
use glam::DVec2;
use i_triangle::i_overlay::i_float::int::point::IntPoint;

/// Cells of the grid per metre, in levels up to [`MAX_FINE_EXTENT`].
const CELLS_PER_METRE: f64 = 8192.0;
/// Largest distance from a level's middle at which the grid is that fine, metres: coordinates stay below 2³⁰.
const MAX_FINE_EXTENT: f64 = 100_000.0;

/// A cell.
pub(super) type Point = IntPoint<i32>;
/// An outline, or the outline of a hole.
pub(super) type Contour = Vec<Point>;

/// The grid of integers over a level, seen from above.
#[derive(Clone, Copy)]
pub(super) struct LevelGrid {
    origin: DVec2,
    per_metre: f64,
}

impl LevelGrid {
    /// The grid around all triangles of a level.
    pub fn around(triangles: &[LevelTriangle]) -> Self {
        let points = triangles.iter().flat_map(|t| t.points).filter(|p| p.is_finite());
        let plan = points.map(|p| DVec2::new(p.x.into(), p.z.into()));
        let (low, high) = plan.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let extent = ((high - low).max_element() * 0.5).max(1.0);
        let per_metre = CELLS_PER_METRE * (MAX_FINE_EXTENT / extent).min(1.0);
        Self { origin: (low + high) * 0.5, per_metre }
    }

    /// Cells per metre.
    pub fn per_metre(&self) -> f64 {
        self.per_metre
    }

    /// The cell of a place.
    pub fn snap(&self, p: DVec2) -> Point {
        let p = ((p - self.origin) * self.per_metre).round();
        IntPoint::new(p.x as i32, p.y as i32)
    }

    /// Where a cell lies.
    pub fn point(&self, p: Point) -> DVec2 {
        DVec2::new(p.x.into(), p.y.into()) / self.per_metre + self.origin
    }

    /// The cells of an outline.
    pub fn contour(&self, outline: &[DVec2]) -> Contour {
        outline.iter().map(|&p| self.snap(p)).collect()
    }

    /// The rectangle around a contour.
    pub fn rect(&self, contour: &[Point]) -> Rect {
        Rect::around(contour.iter().map(|&p| self.point(p).as_vec2()))
    }

    /// Twice the area of a contour, square metres.
    pub fn double_area(&self, contour: &[Point]) -> f64 {
        let points: Vec<DVec2> = contour.iter().map(|&p| self.point(p)).collect();
        super::convex::double_area(&points).abs()
    }
}
