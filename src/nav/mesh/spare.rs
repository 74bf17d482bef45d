//! Places of arrays that are free again, so that what comes and goes does not make them longer and longer.

/// Free runs of places of one array, by their lengths.
#[derive(Clone, Debug, Default)]
pub(in crate::nav) struct Spare(Vec<Vec<u32>>);

impl Spare {
    /// Where a run of `count` places begins: free ones, those of a longer run its first, else behind the `len` that
    /// the array has.
    pub(in crate::nav) fn place(&mut self, count: usize, len: usize) -> u32 {
        let longer = (count..self.0.len()).find(|&length| length > 0 && !self.0[length].is_empty());
        let Some((length, first)) = longer.filter(|_| count > 0).and_then(|l| Some((l, self.0[l].pop()?))) else {
            return len as u32;
        };
        self.give(first + count as u32, length - count);
        first
    }

    /// Takes back a run of places.
    pub(in crate::nav) fn give(&mut self, first: u32, count: usize) {
        if count > 0 {
            if self.0.len() <= count {
                self.0.resize(count + 1, Vec::new());
            }
            self.0[count].push(first);
        }
    }
}

/// Writes to a place of an array or right behind its last.
pub(in crate::nav) fn put<T>(list: &mut Vec<T>, at: u32, value: T) {
    match list.get_mut(at as usize) {
        Some(place) => *place = value,
        None => list.push(value),
    }
}
