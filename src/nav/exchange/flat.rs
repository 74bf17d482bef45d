//! Whether ground is flat, so that a polygon needs no height detail.

use glam::DVec3;

use crate::math::plan;

/// Largest difference of heights of ground that is taken as flat, metres.
const FLAT: f64 = 2e-4;

/// Whether the corners of a polygon and points on it lie in one plane: that of the first corner and the widest triangle
/// there.
pub fn is_flat(corners: impl Iterator<Item = DVec3> + Clone, points: &[DVec3]) -> bool {
    let mut rest = corners.clone();
    let Some(a) = rest.next() else { return true };
    let pairs = rest.clone().zip(rest.skip(1));
    let size = |&(b, c): &(DVec3, DVec3)| plan::cross(a, b, c).abs();
    let Some((b, c)) = pairs.max_by(|x, y| size(x).total_cmp(&size(y))) else { return true };
    let whole = plan::cross(a, b, c);
    corners.chain(points.iter().copied()).all(|p| {
        let (u, v) = (plan::cross(a, p, c) / whole, plan::cross(a, b, p) / whole);
        (a.y + u * (b.y - a.y) + v * (c.y - a.y) - p.y).abs() <= FLAT
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_flat_and_tents_are_not() {
        let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]].map(|[x, z]| DVec3::new(x, x * 0.5, z));
        let middle = DVec3::new(2.0, 1.0, 2.0);
        assert!(is_flat(corners.into_iter(), &[middle, corners[1]]));
        assert!(!is_flat(corners.into_iter(), &[middle + DVec3::Y * 0.01]));
        let mut bent = corners;
        bent[3].y = 0.3;
        assert!(!is_flat(bent.into_iter(), &[]));
        assert!(is_flat(corners[..2].iter().copied(), &[]));
    }
}
