//! Navigation as it shows from outside: meshes, queries and formats by the modules of `nav`; walked lines on Walkabout's
//! own levels stay on the ground and pass no wall.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a level has to fail")]

#[path = "nav/bake.rs"]
mod bake;
#[path = "nav/bake_fixture.rs"]
mod bake_fixture;
#[path = "nav/bake_ground.rs"]
mod bake_ground;
#[path = "nav/clearance.rs"]
mod clearance;
#[path = "nav/cover_maps.rs"]
mod cover_maps;
#[path = "common/cover_rays.rs"]
mod cover_rays;
#[path = "nav/exchange.rs"]
mod exchange;
#[path = "common/fine.rs"]
mod fine;
#[path = "nav/fixture.rs"]
#[allow(dead_code, reason = "tests from inside use the rest")]
mod fixture;
#[path = "nav/from_level.rs"]
mod from_level;
#[path = "nav/linked_paths.rs"]
mod linked_paths;
#[path = "nav/obstacles.rs"]
mod obstacles;
#[path = "nav/off_mesh.rs"]
mod off_mesh;
#[path = "nav/original.rs"]
mod original;
#[path = "nav/planners.rs"]
mod planners;
#[path = "nav/queries.rs"]
mod queries;
#[path = "nav/query_tool.rs"]
mod query_tool;
#[path = "nav/search.rs"]
mod search;
#[path = "nav/shadows.rs"]
mod shadows;
#[path = "nav/source_nav.rs"]
mod source_nav;
#[path = "nav/tactical.rs"]
mod tactical;
#[path = "nav/tactical_fixture.rs"]
#[allow(dead_code, reason = "tests from inside use the rest")]
mod tactical_fixture;
#[path = "nav/tactical_grid.rs"]
mod tactical_grid;
#[path = "common/walked.rs"]
mod walked;

use glam::{Mat4, Vec3};
use std::path::Path;
use walkabout::asset::level::append_triangles;
use walkabout::asset::{LevelTriangle, NodeTransforms};
use walkabout::nav::bake::{BakeSettings, bake, silent};
use walkabout::nav::mesh::from_level::{GroundSettings, LevelMesh};
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use walkabout::nav::planner::{Planner, PlannerContext, Query};
use walkabout::nav::query::nearest::{SearchExtents, nearest};
use walkabout::nav::query::surface::Surface;
use walkabout::scene::SceneNav;

fn level(file: &str, scale: f32) -> Vec<LevelTriangle> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let model = walkabout::asset::import::import_file(&path).unwrap();
    let mut triangles = Vec::new();
    let placed = Mat4::from_scale(glam::Vec3::splat(scale));
    append_triangles(&model, &placed, NodeTransforms::All, &mut triangles);
    triangles
}

/// The levels that come with the program.
const LEVELS: [(&str, u64); 3] = [("plaza.glb", 1), ("courtyard.fbx", 2), ("arena.obj", 3)];

#[test]
fn n_04_paths_of_every_planner_stay_on_every_level() {
    for (file, seed) in LEVELS {
        let triangles = level(&format!("assets/levels/{file}"), 1.0);
        let settings = BakeSettings { slope_rad: 39.9_f32.to_radians(), ..SceneNav::default().bake };
        // The arena has a ramp of 40 degrees, give or take a rounding.
        let judge = walked::Judge::new(&triangles, 40_f32.to_radians(), settings.agent_climb);
        let corners: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.points).collect();
        let mesh = bake(&corners, &settings, &mut silent).unwrap().nav_mesh().unwrap();
        let points = Planner::ON_MESH.map(|planner| (planner, 0.0));
        walked::paths_are_clean(file, &mesh, &judge, &[&points[..], &walked::AGENTS].concat(), seed);
    }
}

#[test]
fn n_04_paths_over_a_mesh_of_the_levels_triangles_stay_on_them() {
    for (file, seed) in LEVELS {
        let triangles = level(&format!("assets/levels/{file}"), 1.0);
        let settings = GroundSettings::default();
        let judge = walked::Judge::new(&triangles, settings.slope_rad, settings.step_height);
        let mesh = LevelMesh::build(&triangles, &settings).nav_mesh().unwrap();
        walked::paths_are_clean(file, &mesh, &judge, &walked::AGENTS, seed);
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
            let query = Query { skip_polygons: false, ..walked::ask(start, end, &filter) };
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
            let query = Query { radius, ..walked::ask(ends[0], ends[1], &filter) };
            let found = name.find(&mut planning, mesh, &query);
            found.reason.is_none().then_some(found.length_2d)
        };
        let (mut reached, mut apart, mut sums) = (0, 0, [0.0, 0.0]);
        for pair in places.chunks_exact(2) {
            let on_eroded = find(&eroded, Planner::Exact, [pair[0].0, pair[1].0], 0.0);
            let ends = [pair[0].1, pair[1].1];
            let [thin, same, wide] =
                [-slack, 0.0, slack].map(|more| find(&whole, Planner::Exact, ends, (radius + more).max(0.0)));
            let walked = find(&whole, Planner::Funnel, ends, radius);
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
                let (same, walked) = (same.unwrap(), walked.unwrap());
                assert!(same <= wide + 0.01, "less room takes no shorter way: {same} {wide}");
                assert!(same <= walked + 0.01, "{same} m is no shortest way: the funnel takes {walked} m");
                reached += 1;
                sums[0] += walked;
                sums[1] += shortest;
            }
        }
        println!("radius {radius}: {reached} reached, {apart} apart, {sums:.1?} m");
        assert!(reached >= 5, "radius {radius}: {reached} reached, {apart} apart");
        assert!((sums[0] / sums[1] - 1.0).abs() < 0.05, "radius {radius}: {sums:?} m");
    }
}
