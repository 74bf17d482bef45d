//! Disjoint sets.

/// Disjoint sets of numbers (Galler and Fischer, "An improved equivalence algorithm", 1964), with path halving. A set goes
/// by its smallest member.
#[derive(Clone, Debug, Default)]
pub struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// The numbers below `count`, each in a set of its own.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// Adds the next number, in a set of its own.
    pub fn add(&mut self) {
        self.parents.push(self.parents.len() as u32);
    }

    /// The smallest member of the set that `of` is in.
    pub fn root(&mut self, of: usize) -> usize {
        let mut of = of as u32;
        while self.parents[of as usize] != of {
            let up = self.parents[self.parents[of as usize] as usize];
            self.parents[of as usize] = up;
            of = up;
        }
        of as usize
    }

    /// Joins the sets of two members.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b) as u32;
    }
}
