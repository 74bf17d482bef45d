//! Interaction: whoever begins to interact is answered by the nearest one who faces it.

use super::body::Role;
use super::collide_pairs::bounds_of;
use super::event::EventKind;
use super::overlays::OverlayContext;
use super::world::World;
use crate::collide::interaction::{Facing, InteractSettings};
use crate::debug::{DebugDraw, Layer, shapes};
use crate::ids::InstanceId;
use crate::math::angle;
use crate::scene::Settings;
use glam::{Quat, Vec3};

/// Box in which partners are sought.
const REACH: [f32; 4] = [0.3, 0.9, 1.0, 0.6];
/// Edges of the field of view.
const VIEW: [f32; 4] = [0.3, 0.9, 1.0, 0.9];
/// Those in reach.
const NEAR: [f32; 4] = [1.0, 0.85, 0.2, 0.9];
/// The one that would answer.
const PARTNER: [f32; 4] = [0.3, 1.0, 0.4, 1.0];

/// The rule of a scene.
fn rule(settings: &Settings) -> InteractSettings {
    InteractSettings {
        min_range: settings.interaction_min_range,
        max_range: settings.interaction_max_range,
        fov_rad: settings.interaction_fov_deg.to_radians(),
    }
}

impl World {
    fn facing(&self, i: usize) -> Facing {
        let live = &self.live[i];
        Facing { position: live.now.position, yaw_rad: live.now.yaw_rad, bounds: bounds_of(live, &self.bodies[i]) }
    }

    /// Who would answer if an instance interacted now: the nearest in range, both facing each other; of two equally
    /// near the first in the scene.
    pub fn interaction_partner(&self, id: InstanceId, settings: &Settings) -> Option<InstanceId> {
        let i = self.index_of(id).filter(|_| settings.interaction_enabled)?;
        self.partner_of(i, settings).map(|other| self.ids[other])
    }

    fn partner_of(&self, i: usize, settings: &Settings) -> Option<usize> {
        let (rule, me) = (rule(settings), self.facing(i));
        let others = (0..self.live.len()).filter(|&k| k != i && self.bodies[k].looks.role == Role::Character);
        // Cheap first: nobody's box reaches further than a few metres.
        let reach = rule.max_range + 10.0;
        let near = others.filter(|&k| self.live[k].now.position.distance_squared(me.position) <= reach * reach);
        let found = near.filter_map(|k| Some((rule.partners(&me, &self.facing(k))?, k)));
        found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, k)| k)
    }

    /// Lets those who began to interact in this step reach their partners.
    pub(super) fn interact(&mut self, settings: &Settings) {
        if !settings.interaction_enabled {
            return;
        }
        for i in (0..self.bodies.len()).filter(|&i| self.bodies[i].interacts).collect::<Vec<_>>() {
            if let Some(partner) = self.partner_of(i, settings) {
                self.bodies[partner].raised.raise(EventKind::Interaction);
                self.presences[partner].stirred = true;
            }
        }
    }
}

/// Range and view of the selected instance, those in reach and the one that would answer.
pub fn draw(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let (world, settings) = (context.world, &context.scene.settings);
    let Some(i) = context.selection.instance.and_then(|id| world.index_of(id)) else { return };
    if !d.wants(Layer::Interaction) || !settings.interaction_enabled {
        return;
    }
    let (rule, me) = (rule(settings), world.facing(i));
    shapes::aabb(d, Layer::Interaction, &rule.reach(me.position), REACH);
    let eye = me.position + Vec3::Y * (me.bounds.max.y - me.position.y).max(0.0) * 0.5;
    shapes::circle(d, Layer::Interaction, eye, rule.min_range, 32, REACH);
    let ahead = angle::direction_of_yaw(me.yaw_rad) * (rule.max_range * 0.5);
    for side in [-1.0, 1.0] {
        d.line(Layer::Interaction, eye, eye + Quat::from_rotation_y(rule.fov_rad * side) * ahead, VIEW);
    }
    let partner = world.partner_of(i, settings);
    for k in (0..world.live.len()).filter(|&k| k != i && world.bodies[k].looks.role == Role::Character) {
        let other = world.facing(k);
        if rule.reach(me.position).intersects(&other.bounds) {
            let color = if partner == Some(k) { PARTNER } else { NEAR };
            shapes::aabb(d, Layer::Interaction, &other.bounds, color);
            d.line(Layer::Interaction, eye, other.bounds.center(), color);
        }
    }
}
