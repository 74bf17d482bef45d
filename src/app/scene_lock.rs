//! Which scene file this program has open: two that save one file would undo each other's work.

use crate::disk::absolute;
use std::collections::hash_map::DefaultHasher;
use std::fs::{File, TryLockError};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// The lock on the open scene's file, which ends with the value or the program.
#[derive(Debug, Default)]
pub struct SceneLock {
    /// Where locks lie; without a folder nothing is locked.
    folder: Option<PathBuf>,
    held: Option<HeldLock>,
}

#[derive(Debug)]
struct HeldLock {
    /// The lock's own file.
    file: PathBuf,
    _lock: File,
}

impl SceneLock {
    /// Keeps locks in `folder`.
    pub fn in_folder(folder: Option<PathBuf>) -> Self {
        Self { folder, held: None }
    }

    /// Takes the lock of a scene's file in place of the one held. Returns whether no other program has it; where it cannot
    /// be told, it is free.
    pub fn hold(&mut self, scene: &Path) -> bool {
        let Some(folder) = &self.folder else { return true };
        let file = folder.join(name(scene));
        if self.held.as_ref().is_some_and(|held| held.file == file) {
            return true;
        }
        self.held = None;
        let opened = std::fs::create_dir_all(folder)
            .and_then(|()| File::options().create(true).write(true).truncate(false).open(&file));
        let lock = match opened {
            Ok(lock) => lock,
            Err(error) => {
                tracing::warn!("The scene's lock was not made ({error}). File: {}", file.display());
                return true;
            }
        };
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            return false;
        }
        self.held = Some(HeldLock { file, _lock: lock });
        true
    }

    /// Gives the lock back.
    pub fn release(&mut self) {
        self.held = None;
    }
}

/// Name of the lock of a scene's file, however the file is named.
fn name(scene: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    std::fs::canonicalize(scene).unwrap_or_else(|_| absolute(scene)).hash(&mut hasher);
    format!("{:016x}.lock", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_is_held_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let (scene, other) = (folder.path().join("a.acfg"), folder.path().join("b.acfg"));
        let lock = || SceneLock::in_folder(Some(folder.path().join("open")));
        let (mut first, mut second) = (lock(), lock());
        assert!(first.hold(&scene) && first.hold(&scene), "the same again");
        assert!(!second.hold(&scene) && second.hold(&other));
        first.release();
        assert!(second.hold(&scene), "free once the other has closed it");
        assert!(first.hold(&other), "what is left for another scene is free");
        assert!(SceneLock::default().hold(&scene), "without a folder nothing is locked");
    }
}
