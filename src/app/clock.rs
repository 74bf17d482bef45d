//! Turns the time of frames into fixed simulation steps.

use crate::sim::STEP_SECS;
use std::time::Duration;

/// Most steps in one frame: a slow machine runs in slow motion rather than ever slower.
pub const MAX_STEPS: u32 = 5;
/// Steps of the simulation in a second.
pub const STEPS_PER_SEC: u64 = (1.0 / STEP_SECS + 0.5) as u64;

/// Play state, speed, and the time that is not simulated yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Whether time passes.
    pub playing: bool,
    /// Factor of real time.
    pub speed: f32,
    left_secs: f32,
    single: bool,
}

impl Default for Clock {
    fn default() -> Self {
        Self { playing: true, speed: 1.0, left_secs: 0.0, single: false }
    }
}

impl Clock {
    /// Asks for one step while time is held.
    pub fn step_once(&mut self) {
        self.playing = false;
        self.single = true;
    }

    /// Takes in the time of a frame and returns how many steps to make.
    pub fn advance(&mut self, dt: Duration) -> u32 {
        if std::mem::take(&mut self.single) {
            self.left_secs = 0.0;
            return 1;
        }
        if !self.playing {
            return 0;
        }
        self.left_secs += dt.as_secs_f32().min(1.0) * self.speed.clamp(0.0, 100.0);
        let most = MAX_STEPS * (self.speed.ceil().max(1.0) as u32).min(20);
        let steps = ((self.left_secs / STEP_SECS) as u32).min(most);
        self.left_secs = (self.left_secs - steps as f32 * STEP_SECS).min(STEP_SECS);
        steps
    }

    /// How far between the last two steps to draw, 0…1.
    pub fn alpha(&self) -> f32 {
        if self.playing { (self.left_secs / STEP_SECS).clamp(0.0, 1.0) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_becomes_steps_whatever_the_frame_rate() {
        for frames in [10, 60, 144, 250] {
            let mut clock = Clock::default();
            let dt = Duration::from_secs_f64(1.0 / f64::from(frames));
            let steps: u32 = (0..frames * 2).map(|_| clock.advance(dt)).sum();
            let wanted = if frames == 10 { 100..=100 } else { 119..=120 };
            assert!(wanted.contains(&steps), "{frames} frames a second made {steps} steps");
            assert!((0.0..=1.0).contains(&clock.alpha()));
        }
    }

    #[test]
    fn holds_steps_once_and_survives_a_long_wait() {
        let mut clock = Clock { playing: false, ..Clock::default() };
        assert_eq!(clock.advance(Duration::from_secs(1)), 0);
        clock.step_once();
        assert_eq!(clock.advance(Duration::ZERO), 1);
        assert_eq!(clock.advance(Duration::from_secs(1)), 0);
        assert_eq!(clock.alpha(), 1.0);
        clock.playing = true;
        assert_eq!(clock.advance(Duration::from_secs(3600)), MAX_STEPS);
        assert!(clock.advance(Duration::ZERO) <= 1, "time that was dropped must not come back");
    }
}
