//! The steps of a bake, in the order in which they run, and how their progress is reported.

use crate::vocab::labelled;
use std::ops::ControlFlow;

labelled! {
    /// A step of a bake.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum BakeStep: label {
        /// Triangles to voxel spans.
        Rasterize = "Voxels",
        /// Spans without standing room, brinks and steep flights become unwalkable.
        Filter = "Filters",
        /// The compact heightfield and its links.
        Compact = "Open space",
        /// Erosion by the agent's radius, areas of volumes.
        Erode = "Erosion and areas",
        /// Partition into regions.
        Regions = "Regions",
        /// Simplified contours of the regions.
        Contours = "Outlines",
        /// Convex polygons.
        Polygons = "Polygons",
        /// Height detail inside the polygons.
        Detail = "Heights",
        /// Off-mesh links.
        Links = "Links",
    }
}

/// Called as a step begins with the fraction of the steps that are done, 0 to 1; `Break` cancels the bake.
pub type BakeProgress<'a> = &'a mut dyn FnMut(BakeStep, f32) -> ControlFlow<()>;

/// A [`BakeProgress`] that ignores the steps.
pub fn silent(_: BakeStep, _: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
