//! The files that a window reads again when they change on disk.

use crate::asset::import::files_beside;
use crate::disk::watch::{FileWatch, WatchList};
use crate::nav::exchange::mesh_files_beside;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files that a model, a level or a navigation mesh is read with.
pub fn read_with(file: &Path) -> Vec<PathBuf> {
    let mut files = files_beside(file);
    files.extend(mesh_files_beside(file));
    files
}

/// What looks at the files.
#[derive(Debug, Default)]
enum Looker {
    /// Nothing.
    #[default]
    None,
    /// A thread, once there is a window to wake.
    Wanted,
    /// A thread.
    Thread(FileWatch),
    /// A call of [`App::look_at_files`].
    Caller(WatchList),
}

/// The files that are read again when they change.
#[derive(Debug, Default)]
pub struct LiveFiles {
    looker: Looker,
    /// The folder of relative names, the scene's file, and the files that it names.
    root: PathBuf,
    scene: Option<PathBuf>,
    names: Vec<String>,
    /// Files that have changed and are not read again yet.
    changed: Vec<PathBuf>,
}

impl LiveFiles {
    /// Looks on a thread, as soon as there is a window to wake.
    pub fn start(&mut self) {
        self.looker = Looker::Wanted;
    }

    /// Looks where [`LiveFiles::look`] is called.
    pub fn start_by_calls(&mut self) {
        self.looker = Looker::Caller(WatchList::new(read_with));
    }

    /// Looks at the files, where that is done by calls.
    pub fn look(&mut self) {
        if let Looker::Caller(list) = &mut self.looker {
            self.changed.extend(list.look());
        }
    }

    /// Whether files are looked at; starts the thread that does, where one is wanted, to call `wake`.
    pub fn is_on(&mut self, wake: impl Fn() + Send + 'static) -> bool {
        if matches!(self.looker, Looker::Wanted) {
            self.looker = FileWatch::start(read_with, wake).map_or(Looker::None, Looker::Thread);
        }
        matches!(self.looker, Looker::Thread(_) | Looker::Caller(_))
    }

    /// Whether the scene's file and these names are watched already. Asked every frame: it compares and no more.
    pub fn is_set<'a>(&self, root: &Path, scene: Option<&Path>, names: impl Iterator<Item = &'a str>) -> bool {
        self.root == root && self.scene.as_deref() == scene && names.eq(&self.names)
    }

    /// Watches the scene's file and those that it names below a folder, with all that these refer to.
    pub fn set<'a>(&mut self, root: &Path, scene: Option<&Path>, names: impl Iterator<Item = &'a str>) {
        (self.root, self.scene) = (root.to_path_buf(), scene.map(Path::to_path_buf));
        self.names = names.map(str::to_owned).collect();
        let named = self.names.iter().map(|name| root.join(name)).chain(self.scene.clone());
        let named: BTreeSet<PathBuf> = named.collect();
        match &mut self.looker {
            Looker::Thread(watch) => watch.set(named),
            Looker::Caller(list) => list.set(named),
            Looker::None | Looker::Wanted => {}
        }
    }

    /// Takes a file as it is now: it was written by the window itself.
    pub fn take_in(&mut self, file: &Path) {
        match &mut self.looker {
            Looker::Thread(watch) => watch.take_in(file),
            Looker::Caller(list) => list.take_in(file),
            Looker::None | Looker::Wanted => {}
        }
    }

    /// Files that have changed since the last call, or what they refer to.
    pub fn take_changed(&mut self) -> BTreeSet<PathBuf> {
        if let Looker::Thread(watch) = &self.looker {
            self.changed.extend(watch.take_changed());
        }
        self.changed.drain(..).collect()
    }
}
