//! The files that Assimp may open: the model itself, and regular files of limited size in its folder.

use super::limits;
use crate::disk::read::{self, ReadFault};
use russimp::sys;
use std::ffi::CStr;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::raw::c_char;
use std::path::{Path, PathBuf};

/// Most files that are said to be left out.
const MAX_FAULTS: usize = 16;

/// A model's folder, as Assimp sees it.
pub(super) struct ModelFolder {
    model: PathBuf,
    folder: PathBuf,
    /// Files that are there but not opened, with the reason.
    pub faults: Vec<String>,
}

impl ModelFolder {
    pub fn of(model: &Path) -> Self {
        let folder = model.parent().unwrap_or(Path::new(".")).to_path_buf();
        Self { model: model.to_path_buf(), folder, faults: Vec::new() }
    }

    /// The table of functions through which Assimp opens files. It must not outlive the folder.
    pub fn io(&mut self) -> sys::aiFileIO {
        let user = std::ptr::from_mut(self).cast::<c_char>();
        sys::aiFileIO { OpenProc: Some(open_file), CloseProc: Some(close_file), UserData: user }
    }

    fn open(&mut self, name: &str) -> Option<File> {
        // Names that are not UTF-8 went to Assimp with replacements, and come back so.
        if name == self.model.to_string_lossy() {
            return self.note(name, read::open(&self.model, limits::FILE_BYTES));
        }
        let lossy = PathBuf::from(self.folder.to_string_lossy().into_owned());
        let file = Path::new(name).strip_prefix(&lossy).unwrap_or(Path::new(name));
        let opened = read::resolve_inside(&self.folder, file).and_then(|path| read::open(&path, limits::FILE_BYTES));
        self.note(&file.to_string_lossy(), opened)
    }

    fn note(&mut self, name: &str, opened: Result<(File, u64), ReadFault>) -> Option<File> {
        match opened {
            Ok((file, _)) => Some(file),
            // Importers try names that need not be there.
            Err(ReadFault::Missing) => None,
            Err(fault) => {
                let said = format!("the file {name:?} that it names is left out: {fault}");
                if self.faults.len() < MAX_FAULTS && !self.faults.contains(&said) {
                    self.faults.push(said);
                }
                None
            }
        }
    }
}

unsafe extern "C" fn open_file(io: *mut sys::aiFileIO, name: *const c_char, mode: *const c_char) -> *mut sys::aiFile {
    let null = std::ptr::null_mut();
    if io.is_null() || name.is_null() || mode.is_null() {
        return null;
    }
    // SAFETY: `io` is the table of `ModelFolder::io`, whose folder is alive and used by this thread alone; the texts are
    // zero-terminated.
    let (folder, name, mode) =
        unsafe { (&mut *(*io).UserData.cast::<ModelFolder>(), CStr::from_ptr(name), CStr::from_ptr(mode)) };
    if !mode.to_bytes().starts_with(b"r") {
        return null;
    }
    let Some(file) = folder.open(&name.to_string_lossy()) else { return null };
    Box::into_raw(Box::new(sys::aiFile {
        ReadProc: Some(read_file),
        WriteProc: Some(write_file),
        TellProc: Some(tell),
        FileSizeProc: Some(file_size),
        SeekProc: Some(seek),
        FlushProc: Some(flush),
        UserData: Box::into_raw(Box::new(file)).cast(),
    }))
}

unsafe extern "C" fn close_file(_: *mut sys::aiFileIO, file: *mut sys::aiFile) {
    if file.is_null() {
        return;
    }
    // SAFETY: both boxes were made by `open_file`; Assimp closes a file once.
    unsafe {
        let file = Box::from_raw(file);
        drop(Box::from_raw(file.UserData.cast::<File>()));
    }
}

/// The opened file behind Assimp's.
fn inner<'a>(file: *mut sys::aiFile) -> Option<&'a mut File> {
    // SAFETY: null, or made by `open_file` and not closed yet.
    unsafe { file.as_mut().and_then(|file| file.UserData.cast::<File>().as_mut()) }
}

/// As `fread`: the number of whole items that were read.
unsafe extern "C" fn read_file(file: *mut sys::aiFile, out: *mut c_char, size: usize, count: usize) -> usize {
    let (Some(file), Some(bytes)) = (inner(file), size.checked_mul(count)) else { return 0 };
    if out.is_null() || bytes == 0 || bytes > isize::MAX as usize {
        return 0;
    }
    // SAFETY: Assimp gives room for `count` items of `size` bytes; they are set before they are seen as a slice.
    let out = unsafe {
        std::ptr::write_bytes(out, 0, bytes);
        std::slice::from_raw_parts_mut(out.cast::<u8>(), bytes)
    };
    let mut done = 0;
    while done < bytes {
        match file.read(&mut out[done..]) {
            Ok(0) | Err(_) => break,
            Ok(more) => done += more,
        }
    }
    done / size
}

unsafe extern "C" fn write_file(_: *mut sys::aiFile, _: *const c_char, _: usize, _: usize) -> usize {
    0
}

unsafe extern "C" fn tell(file: *mut sys::aiFile) -> usize {
    inner(file).and_then(|file| file.stream_position().ok()).map_or(0, |at| at as usize)
}

unsafe extern "C" fn file_size(file: *mut sys::aiFile) -> usize {
    inner(file).and_then(|file| file.metadata().ok()).map_or(0, |data| data.len() as usize)
}

unsafe extern "C" fn seek(file: *mut sys::aiFile, offset: usize, origin: sys::aiOrigin) -> sys::aiReturn {
    // Offsets from the end and from where one is are negative numbers of the same width.
    let to = match origin {
        sys::aiOrigin_aiOrigin_SET => SeekFrom::Start(offset as u64),
        sys::aiOrigin_aiOrigin_CUR => SeekFrom::Current(offset as i64),
        _ => SeekFrom::End(offset as i64),
    };
    match inner(file).map(|file| file.seek(to)) {
        Some(Ok(_)) => sys::aiReturn_aiReturn_SUCCESS,
        _ => sys::aiReturn_aiReturn_FAILURE,
    }
}

unsafe extern "C" fn flush(_: *mut sys::aiFile) {}
