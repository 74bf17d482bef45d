//! The database of motion matching: what each frame of a model's clips looks like and where it leads, and the search for
//! the frame that fits best (Clavet, "Motion Matching and The Road to Next-Gen Animation", GDC 2016).
//!
//! A frame's features are those of Holden, Kanoun, Perepichka and Popa, "Learned Motion Matching" (SIGGRAPH 2020): places
//! and velocities of both feet, velocity of the pelvis, and places and directions of the root in the second ahead, all in
//! the space of the root. Each group is divided by its own spread and multiplied by its weight; the cost of a frame is its
//! squared distance from what is asked. They are kept as whole steps, of one length for all features, from the least value
//! of each, in 16 bits. Consecutive frames look alike, so that boxes around runs of 16 and of 64 frames
//! bound the cost of whole runs, and most are never looked at.

use super::legs::{Legs, Similarity};
use super::{ClipAt, Playback};
use crate::asset::Model;
use crate::asset::root_track::{RootPlace, RootTrack};
use crate::ids::ClipId;
use crate::math::plan::to_plan;
use glam::{Quat, Vec2, Vec3};
use std::ops::Range;

/// Number of features of a frame.
pub const FEATURES: usize = 27;
/// Frames per second.
const FRAMES_PER_SEC: f32 = 30.0;
/// How far ahead the root's way is compared, seconds.
pub const HORIZONS_SECS: [f32; 3] = [1.0 / 3.0, 2.0 / 3.0, 1.0];
/// Most frames of a database: ten hours.
const MAX_FRAMES: usize = 1_080_000;
/// Least time that a clip must go on after a frame that is jumped to, seconds.
const MIN_REST_SECS: f32 = 1.0 / 3.0;
/// Frames of a run that shares a box, and of a group of runs.
const RUN_FRAMES: usize = 16;
const GROUP_FRAMES: usize = 64;
/// Distance of the ends of a clip that is played over and over, as a share of the length of a leg.
const LOOP_SHARE: f32 = 0.06;
/// The groups of features: where each ends, and its weight.
const GROUPS: [(usize, f32); 5] = [(6, 0.75), (12, 1.0), (15, 1.0), (21, 1.0), (FEATURES, 1.5)];
/// Number of features that describe the pose; the others describe the way ahead.
const POSE_FEATURES: usize = 15;
/// The order in which features are compared: most frames lead elsewhere, which is seen by the first.
const PIECES: [(usize, usize); 4] = [(POSE_FEATURES, 21), (21, FEATURES), (0, 6), (6, POSE_FEATURES)];
/// Least range of the scaled features that is cut into steps.
const MIN_RANGE: f32 = 1e-3;
/// Least spread of a group of features, metres or metres per second.
const MIN_SPREAD: f32 = 0.02;
/// Half the time over which velocities are taken, seconds.
const VELOCITY_SECS: f32 = 1.0 / 60.0;

/// Features of a frame, or what is asked of one.
pub type Features = [f32; FEATURES];
/// Features of a frame in steps.
type Row = [u16; FEATURES];

/// What is asked of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionQuery {
    /// In steps of the database.
    features: Features,
    /// How many times the way ahead counts: 1 as in the weights of the features.
    pub way_weight: f32,
}

impl MotionQuery {
    /// Sum of squares, in steps, of what features are off by, in which the way ahead counts by its weight. What is not
    /// below `limit` need not be exact.
    fn cost(&self, limit: f32, off: impl Fn(usize, f32) -> f32) -> f32 {
        let mut cost = 0.0;
        for (begin, end) in PIECES {
            let squared = |i: usize| {
                let off = off(i, self.features[i]);
                off * off
            };
            let weight = if begin < POSE_FEATURES { 1.0 } else { self.way_weight };
            cost += (begin..end).map(squared).sum::<f32>() * weight;
            if cost >= limit {
                break;
            }
        }
        cost
    }

    /// Cost of a frame, in squared steps; what is not below `limit` need not be exact.
    fn of_row(&self, row: &Row, limit: f32) -> f32 {
        self.cost(limit, |i, asked| f32::from(row[i]) - asked)
    }
}

/// The way of the root in the second ahead, at [`HORIZONS_SECS`], in the space of the root, metres at scale 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// Places on the ground, x and z.
    pub places: [Vec2; 3],
    /// Directions in which it faces, of length 1.
    pub directions: [Vec2; 3],
}

/// A frame of the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionFrame {
    /// Its clip, by the order of the database.
    pub clip: u32,
    /// Seconds from the start of the clip.
    pub time_secs: f32,
}

/// A frame that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionMatch {
    /// Where it is.
    pub frame: MotionFrame,
    /// Its cost.
    pub cost: f32,
}

/// A clip of the database.
#[derive(Clone, Debug)]
struct MatchedClip {
    clip: ClipId,
    duration_secs: f32,
    /// Its frames in the list of all.
    first: usize,
    frames: usize,
    /// Whether its end goes over into its start.
    loops: bool,
    root: RootTrack,
}

/// A run of frames with the box around their features.
#[derive(Clone, Debug)]
struct Run {
    first: u32,
    end: u32,
    min: Row,
    max: Row,
}

/// How features become steps.
#[derive(Clone, Debug, Default)]
struct FeatureSteps {
    /// What features are multiplied by.
    scales: Vec<f32>,
    /// The least of each scaled feature.
    least: Vec<f32>,
    /// Length of a step of scaled features, above 0.
    length: f32,
}

impl FeatureSteps {
    fn new(features: &[Features]) -> Self {
        let scales = scales(features);
        let ends = |i: usize| {
            let values = features.iter().map(|row| row[i] * scales[i]);
            values.fold((f32::INFINITY, f32::NEG_INFINITY), |ends, value| (ends.0.min(value), ends.1.max(value)))
        };
        let ends: Vec<(f32, f32)> = (0..FEATURES).map(ends).collect();
        let widest = ends.iter().map(|(least, most)| most - least).fold(MIN_RANGE, f32::max);
        Self { scales, least: ends.iter().map(|ends| ends.0).collect(), length: widest / f32::from(u16::MAX) }
    }

    /// A feature in steps, with the part of a step that is left.
    fn of(&self, i: usize, value: f32) -> f32 {
        (value * self.scales[i] - self.least[i]) / self.length
    }

    fn row(&self, features: &Features) -> Row {
        std::array::from_fn(|i| self.of(i, features[i]).round() as u16)
    }

    /// A cost in squared steps.
    fn cost_in_steps(&self, cost: f32) -> f32 {
        cost / self.length / self.length
    }

    /// A cost of squared steps.
    fn cost(&self, in_steps: f32) -> f32 {
        in_steps * self.length * self.length
    }
}

/// The frames of a model's clips with their features.
#[derive(Clone, Debug, Default)]
pub struct MotionDatabase {
    clips: Vec<MatchedClip>,
    /// Features, frame by frame.
    rows: Vec<Row>,
    steps: FeatureSteps,
    groups: Vec<Run>,
    runs: Vec<Run>,
}

impl MotionDatabase {
    /// The database of some clips of a model, without those for which no frames are left; `None` where none has a frame. Clips
    /// that have no root track play on the spot, and move as fast as the ground under their feet.
    pub fn new(model: &Model, legs: &Legs, clips: impl IntoIterator<Item = usize>) -> Option<Self> {
        let mut out = Self::default();
        let mut features = Vec::new();
        for index in clips {
            let Some(clip) = model.clips.get(index).filter(|clip| clip.duration_secs > VELOCITY_SECS) else { continue };
            let frames = (clip.duration_secs * FRAMES_PER_SEC).ceil() as usize;
            if features.len() + frames > MAX_FRAMES {
                continue;
            }
            let steady = || RootTrack::steady(-to_plan(legs.ground_velocity(index)), clip.duration_secs);
            let root = model.root_track(index).cloned().unwrap_or_else(steady);
            let duration_secs = clip.duration_secs;
            let clip = ClipId(index as u32);
            let mut clip = MatchedClip { clip, duration_secs, first: features.len(), frames, loops: false, root };
            clip.loops = clip.is_loop(legs);
            features.extend((0..frames).map(|frame| clip.features(legs, frame as f32 / FRAMES_PER_SEC)));
            out.clips.push(clip);
        }
        out.steps = FeatureSteps::new(&features);
        out.rows = features.iter().map(|features| out.steps.row(features)).collect();
        for clip in &out.clips {
            let frames = clip.first..clip.first + clip.entered_frames();
            for first in frames.clone().step_by(GROUP_FRAMES) {
                let end = (first + GROUP_FRAMES).min(frames.end);
                out.groups.push(Run::new(&out.rows, first, end));
                let run = |first| Run::new(&out.rows, first, (first + RUN_FRAMES).min(end));
                out.runs.extend((first..end).step_by(RUN_FRAMES).map(run));
            }
        }
        (!out.runs.is_empty()).then_some(out)
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no frame.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Its clips.
    pub fn clips(&self) -> impl ExactSizeIterator<Item = ClipId> + '_ {
        self.clips.iter().map(|clip| clip.clip)
    }

    /// Length of all clips together, seconds.
    pub fn total_secs(&self) -> f32 {
        self.clips.iter().map(|clip| clip.duration_secs).sum()
    }

    /// Memory that features and boxes take, bytes; clips and root tracks are those of the model.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.rows[..]) + size_of_val(&self.groups[..]) + size_of_val(&self.runs[..])
    }

    /// The clip of a frame at its time; `None` of a frame of another database.
    pub fn clip_at(&self, frame: MotionFrame) -> Option<ClipAt> {
        let clip = self.clips.get(frame.clip as usize)?;
        Some(ClipAt { clip: clip.clip, time_secs: frame.time_secs })
    }

    /// The frame so long after another, and whether the clip goes on there: one that does not loop stops at its end.
    pub fn after(&self, frame: MotionFrame, secs: f32) -> Option<(MotionFrame, bool)> {
        let clip = self.clips.get(frame.clip as usize)?;
        let time_secs = frame.time_secs + secs;
        if clip.loops {
            return Some((MotionFrame { time_secs: time_secs.rem_euclid(clip.duration_secs), ..frame }, true));
        }
        let time_secs = time_secs.clamp(0.0, clip.duration_secs);
        Some((MotionFrame { time_secs, ..frame }, time_secs < clip.duration_secs))
    }

    /// Speed of the root at a frame, metres per second at scale 1.
    pub fn root_speed(&self, frame: MotionFrame) -> f32 {
        let Some(clip) = self.clips.get(frame.clip as usize) else { return 0.0 };
        let [before, after] = [-0.1, 0.1].map(|offset| clip.root.at(frame.time_secs + offset).at);
        (after - before).length() / 0.2
    }

    /// Where a frame leads.
    pub fn trajectory(&self, frame: MotionFrame) -> Option<Trajectory> {
        Some(self.clips.get(frame.clip as usize)?.trajectory(frame.time_secs))
    }

    /// What is asked: to look like a frame and to lead along a trajectory.
    pub fn query(&self, like: MotionFrame, trajectory: &Trajectory) -> Option<MotionQuery> {
        let mut features = self.row(like)?.map(f32::from);
        features[POSE_FEATURES..].copy_from_slice(&self.way_in_steps(trajectory));
        Some(MotionQuery { features, way_weight: 1.0 })
    }

    fn way_in_steps(&self, trajectory: &Trajectory) -> [f32; FEATURES - POSE_FEATURES] {
        let ahead = trajectory_features(trajectory);
        std::array::from_fn(|i| self.steps.of(POSE_FEATURES + i, ahead[i]))
    }

    /// Features of a frame.
    fn row(&self, frame: MotionFrame) -> Option<&Row> {
        let clip = self.clips.get(frame.clip as usize)?;
        self.rows.get(clip.first + ((frame.time_secs * FRAMES_PER_SEC).round() as usize).min(clip.frames - 1))
    }

    /// Cost of a frame against what is asked.
    pub fn cost(&self, frame: MotionFrame, query: &MotionQuery) -> f32 {
        self.row(frame).map_or(f32::INFINITY, |row| self.steps.cost(query.of_row(row, f32::INFINITY)))
    }

    /// The frame of least cost below `limit`.
    pub fn nearest(&self, query: &MotionQuery, limit: f32) -> Option<MotionMatch> {
        let (mut best, mut found) = (self.steps.cost_in_steps(limit), None);
        let mut runs = self.runs.iter().peekable();
        for group in &self.groups {
            let is_far = group.least_cost(query, best) >= best;
            while let Some(run) = runs.next_if(|run| run.first < group.end) {
                if is_far || run.least_cost(query, best) >= best {
                    continue;
                }
                for (i, row) in run.frames().zip(&self.rows[run.frames()]) {
                    let cost = query.of_row(row, best);
                    if cost < best {
                        (best, found) = (cost, Some(i));
                    }
                }
            }
        }
        found.map(|frame| self.found(frame, best))
    }

    /// The same by looking at every frame; for comparison.
    pub fn nearest_by_scan(&self, query: &MotionQuery, limit: f32) -> Option<MotionMatch> {
        let limit = self.steps.cost_in_steps(limit);
        let costs = self.entered().map(|i| (i, query.of_row(&self.rows[i], f32::INFINITY)));
        let best = costs.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|best| best.1 < limit)?;
        Some(self.found(best.0, best.1))
    }

    /// The frame that leads best along a trajectory, whatever it looks like.
    pub fn nearest_by_way(&self, trajectory: &Trajectory) -> Option<MotionMatch> {
        let ahead = self.way_in_steps(trajectory);
        let cost = |i: usize| {
            let row = self.rows[i][POSE_FEATURES..].iter().zip(&ahead);
            row.map(|(value, ahead)| (f32::from(*value) - ahead).powi(2)).sum::<f32>()
        };
        let best = self.entered().map(|i| (i, cost(i))).min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(self.found(best.0, best.1))
    }

    /// Frames that can be jumped to.
    fn entered(&self) -> impl Iterator<Item = usize> + '_ {
        self.runs.iter().flat_map(Run::frames)
    }

    /// A frame that was found, and its cost in squared steps.
    fn found(&self, i: usize, in_steps: f32) -> MotionMatch {
        let clip = self.clips.partition_point(|clip| clip.first <= i) - 1;
        let time_secs = (i - self.clips[clip].first) as f32 / FRAMES_PER_SEC;
        MotionMatch { frame: MotionFrame { clip: clip as u32, time_secs }, cost: self.steps.cost(in_steps) }
    }
}

impl MatchedClip {
    /// Number of frames that can be jumped to, from the first.
    fn entered_frames(&self) -> usize {
        let rest = if self.loops { 0 } else { (MIN_REST_SECS * FRAMES_PER_SEC) as usize };
        self.frames.saturating_sub(rest)
    }

    /// Soles and pelvis at a time, on the spot.
    fn points(&self, legs: &Legs, time_secs: f32) -> [Vec3; 3] {
        let time_secs = if self.loops { time_secs.rem_euclid(self.duration_secs) } else { time_secs };
        let at = ClipAt { clip: self.clip, time_secs };
        let pose = legs.pose(&Playback::of(at.into()), None, Similarity::ORIGIN);
        let sole = |leg| legs.sole(&pose, leg).iter().sum::<Vec3>() / 2.0;
        [sole(0), sole(1), pose.places[legs.pelvis].position]
    }

    fn is_loop(&self, legs: &Legs) -> bool {
        let [start, end] = [0.0, self.duration_secs].map(|time| self.points(legs, time));
        start.iter().zip(&end).all(|(a, b)| a.distance(*b) <= LOOP_SHARE * legs.legs[0].length)
    }

    fn features(&self, legs: &Legs, time_secs: f32) -> Features {
        let root = self.root.at(time_secs);
        let now = self.points(legs, time_secs);
        let [before, after] = [-VELOCITY_SECS, VELOCITY_SECS].map(|offset| {
            // The clips that end have no pose beyond.
            let time = time_secs + offset;
            let held = if self.loops { time } else { time.clamp(0.0, self.duration_secs) };
            let place = self.root.at(held);
            (held, self.points(legs, held).map(|point| place.carry(point)))
        });
        let secs = (after.0 - before.0).max(1e-4);
        let back = Quat::from_rotation_y(-root.yaw_rad);
        let velocities: Vec<Vec3> = after.1.iter().zip(&before.1).map(|(a, b)| back * (*a - *b) / secs).collect();
        let mut out = [0.0; FEATURES];
        let pose = now[..2].iter().chain(&velocities).flat_map(|v| v.to_array());
        let ahead = trajectory_features(&self.trajectory(time_secs));
        out.iter_mut().zip(pose.chain(ahead)).for_each(|(out, value)| *out = value);
        out
    }

    fn trajectory(&self, time_secs: f32) -> Trajectory {
        let now = self.root.at(time_secs);
        let ahead = HORIZONS_SECS.map(|horizon| self.root_ahead(time_secs + horizon));
        Trajectory {
            places: ahead.map(|place| now.local_point(place.at)),
            directions: ahead.map(|place| now.local_direction(Vec2::from(place.yaw_rad.sin_cos()))),
        }
    }

    /// The root at a time that may lie beyond the end: of a clip that is played over and over the way begins anew there.
    fn root_ahead(&self, time_secs: f32) -> RootPlace {
        if !self.loops || time_secs <= self.duration_secs {
            return self.root.at(time_secs);
        }
        let (rounds, rest) = ((time_secs / self.duration_secs).floor(), time_secs.rem_euclid(self.duration_secs));
        let (start, end) = (self.root.at(0.0), self.root.at(self.duration_secs));
        let mut base = start;
        for _ in 0..(rounds as usize).min(100) {
            base = follow(base, start, end);
        }
        follow(base, start, self.root.at(rest))
    }
}

/// Where a root comes from `base` by the way that leads from `start` to `to`.
fn follow(base: RootPlace, start: RootPlace, to: RootPlace) -> RootPlace {
    let way = start.local_point(to.at);
    RootPlace {
        at: to_plan(base.carry(Vec3::new(way.x, 0.0, way.y))),
        yaw_rad: base.yaw_rad + to.yaw_rad - start.yaw_rad,
    }
}

impl Run {
    fn new(rows: &[Row], first: usize, end: usize) -> Self {
        let (mut min, mut max) = ([u16::MAX; FEATURES], [0; FEATURES]);
        for row in &rows[first..end] {
            for (i, value) in row.iter().enumerate() {
                (min[i], max[i]) = (min[i].min(*value), max[i].max(*value));
            }
        }
        Self { first: first as u32, end: end as u32, min, max }
    }

    fn frames(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }

    /// No frame of the run costs less; what is not below `limit` need not be exact.
    fn least_cost(&self, query: &MotionQuery, limit: f32) -> f32 {
        query.cost(limit, |i, asked| (f32::from(self.min[i]) - asked).max(asked - f32::from(self.max[i])).max(0.0))
    }
}

/// The features of a trajectory.
fn trajectory_features(trajectory: &Trajectory) -> [f32; FEATURES - POSE_FEATURES] {
    let mut out = [0.0; FEATURES - POSE_FEATURES];
    let values = trajectory.places.iter().chain(&trajectory.directions).flat_map(|v| v.to_array());
    out.iter_mut().zip(values).for_each(|(out, value)| *out = value);
    out
}

/// What each feature is multiplied by: the weight of its group over the group's spread, its mean standard deviation.
fn scales(rows: &[Features]) -> Vec<f32> {
    let count = rows.len().max(1) as f32;
    let deviation = |i: usize| {
        let mean = rows.iter().map(|row| row[i]).sum::<f32>() / count;
        (rows.iter().map(|row| (row[i] - mean).powi(2)).sum::<f32>() / count).sqrt()
    };
    let mut begin = 0;
    let mut out = Vec::with_capacity(FEATURES);
    for (end, weight) in GROUPS {
        let spread = (begin..end).map(deviation).sum::<f32>() / (end - begin) as f32;
        out.extend((begin..end).map(|_| weight / spread.max(MIN_SPREAD)));
        begin = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Features that swing, drift and jump, like those of an hour of walking.
    fn features(count: usize) -> Vec<Features> {
        let row = |frame: usize| {
            std::array::from_fn(|i| {
                let (time, i) = (frame as f32 / FRAMES_PER_SEC, i as f32);
                let swing = (time * (3.0 + i * 0.1) + i).sin() * (0.2 + 0.1 * i);
                let jump = if frame % 997 < 3 { 4.0 } else { 0.0 };
                swing + (time * 0.01 * (i + 1.0)).cos() + jump + i
            })
        };
        (0..count).map(row).collect()
    }

    #[test]
    fn steps_find_as_good_a_frame_as_full_numbers() {
        let features = features(5000);
        let steps = FeatureSteps::new(&features);
        let rows: Vec<Row> = features.iter().map(|features| steps.row(features)).collect();
        for asked in features.iter().step_by(71) {
            let mut asked = *asked;
            asked.iter_mut().enumerate().for_each(|(i, value)| *value += 0.3 * (i as f32 * 2.3).sin());
            let off = |row: &Features, i: usize| (row[i] - asked[i]) * steps.scales[i];
            let exact = |row: &Features| (0..FEATURES).map(|i| off(row, i).powi(2)).sum::<f32>();
            let query = MotionQuery { features: std::array::from_fn(|i| steps.of(i, asked[i])), way_weight: 1.0 };
            let cost = |i: usize| query.of_row(&rows[i], f32::INFINITY);
            let found = (0..rows.len()).min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
            let found = found.unwrap();
            let least = features.iter().map(exact).fold(f32::INFINITY, f32::min);
            assert!(exact(&features[found]) <= least * 1.001, "{} costs more than {least}", exact(&features[found]));
            let told = steps.cost(cost(found));
            assert!((told - exact(&features[found])).abs() <= 1e-3 * told, "{told}");
            assert!((steps.cost_in_steps(told) / cost(found) - 1.0).abs() < 1e-5);
            assert!(
                query.of_row(&rows[found], 0.5 * cost(found)) >= 0.5 * cost(found),
                "above a limit it need not be exact"
            );
        }
    }

    #[test]
    fn features_that_never_change_have_steps() {
        let same = [[1.5; FEATURES]; 3];
        let steps = FeatureSteps::new(&same);
        assert_eq!(steps.row(&same[0]), [0; FEATURES]);
        assert!(steps.length > 0.0 && (steps.cost(steps.cost_in_steps(2.0)) - 2.0).abs() < 1e-3, "{}", steps.length);
    }
}
