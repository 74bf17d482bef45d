//! Spring arm: a camera follows its target with a lag, as if it hung on a critically damped spring.

use super::follow::Target;
use crate::math::angle::wrap_rad;
use glam::Vec3;

/// From here on the target was put elsewhere, and the camera goes there at once, metres.
const TELEPORT: f32 = 5.0;
/// What is nearer than this and as slow has come to rest, metres and radians, per second.
const STILL: f32 = 1e-3;

/// Where the end of the arm is, and how fast it moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpringArm {
    state: Option<ArmState>,
}

#[derive(Clone, Copy, Debug)]
struct ArmState {
    target: Target,
    velocity: Vec3,
    turn_rate_rad: f32,
}

impl SpringArm {
    /// Follows a target, about `lag_secs` behind it; without a lag it is a rigid arm. Returns whether it still moves.
    pub fn follow(&mut self, target: Option<&Target>, lag_secs: f32, dt_secs: f32) -> bool {
        let Some(target) = target.filter(|_| lag_secs > 0.0) else {
            self.state = None;
            return false;
        };
        let start = ArmState { target: *target, velocity: Vec3::ZERO, turn_rate_rad: 0.0 };
        let state = self.state.get_or_insert(start);
        if !state.target.position.is_finite() || state.target.position.distance(target.position) > TELEPORT {
            *state = start;
            return true;
        }
        let dt = if dt_secs.is_finite() { dt_secs.clamp(0.0, 0.25) } else { 0.0 };
        let omega = 2.0 / lag_secs;
        let decay = (-omega * dt).exp();
        // Exact solution of x'' + 2ωx' + ω²x = 0 for the offset from the target.
        let off = state.target.position - target.position;
        let bend = state.velocity + off * omega;
        state.target.position = target.position + (off + bend * dt) * decay;
        state.velocity = (state.velocity - bend * (omega * dt)) * decay;
        let off_rad = wrap_rad(state.target.yaw_rad - target.yaw_rad);
        let bend_rad = state.turn_rate_rad + off_rad * omega;
        state.target.yaw_rad = wrap_rad(target.yaw_rad + (off_rad + bend_rad * dt) * decay);
        state.turn_rate_rad = (state.turn_rate_rad - bend_rad * omega * dt) * decay;
        off.length() > STILL || off_rad.abs() > STILL || state.velocity.length() > STILL
    }

    /// Where the arm hangs; none for a rigid arm.
    pub fn target(&self) -> Option<Target> {
        self.state.map(|state| state.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32) -> Target {
        Target { position: Vec3::X * x, yaw_rad: x }
    }

    #[test]
    fn the_arm_lags_behind_and_comes_to_rest_without_swinging_over() {
        let mut arm = SpringArm::default();
        arm.follow(Some(&at(0.0)), 0.5, 0.01);
        let mut before = 0.0;
        for frame in 0..400 {
            let moving = arm.follow(Some(&at(1.0)), 0.5, 0.01);
            let x = arm.target().unwrap().position.x;
            assert!((before..=1.0).contains(&x), "frame {frame}: {before} then {x}");
            assert!(moving || x > 0.99);
            before = x;
        }
        assert!(!arm.follow(Some(&at(1.0)), 0.5, 0.01), "a resting arm asks for no frames");
        assert!((arm.target().unwrap().yaw_rad - 1.0).abs() < 1e-2);
    }

    #[test]
    fn the_same_time_in_other_steps_leads_to_the_same_place() {
        let run = |steps: usize| {
            let mut arm = SpringArm::default();
            arm.follow(Some(&at(0.0)), 0.4, 0.1);
            (0..steps).for_each(|_| _ = arm.follow(Some(&at(2.0)), 0.4, 0.6 / steps as f32));
            arm.target().unwrap().position.x
        };
        assert!((run(10) - run(60)).abs() < 1e-3);
    }

    #[test]
    fn far_jumps_and_rigid_arms_do_not_lag() {
        let mut arm = SpringArm::default();
        arm.follow(Some(&at(0.0)), 0.5, 0.01);
        arm.follow(Some(&at(50.0)), 0.5, 0.01);
        assert_eq!(arm.target().unwrap().position.x, 50.0);
        arm.follow(Some(&at(0.0)), 0.0, 0.01);
        assert!(arm.target().is_none());
    }
}
