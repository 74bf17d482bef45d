//! The velocity that an agent takes in view of walls and neighbours.

use glam::Vec2;

use super::orca::{HalfPlane, MOST_PLANES, Pair, best_velocity};
use super::step::Context;
use super::walls::MOST_WALLS;
use super::{Agent, Body};
use crate::math::plan::to_plan;

/// For how long walls are kept clear of ahead, seconds.
const WALL_SECS: f32 = 0.15;
/// Within which time those who overlap part, seconds.
const PARTING_SECS: f32 = 0.4;
/// How much of the burden of avoiding who is nearer to the goal leaves to the other.
const PRIORITY: f32 = 0.15;
/// How much of it who walks leaves to who stands.
const YIELDING: f32 = 0.3;
/// For how long one stands to let another pass, seconds.
const YIELD_SECS: f32 = 1.0;
/// How much shorter who is behind one who lets pass stands, seconds.
const YIELD_LESS_SECS: f32 = 0.3;
/// How long it takes to choose the right lane and to give it up again, seconds.
const LANE_SECS: (f32, f32) = (0.3, 3.0);
/// From when on two who meet are stuck, seconds.
const STUCK_SECS: f32 = 0.25;
/// How fast one steps back to let another pass, as a share of the wanted speed.
const BACK: f32 = 0.15;
/// How fast one who stands makes way, as a share of the most speed.
const ASIDE: f32 = 0.6;
/// How far ahead of who walks one makes way, metres.
const ASIDE_AHEAD: f32 = 1.0;
/// The gap that one leaves to who passes, metres.
const ASIDE_GAP: f32 = 0.1;
/// How near one comes to whom one lets pass, metres.
const YIELD_GAP: f32 = 0.4;
/// How far ahead one keeps to the right of who comes the other way, metres.
const ONCOMING: f32 = 4.0;
/// How strongly, as a share of the wanted speed.
const RIGHT: f32 = 0.35;
/// The gap that one leaves to who goes ahead, metres.
const GAP: f32 = 0.15;
/// How fast the gap is closed, seconds.
const GAP_SECS: f32 = 0.4;

impl Agent {
    /// Sets the velocity for the next step.
    pub(super) fn avoid(&mut self, own: u32, context: &Context) {
        let at = to_plan(self.position);
        let mut planes = [HalfPlane::default(); MOST_PLANES];
        let hard = self.walls.planes(at, self.clearance(), WALL_SECS, &mut planes[..MOST_WALLS]);
        let mut count = hard;
        let mine = &context.bodies[own as usize];
        let mut wanted = self.wanted;
        let (mut right, mut limit, mut aside) = (0.0f32, f32::INFINITY, Vec2::ZERO);
        self.opposed = false;
        self.yield_secs = (self.yield_secs - context.dt_secs).max(0.0);
        let near = self.near;
        for i in near.iter() {
            let other = &context.bodies[i as usize];
            if count == MOST_PLANES || self.walls.part(at, other.at) {
                continue;
            }
            let offset = apart(at, other.at, own, i);
            if mine.heading != Vec2::ZERO && other.heading != Vec2::ZERO {
                right = right.max(oncoming(mine, other, offset));
                limit = limit.min(following(mine, other, offset));
            }
            if mine.course != Vec2::ZERO && other.course != Vec2::ZERO {
                self.give_way(mine, other, offset, (own, i));
            }
            if mine.heading == Vec2::ZERO && other.heading != Vec2::ZERO {
                aside += step_aside(mine, other, offset);
            }
            // Who goes first is met as it means to go, else neither would begin.
            let first = goes_first(mine, other, (own, i));
            let own_velocity = if first { mine.intent } else { self.velocity };
            let others = if first { other.velocity } else { other.intent };
            let pair = Pair { offset, approach: own_velocity - others, radius: mine.radius + other.radius };
            let (change, normal) = pair.change(self.settings.horizon_secs, PARTING_SECS);
            planes[count] = HalfPlane::new(own_velocity + change * burden(mine, other, first), normal);
            count += 1;
        }
        let lane = if right > 0.0 { context.dt_secs / LANE_SECS.0 } else { -context.dt_secs / LANE_SECS.1 };
        self.lane = (self.lane + lane).clamp(0.0, 1.0);
        if self.yield_secs > 0.0 {
            wanted *= -BACK;
        }
        let speed = wanted.length();
        if right > 0.0 {
            wanted = (wanted + mine.heading.perp() * (right * RIGHT * speed)).clamp_length_max(speed);
        }
        if limit < speed {
            wanted *= limit / speed;
        }
        wanted += aside.clamp_length_max(1.0) * (ASIDE * self.settings.max_speed);
        let best = best_velocity(&planes[..count], hard, self.settings.max_speed, wanted);
        let most = self.settings.max_acceleration * context.dt_secs;
        let next = self.velocity + (best - self.velocity).clamp_length_max(most);
        self.velocity = if next.is_finite() { next } else { Vec2::ZERO };
    }
}

impl Agent {
    /// Stands for a while where someone comes the other way who is to go first, or where those ahead do.
    fn give_way(&mut self, mine: &Body, other: &Body, offset: Vec2, numbers: (u32, u32)) {
        let gap = offset.length() - mine.radius - other.radius;
        let ahead = mine.course.dot(offset) / offset.length();
        if gap > YIELD_GAP || ahead < 0.0 {
            return;
        }
        let along = mine.course.dot(other.course);
        if along < 0.0 && other.course.dot(offset) < 0.0 && mine.stuck_secs.max(other.stuck_secs) > STUCK_SECS {
            self.opposed = true;
            if !mine.precedes(other, numbers.0, numbers.1) && other.yield_secs == 0.0 {
                self.yield_secs = YIELD_SECS;
            }
        } else if along > 0.5 && ahead > 0.5 && !mine.precedes(other, numbers.0, numbers.1) {
            self.yield_secs = self.yield_secs.max(other.yield_secs - YIELD_LESS_SECS);
        }
    }
}

impl Body {
    /// Whether it goes first where two meet.
    fn precedes(&self, other: &Body, own: u32, number: u32) -> bool {
        (self.rest, own) < (other.rest, number)
    }
}

/// From one place to another, never zero: who stands on one spot parts in directions that differ.
pub(super) fn apart(from: Vec2, to: Vec2, own: u32, other: u32) -> Vec2 {
    let offset = to - from;
    if offset.length_squared() > 1e-8 {
        return offset;
    }
    let (low, high) = (own.min(other), own.max(other));
    let turn = (low.wrapping_mul(0x9e37_79b1) ^ high.wrapping_mul(0x85eb_ca77)) as f32 / u32::MAX as f32;
    let direction = Vec2::from_angle(turn * std::f32::consts::TAU) * 1e-4;
    if own < other { direction } else { -direction }
}

/// Whether the other has to make way more than `mine`.
fn goes_first(mine: &Body, other: &Body, numbers: (u32, u32)) -> bool {
    match (mine.heading != Vec2::ZERO, other.heading != Vec2::ZERO) {
        (true, false) => true,
        (false, true) => false,
        _ => mine.precedes(other, numbers.0, numbers.1),
    }
}

/// Share of avoiding that falls on `mine`.
fn burden(mine: &Body, other: &Body, first: bool) -> f32 {
    let share = match (mine.heading != Vec2::ZERO, other.heading != Vec2::ZERO) {
        (true, true) => PRIORITY,
        (false, false) => 0.0,
        _ => YIELDING,
    };
    if first { 0.5 - share } else { 0.5 + share }
}

/// How much one keeps to the right: 0 to 1.
fn oncoming(mine: &Body, other: &Body, offset: Vec2) -> f32 {
    let against = -mine.heading.dot(other.heading);
    let (ahead, aside) = (mine.heading.dot(offset), mine.heading.perp_dot(offset));
    let width = mine.radius + other.radius;
    // What lies to the left by more than the width is passed as it is.
    if against < 0.3 || !(0.0..ONCOMING).contains(&ahead) || !(-width..1.5 * width).contains(&aside) {
        return 0.0;
    }
    against * (1.0 - ahead / ONCOMING)
}

/// Where one who stands goes so that another can pass: out of the other's line, at most of length 1.
fn step_aside(mine: &Body, other: &Body, offset: Vec2) -> Vec2 {
    let (ahead, beside) = (-other.heading.dot(offset), -other.heading.perp_dot(offset));
    let width = mine.radius + other.radius + ASIDE_GAP;
    if ahead < 0.0 || ahead > ASIDE_AHEAD + width || beside.abs() > width {
        return Vec2::ZERO;
    }
    let side = if beside < 0.0 { -1.0 } else { 1.0 };
    other.heading.perp() * (side * (1.0 - beside.abs() / width))
}

/// How fast one may go behind who goes ahead, m/s.
fn following(mine: &Body, other: &Body, offset: Vec2) -> f32 {
    let distance = offset.length();
    let ahead = mine.heading.dot(offset);
    if mine.heading.dot(other.heading) < 0.5 || ahead < 0.8 * distance {
        return f32::INFINITY;
    }
    let gap = distance - mine.radius - other.radius;
    (other.velocity.dot(mine.heading).max(0.0) + (gap - GAP) / GAP_SECS).max(0.0)
}
