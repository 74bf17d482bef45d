//! `walkabout bench --gpu`: how fast a graphics processor draws many characters, by passes.

use super::output::{check_output, print_line, print_written};
use super::progress::ProgressLine;
use super::repeated_instances::{measured_scenes, repeat_characters};
use super::ui_picture::ui_picture;
use crate::asset::{AssetStore, Image};
use crate::camera::{Lens, View, direction};
use crate::debug::DebugDraw;
use crate::disk::memory::resident_bytes;
use crate::disk::stem_of;
use crate::disk::write::write_or_print;
use crate::gpu::{GpuContext, readback};
use crate::math::Percentiles;
use crate::render::FrameCounts;
use crate::render::quality::Quality;
use crate::render::quality_probe::{fitting_quality, shading_rate};
use crate::render::targets::check_size;
use crate::render::{CameraFrame, FrameSources, FrameView, Renderer, SpentFrame, extract_into};
use crate::scene::{Scene, SceneCamera};
use crate::sim::World;
use crate::ui::stacked_bars::StackedBars;
use anyhow::Context as _;
use image::ImageFormat;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Numbers of characters.
const COUNTS: [usize; 3] = [1_000, 10_000, 50_000];
/// Steps of the simulation before the first frame.
const WARM_STEPS: u32 = 30;
/// Frames before the measured ones: shaders are compiled and buffers grow.
const WARM_FRAMES: usize = 4;
/// Measured frames of a row.
const FRAMES: usize = 120;
/// Time after which no more frames of a row are begun, but for the first few.
const MAX_TIME: Duration = Duration::from_secs(2);
/// Frames that are measured however long they take.
const MIN_FRAMES: usize = 3;
/// Frames that the device may be behind, as in a window.
const FRAMES_IN_FLIGHT: usize = 2;
/// Height of a row in the plot, pixels.
const ROW_PX: u32 = 46;

/// What is measured.
#[derive(Clone, Debug)]
pub(super) struct GpuBench<'a> {
    /// A scene in place of those that come with the program.
    pub scene: Option<&'a Path>,
    /// A number of characters in place of [`COUNTS`].
    pub instances: Option<usize>,
    /// Size of the picture in pixels.
    pub size_px: [u32; 2],
    /// Picture of the figures to write (.png).
    pub plot: Option<&'a Path>,
    /// Whether JSON is printed.
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct GpuReport {
    adapter: String,
    backend: String,
    driver: String,
    quality: &'static str,
    /// Steps of four multiplications with addition in shaders of pixels, thousand millions a second.
    shading_rate: f64,
    size_px: [u32; 2],
    rows: Vec<GpuRow>,
}

/// Where the camera is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum BenchView {
    /// The scene's first camera.
    Scene,
    /// Above and beside all characters, so that each is in the picture.
    All,
}

impl BenchView {
    const ALL: [Self; 2] = [Self::Scene, Self::All];

    fn label(self) -> &'static str {
        match self {
            Self::Scene => "its camera",
            Self::All => "all in view",
        }
    }
}

#[derive(Debug, Serialize)]
struct GpuRow {
    scene: String,
    instances: usize,
    view: BenchView,
    /// Frames a second without steps of the simulation.
    fps: f64,
    /// What the processor takes for such a frame, waiting for the device included; the mean is that of the frames a second.
    frame_ms: Percentiles,
    /// Frames a second with a step of the simulation in each.
    fps_with_steps: f64,
    step_ms: f64,
    /// Time of the processor: what a frame shows is put together, uploaded, and recorded.
    extract_ms: f64,
    upload_ms: f64,
    record_ms: f64,
    /// Sum of the passes on the device; 0 without timestamps.
    device_ms: f64,
    /// Passes of one name are added.
    pass_ms: BTreeMap<&'static str, f64>,
    #[serde(flatten)]
    counts: FrameCounts,
    /// Taken on the device, where the driver tells.
    device_bytes: Option<u64>,
    process_bytes: Option<u64>,
}

/// Measures, prints, and draws the plot.
///
/// # Errors
/// A scene does not load, there is nothing to draw with, or the output cannot be written.
pub(super) fn run(bench: &GpuBench<'_>) -> anyhow::Result<ExitCode> {
    check_output("--plot", bench.plot, ["PNG file", "png"], bench.json)?;
    let scenes = measured_scenes(bench.scene)?;
    let gpu = GpuContext::headless()?;
    check_size(&gpu.device, bench.size_px)?;
    let info = gpu.adapter.get_info();
    let mut report = GpuReport {
        adapter: info.name.clone(),
        backend: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        quality: fitting_quality(&gpu, Quality::of_program())?.name(),
        shading_rate: shading_rate(&gpu)?,
        size_px: bench.size_px,
        rows: Vec::new(),
    };
    let counts = bench.instances.map_or(COUNTS.to_vec(), |count| vec![count]);
    let mut progress = ProgressLine::new();
    for scene in &scenes {
        for &count in &counts {
            progress.say(&format!("{}: {count} characters", scene.display()));
            report.rows.extend(measure(&gpu, scene, count, bench.size_px)?);
        }
    }
    drop(progress);
    let text = if bench.json { serde_json::to_string_pretty(&report)? } else { as_text(&report) };
    match bench.plot {
        Some(file) => print_written(file, &text)?,
        None => print_line(&text)?,
    }
    if let Some(file) = bench.plot {
        let say = || format!("The plot could not be written. File: {}", file.display());
        let bytes = plot(&gpu, &report)?.encoded(ImageFormat::Png).with_context(say)?;
        write_or_print(file, &bytes).with_context(say)?;
        if !bench.json {
            print_written(file, &format!("{}: the times as a plot", file.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The rows of a scene with a number of characters, one for each view.
fn measure(gpu: &GpuContext, path: &Path, count: usize, size_px: [u32; 2]) -> anyhow::Result<Vec<GpuRow>> {
    let loaded = crate::scene::file::load(path).with_context(|| format!("File: {}", path.display()))?;
    let mut scene = loaded.scene;
    let assets = super::assets::load(&scene, loaded.root, &mut ProgressLine::new());
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    if let Some(mesh) = world.mesh().current() {
        repeat_characters(&mut scene, &assets, mesh, count);
    }
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    for _ in 0..WARM_STEPS {
        world.step(&scene);
    }
    let name = stem_of(path);
    let row = |view| {
        let camera = camera(&scene, &world, view, size_px);
        let mut stage = Stage::new(gpu, &scene, &assets, camera, size_px)?;
        stage.frames(&mut world, WARM_FRAMES, Stepping::Off)?;
        let still = stage.frames(&mut world, FRAMES, Stepping::Off)?;
        let stepped = stage.frames(&mut world, FRAMES, Stepping::On)?;
        Ok(GpuRow {
            scene: name.clone(),
            instances: count,
            view,
            fps: 1e3 / still.frame_ms.mean,
            fps_with_steps: 1e3 / stepped.frame_ms.mean,
            step_ms: stepped.step_ms,
            frame_ms: still.frame_ms,
            extract_ms: still.extract_ms,
            upload_ms: still.upload_ms,
            record_ms: still.record_ms,
            device_ms: still.pass_ms.values().sum(),
            pass_ms: still.pass_ms,
            counts: stage.renderer.counts(),
            device_bytes: gpu.device.generate_allocator_report().map(|report| report.total_allocated_bytes),
            process_bytes: resident_bytes(),
        })
    };
    BenchView::ALL.into_iter().map(row).collect()
}

/// The view of a camera as it is saved, whatever it follows.
pub(super) fn saved_view(camera: &SceneCamera, size_px: [u32; 2]) -> CameraFrame {
    let lens = Lens::Perspective { fov_rad: camera.fov_deg.to_radians() };
    (&View::new(camera.position, camera.direction(), lens, size_px[0] as f32 / size_px[1] as f32)).into()
}

/// The view of a row.
fn camera(scene: &Scene, world: &World, view: BenchView, size_px: [u32; 2]) -> CameraFrame {
    let aspect = size_px[0] as f32 / size_px[1] as f32;
    let view = match view {
        BenchView::Scene => {
            let camera = scene.cameras.values().next().map(|camera| (**camera).clone()).unwrap_or_default();
            return saved_view(&camera, size_px);
        }
        BenchView::All => {
            let places = || scene.instances.ids().filter_map(|id| world.live(id)).map(|live| live.now.position);
            let count = places().count().max(1) as f32;
            let center = places().sum::<glam::Vec3>() / count;
            let radius = places().map(|place| place.distance(center)).fold(5.0, f32::max);
            let (fov_rad, looking) = (0.8_f32, direction(0.6, -0.6));
            View::new(
                center - looking * (radius / (0.5 * fov_rad).sin()),
                looking,
                Lens::Perspective { fov_rad },
                aspect,
            )
        }
    };
    (&view).into()
}

/// Whether frames advance the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stepping {
    Off,
    On,
}

/// Means of some frames.
#[derive(Debug, Default)]
struct FrameTimes {
    frame_ms: Percentiles,
    step_ms: f64,
    extract_ms: f64,
    upload_ms: f64,
    record_ms: f64,
    pass_ms: BTreeMap<&'static str, f64>,
}

/// What frames are drawn with.
struct Stage<'a> {
    gpu: &'a GpuContext,
    renderer: Renderer,
    spent: SpentFrame,
    target: wgpu::TextureView,
    scene: &'a Scene,
    assets: &'a AssetStore,
    camera: CameraFrame,
    size_px: [u32; 2],
}

impl<'a> Stage<'a> {
    fn new(
        gpu: &'a GpuContext,
        scene: &'a Scene,
        assets: &'a AssetStore,
        camera: CameraFrame,
        size_px: [u32; 2],
    ) -> anyhow::Result<Self> {
        let renderer = Renderer::new(gpu, Renderer::IMAGE_FORMAT)?;
        let target = readback::target(&gpu.device, "picture", size_px, Renderer::IMAGE_FORMAT);
        let target = target.create_view(&wgpu::TextureViewDescriptor::default());
        Ok(Self { gpu, renderer, spent: SpentFrame::default(), target, scene, assets, camera, size_px })
    }

    /// Draws frames as a window does: the processor prepares the next ones while the device draws.
    fn frames(&mut self, world: &mut World, count: usize, stepping: Stepping) -> anyhow::Result<FrameTimes> {
        let (gpu, begin) = (self.gpu, Instant::now());
        let (mut times, mut samples, mut measured) = (FrameTimes::default(), Vec::new(), 0);
        let mut in_flight = std::collections::VecDeque::new();
        for i in 0..count {
            if i >= MIN_FRAMES && begin.elapsed() > MAX_TIME {
                break;
            }
            let start = Instant::now();
            if stepping == Stepping::On {
                world.step(self.scene);
                times.step_ms += ms_since(start);
            }
            let part = Instant::now();
            let view = FrameView { camera: self.camera, size_px: self.size_px, alpha: 0.5 };
            let spent = std::mem::take(&mut self.spent);
            let sources = FrameSources { scene: self.scene, world, assets: self.assets };
            let frame = extract_into(spent, sources, view, DebugDraw::default());
            times.extract_ms += ms_since(part);
            let part = Instant::now();
            self.renderer.upload(&gpu.device, &gpu.queue, self.assets, &frame)?;
            self.spent = frame.into();
            times.upload_ms += ms_since(part);
            let part = Instant::now();
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let [width, height] = self.size_px;
            self.renderer.draw(&mut encoder, &self.target, [0, 0, width, height]);
            in_flight.push_back(gpu.queue.submit([encoder.finish()]));
            times.record_ms += ms_since(part);
            self.renderer.collect(&gpu.device);
            if in_flight.len() > FRAMES_IN_FLIGHT
                && let Some(submission_index) = in_flight.pop_front()
            {
                gpu.device.poll(wgpu::PollType::Wait { submission_index: Some(submission_index), timeout: None })?;
            }
            for &(pass, ms) in self.renderer.gpu_ms() {
                *times.pass_ms.entry(pass).or_default() += f64::from(ms);
            }
            measured += usize::from(!self.renderer.gpu_ms().is_empty());
            samples.push(ms_since(start));
        }
        gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
        let frames = samples.len().max(1) as f64;
        // The last frames are waited for too: their time belongs to the mean.
        let mean = ms_since(begin) / frames;
        times.frame_ms = Percentiles { mean, ..Percentiles::of(samples) };
        for sum in [&mut times.step_ms, &mut times.extract_ms, &mut times.upload_ms, &mut times.record_ms] {
            *sum /= frames;
        }
        times.pass_ms.values_mut().for_each(|sum| *sum /= measured.max(1) as f64);
        match gpu.take_errors().into_iter().next() {
            Some(error) => anyhow::bail!("The graphics device reported an error: {error}"),
            None => Ok(times),
        }
    }
}

fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn as_text(report: &GpuReport) -> String {
    let GpuReport { adapter, backend, driver, quality, size_px: [width, height], shading_rate, rows } = report;
    let mut text = format!(
        "{adapter} ({backend}, driver {driver}), quality {quality}, {width} x {height} pixels, {shading_rate:.0} G shading steps/s\n\
         scene      characters  view         drawn    fps  with steps  frame ms  device ms  step ms  extract  upload  record     KiB  draws  1000 triangles  passes  GPU MiB"
    );
    for row in rows {
        let mib = row.device_bytes.map_or("–".to_owned(), |bytes| (bytes >> 20).to_string());
        text += &format!(
            "\n{:10} {:10}  {:11} {:6} {:6.0} {:11.0} {:9.2} {:10.2} {:8.2} {:8.2} {:7.2} {:7.2} {:7} {:6} {:15} {:7} {mib:>8}",
            row.scene,
            row.instances,
            row.view.label(),
            row.counts.visible,
            row.fps,
            row.fps_with_steps,
            row.frame_ms.mean,
            row.device_ms,
            row.step_ms,
            row.extract_ms,
            row.upload_ms,
            row.record_ms,
            row.counts.uploaded_bytes >> 10,
            row.counts.passes.draws,
            row.counts.passes.triangles / 1000,
            row.counts.passes.passes,
        );
    }
    for row in rows {
        let passes: Vec<String> = row.pass_ms.iter().map(|(pass, ms)| format!("{pass} {ms:.2}")).collect();
        text += &format!("\n{} {}, {}: {}", row.scene, row.instances, row.view.label(), passes.join(", "));
    }
    text
}

/// A bar for each row: its passes one after the other, and the frame's whole time as a thin bar below.
fn plot(gpu: &GpuContext, report: &GpuReport) -> anyhow::Result<Image> {
    let label = |row: &GpuRow| format!("{} {}, {}", row.scene, row.instances, row.view.label());
    let passes: BTreeSet<&str> = report.rows.iter().flat_map(|row| row.pass_ms.keys().copied()).collect();
    let ms_of = |pass: &&str| report.rows.iter().map(|row| row.pass_ms.get(pass).copied().unwrap_or(0.0)).collect();
    let bars = StackedBars {
        labels: report.rows.iter().map(label).collect(),
        stacked: passes.iter().map(|pass| ((*pass).to_owned(), ms_of(pass))).collect(),
        whole: ("whole frame".to_owned(), report.rows.iter().map(|row| row.frame_ms.mean).collect()),
    };
    let height = 120 + ROW_PX * report.rows.len() as u32;
    Ok(ui_picture(gpu, [1100, height], |ui| {
        ui.heading(format!("{}, {}", report.adapter, report.backend));
        let [width, height] = report.size_px;
        ui.label(format!("Milliseconds for a frame of {width} x {height} pixels, quality {}", report.quality));
        bars.show(ui);
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_characters_are_in_the_view_of_all() {
        let (mut scene, assets) = (Scene::default(), AssetStore::default());
        for i in 0..40_u8 {
            let at = glam::Vec3::new(f32::from(i % 8) * 30.0, 0.0, f32::from(i / 8) * 11.0);
            scene.instances.insert(crate::scene::SceneInstance { position: at, ..Default::default() }.into());
        }
        let mut world = World::default();
        world.reconcile(&scene, &assets);
        let camera = camera(&scene, &world, BenchView::All, [1920, 1080]);
        let clip_from_world = camera.clip_from_view * camera.view_from_world;
        for id in scene.instances.ids() {
            let place = world.live(id).unwrap().now.position;
            let shown = clip_from_world.project_point3(place);
            assert!(shown.x.abs() < 1.0 && shown.y.abs() < 1.0, "{place} is at {shown}");
        }
    }
}
