//! Clicks in a picture that is drawn: what is selected is what the picture shows there.

use super::*;
use walkabout::gpu::{GpuContext, readback};
use walkabout::render::Renderer;

/// The device, and the picture of the window on it.
struct Drawn {
    gpu: GpuContext,
    target: wgpu::TextureView,
}

const SIZE: [u32; 2] = [1440, 900];

impl Drawn {
    fn new(window: &mut Window) -> Self {
        let gpu = GpuContext::headless().unwrap();
        let target = readback::target(&gpu.device, "window", SIZE, Renderer::IMAGE_FORMAT);
        window.state_mut().app.start(&gpu, Renderer::IMAGE_FORMAT);
        let drawn = Self { gpu, target: target.create_view(&Default::default()) };
        // The first frame shows the panels alone.
        drawn.frame(window, None);
        drawn.frame(window, None);
        drawn
    }

    /// Runs a frame that an event comes before, and draws it.
    fn frame(&self, window: &mut Window, event: Option<egui::Event>) {
        window.input_mut().events.extend(event);
        window.step();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let app = &mut window.state_mut().app;
        app.draw(&self.gpu, &mut encoder, &self.target, SIZE);
        self.gpu.queue.submit([encoder.finish()]);
        app.presented(&self.gpu);
    }

    /// Clicks and tells what is selected after the frame of the click, and once its answer was taken in.
    fn click(&self, window: &mut Window, at: egui::Pos2) -> [Vec<walkabout::ids::InstanceId>; 2] {
        let selected = |window: &Window| window.state().app.selected();
        for event in [egui::Event::PointerMoved(at), button(at, true), button(at, false)] {
            self.frame(window, Some(event));
        }
        let before = selected(window);
        assert_eq!(
            window.state().wish.as_ref().unwrap().repaint_after,
            Some(Duration::ZERO),
            "the answer is waited for"
        );
        // Stands for the time that passes between frames.
        self.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        self.frame(window, None);
        self.frame(window, None);
        [before, selected(window)]
    }
}

#[test]
fn a_click_selects_what_the_picture_shows_a_frame_later() {
    let (_folder, mut window) = two_markers();
    wait_for(&mut window, "the model", |window| !window.state().app.is_importing());
    let drawn = Drawn::new(&mut window);
    let ids: Vec<_> = window.state().app.scene().instances.ids().collect();
    let seen = |window: &Window, x: f32, y: f32| {
        let at = window.state().app.seen_at(glam::Vec3::new(x, y, 0.0)).unwrap();
        egui::pos2(at.x, at.y)
    };
    let at = seen(&window, 3.0, 0.7);
    let [before, after] = drawn.click(&mut window, at);
    assert_ne!(before, [ids[1]], "the frame of the click does not wait");
    assert_eq!(after, [ids[1]]);
    let beside = seen(&window, 1.5, 2.2);
    let [before, after] = drawn.click(&mut window, beside);
    assert_eq!((before, after), (vec![ids[1]], Vec::new()));
    assert_eq!(drawn.gpu.take_errors(), Vec::<String>::new());
}
