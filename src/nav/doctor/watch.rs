//! How an examination tells how far it is, and how it is stopped.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::nav::bake::BakeError;
use crate::vocab::labelled;

labelled! {
    /// A step of an examination, in their order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DoctorStep: label {
        /// Units, triangles that face down, holes, doubles.
        Shape = "Shape of the level",
        /// Triangles to voxel spans.
        Voxels = "Voxels",
        /// Parts of the ground, and what lies between them.
        Parts = "Parts of the ground",
        /// What parts them, measured on the triangles.
        Measures = "Steps, slopes and passages",
        /// Polygons, seams and overlaps of the mesh.
        Mesh = "Shape of the mesh",
        /// What cannot be reached on it.
        Reach = "What can be reached",
    }
}

/// Why an examination gives nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DoctorError {
    /// The level cannot be laid out in cells.
    #[error(transparent)]
    Level(#[from] BakeError),
    /// It was stopped.
    #[error("the examination was stopped")]
    Stopped,
}

/// Is told the steps of an examination, and stops it.
#[derive(Clone, Copy)]
pub struct DoctorWatch<'a> {
    tell: &'a dyn Fn(DoctorStep),
    stop: &'a AtomicBool,
}

impl<'a> DoctorWatch<'a> {
    /// `tell` is called as each step begins; once `stop` is set, the examination ends within it.
    pub fn new(tell: &'a dyn Fn(DoctorStep), stop: &'a AtomicBool) -> Self {
        Self { tell, stop }
    }

    /// Begins a step.
    pub(super) fn begin(&self, step: DoctorStep) -> Result<(), DoctorError> {
        self.check()?;
        (self.tell)(step);
        Ok(())
    }

    /// Ends what is examined where it was stopped.
    ///
    /// # Errors
    /// It was stopped.
    pub fn check(&self) -> Result<(), DoctorError> {
        if self.stop.load(Ordering::Relaxed) { Err(DoctorError::Stopped) } else { Ok(()) }
    }

    /// The flag, for loops of the bake.
    pub fn stop(&self) -> &'a AtomicBool {
        self.stop
    }
}

impl Default for DoctorWatch<'_> {
    /// Ignores the steps and never stops.
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self { tell: &|_| {}, stop: &NEVER }
    }
}
