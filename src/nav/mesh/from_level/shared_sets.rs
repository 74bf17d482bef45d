//! Disjoint sets that several threads join at once.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Disjoint sets of numbers that threads share (Anderson and Woll, "Wait-free parallel algorithms for the union-find
/// problem", 1991). A set goes by its smallest member, so what becomes of them does not depend on the order of joins.
pub(super) struct SharedSets {
    /// A member of the same set that is no larger.
    parents: Vec<AtomicU32>,
}

impl SharedSets {
    /// The numbers below `count`, each in a set of its own.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).map(AtomicU32::new).collect() }
    }

    /// The smallest member of the set that `of` is in.
    pub fn root(&self, mut of: u32) -> u32 {
        loop {
            let up = self.parents[of as usize].load(Relaxed);
            if up == of {
                return of;
            }
            let above = self.parents[up as usize].load(Relaxed);
            // A shorter way for those that follow; another thread may have made it shorter still.
            let _ = self.parents[of as usize].compare_exchange_weak(up, above, Relaxed, Relaxed);
            of = above;
        }
    }

    /// Whether two members are known to be in one set. Another thread may be about to join them.
    pub fn are_joined(&self, a: u32, b: u32) -> bool {
        self.root(a) == self.root(b)
    }

    /// Joins the sets of two members.
    pub fn join(&self, a: u32, b: u32) {
        loop {
            let (a, b) = (self.root(a), self.root(b));
            let (low, high) = (a.min(b), a.max(b));
            if low == high || self.parents[high as usize].compare_exchange(high, low, Relaxed, Relaxed).is_ok() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn threads_join_what_one_would() {
        let sets = SharedSets::new(10_000);
        (0..9_993_u32).into_par_iter().for_each(|i| sets.join(i, i + 7));
        assert!((0..10_000).all(|i| sets.root(i) == i % 7));
        assert!(sets.are_joined(3, 9_992) && !sets.are_joined(3, 4));
    }
}
