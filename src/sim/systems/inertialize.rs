//! Inertialized transitions of characters: takes over the pose that was left.

use crate::anim::Playback;
use crate::anim::animation_step::{AnimationStep, DepartedPlayback};
use crate::anim::inertialization::{InertiaAt, Inertialization, MovingPose};
use crate::anim::root_motion::RootShift;
use crate::anim::sample::{PoseOverride, sample_playback};
use crate::asset::Model;
use crate::math::Trs;
use crate::sim::STEP_SECS;
use crate::sim::character::CharacterState;
use crate::sim::inertia::Inertia;
use crate::sim::instance::InstanceState;
use crate::vocab::MoveState;
use glam::Quat;

/// Advances the offsets of a character by a step that shows `shown`, and begins new ones where a transition began in it.
pub fn inertialize(instance: &mut InstanceState, character: &CharacterState, shown: &AnimationStep, gait: MoveState) {
    if let Some(inertia) = &mut instance.inertia {
        inertia.advance(STEP_SECS);
    }
    let model = character.binding.rig.model.as_deref();
    if let Some((departed, model)) = shown.departed.as_deref().zip(model) {
        let offsets = begin(instance, character, departed, model, gait);
        instance.inertia = Some(Box::new(Inertia::new(offsets)));
    } else if instance.inertia.as_ref().is_some_and(|inertia| inertia.is_over()) {
        instance.inertia = None;
    }
}

fn begin(
    instance: &InstanceState,
    character: &CharacterState,
    departed: &DepartedPlayback,
    model: &Model,
    gait: MoveState,
) -> Inertialization {
    let earlier_inertia = instance.inertia.as_deref().map(|inertia| inertia.at(-STEP_SECS));
    let inertia = instance.inertia.as_deref().map(|inertia| inertia.at(0.0));
    let left_before = base_pose(model, &instance.before.playback, &instance.before.root, earlier_inertia);
    let left = base_pose(model, &departed.playback, &[departed.root], inertia);
    let now = &instance.now;
    let entered = base_pose(model, &now.playback, &now.root, None);
    let (next, next_root) = character.next_clips(gait);
    let entered_next = base_pose(model, &next, &next_root, None);
    Inertialization::new(
        MovingPose { from: &left_before, to: &left },
        MovingPose { from: &entered, to: &entered_next },
        STEP_SECS,
    )
}

/// Local transforms of all nodes below head and layers, without root motion.
fn base_pose(model: &Model, playback: &Playback, roots: &[RootShift], inertia: Option<InertiaAt<'_>>) -> Vec<Trs> {
    let base = Playback { head: Default::default(), layers: Default::default(), ..*playback };
    let over = |root: &RootShift| PoseOverride { node: root.node, rotation: Quat::IDENTITY, translation: root.shift };
    let overrides: Vec<PoseOverride> = roots.iter().map(over).collect();
    let mut out = vec![Trs::IDENTITY; model.skeleton.len()];
    sample_playback(&model.skeleton, &model.clips, &base, inertia, &overrides, &mut out);
    out
}
