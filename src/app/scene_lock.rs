//! Which scene file this program has open: two that save one file would undo each other's work.

use crate::disk::{absolute, folder_of};
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

    /// Takes the lock of a scene's file in place of the one held, which stays where another program has that. Returns whether none has; where
    /// it cannot be told, it is free.
    pub fn hold(&mut self, scene: &Path) -> bool {
        let Some(folder) = &self.folder else { return true };
        let file = folder.join(name(scene));
        if self.held.as_ref().is_some_and(|held| held.file == file) {
            return true;
        }
        let opened = std::fs::create_dir_all(folder)
            .and_then(|()| File::options().create(true).write(true).truncate(false).open(&file));
        let lock = match opened {
            Ok(lock) => lock,
            Err(error) => {
                tracing::warn!("The scene's lock was not made ({error}). File: {}", file.display());
                self.held = None;
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

/// Name of the lock of a scene's file, however the file is named, and whether it is there or not yet.
fn name(scene: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    let in_folder = || Some(std::fs::canonicalize(folder_of(scene)).ok()?.join(scene.file_name()?));
    let place = std::fs::canonicalize(scene).ok().or_else(in_folder);
    place.unwrap_or_else(|| absolute(scene)).hash(&mut hasher);
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
        let mut third = lock();
        assert!(!first.hold(&scene) && !third.hold(&other), "a lock that is refused leaves the one that is held");
    }

    #[cfg(unix)]
    #[test]
    fn a_new_scene_in_a_linked_folder_has_one_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, link) = (folder.path().join("inside"), folder.path().join("link"));
        std::fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(&inside, &link).unwrap();
        let before = [&inside, &link].map(|folder| name(&folder.join("a.acfg")));
        std::fs::write(inside.join("a.acfg"), "").unwrap();
        let after = [&inside, &link].map(|folder| name(&folder.join("a.acfg")));
        assert!(before == after && before[0] == before[1], "{before:?} {after:?}");
    }
}
