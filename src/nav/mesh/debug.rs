//! Debug drawing of navigation meshes.

use super::off_mesh::OffMeshLinks;
use super::{NONE, NavMesh, PolyId};
use crate::debug::{Color, DebugDraw, Layer, shapes};
use crate::vocab::labelled;
use glam::Vec3;

/// Most polygons that are drawn.
pub const MAX_POLYGONS: usize = 1 << 17;
/// Height over the surface, metres, against z-fighting.
pub const LIFT: Vec3 = Vec3::new(0.0, 0.05, 0.0);
const GROUND: Color = [0.12, 0.55, 0.85, 0.38];
const WALL: Color = [0.03, 0.10, 0.22, 1.0];
const INNER: Color = [0.03, 0.18, 0.32, 0.45];
const LINK: Color = [0.95, 0.7, 0.1, 1.0];

/// Colour of polygons without flags.
pub const UNFLAGGED: Color = [0.8, 0.1, 0.08, 0.4];

labelled! {
    /// What the colours of polygons mean.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum MeshColoring: label, help {
        /// Their areas.
        #[default]
        Area = "Area" "Each area has a colour: where ground costs more or is marked.",
        /// Their islands: what is connected has one colour.
        Island = "Island" "What is connected has one colour: between two colours there is no path without a link.",
        /// The regions that a bake cut the ground into.
        Region = "Region" "The regions that the bake cut the ground into.",
    }
}

/// The golden section, as a part of the whole.
const GOLDEN_SECTION: f32 = 0.618_034;
/// Where the hues that are not blue begin, and how far they reach, turns.
const OTHER_HUES: [f32; 2] = [0.68, 0.82];

/// Colour of an area: blue for plain ground, distinct by number for others.
pub fn area_color(area: u8) -> Color {
    if area == 0 {
        return GROUND;
    }
    distinct_color(u32::from(area))
}

/// Colour of an island or a region: blue for the first, orange for the second, distinct by number for others, none of them blue.
pub fn number_color(number: u32) -> Color {
    if number == 0 {
        return GROUND;
    }
    hue_color(OTHER_HUES[0] + (0.5 + (number - 1) as f32 * GOLDEN_SECTION).fract() * OTHER_HUES[1])
}

/// Colours whose hues lie a golden section of the circle apart.
fn distinct_color(number: u32) -> Color {
    hue_color((number as f32 * GOLDEN_SECTION).fract())
}

/// The colour of a hue, in turns from red by green to blue.
fn hue_color(turns: f32) -> Color {
    let hue = turns.fract() * 6.0;
    let ramp = |shift: f32| 0.15 + 0.75 * (((hue + shift).rem_euclid(6.0) - 3.0).abs() - 1.0).clamp(0.0, 1.0);
    [ramp(0.0), ramp(4.0), ramp(2.0), 0.5]
}

/// Fills a polygon: with its height detail if it has any, so that bulges of the ground do not hide it.
pub fn fill(d: &mut DebugDraw, layer: Layer, mesh: &NavMesh, id: PolyId, lift: Vec3, color: Color) {
    let world = |p: Vec3| mesh.world(p).as_vec3() + lift;
    let mut detail = mesh.detail_of(id).peekable();
    if detail.peek().is_some() {
        detail.for_each(|corners| d.triangle(layer, corners.map(world), color));
        return;
    }
    let corners = mesh.corners_of(id);
    for w in corners[1..].windows(2) {
        d.triangle(layer, [world(corners[0]), world(w[0]), world(w[1])], color);
    }
}

/// Draws all polygons, each in its colour, and edges, `above` metres over their surface, at least [`LIFT`].
pub fn polygons(d: &mut DebugDraw, layer: Layer, mesh: &NavMesh, above: f32, color: impl Fn(PolyId) -> Color) {
    if !d.wants(layer) {
        return;
    }
    let lift = LIFT.max(Vec3::Y * above);
    let world = |p: Vec3| mesh.world(p).as_vec3() + lift;
    for (number, p) in (0u32..).zip(mesh.polygons()).filter(|p| mesh.is_live(PolyId(p.0))).take(MAX_POLYGONS) {
        let id = PolyId(number);
        fill(d, layer, mesh, id, lift, if p.flags == 0 { UNFLAGGED } else { color(id) });
        let corners = mesh.corners_of(id);
        for (k, edge) in mesh.edges_of(id).iter().enumerate() {
            // A shared edge is drawn once.
            if edge.neighbor == NONE || edge.neighbor > number {
                let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
                d.line(layer, world(a), world(b), if edge.neighbor == NONE { WALL } else { INNER });
            }
        }
    }
}

/// Draws all off-mesh links as arcs with arrows.
pub fn links(d: &mut DebugDraw, layer: Layer, mesh: &NavMesh, links: &OffMeshLinks) {
    for link in links.all() {
        let (a, b) = (mesh.world(link.start).as_vec3() + LIFT, mesh.world(link.end).as_vec3() + LIFT);
        shapes::arrow(d, layer, a, b, LINK);
        if link.both_ways {
            shapes::arrow(d, layer, b, a, LINK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture::plan;

    #[test]
    fn every_edge_is_drawn_once_and_every_polygon_filled() {
        let mesh = plan(&["..", ".#"], true).validate().unwrap();
        let mut d = DebugDraw::wanting([Layer::NavMesh]);
        polygons(&mut d, Layer::NavMesh, &mesh, 0.0, |_| GROUND);
        assert_eq!((d.triangles.len(), d.lines.len()), (6, 8 + 5));
        assert_eq!(d.lines.iter().filter(|l| l.color == WALL).count(), 8);
        polygons(&mut d, Layer::NavGround, &mesh, 0.0, |_| GROUND);
        assert_eq!(d.triangles.len(), 6);
    }

    #[test]
    fn a_filled_polygon_is_as_high_as_its_detail() {
        use crate::nav::mesh::Detail;
        use glam::DVec3;
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
        let points = [&corners[..], &[DVec3::new(0.5, 0.3, 0.5)]].concat();
        let detail = Detail { points, triangles: vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], starts: vec![0, 4] };
        let mesh = plan(&["."], false).validate().unwrap();
        let filled = |mesh: &NavMesh| {
            let mut d = DebugDraw::wanting([Layer::NavMesh]);
            fill(&mut d, Layer::NavMesh, mesh, PolyId(0), Vec3::ZERO, GROUND);
            let top = d.triangles.iter().flat_map(|t| t.points).map(|p| p.y).fold(0.0, f32::max);
            (d.triangles.len(), top)
        };
        assert_eq!(filled(&mesh), (2, 0.0));
        let (count, top) = filled(&mesh.with_detail(&detail).unwrap());
        assert!(count == 4 && (top - 0.3).abs() < 1e-6, "{count} {top}");
    }

    #[test]
    fn areas_have_colours_of_their_own() {
        for area in 1..64 {
            let (a, b) = (area_color(area), area_color(area - 1));
            assert!(a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f32>() > 0.15, "{area}");
        }
    }
}
