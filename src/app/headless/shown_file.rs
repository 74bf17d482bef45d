//! What `walkabout render` draws: a scene, or a level, a model or a navigation mesh by itself, all of it in the picture.

use super::assets;
use super::mesh::is_mesh;
use super::mesh_file_args::MeshFileArgs;
use super::progress::ProgressLine;
use crate::anim::clip_classification::{ClipRoles, classify_clips};
use crate::app::scene_setup::set_up;
use crate::asset::import::check_file;
use crate::asset::level_guess::has_bones;
use crate::asset::{AssetError, AssetStore, Model};
use crate::camera::View;
use crate::camera::angles::direction;
use crate::camera::framing::{Bearing, fit, overview};
use crate::debug::Layer;
use crate::disk::{absolute, has_extension, stem_of};
use crate::math::Aabb;
use crate::nav::exchange::{MeshPlacement, read_placed};
use crate::scene::edit::Edit;
use crate::scene::file::root::name_in;
use crate::scene::file::{self, LoadedScene, is_scene_file};
use crate::scene::instance::ModelRef;
use crate::scene::nav::MeshSource;
use crate::scene::{Scene, SceneCamera, SceneInstance, SceneLevel, SceneModel, SceneNav, Selection};
use crate::sim::World;
use crate::ui::dialogs::MODEL_EXTENSIONS;
use anyhow::{Context as _, bail};
use glam::{Mat4, Vec3};
use std::f32::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// From where a model by itself is seen: half from its front, a little from above.
const MODEL_BEARING: Bearing = Bearing { azimuth_rad: -PI / 6.0, elevation_rad: -PI / 12.0 };

/// How many times as long as it is deep a panel is, at least.
const PANEL_LENGTH: f32 = 2.0;
/// How many times as high as it is deep a panel is, at least.
const PANEL_HEIGHT: f32 = 1.25;
/// Nearest that anything is seen from, metres: before it the view begins.
const NEAREST: f32 = 1.5 * View::NEAR;
/// Narrowest angle of view from which a small thing is seen, degrees.
const NARROWEST_DEG: f32 = 6.0;

/// What is drawn, with its files.
pub(super) struct ShownFile {
    pub scene: Scene,
    pub selection: Selection,
    pub assets: AssetStore,
    /// Overlays that belong to it.
    pub overlays: Vec<Layer>,
    /// From where it is seen, where it is a body whose clips move it about.
    pub body: Option<Bearing>,
}

/// The camera, set back to where all of a body by itself is in the picture as it stands in the world: its clip may have it elsewhere than
/// it is at rest, and lead it away.
pub(super) fn follow_body(camera: &SceneCamera, along: Bearing, world: &World, aspect: f32) -> SceneCamera {
    let posed = world.iter().find_map(|(id, _)| Some((world.model_of(id)?, world.drawn_pose(id)?)));
    let points = posed.map_or_else(Vec::new, |(file, nodes)| posed_points(file, &nodes));
    let mut fov_deg = camera.fov_deg;
    match eye_for(&points, along, &mut fov_deg, aspect) {
        Some(position) => SceneCamera { position, fov_deg, ..camera.clone() },
        None => camera.clone(),
    }
}

/// The corners of a model's box, or its nodes where it is bare, under the matrices of its nodes.
fn posed_points(file: &Model, nodes: &[Mat4]) -> Vec<Vec3> {
    if is_bare(file) {
        return nodes.iter().map(|node| node.w_axis.truncate()).collect();
    }
    let all = file.bounds_under(nodes);
    if all.is_empty() { Vec::new() } else { all.corners().to_vec() }
}

/// Loads what is to be drawn into a picture of this width by its height.
///
/// # Errors
/// A scene or a mesh that cannot be read; a model by itself that cannot be imported.
pub(super) fn load(
    path: &Path,
    file: &MeshFileArgs,
    aspect: f32,
    progress: &mut ProgressLine,
) -> anyhow::Result<ShownFile> {
    if file.as_mesh || is_mesh(path) {
        return mesh_alone(path, file.placement(), aspect);
    }
    file.refuse_for(path)?;
    if has_extension(path, MODEL_EXTENSIONS) {
        return model_alone(path, aspect, progress);
    }
    let is_scene = || is_scene_file(path) || has_extension(path, &["yaml", "yml"]);
    let loaded = file::load(path).map_err(|error| match check_file(path) {
        // What is no scene by its name either is of a format that is not known.
        Err(unknown @ AssetError::UnknownFormat { .. }) if !is_scene() => anyhow::Error::from(unknown),
        _ => error.into(),
    })?;
    let LoadedScene { scene, selection, root, .. } = loaded;
    let assets = assets::load(&scene, root, progress);
    Ok(ShownFile { scene, selection, assets, overlays: Vec::new(), body: None })
}

/// A navigation mesh, with its links.
fn mesh_alone(path: &Path, placement: MeshPlacement, aspect: f32) -> anyhow::Result<ShownFile> {
    let mesh = read_placed(path, &placement).with_context(|| format!("mesh not loaded. File: {}", path.display()))?;
    let (root, name) = place_of(path);
    let nav = Arc::new(SceneNav { mesh: MeshSource::File(name), mesh_placement: placement, ..SceneNav::default() });
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

/// A model with bones, or one that walks without them, as an instance at rest, another one as a level.
fn model_alone(path: &Path, aspect: f32, progress: &mut ProgressLine) -> anyhow::Result<ShownFile> {
    progress.say("importing the model");
    let mut is_level = !has_bones(path);
    let (mut scene, mut assets) = with_model(path, is_level)?;
    let is = |scene: &Scene, assets: &AssetStore, what: fn(&Model) -> bool| {
        scene.levels.values().any(|level| assets.by_file(&**level).is_some_and(|(_, file)| what(file)))
    };
    // An authored navigation mesh is not drawn with a level; by itself it is all there is.
    if is(&scene, &assets, |file| !file.meshes.is_empty() && file.meshes.iter().all(|mesh| file.is_walk_mesh(mesh))) {
        return mesh_alone(path, MeshPlacement::default(), aspect);
    }
    // A motion without a mesh, as libraries have them; a figure of rigid parts, of which clips say that it walks.
    if is(&scene, &assets, |file| if is_bare(file) { !file.clips.is_empty() } else { walks(file) }) {
        is_level = false;
        (scene, assets) = with_model(path, is_level)?;
    }
    let bounds = match is_level {
        true => scene.levels.values().next().and_then(|level| Some(assets.by_file(&**level)?.1.rest_bounds)),
        false => stand(&mut scene, &assets)?,
    };
    let bounds = bounds.filter(|bounds| !bounds.is_empty()).unwrap_or(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let along = match is_level {
        true => panel_bearing(bounds.size()).unwrap_or_else(|| overview(bounds.size(), 0.0)),
        false => MODEL_BEARING,
    };
    // Of a body without a mesh, as motion captures have, its bones are all that is seen.
    let is_bare = scene.models.values().any(|model| assets.by_file(&**model).is_some_and(|(_, file)| is_bare(file)));
    let overlays = if is_bare { vec![Layer::Skeleton] } else { Vec::new() };
    let shown = framed(scene, assets, overlays, (&bounds.corners(), along, aspect));
    Ok(ShownFile { body: (!is_level).then_some(along), ..shown })
}

/// A scene of the model at this path alone, as a level or to be put up, and the model.
fn with_model(path: &Path, is_level: bool) -> anyhow::Result<(Scene, AssetStore)> {
    let (root, name) = place_of(path);
    let stem = stem_of(path);
    let mut scene = Scene::fresh();
    let edit = match is_level {
        true => Edit::AddLevel(SceneLevel { name: stem, file: name, ..SceneLevel::default() }),
        false => Edit::AddModel(SceneModel { name: stem, file: name, ..SceneModel::default() }),
    };
    scene.apply(&edit)?;
    let mut assets = scene.load_assets(root);
    if let Some(error) = scene.request_assets(&mut assets).into_iter().find_map(|id| assets.failure(id)) {
        bail!("{error}");
    }
    Ok((scene, assets))
}

fn is_bare(file: &Model) -> bool {
    file.triangle_count() == 0
}

fn walks(file: &Model) -> bool {
    let ClipRoles { walk, run, .. } = classify_clips(file);
    walk.or(run).is_some()
}

/// From where a thing is seen that stands upright and is thin, as a door, a fence or a sheet: of that little is seen along its
/// length. `None` of other things.
fn panel_bearing(size: Vec3) -> Option<Bearing> {
    let (short, long) = (size.x.min(size.z), size.x.max(size.z));
    let is_panel = long > PANEL_LENGTH * short && size.y > PANEL_HEIGHT * short;
    let azimuth_rad = if size.x < size.z { -PI / 3.0 } else { -PI / 6.0 };
    is_panel.then_some(Bearing { azimuth_rad, ..MODEL_BEARING })
}

/// Puts an instance of the only model to the origin, with its clips set up; its bounds.
fn stand(scene: &mut Scene, assets: &AssetStore) -> anyhow::Result<Option<Aabb>> {
    let Some((id, model)) = scene.models.iter().next() else { return Ok(None) };
    let Some((_, file)) = assets.by_file(&**model) else { return Ok(None) };
    let to = set_up(model, file);
    let nodes = || Aabb::from_points(file.skeleton.rest_model_from_node().iter().map(|node| node.w_axis.truncate()));
    let bounds = if is_bare(file) { nodes() } else { file.rest_bounds };
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
        if let Some(eye) = eye_for(points, along, &mut to.fov_deg, aspect) {
            to.position = eye;
        }
        to.azimuth_deg = along.azimuth_rad.to_degrees().rem_euclid(360.0);
        to.elevation_deg = along.elevation_rad.to_degrees();
    }
    // Bones are drawn of what is selected.
    let instance = scene.instances.ids().next().filter(|_| overlays.contains(&Layer::Skeleton));
    let selection = Selection { camera: id, instance, ..Selection::default() };
    ShownFile { selection, scene, assets, overlays, body: None }
}

/// The eye that sees all points, with a narrower angle of view where they are so small that it would stand too near, and farther back where
/// that does not do. `None` without points.
fn eye_for(points: &[Vec3], along: Bearing, fov_deg: &mut f32, aspect: f32) -> Option<Vec3> {
    let ahead = direction(along.azimuth_rad, along.elevation_rad);
    loop {
        let eye = fit(points.iter().copied(), along, fov_deg.to_radians(), aspect)?.eye;
        let nearest = points.iter().map(|point| (*point - eye).dot(ahead)).fold(f32::INFINITY, f32::min);
        if nearest >= NEAREST || *fov_deg <= NARROWEST_DEG {
            return Some(eye - ahead * (NEAREST - nearest).max(0.0));
        }
        *fov_deg *= 0.8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thin_things_are_seen_across() {
        for panel in [Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.3, 2.9, 0.14), Vec3::new(0.1, 0.6, 0.5)] {
            let seen = panel_bearing(panel).unwrap();
            let across = if panel.x < panel.z { Vec3::X } else { Vec3::NEG_Z };
            assert!(direction(seen.azimuth_rad, 0.0).dot(across).abs() > 0.8, "{panel}");
        }
        for other in [Vec3::new(80.0, 6.0, 10.0), Vec3::new(2.0, 3.0, 1.5), Vec3::new(2.0, 0.1, 0.5), Vec3::ZERO] {
            assert!(panel_bearing(other).is_none(), "{other}");
        }
    }

    #[test]
    fn bodies_whose_bones_are_shown_are_selected() {
        for (overlays, is_selected) in [(vec![Layer::Skeleton], true), (Vec::new(), false)] {
            let mut scene = Scene::fresh();
            let id = scene.instances.insert(Arc::new(SceneInstance::default()));
            let shown = framed(scene, AssetStore::default(), overlays, (&[Vec3::ZERO, Vec3::ONE], MODEL_BEARING, 1.5));
            assert_eq!(shown.selection.instance, is_selected.then_some(id));
        }
    }

    #[test]
    fn small_things_lie_behind_the_beginning_of_the_view() {
        let along = MODEL_BEARING;
        let nearest = |size: f32| {
            let corners = Aabb::from_points([Vec3::splat(-size), Vec3::splat(size)]).corners();
            let mut fov_deg = 60.0;
            let eye = eye_for(&corners, along, &mut fov_deg, 1.6).unwrap();
            let ahead = direction(along.azimuth_rad, along.elevation_rad);
            (corners.map(|corner| (corner - eye).dot(ahead)).into_iter().fold(f32::INFINITY, f32::min), fov_deg)
        };
        assert!(nearest(1.0).1 == 60.0 && nearest(1.0).0 > NEAREST);
        for size in [0.05, 0.0127, 0.001] {
            // Within rounding.
            assert!(nearest(size).0 > 0.999 * NEAREST && nearest(size).1 < 60.0, "{size}: {:?}", nearest(size));
        }
    }
}
