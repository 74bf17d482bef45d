//! Job objects of Windows: they bound what an import worker takes, and end it with the program that asked, however that
//! went.

use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOB_OBJECT_LIMIT_PROCESS_MEMORY,
    JOB_OBJECT_LIMIT_PROCESS_TIME, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject,
};

/// Processor time and memory of a worker, no process besides it, no dialog when it crashes, and its end with the job.
const LIMITS: JOB_OBJECT_LIMIT = JOB_OBJECT_LIMIT_ACTIVE_PROCESS
    | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
    | JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
    | JOB_OBJECT_LIMIT_PROCESS_MEMORY
    | JOB_OBJECT_LIMIT_PROCESS_TIME;
/// Units of time in a second: a hundred nanoseconds.
const UNITS_PER_SEC: i64 = 10_000_000;

/// The job of one worker, which ends when this is dropped, or with the program.
#[derive(Debug)]
pub struct WorkerJob {
    _job: OwnedHandle,
}

impl WorkerJob {
    /// Puts a worker that has just been started into a job of its own. `None` where the system refuses: the worker then
    /// has no more than its time limit and the closing of its input.
    pub fn hold(worker: &Child, memory_bytes: u64, cpu_secs: u64) -> Option<Self> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = LIMITS;
        limits.BasicLimitInformation.ActiveProcessLimit = 1;
        limits.BasicLimitInformation.PerProcessUserTimeLimit =
            i64::try_from(cpu_secs).unwrap_or(i64::MAX).saturating_mul(UNITS_PER_SEC);
        limits.ProcessMemoryLimit = usize::try_from(memory_bytes).unwrap_or(usize::MAX);
        // SAFETY: without attributes and name; the result is null or a handle that is ours alone.
        let raw = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
        if raw.is_null() {
            return None;
        }
        // SAFETY: a handle of ours, not null, closed by this owner alone.
        let job = unsafe { OwnedHandle::from_raw_handle(raw) };
        let size = size_of_val(&limits) as u32;
        let limits = std::ptr::from_ref(&limits).cast();
        // SAFETY: both handles are open; the structure is the one of this class, of the size given.
        let is_held = unsafe {
            SetInformationJobObject(raw, JobObjectExtendedLimitInformation, limits, size) != 0
                && AssignProcessToJobObject(raw, worker.as_raw_handle()) != 0
        };
        is_held.then_some(Self { _job: job })
    }
}
