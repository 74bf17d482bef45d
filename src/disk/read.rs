//! Reads files that a user or another file names: regular files only, up to a size, within a time.
//!
//! A device has no end and a pipe may have no beginning, so neither is opened. The size is counted while reading,
//! because what the system tells beforehand may be wrong or out of date.

use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Longest time that reading a file may take, seconds.
const MAX_READ_SECS: u64 = 60;
/// Bytes read between two looks at the clock.
const CHUNK_BYTES: u64 = 1 << 20;

/// Most names in a folder that are looked at for one in other upper and lower case.
const MAX_FOLDER_ENTRIES: usize = 10_000;

/// Why a file is not read; who asked for it adds its name.
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
    while file.by_ref().take(CHUNK_BYTES.min(limit + 1 - bytes.len() as u64)).read_to_end(&mut bytes)? > 0 {
        if bytes.len() as u64 > limit {
            return Err(ReadFault::TooLarge { bytes: bytes.len() as u64, limit });
        }
        if start.elapsed() > Duration::from_secs(MAX_READ_SECS) {
            return Err(ReadFault::TooSlow(MAX_READ_SECS));
        }
    }
    Ok(bytes)
}

/// The text of a regular file of at most `limit` bytes.
///
/// # Errors
/// As [`read`], and what is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadFault> {
    String::from_utf8(read(path, limit)?).map_err(|e| ReadFault::NotText(e.utf8_error().valid_up_to()))
}

/// The contents of a regular file that another file in `folder` names; it has to lie there with all links resolved.
///
/// # Errors
/// As [`read`], and [`ReadFault::Outside`].
pub fn read_inside(folder: &Path, file: &Path, limit: u64) -> Result<Vec<u8>, ReadFault> {
    read(&resolve_inside(folder, file)?, limit)
}

/// Where a file lies that another file in `folder` names, with all links resolved. Where there is none of that name, one
/// whose name differs in upper and lower case will do: not all systems tell them apart.
///
/// # Errors
/// [`ReadFault::Missing`] and [`ReadFault::Outside`].
pub fn resolve_inside(folder: &Path, file: &Path) -> Result<PathBuf, ReadFault> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let root = std::fs::canonicalize(folder)?;
    let path = match std::fs::canonicalize(folder.join(file)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::canonicalize(find_in_any_case(&root, file).ok_or(error)?)?
        }
        found => found?,
    };
    if path.starts_with(&root) { Ok(path) } else { Err(ReadFault::Outside(folder.into())) }
}

/// A file below `folder` by a name in other upper and lower case; the first of several.
fn find_in_any_case(folder: &Path, file: &Path) -> Option<PathBuf> {
    let mut at = folder.to_path_buf();
    for component in file.components() {
        let Component::Normal(name) = component else { return None };
        let wanted = name.to_str()?.to_lowercase();
        let entries = std::fs::read_dir(&at).ok()?.take(MAX_FOLDER_ENTRIES).flatten();
        let is_like = |entry: &std::ffi::OsString| entry.to_str().is_some_and(|name| name.to_lowercase() == wanted);
        let found = entries.map(|entry| entry.file_name()).filter(is_like).min();
        at.push(found?);
    }
    Some(at)
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
        assert_eq!(read(&file, 3), Err(ReadFault::TooLarge { bytes: 4, limit: 3 }));
        assert_eq!(read(folder.path(), 4), Err(ReadFault::Kind("a folder")));
        assert_eq!(read(&folder.path().join("b"), 4), Err(ReadFault::Missing));
        std::fs::write(&file, [b'a', 0xff]).unwrap();
        assert_eq!(read_text(&file, 4), Err(ReadFault::NotText(1)));
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

    #[test]
    fn names_may_differ_in_upper_and_lower_case() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Textures")).unwrap();
        std::fs::write(folder.path().join("Textures/Größe.PNG"), "a").unwrap();
        let inside = |name: &str| read_inside(folder.path(), Path::new(name), 9);
        assert_eq!(inside("textures/GRÖSSE.png"), Err(ReadFault::Missing), "ß has no upper case of one letter");
        assert_eq!(inside("textures/größe.png").unwrap(), b"a");
        std::fs::write(folder.path().join("Textures/größe.png"), "b").unwrap();
        assert_eq!(inside("Textures/größe.png").unwrap(), b"b", "the name itself goes before");
        assert_eq!(inside("../textures/größe.png"), Err(ReadFault::Missing));
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_no_further_than_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("model");
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        std::fs::write(outer.path().join("secret"), "s").unwrap();
        std::fs::write(folder.join("deep/near"), "n").unwrap();
        std::os::unix::fs::symlink("../secret", folder.join("far")).unwrap();
        std::os::unix::fs::symlink("deep/near", folder.join("link")).unwrap();
        let inside = |name: &str| read_inside(&folder, Path::new(name), 9);
        assert_eq!(inside("link").unwrap(), b"n");
        assert_eq!(inside("deep/../deep/near").unwrap(), b"n");
        for name in ["far", "../secret"] {
            assert_eq!(inside(name), Err(ReadFault::Outside(folder.clone())), "{name}");
        }
    }
}
