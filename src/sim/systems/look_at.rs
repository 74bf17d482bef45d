//! Look-at: characters turn their heads to the nearest other one before them, and smile at it, where the scene says so;
//! else, while they walk, to their path ahead.

use crate::anim::inertialization::Transition;
use crate::math::angle::{shortest_turn_rad, yaw_of_direction};
use crate::nav::follow::point_ahead;
use crate::sim::character::CharacterState;
use crate::sim::head_and_face::LookAt;
use crate::sim::instance::{InstanceState, NavStatus, Role};
use crate::sim::instance_arrays::InstanceArrays;
use crate::sim::parallel::is_parallel;
use glam::{Vec2, Vec3};
use rayon::prelude::*;

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
/// Number of characters that look in a step up to which each of them looks through all others.
const FEW: usize = 8;
/// Fewest characters of a parallel task.
const MIN_TASK: usize = 64;
/// Shortest side of a square of ground, metres.
const MIN_SQUARE: f32 = 1.0;

/// The characters by the squares of ground that they are on.
struct CharacterSquares {
    /// Side of a square, metres.
    side: f64,
    /// Row and column with the position in the arrays, ascending.
    characters: Vec<([i32; 2], u32)>,
}

impl CharacterSquares {
    /// Those of all characters, for ranges up to `range` metres.
    fn new(instances: &InstanceArrays, range: f32) -> Self {
        let mut squares = Self { side: f64::from(range.max(MIN_SQUARE)) * 1.01, characters: Vec::new() };
        let all = instances.iter().enumerate().filter(|(_, (_, character))| character.binding.role == Role::Character);
        let placed = all.map(|(i, (instance, _))| (squares.square(instance.now.position), i as u32)).collect();
        squares.characters = placed;
        squares.characters.sort_unstable();
        squares
    }

    /// Row and column of a place.
    fn square(&self, at: Vec3) -> [i32; 2] {
        [at.z, at.x].map(|x| (f64::from(x) / self.side).floor() as i32)
    }

    /// Positions in the arrays of all characters in range of a place, and of some others.
    fn around(&self, at: Vec3) -> impl Iterator<Item = usize> {
        let [row, column] = self.square(at);
        let [first, last] = [column.saturating_sub(1), column.saturating_add(1)];
        (row.saturating_sub(1)..=row.saturating_add(1)).flat_map(move |row| {
            let from = self.characters.partition_point(|(square, _)| *square < [row, first]);
            let those = self.characters[from..].iter().take_while(move |(square, _)| *square <= [row, last]);
            those.map(|(_, i)| *i as usize)
        })
    }
}

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

/// Turns the heads of characters that look at neighbours, or ahead on their paths, on all cores.
pub fn look_at_neighbors(instances: &mut InstanceArrays, step: u64) {
    let first = (PERIOD - step % PERIOD) % PERIOD;
    let count = instances.characters.len();
    let looking = || (first as usize..count).step_by(PERIOD as usize);
    let ranges = looking().map(|i| instances.characters[i].saved.look_at_range);
    let (seeing, longest) = ranges
        .filter(|range| *range > 0.0)
        .fold((0, 0.0_f32), |(seeing, longest), range| (seeing + 1, longest.max(range)));
    let squares = if seeing > FEW { Some(CharacterSquares::new(instances, longest)) } else { None };
    let look = |i: usize| looked_at(instances, i, squares.as_ref());
    let found: Vec<Option<LookAt>> = if is_parallel(count) {
        let all: Vec<usize> = looking().collect();
        all.into_par_iter().with_min_len(MIN_TASK).map(look).collect()
    } else {
        looking().map(look).collect()
    };
    let characters = instances.characters.iter_mut().skip(first as usize).step_by(PERIOD as usize);
    characters.zip(found).for_each(|(character, look_at)| character.look_at = look_at);
}

/// What a character looks at: the nearest neighbour that it sees, else its path.
fn looked_at(instances: &InstanceArrays, i: usize, squares: Option<&CharacterSquares>) -> Option<LookAt> {
    let (instance, character) = (&instances.states[i], &instances.characters[i]);
    let (range, smile) = (character.saved.look_at_range, character.saved.look_at_smile);
    let neighbor = match squares {
        _ if !(range > 0.0) => None,
        Some(squares) => nearest_in_sight(instances, i, range, squares.around(instance.now.position)),
        None => nearest_in_sight(instances, i, range, 0..instances.characters.len()),
    };
    let ahead = || path_in_sight(instance, character).map(|head| LookAt { head, smile: 0.0 });
    neighbor.map(|head| LookAt { head, smile }).or_else(ahead)
}

/// Turn and tilt of the head of a character that walks towards its path ahead; only where its motion is inertialized.
fn path_in_sight(instance: &InstanceState, character: &CharacterState) -> Option<Vec2> {
    let looks = character.transition == Transition::Inertial && instance.nav == NavStatus::Walking;
    let at = instance.now.position;
    let point = looks.then(|| point_ahead(at, &instance.path, PATH_AHEAD))?;
    let from = eyes(instance, character);
    toward(from, instance.now.yaw_rad, from + (point - at)).map(|head| head * PATH_SHARE)
}

/// Turn and tilt of an instance's head towards the nearest character within `range` metres that it sees among some, of
/// two equally near the first in the scene.
fn nearest_in_sight(
    instances: &InstanceArrays,
    i: usize,
    range: f32,
    among: impl Iterator<Item = usize>,
) -> Option<Vec2> {
    let (instance, character) = (&instances.states[i], &instances.characters[i]);
    let from = eyes(instance, character);
    let others = among.filter(|&k| k != i && instances.characters[k].binding.role == Role::Character);
    let seen = others.filter_map(|k| {
        let (other, other_character) = (&instances.states[k], &instances.characters[k]);
        let distance_squared = other.now.position.distance_squared(instance.now.position);
        let head = (distance_squared <= range * range)
            .then(|| toward(from, instance.now.yaw_rad, eyes(other, other_character)));
        Some((distance_squared, k, head??))
    });
    seen.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(.., head)| head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::instance::Pose;
    use crate::sim::model_rig::ModelBinding;

    #[test]
    fn squares_of_ground_hold_all_that_are_in_range() {
        let mut instances = InstanceArrays::default();
        for i in 0..300 {
            let position = Vec3::new((i * 37 % 41) as f32 - 20.0, 0.0, (i * 53 % 29) as f32 - 14.0);
            let role = if i % 5 == 0 { Role::Thing } else { Role::Character };
            let binding = ModelBinding { role, ..ModelBinding::default() };
            instances
                .states
                .push(InstanceState { now: Pose { position, ..Pose::default() }, ..InstanceState::default() });
            instances.characters.push(CharacterState { binding, ..CharacterState::default() });
        }
        let squares = CharacterSquares::new(&instances, 7.0);
        let mut seen = 0;
        for (i, range) in (0..300).flat_map(|i| [0.5, 2.0, 7.0].map(|range| (i, range))) {
            let around = squares.around(instances.states[i].now.position);
            let nearest = nearest_in_sight(&instances, i, range, around);
            assert_eq!(nearest, nearest_in_sight(&instances, i, range, 0..300), "{i} within {range} m");
            seen += usize::from(nearest.is_some());
        }
        assert!(seen > 300, "{seen}");
        assert!(squares.around(Vec3::ZERO).count() < 150, "not all are looked at");
    }

    #[test]
    fn each_character_looks_once_in_a_period() {
        let looks_at = Some(LookAt { head: Vec2::ONE, smile: 0.5 });
        // Few on one thread, many on all.
        for count in [3, 7, 200] {
            for step in 0..2 * PERIOD {
                let mut instances = InstanceArrays::default();
                instances.states.resize_with(count, InstanceState::default);
                let character = || CharacterState { look_at: looks_at, ..CharacterState::default() };
                instances.characters.resize_with(count, character);
                look_at_neighbors(&mut instances, step);
                for (i, character) in (0..).zip(&instances.characters) {
                    let looked = (step + i).is_multiple_of(PERIOD);
                    assert_eq!(character.look_at.is_none(), looked, "{i} of {count} in step {step}");
                }
            }
        }
    }

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
