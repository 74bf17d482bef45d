//! Writing a scene whole or not at all: at every moment the file under its name is the old one or the new one.

use super::emit::to_string;
use super::error::SceneError;
use super::load::MAX_SIZE;
use crate::disk::WriteFault;
use crate::disk::write::{OldFile, SystemDisk, write_via};
use crate::scene::{Scene, Selection};
use std::path::Path;

/// Writes `scene` to `path`. What was there stays as `NAME.acfg.bak`. A link is followed: its target is replaced.
///
/// # Errors
/// The scene holds what no file may hold, or the file system refuses; then the file is as it was.
pub fn save(scene: &Scene, selection: &Selection, path: &Path) -> Result<(), SceneError> {
    scene.check().map_err(|fault| SceneError::Unsavable {
        path: path.into(),
        element: fault.element,
        reason: fault.reason.to_string(),
    })?;
    let text = to_string(scene, selection);
    if text.len() as u64 > MAX_SIZE {
        return Err(SceneError::Unsavable {
            path: path.into(),
            element: "the scene".into(),
            reason: format!("takes {} bytes, at most {} are allowed", text.len(), MAX_SIZE),
        });
    }
    write_via(&mut SystemDisk, path, text.as_bytes(), OldFile::Kept)
        .map_err(|WriteFault { step, reason, .. }| SceneError::Unwritable { path: path.into(), step, reason })
}
