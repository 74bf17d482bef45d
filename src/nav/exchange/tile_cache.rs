//! Detour's tile caches: `TSET` files as RecastDemo saves them. They hold layers of voxels to build tiles from, compressed
//! by FastLZ, and neither polygons nor obstacles: the mesh is made of all layers at once.
//!
//! Layout: magic, version, number of tiles, the mesh's parameters (28 bytes), the cache's (origin, edge and height of a
//! cell, size of a tile, height, radius and step of agents, largest error of outlines, most tiles and obstacles); per
//! tile its reference, the bytes of its data, and that data (`DTLR`): a header of 56 bytes, then heights, areas and
//! exits of each cell, compressed.

use glam::Vec3;

use super::fastlz::decompress;
use super::recast_demo::flags_of_area;
use super::{Bytes, ExchangeError};
use crate::nav::bake::BakeSettings;
use crate::nav::bake::from_voxels::mesh_voxels;
use crate::nav::bake::heightfield::{GROUND, GridFrame, Heightfield, Span, TOP};
use crate::nav::mesh::MeshFile;

/// `TSET` as a number.
pub const TILE_CACHE: u32 = 0x5453_4554;
/// `DTLR` as a number.
const LAYER: u32 = 0x4454_4c52;
/// The version of the file and of a layer.
const VERSION: u32 = 1;
/// The version of recast4j and DotRecast, whose layers are compressed otherwise.
const VERSION_JAVA: u32 = 0x8801;
/// Bytes of the mesh's parameters.
const MESH_PARAMETERS: usize = 28;
/// Bytes of a layer's header, its padding included.
const LAYER_HEADER: usize = 56;
/// Most tiles.
const MAX_TILES: usize = 1 << 20;
/// Most cells of the grid over all tiles.
const MAX_GRID_CELLS: usize = 1 << 24;
/// Most walkable cells of all layers.
const MAX_LAYER_CELLS: usize = 1 << 22;
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

fn cut(what: &'static str, index: usize) -> ExchangeError {
    ExchangeError::Element { what, index }
}

/// Reads a tile cache and builds the mesh of its layers.
///
/// # Errors
/// The bytes are no cache of a version that is read, damaged, too large, or hold no ground.
pub fn read_tile_cache(bytes: &[u8]) -> Result<MeshFile, ExchangeError> {
    let mut b = Bytes::new(bytes);
    if bytes.starts_with(&TILE_CACHE.to_be_bytes()) {
        b = b.big_endian();
    }
    if b.u32() != Some(TILE_CACHE) {
        return Err(ExchangeError::Unknown);
    }
    let version = b.u32().ok_or(cut("the version, entry", 1))?;
    if version != VERSION {
        let format = if version == VERSION_JAVA { "a tile cache of recast4j" } else { "a tile cache of Detour" };
        return Err(ExchangeError::Version { format, found: version, read: "1, as C++ writes it" });
    }
    let count = b.u32().ok_or(cut("the number of tiles, entry", 2))? as usize;
    if count > MAX_TILES {
        return Err(ExchangeError::TooMany { what: "tiles", count, limit: MAX_TILES });
    }
    let parameters = parameters(&mut b).ok_or(cut("the parameters, entry", 3))?;
    parameters
        .settings
        .voxels()
        .map_err(|error| ExchangeError::Text(format!("the parameters of the cache: {error}")))?;
    let (mut cells, mut decompressed) = (Vec::new(), 0);
    for i in 0..count {
        let head = b.u32().zip(b.u32()).ok_or(cut("tile", i))?;
        // An empty tile ends the list, as in RecastDemo.
        let (1.., length @ 1..) = head else { break };
        let data = b.take(length as usize).ok_or(cut("tile", i))?;
        let layer =
            if bytes.starts_with(&TILE_CACHE.to_be_bytes()) { Bytes::new(data).big_endian() } else { Bytes::new(data) };
        decompressed += read_layer(layer, &parameters, &mut cells).ok_or(cut("tile", i))?;
        if decompressed > MAX_DECOMPRESSED_CELLS || cells.len() > MAX_LAYER_CELLS {
            return Err(ExchangeError::TooMany {
                what: "cells of layers",
                count: decompressed,
                limit: MAX_LAYER_CELLS,
            });
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
fn read_layer(mut b: Bytes, parameters: &CacheParameters, cells: &mut Vec<LayerCell>) -> Option<usize> {
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
    let grid = decompress(all.get(LAYER_HEADER..)?, 3 * count)?;
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
    Ok(MeshFile { mesh: built.mesh, detail: built.detail, links: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of literal runs alone.
    fn compress(data: &[u8]) -> Vec<u8> {
        data.chunks(32).flat_map(|run| std::iter::once(run.len() as u8 - 1).chain(run.iter().copied())).collect()
    }

    /// A cache of flat layers of 20 by 20 cells of half a metre, each at a place in cells and a height.
    fn cache(layers: &[([i32; 2], f32)]) -> Vec<u8> {
        let mut out = Vec::new();
        [TILE_CACHE, VERSION, layers.len() as u32].iter().for_each(|n| out.extend(n.to_le_bytes()));
        out.extend([0; MESH_PARAMETERS]);
        [0.0f32, 0.0, 0.0, 0.5, 0.2].iter().for_each(|n| out.extend(n.to_le_bytes()));
        [20u32, 20].iter().for_each(|n| out.extend(n.to_le_bytes()));
        [2.0f32, 0.6, 0.9, 1.3].iter().for_each(|n| out.extend(n.to_le_bytes()));
        [64u32, 64].iter().for_each(|n| out.extend(n.to_le_bytes()));
        for (at, y) in layers {
            let mut layer = Vec::new();
            [LAYER, VERSION, 0, 0, 0].iter().for_each(|n| layer.extend(n.to_le_bytes()));
            let low = [at[0] as f32 * 0.5, *y, at[1] as f32 * 0.5];
            low.iter().chain(&[0.0; 3]).for_each(|n: &f32| layer.extend(n.to_le_bytes()));
            layer.extend([0, 0, 0, 0, 20, 20, 0, 19, 0, 19, 0, 0]);
            let mut grid = vec![0; 400];
            grid.extend((0..400).map(|i| if i % 20 < 5 { 1 } else { WALKABLE }));
            grid.extend([0xff; 400]);
            layer.extend(compress(&grid));
            [1, layer.len() as u32].iter().for_each(|n| out.extend(n.to_le_bytes()));
            out.extend(layer);
        }
        out
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
        assert!(said(4, VERSION_JAVA).contains("recast4j"));
        assert!(said(8, u32::MAX).contains("tiles"));
        assert!(said(52, 0).contains("cell_size"), "{}", said(52, 0));
        assert!(read_tile_cache(&cache(&[([0, 0], 0.0), ([900_000, 900_000], 0.0)])).is_err());
    }
}
