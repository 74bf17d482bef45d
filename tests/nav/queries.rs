//! Queries against brute force on random and on odd meshes.

use crate::fixture;
use crate::fixture::chance;
use glam::{DVec3, Vec3};
use walkabout::math::plan;
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::multi_goal::{MultiGoalSearch, Wanted};
use walkabout::nav::query::nearest::{SearchExtents, nearest};
use walkabout::nav::query::path::{Corridor, CorridorFinder};
use walkabout::nav::query::random::{random_around, random_point};
use walkabout::nav::query::raycast::raycast;
use walkabout::nav::query::sliced::{SearchNode, Slice, SlicedPath};
use walkabout::nav::query::surface::{Surface, wall_segments};
use walkabout::nav::query::*;

fn random_mesh(seed: u64, size: u32) -> NavMesh {
    fixture::random_mesh(seed, size, 0.0).validate().unwrap()
}

fn place(mesh: &NavMesh, chance: &mut impl FnMut() -> f32) -> NavPoint {
    random_point(mesh, &Filter::default(), chance).unwrap()
}

/// Unit squares side by side along x, with areas and flags.
fn strip(squares: &[(u8, u16)]) -> NavMesh {
    let mut raw = RawMesh::default();
    let corners = 2 * squares.len() as u32 + 2;
    raw.vertices.extend((0..corners).map(|i| DVec3::new(f64::from(i / 2), 0.0, f64::from(i % 2))));
    for (i, &(area, flags)) in (0u32..).zip(squares) {
        raw.polygons.push(RawPolygon { area, flags, ..RawPolygon::new([2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2]) });
    }
    raw.validate().unwrap()
}

fn length(points: impl Iterator<Item = Vec3>) -> f32 {
    let points: Vec<Vec3> = points.collect();
    points.windows(2).map(|w| w[0].distance(w[1])).sum()
}

#[test]
fn n_03_reachable_pairs_get_whole_paths_others_a_reason() {
    let (mut finder, mut corridor, mut line) = (CorridorFinder::new(), Corridor::default(), Vec::new());
    let (mut ways, mut refusals) = (0, 0);
    for seed in 1..60 {
        let (mesh, filter, mut chance) = (random_mesh(seed, 7), Filter::default(), chance(seed));
        for _ in 0..30 {
            let (start, end) = (place(&mesh, &mut chance), place(&mesh, &mut chance));
            let found = finder.find(&mesh, start, end, &filter, &mut corridor);
            let islands = [start.polygon, end.polygon].map(|p| mesh.polygon(p).island);
            if islands[0] != islands[1] {
                assert_eq!(found, Err(QueryError::OtherIsland(islands[0], islands[1])));
                assert_eq!((corridor.polygons.len(), corridor.expanded), (0, 0), "refused without a search");
                refusals += 1;
                continue;
            }
            ways += 1;
            assert_eq!(found, Ok(()));
            assert_eq!((corridor.polygons[0], *corridor.polygons.last().unwrap()), (start.polygon, end.polygon));
            straight_path(&mesh, &corridor, start.point, end.point, Crossings::All, &mut line);
            let whole = length(line.iter().map(|t| t.point));
            for leg in line.windows(2) {
                let id = PolyId(leg[0].polygon);
                let middle = leg[0].point.lerp(leg[1].point, 0.5);
                let off = plan::distance(middle, mesh.clamp_to_poly(id, middle));
                assert!(off < 1e-4, "seed {seed}: {middle} lies {off} beside its polygon");
            }
            straight_path(&mesh, &corridor, start.point, end.point, Crossings::None, &mut line);
            assert!((length(line.iter().map(|t| t.point)) - whole).abs() < 0.02 * whole.max(1.0));
        }
    }
    assert!(ways > 1000 && refusals > 100, "{ways} {refusals}");
}

#[test]
fn d_06_pruned_dead_ends_change_no_path() {
    let (mut finder, mut corridor, mut partial) = (CorridorFinder::new(), Corridor::default(), Corridor::default());
    let (mut filter, mut direct, mut all) = (Filter::default(), 0, 0);
    (filter.cost[1], filter.cost[2]) = (3.0, 1.5);
    for seed in 1..60 {
        let (mesh, mut chance) = (random_mesh(seed, 8), chance(seed));
        for _ in 0..20 {
            let (start, end) = (place(&mesh, &mut chance), place(&mesh, &mut chance));
            if finder.find(&mesh, start, end, &filter, &mut corridor).is_err() {
                continue;
            }
            assert_eq!(finder.find_partial(&mesh, start, end, &filter, &mut partial), Ok(None));
            assert_eq!((&corridor.polygons, corridor.cost), (&partial.polygons, partial.cost));
            (direct, all) = (direct + corridor.expanded, all + partial.expanded);
        }
    }
    assert!(direct * 10 < all * 9, "{direct} of {all}");
    // A strip: dear ground in the middle costs its factor, a flag bars it.
    let mesh = strip(&[(0, 1), (5, 2), (0, 1)]);
    let at = |i: u32| mesh.from_source(i).map(|p| NavPoint::new(p, mesh.polygon(p).center)).unwrap();
    let mut dear = Filter::default();
    dear.cost[5] = 4.0;
    finder.find(&mesh, at(0), at(2), &dear, &mut corridor).unwrap();
    assert!((corridor.cost - (0.5 + 4.0 + 0.5)).abs() < 1e-5, "{}", corridor.cost);
    let barred = Filter { exclude: 2, ..Filter::default() };
    let blocked = QueryError::Blocked(at(0).polygon.0, at(2).polygon.0);
    assert_eq!(finder.find(&mesh, at(0), at(2), &barred, &mut corridor), Err(blocked));
    let wrong = Filter { cost: [f32::NAN; 64], ..Filter::default() };
    assert!(finder.find(&mesh, at(0), at(2), &wrong, &mut corridor).is_ok());
    assert!(finder.find(&mesh, at(0), at(2), &Filter { cost: [f32::INFINITY; 64], ..wrong }, &mut corridor).is_err());
}

#[test]
fn d_06_a_way_within_one_polygon_costs_its_length() {
    let mesh = strip(&[(5, 1), (0, 1)]);
    let (mut finder, mut corridor) = (CorridorFinder::new(), Corridor::default());
    let at = |x: f64| NavPoint::new(mesh.from_source(0).unwrap(), mesh.local(DVec3::new(x, 0.0, 0.5)));
    let mut filter = Filter::default();
    filter.cost[5] = 4.0;
    finder.find(&mesh, at(0.25), at(0.75), &filter, &mut corridor).unwrap();
    assert_eq!((corridor.polygons.len(), corridor.portals.len()), (1, 0));
    assert!((corridor.cost - 2.0).abs() < 1e-5, "{}", corridor.cost);
    let direct = corridor.cost;
    assert_eq!(finder.find_partial(&mesh, at(0.25), at(0.75), &filter, &mut corridor), Ok(None));
    assert_eq!(corridor.cost, direct);
    let mut sliced = SlicedPath::begin(&mesh, at(0.25), at(0.75), &filter, false).unwrap();
    assert_eq!(sliced.advance(&mesh, 9), Slice::Found);
    assert_eq!((sliced.corridor(&mesh, &mut corridor), corridor.cost), (None, direct));
    // Not a step costs nothing, on endlessly dear ground as well.
    filter.cost[5] = f32::INFINITY;
    finder.find(&mesh, at(0.5), at(0.5), &filter, &mut corridor).unwrap();
    assert_eq!(corridor.cost, 0.0);
}

#[test]
fn d_10_straight_paths_show_where_the_area_changes() {
    let mesh = strip(&[(0, 1), (0, 1), (5, 1), (5, 1), (0, 1)]);
    let (mut finder, mut corridor, mut line) = (CorridorFinder::new(), Corridor::default(), Vec::new());
    let at = |x: f64, z: f64| mesh.local(DVec3::new(x, 0.0, z));
    let polygon = |i: u32| mesh.from_source(i).unwrap();
    let ends = (NavPoint::new(polygon(0), at(0.5, 0.5)), NavPoint::new(polygon(4), at(4.5, 0.5)));
    finder.find(&mesh, ends.0, ends.1, &Filter::default(), &mut corridor).unwrap();
    let mut pull = |corridor: &Corridor, from: Vec3, to: Vec3, crossings: Crossings| -> Vec<(f64, u32)> {
        straight_path(&mesh, corridor, from, to, crossings, &mut line);
        line.iter().map(|t| (mesh.world(t.point).x, mesh.source(PolyId(t.polygon)))).collect()
    };
    let (start, end) = (ends.0.point, ends.1.point);
    assert_eq!(pull(&corridor, start, end, Crossings::None), [(0.5, 0), (4.5, 4)]);
    assert_eq!(pull(&corridor, start, end, Crossings::Areas), [(0.5, 0), (2.0, 2), (4.0, 4), (4.5, 4)]);
    let all = [(0.5, 0), (1.0, 1), (2.0, 2), (3.0, 3), (4.0, 4), (4.5, 4)];
    assert_eq!(pull(&corridor, start, end, Crossings::All), all);
    // Ends beside the corridor are moved onto it; a portal that one stands at is passed; equal points are one.
    assert_eq!(pull(&corridor, at(-3.0, 0.5), at(9.0, 0.5), Crossings::None), [(0.0, 0), (5.0, 4)]);
    assert_eq!(pull(&corridor, at(0.9995, 0.5), end, Crossings::None)[0].1, 1);
    assert_eq!(pull(&corridor, start, at(4.0, 0.5), Crossings::All).len(), 5);
    let here = Corridor { polygons: vec![polygon(0)], ..Corridor::default() };
    assert_eq!(pull(&here, start, start, Crossings::All), [(0.5, 0)]);
    assert_eq!(pull(&Corridor::default(), start, end, Crossings::All), []);
}

#[test]
fn d_07_a_partial_path_ends_at_the_polygon_nearest_to_the_end() {
    let (mut finder, mut corridor) = (CorridorFinder::new(), Corridor::default());
    let mut partial = 0;
    for seed in 1..40 {
        let (mesh, filter, mut chance) = (random_mesh(seed, 7), Filter::default(), chance(seed));
        let (start, end) = (place(&mesh, &mut chance), place(&mesh, &mut chance));
        let reason = finder.find_partial(&mesh, start, end, &filter, &mut corridor).unwrap();
        let Some(reason) = reason else { continue };
        partial += 1;
        assert!(matches!(reason, QueryError::OtherIsland(..)));
        let last = *corridor.polygons.last().unwrap();
        assert_eq!(
            (corridor.polygons[0], mesh.polygon(last).island),
            (start.polygon, mesh.polygon(start.polygon).island)
        );
        // Of all that the search comes to it is where least is expected to remain.
        let mut search = SlicedPath::begin(&mesh, start, end, &filter, true).unwrap();
        assert_eq!(search.advance(&mesh, u32::MAX), Slice::Failed);
        let rest = |n: &SearchNode| n.at.distance(end.point);
        let reached = search.nodes().filter(|n| mesh.polygon(n.polygon).island == mesh.polygon(start.polygon).island);
        assert_eq!(reached.count(), search.nodes().count());
        let least = search.nodes().map(|n| rest(&n)).fold(f32::INFINITY, f32::min);
        let chosen = search.nodes().find(|n| n.polygon == last).unwrap();
        assert!(rest(&chosen) <= least * 1.0001, "seed {seed}: {} for {least}", rest(&chosen));
        assert_eq!(
            finder.find(&mesh, start, NavPoint::new(last, mesh.polygon(last).center), &filter, &mut corridor),
            Ok(())
        );
    }
    assert!(partial > 3);
}

#[test]
fn d_08_wrong_input_is_refused_and_nothing_panics() {
    let mesh = random_mesh(3, 5);
    let (mut finder, mut corridor, mut surface) = (CorridorFinder::new(), Corridor::default(), Surface::new());
    let (filter, good) = (Filter::default(), NavPoint::new(PolyId(0), mesh.polygon(PolyId(0)).center));
    let far = NavPoint::new(PolyId(9999), good.point);
    assert!(matches!(finder.find(&mesh, far, good, &filter, &mut corridor), Err(QueryError::NoSuchPolygon(..))));
    for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX] {
        let point = Vec3::splat(bad);
        let refusal = |at| if bad.is_finite() { None } else { Some(QueryError::NotFinite(at)) };
        let wrong = NavPoint::new(PolyId(0), point);
        for (ends, at) in [([wrong, good], Place::Start), ([good, wrong], Place::End)] {
            let found = finder.find(&mesh, ends[0], ends[1], &filter, &mut corridor);
            assert_eq!((found.err(), corridor.polygons.is_empty()), (refusal(at), !bad.is_finite()));
            let partial = finder.find_partial(&mesh, ends[0], ends[1], &filter, &mut corridor);
            assert_eq!(partial.err(), refusal(at));
            assert_eq!(SlicedPath::begin(&mesh, ends[0], ends[1], &filter, true).err(), refusal(at));
        }
        let _ = nearest(&mesh, point, &SearchExtents::default(), &filter);
        let _ = raycast(&mesh, good, point, &filter, |_| ());
        let _ = raycast(&mesh, wrong, good.point, &filter, |_| ());
        let _ = surface.walk(&mesh, good, point, &filter, &mut Vec::new());
        let _ = surface.wall_distance(&mesh, wrong, bad, &filter);
        let _ = random_around(&mesh, &mut surface, good, bad, &filter, &mut chance(1));
        let _ = clearance::ClearancePaths::new().find(&mesh, good, wrong, &filter, bad, &mut Default::default());
    }
    // A polygon of another mesh is nowhere: one stays where one is, and nothing is near.
    let ray = raycast(&mesh, far, good.point, &filter, |_| ());
    assert_eq!((ray.share, ray.polygon, ray.crossed), (0.0, far.polygon, 0));
    assert_eq!(surface.walk(&mesh, far, good.point, &filter, &mut Vec::new()), far);
    assert!(surface.wall_distance(&mesh, far, 9.0, &filter).is_none());
    assert!(surface.wall_near(&mesh, far, good.point, 9.0, &filter).is_none());
    assert_eq!(random_around(&mesh, &mut surface, far, 9.0, &filter, &mut chance(1)), far);
    let none = Filter { include: 0, ..filter };
    assert!(random_point(&mesh, &none, &mut chance(1)).is_none());
    assert!(nearest(&mesh, good.point, &SearchExtents::default(), &none).is_none());
}

/// Three floors of one square each, 3 m apart, and one aside.
fn floors() -> NavMesh {
    let mut raw = RawMesh::default();
    for (i, (x, y)) in [(0.0, 0.0), (0.0, 3.0), (0.0, 6.0), (20.0, 0.0)].into_iter().enumerate() {
        let corner = |dx: f64, dz: f64| DVec3::new(x + dx, y, dz);
        raw.vertices.extend([corner(0.0, 0.0), corner(8.0, 0.0), corner(8.0, 8.0), corner(0.0, 8.0)]);
        let v = 4 * i as u32;
        raw.polygons.push(RawPolygon::new([v, v + 1, v + 2, v + 3]));
    }
    raw.validate().unwrap()
}

#[test]
fn d_02_n_05_nearest_takes_the_right_floor() {
    let mesh = floors();
    let (reach, filter) = (SearchExtents::default(), Filter::default());
    let ask = |x: f64, y: f64, z: f64| {
        nearest(&mesh, mesh.local(DVec3::new(x, y, z)), &reach, &filter).map(|n| (mesh.source(n.polygon), n.over))
    };
    for (y, floor) in [(0.0, 0), (0.8, 0), (2.9, 1), (3.0, 1), (3.9, 1), (5.2, 2), (6.0, 2), (9.0, 2)] {
        assert_eq!(ask(4.0, y, 4.0), Some((floor, true)), "height {y}");
    }
    // Beside the floors the nearest edge counts, heights included.
    assert_eq!(ask(-1.0, 2.6, 4.0), Some((1, false)));
    assert_eq!(ask(18.5, 0.3, 4.0), Some((3, false)));
    assert_eq!(ask(14.0, 0.0, 4.0), None);
    assert_eq!(ask(4.0, 40.0, 4.0), None);
}

#[test]
fn d_01_nearest_looks_in_its_box_and_at_what_the_filter_passes() {
    let (mesh, filter) = (strip(&[(0, 1), (0, 2), (0, 1)]), Filter::default());
    let ask = |x: f64, y: f64, half: Vec3, filter: &Filter| {
        let point = mesh.local(DVec3::new(x, y, 0.5));
        let found = nearest(&mesh, point, &SearchExtents { half_extents: half, climb: 0.0 }, filter)?;
        Some((mesh.source(found.polygon), mesh.world(found.point).x as f32, found.over))
    };
    let half = Vec3::new(1.0, 2.0, 1.0);
    assert_eq!(ask(1.25, 1.0, half, &filter), Some((1, 1.25, true)));
    // What the filter leaves out is not there: the nearest of the others, within the box.
    let barred = Filter { exclude: 2, ..Filter::default() };
    assert_eq!(ask(1.25, 0.0, half, &barred), Some((0, 1.0, false)));
    assert_eq!(ask(1.75, 0.0, half, &barred), Some((2, 2.0, false)));
    assert_eq!(ask(1.75, 0.0, Vec3::new(0.2, 2.0, 0.2), &barred), None);
    assert_eq!(ask(3.5, 0.0, Vec3::new(0.4, 2.0, 1.0), &filter), None, "beside the box");
    assert_eq!(ask(3.5, 0.0, Vec3::new(0.6, 2.0, 1.0), &filter), Some((2, 3.0, false)));
    assert_eq!((ask(0.5, 2.1, half, &filter), ask(0.5, -2.1, half, &filter)), (None, None), "over and under the box");
}

#[test]
fn d_02_nearest_is_what_a_look_at_every_polygon_finds() {
    for seed in 1..20 {
        let (mesh, mut chance) = (random_mesh(seed, 6), chance(seed));
        let (reach, filter) = (SearchExtents { half_extents: Vec3::splat(20.0), climb: 0.3 }, Filter::default());
        for _ in 0..200 {
            let mut side = || (chance() - 0.5) * 9.0;
            let point = Vec3::new(side(), side() * 0.3, side());
            let found = nearest(&mesh, point, &reach, &filter);
            let distance = |id: PolyId| {
                if mesh.contains_2d(id, point) {
                    ((mesh.height_at(id, point) - point.y).abs() - reach.climb).max(0.0)
                } else {
                    mesh.closest_on_outline(id, point).distance(point)
                }
            };
            let least = (0..mesh.len() as u32).map(|p| distance(PolyId(p))).fold(f32::INFINITY, f32::min);
            match found {
                Some(found) => assert!((distance(found.polygon) - least).abs() < 1e-4, "seed {seed} at {point}"),
                None => panic!("seed {seed} at {point}: nothing within {least}"),
            }
        }
    }
}

#[test]
fn rays_stop_at_the_wall_that_the_sides_of_polygons_tell() {
    let mut hits = 0;
    for seed in 1..30 {
        let (mesh, filter, mut chance) = (random_mesh(seed, 6), Filter::default(), chance(seed));
        for _ in 0..60 {
            let (start, end) = (place(&mesh, &mut chance), place(&mesh, &mut chance));
            let mut on_way = Vec::new();
            let hit = raycast(&mesh, start, end.point, &filter, |p| on_way.push(p));
            assert_eq!((on_way[0], *on_way.last().unwrap()), (start.polygon, hit.polygon));
            assert!(on_way.windows(2).all(|w| mesh.edges_of(w[0]).iter().any(|e| e.neighbor == w[1].0)));
            let point = hit.point(&mesh, start.point, end.point);
            assert!(plan::distance(point, mesh.clamp_to_poly(hit.polygon, point)) < 1e-4);
            match hit.wall {
                None => assert!(hit.share == 1.0 && mesh.contains_2d(hit.polygon, end.point), "seed {seed}"),
                Some(edge) => {
                    hits += 1;
                    let (a, b) = mesh.edge_points(edge);
                    assert!(plan::distance(point, plan::closest_on_segment(a, b, point)) < 1e-4, "seed {seed}");
                    assert!(
                        (end.point - point).dot(hit.normal(&mesh)) <= 1e-4
                            && (hit.normal(&mesh).length() - 1.0).abs() < 1e-5
                    );
                }
            }
        }
    }
    assert!(hits > 200, "{hits}");
}

#[test]
fn walks_end_on_the_mesh_and_reach_what_a_ray_reaches() {
    let (mut surface, mut polygons) = (Surface::new(), Vec::new());
    for seed in 1..30 {
        let (mesh, filter, mut chance) = (random_mesh(seed, 6), Filter::default(), chance(seed));
        for _ in 0..60 {
            let (start, end) = (place(&mesh, &mut chance), place(&mesh, &mut chance));
            let NavPoint { polygon: at, point } = surface.walk(&mesh, start, end.point, &filter, &mut polygons);
            assert_eq!((polygons[0], *polygons.last().unwrap()), (start.polygon, at));
            assert!(plan::distance(point, mesh.clamp_to_poly(at, point)) < 1e-4);
            let ray = raycast(&mesh, start, end.point, &filter, |_| ());
            let by_ray = plan::distance(ray.point(&mesh, start.point, end.point), end.point);
            assert!(plan::distance(point, end.point) <= by_ray + 1e-3, "seed {seed}: sliding gets at least as far");
        }
    }
}

#[test]
fn n_03_a_radius_of_0_or_less_holds_only_the_point() {
    let (mesh, filter) = (strip(&[(0, 1); 4]), Filter::default());
    let (mut surface, mut near, mut chance) = (Surface::new(), Vec::new(), chance(5));
    let start = NavPoint::new(PolyId(1), mesh.polygon(PolyId(1)).center);
    for radius in [0.0, -9.0, f32::NEG_INFINITY, f32::NAN] {
        for _ in 0..20 {
            assert_eq!(random_around(&mesh, &mut surface, start, radius, &filter, &mut chance), start, "{radius}");
        }
        assert_eq!(surface.wall_distance(&mesh, start, radius, &filter).map(|hit| hit.distance), None, "{radius}");
        surface.polygons_around(&mesh, start, radius, &filter, &mut near);
        assert_eq!(near, [start.polygon], "{radius}");
    }
    // Without end, it holds all ground.
    let mut most = 0.0f32;
    for _ in 0..200 {
        let place = random_around(&mesh, &mut surface, start, f32::INFINITY, &filter, &mut chance);
        most = most.max(plan::distance(place.point, start.point));
    }
    assert!(most > 1.5, "{most}");
}

#[test]
fn the_distance_to_walls_is_that_of_the_nearest_wall_in_sight() {
    let mut surface = Surface::new();
    for seed in 1..30 {
        let (mesh, filter, mut chance) = (random_mesh(seed, 6), Filter::default(), chance(seed));
        for _ in 0..40 {
            let NavPoint { polygon: id, point } = place(&mesh, &mut chance);
            let hit = surface.wall_distance(&mesh, NavPoint::new(id, point), 50.0, &filter).unwrap();
            assert!((plan::distance(hit.point, point) - hit.distance).abs() < 1e-5);
            // No direction has a wall before that distance.
            for i in 0..24 {
                let (sin, cos) = (i as f32 * 0.26).sin_cos();
                let to = point + Vec3::new(cos, 0.0, sin) * hit.distance * 0.999;
                assert_eq!(raycast(&mesh, NavPoint::new(id, point), to, &filter, |_| ()).wall, None, "seed {seed}");
            }
            assert!(surface.wall_distance(&mesh, NavPoint::new(id, point), hit.distance * 0.99, &filter).is_none());
        }
        let walls: usize =
            (0..mesh.len() as u32).map(|p| wall_segments(&mesh, PolyId(p), &filter, false).count()).sum();
        assert_eq!(walls, mesh.edges().iter().filter(|e| e.neighbor == walkabout::nav::mesh::NONE).count());
    }
}

#[test]
fn random_places_are_spread_by_area() {
    let (mesh, filter, mut chance, mut surface) = (random_mesh(5, 4), Filter::default(), chance(5), Surface::new());
    let mut counts = vec![0u32; mesh.len()];
    for _ in 0..20_000 {
        let NavPoint { polygon: id, point } = place(&mesh, &mut chance);
        assert!(plan::distance(point, mesh.clamp_to_poly(id, point)) < 1e-5);
        counts[id.index()] += 1;
    }
    let area = |id: PolyId| {
        let corners = mesh.corners_of(id);
        let fan = corners.windows(2).skip(1);
        fan.map(|w| plan::cross(corners[0], w[0], w[1]) * 0.5).sum::<f64>()
    };
    let whole: f64 = (0..mesh.len() as u32).map(|p| area(PolyId(p))).sum();
    for (p, &count) in (0u32..).zip(&counts) {
        let expected = area(PolyId(p)) / whole * 20_000.0;
        assert!((f64::from(count) - expected).abs() < 5.0 * expected.sqrt(), "polygon {p}: {count} for {expected}");
    }
    // In a circle: half of the places lie within the radius that holds half of the area, on open ground.
    let open = floors();
    let center = NavPoint::new(PolyId(0), open.polygon(PolyId(0)).center);
    let mut inner = 0;
    for _ in 0..4000 {
        let NavPoint { polygon: id, point } = random_around(&open, &mut surface, center, 2.0, &filter, &mut chance);
        assert!(id == center.polygon && plan::distance(point, center.point) <= 2.0 + 1e-5);
        inner += u32::from(plan::distance(point, center.point) < 2.0 * 0.5f32.sqrt());
    }
    assert!((1850..2150).contains(&inner), "{inner}");
}

#[test]
fn d_11_sliced_searches_end_as_whole_ones() {
    let (mut finder, mut corridor, mut sliced) = (CorridorFinder::new(), Corridor::default(), Corridor::default());
    for seed in 1..30 {
        let (mesh, filter, mut chance) = (random_mesh(seed, 7), Filter::default(), chance(seed));
        let (start, end) = (place(&mesh, &mut chance), place(&mesh, &mut chance));
        let whole = finder.find_partial(&mesh, start, end, &filter, &mut corridor).unwrap();
        let mut search = SlicedPath::begin(&mesh, start, end, &filter, true).unwrap();
        let mut steps = 0;
        while search.advance(&mesh, 1) == Slice::Open {
            steps += 1;
            assert_eq!(search.expanded(), steps);
            let (open, closed): (Vec<_>, Vec<_>) = search.nodes().partition(|n| n.open);
            assert!(closed.len() <= steps as usize && open.len() + closed.len() <= mesh.len());
            assert!(search.nodes().all(|n| n.total >= n.cost && (n.from.is_none() == (n.polygon == start.polygon))));
            assert_eq!(search.corridor(&mesh, &mut sliced), None);
        }
        // From every node parents lead to the start, through portals that join them and at ever less cost.
        let nodes: Vec<SearchNode> = search.nodes().collect();
        for node in &nodes {
            let mut at = node;
            while let Some((parent, portal)) = at.from {
                let gate = mesh.portals().portal(portal);
                assert_eq!((gate.polygon, mesh.edges()[gate.edge as usize].neighbor), (parent.0, at.polygon.0));
                let before = nodes.iter().find(|n| n.polygon == parent).unwrap();
                assert!(before.cost <= at.cost);
                at = before;
            }
            assert_eq!(at.polygon, start.polygon);
        }
        assert_eq!(search.corridor(&mesh, &mut sliced), whole);
        assert_eq!(corridor, sliced);
    }
    let (a, b) = (random_mesh(1, 3), random_mesh(2, 3));
    let at = NavPoint::new(PolyId(0), a.polygon(PolyId(0)).center);
    let mut search = SlicedPath::begin(&a, at, at, &Filter::default(), false).unwrap();
    assert_eq!((search.advance(&b, 9), search.corridor(&b, &mut sliced)), (Slice::Failed, Some(QueryError::OtherMesh)));
}

#[test]
fn one_search_for_many_goals_answers_as_many_searches() {
    let (mut finder, mut many, mut corridor) = (CorridorFinder::new(), MultiGoalSearch::new(), Corridor::default());
    let (mut sum, mut singles) = (0.0, 0.0);
    for seed in 1..30 {
        let (mesh, filter, mut chance) = (random_mesh(seed, 8), Filter::default(), chance(seed));
        let start = place(&mesh, &mut chance);
        let goals: Vec<_> = (0..12).map(|_| place(&mesh, &mut chance)).collect();
        let all = many.find(&mesh, start, &goals, &filter, Wanted::All).unwrap();
        let mut least = f32::INFINITY;
        for (goal, answer) in goals.iter().zip(&all) {
            let single = finder.find(&mesh, start, *goal, &filter, &mut corridor);
            assert_eq!(answer.as_ref().err(), single.as_ref().err());
            let Ok(Some(way)) = answer else { continue };
            assert_eq!((way.polygons[0], *way.polygons.last().unwrap()), (start.polygon, goal.polygon));
            assert_eq!(way.portals.len() + 1, way.polygons.len());
            (sum, singles) = (sum + way.cost, singles + corridor.cost);
            least = least.min(way.cost);
        }
        let cheapest = many.find(&mesh, start, &goals, &filter, Wanted::Cheapest).unwrap();
        let costs: Vec<f32> = cheapest.iter().filter_map(|a| a.as_ref().ok()?.as_ref().map(|c| c.cost)).collect();
        assert!(costs.iter().all(|&c| c == least) && costs.is_empty() == (least == f32::INFINITY));
    }
    assert!((sum / singles - 1.0).abs() < 0.02, "{sum} for {singles}");
}
