//! Classifies a model's clips by their names, and measures the ground speed that a walk cycle fits.

use super::local_to_model::local_to_model;
use super::sample::sample_clip;
use crate::asset::{Clip, Model};
use crate::math::Trs;
use crate::vocab::{HeadMove, MoveState};
use glam::{Mat4, Quat, Vec3};

/// Samples of a clip.
const SAMPLES: usize = 48;
/// Least travel of a foot within a clip, as a fraction of the model's height.
const MIN_STEP_SHARE: f32 = 0.05;

/// A foot is in contact below this height above the lowest sample, as a fraction of the model's height.
const CONTACT_SHARE: f32 = 0.01;

/// Length up to which a clip holds one pose, seconds: three frames at 30 a second.
const MAX_POSE_SECS: f32 = 0.1;
/// Keys whose values lie nearer hold one pose: translations in metres, and scales.
const SAME_VALUE: f32 = 1e-4;
/// The same of rotations: the cosine of half the angle between them.
const SAME_ROTATION: f32 = 1.0 - 1e-6;

/// Clips of a model by their role, as indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipRoles {
    /// Standing. Where no clip is named so, one that moves and has no role, else one that holds a pose.
    pub idle: Option<usize>,
    /// Walking.
    pub walk: Option<usize>,
    /// Running.
    pub run: Option<usize>,
    /// Actions.
    pub actions: Vec<(MoveState, usize)>,
    /// Turns of the head.
    pub head: Vec<(HeadMove, usize)>,
    /// What shows the model best: its standing, walking or running, or the first clip that moves; none where all hold poses.
    pub shown: Option<usize>,
    /// Ground speed that fits the walk at its authored rate, metres per second in model space.
    pub walk_speed: Option<f32>,
    /// The same for the run.
    pub run_speed: Option<f32>,
}

/// Whether a word stands in a name where one of the name's own words begins, and whether where one ends. Words begin behind what
/// is no letter, and with a capital behind a small letter: `Chop` has `hop` at an end, `fastRun` has `run` at both.
fn begins_and_ends(name: &str, word: &str) -> [bool; 2] {
    let (bytes, lower) = (name.as_bytes(), name.to_ascii_lowercase());
    let is_between = |at: usize| match at.checked_sub(1).and_then(|before| Some([*bytes.get(before)?, *bytes.get(at)?]))
    {
        Some([before, after]) if before.is_ascii_alphabetic() && after.is_ascii_alphabetic() => {
            before.is_ascii_lowercase() && after.is_ascii_uppercase()
        }
        _ => true,
    };
    let found = lower.match_indices(word).map(|(at, _)| [is_between(at), is_between(at + word.len())]);
    found.fold([false; 2], |all, one| [all[0] || one[0], all[1] || one[1]])
}

/// Whether a clip moves nothing: the pose that a body was modelled in, or a single frame of motion capture.
fn is_still(clip: &Clip) -> bool {
    fn is_held<T>(values: &[T], is_same: impl Fn(&T, &T) -> bool) -> bool {
        values.split_first().is_none_or(|(first, others)| others.iter().all(|value| is_same(first, value)))
    }
    let is_value = |a: &Vec3, b: &Vec3| a.abs_diff_eq(*b, SAME_VALUE);
    let is_rotation = |a: &Quat, b: &Quat| a.dot(*b).abs() > SAME_ROTATION;
    let is_whole = || {
        clip.packed.is_none()
            && clip.morphs.iter().all(|track| is_held(&track.weights.values, |a, b| a == b))
            && clip.channels.iter().all(|channel| {
                is_held(&channel.translation.values, is_value)
                    && is_held(&channel.rotation.values, is_rotation)
                    && is_held(&channel.scale.values, is_value)
            })
    };
    clip.duration_secs <= MAX_POSE_SECS || is_whole()
}

/// Whether a clip is no motion: it moves nothing, or is a library of poses by its name.
fn is_pose(clip: &Clip) -> bool {
    begins_and_ends(&clip.name, "pose").contains(&true) || is_still(clip)
}

/// The clip with which a model is shown first: the one for standing, by its number, or another one where that holds a pose.
pub fn first_shown(model: &Model, idle: u32) -> u32 {
    match model.clips.get(idle as usize) {
        Some(clip) if is_pose(clip) => classify_clips(model).shown.map_or(idle, |clip| clip as u32),
        _ => idle,
    }
}

/// Assigns roles to a model's clips by words in their names; the shortest matching name wins, of gaits that of a motion.
pub fn classify_clips(model: &Model) -> ClipRoles {
    let find_where = |words: &[&str], is_there: &dyn Fn([bool; 2]) -> bool, is_last: &dyn Fn(&Clip) -> bool| {
        let holds = |clip: &&Clip| words.iter().all(|word| is_there(begins_and_ends(&clip.name, word)));
        // The shortest name: "Walk" before "Walk with a box".
        let all = model.clips.iter().enumerate().filter(|(_, clip)| holds(clip));
        all.min_by_key(|(i, clip)| (is_last(clip), clip.name.len(), *i)).map(|(i, _)| i)
    };
    let find = |words: &[&str]| find_where(words, &|[begins, _]| begins, &|_| false);
    // Gaits also as the end of a word: "slowrun".
    let gait = |word: &str| {
        let found = find_where(&[word], &|[begins, _]| begins, &is_pose);
        found.or_else(|| find_where(&[word], &|[_, ends]| ends, &is_pose))
    };
    let (walk, run) = (gait("walk"), gait("run"));
    let pairs = [
        (MoveState::Hop, "hop"),
        (MoveState::Jump, "jump"),
        (MoveState::Punch, "punch"),
        (MoveState::Pick, "pick"),
        (MoveState::Roll, "roll"),
        (MoveState::Kick, "kick"),
        (MoveState::Interact, "interact"),
        (MoveState::Wave, "wave"),
    ];
    let turns = [(HeadMove::Left, "left"), (HeadMove::Right, "right"), (HeadMove::Up, "up"), (HeadMove::Down, "down")];
    let actions: Vec<(MoveState, usize)> =
        pairs.iter().filter_map(|(state, word)| Some((*state, find(&[word])?))).collect();
    let head: Vec<(HeadMove, usize)> =
        turns.iter().filter_map(|(turn, word)| Some((*turn, find(&["head", word])?))).collect();
    let others = actions.iter().map(|(_, clip)| *clip).chain(head.iter().map(|(_, clip)| *clip));
    let taken: Vec<usize> = [walk, run].into_iter().flatten().chain(others).collect();
    let first = |is_wanted: &dyn Fn(usize, &Clip) -> bool| {
        model.clips.iter().enumerate().find(|(i, clip)| is_wanted(*i, clip)).map(|(i, _)| i)
    };
    let idle = gait("idle")
        .or_else(|| gait("stand"))
        .or_else(|| first(&|i, clip| !is_pose(clip) && !taken.contains(&i)))
        .or_else(|| first(&|i, clip| is_still(clip) && !taken.contains(&i)))
        .or(walk)
        .or_else(|| first(&|_, _| true));
    let moves = |clip: &usize| !is_pose(&model.clips[*clip]);
    let shown = [idle, walk, run].into_iter().flatten().find(moves).or_else(|| first(&|_, clip| !is_pose(clip)));
    let speed = |clip: Option<usize>| ground_speed(model, &model.clips[clip?]);
    ClipRoles { idle, walk, run, actions, head, shown, walk_speed: speed(walk), run_speed: speed(run) }
}

/// Ground speed of an in-place walk cycle towards +Z, metres per second in model space: the median over the samples of
/// the speed of the lowest foot while it is in contact. `None` when no node steps.
fn ground_speed(model: &Model, clip: &Clip) -> Option<f32> {
    let count = model.skeleton.len();
    if count == 0 || !(clip.duration_secs > 0.0 && clip.duration_secs.is_finite()) {
        return None;
    }
    let (mut locals, mut matrices) = (vec![Trs::IDENTITY; count], vec![Mat4::IDENTITY; count]);
    let frames: Vec<Vec<Vec3>> = (0..=SAMPLES)
        .map(|i| {
            sample_clip(&model.skeleton, Some(clip), clip.duration_secs * i as f32 / SAMPLES as f32, &mut locals);
            local_to_model(&model.skeleton, &locals, &mut matrices);
            matrices.iter().map(|m| m.w_axis.truncate()).collect()
        })
        .collect();
    let least = model.rest_bounds.size().y * MIN_STEP_SHARE;
    let steps = |node: &usize| {
        let along = || frames.iter().map(|frame| frame[*node].z);
        along().fold(f32::MIN, f32::max) - along().fold(f32::MAX, f32::min) > least
    };
    let feet: Vec<usize> = (0..count).filter(steps).collect();
    let dt_secs = clip.duration_secs / SAMPLES as f32;
    let height = |frame: &[Vec3], node: usize| frame[node].y;
    let lowest = |frame: &[Vec3]| feet.iter().copied().min_by(|a, b| frame[*a].y.total_cmp(&frame[*b].y));
    let floor = frames.iter().filter_map(|f| Some(height(f, lowest(f)?))).fold(f32::INFINITY, f32::min);
    // In the flight phase of a run no foot is in contact.
    let top = floor + model.rest_bounds.size().y * CONTACT_SHARE;
    let mut speeds: Vec<f32> = frames
        .windows(2)
        .filter_map(|pair| {
            let foot = lowest(&pair[0]).filter(|foot| pair.iter().all(|f| height(f, *foot) < top))?;
            Some((pair[0][foot].z - pair[1][foot].z) / dt_secs)
        })
        .collect();
    speeds.sort_by(f32::total_cmp);
    speeds.get(speeds.len() / 2).copied().filter(|speed| speed.is_finite() && *speed > 0.01)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Channel, Track};

    fn roles(names: &[&str]) -> ClipRoles {
        let clips = names.iter().map(|name| Clip { name: (*name).into(), ..Clip::default() });
        classify_clips(&Model { clips: clips.collect(), ..Model::default() })
    }

    #[test]
    fn roles_are_told_by_words_and_not_within_them() {
        let found =
            roles(&["1H_Melee_Attack_Chop", "Grunt", "Armature|walking", "SlowRun", "Idle_B", "headLeft", "JumpUp"]);
        assert_eq!((found.idle, found.walk, found.run), (Some(4), Some(2), Some(3)));
        assert_eq!(found.actions, [(MoveState::Jump, 6)]);
        assert_eq!(found.head, [(HeadMove::Left, 5)]);
    }

    /// A model whose clips, by their names, turn a joint within a second or hold it.
    fn model(clips: &[(&str, bool)]) -> Model {
        let clip = |&(name, moves): &(&str, bool)| {
            let angles = if moves { [0.0, 1.0] } else { [0.5; 2] };
            let rotation = Track { times_secs: vec![0.0, 1.0], values: angles.map(Quat::from_rotation_y).to_vec() };
            let channels = vec![Channel { rotation, ..Channel::default() }];
            Clip { name: name.into(), duration_secs: 1.0, channels, ..Clip::default() }
        };
        Model { clips: clips.iter().map(clip).collect(), ..Model::default() }
    }

    #[test]
    fn poses_stand_for_no_motion_where_there_is_one() {
        type Case = (&'static [(&'static str, bool)], Option<usize>, Option<usize>);
        let cases: [Case; 10] = [
            (&[("T-Pose", false), ("mixamo.com", true)], Some(1), Some(1)),
            (&[("PoseLib", true), ("Dance", true)], Some(1), Some(1)),
            (&[("Take 001", false), ("Walking", true), ("Jump", true)], Some(0), Some(1)),
            (&[("PoseLib", true), ("Walk", true), ("Punch", true)], Some(1), Some(1)),
            (&[("Idle", false), ("Idle_Loop", true)], Some(1), Some(1)),
            (&[("Idle", false), ("Run", true)], Some(0), Some(1)),
            (&[("Walk", true), ("Run", true)], Some(0), Some(0)),
            (&[("Punch", true)], Some(0), Some(0)),
            (&[("A_TPose", false)], Some(0), None),
            (&[], None, None),
        ];
        for (clips, idle, shown) in cases {
            let found = classify_clips(&model(clips));
            assert_eq!((found.idle, found.shown), (idle, shown), "{clips:?}");
        }
        let mut short = model(&[("Take 001", true), ("Armature|Action", true)]);
        short.clips[0].duration_secs = 1.0 / 30.0;
        assert_eq!(classify_clips(&short).idle, Some(1), "a single frame");
    }

    #[test]
    fn what_stands_still_is_not_shown_first() {
        let file = model(&[("T-Pose", false), ("Dance", true), ("Walk", true)]);
        assert_eq!([0, 1, 2, 9].map(|idle| first_shown(&file, idle)), [1, 1, 2, 9]);
        let poses = model(&[("A", false), ("B", false)]);
        assert_eq!([0, 1].map(|idle| first_shown(&poses, idle)), [0, 1]);
    }

    #[test]
    fn gaits_may_end_a_word() {
        let found = roles(&["orcidle", "slowrun", "catwalk", "MELEECHOP"]);
        assert_eq!((found.idle, found.walk, found.run), (Some(0), Some(2), Some(1)));
        assert_eq!(found.actions, []);
    }
}
