//! The front door: window, frame loop, headless commands.

mod bones;
pub mod camera_controller;
mod camera_preview;
pub mod camera_view;
mod camera_wheel;
pub mod cli;
pub mod clock;
mod create;
pub mod display;
pub mod execute;
mod export;
pub mod fallen_notices;
pub mod files;
pub mod frame;
pub mod gizmo;
pub mod gizmo_drag;
mod group;
pub mod headless;
pub mod keys;
pub mod layout;
pub mod memory;
pub mod middle_drag;
pub mod pick;
mod pick_requests;
pub mod recent;
pub mod recovery;
mod scene_setup;
pub mod selection_overlay;
pub mod sound;
pub mod steering;
pub mod textures;
mod thumbnails;
pub mod tool;
pub mod window;

use crate::asset::AssetStore;
use crate::debug::Layer;
use crate::ids::InstanceId;
use crate::inspect::Inspector;
use crate::profile::Profiler;
use crate::scene::history::History;
use crate::scene::{Scene, Selection};
use crate::sim::World;
use crate::ui::{Command, Notices, Question, Status, UiState};
use clock::Clock;
use execute::PendingAction;
use recent::Recent;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The application: owner of the scene, the world, the models and the picture; lends them to each part of a frame.
pub struct App {
    scene: Scene,
    selection: Selection,
    /// All selected instances, when there are several; valid as long as it holds the one in `selection`.
    group: BTreeSet<InstanceId>,
    history: History,
    world: World,
    inspector: Inspector,
    assets: AssetStore,
    profiler: Profiler,
    notices: Notices,
    clock: Clock,
    camera_controller: camera_controller::CameraController,
    ui: UiState,
    status: Status,
    overlays: BTreeSet<Layer>,
    recent: Recent,
    recovery: recovery::Recovery,
    layout: layout::Layout,
    /// Unsaved work that was left behind, while its question waits.
    recovery_offer: Option<recovery::RecoveryFile>,
    file: Option<PathBuf>,
    pending: Vec<Command>,
    question: Option<Question>,
    pending_action: Option<PendingAction>,
    viewport: frame::ViewportState,
    /// Pictures that are being written.
    export: Option<export::Export>,
    /// The models that can be put into the scene.
    thumbnails: thumbnails::Thumbnails,
    /// The interface that the window shows, for textures.
    context: Option<egui::Context>,
    /// Clicks that wait for an answer.
    pick_queue: pick_requests::PickQueue,
    /// What the selected camera sees.
    camera_preview: camera_preview::CameraPreview,
    /// Models that were added and whose files are not there yet.
    importing_models: Vec<crate::ids::ModelId>,
    /// The handle that is being dragged.
    gizmo_drag: Option<gizmo_drag::GizmoDrag>,
    /// The drag with the middle button.
    middle_drag: Option<middle_drag::MiddleDrag>,
    /// The selected instances, and the tools, when the drag in the viewport began.
    before_drag: Option<(BTreeSet<InstanceId>, crate::ui::nav_tools::NavTools)>,
    /// Whether what the button held was taken back, and the button is still down.
    drag_cancelled: bool,
    /// The handle under the cursor.
    hovered_handle: Option<gizmo::Handle>,
    /// Whether a drag has changed the scene that the recovery file does not know of.
    autosave_pending: bool,
    /// Whether the camera was on the move in the last frame.
    flying: bool,
    /// The instance under the cursor.
    hovered: Option<InstanceId>,
    /// What the camera goes round, while it does.
    orbits: Option<glam::Vec3>,
    /// The character that is steered.
    possessed: Option<steering::Possessed>,
    /// Whether the cursor is captured, so that the mouse turns that character.
    captured: bool,
    /// Time until the wheel counts as resting, while it does not.
    wheel_rest: Option<std::time::Duration>,
    /// Whether scene or assets changed since the world was brought in line with them.
    stale: bool,
    /// What is heard.
    sound: sound::Sound,
    fullscreen: bool,
    exit: bool,
}

impl App {
    /// An application with an empty scene.
    pub fn new(recent: Recent) -> Self {
        let mut app = Self {
            scene: Scene::default(),
            selection: Selection::default(),
            group: BTreeSet::new(),
            history: History::new(Scene::default(), Selection::default()),
            world: World::in_background(),
            inspector: Inspector::default(),
            assets: AssetStore::default(),
            profiler: Profiler::default(),
            notices: Notices::default(),
            clock: Clock::default(),
            camera_controller: camera_controller::CameraController::default(),
            ui: UiState::default(),
            status: Status::default(),
            overlays: BTreeSet::new(),
            recent,
            recovery: recovery::Recovery::default(),
            layout: layout::Layout::default(),
            recovery_offer: None,
            file: None,
            pending: Vec::new(),
            question: None,
            pending_action: None,
            viewport: frame::ViewportState::default(),
            export: None,
            thumbnails: thumbnails::Thumbnails::default(),
            context: None,
            pick_queue: pick_requests::PickQueue::default(),
            camera_preview: camera_preview::CameraPreview::default(),
            importing_models: Vec::new(),
            gizmo_drag: None,
            middle_drag: None,
            before_drag: None,
            drag_cancelled: false,
            hovered_handle: None,
            autosave_pending: false,
            flying: false,
            hovered: None,
            orbits: None,
            possessed: None,
            captured: false,
            wheel_rest: None,
            stale: false,
            sound: sound::Sound::load(recent::folder(), sound::may_have_device()),
            fullscreen: false,
            exit: false,
        };
        app.new_scene();
        app
    }

    /// Opens a scene, or a model file as the level of a new scene. When that fails, a notice says why, and the open
    /// scene stays as it is.
    pub fn open_at_start(&mut self, path: &Path) {
        self.open_first(path);
    }

    /// Keeps unsaved changes in `folder` from now on, and offers those that were left there.
    pub fn keep_unsaved_in(&mut self, folder: PathBuf) {
        self.recovery = recovery::Recovery::in_folder(folder);
        self.offer_found();
    }

    /// Takes the layout of the panels from a file, and keeps it there from now on.
    pub fn keep_layout_in(&mut self, file: PathBuf) {
        let (layout, dock) = layout::Layout::load(file);
        self.layout = layout;
        self.ui.dock = dock;
    }

    /// Brings the world, and the tools that look into it, in line with the scene.
    fn reconcile(&mut self) {
        self.profiler.enter("reconcile");
        self.world.reconcile(&self.scene, &self.assets);
        self.inspector.reconcile(&self.world, &self.scene);
        self.profiler.leave();
    }

    /// A world in which nothing has happened yet.
    fn restart_world(&mut self) {
        (self.world, self.inspector) = (World::in_background(), Inspector::default());
    }

    /// Keeps how the window looks, if it has changed.
    fn keep_layout(&mut self) {
        if let Some(context) = &self.context {
            self.layout.keep(&self.ui.dock, context, self.fullscreen);
        }
    }

    /// The written scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What happens.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The tools that look into the world.
    pub fn inspector(&self) -> &Inspector {
        &self.inspector
    }

    /// What is selected.
    pub fn selection(&self) -> Selection {
        self.selection
    }

    /// All selected instances, in the order of the scene.
    pub fn selected(&self) -> Vec<InstanceId> {
        self.chosen()
    }

    /// Where the time of frames goes.
    pub fn profiler(&self) -> &Profiler {
        &self.profiler
    }

    /// Whether something is being built on another thread that [`reconcile`](Self::reconcile) takes in once it is there.
    fn is_building(&self) -> bool {
        self.world.is_building() || self.inspector.is_preparing()
    }

    /// Whether models are still being read.
    pub fn is_importing(&self) -> bool {
        let (done, total) = self.assets.progress();
        done < total
    }

    /// What was said.
    pub fn notices(&self) -> &Notices {
        &self.notices
    }

    /// Where the picture of the last frame was taken from, in world space.
    pub fn eye(&self) -> Option<glam::Vec3> {
        self.viewport.eye()
    }

    /// Where in the window a place in the world is seen, pixels from its top left; `None` behind the eye.
    pub fn seen_at(&self, at: glam::Vec3) -> Option<glam::Vec2> {
        self.viewport.seen_at(at)
    }

    /// Whether an overlay is on.
    pub fn shows_overlay(&self, layer: Layer) -> bool {
        self.overlays.contains(&layer)
    }

    /// Whether there are changes that are not saved.
    pub fn is_dirty(&self) -> bool {
        self.history.is_dirty()
    }

    /// How many steps of this session are done, and how many there are with those that can be done again.
    pub fn steps(&self) -> (usize, usize) {
        self.history.count()
    }

    /// Whether the simulation runs.
    pub fn is_playing(&self) -> bool {
        self.clock.playing
    }
}

/// Opens the window on a scene, on the default one without an argument.
///
/// # Errors
/// When the scene named cannot be opened, or there is no display or no graphics device.
pub fn run_window(scene: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    if let Some(path) = &scene {
        anyhow::ensure!(path.exists(), "There is no such file: {}. Name a scene (.acfg) or a level.", path.display());
    }
    let mut app = App::new(Recent::load());
    if let Some(path) = scene.or_else(files::default_scene) {
        app.open_at_start(&path);
    }
    if let Some(folder) = recent::folder() {
        recovery::write_on_panic(folder.join("reports"));
        app.keep_unsaved_in(folder.join("recovery"));
        app.keep_layout_in(folder.join("layout.txt"));
    }
    app.ui.files.use_native();
    window::run(app)?;
    Ok(ExitCode::SUCCESS)
}
