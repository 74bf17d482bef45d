//! Notices models that come in lying, tiny, huge or far away, and mends their instances on request.

use super::state::App;
use crate::asset::fit_guess::FitGuess;
use crate::ids::ModelId;
use crate::scene::SceneInstance;
use crate::scene::edit::Edit;
use crate::ui::command::EditStep;
use crate::ui::names::{capitalized, without_extension};
use crate::ui::notices::{NoticeAction, NoticeOffer};
use std::sync::Arc;

impl App {
    fn fit_guess(&self, id: ModelId) -> Option<FitGuess> {
        let (_, file) = self.assets.by_file(self.scene.models.get(id)?)?;
        FitGuess::of(file)
    }

    /// Says what is strange about a model that has just come in, with a button that mends it.
    pub(super) fn note_fit(&mut self, id: ModelId) {
        let (Some(fit), Some(model)) = (self.fit_guess(id), self.scene.models.get(id)) else { return };
        let text = format!("{} {}.", without_extension(&model.name), fit.problems());
        let action = NoticeAction::FitModel(id);
        self.notices.offer(text, NoticeOffer { label: capitalized(&fit.remedies()), action });
    }

    /// Scales, turns and moves all instances of a model as it was most likely meant, in one step.
    pub(super) fn fit_model(&mut self, id: ModelId) {
        let (Some(fit), Some(model)) = (self.fit_guess(id), self.scene.models.get(id)) else { return };
        let name = format!("fit {}", without_extension(&model.name));
        let of_model = self.scene.instances.iter().filter(|(_, instance)| instance.model_id() == Some(id));
        let edits = of_model.map(|(id, instance)| {
            let mut to = fitted(instance, &fit);
            // It goes on standing where it stands; the shift brings its base there, without its height.
            let height = if fit.distance > 0.0 { 0.0 } else { self.origin_height(&to) };
            to.position.y += height - self.origin_height(instance);
            Edit::SetInstance { id, to: Arc::new(to) }
        });
        let edit = Edit::Many(edits.collect());
        self.edit(EditStep { name, edit, merge: None });
    }
}

fn fitted(instance: &SceneInstance, fit: &FitGuess) -> SceneInstance {
    let mut to = instance.clone();
    to.scale *= fit.scale;
    to.swap_axes |= fit.is_lying;
    to.position += to.world_from_model().transform_vector3(fit.shift);
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn a_model_far_away_comes_to_its_instance() {
        let fit = FitGuess { size: 2.0, scale: 0.5, is_lying: true, distance: 9.0, shift: Vec3::new(0.0, 0.0, -8.0) };
        let to = fitted(&SceneInstance { position: Vec3::X, ..SceneInstance::default() }, &fit);
        assert!(to.world_from_model().transform_point3(-fit.shift).abs_diff_eq(Vec3::X, 1e-5));
        assert_eq!((to.scale, to.swap_axes), (0.5, true));
    }
}
