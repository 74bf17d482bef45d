//! Tactical paths held against a fine grid with rays, on twenty random levels.

use crate::cover_rays::exposure_by_rays;
use crate::fixture::chance;
use glam::{DVec3, Vec3};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};
use walkabout::nav::tactical::*;

/// Edge of a block, metres.
const BLOCK: f64 = 2.0;
/// Distance of the grid's points, metres.
const STEP: f64 = 0.25;
/// Blocks of a level in x and z.
const SIZE: usize = 12;

/// A level: which blocks are ground.
type Plan = [[bool; SIZE]; SIZE];

fn random_plan(seed: u64) -> Plan {
    let mut random = chance(seed);
    let mut plan = [[true; SIZE]; SIZE];
    for _ in 0..7 {
        let mut number = |below: usize| (random() * below as f32) as usize;
        let (x, z, w, d) = (number(SIZE), number(SIZE), 1 + number(4), 1 + number(3));
        for row in plan.iter_mut().skip(z).take(d) {
            row.iter_mut().skip(x).take(w).for_each(|free| *free = false);
        }
    }
    plan
}

/// How ground is cut into polygons.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// Every block is one.
    Blocks,
    /// Rectangles as large as they get, along x first, or along z.
    AlongX,
    AlongZ,
}

/// The mesh of a level: rectangles, with the corners of their neighbours on their sides.
fn mesh_of(plan: &Plan, cut: Cut) -> NavMesh {
    let turned = matches!(cut, Cut::AlongZ);
    let free = |u: usize, v: usize| if turned { plan[u][v] } else { plan[v][u] };
    let mut taken = [[false; SIZE]; SIZE];
    let mut rectangles = Vec::new();
    for v in 0..SIZE {
        for u in 0..SIZE {
            if taken[v][u] || !free(u, v) {
                continue;
            }
            let is_open = |u: usize, v: usize, taken: &[[bool; SIZE]; SIZE]| free(u, v) && !taken[v][u];
            let (mut w, mut d) = (1, 1);
            if !matches!(cut, Cut::Blocks) {
                while u + w < SIZE && is_open(u + w, v, &taken) {
                    w += 1;
                }
                while v + d < SIZE && (u..u + w).all(|u| is_open(u, v + d, &taken)) {
                    d += 1;
                }
            }
            taken[v..v + d].iter_mut().for_each(|row| row[u..u + w].fill(true));
            rectangles.push(if turned { [v, u, v + d, u + w] } else { [u, v, u + w, v + d] });
        }
    }
    let corners: BTreeSet<(usize, usize)> =
        rectangles.iter().flat_map(|&[x, z, u, v]| [(x, z), (u, z), (u, v), (x, v)]).collect();
    let mut numbers: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut raw = RawMesh::default();
    for [x, z, u, v] in rectangles {
        let around = (x..u).map(|x| (x, z)).chain((z..v).map(|z| (u, z)));
        let around = around.chain((x + 1..=u).rev().map(|x| (x, v))).chain((z + 1..=v).rev().map(|z| (x, z)));
        let mut number = |at: (usize, usize)| {
            *numbers.entry(at).or_insert_with(|| {
                raw.vertices.push(DVec3::new(at.0 as f64, 0.0, at.1 as f64) * BLOCK);
                raw.vertices.len() as u32 - 1
            })
        };
        let outline: Vec<u32> = around.filter(|at| corners.contains(at)).map(&mut number).collect();
        raw.polygons.push(RawPolygon::new(outline));
    }
    raw.validate().unwrap()
}

/// A level with its covers, all 2 m high, and enemies.
struct Hunt {
    plan: Plan,
    covers: Vec<CoverSegment>,
    enemies: Vec<DVec3>,
    ends: [DVec3; 2],
    bias: f32,
}

impl Hunt {
    fn new(seed: u64) -> Self {
        let plan = random_plan(seed);
        let mesh = mesh_of(&plan, Cut::AlongX);
        let covers = covers(&mesh);
        let mut random = chance(seed + 1000);
        let mut place = || loop {
            let [x, z] = [0, 1].map(|_| f64::from(random()) * BLOCK * SIZE as f64);
            if is_free(&plan, x, z) && [-0.4, 0.4].iter().all(|d| is_free(&plan, x + d, z) && is_free(&plan, x, z + d))
            {
                return DVec3::new(x, 0.0, z);
            }
        };
        let island = |p: DVec3| nav_point(&mesh, p).map(|n| mesh.polygon(n.polygon).island);
        let ends = loop {
            let ends = [place(), place()];
            if ends[0].distance(ends[1]) > 12.0 && island(ends[0]) == island(ends[1]) {
                break ends;
            }
        };
        let enemies = (0..1 + seed as usize % 2).map(|_| place()).collect();
        let bias = [1.0, 4.0, 10.0, 30.0][seed as usize / 2 % 4];
        Self { plan, covers: covers.iter().map(|c| world(&mesh, c)).collect(), enemies, ends, bias }
    }

    /// Whether an enemy sees a point, by a ray for each.
    fn is_seen(&self, x: f64, z: f64) -> bool {
        let at = Vec3::new(x as f32, 0.0, z as f32);
        self.enemies.iter().any(|e| exposure_by_rays(self.covers.iter(), e.as_vec3(), at, at, 1) > 0.5)
    }

    /// The cheapest cost over the grid: Dijkstra's algorithm over 32 directions.
    fn grid_cost(&self) -> f64 {
        let wide = (SIZE as f64 * BLOCK / STEP) as usize;
        let (fine, fine_wide) = (STEP / 4.0, wide * 4);
        let at = |i: usize| (i as f64 + 0.5) * fine;
        let seen: Vec<bool> =
            (0..fine_wide * fine_wide).map(|i| self.is_seen(at(i % fine_wide), at(i / fine_wide))).collect();
        let cell = |p: DVec3| ((p.z / STEP) as usize) * wide + (p.x / STEP) as usize;
        let (start, end) = (cell(self.ends[0]), cell(self.ends[1]));
        let mut moves = Vec::new();
        for (dx, dz) in (-5i32..=5).flat_map(|x| (-5i32..=5).map(move |z| (x, z))) {
            if gcd(dx.unsigned_abs(), dz.unsigned_abs()) == 1 {
                moves.push((dx, dz));
            }
        }
        let mut cost = vec![f64::INFINITY; wide * wide];
        // Costs are no less than zero, so that their bits are in their order.
        let mut heap = BinaryHeap::new();
        cost[start] = 0.0;
        heap.push(Reverse((0.0_f64.to_bits(), start)));
        while let Some(Reverse((bits, i))) = heap.pop() {
            let far = f64::from_bits(bits);
            if i == end {
                return far;
            }
            if far > cost[i] {
                continue;
            }
            for &(dx, dz) in &moves {
                let (x, z) = ((i % wide) as f64, (i / wide) as f64);
                let long = f64::from(dx).hypot(f64::from(dz));
                let parts = 4 * dx.abs().max(dz.abs());
                let mut exposed = 0.0;
                let clear = (1..=parts).all(|k| {
                    let share = (f64::from(k) - 0.5) / f64::from(parts);
                    let (px, pz) = (x + f64::from(dx) * share + 0.5, z + f64::from(dz) * share + 0.5);
                    // A little room on both sides, so that no move slips between blocks that touch in a corner.
                    let (ax, az) = (0.25 * f64::from(dz) / long, -0.25 * f64::from(dx) / long);
                    let at = |x: f64, z: f64| is_free(&self.plan, x * STEP, z * STEP);
                    let free = at(px + ax, pz + az) && at(px - ax, pz - az);
                    if free {
                        exposed += f64::from(u8::from(seen[(4.0 * pz) as usize * fine_wide + (4.0 * px) as usize]))
                            / f64::from(parts);
                    }
                    free
                });
                let (nx, nz) = (x + f64::from(dx), z + f64::from(dz));
                if !clear || !is_free(&self.plan, (nx + 0.5) * STEP, (nz + 0.5) * STEP) {
                    continue;
                }
                let next = nz as usize * wide + nx as usize;
                let total = far + long * STEP * (1.0 + f64::from(self.bias) * exposed);
                if total < cost[next] {
                    cost[next] = total;
                    heap.push(Reverse((total.to_bits(), next)));
                }
            }
        }
        f64::INFINITY
    }

    /// What the enemies see of a mesh.
    fn threats(&self, mesh: &NavMesh) -> Threats {
        let map = CoverMap::build(mesh, &covers(mesh), &[], MapSettings::default());
        let enemies: Vec<Enemy> = self.enemies.iter().map(|&e| Enemy::at(mesh.local(e))).collect();
        Threats::new(&map, &enemies, VisibilityModel::default())
    }

    /// Length and exposed length of the tactical path on one cut of the ground, and its points.
    fn path(&self, cut: Cut) -> (f64, f64, Vec<DVec3>) {
        let mesh = mesh_of(&self.plan, cut);
        let threats = self.threats(&mesh);
        let (filter, biases) = (Filter::default(), Biases { exposure: self.bias, ..Biases::default() });
        let query = TacticalQuery { threats: Some(&threats), ..TacticalQuery::new(&mesh, &filter, &biases) };
        let [start, end] = self.ends.map(|p| nav_point(&mesh, p).unwrap());
        let (mut points, mut polygons) = (Vec::new(), Vec::new());
        TacticalSearch::default().find_line(&query, start, end, (&mut points, &mut polygons)).unwrap();
        let length = points.windows(2).map(|l| f64::from(l[0].distance(l[1]))).sum();
        (length, threats.exposed_length(&points), points.iter().map(|&p| mesh.world(p)).collect())
    }

    /// Exposed length of a line by rays, metres. On the outline of a shadow the hidden side counts.
    fn exposed_by_rays(&self, points: &[DVec3]) -> f64 {
        let mut sum = 0.0;
        for leg in points.windows(2) {
            let way = leg[1] - leg[0];
            let count = (way.length() / 0.01).ceil().max(1.0);
            let aside = DVec3::new(-way.z, 0.0, way.x).normalize_or_zero() * 6e-3;
            for i in 0..count as usize {
                let p = leg[0] + way * ((i as f64 + 0.5) / count);
                let seen = [aside, -aside].iter().all(|a| {
                    let q = p + *a;
                    !is_free(&self.plan, q.x, q.z) || self.is_seen(q.x, q.z)
                });
                sum += if seen { way.length() / count } else { 0.0 };
            }
        }
        sum
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn is_free(plan: &Plan, x: f64, z: f64) -> bool {
    let inside = x > 0.0 && z > 0.0;
    let (x, z) = ((x / BLOCK) as usize, (z / BLOCK) as usize);
    inside && x < SIZE && z < SIZE && plan[z][x]
}

fn nav_point(mesh: &NavMesh, p: DVec3) -> Option<NavPoint> {
    let point = mesh.local(p);
    let polygon = (0..mesh.len() as u32).map(PolyId).find(|&id| mesh.contains_2d(id, point))?;
    Some(NavPoint::new(polygon, point))
}

fn covers(mesh: &NavMesh) -> Vec<CoverSegment> {
    extract(mesh, &CoverSettings::default(), |_, _, _| 2.0)
}

fn world(mesh: &NavMesh, cover: &CoverSegment) -> CoverSegment {
    let [a, b] = [cover.a, cover.b].map(|p| mesh.world(p).as_vec3());
    CoverSegment { a, b, class: CoverClass::Standing, height: cover.height }
}

#[test]
fn tp_09_paths_cost_at_most_five_percent_over_a_fine_grid() {
    for seed in 0..20 {
        let hunt = Hunt::new(seed);
        let grid = hunt.grid_cost();
        for cut in [Cut::Blocks, Cut::AlongX, Cut::AlongZ] {
            let (length, exposed, points) = hunt.path(cut);
            let by_rays = hunt.exposed_by_rays(&points);
            assert!((exposed - by_rays).abs() < 0.05, "{seed} {cut:?}: {exposed} m seen, {by_rays} m by rays");
            let cost = length + f64::from(hunt.bias) * by_rays;
            assert!(cost < 1.05 * grid, "{seed} {cut:?}: {cost} for {grid}");
            assert!(cost > 0.95 * grid, "{seed} {cut:?}: the grid is too coarse, {cost} for {grid}");
        }
    }
}

#[test]
fn exposure_is_the_same_however_the_ground_is_cut() {
    for seed in 0..20 {
        let hunt = Hunt::new(seed);
        let mut random = chance(seed + 77);
        for _ in 0..10 {
            let line = [0, 1].map(|_| [0, 1].map(|_| f64::from(random()) * BLOCK * SIZE as f64));
            let seen = [Cut::Blocks, Cut::AlongX, Cut::AlongZ].map(|cut| {
                let mesh = mesh_of(&hunt.plan, cut);
                let threats = hunt.threats(&mesh);
                threats.exposed_length(&line.map(|[x, z]| mesh.local(DVec3::new(x, 0.0, z))))
            });
            assert!(seen.iter().all(|s| (s - seen[0]).abs() < 0.01), "{seed} {line:?}: {seen:?}");
        }
    }
}
