//! Following a line: where to head, how fast, and when one has arrived.
//!
//! A walker moves where it faces. It turns at a limited rate, always the shorter way (exactly half a turn goes
//! left), and slows down while it faces the wrong way, so that it never circles a point it cannot reach.

use crate::math::angle;
use crate::math::plan::to_plan;
use glam::Vec3;

/// How an agent walks. No value is negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocomotionParams {
    /// Speed on a straight path, metres per second.
    pub full_speed: f32,
    /// Gain of speed, metres per second squared.
    pub acceleration: f32,
    /// Loss of speed, metres per second squared.
    pub braking: f32,
    /// Fastest turn, radians per second.
    pub turn_rate_rad: f32,
}

impl LocomotionParams {
    /// The parameters that go with a full speed, metres per second: half a second to reach it, a third to lose it. One that
    /// is negative or no number counts as 0.
    pub fn of_speed(full_speed: f32) -> Self {
        let full_speed = full_speed.max(0.0);
        Self {
            full_speed,
            acceleration: full_speed * 2.0,
            braking: full_speed * 3.0,
            turn_rate_rad: std::f32::consts::TAU,
        }
    }

    /// The parameters of legs that take time to turn on the spot, at a speed.
    pub fn stepping(self, speed: f32) -> Self {
        let share = (speed / (0.5 * self.full_speed).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        Self { turn_rate_rad: SPOT_TURN_RATE_RAD + (self.turn_rate_rad - SPOT_TURN_RATE_RAD) * share, ..self }
    }
}

/// Heading and speed of a walker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Locomotion {
    /// Heading about +Y, radians.
    pub yaw_rad: f32,
    /// Speed along the heading, metres per second, never negative.
    pub speed: f32,
}

/// Turn on the spot in small steps, radians per second.
const SPOT_TURN_RATE_RAD: f32 = 3.8;
/// Speeds below this are standing still, as a part of the full speed.
const STANDSTILL: f32 = 0.005;
/// Share of the speed that the sharpest bend leaves.
const SHARPEST: f32 = 0.35;
/// Facing error from which on one turns on the spot, radians.
const TURN_ON_THE_SPOT_RAD: f32 = 1.2;

impl Locomotion {
    /// One step towards a wanted heading (`None`: as it is) at a wanted speed.
    pub fn advance(&mut self, params: &LocomotionParams, heading_rad: Option<f32>, speed: f32, dt_secs: f32) {
        let mut wanted = speed.clamp(0.0, params.full_speed);
        if let Some(heading) = heading_rad {
            let error = angle::shortest_turn_rad(self.yaw_rad, heading);
            let most = params.turn_rate_rad * dt_secs;
            // Ease in: the last few degrees are turned more slowly, without ever standing still.
            let turn = (error.abs() * 0.25).max(most * 0.1).min(most).min(error.abs());
            self.yaw_rad = angle::wrap_rad(self.yaw_rad + turn.copysign(error));
            wanted *= (1.0 - error.abs() / TURN_ON_THE_SPOT_RAD).max(0.0);
        }
        let change = wanted - self.speed;
        self.speed += change.clamp(-params.braking * dt_secs, params.acceleration * dt_secs);
        if wanted <= 0.0 && self.speed <= params.full_speed * STANDSTILL {
            self.speed = 0.0;
        }
    }
}

/// Speed at which one can still stop within `distance` metres.
pub fn stopping_speed(params: &LocomotionParams, distance: f32) -> f32 {
    (2.0 * params.braking * distance.max(0.0)).sqrt()
}

/// Speed that leaves time to brake for the bends ahead: after them `SHARPEST` of the full speed is left at least.
pub fn corner_speed(params: &LocomotionParams, position: Vec3, line: &[Vec3]) -> f32 {
    let sight = params.full_speed * params.full_speed / (2.0 * params.braking.max(f32::MIN_POSITIVE));
    let (mut from, mut gone, mut first, mut limit) = (to_plan(position), 0.0, None, params.full_speed);
    for &point in line {
        let leg = to_plan(point) - from;
        let length = leg.length();
        if length > 1e-3 {
            let way = leg / length;
            let begin = *first.get_or_insert(way);
            let share = SHARPEST + (1.0 - SHARPEST) * (0.5 + 0.5 * begin.dot(way));
            let there = params.full_speed * share;
            limit = limit.min((there * there + 2.0 * params.braking * gone).sqrt());
        }
        gone += length;
        if gone > sight {
            break;
        }
        from = to_plan(point);
    }
    limit
}

/// Distance at which a walker stands on a point, metres.
const EXACT_REACH: f32 = 0.01;

/// When a point of a line counts as reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrivalRule {
    /// Within so many metres, or gone past on the way to the next.
    Within(f32),
    /// Stood on: for a walker that makes no progress, which may still be on the wrong side of a corner.
    Exactly,
}

/// Takes points off the front of a line that a walker at `position` has reached by a rule, and that lie within `height` above
/// or below it. Takes `most` at most and keeps the last point. Returns how many were taken.
pub fn drop_reached(line: &mut Vec<Vec3>, position: Vec3, rule: ArrivalRule, height: f32, most: usize) -> usize {
    let at = to_plan(position);
    let mut done = 0;
    while done < most && done + 1 < line.len() {
        let (here, next) = (to_plan(line[done]), to_plan(line[done + 1]));
        let level = (line[done].y - position.y).abs() <= height;
        let (near, past) = match rule {
            ArrivalRule::Within(metres) => {
                let past = at.distance(here) <= metres * 4.0 && (at - here).dot(next - here) > 0.0;
                (at.distance(here) <= metres, past)
            }
            ArrivalRule::Exactly => (at.distance(here) <= EXACT_REACH, false),
        };
        if !(level && (near || past)) {
            break;
        }
        done += 1;
    }
    line.drain(..done);
    done
}

/// The point so many metres ahead of `position` along `line`, or its end.
pub fn point_ahead(position: Vec3, line: &[Vec3], distance: f32) -> Vec3 {
    let (mut from, mut left) = (position, distance);
    for &point in line {
        let length = from.distance(point);
        if length > left {
            return from.lerp(point, left / length);
        }
        (from, left) = (point, left - length);
    }
    from
}

/// Length of the way from `position` along `line`.
pub fn way_length(position: Vec3, line: &[Vec3]) -> f32 {
    let mut from = position;
    line.iter()
        .map(|&p| {
            let length = from.distance(p);
            from = p;
            length
        })
        .sum()
}

/// Heading towards a point, `None` right at it.
pub fn heading_to(position: Vec3, point: Vec3) -> Option<f32> {
    let d = point - position;
    (d.x * d.x + d.z * d.z > 1e-6).then(|| angle::yaw_of_direction(d)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::PI;

    const DT: f32 = 1.0 / 60.0;

    #[test]
    fn every_turn_ends_where_it_should_half_turns_included() {
        let params = LocomotionParams::of_speed(1.5);
        for degrees in [-180.0_f32, -179.9, -90.0, -1.0, 0.0, 0.01, 45.0, 135.0, 179.999, 180.0] {
            for start in [0.0_f32, 1.0, PI, -2.5] {
                let mut locomotion = Locomotion { yaw_rad: start, speed: 0.0 };
                let goal = angle::wrap_rad(start + degrees.to_radians());
                let mut last = angle::shortest_turn_rad(locomotion.yaw_rad, goal).abs();
                for _ in 0..90 {
                    locomotion.advance(&params, Some(goal), 0.0, DT);
                    let error = angle::shortest_turn_rad(locomotion.yaw_rad, goal).abs();
                    assert!(error <= last + 1e-5, "turns away");
                    last = error;
                }
                assert!(last < 1e-3, "{degrees}° from {start}: {last} left");
            }
        }
    }

    #[test]
    fn a_point_beside_the_walker_is_not_circled() {
        let params = LocomotionParams::of_speed(4.0);
        let mut locomotion = Locomotion { yaw_rad: 0.0, speed: 4.0 };
        let (mut at, goal) = (Vec3::ZERO, Vec3::new(0.6, 0.0, 0.0));
        let arrived = (0..180).any(|_| {
            locomotion.advance(&params, heading_to(at, goal), stopping_speed(&params, at.distance(goal)), DT);
            at += angle::direction_of_yaw(locomotion.yaw_rad) * locomotion.speed * DT;
            at.distance(goal) < 0.1
        });
        assert!(arrived, "still {} away", at.distance(goal));
    }

    #[test]
    fn braking_ends_in_standing_still() {
        let params = LocomotionParams::of_speed(1.5);
        let mut locomotion = Locomotion { yaw_rad: 0.0, speed: 1.5 };
        for _ in 0..40 {
            locomotion.advance(&params, None, 0.0, DT);
            assert!(locomotion.speed >= 0.0);
        }
        assert_eq!(locomotion.speed, 0.0);
    }

    #[test]
    fn a_speed_that_is_negative_or_no_number_is_standing_still() {
        for speed in [-1.5, f32::NEG_INFINITY, f32::NAN] {
            let mut locomotion = Locomotion::default();
            locomotion.advance(&LocomotionParams::of_speed(speed), Some(1.0), 2.0, DT);
            assert_eq!(locomotion.speed, 0.0, "{speed}");
        }
    }

    #[test]
    fn bends_are_braked_for_in_time_and_straight_ways_are_not() {
        let params = LocomotionParams::of_speed(2.0);
        let straight = [Vec3::Z, Vec3::Z * 2.0, Vec3::Z * 3.0];
        assert_eq!(corner_speed(&params, Vec3::ZERO, &straight), 2.0);
        let mut last = 0.0;
        for far in [0.01, 0.1, 0.2, 0.3, 0.4, 2.0] {
            let speed = corner_speed(&params, Vec3::ZERO, &[Vec3::Z * far, Vec3::new(1.0, 0.0, far)]);
            assert!(speed > last || speed == 2.0, "{far}: {speed}");
            last = speed;
        }
        assert_eq!(last, 2.0);
        let back = corner_speed(&params, Vec3::ZERO, &[Vec3::Z * 0.01, Vec3::ZERO]);
        assert!(back < 0.8, "{back}");
        assert_eq!(corner_speed(&params, Vec3::ZERO, &[]), 2.0);
    }

    #[test]
    fn passed_points_fall_off_the_line() {
        let mut line = vec![Vec3::X, Vec3::X * 2.0, Vec3::X * 3.0];
        assert_eq!(drop_reached(&mut line, Vec3::X * 0.5, ArrivalRule::Within(0.2), 1.0, 9), 0);
        assert_eq!(drop_reached(&mut line, Vec3::X * 0.9, ArrivalRule::Within(0.2), 1.0, 9), 1);
        assert_eq!(drop_reached(&mut line, Vec3::new(2.3, 0.0, 0.4), ArrivalRule::Within(0.2), 1.0, 9), 1);
        assert_eq!(drop_reached(&mut line, Vec3::X * 3.0, ArrivalRule::Within(0.2), 1.0, 9), 0, "the last point stays");
        let mut linked = vec![Vec3::X, Vec3::X * 2.0];
        assert_eq!(
            drop_reached(&mut linked, Vec3::X, ArrivalRule::Within(0.2), 1.0, 0),
            0,
            "a link begins at the first point"
        );
        let mut above = vec![Vec3::Y * 3.0, Vec3::X];
        assert_eq!(
            drop_reached(&mut above, Vec3::ZERO, ArrivalRule::Within(0.2), 1.0, 9),
            0,
            "a point on another floor is not reached"
        );
        assert_eq!(way_length(Vec3::ZERO, &[Vec3::X, Vec3::X * 2.0]), 2.0);
        let bend = [Vec3::X, Vec3::new(1.0, 0.0, 2.0)];
        assert_eq!(point_ahead(Vec3::ZERO, &bend, 1.5), Vec3::new(1.0, 0.0, 0.5));
        assert_eq!([point_ahead(Vec3::ZERO, &bend, 9.0), point_ahead(Vec3::Y, &[], 1.0)], [bend[1], Vec3::Y]);
    }
}
