//! Monotone partition: runs of spans along x are swept row by row into stripes (Recast's `rcBuildRegionsMonotone`).
//! Bands of tiles are swept in parallel.

use rayon::prelude::*;

use super::compact_heightfield::CompactHeightfield;
use super::heightfield::UNWALKABLE;
use super::region::Regions;

/// Sweeps rows into stripes of runs along x. A run continues a stripe of the row before if it is the only continuation
/// of that stripe and the stripe its only origin.
pub fn sweep(compact: &CompactHeightfield, same: &[u8], tile: usize) -> Regions {
    let (width, depth) = (compact.frame.width, compact.frame.depth);
    let rows = if tile == 0 { depth } else { tile };
    let mut ids = vec![0u32; compact.spans.len()];
    let mut rest = &mut *ids;
    let mut bands = Vec::new();
    for z in (0..depth).step_by(rows) {
        let end = (z + rows).min(depth);
        let (band, tail) = rest.split_at_mut((compact.columns[end * width] - compact.columns[z * width]) as usize);
        bands.push((z..end, band));
        rest = tail;
    }
    // Tiles end where bands end: no stripe leaves its band.
    let counts: Vec<u32> =
        bands.par_iter_mut().map(|(rows, band)| sweep_rows(compact, same, rows.clone(), band)).collect();
    let mut count = 1;
    for ((_, band), own) in bands.into_iter().zip(counts) {
        band.iter_mut().filter(|id| **id != 0).for_each(|id| *id += count - 1);
        count += own - 1;
    }
    Regions { ids, count, distance: Vec::new(), tile_ms: Vec::new(), tiles: Vec::new() }
}

/// A run of the current row.
#[derive(Clone, Copy)]
struct StripeRun {
    touching: u32,
    above: u32,
    id: u32,
}

/// Sweeps some rows and numbers their stripes from 1; `ids` are those of their spans. Returns one more than the number
/// of stripes.
fn sweep_rows(compact: &CompactHeightfield, same: &[u8], rows: std::ops::Range<usize>, ids: &mut [u32]) -> u32 {
    const SEVERAL: u32 = u32::MAX;
    let (width, columns) = (compact.frame.width, &compact.columns);
    let base = columns[rows.start * width] as usize;
    let mut count = 1u32;
    let mut runs: Vec<StripeRun> = Vec::new();
    let mut continued: Vec<u32> = vec![0];
    for z in rows {
        let row = columns[z * width] as usize..columns[(z + 1) * width] as usize;
        runs.clear();
        continued.clear();
        continued.resize(count as usize, 0);
        for i in row.clone().filter(|&i| compact.areas[i] != UNWALKABLE) {
            let run = if same[i] & 1 == 1 { ids[compact.links[i][0] as usize - base] as usize } else { runs.len() };
            if run == runs.len() {
                runs.push(StripeRun { touching: 0, above: 0, id: 0 });
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
