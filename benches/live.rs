//! How long it takes until a window shows what has changed on disk: the plaza's level, written by another program while
//! the plaza is open and simulated.
//!
//! Bound: a second from the moment at which the file is whole to the frame that has the new level, its ground and its mesh.
//! Frames run as in a window, without drawing.

#![allow(clippy::unwrap_used, reason = "a bench whose level is damaged has to fail")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::window::FrameHandler;

/// Changes that are timed.
const CHANGES: usize = 8;
/// Time from frame to frame.
const FRAME: Duration = Duration::from_millis(16);
/// Longest time that is waited for a change.
const PATIENCE: Duration = Duration::from_secs(60);

/// Copies a folder with all that lies below it.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?
        } else {
            _ = std::fs::copy(entry.path(), target)?
        }
    }
    Ok(())
}

/// A binary glTF file whose first vertex lies so much higher.
fn moved(glb: &[u8], by: f32) -> Vec<u8> {
    let number = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let text = 20..20 + number(12);
    let document: serde_json::Value = serde_json::from_slice(&glb[text.clone()]).unwrap();
    let index = |value: &serde_json::Value| value.as_u64().unwrap_or(0) as usize;
    let accessor = &document["accessors"][index(&document["meshes"][0]["primitives"][0]["attributes"]["POSITION"])];
    let view = &document["bufferViews"][index(&accessor["bufferView"])];
    let at = text.end + 8 + index(&view["byteOffset"]) + index(&accessor["byteOffset"]) + 4;
    let mut changed = glb.to_vec();
    let height = f32::from_le_bytes(changed[at..at + 4].try_into().unwrap()) + by;
    changed[at..at + 4].copy_from_slice(&height.to_le_bytes());
    changed
}

struct Stage {
    app: App,
    context: egui::Context,
}

impl Stage {
    fn frame(&mut self) {
        let begin = Instant::now();
        let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1440.0, 900.0)));
        let input = egui::RawInput { screen_rect, focused: true, ..egui::RawInput::default() };
        let app = &mut self.app;
        let mut output = self.context.run_ui(input, |ui| {
            app.update(ui, FRAME);
        });
        // Nothing is drawn.
        output.textures_delta.clear();
        std::thread::sleep(FRAME.saturating_sub(begin.elapsed()));
    }

    /// Runs frames until something holds.
    fn until(&mut self, holds: impl Fn(&App) -> bool) -> Duration {
        let begin = Instant::now();
        while !holds(&self.app) {
            assert!(begin.elapsed() < PATIENCE, "waited in vain");
            self.frame();
        }
        begin.elapsed()
    }
}

fn is_quiet(app: &App) -> bool {
    !app.is_importing() && !app.world().is_building() && app.world().mesh().built().is_some()
}

fn main() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    for part in ["assets", "config"] {
        copy(&home.join(part), &folder.path().join(part))?;
    }
    let level: PathBuf = folder.path().join("assets/levels/plaza.glb");
    let bytes = std::fs::read(&level)?;
    let mut app = App::new(Recent::default());
    app.open_at_start(&folder.path().join("config/plaza.acfg"));
    app.follow_files();
    let mut stage = Stage { app, context: egui::Context::default() };
    walkabout::ui::theme::install(&stage.context);
    stage.until(is_quiet);
    for _ in 0..60 {
        stage.frame();
    }
    let mut times = Vec::new();
    for change in 0..CHANGES {
        let (before, steps) =
            (stage.app.world().mesh().built().map(|built| built.mesh.id()), stage.app.world().steps());
        std::fs::write(&level, moved(&bytes, 0.01 * (change + 1) as f32))?;
        let took =
            stage.until(|app| is_quiet(app) && app.world().mesh().built().map(|built| built.mesh.id()) != before);
        assert!(stage.app.world().steps() > steps, "the simulation stood still");
        times.push(took);
    }
    times.sort_unstable();
    let ms = |time: &Duration| time.as_secs_f64() * 1e3;
    let (median, worst) = (ms(&times[times.len() / 2]), ms(&times[times.len() - 1]));
    println!("plaza.glb changes on disk: seen whole after {median:.0} ms, at most {worst:.0} ms (bar 1000 ms)");
    Ok(())
}
