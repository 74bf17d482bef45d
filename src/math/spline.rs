//! Centripetal Catmull-Rom splines (Catmull and Rom, "A class of local interpolating splines", 1974; Yuksel, Schaefer
//! and Keyser, "Parameterization and applications of Catmull-Rom curves", Computer-Aided Design 43, 2011), which have
//! neither cusps nor loops between two points.

use std::ops::{Add, Mul, Sub};

/// A point of the curve between the second and the third of four points, by Barry and Goldman's pyramid; `share` 0 to 1.
pub fn catmull_rom<V>([a, b, c, d]: [V; 4], distance: impl Fn(V, V) -> f32, share: f32) -> V
where
    V: Copy + Add<Output = V> + Sub<Output = V> + Mul<f32, Output = V>,
{
    let knot = |p: V, q: V| distance(p, q).sqrt();
    let t0 = 0.0;
    let t1 = t0 + knot(a, b);
    let t2 = t1 + knot(b, c);
    let t3 = t2 + knot(c, d);
    let t = t1 + (t2 - t1) * share;
    // Points that coincide have no time between them.
    let between = |p: V, q: V, from: f32, to: f32| if to > from { p + (q - p) * ((t - from) / (to - from)) } else { q };
    let (ab, bc, cd) = (between(a, b, t0, t1), between(b, c, t1, t2), between(c, d, t2, t3));
    between(between(ab, bc, t0, t2), between(bc, cd, t1, t3), t1, t2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn the_curve_goes_through_its_two_middle_points() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::new(2.0, 1.0, 0.0), Vec3::new(3.0, 3.0, 1.0)];
        let at = |share| catmull_rom(points, |p, q| p.distance(q), share);
        assert!(at(0.0).abs_diff_eq(points[1], 1e-6) && at(1.0).abs_diff_eq(points[2], 1e-6));
        let still = catmull_rom([Vec3::ONE; 4], |p, q| p.distance(q), 0.5);
        assert_eq!(still, Vec3::ONE, "points that coincide");
    }
}
