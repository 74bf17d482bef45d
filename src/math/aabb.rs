//! Axis-aligned boxes.

use glam::{Affine3A, Mat4, Vec3};

/// A closed axis-aligned box. Empty when any `min` component exceeds its `max`.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Aabb {
    /// The box that holds nothing: the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// A box from two opposite corners, given as smallest and largest.
    #[inline]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The smallest box around `points`; [`Aabb::EMPTY`] for none.
    #[inline]
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| b.including(p))
    }

    /// Whether the box holds no point.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !(self.min.cmple(self.max).all())
    }

    /// The smallest box around this box and `point`.
    #[inline]
    pub fn including(&self, point: Vec3) -> Self {
        Self::new(self.min.min(point), self.max.max(point))
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.min.min(other.min), self.max.max(other.max))
    }

    /// This box moved outwards by `margin` on every side (inwards when negative).
    #[inline]
    pub fn expanded(&self, margin: Vec3) -> Self {
        Self::new(self.min - margin, self.max + margin)
    }

    /// Centre; the origin for an empty box.
    #[inline]
    pub fn center(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { (self.min + self.max) * 0.5 }
    }

    /// Edge lengths; zero for an empty box.
    #[inline]
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.max - self.min }
    }

    /// Whether the closed boxes share a point.
    #[inline]
    pub fn intersects(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether `point` lies in the closed box.
    #[inline]
    pub fn contains(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// The eight corners, bit 0 of the index choosing x, bit 1 y, bit 2 z.
    #[inline]
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            Vec3::new(
                if i & 1 == 0 { self.min.x } else { self.max.x },
                if i & 2 == 0 { self.min.y } else { self.max.y },
                if i & 4 == 0 { self.min.z } else { self.max.z },
            )
        })
    }

    /// The smallest axis-aligned box around this box transformed by `matrix`; empty stays empty.
    #[inline]
    pub fn transformed(&self, matrix: &Mat4) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let affine = Affine3A::from_mat4(*matrix);
        Self::from_points(self.corners().map(|c| affine.transform_point3(c)))
    }

    /// Squared distance from `point` to the box; 0 inside, infinite for an empty box.
    #[inline]
    pub fn distance_squared(&self, point: Vec3) -> f32 {
        if self.is_empty() {
            return f32::INFINITY;
        }
        point.clamp(self.min, self.max).distance_squared(point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_is_neutral_and_touches_nothing() {
        let b = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);
        assert!(Aabb::EMPTY.is_empty());
        assert_eq!(Aabb::EMPTY.union(&b), b);
        assert!(!Aabb::EMPTY.intersects(&b));
        assert_eq!(Aabb::EMPTY.size(), Vec3::ZERO);
        assert_eq!(Aabb::EMPTY.center(), Vec3::ZERO);
    }

    #[test]
    fn boxes_that_only_touch_intersect() {
        let a = Aabb::new(Vec3::ZERO, Vec3::ONE);
        let b = Aabb::new(Vec3::X, Vec3::new(2.0, 1.0, 1.0));
        assert!(a.intersects(&b));
        assert!(!a.intersects(&Aabb::new(Vec3::splat(1.001), Vec3::splat(2.0))));
    }

    #[test]
    fn transformed_box_holds_its_transformed_corners() {
        let b = Aabb::new(Vec3::new(-1.0, 0.0, 2.0), Vec3::new(3.0, 1.0, 5.0));
        let m = Mat4::from_rotation_y(0.7) * Mat4::from_scale(Vec3::new(-1.0, 2.0, 1.0));
        let t = b.transformed(&m).expanded(Vec3::splat(1e-4));
        assert!(b.corners().iter().all(|&c| t.contains(m.transform_point3(c))));
    }
}
