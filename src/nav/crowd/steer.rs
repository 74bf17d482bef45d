//! Where an agent wants to go if it were alone: along its corners, slower before turns and at the end.

use glam::Vec2;

use super::step::Context;
use super::{Agent, State};
use crate::math::plan::to_plan;

/// A corner nearer than this is passed, metres.
const PASSED: f32 = 0.05;
/// How long before a corner the turn begins, seconds.
const TURN_SECS: f32 = 0.25;
/// Share of the most acceleration that is counted upon for braking.
const BRAKING: f32 = 0.5;
/// Share of the speed that the sharpest turn leaves.
const SHARPEST: f32 = 0.35;
/// How near one comes to a goal, metres.
const AT_GOAL: f32 = 0.1;
/// How fast who was pushed aside goes back: this share of the most speed.
const BACK: f32 = 0.5;
/// How far one is pushed from home before it is given up, metres.
const HOMESICK: f32 = 2.0;
/// After how long one who touches others at their common goal has arrived, seconds.
const PATIENCE_SECS: f32 = 1.5;
/// After how long one whom those who stand keep from its goal gives it up, seconds.
const BLOCKED_SECS: f32 = 5.0;
/// How near one counts as touching, metres.
const TOUCH: f32 = 0.08;

impl Agent {
    /// Sets the wanted velocity and the heading, and arrives.
    pub(super) fn steer(&mut self, context: &Context) {
        self.held = false;
        if let Some(drive) = self.drive {
            let wanted = to_plan(drive.wanted).clamp_length_max(self.settings.max_speed);
            (self.wanted, self.heading) = (wanted, wanted.normalize_or_zero());
            self.corners.list[..2].copy_from_slice(&drive.ahead[..2]);
            (self.corners.count, self.corners.ends) = (2, false);
            return self.mind_passages(context.passages);
        }
        if self.state == State::Walking {
            self.corners = self.way.corners(
                context.mesh,
                context.ground,
                self.position,
                self.goal,
                (self.settings.clearance, self.lane),
            );
            if self.is_there(context) {
                self.stand(State::Arrived);
                if to_plan(self.position).distance(to_plan(self.goal)) <= AT_GOAL {
                    self.home = to_plan(self.goal);
                }
            }
        }
        if self.state == State::Walking {
            self.walk_on(context.dt_secs);
            self.mind_passages(context.passages);
        } else {
            self.wanted = self.homewards(context);
            self.heading = Vec2::ZERO;
            self.approach = None;
        }
    }

    fn is_there(&mut self, context: &Context) -> bool {
        let at = to_plan(self.position);
        let apart = at.distance(to_plan(self.goal));
        if self.corners.count > 1 || !self.corners.ends {
            return false;
        }
        if apart <= AT_GOAL {
            return true;
        }
        if apart < self.closest - 0.05 {
            (self.closest, self.linger_secs) = (apart, 0.0);
        }
        self.linger_secs += context.dt_secs;
        let Some(target) = self.target else { return false };
        let ring = context.targets.ring(target, self.settings.radius);
        let tired = self.linger_secs > PATIENCE_SECS;
        let blocked = self.linger_secs > BLOCKED_SECS;
        self.near.iter().map(|i| &context.bodies[i as usize]).any(|other| {
            let touch = at.distance(other.at) < self.settings.radius + other.radius + TOUCH;
            let shared = other.arrived && other.target == Some(target);
            let blocks = blocked && apart < 2.0 * (self.settings.radius + other.radius) && other.heading == Vec2::ZERO;
            touch && (shared && (apart <= ring || tired) || blocks)
        })
    }

    fn walk_on(&mut self, dt_secs: f32) {
        let at = to_plan(self.position);
        let known = self.corners;
        let corners = &known.list[..known.count];
        let first = corners.iter().position(|&c| to_plan(c).distance(at) > PASSED).unwrap_or(self.corners.count);
        let Some(&corner) = corners.get(first) else {
            (self.wanted, self.heading) = ((to_plan(self.goal) - at) * 0.5, Vec2::ZERO);
            return;
        };
        let way = to_plan(corner) - at;
        let distance = way.length();
        let mut heading = way / distance;
        let (fastest, braking) = (self.settings.max_speed, BRAKING * self.settings.max_acceleration);
        let mut slowest = if self.corners.ends { 0.0 } else { fastest };
        if let Some(&beyond) = corners.get(first + 1) {
            let next = (to_plan(beyond) - to_plan(corner)).normalize_or_zero();
            let turn = (0.5 + 0.5 * heading.dot(next)).clamp(0.0, 1.0);
            slowest = fastest * (SHARPEST + (1.0 - SHARPEST) * turn);
            let begin = fastest * TURN_SECS;
            if distance < begin {
                heading = (heading + next * (0.5 * (1.0 - distance / begin))).normalize_or(heading);
            }
        }
        let speed = (slowest * slowest + 2.0 * braking * distance).sqrt().min(fastest);
        let speed = if slowest == 0.0 { speed.min(distance / dt_secs.max(1e-3)) } else { speed };
        (self.wanted, self.heading) = (heading * speed, heading);
    }

    /// Who stands goes back to where it stood, if nobody is there.
    fn homewards(&mut self, context: &Context) -> Vec2 {
        let way = self.home - to_plan(self.position);
        let distance = way.length();
        if distance > HOMESICK {
            self.home = to_plan(self.position);
            return Vec2::ZERO;
        }
        if distance < self.settings.radius.max(AT_GOAL) * 0.5 {
            return Vec2::ZERO;
        }
        let taken = self.near.iter().map(|i| &context.bodies[i as usize]).any(|other| {
            let room = self.settings.radius + other.radius;
            let coming = other.heading != Vec2::ZERO && (self.home - other.at).dot(other.heading) > 0.0;
            self.home.distance(other.at) < if coming { 4.0 * room } else { room }
        });
        if taken { Vec2::ZERO } else { way / distance * (BACK * self.settings.max_speed).min(2.0 * distance) }
    }
}
