//! `walkabout render`: a picture of a scene and its sound, without a window and without a device.

use super::error::ArgError;
use super::mesh_file_args::MeshFileArgs;
use super::one_of::one_of;
use super::output::{check_ending, check_folder, is_standard_output, misused, print_aside, print_written};
use super::overlay_layers::DrawnOverlays;
use super::progress::ProgressLine;
use super::shown_file::{self, ShownFile};
use crate::app::camera_gizmos::ShownCameras;
use crate::app::camera_view;
use crate::app::pick::PickScene;
use crate::app::sound::Sound;
use crate::asset::AssetStore;
use crate::camera::{SpringArm, View};
use crate::debug::Layer;
use crate::disk::write::write_or_print;
use crate::gpu::GpuContext;
use crate::inspect::Inspector;
use crate::inspect::overlays::{self, OverlayContext};
use crate::render::{FrameView, Renderer, extract};
use crate::scene::{Scene, SceneCamera};
use crate::sim::{EventKind, STEP_SECS, World};
use crate::sound::error::SoundError;
use crate::sound::music::FADE_SECS;
use crate::sound::offline::{Offline, SAMPLE_RATE, write_wav};
use anyhow::Context as _;
use clap::builder::TypedValueParser;
use image::ImageFormat;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::JoinHandle;

/// Longest time that may be simulated before the picture, seconds.
const MAX_SECONDS: f32 = 3600.0;

const EXAMPLES: &str = "\
Examples:
  walkabout render config/plaza.acfg --out plaza.png --seconds 10
  walkabout render assets/levels/plaza.glb --out level.png --overlay ground
  walkabout render yard.obj --as-mesh --axes x,z,-y --scale 0.01 --out mesh.png
  walkabout render config/plaza.acfg --sound plaza.wav --seconds 30
  walkabout render config/courtyard.acfg --out yard.png --size 640x360 --seconds 5 --overlay paths --overlay ground";

/// Draw a scene into a PNG file, and what is heard in it into a WAV file.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RenderArgs {
    /// Scene file (.acfg); or a level, a model or a navigation mesh, which is shown by itself.
    pub scene: PathBuf,

    /// Picture to write (.png), or - for standard output.
    #[arg(long, value_name = "FILE.png", required_unless_present = "sound")]
    pub out: Option<PathBuf>,

    /// Sound to write (.wav), or - for standard output: what is heard at the camera in the simulated seconds, with the tracks of the scene's folder
    /// of music where it has some. Needs no sound device.
    #[arg(long, value_name = "FILE.wav")]
    pub sound: Option<PathBuf>,

    /// Size of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size, requires = "out")]
    pub size: [u32; 2],

    /// Simulated seconds before the picture is taken.
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_negative_numbers = true)]
    pub seconds: f32,

    /// Camera by name; the scene's selected one without.
    #[arg(long, value_name = "NAME")]
    pub camera: Option<String>,

    /// Overlay to show; may be given more than once.
    #[arg(long, value_name = "NAME", value_parser = overlay_parser(), requires = "out")]
    pub overlay: Vec<Layer>,

    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment would replace the help text of the command")]
    pub file: MeshFileArgs,

    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment would replace the help text of the command")]
    pub device: super::gpu::DeviceArgs,
}

/// Takes the name of an overlay.
fn overlay_parser() -> impl TypedValueParser<Value = Layer> {
    let earlier = overlays::EARLIER_NAMES.map(|(name, _)| name);
    one_of(overlays::OVERLAYS.iter().map(|overlay| overlay.name), earlier, str::parse::<Layer>)
}

pub(super) fn parse_size(text: &str) -> Result<[u32; 2], ArgError> {
    let wrong = || ArgError::Size(text.to_owned());
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
    let size = [width.parse().map_err(|_| wrong())?, height.parse().map_err(|_| wrong())?];
    if size.contains(&0) { Err(wrong()) } else { Ok(size) }
}

/// Checks that the names say what is written, and that not both go to standard output.
fn check_names(out: Option<&Path>, sound: Option<&Path>) -> anyhow::Result<()> {
    check_ending("--out", out, "PNG file", "png")?;
    check_ending("--sound", sound, "WAV file", "wav")?;
    if out.is_some_and(is_standard_output) && sound.is_some_and(is_standard_output) {
        misused!("--out - and --sound - both write to standard output; give one of them a file");
    }
    Ok(())
}

/// Says what was written: on standard error where the picture or the sound goes to standard output.
fn say_written(args: &RenderArgs, text: &str) -> anyhow::Result<()> {
    let mut files = [&args.out, &args.sound].into_iter().flatten();
    let printed = files.find(|file| is_standard_output(file));
    print_written(printed.map_or(Path::new(""), PathBuf::as_path), text)
}

/// Loads, simulates, draws, writes.
///
/// # Errors
/// When the scene cannot be read, the camera or overlay is not there, or there is nothing to draw with.
pub fn run(args: RenderArgs) -> anyhow::Result<ExitCode> {
    if !(0.0..=MAX_SECONDS).contains(&args.seconds) {
        misused!("--seconds {} is out of range; use 0 to {MAX_SECONDS}", args.seconds);
    }
    check_names(args.out.as_deref(), args.sound.as_deref())?;
    [&args.out, &args.sound].into_iter().try_for_each(|file| check_folder(file.as_deref()))?;
    args.device.choose()?;
    // Drivers take their time to start; the scene loads meanwhile.
    let device = args.out.is_some().then(StartingDevice::new);
    let mut progress = ProgressLine::new();
    let [width, height] = args.size;
    let aspect = width as f32 / height as f32;
    let ShownFile { mut scene, selection, assets, mut overlays, body } =
        shown_file::load(&args.scene, &args.file, aspect, &mut progress)?;
    let camera = match &args.camera {
        Some(name) => camera_by_name(&scene, name)?,
        None => selection.camera.and_then(|id| scene.cameras.get(id)).map(|c| (**c).clone()).unwrap_or_default(),
    };
    overlays.extend(&args.overlay);
    let steps = (args.seconds / STEP_SECS).round() as u32;
    let (mut world, mut inspector) = (world_for(&scene, steps, &overlays), Inspector::default());
    world.reconcile(&scene, &assets);
    inspector.reconcile(&world, &scene);
    let mut arm = SpringArm::default();
    let mut recording = args.sound.is_some().then(|| Recording::new(&scene, &assets, steps));
    for step in 0..steps {
        progress.tell(|| format!("simulating: {:.1} of {:.1} s", step as f32 * STEP_SECS, args.seconds));
        world.advance(&scene, &assets);
        inspector.step(&world, &scene);
        camera_view::follow_with(&mut arm, Some(&camera), &world, STEP_SECS);
        if let Some(recording) = &mut recording {
            let stage = PickScene { scene: &scene, world: &world, assets: &assets, alpha: 1.0 };
            let view = camera_view::through_arm(&camera, &stage, &arm).view(aspect);
            recording.step(&world, &scene, &assets, &view);
        }
        if world.delete_lost(&mut scene, &assets).iter().any(|event| event.kind == EventKind::Lost) {
            inspector.reconcile(&world, &scene);
        }
    }
    if let (Some(recording), Some(file)) = (recording, &args.sound) {
        recording.failures.iter().for_each(|failure| tracing::warn!("{failure}"));
        write_wav(file, &recording.samples)
            .with_context(|| format!("The sound could not be written. File: {}", file.display()))?;
        say_written(&args, &format!("{}: {:.1} s of sound", file.display(), steps as f32 * STEP_SECS))?;
    }
    let (Some(device), Some(out)) = (device, &args.out) else { return Ok(ExitCode::SUCCESS) };
    progress.say("drawing");
    let stage = PickScene { scene: &scene, world: &world, assets: &assets, alpha: 1.0 };
    let camera = match body.filter(|_| args.camera.is_none()) {
        Some(along) => shown_file::follow_body(&camera, along, &world, aspect),
        None => camera,
    };
    let view = camera_view::through_arm(&camera, &stage, &arm).view(aspect);
    let (world, inspector, selection) = (&world, &inspector, &selection);
    let context = OverlayContext { world, inspector, scene: &scene, assets: &assets, selection };
    let DrawnOverlays { mut debug, notes } = DrawnOverlays::new(&overlays, &context);
    let active = scene.cameras.iter().find(|(_, other)| other.name == camera.name).map(|(id, _)| id);
    ShownCameras { active, picked: None, eye: Some(view.position) }.draw(&stage, &mut debug);
    let mut frame =
        extract(&scene, world, &assets, FrameView { camera: (&view).into(), size_px: args.size, alpha: 1.0 }, debug);
    frame.layer_depth.extend(overlays::depths(inspector.style()));
    let (gpu, mut renderer) = device.wait()?;
    let picture = renderer.render_to_image(&gpu, &assets, &frame)?;
    let say = || format!("The image could not be written. File: {}", out.display());
    let bytes = picture.encoded(ImageFormat::Png).with_context(say)?;
    write_or_print(out, &bytes).with_context(say)?;
    drop(progress);
    notes.iter().for_each(|note| print_aside(note));
    say_written(&args, &format!("{}: {width} x {height} pixels by {}", out.display(), gpu.adapter_name()))?;
    Ok(ExitCode::SUCCESS)
}

/// A device that starts on a thread of its own. It is waited for also where nothing is drawn after all: drivers crash when the program
/// ends while they start.
struct StartingDevice(Option<JoinHandle<anyhow::Result<(GpuContext, Renderer)>>>);

impl StartingDevice {
    fn new() -> Self {
        Self(Some(std::thread::spawn(|| {
            let gpu = GpuContext::headless()?;
            let renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT)?;
            Ok((gpu, renderer))
        })))
    }

    fn wait(mut self) -> anyhow::Result<(GpuContext, Renderer)> {
        let thread = self.0.take().context("The device was waited for already.")?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for StartingDevice {
    fn drop(&mut self) {
        // What has come of it is of no use any more.
        _ = self.0.take().map(JoinHandle::join);
    }
}

/// A world with what a picture after some steps needs: the navigation mesh only where an instance may have walked on it, or
/// an overlay may show something of it.
fn world_for(scene: &Scene, steps: u32, overlays: &[Layer]) -> World {
    let is_walked = steps > 0 && !scene.instances.is_empty();
    if is_walked || !overlays.is_empty() { World::default() } else { World::without_nav_mesh() }
}

/// What is heard while a scene runs.
struct Recording {
    sound: Sound<Offline>,
    samples: Vec<f32>,
    step: u32,
    /// The step at which the music begins to fade out, so that it ends with the recording.
    fades_at: u32,
    /// Why sounds are not heard.
    failures: Vec<SoundError>,
}

impl Recording {
    fn new(scene: &Scene, assets: &AssetStore, steps: u32) -> Self {
        let fade_steps = (FADE_SECS as f32 / STEP_SECS) as u32;
        let sound = Sound::offline(scene, assets);
        let fades_at = steps.saturating_sub(fade_steps);
        Self { sound, samples: Vec::new(), step: 0, fades_at, failures: Vec::new() }
    }

    fn step(&mut self, world: &World, scene: &Scene, assets: &AssetStore, view: &View) {
        if self.step == self.fades_at {
            self.sound.stop_music();
        }
        self.sound.hear(world, scene, assets, view);
        self.sound.hear_places(scene, assets, view);
        self.failures.append(&mut self.sound.follow(scene, assets).1);
        // Whole samples: the fractions of steps that do not divide the rate add up.
        let moments = |steps: u32| (f64::from(steps) * f64::from(STEP_SECS) * f64::from(SAMPLE_RATE)).round() as usize;
        self.sound.render(moments(self.step + 1) - moments(self.step), &mut self.samples);
        self.step += 1;
    }
}

fn camera_by_name(scene: &Scene, name: &str) -> anyhow::Result<SceneCamera> {
    let found = scene.cameras.values().find(|camera| camera.name == name);
    found.map(|camera| (**camera).clone()).ok_or_else(|| {
        let names: Vec<&str> = scene.cameras.values().map(|camera| camera.name.as_str()).collect();
        anyhow::anyhow!("The scene has no camera '{name}'. It has: {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_refused() {
        assert_eq!(parse_size("640x360"), Ok([640, 360]));
        for wrong in ["640", "0x3", "x", "-1x4", "4x4x4", "99999999999x1"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_mesh_is_built_for_walkers_and_for_overlays() {
        let mut scene = Scene::default();
        std::sync::Arc::make_mut(&mut scene.nav).mesh = crate::scene::nav::MeshSource::File("nowhere.navmesh".into());
        let is_read = |scene: &Scene, steps, overlays: &[Layer]| {
            let mut world = world_for(scene, steps, overlays);
            world.reconcile(scene, &AssetStore::default());
            world.mesh().error().is_some()
        };
        assert!(!is_read(&scene, 0, &[]) && !is_read(&scene, 60, &[]), "none walks");
        assert!(is_read(&scene, 0, &[Layer::NavMesh]), "shown");
        scene.instances.insert(std::sync::Arc::default());
        assert!(!is_read(&scene, 0, &[]) && is_read(&scene, 60, &[]), "one walks");
    }

    #[test]
    fn a_missing_camera_lists_those_there_are() {
        let mut scene = Scene::default();
        scene.cameras.insert(std::sync::Arc::new(SceneCamera::default()));
        let error = camera_by_name(&scene, "Nobody").unwrap_err();
        assert!(error.to_string().contains("FreeCam"), "{error}");
    }
}
