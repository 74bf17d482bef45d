//! How an examination tells how far it is, and how it is stopped.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::nav::bake::BakeError;

/// A step of an examination, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoctorStep {
    /// Units, triangles that face down, holes, doubles.
    Shape,
    /// Triangles to voxel spans.
    Voxels,
    /// Parts of the ground, and what lies between them.
    Parts,
    /// What parts them, measured on the triangles.
    Measures,
    /// Polygons, seams and overlaps of the mesh.
    Mesh,
    /// What cannot be reached on it.
    Reach,
}

impl DoctorStep {
    /// All steps in their order.
    pub const ALL: [Self; 6] = [Self::Shape, Self::Voxels, Self::Parts, Self::Measures, Self::Mesh, Self::Reach];

    /// Label for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Shape => "Shape of the level",
            Self::Voxels => "Voxels",
            Self::Parts => "Parts of the ground",
            Self::Measures => "Steps, slopes and passages",
            Self::Mesh => "Shape of the mesh",
            Self::Reach => "What can be reached",
        }
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
