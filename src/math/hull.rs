//! Convex hulls in the plane.

use glam::Vec2;

/// Corners of the smallest convex polygon around `points`, counter-clockwise in the plane of x and y, from the least
/// x on; without corners on straight sides. Fewer than three when all points lie on a line; points that are not
/// finite are left out. (Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979.)
pub fn convex(points: &[Vec2]) -> Vec<Vec2> {
    let mut sorted: Vec<Vec2> = points.iter().copied().filter(|p| p.is_finite()).collect();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut hull = chain(sorted.iter().copied());
    hull.extend(chain(sorted.iter().rev().copied()));
    hull
}

/// One side of the hull, without its last point.
fn chain(points: impl Iterator<Item = Vec2>) -> Vec<Vec2> {
    let mut side: Vec<Vec2> = Vec::new();
    for p in points {
        while let [.., a, b] = side[..] {
            let (ab, ap) = ((b - a).as_dvec2(), (p - a).as_dvec2());
            if ab.perp_dot(ap) > 0.0 {
                break;
            }
            side.pop();
        }
        side.push(p);
    }
    side.pop();
    side
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_inside_or_on_a_side_is_no_corner() {
        let square = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
        let more = [Vec2::new(0.5, 0.0), Vec2::splat(0.5), Vec2::X, Vec2::new(f32::NAN, 0.0), Vec2::new(0.2, 0.7)];
        let points: Vec<Vec2> = more.into_iter().chain(square.into_iter().rev()).collect();
        assert_eq!(convex(&points), square);
    }

    #[test]
    fn points_on_a_line_have_no_hull() {
        assert!(convex(&[Vec2::ZERO, Vec2::ONE, Vec2::splat(3.0), Vec2::splat(2.0)]).len() < 3);
        assert!(convex(&[Vec2::ONE; 5]).len() < 3);
        assert!(convex(&[]).is_empty());
    }

    #[test]
    fn every_point_lies_inside() {
        let mut seed = 7_u32;
        let mut chance = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / 16_777_216.0
        };
        for _ in 0..200 {
            let points: Vec<Vec2> = (0..20).map(|_| Vec2::new(chance(), chance()) * 10.0).collect();
            let hull = convex(&points);
            for (i, a) in hull.iter().enumerate() {
                let along = hull[(i + 1) % hull.len()] - *a;
                assert!(points.iter().all(|p| along.perp_dot(*p - *a) >= -1e-4));
            }
        }
    }
}
