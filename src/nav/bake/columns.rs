//! Builds the columns of a row from the spans that triangles cover in its cells (Recast's `addSpan`).

use super::heightfield::Span;
use super::settings::SpanMerge;

/// The part of a column that one triangle covers.
#[derive(Clone, Copy)]
pub struct CellSpan {
    /// Index of the cell in its row.
    pub x: u16,
    /// The covered heights.
    pub span: Span,
}

/// The columns of a few rows.
pub struct Band {
    /// First span of each column.
    pub columns: Vec<u32>,
    /// The spans of all columns.
    pub spans: Vec<Span>,
}

/// Sorts the spans of a row into columns and merges those that touch.
pub struct ColumnBuilder {
    climb: u16,
    merge: SpanMerge,
    starts: Vec<u32>,
    sorted: Vec<Span>,
    column: Vec<Span>,
}

impl ColumnBuilder {
    /// For rows of `width` cells; `climb` as in [`add_span`].
    pub fn new(width: usize, climb: u16, merge: SpanMerge) -> Self {
        Self { climb, merge, starts: vec![0; width + 1], sorted: Vec::new(), column: Vec::new() }
    }

    /// Counting sort by cell; stable within a column.
    fn sort(&mut self, spans: &[CellSpan]) {
        self.starts.fill(0);
        for p in spans {
            self.starts[p.x as usize + 1] += 1;
        }
        let mut sum = 0;
        for s in &mut self.starts {
            sum += *s;
            *s = sum;
        }
        self.sorted.resize(spans.len().max(self.sorted.len()), Span::default());
        for p in spans {
            let at = &mut self.starts[p.x as usize];
            self.sorted[*at as usize] = p.span;
            *at += 1;
        }
    }

    /// Appends the columns of a row.
    pub fn finish(&mut self, spans: &[CellSpan], out: &mut Band) {
        self.sort(spans);
        let mut start = 0;
        let Self { starts, sorted, column, climb, merge } = self;
        // Sorting has advanced each start to the end of its column.
        out.columns.extend(starts[..starts.len() - 1].iter().map(|&end| {
            let first = out.spans.len() as u32;
            let end = end as usize;
            if end == start + 1 {
                out.spans.push(sorted[start]);
            } else if end > start {
                column.clear();
                for &span in &sorted[start..end] {
                    add_span(column, span, *climb, *merge);
                }
                out.spans.extend_from_slice(column);
            }
            start = end;
            first
        }));
    }

    /// Replaces the spans by their merged columns, which bounds the memory of rows under many triangles.
    pub fn compact(&mut self, spans: &mut Vec<CellSpan>) {
        let mut band = Band { columns: Vec::new(), spans: Vec::new() };
        self.finish(spans, &mut band);
        spans.clear();
        band.columns.push(band.spans.len() as u32);
        for (x, w) in band.columns.windows(2).enumerate() {
            spans.extend(band.spans[w[0] as usize..w[1] as usize].iter().map(|&span| CellSpan { x: x as u16, span }));
        }
    }
}

/// Adds a span to a column (low to high), merged with all spans that it touches. Where the merged tops differ by at
/// most `climb`, `merge` selects the area; otherwise the area is the added span's, or the other's if that is higher
/// and `merge` prefers it.
pub fn add_span(column: &mut Vec<Span>, mut span: Span, climb: u16, merge: SpanMerge) {
    // Most come from low to high.
    let is_last = column.last().is_none_or(|last| last.top < span.bottom);
    let first = if is_last { column.len() } else { column.partition_point(|other| other.top < span.bottom) };
    let mut end = first;
    while end < column.len() && column[end].bottom <= span.top {
        let other = column[end];
        let top = span.top.max(other.top);
        span.area = match merge {
            SpanMerge::LargerArea if top - other.top <= climb => span.area.max(other.area),
            SpanMerge::LargerArea => span.area,
            SpanMerge::Higher if other.top == span.top => span.area.max(other.area),
            SpanMerge::Higher if other.top > span.top => other.area,
            SpanMerge::Higher => span.area,
        };
        span.top = top;
        span.bottom = span.bottom.min(other.bottom);
        end += 1;
    }
    if end == first {
        column.insert(first, span);
        return;
    }
    column[first] = span;
    if end > first + 1 {
        column.copy_within(end.., first + 1);
        column.truncate(column.len() - (end - first - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::super::heightfield::GROUND;
    use super::*;

    #[test]
    fn r_7_the_larger_area_wins_within_a_step_by_default() {
        let s = |bottom, top, area| Span { bottom, top, area };
        let add = |spans: &[Span], merge| {
            let mut column = Vec::new();
            spans.iter().for_each(|&x| add_span(&mut column, x, 2, merge));
            column
        };
        let (ground, water) = (s(0, 5, 1), s(4, 6, 0));
        assert_eq!(add(&[ground, water], SpanMerge::LargerArea), [s(0, 6, 1)]);
        assert_eq!(add(&[water, ground], SpanMerge::LargerArea), [s(0, 6, 1)]);
        assert_eq!(add(&[ground, water], SpanMerge::Higher), [s(0, 6, 0)]);
        assert_eq!(add(&[water, ground], SpanMerge::Higher), [s(0, 6, 0)]);
        // Too far apart: the area of the added span stays.
        assert_eq!(add(&[ground, s(5, 9, 0)], SpanMerge::LargerArea), [s(0, 9, 0)]);
        // A span may merge several others, and the column stays ordered.
        assert_eq!(add(&[s(8, 9, 0), s(0, 1, 1), s(3, 4, 1), s(1, 3, 0)], SpanMerge::Higher), [s(0, 4, 1), s(8, 9, 0)]);
    }

    #[test]
    fn r_7_water_beats_ground_unless_the_higher_is_asked_for() {
        // A sheet of water (area 9) a hand over the ground, and the same below it.
        let span = |bottom, top, area| Span { bottom, top, area };
        let joined = |merge, water: u16| {
            let mut column = Vec::new();
            for s in [span(0, 5, GROUND), span(water, water + 1, 10)] {
                add_span(&mut column, s, 4, merge);
            }
            assert_eq!(column.len(), 1);
            column[0].area
        };
        assert_eq!((joined(SpanMerge::LargerArea, 5), joined(SpanMerge::LargerArea, 3)), (10, 10));
        assert_eq!((joined(SpanMerge::Higher, 5), joined(SpanMerge::Higher, 3)), (10, GROUND));
    }
}
