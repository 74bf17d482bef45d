//! Cuts the floors into regions without holes as far as possible.
//!
//! Watershed: floors are flooded from those farthest from a border downwards, two steps of distance at a time;
//! regions that exist grow first, what is still dry then starts regions of its own. Monotone and layers: rows are
//! swept into stripes. All after Mononen's Recast (the watershed after Haumont, Debunne and Sillion, "Volumetric
//! Cell-and-Portal Generation", 2003); growing works with a frontier of changed floors, not by scanning all.

use super::compact::Compact;
use super::heightfield::UNWALKABLE;
use super::merge::merge_regions;
use super::{BakeSettings, Partition, VoxelSettings};

/// Rounds in which regions grow per level.
const ROUNDS: usize = 8;
/// Levels after which leftovers are put back into the order of rows.
const RESORT: usize = 8;

/// Regions of the floors.
#[derive(Clone, Debug)]
pub struct Regions {
    /// Region of each floor, 0 for none; one more than there are floors.
    pub ids: Vec<u32>,
    /// Numbers of regions lie below, from 1.
    pub count: u32,
    /// Distance of each floor from a border (2 per step), smoothed; empty unless the partition needs it.
    pub distance: Vec<u16>,
}

/// Makes regions as the settings say.
pub fn build(compact: &Compact, settings: &BakeSettings, voxels: VoxelSettings) -> Regions {
    let same = compact.same_area();
    let mut regions = match settings.partition {
        Partition::Watershed => {
            let sharp = compact.border_distance(|_, _, i| same[i] == 0b1111);
            let inner = sharp.iter().zip(&compact.areas).filter(|(_, area)| **area != UNWALKABLE);
            let highest = inner.map(|(d, _)| *d).max();
            watershed(compact, &same, smooth(compact, sharp), highest.unwrap_or(0))
        }
        Partition::Monotone | Partition::Layers => sweep(compact, &same),
    };
    merge_regions(compact, &mut regions, voxels, settings.partition == Partition::Layers);
    regions
}

/// Mean over the nine floors around each; those beside a border stay.
fn smooth(compact: &Compact, distance: Vec<u16>) -> Vec<u16> {
    use rayon::prelude::*;
    let nowhere = compact.nowhere() as usize;
    let mut out = vec![0u16; distance.len()];
    out[..nowhere].par_chunks_mut(1 << 14).enumerate().for_each(|(chunk, out)| {
        for (k, o) in out.iter_mut().enumerate() {
            let i = (chunk << 14) + k;
            let own = distance[i];
            if own <= 2 {
                *o = own;
                continue;
            }
            let links = &compact.links[i];
            let mut sum = u32::from(own);
            for (d, &side) in links.iter().enumerate() {
                let side = side as usize;
                if side == nowhere {
                    sum += 2 * u32::from(own);
                    continue;
                }
                let corner = compact.links[side][(d + 1) & 3] as usize;
                let beyond = if corner == nowhere { own } else { distance[corner] };
                sum += u32::from(distance[side]) + u32::from(beyond);
            }
            *o = ((sum + 5) / 9) as u16;
        }
    });
    out
}

/// The floors of each pair of distances (2·n and 2·n + 1), in the order of rows.
struct Levels {
    starts: Vec<u32>,
    floors: Vec<u32>,
}

impl Levels {
    fn new(compact: &Compact, distance: &[u16]) -> Self {
        let walkable = || distance.iter().zip(&compact.areas).enumerate().filter(|(_, (_, area))| **area != UNWALKABLE);
        let mut starts = vec![0u32; usize::from(u16::MAX >> 1) + 2];
        let mut top = 0;
        for (_, (d, _)) in walkable() {
            let level = usize::from(d >> 1);
            top = top.max(level);
            starts[level + 1] += 1;
        }
        starts.truncate(top + 2);
        for l in 0..=top {
            starts[l + 1] += starts[l];
        }
        let mut next = starts.clone();
        let mut floors = vec![0u32; starts[top + 1] as usize];
        for (i, (d, _)) in walkable() {
            let at = &mut next[usize::from(d >> 1)];
            floors[*at as usize] = i as u32;
            *at += 1;
        }
        Self { starts, floors }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, level: usize) -> &[u32] {
        &self.floors[self.starts[level] as usize..self.starts[level + 1] as usize]
    }
}

/// What the flood knows of a floor; one read brings all of it.
#[derive(Clone, Copy, Default)]
struct Cell {
    id: u32,
    /// Twice the steps of growth since the flood that began the region; [`WAITING`] while it is noted to be wetted.
    grown: u16,
    distance: u16,
}

/// See [`Cell::grown`].
const WAITING: u16 = u16::MAX;

struct Flood<'a> {
    links: &'a [[u32; 4]],
    same: &'a [u8],
    cells: Vec<Cell>,
    stack: Vec<u32>,
    changes: Vec<(u32, u32, u16)>,
    frontier: Vec<u32>,
}

fn watershed(compact: &Compact, same: &[u8], distance: Vec<u16>, highest: u16) -> Regions {
    let levels = Levels::new(compact, &distance);
    let mut flood = Flood {
        links: &compact.links,
        same,
        cells: distance.iter().map(|&distance| Cell { id: 0, grown: 0, distance }).collect(),
        stack: Vec::new(),
        changes: Vec::new(),
        frontier: Vec::new(),
    };
    let mut next_id = 1;
    let mut dry: Vec<u32> = Vec::new();
    let first = (usize::from(highest).div_ceil(2).max(1) - 1).min(levels.count() - 1);
    for (turn, level) in (0..=first).rev().enumerate() {
        let leftover = std::mem::take(&mut dry);
        // The first level takes what lies higher, too.
        for l in level..if turn == 0 { levels.count() } else { level + 1 } {
            dry.extend(levels.of(l).iter().copied().filter(|&i| flood.is_dry(i)));
        }
        dry.extend(leftover.into_iter().filter(|&i| flood.is_dry(i)));
        if turn % RESORT == 0 {
            dry.sort_unstable();
        }
        let level = 2 * level as u16;
        flood.grow(&dry, level);
        for &i in &dry {
            if flood.is_dry(i) && flood.start(i, level, next_id) {
                next_id += 1;
            }
        }
    }
    dry.retain(|&i| flood.is_dry(i));
    flood.grow(&dry, 0);
    Regions { ids: flood.cells.iter().map(|c| c.id).collect(), count: next_id, distance }
}

impl Flood<'_> {
    fn is_dry(&self, floor: u32) -> bool {
        self.cells[floor as usize].id == 0
    }

    /// Lets the regions that exist grow over dry floors: round by round, each into the region it is nearest to. At
    /// level 0 until nothing changes.
    fn grow(&mut self, dry: &[u32], level: u16) {
        self.changes.clear();
        for &i in dry {
            self.wet(i);
        }
        let mut round = 0;
        while !self.changes.is_empty() {
            self.frontier.clear();
            for &(i, id, grown) in &self.changes {
                let cell = &mut self.cells[i as usize];
                (cell.id, cell.grown) = (id, grown);
                self.frontier.push(i);
            }
            self.changes.clear();
            round += 1;
            if level > 0 && round >= ROUNDS {
                break;
            }
            for k in 0..self.frontier.len() {
                let i = self.frontier[k] as usize;
                let (same, links) = (self.same[i], self.links[i]);
                for (d, &n) in links.iter().enumerate() {
                    let cell = self.cells[n as usize];
                    if cell.id == 0 && cell.grown != WAITING && cell.distance >= level && same >> d & 1 == 1 {
                        self.wet(n);
                    }
                }
            }
        }
    }

    /// Notes which region a dry floor should join, if one lies beside it.
    #[inline]
    fn wet(&mut self, floor: u32) {
        let i = floor as usize;
        let (mut id, mut best) = (0, WAITING);
        let (same, links) = (self.same[i], &self.links[i]);
        for (d, &n) in links.iter().enumerate() {
            let cell = self.cells[n as usize];
            if cell.id != 0 && cell.grown.saturating_add(2) < best && same >> d & 1 == 1 {
                (id, best) = (cell.id, cell.grown + 2);
            }
        }
        if id != 0 {
            self.cells[i].grown = WAITING;
            self.changes.push((floor, id, best));
        }
    }

    /// Floods a new region from a floor over all that lies at most one level lower, keeping clear of other regions.
    fn start(&mut self, floor: u32, level: u16, id: u32) -> bool {
        let lowest = level.saturating_sub(2);
        self.cells[floor as usize].id = id;
        self.cells[floor as usize].grown = 0;
        self.stack.push(floor);
        let mut any = false;
        while let Some(i) = self.stack.pop() {
            let i = i as usize;
            let (same, links) = (self.same[i], self.links[i]);
            if self.touches_other(same, &links, id) {
                self.cells[i].id = 0;
                continue;
            }
            any = true;
            for (d, &n) in links.iter().enumerate() {
                let cell = &mut self.cells[n as usize];
                if cell.id == 0 && cell.distance >= lowest && same >> d & 1 == 1 {
                    (cell.id, cell.grown) = (id, 0);
                    self.stack.push(n);
                }
            }
        }
        any
    }

    /// Whether one of the eight floors around belongs to another region.
    #[inline]
    fn touches_other(&self, same: u8, links: &[u32; 4], id: u32) -> bool {
        let other = |n: u32| {
            let found = self.cells[n as usize].id;
            found != 0 && found != id
        };
        (0..4).any(|d| {
            if same >> d & 1 == 0 {
                return false;
            }
            let (side, turned) = (links[d] as usize, (d + 1) & 3);
            other(links[d]) || (self.same[side] >> turned & 1 == 1 && other(self.links[side][turned]))
        })
    }
}

/// Stripes: runs of floors along x; a run continues the stripe of the row before if it is that stripe's only
/// continuation and the stripe is its only origin.
fn sweep(compact: &Compact, same: &[u8]) -> Regions {
    const SEVERAL: u32 = u32::MAX;
    #[derive(Clone, Copy)]
    struct Run {
        touching: u32,
        above: u32,
        id: u32,
    }
    let mut ids = vec![0u32; compact.floors.len()];
    let mut count = 1u32;
    let (width, columns) = (compact.frame.width, &compact.columns);
    let mut runs: Vec<Run> = Vec::new();
    let mut continued: Vec<u32> = vec![0];
    for z in 0..compact.frame.depth {
        let row = columns[z * width] as usize..columns[(z + 1) * width] as usize;
        runs.clear();
        continued.clear();
        continued.resize(count as usize, 0);
        for i in row.clone().filter(|&i| compact.areas[i] != UNWALKABLE) {
            let before = compact.links[i][0] as usize;
            let run = if same[i] & 1 == 1 { ids[before] as usize } else { runs.len() };
            if run == runs.len() {
                runs.push(Run { touching: 0, above: 0, id: 0 });
            }
            ids[i] = run as u32;
            if same[i] >> 3 & 1 == 1 {
                let above = ids[compact.links[i][3] as usize];
                let r = &mut runs[run];
                if r.above == 0 || r.above == above {
                    r.above = above;
                    r.touching += 1;
                    continued[above as usize] += 1;
                } else {
                    r.above = SEVERAL;
                }
            }
        }
        for r in &mut runs {
            if r.above != 0 && r.above != SEVERAL && continued[r.above as usize] == r.touching {
                r.id = r.above;
            } else {
                r.id = count;
                count += 1;
            }
        }
        for i in row.filter(|&i| compact.areas[i] != UNWALKABLE) {
            ids[i] = runs[ids[i] as usize].id;
        }
    }
    Regions { ids, count, distance: Vec::new() }
}
