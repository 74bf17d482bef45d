//! Memory does not grow with use: the same deeds over and over hold as much at the end as after the first few rounds.
//!
//! What Rust code holds is counted to the byte by an allocator of the tests; what the graphics driver holds besides shows
//! in the memory of the process. `WALKABOUT_ENDURANCE_MINUTES=60 cargo test --release --test endurance -- --nocapture`
//! goes on for an hour and prints the figures of every minute.

#![allow(clippy::unwrap_used, reason = "a test that cannot find its widget has to fail")]

#[path = "common/counted.rs"]
#[allow(dead_code, reason = "the most that was taken at once serves other trials")]
mod counted;

use egui::{Event, Key, Modifiers, PointerButton};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::window::FrameHandler;
use walkabout::disk::memory::resident_bytes;
use walkabout::gpu::GpuContext;
use walkabout::gpu::readback::target;

const SIZE: [u32; 2] = [320, 200];
/// Rounds until every buffer has its size and every cache is full.
const WARM_UP: usize = 9;
const ROUNDS: usize = 12;
/// Growth of what Rust code holds, bytes a round: less than one small thing that is forgotten.
const GROWTH: isize = 4096;
/// Bytes that a list may take when it finds its room after that.
const ONCE: isize = 64 << 10;
/// Growth of the process, which holds a driver and an allocator's slack too: bytes in all.
const PROCESS_GROWTH: i64 = 48 << 20;

type Window = Harness<'static, App>;

/// A level with a baked mesh, a target, and one to walk there.
fn scene_file(folder: &Path) -> PathBuf {
    let level = folder.join("square.obj");
    std::fs::write(&level, "v -9 0 -9\nv -9 0 9\nv 9 0 9\nv 9 0 -9\nf 1 2 3 4\n").unwrap();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let model = |name: &str, file: &str, target: bool| {
        let file = assets.join(file);
        format!("  - model-name: {name}\n    model-file: {}\n    is-nav-target: {target}\n", file.display())
    };
    let place = |model: &str, x: i32| {
        format!(
            "  - model-file: {model}\n    position: [{x}, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n    \
             enable-navigation: {}\n    path-target-instance: {}\n",
            x > 0,
            if x > 0 { 0 } else { -1 },
        )
    };
    let text = format!(
        "version: 9.0\nsettings:\n  navigation-enabled: true\n  gravity-enabled: true\n\
         cameras:\n  - camera-name: FreeCam\n    position: [0, 9, 12]\n    view-azimuth: 0\n    view-elevation: -40\n\
         levels:\n  - level-name: square\n    level-file: {}\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    \
         scale: 1\n    swap-axes: false\n\
         models:\n{}{}instances:\n{}{}walkabout:\n  navigation:\n    mesh: baked\n",
        level.display(),
        model("marker", "props/marker.glb", true),
        model("ada", "people/ada.glb", false),
        place("marker", -4),
        place("ada", 4),
    );
    let path = folder.join("round.acfg");
    std::fs::write(&path, text).unwrap();
    path
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

fn click(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    window.run_steps(3);
}

/// Types into the palette and takes its first row.
fn palette(window: &mut Window, text: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text(text.into()));
    window.run_steps(2);
    assert!(window.query_by_label_contains("Nothing has such a name").is_none(), "{text}");
    press(window, Modifiers::NONE, Key::Enter);
}

/// Presses the button at one place, and lets it go at another.
fn drag(window: &mut Window, modifiers: Modifiers, from: [f32; 2], to: [f32; 2]) {
    let button = |at: [f32; 2], pressed| Event::PointerButton {
        pos: at.into(),
        button: PointerButton::Primary,
        pressed,
        modifiers,
    };
    for event in [
        Event::PointerMoved(from.into()),
        button(from, true),
        Event::PointerMoved(to.into()),
        Event::PointerMoved(to.into()),
        button(to, false),
    ] {
        window.event(event);
        window.run_steps(2);
    }
}

/// Runs frames until all that works beside them is done.
fn settle(window: &mut Window) {
    for _ in 0..6000 {
        window.run_steps(1);
        let world = window.state().world();
        if !window.state().is_importing() && !world.is_building() && world.mesh().built().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("models, level or mesh were not ready after 12 s");
}

/// Draws what the window shows.
fn draw(window: &mut Window, gpu: &GpuContext, view: &wgpu::TextureView) {
    window.run_steps(1);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    window.state_mut().draw(gpu, &mut encoder, view, SIZE);
    gpu.queue.submit([encoder.finish()]);
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    window.state_mut().presented(gpu);
}

/// Opens the scene and its assets until each has its picture: drawing them all is done once, and takes longer than the
/// rounds where no earlier run has kept them.
fn look_at_assets(window: &mut Window, gpu: &GpuContext, view: &wgpu::TextureView, path: &Path) {
    palette(window, path.to_str().unwrap());
    // A scene that is opened plays.
    press(window, Modifiers::NONE, Key::K);
    settle(window);
    press(window, Modifiers::NONE, Key::F12);
    let begin = Instant::now();
    while !window.state().has_pictures_of_models() {
        assert!(begin.elapsed() < Duration::from_secs(240), "pictures of the models were not ready after four minutes");
        draw(window, gpu, view);
        std::thread::sleep(Duration::from_millis(2));
    }
    press(window, Modifiers::NONE, Key::F12);
}

/// Edits, selects, plays, looks at every panel, and takes all of it back.
fn round(window: &mut Window, gpu: &GpuContext, view: &wgpu::TextureView, path: &Path) {
    palette(window, path.to_str().unwrap());
    // A scene that is opened plays.
    press(window, Modifiers::NONE, Key::K);
    settle(window);
    assert!(!window.state().is_dirty() && window.state().scene().instances.len() == 2);
    for panel in [Key::F3, Key::F4, Key::F5, Key::F8, Key::F9, Key::F12, Key::F7, Key::F1] {
        press(window, Modifiers::NONE, panel);
        press(window, Modifiers::NONE, panel);
    }
    palette(window, "create 50 of ada: in a grid");
    palette(window, "show: wireframe");
    palette(window, "show: skeleton");
    press(window, Modifiers::NONE, Key::K);
    for _ in 0..4 {
        window.run_steps(10);
        draw(window, gpu, view);
    }
    press(window, Modifiers::NONE, Key::K);
    palette(window, "hide: wireframe");
    palette(window, "hide: skeleton");

    press(window, Modifiers::COMMAND, Key::A);
    press(window, Modifiers::COMMAND, Key::D);
    drag(window, Modifiers::SHIFT, [500.0, 200.0], [800.0, 600.0]);
    for i in 0..5 {
        window.state_mut().drag_selected(glam::Vec3::X * (0.1 * i as f32));
    }
    window.run_steps(5);
    press(window, Modifiers::NONE, Key::G);
    press(window, Modifiers::NONE, Key::Delete);
    assert_eq!(window.state().steps().0, 4, "created, duplicated, moved, deleted");
    palette(window, "tool: obstacle");
    drag(window, Modifiers::NONE, [620.0, 450.0], [620.0, 450.0]);
    press(window, Modifiers::NONE, Key::Escape);
    click(window, "Scene");

    click(window, "Camera");
    click(window, "➕ New");
    click(window, "Camera");
    click(window, "Cameras (2)");
    click(window, "FreeCam");
    draw(window, gpu, view);
    press(window, Modifiers::NONE, Key::Escape);
    click(window, "Cameras (2)");

    press(window, Modifiers::NONE, Key::F6);
    click(window, "➕ New");
    click(window, "More");
    click(window, "Comment");
    draw(window, gpu, view);
    press(window, Modifiers::NONE, Key::F6);

    let (done, _) = window.state().steps();
    assert_eq!(done, 8, "an obstacle, a camera, a behaviour and a comment besides");
    for modifiers in [Modifiers::COMMAND, Modifiers::COMMAND.plus(Modifiers::SHIFT), Modifiers::COMMAND] {
        for _ in 0..done {
            press(window, modifiers, Key::Z);
        }
    }
    settle(window);
    assert!(!window.state().is_dirty() && window.state().scene().instances.len() == 2);
}

#[test]
fn what_is_held_does_not_grow_with_use() {
    let minutes: Option<f64> = std::env::var("WALKABOUT_ENDURANCE_MINUTES").ok().and_then(|text| text.parse().ok());
    let folder = tempfile::tempdir().unwrap();
    let path = scene_file(folder.path());
    let gpu = GpuContext::headless().unwrap();
    let texture = target(&gpu.device, "window", SIZE, wgpu::TextureFormat::Rgba8Unorm);
    let view = texture.create_view(&Default::default());
    let mut app = App::new(Recent::default());
    app.start(&gpu, wgpu::TextureFormat::Rgba8Unorm);
    app.keep_unsaved_in(folder.path().join("kept"));
    let mut window = Harness::builder()
        .with_size([1440.0, 900.0])
        .build_ui_state(|ui: &mut egui::Ui, app: &mut App| drop(app.update(ui, Duration::from_millis(16))), app);
    window.run_steps(3);
    look_at_assets(&mut window, &gpu, &view, &path);

    let held = || (counted::taken() as isize, resident_bytes().map_or(0, |bytes| bytes as i64));
    let (begin, mut told) = (Instant::now(), Instant::now());
    let mut after = Vec::new();
    loop {
        round(&mut window, &gpu, &view, &path);
        after.push(held());
        if told.elapsed() > Duration::from_secs(60) || after.len() == WARM_UP {
            told = Instant::now();
            let (taken, process) = held();
            println!(
                "{:.1} min, {} rounds: {taken} bytes taken, {process} of the process",
                begin.elapsed().as_secs_f64() / 60.0,
                after.len()
            );
        }
        let over = minutes.map_or(after.len() >= ROUNDS, |minutes| begin.elapsed().as_secs_f64() > minutes * 60.0);
        if over && after.len() >= ROUNDS {
            break;
        }
    }
    // The least of two rounds: what is under way beside the frames does not count.
    let least = |some: &[(isize, i64)]| (some[0].0.min(some[1].0), some[0].1.min(some[1].1));
    let (early, late) = (least(&after[WARM_UP - 1..WARM_UP + 1]), least(&after[after.len() - 2..]));
    let rounds = (after.len() - WARM_UP) as isize;
    let figures = format!("bytes taken, and of the process: {:?} … {late:?}", &after[..ROUNDS]);
    println!("{figures}");
    // A list that finds its room once takes twice as much in that round; what is never given back grows in every one.
    let mut grown: Vec<isize> = after[WARM_UP - 1..].windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    grown.sort_unstable();
    let usual = grown[grown.len() / 2];
    assert!(usual <= GROWTH, "{usual} bytes more in most rounds: {figures}");
    let most = GROWTH * rounds + ONCE;
    assert!(late.0 - early.0 <= most, "{} bytes more after {rounds} rounds: {figures}", late.0 - early.0);
    assert!(late.1 - early.1 <= PROCESS_GROWTH, "the process has grown by {} bytes: {figures}", late.1 - early.1);
}
