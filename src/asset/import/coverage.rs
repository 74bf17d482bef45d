//! Alpha that is no coverage. Games keep gloss or light in the alpha of a colour texture, and formats without a word for alpha
//! (OBJ, FBX, MD3) leave open what it means. Of a cut-out the clear texels are a background, and no triangle lies in it whole.

use super::opacity::CLEAR_TEXEL;
use crate::asset::{AlphaMode, Image, Mesh, Model, Vertex};
use glam::Vec2;
use std::collections::BTreeSet;

/// Share of the most usual colour among the clear texels from which on they are a background.
const MIN_BACKGROUND_SHARE: f32 = 0.2;
/// Spread of the brightness of clear texels up to which they are a background with noise, of 255.
const MAX_BACKGROUND_SPREAD: f32 = 10.0;
/// Most texels of a picture that are looked at.
const MAX_TEXELS: usize = 1 << 16;
/// Share of a surface in triangles of which nothing would be seen, up to which alpha may be coverage.
const MAX_VANISHING_SHARE: f32 = 0.1;
/// Points along an edge of a triangle at which its texture is looked up, less one.
const EDGE_STEPS: usize = 4;

/// Makes those materials opaque whose alpha was taken for a cut-out and is none. Of one picture all are alike.
pub(super) fn revise_cutouts(model: &mut Model, guessed: &BTreeSet<u32>) {
    let painted: Vec<(u32, u32, f32)> = guessed
        .iter()
        .filter_map(|&material| {
            let AlphaMode::Cutout(cutoff) = model.materials.get(material as usize)?.alpha else { return None };
            let image = model.materials[material as usize].base_color_image?;
            is_painted_under_alpha(model.images.get(image as usize)?).then_some((material, image, cutoff))
        })
        .collect();
    let vanishes = |&&(material, image, cutoff): &&(u32, u32, f32)| {
        let meshes = model.meshes.iter().filter(|mesh| mesh.material == material);
        vanishing_share(meshes, &model.images[image as usize], cutoff) > MAX_VANISHING_SHARE
    };
    let opaque: BTreeSet<u32> = painted.iter().filter(vanishes).map(|&(_, image, _)| image).collect();
    for (material, image, _) in painted {
        if opaque.contains(&image) {
            model.materials[material as usize].alpha = AlphaMode::Opaque;
        }
    }
}

/// Whether the clear texels of a picture hold one as well.
fn is_painted_under_alpha(image: &Image) -> bool {
    let clear = |texel: &&[u8]| texel[3] <= CLEAR_TEXEL;
    let step = (image.rgba.len() / 4 / MAX_TEXELS).max(1);
    let mut colors: Vec<[u8; 3]> =
        image.rgba.chunks_exact(4).step_by(step).filter(clear).map(|texel| [texel[0], texel[1], texel[2]]).collect();
    if colors.is_empty() {
        return false;
    }
    colors.sort_unstable();
    let most_usual = colors.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0);
    let count = colors.len() as f32;
    most_usual as f32 / count < MIN_BACKGROUND_SHARE && spread(&colors) > MAX_BACKGROUND_SPREAD
}

/// Standard deviation of the brightness of colours.
fn spread(colors: &[[u8; 3]]) -> f32 {
    let brightness = |color: &[u8; 3]| color.iter().map(|&part| f32::from(part)).sum::<f32>() / 3.0;
    let count = colors.len().max(1) as f32;
    let mean = colors.iter().map(brightness).sum::<f32>() / count;
    (colors.iter().map(|color| (brightness(color) - mean).powi(2)).sum::<f32>() / count).sqrt()
}

/// The share of a surface in triangles whose texture is below the cut-off all over.
fn vanishing_share<'a>(meshes: impl Iterator<Item = &'a Mesh>, image: &Image, cutoff: f32) -> f32 {
    let (mut all, mut vanishing) = (0.0_f32, 0.0_f32);
    for mesh in meshes {
        for corners in mesh.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| mesh.vertices[corners[i] as usize]);
            let area = (b.position - a.position).cross(c.position - a.position).length() * 0.5;
            all += area;
            if !is_seen([a, b, c], image, cutoff) {
                vanishing += area;
            }
        }
    }
    if all > 0.0 { vanishing / all } else { 0.0 }
}

/// Whether any of the points of a triangle that are looked at is drawn.
fn is_seen(corners: [Vertex; 3], image: &Image, cutoff: f32) -> bool {
    let [a, b, c] = corners.map(|corner| corner.uv);
    let weight = |steps: usize| steps as f32 / EDGE_STEPS as f32;
    (0..=EDGE_STEPS).any(|i| {
        (0..=EDGE_STEPS - i).any(|j| {
            let uv = a + (b - a) * weight(i) + (c - a) * weight(j);
            alpha_at(image, uv) >= cutoff
        })
    })
}

/// The alpha of the texel at a texture coordinate, which repeats, 0 to 1.
fn alpha_at(image: &Image, uv: Vec2) -> f32 {
    // What is no number becomes 0.
    let texel =
        |part: f32, count: u32| ((part.rem_euclid(1.0) * count as f32) as u32).min(count.saturating_sub(1)) as usize;
    let index = texel(uv.y, image.height) * image.width as usize + texel(uv.x, image.width);
    image.rgba.get(index * 4 + 3).map_or(1.0, |&alpha| f32::from(alpha) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Material;
    use glam::Vec3;
    use std::sync::Arc;

    /// A picture that is full on its right half and clear on its left, where it is of one colour or of many.
    fn half_clear(is_painted: bool) -> Image {
        let texel = |i: u32| match (i % 16 >= 8, is_painted) {
            (true, _) => [90, 60, 30, 255],
            (false, true) => [(i % 16 * 30) as u8, (i / 16 * 16) as u8, 90, 0],
            (false, false) => [7, 7, 7, 0],
        };
        Image { name: "a".into(), width: 16, height: 16, rgba: (0..256).flat_map(texel).collect() }
    }

    /// A square whose texture goes from `left` to `right`, with a material that was taken for a cut-out.
    fn model(image: Image, left: f32, right: f32) -> Model {
        let corner = |x: f32, y: f32| Vertex {
            position: Vec3::new(x, y, 0.0),
            uv: Vec2::new(left + (right - left) * x, y),
            ..Vertex::default()
        };
        let vertices = vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
        let material = Material { base_color_image: Some(0), alpha: AlphaMode::Cutout(0.5), ..Material::default() };
        Model {
            images: vec![Arc::new(image)],
            materials: vec![material],
            meshes: vec![Mesh { vertices, indices: vec![0, 1, 2, 0, 2, 3], ..Mesh::default() }],
            ..Model::default()
        }
    }

    fn revised(mut model: Model, guessed: &[u32]) -> AlphaMode {
        revise_cutouts(&mut model, &guessed.iter().copied().collect());
        model.materials[0].alpha
    }

    #[test]
    fn surfaces_that_would_vanish_are_opaque() {
        assert_eq!(revised(model(half_clear(true), 0.0, 0.4), &[0]), AlphaMode::Opaque);
        assert_eq!(revised(model(half_clear(true), 2.0, 2.4), &[0]), AlphaMode::Opaque, "textures repeat");
        assert_eq!(revised(model(half_clear(true), 0.0, 0.4), &[]), AlphaMode::Cutout(0.5), "the file says so");
    }

    #[test]
    fn leaves_and_overlays_stay_cut_out() {
        // Leaves are seen in part, also before a photograph; what is clear beside a label is of one colour.
        assert_eq!(revised(model(half_clear(true), 0.0, 1.0), &[0]), AlphaMode::Cutout(0.5));
        assert_eq!(revised(model(half_clear(false), 0.0, 0.4), &[0]), AlphaMode::Cutout(0.5));
    }

    #[test]
    fn coordinates_that_are_no_numbers_are_looked_up() {
        let image = half_clear(false);
        for uv in [Vec2::NAN, Vec2::INFINITY, Vec2::splat(-1e30), Vec2::splat(f32::MIN_POSITIVE)] {
            assert!((0.0..=1.0).contains(&alpha_at(&image, uv)), "{uv}");
        }
        assert_eq!(alpha_at(&Image::default(), Vec2::ZERO), 1.0);
    }
}
