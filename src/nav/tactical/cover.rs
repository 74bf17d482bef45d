//! What hides: obstacles beside the mesh, and floors.

use glam::Vec3;

use super::segment::CoverSegment;
use crate::math::Aabb;

/// Something that hides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cover {
    /// An obstacle beside the mesh.
    Segment(CoverSegment),
    /// A flat, convex polygon of floor or ceiling; a triangle repeats its last corner.
    Slab([Vec3; 4]),
}

impl Cover {
    /// Bounding box, local.
    pub(super) fn bounds(&self) -> Aabb {
        match self {
            Self::Segment(s) => Aabb::from_points([s.a, s.b, s.a + Vec3::Y * s.height, s.b + Vec3::Y * s.height]),
            Self::Slab(corners) => Aabb::from_points(*corners),
        }
    }

    /// The corners of its outline in space; a segment is a rectangle that reaches `skirt` metres below the ground.
    pub(super) fn corners(&self, skirt: f32) -> [Vec3; 4] {
        match self {
            Self::Segment(s) => {
                let (low, high) = (Vec3::Y * -skirt, Vec3::Y * s.height);
                [s.a + low, s.b + low, s.b + high, s.a + high]
            }
            Self::Slab(corners) => *corners,
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        match self {
            Self::Segment(s) => s.a.is_finite() && s.b.is_finite() && s.height.is_finite(),
            Self::Slab(corners) => corners.iter().all(|c| c.is_finite()),
        }
    }
}
