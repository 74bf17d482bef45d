//! A heap of values by keys, the smallest first, with four children per node: fewer cache lines per removal than with
//! two.

/// The heap: one flat array. Keys are never NaN.
#[derive(Clone, Debug)]
pub(in crate::nav) struct KeyHeap<K, V> {
    items: Vec<(K, V)>,
}

impl<K, V> Default for KeyHeap<K, V> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

impl<K: Copy + PartialOrd, V: Copy> KeyHeap<K, V> {
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// The smallest key.
    #[inline]
    pub fn least(&self) -> Option<K> {
        self.items.first().map(|i| i.0)
    }

    #[inline]
    pub fn push(&mut self, key: K, value: V) {
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

    /// Takes the smallest key and its value.
    #[inline]
    pub fn pop(&mut self) -> Option<(K, V)> {
        let last = self.items.pop()?;
        let Some(&top) = self.items.first() else { return Some(last) };
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
    use super::KeyHeap;

    #[test]
    fn gives_back_in_order() {
        let mut heap = KeyHeap::default();
        let mut keys: Vec<u32> = (0..500).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20).collect();
        for &k in &keys {
            heap.push(f64::from(k), k);
        }
        keys.sort_unstable();
        assert_eq!(heap.least(), Some(f64::from(keys[0])));
        assert!(keys.iter().all(|&k| heap.pop() == Some((f64::from(k), k))));
        assert!(heap.pop().is_none() && heap.least().is_none());
    }
}
