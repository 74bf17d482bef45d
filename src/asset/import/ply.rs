//! A look at the header of a PLY file before the importer sees it: the importer looks for the end of one that has none
//! until it is stopped.

/// Most bytes of a header.
const HEADER_BYTES: usize = 1 << 20;

/// What is wrong with the header of a file; `None` of files that are no PLY.
pub(super) fn header_fault(bytes: &[u8]) -> Option<String> {
    let header = &bytes[..bytes.len().min(HEADER_BYTES)];
    let mut lines = header.split(|b| matches!(b, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    if !lines.next()?.eq_ignore_ascii_case(b"ply") || lines.any(|line| line == b"end_header") {
        return None;
    }
    Some(if header.len() < bytes.len() {
        format!("its PLY header has no line `end_header` within {HEADER_BYTES} bytes")
    } else {
        "it is cut short: its PLY header has no line `end_header`".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_without_an_end_are_refused() {
        let whole = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n";
        assert_eq!(header_fault(whole.as_bytes()), None);
        assert_eq!(header_fault(whole.replace('\n', "\r\n").as_bytes()), None);
        let end = whole.find("\n0").unwrap();
        for cut in 3..end {
            assert!(header_fault(&whole.as_bytes()[..cut]).is_some(), "{cut}");
        }
        // Of another format, and a name that only begins like that.
        assert_eq!(header_fault(b"solid x\n"), None);
        assert_eq!(header_fault(b"plywood\n"), None);
        assert_eq!(header_fault(b""), None);
        let long = [&b"ply\n"[..], &vec![b'c'; 2 << 20], b"\nend_header\n"].concat();
        assert!(header_fault(&long).is_some_and(|said| said.contains("within 1048576 bytes")));
    }
}
