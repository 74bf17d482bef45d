//! Commands that run again when what they read has changed.

use super::output::{Usage, is_broken_pipe, print_aside};
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
/// What was typed is wrong, which no file can mend, or the reader of the output has gone away.
pub fn again_on_change(
    files: impl Fn() -> Vec<PathBuf>,
    mut run: impl FnMut() -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let mut list = WatchList::default();
    loop {
        // Taken before the run, so that what changes while it runs is noticed.
        list.set(files());
        match run() {
            Err(error) if error.is::<Usage>() || is_broken_pipe(&error) => return Err(error),
            Err(error) => print_aside(&format!("{error:#}")),
            Ok(_) => {}
        }
        let files = files();
        let count = counted(files.len(), "file");
        list.set(files);
        print_aside(&format!("waiting for changes of {count}; end with Ctrl-C"));
        while list.look().is_empty() {
            for file in list.gone() {
                print_aside(&format!("{} is gone; it is read when it is there again", file.display()));
            }
            std::thread::sleep(WATCH_INTERVAL);
        }
    }
}

/// The files that the level of an input is made of: itself, and what a scene or a model refers to, without a scene's mesh.
pub fn parts_of_level(input: &Path) -> Vec<PathBuf> {
    parts(input, false)
}

/// The files that an input is made of: those of its level, and a scene's mesh.
pub fn parts_of(input: &Path) -> Vec<PathBuf> {
    parts(input, true)
}

fn parts(input: &Path, with_mesh: bool) -> Vec<PathBuf> {
    let mut files = vec![input.to_path_buf()];
    if !is_scene_file(input) {
        files.extend(read_with(input));
        return files;
    }
    let Ok(loaded) = scene::file::load(input) else { return files };
    let mesh = match &loaded.scene.nav.mesh {
        MeshSource::File(mesh) if with_mesh => Some(mesh),
        _ => None,
    };
    for file in loaded.scene.levels.values().map(|level| &level.file).chain(mesh) {
        let file = loaded.root.join(file);
        files.extend(read_with(&file));
        files.push(file);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn what_no_file_can_mend_ends_a_watch() {
        let wrong: anyhow::Error = Usage("--threads is 0".into()).into();
        let gone: anyhow::Error = Error::from(ErrorKind::BrokenPipe).into();
        for cause in [wrong, gone] {
            let said = cause.to_string();
            let mut cause = Some(cause);
            let ended = again_on_change(Vec::new, || Err(cause.take().unwrap()));
            assert_eq!(ended.unwrap_err().to_string(), said);
        }
    }
}
