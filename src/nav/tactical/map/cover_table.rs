//! The table of a cover map: one row of cover ids per polygon, two bytes an entry where the ids fit.

/// Rows of ids below a limit, all of one capacity.
#[derive(Clone, Debug)]
pub(super) struct CoverTable {
    capacity: usize,
    rows: usize,
    ids: PackedIds,
}

#[derive(Clone, Debug)]
enum PackedIds {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl CoverTable {
    /// Empty rows for ids below `limit`.
    pub(super) fn new(rows: usize, capacity: usize, limit: usize) -> Self {
        let size = rows.saturating_mul(capacity);
        let narrow = limit <= usize::from(u16::MAX);
        let ids = if narrow { PackedIds::Narrow(vec![u16::MAX; size]) } else { PackedIds::Wide(vec![u32::MAX; size]) };
        Self { capacity, rows, ids }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn bytes(&self) -> usize {
        match &self.ids {
            PackedIds::Narrow(c) => size_of_val(&c[..]),
            PackedIds::Wide(c) => size_of_val(&c[..]),
        }
    }

    fn cell(&self, i: usize) -> Option<u32> {
        match &self.ids {
            PackedIds::Narrow(c) => Some(c[i]).filter(|&v| v != u16::MAX).map(u32::from),
            PackedIds::Wide(c) => Some(c[i]).filter(|&v| v != u32::MAX),
        }
    }

    /// The ids of a row.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        let first = row * self.capacity;
        (first..first + self.capacity).map_while(|i| self.cell(i))
    }

    /// Replaces a row; ids beyond the capacity are dropped.
    pub(super) fn set(&mut self, row: usize, numbers: &[u32]) {
        let first = row * self.capacity;
        for i in 0..self.capacity {
            let number = numbers.get(i).copied();
            match &mut self.ids {
                PackedIds::Narrow(c) => c[first + i] = number.map_or(u16::MAX, |n| n as u16),
                PackedIds::Wide(c) => c[first + i] = number.unwrap_or(u32::MAX),
            }
        }
    }

    /// Indices of the rows that hold an id.
    pub(super) fn rows_with(&self, number: u32) -> Vec<usize> {
        let cells = self.rows * self.capacity;
        let mut found: Vec<usize> = match &self.ids {
            PackedIds::Narrow(c) => {
                (0..cells).filter(|&i| u32::from(c[i]) == number).map(|i| i / self.capacity).collect()
            }
            PackedIds::Wide(c) => (0..cells).filter(|&i| c[i] == number).map(|i| i / self.capacity).collect(),
        };
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tp_03_the_table_takes_two_or_four_bytes_an_entry() {
        for (limit, bytes) in [(65_535, 2), (65_536, 4)] {
            let mut t = CoverTable::new(10, 3, limit);
            assert_eq!(t.bytes(), 10 * 3 * bytes);
            t.set(4, &[7, limit as u32 - 1, 2, 1]);
            t.set(9, &[7]);
            assert_eq!(t.row(4).collect::<Vec<_>>(), [7, limit as u32 - 1, 2], "never more than its capacity");
            assert_eq!((t.row(9).count(), t.row(0).count()), (1, 0));
            assert_eq!((t.rows_with(7), t.rows_with(2), t.rows_with(9)), (vec![4, 9], vec![4], vec![]));
        }
        assert_eq!(CoverTable::new(5, 0, 9).row(3).count(), 0);
    }
}
