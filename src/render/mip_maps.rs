//! Mip maps of the textures of models. In a window they are made on a thread beside it: a frame that waited for those of a few large
//! textures would be seen.

use crate::asset::{AssetId, Image, Material, Model};
use crate::gpu::texture::{MipChain, TexelEncoding, TexelSource};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Texels of all textures of a model from which on their mip maps are made on a thread: fewer take less than a frame.
const MANY_TEXELS: u64 = 512 * 512;

/// Which of a material's images are colours.
fn colors_of(material: &Material) -> [Option<u32>; 2] {
    [material.base_color_image, material.emissive_image]
}

/// Which of a material's images are values.
fn values_of(material: &Material) -> [Option<u32>; 2] {
    [material.normal_image, material.surface_image]
}

/// An image of a model as the source of a texture.
pub fn texel_source(image: &Image, texels: TexelEncoding) -> TexelSource<'_> {
    TexelSource { label: &image.name, size: [image.width, image.height], rgba: &image.rgba, texels }
}

/// The mip maps of a model, in the order of its images: none where no material uses one so.
#[derive(Debug, Default)]
pub struct ModelMipMaps {
    /// Of images used as colours.
    pub colors: Vec<Option<MipChain>>,
    /// Of images used as values.
    pub values: Vec<Option<MipChain>>,
}

impl ModelMipMaps {
    /// Makes them, for a device whose textures have sides of at most so many texels.
    pub fn of(model: &Model, limit: u32) -> Self {
        let chains = |uses: fn(&Material) -> [Option<u32>; 2], texels| {
            let is_used = |i: usize| model.materials.iter().flat_map(uses).any(|used| used == Some(i as u32));
            let images = model.images.par_iter().enumerate();
            images.map(|(i, image)| is_used(i).then(|| MipChain::of(&texel_source(image, texels), limit))).collect()
        };
        Self { colors: chains(colors_of, TexelEncoding::Srgb), values: chains(values_of, TexelEncoding::Linear) }
    }
}

/// Makes mip maps on a thread.
#[derive(Debug)]
struct MipJob {
    source: Arc<Model>,
    /// Number of the upload that asked for them last.
    asked: u32,
    /// The mutex makes it `Sync`; it is never contended.
    result: Mutex<Receiver<ModelMipMaps>>,
}

/// What is called from a thread once something is ready there.
type Wake = Arc<dyn Fn() + Send + Sync>;

/// The mip maps that are being made.
#[derive(Default)]
pub struct MipJobs {
    /// Called by a thread that has finished; `None`: mip maps are made on the calling thread.
    wake: Option<Wake>,
    jobs: HashMap<AssetId, MipJob>,
}

impl std::fmt::Debug for MipJobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MipJobs").field("jobs", &self.jobs).finish_non_exhaustive()
    }
}

impl MipJobs {
    /// Makes them on threads from now on, which call `wake` when they are done.
    pub fn use_threads(&mut self, wake: impl Fn() + Send + Sync + 'static) {
        self.wake = Some(Arc::new(wake));
    }

    /// Those of a model, once they are there; begins to make them. `upload` is the number of the upload that asks.
    pub fn take(&mut self, asset: AssetId, model: &Arc<Model>, limit: u32, upload: u32) -> Option<ModelMipMaps> {
        let texels: u64 = model.images.iter().map(|image| u64::from(image.width) * u64::from(image.height)).sum();
        let Some(wake) = self.wake.clone().filter(|_| texels >= MANY_TEXELS) else {
            return Some(ModelMipMaps::of(model, limit));
        };
        if let Some(job) = self.jobs.get_mut(&asset).filter(|job| Arc::ptr_eq(&job.source, model)) {
            job.asked = upload;
            let made = match job.result.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv() {
                Ok(made) => made,
                Err(TryRecvError::Empty) => return None,
                // The thread ended without a result; what it printed says why.
                Err(TryRecvError::Disconnected) => ModelMipMaps::of(model, limit),
            };
            self.jobs.remove(&asset);
            return Some(made);
        }
        let (send, result) = channel();
        let source = Arc::clone(model);
        // A receiver that is gone wants none any more.
        let work = move || {
            let _ = send.send(ModelMipMaps::of(&source, limit));
            wake();
        };
        if std::thread::Builder::new().name("mip maps".into()).spawn(work).is_err() {
            return Some(ModelMipMaps::of(model, limit));
        }
        self.jobs.insert(asset, MipJob { source: Arc::clone(model), asked: upload, result: Mutex::new(result) });
        None
    }

    /// Forgets those that the upload of this number did not ask for: what they are of is not shown any more.
    pub fn keep_asked(&mut self, upload: u32) {
        self.jobs.retain(|_, job| job.asked == upload);
    }

    /// Whether some are being made.
    pub fn are_open(&self) -> bool {
        !self.jobs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(side: u32) -> Arc<Model> {
        let rgba = vec![200; (side * side * 4) as usize];
        let image = Image { name: "bricks".into(), width: side, height: side, rgba };
        let material = Material { base_color_image: Some(0), ..Material::default() };
        Arc::new(Model { images: vec![Arc::new(image)], materials: vec![material], ..Model::default() })
    }

    #[test]
    fn images_have_the_mip_maps_of_their_use() {
        let made = ModelMipMaps::of(&model(4), 8192);
        assert!(made.colors[0].is_some() && made.values[0].is_none(), "{made:?}");
    }

    #[test]
    fn large_textures_are_made_beside_the_frame_and_arrive_once() {
        let (small, large) = (model(8), model(512));
        let mut jobs = MipJobs::default();
        assert!(jobs.take(AssetId(1), &large, 8192, 0).is_some() && !jobs.are_open(), "without a window it waits");
        jobs.use_threads(|| ());
        assert!(jobs.take(AssetId(0), &small, 8192, 1).is_some());
        assert!(jobs.take(AssetId(1), &large, 8192, 1).is_none() && jobs.are_open());
        jobs.keep_asked(1);
        let begin = std::time::Instant::now();
        let made = loop {
            assert!(begin.elapsed() < std::time::Duration::from_secs(60), "they did not arrive");
            if let Some(made) = jobs.take(AssetId(1), &large, 8192, 2) {
                break made;
            }
            std::thread::yield_now();
        };
        assert!(made.colors[0].is_some() && !jobs.are_open());
        assert!(jobs.take(AssetId(1), &large, 8192, 3).is_none());
        jobs.keep_asked(4);
        assert!(!jobs.are_open(), "results of textures that were released are dropped");
    }
}
