//! Overlays of the query tool.

use super::QueryResult;
use crate::debug::path_lanes::PathLanes;
use crate::debug::{Color, DebugDraw, Layer, LineStyle, shapes};
use crate::inspect::context::OverlayContext;
use crate::nav::mesh::{Filter, NavMesh, PolyId, debug as mesh_debug};
use crate::nav::query::surface::{Surface, wall_segments};
use crate::nav::tactical::{CoverClass, CoverSegment, polygon_below};
use glam::Vec3;

/// Colours of the test path and of the one laid over it.
pub const PATH_COLORS: [Color; 2] = [[1.0, 0.55, 0.03, 1.0], [0.85, 0.08, 0.75, 1.0]];
/// Start and end.
const END_COLORS: [Color; 2] = [[0.1, 0.7, 0.15, 1.0], [0.1, 0.3, 0.95, 1.0]];
/// What enemies see, and what they do not.
pub const SEEN_COLORS: [Color; 2] = [[0.9, 0.03, 0.02, 0.95], [0.06, 0.75, 0.12, 0.95]];
/// Nodes of a search that wait, and those that are done.
pub const NODE_COLORS: [Color; 2] = [[1.0, 0.85, 0.1, 0.9], [0.15, 0.35, 0.95, 0.8]];
/// Polygons of a path: the first, those between, the last.
pub const CORRIDOR_COLORS: [Color; 3] = [[1.0, 0.35, 0.65, 0.5], [0.95, 0.12, 0.05, 0.32], [0.1, 0.3, 0.95, 0.45]];
/// Edges that a path crosses.
pub const PORTAL: Color = [1.0, 0.9, 0.5, 1.0];
const STANDING: Color = [0.45, 0.2, 0.85, 0.4];
const CROUCHING: Color = [0.75, 0.55, 0.1, 0.4];
const CHOSEN: Color = [0.95, 0.25, 0.55, 0.55];
/// Walls nearby.
pub const NEAR_WALL: Color = [0.05, 0.75, 0.75, 0.55];
const RANDOM: Color = [0.95, 0.95, 0.3, 0.9];
/// Within so many metres of the start walls are drawn.
const WALL_REACH: f32 = 5.0;
/// Widths of lines, points: of a path, of what is seen of it, of other lines.
const WIDTH: f32 = 4.0;
const SEEN_WIDTH: f32 = 9.0;
const THIN: f32 = 2.5;

fn raised(points: impl IntoIterator<Item = Vec3>, by: f32) -> Vec<Vec3> {
    points.into_iter().map(|p| p + Vec3::Y * by).collect()
}

/// The test paths with start and end.
pub fn path(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    // What both have in common lies side by side.
    let mut lanes = PathLanes::default();
    for (i, result) in context.inspector.query().results().iter().enumerate() {
        // What enemies see of it is drawn with it, as a wider line below.
        let is_exposed = d.wants(Layer::Exposure) && !result.seen.is_empty();
        line(d, &mut lanes, Layer::ProbePath, result, PATH_COLORS[i.min(1)], if is_exposed { 0.0 } else { WIDTH });
    }
    let probe = &context.scene.nav.probe;
    pins(d, Layer::ProbePath, [probe.start, probe.end]);
}

/// A test path with its corners; nothing without width.
fn line(d: &mut DebugDraw, lanes: &mut PathLanes, layer: Layer, result: &QueryResult, color: Color, width: f32) {
    if width <= 0.0 {
        return;
    }
    let points = raised(result.points.iter().copied(), 0.16);
    lanes.draw(d, layer, &points, color, LineStyle { width, ..LineStyle::default() });
    for p in points.iter().skip(1).take(points.len().saturating_sub(2)) {
        shapes::dot(d, layer, *p, width * 1.8, color);
    }
}

/// The polygons of the test path.
pub fn corridor(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let (Some(mesh), Some(result)) = (context.world.mesh().current(), context.inspector.query().results().first())
    else {
        return;
    };
    let last = result.polygons.len().saturating_sub(1);
    for (i, &polygon) in result.polygons.iter().enumerate().filter(|(_, p)| p.index() < mesh.len()) {
        let color = CORRIDOR_COLORS[if i == 0 { 0 } else { 1 + usize::from(i == last) }];
        mesh_debug::fill(d, Layer::ProbeCorridor, mesh, polygon, Vec3::Y * 0.08, color);
    }
}

/// The edges between the polygons of the test path.
pub fn portals(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let (Some(mesh), Some(result)) = (context.world.mesh().current(), context.inspector.query().results().first())
    else {
        return;
    };
    for pair in result.polygons.windows(2).filter(|pair| pair[0].index() < mesh.len()) {
        let edges = mesh.edges_of(pair[0]);
        let Some(k) = edges.iter().position(|e| e.neighbor == pair[1].0) else { continue };
        let (a, b) = mesh.edge_points(mesh.polygon(pair[0]).first_edge + k as u32);
        let ends = raised([a, b].map(|p| mesh.world(p).as_vec3()), 0.12);
        shapes::polyline(d, Layer::ProbePortals, &ends, THIN, PORTAL);
        ends.iter().for_each(|&end| shapes::dot(d, Layer::ProbePortals, end, 2.0 * THIN, PORTAL));
    }
}

/// The nodes of the stepped search and the ways between them, and the hops of searches over triangles.
pub fn search(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    search_trees(context.inspector.query().results(), d);
    let (Some(mesh), Some(search)) = (context.world.mesh().current(), context.inspector.query().search()) else {
        return;
    };
    let nodes: Vec<_> = search.path.nodes().filter(|n| n.polygon.index() < mesh.len()).collect();
    let place = |p: Vec3| mesh.world(p).as_vec3() + Vec3::Y * 0.18;
    for node in &nodes {
        let color = NODE_COLORS[usize::from(!node.open)];
        let [r, g, b, _] = color;
        mesh_debug::fill(d, Layer::SearchNodes, mesh, node.polygon, Vec3::Y * 0.07, [r, g, b, 0.25]);
        shapes::disc(d, Layer::SearchNodes, place(node.at), 0.12, 10, color);
        let parent = node.from.and_then(|(p, _)| nodes.binary_search_by_key(&p, |n| n.polygon).ok());
        if let Some(parent) = parent {
            let line = [place(nodes[parent].at), place(node.at)];
            shapes::polyline(d, Layer::SearchNodes, &line, THIN, color);
        }
    }
    let way =
        |p: &PolyId| nodes.binary_search_by_key(p, |n| n.polygon).ok().map(|i| place(nodes[i].at) + Vec3::Y * 0.03);
    let way: Vec<Vec3> = search.corridor.iter().filter_map(way).collect();
    shapes::polyline(d, Layer::SearchNodes, &way, WIDTH, SEEN_COLORS[1]);
}

/// The hops by which searches over the level's triangles reached their nodes, in the colours of their paths.
fn search_trees(results: &[QueryResult], d: &mut DebugDraw) {
    for (i, result) in results.iter().enumerate() {
        // The second lies over the first, beside it: both searches take the same hops in places.
        let shift = Vec3::new(0.04, 0.1, 0.04) * (i as f32 + 1.0);
        for [from, to] in &result.search_tree {
            d.line(Layer::SearchNodes, *from + shift, *to + shift, PATH_COLORS[i.min(1)]);
        }
    }
}

/// Pins where something was placed.
fn pins(d: &mut DebugDraw, layer: Layer, places: [Option<Vec3>; 2]) {
    for (place, color) in places.into_iter().zip(END_COLORS) {
        if let Some(at) = place {
            shapes::pin(d, layer, at + Vec3::Y * 0.06, 1.4, color);
        }
    }
}

/// The raycast with its ends.
pub fn ray(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let probe = &context.scene.nav.probe;
    pins(d, Layer::ProbeRay, [probe.ray_start, probe.ray_end]);
    let Some(ray) = context.inspector.query().ray() else { return };
    let [start, reached, end] = [ray.start, ray.reached, ray.end].map(|p| p + Vec3::Y * 0.2);
    shapes::polyline(d, Layer::ProbeRay, &[start, reached], WIDTH, SEEN_COLORS[1]);
    if !ray.free {
        shapes::polyline(d, Layer::ProbeRay, &[reached, end], THIN, SEEN_COLORS[0]);
        shapes::disc(d, Layer::ProbeRay, reached, 0.18, 16, SEEN_COLORS[0]);
    }
}

/// The nearest wall.
pub fn wall(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    pins(d, Layer::ProbeWall, [context.scene.nav.probe.wall_from, None]);
    let Some(wall) = context.inspector.query().wall() else { return };
    let [start, end] = [wall.start, wall.wall].map(|p| p + Vec3::Y * 0.15);
    shapes::circle(d, Layer::ProbeWall, start, wall.distance, 64, NEAR_WALL);
    shapes::disc(d, Layer::ProbeWall, start, wall.distance, 64, [0.05, 0.75, 0.75, 0.12]);
    shapes::polyline(d, Layer::ProbeWall, &[start, end], WIDTH, PORTAL);
    shapes::disc(d, Layer::ProbeWall, end, 0.14, 12, PORTAL);
}

/// Walls around the place of the wall distance, else around the start.
pub fn walls(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let query = context.inspector.query();
    let (Some(mesh), Some(start)) = (context.world.mesh().current(), query.wall_from().or(query.ends()[0])) else {
        return;
    };
    let (filter, mut near) = (Filter::default(), Vec::new());
    Surface::new().polygons_around(mesh, start, WALL_REACH, &filter, &mut near);
    for polygon in near {
        for wall in wall_segments(mesh, polygon, &filter, false) {
            let [a, b] = [wall.from, wall.to].map(|p| mesh.world(p).as_vec3());
            let up = Vec3::Y * 0.4;
            shapes::quad(d, Layer::WallSegments, [a, b, b + up, a + up], NEAR_WALL);
            d.line(Layer::WallSegments, a + up, b + up, NEAR_WALL);
        }
    }
}

/// Random places.
pub fn random(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    pins(d, Layer::RandomPoints, [context.scene.nav.probe.around, None]);
    for &p in context.inspector.query().random() {
        shapes::disc(d, Layer::RandomPoints, p + Vec3::Y * 0.1, 0.12, 8, RANDOM);
    }
}

/// What enemies see of the test paths.
pub fn exposure(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let mut lanes = PathLanes::default();
    for (i, result) in context.inspector.query().results().iter().enumerate() {
        for part in &result.seen {
            let ends = raised(part.ends, 0.15);
            shapes::polyline(d, Layer::Exposure, &ends, SEEN_WIDTH, SEEN_COLORS[usize::from(!part.exposed)]);
        }
        let width = if result.seen.is_empty() { 0.0 } else { THIN };
        line(d, &mut lanes, Layer::Exposure, result, PATH_COLORS[i.min(1)], width);
    }
}

fn segment(d: &mut DebugDraw, layer: Layer, mesh: &NavMesh, cover: &CoverSegment, color: Color) {
    let [a, b] = [cover.a, cover.b].map(|p| mesh.world(p).as_vec3());
    let up = Vec3::Y * cover.height.min(3.0);
    shapes::quad(d, layer, [a, b, b + up, a + up], color);
    let [r, g, b_, _] = color;
    for (p, q) in [(a, b), (a + up, b + up), (a, a + up), (b, b + up)] {
        d.line(layer, p, q, [r, g, b_, 1.0]);
    }
}

/// All covers.
pub fn cover(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let (Some(built), Some(cover)) = (context.world.mesh().built(), context.world.cover().view()) else { return };
    let mesh = &built.mesh;
    for (_, s) in cover.map.segments().filter(|_| cover.mesh == mesh.id()) {
        segment(d, Layer::Cover, mesh, s, if s.class == CoverClass::Standing { STANDING } else { CROUCHING });
    }
    for corners in cover.map.slabs().filter(|_| cover.mesh == mesh.id()) {
        slab(d, Layer::Cover, mesh, corners, STANDING);
    }
}

/// A floor or ceiling that hides.
fn slab(d: &mut DebugDraw, layer: Layer, mesh: &NavMesh, corners: &[Vec3; 4], [r, g, b, a]: Color) {
    let corners = corners.map(|p| mesh.world(p).as_vec3() + Vec3::Y * 0.06);
    shapes::quad(d, layer, corners, [r, g, b, a * 0.5]);
    (0..4).for_each(|i| d.line(layer, corners[i], corners[(i + 1) % 4], [r, g, b, 1.0]));
}

/// Covers that matter to the first enemy.
pub fn cover_map(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    use crate::nav::tactical::Cover;
    let (Some(built), Some(cover)) = (context.world.mesh().built(), context.world.cover().view()) else { return };
    let mesh = &built.mesh;
    let Some(&threat) = context.scene.nav.threats.first().filter(|_| cover.mesh == mesh.id()) else { return };
    let Some(polygon) = polygon_below(mesh, mesh.local(threat.as_dvec3())) else { return };
    mesh_debug::fill(d, Layer::CoverMap, mesh, polygon, Vec3::Y * 0.09, CHOSEN);
    let eye = threat + Vec3::Y * cover.map.settings().eye_height;
    for id in cover.map.covers_of(polygon) {
        match cover.map.cover(id) {
            Some(Cover::Segment(s)) => {
                segment(d, Layer::CoverMap, mesh, s, CHOSEN);
                for end in [s.a, s.b] {
                    d.line(Layer::CoverMap, eye, mesh.world(end).as_vec3() + Vec3::Y * s.height.min(3.0), CHOSEN);
                }
            }
            Some(Cover::Slab(corners)) => slab(d, Layer::CoverMap, mesh, corners, CHOSEN),
            None => {}
        }
    }
}
