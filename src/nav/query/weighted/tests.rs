//! Cheapest paths against closed forms, and against Dijkstra over points of all sides on random meshes.

use glam::{DVec2, DVec3, Vec3};

use super::*;
use crate::nav::mesh::fixture::{chance, over, random_mesh};
use crate::nav::mesh::{PolyId, RawMesh, RawPolygon};

/// A filter with these costs of the first areas.
fn costs(of: &[f32]) -> Filter {
    let mut filter = Filter::default();
    filter.cost[..of.len()].copy_from_slice(of);
    filter
}

/// Rectangles side by side from x to x, from z -20 to 20, with an area each.
fn strips(edges: &[f64], areas: &[u8]) -> NavMesh {
    let mut raw = RawMesh::default();
    for &x in edges {
        raw.vertices.extend([DVec3::new(x, 0.0, -20.0), DVec3::new(x, 0.0, 20.0)]);
    }
    for (i, &area) in (0..).zip(areas) {
        let polygon = RawPolygon::new([2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1]);
        raw.polygons.push(RawPolygon { area, ..polygon });
    }
    raw.validate().unwrap()
}

fn find(mesh: &NavMesh, filter: &Filter, from: (f64, f64), to: (f64, f64), metric: Metric) -> WeightedPath {
    let ends = [from, to].map(|(x, z)| over(mesh, x, z).unwrap());
    let mut path = WeightedPath::default();
    WeightedPaths::default().find(mesh, ends, filter, metric, &mut path).unwrap();
    path
}

/// The least of a convex function between two numbers.
fn least(mut a: f64, mut b: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let (c, d) = (a + (b - a) / 3.0, b - (b - a) / 3.0);
        if f(c) < f(d) { b = d } else { a = c }
    }
    f(a)
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs().max(1.0)
}

#[test]
fn a_path_bends_where_the_cost_changes_as_light_does() {
    let mesh = strips(&[0.0, 5.0, 9.0, 15.0], &[0, 1, 2]);
    let filter = costs(&[1.0, 3.0, 1.5]);
    let path = find(&mesh, &filter, (1.0, -6.0), (14.0, 8.0), Metric::Plan);
    let cost = |z: f64| {
        let first = DVec2::new(4.0, z + 6.0).length();
        first + least(-20.0, 20.0, |y| 3.0 * DVec2::new(4.0, y - z).length() + 1.5 * DVec2::new(5.0, 8.0 - y).length())
    };
    assert!(is_near(path.cost, least(-20.0, 20.0, cost)), "{path:?}");
    assert!(path.lower_bound <= path.cost && path.lower_bound >= path.cost * (1.0 - 1e-4));
    assert_eq!(path.points.len(), 4);
    let sine = |i: usize| {
        let way = (path.points[i + 1] - path.points[i]).as_dvec3();
        way.z / way.length()
    };
    assert!((sine(0) - 3.0 * sine(1)).abs() < 1e-4 && (3.0 * sine(1) - 1.5 * sine(2)).abs() < 1e-4);
}

#[test]
fn a_road_is_run_along_and_left_at_the_critical_angle() {
    let mesh = strips(&[0.0, 3.0, 4.0], &[1, 0]);
    let filter = costs(&[1.0, 2.0]);
    let path = find(&mesh, &filter, (1.0, -10.0), (2.0, 12.0), Metric::Plan);
    // Two metres and one metre to the road, 22 metres along it.
    let expected = 22.0 + 3.0 * f64::sqrt(2.0 * 2.0 - 1.0);
    assert!(is_near(path.cost, expected), "{path:?} {expected}");
    assert_eq!(path.points.len(), 4);
    let on_side = |i: usize| mesh.world(path.points[i]).x == 3.0;
    assert!(on_side(1) && on_side(2), "{path:?}");
}

#[test]
fn where_all_costs_the_same_paths_are_those_of_polyanya() {
    use crate::nav::query::polyanya::{Polyanya, ShortestPath};
    let mut found = 0;
    for seed in 0..60 {
        let mesh = random_mesh(seed, 6, 0.0).validate().unwrap();
        let filter = costs(&[2.0, 2.0, 2.0]);
        let mut chance = chance(seed + 1000);
        for _ in 0..10 {
            let mut place = || {
                let id = PolyId((chance() * mesh.len() as f32) as u32);
                NavPoint::new(id, mesh.polygon(id).center)
            };
            let ends = [place(), place()];
            let (mut path, mut exact) = (WeightedPath::default(), ShortestPath::default());
            let answer = WeightedPaths::default().find(&mesh, ends, &filter, Metric::Plan, &mut path);
            assert_eq!(answer, Polyanya::new().find(&mesh, ends[0], ends[1], &filter, &mut exact));
            if answer.is_ok() {
                found += 1;
                assert!(is_near(path.cost, 2.0 * exact.length_2d), "seed {seed}: {} {}", path.cost, exact.length_2d);
            }
        }
    }
    assert!(found > 300);
}

/// A mesh with points on all sides; those at the corners of a polygon are its own, and cost nothing to change for those of
/// a neighbour, so that no path leads from polygon to polygon where these share a vertex alone.
struct Steiner<'a> {
    mesh: &'a NavMesh,
    filter: &'a Filter,
    points: Vec<DVec3>,
    /// Per polygon: its points.
    on: Vec<Vec<u32>>,
    /// Per point: its polygons.
    of: Vec<Vec<usize>>,
    /// Per point: the same point of neighbours.
    same: Vec<Vec<u32>>,
}

impl<'a> Steiner<'a> {
    /// `count` points inside every edge; heights count on a surface.
    fn new(mesh: &'a NavMesh, filter: &'a Filter, count: usize, metric: Metric) -> Self {
        let (points, on) = (Vec::new(), vec![Vec::new(); mesh.len()]);
        let mut own = Self { mesh, filter, points, on, of: Vec::new(), same: Vec::new() };
        let space = |p: Vec3| if metric == Metric::Plan { DVec3 { y: 0.0, ..p.as_dvec3() } } else { p.as_dvec3() };
        let mut first_on = std::collections::HashMap::new();
        let all = |p: usize| {
            let first = mesh.polygons()[p].first_edge;
            (first..).zip(mesh.edges_of(PolyId(p as u32)))
        };
        for (number, edge) in (0..mesh.len()).flat_map(all) {
            let (a, b) = mesh.edge_points(number);
            // The point at its begin, then those inside; of two twins one has them for both.
            let mut steps = 0..=count;
            if edge.twin != NONE && edge.twin < number {
                let first: u32 = first_on[&edge.twin];
                own.on[edge.polygon as usize].extend(first + 1..=first + count as u32);
                steps = 0..=0;
            }
            let first = own.points.len() as u32;
            first_on.insert(number, first);
            own.points.extend(steps.map(|k| space(a).lerp(space(b), k as f64 / (count + 1) as f64)));
            own.on[edge.polygon as usize].extend(first..own.points.len() as u32);
        }
        own.of.resize(own.points.len(), Vec::new());
        own.same.resize(own.points.len(), Vec::new());
        for (p, points) in own.on.iter().enumerate() {
            points.iter().for_each(|&point| own.of[point as usize].push(p));
        }
        for (number, edge) in (0..mesh.len()).flat_map(all).filter(|(_, e)| e.twin != NONE) {
            let polygon = mesh.polygon(PolyId(edge.polygon));
            let next = (number + 1 - polygon.first_edge) % u32::from(polygon.edge_count) + polygon.first_edge;
            let (begin, end) = (first_on[&edge.twin], first_on[&next]);
            own.same[begin as usize].push(end);
            own.same[end as usize].push(begin);
        }
        own
    }

    fn cost(&self, from: NavPoint, to: NavPoint, [start, end]: [DVec3; 2]) -> f64 {
        let weight = |p: usize| f64::from(self.filter.cost[usize::from(self.mesh.polygons()[p].area)]);
        let mut best = vec![f64::INFINITY; self.points.len()];
        let mut heap = std::collections::BinaryHeap::new();
        let (first, last) = (from.polygon.index(), to.polygon.index());
        let mut found = if first == last { weight(first) * start.distance(end) } else { f64::INFINITY };
        let mut offers: Vec<(u32, f64)> =
            self.on[first].iter().map(|&q| (q, weight(first) * start.distance(self.points[q as usize]))).collect();
        loop {
            for (q, cost) in offers.drain(..) {
                if cost < best[q as usize] {
                    best[q as usize] = cost;
                    heap.push((std::cmp::Reverse(cost.to_bits()), q));
                }
            }
            let Some((std::cmp::Reverse(bits), q)) = heap.pop() else { return found };
            let cost = f64::from_bits(bits);
            if cost > best[q as usize] || cost >= found {
                continue;
            }
            let at = self.points[q as usize];
            offers.extend(self.same[q as usize].iter().map(|&r| (r, cost)));
            for &p in &self.of[q as usize] {
                if p == last {
                    found = found.min(cost + weight(p) * at.distance(end));
                }
                offers.extend(self.on[p].iter().map(|&r| (r, cost + weight(p) * at.distance(self.points[r as usize]))));
            }
        }
    }
}

fn against_steiner(metric: Metric, rough: f64, seeds: std::ops::Range<u64>) {
    let (mut found, mut worst, mut widest) = (0, 0.0f64, 0.0f64);
    for seed in seeds {
        let mut raw = random_mesh(seed, 5, rough);
        if metric == Metric::Surface {
            let triangles = |p: RawPolygon| {
                (1..p.vertices.len() - 1).map(move |i| RawPolygon {
                    vertices: [p.vertices[0], p.vertices[i], p.vertices[i + 1]].into(),
                    ..p.clone()
                })
            };
            raw.polygons = raw.polygons.into_iter().flat_map(triangles).collect();
        }
        let mesh = raw.validate().unwrap();
        let mut chance = chance(seed + 77);
        let pick = |c: f32| [1.0, 1.0, 1.5, 2.0, 3.0, 8.0][(c * 6.0) as usize];
        let filter = costs(&[pick(chance()), pick(chance()), pick(chance())]);
        let steiner = Steiner::new(&mesh, &filter, 40, metric);
        for _ in 0..4 {
            let mut place = || {
                let id = PolyId((chance() * mesh.len() as f32) as u32);
                NavPoint::new(id, mesh.polygon(id).center)
            };
            let ends = [place(), place()];
            let mut path = WeightedPath::default();
            if WeightedPaths::default().find(&mesh, ends, &filter, metric, &mut path).is_err() {
                continue;
            }
            found += 1;
            let space = |p: NavPoint| {
                let y = if metric == Metric::Plan { 0.0 } else { mesh.height_at(p.polygon, p.point) };
                Vec3 { y, ..p.point }.as_dvec3()
            };
            let grid = steiner.cost(ends[0], ends[1], ends.map(space));
            assert!(path.cost <= grid * (1.0 + 1e-6), "seed {seed}: {path:?}, but {grid}");
            worst = worst.max(grid / path.cost - 1.0);
            assert!(path.lower_bound <= path.cost);
            widest = widest.max(1.0 - path.lower_bound / path.cost);
        }
    }
    eprintln!("{found} {worst} {widest}");
    assert!(found > 100 && worst < 0.004 && widest < 1e-4, "{found} {worst} {widest}");
}

#[test]
fn random_areas_cost_what_many_points_on_all_sides_say() {
    against_steiner(Metric::Plan, 0.0, 0..60);
}

#[test]
fn random_areas_on_a_rough_surface_cost_what_many_points_say() {
    against_steiner(Metric::Surface, 3.0, 100..140);
}
