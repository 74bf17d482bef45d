//! The steps of a bake, in the order in which they run, and how their progress is reported.

use std::ops::ControlFlow;

/// A step of a bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BakeStep {
    /// Triangles to voxel spans.
    Rasterize,
    /// Spans without standing room, brinks and steep flights become unwalkable.
    Filter,
    /// The compact heightfield and its links.
    Compact,
    /// Erosion by the agent's radius, areas of volumes.
    Erode,
    /// Partition into regions.
    Regions,
    /// Simplified contours of the regions.
    Contours,
    /// Convex polygons.
    Polygons,
    /// Height detail inside the polygons.
    Detail,
    /// Off-mesh links.
    Links,
}

impl BakeStep {
    /// All steps in their order.
    pub const ALL: [Self; 9] = [
        Self::Rasterize,
        Self::Filter,
        Self::Compact,
        Self::Erode,
        Self::Regions,
        Self::Contours,
        Self::Polygons,
        Self::Detail,
        Self::Links,
    ];

    /// Label in the user interface.
    pub fn label(self) -> &'static str {
        match self {
            Self::Rasterize => "Voxels",
            Self::Filter => "Filters",
            Self::Compact => "Open space",
            Self::Erode => "Erosion and areas",
            Self::Regions => "Regions",
            Self::Contours => "Outlines",
            Self::Polygons => "Polygons",
            Self::Detail => "Heights",
            Self::Links => "Links",
        }
    }
}

/// Called as a step begins with the fraction of the steps that are done, 0 to 1; `Break` cancels the bake.
pub type BakeProgress<'a> = &'a mut dyn FnMut(BakeStep, f32) -> ControlFlow<()>;

/// A [`BakeProgress`] that ignores the steps.
pub fn silent(_: BakeStep, _: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
