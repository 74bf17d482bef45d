//! Meshes of small levels by hand: what hangs together, and what paths lead over it.

use crate::fixture::{degenerate_triangles, floor, quad, wall};
use glam::{Vec2, Vec3};
use proptest::prelude::*;
use walkabout::asset::LevelTriangle;
use walkabout::math::plan::{area, distance};
use walkabout::math::triangle;
use walkabout::nav::mesh::from_level::*;
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use walkabout::nav::planner::{Planner, PlannerContext, Query};
use walkabout::nav::query::nearest::{SearchExtents, nearest};

/// A box with sides and a lid.
fn block(x: [f32; 2], y: [f32; 2], z: [f32; 2], level: &mut Vec<LevelTriangle>) {
    floor(x, y[1], z, level);
    let p = Vec3::new;
    for x in x {
        wall(x, y, z, level);
    }
    for z in z {
        quad([p(x[0], y[0], z), p(x[1], y[0], z), p(x[1], y[1], z), p(x[0], y[1], z)], level);
    }
}

fn mesh_of(level: &[LevelTriangle]) -> NavMesh {
    let built = LevelMesh::build(level, &GroundSettings::default());
    assert_eq!(built.triangle.len(), built.mesh.polygons.len());
    built.nav_mesh().unwrap()
}

/// Area of a mesh seen from above, square metres.
fn plan_area(mesh: &NavMesh) -> f64 {
    (0..mesh.len() as u32).map(PolyId).map(|id| area(&mesh.corners(id).collect::<Vec<_>>()).abs()).sum()
}

/// Points of the shortest path from (-2, 0) to (2, 0) in local space; `None` when none leads there.
fn path(level: &[LevelTriangle], y: [f32; 2], radius: f32) -> Option<Vec<Vec3>> {
    let (mesh, filter) = (mesh_of(level), Filter::default());
    let place = |x: f32, y: f32| {
        let at = mesh.local(Vec3::new(x, y, 0.0).as_dvec3());
        nearest(&mesh, at, &SearchExtents::default(), &filter).unwrap()
    };
    let [start, end] = [place(-2.0, y[0]), place(2.0, y[1])].map(|n| NavPoint::new(n.polygon, n.point));
    let query = Query { radius, skip_polygons: true, ..Query::new(start, end, &filter) };
    let found = Planner::Exact.find(&mut PlannerContext::new(), &mesh, &Query { radius: 0.0, ..query });
    let funnel = Planner::Funnel.find(&mut PlannerContext::new(), &mesh, &query);
    assert_eq!(found.reason.is_none(), funnel.reason.is_none());
    found.reason.is_none().then_some(if radius > 0.0 { funnel.points } else { found.points })
}

/// Plan-view length of that path.
fn length(level: &[LevelTriangle], y: [f32; 2]) -> Option<f32> {
    path(level, y, 0.0).map(|points| points.windows(2).map(|leg| distance(leg[0], leg[1])).sum())
}

/// Requirement: E-2
#[test]
fn floors_that_share_a_part_of_an_edge_are_neighbors() {
    let mut level = Vec::new();
    floor([-4.0, 0.0], 0.0, [-4.0, 4.0], &mut level);
    floor([0.0, 4.0], 0.0, [-1.0, 9.0], &mut level);
    assert!((length(&level, [0.0; 2]).unwrap() - 4.0).abs() < 1e-3);
    assert_eq!(mesh_of(&level).island_count(), 1);
}

#[test]
fn steps_up_to_the_height_are_climbed_and_no_higher_ones() {
    for (height, passes) in [(0.3, true), (0.39, true), (0.5, false)] {
        let mut level = Vec::new();
        floor([-4.0, 0.0], 0.0, [-4.0, 4.0], &mut level);
        floor([0.0, 4.0], height, [-4.0, 4.0], &mut level);
        assert_eq!(length(&level, [0.0, height]).is_some(), passes, "a step of {height} m");
        let mesh = mesh_of(&level);
        let (filter, at) = (Filter::default(), mesh.local(Vec3::new(1.0, height, 0.5).as_dvec3()));
        let polygon = nearest(&mesh, at, &SearchExtents::default(), &filter).unwrap().polygon;
        assert!((mesh.height_at(polygon, at) - at.y).abs() < 1e-3, "the tread keeps its height");
    }
}

#[test]
fn paths_over_a_flight_of_stairs_are_straight() {
    let mut level = Vec::new();
    floor([-4.0, -1.5], 0.0, [-2.0, 2.0], &mut level);
    for i in 0..10 {
        let (x, y) = (-1.5 + 0.3 * i as f32, 0.17 * (i + 1) as f32);
        block([x, x + 0.3], [y - 0.17, y], [-2.0, 2.0], &mut level);
    }
    floor([1.5, 4.0], 1.7, [-2.0, 2.0], &mut level);
    let points = path(&level, [0.0, 1.7], 0.0).unwrap();
    assert_eq!(points.len(), 2, "{points:?}");
}

#[test]
fn no_path_leads_through_a_wall_but_one_round_its_end() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    wall(0.0, [0.0, 3.0], [-4.0, 2.0], &mut level);
    let round = length(&level, [0.0; 2]).unwrap();
    // Past the end of the wall at z = 2.
    assert!((2.0 * 8.0_f32.sqrt()..6.0).contains(&round), "{round}");
    wall(0.0, [0.0, 3.0], [2.0, 4.0], &mut level);
    assert_eq!(length(&level, [0.0; 2]), None);
}

#[test]
fn e_03_paths_keep_their_radius_from_the_end_of_a_wall() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    wall(0.0, [0.0, 3.0], [-4.0, 2.0], &mut level);
    let mesh = mesh_of(&level);
    let end = mesh.local(Vec3::new(0.0, 0.0, 2.0).as_dvec3());
    for radius in [0.3, 0.6] {
        let points = path(&level, [0.0; 2], radius).unwrap();
        let apart = |leg: &[Vec3]| {
            distance(walkabout::math::plan::closest_on_segment(leg[0], leg[1], end.with_y(leg[0].y)), end)
        };
        let least = points.windows(2).map(apart).fold(f32::INFINITY, f32::min);
        assert!(least > 0.98 * radius, "{least} m for {radius} m");
    }
}

#[test]
fn the_floor_below_a_bridge_and_steep_faces_are_kept_apart() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    floor([-4.0, 4.0], 3.0, [-1.0, 1.0], &mut level);
    assert_eq!(length(&level, [0.0, 3.0]), None);
    let mut level = Vec::new();
    floor([-4.0, 0.0], 0.0, [-4.0, 4.0], &mut level);
    let p = Vec3::new;
    quad([p(0.0, 0.0, -4.0), p(0.0, 0.0, 4.0), p(1.0, 3.0, 4.0), p(1.0, 3.0, -4.0)], &mut level);
    floor([1.0, 4.0], 3.0, [-4.0, 4.0], &mut level);
    assert_eq!(length(&level, [0.0, 3.0]), None);
}

#[test]
fn ground_modelled_twice_is_one_floor() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    floor([-3.0, 3.0], 0.0, [-3.0, 3.0], &mut level);
    floor([-1.0, 1.0], 0.02, [-1.0, 1.0], &mut level);
    let mesh = mesh_of(&level);
    assert!((plan_area(&mesh) - 64.0).abs() < 0.1, "{} m2", plan_area(&mesh));
    assert_eq!(mesh.island_count(), 1);
    assert!((length(&level, [0.0; 2]).unwrap() - 4.0).abs() < 1e-3);
}

#[test]
fn flat_things_that_overlap_on_a_floor_are_one_with_it() {
    let mut level = Vec::new();
    floor([-5.0, 5.0], 0.0, [-5.0, 5.0], &mut level);
    for i in 0..60 {
        let [a, b] = [i as f32 * 0.37, i as f32 * 0.83].map(|turn| Vec3::new(turn.cos(), 0.0, turn.sin()));
        let (middle, side) = (b * 2.0, Vec3::Y.cross(a));
        quad([middle + a, middle + side, middle - a, middle - side], &mut level);
    }
    let mesh = mesh_of(&level);
    assert_eq!((mesh.len(), mesh.island_count()), (1, 1));
    assert!((plan_area(&mesh) - 100.0).abs() < 0.01, "{}", plan_area(&mesh));
    // Without the floor they hang together, and do not cut each other to shreds.
    let mesh = mesh_of(&level[2..]);
    assert!(mesh.island_count() == 1 && mesh.len() < 400, "{} on {}", mesh.len(), mesh.island_count());
}

#[test]
fn small_gaps_are_bridged_and_wider_ones_are_not() {
    for (gap, passes) in [(0.0005, true), (0.005, true), (0.025, true), (0.05, false)] {
        let mut level = Vec::new();
        floor([-4.0, 0.0], 0.0, [-4.0, 4.0], &mut level);
        floor([gap, 4.0], 0.1, [-3.0, 5.0], &mut level);
        assert_eq!(length(&level, [0.0, 0.1]).is_some(), passes, "a gap of {gap} m");
    }
}

#[test]
fn a_level_without_ground_gives_no_polygon() {
    let mut level = Vec::new();
    wall(0.0, [0.0, 3.0], [-4.0, 2.0], &mut level);
    for triangles in [&level[..], &[]] {
        let built = LevelMesh::build(triangles, &GroundSettings::default());
        assert!(built.mesh.polygons.is_empty());
        let mesh = built.nav_mesh().unwrap();
        let everywhere = SearchExtents { half_extents: Vec3::splat(1e4), climb: 0.0 };
        assert!(mesh.is_empty() && nearest(&mesh, Vec3::ZERO, &everywhere, &Filter::default()).is_none());
    }
}

#[test]
fn a_triangle_that_is_there_ten_thousand_times_is_one() {
    // The pairs of so many would take a minute, and their footprints gigabytes.
    let triangle = [Vec3::ZERO, Vec3::Z * 9.0, Vec3::X * 9.0];
    let level: Vec<LevelTriangle> = (0..10_000)
        .map(|index| {
            let turn = index as usize % 3;
            let points = [0, 1, 2].map(|k| triangle[(k + turn) % 3] * if index % 2 == 0 { 1.0 } else { -1.0 });
            LevelTriangle { index, points, normal: Vec3::Y }
        })
        .collect();
    let mesh = mesh_of(&level);
    assert_eq!((mesh.len(), mesh.island_count()), (2, 2));
}

#[test]
fn degenerate_triangles_are_no_ground() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    degenerate_triangles(&mut level);
    assert!((length(&level, [0.0; 2]).unwrap() - 4.0).abs() < 1e-3);
}

#[test]
fn a_floor_beside_a_thousand_tiles_is_one_with_them() {
    let mut level = Vec::new();
    floor([0.0, 600.0], 0.0, [-10.0, 0.0], &mut level);
    for i in 0..1200 {
        let x = i as f32 * 0.5;
        floor([x, x + 0.5], 0.1 * (i % 2) as f32, [0.0, 2.0], &mut level);
    }
    let mesh = mesh_of(&level);
    assert_eq!(mesh.island_count(), 1);
}

#[test]
fn surfaces_of_one_plane_are_few_polygons() {
    let mut level = Vec::new();
    for x in 0..10 {
        for z in 0..10 {
            floor([x as f32, x as f32 + 1.0], 0.0, [z as f32, z as f32 + 1.0], &mut level);
        }
    }
    assert_eq!(mesh_of(&level).len(), 1);
    block([4.4, 5.6], [0.0, 2.0], [4.4, 5.6], &mut level);
    let mesh = mesh_of(&level);
    let ground = mesh.live_polygons().filter(|id| mesh.world(mesh.polygon(*id).center).y < 0.1);
    assert!((4..=8).contains(&ground.count()));
}

/// Triangles with these corners, in tenths of metres, at the origin or far from it.
fn soup(corners: &[(i32, i32, i32)], far: bool) -> Vec<LevelTriangle> {
    let offset = if far { Vec3::new(900.0, 0.0, -700.0) } else { Vec3::ZERO };
    let points: Vec<Vec3> =
        corners.iter().map(|&(x, y, z)| Vec3::new(x as f32, y as f32, z as f32) * 0.1 + offset).collect();
    (0..)
        .zip(points.chunks_exact(3))
        .map(|(index, p)| {
            let points = [p[0], p[1], p[2]];
            let normal = triangle::normal(&points).map_or(Vec3::Y, |n| n * n.y.signum());
            LevelTriangle { index, points, normal }
        })
        .collect()
}

#[test]
fn no_polygon_of_a_soup_is_its_own_neighbor() {
    // Two pieces face each other along 1 mm at a corner of each: both ends of that opening are the corner.
    let corners = [
        [(18, 3, 1), (8, -3, 3), (-40, 5, 4)],
        [(-18, 0, -32), (-43, -4, 0), (36, 6, 42)],
        [(0, 0, 1), (-4, -2, 0), (-2, 2, 5)],
        [(-2, -4, -31), (15, 0, 10), (3, 5, 17)],
        [(48, -7, 9), (-29, 4, -4), (-31, 4, 24)],
    ];
    assert!(!mesh_of(&soup(corners.as_flattened(), true)).is_empty());
}

proptest! {
    #[test]
    fn every_soup_of_triangles_gives_a_mesh_that_validates(
        corners in prop::collection::vec((-50i32..50, -8i32..8, -50i32..50), 3..90),
        far in prop::bool::ANY,
    ) {
        let level = soup(&corners, far);
        let built = LevelMesh::build(&level, &GroundSettings::default());
        if !built.mesh.polygons.is_empty() {
            let mesh = built.mesh.validate();
            prop_assert!(mesh.is_ok(), "{:?}", mesh.err());
            let detailed = mesh.unwrap_or_default().with_detail(&built.detail);
            prop_assert!(detailed.is_ok(), "{:?}", detailed.err());
        }
    }
}

#[test]
fn a_heap_of_boxes_leaves_what_is_seen_from_above() {
    // Each a hand higher than the one before and a hand further on: a hand of it is left.
    let (count, side, depth) = (300, 10.0, 4.0);
    let mut level = Vec::new();
    for i in (0..count).map(|i| i as f32 * 0.1) {
        block([i, i + side], [0.0, i + 0.1], [0.0, depth], &mut level);
    }
    let mesh = mesh_of(&level);
    let expected = f64::from((count - 1) as f32 * 0.1 * depth + side * depth);
    assert!((plan_area(&mesh) - expected).abs() < 0.1, "{} of {expected} m²", plan_area(&mesh));
}

#[test]
fn slabs_across_each_other_leave_what_is_seen_from_above() {
    // Each over the one before, all of them over one place, turned by equal angles.
    let (count, length, width) = (120, 20.0_f32, 1.0_f32);
    let turns: Vec<Vec2> =
        (0..count).map(|i| Vec2::from_angle(i as f32 * std::f32::consts::PI / count as f32)).collect();
    let mut level = Vec::new();
    for (i, turn) in turns.iter().enumerate() {
        let at = |along: f32, aside: f32| {
            let p = turn.rotate(Vec2::new(along * length, aside * width));
            Vec3::new(p.x, i as f32 * 0.01, p.y)
        };
        quad([at(-0.5, -0.5), at(-0.5, 0.5), at(0.5, 0.5), at(0.5, -0.5)], &mut level);
    }
    let mesh = mesh_of(&level);
    let is_covered = |p: Vec2| {
        let place = |turn: &Vec2| (p.dot(*turn).abs(), p.perp_dot(*turn).abs());
        turns.iter().map(place).any(|(along, aside)| along <= 0.5 * length && aside <= 0.5 * width)
    };
    let (cells, size) = (500, 0.05);
    let middle = |i: usize| (i as f32 - 0.5 * cells as f32 + 0.5) * size;
    let covered = (0..cells * cells).filter(|&i| is_covered(Vec2::new(middle(i % cells), middle(i / cells)))).count();
    let expected = covered as f64 * f64::from(size * size);
    assert!((plan_area(&mesh) - expected).abs() < 0.01 * expected, "{} of {expected} m²", plan_area(&mesh));
}

#[test]
fn slabs_that_cross_in_one_plane_are_one_surface() {
    let mut level = Vec::new();
    for i in (0..60).map(|i| i as f32) {
        floor([i, i + 0.5], 0.0, [0.0, 60.0], &mut level);
        floor([0.0, 60.0], 0.0, [i, i + 0.5], &mut level);
    }
    let mesh = mesh_of(&level);
    // Where they cross they are one.
    let expected = 2.0 * 60.0 * 0.5 * 60.0 - 60.0 * 60.0 * 0.25;
    assert!((plan_area(&mesh) - expected).abs() < 1.0, "{} of {expected} m²", plan_area(&mesh));
    assert!(mesh.live_polygons().all(|id| mesh.polygon(id).island == mesh.polygon(PolyId(0)).island));
}

#[test]
fn a_long_narrow_floor_beside_many_others_stays_whole() {
    // More corners than a polygon may have, all of them along its long sides.
    let (length, width, reach) = (600.0, 0.5, 1.0);
    let mut level = Vec::new();
    floor([0.0, length], 0.0, [0.0, width], &mut level);
    for i in (0..600).map(|i| i as f32) {
        floor([i, i + 0.5], 0.0, [-reach, 0.0], &mut level);
        floor([i, i + 0.5], 0.0, [width, width + reach], &mut level);
    }
    let mesh = mesh_of(&level);
    let expected = f64::from(length * width + 600.0 * 0.5 * 2.0 * reach);
    assert!((plan_area(&mesh) - expected).abs() < 0.01, "{} of {expected} m²", plan_area(&mesh));
}
