//! The graph of small levels by hand; landmarks against the path itself.

use crate::fixture::{degenerate_triangles, floor, wall};
use glam::Vec3;
use walkabout::asset::LevelTriangle;
use walkabout::nav::mesh::from_level::GroundSettings;
use walkabout::nav::original::*;
use walkabout::nav::search::{Graph, Search};

/// The line that is walked from (-2, 0) to (2, 0), and how many nodes it leads over.
fn walked(level: &[LevelTriangle]) -> (Vec<Vec3>, usize) {
    let graph = GroundGraph::build(level, &GroundSettings::default());
    let ends = [Vec3::new(-2.0, 0.0, 0.1), Vec3::new(2.0, 0.0, 0.1)];
    let [start, target] = ends.map(|p| graph.node_at(p).unwrap());
    let nodes: Vec<GroundNode> = PathFinder::default().find_nodes(&graph, start, target).unwrap().collect();
    (centers_line(&graph, ends[0], ends[1], &nodes), nodes.len())
}

#[test]
fn the_rule_leads_through_walls() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    wall(0.0, [0.0, 3.0], [-4.0, 4.0], &mut level);
    let (line, _) = walked(&level);
    assert!(line.windows(2).any(|leg| leg[0].x < 0.0 && leg[1].x > 0.0), "{line:?}");
}

#[test]
fn other_floors_and_places_off_the_ground_are_refused() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    floor([-4.0, 4.0], 3.0, [-1.0, 1.0], &mut level);
    let graph = GroundGraph::build(&level, &GroundSettings::default());
    let at = |y| graph.node_at(Vec3::new(0.5, y, 0.2));
    let ask = |start, target| PathFinder::default().find_between(&graph, start, target).outcome;
    assert_eq!(ask(at(0.0), at(3.0)), Err(NoPath::OtherIsland));
    assert_eq!(ask(at(1.5), at(3.0)), Err(NoPath::StartOffGround));
    assert_eq!(ask(at(0.0), at(9.0)), Err(NoPath::TargetOffGround));
    assert_eq!(ask(at(0.3), at(-0.3)), Ok(()));
}

#[test]
fn degenerate_triangles_never_panic_and_give_no_nan() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    degenerate_triangles(&mut level);
    let steep = [Vec3::ZERO, Vec3::splat(1e30), Vec3::Z];
    level.push(LevelTriangle { index: level.len() as u32, points: steep, normal: Vec3::Y });
    let graph = GroundGraph::build(&level, &GroundSettings::default());
    assert!(graph.len() >= 2 && graph.nodes().all(|n| graph.center(n).is_finite()));
    let mut finder = PathFinder::default();
    for a in graph.nodes() {
        for b in graph.nodes() {
            let found = finder.find_path(&graph, a, b);
            assert!(found.length.is_finite() && found.points.iter().all(|p| p.is_finite()));
        }
    }
}

#[test]
fn estimates_never_exceed_the_way() {
    // A comb: long ways between near places, so that landmarks say more than straight lines.
    let mut level = Vec::new();
    floor([0.0, 20.0], 0.0, [0.0, 1.0], &mut level);
    for tooth in 0..10 {
        let x = tooth as f32 * 2.0;
        for part in 0..8 {
            let z = 1.0 + part as f32;
            floor([x, x + 1.0], 0.0, [z, z + 1.0], &mut level);
        }
    }
    let graph = GroundGraph::build(&level, &GroundSettings::default());
    let (mut search, mut more) = (Search::default(), 0);
    for target in graph.nodes() {
        // Hops cost the same both ways.
        search.flood(&graph, target.0, |node, cost| {
            let estimate = graph.estimate(node, target.0);
            assert!(estimate <= cost * (1.0 + 1e-5), "{estimate} for {cost}");
            let straight = graph.center(GroundNode(node)).distance(graph.center(target));
            more += usize::from(estimate > straight * 1.2 + 0.1);
        });
    }
    assert!(more > graph.len(), "landmarks say nothing");
}

#[test]
fn b_05_lines_begin_and_end_at_the_points_not_at_centres() {
    let mut level = Vec::new();
    for i in 0..8 {
        let x = i as f32 - 4.0;
        floor([x, x + 1.0], 0.0, [-4.0, 4.0], &mut level);
    }
    let (line, nodes) = walked(&level);
    assert!(nodes > 3, "{nodes}");
    assert_eq!((line[0], line[line.len() - 1]), (Vec3::new(-2.0, 0.0, 0.1), Vec3::new(2.0, 0.0, 0.1)));
    assert_eq!(line.len(), nodes, "the centres of all nodes but the first and the last: {line:?}");
}
