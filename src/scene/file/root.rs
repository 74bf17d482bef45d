//! The folder against which a scene's file names resolve.

use crate::disk::{absolute, with_slashes};
use crate::scene::Scene;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many folders above a scene's own are searched for the files that it names.
const MAX_FOLDERS_ABOVE: usize = 3;

/// The folder above `config/`; the file's own folder when it lies elsewhere.
pub(super) fn usual_root(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.file_name().is_some_and(|name| name == "config") {
        let above = folder.parent().unwrap_or(Path::new("."));
        if above.as_os_str().is_empty() { PathBuf::from(".") } else { above.into() }
    } else if folder == Path::new(".") && std::env::current_dir().is_ok_and(|d| d.ends_with("config")) {
        PathBuf::from("..")
    } else {
        folder.into()
    }
}

/// The folder against which a scene's file names resolve when it lies under `path`: the one above `config/`, or the
/// scene's own folder. Where that holds none of the levels and models, the nearest folder above that holds one.
pub fn root_of(path: &Path, scene: &Scene) -> PathBuf {
    let usual = usual_root(path);
    // A whole path is the same below any folder, and says of none that the others are there.
    let is_within = |file: &str| !file.is_empty() && !Path::new(file).is_absolute();
    let holds_some =
        |root: &Path| scene.model_files().any(|file| is_within(file.file) && root.join(file.file).is_file());
    if holds_some(&usual) {
        return usual;
    }
    let above = absolute(&usual);
    let above = above.ancestors().skip(1).take(MAX_FOLDERS_ABOVE).find(|folder| holds_some(folder));
    above.map_or(usual, Path::to_path_buf)
}

/// Gives files that are named with the backslashes of Windows the names by which they are there. Elsewhere a backslash is a letter
/// of a name, so that names of files that are there as they stand stay.
pub fn resolve_backslashes(path: &Path, scene: &mut Scene) {
    if std::path::MAIN_SEPARATOR == '\\' {
        return;
    }
    let slashed = |name: &str| name.replace('\\', "/");
    let mut other = scene.clone();
    other.rename_files(slashed);
    let root = root_of(path, &other);
    scene.rename_files(|name| {
        let slashed = slashed(name);
        if !root.join(name).exists() && root.join(&slashed).exists() { slashed } else { name.to_owned() }
    });
}

/// How a file is named inside a scene: relative to its root where the file lies below that, else by its whole path; with
/// forward slashes.
pub fn name_in(root: &Path, file: &Path) -> String {
    let (root, file) = (absolute(root), absolute(file));
    with_slashes(file.strip_prefix(&root).unwrap_or(&file))
}

/// The scene as it is to be written under `path`, when its names resolve against `root` now: what it names is found from
/// there too. Names of files that are not there stay as they are.
pub fn to_save_at(path: &Path, scene: &Scene, root: &Path) -> Scene {
    let to = root_of(path, scene);
    let mut moved = scene.clone();
    if absolute(&to) != absolute(root) {
        let music = root.join(scene.settings.sounds.folder());
        if scene.settings.sounds.music_folder.is_empty() && music.is_dir() {
            Arc::make_mut(&mut moved.settings).sounds.music_folder = scene.settings.sounds.folder().to_owned();
        }
        moved.rename_files(|name| {
            let file = root.join(name);
            if file.exists() { name_in(&to, &file) } else { name.to_owned() }
        });
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SceneModel;

    /// A project with one model, and a scene that names it.
    fn project() -> (tempfile::TempDir, Scene) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("assets/music")).unwrap();
        std::fs::create_dir_all(folder.path().join("scenes/night")).unwrap();
        std::fs::write(folder.path().join("assets/man.gltf"), "{}").unwrap();
        let mut scene = Scene::default();
        scene.models.insert(Arc::new(SceneModel { file: "assets/man.gltf".into(), ..SceneModel::default() }));
        scene.models.insert(Arc::new(SceneModel { file: "assets/gone.gltf".into(), ..SceneModel::default() }));
        (folder, scene)
    }

    #[test]
    fn the_root_holds_what_the_scene_names() {
        let (folder, scene) = project();
        for inside in ["a.acfg", "config/a.acfg", "scenes/a.acfg", "scenes/night/a.acfg"] {
            assert_eq!(root_of(&folder.path().join(inside), &scene), folder.path(), "{inside}");
        }
        // A model from elsewhere, by its whole path, does not make the scene's own folder the root.
        let mut mixed = scene.clone();
        let file = folder.path().join("assets/man.gltf").to_string_lossy().into_owned();
        mixed.models.insert(Arc::new(SceneModel { file, ..SceneModel::default() }));
        assert_eq!(root_of(&folder.path().join("scenes/a.acfg"), &mixed), folder.path());
        let empty = Scene::default();
        assert_eq!(root_of(&folder.path().join("scenes/a.acfg"), &empty), folder.path().join("scenes"));
        assert_eq!(root_of(Path::new("/nowhere/scenes/a.acfg"), &scene), Path::new("/nowhere/scenes"));
    }

    #[cfg(unix)]
    #[test]
    fn backslashes_are_letters_of_names() {
        assert_eq!(name_in(Path::new("/yard"), Path::new("/yard/assets/old\\man.glb")), "assets/old\\man.glb");
    }

    #[cfg(unix)]
    #[test]
    fn files_of_windows_are_found_unless_they_are_named_so() {
        let (folder, mut scene) = project();
        std::fs::write(folder.path().join("old\\man.glb"), "").unwrap();
        for file in ["assets\\man.gltf", "old\\man.glb", "assets\\gone.gltf"] {
            scene.models.insert(Arc::new(SceneModel { file: file.into(), ..SceneModel::default() }));
        }
        resolve_backslashes(&folder.path().join("config/a.acfg"), &mut scene);
        let files: Vec<&str> = scene.models.values().map(|model| model.file.as_str()).collect();
        let found = ["assets/man.gltf", "assets/gone.gltf", "assets/man.gltf", "old\\man.glb", "assets\\gone.gltf"];
        assert_eq!(files, found);
    }

    #[test]
    fn a_scene_saved_elsewhere_finds_its_files() {
        let ((folder, scene), elsewhere) = (project(), tempfile::tempdir().unwrap());
        let path = elsewhere.path().join("mine.acfg");
        let moved = to_save_at(&path, &scene, folder.path());
        let files: Vec<String> = moved.models.values().map(|model| model.file.clone()).collect();
        let man = name_in(elsewhere.path(), &folder.path().join("assets/man.gltf"));
        assert_eq!(files, [man.clone(), "assets/gone.gltf".into()]);
        assert!(Path::new(&man).is_absolute(), "{man}");
        assert_eq!(moved.settings.sounds.folder(), name_in(elsewhere.path(), &folder.path().join("assets/music")));
        // The other way, they are named within the project again.
        let back = to_save_at(&folder.path().join("config/mine.acfg"), &moved, elsewhere.path());
        assert_eq!(back.models.at(0).and_then(|id| back.models.get(id)).unwrap().file, "assets/man.gltf");
        // Below the same root nothing changes.
        assert_eq!(to_save_at(&folder.path().join("scenes/b.acfg"), &scene, folder.path()), scene);
    }
}
