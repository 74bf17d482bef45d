//! The clips of a model beyond those in its file: taken from other files, edited, compressed.

use super::clip_compression::compress_clips;
use super::clip_edit::ClipEdit;
use super::human_bone::BoneNames;
use super::humanoid::Humanoid;
use super::retarget::{Travel, add_clips, is_motion};
use super::root_extraction::take_out_roots;
use super::{AssetError, Model};
use std::path::Path;

/// How warnings about clips that are not played begin.
const NO_CLIPS: &str = "plays no clips of";

/// A file whose clips another model plays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClipSource {
    /// Its name, relative to the scene's root.
    pub file: String,
    /// Bones of the body in that file.
    pub bones: BoneNames,
}

/// The files whose clips a model plays besides its own, retargeted to its body, and what is done to its clips before
/// they are used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClipSources {
    /// In the order in which their clips follow the model's own.
    pub files: Vec<ClipSource>,
    /// Bones of the model's own body.
    pub bones: BoneNames,
    /// Whether clips that travel or turn play on the spot, and their root tracks are kept, for motion matching.
    pub root_tracks: bool,
    /// Edits of clips, in their order.
    pub edits: Vec<ClipEdit>,
    /// How far compression may move a point near a joint, thousandths of a millimetre; 0 keeps all keys.
    pub tolerance_um: u32,
}

impl ClipSources {
    /// None.
    pub const NONE: &Self =
        &Self { files: Vec::new(), bones: BoneNames::new(), root_tracks: false, edits: Vec::new(), tolerance_um: 0 };

    /// The same with the paths of their files below a root.
    pub fn below(&self, root: &Path) -> Self {
        let resolved = |source: &ClipSource| ClipSource {
            file: root.join(&source.file).to_string_lossy().into_owned(),
            bones: source.bones.clone(),
        };
        Self { files: self.files.iter().map(resolved).collect(), ..self.clone() }
    }

    /// Whether one of the files has this path.
    pub fn has(&self, path: &Path) -> bool {
        self.files.iter().any(|source| Path::new(&source.file) == path)
    }

    /// Whether a warning of a model is about clips that it does not play.
    pub fn is_warning(text: &str) -> bool {
        text.starts_with(NO_CLIPS)
    }

    /// Adds the clips of all files to a model, edits and compresses them. What stands in the way is a warning of the
    /// model: it can be drawn without.
    pub fn add_to(&self, model: &mut Model, load: impl Fn(&Path) -> Result<Model, AssetError>) {
        let needs_body = !self.files.is_empty() || self.root_tracks || !self.edits.is_empty();
        let body = if needs_body { Humanoid::of(model, &self.bones) } else { None };
        if body.is_none() && (!self.files.is_empty() || self.root_tracks) {
            let which = if self.files.is_empty() { "its own by motion matching" } else { "other files" };
            let text = format!("{NO_CLIPS} {which}: the names of its nodes tell no human body; name its bones");
            model.warnings.push(text);
        }
        if let Some(body) = &body {
            self.add_files(model, body, load);
        }
        if !self.edits.is_empty() {
            model.keep_speeds();
        }
        let with_root_track =
            |edit: &ClipEdit| ClipEdit { has_root_track: edit.has_root_track || self.root_tracks, ..edit.clone() };
        let edits: Vec<ClipEdit> = self.edits.iter().map(with_root_track).collect();
        ClipEdit::apply_all(&edits, model, body.as_ref());
        if let Some(body) = body.filter(|_| self.root_tracks) {
            take_out_roots(model, &body);
        }
        if self.tolerance_um > 0 {
            model.compression = compress_clips(model, self.tolerance_um as f32 * 1e-3);
        }
    }

    fn add_files(&self, model: &mut Model, body: &Humanoid, load: impl Fn(&Path) -> Result<Model, AssetError>) {
        let travel = if self.root_tracks { Travel::Kept } else { Travel::OnTheSpot };
        for source in &self.files {
            let file = Path::new(&source.file);
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let from = match load(file) {
                Ok(from) => from,
                Err(error) => {
                    model.warnings.push(format!("{NO_CLIPS} {name}: {error}"));
                    continue;
                }
            };
            let Some(other) = Humanoid::of(&from, &source.bones) else {
                model.warnings.push(format!("{NO_CLIPS} {name}: the names of its nodes tell no human body"));
                continue;
            };
            // Speeds of clips keep their meaning when another file is added.
            if model.clips.iter().any(is_motion) {
                model.keep_speeds();
            }
            match add_clips(model, body, &from, &other, travel) {
                Ok(0) => model.warnings.push(format!("{NO_CLIPS} {name}: it has none that move a body")),
                Ok(_) => {}
                Err(error) => model.warnings.push(format!("{NO_CLIPS} {name}: {error}")),
            }
        }
    }
}
