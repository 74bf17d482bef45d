//! Which files have changed on disk, told by their times and sizes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Time between two looks at the files.
pub const WATCH_INTERVAL: Duration = Duration::from_millis(200);

/// What tells that a file has changed; `None` where there is none.
type Stamp = Option<(SystemTime, u64)>;

fn stamp(file: &Path) -> Stamp {
    let data = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?;
    Some((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), data.len()))
}

/// A file as it was taken in, and as it was at the last look.
#[derive(Clone, Copy, Debug)]
struct WatchedFile {
    known: Stamp,
    last: Stamp,
}

/// Files whose changes are noticed when they are looked at.
#[derive(Clone, Debug, Default)]
pub struct WatchList {
    files: BTreeMap<PathBuf, WatchedFile>,
}

impl WatchList {
    /// Watches these files from now on, and no others. Those that are watched already keep what is known of them.
    pub fn set(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        let mut before = std::mem::take(&mut self.files);
        for file in files {
            let watched = before.remove(&file).unwrap_or_else(|| {
                let known = stamp(&file);
                WatchedFile { known, last: known }
            });
            self.files.insert(file, watched);
        }
    }

    /// Takes a file as it is now: what was changed until now is known.
    pub fn take_in(&mut self, file: &Path) {
        if let Some(watched) = self.files.get_mut(file) {
            watched.known = stamp(file);
            watched.last = watched.known;
        }
    }

    /// The files that have changed, and have not changed further since the look before, so that they are written whole.
    /// Files that are gone are not named until they are there again.
    pub fn look(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (file, watched) in &mut self.files {
            let now = stamp(file);
            if now.is_some() && now == watched.last && now != watched.known {
                watched.known = now;
                changed.push(file.clone());
            }
            watched.last = now;
        }
        changed
    }
}

/// Looks at files on a thread of its own, which ends when this is dropped.
#[derive(Debug)]
pub struct FileWatch {
    list: Arc<Mutex<WatchList>>,
    changed: Receiver<PathBuf>,
    /// Dropped with this: the thread sees that it is to end.
    _alive: Sender<()>,
}

impl FileWatch {
    /// Starts to look, and calls `wake` where a file has changed. `None` where there is no thread to be had.
    pub fn start(wake: impl Fn() + Send + 'static) -> Option<Self> {
        let list = Arc::new(Mutex::new(WatchList::default()));
        let (tell, changed) = channel();
        let (alive, is_alive) = channel::<()>();
        let watched = list.clone();
        let look = move || {
            while matches!(is_alive.try_recv(), Err(TryRecvError::Empty)) {
                let found = watched.lock().unwrap_or_else(PoisonError::into_inner).look();
                let is_any = !found.is_empty();
                found.into_iter().for_each(|file| drop(tell.send(file)));
                if is_any {
                    wake();
                }
                std::thread::sleep(WATCH_INTERVAL);
            }
        };
        std::thread::Builder::new().name("file watch".into()).spawn(look).ok()?;
        Some(Self { list, changed, _alive: alive })
    }

    /// As [`WatchList::set`].
    pub fn set(&self, files: impl IntoIterator<Item = PathBuf>) {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).set(files);
    }

    /// As [`WatchList::take_in`].
    pub fn take_in(&self, file: &Path) {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).take_in(file);
    }

    /// The files that have changed since the last call.
    pub fn take_changed(&self) -> Vec<PathBuf> {
        self.changed.try_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a file whose time is `secs` after the epoch.
    fn write(file: &Path, text: &str, secs: u64) {
        std::fs::write(file, text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(secs);
        std::fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn changes_are_named_once_they_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        write(&a, "one", 1);
        let mut list = WatchList::default();
        list.set([a.clone(), b.clone()]);
        assert!(list.look().is_empty());
        write(&a, "half", 2);
        assert!(list.look().is_empty(), "it may not be whole");
        write(&a, "whole", 3);
        assert!(list.look().is_empty(), "it still changed");
        assert_eq!(list.look(), vec![a.clone()]);
        assert!(list.look().is_empty(), "once");
        write(&b, "new", 4);
        std::fs::remove_file(&a).unwrap();
        assert!(list.look().is_empty());
        assert_eq!(list.look(), vec![b.clone()], "what is gone is not there to be read");
        write(&a, "whole", 3);
        list.set([a.clone()]);
        assert!(list.look().is_empty() && list.look().is_empty(), "it is as it was");
        write(&a, "mine", 5);
        list.take_in(&a);
        assert!(list.look().is_empty() && list.look().is_empty(), "what was written here is known");
    }
}
