//! Draws the lit picture into the target, tone mapped.

use crate::render::layouts::Layouts;
use crate::render::pipelines::Pipelines;

/// The bind group that reads the lit picture.
pub fn group(
    device: &wgpu::Device,
    layouts: &Layouts,
    light: &wgpu::TextureView,
    sampler: &wgpu::Sampler,
) -> wgpu::BindGroup {
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("tone mapping"),
        layout: &layouts.tonemap,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(light) },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(sampler) },
        ],
    })
}

/// Records the pass; only the viewport (x, y, width, height in pixels) of the target is written. What is to lie over the
/// picture can be drawn in the same pass.
pub fn record<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    pipelines: &Pipelines,
    group: &wgpu::BindGroup,
    target: &wgpu::TextureView,
    viewport_px: [u32; 4],
    timestamps: Option<wgpu::RenderPassTimestampWrites<'_>>,
) -> wgpu::RenderPass<'e> {
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("tone mapping"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
        })],
        timestamp_writes: timestamps,
        ..Default::default()
    });
    let [x, y, width, height] = viewport_px.map(|v| v as f32);
    pass.set_viewport(x, y, width, height, 0.0, 1.0);
    pass.set_pipeline(&pipelines.tonemap);
    pass.set_bind_group(0, group, &[]);
    pass.draw(0..3, 0..1);
    pass
}
