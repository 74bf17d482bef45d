//! Draws the shadow maps of all cascades.

use super::model::{self, MeshSet};
use crate::gpu::timer::PassTimer;
use crate::render::frame_resources::FrameResources;
use crate::render::pipeline::{AlphaDrawing, DepthWrite, PipelineContext, PipelineSpec, VariantPipelines, depth_state};
use crate::render::shaders::ShaderModules;
use crate::render::targets::{ShadowMaps, depth_attachment};
use wgpu::CompareFunction;

/// Shadow maps, their sampler and the pipelines that draw them.
#[derive(Debug)]
pub struct ShadowPass {
    /// The maps.
    pub maps: ShadowMaps,
    /// Comparison sampler of the maps.
    pub sampler: wgpu::Sampler,
    pipelines: VariantPipelines,
}

fn pipelines(context: &PipelineContext, shaders: &ShaderModules) -> VariantPipelines {
    VariantPipelines::new(context, &shaders.shadow, |context, module, variant| {
        let mut depth = depth_state(CompareFunction::Less, DepthWrite::On);
        if let Some(depth) = &mut depth {
            depth.bias = bias(context.clamps_bias);
        }
        let spec = PipelineSpec {
            fragment: (variant.alpha != AlphaDrawing::Opaque).then_some("fs_cutout"),
            depth,
            // Characters are closed meshes; levels may be open and still cast shadows from behind.
            cull_mode: (variant.skinned && !variant.double_sided).then_some(wgpu::Face::Back),
            ..PipelineSpec::model("shadow", module, variant)
        };
        let layouts = &context.layouts;
        spec.create(&context.device, &[&layouts.frame_unlit, &layouts.material, &layouts.mesh])
    })
    .without_maps()
}

/// The bias of shadow maps. What is seen edge-on would be pushed away without end; devices that know no end push it as far as it goes.
fn bias(clamps: bool) -> wgpu::DepthBiasState {
    wgpu::DepthBiasState { constant: 0, slope_scale: 0.5, clamp: if clamps { 0.01 } else { 0.0 } }
}

impl ShadowPass {
    /// Maps of the quality's size and number.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let (device, quality) = (&context.device, context.quality);
        Self {
            maps: ShadowMaps::new(device, quality.shadow_px(device), quality.cascades() as u32),
            sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("shadow"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                compare: Some(wgpu::CompareFunction::LessEqual),
                ..Default::default()
            }),
            pipelines: pipelines(context, shaders),
        }
    }

    /// The pipelines.
    pub fn pipelines(&self) -> &VariantPipelines {
        &self.pipelines
    }

    /// Replaces the pipelines.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.pipelines = pipelines(context, shaders);
    }

    /// Records all cascades of a frame.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, frame: FrameResources<'_>, timer: &mut PassTimer) {
        let Some(group) = frame.bindings.unlit() else { return };
        for (draws, layer) in frame.lists.shadows.iter().zip(&self.maps.layers) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadows"),
                depth_stencil_attachment: Some(depth_attachment(layer, 1.0, wgpu::StoreOp::Store)),
                timestamp_writes: timer.render("shadows"),
                ..Default::default()
            });
            pass.set_bind_group(0, group, &[]);
            let (draws, triangles) = model::record(&mut pass, &self.pipelines, frame.models, draws, MeshSet::All);
            timer.count_draws(draws, triangles);
        }
    }
}
