//! Cheapest paths against closed forms, and against Dijkstra over points of all sides on random meshes.

use glam::{DVec2, DVec3, Vec3};

use super::corner_labels::{EndCosts, NearCorner, StartCosts};
use super::path::FoundPath;
use super::*;
use crate::math::plan::to_plan_f64;
use crate::nav::mesh::fixture::{chance, over, plan, random_mesh};
use crate::nav::mesh::{NONE, PolyId, RawMesh, RawPolygon};

/// A filter with these costs of the first areas.
fn costs(of: &[f32]) -> Filter {
    let mut filter = Filter::default();
    filter.cost[..of.len()].copy_from_slice(of);
    filter
}

/// Random costs of three areas, some of them the same.
fn random_costs(chance: &mut impl FnMut() -> f32) -> Filter {
    costs(&[(); 3].map(|()| [1.0, 1.0, 1.5, 2.0, 3.0, 8.0][(chance() * 6.0) as usize]))
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

    /// The polygons that a place lies in: at a vertex all that have it.
    fn polygons_at(&self, place: NavPoint) -> Vec<usize> {
        let at = |v: u32| self.mesh.vertices()[v as usize];
        let same = |v: &u32| (at(*v).x, at(*v).z) == (place.point.x, place.point.z);
        let Some(vertex) = self.mesh.edges_of(place.polygon).iter().map(|e| e.vertex).find(same) else {
            return vec![place.polygon.index()];
        };
        let has = |&p: &usize| self.mesh.edges_of(PolyId(p as u32)).iter().any(|e| e.vertex == vertex);
        (0..self.mesh.len()).filter(has).collect()
    }

    fn cost(&self, from: NavPoint, to: NavPoint, [start, end]: [DVec3; 2]) -> f64 {
        let weight = |p: usize| f64::from(self.filter.cost[usize::from(self.mesh.polygons()[p].area)]);
        let mut best = vec![f64::INFINITY; self.points.len()];
        let mut heap = std::collections::BinaryHeap::new();
        let (first, last) = (self.polygons_at(from), self.polygons_at(to));
        let direct = first.iter().filter(|&p| last.contains(p)).map(|&p| weight(p) * start.distance(end));
        let mut found = direct.fold(f64::INFINITY, f64::min);
        let offer =
            |p: usize| self.on[p].iter().map(move |&q| (q, weight(p) * start.distance(self.points[q as usize])));
        let mut offers: Vec<(u32, f64)> = first.iter().flat_map(|&p| offer(p)).collect();
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
                if last.contains(&p) {
                    found = found.min(cost + weight(p) * at.distance(end));
                }
                offers.extend(self.on[p].iter().map(|&r| (r, cost + weight(p) * at.distance(self.points[r as usize]))));
            }
        }
    }
}

/// Squares of a grid, some of them missing, with areas 0 to 2: everything lies in one line with something, and has twins of
/// equal cost.
fn random_grid(seed: u64, size: usize) -> RawMesh {
    let mut chance = chance(seed);
    let rows: Vec<String> =
        (0..size).map(|_| (0..size).map(|_| if chance() < 0.15 { '#' } else { '.' }).collect()).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut raw = plan(&rows, false);
    raw.polygons.iter_mut().for_each(|p| p.area = (chance() * 3.0) as u8);
    raw
}

/// Every polygon cut into triangles.
fn triangles(mut raw: RawMesh) -> RawMesh {
    let cut = |p: RawPolygon| {
        (1..p.vertices.len() - 1).map(move |i| RawPolygon {
            vertices: [p.vertices[0], p.vertices[i], p.vertices[i + 1]].into(),
            ..p.clone()
        })
    };
    raw.polygons = raw.polygons.into_iter().flat_map(cut).collect();
    raw
}

/// A random place of a mesh: the middle of a polygon in so large a share of cases, between two of its corners in a quarter, else on
/// one.
fn random_place(mesh: &NavMesh, middles: f32, chance: &mut impl FnMut() -> f32) -> NavPoint {
    let id = PolyId((chance() * mesh.len() as f32) as u32);
    let corners = mesh.corners_of(id);
    let [a, b] = [0, 1].map(|_| corners[(chance() * corners.len() as f32) as usize]);
    let point = match chance() {
        low if low < middles => mesh.polygon(id).center,
        high if high >= 0.75 => a.midpoint(b),
        _ => a,
    };
    NavPoint::new(id, point)
}

/// Compares cheapest paths over a mesh, with random costs of its areas, with those over points of its sides.
fn compare(raw: RawMesh, seed: u64, metric: Metric) -> (usize, f64) {
    let mesh = raw.validate().unwrap();
    let mut chance = chance(seed + 77);
    let filter = random_costs(&mut chance);
    let steiner = Steiner::new(&mesh, &filter, 40, metric);
    let (mut found, mut searcher, mut worst) = (0, WeightedPaths::default(), 0.0f64);
    for _ in 0..6 {
        let ends = [(); 2].map(|()| random_place(&mesh, 0.5, &mut chance));
        let mut path = WeightedPath::default();
        if searcher.find(&mesh, ends, &filter, metric, &mut path).is_err() {
            continue;
        }
        found += 1;
        let space = |p: NavPoint| {
            let y = if metric == Metric::Plan { 0.0 } else { mesh.height_at(p.polygon, p.point) };
            Vec3 { y, ..p.point }.as_dvec3()
        };
        let grid = steiner.cost(ends[0], ends[1], ends.map(space));
        assert!(path.cost <= grid * (1.0 + 1e-6), "seed {seed}: {ends:?} {path:?}, but {grid}");
        assert!(path.lower_bound <= path.cost && path.lower_bound >= path.cost * (1.0 - 1e-4), "seed {seed}: {path:?}");
        if metric == Metric::Plan {
            let walked = walk(&mesh, &filter, &path.points);
            assert!((walked - path.cost).abs() <= 1e-4 * (1.0 + walked), "seed {seed}: {path:?}, but {walked}");
        }
        worst = worst.max(grid - path.cost);
    }
    (found, worst)
}

/// What a line costs in plan view: it is cut at all edges, and a piece costs what the cheapest polygon there does.
fn walk(mesh: &NavMesh, filter: &Filter, points: &[Vec3]) -> f64 {
    let edges: Vec<[DVec2; 2]> =
        (0..mesh.edges().len() as u32).map(|e| <[Vec3; 2]>::from(mesh.edge_points(e)).map(to_plan_f64)).collect();
    let mut cost = 0.0;
    for leg in points.windows(2) {
        let [a, b] = [to_plan_f64(leg[0]), to_plan_f64(leg[1])];
        let mut cuts = vec![0.0, 1.0];
        for [from, to] in &edges {
            let speed = (to - from).perp_dot(b - a);
            if speed.abs() > 1e-9 {
                cuts.push(((to - from).perp_dot(from - a) / speed).clamp(0.0, 1.0));
            }
        }
        cuts.sort_by(f64::total_cmp);
        for piece in cuts.windows(2).filter(|w| (w[1] - w[0]) * a.distance(b) > 1e-5) {
            let middle = a.lerp(b, 0.5 * (piece[0] + piece[1]));
            let holds = |p: &u32| {
                let corners: Vec<DVec2> = mesh.corners(PolyId(*p)).map(to_plan_f64).collect();
                (0..corners.len()).all(|i| {
                    let (c, d) = (corners[i], corners[(i + 1) % corners.len()]);
                    (d - c).perp_dot(middle - c) > -1e-5
                })
            };
            let weight = |p: u32| f64::from(filter.cost[usize::from(mesh.polygons()[p as usize].area)]);
            let least = (0..mesh.len() as u32).filter(holds).map(weight).fold(f64::INFINITY, f64::min);
            cost += least * a.distance(b) * (piece[1] - piece[0]);
        }
    }
    cost
}

fn compare_all(seeds: impl IntoIterator<Item = u64>, metric: Metric, raw: impl Fn(u64) -> RawMesh) {
    let (mut found, mut worst, mut count) = (0, 0.0f64, 0);
    for seed in seeds {
        let (more, farthest) = compare(raw(seed), seed, metric);
        (found, worst, count) = (found + more, worst.max(farthest), count + 1);
    }
    // As near as points 2.5 cm apart come, on ground where a metre costs up to 8.
    assert!(found > count && worst < 0.4, "{found} {worst}");
}

#[test]
fn random_areas_cost_what_many_points_on_all_sides_say() {
    compare_all((0..50).chain(235..240), Metric::Plan, |seed| random_mesh(seed, 5, 0.0));
}

#[test]
fn areas_of_a_grid_cost_what_many_points_on_all_sides_say() {
    compare_all((0..50).chain([79, 80, 81, 416, 758]), Metric::Plan, |seed| random_grid(seed, 6));
}

#[test]
fn paths_over_a_rough_surface_cost_what_many_points_say() {
    compare_all((100..140).chain(405..412), Metric::Surface, |seed| triangles(random_mesh(seed, 5, 3.0)));
}

/// The relative difference between a cheapest path and the one back, at most, over meshes of some seeds.
fn asymmetry(seeds: impl IntoIterator<Item = u64>, metric: Metric, raw: impl Fn(u64) -> RawMesh) -> f64 {
    let (mut worst, mut found) = (0.0f64, 0);
    for seed in seeds {
        let mesh = raw(seed).validate().unwrap();
        let mut chance = chance(seed + 77);
        let filter = random_costs(&mut chance);
        let mut searcher = WeightedPaths::default();
        for _ in 0..40 {
            let ends = [(); 2].map(|()| random_place(&mesh, 0.25, &mut chance));
            let [there, back] = [ends, [ends[1], ends[0]]].map(|ends| {
                let mut path = WeightedPath::default();
                searcher.find(&mesh, ends, &filter, metric, &mut path).map(|()| path)
            });
            assert_eq!(there.is_ok(), back.is_ok(), "seed {seed}: {ends:?}");
            let (Ok(there), Ok(back)) = (there, back) else { continue };
            found += 1;
            let off = (there.cost - back.cost).abs() / there.cost.max(1e-6);
            worst = worst.max(off);
        }
    }
    assert!(found > 100);
    worst
}

#[test]
fn a_path_back_costs_the_same() {
    let off = asymmetry(0..40, Metric::Plan, |seed| random_mesh(seed, 5, 0.0))
        .max(asymmetry(0..60, Metric::Plan, |seed| random_grid(seed, 6)))
        .max(asymmetry(0..30, Metric::Surface, |seed| triangles(random_mesh(seed, 5, 3.0))));
    assert!(off <= 2.5e-5, "{off}");
}

/// From every corner to every other one, a search ordered by bounds against one that goes everywhere: on these grids, in a
/// few of some thousand pairs, a path along sides in one line or at the critical angle is lost by the least rounding.
#[test]
fn searches_and_surveys_find_the_same() {
    let mut found = 0;
    for seed in [37, 78, 118, 258, 295, 457, 1274, 1643, 1733] {
        let mesh = random_grid(seed, 6).validate().unwrap();
        let net = WeightedMesh::build(&mesh, &random_costs(&mut chance(seed + 77)), Metric::Plan);
        let mut around = vec![Vec::new(); net.corners.len()];
        (0..).zip(&net.sides).for_each(|(number, side)| around[side.corner as usize].push(number));
        let places = |sides: &[u32]| -> Vec<(u32, DVec2)> {
            sides.iter().map(|&s| (net.sides[s as usize].cell, net.sides[s as usize].at)).collect()
        };
        let (mut survey, mut search) = (WeightedSearch::default(), WeightedSearch::default());
        for (from, start) in around.iter().enumerate() {
            assert!(survey.survey(&net, start, u32::MAX));
            for (end, &expected) in around.iter().zip(&survey.costs) {
                (search.starts, search.ends) = (places(start), places(end));
                let target = net.sides[end[0] as usize].space;
                let Outcome::Found { path: FoundPath { cost, .. }, lower_bound } = search.run(&net, target) else {
                    assert!(expected.is_infinite(), "seed {seed}, {from} to {target}: {expected}");
                    continue;
                };
                found += 1;
                assert!((cost - expected).abs() <= 2.5e-5 * cost, "seed {seed}, {from} to {target}: {cost} {expected}");
                assert!(lower_bound <= expected * (1.0 + 1e-12), "seed {seed}, {from} to {target}");
            }
        }
    }
    assert!(found > 5_000, "{found}");
}

#[test]
fn ways_between_corners_cost_what_beams_find() {
    let (mut found, mut apart) = (0, 0);
    let rough = |seed: u64| (triangles(random_mesh(seed, 4, 3.0)), Metric::Surface);
    for (raw, metric) in (0..8).flat_map(|seed| [(random_grid(seed, 6), Metric::Plan), rough(seed)]) {
        let filter = random_costs(&mut chance(found));
        let net = WeightedMesh::build(&raw.validate().unwrap(), &filter, metric);
        assert!(net.labels.are_known());
        let (mut search, mut starts, mut ends) =
            (WeightedSearch::default(), StartCosts::default(), EndCosts::default());
        for corner in 0..net.corners.len() as u32 {
            let around: Vec<u32> =
                (0..net.sides.len() as u32).filter(|&s| net.sides[s as usize].corner == corner).collect();
            assert!(search.survey(&net, &around, u32::MAX));
            let own_turns = net.corners[corner as usize].turns;
            starts.set(&net.labels, &[NearCorner { corner, cost: 0.0, turns: own_turns }], false);
            ends.clear(&net.labels);
            ends.add(&net.labels, corner, 0.0, 7);
            for (other, &cost) in (0..).zip(&search.costs) {
                let turns = net.corners[other as usize].turns;
                let back = ends.from(&net.labels, other);
                let there = starts.to(&net.labels, other, turns);
                // Between corners that are none to turn at no way is known.
                if own_turns || turns {
                    apart += usize::from(cost.is_finite() != there.most.is_finite());
                    if cost.is_finite() {
                        let near = |bound: f64| (bound - cost).abs() <= 2e-6 * (1e-6 + cost);
                        assert!(
                            [there.least, there.most, back.least, back.most].into_iter().all(near),
                            "{cost} {there:?} {back:?}"
                        );
                        found += 1;
                    }
                }
                assert!(there.least <= cost * (1.0 + 1e-12) && there.most >= cost * (1.0 - 1e-12), "{cost} {there:?}");
                assert!(back.most >= cost * (1.0 - 1e-12), "{cost} {back:?}");
            }
        }
    }
    assert!(found > 10_000 && apart == 0, "{found} {apart}");
}

/// Paths over ways between corners against those that beams alone find, in both directions.
fn compare_ways(seeds: impl IntoIterator<Item = u64>, metric: Metric, raw: impl Fn(u64) -> RawMesh) {
    let mut found = 0;
    for seed in seeds {
        let mesh = raw(seed).validate().unwrap();
        let mut chance = chance(seed + 77);
        let filter = random_costs(&mut chance);
        let with = WeightedMesh::build(&mesh, &filter, metric);
        let mut without = with.clone();
        without.labels = Default::default();
        assert!(with.labels.are_known());
        let mut searchers = [with, without].map(|net| {
            let mut searcher = WeightedPaths::default();
            searcher.adopt(net);
            searcher
        });
        for _ in 0..30 {
            let ends = [(); 2].map(|()| random_place(&mesh, 0.4, &mut chance));
            let [over_ways, by_beams] = searchers.each_mut().map(|searcher| {
                let mut path = WeightedPath::default();
                searcher.find(&mesh, ends, &filter, metric, &mut path).map(|()| path)
            });
            assert_eq!(over_ways.is_ok(), by_beams.is_ok(), "seed {seed}: {ends:?}");
            let (Ok(over_ways), Ok(by_beams)) = (over_ways, by_beams) else { continue };
            for (a, b) in [(&over_ways, &by_beams), (&by_beams, &over_ways)] {
                assert!(a.lower_bound <= b.cost * (1.0 + 1e-9) + 1e-9, "seed {seed}: {ends:?} {a:?}, but {b:?}");
            }
            if metric == Metric::Plan {
                let walked = walk(&mesh, &filter, &over_ways.points);
                assert!(
                    (walked - over_ways.cost).abs() <= 1e-4 * (1.0 + walked),
                    "seed {seed}: {over_ways:?}, but {walked}"
                );
            }
            found += 1;
        }
    }
    assert!(found > 100, "{found}");
}

#[test]
fn paths_over_ways_cost_what_beams_find() {
    compare_ways(0..30, Metric::Plan, |seed| random_mesh(seed, 6, 0.0));
    compare_ways(0..30, Metric::Plan, |seed| random_grid(seed, 9));
    compare_ways(0..20, Metric::Surface, |seed| triangles(random_mesh(seed, 5, 3.0)));
}

/// A mesh for searches by beams alone.
fn with_landmarks(mesh: &NavMesh, filter: &Filter, metric: Metric) -> WeightedMesh {
    let mut net = WeightedMesh::bare(mesh, filter, metric);
    net.find_landmarks();
    net
}

#[test]
fn landmarks_never_promise_more_than_paths_cost() {
    let filter = costs(&[1.0, 3.0, 1.5]);
    let (mut checked, mut sharp) = (0, 0);
    for seed in 0..12 {
        for (raw, metric) in
            [(random_grid(seed, 6), Metric::Plan), (triangles(random_mesh(seed, 4, 3.0)), Metric::Surface)]
        {
            let mesh = raw.validate().unwrap();
            let net = with_landmarks(&mesh, &filter, metric);
            let mut search = WeightedSearch::default();
            let corner = |side: u32| net.sides[side as usize].corner;
            for end in (0..net.sides.len() as u32).step_by(7) {
                let around: Vec<u32> = (0..net.sides.len() as u32).filter(|&s| corner(s) == corner(end)).collect();
                assert!(search.survey(&net, &around, u32::MAX));
                let at = |side: &u32| (net.sides[*side as usize].cell, net.sides[*side as usize].at);
                let target = net.costs_to(&around.iter().map(at).collect::<Vec<_>>());
                for side in 0..net.sides.len() as u32 {
                    let (bound, cost) =
                        (net.landmarks.bound(corner(side), &target), search.costs[corner(side) as usize]);
                    if cost.is_finite() {
                        assert!(bound <= cost, "seed {seed}: {bound} {cost}");
                        checked += 1;
                        sharp += usize::from(bound > 0.9 * cost);
                    }
                }
            }
        }
    }
    assert!(checked > 10_000 && 4 * sharp > 3 * checked, "{sharp} of {checked}");
}

#[test]
fn landmarks_keep_a_search_near_its_path() {
    let mesh = random_grid(3, 30).validate().unwrap();
    let filter = costs(&[1.0, 2.0, 4.0]);
    let with = with_landmarks(&mesh, &filter, Metric::Plan);
    let mut without = with.clone();
    without.landmarks = Default::default();
    let (mut expanded, mut chance) = ([0, 0], chance(5));
    for _ in 0..20 {
        let ends = [0, 1].map(|_| {
            let id = PolyId((chance() * mesh.len() as f32) as u32);
            NavPoint::new(id, mesh.polygon(id).center)
        });
        let found = [&with, &without].map(|net| {
            let (mut searcher, mut path) = (WeightedPaths::default(), WeightedPath::default());
            searcher.adopt(net.clone());
            searcher.find(&mesh, ends, &filter, Metric::Plan, &mut path).map(|()| path)
        });
        let [Ok(a), Ok(b)] = found else { continue };
        assert!((a.cost - b.cost).abs() <= 2e-5 * b.cost && a.lower_bound <= b.cost && b.lower_bound <= a.cost);
        expanded = [expanded[0] + a.expanded, expanded[1] + b.expanded];
    }
    assert!(3 * expanded[0] < expanded[1], "{expanded:?}");
}

#[test]
fn walking_over_an_answer_costs_what_it_says() {
    let mesh = strips(&[0.0, 5.0, 9.0, 15.0], &[0, 1, 2]);
    let filter = costs(&[1.0, 3.0, 1.5]);
    let path = find(&mesh, &filter, (1.0, -6.0), (14.0, 8.0), Metric::Plan);
    let all: Vec<PolyId> = (0..mesh.len() as u32).map(PolyId).collect();
    let along = line_cost(&mesh, &filter, Metric::Plan, &path.points, &all).unwrap();
    assert!((along - path.cost).abs() < 1e-5 * path.cost, "{along} {}", path.cost);
    assert_eq!(line_cost(&mesh, &filter, Metric::Plan, &[path.points[0], Vec3::splat(99.0)], &all), None);
}
