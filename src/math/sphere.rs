//! Spheres.

use glam::Vec3;

/// A sphere in the space of its centre.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sphere {
    /// Centre.
    pub center: Vec3,
    /// Radius in metres; 0 marks a disabled sphere.
    pub radius: f32,
}

impl Sphere {
    /// Whether two closed spheres share a point; a sphere of radius 0 or less touches nothing.
    #[inline]
    pub fn intersects(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        self.radius > 0.0 && other.radius > 0.0 && self.center.distance_squared(other.center) <= reach * reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_and_disabled_spheres() {
        let a = Sphere { center: Vec3::ZERO, radius: 1.0 };
        let b = Sphere { center: Vec3::X * 2.0, radius: 1.0 };
        assert!(a.intersects(&b));
        assert!(!a.intersects(&Sphere { radius: 0.0, ..b }));
    }
}
