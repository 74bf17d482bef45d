//! Outlines of the regions, simplified, with their holes joined to them by bridges.
//!
//! A region's border is walked floor by floor. Corners stay where the region beyond changes; between them, parts
//! along walls get the corners that the error allows (Douglas and Peucker) and are split where they are too long.
//! Borders between two regions are straight lines for both sides. After Mononen's Recast.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use super::BakeSettings;
use super::VoxelSettings;
use super::compact::{Compact, by_rows};
use super::region::Regions;

/// A corner of an outline, in cells and cell heights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Corner {
    /// Cells along x.
    pub x: i32,
    /// Cell heights.
    pub y: i32,
    /// Cells along z.
    pub z: i32,
}

impl Corner {
    /// The same seen from above.
    pub fn same_place(&self, other: &Self) -> bool {
        self.x == other.x && self.z == other.z
    }
}

/// Twice the signed area of a, b, c in the xz plane: negative when c lies to the left of the way from a to b.
pub fn area2(a: &Corner, b: &Corner, c: &Corner) -> i64 {
    i64::from(b.x - a.x) * i64::from(c.z - a.z) - i64::from(c.x - a.x) * i64::from(b.z - a.z)
}

/// The outline of a region.
#[derive(Clone, Debug, Default)]
pub struct Contour {
    /// Its corners in order.
    pub corners: Vec<Corner>,
    /// The region.
    pub region: u32,
    /// Area of its floors, as in [`super::heightfield::Span::area`].
    pub area: u8,
}

/// A step along a border: the corner at its end, and what lies beyond.
#[derive(Clone, Copy)]
struct Step {
    at: Corner,
    region: u32,
    other_area: bool,
}

/// Traces and simplifies the outlines of all regions.
pub fn trace(
    compact: &Compact,
    regions: &Regions,
    settings: &BakeSettings,
    voxels: VoxelSettings,
    stop: &AtomicBool,
) -> Vec<Contour> {
    let (open, starts) = borders(compact, regions);
    // A walk closes sides of its own region alone: groups of regions are independent.
    let groups = match rayon::current_num_threads() {
        1 => 1,
        cores => 2 * cores as u32,
    };
    let mut traced: Vec<(u32, Contour)> = (0..groups)
        .into_par_iter()
        .map(|group| {
            let mut contours = Vec::new();
            let mut steps = Vec::new();
            for &(floor, cell) in starts.iter().take_while(|_| !stop.load(Relaxed)).flatten() {
                let (i, cell) = (floor as usize, cell as usize);
                if regions.ids[i] % groups != group || open[i].load(Relaxed) == 0 {
                    continue;
                }
                let at = [(cell % compact.frame.width) as i32, (cell / compact.frame.width) as i32];
                steps.clear();
                walk(compact, regions, &open, at, i, &mut steps);
                let corners = simplify(&steps, settings.edge_error_cells, voxels.edge_length);
                if corners.len() >= 3 {
                    contours.push((floor, Contour { corners, region: regions.ids[i], area: compact.areas[i] }));
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

/// A bit per direction in which another region or none lies beside a floor; and, row by row, the floors that have
/// such sides with their columns.
fn borders(compact: &Compact, regions: &Regions) -> (Vec<AtomicU8>, Vec<Vec<(u32, u32)>>) {
    let (ids, width) = (&regions.ids, compact.frame.width);
    let mut open: Vec<AtomicU8> = Vec::new();
    open.resize_with(compact.len(), AtomicU8::default);
    let rows = by_rows(&mut open, &compact.columns, &compact.frame).into_par_iter().enumerate();
    let starts = rows.map(|(z, row)| {
        let first = compact.columns[z * width];
        let mut starts = Vec::new();
        for x in 0..width {
            let cell = z * width + x;
            for i in compact.columns[cell]..compact.columns[cell + 1] {
                let (id, links) = (ids[i as usize], &compact.links[i as usize]);
                if id == 0 {
                    continue;
                }
                let sides = (0..4).fold(0, |m, d| m | (u8::from(ids[links[d] as usize] != id) << d));
                // A floor alone in its region, all four sides border, is no outline worth a polygon.
                if sides != 0 && sides != 0b1111 {
                    *row[(i - first) as usize].get_mut() = sides;
                    starts.push((i, cell as u32));
                }
            }
        }
        starts
    });
    let starts = starts.collect();
    (open, starts)
}

/// Walks the border that begins at a floor's first open side, and closes the sides it passes.
fn walk(compact: &Compact, regions: &Regions, open: &[AtomicU8], at: [i32; 2], floor: usize, out: &mut Vec<Step>) {
    let [mut x, mut z] = at;
    let (mut i, mut d) = (floor, open[floor].load(Relaxed).trailing_zeros() as usize);
    let (start, area) = (d, compact.areas[floor]);
    for _ in 0..4 * compact.len() {
        let next = compact.links[i][d];
        let sides = open[i].load(Relaxed);
        if sides >> d & 1 == 1 {
            out.push(Step {
                at: Corner {
                    x: x + i32::from(d == 1 || d == 2),
                    y: corner_height(compact, i, d),
                    z: z + i32::from(d == 0 || d == 1),
                },
                region: regions.ids[next as usize],
                other_area: next != compact.nowhere() && compact.areas[next as usize] != area,
            });
            open[i].store(sides & !(1 << d), Relaxed);
            d = (d + 1) & 3;
        } else {
            if next == compact.nowhere() {
                return;
            }
            i = next as usize;
            x += super::compact::STEP_X[d];
            z += super::compact::STEP_Z[d];
            d = (d + 3) & 3;
        }
        if i == floor && d == start {
            break;
        }
    }
}

/// Height of the corner between a direction and the next: the highest of the up to four floors that meet there.
fn corner_height(compact: &Compact, floor: usize, direction: usize) -> i32 {
    let turned = (direction + 1) & 3;
    let y = |i: u32| compact.floors[i as usize].y;
    let (a, b) = (compact.links[floor][direction], compact.links[floor][turned]);
    // Nowhere has height 0 and links to nowhere.
    let (ab, ba) = (compact.links[a as usize][turned], compact.links[b as usize][direction]);
    i32::from(compact.floors[floor].y.max(y(a)).max(y(b)).max(y(ab)).max(y(ba)))
}

/// Corners of an outline whose number of steps is `steps.len()`.
fn simplify(steps: &[Step], error_cells: f32, longest: i32) -> Vec<Corner> {
    let count = steps.len();
    if count < 3 {
        return Vec::new();
    }
    // Indices of the steps whose ends are kept.
    let mut kept: Vec<usize> = Vec::new();
    if steps.iter().any(|s| s.region != 0) {
        kept.extend((0..count).filter(|&i| {
            let (a, b) = (&steps[i], &steps[(i + 1) % count]);
            a.region != b.region || a.other_area != b.other_area
        }));
    }
    if kept.is_empty() {
        let key = |i: &usize| (steps[*i].at.x, steps[*i].at.z);
        let low = (0..count).min_by_key(key).unwrap_or(0);
        // The first of the highest.
        let high = (0..count).rev().max_by_key(key).unwrap_or(0);
        kept.extend([low, high]);
    }
    follow(steps, &mut kept, error_cells);
    if longest > 0 {
        split_long(steps, &mut kept, longest);
    }
    let mut corners: Vec<Corner> = kept.iter().map(|&i| steps[i].at).collect();
    // Neighbouring corners at one place would make an edge of no length.
    let mut i = 0;
    while i < corners.len() {
        if corners[i].same_place(&corners[(i + 1) % corners.len()]) {
            corners.remove(i);
        }
        i += 1;
    }
    corners
}

/// Whether the way from a to b runs towards larger x, or larger z at equal x: both sides of a border then agree.
fn runs_up(a: &Corner, b: &Corner) -> bool {
    (b.x, b.z) > (a.x, a.z)
}

/// Adds corners to the parts along walls and areas until none of their steps is farther off than the error.
fn follow(steps: &[Step], kept: &mut Vec<usize>, error_cells: f32) {
    let count = steps.len();
    let mut i = 0;
    while i < kept.len() {
        let (from, to) = (kept[i], kept[(i + 1) % kept.len()]);
        let up = runs_up(&steps[from].at, &steps[to].at);
        let (first, end, next) = if up { (from, to, 1) } else { (to, from, count - 1) };
        let (a, b) = (steps[first].at, steps[end].at);
        let mut at = (first + next) % count;
        let (mut worst, mut most) = (None, 0.0);
        if steps[at].region == 0 || steps[at].other_area {
            while at != end {
                let off = distance_squared(&steps[at].at, &a, &b);
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

/// Splits the parts along walls that are longer than so many cells.
fn split_long(steps: &[Step], kept: &mut Vec<usize>, longest: i32) {
    let count = steps.len();
    let mut i = 0;
    while i < kept.len() {
        let (from, to) = (kept[i], kept[(i + 1) % kept.len()]);
        let (a, b) = (steps[from].at, steps[to].at);
        let between = (to + count - from) % count;
        let (dx, dz) = (i64::from(b.x - a.x), i64::from(b.z - a.z));
        let long = dx * dx + dz * dz > i64::from(longest) * i64::from(longest);
        if steps[(from + 1) % count].region == 0 && long && between > 1 {
            let half = if runs_up(&a, &b) { between / 2 } else { between.div_ceil(2) };
            kept.insert(i + 1, (from + half) % count);
        } else {
            i += 1;
        }
    }
}

fn distance_squared(p: &Corner, a: &Corner, b: &Corner) -> f32 {
    let (dx, dz) = ((b.x - a.x) as f32, (b.z - a.z) as f32);
    let (px, pz) = ((p.x - a.x) as f32, (p.z - a.z) as f32);
    let length = dx * dx + dz * dz;
    let t = if length > 0.0 { ((px * dx + pz * dz) / length).clamp(0.0, 1.0) } else { 0.0 };
    let (ex, ez) = (px - t * dx, pz - t * dz);
    ex * ex + ez * ez
}

/// Twice the area within, positive for outlines and negative for holes.
fn winding(corners: &[Corner]) -> i64 {
    let last = corners.len() - 1;
    let mut before = &corners[last];
    let mut sum = 0;
    for c in corners {
        sum += i64::from(c.x) * i64::from(before.z) - i64::from(before.x) * i64::from(c.z);
        before = c;
    }
    sum
}

/// Joins each hole to the outline of its region.
fn join_holes(contours: Vec<Contour>, regions: u32) -> Vec<Contour> {
    let is_hole: Vec<bool> = contours.iter().map(|c| winding(&c.corners) < 0).collect();
    if !is_hole.contains(&true) {
        return contours;
    }
    let mut holes: Vec<Vec<Contour>> = vec![Vec::new(); regions as usize];
    let mut outlines = Vec::new();
    for (c, hole) in contours.into_iter().zip(is_hole) {
        if hole {
            holes[c.region as usize].push(c);
        } else {
            outlines.push(c);
        }
    }
    for o in &mut outlines {
        let mut list = std::mem::take(&mut holes[o.region as usize]);
        list.sort_by_key(|h| leftmost(&h.corners).1);
        for i in 0..list.len() {
            if let Some((corner, of_hole)) = bridge(o, &list[i..]) {
                let hole = &list[i].corners;
                let mut joined = Vec::with_capacity(o.corners.len() + hole.len() + 2);
                let n = o.corners.len();
                joined.extend((0..=n).map(|k| o.corners[(corner + k) % n]));
                joined.extend((0..=hole.len()).map(|k| hole[(of_hole + k) % hole.len()]));
                o.corners = joined;
            }
        }
    }
    outlines
}

/// The corner with the smallest x, then z, and both.
fn leftmost(corners: &[Corner]) -> (usize, (i32, i32)) {
    let key = |i: usize| (corners[i].x, corners[i].z);
    let best = (0..corners.len()).min_by_key(|&i| key(i)).unwrap_or(0);
    (best, key(best))
}

/// The shortest line from the first hole to the outline that crosses neither it nor a hole: a corner of each.
fn bridge(outline: &Contour, holes: &[Contour]) -> Option<(usize, usize)> {
    let hole = &holes[0].corners;
    let first = leftmost(hole).0;
    (0..hole.len()).map(|k| (first + k) % hole.len()).find_map(|of_hole| {
        let corner = hole[of_hole];
        let mut ends: Vec<(i64, usize)> = (0..outline.corners.len())
            .filter(|&j| in_cone_of(&outline.corners, j, &corner))
            .map(|j| {
                let (dx, dz) = (i64::from(outline.corners[j].x - corner.x), i64::from(outline.corners[j].z - corner.z));
                (dx * dx + dz * dz, j)
            })
            .collect();
        ends.sort_unstable();
        let free = |&(_, j): &(i64, usize)| {
            let p = &outline.corners[j];
            !crosses(p, &corner, Some(j), &outline.corners)
                && holes.iter().all(|h| !crosses(p, &corner, None, &h.corners))
        };
        ends.iter().find(|e| free(e)).map(|e| (e.1, of_hole))
    })
}

/// Whether p lies inside the angle of a corner of an outline.
pub fn in_cone_of(corners: &[Corner], i: usize, p: &Corner) -> bool {
    let n = corners.len();
    in_cone(&corners[(i + n - 1) % n], &corners[i], &corners[(i + 1) % n], p)
}

/// Whether p lies inside the angle at `at` between its neighbours in an outline (O'Rourke, "Computational Geometry in
/// C", section 1.6).
pub fn in_cone(before: &Corner, at: &Corner, after: &Corner, p: &Corner) -> bool {
    if area2(before, at, after) <= 0 {
        area2(at, p, before) < 0 && area2(p, at, after) < 0
    } else {
        !(area2(at, p, after) <= 0 && area2(p, at, before) <= 0)
    }
}

/// Whether the segments a–b and c–d share more than nothing; ends count.
pub fn segments_meet(a: &Corner, b: &Corner, c: &Corner, d: &Corner) -> bool {
    let (abc, abd, cda, cdb) = (area2(a, b, c), area2(a, b, d), area2(c, d, a), area2(c, d, b));
    if abc != 0 && abd != 0 && cda != 0 && cdb != 0 {
        return (abc < 0) != (abd < 0) && (cda < 0) != (cdb < 0);
    }
    let between = |p: &Corner, q: &Corner, r: &Corner, area: i64| {
        let within = |p: i32, q: i32, r: i32| p.min(q) <= r && r <= p.max(q);
        area == 0 && if p.x == q.x { within(p.z, q.z, r.z) } else { within(p.x, q.x, r.x) }
    };
    between(a, b, c, abc) || between(a, b, d, abd) || between(c, d, a, cda) || between(c, d, b, cdb)
}

/// Whether the segment p–q meets an edge of the outline, but for edges at corner `skip` and those that share an end.
fn crosses(p: &Corner, q: &Corner, skip: Option<usize>, corners: &[Corner]) -> bool {
    let n = corners.len();
    (0..n).any(|k| {
        let next = (k + 1) % n;
        if skip == Some(k) || skip == Some(next) {
            return false;
        }
        let (a, b) = (&corners[k], &corners[next]);
        let shares = [a, b].iter().any(|c| c.same_place(p) || c.same_place(q));
        !shares && segments_meet(p, q, a, b)
    })
}
