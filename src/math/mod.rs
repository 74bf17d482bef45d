//! Geometry without state: transforms, boxes, spheres, rays, triangles, frusta and angles.
//!
//! Right-handed, Y up, metres and radians. Nothing here panics or divides by zero on degenerate input.

pub mod aabb;
pub mod angle;
pub mod color;
pub mod frustum;
pub mod hull;
pub mod ray;
pub mod sphere;
pub mod triangle;
pub mod trs;

pub use aabb::Aabb;
pub use frustum::Frustum;
pub use ray::Ray;
pub use sphere::Sphere;
pub use trs::Trs;

use glam::{Vec2, Vec3};

/// A point or direction seen from above: its x and z, in the units of `p`.
#[inline]
pub const fn flat(p: Vec3) -> Vec2 {
    Vec2::new(p.x, p.z)
}
