//! Packages of Quake III (`.pk3`), which are ZIP files: the central directory, and entries that are stored or deflated.

use super::fault::QuakeMapFault;
use crate::asset::bytes::{length_at, u16_at};
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

const END_OF_DIRECTORY: &[u8] = b"PK\x05\x06";
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL_HEADER: &[u8] = b"PK\x03\x04";
/// Bytes of the end of the directory without the comment behind it, which has up to 65,535.
const END_BYTES: usize = 22;
const MAX_COMMENT_BYTES: usize = 65_535;
const ENTRY_BYTES: usize = 46;
const LOCAL_BYTES: usize = 30;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// The flag of an entry that is encrypted.
const ENCRYPTED: u16 = 1;

/// An entry of a package.
struct PackageEntry {
    method: u16,
    flags: u16,
    /// Bytes as they are packed.
    packed: usize,
    /// Bytes of the file.
    size: usize,
    /// Where its own header begins.
    header_at: usize,
}

/// The files of a package by their names, which are told apart without regard to case.
pub(super) struct Package<'a> {
    bytes: &'a [u8],
    entries: BTreeMap<String, PackageEntry>,
}

impl<'a> Package<'a> {
    /// Reads the directory.
    ///
    /// # Errors
    /// It is no ZIP file, or cut off.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, QuakeMapFault> {
        let from = bytes.len().saturating_sub(END_BYTES + MAX_COMMENT_BYTES);
        let end = memchr::memmem::rfind(&bytes[from..], END_OF_DIRECTORY).ok_or(QuakeMapFault::NoPackage)? + from;
        let count = u16_at(bytes, end + 10).ok_or(QuakeMapFault::NoPackage)?;
        let mut at = length_at(bytes, end + 16).ok_or(QuakeMapFault::NoPackage)?;
        let mut entries = BTreeMap::new();
        for _ in 0..count {
            let (name, entry, next) = directory_entry(bytes, at).ok_or(QuakeMapFault::Directory)?;
            entries.insert(name, entry);
            at = next;
        }
        Ok(Self { bytes, entries })
    }

    /// Names in lower case, in their order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// A file of at most `limit` bytes by its name in lower case; `None` where there is none.
    pub(super) fn file(&self, name: &str, limit: u64) -> Option<Result<Cow<'a, [u8]>, QuakeMapFault>> {
        let entry = self.entries.get(name)?;
        Some(self.unpacked(entry, limit).ok_or_else(|| QuakeMapFault::Entry(name.to_owned())))
    }

    fn unpacked(&self, entry: &PackageEntry, limit: u64) -> Option<Cow<'a, [u8]>> {
        let data = self.bytes.get(self.data_range(entry)?)?;
        if entry.size as u64 > limit || entry.flags & ENCRYPTED != 0 {
            return None;
        }
        match entry.method {
            // Otherwise the limit would say nothing of what is read.
            STORED => (data.len() == entry.size).then_some(Cow::Borrowed(data)),
            DEFLATED => decompress_to_vec_with_limit(data, entry.size).ok().map(Cow::Owned),
            _ => None,
        }
    }

    fn data_range(&self, entry: &PackageEntry) -> Option<Range<usize>> {
        let at = entry.header_at;
        if self.bytes.get(at..at.checked_add(4)?)? != LOCAL_HEADER {
            return None;
        }
        let names = usize::from(u16_at(self.bytes, at + 26)?) + usize::from(u16_at(self.bytes, at + 28)?);
        let from = at + LOCAL_BYTES + names;
        Some(from..from.checked_add(entry.packed)?)
    }
}

/// An entry of the directory with its name, and where the next one begins.
fn directory_entry(bytes: &[u8], at: usize) -> Option<(String, PackageEntry, usize)> {
    if bytes.get(at..at.checked_add(4)?)? != DIRECTORY_ENTRY {
        return None;
    }
    let length = |offset: usize| u16_at(bytes, at + offset).map(usize::from);
    let name_end = at + ENTRY_BYTES + length(28)?;
    let name = String::from_utf8_lossy(bytes.get(at + ENTRY_BYTES..name_end)?).to_lowercase().replace('\\', "/");
    let entry = PackageEntry {
        flags: u16_at(bytes, at + 8)?,
        method: u16_at(bytes, at + 10)?,
        packed: length_at(bytes, at + 20)?,
        size: length_at(bytes, at + 24)?,
        header_at: length_at(bytes, at + 42)?,
    };
    Some((name, entry, name_end + length(30)? + length(32)?))
}

/// A package for tests, with every second file deflated.
#[cfg(test)]
pub(super) fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (i, (name, contents)) in files.iter().enumerate() {
        let method = if i % 2 == 0 { DEFLATED } else { STORED };
        let data = if i % 2 == 0 { miniz_oxide::deflate::compress_to_vec(contents, 6) } else { contents.to_vec() };
        let at = out.len() as u32;
        let mut common = vec![20, 0, 0, 0];
        common.extend_from_slice(&method.to_le_bytes());
        common.extend_from_slice(&[0; 8]);
        common.extend_from_slice(&(data.len() as u32).to_le_bytes());
        common.extend_from_slice(&(contents.len() as u32).to_le_bytes());
        common.extend_from_slice(&(name.len() as u32).to_le_bytes());
        out.extend_from_slice(&[LOCAL_HEADER, &common, name.as_bytes(), &data].concat());
        let head = [DIRECTORY_ENTRY, &[20, 0], &common, &[0; 10], &at.to_le_bytes(), name.as_bytes()];
        directory.extend_from_slice(&head.concat());
    }
    let count = (files.len() as u16).to_le_bytes();
    let (size, at) = ((directory.len() as u32).to_le_bytes(), (out.len() as u32).to_le_bytes());
    [&out, &directory, END_OF_DIRECTORY, &[0; 4], &count, &count, &size, &at, &[0; 2]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_any_case_stored_or_deflated() {
        let bytes = packed(&[("Maps/One.BSP", &[7; 5000]), ("b\\two.txt", b"two"), ("empty", b"")]);
        let package = Package::open(&bytes).unwrap();
        assert_eq!(package.names().collect::<Vec<_>>(), ["b/two.txt", "empty", "maps/one.bsp"]);
        assert_eq!(*package.file("maps/one.bsp", 5000).unwrap().unwrap(), [7; 5000]);
        assert_eq!(*package.file("b/two.txt", 5000).unwrap().unwrap(), *b"two");
        assert_eq!(package.file("empty", 5000).unwrap().unwrap().len(), 0);
        assert!(package.file("none", 5000).is_none());
        assert!(package.file("maps/one.bsp", 4999).unwrap().is_err(), "it is larger than it may be");
    }

    #[test]
    fn stored_files_are_as_long_as_they_say() {
        let mut bytes = packed(&[("a", b""), ("b", b"two")]);
        let entry = memchr::memmem::rfind(&bytes, DIRECTORY_ENTRY).unwrap();
        bytes[entry + 24] = 0;
        assert!(Package::open(&bytes).unwrap().file("b", 0).unwrap().is_err());
    }

    #[test]
    fn damaged_packages_are_refused() {
        let bytes = packed(&[("a", &[7; 500]), ("b", b"two")]);
        for end in 0..bytes.len() - 22 {
            assert!(Package::open(&bytes[..end]).is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let Ok(package) = Package::open(&damaged) else { continue };
            for name in ["a", "b"] {
                let read = package.file(name, 1 << 20).and_then(Result::ok);
                assert!(read.is_none_or(|file| file.len() <= 1 << 20));
            }
        }
    }
}
