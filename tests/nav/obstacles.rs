//! Obstacles on random and odd meshes, against brute force.

use crate::fixture;
use crate::fixture::chance;
use glam::{DVec2, DVec3, Vec3};
use std::sync::Arc;
use walkabout::math::plan;
use walkabout::nav::mesh::dynamic::*;
use walkabout::nav::mesh::{Detail, Filter, NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};
use walkabout::nav::query::QueryError;
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::nearest::{SearchExtents, nearest};
use walkabout::nav::query::path::{Corridor, CorridorFinder};
use walkabout::nav::query::polyanya::{Polyanya, ShortestPath};
use walkabout::nav::query::random::random_point;
use walkabout::nav::query::raycast::raycast;
use walkabout::nav::query::sliced::{Slice, SlicedPath};

fn random_mesh(seed: u64, size: u32, offset: DVec3) -> Arc<NavMesh> {
    let mut raw = fixture::random_mesh(seed, size, 0.3);
    raw.translate(offset);
    Arc::new(raw.validate().unwrap())
}

/// Rectangles of ground: x and z from, x and z to, height.
fn floors(list: &[[f64; 5]]) -> Arc<NavMesh> {
    let mut raw = RawMesh::default();
    for &[x, z, u, w, y] in list {
        let corner = |x, z, raw: &mut RawMesh| {
            let at = DVec3::new(x, y, z);
            raw.vertices.iter().position(|&v| v == at).unwrap_or_else(|| {
                raw.vertices.push(at);
                raw.vertices.len() - 1
            }) as u32
        };
        let outline = [corner(x, z, &mut raw), corner(u, z, &mut raw), corner(u, w, &mut raw), corner(x, w, &mut raw)];
        raw.polygons.push(RawPolygon::new(outline));
    }
    Arc::new(raw.validate().unwrap())
}

fn square(x: f64, z: f64, half: f64) -> Obstacle {
    Obstacle::cuboid(DVec3::new(x, 0.0, z), DVec3::new(half, 1.0, half), 0.0)
}

fn random_obstacle(size: f64, offset: DVec3, chance: &mut impl FnMut() -> f32) -> Obstacle {
    let mut next = |low: f64, high: f64| low + (high - low) * f64::from(chance());
    let at = DVec3::new(next(-0.5, size + 0.5), 0.0, next(-0.5, size + 0.5)) + offset;
    let middle = DVec3 { y: at.y + 0.2 * (at.x - offset.x), ..at };
    let (width, kind) = (next(0.05, 1.2) * next(0.2, 1.0), next(0.0, 4.0));
    if kind < 1.0 {
        return Obstacle::cylinder(middle - DVec3::Y, width, 2.0);
    }
    if kind < 2.5 {
        return Obstacle::cuboid(middle, DVec3::new(width, 1.0, next(0.05, 1.2)), next(0.0, 6.3));
    }
    let (count, mut turn) = (next(3.0, 9.0) as usize, next(0.0, 6.3));
    let mut footprint = Vec::new();
    for _ in 0..count {
        turn += std::f64::consts::TAU / count as f64;
        footprint.push(DVec2::new(middle.x, middle.z) + DVec2::from_angle(turn) * width);
    }
    if kind < 3.2 {
        footprint.reverse();
    }
    Obstacle { footprint, low: middle.y - 1.0, high: middle.y + 1.0 }
}

/// Distance of a point outside of a footprint in plan view; negative inside.
fn outside(obstacle: &Obstacle, mesh: &NavMesh, point: Vec3) -> f64 {
    let at = mesh.world(point);
    let at = DVec2::new(at.x, at.z);
    let f = &obstacle.footprint;
    let turn = (f[1] - f[0]).perp_dot(f[2] - f[1]).signum();
    let sides = f.iter().zip(f.iter().cycle().skip(1));
    let deepest = sides.clone().map(|(&a, &b)| -(b - a).normalize().perp_dot(at - a) * turn).fold(f64::MIN, f64::max);
    if deepest <= 0.0 {
        return deepest;
    }
    let on = |(&a, &b): (&DVec2, &DVec2)| {
        let t = ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        a.lerp(b, t).distance(at)
    };
    sides.map(on).fold(f64::MAX, f64::min)
}

fn holds(mesh: &NavMesh, point: Vec3) -> Vec<u32> {
    let live = (0..mesh.len() as u32).filter(|&p| mesh.is_live(PolyId(p)) && mesh.contains_2d(PolyId(p), point));
    live.collect()
}

/// The contents of a mesh as text.
fn all_of(mesh: &NavMesh) -> String {
    format!("{mesh:?}")
}

#[test]
fn n_06_the_mesh_is_changed_in_place_unless_it_is_shared() {
    let base = random_mesh(3, 8, DVec3::ZERO);
    let before = all_of(&base);
    let mut mesh = DynamicMesh::new(base.clone());
    let first = mesh.add(&square(2.0, 2.0, 0.6)).unwrap();
    let place = Arc::as_ptr(mesh.shared());
    mesh.add(&square(5.0, 5.0, 0.6)).unwrap();
    mesh.set(first, &square(2.5, 2.0, 0.6)).unwrap();
    assert_eq!(Arc::as_ptr(mesh.shared()), place, "it is not shared");
    let (kept, seen) = (mesh.shared().clone(), all_of(mesh.mesh()));
    mesh.remove(first).unwrap();
    assert_ne!(Arc::as_ptr(mesh.shared()), place);
    assert_eq!((all_of(&kept), all_of(&base)), (seen, before), "a shared mesh stays as it was");
    mesh.verify().unwrap();
}

#[test]
fn n_06_obstacles_take_exactly_their_ground_and_return_it() {
    let (mut inside, mut beside, mut kept) = (0, 0, 0);
    for seed in 1..120 {
        let offset = if seed % 3 == 0 { DVec3::new(-900.0, 3.0, 500.0) } else { DVec3::ZERO };
        let base = random_mesh(seed, 6, offset);
        let (before, mut chance) = (all_of(&base), chance(seed));
        let mut mesh = DynamicMesh::new(base.clone());
        let mut ids = Vec::new();
        for round in 0..12 {
            let obstacle = random_obstacle(6.0, offset, &mut chance);
            match (round % 4, ids.is_empty()) {
                (3, false) => mesh.remove(ids.swap_remove((chance() * ids.len() as f32) as usize)).unwrap(),
                (2, false) => mesh.set(ids[(chance() * ids.len() as f32) as usize], &obstacle).unwrap(),
                _ => ids.push(mesh.add(&obstacle).unwrap()),
            }
            mesh.verify().unwrap_or_else(|e| panic!("seed {seed}, round {round}: {e}"));
            for _ in 0..60 {
                let at = Vec3::new(chance() * 6.0 - 3.0, 0.0, chance() * 6.0 - 3.0) * 1.1;
                let apart = mesh.obstacles().map(|(_, o)| outside(o, &base, at)).fold(f64::MAX, f64::min);
                let (now, then) = (holds(mesh.mesh(), at), holds(&base, at));
                if apart < 0.0 {
                    assert!(now.is_empty(), "seed {seed}: {at} lies {apart} inside");
                    inside += then.len();
                } else if apart > 1e-3 {
                    assert_eq!(now.is_empty(), then.is_empty(), "seed {seed}: {at} lies {apart} outside");
                    for (&n, &t) in now.iter().zip(&then) {
                        beside += 1;
                        kept += usize::from(n == t);
                        let same = mesh.mesh().height_at(PolyId(n), at) - base.height_at(PolyId(t), at);
                        assert!(same.abs() < 1e-5, "seed {seed}: heights differ by {same}");
                    }
                }
            }
        }
        for id in ids {
            mesh.remove(id).unwrap();
            mesh.verify().unwrap();
        }
        assert_eq!(all_of(mesh.mesh()), before, "seed {seed}");
    }
    assert!(inside > 1000 && beside > 20_000 && kept > 5000, "{inside} {beside} {kept}");
}

#[test]
fn n_06_paths_around_obstacles_never_cross_them() {
    let (mut finder, mut corridor, mut line) = (CorridorFinder::new(), Corridor::default(), Vec::new());
    let (mut exact, mut shortest) = (Polyanya::new(), ShortestPath::default());
    let (filter, mut ways, mut refused) = (Filter::default(), 0, 0);
    for seed in 1..60 {
        let base = random_mesh(seed, 8, DVec3::ZERO);
        let (mut mesh, mut chance) = (DynamicMesh::new(base), chance(seed));
        for _ in 0..6 {
            let obstacle = random_obstacle(8.0, DVec3::ZERO, &mut chance);
            mesh.add(&obstacle).unwrap();
        }
        let now = mesh.mesh();
        let crosses = |points: &[Vec3]| {
            points.windows(2).any(|leg| {
                let near = |k: u32| {
                    let at = leg[0].lerp(leg[1], k as f32 / 64.0);
                    mesh.obstacles().any(|(_, o)| outside(o, now, at) < 0.0)
                };
                (0..=64).any(near)
            })
        };
        for _ in 0..20 {
            let (Some(start), Some(end)) =
                (random_point(now, &filter, &mut chance), random_point(now, &filter, &mut chance))
            else {
                continue;
            };
            assert!(now.is_live(start.polygon));
            let same = now.polygon(start.polygon).island == now.polygon(end.polygon).island;
            let found = finder.find(now, start, end, &filter, &mut corridor);
            assert_eq!(found.is_ok(), same, "seed {seed}");
            let ray = raycast(now, start, end.point, &filter, |_| ());
            assert!(!crosses(&[start.point, start.point.lerp(end.point, ray.share)]), "seed {seed}");
            assert_eq!(exact.find(now, start, end, &filter, &mut shortest).is_ok(), same);
            if !same {
                refused += 1;
                assert!(matches!(found, Err(QueryError::OtherIsland(..))));
                continue;
            }
            ways += 1;
            straight_path(now, &corridor, start.point, end.point, Crossings::None, &mut line);
            let points: Vec<Vec3> = line.iter().map(|t| t.point).collect();
            assert!(!crosses(&points) && !crosses(&shortest.points), "seed {seed}");
            // Leaving out dead ends changes no path.
            let mut sliced = SlicedPath::begin(now, start, end, &filter, true).unwrap();
            let mut whole = Corridor::default();
            assert_eq!(sliced.advance(now, u32::MAX), Slice::Found);
            sliced.corridor(now, &mut whole);
            assert_eq!((&whole.portals, whole.cost), (&corridor.portals, corridor.cost), "seed {seed}");
        }
    }
    assert!(ways > 600 && refused > 20, "{ways} {refused}");
}

#[test]
fn n_06_doors_block_while_shut_and_switches_while_off() {
    let base = floors(&[[0.0, 0.0, 4.0, 4.0, 0.0], [4.0, 0.0, 5.0, 4.0, 0.0], [5.0, 0.0, 9.0, 4.0, 0.0]]);
    let mut mesh = DynamicMesh::new(base.clone());
    let (mut finder, filter) = (CorridorFinder::new(), Filter::default());
    let mut ask = |mesh: &NavMesh| {
        let place = |raw, x| NavPoint::new(mesh.from_source(raw).unwrap(), mesh.local(DVec3::new(x, 0.0, 2.0)));
        let mut corridor = Corridor::default();
        finder.find(mesh, place(0, 1.0), place(2, 8.0), &filter, &mut corridor).map(|()| corridor)
    };
    let open = ask(mesh.mesh()).unwrap();
    let door = mesh.add(&Obstacle::cuboid(DVec3::new(4.5, 0.0, 2.0), DVec3::new(0.2, 1.0, 3.0), 0.0)).unwrap();
    assert!(matches!(ask(mesh.mesh()), Err(QueryError::OtherIsland(..))));
    assert_ne!(mesh.mesh().id(), base.id());
    mesh.set_enabled(door, false).unwrap();
    assert_eq!((ask(mesh.mesh()).unwrap(), mesh.mesh().id()), (open.clone(), base.id()));
    mesh.set_enabled(door, true).unwrap();
    assert!(ask(mesh.mesh()).is_err());
    mesh.remove(door).unwrap();
    assert_eq!(mesh.remove(door), Err(ObstacleError::Unknown(0)));
    let middle = base.from_source(1).unwrap();
    mesh.set_flags(middle, 0).unwrap();
    mesh.verify().unwrap();
    assert!(matches!(ask(mesh.mesh()), Err(QueryError::Blocked(..))));
    let small = mesh.add(&square(4.5, 2.0, 0.2)).unwrap();
    mesh.verify().unwrap();
    assert!(matches!(ask(mesh.mesh()), Err(QueryError::Blocked(..))), "pieces of a closed polygon are closed");
    mesh.remove(small).unwrap();
    mesh.set_flags(middle, base.polygon(middle).flags).unwrap();
    assert_eq!((ask(mesh.mesh()).unwrap(), all_of(mesh.mesh())), (open, all_of(&base)));
}

#[test]
fn n_06_floors_above_and_below_an_obstacle_stay() {
    let base = floors(&[[0.0, 0.0, 4.0, 4.0, 0.0], [1.0, -2.0, 2.0, 6.0, 3.0]]);
    let mut mesh = DynamicMesh::new(base);
    let id = mesh.add(&square(1.5, 2.0, 1.0)).unwrap();
    mesh.verify().unwrap();
    let floors = |m: &DynamicMesh| {
        let mut on: Vec<u32> = holds(m.mesh(), m.mesh().local(DVec3::new(1.5, 0.0, 2.0)));
        on.iter_mut().for_each(|p| *p = m.mesh().source(PolyId(*p)));
        on
    };
    assert_eq!(floors(&mesh), [1]);
    mesh.set(id, &Obstacle { low: 2.5, high: 3.5, ..square(1.5, 2.0, 1.0) }).unwrap();
    assert_eq!(floors(&mesh), [0]);
    mesh.set(id, &Obstacle { low: -9.0, high: 9.0, ..square(1.5, 2.0, 1.0) }).unwrap();
    assert!(floors(&mesh).is_empty());
    mesh.set(id, &Obstacle { low: 1.0, high: 2.0, ..square(1.5, 2.0, 1.0) }).unwrap();
    assert_eq!((floors(&mesh).len(), mesh.mesh().id()), (2, mesh.base().id()));
}

/// A square of four metres with a hill of this height in its middle, by its height detail.
fn hill(height: f64) -> Arc<NavMesh> {
    let corners = [(0.0, 0.0), (0.0, 4.0), (4.0, 4.0), (4.0, 0.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
    let raw = RawMesh { vertices: corners.to_vec(), polygons: vec![RawPolygon::new([0, 1, 2, 3])] };
    let points: Vec<DVec3> = corners.into_iter().chain([DVec3::new(2.0, height, 2.0)]).collect();
    let mut triangles = vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
    if plan::cross(points[0].as_vec3(), points[1].as_vec3(), points[4].as_vec3()) < 0.0 {
        triangles.iter_mut().for_each(|t: &mut [u32; 3]| t.swap(0, 1));
    }
    let detail = Detail { points, triangles, starts: vec![0, 4] };
    Arc::new(raw.validate().unwrap().with_detail(&detail).unwrap())
}

#[test]
fn n_06_the_top_of_a_hill_is_found_on_what_an_obstacle_leaves() {
    let base = hill(30.0);
    let mut mesh = DynamicMesh::new(base.clone());
    mesh.add(&Obstacle { low: -1.0, high: 31.0, ..square(0.5, 0.5, 0.2) }).unwrap();
    mesh.verify().unwrap();
    let top = base.local(DVec3::new(2.0, 30.0, 2.0));
    for m in [&*base, mesh.mesh()] {
        let found = nearest(m, top, &SearchExtents::default(), &Filter::default()).unwrap();
        assert!(found.over && m.is_live(found.polygon) && found.point.distance(top) < 1e-4, "{found:?}");
    }
}

#[test]
fn n_06_an_obstacle_on_a_hill_inside_its_footprint_counts() {
    let base = hill(3.0);
    // At the corners of the footprint the ground is 1.5 m high.
    for (low, high, counts) in [(2.5, 2.9, true), (1.0, 4.0, true), (3.1, 4.0, false), (0.0, 1.0, false)] {
        let mut mesh = DynamicMesh::new(base.clone());
        mesh.add(&Obstacle { low, high, ..square(2.0, 2.0, 1.0) }).unwrap();
        mesh.verify().unwrap();
        let middle = mesh.mesh().local(DVec3::new(2.0, 0.0, 2.0));
        assert_eq!(holds(mesh.mesh(), middle).is_empty(), counts, "{low} to {high}");
    }
}

#[test]
fn n_06_whole_polygons_shared_edges_corners_and_odd_sizes() {
    let squares: Vec<[f64; 5]> = (0..16).map(|i| [i % 4, i / 4, i % 4 + 1, i / 4 + 1, 0].map(f64::from)).collect();
    let base = floors(&squares);
    let before = all_of(&base);
    let area = |m: &NavMesh| -> f64 {
        let of = |p: u32| {
            let c = m.corners_of(PolyId(p));
            (2..c.len()).map(|i| plan::cross(c[0], c[i - 1], c[i])).sum::<f64>() * 0.5
        };
        (0..m.len() as u32).filter(|&p| m.is_live(PolyId(p))).map(of).sum()
    };
    // Position, half the size, the ground that is lost.
    for (x, z, half, lost) in [
        (1.5, 1.5, 0.5, 1.0),
        (2.0, 2.0, 1.0, 4.0),
        (2.0, 2.0, 0.25, 0.25),
        (1.5, 2.0, 0.5, 1.0),
        (0.0, 0.0, 1.0, 1.0),
        (2.0, 2.0, 2.0, 16.0),
        (2.0, 2.0, 400.0, 16.0),
        (1.3, 1.3, 0.003, 3.6e-5),
        (-3.0, 0.0, 1.0, 0.0),
        (-1.01, 0.5, 1.0, 0.0),
        (9e5, 0.0, 5.0, 0.0),
    ] {
        let mut mesh = DynamicMesh::new(base.clone());
        let id = mesh.add(&square(x, z, half)).unwrap();
        mesh.verify().unwrap_or_else(|e| panic!("{x} {z} {half}: {e}"));
        let gone = 16.0 - area(mesh.mesh());
        assert!(gone >= lost - 1e-9 && gone < lost + half.min(4.0) * 8e-3 + 1e-6, "{x} {z} {half}: {gone} for {lost}");
        mesh.remove(id).unwrap();
        assert_eq!(all_of(mesh.mesh()), before);
    }
}

#[test]
fn n_06_a_crowd_of_overlapping_obstacles_comes_and_goes() {
    let base = random_mesh(7, 12, DVec3::ZERO);
    let before = all_of(&base);
    let (mut mesh, mut chance) = (DynamicMesh::new(base.clone()), chance(5));
    let ids: Vec<ObstacleId> =
        mesh.batch(|m| (0..80).map(|_| m.add(&random_obstacle(12.0, DVec3::ZERO, &mut chance)).unwrap()).collect());
    mesh.verify().unwrap();
    for round in 0..400 {
        let id = ids[(chance() * ids.len() as f32) as usize];
        mesh.set(id, &random_obstacle(12.0, DVec3::ZERO, &mut chance)).unwrap();
        if round % 20 == 0 {
            mesh.verify().unwrap_or_else(|e| panic!("round {round}: {e}"));
        }
        assert!(mesh.mesh().len() < 6000, "{}", mesh.mesh().len());
    }
    // The same obstacles, put there at once, leave the same ground.
    let mut other = DynamicMesh::new(base);
    for (_, obstacle) in mesh.obstacles() {
        other.add(obstacle).unwrap();
    }
    for _ in 0..2000 {
        let at = Vec3::new(chance() * 12.0 - 6.0, 0.0, chance() * 12.0 - 6.0);
        assert_eq!(holds(mesh.mesh(), at).is_empty(), holds(other.mesh(), at).is_empty(), "{at}");
    }
    assert_eq!(mesh.mesh().island_count(), other.mesh().island_count());
    mesh.batch(|m| ids.iter().for_each(|&id| m.remove(id).unwrap()));
    assert_eq!(all_of(mesh.mesh()), before);
}

#[test]
fn n_06_what_is_no_obstacle_is_refused_and_changes_nothing() {
    let base = floors(&[[0.0, 0.0, 4.0, 4.0, 0.0]]);
    let mut mesh = DynamicMesh::new(base.clone());
    let good = square(2.0, 2.0, 0.5);
    let id = mesh.add(&good).unwrap();
    let before = all_of(mesh.mesh());
    let star = (0..5).map(|i| DVec2::from_angle(f64::from(i) * 2.0 * std::f64::consts::TAU / 5.0)).collect();
    let circle = |n: u32| (0..n).map(|i| DVec2::from_angle(f64::from(i) / f64::from(n) * 6.2)).collect();
    let corner = |x: f64| [vec![DVec2::new(x, 0.0)], good.footprint.clone()].concat();
    let of = |footprint: Vec<DVec2>| Obstacle { footprint, ..good.clone() };
    for (bad, error) in [
        (of(vec![]), ObstacleError::Corners(0)),
        (of(vec![DVec2::ZERO, DVec2::X]), ObstacleError::Corners(2)),
        (of(circle(33)), ObstacleError::Corners(33)),
        (of(corner(f64::NAN)), ObstacleError::BadCorner(0)),
        (of(corner(1e30)), ObstacleError::BadCorner(0)),
        (of(corner(f64::INFINITY)), ObstacleError::BadCorner(0)),
        (of(star), ObstacleError::NotConvex(0)),
        (of(vec![DVec2::ZERO, DVec2::ZERO, DVec2::X]), ObstacleError::Twice(0, 1)),
        (of(vec![DVec2::ZERO, DVec2::X, DVec2::new(0.5, 0.2), DVec2::Y]), ObstacleError::NotConvex(2)),
        (of(vec![DVec2::ZERO, DVec2::X, DVec2::new(0.5, 1e-4)]), ObstacleError::Thin),
        (Obstacle { low: 2.0, high: 1.0, ..good.clone() }, ObstacleError::Heights { low: 2.0, high: 1.0 }),
    ] {
        assert_eq!(mesh.add(&bad), Err(error.clone()));
        assert_eq!(mesh.set(id, &bad), Err(error));
    }
    assert!(mesh.add(&Obstacle { high: f64::NAN, ..good.clone() }).is_err());
    let mut other = DynamicMesh::new(base);
    let unknown = [0.5, 1.5, 2.5].map(|x| other.add(&square(x, 2.0, 0.2)).unwrap())[2];
    assert_eq!(mesh.set(unknown, &good), Err(ObstacleError::Unknown(2)));
    assert_eq!(mesh.set_flags(PolyId(1), 0), Err(ObstacleError::NoSuchPolygon(1, 1)));
    assert_eq!(all_of(mesh.mesh()), before);
    assert_eq!(mesh.obstacles().map(|o| o.0).collect::<Vec<_>>(), [id]);
}

#[test]
fn n_06_shapes_grow_by_their_margin() {
    for seed in 1..200 {
        let mut chance = chance(seed);
        let shape = random_obstacle(4.0, DVec3::ZERO, &mut chance);
        shape.check().unwrap();
        let margin = f64::from(chance());
        let grown = shape.grown(margin);
        grown.check().unwrap();
        let flat = floors(&[[0.0, 0.0, 1.0, 1.0, 0.0]]);
        for corner in &grown.footprint {
            let at = flat.local(DVec3::new(corner.x, 0.0, corner.y));
            let off = outside(&shape, &flat, at);
            assert!(off > margin - 1e-5 && off < 2.0 * margin + 1e-5, "seed {seed}: {off} for {margin}");
        }
        for pair in grown.footprint.windows(2) {
            let middle = (pair[0] + pair[1]) * 0.5;
            let off = outside(&shape, &flat, flat.local(DVec3::new(middle.x, 0.0, middle.y)));
            assert!(off > margin - 1e-5, "seed {seed}: {off} for {margin}");
        }
    }
    let thin =
        Obstacle { footprint: vec![DVec2::ZERO, DVec2::new(5.0, 0.1), DVec2::new(5.0, -0.1)], low: 0.0, high: 1.0 };
    assert_eq!(thin.grown(0.5).footprint.len(), 4);
    assert_eq!(thin.grown(f64::NAN), thin);
    assert_eq!(thin.grown(-1.0), thin);
}

#[test]
fn n_06_switches_of_one_batch_are_one_change() {
    let base = random_mesh(7, 8, DVec3::ZERO);
    let mut mesh = DynamicMesh::new(base.clone());
    let all: Vec<PolyId> = (0..base.len() as u32).map(PolyId).collect();
    assert!(all.len() > 40);
    mesh.batch(|mesh| all.iter().for_each(|&p| mesh.set_flags(p, 0).unwrap()));
    assert_ne!(mesh.mesh().id(), base.id());
    assert_eq!(mesh.mesh().changed_since(base.id()), Some(all.clone()), "none is forgotten for their number");
    mesh.batch(|mesh| all.iter().for_each(|&p| mesh.set_flags(p, base.polygon(p).flags).unwrap()));
    assert_eq!(mesh.mesh().id(), base.id());
}
