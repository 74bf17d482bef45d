//! Bloom, and the exposure that is measured on its smallest picture.

use crate::gpu::timer::PassTimer;
use crate::render::pipeline::{PipelineContext, PipelineSpec, flag};
use crate::render::shaders::ShaderModules;
use crate::render::targets::{
    BLACK, SceneTargets, color_pass, half_size, linear_sampler, render_texture, sampled_group,
};
use std::time::Instant;

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
const EXPOSURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R16Float;
/// Halvings at most, and the edge in pixels below which there is none.
const MAX_LEVELS: usize = 6;
const MIN_EDGE_PX: u32 = 8;
/// Share of the wider light in the narrower at each level.
const WIDE_SHARE: f64 = 0.55;
/// Time in which the exposure takes most of a change, seconds.
const ADAPTATION_SECS: f32 = 0.8;

/// Pipelines of bloom and exposure.
#[derive(Debug)]
pub struct BloomPass {
    first: wgpu::RenderPipeline,
    down: wgpu::RenderPipeline,
    up: wgpu::RenderPipeline,
    exposure: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
}

/// Their targets of one size.
#[derive(Debug)]
pub struct BloomTargets {
    /// From half of the picture's size on, each half of the one before.
    levels: Vec<BloomLevel>,
    /// The lit picture, for sampling.
    light_group: wgpu::BindGroup,
    /// One texel.
    exposure: wgpu::TextureView,
    measured: Option<Instant>,
}

#[derive(Debug)]
struct BloomLevel {
    view: wgpu::TextureView,
    /// For sampling it.
    group: wgpu::BindGroup,
}

/// Mixes with what is there by the blend constant.
const MIX: wgpu::BlendState = {
    let component = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::Constant,
        dst_factor: wgpu::BlendFactor::OneMinusConstant,
        operation: wgpu::BlendOperation::Add,
    };
    wgpu::BlendState { color: component, alpha: component }
};

impl BloomPass {
    /// Creates the pipelines.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let PipelineContext { device, layouts, .. } = context;
        let half = |first: bool| {
            let spec = PipelineSpec {
                fragment: Some("fs_down"),
                constants: &[("FIRST", flag(first))],
                target: Some(FORMAT),
                ..PipelineSpec::full_screen("bloom", &shaders.bloom)
            };
            spec.create(device, &[&layouts.tonemap])
        };
        let up = PipelineSpec {
            fragment: Some("fs_up"),
            target: Some(FORMAT),
            blend: Some(MIX),
            ..PipelineSpec::full_screen("bloom", &shaders.bloom)
        };
        let exposure = PipelineSpec {
            fragment: Some("fs_exposure"),
            target: Some(EXPOSURE_FORMAT),
            blend: Some(MIX),
            ..PipelineSpec::full_screen("exposure", &shaders.bloom)
        };
        Self {
            first: half(true),
            down: half(false),
            up: up.create(device, &[&layouts.tonemap]),
            exposure: exposure.create(device, &[&layouts.tonemap]),
            sampler: linear_sampler(device, "bloom"),
        }
    }

    /// Targets for a scene.
    pub fn create_targets(&self, context: &PipelineContext, scene: &SceneTargets) -> BloomTargets {
        let PipelineContext { device, layouts, .. } = context;
        let group = |view: &wgpu::TextureView| sampled_group(device, &layouts.tonemap, view, &self.sampler);
        let mut size_px = scene.size_px;
        let mut levels = Vec::new();
        while levels.is_empty() || (levels.len() < MAX_LEVELS && size_px.into_iter().min() > Some(2 * MIN_EDGE_PX)) {
            size_px = half_size(size_px);
            let view = render_texture(device, "bloom", size_px, FORMAT, 1);
            levels.push(BloomLevel { group: group(&view), view });
        }
        BloomTargets {
            levels,
            light_group: group(&scene.light),
            exposure: render_texture(device, "exposure", [1, 1], EXPOSURE_FORMAT, 1),
            measured: None,
        }
    }

    /// Records both, after the scene.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, targets: &mut BloomTargets, timer: &mut PassTimer) {
        let share = targets.next_share();
        let mut source = &targets.light_group;
        for (i, level) in targets.levels.iter().enumerate() {
            let mut pass = color_pass(encoder, "bloom", (&level.view, BLACK), timer.render("bloom"));
            pass.set_pipeline(if i == 0 { &self.first } else { &self.down });
            pass.set_bind_group(0, source, &[]);
            pass.draw(0..3, 0..1);
            source = &level.group;
        }
        blended(encoder, "exposure", (&targets.exposure, share), &self.exposure, source, timer);
        for pair in targets.levels.windows(2).rev() {
            blended(encoder, "bloom", (&pair[0].view, WIDE_SHARE), &self.up, &pair[1].group, timer);
        }
    }
}

/// Mixes a share of `source` into a target.
fn blended(
    encoder: &mut wgpu::CommandEncoder,
    label: &'static str,
    (target, share): (&wgpu::TextureView, f64),
    pipeline: &wgpu::RenderPipeline,
    source: &wgpu::BindGroup,
    timer: &mut PassTimer,
) {
    let mut pass = color_pass(encoder, label, (target, wgpu::LoadOp::Load), timer.render(label));
    pass.set_pipeline(pipeline);
    pass.set_blend_constant(wgpu::Color { r: share, g: share, b: share, a: share });
    pass.set_bind_group(0, source, &[]);
    pass.draw(0..3, 0..1);
}

impl BloomTargets {
    /// The bloom, for sampling.
    pub fn bloom(&self) -> &wgpu::TextureView {
        &self.levels[0].view
    }

    /// The exposure, a texel.
    pub fn exposure(&self) -> &wgpu::TextureView {
        &self.exposure
    }

    /// Lets the next frame be a first one: its exposure does not depend on what was drawn before and when.
    pub fn forget_exposure(&mut self) {
        self.measured = None;
    }

    /// Share of the newly measured exposure: all of it in the first frame.
    fn next_share(&mut self) -> f64 {
        let now = Instant::now();
        let passed = self.measured.replace(now).map(|before| now.duration_since(before).as_secs_f32());
        f64::from(passed.map_or(1.0, |secs| 1.0 - (-secs / ADAPTATION_SECS).exp()))
    }
}
