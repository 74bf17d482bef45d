//! Motion matching: what of its clips a character plays next, by where it is about to go and what it looks like.
//!
//! Ten times a second the database is searched for the frame that fits best; where one fits better than what plays, it
//! plays from there on, and the caller takes over the pose that was left ([`super::inertialization`]).

use super::Playback;
use super::motion_database::{MotionDatabase, MotionFrame, Trajectory};

/// Time between two searches, seconds.
const SEARCH_SECS: f32 = 0.1;
/// A frame must cost less than this share of what plays to be jumped to.
const JUMP_SHARE: f32 = 0.9;
/// Cost of what plays from which on its way counts as a wrong one.
const WRONG_WAY_COST: f32 = 3.0;
/// How much more the way counts after each search that leaves a wrong way, and at most.
const URGENCY_STEP: f32 = 1.0;
const MAX_URGENCY: f32 = 12.0;
/// Frames of the same clip that are nearer in time are not jumped to, seconds.
const MIN_JUMP_SECS: f32 = 0.35;
/// Range of the rate at which clips play so that their feet keep up with the ground.
const RATES: std::ops::RangeInclusive<f32> = 0.8..=1.25;
/// Speeds of clip and character above which the rate follows, metres per second.
const MIN_RATE_SPEED: f32 = 0.3;
/// How fast the rate follows, per second.
const RATE_FOLLOWS: f32 = 4.0;

/// What a character plays of a motion database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionMatcher {
    frame: MotionFrame,
    rate: f32,
    search_in_secs: f32,
    /// Cost of what plays at the last search.
    cost: f32,
    /// How many times the way counts: more and more while what plays leads a wrong way and nothing else looks like it.
    urgency: f32,
    /// How often it has jumped.
    jumps: u32,
}

/// What a step of a matcher did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matched {
    /// What plays.
    pub playback: Playback,
    /// What would have played without the jump of this step.
    pub left: Option<Playback>,
}

impl MotionMatcher {
    /// Begins with the frame that leads best along a trajectory; `phase`, 0…1, spreads the searches of many characters
    /// over time. `None` of an empty database.
    pub fn begin(database: &MotionDatabase, trajectory: &Trajectory, phase: f32) -> Option<Self> {
        let found = database.nearest_by_way(trajectory)?;
        let search_in_secs = phase.clamp(0.0, 1.0) * SEARCH_SECS;
        Some(Self { frame: found.frame, rate: 1.0, search_in_secs, cost: found.cost, urgency: 1.0, jumps: 0 })
    }

    /// The frame that plays.
    pub fn frame(&self) -> MotionFrame {
        self.frame
    }

    /// Cost of what plays, at the last search.
    pub fn cost(&self) -> f32 {
        self.cost
    }

    /// How often it has jumped from one frame to another.
    pub fn jumps(&self) -> u32 {
        self.jumps
    }

    /// What plays; `None` where the database is not the one that it began with.
    pub fn playback(&self, database: &MotionDatabase) -> Option<Playback> {
        database.clip_at(self.frame).map(|at| Playback::of(at.into()))
    }

    /// What plays so long after now without a jump.
    pub fn playback_after(&self, database: &MotionDatabase, secs: f32) -> Option<Playback> {
        let (frame, _) = database.after(self.frame, secs * self.rate)?;
        database.clip_at(frame).map(|at| Playback::of(at.into()))
    }

    /// Advances by `dt_secs`; `speed` is that of the character in metres per second at scale 1, `trajectory` its way in
    /// the second ahead, which is asked for when a search is due. `None` where the database is another.
    pub fn advance(
        &mut self,
        database: &MotionDatabase,
        speed: f32,
        trajectory: impl FnOnce() -> Trajectory,
        dt_secs: f32,
    ) -> Option<Matched> {
        let clip_speed = database.root_speed(self.frame);
        let keeps_up = speed > MIN_RATE_SPEED && clip_speed > MIN_RATE_SPEED;
        let wanted = if keeps_up { (speed / clip_speed).clamp(*RATES.start(), *RATES.end()) } else { 1.0 };
        self.rate += (wanted - self.rate) * (RATE_FOLLOWS * dt_secs).min(1.0);
        let (frame, goes_on) = database.after(self.frame, dt_secs * self.rate)?;
        self.frame = frame;
        self.search_in_secs -= dt_secs;
        let mut left = None;
        if self.search_in_secs <= 0.0 || !goes_on {
            self.search_in_secs = (self.search_in_secs + SEARCH_SECS).max(0.0);
            left = self.search(database, &trajectory(), goes_on);
        }
        Some(Matched { playback: self.playback(database)?, left })
    }

    /// Jumps where another frame fits better; what would have played then.
    fn search(&mut self, database: &MotionDatabase, trajectory: &Trajectory, goes_on: bool) -> Option<Playback> {
        let mut query = database.query(self.frame, trajectory)?;
        self.cost = database.cost(self.frame, &query);
        query.way_weight = self.urgency;
        self.urgency = match self.cost > WRONG_WAY_COST {
            true => (self.urgency + URGENCY_STEP).min(MAX_URGENCY),
            false => 1.0,
        };
        let stays = if goes_on { database.cost(self.frame, &query) } else { f32::INFINITY };
        let found = database.nearest(&query, stays * JUMP_SHARE)?;
        let is_near = found.frame.clip == self.frame.clip
            && (found.frame.time_secs - self.frame.time_secs).abs() < MIN_JUMP_SECS
            && goes_on;
        if is_near {
            return None;
        }
        let left = self.playback(database);
        (self.frame, self.cost, self.urgency) = (found.frame, found.cost, 1.0);
        self.jumps += 1;
        left
    }
}
