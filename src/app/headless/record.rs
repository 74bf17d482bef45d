//! Recordings of a simulation as binary glTF: levels, characters and the poses of all their nodes, as one animation.

use crate::app::clock::STEPS_PER_SEC;
use crate::asset::glb::GlbWriter;
use crate::asset::glb_model::{GlbCopy, GlbModel};
use crate::asset::{AssetId, AssetStore, Model};
use crate::ids::InstanceId;
use crate::math::Trs;
use crate::render::extract::place;
use crate::scene::level::LevelPresence;
use crate::scene::{Scene, SceneInstance};
use crate::sim::World;
use crate::sim::pose::sample_pose;
use crate::ui::names;
use crate::vocab::counted;
use glam::{Quat, Vec3};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// Most poses of nodes that a recording holds: 40 bytes each while it is made.
const MAX_POSES: u64 = 32 << 20;

/// Why a simulation is not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// It would take too much memory.
    #[error("{frames} frames of {nodes} nodes are more than a recording holds; record fewer --seconds or --fps")]
    TooLong {
        /// Frames of the recording.
        frames: u64,
        /// Nodes of all characters.
        nodes: u64,
    },
    /// The file were larger than the format can say.
    #[error("the recording is larger than 4 GiB, the most that glTF holds; record fewer --seconds or --fps")]
    TooLarge,
}

/// An instance whose poses are recorded.
struct RecordedInstance {
    id: InstanceId,
    name: String,
    saved: SceneInstance,
    asset: AssetId,
    model: Arc<Model>,
    /// Where it stands in each frame.
    places: Vec<Trs>,
    /// The local transforms of all nodes in each frame.
    poses: Vec<Trs>,
}

/// A recording in the making.
pub struct SimulationRecorder {
    fps: u32,
    frames: u64,
    instances: Vec<RecordedInstance>,
    unnamed: usize,
}

/// A finished recording.
pub struct RecordedFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// What it does not hold, a sentence each.
    pub notes: Vec<String>,
    /// Number of frames.
    pub frames: u64,
    /// Number of instances.
    pub instances: usize,
}

impl SimulationRecorder {
    /// Begins with the world as it is, for so many steps.
    ///
    /// # Errors
    /// It would take too much memory.
    pub fn start(scene: &Scene, world: &World, assets: &AssetStore, fps: u32, steps: u64) -> Result<Self, RecordError> {
        let rows = names::numbered(scene);
        let instance = |row: &names::NumberedInstance<'_>| {
            let (asset, model) = assets.by_file(scene.models.get(row.instance.model_id()?)?)?;
            Some(RecordedInstance {
                id: row.id,
                name: row.title(scene),
                saved: row.instance.clone(),
                asset,
                model: model.clone(),
                places: Vec::new(),
                poses: Vec::new(),
            })
        };
        let instances: Vec<_> = rows.iter().filter_map(instance).collect();
        let nodes: u64 = instances.iter().map(|i| 1 + i.model.skeleton.len() as u64).sum();
        let frames = 1 + steps * u64::from(fps) / STEPS_PER_SEC;
        if frames.saturating_mul(nodes) > MAX_POSES {
            return Err(RecordError::TooLong { frames, nodes });
        }
        let unnamed = scene.instances.len() - instances.len();
        let mut out = Self { fps, frames: 0, instances, unnamed };
        out.record(world, 1.0);
        Ok(out)
    }

    /// Records the frames that lie between the world's last two steps.
    pub fn step(&mut self, world: &World) {
        let (step, fps) = (world.steps(), u64::from(self.fps));
        while self.frames * STEPS_PER_SEC <= step * fps {
            let behind = (step * fps - self.frames * STEPS_PER_SEC) as f32 / fps as f32;
            self.record(world, 1.0 - behind);
        }
    }

    fn record(&mut self, world: &World, alpha: f32) {
        let mut overrides = Vec::new();
        for one in &mut self.instances {
            let nodes = one.model.skeleton.len();
            let Some(live) = world.live(one.id) else {
                // Where it was before it was lost, or where the scene puts it.
                let first = one.poses.len().saturating_sub(nodes);
                let last = one.places.last().copied();
                one.places.push(last.unwrap_or_else(|| Trs::from_mat4(&place(&one.saved, None, alpha))));
                match last {
                    Some(_) => one.poses.extend_from_within(first..),
                    None => one.poses.extend_from_slice(&one.model.skeleton.rest),
                }
                continue;
            };
            one.places.push(Trs::from_mat4(&place(&one.saved, Some(live), alpha)));
            overrides.clear();
            world.overrides(one.id, alpha, &mut overrides);
            let first = one.poses.len();
            one.poses.resize(first + nodes, Trs::IDENTITY);
            sample_pose(&one.model, live, &overrides, alpha, &mut one.poses[first..]);
        }
        self.frames += 1;
    }

    /// The file.
    ///
    /// # Errors
    /// It is larger than the format can say.
    pub fn finish(self, scene: &Scene, assets: &AssetStore) -> Result<RecordedFile, RecordError> {
        let mut written = RecordingWriter::new(self.frames, self.fps);
        for level in scene.levels.values().filter(|l| l.presence != LevelPresence::Never) {
            if let Some((asset, model)) = assets.by_file(level) {
                let place = Trs::from_mat4(&level.world_from_model());
                let name = if level.name.is_empty() { &level.file } else { &level.name };
                written.copy(asset, model, name, &place);
            }
        }
        for one in &self.instances {
            let first = one.places.first().copied().unwrap_or_default();
            let copy = written.copy(one.asset, &one.model, &one.name, &first);
            written.animate(copy.root, one.places.iter(), &first);
            let nodes = one.model.skeleton.len();
            for (i, (node, rest)) in copy.nodes.iter().zip(&one.model.skeleton.rest).enumerate() {
                written.animate(*node, one.poses.iter().skip(i).step_by(nodes), rest);
            }
        }
        let notes = self.left_out(scene);
        let bytes = written.finish().ok_or(RecordError::TooLarge)?;
        Ok(RecordedFile { bytes, notes, frames: self.frames, instances: self.instances.len() })
    }

    /// What the file does not hold.
    fn left_out(&self, scene: &Scene) -> Vec<String> {
        let mut notes = Vec::new();
        if self.unnamed > 0 {
            notes.push(format!("Left out: {} whose model is not there.", counted(self.unnamed, "instance")));
        }
        let morphed = self.instances.iter().filter(|i| i.model.meshes.iter().any(|m| !m.morphs.is_empty())).count();
        if morphed > 0 {
            notes.push(format!("Left out: faces and morph targets of {}.", counted(morphed, "character")));
        }
        let near = scene
            .levels
            .values()
            .filter(|l| ![LevelPresence::Always, LevelPresence::Never].contains(&l.presence))
            .count();
        if near > 0 {
            notes.push(format!("There all the time: {} of the level that would come and go.", counted(near, "part")));
        }
        notes
    }
}

/// The file that is written.
struct RecordingWriter {
    file: GlbWriter,
    models: BTreeMap<AssetId, GlbModel>,
    roots: Vec<usize>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    times: Vec<f32>,
    /// Accessors of the times of all frames, and of the first alone.
    all_times: Option<usize>,
    first_time: Option<usize>,
}

/// Keys of one property: one where it never changes, none where it is what the node has.
fn keys<T: Copy + PartialEq>(values: impl Iterator<Item = T>, rest: T) -> Vec<T> {
    let mut all: Vec<T> = values.collect();
    if all.iter().all(|v| Some(v) == all.first()) {
        all.truncate(1);
    }
    if all == [rest] { Vec::new() } else { all }
}

/// Rotations whose signs are such that each is near the one before.
fn steady(rotations: impl Iterator<Item = Quat>) -> impl Iterator<Item = Quat> {
    let mut before = Quat::IDENTITY;
    rotations.map(move |q| {
        before = if q.dot(before) < 0.0 { -q } else { q };
        before
    })
}

impl RecordingWriter {
    fn new(frames: u64, fps: u32) -> Self {
        Self {
            file: GlbWriter::default(),
            models: BTreeMap::new(),
            roots: Vec::new(),
            channels: Vec::new(),
            samplers: Vec::new(),
            times: (0..frames).map(|f| (f as f64 / f64::from(fps)) as f32).collect(),
            all_times: None,
            first_time: None,
        }
    }

    fn copy(&mut self, asset: AssetId, model: &Model, name: &str, at: &Trs) -> GlbCopy {
        let written = self.models.entry(asset).or_insert_with(|| GlbModel::write(&mut self.file, model));
        let copy = written.copy(&mut self.file, model, name, at);
        self.roots.push(copy.root);
        self.roots.extend(&copy.skinned);
        copy
    }

    /// Writes what changes of a node.
    fn animate<'a>(&mut self, node: usize, poses: impl Iterator<Item = &'a Trs> + Clone, rest: &Trs) {
        let translations: Vec<Vec3> = keys(poses.clone().map(|p| p.translation), rest.translation);
        let rotations: Vec<Quat> = keys(steady(poses.clone().map(|p| p.rotation)), rest.rotation);
        let scales: Vec<Vec3> = keys(poses.map(|p| p.scale), rest.scale);
        if !translations.is_empty() {
            let output = self.file.vectors(&translations);
            self.channel(node, "translation", translations.len(), output);
        }
        if !rotations.is_empty() {
            let output = self.file.rotations(&rotations);
            self.channel(node, "rotation", rotations.len(), output);
        }
        if !scales.is_empty() {
            let output = self.file.vectors(&scales);
            self.channel(node, "scale", scales.len(), output);
        }
    }

    fn channel(&mut self, node: usize, path: &str, keys: usize, output: usize) {
        let (slot, times) = match keys {
            1 => (&mut self.first_time, &self.times[..self.times.len().min(1)]),
            _ => (&mut self.all_times, &self.times[..]),
        };
        let input = *slot.get_or_insert_with(|| self.file.times(times));
        let sampler = self.samplers.len();
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    fn finish(mut self) -> Option<Vec<u8>> {
        if !self.channels.is_empty() {
            let animation = json!({ "name": "simulation", "channels": self.channels, "samplers": self.samplers });
            self.file.push("animations", animation);
        }
        self.file.finish(&self.roots)
    }
}
