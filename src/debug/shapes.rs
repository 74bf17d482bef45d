//! Composite debug shapes, drawn as lines.

use super::{Color, DebugDraw, LINE_WIDTH, Layer, LineStyle};
use crate::math::{Aabb, Sphere};
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
    polyline(d, layer, points, LINE_WIDTH, color);
}

/// An open chain of lines of a width in points.
pub fn polyline(d: &mut DebugDraw, layer: Layer, points: &[Vec3], width: f32, color: Color) {
    let style = LineStyle { width, ..LineStyle::default() };
    for pair in points.windows(2) {
        d.styled_line(layer, [pair[0], pair[1]], color, style);
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
    let rim = rim(center, radius, segments);
    for i in 0..rim.len() {
        d.line(layer, rim[i], rim[(i + 1) % rim.len()], color);
    }
}

/// A sphere as three circles of 16 lines.
pub fn sphere(d: &mut DebugDraw, layer: Layer, sphere: &Sphere, color: Color) {
    const SEGMENTS: u32 = 16;
    for (x, y) in [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X)] {
        let at = |i: u32| {
            let angle = i as f32 / SEGMENTS as f32 * std::f32::consts::TAU;
            sphere.center + (x * angle.cos() + y * angle.sin()) * sphere.radius
        };
        (0..SEGMENTS).for_each(|i| d.line(layer, at(i), at(i + 1), color));
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

/// A square mark of a width in points.
pub fn dot(d: &mut DebugDraw, layer: Layer, at: Vec3, width: f32, color: Color) {
    d.styled_line(layer, [at, at], color, LineStyle { width, ..LineStyle::default() });
}

/// A filled four-sided piece; its corners lie in order around it.
pub fn quad(d: &mut DebugDraw, layer: Layer, [a, b, c, e]: [Vec3; 4], color: Color) {
    d.triangle(layer, [a, b, c], color);
    d.triangle(layer, [a, c, e], color);
}

/// A filled horizontal disc.
pub fn disc(d: &mut DebugDraw, layer: Layer, center: Vec3, radius: f32, segments: u32, color: Color) {
    let rim = rim(center, radius, segments);
    for i in 0..rim.len() {
        d.triangle(layer, [center, rim[(i + 1) % rim.len()], rim[i]], color);
    }
}

/// A pin that stands on a point: a disc below, a stem, a filled diamond on top, `height` metres high.
pub fn pin(d: &mut DebugDraw, layer: Layer, at: Vec3, height: f32, color: Color) {
    let r = height * 0.12;
    disc(d, layer, at, r * 1.4, 16, color);
    let (top, waist) = (at + Vec3::Y * height, at + Vec3::Y * (height - r * 1.5));
    let foot = at + Vec3::Y * (height - r * 3.0);
    d.line(layer, at, foot, color);
    let rim = rim(waist, r, 6);
    let shade = [color[0] * 0.6, color[1] * 0.6, color[2] * 0.6, color[3]];
    for i in 0..rim.len() {
        let (a, b) = (rim[i], rim[(i + 1) % rim.len()]);
        d.triangle(layer, [a, top, b], if i % 2 == 0 { color } else { shade });
        d.triangle(layer, [a, b, foot], if i % 2 == 0 { shade } else { color });
    }
}

/// An upright prism over an outline: filled with `fill`, its edges in `edge`.
pub fn prism(d: &mut DebugDraw, layer: Layer, outline: &[Vec3], height: f32, fill: Color, edge: Color) {
    let up = Vec3::Y * height;
    let fan = outline.len().saturating_sub(1);
    for i in 1..fan {
        d.triangle(layer, [outline[0] + up, outline[i] + up, outline[i + 1] + up], fill);
    }
    for (i, &a) in outline.iter().enumerate() {
        let b = outline[(i + 1) % outline.len()];
        quad(d, layer, [a, b, b + up, a + up], fill);
        d.line(layer, a, b, edge);
        d.line(layer, a + up, b + up, edge);
        if outline.len() <= 12 || i % 8 == 0 {
            d.line(layer, a, a + up, edge);
        }
    }
}

/// Points around a horizontal circle.
pub fn rim(center: Vec3, radius: f32, segments: u32) -> Vec<Vec3> {
    let at = |i: u32| {
        let (sin, cos) = (i as f32 / segments.max(3) as f32 * std::f32::consts::TAU).sin_cos();
        center + Vec3::new(cos, 0.0, sin) * radius
    };
    (0..segments.max(3)).map(at).collect()
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

    const WHITE: Color = [1.0; 4];

    fn sink() -> DebugDraw {
        DebugDraw::wanting([Layer::LevelBox])
    }

    #[test]
    fn circles_and_spheres_are_closed_at_their_radius() {
        let center = Vec3::new(3.0, 1.0, -2.0);
        let (mut ring, mut ball) = (sink(), sink());
        circle(&mut ring, Layer::LevelBox, center, 2.0, 12, WHITE);
        sphere(&mut ball, Layer::LevelBox, &Sphere { center, radius: 2.0 }, WHITE);
        assert_eq!((ring.lines.len(), ball.lines.len()), (12, 48));
        for chain in std::iter::once(&ring.lines[..]).chain(ball.lines.chunks(16)) {
            for (i, line) in chain.iter().enumerate() {
                assert!((line.ends[0].distance(center) - 2.0).abs() < 1e-5, "{line:?}");
                assert!(line.ends[1].distance(chain[(i + 1) % chain.len()].ends[0]) < 1e-5, "{line:?}");
            }
        }
        assert!(ring.lines.iter().all(|line| line.ends[0].y == 1.0), "a circle is horizontal");
    }

    #[test]
    fn an_arrow_has_a_head_on_both_sides_of_its_shaft() {
        for to in [Vec3::new(0.0, 0.0, 5.0), Vec3::Y] {
            let mut d = sink();
            arrow(&mut d, Layer::LevelBox, Vec3::ZERO, to, WHITE);
            let [shaft, left, right] = &d.lines[..] else { panic!("{:?}", d.lines) };
            assert_eq!((shaft.ends, left.ends[0], right.ends[0]), ([Vec3::ZERO, to], to, to));
            let middle = left.ends[1].midpoint(right.ends[1]);
            assert!(middle.distance(to * 0.8) < 1e-6 && left.ends[1].distance(right.ends[1]) > 0.1, "{to}");
        }
    }

    /// Twice the area of all triangles, as a vector along their normals.
    fn doubled(d: &DebugDraw) -> Vec<Vec3> {
        d.triangles.iter().map(|t| (t.points[1] - t.points[0]).cross(t.points[2] - t.points[0])).collect()
    }

    #[test]
    fn filled_shapes_cover_what_they_are() {
        let mut round = sink();
        disc(&mut round, Layer::LevelBox, Vec3::Y, 2.0, 64, WHITE);
        let area = doubled(&round).iter().sum::<Vec3>() * 0.5;
        assert!((area.y - std::f32::consts::PI * 4.0).abs() < 0.05 && area.with_y(0.0).length() < 1e-4, "{area}");
        let mut block = sink();
        let square = [Vec3::ZERO, Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::X];
        prism(&mut block, Layer::LevelBox, &square, 2.0, WHITE, WHITE);
        let area: f32 = doubled(&block).iter().map(|normal| normal.length() * 0.5).sum();
        assert!((area - 9.0).abs() < 1e-5, "a top and four sides: {area}");
        assert_eq!(block.lines.len(), 12);
        let mut marked = sink();
        pin(&mut marked, Layer::LevelBox, Vec3::X, 3.0, WHITE);
        let heights = marked.triangles.iter().flat_map(|t| t.points).map(|p| p.y);
        let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
        assert_eq!((low, high), (0.0, 3.0), "from the point to its height");
    }
}
