//! Writing Detour's mesh sets (`MSET`, one tile, references of 32 bits): what RecastDemo and `dtNavMesh::addTile` load.

use glam::{DVec3, Vec3};

use super::ExchangeError;
use crate::math::plan;
use crate::nav::mesh::off_mesh::LinkKind;
use crate::nav::mesh::{MeshFile, NONE, NavMesh, PolyId};

/// Most polygons of a tile: a neighbour is a number of 15 bits.
const MAX_POLYGONS: usize = 0x7ffe;
/// Most vertices of a tile.
const MAX_VERTICES: usize = 0xffff;
/// Corners that Detour's polygons have room for.
const ROOM: usize = 6;
/// Most triangles and own points of a polygon's detail.
const MAX_DETAIL: usize = 255;
/// Largest number of the tree's quantized bounds.
const MAX_QUANTIZED: f32 = 65_535.0;
/// Cells of the quantized bounds, metres, where the mesh is small enough.
const QUANTIZED_CELL: f32 = 0.1;
/// Distance within which a detail edge lies on the polygon's border, metres.
const ON_BORDER: f64 = 1e-3;

/// The agents that a mesh was made for, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExchangeAgent {
    /// Height.
    pub height: f32,
    /// Radius.
    pub radius: f32,
    /// Highest step.
    pub climb: f32,
}

/// A written file and what it could not hold.
#[derive(Debug, Default)]
pub struct WrittenMesh {
    /// The file.
    pub bytes: Vec<u8>,
    /// What is left out or changed, a sentence each.
    pub notes: Vec<String>,
}

/// A polygon of the mesh.
#[derive(Default)]
struct TileOutline {
    corners: Vec<u32>,
    /// The polygons beyond the edges.
    beyond: Vec<Option<u32>>,
}

/// A polygon of the tile.
struct WrittenPolygon {
    corners: Vec<u32>,
    /// As Detour has it: 0 for a wall, else the neighbour's number plus one.
    neighbors: Vec<u16>,
    source: usize,
}

/// Little-endian bytes.
#[derive(Default)]
struct ByteWriter(Vec<u8>);

impl ByteWriter {
    fn u8(&mut self, v: u8) {
        self.0.push(v);
    }

    fn u16(&mut self, v: u16) {
        self.0.extend(v.to_le_bytes());
    }

    fn u32(&mut self, v: usize) {
        self.0.extend((v as u32).to_le_bytes());
    }

    fn f32(&mut self, v: f32) {
        self.0.extend(v.to_le_bytes());
    }

    fn vec3(&mut self, v: Vec3) {
        v.to_array().into_iter().for_each(|c| self.f32(c));
    }
}

/// Writes a mesh, and the file that it was checked from, as a set of one tile.
///
/// # Errors
/// The mesh has more polygons or vertices than a tile holds.
pub fn write_set(mesh: &NavMesh, file: &MeshFile, agent: &ExchangeAgent) -> Result<WrittenMesh, ExchangeError> {
    let mut notes = Vec::new();
    let polygons = split_polygons(mesh, &mut notes);
    let (links, total) = (file.links.len(), polygons.len() + file.links.len());
    if total > MAX_POLYGONS {
        return Err(ExchangeError::TooMany { what: "polygons and links", count: total, limit: MAX_POLYGONS });
    }
    let vertices = file.mesh.vertices.len() + 2 * links;
    if vertices > MAX_VERTICES {
        return Err(ExchangeError::TooMany { what: "vertices", count: vertices, limit: MAX_VERTICES });
    }
    if file.links.iter().any(|l| l.kind != LinkKind::Placed) {
        notes.push("Detour's links have no kind: jumps and drops become plain links.".into());
    }
    if file.mesh.vertices.iter().any(|v| v.as_vec3().as_dvec3() != *v) {
        notes.push("Detour's vertices have single precision: coordinates are rounded.".into());
    }
    let tile = tile(file, agent, &polygons, &mut notes);
    let (low, high) = bounds(file);
    let mut out = ByteWriter::default();
    [0x4d53_4554, 1, 1].into_iter().for_each(|v| out.u32(v));
    out.vec3(low);
    out.f32(high.x - low.x);
    out.f32(high.z - low.z);
    out.u32(1);
    out.u32(total.max(1));
    // The first use (salt 1) of tile 0: the number of a polygon takes the low bits.
    out.u32(1 << total.max(1).next_power_of_two().ilog2());
    out.u32(tile.len());
    out.0.extend(tile);
    Ok(WrittenMesh { bytes: out.0, notes })
}

/// The box of all that a tile holds.
fn bounds(file: &MeshFile) -> (Vec3, Vec3) {
    let detail = file.detail.iter().flat_map(|d| &d.points);
    let links = file.links.iter().flat_map(|l| [&l.start, &l.end]);
    let points = file.mesh.vertices.iter().chain(detail).chain(links).map(|v| v.as_vec3());
    points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// The outlines of a mesh in the order of its file, wound as Detour winds them, and what lies beyond their edges.
fn outlines(mesh: &NavMesh) -> Vec<TileOutline> {
    let outline = |number: usize| {
        let id = mesh.from_source(number as u32)?;
        let edges = mesh.edges_of(id);
        let mut corners: Vec<u32> = edges.iter().map(|e| e.vertex).collect();
        let mut beyond: Vec<Option<u32>> =
            edges.iter().map(|e| (e.neighbor != NONE).then(|| mesh.source(PolyId(e.neighbor)))).collect();
        // Clockwise seen with z up the page: the other way round.
        corners.reverse();
        beyond.reverse();
        beyond.rotate_left(1);
        Some(TileOutline { corners, beyond })
    };
    (0..mesh.len()).map(|i| outline(i).unwrap_or_default()).collect()
}

/// The rings of at most [`ROOM`] corners into which an outline is cut. Of all cuts that take [`ROOM`] corners off, the one
/// that leaves most ground on both sides is made: a ring of corners that lie on one line has no ground, and is no polygon.
fn rings(mesh: &NavMesh, corners: &[u32]) -> Vec<Vec<u32>> {
    let mut rest = corners.to_vec();
    let mut rings = Vec::new();
    let ground = |ring: &[u32]| {
        let points: Vec<Vec3> = ring.iter().map(|&v| mesh.vertices()[v as usize]).collect();
        plan::area(&points).abs()
    };
    while rest.len() > ROOM {
        let whole = ground(&rest);
        let ring = |first: usize| -> Vec<u32> { rest.iter().cycle().skip(first).take(ROOM).copied().collect() };
        let kept = |first: usize| {
            let cut_off = ground(&ring(first));
            cut_off.min(whole - cut_off)
        };
        // The first of equal ones.
        let best = (0..rest.len()).rev().max_by(|&a, &b| kept(a).total_cmp(&kept(b))).unwrap_or(0);
        rings.push(ring(best));
        let left = rest.len() + 2 - ROOM;
        rest = rest.iter().cycle().skip(best + ROOM - 1).take(left).copied().collect();
    }
    rings.push(rest);
    rings
}

/// The polygons with at most six corners each: a larger one becomes several.
fn split_polygons(mesh: &NavMesh, notes: &mut Vec<String>) -> Vec<WrittenPolygon> {
    let outlines = outlines(mesh);
    // The first piece of each polygon.
    let mut first = vec![0];
    let mut out: Vec<WrittenPolygon> = Vec::new();
    for (source, TileOutline { corners, .. }) in outlines.iter().enumerate() {
        let pieces = rings(mesh, corners).into_iter();
        out.extend(pieces.map(|corners| WrittenPolygon { neighbors: vec![0; corners.len()], corners, source }));
        first.push(out.len());
    }
    // Neighbours by the corners of each shared edge.
    for number in 0..out.len() {
        let (corners, source) = (out[number].corners.clone(), out[number].source);
        let TileOutline { corners: whole, beyond } = &outlines[source];
        let range = |p: usize| first[p]..first[p + 1];
        for (i, &a) in corners.iter().enumerate() {
            let b = corners[(i + 1) % corners.len()];
            let edge = (0..whole.len()).find(|&e| whole[e] == a && whole[(e + 1) % whole.len()] == b);
            let candidates = match edge {
                Some(edge) => beyond[edge].map(|other| range(other as usize)),
                None => Some(range(source)),
            };
            let twin = candidates.and_then(|mut r| r.find(|&q| q != number && has_edge(&out[q].corners, b, a)));
            out[number].neighbors[i] = twin.map_or(0, |q| q as u16 + 1);
        }
    }
    if out.len() > outlines.len() {
        let more = out.len() - outlines.len();
        notes.push(format!("Detour's polygons have at most {ROOM} corners: {more} polygons are added by splitting."));
    }
    out
}

/// Whether a ring has an edge.
fn has_edge(ring: &[u32], a: u32, b: u32) -> bool {
    (0..ring.len()).any(|i| ring[i] == a && ring[(i + 1) % ring.len()] == b)
}

/// A polygon's part of the detail.
#[derive(Default)]
struct WrittenDetail {
    points: Vec<DVec3>,
    /// Three corners and the edges on the border.
    triangles: Vec<[u8; 4]>,
}

/// The bytes of the tile.
fn tile(file: &MeshFile, agent: &ExchangeAgent, polygons: &[WrittenPolygon], notes: &mut Vec<String>) -> Vec<u8> {
    let (low, high) = bounds(file);
    let mut too_fine = 0;
    let details: Vec<WrittenDetail> = polygons.iter().map(|p| detail(file, p, &mut too_fine)).collect();
    if too_fine > 0 {
        notes.push(format!("The height detail of {too_fine} polygons is too fine for Detour and is left out."));
    }
    let size = (high - low).max(Vec3::splat(1e-3)).max_element();
    let factor = (1.0 / QUANTIZED_CELL).min(MAX_QUANTIZED / size);
    let nodes = tree(file, polygons, &details, low, factor);
    let (links, mut out) = (&file.links, ByteWriter::default());
    let edges: usize = polygons.iter().map(|p| p.corners.len()).sum();
    [0x444e_4156, 7, 0, 0, 0, 0, polygons.len() + links.len(), file.mesh.vertices.len() + 2 * links.len()]
        .into_iter()
        .for_each(|v| out.u32(v));
    out.u32(edges + 4 * links.len());
    out.u32(polygons.len());
    out.u32(details.iter().map(|d| d.points.len()).sum());
    out.u32(details.iter().map(|d| d.triangles.len()).sum());
    out.u32(nodes.len());
    out.u32(links.len());
    out.u32(polygons.len());
    [agent.height, agent.radius, agent.climb].into_iter().for_each(|v| out.f32(v));
    out.vec3(low);
    out.vec3(high);
    out.f32(factor);
    file.mesh.vertices.iter().for_each(|v| out.vec3(v.as_vec3()));
    links.iter().flat_map(|l| [l.start, l.end]).for_each(|p| out.vec3(p.as_vec3()));
    write_polygons(&mut out, file, polygons);
    // Room for the links between polygons: Detour makes them when it loads the tile.
    out.0.resize(out.0.len() + 12 * (edges + 4 * links.len()), 0);
    let (mut points, mut triangles) = (0, 0);
    for d in &details {
        out.u32(points);
        out.u32(triangles);
        out.u8(d.points.len() as u8);
        out.u8(d.triangles.len() as u8);
        out.u16(0);
        points += d.points.len();
        triangles += d.triangles.len();
    }
    details.iter().flat_map(|d| &d.points).for_each(|p| out.vec3(p.as_vec3()));
    details.iter().flat_map(|d| &d.triangles).for_each(|t| out.0.extend(t));
    for n in &nodes {
        n.low.into_iter().chain(n.high).for_each(|v| out.u16(v));
        out.u32(n.number as u32 as usize);
    }
    for (i, l) in links.iter().enumerate() {
        [l.start, l.end].into_iter().for_each(|p| out.vec3(p.as_vec3()));
        out.f32(l.reach);
        out.u16((polygons.len() + i) as u16);
        out.u8(u8::from(l.both_ways));
        // Both ends lie in this tile.
        out.u8(0xff);
        out.u32(0);
    }
    out.0
}

fn write_polygons(out: &mut ByteWriter, file: &MeshFile, polygons: &[WrittenPolygon]) {
    let mut one = |corners: &[u32], neighbors: &[u16], flags: u16, area_and_type: u8| {
        out.u32(0xffff_ffff);
        (0..ROOM).for_each(|i| out.u16(corners.get(i).copied().unwrap_or(0) as u16));
        (0..ROOM).for_each(|i| out.u16(neighbors.get(i).copied().unwrap_or(0)));
        out.u16(flags);
        out.u8(corners.len() as u8);
        out.u8(area_and_type);
    };
    for p in polygons {
        let source = &file.mesh.polygons[p.source];
        one(&p.corners, &p.neighbors, source.flags, source.area & 0x3f);
    }
    for (i, l) in file.links.iter().enumerate() {
        let first = (file.mesh.vertices.len() + 2 * i) as u32;
        one(&[first, first + 1], &[], l.flags, (l.area & 0x3f) | 1 << 6);
    }
}

/// The detail triangles of a polygon; of one without, or with more than Detour counts, the fan of its corners.
fn detail(file: &MeshFile, polygon: &WrittenPolygon, too_fine: &mut usize) -> WrittenDetail {
    let corners: Vec<DVec3> = polygon.corners.iter().map(|&v| file.mesh.vertices[v as usize]).collect();
    let is_whole = polygon.corners.len() == file.mesh.polygons[polygon.source].vertices.len();
    let triangles = file.detail.as_ref().map_or(&[][..], |d| d.of(polygon.source));
    if let (true, false, Some(d)) = (is_whole, triangles.is_empty(), &file.detail) {
        let mut out = WrittenDetail::default();
        for t in triangles {
            let t = t.map(|i| d.points[i as usize]);
            let numbers = t.map(|p| {
                let own = corners.iter().position(|c| c.as_vec3() == p.as_vec3());
                own.unwrap_or_else(|| {
                    let known = out.points.iter().position(|&q| q == p);
                    corners.len()
                        + known.unwrap_or_else(|| {
                            out.points.push(p);
                            out.points.len() - 1
                        })
                })
            });
            let [a, b, c] = numbers.map(|n| n.min(MAX_DETAIL) as u8);
            out.triangles.push([a, b, c, border_flags(&corners, &t)]);
        }
        if corners.len() + out.points.len() <= MAX_DETAIL && out.triangles.len() <= MAX_DETAIL {
            return out;
        }
    }
    if !triangles.is_empty() {
        *too_fine += 1;
    }
    let count = corners.len();
    // Of a polygon that is not split the mesh has a fan from its first corner, the last of the turned order.
    let fan = (0..count.saturating_sub(2)).map(|i| {
        let [a, b, c] = if is_whole { [count - 1, i, i + 1] } else { [0, i + 1, i + 2] };
        [a as u8, b as u8, c as u8, border_flags(&corners, &[corners[a], corners[b], corners[c]])]
    });
    WrittenDetail { points: Vec::new(), triangles: fan.collect() }
}

/// Which edges of a triangle lie on the polygon's border, two bits each.
fn border_flags(corners: &[DVec3], t: &[DVec3; 3]) -> u8 {
    let on = |p: DVec3, a: DVec3, b: DVec3| {
        let long = (b - a).length();
        plan::cross(a, b, p).abs() <= ON_BORDER * long.max(ON_BORDER)
    };
    (0..3).fold(0, |flags, i| {
        let (p, q) = (t[i], t[(i + 1) % 3]);
        let is_border = (0..corners.len()).any(|k| {
            let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
            on(p, a, b) && on(q, a, b)
        });
        flags | (u8::from(is_border) << (2 * i))
    })
}

/// A node of the tree of boxes: a polygon, or minus the nodes to skip.
struct BoxNode {
    low: [u16; 3],
    high: [u16; 3],
    number: i32,
}

fn tree(
    file: &MeshFile,
    polygons: &[WrittenPolygon],
    details: &[WrittenDetail],
    low: Vec3,
    factor: f32,
) -> Vec<BoxNode> {
    let quantized = |p: DVec3| ((p.as_vec3() - low) * factor).clamp(Vec3::ZERO, Vec3::splat(MAX_QUANTIZED));
    let mut leaves: Vec<BoxNode> = Vec::new();
    for (i, (p, d)) in polygons.iter().zip(details).enumerate() {
        let corners = p.corners.iter().map(|&v| file.mesh.vertices[v as usize]).chain(d.points.iter().copied());
        let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for point in corners.map(quantized) {
            (least, most) = (least.min(point), most.max(point));
        }
        let (least, most) = (least.floor(), most.ceil().min(Vec3::splat(MAX_QUANTIZED)));
        leaves.push(BoxNode {
            low: least.to_array().map(|v| v as u16),
            high: most.to_array().map(|v| v as u16),
            number: i as i32,
        });
    }
    let mut out = Vec::with_capacity(2 * leaves.len());
    if !leaves.is_empty() {
        subdivide(&mut leaves, &mut out);
    }
    out
}

/// Halves the leaves along their longest axis; depth is the logarithm of their number.
fn subdivide(leaves: &mut [BoxNode], out: &mut Vec<BoxNode>) {
    let low = |k: usize| leaves.iter().map(|n| n.low[k]).min().unwrap_or(0);
    let high = |k: usize| leaves.iter().map(|n| n.high[k]).max().unwrap_or(0);
    let (low, high) = ([low(0), low(1), low(2)], [high(0), high(1), high(2)]);
    if let [leaf] = leaves {
        out.push(BoxNode { low, high, number: leaf.number });
        return;
    }
    let at = out.len();
    out.push(BoxNode { low, high, number: 0 });
    let axis = (0..3).max_by_key(|&k| high[k] - low[k]).unwrap_or(0);
    leaves.sort_by_key(|n| n.low[axis]);
    let (first, second) = leaves.split_at_mut(leaves.len() / 2);
    subdivide(first, out);
    subdivide(second, out);
    out[at].number = -((out.len() - at) as i32);
}
