//! Debug drawing of level triangles, octree cells and boxes.

use super::octree_cell::OctreeCell;
use crate::asset::LevelTriangle;
use crate::debug::{Color, DebugDraw, Layer, shapes};
use glam::Vec3;

/// Level triangles as wires: a blue that shows on white walls and on dark ones.
pub const WIRE: Color = [0.15, 0.5, 0.95, 0.7];
/// Box around the level.
pub const LEVEL_BOX: Color = [1.0, 1.0, 0.3, 0.9];
/// Boxes around instances.
pub const INSTANCE_BOX: Color = [1.0, 0.85, 0.2, 0.8];
/// Box around the selected instance.
pub const SELECTED_BOX: Color = [0.3, 1.0, 0.4, 1.0];
/// Box around an instance that touches another one.
pub const CONTACT_BOX: Color = [1.0, 0.15, 0.1, 1.0];
/// Cells of the instance octree.
pub const INSTANCE_CELL: Color = [0.95, 0.95, 1.0, 0.5];
/// Triangles in contact.
pub const CONTACT: Color = [1.0, 0.15, 0.1, 0.5];

/// Draws the edges of all triangles. An edge shared by two consecutive triangles is drawn once.
pub fn wireframe(d: &mut DebugDraw, triangles: &[LevelTriangle]) {
    if !d.wants(Layer::LevelWireframe) {
        return;
    }
    let mut last: Option<[Vec3; 3]> = None;
    for t in triangles {
        for i in 0..3 {
            let (a, b) = (t.points[i], t.points[(i + 1) % 3]);
            if !last.is_some_and(|l| l.contains(&a) && l.contains(&b)) {
                d.line(Layer::LevelWireframe, a, b, WIRE);
            }
        }
        last = Some(t.points);
    }
}

/// Draws the non-empty leaves of an octree, coloured by depth unless `color` is given.
pub fn octree(d: &mut DebugDraw, layer: Layer, cells: impl Iterator<Item = OctreeCell>, color: Option<Color>) {
    if d.wants(layer) {
        for cell in cells.filter(|cell| cell.items > 0) {
            shapes::aabb(d, layer, &cell.bounds, color.unwrap_or_else(|| depth_color(cell.depth)));
        }
    }
}

/// From blue at the root to red deep down.
fn depth_color(depth: u32) -> Color {
    let t = (depth as f32 / 6.0).min(1.0);
    [0.2 + 0.8 * t, 0.7 - 0.4 * t, 1.0 - 0.8 * t, 0.6]
}

/// Draws triangles filled and outlined, offset along their normals to avoid z-fighting.
pub fn contact_triangles(d: &mut DebugDraw, triangles: impl Iterator<Item = LevelTriangle>) {
    let layer = Layer::CollidingTriangles;
    for t in triangles {
        let lift = t.normal * 0.02;
        let points = t.points.map(|p| p + lift);
        d.triangle(layer, points, CONTACT);
        shapes::triangle_edges(d, layer, &points, [CONTACT[0], CONTACT[1], CONTACT[2], 1.0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::triangle_octree::TriangleOctree;

    fn quad() -> [LevelTriangle; 2] {
        let (a, b, c, e) = (Vec3::ZERO, Vec3::Z, Vec3::X, Vec3::X + Vec3::Z);
        let t = |index, points| LevelTriangle { index, points, normal: Vec3::Y };
        [t(0, [a, b, c]), t(1, [c, b, e])]
    }

    #[test]
    fn shared_edges_are_drawn_once() {
        let mut d = DebugDraw::wanting([Layer::LevelWireframe]);
        wireframe(&mut d, &quad());
        assert_eq!(d.lines.len(), 5);
    }

    #[test]
    fn cells_and_touched_triangles_reach_their_layers() {
        let mut d = DebugDraw::wanting([Layer::LevelOctree, Layer::CollidingTriangles]);
        octree(&mut d, Layer::LevelOctree, TriangleOctree::build(&quad(), 10, 5).cells(), None);
        assert_eq!(d.lines.len(), 12);
        contact_triangles(&mut d, quad().into_iter());
        assert_eq!((d.triangles.len(), d.lines.len()), (2, 12 + 6));
        octree(&mut d, Layer::InstanceOctree, TriangleOctree::build(&quad(), 10, 5).cells(), Some(INSTANCE_CELL));
        assert_eq!(d.lines.len(), 18, "a disabled layer stays empty");
    }
}
