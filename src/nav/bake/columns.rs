//! Builds the columns of a band of rows from the spans that triangles cover in its cells (Recast's `addSpan`).

use super::heightfield::Span;
use super::settings::SpanMerge;

/// The columns of a few rows.
pub struct Band {
    /// First span of each column.
    pub columns: Vec<u32>,
    /// The spans of all columns.
    pub spans: Vec<Span>,
}

/// Spans of a list that are looked through for the place of another; columns of towers are kept in order by searching.
const MAX_LISTED: u32 = 16;

/// The columns of a band under construction: linked lists, from low to high, in one pool of nodes.
pub struct BandColumns {
    rule: MergeRule,
    columns: usize,
    /// The lowest span of each column, in its place whether there is one or not; then further spans.
    nodes: Vec<SpanNode>,
    /// A list of nodes to use again; those of merged spans.
    free: u32,
    /// The spans of columns with many, from low to high. Their node is without a span and leads here.
    tall: Vec<Vec<Span>>,
}

/// How spans that touch become one.
#[derive(Clone, Copy)]
struct MergeRule {
    climb: u16,
    merge: SpanMerge,
}

/// A span and the one above it.
#[derive(Clone, Copy)]
struct SpanNode {
    span: Span,
    next: u32,
}

/// Ends a list of nodes.
const END: u32 = u32::MAX;

impl SpanNode {
    /// Of a column without spans in a list.
    const NONE: Self = Self { span: Span { bottom: 0, top: 0, area: 0 }, next: END };

    fn is_none(self) -> bool {
        self.span.top == 0
    }
}

impl BandColumns {
    /// For `columns` columns; `climb` as in [`add`](Self::add).
    pub fn new(columns: usize, climb: u16, merge: SpanMerge) -> Self {
        let rule = MergeRule { climb, merge };
        Self { rule, columns, nodes: vec![SpanNode::NONE; columns], free: END, tall: Vec::new() }
    }

    /// Adds a span to a column, merged with all spans that it touches. Where the merged tops differ by at most `climb`,
    /// `merge` selects the area; otherwise the area is the added span's, or the other's if that is higher and `merge`
    /// prefers it.
    #[inline]
    pub fn add(&mut self, column: usize, span: Span) {
        let mut at = column;
        let mut node = self.nodes[at];
        if node.is_none() {
            match self.tall.get_mut(node.next as usize) {
                Some(spans) => self.rule.add(spans, span),
                None => self.nodes[at].span = span,
            }
            return;
        }
        let mut passed = 0;
        while node.span.top < span.bottom {
            if node.next == END {
                self.nodes[at].next = self.node(SpanNode { span, next: END });
                return;
            }
            passed += 1;
            if passed == MAX_LISTED {
                self.rule.add(self.list(column), span);
                return;
            }
            at = node.next as usize;
            node = self.nodes[at];
        }
        if node.span.bottom > span.top {
            self.nodes[at] = SpanNode { span, next: self.node(node) };
            return;
        }
        let mut span = self.rule.merged(span, node.span);
        while node.next != END {
            let above = self.nodes[node.next as usize];
            if above.span.bottom > span.top {
                break;
            }
            span = self.rule.merged(span, above.span);
            self.nodes[node.next as usize].next = self.free;
            self.free = node.next;
            node.next = above.next;
        }
        self.nodes[at] = SpanNode { span, next: node.next };
    }

    /// Moves the spans of a column out of its list.
    #[cold]
    fn list(&mut self, column: usize) -> &mut Vec<Span> {
        let mut node =
            std::mem::replace(&mut self.nodes[column], SpanNode { next: self.tall.len() as u32, ..SpanNode::NONE });
        let mut spans = vec![node.span];
        while node.next != END {
            let index = node.next;
            node = self.nodes[index as usize];
            spans.push(node.span);
            self.nodes[index as usize].next = std::mem::replace(&mut self.free, index);
        }
        self.tall.push(spans);
        let last = self.tall.len() - 1;
        &mut self.tall[last]
    }

    /// Stores a node.
    #[inline]
    fn node(&mut self, node: SpanNode) -> u32 {
        if self.free == END {
            self.nodes.push(node);
            return (self.nodes.len() - 1) as u32;
        }
        let index = self.free;
        self.free = std::mem::replace(&mut self.nodes[index as usize], node).next;
        index
    }

    /// Takes the spans of the first `count` columns, which are all that have any.
    pub fn take(&mut self, count: usize) -> Band {
        let mut spans = Vec::with_capacity(self.nodes.len());
        let columns = self.nodes[..count].iter().map(|first| {
            let start = spans.len() as u32;
            if first.is_none() {
                spans.extend(self.tall.get(first.next as usize).into_iter().flatten());
            } else {
                spans.push(first.span);
                let mut next = first.next;
                while next != END {
                    let node = self.nodes[next as usize];
                    spans.push(node.span);
                    next = node.next;
                }
            }
            start
        });
        let columns = columns.collect();
        self.nodes.truncate(self.columns);
        self.nodes.fill(SpanNode::NONE);
        self.free = END;
        self.tall.clear();
        Band { columns, spans }
    }
}

impl MergeRule {
    /// Adds a span to a column, from low to high, as [`BandColumns::add`].
    fn add(self, column: &mut Vec<Span>, mut span: Span) {
        // Most come from low to high.
        let is_last = column.last().is_none_or(|last| last.top < span.bottom);
        let first = if is_last { column.len() } else { column.partition_point(|other| other.top < span.bottom) };
        let touched = column[first..].iter().take_while(|other| other.bottom <= span.top).count();
        // Spans of a column do not touch each other: one that is merged brings no other within reach.
        for other in &column[first..first + touched] {
            span = self.merged(span, *other);
        }
        if touched == 0 {
            column.insert(first, span);
        } else {
            column[first] = span;
            column.drain(first + 1..first + touched);
        }
    }

    /// A span that has been added to another.
    #[inline]
    fn merged(self, span: Span, other: Span) -> Span {
        let top = span.top.max(other.top);
        let area = match self.merge {
            SpanMerge::LargerArea if top - other.top <= self.climb => span.area.max(other.area),
            SpanMerge::LargerArea => span.area,
            SpanMerge::Higher if other.top == span.top => span.area.max(other.area),
            SpanMerge::Higher if other.top > span.top => other.area,
            SpanMerge::Higher => span.area,
        };
        Span { bottom: span.bottom.min(other.bottom), top, area }
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
            let mut columns = BandColumns::new(1, 2, merge);
            spans.iter().for_each(|&x| columns.add(0, x));
            columns.take(1).spans
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
            let mut columns = BandColumns::new(1, 4, merge);
            for s in [span(0, 5, GROUND), span(water, water + 1, 10)] {
                columns.add(0, s);
            }
            let spans = columns.take(1).spans;
            assert_eq!(spans.len(), 1);
            spans[0].area
        };
        assert_eq!((joined(SpanMerge::LargerArea, 5), joined(SpanMerge::LargerArea, 3)), (10, 10));
        assert_eq!((joined(SpanMerge::Higher, 5), joined(SpanMerge::Higher, 3)), (10, GROUND));
    }

    #[test]
    fn r_7_columns_taken_leave_none_behind() {
        let s = |bottom, top| Span { bottom, top, area: GROUND };
        let mut columns = BandColumns::new(3, 2, SpanMerge::LargerArea);
        for _ in 0..2 {
            for (at, span) in [(2, s(5, 6)), (0, s(8, 9)), (2, s(1, 2)), (2, s(3, 4)), (0, s(4, 5))] {
                columns.add(at, span);
            }
            let Band { columns: starts, spans } = columns.take(3);
            assert_eq!(
                (starts, &spans[..2], &spans[2..]),
                (vec![0, 2, 2], &[s(4, 5), s(8, 9)][..], &[s(1, 2), s(3, 4), s(5, 6)][..])
            );
        }
    }

    #[test]
    fn columns_of_towers_leave_their_lists() {
        for merge in [SpanMerge::LargerArea, SpanMerge::Higher] {
            let mut columns = BandColumns::new(2, 2, merge);
            let (mut expected, mut seed) = ([Vec::new(), Vec::new()], 7_u32);
            for i in 0..4000 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let (bottom, thick) = ((seed >> 8) % 20_000, 1 + (seed >> 24) % 6);
                let span = Span { bottom: bottom as u16, top: (bottom + thick) as u16, area: (seed >> 30) as u8 };
                columns.add(i % 2, span);
                columns.rule.add(&mut expected[i % 2], span);
            }
            assert!(columns.nodes.len() < 200, "{}", columns.nodes.len());
            assert!(expected.iter().all(|column| column.len() > 1000));
            let Band { columns: starts, spans } = columns.take(2);
            assert_eq!((starts, spans), (vec![0, expected[0].len() as u32], expected.concat()));
        }
    }

    #[test]
    fn merged_spans_leave_their_room_to_others() {
        let mut columns = BandColumns::new(1, 2, SpanMerge::LargerArea);
        for _ in 0..100 {
            (0..8).for_each(|i| columns.add(0, Span { bottom: 3 * i, top: 3 * i + 1, area: GROUND }));
            columns.add(0, Span { bottom: 0, top: 30, area: GROUND });
        }
        assert!(columns.nodes.len() <= 9, "{}", columns.nodes.len());
    }
}
