//! How much a picture may cost.

/// Drawing effort, chosen by the kind of adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// For graphics processors: several samples per pixel, three large shadow maps, anisotropic textures.
    Full,
    /// For drivers that draw on the processor: one sample and smoothed edges, two smaller shadow maps, coarser far
    /// characters.
    Software,
}

impl Quality {
    /// Samples per pixel.
    pub fn samples(self) -> u32 {
        match self {
            Self::Full => 4,
            Self::Software => 1,
        }
    }

    /// Number of shadow cascades.
    pub fn cascades(self) -> usize {
        match self {
            Self::Full => 3,
            Self::Software => 2,
        }
    }

    /// Edge of a shadow map in texels.
    pub fn shadow_px(self) -> u32 {
        2048
    }

    /// How far from the eye shadows are drawn, metres.
    pub fn shadow_distance(self) -> f32 {
        match self {
            Self::Full => 160.0,
            Self::Software => 90.0,
        }
    }

    /// Most texels averaged along a slanted surface.
    pub fn anisotropy(self) -> u16 {
        match self {
            Self::Full => 8,
            Self::Software => 2,
        }
    }

    /// Factor on the size below which coarser characters are drawn.
    pub fn lod_bias(self) -> f32 {
        match self {
            Self::Full => 0.5,
            Self::Software => 1.0,
        }
    }
}
