//! Pictures of the model files that can be put into the scene: which there are, and what each looks like, one after the
//! other while the panel of the assets is on screen.
//!
//! A picture is kept beside the imported model in the cache, under the same key, so that it is there at once in the next
//! run.

use super::export_job::write_png;
use crate::asset::cache::Cache;
use crate::asset::import;
use crate::asset::{Image, Model, load_model};
use crate::disk::{files_below, has_extension, read, stem_of};
use crate::gpu::GpuContext;
use crate::render::Renderer;
use crate::render::thumbnail::{EDGE_PX, Thumbnail};
use crate::ui::assets::{AssetFile, ThumbnailState};
use crate::ui::dialogs::MODEL_EXTENSIONS;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant, SystemTime};

/// Most files whose pictures are made, 74 MB of them: others are listed by their names alone.
const MAX_PICTURES: usize = 500;
/// How deep folders are looked through.
const MAX_FOLDER_DEPTH: u32 = 4;
/// Most entries of folders that are looked at.
const MAX_ENTRIES: usize = 20_000;
/// Largest kept picture that is read, bytes.
const MAX_PICTURE_BYTES: u64 = 1 << 20;
/// Time between looks at the folders.
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// What the work in the background found about one file.
enum ThumbnailSource {
    /// Its picture from the cache.
    Picture(Image),
    /// The model, of which a picture is to be drawn and kept in this file.
    Model(Box<Model>, Option<PathBuf>),
    /// Why there is none.
    Failed(String),
}

/// A model file, and when it was last changed; `None` where the system does not tell.
type FoundFile = (PathBuf, Option<SystemTime>);

/// What is under way.
enum ThumbnailJob {
    Loading(PathBuf, Receiver<ThumbnailSource>),
    Drawing(PathBuf, Box<Model>, Option<PathBuf>),
    Arriving(PathBuf, Thumbnail, Option<PathBuf>),
}

impl ThumbnailJob {
    /// The file that it is about.
    fn path(&self) -> &Path {
        let (Self::Loading(path, _) | Self::Drawing(path, ..) | Self::Arriving(path, ..)) = self;
        path
    }
}

/// The model files and their pictures.
#[derive(Default)]
pub struct Thumbnails {
    files: Vec<AssetFile>,
    folders: BTreeSet<PathBuf>,
    scan: Option<Receiver<Vec<FoundFile>>>,
    scanned: Option<Instant>,
    work: Option<ThumbnailJob>,
}

impl Thumbnails {
    /// The files in the order of their names.
    pub(super) fn files(&self) -> &[AssetFile] {
        &self.files
    }

    /// Whether something is under way.
    pub(super) fn is_busy(&self) -> bool {
        self.scan.is_some() || self.work.is_some()
    }

    /// Whether every file that was found has its picture, or the reason why it has none.
    pub(super) fn is_complete(&self) -> bool {
        self.scanned.is_some()
            && !self.is_busy()
            && !self.files.iter().any(|file| matches!(file.look, ThumbnailState::Waiting))
    }

    /// What was on its way from a lost device begins anew.
    pub(super) fn forget_device(&mut self) {
        if let Some(ThumbnailJob::Arriving(..)) = &self.work {
            self.work = None;
        }
    }

    /// Looks through the folders now and then, and takes in what was found.
    pub(super) fn scan(&mut self, folders: BTreeSet<PathBuf>) {
        if let Some(scan) = &self.scan {
            match scan.try_recv() {
                Ok(found) => self.take_files(found),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {}
            }
            self.scan = None;
            return;
        }
        let recent = self.scanned.is_some_and(|when| when.elapsed() < LOOK_AGAIN);
        if recent && folders == self.folders {
            return;
        }
        (self.folders, self.scanned) = (folders.clone(), Some(Instant::now()));
        let (send, receive) = channel();
        std::thread::spawn(move || {
            // There is no receiver any more when the program ends.
            let _ = send.send(dated(model_files(&folders)));
        });
        self.scan = Some(receive);
    }

    fn take_files(&mut self, found: Vec<FoundFile>) {
        let times = |path: &Path| {
            let before = self.files.iter().find(|file| file.path == path)?.changed;
            let now = found.iter().find(|file| file.0 == path)?.1;
            Some((before, now))
        };
        // What is under way for a file that has changed since would show it as it was.
        if self.work.as_ref().and_then(|work| times(work.path())).is_some_and(|(before, now)| before != now) {
            self.work = None;
        }
        let known = |file: AssetFile| (file.path.clone(), file);
        let is_looked_at = |file: &AssetFile| !matches!(file.look, ThumbnailState::NotMade);
        let mut before: HashMap<_, _> = self.files.drain(..).filter(is_looked_at).map(known).collect();
        let file = |(place, (path, changed)): (usize, FoundFile)| {
            let look = || if place < MAX_PICTURES { ThumbnailState::Waiting } else { ThumbnailState::NotMade };
            let old = before.remove(&path).filter(|file| file.changed == changed);
            old.unwrap_or_else(|| AssetFile { name: stem_of(&path), changed, path, look: look() })
        };
        self.files = found.into_iter().enumerate().map(file).collect();
    }

    /// Goes on with the picture that is under way, or begins the next.
    pub(super) fn work(&mut self, ctx: &egui::Context) {
        match self.work.take() {
            None => {
                let next = self.files.iter().find(|file| matches!(file.look, ThumbnailState::Waiting));
                self.work = next.map(|file| {
                    let (path, (send, receive)) = (file.path.clone(), channel());
                    let of = path.clone();
                    std::thread::spawn(move || {
                        let _ = send.send(look(&of));
                    });
                    ThumbnailJob::Loading(path, receive)
                });
            }
            Some(ThumbnailJob::Loading(path, receive)) => match receive.try_recv() {
                Ok(ThumbnailSource::Picture(image)) => self.show(&path, &image, ctx),
                Ok(ThumbnailSource::Model(model, keep)) => self.work = Some(ThumbnailJob::Drawing(path, model, keep)),
                Ok(ThumbnailSource::Failed(why)) => self.set(&path, ThumbnailState::Failed(why)),
                Err(TryRecvError::Empty) => self.work = Some(ThumbnailJob::Loading(path, receive)),
                Err(TryRecvError::Disconnected) => {
                    self.set(&path, ThumbnailState::Failed("Reading it ended without a word.".into()));
                }
            },
            // Waits for the device.
            other => self.work = other,
        }
    }

    fn set(&mut self, path: &Path, look: ThumbnailState) {
        if let Some(file) = self.files.iter_mut().find(|file| file.path == path) {
            file.look = look;
        }
    }

    fn show(&mut self, path: &Path, image: &Image, ctx: &egui::Context) {
        let size = [image.width as usize, image.height as usize];
        let pixels = egui::ColorImage::from_rgba_unmultiplied(size, &image.rgba);
        let name = format!("model {}", path.display());
        self.set(path, ThumbnailState::Picture(ctx.load_texture(name, pixels, egui::TextureOptions::LINEAR)));
    }

    /// Draws what waits for the device, and takes in what has arrived from it.
    pub(super) fn draw(&mut self, gpu: &GpuContext, renderer: &mut Renderer, ctx: Option<&egui::Context>) {
        match self.work.take() {
            Some(ThumbnailJob::Drawing(path, model, keep)) => match Thumbnail::draw(renderer, gpu, *model) {
                Ok(thumbnail) => self.work = Some(ThumbnailJob::Arriving(path, thumbnail, keep)),
                Err(error) => self.set(&path, ThumbnailState::Failed(error.to_string())),
            },
            Some(ThumbnailJob::Arriving(path, mut thumbnail, keep)) => match (thumbnail.collect(&gpu.device), ctx) {
                (Some(image), Some(ctx)) => {
                    self.show(&path, &image, ctx);
                    if let Some(keep) = keep {
                        std::thread::spawn(move || store(&keep, &image));
                    }
                }
                _ => self.work = Some(ThumbnailJob::Arriving(path, thumbnail, keep)),
            },
            other => self.work = other,
        }
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

/// Files with the times of their last changes.
fn dated(files: Vec<PathBuf>) -> Vec<FoundFile> {
    let dated = |path: PathBuf| {
        let changed = changed(&path);
        (path, changed)
    };
    files.into_iter().map(dated).collect()
}

/// The model files below some folders, by name.
fn model_files(folders: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let mut found = files_below(folders.iter().cloned(), MAX_FOLDER_DEPTH, MAX_ENTRIES);
    found.retain(|path| has_extension(path, MODEL_EXTENSIONS));
    found.sort_by_key(|path| (path.file_name().map(|name| name.to_string_lossy().to_lowercase()), path.clone()));
    found.dedup();
    found
}

/// What a file looks like: from the cache, or else the model to draw.
fn look(path: &Path) -> ThumbnailSource {
    let content = match import::read_file(path) {
        Ok(content) => content,
        Err(error) => return ThumbnailSource::Failed(error.to_string()),
    };
    let entry = Cache::of_user().entry_path(path, &content);
    let keep = entry.as_ref().map(|entry| entry.with_extension("png"));
    // An entry that was made anew since tells that a file beside the model has changed.
    let newer = || Some(changed(keep.as_deref()?)? >= changed(entry.as_deref()?)?);
    if let Some(image) = keep.as_deref().filter(|_| newer() == Some(true)).and_then(stored) {
        return ThumbnailSource::Picture(image);
    }
    match load_model(path) {
        Ok(model) => ThumbnailSource::Model(Box::new(model), keep),
        Err(error) => ThumbnailSource::Failed(error.to_string()),
    }
}

fn stored(path: &Path) -> Option<Image> {
    let picture = image::load_from_memory(&read(path, MAX_PICTURE_BYTES).ok()?).ok()?.to_rgba8();
    let (width, height) = picture.dimensions();
    (width == EDGE_PX && height == EDGE_PX).then(|| Image {
        name: "thumbnail".into(),
        width,
        height,
        rgba: picture.into_raw(),
    })
}

/// Keeps a picture. Failing to do so costs time alone.
fn store(path: &Path, image: &Image) {
    if let Err(error) = write_png(path, image) {
        tracing::debug!("picture of a model not kept: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_files_are_found_and_thumbnails_outlive_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(folder.path().join(".hidden")).unwrap();
        for name in ["z.glb", "a/b/House.OBJ", "a/note.txt", ".hidden/h.glb"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let found = model_files(&BTreeSet::from([folder.path().to_path_buf()]));
        assert_eq!(found, [deep.join("House.OBJ"), folder.path().join("z.glb")]);
        let mut thumbs = Thumbnails::default();
        thumbs.take_files(dated(found.clone()));
        thumbs.set(&found[0], ThumbnailState::Failed("broken".into()));
        thumbs.take_files(dated(found));
        assert!(matches!(thumbs.files()[0].look, ThumbnailState::Failed(_)), "what is known stays known");
        assert!(matches!(thumbs.files()[1].look, ThumbnailState::Waiting));

        let many = (0..MAX_PICTURES + 2).map(|i| (PathBuf::from(format!("{i}.glb")), None)).collect();
        thumbs.take_files(many);
        let is_listed_alone = |file: &&AssetFile| matches!(file.look, ThumbnailState::NotMade);
        assert_eq!(thumbs.files().iter().filter(is_listed_alone).count(), 2, "all are listed");
        thumbs.take_files(vec![(format!("{MAX_PICTURES}.glb").into(), None)]);
        assert!(matches!(thumbs.files()[0].look, ThumbnailState::Waiting), "now there is room for its picture");

        let path = PathBuf::from(format!("{MAX_PICTURES}.glb"));
        for (time, is_under_way) in [(None, true), (Some(SystemTime::UNIX_EPOCH), false)] {
            thumbs.work = Some(ThumbnailJob::Loading(path.clone(), channel().1));
            thumbs.take_files(vec![(path.clone(), time)]);
            assert_eq!(thumbs.work.is_some(), is_under_way, "a file that has changed is read again");
        }

        let kept = folder.path().join("kept.png");
        let rgba = vec![7; (EDGE_PX * EDGE_PX * 4) as usize];
        let image = Image { name: "thumbnail".into(), width: EDGE_PX, height: EDGE_PX, rgba };
        store(&kept, &image);
        assert_eq!(stored(&kept).map(|image| image.rgba), Some(image.rgba));
        std::fs::write(&kept, "torn").unwrap();
        assert!(stored(&kept).is_none());
    }

    #[test]
    fn a_file_that_is_no_model_says_why() {
        let folder = tempfile::tempdir().unwrap();
        assert!(
            matches!(look(&folder.path().join("gone.glb")), ThumbnailSource::Failed(why) if why.contains("cannot be read"))
        );
    }
}
