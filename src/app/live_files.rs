//! The files that a window reads again when they change on disk.

use crate::asset::import::files_beside;
use crate::disk::watch::{FileWatch, WatchList};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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
    /// Files that the scene names, and its own.
    named: BTreeSet<PathBuf>,
    /// The named files that a file belongs to: themselves, or models with their textures.
    owners: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
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
        self.looker = Looker::Caller(WatchList::default());
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
            self.looker = FileWatch::start(wake).map_or(Looker::None, Looker::Thread);
        }
        matches!(self.looker, Looker::Thread(_) | Looker::Caller(_))
    }

    /// Finds out anew what the files refer to, with the next [`LiveFiles::set`].
    pub fn forget_parts(&mut self) {
        self.named.clear();
    }

    /// Watches these files and those that they refer to.
    pub fn set(&mut self, named: BTreeSet<PathBuf>) {
        if named == self.named {
            return;
        }
        self.owners.clear();
        for file in &named {
            for part in std::iter::once(file.clone()).chain(files_beside(file)) {
                self.owners.entry(part).or_default().insert(file.clone());
            }
        }
        self.named = named;
        let files: Vec<PathBuf> = self.owners.keys().cloned().collect();
        match &mut self.looker {
            Looker::Thread(watch) => watch.set(files),
            Looker::Caller(list) => list.set(files),
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

    /// Named files of which a part has changed since the last call.
    pub fn take_changed(&mut self) -> BTreeSet<PathBuf> {
        if let Looker::Thread(watch) = &self.looker {
            self.changed.extend(watch.take_changed());
        }
        let changed = std::mem::take(&mut self.changed);
        changed.iter().filter_map(|file| self.owners.get(file)).flatten().cloned().collect()
    }
}
