//! Writing Detour's mesh sets (`MSET`, references of 32 bits): what RecastDemo and `dtNavMesh::addTile` load.
//!
//! A mesh that a tile has room for is one tile. A larger one is cut at the lines of a grid into as many tiles as it takes;
//! on their borders Detour joins the edges that lie upon each other.

mod cut;
mod grid;
mod ground;
mod portals;
mod tile;
mod tree;

use glam::{DVec2, DVec3, Vec3};

use self::cut::{CutMesh, ROOM};
use self::grid::{SetGrid, middle};
use self::portals::{PartPlace, TileEdges};
use self::tile::{ByteWriter, TileParts, TileSource};
use super::ExchangeError;
use super::detour_set::{MAGIC, SIDES, VERSION};
use crate::math::plan::{self, PlanPoint};
use crate::nav::mesh::off_mesh::{LinkKind, OffMeshLinks};
use crate::nav::mesh::{DetourValues, FileError, MeshFile, NavMesh, PolyId};
use crate::vocab::counted;

/// A tile that is smaller is no help, metres.
const MIN_SIDE: f64 = 0.5;
/// Factor on the side of tiles that are too full.
const SMALLER: f64 = 0.7;
/// Bits of a reference for the tile and its polygon: Detour keeps ten for the tile's use.
const REFERENCE_BITS: u32 = 22;
/// Side of a tile beyond which a link ends: none.
const NO_SIDE: u32 = 0xff;

/// How much a tile holds.
#[derive(Clone, Copy)]
struct TileRoom {
    /// Polygons and links: a neighbour is a number of 15 bits.
    polygons: usize,
    /// Vertices.
    vertices: usize,
}

/// What Detour's tiles hold.
const DETOUR_ROOM: TileRoom = TileRoom { polygons: 0x7ffe, vertices: 0xfffe };

/// A written file and what it could not hold.
#[derive(Debug, Default)]
pub struct WrittenMesh {
    /// The file.
    pub bytes: Vec<u8>,
    /// What is left out or changed, a sentence each.
    pub notes: Vec<String>,
}

/// Writes a mesh, and the file that it was checked from, as a set of tiles.
///
/// # Errors
/// The mesh cannot be cut into tiles that Detour joins as the mesh is joined.
pub fn write_set(mesh: &NavMesh, file: &MeshFile, values: &DetourValues) -> Result<WrittenMesh, ExchangeError> {
    write_limited(mesh, file, values, DETOUR_ROOM)
}

fn write_limited(
    mesh: &NavMesh,
    file: &MeshFile,
    values: &DetourValues,
    room: TileRoom,
) -> Result<WrittenMesh, ExchangeError> {
    let mut notes = Vec::new();
    let whole = CutMesh::new(mesh, file, None)?;
    let added = whole.polygons.len() - mesh.len();
    if added > 0 {
        notes.push(format!("Detour's polygons have at most {ROOM} corners: {added} polygons are added by splitting."));
    }
    let TiledSet { cut, grid, tiles } = if room.holds(&one_tile(&whole, file), &whole) {
        let tiles = vec![one_tile(&whole, file)];
        TiledSet { cut: whole, grid: None, tiles }
    } else {
        let tiled = tiled(mesh, file, &whole, room)?;
        let more = tiled.cut.polygons.len() - whole.polygons.len();
        let (count, side) = (tiled.tiles.len(), tiled.grid.as_ref().map_or(0.0, |grid| grid.side));
        notes.push(format!(
            "A tile of Detour holds {} polygons: the mesh is {count} tiles of {side} m, and {more} polygons are added where \
             they are cut at the borders.",
            room.polygons
        ));
        tiled
    };
    notes.extend(values.lost.iter().cloned());
    if values.tiles > 1 || values.tiles == 1 && tiles.len() > 1 {
        let now = if tiles.len() == 1 { "one tile".to_owned() } else { format!("{} tiles", tiles.len()) };
        notes.push(format!("The grid of {} tiles is left out: the mesh is {now} now.", values.tiles));
    }
    let places = places(&cut, &tiles);
    let cells: Vec<[i32; 2]> = tiles.iter().map(|tile| tile.cell).collect();
    let edges = TileEdges::new(&cut, &places, &cells, values.agent.climb);
    check_joins(&edges, values, &mut notes)?;
    if file.links.iter().any(|l| l.kind != LinkKind::Placed) {
        notes.push("Detour's links have no kind: jumps and drops become plain links.".into());
    }
    if file.mesh.vertices.iter().any(|v| v.as_vec3().as_dvec3() != *v) {
        notes.push("Detour's vertices have single precision: coordinates are rounded.".into());
    }
    let source = TileSource { mesh, file, cut: &cut, edges: &edges, values };
    let mut too_fine = 0;
    let bytes: Vec<Vec<u8>> = tiles.iter().map(|tile| source.bytes(tile, &mut too_fine)).collect();
    if too_fine > 0 {
        notes.push(format!(
            "The height detail of {} is too fine for Detour and is left out.",
            counted(too_fine, "polygon")
        ));
    }
    Ok(WrittenMesh { bytes: set(file, grid.as_ref(), &tiles, &bytes)?, notes })
}

/// A mesh in tiles.
struct TiledSet {
    cut: CutMesh,
    /// `None` for one tile.
    grid: Option<SetGrid>,
    tiles: Vec<TileParts>,
}

impl TileRoom {
    fn holds(&self, tile: &TileParts, cut: &CutMesh) -> bool {
        let corners = || tile.parts.iter().flat_map(|&p| cut.polygons[p as usize].corners.iter().copied());
        let mut vertices: Vec<u32> = if corners().count() > self.vertices { corners().collect() } else { Vec::new() };
        vertices.sort_unstable();
        vertices.dedup();
        let links = tile.links.len();
        tile.parts.len() + links <= self.polygons && vertices.len() + 2 * links <= self.vertices
    }
}

/// All parts in one tile.
fn one_tile(cut: &CutMesh, file: &MeshFile) -> TileParts {
    let links = (0..file.links.len() as u32).map(|link| [link, NO_SIDE]).collect();
    TileParts { parts: (0..cut.polygons.len() as u32).collect(), links, ..TileParts::default() }
}

/// The mesh cut into tiles of the largest size that hold its parts.
fn tiled(mesh: &NavMesh, file: &MeshFile, whole: &CutMesh, room: TileRoom) -> Result<TiledSet, ExchangeError> {
    let places = || whole.points.iter().map(|v| v.plan());
    let ends = [places().fold(DVec2::INFINITY, DVec2::min), places().fold(DVec2::NEG_INFINITY, DVec2::max)];
    let middles: Vec<DVec2> =
        whole.polygons.iter().map(|p| middle(p.corners.iter().map(|&v| whole.points[v as usize]))).collect();
    let longest = file.links.iter().map(|l| (l.end.plan() - l.start.plan()).abs().max_element()).fold(0.0, f64::max);
    // A link ends in its own tile or in the next.
    let mut side = ((ends[1] - ends[0]).max_element() * SMALLER).max(longest);
    loop {
        let grid = SetGrid::new(ends, side);
        let fullest = grid.fullest(&middles);
        if side < MIN_SIDE.max(longest) || grid.len() > 1 << (REFERENCE_BITS - 1) {
            let limit = room.polygons;
            return Err(ExchangeError::Text(match side < longest {
                true => format!(
                    "{fullest} polygons lie within {side:.1} m, more than the {limit} of a tile, and a link of \
                     {longest:.1} m leads further than to the next tile; leave it out, or split the mesh"
                ),
                false => format!(
                    "{fullest} polygons lie within {side:.1} m, more than the {limit} of a tile of Detour; split the mesh"
                ),
            }));
        }
        if fullest <= room.polygons {
            let cut = CutMesh::new(mesh, file, Some(&grid))?;
            let tiles = parts_of_tiles(mesh, file, &cut, &grid)?;
            if tiles.iter().all(|tile| room.holds(tile, &cut)) {
                return Ok(TiledSet { cut, grid: Some(grid), tiles });
            }
        }
        side *= SMALLER;
    }
}

/// Which parts and links lie in which tile; tiles without parts are none.
fn parts_of_tiles(
    mesh: &NavMesh,
    file: &MeshFile,
    cut: &CutMesh,
    grid: &SetGrid,
) -> Result<Vec<TileParts>, ExchangeError> {
    let cell = |p: u32| {
        let corners = &cut.polygons[p as usize].corners;
        let [column, row] = grid.cell(middle(corners.iter().map(|&v| cut.points[v as usize])));
        // Row by row.
        [row, column]
    };
    let mut parts: Vec<u32> = (0..cut.polygons.len() as u32).collect();
    parts.sort_by_key(|&p| cell(p));
    let mut tiles: Vec<TileParts> = Vec::new();
    for group in parts.chunk_by(|&a, &b| cell(a) == cell(b)) {
        let [row, column] = cell(group[0]);
        let corner = |column: i32, row: i32| DVec2::new(grid.line(0, column), grid.line(1, row));
        let square = Some([corner(column, row), corner(column + 1, row + 1)]);
        tiles.push(TileParts { cell: [column, row], parts: group.to_vec(), square, ..TileParts::default() });
    }
    let links = OffMeshLinks::new(mesh, Vec::new(), &file.links).map_err(FileError::from)?;
    let places = places(cut, &tiles);
    for (number, link) in (0..).zip(links.all()) {
        let tile = |polygon, at| places[part_at(mesh, cut, polygon, mesh.world(at)) as usize].tile as usize;
        let (from, to) = (tile(link.from, link.start), tile(link.to, link.end));
        let step = [0, 1].map(|axis| tiles[to].cell[axis] - tiles[from].cell[axis]);
        let side = if from == to { Some(NO_SIDE) } else { SIDES.iter().position(|s| *s == step).map(|s| s as u32) };
        let side = side.ok_or_else(|| {
            let side = grid.side;
            ExchangeError::Text(format!(
                "link {} leads further than to the next tile of {side:.1} m; leave it out, or split the mesh",
                number + 1
            ))
        })?;
        tiles[from].links.push([number, side]);
        tiles[to].ending += usize::from(from != to);
    }
    Ok(tiles)
}

/// The part of a polygon that is over or under a point.
fn part_at(mesh: &NavMesh, cut: &CutMesh, polygon: PolyId, at: DVec3) -> u32 {
    let source = mesh.source(polygon) as usize;
    let outside = |part: &u32| {
        let corners = cut.corners_of(&cut.polygons[*part as usize]);
        // Clockwise: inside is where no cross product is positive.
        let off = |k: usize| {
            let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
            plan::cross(a, b, at) / (b - a).length().max(1e-9)
        };
        (0..corners.len()).map(off).fold(f64::NEG_INFINITY, f64::max)
    };
    let parts = cut.first[source]..cut.first[source + 1];
    parts.min_by(|a, b| outside(a).total_cmp(&outside(b))).unwrap_or(cut.first[source])
}

/// The tile of each part, and its number there.
fn places(cut: &CutMesh, tiles: &[TileParts]) -> Vec<PartPlace> {
    let mut places = vec![PartPlace { tile: 0, number: 0 }; cut.polygons.len()];
    for (tile, parts) in (0..).zip(tiles) {
        for (number, &part) in (0..).zip(&parts.parts) {
            places[part as usize] = PartPlace { tile, number };
        }
    }
    places
}

/// Refuses a set that Detour would join otherwise than the mesh is joined.
fn check_joins(edges: &TileEdges, values: &DetourValues, notes: &mut Vec<String>) -> Result<(), ExchangeError> {
    let (all, climb) = (edges.portals, values.agent.climb);
    if edges.extra > 0 {
        return Err(ExchangeError::Text(format!(
            "on the borders of the tiles that the mesh needs, Detour would join {} pairs of polygons that are no \
             neighbours, beside {all} that are: their heights differ by less than twice the highest step of {climb} m; give a \
             smaller step (--agent), or split the mesh",
            edges.extra
        )));
    }
    if edges.oblique > 0 {
        return Err(ExchangeError::Text(format!(
            "Detour would not join {} of {} passages over the borders of the tiles that the mesh needs, because they do not \
             run along them; split the mesh",
            edges.oblique,
            all + edges.oblique
        )));
    }
    if edges.narrow > 0 {
        notes.push(format!(
            "{} passages narrower than 2 cm at the borders of tiles are lost: Detour does not join them.",
            edges.narrow
        ));
    }
    Ok(())
}

/// The bytes of a set.
fn set(
    file: &MeshFile,
    grid: Option<&SetGrid>,
    tiles: &[TileParts],
    bytes: &[Vec<u8>],
) -> Result<Vec<u8>, ExchangeError> {
    let polygons = tiles.iter().map(|tile| tile.parts.len() + tile.links.len()).max().unwrap_or(0).max(1);
    let bits = |count: usize| count.next_power_of_two().ilog2();
    let (tile_bits, polygon_bits) = (bits(tiles.len()), bits(polygons));
    if tile_bits + polygon_bits > REFERENCE_BITS {
        return Err(ExchangeError::Text(format!(
            "{} tiles of up to {polygons} polygons are more than references of 32 bits can name; split the mesh",
            tiles.len()
        )));
    }
    let (mut low, high) = bounds(file);
    let mut size = [high.x - low.x, high.z - low.z];
    if let Some(grid) = grid {
        (low.x, low.z) = (grid.origin.x as f32, grid.origin.y as f32);
        size = [grid.side as f32; 2];
    }
    let mut out = ByteWriter::default();
    [MAGIC as usize, VERSION as usize, tiles.len()].into_iter().for_each(|v| out.u32(v));
    out.vec3(low);
    size.into_iter().for_each(|v| out.f32(v));
    out.u32(tiles.len());
    out.u32(polygons);
    for (number, tile) in bytes.iter().enumerate() {
        // The first use (salt 1) of the tile: the number of a polygon takes the low bits.
        out.u32(1 << (tile_bits + polygon_bits) | number << polygon_bits);
        out.u32(tile.len());
        out.0.extend(tile);
    }
    Ok(out.0)
}

/// The box of all that a file holds.
fn bounds(file: &MeshFile) -> (Vec3, Vec3) {
    let detail = file.detail.iter().flat_map(|d| &d.points);
    let links = file.links.iter().flat_map(|l| [&l.start, &l.end]);
    let points = file.mesh.vertices.iter().chain(detail).chain(links).map(|v| v.as_vec3());
    points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::exchange::{ExchangeAgent, JoinedMesh, MeshFormat, parse_mesh};
    use crate::nav::mesh::off_mesh::PlacedLink;
    use crate::nav::mesh::{Detail, Filter, RawPolygon};
    use crate::nav::query::nearest::{SearchExtents, nearest};
    use glam::swizzles::Vec3Swizzles as _;

    const AGENT: ExchangeAgent = ExchangeAgent { height: 1.8, radius: 0.3, climb: 0.4 };
    /// Squares of a side of the field.
    const SIDE: usize = 30;
    const SMALL: TileRoom = TileRoom { polygons: 100, vertices: 300 };

    fn place(a: f64, b: f64) -> DVec3 {
        let (sin, cos) = 0.37_f64.sin_cos();
        let height = (a * 0.21).sin() * 0.6 + (b * 0.17).cos() * 0.4;
        DVec3::new(100.3 + a * cos - b * sin, height, -50.7 + a * sin + b * cos).as_vec3().as_dvec3()
    }

    /// A wavy field of turned squares in two halves, with areas, flags, height detail and a link between the halves.
    fn field() -> MeshFile {
        let mut file = MeshFile::default();
        let corner = |i: usize| place((i % (SIDE + 1)) as f64, (i / (SIDE + 1)) as f64);
        file.mesh.vertices.extend((0..(SIDE + 1) * (SIDE + 1)).map(corner));
        let mut detail = Detail { starts: vec![0], ..Detail::default() };
        for i in (0..SIDE * SIDE).filter(|i| i % SIDE != 14) {
            let a = (i / SIDE * (SIDE + 1) + i % SIDE) as u32;
            let below = a + SIDE as u32 + 1;
            let mut square = RawPolygon::new([a, a + 1, below + 1, below]);
            (square.area, square.flags) = ((i / 50) as u8, 1 << (i % 3));
            if i % 2 == 0 {
                let first = detail.points.len() as u32;
                let [column, row] = [i % SIDE, i / SIDE].map(|n| n as f64 + 0.5);
                detail.points.extend(square.vertices.iter().map(|&v| file.mesh.vertices[v as usize]));
                detail.points.push((place(column, row) + DVec3::Y * 0.2).as_vec3().as_dvec3());
                detail.triangles.extend((0..4).map(|k| [first + k, first + (k + 1) % 4, first + 4]));
            }
            detail.starts.push(detail.triangles.len() as u32);
            file.mesh.polygons.push(square);
        }
        file.detail = Some(detail);
        let ends = [[13.5, 2.5], [15.5, 4.5]].map(|[a, b]| place(a, b));
        file.links.push(PlacedLink::new(LinkKind::Placed, ends, 0.75));
        file.links.push(PlacedLink { both_ways: false, ..PlacedLink::new(LinkKind::Placed, [ends[1], ends[0]], 0.75) });
        file
    }

    fn written(file: &MeshFile, room: TileRoom) -> Result<WrittenMesh, ExchangeError> {
        write_limited(&file.check().unwrap().0, file, &DetourValues::new(AGENT), room)
    }

    fn tiles_of(set: &[u8]) -> u32 {
        u32::from_le_bytes(set[8..12].try_into().unwrap())
    }

    /// Area, flags and height of the ground nearest to a place.
    fn ground(mesh: &NavMesh, at: DVec3) -> Option<(u8, u16, f64)> {
        let reach = SearchExtents { half_extents: Vec3::new(1e-3, 2.0, 1e-3), climb: 1.0 };
        let found = nearest(mesh, mesh.local(at), &reach, &Filter::default()).filter(|found| found.over)?;
        let polygon = mesh.polygon(found.polygon);
        Some((polygon.area, polygon.flags, mesh.world(found.point).y))
    }

    fn hold_against(file: &MeshFile, back: &JoinedMesh) {
        let (mesh, _) = file.check().unwrap();
        assert!(back.notes.is_empty(), "{:?}", back.notes);
        assert_eq!(back.mesh.island_count(), mesh.island_count());
        assert_eq!(back.file.links, file.links);
        let area = |mesh: &NavMesh| -> f64 { mesh.live_polygons().map(|id| plan::area(mesh.corners_of(id))).sum() };
        assert!((area(&back.mesh) - area(&mesh)).abs() < 0.01, "{} m² of {}", area(&back.mesh), area(&mesh));
        for i in 0..SIDE * SIDE * 4 {
            let [a, b] = [i % (SIDE * 2), i / (SIDE * 2)].map(|n| n as f64 * 0.5 + 0.23);
            let at = place(a, b);
            let (wanted, found) = (ground(&mesh, at), ground(&back.mesh, at));
            let is_same = match (wanted, found) {
                (Some(w), Some(f)) => w.0 == f.0 && w.1 == f.1 && (w.2 - f.2).abs() < 2e-3,
                (w, f) => w.is_none() && f.is_none(),
            };
            assert!(is_same, "at {at}: {found:?} in place of {wanted:?}");
        }
    }

    #[test]
    fn a_mesh_of_many_tiles_comes_back_with_ways_and_heights() {
        let file = field();
        let one = written(&file, DETOUR_ROOM).unwrap();
        assert_eq!((tiles_of(&one.bytes), one.notes), (1, Vec::<String>::new()));
        for room in [SMALL, TileRoom { polygons: 300, vertices: 0xfffe }, TileRoom { polygons: 1000, vertices: 500 }] {
            let set = written(&file, room).unwrap();
            assert!(tiles_of(&set.bytes) > 2, "{} tiles", tiles_of(&set.bytes));
            assert!(set.notes.iter().any(|n| n.contains("polygons are added where they are cut")), "{:?}", set.notes);
            hold_against(&file, &parse_mesh(&set.bytes, MeshFormat::DetourSet).unwrap());
        }
    }

    #[test]
    fn what_cannot_be_tiles_is_refused_with_figures() {
        let refused = |file: &MeshFile, room| written(file, room).unwrap_err().to_string();
        let mut file = field();
        file.detail = None;
        // A second field 0.5 m above, which Detour cannot tell from the first at the borders.
        let count = file.mesh.vertices.len() as u32;
        let above: Vec<DVec3> = file.mesh.vertices.iter().map(|v| *v + DVec3::Y * 0.5).collect();
        file.mesh.vertices.extend(above);
        for i in 0..file.mesh.polygons.len() {
            let mut copy = file.mesh.polygons[i].clone();
            copy.vertices.iter_mut().for_each(|v| *v += count);
            file.mesh.polygons.push(copy);
        }
        let error = refused(&file, SMALL);
        assert!(error.contains("highest step of 0.4 m; give a smaller step (--agent)"), "{error}");
        let (mesh, low) = (file.check().unwrap().0, ExchangeAgent { climb: 0.2, ..AGENT });
        let set = write_limited(&mesh, &file, &DetourValues::new(low), SMALL).unwrap();
        let back = parse_mesh(&set.bytes, MeshFormat::DetourSet).unwrap();
        assert_eq!(back.mesh.island_count(), mesh.island_count());
        // A fan around one point, and a link across all of the field.
        let mut fan = MeshFile::default();
        fan.mesh.vertices.push(DVec3::ZERO);
        fan.mesh.vertices.extend((0..60).map(|i| DVec2::from_angle(f64::from(i) * 0.1).extend(0.0).xzy() * 0.3));
        fan.mesh.polygons.extend((1..60).map(|i| RawPolygon::new([0, i, i + 1])));
        let error = refused(&fan, TileRoom { polygons: 10, vertices: 300 });
        assert!(error.contains("more than the 10 of a tile of Detour"), "{error}");
        let mut far = field();
        far.links.push(PlacedLink::new(LinkKind::Placed, [place(0.5, 0.5), place(29.5, 29.5)], 0.75));
        assert!(refused(&far, SMALL).contains("m leads further than to the next tile"), "{}", refused(&far, SMALL));
    }
}
