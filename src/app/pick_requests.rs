//! Clicks in the viewport that wait for the device to say which instance is drawn there.
//!
//! Without a renderer the ray of [`super::pick`] answers at once. It also finds the instance under the cursor in every frame:
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
struct PickRequest {
    at_px: [u32; 2],
    input: ViewportInput,
    /// The instances when the click was made, since slots are reused. None once another scene was opened.
    instances: Option<Instances>,
    state: PickState,
}

enum PickState {
    /// It goes along with the next frame.
    Waiting,
    /// It was drawn.
    Drawn,
    /// The answer is there; none if the device had none.
    Answered(Option<Picked>),
}

/// The clicks without an answer, the oldest first; one after the other is drawn.
#[derive(Default)]
pub(super) struct PickQueue(VecDeque<PickRequest>);

impl PickQueue {
    /// Whether some have no answer yet.
    pub(super) fn are_open(&self) -> bool {
        !self.0.is_empty()
    }

    /// What is asked of the next frame: a pixel of the picture.
    pub(super) fn requested_px(&self) -> Option<[u32; 2]> {
        self.0.front().filter(|request| matches!(request.state, PickState::Waiting)).map(|request| request.at_px)
    }

    /// Notes, after a frame was submitted, what became of the click that went along.
    pub(super) fn follow(&mut self, renderer: &mut Renderer) {
        let Some(request) = self.0.front_mut() else { return };
        let answer = renderer.take_picked();
        match request.state {
            PickState::Answered(_) => {}
            _ if answer.is_some() => request.state = PickState::Answered(answer),
            _ if renderer.is_picking() => request.state = PickState::Drawn,
            PickState::Drawn => request.state = PickState::Answered(None),
            // The frame was not drawn.
            PickState::Waiting => {}
        }
    }

    /// What was drawn on a lost device is drawn again.
    pub(super) fn forget_device(&mut self) {
        for request in &mut self.0 {
            if matches!(request.state, PickState::Drawn) {
                request.state = PickState::Waiting;
            }
        }
    }

    /// Another scene is opened: the answers still arrive, and select nothing.
    pub(super) fn forget_scene(&mut self) {
        for request in &mut self.0 {
            request.instances = None;
        }
    }

    /// The oldest click, once its answer is there.
    fn take(&mut self) -> Option<(PickRequest, Option<Picked>)> {
        let mut request = self.0.pop_front_if(|request| matches!(request.state, PickState::Answered(_)))?;
        match std::mem::replace(&mut request.state, PickState::Waiting) {
            PickState::Answered(picked) => Some((request, picked)),
            PickState::Waiting | PickState::Drawn => None,
        }
    }
}

impl App {
    /// Selects the instance drawn at a point of the viewport, `at` of `size` pixels, once the device has answered.
    pub(super) fn select_at(&mut self, at: Vec2, size: Vec2, input: &ViewportInput) {
        let Some(view) = self.viewport.view() else { return };
        if !self.viewport.has_renderer() {
            let found = pick::instance_at(&self.stage(), &view, at, size);
            return self.select_found(found, input);
        }
        let last = (size - 1.0).max(Vec2::ZERO);
        let at_px = at.clamp(Vec2::ZERO, last).as_uvec2().to_array();
        let instances = Some(self.scene.instances.clone());
        self.pick_queue.0.push_back(PickRequest { at_px, input: *input, instances, state: PickState::Waiting });
    }

    /// Selects by the answers that have arrived.
    pub(super) fn take_answers(&mut self) {
        while let Some((request, picked)) = self.pick_queue.take() {
            if let (Some(picked), Some(instances)) = (picked, &request.instances) {
                let found = self.instance_of(instances, &picked);
                self.select_found(found, &request.input);
            }
        }
    }

    /// The instance at the pixel, else one nearby that is too small in the viewport to be hit exactly.
    fn instance_of(&self, instances: &Instances, picked: &Picked) -> Option<InstanceId> {
        let of = |number: u32| {
            let id = instances.ids().find(|id| pick_number(*id) == number)?;
            self.scene.instances.contains(id).then_some(id)
        };
        if picked.at != 0 {
            return of(picked.at);
        }
        let (view, size) = (self.viewport.view()?, self.viewport.size());
        let is_small = |id: &InstanceId| pick::is_small_in_picture(&self.stage(), *id, &view, size);
        picked.beside.iter().filter_map(|number| of(*number)).find(is_small)
    }

    fn select_found(&mut self, found: Option<InstanceId>, input: &ViewportInput) {
        if found.is_some() || self.ui.mode == Mode::Edit {
            self.click_on(found, input);
        }
        // In view mode the watched instance stays watched until another is clicked.
    }
}
