//! Keeps imported models by the content of their files, so that the second load is instant.
//!
//! An entry is verified in full before it is used; a damaged or outdated one counts as absent and is rebuilt.

use super::import::limits;
use super::{AssetError, Image, Model};
use crate::disk::read::open;
use crate::disk::write::write_parts_with_folder;
use crate::disk::{InsideFolder, folder_of};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

const MAGIC: &[u8; 8] = b"WALKABT\0";
/// Changes whenever the meaning of an entry does.
const VERSION: u32 = 23;
/// Bytes before the payload of an entry: magic number, version, length and checksum.
pub const HEADER: usize = 8 + 4 + 8 + 32;
/// Bytes at the front of the payload that say how many follow before the pictures.
const LENGTH: usize = 8;
/// Total size of the folder above which the oldest entries are removed.
const MAX_BYTES: u64 = 2 << 30;

/// The content of a file that a model was made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceHash {
    /// Path relative to the model's folder.
    file: String,
    /// Hash of its content; `None` when there is no such file, or none that may be read.
    hash: Option<[u8; 32]>,
}

impl SourceHash {
    /// The present content of `file` in `folder`.
    pub fn read(folder: &InsideFolder, file: &str) -> Self {
        let content = folder.read(Path::new(file), limits::FILE_BYTES);
        let hash = content.ok().map(|bytes| *blake3::hash(&bytes).as_bytes());
        Self { file: file.to_owned(), hash }
    }
}

/// What an entry holds: the outcome of an import, and what it was made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheEntry {
    /// Other files that went into it.
    pub sources: Vec<SourceHash>,
    /// The outcome.
    pub result: Result<Model, AssetError>,
}

/// Bytes to which a serializer appends. Large parts are appended whole, where `postcard`'s own takes them byte by byte.
struct Appended(Vec<u8>);

impl postcard::ser_flavors::Flavor for Appended {
    type Output = Vec<u8>;

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Vec<u8>> {
        Ok(self.0)
    }
}

/// A picture without its pixels, which lie behind all else.
#[derive(Serialize, Deserialize)]
struct PictureHead {
    name: String,
    size: [u32; 2],
}

impl PictureHead {
    /// How many bytes its pixels have.
    fn bytes(&self) -> u64 {
        u64::from(self.size[0]) * u64::from(self.size[1]) * 4
    }
}

/// An entry as it is written: checked bytes of all but the pictures, and these, which are those of the model.
#[derive(Clone, Debug)]
pub struct WrittenEntry {
    head: Vec<u8>,
    pictures: Vec<Arc<Image>>,
}

impl WrittenEntry {
    /// Its bytes, in parts that lie apart in memory.
    pub fn parts(&self) -> Vec<&[u8]> {
        let pictures = self.pictures.iter().map(|picture| &picture.rgba[..]);
        std::iter::once(&self.head[..]).chain(pictures).collect()
    }
}

impl CacheEntry {
    fn pictures(&self) -> &[Arc<Image>] {
        self.result.as_ref().map_or(&[][..], |model| &model.images)
    }

    /// The entry as checked bytes.
    ///
    /// # Errors
    /// When the entry cannot be serialized.
    pub fn written(&self) -> Result<WrittenEntry, postcard::Error> {
        // With the room for what large models consist of set aside, the bytes are not copied while they grow.
        let large = self.result.iter().map(Model::approximate_bytes).sum::<usize>();
        let mut out = Vec::with_capacity(HEADER + LENGTH + large + (1 << 20));
        out.resize(HEADER + LENGTH, 0);
        let pictures = self.pictures().to_vec();
        let head = |image: &Arc<Image>| PictureHead { name: image.name.clone(), size: [image.width, image.height] };
        let heads: Vec<PictureHead> = pictures.iter().map(head).collect();
        let out = postcard::serialize_with_flavor(self, Appended(out))?;
        let mut head = postcard::serialize_with_flavor(&heads, Appended(out))?;
        let (header, payload) = head.split_at_mut(HEADER);
        let own = (payload.len() - LENGTH) as u64;
        payload[..LENGTH].copy_from_slice(&own.to_le_bytes());
        let of_pictures = pictures.iter().map(|picture| picture.rgba.len() as u64).sum::<u64>();
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..20].copy_from_slice(&(payload.len() as u64 + of_pictures).to_le_bytes());
        let mut checksum = blake3::Hasher::new();
        checksum.update(payload);
        pictures.iter().for_each(|picture| _ = checksum.update(&picture.rgba));
        header[20..].copy_from_slice(checksum.finalize().as_bytes());
        Ok(WrittenEntry { head, pictures })
    }

    /// Length of a whole entry by its first bytes, [`HEADER`] of them; `None` where they begin no entry.
    pub fn length_of(header: &[u8; HEADER]) -> Option<u64> {
        let length = u64::from_le_bytes(header[12..20].try_into().ok()?);
        (header[..8] == *MAGIC).then(|| length.saturating_add(HEADER as u64))
    }

    /// Reads an entry back whose first bytes are read already, and which has no more than `limit` bytes. Each picture is read
    /// to where it stays. With it come the bytes as they are written.
    ///
    /// # Errors
    /// It cannot be read, or magic number, version, length or checksum do not match.
    pub fn read(header: &[u8; HEADER], from: &mut impl Read, limit: u64) -> io::Result<(Self, WrittenEntry)> {
        let damaged = || io::Error::from(io::ErrorKind::InvalidData);
        let length = Self::length_of(header).filter(|&length| length <= limit).ok_or_else(damaged)?;
        if header[8..12] != VERSION.to_le_bytes() {
            return Err(damaged());
        }
        let mut own = [0; LENGTH];
        from.read_exact(&mut own)?;
        let fixed = (HEADER + LENGTH) as u64;
        let own_length = u64::from_le_bytes(own);
        let of_pictures =
            length.checked_sub(fixed).and_then(|rest| rest.checked_sub(own_length)).ok_or_else(damaged)?;
        let mut head = Vec::with_capacity((fixed + own_length) as usize);
        head.extend_from_slice(header);
        head.extend_from_slice(&own);
        from.by_ref().take(own_length).read_to_end(&mut head)?;
        let payload = &head[HEADER..];
        let (mut entry, rest) = postcard::take_from_bytes::<Self>(&payload[LENGTH..]).map_err(|_| damaged())?;
        let heads: Vec<PictureHead> = postcard::from_bytes(rest).map_err(|_| damaged())?;
        // Before memory is taken for them.
        if heads.iter().try_fold(0_u64, |sum, head| sum.checked_add(head.bytes())) != Some(of_pictures) {
            return Err(damaged());
        }
        let mut checksum = blake3::Hasher::new();
        checksum.update(payload);
        let mut pictures = Vec::with_capacity(heads.len());
        for head in heads {
            let mut rgba = vec![0; head.bytes() as usize];
            from.read_exact(&mut rgba)?;
            checksum.update(&rgba);
            let PictureHead { name, size: [width, height] } = head;
            pictures.push(Arc::new(Image { name, width, height, rgba }));
        }
        if header[20..] != *checksum.finalize().as_bytes() {
            return Err(damaged());
        }
        if let Ok(model) = &mut entry.result {
            model.images.clone_from(&pictures);
        }
        Ok((entry, WrittenEntry { head, pictures }))
    }
}

/// A folder of entries; by default none, so that nothing is kept. Its clones are one: what is [stored later](Self::store_later) is
/// written before the last of them is gone.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    folder: Option<PathBuf>,
    writes: Arc<PendingWrites>,
}

/// Entries that are being written; dropping the list waits for them.
#[derive(Debug, Default)]
struct PendingWrites(Mutex<Vec<PendingWrite>>);

/// A thread that writes an entry.
#[derive(Debug)]
struct PendingWrite {
    target: PathBuf,
    thread: JoinHandle<()>,
}

impl PendingWrites {
    fn list(&self) -> MutexGuard<'_, Vec<PendingWrite>> {
        // What a thread that panicked has left in the list are threads all the same.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a write in time.
    fn push(&self, write: PendingWrite) {
        let mut list = self.list();
        list.retain(|write| !write.thread.is_finished());
        list.push(write);
    }

    /// Waits for those that write `target` now, or for all.
    fn finish(&self, target: Option<&Path>) {
        let is_wanted = |write: &mut PendingWrite| target.is_none_or(|target| write.target == target);
        // Others may add to the list meanwhile.
        let wanted: Vec<PendingWrite> = self.list().extract_if(.., is_wanted).collect();
        // A write that panicked has left the file as it was.
        wanted.into_iter().for_each(|write| _ = write.thread.join());
    }
}

impl Drop for PendingWrites {
    fn drop(&mut self) {
        self.finish(None);
    }
}

impl Cache {
    /// The user's cache: `$WALKABOUT_CACHE` (empty switches it off), else the system's cache folder.
    pub fn of_user() -> Self {
        let folder = match std::env::var_os("WALKABOUT_CACHE") {
            Some(folder) if folder.is_empty() => None,
            Some(folder) => Some(folder.into()),
            None => directories::ProjectDirs::from("", "", "walkabout").map(|d| d.cache_dir().join("models")),
        };
        Self { folder, writes: Arc::default() }
    }

    /// A cache in a folder of its own.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), writes: Arc::default() }
    }

    /// The model of the file at `path`, when the entry at `entry_path` is valid and the files that went into it are
    /// unchanged.
    pub fn load(&self, path: &Path, entry_path: &Path) -> Option<Model> {
        self.writes.finish(Some(entry_path));
        let (mut file, size) = open(entry_path, MAX_BYTES).ok()?;
        let mut header = [0; HEADER];
        file.read_exact(&mut header).ok()?;
        let (entry, _) = CacheEntry::read(&header, &mut file, size).ok()?;
        let folder = InsideFolder::with_siblings(folder_of(path));
        let unchanged = entry.sources.iter().all(|source| SourceHash::read(&folder, &source.file) == *source);
        entry.result.ok().filter(|_| unchanged)
    }

    /// Keeps an entry. A cache that cannot be written only costs time, so failures are logged, not returned.
    pub fn store(&self, target: &Path, entry: &WrittenEntry) {
        if let Err(error) = write_parts_with_folder(target, &entry.parts()) {
            tracing::debug!("model cache not written: {error}. File: {}", target.display());
            return;
        }
        if let Some(folder) = &self.folder {
            prune(folder, MAX_BYTES);
        }
    }

    /// As [`Cache::store`], on another thread: the caller does not wait for the disk; [`Cache::load`] of the entry does, and
    /// so does the end of the cache.
    pub fn store_later(&self, target: PathBuf, entry: WrittenEntry) {
        // The thread holds no clone of the list that waits for it.
        let cache = Self { folder: self.folder.clone(), writes: Arc::default() };
        let written = target.clone();
        let work = move || cache.store(&written, &entry);
        match std::thread::Builder::new().spawn(work) {
            Ok(thread) => self.writes.push(PendingWrite { target, thread }),
            Err(error) => tracing::debug!("model cache not written: {error}"),
        }
    }

    /// Where the entry of a model file lies; the name hashes its folder too, because other files there belong to it.
    pub fn entry_path(&self, path: &Path, content: &[u8]) -> Option<PathBuf> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&VERSION.to_le_bytes());
        hasher.update(fs::canonicalize(path).ok()?.as_os_str().as_encoded_bytes());
        hasher.update(content);
        Some(self.folder.as_ref()?.join(format!("{}.model", hasher.finalize().to_hex())))
    }
}

/// Removes the oldest entries until the folder holds at most `max_bytes`.
fn prune(folder: &Path, max_bytes: u64) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|e| e.metadata().ok().map(|m| (m.modified().ok(), m.len(), e.path())))
        .collect();
    entries.sort();
    let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, bytes, path) in entries {
        if total <= max_bytes {
            break;
        }
        if fs::remove_file(path).is_ok() {
            total -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> CacheEntry {
        let image =
            |side: u32| Image { name: side.to_string(), width: side, height: 2, rgba: vec![9; side as usize * 8] };
        let images = [1, 3].map(|side| Arc::new(image(side))).to_vec();
        CacheEntry { sources: Vec::new(), result: Ok(Model { name: "a".into(), images, ..Model::default() }) }
    }

    fn bytes_of(entry: &CacheEntry) -> Vec<u8> {
        entry.written().unwrap().parts().concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<CacheEntry> {
        let (header, mut rest) = bytes.split_first_chunk::<HEADER>()?;
        CacheEntry::read(header, &mut rest, bytes.len() as u64).ok().map(|(entry, _)| entry)
    }

    #[test]
    fn any_flipped_byte_is_noticed() {
        let bytes = bytes_of(&entry());
        assert_eq!(from_bytes(&bytes), Some(entry()));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert_eq!(from_bytes(&damaged), None, "byte {at}");
        }
        assert_eq!(from_bytes(&bytes[..bytes.len() - 1]), None);
    }

    #[test]
    fn a_picture_is_in_memory_once() {
        let model = entry().result.unwrap();
        let written = CacheEntry { sources: Vec::new(), result: Ok(model.clone()) }.written().unwrap();
        assert!(written.pictures.iter().zip(&model.images).all(|(a, b)| Arc::ptr_eq(a, b)));
        let bytes = written.parts().concat();
        let (header, mut rest) = bytes.split_first_chunk::<HEADER>().unwrap();
        let (read, again) = CacheEntry::read(header, &mut rest, bytes.len() as u64).unwrap();
        assert!(again.pictures.iter().zip(&read.result.unwrap().images).all(|(a, b)| Arc::ptr_eq(a, b)));
        assert_eq!(again.parts().concat(), bytes);
    }

    #[test]
    fn changed_sources_and_contents_miss() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("m.gltf");
        let side = folder.path().join("m.bin");
        fs::write(&model, b"content").unwrap();
        fs::write(&side, b"one").unwrap();
        let cache = Cache::in_folder(folder.path().join("cache"));
        let entry =
            CacheEntry { sources: vec![SourceHash::read(&InsideFolder::of(folder.path()), "m.bin")], ..entry() };
        let load = |content: &[u8]| cache.load(&model, &cache.entry_path(&model, content).unwrap());
        cache.store(&cache.entry_path(&model, b"content").unwrap(), &entry.written().unwrap());
        assert!(load(b"content").is_some());
        assert!(load(b"other").is_none());
        fs::write(&side, b"two").unwrap();
        assert!(load(b"content").is_none());
    }

    #[test]
    fn entries_stored_later_are_there_once_the_cache_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("m.glb");
        fs::write(&model, b"content").unwrap();
        let cache = Cache::in_folder(folder.path().join("cache"));
        let written = entry().written().unwrap();
        let targets: Vec<PathBuf> = (0..20u8).map(|i| cache.entry_path(&model, &[i]).unwrap()).collect();
        for target in &targets {
            cache.clone().store_later(target.clone(), written.clone());
        }
        drop(cache);
        assert!(targets.iter().all(|target| fs::read(target).unwrap() == written.parts().concat()));
    }

    #[test]
    fn the_oldest_entries_go_first() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name), [0; 100]).unwrap();
        }
        prune(folder.path(), 250);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
