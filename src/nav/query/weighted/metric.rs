//! How lengths are measured.

/// How lengths are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// As seen from above: heights do not count.
    #[default]
    Plan,
    /// Along the triangles of the surface.
    Surface,
}
