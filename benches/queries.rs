//! Queries to a navigation mesh, beside what Detour and polyanya take for the same thousand pairs.
//!
//! Their figures were measured on two shared cores of the same kind of machine, on the town's mesh of 1,195 polygons:
//! path with straight path 8.9 µs, nearest 0.25 µs, ray 0.18 µs, shortest path 26.9 µs. The mesh and the pairs are
//! shared data; without them there is nothing to compare with.

#![allow(clippy::unwrap_used, reason = "a bench that cannot read its data has to fail")]

use glam::Vec3;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;
use walkabout::nav::mesh::{Filter, NavMesh, PolyId};
use walkabout::nav::query::exact::{Exact, ExactPath};
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::nearest::{Reach, nearest};
use walkabout::nav::query::path::{Corridor, PathFinder};
use walkabout::nav::query::radius::{RadiusPath, RadiusPaths};
use walkabout::nav::query::raycast::raycast;

#[path = "../tests/common/pairs.rs"]
mod pairs;

type Place = (PolyId, Vec3);

/// The mesh and the queries, where they are.
fn read() -> Option<(NavMesh, Vec<(Place, Place)>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("WALKABOUT_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let data = shared.join("data");
    let case = data.join("navmesh").is_dir().then(|| pairs::Case::read(&data, "de_dust_x5", 0.0))?;
    let queries = case.pairs.iter().map(|pair| case.ends(pair)).collect();
    Some((case.mesh, queries))
}

fn report(name: &str, rival_us: Option<f64>, queries: &[(Place, Place)], mut ask: impl FnMut(Place, Place)) {
    let mut passes: Vec<f64> = (0..101)
        .map(|_| {
            let begin = Instant::now();
            queries.iter().for_each(|&(start, end)| ask(start, end));
            begin.elapsed().as_secs_f64() * 1e6 / queries.len() as f64
        })
        .collect();
    passes.sort_by(f64::total_cmp);
    let (median, least) = (passes[passes.len() / 2], passes[0]);
    let ratio = rival_us.map_or(String::new(), |r| format!("{:6.1} times faster", r / median));
    println!("{name:<22}{median:9.3} us (least {least:.3}) {ratio}");
}

fn main() {
    let Some((mesh, queries)) = read() else {
        println!("the shared meshes are absent; set WALKABOUT_SHARED to the folder that holds data/");
        return;
    };
    let (filter, reach) = (Filter::default(), Reach::default());
    let (mut finder, mut corridor, mut line) = (PathFinder::new(), Corridor::default(), Vec::new());
    report("path, straight path", Some(8.9), &queries, |start, end| {
        let _ = black_box(finder.find(&mesh, start, end, &filter, &mut corridor));
        straight_path(&mesh, &corridor, start.1, end.1, Crossings::None, &mut line);
        black_box(&line);
    });
    report("nearest", Some(0.25), &queries, |start, _| {
        black_box(nearest(&mesh, start.1, &reach, &filter));
    });
    report("ray", Some(0.18), &queries, |start, end| {
        black_box(raycast(&mesh, start, end.1, &filter, |_| ()));
    });
    let (mut exact, mut shortest) = (Exact::new(), ExactPath::default());
    report("exact path", Some(26.9), &queries, |start, end| {
        let _ = black_box(exact.find(&mesh, start, end, &filter, &mut shortest));
    });
    let (mut paths, mut wide) = (RadiusPaths::new(), RadiusPath::default());
    for radius in [0.3, 1.2] {
        report(&format!("path, radius {radius}"), None, &queries, |start, end| {
            let _ = black_box(paths.find(&mesh, start, end, &filter, radius, &mut wide));
        });
    }
}
