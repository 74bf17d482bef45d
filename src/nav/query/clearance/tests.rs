//! Widths and walls that are kept over changes of the mesh, against those that are measured anew; paths against exact ones.

use super::nearby_walls::Leg;
use super::width_cache::WidthCache;
use super::{ClearancePath, ClearancePaths, ClearanceQuery, SearchHints};
use crate::math::plan;
use crate::nav::mesh::{DynamicMesh, Filter, NavMesh, NavPoint, Obstacle, PolyId, RawMesh, RawPolygon, fixture};
use crate::nav::query::polyanya::{Polyanya, ShortestPath};
use glam::{DVec3, Vec3};

/// Compares what was kept over changes with what is measured anew, at random places; says how much was kept.
fn compare(mesh: &NavMesh, kept: &mut WidthCache, filter: &Filter, chance: &mut impl FnMut() -> f32) -> usize {
    let (mut new, mut measured) = (WidthCache::default(), 0);
    kept.prepare(mesh, filter, 1.0);
    new.prepare(mesh, filter, 1.0);
    for vertex in 0..mesh.vertices().len() as u32 {
        assert_eq!(kept.touch(vertex), new.touch(vertex), "vertex {vertex}");
    }
    for polygon in (0..mesh.len() as u32).filter(|&p| mesh.is_live(PolyId(p))) {
        for way in mesh.portals().links_of(polygon) {
            for out in mesh.portals().links_of(way.neighbor).iter().map(|out| out.portal) {
                measured += usize::from(kept.is_measured(way.portal, out));
                if chance() < 0.7 {
                    let widths = [&mut *kept, &mut new].map(|w| w.width(mesh, filter, way.portal, out).to_bits());
                    assert_eq!(widths[0], widths[1], "from portal {} to portal {out}", way.portal);
                }
            }
        }
        if chance() < 0.7 {
            let need = chance();
            let wide = [&mut *kept, &mut new].map(|w| w.is_wide(mesh, filter, polygon, need));
            assert_eq!(wide[0], wide[1], "polygon {polygon}, {need} m");
        }
        for radius in [0.2, 0.9] {
            let middle = mesh.polygon(PolyId(polygon)).center;
            let listed = [&mut *kept, &mut new].map(|walls| {
                let reach = walls.reach(mesh, radius);
                reach.is_clear(mesh, filter, PolyId(polygon), &Leg::new(middle, middle, radius));
                reach.listed(PolyId(polygon))
            });
            assert_eq!(listed[0], listed[1], "walls within {radius} m of polygon {polygon}");
        }
    }
    measured
}

#[test]
fn n_06_n_01_measures_kept_over_changes_are_those_measured_anew() {
    let mut shares = (0, 0);
    for seed in 1..25 {
        let base = std::sync::Arc::new(fixture::random_mesh(seed, 14, 0.3).validate().unwrap());
        let (mut chance, filter) = (fixture::chance(seed), Filter::default());
        let (mut mesh, mut ids, mut kept) = (DynamicMesh::new(base.clone()), Vec::new(), WidthCache::default());
        compare(mesh.mesh(), &mut kept, &filter, &mut chance);
        for round in 0..30 {
            let mut next = |low: f32, high: f32| f64::from(low + (high - low) * chance());
            let at = DVec3::new(next(0.0, 14.0), 0.0, next(0.0, 14.0));
            let obstacle = match round % 2 {
                0 => Obstacle::cuboid(at, DVec3::new(next(0.1, 0.9), 9.0, next(0.1, 0.5)), next(0.0, 6.3)),
                _ => Obstacle::cylinder(at - DVec3::Y * 9.0, next(0.1, 0.7), 18.0),
            };
            let any = next(0.0, ids.len() as f32) as usize;
            match (round % 5, ids.is_empty()) {
                (2, false) => mesh.set(ids[any], &obstacle).unwrap(),
                (3, false) => mesh.remove(ids.swap_remove(any)).unwrap(),
                (4, _) => {
                    let polygon = PolyId(next(0.0, base.len() as f32) as u32);
                    let flags = if mesh.flags(polygon) == Some(0) { 1 } else { 0 };
                    mesh.set_flags(polygon, flags).unwrap();
                }
                _ => ids.push(mesh.add(&obstacle).unwrap()),
            }
            // Not every searcher queries after each change.
            if chance() < 0.7 {
                shares.0 += compare(mesh.mesh(), &mut kept, &filter, &mut chance);
                let portals = mesh.mesh().portals();
                let ways = (0..mesh.mesh().len() as u32).flat_map(|p| portals.links_of(p));
                shares.1 += ways.map(|way| portals.links_of(way.neighbor).len()).sum::<usize>();
            }
        }
    }
    assert!(shares.0 * 2 > shares.1, "{} of {} widths were kept", shares.0, shares.1);
}

/// Length in plan.
fn length(path: &ClearancePath) -> f64 {
    path.points.windows(2).map(|leg| f64::from(plan::distance(leg[0].point, leg[1].point))).sum()
}

#[test]
fn n_01_a_corner_beyond_the_end_bends_no_path() {
    // Around a corner at (7, 1), beside a wall at x = 8 with a vertex in line.
    let vertices = [(6, 1), (7, 1), (8, 1), (6, 2), (7, 2), (8, 2), (7, 0), (8, 0)];
    let outlines: [[u32; 3]; 6] = [[0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [6, 1, 2], [6, 2, 7]];
    let raw = RawMesh {
        vertices: vertices.map(|(x, z)| DVec3::new(f64::from(x), 0.0, f64::from(z))).to_vec(),
        polygons: outlines.map(RawPolygon::new).to_vec(),
    };
    let mesh = raw.validate().unwrap();
    let (mut paths, mut path) = (ClearancePaths::new(), ClearancePath::default());
    for step in 0..60 {
        let place = |x: f64, z: f64| fixture::over(&mesh, x, z).unwrap();
        let (start, end) = (place(6.5, 1.5), place(7.69, 1.2 - 0.01 * f64::from(step)));
        for (start, end) in [(start, end), (end, start)] {
            for radius in [0.12, 0.2, 0.3] {
                let found = paths.find(&mesh, start, end, &Filter::default(), radius, &mut path);
                assert_eq!(found, Ok(()), "{start:?} to {end:?}, radius {radius}");
                let long = length(&path) - f64::from(plan::distance(start.point, end.point));
                assert!(long > -1e-5 && long < f64::from(radius), "{end:?}, radius {radius}: {long} m more");
                for at in path.points.iter().map(|p| mesh.world(p.point)) {
                    let near = at.distance(DVec3::new(7.0, at.y, 1.0)).min(8.0 - at.x);
                    assert!(near > f64::from(radius) - 1e-3, "{at}, radius {radius}");
                }
            }
        }
    }
}

#[test]
fn n_01_a_path_is_found_wherever_there_is_a_shortest_one() {
    let (mut exact, mut shortest) = (Polyanya::new(), ShortestPath::default());
    let (mut paths, mut path, filter) = (ClearancePaths::new(), ClearancePath::default(), Filter::default());
    let (mut found, mut unmoved) = (0, 0);
    for seed in 1..80 {
        let (mut chance, size) = (fixture::chance(seed), 8 + seed % 3 * 3);
        let mesh = match seed % 2 {
            0 => fixture::random_mesh(seed, size as u32, 0.0),
            _ => {
                let mut row = || (0..size).map(|_| if chance() < 0.25 { '#' } else { '.' }).collect::<String>();
                let rows: Vec<String> = (0..size).map(|_| row()).collect();
                fixture::plan(&rows.iter().map(String::as_str).collect::<Vec<_>>(), seed % 4 == 1)
            }
        };
        let mesh = mesh.validate().unwrap();
        for _ in 0..60 {
            let mut place =
                || fixture::over(&mesh, f64::from(chance()) * size as f64, f64::from(chance()) * size as f64);
            let (Some(start), Some(end)) = (place(), place()) else { continue };
            let radius = 0.05 + 0.4 * chance();
            if exact.find_for_disc(&mesh, [start, end], &filter, radius, &mut shortest).is_err() {
                continue;
            }
            let name = format!("mesh {seed}, {start:?} to {end:?}, radius {radius}");
            assert_eq!(paths.find(&mesh, start, end, &filter, radius, &mut path), Ok(()), "{name}");
            found += 1;
            let is_at = |at: Vec3, place: NavPoint| plan::distance(at, place.point) < 1e-4;
            let ends = [path.points[0].point, path.points[path.points.len() - 1].point];
            let is_unmoved = |ends: [Vec3; 2]| is_at(ends[0], start) && is_at(ends[1], end);
            if is_unmoved(ends) && is_unmoved([shortest.points[0], shortest.points[shortest.points.len() - 1]]) {
                let over = length(&path) - shortest.length_2d;
                assert!(over > -1e-4 * (1.0 + shortest.length_2d), "{name}: {over} m");
                unmoved += 1;
            }
        }
    }
    assert!(found > 1000 && unmoved > 500, "{found} found, {unmoved} between the same ends");
}

#[test]
fn what_a_shared_search_takes_depends_on_no_memory() {
    // Two rooms, and a passage a metre wide between them.
    let mesh = fixture::plan(&["...##...", "........", "...##..."], true).validate().unwrap();
    let filter = Filter::default();
    let place = |x: f64, z: f64| fixture::over(&mesh, x, z).unwrap();
    let (mut kept, hints) = (ClearancePaths::new(), SearchHints { shared: true, sketched: true });
    // One radius finds a way and the other one none, in turns.
    for (x, radius) in [(0.5, 0.2), (0.5, 0.6), (1.5, 0.2), (1.5, 0.6), (2.5, 0.2)] {
        let query = ClearanceQuery { start: place(x, 1.5), end: place(6.5, 1.5), filter: &filter, radius, hints };
        let answer = |paths: &mut ClearancePaths| {
            let mut path = ClearancePath::default();
            let found = paths.find_with_hints(&mesh, &query, &mut path);
            assert_eq!(found.is_ok(), radius < 0.5);
            (path.shared_expanded, path.corridor.expanded)
        };
        let expected = answer(&mut ClearancePaths::new());
        assert_eq!(answer(&mut kept), expected, "from {x}, radius {radius}");
        assert!(expected.0 > 0 && (expected.1 == 0) == (radius < 0.5), "{expected:?}");
    }
}
