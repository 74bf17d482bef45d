//! A window without a screen whose pictures stand in the documentation.
//!
//! With `WALKABOUT_UPDATE_PICTURES=1` the pictures in `docs/pictures` are drawn anew; otherwise they are compared.

#![allow(dead_code, reason = "every test that includes it uses a part")]

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use image::RgbaImage;
use std::path::{Path, PathBuf};
use std::time::Duration;
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::window::FrameHandler;
use walkabout::gpu::GpuContext;
use walkabout::gpu::readback::{read_texture, target};

pub const SIZE: [u32; 2] = [1200, 760];
/// Size to which pictures are brought before they are compared: what drivers do differently is gone then.
const COMPARED: [u32; 2] = [48, 30];
/// Mean difference of channels, of 255, up to which two pictures show the same.
const ALIKE: f64 = 14.0;

pub type Window = Harness<'static, App>;

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn click(window: &mut Window, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(4);
}

pub fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(4);
}

pub fn choose(window: &mut Window, shown: &str, wanted: &str) {
    window.get_by_value(shown).click();
    window.run_steps(4);
    // The list lies over everything else that bears this name.
    window.get_all_by_label(wanted).last().unwrap().click();
    window.run_steps(4);
}

/// Frames after which a flight of the camera, 0.45 s of them, is over.
const FLIGHT_FRAMES: usize = 40;

/// Runs frames until all models are read, the ground is built, and the camera is where it flies to: what is added next is put
/// where it looks.
pub fn settle(window: &mut Window) {
    let begin = std::time::Instant::now();
    loop {
        window.run_steps(1);
        if !window.state().is_importing() && !window.state().world().is_building() {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(120), "models or ground were not ready after two minutes");
        std::thread::sleep(Duration::from_millis(5));
    }
    window.run_steps(FLIGHT_FRAMES);
}

/// What the window shows: the scene, and the interface over it.
pub fn picture(window: &mut Window, gpu: &GpuContext) -> RgbaImage {
    let texture = target(&gpu.device, "window", SIZE, wgpu::TextureFormat::Rgba8Unorm);
    let view = texture.create_view(&Default::default());
    for _ in 0..3 {
        window.run_steps(1);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        window.state_mut().draw(gpu, &mut encoder, &view, SIZE);
        gpu.queue.submit([encoder.finish()]);
        window.state_mut().presented(gpu);
    }
    let scene = read_texture(&gpu.device, &gpu.queue, &texture).unwrap();
    let mut picture = RgbaImage::from_raw(SIZE[0], SIZE[1], scene).unwrap();
    let interface = window.render().unwrap();
    // The harness fills its ground; where nothing else was drawn, the scene is seen.
    let ground = window.ctx.global_style().visuals.panel_fill.to_array();
    for (below, above) in picture.pixels_mut().zip(interface.pixels()) {
        if below.0[3] == 0 || above.0 != ground {
            below.0 = above.0;
        }
    }
    picture
}

/// Draws the picture of the guide anew, or compares it.
pub fn show(window: &mut Window, gpu: &GpuContext, name: &str) {
    let taken = shot(window, gpu);
    compare(&taken, name);
}

/// What the window shows, without a cursor.
pub fn shot(window: &mut Window, gpu: &GpuContext) -> image::RgbImage {
    // The harness draws a cursor where the last click was, over what is to be read.
    window.remove_cursor();
    image::DynamicImage::from(picture(window, gpu)).to_rgb8()
}

/// Keeps a picture for the guide, or compares it.
pub fn compare(taken: &image::RgbImage, name: &str) {
    let file = root().join("docs/pictures").join(name);
    if std::env::var_os("WALKABOUT_UPDATE_PICTURES").is_some() {
        let small = image::imageops::resize(taken, 960, 608, image::imageops::FilterType::CatmullRom);
        let out = std::fs::File::create(&file).unwrap();
        image::codecs::jpeg::JpegEncoder::new_with_quality(out, 82).encode_image(&small).unwrap();
    }
    let kept = image::open(&file).unwrap_or_else(|e| panic!("{name}: {e}; WALKABOUT_UPDATE_PICTURES=1 draws it"));
    let tiny = |picture: &image::RgbImage| {
        image::imageops::resize(picture, COMPARED[0], COMPARED[1], image::imageops::FilterType::Triangle)
    };
    let (kept, small) = (tiny(&kept.to_rgb8()), tiny(taken));
    let sum: u64 = kept.as_raw().iter().zip(small.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    let mean = sum as f64 / kept.as_raw().len() as f64;
    if mean >= ALIKE {
        let seen = std::env::temp_dir().join(name).with_extension("png");
        taken.save(&seen).unwrap();
        panic!(
            "{name} shows something else ({mean:.1}): {}; WALKABOUT_UPDATE_PICTURES=1 draws it anew",
            seen.display()
        );
    }
}

/// Activates what has this label, wherever it lies in its panel.
pub fn reach(window: &mut Window, label: &str) {
    window.get_all_by_label(label).next().unwrap().click_accesskit();
    window.run_steps(4);
}

/// A frame over all of the window, as a real one has it: the harness leaves a margin.
fn frame(ui: &mut egui::Ui, app: &mut App) {
    let whole = ui.ctx().content_rect();
    ui.scope_builder(egui::UiBuilder::new().max_rect(whole), |ui| {
        ui.set_clip_rect(whole);
        app.update(ui, Duration::from_millis(16));
    });
}

/// A window with a scene.
pub fn open(path: &Path, gpu: &GpuContext) -> Window {
    let mut app = App::new(Recent::default());
    app.start(gpu, wgpu::TextureFormat::Rgba8Unorm);
    app.open_at_start(path);
    let size = [SIZE[0] as f32, SIZE[1] as f32];
    let mut window = Harness::builder().with_size(size).wgpu().build_ui_state(frame, app);
    walkabout::ui::theme::install(&window.ctx);
    // The scene is put below the finished interface, where a shadow would hide it.
    window.ctx.all_styles_mut(|style| {
        (style.visuals.window_shadow, style.visuals.popup_shadow) = (egui::Shadow::NONE, egui::Shadow::NONE);
    });
    window.run_steps(3);
    window
}
