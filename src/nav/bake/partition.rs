//! Partition of the compact heightfield into regions, as far as possible without holes (Recast's `rcBuildRegions`,
//! `rcBuildRegionsMonotone` and `rcBuildLayerRegions`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::compact_heightfield::CompactHeightfield;
use super::distance_field::{FAR, max_distance, smooth};
use super::merge::merge_regions;
use super::monotone::sweep;
use super::region::{KeptTiles, Regions, TileRegions};
use super::settings::{BakeSettings, Partition, VoxelSettings};
use super::watershed::{WatershedInput, watershed, watershed_of_tiles};

/// Makes regions as the settings say. Tiles whose spans are as in `kept` are taken from there.
pub fn build_regions(
    compact: &CompactHeightfield,
    settings: &BakeSettings,
    voxels: VoxelSettings,
    kept: &KeptTiles,
    stop: &AtomicBool,
) -> Regions {
    let tile = settings.tile_cells as usize;
    let same = compact.same_area(tile);
    let mut regions = match settings.partition {
        Partition::Watershed => {
            let sharp = compact.border_distance(FAR, |_, _, i| same[i] == 0b1111, stop);
            let max_distance = max_distance(&sharp, &compact.areas);
            let distance = smooth(compact, sharp);
            if tile == 0 {
                let input =
                    WatershedInput { links: &compact.links, same: &same, areas: &compact.areas, distance: &distance };
                if settings.keep_stages {
                    let tile = whole_watershed(&input, max_distance, kept, stop);
                    let (ids, count) = (tile.ids.clone(), tile.count);
                    Regions { ids, count, distance, tile_ms: Vec::new(), tiles: vec![tile] }
                } else {
                    let (ids, count) = watershed(&input, max_distance, stop);
                    Regions { ids, count, distance, tile_ms: Vec::new(), tiles: Vec::new() }
                }
            } else {
                watershed_of_tiles(compact, &same, distance, (max_distance, tile), kept, stop)
            }
        }
        Partition::Monotone | Partition::Layers => sweep(compact, &same, tile),
    };
    if !stop.load(Relaxed) {
        merge_regions(compact, &mut regions, voxels, settings);
    }
    regions
}

/// The regions of a level that is not cut into tiles, from an earlier bake where nothing that they depend on has changed.
fn whole_watershed(
    input: &WatershedInput<'_>,
    max_distance: u16,
    kept: &KeptTiles,
    stop: &AtomicBool,
) -> Arc<TileRegions> {
    let digest = input.digest(max_distance);
    if let [Some(known)] = &kept[..]
        && known.digest == digest
    {
        return Arc::clone(known);
    }
    let (ids, count) = watershed(input, max_distance, stop);
    Arc::new(TileRegions { digest, ids, count })
}
