//! What the panels read.

use super::assets::AssetFile;
use super::notices::Notices;
use super::question::Question;
use crate::asset::{AssetStore, ModelFile};
use crate::debug::Layer;
use crate::ids::{CameraId, InstanceId, LevelId, ModelId};
use crate::inspect::Inspector;
use crate::profile::Profiler;
use crate::scene::{History, Scene, SceneLevel, SceneModel, Selection};
use crate::sim::World;
use crate::sound::{MusicStatus, SoundSettings};
use crate::vocab::Quality;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// What the panels read.
#[derive(Clone, Copy)]
pub struct UiContext<'a> {
    /// The written scene.
    pub scene: &'a Scene,
    /// What is selected.
    pub selection: Selection,
    /// The camera that is selected: it was selected after everything else.
    pub camera: Option<CameraId>,
    /// All selected instances.
    pub chosen: &'a BTreeSet<InstanceId>,
    /// What happens.
    pub world: &'a World,
    /// The tools that look into it.
    pub inspector: &'a Inspector,
    /// What is loaded.
    pub assets: &'a AssetStore,
    /// The model files that can be put into the scene.
    pub models: &'a [AssetFile],
    /// Where the time goes.
    pub profiler: &'a Profiler,
    /// What was said.
    pub notices: &'a Notices,
    /// Layers of the overlays that are on.
    pub overlays: &'a BTreeSet<Layer>,
    /// Scene files opened lately, newest first.
    pub recent: &'a [PathBuf],
    /// The steps of this session.
    pub history: &'a History,
    /// A question that waits for its answer.
    pub question: Option<&'a Question>,
    /// Everything that is a plain value.
    pub status: &'a Status,
}

impl<'a> UiContext<'a> {
    /// Whether what is selected is an entry of the scene, a level or a model: no instance and no camera was selected after it.
    pub fn selects_entry(&self) -> bool {
        self.camera.is_none() && self.chosen.is_empty()
    }

    /// The selected level, where a level is what is selected.
    pub fn selected_level(&self) -> Option<(LevelId, &'a Arc<SceneLevel>)> {
        let id = self.selection.level.filter(|_| self.selects_entry())?;
        Some((id, self.scene.levels.get(id)?))
    }

    /// The selected model, where a model is what is selected.
    pub fn selected_model(&self) -> Option<(ModelId, &'a Arc<SceneModel>)> {
        let id = self.selection.model.filter(|_| self.selects_entry())?;
        Some((id, self.scene.models.get(id)?))
    }

    /// Why the file of a level or a model could not be read, if it could not.
    pub fn file_fault<'f>(&self, file: impl Into<ModelFile<'f>>) -> Option<String> {
        self.assets.find(file).and_then(|id| self.assets.failure(id))
    }
}

/// Plain values that the panels show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// File name of the scene; empty for one that was never saved.
    pub file: String,
    /// Whether there are changes that are not saved.
    pub dirty: bool,
    /// Whether the welcome window is shown at the start.
    pub welcome_at_start: bool,
    /// Whether the simulation runs.
    pub playing: bool,
    /// Simulation speed as a factor of real time.
    pub speed: f32,
    /// Whether the cursor is captured, so that the mouse turns the character that is steered.
    pub captures_cursor: bool,
    /// The camera looked through.
    pub camera: Option<CameraId>,
    /// Where the picture is taken from, and in which direction, in world space.
    pub eye: Option<(glam::Vec3, glam::Vec3)>,
    /// Whether the picture is orthographic.
    pub is_orthographic: bool,
    /// Pictures that are written, and how many are to be, while an export goes on.
    pub export: Option<(u32, u32)>,
    /// Whether the export that the window is set to would replace files.
    pub export_replaces: bool,
    /// The camera whose small picture is shown.
    pub preview_camera: Option<CameraId>,
    /// Names of bones in the picture.
    pub bones: Vec<BoneLabel>,
    /// The quality that was chosen; none where it follows the device.
    pub chosen_quality: Option<Quality>,
    /// The quality of the picture, once there is one.
    pub drawn_quality: Option<Quality>,
    /// Frames in the last second.
    pub fps: f32,
    /// Triangles of what is drawn.
    pub triangles: u64,
    /// Finished and all model imports.
    pub imports: (usize, usize),
    /// Name of the navigation mesh's file that is being read to be opened.
    pub reading: Option<String>,
    /// Name of the file that the navigation mesh is being saved in.
    pub saving: Option<String>,
    /// Memory of the program; known while the profiler is on screen.
    pub memory: Memory,
    /// Numbers of what the picture shows and the simulation holds; known while the profiler is on screen.
    pub counts: ViewportCounts,
    /// The graphics adapter.
    pub adapter: String,
    /// What is to be heard, and whether a device for it was sought in vain.
    pub sound: SoundStatus,
}

/// The name of a bone where it is in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneLabel {
    /// Place, 0…1 from the left and from the top.
    pub at: [f32; 2],
    /// Its name.
    pub name: String,
    /// Whether it is looked at.
    pub chosen: bool,
}

/// Memory in bytes, where the system and the driver tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Of the process.
    pub process: Option<u64>,
    /// Taken on the graphics device.
    pub device: Option<u64>,
}

/// Numbers of what the picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ViewportCounts {
    /// Instances and levels in the picture that was drawn last.
    pub drawn: usize,
    /// Lines and triangles of overlays.
    pub overlay: usize,
    /// Bytes uploaded for the picture.
    pub uploaded_bytes: u64,
    /// Its passes, draws of models, and dispatches.
    pub passes: [u32; 3],
}

/// How sound stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoundStatus {
    /// What is to be heard.
    pub settings: SoundSettings,
    /// Whether there is no device.
    pub is_missing: bool,
    /// The music.
    pub music: MusicStatus,
}

/// What the window is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Changing the scene: with menus and panels.
    #[default]
    Edit,
    /// Watching: the picture over the whole window, but for the status bar.
    View,
}
