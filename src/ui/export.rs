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
}
