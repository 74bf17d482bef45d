//! Obstacles on the mesh of a real level.

use crate::pairs::Case;
use glam::{DVec3, Vec3};
use libtest_mimic::Trial;
use std::path::PathBuf;
use std::sync::Arc;
use walkabout::nav::mesh::{DynamicMesh, Filter, NavMesh, NavPoint, Obstacle, PolyId};
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::path::{Corridor, CorridorFinder};

fn on_some_polygon(mesh: &NavMesh, point: Vec3, height: f32) -> bool {
    let near = |&p: &u32| {
        let id = PolyId(p);
        mesh.is_live(id) && mesh.contains_2d(id, point) && (mesh.height_at(id, point) - point.y).abs() < height
    };
    mesh.grid().at(point).iter().any(near)
}

fn n_06_obstacles_on_a_level_are_walked_around_and_leave_no_trace(data: PathBuf) {
    let case = Case::read(&data, "de_dust_x5", 0.0);
    let base = Arc::new(case.mesh.clone());
    let (mut mesh, filter) = (DynamicMesh::new(base.clone()), Filter::default());
    let (mut finder, mut corridor, mut line) = (CorridorFinder::new(), Corridor::default(), Vec::new());
    let (half, mut stood_in_the_way) = (DVec3::new(0.7, 2.0, 0.4), 0);
    for (i, pair) in case.pairs.iter().enumerate().step_by(2) {
        let (start, end) = case.ends(pair);
        finder.find(&base, start, end, &filter, &mut corridor).unwrap();
        straight_path(&base, &corridor, start.point, end.point, Crossings::All, &mut line);
        let before = line.clone();
        // In the middle of the way, as a box or a column.
        let at = before[before.len() / 2].point;
        let middle = base.world(at);
        let obstacle = match i % 4 {
            0 => Obstacle::cuboid(middle, half, i as f64),
            _ => Obstacle::cylinder(middle - DVec3::Y * 2.0, 0.5, 4.0),
        };
        let id = mesh.add(&obstacle).unwrap();
        if i % 50 == 0 {
            mesh.verify().unwrap();
        }
        assert!(!on_some_polygon(mesh.mesh(), at, 1.0), "pair {i}");
        let place = |p: Vec3| {
            let now = mesh.mesh();
            let over = |&&id: &&u32| now.contains_2d(PolyId(id), p) && (now.height_at(PolyId(id), p) - p.y).abs() < 2.5;
            now.grid().at(p).iter().find(over).map(|&id| NavPoint::new(PolyId(id), p))
        };
        if let (Some(start), Some(end)) = (place(start.point), place(end.point))
            && finder.find(mesh.mesh(), start, end, &filter, &mut corridor).is_ok()
        {
            straight_path(mesh.mesh(), &corridor, start.point, end.point, Crossings::None, &mut line);
            stood_in_the_way += 1;
            for leg in line.windows(2) {
                let steps = (leg[0].point.distance(leg[1].point) / 0.1).ceil().max(1.0);
                for k in 0..=steps as u32 {
                    let point = base.world(leg[0].point.lerp(leg[1].point, k as f32 / steps));
                    let inside = (point - middle).with_y(0.0).length() < 0.39 && (point.y - middle.y).abs() < 1.0;
                    assert!(!inside, "pair {i}: {point} lies in the obstacle at {middle}");
                }
            }
        }
        mesh.remove(id).unwrap();
        let (start, end) = case.ends(pair);
        finder.find(mesh.mesh(), start, end, &filter, &mut corridor).unwrap();
        straight_path(mesh.mesh(), &corridor, start.point, end.point, Crossings::All, &mut line);
        assert!(line == before && mesh.mesh().id() == base.id(), "pair {i}");
    }
    assert!(stood_in_the_way > 300, "{stood_in_the_way}");
    assert_eq!(format!("{:?}", mesh.mesh()), format!("{base:?}"));
}

/// The trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![super::trial(
        "n_06_obstacles_on_a_level_are_walked_around_and_leave_no_trace",
        n_06_obstacles_on_a_level_are_walked_around_and_leave_no_trace,
    )]
}
