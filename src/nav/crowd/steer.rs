//! Steering: the preferred velocity of an agent along its corners, slower before turns and at the end.

use glam::Vec2;
use std::f32::consts::TAU;

use super::agent::{Agent, AgentState, StandingRing};
use super::context::CrowdContext;
use super::doorway::{BACK_OFF_SPEED, Doorways, SLOW_SECS};
use crate::math::plan::to_plan;

/// A corner nearer than this is passed, metres.
const CORNER_RADIUS: f32 = 0.05;
/// Time before a corner at which the turn begins, seconds.
const TURN_SECS: f32 = 0.25;
/// Fraction of the maximum acceleration used for braking.
const BRAKING: f32 = 0.5;
/// Fraction of the speed left in the sharpest turn.
const MIN_TURN_SPEED: f32 = 0.35;
/// Distance at which a goal is reached, metres.
const AT_GOAL: f32 = 0.1;
/// Speed of an agent returning to its rest position, as a fraction of its maximum.
const RETURN_SPEED: f32 = 0.5;
/// Distance from its ring at which a standing agent stands on it, metres.
const AT_PLACE: f32 = 0.015;
/// Number of places on a ring that are tried, and how far the nearest of them may be, metres: as far as walls are known.
const PLACES: i32 = 36;
const MAX_PLACE_DISTANCE: f32 = 1.1;
/// How much nearer than two bodies another may stand to such a place, metres: both move a little, and do not overlap to be
/// seen.
const PLACE_SLACK: f32 = 0.02;
/// Distance from the rest position at which it is given up, metres.
const MAX_REST_OFFSET: f32 = 2.0;
/// Time after which an agent touching others that arrived at their shared goal has arrived, seconds.
const CROWDED_GOAL_SECS: f32 = 1.5;
/// Time after which an agent kept from its goal by standing agents gives up, seconds.
const BLOCKED_SECS: f32 = 5.0;
/// Gap below which agents touch, metres.
const TOUCH_GAP: f32 = 0.08;

impl Agent {
    /// Sets the preferred velocity and the heading, and detects arrival.
    pub(super) fn steer(&mut self, context: &CrowdContext) {
        self.is_held = false;
        if let Some(path) = self.external_path {
            let preferred_velocity = to_plan(path.preferred_velocity).clamp_length_max(self.settings.max_speed);
            (self.preferred_velocity, self.heading) = (preferred_velocity, preferred_velocity.normalize_or_zero());
            self.corners.list[..2].copy_from_slice(&path.points[..2]);
            (self.corners.count, self.corners.ends) = (2, false);
            return self.heed_doorways(context.doorways);
        }
        if self.state == AgentState::Walking {
            self.corners = self.corridor.corners(
                context.mesh,
                context.crowd_mesh,
                self.position,
                self.goal,
                (self.settings.clearance, self.keep_right),
            );
            if self.has_arrived(context) {
                self.stand(AgentState::Arrived);
                if to_plan(self.position).distance(to_plan(self.goal)) <= AT_GOAL {
                    self.rest_position = to_plan(self.goal);
                }
            }
        }
        if self.state == AgentState::Walking {
            self.follow_corners(context.dt_secs);
            self.heed_doorways(context.doorways);
        } else {
            self.preferred_velocity = self.return_to_rest(context);
            self.heading = Vec2::ZERO;
            self.approach = None;
        }
    }

    fn has_arrived(&mut self, context: &CrowdContext) -> bool {
        let at = to_plan(self.position);
        let apart = at.distance(to_plan(self.goal));
        if self.corners.count > 1 || !self.corners.ends {
            return false;
        }
        if apart <= AT_GOAL {
            return true;
        }
        if apart < self.closest_distance - 0.05 {
            (self.closest_distance, self.stalled_secs) = (apart, 0.0);
        }
        self.stalled_secs += context.dt_secs;
        let Some(shared_goal) = self.shared_goal else { return false };
        let ring = context.goals.arrival_radius(shared_goal, self.settings.radius);
        let tired = self.stalled_secs > CROWDED_GOAL_SECS;
        let blocked = self.stalled_secs > BLOCKED_SECS;
        self.neighbors.iter().map(|i| &context.snapshots[i as usize]).any(|other| {
            let touch = at.distance(other.at) < self.settings.radius + other.radius + TOUCH_GAP;
            let shared = other.arrived_at == shared_goal;
            let blocks =
                blocked && apart < 2.0 * (self.settings.radius + other.radius) && other.heading() == Vec2::ZERO;
            touch && (shared && (apart <= ring || tired) || blocks)
        })
    }

    fn follow_corners(&mut self, dt_secs: f32) {
        let at = to_plan(self.position);
        let known = self.corners;
        let corners = &known.list[..known.count];
        let first = corners.iter().position(|&c| to_plan(c).distance(at) > CORNER_RADIUS).unwrap_or(self.corners.count);
        let Some(&corner) = corners.get(first) else {
            (self.preferred_velocity, self.heading) = ((to_plan(self.goal) - at) * 0.5, Vec2::ZERO);
            return;
        };
        let way = to_plan(corner) - at;
        let distance = way.length();
        let mut heading = way / distance;
        if let Some(passed) = first.checked_sub(1).and_then(|i| corners.get(i)) {
            // Onto the line from there: the wall beside a corner would hold an agent that goes straight on.
            let aside = (to_plan(*passed) - at).reject_from_normalized(heading);
            heading = (heading + aside / CORNER_RADIUS).normalize_or(heading);
        }
        let (fastest, braking) = (self.settings.max_speed, BRAKING * self.settings.max_acceleration);
        let mut slowest = if self.corners.ends { 0.0 } else { fastest };
        if let Some(&beyond) = corners.get(first + 1) {
            let next = (to_plan(beyond) - to_plan(corner)).normalize_or_zero();
            let turn = (0.5 + 0.5 * heading.dot(next)).clamp(0.0, 1.0);
            slowest = fastest * (MIN_TURN_SPEED + (1.0 - MIN_TURN_SPEED) * turn);
            let begin = fastest * TURN_SECS;
            if distance < begin {
                heading = (heading + next * (0.5 * (1.0 - distance / begin))).normalize_or(heading);
            }
        }
        let speed = (slowest * slowest + 2.0 * braking * distance).sqrt().min(fastest);
        let speed = if slowest == 0.0 { speed.min(distance / dt_secs.max(1e-3)) } else { speed };
        (self.preferred_velocity, self.heading) = (heading * speed, heading);
    }

    /// Preferred velocity of a standing agent: back to its rest position if that is free, else to its ring.
    fn return_to_rest(&mut self, context: &CrowdContext) -> Vec2 {
        let way = self.rest_position - to_plan(self.position);
        let distance = way.length();
        if distance > MAX_REST_OFFSET {
            self.rest_position = to_plan(self.position);
            return Vec2::ZERO;
        }
        let speed = |distance: f32| (RETURN_SPEED * self.settings.max_speed).min(2.0 * distance);
        if distance >= self.settings.radius.max(AT_GOAL) * 0.5 && !self.is_taken(self.rest_position, context) {
            return way / distance * speed(distance);
        }
        self.place_on_ring(context).map_or(Vec2::ZERO, |place| {
            let way = place - to_plan(self.position);
            way.normalize_or_zero() * speed(way.length())
        })
    }

    /// The nearest free place on its ring; `None` while it stands on one or none is near.
    fn place_on_ring(&self, context: &CrowdContext) -> Option<Vec2> {
        let (StandingRing { center, radius }, at) = (self.standing_ring?, to_plan(self.position));
        if ((at - center).length() - radius).abs() < AT_PLACE {
            return None;
        }
        let nearest = (at - center).normalize_or(Vec2::X) * radius;
        let turns = (0..PLACES).map(|i| if i % 2 == 0 { i / 2 } else { -(i + 1) / 2 });
        let places = turns.map(|turn| center + Vec2::from_angle(turn as f32 * TAU / PLACES as f32).rotate(nearest));
        places
            .filter(|place| place.distance(at) < MAX_PLACE_DISTANCE)
            .find(|&place| !self.is_occupied(place, context) && !self.walls.separate(at, place, 0.0))
    }

    /// Whether another stands at a place or comes to it.
    fn is_taken(&self, place: Vec2, context: &CrowdContext) -> bool {
        self.neighbors.iter().map(|i| &context.snapshots[i as usize]).any(|other| {
            let room = self.settings.radius + other.radius;
            let coming = other.heading() != Vec2::ZERO && (place - other.at).dot(other.heading()) > 0.0;
            place.distance(other.at) < if coming { 4.0 * room } else { room }
        })
    }

    /// Whether another stands so near to a place that none could stand there even if both moved a little.
    fn is_occupied(&self, place: Vec2, context: &CrowdContext) -> bool {
        self.neighbors
            .iter()
            .map(|i| &context.snapshots[i as usize])
            .any(|other| place.distance(other.at) < self.settings.radius + other.radius - PLACE_SLACK)
    }
}

impl Agent {
    /// Slows down before a doorway where others have the right of way, and waits at a distance.
    fn heed_doorways(&mut self, doorways: &Doorways) {
        let corners = match &self.external_path {
            Some(path) => &path.points[..],
            None => &self.corners.list[..self.corners.count],
        };
        self.approach = doorways.ahead(self.place(), self.settings.radius, corners, self.approach);
        let Some(approach) = self.approach.filter(|a| doorways.must_wait(a)) else { return };
        let room = approach.distance - doorways.waiting_distance(&approach);
        let speed = self.preferred_velocity.length();
        self.is_held = room < 0.5 || self.velocity.length() < 0.3 * self.settings.max_speed;
        if room < 0.0 {
            self.preferred_velocity *= -BACK_OFF_SPEED;
        } else if room < speed * SLOW_SECS {
            self.preferred_velocity *= room / (speed * SLOW_SECS);
        }
    }
}
