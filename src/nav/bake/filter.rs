//! Takes walkability from spans where nobody can stand.
//!
//! Three rules after Mononen's Recast: low lumps on walkable ground count as ground, ground without room above is
//! none, and neither is the brink of a drop or a steep flight of voxels.

use rayon::prelude::*;

use super::compact::by_rows;
use super::heightfield::{Heightfield, Span, TOP, UNWALKABLE};
use super::{BakeSettings, VoxelSettings};

/// Applies the rules that the settings ask for.
pub fn filter(field: &mut Heightfield, settings: &BakeSettings, voxels: VoxelSettings) {
    let width = field.frame.width;
    // The rules change areas alone, and the brinks do not look at their neighbours' areas: rows are independent.
    let columns = &field.columns;
    let rows = by_rows(&mut field.spans, columns, &field.frame);
    rows.into_par_iter().enumerate().for_each(|(z, row)| {
        let starts = &columns[z * width..=(z + 1) * width];
        for w in starts.windows(2).filter(|w| w[0] < w[1]) {
            let column = &mut row[(w[0] - starts[0]) as usize..(w[1] - starts[0]) as usize];
            if settings.filter_low_obstacles {
                low_obstacles(column, voxels.climb);
            }
            if settings.filter_low_ceilings {
                low_ceilings(column, voxels.height);
            }
        }
    });
    if settings.filter_ledges {
        ledges(field, voxels);
    }
}

/// An unwalkable span at most a step higher than the walkable one below it becomes walkable: a kerb, a stair.
fn low_obstacles(column: &mut [Span], climb: u16) {
    let mut below = Span::default();
    for s in column {
        let own = *s;
        if own.area == UNWALKABLE && below.area != UNWALKABLE && own.top - below.top <= climb {
            s.area = below.area;
        }
        below = own;
    }
}

/// Ground with less than `height` above it is unwalkable.
fn low_ceilings(column: &mut [Span], height: u16) {
    for i in 0..column.len() {
        let ceiling = column.get(i + 1).map_or(TOP, |s| s.bottom);
        if ceiling - column[i].top < height {
            column[i].area = UNWALKABLE;
        }
    }
}

/// Ground beside a drop, or whose neighbours lie more than a step apart from one another, is unwalkable.
fn ledges(field: &mut Heightfield, voxels: VoxelSettings) {
    let (width, depth) = (field.frame.width, field.frame.depth);
    let (spans, columns) = (&field.spans, &field.columns);
    let brinks: Vec<Vec<u32>> = (0..depth)
        .into_par_iter()
        .map(|z| {
            let mut found = Vec::new();
            let line = |z: usize| &columns[z * width..=(z + 1) * width];
            let own = line(z);
            // Along the field's border, everything is a brink.
            let lines = (z > 0 && z + 1 < depth).then(|| (line(z - 1), line(z + 1)));
            for x in 0..width {
                let column = own[x] as usize..own[x + 1] as usize;
                if column.is_empty() {
                    continue;
                }
                let beside = lines.filter(|_| x > 0 && x + 1 < width).map(|(above, below)| {
                    [
                        &spans[own[x - 1] as usize..own[x] as usize],
                        &spans[below[x] as usize..below[x + 1] as usize],
                        &spans[own[x + 1] as usize..own[x + 2] as usize],
                        &spans[above[x] as usize..above[x + 1] as usize],
                    ]
                });
                for i in column.clone() {
                    let ceiling = if i + 1 < column.end { spans[i + 1].bottom } else { TOP };
                    let (floor, walkable) = (spans[i].top, spans[i].area != UNWALKABLE);
                    if walkable && beside.as_ref().is_none_or(|b| is_ledge(floor, ceiling, b, voxels)) {
                        found.push(i as u32);
                    }
                }
            }
            found
        })
        .collect();
    for i in brinks.into_iter().flatten() {
        field.spans[i as usize].area = UNWALKABLE;
    }
}

/// Whether the open space from `floor` to `ceiling` drops off towards one of the four columns beside it.
#[inline]
fn is_ledge(floor: u16, ceiling: u16, beside: &[&[Span]; 4], voxels: VoxelSettings) -> bool {
    let (floor, ceiling) = (i32::from(floor), i32::from(ceiling));
    let (height, climb) = (i32::from(voxels.height), i32::from(voxels.climb));
    let (mut low, mut high) = (floor, floor);
    for column in beside {
        let first = column.first().map_or(i32::from(TOP), |s| i32::from(s.bottom));
        if ceiling.min(first) - floor >= height {
            // The way is open below whatever the column holds.
            return true;
        }
        for (i, s) in column.iter().enumerate() {
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
    use super::super::heightfield::{Frame, GROUND};
    use super::*;

    fn s(bottom: u16, top: u16, area: u8) -> Span {
        Span { bottom, top, area }
    }

    fn areas(column: &[Span]) -> Vec<u8> {
        column.iter().map(|s| s.area).collect()
    }

    #[test]
    fn low_lumps_become_ground_once() {
        let mut c = [s(0, 1, 1), s(2, 4, 0), s(5, 7, 0), s(20, 25, 0)];
        low_obstacles(&mut c, 4);
        assert_eq!(areas(&c), [1, 1, 0, 0]);
    }

    #[test]
    fn ground_under_a_low_ceiling_is_none() {
        let mut c = [s(0, 1, 1), s(10, 11, 1), s(21, 22, 1)];
        low_ceilings(&mut c, 10);
        assert_eq!(areas(&c), [0, 1, 1]);
    }

    #[test]
    fn brinks_and_borders_are_none() {
        let frame = Frame { origin: glam::Vec3::ZERO, width: 6, depth: 3, cell_size: 1.0, cell_height: 1.0 };
        let tops = [1, 1, 1, 5, 5, 5];
        let mut field = Heightfield {
            frame,
            columns: (0..=18).collect(),
            spans: (0..18).map(|i| s(0, tops[i % 6], GROUND)).collect(),
        };
        let settings = BakeSettings::default();
        let voxels = VoxelSettings { climb: 3, ..settings.voxels().unwrap() };
        filter(&mut field, &settings, voxels);
        // Below the drop one may stand, on its brink not; the outermost cells are a brink, too.
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
