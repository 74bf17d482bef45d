//! How much memory the machine has left, and how much of it the program holds, as the system tells.

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
