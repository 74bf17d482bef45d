//! Interaction: a character that begins to interact is answered by the nearest one that faces it.

use super::contact::bounds_of;
use crate::collide::interaction::{Facing, InteractSettings};
use crate::math::Aabb;
use crate::scene::Settings;
use crate::sim::event::EventKind;
use crate::sim::instance::Role;
use crate::sim::instance_arrays::InstanceArrays;

/// Greatest reach of a bounding box from its character, metres.
const MAX_BOX_REACH: f32 = 10.0;

/// The characters that an instance would reach if it interacted now.
#[derive(Clone, Debug)]
pub struct InteractionView {
    /// The scene's rule.
    pub rule: InteractSettings,
    /// The instance itself.
    pub viewer: Facing,
    /// The characters in its range, in the order of the scene.
    pub candidates: Vec<InteractionCandidate>,
}

/// A character in an instance's range.
#[derive(Clone, Copy, Debug)]
pub struct InteractionCandidate {
    /// Its box, world space.
    pub bounds: Aabb,
    /// Whether it would answer.
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

/// Position, heading and box of an instance.
fn facing(instances: &InstanceArrays, i: usize) -> Facing {
    let (instance, character) = (&instances.states[i], &instances.characters[i]);
    Facing { position: instance.now.position, yaw_rad: instance.now.yaw_rad, bounds: bounds_of(instance, character) }
}

/// The other characters.
fn others(instances: &InstanceArrays, i: usize) -> impl Iterator<Item = usize> {
    (0..instances.len()).filter(move |&k| k != i && instances.characters[k].binding.role == Role::Character)
}

/// The characters in range of an instance, and which of them would answer.
pub fn view(instances: &InstanceArrays, i: usize, settings: &Settings) -> InteractionView {
    let (rule, viewer, partner) = (rule(settings), facing(instances, i), partner_of(instances, i, settings));
    let reach = rule.reach(viewer.position);
    let candidates = others(instances, i)
        .map(|k| InteractionCandidate { bounds: facing(instances, k).bounds, is_partner: partner == Some(k) })
        .filter(|candidate| reach.intersects(&candidate.bounds))
        .collect();
    InteractionView { rule, viewer, candidates }
}

/// The character that answers an instance: the nearest in range, both facing each other; of two equally near the first
/// in the scene.
pub fn partner_of(instances: &InstanceArrays, i: usize, settings: &Settings) -> Option<usize> {
    let (rule, viewer) = (rule(settings), facing(instances, i));
    // The cheap test first.
    let reach = rule.max_range + MAX_BOX_REACH;
    let near = others(instances, i)
        .filter(|&k| instances.states[k].now.position.distance_squared(viewer.position) <= reach * reach);
    let found = near.filter_map(|k| Some((rule.partners(&viewer, &facing(instances, k))?, k)));
    found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, k)| k)
}

/// Tells the partners of characters that began to interact in this step.
pub fn interact(instances: &mut InstanceArrays, settings: &Settings) {
    if !settings.interaction_enabled {
        return;
    }
    for i in (0..instances.len()).filter(|&i| instances.characters[i].interacts).collect::<Vec<_>>() {
        if let Some(partner) = partner_of(instances, i, settings) {
            instances.characters[partner].pending_events.raise(EventKind::Interaction);
            instances.summaries[partner].has_events = true;
        }
    }
}
