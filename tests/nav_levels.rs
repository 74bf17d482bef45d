//! Walked lines on Walkabout's own levels stay on the ground and pass no wall.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a level has to fail")]

#[path = "common/fine.rs"]
mod fine;
#[path = "common/walked.rs"]
mod walked;

use glam::{Mat4, Vec3};
use std::path::Path;
use walkabout::asset::level::append_triangles;
use walkabout::asset::{LevelTriangle, NodeTransforms};
use walkabout::nav::bake::{BakeSettings, bake, silent};
use walkabout::nav::ground::{Adjacency, GroundGraph, GroundNode, GroundSettings};
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use walkabout::nav::path::PathFinder;
use walkabout::nav::planner::{Planner, PlannerContext, Query, SearchHints};
use walkabout::nav::query::nearest::{SearchExtents, nearest};
use walkabout::nav::query::surface::Surface;
use walkabout::scene::SceneNav;

/// Asks for points alone, for somebody without a radius.
fn ask<'a>(start: NavPoint, end: NavPoint, filter: &'a Filter) -> Query<'a> {
    let (tactics, links) = (None, None);
    Query { start, end, filter, radius: 0.0, tactics, links, hints: SearchHints::default(), skip_polygons: true }
}

fn level(file: &str, scale: f32) -> Vec<LevelTriangle> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let model = walkabout::asset::import::import_file(&path).unwrap();
    let mut triangles = Vec::new();
    let placed = Mat4::from_scale(glam::Vec3::splat(scale));
    append_triangles(&model, &placed, NodeTransforms::All, &mut triangles);
    triangles
}

#[test]
fn plaza_lines_are_clean() {
    let triangles = level("assets/levels/plaza.glb", 1.0);
    let settings = GroundSettings { slope_rad: 40_f32.to_radians(), step_height: 0.4, adjacency: Adjacency::Shared };
    let graph = GroundGraph::build(&triangles, &settings);
    let judge = walked::Judge::new(&triangles, settings.slope_rad, settings.step_height);
    let mut finder = PathFinder::default();
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        GroundNode(((seed >> 33) % graph.len() as u64) as u32)
    };
    let (mut found, mut faults) = (0, Vec::new());
    for _ in 0..1000 {
        let (start, target) = (random(), random());
        let path = finder.find_path(&graph, start, target);
        if path.outcome.is_ok() && start != target {
            found += 1;
            faults.extend(judge.faults(&path.points));
        }
    }
    assert!(found > 200, "{found} paths");
    assert!(faults.is_empty(), "{} faults in {found} paths: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
}

/// How far the heights of a mesh may lie from the ground, metres: much less than the height of a floor.
const REACH: f32 = 0.8;

/// A line over the mesh, a point every ten centimetres, world space.
fn draped(mesh: &NavMesh, points: &[Vec3]) -> Vec<Vec3> {
    let close = SearchExtents { half_extents: Vec3::new(0.01, 0.6, 0.01), climb: 0.0 };
    let (mut out, mut last) = (Vec::new(), points[0]);
    for leg in points.windows(2) {
        let pieces = (leg[0].with_y(0.0).distance(leg[1].with_y(0.0)) / 0.1).ceil().max(1.0) as u32;
        for k in 0..pieces {
            let p = leg[0].lerp(leg[1], k as f32 / pieces as f32).with_y(last.y);
            let under = nearest(mesh, p, &close, &Filter::default());
            let under = under.unwrap_or_else(|| panic!("{points:?} leaves the mesh at {p}"));
            last = p.with_y(mesh.height_at(under.polygon, p));
            out.push(mesh.world(last).as_vec3());
        }
    }
    out
}

#[test]
fn n_04_paths_of_every_planner_stay_on_every_level() {
    for (file, seed) in [("plaza.glb", 1), ("courtyard.fbx", 2), ("arena.obj", 3)] {
        let triangles = level(&format!("assets/levels/{file}"), 1.0);
        let settings = BakeSettings { slope_rad: 39.9_f32.to_radians(), ..SceneNav::default().bake };
        // The arena has a ramp of 40 degrees, give or take a rounding.
        let judge = walked::Judge::new(&triangles, 40_f32.to_radians(), settings.agent_climb);
        let corners: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.points).collect();
        let mesh = bake(&corners, &settings, &mut silent).unwrap().nav_mesh().unwrap();
        let (mut planning, filter, mut seed) = (PlannerContext::new(), Filter::default(), seed as u64);
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f32 / (1u64 << 31) as f32
        };
        let (mut found, mut faults) = (0, Vec::new());
        let mut place = || {
            let id = PolyId((random() * mesh.len() as f32) as u32 % mesh.len() as u32);
            let corners = mesh.corners_of(id);
            let corner = corners[(random() * corners.len() as f32) as usize % corners.len()];
            NavPoint::new(id, mesh.polygon(id).center.lerp(corner, random() * 0.98))
        };
        for round in 0..400 {
            let (start, end) = (place(), place());
            let planner = Planner::ON_MESH[round % Planner::ON_MESH.len()];
            let radius = if planner.takes_any_radius() && round % 2 == 0 { 0.2 } else { 0.0 };
            let query = Query { radius, ..ask(start, end, &filter) };
            let path = planner.find(&mut planning, &mesh, &query);
            if path.reason.is_none() {
                found += 1;
                let line = draped(&mesh, &path.points);
                faults.extend(judge.faults_along(&line, REACH).into_iter().map(|f| format!("{planner}: {f}")));
            }
        }
        assert!(found > 100, "{file}: {found} paths");
        assert!(faults.is_empty(), "{file}: {} faults: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
    }
}

/// The length of a line on the mesh is never less than the straight one and, in one island, there always is a line.
#[test]
fn n_03_every_pair_of_a_fine_mesh_is_joined_or_refused() {
    let fine = fine::Fine::new(150, 5);
    assert!(fine.mesh.len() > 15_000, "{}", fine.mesh.len());
    let (filter, mut planning, mut numbers) = (Filter::default(), PlannerContext::new(), fine::Numbers(9));
    let (mut whole, mut refused) = (0, 0);
    for round in 0..300 {
        let (start, end) = (fine.place(&mut numbers), fine.place(&mut numbers));
        let reachable = fine.islands[start.polygon.index()] == fine.islands[end.polygon.index()];
        for name in [Planner::EdgeMidpoints, Planner::Funnel, Planner::Exact, Planner::Tactical] {
            let query = Query { skip_polygons: false, ..ask(start, end, &filter) };
            let found = name.find(&mut planning, &fine.mesh, &query);
            let say = format!("pair {round}, {name}: {:?}", found.reason);
            assert_eq!(found.reason.is_none(), reachable, "{say}");
            if !reachable {
                assert!(found.points.is_empty() && found.expanded == 0, "{say}");
                refused += 1;
                continue;
            }
            whole += 1;
            let near = |a: Vec3, b: Vec3| a.distance(b) < 0.25;
            assert!(
                near(found.points[0], start.point) && near(found.points[found.points.len() - 1], end.point),
                "{say}"
            );
            assert_eq!(
                (found.polygons.first(), found.polygons.last()),
                (Some(&start.polygon), Some(&end.polygon)),
                "{say}"
            );
            for pair in found.polygons.windows(2) {
                assert!(fine.mesh.edges_of(pair[0]).iter().any(|e| e.neighbor == pair[1].0), "{say}: {pair:?}");
            }
        }
    }
    assert!(whole > 400 && refused > 40, "{whole} paths, {refused} refusals");
}

/// A mesh baked for agents of radius 0 answers for any radius what a mesh eroded by that radius does, as far as the
/// voxels of the erosion allow.
///
/// How far they allow it (all in metres): outlines are cut straight within `edge_error_cells` cells on either mesh, the
/// erosion counts in whole cells, and its distances (2-3 chamfer) are up to 12 % more than the true ones. So the eroded
/// mesh lies between the places with clearance `radius + slack` and those with `radius - slack`.
#[test]
fn n_01_one_mesh_answers_like_meshes_eroded_per_radius() {
    let triangles: Vec<[Vec3; 3]> = level("assets/levels/plaza.glb", 1.0).iter().map(|t| t.points).collect();
    let baked = |radius: f32| {
        let settings = BakeSettings {
            cell_size: 0.12,
            agent_radius: radius,
            region_min_cells: 0,
            slope_rad: 39.9_f32.to_radians(),
            ..SceneNav::default().bake
        };
        (bake(&triangles, &settings, &mut silent).unwrap().nav_mesh().unwrap(), settings)
    };
    let (whole, settings) = baked(0.0);
    let (filter, mut planning, mut surface) = (Filter::default(), PlannerContext::new(), Surface::new());
    for radius in [0.35_f32, 0.7] {
        let eroded = baked(radius).0;
        let slack = settings.cell_size * (2.0 * settings.edge_error_cells + 1.0) + 0.12 * radius;
        let mut numbers = fine::Numbers(17);
        let mut places = Vec::new();
        // Roofs and walls are islands too; most places lie where people walk.
        let island = |p: usize| eroded.polygon(PolyId(p as u32)).island;
        let size = |c: u32| (0..eroded.len()).filter(|&p| island(p) == c).count();
        let main = (0..eroded.len()).map(island).max_by_key(|&c| size(c)).unwrap();
        while places.len() < 600 {
            let id = PolyId(numbers.below(eroded.len()) as u32);
            if eroded.polygon(id).island != main && places.len() % 8 > 0 {
                continue;
            }
            let corners = eroded.corners_of(id);
            let corner = corners[numbers.below(corners.len())];
            let point = eroded.polygon(id).center.lerp(corner, numbers.below(95) as f32 * 0.01);
            let close = SearchExtents { half_extents: Vec3::new(slack, 0.5, slack), climb: 0.4 };
            let on = nearest(&whole, whole.local(eroded.world(point)), &close, &filter).unwrap();
            let clearance = surface.wall_distance(&whole, on.nav_point(), 9.0, &filter);
            let clearance = clearance.map_or(9.0, |w| w.distance);
            assert!(clearance > radius - slack, "{point} keeps {clearance} m, not {radius} less {slack}");
            places.push((NavPoint::new(id, point), on.nav_point(), clearance));
        }
        let mut find = |mesh: &NavMesh, name: Planner, ends: [NavPoint; 2], radius: f32| {
            let query = Query { radius, ..ask(ends[0], ends[1], &filter) };
            let found = name.find(&mut planning, mesh, &query);
            found.reason.is_none().then_some(found.length_2d)
        };
        let (mut reached, mut apart, mut sums) = (0, 0, [0.0, 0.0]);
        for pair in places.chunks_exact(2) {
            let on_eroded = find(&eroded, Planner::Exact, [pair[0].0, pair[1].0], 0.0);
            let ends = [pair[0].1, pair[1].1];
            let [thin, same, wide] =
                [-slack, 0.0, slack].map(|more| find(&whole, Planner::Funnel, ends, (radius + more).max(0.0)));
            match on_eroded {
                Some(_) => assert!(thin.is_some(), "reached with radius {radius}, not with {slack} less: {pair:?}"),
                None => apart += 1,
            }
            if pair.iter().any(|p| p.2 < radius + slack) {
                continue;
            }
            if let Some(wide) = wide {
                let shortest = on_eroded.unwrap_or_else(|| panic!("reached with {slack} more than {radius}: {pair:?}"));
                assert!(shortest <= wide + 0.01, "{shortest} m on the eroded mesh, {wide} m around it: {pair:?}");
                let same = same.unwrap();
                assert!(same <= wide + 0.5, "less room takes no shorter way: {same} {wide}");
                reached += 1;
                sums[0] += same;
                sums[1] += shortest;
            }
        }
        println!("radius {radius}: {reached} reached, {apart} apart, {sums:.1?} m");
        assert!(reached >= 5, "radius {radius}: {reached} reached, {apart} apart");
        assert!((sums[0] / sums[1] - 1.0).abs() < 0.05, "radius {radius}: {sums:?} m");
    }
}
