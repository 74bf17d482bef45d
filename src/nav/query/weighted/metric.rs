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

impl Metric {
    /// [`Surface`](Self::Surface) or [`Plan`](Self::Plan).
    pub fn along_surface(yes: bool) -> Self {
        if yes { Self::Surface } else { Self::Plan }
    }
}
