//! The files that Assimp may open: the model itself, and regular files of limited size in its folder.

use super::limits;
use super::md3::without_empty_surfaces;
use super::obj::library_lines::readable_library;
use crate::asset::human_bone::BoneNames;
use crate::disk::read::{self, ReadFault};
use crate::disk::{InsideFolder, folder_of, has_extension};
use russimp::sys;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::os::raw::c_char;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most files that are said to be left out.
const MAX_FAULTS: usize = 16;
/// Most files whose names are kept.
const MAX_NAMED: usize = 4096;

/// What Assimp gets in place of a model file's own contents.
#[derive(Clone, Debug, Default)]
pub struct Replacement {
    /// In place of the model file.
    pub model: Vec<u8>,
    /// Another file that the model names, which is not on the disk.
    pub side_file: Option<SideFile>,
    /// Names of its material variants: behind the meshes of a node there are as many more for each of them.
    pub variants: Vec<String>,
    /// The bones of a human body that the file names, by the names of their nodes.
    pub bones: BoneNames,
    /// What of the file is passed over.
    pub warnings: Vec<String>,
}

impl Replacement {
    /// Other contents of the model file, and nothing else.
    pub fn of(model: Vec<u8>) -> Self {
        Self { model, ..Self::default() }
    }
}

/// A file beside a model that exists in memory alone.
#[derive(Clone, Debug)]
pub struct SideFile {
    /// Its name in the model's folder.
    pub name: &'static str,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// What Assimp reads from: a file, or contents that take its place.
trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

/// A source that Assimp has opened.
struct OpenSource {
    source: Box<dyn Source>,
    bytes: u64,
}

impl From<Arc<[u8]>> for OpenSource {
    fn from(contents: Arc<[u8]>) -> Self {
        Self { bytes: contents.len() as u64, source: Box::new(Cursor::new(contents)) }
    }
}

/// A model's folder, as Assimp sees it.
pub(super) struct ModelFolder {
    model: PathBuf,
    folder: PathBuf,
    inside: InsideFolder,
    /// In place of the model file's own contents.
    contents: Option<Arc<[u8]>>,
    side_file: Option<(&'static str, Arc<[u8]>)>,
    /// Files that are there but not opened, with the reason.
    pub faults: Vec<String>,
    /// The files beside the model that Assimp asked for, relative to its folder, also those that are not there.
    pub named: BTreeSet<PathBuf>,
}

/// The name under which Assimp opens a model, by which it tells the format: it does not know that VRM, and what lies in a
/// tile, is a binary glTF. What is not UTF-8 is replaced.
pub(super) fn name_for_assimp(model: &Path) -> String {
    let is_glb = has_extension(model, &["vrm", "b3dm"]);
    let name = if is_glb { Cow::Owned(model.with_extension("glb")) } else { Cow::Borrowed(model) };
    name.to_string_lossy().into_owned()
}

impl ModelFolder {
    pub fn of(model: &Path, replacement: Option<Replacement>) -> Self {
        let folder = folder_of(model).to_path_buf();
        let (contents, side_file) = replacement.map(|new| (new.model.into(), new.side_file)).unzip();
        let side_file = side_file.flatten().map(|file| (file.name, file.bytes.into()));
        let inside = InsideFolder::of(&folder);
        let (model, faults, named) = (model.to_path_buf(), Vec::new(), BTreeSet::new());
        Self { model, folder, inside, contents, side_file, faults, named }
    }

    /// The table of functions through which Assimp opens files. It must not outlive the folder.
    pub fn io(&mut self) -> sys::aiFileIO {
        let user = std::ptr::from_mut(self).cast::<c_char>();
        sys::aiFileIO { OpenProc: Some(open_file), CloseProc: Some(close_file), UserData: user }
    }

    fn open(&mut self, name: &str) -> Option<OpenSource> {
        // Names that are not UTF-8 went to Assimp with replacements, and come back so.
        if name == name_for_assimp(&self.model) {
            if let Some(contents) = &self.contents {
                return Some(contents.clone().into());
            }
            return self.note(name, read::open(&self.model, limits::FILE_BYTES));
        }
        let lossy = PathBuf::from(self.folder.to_string_lossy().into_owned());
        let file = Path::new(name).strip_prefix(&lossy).unwrap_or(Path::new(name));
        if let Some((_, contents)) = self.side_file.as_ref().filter(|(name, _)| file == Path::new(name)) {
            return Some(contents.clone().into());
        }
        if self.named.len() < MAX_NAMED {
            self.named.insert(file.to_path_buf());
        }
        if has_extension(file, &["mtl"])
            && let Ok(text) = self.inside.read(file, limits::SIDE_TEXT_BYTES)
            && let Some(library) = readable_library(&text)
        {
            return Some(Arc::<[u8]>::from(library).into());
        }
        // A player of Quake III is three models, which lead to each other.
        if has_extension(file, &["md3"])
            && let Ok(model) = self.inside.read(file, limits::FILE_BYTES)
            && let Some(model) = without_empty_surfaces(&model)
        {
            return Some(Arc::<[u8]>::from(model).into());
        }
        let opened = self.inside.resolve(file).and_then(|path| read::open(&path, limits::FILE_BYTES));
        self.note(&file.to_string_lossy(), opened)
    }

    fn note(&mut self, name: &str, opened: Result<(File, u64), ReadFault>) -> Option<OpenSource> {
        match opened {
            Ok((file, bytes)) => Some(OpenSource { source: Box::new(file), bytes }),
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
    let Some(opened) = folder.open(&name.to_string_lossy()) else { return null };
    Box::into_raw(Box::new(sys::aiFile {
        ReadProc: Some(read_file),
        WriteProc: Some(write_file),
        TellProc: Some(tell),
        FileSizeProc: Some(file_size),
        SeekProc: Some(seek),
        FlushProc: Some(flush),
        UserData: Box::into_raw(Box::new(opened)).cast(),
    }))
}

unsafe extern "C" fn close_file(_: *mut sys::aiFileIO, file: *mut sys::aiFile) {
    if file.is_null() {
        return;
    }
    // SAFETY: both boxes were made by `open_file`; Assimp closes a file once.
    unsafe {
        let file = Box::from_raw(file);
        drop(Box::from_raw(file.UserData.cast::<OpenSource>()));
    }
}

/// The opened source behind Assimp's.
fn inner<'a>(file: *mut sys::aiFile) -> Option<&'a mut OpenSource> {
    // SAFETY: null, or made by `open_file` and not closed yet.
    unsafe { file.as_mut().and_then(|file| file.UserData.cast::<OpenSource>().as_mut()) }
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
        match file.source.read(&mut out[done..]) {
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
    inner(file).and_then(|file| file.source.stream_position().ok()).map_or(0, |at| at as usize)
}

unsafe extern "C" fn file_size(file: *mut sys::aiFile) -> usize {
    inner(file).map_or(0, |file| file.bytes as usize)
}

unsafe extern "C" fn seek(file: *mut sys::aiFile, offset: usize, origin: sys::aiOrigin) -> sys::aiReturn {
    // Offsets from the end and from where one is are negative numbers of the same width.
    let to = match origin {
        sys::aiOrigin_aiOrigin_SET => SeekFrom::Start(offset as u64),
        sys::aiOrigin_aiOrigin_CUR => SeekFrom::Current(offset as i64),
        _ => SeekFrom::End(offset as i64),
    };
    match inner(file).map(|file| file.source.seek(to)) {
        Some(Ok(_)) => sys::aiReturn_aiReturn_SUCCESS,
        _ => sys::aiReturn_aiReturn_FAILURE,
    }
}

unsafe extern "C" fn flush(_: *mut sys::aiFile) {}
