//! Selects by clicks in the viewport: by the device's answers, or without a renderer by a ray.

use super::pick;
use super::pick_queue::Instances;
use super::state::App;
use crate::ids::InstanceId;
use crate::render::{Picked, pick_number};
use crate::ui::{Mode, ViewportInput};
use glam::Vec2;

impl App {
    /// Selects the instance drawn at a point of the viewport, `at` of `size` pixels, once the device has answered.
    pub(super) fn select_at(&mut self, at: Vec2, size: Vec2, input: &ViewportInput) {
        let Some(view) = self.viewport.view else { return };
        if let Some(camera) = self.camera_at(at, size) {
            return self.select_camera(camera);
        }
        if self.viewport.renderer.is_none() {
            let found = pick::instance_at(&self.stage(), &view, at, size);
            return self.select_found(found, input);
        }
        let last = (size - 1.0).max(Vec2::ZERO);
        let at_px = at.clamp(Vec2::ZERO, last).as_uvec2().to_array();
        self.pick_queue.push(at_px, input, &self.scene.instances);
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
        let (view, size) = (self.viewport.view?, self.viewport.size());
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
