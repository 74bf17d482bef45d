//! Sets of Detour's tiles: `MSET` files as RecastDemo, recast4j and DotRecast save them, and the `.navmesh` files of KBEngine.
//!
//! Layout: magic, version, number of tiles, the set's parameters (origin, width and height of a tile, most tiles and
//! polygons), with recast4j's version 0x8802 the room of a polygon; per tile its reference, the bytes of its data, and
//! that data (`DNAV`). References have 32 or 64 bits, as the program was built, and with 64 bits C pads the header of a
//! tile: both are told by where the next tile begins.
//!
//! Those of NavMeshScene and of the programs that use it are marked `MSAT` and have the corners of a box around the mesh behind the
//! parameters (`NavMeshSetHeaderExt` in its `detour.cpp`).
//!
//! KBEngine's files are the same without the magic: version 1, number of tiles, parameters, tiles (`NavMeshSetHeader` and
//! `NavMeshTileHeader` in its `kbe/src/lib/navigation/navigation_mesh_handle.h`, read in `NavMeshHandle::_create`).

use std::collections::HashMap;

use glam::DVec2;

use super::detour_tile::{DetourTile, TileConnection, TileNeighbor, is_tile, read_tile};
use super::flat::is_flat;
use super::{BorderJoint, Bytes, ExchangeError, ForeignMesh, ForeignPolygon, Joining};
use crate::math::plan::PlanPoint;
use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use crate::nav::mesh::{ConnectionValues, DetourValues, ExchangeAgent};
use crate::vocab::counted;

/// `MSET` as a number.
pub(super) const MAGIC: u32 = 0x4d53_4554;
/// `MSAT` as a number: a set with its bounds.
const MAGIC_BOUNDED: u32 = 0x4d53_4154;
/// The version of RecastDemo, and the two of recast4j.
pub(super) const VERSION: u32 = 1;
const VERSION_JAVA_1: u32 = 0x8801;
const VERSION_JAVA: u32 = 0x8802;
/// Bytes of the set's parameters.
const PARAMETERS: usize = 28;
/// Bytes of the bounds of a set or of a tile cache.
pub const BOUNDS: usize = 24;
/// Most tiles of a set.
const MAX_TILES: usize = 1 << 20;
/// Largest distance of two borders of tiles that belong together, metres; Detour's own.
const BORDER_REACH: f64 = 0.01;
/// Most pairs of edges on borders that are compared, for each edge; small sets may compare as many as [`MIN_COMPARED`].
const COMPARED_PER_EDGE: usize = 4096;
const MIN_COMPARED: usize = 1 << 25;
/// Most of them that are joined, for each edge: those that lie upon each other at about one height.
const JOINTS_PER_EDGE: usize = 16;
/// Furthest that the ends of a connection are moved up or down, metres.
const MAX_MOVED: f64 = 32.0;
/// Steps of the reach of links whose ends were moved, metres: ground that is written and read again moves by rounding.
const REACH_STEP: f32 = 0.25;
/// Steps of x and z to the tile beyond each side.
pub(super) const SIDES: [[i32; 2]; 8] = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];

/// Whether bytes begin as a set does, of either byte order, or as one of KBEngine.
pub fn is_set(bytes: &[u8]) -> bool {
    [MAGIC, MAGIC_BOUNDED].iter().any(|&magic| Bytes::begin_with(bytes, magic)) || is_unmarked(bytes)
}

/// Whether bytes begin as a set of KBEngine does: a version, a number of tiles, parameters, and a tile behind a reference of
/// 32 or 64 bits, its length and padding.
fn is_unmarked(bytes: &[u8]) -> bool {
    let mut b = Bytes::new(bytes);
    let begin = b.u32() == Some(VERSION) && b.u32().is_some_and(|count| (1..=MAX_TILES).contains(&(count as usize)));
    begin && b.take(PARAMETERS).is_some() && [8, 12, 16].iter().any(|&at| b.rest().get(at..).is_some_and(is_tile))
}

/// The begin of a set of so many tiles, for [`push_tile`]; its parameters are not read here, so they are zeros.
pub fn begin_set(tiles: usize) -> Vec<u8> {
    let mut set: Vec<u8> = [MAGIC, VERSION, tiles as u32].iter().flat_map(|word| word.to_le_bytes()).collect();
    set.resize(set.len() + PARAMETERS, 0);
    set
}

/// Appends a tile to a set, with a reference of 32 bits.
pub fn push_tile(set: &mut Vec<u8>, tile: &[u8]) {
    set.extend([1, tile.len() as u32].iter().flat_map(|word| word.to_le_bytes()));
    set.extend(tile);
}

/// Reads a set of tiles.
///
/// # Errors
/// The bytes are no set of a version that is read, or damaged.
pub fn read_set(bytes: &[u8]) -> Result<ForeignMesh, ExchangeError> {
    let cut = ExchangeError::element;
    let unmarked = is_unmarked(bytes);
    let bounded = Bytes::after_magic(bytes, MAGIC_BOUNDED);
    let marked = || bounded.or_else(|| Bytes::after_magic(bytes, MAGIC)).ok_or(ExchangeError::Unknown);
    let mut b = if unmarked { Bytes::new(bytes) } else { marked()? };
    let version = b.u32().ok_or(cut("the version, entry", 1))?;
    if ![VERSION, VERSION_JAVA_1, VERSION_JAVA].contains(&version) {
        let read = "1, 34817 and 34818";
        return Err(ExchangeError::Version { format: "a mesh set of Detour", found: version, read });
    }
    let count = b.u32().ok_or(cut("the number of tiles, entry", 2))? as usize;
    if count > MAX_TILES {
        return Err(ExchangeError::TooMany { what: "tiles", count, limit: MAX_TILES });
    }
    let room = if version == VERSION_JAVA { 4 } else { 0 };
    let bounds = if bounded.is_some() { BOUNDS } else { 0 };
    let grid = DetourGrid::read(b);
    b.take(PARAMETERS + room + bounds).ok_or(cut("the parameters, entry", 3))?;
    let mut tiles = Vec::new();
    for i in 0..count {
        match next_tile(&mut b).ok_or(cut("tile", i))? {
            // An empty tile ends the list, as in RecastDemo.
            [] => break,
            data => tiles.push(read_tile(data).map_err(|error| ExchangeError::Text(format!("tile {i}: {error}")))?),
        }
    }
    let words = match version {
        VERSION if unmarked => "KBEngine mesh set",
        _ if bounded.is_some() => "Detour mesh set with bounds (MSAT)",
        VERSION => "Detour mesh set (MSET)",
        _ => "recast4j mesh set (MSET)",
    };
    let far = far_connections(&tiles, grid.as_ref());
    let mut mesh = joined(tiles, words)?;
    mesh.notes.extend(far);
    Ok(mesh)
}

/// Where the tiles of a set lie, as seen from above.
struct DetourGrid {
    origin: DVec2,
    size: DVec2,
}

impl DetourGrid {
    /// Of the parameters of a set; `None` where these tell nothing.
    fn read(mut parameters: Bytes<'_>) -> Option<Self> {
        let (origin, width, depth) = (parameters.vec3()?, parameters.f32()?, parameters.f32()?);
        let size = DVec2::new(width.into(), depth.into());
        (width > 0.0 && depth > 0.0).then(|| Self { origin: origin.plan(), size })
    }

    /// Whether a connection ends where Detour looks for ground: in its own tile, or in the next one beyond the side that it
    /// names.
    fn joins(&self, tile: &DetourTile, connection: &TileConnection) -> bool {
        let step = SIDES.get(usize::from(connection.side)).copied().unwrap_or_default();
        let place = DVec2::new(f64::from(tile.place[0]), f64::from(tile.place[1]));
        let low = self.origin + (place + DVec2::new(step[0].into(), step[1].into())) * self.size;
        let end = connection.ends[1].plan();
        let off = end.distance(end.clamp(low, low + self.size));
        off <= f64::from(connection.radius) + BORDER_REACH
    }
}

/// Says how many connections Detour joins to nothing, because they end further away than in the next tile.
fn far_connections(tiles: &[DetourTile], grid: Option<&DetourGrid>) -> Option<String> {
    let all = tiles.iter().flat_map(|tile| tile.connections.iter().map(move |connection| (tile, connection)));
    let far = all.filter(|(tile, connection)| grid.is_some_and(|grid| !grid.joins(tile, connection))).count();
    let text = "Off-mesh connections that end further away than in the next tile, where Detour joins none";
    (far > 0).then(|| format!("{text}: {far}; larger tiles help."))
}

/// Reads a single tile.
///
/// # Errors
/// The bytes are no tile of a version that is read, or damaged.
pub fn read_single_tile(bytes: &[u8]) -> Result<ForeignMesh, ExchangeError> {
    joined(vec![read_tile(bytes)?], "Detour tile (DNAV)")
}

/// The data of the next tile; empty where its reference or length is zero.
fn next_tile<'a>(b: &mut Bytes<'a>) -> Option<&'a [u8]> {
    // Reference, length and padding: 8, 4 and 4 bytes by C with 64 bits, 4 and 4 with 32, 8 and 4 by Java.
    for (reference, padding) in [(8, 4), (4, 0), (8, 0)] {
        let mut after = *b;
        let found = after.take(reference).and_then(|_| after.u32());
        if let Some(length) = found
            && after.take(padding).is_some()
            && is_tile(after.rest())
            && let Some(data) = after.take(length as usize)
        {
            *b = after;
            return Some(data);
        }
    }
    let mut words = *b;
    let (reference, length) = (words.u32()?, words.u32()?);
    (reference == 0 || length == 0).then_some(&[])
}

/// An edge on the border of a tile.
#[derive(Clone, Copy)]
struct BorderEdge {
    edge: [u32; 2],
    /// Along the border, from low to high, and the place across it.
    low: f64,
    high: f64,
    across: f64,
    /// Its lowest and its highest point.
    heights: [f64; 2],
}

impl BorderEdge {
    /// Whether it lies upon another one, and no farther above or below than `climb`.
    fn meets(&self, other: &Self, climb: f64) -> bool {
        let is_apart = |a: &Self, b: &Self| a.heights[0] - b.heights[1] > climb;
        other.high > self.low
            && (self.across - other.across).abs() <= BORDER_REACH
            && !is_apart(self, other)
            && !is_apart(other, self)
    }
}

/// Tiles as one mesh, their borders joined as Detour joins them.
fn joined(tiles: Vec<DetourTile>, words: &str) -> Result<ForeignMesh, ExchangeError> {
    let format = format!("{words}, {}", counted(tiles.len(), "tile"));
    let mut mesh = ForeignMesh::new(format, Joining::Explicit { joints: Vec::new(), climb: 0.0 });
    let climb = tiles.iter().map(|t| f64::from(t.agent[2])).fold(0.0, f64::max);
    let radius = tiles.iter().map(|t| t.agent[1]).fold(0.0, f32::max);
    mesh.agent_radius = Some(radius).filter(|r| *r > 0.0 && r.is_finite());
    let mut joints = Vec::new();
    let mut borders: HashMap<([i32; 2], u8), Vec<BorderEdge>> = HashMap::new();
    let detour = values(&tiles, climb as f32, radius);
    for tile in tiles {
        add_tile(tile, &mut mesh, &mut joints, &mut borders);
    }
    mesh.detour = detour;
    joints.extend(border_joints(&mut borders, 2.0 * climb)?);
    mesh.joining = Joining::Explicit { joints, climb: 2.0 * climb };
    Ok(mesh)
}

/// What the tiles say besides their polygons.
fn values(tiles: &[DetourTile], climb: f32, radius: f32) -> Option<DetourValues> {
    let first = tiles.first()?;
    let height = tiles.iter().map(|t| t.agent[0]).fold(0.0, f32::max);
    let mut values = DetourValues::new(ExchangeAgent { height, radius, climb });
    values.tiles = tiles.len();
    let connections = tiles.iter().flat_map(|tile| &tile.connections);
    values.connections = connections.map(|c| ConnectionValues { radius: c.radius, user_id: c.user_id }).collect();
    match tiles.iter().all(|tile| tile.user_id == first.user_id) {
        true => values.user_id = first.user_id,
        false => values.lost.push("The user numbers of the tiles differ and are left out.".into()),
    }
    if tiles.iter().any(|tile| tile.agent != first.agent) {
        values.lost.push(format!(
            "The agents of the tiles differ: all get the largest height {height} m, radius {radius} m and step {climb} m."
        ));
    }
    Some(values)
}

fn add_tile(
    mut tile: DetourTile,
    mesh: &mut ForeignMesh,
    joints: &mut Vec<BorderJoint>,
    borders: &mut HashMap<([i32; 2], u8), Vec<BorderEdge>>,
) {
    // Polygons of the mesh by those of the tile; off-mesh connections are none.
    let mut next = mesh.polygons.len() as u32;
    let numbers: Vec<Option<u32>> = tile
        .polygons
        .iter()
        .map(|p| {
            let number = (!p.is_off_mesh).then_some(next);
            next += u32::from(number.is_some());
            number
        })
        .collect();
    for (i, polygon) in tile.polygons.iter().enumerate() {
        let Some(number) = numbers[i] else { continue };
        let corners: Vec<_> = polygon.vertices.iter().map(|&v| tile.vertices[usize::from(v)]).collect();
        for (edge, neighbor) in polygon.neighbors.iter().enumerate() {
            let here = [number, edge as u32];
            match *neighbor {
                TileNeighbor::Wall => {}
                TileNeighbor::Inside(other) => {
                    if usize::from(other) > i
                        && let Some(there) = twin(&tile, i, edge, other)
                        && let Some(other) = numbers[usize::from(other)]
                    {
                        joints.push(BorderJoint { from: here, to: [other, there] });
                    }
                }
                TileNeighbor::Side(side) => {
                    let (a, b) = (corners[edge], corners[(edge + 1) % corners.len()]);
                    // Sides 0 and 4 are crossed along x, the others along z.
                    let along_z = matches!(side, 0 | 4);
                    let (from, to, across) = if along_z { (a.z, b.z, a.x) } else { (a.x, b.x, a.z) };
                    let heights = [a.y.min(b.y), a.y.max(b.y)];
                    let found = BorderEdge { edge: here, low: from.min(to), high: from.max(to), across, heights };
                    borders.entry(([tile.place[0], tile.place[1]], side)).or_default().push(found);
                }
            }
        }
        let mut detail = tile.detail.get_mut(i).map(std::mem::take).unwrap_or_default();
        // Corners on borders may move when tiles are joined: there the joined polygon tells whether it is flat.
        let is_inside = polygon.neighbors.iter().all(|n| !matches!(n, TileNeighbor::Side(_)));
        if is_inside && is_flat(corners.iter().copied(), detail.as_flattened()) {
            detail = Vec::new();
        }
        mesh.polygons.push(ForeignPolygon { corners, area: polygon.area, flags: polygon.flags, detail });
    }
    for c in &tile.connections {
        let polygon = &tile.polygons[usize::from(c.polygon)];
        let usual = c.radius.max(tile.agent[2]);
        let moved = moved_by(&tile, c).filter(|moved| *moved > usual);
        let reach = moved.map_or(usual, |moved| (moved / REACH_STEP).ceil() * REACH_STEP);
        mesh.links.push(PlacedLink {
            start: c.ends[0],
            end: c.ends[1],
            kind: LinkKind::Placed,
            both_ways: c.both_ways,
            reach,
            area: polygon.area,
            flags: polygon.flags,
        });
    }
}

/// How far Detour has moved the ends of a connection to the ground: it puts them into the vertices of the connection's polygon
/// when it joins them. It looks for polygons whose boxes come as near as a step, so that the ground of a slope may be further above or
/// below. `None` where it has not, or not so.
fn moved_by(tile: &DetourTile, connection: &TileConnection) -> Option<f32> {
    let polygon = tile.polygons.get(usize::from(connection.polygon)).filter(|polygon| polygon.is_off_mesh)?;
    let mut furthest = 0.0;
    for (&vertex, end) in polygon.vertices.iter().zip(connection.ends) {
        let by = *tile.vertices.get(usize::from(vertex))? - end;
        if by.plan().length() > f64::from(connection.radius) + BORDER_REACH || by.y.abs() > MAX_MOVED {
            return None;
        }
        furthest = f64::max(furthest, by.length());
    }
    Some(furthest as f32)
}

/// The edge of `other` that is this edge of `polygon`, backwards.
fn twin(tile: &DetourTile, polygon: usize, edge: usize, other: u16) -> Option<u32> {
    let here = &tile.polygons[polygon].vertices;
    let (a, b) = (here[edge], here[(edge + 1) % here.len()]);
    let there = &tile.polygons.get(usize::from(other))?.vertices;
    (0..there.len()).find(|&i| there[i] == b && there[(i + 1) % there.len()] == a).map(|i| i as u32)
}

/// The edges of each border with those of the border that faces it.
///
/// # Errors
/// Far more lie upon each other than tiles have.
fn border_joints(
    borders: &mut HashMap<([i32; 2], u8), Vec<BorderEdge>>,
    climb: f64,
) -> Result<Vec<BorderJoint>, ExchangeError> {
    let edges = borders.values().map(Vec::len).sum::<usize>();
    let limits = [MIN_COMPARED.max(edges.saturating_mul(COMPARED_PER_EDGE)), edges.saturating_mul(JOINTS_PER_EDGE)];
    let (mut compared, mut joints) = (0, Vec::new());
    borders.values_mut().for_each(|edges| edges.sort_by(|a, b| a.low.total_cmp(&b.low)));
    let mut places: Vec<_> = borders.keys().copied().filter(|(_, side)| *side < 4).collect();
    places.sort_unstable();
    for (place, side) in places {
        let Some(step) = SIDES.get(usize::from(side)) else { continue };
        let facing = ([place[0].wrapping_add(step[0]), place[1].wrapping_add(step[1])], (side + 4) % 8);
        let (Some(here), Some(there)) = (borders.get(&(place, side)), borders.get(&facing)) else { continue };
        let longest = there.iter().map(|e| e.high - e.low).fold(0.0, f64::max);
        for a in here {
            let first = there.partition_point(|b| b.low < a.low - longest);
            for b in there[first..].iter().take_while(|b| b.low < a.high) {
                compared += 1;
                if a.meets(b, climb) {
                    joints.push(BorderJoint { from: a.edge, to: b.edge });
                }
            }
            let counts = [(compared, "pairs of borders of tiles"), (joints.len(), "borders of tiles upon each other")];
            if let Some(((count, what), limit)) =
                counts.into_iter().zip(limits).find(|((count, _), limit)| count > limit)
            {
                return Err(ExchangeError::TooMany { what, count, limit });
            }
        }
    }
    Ok(joints)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many edges on each side of a border, one upon the other by so much.
    fn joints(count: u32, apart: f64) -> Result<usize, ExchangeError> {
        let edge = |polygon: u32, i: u32| {
            let height = f64::from(i) * apart;
            BorderEdge { edge: [polygon + i, 0], low: 0.0, high: 1.0, across: 2.0, heights: [height, height + 0.1] }
        };
        let side = |polygon| (0..count).map(|i| edge(polygon, i)).collect::<Vec<_>>();
        let mut borders = HashMap::from([(([0, 0], 0), side(0)), (([1, 0], 4), side(count))]);
        border_joints(&mut borders, 0.8).map(|joints| joints.len())
    }

    #[test]
    fn a_damaged_tile_is_named() {
        let mut set = begin_set(1);
        push_tile(&mut set, &[b'V', b'A', b'N', b'D', 9, 0, 0, 0]);
        let error = read_set(&set).unwrap_err().to_string();
        assert!(error.starts_with("tile 0: a tile of Detour of version 9 is not read"), "{error}");
    }

    #[test]
    fn storeys_join_their_borders_and_crowded_ones_are_refused() {
        assert_eq!(joints(100, 3.0).unwrap(), 100);
        assert_eq!(joints(16, 0.0).unwrap(), 256);
        let error = joints(100, 0.0).unwrap_err();
        assert!(matches!(error, ExchangeError::TooMany { count: 3_300, limit: 3_200, .. }), "{error}");
    }
}
