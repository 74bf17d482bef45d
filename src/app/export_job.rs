//! Writes pictures of the scene into a folder, in the background: one, a turn round what is selected, or the frames of
//! the running scene.
//!
//! The work is done on a copy of scene and world with a device of its own, so that no frame depends on how fast the window
//! is: each is simulated to its exact time, drawn and waited for before the next one begins. The files are written beside
//! that, and the window, which shares the processor, is drawn less often meanwhile.

use super::camera_view::{self, CameraPose};
use super::clock::STEPS_PER_SEC;
use super::pick::PickScene;
use crate::asset::{AssetStore, Image};
use crate::camera::{Lens, SpringArm, direction};
use crate::debug::{DebugDraw, Layer};
use crate::disk::write;
use crate::gpu::{GpuContext, GpuError};
use crate::ids::CameraId;
use crate::inspect::Inspector;
use crate::inspect::overlays::{self, OverlayContext};
use crate::render::quality_probe::fitting_quality;
use crate::render::{FrameView, Quality, RenderError, Renderer, extract};
use crate::scene::{Scene, Selection};
use crate::sim::{EventKind, STEP_SECS, World};
use crate::ui::export::{ExportKind, ExportSettings};
use glam::Vec3;
use image::ImageFormat;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;

/// Most pictures that are drawn and not written yet.
const MAX_QUEUED_IMAGES: usize = 2;
/// Between two looks of the window at how far it is.
pub(super) const LOOK: Duration = Duration::from_millis(500);
/// Where pictures are taken from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Eye {
    /// A camera that is elsewhere in every frame: it follows an instance, travels or shakes.
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
pub(super) struct ExportJob {
    pub(super) wanted: ExportSettings,
    pub(super) stem: String,
    pub(super) scene: Scene,
    pub(super) selection: Selection,
    pub(super) world: World,
    pub(super) inspector: Inspector,
    pub(super) assets: AssetStore,
    pub(super) eye: Eye,
    pub(super) overlays: Vec<Layer>,
    /// How far between the last two steps the first picture lies.
    pub(super) alpha: f32,
    /// As in the window.
    pub(super) quality: Option<Quality>,
    /// The arm of the camera that the pictures are taken from.
    pub(super) arm: SpringArm,
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
    /// The first of the files.
    first: PathBuf,
}

impl Export {
    /// Begins an export on a thread of its own.
    pub(super) fn start(job: ExportJob) -> Self {
        let (total, folder) = (job.wanted.count(), job.wanted.folder.clone());
        let first = file_of(&folder, &job.stem, job.wanted.kind, 0);
        let progress = Arc::new(ExportProgress::default());
        let shared = Arc::clone(&progress);
        let worker = std::thread::spawn(move || work(job, &shared));
        Self { total, progress, worker: Some(worker), folder, first }
    }

    /// The first of the files.
    pub(super) fn first_file(&self) -> &Path {
        &self.first
    }

    /// Stops after the image that is being drawn.
    pub(super) fn cancel(&self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }

    /// How many images are written, and how many there will be.
    pub(super) fn progress(&self) -> (u32, u32) {
        (self.progress.done.load(Ordering::Relaxed), self.total)
    }

    /// Where the images are written.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The thread, once it has ended.
    pub(super) fn take_finished(&mut self) -> Option<JoinHandle<Result<(), ExportError>>> {
        self.worker.take_if(|worker| worker.is_finished())
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        self.cancel();
        if let Some(worker) = self.worker.take() {
            // What it says is of no interest any more.
            let _ = worker.join();
        }
    }
}

/// Simulation steps from the start to the first that is not before frame `index`, and how far between the step before and
/// that one the frame lies: exactly `index / fps` seconds after the start, which lies at a step.
fn steps_to(index: u32, fps: u32) -> (u64, f32) {
    let fps = u64::from(fps.max(1));
    let sixtieths = u64::from(index) * STEPS_PER_SEC;
    let steps = sixtieths.div_ceil(fps);
    (steps, 1.0 - (steps * fps - sixtieths) as f32 / fps as f32)
}

/// The file of a picture.
pub(super) fn file_of(folder: &Path, stem: &str, kind: ExportKind, index: u32) -> PathBuf {
    match kind {
        ExportKind::Picture => folder.join(format!("{stem}.png")),
        ExportKind::Turntable => folder.join(format!("{stem}_turn_{:04}.png", index + 1)),
        ExportKind::Frames => folder.join(format!("{stem}_{:04}.png", index + 1)),
    }
}

impl Eye {
    fn pose(&self, job: &ExportJob, index: u32, alpha: f32) -> CameraPose {
        match self {
            Self::Camera(id) => job.scene.cameras.get(*id).map_or(
                CameraPose {
                    eye: Vec3::ZERO,
                    direction: Vec3::NEG_Z,
                    lens: Lens::Perspective { fov_rad: 1.0 },
                    roll_rad: 0.0,
                },
                |camera| {
                    let stage = PickScene { scene: &job.scene, world: &job.world, assets: &job.assets, alpha };
                    camera_view::through_arm(camera, &stage, &job.arm)
                },
            ),
            Self::Fixed(pose) => *pose,
            Self::Round { middle, distance, azimuth_rad, elevation_rad, lens } => {
                let turn = std::f32::consts::TAU * index as f32 / job.wanted.count().max(1) as f32;
                let ahead = direction(azimuth_rad + turn, *elevation_rad);
                CameraPose { eye: *middle - ahead * *distance, direction: ahead, lens: *lens, roll_rad: 0.0 }
            }
        }
    }
}

/// Draws all pictures, and writes each beside the drawing of the next one.
fn work(mut job: ExportJob, progress: &ExportProgress) -> Result<(), ExportError> {
    let folder = job.wanted.folder.clone();
    std::fs::create_dir_all(&folder).map_err(|error| ExportError::file(&folder, &error))?;
    let gpu = GpuContext::headless()?;
    let mut renderer = Renderer::with_quality(&gpu, Renderer::IMAGE_FORMAT, fitting_quality(&gpu, job.quality)?)?;
    while job.world.is_building() && !progress.cancel.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(10));
        job.world.reconcile(&job.scene, &job.assets);
        job.inspector.reconcile(&job.world, &job.scene);
    }
    std::thread::scope(|scope| {
        let (drawn, to_write) = std::sync::mpsc::sync_channel::<(PathBuf, Image)>(MAX_QUEUED_IMAGES);
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
        if job.wanted.kind == ExportKind::Frames {
            let (steps, between) = steps_to(index, job.wanted.fps);
            for _ in done_steps..steps {
                job.world.advance(&job.scene, &job.assets);
                job.inspector.step(&job.world, &job.scene);
                if let Eye::Camera(id) = job.eye {
                    let camera = job.scene.cameras.get(id).map(|camera| &**camera);
                    camera_view::follow_with(&mut job.arm, camera, &job.world, STEP_SECS);
                }
                let events = job.world.delete_lost(&mut job.scene, &job.assets);
                if events.iter().any(|event| event.kind == EventKind::Lost) {
                    job.inspector.reconcile(&job.world, &job.scene);
                }
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
    frame.layer_depth.extend(overlays::depths(context.inspector.style()));
    frame.line_scale = context.inspector.style().line_width;
    Ok(renderer.render_to_image(gpu, assets, &frame)?)
}

/// Writes a picture, whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_png(path: &Path, image: &Image) -> Result<(), ExportError> {
    let bytes = image.encoded(ImageFormat::Png).map_err(|error| ExportError::file(path, &error))?;
    write(path, &bytes).map_err(|fault| ExportError::file(path, &fault))
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
        assert_eq!(name(ExportKind::Picture, 0), "p/town.png");
        assert_eq!(name(ExportKind::Turntable, 0), "p/town_turn_0001.png");
        assert_eq!(name(ExportKind::Frames, 99), "p/town_0100.png");
    }
}
