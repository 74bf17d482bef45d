//! Writing a scene whole or not at all: at every moment the file under its name is the old one or the new one.

use super::emit::to_string;
use super::error::SceneError;
use super::load::SIZE_MAX;
use crate::scene::{Scene, Selection};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The few things that saving asks of a file system; tests put a failing one in its place.
pub trait FileSystem {
    /// Writes a new file and waits until it is on the disk.
    ///
    /// # Errors
    /// The system's.
    fn write(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Makes `to` a second name of the file `from`, or a copy where the file system has no second names.
    ///
    /// # Errors
    /// The system's.
    fn link(&mut self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames over whatever is there, in one step.
    ///
    /// # Errors
    /// The system's.
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()>;
    /// Deletes a file.
    ///
    /// # Errors
    /// The system's.
    fn remove(&mut self, path: &Path) -> io::Result<()>;
    /// Waits until the names in a folder are on the disk.
    ///
    /// # Errors
    /// The system's.
    fn sync_folder(&mut self, path: &Path) -> io::Result<()>;
}

/// The disk of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDisk;

impl FileSystem for SystemDisk {
    fn write(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::hard_link(from, to).or_else(|_| std::fs::copy(from, to).map(drop))
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&mut self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn sync_folder(&mut self, path: &Path) -> io::Result<()> {
        // Elsewhere folders cannot be opened, and renaming is journaled by the system.
        if cfg!(unix) { std::fs::File::open(path)?.sync_all() } else { Ok(()) }
    }
}

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
    if text.len() as u64 > SIZE_MAX {
        return Err(SceneError::Unsavable {
            path: path.into(),
            element: "the scene".into(),
            reason: format!("takes {} bytes, at most {} are allowed", text.len(), SIZE_MAX),
        });
    }
    write_whole(&mut SystemDisk, path, text.as_bytes())
}

/// Puts `bytes` under `path`, keeping what was there as a backup.
///
/// # Errors
/// A step failed; the file under `path` is then the old one, whole.
pub fn write_whole(disk: &mut impl FileSystem, path: &Path, bytes: &[u8]) -> Result<(), SceneError> {
    let failed = |step: &'static str| {
        move |e: io::Error| SceneError::Unwritable { path: path.into(), step, reason: e.to_string() }
    };
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
    if real.is_dir() {
        return Err(failed("choosing the file")(io::Error::other("it is a folder")));
    }
    let folder = real.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let temporary = beside(&real, &format!(".{}.tmp", std::process::id()));
    let backup_temporary = beside(&real, &format!(".{}.bak.tmp", std::process::id()));
    // Left over from a crash, if from anything.
    for leftover in [&temporary, &backup_temporary] {
        if leftover.exists() {
            disk.remove(leftover).map_err(failed("removing a leftover"))?;
        }
    }
    let result = (|| {
        disk.write(&temporary, bytes).map_err(failed("writing beside the file"))?;
        if let Ok(old) = std::fs::metadata(&real) {
            std::fs::set_permissions(&temporary, old.permissions()).map_err(failed("copying permissions"))?;
            disk.link(&real, &backup_temporary).map_err(failed("keeping the old file"))?;
            disk.rename(&backup_temporary, &beside(&real, ".bak")).map_err(failed("keeping the old file"))?;
        }
        disk.rename(&temporary, &real).map_err(failed("renaming"))
    })();
    if result.is_err() {
        for leftover in [&temporary, &backup_temporary] {
            if leftover.exists() && disk.remove(leftover).is_err() {
                tracing::debug!("left behind: {}", leftover.display());
            }
        }
        return result;
    }
    if let Err(e) = disk.sync_folder(folder) {
        // The new file is in place; only a power failure in this moment could bring back the old one.
        tracing::warn!("the folder {} cannot be flushed: {e}", folder.display());
    }
    Ok(())
}

/// `path` with something after its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
