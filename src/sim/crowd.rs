//! How instances stand to each other: the octree of their boxes, and the pushes that keep a crowd apart.
//!
//! Pushes are soft: they make room and let people pass, but two who meet in a doorway never lock up. They act
//! through the same contact code as walking, so nobody is pushed through a wall or off an edge.

use super::body::{Body, Role};
use super::world::{Live, NavStatus};
use crate::collide::octree::InstanceOctree;
use crate::math::{Aabb, angle};
use glam::{Vec2, Vec3};

/// Rate at which an overlap is undone, per second.
const PUSH_RATE: f32 = 5.0;
/// Strongest push as a part of the pushed one's full speed.
const STRONGEST_PUSH: f32 = 0.45;
/// How far ahead walkers make way for each other, in sums of their radii.
const LOOK_AHEAD: f32 = 3.0;
/// Sideways speed of making way, as a part of the full speed.
const SIDESTEP: f32 = 0.35;

/// A character as others see it.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    position: Vec3,
    velocity: Vec2,
    radius: f32,
    height: f32,
    is_character: bool,
}

/// What a crowd does to one of its members in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Horizontal velocity that it is pushed with, metres per second.
    pub shove: Vec2,
    /// Factor on its speed: below 1 behind a slower one.
    pub slow: f32,
}

impl Influence {
    /// Of an empty street.
    pub const NONE: Self = Self { shove: Vec2::ZERO, slow: 1.0 };
}

/// All instances as of the end of the last step.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    spots: Vec<Spot>,
    boxes: Vec<Aabb>,
    tree: InstanceOctree,
}

/// The box of a live instance in world space: its model's rest box turned to its heading; the body's cylinder
/// while there is no model.
pub fn bounds_of(live: &Live, body: &Body) -> Aabb {
    let scale = body.scale();
    match &body.looks.rest_bounds {
        Some(rest) if body.looks.role == Role::Thing => {
            let placed = crate::scene::instance::placement(
                live.now.position,
                Vec3::new(body.saved.rotation_deg.x, live.now.yaw_rad.to_degrees(), body.saved.rotation_deg.z),
                scale,
                body.saved.swap_axes,
            );
            rest.transformed(&placed)
        }
        Some(rest) if !body.saved.swap_axes => {
            // An upright box around the rest box at any heading: cheap, and it does not breathe while turning.
            let reach = rest.min.abs().max(rest.max.abs());
            let side = Vec2::new(reach.x, reach.z).max_element() * scale;
            let (low, high) = (rest.min.y * scale, rest.max.y * scale);
            let p = live.now.position;
            Aabb::new(p + Vec3::new(-side, low, -side), p + Vec3::new(side, high, side))
        }
        _ => {
            let (r, p) = (body.size.radius, live.now.position);
            Aabb::new(p - Vec3::new(r, 0.0, r), p + Vec3::new(r, body.size.height, r))
        }
    }
}

impl Crowd {
    /// Takes in where everyone is.
    pub fn refresh(&mut self, live: &[Live], bodies: &[Body]) {
        let mut moved = self.spots.len() != live.len();
        self.spots.resize(live.len(), Spot::default());
        self.boxes.resize(live.len(), Aabb::EMPTY);
        for (i, (live, body)) in live.iter().zip(bodies).enumerate() {
            let spot = Spot {
                position: live.now.position,
                velocity: Vec2::new(live.now.velocity.x, live.now.velocity.z),
                radius: body.size.radius,
                height: body.size.height,
                is_character: body.looks.role == Role::Character,
            };
            let still = self.spots[i].position == spot.position
                && self.spots[i].is_character == spot.is_character
                && live.now.yaw_rad == live.before.yaw_rad
                && !self.boxes[i].is_empty();
            if !still {
                self.boxes[i] = bounds_of(live, body);
                moved = true;
            }
            self.spots[i] = spot;
        }
        if moved {
            self.tree.rebuild(self.boxes.iter().copied());
        }
    }

    /// The octree of all boxes.
    pub fn octree(&self) -> &InstanceOctree {
        &self.tree
    }

    /// What the others do to the character at position `me` of the arrays. Depends on the last step only.
    pub fn influence(&self, me: usize, live: &Live, full_speed: f32) -> Influence {
        let mine = &self.spots[me];
        let walking = live.nav == NavStatus::Walking;
        let heading = angle::direction_of_yaw(live.now.yaw_rad);
        let heading = Vec2::new(heading.x, heading.z);
        let reach = mine.radius * if walking { LOOK_AHEAD * 2.0 } else { 1.2 };
        let area = Aabb::new(
            mine.position - Vec3::new(reach, mine.height * 0.5, reach),
            mine.position + Vec3::new(reach, mine.height, reach),
        );
        let mut out = Influence::NONE;
        self.tree.query(&area, &mut |other| {
            let theirs = &self.spots[other as usize];
            if other as usize != me && theirs.is_character {
                self.meet(me, other as usize, theirs, (walking, heading, full_speed), &mut out);
            }
        });
        out.shove = out.shove.clamp_length_max(full_speed.max(0.5) * STRONGEST_PUSH);
        out
    }

    fn meet(&self, me: usize, other: usize, theirs: &Spot, walk: (bool, Vec2, f32), out: &mut Influence) {
        let (walking, heading, full_speed) = walk;
        let mine = &self.spots[me];
        let apart = mine.position - theirs.position;
        if apart.y > theirs.height || -apart.y > mine.height {
            return;
        }
        let apart = Vec2::new(apart.x, apart.z);
        let (distance, touch) = (apart.length(), mine.radius + theirs.radius);
        if distance < touch {
            // Two on one spot leave it in opposite directions, by their place in the list.
            let away = apart.try_normalize().unwrap_or(if me < other { Vec2::X } else { Vec2::NEG_X });
            out.shove += away * ((touch - distance) * PUSH_RATE * if walking { 0.7 } else { 1.0 });
        }
        if !walking || distance > touch * LOOK_AHEAD || distance <= 0.0 {
            return;
        }
        let ahead = -apart / distance;
        let facing = ahead.dot(heading);
        let approaching = (mine.velocity - theirs.velocity).dot(ahead);
        if facing < 0.5 || approaching < full_speed * 0.05 {
            return;
        }
        let nearness = 1.0 - distance / (touch * LOOK_AHEAD);
        if theirs.velocity.dot(heading) > full_speed * 0.2 {
            // Behind someone who walks the same way: keep distance.
            out.slow = out.slow.min(1.0 - 0.7 * nearness * facing);
        } else {
            // Keep to the right, or to the side on which there is more room already.
            let right = Vec2::new(-heading.y, heading.x);
            let side = if ahead.dot(right) > 0.2 { -right } else { right };
            out.shove += side * (full_speed * SIDESTEP * nearness.sqrt() * facing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::MoveState;

    fn pair(a: Vec3, b: Vec3) -> (Vec<Live>, Vec<Body>) {
        let live = [a, b].map(|position| {
            let mut live = Live { state: MoveState::Idle, ..Live::default() };
            live.now.position = position;
            live
        });
        let body = || Body {
            size: crate::collide::settings::BodySize::PERSON,
            looks: super::super::body::Looks { role: Role::Character, ..Default::default() },
            ..Body::default()
        };
        (live.into(), vec![body(), body()])
    }

    #[test]
    fn those_who_overlap_are_pushed_apart_even_from_one_spot() {
        for b in [Vec3::new(0.2, 0.0, 0.1), Vec3::ZERO] {
            let (live, bodies) = pair(Vec3::ZERO, b);
            let mut crowd = Crowd::default();
            crowd.refresh(&live, &bodies);
            let shoves = [0, 1].map(|i| crowd.influence(i, &live[i], 1.5).shove);
            assert!(shoves[0].dot(shoves[1]) < 0.0, "{shoves:?}");
            assert!(shoves.iter().all(|s| s.length() > 0.1));
        }
    }

    #[test]
    fn floors_and_distance_keep_people_apart_by_themselves() {
        for b in [Vec3::Y * 3.0, Vec3::X * 0.7] {
            let (live, bodies) = pair(Vec3::ZERO, b);
            let mut crowd = Crowd::default();
            crowd.refresh(&live, &bodies);
            assert_eq!(crowd.influence(0, &live[0], 1.5), Influence::NONE);
        }
    }
}
