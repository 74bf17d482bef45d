//! Options of `walkabout path`.

use super::area::AreaArgs;
use super::error::ArgError;
use super::level::Adjacency;
use super::mesh::MeshInputArgs;
use super::one_of::one_of;
use crate::nav::mesh::Filter;
use crate::nav::planner::{EARLIER_PLANNERS, Planner};
use crate::nav::search::strategy::{Heuristic, SearchAlgorithm, SearchStrategy};
use crate::scene::Scene;
use anyhow::bail;
use clap::ArgGroup;
use glam::{DVec3, Vec3};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  walkabout path assets/levels/plaza.glb --from -22,0,27 --to 16.6,2.4,-28.5
  walkabout path config/plaza.acfg --pairs pairs.json --json
  walkabout path plaza.navmesh --planner exact --from -22,0,27 --to 16.6,2.4,-28.5
  walkabout path yard.obj --as-mesh --axes x,z,-y --scale 0.01 --from 1,0,2 --to 9,0,4
  walkabout path plaza.navmesh --radius 0.4 --from -22,0,27 --to 16.6,2.4,-28.5
  walkabout path plaza.navmesh --planner tactical --enemy 4,0,2 --from -22,0,27 --to 16.6,2.4,-28.5
  walkabout path plaza.navmesh --area-cost 7=3 --filter ffff/4 --from -22,0,27 --to 16.6,2.4,-28.5

A pairs file is a JSON array of {\"start\": [x,y,z], \"end\": [x,y,z]}; \"from\" and \"to\" serve too. On a navigation mesh
\"start_poly\" and \"end_poly\" may name polygons of the mesh's file; on a level {\"start\": TRIANGLE, \"target\": TRIANGLE}
lead from centre to centre of triangles, by the level's own numbers.

A scene is asked on its own mesh, with its links, obstacles and switched-off polygons; costs and marks of its areas, its
weights, bias and threats count unless options say otherwise. Of a bare level the triangles become a mesh.

The exit code is 1 where there is no path from --from to --to; with --pairs the answers say so.";

/// Find paths over the ground of a level.
///
/// Each query says which polygons or triangles the path leads over and the points of its line, or the reason why there is
/// no path.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES, group(ArgGroup::new("asked").args(["from", "pairs"]).required(true)))]
pub struct PathArgs {
    #[command(flatten)]
    pub(in crate::app) input: MeshInputArgs,

    /// Where the path starts, in metres.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "to")]
    pub(super) from: Option<Vec3>,

    /// Where the path ends, in metres.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "from")]
    pub(super) to: Option<Vec3>,

    /// File with many queries: JSON, or lines of the path benchmarks.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to"])]
    pub(super) pairs: Option<PathBuf>,

    /// Which triangles are neighbours; 'original' is short for the planner 'centers'.
    #[arg(long, value_enum, conflicts_with = "planner")]
    pub(super) adjacency: Option<Adjacency>,

    /// How to find paths: edge-midpoints, funnel, exact, exact-index or tactical on a navigation mesh, or centers, over
    /// the level's triangles as the original program does [default: the scene's, else funnel].
    #[arg(long, value_name = "NAME", value_parser = one_of(Planner::ALL.map(Planner::name), EARLIER_PLANNERS, str::parse::<Planner>))]
    pub(super) planner: Option<Planner>,

    /// How the planner 'centers' searches: a-star, dijkstra, greedy, breadth-first or depth-first
    /// [default: the scene's, else a-star].
    #[arg(long, value_name = "NAME", value_parser = one_of(SearchAlgorithm::ALL.map(SearchAlgorithm::name), [], str::parse::<SearchAlgorithm>))]
    pub(super) search: Option<SearchAlgorithm>,

    /// By which estimate a-star and greedy search: landmarks, euclidean or manhattan
    /// [default: the scene's, else landmarks].
    #[arg(long, value_name = "NAME", value_parser = one_of(Heuristic::ALL.map(Heuristic::name), [], str::parse::<Heuristic>))]
    pub(super) heuristic: Option<Heuristic>,

    /// On a navigation mesh: distance to keep from walls, metres.
    #[arg(long, value_name = "R", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(super) radius: f32,

    /// For the planners 'exact' and 'exact-index': lengths count along the triangles of the surface, not as seen from above.
    #[arg(long)]
    pub(super) along_surface: bool,

    /// On a navigation mesh: use only polygons with one of these flags, and none of those after a slash (hexadecimal),
    /// such as 1 or ffff/4.
    #[arg(long, value_name = "FLAGS", value_parser = parse_filter)]
    pub(super) filter: Option<Filter>,

    #[command(flatten)]
    pub(super) areas: AreaArgs,

    /// For the planner 'exact-index': the file of the index, by 'walkabout index' [default: it is built].
    #[arg(long, value_name = "FILE")]
    pub(super) index: Option<PathBuf>,

    /// Enemies that the planner 'tactical' hides from; may be given more than once [default: a scene's threats].
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    pub(super) enemy: Vec<Vec3>,

    /// For the planner 'tactical': heights count. From a roof enemies see over walls, and floors hide agents
    /// above or below; else all behind a wall is hidden.
    #[arg(long)]
    pub(super) heights: bool,

    /// For the planner 'tactical': the agent crouches, so that walls up to the waist hide it.
    #[arg(long)]
    pub(super) ducked: bool,

    /// How much dearer a metre is for the planner 'tactical' when all of it is seen [default: the scene's, else 4].
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    pub(super) bias: Option<f32>,

    /// Warn when the planner 'tactical' expands more nodes than this per node of its path [default: the scene's, else 40].
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(super) excessive_ratio: Option<f32>,

    /// On a navigation mesh: print the path also as a line without kinks; only in the JSON, as 'smooth', so that it needs --json.
    #[arg(long, value_name = "KIND")]
    pub(super) smooth: Option<Smooth>,

    /// Turn radius of --smooth arcs, distance between the points of --smooth spline, metres.
    #[arg(long, value_name = "M", default_value_t = 0.4, requires = "smooth", allow_negative_numbers = true)]
    pub(super) smooth_by: f32,

    /// Move the navigation mesh, and the pairs with it, before asking.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    pub(super) offset: Option<Vec3>,

    /// On a navigation mesh: answer the pairs on this many threads, 1 to 256, with the same answers; a query's time then is
    /// the batch's by the number of queries.
    #[arg(long, value_name = "N", requires = "pairs", value_parser = clap::value_parser!(u16).range(1..=256), allow_negative_numbers = true)]
    pub(super) threads: Option<u16>,

    /// Print JSON to standard output.
    #[arg(long)]
    pub(super) json: bool,
}

/// Kinds of lines without kinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Smooth {
    /// Arcs of a turn radius around the corners.
    Arcs,
    /// A spline through the corners.
    Spline,
}

impl PathArgs {
    /// The planner that is asked: the scene's, where the options name none.
    pub(super) fn planner(&self, scene: Option<&Scene>) -> anyhow::Result<Planner> {
        let input = &self.input.level.input;
        let asked = match self.adjacency {
            Some(Adjacency::Original) => Some(Planner::Centers),
            Some(Adjacency::Shared) => Some(Planner::Funnel),
            None => self.planner,
        };
        if self.input.is_mesh() && asked == Some(Planner::Centers) {
            bail!("the planner 'centers' needs the triangles of a level. File: {}", input.display());
        }
        Ok(asked.or(scene.map(|scene| scene.nav.planner)).unwrap_or(Planner::Funnel))
    }

    /// Refuses the options of navigation meshes for the planner `centers`, which would pass over them.
    ///
    /// # Errors
    /// One of them was typed.
    pub(super) fn check_without_mesh(&self) -> anyhow::Result<()> {
        let given = [
            ("--axes", self.input.axes.is_some()),
            ("--radius", self.radius != 0.0),
            ("--along-surface", self.along_surface),
            ("--filter", self.filter.is_some()),
            ("--area-cost, --area-marks or --weight", self.areas.is_given()),
            ("--index", self.index.is_some()),
            ("--enemy", !self.enemy.is_empty()),
            ("--heights", self.heights),
            ("--ducked", self.ducked),
            ("--bias", self.bias.is_some()),
            ("--excessive-ratio", self.excessive_ratio.is_some()),
            ("--smooth", self.smooth.is_some()),
            ("--offset", self.offset_m() != DVec3::ZERO),
            ("--threads", self.threads.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            super::output::misused!(
                "{option} is for navigation meshes; the planner 'centers' walks a level's triangles"
            );
        }
        Ok(())
    }

    /// Refuses the options of other planners than this one, which would pass over them, and of JSON where none is printed.
    ///
    /// # Errors
    /// One of them was typed.
    pub(super) fn check_with_mesh(&self, planner: Planner) -> anyhow::Result<()> {
        use Planner::{Centers, Exact, ExactIndex, Tactical};
        let given: [(&str, bool, &[Planner]); 9] = [
            ("--search", self.search.is_some(), &[Centers]),
            ("--heuristic", self.heuristic.is_some(), &[Centers]),
            ("--along-surface", self.along_surface, &[Exact, ExactIndex]),
            ("--index", self.index.is_some(), &[ExactIndex]),
            ("--enemy", !self.enemy.is_empty(), &[Tactical]),
            ("--heights", self.heights, &[Tactical]),
            ("--ducked", self.ducked, &[Tactical]),
            ("--bias", self.bias.is_some(), &[Tactical]),
            ("--excessive-ratio", self.excessive_ratio.is_some(), &[Tactical]),
        ];
        if let Some((option, _, readers)) =
            given.into_iter().find(|(_, is_given, readers)| *is_given && !readers.contains(&planner))
        {
            let readers: Vec<String> = readers.iter().map(|reader| format!("'{reader}'")).collect();
            super::output::misused!("{option} is for the planner {}, not for '{planner}'", readers.join(" or "));
        }
        if self.smooth.is_some() && !self.json {
            super::output::misused!("--smooth adds a line to the JSON alone; give --json, too");
        }
        Ok(())
    }

    /// The exit code after so many paths were found: failure where the one path that was asked for is not among them.
    pub(super) fn exit_code(&self, found: usize) -> ExitCode {
        if self.pairs.is_none() && found == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    /// The file to name with what is wrong with the ends.
    pub(super) fn pairs_file(&self) -> &Path {
        self.pairs.as_deref().unwrap_or(&self.input.level.input)
    }

    /// How far the mesh is moved, metres.
    pub(super) fn offset_m(&self) -> DVec3 {
        self.offset.unwrap_or(Vec3::ZERO).as_dvec3()
    }

    /// How the planner `centers` searches: as the scene says, where the options say nothing.
    pub(super) fn search(&self, scene: Option<&Scene>) -> SearchStrategy {
        let usual = scene.map_or_else(SearchStrategy::default, |scene| scene.nav.search);
        let algorithm = self.search.unwrap_or(usual.algorithm);
        SearchStrategy { algorithm, heuristic: self.heuristic.unwrap_or(usual.heuristic) }
    }
}

/// Flags of polygons in hexadecimal: those that pass, after a slash those that do not.
pub(super) fn parse_filter(text: &str) -> Result<Filter, ArgError> {
    let (include, exclude) = text.split_once('/').unwrap_or((text, "0"));
    let flags = |part: &str| u16::from_str_radix(part.trim(), 16).map_err(|_| ArgError::Flags(part.to_owned()));
    Ok(Filter { include: flags(include)?, exclude: flags(exclude)?, ..Filter::default() })
}

/// Three finite numbers with commas between.
pub(super) fn parse_point(text: &str) -> Result<Vec3, ArgError> {
    let parts: Vec<f32> = text
        .split(',')
        .map(|part| part.trim().parse::<f32>().map_err(|_| ArgError::Coordinate(part.to_owned())))
        .collect::<Result<_, _>>()?;
    match parts[..] {
        [x, y, z] if x.is_finite() && y.is_finite() && z.is_finite() => Ok(Vec3::new(x, y, z)),
        [_, _, _] => Err(ArgError::NotFinite),
        _ => Err(ArgError::Coordinates(parts.len())),
    }
}
