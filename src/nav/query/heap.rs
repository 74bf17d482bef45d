//! A 4-ary heap of costs and numbers, packed into integers: comparing them compares the costs, then the numbers.

/// No item: more than any.
pub(in crate::nav) const NO_ITEM: u64 = u64::MAX;

/// A cost, which is not negative and not NaN so that its bits are ordered as it is, and a number.
#[inline]
pub(in crate::nav) fn pack(cost: f32, number: u32) -> u64 {
    u64::from(cost.to_bits()) << 32 | u64::from(number)
}

/// The cost and the number of an item.
#[inline]
pub(in crate::nav) fn unpack(item: u64) -> (f32, u32) {
    (f32::from_bits((item >> 32) as u32), item as u32)
}

/// The heap: one flat array.
#[derive(Clone, Debug, Default)]
pub(in crate::nav) struct Heap {
    items: Vec<u64>,
}

impl Heap {
    pub(in crate::nav) fn clear(&mut self) {
        self.items.clear();
    }

    /// All items, in no order.
    pub(in crate::nav) fn items(&self) -> impl Iterator<Item = u64> + '_ {
        self.items.iter().copied()
    }

    #[inline(never)]
    pub(in crate::nav) fn push(&mut self, item: u64) {
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

    /// Of an item, or none, that is held back and another: gives the lesser one and takes the greater into the heap.
    #[inline(always)]
    pub(in crate::nav) fn swap_least(&mut self, held: u64, item: u64) -> u64 {
        if held == NO_ITEM {
            return item;
        }
        self.push(held.max(item));
        held.min(item)
    }

    /// Takes the least of all items and `item`, which is [`NO_ITEM`] or comes into the heap in its place.
    #[inline]
    pub(in crate::nav) fn exchange(&mut self, item: u64) -> Option<u64> {
        match self.items.first() {
            Some(&top) if top < item => Some(self.replace(top, item)),
            _ => (item != NO_ITEM).then_some(item),
        }
    }

    /// Puts an item where the top was; the top itself for none.
    #[inline(never)]
    fn replace(&mut self, top: u64, item: u64) -> u64 {
        let item = if item == NO_ITEM { self.items.pop().unwrap_or(item) } else { item };
        let items = &mut self.items[..];
        let mut at = 0;
        loop {
            let first = 4 * at + 1;
            let (least, child) = if let Some(&[a, b, c, d]) = items.get(first..first + 4) {
                let (ab, i) = if b < a { (b, first + 1) } else { (a, first) };
                let (cd, k) = if d < c { (d, first + 3) } else { (c, first + 2) };
                if cd < ab { (k, cd) } else { (i, ab) }
            } else {
                let rest = items.get(first..).unwrap_or_default();
                let Some((&c, i)) = rest.iter().zip(first..).min() else { break };
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
    use super::{Heap, NO_ITEM, pack, unpack};

    #[test]
    fn gives_back_in_order() {
        let mut heap = Heap::default();
        let mut keys: Vec<u32> = (0..500).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20).collect();
        for &k in &keys[1..] {
            heap.push(pack(k as f32 * 0.25, k));
        }
        let mut held = pack(keys[0] as f32 * 0.25, keys[0]);
        keys.sort_unstable();
        for k in keys {
            let item = heap.exchange(std::mem::replace(&mut held, NO_ITEM)).unwrap();
            assert_eq!(unpack(item), (k as f32 * 0.25, k));
        }
        assert!(heap.exchange(NO_ITEM).is_none());
    }
}
