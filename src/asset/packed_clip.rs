//! Channels of a clip in numbers of 16 bits: key times as positions in the list of all key times of the clip, vectors as
//! steps over the range of their track. Of rotations three parts of the quaternion are kept, likewise, and the fourth is
//! what is missing to a length of 1; where none of them is long in all keys, it is the longest of each key, and the others
//! have 15 bits. A track that allows no error keeps its numbers in full.

use super::track::{Channel, Track};
use crate::ids::NodeId;
use crate::math::Trs;
use glam::{Quat, Vec3};
use std::f32::consts::FRAC_1_SQRT_2;
use std::ops::Range;

/// Most different key times of a packed clip.
pub const MAX_TIMES: usize = 1 << 16;
/// Steps of a vector over the range of its track.
const STEPS: f32 = u16::MAX as f32;
/// Steps of a part of a rotation on either side of 0: none but the largest part is longer than the root of a half.
const TURN_STEPS: f32 = 16_383.0;
/// Bit of a word that tells which part is the largest.
const LARGEST_BIT: u16 = 1 << 15;
/// Least length of the part of a rotation that is left out in all keys of a track: the shorter it is, the more it is off.
const MIN_LEFT_OUT: f32 = 0.35;

/// How the values of a track are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyGrid {
    /// As they are.
    Full,
    /// Vectors in steps from the least of the track.
    Vectors(VectorSteps),
    /// Rotations by three parts, likewise, and the number of the part that is left out.
    Turns(VectorSteps, u8),
    /// Rotations by their three smallest parts.
    AnyTurns,
}

/// Steps of vectors over the range of a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorSteps {
    /// The least of each coordinate.
    min: Vec3,
    /// Length of a step along each.
    length: Vec3,
}

impl VectorSteps {
    fn of(values: impl Iterator<Item = Vec3> + Clone) -> Self {
        let min = values.clone().fold(Vec3::INFINITY, Vec3::min);
        let max = values.fold(Vec3::NEG_INFINITY, Vec3::max);
        Self { min, length: (max - min) / STEPS }
    }

    /// Largest error of a vector.
    fn error(&self) -> f32 {
        self.length.length() / 2.0
    }

    fn pack(&self, value: Vec3, words: &mut Vec<u16>) {
        // A coordinate that never changes has steps of no length.
        let steps = (value - self.min) / self.length.max(Vec3::splat(f32::MIN_POSITIVE));
        words.extend(steps.to_array().map(|steps| steps.round().clamp(0.0, STEPS) as u16));
    }

    fn unpacked(&self, words: &[u16]) -> Vec3 {
        Vec3::new(f32::from(words[0]), f32::from(words[1]), f32::from(words[2])) * self.length + self.min
    }
}

impl KeyGrid {
    /// Largest error of a rotation in [`KeyGrid::AnyTurns`], radians: twice the error of the quaternion, which is at most
    /// twice that of the three parts that are kept.
    const ANY_TURN_ERROR_RAD: f32 = 2.0 * 2.0 * 1.733 * 0.5 * FRAC_1_SQRT_2 / TURN_STEPS;

    /// The steps of the vectors of a track, and the largest error of one, in their unit.
    pub fn of_vectors(values: &[Vec3]) -> (Self, f32) {
        let steps = VectorSteps::of(values.iter().copied());
        if steps.length.is_finite() { (Self::Vectors(steps), steps.error()) } else { (Self::Full, 0.0) }
    }

    /// How the rotations of a track are packed best, and the largest error of one, radians.
    pub fn of_turns(values: &[Quat]) -> (Self, f32) {
        let shortest = |i: usize| values.iter().map(|turn| turn.to_array()[i].abs()).fold(f32::INFINITY, f32::min);
        let lengths: [f32; 4] = std::array::from_fn(shortest);
        let left_out = (1..4).fold(0, |best, i| if lengths[i] > lengths[best] { i } else { best });
        if lengths[left_out] < MIN_LEFT_OUT || values.is_empty() {
            return (Self::AnyTurns, Self::ANY_TURN_ERROR_RAD);
        }
        let steps = VectorSteps::of(values.iter().map(|turn| others(*turn, left_out)));
        // The part that is left out is off by as much more as the others together are longer than it.
        (Self::Turns(steps, left_out as u8), 2.0 * steps.error() / (lengths[left_out] - steps.error()))
    }

    /// What a value becomes when it is packed.
    pub fn snapped<T: PackedValue>(&self, value: T) -> T {
        let mut words = Vec::with_capacity(T::FULL_WORDS);
        value.pack(self, &mut words);
        T::unpacked(self, &words)
    }
}

/// A value of a track that can be packed.
pub trait PackedValue: Copy {
    /// Words of a value in full.
    const FULL_WORDS: usize;

    /// Appends its words.
    fn pack(self, grid: &KeyGrid, words: &mut Vec<u16>);

    /// The value of as many words as [`PackedValue::pack`] appends.
    fn unpacked(grid: &KeyGrid, words: &[u16]) -> Self;

    /// The value a share of the way to another.
    fn towards(self, other: Self, share: f32) -> Self;

    /// Words of a value.
    fn words(grid: &KeyGrid) -> usize {
        if *grid == KeyGrid::Full { Self::FULL_WORDS } else { 3 }
    }
}

/// The parts of a rotation without one, in their order from that one on, of the quaternion in which it is above 0: it and
/// its negative are the same rotation.
fn others(turn: Quat, left_out: usize) -> Vec3 {
    let parts = turn.to_array();
    let [a, b, c] = [1, 2, 3].map(|i| parts[(left_out + i) % 4]);
    Vec3::new(a, b, c) * parts[left_out].signum()
}

/// The rotation of what [`others`] gives.
fn completed([a, b, c]: [f32; 3], left_out: u8) -> Quat {
    let rest = (1.0 - (a * a + b * b + c * c)).max(0.0).sqrt();
    match left_out {
        0 => Quat::from_xyzw(rest, a, b, c),
        1 => Quat::from_xyzw(c, rest, a, b),
        2 => Quat::from_xyzw(b, c, rest, a),
        _ => Quat::from_xyzw(a, b, c, rest),
    }
}

fn pack_full(value: f32, words: &mut Vec<u16>) {
    let bits = value.to_bits();
    words.extend([bits as u16, (bits >> 16) as u16]);
}

fn full(words: &[u16], i: usize) -> f32 {
    f32::from_bits(u32::from(words[2 * i]) | u32::from(words[2 * i + 1]) << 16)
}

impl PackedValue for Vec3 {
    const FULL_WORDS: usize = 6;

    fn pack(self, grid: &KeyGrid, words: &mut Vec<u16>) {
        match grid {
            KeyGrid::Vectors(steps) => steps.pack(self, words),
            _ => self.to_array().into_iter().for_each(|value| pack_full(value, words)),
        }
    }

    fn unpacked(grid: &KeyGrid, words: &[u16]) -> Self {
        match grid {
            KeyGrid::Vectors(steps) => steps.unpacked(words),
            _ => Vec3::new(full(words, 0), full(words, 1), full(words, 2)),
        }
    }

    fn towards(self, other: Self, share: f32) -> Self {
        self.lerp(other, share)
    }
}

impl PackedValue for Quat {
    const FULL_WORDS: usize = 8;

    fn pack(self, grid: &KeyGrid, words: &mut Vec<u16>) {
        let parts = self.to_array();
        match grid {
            KeyGrid::Turns(steps, left_out) => steps.pack(others(self, usize::from(*left_out)), words),
            KeyGrid::AnyTurns => {
                let largest = (1..4).fold(0, |best, i| if parts[i].abs() > parts[best].abs() { i } else { best });
                let steps = others(self, largest) * (TURN_STEPS / FRAC_1_SQRT_2) + TURN_STEPS;
                let [a, b, c] = steps.to_array().map(|steps| steps.round().clamp(0.0, 2.0 * TURN_STEPS) as u16);
                let bit = |is_set: bool| if is_set { LARGEST_BIT } else { 0 };
                words.extend([a | bit(largest & 1 != 0), b | bit(largest & 2 != 0), c]);
            }
            _ => parts.into_iter().for_each(|value| pack_full(value, words)),
        }
    }

    fn unpacked(grid: &KeyGrid, words: &[u16]) -> Self {
        match grid {
            KeyGrid::Turns(steps, left_out) => completed(steps.unpacked(words).to_array(), *left_out),
            KeyGrid::AnyTurns => {
                let part = |word: u16| f32::from(word & !LARGEST_BIT) * (FRAC_1_SQRT_2 / TURN_STEPS) - FRAC_1_SQRT_2;
                let bit = |word: u16| (word >> 15) as u8;
                completed([part(words[0]), part(words[1]), part(words[2])], bit(words[0]) | bit(words[1]) << 1)
            }
            _ => Quat::from_xyzw(full(words, 0), full(words, 1), full(words, 2), full(words, 3)),
        }
    }

    fn towards(self, other: Self, share: f32) -> Self {
        self.slerp(other, share)
    }
}

/// Where the keys of a track are.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PackedTrack {
    first_key: u32,
    keys: u32,
    first_word: u32,
    grid: KeyGrid,
}

impl PackedTrack {
    fn keys(&self) -> Range<usize> {
        self.first_key as usize..(self.first_key + self.keys) as usize
    }
}

/// The tracks of a node: translation, rotation, scale.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PackedChannel {
    node: NodeId,
    tracks: [PackedTrack; 3],
}

/// The channels of a clip, packed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedClip {
    /// All key times, ascending, seconds.
    times_secs: Vec<f32>,
    /// Key times for each second, on average.
    times_per_sec: f32,
    channels: Vec<PackedChannel>,
    /// For each key of all tracks its time by position in the list.
    positions: Vec<u16>,
    /// Values of all keys.
    words: Vec<u16>,
}

impl PackedClip {
    /// Packs channels, sorted by node, each with the grids of its translations, rotations and scales. `None` where they
    /// have more than [`MAX_TIMES`] different key times.
    pub fn new(channels: &[(Channel, [KeyGrid; 3])]) -> Option<Self> {
        let times_of = |(channel, _): &(Channel, _)| channel.times_secs().map(<[f32]>::to_vec);
        let mut times_secs: Vec<f32> = channels.iter().flat_map(times_of).flatten().collect();
        times_secs.sort_by(f32::total_cmp);
        times_secs.dedup();
        if times_secs.len() > MAX_TIMES {
            return None;
        }
        let length_secs = times_secs.last().zip(times_secs.first()).map_or(0.0, |(last, first)| last - first);
        let times_per_sec = if length_secs > 0.0 { (times_secs.len() - 1) as f32 / length_secs } else { 0.0 };
        let mut out = Self { times_secs, times_per_sec, ..Self::default() };
        for (channel, [places, turns, scales]) in channels {
            let tracks = [
                out.push(&channel.translation, *places),
                out.push(&channel.rotation, *turns),
                out.push(&channel.scale, *scales),
            ];
            if tracks.iter().any(|track| track.keys > 0) {
                out.channels.push(PackedChannel { node: channel.node, tracks });
            }
        }
        out.positions.shrink_to_fit();
        out.words.shrink_to_fit();
        Some(out)
    }

    fn push<T: PackedValue>(&mut self, track: &Track<T>, grid: KeyGrid) -> PackedTrack {
        let (first_key, first_word) = (self.positions.len() as u32, self.words.len() as u32);
        for (time, value) in track.times_secs.iter().zip(&track.values) {
            // Not by `total_cmp`: of the two zeros the list has one.
            let before = self.times_secs.partition_point(|at| at < time);
            self.positions.push(before as u16);
            value.pack(&grid, &mut self.words);
        }
        PackedTrack { first_key, keys: self.positions.len() as u32 - first_key, first_word, grid }
    }

    /// Keys of all tracks.
    pub fn keys(&self) -> usize {
        self.positions.len()
    }

    /// Times of all keys, ascending, seconds.
    pub fn key_times_secs(&self) -> &[f32] {
        &self.times_secs
    }

    /// Memory that it takes, bytes.
    pub fn bytes(&self) -> usize {
        let keys = size_of_val(&self.positions[..]) + size_of_val(&self.words[..]);
        keys + size_of_val(&self.times_secs[..]) + size_of_val(&self.channels[..])
    }

    /// Whether it has a channel for a node.
    pub fn moves(&self, node: NodeId) -> bool {
        self.channel(node).is_some()
    }

    fn channel(&self, node: NodeId) -> Option<&PackedChannel> {
        self.channels.binary_search_by_key(&node, |channel| channel.node).ok().map(|i| &self.channels[i])
    }

    /// The local transform of a node at a time, given its rest; `None` without a channel for it.
    pub fn local_at(&self, node: NodeId, time_secs: f32, rest: &Trs) -> Option<Trs> {
        let [translation, rotation, scale] = &self.channel(node)?.tracks;
        let time = if time_secs.is_nan() { 0.0 } else { time_secs };
        let passed = self.passed(time);
        Some(Trs {
            translation: self.at(translation, passed, time, rest.translation),
            rotation: self.at(rotation, passed, time, rest.rotation),
            scale: self.at(scale, passed, time, rest.scale),
        })
    }

    /// How many of all key times are at or before a time.
    fn passed(&self, time: f32) -> usize {
        let times = &self.times_secs;
        let Some(first) = times.first() else { return 0 };
        // Most clips have keys at even distances.
        let guess = (((time - first) * self.times_per_sec) as usize).min(times.len() - 1);
        let is_it = |passed: &usize| {
            passed.checked_sub(1).is_none_or(|i| times[i] <= time) && times.get(*passed).is_none_or(|next| *next > time)
        };
        let near = [guess + 1, guess, guess + 2].into_iter().filter(|passed| *passed <= times.len()).find(is_it);
        near.unwrap_or_else(|| times.partition_point(|at| *at <= time))
    }

    /// The value of a track at a time, of which so many key times of the clip are passed.
    fn at<T: PackedValue>(&self, track: &PackedTrack, passed: usize, time: f32, rest: T) -> T {
        if track.keys == 0 {
            return rest;
        }
        let positions = &self.positions[track.keys()];
        let words = T::words(&track.grid);
        let value = |key: usize| {
            let first = track.first_word as usize + key * words;
            T::unpacked(&track.grid, &self.words[first..first + words])
        };
        let after = positions.partition_point(|position| usize::from(*position) < passed);
        if after == 0 || after == positions.len() {
            return value(after.saturating_sub(1));
        }
        let [from, to] = [after - 1, after].map(|key| self.times_secs[usize::from(positions[key])]);
        value(after - 1).towards(value(after), (time - from) / (to - from))
    }

    /// The channels with all numbers in full.
    pub fn channels(&self) -> Vec<Channel> {
        let channel = |channel: &PackedChannel| {
            let [translation, rotation, scale] = &channel.tracks;
            let node = channel.node;
            Channel {
                node,
                translation: self.track(translation),
                rotation: self.track(rotation),
                scale: self.track(scale),
            }
        };
        self.channels.iter().map(channel).collect()
    }

    fn track<T: PackedValue>(&self, track: &PackedTrack) -> Track<T> {
        let words = self.words[track.first_word as usize..].chunks_exact(T::words(&track.grid));
        Track {
            times_secs: self.positions[track.keys()].iter().map(|i| self.times_secs[usize::from(*i)]).collect(),
            values: words.take(track.keys as usize).map(|words| T::unpacked(&track.grid, words)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rotations all over, the ends of the parts' range among them.
    fn turns() -> impl Iterator<Item = Quat> {
        let some = (0..2000).map(|i| {
            let [a, b, c] = [0.618_034, 0.414_214, 0.732_051].map(|step| (i as f32 * step).fract());
            let (low, high) = ((1.0 - a).sqrt(), a.sqrt());
            let [b, c] = [b, c].map(|turn| (turn * std::f32::consts::TAU).sin_cos());
            Quat::from_xyzw(low * b.0, low * b.1, high * c.0, high * c.1)
        });
        let even = Quat::from_xyzw(0.5, -0.5, 0.5, -0.5);
        let two = Quat::from_xyzw(0.0, FRAC_1_SQRT_2, 0.0, -FRAC_1_SQRT_2);
        some.chain([Quat::IDENTITY, -Quat::IDENTITY, even, two, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)])
    }

    fn turn_apart(a: Quat, b: Quat) -> f32 {
        2.0 * (a.inverse() * b).xyz().length()
    }

    #[test]
    fn packed_rotations_keep_within_their_error() {
        let all: Vec<Quat> = turns().collect();
        let (grid, error_rad) = KeyGrid::of_turns(&all);
        assert_eq!(grid, KeyGrid::AnyTurns);
        let mut worst = 0.0_f32;
        for turn in &all {
            let packed = grid.snapped(*turn);
            assert!(packed.is_normalized(), "{turn} became {packed}");
            worst = worst.max(turn_apart(packed, *turn));
            assert_eq!(KeyGrid::Full.snapped(*turn), *turn);
        }
        assert!(worst <= error_rad && worst > error_rad / 4.0, "{worst} rad");
        assert_eq!(grid.snapped(Quat::IDENTITY), Quat::IDENTITY);
    }

    #[test]
    fn rotations_of_a_joint_are_packed_more_finely() {
        // Whichever part is the long one.
        for base in
            [Quat::IDENTITY, Quat::from_rotation_x(3.0), Quat::from_rotation_y(-3.0), Quat::from_rotation_z(3.1)]
        {
            let swing = |i: usize| {
                let way = i as f32 * 0.1;
                let turn = Quat::from_rotation_x(0.8 * way.sin()) * Quat::from_rotation_z(0.5 * (way * 1.3).cos());
                if i.is_multiple_of(3) { -(base * turn) } else { base * turn }
            };
            let values: Vec<Quat> = (0..500).map(swing).collect();
            let (grid, error_rad) = KeyGrid::of_turns(&values);
            assert!(
                matches!(grid, KeyGrid::Turns(..)) && error_rad < KeyGrid::ANY_TURN_ERROR_RAD / 2.0,
                "{error_rad} rad"
            );
            let worst = values.iter().map(|turn| turn_apart(grid.snapped(*turn), *turn)).fold(0.0, f32::max);
            assert!(worst <= error_rad + 1e-6 && worst > error_rad / 8.0, "{worst} of {error_rad} rad");
        }
    }

    #[test]
    fn packed_vectors_keep_within_half_a_step() {
        let values: Vec<Vec3> = (0..1000).map(|i| Vec3::new((i as f32 * 0.37).sin(), 7.0, i as f32 * 0.01)).collect();
        let (grid, error) = KeyGrid::of_vectors(&values);
        assert!(error > 0.0 && error < 1e-4, "{error}");
        for value in &values {
            let packed = grid.snapped(*value);
            assert!(packed.distance(*value) <= error + 1e-6 && packed.y == 7.0, "{value} became {packed}");
            assert_eq!(KeyGrid::Full.snapped(*value), *value);
        }
        assert_eq!(KeyGrid::of_vectors(&[Vec3::splat(f32::MAX), Vec3::splat(f32::MIN)]).0, KeyGrid::Full);
    }

    /// Channels whose keys lie at different and uneven times.
    fn channels(is_full: bool) -> Vec<(Channel, [KeyGrid; 3])> {
        let channel = |(node, times_secs): (u32, Vec<f32>)| {
            let places: Vec<Vec3> = times_secs.iter().map(|time| Vec3::new(*time, 1.0, time * time)).collect();
            let turns: Vec<Quat> = times_secs.iter().map(|time| Quat::from_rotation_y(time * 0.3)).collect();
            let [places_grid, turns_grid] = if is_full {
                [KeyGrid::Full; 2]
            } else {
                [KeyGrid::of_vectors(&places).0, KeyGrid::of_turns(&turns).0]
            };
            let translation = Track { times_secs: times_secs.clone(), values: places };
            let rotation = Track { times_secs, values: turns };
            let channel = Channel { node: NodeId(node), translation, rotation, scale: Track::default() };
            (channel, [places_grid, turns_grid, KeyGrid::Full])
        };
        let even = (0..=40).map(|i| i as f32 * 0.1).collect();
        [(1, even), (4, vec![0.7]), (5, vec![0.25, 0.3, 2.0, 3.9, 7.0])].into_iter().map(channel).collect()
    }

    #[test]
    fn packed_in_full_is_as_it_was() {
        let channels = channels(true);
        let packed = PackedClip::new(&channels).unwrap();
        let was: Vec<Channel> = channels.into_iter().map(|(channel, _)| channel).collect();
        assert_eq!(packed.channels(), was);
        assert_eq!(packed.keys(), 2 * (41 + 1 + 5));
        assert!(packed.moves(NodeId(4)) && !packed.moves(NodeId(3)));
        let rest = Trs { scale: Vec3::splat(2.0), ..Trs::IDENTITY };
        assert_eq!(packed.local_at(NodeId(0), 1.0, &rest), None);
        for time in (-10..800).map(|i| i as f32 * 0.01).chain([f32::NAN, f32::INFINITY, f32::NEG_INFINITY]) {
            for channel in &was {
                let (now, then) = (packed.local_at(channel.node, time, &rest).unwrap(), channel.at(time, &rest));
                assert!(now.translation.abs_diff_eq(then.translation, 1e-6), "{time} s: {now:?}, {then:?}");
                assert!(turn_apart(now.rotation, then.rotation) < 1e-5 && now.scale == rest.scale, "{time} s");
            }
        }
    }

    #[test]
    fn both_zeros_are_one_time() {
        let channel = |(node, zero): (u32, f32)| {
            let translation = Track { times_secs: vec![zero, 1.0], values: vec![Vec3::ZERO, Vec3::X] };
            (Channel { node: NodeId(node), translation, ..Channel::default() }, [KeyGrid::Full; 3])
        };
        let packed = PackedClip::new(&[(0, -0.0), (1, 0.0)].map(channel)).unwrap();
        let half = |node| packed.local_at(NodeId(node), 0.5, &Trs::IDENTITY).unwrap().translation;
        assert_eq!([half(0), half(1)], [Vec3::X * 0.5; 2]);
    }

    #[test]
    fn packed_keys_take_eight_bytes() {
        let channels = channels(false);
        let packed = PackedClip::new(&channels).unwrap();
        let around = packed.times_secs.len() * 4 + 3 * size_of::<PackedChannel>();
        assert_eq!(packed.bytes(), around + packed.keys() * 8);
        for (now, (was, _)) in packed.channels().iter().zip(&channels) {
            for time in (0..70).map(|i| i as f32 * 0.1) {
                let [now, was] = [now, was].map(|channel| channel.at(time, &Trs::IDENTITY));
                assert!(now.translation.distance(was.translation) < 1e-3, "{time} s");
                assert!(turn_apart(now.rotation, was.rotation) < 1e-4, "{time} s");
            }
        }
    }

    #[test]
    fn clips_of_too_many_times_are_not_packed() {
        let times_secs: Vec<f32> = (0..=MAX_TIMES).map(|i| i as f32).collect();
        let translation = Track { values: vec![Vec3::ZERO; times_secs.len()], times_secs };
        let channel = Channel { translation, ..Channel::default() };
        assert_eq!(PackedClip::new(&[(channel, [KeyGrid::Full; 3])]), None);
    }
}
