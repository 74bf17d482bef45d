//! A table of ordered pairs of numbers, such as the ends of edges, that is built once.

use rayon::prelude::*;
use std::ops::Range;

/// Pairs from which on several threads build a table.
const MIN_SHARED: usize = 1 << 16;
/// Most threads that do: each looks at all pairs.
const MAX_PARTS: usize = 8;

/// Positions of ordered pairs of small numbers in a list of them, by pair.
#[derive(Clone, Debug, Default)]
pub(in crate::nav) struct PairTable {
    /// Per first number, where its entries begin; then where the last ones end.
    starts: Vec<u32>,
    /// By first number, then by second, then by position.
    entries: Vec<PairEntry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PairEntry {
    second: u32,
    position: u32,
}

impl PairTable {
    /// The table of `total` pairs of numbers below `count`, by their positions. Each thread files the pairs with some of the
    /// first numbers.
    pub fn new(count: usize, total: u32, pair: impl Fn(u32) -> [u32; 2] + Sync) -> Self {
        let threads = if (total as usize) < MIN_SHARED { 1 } else { rayon::current_num_threads().min(MAX_PARTS) };
        let size = count.div_ceil(threads).max(1);
        let firsts = |part: usize| (part * size).min(count)..((part + 1) * size).min(count);
        let mut starts = vec![0_u32; count + 1];
        starts[..count].par_chunks_mut(size).enumerate().for_each(|(part, counts)| {
            each_from(total, &pair, firsts(part), |first, _| counts[first] += 1);
        });
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        let mut entries = vec![PairEntry { second: 0, position: 0 }; total as usize];
        let mut rest = &mut entries[..];
        let parts = count.div_ceil(size);
        let own: Vec<_> = (0..parts)
            .map(|part| {
                let firsts = firsts(part);
                let (own, others) =
                    std::mem::take(&mut rest).split_at_mut((starts[firsts.end] - starts[firsts.start]) as usize);
                rest = others;
                own
            })
            .collect();
        own.into_par_iter().enumerate().for_each(|(part, own)| {
            let starts = &starts[firsts(part).start..=firsts(part).end];
            let mut next: Vec<u32> = starts.iter().map(|start| start - starts[0]).collect();
            each_from(total, &pair, firsts(part), |first, entry| {
                own[next[first] as usize] = entry;
                next[first] += 1;
            });
            for ends in starts.windows(2) {
                own[(ends[0] - starts[0]) as usize..(ends[1] - starts[0]) as usize].sort_unstable();
            }
        });
        Self { starts, entries }
    }

    /// The positions of a pair, ascending.
    pub fn find(&self, [first, second]: [u32; 2]) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        let own = &self.entries[self.starts[first as usize] as usize..self.starts[first as usize + 1] as usize];
        let begin = own.partition_point(|entry| entry.second < second);
        let end = begin + own[begin..].partition_point(|entry| entry.second == second);
        own[begin..end].iter().map(|entry| entry.position)
    }
}

/// Calls `f` with the pairs whose first number lies in a range, and with how far it lies from the begin of that.
fn each_from(total: u32, pair: &impl Fn(u32) -> [u32; 2], firsts: Range<usize>, mut f: impl FnMut(usize, PairEntry)) {
    for position in 0..total {
        let [first, second] = pair(position);
        if firsts.contains(&(first as usize)) {
            f(first as usize - firsts.start, PairEntry { second, position });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_in_the_order_of_their_list() {
        let pairs = [[2, 1], [0, 3], [2, 1], [2, 0], [3, 3]];
        let table = PairTable::new(4, pairs.len() as u32, |position| pairs[position as usize]);
        let found = |pair| table.find(pair).collect::<Vec<u32>>();
        assert_eq!(
            [found([2, 1]), found([2, 0]), found([0, 3]), found([3, 3])],
            [vec![0, 2], vec![3], vec![1], vec![4]]
        );
        assert!(found([1, 2]).is_empty() && found([0, 0]).is_empty());
        let many = |position: u32| [position * 7 % 1000, position % 13];
        let table = PairTable::new(1000, 100_000, many);
        let expected: Vec<u32> = (0..100_000).filter(|&position| many(position) == [14, 2]).collect();
        assert!(!expected.is_empty() && table.find([14, 2]).eq(expected), "by several threads");
        assert_eq!(PairTable::new(1, 0, |_| [0, 0]).find([0, 0]).len(), 0);
    }
}
