//! The compact heightfield: the open space over walkable spans and the links between neighbours (Recast's
//! `rcCompactHeightfield`).
//!
//! The spans of all columns lie in one flat array in row order, and each knows its four neighbours by index, so that
//! later stages never look up a column. One extra span at the end, [`CompactHeightfield::no_span`], stands for "no
//! neighbour" and saves inner loops a test.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::heightfield::{GridFrame, Heightfield, Span, TOP, UNWALKABLE};
use super::settings::{BakeSettings, Volume, VolumeShape, VoxelSettings};

/// Most rows of a parallel task.
const SHARE: usize = 32;
/// Offsets along x of directions 0 to 3.
pub const STEP_X: [i32; 4] = [-1, 0, 1, 0];
/// Offsets along z of directions 0 to 3.
pub const STEP_Z: [i32; 4] = [0, 1, 0, -1];

/// The open space over a walkable span (Recast's `rcCompactSpan`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactSpan {
    /// Floor, cell heights over the origin of the field.
    pub y: u16,
    /// Free height above the floor, cell heights.
    pub space: u16,
}

/// All compact spans of a field.
#[derive(Clone, Debug)]
pub struct CompactHeightfield {
    /// The grid.
    pub frame: GridFrame,
    /// First span of each column, then the number of spans.
    pub columns: Vec<u32>,
    /// The spans and one extra, `no_span`.
    pub spans: Vec<CompactSpan>,
    /// Area of each span, as in [`Span::area`]; one extra for `no_span`.
    pub areas: Vec<u8>,
    /// Neighbour of each span in direction −x, +z, +x, −z; [`CompactHeightfield::no_span`] for none.
    pub links: Vec<[u32; 4]>,
}

/// Splits a slice of per-span values into rows.
pub fn by_rows<'a, T>(mut rest: &'a mut [T], columns: &[u32], frame: &GridFrame) -> Vec<&'a mut [T]> {
    let mut rows = Vec::with_capacity(frame.depth);
    for z in 0..frame.depth {
        let count = columns[(z + 1) * frame.width] - columns[z * frame.width];
        let (row, tail) = rest.split_at_mut(count as usize);
        rows.push(row);
        rest = tail;
    }
    rows
}

impl CompactHeightfield {
    /// Takes the walkable spans of a field and links neighbours.
    pub fn new(field: &Heightfield, voxels: VoxelSettings) -> Self {
        let frame = field.frame;
        let mut columns = vec![0u32; frame.cells() + 1];
        columns[1..].par_chunks_mut(frame.width).with_max_len(SHARE).enumerate().for_each(|(z, row)| {
            let starts = &field.columns[z * frame.width..=(z + 1) * frame.width];
            for (count, w) in row.iter_mut().zip(starts.windows(2)) {
                let spans = &field.spans[w[0] as usize..w[1] as usize];
                *count = spans.iter().map(|s| u32::from(s.area != UNWALKABLE)).sum();
            }
        });
        let mut total = 0;
        for c in &mut columns {
            total += *c;
            *c = total;
        }
        let count = total as usize;
        let mut spans = vec![CompactSpan::default(); count + 1];
        let mut areas = vec![UNWALKABLE; count + 1];
        let rows = by_rows(&mut spans, &columns, &frame)
            .into_par_iter()
            .with_max_len(SHARE)
            .zip(by_rows(&mut areas, &columns, &frame));
        rows.enumerate().for_each(|(z, (spans, areas))| fill_row(field, z, spans, areas));
        let mut links = vec![[total; 4]; count + 1];
        by_rows(&mut links, &columns, &frame).into_par_iter().with_max_len(SHARE).enumerate().for_each(|(z, row)| {
            link_row(&frame, &columns, &spans, z, row, voxels);
        });
        Self { frame, columns, spans, areas, links }
    }

    /// Index of the extra span that stands for "no neighbour".
    #[inline]
    pub fn no_span(&self) -> u32 {
        (self.spans.len() - 1) as u32
    }

    /// Number of spans.
    pub fn len(&self) -> usize {
        self.spans.len() - 1
    }

    /// Whether there is no span.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Per span, a bit per direction whose neighbour has the same area and lies in the same tile; none for unwalkable
    /// spans. Tiles are squares of `tile` cells, 0 for a single tile.
    pub fn same_area(&self, tile: usize) -> Vec<u8> {
        let mut out = vec![0u8; self.spans.len()];
        let (width, frame) = (self.frame.width, &self.frame);
        by_rows(&mut out, &self.columns, frame).into_par_iter().with_max_len(SHARE).enumerate().for_each(|(z, row)| {
            let starts = &self.columns[z * width..=(z + 1) * width];
            let base = starts[0] as usize;
            for (k, o) in row.iter_mut().enumerate() {
                let (area, links) = (self.areas[base + k], &self.links[base + k]);
                if area != UNWALKABLE {
                    *o = (0..4).fold(0, |m, d| m | (u8::from(self.areas[links[d] as usize] == area) << d));
                }
            }
            if tile == 0 {
                return;
            }
            let along = [(z % tile == tile - 1, 0b0010), (z % tile == 0, 0b1000)];
            let cut = along.iter().filter(|c| c.0).fold(0, |m, c| m | c.1);
            row.iter_mut().for_each(|o| *o &= !cut);
            for x in (tile..width).step_by(tile) {
                let [a, b, c] = [x - 1, x, x + 1].map(|x| starts[x] as usize - base);
                row[a..b].iter_mut().for_each(|o| *o &= !0b0100);
                row[b..c].iter_mut().for_each(|o| *o &= !0b0001);
            }
        });
        out
    }

    /// Makes all spans nearer than `radius` cells to a wall or drop unwalkable.
    pub fn erode(&mut self, radius: u16, stop: &AtomicBool) {
        if radius == 0 {
            return;
        }
        let inner = |areas: &[u8], links: &[u32; 4], i: usize| {
            areas[i] != UNWALKABLE && links.iter().all(|&l| areas[l as usize] != UNWALKABLE)
        };
        let mut distance = self.border_distance(2 * radius, inner, stop);
        if stop.load(Ordering::Relaxed) {
            return;
        }
        distance.pop();
        for (area, d) in self.areas.iter_mut().zip(distance) {
            if d < 2 * radius {
                *area = UNWALKABLE;
            }
        }
    }

    /// Gives the spans inside a volume its area. Unwalkable spans stay unwalkable.
    pub fn mark(&mut self, volume: &Volume) {
        let f = self.frame;
        let (min, max) = volume.shape.bounds();
        let (low, high) = ((min.y - f.origin.y) / f.cell_height, (max.y - f.origin.y) / f.cell_height);
        let area = volume.area.map_or(UNWALKABLE, |a| a.min(63) + 1);
        let clamp = |v: f32, most: usize| (v.max(0.0) as usize).min(most);
        let per_cell = 1.0 / f.cell_size;
        let xs = clamp((min.x - f.origin.x) * per_cell, f.width)..clamp((max.x - f.origin.x) * per_cell + 1.0, f.width);
        for z in clamp((min.z - f.origin.z) * per_cell, f.depth)..clamp((max.z - f.origin.z) * per_cell + 1.0, f.depth)
        {
            for x in xs.clone() {
                let at = Vec2::new(f.origin.x, f.origin.z) + Vec2::new(x as f32 + 0.5, z as f32 + 0.5) * f.cell_size;
                if !volume.shape.contains_2d(at) {
                    continue;
                }
                let cell = z * f.width + x;
                for i in self.columns[cell] as usize..self.columns[cell + 1] as usize {
                    let y = f32::from(self.spans[i].y);
                    if y >= low.floor() && y <= high.ceil() && self.areas[i] != UNWALKABLE {
                        self.areas[i] = area;
                    }
                }
            }
        }
    }

    /// Marks the volumes of the settings.
    pub fn mark_all(&mut self, settings: &BakeSettings, stop: &AtomicBool) {
        settings.volumes.iter().take_while(|_| !stop.load(Ordering::Relaxed)).for_each(|v| self.mark(v));
    }
}

impl VolumeShape {
    /// Bounding box as minimum and maximum; the minimum exceeds the maximum for an empty shape.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        match self {
            Self::Convex { outline, low, high } => {
                let min = outline.iter().fold(Vec2::INFINITY, |m, p| m.min(*p));
                let max = outline.iter().fold(Vec2::NEG_INFINITY, |m, p| m.max(*p));
                (Vec3::new(min.x, *low, min.y), Vec3::new(max.x, *high, max.y))
            }
            Self::Box { min, max } => (*min, *max),
            Self::Cylinder { base, radius, height } => {
                let r = Vec3::new(*radius, 0.0, *radius);
                (*base - r, *base + r + Vec3::Y * *height)
            }
        }
    }

    /// Whether the point (x, z) lies inside in plan view.
    pub fn contains_2d(&self, at: Vec2) -> bool {
        match self {
            Self::Convex { outline, .. } => {
                let mut inside = false;
                let mut a = outline.last().copied().unwrap_or(Vec2::ZERO);
                for &b in outline {
                    if (a.y > at.y) != (b.y > at.y) && at.x < (b.x - a.x) * (at.y - a.y) / (b.y - a.y) + a.x {
                        inside = !inside;
                    }
                    a = b;
                }
                inside
            }
            Self::Box { min, max } => at.x >= min.x && at.x <= max.x && at.y >= min.z && at.y <= max.z,
            Self::Cylinder { base, radius, .. } => at.distance_squared(Vec2::new(base.x, base.z)) <= radius * radius,
        }
    }
}

fn fill_row(field: &Heightfield, z: usize, spans: &mut [CompactSpan], areas: &mut [u8]) {
    let width = field.frame.width;
    let mut out = spans.iter_mut().zip(areas);
    for w in field.columns[z * width..=(z + 1) * width].windows(2).filter(|w| w[0] < w[1]) {
        let column = &field.spans[w[0] as usize..w[1] as usize];
        for (i, s) in column.iter().enumerate().filter(|(_, s)| s.area != UNWALKABLE) {
            let ceiling = column.get(i + 1).map_or(TOP, |n: &Span| n.bottom);
            if let Some((span, area)) = out.next() {
                (*span, *area) = (CompactSpan { y: s.top, space: ceiling - s.top }, s.area);
            }
        }
    }
}

fn link_row(
    frame: &GridFrame,
    columns: &[u32],
    spans: &[CompactSpan],
    z: usize,
    row: &mut [[u32; 4]],
    voxels: VoxelSettings,
) {
    let (width, depth) = (frame.width, frame.depth);
    let (height, climb) = (i32::from(voxels.height), i32::from(voxels.climb));
    let is_linked = |a: CompactSpan, b: CompactSpan| {
        let (a_y, b_y) = (i32::from(a.y), i32::from(b.y));
        let ceiling = (a_y + i32::from(a.space)).min(b_y + i32::from(b.space));
        ceiling - a_y.max(b_y) >= height && (a_y - b_y).abs() <= climb
    };
    let line = |z: usize| &columns[z * width..=(z + 1) * width];
    let nothing = vec![0; width + 1];
    let own = line(z);
    let (above, below) =
        (if z > 0 { line(z - 1) } else { &nothing }, if z + 1 < depth { line(z + 1) } else { &nothing });
    let first = own[0] as usize;
    let floors_here = &spans[first..own[width] as usize];
    for x in 0..width {
        let (from, to) = (own[x] as usize - first, own[x + 1] as usize - first);
        if from == to {
            continue;
        }
        let mut beside = [
            (own[x.saturating_sub(1)], own[x]),
            (below[x], below[x + 1]),
            (own[x + 1], own[(x + 2).min(width)]),
            (above[x], above[x + 1]),
        ];
        for (span, links) in floors_here[from..to].iter().zip(&mut row[from..to]) {
            for (link, (low, high)) in links.iter_mut().zip(&mut beside) {
                // What lies more than a step below this floor does so below all others of the column.
                while low < high && i32::from(spans[*low as usize].y) < i32::from(span.y) - climb {
                    *low += 1;
                }
                let near = (*low..*high).zip(&spans[*low as usize..]);
                let mut near = near.take_while(|(_, other)| i32::from(other.y) <= i32::from(span.y) + climb);
                if let Some((k, _)) = near.find(|(_, other)| is_linked(*span, **other)) {
                    *link = k;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::heightfield::GROUND;
    use super::*;

    /// A field of at most one span per column, `None` for none.
    fn flat(width: usize, depth: usize, top: impl Fn(usize, usize) -> Option<u16>) -> CompactHeightfield {
        let frame = GridFrame { origin: Vec3::ZERO, width, depth, cell_size: 1.0, cell_height: 1.0 };
        let (mut columns, mut spans) = (vec![0], Vec::new());
        for cell in 0..frame.cells() {
            spans.extend(top(cell % width, cell / width).map(|top| Span { bottom: 0, top, area: GROUND }));
            columns.push(spans.len() as u32);
        }
        CompactHeightfield::new(&Heightfield { frame, columns, spans }, BakeSettings::default().voxels().unwrap())
    }

    #[test]
    fn floors_are_linked_within_a_step_both_ways() {
        let c = flat(4, 2, |x, z| Some(1 + 3 * x as u16 + 9 * z as u16 * u16::from(x == 3)));
        let none = c.no_span();
        assert_eq!(c.links[1], [0, 5, 2, none]);
        assert_eq!(c.links[7], [none, none, none, none], "nine voxels up is no step");
        for (i, links) in c.links[..c.len()].iter().enumerate() {
            for (d, &l) in links.iter().enumerate().filter(|(_, l)| **l != none) {
                assert_eq!(c.links[l as usize][(d + 2) % 4], i as u32);
            }
        }
    }

    #[test]
    fn floors_need_room_between_them() {
        let frame = GridFrame { origin: Vec3::ZERO, width: 2, depth: 1, cell_size: 1.0, cell_height: 1.0 };
        let s = |bottom, top| Span { bottom, top, area: GROUND };
        let voxels = BakeSettings::default().voxels().unwrap();
        let at = |ceiling| {
            let spans = vec![s(0, 1), s(ceiling, 30), s(0, 3)];
            let c = CompactHeightfield::new(&Heightfield { frame, columns: vec![0, 2, 3], spans }, voxels);
            c.links[0][2] == 2
        };
        assert!(at(13) && !at(12));
    }

    #[test]
    fn erosion_takes_so_many_cells_from_each_side() {
        let mut c = flat(11, 11, |_, _| Some(1));
        c.erode(2, &AtomicBool::new(false));
        let left: Vec<usize> = (0..121).filter(|&i| c.areas[i] == GROUND).collect();
        // The border cells count as a wall; two cells further in are eroded.
        assert_eq!(left.len(), 49);
        assert_eq!((left[0], left[48]), (2 * 11 + 2, 8 * 11 + 8));
        let mut c = flat(5, 5, |x, z| (x != 2 || z != 2).then_some(1));
        c.erode(0, &AtomicBool::new(false));
        assert!(c.areas[..24].iter().all(|&a| a == GROUND));
    }

    #[test]
    fn volumes_mark_what_is_inside() {
        let count = |shape| {
            let mut c = flat(10, 10, |_, _| Some(1));
            c.mark(&Volume { shape, area: Some(4) });
            c.areas.iter().filter(|&&a| a == 5).count()
        };
        assert_eq!(count(VolumeShape::Box { min: Vec3::new(2.0, 0.0, 2.0), max: Vec3::new(5.0, 2.0, 4.0) }), 6);
        assert_eq!(count(VolumeShape::Box { min: Vec3::new(2.0, 3.0, 2.0), max: Vec3::new(5.0, 4.0, 4.0) }), 0);
        assert_eq!(count(VolumeShape::Box { min: Vec3::splat(-1e30), max: Vec3::splat(1e30) }), 100);
        assert_eq!(count(VolumeShape::Box { min: Vec3::splat(f32::NAN), max: Vec3::ONE }), 0);
        assert_eq!(count(VolumeShape::Cylinder { base: Vec3::new(5.0, 0.0, 5.0), radius: 1.0, height: 3.0 }), 4);
        let outline = vec![Vec2::new(1.0, 1.0), Vec2::new(4.0, 1.0), Vec2::new(1.0, 4.0)];
        assert_eq!(count(VolumeShape::Convex { outline, low: 0.0, high: 2.0 }), 3);
        assert_eq!(count(VolumeShape::Convex { outline: vec![], low: 0.0, high: 2.0 }), 0);
        let mut c = flat(3, 3, |_, _| Some(1));
        let shape = VolumeShape::Box { min: Vec3::ZERO, max: Vec3::ONE };
        c.mark(&Volume { shape, area: None });
        assert_eq!(c.areas[..9].iter().filter(|&&a| a == UNWALKABLE).count(), 1);
    }
}
