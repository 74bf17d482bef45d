//! What a model and its entry in the scene give to its instances.

use super::instance::Role;
use crate::anim::ClipAt;
use crate::anim::animated_bounds::AnimatedBounds;
use crate::anim::animation_set::{AnimationSet, gait_slot};
use crate::anim::gait::{Gait, GaitClip};
use crate::anim::layer::{PoseLayer, nodes_below};
use crate::anim::legs::Legs;
use crate::anim::motion_database::MotionDatabase;
use crate::anim::root_motion::RootMotion;
use crate::asset::{BoneNumbers, Model};
use crate::collide::bone_spheres::{SphereBone, sphere_bones};
use crate::ids::ClipId;
use crate::math::Aabb;
use crate::nav::follow::LocomotionParams;
use crate::scene::{BlendSet, ClipCurve, ClipEvent, ClipLayer, ClipSpeed, SceneInstance, SceneModel};
use crate::vocab::HeadMove;
use glam::{Vec2, Vec4};
use std::sync::{Arc, OnceLock};

/// A model made ready for its instances.
#[derive(Clone, Debug, Default)]
pub struct ModelRig {
    /// The model; `None` while it is not there.
    pub model: Option<Arc<Model>>,
    /// Its gaits and actions.
    pub moves: AnimationSet,
    /// Its legs, where the scene names foot chains.
    pub legs: Option<Arc<Legs>>,
    /// The frames of its clips, where it walks by motion matching.
    pub matching: Option<Arc<MotionDatabase>>,
    /// What legs and frames were made from.
    made_from: MadeFrom,
    /// What happens at moments of its clips.
    pub events: Vec<ClipEvent>,
    /// Weights of morph targets over its clips.
    pub curves: Vec<ClipCurve>,
    /// Whether a clip keys weights of morph targets.
    pub has_morph_tracks: bool,
    /// Clips of head movements: left, right, up, down.
    pub head: [Option<GaitClip>; 4],
    /// Full walking speed at scale 1, metres per second.
    pub forward_speed: f32,
    /// Per number of a bone: offset and radius factor of its bounding sphere.
    spheres: Vec<Vec4>,
    /// What the numbers of its bones count.
    bone_numbers: BoneNumbers,
    /// The spheres that count; made when they are first needed.
    bones: OnceLock<Vec<SphereBone>>,
    /// Bounds of the model in its clips; a request for them before they are made waits.
    animated_bounds: Arc<OnceLock<AnimatedBounds>>,
}

/// What of an entry legs and frames of motion matching are made from: chains by node.
#[derive(Clone, Debug, Default, PartialEq)]
struct MadeFrom {
    chains: [Vec<u32>; 2],
    /// The clips of motion matching, where the model walks by it.
    matched: Option<Vec<usize>>,
}

impl ModelRig {
    /// The rig of a model entry. What an `earlier` rig has made of the same model and the same values is kept.
    pub fn new(entry: &SceneModel, model: Option<&Arc<Model>>, earlier: Option<&Self>) -> Self {
        let earlier = earlier.filter(|e| e.model.as_ref().zip(model).is_some_and(|(a, b)| Arc::ptr_eq(a, b)));
        let factor = entry.forward_speed_factor;
        let animated_bounds = earlier.map(|e| e.animated_bounds.clone()).unwrap_or_default();
        if let Some(model) = model.filter(|model| !model.clips.is_empty() && animated_bounds.get().is_none()) {
            // In advance, because the first step reads them; on a thread of its own, which waits for none of the threads
            // that may wait for it.
            let (model, animated_bounds) = (model.clone(), animated_bounds.clone());
            let read = move || _ = animated_bounds.get_or_init(|| AnimatedBounds::new(&model));
            if let Err(error) = std::thread::Builder::new().name("animated_bounds".into()).spawn(read) {
                tracing::debug!("The bounds of a model in its clips are made when they are first needed: {error}.");
            }
        }
        let mut rig = Self {
            model: model.cloned(),
            spheres: entry.sphere_adjustments.clone(),
            bone_numbers: entry.bone_numbers,
            animated_bounds,
            events: entry.clip_events.clone(),
            curves: entry.clip_curves.clone(),
            has_morph_tracks: model.is_some_and(|model| model.clips.iter().any(|clip| !clip.morphs.is_empty())),
            forward_speed: if factor.is_finite() { factor.clamp(0.0, 1000.0) } else { 0.0 },
            ..Self::default()
        };
        rig.moves = animation_set(entry, rig.model.as_deref());
        // Of two entries for one action the first counts.
        for action in entry.actions.iter().rev().filter(|a| a.state.is_action()) {
            let moving = model.filter(|_| action.root_motion);
            let root = moving.and_then(|model| RootMotion::new(model, action.clip.clip as usize));
            rig.moves.roots[action.state as usize] = root.map(Arc::new);
        }
        for &(movement, clip) in &entry.head_clips {
            let clip = rig.clip(ClipSpeed { clip, speed: 1.0 });
            rig.head[movement as usize].get_or_insert(clip);
        }
        let chain = |numbers: &[u32]| model.map_or_else(Vec::new, |model| entry.bone_numbers.nodes(model, numbers));
        rig.made_from = MadeFrom {
            chains: [chain(&entry.left_foot_chain), chain(&entry.right_foot_chain)],
            matched: model
                .filter(|_| entry.clip_sources.root_tracks)
                .map(|model| entry.matched_clips(model.clips.len())),
        };
        let same = earlier.filter(|earlier| earlier.made_from == rig.made_from);
        let [left, right] = &rig.made_from.chains;
        let new_legs = |model: &Arc<Model>| Legs::new(model, left, right).map(Arc::new);
        rig.legs = same.map_or_else(|| model.and_then(new_legs), |earlier| earlier.legs.clone());
        for (gait, starts) in rig.moves.gaits.iter().zip(&mut rig.moves.starts) {
            let walk = gait.map(|gait| gait.walk.clip.0 as usize);
            *starts = rig.legs.as_ref().zip(walk).and_then(|(legs, walk)| legs.mid_swings(walk));
        }
        rig.matching = match same {
            Some(earlier) => earlier.matching.clone(),
            None => rig
                .made_from
                .matched
                .clone()
                .zip(model.zip(rig.legs.as_ref()))
                .and_then(|(clips, (model, legs))| MotionDatabase::new(model, legs, clips).map(Arc::new)),
        };
        rig
    }

    /// Bounds of the model in its clips; `None` while it is not there.
    pub fn animated_bounds(&self) -> Option<&AnimatedBounds> {
        self.model.as_ref().map(|model| self.animated_bounds.get_or_init(|| AnimatedBounds::new(model)))
    }

    /// What the spheres of its bones are made from.
    pub fn bones(&self) -> &[SphereBone] {
        let Some((model, animated_bounds)) = self.model.as_ref().zip(self.animated_bounds()) else { return &[] };
        let skeleton = &model.skeleton;
        let reach =
            |i: usize| skeleton.parents[i].map_or(0.0, |parent| animated_bounds.max_distance(i, parent.0 as usize));
        let adjustment = |node: u32| {
            let number = self.bone_numbers.number(model, node)?;
            Some(self.spheres.get(number as usize).copied().unwrap_or(Vec4::W))
        };
        self.bones.get_or_init(|| sphere_bones(skeleton, adjustment, reach))
    }

    /// The head layers for a turn to the side and a tilt, -1 (left, up) … 1 (right, down).
    pub fn head_layers(&self, head: Vec2) -> [ClipAt; 2] {
        let layer = |value: f32, less: HeadMove, more: HeadMove| {
            let movement = if value < 0.0 { less } else { more };
            self.head[movement as usize].map_or(ClipAt::default(), |clip| ClipAt {
                clip: clip.clip,
                time_secs: value.abs().min(1.0) * clip.duration_secs,
            })
        };
        [layer(head.x, HeadMove::Left, HeadMove::Right), layer(head.y, HeadMove::Up, HeadMove::Down)]
    }

    /// A clip with its length.
    pub fn clip(&self, c: ClipSpeed) -> GaitClip {
        gait_clip(c, self.model.as_deref())
    }
}

/// A clip of a model with its length; 0 where the model is not there or has no such clip.
fn gait_clip(c: ClipSpeed, model: Option<&Model>) -> GaitClip {
    GaitClip {
        clip: ClipId(c.clip),
        speed: if c.speed.is_finite() { c.speed } else { 0.0 },
        duration_secs: model.and_then(|model| model.clips.get(c.clip as usize)).map_or(0.0, |c| c.duration_secs),
    }
}

/// The gait that a blend set is on a model; its clips stand still while the model is not there.
pub fn blended_gait(set: &BlendSet, model: Option<&Model>) -> Gait {
    let [idle, walk, run] = [set.idle, set.walk, set.run].map(|clip| gait_clip(clip, model));
    Gait { idle, walk, run, longest_secs: model.map_or(0.0, |model| model.longest_clip_secs()), fixed: None }
}

/// The gaits and actions of a model entry; of two for one direction or action the first counts. What is measured on the
/// model is not among it: root motion, and where walks begin.
pub fn animation_set(entry: &SceneModel, model: Option<&Model>) -> AnimationSet {
    let mut set = AnimationSet::default();
    set.longest_secs = model.map_or(0.0, |model| model.longest_clip_secs());
    for one in &entry.blend_sets {
        set.gaits[gait_slot(one.direction)].get_or_insert_with(|| blended_gait(one, model));
    }
    for action in entry.actions.iter().filter(|action| action.state.is_action()) {
        if set.actions[action.state as usize].is_none() {
            set.actions[action.state as usize] = Some(gait_clip(action.clip, model));
            set.curves[action.state as usize] = action.curve;
        }
    }
    entry.allowed_orders.iter().for_each(|&(from, to)| set.allow(from, to));
    set
}

/// A layer of a scene's instance with what its model says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayerBinding {
    /// Its clip; the time stands for nothing.
    layer: PoseLayer,
    /// Length of the clip in seconds.
    duration_secs: f32,
    /// 1 plays the clip as it was made; 0 holds its end.
    speed: f32,
}

impl LayerBinding {
    /// The binding of `layer` to `model`; `None` where the model lacks its clip or its joint.
    fn new(layer: &ClipLayer, model: &Model) -> Option<Self> {
        let clip = model.clips.get(layer.clip as usize)?;
        let names = &model.skeleton.names;
        let node = if layer.joint.is_empty() { Some(0) } else { names.iter().position(|name| *name == layer.joint) }?;
        let nodes = nodes_below(&model.skeleton, node as u32);
        let shown =
            PoseLayer { clip: ClipId(layer.clip), weight: layer.weight, kind: layer.kind, nodes, time_secs: 0.0 };
        Some(Self { layer: shown, duration_secs: clip.duration_secs, speed: layer.speed })
    }

    /// The layer after this time.
    pub fn after(&self, secs: f64) -> PoseLayer {
        let duration_secs = f64::from(self.duration_secs);
        let time_secs = match (secs * f64::from(self.speed)).rem_euclid(duration_secs) {
            time if self.speed != 0.0 && time < duration_secs => time as f32,
            _ => self.duration_secs,
        };
        PoseLayer { time_secs, ..self.layer }
    }
}

/// What an instance gets of its model.
#[derive(Clone, Debug, Default)]
pub struct ModelBinding {
    /// What it can do.
    pub role: Role,
    /// Shared by all instances of its model.
    pub rig: Arc<ModelRig>,
    /// The blend that it shows where its model has no gait.
    pub fixed: Gait,
    /// Its walk; `None` for a thing.
    pub locomotion_params: Option<LocomotionParams>,
    /// Layers over its animation.
    pub layers: Arc<[LayerBinding]>,
    /// Box of the model's rest pose in model space.
    pub rest_bounds: Option<Aabb>,
}

impl ModelBinding {
    /// The binding of `instance` to `rig`.
    pub fn new(instance: &SceneInstance, rig: Option<&Arc<ModelRig>>) -> Self {
        let Some(rig) = rig else { return Self::default() };
        let Some(model) = &rig.model else { return Self::default() };
        let [idle, walk] = instance.clips.map(|clip| rig.clip(ClipSpeed { clip, speed: instance.clip_speed }));
        let weight = if instance.clip_blend.is_finite() { instance.clip_blend.clamp(0.0, 1.0) } else { 0.0 };
        let longest_secs = rig.moves.longest_secs;
        let is_character = !model.clips.is_empty();
        let speed = rig.forward_speed * usable_scale(instance.scale);
        Self {
            role: if is_character { Role::Character } else { Role::Thing },
            rig: rig.clone(),
            fixed: Gait { idle, walk, run: walk, longest_secs, fixed: Some(weight) },
            locomotion_params: is_character.then(|| LocomotionParams::of_speed(speed)),
            layers: instance.layers.iter().filter_map(|layer| LayerBinding::new(layer, model)).collect(),
            rest_bounds: Some(model.rest_bounds).filter(|b| !b.is_empty()),
        }
    }
}

/// The scale of an instance; one that is not finite or not above zero counts as 1.
pub fn usable_scale(scale: f32) -> f32 {
    if scale.is_finite() && scale > 0.0 { scale } else { 1.0 }
}
