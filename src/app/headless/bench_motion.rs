//! `walkabout bench --motion`: how well the characters of scenes move, in simulated time.

use super::output::print_line;
use super::progress::ProgressLine;
use super::repeated_instances::measured_scenes;
use crate::inspect::motion_meter::{MotionMeter, MotionReport};
use crate::math::Percentiles;
use crate::sim::{STEP_SECS, World};
use anyhow::Context as _;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Parts of a step that move the joints of characters.
const COSTS: [&str; 2] = ["sim.animation", "sim.feet"];

#[derive(Debug, Serialize)]
struct SceneMotion {
    scene: String,
    #[serde(flatten)]
    motion: MotionReport,
    /// Time of animation and feet in the last steps, for each character, microseconds.
    us_per_character: f64,
}

/// Measures a scene, or the scenes that come with the program, and prints a report for each.
///
/// # Errors
/// A scene does not load, or output cannot be written.
pub fn run(scene: Option<&Path>, seconds: f64, json: bool) -> anyhow::Result<ExitCode> {
    let mut reports = Vec::new();
    for scene in measured_scenes(scene)? {
        let report = measure(&scene, seconds)?;
        if !json {
            print_line(&as_text(&report))?;
        }
        reports.push(report);
    }
    if json {
        print_line(&serde_json::to_string_pretty(&reports)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(path: &Path, seconds: f64) -> anyhow::Result<SceneMotion> {
    let loaded = crate::scene::file::load(path).with_context(|| format!("File: {}", path.display()))?;
    let scene = loaded.scene;
    let mut progress = ProgressLine::new();
    let assets = super::assets::load(&scene, loaded.root, &mut progress);
    let (mut world, mut meter) = (World::default(), MotionMeter::default());
    world.reconcile(&scene, &assets);
    let steps = (seconds / f64::from(STEP_SECS)).round() as u64;
    for step in 0..steps {
        progress.tell(|| format!("measuring: {:.0} %", 100.0 * step as f64 / steps as f64));
        world.advance(&scene, &assets);
        meter.observe(&world);
    }
    let motion = meter.report();
    let tracks = world.profiler().tracks().filter(|(name, _)| COSTS.contains(name));
    let cost_us: f64 = tracks.map(|(_, track)| f64::from(track.mean_ms()) * 1e3).sum();
    let us_per_character = cost_us / motion.characters.max(1) as f64;
    Ok(SceneMotion { scene: path.display().to_string(), motion, us_per_character })
}

fn as_text(report: &SceneMotion) -> String {
    let m = &report.motion;
    let mut out = format!("{}: {} characters, {:.0} s, {:.0} m\n", report.scene, m.characters, m.seconds, m.walked_m);
    let mut row = |name: &str, of: &Percentiles, unit: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{name:32} {:8.2} mean, {:.2} p99 {unit}", of.mean, of.p99);
    };
    row("planted feet drift", &m.planted_drift_cm_per_sec, "cm/s");
    row("planted feet turn", &m.planted_turn_deg_per_sec, "°/s");
    row("soles off the ground", &m.off_ground_cm, "cm");
    row("heading off the path", &m.heading_off_path_deg, "° 0.3 s after a corner");
    row("stops off the goal", &m.stop_error_cm, "cm");
    row("acceleration at transitions", &m.transition_acceleration, "times the clips' own");
    let _ = write!(
        out,
        "bodies overlap                   {:8} times, {:.1} s\n\
         steps                            {:8.2} a second at {:.2} m/s\n\
         animation and feet               {:8.2} µs a character",
        m.overlaps, m.overlap_secs, m.steps_per_sec, m.step_speed_m_per_sec, report.us_per_character,
    );
    for place in &m.overlap_places {
        let [x, y, z] = place.center;
        let _ = write!(out, "\n  overlap within 1 m of ({x:.0}, {y:.0}, {z:.0}) {:10.1} s", place.secs);
    }
    out
}
