//! Ambient occlusion from the depth of the scene, at half the resolution.

use super::occlusion_blur::{self, FORMAT};
use crate::gpu::timer::PassTimer;
use crate::render::frame_resources::FrameResources;
use crate::render::pipeline::{PipelineContext, PipelineSpec};
use crate::render::shaders::ShaderModules;
use crate::render::targets::{
    BLACK, SceneTargets, color_pass, half_size, linear_sampler, render_texture, sampled_group,
};

/// Pipelines of ambient occlusion.
#[derive(Debug)]
pub struct OcclusionPass {
    find: wgpu::RenderPipeline,
    blur: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
}

/// Its targets of one size.
#[derive(Debug)]
pub struct OcclusionTargets {
    /// The finished occlusion, for sampling.
    pub smooth: wgpu::TextureView,
    rough: wgpu::TextureView,
    depth_group: wgpu::BindGroup,
    blur_group: wgpu::BindGroup,
}

impl OcclusionPass {
    /// Creates the pipelines.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let PipelineContext { device, layouts, quality, .. } = context;
        let find = PipelineSpec {
            constants: &[("SAMPLES", f64::from(quality.occlusion_samples()))],
            target: Some(FORMAT),
            ..PipelineSpec::full_screen("ambient occlusion", &shaders.occlusion)
        };
        Self {
            find: find.create(device, &[&layouts.frame_unlit, &layouts.depth_samples]),
            blur: occlusion_blur::pipeline(context, shaders),
            sampler: linear_sampler(device, "occlusion"),
        }
    }

    /// Targets for a scene.
    pub fn create_targets(&self, context: &PipelineContext, scene: &SceneTargets) -> OcclusionTargets {
        let PipelineContext { device, layouts, .. } = context;
        let make = |label| render_texture(device, label, half_size(scene.size_px), FORMAT, 1);
        let (rough, smooth) = (make("rough occlusion"), make("occlusion"));
        let depth_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("depth of the scene"),
            layout: &layouts.depth_samples,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&scene.depth) }],
        });
        let blur_group = sampled_group(device, &layouts.tonemap, &rough, &self.sampler);
        OcclusionTargets { smooth, rough, depth_group, blur_group }
    }

    /// Records it, after the scene.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        targets: &OcclusionTargets,
        frame: FrameResources<'_>,
        timer: &mut PassTimer,
    ) {
        let Some(group) = frame.bindings.unlit() else { return };
        let mut pass =
            color_pass(encoder, "ambient occlusion", (&targets.rough, BLACK), timer.render("ambient occlusion"));
        pass.set_pipeline(&self.find);
        pass.set_bind_group(0, group, &[]);
        pass.set_bind_group(1, &targets.depth_group, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        let mut pass =
            color_pass(encoder, "occlusion blur", (&targets.smooth, BLACK), timer.render("ambient occlusion"));
        pass.set_pipeline(&self.blur);
        pass.set_bind_group(0, &targets.blur_group, &[]);
        pass.draw(0..3, 0..1);
    }
}
