//! Contours: outlines of the regions, simplified, with holes joined to them by bridges (Recast's `rcBuildContours`).
//!
//! The border of a region is traced span by span. Vertices where the neighbouring region changes are kept; between
//! them, parts along walls get the vertices that the error requires (Douglas and Peucker, 1973) and are split where
//! they are too long. Borders between two regions are straight for both.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use foldhash::HashMap;
use rayon::prelude::*;

use super::compact_heightfield::{CompactHeightfield, by_rows};
pub use super::contour::{Contour, ContourVertex};
use super::holes::join_holes;
use super::region::Regions;
use super::settings::{BakeSettings, VoxelSettings};

/// A side of a span along a border: the vertex at its end, and the region beyond.
#[derive(Clone, Copy)]
struct BorderStep {
    at: ContourVertex,
    region: u32,
    other_area: bool,
}

/// Traces and simplifies the contours of all regions.
pub fn build_contours(
    compact: &CompactHeightfield,
    regions: &Regions,
    settings: &BakeSettings,
    voxels: VoxelSettings,
    stop: &AtomicBool,
) -> Vec<Contour> {
    let (open, starts) = borders(compact, regions);
    let storeys = storeys(compact, regions);
    // A trace clears border sides of its own region only, so groups of regions are independent.
    let groups = match rayon::current_num_threads() {
        1 => 1,
        cores => 2 * cores as u32,
    };
    let mut traced: Vec<(u32, Contour)> = (0..groups)
        .into_par_iter()
        .map(|group| {
            let mut contours = Vec::new();
            let mut sides_traced = Vec::new();
            for &(span, cell) in starts.iter().take_while(|_| !stop.load(Relaxed)).flatten() {
                let (i, cell) = (span as usize, cell as usize);
                if regions.ids[i] % groups != group || open[i].load(Relaxed) == 0 {
                    continue;
                }
                let at = [(cell % compact.frame.width) as i32, (cell / compact.frame.width) as i32];
                sides_traced.clear();
                walk_contour(compact, regions, &open, at, i, &mut sides_traced);
                let vertices = simplify(&sides_traced, settings.edge_error_cells, voxels.edge_length);
                if vertices.len() >= 3 {
                    let (region, storey) = (regions.ids[i], storeys.get(&regions.ids[i]).copied());
                    contours.push((span, Contour { vertices, region, area: compact.areas[i], storey }));
                }
            }
            contours
        })
        .flatten_iter()
        .collect();
    if stop.load(Relaxed) {
        return Vec::new();
    }
    traced.sort_by_key(|t| t.0);
    join_holes(traced.into_iter().map(|t| t.1).collect(), regions.count)
}

/// Per span, a bit per direction with another region or none beyond; and, row by row, the spans with such sides and
/// their cells.
fn borders(compact: &CompactHeightfield, regions: &Regions) -> (Vec<AtomicU8>, Vec<Vec<(u32, u32)>>) {
    let (ids, width) = (&regions.ids, compact.frame.width);
    let mut open: Vec<AtomicU8> = Vec::new();
    open.resize_with(compact.len(), AtomicU8::default);
    let rows = by_rows(&mut open, &compact.columns, &compact.frame).into_par_iter().enumerate();
    let starts = rows.map(|(z, row)| {
        let columns = &compact.columns[z * width..=(z + 1) * width];
        let (first, mut x) = (columns[0], 0);
        let mut starts = Vec::new();
        for (i, row) in (first..).zip(row) {
            let (id, links) = (ids[i as usize], &compact.links[i as usize]);
            let sides = (0..4).fold(0, |m, d| m | (u8::from(ids[links[d] as usize] != id) << d));
            // A single span with border on all four sides is too small for a polygon.
            if id != 0 && sides != 0 && sides != 0b1111 {
                *row.get_mut() = sides;
                while columns[x + 1] <= i {
                    x += 1;
                }
                starts.push((i, (z * width + x) as u32));
            }
        }
        starts
    });
    let starts = starts.collect();
    (open, starts)
}

/// Spans of a column that are compared each with each.
const MAX_COMPARED: usize = 6;
/// Rows of a parallel task.
const MIN_ROWS: usize = 32;

/// Of the regions that lie over themselves, as those of spiral stairs do, the least height between two of their storeys.
fn storeys(compact: &CompactHeightfield, regions: &Regions) -> HashMap<u32, u16> {
    let of_column = |least: &mut (HashMap<u32, u16>, Vec<(u32, u16)>), ends: &[u32]| {
        let (least, spans) = least;
        spans.clear();
        spans.extend((ends[0]..ends[1]).map(|i| (regions.ids[i as usize], compact.spans[i as usize].y)));
        spans.sort_unstable();
        for pair in spans.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].0 != 0) {
            let height = pair[1].1 - pair[0].1;
            least.entry(pair[0].0).and_modify(|least| *least = height.min(*least)).or_insert(height);
        }
    };
    let width = compact.frame.width;
    let rows = (0..compact.frame.depth).into_par_iter().with_min_len(MIN_ROWS);
    let folded = rows.fold(Default::default, |mut least, z| {
        let columns = compact.columns[z * width..=(z + 1) * width].windows(2);
        let repeats = |ends: &&[u32]| may_repeat(&regions.ids[ends[0] as usize..ends[1] as usize]);
        columns.filter(repeats).for_each(|ends| of_column(&mut least, ends));
        least
    });
    let merge = |mut all: HashMap<u32, u16>, part: HashMap<u32, u16>| {
        for (region, height) in part {
            all.entry(region).and_modify(|least| *least = height.min(*least)).or_insert(height);
        }
        all
    };
    folded.map(|(least, _)| least).reduce(HashMap::default, merge)
}

/// Whether a region may lie over itself in a column, whose regions these are.
fn may_repeat(ids: &[u32]) -> bool {
    ids.len() > MAX_COMPARED || ids.iter().enumerate().any(|(i, id)| *id != 0 && ids[i + 1..].contains(id))
}

/// Traces the border from the first open side of a span and clears the sides that it passes.
fn walk_contour(
    compact: &CompactHeightfield,
    regions: &Regions,
    open: &[AtomicU8],
    at: [i32; 2],
    span: usize,
    out: &mut Vec<BorderStep>,
) {
    let [mut x, mut z] = at;
    let (mut i, mut d) = (span, open[span].load(Relaxed).trailing_zeros() as usize);
    let (start, area) = (d, compact.areas[span]);
    for _ in 0..4 * compact.len() {
        let next = compact.links[i][d];
        let sides = open[i].load(Relaxed);
        if sides >> d & 1 == 1 {
            out.push(BorderStep {
                at: ContourVertex {
                    x: x + i32::from(d == 1 || d == 2),
                    y: vertex_height(compact, i, d),
                    z: z + i32::from(d == 0 || d == 1),
                },
                region: regions.ids[next as usize],
                other_area: next != compact.no_span() && compact.areas[next as usize] != area,
            });
            open[i].store(sides & !(1 << d), Relaxed);
            d = (d + 1) & 3;
        } else {
            if next == compact.no_span() {
                return;
            }
            i = next as usize;
            x += super::compact_heightfield::STEP_X[d];
            z += super::compact_heightfield::STEP_Z[d];
            d = (d + 3) & 3;
        }
        if i == span && d == start {
            break;
        }
    }
}

/// Height of the vertex between a direction and the next: the highest of the up to four spans that meet there.
fn vertex_height(compact: &CompactHeightfield, span: usize, direction: usize) -> i32 {
    let turned = (direction + 1) & 3;
    let y = |i: u32| compact.spans[i as usize].y;
    let (a, b) = (compact.links[span][direction], compact.links[span][turned]);
    // `no_span` has height 0 and links to itself.
    let (ab, ba) = (compact.links[a as usize][turned], compact.links[b as usize][direction]);
    i32::from(compact.spans[span].y.max(y(a)).max(y(b)).max(y(ab)).max(y(ba)))
}

/// Simplifies a traced border.
fn simplify(sides_traced: &[BorderStep], error_cells: f32, longest: i32) -> Vec<ContourVertex> {
    let count = sides_traced.len();
    if count < 3 {
        return Vec::new();
    }
    // Indices of the sides whose end vertices are kept.
    let mut kept: Vec<usize> = Vec::new();
    if sides_traced.iter().any(|s| s.region != 0) {
        kept.extend((0..count).filter(|&i| {
            let (a, b) = (&sides_traced[i], &sides_traced[(i + 1) % count]);
            a.region != b.region || a.other_area != b.other_area
        }));
    }
    if kept.is_empty() {
        let key = |i: &usize| (sides_traced[*i].at.x, sides_traced[*i].at.z);
        let low = (0..count).min_by_key(key).unwrap_or(0);
        // The first of equals.
        let high = (0..count).rev().max_by_key(key).unwrap_or(0);
        kept.extend([low, high]);
    }
    add_error_vertices(sides_traced, &mut kept, error_cells);
    if longest > 0 {
        split_long(sides_traced, &mut kept, longest);
    }
    let mut vertices: Vec<ContourVertex> = kept.iter().map(|&i| sides_traced[i].at).collect();
    // Neighbouring vertices at one place would make an edge without length.
    let mut i = 0;
    while i < vertices.len() {
        if vertices[i].same_place(&vertices[(i + 1) % vertices.len()]) {
            vertices.remove(i);
        }
        i += 1;
    }
    vertices
}

/// Whether the line from a to b runs towards larger x, or larger z at equal x: an order on which both sides of a
/// border agree.
fn runs_up(a: &ContourVertex, b: &ContourVertex) -> bool {
    (b.x, b.z) > (a.x, a.z)
}

/// Adds vertices along walls and area borders until no traced vertex is farther from the line than the error
/// (Douglas-Peucker).
fn add_error_vertices(sides_traced: &[BorderStep], kept: &mut Vec<usize>, error_cells: f32) {
    let count = sides_traced.len();
    let mut i = 0;
    while i < kept.len() {
        let (from, to) = (kept[i], kept[(i + 1) % kept.len()]);
        let up = runs_up(&sides_traced[from].at, &sides_traced[to].at);
        let (first, end, next) = if up { (from, to, 1) } else { (to, from, count - 1) };
        let (a, b) = (sides_traced[first].at, sides_traced[end].at);
        let mut at = (first + next) % count;
        let (mut worst, mut most) = (None, 0.0);
        if sides_traced[at].region == 0 || sides_traced[at].other_area {
            while at != end {
                let off = distance_squared(&sides_traced[at].at, &a, &b);
                if off > most {
                    (worst, most) = (Some(at), off);
                }
                at = (at + next) % count;
            }
        }
        match worst {
            Some(step) if most > error_cells * error_cells => kept.insert(i + 1, step),
            _ => i += 1,
        }
    }
}

/// Splits lines along walls that are longer than `longest` cells.
fn split_long(sides_traced: &[BorderStep], kept: &mut Vec<usize>, longest: i32) {
    let count = sides_traced.len();
    let mut i = 0;
    while i < kept.len() {
        let (from, to) = (kept[i], kept[(i + 1) % kept.len()]);
        let (a, b) = (sides_traced[from].at, sides_traced[to].at);
        let between = (to + count - from) % count;
        let (dx, dz) = (i64::from(b.x - a.x), i64::from(b.z - a.z));
        let long = dx * dx + dz * dz > i64::from(longest) * i64::from(longest);
        if sides_traced[(from + 1) % count].region == 0 && long && between > 1 {
            let half = if runs_up(&a, &b) { between / 2 } else { between.div_ceil(2) };
            kept.insert(i + 1, (from + half) % count);
        } else {
            i += 1;
        }
    }
}

fn distance_squared(p: &ContourVertex, a: &ContourVertex, b: &ContourVertex) -> f32 {
    let (dx, dz) = ((b.x - a.x) as f32, (b.z - a.z) as f32);
    let (px, pz) = ((p.x - a.x) as f32, (p.z - a.z) as f32);
    let length = dx * dx + dz * dz;
    let t = if length > 0.0 { ((px * dx + pz * dz) / length).clamp(0.0, 1.0) } else { 0.0 };
    let (ex, ez) = (px - t * dx, pz - t * dz);
    ex * ex + ez * ez
}
