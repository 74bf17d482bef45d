//! Model files as the panel of the assets shows them.

use std::path::PathBuf;
use std::time::SystemTime;

/// A model file that can be put into the scene.
#[derive(Clone)]
pub struct AssetFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its name without the extension.
    pub name: String,
    /// When it was last changed.
    pub changed: Option<SystemTime>,
    /// What it looks like.
    pub look: ThumbnailState,
}

/// What a model looks like.
#[derive(Clone)]
pub enum ThumbnailState {
    /// Not known yet.
    Waiting,
    /// A picture of it.
    Picture(egui::TextureHandle),
    /// Why it cannot be read.
    Failed(String),
    /// No picture is made of it: there are too many models.
    NotMade,
}

/// What is dragged from the panel into the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dragged(pub PathBuf);
