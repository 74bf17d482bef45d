//! Disjoint sets.

/// Disjoint sets (Galler and Fischer, "An improved equivalence algorithm", 1964).
pub(super) struct Union {
    parents: Vec<usize>,
}

impl Union {
    pub(super) fn new(count: usize) -> Self {
        Self { parents: (0..count).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(super) fn root(&mut self, mut of: usize) -> usize {
        while self.parents[of] != of {
            self.parents[of] = self.parents[self.parents[of]];
            of = self.parents[of];
        }
        of
    }

    /// Joins the sets of two members; whether they were two.
    pub(super) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b);
        a != b
    }
}
