//! Filters small regions and merges them with neighbours (Recast's `mergeAndFilterRegions` and
//! `mergeAndFilterLayerRegions`).

use super::compact_heightfield::CompactHeightfield;
use super::heightfield::UNWALKABLE;
use super::region::Regions;
use super::region_columns::RegionColumns;
use super::settings::{BakeSettings, Partition, VoxelSettings};
use foldhash::{HashSet, HashSetExt};

/// A region while regions are merged.
#[derive(Clone, Default)]
struct MergeRegion {
    cells: u32,
    /// The region it was merged into; 0 is removed.
    id: u32,
    area: u8,
    tile: u32,
    /// Whether some column holds it twice.
    overlaps: bool,
    visited: bool,
    /// Neighbouring regions in the order along its border, 0 for a wall.
    around: Vec<u32>,
}

impl MergeRegion {
    /// Removes entries of the cyclic list that equal the next one.
    fn remove_duplicates(&mut self) {
        self.around.dedup();
        if self.around.len() > 1 && self.around.first() == self.around.last() {
            self.around.pop();
        }
    }

    /// Whether the regions can merge unless one lies above the other: they share at most one border.
    fn can_merge_with(&self, other: &Self) -> bool {
        self.area == other.area
            && self.tile == other.tile
            && self.around.iter().filter(|&&n| n == other.id).count() <= 1
    }

    fn rename(&mut self, old: u32, new: u32) {
        let mut changed = false;
        for n in self.around.iter_mut().filter(|n| **n == old) {
            *n = new;
            changed = true;
        }
        if changed {
            self.remove_duplicates();
        }
    }
}

/// Filters and merges; renumbers the regions without gaps.
pub fn merge_regions(
    compact: &CompactHeightfield,
    regions: &mut Regions,
    voxels: VoxelSettings,
    settings: &BakeSettings,
) {
    let layers = settings.partition == Partition::Layers;
    let mut list = collect(compact, regions, layers);
    let mut columns = RegionColumns::new(compact, &regions.ids, regions.count);
    list.iter_mut().zip(0..).for_each(|(r, id)| r.overlaps = columns.overlaps_itself(id));
    if settings.tile_cells > 0 {
        find_tiles(compact, &regions.ids, settings.tile_cells as usize, &mut list);
    }
    match (layers, settings.tile_cells) {
        (true, 0) => {
            merge_layers(&mut list, &columns);
            remove_small_layers(&mut list, voxels.region_min);
        }
        (true, _) => {
            // A region small within its tile may be large together with neighbouring tiles.
            remove_small(&mut list, voxels.region_min);
            merge_layers(&mut list, &columns);
        }
        (false, _) => {
            remove_small(&mut list, voxels.region_min);
            merge_small(&mut list, &mut columns, voxels.region_merge);
        }
    }
    let mut numbers = vec![0u32; list.len()];
    let mut count = 1;
    for r in &list {
        if r.id != 0 && numbers[r.id as usize] == 0 {
            numbers[r.id as usize] = count;
            count += 1;
        }
    }
    for id in &mut regions.ids {
        *id = numbers[list[*id as usize].id as usize];
    }
    regions.count = count;
}

/// Finds the tile of each region.
fn find_tiles(compact: &CompactHeightfield, ids: &[u32], tile: usize, list: &mut [MergeRegion]) {
    let width = compact.frame.width;
    let across = width.div_ceil(tile);
    for (cell, w) in compact.columns.windows(2).enumerate() {
        for &id in &ids[w[0] as usize..w[1] as usize] {
            list[id as usize].tile = (cell / width / tile * across + cell % width / tile) as u32;
        }
    }
}

fn collect(compact: &CompactHeightfield, regions: &Regions, layers: bool) -> Vec<MergeRegion> {
    let mut list: Vec<MergeRegion> =
        (0..regions.count).map(|id| MergeRegion { id, ..MergeRegion::default() }).collect();
    let (ids, mut touching) = (&regions.ids, HashSet::new());
    for (i, &id) in ids[..compact.len()].iter().enumerate() {
        if id == 0 || compact.areas[i] == UNWALKABLE {
            continue;
        }
        let r = &mut list[id as usize];
        r.cells += 1;
        if layers {
            r.area = compact.areas[i];
            for &n in &compact.links[i] {
                let other = ids[n as usize];
                if other != 0 && other != id && touching.insert([id, other]) {
                    r.around.push(other);
                }
            }
        } else if r.around.is_empty()
            && let Some(d) = (0..4).find(|&d| ids[compact.links[i][d] as usize] != id)
        {
            r.area = compact.areas[i];
            r.around = neighbors_around(compact, ids, i, d);
        }
    }
    list
}

/// Neighbouring regions along the border of a span's region, beginning at its side in `direction`.
fn neighbors_around(compact: &CompactHeightfield, ids: &[u32], span: usize, direction: usize) -> Vec<u32> {
    let id = ids[span];
    let (mut i, mut d) = (span, direction);
    let mut current = ids[compact.links[i][d] as usize];
    let mut around = vec![current];
    // A border has at most four sides per span.
    for _ in 0..4 * compact.len() {
        let next = compact.links[i][d];
        let other = ids[next as usize];
        if other == id {
            i = next as usize;
            d = (d + 3) & 3;
        } else {
            if other != current {
                current = other;
                around.push(other);
            }
            d = (d + 1) & 3;
        }
        if i == span && d == direction {
            break;
        }
    }
    let mut r = MergeRegion { around, ..MergeRegion::default() };
    r.remove_duplicates();
    r.around
}

/// Removes groups of connected regions that are small together.
fn remove_small(list: &mut [MergeRegion], least: u32) {
    let mut group = Vec::new();
    for start in 1..list.len() {
        if list[start].cells == 0 || list[start].visited {
            continue;
        }
        group.clear();
        group.push(start);
        list[start].visited = true;
        let (mut at, mut cells) = (0, 0u64);
        while at < group.len() {
            let i = group[at];
            cells += u64::from(list[i].cells);
            for k in 0..list[i].around.len() {
                let n = list[i].around[k] as usize;
                if n != 0 && !list[n].visited {
                    list[n].visited = true;
                    group.push(n);
                }
            }
            at += 1;
        }
        if cells < u64::from(least) {
            for &i in &group {
                list[i].cells = 0;
                list[i].id = 0;
            }
        }
    }
}

/// Merges regions that are small or touch no wall into their smallest compatible neighbour, until none is left.
fn merge_small(list: &mut [MergeRegion], columns: &mut RegionColumns, small: u32) {
    // Per region those beside whose borders it lies, and others: to rename it there, not all regions are looked through.
    let mut beside: Vec<Vec<u32>> = vec![Vec::new(); list.len()];
    for (r, id) in list.iter().zip(0..) {
        r.around.iter().for_each(|&n| beside[n as usize].push(id));
    }
    // Per region the one that it was merged into, else itself.
    let mut into: Vec<u32> = (0..list.len() as u32).collect();
    loop {
        let mut joined = false;
        for i in 1..list.len() {
            let r = &list[i];
            if r.id == 0 || r.overlaps || r.cells == 0 || (r.cells > small && r.around.contains(&0)) {
                continue;
            }
            let Some(target) = smallest_fitting(list, columns, i) else { continue };
            if !merge_into(list, target as usize, i) {
                continue;
            }
            let old = i as u32;
            columns.join(target, old);
            into[i] = target;
            // What was beside a merged region is beside the one that it has become.
            let mut changed: Vec<u32> = std::mem::take(&mut beside[i]).iter().map(|&r| root(&mut into, r)).collect();
            changed.sort_unstable();
            changed.dedup();
            changed.iter().for_each(|&other| list[other as usize].rename(old, target));
            beside[target as usize].append(&mut changed);
            joined = true;
        }
        if !joined {
            break;
        }
    }
    for i in 1..list.len() {
        // What is removed stays so.
        list[i].id = list[root(&mut into, i as u32) as usize].id;
    }
}

/// What a region has been merged into at last.
fn root(into: &mut [u32], mut region: u32) -> u32 {
    while into[region as usize] != region {
        into[region as usize] = into[into[region as usize] as usize];
        region = into[region as usize];
    }
    region
}

/// The smallest neighbour, of equals the first around it, with which a region can be merged.
fn smallest_fitting(list: &[MergeRegion], columns: &mut RegionColumns, region: usize) -> Option<u32> {
    let r = &list[region];
    let fits = |n: &u32| {
        let other = &list[*n as usize];
        other.id != 0 && !other.overlaps && r.can_merge_with(other) && other.can_merge_with(r)
    };
    let mut fitting: Vec<u32> = r.around.iter().copied().filter(fits).collect();
    fitting.sort_by_key(|n| list[*n as usize].cells);
    fitting.into_iter().find(|&n| !columns.share(region as u32, n))
}

/// Merges `from` into `into`: their borders are opened at the shared part and joined.
fn merge_into(list: &mut [MergeRegion], into: usize, from: usize) -> bool {
    let (a, b) = (std::mem::take(&mut list[into].around), std::mem::take(&mut list[from].around));
    let places = (a.iter().position(|&n| n == list[from].id), b.iter().position(|&n| n == list[into].id));
    let (Some(at_a), Some(at_b)) = places else {
        (list[into].around, list[from].around) = (a, b);
        return false;
    };
    let cells = std::mem::take(&mut list[from].cells);
    let r = &mut list[into];
    r.around = (1..a.len()).map(|k| a[(at_a + k) % a.len()]).collect();
    r.around.extend((1..b.len()).map(|k| b[(at_b + k) % b.len()]));
    r.remove_duplicates();
    r.cells += cells;
    true
}

/// Merges touching regions into layers, as long as no region of a layer lies above another.
fn merge_layers(list: &mut [MergeRegion], columns: &RegionColumns) {
    for r in list.iter_mut() {
        r.id = 0;
    }
    let mut queue = std::collections::VecDeque::new();
    let mut layer = columns.layer();
    // Per region the last layer that it lies above or below: layers only grow.
    let mut refused = vec![0; list.len()];
    for root in 1..list.len() {
        if list[root].id != 0 || list[root].cells == 0 {
            continue;
        }
        let id = root as u32;
        list[root].id = id;
        layer.add(id, id);
        queue.push_back(root);
        while let Some(i) = queue.pop_front() {
            for k in 0..list[i].around.len() {
                let n = list[i].around[k] as usize;
                let fits = list[n].id == 0
                    && list[n].area == list[root].area
                    && list[n].tile == list[root].tile
                    && !list[n].overlaps
                    && refused[n] != id;
                if !fits {
                    continue;
                }
                if layer.is_shared(id, n as u32) {
                    refused[n] = id;
                } else {
                    list[n].id = id;
                    layer.add(id, n as u32);
                    list[root].cells += std::mem::take(&mut list[n].cells);
                    queue.push_back(n);
                }
            }
        }
    }
}

fn remove_small_layers(list: &mut [MergeRegion], least: u32) {
    let small: Vec<bool> = list.iter().map(|r| r.cells < least).collect();
    for r in list.iter_mut() {
        if small[r.id as usize] {
            r.id = 0;
        }
    }
}
