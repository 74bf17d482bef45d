//! Animation clips.

use super::budget::ModelBudget;
use super::gltf;
use super::limits;
use super::nodes::NodeTable;
use super::raw::{self, Imported};
use crate::asset::{AssetError, Channel, Clip, Mesh, Model, MorphTrack, Track};
use crate::disk::has_extension;
use crate::ids::NodeId;
use russimp::sys;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Ticks per second of files that do not say: Assimp's own convention.
const DEFAULT_TICKS_PER_SEC: f64 = 25.0;

/// Bytes of a key in a clip: its time, and a rotation.
pub(super) const KEY_BYTES: u64 = 20;

/// Reads all animations as clips in seconds.
pub fn read(
    imported: &Imported,
    nodes: &NodeTable,
    (path, budget): (&Path, &mut ModelBudget),
    model: &mut Model,
) -> Result<(), AssetError> {
    let morphed = MorphedMeshes::of(&model.meshes, path);
    let is_half_life = has_extension(path, &["mdl"]);
    for animation in imported.animations() {
        let ticks = animation.mTicksPerSecond;
        let ticks = if ticks.is_finite() && ticks > 0.0 { ticks } else { DEFAULT_TICKS_PER_SEC };
        let mut clip = Clip { name: raw::string(&animation.mName), ..Clip::default() };
        let mut keys = 0_u64;
        for channel in raw::pointers(animation.mChannels, animation.mNumChannels) {
            let name = raw::string(&channel.mNodeName);
            let Some(node) = nodes.moved(&name) else {
                model.warnings.push(format!("clip {:?} moves {name:?}, which is no node; left out", clip.name));
                continue;
            };
            let positions = raw::slice(channel.mPositionKeys, channel.mNumPositionKeys);
            let rotations = raw::slice(channel.mRotationKeys, channel.mNumRotationKeys);
            let scales = raw::slice(channel.mScalingKeys, channel.mNumScalingKeys);
            keys += (positions.len() + rotations.len() + scales.len()) as u64;
            limits::check(path, "the number of keys of a clip", keys, limits::KEYS as u64)?;
            budget.take(path, (positions.len() + rotations.len() + scales.len()) as u64 * KEY_BYTES)?;
            clip.channels.push(Channel {
                node,
                translation: track(positions.iter().map(|k| (k.mTime, raw::vec3(&k.mValue))), ticks),
                rotation: track(rotations.iter().map(|k| (k.mTime, raw::quat(&k.mValue))), ticks),
                scale: track(scales.iter().map(|k| (k.mTime, raw::vec3(&k.mValue))), ticks),
            });
        }
        clip.channels.sort_by_key(|c| c.node);
        clip.channels.dedup_by_key(|c| c.node);
        clip.morphs = read_morph_tracks(animation, (nodes, &morphed), (path, budget), model, ticks)?;
        // Of Half-Life models Assimp 5.2 states the number of frames times their rate.
        let stated = if is_half_life { 0.0 } else { animation.mDuration / ticks };
        clip.duration_secs = duration(stated, &clip);
        model.clips.push(clip);
    }
    Ok(())
}

/// Keys in ascending order of time, one per time, from time 0 on.
pub(super) fn track<T>(keys: impl Iterator<Item = (f64, T)>, ticks: f64) -> Track<T> {
    let mut keys: Vec<(f32, T)> = keys
        .map(|(time, value)| ((time / ticks) as f32, value))
        .filter(|(time, _)| time.is_finite() && *time >= 0.0 && *time < 1e6)
        .collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    keys.dedup_by(|later, first| later.0 <= first.0);
    let (times_secs, values) = keys.into_iter().unzip();
    Track { times_secs, values }
}

/// How long a clip is: as its file says, and as long as it has keys.
pub(super) fn duration(stated_secs: f64, clip: &Clip) -> f32 {
    let last = |times: &[f32]| times.last().copied().unwrap_or(0.0);
    let keyed = clip
        .channels
        .iter()
        .flat_map(|c| [last(&c.translation.times_secs), last(&c.rotation.times_secs), last(&c.scale.times_secs)])
        .chain(clip.morphs.iter().map(|m| last(&m.weights.times_secs)))
        .fold(0.0, f32::max);
    let stated = stated_secs as f32;
    if stated.is_finite() && stated < 1e6 { keyed.max(stated) } else { keyed }
}

/// The meshes with morph targets that channels may name: the files of many meshes have many channels.
struct MorphedMeshes {
    /// Indices of meshes, ascending, by their nodes.
    by_node: HashMap<NodeId, Vec<usize>>,
    /// The same by names. None in glTF, whose channels name nodes alone.
    by_name: HashMap<String, Vec<usize>>,
    is_gltf: bool,
}

impl MorphedMeshes {
    fn of(meshes: &[Mesh], path: &Path) -> Self {
        let is_gltf = has_extension(path, gltf::EXTENSIONS);
        let mut morphed = Self { by_node: HashMap::new(), by_name: HashMap::new(), is_gltf };
        for (index, mesh) in meshes.iter().enumerate().filter(|(_, mesh)| !mesh.morphs.is_empty()) {
            morphed.by_node.entry(mesh.node).or_default().push(index);
            if !is_gltf {
                morphed.by_name.entry(mesh.name.clone()).or_default().push(index);
            }
        }
        morphed
    }

    /// The meshes of a channel, ascending. It names the node, or the mesh with a suffix after `*`; those of glTF name the node alone,
    /// as it is.
    fn named(&self, channel: &str, nodes: &HashMap<String, NodeId>) -> BTreeSet<usize> {
        let name = if self.is_gltf { channel } else { channel.split('*').next().unwrap_or("") };
        let of_node = nodes.get(name).and_then(|node| self.by_node.get(node));
        of_node.into_iter().chain(self.by_name.get(name)).flatten().copied().collect()
    }
}

/// The weights of morph targets in a clip.
fn read_morph_tracks(
    animation: &sys::aiAnimation,
    (nodes, morphed): (&NodeTable, &MorphedMeshes),
    (path, budget): (&Path, &mut ModelBudget),
    model: &Model,
    ticks: f64,
) -> Result<Vec<MorphTrack>, AssetError> {
    let mut tracks = Vec::new();
    for channel in raw::pointers(animation.mMorphMeshChannels, animation.mNumMorphMeshChannels) {
        for index in morphed.named(&raw::string(&channel.mName), &nodes.by_name) {
            let count = model.meshes[index].morphs.len();
            // A list of weights for each key; a channel without keys, too, takes its time.
            let key_bytes = KEY_BYTES + (size_of::<Vec<f32>>() + count * size_of::<f32>()) as u64;
            budget.take(path, (u64::from(channel.mNumKeys) + 1) * key_bytes)?;
            let keys = raw::slice(channel.mKeys, channel.mNumKeys).iter().map(|key| {
                let mut weights = vec![0.0; count];
                let targets = raw::slice(key.mValues, key.mNumValuesAndWeights);
                let values = raw::slice(key.mWeights, key.mNumValuesAndWeights);
                for (&target, &value) in targets.iter().zip(values) {
                    if let Some(weight) = weights.get_mut(target as usize)
                        && value.is_finite()
                    {
                        *weight = value as f32;
                    }
                }
                (key.mTime, weights)
            });
            let weights = track(keys, ticks);
            if !weights.is_empty() {
                tracks.push(MorphTrack { mesh: index as u32, weights });
            }
        }
    }
    Ok(tracks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Morph;

    #[test]
    fn channels_of_morph_targets_name_nodes_or_meshes() {
        let mesh = |name: &str, node: u32, targets: usize| {
            let morphs = vec![Morph::default(); targets];
            Mesh { name: name.into(), node: NodeId(node), morphs, ..Mesh::default() }
        };
        let meshes = [mesh("face", 1, 1), mesh("face", 2, 1), mesh("face", 1, 0), mesh("jaw", 1, 2)];
        let nodes = [("head", 1), ("face", 2), ("legs", 3)];
        let nodes: HashMap<String, NodeId> = nodes.map(|(name, node)| (name.to_owned(), NodeId(node))).into();
        let named = |file: &str, channel: &str| {
            let named = MorphedMeshes::of(&meshes, Path::new(file)).named(channel, &nodes);
            named.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(named("a.fbx", "head*2"), [0, 3]);
        assert_eq!(named("a.fbx", "face"), [0, 1], "a node and two meshes, one of them that node's");
        assert_eq!(named("a.fbx", "jaw*0"), [3]);
        assert_eq!([named("a.glb", "face"), named("a.glb", "head")], [vec![1], vec![0, 3]]);
        assert!(["head*2", "jaw"].iter().all(|name| named("a.glb", name).is_empty()));
        assert!(["legs", "arms", ""].iter().all(|name| named("a.fbx", name).is_empty()));
    }
}
