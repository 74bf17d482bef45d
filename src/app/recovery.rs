//! Unsaved changes outlive a crash: every few seconds they go into a recovery file, which a clean end removes.
//!
//! A recovery file is a scene file with two comment lines in front: where the scene is saved, and the folder against
//! which its models are found. It lies in the configuration folder. As long as its program runs, a lock beside it is
//! held; a file whose lock is free was left by a program that ended without a word, and is offered at the next start.

use crate::background::is_caught;
use crate::disk::read::open;
use crate::disk::write::{FileSystem, SystemDisk, write_with_folder};
use crate::disk::{absolute, stem_of};
use crate::scene::{Scene, Selection, file};
use std::fs::{File, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

/// Longest time that a change waits for the writing to begin. A change is lost for twice this time at most, as writing
/// is over before it begins again.
pub const PERIOD: Duration = Duration::from_secs(10);

/// A program that was stopped a moment ago may still hold its lock: so long after the start the folder is looked at again.
const SECOND_LOOK: Duration = Duration::from_secs(3);

/// Most recovery files of one name.
const TURNS: u32 = 100;
const SCENE_LINE: &str = "# scene: ";
const ROOT_LINE: &str = "# root: ";
/// Longest begin of a recovery file that holds its two paths, bytes.
const MAX_HEAD_BYTES: u64 = 1 << 16;
/// Largest recovery file that is read, bytes: a scene, and two paths.
const MAX_FILE_BYTES: u64 = file::MAX_SIZE + (1 << 20);

/// What is written: a scene as it would be saved, and where it belongs.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The scene.
    pub scene: Scene,
    /// What is selected in it.
    pub selection: Selection,
    /// Its file; `None` for a scene that was never saved.
    pub path: Option<PathBuf>,
    /// The folder against which its models are found.
    pub root: PathBuf,
}

/// A recovery file that was left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryFile {
    /// The recovery file.
    pub file: PathBuf,
    /// Where its scene is saved.
    pub scene: Option<PathBuf>,
    /// The folder against which its models are found.
    pub root: PathBuf,
    /// When it was written.
    pub when: SystemTime,
}

/// A recovery file, and its lock, which ends with the value or the program.
#[derive(Debug)]
struct RecoverySlot {
    file: PathBuf,
    /// Where the scene is saved.
    of: Option<PathBuf>,
    _lock: File,
}

impl RecoverySlot {
    fn open(folder: &Path, path: Option<&Path>) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        // A file of that name may be there, left by a program that had the same number.
        let free = (0..TURNS).map(|turn| folder.join(name(path, turn))).find(|file| !file.exists());
        let file = free.ok_or_else(|| io::Error::other("too much unsaved work lies there already"))?;
        let lock = File::create(lock_of(&file))?;
        lock.try_lock()?;
        Ok(Self { file, of: path.map(Path::to_path_buf), _lock: lock })
    }
}

/// What is kept for the case of a crash.
#[derive(Debug, Default)]
pub struct Recovery {
    folder: Option<PathBuf>,
    slot: Option<RecoverySlot>,
    /// What the file does not hold yet, and for how long.
    waiting: Option<(Draft, Duration)>,
    writing: Option<JoinHandle<io::Result<()>>>,
    /// Time until the folder is looked at once more.
    second_look: Option<Duration>,
}

/// What a panic would write: the file and what belongs into it.
static LATEST: Mutex<Option<(PathBuf, Draft)>> = Mutex::new(None);

impl Recovery {
    /// Keeps recovery files in `folder`.
    pub fn in_folder(folder: PathBuf) -> Self {
        let mut recovery = Self::default();
        (recovery.folder, recovery.second_look) = (Some(folder), Some(SECOND_LOOK));
        recovery
    }

    /// The recovery files that programs left which no longer run, newest first.
    pub fn found(&self) -> Vec<RecoveryFile> {
        let entries = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok());
        let files = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let own = self.slot.as_ref().map(|slot| slot.file.clone());
        let scenes = files.filter(|path| path.extension().is_some_and(|e| e == "acfg") && own.as_ref() != Some(path));
        let mut found: Vec<RecoveryFile> =
            scenes.filter(|path| is_left(path)).filter_map(|path| read_head(&path)).collect();
        found.sort_by_key(|one| std::cmp::Reverse(one.when));
        found
    }

    /// Notes the scene after a change that is not saved.
    pub fn changed(&mut self, draft: Draft) {
        let Some(folder) = &self.folder else { return };
        if self.slot.as_ref().is_none_or(|slot| slot.of != draft.path) {
            match RecoverySlot::open(folder, draft.path.as_deref()) {
                Ok(slot) => {
                    if let Some(before) = self.slot.replace(slot) {
                        self.finish();
                        remove(&before.file);
                    }
                }
                // The file before takes them.
                Err(_) if self.slot.is_some() => {}
                Err(error) => tracing::warn!("Unsaved changes are not kept ({error}). Folder: {}", folder.display()),
            }
        }
        if let (Some(slot), Ok(mut latest)) = (&self.slot, LATEST.lock()) {
            *latest = Some((slot.file.clone(), draft.clone()));
        }
        let waited = self.waiting.as_ref().map_or(Duration::ZERO, |(_, waited)| *waited);
        self.waiting = Some((draft, waited));
    }

    /// Lets time pass; writes what has waited long enough.
    pub fn advance(&mut self, dt: Duration) {
        if let Some((_, waited)) = &mut self.waiting {
            *waited += dt;
        }
        if self.waiting.as_ref().is_some_and(|(_, waited)| *waited >= PERIOD) {
            self.begin();
        }
    }

    /// Whether it is time, after `dt` more, to look once more at what was left behind.
    pub fn looks_again(&mut self, dt: Duration) -> bool {
        self.second_look = self.second_look.map(|left| left.saturating_sub(dt));
        self.second_look.take_if(|left| left.is_zero()).is_some()
    }

    /// Something was found and offered: no second look is needed.
    pub fn has_offered(&mut self) {
        self.second_look = None;
    }

    /// Time until there is something to do.
    pub fn next_turn(&self) -> Option<Duration> {
        let write = self.waiting.as_ref().map(|(_, waited)| PERIOD.saturating_sub(*waited));
        write.into_iter().chain(self.second_look).min()
    }

    /// Writes at once what waits, and waits until it is on the disk.
    pub fn flush(&mut self) {
        self.begin();
        self.finish();
    }

    fn begin(&mut self) {
        self.finish();
        let (Some((draft, _)), Some(slot)) = (self.waiting.take(), &self.slot) else { return };
        let file = slot.file.clone();
        self.writing = Some(std::thread::spawn(move || write(&draft, &file, &temporary_of(&file))));
    }

    fn finish(&mut self) {
        match self.writing.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => tracing::warn!("The recovery file was not written: {error}"),
            Some(Err(_)) => tracing::warn!("The recovery file was not written."),
            _ => {}
        }
    }

    /// There is nothing unsaved any more: the recovery file goes.
    pub fn forget(&mut self) {
        self.waiting = None;
        self.finish();
        if let Some(slot) = self.slot.take() {
            remove(&slot.file);
            if let Ok(mut latest) = LATEST.lock() {
                *latest = None;
            }
        }
    }
}

impl Drop for Recovery {
    /// A window that is taken away from outside asks nothing: what waits to be written is kept.
    fn drop(&mut self) {
        self.flush();
    }
}

/// Name of the recovery file of a scene: its own name, and what tells scenes and running programs apart.
fn name(path: Option<&Path>, turn: u32) -> String {
    let mut hasher = DefaultHasher::new();
    (turn, path.map(absolute), std::process::id()).hash(&mut hasher);
    let stem = path.map_or("untitled".into(), stem_of);
    let short: String = stem.chars().take(60).collect();
    format!("{short}-{:016x}.acfg", hasher.finish())
}

fn lock_of(file: &Path) -> PathBuf {
    file.with_extension("lock")
}

fn temporary_of(file: &Path) -> PathBuf {
    file.with_extension("tmp")
}

/// The temporary file of a panic, which may come while the other one is being written.
fn temporary_of_panic(file: &Path) -> PathBuf {
    file.with_extension("panic")
}

/// Removes a recovery file with what belongs to it.
fn remove(file: &Path) {
    for file in [file, &temporary_of(file), &temporary_of_panic(file), &lock_of(file)] {
        if let Err(error) = std::fs::remove_file(file)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!("Not removed ({error}): {}", file.display());
        }
    }
}

/// Whether no running program holds the lock of a recovery file.
fn is_left(file: &Path) -> bool {
    match File::open(lock_of(file)) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        Err(_) => true,
    }
}

/// Writes a recovery file by way of a temporary one: it is the old one or the new one, whole, at every moment.
fn write(draft: &Draft, file: &Path, temporary: &Path) -> io::Result<()> {
    let text = |path: &Path| absolute(path).to_string_lossy().into_owned();
    let scene = serde_json::to_string(&draft.path.as_deref().map(text))?;
    let root = serde_json::to_string(&text(&draft.root))?;
    let body = file::to_string(&draft.scene, &draft.selection);
    let text = format!("{SCENE_LINE}{scene}\n{ROOT_LINE}{root}\n{body}");
    let mut disk = SystemDisk;
    if temporary.exists() {
        disk.remove(temporary)?;
    }
    disk.write(temporary, &[text.as_bytes()])?;
    disk.rename(temporary, file)
}

fn read_head(path: &Path) -> Option<RecoveryFile> {
    let (file, _) = open(path, MAX_FILE_BYTES).ok()?;
    let head = BufReader::new(file.take(MAX_HEAD_BYTES)).lines().take(2);
    let head: Vec<String> = head.collect::<io::Result<_>>().ok()?;
    let line = |mark: &str| head.iter().find_map(|line| line.strip_prefix(mark));
    let scene: Option<String> = serde_json::from_str(line(SCENE_LINE)?).ok()?;
    let root: String = serde_json::from_str(line(ROOT_LINE)?).ok()?;
    let when = std::fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    Some(RecoveryFile { file: path.into(), scene: scene.map(PathBuf::from), root: root.into(), when })
}

impl RecoveryFile {
    /// Reads the scene that was kept.
    ///
    /// # Errors
    /// The file cannot be read or is no scene.
    pub fn load(&self) -> Result<file::LoadedScene, file::SceneError> {
        let mut loaded = file::load(&self.file)?;
        loaded.root = self.root.clone();
        Ok(loaded)
    }

    /// Removes the recovery file.
    pub fn remove(&self) {
        remove(&self.file);
    }
}

/// From now on a panic writes what is unsaved into its recovery file and a report below `folder`, and says where. Only a panic of the
/// calling thread that is not caught ends the program.
pub fn write_on_panic(folder: PathBuf) {
    let before = std::panic::take_hook();
    let main = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        before(info);
        let ends = std::thread::current().id() == main && !is_caught();
        let said = after_panic(&folder, &info.to_string(), ends);
        // A second panic here would abort: where the standard error is closed, nothing is said.
        let _ = writeln!(io::stderr(), "{said}");
    }));
}

/// Writes what can be written after a panic, and says where it is; `ends` tells whether the program ends with it.
fn after_panic(folder: &Path, what: &str, ends: bool) -> String {
    // A panic of another thread may end the program by the one that waits for it.
    let mut said = format!("walkabout: a defect {}.", if ends { "ended the program" } else { "stopped a task" });
    // Not waiting: the panic may have come while the draft was being replaced.
    if let Ok(latest) = LATEST.try_lock()
        && let Some((file, draft)) = &*latest
    {
        match write(draft, file, &temporary_of_panic(file)) {
            Ok(()) => {
                said += &format!("\n  Unsaved changes are kept and offered at the next start: {}", file.display())
            }
            Err(error) => said += &format!("\n  Unsaved changes could not be kept: {error}"),
        }
    }
    let secs = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let report = folder.join(format!("report-{secs}-{}.txt", std::process::id()));
    let text = format!(
        "Walkabout {} on {} {}\n{what}\n\n{}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        std::backtrace::Backtrace::force_capture()
    );
    match write_with_folder(&report, text.as_bytes()) {
        Ok(()) => said += &format!("\n  A report is in {}", report.display()),
        Err(error) => said += &format!("\n  No report could be written: {error}"),
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SceneInstance;
    use std::sync::Arc;

    fn draft(instances: usize, path: Option<&Path>) -> Draft {
        let mut scene = Scene::default();
        for _ in 0..instances {
            scene.instances.insert(Arc::new(SceneInstance::default()));
        }
        Draft { scene, selection: Selection::default(), path: path.map(Path::to_path_buf), root: "/models".into() }
    }

    #[test]
    fn changes_are_written_after_a_while_and_gone_when_saved() {
        let folder = tempfile::tempdir().unwrap();
        let scene = folder.path().join("my scene.acfg");
        let mut recovery = Recovery::in_folder(folder.path().join("recovery"));
        assert!(!recovery.looks_again(SECOND_LOOK / 2) && recovery.next_turn() == Some(SECOND_LOOK / 2));
        assert!(recovery.looks_again(SECOND_LOOK) && !recovery.looks_again(SECOND_LOOK), "once");
        assert_eq!(recovery.next_turn(), None);
        recovery.changed(draft(1, Some(&scene)));
        recovery.advance(PERIOD / 2);
        recovery.changed(draft(2, Some(&scene)));
        assert_eq!(recovery.next_turn(), Some(PERIOD / 2), "a later change does not put the writing off");
        recovery.advance(PERIOD / 2);
        recovery.finish();
        assert!(recovery.found().is_empty(), "its own file is not offered");
        let other = Recovery::in_folder(folder.path().join("recovery"));
        assert!(other.found().is_empty(), "nor that of a program that runs");

        recovery.slot.as_ref().unwrap()._lock.unlock().unwrap();
        let found = other.found();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].scene.as_deref(), found[0].root.as_path()), (Some(&*scene), Path::new("/models")));
        assert!(found[0].file.file_name().unwrap().to_str().unwrap().starts_with("my scene-"));
        let loaded = found[0].load().unwrap();
        assert_eq!((loaded.scene.instances.len(), loaded.root), (2, PathBuf::from("/models")));

        recovery.forget();
        assert!(other.found().is_empty());
        assert_eq!(std::fs::read_dir(folder.path().join("recovery")).unwrap().count(), 0, "nothing stays behind");
    }

    #[test]
    fn what_waits_is_written_where_the_window_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let mut recovery = Recovery::in_folder(folder.path().to_path_buf());
        recovery.changed(draft(2, None));
        drop(recovery);
        let found = Recovery::in_folder(folder.path().to_path_buf()).found();
        assert_eq!(found[0].load().unwrap().scene.instances.len(), 2);
    }

    #[test]
    fn a_panic_says_whether_it_ends_the_program() {
        let folder = tempfile::tempdir().unwrap();
        for (ends, said) in [(true, "a defect ended the program."), (false, "a defect stopped a task.")] {
            let text = after_panic(folder.path(), "on purpose", ends);
            assert!(text.contains(said) && text.contains("A report is in"), "{text}");
        }
    }

    #[test]
    fn a_scene_under_another_name_has_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut recovery = Recovery::in_folder(folder.path().to_path_buf());
        recovery.changed(draft(1, None));
        recovery.flush();
        recovery.changed(draft(1, Some(Path::new("/a/b.acfg"))));
        recovery.flush();
        let names: Vec<String> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(names.len(), 2, "a scene and its lock: {names:?}");
        assert!(names.iter().all(|name| name.starts_with("b-")));
    }

    #[test]
    fn unsaved_work_stays_in_its_file_where_no_other_can_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let mut recovery = Recovery::in_folder(folder.path().to_path_buf());
        recovery.changed(draft(1, None));
        recovery.flush();
        let to = Path::new("/a/b.acfg");
        for turn in 0..TURNS {
            std::fs::write(folder.path().join(name(Some(to), turn)), "").unwrap();
        }
        recovery.changed(draft(2, Some(to)));
        recovery.flush();
        let kept = read_head(&recovery.slot.as_ref().expect("the file before").file).unwrap();
        assert_eq!((kept.scene.as_deref(), kept.load().unwrap().scene.instances.len()), (Some(to), 2));
    }

    #[test]
    fn what_cannot_be_read_is_not_offered() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.acfg"), "# scene: nonsense\n").unwrap();
        std::fs::write(folder.path().join("y.acfg"), [0xff, 0xfe]).unwrap();
        assert!(Recovery::in_folder(folder.path().to_path_buf()).found().is_empty());
        assert!(Recovery::in_folder(folder.path().join("none")).found().is_empty());
        let mut nowhere = Recovery::in_folder(folder.path().join("x.acfg/below"));
        nowhere.changed(draft(1, None));
        nowhere.flush();
        nowhere.forget();
    }
}
