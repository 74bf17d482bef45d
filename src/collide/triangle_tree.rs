//! The search tree over a level's triangles: an octree or a bounding volume hierarchy. Both give the same answers.

use super::octree_cell::OctreeCell;
use super::triangle_bvh::TriangleBvh;
use super::triangle_octree::TriangleOctree;
use crate::asset::LevelTriangle;
use crate::math::{Aabb, Ray};
use crate::vocab::labelled;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Instant;

labelled! {
    /// Kind of a tree.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum TriangleTreeKind: label {
        /// Cells are halved along all axes.
        #[default]
        Octree = "Octree",
        /// Bounding volume hierarchy: cells are split where it costs least.
        Bvh = "Bounding volumes",
    }
}

/// How a tree is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TriangleTreeSettings {
    /// Its kind.
    pub kind: TriangleTreeKind,
    /// Triangles of an octree's cell before it splits.
    pub threshold: u32,
    /// Deepest cell of an octree.
    pub max_depth: u32,
}

/// A tree.
#[derive(Clone, Debug)]
pub enum TriangleTree {
    /// An octree.
    Octree(TriangleOctree),
    /// A bounding volume hierarchy.
    Bvh(TriangleBvh),
}

impl Default for TriangleTree {
    fn default() -> Self {
        Self::Octree(TriangleOctree::default())
    }
}

impl From<TriangleOctree> for TriangleTree {
    fn from(octree: TriangleOctree) -> Self {
        Self::Octree(octree)
    }
}

impl TriangleTree {
    /// Builds a tree, which keeps the triangles: of a list that is given away no copy is made.
    pub fn build<'a>(triangles: impl Into<Cow<'a, [LevelTriangle]>>, settings: TriangleTreeSettings) -> Self {
        match settings.kind {
            TriangleTreeKind::Octree => {
                Self::Octree(TriangleOctree::build(triangles, settings.threshold, settings.max_depth))
            }
            TriangleTreeKind::Bvh => Self::Bvh(TriangleBvh::build(triangles)),
        }
    }

    /// The triangles.
    pub fn triangles(&self) -> &[LevelTriangle] {
        match self {
            Self::Octree(octree) => octree.triangles(),
            Self::Bvh(bvh) => bvh.triangles(),
        }
    }

    /// The triangle of a number.
    pub fn triangle(&self, i: u32) -> &LevelTriangle {
        &self.triangles()[i as usize]
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.triangles().len()
    }

    /// Whether there is no triangle.
    pub fn is_empty(&self) -> bool {
        self.triangles().is_empty()
    }

    /// Box around all triangles.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Octree(octree) => octree.bounds(),
            Self::Bvh(bvh) => bvh.bounds(),
        }
    }

    /// Numbers of all triangles whose boxes meet `aabb`, ascending.
    pub fn query_aabb(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        match self {
            Self::Octree(octree) => octree.query_aabb(aabb, out),
            Self::Bvh(bvh) => bvh.query_aabb(aabb, out),
        }
    }

    /// Calls `f` with every triangle whose box the ray meets up to `t_max`.
    pub fn query_ray(&self, ray: &Ray, t_max: f32, f: impl FnMut(u32)) {
        match self {
            Self::Octree(octree) => octree.query_ray(ray, t_max, f),
            Self::Bvh(bvh) => bvh.query_ray(ray, t_max, f),
        }
    }

    /// The first triangle that a ray hits up to `t_max`, and where; of two at the same place the one with the lower number.
    pub fn raycast(&self, ray: &Ray, t_max: f32) -> Option<(u32, f32)> {
        let mut best: Option<(u32, f32)> = None;
        self.query_ray(ray, t_max, |t| {
            if let Some(hit) = ray.triangle(&self.triangle(t).points)
                && hit <= t_max
                && best.is_none_or(|(b, at)| hit < at || (hit == at && t < b))
            {
                best = Some((t, hit));
            }
        });
        best
    }

    /// All leaves that hold triangles, and all inner cells.
    pub fn cells(&self) -> Box<dyn Iterator<Item = OctreeCell> + '_> {
        match self {
            Self::Octree(octree) => Box::new(octree.cells()),
            Self::Bvh(bvh) => Box::new(bvh.cells()),
        }
    }
}

/// What a tree over some triangles costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TriangleTreeCost {
    /// Time to build it, milliseconds.
    pub build_ms: f32,
    /// Its cells.
    pub cells: usize,
    /// Mean time of a query by a box of the size of a person, microseconds.
    pub query_us: f32,
}

/// Queries that are timed.
const QUERIES: usize = 1000;

/// Measures a tree over some triangles: it is built, and asked for what is near triangles all over the level.
pub fn measure(triangles: &[LevelTriangle], settings: TriangleTreeSettings) -> TriangleTreeCost {
    let start = Instant::now();
    let tree = TriangleTree::build(triangles, settings);
    let build_ms = start.elapsed().as_secs_f32() * 1e3;
    let (start, mut near) = (Instant::now(), Vec::new());
    let places = triangles.iter().step_by(triangles.len().div_ceil(QUERIES).max(1)).map(|t| t.points[0]);
    let mut count = 0_usize;
    for at in places.filter(|at| at.is_finite()) {
        let side = glam::Vec3::new(0.5, 1.0, 0.5);
        tree.query_aabb(&Aabb::new(at - side, at + side), &mut near);
        count += 1;
    }
    let query_us = start.elapsed().as_secs_f32() * 1e6 / count.max(1) as f32;
    TriangleTreeCost { build_ms, cells: tree.cells().count(), query_us }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use proptest::prelude::*;

    fn triangle(index: u32, [x, y, z]: [f32; 3], size: f32) -> LevelTriangle {
        let at = Vec3::new(x, y, z);
        LevelTriangle { index, points: [at, at + Vec3::X * size, at + Vec3::new(0.0, size, size)], normal: Vec3::Y }
    }

    fn both(triangles: &[LevelTriangle]) -> [TriangleTree; 2] {
        let settings = |kind| TriangleTreeSettings { kind, threshold: 4, max_depth: 6 };
        [TriangleTreeKind::Octree, TriangleTreeKind::Bvh].map(|kind| TriangleTree::build(triangles, settings(kind)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn both_trees_give_the_same_answers(
            places in prop::collection::vec((prop::array::uniform3(-8.0_f32..8.0), 0.0_f32..3.0), 0..120),
            asked in prop::collection::vec((prop::array::uniform3(-10.0_f32..10.0), prop::array::uniform3(-1.0_f32..1.0)), 1..20),
        ) {
            let triangles: Vec<LevelTriangle> =
                (0..).zip(&places).map(|(i, (at, size))| triangle(i, *at, *size)).collect();
            let [octree, bvh] = both(&triangles);
            prop_assert_eq!(octree.bounds(), bvh.bounds());
            for (at, direction) in asked {
                let (at, direction) = (Vec3::from(at), Vec3::from(direction));
                let (mut a, mut b) = (Vec::new(), Vec::new());
                let aabb = Aabb::new(at.min(at + direction * 4.0), at.max(at + direction * 4.0));
                octree.query_aabb(&aabb, &mut a);
                bvh.query_aabb(&aabb, &mut b);
                prop_assert_eq!(&a, &b);
                let ray = Ray { origin: at, direction };
                prop_assert_eq!(octree.raycast(&ray, 30.0), bvh.raycast(&ray, 30.0));
            }
        }
    }

    #[test]
    fn triangles_at_one_place_and_broken_ones_are_taken() {
        let mut triangles: Vec<LevelTriangle> = (0..100).map(|i| triangle(i, [1.0; 3], 0.5)).collect();
        triangles[7].points[1].x = f32::NAN;
        let mut found = Vec::new();
        for tree in both(&triangles) {
            tree.query_aabb(&Aabb::new(Vec3::ZERO, Vec3::splat(2.0)), &mut found);
            assert_eq!(found.len(), 99);
        }
        assert!(measure(&triangles, TriangleTreeSettings::default()).cells > 0);
        assert!(both(&[]).iter().all(|tree| tree.is_empty() && tree.cells().next().is_none()));
    }
}
