//! Clip sampling on the device. The twin of `anim/sample.rs`, its specification.

use super::pipelines::{ComputePipelines, workgroups};
use crate::asset::{Model, Track};
use crate::render::types::{KeyRange, SAMPLE_WORKGROUP};
use glam::{Quat, Vec3, Vec4};

/// The keys of all clips of a model, flat.
#[derive(Clone, Debug, Default)]
pub struct PackedClips {
    /// Three per clip and node: translation, rotation, scale.
    pub ranges: Vec<KeyRange>,
    /// Key times.
    pub times_secs: Vec<f32>,
    /// Key values: vectors with w = 0, rotations as xyzw.
    pub values: Vec<[f32; 4]>,
    /// How many clips they are.
    pub clip_count: usize,
}

impl PackedClips {
    fn push<T: Copy>(&mut self, at: usize, track: &Track<T>, to_vec4: impl Fn(T) -> Vec4) {
        let count = track.times_secs.len().min(track.values.len());
        self.ranges[at] = KeyRange { first: self.times_secs.len() as u32, count: count as u32 };
        self.times_secs.extend(&track.times_secs[..count]);
        self.values.extend(track.values[..count].iter().map(|v| to_vec4(*v).to_array()));
    }
}

/// Flattens the clips of a model, as many from the first on as have at most so many ranges and keys. Channels of nodes
/// that do not exist are left out.
pub fn pack_clips(model: &Model, [most_ranges, most_keys]: [usize; 2]) -> PackedClips {
    let nodes = model.skeleton.len();
    let mut packed = PackedClips::default();
    for clip in &model.clips {
        let (first_range, first_key) = (packed.ranges.len(), packed.values.len());
        packed.ranges.resize(first_range + nodes * 3, KeyRange { first: 0, count: 0 });
        for channel in clip.full_channels().iter().filter(|c| (c.node.0 as usize) < nodes) {
            let at = first_range + channel.node.0 as usize * 3;
            packed.push(at, &channel.translation, |v: Vec3| v.extend(0.0));
            packed.push(at + 1, &channel.rotation, |q: Quat| Vec4::from(q));
            packed.push(at + 2, &channel.scale, |v: Vec3| v.extend(0.0));
        }
        if packed.ranges.len() > most_ranges || packed.values.len() > most_keys {
            packed.ranges.truncate(first_range);
            packed.times_secs.truncate(first_key);
            packed.values.truncate(first_key);
            break;
        }
        packed.clip_count += 1;
    }
    packed
}

/// Records the sampling of `count` nodes; the bind groups are set already.
pub fn record(pass: &mut wgpu::ComputePass<'_>, pipelines: &ComputePipelines, count: u32) {
    let [x, y] = workgroups(count, SAMPLE_WORKGROUP);
    pass.set_pipeline(&pipelines.sample);
    pass.dispatch_workgroups(x, y, 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Channel, Clip, Skeleton};
    use crate::ids::NodeId;
    use crate::math::Trs;

    #[test]
    fn clips_are_packed_as_long_as_they_fit() {
        let track = |keys: usize| Track { times_secs: vec![0.0; keys], values: vec![Vec3::ONE; keys] };
        let clip = |keys| {
            let channel = Channel { node: NodeId(1), translation: track(keys), ..Channel::default() };
            Clip { channels: vec![channel], ..Clip::default() }
        };
        let skeleton = Skeleton {
            names: vec!["root".into(), "arm".into()],
            parents: vec![None, Some(NodeId(0))],
            rest: vec![Trs::IDENTITY; 2],
        };
        let model = Model { skeleton, clips: vec![clip(2), clip(3), clip(1)], ..Model::default() };
        let whole = pack_clips(&model, [18, 6]);
        assert_eq!((whole.clip_count, whole.ranges.len(), whole.values.len()), (3, 18, 6));
        let range = |at: usize| (whole.ranges[at].first, whole.ranges[at].count);
        assert_eq!((range(3), range(9), range(15), range(4).1), ((0, 2), (2, 3), (5, 1), 0));
        for most in [[18, 4], [11, 6]] {
            let cut = pack_clips(&model, most);
            assert_eq!((cut.clip_count, cut.ranges.len(), cut.values.len(), cut.times_secs.len()), (1, 6, 2, 2));
        }
    }
}
