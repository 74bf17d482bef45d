//! What commands that ask a navigation mesh share: the mesh that their input names, and places on it.

use super::error::OffMesh;
use super::level::{LevelArgs, check_scale};
use super::progress::ProgressLine;
use crate::disk::has_extension;
use crate::nav::doctor::area_facing_down;
use crate::nav::exchange::{FileAxes, JoinedMesh, MESH_EXTENSIONS, MeshPlacement, is_mesh_file, read_placed};
use crate::nav::mesh::from_level::LevelMesh;
use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::query::nearest::{SearchExtents, nearest};
use crate::scene::file::LoadedScene;
use crate::scene::{Scene, SceneNav};
use crate::sim::LevelParts;
use crate::sim::nav_mesh::MeshState;
use anyhow::{Context, bail};
use glam::DVec3;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which level becomes a mesh, or which mesh.
#[derive(Clone, Debug, clap::Args)]
pub struct MeshInputArgs {
    #[command(flatten)]
    pub level: LevelArgs,

    /// Take the polygons of a model (obj, ply, glb) as the navigation mesh, as they are.
    #[arg(long)]
    pub as_mesh: bool,

    /// Axes of a mesh's file that are right, up and towards the viewer, on top of its format's [default: x,y,z].
    #[arg(long, value_name = "AXES", allow_hyphen_values = true)]
    pub axes: Option<FileAxes>,
}

impl MeshInputArgs {
    /// Whether the input is a navigation mesh, by itself or because an option takes it as one.
    pub fn is_mesh(&self) -> bool {
        is_taken_as_mesh(&self.level.input, self.as_mesh)
    }

    /// The scene, where one is named.
    ///
    /// # Errors
    /// It does not load.
    pub fn scene(&self) -> anyhow::Result<Option<LoadedScene>> {
        if self.is_mesh() { Ok(None) } else { self.level.scene() }
    }
}

/// Whether a file holds a navigation mesh: by its content, and by its name where that says so.
pub fn is_mesh(input: &Path) -> bool {
    has_extension(input, &MESH_EXTENSIONS) || is_mesh_file(input)
}

/// Whether a file is read as a navigation mesh: `as_mesh` says that an option asks for it.
pub fn is_taken_as_mesh(input: &Path, as_mesh: bool) -> bool {
    as_mesh || is_mesh(input)
}

/// A mesh with what its input says about it.
#[derive(Debug, Default)]
pub struct LoadedMesh {
    /// The mesh.
    pub mesh: NavMesh,
    /// Ways off it.
    pub links: OffMeshLinks,
    /// What the scene says, with enemies and all that hides from them moved as the mesh is; the defaults for what is no
    /// scene.
    pub nav: SceneNav,
}

/// The mesh of a file, moved by `offset`: saved by `walkabout bake`, written as JSON, a scene's own with its links and
/// obstacles, or that of a level's triangles.
///
/// # Errors
/// The file cannot be read, is damaged, or holds no ground.
pub fn load(args: &MeshInputArgs, offset: DVec3) -> anyhow::Result<LoadedMesh> {
    load_of(args, args.scene()?.as_ref(), offset)
}

/// As [`load`], of a [scene](MeshInputArgs::scene) that is read already.
///
/// # Errors
/// As there.
pub fn load_of(args: &MeshInputArgs, scene: Option<&LoadedScene>, offset: DVec3) -> anyhow::Result<LoadedMesh> {
    let MeshInputArgs { level, axes, .. } = args;
    let input = &level.input;
    let say = || format!("mesh not loaded. File: {}", input.display());
    if !offset.is_finite() {
        super::output::misused!("--offset is not finite; give three numbers, X,Y,Z");
    }
    if args.is_mesh() {
        if level.slope.is_some() || level.step.is_some() {
            super::output::misused!("--slope and --step are for levels. File: {}", input.display());
        }
        check_scale(level.scale)?;
        let placement = MeshPlacement { axes: axes.unwrap_or_default(), scale: level.scale };
        let JoinedMesh { mesh, links, notes, .. } = read_placed(input, &placement).with_context(say)?;
        notes.iter().for_each(|note| tracing::warn!("{note} File: {}", input.display()));
        return Ok(LoadedMesh { mesh: mesh.moved(offset), links, ..LoadedMesh::default() });
    }
    if axes.is_some() {
        super::output::misused!("--axes is for the file of a mesh. File: {}", input.display());
    }
    if let Some(loaded) = scene {
        let mut scene = loaded.scene.clone();
        level.refuse_scale_of(Some(loaded))?;
        let contact = &mut Arc::make_mut(&mut scene.settings).nav;
        let mut slope_rad = contact.ground_slope_deg.to_radians();
        level.override_settings(&mut slope_rad, &mut contact.max_step_height)?;
        if level.slope.is_some() {
            contact.ground_slope_deg = slope_rad.to_degrees();
        }
        return of_scene(&scene, loaded.root.clone(), offset).with_context(say);
    }
    let level = level.load_of(None, None)?;
    let built = LevelMesh::build(&level.triangles, &level.settings);
    if built.mesh.polygons.is_empty() {
        let down = area_facing_down(level.triangles.iter().map(|t| &t.points), level.settings.slope_rad);
        if down > 0.0 {
            bail!(
                "no triangle that is flat enough to walk on faces up, but {down:.1} m² of such face down; if that is the ground, turn it \
                 over in the modelling program (recalculate normals), else give a larger --slope. File: {}",
                input.display()
            );
        }
        bail!("no triangle is flat enough to walk on; give a larger --slope. File: {}", input.display());
    }
    Ok(LoadedMesh { mesh: built.nav_mesh().with_context(say)?.moved(offset), ..LoadedMesh::default() })
}

/// The mesh on which a scene's characters walk.
fn of_scene(scene: &Scene, root: PathBuf, offset: DVec3) -> anyhow::Result<LoadedMesh> {
    let assets = super::assets::load(scene, root, &mut ProgressLine::new());
    let mut state = MeshState::default();
    state.reconcile(scene, &assets, &LevelParts::of(scene, &assets));
    if let Some(fault) = state.faults().next() {
        bail!("{fault}");
    }
    let mesh = state.current().cloned().context("the scene's level is not there")?;
    let mut nav = SceneNav::clone(&scene.nav);
    let by = offset.as_vec3();
    nav.threats.iter_mut().chain(&mut nav.destroyed).for_each(|p| *p += by);
    nav.obstacles.iter_mut().for_each(|o| *o.shape.base_mut() += by);
    let links = state.links().map(|links| OffMeshLinks::clone(links)).unwrap_or_default();
    // A second reference would make this a copy.
    drop(state);
    Ok(LoadedMesh { mesh: Arc::unwrap_or_clone(mesh).moved(offset), links, nav })
}

/// The place on a mesh for a point in the world; in a polygon by its number in the file where that is given.
///
/// # Errors
/// Nothing of the mesh is near, or there is no such polygon.
pub fn place(mesh: &NavMesh, point: DVec3, polygon: Option<u32>, filter: &Filter) -> Result<NavPoint, OffMesh> {
    let local = mesh.local(point);
    if let Some(number) = polygon {
        let id = mesh.from_source(number).ok_or(OffMesh::NoPolygon(number))?;
        return Ok(NavPoint::new(id, local));
    }
    nearest(mesh, local, &SearchExtents::default(), filter).map(|n| n.nav_point()).ok_or(OffMesh::TooFar(point))
}
