//! The animation state machine of a character: gaits by direction of movement, and actions with cross-fades.
//!
//! ```text
//! gait ──order allowed──▶ action ──near its end──▶ gait
//!  │ ▲                     │  ▲
//!  └─┘ other direction     └──┘ order allowed from this action, once it ends
//! ```
//!
//! An arrow is either a cross-fade of [`FADE_SECS`] during which both sides keep playing: only one runs at a time, and an
//! order that arrives meanwhile waits for its end, so that no pose jumps. Or it is inertialized: the new side plays alone
//! from the first moment, at any time, and the caller takes over the pose that was left
//! ([`super::inertialization`]).

use super::animation_set::{AnimationSet, gait_slot};
use super::animation_step::{AnimationInput, AnimationStep, DepartedPlayback};
use super::gait::{Gait, GaitState};
use super::inertialization::Transition;
use super::root_motion::RootShift;
use super::{Blend, ClipAt, Playback};
use crate::math::smoothstep;
use crate::vocab::{MoveDirection, MoveState};
use glam::Vec3;

/// Length of a cross-fade, seconds.
pub const FADE_SECS: f32 = 0.2;
/// Pace above which a walk begins after a rest, and below which one rests.
const START_PACE: f32 = 0.05;
const REST_PACE: f32 = 0.01;
/// Most by which strides may be shorter than in the clip.
pub const MAX_SHORTENING: f32 = 0.3;
/// Time left of a fade that is held half way: both sides count alike.
const HALF_FADE_SECS: f32 = FADE_SECS * 0.5;

/// An action that plays.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ActionPlayback {
    state: MoveState,
    elapsed_secs: f32,
}

impl ActionPlayback {
    /// Its clip at the time that comes after `ahead_secs`.
    fn clip_at(&self, set: &AnimationSet, ahead_secs: f32) -> Option<ClipAt> {
        let (clip, secs) = set.actions[self.state as usize].zip(set.duration_secs(self.state))?;
        let part = set.curves[self.state as usize].at((self.elapsed_secs + ahead_secs) / secs);
        // One with a speed below zero plays backwards.
        let part = if clip.speed < 0.0 { 1.0 - part } else { part };
        Some(ClipAt { clip: clip.clip, time_secs: part * clip.duration_secs })
    }

    fn blend(&self, set: &AnimationSet) -> Blend {
        self.clip_at(set, 0.0).map_or(Blend::default(), Blend::from)
    }
}

/// One side of a cross-fade.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FadeSource {
    Gait(MoveDirection),
    Action(ActionPlayback),
}

/// State of a character's animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnimationController {
    /// Phase and pace of the gait.
    pub gait: GaitState,
    /// The side that fades in, or plays alone.
    current: FadeSource,
    /// The side that fades out.
    previous: FadeSource,
    /// Time left of the fade, seconds.
    fade_secs: f32,
    /// An accepted order that waits for the end of a fade or an action.
    next: Option<MoveState>,
    /// A second gait that is shown half and half with the current one, where transitions are inertialized.
    beside: Option<MoveDirection>,
    transition: Transition,
    /// Whether it has stood since it last walked.
    stood: bool,
}

impl Default for AnimationController {
    fn default() -> Self {
        let none = FadeSource::Gait(MoveDirection::None);
        Self {
            gait: GaitState::default(),
            current: none,
            previous: none,
            fade_secs: 0.0,
            next: None,
            beside: None,
            transition: Transition::default(),
            stood: true,
        }
    }
}

impl AnimationController {
    /// A standing character at this phase of the gait.
    pub fn at_phase(phase: f32) -> Self {
        Self { gait: GaitState { phase, ..GaitState::default() }, ..Self::default() }
    }

    /// The action that plays, until it begins to fade out.
    pub fn action(&self) -> Option<MoveState> {
        match self.current {
            FadeSource::Action(playing) => Some(playing.state),
            FadeSource::Gait(_) => None,
        }
    }

    /// Progress of the fade, 0…1; 1 without one.
    pub fn fade_progress(&self) -> f32 {
        1.0 - self.fade_secs / FADE_SECS
    }

    /// Advances by `dt_secs` and returns what is shown. `fallback` is the gait of a model without one.
    pub fn advance(
        &mut self,
        set: &AnimationSet,
        fallback: &Gait,
        input: &AnimationInput,
        dt_secs: f32,
    ) -> AnimationStep {
        if self.transition != input.transition {
            (self.transition, self.fade_secs, self.beside) = (input.transition, 0.0, None);
        }
        self.accept_order(set, input);
        for source in [&mut self.current, &mut self.previous] {
            if let FadeSource::Action(playing) = source {
                playing.elapsed_secs += dt_secs;
            }
        }
        let inertial = self.transition == Transition::Inertial;
        let left = inertial.then_some((self.current, self.beside));
        if inertial {
            self.fade_secs = (self.fade_secs - dt_secs).max(0.0);
            self.start_transition(set, input);
        } else {
            let pair = set.diagonal(input.direction);
            self.turn_back(input, pair);
            let held = if self.next.is_none() && self.shows(pair) { HALF_FADE_SECS } else { 0.0 };
            self.fade_secs = (self.fade_secs - dt_secs).max(held.min(self.fade_secs));
            if self.fade_secs == 0.0 {
                self.start_fade(set, input);
            }
        }
        let direction = self.direction_before();
        let gait = set.gait(direction, MoveDirection::Any).map_or(fallback, |g| g.1);
        if !inertial {
            self.gait.advance(gait, input.pace, dt_secs);
            return AnimationStep { playback: self.playback(set, fallback), departed: None };
        }
        let mut before = *self;
        let rate = 1.0 / (1.0 - input.shortening.clamp(0.0, MAX_SHORTENING));
        before.gait.advance_smoothly(gait, [input.pace, rate], dt_secs);
        let starts = self.starts_walking(input.pace).then(|| set.starts[gait_slot(direction)]).flatten();
        self.gait = GaitState { phase: nearest_start(starts, before.gait.phase), ..before.gait };
        let changes =
            |left: &(FadeSource, Option<MoveDirection>)| starts.is_some() || *left != (self.current, self.beside);
        let departed = left.filter(changes).map(|(source, beside)| {
            let root = root_shift(set, source, 1.0);
            DepartedPlayback { playback: before.show_beside(set, fallback, source, beside), root }
        });
        let playback = self.show_beside(set, fallback, self.current, self.beside);
        // From a gait to an equal one there is nothing to take over.
        AnimationStep { playback, departed: departed.filter(|departed| departed.playback != playback).map(Box::new) }
    }

    /// Whether a walk begins after a rest.
    fn starts_walking(&mut self, pace: f32) -> bool {
        let starts = self.stood && pace > START_PACE;
        self.stood = if starts { false } else { self.stood || pace < REST_PACE };
        starts
    }

    /// Begins the transition that is due, at once.
    fn start_transition(&mut self, set: &AnimationSet, input: &AnimationInput) {
        let (wanted, beside) = match set.diagonal(input.direction) {
            Some([along, across]) => (along, Some(across)),
            None => (set.gait(input.direction, self.direction_before()).map_or(MoveDirection::None, |g| g.0), None),
        };
        let Some(to) = self.due(set, wanted, |shown| shown != wanted || self.beside != beside) else { return };
        self.next = None;
        self.beside = beside.filter(|_| matches!(to, FadeSource::Gait(_)));
        (self.previous, self.current, self.fade_secs) = (self.current, to, FADE_SECS);
    }

    /// A source alone, or half and half with a second gait.
    fn show_beside(
        &self,
        set: &AnimationSet,
        fallback: &Gait,
        source: FadeSource,
        beside: Option<MoveDirection>,
    ) -> Playback {
        let shown = Playback::of(self.show(set, fallback, source));
        match beside {
            Some(d) => Playback { from: self.show(set, fallback, FadeSource::Gait(d)), from_weight: 0.5, ..shown },
            None => shown,
        }
    }

    /// Whether both gaits of a diagonal are shown.
    fn shows(&self, pair: Option<[MoveDirection; 2]>) -> bool {
        let shown = [self.previous, self.current];
        pair.is_some_and(|[a, b]| shown == [a, b].map(FadeSource::Gait) || shown == [b, a].map(FadeSource::Gait))
    }

    /// From half of each of two gaits the way back to the first is as short as that to the second.
    fn turn_back(&mut self, input: &AnimationInput, pair: Option<[MoveDirection; 2]>) {
        let is_back = self.previous == FadeSource::Gait(input.direction) && matches!(self.current, FadeSource::Gait(_));
        if pair.is_none() && is_back && self.fade_secs == HALF_FADE_SECS {
            std::mem::swap(&mut self.previous, &mut self.current);
        }
    }

    fn show(&self, set: &AnimationSet, fallback: &Gait, source: FadeSource) -> Blend {
        match source {
            FadeSource::Gait(d) => self.gait.blend(set.gait(d, MoveDirection::Any).map_or(fallback, |g| g.1)),
            FadeSource::Action(playing) => playing.blend(set),
        }
    }

    fn playback(&self, set: &AnimationSet, fallback: &Gait) -> Playback {
        let from_weight = self.fade_weight();
        let from = if from_weight > 0.0 { self.show(set, fallback, self.previous) } else { Blend::default() };
        Playback { from, from_weight, ..Playback::of(self.show(set, fallback, self.current)) }
    }

    /// Weight of the side that fades out.
    fn fade_weight(&self) -> f32 {
        smoothstep(self.fade_secs / FADE_SECS)
    }

    /// Both sides with their weights.
    fn weighted(&self) -> [(FadeSource, f32); 2] {
        let from = self.fade_weight();
        [(self.current, 1.0 - from), (self.previous, from)]
    }

    /// Whether the action that plays moves its character by its root motion.
    pub fn moves_by_root(&self, set: &AnimationSet) -> bool {
        self.action().is_some_and(|action| set.roots[action as usize].is_some())
    }

    /// Way over the ground and turn to the left by root motion in the next `dt_secs`: metres in the space of the character as
    /// it is turned now, radians.
    pub fn root_step(&self, set: &AnimationSet, dt_secs: f32) -> (Vec3, f32) {
        let step = |(source, weight): (FadeSource, f32)| {
            let FadeSource::Action(playing) = source else { return None };
            let root = set.roots[playing.state as usize].as_ref()?;
            let [from, to] = [0.0, dt_secs].map(|ahead| playing.clip_at(set, ahead));
            let (from, to) = (from?.time_secs, to?.time_secs);
            Some((root.way_between(from, to) * weight, root.turn_between(from, to) * weight))
        };
        let steps = self.weighted().into_iter().filter(|side| side.1 > 0.0).filter_map(step);
        steps.fold((Vec3::ZERO, 0.0), |sum, step| (sum.0 + step.0, sum.1 + step.1))
    }

    /// What takes the root motion out of the pose that is shown.
    pub fn root_shifts(&self, set: &AnimationSet) -> [RootShift; 2] {
        match self.transition {
            Transition::CrossFade => self.weighted().map(|(source, weight)| root_shift(set, source, weight)),
            Transition::Inertial => [root_shift(set, self.current, 1.0), RootShift::default()],
        }
    }

    /// Accepts an order whose transition is allowed; drops all others.
    fn accept_order(&mut self, set: &AnimationSet, input: &AnimationInput) {
        let from = self.action().unwrap_or(input.state);
        if let Some(order) = input.order.filter(|&to| self.next.is_none() && set.allows(from, to)) {
            self.next = Some(order);
        }
    }

    /// The direction of the gait that is shown, or was before an action.
    fn direction_before(&self) -> MoveDirection {
        match (self.current, self.previous) {
            (FadeSource::Gait(d), _) | (FadeSource::Action(_), FadeSource::Gait(d)) => d,
            _ => MoveDirection::Any,
        }
    }

    /// What follows now: the accepted order, or the gait of the direction `wanted` where an action ends or `changes`
    /// says so of the gait that is shown.
    fn due(
        &self,
        set: &AnimationSet,
        wanted: MoveDirection,
        changes: impl FnOnce(MoveDirection) -> bool,
    ) -> Option<FadeSource> {
        match self.current {
            FadeSource::Action(playing) => {
                let secs = set.duration_secs(playing.state).unwrap_or(0.0);
                let ends = playing.elapsed_secs >= secs - FADE_SECS.min(secs * 0.5);
                ends.then(|| self.next.map_or(FadeSource::Gait(wanted), action_source))
            }
            FadeSource::Gait(shown) => match self.next {
                Some(order) => Some(action_source(order)),
                None => changes(shown).then_some(FadeSource::Gait(wanted)),
            },
        }
    }

    /// Starts the fade that is due.
    fn start_fade(&mut self, set: &AnimationSet, input: &AnimationInput) {
        let before = self.direction_before();
        let wanted = match set.diagonal(input.direction) {
            // One after the other; the second fade stops half way.
            Some([along, across]) if before == along => across,
            Some([along, _]) => along,
            None => set.gait(input.direction, before).map_or(MoveDirection::None, |g| g.0),
        };
        let Some(to) = self.due(set, wanted, |shown| shown != wanted) else { return };
        self.next = None;
        // A model with one gait has nothing to fade between directions.
        let same = matches!((self.current, to), (FadeSource::Gait(a), FadeSource::Gait(b))
            if set.gaits[gait_slot(a)].is_none() || set.gaits[gait_slot(a)] == set.gaits[gait_slot(b)]);
        self.previous = self.current;
        self.current = to;
        self.fade_secs = if same { 0.0 } else { FADE_SECS };
    }
}

/// The phase at which a walk begins: the one of `starts` that is nearer to the present `phase`.
fn nearest_start(starts: Option<[f32; 2]>, phase: f32) -> f32 {
    let Some([left, right]) = starts else { return phase };
    let distance = |start: f32| {
        let apart = (start - phase).rem_euclid(1.0);
        apart.min(1.0 - apart)
    };
    if distance(left) <= distance(right) { left } else { right }
}

/// What takes the root motion out of the pose of a source with this weight.
fn root_shift(set: &AnimationSet, source: FadeSource, weight: f32) -> RootShift {
    let FadeSource::Action(playing) = source else { return RootShift::default() };
    let root = set.roots[playing.state as usize].as_ref().filter(|_| weight > 0.0);
    let shown = root.zip(playing.clip_at(set, 0.0));
    shown.map_or(RootShift::default(), |(root, clip)| root.shift(clip.time_secs, weight))
}

fn action_source(state: MoveState) -> FadeSource {
    FadeSource::Action(ActionPlayback { state, elapsed_secs: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::gait::GaitClip;
    use crate::anim::speed_curve::SpeedCurve;
    use crate::ids::ClipId;
    use MoveState::{Hop, Idle, Jump, Kick, Punch, Run, Walk};

    const DT: f32 = 1.0 / 60.0;

    fn clip(n: u32) -> GaitClip {
        GaitClip { clip: ClipId(n), speed: 2.0, duration_secs: 0.7 }
    }

    /// Three clips from number `first` on, of at most 2 s.
    fn gait(first: u32) -> Gait {
        Gait { idle: clip(first), walk: clip(first + 1), run: clip(first + 2), longest_secs: 2.0, fixed: None }
    }

    /// Punch and Kick from standing, Jump from walking and running, Kick after Punch; Hop has no clip. The longest
    /// clip lasts 2 s, so that an action lasts 1 s.
    fn set() -> AnimationSet {
        let mut set = AnimationSet::default();
        set.longest_secs = 2.0;
        set.gaits[gait_slot(MoveDirection::Any)] = Some(gait(0));
        set.gaits[gait_slot(MoveDirection::Left)] = Some(gait(10));
        for (action, n) in [(Punch, 20), (Kick, 21), (Jump, 22)] {
            set.actions[action as usize] = Some(clip(n));
        }
        for (from, to) in [(Idle, Punch), (Idle, Kick), (Walk, Jump), (Run, Jump), (Punch, Kick), (Idle, Hop)] {
            set.allow(from, to);
        }
        set
    }

    fn pace(state: MoveState) -> f32 {
        [0.0, 1.0, 2.0][state as usize]
    }

    fn step(
        controller: &mut AnimationController,
        state: MoveState,
        direction: MoveDirection,
        order: Option<MoveState>,
    ) -> Playback {
        let input = AnimationInput { pace: pace(state), state, direction, order, ..AnimationInput::default() };
        controller.advance(&set(), &Gait::default(), &input, DT).playback
    }

    fn go_on(controller: &mut AnimationController, state: MoveState, steps: usize) {
        for _ in 0..steps {
            step(controller, state, MoveDirection::Forward, None);
        }
    }

    #[test]
    fn orders_follow_the_table_of_transitions() {
        // From, order, whether it begins.
        let table = [
            (Idle, Punch, true),
            (Idle, Kick, true),
            (Idle, Jump, false),
            (Idle, Hop, false), // Allowed, but without a clip.
            (Walk, Jump, true),
            (Walk, Punch, false),
            (Run, Jump, true),
            (Run, Kick, false),
        ];
        for (from, order, begins) in table {
            let mut controller = AnimationController::default();
            go_on(&mut controller, from, 60);
            step(&mut controller, from, MoveDirection::Forward, Some(order));
            assert_eq!(controller.action(), begins.then_some(order), "{from:?} -> {order:?}");
            // It ends by itself, a fade before the end of its clip, and does not come again.
            let busy = (0..200).filter(|_| {
                step(&mut controller, from, MoveDirection::Forward, None);
                controller.action().is_some()
            });
            let expected = if begins { 47..=49 } else { 0..=0 };
            assert!(expected.contains(&busy.count()), "{from:?} -> {order:?}");
        }
    }

    #[test]
    fn actions_follow_each_other_only_where_allowed() {
        for (second, follows) in [(Kick, true), (Punch, false), (Jump, false)] {
            let mut controller = AnimationController::default();
            step(&mut controller, Idle, MoveDirection::None, Some(Punch));
            go_on(&mut controller, Idle, 20);
            step(&mut controller, Idle, MoveDirection::None, Some(second));
            assert_eq!(controller.action(), Some(Punch), "the first is not cut short");
            go_on(&mut controller, Idle, 50);
            assert_eq!(controller.action(), follows.then_some(second), "Punch -> {second:?}");
        }
    }

    #[test]
    fn a_gait_falls_back_to_the_last_direction_then_to_any() {
        let set = set();
        let found = |d, before| set.gait(d, before).map(|g| g.0);
        assert_eq!(found(MoveDirection::Left, MoveDirection::Any), Some(MoveDirection::Left));
        assert_eq!(found(MoveDirection::None, MoveDirection::Left), Some(MoveDirection::Left));
        assert_eq!(found(MoveDirection::Back, MoveDirection::Right), Some(MoveDirection::Any));
        assert_eq!(AnimationSet::default().gait(MoveDirection::Back, MoveDirection::Any), None);
    }

    /// Weight of every clip in a playback.
    fn weights(p: &Playback) -> [f32; 32] {
        let mut out = [0.0; 32];
        for (blend, share) in [(p.main(), 1.0 - p.from_weight), (p.from, p.from_weight)] {
            out[blend.clips[0].clip.0 as usize] += share * (1.0 - blend.weight);
            out[blend.clips[1].clip.0 as usize] += share * blend.weight;
        }
        out
    }

    #[test]
    fn whatever_is_asked_no_clip_jumps_in_weight_or_time() {
        let mut controller = AnimationController::default();
        let mut last = step(&mut controller, Idle, MoveDirection::None, None);
        let orders = [Punch, Jump, Kick, Hop];
        let ways = [MoveDirection::Forward, MoveDirection::Left, MoveDirection::Back, MoveDirection::Left];
        let mut seen = [false; 32];
        for i in 0..3000_usize {
            // Changes its mind far more often than a fade takes.
            let state = [Idle, Idle, Walk, Run, Walk][i / 97 % 5];
            let order = (i % 7 == 0).then(|| orders[i / 7 % 4]);
            let now = step(&mut controller, state, ways[i / 5 % 4], order);
            let (a, b) = (weights(&last), weights(&now));
            assert!((b.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            for k in 0..32 {
                assert!((a[k] - b[k]).abs() < 0.27, "step {i}: clip {k} jumps from {} to {}", a[k], b[k]);
                seen[k] |= b[k] > 0.9;
            }
            // An action's time runs on steadily while it is to be seen.
            for k in 20..23 {
                let time = |p: &Playback| {
                    let shown = [p.main(), p.from].map(|s| s.clips[0]);
                    shown.into_iter().find(|c| c.clip.0 == k).map(|c| c.time_secs)
                };
                if let (Some(before), Some(after)) = (time(&last), time(&now))
                    && a[k as usize] > 0.2
                {
                    assert!((0.0..=0.7 * DT + 1e-4).contains(&(after - before)), "step {i}: {before} -> {after}");
                }
            }
            last = now;
        }
        for k in [0, 1, 2, 11, 20, 21, 22] {
            assert!(seen[k], "clip {k} was never shown");
        }
    }

    #[test]
    fn clips_play_backwards_and_by_their_curve() {
        let mut set = set();
        let at = |set: &AnimationSet, secs| {
            ActionPlayback { state: Punch, elapsed_secs: secs }.blend(set).clips[0].time_secs / clip(20).duration_secs
        };
        assert!((at(&set, 0.25) - 0.25).abs() < 1e-5);
        set.curves[Punch as usize] = SpeedCurve::SlowStart;
        assert!((at(&set, 0.5) - 0.25).abs() < 1e-5 && at(&set, 1.0) > 0.999, "it ends in time");
        set.actions[Punch as usize] = Some(GaitClip { speed: -2.0, ..clip(20) });
        assert!(set.allows(Idle, Punch) && at(&set, 0.0) == 1.0 && (at(&set, 0.5) - 0.75).abs() < 1e-5);
    }

    #[test]
    fn diagonals_are_blended_from_two_gaits() {
        use MoveDirection::{Forward, ForwardRight, Right};
        let mut set = set();
        (set.gaits[gait_slot(Forward)], set.gaits[gait_slot(Right)]) = (Some(gait(30)), Some(gait(40)));
        let mut controller = AnimationController::default();
        let mut walk = |set: &AnimationSet, direction, steps: usize| {
            let input = AnimationInput { pace: 1.0, state: Walk, direction, ..AnimationInput::default() };
            let mut shown = Playback::default();
            for _ in 0..steps {
                shown = controller.advance(set, &Gait::default(), &input, DT).playback;
            }
            (shown.clips[1].clip.0, shown.from.clips[1].clip.0, shown.from_weight)
        };
        walk(&set, Forward, 60);
        let (to, from, weight) = walk(&set, ForwardRight, 60);
        assert_eq!([from, to], [31, 41]);
        assert!((weight - 0.5).abs() < 1e-4, "half of each: {weight}");
        let (to, from, weight) = walk(&set, Forward, 1);
        assert_eq!([from, to], [41, 31], "back to the first without the second alone");
        assert!(weight < 0.5 && weight > 0.3, "{weight}");
        assert_eq!(walk(&set, Forward, 60).2, 0.0);
        set.gaits[gait_slot(ForwardRight)] = Some(gait(50));
        assert_eq!(walk(&set, ForwardRight, 60).0, 51, "a gait of its own is played");
    }

    #[test]
    fn inertial_transitions_begin_at_once_and_hand_over() {
        let (set, mut controller) = (set(), AnimationController::default());
        let mut advance = |state, direction, order| {
            let input = AnimationInput {
                pace: pace(state),
                state,
                direction,
                order,
                transition: Transition::Inertial,
                shortening: 0.0,
            };
            controller.advance(&set, &Gait::default(), &input, DT)
        };
        let first = |playback: &Playback| playback.clips[0].clip.0;
        for _ in 0..60 {
            assert_eq!(advance(Idle, MoveDirection::None, None).departed, None);
        }
        let punch = advance(Idle, MoveDirection::None, Some(Punch));
        assert_eq!((first(&punch.playback), punch.playback.from_weight), (20, 0.0), "it plays alone at once");
        assert_eq!(first(&punch.departed.unwrap().playback), 0, "standing was left");
        // It ends by itself, and another direction takes over in its first moment.
        let ended = (0..100).map(|_| advance(Idle, MoveDirection::None, None)).find(|step| step.departed.is_some());
        assert_eq!(first(&ended.unwrap().departed.unwrap().playback), 20);
        for direction in [MoveDirection::Left, MoveDirection::Any, MoveDirection::Left] {
            assert!(advance(Walk, direction, None).departed.is_some(), "{direction:?} takes over at once");
        }
        assert_eq!(advance(Walk, MoveDirection::Left, None).departed, None);
    }

    #[test]
    fn odd_speeds_give_no_action() {
        let mut set = set();
        for speed in [0.0, f32::INFINITY, f32::NAN] {
            set.actions[Punch as usize] = Some(GaitClip { speed, ..clip(20) });
            assert!(!set.allows(Idle, Punch));
        }
    }
}
