//! The original program's ground: walkable triangles of a level as nodes of a graph, linked by its neighbour rule.
//!
//! Serves the planner `centers` and comparisons with the original; everything else asks a navigation mesh.

mod adjacency;
mod landmarks;
mod path_finder;

pub use path_finder::{NoPath, PathFinder, TrianglePath, centers_line};

use super::mesh::from_level::{GroundSettings, is_walkable};
use super::rect_grid::{Rect, RectGrid};
use crate::asset::LevelTriangle;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan::to_plan;
use crate::math::triangle;
use crate::nav::search::Graph;
use glam::{Vec2, Vec3};
use landmarks::Landmarks;
use std::sync::OnceLock;

/// A node of a [`GroundGraph`], from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct GroundNode(pub u32);

/// The walkable triangles of a level as a graph. Immutable; share it freely.
#[derive(Clone, Debug, Default)]
pub struct GroundGraph {
    step_height: f32,
    triangle: Vec<u32>,
    points: Vec<[Vec3; 3]>,
    normal: Vec<Vec3>,
    center: Vec<Vec3>,
    first_link: Vec<u32>,
    neighbors: Vec<GroundNode>,
    costs: Vec<f32>,
    component: Vec<u32>,
    /// Level triangle and node, sorted.
    by_triangle: Vec<(u32, GroundNode)>,
    grid: RectGrid,
    /// Made by the first search, or by [`GroundGraph::prepare`]: the neighbours alone need none.
    landmarks: OnceLock<Landmarks>,
}

impl GroundGraph {
    /// Builds the ground of a level. Degenerate triangles are nodes where their normal says so; nothing panics on them.
    pub fn build(triangles: &[LevelTriangle], settings: &GroundSettings) -> Self {
        let walkable =
            |t: &&LevelTriangle| is_walkable(t.normal, settings.slope_rad) && t.points.iter().all(|p| p.is_finite());
        let step_height = if settings.step_height.is_finite() { settings.step_height.max(0.0) } else { 0.0 };
        let ground: Vec<&LevelTriangle> = triangles.iter().filter(walkable).collect();
        let points: Vec<[Vec3; 3]> = ground.iter().map(|t| t.points).collect();
        let center: Vec<Vec3> = points.iter().map(triangle::center).collect();
        let (first_link, links) = sort_links(points.len(), &adjacency::links(&points, step_height));
        let rects: Vec<Rect> = points.iter().map(|t| Rect::around(t.map(to_plan))).collect();
        let mut by_triangle: Vec<(u32, GroundNode)> =
            ground.iter().zip(0..).map(|(t, i)| (t.index, GroundNode(i))).collect();
        by_triangle.sort_unstable();
        Self {
            step_height,
            triangle: ground.iter().map(|t| t.index).collect(),
            normal: ground.iter().map(|t| t.normal).collect(),
            component: components(points.len(), &links),
            neighbors: links.iter().map(|(_, to)| GroundNode(*to)).collect(),
            costs: links.iter().map(|&(from, to)| center[from as usize].distance(center[to as usize])).collect(),
            grid: RectGrid::build(&rects),
            points,
            center,
            first_link,
            by_triangle,
            landmarks: OnceLock::new(),
        }
    }

    /// Measures the distances that bound searches from below, which the first search would do otherwise.
    pub fn prepare(&self) {
        self.landmarks();
    }

    fn landmarks(&self) -> &Landmarks {
        self.landmarks.get_or_init(|| Landmarks::new(self, &self.center, &self.component))
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.triangle.len()
    }

    /// Whether there is no ground.
    pub fn is_empty(&self) -> bool {
        self.triangle.is_empty()
    }

    /// All nodes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = GroundNode> + use<> {
        (0..self.len() as u32).map(GroundNode)
    }

    /// The node of a level triangle; `None` when it is not ground.
    pub fn node_of(&self, triangle_index: u32) -> Option<GroundNode> {
        let at = self.by_triangle.binary_search_by_key(&triangle_index, |(triangle, _)| *triangle).ok()?;
        Some(self.by_triangle[at].1)
    }

    /// Number of the level triangle that a node is.
    pub fn triangle(&self, node: GroundNode) -> u32 {
        self.triangle[node.0 as usize]
    }

    /// Corners of a node, world space.
    pub fn points(&self, node: GroundNode) -> &[Vec3; 3] {
        &self.points[node.0 as usize]
    }

    /// Unit normal of a node as the level gives it.
    pub fn normal(&self, node: GroundNode) -> Vec3 {
        self.normal[node.0 as usize]
    }

    /// Mean of a node's corners, world space.
    pub fn center(&self, node: GroundNode) -> Vec3 {
        self.center[node.0 as usize]
    }

    /// The nodes that can be reached from a node in one hop, ascending.
    pub fn neighbors(&self, node: GroundNode) -> &[GroundNode] {
        &self.neighbors[self.links(node)]
    }

    /// Number of links, each direction counted.
    pub fn link_count(&self) -> usize {
        self.neighbors.len()
    }

    /// Level triangles next to a level triangle, ascending.
    pub fn triangle_neighbors(&self, triangle_index: u32) -> Vec<u32> {
        let nodes = self.node_of(triangle_index).map_or(&[][..], |node| self.neighbors(node));
        let mut out: Vec<u32> = nodes.iter().map(|&n| self.triangle(n)).collect();
        out.sort_unstable();
        out
    }

    /// The island a node belongs to: there is a path between two nodes exactly when these are equal.
    pub fn component(&self, node: GroundNode) -> u32 {
        self.component[node.0 as usize]
    }

    /// Height of the node's plane at `xz`, whether that lies on the node or not; the centre's for a plane that has
    /// no height.
    pub fn height(&self, node: GroundNode, xz: Vec2) -> f32 {
        let [a, b, c] = self.points[node.0 as usize];
        let n = (b - a).cross(c - a);
        let d = xz - to_plan(a);
        let y = a.y - (n.x * d.x + n.z * d.y) / n.y;
        if y.is_finite() { y } else { self.center[node.0 as usize].y }
    }

    /// Whether `xz` lies on the node in plan view.
    pub fn covers(&self, node: GroundNode, xz: Vec2) -> bool {
        distance_outside(self.points(node), xz) <= 0.0
    }

    /// The node that a character at `point` stands on, or hovers over or under by at most a step, and at least half a metre.
    pub fn node_at(&self, point: Vec3) -> Option<GroundNode> {
        let reach = self.step_height.max(0.5);
        self.nearest(point, reach, reach)
    }

    /// The ground that a character at `point` stands on: of the nodes right below (by at most `max_drop` metres) or
    /// above (by at most `max_rise`), the one with the least difference in height. Points a few centimetres beside
    /// the ground still find it.
    pub fn nearest(&self, point: Vec3, max_drop: f32, max_rise: f32) -> Option<GroundNode> {
        const BESIDE: f32 = 0.05;
        if !point.is_finite() {
            return None;
        }
        let xz = to_plan(point);
        let probe = Rect { min: xz, max: xz }.expanded(BESIDE);
        let mut best: Option<(f32, GroundNode)> = None;
        self.grid.for_each_near(&probe, |i| {
            let node = GroundNode(i);
            let beside = distance_outside(self.points(node), xz);
            if beside > BESIDE {
                return;
            }
            let rise = self.height(node, xz) - point.y;
            if rise > max_rise || -rise > max_drop {
                return;
            }
            // Ground beside the point counts less than ground under it.
            let score = rise.abs() + beside.max(0.0) * 100.0;
            if best.is_none_or(|(b, n)| score < b || (score == b && node < n)) {
                best = Some((score, node));
            }
        });
        best.map(|(_, node)| node)
    }

    fn links(&self, node: GroundNode) -> std::ops::Range<usize> {
        let i = node.0 as usize;
        self.first_link[i] as usize..self.first_link[i + 1] as usize
    }
}

impl Graph for GroundGraph {
    fn node_count(&self) -> usize {
        self.len()
    }

    fn for_each_hop(&self, node: u32, mut f: impl FnMut(u32, f32)) {
        let links = self.links(GroundNode(node));
        for (next, cost) in self.neighbors[links.clone()].iter().zip(&self.costs[links]) {
            f(next.0, *cost);
        }
    }

    fn estimate(&self, node: u32, target: u32) -> f32 {
        let straight = self.center[node as usize].distance(self.center[target as usize]);
        straight.max(self.landmarks().bound(node, target))
    }
}

/// Signed distance of `xz` from a triangle of either winding in plan view, metres, as the largest distance from an
/// edge's line; negative inside.
fn distance_outside(outline: &[Vec3; 3], xz: Vec2) -> f32 {
    let mut outside = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for (i, a) in outline.iter().enumerate() {
        let b = outline[(i + 1) % outline.len()];
        let edge = to_plan(b - *a);
        let length = edge.length();
        if length > 0.0 {
            let side = edge.perp_dot(xz - to_plan(*a)) / length;
            outside = (outside.0.max(side), outside.1.max(-side));
        }
    }
    let least = outside.0.min(outside.1);
    if least.is_finite() { least } else { f32::INFINITY }
}

/// Links (from, to) sorted by both ends, and where each node's begin.
fn sort_links(count: usize, links: &[(u32, u32)]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut first = vec![0_u32; count + 2];
    links.iter().for_each(|(from, _)| first[*from as usize + 2] += 1);
    for i in 2..first.len() {
        first[i] += first[i - 1];
    }
    let mut sorted = links.to_vec();
    for link in links {
        let at = &mut first[link.0 as usize + 1];
        sorted[*at as usize] = *link;
        *at += 1;
    }
    first.pop();
    for ends in first.windows(2) {
        sorted[ends[0] as usize..ends[1] as usize].sort_unstable();
    }
    (first, sorted)
}

/// Number of the island of each node (see [`DisjointSets`]); numbered in node order.
fn components(count: usize, links: &[(u32, u32)]) -> Vec<u32> {
    let mut joined = DisjointSets::new(count);
    links.iter().for_each(|&(from, to)| joined.join(from as usize, to as usize));
    let mut number = vec![u32::MAX; count];
    let mut next = 0;
    let mut out = Vec::with_capacity(count);
    for i in 0..count {
        let r = joined.root(i);
        if number[r] == u32::MAX {
            number[r] = next;
            next += 1;
        }
        out.push(number[r]);
    }
    out
}
