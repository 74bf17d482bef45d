//! Imports in a child process of the same binary, so that a crash, a hang or exhausted memory is an error of one file.

use super::cache::{Cache, CacheEntry, HEADER, SourceHash, WrittenEntry};
use super::import::{self, guard, limits, siblings};
use super::{AssetError, Model, sandbox};
use crate::disk::{InsideFolder, folder_of, memory};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The hidden first argument that makes the program a worker.
pub const WORKER_ARGUMENT: &str = "import-worker";
/// Assimp walks trees recursively; the worker's thread has room for deep ones.
const STACK_BYTES: usize = 256 << 20;
/// Largest answer of a worker that is taken.
const MAX_ANSWER_BYTES: u64 = 4 << 30;
/// Memory that a worker gets however little is free: address space counts that is never touched, as stacks.
const MIN_MEMORY_BYTES: u64 = 1 << 30;
/// Exit code of a worker whose program is gone.
const ABANDONED: i32 = 3;
/// Whether this program asked whether it is a worker, so that it can be started again as one.
static CAN_BE_WORKER: AtomicBool = AtomicBool::new(false);

/// How models are imported.
#[derive(Clone, Debug)]
pub struct Importer {
    /// The program to start as worker; without one, imports run in this process.
    pub program: Option<PathBuf>,
    /// Where results are kept.
    pub cache: Cache,
    /// Time after which a worker is stopped.
    pub time_limit: Duration,
    /// Address space of a worker in bytes, where the system can limit it; less where less memory is free.
    pub memory_limit: u64,
}

impl Default for Importer {
    /// Starts what `$WALKABOUT_WORKER` names, or this program again if it begins with [`run_if_worker`], whatever its file
    /// is called; the user's cache; one minute; 8 GiB.
    fn default() -> Self {
        let own = std::env::current_exe().ok().filter(|_| CAN_BE_WORKER.load(Ordering::Relaxed));
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
        let cached = self.cache.entry_path(path, &content);
        if let Some(model) = cached.as_deref().and_then(|cached| self.cache.load(path, cached)) {
            return Ok(model);
        }
        // The worker reads the file itself, and takes its memory from the same machine.
        drop(content);
        let (entry, written) = match &self.program {
            Some(program) => self.ask_worker(program, path)?,
            None => {
                let owned = path.to_owned();
                let failed = |reason: String| AssetError::Worker { path: path.to_owned(), reason };
                let entry = run_with_stack(move || import_entry(&owned));
                let entry = entry.ok_or_else(|| failed("the import thread died".into()))?;
                let written = entry.written().map_err(|error| failed(error.to_string()))?;
                (entry, written)
            }
        };
        if let Some(cached) = cached.filter(|_| entry.result.is_ok()) {
            self.cache.store_later(cached, written);
        }
        entry.result
    }

    fn ask_worker(&self, program: &Path, path: &Path) -> Result<(CacheEntry, WrittenEntry), AssetError> {
        let failed = |reason: String| AssetError::Worker { path: path.into(), reason };
        let (memory, secs) = (memory_limit(self.memory_limit), self.time_limit.as_secs().max(1));
        let mut command = Command::new(program);
        #[cfg(windows)]
        // Started from a window, it would open a console of its own.
        std::os::windows::process::CommandExt::creation_flags(
            &mut command,
            windows_sys::Win32::System::Threading::CREATE_NO_WINDOW,
        );
        let mut child = command
            .arg(WORKER_ARGUMENT)
            .arg(memory.to_string())
            .arg(secs.to_string())
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| failed(e.to_string()))?;
        #[cfg(windows)]
        let _job = super::job::WorkerJob::hold(&child, memory, secs);
        // The worker ends with this pipe: when the import is done, or when this program is gone, however it went.
        let _lifeline = child.stdin.take();
        let Some(stdout) = child.stdout.take() else { return Err(failed("it has no output".into())) };
        let (sender, receiver) = channel();
        let owned = path.to_owned();
        std::thread::spawn(move || {
            // The receiver is gone when the time was up.
            let _ = sender.send(read_answer(&owned, stdout, answer_limit));
        });
        match receiver.recv_timeout(self.time_limit) {
            Ok(Ok(answer)) => {
                let status = child.wait().map_err(|e| failed(e.to_string()))?;
                match answer {
                    _ if !status.success() => Err(crashed(path, status, memory, secs)),
                    Some(entry) => Ok(entry),
                    None => Err(failed("its answer is damaged".into())),
                }
            }
            Ok(Err(error)) => {
                stop(&mut child);
                Err(error)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                stop(&mut child);
                Err(AssetError::TimedOut { path: path.into(), limit_secs: self.time_limit.as_secs() as u32 })
            }
        }
    }
}

/// What a worker says: an entry of the cache, whose length its header tells, so that no copy is made while it grows; `None`
/// where it is damaged or cut off, as it is when the worker came to an end.
///
/// # Errors
/// It is longer than `limit` tells when it is known how long it is.
fn read_answer(
    path: &Path,
    mut from: impl Read,
    limit: impl FnOnce() -> u64,
) -> Result<Option<(CacheEntry, WrittenEntry)>, AssetError> {
    let mut header = [0; HEADER];
    if from.read_exact(&mut header).is_err() {
        return Ok(None);
    }
    let length = CacheEntry::length_of(&header).unwrap_or(0);
    let limit = limit();
    let what = "its size in memory in bytes, of which the program holds up to two copies for a moment,";
    limits::check(path, what, length, limit)?;
    Ok(CacheEntry::read(&header, &mut from, limit).ok())
}

/// Longest answer of a worker: its bytes and the model made from them must find room in the memory that is free. Pictures
/// are read to where they stay.
fn answer_limit() -> u64 {
    MAX_ANSWER_BYTES.min(memory::available_bytes().unwrap_or(u64::MAX) / 2)
}

/// A limit for a worker's memory that the machine can hold.
fn memory_limit(wanted: u64) -> u64 {
    wanted.min(memory::available_bytes().unwrap_or(u64::MAX) / 4 * 3).max(MIN_MEMORY_BYTES.min(wanted))
}

fn stop(child: &mut Child) {
    // Either fails only when the child has ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

/// Why a worker ended that might take `memory` bytes and `secs` of the processor.
fn crashed(path: &Path, status: ExitStatus, memory: u64, secs: u64) -> AssetError {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let mib = memory >> 20;
    let reason = match signal {
        Some(6) => format!("it aborted, most likely for want of more than the {mib} MiB of memory that it may take"),
        Some(9 | 24) => {
            format!("it was stopped by the system, most likely for taking more than {secs} s or {mib} MiB of memory")
        }
        Some(11) => "it read or wrote outside its memory".to_owned(),
        Some(signal) => format!("signal {signal}"),
        None => match status.code().and_then(|code| named_code(code as u32)) {
            Some(name) => format!("{name}, within {secs} s and {mib} MiB of memory ({status})"),
            None => status.to_string(),
        },
    };
    AssetError::Crashed { path: path.into(), reason }
}

/// What the exit codes mean with which Windows ends a program.
fn named_code(code: u32) -> Option<&'static str> {
    Some(match code {
        0xC000_0005 => "it read or wrote outside its memory",
        0xC000_0017 | 0xC000_012D => "it was given no more memory",
        0xC000_001D => "it came to an instruction that this processor does not know",
        0xC000_0044 => "it took more than it may",
        0xC000_0094 => "it divided by zero",
        0xC000_00FD => "its stack was full",
        0xC000_0135 => "a library that it needs is not installed",
        0xC000_0374 => "it damaged its memory",
        0xC000_0409 => "it aborted, most likely for want of memory",
        _ => return None,
    })
}

/// Runs the program as a worker when its arguments say so: `import-worker MEMORY_BYTES CPU_SECS PATH`. The answer goes to
/// standard output; the end of standard input ends the worker. Returns the exit code, or `None` when this is no worker.
pub fn run_if_worker() -> Option<u8> {
    CAN_BE_WORKER.store(true, Ordering::Relaxed);
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != WORKER_ARGUMENT {
        return None;
    }
    let mut number = || arguments.next().and_then(|a| a.to_str()?.parse::<u64>().ok());
    let (memory, cpu_secs) = (number(), number());
    let path = arguments.next().map(PathBuf::from);
    let (Some(memory), Some(cpu_secs), Some(path)) = (memory, cpu_secs, path) else { return Some(2) };
    limit_resources(memory, cpu_secs);
    // Threads have the rights of the one that starts them, so before the first.
    sandbox::enter(&path, &siblings::folders_named(&path));
    std::thread::spawn(|| {
        // Nothing is ever written there: reading returns when the program that asked is gone.
        let _ = std::io::stdin().lock().read(&mut [0]);
        std::process::exit(ABANDONED);
    });
    let Some(entry) = run_with_stack(move || import_entry(&path)) else { return Some(1) };
    let Ok(written) = entry.written() else { return Some(1) };
    let mut out = std::io::stdout().lock();
    let said = written.parts().into_iter().try_for_each(|part| out.write_all(part)).and_then(|()| out.flush());
    Some(u8::from(said.is_err()))
}

#[cfg(unix)]
fn limit_resources(bytes: u64, cpu_secs: u64) {
    // Of the processor, on all threads: a worker that waits is stopped by who waits for it.
    let cpu = libc::rlimit { rlim_cur: cpu_secs, rlim_max: cpu_secs.saturating_add(1) };
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    memory::limit_process(bytes);
    // SAFETY: valid structs; a refusal leaves the limits as they are.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CPU, &cpu);
        libc::setrlimit(libc::RLIMIT_CORE, &no_core);
    }
}

/// On Windows a job object of the program that asks limits the worker.
#[cfg(not(unix))]
fn limit_resources(_: u64, _: u64) {}

/// Runs `work` on a thread with a large stack; `None` when it panics.
fn run_with_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).ok()?.join().ok()
}

/// Imports `path` in this process; the result comes with the hashes of its source files.
fn import_entry(path: &Path) -> CacheEntry {
    let read = || {
        let contents = import::read_file(path)?;
        let checked = guard::check(path, &contents)?;
        Ok((contents, checked))
    };
    let (files, result) = match read() {
        Ok((contents, mut checked)) => {
            let result = import::import_contents(path, contents, &mut checked);
            (checked.files, result)
        }
        Err(error) => (Vec::new(), Err(error)),
    };
    let mut files: Vec<String> = files.iter().map(|f| f.to_string_lossy().into_owned()).collect();
    files.sort();
    files.dedup();
    files.truncate(limits::NODES);
    let inside = InsideFolder::with_siblings(folder_of(path));
    let sources = files.iter().map(|file| SourceHash::read(&inside, file)).collect();
    CacheEntry { sources, result }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_worker_that_ends_too_early_is_told_with_its_limits() {
        use std::os::unix::process::ExitStatusExt;
        let text = |signal| crashed(Path::new("a.glb"), ExitStatus::from_raw(signal), 3 << 30, 60).to_string();
        assert!(text(6).contains("aborted") && text(6).contains("3072 MiB"), "{}", text(6));
        for signal in [9, 24] {
            assert!(text(signal).contains("more than 60 s or 3072 MiB"), "{}", text(signal));
        }
        assert!(text(11).contains("outside its memory") && text(31).contains("signal 31"));
    }

    #[test]
    fn exit_codes_of_windows_have_names() {
        assert_eq!(named_code(0xC000_0005), Some("it read or wrote outside its memory"));
        assert!(named_code(-1_073_740_791_i32 as u32).is_some_and(|name| name.contains("aborted")));
        assert_eq!(named_code(1), None);
    }

    #[test]
    fn an_answer_that_finds_no_room_is_refused_with_figures() {
        let entry =
            CacheEntry { sources: Vec::new(), result: Ok(Model { name: "a".repeat(1000), ..Model::default() }) };
        let bytes = entry.written().unwrap().parts().concat();
        let path = Path::new("a.glb");
        assert_eq!(read_answer(path, bytes.as_slice(), || 4096).unwrap().unwrap().0, entry);
        assert!(read_answer(path, &bytes[..bytes.len() - 1], || 4096).unwrap().is_none());
        let length = CacheEntry::length_of(bytes[..HEADER].try_into().unwrap()).unwrap();
        let error = read_answer(path, bytes.as_slice(), || 999).unwrap_err().to_string();
        assert!(
            error.contains(&format!("({length}) is over the limit of 999")) && error.contains("two copies"),
            "{error}"
        );
    }
}
