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
/// Depth of cells in red.
const RED_DEPTH: f32 = 6.0;
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

/// Draws the non-empty leaves of an octree in the colours of their depth. Cells of `max_depth` stand for what lies in them;
/// 0 for no limit.
pub fn octree(d: &mut DebugDraw, layer: Layer, cells: impl Iterator<Item = OctreeCell>, max_depth: u32) {
    let limit = if max_depth == 0 { u32::MAX } else { max_depth };
    let is_drawn = |cell: &OctreeCell| cell.depth == limit || (cell.depth < limit && cell.items > 0);
    if d.wants(layer) {
        cells.filter(is_drawn).for_each(|cell| shapes::aabb(d, layer, &cell.bounds, depth_color(cell.depth)));
    }
}

/// From blue at the root over green and yellow to red at [`RED_DEPTH`] and below.
pub fn depth_color(depth: u32) -> Color {
    const RAMP: [[f32; 3]; 4] = [[0.1, 0.35, 1.0], [0.05, 0.75, 0.35], [0.95, 0.75, 0.05], [0.95, 0.08, 0.05]];
    let at = 3.0 * (depth as f32 / RED_DEPTH).min(1.0);
    let low = (at as usize).min(2);
    let [r, g, b] = Vec3::from(RAMP[low]).lerp(RAMP[low + 1].into(), at - low as f32).to_array();
    [r, g, b, 0.6]
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
        octree(&mut d, Layer::LevelOctree, TriangleOctree::build(&quad(), 10, 5).cells(), 0);
        assert_eq!(d.lines.len(), 12);
        contact_triangles(&mut d, quad().into_iter());
        assert_eq!((d.triangles.len(), d.lines.len()), (2, 12 + 6));
        octree(&mut d, Layer::InstanceOctree, TriangleOctree::build(&quad(), 10, 5).cells(), 0);
        assert_eq!(d.lines.len(), 18, "a disabled layer stays empty");
    }

    #[test]
    fn cells_above_the_depth_limit_stand_for_those_below() {
        use crate::math::Aabb;
        let cell = |depth, items| OctreeCell { bounds: Aabb::new(Vec3::ZERO, Vec3::ONE), depth, items };
        let cells = [cell(0, 0), cell(1, 3), cell(1, 0), cell(2, 4), cell(2, 1)];
        let drawn = |max_depth| {
            let mut d = DebugDraw::wanting([Layer::LevelOctree]);
            octree(&mut d, Layer::LevelOctree, cells.into_iter(), max_depth);
            d.lines.len() / 12
        };
        assert_eq!([0, 1, 2, 9].map(drawn), [3, 2, 3, 3]);
    }
}
