//! View frusta as six planes.

use super::Aabb;
use glam::{Mat4, Vec3, Vec4};

/// Six planes `(normal, distance)` with normals pointing inwards, in the space before the clip matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    planes: [Vec4; 6],
}

impl Frustum {
    /// Planes of `clip_from_space` for a depth range of 0…1, forward or reversed. (Gribb and Hartmann 2001.) Without a far
    /// plane the normal of its own vanishes, and all lies before it.
    pub fn from_clip(clip_from_space: &Mat4) -> Self {
        let m = clip_from_space.transpose();
        let (x, y, z, w) = (m.x_axis, m.y_axis, m.z_axis, m.w_axis);
        Self { planes: [w + x, w - x, w + y, w - y, z, w - z] }
    }

    /// The same planes in another space, for boxes given there.
    pub fn in_space(&self, frustum_from_space: &Mat4) -> Self {
        let m = frustum_from_space.transpose();
        Self { planes: self.planes.map(|plane| m * plane) }
    }

    /// Whether some part of the box may be inside; never false for a visible box.
    pub fn may_contain(&self, aabb: &Aabb) -> bool {
        !aabb.is_empty()
            && self.planes.iter().all(|plane| {
                let n = plane.truncate();
                let farthest = Vec3::select(n.cmpge(Vec3::ZERO), aabb.max, aabb.min);
                n.dot(farthest) + plane.w >= 0.0
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_far_plane_nothing_ahead_is_too_far_away() {
        let clip = glam::camera::rh::proj::directx::perspective_infinite(1.0, 1.5, 0.1);
        for place in [0.0, 1e4, 1e7_f32] {
            let frustum = Frustum::from_clip(&(clip * Mat4::from_translation(Vec3::splat(-place))));
            let at = |p: Vec3| Aabb::new(p - 0.5, p + 0.5);
            assert!(frustum.may_contain(&at(Vec3::splat(place) + Vec3::NEG_Z * 1e5)));
            assert!(!frustum.may_contain(&at(Vec3::splat(place) + Vec3::Z * 1e5)));
        }
    }

    #[test]
    fn keeps_what_is_ahead_and_drops_what_is_behind() {
        let clip = glam::camera::rh::proj::directx::perspective(1.0, 1.5, 0.1, 100.0);
        let frustum = Frustum::from_clip(&clip);
        let at = |p: Vec3| Aabb::new(p - 0.5, p + 0.5);
        assert!(frustum.may_contain(&at(Vec3::NEG_Z * 10.0)));
        assert!(!frustum.may_contain(&at(Vec3::Z * 10.0)));
        assert!(!frustum.may_contain(&at(Vec3::NEG_Z * 200.0)));
        assert!(!frustum.may_contain(&Aabb::EMPTY));
        // The same ahead, for a thing that stands ten metres off.
        let moved = frustum.in_space(&Mat4::from_translation(Vec3::NEG_Z * 10.0));
        assert!(moved.may_contain(&at(Vec3::ZERO)));
        assert!(!moved.may_contain(&at(Vec3::Z * 20.0)));
    }
}
