//! How instances stand to each other: their boxes, and the pushes that keep a crowd apart.
//!
//! Pushes are soft: they make room and let people pass, but two who meet in a doorway never lock up. They act
//! through the same contact code as walking, so nobody is pushed through a wall or off an edge.

use super::body::{Body, Role};
use super::collide_pairs::bounds_of;
use super::world::{Live, Motion, NavStatus};
use crate::collide::settings::BodySize;
use crate::math::plan::to_plan;
use crate::math::{Aabb, angle};
use crate::prefetch;
use glam::{IVec2, Vec2, Vec3};

/// Rate at which an overlap is undone, per second.
const PUSH_RATE: f32 = 5.0;
/// Strongest push as a part of the pushed one's full speed.
const STRONGEST_PUSH: f32 = 0.45;
/// How far ahead walkers make way for each other, in sums of their radii.
const LOOK_AHEAD: f32 = 3.0;
/// Bytes of a row of cells that are fetched ahead.
const ROW_BYTES: usize = 256;
/// Sideways speed of making way, as a part of the full speed.
const SIDESTEP: f32 = 0.35;

/// Where an instance is, where it goes, and the room that it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Standing {
    position: Vec3,
    velocity: Vec2,
    radius: f32,
    height: f32,
}

impl Standing {
    fn of(live: &Live, body: &Body) -> Self {
        let Motion { position, velocity, .. } = live.now;
        let BodySize { radius, height, .. } = body.size;
        Self { position, velocity: to_plan(velocity), radius, height }
    }
}

/// An instance as others see it, at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct Presence {
    standing: Standing,
    /// What it can do.
    pub role: Role,
    /// Whether it touches another instance.
    pub touching: bool,
    /// Whether it has a target, or did until now.
    pub on_errand: bool,
    /// Whether events wait at it to be collected.
    pub stirred: bool,
    /// The box around it; empty where that was not asked for.
    pub bounds: Aabb,
}

impl Default for Presence {
    fn default() -> Self {
        Self::of(&Live::default(), &Body::default(), false)
    }
}

impl Presence {
    /// How an instance looks to others, with the box around it where that is wanted.
    pub fn of(live: &Live, body: &Body, boxed: bool) -> Self {
        let role = body.looks.role;
        let bounds = if boxed && role != Role::Absent { bounds_of(live, body) } else { Aabb::EMPTY };
        Self {
            standing: Standing::of(live, body),
            role,
            touching: body.contact,
            on_errand: body.nav.target.is_some() || live.nav != NavStatus::Off,
            stirred: !body.raised.is_empty(),
            bounds,
        }
    }

    /// Whether it is where another is, goes where that goes, and needs as much room.
    pub fn stands_as(&self, other: &Self) -> bool {
        (self.standing, self.role) == (other.standing, other.role)
    }
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

/// A character among others, with its position in the arrays.
#[derive(Clone, Copy, Debug, Default)]
struct Member {
    cell: IVec2,
    number: u32,
    standing: Standing,
}

/// How a character that others meet goes its way.
#[derive(Clone, Copy, Debug)]
struct Walk {
    walking: bool,
    heading: Vec2,
    full_speed: f32,
}

/// All characters as of the end of the last step.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    cells: Cells,
}

impl Crowd {
    /// Takes in where everyone is.
    pub fn rebuild(&mut self, everyone: &[Presence]) {
        self.cells.rebuild(everyone);
    }

    /// Fetches those whom the character may meet into the caches, see [`prefetch`].
    #[inline]
    pub fn prefetch(&self, live: &Live) {
        self.cells.prefetch(live.now.position);
    }

    /// What the others do to the character at position `me` of the arrays. Depends on the last step only.
    pub fn influence(&self, me: usize, live: &Live, body: &Body, full_speed: f32) -> Influence {
        let mine = Standing::of(live, body);
        let heading = angle::direction_of_yaw(live.now.yaw_rad);
        let walk = Walk { walking: live.nav == NavStatus::Walking, heading: to_plan(heading), full_speed };
        let mut out = Influence::NONE;
        self.cells.around(mine.position, |other| {
            if other.number as usize != me {
                walk.meet((&mine, me), (&other.standing, other.number as usize), &mut out);
            }
        });
        out.shove = out.shove.clamp_length_max(full_speed.max(0.5) * STRONGEST_PUSH);
        out
    }
}

impl Walk {
    /// What meeting one of the others does to `mine`; both with their positions in the arrays.
    #[inline]
    fn meet(&self, (mine, me): (&Standing, usize), (theirs, other): (&Standing, usize), out: &mut Influence) {
        let Self { walking, heading, full_speed } = *self;
        let apart = mine.position - theirs.position;
        let touch = mine.radius + theirs.radius;
        let (far, apart, up) = (touch * if walking { LOOK_AHEAD } else { 1.0 }, to_plan(apart), apart.y);
        let near = apart.length_squared() <= far * far;
        if !near || up > theirs.height || -up > mine.height {
            return;
        }
        let distance = apart.length();
        if distance < touch {
            // Two on one spot leave it in opposite directions, by their place in the list.
            let away = apart.try_normalize().unwrap_or(if me < other { Vec2::X } else { Vec2::NEG_X });
            out.shove += away * ((touch - distance) * PUSH_RATE * if walking { 0.7 } else { 1.0 });
        }
        if !walking || distance <= 0.0 {
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

/// Characters filed by square cells of the map, in a hash table that grows with their number, not with the map. Cells
/// that lie side by side in a row have buckets side by side.
#[derive(Clone, Debug, Default)]
struct Cells {
    /// Edge of a cell: as far as anybody looks.
    size: f32,
    /// Start of each bucket's items, and the end of the last; their number is a power of two and one.
    starts: Vec<u32>,
    /// The characters, bucket by bucket: who looks around reads on in a row.
    items: Vec<Member>,
}

impl Cells {
    fn rebuild(&mut self, everyone: &[Presence]) {
        let is_character = |(_, one): &(u32, &Presence)| one.role == Role::Character;
        let characters = || (0..everyone.len() as u32).zip(everyone).filter(is_character).map(|(i, s)| (i, s.standing));
        let widest = characters().map(|(_, s)| s.radius).filter(|r| r.is_finite()).fold(0.1, f32::max);
        self.size = widest * 2.0 * LOOK_AHEAD;
        let count = characters().count();
        self.starts.clear();
        self.starts.resize((count * 2).next_power_of_two() + 1, 0);
        self.items.clear();
        self.items.resize(count, Member::default());
        for (_, standing) in characters() {
            let bucket = self.bucket(self.cell(standing.position));
            self.starts[bucket + 1] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        // From the last to the first, each at the end of what is left of its bucket.
        for (number, standing) in characters().rev() {
            let cell = self.cell(standing.position);
            let bucket = self.bucket(cell);
            self.starts[bucket + 1] -= 1;
            self.items[self.starts[bucket + 1] as usize] = Member { cell, number, standing };
        }
        self.starts.remove(0);
        self.starts.push(count as u32);
    }

    fn cell(&self, p: Vec3) -> IVec2 {
        (to_plan(p) / self.size).floor().as_ivec2()
    }

    fn bucket(&self, cell: IVec2) -> usize {
        let row = (cell.y as u32).wrapping_mul(0x9e37_79b1);
        (cell.x as u32).wrapping_add(row ^ row >> 15) as usize & (self.starts.len() - 2)
    }

    /// Fetches those who are around `p` into the caches, see [`prefetch`].
    fn prefetch(&self, p: Vec3) {
        if self.items.is_empty() {
            return;
        }
        let middle = self.cell(p);
        for row in [-1, 0, 1].map(|dz| middle.y.wrapping_add(dz)) {
            let first = self.starts[self.bucket(IVec2::new(middle.x.wrapping_sub(1), row))] as usize;
            prefetch::slice(&self.items[first..], ROW_BYTES);
        }
    }

    /// Calls `f` with all characters that may be as near to `p` as anybody looks.
    #[inline]
    fn around(&self, p: Vec3, mut f: impl FnMut(&Member)) {
        if self.items.is_empty() {
            return;
        }
        let middle = self.cell(p);
        for row in [-1, 0, 1].map(|dz| middle.y.wrapping_add(dz)) {
            let cells = [-1, 0, 1].map(|dx| IVec2::new(middle.x.wrapping_add(dx), row));
            for cell in cells {
                let bucket = self.bucket(cell);
                let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
                self.items[range].iter().filter(|item| item.cell == cell).for_each(&mut f);
            }
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

    fn seen(live: &[Live], bodies: &[Body]) -> Vec<Presence> {
        live.iter().zip(bodies).map(|(live, body)| Presence::of(live, body, false)).collect()
    }

    #[test]
    fn those_who_overlap_are_pushed_apart_even_from_one_spot() {
        for b in [Vec3::new(0.2, 0.0, 0.1), Vec3::ZERO] {
            let (live, bodies) = pair(Vec3::ZERO, b);
            let mut crowd = Crowd::default();
            crowd.rebuild(&seen(&live, &bodies));
            let shoves = [0, 1].map(|i| crowd.influence(i, &live[i], &bodies[i], 1.5).shove);
            assert!(shoves[0].dot(shoves[1]) < 0.0, "{shoves:?}");
            assert!(shoves.iter().all(|s| s.length() > 0.1));
        }
    }

    #[test]
    fn all_who_are_near_are_found_wherever_they_stand() {
        let mut state = 3_u32;
        let mut random = |size: f32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as f32 / (1 << 24) as f32 - 0.5) * size
        };
        let mut spots: Vec<Presence> = (0..400)
            .map(|i| Presence {
                standing: Standing {
                    position: Vec3::new(random(40.0), random(3.0), random(40.0)),
                    radius: 0.3,
                    ..Standing::default()
                },
                role: if i % 7 == 0 { Role::Thing } else { Role::Character },
                ..Presence::default()
            })
            .collect();
        spots[1].standing.position = Vec3::new(1e30, 0.0, -1e30);
        spots[2].standing.position = Vec3::NAN;
        let mut cells = Cells::default();
        cells.rebuild(&spots);
        for me in &spots {
            let at = |s: &Presence| to_plan(s.standing.position);
            let near = |s: &Presence| s.role == Role::Character && at(s).distance(at(me)) <= 2.0 * 0.3 * LOOK_AHEAD;
            let mut found = Vec::new();
            cells.around(me.standing.position, |member| found.push(member.number));
            let each_once = found.iter().collect::<std::collections::BTreeSet<_>>().len() == found.len();
            assert!(each_once && (0_u32..).zip(&spots).all(|(i, s)| !near(s) || found.contains(&i)));
            assert!(found.iter().all(|&i| spots[i as usize].role == Role::Character));
        }
    }

    #[test]
    fn floors_and_distance_keep_people_apart_by_themselves() {
        for b in [Vec3::Y * 3.0, Vec3::X * 0.7] {
            let (live, bodies) = pair(Vec3::ZERO, b);
            let mut crowd = Crowd::default();
            crowd.rebuild(&seen(&live, &bodies));
            assert_eq!(crowd.influence(0, &live[0], &bodies[0], 1.5), Influence::NONE);
        }
    }
}
