//! Watershed partition: regions are flooded from the spans farthest from a border, two units of distance at a time
//! (Mononen's Recast, after Haumont, Debunne and Sillion, "Volumetric Cell-and-Portal Generation", 2003).
//!
//! At each level, existing regions grow first; what is still unassigned then starts regions of its own. Growth works
//! with a frontier of changed spans where Recast scans all spans of the level in each round.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering::Relaxed};
use std::time::Instant;

use rayon::prelude::*;

use super::compact_heightfield::{CompactHeightfield, STEP_Z};
use super::distance_field::max_distance;
use super::heightfield::UNWALKABLE;
use super::region::{KeptTiles, Regions, TileRegions};
use crate::prefetch;

/// Rounds of growth per level.
const MAX_ROUNDS: usize = 8;
/// Fewest spans of a parallel task in a round of growth.
const MIN_TASK: usize = 2048;
/// Spans of a parallel task where spans are independent.
const CHUNK: usize = 1 << 14;
/// Distance in a list of spans at which they, and half as far ahead their neighbours, are prefetched.
const PREFETCH_DISTANCE: usize = 16;
/// Levels after which the spans left over are sorted into row order again.
const RESORT_INTERVAL: usize = 8;

/// Runs the watershed of each tile in parallel, on copies of its spans; tiles that are as in `kept` are taken from there.
pub fn watershed_of_tiles(
    compact: &CompactHeightfield,
    same: &[u8],
    distance: Vec<u16>,
    (max_distance, tile): (u16, usize),
    kept: &KeptTiles,
    stop: &AtomicBool,
) -> Regions {
    let (width, depth) = (compact.frame.width, compact.frame.depth);
    let across = width.div_ceil(tile);
    let rows_of = |t: usize| {
        let (x, z) = (t % across * tile, t / across * tile);
        (z..(z + tile).min(depth)).map(move |z| {
            let start = |x: usize| compact.columns[z * width + x] as usize;
            start(x)..start((x + tile).min(width))
        })
    };
    let made: Vec<(Arc<TileRegions>, f32)> = (0..across * depth.div_ceil(tile))
        .into_par_iter()
        .map(|t| {
            let start = Instant::now();
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
            let (same, areas, distance) = (bytes(same), bytes(&compact.areas), copy(&distance));
            let input = WatershedInput { links: &links, same: &same, areas: &areas, distance: &distance };
            let digest = input.digest(max_distance);
            if let Some(known) = kept.get(t).and_then(Option::as_ref).filter(|known| known.digest == digest) {
                return (Arc::clone(known), 0.0);
            }
            let (ids, count) = watershed(&input, max_distance, stop);
            (Arc::new(TileRegions { digest, ids, count }), start.elapsed().as_secs_f32() * 1e3)
        })
        .collect();
    let (mut ids, mut count) = (vec![0; compact.spans.len()], 1);
    for (t, (local, _)) in made.iter().enumerate() {
        let mut rest = local.ids.as_slice();
        for row in rows_of(t) {
            let (now, later) = rest.split_at(row.len());
            ids[row].iter_mut().zip(now).filter(|(_, l)| **l != 0).for_each(|(id, l)| *id = l + count - 1);
            rest = later;
        }
        count += local.count - 1;
    }
    let (tiles, tile_ms) = made.into_iter().unzip();
    Regions { ids, count, distance, tile_ms, tiles }
}

/// The spans bucketed by distance, 2·n and 2·n + 1 together, in row order, in chunks.
struct DistanceBuckets {
    count: usize,
    parts: Vec<BucketChunk>,
}

/// The spans of a chunk by bucket, and the begin of each bucket.
struct BucketChunk {
    starts: Vec<u32>,
    spans: Vec<u32>,
}

impl DistanceBuckets {
    fn new(input: &WatershedInput) -> Self {
        let count = usize::from(max_distance(input.distance, input.areas) >> 1) + 1;
        let parts = input.distance.par_chunks(CHUNK).zip(input.areas.par_chunks(CHUNK)).enumerate();
        let parts = parts.map(|(k, (distance, areas))| BucketChunk::new((k * CHUNK) as u32, distance, areas, count));
        Self { count, parts: parts.collect() }
    }

    fn of(&self, level: usize) -> impl Iterator<Item = u32> {
        self.parts.iter().flat_map(move |part| part.of(level)).copied()
    }
}

impl BucketChunk {
    fn new(base: u32, distance: &[u16], areas: &[u8], count: usize) -> Self {
        let level = |(d, area): (&u16, &u8)| if *area == UNWALKABLE { count } else { usize::from(d >> 1) };
        let mut starts = vec![0u32; count + 2];
        distance.iter().zip(areas).for_each(|span| starts[level(span) + 1] += 1);
        for l in 0..count {
            starts[l + 1] += starts[l];
        }
        let mut next = starts.clone();
        // Unwalkable spans come last and are cut off.
        let mut spans = vec![0u32; distance.len()];
        for (i, span) in (base..).zip(distance.iter().zip(areas)) {
            let at = &mut next[level(span)];
            spans[*at as usize] = i;
            *at += 1;
        }
        spans.truncate(starts[count] as usize);
        Self { starts, spans }
    }

    fn of(&self, level: usize) -> &[u32] {
        &self.spans[self.starts[level] as usize..self.starts[level + 1] as usize]
    }
}

/// The input of a watershed.
pub struct WatershedInput<'a> {
    /// Neighbours of each span, the number of spans for none.
    pub links: &'a [[u32; 4]],
    /// Per span, a bit per direction whose neighbour may share its region.
    pub same: &'a [u8],
    /// Area of each span.
    pub areas: &'a [u8],
    /// Distance of each span to a border.
    pub distance: &'a [u16],
}

impl WatershedInput<'_> {
    /// Digest of all of it.
    pub(super) fn digest(&self, max_distance: u16) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&max_distance.to_le_bytes()).update(&self.links.len().to_le_bytes());
        hasher.update(bytemuck::cast_slice(self.links)).update(bytemuck::cast_slice(self.distance));
        hasher.update(self.same).update(self.areas);
        *hasher.finalize().as_bytes()
    }
}

/// State of a span during the flood, in one cache line read.
#[derive(Default)]
struct FloodCell {
    id: u32,
    /// Twice the rounds of growth since the flood that began the region; [`WAITING`] while an assignment is pending.
    grown: AtomicU16,
    distance: u16,
}

/// Assigns a span to a region.
#[derive(Clone, Copy)]
struct Assignment {
    span: u32,
    region: u32,
    grown: u16,
}

/// See [`FloodCell::grown`].
const WAITING: u16 = u16::MAX;

struct Flood<'a> {
    links: &'a [[u32; 4]],
    same: &'a [u8],
    cells: Vec<FloodCell>,
    stack: Vec<u32>,
    changes: Vec<Assignment>,
    frontier: Vec<u32>,
}

/// Floods the regions. Returns the region of each span, 0 for none, and one more than the number of regions.
pub fn watershed(input: &WatershedInput, max_distance: u16, stop: &AtomicBool) -> (Vec<u32>, u32) {
    let buckets = DistanceBuckets::new(input);
    let mut flood = Flood {
        links: input.links,
        same: input.same,
        cells: input
            .distance
            .par_iter()
            .with_min_len(CHUNK)
            .map(|&distance| FloodCell { distance, ..FloodCell::default() })
            .collect(),
        stack: Vec::new(),
        changes: Vec::new(),
        frontier: Vec::new(),
    };
    let mut next_id = 1;
    let mut unassigned: Vec<u32> = Vec::new();
    let first = (usize::from(max_distance).div_ceil(2).max(1) - 1).min(buckets.count - 1);
    for (turn, level) in (0..=first).rev().enumerate() {
        if stop.load(Relaxed) {
            break;
        }
        let leftover = std::mem::take(&mut unassigned);
        // The first level includes everything higher.
        for l in level..if turn == 0 { buckets.count } else { level + 1 } {
            unassigned.extend(buckets.of(l).filter(|&i| flood.is_unassigned(i)));
        }
        unassigned.extend(leftover.into_iter().filter(|&i| flood.is_unassigned(i)));
        if turn % RESORT_INTERVAL == 0 {
            unassigned.sort_unstable();
        }
        let level = 2 * level as u16;
        flood.grow(&unassigned, level);
        for &i in &unassigned {
            if flood.is_unassigned(i) && flood.start(i, level, next_id) {
                next_id += 1;
            }
        }
    }
    unassigned.retain(|&i| flood.is_unassigned(i));
    flood.grow(&unassigned, 0);
    (flood.cells.par_iter().with_min_len(CHUNK).map(|c| c.id).collect(), next_id)
}

impl Flood<'_> {
    fn is_unassigned(&self, span: u32) -> bool {
        self.cells[span as usize].id == 0
    }

    /// Grows the existing regions over unassigned spans, round by round, each span into the nearest region. At level 0
    /// until nothing changes.
    fn grow(&mut self, unassigned: &[u32], level: u16) {
        self.changes.clear();
        self.flood_step(unassigned, |flood, i, out| flood.choose(i, out));
        let mut round = 0;
        while !self.changes.is_empty() {
            self.frontier.clear();
            for &Assignment { span, region, grown } in &self.changes {
                let cell = &mut self.cells[span as usize];
                (cell.id, *cell.grown.get_mut()) = (region, grown);
                self.frontier.push(span);
            }
            self.changes.clear();
            round += 1;
            if level > 0 && round >= MAX_ROUNDS {
                break;
            }
            let frontier = std::mem::take(&mut self.frontier);
            self.flood_step(&frontier, |flood, i, out| {
                let (same, links) = (flood.same[i as usize], &flood.links[i as usize]);
                for (d, &n) in links.iter().enumerate() {
                    let cell = &flood.cells[n as usize];
                    let unassigned = (cell.id == 0) & (cell.distance >= level) & (same >> d & 1 == 1);
                    if unassigned & (cell.grown.load(Relaxed) != WAITING) {
                        flood.choose(n, out);
                    }
                }
            });
            self.frontier = frontier;
        }
    }

    /// Runs a round: collects the assignments that `look` finds for each span. They do not depend on one another, so
    /// neither their order nor duplicates matter.
    fn flood_step(&mut self, spans: &[u32], look: impl Fn(&Self, u32, &mut Vec<Assignment>) + Sync) {
        let mut changes = std::mem::take(&mut self.changes);
        let look_at = |spans: &[u32], changes: &mut Vec<Assignment>| {
            for (k, &i) in spans.iter().enumerate() {
                self.prefetch(spans, k);
                look(self, i, changes);
            }
        };
        if spans.len() < 2 * MIN_TASK || rayon::current_num_threads() == 1 {
            look_at(spans, &mut changes);
        } else {
            let share = spans.len().div_ceil(rayon::current_num_threads()).max(MIN_TASK);
            let parts = spans.par_chunks(share).map(|part| {
                let mut found = Vec::with_capacity(part.len());
                look_at(part, &mut found);
                found
            });
            parts.collect::<Vec<_>>().into_iter().for_each(|part| changes.extend(part));
        }
        self.changes = changes;
    }

    /// Prefetches the spans that follow the `k`th soon, and the neighbours of the nearer ones.
    #[inline]
    fn prefetch(&self, spans: &[u32], k: usize) {
        if let Some(&far) = spans.get(k + 2 * PREFETCH_DISTANCE) {
            prefetch::element(self.links, far as usize);
            prefetch::element(self.same, far as usize);
        }
        if let Some(&near) = spans.get(k + PREFETCH_DISTANCE) {
            self.links[near as usize].iter().for_each(|&n| prefetch::element(&self.cells, n as usize));
        }
    }

    /// Assigns an unassigned span to the neighbouring region that grew least, if there is one; the assignment is
    /// pending until the end of the round.
    #[inline]
    fn choose(&self, span: u32, out: &mut Vec<Assignment>) {
        let i = span as usize;
        let (mut id, mut best) = (0, WAITING);
        let (same, links) = (self.same[i], &self.links[i]);
        for (d, &n) in links.iter().enumerate() {
            // Without branches: they would be mispredicted.
            let cell = &self.cells[n as usize];
            let assigned = (cell.id != 0) & (same >> d & 1 == 1);
            let grown = if assigned { cell.grown.load(Relaxed).saturating_add(2) } else { WAITING };
            id = if grown < best { cell.id } else { id };
            best = best.min(grown);
        }
        if id != 0 {
            self.cells[i].grown.store(WAITING, Relaxed);
            out.push(Assignment { span, region: id, grown: best });
        }
    }

    /// Floods a new region from a span over all spans at most one level lower that do not touch another region.
    fn start(&mut self, span: u32, level: u16, id: u32) -> bool {
        let lowest = level.saturating_sub(2);
        self.cells[span as usize].id = id;
        *self.cells[span as usize].grown.get_mut() = 0;
        self.stack.push(span);
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

    /// Whether one of the eight spans around belongs to another region.
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
