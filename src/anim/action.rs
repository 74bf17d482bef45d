//! What a character shows over time: gaits by direction of movement, and actions that are faded in and out.
//!
//! ```text
//! gait ──order allowed──▶ action ──near its end──▶ gait
//!  │ ▲                     │  ▲
//!  └─┘ other direction     └──┘ order allowed from this action, once it ends
//! ```
//!
//! Every arrow is a cross-fade of [`FADE_SECS`] during which both sides go on playing. While one fade runs no other
//! begins: what is asked meanwhile waits for its end, so that no pose ever jumps.

use super::state::{Gait, GaitClip, GaitState};
use super::{Blend, ClipAt, Playback};
use crate::vocab::{MoveDirection, MoveState};

/// Length of a cross-fade, seconds.
pub const FADE_SECS: f32 = 0.2;

/// Number of states of movement.
const STATES: usize = MoveState::ALL.len();

/// The gaits and actions of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moves {
    /// Gait by direction, in the order of [`slot`]; `None` where there is no blend set of that name.
    pub gaits: [Option<Gait>; 6],
    /// Clip by action.
    pub actions: [Option<GaitClip>; STATES],
    /// Which order is taken in which state: bit `from * 11 + to`.
    allowed: u128,
    /// Length of the model's longest clip in seconds.
    pub longest_secs: f32,
}

/// Position of a direction in [`Moves::gaits`].
pub fn slot(direction: MoveDirection) -> usize {
    match direction {
        MoveDirection::None => 0,
        MoveDirection::Forward => 1,
        MoveDirection::Back => 2,
        MoveDirection::Right => 3,
        MoveDirection::Left => 4,
        MoveDirection::Any => 5,
    }
}

fn bit(from: MoveState, to: MoveState) -> u128 {
    1 << (from as usize * STATES + to as usize)
}

impl Moves {
    /// Lets the order `to` be taken in the state `from`.
    pub fn allow(&mut self, from: MoveState, to: MoveState) {
        self.allowed |= bit(from, to);
    }

    /// Whether the order `to` is taken in the state `from`, and there is something to show.
    pub fn allows(&self, from: MoveState, to: MoveState) -> bool {
        self.allowed & bit(from, to) != 0 && self.duration_secs(to).is_some()
    }

    /// How long an action takes; `None` without a clip that ends.
    pub fn duration_secs(&self, action: MoveState) -> Option<f32> {
        let clip = self.actions[action as usize]?;
        let secs = self.longest_secs / clip.speed;
        (secs.is_finite() && secs > 0.0 && clip.duration_secs > 0.0).then_some(secs)
    }

    /// The gait for a direction of movement: its own, else that of the direction before, else that for any, else that
    /// for none.
    pub fn gait(&self, direction: MoveDirection, before: MoveDirection) -> Option<(MoveDirection, &Gait)> {
        [direction, before, MoveDirection::Any, MoveDirection::None]
            .into_iter()
            .find_map(|d| Some((d, self.gaits[slot(d)].as_ref()?)))
    }
}

/// An action at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Playing {
    state: MoveState,
    elapsed_secs: f32,
}

impl Playing {
    fn shown(&self, moves: &Moves) -> Blend {
        let Some((clip, secs)) = moves.actions[self.state as usize].zip(moves.duration_secs(self.state)) else {
            return Blend::default();
        };
        let time_secs = (self.elapsed_secs / secs).clamp(0.0, 1.0) * clip.duration_secs;
        Blend { clips: [ClipAt { clip: clip.clip, time_secs }; 2], weight: 0.0 }
    }
}

/// What is shown, or was until just now.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Gait(MoveDirection),
    Action(Playing),
}

/// What drives a character's pose in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// Speed over full walking speed: 1 walks, 2 runs.
    pub pace: f32,
    /// Whether it stands, walks or runs.
    pub state: MoveState,
    /// Direction of movement; `None` standing.
    pub direction: MoveDirection,
    /// An action that is asked for.
    pub order: Option<MoveState>,
}

/// Where a character is between gaits and actions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Actor {
    /// Where it is in its gait.
    pub gait: GaitState,
    shown: Source,
    left: Source,
    /// What is left of the fade, seconds.
    fade_secs: f32,
    /// An order that was taken and waits for a fade or an action to end.
    next: Option<MoveState>,
}

impl Default for Actor {
    fn default() -> Self {
        let none = Source::Gait(MoveDirection::None);
        Self { gait: GaitState::default(), shown: none, left: none, fade_secs: 0.0, next: None }
    }
}

impl Actor {
    /// Somebody who stands, at this position in the gait.
    pub fn at_phase(phase: f32) -> Self {
        Self { gait: GaitState { phase, pace: 0.0 }, ..Self::default() }
    }

    /// The action that plays, until it begins to fade out.
    pub fn action(&self) -> Option<MoveState> {
        match self.shown {
            Source::Action(playing) => Some(playing.state),
            Source::Gait(_) => None,
        }
    }

    /// How far a fade has come, 1 when none runs.
    pub fn faded(&self) -> f32 {
        1.0 - self.fade_secs / FADE_SECS
    }

    /// Goes on by `dt_secs` and says what to show. `fallback` is the gait of a model that has none.
    pub fn advance(&mut self, moves: &Moves, fallback: &Gait, drive: &Drive, dt_secs: f32) -> Playback {
        self.take_order(moves, drive);
        for source in [&mut self.shown, &mut self.left] {
            if let Source::Action(playing) = source {
                playing.elapsed_secs += dt_secs;
            }
        }
        self.fade_secs = (self.fade_secs - dt_secs).max(0.0);
        if self.fade_secs == 0.0 {
            self.change(moves, drive);
        }
        let direction = match (self.shown, self.left) {
            (Source::Gait(d), _) | (Source::Action(_), Source::Gait(d)) => d,
            _ => MoveDirection::Any,
        };
        let gait = moves.gait(direction, MoveDirection::Any).map_or(fallback, |g| g.1);
        self.gait.advance(gait, drive.pace, dt_secs);
        self.playback(moves, fallback)
    }

    fn playback(&self, moves: &Moves, fallback: &Gait) -> Playback {
        let show = |source: Source| match source {
            Source::Gait(d) => self.gait.shown(moves.gait(d, MoveDirection::Any).map_or(fallback, |g| g.1)),
            Source::Action(playing) => playing.shown(moves),
        };
        let left = self.fade_secs / FADE_SECS;
        let from_weight = left * left * (3.0 - 2.0 * left);
        let from = if from_weight > 0.0 { show(self.left) } else { Blend::default() };
        Playback { from, from_weight, ..Playback::of(show(self.shown)) }
    }

    /// Keeps an order that may follow what is shown; all others are dropped.
    fn take_order(&mut self, moves: &Moves, drive: &Drive) {
        let from = self.action().unwrap_or(drive.state);
        if let Some(order) = drive.order.filter(|&to| self.next.is_none() && moves.allows(from, to)) {
            self.next = Some(order);
        }
    }

    /// Begins the fade that is due.
    fn change(&mut self, moves: &Moves, drive: &Drive) {
        let before = match (self.shown, self.left) {
            (Source::Gait(d), _) | (Source::Action(_), Source::Gait(d)) => d,
            _ => MoveDirection::Any,
        };
        let wanted = moves.gait(drive.direction, before).map_or(MoveDirection::None, |g| g.0);
        let to = match self.shown {
            Source::Action(playing) => {
                let secs = moves.duration_secs(playing.state).unwrap_or(0.0);
                if playing.elapsed_secs < secs - FADE_SECS.min(secs * 0.5) {
                    return;
                }
                self.next.take().map_or(Source::Gait(wanted), begin)
            }
            Source::Gait(shown) => match self.next.take() {
                Some(order) => begin(order),
                None if shown != wanted => Source::Gait(wanted),
                None => return,
            },
        };
        // Models of one gait have nothing to fade between directions.
        let same = matches!((self.shown, to), (Source::Gait(a), Source::Gait(b))
            if moves.gaits[slot(a)].is_none() || moves.gaits[slot(a)] == moves.gaits[slot(b)]);
        self.left = self.shown;
        self.shown = to;
        self.fade_secs = if same { 0.0 } else { FADE_SECS };
    }
}

fn begin(state: MoveState) -> Source {
    Source::Action(Playing { state, elapsed_secs: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ClipId;
    use MoveState::{Hop, Idle, Jump, Kick, Punch, Run, Walk};

    const DT: f32 = 1.0 / 60.0;

    fn clip(n: u32) -> GaitClip {
        GaitClip { clip: ClipId(n), speed: 2.0, duration_secs: 0.7 }
    }

    /// Punch and Kick from standing, Jump from walking and running, Kick after Punch; Hop has no clip. The longest
    /// clip lasts 2 s, so that an action lasts 1 s.
    fn moves() -> Moves {
        let gait = |first: u32| Gait {
            idle: clip(first),
            walk: clip(first + 1),
            run: clip(first + 2),
            longest_secs: 2.0,
            fixed: None,
        };
        let mut moves = Moves { longest_secs: 2.0, ..Moves::default() };
        moves.gaits[slot(MoveDirection::Any)] = Some(gait(0));
        moves.gaits[slot(MoveDirection::Left)] = Some(gait(10));
        for (action, n) in [(Punch, 20), (Kick, 21), (Jump, 22)] {
            moves.actions[action as usize] = Some(clip(n));
        }
        for (from, to) in [(Idle, Punch), (Idle, Kick), (Walk, Jump), (Run, Jump), (Punch, Kick), (Idle, Hop)] {
            moves.allow(from, to);
        }
        moves
    }

    fn pace(state: MoveState) -> f32 {
        [0.0, 1.0, 2.0][state as usize]
    }

    fn step(actor: &mut Actor, state: MoveState, direction: MoveDirection, order: Option<MoveState>) -> Playback {
        let drive = Drive { pace: pace(state), state, direction, order };
        actor.advance(&moves(), &Gait::default(), &drive, DT)
    }

    fn go_on(actor: &mut Actor, state: MoveState, steps: usize) {
        for _ in 0..steps {
            step(actor, state, MoveDirection::Forward, None);
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
            let mut actor = Actor::default();
            go_on(&mut actor, from, 60);
            step(&mut actor, from, MoveDirection::Forward, Some(order));
            assert_eq!(actor.action(), begins.then_some(order), "{from:?} -> {order:?}");
            // It ends by itself, a fade before the end of its clip, and does not come again.
            let busy = (0..200).filter(|_| {
                step(&mut actor, from, MoveDirection::Forward, None);
                actor.action().is_some()
            });
            let expected = if begins { 47..=49 } else { 0..=0 };
            assert!(expected.contains(&busy.count()), "{from:?} -> {order:?}");
        }
    }

    #[test]
    fn an_action_is_followed_by_another_only_where_allowed_and_at_its_end() {
        for (second, follows) in [(Kick, true), (Punch, false), (Jump, false)] {
            let mut actor = Actor::default();
            step(&mut actor, Idle, MoveDirection::None, Some(Punch));
            go_on(&mut actor, Idle, 20);
            step(&mut actor, Idle, MoveDirection::None, Some(second));
            assert_eq!(actor.action(), Some(Punch), "the first is not cut short");
            go_on(&mut actor, Idle, 50);
            assert_eq!(actor.action(), follows.then_some(second), "Punch -> {second:?}");
        }
    }

    #[test]
    fn a_gait_is_that_of_the_direction_else_of_the_one_before_else_of_any() {
        let moves = moves();
        let found = |d, before| moves.gait(d, before).map(|g| g.0);
        assert_eq!(found(MoveDirection::Left, MoveDirection::Any), Some(MoveDirection::Left));
        assert_eq!(found(MoveDirection::None, MoveDirection::Left), Some(MoveDirection::Left));
        assert_eq!(found(MoveDirection::Back, MoveDirection::Right), Some(MoveDirection::Any));
        assert_eq!(Moves::default().gait(MoveDirection::Back, MoveDirection::Any), None);
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
        let mut actor = Actor::default();
        let mut last = step(&mut actor, Idle, MoveDirection::None, None);
        let orders = [Punch, Jump, Kick, Hop];
        let ways = [MoveDirection::Forward, MoveDirection::Left, MoveDirection::Back, MoveDirection::Left];
        let mut seen = [false; 32];
        for i in 0..3000_usize {
            // Changes its mind far more often than a fade takes.
            let state = [Idle, Idle, Walk, Run, Walk][i / 97 % 5];
            let order = (i % 7 == 0).then(|| orders[i / 7 % 4]);
            let now = step(&mut actor, state, ways[i / 5 % 4], order);
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
    fn odd_speeds_give_no_action() {
        let mut moves = moves();
        for speed in [0.0, -1.0, f32::NAN] {
            moves.actions[Punch as usize] = Some(GaitClip { speed, ..clip(20) });
            assert!(!moves.allows(Idle, Punch));
        }
    }
}
