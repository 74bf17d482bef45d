//! What the interface has put onto the graphics device, kept so that it can be put onto another one.

use egui::epaint::ImageDelta;
use egui::{ColorImage, ImageData, TextureId, TextureOptions};
use std::collections::HashMap;
use std::sync::Arc;

/// The textures of the interface as they are on the device.
#[derive(Default)]
pub struct Textures {
    by_id: HashMap<TextureId, (ColorImage, TextureOptions)>,
}

impl Textures {
    /// Notes a change that is being made on the device: a whole texture, or a part of one.
    pub fn note(&mut self, id: TextureId, delta: &ImageDelta) {
        let ImageData::Color(part) = &delta.image;
        let Some([left, top]) = delta.pos else {
            self.by_id.insert(id, ((**part).clone(), delta.options));
            return;
        };
        let Some((whole, _)) = self.by_id.get_mut(&id) else { return };
        let ([width, height], stride) = (part.size, whole.size[0]);
        if left + width > stride || top + height > whole.size[1] {
            return;
        }
        for (row, line) in part.pixels.chunks_exact(width.max(1)).enumerate() {
            let at = (top + row) * stride + left;
            whole.pixels[at..at + width].copy_from_slice(line);
        }
    }

    /// A texture is no longer used.
    pub fn forget(&mut self, id: TextureId) {
        self.by_id.remove(&id);
    }

    /// All of them, as changes that make them anew.
    pub fn all(&self) -> impl Iterator<Item = (TextureId, ImageDelta)> + '_ {
        self.by_id.iter().map(|(id, (image, options))| (*id, ImageDelta::full(Arc::new(image.clone()), *options)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::Color32;

    #[test]
    fn parts_are_put_into_their_texture() {
        let image = |size, color| ColorImage::filled(size, color);
        let mut textures = Textures::default();
        let id = TextureId::Managed(3);
        let options = TextureOptions::NEAREST;
        textures.note(id, &ImageDelta::full(image([4, 3], Color32::BLACK), options));
        textures.note(id, &ImageDelta::partial([1, 2], image([2, 1], Color32::WHITE), options));
        // Beyond the edge, and of a texture that is not there.
        textures.note(id, &ImageDelta::partial([3, 2], image([2, 1], Color32::RED), options));
        textures.note(TextureId::Managed(9), &ImageDelta::partial([0, 0], image([1, 1], Color32::RED), options));
        let all: Vec<_> = textures.all().collect();
        assert_eq!(all.len(), 1);
        let ImageData::Color(kept) = &all[0].1.image;
        let white: Vec<usize> = (0..12).filter(|i| kept.pixels[*i] == Color32::WHITE).collect();
        assert_eq!((white, kept.pixels.contains(&Color32::RED)), (vec![9, 10], false));
        assert_eq!((all[0].1.pos, all[0].1.options), (None, options));
        textures.forget(id);
        assert_eq!(textures.all().count(), 0);
    }
}
