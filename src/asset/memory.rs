//! How much memory the machine has left.

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
    use std::path::Path;
    /// Largest table of the system that is read, bytes.
    const MAX_TABLE_BYTES: u64 = 1 << 20;
    // Only Linux has this file.
    available_in(&crate::disk::read_text(Path::new("/proc/meminfo"), MAX_TABLE_BYTES).ok()?)
}

/// The line `MemAvailable:   1234 kB`.
#[cfg(any(test, not(windows)))]
fn available_in(table: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_available_memory_is_read() {
        assert_eq!(available_in("MemFree: 1 kB\nMemAvailable:\t    2048 kB\nBuffers: 3 kB"), Some(2 << 20));
        assert_eq!(available_in("MemAvailable: many kB"), None);
        if cfg!(target_os = "linux") {
            assert!(available_bytes().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
