//! Rasterization: triangles to the spans of a heightfield.
//!
//! Each triangle is clipped to the rows of the grid (Sutherland and Hodgman's clipping, as in Recast). Rows are
//! independent, so bands of rows are rasterized in parallel.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use foldhash::{HashSet, HashSetExt};
use glam::Vec3;
use rayon::prelude::*;

use super::clip::ClipPolygon;
use super::columns::{Band, BandColumns};
use super::error::BakeError;
use super::heightfield::{GROUND, GridFrame, Heightfield, MAX_SPANS, Span, UNWALKABLE};
use super::row_slice::SliceRasterizer;
use super::settings::{BakeSettings, SpanMerge};
use crate::math::{Aabb, triangle};

/// Rows of a parallel task.
const BAND: usize = 16;

impl Heightfield {
    /// Rasterizes triangles; those no steeper than the slope become [`GROUND`]. `climb` in cell heights.
    ///
    /// # Errors
    /// See [`GridFrame::around`]; more than [`MAX_SPANS`] spans.
    pub fn rasterize(
        triangles: &[[Vec3; 3]],
        settings: &BakeSettings,
        climb: u16,
        stop: &AtomicBool,
    ) -> Result<Self, BakeError> {
        Self::rasterize_onto(triangles, settings, climb, None, stop)
    }

    /// As [`rasterize`](Self::rasterize), with the rows of an earlier field where it has the same grid and no triangle
    /// has changed.
    ///
    /// # Errors
    /// As [`rasterize`](Self::rasterize).
    pub fn rasterize_onto(
        triangles: &[[Vec3; 3]],
        settings: &BakeSettings,
        climb: u16,
        kept: Option<KeptRows<'_>>,
        stop: &AtomicBool,
    ) -> Result<Self, BakeError> {
        let frame = GridFrame::around(triangles, settings)?;
        let kept = kept.filter(|kept| kept.field.frame == frame);
        let by_band = TriangleBands::new(triangles, &frame, triangle::min_up(settings.slope_rad));
        let made = AtomicUsize::new(0);
        // Bands differ much in cost: each is a task of its own, and scratch space is passed on.
        let pool = Mutex::new(Vec::new());
        let new_scratch = || BandScratch::new(&frame, climb, settings.span_merge);
        let bands: Vec<Band> = (0..frame.depth.div_ceil(BAND))
            .into_par_iter()
            .with_max_len(1)
            .map(|b| {
                if made.load(Relaxed) > MAX_SPANS || stop.load(Relaxed) {
                    return Band { columns: Vec::new(), spans: Vec::new() };
                }
                if let Some(band) = kept.as_ref().and_then(|kept| kept.band(b)) {
                    made.fetch_add(band.spans.len(), Relaxed);
                    return band;
                }
                let mut scratch = pool.lock().map_or(None, |mut list| list.pop()).unwrap_or_else(new_scratch);
                let band = by_band.band(b, &frame, &mut scratch);
                if let Ok(mut list) = pool.lock() {
                    list.push(scratch);
                }
                made.fetch_add(band.spans.len(), Relaxed);
                band
            })
            .collect();
        let total = made.load(Relaxed);
        if total > MAX_SPANS {
            return Err(BakeError::TooManySpans(total));
        }
        let mut spans = Vec::with_capacity(total);
        let mut bases = Vec::with_capacity(bands.len());
        for band in &bands {
            bases.push(spans.len() as u32);
            spans.extend_from_slice(&band.spans);
        }
        let mut columns = vec![0; frame.cells() + 1];
        let parts = columns.par_chunks_mut(BAND * frame.width).zip(&bands).zip(&bases);
        parts.for_each(|((out, band), base)| out.iter_mut().zip(&band.columns).for_each(|(o, c)| *o = c + base));
        columns[frame.cells()] = total as u32;
        Ok(Self { frame, columns, spans })
    }
}

/// Rows of an earlier field that serve again.
#[derive(Clone, Copy)]
pub struct KeptRows<'a> {
    /// The field after its filters.
    pub field: &'a Heightfield,
    /// Areas of its spans before the filters.
    pub areas: &'a [u8],
    /// Boxes outside of which the triangles are the same, in the same order.
    pub changed: &'a [Aabb],
}

impl KeptRows<'_> {
    /// The rows of a band.
    fn rows(&self, band: usize) -> std::ops::Range<usize> {
        band * BAND..((band + 1) * BAND).min(self.field.frame.depth)
    }

    /// Whether triangles may have changed in a band.
    fn is_changed(&self, band: usize) -> bool {
        let (frame, rows) = (&self.field.frame, self.rows(band));
        // A row more on each side: what touches the edge of a cell may count for either.
        let row = |z: f32| (z - frame.origin.z) / frame.cell_size;
        let touches = |b: &Aabb| row(b.min.z) - 1.0 < rows.end as f32 && row(b.max.z) + 1.0 >= rows.start as f32;
        self.changed.iter().any(touches)
    }

    /// Per row, whether it and both rows beside it are as they were.
    pub fn is_inner(&self) -> Vec<bool> {
        let depth = self.field.frame.depth;
        let mut same = Vec::with_capacity(depth);
        for band in 0..depth.div_ceil(BAND) {
            let is_same = !self.is_changed(band);
            same.extend(self.rows(band).map(|_| is_same));
        }
        (0..depth).map(|z| same[z.saturating_sub(1)..(z + 2).min(depth)].iter().all(|is_same| *is_same)).collect()
    }

    /// The rows of a band as they were rasterized; `None` where triangles may have changed.
    fn band(&self, band: usize) -> Option<Band> {
        if self.is_changed(band) {
            return None;
        }
        let frame = &self.field.frame;
        let std::ops::Range { start: first, end } = self.rows(band);
        let columns = &self.field.columns[first * frame.width..=end * frame.width];
        let range = columns[0] as usize..columns[columns.len() - 1] as usize;
        let spans = self.field.spans[range.clone()].iter().zip(&self.areas[range]);
        Some(Band {
            columns: columns[..columns.len() - 1].iter().map(|start| start - columns[0]).collect(),
            spans: spans.map(|(span, area)| Span { area: *area, ..*span }).collect(),
        })
    }
}

/// Whether a triangle faces up, with a unit normal of at least this upward part. Degenerate triangles are not walkable.
pub fn is_walkable(t: &[Vec3; 3], min_up: f32) -> bool {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    n.y >= min_up * n.length() && n.y > 0.0
}

/// A triangle relative to the origin of the field, and its area.
struct LocalTriangle {
    corners: [Vec3; 3],
    area: u8,
}

/// All triangles, listed by the bands of rows that they touch.
struct TriangleBands {
    locals: Vec<LocalTriangle>,
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl TriangleBands {
    fn new(triangles: &[[Vec3; 3]], frame: &GridFrame, min_up: f32) -> Self {
        let mut locals: Vec<LocalTriangle> = triangles
            .par_iter()
            .map(|t| LocalTriangle {
                corners: t.map(|p| p - frame.origin),
                area: if is_walkable(t, min_up) { GROUND } else { UNWALKABLE },
            })
            .collect();
        // Triangles that coincide are one. Small ones are rasterized about as fast as they are looked up.
        let mut seen = HashSet::new();
        locals.retain(|s| {
            let (first, last) = rows(s, frame);
            last < first + BAND || seen.insert((triangle::corner_bits(&s.corners), s.area))
        });
        let bands = frame.depth.div_ceil(BAND);
        let touched = |s: &LocalTriangle| {
            let (a, b) = rows(s, frame);
            (a < frame.depth).then_some((a / BAND, b / BAND))
        };
        let mut starts = vec![0u32; bands + 1];
        for (a, b) in locals.iter().filter_map(touched) {
            starts[a + 1..=b + 1].iter_mut().for_each(|n| *n += 1);
        }
        for b in 0..bands {
            starts[b + 1] += starts[b];
        }
        let mut next = starts.clone();
        let mut members = vec![0u32; starts[bands] as usize];
        for (i, s) in locals.iter().enumerate() {
            if let Some((a, b)) = touched(s) {
                for n in &mut next[a..=b] {
                    members[*n as usize] = i as u32;
                    *n += 1;
                }
            }
        }
        Self { locals, starts, members }
    }

    /// Rasterizes the rows of one band.
    fn band(&self, band: usize, frame: &GridFrame, scratch: &mut BandScratch) -> Band {
        let members = &self.members[self.starts[band] as usize..self.starts[band + 1] as usize];
        let (base, end) = (band * BAND, ((band + 1) * BAND).min(frame.depth));
        for &m in members {
            let shape = &self.locals[m as usize];
            let (a, b) = rows(shape, frame);
            scratch.rasterize_triangle(shape, [base, a.max(base), b.min(end - 1)], frame);
        }
        scratch.columns.take((end - base) * frame.width)
    }
}

/// Scratch space of a thread.
struct BandScratch {
    columns: BandColumns,
    slices: SliceRasterizer,
    slice: ClipPolygon,
    rest: ClipPolygon,
    spare: ClipPolygon,
}

impl BandScratch {
    fn new(frame: &GridFrame, climb: u16, merge: SpanMerge) -> Self {
        let [slice, rest, spare] = [ClipPolygon::NONE; 3];
        let columns = BandColumns::new(BAND * frame.width, climb, merge);
        Self { columns, slices: SliceRasterizer::new(frame), slice, rest, spare }
    }

    /// Adds the spans of a triangle over the cells of rows `first` to `last` of the band that begins with row `base`.
    fn rasterize_triangle(&mut self, shape: &LocalTriangle, [base, first, last]: [usize; 3], frame: &GridFrame) {
        let Self { columns, slices, slice, rest, spare } = self;
        let (mut slice, mut rest, mut spare) = (slice, rest, spare);
        let mut rasterize = |slice: &ClipPolygon, row: usize| {
            let cells = (row - base) * frame.width;
            slices.rasterize(slice, shape.area, |x, span| columns.add(cells + x, span));
        };
        let cs = frame.cell_size;
        rest.set(&shape.corners);
        let (low, high) = rest.bounds();
        if low.z < first as f32 * cs {
            rest.split::<2>(first as f32 * cs, spare, slice);
            std::mem::swap(&mut rest, &mut slice);
        }
        for row in first..last {
            rest.split::<2>((row + 1) as f32 * cs, slice, spare);
            std::mem::swap(&mut rest, &mut spare);
            rasterize(slice, row);
        }
        let end = (last + 1) as f32 * cs;
        if high.z > end {
            rest.split::<2>(end, slice, spare);
            std::mem::swap(&mut rest, &mut slice);
        }
        rasterize(rest, last);
    }
}

/// First and last row that a triangle touches, clamped to the field.
fn rows(s: &LocalTriangle, frame: &GridFrame) -> (usize, usize) {
    let per_cell = 1.0 / frame.cell_size;
    let low = s.corners[0].z.min(s.corners[1].z).min(s.corners[2].z);
    let high = s.corners[0].z.max(s.corners[1].z).max(s.corners[2].z);
    ((low * per_cell) as usize, ((high * per_cell) as usize).min(frame.depth - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn settings() -> BakeSettings {
        BakeSettings { cell_size: 1.0, cell_height: 0.5, ..Default::default() }
    }

    fn triangle(p: [[f32; 3]; 3]) -> [Vec3; 3] {
        p.map(Vec3::from)
    }

    /// The heights over each cell by clipping the triangle to it: the reference.
    fn by_clipping(t: &[Vec3; 3], frame: &GridFrame) -> Vec<Option<(f32, f32)>> {
        let mut local = ClipPolygon::new(&t.map(|p| p - frame.origin));
        let mut out = vec![None; frame.cells()];
        let [mut row, mut cell, mut rest, mut none] = [ClipPolygon::NONE; 4];
        let at = |i: usize| i as f32 * frame.cell_size;
        for z in 0..frame.depth {
            let whole = local;
            whole.split::<2>(at(z + 1), &mut row, &mut local);
            for x in 0..frame.width {
                row.split::<0>(at(x), &mut none, &mut rest);
                rest.split::<0>(at(x + 1), &mut cell, &mut none);
                if !cell.is_empty() {
                    let (low, high) = cell.bounds();
                    out[z * frame.width + x] = Some((low.y, high.y));
                }
            }
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn r_5_rows_and_short_cuts_agree_with_cutting_each_cell(p in proptest::array::uniform9(0.0f32..12.0)) {
            let t = triangle([[p[0], p[1], p[2]], [p[3], p[4], p[5]], [p[6], p[7], p[8]]]);
            let field = Heightfield::rasterize(&[t], &settings(), 1, &AtomicBool::new(false)).unwrap();
            for (cell, expected) in by_clipping(&t, &field.frame).into_iter().enumerate() {
                let spans = &field.spans[field.column(cell)];
                prop_assert!(spans.len() <= 1);
                match (expected, spans.first()) {
                    (Some((low, high)), Some(s)) => {
                        let (bottom, top) = (f32::from(s.bottom) * 0.5, f32::from(s.top) * 0.5);
                        prop_assert!(bottom <= low + 1e-3 && low < bottom + 0.501, "{low} {bottom}");
                        prop_assert!(top >= high - 1e-3 && high > top - 0.501 || top - bottom == 0.5, "{high} {top}");
                    }
                    (None, None) => {}
                    // A sliver that rounding may or may not leave.
                    (Some(_), None) | (None, Some(_)) => {
                        let frame = &field.frame;
                        let (x, z) = ((cell % frame.width) as f32, (cell / frame.width) as f32);
                        let local = t.map(|p| p - frame.origin);
                        let depth = (0..3).map(|i| {
                            let (a, b) = (local[i], local[(i + 1) % 3]);
                            let n = Vec3::new(b.z - a.z, 0.0, a.x - b.x).normalize_or_zero();
                            let sign = if (local[(i + 2) % 3] - a).dot(n) < 0.0 { -1.0 } else { 1.0 };
                            let reach = [(x, z), (x + 1.0, z), (x, z + 1.0), (x + 1.0, z + 1.0)].into_iter()
                                .map(|(x, z)| sign * (Vec3::new(x, 0.0, z) - a).dot(n)).fold(f32::MIN, f32::max);
                            reach.abs()
                        }).fold(f32::MAX, f32::min);
                        prop_assert!(depth < 1e-3, "cell {cell}: {expected:?} {spans:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn r_4_the_slope_decides_and_undersides_are_not_ground() {
        let ramp = |rise: f32| triangle([[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, rise, 0.0]]);
        let cos = 45f32.to_radians().cos();
        assert!(is_walkable(&ramp(3.9), cos) && !is_walkable(&ramp(4.1), cos));
        let mut under = ramp(0.0);
        under.swap(0, 1);
        assert!(!is_walkable(&under, cos));
        assert!(!is_walkable(&[Vec3::ZERO; 3], cos));
    }

    #[test]
    fn r_8_vertical_and_degenerate_triangles_are_rasterized() {
        let wall = triangle([[2.0, 0.0, 0.0], [2.0, 3.0, 0.0], [2.0, 0.0, 5.0]]);
        let floor = triangle([[0.0, 0.0, 0.0], [0.0, 0.0, 5.0], [5.0, 0.0, 0.0]]);
        let field = Heightfield::rasterize(&[floor, wall], &settings(), 1, &AtomicBool::new(false)).unwrap();
        let tall = field.spans.iter().filter(|s| s.top > 1).count();
        assert!(tall >= 5, "{tall}");
        for t in [[Vec3::ZERO; 3], [Vec3::ZERO, Vec3::X, Vec3::X], [Vec3::ZERO, Vec3::Y, Vec3::Y * 2.0]] {
            let field = Heightfield::rasterize(&[t, floor], &settings(), 1, &AtomicBool::new(false)).unwrap();
            assert!(field.spans.len() >= 15);
        }
    }

    #[test]
    fn bad_input_is_an_error() {
        let t = triangle([[0.0, 0.0, 0.0], [0.0, 0.0, 5.0], [5.0, 0.0, 0.0]]);
        let run =
            |t: &[[Vec3; 3]]| Heightfield::rasterize(t, &settings(), 1, &AtomicBool::new(false)).map(|f| f.spans.len());
        assert!(matches!(run(&[]), Err(BakeError::Empty)));
        let mut bad = t;
        bad[1].z = f32::NAN;
        assert!(matches!(run(&[t, bad]), Err(BakeError::NotFinite(1))));
        for p in [Vec3::X * 1e30, Vec3::X * f32::MAX, Vec3::Y * 1e9, Vec3::new(1e5, 0.0, 1e5)] {
            bad[1] = p;
            assert!(matches!(run(&[t, bad]), Err(BakeError::TooLarge { .. })), "{p}");
        }
    }

    #[test]
    fn large_triangles_that_coincide_are_one() {
        let t = triangle([[0.0, 0.0, 0.0], [0.0, 2.0, 40.0], [40.0, 1.0, 0.0]]);
        // The same from another corner, seen from below, and another one.
        let [turned, below, other] = [[t[1], t[2], t[0]], [t[0], t[2], t[1]], [t[0], t[1], t[2] + Vec3::X]];
        let many = [vec![t; 1000], vec![turned, below, other, below]].concat();
        let frame = GridFrame::around(&many, &settings()).unwrap();
        let bands = TriangleBands::new(&many, &frame, 0.7);
        assert_eq!(bands.locals.len(), 3);
        let spans = |list: &[_]| Heightfield::rasterize(list, &settings(), 1, &AtomicBool::new(false)).unwrap().spans;
        assert_eq!(spans(&many), spans(&[t, below, other]));
    }

    #[test]
    fn many_triangles_over_one_row_are_squeezed() {
        let t = triangle([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [300.0, 0.0, 0.0]]);
        let many = vec![t; 1500];
        let (one, all) = (&Heightfield::rasterize(&[t], &settings(), 1, &AtomicBool::new(false)).unwrap(), many);
        assert_eq!(Heightfield::rasterize(&all, &settings(), 1, &AtomicBool::new(false)).unwrap().spans, one.spans);
    }

    #[test]
    fn r_4_triangles_are_walkable_from_above_and_up_to_the_slope() {
        for angle in [10.0_f32, 30.0, 44.0, 46.0, 60.0] {
            let rise = 6.0 * angle.to_radians().tan();
            let ramp = triangle([[0.0, 0.0, 0.0], [0.0, rise, 6.0], [4.0, rise, 6.0]]);
            assert_eq!(is_walkable(&ramp, 45_f32.to_radians().cos()), angle < 45.0);
            assert!(!is_walkable(&[ramp[0], ramp[2], ramp[1]], 0.1), "seen from below");
        }
    }

    #[test]
    fn r_4_a_slope_at_the_limit_is_walkable_as_it_is_without_voxels() {
        let limit = 45_f32.to_radians();
        for size in (1..200).map(|i| i as f32 * 0.37) {
            let ramp = triangle([[0.0, 0.0, 0.0], [0.0, size, size], [4.0, size, size]]);
            let normal = crate::math::triangle::normal(&ramp).unwrap();
            assert!(is_walkable(&ramp, triangle::min_up(limit)), "{size} m, baked");
            assert!(crate::nav::mesh::from_level::is_walkable(normal, limit), "{size} m, of the level's triangles");
        }
    }
}
