//! Outlines of any shape as convex parts.

use foldhash::{HashMap, HashMapExt};
use glam::{DVec2, DVec3};
use i_triangle::i_overlay::core::fill_rule::FillRule;
use i_triangle::i_overlay::core::overlay::{IntOverlayOptions, Overlay};
use i_triangle::i_overlay::core::solver::Solver;
use i_triangle::i_overlay::i_float::int::point::IntPoint;
use i_triangle::int::unchecked::IntUncheckedTriangulatable;

use crate::math::plan::{self, PlanPoint};

/// Most corners of a part.
const MAX_CORNERS: usize = 1024;
/// Tolerated concavity, as the checks of the mesh have it, with some room.
pub(super) const MAX_CONCAVITY: f64 = 9e-4;
/// Smallest area of a part, square metres.
const MIN_AREA: f64 = 1e-6;
/// Corners of an outline that are tried for a fan.
const MAX_FANS: usize = 64;
/// Cells along the longer side of an outline, on whose corners it is cut into triangles.
const CELLS: f64 = (1u64 << 46) as f64;

/// The convex parts of an outline of positive winding, as numbers of its points: itself, a fan of triangles, triangles, or
/// nothing where it crosses itself or has no ground.
pub fn convex_parts(points: &[DVec3]) -> Vec<Vec<usize>> {
    let count = points.len();
    if count < 3 || plan::area(points) < MIN_AREA {
        return Vec::new();
    }
    if plan::first_reflex_corner(points, MAX_CONCAVITY).is_none() {
        return halves((0..count).collect());
    }
    let fan = |apex: usize| -> Option<Vec<Vec<usize>>> {
        let triangle = |i: usize| {
            let [a, b, c] = [apex, (apex + i) % count, (apex + i + 1) % count];
            (plan::cross(points[a], points[b], points[c]) > 2.0 * MIN_AREA).then(|| vec![a, b, c])
        };
        (1..count - 1).map(triangle).collect()
    };
    (0..count.min(MAX_FANS)).find_map(fan).or_else(|| triangles(points)).unwrap_or_default()
}

/// Parts of at most [`MAX_CORNERS`] corners of a convex outline.
fn halves(ring: Vec<usize>) -> Vec<Vec<usize>> {
    if ring.len() <= MAX_CORNERS {
        return vec![ring];
    }
    let middle = ring.len() / 2;
    let rest = ring[middle..].iter().chain(&ring[..1]).copied().collect();
    [halves(ring[..=middle].to_vec()), halves(rest)].concat()
}

/// The Delaunay triangles of an outline; `None` where it crosses or touches itself.
fn triangles(points: &[DVec3]) -> Option<Vec<Vec<usize>>> {
    let places = || points.iter().map(|p| p.plan());
    let low = places().fold(DVec2::INFINITY, DVec2::min);
    let high = places().fold(DVec2::NEG_INFINITY, DVec2::max);
    let scale = CELLS / (high - low).max_element();
    let snapped = |p: DVec2| {
        let cell = ((p - low) * scale).round();
        IntPoint::new(cell.x as i64, cell.y as i64)
    };
    let contour: Vec<IntPoint<i64>> = places().map(snapped).collect();
    let mut numbers = HashMap::new();
    contour.iter().enumerate().for_each(|(i, p)| {
        numbers.insert([p.x, p.y], i);
    });
    // An outline that is fine is not simplified.
    let mut overlay = Overlay::new_custom(contour.len(), IntOverlayOptions::keep_all_points(), Solver::default());
    if numbers.len() < contour.len() || overlay.simplify_contour(&contour, FillRule::NonZero).is_some() {
        return None;
    }
    let delaunay = contour.uncheck_triangulate().into_delaunay();
    let corners: Vec<usize> = delaunay.points().iter().filter_map(|p| numbers.get(&[p.x, p.y]).copied()).collect();
    let found: Vec<usize> = delaunay.triangle_indices();
    let (found, _) = found.as_chunks::<3>();
    let parts: Option<Vec<[usize; 3]>> =
        found.iter().map(|&[a, b, c]| Some([*corners.get(a)?, *corners.get(b)?, *corners.get(c)?])).collect();
    let size = |&[a, b, c]: &[usize; 3]| plan::cross(points[a], points[b], points[c]);
    let mut parts = parts?;
    let area = plan::area(points);
    let sum: f64 = parts.iter().map(size).sum::<f64>() / 2.0;
    parts.retain(|part| size(part) > 2.0 * MIN_AREA);
    ((sum - area).abs() <= 1e-3 * area).then(|| parts.into_iter().map(Vec::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area_of(points: &[DVec3], parts: &[Vec<usize>]) -> f64 {
        parts.iter().map(|part| plan::area(&part.iter().map(|&i| points[i]).collect::<Vec<_>>())).sum()
    }

    fn outline(corners: &[[f64; 2]]) -> Vec<DVec3> {
        corners.iter().map(|&[x, z]| DVec3::new(x, 0.0, z)).collect()
    }

    #[test]
    fn outlines_of_any_shape_become_convex_parts() {
        // A horseshoe, which is no fan of any corner, with a corner in the middle of a side.
        let horseshoe = [
            [0.0, 0.0],
            [2.0, 0.0],
            [4.0, 0.0],
            [4.0, 3.0],
            [3.0, 3.0],
            [3.0, 1.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [0.0, 3.0],
        ];
        let points = outline(&horseshoe);
        let parts = convex_parts(&points);
        assert_eq!(parts.len(), points.len() - 2);
        assert!((area_of(&points, &parts) - 8.0).abs() < 1e-9);
        assert!(parts.iter().any(|part| part.contains(&1)), "the corner in the middle stays");
        // A star of many points.
        let count = 2000;
        let star: Vec<DVec3> = (0..count)
            .map(|i| {
                let place = DVec2::from_angle(f64::from(i) / f64::from(count) * std::f64::consts::TAU);
                let place = place * if i % 2 == 0 { 5.0 } else { 10.0 };
                DVec3::new(place.x, 0.0, place.y)
            })
            .collect();
        let parts = convex_parts(&star);
        assert!((area_of(&star, &parts) - plan::area(&star)).abs() < 1e-3, "{} parts", parts.len());
        // Outlines that cross or touch themselves are none.
        let crossing = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [1.0, -1.0], [0.0, 4.0]];
        let touching = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 0.0], [0.0, 4.0]];
        for corners in [crossing, touching] {
            assert!(triangles(&outline(&corners)).is_none());
        }
    }
}
