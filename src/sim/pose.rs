//! Head and face over time, and the pose of a character as it is drawn.

use super::STEP_SECS;
use super::body::Body;
use super::world::{Live, World};
use crate::anim::local_to_model::local_to_model;
use crate::anim::sample::{PoseOverride, sample_playback};
use crate::anim::{ClipAt, Playback};
use crate::asset::Model;
use crate::ids::InstanceId;
use crate::math::Trs;
use crate::scene::SceneInstance;
use crate::vocab::FaceExpression;
use glam::{Mat4, Vec2, Vec3};

/// Fastest change of the head, whole turns from one side to straight ahead per second.
const HEAD_PER_SEC: f32 = 3.0;
/// Fastest change of a morph weight per second.
const FACE_PER_SEC: f32 = 6.0;

/// Where a character's head turns by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gaze {
    /// Turn and tilt, -1 left or up … 1 right or down.
    pub head: Vec2,
    /// Weight of the smile, 0…1.
    pub smile: f32,
}

/// Head and face as shown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features {
    /// Left/right and up/down, -1…1.
    pub head: Vec2,
    /// Weights of the morph targets.
    pub face: [f32; 4],
}

impl Features {
    /// What the scene wants of a character.
    pub fn saved(saved: &SceneInstance) -> Self {
        let head = usable_head(Vec2::new(saved.head_left_right, saved.head_up_down));
        Self { head, face: usable_face((saved.face, saved.face_weight), saved.face_more) }
    }

    /// What is wanted of a character now.
    fn wanted(body: &Body) -> Self {
        let own = &body.own.features;
        let mut face = body.orders.face.map_or(own.face, |ordered| usable_face(ordered, [0.0; 4]));
        let Some(gaze) = body.gaze else {
            return Self { head: body.orders.head.map_or(own.head, usable_head), face };
        };
        let smile = usable_face((FaceExpression::Happy, gaze.smile), [0.0; 4]);
        for (shown, smile) in face.iter_mut().zip(smile) {
            *shown = shown.max(smile);
        }
        // What a behaviour does with the head comes first.
        Self { head: body.orders.head.map_or(gaze.head, usable_head), face }
    }

    /// Goes towards what is wanted, by a step.
    fn follow(&mut self, wanted: &Self) {
        let step = |now: f32, to: f32, most: f32| now + (to - now).clamp(-most, most);
        let most = HEAD_PER_SEC * STEP_SECS;
        self.head = Vec2::new(step(self.head.x, wanted.head.x, most), step(self.head.y, wanted.head.y, most));
        for (now, to) in self.face.iter_mut().zip(wanted.face) {
            *now = step(*now, to, FACE_PER_SEC * STEP_SECS);
        }
    }
}

/// `x` between `low` and 1; 0 for what is no number.
fn usable(x: f32, low: f32) -> f32 {
    if x.is_finite() { x.clamp(low, 1.0) } else { 0.0 }
}

fn usable_head(head: Vec2) -> Vec2 {
    Vec2::new(usable(head.x, -1.0), usable(head.y, -1.0))
}

/// The weights of the morph targets that show an expression, and more of each.
fn usable_face((shown, weight): (FaceExpression, f32), more: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|i| {
        let own = if shown.to_file() == i as i64 + 1 && shown != FaceExpression::None { weight } else { 0.0 };
        usable(own, 0.0).max(usable(more[i], 0.0))
    })
}

/// Head and face of a character after a step; at once as wanted where `settled`.
pub fn express(live: &mut Live, body: &mut Body, settled: bool) {
    let wanted = Features::wanted(body);
    if settled {
        body.features = wanted;
    } else {
        body.features.follow(&wanted);
    }
    live.now.playback.head = body.looks.rig.head_layers(body.features.head);
    live.now.face = body.features.face;
}

/// A foot that came down in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footfall {
    /// Where its owner stands, world space.
    pub position: Vec3,
    /// How fast that one goes, metres per second.
    pub speed: f32,
}

impl World {
    /// The feet of walkers that came down in the last step.
    pub fn footfalls(&self) -> impl Iterator<Item = Footfall> + '_ {
        let came_down = self.live.iter().zip(&self.bodies).filter(|(_, body)| body.feet.came_down());
        came_down.map(|(live, _)| Footfall { position: live.now.position, speed: live.now.velocity.length() })
    }

    /// The nodes of an instance's legs, from hip to foot; none where its model names no foot chains.
    pub fn leg_chains(&self, id: InstanceId) -> Vec<Vec<u32>> {
        let Some(legs) = self.index_of(id).and_then(|i| self.bodies[i].looks.rig.legs.as_ref()) else {
            return Vec::new();
        };
        legs.legs.iter().map(|leg| leg.chain.iter().map(|&at| legs.nodes[at]).collect()).collect()
    }

    /// What the ground changes about the pose of an instance between the last two steps, one entry per node.
    pub fn overrides(&self, id: InstanceId, alpha: f32, out: &mut Vec<PoseOverride>) {
        let Some(i) = self.index_of(id) else { return };
        if let Some(legs) = &self.bodies[i].looks.rig.legs {
            let live = &self.live[i];
            legs.overrides(&live.before.feet.blend(&live.now.feet, alpha), out);
        }
    }
}

/// Model-space matrices of all nodes of a live instance as drawn between the last two steps.
pub fn model_from_node(model: &Model, live: &Live, overrides: &[PoseOverride], alpha: f32) -> Vec<Mat4> {
    let playback = blend_playback(&live.before.playback, &live.now.playback, model, alpha);
    let mut locals = vec![Trs::IDENTITY; model.skeleton.len()];
    sample_playback(&model.skeleton, &model.clips, &playback, overrides, &mut locals);
    let mut out = vec![Mat4::IDENTITY; locals.len()];
    local_to_model(&model.skeleton, &locals, &mut out);
    out
}

/// The pose between two steps. While the same clips play, their times and weights are interpolated, forwards through
/// the end of a loop; when a clip changes, the new state holds at once.
pub fn blend_playback(before: &Playback, now: &Playback, model: &Model, alpha: f32) -> Playback {
    let clip = |a: ClipAt, b: ClipAt| {
        let duration_secs = model.clips.get(b.clip.0 as usize).map_or(0.0, |c| c.duration_secs);
        ClipAt { clip: b.clip, time_secs: blend_time(a.time_secs, b.time_secs, duration_secs, alpha) }
    };
    let mix = |a: f32, b: f32| a + (b - a) * alpha;
    let same = |a: &[ClipAt; 2], b: &[ClipAt; 2]| a[0].clip == b[0].clip && a[1].clip == b[1].clip;
    let pair = |a: &[ClipAt; 2], b: &[ClipAt; 2]| [clip(a[0], b[0]), clip(a[1], b[1])];
    let mut out = *now;
    for (out, (a, b)) in out.head.iter_mut().zip(before.head.iter().zip(&now.head)) {
        if a.clip == b.clip {
            out.time_secs = mix(a.time_secs, b.time_secs);
        }
    }
    let fading = now.from_weight > 0.0;
    if !same(&before.clips, &now.clips) || (fading && !same(&before.from.clips, &now.from.clips)) {
        return out;
    }
    out.clips = pair(&before.clips, &now.clips);
    out.weight = mix(before.weight, now.weight);
    if fading {
        out.from.clips = pair(&before.from.clips, &now.from.clips);
        out.from.weight = mix(before.from.weight, now.from.weight);
        out.from_weight = mix(before.from_weight, now.from_weight);
    }
    out
}

/// A clip's time between two steps. A time that fell by more than half the clip's length went through its end; one
/// that fell by less was set back, and the new time holds.
fn blend_time(before_secs: f32, now_secs: f32, duration_secs: f32, alpha: f32) -> f32 {
    let advance = now_secs - before_secs;
    if advance >= 0.0 && (duration_secs <= 0.0 || advance <= duration_secs * 0.5) {
        return before_secs + advance * alpha;
    }
    if advance < 0.0 && duration_secs > 0.0 && -advance > duration_secs * 0.5 {
        let time = before_secs + (advance + duration_secs).max(0.0) * alpha;
        return if time >= duration_secs { (time - duration_secs).min(now_secs) } else { time };
    }
    now_secs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Clip;
    use crate::ids::ClipId;

    #[test]
    fn clip_times_never_run_backwards_through_a_loop() {
        let mut last = 0.95_f32;
        for i in 0..=10 {
            let time = blend_time(0.95, 0.05, 1.0, i as f32 / 10.0);
            assert!((0.0..=1.0).contains(&time));
            let forward = (time - last).rem_euclid(1.0);
            assert!(forward < 0.02, "{last} -> {time}");
            last = time;
        }
        assert_eq!(blend_time(0.5, 0.3, 1.0, 0.5), 0.3);
        assert_eq!(blend_time(0.2, 0.4, 1.0, 0.5), 0.3);
    }

    #[test]
    fn a_changed_clip_holds_at_once() {
        let model = Model { clips: vec![Clip { duration_secs: 1.0, ..Clip::default() }; 3], ..Model::default() };
        let play = |clip, time_secs, weight| Playback {
            clips: [ClipAt { clip: ClipId(clip), time_secs }, ClipAt { clip: ClipId(1), time_secs }],
            weight,
            ..Playback::default()
        };
        assert_eq!(blend_playback(&play(0, 0.1, 0.0), &play(2, 0.5, 1.0), &model, 0.5), play(2, 0.5, 1.0));
        let half = blend_playback(&play(0, 0.1, 0.0), &play(0, 0.2, 1.0), &model, 0.5);
        assert!((half.weight - 0.5).abs() < 1e-6 && (half.clips[1].time_secs - 0.15).abs() < 1e-6);
    }

    #[test]
    fn head_and_face_come_smoothly_and_several_at_once() {
        let mut body = Body::default();
        let mut live = Live::default();
        body.orders.head = Some(Vec2::new(1.0, -9.0));
        body.orders.face = Some((FaceExpression::Angry, 1.0));
        let mut last = body.features;
        for i in 0..60 {
            if i == 20 {
                body.orders.face = Some((FaceExpression::Happy, 0.5));
            }
            express(&mut live, &mut body, false);
            let now = body.features;
            assert!((now.head - last.head).abs().max_element() <= HEAD_PER_SEC * STEP_SECS + 1e-6);
            assert!(now.face.iter().zip(&last.face).all(|(a, b)| (a - b).abs() <= FACE_PER_SEC * STEP_SECS + 1e-6));
            if i == 24 {
                assert!(now.face[0] > 0.1 && now.face[3] > 0.1, "the one goes while the other comes");
            }
            last = now;
        }
        assert_eq!((last.head, last.face), (Vec2::new(1.0, -1.0), [0.0, 0.0, 0.0, 0.5]));
        body.orders.face = Some((FaceExpression::None, f32::NAN));
        express(&mut live, &mut body, true);
        assert_eq!(live.now.face, [0.0; 4]);
    }
}
