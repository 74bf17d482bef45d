//! Draws one frame of a scene into a PNG: `draw_frame [FILE.png]`.

use glam::Vec3;
use std::error::Error;
use walkabout::camera::{Lens, View};
use walkabout::debug::DebugDraw;
use walkabout::gpu::GpuContext;
use walkabout::render::{FrameView, Renderer, extract};
use walkabout::scene::file;
use walkabout::sim::World;

const SIZE_PX: [u32; 2] = [640, 360];

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::args().nth(1).unwrap_or_else(|| "plaza.png".into());
    let loaded = file::load("config/plaza.acfg".as_ref())?;
    let scene = loaded.scene;
    let assets = scene.load_assets(loaded.root);
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    for _ in 0..120 {
        world.step(&scene);
    }

    // The view: right-handed, y up, metres and radians.
    let (eye, target) = (Vec3::new(-30.0, 14.0, 34.0), Vec3::new(0.0, 0.0, 4.0));
    let lens = Lens::Perspective { fov_rad: 50_f32.to_radians() };
    let view = View::new(eye, target - eye, lens, SIZE_PX[0] as f32 / SIZE_PX[1] as f32);

    // A frame is plain data as well: it can be tested, and drawn by any renderer. Alpha blends between
    // the last two steps.
    let frame_view = FrameView { camera: (&view).into(), size_px: SIZE_PX, alpha: 1.0 };
    // Lines drawn into the debug sink lie over the picture.
    let frame = extract(&scene, &world, &assets, frame_view, DebugDraw::default());

    let gpu = GpuContext::headless()?;
    let mut renderer = Renderer::new(&gpu, Renderer::IMAGE_FORMAT)?;
    let picture = renderer.render_to_image(&gpu, &assets, &frame)?;
    image::save_buffer(&out, &picture.rgba, SIZE_PX[0], SIZE_PX[1], image::ColorType::Rgba8)?;
    println!("{out}: {} x {} pixels by {}", SIZE_PX[0], SIZE_PX[1], gpu.adapter_name());
    Ok(())
}
