//! `walkabout diff`: what differs between two navigation meshes, for the continuous integration of levels.

use super::bake::BakeAgent;
use super::level::{LevelArgs, bake_level};
use super::mesh::{self, LoadedMesh, MeshInputArgs, is_taken_as_mesh};
use super::mesh_file_args::MeshFileArgs;
use super::one_of::one_of;
use super::output::print_line;
use super::pairs::{points_of, read_pairs};
use crate::behavior::split_mix::SplitMix64;
use crate::nav::bake::BakeSettings;
use crate::nav::diff::{
    DiffSide, DiffTolerance, IslandPart, LonePolygon, MeshDiff, PathChange, PathFate, PathPair, compare, compare_paths,
    sample_pairs,
};
use crate::nav::mesh::Filter;
use crate::nav::planner::{EARLIER_PLANNERS, Planner};
use crate::vocab::counted;
use anyhow::Context;
use glam::DVec3;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Most paths that are sampled.
const MAX_SAMPLES: u32 = 100_000;
/// Lines of a kind that are printed; JSON has all.
const MAX_LINES: usize = 5;

const EXAMPLES: &str = "\
Examples:
  walkabout diff before.navmesh after.navmesh
  walkabout diff main/yard.glb yard.glb --bake --max-impossible 0 --max-longer 10
  walkabout diff main/yard.glb yard.glb --bake --agent-radius 0.3 --agent-climb 0.4 --cell-size 0.1
  walkabout diff main/yard.obj yard.obj --as-mesh --axes x,z,-y --scale 0.01
  walkabout diff old.acfg new.acfg --pairs patrols.json --max-lost 5 --json

Exit codes: 0 within the limits, or none were given; 1 past a limit, or failed; 2 wrong usage.";

/// Compare two navigation meshes, levels or scenes.
///
/// Prints which polygons came and went, how much ground was gained and lost, which islands split or joined, and which
/// sample paths became longer, shorter or impossible. Polygons are the same where their corners are, whatever their order
/// in the file. With limits, the exit code is 1 past one of them.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct DiffArgs {
    /// The mesh, level or scene as it was.
    before: PathBuf,

    /// The mesh, level or scene as it is now.
    after: PathBuf,

    /// Bake bare levels, as RecastDemo does where nothing else is said; without it they are compared by their walkable triangles.
    #[arg(long, conflicts_with_all = ["as_mesh", "axes", "scale"])]
    bake: bool,

    #[command(flatten)]
    agent: BakeAgent,

    #[command(flatten)]
    file: MeshFileArgs,

    /// Try so many random paths, half of them between places of each mesh.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_SAMPLES)), allow_negative_numbers = true)]
    samples: u32,

    /// Seed of the random paths.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,

    /// Try the paths of a file (JSON: from, to; or lines of the path benchmarks) in place of random ones.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["samples", "seed"])]
    pairs: Option<PathBuf>,

    /// Planner of the paths.
    #[arg(long, value_name = "NAME", default_value_t = Planner::Exact, value_parser = one_of(Planner::ALL.map(Planner::name), EARLIER_PLANNERS, str::parse::<Planner>))]
    planner: Planner,

    /// Distance that paths keep from walls.
    #[arg(long, value_name = "M", default_value_t = 0.0, allow_negative_numbers = true)]
    radius: f32,

    /// Difference of heights up to which ground is the same.
    #[arg(long, value_name = "M", default_value_t = 0.5, allow_negative_numbers = true)]
    height: f32,

    #[command(flatten)]
    limits: DiffLimits,

    /// Print JSON to standard output.
    #[arg(long)]
    json: bool,
}

/// What may differ.
#[derive(Clone, Copy, Debug, clap::Args)]
struct DiffLimits {
    /// Fail where more polygons came and went.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_polygons: Option<usize>,

    /// Fail where more square metres of ground are lost.
    #[arg(long, value_name = "M2", allow_negative_numbers = true)]
    max_lost: Option<f64>,

    /// Fail where more square metres of ground are gained.
    #[arg(long, value_name = "M2", allow_negative_numbers = true)]
    max_gained: Option<f64>,

    /// Fail where more islands split, joined, came or went.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_islands: Option<usize>,

    /// Fail where more paths became impossible.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_impossible: Option<usize>,

    /// Fail where a path became longer by more percent.
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    max_longer: Option<f64>,

    /// Fail where a path became shorter by more percent.
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    max_shorter: Option<f64>,
}

impl DiffLimits {
    /// Checks that each limit is one: no difference passes one that is no number, and every difference one below zero.
    ///
    /// # Errors
    /// The first that is none.
    fn check(&self) -> anyhow::Result<()> {
        let given = [
            ("--max-lost", self.max_lost),
            ("--max-gained", self.max_gained),
            ("--max-longer", self.max_longer),
            ("--max-shorter", self.max_shorter),
        ];
        for (option, limit) in given {
            if let Some(limit) = limit.filter(|limit| !(*limit >= 0.0)) {
                super::output::misused!("{option} is {limit}; give a number, 0 or more");
            }
        }
        Ok(())
    }

    /// The limits that are passed.
    fn exceeded(&self, report: &DiffReport) -> Vec<String> {
        let (mesh, paths) = (&report.mesh, &report.paths.changed);
        let worst = |fate: PathFate| {
            let of = paths.iter().filter(|p| p.fate == fate).filter_map(PathChange::growth_percent);
            of.map(f64::abs).fold(0.0, f64::max)
        };
        let impossible = paths.iter().filter(|p| p.fate == PathFate::Impossible).count();
        let number = |n: usize| n as f64;
        let limits = [
            (number(mesh.went.len() + mesh.came.len()), self.max_polygons.map(number), "polygons came and went"),
            (mesh.lost_m2, self.max_lost, "square metres of ground are lost"),
            (mesh.gained_m2, self.max_gained, "square metres of ground are gained"),
            (number(mesh.islands.count()), self.max_islands.map(number), "islands split, joined, came or went"),
            (number(impossible), self.max_impossible.map(number), "paths became impossible"),
            (worst(PathFate::Longer), self.max_longer, "percent are added to a path"),
            (worst(PathFate::Shorter), self.max_shorter, "percent are taken off a path"),
        ];
        let passed = limits.into_iter().filter_map(|(found, limit, what)| Some((found, limit?, what)));
        // A limit that is no number is passed by everything.
        let passed = passed.filter(|(found, limit, _)| !(found <= limit));
        passed.map(|(found, limit, what)| format!("{} {what}, {limit} may", rounded(found))).collect()
    }
}

/// A mesh in figures.
#[derive(Serialize)]
struct SideReport {
    #[serde(serialize_with = "super::output::as_shown")]
    file: PathBuf,
    polygons: usize,
    islands: u32,
}

/// How many paths had which fate.
#[derive(Serialize)]
struct PathReport {
    tried: usize,
    same: usize,
    never: usize,
    /// Those that are not the same, the worst first.
    changed: Vec<PathChange>,
}

#[derive(Serialize)]
struct DiffReport {
    before: SideReport,
    after: SideReport,
    #[serde(flatten)]
    mesh: MeshDiff,
    paths: PathReport,
    /// Limits that are passed, a sentence each.
    exceeded: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// An input that cannot be read or has no ground, an option out of range.
pub fn run(args: &DiffArgs) -> anyhow::Result<ExitCode> {
    if ![args.radius, args.height].iter().all(|length| *length >= 0.0 && length.is_finite()) {
        super::output::misused!("--radius and --height must be 0 or more");
    }
    if !args.planner.needs_mesh() {
        super::output::misused!("the planner '{}' needs triangles; choose another", args.planner);
    }
    if args.bake && !is_bare_level(args, &args.before) && !is_bare_level(args, &args.after) {
        super::output::misused!("--bake says nothing to scenes and meshes, which are taken as they are; leave it out");
    }
    if !args.bake && args.agent != BakeAgent::default() {
        super::output::misused!("the options of cells and agents say how --bake bakes; add it, or leave them out");
    }
    let mut settings = BakeSettings::default();
    args.agent.adjust(&mut settings);
    args.agent.check(&settings)?;
    args.limits.check()?;
    let loaded = [load(args, &args.before)?, load(args, &args.after)?];
    let meshes = [&loaded[0].mesh, &loaded[1].mesh];
    let tolerance = DiffTolerance { height: args.height, ..DiffTolerance::default() };
    let filters: [Filter; 2] = [loaded[0].nav.filter(), loaded[1].nav.filter()];
    let side = |i: usize| DiffSide {
        mesh: meshes[i],
        links: &loaded[i].links,
        filter: &filters[i],
        planner: args.planner,
        radius: args.radius,
    };
    let sides = [side(0), side(1)];
    let pairs = match &args.pairs {
        Some(file) => {
            let ends = points_of(&read_pairs(file)?, None, file)?;
            ends.into_iter().map(|[from, to]| PathPair { from, to }).collect()
        }
        None => {
            let mut random = SplitMix64::new(args.seed);
            sample_pairs(&sides, args.samples as usize, &mut || random.unit())
        }
    };
    let mut changed = compare_paths(&sides, &pairs);
    let count = |fate: PathFate| changed.iter().filter(|change| change.fate == fate).count();
    let (tried, same, never) = (changed.len(), count(PathFate::Same), count(PathFate::Never));
    changed.retain(|change| !matches!(change.fate, PathFate::Same | PathFate::Never));
    let growth = |change: &PathChange| change.growth_percent().map_or(0.0, f64::abs);
    changed.sort_by(|a, b| a.fate.cmp(&b.fate).then(growth(b).total_cmp(&growth(a))));
    let figures = |i: usize, file: &Path| SideReport {
        file: file.to_path_buf(),
        polygons: meshes[i].len(),
        islands: meshes[i].island_count(),
    };
    let mut report = DiffReport {
        before: figures(0, &args.before),
        after: figures(1, &args.after),
        mesh: compare(meshes, &tolerance),
        paths: PathReport { tried, same, never, changed },
        exceeded: Vec::new(),
    };
    report.exceeded = args.limits.exceeded(&report);
    if args.json {
        print_line(&serde_json::to_string(&report)?)?;
    } else {
        print(&report)?;
    }
    Ok(ExitCode::from(u8::from(!report.exceeded.is_empty())))
}

/// Whether an input is a level that no scene says anything about.
fn is_bare_level(args: &DiffArgs, input: &Path) -> bool {
    !crate::scene::file::is_scene_file(input) && !is_taken_as_mesh(input, args.file.as_mesh)
}

/// The mesh of an input.
fn load(args: &DiffArgs, input: &Path) -> anyhow::Result<LoadedMesh> {
    let scale = args.file.scale.unwrap_or(1.0);
    let level = LevelArgs { input: input.to_path_buf(), scale, slope: None, step: None };
    let asked = MeshInputArgs { level, as_mesh: args.file.as_mesh, axes: args.file.axes };
    if !args.bake || !is_bare_level(args, input) {
        return mesh::load(&asked, DVec3::ZERO).with_context(|| format!("nothing compared. File: {}", input.display()));
    }
    let say = || format!("nothing baked. File: {}", input.display());
    let adjust = |settings: &mut BakeSettings| args.agent.adjust(settings);
    let (mesh, links) = bake_level(input, adjust).with_context(say)?.check().with_context(say)?;
    Ok(LoadedMesh { mesh, links, ..LoadedMesh::default() })
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn at(place: DVec3) -> String {
    format!("{:.2} {:.2} {:.2}", place.x, place.y, place.z)
}

/// Prints the begin of a list.
fn print_some<T>(all: &[T], line: impl Fn(&T) -> String) -> anyhow::Result<()> {
    for one in all.iter().take(MAX_LINES) {
        print_line(&format!("  {}", line(one)))?;
    }
    match all.len().saturating_sub(MAX_LINES) {
        0 => Ok(()),
        more => print_line(&format!("  and {more} more; --json names all")),
    }
}

fn print(report: &DiffReport) -> anyhow::Result<()> {
    let DiffReport { mesh, paths, .. } = report;
    for side in [&report.before, &report.after] {
        let (polygons, islands) = (counted(side.polygons, "polygon"), counted(side.islands as usize, "island"));
        print_line(&format!("{}: {polygons}, {islands}", side.file.display()))?;
    }
    print_line(&format!(
        "{} polygons are the same, {} of them with other area or flags; {} went, {} came",
        mesh.same,
        mesh.relabelled.len(),
        mesh.went.len(),
        mesh.came.len()
    ))?;
    let polygon = |verb: &'static str| {
        move |p: &LonePolygon| {
            format!("polygon {} {verb} at {}: {:.2} m², {:.2} m² bare", p.polygon, at(p.at), p.area_m2, p.bare_m2)
        }
    };
    print_some(&mesh.went, polygon("went"))?;
    print_some(&mesh.came, polygon("came"))?;
    print_line(&format!("{:.2} m² of ground lost, {:.2} m² gained", mesh.lost_m2, mesh.gained_m2))?;
    let parts = |verb: &'static str| {
        move |all: &Vec<IslandPart>| {
            let each: Vec<String> = all.iter().map(|p| format!("{:.1} m² at {}", p.area_m2, at(p.at))).collect();
            format!("an island {verb} {}", each.join("; "))
        }
    };
    print_some(&mesh.islands.split, parts("split into"))?;
    print_some(&mesh.islands.joined, parts("was joined of"))?;
    print_some(&mesh.islands.went, |p| format!("an island went: {:.1} m² at {}", p.area_m2, at(p.at)))?;
    print_some(&mesh.islands.came, |p| format!("an island came: {:.1} m² at {}", p.area_m2, at(p.at)))?;
    let count = |fate: PathFate| paths.changed.iter().filter(|change| change.fate == fate).count();
    print_line(&format!(
        "{} paths tried: {} the same, {} longer, {} shorter, {} became impossible, {} possible, {} never were",
        paths.tried,
        paths.same,
        count(PathFate::Longer),
        count(PathFate::Shorter),
        count(PathFate::Impossible),
        count(PathFate::Possible),
        paths.never
    ))?;
    print_some(&paths.changed, path_line)?;
    report.exceeded.iter().try_for_each(|text| print_line(&format!("FAIL  {text}")))
}

fn path_line(change: &PathChange) -> String {
    let ends = format!("from {} to {}", at(change.ends.from), at(change.ends.to));
    match (change.lengths, change.growth_percent()) {
        ([Some(was), Some(is)], Some(percent)) => format!("{ends}: {was:.2} m became {is:.2} m ({percent:+.1} %)"),
        ([Some(was), None], _) => {
            format!("{ends}: {was:.2} m became impossible: {}", change.reason.as_deref().unwrap_or("–"))
        }
        ([None, Some(is)], _) => format!("{ends}: became possible, {is:.2} m"),
        _ => ends,
    }
}
