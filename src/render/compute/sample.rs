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
}

impl PackedClips {
    fn push<T: Copy>(&mut self, at: usize, track: &Track<T>, to_vec4: impl Fn(T) -> Vec4) {
        let count = track.times_secs.len().min(track.values.len());
        self.ranges[at] = KeyRange { first: self.times_secs.len() as u32, count: count as u32 };
        self.times_secs.extend(&track.times_secs[..count]);
        self.values.extend(track.values[..count].iter().map(|v| to_vec4(*v).to_array()));
    }
}

/// Flattens the clips of a model. Channels of nodes that do not exist are left out.
pub fn pack_clips(model: &Model) -> PackedClips {
    let nodes = model.skeleton.len();
    let mut packed = PackedClips {
        ranges: vec![KeyRange { first: 0, count: 0 }; model.clips.len() * nodes * 3],
        ..Default::default()
    };
    for (clip_index, clip) in model.clips.iter().enumerate() {
        for channel in clip.full_channels().iter().filter(|c| (c.node.0 as usize) < nodes) {
            let at = (clip_index * nodes + channel.node.0 as usize) * 3;
            packed.push(at, &channel.translation, |v: Vec3| v.extend(0.0));
            packed.push(at + 1, &channel.rotation, |q: Quat| Vec4::from(q));
            packed.push(at + 2, &channel.scale, |v: Vec3| v.extend(0.0));
        }
    }
    packed
}

/// Records the sampling of `count` nodes; the bind groups are set already.
pub fn record(pass: &mut wgpu::ComputePass<'_>, pipelines: &ComputePipelines, count: u32) {
    let [x, y] = workgroups(count, SAMPLE_WORKGROUP);
    pass.set_pipeline(&pipelines.sample);
    pass.dispatch_workgroups(x, y, 1);
}
