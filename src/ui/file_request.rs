//! What a file dialog asks.

use super::sound_choice::SoundChoice;
use crate::ids::ModelId;
use std::path::PathBuf;

/// What a picked file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Opens a scene, a model, a level or a navigation mesh.
    Open,
    /// Opens a model as the level of a new scene.
    Level,
    /// Saves the scene.
    Save,
    /// Takes a navigation mesh.
    Mesh,
    /// Compares with a navigation mesh.
    Compare,
    /// Takes a picture of the sky.
    Sky,
    /// Plays the clips of a file on a model.
    Clips(ModelId),
    /// A sound file, or the folder of the music.
    Sound(SoundChoice),
    /// Saves the navigation mesh.
    SaveMesh,
    /// Adds a test case.
    Record,
    /// Exports images into a folder.
    ExportFolder,
}

impl Purpose {
    /// Whether it is about the open scene, so that it means nothing in another.
    pub fn is_of_scene(self) -> bool {
        !matches!(self, Self::Open | Self::Level | Self::ExportFolder)
    }
}

/// Whether a file is to be opened or saved, or a folder chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskFor {
    /// A file that is there.
    Open,
    /// A file, new or old.
    Save,
    /// A folder.
    Folder,
}

/// What a file dialog asks.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What is wanted.
    pub wanted: AskFor,
    /// Its title.
    pub title: &'static str,
    /// The folder in which it starts.
    pub folder: PathBuf,
    /// The name that is proposed.
    pub name: Option<String>,
    /// Kinds of files with their extensions; the first is chosen at first.
    pub filters: Vec<(&'static str, Vec<&'static str>)>,
    /// What becomes of the file.
    pub purpose: Purpose,
}
