//! Weights of morph targets by name: what the scene sets, with what the clips that play bring along, and their curves.

use super::clip_events::layer_clip;
use super::world::World;
use crate::anim::{ClipAt, Playback};
use crate::asset::{Clip, Model};
use crate::ids::InstanceId;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Weights by the name of a target.
type Weights = BTreeMap<String, f32>;

impl World {
    /// The weights of an instance's morph targets: those that the scene has `set`, to which each clip adds its own weights
    /// and its curves by as much as it counts. They are at most 1.
    pub fn morph_weights<'a>(&self, id: InstanceId, set: &'a Weights) -> Cow<'a, Weights> {
        let Some(i) = self.index_of(id) else { return Cow::Borrowed(set) };
        let rig = &self.instances.characters[i].binding.rig;
        let keyed = rig.model.as_deref().filter(|_| rig.has_morph_tracks);
        if keyed.is_none() && rig.curves.is_empty() {
            return Cow::Borrowed(set);
        }
        let mut weights = set.clone();
        let playback = &self.instances.states[i].now.playback;
        if let Some(model) = keyed {
            for (at, share) in playing(playback) {
                let Some(clip) = model.clips.get(at.clip.0 as usize) else { continue };
                keyed_weights(model, clip, at.time_secs).into_iter().for_each(|(name, weight)| {
                    add(&mut weights, name, share * weight);
                });
            }
        }
        for curve in &rig.curves {
            let of_clip = playing(playback).filter(|(at, _)| at.clip.0 == curve.clip);
            add(&mut weights, &curve.morph, of_clip.map(|(at, share)| share * curve.at(at.time_secs)).sum());
        }
        weights.values_mut().for_each(|weight| *weight = weight.min(1.0));
        Cow::Owned(weights)
    }
}

/// The clips of body and layers that count, each with how much.
fn playing(playback: &Playback) -> impl Iterator<Item = (ClipAt, f32)> + '_ {
    let clips = playback.weighted_clips().into_iter().chain(playback.layers.iter().map(layer_clip));
    clips.filter(|(_, weight)| *weight > 0.0)
}

fn add(weights: &mut Weights, name: &str, share: f32) {
    if share == 0.0 {
        return;
    }
    match weights.get_mut(name) {
        Some(weight) => *weight += share,
        None => _ = weights.insert(name.to_owned(), share),
    }
}

/// The weights that a clip has at a time, by name. A target of several meshes has the largest of theirs.
fn keyed_weights<'a>(model: &'a Model, clip: &Clip, time_secs: f32) -> BTreeMap<&'a str, f32> {
    let mut out = BTreeMap::new();
    for track in &clip.morphs {
        let Some(mesh) = model.meshes.get(track.mesh as usize) else { continue };
        for (morph, weight) in mesh.morphs.iter().zip(track.weights.at(time_secs)) {
            out.entry(morph.name.as_str()).and_modify(|most: &mut f32| *most = most.max(weight)).or_insert(weight);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Mesh, Morph, MorphTrack, Track};

    #[test]
    fn targets_of_several_meshes_have_the_largest_weight() {
        let mesh = |names: &[&str]| Mesh {
            morphs: names.iter().map(|name| Morph { name: (*name).into(), ..Morph::default() }).collect(),
            ..Mesh::default()
        };
        let model = Model { meshes: vec![mesh(&["smile", "blink"]), mesh(&["blink"])], ..Model::default() };
        let track = |mesh: u32, ends: [Vec<f32>; 2]| MorphTrack {
            mesh,
            weights: Track { times_secs: vec![0.0, 2.0], values: ends.to_vec() },
        };
        let morphs = vec![
            track(0, [vec![0.0, 0.2], vec![1.0, 0.2]]),
            track(1, [vec![0.4], vec![0.0]]),
            track(7, [vec![1.0], vec![1.0]]),
        ];
        let clip = Clip { morphs, ..Clip::default() };
        assert_eq!(keyed_weights(&model, &clip, 0.5), [("smile", 0.25), ("blink", 0.3)].into());
        assert_eq!(keyed_weights(&model, &clip, 9.0), [("smile", 1.0), ("blink", 0.2)].into());
        assert_eq!(keyed_weights(&model, &Clip::default(), 0.5), BTreeMap::new());
    }
}
