//! Plays an allowed order: a state, and the action that follows it, again and again.

use crate::anim::Playback;
use crate::anim::animation_set::AnimationSet;
use crate::anim::animation_step::AnimationInput;
use crate::anim::controller::AnimationController;
use crate::anim::gait::Gait;
use crate::vocab::{MoveDirection, MoveState};

/// How long the state plays before the order comes, and what follows it after it, seconds.
const REST_SECS: f32 = 1.0;
/// Longest step of the preview, seconds.
const MAX_STEP_SECS: f32 = 1.0 / 30.0;

/// An order that is tried.
#[derive(Clone, Debug)]
pub struct OrderPreview {
    from: MoveState,
    to: MoveState,
    controller: AnimationController,
    shown: Playback,
    /// Orders given so far.
    given: usize,
    /// How long no action has played, seconds.
    rest_secs: f32,
}

impl OrderPreview {
    /// The preview of an order at its start.
    pub fn new(from: MoveState, to: MoveState) -> Self {
        let (controller, shown) = (AnimationController::default(), Playback::default());
        Self { from, to, controller, shown, given: 0, rest_secs: 0.0 }
    }

    /// The preview of the same order at its start.
    pub fn restarted(&self) -> Self {
        Self::new(self.from, self.to)
    }

    /// What it shows.
    pub fn shown(&self) -> Playback {
        self.shown
    }

    /// Goes on by `dt_secs`, by the gaits and actions of `set`.
    pub fn advance(&mut self, mut set: AnimationSet, dt_secs: f32) {
        // How it comes to the first action is no part of the order.
        set.allow(MoveState::Idle, self.from);
        let mut left = dt_secs.clamp(0.0, 0.25);
        while left > 0.0 {
            self.step(&set, left.min(MAX_STEP_SECS));
            left -= MAX_STEP_SECS;
        }
    }

    fn step(&mut self, set: &AnimationSet, dt_secs: f32) {
        let starts_by_action = self.from.is_action();
        let state = if starts_by_action { MoveState::Idle } else { self.from };
        let actions = if starts_by_action { vec![self.from, self.to] } else { vec![self.to] };
        let is_due = match self.given {
            0 => self.rest_secs >= REST_SECS,
            _ => self.controller.action() == Some(self.from),
        };
        let order = actions.get(self.given).copied().filter(|_| is_due);
        self.given += usize::from(order.is_some());
        let pace = match state {
            MoveState::Walk => 1.0,
            MoveState::Run => 2.0,
            _ => 0.0,
        };
        // A preview shows clips alone, without offsets: it fades.
        let input = AnimationInput { pace, state, direction: MoveDirection::Any, order, ..AnimationInput::default() };
        self.shown = self.controller.advance(set, &Gait::default(), &input, dt_secs).playback;
        self.rest_secs = if self.controller.action().is_some() { 0.0 } else { self.rest_secs + dt_secs };
        if self.given > 0 && self.rest_secs >= REST_SECS {
            // Again, without a jump of the gait.
            (self.given, self.rest_secs) = (0, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::animation_set::gait_slot;
    use crate::anim::gait::GaitClip;
    use crate::ids::ClipId;

    fn shown_clips(from: MoveState, to: MoveState) -> Vec<u32> {
        let clip = |n| GaitClip { clip: ClipId(n), speed: 1.0, duration_secs: 1.0 };
        let mut set = AnimationSet::default();
        set.longest_secs = 1.0;
        let gait = Gait { idle: clip(0), walk: clip(1), run: clip(2), longest_secs: 1.0, fixed: None };
        set.gaits[gait_slot(MoveDirection::Any)] = Some(gait);
        set.actions[MoveState::Punch as usize] = Some(clip(5));
        set.actions[MoveState::Kick as usize] = Some(clip(6));
        set.allow(from, to);
        let (mut preview, mut seen) = (OrderPreview::new(from, to), Vec::new());
        for _ in 0..600 {
            preview.advance(set.clone(), 0.02);
            let playback = preview.shown();
            if playback.from_weight == 0.0 {
                let clip = playback.clips[usize::from(playback.weight > 0.5)].clip.0;
                if seen.last() != Some(&clip) {
                    seen.push(clip);
                }
            }
        }
        seen
    }

    #[test]
    fn a_state_and_what_follows_it_play_again_and_again() {
        let punches = shown_clips(MoveState::Walk, MoveState::Punch);
        assert!(punches.windows(3).any(|clips| clips == [1, 5, 1]) && punches.len() >= 6, "{punches:?}");
        let kicks = shown_clips(MoveState::Punch, MoveState::Kick);
        assert!(kicks.windows(4).any(|clips| clips == [0, 5, 6, 0]) && kicks.len() >= 6, "{kicks:?}");
    }
}
