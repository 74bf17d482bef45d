//! Names of bones in the picture, and the clip that the player shows.

use super::state::App;
use crate::sim::pose::model_from_node;
use crate::ui::BoneLabel;
use crate::ui::dock::Panel;
use glam::Vec2;

impl App {
    /// Hands what the player shows to the simulation; nothing while its panel is hidden.
    pub(super) fn preview(&mut self) {
        let wanted = if self.shows_animation() { self.ui.animation.preview() } else { None };
        self.world.preview(wanted);
    }

    fn shows_animation(&self) -> bool {
        self.ui.shows(Panel::Animation)
    }

    /// The names of the bones of the instance that shows the model, where they are in the viewport.
    pub(super) fn bone_labels(&self) -> Vec<BoneLabel> {
        let animation = &self.ui.animation;
        if !self.shows_animation() || !(animation.shows_bone_names() || animation.bone.is_some()) {
            return Vec::new();
        }
        self.labels_of_bones().unwrap_or_default()
    }

    fn labels_of_bones(&self) -> Option<Vec<BoneLabel>> {
        let animation = &self.ui.animation;
        let (id, view) = (animation.shown_on?, self.viewport.view?);
        let (instance, live) = (self.scene.instances.get(id)?, self.world.live(id)?);
        let entry = self.scene.models.get(instance.model_id()?)?;
        let (_, model) = self.assets.by_file(entry)?;
        let alpha = self.clock.alpha();
        let mut overrides = Vec::new();
        self.world.overrides(id, alpha, &mut overrides);
        let placed = super::pick::placed(&self.scene, &self.assets, instance, live, alpha).0;
        let nodes = model_from_node(model, live, &overrides, alpha);
        let label = |(bone, node): (usize, &glam::Mat4)| {
            let chosen = animation.bone == Some(bone as u32);
            let at = view.project(placed.transform_point3(node.w_axis.truncate()), Vec2::ONE)?;
            let inside = at.cmpge(Vec2::ZERO).all() && at.cmple(Vec2::ONE).all();
            let name = model.skeleton.names.get(bone)?.clone();
            (inside && (animation.shows_bone_names() || chosen)).then_some(BoneLabel {
                at: at.to_array(),
                name,
                chosen,
            })
        };
        Some(nodes.iter().enumerate().filter_map(label).collect())
    }
}
