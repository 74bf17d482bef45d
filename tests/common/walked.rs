//! Judges walked lines by the level's own triangles alone, without the mesh that made them.

use glam::{Vec2, Vec3};
use walkabout::asset::LevelTriangle;
use walkabout::collide::triangle_octree::TriangleOctree;
use walkabout::math::{Aabb, Ray, triangle};
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use walkabout::nav::planner::{PathResult, Planner, PlannerContext, Query};
use walkabout::nav::query::nearest::{SearchExtents, nearest};

/// How far beside ground a line may run, metres: along its edges, and over the small gaps between its parts.
const BESIDE: f32 = 0.05;

/// A line that crosses nothing when it is moved aside by this runs along a wall or around its corner, metres.
const GRAZING: f32 = 2e-3;

/// The level that lines are judged by.
pub struct Judge {
    tree: TriangleOctree,
    cos_slope: f32,
    step: f32,
}

impl Judge {
    pub fn new(triangles: &[LevelTriangle], slope_rad: f32, step: f32) -> Self {
        Self { tree: TriangleOctree::build(triangles, 10, 7), cos_slope: slope_rad.cos(), step }
    }

    /// A triangle that a line crosses and cannot be stepped over, unless the line grazes it.
    fn crossed(&self, a: Vec3, b: Vec3) -> Option<u32> {
        let aside = (b - a).cross(Vec3::Y).normalize_or_zero() * GRAZING;
        let by = |aside: Vec3| self.crossed_line(a + aside, b + aside);
        by(Vec3::ZERO).filter(|_| by(aside).is_some() && by(-aside).is_some())
    }

    fn crossed_line(&self, a: Vec3, b: Vec3) -> Option<u32> {
        let mut near = Vec::new();
        for lift in [0.05, 0.4, 0.8, 1.2] {
            let up = Vec3::Y * (self.step + lift);
            let ray = Ray { origin: a + up, direction: b - a };
            self.tree.query_aabb(&Aabb::from_points([a + up, b + up]), &mut near);
            for &t in &near {
                let tri = &self.tree.triangles()[t as usize];
                if tri.normal.y < self.cos_slope && ray.triangle(&tri.points).is_some_and(|t| t <= 1.0) {
                    return Some(tri.index);
                }
            }
        }
        None
    }

    /// The ground right under or over the points of a line that is known to `reach` metres; what is wrong where there is
    /// none, or where the way along the ground crosses what cannot be walked on.
    pub fn faults_along(&self, line: &[Vec3], reach: f32) -> Vec<String> {
        let (mut faults, mut last) = (Vec::new(), None);
        for &p in line {
            let ground = self.ground_at(p, reach);
            match (ground, last) {
                (None, _) => faults.push(format!("no ground at {p}, but {:?}", self.ground_at(p, 5.0))),
                (Some(at), Some(from)) => {
                    if let Some(t) = self.crossed(from, at) {
                        faults.push(format!("{from} to {at} crosses triangle {t}"));
                    }
                }
                (Some(_), None) => {}
            }
            last = ground;
        }
        faults
    }

    /// The walkable place nearest to a point in height: under or over it, else [`BESIDE`] it.
    fn ground_at(&self, p: Vec3, reach: f32) -> Option<Vec3> {
        let nearest =
            |heights: Vec<f32>| heights.into_iter().min_by(|a, b| (a - p.y).abs().total_cmp(&(b - p.y).abs()));
        let best = nearest(self.heights(p, reach, 0.0)).or_else(|| nearest(self.heights(p, reach, BESIDE)))?;
        Some(p.with_y(best))
    }

    /// Heights of the walkable triangles within `margin` metres of a point in plan view, and within `reach` of its height.
    fn heights(&self, p: Vec3, reach: f32, margin: f32) -> Vec<f32> {
        let (mut near, around) = (Vec::new(), Vec3::new(margin, reach, margin));
        self.tree.query_aabb(&Aabb::new(p - around, p + around), &mut near);
        let height = |points: &[Vec3; 3]| {
            let on = triangle::closest_point(&points.map(|c| c.with_y(0.0)), p.with_y(0.0));
            let inwards = on.lerp(triangle::center(points).with_y(0.0), 1e-3);
            let beside = || triangle::height_at(points, Vec2::new(inwards.x, inwards.z));
            let is_near = margin > 0.0 && on.distance(p.with_y(0.0)) <= margin;
            triangle::height_at(points, Vec2::new(p.x, p.z)).or_else(|| is_near.then(beside).flatten())
        };
        let walkable =
            near.iter().map(|&t| &self.tree.triangles()[t as usize]).filter(|t| t.normal.y >= self.cos_slope);
        walkable.filter_map(|t| height(&t.points)).filter(|y| (y - p.y).abs() <= reach).collect()
    }
}

/// A query for the points of a path alone, for an agent of radius 0.
pub fn ask<'a>(start: NavPoint, end: NavPoint, filter: &'a Filter) -> Query<'a> {
    let (tactics, links) = (None, None);
    Query { tactics, links, skip_polygons: true, ..Query::new(start, end, filter) }
}

/// Agents with an extent: points may pass the very corner where treads of a flight meet, from one to the next but one.
pub const AGENTS: [(Planner, f32); 2] = [(Planner::Funnel, 0.02), (Planner::Funnel, 0.2)];

/// How far the heights of a mesh may lie from the ground, metres: much less than the height of a floor.
const REACH: f32 = 0.8;

/// A path over the mesh, a point every two centimetres, at the heights of the polygons that it leads over, world space.
/// An arc around a wall's corner may leave these for others beside them.
fn draped(mesh: &NavMesh, path: &PathResult) -> Vec<Vec3> {
    const ROUNDING: f32 = 0.02;
    let beside = SearchExtents { half_extents: Vec3::new(0.01, 0.6, 0.01), climb: 0.0 };
    let (mut out, mut left, mut last) = (Vec::new(), path.polygons.as_slice(), path.points[0]);
    for leg in path.points.windows(2) {
        let pieces = (leg[0].with_y(0.0).distance(leg[1].with_y(0.0)) / 0.02).ceil().max(1.0) as u32;
        for k in 0..pieces {
            let p = leg[0].lerp(leg[1], k as f32 / pieces as f32);
            let is_under = |id: &PolyId| (mesh.clamp_to_poly(*id, p) - p).with_y(0.0).length() < ROUNDING;
            let contains = |id: &PolyId| mesh.contains_2d(*id, p);
            let ahead = &left[..left.len().min(8)];
            let under = match ahead.iter().position(contains).or_else(|| left.iter().position(is_under)) {
                Some(passed) => {
                    left = &left[passed..];
                    Some(left[0])
                }
                None => nearest(mesh, p.with_y(last.y), &beside, &Filter::default()).map(|n| n.polygon),
            };
            let under = under.unwrap_or_else(|| panic!("{:?} leaves the mesh at {p}", path.points));
            last = p.with_y(mesh.height_at(under, p));
            out.push(mesh.world(last).as_vec3());
        }
    }
    out
}

/// Asks for many paths between random places of a mesh, by these planners with these radii, and judges each by the level's
/// own triangles.
pub fn paths_are_clean(name: &str, mesh: &NavMesh, judge: &Judge, agents: &[(Planner, f32)], seed: u64) {
    let (mut planning, filter, mut seed) = (PlannerContext::new(), Filter::default(), seed);
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f32 / (1u64 << 31) as f32
    };
    let (mut found, mut blocked, mut faults) = (0, 0, Vec::new());
    let mut place = || {
        let id = PolyId((random() * mesh.len() as f32) as u32 % mesh.len() as u32);
        let corners = mesh.corners_of(id);
        let corner = corners[(random() * corners.len() as f32) as usize % corners.len()];
        NavPoint::new(id, mesh.polygon(id).center.lerp(corner, random() * 0.98))
    };
    let mut sizes = vec![0; mesh.island_count() as usize];
    mesh.polygons().iter().for_each(|p| sizes[p.island as usize] += 1);
    let largest = (0..mesh.island_count()).max_by_key(|island| sizes[*island as usize]).unwrap_or(0);
    for round in 0..400 {
        let mut place = || std::iter::repeat_with(&mut place).find(|p| mesh.polygon(p.polygon).island == largest);
        let (Some(start), Some(end)) = (place(), place()) else { continue };
        let (planner, radius) = agents[round % agents.len()];
        let query = Query { radius, skip_polygons: false, ..ask(start, end, &filter) };
        let path = planner.find(&mut planning, mesh, &query);
        if path.reason.is_none() {
            found += 1;
            let line = draped(mesh, &path);
            let [from, to] = [start, end].map(|p| mesh.world(p.point).as_vec3());
            let straight: Vec<Vec3> = (0..=200).map(|i| from.lerp(to, i as f32 / 200.0)).collect();
            blocked += usize::from(!judge.faults_along(&straight, REACH).is_empty());
            faults.extend(judge.faults_along(&line, REACH).into_iter().map(|f| format!("{planner}: {f}")));
        }
    }
    assert!(found > 100, "{name}: {found} paths");
    assert!(blocked * 3 > found, "{name}: the judge lets {} of {found} straight lines pass", found - blocked);
    assert!(faults.is_empty(), "{name}: {} faults: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
}
