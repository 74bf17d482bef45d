//! What the commands `ground`, `path`, `nav-query` and `bake` share: their options, and the level that they name.

use super::progress::ProgressLine;
use crate::asset::level::append_triangles;
use crate::asset::store::load_model;
use crate::asset::{LevelTriangle, NodeTransforms};
use crate::disk::has_extension;
use crate::nav::bake::{BakeSettings, bake, silent};
use crate::nav::exchange::{ExchangeError, MESH_EXTENSIONS, MeshPlacement, is_mesh_file};
use crate::nav::mesh::MeshFile;
use crate::nav::mesh::from_level::GroundSettings;
use crate::scene;
use crate::scene::file::{LoadedScene, is_scene_file};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use glam::{Mat4, Vec3};
use std::path::{Path, PathBuf};

/// Neighbour rules as they are typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Adjacency {
    /// A navigation mesh: polygons that share a part of an edge or lie a step apart, never through a wall.
    #[default]
    Shared,
    /// The original program's rule, defect included; triangles are placed and numbered as there.
    Original,
}

/// Which level, and what of it is ground.
#[derive(Clone, Debug, Args)]
pub struct LevelArgs {
    /// A scene (.acfg, .gset) or a bare level file (glb, gltf, fbx, obj, dae); `path`, `nav-query` and `index` take a
    /// navigation mesh, too.
    pub input: PathBuf,

    /// Factor on the size of a bare level or a navigation mesh; those of a scene keep their sizes.
    #[arg(long, value_name = "F", default_value_t = 1.0, allow_negative_numbers = true)]
    pub scale: f64,

    /// Steepest walkable slope in degrees, 0 to 90 [default: the scene's, 40 for a bare level].
    #[arg(long, value_name = "DEG", allow_negative_numbers = true)]
    pub slope: Option<f32>,

    /// Highest step in metres [default: the scene's, 0.4 for a bare level].
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub step: Option<f32>,
}

/// The triangles of a level, and what of them is ground.
pub struct LevelTriangles {
    /// All triangles, in the world.
    pub triangles: Vec<LevelTriangle>,
    /// What is ground.
    pub settings: GroundSettings,
    /// Most triangles and deepest level of an octree's cells.
    pub octree: (u32, u32),
    /// The neighbour rule by which a scene's characters walk.
    pub adjacency: Adjacency,
}

/// A file of a level and where it lies.
struct PlacedFile {
    file: PathBuf,
    /// Whether its units count.
    units: NodeTransforms,
    world_from_model: Mat4,
}

/// The files of a level and what a scene says about them.
struct LevelFiles {
    levels: Vec<PlacedFile>,
    settings: GroundSettings,
    octree: (u32, u32),
    adjacency: Adjacency,
    /// How a scene bakes its mesh.
    bake: Option<BakeSettings>,
}

impl LevelArgs {
    /// The scene, where one is named.
    ///
    /// # Errors
    /// It does not load.
    pub fn scene(&self) -> anyhow::Result<Option<LoadedScene>> {
        scene_of(&self.input)
    }

    /// Loads the level; with a neighbour rule, as that places it.
    ///
    /// # Errors
    /// An option out of range, a file that does not load, a level without triangles.
    pub fn load(&self, adjacency: Option<Adjacency>) -> anyhow::Result<LevelTriangles> {
        self.load_of(self.scene()?.as_ref(), adjacency)
    }

    /// As [`load`](Self::load), of a [scene](Self::scene) that is read already.
    ///
    /// # Errors
    /// As there.
    pub fn load_of(&self, scene: Option<&LoadedScene>, adjacency: Option<Adjacency>) -> anyhow::Result<LevelTriangles> {
        check_scale(self.scale)?;
        self.refuse_scale_of(scene)?;
        let LevelFiles { levels, mut settings, octree, adjacency: own, .. } = files(&self.input, scene)?;
        let adjacency = adjacency.unwrap_or(own);
        self.override_settings(&mut settings.slope_rad, &mut settings.step_height)?;
        let transforms = match adjacency {
            Adjacency::Original => NodeTransforms::RootOnly,
            Adjacency::Shared => NodeTransforms::All,
        };
        ProgressLine::new().say("importing the level");
        let triangles = placed(&levels, self.scale, transforms, &self.input)?;
        Ok(LevelTriangles { triangles, settings, octree, adjacency })
    }

    /// Refuses a factor on the sizes that a scene gives: its characters, targets and links would stay behind.
    ///
    /// # Errors
    /// One was typed.
    pub fn refuse_scale_of(&self, scene: Option<&LoadedScene>) -> anyhow::Result<()> {
        if scene.is_some() && self.scale != 1.0 {
            let file = self.input.display();
            super::output::misused!("--scale is for levels; a scene's keep their sizes. File: {file}");
        }
        Ok(())
    }

    /// Writes the slope, in radians, and the step that are given over those of a scene.
    ///
    /// # Errors
    /// One is out of range.
    pub fn override_settings(&self, slope_rad: &mut f32, step_height: &mut f32) -> anyhow::Result<()> {
        if let Some(slope) = self.slope {
            if !(0.0..=90.0).contains(&slope) {
                super::output::misused!("--slope is {slope}; give degrees from 0 to 90");
            }
            *slope_rad = slope.to_radians();
        }
        if let Some(step) = self.step {
            if !(step.is_finite() && step >= 0.0) {
                super::output::misused!("--step is {step}; give metres, 0 or more");
            }
            *step_height = step;
        }
        Ok(())
    }
}

/// Checks a factor on sizes, of levels as of meshes.
///
/// # Errors
/// It is out of range.
pub fn check_scale(scale: f64) -> anyhow::Result<()> {
    if !(MeshPlacement { scale, ..MeshPlacement::default() }).is_valid() {
        let [low, high] = MeshPlacement::SCALES;
        super::output::misused!("--scale is {scale}; give a number from {low} to {high}");
    }
    Ok(())
}

/// All triangles of a scene's levels or of a bare level, as the world sees them, and how a scene bakes them.
///
/// # Errors
/// A scale that is none, a file that does not load, a level without triangles.
pub fn triangles_to_bake(input: &Path, scale: f64) -> anyhow::Result<(Vec<[Vec3; 3]>, Option<BakeSettings>)> {
    check_scale(scale)?;
    let LevelFiles { levels, bake, .. } = files(input, scene_of(input)?.as_ref())?;
    let triangles = placed(&levels, scale, NodeTransforms::All, input)?;
    Ok((triangles.iter().map(|t| t.points).collect(), bake))
}

/// The mesh of a level, baked as a scene says, else with the settings by default, both adjusted.
///
/// # Errors
/// A file that does not load, a level that cannot be baked.
pub fn bake_level(input: &Path, adjust: impl Fn(&mut BakeSettings)) -> anyhow::Result<MeshFile> {
    let mut progress = ProgressLine::new();
    progress.say("baking the level");
    let (triangles, settings) = triangles_to_bake(input, 1.0)?;
    let mut settings = settings.unwrap_or_default();
    adjust(&mut settings);
    Ok(bake(&triangles, &settings, &mut silent)?.file())
}

fn placed(
    levels: &[PlacedFile],
    scale: f64,
    transforms: NodeTransforms,
    input: &Path,
) -> anyhow::Result<Vec<LevelTriangle>> {
    let (mut triangles, mut has_walk_mesh) = (Vec::new(), false);
    for PlacedFile { file, units, world_from_model } in levels {
        let model = load_model(file).with_context(|| format!("level not loaded: {}", file.display()))?;
        let model = model.with_transforms(*units);
        let placed = Mat4::from_scale(Vec3::splat(scale as f32)) * *world_from_model;
        append_triangles(&model, &placed, transforms, &mut triangles);
        has_walk_mesh |= model.meshes.iter().any(|mesh| model.is_walk_mesh(mesh));
    }
    if triangles.is_empty() && has_walk_mesh {
        bail!(
            "all triangles are those of a navigation mesh by its name, and no ground; `path` and `doctor` take it with \
             --as-mesh. File: {}",
            input.display()
        );
    }
    if triangles.is_empty() {
        bail!("there are no triangles, so there is no ground; name a file with a level. File: {}", input.display());
    }
    Ok(triangles)
}

/// The scene of a file that is one.
fn scene_of(input: &Path) -> anyhow::Result<Option<LoadedScene>> {
    Ok(if is_scene_file(input) { Some(scene::file::load(input)?) } else { None })
}

fn files(input: &Path, scene: Option<&LoadedScene>) -> anyhow::Result<LevelFiles> {
    let Some(loaded) = scene else {
        if is_mesh_file(input) {
            let file = input.display();
            bail!("this command takes a level or a scene; the file is a navigation mesh. File: {file}");
        }
        // What has such an ending and begins as no mesh is no level, either.
        if input.is_file() && has_extension(input, &MESH_EXTENSIONS) {
            return Err(ExchangeError::Unknown).with_context(|| format!("level not loaded. File: {}", input.display()));
        }
        let settings = scene::Settings::default();
        return Ok(LevelFiles {
            levels: vec![PlacedFile {
                file: input.to_owned(),
                units: NodeTransforms::All,
                world_from_model: Mat4::IDENTITY,
            }],
            settings: GroundSettings::default(),
            octree: (settings.octree_threshold, settings.octree_max_depth),
            adjacency: Adjacency::Shared,
            bake: None,
        });
    };
    let (settings, nav) = (&loaded.scene.settings, &loaded.scene.settings.nav);
    let place = |level: &scene::SceneLevel| PlacedFile {
        file: loaded.root.join(&level.file),
        units: level.transforms(),
        world_from_model: level.world_from_model(),
    };
    Ok(LevelFiles {
        levels: loaded.scene.levels.values().map(|level| place(level)).collect(),
        settings: GroundSettings { slope_rad: nav.ground_slope_deg.to_radians(), step_height: nav.max_step_height },
        octree: (settings.octree_threshold, settings.octree_max_depth),
        adjacency: if loaded.scene.nav.planner.needs_mesh() { Adjacency::Shared } else { Adjacency::Original },
        bake: Some(loaded.scene.bake_settings()),
    })
}
