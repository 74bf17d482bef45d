//! Geometry without state: transforms, boxes, spheres, rays, triangles, frusta and angles, the plane as seen from above,
//! and the structure of graphs.
//!
//! Right-handed, Y up, metres and radians. Nothing here panics or divides by zero on degenerate input.

pub mod aabb;
pub mod angle;
pub mod color;
pub mod disjoint_sets;
pub mod frustum;
pub mod graph;
pub mod hull;
pub mod interval_tree;
pub mod percentiles;
pub mod plan;
pub mod ray;
pub mod sphere;
pub mod spline;
pub mod triangle;
pub mod trs;

pub use aabb::Aabb;
pub use frustum::Frustum;
pub use percentiles::Percentiles;
pub use ray::Ray;
pub use sphere::Sphere;
pub use trs::Trs;

/// Cubic ease from 0 to 1, level at both ends; what lies beyond is clamped.
pub fn smoothstep(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
