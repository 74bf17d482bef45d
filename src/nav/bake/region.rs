//! Cuts the floors into regions without holes as far as possible.
//!
//! Watershed: floors are flooded from those farthest from a border downwards, two steps of distance at a time;
//! regions that exist grow first, what is still dry then starts regions of its own. Monotone and layers: rows are
//! swept into stripes. All after Mononen's Recast (the watershed after Haumont, Debunne and Sillion, "Volumetric
//! Cell-and-Portal Generation", 2003); growing works with a frontier of changed floors, not by scanning all.

use std::sync::atomic::{AtomicBool, AtomicU16, Ordering::Relaxed};

use rayon::prelude::*;

use super::compact::{Compact, STEP_Z};
use super::distance::FAR;
use super::heightfield::UNWALKABLE;
use super::merge::merge_regions;
use super::{BakeSettings, Partition, VoxelSettings};
use crate::prefetch;

/// Rounds in which regions grow per level.
const ROUNDS: usize = 8;
/// Fewest floors that are worth another core.
const SHARE: usize = 2048;
/// Floors that one core takes at a time where each is looked at on its own.
const CHUNK: usize = 1 << 14;
/// How far ahead in a list of floors these, and those beside them, are asked for.
const SOON: usize = 16;
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
pub fn build(compact: &Compact, settings: &BakeSettings, voxels: VoxelSettings, stop: &AtomicBool) -> Regions {
    let tile = settings.tile_cells as usize;
    let same = compact.same_area(tile);
    let mut regions = match settings.partition {
        Partition::Watershed => {
            let sharp = compact.border_distance(FAR, |_, _, i| same[i] == 0b1111, stop);
            let highest = highest(&sharp, &compact.areas);
            let distance = smooth(compact, sharp);
            let (ids, count) = if tile == 0 {
                watershed(
                    &Lake { links: &compact.links, same: &same, areas: &compact.areas, distance: &distance },
                    highest,
                    stop,
                )
            } else {
                watershed_of_tiles(compact, &same, &distance, (highest, tile), stop)
            };
            Regions { ids, count, distance }
        }
        Partition::Monotone | Partition::Layers => sweep(compact, &same, tile),
    };
    if !stop.load(Relaxed) {
        merge_regions(compact, &mut regions, voxels, settings);
    }
    regions
}

/// The greatest distance of a floor that can be walked on.
fn highest(distance: &[u16], areas: &[u8]) -> u16 {
    // Without branches, so that many are looked at together.
    distance.iter().zip(areas).map(|(d, area)| if *area == UNWALKABLE { 0 } else { *d }).fold(0, u16::max)
}

/// The watersheds of all tiles, whose floors are copied to lie side by side.
fn watershed_of_tiles(
    compact: &Compact,
    same: &[u8],
    distance: &[u16],
    (highest, tile): (u16, usize),
    stop: &AtomicBool,
) -> (Vec<u32>, u32) {
    let (width, depth) = (compact.frame.width, compact.frame.depth);
    let across = width.div_ceil(tile);
    let rows_of = |t: usize| {
        let (x, z) = (t % across * tile, t / across * tile);
        (z..(z + tile).min(depth)).map(move |z| {
            let start = |x: usize| compact.columns[z * width + x] as usize;
            start(x)..start((x + tile).min(width))
        })
    };
    let made: Vec<(Vec<u32>, u32)> = (0..across * depth.div_ceil(tile))
        .into_par_iter()
        .map(|t| {
            let rows: Vec<_> = rows_of(t).collect();
            let mut bases = vec![0];
            rows.iter().for_each(|r| bases.push(bases[bases.len() - 1] + r.len()));
            let count = bases[rows.len()];
            let copy = |all: &[u16]| rows.iter().flat_map(|r| &all[r.clone()]).copied().chain([0]).collect::<Vec<_>>();
            let bytes = |all: &[u8]| rows.iter().flat_map(|r| &all[r.clone()]).copied().chain([0]).collect::<Vec<_>>();
            let mut links = Vec::with_capacity(count + 1);
            for (k, i) in rows.iter().enumerate().flat_map(|(k, r)| r.clone().map(move |i| (k, i))) {
                links.push([0, 1, 2, 3].map(|d| {
                    let row = (k as i32 + STEP_Z[d]) as usize;
                    let linked = same[i] >> d & 1 == 1;
                    if linked {
                        (compact.links[i][d] as usize - rows[row].start + bases[row]) as u32
                    } else {
                        count as u32
                    }
                }));
            }
            links.push([count as u32; 4]);
            let (same, areas, distance) = (bytes(same), bytes(&compact.areas), copy(distance));
            watershed(&Lake { links: &links, same: &same, areas: &areas, distance: &distance }, highest, stop)
        })
        .collect();
    let (mut ids, mut count) = (vec![0; compact.floors.len()], 1);
    for (t, (local, locals)) in made.iter().enumerate() {
        let mut rest = local.as_slice();
        for row in rows_of(t) {
            let (now, later) = rest.split_at(row.len());
            ids[row].iter_mut().zip(now).filter(|(_, l)| **l != 0).for_each(|(id, l)| *id = l + count - 1);
            rest = later;
        }
        count += locals - 1;
    }
    (ids, count)
}

/// Mean over the nine floors around each; those beside a border stay.
fn smooth(compact: &Compact, distance: Vec<u16>) -> Vec<u16> {
    let nowhere = compact.nowhere() as usize;
    let mut out = vec![0u16; distance.len()];
    out[..nowhere].par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        for (k, o) in out.iter_mut().enumerate() {
            let i = chunk * CHUNK + k;
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

/// The floors of each pair of distances (2·n and 2·n + 1), in the order of rows: those of some rows after another.
struct Levels {
    count: usize,
    parts: Vec<Part>,
}

/// The floors of some rows by level, and where each level begins.
struct Part {
    starts: Vec<u32>,
    floors: Vec<u32>,
}

impl Levels {
    fn new(lake: &Lake) -> Self {
        let count = usize::from(highest(lake.distance, lake.areas) >> 1) + 1;
        let parts = lake.distance.par_chunks(CHUNK).zip(lake.areas.par_chunks(CHUNK)).enumerate();
        let parts = parts.map(|(k, (distance, areas))| Part::new((k * CHUNK) as u32, distance, areas, count));
        Self { count, parts: parts.collect() }
    }

    fn of(&self, level: usize) -> impl Iterator<Item = u32> {
        self.parts.iter().flat_map(move |part| part.of(level)).copied()
    }
}

impl Part {
    fn new(base: u32, distance: &[u16], areas: &[u8], count: usize) -> Self {
        let level = |(d, area): (&u16, &u8)| if *area == UNWALKABLE { count } else { usize::from(d >> 1) };
        let mut starts = vec![0u32; count + 2];
        distance.iter().zip(areas).for_each(|floor| starts[level(floor) + 1] += 1);
        for l in 0..count {
            starts[l + 1] += starts[l];
        }
        let mut next = starts.clone();
        // What cannot be walked on comes last, and is left out again.
        let mut floors = vec![0u32; distance.len()];
        for (i, floor) in (base..).zip(distance.iter().zip(areas)) {
            let at = &mut next[level(floor)];
            floors[*at as usize] = i;
            *at += 1;
        }
        floors.truncate(starts[count] as usize);
        Self { starts, floors }
    }

    fn of(&self, level: usize) -> &[u32] {
        &self.floors[self.starts[level] as usize..self.starts[level + 1] as usize]
    }
}

/// The floors that a watershed divides.
struct Lake<'a> {
    links: &'a [[u32; 4]],
    same: &'a [u8],
    areas: &'a [u8],
    distance: &'a [u16],
}

/// What the flood knows of a floor; one read brings all of it.
#[derive(Default)]
struct Cell {
    id: u32,
    /// Twice the steps of growth since the flood that began the region; [`WAITING`] while it is noted to be wetted.
    grown: AtomicU16,
    distance: u16,
}

/// A floor, the region it joins, what it has [`Cell::grown`] then.
type Change = (u32, u32, u16);

/// See [`Cell::grown`].
const WAITING: u16 = u16::MAX;

struct Flood<'a> {
    links: &'a [[u32; 4]],
    same: &'a [u8],
    cells: Vec<Cell>,
    stack: Vec<u32>,
    changes: Vec<Change>,
    frontier: Vec<u32>,
}

fn watershed(lake: &Lake, highest: u16, stop: &AtomicBool) -> (Vec<u32>, u32) {
    let levels = Levels::new(lake);
    let mut flood = Flood {
        links: lake.links,
        same: lake.same,
        cells: lake
            .distance
            .par_iter()
            .with_min_len(CHUNK)
            .map(|&distance| Cell { distance, ..Cell::default() })
            .collect(),
        stack: Vec::new(),
        changes: Vec::new(),
        frontier: Vec::new(),
    };
    let mut next_id = 1;
    let mut dry: Vec<u32> = Vec::new();
    let first = (usize::from(highest).div_ceil(2).max(1) - 1).min(levels.count - 1);
    for (turn, level) in (0..=first).rev().enumerate() {
        if stop.load(Relaxed) {
            break;
        }
        let leftover = std::mem::take(&mut dry);
        // The first level takes what lies higher, too.
        for l in level..if turn == 0 { levels.count } else { level + 1 } {
            dry.extend(levels.of(l).filter(|&i| flood.is_dry(i)));
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
    (flood.cells.par_iter().with_min_len(CHUNK).map(|c| c.id).collect(), next_id)
}

impl Flood<'_> {
    fn is_dry(&self, floor: u32) -> bool {
        self.cells[floor as usize].id == 0
    }

    /// Lets the regions that exist grow over dry floors: round by round, each into the region it is nearest to. At
    /// level 0 until nothing changes.
    fn grow(&mut self, dry: &[u32], level: u16) {
        self.changes.clear();
        self.wet(dry, |flood, i, out| flood.choose(i, out));
        let mut round = 0;
        while !self.changes.is_empty() {
            self.frontier.clear();
            for &(i, id, grown) in &self.changes {
                let cell = &mut self.cells[i as usize];
                (cell.id, *cell.grown.get_mut()) = (id, grown);
                self.frontier.push(i);
            }
            self.changes.clear();
            round += 1;
            if level > 0 && round >= ROUNDS {
                break;
            }
            let frontier = std::mem::take(&mut self.frontier);
            self.wet(&frontier, |flood, i, out| {
                let (same, links) = (flood.same[i as usize], &flood.links[i as usize]);
                for (d, &n) in links.iter().enumerate() {
                    let cell = &flood.cells[n as usize];
                    let dry = (cell.id == 0) & (cell.distance >= level) & (same >> d & 1 == 1);
                    if dry & (cell.grown.load(Relaxed) != WAITING) {
                        flood.choose(n, out);
                    }
                }
            });
            self.frontier = frontier;
        }
    }

    /// Collects what `look` finds for each of the floors. What one floor becomes does not depend on the others of its
    /// round, so neither their order nor finding one twice matters.
    fn wet(&mut self, floors: &[u32], look: impl Fn(&Self, u32, &mut Vec<Change>) + Sync) {
        let mut changes = std::mem::take(&mut self.changes);
        let look_at = |floors: &[u32], changes: &mut Vec<Change>| {
            for (k, &i) in floors.iter().enumerate() {
                self.prefetch(floors, k);
                look(self, i, changes);
            }
        };
        if floors.len() < 2 * SHARE || rayon::current_num_threads() == 1 {
            look_at(floors, &mut changes);
        } else {
            let share = floors.len().div_ceil(rayon::current_num_threads()).max(SHARE);
            let parts = floors.par_chunks(share).map(|part| {
                let mut found = Vec::with_capacity(part.len());
                look_at(part, &mut found);
                found
            });
            parts.collect::<Vec<_>>().into_iter().for_each(|part| changes.extend(part));
        }
        self.changes = changes;
    }

    /// Asks for the floors that come soon after the `k`th, and for what lies beside the nearer ones of them.
    #[inline]
    fn prefetch(&self, floors: &[u32], k: usize) {
        if let Some(&far) = floors.get(k + 2 * SOON) {
            prefetch::element(self.links, far as usize);
            prefetch::element(self.same, far as usize);
        }
        if let Some(&near) = floors.get(k + SOON) {
            self.links[near as usize].iter().for_each(|&n| prefetch::element(&self.cells, n as usize));
        }
    }

    /// Which region a dry floor should join, if one lies beside it; the floor then waits.
    #[inline]
    fn choose(&self, floor: u32, out: &mut Vec<Change>) {
        let i = floor as usize;
        let (mut id, mut best) = (0, WAITING);
        let (same, links) = (self.same[i], &self.links[i]);
        for (d, &n) in links.iter().enumerate() {
            // Without branches: which way they go is hard to foresee.
            let cell = &self.cells[n as usize];
            let wet = (cell.id != 0) & (same >> d & 1 == 1);
            let grown = if wet { cell.grown.load(Relaxed).saturating_add(2) } else { WAITING };
            id = if grown < best { cell.id } else { id };
            best = best.min(grown);
        }
        if id != 0 {
            self.cells[i].grown.store(WAITING, Relaxed);
            out.push((floor, id, best));
        }
    }

    /// Floods a new region from a floor over all that lies at most one level lower, keeping clear of other regions.
    fn start(&mut self, floor: u32, level: u16, id: u32) -> bool {
        let lowest = level.saturating_sub(2);
        self.cells[floor as usize].id = id;
        *self.cells[floor as usize].grown.get_mut() = 0;
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
                    (cell.id, *cell.grown.get_mut()) = (id, 0);
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
fn sweep(compact: &Compact, same: &[u8], tile: usize) -> Regions {
    let (width, depth) = (compact.frame.width, compact.frame.depth);
    let rows = if tile == 0 { depth } else { tile };
    let mut ids = vec![0u32; compact.floors.len()];
    let mut rest = &mut *ids;
    let mut bands = Vec::new();
    for z in (0..depth).step_by(rows) {
        let end = (z + rows).min(depth);
        let (band, tail) = rest.split_at_mut((compact.columns[end * width] - compact.columns[z * width]) as usize);
        bands.push((z..end, band));
        rest = tail;
    }
    // Tiles end where rows of them end: no stripe leaves its band.
    let counts: Vec<u32> =
        bands.par_iter_mut().map(|(rows, band)| sweep_rows(compact, same, rows.clone(), band)).collect();
    let mut count = 1;
    for ((_, band), own) in bands.into_iter().zip(counts) {
        band.iter_mut().filter(|id| **id != 0).for_each(|id| *id += count - 1);
        count += own - 1;
    }
    Regions { ids, count, distance: Vec::new() }
}

/// One stripe's part in a row.
#[derive(Clone, Copy)]
struct Run {
    touching: u32,
    above: u32,
    id: u32,
}

/// Stripes of some rows, numbered from 1; `ids` are those of their floors. Says how many numbers there are.
fn sweep_rows(compact: &Compact, same: &[u8], rows: std::ops::Range<usize>, ids: &mut [u32]) -> u32 {
    const SEVERAL: u32 = u32::MAX;
    let (width, columns) = (compact.frame.width, &compact.columns);
    let base = columns[rows.start * width] as usize;
    let mut count = 1u32;
    let mut runs: Vec<Run> = Vec::new();
    let mut continued: Vec<u32> = vec![0];
    for z in rows {
        let row = columns[z * width] as usize..columns[(z + 1) * width] as usize;
        runs.clear();
        continued.clear();
        continued.resize(count as usize, 0);
        for i in row.clone().filter(|&i| compact.areas[i] != UNWALKABLE) {
            let run = if same[i] & 1 == 1 { ids[compact.links[i][0] as usize - base] as usize } else { runs.len() };
            if run == runs.len() {
                runs.push(Run { touching: 0, above: 0, id: 0 });
            }
            ids[i - base] = run as u32;
            if same[i] >> 3 & 1 == 1 {
                let above = ids[compact.links[i][3] as usize - base];
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
            ids[i - base] = runs[ids[i - base] as usize].id;
        }
    }
    count
}
