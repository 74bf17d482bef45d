//! Clicks in the picture that wait for the device to say who is drawn where they went.
//!
//! Without a renderer the ray of [`super::pick`] answers at once. It also finds who is under the cursor in every frame:
//! it costs no drawing there, and what it says is not a frame behind the cursor.

use super::{App, pick};
use crate::ids::{Arena, InstanceId, kind};
use crate::render::{Picked, Renderer, pick_number};
use crate::scene::SceneInstance;
use crate::ui::{Mode, ViewportInput};
use glam::Vec2;
use std::collections::VecDeque;
use std::sync::Arc;

type Instances = Arena<kind::Instance, Arc<SceneInstance>>;

/// A click and how far its answer is.
struct Asked {
    at_px: [u32; 2],
    input: ViewportInput,
    /// Those whom the numbers mean: slots are used again. Nothing when another scene was opened meanwhile.
    instances: Option<Instances>,
    state: State,
}

enum State {
    /// It goes along with the next frame.
    Waiting,
    /// It was drawn.
    Drawn,
    /// The answer is there; none if the device had none.
    Answered(Option<Picked>),
}

/// The clicks without an answer, the oldest first; one after the other is drawn.
#[derive(Default)]
pub(super) struct Clicks(VecDeque<Asked>);

impl Clicks {
    /// Whether some have no answer yet.
    pub(super) fn are_open(&self) -> bool {
        !self.0.is_empty()
    }

    /// What is asked of the next frame: a pixel of the picture.
    pub(super) fn asked_px(&self) -> Option<[u32; 2]> {
        self.0.front().filter(|asked| matches!(asked.state, State::Waiting)).map(|asked| asked.at_px)
    }

    /// Notes, after a frame was submitted, what became of the click that went along.
    pub(super) fn follow(&mut self, renderer: &mut Renderer) {
        let Some(asked) = self.0.front_mut() else { return };
        let answer = renderer.take_picked();
        match asked.state {
            State::Answered(_) => {}
            _ if answer.is_some() => asked.state = State::Answered(answer),
            _ if renderer.is_picking() => asked.state = State::Drawn,
            State::Drawn => asked.state = State::Answered(None),
            // The frame was not drawn.
            State::Waiting => {}
        }
    }

    /// What was drawn on a lost device is drawn again.
    pub(super) fn forget_device(&mut self) {
        for asked in &mut self.0 {
            if matches!(asked.state, State::Drawn) {
                asked.state = State::Waiting;
            }
        }
    }

    /// Another scene is opened: the answers still arrive, and mean nobody.
    pub(super) fn forget_scene(&mut self) {
        for asked in &mut self.0 {
            asked.instances = None;
        }
    }

    /// The oldest click, once its answer is there.
    fn take(&mut self) -> Option<(Asked, Option<Picked>)> {
        let mut asked = self.0.pop_front_if(|asked| matches!(asked.state, State::Answered(_)))?;
        match std::mem::replace(&mut asked.state, State::Waiting) {
            State::Answered(picked) => Some((asked, picked)),
            State::Waiting | State::Drawn => None,
        }
    }
}

impl App {
    /// Selects who is drawn at a point of the picture, `at` of `size` pixels: when the device has said who that is.
    pub(super) fn select_at(&mut self, at: Vec2, size: Vec2, input: &ViewportInput) {
        let Some(view) = self.picture.view() else { return };
        if !self.picture.has_renderer() {
            let found = pick::instance_at(&self.stage(), &view, at, size);
            return self.select_found(found, input);
        }
        let last = (size - 1.0).max(Vec2::ZERO);
        let at_px = at.clamp(Vec2::ZERO, last).as_uvec2().to_array();
        let instances = Some(self.scene.instances.clone());
        self.clicks.0.push_back(Asked { at_px, input: *input, instances, state: State::Waiting });
    }

    /// Selects by the answers that have arrived.
    pub(super) fn take_answers(&mut self) {
        while let Some((asked, picked)) = self.clicks.take() {
            if let (Some(picked), Some(instances)) = (picked, &asked.instances) {
                let found = self.instance_of(instances, &picked);
                self.select_found(found, &asked.input);
            }
        }
    }

    /// Who is meant: the one at the pixel, or else one nearby who is too small in the picture to be met exactly.
    fn instance_of(&self, instances: &Instances, picked: &Picked) -> Option<InstanceId> {
        let of = |number: u32| {
            let id = instances.ids().find(|id| pick_number(*id) == number)?;
            self.scene.instances.contains(id).then_some(id)
        };
        if picked.at != 0 {
            return of(picked.at);
        }
        let (view, size) = (self.picture.view()?, self.picture.size());
        let is_small = |id: &InstanceId| pick::is_small_in_picture(&self.stage(), *id, &view, size);
        picked.beside.iter().filter_map(|number| of(*number)).find(is_small)
    }

    fn select_found(&mut self, found: Option<InstanceId>, input: &ViewportInput) {
        if found.is_some() || self.ui.mode == Mode::Edit {
            self.click_on(found, input);
        }
        // In view mode who is watched stays so until somebody else is clicked.
    }
}
