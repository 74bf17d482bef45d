//! Overlay of the selected character's interaction.

use super::context::OverlayContext;
use crate::debug::{DebugDraw, Layer, shapes};
use crate::math::angle;
use glam::{Quat, Vec3};

/// Box in which partners are sought.
const REACH: [f32; 4] = [0.3, 0.9, 1.0, 0.6];
/// Edges of the field of view.
const VIEW: [f32; 4] = [0.3, 0.9, 1.0, 0.9];
/// Those in reach.
const NEAR: [f32; 4] = [1.0, 0.85, 0.2, 0.9];
/// The one that would answer.
const PARTNER: [f32; 4] = [0.3, 1.0, 0.4, 1.0];

/// Range and field of view of the selected instance, the characters in reach and the one that would answer.
pub(super) fn draw(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let Some(id) = context.selection.instance.filter(|_| d.wants(Layer::Interaction)) else { return };
    let Some(view) = context.world.interaction_view(id, &context.scene.settings) else { return };
    let (rule, me) = (view.rule, view.viewer);
    shapes::aabb(d, Layer::Interaction, &rule.reach(me.position), REACH);
    let eye = me.position + Vec3::Y * (me.bounds.max.y - me.position.y).max(0.0) * 0.5;
    shapes::circle(d, Layer::Interaction, eye, rule.min_range, 32, REACH);
    let ahead = angle::direction_of_yaw(me.yaw_rad) * (rule.max_range * 0.5);
    for side in [-1.0, 1.0] {
        d.line(Layer::Interaction, eye, eye + Quat::from_rotation_y(rule.fov_rad * side) * ahead, VIEW);
    }
    for candidate in &view.candidates {
        let color = if candidate.is_partner { PARTNER } else { NEAR };
        shapes::aabb(d, Layer::Interaction, &candidate.bounds, color);
        d.line(Layer::Interaction, eye, candidate.bounds.center(), color);
    }
}
