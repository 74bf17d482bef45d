//! Colours as screens show them and as light.

/// sRGB decoding of a value in 0…1 (IEC 61966-2-1).
pub fn linear_from_srgb(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// sRGB encoding of a value in 0…1 (IEC 61966-2-1).
pub fn srgb_from_linear(value: f32) -> f32 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_round_trip() {
        for i in 0..=255 {
            let v = i as f32 / 255.0;
            assert!((srgb_from_linear(linear_from_srgb(v)) - v).abs() < 1e-5);
        }
    }
}
