//! What the commands `ground`, `path` and `bake` share: their options, and the level that they name.

use super::progress::ProgressLine;
use crate::asset::level::append_triangles;
use crate::asset::store::load_model;
use crate::asset::{LevelTriangle, NodeTransforms};
use crate::collide::triangle_octree::TriangleOctree;
use crate::nav::ground::{Adjacency, GroundGraph, GroundSettings};
use crate::scene::{self, SceneNav};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use glam::{Mat4, Vec3};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Neighbour rules as they are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rule {
    /// Triangles that share a part of an edge or lie a step apart, never through a wall.
    Shared,
    /// The original program's rule, defect included; triangles are placed and numbered as there.
    Original,
}

/// Which level, and how its ground is derived.
#[derive(Clone, Debug, Args)]
pub struct LevelArgs {
    /// A scene (.acfg) or a bare level file (glb, gltf, fbx, obj, dae).
    pub input: PathBuf,

    /// Factor on the level's size, on top of a scene's own.
    #[arg(long, value_name = "F", default_value_t = 1.0)]
    pub scale: f32,

    /// Steepest walkable slope in degrees, 0 to 90 [default: the scene's, 40 for a bare level].
    #[arg(long, value_name = "DEG")]
    pub slope: Option<f32>,

    /// Highest step in metres [default: the scene's, 0.4 for a bare level].
    #[arg(long, value_name = "M")]
    pub step: Option<f32>,

    /// Which triangles are neighbours [default: the scene's, shared for a bare level].
    #[arg(long, value_enum)]
    pub adjacency: Option<Rule>,
}

/// The ground of a level, and how long it took.
pub struct Prepared {
    /// All triangles of the level.
    pub triangles: Vec<LevelTriangle>,
    /// The ground.
    pub graph: GroundGraph,
    /// What it was built with.
    pub settings: GroundSettings,
    /// Milliseconds for the triangle octree.
    pub octree_ms: f64,
    /// Milliseconds for the ground with its neighbours.
    pub ground_ms: f64,
}

struct Source {
    levels: Vec<(PathBuf, Mat4)>,
    settings: GroundSettings,
    octree: (u32, u32),
}

impl LevelArgs {
    /// Loads the level and builds octree and ground.
    ///
    /// # Errors
    /// An option out of range, a file that does not load, a level without triangles.
    pub fn prepare(&self) -> anyhow::Result<Prepared> {
        check_scale(self.scale)?;
        let mut source = if is_scene(&self.input) { from_scene(&self.input)? } else { bare(&self.input) };
        self.override_settings(&mut source.settings)?;
        let transforms = match source.settings.adjacency {
            Adjacency::Original => NodeTransforms::RootOnly,
            Adjacency::Shared => NodeTransforms::All,
        };
        let mut progress = ProgressLine::new();
        progress.say("importing the level");
        let triangles = placed(&source.levels, self.scale, transforms, &self.input)?;
        let (threshold, depth) = source.octree;
        // Threads start with the process in every other command; they are no part of what is timed.
        rayon::broadcast(|_| ());
        let start = Instant::now();
        let tree = TriangleOctree::build(&triangles, threshold, depth);
        let octree_ms = start.elapsed().as_secs_f64() * 1e3;
        drop(tree);
        progress.say("finding the ground");
        let start = Instant::now();
        let graph = GroundGraph::build(&triangles, &source.settings);
        let ground_ms = start.elapsed().as_secs_f64() * 1e3;
        Ok(Prepared { triangles, graph, settings: source.settings, octree_ms, ground_ms })
    }

    fn override_settings(&self, settings: &mut GroundSettings) -> anyhow::Result<()> {
        if let Some(slope) = self.slope {
            if !(0.0..=90.0).contains(&slope) {
                super::output::misused!("--slope is {slope}; give degrees from 0 to 90");
            }
            settings.slope_rad = slope.to_radians();
        }
        if let Some(step) = self.step {
            if !(step.is_finite() && step >= 0.0) {
                super::output::misused!("--step is {step}; give metres, 0 or more");
            }
            settings.step_height = step;
        }
        match self.adjacency {
            Some(Rule::Shared) => settings.adjacency = Adjacency::Shared,
            Some(Rule::Original) => settings.adjacency = Adjacency::Original,
            None => {}
        }
        Ok(())
    }
}

fn check_scale(scale: f32) -> anyhow::Result<()> {
    if !(scale.is_finite() && scale > 0.0) {
        super::output::misused!("--scale is {scale}; give a number above 0");
    }
    Ok(())
}

/// All triangles of a scene's levels or of a bare level, as the world sees them.
///
/// # Errors
/// A scale that is none, a file that does not load, a level without triangles.
pub fn triangles(input: &Path, scale: f32) -> anyhow::Result<Vec<LevelTriangle>> {
    check_scale(scale)?;
    let levels = if is_scene(input) { from_scene(input)?.levels } else { bare(input).levels };
    placed(&levels, scale, NodeTransforms::All, input)
}

fn placed(
    levels: &[(PathBuf, Mat4)],
    scale: f32,
    transforms: NodeTransforms,
    input: &Path,
) -> anyhow::Result<Vec<LevelTriangle>> {
    let mut triangles = Vec::new();
    for (file, world_from_model) in levels {
        let model = load_model(file).with_context(|| format!("level not loaded: {}", file.display()))?;
        let placed = Mat4::from_scale(Vec3::splat(scale)) * *world_from_model;
        append_triangles(&model, &placed, transforms, &mut triangles);
    }
    if triangles.is_empty() {
        bail!("there are no triangles, so there is no ground; name a file with a level. File: {}", input.display());
    }
    Ok(triangles)
}

fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("acfg"))
}

/// The neighbour rule that a scene's characters walk by.
pub fn adjacency_of(nav: &SceneNav) -> Adjacency {
    if nav.planner.needs_mesh() { Adjacency::Shared } else { Adjacency::Original }
}

fn from_scene(path: &Path) -> anyhow::Result<Source> {
    let loaded = scene::file::load(path)?;
    let nav = &loaded.scene.settings.nav;
    let levels: Vec<(PathBuf, Mat4)> =
        loaded.scene.levels.values().map(|level| (loaded.root.join(&level.file), level.world_from_model())).collect();
    Ok(Source {
        levels,
        settings: GroundSettings {
            slope_rad: nav.ground_slope_deg.to_radians(),
            step_height: nav.max_step_height,
            adjacency: adjacency_of(&loaded.scene.nav),
        },
        octree: (loaded.scene.settings.octree_threshold, loaded.scene.settings.octree_max_depth),
    })
}

fn bare(path: &Path) -> Source {
    let settings = scene::Settings::default();
    Source {
        levels: vec![(path.to_owned(), Mat4::IDENTITY)],
        settings: GroundSettings::default(),
        octree: (settings.octree_threshold, settings.octree_max_depth),
    }
}
