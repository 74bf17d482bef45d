//! Imports in a child process of the same binary, so that a crash, a hang or exhausted memory is an error of one file.

use super::cache::{Cache, CacheEntry, SourceHash};
use super::import::{self, guard, limits};
use super::{AssetError, Model};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The hidden first argument that makes the program a worker.
pub const WORKER_ARGUMENT: &str = "import-worker";
/// Assimp walks trees recursively; the worker's thread has room for deep ones.
const STACK_BYTES: usize = 256 << 20;
/// Largest answer of a worker that is taken.
const ANSWER_BYTES: u64 = 4 << 30;

/// How models are imported.
#[derive(Clone, Debug)]
pub struct Importer {
    /// The program to start as worker; without one, imports run in this process.
    pub program: Option<PathBuf>,
    /// Where results are kept.
    pub cache: Cache,
    /// Time after which a worker is stopped.
    pub time_limit: Duration,
    /// Address space of a worker in bytes, where the system can limit it.
    pub memory_limit: u64,
}

impl Default for Importer {
    /// Starts this program again if it is Walkabout, or what `$WALKABOUT_WORKER` names; the user's cache; one minute;
    /// 8 GiB.
    fn default() -> Self {
        let own = std::env::current_exe().ok().filter(|p| p.file_stem().is_some_and(|stem| stem == "walkabout"));
        Self {
            program: std::env::var_os("WALKABOUT_WORKER").map(PathBuf::from).or(own),
            cache: Cache::of_user(),
            time_limit: Duration::from_secs(60),
            memory_limit: 8 << 30,
        }
    }
}

impl Importer {
    /// Loads a model file, from the cache when it holds a valid entry.
    ///
    /// # Errors
    /// Every variant of [`AssetError`].
    pub fn load(&self, path: &Path) -> Result<Model, AssetError> {
        import::check_file(path)?;
        let content = import::read_file(path)?;
        if let Some(model) = self.cache.load(path, &content) {
            return Ok(model);
        }
        guard::check(path, &content)?;
        let bytes = match &self.program {
            Some(program) => self.ask_worker(program, path)?,
            None => {
                let owned = path.to_owned();
                let work = move || import_to_bytes(&owned);
                let failed = |reason: String| AssetError::Worker { path: path.to_owned(), reason };
                match run_with_stack(work) {
                    Some(bytes) => bytes.map_err(|error| failed(error.to_string()))?,
                    None => return Err(failed("the import thread died".into())),
                }
            }
        };
        let entry = CacheEntry::from_bytes(&bytes)
            .ok_or_else(|| AssetError::Worker { path: path.into(), reason: "its answer is damaged".into() })?;
        if entry.result.is_ok() {
            self.cache.store(path, &content, &bytes);
        }
        entry.result
    }

    fn ask_worker(&self, program: &Path, path: &Path) -> Result<Vec<u8>, AssetError> {
        let failed = |reason: String| AssetError::Worker { path: path.into(), reason };
        let mut child = Command::new(program)
            .arg(WORKER_ARGUMENT)
            .arg(self.memory_limit.to_string())
            .arg(path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| failed(e.to_string()))?;
        let Some(stdout) = child.stdout.take() else { return Err(failed("it has no output".into())) };
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.take(ANSWER_BYTES).read_to_end(&mut bytes).map(|_| bytes);
            // The receiver is gone when the time was up.
            let _ = sender.send(read);
        });
        match receiver.recv_timeout(self.time_limit) {
            Ok(Ok(bytes)) => {
                let status = child.wait().map_err(|e| failed(e.to_string()))?;
                if status.success() { Ok(bytes) } else { Err(crashed(path, status)) }
            }
            Ok(Err(error)) => {
                stop(&mut child);
                Err(failed(error.to_string()))
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                stop(&mut child);
                Err(AssetError::TimedOut { path: path.into(), limit_secs: self.time_limit.as_secs() as u32 })
            }
        }
    }
}

fn stop(child: &mut Child) {
    // Either fails only when the child has ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

fn crashed(path: &Path, status: ExitStatus) -> AssetError {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let reason = match signal {
        Some(6) => "it aborted, most likely for want of memory".to_owned(),
        Some(11) => "it read or wrote outside its memory".to_owned(),
        Some(signal) => format!("signal {signal}"),
        None => status.to_string(),
    };
    AssetError::Crashed { path: path.into(), reason }
}

/// Runs the program as a worker when its arguments say so: `import-worker MEMORY_BYTES PATH`. The answer goes to
/// standard output. Returns the exit code, or `None` when this is no worker.
pub fn run_if_worker() -> Option<u8> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != WORKER_ARGUMENT {
        return None;
    }
    let memory = arguments.next().and_then(|a| a.to_str()?.parse().ok());
    let (Some(memory), Some(path)) = (memory, arguments.next().map(PathBuf::from)) else { return Some(2) };
    limit_memory(memory);
    let answer = run_with_stack(move || import_to_bytes(&path));
    let Some(Ok(bytes)) = answer else { return Some(1) };
    let mut out = std::io::stdout().lock();
    Some(u8::from(out.write_all(&bytes).and_then(|()| out.flush()).is_err()))
}

#[cfg(unix)]
fn limit_memory(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: valid structs; a refusal leaves the limits as they are.
    unsafe {
        libc::setrlimit(libc::RLIMIT_AS, &limit);
        libc::setrlimit(libc::RLIMIT_CORE, &no_core);
    }
}

#[cfg(not(unix))]
fn limit_memory(_: u64) {}

/// Runs `work` on a thread with a large stack; `None` when it panics.
fn run_with_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).ok()?.join().ok()
}

/// Imports `path` in this process and serializes the result with the hashes of its source files.
fn import_to_bytes(path: &Path) -> Result<Vec<u8>, postcard::Error> {
    let result = import::import_file(path);
    let folder = path.parent().unwrap_or(Path::new("."));
    let content = import::read_file(path).unwrap_or_default();
    let mut files: Vec<String> =
        guard::check(path, &content).unwrap_or_default().iter().map(|f| f.to_string_lossy().into_owned()).collect();
    // Textures that were found beside the model by name.
    if let Ok(model) = &result {
        files.extend(model.images.iter().map(|i| i.name.clone()).filter(|name| folder.join(name).is_file()));
    }
    files.sort();
    files.dedup();
    files.truncate(limits::NODES);
    let sources = files.iter().map(|file| SourceHash::read(folder, file)).collect();
    CacheEntry { sources, result }.to_bytes()
}
