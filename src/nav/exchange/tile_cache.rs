//! Detour's tile caches: `TSET` files as RecastDemo, recast4j and DotRecast save them. They hold compressed layers of
//! voxels to build tiles from, and neither polygons nor obstacles: the mesh is made of all layers at once.
//!
//! Layout: magic, version, number of tiles, the mesh's parameters (28 bytes), the cache's (origin, edge and height of a
//! cell, size of a tile, height, radius and step of agents, largest error of outlines, most tiles and obstacles); per
//! tile its reference, the bytes of its data, and that data (`DTLR`): a header, then heights, areas and exits of each
//! cell, compressed. RecastDemo pads the header and compresses by FastLZ, recast4j compresses by LZ4 without a frame,
//! and DotRecast puts what the `LZ4Pickler` of K4os makes of that. Caches of NavMeshScene are marked `TSAT` and have the corners of a
//! box around the mesh behind the parameters (`TileCacheSetHeaderExt` in its `detour.cpp`).

use glam::Vec3;

use super::detour_set::BOUNDS;
use super::recast_demo::flags_of_area;
use super::{Bytes, ExchangeError, fastlz};
use crate::nav::bake::BakeSettings;
use crate::nav::bake::from_voxels::mesh_voxels;
use crate::nav::bake::heightfield::{GROUND, GridFrame, Heightfield, Span, TOP};
use crate::nav::mesh::MeshFile;

/// `TSET` as a number.
const TILE_CACHE: u32 = 0x5453_4554;
/// `TSAT` as a number: a cache with its bounds.
const TILE_CACHE_BOUNDED: u32 = 0x5453_4154;
/// `DTLR` as a number.
const LAYER: u32 = 0x4454_4c52;
/// The version of the file and of a layer.
const VERSION: u32 = 1;
/// The version of recast4j and DotRecast.
const VERSION_JAVA: u32 = 0x8801;
/// Bytes of the mesh's parameters.
const MESH_PARAMETERS: usize = 28;
/// Bytes of a layer's header, without padding.
const LAYER_HEADER: usize = 54;
/// Bytes by which C++ pads it.
const PADDING: usize = 2;
/// Most tiles.
const MAX_TILES: usize = 1 << 20;
/// Most cells of the grid over all tiles.
const MAX_GRID_CELLS: usize = 1 << 24;
/// Most walkable cells of all layers.
const MAX_LAYER_CELLS: usize = 1 << 23;
/// Most cells of all layers, walkable or not.
const MAX_DECOMPRESSED_CELLS: usize = 1 << 25;
/// The area of plain ground in a layer (`DT_TILECACHE_WALKABLE_AREA`).
const WALKABLE: u8 = 63;

/// A walkable cell of a layer.
struct LayerCell {
    /// Cells along x and z from the cache's origin.
    x: i32,
    z: i32,
    /// Height, world units.
    y: f32,
    /// Area of the mesh.
    area: u8,
    /// A bit per direction in which there is ground.
    exits: u8,
}

/// What a cache says of all its layers.
struct CacheParameters {
    origin: Vec3,
    settings: BakeSettings,
}

/// How the data of layers is compressed.
#[derive(Clone, Copy)]
enum Compression {
    /// FastLZ after a padded header.
    FastLz,
    /// LZ4, pickled or not.
    Lz4,
}

impl Compression {
    /// The cells of a layer, from what follows its header without padding; `None` where they are not `length` bytes.
    fn decompress(self, data: &[u8], length: usize) -> Option<Vec<u8>> {
        match self {
            Self::FastLz => fastlz::decompress(data.get(PADDING..)?, length),
            Self::Lz4 => unpickle(data, length).or_else(|| decompress_lz4(data, length)),
        }
    }
}

/// Decompresses a block of LZ4 of exactly `length` bytes.
fn decompress_lz4(block: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut out = vec![0; length];
    (lz4_flex::block::decompress_into(block, &mut out).ok()? == length).then_some(out)
}

/// Reads what `LZ4Pickler` writes: a byte whose low three bits are its version, 0, and whose upper two tell how many
/// bytes hold the number of bytes saved (0, 1, 2 or 4); that number; the data, stored as it is where no number is.
fn unpickle(data: &[u8], length: usize) -> Option<Vec<u8>> {
    let (&head, rest) = data.split_first()?;
    let digits = [0, 1, 2, 4][usize::from(head >> 6)];
    if head & 7 != 0 || rest.len() < digits {
        return None;
    }
    let (saved, block) = rest.split_at(digits);
    let saved = saved.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
    if block.len() + saved != length {
        return None;
    }
    if digits == 0 { Some(block.to_vec()) } else { decompress_lz4(block, length) }
}

/// Whether bytes begin as a tile cache does, in either byte order.
pub fn is_tile_cache(bytes: &[u8]) -> bool {
    [TILE_CACHE, TILE_CACHE_BOUNDED].iter().any(|&magic| Bytes::begin_with(bytes, magic))
}

/// Reads a tile cache and builds the mesh of its layers.
///
/// # Errors
/// The bytes are no cache of a version that is read, damaged, too large, or hold no ground.
pub fn read_tile_cache(bytes: &[u8]) -> Result<MeshFile, ExchangeError> {
    let cut = ExchangeError::element;
    let bounded = Bytes::after_magic(bytes, TILE_CACHE_BOUNDED);
    let mut b = bounded.or_else(|| Bytes::after_magic(bytes, TILE_CACHE)).ok_or(ExchangeError::Unknown)?;
    let version = b.u32().ok_or(cut("the version, entry", 1))?;
    let compression = match version {
        VERSION => Compression::FastLz,
        VERSION_JAVA => Compression::Lz4,
        found => {
            let (format, read) = ("a tile cache of Detour", "1 and, of recast4j and DotRecast, 34817");
            return Err(ExchangeError::Version { format, found, read });
        }
    };
    let count = b.u32().ok_or(cut("the number of tiles, entry", 2))? as usize;
    if count > MAX_TILES {
        return Err(ExchangeError::TooMany { what: "tiles", count, limit: MAX_TILES });
    }
    let parameters = parameters(&mut b).ok_or(cut("the parameters, entry", 3))?;
    parameters
        .settings
        .voxels()
        .map_err(|error| ExchangeError::Text(format!("the parameters of the cache: {error}")))?;
    b.take(if bounded.is_some() { BOUNDS } else { 0 }).ok_or(cut("the bounds, entry", 4))?;
    let (mut cells, mut decompressed) = (Vec::new(), 0);
    for i in 0..count {
        let head = b.u32().zip(b.u32()).ok_or(cut("tile", i))?;
        // An empty tile ends the list, as in RecastDemo.
        let (1.., length @ 1..) = head else { break };
        let data = b.take(length as usize).ok_or(cut("tile", i))?;
        decompressed += read_layer(b.with(data), compression, &parameters, &mut cells).ok_or(cut("tile", i))?;
        for (what, count, limit) in [
            ("cells of layers", decompressed, MAX_DECOMPRESSED_CELLS),
            ("walkable cells of layers", cells.len(), MAX_LAYER_CELLS),
        ] {
            if count > limit {
                return Err(ExchangeError::TooMany { what, count, limit });
            }
        }
    }
    build(cells, &parameters)
}

fn parameters(b: &mut Bytes) -> Option<CacheParameters> {
    b.take(MESH_PARAMETERS)?;
    let origin = b.vec3()?.as_vec3();
    let mut next = || b.f32();
    let (cell_size, cell_height) = (next()?, next()?);
    b.take(8)?;
    let mut next = || b.f32();
    let (agent_height, agent_radius, agent_climb, edge_error_cells) = (next()?, next()?, next()?, next()?);
    b.take(8)?;
    let usual = BakeSettings::default();
    let settings =
        BakeSettings { cell_size, cell_height, agent_height, agent_radius, agent_climb, edge_error_cells, ..usual };
    Some(CacheParameters { origin, settings })
}

/// Appends the walkable cells of a layer; answers how many cells it has.
fn read_layer(
    mut b: Bytes,
    compression: Compression,
    parameters: &CacheParameters,
    cells: &mut Vec<LayerCell>,
) -> Option<usize> {
    let all = b.rest();
    if b.u32()? != LAYER || b.u32()? != VERSION {
        return None;
    }
    b.take(12)?;
    let low = b.vec3()?.as_vec3();
    b.take(12 + 4)?;
    let (width, depth) = (usize::from(b.u8()?), usize::from(b.u8()?));
    let count = width * depth;
    let BakeSettings { cell_size, cell_height, .. } = parameters.settings;
    let grid = compression.decompress(all.get(LAYER_HEADER..)?, 3 * count)?;
    let (heights, rest) = grid.split_at(count);
    let (areas, exits) = rest.split_at(count);
    let corner = (low - parameters.origin) / cell_size;
    // As far as whole numbers of cells are exact.
    if !(corner.abs().max_element() < 1e6) {
        return None;
    }
    let (x0, z0) = (corner.x.round() as i32, corner.z.round() as i32);
    let walkable = (0..count).filter(|&i| areas[i] != 0);
    cells.extend(walkable.map(|i| LayerCell {
        x: x0 + (i % width) as i32,
        z: z0 + (i / width) as i32,
        y: low.y + f32::from(heights[i]) * cell_height,
        area: if areas[i] == WALKABLE { 0 } else { areas[i] & 63 },
        exits: exits[i] & 15 | exits[i] >> 4,
    }));
    Some(count)
}

/// One field of all layers, and its mesh.
fn build(mut cells: Vec<LayerCell>, parameters: &CacheParameters) -> Result<MeshFile, ExchangeError> {
    let settings = &parameters.settings;
    let Some(first) = cells.first() else { return Err(ExchangeError::Empty) };
    let (mut low, mut high, mut floor) = ([first.x, first.z], [first.x, first.z], first.y);
    for cell in &cells {
        low = [low[0].min(cell.x), low[1].min(cell.z)];
        high = [high[0].max(cell.x), high[1].max(cell.z)];
        floor = floor.min(cell.y);
    }
    let [width, depth] = [0, 1].map(|i| (high[i] - low[i]) as usize + 1);
    if width * depth > MAX_GRID_CELLS {
        return Err(ExchangeError::TooMany { what: "cells", count: width * depth, limit: MAX_GRID_CELLS });
    }
    // One height below the lowest, so that its span has an inside.
    let voxel = |y: f32| ((y - floor) / settings.cell_height).round() + 1.0;
    if !cells.iter().all(|cell| voxel(cell.y) < f32::from(TOP)) {
        return Err(ExchangeError::Text("its layers are further apart than 65,534 cell heights".into()));
    }
    cells.sort_by(|a, b| (a.z, a.x).cmp(&(b.z, b.x)).then(a.y.total_cmp(&b.y)));
    cells.dedup_by_key(|cell| (cell.z, cell.x, voxel(cell.y) as u16));
    let mut columns = vec![0u32; width * depth + 1];
    for cell in &cells {
        columns[(cell.z - low[1]) as usize * width + (cell.x - low[0]) as usize + 1] += 1;
    }
    for i in 1..columns.len() {
        columns[i] += columns[i - 1];
    }
    let span = |cell: &LayerCell| {
        let top = voxel(cell.y) as u16;
        Span { bottom: top - 1, top, area: cell.area + GROUND }
    };
    let spans = cells.iter().map(span).collect();
    let corner = Vec3::new(low[0] as f32, 0.0, low[1] as f32) * settings.cell_size;
    let origin = parameters.origin.with_y(floor - settings.cell_height) + corner;
    let (cell_size, cell_height) = (settings.cell_size, settings.cell_height);
    let field = Heightfield { frame: GridFrame { origin, width, depth, cell_size, cell_height }, columns, spans };
    let exits: Vec<u8> = cells.iter().map(|cell| cell.exits).collect();
    drop(cells);
    let mut built = mesh_voxels(&field, &exits, settings).map_err(|error| ExchangeError::Text(error.to_string()))?;
    for polygon in &mut built.mesh.polygons {
        polygon.flags = flags_of_area(polygon.area);
    }
    Ok(MeshFile { mesh: built.mesh, detail: built.detail, links: Vec::new(), values: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program that wrote a cache.
    #[derive(Clone, Copy, Debug)]
    enum Writer {
        RecastDemo,
        Recast4j,
        DotRecast,
        /// DotRecast, of data that LZ4 does not make shorter.
        DotRecastStored,
    }

    impl Writer {
        fn version(self) -> u32 {
            if matches!(self, Self::RecastDemo) { VERSION } else { VERSION_JAVA }
        }

        fn compress(self, data: &[u8]) -> Vec<u8> {
            let lz4 = || lz4_flex::block::compress(data);
            match self {
                // Padding, then literal runs alone.
                Self::RecastDemo => {
                    let run = |run: &[u8]| [&[run.len() as u8 - 1], run].concat();
                    [vec![0; PADDING], data.chunks(32).flat_map(run).collect()].concat()
                }
                Self::Recast4j => lz4(),
                Self::DotRecast => {
                    let saved = (data.len() - lz4().len()) as u16;
                    [vec![2 << 6], saved.to_le_bytes().to_vec(), lz4()].concat()
                }
                Self::DotRecastStored => [&[0], data].concat(),
            }
        }
    }

    /// Numbers in the order of bytes of a machine.
    struct Numbers {
        bytes: Vec<u8>,
        is_big_endian: bool,
    }

    impl Numbers {
        fn ints(&mut self, numbers: &[u32]) {
            for n in numbers {
                self.bytes.extend(if self.is_big_endian { n.to_be_bytes() } else { n.to_le_bytes() });
            }
        }

        fn floats(&mut self, numbers: &[f32]) {
            numbers.iter().for_each(|n| self.ints(&[n.to_bits()]));
        }
    }

    /// A cache of flat layers of 20 by 20 cells of half a metre, each at a place in cells and a height.
    fn cache_of(writer: Writer, is_big_endian: bool, layers: &[([i32; 2], f32)]) -> Vec<u8> {
        let mut out = Numbers { bytes: Vec::new(), is_big_endian };
        out.ints(&[TILE_CACHE, writer.version(), layers.len() as u32]);
        out.bytes.extend([0; MESH_PARAMETERS]);
        out.floats(&[0.0, 0.0, 0.0, 0.5, 0.2]);
        out.ints(&[20, 20]);
        out.floats(&[2.0, 0.6, 0.9, 1.3]);
        out.ints(&[64, 64]);
        for (at, y) in layers {
            let mut layer = Numbers { bytes: Vec::new(), is_big_endian };
            layer.ints(&[LAYER, VERSION, 0, 0, 0]);
            layer.floats(&[at[0] as f32 * 0.5, *y, at[1] as f32 * 0.5, 0.0, 0.0, 0.0]);
            layer.bytes.extend([0, 0, 0, 0, 20, 20, 0, 19, 0, 19]);
            assert_eq!(layer.bytes.len(), LAYER_HEADER);
            let mut grid = vec![0; 400];
            grid.extend((0..400).map(|i| if i % 20 < 5 { 1 } else { WALKABLE }));
            grid.extend([0xff; 400]);
            layer.bytes.extend(writer.compress(&grid));
            out.ints(&[1, layer.bytes.len() as u32]);
            out.bytes.extend(layer.bytes);
        }
        out.bytes
    }

    /// A cache as RecastDemo writes it.
    fn cache(layers: &[([i32; 2], f32)]) -> Vec<u8> {
        cache_of(Writer::RecastDemo, false, layers)
    }

    #[test]
    fn caches_of_recast4j_and_dotrecast_hold_the_same_layers() {
        let layers = [([0, 0], 0.0), ([20, 0], 0.4), ([0, 20], 6.0)];
        let expected = read_tile_cache(&cache(&layers)).unwrap();
        for writer in [Writer::RecastDemo, Writer::Recast4j, Writer::DotRecast, Writer::DotRecastStored] {
            for is_big_endian in [false, true] {
                let good = cache_of(writer, is_big_endian, &layers);
                let file = read_tile_cache(&good).unwrap_or_else(|e| panic!("{writer:?} {is_big_endian}: {e}"));
                assert_eq!(file.mesh.vertices, expected.mesh.vertices, "{writer:?} {is_big_endian}");
                assert_eq!(file.mesh.polygons, expected.mesh.polygons, "{writer:?} {is_big_endian}");
            }
            let good = cache_of(writer, false, &layers[..1]);
            for end in 0..good.len() {
                assert!(read_tile_cache(&good[..end]).is_err(), "{writer:?} cut at {end}");
            }
            // It opens or it does not. The compression of layers begins at byte 150.
            for at in 0..good.len().min(200) {
                for value in [0, 0x40, 0xc0, 0xff] {
                    let mut bad = good.clone();
                    bad[at] = value;
                    let _ = read_tile_cache(&bad);
                }
            }
        }
    }

    #[test]
    fn caches_with_bounds_hold_the_same_layers() {
        let plain = cache(&[([0, 0], 0.0), ([20, 0], 0.4)]);
        // The first tile begins behind the header, 12 bytes, and the parameters.
        let (head, tiles) = plain[4..].split_at(8 + MESH_PARAMETERS + 52);
        let bounds = [-1.0_f32, -1.0, -1.0, 9.0, 9.0, 9.0].map(f32::to_le_bytes);
        let bounded = [&TILE_CACHE_BOUNDED.to_le_bytes()[..], head, bounds.as_flattened(), tiles].concat();
        assert!(is_tile_cache(&plain) && is_tile_cache(&bounded));
        let [read, expected] = [&bounded, &plain].map(|bytes| read_tile_cache(bytes).unwrap().mesh);
        assert_eq!((read.vertices, read.polygons), (expected.vertices, expected.polygons));
        for end in 0..bounded.len() {
            assert!(read_tile_cache(&bounded[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn layers_of_a_tile_cache_become_one_mesh() {
        let file = read_tile_cache(&cache(&[([0, 0], 0.0), ([20, 0], 0.4), ([0, 20], 6.0)])).unwrap();
        let (mesh, _) = file.check().unwrap();
        assert_eq!(mesh.island_count(), 2, "a step joins the tiles beside each other, a storey does not");
        let area = |area: u8| -> f64 {
            let of = |i: &u32| mesh.polygon(crate::nav::mesh::PolyId(*i)).area == area;
            let size = |i: u32| crate::math::plan::area(mesh.corners_of(crate::nav::mesh::PolyId(i)));
            (0..mesh.len() as u32).filter(of).map(size).sum()
        };
        assert!((area(1) - 75.0).abs() < 5.0 && (area(0) - 225.0).abs() < 5.0, "{} {}", area(1), area(0));
        assert!(file.mesh.polygons.iter().all(|p| p.flags == flags_of_area(p.area)));
        let top = file.mesh.vertices.iter().map(|v| v.y).fold(f64::MIN, f64::max);
        assert!((top - 6.0).abs() < 0.01, "{top}");
    }

    #[test]
    fn damaged_tile_caches_are_refused() {
        let good = cache(&[([0, 0], 0.0)]);
        for end in 0..good.len() {
            assert!(read_tile_cache(&good[..end]).is_err(), "cut at {end}");
        }
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bad = good.clone();
                bad[at] = value;
                // It opens or it does not.
                let _ = read_tile_cache(&bad);
            }
        }
        let said = |at: usize, value: u32| {
            let mut bad = good.clone();
            bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
            read_tile_cache(&bad).unwrap_err().to_string()
        };
        assert!(said(4, 2).contains("of version 2"), "{}", said(4, 2));
        assert!(said(8, u32::MAX).contains("tiles"));
        assert!(said(52, 0).contains("cell_size"), "{}", said(52, 0));
        assert!(read_tile_cache(&cache(&[([0, 0], 0.0), ([900_000, 900_000], 0.0)])).is_err());
    }
}
