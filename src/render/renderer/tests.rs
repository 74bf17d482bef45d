//! What a device accepts of the renderer, and what the renderer keeps on it.

use super::*;
use crate::asset::{AlphaMode, Mesh, SkyPicture};
use crate::debug::Depth;
use crate::gpu::choice::{GpuBounds, GpuChoice, least_limits};
use crate::render::frame::{InstanceDraw, ModelDraws, static_instance};
use crate::render::pass::lines::OverlayLines;
use crate::render::pipeline::ModelVariant;
use glam::{Mat4, Vec3};

/// The device with exactly these limits.
fn bounded(limits: wgpu::Limits, without_timestamps: bool) -> GpuContext {
    let bounds = GpuBounds { limits: Some(limits), without_timestamps };
    GpuContext::headless_with(&GpuChoice::of_program(), &bounds).unwrap()
}

#[test]
fn every_pipeline_is_accepted_by_the_device() {
    accepts_every_pipeline(&GpuContext::headless().unwrap());
}

#[test]
fn every_pipeline_is_accepted_with_the_usual_limits() {
    accepts_every_pipeline(&bounded(wgpu::Limits::default(), false));
}

#[test]
fn every_pipeline_is_accepted_with_the_least_limits() {
    let gpu = bounded(least_limits(), true);
    assert!(!gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY));
    accepts_every_pipeline(&gpu);
}

fn accepts_every_pipeline(gpu: &GpuContext) {
    for quality in Quality::ALL {
        let renderer = Renderer::with_quality(gpu, Renderer::IMAGE_FORMAT, quality).unwrap();
        for variant in ModelVariant::all() {
            let scene = || renderer.scene.model_pipelines(variant);
            assert!(scene().iter().zip(scene()).all(|(one, other)| std::ptr::eq(*one, other)), "created once");
            let plain = ModelVariant { mapped: false, ..variant };
            for pipelines in [renderer.shadows.pipelines(), renderer.pick.pipelines()] {
                assert!(std::ptr::eq(pipelines.get(variant), pipelines.get(plain)), "they read no such textures");
            }
        }
        renderer.outline.pipeline();
        renderer.scene.sky().picture_pipeline();
        let shaders = ShaderModules::load(&gpu.device, &renderer.library).unwrap();
        let lines = OverlayLines::new(&renderer.context, &shaders);
        let created = [Depth::Tested, Depth::Dimmed, Depth::OnTop].map(|d| lines.pipelines().get(d).len());
        assert_eq!(created, [1, 2, 1]);
    }
    assert_eq!(gpu.take_errors(), Vec::<String>::new());
}

#[test]
fn models_that_frames_no_longer_show_are_released() {
    let gpu = GpuContext::headless().unwrap();
    let mut renderer = Renderer::with_quality(&gpu, Renderer::IMAGE_FORMAT, Quality::Low).unwrap();
    let (assets, shown) = shader_warmup::character_frame();
    let empty = shader_warmup::empty_frame();
    let mut count_after = |passed: u32, frame: &FrameData| {
        renderer.uploads = renderer.uploads.wrapping_add(passed);
        renderer.upload(&gpu.device, &gpu.queue, &assets, frame).unwrap();
        renderer.models.by_asset.len()
    };
    assert_eq!([count_after(0, &shown), count_after(0, &empty), count_after(KEPT_UPLOADS, &shown)], [1, 1, 1]);
    assert_eq!([count_after(KEPT_UPLOADS - 1, &empty), count_after(0, &empty)], [1, 0]);
}

#[test]
fn a_thumbnail_leaves_the_sky_picture_on_the_device() {
    let gpu = GpuContext::headless().unwrap();
    let mut renderer = Renderer::with_quality(&gpu, Renderer::IMAGE_FORMAT, Quality::Low).unwrap();
    let image = Image { name: "sky".into(), width: 2, height: 1, rgba: vec![200; 8] };
    let mut assets = AssetStore::default();
    assets.insert_sky("sky.png", SkyPicture { image, above: Vec3::ONE, below: Vec3::ONE });
    let mut frame = shader_warmup::empty_frame();
    (frame.environment.sky_enabled, frame.environment.sky_picture) = (true, "sky.png".into());
    renderer.upload(&gpu.device, &gpu.queue, &assets, &frame).unwrap();
    let (others, other) = shader_warmup::character_frame();
    let target = readback::target(&gpu.device, "thumbnail", other.size_px, Renderer::IMAGE_FORMAT);
    let (mut encoder, view) =
        (gpu.device.create_command_encoder(&Default::default()), target.create_view(&Default::default()));
    renderer.draw_isolated(&gpu, &others, &other, &mut encoder, &view).unwrap();
    gpu.queue.submit([encoder.finish()]);
    let mut kept = None;
    renderer.scene.swap_sky_picture(&mut kept);
    assert!(kept.is_some(), "it would be uploaded anew after each thumbnail");
}

#[test]
fn light_beyond_the_numbers_of_the_target_is_white() {
    let gpu = GpuContext::headless().unwrap();
    let (mut lamp, mut assets) = (cube::model(), AssetStore::default());
    lamp.materials[0].emissive = [1e30; 3];
    let asset = assets.insert("lamp", lamp);
    let level = LevelDraw { asset, world_from_model: Mat4::from_translation(Vec3::new(-0.5, 0.5, -3.0)) };
    let frame = FrameData { levels: vec![level], ..shader_warmup::empty_frame() };
    for quality in [Quality::Low, Quality::Medium] {
        let mut renderer = Renderer::with_quality(&gpu, Renderer::IMAGE_FORMAT, quality).unwrap();
        let Image { width, height, rgba, .. } = renderer.render_to_image(&gpu, &assets, &frame).unwrap();
        let middle = ((height / 2 * width + width / 2) * 4) as usize;
        assert_eq!(rgba[middle..middle + 3], [255; 3], "{quality:?}");
    }
}

#[test]
fn the_exposure_of_an_image_is_its_own() {
    let (gpu, assets) = (GpuContext::headless().unwrap(), AssetStore::default());
    let (bright, mut dark) = (shader_warmup::empty_frame(), shader_warmup::empty_frame());
    dark.environment.light_intensity = 0.0;
    let renderer = || Renderer::with_quality(&gpu, Renderer::IMAGE_FORMAT, Quality::Medium).unwrap();
    let alone = renderer().render_to_image(&gpu, &assets, &dark).unwrap();
    let mut both = renderer();
    both.render_to_image(&gpu, &assets, &bright).unwrap();
    let after = both.render_to_image(&gpu, &assets, &dark).unwrap();
    assert!(alone.rgba == after.rgba, "exported frames would depend on how fast they are drawn");
}

#[test]
fn meshes_that_variants_do_not_change_are_drawn_at_once() {
    let gpu = GpuContext::headless().unwrap();
    let (mut model, mut assets) = (cube::model(), AssetStore::default());
    model.material_variants = ["red", "green"].map(String::from).to_vec();
    model.materials = vec![model.materials[0].clone(); 3];
    model.materials[2].alpha = AlphaMode::Cutout(0.5);
    let changed = Mesh { variant_materials: vec![1, 2], ..model.meshes[0].clone() };
    model.meshes.push(changed);
    let asset = assets.insert("cube", model);
    let instance = |i: u32| {
        let world_from_model = Mat4::from_translation(Vec3::new(i as f32 - 3.0, 0.0, -6.0));
        InstanceDraw { material_variant: i % 3, ..static_instance(world_from_model) }
    };
    let models = vec![ModelDraws { asset, instances: (0..6).map(instance).collect() }];
    let mut frame = FrameData { models, size_px: [320, 200], ..shader_warmup::empty_frame() };
    let mut renderer = Renderer::with_quality(&gpu, Renderer::IMAGE_FORMAT, Quality::Low).unwrap();
    let mut drawn = |frame: &FrameData| {
        renderer.render_to_image(&gpu, &assets, frame).unwrap();
        let maps = renderer.lists.shadows.iter().filter(|draws| !draws.is_empty());
        (renderer.counts().passes.draws as usize, maps.count())
    };
    let (draws, maps) = drawn(&frame);
    // In a shadow map two of the materials look alike.
    assert_eq!(draws, 4 + 3 * maps);
    assert!(maps > 0);
    frame.environment.light_intensity = 0.0;
    assert_eq!(drawn(&frame), (4, 0));
}
