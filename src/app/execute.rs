//! Carries out what was asked: from a command to its effect.

use super::pending_action::PendingAction;
use super::state::App;
use super::views::LOOK_RADIUS;
use crate::disk::{WriteFault, name_of};
use crate::math::Aabb;
use crate::scene::{SceneLevel, Selection};
use crate::sound::MusicCommand;
use crate::ui::command::{Action, Command, CompareCommand, Purpose};
use crate::ui::dock::{Dock, Panel};
use crate::ui::export::ExportKind;
use crate::ui::nav_tools::Tool;
use crate::ui::notices::NoticeAction;
use crate::ui::panels::palette::Palette;
use crate::ui::rename::{Named, Rename};
use crate::ui::viewport_input::MiddleDragMode;
use crate::ui::{Mode, UiState};

impl App {
    /// Carries out one command.
    pub(super) fn execute(&mut self, command: Command, ctx: &egui::Context) {
        match command {
            Command::Run(action) => self.run_action(action, ctx),
            Command::Edit(step) => self.edit(*step),
            Command::Select(selection) => self.set_selection(selection),
            Command::Choose(ids, how) => self.choose(&ids, how),
            Command::CreateMany(wanted) => self.create_many(&wanted),
            Command::Paste(text) => self.paste(&text),
            Command::Open(path) => self.ask_to_open(path),
            Command::OpenSample(file) => self.open_sample(file),
            Command::Ask(purpose) => self.ask(purpose),
            Command::WelcomeAtStart(on) => self.set_welcome(on),
            Command::SaveTo(path) => {
                if self.save(Some(path)) {
                    self.go_on();
                }
            }
            Command::OpenLevel(path) => {
                self.question = None;
                self.unless_dirty(PendingAction::OpenLevel(path), "opening another scene");
            }
            Command::AddLevel(path) => self.add_level(&path),
            Command::AddModel(path, at) => self.add_model(&path, at, ctx.pixels_per_point()),
            Command::Place(id) => self.place(id),
            Command::Notice(action) => self.take_offer(action),
            Command::ShowLevels(ids) => self.show_levels(&ids),
            Command::PlaceFile(path, at) => self.place_file(&path, at, ctx.pixels_per_point()),
            Command::NewCamera => self.new_camera(),
            Command::CameraHere(id) => self.camera_here(id),
            Command::Unsaved(choice) => self.answer(choice),
            Command::Restore(choice) => self.restore(choice),
            Command::Overlay(layer, on) => self.show_overlay(layer, on),
            Command::Overlays(layers) => self.show_overlays(layers),
            Command::OverlayStyle(style) => self.inspector.set_style(style),
            Command::ColorMesh(coloring) => self.color_mesh(coloring),
            Command::FireNode(id, node) => _ = self.world.fire(id, node),
            Command::DeactivateNode(id, node) => _ = self.world.deactivate(id, node),
            Command::UseLevel(name) => _ = self.world.use_level(&name),
            Command::UseDoor(id) => _ = self.world.use_door(id),
            Command::Speed(speed) => self.clock.speed = speed,
            Command::LookAt(at) => self.camera_controller.focus(&self.scene, at, LOOK_RADIUS),
            Command::GoToStep(step) => self.go_to_step(step),
            Command::UseCamera(id) => {
                self.ui.camera = None;
                self.camera_controller.use_camera(&self.scene, id);
            }
            Command::PickCamera(id) => self.select_camera(id),
            Command::CloseNotice(number) => self.notices.close(number),
            Command::ClearLog => self.notices.clear(),
            Command::Export(wanted) => self.export(*wanted),
            Command::CancelExport => self.cancel_export(),
            Command::Stop(ids) => ids.into_iter().for_each(|id| self.world.stop(id)),
            Command::ExportFolder(folder) => self.ui.export.wanted.folder = folder,
            Command::UseSky(path) => self.use_sky(&path),
            Command::PlayClips(id, path) => self.play_clips(id, path.as_deref()),
            Command::AskRecord => self.ask_record(),
            Command::CancelBake => self.world.cancel_bake(),
            Command::RebuildTile(tile) => self.rebuild_tile(tile),
            Command::UseMesh(path) => self.use_mesh(&path),
            Command::SaveMesh(path) => self.save_mesh(path),
            Command::Record(path) => self.record(&path),
            Command::Examine(examination) => self.examine(examination),
            Command::CancelExamination => self.inspector.doctor_mut().cancel(),
            Command::ShowFinding(number) => self.show_finding(number),
            Command::Compare(command) => self.compare(command),
            Command::CompareTrees => self.inspector.tree_compare_mut().start(&self.world, &self.scene),
            Command::Search(0) => self.inspector.query_mut().reset_search(),
            Command::Search(expansions) => self.inspector.query_mut().step_search(&self.world, expansions),
            Command::Theme(theme) => {
                ctx.set_theme(theme);
                self.keep_layout();
            }
            Command::Quality(chosen) => self.set_quality(chosen),
            Command::Sound(settings) => self.sound.set(settings),
            Command::Music(command) => self.run_music(command),
            Command::AskSound(choice) => self.ask(Purpose::Sound(choice)),
            Command::UseSound(choice, path) => self.use_sound(choice, &path),
        }
    }

    pub(super) fn set_selection(&mut self, selection: Selection) {
        // Del is meant for what was chosen last.
        self.ui.nav_tools.picked = None;
        self.ui.camera = None;
        self.selection = selection;
    }

    /// Does what the button of a notice offers.
    fn take_offer(&mut self, action: NoticeAction) {
        match action {
            NoticeAction::FitModel(id) => self.fit_model(id),
            NoticeAction::FitLevel { id, scale, rotation_deg, swap_axes } => {
                self.fit_level(id, |level| SceneLevel { scale, rotation_deg, swap_axes, ..level });
            }
            NoticeAction::UndoStep { name, done } => self.undo_step(&name, done),
            NoticeAction::ShowFolder(folder) => self.show_folder(&folder),
        }
    }

    /// Builds what lies in a tile of the bake again.
    fn rebuild_tile(&mut self, tile: Aabb) {
        self.world.rebuild_mesh_within(tile);
        self.stale = true;
    }

    /// Asks for a file or a folder: in the scene's folder, for pictures in that of the ones before. What is saved is named
    /// after the scene.
    pub(super) fn ask(&mut self, purpose: Purpose) {
        if self.ui.files.is_open() {
            // That of the system may lie behind the window.
            self.notices.info("Another file dialog is open; choose there, or close it, first.");
            return;
        }
        let named = |usual: &str, ending: &str| format!("{}.{ending}", self.scene_name().as_deref().unwrap_or(usual));
        let name = match purpose {
            Purpose::Save => Some(self.file.as_deref().map_or_else(|| named("scene", "acfg"), name_of)),
            Purpose::SaveMesh => Some(named("level", "navmesh")),
            Purpose::Record => Some("paths.yaml".into()),
            _ => None,
        };
        let pictures = &self.ui.export.wanted.folder;
        let to_pictures = purpose == Purpose::ExportFolder && pictures.is_dir();
        let folder = if to_pictures { pictures.clone() } else { self.dialog_folder(purpose) };
        self.ui.files.ask(purpose, &folder, name);
        self.scene_when_asked = self.scene.clone();
    }

    /// Copies what is selected to the clipboard. Returns whether there is something.
    fn copy(&self, ctx: &egui::Context) -> bool {
        self.copied().map(|text| ctx.copy_text(text)).is_some()
    }

    /// Keeps what was changed of the sound for the next run.
    pub(super) fn keep_sound(&mut self) {
        let kept = self.sound.keep();
        self.note_unkept(kept);
    }

    fn run_music(&mut self, command: MusicCommand) {
        let kept = self.sound.run(command);
        self.note_unkept(kept);
    }

    fn note_unkept(&mut self, kept: Result<(), WriteFault>) {
        if let Err(error) = kept {
            self.notices.error(format!("The sound settings hold until Walkabout ends; they were not saved ({error})."));
        }
    }

    fn run_action(&mut self, action: Action, ctx: &egui::Context) {
        match action {
            Action::Copy | Action::Cut | Action::Duplicate | Action::Delete if self.ui.graph_has_keys() => {
                self.graph_with_keys().ask(action);
            }
            Action::New => self.unless_dirty(PendingAction::New, "starting a new scene"),
            Action::Open => self.ask(Purpose::Open),
            Action::Save => {
                self.pending_action = None;
                self.save(None);
            }
            Action::SaveAs => {
                self.pending_action = None;
                self.ask(Purpose::Save);
            }
            Action::ExportPicture => self.ask_export(ExportKind::Picture),
            Action::ExportTurntable => self.ask_export(ExportKind::Turntable),
            Action::ExportFrames => self.ask_export(ExportKind::Frames),
            Action::Recover => {
                if !self.offer_found() {
                    self.notices.info("No unsaved work was left behind.");
                }
            }
            Action::Quit => self.unless_dirty(PendingAction::Quit, "quitting"),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Duplicate => self.duplicate(),
            Action::Delete => self.delete(),
            // A camera is selected last, which is not copied as text.
            Action::Copy | Action::Cut if self.picked_camera().is_some() => {}
            Action::Copy => _ = self.copy(ctx),
            Action::Cut => {
                if self.copy(ctx) {
                    self.delete();
                }
            }
            Action::Paste => ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste),
            Action::Rename => self.rename(),
            Action::CameraPreview => self.ui.hides_preview = !self.ui.hides_preview,
            Action::SelectAll => self.select_all(),
            Action::CreateMany => self.ask_create_many(),
            Action::Drop | Action::LineUpX | Action::LineUpZ | Action::TurnAlike => self.run_on_all(action),
            Action::CloseOutline => self.close_outline(),
            Action::Escape => self.escape(),
            Action::PlayPause => self.clock.playing = !self.clock.playing,
            Action::Step => self.clock.step_once(),
            Action::Restart => self.restart(),
            Action::WalkHere => self.ui.nav_tools.choose(Tool::Send),
            Action::Bake => self.bake(),
            Action::MiddleDragMoves => self.ui.middle_drag = MiddleDragMode::Move,
            Action::MiddleDragTurns => self.ui.middle_drag = MiddleDragMode::Turn,
            Action::MiddleDragScales => self.ui.middle_drag = MiddleDragMode::Scale,
            Action::LocalAxes => self.ui.local_axes = !self.ui.local_axes,
            Action::Fullscreen => self.toggles_fullscreen ^= true,
            Action::ViewMode => {
                self.ui.mode = if self.ui.mode == Mode::Edit { Mode::View } else { Mode::Edit };
            }
            Action::Workbench => self.ui.switch_workbench(),
            Action::BehaviorEditor => self.ui.toggle_panel(Panel::Behavior),
            Action::Assets => self.ui.toggle_panel(Panel::Assets),
            Action::Animation => self.ui.toggle_panel(Panel::Animation),
            Action::Doctor => self.toggle_doctor(),
            Action::Differences => self.toggle_differences(),
            Action::CompareMesh => self.compare(CompareCommand::AskFile),
            Action::NextFinding => self.step_finding(1),
            Action::PreviousFinding => self.step_finding(-1),
            Action::Map => self.ui.toggle_panel(Panel::Map),
            Action::History => self.ui.toggle_panel(Panel::History),
            Action::Profiler => self.ui.toggle_panel(Panel::Profiler),
            Action::Log => self.ui.toggle_panel(Panel::Log),
            Action::ResetLayout => self.ui.dock = Dock::default(),
            Action::Help => self.ui.help = !self.ui.help,
            Action::Welcome | Action::Guide | Action::About | Action::ReportProblem => self.run_help(action, ctx),
            Action::Palette => self.ui.palette = self.ui.palette.is_none().then(Palette::default),
            _ => self.run_view(action),
        }
    }

    /// Shows or hides the windows of the menu Help, or writes a report.
    fn run_help(&mut self, action: Action, ctx: &egui::Context) {
        let UiState { guide, about, welcome, .. } = &mut self.ui;
        match action {
            Action::Welcome => welcome.open = !welcome.open,
            Action::Guide => *guide = !*guide,
            Action::About => *about = !*about,
            _ => self.report_problem(ctx),
        }
    }

    fn restart(&mut self) {
        self.world = std::mem::take(&mut self.world).restarted();
        self.inspector = std::mem::take(&mut self.inspector).restarted();
        self.stale = true;
    }

    /// Escape closes what is open, innermost first.
    fn escape(&mut self) {
        if self.question.is_some() || self.ui.files.is_open() {
            return;
        }
        if self.captured {
            // What gives the cursor back comes first.
            self.ui.mode = Mode::Edit;
            return;
        }
        let UiState { help, guide, about, welcome, create_many, export, .. } = &mut self.ui;
        let windows = [help, guide, about, &mut welcome.open, create_many, &mut export.open];
        if self.notices.close_all() || windows.into_iter().any(std::mem::take) {
            return;
        }
        if !self.ui.nav_tools.outline.is_empty() {
            self.ui.nav_tools.outline.clear();
            return;
        }
        if self.ui.mode == Mode::Edit && self.ui.nav_tools.tool != Tool::None {
            let tool = self.ui.nav_tools.tool;
            self.ui.nav_tools.choose(tool);
            return;
        }
        if std::mem::take(&mut self.ui.mode) == Mode::View {
            return;
        }
        if self.ui.camera.take().is_some() {
            return;
        }
        self.selection = Selection { instance: None, level: None, model: None, ..self.selection };
    }

    /// Lets the name of the selected camera, or else of the selected instance, be typed in the outliner.
    fn rename(&mut self) {
        let camera = self.picked_camera().map(Named::Camera);
        let instance = self.selection.instance.filter(|id| self.scene.instances.contains(*id)).map(Named::Instance);
        let Some(named) = camera.or(instance) else { return };
        self.ui.open_panel(Panel::Outliner);
        self.ui.search.clear();
        self.ui.rename = Some(Rename::of(&self.scene, named));
    }
}
