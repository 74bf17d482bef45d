//! A look at the header of a PLY file before the importer sees it: the importer looks for the end of one that has none
//! until it is stopped, and takes a byte of binary numbers for a part of that end.

use memchr::memmem;

/// Most bytes of a header.
const HEADER_BYTES: usize = 1 << 20;

/// What is wrong with the header of a file; `None` of files that are no PLY.
pub(super) fn header_fault(bytes: &[u8]) -> Option<String> {
    let header = &bytes[..bytes.len().min(HEADER_BYTES)];
    let mut lines = header.split(|b| matches!(b, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    if !lines.next()?.eq_ignore_ascii_case(b"ply") {
        return None;
    }
    let mut has_faces = false;
    for line in lines {
        if line == b"end_header" {
            let said =
                "it holds no faces, and points and lines are not shown: its PLY header has no line `element face`";
            return (!has_faces).then(|| said.into());
        }
        has_faces |= declares_faces(line);
    }
    Some(if header.len() < bytes.len() {
        format!("its PLY header has no line `end_header` within {HEADER_BYTES} bytes")
    } else {
        "it is cut short: its PLY header has no line `end_header`".into()
    })
}

/// Whether a line of a header declares faces or strips of them.
fn declares_faces(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_element = words.next().is_some_and(|word| word.eq_ignore_ascii_case(b"element"));
    let is_faces = |word: &[u8]| [&b"face"[..], b"tristrips"].iter().any(|name| word.eq_ignore_ascii_case(name));
    is_element && words.next().is_some_and(is_faces)
}

/// The file with a carriage return in front of the line feed that ends its header, where its numbers are binary and begin
/// with the byte of a line feed: Assimp 5.2 takes one such byte off them, in which case it is the line feed. `None` for
/// all others.
pub(super) fn with_marked_end(bytes: &[u8]) -> Option<Vec<u8>> {
    const END: &[u8] = b"\nend_header";
    let header = &bytes[..bytes.len().min(HEADER_BYTES)];
    let line_end = memmem::find(header, END)? + END.len();
    let (header, data) = bytes.split_at(line_end);
    let is_binary = header.starts_with(b"ply") && memmem::find(header, b"\nformat binary_").is_some();
    (is_binary && data.starts_with(b"\n\n")).then(|| [header, b"\r", data].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_without_an_end_are_refused() {
        let whole = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nelement face 0\nend_header\n0\n";
        assert_eq!(header_fault(whole.as_bytes()), None);
        assert_eq!(header_fault(whole.replace('\n', "\r\n").as_bytes()), None);
        assert_eq!(header_fault(whole.replace("element face 0", "element\t face  0").as_bytes()), None);
        assert_eq!(header_fault(whole.replace("element face 0", "element tristrips 1").as_bytes()), None);
        let points = whole.replace("element face 0\n", "");
        assert!(header_fault(points.as_bytes()).is_some_and(|said| said.contains("no line `element face`")));
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

    #[test]
    fn numbers_that_begin_with_a_line_feed_are_kept_whole() {
        let file = |format: &str, end: &str, data: &[u8]| {
            let header = format!("ply\nformat {format} 1.0\nelement vertex 1\nproperty float x\nend_header{end}");
            [header.as_bytes(), data].concat()
        };
        let marked = with_marked_end(&file("binary_little_endian", "\n", b"\n\0\x80\x3f"));
        assert_eq!(marked, Some(file("binary_little_endian", "\r\n", b"\n\0\x80\x3f")));
        assert!(with_marked_end(&file("binary_big_endian", "\n", b"\n\0\0\0")).is_some());
        for (format, end, data) in [
            ("binary_little_endian", "\n", &b"\0\n\n\n"[..]),
            ("binary_little_endian", "\r\n", b"\n\0\0\0"),
            ("ascii", "\n", b"\n1\n"),
            ("binary_little_endian", "", b""),
        ] {
            assert_eq!(with_marked_end(&file(format, end, data)), None, "{format} {end:?} {data:?}");
        }
        assert_eq!(with_marked_end(b"solid x\n"), None);
    }
}
