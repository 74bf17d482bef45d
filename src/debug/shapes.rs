//! Composite debug shapes, drawn as lines.

use super::{Color, DebugDraw, Layer};
use crate::math::Aabb;
use glam::Vec3;

/// The twelve edges of a box; nothing for an empty one.
pub fn aabb(d: &mut DebugDraw, layer: Layer, aabb: &Aabb, color: Color) {
    if aabb.is_empty() || !d.wants(layer) {
        return;
    }
    let corners = aabb.corners();
    for i in 0..8_usize {
        for bit in [1, 2, 4] {
            if i & bit == 0 {
                d.line(layer, corners[i], corners[i | bit], color);
            }
        }
    }
}

/// An open chain of lines through `points`.
pub fn path(d: &mut DebugDraw, layer: Layer, points: &[Vec3], color: Color) {
    for pair in points.windows(2) {
        d.line(layer, pair[0], pair[1], color);
    }
}

/// The three edges of a triangle.
pub fn triangle_edges(d: &mut DebugDraw, layer: Layer, points: &[Vec3; 3], color: Color) {
    for i in 0..3 {
        d.line(layer, points[i], points[(i + 1) % 3], color);
    }
}

/// A horizontal circle of `segments` lines.
pub fn circle(d: &mut DebugDraw, layer: Layer, center: Vec3, radius: f32, segments: u32, color: Color) {
    let at = |i: u32| {
        let angle = i as f32 / segments.max(3) as f32 * std::f32::consts::TAU;
        center + Vec3::new(angle.cos(), 0.0, angle.sin()) * radius
    };
    for i in 0..segments.max(3) {
        d.line(layer, at(i), at(i + 1), color);
    }
}

/// An arrow from `from` to `to` with a flat head of a fifth of its length.
pub fn arrow(d: &mut DebugDraw, layer: Layer, from: Vec3, to: Vec3, color: Color) {
    d.line(layer, from, to, color);
    let back = (from - to) * 0.2;
    let side = back.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X) * back.length() * 0.5;
    d.line(layer, to, to + back + side, color);
    d.line(layer, to, to + back - side, color);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_twelve_edges() {
        let mut d = DebugDraw::wanting([Layer::LevelBox]);
        aabb(&mut d, Layer::LevelBox, &Aabb::new(Vec3::ZERO, Vec3::ONE), [1.0; 4]);
        assert_eq!(d.lines.len(), 12);
        assert!(d.lines.iter().all(|l| (l.ends[0].distance(l.ends[1]) - 1.0).abs() < 1e-6));
        aabb(&mut d, Layer::LevelBox, &Aabb::EMPTY, [1.0; 4]);
        assert_eq!(d.lines.len(), 12);
    }
}
