//! Drops regions that are too small and joins small ones with their neighbours.

use super::compact::Compact;
use super::heightfield::UNWALKABLE;
use super::region::Regions;
use super::{BakeSettings, Partition, VoxelSettings};

/// One region while they are being joined.
#[derive(Clone, Default)]
struct Region {
    cells: u32,
    /// What it has become; 0 is gone.
    id: u32,
    area: u8,
    tile: u32,
    /// Some column holds it twice.
    overlaps: bool,
    visited: bool,
    /// Neighbours in the order of its outline, 0 for a wall.
    around: Vec<u32>,
    /// Regions that lie over or under it.
    floors: Vec<u32>,
}

impl Region {
    fn add_floor(&mut self, id: u32) {
        if !self.floors.contains(&id) {
            self.floors.push(id);
        }
    }

    /// Removes entries equal to the one after them, the list being a ring.
    fn tidy(&mut self) {
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

    /// Whether both may become one: at most one common border, and neither lies over the other.
    fn can_take(&self, other: &Self) -> bool {
        self.area == other.area
            && self.tile == other.tile
            && self.around.iter().filter(|&&n| n == other.id).count() <= 1
            && !self.floors.contains(&other.id)
    }

    fn rename(&mut self, old: u32, new: u32) {
        let mut changed = false;
        for n in self.around.iter_mut().filter(|n| **n == old) {
            *n = new;
            changed = true;
        }
        for n in self.floors.iter_mut().filter(|n| **n == old) {
            *n = new;
        }
        if changed {
            self.tidy();
        }
    }
}

/// Drops and joins; afterwards the numbers of regions have no gaps.
pub fn merge_regions(compact: &Compact, regions: &mut Regions, voxels: VoxelSettings, settings: &BakeSettings) {
    let layers = settings.partition == Partition::Layers;
    let mut list = collect(compact, regions, layers);
    if settings.tile_cells > 0 {
        find_tiles(compact, &regions.ids, settings.tile_cells as usize, &mut list);
    }
    match (layers, settings.tile_cells) {
        (true, 0) => {
            join_layers(&mut list);
            drop_small_layers(&mut list, voxels.region_min);
        }
        (true, _) => {
            // What is small in its tile may be large with what lies beyond.
            drop_small(&mut list, voxels.region_min);
            join_layers(&mut list);
        }
        (false, _) => {
            drop_small(&mut list, voxels.region_min);
            join_small(&mut list, voxels.region_merge);
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

/// Which tile each region lies in.
fn find_tiles(compact: &Compact, ids: &[u32], tile: usize, list: &mut [Region]) {
    let width = compact.frame.width;
    let across = width.div_ceil(tile);
    for (cell, w) in compact.columns.windows(2).enumerate() {
        for &id in &ids[w[0] as usize..w[1] as usize] {
            list[id as usize].tile = (cell / width / tile * across + cell % width / tile) as u32;
        }
    }
}

fn collect(compact: &Compact, regions: &Regions, layers: bool) -> Vec<Region> {
    let mut list: Vec<Region> = (0..regions.count).map(|id| Region { id, ..Region::default() }).collect();
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
                r.add_floor(ids[j]);
            }
        }
    }
    list
}

/// The regions along the outline of the region of a floor, from its border in a direction on.
fn neighbors_around(compact: &Compact, ids: &[u32], floor: usize, direction: usize) -> Vec<u32> {
    let id = ids[floor];
    let (mut i, mut d) = (floor, direction);
    let mut current = ids[compact.links[i][d] as usize];
    let mut around = vec![current];
    // A border has at most four sides per floor.
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
        if i == floor && d == direction {
            break;
        }
    }
    let mut r = Region { around, ..Region::default() };
    r.tidy();
    r.around
}

/// Groups of regions that touch one another and are small together vanish.
fn drop_small(list: &mut [Region], least: u32) {
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

/// Regions that are small, or touch no wall, join the smallest neighbour that will have them, until none can.
fn join_small(list: &mut [Region], small: u32) {
    loop {
        let mut joined = false;
        for i in 1..list.len() {
            let r = &list[i];
            if r.id == 0 || r.overlaps || r.cells == 0 || (r.cells > small && r.around.contains(&0)) {
                continue;
            }
            let fits = |n: &u32| {
                let other = &list[*n as usize];
                other.id != 0 && !other.overlaps && r.can_take(other) && other.can_take(r)
            };
            let Some(&target) = r.around.iter().filter(|n| fits(n)).min_by_key(|n| list[**n as usize].cells) else {
                continue;
            };
            let (old, new) = (r.id, list[target as usize].id);
            if !absorb(list, target as usize, i) {
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

/// Joins `from` into `into`: their outlines open at the common border and become one.
fn absorb(list: &mut [Region], into: usize, from: usize) -> bool {
    let (a, b) = (list[into].around.clone(), std::mem::take(&mut list[from].around));
    let places = (a.iter().position(|&n| n == list[from].id), b.iter().position(|&n| n == list[into].id));
    let (Some(at_a), Some(at_b)) = places else {
        list[from].around = b;
        return false;
    };
    let floors = list[from].floors.clone();
    let cells = std::mem::take(&mut list[from].cells);
    let r = &mut list[into];
    r.around = (1..a.len()).map(|k| a[(at_a + k) % a.len()]).collect();
    r.around.extend((1..b.len()).map(|k| b[(at_b + k) % b.len()]));
    r.tidy();
    floors.into_iter().for_each(|f| r.add_floor(f));
    r.cells += cells;
    true
}

/// Regions that touch become one layer as long as nothing in it lies over anything else in it.
fn join_layers(list: &mut [Region]) {
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
                    && !list[root].floors.contains(&(n as u32));
                if fits {
                    list[n].id = id;
                    let floors = list[n].floors.clone();
                    floors.into_iter().for_each(|f| list[root].add_floor(f));
                    list[root].cells += std::mem::take(&mut list[n].cells);
                    queue.push_back(n);
                }
            }
        }
    }
}

fn drop_small_layers(list: &mut [Region], least: u32) {
    let small: Vec<bool> = list.iter().map(|r| r.cells < least).collect();
    for r in list.iter_mut() {
        if small[r.id as usize] {
            r.id = 0;
        }
    }
}
