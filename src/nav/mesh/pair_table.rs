//! A table of ordered pairs of numbers, such as the ends of edges, that is built once.

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
    /// The table of a list of pairs whose numbers are below `count`.
    pub fn new(count: usize, pairs: impl Iterator<Item = [u32; 2]> + Clone) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for [first, _] in pairs.clone() {
            starts[first as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut entries = vec![PairEntry { second: 0, position: 0 }; starts[count] as usize];
        // Filling moves every start to where the next one's entries begin.
        for (position, [first, second]) in (0..).zip(pairs) {
            let next = &mut starts[first as usize];
            entries[*next as usize] = PairEntry { second, position };
            *next += 1;
        }
        starts.pop();
        starts.insert(0, 0);
        for ends in starts.windows(2) {
            entries[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_in_the_order_of_their_list() {
        let pairs = [[2, 1], [0, 3], [2, 1], [2, 0], [3, 3]];
        let table = PairTable::new(4, pairs.into_iter());
        let found = |pair| table.find(pair).collect::<Vec<u32>>();
        assert_eq!(
            [found([2, 1]), found([2, 0]), found([0, 3]), found([3, 3])],
            [vec![0, 2], vec![3], vec![1], vec![4]]
        );
        assert!(found([1, 2]).is_empty() && found([0, 0]).is_empty());
        assert_eq!(PairTable::new(1, [].into_iter()).find([0, 0]).len(), 0);
    }
}
