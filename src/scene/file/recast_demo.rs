//! Scenes of RecastDemo: geometry sets (`.gset`), as scenes whose mesh is baked.

use super::error::SceneError;
use super::loaded::LoadedScene;
use super::root::{name_in, root_of};
use crate::ids::Arena;
use crate::nav::bake::BakeSettings;
use crate::nav::exchange::recast_demo::{find_level, read_geometry_set};
use crate::scene::nav::MeshSource;
use crate::scene::{Scene, SceneCamera, SceneLevel, SceneNav, Selection, Settings};
use std::path::Path;
use std::sync::Arc;

/// The scene of a geometry set, checked.
///
/// # Errors
/// A line is damaged, none names a level, or a number is one that no scene may hold.
pub fn scene_of(text: &str, path: &Path) -> Result<LoadedScene, SceneError> {
    let set =
        read_geometry_set(text).map_err(|e| SceneError::Malformed { path: path.into(), reason: e.to_string() })?;
    let mut warnings = Vec::new();
    let (scene, root) = match find_level(path, &set.level) {
        Some(file) => {
            let root = root_of(path, &scene_of_level(&file.to_string_lossy(), set.bake.clone()));
            (scene_of_level(&name_in(&root, &file), set.bake), root)
        }
        None => {
            let places = "neither beside the file nor in a folder Meshes there or above";
            warnings.push(format!("The level {} was found {places}; put it there or choose another.", set.level));
            let scene = scene_of_level(&set.level, set.bake);
            let root = root_of(path, &scene);
            (scene, root)
        }
    };
    let invalid = |fault: crate::scene::limits::Fault| SceneError::Invalid {
        path: path.into(),
        element: fault.element,
        reason: fault.reason.to_string(),
    };
    scene.check().map_err(invalid)?;
    Ok(LoadedScene { scene, selection: Selection::default(), root, warnings, is_foreign: true })
}

/// A scene of one level whose mesh is baked.
fn scene_of_level(file: &str, bake: BakeSettings) -> Scene {
    let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file = file.replace('\\', "/");
    let (mut levels, mut cameras) = (Arena::default(), Arena::default());
    levels.insert(Arc::new(SceneLevel { name, file, ..SceneLevel::default() }));
    cameras.insert(Arc::new(SceneCamera::default()));
    let mut settings = Settings::of_new_scene();
    // What characters climb bounds what is baked.
    settings.nav.max_step_height = bake.agent_climb;
    settings.nav.ground_slope_deg = bake.slope_rad.to_degrees();
    let nav = SceneNav { mesh: MeshSource::Baked, bake, ..SceneNav::default() };
    Scene { levels, cameras, settings: Arc::new(settings), nav: Arc::new(nav), ..Scene::default() }
}
