//! Dust that events of clips raise. It is seen and moves nothing.

use super::STEP_SECS;
use crate::math::angle::GOLDEN_ANGLE_RAD;
use glam::{Vec2, Vec3, Vec3Swizzles};
use std::f32::consts::TAU;

/// How long a puff is seen, seconds.
const LIFE_SECS: f32 = 0.9;
/// Most puffs at once; the oldest go first.
const MAX_PUFFS: usize = 512;
/// Grains of a puff.
const GRAINS: usize = 9;

/// A puff that was raised.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Puff {
    at: Vec3,
    step: u64,
    strength: f32,
}

/// A soft disc of a puff.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Middle, world space.
    pub place: Vec3,
    /// Metres.
    pub radius: f32,
    /// Opacity of its middle, 0…1.
    pub opacity: f32,
}

/// The puffs that are seen.
#[derive(Clone, Debug, Default)]
pub struct DustState(Vec<Puff>);

impl DustState {
    /// Adds puffs at these places with their strengths, and lets old dust go; `step` is the number of the step that ended.
    pub fn raise(&mut self, step: u64, raised: impl IntoIterator<Item = (Vec3, f32)>) {
        let puffs = &mut self.0;
        puffs.retain(|puff| (step - puff.step) as f32 * STEP_SECS < LIFE_SECS);
        puffs.extend(raised.into_iter().map(|(at, strength)| Puff { at, step, strength }));
        let over = puffs.len().saturating_sub(MAX_PUFFS);
        puffs.drain(..over);
    }

    /// The grains as they are `alpha` of a step after the step before `step`.
    pub fn grains(&self, step: u64, alpha: f32) -> impl Iterator<Item = Grain> + '_ {
        self.0.iter().flat_map(move |puff| {
            let age_secs = ((step - puff.step) as f32 - 1.0 + alpha).max(0.0) * STEP_SECS;
            (0..GRAINS).map(move |i| grain(puff, i, (age_secs / LIFE_SECS).min(1.0)))
        })
    }
}

/// A grain of a puff at a share of its life: it flies outwards, slower and slower, rises, grows and fades.
fn grain(puff: &Puff, i: usize, life: f32) -> Grain {
    let out = 1.0 - (1.0 - life).powi(3);
    let angle = i as f32 * GOLDEN_ANGLE_RAD + (puff.step % 97) as f32 * TAU / 97.0;
    let reach = 0.12 + 0.30 * out * (0.4 + 0.6 * (i as f32 / GRAINS as f32));
    let aside = Vec2::from_angle(angle).extend(0.0).xzy() * reach;
    let radius = 0.06 + 0.14 * out;
    let place = puff.at + aside + Vec3::Y * (radius * 0.6 + 0.16 * out * ((i * 5 % GRAINS) as f32 / GRAINS as f32));
    Grain { place, radius, opacity: 0.65 * puff.strength * (1.0 - life) * (1.0 - life) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_puff_spreads_rises_and_fades() {
        let puff = Puff { at: Vec3::new(3.0, 1.0, -2.0), step: 5, strength: 1.0 };
        let at = |life: f32| -> Vec<Grain> { (0..GRAINS).map(|i| grain(&puff, i, life)).collect() };
        let (young, old, gone) = (at(0.0), at(0.6), at(1.0));
        let reach = |grains: &[Grain]| grains.iter().map(|g| (g.place - puff.at).xz().length()).fold(0.0, f32::max);
        assert!(reach(&young) < 0.2 && reach(&old) > 0.3 && reach(&gone) < 0.6);
        assert!(young.iter().zip(&old).all(|(a, b)| b.radius > a.radius && b.opacity < a.opacity));
        assert!(gone.iter().all(|grain| grain.opacity == 0.0));
        assert!(at(0.3).iter().all(|grain| grain.place.y > puff.at.y), "above the ground");
    }
}
