//! `walkabout bench`: how long the main parts of the program take on this machine.

use super::bench_gpu;
use super::bench_motion;
use super::bench_paths;
use super::output::print_line;
use super::render::parse_size;
use super::repeated_instances::{characters_of, repeat_characters};
use crate::app::files::default_scene;
use crate::asset::level::append_triangles;
use crate::asset::{AssetStore, LevelTriangle, NodeTransforms};
use crate::collide::triangle_octree::TriangleOctree;
use crate::debug::DebugDraw;
use crate::gpu::GpuContext;
use crate::math::Percentiles;
use crate::nav::mesh::from_level::{GroundSettings, LevelMesh, is_walkable};
use crate::nav::mesh::{NavMesh, NavPoint, PolyId};
use crate::nav::planner::{Planner, PlannerContext, Query};
use crate::render::{FrameCounts, FrameView, Renderer, extract};
use crate::scene::Scene;
use crate::scene::limits::MAX_INSTANCES;
use crate::sim::World;
use crate::vocab::counted;
use anyhow::Context as _;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Size of the pictures drawn, pixels.
const SIZE_PX: [u32; 2] = [1280, 720];
/// Path queries measured.
const QUERIES: usize = 200;
/// Frames measured, after two to warm up.
const FRAMES: usize = 5;

/// Measure the main parts of the program on this machine.
///
/// Prints the times for opening the scene, importing its models (from their files, and from the cache), building octree and
/// ground, finding paths on the scene's mesh between places of its largest island, one simulation step, and one frame of 1280x720 drawn without a window.
#[derive(Clone, Debug, clap::Args)]
pub struct BenchArgs {
    /// Scene file (.acfg); the plaza without one.
    pub scene: Option<PathBuf>,

    /// Number of characters: those of the scene are repeated on the ground around the first, two square metres for each, or left
    /// out at the end. Its other instances, such as markers of targets, stay.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub instances: Option<usize>,

    /// Measure exact paths instead: a folder of public path benchmarks, each a .mesh or .map file beside its queries (.csv
    /// with start x and y, end x and y, length; or .scen).
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["scene", "instances"])]
    pub paths: Option<PathBuf>,

    /// Measure how characters move instead: feet that drift or float, headings off the path, stops off the goal, joints
    /// at transitions, bodies in each other. Without a scene: the plaza and the courtyard.
    #[arg(long, conflicts_with_all = ["instances", "paths"])]
    pub motion: bool,

    /// Measure the graphics processor instead: frames of 1,000, 10,000 and 50,000 characters with the times of their passes,
    /// from the scene's camera and from where all are in view. Without a scene: the plaza and the courtyard.
    #[arg(long, conflicts_with_all = ["paths", "motion"])]
    pub gpu: bool,

    /// Size of the pictures of --gpu in pixels.
    #[arg(long, value_name = "WxH", default_value = "1920x1080", value_parser = parse_size, requires = "gpu")]
    pub size: [u32; 2],

    /// Draw the figures of --gpu as a plot (.png).
    #[arg(long, value_name = "FILE.png", requires = "gpu")]
    pub plot: Option<PathBuf>,

    /// Simulated time of --motion in seconds, 1 to 86400.
    #[arg(long, value_name = "S", default_value_t = 600.0, requires = "motion", allow_negative_numbers = true)]
    pub seconds: f64,

    /// Number of simulation steps measured, after as many to warm up.
    #[arg(long, value_name = "N", default_value_t = 120, conflicts_with_all = ["paths", "motion", "gpu"], value_parser = clap::value_parser!(u32).range(1..=100_000), allow_negative_numbers = true)]
    pub steps: u32,

    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment would replace the help text of the command")]
    pub device: super::gpu::DeviceArgs,

    /// Print JSON to standard output.
    #[arg(long)]
    pub json: bool,

    /// Give the figures of --paths as comma-separated values, a row for each map and planner: printed, or written to a file,
    /// which goes together with --json.
    #[arg(long, value_name = "FILE", num_args = 0..=1, requires = "paths")]
    pub csv: Option<Option<PathBuf>>,
}

#[derive(Debug, Default, Serialize)]
struct BenchReport {
    scene: String,
    instances: usize,
    /// How many of the instances are characters; the others are markers of targets, doors and the like.
    characters: usize,
    adapter: String,
    start_ms: f64,
    import_ms: f64,
    import_cached_ms: f64,
    triangles: usize,
    octree_ms: f64,
    ground_triangles: usize,
    ground_ms: f64,
    path_us: Percentiles,
    /// How many of the paths were found, and by which planner.
    paths_found: usize,
    path_planner: Planner,
    step_ms: Percentiles,
    /// Pairs of instances that touch after the last step: the more there are for each, the more a step has to do.
    contacts: usize,
    /// Mean time of each part of a step.
    step_parts_ms: std::collections::BTreeMap<&'static str, f32>,
    device_ms: f64,
    first_frame_ms: f64,
    frame_ms: Percentiles,
    #[serde(flatten)]
    frame_counts: FrameCounts,
    /// Time of each pass of the last frame on the device; passes of one name are added.
    pass_ms: std::collections::BTreeMap<&'static str, f64>,
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    let result = work();
    (result, begin.elapsed().as_secs_f64() * 1e3)
}

/// Measures and prints.
///
/// # Errors
/// The scene does not load, a number is out of range, or there is nothing to draw with.
pub fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    args.device.choose()?;
    if let Some(folder) = &args.paths {
        let csv = args.csv.clone().map(|file| file.unwrap_or_else(|| "-".into()));
        return bench_paths::run(folder, &bench_paths::BenchOutput { json: args.json, csv });
    }
    if !(1.0..=86_400.0).contains(&args.seconds) {
        super::output::misused!("--seconds {} is not between 1 and 86400", args.seconds);
    }
    if args.motion {
        return bench_motion::run(args.scene.as_deref(), args.seconds, args.json);
    }
    if let Some(count) = args.instances.filter(|count| !(1..=MAX_INSTANCES).contains(count)) {
        super::output::misused!("--instances {count} is out of range; use 1 to {MAX_INSTANCES}");
    }
    if args.gpu {
        return bench_gpu::run(&bench_gpu::GpuBench {
            scene: args.scene.as_deref(),
            instances: args.instances,
            size_px: args.size,
            plot: args.plot.as_deref(),
            json: args.json,
        });
    }
    let path = args.scene.clone().or_else(default_scene).context("Name a scene: the default one was not found.")?;
    let mut report = BenchReport { scene: path.display().to_string(), ..BenchReport::default() };
    let (loaded, load_ms) = timed(|| crate::scene::file::load(&path));
    let loaded = loaded?;
    let mut scene = loaded.scene;
    let assets = import(&scene, loaded.root, &mut report);
    report.start_ms = load_ms + report.import_cached_ms;
    let mesh = ground(&scene, &assets, &mut report)?;
    if let Some(count) = args.instances {
        repeat_characters(&mut scene, &assets, &mesh, count);
    }
    report.instances = scene.instances.len();
    let is_character = characters_of(&scene, &assets);
    report.characters = scene.instances.values().filter(|instance| is_character(instance)).count();
    let world = simulate(&scene, &assets, args.steps, &mut report);
    find_paths(&scene, &world, &mut report);
    draw(&scene, &world, &assets, &mut report)?;
    print_line(&if args.json { serde_json::to_string_pretty(&report)? } else { as_text(&report) })?;
    Ok(ExitCode::SUCCESS)
}

fn import(scene: &Scene, root: PathBuf, report: &mut BenchReport) -> AssetStore {
    let mut assets = AssetStore::default();
    assets.set_root(root);
    let files: std::collections::BTreeSet<&str> = scene.model_files().map(|file| file.file).collect();
    for file in files {
        let (result, ms) = timed(|| crate::asset::import::import_file(&assets.resolve(file)));
        report.import_ms += ms;
        if let Err(error) = result {
            tracing::warn!("{error}");
        }
    }
    let load = |assets: &mut AssetStore| {
        scene.request_assets(assets);
        assets.wait();
    };
    // The first round fills the cache where it is cold.
    let mut warm = AssetStore::default();
    warm.set_root(assets.root());
    load(&mut warm);
    let ((), ms) = timed(|| load(&mut assets));
    report.import_cached_ms = ms;
    assets
}

fn ground(scene: &Scene, assets: &AssetStore, report: &mut BenchReport) -> anyhow::Result<NavMesh> {
    let mut triangles: Vec<LevelTriangle> = Vec::new();
    for level in scene.levels.values() {
        if let Some((_, model)) = assets.by_file(level) {
            append_triangles(model, &level.world_from_model(), NodeTransforms::All, &mut triangles);
        }
    }
    report.triangles = triangles.len();
    let settings = &scene.settings;
    let (_, ms) = timed(|| TriangleOctree::build(&triangles, settings.octree_threshold, settings.octree_max_depth));
    report.octree_ms = ms;
    let nav = GroundSettings {
        slope_rad: settings.nav.ground_slope_deg.to_radians(),
        step_height: settings.nav.max_step_height,
    };
    report.ground_triangles = triangles.iter().filter(|t| is_walkable(t.normal, nav.slope_rad)).count();
    let (mesh, ms) = timed(|| LevelMesh::build(&triangles, &nav).nav_mesh());
    report.ground_ms = ms;
    Ok(mesh?)
}

/// Finds paths on the mesh of the scene, by its planner. Most pairs of places on all islands would time refusals.
fn find_paths(scene: &Scene, world: &World, report: &mut BenchReport) {
    let Some(mesh) = world.mesh().current() else { return };
    report.path_planner = if scene.nav.planner.needs_mesh() { scene.nav.planner } else { Planner::Funnel };
    let (filter, polygons) = (scene.nav.filter(), on_largest_island(mesh));
    let (mut planning, mut samples) = (PlannerContext::new(), Vec::new());
    for i in 0..if polygons.is_empty() { 0 } else { QUERIES } {
        // Multiplicative hashing spreads the pairs over the ground, the same in every run.
        let pick = |n: usize| {
            let id = polygons[n.wrapping_mul(2_654_435_761) % polygons.len()];
            NavPoint::new(id, mesh.polygon(id).center)
        };
        let query = Query { skip_polygons: true, ..Query::new(pick(2 * i + 1), pick(2 * i + 2), &filter) };
        if i == 0 {
            // What planners prepare is no part of a query.
            report.path_planner.find(&mut planning, mesh, &query);
        }
        let (found, ms) = timed(|| report.path_planner.find(&mut planning, mesh, &query));
        report.paths_found += usize::from(found.reason.is_none());
        samples.push(ms * 1e3);
    }
    report.path_us = Percentiles::of(samples);
}

/// The polygons of the island with the most ground.
fn on_largest_island(mesh: &NavMesh) -> Vec<PolyId> {
    let mut areas = vec![0.0; mesh.island_count() as usize];
    let island = |id: PolyId| mesh.polygon(id).island as usize;
    // Pieces that obstacles have left are on no island.
    let whole = mesh.live_polygons().filter(|&id| island(id) < areas.len());
    let whole: Vec<PolyId> = whole.collect();
    whole.iter().for_each(|&id| areas[island(id)] += mesh.area_m2(id));
    let largest = (0..areas.len()).max_by(|&a, &b| areas[a].total_cmp(&areas[b]));
    whole.into_iter().filter(|&id| Some(island(id)) == largest).collect()
}

fn simulate(scene: &Scene, assets: &AssetStore, steps: u32, report: &mut BenchReport) -> World {
    let mut world = World::default();
    world.reconcile(scene, assets);
    for _ in 0..steps {
        world.step(scene);
    }
    report.step_ms = Percentiles::of((0..steps).map(|_| timed(|| world.step(scene)).1).collect());
    report.contacts = world.contacts().len();
    report.step_parts_ms = world.profiler().tracks().map(|(part, track)| (part, track.mean_ms())).collect();
    world
}

fn draw(scene: &Scene, world: &World, assets: &AssetStore, report: &mut BenchReport) -> anyhow::Result<()> {
    let (opened, ms) = timed(|| -> anyhow::Result<_> {
        let gpu = GpuContext::headless()?;
        let renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT)?;
        Ok((gpu, renderer))
    });
    let (gpu, mut renderer) = opened?;
    report.device_ms = ms;
    report.adapter = gpu.adapter_name();
    let camera = scene.cameras.values().next().map(|camera| (**camera).clone()).unwrap_or_default();
    let mut frame = || -> anyhow::Result<f64> {
        let view = bench_gpu::saved_view(&camera, SIZE_PX);
        let data = extract(
            scene,
            world,
            assets,
            FrameView { camera: view, size_px: SIZE_PX, alpha: 1.0 },
            DebugDraw::default(),
        );
        let (picture, ms) = timed(|| renderer.render_to_image(&gpu, assets, &data));
        picture?;
        Ok(ms)
    };
    report.first_frame_ms = frame()?;
    frame()?;
    report.frame_ms = Percentiles::of((0..FRAMES).map(|_| frame()).collect::<anyhow::Result<_>>()?);
    report.frame_counts = renderer.counts();
    for &(pass, ms) in renderer.gpu_ms() {
        *report.pass_ms.entry(pass).or_default() += f64::from(ms);
    }
    Ok(())
}

fn as_text(report: &BenchReport) -> String {
    let parts = report.step_parts_ms.iter().map(|(part, ms)| format!("{} {ms:.2}", part.trim_start_matches("sim.")));
    let parts = parts.collect::<Vec<_>>().join(", ");
    let passes: Vec<String> = report.pass_ms.iter().map(|(pass, ms)| format!("{pass} {ms:.1}")).collect();
    let BenchReport { scene, instances, characters, adapter, start_ms, import_ms, import_cached_ms, triangles, .. } =
        report;
    let BenchReport { octree_ms, ground_triangles, ground_ms, path_us, step_ms, contacts, .. } = report;
    let BenchReport { paths_found, path_planner, device_ms, first_frame_ms, frame_ms, .. } = report;
    let (characters, others) = (counted(*characters, "character"), counted(instances - characters, "other instance"));
    format!(
        "{scene}: {characters}, {others}, {triangles} triangles of level, {ground_triangles} of ground, drawn by {adapter}\n\
         start (scene and cached models)  {start_ms:10.1} ms\n\
         import from the files            {import_ms:10.1} ms\n\
         import from the cache            {import_cached_ms:10.1} ms\n\
         triangle octree                  {octree_ms:10.2} ms\n\
         ground with neighbours           {ground_ms:10.2} ms\n\
         path                             {:10.1} µs mean, {:.1} µs p99; {paths_found} of {QUERIES} found by '{path_planner}'\n\
         simulation step                  {:10.3} ms mean, {:.3} ms p99\n\
         of it, ms                        {parts}\n\
         pairs that touch                 {contacts:10}\n\
         device and pipelines             {device_ms:10.1} ms\n\
         first frame                      {first_frame_ms:10.1} ms\n\
         frame, 1280x720, read back       {:10.1} ms mean, {:.1} ms p99\n\
         of the last one, ms              {}",
        path_us.mean,
        path_us.p99,
        step_ms.mean,
        step_ms.p99,
        frame_ms.mean,
        frame_ms.p99,
        passes.join(", "),
    )
}
