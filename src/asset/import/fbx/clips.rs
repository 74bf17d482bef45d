//! Animation clips: the curves of the file as keys between which motion is straight.

use super::load::{malformed, within};
use super::nodes::{FbxNodes, quat, vec3};
use crate::asset::import::budget::ModelBudget;
use crate::asset::import::limits;
use crate::asset::import::motion::{KEY_BYTES, duration, track};
use crate::asset::{AssetError, Channel, Clip, Model, MorphTrack};
use std::path::Path;
use ufbx::{AnimStack, BakeOpts, BakedAnim, BakedElement, BakedVec3, ExtrapolationMode, Scene, Transform, bake_anim};
use ufbx::{evaluate_baked_quat, evaluate_baked_vec3, evaluate_transform};

/// Keys per second that take the place of a curve.
const SAMPLES_PER_SEC: f64 = 60.0;
/// The property of the channel of a morph target that holds its weight, percent.
const MORPH: &str = "DeformPercent";
/// Latest time of a key, seconds from the beginning of the file.
const MAX_KEY_SECS: f64 = 1e6;
/// Longest time before and after its keys over which a curve that goes on is sampled, seconds.
const MAX_BEYOND_SECS: f64 = 600.0;

/// A channel of morph targets of a mesh.
#[derive(Clone, Debug)]
pub struct MorphedChannel {
    /// The number of the element of the file and the property of it that hold its weight, percent.
    pub held_by: (u32, String),
    /// Its weight at rest, 1 for all of it.
    pub rest: f64,
    /// The first of its targets among those of the mesh.
    pub first_target: usize,
    /// The weight of the channel at which each of its targets is shown alone, ascending.
    pub full_at: Vec<f64>,
}

/// The element and the property that hold the weight of a channel: of files before version 7.2 a property of the mesh.
pub fn holder_of(channel: &ufbx::BlendChannel) -> (u32, String) {
    let own = (channel.element.element_id, MORPH.to_owned());
    let link =
        channel.element.connections_dst.iter().find(|link| *link.dst_prop == *MORPH && !link.src_prop.is_empty());
    link.map_or(own, |link| (link.src.element_id, link.src_prop.to_string()))
}

/// The channels of the meshes that have morph targets.
#[derive(Debug, Default)]
pub struct MorphedChannels(Vec<(usize, Vec<MorphedChannel>)>);

impl MorphedChannels {
    /// Adds those of a mesh of the model.
    pub fn add(&mut self, mesh: usize, channels: &[MorphedChannel]) {
        if !channels.is_empty() {
            self.0.push((mesh, channels.to_vec()));
        }
    }
}

/// The part of a clip's keys that its take plays, seconds.
#[derive(Clone, Copy)]
struct PlayedSpan {
    begin: f64,
    end: f64,
}

/// Reads all takes as clips that begin at 0.
///
/// # Errors
/// A clip has more keys, or takes more memory, than it may.
pub fn read(
    scene: &Scene,
    (nodes, channels): (&FbxNodes, &MorphedChannels),
    (path, budget): (&Path, &mut ModelBudget),
    model: &mut Model,
) -> Result<(), AssetError> {
    let curves = || (0..scene.anim_curves.len()).map(|i| &scene.anim_curves[i]);
    let is_possible = |key: &ufbx::Keyframe| key.time.abs() <= MAX_KEY_SECS;
    if !curves().all(|curve| curve.keyframes.iter().all(is_possible)) {
        model.warnings.push("its clips are left out: a key is at a time that is none".to_owned());
        return Ok(());
    }
    let goes_on = |end: &ufbx::Extrapolation| end.mode != ExtrapolationMode::Constant;
    let go_on = curves().any(|curve| goes_on(&curve.pre_extrapolation) || goes_on(&curve.post_extrapolation));
    for stack in (0..scene.anim_stacks.len()).map(|i| &scene.anim_stacks[i]) {
        let bytes = budget.reading_bytes();
        let options = BakeOpts {
            temp_allocator: within(bytes),
            result_allocator: within(bytes),
            resample_rate: SAMPLES_PER_SEC,
            ..BakeOpts::default()
        };
        let baked = bake_anim(scene, &stack.anim, options).map_err(|error| malformed(path, &error, bytes))?;
        let keys = baked.nodes.iter().map(|n| n.translation_keys.len() + n.rotation_keys.len() + n.scale_keys.len());
        let span = span_of(&baked);
        let keys = keys.sum::<usize>() as u64 + if go_on { 3 * baked.nodes.len() as u64 * span.samples() } else { 0 };
        limits::check(path, "the number of keys of a clip", keys, limits::KEYS as u64)?;
        budget.take(path, keys * KEY_BYTES)?;
        let mut clip = clip_of((scene, stack), (&baked, span), nodes, go_on);
        clip.morphs = morphs_of((&baked, span), channels, (path, budget))?;
        if clip.channels.is_empty() && clip.morphs.is_empty() {
            continue;
        }
        clip.duration_secs = duration((span.end - span.begin).max(0.0), &clip);
        model.clips.push(clip);
    }
    Ok(())
}

/// What is played of a clip: what its take says, or all where no key of it lies in there.
fn span_of(baked: &BakedAnim) -> PlayedSpan {
    let has_keys = baked.key_time_min < baked.playback_time_end && baked.key_time_max > baked.playback_time_begin;
    if baked.playback_duration > 0.0 && has_keys {
        PlayedSpan { begin: baked.playback_time_begin, end: baked.playback_time_end }
    } else {
        PlayedSpan { begin: baked.key_time_min, end: baked.key_time_max }
    }
}

/// The clip of a take, without morph targets. Where curves `go_on` before and behind their keys they are followed there, too.
fn clip_of(
    (scene, stack): (&Scene, &AnimStack),
    (baked, span): (&BakedAnim, PlayedSpan),
    nodes: &FbxNodes,
    go_on: bool,
) -> Clip {
    let mut clip = Clip { name: stack.element.name.to_string(), ..Clip::default() };
    for node in &baked.nodes {
        let Some(id) = nodes.by_number(node.typed_id) else { continue };
        let in_file = &scene.nodes[node.typed_id as usize];
        let beyond = |t: f64| evaluate_transform(&stack.anim, in_file, t);
        let vectors = |keys: &[BakedVec3], is_constant: bool, part: fn(&Transform) -> ufbx::Vec3| {
            let times: Vec<f64> = keys.iter().map(|key| key.time).collect();
            let at = |t: f64, is_beyond| if is_beyond { part(&beyond(t)) } else { evaluate_baked_vec3(keys, t) };
            track(span.keys(&times, is_constant, go_on, |t, is_beyond| vec3(&at(t, is_beyond))).into_iter(), 1.0)
        };
        let times: Vec<f64> = node.rotation_keys.iter().map(|key| key.time).collect();
        let turn = |t: f64, is_beyond| {
            if is_beyond { beyond(t).rotation } else { evaluate_baked_quat(&node.rotation_keys, t) }
        };
        let rotations = span.keys(&times, node.constant_rotation, go_on, |t, is_beyond| quat(&turn(t, is_beyond)));
        clip.channels.push(Channel {
            node: id,
            translation: vectors(&node.translation_keys, node.constant_translation, |t| t.translation),
            rotation: track(rotations.into_iter(), 1.0),
            scale: vectors(&node.scale_keys, node.constant_scale, |t| t.scale),
        });
    }
    clip.channels.sort_by_key(|channel| channel.node);
    clip
}

impl PlayedSpan {
    /// At most as many samples as are taken before and behind the keys of a curve.
    fn samples(self) -> u64 {
        ((self.end - self.begin).clamp(0.0, 2.0 * MAX_BEYOND_SECS) * SAMPLES_PER_SEC) as u64 + 1
    }

    /// Times and values of the keys within the span, with one at each end, from 0 on; the first alone of keys that are all the same. `at`
    /// takes a time and whether that lies before or behind all keys, which is asked for only where curves `go_on` there.
    fn keys<V>(self, times: &[f64], is_constant: bool, go_on: bool, at: impl Fn(f64, bool) -> V) -> Vec<(f64, V)> {
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Vec::new() };
        let is_still = is_constant || !(self.end > self.begin);
        if is_still || !go_on && (last <= self.begin || first >= self.end) {
            return vec![(0.0, at(self.begin.max(first).min(last), false))];
        }
        let mut taken: Vec<f64> = times.iter().copied().filter(|&t| t > self.begin && t < self.end).collect();
        taken.extend([first.max(self.begin), last.min(self.end)].map(|t| t.clamp(self.begin, self.end)));
        if go_on {
            let samples = |from: f64, to: f64| {
                let count = ((to - from).clamp(0.0, MAX_BEYOND_SECS) * SAMPLES_PER_SEC).ceil() as u32;
                (0..count).map(move |i| from + f64::from(i) / SAMPLES_PER_SEC)
            };
            taken.extend(samples(self.begin, first.min(self.end)));
            taken.extend(samples(last.max(self.begin), self.end));
            taken.push(self.end);
        }
        taken.sort_by(f64::total_cmp);
        taken.dedup();
        taken.into_iter().map(|t| (t - self.begin, at(t, t < first || t > last))).collect()
    }
}

/// The weights of morph targets: of all channels of a mesh at each time at which one of them has a key.
fn morphs_of(
    (baked, span): (&BakedAnim, PlayedSpan),
    channels: &MorphedChannels,
    (path, budget): (&Path, &mut ModelBudget),
) -> Result<Vec<MorphTrack>, AssetError> {
    let mut tracks = Vec::new();
    for (mesh, channels) in &channels.0 {
        let moved: Vec<Option<&[BakedVec3]>> = channels.iter().map(|channel| keys_of(baked, channel)).collect();
        let mut times: Vec<f64> = Vec::new();
        for keys in moved.iter().flatten() {
            let own: Vec<f64> = keys.iter().map(|key| key.time).collect();
            times.extend(span.keys(&own, false, false, |t, _| t).into_iter().map(|(_, t)| t));
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        let targets: usize = channels.iter().map(|channel| channel.full_at.len()).sum();
        let key_bytes = KEY_BYTES + (size_of::<Vec<f32>>() + targets * size_of::<f32>()) as u64;
        budget.take(path, (times.len() as u64 + 1) * key_bytes)?;
        let keys = times.into_iter().map(|time| {
            let mut weights = vec![0.0; targets];
            for (channel, keys) in channels.iter().zip(&moved) {
                let weight = keys.map_or(channel.rest, |keys| evaluate_baked_vec3(keys, time).x * 0.01);
                channel.add_weights(weight, &mut weights);
            }
            ((time - span.begin).max(0.0), weights)
        });
        let weights = track(keys, 1.0);
        if !weights.is_empty() {
            tracks.push(MorphTrack { mesh: *mesh as u32, weights });
        }
    }
    Ok(tracks)
}

/// The keys of a channel's weight; `None` where the clip does not move it.
fn keys_of<'a>(baked: &'a BakedAnim, channel: &MorphedChannel) -> Option<&'a [BakedVec3]> {
    let (holder, name) = &channel.held_by;
    let element = baked.elements.binary_search_by_key(holder, |element: &BakedElement| element.element_id);
    let props = &baked.elements[element.ok()?].props;
    props.iter().find(|prop| *prop.name == **name).map(|prop| &*prop.keys)
}

impl MorphedChannel {
    /// Sets what of its targets is shown at a weight of the channel: of the two between which it lies, or of the two at the end beyond which
    /// it lies, each less the farther away it is shown alone. At 0 none is.
    fn add_weights(&self, weight: f64, weights: &mut [f32]) {
        let targets = self.full_at.iter().zip(self.first_target..).map(|(&full, target)| (full, Some(target)));
        let mut stops: Vec<(f64, Option<usize>)> = targets.chain([(0.0, None)]).collect();
        stops.sort_by(|a, b| a.0.total_cmp(&b.0));
        let next = stops.partition_point(|&(full, _)| full <= weight).clamp(1, stops.len().max(2) - 1);
        let [(from, before), (to, after)] = [stops[next - 1], stops[next]];
        let share = ((weight - from) / (to - from)) as f32;
        for (target, share) in [(before, 1.0 - share), (after, share)] {
            if let Some(target) = target.filter(|_| share.is_finite()) {
                weights[target] = share;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_shows_the_two_targets_around_its_weight() {
        let channel =
            MorphedChannel { held_by: (0, String::new()), rest: 0.0, first_target: 1, full_at: vec![0.25, 1.0] };
        let weights = |weight: f64| {
            let mut weights = vec![0.0; 4];
            channel.add_weights(weight, &mut weights);
            weights
        };
        assert_eq!(weights(0.125), [0.0, 0.5, 0.0, 0.0]);
        assert_eq!(weights(0.25), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(weights(0.625), [0.0, 0.5, 0.5, 0.0]);
        assert_eq!(weights(1.0), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!([weights(0.0), weights(f64::NAN)], [vec![0.0; 4], vec![0.0; 4]]);
        let both = MorphedChannel { full_at: vec![-1.0, 1.0], first_target: 0, ..channel.clone() };
        for (weight, shown) in [(-2.0, [2.0, 0.0]), (-0.5, [0.5, 0.0]), (0.5, [0.0, 0.5])] {
            let mut weights = vec![0.0; 2];
            both.add_weights(weight, &mut weights);
            assert_eq!(weights, shown, "{weight}");
        }
        let one = MorphedChannel { full_at: vec![1.0], first_target: 0, ..channel.clone() };
        let mut twice = vec![0.0];
        one.add_weights(2.0, &mut twice);
        assert_eq!(twice, [2.0], "beyond its end");
    }

    #[test]
    fn keys_outside_of_the_take_are_cut_off() {
        let keys: Vec<f64> = vec![-1.0, 0.5, 1.0, 2.0, 4.0];
        let keys_of =
            |begin: f64, end: f64, go_on| PlayedSpan { begin, end }.keys(&keys, false, go_on, |t, beyond| (t, beyond));
        let cut = |begin: f64, end: f64| -> Vec<(f64, f64)> {
            let keys = keys_of(begin, end, false).into_iter();
            keys.map(|(time, (t, beyond))| (time, if beyond { f64::NAN } else { t })).collect()
        };
        assert_eq!(cut(0.0, 3.0), [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]);
        assert_eq!(cut(0.5, 9.0), [(0.0, 0.5), (0.5, 1.0), (1.5, 2.0), (3.5, 4.0)]);
        assert_eq!([cut(5.0, 6.0), cut(-3.0, -2.0), cut(1.0, 1.0)], [[(0.0, 4.0)], [(0.0, -1.0)], [(0.0, 1.0)]]);
        let constant = PlayedSpan { begin: 0.0, end: 3.0 }.keys(&keys, true, true, |_, _| 7.0);
        assert_eq!(constant, [(0.0, 7.0)]);
        assert!(PlayedSpan { begin: 0.0, end: 3.0 }.keys(&[], false, true, |t, _| t).is_empty());
        let beyond = keys_of(3.0, 5.0, true);
        assert_eq!((beyond.len(), beyond[1].0, beyond[1].1), (62, 1.0, (4.0, false)), "the last key, and 60 a second");
        assert_eq!(beyond[61], (2.0, (5.0, true)));
    }
}
