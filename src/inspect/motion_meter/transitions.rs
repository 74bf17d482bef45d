//! Acceleration of joints where the animation goes from one state to another.

use crate::anim::ClipAt;
use crate::anim::local_to_model::local_to_model;
use crate::anim::sample::sample_clip;
use crate::asset::Model;
use crate::ids::InstanceId;
use crate::math::Trs;
use crate::sim::{InstanceState, STEP_SECS, World};
use crate::vocab::MoveState;
use glam::{Mat4, Vec3};
use std::collections::BTreeMap;

/// Time from a transition in which accelerations count, seconds.
const WINDOW_SECS: f32 = 0.3;
/// Acceleration that a joint may have besides that of its clips, metres per second squared.
const FLOOR: f32 = 2.0;

/// Greatest acceleration of each node in each clip, metres per second squared in model space.
type ClipAccelerations = Vec<Vec<f32>>;

/// The joints of a character in its last steps.
#[derive(Clone, Debug, Default)]
struct JointTrack {
    state: MoveState,
    /// Positions in the last step and in the one before, model space.
    last: [Vec<Vec3>; 2],
    /// Time since the last transition, and the greatest ratio since.
    window: Option<(f32, f32)>,
}

/// Measures the joints of all characters at transitions.
#[derive(Clone, Debug, Default)]
pub(super) struct TransitionMeter {
    tracks: BTreeMap<InstanceId, JointTrack>,
    /// By the address of the model.
    clips: BTreeMap<usize, ClipAccelerations>,
    ratios: Vec<f64>,
}

impl TransitionMeter {
    /// Greatest acceleration of a joint at each transition so far, over its own in the clips.
    pub fn ratios(&self) -> Vec<f64> {
        let open = self.tracks.values().filter_map(|track| track.window).map(|(_, ratio)| f64::from(ratio));
        self.ratios.iter().copied().chain(open).collect()
    }

    /// Measures a character after a step.
    pub fn observe(&mut self, world: &World, id: InstanceId, live: &InstanceState) {
        let Some((model, pose)) = world.model_of(id).zip(world.clip_pose(id)) else { return };
        let own = self.clips.entry(std::ptr::from_ref(model) as usize).or_insert_with(|| clip_accelerations(model));
        let joints: Vec<Vec3> = pose.iter().map(|m| m.w_axis.truncate()).collect();
        let track = self.tracks.entry(id).or_default();
        if track.last[1].is_empty() {
            track.state = live.state;
        }
        if track.state != live.state {
            track.state = live.state;
            self.ratios.extend(track.window.take().map(|(_, ratio)| f64::from(ratio)));
            track.window = Some((0.0, 0.0));
        }
        if let Some((secs, ratio)) = &mut track.window
            && track.last.iter().all(|last| last.len() == joints.len())
        {
            let mut shown = clips_of(live);
            // As of a blend set, all clips of a database count.
            if let Some(database) = world.motion_database(id).filter(|_| world.matched_motion(id).is_some()) {
                shown.extend(database.clips().map(|clip| clip.0 as usize));
            }
            let at_most =
                |node: usize| shown.iter().filter_map(|c| own.get(*c)?.get(node)).copied().fold(FLOOR, f32::max);
            for (node, joint) in joints.iter().enumerate() {
                let change = *joint - 2.0 * track.last[0][node] + track.last[1][node];
                *ratio = ratio.max(change.length() / (STEP_SECS * STEP_SECS) / at_most(node));
            }
            *secs += STEP_SECS;
            if *secs > WINDOW_SECS {
                self.ratios.extend(track.window.take().map(|(_, ratio)| f64::from(ratio)));
            }
        }
        track.last.swap(0, 1);
        track.last[0] = joints;
    }
}

/// The clips that a character shows, and those of the step before.
fn clips_of(live: &InstanceState) -> Vec<usize> {
    let both = [&live.before.playback, &live.now.playback];
    let clips = |at: &[ClipAt; 2]| at.map(|at| at.clip.0 as usize);
    both.iter().flat_map(|p| [clips(&p.clips), clips(&p.from.clips)]).flatten().collect()
}

/// The greatest acceleration of each node in each clip, as it loops.
fn clip_accelerations(model: &Model) -> ClipAccelerations {
    let nodes = model.skeleton.len();
    let mut locals = vec![Trs::IDENTITY; nodes];
    let mut places = vec![Mat4::IDENTITY; nodes];
    let mut of_clip = |clip: &crate::asset::Clip| {
        let count = (clip.duration_secs / STEP_SECS).ceil().clamp(1.0, 600.0) as usize;
        let frames: Vec<Vec<Vec3>> = (0..=count)
            .map(|frame| {
                sample_clip(&model.skeleton, Some(clip), frame as f32 * STEP_SECS, &mut locals);
                local_to_model(&model.skeleton, &locals, &mut places);
                places.iter().map(|m| m.w_axis.truncate()).collect()
            })
            .collect();
        let greatest = |node: usize| {
            let changes = frames.windows(3).map(|w| (w[2][node] - 2.0 * w[1][node] + w[0][node]).length());
            changes.fold(0.0, f32::max) / (STEP_SECS * STEP_SECS)
        };
        (0..nodes).map(greatest).collect::<Vec<f32>>()
    };
    model.clips.iter().map(&mut of_clip).collect()
}
