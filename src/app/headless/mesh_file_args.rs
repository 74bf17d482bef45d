//! Options of the commands that take files of navigation meshes beside scenes and levels.

use super::output::misused;
use crate::nav::exchange::{FileAxes, MeshPlacement};
use std::path::Path;

/// Which files are navigation meshes, and how these are turned and scaled.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct MeshFileArgs {
    /// Take the polygons of models (obj, ply, glb) as navigation meshes, as they are.
    #[arg(long)]
    pub as_mesh: bool,

    /// Axes of a mesh's file that are right, up and towards the viewer, on top of its format's [default: x,y,z].
    #[arg(long, value_name = "AXES", allow_hyphen_values = true)]
    pub axes: Option<FileAxes>,

    /// Factor on the size of a navigation mesh, such as 0.01 for centimetres [default: 1].
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub scale: Option<f64>,
}

impl MeshFileArgs {
    /// How the file of a mesh is turned and scaled; the scale is checked where the file is read.
    pub fn placement(&self) -> MeshPlacement {
        MeshPlacement { axes: self.axes.unwrap_or_default(), scale: self.scale.unwrap_or(1.0) }
    }

    /// Refuses what is said of meshes about a file that is none.
    ///
    /// # Errors
    /// Axes or a scale are given.
    pub fn refuse_for(&self, file: &Path) -> anyhow::Result<()> {
        if self.as_mesh || self.axes.is_some() || self.scale.is_some() {
            misused!("--as-mesh, --axes and --scale are for navigation meshes. File: {}", file.display());
        }
        Ok(())
    }
}
