//! A 4-ary heap of numbered keys, the smallest first.

/// The heap: one flat array.
#[derive(Debug, Default)]
pub(super) struct Heap {
    items: Vec<(f64, u32)>,
}

impl Heap {
    pub(super) fn clear(&mut self) {
        self.items.clear();
    }

    /// The smallest key, infinite when the heap is empty.
    #[inline]
    pub(super) fn least(&self) -> f64 {
        self.items.first().map_or(f64::INFINITY, |i| i.0)
    }

    #[inline]
    pub(super) fn push(&mut self, key: f64, value: u32) {
        let mut at = self.items.len();
        self.items.push((key, value));
        while at > 0 {
            let up = (at - 1) / 4;
            if self.items[up].0 <= key {
                break;
            }
            self.items[at] = self.items[up];
            at = up;
        }
        self.items[at] = (key, value);
    }

    /// Takes the value with the smallest key.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        let last = self.items.pop()?;
        let Some(&(_, top)) = self.items.first() else { return Some(last.1) };
        let count = self.items.len();
        let mut at = 0;
        loop {
            let first = 4 * at + 1;
            if first >= count {
                break;
            }
            let children = &self.items[first..(first + 4).min(count)];
            let mut least = 0;
            for (i, child) in children.iter().enumerate().skip(1) {
                if child.0 < children[least].0 {
                    least = i;
                }
            }
            if children[least].0 >= last.0 {
                break;
            }
            self.items[at] = children[least];
            at = first + least;
        }
        self.items[at] = last;
        Some(top)
    }
}

#[cfg(test)]
mod tests {
    use super::Heap;

    #[test]
    fn gives_back_in_order() {
        let mut heap = Heap::default();
        let mut keys: Vec<u32> = (0..500).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20).collect();
        for &k in &keys {
            heap.push(f64::from(k), k);
        }
        keys.sort_unstable();
        assert_eq!(heap.least(), f64::from(keys[0]));
        assert!(keys.iter().all(|&k| heap.pop() == Some(k)));
        assert!(heap.pop().is_none() && heap.least() == f64::INFINITY);
    }
}
