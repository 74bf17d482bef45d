//! Clicks in the viewport that wait for the device to say which instance is drawn there.
//!
//! Without a renderer the ray of [`super::pick`] answers at once. It also finds the instance under the cursor in every frame:
//! it costs no drawing there, and what it says is not a frame behind the cursor.

use crate::ids::{Arena, kind};
use crate::render::{Picked, Renderer};
use crate::scene::SceneInstance;
use crate::ui::ViewportInput;
use std::collections::VecDeque;
use std::sync::Arc;

/// The instances of a scene.
pub(super) type Instances = Arena<kind::Instance, Arc<SceneInstance>>;

/// A click and how far its answer is.
pub(super) struct PickRequest {
    at_px: [u32; 2],
    pub(super) input: ViewportInput,
    /// The instances when the click was made, since slots are reused. None once another scene was opened.
    pub(super) instances: Option<Instances>,
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

    /// Adds a click: a pixel of the picture, and the instances that are there.
    pub(super) fn push(&mut self, at_px: [u32; 2], input: &ViewportInput, instances: &Instances) {
        let instances = Some(instances.clone());
        self.0.push_back(PickRequest { at_px, input: *input, instances, state: PickState::Waiting });
    }

    /// The oldest click, once its answer is there.
    pub(super) fn take(&mut self) -> Option<(PickRequest, Option<Picked>)> {
        let mut request = self.0.pop_front_if(|request| matches!(request.state, PickState::Answered(_)))?;
        match std::mem::replace(&mut request.state, PickState::Waiting) {
            PickState::Answered(picked) => Some((request, picked)),
            PickState::Waiting | PickState::Drawn => None,
        }
    }
}
