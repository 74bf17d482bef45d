//! From the start of the program to its first picture, and a frame with a thousand people, beside what the original
//! program takes for them on the software driver.
//!
//! The program itself is run, as a user runs it. Cold means without imported models; the driver's own cache of compiled
//! shaders is left alone, as both programs have it. The rival's level is measured where the shared data is at hand.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What the original takes to its first frame, the quicker of its figures.
const RIVAL_START_MS: f64 = 7000.0;
/// What the original takes for a frame with a thousand people at 1280 x 720.
const RIVAL_FRAME_MS: f64 = 1550.0;
const ROUNDS: usize = 5;

fn walkabout(cache: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_walkabout"));
    if std::env::var_os("MESA_SHADER_CACHE_DIR").is_none()
        && let Some(home) = std::env::var_os("HOME")
    {
        command.env("MESA_SHADER_CACHE_DIR", PathBuf::from(home).join(".cache"));
    }
    command.env("XDG_CACHE_HOME", cache).stderr(Stdio::null());
    command
}

/// Milliseconds from the start of the program until its picture is written.
fn picture(scene: &Path, cache: &Path) -> Option<f64> {
    let begin = Instant::now();
    let mut command = walkabout(cache);
    command.arg("render").arg(scene).arg("--out").arg(cache.join("picture.png")).args(["--size", "1280x720"]);
    let done = command.stdout(Stdio::null()).status().ok()?;
    done.success().then(|| begin.elapsed().as_secs_f64() * 1e3)
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

fn report(what: &str, ms: f64, rival: f64) {
    println!("{what:24} {ms:8.1} ms {:6.1} times faster", rival / ms);
}

fn main() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("WALKABOUT_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let rival = shared.join("data/original/config/de_dust_nav.acfg");
    let scene = if rival.is_file() { rival } else { root.join("config/plaza.acfg") };
    println!("{}", scene.display());
    // The first picture of all makes the driver compile its shaders; it counts for nothing.
    let Ok(warm) = tempfile::tempdir() else { return };
    if picture(&scene, warm.path()).is_none() {
        println!("no picture: is there a Vulkan driver?");
        return;
    }
    let cold = (0..ROUNDS).filter_map(|_| picture(&scene, tempfile::tempdir().ok()?.path())).collect();
    report("first picture, cold", median(cold), RIVAL_START_MS);
    let cached = (0..ROUNDS).filter_map(|_| picture(&scene, warm.path())).collect();
    report("first picture, cached", median(cached), RIVAL_START_MS);

    let output = walkabout(warm.path()).arg("bench").arg(&scene).args(["--instances", "1000", "--json"]).output();
    let parsed = output.ok().and_then(|o| serde_json::from_slice::<serde_json::Value>(&o.stdout).ok());
    if let Some(ms) = parsed.as_ref().and_then(|v| v["frame_ms"]["p50"].as_f64()) {
        report("frame, 1000 people", ms, RIVAL_FRAME_MS);
    }
}
