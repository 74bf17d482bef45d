//! How fast a device shades pixels, from a short measurement.

use super::RenderError;
use super::pipeline::PipelineSpec;
use super::quality::Quality;
use super::targets::{BLACK, color_pass, render_texture};
use crate::gpu::GpuContext;
use crate::gpu::shader::ShaderLibrary;
use std::sync::Mutex;
use std::time::Instant;

/// Edge of the target, pixels.
const EDGE_PX: u32 = 512;
/// Times that the target is filled in a measurement.
const FILLS: u32 = 8;
/// Measurements, of which the fastest counts; one before them makes the driver compile and the device wake up.
const ROUNDS: usize = 3;
/// As `PROBE_STEPS` in the shader.
const PROBE_STEPS: u32 = 256;
/// Format of the target.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// What has been measured in this run of the program, by adapter.
static MEASURED: Mutex<Vec<(String, f64)>> = Mutex::new(Vec::new());

/// The quality level for a device: the `chosen` one, or the one that fits what was measured of it.
///
/// # Errors
/// As [`shading_rate`].
pub fn fitting_quality(gpu: &GpuContext, chosen: Option<Quality>) -> Result<Quality, RenderError> {
    let wanted = match chosen {
        Some(chosen) => chosen,
        None if gpu.adapter.get_info().device_type == wgpu::DeviceType::Cpu => Quality::Software,
        None => Quality::for_rate(shading_rate(gpu)?),
    };
    Ok(drawable(gpu, wanted))
}

/// The wanted quality as far as the device draws it: over OpenGL at most that with one sample per pixel, since wgpu 30 declares textures
/// of several that shaders read as such of one there, which OpenGL refuses.
pub fn drawable(gpu: &GpuContext, wanted: Quality) -> Quality {
    match gpu.adapter.get_info().backend {
        wgpu::Backend::Gl => wanted.min(Quality::Low),
        _ => wanted,
    }
}

/// Steps of four multiplications with addition that pixels of this device make, thousand millions a second; measured once for each
/// adapter, in a few milliseconds on most. 0 for a device that is lost.
///
/// # Errors
/// The shader is broken; the tests exclude this for the built-in one.
pub fn shading_rate(gpu: &GpuContext) -> Result<f64, RenderError> {
    let name = gpu.adapter_name();
    let mut measured = MEASURED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, rate)) = measured.iter().find(|(known, _)| *known == name) {
        return Ok(*rate);
    }
    // A device that is lost meanwhile shades nothing, and what it took says nothing of the next.
    let Some(rate) = measure(gpu)? else { return Ok(0.0) };
    measured.push((name, rate));
    Ok(rate)
}

/// None where the device is lost.
fn measure(gpu: &GpuContext) -> Result<Option<f64>, RenderError> {
    let (device, queue) = (&gpu.device, &gpu.queue);
    let module = ShaderLibrary::default().module(device, "quality_probe.wgsl")?;
    let spec = PipelineSpec { target: Some(FORMAT), ..PipelineSpec::full_screen("quality probe", &module) };
    let pipeline = spec.create(device, &[]);
    let target = render_texture(device, "quality probe", [EDGE_PX; 2], FORMAT, 1);
    let mut fastest = f64::INFINITY;
    for round in 0..=ROUNDS {
        let mut encoder = device.create_command_encoder(&Default::default());
        for _ in 0..FILLS {
            let mut pass = color_pass(&mut encoder, "quality probe", (&target, BLACK), None);
            pass.set_pipeline(&pipeline);
            pass.draw(0..3, 0..1);
        }
        let start = Instant::now();
        queue.submit([encoder.finish()]);
        if device.poll(wgpu::PollType::wait_indefinitely()).is_err() || gpu.is_lost() {
            return Ok(None);
        }
        if round > 0 {
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
    }
    let steps = f64::from(EDGE_PX) * f64::from(EDGE_PX) * f64::from(FILLS) * f64::from(PROBE_STEPS);
    Ok(Some(steps / fastest.max(1e-9) * 1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_measured_once() {
        let gpu = GpuContext::headless().unwrap();
        let rate = shading_rate(&gpu).unwrap();
        assert!(rate.is_finite() && rate > 0.0, "{rate}");
        assert_eq!(shading_rate(&gpu).unwrap(), rate);
        assert_eq!(gpu.take_errors(), Vec::<String>::new());
        let steps = format!("const PROBE_STEPS: u32 = {PROBE_STEPS}u;");
        assert!(ShaderLibrary::default().text("quality_probe.wgsl").unwrap().contains(&steps));
    }
}
