//! A 4-ary heap, the smallest item first: fewer cache lines per removal than with two children per node.
//!
//! Beside what a heap of a library offers, the search may hold the best item of an expansion back (the lookahead item):
//! most often it is the next to be taken, and then it never enters the heap.

/// What a heap orders. Items compare like their keys; no key is NaN.
pub(in crate::nav) trait HeapItem: Copy + PartialOrd {
    /// No item: more than any.
    const NONE: Self;
}

/// A cost and a number, packed into an integer by [`pack`].
impl HeapItem for u64 {
    const NONE: Self = u64::MAX;
}

/// A cost, which is not negative and not NaN so that its bits are ordered as it is, and a number. Comparing items compares
/// the costs, then the numbers: equal costs are taken in the same order everywhere.
#[inline]
pub(in crate::nav) fn pack(cost: f32, number: u32) -> u64 {
    u64::from(cost.to_bits()) << 32 | u64::from(number)
}

/// The cost and the number of an item.
#[inline]
pub(in crate::nav) fn unpack(item: u64) -> (f32, u32) {
    (f32::from_bits((item >> 32) as u32), item as u32)
}

/// A number by a key in double precision; equal keys are in no order.
#[derive(Clone, Copy, Debug)]
pub(in crate::nav) struct Keyed {
    /// What is compared.
    pub(in crate::nav) key: f64,
    /// What it belongs to.
    pub(in crate::nav) number: u32,
}

impl PartialEq for Keyed {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl PartialOrd for Keyed {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.key.partial_cmp(&other.key)
    }
}

impl HeapItem for Keyed {
    const NONE: Self = Self { key: f64::INFINITY, number: u32::MAX };
}

impl Default for Keyed {
    fn default() -> Self {
        Self::NONE
    }
}

/// The heap: one flat array.
#[derive(Clone, Debug)]
pub(in crate::nav) struct Heap<T> {
    items: Vec<T>,
}

impl<T> Default for Heap<T> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

impl<T: HeapItem> Heap<T> {
    pub(in crate::nav) fn clear(&mut self) {
        self.items.clear();
    }

    /// All items, in no order.
    pub(in crate::nav) fn items(&self) -> impl Iterator<Item = T> + '_ {
        self.items.iter().copied()
    }

    #[inline(never)]
    pub(in crate::nav) fn push(&mut self, item: T) {
        let mut at = self.items.len();
        self.items.push(item);
        while at > 0 {
            let up = (at - 1) / 4;
            if self.items[up] <= item {
                break;
            }
            self.items[at] = self.items[up];
            at = up;
        }
        self.items[at] = item;
    }

    /// Takes the smallest item.
    #[inline]
    pub(in crate::nav) fn pop(&mut self) -> Option<T> {
        self.replace_top(T::NONE)
    }

    /// Returns the smaller of `lookahead`, which may be none, and `item`; pushes the larger.
    #[inline(always)]
    pub(in crate::nav) fn keep_larger(&mut self, lookahead: T, item: T) -> T {
        if lookahead == T::NONE {
            return item;
        }
        let (smaller, larger) = if item < lookahead { (item, lookahead) } else { (lookahead, item) };
        self.push(larger);
        smaller
    }

    /// Takes the smallest of all items and of `item`, which may be none and otherwise enters the heap in its place.
    #[inline]
    pub(in crate::nav) fn replace_top(&mut self, item: T) -> Option<T> {
        match self.items.first() {
            Some(&top) if top < item => Some(self.sift_down(top, item)),
            _ => (item != T::NONE).then_some(item),
        }
    }

    /// Puts an item, or for none the last one, where the top was; returns the top.
    #[inline(never)]
    fn sift_down(&mut self, top: T, item: T) -> T {
        let item = if item == T::NONE { self.items.pop().unwrap_or(item) } else { item };
        let items = &mut self.items[..];
        let mut at = 0;
        loop {
            let first = 4 * at + 1;
            let (least, child) = if let Some(&[a, b, c, d]) = items.get(first..first + 4) {
                let (ab, i) = if b < a { (b, first + 1) } else { (a, first) };
                let (cd, k) = if d < c { (d, first + 3) } else { (c, first + 2) };
                if cd < ab { (k, cd) } else { (i, ab) }
            } else {
                let rest = items.get(first..).unwrap_or_default().iter().copied().zip(first..);
                let Some((c, i)) = rest.reduce(|a, b| if b.0 < a.0 { b } else { a }) else { break };
                (i, c)
            };
            if child >= item {
                break;
            }
            items[at] = child;
            at = least;
        }
        if let Some(place) = items.get_mut(at) {
            *place = item;
        }
        top
    }
}

#[cfg(test)]
mod tests {
    use super::{Heap, HeapItem, Keyed, pack, unpack};

    fn keys() -> Vec<u32> {
        (0..500).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20).collect()
    }

    #[test]
    fn items_come_back_in_order() {
        let (mut heap, mut keys) = (Heap::default(), keys());
        for &k in &keys[1..] {
            heap.push(pack(k as f32 * 0.25, k));
        }
        let mut lookahead = pack(keys[0] as f32 * 0.25, keys[0]);
        keys.sort_unstable();
        for k in keys {
            let item = heap.replace_top(std::mem::replace(&mut lookahead, u64::NONE)).unwrap();
            assert_eq!(unpack(item), (k as f32 * 0.25, k));
        }
        assert!(heap.replace_top(u64::NONE).is_none());
    }

    #[test]
    fn keys_in_double_precision_come_back_in_order() {
        let (mut heap, mut keys) = (Heap::default(), keys());
        for &k in &keys {
            heap.push(Keyed { key: f64::from(k), number: k });
        }
        keys.sort_unstable();
        assert!(keys.iter().all(|&k| heap.pop().map(|i| i.number) == Some(k)));
        assert!(heap.pop().is_none());
    }

    #[test]
    fn the_smaller_item_is_held_back() {
        let mut heap = Heap::default();
        assert_eq!(heap.keep_larger(u64::NONE, 5), 5);
        assert_eq!((heap.keep_larger(5, 3), heap.keep_larger(3, 4)), (3, 3));
        assert_eq!((heap.pop(), heap.pop(), heap.pop()), (Some(4), Some(5), None));
    }
}
