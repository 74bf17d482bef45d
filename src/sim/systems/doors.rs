//! Doors: characters open and use them, they move, and hold up characters that stand in their way.

use super::contact::summarize;
use crate::ids::InstanceId;
use crate::scene::door::{DoorTrigger, SceneDoor};
use crate::scene::nav::PlacedObstacle;
use crate::sim::door::{Door, Doors};
use crate::sim::instance::Role;
use crate::sim::instance_arrays::InstanceArrays;
use glam::{Quat, Vec3};

/// A door does not shut on a character that is as near to it as this, metres.
const CLEARANCE: f32 = 0.4;
/// Radius of a character that a door holds up, metres at scale 1.
const BODY_RADIUS: f32 = 0.3;

/// Moves all doors. Returns the obstacles that they are on the navigation mesh, where these have changed.
///
/// In a step that looks for contacts, doors need bounding boxes.
pub fn step(doors: &mut Doors, instances: &mut InstanceArrays, needs_bounds: bool) -> Option<Vec<PlacedObstacle>> {
    if doors.list.is_empty() {
        return None;
    }
    let feet: Vec<(usize, Vec3)> = (0..instances.len())
        .filter(|&i| instances.characters[i].binding.role == Role::Character)
        .map(|i| (i, instances.states[i].now.position))
        .collect();
    use_doors(doors, instances, &feet);
    let before = doors.obstacles();
    for door in &mut doors.list {
        let settings = door.settings();
        let within =
            |reach: f32| feet.iter().any(|(_, at)| door.distance(&settings, 0.0, *at + Vec3::Y * BODY_RADIUS) <= reach);
        let is_near = settings.trigger == DoorTrigger::Near && within(settings.reach);
        let is_blocked = !door.is_opening && door.openness > 0.0 && within(CLEARANCE);
        door.advance(&settings, is_near, is_blocked);
        if let Some(i) = instances.index_of(door.id) {
            place(door, &settings, instances, i, needs_bounds);
        }
        hold_up(door, &settings, instances, &feet);
    }
    let after = doors.obstacles();
    (before != after).then_some(after)
}

/// Puts the instance of a door to where the door is.
fn place(door: &Door, settings: &SceneDoor, instances: &mut InstanceArrays, i: usize, needs_bounds: bool) {
    let (position, yaw_rad) = door.pose(settings, door.openness);
    let (instance, character) = instances.at_mut(i);
    (instance.now.position, instance.now.yaw_rad, instance.now.velocity) = (position, yaw_rad, Vec3::ZERO);
    character.locomotion.yaw_rad = yaw_rad;
    let summary = summarize(instance, character, needs_bounds);
    instances.summaries[i] = summary;
}

/// Lets characters that began to interact in this step use the nearest door or button within its reach.
fn use_doors(doors: &mut Doors, instances: &InstanceArrays, feet: &[(usize, Vec3)]) {
    for (_, at) in feet.iter().filter(|(i, _)| instances.characters[*i].interacts) {
        let distance = |door: &Door| {
            let settings = door.settings();
            let off = door.distance(&settings, door.openness, *at + Vec3::Y * BODY_RADIUS);
            (settings.trigger != DoorTrigger::Near && off <= settings.reach).then_some(off)
        };
        let reached = doors.list.iter().enumerate().filter_map(|(k, door)| Some((distance(door)?, k)));
        if let Some((_, k)) = reached.min_by(|a, b| a.0.total_cmp(&b.0)) {
            doors.use_one(k);
        }
    }
}

/// Pushes characters that walk by keys or without a mesh out of a door that is not open.
fn hold_up(door: &Door, settings: &SceneDoor, instances: &mut InstanceArrays, feet: &[(usize, Vec3)]) {
    if settings.trigger == DoorTrigger::Button || door.openness >= 1.0 {
        return;
    }
    let (position, yaw_rad) = door.pose(settings, door.openness);
    let turn = Quat::from_rotation_y(yaw_rad);
    for &(i, _) in feet {
        if instances.characters[i].agent_id.is_some() {
            continue;
        }
        // Another door may have moved it already.
        let at = instances.states[i].now.position;
        let radius = BODY_RADIUS * instances.characters[i].params.scale;
        let own = turn.inverse() * (at - position);
        let (low, high) = (door.bounds.min - radius, door.bounds.max + radius);
        let inside = own.x > low.x && own.x < high.x && own.z > low.z && own.z < high.z;
        if !inside || own.y + 2.0 * radius < door.bounds.min.y || own.y > door.bounds.max.y - 0.1 {
            continue;
        }
        let out =
            [(low.x - own.x, Vec3::X), (high.x - own.x, Vec3::X), (low.z - own.z, Vec3::Z), (high.z - own.z, Vec3::Z)];
        if let Some((by, axis)) = out.into_iter().min_by(|a, b| a.0.abs().total_cmp(&b.0.abs())) {
            instances.states[i].now.position += turn * (axis * by);
        }
    }
}

/// How far open a door is, 0 shut … 1 open; none for an instance that is no door.
pub fn openness(doors: &Doors, id: InstanceId) -> Option<f32> {
    doors.list.iter().find(|door| door.id == id).map(|door| door.openness)
}

/// Uses a door or a button. Returns whether it is one that can be used.
pub fn use_by_id(doors: &mut Doors, id: InstanceId) -> bool {
    let Some(i) = doors.list.iter().position(|door| door.id == id) else { return false };
    doors.use_one(i);
    doors.list[i].settings().trigger != DoorTrigger::Near
}
