//! Filters that make spans without standing room unwalkable (Recast's `rcFilterLowHangingWalkableObstacles`,
//! `rcFilterWalkableLowHeightSpans` and `rcFilterLedgeSpans`).

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::compact_heightfield::by_rows;
use super::heightfield::{Heightfield, Span, TOP, UNWALKABLE};
use super::rasterize::KeptRows;
use super::settings::{BakeSettings, VoxelSettings};

/// Applies the filters that the settings ask for. Once `stop` is set, rows that are not begun are skipped.
pub fn filter(field: &mut Heightfield, settings: &BakeSettings, voxels: VoxelSettings, stop: &AtomicBool) {
    filter_onto(field, settings, voxels, None, stop);
}

/// As [`filter`], with the rows of an earlier field that was filtered by the same settings, where that has the same grid
/// and no triangle has changed.
pub fn filter_onto(
    field: &mut Heightfield,
    settings: &BakeSettings,
    voxels: VoxelSettings,
    kept: Option<KeptRows<'_>>,
    stop: &AtomicBool,
) {
    let width = field.frame.width;
    let kept = kept.filter(|kept| kept.field.frame == field.frame);
    // What is beside a row decides on its ledges.
    let is_kept = kept.as_ref().map_or_else(|| vec![false; field.frame.depth], KeptRows::is_inner);
    // Filters change areas only, and the ledge filter does not read areas of neighbours: rows are independent.
    let columns = &field.columns;
    let rows = by_rows(&mut field.spans, columns, &field.frame);
    rows.into_par_iter().with_max_len(BAND).enumerate().for_each(|(z, row)| {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        if let Some(kept) = kept.as_ref().filter(|_| is_kept[z]) {
            let before = kept.field.columns[z * width] as usize..kept.field.columns[(z + 1) * width] as usize;
            row.copy_from_slice(&kept.field.spans[before]);
            return;
        }
        let starts = &columns[z * width..=(z + 1) * width];
        for w in starts.windows(2) {
            let column = match w[1] - w[0] {
                0 => continue,
                // A lone span below the top of the field: neither filter applies.
                1 if row[(w[0] - starts[0]) as usize].top <= TOP - voxels.height => continue,
                _ => &mut row[(w[0] - starts[0]) as usize..(w[1] - starts[0]) as usize],
            };
            if settings.filter_low_obstacles {
                low_hanging_obstacles(column, voxels.climb);
            }
            if settings.filter_low_ceilings {
                low_ceilings(column, voxels.height);
            }
        }
    });
    if settings.filter_ledges {
        ledges(field, voxels, &is_kept, stop);
    }
}

/// An unwalkable span at most a step above the walkable one below becomes walkable: a kerb, a stair.
fn low_hanging_obstacles(column: &mut [Span], climb: u16) {
    let mut below = Span::default();
    for s in column {
        let own = *s;
        if own.area == UNWALKABLE && below.area != UNWALKABLE && own.top - below.top <= climb {
            s.area = below.area;
        }
        below = own;
    }
}

/// A span with less than `height` above it becomes unwalkable.
fn low_ceilings(column: &mut [Span], height: u16) {
    for i in 0..column.len() {
        let ceiling = column.get(i + 1).map_or(TOP, |s| s.bottom);
        if ceiling - column[i].top < height {
            column[i].area = UNWALKABLE;
        }
    }
}

/// A span beside a drop, or with neighbours more than a step apart in height, becomes unwalkable. Bands whose rows are all
/// kept have been through this.
fn ledges(field: &mut Heightfield, voxels: VoxelSettings, is_kept: &[bool], stop: &AtomicBool) {
    let (width, depth) = (field.frame.width, field.frame.depth);
    let view: &Heightfield = field;
    let found_by_band: Vec<Vec<u32>> = (0..depth.div_ceil(BAND))
        .into_par_iter()
        .with_max_len(1)
        .map(|band| {
            let mut found = Vec::new();
            let rows = band * BAND..((band + 1) * BAND).min(depth);
            if stop.load(Ordering::Relaxed) || is_kept[rows.clone()].iter().all(|is_kept| *is_kept) {
                return found;
            }
            let mut lines = [(); 3].map(|()| vec![LoneSpan::NONE; width]);
            for (line, z) in lines.iter_mut().zip(rows.start.saturating_sub(1)..) {
                LoneSpan::fill(line, view, z, voxels);
            }
            for z in rows {
                if z > 1 && z % BAND != 0 {
                    lines.rotate_left(1);
                }
                if z > 0 && z + 1 < depth {
                    LoneSpan::fill(&mut lines[2], view, z + 1, voxels);
                }
                ledges_of_row(view, z, &lines, voxels, &mut found);
            }
            found
        })
        .collect();
    for i in found_by_band.into_iter().flatten() {
        field.spans[i as usize].area = UNWALKABLE;
    }
}

/// Rows of a parallel task.
const BAND: usize = 32;

/// A column of a single span, as nearly all are: a shorter test applies to them.
#[derive(Clone, Copy)]
struct LoneSpan {
    bottom: i32,
    top: i32,
}

impl LoneSpan {
    /// An empty column: open from the bottom up.
    const NONE: Self = Self { bottom: TOP as i32, top: 0 };
    /// A column of several spans.
    const MANY: Self = Self { bottom: i32::MIN, top: 0 };

    fn fill(line: &mut [Self], field: &Heightfield, z: usize, voxels: VoxelSettings) {
        let Some(starts) = field.columns.get(z * line.len()..=(z + 1) * line.len()) else { return };
        for (w, lone) in starts.windows(2).zip(line) {
            *lone = match w[1] - w[0] {
                0 => Self::NONE,
                1 => {
                    let s = field.spans[w[0] as usize];
                    if s.top <= TOP - voxels.height {
                        Self { bottom: s.bottom.into(), top: s.top.into() }
                    } else {
                        Self::MANY
                    }
                }
                _ => Self::MANY,
            };
        }
    }
}

/// Collects the ledge spans of a row; `lines` are the row before, itself and the row after.
fn ledges_of_row(
    field: &Heightfield,
    z: usize,
    lines: &[Vec<LoneSpan>; 3],
    voxels: VoxelSettings,
    found: &mut Vec<u32>,
) {
    let (width, depth) = (field.frame.width, field.frame.depth);
    let (height, climb) = (i32::from(voxels.height), i32::from(voxels.climb));
    let starts = &field.columns[z * width..=(z + 1) * width];
    let walkable = |i: &u32| field.spans[*i as usize].area != UNWALKABLE;
    if z == 0 || z + 1 == depth || width < 3 {
        // Along the border of the field, every span is a ledge.
        found.extend((starts[0]..starts[width]).filter(walkable));
        return;
    }
    found.extend((starts[0]..starts[1]).chain(starts[width - 1]..starts[width]).filter(walkable));
    let around = lines[1].windows(3).zip(&lines[0][1..]).zip(&lines[2][1..]);
    for (x, ((w, above), below)) in (1..).zip(around) {
        let own = w[1];
        if own.bottom == LoneSpan::NONE.bottom {
            continue;
        }
        let first = starts[x];
        if own.bottom.min(w[0].bottom).min(w[2].bottom).min(above.bottom).min(below.bottom) != i32::MIN {
            let (mut low, mut high, mut open) = (0, 0, 0);
            for b in [&w[0], &w[2], above, below] {
                let step = b.top - own.top;
                low = low.min(step);
                high = high.max(if step <= climb { step } else { 0 });
                open = open.max(b.bottom);
            }
            if (low < -climb || high - low > climb || open - own.top >= height) && walkable(&first) {
                found.push(first);
            }
            continue;
        }
        let cell = z * width + x;
        let beside = [cell - 1, cell + width, cell + 1, cell - width].map(|c| &field.spans[field.column(c)]);
        let column = &field.spans[field.column(cell)];
        for (i, s) in column.iter().enumerate().filter(|(_, s)| s.area != UNWALKABLE) {
            let ceiling = column.get(i + 1).map_or(TOP, |s| s.bottom);
            let is_ledge = is_ledge_beside_alike(s.top, ceiling, i, &beside, voxels)
                .unwrap_or_else(|| is_ledge(s.top, ceiling, &beside, voxels));
            if is_ledge {
                found.push(first + i as u32);
            }
        }
    }
}

/// [`is_ledge`] where each neighbouring column meets the open space, the `i`th of its column, with one open space of its
/// own at most, that over its `i`th span or its last one; else `None`. It is so for nearly all and told without a branch
/// per neighbour, which takes a twentieth off the whole bake of a level with roofs.
#[inline]
fn is_ledge_beside_alike(
    floor: u16,
    ceiling: u16,
    i: usize,
    beside: &[&[Span]; 4],
    voxels: VoxelSettings,
) -> Option<bool> {
    let (floor, ceiling) = (i32::from(floor), i32::from(ceiling));
    let (height, climb) = (i32::from(voxels.height), i32::from(voxels.climb));
    let (mut is_alike, mut low, mut high) = (true, 0, 0);
    for column in beside {
        let last = column.len().checked_sub(1)?;
        let alike = i.min(last);
        let (bottom, other) = (i32::from(column[alike].bottom), i32::from(column[alike].top));
        let next = i32::from(column[(alike + 1).min(last)].bottom);
        let above = if i < last { next } else { i32::from(TOP) };
        // Neither below nor above that span is room enough that is open to this one.
        is_alike &= (bottom - floor < height) & (ceiling - above < height);
        let is_open = ceiling.min(above) - floor.max(other) >= height;
        let step = other - floor;
        let step = if is_open & (step <= climb) { step } else { 0 };
        low = low.min(step);
        high = high.max(step);
    }
    is_alike.then_some(low < -climb || high - low > climb)
}

/// Whether the open space from `floor` to `ceiling` has a ledge towards one of its four neighbouring columns.
#[inline]
fn is_ledge(floor: u16, ceiling: u16, beside: &[&[Span]; 4], voxels: VoxelSettings) -> bool {
    let (floor, ceiling) = (i32::from(floor), i32::from(ceiling));
    let (height, climb) = (i32::from(voxels.height), i32::from(voxels.climb));
    let (mut low, mut high) = (floor, floor);
    for column in beside {
        let first = column.first().map_or(i32::from(TOP), |s| i32::from(s.bottom));
        if ceiling.min(first) - floor >= height {
            // The neighbour is open below its first span: a drop.
            return true;
        }
        // Below these, the neighbour has no room over the floor.
        let lowest = column.get(1..).unwrap_or_default().partition_point(|s| i32::from(s.bottom) - floor < height);
        for (i, s) in column.iter().enumerate().skip(lowest) {
            if ceiling - i32::from(s.top) < height {
                break;
            }
            let (other, above) = (i32::from(s.top), column.get(i + 1).map_or(i32::from(TOP), |n| i32::from(n.bottom)));
            if ceiling.min(above) - floor.max(other) < height {
                continue;
            }
            if other - floor < -climb {
                return true;
            }
            if other - floor <= climb {
                low = low.min(other);
                high = high.max(other);
            }
        }
    }
    high - low > climb
}

#[cfg(test)]
mod tests {
    use super::super::heightfield::{GROUND, GridFrame};
    use super::*;
    use proptest::prelude::*;

    fn s(bottom: u16, top: u16, area: u8) -> Span {
        Span { bottom, top, area }
    }

    fn areas(column: &[Span]) -> Vec<u8> {
        column.iter().map(|s| s.area).collect()
    }

    #[test]
    fn low_lumps_become_ground_once() {
        let mut c = [s(0, 1, 1), s(2, 4, 0), s(5, 7, 0), s(20, 25, 0)];
        low_hanging_obstacles(&mut c, 4);
        assert_eq!(areas(&c), [1, 1, 0, 0]);
    }

    #[test]
    fn ground_under_a_low_ceiling_is_none() {
        let mut c = [s(0, 1, 1), s(10, 11, 1), s(21, 22, 1)];
        low_ceilings(&mut c, 10);
        assert_eq!(areas(&c), [0, 1, 1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn ledges_beside_alike_columns_are_ledges(
            columns in proptest::array::uniform5(proptest::collection::vec(1u16..14, 0..7)), height in 1u16..9, climb in 0u16..9,
        ) {
            // Gaps and thicknesses in turn.
            let columns = columns.map(|steps| {
                let ends: Vec<u16> = steps.iter().scan(0, |y, step| { *y += step; Some(*y) }).collect();
                ends.chunks_exact(2).map(|ends| s(ends[0], ends[1], 1)).collect::<Vec<_>>()
            });
            let [own, a, b, c, d] = &columns;
            let beside = [&a[..], &b[..], &c[..], &d[..]];
            let voxels = VoxelSettings { height, climb, ..BakeSettings::default().voxels().unwrap() };
            for (i, span) in own.iter().enumerate() {
                let ceiling = own.get(i + 1).map_or(TOP, |next| next.bottom);
                if let Some(found) = is_ledge_beside_alike(span.top, ceiling, i, &beside, voxels) {
                    prop_assert_eq!(found, is_ledge(span.top, ceiling, &beside, voxels));
                }
            }
        }
    }

    #[test]
    fn brinks_and_borders_are_none() {
        let frame = GridFrame { origin: glam::Vec3::ZERO, width: 6, depth: 3, cell_size: 1.0, cell_height: 1.0 };
        let tops = [1, 1, 1, 5, 5, 5];
        let mut field = Heightfield {
            frame,
            columns: (0..=18).collect(),
            spans: (0..18).map(|i| s(0, tops[i % 6], GROUND)).collect(),
        };
        let settings = BakeSettings::default();
        let voxels = VoxelSettings { climb: 3, ..settings.voxels().unwrap() };
        filter(&mut field, &settings, voxels, &AtomicBool::new(false));
        // Spans below the drop stay walkable, its brink does not; border cells are ledges, too.
        let expected = [0, 1, 1, 0, 1, 0];
        assert_eq!(areas(&field.spans[6..12]), expected);
        assert_eq!(areas(&field.spans[..6]), [0; 6]);
    }

    #[test]
    fn steep_flights_are_none() {
        let column = |top| [s(0, top, 1)];
        let (down, same, up) = (column(2), column(5), column(8));
        let voxels = VoxelSettings { climb: 4, ..BakeSettings::default().voxels().unwrap() };
        assert!(is_ledge(5, TOP, &[&down, &same, &up, &same], voxels));
        assert!(!is_ledge(5, TOP, &[&down, &same, &same, &same], voxels));
    }
}
