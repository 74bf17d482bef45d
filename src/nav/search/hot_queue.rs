//! A hot queue: a heap of the items that come next, and a list of those that come later.
//!
//! B. V. Cherkassky, A. V. Goldberg, C. Silverstein, "Buckets, Heaps, Lists, and Monotone Priority Queues", SIAM Journal on
//! Computing 1999. A search that ends early never takes most of what it found, and that stays in the list.

use super::heap::{Heap, Keyed};

/// The heap takes keys up to so many times the least one of those that come later.
const STEP: f64 = 1.02;

/// The queue.
#[derive(Clone, Debug)]
pub(in crate::nav) struct HotQueue {
    /// Items with keys up to `horizon`.
    heap: Heap<Keyed>,
    later: Vec<Keyed>,
    horizon: f64,
}

impl Default for HotQueue {
    fn default() -> Self {
        Self { heap: Heap::default(), later: Vec::new(), horizon: f64::NEG_INFINITY }
    }
}

impl HotQueue {
    pub(in crate::nav) fn clear(&mut self) {
        self.heap.clear();
        self.later.clear();
        self.horizon = f64::NEG_INFINITY;
    }

    #[inline]
    pub(in crate::nav) fn push(&mut self, item: Keyed) {
        if item.key <= self.horizon {
            self.heap.push(item);
        } else {
            self.later.push(item);
        }
    }

    /// Takes the smallest item with a key below `limit`; those of at least that may be forgotten.
    #[inline]
    pub(in crate::nav) fn pop(&mut self, limit: f64) -> Option<Keyed> {
        let item = match self.heap.pop() {
            None => {
                self.advance(limit);
                self.heap.pop()
            }
            some => some,
        };
        item.filter(|item| item.key < limit)
    }

    /// Moves what comes next into the heap.
    fn advance(&mut self, limit: f64) {
        self.later.retain(|item| item.key < limit);
        let least = self.later.iter().fold(f64::INFINITY, |least, item| least.min(item.key));
        // Rounding makes keys that should be 0 negative.
        self.horizon = least.max(0.0) * STEP;
        let (heap, horizon) = (&mut self.heap, self.horizon);
        self.later.retain(|&item| {
            let is_later = item.key > horizon;
            if !is_later {
                heap.push(item);
            }
            is_later
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hot_queue_gives_what_a_heap_gives() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let (mut queue, mut heap) = (HotQueue::default(), Heap::default());
        for round in 0..40 {
            queue.clear();
            heap.clear();
            let limit = if round % 2 == 0 { f64::INFINITY } else { 40.0 };
            // Some keys are negative, some lie before those that were taken.
            let mut taken = 0.0;
            for _ in 0..500 {
                if random() < 0.7 {
                    let key = ((taken + 30.0 * random() - 1.0) * 8.0).floor() / 8.0;
                    queue.push(Keyed { key, number: 0 });
                    heap.push(Keyed { key, number: 0 });
                } else {
                    let expected = heap.pop().map(|item: Keyed| item.key).filter(|&key| key < limit);
                    assert_eq!(queue.pop(limit).map(|item| item.key), expected);
                    taken = expected.unwrap_or(taken);
                }
            }
        }
    }
}
