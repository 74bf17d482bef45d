//! Rendering quality.

/// Quality level, chosen by the kind of adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// For GPUs: multisampling, three shadow cascades, anisotropic filtering, floating-point light.
    Full,
    /// For software rasterizers: one sample with post-process anti-aliasing, one shadow map, eight bits per channel,
    /// coarser levels of detail.
    Software,
}

impl Quality {
    /// The level for a kind of device.
    pub fn for_device(device: wgpu::DeviceType) -> Self {
        if device == wgpu::DeviceType::Cpu { Self::Software } else { Self::Full }
    }

    /// Whether the scene pass writes display-referred colours in place of light, see `SHOWN_TARGET` in the shaders.
    pub fn is_display_referred(self) -> bool {
        self == Self::Software
    }

    /// Format of the lit picture, before tone mapping.
    pub fn light_format(self) -> wgpu::TextureFormat {
        if self.is_display_referred() { wgpu::TextureFormat::Rgba8Unorm } else { wgpu::TextureFormat::Rgba16Float }
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

    /// Lamps that light a frame: each costs something at every pixel.
    pub fn lamps(self) -> usize {
        match self {
            Self::Full => 16,
            Self::Software => 4,
        }
    }

    /// Edge of a shadow map in texels.
    pub fn shadow_px(self) -> u32 {
        2048
    }

    /// Distance from the eye up to which shadows are drawn, metres.
    pub fn shadow_distance(self) -> f32 {
        match self {
            Self::Full => 160.0,
            Self::Software => 70.0,
        }
    }

    /// Anisotropic filtering.
    pub fn anisotropy(self) -> u16 {
        match self {
            Self::Full => 8,
            Self::Software => 1,
        }
    }

    /// Factor on the size below which coarser levels of detail are used.
    pub fn lod_bias(self) -> f32 {
        match self {
            Self::Full => 0.5,
            Self::Software => 1.5,
        }
    }

    /// Size of the details that shadows may omit, in shadow texels.
    pub fn shadow_lod_texels(self) -> f32 {
        match self {
            Self::Full => 2.5,
            Self::Software => 6.0,
        }
    }

    /// Size in the picture, in pixels, below which models cast no shadow.
    pub fn min_shadow_caster_px(self) -> f32 {
        match self {
            Self::Full => 0.0,
            Self::Software => 24.0,
        }
    }
}
