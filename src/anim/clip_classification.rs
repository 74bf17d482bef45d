//! Classifies a model's clips by their names, and measures the ground speed that a walk cycle fits.

use super::local_to_model::local_to_model;
use super::sample::sample_clip;
use crate::asset::{Clip, Model};
use crate::math::Trs;
use crate::vocab::{HeadMove, MoveState};
use glam::{Mat4, Vec3};

/// Samples of a clip.
const SAMPLES: usize = 48;
/// Least travel of a foot within a clip, as a fraction of the model's height.
const MIN_STEP_SHARE: f32 = 0.05;

/// A foot is in contact below this height above the lowest sample, as a fraction of the model's height.
const CONTACT_SHARE: f32 = 0.01;

/// Clips of a model by their role, as indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipRoles {
    /// Standing.
    pub idle: Option<usize>,
    /// Walking.
    pub walk: Option<usize>,
    /// Running.
    pub run: Option<usize>,
    /// Actions.
    pub actions: Vec<(MoveState, usize)>,
    /// Turns of the head.
    pub head: Vec<(HeadMove, usize)>,
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

/// Assigns roles to a model's clips by words in their names; the shortest matching name wins.
pub fn classify_clips(model: &Model) -> ClipRoles {
    let find_where = |words: &[&str], is_there: &dyn Fn([bool; 2]) -> bool| {
        let holds = |clip: &&Clip| words.iter().all(|word| is_there(begins_and_ends(&clip.name, word)));
        // The shortest name: "Walk" before "Walk with a box".
        let all = model.clips.iter().enumerate().filter(|(_, clip)| holds(clip));
        all.min_by_key(|(i, clip)| (clip.name.len(), *i)).map(|(i, _)| i)
    };
    let find = |words: &[&str]| find_where(words, &|[begins, _]| begins);
    // Gaits also as the end of a word: "slowrun".
    let gait = |word: &str| find(&[word]).or_else(|| find_where(&[word], &|[_, ends]| ends));
    let idle = gait("idle").or_else(|| gait("stand")).or_else(|| (!model.clips.is_empty()).then_some(0));
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
    let speed = |clip: Option<usize>| ground_speed(model, &model.clips[clip?]);
    ClipRoles {
        idle,
        walk,
        run,
        actions: pairs.iter().filter_map(|(state, word)| Some((*state, find(&[word])?))).collect(),
        head: turns.iter().filter_map(|(turn, word)| Some((*turn, find(&["head", word])?))).collect(),
        walk_speed: speed(walk),
        run_speed: speed(run),
    }
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

    #[test]
    fn gaits_may_end_a_word() {
        let found = roles(&["orcidle", "slowrun", "catwalk", "MELEECHOP"]);
        assert_eq!((found.idle, found.walk, found.run), (Some(0), Some(2), Some(1)));
        assert_eq!(found.actions, []);
    }
}
