//! Retargeting: a clip of one body, played by another.
//!
//! Each bone turns in the character's axes (left, up, ahead) as the bone of the other body does, from a pose of
//! reference in which limbs point in the same directions. So limbs always point as those of the other body, whatever
//! the bones' own axes are and whether one was modelled with arms held out and the other with arms hanging. The hips
//! move in proportion to the length of the legs, and legs bend so that ankles do, too; nothing else is moved, so that
//! proportions stay.

use super::human_bone::{HumanBone, Limb, Side};
use super::humanoid::{Humanoid, Rig, rotation_of};
use super::{Channel, Clip, Model, Track};
use crate::ids::NodeId;
use crate::math::Trs;
use glam::{Mat4, Quat, Vec3};

/// Keys per second of a retargeted clip.
const KEYS_PER_SEC: f32 = 30.0;
/// Most keys of a track: ten minutes.
const MAX_KEYS: usize = 18_000;
/// Most transforms of nodes that are computed for a clip; of models with very many nodes long clips get fewer keys.
const MAX_TRANSFORMS: usize = 50_000_000;
/// Clips that are shorter hold a pose and no movement, seconds.
const MIN_MOVING_SECS: f32 = 0.1;
/// Farther than this share of the legs' length counts as far: a gait that travels so far is played on the spot.
const TRAVEL_SHARE: f32 = 0.5;
/// A clip that begins turned farther than this is turned to face ahead, radians.
const HEADING_RAD: f32 = 0.8;
/// Names that programs give to the only clip of a file.
const NAMELESS: &[&str] = &["", "mixamo.com", "take 001", "motion", "layer0", "scene", "animation", "default"];

/// Whether a clip holds movement, not one pose.
pub fn is_motion(clip: &Clip) -> bool {
    let moves = |c: &Channel| {
        let turns = c.rotation.values.windows(2).any(|pair| pair[0].angle_between(pair[1]) > 1e-3);
        turns || c.translation.values.windows(2).any(|pair| pair[0].distance(pair[1]) > 1e-4)
    };
    clip.duration_secs > MIN_MOVING_SECS && clip.channels.iter().any(moves)
}

/// What becomes of the way that gaits travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Travel {
    /// Gaits are played on the spot, by their names: the navigation moves the character.
    #[default]
    OnTheSpot,
    /// All clips travel.
    Kept,
}

/// Adds the clips of another model to a model, played by its own body; says how many were added. Clips that hold but a
/// pose are left out.
///
/// # Errors
/// The legs of one of the two have no length.
pub fn add_clips(
    model: &mut Model,
    body: &Humanoid,
    from: &Model,
    of: &Humanoid,
    travel: Travel,
) -> Result<usize, RetargetError> {
    let source = Rig::of(from, of).ok_or(RetargetError::NoLegs)?;
    let target = Rig::of(model, body).ok_or(RetargetError::NoLegs)?;
    let transfer = Transfer { travel, ..Transfer::between(&source, &target) };
    let file_stem = from.name.rsplit_once('.').map_or(from.name.as_str(), |(stem, _)| stem);
    let moving: Vec<&Clip> = from.clips.iter().filter(|clip| is_motion(clip)).collect();
    let is_only = moving.len() == 1;
    let clips: Vec<Clip> = moving
        .into_iter()
        .map(|clip| {
            let own = clip.name.rsplit('|').next().unwrap_or_default();
            let is_nameless = NAMELESS.contains(&own.to_lowercase().as_str());
            let name = if is_nameless && is_only { file_stem } else { own };
            Clip { name: name.to_owned(), ..transfer.clip(clip) }
        })
        .collect();
    let added = clips.len();
    model.clips.extend(clips);
    Ok(added)
}

/// Why clips cannot be retargeted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetargetError {
    /// The legs have no length.
    #[error("its legs have no length")]
    NoLegs,
}

/// How a bone follows a bone of the other body.
struct Follow {
    bone: HumanBone,
    node: NodeId,
    /// The bone of the other body by its place in [`Transfer::bones`], and its rotation in the pose of reference.
    source: usize,
    source_rest: Quat,
    /// From its own rotation of reference to the one in which its limb points as the other's, in the character's axes.
    rest: Quat,
}

struct Transfer<'a> {
    source: &'a Rig<'a>,
    target: &'a Rig<'a>,
    /// The bones of the other body with their nodes.
    bones: Vec<(HumanBone, NodeId)>,
    /// In the order of bones, parents before children.
    follows: Vec<Follow>,
    /// Bones whose nodes do not hang from those of their parents: their places are keyed, too.
    detached: Vec<HumanBone>,
    /// Length of the legs over the other's.
    scale: f32,
    /// Turns the model about the vertical so that it looks along +Z.
    turn: Quat,
    /// Feet without toes, whose balls would go into the ground where the other body bends its toes.
    stiff: Vec<StiffFoot>,
    travel: Travel,
}

/// A foot without toes.
struct StiffFoot {
    /// Its node.
    node: usize,
    /// The point below its ball in the pose of reference, from its joint, in the axes of the foot's bone.
    ball: Vec3,
    /// Height of the ground, which that point touches in the pose of reference, along the character's vertical.
    ground: f32,
}

impl<'a> Transfer<'a> {
    fn between(source: &'a Rig<'a>, target: &'a Rig<'a>) -> Self {
        let bones: Vec<(HumanBone, NodeId)> = source.body.bones().collect();
        let mut follows: Vec<Follow> = Vec::new();
        for (bone, node) in target.body.bones() {
            let Some(leader) = leader(source.body, target.body, bone) else { continue };
            let from = bones.iter().position(|(bone, _)| *bone == leader);
            let (Some(from), Some(source_rest)) = (from, source.rotation(leader)) else { continue };
            let own = target.model_from_body.inverse() * target.rotations[node.0 as usize];
            let aligned = align(source, target, bone) * own;
            follows.push(Follow { bone, node, source: from, source_rest, rest: aligned });
        }
        let is_detached = |bone: &HumanBone| !target.body.hangs_from_parent(&target.model.skeleton, *bone);
        let detached = follows.iter().map(|f| f.bone).filter(is_detached).collect();
        // Characters walk along +Z of their model, whichever way it was modelled.
        let [up, ahead] = [Vec3::Y, Vec3::Z].map(|axis| target.model_from_body * axis);
        let turn = if up.dot(Vec3::Y) > 0.9 { Quat::from_rotation_y(-ahead.x.atan2(ahead.z)) } else { Quat::IDENTITY };
        let stiff = Side::BOTH.into_iter().filter_map(|side| StiffFoot::of(source, target, side)).collect();
        let (scale, travel) = (target.leg / source.leg, Travel::default());
        Self { source, target, bones, follows, detached, scale, turn, stiff, travel }
    }

    fn clip(&self, clip: &Clip) -> Clip {
        let times = key_times(clip, self.source.model.skeleton.len().max(self.target.model.skeleton.len()));
        let poses: Vec<Vec<Mat4>> = times.iter().map(|&time| self.pose(clip, time)).collect();
        let path = self.path(&poses, clip);
        let mut tracks: Vec<(NodeId, Vec<Trs>)> = self.follows.iter().map(|f| (f.node, Vec::new())).collect();
        for (pose, (place, heading)) in poses.iter().zip(path) {
            let locals = self.locals(pose, place, heading);
            for ((_, keys), local) in tracks.iter_mut().zip(locals) {
                keys.push(local);
            }
        }
        let channels = self.follows.iter().zip(tracks).map(|(follow, (node, keys))| {
            let rotation =
                reduced(&times, keys.iter().map(|key| key.rotation).collect(), |a, b| a.angle_between(*b) < 1e-4);
            let translation = match self.is_keyed(follow.bone) {
                true => reduced(&times, keys.iter().map(|key| key.translation).collect(), |a, b| a.distance(*b) < 1e-6),
                false => Track::default(),
            };
            Channel { node, translation, rotation, scale: Track::default() }
        });
        let mut channels: Vec<Channel> = channels.collect();
        channels.sort_by_key(|channel| channel.node);
        Clip { name: clip.name.clone(), duration_secs: clip.duration_secs, channels, ..Clip::default() }
    }

    /// Whether the place of a bone is keyed, not its rotation alone.
    fn is_keyed(&self, bone: HumanBone) -> bool {
        bone == HumanBone::Hips || self.detached.contains(&bone)
    }

    /// Model-space matrices of the other body's bones at a time of its clip.
    fn pose(&self, clip: &Clip, time_secs: f32) -> Vec<Mat4> {
        let all = pose(self.source.model, clip, time_secs);
        self.bones.iter().map(|(_, node)| all[node.0 as usize]).collect()
    }

    /// Where the hips are at each key, from their place of reference, in the character's axes and metres of the target;
    /// and the turn that makes the clip begin ahead.
    fn path(&self, poses: &[Vec<Mat4>], clip: &Clip) -> Vec<(Vec3, Quat)> {
        let hips = self.bones.iter().enumerate().find(|(_, (bone, _))| *bone == HumanBone::Hips);
        let Some((i, (_, node))) = hips else { return Vec::new() };
        let (node, body) = (node.0 as usize, self.source.model_from_body.inverse());
        let rest = self.source.places[node];
        let turned = |m: &Mat4| {
            let turn = body * rotation_of(m) * self.source.rotations[node].inverse() * body.inverse();
            let ahead = turn * Vec3::Z;
            ahead.x.atan2(ahead.z)
        };
        let first = poses.first().map_or(0.0, |pose| turned(&pose[i]));
        let heading = Quat::from_rotation_y(if first.abs() > HEADING_RAD { -first } else { 0.0 });
        let mut path: Vec<Vec3> = poses.iter().map(|p| heading * (body * (p[i].w_axis.truncate() - rest))).collect();
        let (begin, end) = (path.first().copied().unwrap_or_default(), path.last().copied().unwrap_or_default());
        let far = self.source.leg * TRAVEL_SHARE;
        let sunk = self.sunk(poses);
        // Hips are as high over straight legs: in the pose of reference legs may be apart.
        path.iter_mut().for_each(|at| at.y -= sunk + self.source.leg_slack);
        let flat = |v: Vec3| v.with_y(0.0);
        let travel = flat(end - begin);
        // Clips of motion capture begin anywhere in the room.
        if flat(begin).length() > far {
            path.iter_mut().for_each(|at| *at -= flat(begin));
        }
        let on_the_spot = self.travel == Travel::OnTheSpot && is_gait(&clip.name, &self.source.model.name);
        if travel.length() > far && on_the_spot {
            let last = (path.len().max(2) - 1) as f32;
            path.iter_mut().enumerate().for_each(|(key, at)| *at -= travel * (key as f32 / last));
            let mean = path.iter().copied().map(flat).sum::<Vec3>() / path.len().max(1) as f32;
            path.iter_mut().for_each(|at| *at -= mean);
        }
        let own_slack = Vec3::Y * self.target.leg_slack;
        path.into_iter().map(|at| (at * self.scale + own_slack, heading)).collect()
    }

    /// Bends a leg so that its ankle is where that of the other body is, in proportion to the legs: thighs and shins of
    /// other proportions would lift a foot that stands, or press it into the ground.
    fn reach(&self, side: Side, pose: &[Mat4], heading: Quat, posed: &mut Posed<'_>) -> Option<()> {
        let (source, target) = (self.source, self.target);
        let (body, other) = (target.model_from_body, source.model_from_body.inverse());
        let [upper, lower, foot] = [Limb::UpperLeg, Limb::LowerLeg, Limb::Foot].map(|l| HumanBone::Limb(side, l));
        let at = |bone: HumanBone| self.bones.iter().position(|(one, _)| *one == bone).map(|i| pose[i]);
        let (hips_now, foot_now) = (at(HumanBone::Hips)?, at(foot)?);
        let now = heading * (other * (foot_now.w_axis - hips_now.w_axis).truncate());
        // Feet stand below thighs as in the other body, however wide the hips of the two are, and however far apart their legs
        // are in the poses of reference.
        let thigh = |rig: &Rig<'_>| Some(rig.place(upper)? - rig.place(HumanBone::Hips)?);
        let (own, rest) = (body.inverse() * thigh(target)?, other * thigh(source)?);
        let turned = heading * (other * rotation_of(&hips_now) * source.rotation(HumanBone::Hips)?.inverse());
        let ahead = turned * (other.inverse() * Vec3::Z);
        let stance = Quat::from_rotation_y(ahead.x.atan2(ahead.z)) * (own - rest * self.scale);
        let node = |bone| target.body.node(bone).map(|node| node.0 as usize);
        let [hips, upper, lower, foot] = [node(HumanBone::Hips)?, node(upper)?, node(lower)?, node(foot)?];
        let goal = posed.places[hips]? + self.turn * body * (now * self.scale + stance);
        let (hip, knee, ankle) = (posed.places[upper]?, posed.places[lower]?, posed.places[foot]?);
        let bent = bend([hip, knee, ankle], goal, self.turn * body * Vec3::Z)?;
        posed.turn(upper, [knee - hip, bent[0] - hip]);
        posed.turn(lower, [ankle - knee, bent[1] - bent[0]]);
        (posed.places[lower], posed.places[foot]) = (Some(bent[0]), Some(bent[1]));
        Some(())
    }

    /// How far above its pose of reference the other body stands on the ground, in the character's axes. Files of motion
    /// capture hang their bodies from an origin at the hips; the lowest place of an ankle in the clip is the ground then.
    fn sunk(&self, poses: &[Vec<Mat4>]) -> f32 {
        let source = self.source;
        let body = source.model_from_body.inverse();
        let is_foot = |bone: HumanBone| matches!(bone, HumanBone::Limb(_, Limb::Foot));
        let feet = || self.bones.iter().enumerate().filter(|(_, (bone, _))| is_foot(*bone));
        let rest = feet().map(|(_, (_, node))| (body * source.places[node.0 as usize]).y).fold(f32::INFINITY, f32::min);
        if rest.abs() < source.leg * TRAVEL_SHARE {
            return 0.0;
        }
        let ankles = poses.iter().flat_map(|pose| feet().map(|(i, _)| (body * pose[i].w_axis.truncate()).y));
        Some(ankles.fold(f32::INFINITY, f32::min) - rest).filter(|sunk| sunk.is_finite()).unwrap_or(0.0)
    }

    /// Local transforms of the bones' nodes, in the order of `follows`, from a pose of the other body.
    fn locals(&self, pose: &[Mat4], hips: Vec3, heading: Quat) -> Vec<Trs> {
        let target = self.target;
        let (body, other) = (target.model_from_body, self.source.model_from_body.inverse());
        let count = target.model.skeleton.len();
        let mut rotations: Vec<Option<Quat>> = vec![None; count];
        let mut places: Vec<Option<Vec3>> = vec![None; count];
        let mut is_keyed = vec![false; count];
        for follow in &self.follows {
            let delta = rotation_of(&pose[follow.source]) * follow.source_rest.inverse();
            let delta = heading * (other * delta * other.inverse());
            let turned = self.turn * body * (delta * follow.rest);
            let i = follow.node.0 as usize;
            rotations[i] = Some(turned.normalize());
            is_keyed[i] = self.is_keyed(follow.bone);
            places[i] = match self.target.body.parent(follow.bone).and_then(|parent| target.body.node(parent)) {
                _ if follow.bone == HumanBone::Hips => Some(self.turn * (target.places[i] + body * hips)),
                Some(parent) => {
                    let p = parent.0 as usize;
                    let offset = target.rotations[p].inverse() * (target.places[i] - target.places[p]);
                    rotations[p].zip(places[p]).map(|(turn, place)| place + turn * offset)
                }
                None => None,
            };
        }
        for side in Side::BOTH {
            self.reach(side, pose, heading, &mut Posed { rotations: &mut rotations, places: &mut places });
        }
        let up = self.turn * body * Vec3::Y;
        self.stiff.iter().for_each(|foot| foot.lift_ball(up, &mut rotations, &places));
        let mut locals = target.model.skeleton.rest.clone();
        let mut matrices: Vec<Mat4> = Vec::with_capacity(count);
        let mut turns: Vec<Quat> = Vec::with_capacity(count);
        for i in 0..count {
            let above = target.model.skeleton.parents[i].map(|parent| parent.0 as usize);
            let (matrix, turn) = above.map_or((Mat4::IDENTITY, Quat::IDENTITY), |p| (matrices[p], turns[p]));
            if let Some(rotation) = rotations[i] {
                locals[i].rotation = (turn.inverse() * rotation).normalize();
            }
            if let Some(place) = places[i].filter(|_| is_keyed[i]) {
                locals[i].translation = matrix.inverse().transform_point3(place);
            }
            matrices.push(matrix * locals[i].to_mat4());
            turns.push((turn * locals[i].rotation).normalize());
        }
        self.follows.iter().map(|follow| locals[follow.node.0 as usize]).collect()
    }
}

impl StiffFoot {
    /// `None` where the foot has toes, or the other one has none either.
    fn of(source: &Rig<'_>, target: &Rig<'_>, side: Side) -> Option<Self> {
        let [foot, toes] = [Limb::Foot, Limb::Toes].map(|limb| HumanBone::Limb(side, limb));
        if target.body.node(toes).is_some() || source.body.node(toes).is_none() {
            return None;
        }
        let node = target.body.node(foot)?;
        let up = target.model_from_body * Vec3::Y;
        let [_, ball] = target.model.sole(node, &target.matrices, up, target.leg);
        let i = node.0 as usize;
        let ball = target.matrices[i].transform_point3(ball) - target.places[i];
        let ground = (target.places[i] + ball).dot(up);
        Some(Self { node: i, ball: target.rotations[i].inverse() * ball, ground })
    }

    /// Turns the foot about its joint so that its ball stays above the ground.
    fn lift_ball(&self, up: Vec3, rotations: &mut [Option<Quat>], places: &[Option<Vec3>]) {
        let (Some(rotation), Some(joint)) = (&mut rotations[self.node], places[self.node]) else { return };
        let ball = *rotation * self.ball;
        let least = self.ground - joint.dot(up);
        if ball.dot(up) >= least || least.abs() >= ball.length() {
            return;
        }
        let flat = ball.reject_from_normalized(up).try_normalize();
        let wanted = flat.map(|flat| flat * (ball.length_squared() - least * least).sqrt() + up * least);
        if let Some(wanted) = wanted.and_then(Vec3::try_normalize) {
            *rotation = (Quat::from_rotation_arc(ball.normalize(), wanted) * *rotation).normalize();
        }
    }
}

/// Where the nodes of bones are and how they are turned in model space, by node.
struct Posed<'a> {
    rotations: &'a mut [Option<Quat>],
    places: &'a mut [Option<Vec3>],
}

impl Posed<'_> {
    /// Turns a node so that what pointed one way points another.
    fn turn(&mut self, node: usize, [from, to]: [Vec3; 2]) {
        let arc = from.try_normalize().zip(to.try_normalize()).map(|(a, b)| Quat::from_rotation_arc(a, b));
        if let (Some(rotation), Some(arc)) = (&mut self.rotations[node], arc) {
            *rotation = (arc * *rotation).normalize();
        }
    }
}

/// Knee and ankle of a leg whose ankle is as near to a goal as it can be; the knee bends where it did, else ahead.
fn bend([hip, knee, ankle]: [Vec3; 3], goal: Vec3, ahead: Vec3) -> Option<[Vec3; 2]> {
    let (thigh, shin) = (knee.distance(hip), ankle.distance(knee));
    let direction = (goal - hip).try_normalize()?;
    let reach = goal.distance(hip).max((thigh - shin).abs() * 1.001).min((thigh + shin) * 0.9999);
    let out = |way: Vec3| way.reject_from_normalized(direction);
    let side = Some(out(knee - hip)).filter(|side| side.length() > 1e-4 * thigh).unwrap_or_else(|| out(ahead));
    let cosine = ((thigh * thigh + reach * reach - shin * shin) / (2.0 * thigh * reach)).clamp(-1.0, 1.0);
    let sine = (1.0 - cosine * cosine).sqrt();
    let knee = hip + (direction * cosine + side.try_normalize()? * sine) * thigh;
    Some([knee, hip + direction * reach]).filter(|bent| bent.iter().all(|p| p.is_finite()))
}

/// The bone of the other body that a bone follows: the same, and of a back with another number of bones the uppermost
/// the uppermost, others the next below.
fn leader(source: &Humanoid, target: &Humanoid, bone: HumanBone) -> Option<HumanBone> {
    let back = [HumanBone::UpperChest, HumanBone::Chest, HumanBone::Spine];
    if !back.contains(&bone) {
        return source.node(bone).map(|_| bone);
    }
    if target.top_of_back() == Some(bone) {
        return source.top_of_back();
    }
    let below = back.into_iter().skip_while(|other| *other != bone);
    below.into_iter().find(|other| source.node(*other).is_some())
}

/// The turn from a bone's direction in its own pose of reference to that of the other body, in the character's axes.
/// Feet stand flat in both poses, and bones of the trunk keep their own shape; hands go with their forearms.
fn align(source: &Rig<'_>, target: &Rig<'_>, bone: HumanBone) -> Quat {
    let along = match bone {
        HumanBone::Limb(side, Limb::Hand) => HumanBone::Limb(side, Limb::LowerArm),
        _ => bone,
    };
    match (target.direction(along), source.direction(along)) {
        (Some(own), Some(other)) => Quat::from_rotation_arc(own, other),
        _ => match (bone, target.body.parent(bone)) {
            // The last bone of a finger, and fingers whose bones the other body lacks.
            (HumanBone::Finger(..), Some(parent)) => align(source, target, parent),
            _ => Quat::IDENTITY,
        },
    }
}

/// Whether names speak of walking or running, which is done on the spot here: the navigation moves the character.
fn is_gait(clip: &str, file: &str) -> bool {
    let names = format!("{clip} {file}").to_lowercase();
    ["walk", "run", "jog", "sprint", "strafe", "stroll", "march"].iter().any(|word| names.contains(word))
}

/// Times of keys for a clip of models with so many nodes, seconds: 1/30 s apart, farther in very long clips.
pub(super) fn key_times(clip: &Clip, nodes: usize) -> Vec<f32> {
    let most = (MAX_KEYS - 1).min(MAX_TRANSFORMS / nodes.max(1)).max(1);
    let count = ((clip.duration_secs * KEYS_PER_SEC).ceil() as usize).clamp(1, most);
    (0..=count).map(|i| clip.duration_secs * i as f32 / count as f32).collect()
}

/// Model-space matrices of all nodes at a time of a clip.
pub(super) fn pose(model: &Model, clip: &Clip, time_secs: f32) -> Vec<Mat4> {
    model.skeleton.model_from_node(|node, rest| clip.local_at(node, time_secs, rest).unwrap_or(*rest))
}

/// A track without keys between equal ones.
fn reduced<T: Copy>(times: &[f32], values: Vec<T>, is_equal: impl Fn(&T, &T) -> bool) -> Track<T> {
    let mut track = Track { times_secs: Vec::new(), values: Vec::new() };
    for (i, value) in values.iter().enumerate() {
        let same = |j: Option<usize>| j.and_then(|j| values.get(j)).is_some_and(|other| is_equal(value, other));
        if i > 0 && same(i.checked_sub(1)) && (i + 1 == values.len() || same(Some(i + 1))) {
            continue;
        }
        track.times_secs.push(times[i]);
        track.values.push(*value);
    }
    track
}
