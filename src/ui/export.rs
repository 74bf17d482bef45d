//! What is to be exported as pictures.

use crate::vocab::labelled;
use std::path::PathBuf;

labelled! {
    /// What the pictures show.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ExportKind: label, help {
        /// What is seen now.
        Picture = "One image" "What is seen now.",
        /// A turn round what is selected, or round all there is.
        Turntable = "Turntable" "Once round what is selected, or round all there is, while nothing moves.",
        /// The scene as it goes on from now.
        Frames = "Frames" "The scene as it goes on from now, each frame at its exact time.",
    }
}

/// What is to be exported.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportSettings {
    /// What the pictures show.
    pub kind: ExportKind,
    /// Width and height, pixels.
    pub size_px: [u32; 2],
    /// Pictures for each second.
    pub fps: u32,
    /// How long it takes, seconds.
    pub secs: f32,
    /// Whether the overlays are in the pictures.
    pub overlays: bool,
    /// Where the files go.
    pub folder: PathBuf,
    /// What the names of the files begin with.
    pub name: String,
}

impl Default for ExportSettings {
    fn default() -> Self {
        Self {
            kind: ExportKind::Picture,
            size_px: [1280, 720],
            fps: 30,
            secs: 4.0,
            overlays: true,
            folder: PathBuf::new(),
            name: String::new(),
        }
    }
}

impl ExportSettings {
    /// How many pictures that makes.
    pub fn count(&self) -> u32 {
        match self.kind {
            ExportKind::Picture => 1,
            ExportKind::Turntable | ExportKind::Frames => ((self.fps as f32 * self.secs).round() as u32).max(1),
        }
    }
}

/// The window of the export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportWindow {
    /// Whether it is shown.
    pub open: bool,
    /// What is to be exported.
    pub wanted: ExportSettings,
    /// The name that was proposed last: one that was typed stays.
    pub proposed: String,
}

impl ExportWindow {
    /// Proposes a name for the files, unless another was typed.
    pub fn propose(&mut self, name: &str) {
        if self.wanted.name == self.proposed && self.proposed != name {
            name.clone_into(&mut self.wanted.name);
        }
        name.clone_into(&mut self.proposed);
    }
}
