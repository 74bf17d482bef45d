//! A graphics device that is lost takes nothing with it but itself: the next one draws the same picture. So does the same device in the
//! quality that was chosen before.

#![allow(clippy::unwrap_used, reason = "a test without its device has to fail")]

use std::path::Path;
use std::time::Duration;
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::window::FrameHandler;
use walkabout::gpu::GpuContext;
use walkabout::gpu::readback::{read_texture, target};
use walkabout::render::quality::Quality;

const SIZE: [u32; 2] = [640, 400];
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Runs frames until the picture stands still, and returns it.
fn picture(app: &mut App, ctx: &egui::Context, gpu: &GpuContext) -> Vec<u8> {
    let texture = target(&gpu.device, "window", SIZE, FORMAT);
    let view = texture.create_view(&Default::default());
    for _ in 0..30 {
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(SIZE[0] as f32, SIZE[1] as f32));
        let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
        let mut output = ctx.run_ui(input, |ui| drop(app.update(ui, Duration::from_millis(16))));
        // The interface is not drawn here.
        output.textures_delta.clear();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        app.draw(gpu, &mut encoder, &view, SIZE);
        gpu.queue.submit([encoder.finish()]);
        app.presented(gpu);
    }
    read_texture(&gpu.device, &gpu.queue, &texture).unwrap()
}

#[test]
fn another_device_draws_the_same_scene() {
    let folder = tempfile::tempdir().unwrap();
    let marker = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
    let text = format!(
        "version: 9.0\nsettings:\n  navigation-enabled: false\ncameras:\n  - camera-name: FreeCam\n    position: [0, 1, 3]\n\
         models:\n  - model-name: marker\n    model-file: {}\ninstances:\n  - model-file: marker\n    \
         position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n",
        marker.display()
    );
    let scene = folder.path().join("one.acfg");
    std::fs::write(&scene, text).unwrap();
    let mut app = App::new(Recent::default());
    app.open_at_start(&scene);
    let ctx = egui::Context::default();
    let first = GpuContext::headless().unwrap();
    app.start(&first, FORMAT);
    // The model is read beside the frames.
    for _ in 0..100 {
        picture(&mut app, &ctx, &first);
        if app.scene().instances.len() == 1 && !app.is_importing() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let before = picture(&mut app, &ctx, &first);
    let colors: std::collections::HashSet<&[u8]> = before.chunks_exact(4).collect();
    assert!(colors.len() > 50, "the picture shows the scene, not {} colours", colors.len());
    assert!(!first.is_lost());

    // Another quality is drawn from the next frame on, and the one before again.
    let differing = |picture: &[u8]| before.iter().zip(picture).filter(|(a, b)| a.abs_diff(**b) > 8).count();
    app.set_quality(Some(Quality::Medium));
    let smooth = differing(&picture(&mut app, &ctx, &first));
    assert!(smooth > before.len() / 1000, "{smooth} of {} values differ", before.len());
    app.set_quality(None);
    assert_eq!(differing(&picture(&mut app, &ctx, &first)), 0);

    first.device.destroy();
    // The driver tells when it is asked next.
    let _ = first.device.poll(wgpu::PollType::Poll);
    assert!(first.is_lost());
    let second = GpuContext::headless().unwrap();
    app.start(&second, FORMAT);
    let after = picture(&mut app, &ctx, &second);
    let other = differing(&after);
    assert!(other < before.len() / 200, "{other} of {} values differ", before.len());
    let errors: Vec<&str> = app.notices().all().iter().map(|notice| notice.text.as_str()).collect();
    assert!(errors.iter().all(|text| !text.contains("device")), "{errors:?}");
}
