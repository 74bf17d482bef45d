//! Free lists: ranges of an array that can be reused, so that changes do not grow it without bound.

/// Free ranges of one array, by length.
#[derive(Clone, Debug, Default)]
pub(in crate::nav) struct FreeList(Vec<Vec<u32>>);

impl FreeList {
    /// Allocates `count` elements: the first of the shortest free range that fits, else past the `len` elements of the
    /// array. Returns the first index.
    pub(in crate::nav) fn allocate(&mut self, count: usize, len: usize) -> u32 {
        let longer = (count..self.0.len()).find(|&length| length > 0 && !self.0[length].is_empty());
        let Some((length, first)) = longer.filter(|_| count > 0).and_then(|l| Some((l, self.0[l].pop()?))) else {
            return len as u32;
        };
        self.release(first + count as u32, length - count);
        first
    }

    /// Releases a range.
    pub(in crate::nav) fn release(&mut self, first: u32, count: usize) {
        if count > 0 {
            if self.0.len() <= count {
                self.0.resize(count + 1, Vec::new());
            }
            self.0[count].push(first);
        }
    }
}

/// Writes an element or appends it right behind the last.
pub(in crate::nav) fn put<T>(list: &mut Vec<T>, at: u32, value: T) {
    match list.get_mut(at as usize) {
        Some(place) => *place = value,
        None => list.push(value),
    }
}
