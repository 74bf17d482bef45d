//! Clip edits: what an animator does to a clip before it is used. The clip itself is changed, or a copy under a name of
//! its own that follows all other clips.
//!
//! An edit applies in this order: trim, mirror, root track, loop blend.

use super::clip_compression::clip_size;
use super::clip_mirror::mirrored;
use super::clip_trim::{close_loop, trimmed};
use super::humanoid::{Humanoid, Rig};
use super::root_extraction::take_out_root;
use super::root_track::RootTrack;
use super::{Clip, Model};
use std::hash::{Hash, Hasher};

/// How warnings about edits that cannot be made begin.
const NOT_EDITED: &str = "edits no clip";
/// Most memory of the keys of a model's clips with the copies that edits make, bytes.
const MAX_BYTES: usize = 512 << 20;

/// An edit of one clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipEdit {
    /// The clip by position among the model's own, those of other files and the copies of earlier edits.
    pub clip: u32,
    /// Name of the copy that is changed; empty where the clip itself is.
    pub copy_name: String,
    /// Whether left and right change places.
    pub is_mirrored: bool,
    /// Where it begins, seconds of the clip; finite, at least 0.
    pub start_secs: f32,
    /// Where it ends, seconds of the clip; its end where there is none. Finite.
    pub end_secs: Option<f32>,
    /// Whether the way and the turns over the ground are taken out of the pose, into a root track.
    pub has_root_track: bool,
    /// Length of the part at the end over which the pose turns into that of the start, seconds; 0 for none. Finite.
    pub loop_blend_secs: f32,
}

impl Eq for ClipEdit {}

impl Hash for ClipEdit {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.clip, &self.copy_name, self.is_mirrored, self.has_root_track).hash(state);
        (self.start_secs.to_bits(), self.end_secs.map(f32::to_bits), self.loop_blend_secs.to_bits()).hash(state);
    }
}

impl ClipEdit {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self { clip: self.clip, ..Self::default() }
    }

    /// Whether a warning of a model is about an edit.
    pub fn is_warning(text: &str) -> bool {
        text.starts_with(NOT_EDITED)
    }

    /// Makes edits in their order on a model, whose human body is `body` where it has one. What cannot be done is a
    /// warning of the model.
    pub fn apply_all(edits: &[Self], model: &mut Model, body: Option<&Humanoid>) {
        let mut bytes = model.clips.iter().map(|clip| clip_size(clip).1).sum();
        edits.iter().for_each(|edit| edit.apply(model, body, &mut bytes));
    }

    /// Makes the edit; `bytes` is the memory of the keys of all clips.
    fn apply(&self, model: &mut Model, body: Option<&Humanoid>, bytes: &mut usize) {
        let Some(clip) = model.clips.get(self.clip as usize) else {
            let count = model.clips.len();
            return model.warnings.push(format!("{NOT_EDITED} {}: it has {count} clips, counted from 0", self.clip));
        };
        if !self.copy_name.is_empty() && *bytes + clip_size(clip).1 > MAX_BYTES {
            let text = format!("{NOT_EDITED} {}: with a copy of it all clips would take more than 512 MB", self.clip);
            return model.warnings.push(text);
        }
        let end_secs = self.end_secs.unwrap_or(clip.duration_secs).min(clip.duration_secs);
        let mut edited = clip.clone();
        let mut track = model.root_track(self.clip as usize).cloned();
        if self.start_secs > 0.0 || end_secs < clip.duration_secs {
            if self.start_secs >= end_secs {
                let text = format!("{NOT_EDITED} {}: it starts at {} s, after its end", self.clip, self.start_secs);
                return model.warnings.push(text);
            }
            edited = trimmed(&edited, [self.start_secs, end_secs]);
            track = track.map(|track| track.trimmed([self.start_secs, end_secs]));
        }
        if self.is_mirrored {
            edited = mirrored(model, body, &edited);
            track = track.map(|track| track.mirrored());
        }
        if self.has_root_track && track.is_none() {
            match Self::extract(model, body, &edited) {
                Ok(Some((on_the_spot, root))) => (edited, track) = (on_the_spot, Some(root)),
                Ok(None) => {}
                Err(reason) => model.warnings.push(format!("{NOT_EDITED} {}: {reason}", self.clip)),
            }
        }
        if self.loop_blend_secs > 0.0 {
            close_loop(&model.skeleton, &mut edited, self.loop_blend_secs);
        }
        let replaced = if self.copy_name.is_empty() { clip_size(&model.clips[self.clip as usize]).1 } else { 0 };
        *bytes = *bytes + clip_size(&edited).1 - replaced;
        self.place(model, edited, track);
    }

    fn extract(model: &Model, body: Option<&Humanoid>, clip: &Clip) -> Result<Option<(Clip, RootTrack)>, &'static str> {
        let body = body.ok_or("its way is not taken out, for the names of its nodes tell no human body")?;
        let rig = Rig::of(model, body).ok_or("its way is not taken out, for its legs have no length")?;
        Ok(take_out_root(&rig, clip))
    }

    /// Puts the edited clip in its place.
    fn place(&self, model: &mut Model, edited: Clip, track: Option<RootTrack>) {
        let at = if self.copy_name.is_empty() {
            model.clips[self.clip as usize] = edited;
            self.clip as usize
        } else {
            model.clips.push(Clip { name: self.copy_name.clone(), ..edited });
            model.clips.len() - 1
        };
        if track.is_some() || model.root_track(at).is_some() {
            model.root_tracks.resize(model.clips.len().max(model.root_tracks.len()), None);
            model.root_tracks[at] = track;
        }
    }
}
