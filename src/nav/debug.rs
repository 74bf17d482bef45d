//! Debug drawing of paths, walkable ground and its neighbours.

use super::mesh::{NONE, NavMesh, PolyId};
use crate::debug::path_lanes::PathLanes;
use crate::debug::{Color, DebugDraw, Depth, Layer, LineStyle, shapes};
use glam::Vec3;

/// Height at which flat things are drawn above the ground, metres: enough not to flicker.
const LIFT: Vec3 = Vec3::new(0.0, 0.03, 0.0);
/// Width of a path, points.
pub const PATH_WIDTH: f32 = 3.5;
/// Radius of the circle at its end, metres.
const END_RADIUS: f32 = 0.21;
/// Outline of walkable ground.
pub const GROUND_EDGE: Color = [0.15, 0.85, 0.35, 0.9];
/// Fill of walkable ground.
pub const GROUND_FILL: Color = [0.1, 0.8, 0.3, 0.22];
/// Ground under the selected instance.
pub const HERE: Color = [1.0, 0.55, 0.1, 0.55];
/// Its neighbours.
pub const NEIGHBOR: Color = [0.1, 0.75, 0.95, 0.4];

/// A colour of its own for the `i`-th of many: hues a golden angle apart.
pub fn distinct_color(i: usize) -> Color {
    let hue = (i as f32 * 0.618_034).fract() * 6.0;
    let channel = |shift: f32| {
        let k = (hue + shift).rem_euclid(6.0);
        (k.min(4.0 - k)).clamp(0.0, 1.0)
    };
    // The three ramps of the HSV hexagon, a third of a turn apart, lifted a little so that none is dark.
    let [red, green, blue] = [5.0, 3.0, 1.0].map(|shift| 0.15 + 0.85 * (1.0 - channel(shift)));
    [red, green, blue, 0.95]
}

/// The way ahead of a walker, a little above the ground, beside those that `lanes` has already, with a circle at its end.
pub fn path(d: &mut DebugDraw, lanes: &mut PathLanes, points: &[Vec3], color: Color, depth: Option<Depth>) {
    let Some(&last) = points.last().filter(|_| d.wants(Layer::NavPath)) else { return };
    let lift = Vec3::Y * 0.12;
    let points: Vec<Vec3> = points.iter().map(|p| *p + lift).collect();
    let style = LineStyle { width: PATH_WIDTH, depth, ..LineStyle::default() };
    lanes.draw(d, Layer::NavPath, &points, color, style);
    let rim = shapes::rim(last + lift, END_RADIUS, 12);
    for (i, &from) in rim.iter().enumerate() {
        let style = LineStyle { depth, ..LineStyle::default() };
        d.styled_line(Layer::NavPath, [from, rim[(i + 1) % rim.len()]], color, style);
    }
}

fn polygon(d: &mut DebugDraw, layer: Layer, outline: &[Vec3], fill: Color, edge: Color) {
    for i in 1..outline.len().saturating_sub(1) {
        d.triangle(layer, [outline[0] + LIFT, outline[i] + LIFT, outline[i + 1] + LIFT], fill);
    }
    for (i, &a) in outline.iter().enumerate() {
        d.line(layer, a + LIFT, outline[(i + 1) % outline.len()] + LIFT, edge);
    }
}

/// All walkable ground.
pub fn ground(d: &mut DebugDraw, mesh: &NavMesh) {
    for id in mesh.live_polygons() {
        polygon(d, Layer::NavGround, &outline(mesh, id), GROUND_FILL, GROUND_EDGE);
    }
}

fn outline(mesh: &NavMesh, id: PolyId) -> Vec<Vec3> {
    mesh.world_outline(id).collect()
}

/// A polygon and those beyond its edges, with lines between their centres.
pub fn neighbors(d: &mut DebugDraw, mesh: &NavMesh, here: PolyId) {
    let layer = Layer::NavNeighbors;
    let center = |id: PolyId| mesh.world(mesh.polygon(id).center).as_vec3() + LIFT * 2.0;
    polygon(d, layer, &outline(mesh, here), HERE, opaque(HERE));
    for edge in mesh.edges_of(here).iter().filter(|edge| edge.neighbor != NONE) {
        let next = PolyId(edge.neighbor);
        polygon(d, layer, &outline(mesh, next), NEIGHBOR, opaque(NEIGHBOR));
        d.line(layer, center(here), center(next), opaque(NEIGHBOR));
    }
}

fn opaque(color: Color) -> Color {
    [color[0], color[1], color[2], 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::RawMesh;

    fn two_triangles() -> NavMesh {
        let p = |x: f32, z: f32| Vec3::new(x, 0.0, z);
        let level = [[p(0.0, 0.0), p(0.0, 4.0), p(4.0, 0.0)], [p(4.0, 0.0), p(0.0, 4.0), p(4.0, 4.0)]];
        RawMesh::from_triangles(&level, 0.5).validate().unwrap()
    }

    #[test]
    fn a_path_is_a_line_a_piece_with_a_circle_at_its_end() {
        let (mut d, mut lanes) = (DebugDraw::wanting([Layer::NavPath]), PathLanes::default());
        path(&mut d, &mut lanes, &[Vec3::ZERO, Vec3::X, Vec3::X * 2.0], [1.0; 4], None);
        assert_eq!((d.triangles.len(), d.lines.len()), (0, 2 + 12));
        path(&mut d, &mut lanes, &[], [1.0; 4], None);
        assert_eq!(d.lines.len(), 2 + 12);
    }

    #[test]
    fn ground_is_filled_and_outlined_and_neighbours_stand_out() {
        let mesh = two_triangles();
        let mut d = DebugDraw::wanting([Layer::NavGround, Layer::NavNeighbors]);
        ground(&mut d, &mesh);
        assert_eq!((d.triangles.len(), d.lines.len()), (2, 6));
        neighbors(&mut d, &mesh, PolyId(0));
        let of_layer = |c: Color| d.triangles.iter().filter(|t| t.color == c).count();
        assert_eq!((of_layer(HERE), of_layer(NEIGHBOR)), (1, 1));
    }

    #[test]
    fn colours_of_neighbours_in_the_list_differ() {
        for i in 0..30 {
            let (a, b) = (distinct_color(i), distinct_color(i + 1));
            assert!(a.iter().zip(&b).map(|(x, y)| (x - y).abs()).sum::<f32>() > 0.4, "{a:?} {b:?}");
            assert!(a[..3].iter().copied().fold(0.0, f32::max) > 0.9);
        }
    }
}
