//! The scene files opened lately, kept in the configuration folder.
//!
//! `WALKABOUT_CONFIG_DIR` puts that folder elsewhere.

use crate::disk::write::write_with_folder;
use crate::disk::{absolute, read_text};
use std::path::{Path, PathBuf};

/// Files kept.
const KEPT: usize = 10;
/// File that holds the folder of the last export.
const EXPORT_FOLDER: &str = "export-folder.txt";
/// Largest list that is read, bytes.
const MAX_LIST_BYTES: u64 = 1 << 20;

/// Recent files, newest first.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    files: Vec<PathBuf>,
    store: Option<PathBuf>,
}

impl Recent {
    /// Reads the list; an unreadable one is empty.
    pub fn load() -> Self {
        Self::load_from(folder().map(|folder| folder.join("recent.txt")))
    }

    fn load_from(store: Option<PathBuf>) -> Self {
        let text = store.as_ref().and_then(|path| read_text(path, MAX_LIST_BYTES).ok()).unwrap_or_default();
        let files = text.lines().filter(|line| !line.is_empty()).map(PathBuf::from).take(KEPT).collect();
        Self { files, store }
    }

    /// The folder that the list is kept in, if it is kept at all.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        Some(self.store.as_ref()?.parent()?.to_path_buf())
    }

    /// The files, newest first.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The folder into which pictures were exported last, if it is still there.
    pub(super) fn export_folder(&self) -> Option<PathBuf> {
        let text = read_text(&self.folder()?.join(EXPORT_FOLDER), MAX_LIST_BYTES).ok()?;
        Some(PathBuf::from(text.lines().next()?)).filter(|folder| folder.is_dir())
    }

    /// Notes the folder into which pictures are exported.
    pub(super) fn keep_export_folder(&self, folder: &Path) {
        let Some(store) = self.folder().map(|config| config.join(EXPORT_FOLDER)) else { return };
        if let Err(error) = write_with_folder(&store, absolute(folder).to_string_lossy().as_bytes()) {
            tracing::warn!("The folder of the export was not noted ({error}). File: {}", store.display());
        }
    }

    /// Puts a file in front and writes the list. Failing to write it costs nothing but the memory of it.
    pub fn add(&mut self, path: &Path) {
        let path = absolute(path);
        self.files.retain(|other| *other != path);
        self.files.insert(0, path);
        self.files.truncate(KEPT);
        self.write();
    }

    /// Takes a file out that is no longer there.
    pub fn forget(&mut self, path: &Path) {
        let path = absolute(path);
        self.files.retain(|other| *other != path);
        self.write();
    }

    fn write(&self) {
        let Some(store) = &self.store else { return };
        let lines: Vec<String> = self.files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        if let Err(error) = write_with_folder(store, lines.join("\n").as_bytes()) {
            tracing::warn!("The list of recent files was not saved ({error}). File: {}", store.display());
        }
    }
}

/// The configuration folder of this program.
pub(super) fn folder() -> Option<PathBuf> {
    match std::env::var_os("WALKABOUT_CONFIG_DIR") {
        Some(folder) => Some(folder.into()),
        None => directories::ProjectDirs::from("", "", "walkabout").map(|dirs| dirs.config_dir().to_path_buf()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_the_last_export_is_kept_while_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let recent = Recent::load_from(Some(folder.path().join("recent.txt")));
        assert_eq!(recent.export_folder(), None);
        let pictures = folder.path().join("pictures");
        recent.keep_export_folder(&pictures);
        assert_eq!(recent.export_folder(), None, "it is not there yet");
        std::fs::create_dir(&pictures).unwrap();
        assert_eq!(recent.export_folder(), Some(pictures));
    }

    #[test]
    fn the_list_is_kept_newest_first_without_doubles() {
        let folder = tempfile::tempdir().unwrap();
        let store = Some(folder.path().join("deep/recent.txt"));
        let mut recent = Recent::load_from(store.clone());
        assert!(recent.files().is_empty());
        for i in 0..15 {
            recent.add(Path::new(&format!("/scenes/{i}.acfg")));
        }
        recent.add(Path::new("/scenes/9.acfg"));
        let again = Recent::load_from(store);
        assert_eq!(again.files(), recent.files());
        assert_eq!(again.files().len(), KEPT);
        assert_eq!(again.files()[0], Path::new("/scenes/9.acfg"));
        assert_eq!(again.files().iter().filter(|p| p.ends_with("9.acfg")).count(), 1);
        recent.add(Path::new("near.acfg"));
        recent.forget(Path::new("near.acfg"));
        assert_eq!(recent.files(), &again.files()[..KEPT - 1], "as it was given, not as it is kept");
    }
}
