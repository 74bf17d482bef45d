//! The editor in a scene of ten thousand: a frame in which nothing is done, selecting, dragging and undoing.
//!
//! Frames run without a window and without drawing: what is timed is all that the processor does for one of them, and
//! for the idle one the panels alone.

#![allow(missing_docs, reason = "criterion's macro makes a public function without any")]

use criterion::{Criterion, criterion_group, criterion_main};
use egui::{Event, Key, Modifiers, RawInput, pos2, vec2};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::window::FrameHandler;

const COUNT: usize = 10_000;
/// What the panels, what follows the cursor, and what any deed may take in such a scene.
const PANELS_MS: f64 = 4.0;
const TOOLS_MS: f64 = 1.0;
const DEED_MS: f64 = 16.0;

struct Editor {
    app: App,
    ctx: egui::Context,
    events: Vec<Event>,
    _folder: tempfile::TempDir,
}

impl Editor {
    /// Ten thousand markers in a square, held.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the scene");
        let marker = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/props/marker.glb");
        let mut text = format!(
            "version: 9.0\nsettings:\n  navigation-enabled: false\nmodels:\n  - model-name: marker\n    model-file: {}\n\
             instances:\n",
            marker.display()
        );
        for i in 0..COUNT {
            let (x, z) = (i % 100, i / 100);
            text += &format!(
                "  - model-file: marker\n    position: [{x}, 0, {z}]\n    rotation: [0, 0, 0]\n    scale: 1\n"
            );
        }
        let path = folder.path().join("many.acfg");
        std::fs::write(&path, text).expect("the folder is new");
        let mut app = App::new(Recent::default());
        app.open_at_start(&path);
        assert_eq!(app.scene().instances.len(), COUNT);
        let ctx = egui::Context::default();
        walkabout::ui::theme::install(&ctx);
        let mut editor = Self { app, ctx, events: Vec::new(), _folder: folder };
        editor.key(Key::K, Modifiers::NONE);
        for _ in 0..200 {
            editor.frame();
            std::thread::sleep(Duration::from_millis(2));
        }
        editor
    }

    fn key(&mut self, key: Key, modifiers: Modifiers) {
        for pressed in [true, false] {
            self.events.push(Event::Key { key, physical_key: None, pressed, repeat: false, modifiers });
        }
    }

    fn frame(&mut self) {
        let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, vec2(1440.0, 900.0)));
        let input =
            RawInput { screen_rect, events: std::mem::take(&mut self.events), focused: true, ..RawInput::default() };
        let app = &mut self.app;
        black_box(self.ctx.run_ui(input, |ui| {
            black_box(app.update(ui, Duration::from_millis(16)));
        }));
    }

    /// Where the time of the last frame went, the longest first.
    fn spans(&self) -> String {
        let mut spans: Vec<_> = self.app.profiler().spans().iter().filter(|span| span.ms > 0.2).collect();
        spans.sort_by(|a, b| b.ms.total_cmp(&a.ms));
        spans.iter().take(8).map(|span| format!("  {} {:.2}", span.name, span.ms)).collect()
    }

    /// Time of a frame in which these events happen, the one included in which commands take effect.
    fn timed(&mut self, events: Vec<Event>) -> Duration {
        self.events = events;
        let start = Instant::now();
        self.frame();
        let first = start.elapsed();
        let start = Instant::now();
        self.frame();
        first.max(start.elapsed())
    }

    fn timed_key(&mut self, key: Key, modifiers: Modifiers) -> Duration {
        self.key(key, modifiers);
        let events = std::mem::take(&mut self.events);
        self.timed(events)
    }
}

fn report(name: &str, mut times: Vec<Duration>, most_ms: f64) {
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (median, worst) = (ms(times[times.len() / 2]), ms(times[times.len() - 1]));
    println!("{name}: median {median:.2} ms, worst {worst:.2} ms (bar {most_ms} ms)");
}

fn editor(c: &mut Criterion) {
    let mut editor = Editor::new();
    let panels = |editor: &mut Editor| {
        editor.frame();
        let span = editor.app.profiler().spans().iter().find(|span| span.name == "panels").map(|span| span.ms);
        Duration::from_secs_f32(span.expect("the panels are a span of every frame") * 1e-3)
    };
    report("panels, nothing selected", (0..100).map(|_| panels(&mut editor)).collect(), PANELS_MS);
    editor.timed_key(Key::A, Modifiers::COMMAND);
    assert_eq!(editor.app.selected().len(), COUNT);
    report("panels, all selected", (0..100).map(|_| panels(&mut editor)).collect(), PANELS_MS);
    c.bench_function("frame with all of 10,000 selected", |b| b.iter(|| editor.frame()));

    let selecting = |i: usize, editor: &mut Editor| {
        let row = pos2(120.0, 300.0 + (i % 20) as f32 * 24.0);
        let button = |pressed| Event::PointerButton {
            pos: row,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        editor.timed(vec![Event::PointerMoved(row), button(true), button(false)])
    };
    report("selecting one", (0..60).map(|i| selecting(i, &mut editor)).collect(), DEED_MS);
    let all = |editor: &mut Editor| editor.timed_key(Key::A, Modifiers::COMMAND);
    report("selecting all", (0..20).map(|_| all(&mut editor)).collect(), DEED_MS);

    // Over the viewport the instance under the cursor is looked for in every frame.
    let hovering = |i: usize, editor: &mut Editor| {
        editor.events.push(Event::PointerMoved(pos2(560.0 + (i % 100) as f32 * 3.0, 400.0 + (i % 7) as f32 * 9.0)));
        editor.frame();
        let span = editor.app.profiler().spans().iter().find(|span| span.name == "tools").map(|span| span.ms);
        Duration::from_secs_f32(span.expect("the tools are a span of every frame") * 1e-3)
    };
    report("tools, hovering", (0..200).map(|i| hovering(i, &mut editor)).collect(), TOOLS_MS);

    // What a drag does in every frame: an edit of one instance that merges with the one before.
    selecting(3, &mut editor);
    assert_eq!(editor.app.selected().len(), 1, "the click hits no row of the list");
    let nudge = |i: usize, editor: &mut Editor| {
        let start = Instant::now();
        editor.app.drag_selected(glam::Vec3::X * (0.01 * (i + 1) as f32));
        editor.frame();
        start.elapsed()
    };
    report("dragging one", (0..60).map(|i| nudge(i, &mut editor)).collect(), DEED_MS);
    let undo = |i: usize, editor: &mut Editor| {
        editor.timed_key(if i.is_multiple_of(2) { Key::Z } else { Key::Y }, Modifiers::COMMAND)
    };
    report("undoing and redoing", (0..60).map(|i| undo(i, &mut editor)).collect(), DEED_MS);
    all(&mut editor);
    report("dragging all", (0..20).map(|i| nudge(i, &mut editor)).collect(), DEED_MS);
    println!(" {}", editor.spans());
    report("undoing that", (0..20).map(|i| undo(i, &mut editor)).collect(), DEED_MS);
    all(&mut editor);
    let delete = |i: usize, editor: &mut Editor| match i % 2 {
        0 => editor.timed_key(Key::Delete, Modifiers::NONE),
        _ => editor.timed_key(Key::Z, Modifiers::COMMAND),
    };
    report("deleting all and undoing that", (0..10).map(|i| delete(i, &mut editor)).collect(), DEED_MS);
}

criterion_group!(benches, editor);
criterion_main!(benches);
