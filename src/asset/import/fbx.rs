//! FBX files before Assimp sees them.

use memchr::memmem;

/// What a binary file begins with, up to the marks of its byte order.
const MAGIC: &[u8] = b"Kaydara FBX Binary  \0\x1a";
/// The type of a property that a user adds to a node: colours with alpha.
const COLOR_TYPE: &[u8] = b"ColorAndAlpha";
/// A type of the same length that Assimp passes over.
const PASSED_TYPE: &[u8] = b"ColorAndAlphA";

/// A file without properties of the type of colours with alpha: of a node that has one Assimp 5.2 ends the program. `None`
/// where there are none. What users add to nodes is not shown.
pub(super) fn readable(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out: Option<Vec<u8>> = None;
    for at in memmem::find_iter(bytes, COLOR_TYPE) {
        let (before, after) = (&bytes[..at], bytes.get(at + COLOR_TYPE.len()));
        let is_text = before.ends_with(b"\"") && after == Some(&b'"');
        // A string with its length before it.
        if is_text || before.ends_with(b"S\x0d\0\0\0") {
            let out = out.get_or_insert_with(|| bytes.to_vec());
            out[at..at + PASSED_TYPE.len()].copy_from_slice(PASSED_TYPE);
        }
    }
    out
}

/// Why a file is not read, where Assimp would say something else.
pub(super) fn fault(bytes: &[u8]) -> Option<String> {
    // 1 behind the magic number: the highest byte of a number is the first.
    let is_big_endian = bytes.strip_prefix(MAGIC)?.first() == Some(&1);
    is_big_endian.then(|| {
        "it is an FBX whose numbers begin with their highest byte, and those that begin with their lowest are read; \
         convert it"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_stop_the_importer_are_renamed() {
        let binary = b"PS\x04\0\0\0tintS\x0d\0\0\0ColorAndAlphaS\0\0\0\0";
        assert_eq!(readable(binary).unwrap(), b"PS\x04\0\0\0tintS\x0d\0\0\0ColorAndAlphAS\0\0\0\0");
        let text = b"P: \"tint\", \"ColorAndAlpha\", \"\", \"A+U\",1,0,0,1";
        assert_eq!(readable(text).unwrap(), b"P: \"tint\", \"ColorAndAlphA\", \"\", \"A+U\",1,0,0,1");
        assert_eq!(readable(b"P: \"my ColorAndAlpha\", \"Color\""), None, "a name");
        assert_eq!(readable(b""), None);
    }

    #[test]
    fn the_byte_order_is_told() {
        let file = |order: u8| [MAGIC, &[order, 0, 0, 0x17, 0x70]].concat();
        assert!(fault(&file(1)).is_some_and(|said| said.contains("highest byte")));
        assert_eq!(fault(&file(0)), None);
        assert_eq!((fault(b"; FBX 7.4.0 project file"), fault(MAGIC)), (None, None));
    }
}
