//! Leg rigs: clips sampled in advance for the nodes of both legs, and leg IK that puts the feet on the ground.

use super::fabrik::MAX_CHAIN;
use super::foot_contacts::{FootContact, SoleMotion, foot_contacts};
use super::inertialization::InertiaAt;
use super::leg_solve::{LegSolve, UnsolvedLeg};
use super::sample::{PoseOverride, clamped_weight};
use super::sample_times::{MAX_KEY_ERROR, SampleTimes};
use super::{Blend, Playback};
use crate::asset::{Model, Skeleton};
use crate::ids::NodeId;
use crate::math::Trs;
use glam::{Quat, Vec3};

/// Most nodes between the root of a skeleton and both feet.
pub const MAX_NODES: usize = 24;
/// Samples per second of a clip.
const SAMPLE_RATE: f32 = 60.0;
/// Most samples of all clips: half an hour at the full rate; more clips get fewer per second.
const MAX_SAMPLES: usize = 108_000;

/// The joint chain of one leg.
#[derive(Clone, Debug, PartialEq)]
pub struct LegChain {
    /// Joints from hip to foot, as positions in [`Legs::nodes`].
    pub chain: Vec<usize>,
    /// Length of the chain in model space.
    pub length: f32,
    /// Contact points below heel and ball, in the space of the foot.
    pub sole: [Vec3; 2],
    /// The node of the toes, and its rotation relative to the foot at rest.
    pub toes: Option<(u32, Quat)>,
}

/// A clip sampled for the nodes of the legs.
#[derive(Clone, Debug, Default, PartialEq)]
struct LegClip {
    frames: SampleTimes,
    /// Local transforms, by frame, then node.
    poses: Vec<Trs>,
    /// Foot contacts, by leg, then frame.
    contacts: [Vec<FootContact>; 2],
    /// Velocity of the ground under the feet.
    ground_velocity: Vec3,
}

/// Both legs of a model with their ancestors.
#[derive(Clone, Debug, PartialEq)]
pub struct Legs {
    /// Nodes of the skeleton from the root to both feet, parents before children.
    pub nodes: Vec<u32>,
    parents: Vec<Option<usize>>,
    rest: Vec<Trs>,
    /// The lowest common ancestor of both legs, as a position in [`Legs::nodes`].
    pub pelvis: usize,
    /// Left and right.
    pub legs: [LegChain; 2],
    clips: Vec<LegClip>,
    /// Height of the soles in contact, in model space: the median over all clips.
    pub floor: f32,
    /// Upwards in model space.
    up: Vec3,
}

/// A similarity transform: uniform scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    /// Position.
    pub position: Vec3,
    /// Rotation.
    pub rotation: Quat,
    /// Scale.
    pub scale: f32,
}

impl Similarity {
    /// This transform followed down by a child's local transform.
    #[inline]
    pub fn child(&self, local: &Trs) -> Self {
        Self {
            position: self.point(local.translation),
            rotation: self.rotation * local.rotation,
            scale: self.scale * local.scale.y.abs(),
        }
    }

    /// Transforms a point.
    #[inline]
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.position + self.rotation * (point * self.scale)
    }
}

/// Local and accumulated transforms of the nodes of [`Legs`], in their order.
#[derive(Clone, Copy, Debug)]
pub struct LegPose {
    /// Relative to the parent.
    pub locals: [Trs; MAX_NODES],
    /// In the space that the root was given in.
    pub places: [Similarity; MAX_NODES],
}

impl LegPose {
    /// All nodes at the origin.
    const REST: Self = Self { locals: [Trs::IDENTITY; MAX_NODES], places: [Similarity::ORIGIN; MAX_NODES] };
}

/// Target pose of a foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootTarget {
    /// Target position of the last joint of the chain.
    pub ankle: Vec3,
    /// Rotation applied on top of the animated one, in the space of [`LegPose::places`].
    pub turn: Quat,
    /// Rotation on top of `turn` that lifts the heel; the toes stay flat.
    pub lift: Quat,
}

/// Result of leg IK: changes to the local transforms of the legs. The default changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegIkResult {
    /// Whether anything changes.
    pub on: bool,
    /// Added to the pelvis' translation.
    pub pelvis: Vec3,
    /// Multiplied onto the local rotations of the joints from the right, hip first, per leg.
    pub turns: [[Quat; MAX_CHAIN]; 2],
    /// Multiplied onto the local rotations of the toes from the right.
    pub toes: [Quat; 2],
}

impl Default for LegIkResult {
    fn default() -> Self {
        let still = Quat::IDENTITY;
        Self { on: false, pelvis: Vec3::ZERO, turns: [[still; MAX_CHAIN]; 2], toes: [still; 2] }
    }
}

impl LegIkResult {
    /// Interpolates between two results.
    pub fn blend(&self, other: &Self, weight: f32) -> Self {
        if !self.on && !other.on {
            return *self;
        }
        let mut out = *other;
        out.on = true;
        out.pelvis = self.pelvis.lerp(other.pelvis, weight);
        let mine = out.turns.iter_mut().flatten().chain(&mut out.toes);
        for (out, from) in mine.zip(self.turns.iter().flatten().chain(&self.toes)) {
            *out = from.lerp(*out, weight);
        }
        out
    }
}

impl Legs {
    /// The legs of a model from its foot chains, foot first; `None` for invalid chains: fewer than two or more than
    /// [`MAX_CHAIN`] joints, nodes that do not exist or are not descendants of each other.
    pub fn new(model: &Model, left: &[u32], right: &[u32]) -> Option<Self> {
        let skeleton = &model.skeleton;
        let paths = [root_to_foot(skeleton, left)?, root_to_foot(skeleton, right)?];
        let carriers = paths.each_ref().map(|p| ancestors(skeleton, p[0]));
        let pelvis = *carriers[0].iter().rev().find(|n| carriers[1].contains(n))?;
        let mut nodes: Vec<u32> = carriers.iter().flatten().chain(paths.iter().flatten()).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.len() > MAX_NODES || paths.iter().flatten().any(|n| *n == pelvis) {
            return None;
        }
        let at = |node: u32| nodes.binary_search(&node).ok();
        let rest_places = skeleton.rest_model_from_node();
        let origin = |node: u32| rest_places[node as usize].w_axis.truncate();
        // Not from the pelvis: thighs may hang from a root on the ground, beside the hips.
        let up = main_axis(paths.iter().map(|p| origin(p[0]) - origin(p[p.len() - 1])).sum());
        let leg = |path: &Vec<u32>| -> Option<LegChain> {
            let length: f32 = path.windows(2).map(|w| origin(w[0]).distance(origin(w[1]))).sum();
            let foot = path[path.len() - 1];
            let sole = model.sole(NodeId(foot), &rest_places, up, length);
            let toes = skeleton.first_child(NodeId(foot)).map(|n| (n.0, skeleton.rest[n.0 as usize].rotation));
            let chain = path.iter().map(|n| at(*n)).collect::<Option<Vec<_>>>()?;
            (length > 1e-4 && length.is_finite()).then_some(LegChain { chain, length, sole, toes })
        };
        let mut legs = Self {
            parents: nodes.iter().map(|n| skeleton.parents[*n as usize].and_then(|p| at(p.0))).collect(),
            rest: nodes.iter().map(|n| skeleton.rest[*n as usize]).collect(),
            pelvis: at(pelvis)?,
            legs: [leg(&paths[0])?, leg(&paths[1])?],
            clips: Vec::new(),
            floor: 0.0,
            up,
            nodes,
        };
        let mut standing = Vec::new();
        let total_secs: f32 = model.clips.iter().map(|clip| clip.duration_secs).sum();
        let rate = SAMPLE_RATE.min(MAX_SAMPLES as f32 / total_secs.max(1.0));
        legs.clips = (0..model.clips.len()).map(|clip| legs.read_clip(model, clip, rate, &mut standing)).collect();
        // The median, because a few clips may have feet in the air.
        standing.sort_by(f32::total_cmp);
        legs.floor = standing.get(standing.len() / 2).copied().unwrap_or(0.0);
        Some(legs)
    }

    /// Samples a clip, so many times a second, and appends the heights of its soles in contact.
    fn read_clip(&self, model: &Model, index: usize, rate: f32, standing: &mut Vec<f32>) -> LegClip {
        let (clip, root) = (&model.clips[index], model.root_track(index));
        let spacing_secs = clip.key_spacing_secs(&self.nodes, MAX_KEY_ERROR);
        let frames = SampleTimes::at_keys(clip.duration_secs, rate, MAX_SAMPLES, spacing_secs);
        let mut poses = Vec::with_capacity(frames.count * self.nodes.len());
        for frame in 0..frames.count {
            let time_secs = frames.time_secs(frame);
            for (node, rest) in self.nodes.iter().zip(&self.rest) {
                poses.push(clip.local_at(NodeId(*node), time_secs, rest).unwrap_or(*rest));
            }
        }
        let mut read = LegClip { frames, poses, ..LegClip::default() };
        for leg in 0..2 {
            let soles: Vec<[Vec3; 2]> = (0..frames.count)
                .map(|frame| {
                    let mut pose = LegPose::REST;
                    pose.locals[..self.nodes.len()]
                        .copy_from_slice(&read.poses[frame * self.nodes.len()..][..self.nodes.len()]);
                    self.place(&mut pose, Similarity::ORIGIN);
                    self.sole(&pose, leg)
                })
                .collect();
            let carry = |(frame, sole): (usize, &[Vec3; 2])| {
                let place = root.map(|root| root.at(frames.time_secs(frame)))?;
                Some(sole.map(|point| place.carry(point)))
            };
            let carried: Option<Vec<[Vec3; 2]>> = soles.iter().enumerate().map(carry).collect();
            let (frame_secs, leg_length) = (frames.gap_secs(), self.legs[leg].length);
            let carried = carried.as_deref();
            let motion = SoleMotion { soles: &soles, carried, up: self.up, frame_secs, leg: leg_length };
            read.contacts[leg] = foot_contacts(&motion);
            read.ground_velocity += motion.ground_velocity() / 2.0;
            let low = soles.iter().map(|s| s[0].dot(self.up).min(s[1].dot(self.up)));
            standing.extend(low.zip(&read.contacts[leg]).filter(|(_, s)| s.planted).map(|(low, _)| low));
        }
        read
    }

    /// Places the nodes by their local transforms.
    fn place(&self, pose: &mut LegPose, root: Similarity) {
        for (i, parent) in self.parents.iter().enumerate() {
            pose.places[i] = parent.map_or(root, |p| pose.places[p]).child(&pose.locals[i]);
        }
    }

    /// The pose of the legs in a playback, with what is left of a transition; `root` is the transform of the model.
    pub fn pose(&self, playback: &Playback, inertia: Option<InertiaAt<'_>>, root: Similarity) -> LegPose {
        let mut pose = LegPose::REST;
        self.blend(&playback.main(), &mut pose.locals);
        if playback.from_weight > 0.0 {
            let mut from = [Trs::IDENTITY; MAX_NODES];
            self.blend(&playback.from, &mut from);
            mix(&mut pose.locals[..self.nodes.len()], &from, playback.from_weight.min(1.0));
        }
        if let Some(inertia) = inertia {
            pose.locals.iter_mut().zip(&self.nodes).for_each(|(local, node)| inertia.node(*node as usize).apply(local));
        }
        self.place(&mut pose, root);
        pose
    }

    fn blend(&self, blend: &Blend, out: &mut [Trs; MAX_NODES]) {
        let [first, second] = blend.clips.map(|at| (at.clip.0 as usize, at.time_secs));
        let weight = clamped_weight(blend.weight);
        if weight < 1.0 {
            self.read(first.0, first.1, out);
        }
        if weight >= 1.0 {
            self.read(second.0, second.1, out);
        } else if weight > 0.0 {
            let mut other = [Trs::IDENTITY; MAX_NODES];
            self.read(second.0, second.1, &mut other);
            mix(&mut out[..self.nodes.len()], &other, weight);
        }
    }

    fn read(&self, clip: usize, time_secs: f32, out: &mut [Trs; MAX_NODES]) {
        let n = self.nodes.len();
        let Some(clip) = self.clips.get(clip) else {
            out[..n].copy_from_slice(&self.rest);
            return;
        };
        let (frame, share) = clip.frames.at(time_secs);
        out[..n].copy_from_slice(&clip.poses[frame * n..(frame + 1) * n]);
        if share > 0.0 {
            mix(&mut out[..n], &clip.poses[(frame + 1) * n..], share);
        }
    }

    /// Contact points of heel and ball of a leg in a pose, in the space of [`LegPose::places`].
    pub fn sole(&self, pose: &LegPose, leg: usize) -> [Vec3; 2] {
        let leg = &self.legs[leg];
        let foot = &pose.places[leg.chain[leg.chain.len() - 1]];
        leg.sole.map(|p| foot.point(p))
    }

    /// Contact state of a leg in a playback, taken from the clip with the largest weight, with that clip's index.
    pub fn stance(&self, playback: &Playback, leg: usize) -> (usize, FootContact) {
        let blend = if playback.from_weight > 0.5 { playback.from } else { playback.main() };
        let order = if blend.weight < 0.5 { [0, 1] } else { [1, 0] };
        let steps = |i: usize| self.clips.get(blend.clips[i].clip.0 as usize).is_some_and(|c| c.steps(leg));
        let other_counts = if order[1] == 1 { blend.weight > 0.1 } else { blend.weight < 0.9 };
        let i = if !steps(order[0]) && other_counts && steps(order[1]) { order[1] } else { order[0] };
        let at = blend.clips[i];
        let stance = self.clips.get(at.clip.0 as usize).and_then(|clip| {
            let (frame, share) = clip.frames.at(at.time_secs);
            clip.contacts[leg].get(if share > 0.5 { frame + 1 } else { frame })
        });
        (at.clip.0 as usize, stance.copied().unwrap_or_default())
    }

    /// Parts of a clip's length at which the left and the right foot are half way through a swing; `None` for a clip in
    /// which one of them takes no step.
    pub fn mid_swings(&self, clip: usize) -> Option<[f32; 2]> {
        let clip = self.clips.get(clip)?;
        let mid_swing = |leg: usize| {
            let off = |contact: &FootContact| (contact.landing_secs - 0.5 * contact.swing_secs).abs();
            let swings = clip.contacts[leg].iter().enumerate().filter(|(_, contact)| !contact.planted && contact.steps);
            let nearest = swings.min_by(|a, b| off(a.1).total_cmp(&off(b.1)))?.0;
            Some(clip.frames.time_secs(nearest) / clip.frames.duration_secs)
        };
        Some([mid_swing(0)?, mid_swing(1)?])
    }

    /// Velocity of the ground under the feet in a clip that is played on the spot, in model space: a walk moves it
    /// backwards. Zero where the clip's root motion is known.
    pub fn ground_velocity(&self, clip: usize) -> Vec3 {
        self.clips.get(clip).map_or(Vec3::ZERO, |clip| clip.ground_velocity)
    }

    /// Length of a clip, seconds; 0 for one that does not exist.
    pub fn duration_secs(&self, clip: usize) -> f32 {
        self.clips.get(clip).map_or(0.0, |c| c.frames.duration_secs)
    }

    /// The change that raises the pelvis by `raised`, in the space of [`LegPose::places`].
    pub fn lift(&self, pose: &LegPose, raised: Vec3) -> LegIkResult {
        let mut change = LegIkResult { on: raised != Vec3::ZERO, ..LegIkResult::default() };
        if let Some(parent) = self.parents[self.pelvis] {
            let parent = &pose.places[parent];
            change.pelvis = parent.rotation.inverse() * raised / parent.scale.max(1e-6);
        }
        change
    }

    /// Both legs to be solved for their foot targets, with the pelvis raised by `raised` in the space of
    /// [`LegPose::places`]. Knees bend towards `ahead`.
    pub fn to_solve(
        &self,
        pose: &LegPose,
        targets: &[FootTarget; 2],
        raised: Vec3,
        ahead: Vec3,
        iterations: u32,
    ) -> [LegSolve; 2] {
        std::array::from_fn(|i| {
            let (leg, target) = (&self.legs[i], &targets[i]);
            let (mut joints, mut rotations) = ([Vec3::ZERO; MAX_CHAIN], [Quat::IDENTITY; MAX_CHAIN]);
            for ((joint, rotation), node) in joints.iter_mut().zip(&mut rotations).zip(&leg.chain) {
                (*joint, *rotation) = (pose.places[*node].position + raised, pose.places[*node].rotation);
            }
            LegSolve {
                count: leg.chain.len(),
                joints,
                rotations,
                parent: self.parents[leg.chain[0]].map_or(Quat::IDENTITY, |p| pose.places[p].rotation),
                target: target.ankle,
                turn: target.turn,
                lift: target.lift,
                toes: leg.toes.map(|(_, rest)| rest),
                ahead,
                iterations,
            }
        })
    }

    /// The change of both legs as solved on the processor, on top of that of the pelvis.
    pub fn solved(&self, pelvis: LegIkResult, legs: &[LegSolve; 2]) -> LegIkResult {
        let turns = legs.each_ref().map(LegSolve::solve);
        LegIkResult { on: true, turns: turns.map(|t| t.chain), toes: turns.map(|t| t.toes), ..pelvis }
    }

    /// Appends the result as pose overrides, one per affected node.
    pub fn overrides(&self, change: &LegIkResult, out: &mut Vec<PoseOverride>) {
        if !change.on {
            return;
        }
        out.push(PoseOverride { node: self.nodes[self.pelvis], rotation: Quat::IDENTITY, translation: change.pelvis });
        for (leg, turns) in self.legs.iter().zip(&change.turns) {
            out.extend(self.turned(leg, turns));
        }
        let toes = self.legs.iter().zip(&change.toes).filter(|(_, turn)| **turn != Quat::IDENTITY);
        out.extend(toes.filter_map(|(leg, rotation)| {
            Some(PoseOverride { node: leg.toes?.0, rotation: *rotation, translation: Vec3::ZERO })
        }));
    }

    /// Appends pose overrides that move the pelvis, and leave the legs to the device, which fills theirs in. Those of
    /// the instance begin at `first` of `out`.
    pub fn unsolved_overrides(
        &self,
        pelvis: &LegIkResult,
        legs: &[LegSolve; 2],
        first: usize,
        out: &mut Vec<PoseOverride>,
    ) -> [UnsolvedLeg; 2] {
        let translation = pelvis.pelvis;
        out.push(PoseOverride { node: self.nodes[self.pelvis], rotation: Quat::IDENTITY, translation });
        std::array::from_fn(|i| {
            let (leg, solve) = (&self.legs[i], legs[i]);
            let first_override = (out.len() - first) as u32;
            out.extend(self.turned(leg, &[Quat::IDENTITY; MAX_CHAIN]));
            let toes = leg.toes.filter(|_| solve.bends_toes());
            let toes_override = toes.map(|(node, _)| {
                out.push(PoseOverride { node, rotation: Quat::IDENTITY, translation: Vec3::ZERO });
                (out.len() - first - 1) as u32
            });
            UnsolvedLeg { solve, first_override, toes_override }
        })
    }

    fn turned<'a>(
        &'a self,
        leg: &'a LegChain,
        turns: &[Quat; MAX_CHAIN],
    ) -> impl Iterator<Item = PoseOverride> + use<'a> {
        let turned = leg.chain.iter().zip(*turns);
        turned.map(|(node, rotation)| PoseOverride { node: self.nodes[*node], rotation, translation: Vec3::ZERO })
    }
}

impl Similarity {
    /// The origin.
    pub const ORIGIN: Self = Self { position: Vec3::ZERO, rotation: Quat::IDENTITY, scale: 1.0 };
}

impl LegClip {
    /// Whether the leg alternates between contact and swing.
    fn steps(&self, leg: usize) -> bool {
        self.contacts[leg].first().is_some_and(|contact| contact.steps)
    }
}

/// Interpolates transforms; rotations along the shorter arc.
fn mix(out: &mut [Trs], other: &[Trs], weight: f32) {
    for (a, b) in out.iter_mut().zip(other) {
        a.translation = a.translation.lerp(b.translation, weight);
        // For small angles lerp is accurate enough; slerp would take half of this function's time.
        a.rotation = if a.rotation.dot(b.rotation).abs() > 0.995 {
            a.rotation.lerp(b.rotation, weight)
        } else {
            a.rotation.slerp(b.rotation, weight)
        };
        a.scale = a.scale.lerp(b.scale, weight);
    }
}

/// The nodes from the chain's root to its foot, both included.
fn root_to_foot(skeleton: &Skeleton, nodes: &[u32]) -> Option<Vec<u32>> {
    let (foot, root) = (*nodes.first()?, *nodes.last()?);
    if foot as usize >= skeleton.len() {
        return None;
    }
    let up = ancestors(skeleton, foot);
    let first = up.iter().position(|n| *n == root)?;
    let mut path = up[first..].to_vec();
    path.push(foot);
    (2..=MAX_CHAIN).contains(&path.len()).then_some(path)
}

/// Ancestors of a node, the root of the skeleton first.
fn ancestors(skeleton: &Skeleton, node: u32) -> Vec<u32> {
    let mut out = Vec::new();
    let mut at = node;
    while let Some(parent) = skeleton.parents.get(at as usize).copied().flatten().filter(|p| p.0 < at) {
        out.push(parent.0);
        at = parent.0;
    }
    out.reverse();
    out
}

/// The signed coordinate axis closest to a direction.
fn main_axis(direction: Vec3) -> Vec3 {
    let most = direction.abs().max_element();
    let axis = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().find(|a| direction.dot(*a).abs() >= most).unwrap_or(Vec3::Y);
    axis * direction.dot(axis).signum()
}
