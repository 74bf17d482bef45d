//! Which files have changed on disk, told by their times and sizes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

/// Time between two looks at the files.
pub const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// What tells that a file has changed; `None` where there is none.
type FileStamp = Option<(SystemTime, u64)>;

fn stamp(file: &Path) -> FileStamp {
    let data = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?;
    Some((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), data.len()))
}

/// A file as it was taken in, and as it was at the last look.
#[derive(Clone, Copy, Debug)]
struct WatchedFile {
    known: FileStamp,
    last: FileStamp,
    /// How many looks in a row it was not there.
    missed: u8,
}

/// Looks in a row after which a file that was there is gone: programs write files anew by way of none.
const GONE: u8 = 6;

/// What a file refers to: files that it is read with.
pub type PartsOf = fn(&Path) -> Vec<PathBuf>;

/// Files whose changes are noticed when they are looked at.
#[derive(Clone, Debug)]
pub struct WatchList {
    parts_of: PartsOf,
    /// Files that are asked for, and what each refers to.
    named: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// All of these.
    files: BTreeMap<PathBuf, WatchedFile>,
    /// Named files that have changed, so that they may refer to others.
    outdated: Vec<PathBuf>,
}

impl Default for WatchList {
    fn default() -> Self {
        Self::new(|_| Vec::new())
    }
}

impl WatchList {
    /// An empty list, whose files change with what they refer to.
    pub fn new(parts_of: PartsOf) -> Self {
        Self { parts_of, named: BTreeMap::new(), files: BTreeMap::new(), outdated: Vec::new() }
    }

    /// Watches these files and those that they refer to from now on, and no others. Those that are watched already keep
    /// what is known of them.
    pub fn set(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        let mut before = std::mem::take(&mut self.named);
        for file in files {
            // Before its parts are read, which may take a while.
            self.watch(&file);
            let parts = before.remove(&file).unwrap_or_else(|| (self.parts_of)(&file));
            self.named.insert(file, parts);
        }
        self.watch_parts();
    }

    fn watch(&mut self, file: &Path) {
        if !self.files.contains_key(file) {
            let known = stamp(file);
            self.files.insert(file.to_path_buf(), WatchedFile { known, last: known, missed: 0 });
        }
    }

    /// Watches what the named files refer to now, and nothing else.
    fn watch_parts(&mut self) {
        let wanted: BTreeSet<PathBuf> =
            self.named.iter().flat_map(|(file, parts)| std::iter::once(file).chain(parts)).cloned().collect();
        self.files.retain(|file, _| wanted.contains(file));
        wanted.iter().for_each(|file| self.watch(file));
    }

    /// Takes a file as it is now: what was changed until now is known.
    pub fn take_in(&mut self, file: &Path) {
        self.take_as(file, stamp(file));
    }

    fn take_as(&mut self, file: &Path, known: FileStamp) {
        if let Some(watched) = self.files.get_mut(file) {
            *watched = WatchedFile { known, last: known, missed: 0 };
        }
    }

    /// The named files that have changed, or what they refer to, and have not changed further since the look before, so
    /// that they are written whole. Files that are gone are not named until they are there again.
    pub fn look(&mut self) -> Vec<PathBuf> {
        let found = self.find_changed();
        self.refresh_parts();
        found
    }

    /// The files that were there and are not any more, each once.
    pub fn gone(&self) -> Vec<PathBuf> {
        let is_gone = |watched: &WatchedFile| watched.known.is_some() && watched.missed == GONE;
        self.files.iter().filter(|(_, watched)| is_gone(watched)).map(|(file, _)| file.clone()).collect()
    }

    /// As [`WatchList::look`], without reading what the files refer to now: [`WatchList::refresh_parts`] does that.
    fn find_changed(&mut self) -> Vec<PathBuf> {
        let mut changed = BTreeSet::new();
        for (file, watched) in &mut self.files {
            let now = stamp(file);
            if now.is_some() && now == watched.last && now != watched.known {
                watched.known = now;
                changed.insert(file.clone());
            }
            watched.last = now;
            watched.missed = if now.is_some() { 0 } else { watched.missed.saturating_add(1) };
        }
        if changed.is_empty() {
            return Vec::new();
        }
        let mut owners = Vec::new();
        for (file, parts) in &self.named {
            let is_changed = changed.contains(file);
            if is_changed || parts.iter().any(|part| changed.contains(part)) {
                owners.push(file.clone());
            }
            if is_changed {
                self.outdated.push(file.clone());
            }
        }
        owners
    }

    /// Reads what changed files refer to now, and watches that.
    fn refresh_parts(&mut self) {
        if self.outdated.is_empty() {
            return;
        }
        for file in std::mem::take(&mut self.outdated) {
            if let Some(parts) = self.named.get_mut(&file) {
                *parts = (self.parts_of)(&file);
            }
        }
        self.watch_parts();
    }
}

/// What the thread of a watch is told.
#[derive(Debug)]
enum WatchOrder {
    /// [`WatchList::set`].
    Set(Vec<PathBuf>),
    /// [`WatchList::take_in`], as the file was then.
    TakeIn(PathBuf, FileStamp),
}

/// Looks at files on a thread of its own, which ends when this is dropped.
#[derive(Debug)]
pub struct FileWatch {
    orders: Sender<WatchOrder>,
    changed: Receiver<PathBuf>,
}

impl FileWatch {
    /// Starts to look, and calls `wake` where a file has changed. `None` where there is no thread to be had.
    pub fn start(parts_of: PartsOf, wake: impl Fn() + Send + 'static) -> Option<Self> {
        let (tell, changed) = channel();
        let (orders, told) = channel();
        let look = move || {
            let mut list = WatchList::new(parts_of);
            let mut last_look = Instant::now();
            loop {
                match told.recv_timeout(WATCH_INTERVAL.saturating_sub(last_look.elapsed())) {
                    Ok(WatchOrder::Set(files)) => list.set(files),
                    Ok(WatchOrder::TakeIn(file, known)) => list.take_as(&file, known),
                    Err(RecvTimeoutError::Timeout) => {
                        let found = list.find_changed();
                        let is_any = !found.is_empty();
                        found.into_iter().for_each(|file| drop(tell.send(file)));
                        if is_any {
                            wake();
                        }
                        // Reading large files takes a while.
                        list.refresh_parts();
                        last_look = Instant::now();
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        std::thread::Builder::new().name("file watch".into()).spawn(look).ok()?;
        Some(Self { orders, changed })
    }

    /// As [`WatchList::set`]; what the files refer to is found out on the thread.
    pub fn set(&self, files: impl IntoIterator<Item = PathBuf>) {
        drop(self.orders.send(WatchOrder::Set(files.into_iter().collect())));
    }

    /// As [`WatchList::take_in`].
    pub fn take_in(&self, file: &Path) {
        drop(self.orders.send(WatchOrder::TakeIn(file.to_path_buf(), stamp(file))));
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
    #[test]
    fn a_file_changes_with_what_it_refers_to() {
        let folder = tempfile::tempdir().unwrap();
        let [model, first, second] = ["model", "first", "second"].map(|name| folder.path().join(name));
        let mut list = WatchList::new(|file| {
            let parts = std::fs::read_to_string(file).unwrap_or_default();
            parts.split_whitespace().map(|name| file.with_file_name(name)).collect()
        });
        let settled = |list: &mut WatchList| {
            drop(list.look());
            list.look()
        };
        write(&model, "first", 1);
        list.set([model.clone()]);
        assert!(settled(&mut list).is_empty());
        write(&first, "texture", 2);
        assert_eq!([list.look(), list.look()], [vec![], vec![model.clone()]]);
        // It refers to another one now.
        write(&model, "second", 3);
        assert_eq!([list.look(), list.look()], [vec![], vec![model.clone()]]);
        write(&first, "texture again", 4);
        assert!(settled(&mut list).is_empty(), "it is of no use any more");
        write(&second, "texture", 5);
        assert_eq!([list.look(), list.look()], [vec![], vec![model.clone()]]);
        // What is named anew is known as it is then; what is not named any more is not looked at.
        list.set([second.clone()]);
        write(&model, "first", 6);
        assert!(settled(&mut list).is_empty());
    }

    #[test]
    fn a_thread_looks_and_wakes() {
        let folder = tempfile::tempdir().unwrap();
        let [file, mine] = ["file", "mine"].map(|name| folder.path().join(name));
        write(&file, "one", 1);
        let (send, woken) = channel();
        let watch = FileWatch::start(|_| Vec::new(), move || send.send(()).unwrap_or_default()).unwrap();
        watch.set([file.clone(), mine.clone()]);
        // Written here: no change.
        write(&mine, "mine", 1);
        watch.take_in(&mine);
        // However slow the thread is, it sees one of these changes.
        for secs in 2..u64::MAX {
            write(&file, "two", secs);
            if woken.recv_timeout(4 * WATCH_INTERVAL).is_ok() {
                break;
            }
        }
        assert!(watch.take_changed().contains(&file));
    }
}
