//! A pose shown on one instance in place of what it does, for people who look at clips, gaits and head movements.

use super::body::Body;
use super::world::World;
use super::{STEP_SECS, walkers};
use crate::anim::Playback;
use crate::anim::legs::LegIkResult;
use crate::ids::InstanceId;

/// A moment of some clips on an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preview {
    /// Who shows it.
    pub id: InstanceId,
    /// What is shown.
    pub shows: Playback,
}

/// A preview, and what its owner would show without it.
#[derive(Clone, Debug)]
pub(super) struct Previewed {
    preview: Preview,
    kept: (Playback, LegIkResult),
}

impl World {
    /// Shows a moment of some clips, at once and after every step, until another is asked for or none. Who shows it stands
    /// still while the simulation runs. Such a run is no longer the same as one without.
    pub fn preview(&mut self, wanted: Option<Preview>) {
        let now = self.previewed.as_ref().map(|p| p.preview.id);
        if now != wanted.map(|preview| preview.id) {
            self.end_preview();
        }
        let Some((preview, i)) = wanted.and_then(|preview| Some((preview, self.index_of(preview.id)?))) else { return };
        match &mut self.previewed {
            Some(previewed) => previewed.preview = preview,
            None => {
                let motion = &self.live[i].now;
                self.previewed = Some(Previewed { preview, kept: (motion.playback, motion.feet) });
            }
        }
        self.show_preview();
    }

    /// The position in the arrays of who shows a preview.
    pub(super) fn previewing(&self) -> Option<usize> {
        self.previewed.as_ref().and_then(|p| self.index_of(p.preview.id))
    }

    /// Puts the preview in the place of what a step came to.
    pub(super) fn preview_again(&mut self) {
        let Some(i) = self.previewing() else {
            self.previewed = None;
            return;
        };
        let motion = &self.live[i].now;
        let kept = (motion.playback, motion.feet);
        if let Some(previewed) = &mut self.previewed {
            previewed.kept = kept;
        }
        self.show_preview();
    }

    fn show_preview(&mut self) {
        let Some((i, previewed)) = self.previewing().zip(self.previewed.as_ref()) else { return };
        self.show_on(i, (previewed.preview.shows, LegIkResult::default()));
    }

    fn end_preview(&mut self) {
        let i = self.previewing();
        if let Some((i, previewed)) = i.zip(self.previewed.take()) {
            self.show_on(i, previewed.kept);
        }
    }

    fn show_on(&mut self, i: usize, (playback, feet): (Playback, LegIkResult)) {
        let live = &mut self.live[i];
        for motion in [&mut live.before, &mut live.now] {
            (motion.playback, motion.feet) = (playback, feet);
        }
    }
}

/// Comes to rest.
pub(super) fn stand(body: &mut Body) {
    let Some(stride) = body.looks.stride else { return };
    match body.member {
        Some(_) => walkers::want(body, None, 0.0),
        None => body.pace.advance(&stride, None, 0.0, STEP_SECS),
    }
}
