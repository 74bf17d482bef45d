//! How much memory the machine has left, and how much of it the program holds, as the system tells; and how much of it a
//! process may take.

use super::read_text;
use std::path::Path;

/// Largest table of the system that is read, bytes.
const MAX_TABLE_BYTES: u64 = 1 << 20;

/// Bytes that can be taken without swapping; `None` where the system does not tell.
#[cfg(windows)]
pub fn available_bytes() -> Option<u64> {
    use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
    let mut status = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: a structure whose length is set, as the call asks for.
    let is_told = unsafe { GlobalMemoryStatusEx(&mut status) } != 0;
    is_told.then_some(status.ullAvailPhys)
}

/// Bytes that can be taken without swapping; `None` where the system does not tell.
#[cfg(not(windows))]
pub fn available_bytes() -> Option<u64> {
    // Only Linux has this file.
    kilobytes(&read_text(Path::new("/proc/meminfo"), MAX_TABLE_BYTES).ok()?, "MemAvailable:")
}

/// Bytes of this process that lie in memory; `None` where the system does not tell.
pub fn resident_bytes() -> Option<u64> {
    // Only Linux has this file.
    kilobytes(&read_text(Path::new("/proc/self/status"), MAX_TABLE_BYTES).ok()?, "VmRSS:")
}

/// The bytes of a line of a table, such as `VmRSS:   1234 kB`.
fn kilobytes(table: &str, name: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The table of the system that tells how much this process takes, open since [`limit_process`] has limited it: later the
/// process may open nothing.
#[cfg(target_os = "linux")]
static OWN_TABLE: std::sync::OnceLock<std::fs::File> = std::sync::OnceLock::new();

/// Limits the address space of this process for good.
#[cfg(unix)]
pub fn limit_process(bytes: u64) {
    set_address_space(bytes, bytes);
    #[cfg(target_os = "linux")]
    if let Ok((table, _)) = super::read::open(Path::new("/proc/self/statm"), MAX_TABLE_BYTES) {
        // Limited a second time, it stays open.
        let _ = OWN_TABLE.set(table);
    }
}

#[cfg(unix)]
fn set_address_space(soft: u64, hard: u64) {
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: a valid struct; a refusal leaves the limit as it is.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
}

/// What keeps a part of a process's address space back while it lives.
#[derive(Debug)]
pub struct HeldBack {
    /// All that the process may take.
    #[cfg(target_os = "linux")]
    all: u64,
}

/// Lets a process that [`limit_process`] has limited take at most so many bytes more while the result lives; only Linux
/// tells how many it has taken.
#[cfg(target_os = "linux")]
pub fn hold_back(bytes: u64) -> Option<HeldBack> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    let now = taken_bytes()?.saturating_add(bytes);
    // SAFETY: room for the answer.
    if unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } != 0 {
        return None;
    }
    set_address_space(now.min(limit.rlim_max), limit.rlim_max);
    Some(HeldBack { all: limit.rlim_max })
}

/// As on Linux, without any effect.
#[cfg(not(target_os = "linux"))]
pub fn hold_back(_: u64) -> Option<HeldBack> {
    None
}

#[cfg(target_os = "linux")]
impl Drop for HeldBack {
    fn drop(&mut self) {
        set_address_space(self.all, self.all);
    }
}

/// Bytes of address space that this process takes, once it is limited.
#[cfg(target_os = "linux")]
fn taken_bytes() -> Option<u64> {
    use std::os::unix::fs::FileExt;
    let mut line = [0; 128];
    let length = OWN_TABLE.get()?.read_at(&mut line, 0).ok()?;
    // SAFETY: no memory is involved.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    std::str::from_utf8(&line[..length]).ok()?.split(' ').next()?.parse::<u64>().ok()?.checked_mul(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_memory_are_read() {
        assert_eq!(
            kilobytes("MemFree: 1 kB\nMemAvailable:\t    2048 kB\nBuffers: 3 kB", "MemAvailable:"),
            Some(2 << 20)
        );
        assert_eq!(kilobytes("VmRSS: many kB", "VmRSS:"), None);
        assert_eq!(kilobytes("", "VmRSS:"), None);
        if cfg!(target_os = "linux") {
            assert!(
                [available_bytes(), resident_bytes()].iter().all(|bytes| bytes.is_some_and(|bytes| bytes > 1 << 20))
            );
        }
    }
}
