//! The loop of the window: its events, its surface, and the user interface's plumbing.
//!
//! The loop knows winit, the surface and egui; what a frame does is the [`FrameHandler`] that it drives.

use super::surface::{Acquired, WindowSurface};
use super::textures::Textures;
use super::wake::{WakeUp, wake_loop};
use super::window_setup;
use crate::gpu::GpuContext;
use crate::render::targets::color_pass;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalPosition;
use winit::event::{DeviceEvent, DeviceId, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopBuilder, EventLoopProxy};
use winit::window::{CursorGrabMode, Fullscreen, Window, WindowId};

/// What the loop asks of the application.
pub trait FrameHandler {
    /// Width and height in which the window opens, points.
    fn size(&self) -> [f32; 2];

    /// Called when a device is there: at the start, and again with another one when the first was lost.
    fn start(&mut self, gpu: &GpuContext, target_format: wgpu::TextureFormat);

    /// Runs one frame up to the user interface. `dt` is the time since the last frame.
    fn update(&mut self, ui: &mut egui::Ui, dt: Duration) -> FrameRequest;

    /// Draws the frame's picture below the user interface. The target is cleared already.
    fn draw(
        &mut self,
        gpu: &GpuContext,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size_px: [u32; 2],
    );

    /// Called after the frame was handed to the screen.
    fn presented(&mut self, gpu: &GpuContext);

    /// A file was dropped on the window.
    fn file_dropped(&mut self, path: PathBuf);

    /// The window was asked to close.
    fn close_requested(&mut self);
}

/// What a frame asks of the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameRequest {
    /// Window title.
    pub title: String,
    /// Whether the window begins to fill the screen, or ceases to. The window system may change it, too.
    pub toggles_fullscreen: bool,
    /// Whether the cursor is hidden and held in the window, so that only the mouse's travel counts.
    pub captures_cursor: bool,
    /// Whether the program ends now.
    pub exit: bool,
    /// Time until the next frame is needed; zero for at once, `None` when only input calls for one.
    pub repaint_after: Option<Duration>,
}

/// Runs a frame up to the user interface, which `update` lays out. Where this is laid out twice, the time since the last frame passes once.
fn lay_out(
    context: &egui::Context,
    input: egui::RawInput,
    mut dt: Duration,
    mut update: impl FnMut(&mut egui::Ui, Duration) -> FrameRequest,
) -> (egui::FullOutput, FrameRequest) {
    let mut request = FrameRequest::default();
    let output = context.run_ui(input, |ui| {
        let toggles = request.toggles_fullscreen;
        request = update(ui, std::mem::take(&mut dt));
        request.toggles_fullscreen ^= toggles;
    });
    (output, request)
}

/// Opens a window and runs `frames` in it until it wants to exit.
///
/// # Errors
/// A sentence for people when there is no display, no driver or no window.
pub fn run(frames: impl FrameHandler + 'static) -> anyhow::Result<()> {
    super::display::check()?;
    let mut builder = EventLoop::<WakeUp>::with_user_event();
    without_system_menu(&mut builder);
    let event_loop = builder.build().map_err(no_display)?;
    let proxy = event_loop.create_proxy();
    let loses_after = std::env::var("WALKABOUT_LOSE_DEVICE_AFTER").ok().and_then(|frames| frames.parse().ok());
    let mut window = WindowLoop { frames, open: None, proxy, failed: None, request: None, drawn: 0, loses_after };
    event_loop.run_app(&mut window).map_err(no_display)?;
    match window.failed {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Lets Command-Q come to the window as any other key: the menu that winit makes on macOS ends the program at once, without asking what
/// becomes of unsaved changes.
#[cfg(target_os = "macos")]
fn without_system_menu(builder: &mut EventLoopBuilder<WakeUp>) {
    winit::platform::macos::EventLoopBuilderExtMacOS::with_default_menu(builder, false);
}

/// Other systems have no such menu.
#[cfg(not(target_os = "macos"))]
fn without_system_menu(_: &mut EventLoopBuilder<WakeUp>) {}

/// The one sentence for a machine without a display.
fn no_display(error: winit::error::EventLoopError) -> anyhow::Error {
    let error = error.to_string();
    anyhow::anyhow!(
        "There is no display to open a window on ({}); `walkabout render` and `walkabout simulate` work without one.",
        without_place(&error)
    )
}

/// What winit says of an error of the system, without the line of its source.
fn without_place(text: &str) -> &str {
    text.strip_prefix("os error at ").and_then(|rest| rest.split_once(": ")).map_or(text, |(_, cause)| cause)
}

struct WindowLoop<F> {
    frames: F,
    open: Option<Open>,
    /// Wakes the loop from other threads.
    proxy: EventLoopProxy<WakeUp>,
    failed: Option<anyhow::Error>,
    /// What the last frame asked for.
    request: Option<FrameRequest>,
    /// Frames that were drawn.
    drawn: u64,
    /// After how many of them a debug build loses its device on purpose.
    loses_after: Option<u64>,
}

/// Everything that exists while the window does.
struct Open {
    window: Arc<Window>,
    gpu: GpuContext,
    surface: WindowSurface,
    egui_state: egui_winit::State,
    egui_renderer: egui_wgpu::Renderer,
    textures: Textures,
    last_frame: Instant,
    /// Whether the cursor is captured and can still move within the window.
    is_confined: bool,
    /// Whether the window system says that other windows cover all of it.
    is_covered: bool,
}

/// Time between frames of a window that is not visible: nothing is drawn, but the simulation goes on as fast as it can.
const UNSEEN_PAUSE: Duration = Duration::from_millis(80);
/// The same for a window in which nothing happens.
const UNSEEN_REST: Duration = Duration::from_secs(1);
/// Time until the next try where the window system gave no picture.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

impl Open {
    /// Everything anew but for the window and the interface: the device is gone.
    fn again(self) -> anyhow::Result<Self> {
        let Self { window, egui_state, textures, egui_renderer, surface, gpu, is_covered, is_confined, .. } = self;
        // A window has one surface at a time, whose device has to be there until it is gone.
        drop((egui_renderer, surface));
        drop(gpu);
        Ok(Self { is_covered, is_confined, ..Self::on(window, Some(egui_state), textures)? })
    }

    fn on(window: Arc<Window>, state: Option<egui_winit::State>, textures: Textures) -> anyhow::Result<Self> {
        let (gpu, surface) = GpuContext::for_window(Arc::clone(&window))?;
        let surface = WindowSurface::new(&gpu, surface, window.inner_size())?;
        let egui_state = state.unwrap_or_else(|| interface(&window, &gpu));
        let mut egui_renderer =
            egui_wgpu::Renderer::new(&gpu.device, surface.format(), egui_wgpu::RendererOptions::default());
        for (id, delta) in textures.all() {
            egui_renderer.update_texture(&gpu.device, &gpu.queue, id, &delta);
        }
        Ok(Self {
            window,
            gpu,
            surface,
            egui_state,
            egui_renderer,
            textures,
            last_frame: Instant::now(),
            is_confined: false,
            is_covered: false,
        })
    }

    /// Whether the window is not visible: it is minimized, without a size, or covered by others.
    fn is_unseen(&self) -> bool {
        let size = self.window.inner_size();
        self.is_covered || size.width == 0 || size.height == 0 || self.window.is_minimized() == Some(true)
    }

    /// Hides and holds the cursor, or gives it back.
    fn capture_cursor(&mut self, captures: bool) {
        let modes: &[CursorGrabMode] =
            if captures { &[CursorGrabMode::Locked, CursorGrabMode::Confined] } else { &[CursorGrabMode::None] };
        let taken = modes.iter().find(|mode| self.window.set_cursor_grab(**mode).is_ok());
        if taken.is_none() {
            tracing::debug!("The window system does not hold the cursor; its travel counts all the same.");
        }
        self.is_confined = captures && taken != Some(&CursorGrabMode::Locked);
        self.window.set_cursor_visible(!captures);
        self.center_cursor();
    }

    /// Keeps a cursor that is not locked away from the window's edges, where it could travel no farther.
    fn center_cursor(&self) {
        if self.is_confined {
            let size = self.window.inner_size();
            // Where the system refuses, the cursor stops at the edge.
            drop(self.window.set_cursor_position(PhysicalPosition::new(size.width / 2, size.height / 2)));
        }
    }

    fn frame(&mut self, frames: &mut impl FrameHandler) -> FrameRequest {
        let now = Instant::now();
        let dt = now - std::mem::replace(&mut self.last_frame, now);
        let mut input = self.egui_state.take_egui_input(&self.window);
        input.viewports.entry(egui::ViewportId::ROOT).or_default().fullscreen =
            Some(self.window.fullscreen().is_some());
        let context = self.egui_state.egui_ctx().clone();
        let (output, mut request) = lay_out(&context, input, dt, |ui, dt| frames.update(ui, dt));
        let egui_delay = output.viewport_output.get(&egui::ViewportId::ROOT).map(|v| v.repaint_delay);
        request.repaint_after =
            [request.repaint_after, egui_delay.filter(|d| *d < Duration::from_secs(3600))].into_iter().flatten().min();
        let asked = output.viewport_output.get(&egui::ViewportId::ROOT).into_iter().flat_map(|v| &v.commands);
        if asked.into_iter().any(|command| *command == egui::ViewportCommand::RequestPaste)
            && let Some(text) = self.egui_state.clipboard_text()
        {
            self.egui_state.egui_input_mut().events.push(egui::Event::Paste(text));
            request.repaint_after = Some(Duration::ZERO);
        }
        self.egui_state.handle_platform_output(&self.window, output.platform_output);
        let jobs = context.tessellate(output.shapes, output.pixels_per_point);
        let unseen = self.is_unseen();
        let is_painted = self.paint(frames, (!unseen).then_some(&jobs), output.textures_delta, output.pixels_per_point);
        request.repaint_after = next_frame(request.repaint_after, unseen, is_painted);
        request
    }

    /// Draws a frame, its picture and the interface over it; nothing without the interface's shapes, but for the changes of its
    /// textures. Returns whether it is on screen.
    fn paint(
        &mut self,
        frames: &mut impl FrameHandler,
        jobs: Option<&Vec<egui::ClippedPrimitive>>,
        mut textures: egui::TexturesDelta,
        pixels_per_point: f32,
    ) -> bool {
        for (id, deltas) in textures.set.drain() {
            for delta in &deltas {
                self.textures.note(id, delta);
                self.egui_renderer.update_texture(&self.gpu.device, &self.gpu.queue, id, delta);
            }
        }
        let mut is_painted = false;
        if let Some(jobs) = jobs
            && let Acquired::Picture(picture) = self.surface.acquire(&self.gpu, &self.window)
        {
            is_painted = true;
            let view = picture.texture.create_view(&wgpu::TextureViewDescriptor::default());
            let size_px = self.surface.size_px();
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            // Nothing of the last picture may show through where the new one draws nothing.
            color_pass(&mut encoder, "clear", (&view, wgpu::LoadOp::Clear(BACKDROP)), None);
            frames.draw(&self.gpu, &mut encoder, &view, size_px);
            let screen = egui_wgpu::ScreenDescriptor { size_in_pixels: size_px, pixels_per_point };
            let extra =
                self.egui_renderer.update_buffers(&self.gpu.device, &self.gpu.queue, &mut encoder, jobs, &screen);
            {
                let pass = color_pass(&mut encoder, "interface", (&view, wgpu::LoadOp::Load), None);
                self.egui_renderer.render(&mut pass.forget_lifetime(), jobs, &screen);
            }
            self.gpu.queue.submit(extra.into_iter().chain([encoder.finish()]));
            self.window.pre_present_notify();
            self.surface.present(&self.gpu, &self.window, picture);
            frames.presented(&self.gpu);
        }
        for id in textures.free.drain() {
            self.textures.forget(id);
            self.egui_renderer.free_texture(&id);
        }
        is_painted
    }
}

/// Time until the next frame, for the time that the last one asked for: not at once where the window is not visible or the
/// window system gave no picture, and soon where a picture is owed.
fn next_frame(wanted: Option<Duration>, unseen: bool, is_painted: bool) -> Option<Duration> {
    match (unseen, is_painted) {
        (true, _) => Some(wanted.map_or(UNSEEN_REST, |wanted| wanted.max(UNSEEN_PAUSE))),
        (false, false) => Some(RETRY_PAUSE),
        (false, true) => wanted,
    }
}

/// Gives a digit that was just pressed on the number pad the name that the command table has for it. With NumLock off its
/// keys mean Home, End and so on, and stay that.
fn name_numpad(key: &winit::event::KeyEvent, events: &mut [egui::Event]) {
    use winit::keyboard::{KeyCode, PhysicalKey};
    let digit = match key.physical_key {
        PhysicalKey::Code(KeyCode::Numpad1) => 1,
        PhysicalKey::Code(KeyCode::Numpad3) => 3,
        PhysicalKey::Code(KeyCode::Numpad5) => 5,
        PhysicalKey::Code(KeyCode::Numpad7) => 7,
        _ => return,
    };
    let pushed = events.iter_mut().rev().find_map(|event| match event {
        egui::Event::Key { key, .. } => Some(key),
        _ => None,
    });
    if let (Some(pushed), Some(named)) = (pushed, crate::ui::command::numpad_key(digit))
        && (egui::Key::Num0..=egui::Key::Num9).contains(pushed)
    {
        *pushed = named;
    }
}

/// The interface in its own look.
fn interface(window: &Window, gpu: &GpuContext) -> egui_winit::State {
    let context = egui::Context::default();
    crate::ui::theme::install(&context);
    egui_winit::State::new(
        context,
        egui::ViewportId::ROOT,
        window,
        Some(window.scale_factor() as f32),
        window.theme(),
        Some(gpu.device.limits().max_texture_dimension_2d as usize),
    )
}

/// Shown until the first picture.
const BACKDROP: wgpu::Color = wgpu::Color { r: 0.16, g: 0.18, b: 0.21, a: 1.0 };

impl<F: FrameHandler> WindowLoop<F> {
    /// Takes another device when the one in use is gone; the scene and the interface stay.
    fn replace_lost_device(&mut self, event_loop: &ActiveEventLoop) {
        let Some(open) = self.open.take_if(|open| open.gpu.is_lost()) else { return };
        match open.again() {
            Ok(open) => {
                self.frames.start(&open.gpu, open.surface.format());
                open.window.request_redraw();
                self.open = Some(open);
            }
            Err(error) => {
                self.failed = Some(error.context("The graphics device was lost, and no other one was found"));
                event_loop.exit();
            }
        }
    }

    fn redraw(&mut self, event_loop: &ActiveEventLoop) {
        self.replace_lost_device(event_loop);
        let Some(open) = &mut self.open else { return };
        self.drawn += 1;
        if cfg!(debug_assertions) && self.loses_after == Some(self.drawn) {
            // For trying out what happens then.
            open.gpu.device.destroy();
        }
        let request = open.frame(&mut self.frames);
        let next_ms = request.repaint_after.map(|delay| delay.as_millis());
        tracing::trace!(frame = self.drawn, next_ms, "drawn");
        if self.request.as_ref().is_none_or(|before| before.title != request.title) {
            open.window.set_title(&request.title);
        }
        if request.toggles_fullscreen {
            let is_small = open.window.fullscreen().is_none();
            open.window.set_fullscreen(is_small.then_some(Fullscreen::Borderless(None)));
        }
        if self.request.as_ref().is_some_and(|before| before.captures_cursor) != request.captures_cursor {
            open.capture_cursor(request.captures_cursor);
        } else if request.captures_cursor {
            open.center_cursor();
        }
        match request.repaint_after {
            Some(Duration::ZERO) => open.window.request_redraw(),
            Some(delay) => event_loop.set_control_flow(ControlFlow::WaitUntil(Instant::now() + delay)),
            None => event_loop.set_control_flow(ControlFlow::Wait),
        }
        if request.exit {
            event_loop.exit();
        }
        self.request = Some(request);
    }
}

impl<F: FrameHandler> ApplicationHandler<WakeUp> for WindowLoop<F> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.open.is_some() {
            return;
        }
        let opened = window_setup::open(event_loop, self.frames.size());
        match opened.and_then(|window| Open::on(window, None, Textures::default())) {
            Ok(open) => {
                self.frames.start(&open.gpu, open.surface.format());
                wake_loop(open.egui_state.egui_ctx(), &self.proxy);
                open.window.request_redraw();
                self.open = Some(open);
            }
            Err(error) => {
                self.failed = Some(error);
                event_loop.exit();
            }
        }
    }

    fn user_event(&mut self, _: &ActiveEventLoop, _: WakeUp) {
        if let Some(open) = &self.open {
            open.window.request_redraw();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(open) = &mut self.open else { return };
        let response = open.egui_state.on_window_event(&open.window, &event);
        if let WindowEvent::KeyboardInput { event: key, .. } = &event {
            name_numpad(key, &mut open.egui_state.egui_input_mut().events);
        }
        // egui asks for a repaint after every event, the repaint itself included.
        if response.repaint && event != WindowEvent::RedrawRequested {
            open.window.request_redraw();
        }
        match event {
            WindowEvent::CloseRequested => {
                self.frames.close_requested();
                open.window.request_redraw();
            }
            WindowEvent::Resized(size) => {
                open.surface.resize(&open.gpu, size);
                open.window.request_redraw();
            }
            WindowEvent::Occluded(is_covered) => {
                open.is_covered = is_covered;
                open.window.request_redraw();
            }
            WindowEvent::DroppedFile(path) => {
                self.frames.file_dropped(path);
                open.window.request_redraw();
            }
            // Taken away from outside: nothing is left to draw into, nor to ask about unsaved changes with.
            WindowEvent::Destroyed => {
                self.open = None;
                event_loop.exit();
            }
            WindowEvent::RedrawRequested => self.redraw(event_loop),
            _ => {}
        }
    }

    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, event: DeviceEvent) {
        let Some(open) =
            self.open.as_mut().filter(|_| self.request.as_ref().is_some_and(|request| request.captures_cursor))
        else {
            return;
        };
        if let DeviceEvent::MouseMotion { delta } = event {
            open.egui_state.on_mouse_motion(delta);
            open.window.request_redraw();
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if let (Some(open), ControlFlow::WaitUntil(when)) = (&self.open, event_loop.control_flow())
            && when <= Instant::now()
        {
            open.window.request_redraw();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_once_where_the_interface_is_laid_out_twice() {
        let (mut passed, dt) = (Vec::new(), Duration::from_millis(16));
        let update = |ui: &mut egui::Ui, dt| {
            passed.push(dt);
            if passed.len() == 1 {
                ui.ctx().request_discard("its first size was a guess");
            }
            FrameRequest { toggles_fullscreen: passed.len() == 1, ..FrameRequest::default() }
        };
        let (mut output, request) = lay_out(&egui::Context::default(), egui::RawInput::default(), dt, update);
        output.textures_delta.clear();
        assert_eq!(passed, [dt, Duration::ZERO]);
        assert!(request.toggles_fullscreen);
    }

    #[test]
    fn an_unseen_window_is_not_drawn_all_the_time() {
        let ms = Duration::from_millis;
        assert_eq!(next_frame(Some(Duration::ZERO), false, true), Some(Duration::ZERO));
        assert_eq!(next_frame(None, false, true), None);
        assert_eq!(next_frame(Some(Duration::ZERO), true, false), Some(UNSEEN_PAUSE));
        assert_eq!(next_frame(Some(ms(500)), true, false), Some(ms(500)));
        assert_eq!(next_frame(None, true, false), Some(UNSEEN_REST));
        for wanted in [None, Some(Duration::ZERO), Some(ms(5000))] {
            assert_eq!(next_frame(wanted, false, false), Some(RETRY_PAUSE), "a picture is owed");
        }
    }

    #[test]
    fn errors_of_the_system_are_told_without_a_place() {
        let text = "os error at C:\\x/winit/src/platform_impl/linux/mod.rs:788: Failed to open connection: no server";
        assert_eq!(without_place(text), "Failed to open connection: no server");
        assert_eq!(without_place("Exit Failure: 1"), "Exit Failure: 1");
    }
}
