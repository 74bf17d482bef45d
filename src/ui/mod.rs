//! The user interface: panels read, and return what a person asks for.
//!
//! [`show`] draws everything for one frame and returns [`Command`]s; it changes neither scene nor world.

pub mod assets;
pub mod command;
pub mod dialogs;
pub mod dock;
pub mod edits;
pub mod export;
pub mod file_request;
pub mod menu;
pub mod mouse_help;
pub mod names;
pub mod native;
pub mod nav_tools;
pub mod notices;
pub mod panels;
pub mod sound_choice;
pub mod theme;
pub mod viewport;
pub mod widgets;

pub use command::{Action, COMMANDS, Command, EditStep, UnsavedChoice};
pub use dialogs::Question;
pub use dock::Dock;
pub use notices::Notices;
pub use viewport::ViewportInput;

use crate::asset::AssetStore;
use crate::debug::Layer;
use crate::ids::{CameraId, InstanceId};
use crate::inspect::Inspector;
use crate::profile::Profiler;
use crate::scene::{History, Scene, Selection};
use crate::sim::World;
use crate::sound::{MusicStatus, SoundSettings};
use egui::Panel;
use std::collections::BTreeSet;
use std::path::PathBuf;

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
    pub models: &'a [assets::ModelFile],
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
    /// Name of the step that Undo takes back.
    pub undo: Option<&'a str>,
    /// Name of the step that Redo does again.
    pub redo: Option<&'a str>,
    /// A question that waits for its answer.
    pub question: Option<&'a Question>,
    /// Everything that is a plain value.
    pub status: &'a Status,
}

/// Plain values that the panels show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// File name of the scene; empty for one that was never saved.
    pub file: String,
    /// Whether there are changes that are not saved.
    pub dirty: bool,
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
    /// Pictures that are written, and how many are to be, while an export goes on.
    pub export: Option<(u32, u32)>,
    /// Whether the export that the window is set to would replace files.
    pub export_replaces: bool,
    /// The camera whose small picture is shown.
    pub preview_camera: Option<CameraId>,
    /// Names of bones in the picture.
    pub bones: Vec<BoneLabel>,
    /// Frames in the last second.
    pub fps: f32,
    /// Triangles of what is drawn.
    pub triangles: u64,
    /// Finished and all model imports.
    pub imports: (usize, usize),
    /// Memory of the program; known while the profiler is on screen.
    pub memory: Memory,
    /// Numbers of what the picture shows and the simulation holds; known while the profiler is on screen.
    pub counts: Counts,
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
pub struct Counts {
    /// Instances and levels in the picture that was drawn last.
    pub drawn: usize,
    /// Lines and triangles of overlays.
    pub overlay: usize,
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

/// What the user interface remembers between frames.
pub struct UiState {
    /// Text that filters the list of instances.
    pub search: String,
    /// Text that filters the models that can be put into the scene.
    pub asset_search: String,
    /// What the window is for now.
    pub mode: Mode,
    /// How the panels lie.
    pub dock: dock::Dock,
    /// The camera that is selected; what it sees is shown in a small picture.
    pub camera: Option<CameraId>,
    /// Whether that small picture is wanted.
    pub preview: bool,
    /// The name that is being changed.
    pub rename: Option<panels::outliner::Rename>,
    /// The tools of the workbench.
    pub nav_tools: nav_tools::NavTools,
    /// Whether the window that creates many instances is shown.
    pub create_many: bool,
    /// What it creates.
    pub creation: panels::create::Creation,
    /// The window that writes pictures.
    pub export: export::ExportWindow,
    /// The box that is being drawn over the picture, in points, and what it does.
    pub marquee: Option<(egui::Rect, command::SelectionMode)>,
    /// The map.
    pub map: panels::map::Map,
    /// The behaviour editor.
    pub graph: panels::graph::GraphEditor,
    /// The animation of a model.
    pub animation: panels::animation::Animation,
    /// The profiler.
    pub profiler: panels::profiler::FrozenProfile,
    /// Whether handles lie along the axes of what is selected.
    pub local_axes: bool,
    /// What drags with the middle button do.
    pub middle_drag: viewport::MiddleDragMode,
    /// What a drag of a handle has done so far, while it lasts.
    pub drag_text: Option<String>,
    /// Whether the help window is shown.
    pub help: bool,
    /// The command palette while it is open.
    pub palette: Option<panels::palette::Palette>,
    /// The file dialog.
    pub files: dialogs::FilePicker,
}

impl Default for UiState {
    fn default() -> Self {
        Self {
            search: String::new(),
            asset_search: String::new(),
            mode: Mode::Edit,
            dock: dock::Dock::default(),
            camera: None,
            preview: true,
            rename: None,
            nav_tools: nav_tools::NavTools::default(),
            create_many: false,
            creation: panels::create::Creation::default(),
            export: export::ExportWindow::default(),
            marquee: None,
            map: panels::map::Map::default(),
            graph: panels::graph::GraphEditor::default(),
            animation: panels::animation::Animation::default(),
            profiler: panels::profiler::FrozenProfile::default(),
            local_axes: false,
            middle_drag: viewport::MiddleDragMode::default(),
            drag_text: None,
            help: false,
            palette: None,
            files: dialogs::FilePicker::default(),
        }
    }
}

/// What one frame of the user interface asks for.
#[derive(Debug, Default)]
pub struct UiOutput {
    /// Commands in order.
    pub commands: Vec<Command>,
    /// The part of the window that shows the scene, and what was done there.
    pub viewport: ViewportInput,
}

/// Draws the user interface of one frame.
pub fn show(ui: &mut egui::Ui, cx: &UiContext<'_>, state: &mut UiState) -> UiOutput {
    let mut output = UiOutput::default();
    let out = &mut output.commands;
    if state.mode == Mode::Edit {
        Panel::top("menu").show(ui, |ui| menu::bar(ui, cx, state, out));
    }
    Panel::bottom("status").exact_size(28.0).show(ui, |ui| panels::status::show(ui, cx, state, out));
    if state.mode == Mode::Edit {
        dock::show(ui, cx, state, &mut output);
    } else {
        output.viewport = viewport::show(ui, cx, state, &mut output.commands);
    }
    let out = &mut output.commands;
    panels::create::show(ui, cx, state, out);
    panels::export::show(ui, cx, state, out);
    panels::help::show(ui, state);
    panels::palette::show(ui, cx, state, out);
    panels::toasts::show(ui, cx, output.viewport.rect, out);
    dialogs::show(ui, cx, state, out);
    output
}
