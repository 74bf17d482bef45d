//! The distance field: approximate distance of each span to a border by the 2-3 chamfer metric, in two sweeps
//! (Borgefors, "Distance transformations in digital images", 1986).
//!
//! In parallel, each thread sweeps a band of rows as if nothing lay beyond; the bands are then swept again in order,
//! from their shared border on, for as long as a row changes. The result equals that of one sweep.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::compact_heightfield::CompactHeightfield;
use super::heightfield::{TOP, UNWALKABLE};

/// Spans of a parallel task.
const CHUNK: usize = 1 << 14;
/// Larger than any distance.
pub const FAR: u16 = TOP - 4;

impl CompactHeightfield {
    /// Distance of each span to the nearest span that `is_inner` rejects, at most `most`; one extra entry, `most`, for
    /// `no_span`. What is not begun when `stop` is set is skipped.
    pub fn border_distance(
        &self,
        most: u16,
        is_inner: impl Fn(&[u8], &[u32; 4], usize) -> bool + Sync,
        stop: &AtomicBool,
    ) -> Vec<u16> {
        let count = self.len();
        let mut distance = vec![most; count + 1];
        distance[..count].par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
            let base = chunk * CHUNK;
            if stop.load(Ordering::Relaxed) {
                return;
            }
            for (k, d) in out.iter_mut().enumerate() {
                *d = if is_inner(&self.areas, &self.links[base + k], base + k) { most } else { 0 };
            }
        });
        for forward in [true, false] {
            if !stop.load(Ordering::Relaxed) {
                self.sweep_bands(&mut distance, forward);
            }
        }
        distance
    }

    fn sweep_bands(&self, distance: &mut [u16], forward: bool) {
        let bands = rayon::current_num_threads().min(self.frame.depth);
        let row_start = |z: usize| self.columns[z * self.frame.width] as usize;
        if bands == 1 {
            let count = self.len();
            sweep(&self.links, distance, 0, 0..count, forward);
            return;
        }
        // First rows of the bands, which have about equally many spans.
        let starts: Vec<u32> = self.columns.iter().copied().step_by(self.frame.width).collect();
        let first_row = |band: usize| match band == bands {
            true => self.frame.depth,
            false => starts.partition_point(|&s| (s as usize) < band * self.len() / bands),
        };
        let mut rest = &mut *distance;
        let mut parts = Vec::with_capacity(bands);
        for band in 0..bands {
            let base = row_start(first_row(band));
            let (part, tail) = rest.split_at_mut(row_start(first_row(band + 1)) - base);
            parts.push((base, part));
            rest = tail;
        }
        parts.into_par_iter().for_each(|(base, part)| {
            // One extra entry for spans of other bands.
            let mut own: Vec<u16> = part.iter().copied().chain([FAR]).collect();
            sweep(&self.links, &mut own, base, base..base + part.len(), forward);
            part.copy_from_slice(&own[..part.len()]);
        });
        let mut mend = |z: usize| sweep(&self.links, distance, 0, row_start(z)..row_start(z + 1), forward);
        for band in 1..bands {
            if forward {
                let _ = (first_row(band)..self.frame.depth).all(&mut mend);
            } else {
                let _ = (0..first_row(bands - band)).rev().all(&mut mend);
            }
        }
    }
}

/// Sweeps a range of spans; `distance` begins with that of span `base` and ends with an extra entry for spans
/// elsewhere. Returns whether anything changed.
fn sweep(links: &[[u32; 4]], distance: &mut [u16], base: usize, range: std::ops::Range<usize>, forward: bool) -> bool {
    let mut changed = false;
    let elsewhere = distance.len() - 1;
    let mut visit = |i: usize, [a, b, c]: [usize; 3]| {
        let own = distance[i - base];
        // A span beside a border cannot get nearer.
        if own <= 2 {
            return;
        }
        // Indices below `base` wrap around and are clamped to the extra entry, too.
        let at = |n: u32| distance[(n as usize).wrapping_sub(base).min(elsewhere)];
        let (side, up) = (links[i][a], links[i][b]);
        let corner = at(links[side as usize][b]).min(at(links[up as usize][c]));
        let new = own.min(at(side).min(at(up)) + 2).min(corner + 3);
        if new < own {
            distance[i - base] = new;
            changed = true;
        }
    };
    if forward {
        range.for_each(|i| visit(i, [0, 3, 2]));
    } else {
        range.rev().for_each(|i| visit(i, [2, 1, 0]));
    }
    changed
}

/// Largest distance of a walkable span.
pub fn max_distance(distance: &[u16], areas: &[u8]) -> u16 {
    // Without branches, for vectorization.
    distance.iter().zip(areas).map(|(d, area)| if *area == UNWALKABLE { 0 } else { *d }).fold(0, u16::max)
}

/// Box filter over the nine spans around each; those beside a border stay.
pub fn smooth(compact: &CompactHeightfield, distance: Vec<u16>) -> Vec<u16> {
    let nowhere = compact.no_span() as usize;
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

#[cfg(test)]
mod tests {
    use super::super::heightfield::{GROUND, GridFrame, Heightfield, Span};
    use super::super::settings::BakeSettings;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn many_cores_measure_what_one_measures(
            tops in proptest::collection::vec(1u16..9, 12 * 37), holes in proptest::collection::vec(0usize..12 * 37, 0..30),
            threads in 2usize..7, most in prop_oneof![Just(FAR), 2u16..9],
        ) {
            let frame = GridFrame { origin: glam::Vec3::ZERO, width: 12, depth: 37, cell_size: 1.0, cell_height: 1.0 };
            let (mut columns, mut spans) = (vec![0], Vec::new());
            for (cell, &top) in tops.iter().enumerate() {
                if !holes.contains(&cell) {
                    spans.push(Span { bottom: 0, top: if top > 7 { 20 } else { 1 + top / 4 }, area: GROUND });
                }
                columns.push(spans.len() as u32);
            }
            let c = CompactHeightfield::new(&Heightfield { frame, columns, spans }, BakeSettings::default().voxels().unwrap());
            let go = AtomicBool::new(false);
            let inner = |_: &[u8], links: &[u32; 4], _: usize| links.iter().all(|&l| l != c.no_span());
            let [one, many] = [1, threads].map(|n| {
                rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap().install(|| c.border_distance(most, inner, &go))
            });
            prop_assert_eq!(&one, &many);
            let whole = c.border_distance(FAR, inner, &go);
            prop_assert!(whole.iter().zip(&one).all(|(w, o)| w.min(&most) == o));
        }
    }
}
