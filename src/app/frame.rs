//! One frame, from commands to pixels.

use super::state::App;
use super::viewport_state::inside;
use super::window::{FrameHandler, FrameRequest};
use super::{keys, pick, player_input};
use crate::camera::{Lens, View};
use crate::disk::{memory, name_of};
use crate::gpu::GpuContext;
use crate::input::Input;
use crate::render::quality_probe::fitting_quality;
use crate::render::{Quality, Renderer, SpentFrame};
use crate::ui::viewport_input::rect_px;
use crate::ui::{self, Command, Mode, UiContext, ViewportInput};
use glam::Vec2;
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often the music is looked after where nothing moves.
const MUSIC_INTERVAL: Duration = Duration::from_millis(250);

impl FrameHandler for App {
    fn size(&self) -> [f32; 2] {
        self.layout.size()
    }

    fn start(&mut self, gpu: &GpuContext, target_format: wgpu::TextureFormat) {
        self.status.adapter = gpu.adapter_name();
        self.graphics = gpu.facts();
        self.forget_renderer(target_format);
    }

    fn update(&mut self, ui: &mut egui::Ui, dt: Duration) -> FrameRequest {
        self.profiler.end_frame();
        self.profiler.enter("update");
        let ctx = ui.ctx().clone();
        let dt_secs = dt.as_secs_f32().min(0.25);
        self.viewport.fps.add(dt);
        self.notices.advance(dt);
        self.recovery.advance(dt);
        // While a question is open, the look waits for its answer.
        if self.question.is_none() && self.recovery.looks_again(dt) {
            self.offer_found();
        }
        self.profiler.enter("commands");
        self.dropped.locate(&ctx);
        self.open_dropped();
        for command in std::mem::take(&mut self.pending) {
            self.execute(command, &ctx);
        }
        self.profiler.leave();
        self.reload_changed(&ctx);
        self.take_opened_mesh();
        self.note_saved_mesh();
        let imported = self.take_imports();
        if imported || std::mem::take(&mut self.stale) || self.is_building() {
            self.reconcile();
            self.frame_new_levels();
        }
        self.look_at_models(&ctx);
        self.look_after_fonts(&ctx);
        self.follow_export(&ctx);
        self.context.get_or_insert_with(|| ctx.clone());
        self.layout.begin(&ctx);
        self.type_into_drag(&ctx);
        self.captured = self.captures_cursor(&ctx);
        let input = self.captured.then(|| player_input::take(&ctx));
        self.order(input);
        self.rest_wheel(dt);
        self.preview();
        self.simulate(dt);
        self.follow_sound(&ctx);
        // The panels come before the picture is put together, so that both agree on where the picture lies.
        self.profiler.enter("panels");
        let viewport = self.panels(ui);
        self.profiler.leave();
        self.profiler.enter("tools");
        let flying = self.steer(&ctx, &viewport, dt_secs, ctx.pixels_per_point());
        if !ctx.input(|input| input.pointer.any_down()) {
            self.keep_sound();
            if std::mem::take(&mut self.autosave_pending) {
                self.keep_unsaved();
            }
        }
        if std::mem::replace(&mut self.flying, flying) && !flying {
            // The camera came to rest: where it stands is saved too.
            self.keep_unsaved();
        }
        self.take_answers();
        self.click(&viewport, ctx.pixels_per_point());
        let searching = self.go_on_searching();
        self.profiler.leave();
        let before = self.compose(ctx.pixels_per_point());
        self.compose_preview(viewport.preview_rect, ctx.pixels_per_point(), before.as_ref());
        self.viewport.spent = before.map(SpentFrame::from).unwrap_or_default();
        if ctx.input(|input| input.pointer.any_released()) {
            // A drag has ended: the next one is a step of its own.
            self.history.seal();
            self.history.end_drag();
            self.before_drag = None;
            self.keep_layout();
        } else if !self.is_changing(&ctx) {
            // What keys and assistive technology do in one go is a step of its own.
            self.history.seal();
        }
        self.profiler.leave();
        // Until the picture can be drawn: what the interface becomes, and waiting for the screen.
        self.profiler.enter("tessellate, wait");
        self.frame_request(imported || flying || searching || self.stale || self.is_building())
    }

    fn draw(
        &mut self,
        gpu: &GpuContext,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size_px: [u32; 2],
    ) {
        self.profiler.leave();
        self.profiler.enter("draw");
        self.draw_scene(gpu, encoder, target, size_px);
        self.profiler.leave();
        self.profiler.enter("interface, submit");
    }

    fn presented(&mut self, gpu: &GpuContext) {
        self.profiler.leave();
        for error in gpu.take_errors() {
            self.notices.error(format!("The graphics device reported an error: {error}"));
        }
        self.measure_device(gpu);
        let Some(renderer) = &mut self.viewport.renderer else { return };
        renderer.collect(&gpu.device);
        self.pick_queue.follow(renderer);
        for (pass, ms) in renderer.gpu_ms() {
            self.profiler.add_ms(gpu_track(pass), *ms);
        }
        for text in renderer.take_notices() {
            self.notices.push(ui::notices::Level::Warning, text, Vec::new());
        }
    }

    fn file_dropped(&mut self, path: PathBuf) {
        self.dropped.push(path);
    }

    fn close_requested(&mut self) {
        self.pending.push(Command::Run(ui::Action::Quit));
    }
}

impl App {
    fn draw_scene(
        &mut self,
        gpu: &GpuContext,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size_px: [u32; 2],
    ) {
        self.make_renderer(gpu);
        let viewport = &mut self.viewport;
        let (Some(renderer), Some(data)) = (&mut viewport.renderer, &mut viewport.data) else { return };
        let viewport_px = inside(viewport.viewport_px, size_px);
        self.thumbnails.draw(gpu, renderer, self.context.as_ref());
        self.camera_preview.draw(gpu, renderer, &self.assets, data, &mut self.profiler, &mut self.notices);
        let (profiler, assets) = (&mut self.profiler, &self.assets);
        match profiler.scope("upload", || renderer.upload(&gpu.device, &gpu.queue, assets, data)) {
            Ok(()) => profiler.scope("record", || {
                renderer.draw(encoder, target, viewport_px);
                self.camera_preview.show(renderer, encoder, target, size_px);
            }),
            Err(error) => self.notices.error(error.to_string()),
        }
    }

    /// Makes the renderer for the second frame: the first one shows the panels at once, before shaders are built.
    fn make_renderer(&mut self, gpu: &GpuContext) {
        if !std::mem::replace(&mut self.viewport.first_frame_shown, true) {
            return;
        }
        let Some(format) = self.viewport.pending_format.take() else { return };
        let quality = fitting_quality(gpu, self.viewport.quality);
        match quality.and_then(|quality| Renderer::with_quality(gpu, format, quality)) {
            Ok(mut renderer) => {
                if let Some(context) = self.context.clone().filter(|_| self.viewport.prepares_on_threads) {
                    renderer.prepare_on_threads(move || context.request_repaint());
                }
                self.viewport.renderer = Some(renderer);
            }
            Err(error) => self.notices.error(error.to_string()),
        }
    }

    /// Lets go of the renderer, and of what it had begun; another is made for the next picture.
    fn forget_renderer(&mut self, target_format: wgpu::TextureFormat) {
        self.viewport.renderer = None;
        self.camera_preview.forget();
        self.thumbnails.forget_device();
        self.pick_queue.forget_device();
        self.viewport.pending_format = Some(target_format);
    }

    /// Draws in another quality from now on; without one, in that which fits the device.
    pub fn set_quality(&mut self, chosen: Option<Quality>) {
        let before = std::mem::replace(&mut self.viewport.quality, chosen);
        self.layout.set_quality(chosen);
        self.keep_layout();
        if let Some(renderer) = &self.viewport.renderer
            && before != chosen
            && chosen != Some(renderer.quality())
        {
            self.forget_renderer(renderer.target_format());
        }
    }

    /// Measures now and then how much memory is taken on the device, while the panel shows it.
    fn measure_device(&mut self, gpu: &GpuContext) {
        self.viewport.frames = self.viewport.frames.wrapping_add(1);
        if self.viewport.frames % 30 == 1 && self.ui.shows(ui::dock::Panel::Profiler) {
            let report = gpu.device.generate_allocator_report();
            self.status.memory.device = report.map(|report| report.total_allocated_bytes);
        }
    }

    /// As many fixed steps as the time that passed asks for.
    fn simulate(&mut self, dt: Duration) {
        for _ in 0..self.clock.advance(dt) {
            let (world, scene) = (&mut self.world, &self.scene);
            let start = Instant::now();
            self.profiler.enter("simulate");
            world.advance(scene, &self.assets);
            self.profiler.merge(world.profiler(), start);
            let inspector = &mut self.inspector;
            self.profiler.scope("crowd demo", || inspector.step(world, scene));
            self.profiler.leave();
            if let Some(view) = &self.viewport.view {
                self.sound.hear(&self.world, &self.scene, &self.assets, view);
            }
        }
        self.note_fallen();
    }

    /// Keeps the music going, also where nothing else moves.
    fn follow_sound(&mut self, ctx: &egui::Context) {
        let (plays, failures) = self.sound.follow(&self.scene, &self.assets);
        for failure in failures {
            self.notices.error(failure.to_string());
        }
        if let Some(view) = &self.viewport.view {
            self.sound.hear_places(&self.scene, &self.assets, view);
        }
        if plays {
            ctx.request_repaint_after(MUSIC_INTERVAL);
        }
    }

    /// Draws the panels, gathers commands for the next frame, and says what was done in the picture.
    fn panels(&mut self, ui: &mut egui::Ui) -> ViewportInput {
        self.refresh_status();
        // Lent to the panels: many are not copied in every frame.
        let one = match self.selected_set() {
            Cow::Borrowed(_) => None,
            Cow::Owned(one) => Some(one),
        };
        let group = std::mem::take(&mut self.group);
        let chosen = one.as_ref().unwrap_or(&group);
        let leaves = |input: &mut egui::InputState| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape);
        if self.ui.rename.is_some() && ui.ctx().input_mut(leaves) {
            // The name stays as it was.
            self.ui.rename = None;
        }
        // The palette takes its keys itself.
        if !self.ui.files.is_open() && self.question.is_none() && self.ui.palette.is_none() {
            self.pending.extend(keys::shortcuts(ui.ctx()));
        }
        let overlays = self.shown_overlays().into_owned();
        let cx = UiContext {
            scene: &self.scene,
            selection: self.selection,
            camera: self.picked_camera(),
            chosen,
            world: &self.world,
            inspector: &self.inspector,
            assets: &self.assets,
            models: self.thumbnails.files(),
            profiler: &self.profiler,
            notices: &self.notices,
            overlays: &overlays,
            recent: self.recent.files(),
            history: &self.history,
            question: self.question.as_ref(),
            status: &self.status,
        };
        let output = ui::show(ui, &cx, &mut self.ui);
        self.group = group;
        self.pending.extend(output.commands);
        output.viewport
    }

    fn refresh_status(&mut self) {
        let preview_camera = self.previewed_camera();
        self.status.export_replaces = self.export_replaces();
        let status = &mut self.status;
        status.file = self.file.as_deref().map(name_of).unwrap_or_default();
        status.dirty = self.history.is_dirty();
        status.welcome_at_start = self.layout.has_welcome();
        status.playing = self.clock.playing;
        status.speed = self.clock.speed;
        status.captures_cursor = self.captured;
        status.camera = self.camera_controller.active();
        status.is_orthographic =
            self.camera_controller.seen().is_some_and(|pose| matches!(pose.lens, Lens::Orthogonal { .. }));
        status.eye = self.viewport.view.map(|view| (view.position, view.direction));
        status.preview_camera = preview_camera;
        status.fps = self.viewport.fps.per_sec();
        status.chosen_quality = self.viewport.quality;
        status.drawn_quality = self.viewport.renderer.as_ref().map(Renderer::quality);
        status.imports = self.assets.progress();
        status.reading = self.mesh_opener.file().map(name_of);
        status.saving = self.mesh_saver.file().map(name_of);
        if self.ui.shows(ui::dock::Panel::Profiler) {
            status.memory.process = memory::resident_bytes();
            let counts = self.viewport.renderer.as_ref().map(Renderer::counts).unwrap_or_default();
            status.counts = ui::ViewportCounts {
                drawn: counts.visible,
                uploaded_bytes: counts.uploaded_bytes,
                passes: [counts.passes.passes, counts.passes.draws, counts.passes.dispatches],
                overlay: self
                    .viewport
                    .data
                    .as_ref()
                    .map_or(0, |data| data.debug.lines.len() + data.debug.triangles.len()),
            };
        }
        status.sound = self.sound.status();
        self.status.bones = self.bone_labels();
    }

    /// Moves the camera and takes its view. Returns whether it is still on the move.
    fn steer(&mut self, ctx: &egui::Context, viewport: &ViewportInput, dt_secs: f32, scale: f32) -> bool {
        let held = self.question.is_some() || self.steered().is_some();
        let mut input = if held { Input::default() } else { keys::flight(ctx) };
        input.look_px = self.take_look(Vec2::new(viewport.look.x, viewport.look.y));
        if viewport.wheel_notches != 0.0 && !self.turn_wheel(viewport.wheel_notches, viewport.shift) {
            input.wheel_notches = viewport.wheel_notches;
        }
        let watched = self.selection.instance.filter(|_| self.ui.mode == Mode::View);
        self.camera_controller.watch(watched, &self.scene, &self.world, &self.assets);
        let round = Vec2::new(viewport.orbit.x, viewport.orbit.y);
        if (round != Vec2::ZERO || viewport.nearer != 0.0) && !held {
            let around = *self.orbits.get_or_insert(self.orbited());
            self.camera_controller.orbit(&self.scene, &self.world, around, round, viewport.nearer);
        } else if viewport.pan != egui::Vec2::ZERO && !held {
            let around = *self.orbits.get_or_insert(self.orbited());
            let travel = Vec2::new(viewport.pan.x, viewport.pan.y);
            self.camera_controller.pan((&self.scene, &self.world), around, travel, viewport.rect.height());
        } else if ctx.input(|input| !input.pointer.any_down() && !input.modifiers.alt) {
            self.orbits = None;
        }
        let moving = self.camera_controller.update(&input, dt_secs, &self.scene, &self.world);
        let rect = viewport.rect;
        self.viewport.viewport_px = rect_px(rect, scale);
        let aspect = rect.width().max(1.0) / rect.height().max(1.0);
        self.viewport.view =
            Some(self.camera_controller.view(&self.scene, &self.world, &self.assets, self.clock.alpha(), aspect));
        moving
    }

    /// A click in the picture selects what lies under it, unless a tool is on.
    fn click(&mut self, viewport: &ViewportInput, scale: f32) {
        let Some(view) = self.viewport.view.filter(|_| !self.captured) else { return };
        if self.drag_cancelled {
            let ends = viewport.release.is_some() || viewport.click.is_some();
            self.drag_cancelled = viewport.drag.is_some() && !ends;
            return;
        }
        if self.ui.mode == Mode::Edit && self.use_tool(viewport, &view, scale) {
            return;
        }
        self.use_middle_drag(viewport, &view);
        self.hover_gizmo(viewport, &view, scale);
        self.hover_instance(viewport, &view, scale);
        if self.use_gizmo(viewport, &view, scale) {
            return;
        }
        if self.use_box(viewport, &view) {
            return;
        }
        let Some(point) = viewport.click else { return };
        let (at, size) = (viewport.picture_px(point, scale), viewport.size_px(scale));
        if self.ui.mode == Mode::Edit && self.add_corner(&view.ray_through(at, size)) {
            return;
        }
        self.select_at(at, size, viewport);
    }

    /// Notes the instance under the cursor, for the outline around it.
    fn hover_instance(&mut self, viewport: &ViewportInput, view: &View, scale: f32) {
        let free = self.ui.mode == Mode::Edit
            && self.gizmo_drag.is_none()
            && self.hovered_handle.is_none()
            && viewport.drag.is_none();
        let Some(at) = viewport.hover.filter(|_| free) else {
            self.hovered = None;
            return;
        };
        let (at, size) = (viewport.picture_px(at, scale), viewport.size_px(scale));
        self.hovered = pick::instance_at(&self.stage(), view, at, size);
    }

    /// Takes the next step of a search that runs by itself. Returns whether it does.
    fn go_on_searching(&mut self) -> bool {
        if !self.ui.nav_tools.search_runs {
            return false;
        }
        let query = self.inspector.query_mut();
        query.step_search(&self.world, 1);
        let open = query.search().is_some_and(|s| s.slice == crate::nav::query::sliced::Slice::Open);
        self.ui.nav_tools.search_runs = open;
        true
    }

    /// What this frame asks of the window.
    fn frame_request(&mut self, moving: bool) -> FrameRequest {
        let name = if self.status.file.is_empty() { "Untitled" } else { self.status.file.as_str() };
        let mark = if self.history.is_dirty() { "*" } else { "" };
        // What came in, or fell out, amid a drag has its step after it.
        let importing = self.is_importing() || !self.importing_models.is_empty() || !self.fallen.is_empty();
        let moving = moving
            || self.viewport.pending_format.is_some()
            || self.viewport.renderer.as_ref().is_some_and(Renderer::is_preparing)
            || self.camera_preview.is_behind()
            || self.pick_queue.are_open()
            || self.mesh_saver.file().is_some();
        let has_dropped = !self.dropped.is_empty() && self.question.is_none();
        let repaint_after = if moving || has_dropped || !self.pending.is_empty() {
            Some(Duration::ZERO)
        } else if self.clock.playing {
            Some(self.least_wait())
        } else if importing {
            Some(Duration::from_millis(15))
        } else {
            [self.notices.next_change(), self.recovery.next_turn(), self.wheel_rest].into_iter().flatten().min()
        };
        FrameRequest {
            title: format!("{name}{mark} – Walkabout"),
            toggles_fullscreen: std::mem::take(&mut self.toggles_fullscreen),
            captures_cursor: self.captured,
            exit: self.exit,
            repaint_after,
        }
    }
}

/// The profiler's name for a pass on the device.
fn gpu_track(pass: &'static str) -> &'static str {
    match pass {
        "outline" => "GPU outline",
        "pick" => "GPU pick",
        "poses" => "GPU poses",
        "shadows" => "GPU shadows",
        "scene" => "GPU scene",
        "tone mapping" => "GPU tone mapping",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;
    use crate::ui::command::Action;

    #[test]
    fn the_window_is_asked_once_to_fill_the_screen() {
        let mut app = App::new(Recent::default());
        app.execute(Command::Run(Action::Fullscreen), &egui::Context::default());
        assert!(app.frame_request(false).toggles_fullscreen);
        assert!(!app.frame_request(false).toggles_fullscreen, "the window system may end it");
    }
}
