//! `walkabout nav-query`: single questions to a navigation mesh.

use super::mesh::{self, MeshInputArgs};
use super::output::print_line;
use super::path_args::parse_point;
use crate::behavior::split_mix::SplitMix64;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::query::random::{random_around, random_point};
use crate::nav::query::raycast::raycast;
use crate::nav::query::surface::Surface;
use anyhow::{Context, anyhow};
use clap::ValueEnum;
use glam::{DVec3, Vec3};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  walkabout nav-query nearest plaza.navmesh --at 3,1,-7
  walkabout nav-query raycast plaza.navmesh --at 3,0,-7 --to 20,0,-7 --json
  walkabout nav-query wall-distance plaza.navmesh --at 3,0,-7 --radius 10
  walkabout nav-query random plaza.navmesh --count 5 --seed 1
  walkabout nav-query random plaza.navmesh --at 3,0,-7 --radius 8
  walkabout nav-query surface-walk plaza.navmesh --at 3,0,-7 --to 20,0,-7

INPUT is a mesh saved by 'walkabout bake', a JSON mesh, a scene, or a level, whose triangles become a mesh.";

/// Most random places at once.
const MAX_COUNT: usize = 1_000_000;

/// What to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QueryKind {
    /// The polygon under or near a point.
    Nearest,
    /// How far a straight way along the surface is free.
    Raycast,
    /// The nearest wall.
    WallDistance,
    /// Random places, on the whole mesh or around a point.
    Random,
    /// Where an agent ends that walks towards a point and slides along walls.
    SurfaceWalk,
}

/// Ask a navigation mesh for a place, a wall, a free way.
///
/// Points are in the world; polygons are numbered as in the file.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct NavQueryArgs {
    /// What to ask.
    #[arg(value_enum)]
    question: QueryKind,

    #[command(flatten)]
    pub(in crate::app) input: MeshInputArgs,

    /// The point to ask for.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    at: Option<Vec3>,

    /// Where a ray or a walk leads to.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    to: Option<Vec3>,

    /// How far to look for a wall [default: everywhere], or how far from --at random places may lie [default: 10].
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    radius: Option<f32>,

    /// How many random places.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    count: usize,

    /// Begin of the random numbers: the same number gives the same places.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    seed: u64,

    /// Move the mesh before asking.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    offset: Option<Vec3>,

    /// Print JSON to standard output.
    #[arg(long)]
    json: bool,
}

impl NavQueryArgs {
    /// Refuses options that the question would pass over, and asks for those that it needs, before anything is loaded.
    ///
    /// # Errors
    /// One was typed that says nothing to it, or one is missing.
    fn check_question(&self) -> anyhow::Result<()> {
        use QueryKind::{Random, Raycast, SurfaceWalk, WallDistance};
        let question = self.question.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        let given: [(&str, bool, &[QueryKind]); 4] = [
            ("--to", self.to.is_some(), &[Raycast, SurfaceWalk]),
            ("--radius", self.radius.is_some(), &[WallDistance, Random]),
            ("--count", self.count != 1, &[Random]),
            ("--seed", self.seed != 0, &[Random]),
        ];
        for (option, is_given, readers) in given {
            if is_given && !readers.contains(&self.question) {
                super::output::misused!("{option} says nothing to the question '{question}'; leave it out");
            }
        }
        if self.at.is_none() && self.question != Random {
            super::output::misused!("the question '{question}' needs --at X,Y,Z");
        }
        if self.to.is_none() && matches!(self.question, Raycast | SurfaceWalk) {
            super::output::misused!("the question '{question}' needs --to X,Y,Z");
        }
        Ok(())
    }
}

/// Runs the command.
///
/// # Errors
/// A point that the question needs is missing or not near the mesh; a mesh that does not load.
pub fn run(args: &NavQueryArgs) -> anyhow::Result<ExitCode> {
    args.check_question()?;
    if args.radius.is_some_and(|r| !(r >= 0.0)) {
        super::output::misused!("--radius must be 0 or more");
    }
    if args.question == QueryKind::Random && args.radius.is_some_and(|r| args.at.is_none() || !r.is_finite()) {
        super::output::misused!(
            "--radius of random places is how far they may lie from --at; give both, and a finite one"
        );
    }
    if !(1..=MAX_COUNT).contains(&args.count) {
        super::output::misused!("--count {} is out of range; give 1 to {MAX_COUNT}", args.count);
    }
    let mesh = mesh::load(&args.input, args.offset.unwrap_or(Vec3::ZERO).as_dvec3())?.mesh;
    let asked = NavQueryContext { mesh: &mesh, args, filter: Filter::default() };
    let begin = Instant::now();
    let mut answer = match args.question {
        QueryKind::Nearest => asked.nearest()?,
        QueryKind::Raycast => asked.raycast()?,
        QueryKind::WallDistance => asked.wall_distance()?,
        QueryKind::Random => asked.random()?,
        QueryKind::SurfaceWalk => asked.surface_walk()?,
    };
    let micros = begin.elapsed().as_secs_f64() * 1e6;
    if args.json {
        answer["micros"] = json!(micros);
        print_line(&answer.to_string())?;
    } else {
        let rows = answer.as_object().context("an answer has rows")?;
        for (name, value) in rows {
            print_line(&format!("{name:>10}  {value}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct NavQueryContext<'a> {
    mesh: &'a NavMesh,
    args: &'a NavQueryArgs,
    filter: Filter,
}

impl NavQueryContext<'_> {
    fn place(&self) -> anyhow::Result<NavPoint> {
        let at = self.args.at.context("the question needs --at X,Y,Z")?;
        mesh::place(self.mesh, at.as_dvec3(), None, &self.filter)
            .map_err(|reason| anyhow!("{reason}. File: {}", self.args.input.level.input.display()))
    }

    fn to(&self) -> anyhow::Result<Vec3> {
        Ok(self.mesh.local(self.args.to.context("the question needs --to X,Y,Z")?.as_dvec3()))
    }

    fn world(&self, local: Vec3) -> [f64; 3] {
        let DVec3 { x, y, z } = self.mesh.world(local);
        [x, y, z]
    }

    fn number(&self, id: PolyId) -> u32 {
        self.mesh.source(id)
    }

    fn nearest(&self) -> anyhow::Result<Value> {
        let NavPoint { polygon, point } = self.place()?;
        Ok(json!({ "polygon": self.number(polygon), "point": self.world(point) }))
    }

    fn raycast(&self) -> anyhow::Result<Value> {
        let (start, end) = (self.place()?, self.to()?);
        let mut polygons = Vec::new();
        let hit = raycast(self.mesh, start, end, &self.filter, |p| polygons.push(self.number(p)));
        Ok(json!({
            "share": hit.share,
            "point": self.world(hit.point(self.mesh, start.point, end)),
            "normal": hit.normal(self.mesh).to_array(),
            "free": hit.wall.is_none(),
            "polygons": polygons,
        }))
    }

    fn wall_distance(&self) -> anyhow::Result<Value> {
        let radius = self.args.radius.unwrap_or(f32::INFINITY);
        let hit = Surface::new().wall_distance(self.mesh, self.place()?, radius, &self.filter);
        Ok(match hit {
            Some(hit) => json!({ "distance": hit.distance, "point": self.world(hit.point) }),
            None => json!({ "distance": null, "point": null }),
        })
    }

    fn random(&self) -> anyhow::Result<Value> {
        let mut random = SplitMix64::new(self.args.seed);
        let mut chance = move || random.unit();
        let mut surface = Surface::new();
        let around = self.args.at.map(|_| self.place()).transpose()?;
        let radius = self.args.radius.unwrap_or(10.0);
        let places: Vec<Value> = (0..self.args.count)
            .map_while(|_| match around {
                Some(place) => Some(random_around(self.mesh, &mut surface, place, radius, &self.filter, &mut chance)),
                None => random_point(self.mesh, &self.filter, &mut chance),
            })
            .map(|NavPoint { polygon, point }| json!({ "polygon": self.number(polygon), "point": self.world(point) }))
            .collect();
        Ok(json!({ "places": places }))
    }

    fn surface_walk(&self) -> anyhow::Result<Value> {
        let mut polygons = Vec::new();
        let end = Surface::new().walk(self.mesh, self.place()?, self.to()?, &self.filter, &mut polygons);
        let polygons: Vec<u32> = polygons.into_iter().map(|p| self.number(p)).collect();
        Ok(json!({ "point": self.world(end.point), "polygons": polygons }))
    }
}
