//! Pictures of the user interface without a window, for plots of figures.

use crate::asset::Image;
use crate::gpu::readback::{read_texture, target};
use crate::gpu::{GpuContext, GpuError};
use crate::render::targets::color_pass;

/// Frames that are laid out before the one that is drawn: plots fit their axes to what the first one showed.
const LAYOUT_FRAMES: usize = 3;
/// Format of the picture: the interface mixes colours as they are shown.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Draws `contents` as the interface of a window of this size in pixels, at one pixel per point.
///
/// # Errors
/// The device fails.
pub(super) fn ui_picture(
    gpu: &GpuContext,
    [width, height]: [u32; 2],
    mut contents: impl FnMut(&mut egui::Ui),
) -> Result<Image, GpuError> {
    let ctx = egui::Context::default();
    crate::ui::theme::install(&ctx);
    let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width as f32, height as f32));
    let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
    let mut renderer = egui_wgpu::Renderer::new(&gpu.device, FORMAT, egui_wgpu::RendererOptions::default());
    let mut shapes = Vec::new();
    for _ in 0..=LAYOUT_FRAMES {
        let mut output = ctx.run_ui(input.clone(), |ui| {
            egui::CentralPanel::default().show(ui, &mut contents);
        });
        for (id, deltas) in output.textures_delta.set.drain() {
            deltas.iter().for_each(|delta| renderer.update_texture(&gpu.device, &gpu.queue, id, delta));
        }
        // Nothing is freed before the picture is drawn.
        output.textures_delta.clear();
        shapes = output.shapes;
    }
    let jobs = ctx.tessellate(shapes, 1.0);
    let texture = target(&gpu.device, "interface", [width, height], FORMAT);
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let screen = egui_wgpu::ScreenDescriptor { size_in_pixels: [width, height], pixels_per_point: 1.0 };
    let extra = renderer.update_buffers(&gpu.device, &gpu.queue, &mut encoder, &jobs, &screen);
    {
        let load = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
        let pass = color_pass(&mut encoder, "interface", (&view, load), None);
        renderer.render(&mut pass.forget_lifetime(), &jobs, &screen);
    }
    gpu.queue.submit(extra.into_iter().chain([encoder.finish()]));
    Ok(Image { name: "interface".into(), width, height, rgba: read_texture(&gpu.device, &gpu.queue, &texture)? })
}
