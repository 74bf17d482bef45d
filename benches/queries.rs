//! Queries to a navigation mesh, beside what Detour and polyanya take for the same thousand pairs.
//!
//! Their figures were measured on two shared cores of the same kind of machine, on the town's mesh of 1,195 polygons:
//! path with straight path 8.9 µs, nearest 0.25 µs, ray 0.18 µs, shortest path 26.9 µs. The mesh and the pairs are
//! shared data; without them only what a fine mesh of twenty thousand squares takes is told.

#![allow(clippy::unwrap_used, reason = "a bench that cannot read its data has to fail")]

use glam::{DVec3, Vec3};
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use walkabout::nav::mesh::{DynamicMesh, Filter, NavMesh, NavPoint, Obstacle};
use walkabout::nav::planner::{PathResult, Planner, PlannerContext, Query, Tactics};
use walkabout::nav::query::clearance::{ClearancePath, ClearancePaths};
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::nearest::{SearchExtents, nearest};
use walkabout::nav::query::path::{Corridor, CorridorFinder};
use walkabout::nav::query::polyanya::{Polyanya, ShortestPath};
use walkabout::nav::query::raycast::raycast;
use walkabout::nav::tactical::{
    Biases, CoverMap, CoverSettings, Enemy, MapSettings, TacticalQuery, Threats, VisibilityModel, extract,
};

#[path = "../tests/common/pairs.rs"]
mod pairs;

#[path = "../tests/common/fine.rs"]
mod fine;

/// What planners take for pairs on a fine mesh, and how many of those that islands let through get a whole path.
fn report_fine() {
    let fine = fine::Fine::new(160, 5);
    let (filter, mut planning, mut numbers) = (Filter::default(), PlannerContext::new(), fine::Numbers(9));
    let pairs: Vec<(NavPoint, NavPoint)> =
        (0..500).map(|_| (fine.place(&mut numbers), fine.place(&mut numbers))).collect();
    for planner in [Planner::EdgeMidpoints, Planner::Funnel, Planner::Exact, Planner::Tactical] {
        let (mut whole, mut possible, mut found) = (0, 0, PathResult::default());
        let begin = Instant::now();
        for &(start, end) in &pairs {
            let query = ask((start, end), &filter, None);
            planner.find_into(&mut planning, &fine.mesh, &query, &mut found);
            possible += u32::from(fine.islands[start.polygon.index()] == fine.islands[end.polygon.index()]);
            whole += u32::from(found.reason.is_none());
        }
        let micros = begin.elapsed().as_secs_f64() * 1e6 / pairs.len() as f64;
        println!("{:6} squares, {planner:<15}{micros:9.1} us, whole paths for {whole} of {possible}", fine.mesh.len());
    }
}

fn ask<'a>((start, end): (NavPoint, NavPoint), filter: &'a Filter, tactics: Option<Tactics<'a>>) -> Query<'a> {
    Query { tactics, skip_polygons: true, ..Query::new(start, end, filter) }
}

/// All planners as commands and scenes ask them; the tactical one without and with an enemy.
fn report_planners(mesh: &NavMesh, queries: &[(NavPoint, NavPoint)]) {
    let (filter, mut planning, mut found) = (Filter::default(), PlannerContext::new(), PathResult::default());
    let settings = CoverSettings::default();
    let covers = extract(mesh, &settings, |_, _, _| settings.standing_height);
    let map = CoverMap::build(mesh, &covers, &[], MapSettings::default());
    report_removal(mesh, &map);
    let threats = Threats::new(&map, &[Enemy::at(queries[3].0.point)], VisibilityModel::default());
    let biases = Biases::default();
    for planner in Planner::ON_MESH {
        for threats in [None, Some(&threats)] {
            if threats.is_some() && planner != Planner::Tactical {
                continue;
            }
            let name = format!("{planner}{}", if threats.is_some() { ", one enemy" } else { "" });
            let tactics =
                Some(Tactics { threats, markup: None, biases: &biases, excessive_ratio: TacticalQuery::EXCESSIVE });
            report(&name, None, queries, |start, end| {
                planner.find_into(&mut planning, mesh, &ask((start, end), &filter, tactics), &mut found);
                black_box(&found);
            });
        }
    }
}

/// Taking single covers out of a map of the whole level.
fn report_removal(mesh: &NavMesh, map: &CoverMap) {
    let (mut sum, mut longest, mut count) = (0.0, 0.0f64, 0.0);
    for (cover, _) in map.segments() {
        let mut map = map.clone();
        let begin = Instant::now();
        black_box(map.remove(mesh, cover));
        let micros = begin.elapsed().as_secs_f64() * 1e6;
        (sum, longest, count) = (sum + micros, longest.max(micros), count + 1.0);
    }
    println!("{:<24}{:8.1} us, at most {longest:.1} us, of {count} covers", "cover removed", sum / count);
}

/// The mesh and the queries, where they are.
fn read() -> Option<(NavMesh, Vec<(NavPoint, NavPoint)>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("WALKABOUT_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let data = shared.join("data");
    let case = data.join("navmesh").is_dir().then(|| pairs::Case::read(&data, "de_dust_x5", 0.0))?;
    let queries = case.pairs.iter().map(|pair| case.ends(pair)).collect();
    Some((case.mesh, queries))
}

/// Median over passes of the mean time of a query, beside a rival's, both in microseconds.
fn report(
    name: &str,
    rival_us: Option<f64>,
    queries: &[(NavPoint, NavPoint)],
    mut ask: impl FnMut(NavPoint, NavPoint),
) {
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

/// What an obstacle's appearing, moving and vanishing takes, and the first path of a radius of 0.3 m after a move, mean
/// and most over places all over the mesh, while some others stand there. Detour's TileCache takes 48 to 99 µs for one
/// tile of 48 cells, on the same kind of machine.
fn report_obstacles(mesh: &NavMesh, queries: &[(NavPoint, NavPoint)], others: usize) {
    let mut dynamic = DynamicMesh::new(Arc::new(mesh.clone()));
    let shape = |place: NavPoint, turn: usize| {
        let at = mesh.world(place.point);
        if turn.is_multiple_of(2) {
            Obstacle::cuboid(at, DVec3::new(0.8, 2.0, 0.5), turn as f64)
        } else {
            Obstacle::cylinder(at - DVec3::Y, 0.6, 2.0)
        }
    };
    for (i, (start, _)) in queries.iter().rev().take(others).enumerate() {
        let _ = dynamic.add(&shape(*start, i));
    }
    let (mut paths, mut path, filter) = (ClearancePaths::new(), ClearancePath::default(), Filter::default());
    let mut times: [Vec<f64>; 4] = Default::default();
    for (i, &(start, end)) in queries.iter().enumerate().take(queries.len() - others) {
        let (first, second) =
            (shape(start, i), shape(NavPoint { point: start.point + Vec3::new(0.1, 0.0, 0.05), ..start }, i));
        let mut begin = Instant::now();
        let mut lap = |times: &mut Vec<f64>| {
            times.push(begin.elapsed().as_secs_f64() * 1e6);
            begin = Instant::now();
        };
        let Ok(id) = dynamic.add(black_box(&first)) else { continue };
        lap(&mut times[0]);
        let _ = dynamic.set(id, black_box(&second));
        lap(&mut times[1]);
        let now = dynamic.mesh();
        let places =
            [start, end].map(|p| nearest(now, p.point, &SearchExtents::default(), &filter).map(|n| n.nav_point()));
        if let [Some(start), Some(end)] = places {
            let _ = black_box(paths.find(now, start, end, &filter, 0.3, &mut path));
        }
        lap(&mut times[2]);
        let _ = dynamic.remove(id);
        lap(&mut times[3]);
    }
    for (name, mut list) in ["appears", "moves", "is passed", "vanishes"].into_iter().zip(times) {
        list.sort_by(f64::total_cmp);
        let mean = list.iter().sum::<f64>() / list.len() as f64;
        let (median, high) = (list[list.len() / 2], list[list.len() * 99 / 100]);
        println!(
            "obstacle {name:<9} beside {others:3} {mean:7.2} us (median {median:.2}, 99 of 100 below {high:.2}); \
             TileCache 48 to 99"
        );
    }
}

fn main() {
    report_fine();
    let Some((mesh, queries)) = read() else {
        println!("the shared meshes are absent; set WALKABOUT_SHARED to the folder that holds data/");
        return;
    };
    let (filter, reach) = (Filter::default(), SearchExtents::default());
    let (mut finder, mut corridor, mut line) = (CorridorFinder::new(), Corridor::default(), Vec::new());
    report("path, straight path", Some(8.9), &queries, |start, end| {
        let _ = black_box(finder.find(&mesh, start, end, &filter, &mut corridor));
        straight_path(&mesh, &corridor, start.point, end.point, Crossings::None, &mut line);
        black_box(&line);
    });
    report("nearest", Some(0.25), &queries, |start, _| {
        black_box(nearest(&mesh, start.point, &reach, &filter));
    });
    report("ray", Some(0.18), &queries, |start, end| {
        black_box(raycast(&mesh, start, end.point, &filter, |_| ()));
    });
    let (mut exact, mut shortest) = (Polyanya::new(), ShortestPath::default());
    report("exact path", Some(26.9), &queries, |start, end| {
        let _ = black_box(exact.find(&mesh, start, end, &filter, &mut shortest));
    });
    let (mut paths, mut wide) = (ClearancePaths::new(), ClearancePath::default());
    for radius in [0.3, 1.2] {
        report(&format!("path, radius {radius}"), None, &queries, |start, end| {
            let _ = black_box(paths.find(&mesh, start, end, &filter, radius, &mut wide));
        });
    }
    report_planners(&mesh, &queries);
    for others in [0, 20, 200] {
        report_obstacles(&mesh, &queries, others);
    }
}
