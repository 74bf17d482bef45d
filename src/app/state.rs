//! The state of the application: what each part of a frame is lent.

use super::clock::Clock;
use super::dropped::DroppedFiles;
use super::export_job::Export;
use super::imported_level::ImportedLevel;
use super::mesh_opener::MeshOpener;
use super::mesh_saver::MeshSaver;
use super::pending_action::PendingAction;
use super::pick_queue::PickQueue;
use super::player_input::Possessed;
use super::recent::Recent;
use super::scene_lock::SceneLock;
use super::viewport_state::ViewportState;
use super::{
    camera_controller, camera_preview, fonts, gizmo, gizmo_drag, layout, live_files, middle_drag, pick, recovery,
    sound, thumbnails,
};
use crate::asset::AssetStore;
use crate::background::BackgroundJob;
use crate::debug::Layer;
use crate::ids::InstanceId;
use crate::inspect::Inspector;
use crate::profile::Profiler;
use crate::render::Quality;
use crate::scene::history::History;
use crate::scene::{Scene, Selection};
use crate::sim::World;
use crate::ui::{Command, Notices, Question, Status, UiState};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The application: owner of the scene, the world, the models and the picture; lends them to each part of a frame.
pub struct App {
    pub(super) scene: Scene,
    pub(super) selection: Selection,
    /// All selected instances, when there are several; valid as long as it holds the one in `selection`.
    pub(super) group: BTreeSet<InstanceId>,
    pub(super) history: History,
    pub(super) world: World,
    pub(super) inspector: Inspector,
    pub(super) assets: AssetStore,
    pub(super) profiler: Profiler,
    pub(super) notices: Notices,
    pub(super) clock: Clock,
    pub(super) camera_controller: camera_controller::CameraController,
    pub(super) ui: UiState,
    pub(super) status: Status,
    pub(super) overlays: BTreeSet<Layer>,
    pub(super) recent: Recent,
    pub(super) recovery: recovery::Recovery,
    pub(super) layout: layout::Layout,
    /// Files that are read again when they change.
    pub(super) live: live_files::LiveFiles,
    /// Unsaved work that was left behind, while its question waits.
    pub(super) recovery_offer: Option<recovery::RecoveryFile>,
    pub(super) file: Option<PathBuf>,
    pub(super) scene_lock: SceneLock,
    pub(super) pending: Vec<Command>,
    /// Files that were dropped on the window together with others, about which there is a question.
    pub(super) dropped: DroppedFiles,
    pub(super) question: Option<Question>,
    pub(super) pending_action: Option<PendingAction>,
    /// The scene when a file was asked for last.
    pub(super) scene_when_asked: Scene,
    pub(super) viewport: ViewportState,
    /// Pictures that are being written.
    pub(super) export: Option<Export>,
    /// The first file that the export's window is set to, and whether it is there.
    pub(super) export_target: Option<(PathBuf, bool)>,
    /// Fonts of the system for names in other scripts.
    pub(super) fonts: fonts::SystemFonts,
    /// The models that can be put into the scene.
    pub(super) thumbnails: thumbnails::Thumbnails,
    /// The interface that the window shows, for textures.
    pub(super) context: Option<egui::Context>,
    /// Clicks that wait for an answer.
    pub(super) pick_queue: PickQueue,
    /// What the selected camera sees.
    pub(super) camera_preview: camera_preview::CameraPreview,
    /// Models that were added and whose files are not there yet.
    pub(super) importing_models: Vec<crate::ids::ModelId>,
    /// Instances that fell out of the level and are to be deleted.
    pub(super) fallen: BTreeSet<InstanceId>,
    /// Levels that were added and whose files are not there yet.
    pub(super) importing_levels: Vec<crate::ids::LevelId>,
    /// Examines how they were exported.
    pub(super) level_fit: BackgroundJob<ImportedLevel>,
    /// Reads the navigation mesh that is being opened.
    pub(super) mesh_opener: MeshOpener,
    /// Saves navigation meshes.
    pub(super) mesh_saver: MeshSaver,
    /// Whether the camera goes to the first level of an empty scene once it is there.
    pub(super) awaits_level: bool,
    /// Levels that were added to others, to which the camera goes once they are there.
    pub(super) awaited_levels: Vec<crate::ids::LevelId>,
    /// What was said already about files that came in.
    pub(super) noted_files: BTreeSet<String>,
    /// The handle that is being dragged.
    pub(super) gizmo_drag: Option<gizmo_drag::GizmoDrag>,
    /// The drag with the middle button.
    pub(super) middle_drag: Option<middle_drag::MiddleDrag>,
    /// The selected instances, and the tools, when the drag in the viewport began.
    pub(super) before_drag: Option<(BTreeSet<InstanceId>, crate::ui::nav_tools::NavTools)>,
    /// Whether what the button held was taken back, and the button is still down.
    pub(super) drag_cancelled: bool,
    /// The handle under the cursor.
    pub(super) hovered_handle: Option<gizmo::Handle>,
    /// Whether a drag has changed the scene that the recovery file does not know of.
    pub(super) autosave_pending: bool,
    /// Whether the camera was on the move in the last frame.
    pub(super) flying: bool,
    /// The instance under the cursor.
    pub(super) hovered: Option<InstanceId>,
    /// What the camera goes round, while it does.
    pub(super) orbits: Option<glam::Vec3>,
    /// The character that is steered.
    pub(super) possessed: Option<Possessed>,
    /// Whether the cursor is captured, so that the mouse turns that character.
    pub(super) captured: bool,
    /// Time until the wheel counts as resting, while it does not.
    pub(super) wheel_rest: Option<std::time::Duration>,
    /// Whether scene or assets changed since the world was brought in line with them.
    pub(super) stale: bool,
    /// What is heard.
    pub(super) sound: sound::Sound,
    /// Facts about the graphics device, for reports.
    pub(super) graphics: Vec<String>,
    /// Whether the window is to begin or cease to fill the screen.
    pub(super) toggles_fullscreen: bool,
    pub(super) exit: bool,
}

impl App {
    /// An application without a scene.
    pub(super) fn without_scene(recent: Recent) -> Self {
        // What keeps no list of files keeps no settings either, and reads none: tests leave the user's alone.
        let scene_lock = SceneLock::in_folder(recent.folder().map(|folder| folder.join("open")));
        let sound = sound::Sound::load(recent.folder(), sound::may_have_device());
        Self {
            scene: Scene::default(),
            selection: Selection::default(),
            group: BTreeSet::new(),
            history: History::new(Scene::default(), Selection::default()),
            world: World::in_background(),
            inspector: Inspector::in_background(),
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
            live: live_files::LiveFiles::default(),
            recovery_offer: None,
            file: None,
            scene_lock,
            pending: Vec::new(),
            dropped: DroppedFiles::default(),
            question: None,
            pending_action: None,
            scene_when_asked: Scene::default(),
            viewport: ViewportState::default(),
            export: None,
            export_target: None,
            fonts: fonts::SystemFonts::default(),
            thumbnails: thumbnails::Thumbnails::default(),
            context: None,
            pick_queue: PickQueue::default(),
            camera_preview: camera_preview::CameraPreview::default(),
            importing_models: Vec::new(),
            fallen: BTreeSet::new(),
            importing_levels: Vec::new(),
            level_fit: BackgroundJob::in_background(),
            mesh_opener: MeshOpener::default(),
            mesh_saver: MeshSaver::default(),
            awaits_level: false,
            awaited_levels: Vec::new(),
            noted_files: BTreeSet::new(),
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
            sound,
            graphics: Vec::new(),
            toggles_fullscreen: false,
            exit: false,
        }
    }

    /// Brings the world, and the tools that look into it, in line with the scene.
    pub(super) fn reconcile(&mut self) {
        self.profiler.enter("reconcile");
        self.world.reconcile(&self.scene, &self.assets);
        self.inspector.reconcile(&self.world, &self.scene);
        self.profiler.leave();
    }

    /// A world in which nothing has happened yet.
    pub(super) fn restart_world(&mut self) {
        self.world = World::in_background();
        self.inspector = std::mem::take(&mut self.inspector).restarted();
        self.inspector.doctor_mut().clear();
        self.inspector.mesh_compare_mut().clear();
        self.inspector.tree_compare_mut().clear();
    }

    /// Keeps how the window looks, if it has changed.
    pub(super) fn keep_layout(&mut self) {
        if let Some(context) = &self.context {
            self.layout.keep(&self.ui.dock, context);
        }
    }

    /// Shows the welcome window at the start from now on, or not.
    pub(super) fn set_welcome(&mut self, on: bool) {
        self.layout.set_welcome(on);
        self.keep_layout();
    }

    /// The chosen quality of the drawing; none where it follows the device.
    pub fn quality(&self) -> Option<Quality> {
        self.viewport.quality
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

    /// Where the time of frames goes.
    pub fn profiler(&self) -> &Profiler {
        &self.profiler
    }

    /// Whether something is being built on another thread that [`reconcile`](Self::reconcile) takes in once it is there.
    pub(super) fn is_building(&self) -> bool {
        self.world.is_building()
            || self.inspector.is_preparing()
            || self.level_fit.is_running()
            || self.mesh_opener.file().is_some()
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

    /// Why the last click of a tool did nothing.
    pub fn missed_click(&self) -> Option<&'static str> {
        self.ui.nav_tools.missed
    }

    /// How the last picture was taken.
    pub fn view(&self) -> Option<crate::camera::View> {
        self.viewport.view
    }

    /// Where the picture of the last frame was taken from, in world space.
    pub fn eye(&self) -> Option<glam::Vec3> {
        self.viewport.eye()
    }

    /// Where in the window a place in the world is seen, pixels from its top left; `None` behind the eye.
    pub fn seen_at(&self, at: glam::Vec3) -> Option<glam::Vec2> {
        self.viewport.seen_at(at)
    }

    /// Whether an overlay is shown.
    pub fn shows_overlay(&self, layer: Layer) -> bool {
        self.shown_overlays().contains(&layer)
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

    /// What is looked at, as it is drawn.
    pub(super) fn stage(&self) -> pick::PickScene<'_> {
        let alpha = self.clock.alpha();
        pick::PickScene { scene: &self.scene, world: &self.world, assets: &self.assets, alpha }
    }
}
