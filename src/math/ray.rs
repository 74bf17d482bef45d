//! Rays against boxes and triangles.

use super::Aabb;
use glam::Vec3;

/// A half line. `direction` need not be of unit length; hit parameters are multiples of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start point.
    pub origin: Vec3,
    /// Direction.
    pub direction: Vec3,
}

impl Ray {
    /// The point at parameter `t`.
    #[inline]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + self.direction * t
    }

    /// Parameter interval inside `aabb`, cut to `t >= 0`, by the slab method; `None` for a miss.
    #[inline]
    pub fn aabb_interval(&self, aabb: &Aabb) -> Option<(f32, f32)> {
        let (mut enter, mut leave) = (0.0_f32, f32::INFINITY);
        for axis in 0..3 {
            let (o, d) = (self.origin[axis], self.direction[axis]);
            if d == 0.0 {
                if o < aabb.min[axis] || o > aabb.max[axis] {
                    return None;
                }
                continue;
            }
            let (a, b) = ((aabb.min[axis] - o) / d, (aabb.max[axis] - o) / d);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        (enter <= leave).then_some((enter, leave))
    }

    /// Parameter of the hit with a triangle, from both sides; `None` for a miss, a parallel ray or a
    /// triangle without area. Edges count as inside. (Möller and Trumbore 1997.)
    #[inline]
    pub fn triangle(&self, points: &[Vec3; 3]) -> Option<f32> {
        let (e1, e2) = (points[1] - points[0], points[2] - points[0]);
        let p = self.direction.cross(e2);
        let det = e1.dot(p);
        let scale = e1.length() * e2.length() * self.direction.length();
        if !(det.abs() > scale * 1e-9) {
            return None;
        }
        let s = self.origin - points[0];
        let u = s.dot(p) / det;
        let q = s.cross(e1);
        let v = self.direction.dot(q) / det;
        let t = e2.dot(q) / det;
        (u >= -1e-6 && v >= -1e-6 && u + v <= 1.0 + 1e-6 && t >= 0.0).then_some(t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangle_hits_from_both_sides_and_never_on_degenerates() {
        let tri = [Vec3::ZERO, Vec3::X, Vec3::Z];
        let down = Ray { origin: Vec3::new(0.2, 3.0, 0.2), direction: Vec3::NEG_Y };
        let up = Ray { origin: Vec3::new(0.2, -3.0, 0.2), direction: Vec3::Y * 2.0 };
        assert_eq!(down.triangle(&tri), Some(3.0));
        assert_eq!(up.triangle(&tri), Some(1.5));
        assert_eq!(down.triangle(&[Vec3::ZERO, Vec3::X, Vec3::X * 2.0]), None);
        assert_eq!(down.triangle(&[Vec3::NAN, Vec3::X, Vec3::Z]), None);
    }

    #[test]
    fn box_interval_starts_at_zero_inside() {
        let b = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);
        let r = Ray { origin: Vec3::ZERO, direction: Vec3::X };
        assert_eq!(r.aabb_interval(&b), Some((0.0, 1.0)));
        let miss = Ray { origin: Vec3::Y * 2.0, direction: Vec3::X };
        assert_eq!(miss.aabb_interval(&b), None);
    }
}
