//! Shortest paths for discs against brute force: every tangent of every two vertices against every wall.

use glam::{DVec2, DVec3, Vec3};

use super::super::tests::{Maze, Random, place, squares};
use super::super::{Polyanya, ShortestPath};
use super::clearance::{Shape, StraightLine};
use super::tangent::tangent;
use crate::math::plan::to_plan_f64;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};
use crate::nav::query::QueryError;
use crate::nav::query::surface::passable_neighbor;

/// Directions around a vertex that are tried.
const DIRECTIONS: usize = 720;

/// All walls of a mesh, seen from above.
struct WallPlan {
    walls: Vec<[DVec2; 2]>,
    vertices: Vec<DVec2>,
}

/// A free tangent: its ends (numbers of vertices, start and end behind them), how they are turned around, and the directions
/// from the vertices to its ends.
struct FreeLine {
    ends: [usize; 2],
    turns: [f64; 2],
    ways: [DVec2; 2],
    length: f64,
}

impl WallPlan {
    fn new(mesh: &NavMesh, filter: &Filter) -> Self {
        let mut walls = Vec::new();
        for polygon in (0..mesh.len() as u32).map(PolyId).filter(|&p| filter.passes(mesh.polygon(p))) {
            let first = mesh.polygon(polygon).first_edge;
            for edge in first..first + mesh.edges_of(polygon).len() as u32 {
                if passable_neighbor(mesh, filter, edge).is_none() {
                    let (a, b) = mesh.edge_points(edge);
                    walls.push([to_plan_f64(a), to_plan_f64(b)]);
                }
            }
        }
        let mut vertices: Vec<DVec2> = walls.iter().flatten().copied().collect();
        vertices.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        vertices.dedup();
        Self { walls, vertices }
    }

    /// Distance of the nearest wall to a segment.
    fn clearance(&self, from: DVec2, to: DVec2) -> f64 {
        let line = StraightLine { from, to };
        self.walls.iter().map(|&wall| line.distance(wall)).fold(f64::INFINITY, f64::min)
    }

    /// Per vertex and direction: whether a disc that touches the vertex there is free.
    fn free_directions(&self, radius: f64) -> Vec<Vec<bool>> {
        let way = |i: usize| DVec2::from_angle(i as f64 * std::f64::consts::TAU / DIRECTIONS as f64);
        let is_free = |at: DVec2| self.clearance(at, at) >= radius * (1.0 - 1e-6);
        self.vertices.iter().map(|&v| (0..DIRECTIONS).map(|i| is_free(v + way(i) * radius)).collect()).collect()
    }

    fn free_lines(&self, ends: [DVec2; 2], radius: f64) -> Vec<FreeLine> {
        let points: Vec<DVec2> = self.vertices.iter().copied().chain(ends).collect();
        let turns = |i: usize| if i < self.vertices.len() { &[1.0, -1.0][..] } else { &[0.0] };
        let mut lines = Vec::new();
        for (i, j) in (0..points.len()).flat_map(|i| (0..points.len()).map(move |j| (i, j))).filter(|(i, j)| i != j) {
            for (&a, &b) in turns(i).iter().flat_map(|a| turns(j).iter().map(move |b| (a, b))) {
                let Some(line) = tangent((points[i], a * radius), (points[j], b * radius)) else { continue };
                if self.clearance(line.from, line.to) >= radius * (1.0 - 1e-6) {
                    let ways = [a, b].map(|turn| line.along.perp() * -turn);
                    lines.push(FreeLine { ends: [i, j], turns: [a, b], ways, length: line.length });
                }
            }
        }
        lines
    }

    /// Length of the shortest path, infinite without one: Dijkstra's algorithm over free tangents.
    fn length(&self, ends: [DVec2; 2], radius: f64, free: &[Vec<bool>]) -> f64 {
        let lines = self.free_lines(ends, radius);
        let (start, end) = (self.vertices.len(), self.vertices.len() + 1);
        let mut costs: Vec<f64> =
            lines.iter().map(|l| if l.ends[0] == start { l.length } else { f64::INFINITY }).collect();
        let mut done = vec![false; lines.len()];
        loop {
            let open = (0..lines.len()).filter(|&i| !done[i] && costs[i].is_finite());
            let Some(i) = open.min_by(|&i, &j| costs[i].total_cmp(&costs[j])) else { return f64::INFINITY };
            done[i] = true;
            let line = &lines[i];
            if line.ends[1] == end {
                return costs[i];
            }
            for (j, next) in lines.iter().enumerate() {
                if next.ends[0] != line.ends[1] || next.turns[0] != line.turns[1] || line.ends[1] >= start {
                    continue;
                }
                let turn = line.turns[1];
                let mut angle = (turn * line.ways[1].perp_dot(next.ways[0])).atan2(line.ways[1].dot(next.ways[0]));
                if angle < -1e-7 {
                    angle += std::f64::consts::TAU;
                }
                if angle > 1e-7 && !is_arc_free(&free[line.ends[1]], line.ways[1], turn * angle) {
                    continue;
                }
                costs[j] = costs[j].min(costs[i] + radius * angle.max(0.0) + next.length);
            }
        }
    }
}

/// Whether all directions are free from one on over an angle, positive to the left.
fn is_arc_free(free: &[bool], from: DVec2, angle: f64) -> bool {
    let step = std::f64::consts::TAU / DIRECTIONS as f64;
    let first = from.to_angle();
    let (low, high) = (first.min(first + angle), first.max(first + angle));
    let (low, high) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (low..=high).all(|i| free[i.rem_euclid(DIRECTIONS as i64) as usize])
}

#[test]
fn paths_of_discs_are_as_short_as_brute_force_finds_them() {
    let (mut random, mut exact, mut path) = (Random(11), Polyanya::new(), ShortestPath::default());
    let (mut bent, mut none) = (0, 0);
    for round in 0..70 {
        let maze = Maze::random(&mut random, 3 + round % 4);
        let plan = WallPlan::new(&maze.mesh, &maze.filter);
        let radius = 0.031 + 0.001 * random.below(430) as f32;
        let free = plan.free_directions(f64::from(radius));
        for query in 0..6 {
            let (start, end) = (maze.place(&mut random), maze.place(&mut random));
            let ends = [start, end].map(|p| to_plan_f64(p.point));
            if ends.iter().any(|&p| plan.clearance(p, p) < f64::from(radius) * (1.0 + 1e-6)) {
                continue;
            }
            let found = exact.find_for_disc(&maze.mesh, [start, end], &maze.filter, radius, &mut path);
            let length = if ends[0] == ends[1] { 0.0 } else { plan.length(ends, f64::from(radius), &free) };
            let name = format!("mesh {round}, query {query}, radius {radius}: {start:?} {end:?} {found:?} {path:?}");
            if found.is_err() {
                assert!(length.is_infinite(), "{name}, but {length}");
                none += 1;
                continue;
            }
            assert!((path.length_2d - length).abs() < 1e-5 * (1.0 + length), "{name}, not {length}");
            let points: Vec<DVec2> = path.points.iter().map(|&p| to_plan_f64(p)).collect();
            assert!(points[0].distance(ends[0]) < 1e-6 && points[points.len() - 1].distance(ends[1]) < 1e-6, "{name}");
            let drawn: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
            assert!(drawn <= path.length_2d + 1e-5 && drawn > path.length_2d - 5e-3, "{name}, drawn {drawn}");
            for leg in points.windows(2) {
                let clearance = plan.clearance(leg[0], leg[1]);
                assert!(clearance > f64::from(radius) - 6e-4, "{name} keeps {clearance}");
            }
            bent += usize::from(points.len() > 4);
        }
    }
    assert!(bent > 50 && none > 2, "{bent} bent paths, {none} queries without a path");
}

#[test]
fn a_path_around_a_block_is_two_tangents_and_an_arc() {
    let mesh = squares(["...", ".#.", "..."]);
    let (start, end) = (place(&mesh, 0.5, 0.5), place(&mesh, 2.5, 2.5));
    let (mut exact, mut path) = (Polyanya::new(), ShortestPath::default());
    let far = 1.5_f64.hypot(0.5);
    for radius in [0.1_f32, 0.25, 0.4999] {
        exact.find_for_disc(&mesh, [start, end], &Filter::default(), radius, &mut path).unwrap();
        let r = f64::from(radius);
        // The corner at (2, 1) is seen under this angle from start to end, on the side of the path.
        let angle = 2.0 * std::f64::consts::PI - (1.5_f64.mul_add(-0.5, 0.5 * -1.5) / (far * far)).acos();
        let expected = 2.0 * (far * far - r * r).sqrt() + r * (angle - 2.0 * (r / far).acos());
        assert!((path.length_2d - expected).abs() < 1e-6, "{radius}: {} for {expected}", path.length_2d);
    }
    let found = exact.find_for_disc(&mesh, [start, end], &Filter::default(), 0.5001, &mut path);
    assert!(matches!(found, Err(QueryError::TooNarrow(..))) && path.points.is_empty(), "{found:?}");
}

#[test]
fn ends_beside_walls_are_moved_off_them() {
    let mesh = squares(["...", ".#.", "..."]);
    let (mut exact, mut path) = (Polyanya::new(), ShortestPath::default());
    let ends = [place(&mesh, 0.1, 0.9), place(&mesh, 1.5, 0.01)];
    exact.find_for_disc(&mesh, ends, &Filter::default(), 0.3, &mut path).unwrap();
    let (first, last) = (path.points[0], path.points[path.points.len() - 1]);
    let near = |a: Vec3, x: f64, z: f64| to_plan_f64(a).distance(to_plan_f64(place(&mesh, x, z).point)) < 1e-4;
    assert!(near(first, 0.3, 0.9) && near(last, 1.5, 0.3), "{path:?}");
    let before = path.clone();
    exact.find_for_disc(&mesh, ends, &Filter::default(), 0.3, &mut path).unwrap();
    assert_eq!(path, before, "what was learned changes nothing");
    let (start, end) = (NavPoint::new(ends[0].polygon, first), NavPoint::new(ends[1].polygon, last));
    exact.find_for_disc(&mesh, [start, end], &Filter::default(), 0.3, &mut path).unwrap();
    assert!((path.length_2d - before.length_2d).abs() < 1e-5, "from where the disc was left");
}

#[test]
fn moved_ends_on_borders_of_cells_see_both_ways() {
    // Places are moved by their walls onto lines that go on from other walls.
    let plans = [squares(["..#", "#..", "..#"]), squares(["..#", ".#.", "..."]), squares(["...", ".#.", "#.."])];
    let (mut exact, mut path, radius) = (Polyanya::new(), ShortestPath::default(), 0.2_f32);
    let mut moved = 0;
    for (number, mesh) in plans.iter().enumerate() {
        let (plan, filter) = (WallPlan::new(mesh, &Filter::default()), Filter::default());
        // Points of paths are of single precision.
        let limit = f64::from(radius) - 1e-6;
        let free = plan.free_directions(limit);
        let near = (1..30_u32).flat_map(|x| (1..30_u32).map(move |z| (x, z))).filter_map(|(x, z)| {
            let point = mesh.local(DVec3::new(f64::from(x) * 0.1, 9.0, f64::from(z) * 0.1));
            let polygon = (0..mesh.len() as u32).map(PolyId).find(|&p| mesh.contains_2d(p, point))?;
            let clearance = plan.clearance(to_plan_f64(point), to_plan_f64(point));
            (clearance > 0.05 && clearance < 0.19).then_some(NavPoint::new(polygon, point))
        });
        let near: Vec<NavPoint> = near.collect();
        for (i, &start) in near.iter().enumerate() {
            let end = near[(i * 37 + 11) % near.len()];
            let found = exact.find_for_disc(mesh, [start, end], &filter, radius, &mut path);
            let name = format!("plan {number}: {start:?} {end:?} {found:?} {path:?}");
            assert_eq!(found, Ok(()), "{name}");
            let ends = [path.points[0], path.points[path.points.len() - 1]].map(to_plan_f64);
            let length = if ends[0] == ends[1] { 0.0 } else { plan.length(ends, limit, &free) };
            assert!((path.length_2d - length).abs() < 1e-4, "{name}, not {length}");
            moved += 1;
        }
    }
    assert!(moved > 200, "{moved}");
}

#[test]
fn ends_in_acute_corners_are_reached_along_their_walls() {
    // Around a corner at the origin, along a wall into a corner of less than a right angle, off whose walls ends are moved in turns.
    let (mut exact, mut path, radius) = (Polyanya::new(), ShortestPath::default(), 0.3_f32);
    for lean in [0.2, 0.3, 0.5] {
        let corners =
            [(0.0, 0.0), (4.0, 0.0), (4.0 - 3.0 * lean, 3.0), (0.0, 3.0), (-2.0, 3.0), (-2.0, -3.0), (0.0, -3.0)];
        let vertices = corners.map(|(x, z)| DVec3::new(x, 0.0, z)).to_vec();
        let outlines = [vec![0, 1, 2, 3], vec![0, 3, 4, 5, 6]];
        let mesh = RawMesh { vertices, polygons: outlines.map(RawPolygon::new).to_vec() }.validate().unwrap();
        let start = place(&mesh, -1.0, -2.5);
        for step in 0..16 {
            let beside = 0.02 + 0.01 * f64::from(step);
            let end = place(&mesh, 4.0 - 0.3 * lean - beside, 0.03 + beside);
            for (ends, moved) in [([start, end], true), ([end, start], false)] {
                let found = exact.find_for_disc(&mesh, ends, &Filter::default(), radius, &mut path);
                assert_eq!(found, Ok(()), "{ends:?}, lean {lean}");
                let last = if moved { path.points[path.points.len() - 1] } else { path.points[0] };
                let [from, to] = [mesh.world(start.point), mesh.world(last)].map(|p| DVec2::new(p.x, p.z));
                let r = f64::from(radius);
                let angle = std::f64::consts::TAU - (from.dot(to) / from.length() / to.length()).acos();
                let turn = angle - (r / from.length()).acos() - (r / to.length()).acos();
                let lengths = (from.length_squared() - r * r).sqrt() + (to.length_squared() - r * r).sqrt();
                let expected = lengths + r * turn;
                assert!((path.length_2d - expected).abs() < 1e-4, "{ends:?}, lean {lean}: {path:?}, not {expected}");
            }
        }
    }
}
