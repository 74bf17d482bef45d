//! The `shared` neighbour rule: ground that touches, or lies a step apart, with nothing solid between.

use super::{Link, Pieces, carve, is_walkable, join};
use crate::asset::LevelTriangle;
use crate::math::triangle;
use glam::Vec3;

/// How much steeper than allowed a face may be whose corner normal says that it can be walked on.
const FACE_SLACK: f32 = 1e-3;
/// Smallest height of a triangle of ground over its longest edge, seen from above, in metres.
const LEAST_WIDTH: f32 = 1e-4;

/// Pieces of walkable triangles and their links.
pub(super) fn build(triangles: &[LevelTriangle], slope_rad: f32, step_height: f32) -> (Pieces, Vec<Link>) {
    let ground: Vec<bool> = triangles.iter().map(|t| is_ground(t, slope_rad)).collect();
    let (pieces, walls) = carve::carve(triangles, &ground, step_height);
    let links = join::links(&pieces, &walls, step_height);
    (pieces, links)
}

/// Whether a triangle is ground: its normal and its face are flat enough, and it has an extent seen from above.
fn is_ground(t: &LevelTriangle, slope_rad: f32) -> bool {
    if !is_walkable(t.normal, slope_rad) || !t.points.iter().all(|p| p.is_finite()) {
        return false;
    }
    let Some(face) = triangle::normal(&t.points) else { return false };
    let [a, b, c] = t.points;
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    let flat_area = (b - a).cross(c - a).dot(Vec3::Y).abs();
    face.y.abs() >= slope_rad.cos() - FACE_SLACK && flat_area >= longest * LEAST_WIDTH
}
