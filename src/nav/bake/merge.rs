//! Filters small regions and merges them with neighbours (Recast's `mergeAndFilterRegions` and
//! `mergeAndFilterLayerRegions`).

use super::compact_heightfield::CompactHeightfield;
use super::heightfield::UNWALKABLE;
use super::region::Regions;
use super::settings::{BakeSettings, Partition, VoxelSettings};

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
    /// Regions above or below it.
    stacked: Vec<u32>,
}

impl MergeRegion {
    fn add_stacked(&mut self, id: u32) {
        if !self.stacked.contains(&id) {
            self.stacked.push(id);
        }
    }

    /// Removes entries of the cyclic list that equal the next one.
    fn remove_duplicates(&mut self) {
        let list = &mut self.around;
        let mut i = 0;
        while i < list.len() && list.len() > 1 {
            if list[i] == list[(i + 1) % list.len()] {
                list.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// Whether the regions can merge: they share at most one border, and neither lies above the other.
    fn can_merge_with(&self, other: &Self) -> bool {
        self.area == other.area
            && self.tile == other.tile
            && self.around.iter().filter(|&&n| n == other.id).count() <= 1
            && !self.stacked.contains(&other.id)
    }

    fn rename(&mut self, old: u32, new: u32) {
        let mut changed = false;
        for n in self.around.iter_mut().filter(|n| **n == old) {
            *n = new;
            changed = true;
        }
        for n in self.stacked.iter_mut().filter(|n| **n == old) {
            *n = new;
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
    if settings.tile_cells > 0 {
        find_tiles(compact, &regions.ids, settings.tile_cells as usize, &mut list);
    }
    match (layers, settings.tile_cells) {
        (true, 0) => {
            merge_layers(&mut list);
            remove_small_layers(&mut list, voxels.region_min);
        }
        (true, _) => {
            // A region small within its tile may be large together with neighbouring tiles.
            remove_small(&mut list, voxels.region_min);
            merge_layers(&mut list);
        }
        (false, _) => {
            remove_small(&mut list, voxels.region_min);
            merge_small(&mut list, voxels.region_merge);
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
    let ids = &regions.ids;
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
                if other != 0 && other != id && !r.around.contains(&other) {
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
    for w in compact.columns.windows(2).filter(|w| w[1] - w[0] > 1) {
        let column = w[0] as usize..w[1] as usize;
        for i in column.clone() {
            for j in column.clone().filter(|&j| j != i && ids[i] != 0 && ids[j] != 0) {
                let r = &mut list[ids[i] as usize];
                r.overlaps |= ids[i] == ids[j];
                r.add_stacked(ids[j]);
            }
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
fn merge_small(list: &mut [MergeRegion], small: u32) {
    loop {
        let mut joined = false;
        for i in 1..list.len() {
            let r = &list[i];
            if r.id == 0 || r.overlaps || r.cells == 0 || (r.cells > small && r.around.contains(&0)) {
                continue;
            }
            let fits = |n: &u32| {
                let other = &list[*n as usize];
                other.id != 0 && !other.overlaps && r.can_merge_with(other) && other.can_merge_with(r)
            };
            let Some(&target) = r.around.iter().filter(|n| fits(n)).min_by_key(|n| list[**n as usize].cells) else {
                continue;
            };
            let (old, new) = (r.id, list[target as usize].id);
            if !merge_into(list, target as usize, i) {
                continue;
            }
            for other in list.iter_mut().filter(|o| o.id != 0) {
                if other.id == old {
                    other.id = new;
                }
                other.rename(old, new);
            }
            joined = true;
        }
        if !joined {
            return;
        }
    }
}

/// Merges `from` into `into`: their borders are opened at the shared part and joined.
fn merge_into(list: &mut [MergeRegion], into: usize, from: usize) -> bool {
    let (a, b) = (list[into].around.clone(), std::mem::take(&mut list[from].around));
    let places = (a.iter().position(|&n| n == list[from].id), b.iter().position(|&n| n == list[into].id));
    let (Some(at_a), Some(at_b)) = places else {
        list[from].around = b;
        return false;
    };
    let stacked = list[from].stacked.clone();
    let cells = std::mem::take(&mut list[from].cells);
    let r = &mut list[into];
    r.around = (1..a.len()).map(|k| a[(at_a + k) % a.len()]).collect();
    r.around.extend((1..b.len()).map(|k| b[(at_b + k) % b.len()]));
    r.remove_duplicates();
    stacked.into_iter().for_each(|f| r.add_stacked(f));
    r.cells += cells;
    true
}

/// Merges touching regions into layers, as long as no region of a layer lies above another.
fn merge_layers(list: &mut [MergeRegion]) {
    for r in list.iter_mut() {
        r.id = 0;
    }
    let mut queue = std::collections::VecDeque::new();
    for root in 1..list.len() {
        if list[root].id != 0 || list[root].cells == 0 {
            continue;
        }
        let id = root as u32;
        list[root].id = id;
        queue.push_back(root);
        while let Some(i) = queue.pop_front() {
            for k in 0..list[i].around.len() {
                let n = list[i].around[k] as usize;
                let fits = list[n].id == 0
                    && list[n].area == list[root].area
                    && list[n].tile == list[root].tile
                    && !list[n].overlaps
                    && !list[root].stacked.contains(&(n as u32));
                if fits {
                    list[n].id = id;
                    let stacked = list[n].stacked.clone();
                    stacked.into_iter().for_each(|f| list[root].add_stacked(f));
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
