//! Writes files whole or not at all: at every moment the file under a name is the old one or the new one.

use super::read::kind_name;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use thiserror::Error;

/// The name that stands for standard output.
pub const STANDARD_OUTPUT: &str = "-";

/// Why a file is not written; what was there under its name is as it was. The caller adds the name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{step} failed: {reason}")]
pub struct WriteFault {
    /// What was being done.
    pub step: &'static str,
    /// What is in the way.
    pub reason: String,
    /// That it is nothing but a reader of standard output who has read enough.
    #[source]
    pub reader_gone: Option<ReaderGone>,
}

impl WriteFault {
    /// That something stood in the way of a step.
    pub fn new(step: &'static str, reason: impl Into<String>) -> Self {
        Self { step, reason: reason.into(), reader_gone: None }
    }

    fn at<E: Display>(step: &'static str) -> impl Fn(E) -> Self {
        move |reason| Self::new(step, reason.to_string())
    }
}

/// The reader of standard output has gone away, as in `walkabout … | head`: that is no failure.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("its reader has gone away")]
pub struct ReaderGone;

/// The few things that writing asks of a file system; tests put a failing one in its place.
pub trait FileSystem {
    /// Writes a new file of parts, one after the other, and waits until it is on the disk.
    ///
    /// # Errors
    /// The system's.
    fn write(&mut self, path: &Path, parts: &[&[u8]]) -> io::Result<()>;
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
    fn write(&mut self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
        parts.iter().try_for_each(|part| file.write_all(part))?;
        file.sync_all()
    }

    fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        // A copy is new bytes: without waiting for them, a power failure could leave the name with nothing in it.
        std::fs::hard_link(from, to).or_else(|_| {
            std::fs::copy(from, to)?;
            std::fs::File::open(to)?.sync_all()
        })
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        if cfg!(windows) {
            return while_held(RENAME_TRIES, RENAME_PAUSE, || std::fs::rename(from, to));
        }
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

/// How often a file is renamed that another program holds, and the time between: indexers and virus scanners look at a new file at once.
const RENAME_TRIES: u32 = 15;
const RENAME_PAUSE: Duration = Duration::from_millis(20);

/// Tries again while Windows refuses because another program holds the file (errors 5 and 32).
fn while_held(tries: u32, pause: Duration, mut work: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    for _ in 1..tries {
        match work() {
            Err(error) if matches!(error.raw_os_error(), Some(5 | 32)) => std::thread::sleep(pause),
            done => return done,
        }
    }
    work()
}

/// What becomes of the file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldFile {
    /// It is lost.
    Replaced,
    /// It stays as `NAME.bak`.
    Kept,
}

/// Puts `bytes` under `path`.
///
/// # Errors
/// What is there is no regular file, or a step failed.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteFault> {
    write_via(&mut SystemDisk, path, bytes, OldFile::Replaced)
}

/// As [`write`], in a folder that is made where it is not there.
///
/// # Errors
/// As [`write`], and a folder that cannot be made.
pub fn write_with_folder(path: &Path, bytes: &[u8]) -> Result<(), WriteFault> {
    write_parts_with_folder(path, &[bytes])
}

/// As [`write_with_folder`], of parts that lie apart in memory: they become one file, one after the other.
///
/// # Errors
/// As [`write_with_folder`].
pub fn write_parts_with_folder(path: &Path, parts: &[&[u8]]) -> Result<(), WriteFault> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.map_err(WriteFault::at("making the folder"))?;
    write_parts_via(&mut SystemDisk, path, parts, OldFile::Replaced)
}

/// As [`write`]; under the name [`STANDARD_OUTPUT`], to there.
///
/// # Errors
/// As [`write`], and the system's.
pub fn write_or_print(path: &Path, bytes: &[u8]) -> Result<(), WriteFault> {
    if path != Path::new(STANDARD_OUTPUT) {
        return write(path, bytes);
    }
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| WriteFault {
        reader_gone: (error.kind() == io::ErrorKind::BrokenPipe).then_some(ReaderGone),
        ..WriteFault::new("writing to standard output", error.to_string())
    })
}

/// Puts `bytes` under `path`, on the given file system. A link is followed: its target is replaced.
///
/// # Errors
/// As [`write`].
pub fn write_via(disk: &mut impl FileSystem, path: &Path, bytes: &[u8], old: OldFile) -> Result<(), WriteFault> {
    write_parts_via(disk, path, &[bytes], old)
}

/// As [`write_via`], of parts.
fn write_parts_via(disk: &mut impl FileSystem, path: &Path, parts: &[&[u8]], old: OldFile) -> Result<(), WriteFault> {
    // Two threads may write the same file.
    static TURN: AtomicU32 = AtomicU32::new(0);
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let there = std::fs::metadata(&real).ok();
    if let Some(name) = there.as_ref().and_then(|there| kind_name(there.file_type())) {
        return Err(WriteFault::new("choosing the file", format!("it is {name}")));
    }
    if there.as_ref().is_some_and(|there| there.permissions().readonly()) {
        return Err(WriteFault::new(
            "choosing the file",
            "it is read-only; allow writing to it, or choose another name",
        ));
    }
    let folder = real.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let turn = format!("{}.{}", std::process::id(), TURN.fetch_add(1, Ordering::Relaxed));
    let temporary = beside(&real, &format!(".{turn}.tmp"));
    let backup_temporary = beside(&real, &format!(".{turn}.bak.tmp"));
    // Left over from a crash, if from anything.
    for leftover in [&temporary, &backup_temporary] {
        if leftover.exists() {
            disk.remove(leftover).map_err(WriteFault::at("removing a leftover"))?;
        }
    }
    if there.is_some() {
        remove_leftovers(disk, &real, folder);
    }
    let result = (|| {
        disk.write(&temporary, parts).map_err(WriteFault::at("writing beside the file"))?;
        if let Some(there) = &there {
            let permissions = std::fs::set_permissions(&temporary, there.permissions());
            permissions.map_err(WriteFault::at("copying permissions"))?;
            if old == OldFile::Kept {
                let keep = WriteFault::at("keeping the old file");
                disk.link(&real, &backup_temporary).map_err(&keep)?;
                disk.rename(&backup_temporary, &beside(&real, ".bak")).map_err(&keep)?;
            }
        }
        disk.rename(&temporary, &real).map_err(WriteFault::at("renaming"))
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

/// How long a temporary file was not written to until it is one that a process left behind when it crashed. Whether that runs is not asked:
/// it may be one of another machine that shares the folder.
const LEFTOVER_AGE: Duration = Duration::from_secs(3600);

/// Removes temporary files that crashed processes left beside a file.
fn remove_leftovers(disk: &mut impl FileSystem, file: &Path, folder: &Path) {
    let (Some(name), Ok(entries)) = (file.file_name(), std::fs::read_dir(folder)) else { return };
    for entry in entries.flatten().filter(|entry| is_temporary_of(name, &entry.file_name())) {
        let is_old = entry.metadata().is_ok_and(|data| {
            let age = data.modified().ok().and_then(|changed| changed.elapsed().ok());
            data.is_file() && age.is_some_and(|age| age > LEFTOVER_AGE)
        });
        if is_old && disk.remove(&entry.path()).is_err() {
            tracing::debug!("left behind: {}", entry.path().display());
        }
    }
}

/// Whether a name is that of a temporary file for the file `name`: `NAME.PROCESS.TURN.tmp` or `NAME.PROCESS.TURN.bak.tmp`.
fn is_temporary_of(name: &OsStr, other: &OsStr) -> bool {
    let rest = other.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
    let rest = rest.and_then(|rest| std::str::from_utf8(rest).ok()?.strip_prefix('.')?.strip_suffix(".tmp"));
    let numbers = rest.and_then(|rest| rest.strip_suffix(".bak").unwrap_or(rest).split_once('.'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, turn)| is_number(process) && is_number(turn))
}

/// `path` with something after its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/a");
        assert_eq!(write(&file, b"one").unwrap_err().step, "writing beside the file");
        write_with_folder(&file, b"one").unwrap();
        write(&file, b"two").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"two");
        assert_eq!(names(file.parent().unwrap()), ["a"]);
        write_via(&mut SystemDisk, &file, b"three", OldFile::Kept).unwrap();
        assert_eq!(std::fs::read(file.with_extension("bak")).unwrap(), b"two");
        assert!(write(folder.path(), b"x").unwrap_err().reason.contains("a folder"));
    }

    #[test]
    fn leftovers_of_crashed_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let kept = ["b.1.2.tmp", "a.tmp", "a.1.tmp", "a.1.x.tmp", "a.1.2.3.tmp", "a.1.2.bak"];
        for name in kept.iter().chain(&["a", "a.1.2.tmp", "a.33.0.bak.tmp"]) {
            let path = folder.path().join(name);
            std::fs::write(&path, "old").unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH + 2 * LEFTOVER_AGE).unwrap();
        }
        // One that is being written.
        std::fs::write(folder.path().join("a.4.5.tmp"), "new").unwrap();
        write(&folder.path().join("a"), b"new").unwrap();
        let mut left: Vec<&str> = kept.into_iter().chain(["a", "a.4.5.tmp"]).collect();
        left.sort_unstable();
        assert_eq!(names(folder.path()), left);
    }

    #[test]
    fn a_file_that_may_not_be_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "old").unwrap();
        let before = std::fs::metadata(&file).unwrap().permissions();
        let mut locked = before.clone();
        locked.set_readonly(true);
        std::fs::set_permissions(&file, locked).unwrap();
        assert!(write(&file, b"new").unwrap_err().reason.contains("read-only"));
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a"]);
        // Windows deletes no folder with such a file in it.
        std::fs::set_permissions(&file, before).unwrap();
    }

    #[test]
    fn a_file_that_another_program_holds_is_tried_again() {
        let tries = |fails: u32, code: i32| {
            let mut count = 0;
            let done = while_held(4, Duration::ZERO, || {
                count += 1;
                if count <= fails { Err(io::Error::from_raw_os_error(code)) } else { Ok(()) }
            });
            (done.is_ok(), count)
        };
        assert_eq!(tries(0, 32), (true, 1));
        assert_eq!(tries(3, 32), (true, 4));
        assert_eq!(tries(9, 5), (false, 4));
        assert_eq!(tries(9, 2), (false, 1), "what is not there does not come");
    }

    #[cfg(unix)]
    #[test]
    fn devices_stay_and_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (link, file) = (folder.path().join("link"), folder.path().join("file"));
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        assert!(write(&link, b"x").unwrap_err().reason.contains("a device"));
        std::fs::remove_file(&link).unwrap();
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(link.is_symlink() && std::fs::read(&file).unwrap() == b"new");
    }

    /// A disk on which one step fails, in turn.
    struct Failing {
        step: u32,
        fails_at: u32,
    }

    impl Failing {
        fn next(&mut self) -> io::Result<()> {
            self.step += 1;
            if self.step == self.fails_at { Err(io::Error::other("no space")) } else { Ok(()) }
        }
    }

    impl FileSystem for Failing {
        fn write(&mut self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
            let bytes = &parts.concat()[..];
            // A full disk leaves a part of the file.
            SystemDisk.write(path, &[&bytes[..bytes.len() / 2]])?;
            self.next()?;
            std::fs::write(path, bytes)
        }

        fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
            self.next().and_then(|()| SystemDisk.link(from, to))
        }

        fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
            self.next().and_then(|()| SystemDisk.rename(from, to))
        }

        fn remove(&mut self, path: &Path) -> io::Result<()> {
            SystemDisk.remove(path)
        }

        fn sync_folder(&mut self, _: &Path) -> io::Result<()> {
            self.next()
        }
    }

    #[test]
    fn whatever_step_fails_one_whole_file_is_there() {
        for old in [OldFile::Replaced, OldFile::Kept] {
            for fails_at in 1..=6 {
                let folder = tempfile::tempdir().unwrap();
                let file = folder.path().join("a");
                std::fs::write(&file, "old").unwrap();
                let result = write_via(&mut Failing { step: 0, fails_at }, &file, b"new", old);
                let holds = if result.is_ok() { "new" } else { "old" };
                assert_eq!(std::fs::read_to_string(&file).unwrap(), holds, "{old:?} {fails_at}");
                assert!(names(folder.path()).iter().all(|name| name == "a" || name == "a.bak"), "{old:?} {fails_at}");
            }
        }
    }

    /// The files of a folder.
    type Snapshot = BTreeMap<String, Vec<u8>>;

    /// A disk that notes what a power failure between any two steps could leave: the bytes of a file are on the disk when
    /// its writing returns; names are only when the folder is flushed, but in order.
    struct Recording {
        folder: PathBuf,
        /// Whether it can flush folders.
        flushes: bool,
        left: Vec<Snapshot>,
    }

    impl Recording {
        fn note(&mut self) {
            let content = |name: &String| std::fs::read(self.folder.join(name)).unwrap();
            self.left.push(names(&self.folder).into_iter().map(|name| (name.clone(), content(&name))).collect());
        }
    }

    impl FileSystem for Recording {
        fn write(&mut self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
            let bytes = &parts.concat()[..];
            for part in [0, bytes.len() / 2] {
                std::fs::write(path, &bytes[..part])?;
                self.note();
            }
            std::fs::remove_file(path)?;
            SystemDisk.write(path, parts)?;
            self.note();
            Ok(())
        }

        fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
            SystemDisk.link(from, to)?;
            self.note();
            Ok(())
        }

        fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
            SystemDisk.rename(from, to)?;
            self.note();
            Ok(())
        }

        fn remove(&mut self, path: &Path) -> io::Result<()> {
            SystemDisk.remove(path)?;
            self.note();
            Ok(())
        }

        fn sync_folder(&mut self, path: &Path) -> io::Result<()> {
            if !self.flushes {
                return Err(io::Error::other("no flushing here"));
            }
            SystemDisk.sync_folder(path)?;
            // What was before cannot come back.
            self.left.clear();
            self.note();
            Ok(())
        }
    }

    #[test]
    fn a_power_failure_between_any_two_steps_leaves_whole_files() {
        for old in [OldFile::Replaced, OldFile::Kept] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("a");
            std::fs::write(&file, "old").unwrap();
            std::fs::write(folder.path().join("a.bak"), "older").unwrap();
            let mut disk = Recording { folder: folder.path().into(), flushes: false, left: Vec::new() };
            disk.note();
            write_via(&mut disk, &file, b"new", old).unwrap();
            assert!(disk.left.len() >= 4, "{old:?}: {}", disk.left.len());
            for snapshot in &disk.left {
                let (now, backup) = (&snapshot["a"][..], &snapshot["a.bak"][..]);
                assert!([&b"old"[..], b"new"].contains(&now), "{old:?}: {snapshot:?}");
                assert!([&b"older"[..], b"old"].contains(&backup), "{old:?}: {snapshot:?}");
            }
            disk.flushes = true;
            write_via(&mut disk, &file, b"newer", old).unwrap();
            assert!(disk.left.iter().all(|snapshot| snapshot["a"] == b"newer"), "{old:?}: {:?}", disk.left);
        }
    }
}
