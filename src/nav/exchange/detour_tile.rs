//! Tiles of Detour's navigation meshes (`DNAV`), as Detour itself and recast4j (DotRecast) write them.
//!
//! Layout, numbers of four bytes unless told: magic, version, x, y, layer, user id, counts of polygons, vertices, links,
//! detail meshes, detail vertices, detail triangles, tree nodes and off-mesh connections, number of the first off-mesh
//! polygon; the agent's height, radius and climb; bounds; quantization factor. Then vertices, polygons, links, detail
//! meshes, detail vertices, detail triangles, tree nodes and off-mesh connections. How many vertices a polygon may have
//! and how wide a link is are settings of the program that wrote the tile: they follow from the tile's length.

use glam::DVec3;

use super::{Bytes, ExchangeError};

/// `DNAV` as a number.
pub(super) const MAGIC: u32 = 0x444e_4156;
/// The version of Detour.
pub(super) const VERSION: u32 = 7;
/// Versions of recast4j: the first, without links of polygons, with a tree of wide numbers.
const VERSION_JAVA: u32 = 0x8807;
const VERSION_NO_FIRST_LINK: u32 = 0x8808;
const VERSION_WIDE_TREE: u32 = 0x8809;
const READ_VERSIONS: &str = "7 and 34823 to 34825";
/// What is said of a tile whose length is none that its counts can have.
const OTHER_LAYOUT: &str = "the length of a tile does not follow from its counts: the file is damaged, or of a program that \
                            lays tiles out its own way, as Unreal Engine does; save it anew, or export the mesh as OBJ";
/// Bytes of the header.
const HEADER: usize = 100;
/// How many vertices a polygon may have at most, as tried; Detour's own first.
const VERTICES_PER_POLY: [usize; 10] = [6, 3, 4, 5, 7, 8, 9, 10, 11, 12];
/// Most detail triangles for each polygon where polygons share those of the tile: those of a polygon of six corners. Each takes
/// more memory than a polygon takes bytes of a file.
const SHARED_TRIANGLES: usize = 4;
/// Widths of links in bytes, for references of 32 and 64 bits.
const LINK_WIDTHS: [usize; 2] = [12, 16];

/// A polygon's edge that leads out of its tile, or its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileNeighbor {
    /// A wall.
    Wall,
    /// A polygon of the same tile.
    Inside(u16),
    /// Whatever lies beyond a side of the tile: 0 for +x, 2 for +z, 4 for -x, 6 for -z, the odd ones between.
    Side(u8),
}

/// A polygon of a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct TilePolygon {
    /// Corners as numbers of vertices; two for an off-mesh connection.
    pub vertices: Vec<u16>,
    /// What lies beyond the edge from each corner to the next.
    pub neighbors: Vec<TileNeighbor>,
    /// Flags for filters.
    pub flags: u16,
    /// Area, 0 to 63.
    pub area: u8,
    /// Whether it is an off-mesh connection.
    pub is_off_mesh: bool,
}

/// An off-mesh connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileConnection {
    /// Its ends.
    pub ends: [DVec3; 2],
    /// Radius of its ends, metres.
    pub radius: f32,
    /// Number of its polygon.
    pub polygon: u16,
    /// Whether it leads both ways.
    pub both_ways: bool,
    /// The side of the tile beyond which it ends, as of [`TileNeighbor::Side`]; 255 within the tile.
    pub side: u8,
    /// The number that a program gave it.
    pub user_id: u32,
}

/// A tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DetourTile {
    /// Column, row and layer of the tile.
    pub place: [i32; 3],
    /// The number that a program gave it.
    pub user_id: u32,
    /// Height, radius and climb of the agents, metres.
    pub agent: [f32; 3],
    /// Vertices in the world.
    pub vertices: Vec<DVec3>,
    /// Polygons.
    pub polygons: Vec<TilePolygon>,
    /// Detail triangles of each polygon.
    pub detail: Vec<Vec<[DVec3; 3]>>,
    /// Off-mesh connections.
    pub connections: Vec<TileConnection>,
}

/// The counts in a tile's header.
struct TileCounts {
    version: u32,
    polygons: usize,
    vertices: usize,
    links: usize,
    detail_meshes: usize,
    detail_vertices: usize,
    detail_triangles: usize,
    nodes: usize,
    connections: usize,
}

/// Sizes that the writing program chose.
#[derive(Clone, Copy)]
struct Widths {
    vertices_per_poly: usize,
    link: usize,
}

/// Whether bytes begin as a tile does, of either byte order.
pub fn is_tile(bytes: &[u8]) -> bool {
    Bytes::begin_with(bytes, MAGIC)
}

impl TileCounts {
    /// Bytes of a polygon that has at most so many vertices.
    fn polygon_bytes(&self, vertices_per_poly: usize) -> usize {
        4 * vertices_per_poly + if self.version >= VERSION_NO_FIRST_LINK { 4 } else { 8 }
    }

    fn is_java(&self) -> bool {
        self.version >= VERSION_JAVA
    }

    /// Bytes of the whole tile; `None` beyond what memory can address.
    fn bytes(&self, widths: Widths) -> Option<usize> {
        let parts = [
            (self.vertices, 12),
            (self.polygons, self.polygon_bytes(widths.vertices_per_poly)),
            (if self.is_java() { 0 } else { self.links }, widths.link),
            (self.detail_meshes, if self.is_java() { 10 } else { 12 }),
            (self.detail_vertices, 12),
            (self.detail_triangles, 4),
            (self.nodes, if self.version >= VERSION_WIDE_TREE { 28 } else { 16 }),
            (self.connections, 36),
        ];
        parts.iter().try_fold(HEADER, |sum, &(count, bytes)| sum.checked_add(count.checked_mul(bytes)?))
    }
}

/// Reads a tile that fills `bytes`.
///
/// # Errors
/// The bytes are no tile of a version that is read, or damaged.
pub fn read_tile(bytes: &[u8]) -> Result<DetourTile, ExchangeError> {
    let mut header = Bytes::after_magic(bytes, MAGIC).ok_or(ExchangeError::Unknown)?;
    let version = header.u32().ok_or(ExchangeError::element("the version, entry", 1))?;
    if version != VERSION && !(VERSION_JAVA..=VERSION_WIDE_TREE).contains(&version) {
        return Err(ExchangeError::Version { format: "a tile of Detour", found: version, read: READ_VERSIONS });
    }
    let mut tile = DetourTile::default();
    let counts = read_header(&mut header, version, &mut tile).ok_or(ExchangeError::element("the header, entry", 2))?;
    // Several sizes can give the same length: the one whose polygons make sense is taken.
    let mut first = None;
    for vertices_per_poly in VERTICES_PER_POLY {
        for link in LINK_WIDTHS {
            let widths = Widths { vertices_per_poly, link };
            if counts.bytes(widths) != Some(bytes.len()) {
                continue;
            }
            let mut candidate = tile.clone();
            match read_body(header, &counts, widths, &mut candidate) {
                Ok(()) => return Ok(candidate),
                Err(error) => first = first.or(Some(error)),
            }
        }
    }
    Err(first.unwrap_or_else(|| ExchangeError::Text(OTHER_LAYOUT.into())))
}

fn read_header(header: &mut Bytes<'_>, version: u32, tile: &mut DetourTile) -> Option<TileCounts> {
    tile.place = [header.i32()?, header.i32()?, header.i32()?];
    tile.user_id = header.u32()?;
    let mut counts = [0; 9];
    for count in &mut counts {
        *count = usize::try_from(header.i32()?).ok()?;
    }
    let [polygons, vertices, links, detail_meshes, detail_vertices, detail_triangles, nodes, connections, _base] =
        counts;
    tile.agent = [header.f32()?, header.f32()?, header.f32()?];
    // Bounds and the factor of the tree are made anew.
    header.take(28)?;
    Some(TileCounts {
        version,
        polygons,
        vertices,
        links,
        detail_meshes,
        detail_vertices,
        detail_triangles,
        nodes,
        connections,
    })
}

fn read_body(
    mut b: Bytes<'_>,
    counts: &TileCounts,
    widths: Widths,
    tile: &mut DetourTile,
) -> Result<(), ExchangeError> {
    // The length of the whole was checked: no count is a promise any more.
    for i in 0..counts.vertices {
        tile.vertices.push(b.vec3().ok_or(ExchangeError::element("vertex", i))?);
    }
    for i in 0..counts.polygons {
        let polygon =
            read_polygon(&mut b, counts, widths.vertices_per_poly).ok_or(ExchangeError::element("polygon", i))?;
        tile.polygons.push(polygon);
    }
    if !counts.is_java() {
        b.take(counts.links * widths.link).ok_or(ExchangeError::element("link", 0))?;
    }
    let mut meshes = Vec::new();
    for i in 0..counts.detail_meshes {
        meshes.push(read_detail_mesh(&mut b, counts.is_java()).ok_or(ExchangeError::element("detail mesh", i))?);
    }
    let mut points = Vec::new();
    for i in 0..counts.detail_vertices {
        points.push(b.vec3().ok_or(ExchangeError::element("detail vertex", i))?);
    }
    let triangles = b.take(4 * counts.detail_triangles).ok_or(ExchangeError::element("detail triangle", 0))?;
    let (mut taken, limit) = (0, counts.detail_triangles.max(SHARED_TRIANGLES * counts.polygons));
    for (i, mesh) in meshes.iter().enumerate() {
        taken += mesh.triangles;
        if taken > limit {
            return Err(ExchangeError::TooMany { what: "detail triangles of polygons", count: taken, limit });
        }
        tile.detail.push(detail_of(tile, i, mesh, &points, triangles).ok_or(ExchangeError::element("detail mesh", i))?);
    }
    b.take(counts.nodes * if counts.version >= VERSION_WIDE_TREE { 28 } else { 16 })
        .ok_or(ExchangeError::element("tree node", 0))?;
    for i in 0..counts.connections {
        tile.connections
            .push(read_connection(&mut b, counts.polygons).ok_or(ExchangeError::element("off-mesh connection", i))?);
    }
    Ok(())
}

fn read_polygon(b: &mut Bytes<'_>, counts: &TileCounts, vertices_per_poly: usize) -> Option<TilePolygon> {
    if counts.version < VERSION_NO_FIRST_LINK {
        b.u32()?;
    }
    let mut numbers = [[0; 12]; 2];
    for list in &mut numbers {
        for number in &mut list[..vertices_per_poly] {
            *number = b.u16()?;
        }
    }
    let [vertices, neighbors] = numbers;
    let flags = b.u16()?;
    let (count, area_and_type) = (usize::from(b.u8()?), b.u8()?);
    let is_off_mesh = area_and_type >> 6 == 1;
    let fewest = if is_off_mesh { 2 } else { 3 };
    if !(fewest..=vertices_per_poly).contains(&count)
        || vertices[..count].iter().any(|&v| usize::from(v) >= counts.vertices)
    {
        return None;
    }
    let neighbor = |&n: &u16| match n {
        0 => Some(TileNeighbor::Wall),
        n if n & 0x8000 != 0 => Some(TileNeighbor::Side(n as u8)),
        n => (usize::from(n) <= counts.polygons).then(|| TileNeighbor::Inside(n - 1)),
    };
    // What stands in the list of an off-mesh connection is not used.
    let neighbors =
        if is_off_mesh { Vec::new() } else { neighbors[..count].iter().map(neighbor).collect::<Option<_>>()? };
    let vertices = vertices[..count].to_vec();
    Some(TilePolygon { vertices, neighbors, flags, area: area_and_type & 0x3f, is_off_mesh })
}

/// A polygon's part of the detail.
struct DetailMesh {
    vertex_base: usize,
    triangle_base: usize,
    triangles: usize,
}

fn read_detail_mesh(b: &mut Bytes<'_>, is_java: bool) -> Option<DetailMesh> {
    let (vertex_base, triangle_base) = (b.u32()? as usize, b.u32()? as usize);
    let (_vertices, triangles) = (b.u8()?, b.u8()?.into());
    if !is_java {
        b.u16()?;
    }
    Some(DetailMesh { vertex_base, triangle_base, triangles })
}

/// The detail triangles of a polygon: corners below its own count are its own, the others follow.
fn detail_of(
    tile: &DetourTile,
    polygon: usize,
    mesh: &DetailMesh,
    points: &[DVec3],
    triangles: &[u8],
) -> Option<Vec<[DVec3; 3]>> {
    let polygon = tile.polygons.get(polygon)?;
    let corner = |i: u8| {
        let i = usize::from(i);
        match polygon.vertices.get(i) {
            Some(&v) => tile.vertices.get(usize::from(v)).copied(),
            None => points.get(mesh.vertex_base.checked_add(i - polygon.vertices.len())?).copied(),
        }
    };
    let first = mesh.triangle_base.checked_mul(4)?;
    let bytes = triangles.get(first..first.checked_add(4 * mesh.triangles)?)?;
    bytes.chunks_exact(4).map(|t| Some([corner(t[0])?, corner(t[1])?, corner(t[2])?])).collect()
}

fn read_connection(b: &mut Bytes<'_>, polygons: usize) -> Option<TileConnection> {
    let (ends, radius) = ([b.vec3()?, b.vec3()?], b.f32()?);
    let (polygon, flags, side, user_id) = (b.u16()?, b.u8()?, b.u8()?, b.u32()?);
    let both_ways = flags & 1 != 0;
    (usize::from(polygon) < polygons).then_some(TileConnection { ends, radius, polygon, both_ways, side, user_id })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tile of two triangles with the same three corners, of which each takes so many of `triangles` detail triangles.
    fn tile(detail: u8, triangles: u8) -> Vec<u8> {
        let mut out = Vec::new();
        let mut words = |words: &[u32]| words.iter().for_each(|word| out.extend(word.to_le_bytes()));
        words(&[MAGIC, VERSION, 0, 0, 0, 0]);
        words(&[2, 3, 0, 2, 0, triangles.into(), 0, 0, 2]);
        words(&[0; 3 + 7]);
        words(&[0.0_f32, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0].map(f32::to_bits));
        for _ in 0..2 {
            out.extend([0; 4]);
            out.extend([0_u16, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1].iter().flat_map(|n| n.to_le_bytes()));
            out.extend([3, 0]);
        }
        for _ in 0..2 {
            out.extend([0; 8]);
            out.extend([0, detail, 0, 0]);
        }
        out.extend([0, 1, 2, 0].repeat(triangles.into()));
        out
    }

    #[test]
    fn polygons_share_no_more_detail_than_there_is() {
        let read = read_tile(&tile(127, 255)).unwrap();
        assert_eq!(read.detail.iter().map(Vec::len).collect::<Vec<_>>(), [127, 127]);
        let error = read_tile(&tile(255, 255)).unwrap_err();
        assert!(matches!(error, ExchangeError::TooMany { count: 510, limit: 255, .. }), "{error}");
        // Polygons may share the few triangles of a fan.
        assert!(read_tile(&tile(4, 4)).is_ok());
        let error = read_tile(&tile(5, 5)).unwrap_err();
        assert!(matches!(error, ExchangeError::TooMany { count: 10, limit: 8, .. }), "{error}");
    }
}
