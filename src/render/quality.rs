//! What the levels of rendering quality are, and which one the command line chose.

use super::types::LAMPS_PER_CELL;
pub use crate::vocab::Quality;
use std::sync::OnceLock;
use thiserror::Error;

/// What was chosen on the command line, for every renderer of the program.
static PROGRAM: OnceLock<Quality> = OnceLock::new();

/// A name that no quality level has; holds those that there are.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("use one of {0}")]
pub struct UnknownQuality(String);

impl Quality {
    /// The level with this name.
    ///
    /// # Errors
    /// [`UnknownQuality`] lists the names.
    pub fn by_name(name: &str) -> Result<Self, UnknownQuality> {
        let names = || UnknownQuality(Self::ALL.map(Self::name).join(", "));
        Self::ALL.into_iter().find(|level| level.name() == name).ok_or_else(names)
    }

    /// Makes this the choice of the whole program. The first call decides.
    pub fn for_program(self) {
        let _earlier = PROGRAM.set(self);
    }

    /// The choice of the whole program, if there is one.
    pub fn of_program() -> Option<Self> {
        PROGRAM.get().copied()
    }

    /// The level that fits a [`shading_rate`](super::quality_probe::shading_rate).
    pub fn for_rate(rate: f64) -> Self {
        let fits = |level: &Self| rate >= level.min_rate();
        Self::ALL.into_iter().rev().find(fits).unwrap_or(Self::Low)
    }

    /// The rate from which on a level is chosen: a device with a rate of 55 takes 9.6, 12.5 and 21 ms for the plaza without people at
    /// 1920 x 1080 on the levels from medium on. In proportion a device at the limit of its level takes 5.3, 2.3 and 0.8 ms; the rest of
    /// a frame is for people.
    fn min_rate(self) -> f64 {
        match self {
            Self::Software => f64::INFINITY,
            Self::Low => 0.0,
            Self::Medium => 100.0,
            Self::High => 300.0,
            Self::Ultra => 1500.0,
        }
    }

    /// Whether the scene pass writes display-referred colours in place of light, see `SHOWN_TARGET` in the shaders.
    pub fn is_display_referred(self) -> bool {
        self <= Self::Low
    }

    /// Whether the lit picture gets ambient occlusion, bloom and an exposure that adapts.
    pub fn is_graded(self) -> bool {
        self >= Self::Medium
    }

    /// Whether surfaces mirror the sky.
    pub fn mirrors_sky(self) -> bool {
        self >= Self::Medium
    }

    /// Samples of ambient occlusion per pixel.
    pub fn occlusion_samples(self) -> u32 {
        if self == Self::Ultra { 16 } else { 9 }
    }

    /// Format of the lit picture, before tone mapping.
    pub fn light_format(self) -> wgpu::TextureFormat {
        if self.is_display_referred() { wgpu::TextureFormat::Rgba8Unorm } else { wgpu::TextureFormat::Rgba16Float }
    }

    /// Samples per pixel.
    pub fn samples(self) -> u32 {
        if self >= Self::Medium { 4 } else { 1 }
    }

    /// Number of shadow cascades.
    pub fn cascades(self) -> usize {
        if self >= Self::Medium { 3 } else { 2 }
    }

    /// Lamps that light a point: each costs something at every pixel.
    pub fn lamps(self) -> usize {
        if self >= Self::Medium { LAMPS_PER_CELL } else { 4 }
    }

    /// Edge of a shadow map in texels, as far as the device allows.
    pub fn shadow_px(self, device: &wgpu::Device) -> u32 {
        self.wanted_shadow_px().min(device.limits().max_texture_dimension_2d)
    }

    fn wanted_shadow_px(self) -> u32 {
        match self {
            Self::Software => 1280,
            Self::Low => 1536,
            Self::Medium | Self::High => 2048,
            Self::Ultra => 4096,
        }
    }

    /// Samples of a shadow, each over four texels: four in a fixed tent, or from 9 on spread over penumbras that grow with the
    /// distance from the caster.
    pub fn shadow_samples(self) -> u32 {
        match self {
            Self::Software | Self::Low | Self::Medium => 4,
            Self::High => 12,
            Self::Ultra => 20,
        }
    }

    /// Distance from the eye up to which shadows are drawn where ground is near, metres; farther where it is not.
    pub fn shadow_distance(self) -> f32 {
        match self {
            Self::Software => 50.0,
            Self::Low => 70.0,
            Self::Medium | Self::High | Self::Ultra => 160.0,
        }
    }

    /// Anisotropic filtering.
    pub fn anisotropy(self) -> u16 {
        match self {
            Self::Software => 1,
            Self::Low => 2,
            Self::Medium | Self::High => 8,
            Self::Ultra => 16,
        }
    }

    /// Factor on the size below which coarser levels of detail are used.
    pub fn lod_bias(self) -> f32 {
        match self {
            Self::Software | Self::Low => 2.0,
            Self::Medium | Self::High | Self::Ultra => 1.0,
        }
    }

    /// Size of the details that shadows may omit, in shadow texels.
    pub fn shadow_lod_texels(self) -> f32 {
        match self {
            Self::Software | Self::Low => 6.0,
            Self::Medium | Self::High | Self::Ultra => 2.5,
        }
    }

    /// Size in the picture, in pixels, below which models cast no shadow.
    pub fn min_shadow_caster_px(self) -> f32 {
        match self {
            Self::Software => 24.0,
            Self::Low => 12.0,
            Self::Medium | Self::High | Self::Ultra => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names_and_each_costs_more_than_the_one_before() {
        for pair in Quality::ALL.windows(2) {
            let cost = |q: Quality| q.shadow_samples() * q.wanted_shadow_px() * q.samples();
            assert!(cost(pair[0]) <= cost(pair[1]), "{pair:?}");
            let coarseness = |q: Quality| [q.lod_bias(), q.shadow_lod_texels(), q.min_shadow_caster_px()];
            let finer = coarseness(pair[0]).iter().zip(coarseness(pair[1])).all(|(coarse, fine)| *coarse >= fine);
            assert!(finer, "{pair:?}");
        }
        for level in Quality::ALL {
            assert_eq!(Quality::by_name(level.name()), Ok(level));
        }
        assert!(Quality::by_name("best").is_err_and(|error| error.to_string().contains("ultra")));
        let levels = [1.0, 99.9, 100.0, 299.9, 300.0, 1499.0, 1500.0].map(Quality::for_rate);
        let [low, medium, high, ultra] = [Quality::Low, Quality::Medium, Quality::High, Quality::Ultra];
        assert_eq!(levels, [low, low, medium, medium, high, high, ultra]);
    }
}
