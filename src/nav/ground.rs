//! The walkable triangles of a level and how they hang together.

/// Which triangles count as neighbours on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adjacency {
    /// Triangles that share a part of an edge, or are a step apart; never through a wall.
    #[default]
    Shared,
    /// The original program's rule, its defect included: overlapping boxes at a similar height suffice.
    Original,
}
