//! How much memory the program holds, as the system sees it.

/// Bytes of this process that lie in memory; `None` where the system does not tell.
pub fn resident_bytes() -> Option<u64> {
    // Only Linux has this file.
    resident_in(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The line `VmRSS:   1234 kB` of a status text.
fn resident_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_resident_memory_is_read() {
        assert_eq!(resident_in("Name:\twalk\nVmRSS:\t    2048 kB\nThreads: 3"), Some(2 << 20));
        assert_eq!(resident_in("VmRSS: many kB"), None);
        assert_eq!(resident_in(""), None);
        if cfg!(target_os = "linux") {
            assert!(resident_bytes().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
