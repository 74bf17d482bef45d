//! Look-at: characters turn their heads to the nearest other one before them, and smile at it, where the scene says so;
//! else, while they walk, to their path ahead.

use crate::anim::inertialization::Transition;
use crate::math::angle::{shortest_turn_rad, yaw_of_direction};
use crate::nav::follow::point_ahead;
use crate::sim::character::CharacterState;
use crate::sim::head_and_face::LookAt;
use crate::sim::instance::{InstanceState, NavStatus, Role};
use crate::sim::instance_arrays::InstanceArrays;
use glam::{Vec2, Vec3};

/// Steps between two looks of a character; not all look in the same step.
const PERIOD: u64 = 6;
/// Angle of a head that is turned to the side, and of one that is tilted up or down, as far as its clips go, radians.
const FULL_TURN_RAD: f32 = 1.2;
const FULL_TILT_RAD: f32 = 0.7;
/// Angle from where it faces within which a character sees its neighbours, radians.
const SIGHT_RAD: f32 = 1.7;
/// Distance ahead on its path to which a walking character looks, metres, and the share of the turn that its head takes.
const PATH_AHEAD: f32 = 1.8;
const PATH_SHARE: f32 = 0.8;
/// Height of the eyes as a share of the body's.
const EYES: f32 = 0.92;

fn eyes(instance: &InstanceState, character: &CharacterState) -> Vec3 {
    instance.now.position + Vec3::Y * character.size.height * EYES
}

/// Turn and tilt towards `to` of a head at `from` whose owner faces `yaw_rad`; `None` out of its sight.
fn toward(from: Vec3, yaw_rad: f32, to: Vec3) -> Option<Vec2> {
    let way = to - from;
    // Left is where the yaw grows.
    let left = shortest_turn_rad(yaw_rad, yaw_of_direction(way)?);
    let up = way.y.atan2(way.with_y(0.0).length());
    (left.abs() <= SIGHT_RAD)
        .then(|| Vec2::new(-left / FULL_TURN_RAD, -up / FULL_TILT_RAD).clamp(-Vec2::ONE, Vec2::ONE))
}

/// Turns the heads of characters that look at neighbours, or ahead on their paths.
pub fn look_at_neighbors(instances: &mut InstanceArrays, step: u64) {
    for i in 0..instances.len() {
        if !(step + i as u64).is_multiple_of(PERIOD) {
            continue;
        }
        let saved = &instances.characters[i].saved;
        let (range, smile) = (saved.look_at_range, saved.look_at_smile);
        let neighbor = if range > 0.0 { nearest_in_sight(instances, i, range) } else { None };
        let character = &instances.characters[i];
        let ahead = || path_in_sight(&instances.states[i], character).map(|head| LookAt { head, smile: 0.0 });
        instances.characters[i].look_at = neighbor.map(|head| LookAt { head, smile }).or_else(ahead);
    }
}

/// Turn and tilt of the head of a character that walks towards its path ahead; only where its motion is inertialized.
fn path_in_sight(instance: &InstanceState, character: &CharacterState) -> Option<Vec2> {
    let looks = character.transition == Transition::Inertial && instance.nav == NavStatus::Walking;
    let at = instance.now.position;
    let point = looks.then(|| point_ahead(at, &instance.path, PATH_AHEAD))?;
    let from = eyes(instance, character);
    toward(from, instance.now.yaw_rad, from + (point - at)).map(|head| head * PATH_SHARE)
}

/// Turn and tilt of an instance's head towards the nearest character within `range` metres that it sees.
fn nearest_in_sight(instances: &InstanceArrays, i: usize, range: f32) -> Option<Vec2> {
    let (instance, character) = (&instances.states[i], &instances.characters[i]);
    let from = eyes(instance, character);
    let others = (0..instances.len()).filter(|&k| k != i && instances.characters[k].binding.role == Role::Character);
    let seen = others.filter_map(|k| {
        let (other, other_character) = (&instances.states[k], &instances.characters[k]);
        let distance_squared = other.now.position.distance_squared(instance.now.position);
        let head = (distance_squared <= range * range)
            .then(|| toward(from, instance.now.yaw_rad, eyes(other, other_character)));
        Some((distance_squared, head??))
    });
    seen.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, head)| head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_turn_to_the_side_and_up_as_far_as_they_see() {
        let from = Vec3::Y * 1.7;
        let ahead = toward(from, 0.0, from + Vec3::Z).unwrap();
        assert!(ahead.length() < 1e-5, "facing +Z");
        let right = toward(from, 0.0, from + Vec3::new(-1.0, 0.0, 1.0)).unwrap();
        assert!(
            (right.x - std::f32::consts::FRAC_PI_4 / FULL_TURN_RAD).abs() < 1e-4,
            "the right hand is at -X: {right}"
        );
        assert!(toward(from, 0.0, from + Vec3::new(0.0, 1.0, 2.0)).unwrap().y < -0.3, "up is below zero");
        assert_eq!(toward(from, 0.0, from - Vec3::Z), None, "what is behind is not seen");
        assert_eq!(toward(from, 0.0, from), None);
    }

    #[test]
    fn walkers_look_along_their_path_around_the_corner() {
        let path = vec![Vec3::Z, Vec3::new(4.0, 0.0, 1.0)];
        let mut instance = InstanceState { nav: NavStatus::Walking, path, ..InstanceState::default() };
        let mut character = CharacterState::default();
        assert_eq!(path_in_sight(&instance, &character), None, "not with cross-fades");
        character.transition = Transition::Inertial;
        let left = path_in_sight(&instance, &character).unwrap();
        assert!(left.x < -0.3 && left.y.abs() < 1e-4, "the corner goes left: {left}");
        instance.nav = NavStatus::Arrived;
        assert_eq!(path_in_sight(&instance, &character), None);
    }
}
