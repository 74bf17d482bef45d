//! Which pieces of ground hang together, on small levels by hand; landmarks against the way itself.

use super::*;
use crate::nav::path::{NoPath, PathFinder, walk_line};
use crate::nav::search::Search;

/// Adds a quadrilateral with the normal of its winding turned upwards.
fn quad(corners: [Vec3; 4], level: &mut Vec<LevelTriangle>) {
    let [a, b, c, d] = corners;
    for points in [[a, b, c], [a, c, d]] {
        let normal = triangle::normal(&points).map_or(Vec3::Y, |n| if n.y < 0.0 { -n } else { n });
        level.push(LevelTriangle { index: level.len() as u32, points, normal });
    }
}

fn floor(x: [f32; 2], y: f32, z: [f32; 2], level: &mut Vec<LevelTriangle>) {
    let p = |x, z| Vec3::new(x, y, z);
    quad([p(x[0], z[0]), p(x[0], z[1]), p(x[1], z[1]), p(x[1], z[0])], level);
}

/// A wall in the plane x = `x`.
fn wall(x: f32, y: [f32; 2], z: [f32; 2], level: &mut Vec<LevelTriangle>) {
    let p = |y, z| Vec3::new(x, y, z);
    quad([p(y[0], z[0]), p(y[1], z[0]), p(y[1], z[1]), p(y[0], z[1])], level);
}

/// Whether a way leads from (-2, 0) to (2, 0), and its length.
fn way(level: &[LevelTriangle], y: [f32; 2], adjacency: Adjacency) -> Result<f64, NoPath> {
    let graph = GroundGraph::build(level, &GroundSettings { adjacency, ..GroundSettings::default() });
    let at = |x, y| Vec3::new(x, y, 0.0);
    let found = PathFinder::default().find_way(&graph, at(-2.0, y[0]), at(2.0, y[1]));
    found.outcome.map(|()| found.length)
}

#[test]
fn floors_that_share_a_part_of_an_edge_are_neighbours() {
    let mut level = Vec::new();
    floor([-4.0, 0.0], 0.0, [-4.0, 4.0], &mut level);
    floor([0.0, 4.0], 0.0, [-1.0, 9.0], &mut level);
    let length = way(&level, [0.0; 2], Adjacency::Shared);
    assert!(length.is_ok_and(|l| (l - 4.0).abs() < 1e-3), "{length:?}");
    let graph = GroundGraph::build(&level, &GroundSettings::default());
    for a in graph.nodes() {
        for &b in graph.neighbors(a) {
            assert!(graph.neighbors(b).contains(&a) && graph.portal(a, b).is_some());
        }
    }
}

#[test]
fn steps_up_to_the_height_are_climbed_and_no_higher_ones() {
    for (height, passes) in [(0.3, true), (0.39, true), (0.5, false)] {
        let mut level = Vec::new();
        floor([-4.0, 0.0], 0.0, [-4.0, 4.0], &mut level);
        floor([0.0, 4.0], height, [-4.0, 4.0], &mut level);
        assert_eq!(way(&level, [0.0, height], Adjacency::Shared).is_ok(), passes, "a step of {height} m");
    }
}

#[test]
fn no_way_leads_through_a_wall_but_one_round_its_end() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    wall(0.0, [0.0, 3.0], [-4.0, 2.0], &mut level);
    let round = way(&level, [0.0; 2], Adjacency::Shared);
    // Past the end of the wall at z = 2, with some room.
    assert!(round.is_ok_and(|l| (2.0 * 8.0_f64.sqrt()..7.0).contains(&l)), "{round:?}");
    wall(0.0, [0.0, 3.0], [2.0, 4.0], &mut level);
    assert_eq!(way(&level, [0.0; 2], Adjacency::Shared), Err(NoPath::OtherIsland));
    // The original's rule goes straight through.
    assert!(way(&level, [0.0; 2], Adjacency::Original).is_ok());
}

#[test]
fn steep_faces_and_the_floor_below_a_bridge_are_kept_apart() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    floor([-4.0, 4.0], 3.0, [-1.0, 1.0], &mut level);
    assert_eq!(way(&level, [0.0, 3.0], Adjacency::Shared), Err(NoPath::OtherIsland));
    let mut level = Vec::new();
    floor([-4.0, 0.0], 0.0, [-4.0, 4.0], &mut level);
    let p = |x, y, z| Vec3::new(x, y, z);
    quad([p(0.0, 0.0, -4.0), p(0.0, 0.0, 4.0), p(1.0, 3.0, 4.0), p(1.0, 3.0, -4.0)], &mut level);
    floor([1.0, 4.0], 3.0, [-4.0, 4.0], &mut level);
    assert_eq!(way(&level, [0.0, 3.0], Adjacency::Shared), Err(NoPath::OtherIsland));
}

#[test]
fn degenerate_triangles_never_panic_and_give_no_nan() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    let odd = [
        [Vec3::ZERO; 3],
        [Vec3::ZERO, Vec3::X, Vec3::X * 2.0],
        [Vec3::ZERO, Vec3::NAN, Vec3::Z],
        [Vec3::ZERO, Vec3::splat(1e30), Vec3::Z],
        [Vec3::ZERO, Vec3::X * 1e-30, Vec3::Z * 1e-30],
    ];
    for points in odd {
        level.push(LevelTriangle { index: level.len() as u32, points, normal: Vec3::Y });
    }
    for adjacency in [Adjacency::Shared, Adjacency::Original] {
        let graph = GroundGraph::build(&level, &GroundSettings { adjacency, ..GroundSettings::default() });
        assert!(graph.len() >= 2 && graph.nodes().all(|n| graph.center(n).is_finite()));
        let mut finder = PathFinder::default();
        for a in graph.nodes() {
            for b in graph.nodes() {
                let found = finder.find_path(&graph, a, b);
                assert!(found.length.is_finite() && found.points.iter().all(|p| p.is_finite()));
            }
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

/// The line that is walked from (-2, 0) to (2, 0), and how many nodes it leads over.
fn walked(level: &[LevelTriangle], adjacency: Adjacency, margin: f32) -> (Vec<Vec3>, usize) {
    let graph = GroundGraph::build(level, &GroundSettings { adjacency, ..GroundSettings::default() });
    let ends = [Vec3::new(-2.0, 0.0, 0.1), Vec3::new(2.0, 0.0, 0.1)];
    let [start, target] = ends.map(|p| graph.nearest(p, 0.5, 0.5).unwrap());
    let nodes: Vec<GroundNode> = PathFinder::default().find_nodes(&graph, start, target).unwrap().collect();
    (walk_line(&graph, ends[0], ends[1], &nodes, margin), nodes.len())
}

#[test]
fn b_05_lines_begin_and_end_at_the_points_not_at_centres() {
    let mut level = Vec::new();
    for i in 0..8 {
        let x = i as f32 - 4.0;
        floor([x, x + 1.0], 0.0, [-4.0, 4.0], &mut level);
    }
    for adjacency in [Adjacency::Shared, Adjacency::Original] {
        let (line, nodes) = walked(&level, adjacency, 0.0);
        assert!(nodes > 3, "{nodes}");
        assert_eq!((line[0], line[line.len() - 1]), (Vec3::new(-2.0, 0.0, 0.1), Vec3::new(2.0, 0.0, 0.1)));
        // The original's way leads over the centres of all nodes but the first and the last.
        let points = if adjacency == Adjacency::Original { nodes } else { 2 };
        assert_eq!(line.len(), points, "{line:?}");
    }
}

#[test]
fn e_03_lines_keep_their_distance_from_the_end_of_a_wall() {
    let mut level = Vec::new();
    floor([-4.0, 4.0], 0.0, [-4.0, 4.0], &mut level);
    wall(0.0, [0.0, 3.0], [-4.0, 2.0], &mut level);
    let end = Vec3::new(0.0, 0.0, 2.0);
    let near = |margin: f32| {
        let (line, _) = walked(&level, Adjacency::Shared, margin);
        let apart = |leg: &[Vec3]| triangle::closest_point_on_segment(leg[0], leg[1], end).distance(end);
        line.windows(2).map(apart).fold(f32::INFINITY, f32::min)
    };
    let bare = near(0.0);
    // The line crosses the openings at the wall's end aslant.
    for margin in [0.3, 0.6] {
        let least = near(margin);
        assert!(least > 0.98 * margin && bare < 0.1, "{least} m for {margin} m, {bare} m without a margin");
    }
}
