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

/// What is written anew.
#[derive(Clone, Copy)]
enum Change {
    /// A corner of a triangle.
    Corner,
    /// Every corner of the level.
    Everything,
}

/// A binary glTF file whose corners lie so much higher.
fn raised(glb: &[u8], by: f32, change: Change) -> Vec<u8> {
    let number = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let text = 20..20 + number(12);
    let document: serde_json::Value = serde_json::from_slice(&glb[text.clone()]).unwrap();
    let index = |value: &serde_json::Value| value.as_u64().unwrap_or(0) as usize;
    let meshes = document["meshes"].as_array().unwrap().iter();
    let primitives = meshes.flat_map(|mesh| mesh["primitives"].as_array().unwrap());
    let mut accessors: Vec<usize> = primitives.map(|primitive| index(&primitive["attributes"]["POSITION"])).collect();
    accessors.sort_unstable();
    accessors.dedup();
    let mut changed = glb.to_vec();
    let mut raise = |accessor: &serde_json::Value, corner: usize| {
        let view = &document["bufferViews"][index(&accessor["bufferView"])];
        let stride = view["byteStride"].as_u64().unwrap_or(12) as usize;
        let at = text.end + 8 + index(&view["byteOffset"]) + index(&accessor["byteOffset"]) + corner * stride + 4;
        let height = f32::from_le_bytes(changed[at..at + 4].try_into().unwrap()) + by;
        changed[at..at + 4].copy_from_slice(&height.to_le_bytes());
    };
    match change {
        Change::Corner => raise(&document["accessors"][accessors[0]], 0),
        Change::Everything => {
            for accessor in accessors.iter().map(|&i| &document["accessors"][i]) {
                (0..index(&accessor["count"])).for_each(|corner| raise(accessor, corner));
            }
        }
    }
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

/// Writes a level several times, raised a little each time, and says how long each took to be seen.
fn time(stage: &mut Stage, level: &Path, bytes: &[u8], change: Change) -> std::io::Result<()> {
    let (mut times, mut parts) = (Vec::new(), Vec::new());
    for round in 0..CHANGES {
        let (before, steps) =
            (stage.app.world().mesh().built().map(|built| built.mesh.id()), stage.app.world().steps());
        std::fs::write(level, raised(bytes, 0.01 * (round + 1) as f32, change))?;
        let seen = stage.until(App::is_importing);
        let imported = stage.until(|app| !app.is_importing());
        let built =
            stage.until(|app| is_quiet(app) && app.world().mesh().built().map(|built| built.mesh.id()) != before);
        assert!(stage.app.world().steps() > steps, "the simulation stood still");
        times.push(seen + imported + built);
        parts.push([seen, imported, built]);
    }
    let median_and_worst = |mut times: Vec<Duration>| {
        times.sort_unstable();
        let ms = |time: &Duration| time.as_secs_f64() * 1e3;
        format!("{:.0} ms, at most {:.0} ms", ms(&times[times.len() / 2]), ms(&times[times.len() - 1]))
    };
    let what = match change {
        Change::Corner => "a corner of plaza.glb",
        Change::Everything => "all of plaza.glb",
    };
    println!("{what} changes on disk: seen whole after {} (bar 1000 ms)", median_and_worst(times));
    for (part, name) in ["noticed", "imported", "built"].iter().enumerate() {
        println!("  {name}: {}", median_and_worst(parts.iter().map(|parts| parts[part]).collect()));
    }
    Ok(())
}

/// Runs this program again, with the worker that imports models in a window and with a cache of its own.
fn with_worker() -> std::io::Result<()> {
    let cache = tempfile::tempdir()?;
    let mut again = std::process::Command::new(std::env::current_exe()?);
    again.env("WALKABOUT_WORKER", env!("CARGO_BIN_EXE_walkabout")).env("WALKABOUT_CACHE", cache.path());
    let status = again.status()?;
    assert!(status.success(), "{status}");
    Ok(())
}

fn main() -> std::io::Result<()> {
    if std::env::var_os("WALKABOUT_WORKER").is_none() {
        return with_worker();
    }
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
    time(&mut stage, &level, &bytes, Change::Corner)?;
    time(&mut stage, &level, &bytes, Change::Everything)
}
