//! What the user interface remembers between frames.

use super::command::{Command, SelectionMode};
use super::context::Mode;
use super::creation::Creation;
use super::dialogs::FilePicker;
use super::dock::{Dock, Panel};
use super::export::ExportWindow;
use super::instance_list::InstanceList;
use super::nav_tools::{NavTools, Tool};
use super::panels::animation::Animation;
use super::panels::graph::{GraphEditor, GraphWindows};
use super::panels::history::HistoryView;
use super::panels::log::LogFilter;
use super::panels::map::Map;
use super::panels::palette::Palette;
use super::panels::profiler::FrozenProfile;
use super::panels::welcome::Welcome;
use super::rename::Rename;
use super::viewport_input::{MiddleDragMode, ViewportInput};
use crate::ids::CameraId;

/// What the user interface remembers between frames.
#[derive(Default)]
pub struct UiState {
    /// Text that filters the list of instances.
    pub search: String,
    /// The rows of that list.
    pub instance_list: InstanceList,
    /// Text that filters the models that can be put into the scene.
    pub asset_search: String,
    /// Text that filters the list of overlays.
    pub overlay_search: String,
    /// What the window is for now.
    pub mode: Mode,
    /// How the panels lie.
    pub dock: Dock,
    /// The camera that is selected; what it sees is shown in a small picture.
    pub camera: Option<CameraId>,
    /// Whether that small picture is not wanted.
    pub hides_preview: bool,
    /// The name that is being changed.
    pub rename: Option<Rename>,
    /// The tools of the workbench.
    pub nav_tools: NavTools,
    /// Whether the window that creates many instances is shown.
    pub create_many: bool,
    /// What it creates.
    pub creation: Creation,
    /// The window that writes pictures.
    pub export: ExportWindow,
    /// The box that is being drawn over the picture, in points, and what it does.
    pub marquee: Option<(egui::Rect, SelectionMode)>,
    /// The map.
    pub map: Map,
    /// What the log shows.
    pub log: LogFilter,
    /// The list of the history.
    pub history: HistoryView,
    /// The behaviour editor.
    pub graph: GraphEditor,
    /// Behaviour editors in windows of their own.
    pub graph_windows: GraphWindows,
    /// The animation of a model.
    pub animation: Animation,
    /// The profiler.
    pub profiler: FrozenProfile,
    /// Whether handles lie along the axes of what is selected.
    pub local_axes: bool,
    /// What drags with the middle button do.
    pub middle_drag: MiddleDragMode,
    /// What a drag of a handle has done so far, while it lasts.
    pub drag_text: Option<String>,
    /// Whether the help window is shown.
    pub help: bool,
    /// Whether the guide is shown.
    pub guide: bool,
    /// Whether it is shown what Walkabout is.
    pub about: bool,
    /// The welcome window.
    pub welcome: Welcome,
    /// The command palette while it is open.
    pub palette: Option<Palette>,
    /// The file dialog.
    pub files: FilePicker,
}

impl UiState {
    /// Whether a panel is on screen.
    pub fn shows(&self, panel: Panel) -> bool {
        self.mode == Mode::Edit && self.dock.shows(panel)
    }

    /// Whether what the keys of the clipboard mean are the nodes of a behaviour editor.
    pub fn graph_has_keys(&self) -> bool {
        let in_panel = self.shows(Panel::Behavior) && self.graph.has_keys();
        in_panel || self.mode == Mode::Edit && self.graph_windows.has_keys()
    }

    /// Brings a panel on screen: in edit mode, as view mode shows none.
    pub fn open_panel(&mut self, panel: Panel) {
        self.mode = Mode::Edit;
        self.dock.open(panel);
    }

    /// Brings a panel on screen, or closes it when it is there.
    pub fn toggle_panel(&mut self, panel: Panel) {
        if self.shows(panel) {
            self.dock.toggle(panel);
        } else {
            self.open_panel(panel);
        }
    }

    /// Switches between the workbench and the scene.
    pub fn switch_workbench(&mut self) {
        self.open_panel(if self.shows(Panel::Workbench) { Panel::Inspector } else { Panel::Workbench });
    }

    /// Opens the workbench with a tool; one that is on stays so.
    pub(super) fn take_tool(&mut self, tool: Tool) {
        self.open_panel(Panel::Workbench);
        if self.nav_tools.tool != tool {
            self.nav_tools.choose(tool);
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
