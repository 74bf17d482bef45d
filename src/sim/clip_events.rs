//! Events of the clips that play.

use super::STEP_SECS;
use super::dust::Grain;
use super::instance_arrays::InstanceArrays;
use super::queries::Footfall;
use super::world::World;
use crate::anim::{ClipAt, Playback};
use crate::scene::{ClipEvent, ClipEventKind};
use glam::Vec3;

/// Longest time of a clip that passes in a step; what goes farther is a jump, which passes no events.
const MAX_STEP_SECS: f32 = 0.3;

/// An event of a clip that passed in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassedEvent<'a> {
    /// Position of its character, world space.
    pub position: Vec3,
    /// Speed of its character, metres per second.
    pub speed: f32,
    /// The event.
    pub event: &'a ClipEvent,
}

impl World {
    /// The events of clips that passed in the last step: of the clip that counts most in each body, and of its layers.
    pub fn clip_events(&self) -> impl Iterator<Item = PassedEvent<'_>> + '_ {
        let (instances, previewed) = (&self.instances, self.preview.last_step(&self.instances));
        let with_events = move |i: &usize| !instances.characters[*i].binding.rig.events.is_empty();
        (0..instances.len()).filter(with_events).flat_map(move |i| {
            let shown = match previewed {
                Some((at, shown)) if at == i => shown,
                _ => [instances.states[i].before.playback, instances.states[i].now.playback],
            };
            passed_of(instances, i, shown)
        })
    }

    /// The feet that came down in the last step: those of walking characters, or the footsteps of their clips where these
    /// have some.
    pub fn footfalls(&self) -> impl Iterator<Item = Footfall> + '_ {
        let by_feet = self.instances.iter().filter(|(instance, character)| {
            let clip = leading(&instance.now.playback).clip.0;
            let is_step = |event: &ClipEvent| event.clip == clip && event.kind == ClipEventKind::Footstep;
            character.feet.came_down() && !character.binding.rig.events.iter().any(is_step)
        });
        let by_feet = by_feet
            .map(|(instance, _)| Footfall { position: instance.now.position, speed: instance.now.velocity.length() });
        let by_clips = self.clip_events().filter(|passed| passed.event.kind == ClipEventKind::Footstep);
        by_feet.chain(by_clips.map(|passed| Footfall { position: passed.position, speed: passed.speed }))
    }

    /// Raises the dust of the step that ended.
    pub(super) fn raise_dust(&mut self) {
        let is_raised = self.rigs.all().any(|rig| rig.events.iter().any(|event| event.kind == ClipEventKind::Dust));
        let passed = is_raised.then(|| self.clip_events()).into_iter().flatten();
        let dust = passed.filter(|passed| passed.event.kind == ClipEventKind::Dust);
        let raised: Vec<(Vec3, f32)> = dust.map(|passed| (passed.position, passed.event.strength)).collect();
        self.dust.raise(self.steps, raised);
    }

    /// The grains of dust as they are `alpha` of a step after the step before the last.
    pub fn dust(&self, alpha: f32) -> impl Iterator<Item = Grain> + '_ {
        self.dust.grains(self.steps, alpha)
    }
}

/// The clip that counts most in a body.
fn leading(playback: &Playback) -> ClipAt {
    let clips = playback.weighted_clips().into_iter();
    clips.reduce(|most, other| if other.1 > most.1 { other } else { most }).map_or(ClipAt::default(), |most| most.0)
}

/// The clip of a layer, and how much it counts.
pub(super) fn layer_clip(layer: &crate::anim::layer::PoseLayer) -> (ClipAt, f32) {
    (ClipAt { clip: layer.clip, time_secs: layer.time_secs }, layer.weight)
}

/// The events that an instance passed between two playbacks.
fn passed_of(instances: &InstanceArrays, i: usize, [before, now]: [Playback; 2]) -> Vec<PassedEvent<'_>> {
    let rig = &instances.characters[i].binding.rig;
    let instance = &instances.states[i];
    let duration = |clip: u32| {
        let clip = rig.model.as_ref().and_then(|model| model.clips.get(clip as usize));
        clip.map_or(0.0, |clip| clip.duration_secs)
    };
    let earlier = |at: ClipAt| {
        let bodies = before.weighted_clips().into_iter().filter(|(_, weight)| *weight > 0.0);
        let mut all = bodies.chain(before.layers.iter().map(layer_clip)).map(|(earlier, _)| earlier);
        all.find(|earlier| earlier.clip == at.clip)
    };
    let layers = now.layers.iter().map(layer_clip).filter(|(_, weight)| *weight > 0.0).map(|(at, _)| at);
    let playing = std::iter::once(leading(&now)).chain(layers);
    playing
        .flat_map(|at| {
            let from = earlier(at).map(|earlier| earlier.time_secs);
            let own = rig.events.iter().filter(move |event| event.clip == at.clip.0);
            own.filter(move |event| passes(from, at.time_secs, duration(event.clip), event.time))
        })
        .map(|event| PassedEvent { position: instance.now.position, speed: instance.now.velocity.length(), event })
        .collect()
}

/// Whether a moment lies between two times of a clip that a step leads over, the second one included. Without the first
/// the clip has begun.
fn passes(from: Option<f32>, to: f32, duration_secs: f32, moment: f32) -> bool {
    let begins = |to: f32| (to - STEP_SECS..=to).contains(&moment);
    let Some(from) = from else { return begins(to) };
    let ahead = to - from;
    if ahead.abs() <= MAX_STEP_SECS {
        // Forwards, or backwards.
        return if ahead >= 0.0 { from < moment && moment <= to } else { to <= moment && moment < from };
    }
    // Round its end, or its start.
    if ahead < 0.0 && ahead + duration_secs <= MAX_STEP_SECS {
        return moment > from || moment <= to;
    }
    if ahead > 0.0 && duration_secs - ahead <= MAX_STEP_SECS {
        return moment < from || moment >= to;
    }
    begins(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_pass_once_whichever_way_a_clip_goes() {
        let passed = |from, to, moment| passes(from, to, 2.0, moment);
        assert!(passed(Some(0.48), 0.5, 0.5) && !passed(Some(0.5), 0.52, 0.5));
        assert!(passed(Some(0.5), 0.48, 0.48) && !passed(Some(0.48), 0.46, 0.48), "backwards");
        assert!(passed(Some(1.99), 0.01, 0.0) && passed(Some(1.99), 0.01, 1.995), "round the end");
        assert!(!passed(Some(1.99), 0.01, 1.0));
        assert!(passed(Some(0.01), 1.99, 0.005) && !passed(Some(0.01), 1.99, 1.0), "round the start");
        assert!(!passed(Some(0.1), 1.2, 0.5) && passed(Some(0.1), 1.2, 1.19), "a jump passes nothing on its way");
        assert!(passed(None, 0.01, 0.0) && !passed(None, 0.5, 0.0), "a clip that begins");
        // Whatever the rate, a loop passes each moment as often as it goes round.
        for rate in [0.5_f32, 1.0, 3.7, -1.3] {
            let mut count = 0;
            let mut time = 0.013_f32;
            let steps = (2.0 * 10.0 / (rate.abs() * STEP_SECS)) as usize;
            for _ in 0..steps {
                let next = (time + rate * STEP_SECS).rem_euclid(2.0);
                count += usize::from(passed(Some(time), next, 0.7));
                time = next;
            }
            assert!((9..=11).contains(&count), "rate {rate}: {count} of 10");
        }
    }
}
