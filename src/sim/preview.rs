//! A pose shown on one instance in place of its own, for looking at clips, gaits and head movements.

use super::foot_state::UnsolvedLegs;
use super::instance_arrays::InstanceArrays;
use crate::anim::Playback;
use crate::anim::leg_solve::LegSolve;
use crate::anim::legs::LegIkResult;
use crate::anim::root_motion::RootShift;
use crate::ids::InstanceId;

/// A second body that shows other clips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ghost {
    /// The clips.
    pub shows: Playback,
    /// How far it stands to the left of the first, metres of the model.
    pub beside: f32,
}

/// A moment of some clips on an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preview {
    /// The instance that shows it.
    pub id: InstanceId,
    /// The clips.
    pub shows: Playback,
    /// What is shown besides.
    pub ghost: Option<Ghost>,
}

/// What a preview takes the place of.
#[derive(Clone, Copy, Debug, Default)]
struct ShownPose {
    playback: Playback,
    feet: LegIkResult,
    root: [RootShift; 2],
    /// Legs that are left to the graphics device.
    legs: Option<[LegSolve; 2]>,
}

impl ShownPose {
    fn of(instances: &InstanceArrays, i: usize) -> Self {
        let pose = &instances.states[i].now;
        let legs = instances.characters[i].unsolved_legs.as_ref().map(|legs| legs.now);
        Self { playback: pose.playback, feet: pose.feet, root: pose.root, legs }
    }
}

/// A preview, and what its instance would show without it.
#[derive(Clone, Copy, Debug)]
struct ActivePreview {
    preview: Preview,
    kept: ShownPose,
    /// What was shown at the last two steps.
    stepped: [Playback; 2],
}

/// The preview of a world, if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreviewState(Option<ActivePreview>);

impl PreviewState {
    /// Position in the arrays of the instance that shows a preview.
    pub fn index(&self, instances: &InstanceArrays) -> Option<usize> {
        self.0.and_then(|active| instances.index_of(active.preview.id))
    }

    /// Position in the arrays of the instance that shows a preview, and what it showed at the last two steps.
    pub fn last_step(&self, instances: &InstanceArrays) -> Option<(usize, [Playback; 2])> {
        Some((self.index(instances)?, self.0?.stepped))
    }

    /// The instance that shows a preview, and the second body of it.
    pub fn ghost(&self) -> Option<(InstanceId, Ghost)> {
        let preview = self.0?.preview;
        Some((preview.id, preview.ghost?))
    }

    /// Shows another preview, or none.
    pub fn set(&mut self, instances: &mut InstanceArrays, wanted: Option<Preview>) {
        let now = self.0.map(|active| active.preview.id);
        if now != wanted.map(|preview| preview.id) {
            self.end(instances);
        }
        let found = wanted.and_then(|preview| Some((preview, instances.index_of(preview.id)?)));
        let Some((preview, i)) = found else { return };
        match &mut self.0 {
            Some(active) => active.preview = preview,
            None => {
                let kept = ShownPose::of(instances, i);
                self.0 = Some(ActivePreview { preview, kept, stepped: [preview.shows; 2] });
            }
        }
        self.show(instances);
    }

    /// Puts the preview in the place of the pose that a step came to.
    pub fn reapply(&mut self, instances: &mut InstanceArrays) {
        let Some(i) = self.index(instances) else {
            self.0 = None;
            return;
        };
        let kept = ShownPose::of(instances, i);
        if let Some(active) = &mut self.0 {
            active.kept = kept;
            active.stepped = [active.stepped[1], active.preview.shows];
        }
        self.show(instances);
    }

    fn show(&self, instances: &mut InstanceArrays) {
        if let Some((i, active)) = self.index(instances).zip(self.0) {
            show_on(instances, i, ShownPose { playback: active.preview.shows, ..ShownPose::default() });
        }
    }

    fn end(&mut self, instances: &mut InstanceArrays) {
        let i = self.index(instances);
        if let Some((i, active)) = i.zip(self.0.take()) {
            show_on(instances, i, active.kept);
        }
    }
}

fn show_on(instances: &mut InstanceArrays, i: usize, shown: ShownPose) {
    let instance = &mut instances.states[i];
    instance.inertia = None;
    for pose in [&mut instance.before, &mut instance.now] {
        (pose.playback, pose.feet, pose.root) = (shown.playback, shown.feet, shown.root);
    }
    let legs = shown.legs.map(|now| Box::new(UnsolvedLegs { before: now, now }));
    instances.characters[i].unsolved_legs = legs;
}
