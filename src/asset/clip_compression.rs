//! Compression of clips: fewer and shorter keys, with a bound on how far any joint goes astray.
//!
//! Values are packed in 16 bits a number where that takes no more than a part of a track's tolerance. Each track keeps
//! the fewest packed keys that a pass from its start needs so that interpolation between them stays within the tolerance.
//! The error of the whole pose is then measured in model space, and the tolerances shrink until it is within what was
//! asked. As in the ACL library it is that of points at a distance from the joints, so that turns of hands and
//! feet count.

use super::packed_clip::{KeyGrid, MAX_TIMES, PackedClip, PackedValue};
use super::retarget::pose;
use super::{Channel, Clip, CompressedClip, Model, Track};
use crate::ids::NodeId;
use crate::math::Trs;
use glam::{Mat4, Quat, Vec3};
use rayon::prelude::*;

/// Distance from a joint of the points whose error counts, metres: about where the skin lies.
const SHELL_M: f32 = 0.05;
/// Most attempts with smaller tolerances, before a clip stays as it is.
const MAX_ATTEMPTS: usize = 12;
/// Share of what a track may be off by that packing its values may take.
const PACKED_SHARE: f32 = 0.25;
/// Share of it within which a value that never changes counts as the rest value, and needs no key.
const REST_SHARE: f32 = 0.05;
/// Most keys that one segment spans: the time for a track grows with the square of it.
const MAX_SPAN: usize = 256;
/// Most transforms of nodes that are held to measure the error of a clip: of very long clips it is measured at evenly
/// spread times, of models with very many nodes at fewer.
const MAX_TRANSFORMS: usize = 4_000_000;

/// Compresses all clips of a model, so that no point near a joint moves by more than `tolerance_mm`, and says what came
/// of each. Clips that gain nothing stay as they are.
pub fn compress_clips(model: &mut Model, tolerance_mm: f32) -> Vec<CompressedClip> {
    let levers = levers(model);
    let compressed: Vec<(Option<Clip>, CompressedClip)> =
        model.clips.par_iter().map(|clip| compressed(model, clip, &levers, tolerance_mm * 1e-3)).collect();
    let mut out = Vec::with_capacity(compressed.len());
    for (clip, (smaller, report)) in model.clips.iter_mut().zip(compressed) {
        if let Some(smaller) = smaller {
            *clip = smaller;
        }
        out.push(report);
    }
    out
}

/// Keys of all tracks, and their memory in bytes, of a packed clip with all that it needs besides.
pub fn clip_size(clip: &Clip) -> (usize, usize) {
    if let Some(packed) = &clip.packed {
        return (packed.keys(), packed.bytes());
    }
    let size = |channel: &Channel| {
        let counts = channel.times_secs().map(<[f32]>::len);
        let value_bytes = [size_of::<Vec3>(), size_of::<Quat>(), size_of::<Vec3>()];
        let bytes = counts.iter().zip(value_bytes).map(|(count, value)| count * (size_of::<f32>() + value));
        (counts.iter().sum::<usize>(), bytes.sum::<usize>())
    };
    clip.channels.iter().map(size).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// For each node how far the farthest point that hangs from it can be, metres, and how long a unit of its parent's space is.
struct Levers {
    reach: Vec<f32>,
    unit: Vec<f32>,
}

fn levers(model: &Model) -> Levers {
    let skeleton = &model.skeleton;
    let matrices = skeleton.rest_model_from_node();
    let mut reach = vec![SHELL_M; matrices.len()];
    for node in (0..matrices.len()).rev() {
        if let Some(parent) = skeleton.parents[node].map(|parent| parent.0 as usize) {
            let bone = matrices[node].w_axis.distance(matrices[parent].w_axis);
            reach[parent] = reach[parent].max(reach[node] + bone);
        }
    }
    let unit = |parent: &Option<NodeId>| {
        let scale = parent.map_or(1.0, |parent| matrices[parent.0 as usize].determinant().abs().cbrt());
        if scale.is_finite() && scale > 0.0 { scale } else { 1.0 }
    };
    Levers { reach, unit: skeleton.parents.iter().map(unit).collect() }
}

/// The smaller clip where there is one, and what came of it.
fn compressed(model: &Model, clip: &Clip, levers: &Levers, tolerance_m: f32) -> (Option<Clip>, CompressedClip) {
    let (keys_before, bytes_before) = clip_size(clip);
    let as_it_is = CompressedClip { keys_before, keys: keys_before, bytes_before, bytes: bytes_before, error_mm: 0.0 };
    if !(tolerance_m > 0.0) || keys_before == 0 {
        return (None, as_it_is);
    }
    let (times, packs) = key_times_of(clip, model.skeleton.len());
    let shown: Vec<Vec<Mat4>> = times.iter().map(|&time| pose(model, clip, time)).collect();
    // How much of the tolerance each channel may take.
    let mut shares = vec![1.0_f32; clip.channels.len()];
    for _ in 0..MAX_ATTEMPTS {
        let lean = |(channel, share): (&Channel, &f32)| {
            let rest = model.skeleton.rest.get(channel.node.0 as usize).copied().unwrap_or(Trs::IDENTITY);
            ChannelTolerance::new(levers, channel.node, tolerance_m * share, packs).reduced(channel, &rest)
        };
        let smaller = with_channels(clip, clip.channels.iter().zip(&shares).map(lean).collect());
        let errors_m = errors_m(model, &smaller, &times, &shown);
        let error_m = errors_m.iter().copied().fold(0.0, f32::max);
        if error_m <= tolerance_m {
            let (keys, bytes) = clip_size(&smaller);
            let report = CompressedClip { keys, bytes, error_mm: error_m * 1e3, ..as_it_is };
            return if bytes < bytes_before { (Some(smaller), report) } else { (None, as_it_is) };
        }
        tighten(model, clip, &errors_m, tolerance_m, &mut shares);
    }
    (None, as_it_is)
}

/// A clip with other channels, packed where it can be.
fn with_channels(clip: &Clip, channels: Vec<(Channel, [KeyGrid; 3])>) -> Clip {
    let (name, morphs) = (clip.name.clone(), clip.morphs.clone());
    let packed = PackedClip::new(&channels);
    let full = if packed.is_none() { channels.into_iter().map(|(channel, _)| channel).collect() } else { Vec::new() };
    Clip { name, duration_secs: clip.duration_secs, channels: full, morphs, packed }
}

/// Lets the channels from which nodes hang that go astray take less of the tolerance.
fn tighten(model: &Model, clip: &Clip, errors_m: &[f32], tolerance_m: f32, shares: &mut [f32]) {
    let mut factors = vec![1.0_f32; errors_m.len()];
    for (node, error_m) in errors_m.iter().enumerate().filter(|(_, error_m)| **error_m > tolerance_m) {
        let factor = (0.9 * tolerance_m / error_m).clamp(0.2, 0.9);
        for above in model.skeleton.ancestors(NodeId(node as u32)) {
            factors[above.0 as usize] = factors[above.0 as usize].min(factor);
        }
    }
    for (channel, share) in clip.channels.iter().zip(shares) {
        *share *= factors.get(channel.node.0 as usize).copied().unwrap_or(1.0);
    }
}

/// The times of all keys of a clip of a model with so many nodes, ascending, and whether it can be packed.
fn key_times_of(clip: &Clip, nodes: usize) -> (Vec<f32>, bool) {
    let tracks = |channel: &Channel| channel.times_secs().map(<[f32]>::to_vec);
    let mut times: Vec<f32> = clip.channels.iter().flat_map(tracks).flatten().collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let most = (MAX_TRANSFORMS / nodes.max(1)).max(1);
    let step = times.len().div_ceil(most).max(1);
    let packs = times.len() <= MAX_TIMES;
    (times.into_iter().step_by(step).collect(), packs)
}

/// For each node the largest distance of a point near it from where it was, metres.
fn errors_m(model: &Model, clip: &Clip, times: &[f32], shown: &[Vec<Mat4>]) -> Vec<f32> {
    let at = |(time, was): (&f32, &Vec<Mat4>)| {
        let now = pose(model, clip, *time);
        now.iter().zip(was).map(|(now, was)| apart(now, was)).collect::<Vec<f32>>()
    };
    let worse = |a: Vec<f32>, b: Vec<f32>| match (a.is_empty(), b.is_empty()) {
        (true, _) => b,
        (_, true) => a,
        _ => a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect(),
    };
    times.par_iter().zip(shown.par_iter()).map(at).reduce(Vec::new, worse)
}

/// How far points on the shell around a joint lie apart at most.
fn apart(now: &Mat4, was: &Mat4) -> f32 {
    let axes = [0, 1, 2].map(|i| {
        let unit = was.col(i).truncate().length().max(1e-12);
        (now.col(i) - was.col(i)).truncate().length() / unit
    });
    let turn = axes.into_iter().fold(0.0, f32::max);
    now.w_axis.truncate().distance(was.w_axis.truncate()) + SHELL_M * turn
}

/// How far the values of a channel may be off.
struct ChannelTolerance {
    /// Of translations, in the unit of the parent's space.
    shift: f32,
    /// Of rotations in radians, and of scales as a share of them: a scale moves what hangs from a node as a turn does.
    turn: f32,
    /// Whether values are packed where they can be.
    packs: bool,
}

impl ChannelTolerance {
    /// That of a node, of which points may be off by so many metres.
    fn new(levers: &Levers, node: NodeId, tolerance_m: f32, packs: bool) -> Self {
        let of = |values: &[f32]| values.get(node.0 as usize).copied().unwrap_or(1.0);
        Self { shift: tolerance_m / of(&levers.unit), turn: tolerance_m / of(&levers.reach), packs }
    }

    /// A channel with as few keys as it allows, and how its tracks are packed. Tracks that keep the rest value go.
    fn reduced(&self, channel: &Channel, rest: &Trs) -> (Channel, [KeyGrid; 3]) {
        let [places, turns, scales] = self.grids(channel);
        let shifted = |a: Vec3, b: Vec3| a.distance(b);
        let scaled = |a: Vec3, b: Vec3| ((a - b).abs() / b.abs().max(Vec3::splat(1e-6))).max_element();
        let lean = Channel {
            node: channel.node,
            translation: Self::lean(&channel.translation, &places, rest.translation, (self.shift, shifted)),
            rotation: Self::lean(&channel.rotation, &turns, rest.rotation, (self.turn, angle_apart)),
            scale: Self::lean(&channel.scale, &scales, rest.scale, (self.turn, scaled)),
        };
        (lean, [places, turns, scales])
    }

    /// How the tracks of a channel are packed: in full where the error of what is shorter would take too much of what is
    /// allowed.
    fn grids(&self, channel: &Channel) -> [KeyGrid; 3] {
        let or_full = |(grid, error): (KeyGrid, f32), most: f32| {
            if self.packs && error <= PACKED_SHARE * most { grid } else { KeyGrid::Full }
        };
        let least_scale = channel.scale.values.iter().map(|scale| scale.abs().min_element()).fold(f32::MAX, f32::min);
        [
            or_full(KeyGrid::of_vectors(&channel.translation.values), self.shift),
            or_full(KeyGrid::of_turns(&channel.rotation.values), self.turn),
            or_full(KeyGrid::of_vectors(&channel.scale.values), self.turn * least_scale),
        ]
    }

    /// A track with as few keys as `most` allows, the largest of what `apart` says of two values.
    fn lean<T: PackedValue>(
        track: &Track<T>,
        grid: &KeyGrid,
        rest: T,
        (most, apart): (f32, impl Fn(T, T) -> f32),
    ) -> Track<T> {
        let out = fewer(track, grid, |value, at| apart(value, at) <= most);
        match out.values[..] {
            [value] if apart(rest, value) <= REST_SHARE * most => Track { times_secs: Vec::new(), values: Vec::new() },
            _ => out,
        }
    }
}

/// The angle between two rotations, radians: by the sine, since the cosine of small angles is 1 to single precision.
fn angle_apart(a: Quat, b: Quat) -> f32 {
    2.0 * (a.inverse() * b).xyz().length().min(1.0).asin()
}

/// The keys of a track, on a grid, that a pass from its start keeps: each segment is as long as interpolation between its
/// ends is within the tolerance at the keys that it leaves out. `fits` takes an interpolated value and the one there.
fn fewer<T: PackedValue>(track: &Track<T>, grid: &KeyGrid, fits: impl Fn(T, T) -> bool) -> Track<T> {
    let (times, values) = (&track.times_secs, &track.values);
    let Some(last) = times.len().checked_sub(1) else { return Track { times_secs: Vec::new(), values: Vec::new() } };
    let ends: Vec<T> = values.iter().map(|value| grid.snapped(*value)).collect();
    let spans = |from: usize, to: usize| {
        let secs = times[to] - times[from];
        let between = |key: usize| ends[from].towards(ends[to], (times[key] - times[from]) / secs);
        (from + 1..to).all(|key| fits(between(key), values[key]))
    };
    // A value that never changes needs one key.
    if values.iter().all(|value| fits(ends[0], *value)) {
        return Track { times_secs: vec![times[0]], values: vec![ends[0]] };
    }
    let mut out = Track { times_secs: vec![times[0]], values: vec![ends[0]] };
    let mut from = 0;
    while from < last {
        let mut to = from + 1;
        while to < last && to - from < MAX_SPAN && spans(from, to + 1) {
            to += 1;
        }
        out.times_secs.push(times[to]);
        out.values.push(ends[to]);
        from = to;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Skeleton;

    /// An arm of three bones of 0.3 m that swings for two seconds with 60 keys a second.
    fn arm() -> Model {
        let bone = Trs { translation: Vec3::Y * 0.3, ..Trs::IDENTITY };
        let skeleton = Skeleton {
            names: vec![String::new(); 3],
            parents: vec![None, Some(NodeId(0)), Some(NodeId(1))],
            rest: vec![Trs::IDENTITY, bone, bone],
        };
        let times: Vec<f32> = (0..=120).map(|i| i as f32 / 60.0).collect();
        let channel = |node: u32| {
            let turn = |time: &f32| Quat::from_rotation_z((time * (2.0 + node as f32)).sin() * 0.8);
            let rotation = Track { times_secs: times.clone(), values: times.iter().map(turn).collect() };
            let translation =
                Track { times_secs: times.clone(), values: vec![skeleton.rest[node as usize].translation; 121] };
            Channel { node: NodeId(node), rotation, translation, ..Channel::default() }
        };
        let channels = (0..3).map(channel).collect();
        let clip = Clip { name: "swing".to_owned(), duration_secs: 2.0, channels, ..Clip::default() };
        Model { skeleton, clips: vec![clip], ..Model::default() }
    }

    #[test]
    fn fewer_keys_stay_within_the_tolerance() {
        let mut sizes = Vec::new();
        for tolerance_mm in [0.1, 1.0, 10.0] {
            let (was, mut model) = (arm(), arm());
            let report = compress_clips(&mut model, tolerance_mm)[0];
            assert!(report.error_mm <= tolerance_mm && report.error_mm > 0.0, "{report:?}");
            assert_eq!((report.keys_before, report.bytes_before), clip_size(&was.clips[0]));
            assert_eq!((report.keys, report.bytes), clip_size(&model.clips[0]));
            // Between keys, too, and by another measure: the tips of the bones.
            let worst = (0..500).map(|i| i as f32 / 250.0).map(|time| {
                let [now, then] = [&model, &was].map(|model| pose(model, &model.clips[0], time));
                let tip = |m: &Mat4| m.transform_point3(Vec3::Y * SHELL_M);
                now.iter().zip(&then).map(|(a, b)| tip(a).distance(tip(b))).fold(0.0, f32::max)
            });
            let worst = worst.fold(0.0, f32::max);
            assert!(worst <= tolerance_mm * 1.05e-3, "{tolerance_mm} mm: {worst} m");
            assert!(report.bytes < report.bytes_before / 2, "{report:?}");
            sizes.push(report.keys);
        }
        assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
        assert!(sizes[1] * 4 < 3 * 2 * 121, "a millimetre takes most keys away: {sizes:?}");
    }

    #[test]
    fn what_never_moves_keeps_at_most_one_key() {
        let mut model = arm();
        // The first bone stands elsewhere than at rest.
        model.clips[0].channels[0].translation.values.fill(Vec3::X * 0.2);
        compress_clips(&mut model, 0.5);
        let keys: Vec<usize> =
            model.clips[0].full_channels().iter().map(|channel| channel.translation.values.len()).collect();
        assert_eq!(keys, [1, 0, 0]);
        let mut as_it_was = arm();
        assert_eq!(compress_clips(&mut as_it_was, 0.0)[0].error_mm, 0.0);
        assert_eq!(as_it_was, arm(), "no tolerance changes nothing");
    }

    #[test]
    fn what_shorter_numbers_lose_counts_as_error() {
        // A way of 200 m in the steps of 16 bits is 3 mm off: it keeps its numbers in full, and the arm those it can.
        let way = |mut model: Model| {
            let places = &mut model.clips[0].channels[0].translation.values;
            places.iter_mut().enumerate().for_each(|(i, place)| *place = Vec3::X * (i as f32 * 1.7).powf(1.01));
            model
        };
        let (was, mut model) = (way(arm()), way(arm()));
        let report = compress_clips(&mut model, 1.0)[0];
        assert!(report.error_mm > 0.0 && report.error_mm <= 1.0, "{report:?}");
        for time in (0..=120).map(|i| i as f32 / 60.0) {
            let [now, then] = [&model, &was].map(|model| pose(model, &model.clips[0], time));
            let apart = now.iter().zip(&then).map(|(a, b)| apart(a, b)).fold(0.0, f32::max);
            assert!(apart <= report.error_mm * 1.001e-3, "{time} s: {apart} m");
        }
        // So small a tolerance that no number can be shortened: fewer keys or none, but never more error.
        let mut model = way(arm());
        let report = compress_clips(&mut model, 0.001)[0];
        assert!(report.error_mm <= 0.001 && report.bytes <= report.bytes_before, "{report:?}");
    }
}
