//! Queries against Detour's measured answers on meshes of real levels.

use super::pairs::Case;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use walkabout::math::plan;
use walkabout::nav::mesh::{Filter, NavPoint, PolyId};
use walkabout::nav::query::clearance::{ClearancePath, ClearancePaths};
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::nearest::{SearchExtents, nearest};
use walkabout::nav::query::path::{Corridor, CorridorFinder};
use walkabout::nav::query::raycast::raycast;
use walkabout::nav::query::surface::Surface;

fn each_case(data: &Path, mut f: impl FnMut(&str, &Case)) {
    for name in ["nav_test", "de_dust_x5"] {
        for offset in [0.0, -50_000.0] {
            f(&format!("{name}, moved by {offset}"), &Case::read(data, name, offset));
        }
    }
}

/// How far a length may be from Detour's, as a part of it: its figures have six digits.
const SAME_LENGTH: f64 = 1e-4;
/// How far a point may be from Detour's, metres.
const SAME_PLACE: f64 = 5e-3;

fn d_06_d_10_paths_are_detours(data: PathBuf) {
    let (mut finder, mut corridor, mut line) = (CorridorFinder::new(), Corridor::default(), Vec::new());
    each_case(&data, |name, case| {
        let filter = Filter::default();
        for (i, pair) in case.pairs.iter().enumerate() {
            let (start, end) = case.ends(pair);
            finder.find(&case.mesh, start, end, &filter, &mut corridor).unwrap();
            let polygons: Vec<u32> = corridor.polygons.iter().map(|&p| case.mesh.source(p)).collect();
            assert_eq!(polygons, pair.detour_corridor, "{name}, pair {i}");
            straight_path(&case.mesh, &corridor, start.point, end.point, Crossings::None, &mut line);
            let legs = || line.windows(2).map(|w| (w[0].point, w[1].point));
            let length_3d: f64 = legs().map(|(a, b)| f64::from(a.distance(b))).sum();
            let length_2d: f64 = legs().map(|(a, b)| f64::from(plan::distance(a, b))).sum();
            for (length, wanted) in [(length_3d, pair.detour_len3d), (length_2d, pair.detour_len2d)] {
                let error = (length - wanted) / wanted.max(1e-3);
                assert!(error.abs() < SAME_LENGTH, "{name}, pair {i}: {length} for {wanted}");
            }
            let ours = || line.iter().map(|turn| case.mesh.world(turn.point) - case.offset);
            assert_eq!(line.len(), pair.detour_points.len(), "{name}, pair {i}");
            let apart = ours().zip(&pair.detour_points).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(apart < SAME_PLACE, "{name}, pair {i}: a point is {apart} m from Detour's");
        }
    });
}

fn d_02_nearest_finds_the_polygons_that_pairs_stand_on(data: PathBuf) {
    each_case(&data, |name, case| {
        for (i, pair) in case.pairs.iter().enumerate() {
            let NavPoint { polygon, point } = case.place(pair.start_poly, pair.start);
            let found = nearest(&case.mesh, point, &SearchExtents::default(), &Filter::default()).unwrap();
            // A point on an edge belongs to both sides.
            let touches = case.mesh.edges_of(polygon).iter().any(|e| e.neighbor == found.polygon.0);
            assert!(found.polygon == polygon || touches, "{name}, pair {i}");
            // The pairs' heights come from finer triangles than the polygons.
            let apart = (found.point - point).abs();
            assert!(apart.x + apart.z < 1e-3 && apart.y < 2.5, "{name}, pair {i}: {} for {point}", found.point);
        }
    });
}

fn rays_walls_and_walks_are_detours(data: PathBuf) {
    let (mut surface, mut polygons, filter) = (Surface::new(), Vec::new(), Filter::default());
    each_case(&data, |name, case| {
        for (i, pair) in case.pairs.iter().enumerate() {
            let start = case.place(pair.start_poly, pair.start);
            let ray = raycast(&case.mesh, start, case.mesh.local(pair.end + case.offset), &filter, |_| ());
            let share = if ray.wall.is_some() { ray.share } else { -1.0 };
            assert!((share - pair.ray_t).abs() < 1e-3, "{name}, pair {i}: {share} for {}", pair.ray_t);
            assert!(ray.crossed.abs_diff(pair.ray_polys) <= 1, "{name}, pair {i}");
            let wall = surface.wall_distance(&case.mesh, start, 100.0, &filter).map_or(100.0, |w| w.distance);
            assert!((wall - pair.wall_dist).abs() < 5e-3, "{name}, pair {i}: {wall} for {}", pair.wall_dist);
            let target = case.mesh.local(pair.move_target + case.offset);
            let NavPoint { polygon: _, point } = surface.walk(&case.mesh, start, target, &filter, &mut polygons);
            let apart = plan::distance(point, case.mesh.local(pair.move_result + case.offset));
            assert!(apart < 2e-2, "{name}, pair {i}: {point} is {apart} from Detour's");
        }
    });
}

fn n_01_paths_of_any_radius_keep_their_distance(data: PathBuf) {
    let (mut paths, mut path, filter) = (ClearancePaths::new(), ClearancePath::default(), Filter::default());
    let mut surface = Surface::new();
    for name in ["nav_test", "de_dust_x5"] {
        let case = Case::read(&data, name, 0.0);
        for radius in [0.3, 0.6, 1.2] {
            let (mut found, mut ratio) = (0, 0.0);
            for (i, pair) in case.pairs.iter().enumerate().step_by(3) {
                let (start, end) = case.ends(pair);
                if paths.find(&case.mesh, start, end, &filter, radius, &mut path).is_err() {
                    continue;
                }
                found += 1;
                let mut length = 0.0;
                for leg in path.points.windows(2) {
                    let from = NavPoint::new(PolyId(leg[0].polygon), leg[0].point);
                    length += f64::from(plan::distance(from.point, leg[1].point));
                    let steps = (plan::distance(from.point, leg[1].point) / 0.2).ceil().max(1.0);
                    for k in 0..=steps as u32 {
                        let point = from.point.lerp(leg[1].point, k as f32 / steps);
                        let ray = raycast(&case.mesh, from, point, &filter, |_| ());
                        let wall =
                            surface.wall_distance(&case.mesh, NavPoint::new(ray.polygon, point), radius, &filter);
                        let room = wall.map_or(radius, |w| w.distance);
                        assert!(
                            ray.wall.is_none() && room > radius - 1e-3,
                            "{name}, radius {radius}, pair {i}: {room}"
                        );
                    }
                }
                ratio += length / pair.optimum_len2d.max(1.0);
            }
            assert!(found > 300, "{name}, radius {radius}: {found} of 334");
            assert!(ratio / f64::from(found) < 1.2, "{name}, radius {radius}: {ratio} over {found}");
        }
    }
}

/// The trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        super::trial("rays_walls_and_walks_are_detours", rays_walls_and_walks_are_detours),
        super::trial("n_01_paths_of_any_radius_keep_their_distance", n_01_paths_of_any_radius_keep_their_distance),
        super::trial("d_06_d_10_paths_are_detours", d_06_d_10_paths_are_detours),
        super::trial(
            "d_02_nearest_finds_the_polygons_that_pairs_stand_on",
            d_02_nearest_finds_the_polygons_that_pairs_stand_on,
        ),
    ]
}
