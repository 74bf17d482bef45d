//! Precomputed node positions and bounding boxes of a model over its clips. Collision queries them in every step; the
//! values are linear between samples of the clips and leave out head layers and leg IK.

use super::local_to_model::local_to_model;
use super::sample::{clamped_weight, sample_clip};
use super::sample_times::SampleTimes;
use super::{Blend, Playback};
use crate::asset::{Clip, Model};
use crate::math::{Aabb, Trs};
use glam::{Mat4, Vec3};

/// Samples per second of a clip.
const SAMPLE_RATE: f32 = 30.0;
/// Most intervals between samples of a clip.
const MAX_INTERVALS: usize = 600;
/// Most node positions in all samples of a model, 400 MB: a small file may name many nodes, and many clips that hold long.
const MAX_ORIGINS: usize = 1 << 25;
/// Most samples that contribute to a pose: two of each of four clips.
const MAX_SAMPLES: usize = 8;

/// Node positions and boxes per clip, in model space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimatedBounds {
    nodes: usize,
    /// One per clip, and the rest pose behind them.
    clips: Vec<SampledClip>,
}

/// A sampled clip.
#[derive(Clone, Debug, Default, PartialEq)]
struct SampledClip {
    times: SampleTimes,
    /// Node positions, by sample, then node.
    origins: Vec<Vec3>,
    /// Boxes around all vertices, one per sample.
    bounds: Vec<Aabb>,
}

/// A sample of a clip that contributes to a pose.
#[derive(Clone, Copy, Default)]
struct WeightedSample {
    clip: usize,
    sample: usize,
    weight: f32,
}

/// The samples that contribute to a pose.
#[derive(Default)]
struct PoseSamples {
    list: [WeightedSample; MAX_SAMPLES],
    count: usize,
}

impl PoseSamples {
    fn iter(&self) -> impl Iterator<Item = &WeightedSample> {
        self.list[..self.count].iter()
    }
}

impl AnimatedBounds {
    /// Samples all clips of a model on this thread; pool threads may be waiting for the result. Those of very large models
    /// are sampled less often, and clips for which there is no room at all count as the rest pose.
    pub fn new(model: &Model) -> Self {
        Self::within(model, MAX_ORIGINS)
    }

    /// With at most so many node positions, or a single sample of the rest pose.
    fn within(model: &Model, max_origins: usize) -> Self {
        let node_boxes = joint_boxes(model);
        let samples = max_origins / model.skeleton.len().max(1);
        let count = model.clips.len().min(samples.saturating_sub(1));
        let intervals = (samples / (count + 1)).saturating_sub(1).min(MAX_INTERVALS);
        let clips = model.clips[..count].iter().map(Some).chain([None]);
        Self {
            nodes: model.skeleton.len(),
            clips: clips.map(|clip| sample_model_clip(model, &node_boxes, clip, intervals)).collect(),
        }
    }

    /// A box around the model in a playback, in model space; empty for a model without vertices.
    pub fn bounds(&self, playback: &Playback) -> Aabb {
        if self.clips.is_empty() {
            return Aabb::EMPTY;
        }
        let mut out = Aabb::new(Vec3::ZERO, Vec3::ZERO);
        for &WeightedSample { clip, sample, weight } in self.samples(playback).iter() {
            let b = &self.clips[clip].bounds[sample];
            if b.is_empty() {
                return Aabb::EMPTY;
            }
            out = Aabb::new(out.min + b.min * weight, out.max + b.max * weight);
        }
        // What a layer moves reaches about as far as in its own clip.
        for layer in playback.layers.iter().filter(|layer| clamped_weight(layer.weight) > 0.0) {
            let Some(clip) = self.clips.get(layer.clip.0 as usize) else { continue };
            out = out.union(&clip.bounds[clip.times.at(layer.time_secs).0]);
        }
        out
    }

    /// Positions of all nodes in a playback, in model space.
    pub fn origins(&self, playback: &Playback, out: &mut Vec<Vec3>) {
        out.clear();
        out.resize(self.nodes, Vec3::ZERO);
        for &WeightedSample { clip, sample, weight } in self.samples(playback).iter() {
            let from = &self.clips[clip].origins[sample * self.nodes..];
            out.iter_mut().zip(from).for_each(|(out, p)| *out += *p * weight);
        }
    }

    /// Largest distance between two nodes in any sampled pose, in model space.
    pub fn max_distance(&self, node: usize, other: usize) -> f32 {
        let moments = self.clips.iter().flat_map(|clip| clip.origins.chunks_exact(self.nodes.max(1)));
        moments.map(|at| at[node].distance(at[other])).fold(0.0, f32::max)
    }

    /// Weighted samples of a playback; their weights sum to 1.
    fn samples(&self, playback: &Playback) -> PoseSamples {
        let from = clamped_weight(playback.from_weight);
        let mut out = PoseSamples::default();
        self.add(&playback.main(), 1.0 - from, &mut out);
        self.add(&playback.from, from, &mut out);
        out
    }

    fn add(&self, blend: &Blend, weight: f32, out: &mut PoseSamples) {
        // The default has no clips, not even the rest pose.
        let Some(rest) = self.clips.len().checked_sub(1) else { return };
        let second = clamped_weight(blend.weight);
        for (at, weight) in blend.clips.iter().zip([weight * (1.0 - second), weight * second]) {
            let clip = (at.clip.0 as usize).min(rest);
            let (frame, next) = self.clips[clip].times.at(at.time_secs);
            for (frame, part) in [(frame, 1.0 - next), (frame + 1, next)] {
                if weight * part > 0.0 {
                    out.list[out.count] = WeightedSample { clip, sample: frame, weight: weight * part };
                    out.count += 1;
                }
            }
        }
    }
}

/// Per node, a box around the vertices skinned to it, in its own space.
fn joint_boxes(model: &Model) -> Vec<Aabb> {
    let mut out = vec![Aabb::EMPTY; model.skeleton.len()];
    let mut include = |node: usize, p: Vec3| {
        if let Some(out) = out.get_mut(node).filter(|_| p.is_finite()) {
            *out = out.including(p);
        }
    };
    for mesh in &model.meshes {
        for (i, vertex) in mesh.vertices.iter().enumerate() {
            let Some(skin) = mesh.skin.get(i) else {
                include(mesh.node.0 as usize, vertex.position);
                continue;
            };
            for (&joint, _) in skin.joints.iter().zip(&skin.weights).filter(|(_, w)| **w > 0.0) {
                if let Some(joint) = model.joints.get(joint as usize) {
                    include(joint.node.0 as usize, joint.node_from_mesh.transform_point3(vertex.position));
                }
            }
        }
    }
    out
}

/// Samples a clip, or the rest pose without one, with at most so many intervals between samples.
fn sample_model_clip(model: &Model, node_boxes: &[Aabb], clip: Option<&Clip>, intervals: usize) -> SampledClip {
    let times = SampleTimes::new(clip.map_or(0.0, |c| c.duration_secs), SAMPLE_RATE, intervals);
    let n = model.skeleton.len();
    let (mut locals, mut nodes) = (vec![Trs::IDENTITY; n], vec![Mat4::IDENTITY; n]);
    let mut out = SampledClip { times, ..SampledClip::default() };
    for frame in 0..times.count {
        sample_clip(&model.skeleton, clip, times.time_secs(frame), &mut locals);
        local_to_model(&model.skeleton, &locals, &mut nodes);
        out.origins.extend(nodes.iter().map(|m| m.w_axis.truncate()));
        let boxes = node_boxes.iter().zip(&nodes).filter(|(b, _)| !b.is_empty());
        out.bounds.push(boxes.fold(Aabb::EMPTY, |all, (b, node)| all.union(&b.transformed(node))));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::ClipAt;
    use crate::anim::sample::sample_playback;
    use crate::asset::{Channel, Joint, Mesh, Skeleton, SkinVertex, Track, Vertex};
    use crate::ids::{ClipId, NodeId};
    use glam::Quat;

    /// An arm of two bones, a metre each along +X, with vertices around its end; two clips swing it about Z and Y, by
    /// `far` radians.
    fn arm(far: f32) -> Model {
        let swing = |axis: Vec3| Clip {
            duration_secs: 1.0,
            channels: vec![Channel {
                node: NodeId(1),
                rotation: Track {
                    times_secs: (0..=8).map(|i| i as f32 / 8.0).collect(),
                    values: (0..=8).map(|i| Quat::from_axis_angle(axis, far * i as f32 / 8.0)).collect(),
                },
                ..Channel::default()
            }],
            ..Clip::default()
        };
        let corner = |i: u32| Vec3::new(2.0 + 0.1 * (i & 1) as f32, 0.1 * (i >> 1 & 1) as f32, 0.1 * (i >> 2) as f32);
        Model {
            skeleton: Skeleton {
                names: vec![String::new(); 3],
                parents: vec![None, Some(NodeId(0)), Some(NodeId(1))],
                rest: vec![Trs { translation: Vec3::X, ..Trs::IDENTITY }; 3],
            },
            joints: vec![Joint { node: NodeId(2), node_from_mesh: Mat4::from_translation(Vec3::X * -3.0) }],
            meshes: vec![Mesh {
                vertices: (0..8).map(|i| Vertex { position: corner(i), ..Vertex::default() }).collect(),
                skin: vec![SkinVertex { joints: [0; 4], weights: [1.0, 0.0, 0.0, 0.0] }; 8],
                ..Mesh::default()
            }],
            clips: vec![swing(Vec3::Z), swing(Vec3::Y)],
            ..Model::default()
        }
    }

    /// Largest distance between a precomputed node position and that of the sampled pose; checks the box as well.
    fn error(model: &Model, playbacks: impl Iterator<Item = Playback>) -> f32 {
        let bounds_of_clips = AnimatedBounds::new(model);
        let (mut origins, mut locals, mut nodes) = (Vec::new(), [Trs::IDENTITY; 3], [Mat4::IDENTITY; 3]);
        let mut worst = 0.0_f32;
        for playback in playbacks {
            sample_playback(&model.skeleton, &model.clips, &playback, None, &[], &mut locals);
            local_to_model(&model.skeleton, &locals, &mut nodes);
            bounds_of_clips.origins(&playback, &mut origins);
            let here = nodes.iter().zip(&origins).map(|(n, o)| n.w_axis.truncate().distance(*o)).fold(0.0, f32::max);
            let bounds = bounds_of_clips.bounds(&playback);
            assert!(bounds.size().max_element() < 0.4, "{bounds:?} fits loosely");
            let bounds = bounds.expanded(Vec3::splat(1.2 * here + 1e-4));
            for vertex in &model.meshes[0].vertices {
                let p = model.skinned_point(&model.meshes[0].skin[0], vertex.position, &nodes);
                assert!(bounds.contains(p), "{p} outside {bounds:?}");
            }
            worst = worst.max(here);
        }
        worst
    }

    #[test]
    fn nodes_and_box_are_those_of_the_sampled_pose() {
        let at = |clip, time_secs| ClipAt { clip: ClipId(clip), time_secs };
        let alone = (0..100).map(|i| Playback { clips: [at(i % 3, 0.0101 * i as f32); 2], ..Playback::default() });
        let far = error(&arm(1.2), alone);
        assert!(far < 1e-3, "{far} m with one clip");
        let blended = (0..200).map(|i| {
            let a = i as f32;
            Playback {
                clips: [at(0, (a * 0.37).fract()), at(1, (a * 0.53).fract())],
                weight: [0.0, 1.0, 0.3, f32::NAN][i % 4],
                from: Blend { clips: [at(9, 0.5), at(1, 0.2)], weight: 0.0 },
                from_weight: [0.0, 0.0, 0.25][i % 3],
                ..Playback::default()
            }
        });
        // The chord in place of the arc between poses that are `angle` apart, as seen from the max_distance node.
        let angle = 0.25 * 2.0_f32.sqrt();
        let far = error(&arm(0.25), blended);
        assert!(far < 2.0 * (1.0 - (0.5 * angle).cos()), "{far} m between clips");
    }

    #[test]
    fn samples_of_many_clips_are_bounded() {
        let model = arm(1.0);
        let kept = |max_origins| AnimatedBounds::within(&model, max_origins).clips;
        let counts = |max_origins| kept(max_origins).iter().map(|clip| clip.origins.len()).collect::<Vec<_>>();
        assert_eq!(counts(MAX_ORIGINS), [31 * 3, 31 * 3, 3], "thirty a second");
        assert_eq!(counts(30), [9, 9, 3]);
        assert_eq!(counts(6), [3, 3], "the first clip and the rest pose");
        assert_eq!(counts(0), [3]);
    }

    #[test]
    fn odd_models_take_no_room() {
        for nothing in [AnimatedBounds::new(&Model::default()), AnimatedBounds::default()] {
            let mut origins = vec![Vec3::ONE];
            nothing.origins(&Playback::default(), &mut origins);
            assert!(origins.is_empty() && nothing.bounds(&Playback::default()).is_empty());
        }
    }
}
