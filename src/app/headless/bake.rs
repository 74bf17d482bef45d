//! `walkabout bake`: a navigation mesh from the triangles of a level.

use super::level;
use super::output::{check_output, is_standard_output, misused, print_line};
use super::watch::{again_on_change, parts_of_level};
use crate::disk::excerpt::shortened;
use crate::disk::read_text;
use crate::math::Aabb;
use crate::nav::bake::{BakeError, BakeSettings, Baked, Partition, bake, silent};
use crate::nav::mesh::off_mesh::LinkSettings;
use crate::nav::mesh::{NavMesh, PolyId};
use crate::vocab::counted;
use anyhow::Context;
use clap::ValueEnum;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Largest file of settings that is read, bytes.
const MAX_SETTINGS_BYTES: u64 = 16 << 20;
/// Most cores that a bake uses.
const MAX_THREADS: usize = 256;

const EXAMPLES: &str = "\
Examples:
  walkabout bake assets/levels/plaza.glb --out plaza.navmesh --json
  walkabout bake config/plaza.acfg --agent-radius 0.4 --cell-size 0.2
  walkabout bake yard.glb --out yard.navmesh --watch
  walkabout bake de_dust.glb --scale 5 --threads 1 --repeat 5 --json

Lengths are metres, angles degrees; what is not given is as in the scene, for a bare level as in RecastDemo.";

/// How the ground is cut into regions.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Cut {
    /// The fewest and roundest polygons.
    Watershed,
    /// Fastest; long thin polygons.
    Monotone,
    /// Fast; good for small tiles.
    Layers,
}

/// Bake the navigation mesh of a level.
///
/// Prints the number of polygons and the time of each step; saves the mesh with --out.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct BakeArgs {
    /// A scene (.acfg, .gset) or a bare level file (glb, gltf, fbx, obj, dae).
    pub(in crate::app) input: PathBuf,

    /// Factor on the level's size, on top of a scene's own.
    #[arg(long, value_name = "F", default_value_t = 1.0, allow_negative_numbers = true)]
    scale: f64,

    #[command(flatten)]
    settings: BakeArguments,

    /// Use so many cores, 1 to 256 [default: all].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threads: Option<usize>,

    /// Bake so often and report the run with the median time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), allow_negative_numbers = true)]
    repeat: u32,

    /// Save the mesh there; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print JSON to standard output.
    #[arg(long)]
    json: bool,

    /// Bake again whenever the level, the scene or the settings have changed.
    #[arg(long)]
    watch: bool,
}

/// For which agent levels are baked, and in which cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, clap::Args)]
pub(super) struct BakeAgent {
    /// Edge of a voxel of the bake, seen from above [default: 0.3].
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    cell_size: Option<f32>,

    /// Height of a voxel of the bake [default: 0.2].
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    cell_height: Option<f32>,

    /// Free height that an agent of the bake needs [default: 2].
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    agent_height: Option<f32>,

    /// Distance that the bake keeps from walls [default: 0.6, as in RecastDemo; characters of scenes have 0.3].
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    agent_radius: Option<f32>,

    /// Highest step of the bake [default: 0.9].
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    agent_climb: Option<f32>,

    /// Steepest walkable slope of the bake in degrees [default: 45].
    #[arg(long, value_name = "DEG", allow_negative_numbers = true)]
    slope: Option<f32>,
}

impl BakeAgent {
    /// Settings with what is given.
    pub fn adjust(&self, settings: &mut BakeSettings) {
        set(&mut settings.cell_size, self.cell_size);
        set(&mut settings.cell_height, self.cell_height);
        set(&mut settings.agent_height, self.agent_height);
        set(&mut settings.agent_radius, self.agent_radius);
        set(&mut settings.agent_climb, self.agent_climb);
        set(&mut settings.slope_rad, self.slope.map(f32::to_radians));
    }

    /// Checks settings that were in range before options changed them.
    ///
    /// # Errors
    /// The first that is out of range, by its option.
    pub fn check(&self, settings: &BakeSettings) -> anyhow::Result<()> {
        self.check_slope()?;
        match settings.voxels() {
            Err(BakeError::Setting { name, value, low, high }) => {
                misused!("{} is {value}; give a number from {low} to {high}", option_of(name))
            }
            checked => Ok(checked.map(drop)?),
        }
    }

    /// Checks the slope in the degrees in which it is given.
    fn check_slope(&self) -> anyhow::Result<()> {
        if let Some(slope) = self.slope.filter(|slope| !(0.0..=90.0).contains(slope)) {
            misused!("--slope is {slope}; give degrees from 0 to 90");
        }
        Ok(())
    }
}

/// Changes a setting that is given.
fn set<T>(setting: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *setting = given;
    }
}

/// The option that gives a setting.
fn option_of(setting: &str) -> String {
    let plain = ["_cells", "_rad"].iter().find_map(|unit| setting.strip_suffix(unit)).unwrap_or(setting);
    format!("--{}", plain.replace('_', "-"))
}

#[derive(Clone, Debug, clap::Args)]
struct BakeArguments {
    /// JSON file with settings of a bake, or what --json printed of one; the options below override it.
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    #[command(flatten)]
    agent: BakeAgent,

    /// Regions below the square of so many cells vanish [default: 8].
    #[arg(long, value_name = "CELLS", allow_negative_numbers = true)]
    region_min: Option<u32>,

    /// Regions below the square of so many cells are joined with others [default: 20].
    #[arg(long, value_name = "CELLS", allow_negative_numbers = true)]
    region_merge: Option<u32>,

    /// Longest edge along a wall, 0 for no limit [default: 12].
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    edge_length: Option<f32>,

    /// How far an edge may leave the voxels' outline [default: 1.3].
    #[arg(long, value_name = "CELLS", allow_negative_numbers = true)]
    edge_error: Option<f32>,

    /// Most corners of a polygon, 3 to 12 [default: 6].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    corners: Option<u32>,

    /// Edge of the tiles that are made on their own, 8 to 4096, 0 for one tile [default: 0].
    #[arg(long, value_name = "CELLS", allow_negative_numbers = true)]
    tile: Option<u32>,

    /// Keep only the island at this place; may be given more than once.
    #[arg(long, value_name = "X,Y,Z", value_parser = super::path_args::parse_point, allow_hyphen_values = true)]
    seed: Vec<Vec3>,

    /// Spacing of height samples, 0 for none [default: 6].
    #[arg(long, value_name = "CELLS", allow_negative_numbers = true)]
    detail_distance: Option<f32>,

    /// How far heights may leave the voxels' surface [default: 1].
    #[arg(long, value_name = "CELL HEIGHTS", allow_negative_numbers = true)]
    detail_error: Option<f32>,

    /// Look for jumps over gaps and drops from ledges.
    #[arg(long)]
    links: bool,

    /// How the ground is cut into regions [default: watershed].
    #[arg(long, value_enum)]
    partition: Option<Cut>,
}

impl BakeArguments {
    /// Whether the size of cells and tiles is not given.
    fn leaves_cells_open(&self) -> bool {
        self.settings.is_none()
            && self.agent.cell_size.is_none()
            && self.agent.cell_height.is_none()
            && self.tile.is_none()
    }

    /// The settings, on top of those of a scene.
    fn read(&self, scene: Option<BakeSettings>) -> anyhow::Result<BakeSettings> {
        let mut s = match &self.settings {
            None => scene.unwrap_or_default(),
            Some(file) => {
                let say = || format!("settings not read; write JSON like that of --json. File: {}", file.display());
                let text = read_text(file, MAX_SETTINGS_BYTES).with_context(say)?;
                // A list would be taken for settings without their names.
                if !text.trim_start().starts_with('{') {
                    return Err(anyhow::Error::msg("the file holds no JSON object")).with_context(say);
                }
                let settings: BakeSettings = match serde_json::from_str(&text) {
                    Ok(ReportedSettings { settings }) => settings,
                    Err(_) => {
                        serde_json::from_str(&text).map_err(|e| anyhow::Error::msg(shortened(&e))).with_context(say)?
                    }
                };
                // What is out of range from here on was typed.
                settings.voxels().with_context(|| format!("not baked. File: {}", file.display()))?;
                settings
            }
        };
        self.agent.adjust(&mut s);
        set(&mut s.edge_length, self.edge_length);
        set(&mut s.edge_error_cells, self.edge_error);
        set(&mut s.detail_distance_cells, self.detail_distance);
        set(&mut s.detail_error_cells, self.detail_error);
        set(&mut s.region_min_cells, self.region_min);
        set(&mut s.region_merge_cells, self.region_merge);
        set(&mut s.corners, self.corners);
        set(&mut s.tile_cells, self.tile);
        let partition = |cut| match cut {
            Cut::Watershed => Partition::Watershed,
            Cut::Monotone => Partition::Monotone,
            Cut::Layers => Partition::Layers,
        };
        set(&mut s.partition, self.partition.map(partition));
        if self.links && s.links.is_none() {
            s.links = Some(LinkSettings::default());
        }
        s.seeds.extend(self.seed.iter().map(|s| s.as_dvec3()));
        Ok(s)
    }
}

/// The settings in a report.
#[derive(Deserialize)]
struct ReportedSettings {
    settings: BakeSettings,
}

#[derive(Serialize)]
struct BakeReport {
    polygons: usize,
    vertices: usize,
    islands: u32,
    area_m2: f64,
    regions: u32,
    detail_triangles: usize,
    links: usize,
    triangles: usize,
    cells: usize,
    spans: usize,
    threads: usize,
    total_ms: f32,
    steps: Vec<StepTime>,
    settings: BakeSettings,
}

#[derive(Serialize)]
struct StepTime {
    step: crate::nav::bake::BakeStep,
    ms: f32,
}

/// Runs the command.
///
/// # Errors
/// An option out of range, a level that does not load or has no walkable ground, a file that cannot be written.
pub fn run(args: &BakeArgs) -> anyhow::Result<ExitCode> {
    if !args.watch {
        return run_once(args);
    }
    // A scene's mesh may be what is written.
    let files = || parts_of_level(&args.input).into_iter().chain(args.settings.settings.clone()).collect();
    again_on_change(files, || run_once(args))
}

fn run_once(args: &BakeArgs) -> anyhow::Result<ExitCode> {
    check_output("--out", args.out.as_deref(), ["navigation mesh", "navmesh"], args.json)?;
    let prints_mesh = args.out.as_deref().is_some_and(is_standard_output);
    let threads = match args.threads {
        Some(0) => misused!("--threads is 0; give 1 or more"),
        Some(n) if n > MAX_THREADS => misused!("--threads {n} is more than {MAX_THREADS}"),
        Some(n) => n,
        None => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    };
    let (triangles, scene) = level::triangles_to_bake(&args.input, args.scale)?;
    let may_fit = scene.is_none() && args.settings.leaves_cells_open();
    let mut settings = args.settings.read(scene)?;
    args.settings.agent.check(&settings)?;
    if let Some(fitted) = fitted(&settings, &triangles).filter(|_| may_fit) {
        let tiles = if fitted.tile_cells > 0 { " in tiles" } else { "" };
        tracing::warn!(
            "The level is large: it is baked with cells of {:.2} m{tiles}; --cell-size chooses others.{}",
            fitted.cell_size,
            fitted.lost_slopes(),
        );
        settings = fitted;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut runs = (0..args.repeat)
        .map(|_| pool.install(|| bake(&triangles, &settings, &mut silent)))
        .collect::<Result<Vec<Baked>, _>>()
        .map_err(|error| nothing_baked(error, &settings, &args.input))?;
    runs.sort_by(|a, b| a.total_ms().total_cmp(&b.total_ms()));
    let baked = runs.swap_remove(runs.len() / 2);
    let defect = || format!("the baked mesh is not one; please report this. File: {}", args.input.display());
    let mesh = baked.nav_mesh().with_context(defect)?;
    if let Some(file) = &args.out {
        baked.file().save(file).with_context(|| {
            format!(
                "mesh not saved; name a file in a folder that may be written, or - for standard output. File: {}",
                file.display()
            )
        })?;
    }
    let report = report(&baked, &mesh, threads, settings);
    if prints_mesh {
        return Ok(ExitCode::SUCCESS);
    }
    if args.json {
        print_line(&serde_json::to_string(&report)?)?;
    } else {
        let saved = args.out.as_deref().map_or_else(String::new, |file| format!("{}: ", file.display()));
        print_line(&format!(
            "{saved}{}, {:.1} m² in {}, {}; {:.1} ms on {threads} cores",
            counted(report.polygons, "polygon"),
            report.area_m2,
            counted(report.islands as usize, "island"),
            counted(report.regions as usize, "region"),
            report.total_ms
        ))?;
        for (step, ms) in &baked.log {
            print_line(&format!("{:>20} {ms:9.2} ms", step.label()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The settings for a level that is too large for them.
fn fitted(settings: &BakeSettings, triangles: &[[Vec3; 3]]) -> Option<BakeSettings> {
    settings.fitted_to(Aabb::from_points(triangles.iter().flatten().copied()).size())
}

fn report(baked: &Baked, mesh: &NavMesh, threads: usize, settings: BakeSettings) -> BakeReport {
    BakeReport {
        polygons: mesh.len(),
        vertices: mesh.vertices().len(),
        islands: mesh.island_count(),
        area_m2: (0..mesh.len() as u32).map(|i| mesh.area_m2(PolyId(i))).sum(),
        regions: baked.regions,
        detail_triangles: baked.detail.as_ref().map_or(0, |d| d.triangles.len()),
        links: baked.links.len(),
        triangles: baked.triangles,
        cells: baked.cells,
        spans: baked.spans,
        threads,
        total_ms: baked.total_ms(),
        steps: baked.log.iter().map(|&(step, ms)| StepTime { step, ms }).collect(),
        settings,
    }
}

/// The error where nothing is baked: without ground, for which agent there is none and which options change that.
fn nothing_baked(error: BakeError, settings: &BakeSettings, input: &Path) -> anyhow::Error {
    let (BakeSettings { agent_radius, agent_height, slope_rad, .. }, file) = (settings, input.display());
    let said = match error {
        BakeError::NothingWalkable => format!(
            "nothing baked for an agent of {agent_radius:.2} m radius and {agent_height:.2} m height that walks up to {:.0}°; \
             --agent-radius, --agent-height and --slope choose others, and `walkabout doctor` says what is in the way. File: {file}",
            slope_rad.to_degrees()
        ),
        _ => format!("nothing baked. File: {file}"),
    };
    anyhow::Error::new(error).context(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_named_by_their_options() {
        let command = <BakeArgs as clap::Args>::augment_args(clap::Command::new("bake"));
        let options: Vec<String> =
            command.get_arguments().filter_map(|own| Some(format!("--{}", own.get_long()?))).collect();
        // Those with a range of their own.
        let checked = [
            "cell_size",
            "cell_height",
            "agent_height",
            "agent_climb",
            "agent_radius",
            "slope_rad",
            "edge_length",
            "edge_error_cells",
            "corners",
            "region_min_cells",
            "region_merge_cells",
            "detail_distance_cells",
            "detail_error_cells",
            "tile_cells",
        ];
        for setting in checked {
            assert!(options.contains(&option_of(setting)), "{setting}: {options:?}");
        }
        let agent = BakeAgent { agent_climb: Some(3.0), ..BakeAgent::default() };
        let mut settings = BakeSettings::default();
        agent.adjust(&mut settings);
        let error = agent.check(&settings).unwrap_err().to_string();
        assert!(error.starts_with("--agent-climb is 3; give a number from 0 to 1.99"), "{error}");
    }
}
