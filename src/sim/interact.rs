//! Interaction: whoever begins to interact is answered by the nearest one who faces it.

use super::collide_pairs::bounds_of;
use super::event::EventKind;
use super::presence::Role;
use super::world::World;
use crate::collide::interaction::{Facing, InteractSettings};
use crate::ids::InstanceId;
use crate::math::Aabb;
use crate::scene::Settings;

/// What an instance would reach if it interacted now.
#[derive(Clone, Debug)]
pub struct InteractionView {
    /// The scene's rule.
    pub rule: InteractSettings,
    /// The instance itself.
    pub viewer: Facing,
    /// The characters in its range, in the order of the scene.
    pub candidates: Vec<Candidate>,
}

/// A character in an instance's range.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its box, world space.
    pub bounds: Aabb,
    /// Whether it is the one that would answer.
    pub is_partner: bool,
}

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

    /// The characters within range of an instance, and which of them would answer; none where interaction is off.
    pub fn interaction_view(&self, id: InstanceId, settings: &Settings) -> Option<InteractionView> {
        let i = self.index_of(id).filter(|_| settings.interaction_enabled)?;
        let (rule, viewer, partner) = (rule(settings), self.facing(i), self.partner_of(i, settings));
        let reach = rule.reach(viewer.position);
        let others = (0..self.live.len()).filter(|&k| k != i && self.bodies[k].looks.role == Role::Character);
        let candidates = others
            .map(|k| Candidate { bounds: self.facing(k).bounds, is_partner: partner == Some(k) })
            .filter(|candidate| reach.intersects(&candidate.bounds))
            .collect();
        Some(InteractionView { rule, viewer, candidates })
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
