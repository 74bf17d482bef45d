//! Polyanya paths against brute force on small random meshes, and the cases that a search over intervals gets wrong.

use std::collections::HashMap;

use glam::{DVec2, DVec3, Vec3};

use super::super::{Place, QueryError};
use super::*;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};

/// Numbers that look random.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % most as u64) as usize
    }
}

/// Squares of a sheared grid, some of them missing, some excluded, some in one polygon with their right neighbour,
/// some with a wall between.
pub(super) struct Maze {
    pub(super) mesh: NavMesh,
    pub(super) filter: Filter,
    side: usize,
    /// What a path may use, as outlines.
    cells: Vec<Vec<DVec2>>,
    walls: Vec<[DVec2; 2]>,
}

impl Maze {
    pub(super) fn random(random: &mut Random, side: usize) -> Self {
        let mut open: Vec<bool> = (0..side * side).map(|_| random.below(10) < 7).collect();
        open[0] = true;
        // Squares that touch at a corner alone are not connected there, which a look from above cannot see.
        while let Some(cell) = (0..side * (side - 1)).filter(|c| c % side + 1 < side).find(|&c| {
            let [a, b, c, d] = [open[c], open[c + 1], open[c + side], open[c + side + 1]];
            (a && d && !b && !c) || (b && c && !a && !d)
        }) {
            open[cell..cell + 2].fill(true);
            open[cell + side..cell + side + 2].fill(true);
        }
        // The first three keep what lies in one line in one line, rounding reflex vertices the others.
        let shear = [
            (1.0, 0.0, 0.0, 1.0),
            (1.0, 0.375, -0.1875, 0.8125),
            (0.125, 1.0, -1.0, 0.3125),
            (1.0, 0.37, -0.21, 0.83),
            (0.1, 1.0, -1.0, 0.3),
        ][random.below(5)];
        let at = |i: usize| {
            let (x, z) = ((i % (side + 1)) as f64 - 2.0, (i / (side + 1)) as f64 - 2.0);
            DVec3::new(shear.0 * x + shear.1 * z, 0.25 * x, shear.2 * x + shear.3 * z)
        };
        let vertices: Vec<DVec3> = (0..(side + 1) * (side + 1)).map(|i| at(i).as_vec3().as_dvec3()).collect();
        let mut raw = RawMesh { vertices, polygons: Vec::new() };
        let mut cell = 0;
        while cell < side * side {
            let (first, row) = (cell, cell / side);
            cell += 1;
            while open[first] && cell / side == row && cell % side != 0 && open[cell] && random.below(3) == 0 {
                cell += 1;
            }
            if !open[first] && random.below(2) == 0 {
                continue;
            }
            let low = first + row;
            let corners = (low..=low + cell - first).chain((low + side + 1..=low + side + 1 + cell - first).rev());
            let mut polygon = RawPolygon::new(corners.map(|c| c as u32).collect::<Vec<_>>());
            polygon.flags = if open[first] { 1 } else { 3 };
            raw.polygons.push(polygon);
        }
        let walls = add_walls(&mut raw, random, &open, side);
        let flat = |v: &u32| DVec2::new(raw.vertices[*v as usize].x, raw.vertices[*v as usize].z);
        let walkable = raw.polygons.iter().filter(|p| p.flags == 1);
        Self {
            cells: walkable.map(|p| p.vertices.iter().map(flat).collect()).collect(),
            walls: walls.iter().map(|w| [flat(&w[0]), flat(&w[1])]).collect(),
            mesh: raw.validate().unwrap(),
            filter: Filter { exclude: 2, ..Filter::default() },
            side,
        }
    }

    /// A random polygon that the filter passes and a point in it, on its edge or on its corner.
    pub(super) fn place(&self, random: &mut Random) -> NavPoint {
        let open: Vec<u32> =
            (0..self.mesh.len() as u32).filter(|&p| self.filter.passes(self.mesh.polygon(PolyId(p)))).collect();
        let id = PolyId(open[random.below(open.len())]);
        let corners: Vec<Vec3> = self.mesh.corners(id).collect();
        let (a, b) = (random.below(corners.len()), random.below(corners.len()));
        let edge = corners[a].midpoint(corners[(a + 1) % corners.len()]);
        let center = self.mesh.polygon(id).center;
        let point = [corners[a], edge, edge.midpoint(corners[b]), center][random.below(4)];
        // On a wall from both sides it does not show from above on which side of it the point lies.
        let on = |w: &[DVec2; 2]| {
            let (a, b) = (w[0] - self.flat(point), w[1] - self.flat(point));
            a.perp_dot(b).abs() < 1e-5 && a.dot(b) < -1e-5
        };
        NavPoint::new(id, if self.walls.iter().any(on) { center } else { point })
    }

    fn flat(&self, point: Vec3) -> DVec2 {
        let world = self.mesh.world(point);
        DVec2::new(world.x, world.z)
    }

    /// Whether the straight line stays inside and crosses no wall.
    fn clear(&self, a: DVec2, b: DVec2) -> bool {
        let mut cuts = vec![0.0, 1.0];
        for cell in &self.cells {
            for (i, &p) in cell.iter().enumerate() {
                let along = cell[(i + 1) % cell.len()] - p;
                let speed = along.perp_dot(b - a);
                if speed.abs() > 1e-9 {
                    cuts.push((along.perp_dot(p - a) / speed).clamp(0.0, 1.0));
                }
            }
        }
        cuts.sort_by(f64::total_cmp);
        let inside = |p: DVec2| {
            self.cells
                .iter()
                .any(|c| (0..c.len()).all(|i| (c[(i + 1) % c.len()] - c[i]).perp_dot(p - c[i]) * self.turn() > -1e-5))
        };
        let crosses = |w: &[DVec2; 2]| {
            let sides = [(w[1] - w[0]).perp_dot(a - w[0]), (w[1] - w[0]).perp_dot(b - w[0])];
            let ends = [(b - a).perp_dot(w[0] - a), (b - a).perp_dot(w[1] - a)];
            [sides, ends].iter().all(|s| s[0].min(s[1]) < -1e-5 && s[0].max(s[1]) > 1e-5)
        };
        !self.walls.iter().any(crosses)
            && cuts.windows(2).all(|w| w[1] - w[0] < 1e-5 || inside(a.lerp(b, 0.5 * (w[0] + w[1]))))
    }

    fn turn(&self) -> f64 {
        let c = &self.cells[0];
        (c[1] - c[0]).perp_dot(c[c.len() - 1] - c[0]).signum()
    }

    /// The straight connections between all corners, to be asked many times.
    pub(super) fn brute(&self) -> Brute<'_> {
        let mut points: Vec<DVec2> = self.cells.concat();
        points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        points.dedup();
        let clear = points.iter().map(|&a| points.iter().map(|&b| self.clear(a, b)).collect()).collect();
        Brute { maze: self, points, clear }
    }
}

/// Walls between open squares of one row, each with no other wall near.
fn add_walls(raw: &mut RawMesh, random: &mut Random, open: &[bool], side: usize) -> Vec<[u32; 2]> {
    let mut owner: HashMap<(u32, u32), u32> = HashMap::new();
    for (i, p) in raw.polygons.iter().enumerate() {
        for (j, &v) in p.vertices.iter().enumerate() {
            owner.insert((v, p.vertices[(j + 1) % p.vertices.len()]), i as u32);
        }
    }
    let mut walls: Vec<[u32; 2]> = Vec::new();
    for row in 1..side - 1 {
        for column in 1..side {
            let near = (row - 1..row + 2).all(|r| open[r * side + column - 1] && open[r * side + column]);
            let low = (row * (side + 1) + column) as u32;
            let wall = [low, low + side as u32 + 1];
            let between = owner.contains_key(&(wall[0], wall[1])) && owner.contains_key(&(wall[1], wall[0]));
            if near && between && random.below(2) == 0 && !walls.iter().flatten().any(|v| wall.contains(v)) {
                walls.push(wall);
            }
        }
    }
    for p in &mut raw.polygons {
        let ends = |j: usize| (p.vertices[(j + 1) % p.vertices.len()], p.vertices[j]);
        let open = |e: &(u32, u32)| !walls.iter().any(|w| w.contains(&e.0) && w.contains(&e.1));
        let neighbor = |j| Some(ends(j)).filter(open).and_then(|e| owner.get(&e).copied());
        p.neighbors = Some((0..p.vertices.len()).map(neighbor).collect());
    }
    walls
}

/// All pairs of corners, tried one by one.
pub(super) struct Brute<'a> {
    maze: &'a Maze,
    points: Vec<DVec2>,
    clear: Vec<Vec<bool>>,
}

impl Brute<'_> {
    /// Length of the shortest path, infinite without one.
    pub(super) fn length(&self, start: Vec3, end: Vec3) -> f64 {
        let (start, end) = (self.maze.flat(start), self.maze.flat(end));
        if self.maze.clear(start, end) {
            return start.distance(end);
        }
        let reach = |p: DVec2, q: DVec2| if self.maze.clear(p, q) { p.distance(q) } else { f64::INFINITY };
        let mut lengths: Vec<f64> = self.points.iter().map(|&p| reach(start, p)).collect();
        let mut done = vec![false; self.points.len()];
        let next = |lengths: &[f64], done: &[bool]| {
            (0..lengths.len()).filter(|&i| !done[i]).min_by(|&i, &j| lengths[i].total_cmp(&lengths[j]))
        };
        while let Some(i) = next(&lengths, &done) {
            done[i] = true;
            for j in 0..lengths.len() {
                if self.clear[i][j] {
                    lengths[j] = lengths[j].min(lengths[i] + self.points[i].distance(self.points[j]));
                }
            }
        }
        let last = |(i, length): (usize, &f64)| length + reach(self.points[i], end);
        lengths.iter().enumerate().map(last).fold(f64::INFINITY, f64::min)
    }

    /// Whether a path starts and ends where it should, stays inside and is as long as it says.
    pub(super) fn follows(&self, path: &ShortestPath, start: Vec3, end: Vec3) -> bool {
        let points: Vec<DVec2> = path.points.iter().map(|&p| self.maze.flat(p)).collect();
        let length: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
        points.len() >= 2
            && (points[0], points[points.len() - 1]) == (self.maze.flat(start), self.maze.flat(end))
            && points.windows(2).all(|w| self.maze.clear(w[0], w[1]))
            && (length - path.length_2d).abs() < 1e-6 * (1.0 + length)
    }
}

#[test]
fn paths_are_as_short_as_brute_force_finds_them() {
    let (mut random, mut exact, mut path) = (Random(7), Polyanya::new(), ShortestPath::default());
    let (mut bent, mut none) = (0, 0);
    for round in 0..150 {
        let maze = Maze::random(&mut random, 3 + round % 5);
        let brute = maze.brute();
        for query in 0..12 {
            let (start, end) = (maze.place(&mut random), maze.place(&mut random));
            let found = exact.find(&maze.mesh, start, end, &maze.filter, &mut path);
            let length = brute.length(start.point, end.point);
            let name = format!("mesh {round} ({}), query {query}: {start:?} {end:?} {found:?} {path:?}", maze.side);
            if found.is_ok() {
                assert!((path.length_2d - length).abs() < 1e-5 * (1.0 + length), "{name}, not {length}");
                assert!(brute.follows(&path, start.point, end.point), "{name}");
                bent += usize::from(path.points.len() > 3);
            } else {
                assert!(length.is_infinite(), "{name}, but {length}");
                none += 1;
            }
        }
    }
    assert!(bent > 100 && none > 20, "{bent} paths with several corners, {none} queries without a path");
}

/// Squares of a grid: '#' is no square.
pub(super) fn squares<const N: usize>(rows: [&str; N]) -> NavMesh {
    let side = rows[0].len() + 1;
    let vertex = |i: usize| DVec3::new((i % side) as f64, 0.5 * (i % side) as f64, (i / side) as f64);
    let cells = rows.iter().enumerate().flat_map(|(z, row)| row.bytes().enumerate().map(move |(x, c)| (x, z, c)));
    let polygons = cells.filter(|c| c.2 != b'#').map(|(x, z, _)| {
        let (low, high) = ((z * side + x) as u32, ((z + 1) * side + x) as u32);
        RawPolygon::new([low, low + 1, high + 1, high])
    });
    let vertices = (0..side * (N + 1)).map(vertex).collect();
    RawMesh { vertices, polygons: polygons.collect() }.validate().unwrap()
}

pub(super) fn place(mesh: &NavMesh, x: f64, z: f64) -> NavPoint {
    let point = mesh.local(DVec3::new(x, 9.0, z));
    let id = (0..mesh.len() as u32).map(PolyId).find(|&p| mesh.contains_2d(p, point));
    NavPoint::new(id.unwrap(), point)
}

#[test]
fn points_lie_on_the_mesh_and_leave_out_corners_in_one_line() {
    let mesh = squares(["....", ".##.", "...."]);
    let mut path = ShortestPath::default();
    let (start, end) = (place(&mesh, 0.5, 1.0), place(&mesh, 4.0, 1.5));
    Polyanya::new().find(&mesh, start, end, &Filter::default(), &mut path).unwrap();
    let world: Vec<DVec3> = path.points.iter().map(|&p| mesh.world(p)).collect();
    let expected = [(0.5, 1.0), (3.0, 1.0), (4.0, 1.5)].map(|(x, z)| DVec3::new(x, 0.5 * x, z));
    assert_eq!(world, expected);
    assert!((path.length_2d - (2.5 + 1.25f64.sqrt())).abs() < 1e-12);
}

#[test]
fn a_corner_where_several_portals_end_is_turned_around_once() {
    // Two portals end at each of the 14 corners; were it turned around twice, 2 to the 14th ways would come to the end.
    let mesh = squares([
        "......", "#####.", "......", ".#####", "......", "#####.", "......", ".#####", "......", "#####.", "......",
        ".#####", "......", "#####.", "......",
    ]);
    let (start, end) = (place(&mesh, 0.5, 0.5), place(&mesh, 0.5, 14.5));
    let mut path = ShortestPath::default();
    Polyanya::new().find(&mesh, start, end, &Filter::default(), &mut path).unwrap();
    assert_eq!(path.points.len(), 16);
    assert!(path.expanded <= 50, "{} intervals", path.expanded);
}

#[test]
fn what_a_search_remembers_of_a_mesh_changes_no_answer() {
    let (mut random, mut used, mut bent) = (Random(11), Polyanya::new(), 0);
    let (mut path, mut other) = (ShortestPath::default(), ShortestPath::default());
    for round in 0..40 {
        let maze = Maze::random(&mut random, 5 + round % 5);
        for query in 0..20 {
            let (start, end) = (maze.place(&mut random), maze.place(&mut random));
            let found = used.find(&maze.mesh, start, end, &maze.filter, &mut path);
            assert_eq!(found, Polyanya::new().find(&maze.mesh, start, end, &maze.filter, &mut other));
            assert_eq!(path, other, "mesh {round}, query {query}");
            bent += usize::from(path.points.len() > 3);
        }
    }
    assert!(bent > 50, "{bent} paths with several corners");
}

#[test]
fn an_end_on_a_vertex_lies_in_every_polygon_around_it() {
    let mesh = squares([".#..", "#...", "...."]);
    let (alone, beyond) = (place(&mesh, 0.5, 0.5), place(&mesh, 2.5, 1.5));
    // The vertex where the square that lies alone touches the others.
    let touching = |polygon: PolyId| NavPoint::new(polygon, mesh.local(DVec3::new(1.0, 9.0, 1.0)));
    let (mut exact, mut path) = (Polyanya::new(), ShortestPath::default());
    let index = index::CornerIndex::build(&mesh, &Filter::default(), usize::MAX).unwrap();
    let other = place(&mesh, 1.5, 1.5).polygon;
    let mut length = |start, end| {
        exact.find(&mesh, start, end, &Filter::default(), &mut path).unwrap();
        let (found, mut scratch) = (path.length_2d, index::IndexScratch::default());
        index.find(&mesh, start, end, &mut scratch, &mut path).unwrap();
        assert_eq!(path.length_2d, found);
        found
    };
    for polygon in [alone.polygon, other] {
        assert_eq!(length(touching(polygon), beyond), 2.5_f64.sqrt());
        assert_eq!(length(touching(polygon), alone), 0.5_f64.sqrt());
        assert_eq!(length(alone, touching(polygon)), 0.5_f64.sqrt());
        assert_eq!(length(touching(alone.polygon), touching(polygon)), 0.0);
    }
    exact.find(&mesh, touching(alone.polygon), beyond, &Filter::default(), &mut path).unwrap();
    assert_eq!(path.ends, [other, beyond.polygon]);
    // Who only passes the vertex does not get through.
    assert!(path_is_empty(&mut exact, &mesh, alone, beyond));
}

#[test]
fn what_is_no_query_is_said() {
    let mut mesh = squares(["..#.", "..#.", "..#."]);
    let (mut exact, mut path) = (Polyanya::new(), ShortestPath::default());
    let (start, end) = (place(&mesh, 0.5, 0.5), place(&mesh, 1.5, 2.5));
    let mut find = |mesh: &NavMesh, end, filter: &Filter| exact.find(mesh, start, end, filter, &mut path);
    let all = Filter::default();
    let far = place(&mesh, 3.5, 0.5);
    assert!(matches!(find(&mesh, far, &all), Err(QueryError::OtherIsland(..))));
    assert_eq!(
        find(&mesh, NavPoint::new(PolyId(99), end.point), &all),
        Err(QueryError::NoSuchPolygon(Place::End, 99, 9))
    );
    assert_eq!(find(&mesh, NavPoint::new(end.polygon, Vec3::NAN), &all), Err(QueryError::NotFinite(Place::End)));
    let none = Filter { include: 0, ..Filter::default() };
    assert_eq!(find(&mesh, end, &none), Err(QueryError::Excluded(Place::Start, start.polygon.0)));
    assert!(path_is_empty(&mut exact, &mesh, start, far));
    mesh = squares([".#..", "##..", "...."]);
    let (start, end) = (place(&mesh, 0.5, 0.5), place(&mesh, 2.5, 0.5));
    // The two meet in no edge: a corner is no way.
    assert!(path_is_empty(&mut exact, &mesh, start, end));
}

fn path_is_empty(exact: &mut Polyanya, mesh: &NavMesh, start: NavPoint, end: NavPoint) -> bool {
    let mut path = ShortestPath { points: vec![Vec3::ZERO], length_2d: 1.0, expanded: 1, ends: [PolyId(0); 2] };
    exact.find(mesh, start, end, &Filter::default(), &mut path).is_err() && path == ShortestPath::default()
}

#[test]
fn points_beside_their_polygons_end_no_search_in_a_panic() {
    let mesh = squares(["....", ".##.", "...."]);
    let (mut random, mut exact, mut path) = (Random(3), Polyanya::new(), ShortestPath::default());
    for _ in 0..2000 {
        let mut place = || {
            let p = [1e30, 30.0, 3.0, 1.0][random.below(4)] * Vec3::new(1.0, 0.0, 0.7) * (random.below(9) as f32 - 4.0);
            NavPoint::new(PolyId(random.below(mesh.len()) as u32), p)
        };
        let (start, end) = (place(), place());
        let found = exact.find(&mesh, start, end, &Filter::default(), &mut path);
        assert!(found.is_err() || path.length_2d >= 0.0);
    }
}

/// Ground that winds around a vertex by more than a full turn, half of it a single straight side: what lies above itself is another
/// storey.
#[test]
fn paths_turn_where_straight_ground_winds_by_more_than_a_turn() {
    for (x, z) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (0.8, 0.6)] {
        let at = |u: f64, v: f64, y: f64| DVec3::new(u * x - v * z, y, u * z + v * x);
        let raw = RawMesh {
            vertices: vec![
                at(-3.0, -5.0, 0.0),
                at(2.0, -5.0, 0.0),
                at(2.0, 0.0, 0.0),
                at(0.0, 0.0, 0.0),
                at(-3.0, 0.0, 0.0),
                at(-3.0, 2.0, -2.0),
                at(-3.0, 2.0, 2.0),
                at(-3.0, 0.0, 3.0),
            ],
            polygons: [vec![0, 1, 2, 3, 4], vec![4, 3, 5], vec![3, 2, 6, 7]].map(RawPolygon::new).into(),
        };
        let mesh = raw.validate().unwrap();
        let place = |polygon: u32, world: DVec3| NavPoint::new(mesh.from_source(polygon).unwrap(), mesh.local(world));
        let mut path = ShortestPath::default();
        for v in [0.0, 0.25] {
            let (from, to) = (place(1, at(-1.0, v, -v)), place(2, at(-1.0, 1.0, 2.0)));
            Polyanya::new().find(&mesh, from, to, &Filter::default(), &mut path).unwrap();
            let length = f64::hypot(1.0, v) + 2f64.sqrt();
            assert!((path.length_2d - length).abs() < 1e-6, "{x} {z}: {path:?}");
        }
    }
}

/// A U of three polygons, one of whose two inner corners is two vertices at one place, in one of the polygons there or in both.
#[test]
fn paths_turn_where_two_corners_are_one_place() {
    let left = [(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (1.0, 2.0), (1.0, 3.0), (0.0, 3.0)];
    let right = [(3.0, 2.0), (3.0, 3.0), (3.0, 0.0), (4.0, 0.0), (4.0, 3.0)];
    let (twice, once) = (vec![0, 1, 2, 3, 4, 5], vec![0, 1, 3, 4, 5]);
    let (across, twice_across) = (vec![3, 6, 7, 4], vec![3, 2, 6, 7, 4]);
    let cases = [[&twice, &across], [&once, &twice_across], [&twice, &twice_across]];
    for ([from, over], lift) in cases.into_iter().flat_map(|case| [(case, 0.0), (case, 0.5)]) {
        for mirror in [1.0, -1.0] {
            let at = |x: f64, z: f64| DVec3::new(x * mirror, 0.0, z);
            let mut vertices: Vec<DVec3> = left.iter().chain(&right).map(|&(x, z)| at(x, z)).collect();
            vertices[2].y = lift;
            let polygons = [from.clone(), over.clone(), vec![8, 9, 10, 7, 6]].map(RawPolygon::new).into();
            let mesh = RawMesh { vertices, polygons }.validate().unwrap();
            let ends = [(0, 0.5), (2, 3.5)]
                .map(|(polygon, x)| NavPoint::new(mesh.from_source(polygon).unwrap(), mesh.local(at(x, 0.5))));
            for [from, to] in [ends, [ends[1], ends[0]]] {
                let mut path = ShortestPath::default();
                Polyanya::new().find(&mesh, from, to, &Filter::default(), &mut path).unwrap();
                let length = 2.0 * f64::hypot(0.5, 1.5) + 2.0;
                assert!((path.length_2d - length).abs() < 1e-6, "{over:?}, {lift}, {mirror}: {path:?}");
            }
        }
    }
}

/// Two triangles whose points are a passage without width.
#[test]
fn paths_lead_through_passages_without_width() {
    let places = [(-2.0, -1.0), (0.0, 0.0), (0.0, 0.0), (-2.0, 1.0), (2.0, 1.0), (2.0, -1.0)];
    for (lift, shear) in [(0.0, 0.0), (0.25, 0.0), (0.0, 1.5), (0.0, -1.5)] {
        let at = |x: f64, z: f64| DVec3::new(x, 0.0, z + shear * x.abs());
        let mut vertices = places.map(|(x, z)| at(x, z)).to_vec();
        vertices[2].y = lift;
        let raw = RawMesh { vertices, polygons: [[0, 1, 2, 3], [4, 2, 1, 5]].map(RawPolygon::new).into() };
        let mesh = raw.validate().unwrap();
        for (left, right) in [(0.3, 0.2), (0.0, 0.0), (-0.3, -0.2), (0.3, -0.3)] {
            let ends = [(0, at(-1.0, left)), (1, at(1.0, right))];
            let [from, to] = ends.map(|(p, at)| NavPoint::new(mesh.from_source(p).unwrap(), mesh.local(at)));
            let length = ends[0].1.length() + ends[1].1.length();
            let mut path = ShortestPath::default();
            Polyanya::new().find(&mesh, from, to, &Filter::default(), &mut path).unwrap();
            assert!((path.length_2d - length).abs() < 1e-6, "{lift}, {shear}: {path:?}");
        }
    }
}
