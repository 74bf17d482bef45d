//! Overlay of the selected character's interaction.

use super::context::OverlayContext;
use crate::debug::{DebugDraw, Layer, shapes};
use crate::math::angle;
use crate::sim::InteractionView;
use glam::{Quat, Vec3};

/// Box in which partners are sought.
const REACH: [f32; 4] = [0.3, 0.9, 1.0, 0.6];
/// Edges of the field of view.
const VIEW: [f32; 4] = [0.3, 0.9, 1.0, 0.9];
/// Those in reach.
const NEAR: [f32; 4] = [1.0, 0.85, 0.2, 0.9];
/// The one that would answer.
const PARTNER: [f32; 4] = [0.3, 1.0, 0.4, 1.0];

/// What the selected instance would reach, if `layer` is wanted.
fn seen(context: &OverlayContext<'_>, d: &DebugDraw, layer: Layer) -> Option<InteractionView> {
    let id = context.selection.instance.filter(|_| d.wants(layer))?;
    context.world.interaction_view(id, &context.scene.settings)
}

/// Half the height of the instance that looks.
fn eye(view: &InteractionView) -> Vec3 {
    let me = &view.viewer;
    me.position + Vec3::Y * (me.bounds.max.y - me.position.y).max(0.0) * 0.5
}

/// The range of the selected instance: the box in which partners are sought, the circle within which none answers.
pub(super) fn range(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let Some(view) = seen(context, d, Layer::Interaction) else { return };
    shapes::aabb(d, Layer::Interaction, &view.rule.reach(view.viewer.position), REACH);
    shapes::circle(d, Layer::Interaction, eye(&view), view.rule.min_range, 32, REACH);
}

/// The edges of the selected instance's field of view.
pub(super) fn view(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let Some(view) = seen(context, d, Layer::InteractionView) else { return };
    let (eye, rule) = (eye(&view), view.rule);
    let ahead = angle::direction_of_yaw(view.viewer.yaw_rad) * (rule.max_range * 0.5);
    for side in [-1.0, 1.0] {
        d.line(Layer::InteractionView, eye, eye + Quat::from_rotation_y(rule.fov_rad * side) * ahead, VIEW);
    }
}

/// The characters in reach of the selected instance, and the one that would answer.
pub(super) fn candidates(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let Some(view) = seen(context, d, Layer::InteractionCandidates) else { return };
    let eye = eye(&view);
    for candidate in &view.candidates {
        let color = if candidate.is_partner { PARTNER } else { NEAR };
        shapes::aabb(d, Layer::InteractionCandidates, &candidate.bounds, color);
        d.line(Layer::InteractionCandidates, eye, candidate.bounds.center(), color);
    }
}
