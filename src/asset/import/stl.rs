//! Text STL files of several solids.

use crate::asset::bytes::u32_at;

use memchr::memmem;

/// Bytes of the header of a binary file with the number of its triangles behind it, and of each triangle.
const BINARY_HEADER_BYTES: u64 = 84;
const BINARY_TRIANGLE_BYTES: u64 = 50;

/// The file without its solids that hold nothing, on account of which Assimp 5.2 refuses the others; `None` where there are
/// none of the one or none of the other kind.
pub(super) fn without_empty_solids(bytes: &[u8]) -> Option<Vec<u8>> {
    if is_binary(bytes) || !bytes.trim_ascii_start().starts_with(b"solid") {
        return None;
    }
    let mut kept = Vec::with_capacity(bytes.len());
    // Where the solid begins of which nothing has come yet.
    let mut empty_from = None;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let word = line.trim_ascii().split(u8::is_ascii_whitespace).next().unwrap_or_default();
        match (word, empty_from) {
            (b"solid", _) => empty_from = Some(kept.len()),
            (b"endsolid", Some(from)) => {
                kept.truncate(from);
                empty_from = None;
                continue;
            }
            (b"", _) => {}
            _ => empty_from = None,
        }
        kept.extend_from_slice(line);
    }
    (kept.len() < bytes.len() && memmem::find(&kept, b"facet").is_some()).then_some(kept)
}

/// Whether a file is as long as a binary one of its number of triangles, whatever its header begins with.
fn is_binary(bytes: &[u8]) -> bool {
    let count = u32_at(bytes, 80).unwrap_or(0);
    bytes.len() as u64 == BINARY_HEADER_BYTES + u64::from(count) * BINARY_TRIANGLE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solids_without_triangles_go() {
        let whole = |name: &str| format!("solid {name}\n facet normal 0 0 1\n endfacet\nendsolid {name}\n");
        let with = |text: String| without_empty_solids(text.as_bytes()).map(|b| String::from_utf8(b).unwrap());
        let empty = "  solid none\r\n\r\nendsolid none\r\n";
        let mixed = format!("{empty}{}{empty}{}{empty}", whole("a"), whole("b"));
        assert_eq!(with(mixed), Some(whole("a") + &whole("b")));
        assert_eq!(with(whole("a")), None);
        assert_eq!(with(empty.repeat(2)), None, "nothing would be left");
        let mut binary = b"solid a\nendsolid a\nfacet\n".to_vec();
        binary.resize(84 + 50, 0);
        binary[80] = 1;
        assert_eq!(without_empty_solids(&binary), None);
    }
}
