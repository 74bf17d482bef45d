//! Reads files that a user or another file names: regular files only, up to a size, within a time.
//!
//! A device has no end and a pipe may have no beginning, so neither is opened. The size is counted while reading,
//! because what the system tells beforehand may be wrong or out of date.

use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Longest time that reading a file may take, seconds.
const MAX_READ_SECS: u64 = 60;
/// Bytes read between two looks at the clock.
const CHUNK_BYTES: u64 = 1 << 20;

/// What some programs write before text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Why a file is not read; the caller adds its name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadFault {
    /// There is none.
    #[error("there is no such file")]
    Missing,
    /// It is something else than a file with contents of its own.
    #[error("it is {0}, not a regular file")]
    Kind(&'static str),
    /// It is larger than files of its kind may be.
    #[error("its {bytes} bytes are more than the {limit} that are read of such a file")]
    TooLarge {
        /// Bytes that it has.
        bytes: u64,
        /// Most bytes that are read.
        limit: u64,
    },
    /// It was not at hand in time.
    #[error("reading it took more than {0} s and was stopped")]
    TooSlow(u64),
    /// It lies where the file that names it may not reach, by its name or by a link.
    #[error("it lies outside the folder {folder}", folder = .0.display())]
    Outside(PathBuf),
    /// It is not text.
    #[error("it is not text: byte {0} is not UTF-8")]
    NotText(usize),
    /// It is text in another encoding.
    #[error("it is text in UTF-16; save it in UTF-8")]
    Utf16,
    /// The system refuses.
    #[error("{0}")]
    System(String),
}

impl From<io::Error> for ReadFault {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::Missing } else { Self::System(error.to_string()) }
    }
}

/// The contents of a regular file of at most `limit` bytes.
///
/// # Errors
/// [`ReadFault`]; nothing but the file's own kind is looked at before it is refused.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadFault> {
    let (mut file, size) = open(path, limit)?;
    let start = Instant::now();
    let mut bytes = Vec::with_capacity(size as usize);
    // One byte more than allowed tells that the file has grown.
    let most = limit.saturating_add(1);
    while file.by_ref().take(CHUNK_BYTES.min(most - bytes.len() as u64)).read_to_end(&mut bytes)? > 0 {
        if bytes.len() as u64 > limit {
            return Err(ReadFault::TooLarge { bytes: bytes.len() as u64, limit });
        }
        if start.elapsed() > Duration::from_secs(MAX_READ_SECS) {
            return Err(ReadFault::TooSlow(MAX_READ_SECS));
        }
    }
    Ok(bytes)
}

/// The text of a regular file of at most `limit` bytes, without a mark before it.
///
/// # Errors
/// As [`read`], and what is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadFault> {
    let mut bytes = read(path, limit)?;
    let mark = bytes.len() - unmarked(&bytes)?.len();
    bytes.drain(..mark);
    String::from_utf8(bytes).map_err(|e| ReadFault::NotText(e.utf8_error().valid_up_to()))
}

/// Text without the [mark](BYTE_ORDER_MARK) before it.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// As [`without_mark`], of text in UTF-8.
///
/// # Errors
/// [`ReadFault::Utf16`].
pub fn unmarked(text: &[u8]) -> Result<&[u8], ReadFault> {
    // Without a mark, texts begin with characters of ASCII, of which every second byte is zero there.
    let is_utf16 = match text {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        &[a, 0, b, 0, ..] | &[0, a, 0, b, ..] => a > 0 && b > 0,
        _ => false,
    };
    if is_utf16 { Err(ReadFault::Utf16) } else { Ok(without_mark(text)) }
}

/// Opens a regular file of at most `limit` bytes. Returns it with its size.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path, limit: u64) -> Result<(File, u64), ReadFault> {
    // Looked at before it is opened: opening a device or a pipe may do something, or wait for ever.
    check_kind(std::fs::metadata(path)?.file_type())?;
    let mut options = File::options();
    options.read(true);
    // Another file may have taken its place since.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    check_kind(metadata.file_type())?;
    if metadata.len() > limit {
        return Err(ReadFault::TooLarge { bytes: metadata.len(), limit });
    }
    Ok((file, metadata.len()))
}

fn check_kind(kind: FileType) -> Result<(), ReadFault> {
    kind_name(kind).map_or(Ok(()), |name| Err(ReadFault::Kind(name)))
}

/// What something in a folder is called; `None` for a regular file.
pub fn kind_name(kind: FileType) -> Option<&'static str> {
    if kind.is_file() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
    }
    Some(if kind.is_dir() { "a folder" } else { "something else" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "four").unwrap();
        assert_eq!(read(&file, 4).unwrap(), b"four");
        assert_eq!(read_text(&file, 4).unwrap(), "four");
        assert_eq!(read(&file, u64::MAX).unwrap(), b"four");
        assert_eq!(read(&file, 3), Err(ReadFault::TooLarge { bytes: 4, limit: 3 }));
        assert_eq!(read(folder.path(), 4), Err(ReadFault::Kind("a folder")));
        assert_eq!(read(&folder.path().join("b"), 4), Err(ReadFault::Missing));
        std::fs::write(&file, [b'a', 0xff]).unwrap();
        assert_eq!(read_text(&file, 4), Err(ReadFault::NotText(1)));
    }

    #[test]
    fn marks_before_texts_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let text = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            read_text(&file, 9)
        };
        assert_eq!(text(b"\xef\xbb\xbfa: 1"), Ok("a: 1".to_owned()));
        for utf16 in [&b"\xff\xfea\0"[..], b"\xfe\xff\0a", b"a\0:\0", b"\0a\0:"] {
            assert_eq!(text(utf16), Err(ReadFault::Utf16));
        }
        assert_eq!(text(b""), Ok(String::new()));
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        assert_eq!(read(&link, 4), Err(ReadFault::Kind("a device")));
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(read(&pipe, 4), Err(ReadFault::Kind("a pipe")));
    }
}
