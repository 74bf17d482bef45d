//! Tone mapping: draws the lit picture into the target. Before it, pictures of higher quality are graded: they get ambient
//! occlusion, bloom and an exposure that adapts.

use super::bloom::{BloomPass, BloomTargets};
use super::occlusion::{OcclusionPass, OcclusionTargets};
use crate::gpu::timer::PassTimer;
use crate::render::RenderError;
use crate::render::frame_resources::FrameResources;
use crate::render::pipeline::{PipelineContext, PipelineSpec, flag};
use crate::render::shaders::ShaderModules;
use crate::render::targets::{SceneTargets, color_pass, linear_sampler, sampled_group};

/// Pipeline and sampler of tone mapping.
#[derive(Debug)]
pub struct TonemapPass {
    pipeline: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
    grading: Option<GradingPasses>,
}

#[derive(Debug)]
struct GradingPasses {
    occlusion: OcclusionPass,
    bloom: BloomPass,
}

/// The targets of a picture, with the bind group that reads the lit one.
#[derive(Debug)]
pub struct PictureTargets {
    /// What the scene is drawn into.
    pub targets: SceneTargets,
    grading: Option<GradingTargets>,
    group: wgpu::BindGroup,
}

#[derive(Debug)]
struct GradingTargets {
    occlusion: OcclusionTargets,
    bloom: BloomTargets,
}

impl PictureTargets {
    /// As [`BloomTargets::forget_exposure`].
    pub fn forget_exposure(&mut self) {
        if let Some(grading) = &mut self.grading {
            grading.bloom.forget_exposure();
        }
    }
}

impl GradingPasses {
    fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self { occlusion: OcclusionPass::new(context, shaders), bloom: BloomPass::new(context, shaders) }
    }
}

/// The bind group of a graded picture.
fn graded_group(
    context: &PipelineContext,
    scene: &SceneTargets,
    grading: &GradingTargets,
    sampler: &wgpu::Sampler,
) -> wgpu::BindGroup {
    let view = |binding, view| wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(view) };
    context.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("graded picture"),
        layout: &context.layouts.graded,
        entries: &[
            view(0, &scene.light),
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(sampler) },
            view(2, &grading.occlusion.smooth),
            view(3, grading.bloom.bloom()),
            view(4, grading.bloom.exposure()),
        ],
    })
}

fn pipeline(context: &PipelineContext, shaders: &ShaderModules) -> wgpu::RenderPipeline {
    let PipelineContext { device, layouts, quality, target_format, .. } = context;
    let constants = [
        ("ENCODE_SRGB", flag(!target_format.is_srgb())),
        ("SMOOTH_EDGES", flag(quality.samples() == 1)),
        ("SHOWN_TARGET", flag(quality.is_display_referred())),
    ];
    let spec = PipelineSpec {
        fragment: Some(if quality.is_graded() { "fs_graded" } else { "fs_main" }),
        constants: &constants,
        target: Some(*target_format),
        ..PipelineSpec::full_screen("tone mapping", &shaders.tonemap)
    };
    spec.create(device, &[if quality.is_graded() { &layouts.graded } else { &layouts.tonemap }])
}

impl TonemapPass {
    /// Creates the pipeline.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let sampler = linear_sampler(&context.device, "light");
        let grading = context.quality.is_graded().then(|| GradingPasses::new(context, shaders));
        Self { pipeline: pipeline(context, shaders), sampler, grading }
    }

    /// Replaces the pipeline.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.pipeline = pipeline(context, shaders);
        if self.grading.is_some() {
            self.grading = Some(GradingPasses::new(context, shaders));
        }
    }

    /// Targets for a picture of this size.
    ///
    /// # Errors
    /// When the size is zero or more than the device allows.
    pub fn create_targets(&self, context: &PipelineContext, size_px: [u32; 2]) -> Result<PictureTargets, RenderError> {
        let PipelineContext { device, layouts, quality, .. } = context;
        let targets = SceneTargets::new(device, size_px, *quality)?;
        let grading = self.grading.as_ref().map(|passes| GradingTargets {
            occlusion: passes.occlusion.create_targets(context, &targets),
            bloom: passes.bloom.create_targets(context, &targets),
        });
        let group = match &grading {
            Some(grading) => graded_group(context, &targets, grading, &self.sampler),
            None => sampled_group(device, &layouts.tonemap, &targets.light, &self.sampler),
        };
        Ok(PictureTargets { targets, grading, group })
    }

    /// Records ambient occlusion, bloom and exposure of a picture, after its scene; nothing where the quality has none.
    pub fn record_grading(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        picture: &mut PictureTargets,
        frame: FrameResources<'_>,
        timer: &mut PassTimer,
    ) {
        if let (Some(passes), Some(targets)) = (&self.grading, &mut picture.grading) {
            passes.occlusion.record(encoder, &targets.occlusion, frame, timer);
            passes.bloom.record(encoder, &mut targets.bloom, timer);
        }
    }

    /// Begins the render pass and records the picture; only the viewport (x, y, width, height in pixels) of the target
    /// is written. Overlays of the picture can be drawn in the same pass.
    pub fn record<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        picture: &PictureTargets,
        target: &wgpu::TextureView,
        viewport_px: [u32; 4],
        timestamps: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) -> wgpu::RenderPass<'e> {
        let mut pass = color_pass(encoder, "tone mapping", (target, wgpu::LoadOp::Load), timestamps);
        let [x, y, width, height] = viewport_px.map(|v| v as f32);
        pass.set_viewport(x, y, width, height, 0.0, 1.0);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &picture.group, &[]);
        pass.draw(0..3, 0..1);
        pass
    }
}
