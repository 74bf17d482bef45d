//! `walkabout simulate`: runs a scene without a window and reports where each instance ends.

use super::output::{check_output, print_aside, print_line, print_written};
use super::progress::ProgressLine;
use super::record::{RecordError, RecordedFile, SimulationRecorder};
use super::step_times::StepTimes;
use crate::asset::AssetStore;
use crate::behavior::{TreeInstance, kind};
use crate::disk::write::write_or_print;
use crate::ids::InstanceId;
use crate::inspect::Inspector;
use crate::math::Percentiles;
use crate::scene::file::load;
use crate::scene::{Scene, Settings};
use crate::sim::{EventKind, InstanceState, NavStatus, STEP_SECS, World};
use crate::ui::names;
use crate::vocab::counted;
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Run a scene without a window and report where each instance is.
///
/// The simulation advances in fixed steps of 1/60 s as fast as it can. The same scene, seed and number of seconds
/// give the same `hash`, whatever the number of threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  walkabout simulate config/plaza.acfg --seconds 60 --json | jq .hash
  walkabout simulate config/plaza.acfg --seconds 20 --record plaza.glb

A recording is a glTF file with the levels, all instances and the poses of their nodes as one animation. Blender opens
it by File, Import, glTF 2.0. What it cannot hold is said.")]
pub struct SimulateArgs {
    /// Scene file (.acfg).
    pub scene: PathBuf,
    /// Simulated time in seconds, 0 to 86400.
    #[arg(long, value_name = "S", default_value_t = 10.0, allow_negative_numbers = true)]
    pub seconds: f64,
    /// Seed of everything random, in place of the scene's.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Threads to work with; 0 is one per core.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub threads: usize,
    /// Switches navigation on or off, in place of the scene's setting.
    #[arg(long, value_name = "on|off")]
    pub navigation: Option<Switch>,
    /// Write what happens as glTF (.glb); - is standard output.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Frames of the recording in a second, 1 to 240.
    #[arg(long, value_name = "N", default_value_t = 30, requires = "record", allow_negative_numbers = true)]
    pub fps: u32,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    pub json: bool,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// Runs the command.
///
/// # Errors
/// The scene cannot be loaded, the time is no use, threads cannot be started, output cannot be written.
pub fn run(args: SimulateArgs) -> anyhow::Result<ExitCode> {
    if !(0.0..=86_400.0).contains(&args.seconds) {
        super::output::misused!("--seconds {} is not between 0 and 86400", args.seconds);
    }
    if args.threads > 1024 {
        super::output::misused!("--threads {} is more than 1024", args.threads);
    }
    if !(1..=240).contains(&args.fps) {
        super::output::misused!("--fps {} is not between 1 and 240", args.fps);
    }
    check_output("--record", args.record.as_deref(), ["recording", "glb"], args.json)?;
    let loaded = load(&args.scene)?;
    let mut scene = loaded.scene;
    let mut settings = Settings::clone(&scene.settings);
    settings.seed = args.seed.unwrap_or(settings.seed);
    settings.nav.enabled = args.navigation.map_or(settings.nav.enabled, |s| s == Switch::On);
    scene.settings = Arc::new(settings);
    let assets = super::assets::load(&scene, loaded.root, &mut ProgressLine::new());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads)
        .build()
        .with_context(|| format!("{} threads could not be started", args.threads))?;
    let steps = (args.seconds / f64::from(STEP_SECS)).round() as u64;
    let (lent, fps) = (&mut scene, args.record.as_ref().map(|_| args.fps));
    let mut outcome = pool.install(move || simulate(lent, &assets, steps, fps))?;
    if let (Some(file), Some(recording)) = (&args.record, outcome.recording.take()) {
        recording.notes.iter().for_each(|note| tracing::warn!("{note}"));
        write_or_print(file, &recording.bytes)
            .with_context(|| format!("recording not written. File: {}", file.display()))?;
        let (frames, instances) =
            (counted(recording.frames as usize, "frame"), counted(recording.instances, "instance"));
        print_aside(&format!("{}: {frames} of {instances}", file.display()));
    }
    let text = if args.json { to_json(&scene, &outcome).to_string() } else { to_text(&scene, &outcome) };
    match &args.record {
        Some(file) => print_written(file, text.trim_end())?,
        None => print_line(text.trim_end())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A finished run.
struct SimulationResult {
    world: World,
    /// Of the world and of the agents of its crowds.
    hash: u64,
    times: StepTimes,
    lost: BTreeSet<InstanceId>,
    recording: Option<RecordedFile>,
}

fn simulate(
    scene: &mut Scene,
    assets: &AssetStore,
    steps: u64,
    fps: Option<u32>,
) -> Result<SimulationResult, RecordError> {
    let (mut world, mut inspector) = (World::default(), Inspector::default());
    world.reconcile(scene, assets);
    inspector.reconcile(&world, scene);
    let mut recording = fps.map(|fps| SimulationRecorder::start(scene, &world, assets, fps, steps)).transpose()?;
    let mut times = StepTimes::of(steps as usize);
    let mut lost = BTreeSet::new();
    let mut progress = ProgressLine::new();
    for step in 0..steps {
        progress.tell(|| format!("simulating: {:.0} %", 100.0 * step as f64 / steps as f64));
        let start = Instant::now();
        world.advance(scene, assets);
        inspector.step(&world, scene);
        times.add(start.elapsed().as_secs_f64() * 1e3, world.searches());
        if let Some(recording) = &mut recording {
            recording.step(&world);
        }
        let mut events = world.delete_lost(scene, assets);
        events.retain(|event| matches!(event.kind, EventKind::Lost | EventKind::PutBack));
        lost.extend(events.iter().map(|event| event.instance));
        if events.iter().any(|event| event.kind == EventKind::Lost) {
            inspector.reconcile(&world, scene);
        }
    }
    if let Some(octree) = world.triangle_tree() {
        let reach = octree.bounds().expanded(glam::Vec3::splat(1.0));
        let outside = world.iter().filter(|(_, live)| !reach.contains(live.now.position));
        lost.extend(outside.map(|(id, _)| id).filter(|id| is_inside_at_start(scene, *id, &reach)));
    }
    let recording = recording.map(|recording| recording.finish(scene, assets)).transpose()?;
    Ok(SimulationResult { hash: inspector.hash(&world), world, times, lost, recording })
}

/// What a scene places outside its level is not lost there.
fn is_inside_at_start(scene: &Scene, id: InstanceId, bounds: &crate::math::Aabb) -> bool {
    scene.instances.get(id).is_some_and(|i| bounds.contains(i.position))
}

fn model_name(scene: &Scene, id: InstanceId) -> &str {
    scene.instances.get(id).map_or("", |instance| scene.model_name(instance))
}

fn status_of(live: &InstanceState) -> &'static str {
    match live.nav {
        NavStatus::Off => "off",
        NavStatus::Waiting => "waiting",
        NavStatus::Walking => "walking",
        NavStatus::Arrived => "arrived",
        NavStatus::Failed(_) => "failed",
    }
}

fn to_json(scene: &Scene, outcome: &SimulationResult) -> Value {
    let world = &outcome.world;
    let names: Vec<String> = names::numbered(scene).iter().map(|row| row.title(scene)).collect();
    let instance = |(index, (id, live)): (usize, (InstanceId, &InstanceState))| {
        let target = scene.instances.get(id).and_then(|i| i.target).and_then(|t| scene.instances.position(t));
        let (status, reason) = (status_of(live), world.path_failure(id));
        let mut out = json!({
            "index": index,
            "name": names.get(index),
            "model": model_name(scene, id),
            "position": live.now.position.to_array(),
            "yaw": live.now.yaw_rad,
            "velocity": live.now.velocity.to_array(),
            "state": live.state.label().to_lowercase(),
            "on_ground": live.on_ground,
            "ground_triangle": live.ground_triangle,
            "target": target,
            "distance_left": live.distance_left,
            "arrived": live.nav == NavStatus::Arrived,
            "status": status,
            "reason": reason,
        });
        if let (Some(running), Some(map)) = (world.behavior(id), out.as_object_mut()) {
            map.insert("behavior".into(), behavior(running));
        }
        out
    };
    let events: serde_json::Map<String, Value> =
        world.event_counts().map(|(kind, count)| (kind.name().to_owned(), json!(count))).collect();
    json!({
        "steps": world.steps(),
        "hash": format!("{:016x}", outcome.hash),
        "step_ms": outcome.times.to_json(),
        "memory": outcome.times.memory_json(),
        "events": events,
        "searches": world.searches(),
        "lost": outcome.lost.len(),
        "instances": world.iter().enumerate().map(instance).collect::<Vec<_>>(),
    })
}

/// The behaviour that an instance lives by, and its active nodes.
fn behavior(running: &TreeInstance) -> Value {
    let active = running.active_nodes().map(|w| {
        let [left, total] = [w.time.map(|t| t.0), w.time.map(|t| t.1)];
        json!({ "node": w.id, "kind": kind::label(w.kind), "left": left, "total": total })
    });
    json!({ "name": running.tree().name, "active": active.collect::<Vec<_>>() })
}

fn to_text(scene: &Scene, outcome: &SimulationResult) -> String {
    let world = &outcome.world;
    let Percentiles { mean, p50, p99 } = outcome.times.summary();
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "{} ({:.1} s), hash {:016x}\nstep: mean {mean:.3} ms, median {p50:.3} ms, p99 {p99:.3} ms\n{}, {} lost",
        counted(world.steps() as usize, "step"),
        world.steps() as f64 * f64::from(STEP_SECS),
        outcome.hash,
        counted(world.len(), "instance"),
        outcome.lost.len(),
    );
    let events: Vec<String> =
        world.event_counts().filter(|(_, n)| *n > 0).map(|(kind, n)| format!("{} {n}", kind.name())).collect();
    let _ = writeln!(out, "events: {}", if events.is_empty() { "none".into() } else { events.join(", ") });
    for (index, (id, live)) in world.iter().enumerate() {
        let (status, reason) = (status_of(live), world.path_failure(id));
        if status == "off" {
            continue;
        }
        let p = live.now.position;
        let left = live.distance_left.map_or_else(String::new, |d| format!(", {d:.1} m left"));
        let reason = reason.map_or_else(String::new, |r| format!(": {r}"));
        let _ = writeln!(
            out,
            "{index:4} {} at {:.2} {:.2} {:.2}, {status}{reason}{left}",
            model_name(scene, id),
            p.x,
            p.y,
            p.z
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn useless_times_are_refused() {
        for seconds in [-1.0, f64::NAN, f64::INFINITY, 1e9] {
            let args = SimulateArgs {
                scene: "none.acfg".into(),
                seconds,
                seed: None,
                threads: 1,
                navigation: None,
                record: None,
                fps: 30,
                json: true,
            };
            let error = run(args).expect_err("refused").to_string();
            assert!(error.contains("--seconds"), "{error}");
        }
    }
}
