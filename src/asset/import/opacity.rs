//! What the alpha of a material means, from what its file says of it and from its picture.
//!
//! Files are not to be taken at their word: exporters declare whole scenes blended, leaves are blended although a cut-out is drawn
//! without sorting and casts a shadow of its own shape, and formats without a word for it leave the alpha to the picture.

use crate::asset::{AlphaMode, Image};

/// Alpha from which on a material covers all behind it, and below which a picture shows nothing.
const NEARLY_FULL: f32 = 0.99;
/// Opacity below which exporters of formats other than glTF mean the opposite: materials are not made to be invisible.
const NEARLY_NOTHING: f32 = 0.01;
/// The same bounds of texels, of 255.
const FULL_TEXEL: u8 = 240;
pub(super) const CLEAR_TEXEL: u8 = 15;
/// Of the visible texels of a cut-out, at most this share is half clear: edges.
const MAX_EDGE_SHARE: f32 = 0.25;
/// Texels of a cut-out with less alpha are not drawn.
const USUAL_CUTOFF: f32 = 0.5;
/// What glass lets through is drawn as this much less of alpha: it still reflects and tints.
const TRANSMITTED: f32 = 0.8;

/// What a file says of the alpha of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DeclaredAlpha {
    /// It means nothing.
    Opaque,
    /// Texels with less are not drawn.
    Mask(f32),
    /// How much is covered.
    Blend,
    /// The format has no word for it.
    Unsaid,
}

/// How much of a picture is clear, and how much half clear, 0…1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AlphaShares {
    clear: f32,
    half_clear: f32,
}

impl AlphaShares {
    fn of(image: &Image) -> Self {
        let (mut clear, mut full) = (0_u64, 0_u64);
        for texel in image.rgba.chunks_exact(4) {
            clear += u64::from(texel[3] <= CLEAR_TEXEL);
            full += u64::from(texel[3] >= FULL_TEXEL);
        }
        let count = (image.rgba.len() / 4).max(1) as f32;
        Self { clear: clear as f32 / count, half_clear: 1.0 - (clear + full) as f32 / count }
    }

    /// Nothing of it is clear, or nothing would be left.
    fn is_whole(self) -> bool {
        self.clear >= 1.0 || self.clear + self.half_clear <= 0.0
    }

    /// All that is half clear are edges.
    fn is_cutout(self) -> bool {
        self.clear > 0.0 && self.half_clear <= MAX_EDGE_SHARE * (1.0 - self.clear)
    }
}

/// The meaning of the alpha of a material whose colour has the alpha `own` and whose colour texture is `picture`.
pub fn alpha_mode(declared: DeclaredAlpha, own: f32, picture: Option<&Image>) -> AlphaMode {
    let shares = || picture.map(AlphaShares::of).filter(|shares| !shares.is_whole());
    match declared {
        DeclaredAlpha::Opaque => AlphaMode::Opaque,
        DeclaredAlpha::Mask(cutoff) if cutoff > 0.0 => AlphaMode::Cutout(cutoff.min(1.0)),
        DeclaredAlpha::Mask(_) => AlphaMode::Opaque,
        DeclaredAlpha::Blend if own < NEARLY_FULL => AlphaMode::Blended,
        DeclaredAlpha::Blend => match shares() {
            None => AlphaMode::Opaque,
            Some(shares) if shares.is_cutout() => AlphaMode::Cutout(USUAL_CUTOFF),
            Some(_) => AlphaMode::Blended,
        },
        DeclaredAlpha::Unsaid if (NEARLY_NOTHING..NEARLY_FULL).contains(&own) => AlphaMode::Blended,
        // Half clear pictures without a word about it hold gloss or height there.
        DeclaredAlpha::Unsaid if shares().is_some_and(AlphaShares::is_cutout) => AlphaMode::Cutout(USUAL_CUTOFF),
        DeclaredAlpha::Unsaid => AlphaMode::Opaque,
    }
}

/// The alpha of a material whose file names a mask and has the alpha `own` besides: beside masks, too, exporters mean the opposite
/// by none.
pub fn alpha_under_mask(own: f32) -> f32 {
    if own < NEARLY_NOTHING { 1.0 } else { own }
}

/// The alpha of glass that lets `transmission` of the light through, 0…1, and has the alpha `own` besides.
pub fn glass_alpha(own: f32, transmission: f32) -> f32 {
    own * (1.0 - TRANSMITTED * transmission.clamp(0.0, 1.0))
}

/// The picture `base`, white without one, with the brightness of `mask` as its alpha; that with its alpha where it has any.
pub fn masked(base: Option<&Image>, mask: &Image) -> Image {
    let size = |image: &Image| (image.width.max(1), image.height.max(1));
    let (width, height) = size(base.unwrap_or(mask));
    let of = size(mask);
    let has_alpha = mask.rgba.chunks_exact(4).any(|texel| texel[3] < u8::MAX);
    let mut rgba = match base {
        Some(base) => base.rgba.clone(),
        None => vec![u8::MAX; width as usize * height as usize * 4],
    };
    for (i, texel) in rgba.chunks_exact_mut(4).enumerate() {
        let i = i as u64;
        let x = i % u64::from(width) * u64::from(of.0) / u64::from(width);
        let y = i / u64::from(width) * u64::from(of.1) / u64::from(height);
        let from = (y * u64::from(of.0) + x) as usize * 4;
        let Some(&[red, .., alpha]) = mask.rgba.get(from..from + 4) else { continue };
        texel[3] = if has_alpha { alpha } else { red };
    }
    let name = base.map_or_else(|| mask.name.clone(), |base| format!("{} with {}", base.name, mask.name));
    Image { name, width, height, rgba }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(alphas: &[u8]) -> Image {
        let rgba = alphas.iter().flat_map(|&alpha| [9, 9, 9, alpha]).collect();
        Image { name: "a".into(), width: alphas.len() as u32, height: 1, rgba }
    }

    #[test]
    fn leaves_are_cut_out_and_panes_blended() {
        use DeclaredAlpha::{Blend, Mask, Opaque, Unsaid};
        let leaf = picture(&[0, 0, 0, 120, 255, 255, 255, 255]);
        let smoke = picture(&[0, 60, 120, 180]);
        let (whole, empty) = (picture(&[255, 250]), picture(&[0, 0]));
        assert_eq!(alpha_mode(Blend, 1.0, Some(&leaf)), AlphaMode::Cutout(0.5));
        assert_eq!(alpha_mode(Blend, 1.0, Some(&smoke)), AlphaMode::Blended);
        assert_eq!(alpha_mode(Blend, 0.4, None), AlphaMode::Blended);
        for opaque in [None, Some(&whole), Some(&empty)] {
            assert_eq!(alpha_mode(Blend, 1.0, opaque), AlphaMode::Opaque, "{opaque:?}");
        }
        assert_eq!(alpha_mode(Opaque, 0.4, Some(&leaf)), AlphaMode::Opaque);
        assert_eq!(alpha_mode(Mask(0.25), 0.4, Some(&smoke)), AlphaMode::Cutout(0.25));
        assert_eq!(alpha_mode(Unsaid, 1.0, Some(&leaf)), AlphaMode::Cutout(0.5));
        assert_eq!(alpha_mode(Unsaid, 1.0, Some(&smoke)), AlphaMode::Opaque);
        assert_eq!(alpha_mode(Unsaid, 0.4, None), AlphaMode::Blended);
        assert_eq!(alpha_mode(Unsaid, 0.0, None), AlphaMode::Opaque, "exporters that mean the opposite");
    }

    #[test]
    fn materials_with_a_mask_are_never_clear_throughout() {
        assert_eq!([0.0, 0.4, 1.0].map(alpha_under_mask), [1.0, 0.4, 1.0]);
    }

    #[test]
    fn masks_of_any_size_become_alpha() {
        let base = Image { name: "base".into(), width: 4, height: 2, rgba: vec![7; 32] };
        let mask = Image { name: "mask".into(), width: 2, height: 1, rgba: vec![0, 0, 0, 255, 200, 200, 200, 255] };
        let out = masked(Some(&base), &mask);
        let alphas: Vec<u8> = out.rgba.chunks_exact(4).map(|texel| texel[3]).collect();
        assert_eq!(alphas, [0, 0, 200, 200, 0, 0, 200, 200]);
        assert!(out.rgba.chunks_exact(4).all(|texel| texel[..3] == [7; 3]));
        let alone = masked(None, &picture(&[3, 99]));
        assert_eq!(alone.rgba, [255, 255, 255, 3, 255, 255, 255, 99]);
    }
}
