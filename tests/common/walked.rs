//! Judges walked lines by the level's own triangles alone, without the ground graph that made them.

use glam::{Vec2, Vec3};
use walkabout::asset::LevelTriangle;
use walkabout::collide::triangle_octree::TriangleOctree;
use walkabout::math::{Aabb, Ray, triangle};

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

    /// What is wrong with a line: where it leaves the ground, or passes a triangle that cannot be walked on and is
    /// too high to step over.
    pub fn faults(&self, line: &[Vec3]) -> Vec<String> {
        let mut faults = Vec::new();
        for pair in line.windows(2) {
            if let Some(t) = self.crossed(pair[0], pair[1]) {
                faults.push(format!("{} to {} crosses triangle {t}", pair[0], pair[1]));
            }
            if let Some(p) = self.off_ground(pair[0], pair[1]) {
                faults.push(format!("{} to {} has no ground at {p}", pair[0], pair[1]));
            }
        }
        faults
    }

    fn crossed(&self, a: Vec3, b: Vec3) -> Option<u32> {
        let mut near = Vec::new();
        for lift in [0.05, 0.4, 0.8, 1.2] {
            let up = Vec3::Y * (self.step + lift);
            let ray = Ray { origin: a + up, direction: b - a };
            self.tree.query_aabb(&Aabb::from_points([a + up, b + up]), &mut near);
            for &t in &near {
                let tri = self.tree.triangle(t);
                if tri.normal.y < self.cos_slope && ray.triangle(&tri.points).is_some_and(|t| t <= 1.0) {
                    return Some(tri.index);
                }
            }
        }
        None
    }

    /// The ground right under or over the points of a line that is known to `reach` metres; what is wrong where there is
    /// none, or where the way along the ground crosses what cannot be walked on.
    #[allow(dead_code, reason = "only meshes know heights roughly")]
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

    /// The walkable place nearest to a point in height.
    fn ground_at(&self, p: Vec3, reach: f32) -> Option<Vec3> {
        let mut near = Vec::new();
        self.tree.query_aabb(&Aabb::new(p - Vec3::Y * reach, p + Vec3::Y * reach), &mut near);
        let walkable = near.iter().map(|&t| self.tree.triangle(t)).filter(|t| t.normal.y >= self.cos_slope);
        let heights = walkable.filter_map(|t| triangle::height_at(&t.points, Vec2::new(p.x, p.z)));
        let best = heights.min_by(|a, b| (a - p.y).abs().total_cmp(&(b - p.y).abs()))?;
        ((best - p.y).abs() <= reach).then_some(p.with_y(best))
    }

    fn off_ground(&self, a: Vec3, b: Vec3) -> Option<Vec3> {
        let length = Vec2::new(b.x - a.x, b.z - a.z).length();
        if length < 1e-3 {
            return ((a.y - b.y).abs() > self.step + 0.01).then_some(b);
        }
        let count = (length / 0.1).ceil() as usize;
        (0..=count).map(|i| a.lerp(b, i as f32 / count as f32)).find(|p| !self.on_ground(*p))
    }

    fn on_ground(&self, p: Vec3) -> bool {
        let reach = Vec3::new(0.05, 0.15, 0.05);
        let mut near = Vec::new();
        self.tree.query_aabb(&Aabb::new(p - reach, p + reach), &mut near);
        near.iter().any(|&t| {
            let tri = self.tree.triangle(t);
            tri.normal.y >= self.cos_slope && triangle::closest_point(&tri.points, p).distance(p) <= 0.08
        })
    }
}
