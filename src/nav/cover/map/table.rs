//! The table behind a cover map: rows of one length, two bytes an entry where that is enough.

/// Rows of numbers below a limit.
#[derive(Clone, Debug)]
pub(super) struct Table {
    capacity: usize,
    rows: usize,
    cells: Cells,
}

#[derive(Clone, Debug)]
enum Cells {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl Table {
    /// Empty rows for numbers below `limit`.
    pub(super) fn new(rows: usize, capacity: usize, limit: usize) -> Self {
        let size = rows.saturating_mul(capacity);
        let narrow = limit <= usize::from(u16::MAX);
        let cells = if narrow { Cells::Narrow(vec![u16::MAX; size]) } else { Cells::Wide(vec![u32::MAX; size]) };
        Self { capacity, rows, cells }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn bytes(&self) -> usize {
        match &self.cells {
            Cells::Narrow(c) => size_of_val(&c[..]),
            Cells::Wide(c) => size_of_val(&c[..]),
        }
    }

    fn cell(&self, i: usize) -> Option<u32> {
        match &self.cells {
            Cells::Narrow(c) => Some(c[i]).filter(|&v| v != u16::MAX).map(u32::from),
            Cells::Wide(c) => Some(c[i]).filter(|&v| v != u32::MAX),
        }
    }

    /// The numbers of a row.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        let first = row * self.capacity;
        (first..first + self.capacity).map_while(|i| self.cell(i))
    }

    /// Replaces a row; what exceeds its length is dropped.
    pub(super) fn set(&mut self, row: usize, numbers: &[u32]) {
        let first = row * self.capacity;
        for i in 0..self.capacity {
            let number = numbers.get(i).copied();
            match &mut self.cells {
                Cells::Narrow(c) => c[first + i] = number.map_or(u16::MAX, |n| n as u16),
                Cells::Wide(c) => c[first + i] = number.unwrap_or(u32::MAX),
            }
        }
    }

    /// The rows that hold a number.
    pub(super) fn rows_with(&self, number: u32) -> Vec<usize> {
        let cells = self.rows * self.capacity;
        let mut found: Vec<usize> = match &self.cells {
            Cells::Narrow(c) => (0..cells).filter(|&i| u32::from(c[i]) == number).map(|i| i / self.capacity).collect(),
            Cells::Wide(c) => (0..cells).filter(|&i| c[i] == number).map(|i| i / self.capacity).collect(),
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
            let mut t = Table::new(10, 3, limit);
            assert_eq!(t.bytes(), 10 * 3 * bytes);
            t.set(4, &[7, limit as u32 - 1, 2, 1]);
            t.set(9, &[7]);
            assert_eq!(t.row(4).collect::<Vec<_>>(), [7, limit as u32 - 1, 2], "never more than its capacity");
            assert_eq!((t.row(9).count(), t.row(0).count()), (1, 0));
            assert_eq!((t.rows_with(7), t.rows_with(2), t.rows_with(9)), (vec![4, 9], vec![4], vec![]));
        }
        assert_eq!(Table::new(5, 0, 9).row(3).count(), 0);
    }
}
