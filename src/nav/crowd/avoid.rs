//! Avoidance: the velocity that an agent takes among walls and neighbours, by ORCA and right-of-way rules.

use glam::Vec2;

use super::agent::Agent;
use super::context::CrowdContext;
use super::near_walls::MAX_WALLS;
use super::orca::{DiscPair, HalfPlane, MAX_PLANES, best_velocity};
use super::snapshot::AgentSnapshot;
use crate::math::plan::to_plan;

/// Time horizon of walls, seconds.
pub(super) const WALL_SECS: f32 = 0.15;
/// Time in which overlapping agents separate, seconds.
const SEPARATION_SECS: f32 = 0.4;
/// Share of the avoidance that the agent nearer to its goal leaves to the other, on top of half.
const PRIORITY: f32 = 0.15;
/// Share that a walking agent leaves to a standing one, on top of half.
const YIELDING: f32 = 0.3;
/// Time for which an agent stands to let another pass, seconds.
const YIELD_SECS: f32 = 1.0;
/// Time by which an agent behind a yielding one stands less, seconds.
const YIELD_LESS_SECS: f32 = 0.3;
/// Time to move to the right lane and to leave it again, seconds.
const KEEP_RIGHT_SECS: (f32, f32) = (0.3, 3.0);
/// Time after which two opposed agents count as stuck, seconds.
const STUCK_SECS: f32 = 0.25;
/// Time without progress after which an agent no longer avoids standing agents that have given way already, seconds.
const JAM_SECS: f32 = 1.0;
/// Speed of an agent that backs off, as a fraction of its preferred speed: it has to leave a place in which two do not
/// pass before they make themselves narrow.
const BACK_OFF_SPEED: f32 = 0.3;
/// Speed of a standing agent that makes way, as a fraction of its maximum speed.
const ASIDE: f32 = 0.6;
/// Distance from its rest position up to which a standing agent makes way, metres: two bodies and a gap.
pub(super) const MAX_ASIDE: f32 = 0.9;
/// Distance ahead of a walking agent at which others make way, metres.
const ASIDE_AHEAD: f32 = 1.0;
/// Gap left to a passing agent, metres.
const ASIDE_GAP: f32 = 0.1;
/// Gap below which an agent lets an opposed one pass, metres.
const YIELD_GAP: f32 = 0.4;
/// Distance at which an agent starts to keep to the right of oncoming ones, metres.
const ONCOMING_REACH: f32 = 4.0;
/// Lateral speed towards the right, as a fraction of the preferred speed.
const KEEP_RIGHT_SHARE: f32 = 0.35;
/// Gap left to the agent ahead, metres.
const FOLLOWING_GAP: f32 = 0.15;
/// Time in which the gap is closed, seconds.
const FOLLOWING_GAP_SECS: f32 = 0.4;

impl Agent {
    /// Chooses the velocity of the next step.
    pub(super) fn avoid(&mut self, own: u32, context: &CrowdContext) {
        // Since it avoided last.
        let dt_secs = context.dt_secs * context.turns as f32;
        if self.rests_among_resting(own, context) {
            // Every half-plane permits to stand.
            self.is_opposed = false;
            self.keep_right = (self.keep_right - dt_secs / KEEP_RIGHT_SECS.1).max(0.0);
            return;
        }
        let at = to_plan(self.position);
        let mut planes = [HalfPlane::default(); MAX_PLANES];
        let hard = self.walls.planes(at, self.clearance(), WALL_SECS, &mut planes[..MAX_WALLS]);
        let mut count = hard;
        let mine = &context.snapshots[own as usize];
        let mut preferred_velocity = self.preferred_velocity;
        let (mut right, mut limit, mut aside) = (0.0f32, f32::INFINITY, Vec2::ZERO);
        self.is_opposed = false;
        self.yield_secs = (self.yield_secs - dt_secs).max(0.0);
        let near = self.neighbors;
        for i in near.iter() {
            let other = &context.snapshots[i as usize];
            if count == MAX_PLANES || self.walls.separate(at, other.at, self.erosion()) {
                continue;
            }
            let offset = offset_between(at, other.at, own, i);
            if mine.heading() != Vec2::ZERO && other.heading() != Vec2::ZERO {
                right = right.max(oncoming(mine, other, offset));
                limit = limit.min(following(mine, other, offset));
            }
            if mine.course != Vec2::ZERO && other.course != Vec2::ZERO {
                self.yield_to(mine, other, offset, (own, i));
            }
            if mine.heading() == Vec2::ZERO && other.heading() != Vec2::ZERO {
                aside += step_aside(mine, other, offset);
            }
            if mine.stays_for(other) {
                continue;
            }
            // The agent that goes first is met with its intended velocity, else neither would begin.
            let first = goes_first(mine, other, (own, i));
            let own_velocity = if first { mine.intent } else { self.velocity };
            let (others, share) = match (first, other.stays_for(mine)) {
                (_, true) => (Vec2::ZERO, 1.0),
                (true, _) => (other.velocity, avoidance_share(mine, other, first)),
                (false, _) => (other.intent, avoidance_share(mine, other, first)),
            };
            let pair = DiscPair { offset, approach: own_velocity - others, radius: mine.radius + other.radius };
            let (change, normal) = pair.change(self.settings.horizon_secs, SEPARATION_SECS);
            planes[count] = HalfPlane::new(own_velocity + change * share, normal);
            count += 1;
        }
        let change_of_lane = if right > 0.0 { dt_secs / KEEP_RIGHT_SECS.0 } else { -dt_secs / KEEP_RIGHT_SECS.1 };
        self.keep_right = (self.keep_right + change_of_lane).clamp(0.0, 1.0);
        // The sideways part keeps full speed: slowed like the backward part, an agent met at a wall would be pushed back along it.
        let to_right = mine.heading().perp() * (right * KEEP_RIGHT_SHARE * preferred_velocity.length());
        if self.yield_secs > 0.0 {
            preferred_velocity *= -BACK_OFF_SPEED;
        }
        let speed = preferred_velocity.length().max(to_right.length());
        preferred_velocity = (preferred_velocity + to_right).clamp_length_max(speed);
        if limit < speed {
            preferred_velocity *= limit / speed;
        }
        preferred_velocity += self.near_rest(at, aside).clamp_length_max(1.0) * (ASIDE * self.settings.max_speed);
        let best = best_velocity(&planes[..count], hard, self.settings.max_speed, preferred_velocity);
        let most = self.settings.max_acceleration * dt_secs;
        let next = self.velocity + (best - self.velocity).clamp_length_max(most);
        self.velocity = if next.is_finite() { next } else { Vec2::ZERO };
    }
}

impl Agent {
    /// Whether it stands and means to, and so do all neighbours, none of which overlaps it.
    fn rests_among_resting(&self, own: u32, context: &CrowdContext) -> bool {
        let mine = &context.snapshots[own as usize];
        let rests = mine.is_at_rest() && self.preferred_velocity == Vec2::ZERO && self.yield_secs == 0.0;
        rests
            && self.neighbors.iter().map(|i| &context.snapshots[i as usize]).all(|other| {
                let room = mine.radius + other.radius;
                other.is_at_rest() && mine.at.distance_squared(other.at) >= room * room
            })
    }

    /// The step aside that a standing agent takes: the less, the farther from its rest position it leads.
    fn near_rest(&self, at: Vec2, aside: Vec2) -> Vec2 {
        let off = at - self.rest_position;
        let leads_off = self.external_path.is_none() && off.dot(aside) > 0.0;
        if leads_off { aside * (1.0 - off.length() / MAX_ASIDE).max(0.0) } else { aside }
    }

    /// Stands for a while for an opposed agent that goes first, or behind agents that do.
    fn yield_to(&mut self, mine: &AgentSnapshot, other: &AgentSnapshot, offset: Vec2, numbers: (u32, u32)) {
        let gap = offset.length() - mine.radius - other.radius;
        let ahead = mine.course.dot(offset) / offset.length();
        if gap > YIELD_GAP || ahead < 0.0 {
            return;
        }
        let along = mine.course.dot(other.course);
        if along < 0.0 && other.course.dot(offset) < 0.0 && mine.stuck_secs.max(other.stuck_secs) > STUCK_SECS {
            self.is_opposed = true;
            if !mine.precedes(other, numbers.0, numbers.1) && other.yield_secs == 0.0 {
                self.yield_secs = YIELD_SECS;
            }
        } else if along > 0.5 && ahead > 0.5 && !mine.precedes(other, numbers.0, numbers.1) {
            self.yield_secs = self.yield_secs.max(other.yield_secs - YIELD_LESS_SECS);
        }
    }
}

impl AgentSnapshot {
    /// Whether it stands, has made way for the other as far as it does, and the other has to go around it.
    fn stays_for(&self, other: &AgentSnapshot) -> bool {
        self.is_firm && other.heading() != Vec2::ZERO && other.stuck_secs < JAM_SECS
    }

    /// Whether it goes first where two meet.
    fn precedes(&self, other: &AgentSnapshot, own: u32, number: u32) -> bool {
        (self.remaining, own) < (other.remaining, number)
    }
}

/// Offset between two positions, never zero: coinciding agents separate in distinct directions.
pub(super) fn offset_between(from: Vec2, to: Vec2, own: u32, other: u32) -> Vec2 {
    let offset = to - from;
    if offset.length_squared() > 1e-8 {
        return offset;
    }
    let (low, high) = (own.min(other), own.max(other));
    let turn = (low.wrapping_mul(0x9e37_79b1) ^ high.wrapping_mul(0x85eb_ca77)) as f32 / u32::MAX as f32;
    let direction = Vec2::from_angle(turn * std::f32::consts::TAU) * 1e-4;
    if own < other { direction } else { -direction }
}

/// Whether the other makes way more than `mine`.
fn goes_first(mine: &AgentSnapshot, other: &AgentSnapshot, numbers: (u32, u32)) -> bool {
    match (mine.heading() != Vec2::ZERO, other.heading() != Vec2::ZERO) {
        (true, false) => true,
        (false, true) => false,
        _ => mine.precedes(other, numbers.0, numbers.1),
    }
}

/// Share of the avoidance that `mine` takes.
fn avoidance_share(mine: &AgentSnapshot, other: &AgentSnapshot, first: bool) -> f32 {
    let share = match (mine.heading() != Vec2::ZERO, other.heading() != Vec2::ZERO) {
        (true, true) => PRIORITY,
        (false, false) => 0.0,
        _ => YIELDING,
    };
    if first { 0.5 - share } else { 0.5 + share }
}

/// How much an agent keeps to the right of an oncoming one, 0 to 1.
fn oncoming(mine: &AgentSnapshot, other: &AgentSnapshot, offset: Vec2) -> f32 {
    let against = -mine.heading().dot(other.heading());
    let (ahead, aside) = (mine.heading().dot(offset), mine.heading().perp_dot(offset));
    let width = mine.radius + other.radius;
    // An agent farther to the left than the width is passed as it is.
    if against < 0.3 || !(0.0..ONCOMING_REACH).contains(&ahead) || !(-width..1.5 * width).contains(&aside) {
        return 0.0;
    }
    against * (1.0 - ahead / ONCOMING_REACH)
}

/// Direction in which a standing agent leaves the line of a walking one, length at most 1.
fn step_aside(mine: &AgentSnapshot, other: &AgentSnapshot, offset: Vec2) -> Vec2 {
    let (ahead, beside) = (-other.heading().dot(offset), -other.heading().perp_dot(offset));
    let width = mine.radius + other.radius + ASIDE_GAP;
    if ahead < 0.0 || ahead > ASIDE_AHEAD + width || beside.abs() > width {
        return Vec2::ZERO;
    }
    let side = if beside < 0.0 { -1.0 } else { 1.0 };
    other.heading().perp() * (side * (1.0 - beside.abs() / width))
}

/// Maximum speed behind the agent ahead, m/s; infinite if there is none ahead.
fn following(mine: &AgentSnapshot, other: &AgentSnapshot, offset: Vec2) -> f32 {
    let distance = offset.length();
    let ahead = mine.heading().dot(offset);
    if mine.heading().dot(other.heading()) < 0.5 || ahead < 0.8 * distance {
        return f32::INFINITY;
    }
    let gap = distance - mine.radius - other.radius;
    (other.velocity.dot(mine.heading()).max(0.0) + (gap - FOLLOWING_GAP) / FOLLOWING_GAP_SECS).max(0.0)
}
