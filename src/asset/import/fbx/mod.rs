//! FBX files before Assimp sees them.

use crate::asset::bytes::u32_at;

mod document;
mod model_surfaces;
mod morph_targets;
mod objects;
mod takes;
mod text;
mod textured_materials;
mod version_seven;
mod version_six;

use document::{BinaryFbxReader, FbxFault, MAGIC};
use memchr::memmem;
use std::ops::Range;
use text::TextFbxReader;

/// The type of a property that a user adds to a node: colours with alpha.
const COLOR_TYPE: &[u8] = b"ColorAndAlpha";
/// A type of the same length that Assimp passes over.
const PASSED_TYPE: &[u8] = b"ColorAndAlphA";

/// Versions that Assimp does not read, and that become version 7.
const VERSION_SIX: Range<u32> = 6000..7000;
/// Bytes of a text file within which it says its version.
const TEXT_HEAD_BYTES: usize = 16 << 10;
const TEXT_VERSION: &[u8] = b"FBXVersion:";

/// A file that Assimp reads: of version 7, and without types that end the program. `None` where it is one.
///
/// # Errors
/// The file is of version 6, and damaged.
pub(super) fn readable(bytes: &[u8]) -> Result<Option<Vec<u8>>, FbxFault> {
    if !is_version_six(bytes) {
        return Ok(without_colors_with_alpha(bytes));
    }
    let nodes = if bytes.starts_with(MAGIC) {
        BinaryFbxReader::new(bytes).read()?
    } else {
        TextFbxReader::new(bytes).read()?
    };
    let newer = version_six::converted(nodes)?;
    Ok(Some(without_colors_with_alpha(&newer).unwrap_or(newer)))
}

/// Whether a file is of version 6.
fn is_version_six(bytes: &[u8]) -> bool {
    if let Some(rest) = bytes.strip_prefix(MAGIC) {
        return u32_at(rest, 1).is_some_and(|version| VERSION_SIX.contains(&version));
    }
    let head = &bytes[..bytes.len().min(TEXT_HEAD_BYTES)];
    let Some(at) = memmem::find(head, TEXT_VERSION) else { return head.starts_with(b"; FBX 6.") };
    let digits = head[at + TEXT_VERSION.len()..].trim_ascii_start();
    let digits = digits.split(|byte| !byte.is_ascii_digit()).next().unwrap_or_default();
    let version = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u32>().ok());
    version.is_some_and(|version| VERSION_SIX.contains(&version))
}

/// A file without properties of the type of colours with alpha: of a node that has one Assimp 5.2 ends the program. `None`
/// where there are none. What users add to nodes is not shown.
fn without_colors_with_alpha(bytes: &[u8]) -> Option<Vec<u8>> {
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

/// Units of time of FBX in a second.
const TIME_PER_SEC: f64 = 46_186_158_000.0;

/// When the takes of a file begin, seconds; `None` where it does not say, or they begin at different times.
pub(super) fn takes_begin(bytes: &[u8]) -> Option<f64> {
    let name = b"LocalStart";
    let mut begins = memmem::find_iter(bytes, name).map(|at| time_of_property(&bytes[at + name.len()..]));
    let first = begins.next()??;
    begins.all(|other| other == Some(first)).then_some(first as f64 / TIME_PER_SEC)
}

/// The time that is the value of a property, from behind its name.
fn time_of_property(mut rest: &[u8]) -> Option<i64> {
    if rest.first() == Some(&b'"') {
        // Three texts, then the value.
        let line = rest.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
        return std::str::from_utf8(line).ok()?.rsplit(',').next()?.trim().parse().ok();
    }
    while rest.first() == Some(&b'S') {
        rest = rest.get(5 + u32_at(rest, 1)? as usize..)?;
    }
    let value = rest.strip_prefix(b"L")?.first_chunk::<8>()?;
    Some(i64::from_le_bytes(*value))
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
        assert_eq!(readable(binary).unwrap().unwrap(), b"PS\x04\0\0\0tintS\x0d\0\0\0ColorAndAlphAS\0\0\0\0");
        let text = b"P: \"tint\", \"ColorAndAlpha\", \"\", \"A+U\",1,0,0,1";
        assert_eq!(readable(text).unwrap().unwrap(), b"P: \"tint\", \"ColorAndAlphA\", \"\", \"A+U\",1,0,0,1");
        assert_eq!(readable(b"P: \"my ColorAndAlpha\", \"Color\""), Ok(None), "a name");
        assert_eq!(readable(b""), Ok(None));
    }

    #[test]
    fn files_of_version_6_become_files_of_version_7() {
        let binary = |version: u32| [MAGIC, &[0], &version.to_le_bytes(), &[0; 13]].concat();
        assert_eq!(readable(&binary(7400)), Ok(None));
        assert_eq!(readable(&binary(6100)), Err(FbxFault::NoObjects));
        let text = |version: &str| format!("FBXHeaderExtension:  {{\n\tFBXVersion: {version}\n}}\nObjects:  {{\n}}\n");
        assert_eq!(readable(text("7400").as_bytes()), Ok(None));
        let newer = readable(text("6100").as_bytes()).unwrap().unwrap();
        assert!(newer.starts_with(&binary(7400)[..27]) && !is_version_six(&newer));
        assert_eq!(readable(b"; FBX 6.1.0 project file\nObjects:  {"), Err(FbxFault::Damaged(36)), "cut off");
    }

    #[test]
    fn takes_say_when_they_begin() {
        let text = |time: i64| format!("P: \"LocalStart\", \"KTime\", \"Time\", \"\",{time}\r\n");
        assert_eq!(takes_begin(text(92_372_316_000).as_bytes()), Some(2.0));
        let binary = [&b"PS\x0a\0\0\0LocalStartS\x05\0\0\0KTimeS\x04\0\0\0TimeS\0\0\0\0L"[..]].concat();
        let of = |time: i64| [&binary[..], &time.to_le_bytes()].concat();
        assert_eq!(takes_begin(&of(46_186_158_000)), Some(1.0));
        assert_eq!(takes_begin(&[of(1), of(1)].concat()), takes_begin(&of(1)));
        assert_eq!([takes_begin(&[of(1), of(2)].concat()), takes_begin(&binary), takes_begin(b"")], [None; 3]);
    }

    #[test]
    fn the_byte_order_is_told() {
        let file = |order: u8| [MAGIC, &[order, 0, 0, 0x17, 0x70]].concat();
        assert!(fault(&file(1)).is_some_and(|said| said.contains("highest byte")));
        assert_eq!(fault(&file(0)), None);
        assert_eq!((fault(b"; FBX 7.4.0 project file"), fault(MAGIC)), (None, None));
    }
}
