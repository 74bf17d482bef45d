//! A thousand agents at a doorway and on a plaza, and a thousand new paths on the town's mesh.
//!
//! Steps are timed on one thread. Overlaps are shares of the sum of two radii, per agent and step; an agent is stuck
//! while it wants to walk and is slower than 0.1 m/s. DetourCrowd left 449 of a thousand agents waiting for their paths
//! on the town's mesh after five seconds. That mesh and its pairs are shared data; without them that part is left out.

#![allow(clippy::unwrap_used, reason = "a bench that cannot read its data has to fail")]

use glam::{DVec3, Vec3};
use std::path::PathBuf;
use std::time::Instant;
use walkabout::nav::crowd::{AgentSettings, AgentState, Budget, Crowd};
use walkabout::nav::mesh::{Filter, NavMesh, RawMesh, RawPolygon};

#[path = "../tests/common/pairs.rs"]
#[allow(dead_code, reason = "paths alone are asked for")]
mod pairs;

const DT_SECS: f32 = 1.0 / 60.0;
const MAX_SECS: f32 = 600.0;
/// What a thousand new paths on the town's mesh may take.
const MOST_PATHS_MS: f32 = 4.0;

/// A flat floor of the rectangles between these lines that `open` leaves open.
fn floor(xs: &[f64], zs: &[f64], open: impl Fn(usize, usize) -> bool) -> Option<NavMesh> {
    let mut raw = RawMesh::default();
    for z in zs {
        raw.vertices.extend(xs.iter().map(|x| DVec3::new(*x, 0.0, *z)));
    }
    let width = xs.len() as u32;
    for z in 0..zs.len() as u32 - 1 {
        for x in (0..width - 1).filter(|&x| open(x as usize, z as usize)) {
            let a = z * width + x;
            raw.polygons.push(RawPolygon::new([a, a + 1, a + width + 1, a + width]));
        }
    }
    raw.validate().ok()
}

/// Value below which this share of the sorted values lies.
fn share(sorted: &[f32], share: f64) -> f32 {
    sorted.get(((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// Depths of overlaps as shares of the radii, of every agent with any other.
fn overlaps(crowd: &Crowd, out: &mut Vec<f32>) {
    let mut all: Vec<(f32, f32, f32)> =
        crowd.iter().map(|(_, a)| (a.position().x, a.position().z, a.settings().radius)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut deepest = vec![0.0f32; all.len()];
    for i in 0..all.len() {
        let (x, z, radius) = all[i];
        for k in i + 1..all.len() {
            let (other_x, other_z, other_radius) = all[k];
            if other_x - x > 1.0 {
                break;
            }
            let depth = 1.0 - (other_x - x).hypot(other_z - z) / (radius + other_radius);
            deepest[i] = deepest[i].max(depth);
            deepest[k] = deepest[k].max(depth);
        }
    }
    out.extend(deepest);
}

/// Lets agents walk from the first to the second of their places until all have arrived.
fn walk(name: &str, mesh: &NavMesh, ways: &[(Vec3, Vec3)]) {
    let (mut crowd, filter) = (Crowd::new(), Filter::default());
    for &(from, to) in ways {
        if let Some(id) = crowd.add(mesh, from, &AgentSettings::default()) {
            crowd.set_goal(id, Some(to));
        }
    }
    let (mut times, mut depths, mut stuck) = (Vec::new(), Vec::new(), vec![0.0f32; crowd.len()]);
    let (mut arrived, mut secs) = (0, 0.0);
    while arrived < crowd.len() && secs < MAX_SECS {
        let begin = Instant::now();
        crowd.step(mesh, &filter, DT_SECS, Budget::default());
        times.push(begin.elapsed().as_secs_f32() * 1e3);
        secs += DT_SECS;
        arrived = 0;
        for ((_, agent), stuck) in crowd.iter().zip(&mut stuck) {
            arrived += usize::from(agent.state() == AgentState::Arrived);
            let stands = agent.velocity().length() < 0.1;
            *stuck += if agent.state() == AgentState::Walking && stands { DT_SECS } else { 0.0 };
        }
        overlaps(&crowd, &mut depths);
    }
    let mean = times.iter().sum::<f32>() / times.len().max(1) as f32;
    for list in [&mut times, &mut depths, &mut stuck] {
        list.sort_by(f32::total_cmp);
    }
    println!("{name}: {} agents, {arrived} arrived within {secs:.1} s", crowd.len());
    println!("  step on one thread: {mean:.3} ms in the mean, p99 {:.3} ms", share(&times, 0.99));
    println!("  overlap: p99 {:.3}, most {:.3} of the radii", share(&depths, 0.99), share(&depths, 1.0));
    let mean = stuck.iter().sum::<f32>() / stuck.len().max(1) as f32;
    println!("  stuck: {mean:.1} s in the mean, p99 {:.1} s", share(&stuck, 0.99));
}

/// Two halls of 40 by 40 metres with a door 4 metres wide; half of the agents come from either side.
fn doorway() {
    let Some(mesh) = floor(&[-40.0, -20.0, -0.2, 0.2, 20.0, 40.0], &[-20.0, -2.0, 2.0, 20.0], |x, z| x != 2 || z == 1)
    else {
        return;
    };
    let ways: Vec<_> = (0..1000)
        .map(|i| {
            let (side, i) = (f64::from(i % 2) * 2.0 - 1.0, i / 2);
            let (x, z) = (4.0 + 1.2 * f64::from(i % 20), -15.0 + 1.2 * f64::from(i / 20));
            let at = |x, z| mesh.local(DVec3::new(x, 0.0, z));
            (at(side * x, z), at(-side * x, z + 0.01))
        })
        .collect();
    walk("doorway 4 m wide, both directions", &mesh, &ways);
}

/// A plaza of 60 by 60 metres which four streams cross.
fn plaza() {
    let Some(mesh) = floor(&[-30.0, 0.0, 30.0], &[-30.0, 0.0, 30.0], |_, _| true) else { return };
    let ways: Vec<_> = (0..1000)
        .map(|i| {
            let (side, i) = (i % 4, i / 4);
            let (along, across) = (-28.0 + 0.9 * f64::from(i % 10), -14.0 + 1.15 * f64::from(i / 10));
            let turn = |x: f64, z: f64| match side {
                0 => (x, z),
                1 => (-x, -z),
                2 => (z, x),
                _ => (-z, -x),
            };
            let at = |(x, z)| mesh.local(DVec3::new(x, 0.0, z));
            (at(turn(along, across)), at(turn(along + 47.0, across)))
        })
        .collect();
    walk("plaza, four streams", &mesh, &ways);
}

/// A thousand agents get their paths in one step.
fn paths() -> Option<()> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("WALKABOUT_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let data = shared.join("data");
    let pairs::Case { mesh, pairs, .. } =
        data.join("navmesh").is_dir().then(|| pairs::Case::read(&data, "de_dust_x5", 0.0))?;
    let (mut times, mut waiting, mut expanded, mut agents) = (Vec::new(), 0, 0, 0);
    for _ in 0..21 {
        let (mut crowd, filter) = (Crowd::new(), Filter::default());
        let settings = AgentSettings { clearance: 0.0, ..AgentSettings::default() };
        let added: Vec<_> =
            pairs.iter().take(1000).map(|p| (crowd.add(&mesh, mesh.local(p.start), &settings), p.end)).collect();
        // What is known of the mesh is found out in the first step, once.
        crowd.step(&mesh, &filter, 0.0, Budget::ALL);
        let begin = Instant::now();
        for &(id, end) in &added {
            if let Some(id) = id {
                crowd.set_goal(id, Some(mesh.local(end)));
            }
        }
        crowd.step(&mesh, &filter, 0.0, Budget::ALL);
        times.push(begin.elapsed().as_secs_f32() * 1e3);
        waiting = crowd.iter().filter(|a| a.1.state() == AgentState::Waiting).count();
        (expanded, agents) = (crowd.stats().expanded, crowd.len());
    }
    times.sort_by(f32::total_cmp);
    let (median, least) = (share(&times, 0.5), times[0]);
    println!("{agents} new paths on the town's mesh: {median:.2} ms in all (least {least:.2}), {waiting} waiting,");
    println!(
        "  {expanded} polygons expanded; {:.2} of the {MOST_PATHS_MS} ms that they may take",
        median / MOST_PATHS_MS
    );
    Some(())
}

fn main() {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return };
    pool.install(|| {
        if paths().is_none() {
            println!("the shared meshes are absent; set WALKABOUT_SHARED to the folder that holds data/");
        }
        doorway();
        plaza();
    });
}
