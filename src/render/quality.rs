//! How much a picture may cost.

/// Drawing effort, chosen by the kind of adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// For graphics processors: several samples per pixel, three large shadow maps, anisotropic textures.
    Full,
    /// For drivers that draw on the processor: one sample and smoothed edges, one shadow map, eight bits per channel,
    /// coarser far characters.
    Software,
}

impl Quality {
    /// Whether drawing writes what the screen shows in place of light, see `SHOWN_TARGET` in the shaders.
    pub fn is_shown(self) -> bool {
        self == Self::Software
    }

    /// Format of the picture that is drawn into before tone mapping.
    pub fn light_format(self) -> wgpu::TextureFormat {
        if self.is_shown() { wgpu::TextureFormat::Rgba8Unorm } else { wgpu::TextureFormat::Rgba16Float }
    }

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
            Self::Software => 1,
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
            Self::Software => 70.0,
        }
    }

    /// Most texels averaged along a slanted surface.
    pub fn anisotropy(self) -> u16 {
        match self {
            Self::Full => 8,
            Self::Software => 1,
        }
    }

    /// Factor on the size below which coarser characters are drawn.
    pub fn lod_bias(self) -> f32 {
        match self {
            Self::Full => 0.5,
            Self::Software => 1.5,
        }
    }

    /// Size of a detail, in shadow texels, that shadows may lack.
    pub fn shadow_lod_texels(self) -> f32 {
        match self {
            Self::Full => 2.5,
            Self::Software => 6.0,
        }
    }

    /// Size in the picture, in pixels, below which models cast no shadow.
    pub fn shadow_least_px(self) -> f32 {
        match self {
            Self::Full => 0.0,
            Self::Software => 24.0,
        }
    }
}
