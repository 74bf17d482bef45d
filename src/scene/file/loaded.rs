//! What comes out of a scene file, and which files are scenes.

use super::SceneError;
use crate::asset::import::EXTENSIONS;
use crate::disk::has_extension;
use crate::disk::read::open;
use crate::nav::exchange::recast_demo::is_geometry_set;
use crate::nav::exchange::{FORMAT_BYTES, is_mesh_file, is_surface_file};
use crate::scene::{Scene, Selection};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Extensions of the scene files that are read.
pub const SCENE_ENDINGS: &[&str] = &["acfg", "gset"];

/// A scene as it came out of a file.
#[derive(Debug)]
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    /// What the file says is selected.
    pub selection: Selection,
    /// The folder against which the scene's file names resolve: the one above `config/`, or as
    /// [`root_of`](super::root::root_of) finds it.
    pub root: PathBuf,
    /// What was odd but did not prevent loading.
    pub warnings: Vec<String>,
    /// Whether another program's file was read, which is not written again.
    pub is_foreign: bool,
}

/// Whether a file is a scene: by its ending, unless it begins as a navigation mesh does, or because it begins as
/// RecastDemo's scenes do.
pub fn is_scene_file(path: &Path) -> bool {
    has_extension(path, SCENE_ENDINGS) && !holds_mesh(path) || begins_as_geometry_set(path)
}

/// Whether a file begins as a mesh or as a model that can serve as one. RecastDemo's scenes have lines of such models.
fn holds_mesh(path: &Path) -> bool {
    let is_demo = has_extension(path, &["gset"]);
    is_mesh_file(path) || !is_demo && is_surface_file(path)
}

/// Refuses a file that holds a navigation mesh or a model.
pub(super) fn refuse_others(path: &Path) -> Result<(), SceneError> {
    if is_mesh_file(path) {
        return Err(SceneError::Mesh(path.into()));
    }
    let is_model = has_extension(path, EXTENSIONS) && path.is_file() && !begins_as_geometry_set(path);
    if is_model { Err(SceneError::Model(path.into())) } else { Ok(()) }
}

fn begins_as_geometry_set(path: &Path) -> bool {
    let mut begin = Vec::new();
    let opened = open(path, u64::MAX);
    if !opened.is_ok_and(|(file, _)| file.take(FORMAT_BYTES as u64).read_to_end(&mut begin).is_ok()) {
        return false;
    }
    let whole_lines = match begin.iter().rposition(|&byte| byte == b'\n') {
        Some(end) if begin.len() == FORMAT_BYTES => &begin[..end],
        _ => &begin[..],
    };
    std::str::from_utf8(whole_lines).is_ok_and(is_geometry_set)
}
