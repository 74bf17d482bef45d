//! Planners against each other on a plan with a pillar and a yard.

use super::*;
use crate::nav::mesh::fixture;
use glam::DVec3;

fn plan(rows: &[&str]) -> NavMesh {
    fixture::plan(rows, false).validate().unwrap()
}

fn query<'a>(mesh: &NavMesh, filter: &'a Filter, start: (f64, f64), end: (f64, f64)) -> Query<'a> {
    let place = |p: (f64, f64)| {
        let point = mesh.local(DVec3::new(p.0, 0.0, p.1));
        let over = |&i: &u32| mesh.contains_2d(PolyId(i), point);
        (point, PolyId((0..mesh.len() as u32).find(over).unwrap()))
    };
    let ((start, start_poly), (end, end_poly)) = (place(start), place(end));
    Query { start, end, start_poly, end_poly, filter, radius: 0.0, tactics: None }
}

#[test]
fn every_planner_finds_a_way_on_the_mesh_and_none_is_shorter_than_the_exact_ones() {
    let mesh = plan(&["......", ".####.", ".####.", "......", "..##.."]);
    let (filter, mut planning) = (Filter::default(), Planning::new());
    let ask = query(&mesh, &filter, (0.5, 2.5), (5.5, 1.5));
    let lengths: Vec<f64> = PLANNERS
        .iter()
        .map(|p| {
            let found = p.find(&mut planning, &mesh, &ask);
            assert_eq!(found.reason, None, "{}", p.name);
            assert_eq!((found.points[0], found.points[found.points.len() - 1]), (ask.start, ask.end), "{}", p.name);
            assert_eq!(found.polygons.first(), Some(&ask.start_poly), "{}", p.name);
            assert_eq!(found.polygons.last(), Some(&ask.end_poly), "{}", p.name);
            for pair in found.polygons.windows(2) {
                assert!(mesh.edges_of(pair[0]).iter().any(|e| e.neighbor == pair[1].0), "{}: {pair:?}", p.name);
            }
            assert!((found.length - found.length_2d).abs() < 1e-9, "flat ground");
            found.length
        })
        .collect();
    let least = 2.0 * (0.5f64.hypot(0.5)) + 0.0;
    let by_name = |n: &str| lengths[PLANNERS.iter().position(|p| p.name == n).unwrap()];
    assert!(by_name("exact") > least && (by_name("exact") - by_name("exact-table")).abs() < 1e-5);
    assert!(lengths.iter().all(|&l| l >= by_name("exact") - 1e-5), "{lengths:?}");
}

#[test]
fn z_05_the_line_over_midpoints_is_start_centre_middle_centre_to_the_end() {
    let mesh = plan(&["..."]);
    let filter = Filter::default();
    let ask = query(&mesh, &filter, (0.25, 0.5), (2.75, 0.5));
    let found = planner("edge-midpoints").unwrap().find(&mut Planning::new(), &mesh, &ask);
    let xs: Vec<f64> = found.points.iter().map(|&p| mesh.world(p).x).collect();
    assert_eq!(xs, [0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 2.75]);
}

#[test]
fn names_are_told_apart_and_unknown_ones_are_none() {
    for (i, p) in PLANNERS.iter().enumerate() {
        assert!(PLANNERS[..i].iter().all(|o| o.name != p.name) && !p.help.is_empty() && !p.label.is_empty());
        assert_eq!(planner(p.name).map(|f| f.name), Some(p.name));
    }
    assert!(planner("teleport").is_none());
}

#[test]
fn n_03_the_answer_says_why_there_is_no_path() {
    let mesh = plan(&["..#..", "..#.."]);
    let filter = Filter::default();
    let ask = query(&mesh, &filter, (0.5, 0.5), (4.5, 0.5));
    for p in PLANNERS {
        let found = p.find(&mut Planning::new(), &mesh, &ask);
        assert!(found.points.is_empty() && found.polygons.is_empty() && found.length == 0.0);
        assert!(found.reason.unwrap().contains("island"), "{}", p.name);
    }
    let wide = Query { radius: 0.5, ..query(&mesh, &filter, (0.5, 0.5), (1.5, 1.5)) };
    for name in ["exact", "exact-table", "edge-midpoints", "tactical"] {
        let found = planner(name).unwrap().find(&mut Planning::new(), &mesh, &wide);
        assert!(found.reason.unwrap().contains("choose 'funnel'"), "{name}");
    }
}

#[test]
fn a_table_is_built_anew_for_another_filter_or_mesh() {
    let (filter, mut planning) = (Filter::default(), Planning::new());
    let table = planner("exact-table").unwrap();
    for rows in [&["...", ".#.", "..."], &["...", "...", "..."]] {
        let mesh = plan(rows);
        let ask = query(&mesh, &filter, (0.5, 0.5), (2.5, 2.5));
        let by_search = planner("exact").unwrap().find(&mut planning, &mesh, &ask).length;
        assert!((table.find(&mut planning, &mesh, &ask).length - by_search).abs() < 1e-6);
    }
}
