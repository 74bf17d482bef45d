//! What `walkabout render` draws: a scene, or a level, a model or a navigation mesh by itself, all of it in the picture.

use super::assets;
use super::progress::ProgressLine;
use crate::app::scene_setup::set_up;
use crate::asset::AssetStore;
use crate::asset::level_guess::has_bones;
use crate::camera::framing::{Bearing, fit, overview};
use crate::debug::Layer;
use crate::disk::absolute;
use crate::math::Aabb;
use crate::nav::exchange::{is_mesh_file, read_mesh};
use crate::scene::edit::Edit;
use crate::scene::file::root::name_in;
use crate::scene::instance::ModelRef;
use crate::scene::nav::MeshSource;
use crate::scene::{Scene, SceneCamera, SceneInstance, SceneLevel, SceneModel, SceneNav, Selection, file};
use crate::ui::dialogs::{MODEL_EXTENSIONS, has_extension};
use anyhow::{Context as _, bail};
use glam::Vec3;
use std::f32::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// From where a model by itself is seen: half from its front, a little from above.
const MODEL_BEARING: Bearing = Bearing { azimuth_rad: -PI / 6.0, elevation_rad: -PI / 12.0 };

/// What is drawn, with its files.
pub(super) struct ShownFile {
    pub scene: Scene,
    pub selection: Selection,
    pub assets: AssetStore,
    /// Overlays that belong to it.
    pub overlays: Vec<Layer>,
}

/// Loads what is to be drawn into a picture of this width by its height.
///
/// # Errors
/// A scene or a mesh that cannot be read; a model by itself that cannot be imported.
pub(super) fn load(path: &Path, aspect: f32, progress: &mut ProgressLine) -> anyhow::Result<ShownFile> {
    if is_mesh_file(path) {
        return mesh_alone(path, aspect);
    }
    if has_extension(path, MODEL_EXTENSIONS) {
        return model_alone(path, aspect, progress);
    }
    let file::LoadedScene { scene, selection, root, .. } = file::load(path)?;
    let assets = assets::load(&scene, root, progress);
    Ok(ShownFile { scene, selection, assets, overlays: Vec::new() })
}

/// A navigation mesh, with its links.
fn mesh_alone(path: &Path, aspect: f32) -> anyhow::Result<ShownFile> {
    let mesh = read_mesh(path).with_context(|| format!("mesh not loaded. File: {}", path.display()))?;
    let (root, name) = place_of(path);
    let nav = Arc::new(SceneNav { mesh: MeshSource::File(name), ..SceneNav::default() });
    let scene = Scene { nav, ..Scene::fresh() };
    let mut assets = AssetStore::default();
    assets.set_root(root);
    let mut overlays = vec![Layer::NavMesh];
    if !mesh.file.links.is_empty() {
        overlays.push(Layer::NavLinks);
    }
    let points: Vec<Vec3> = mesh.file.mesh.vertices.iter().map(|v| v.as_vec3()).collect();
    let size = Aabb::from_points(points.iter().copied()).size();
    Ok(framed(scene, assets, overlays, (&points, overview(size, 0.0), aspect)))
}

/// A model with bones as an instance at rest, another one as a level.
fn model_alone(path: &Path, aspect: f32, progress: &mut ProgressLine) -> anyhow::Result<ShownFile> {
    let (root, name) = place_of(path);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut scene = Scene::fresh();
    let is_level = !has_bones(path);
    let edit = match is_level {
        true => Edit::AddLevel(SceneLevel { name: stem, file: name, ..SceneLevel::default() }),
        false => Edit::AddModel(SceneModel { name: stem, file: name, ..SceneModel::default() }),
    };
    scene.apply(&edit)?;
    progress.say("importing the model");
    let mut assets = scene.load_assets(root);
    if let Some(error) = scene.request_assets(&mut assets).into_iter().find_map(|id| assets.failure(id)) {
        bail!("{error}");
    }
    let bounds = match is_level {
        true => scene.levels.values().next().and_then(|level| Some(assets.by_file(&**level)?.1.rest_bounds)),
        false => stand(&mut scene, &assets)?,
    };
    let bounds = bounds.filter(|bounds| !bounds.is_empty()).unwrap_or(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let along = if is_level { overview(bounds.size(), 0.0) } else { MODEL_BEARING };
    Ok(framed(scene, assets, Vec::new(), (&bounds.corners(), along, aspect)))
}

/// Puts an instance of the only model to the origin, with its clips set up; its bounds.
fn stand(scene: &mut Scene, assets: &AssetStore) -> anyhow::Result<Option<Aabb>> {
    let Some((id, model)) = scene.models.iter().next() else { return Ok(None) };
    let Some((_, file)) = assets.by_file(&**model) else { return Ok(None) };
    let (to, bounds) = (set_up(model, file), file.rest_bounds);
    let instance = SceneInstance { model: ModelRef::Known(id), ..SceneInstance::default() };
    scene.apply(&Edit::Many(vec![Edit::SetModel { id, to }, Edit::AddInstance(instance)]))?;
    // There is no ground to stand on.
    Arc::make_mut(&mut scene.settings).gravity_enabled = false;
    Ok(Some(bounds))
}

/// The folder of a file and its name there, as scenes have them.
fn place_of(path: &Path) -> (PathBuf, String) {
    let path = absolute(path);
    let root = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let name = name_in(&root, &path);
    (root, name)
}

/// A scene whose camera shows all points along a direction, in a picture of this width by its height.
fn framed(
    mut scene: Scene,
    assets: AssetStore,
    overlays: Vec<Layer>,
    (points, along, aspect): (&[Vec3], Bearing, f32),
) -> ShownFile {
    let id = scene.cameras.ids().next();
    if let Some(camera) = id.and_then(|id| scene.cameras.get_mut(id)) {
        let to: &mut SceneCamera = Arc::make_mut(camera);
        if let Some(seen) = fit(points, along, to.fov_deg.to_radians(), aspect) {
            to.position = seen.eye;
        }
        to.azimuth_deg = along.azimuth_rad.to_degrees().rem_euclid(360.0);
        to.elevation_deg = along.elevation_rad.to_degrees();
    }
    ShownFile { scene, selection: Selection { camera: id, ..Selection::default() }, assets, overlays }
}
