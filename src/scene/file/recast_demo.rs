//! Scenes of RecastDemo: geometry sets (`.gset`), as scenes whose mesh is baked.

use super::error::SceneError;
use super::loaded::LoadedScene;
use super::root::{name_in, root_of, usual_root};
use crate::disk::stem_of;
use crate::ids::Arena;
use crate::nav::bake::BakeSettings;
use crate::nav::exchange::recast_demo::{find_level, name_inside, read_geometry_set};
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
            let root = usual_root(path);
            (scene_of_level(&name_in(&root, &file), set.bake), root)
        }
        None => {
            let places = "neither beside the file nor in a folder Meshes there or above";
            warnings.push(format!("The level {} was found {places}; put it there or choose another.", set.level));
            let name = name_inside(&set.level).to_string_lossy().replace('\\', "/");
            let scene = scene_of_level(&name, set.bake);
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
    let level = SceneLevel { name: stem_of(Path::new(file)), file: file.to_owned(), ..SceneLevel::default() };
    let (mut levels, mut cameras) = (Arena::default(), Arena::default());
    levels.insert(Arc::new(level));
    cameras.insert(Arc::new(SceneCamera::default()));
    let mut settings = Settings::of_new_scene();
    // What characters climb bounds what is baked.
    settings.nav.max_step_height = bake.agent_climb;
    settings.nav.ground_slope_deg = bake.slope_rad.to_degrees();
    let nav = SceneNav { mesh: MeshSource::Baked, bake, ..SceneNav::default() };
    Scene { levels, cameras, settings: Arc::new(settings), nav: Arc::new(nav), ..Scene::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_that_is_not_there_is_called_as_its_file() {
        let read = scene_of("f Meshes\\far_yard.obj\n", Path::new("/nowhere/yard.gset")).unwrap();
        let level = read.scene.levels.values().next().unwrap();
        assert_eq!((level.name.as_str(), level.file.as_str()), ("far_yard", "Meshes/far_yard.obj"));
        for name in ["../../far_yard.obj", "/far_yard.obj"] {
            let read = scene_of(&format!("f {name}\n"), Path::new("/nowhere/deep/yard.gset")).unwrap();
            assert_eq!(read.scene.levels.values().next().unwrap().file, "far_yard.obj", "{name}");
        }
    }
}
