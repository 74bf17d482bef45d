//! Writes pictures of the scene into a folder, in the background: one, a turn round what is selected, or the frames of
//! the running scene.
//!
//! The work is done on a copy of scene and world with a device of its own, so that no frame depends on how fast the window
//! is: each is simulated to its exact time, drawn and waited for before the next one begins. The files are written beside
//! that, and the window, which shares the processor, is drawn less often meanwhile.

use super::camera_view::{self, CameraPose};
use super::{App, pick};
use crate::asset::{AssetStore, Image};
use crate::camera::{Lens, azimuth_elevation, direction};
use crate::debug::{DebugDraw, Layer};
use crate::gpu::{GpuContext, GpuError};
use crate::ids::CameraId;
use crate::inspect::Inspector;
use crate::inspect::overlays::{self, OverlayContext};
use crate::math::Aabb;
use crate::render::{FrameView, RenderError, Renderer, extract};
use crate::scene::{Scene, Selection};
use crate::sim::World;
use crate::ui::export::{Kind, Wanted};
use glam::Vec3;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;

/// Simulation steps in a second.
const STEPS_PER_SEC: u64 = 60;
/// Most pictures that are drawn and not written yet.
const MOST_UNWRITTEN: usize = 2;
/// Between two looks of the window at how far it is.
const LOOK: Duration = Duration::from_millis(500);
/// Elevation of the eye on a turn: from a little above the ground to well above, radians.
const TURN_ELEVATION: [f32; 2] = [-1.0, -0.15];

/// Where pictures are taken from.
#[derive(Clone, Debug, PartialEq)]
enum Eye {
    /// A camera that follows an instance.
    Camera(CameraId),
    /// A fixed place.
    Fixed(CameraPose),
    /// Round a place, beginning at an angle.
    Round { middle: Vec3, distance: f32, azimuth_rad: f32, elevation_rad: f32, lens: Lens },
}

/// Why an export ended early.
#[derive(Debug, Error)]
pub enum ExportError {
    /// A file or folder cannot be written.
    #[error("{reason}. File: {}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// There is no graphics device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The device refused to draw.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The thread that writes images ended without a result.
    #[error("The images could not be written")]
    WriterPanicked,
}

impl ExportError {
    fn file(path: &Path, error: &dyn std::fmt::Display) -> Self {
        Self::File { path: path.to_path_buf(), reason: error.to_string() }
    }
}

/// What is exported, apart from the window.
struct ExportJob {
    wanted: Wanted,
    stem: String,
    scene: Scene,
    selection: Selection,
    world: World,
    inspector: Inspector,
    assets: AssetStore,
    eye: Eye,
    overlays: Vec<Layer>,
    /// How far between the last two steps the first picture lies.
    alpha: f32,
}

/// How far an export is, for both sides.
#[derive(Debug, Default)]
struct ExportProgress {
    done: AtomicU32,
    cancel: AtomicBool,
}

/// An export under way. Dropping it cancels it after the picture that is being drawn.
#[derive(Debug)]
pub struct Export {
    total: u32,
    progress: Arc<ExportProgress>,
    worker: Option<JoinHandle<Result<(), ExportError>>>,
    folder: PathBuf,
}

impl Drop for Export {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
        if let Some(worker) = self.worker.take() {
            // What it says is of no interest any more.
            let _ = worker.join();
        }
    }
}

/// Simulation steps from the start to the first that is not before frame `index`, and how far between the step before and
/// that one the frame lies: exactly `index / fps` seconds after the start, which lies at a step.
pub fn steps_to(index: u32, fps: u32) -> (u64, f32) {
    let fps = u64::from(fps.max(1));
    let sixtieths = u64::from(index) * STEPS_PER_SEC;
    let steps = sixtieths.div_ceil(fps);
    (steps, 1.0 - (steps * fps - sixtieths) as f32 / fps as f32)
}

/// The file of a picture.
fn file_of(folder: &Path, stem: &str, kind: Kind, index: u32) -> PathBuf {
    match kind {
        Kind::Picture => folder.join(format!("{stem}.png")),
        Kind::Turntable => folder.join(format!("{stem}_turn_{:04}.png", index + 1)),
        Kind::Frames => folder.join(format!("{stem}_{:04}.png", index + 1)),
    }
}

impl Eye {
    fn pose(&self, job: &ExportJob, index: u32, alpha: f32) -> CameraPose {
        match self {
            Self::Camera(id) => job.scene.cameras.get(*id).map_or(
                CameraPose { eye: Vec3::ZERO, direction: Vec3::NEG_Z, lens: Lens::Perspective { fov_rad: 1.0 } },
                |camera| camera_view::of(camera, &job.scene, &job.world, &job.assets, alpha),
            ),
            Self::Fixed(pose) => *pose,
            Self::Round { middle, distance, azimuth_rad, elevation_rad, lens } => {
                let turn = std::f32::consts::TAU * index as f32 / job.wanted.count().max(1) as f32;
                let ahead = direction(azimuth_rad + turn, *elevation_rad);
                CameraPose { eye: *middle - ahead * *distance, direction: ahead, lens: *lens }
            }
        }
    }
}

/// Draws all pictures, and writes each beside the drawing of the next one.
fn work(mut job: ExportJob, progress: &ExportProgress) -> Result<(), ExportError> {
    let folder = job.wanted.folder.clone();
    std::fs::create_dir_all(&folder).map_err(|error| ExportError::file(&folder, &error))?;
    let gpu = GpuContext::headless()?;
    let mut renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT)?;
    while job.world.is_building() && !progress.cancel.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(10));
        job.world.reconcile(&job.scene, &job.assets);
        job.inspector.reconcile(&job.world, &job.scene);
    }
    std::thread::scope(|scope| {
        let (drawn, to_write) = std::sync::mpsc::sync_channel::<(PathBuf, Image)>(MOST_UNWRITTEN);
        let writer = scope.spawn(move || {
            for (path, image) in to_write {
                write_png(&path, &image)?;
                progress.done.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        });
        let done = draw_all(&mut job, &gpu, &mut renderer, progress, &drawn);
        drop(drawn);
        let written = writer.join().unwrap_or(Err(ExportError::WriterPanicked));
        done.and(written)
    })
}

/// Draws all pictures and hands them on, with their files; ends early when the receiver is gone.
fn draw_all(
    job: &mut ExportJob,
    gpu: &GpuContext,
    renderer: &mut Renderer,
    progress: &ExportProgress,
    out: &SyncSender<(PathBuf, Image)>,
) -> Result<(), ExportError> {
    let mut done_steps = 0;
    for index in 0..job.wanted.count() {
        let mut alpha = job.alpha;
        if job.wanted.kind == Kind::Frames {
            let (steps, between) = steps_to(index, job.wanted.fps);
            for _ in done_steps..steps {
                job.world.step(&job.scene);
                job.inspector.step(&job.world, &job.scene);
            }
            (done_steps, alpha) = (steps, between);
        }
        if progress.cancel.load(Ordering::Relaxed) {
            return Ok(());
        }
        let path = file_of(&job.wanted.folder, &job.stem, job.wanted.kind, index);
        let image = picture(job, gpu, renderer, (index, alpha))?;
        if out.send((path, image)).is_err() {
            break;
        }
    }
    Ok(())
}

fn picture(
    job: &ExportJob,
    gpu: &GpuContext,
    renderer: &mut Renderer,
    (index, alpha): (u32, f32),
) -> Result<Image, ExportError> {
    let size = job.wanted.size_px;
    let view = job.eye.pose(job, index, alpha).view(size[0] as f32 / size[1].max(1) as f32);
    let (scene, world, assets) = (&job.scene, &job.world, &job.assets);
    let mut debug = DebugDraw::default();
    let context = OverlayContext { world, inspector: &job.inspector, scene, assets, selection: &job.selection };
    overlays::draw(job.overlays.iter().copied(), &context, &mut debug);
    let mut frame = extract(scene, world, assets, FrameView { camera: (&view).into(), size_px: size, alpha }, debug);
    frame.layer_depth.extend(overlays::depths());
    Ok(renderer.render_to_image(gpu, assets, &frame)?)
}

/// Writes a picture, under another name until it is whole: what has its name can be used.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_png(path: &Path, image: &Image) -> Result<(), ExportError> {
    let half = path.with_extension(format!("{}.part", std::process::id()));
    let (color, format) = (image::ExtendedColorType::Rgba8, image::ImageFormat::Png);
    image::save_buffer_with_format(&half, &image.rgba, image.width, image.height, color, format)
        .map_err(|error| ExportError::file(&half, &error))?;
    std::fs::rename(&half, path).map_err(|error| ExportError::file(path, &error))
}

impl App {
    /// Opens the window of the export for one kind.
    pub(super) fn ask_export(&mut self, kind: Kind) {
        let export = &mut self.ui.export;
        (export.open, export.wanted.kind) = (true, kind);
        if export.wanted.folder.as_os_str().is_empty() {
            let folder = self.folder().join("pictures");
            self.ui.export.wanted.folder = folder;
        }
    }

    /// The name that exported files begin with.
    pub(super) fn export_stem(&self) -> String {
        let stem = self.file.as_ref().and_then(|file| file.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
        stem.unwrap_or_else(|| "scene".into())
    }

    /// The first file that an export would write, if it is there already.
    pub(super) fn export_replaces(&self) -> bool {
        let wanted = &self.ui.export.wanted;
        self.ui.export.open && file_of(&wanted.folder, &self.export_stem(), wanted.kind, 0).exists()
    }

    /// Begins an export; only one goes on at a time.
    pub(super) fn export(&mut self, wanted: Wanted) {
        if self.export.is_some() {
            self.notices.info("The pictures before are still being written.");
            return;
        }
        let Some(eye) = self.export_eye(wanted.kind) else { return };
        let overlays = if wanted.overlays { self.overlays.iter().copied().collect() } else { Vec::new() };
        let alpha = if wanted.kind == Kind::Frames { 1.0 } else { self.clock.alpha() };
        let (total, folder) = (wanted.count(), wanted.folder.clone());
        let job = ExportJob {
            stem: self.export_stem(),
            scene: self.scene.clone(),
            selection: self.selection,
            world: self.world.clone(),
            inspector: self.inspector.clone(),
            assets: self.assets.copy(),
            wanted,
            eye,
            overlays,
            alpha,
        };
        let progress = Arc::new(ExportProgress::default());
        let shared = Arc::clone(&progress);
        let worker = std::thread::spawn(move || work(job, &shared));
        self.export = Some(Export { total, progress, worker: Some(worker), folder });
    }

    fn export_eye(&self, kind: Kind) -> Option<Eye> {
        let seen = self.camera_controller.seen()?;
        if kind == Kind::Turntable {
            let bounds = self.turn_bounds();
            let (azimuth_rad, elevation_rad) = azimuth_elevation(seen.direction);
            let radius = (bounds.size().length() * 0.5).max(0.3);
            let lens = Lens::Perspective { fov_rad: 0.8 };
            return Some(Eye::Round {
                middle: bounds.center(),
                distance: radius / 0.4_f32.sin() * 1.05,
                azimuth_rad,
                elevation_rad: elevation_rad.clamp(TURN_ELEVATION[0], TURN_ELEVATION[1]),
                lens,
            });
        }
        let follows = |id: &CameraId| {
            self.camera_controller.is_looked_through()
                && self.scene.cameras.get(*id).is_some_and(|c| camera_view::follows(c, &self.world))
        };
        Some(self.camera_controller.active().filter(follows).map_or(Eye::Fixed(seen), Eye::Camera))
    }

    /// What a turn goes round: what is selected, else all there is.
    fn turn_bounds(&self) -> Aabb {
        let chosen = self.chosen();
        let mut all = Aabb::EMPTY;
        for (id, instance) in self.scene.instances.iter().filter(|(id, _)| chosen.is_empty() || chosen.contains(id)) {
            let Some(live) = self.world.live(id) else { continue };
            let (world_from_model, bounds) = pick::placed(&self.scene, &self.assets, instance, live, 1.0);
            all = all.union(&bounds.transformed(&world_from_model));
        }
        if chosen.is_empty() {
            let ground = self.world.triangles().iter().flat_map(|triangle| triangle.points);
            all = ground.fold(all, |all, point| all.including(point));
        }
        if all.is_empty() { Aabb::new(Vec3::NEG_ONE, Vec3::ONE) } else { all }
    }

    /// Stops an export after the picture that is being drawn; those that are written stay.
    pub(super) fn cancel_export(&mut self) {
        if let Some(export) = &self.export {
            export.progress.cancel.store(true, Ordering::Relaxed);
        }
    }

    /// How long the window waits at least from one frame to the next while there is no input: images that are being
    /// written need the processor.
    pub(super) fn least_wait(&self) -> Duration {
        if self.export.is_some() { LOOK } else { Duration::ZERO }
    }

    /// Notes how far the export is, and says how it ended.
    pub(super) fn follow_export(&mut self, ctx: &egui::Context) {
        let Some(export) = &mut self.export else { return };
        let done = export.progress.done.load(Ordering::Relaxed);
        self.status.export = Some((done, export.total));
        ctx.request_repaint_after(LOOK);
        let Some(worker) = export.worker.take_if(|worker| worker.is_finished()) else { return };
        let total = export.total;
        let folder = export.folder.display().to_string();
        (self.export, self.status.export) = (None, None);
        match worker.join() {
            Ok(Ok(())) if done < total => {
                self.notices.info(format!("The export was cancelled; {done} of {total} pictures are in {folder}."));
            }
            Ok(Ok(())) => self.notices.info(format!("{total} pictures were written into {folder}.")),
            Ok(Err(error)) => {
                self.notices.error(format!("The export ended after {done} of {total} pictures: {error}"));
            }
            Err(_) => self.notices.error(format!("The export broke off after {done} of {total} pictures.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_lies_at_its_exact_time() {
        for fps in [1, 24, 25, 30, 50, 60, 90, 144] {
            for index in 0..500 {
                let (steps, alpha) = steps_to(index, fps);
                let secs = (steps as f64 - 1.0 + f64::from(alpha)) / STEPS_PER_SEC as f64;
                assert!((secs - f64::from(index) / f64::from(fps)).abs() < 1e-6, "frame {index} at {fps}: {secs}");
                assert!((0.0..=1.0).contains(&alpha) && alpha > 0.0);
            }
        }
        assert_eq!(steps_to(3, 60), (3, 1.0));
        assert_eq!(steps_to(1, 120), (1, 0.5));
    }

    #[test]
    fn files_are_numbered_in_their_order() {
        let name = |kind, index| file_of(Path::new("p"), "town", kind, index).display().to_string();
        assert_eq!(name(Kind::Picture, 0), "p/town.png");
        assert_eq!(name(Kind::Turntable, 0), "p/town_turn_0001.png");
        assert_eq!(name(Kind::Frames, 99), "p/town_0100.png");
    }
}
