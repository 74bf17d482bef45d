//! Crosses the links on a walker's way: from a link's start through the air, or straight on, to its end.
//!
//! A jump or a drop is a throw under gravity, which lands exactly where the link ends; any other link is walked in a
//! straight line. Gravity and walls wait until the walker is over. Who has begun comes over, even if the link, the
//! target or the mesh is gone by then.

use super::STEP_SECS;
use super::body::Body;
use super::event::EventKind;
use super::world::{Live, NavStatus};
use crate::collide::settings::GRAVITY;
use crate::math::angle;
use crate::math::plan::to_plan;
use crate::nav::follow::{heading_to, way_length};
use crate::nav::mesh::off_mesh::LinkKind;
use crate::vocab::MoveState;
use glam::{Vec2, Vec3};

/// How near one comes to a link's start, metres at scale 1.
const AT_START: f32 = 0.15;
/// How well one faces a link before one takes it, radians.
const FACING_RAD: f32 = 0.15;
/// Leaps lower and shorter than this are hops, metres at scale 1.
const LOW: f32 = 0.4;
const SHORT: f32 = 1.2;
/// How high a leap rises above its higher end: metres at scale 1, and share of its width.
const RISE: (f32, f32) = (0.15, 0.06);
/// Fastest way over the ground in a leap, in full speeds and metres per second: what would be faster rises higher.
const FASTEST: (f32, f32) = (3.0, 4.5);
/// Speed of those whose models have none, metres per second.
const USUAL_SPEED: f32 = 1.4;
/// Longest crossing, steps.
const LONGEST: f32 = 3600.0;
/// Pieces in which a crossing is drawn.
const PIECES: u32 = 12;

/// A link ahead of a walker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leap {
    /// The link starts at the way point that so many are left from, itself included; it ends at the next one.
    pub left: usize,
    /// Where it ends, world space.
    pub end: Vec3,
    /// How it is taken.
    pub kind: LinkKind,
}

/// A link that is being crossed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    from: Vec3,
    to: Vec3,
    /// Upward speed at the start of a throw; none on a straight way.
    rise_speed: Option<f32>,
    elapsed: u32,
    steps: u32,
}

impl Crossing {
    /// The crossing from `from` to `to` for someone of this full speed, metres per second, and scale.
    pub fn new(from: Vec3, to: Vec3, kind: LinkKind, full_speed: f32, scale: f32) -> Self {
        let speed = if full_speed > 0.0 { full_speed } else { USUAL_SPEED * scale };
        let thrown = kind != LinkKind::Placed;
        let secs = if thrown {
            let width = to_plan(from).distance(to_plan(to));
            let top = from.y.max(to.y) + if to.y < from.y { 0.5 } else { 1.0 } * (RISE.0 * scale + RISE.1 * width);
            let fall = |height: f32| (2.0 * height.max(0.0) / GRAVITY).sqrt();
            (fall(top - from.y) + fall(top - to.y)).max(width / (speed * FASTEST.0).max(FASTEST.1 * scale))
        } else {
            from.distance(to) / speed
        };
        let steps = (secs / STEP_SECS).ceil().clamp(1.0, LONGEST);
        let secs = steps * STEP_SECS;
        let rise_speed = thrown.then(|| (to.y - from.y) / secs + 0.5 * GRAVITY * secs);
        Self { from, to, rise_speed, elapsed: 0, steps: steps as u32 }
    }

    /// Where one is after so many steps, world space.
    fn at(&self, step: f32) -> Vec3 {
        let straight = self.from.lerp(self.to, step / self.steps as f32);
        match self.rise_speed {
            Some(rise) => {
                let secs = step * STEP_SECS;
                straight.with_y(self.from.y + (rise - 0.5 * GRAVITY * secs) * secs)
            }
            None => straight,
        }
    }

    /// Speed over the ground, metres per second.
    fn speed(&self) -> f32 {
        to_plan(self.from).distance(to_plan(self.to)) / (self.steps as f32 * STEP_SECS)
    }

    /// Whether one is in the air on it.
    fn is_leap(&self) -> bool {
        self.rise_speed.is_some()
    }

    /// What is left of it, as a line in world space.
    pub fn line(&self) -> impl Iterator<Item = Vec3> + '_ {
        let (begin, end) = (self.elapsed as f32, self.steps as f32);
        (0..=PIECES).map(move |i| self.at(begin + (end - begin) * i as f32 / PIECES as f32))
    }
}

/// How many points of the way may be left behind before the next link begins.
pub fn before_link(live: &Live) -> usize {
    live.leaps.first().map_or(usize::MAX, |leap| live.path.len().saturating_sub(leap.left))
}

/// Stands at a link's start, turns to it and begins to cross it. Says whether there is nothing else to intend.
pub fn intend(live: &mut Live, body: &mut Body) -> bool {
    body.turns_to = None;
    if live.crossing.is_some() {
        body.shove = Vec2::ZERO;
        return true;
    }
    let Some(&leap) = live.leaps.first() else { return false };
    let Some(stride) = body.looks.stride else { return false };
    let (start, at) = (live.path.first().copied().unwrap_or(Vec3::INFINITY), live.now.position);
    let near = (start.y - at.y).abs() <= body.size.height
        && to_plan(start).distance(to_plan(at)) <= (AT_START * body.scale()).max(body.pace.speed * STEP_SECS);
    if live.path.len() != leap.left || live.nav != NavStatus::Walking || !live.on_ground || !near {
        return false;
    }
    let heading = heading_to(at, leap.end);
    let error = heading.map_or(0.0, |h| angle::shortest_turn_rad(body.pace.yaw_rad, h).abs());
    if error > FACING_RAD {
        (body.shove, body.wanted, body.turns_to) = (Vec2::ZERO, Vec2::ZERO, heading);
        if body.member.is_none() {
            body.pace.advance(&stride, heading, 0.0, STEP_SECS);
        }
        return true;
    }
    let from = at.with_y(body.floor);
    let crossing = Crossing::new(from, leap.end, leap.kind, stride.full_speed, body.scale());
    body.pace.speed = crossing.speed().min(stride.full_speed);
    body.pace.yaw_rad = heading.unwrap_or(body.pace.yaw_rad);
    body.shove = Vec2::ZERO;
    live.crossing = Some(crossing);
    if crossing.is_leap() {
        body.orders.action = leaping_action(body, from, leap.end);
    }
    live.leaps.remove(0);
    live.path.remove(0);
    body.nav.leg_from = leap.end;
    body.nav.beyond_next = live.path.split_first().map_or(0.0, |(first, rest)| way_length(*first, rest));
    body.raised.raise(EventKind::LinkTaken);
    true
}

/// What one shows in the air: small leaps are hops, as far as the model's orders allow, others jumps.
fn leaping_action(body: &Body, from: Vec3, to: Vec3) -> Option<MoveState> {
    let low = (to.y - from.y).abs() < LOW * body.scale();
    let short = to_plan(from).distance(to_plan(to)) < SHORT * body.scale();
    let fitting = if low && short { [MoveState::Hop, MoveState::Jump] } else { [MoveState::Jump, MoveState::Hop] };
    let gait = if body.relative_speed() > 0.05 { MoveState::Walk } else { MoveState::Idle };
    fitting.into_iter().find(|&action| body.looks.rig.moves.allows(gait, action))
}

/// Goes on with a crossing for one step, in place of gravity and walls. Says whether there was one.
pub fn cross(live: &mut Live, body: &mut Body) -> bool {
    let Some(crossing) = &mut live.crossing else { return false };
    crossing.elapsed += 1;
    let now = crossing.at(crossing.elapsed as f32);
    let (over, to) = (crossing.elapsed >= crossing.steps, crossing.to);
    live.now.velocity = (now - live.now.position) / STEP_SECS;
    live.now.position = now;
    (live.on_ground, body.resting) = (false, false);
    if over {
        live.now.position = to;
        live.crossing = None;
        // The next contact finds the ground.
        (body.placed, body.fall_speed, body.floor) = (false, 0.0, to.y);
    }
    true
}

/// The way ahead as it is walked and leapt, world space, from where the walker is.
pub fn line_ahead(live: &Live) -> Vec<Vec3> {
    let mut line = Vec::with_capacity(live.path.len() + PIECES as usize);
    line.extend(live.crossing.iter().flat_map(|c| c.line().skip(1).collect::<Vec<_>>()));
    for (i, &point) in live.path.iter().enumerate() {
        line.push(point);
        if let Some(leap) = live.leaps.iter().find(|leap| leap.left + i == live.path.len()) {
            let arc = Crossing::new(point, leap.end, leap.kind, 0.0, 1.0);
            line.extend(arc.line().skip(1).take(PIECES as usize - 1));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaps_land_where_they_should_and_rise_as_gravity_has_it() {
        let from = Vec3::new(1.0, 2.0, -3.0);
        for to in [Vec3::new(4.0, 2.0, -3.0), Vec3::new(1.5, -1.0, -2.0), Vec3::new(3.0, 2.5, 0.0), from] {
            let leap = Crossing::new(from, to, LinkKind::Jump, 1.5, 1.0);
            let end = leap.steps as f32;
            assert!(leap.at(0.0) == from && leap.at(end).distance(to) < 1e-3, "{to}");
            let top = (0..=leap.steps).map(|s| leap.at(s as f32).y).fold(f32::MIN, f32::max);
            assert!(top > from.y.max(to.y) && top < from.y.max(to.y) + 1.0, "{to}: {top}");
            for step in 1..leap.steps {
                let s = step as f32;
                let bend = leap.at(s + 1.0).y - 2.0 * leap.at(s).y + leap.at(s - 1.0).y;
                assert!((bend / STEP_SECS.powi(2) + GRAVITY).abs() < 0.1, "{bend}");
            }
        }
    }

    #[test]
    fn other_links_are_walked_in_a_straight_line() {
        let (from, to) = (Vec3::ZERO, Vec3::new(3.0, 4.0, 0.0));
        let way = Crossing::new(from, to, LinkKind::Placed, 2.0, 1.0);
        assert_eq!(way.steps, (2.5 / STEP_SECS).round() as u32);
        assert!(way.line().all(|p| (p.y - p.x * 4.0 / 3.0).abs() < 1e-4));
    }
}
