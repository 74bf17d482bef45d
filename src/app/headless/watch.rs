//! Commands that run again when what they read has changed.

use crate::app::live_files::read_with;
use crate::disk::watch::{WATCH_INTERVAL, WatchList};
use crate::scene;
use crate::scene::file::is_scene_file;
use crate::scene::nav::MeshSource;
use crate::vocab::counted;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs a command, and again whenever one of its files has changed, until the program is ended. What fails is said, and
/// tried again with the next change.
///
/// # Errors
/// There is nothing to watch.
pub fn again_on_change(
    files: impl Fn() -> Vec<PathBuf>,
    mut run: impl FnMut() -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let mut list = WatchList::default();
    loop {
        // Taken before the run, so that what changes while it runs is noticed.
        list.set(files());
        if let Err(error) = run() {
            eprintln!("{error:#}");
        }
        let files = files();
        let count = counted(files.len(), "file");
        list.set(files);
        eprintln!("waiting for changes of {count}; end with Ctrl-C");
        while list.look().is_empty() {
            for file in list.gone() {
                eprintln!("{} is gone; it is read when it is there again", file.display());
            }
            std::thread::sleep(WATCH_INTERVAL);
        }
    }
}

/// The files that an input is made of: itself, and what a scene or a model refers to.
pub fn parts_of(input: &Path) -> Vec<PathBuf> {
    let mut files = vec![input.to_path_buf()];
    if !is_scene_file(input) {
        files.extend(read_with(input));
        return files;
    }
    let Ok(loaded) = scene::file::load(input) else { return files };
    let mesh = match &loaded.scene.nav.mesh {
        MeshSource::File(file) => Some(file),
        _ => None,
    };
    for file in loaded.scene.levels.values().map(|level| &level.file).chain(mesh) {
        let file = loaded.root.join(file);
        files.extend(read_with(&file));
        files.push(file);
    }
    files
}
