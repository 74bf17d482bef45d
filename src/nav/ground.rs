//! The walkable triangles of a level and how they hang together.
//!
//! A node of the graph is a convex piece of a walkable triangle: the whole triangle, or, under the `shared` rule, one
//! of the pieces that remain when obstacles standing on it are cut away. Links carry the part of an edge through
//! which one passes.

mod carve;
pub mod grid;
mod join;
mod landmarks;
mod original;
mod shared;
mod solid;

#[cfg(test)]
mod tests;

use crate::asset::LevelTriangle;
use crate::math::plan::to_plan;
use crate::math::triangle;
use crate::nav::search::Graph;
use glam::{Vec2, Vec3};
use grid::{Rect, XzGrid};
use landmarks::Landmarks;
use std::sync::OnceLock;

/// Which triangles count as neighbours on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adjacency {
    /// Triangles that share a part of an edge, or are a step apart; never through a wall.
    #[default]
    Shared,
    /// The original program's rule, its defect included: overlapping boxes at a similar height suffice.
    Original,
}

/// How the ground is derived from a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundSettings {
    /// Steepest walkable slope, radians.
    pub slope_rad: f32,
    /// Highest step that can be walked up or down, metres.
    pub step_height: f32,
    /// Neighbour rule.
    pub adjacency: Adjacency,
}

impl Default for GroundSettings {
    fn default() -> Self {
        Self { slope_rad: 40_f32.to_radians(), step_height: 0.4, adjacency: Adjacency::Shared }
    }
}

/// A node of a [`GroundGraph`], from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct GroundNode(pub u32);

/// The part of an edge through which one passes from a node to its neighbour, in x and z.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Portal {
    /// End on the left hand of someone walking through.
    pub left: Vec2,
    /// End on the right hand.
    pub right: Vec2,
    /// Whether something solid stands at the left end.
    pub left_solid: bool,
    /// Whether something solid stands at the right end.
    pub right_solid: bool,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    from: u32,
    to: u32,
    portal: Portal,
}

/// Convex outlines of the nodes before they are linked.
#[derive(Debug, Default)]
struct Pieces {
    /// Position of each piece's triangle in the level's triangles.
    source: Vec<u32>,
    /// Corners of all pieces.
    corners: Vec<Vec3>,
    /// Start of each piece's corners, and the end of the last.
    first: Vec<u32>,
}

/// The ground of a level as a graph. Immutable; share it freely.
#[derive(Clone, Debug, Default)]
pub struct GroundGraph {
    adjacency: Adjacency,
    step_height: f32,
    triangle: Vec<u32>,
    points: Vec<[Vec3; 3]>,
    normal: Vec<Vec3>,
    center: Vec<Vec3>,
    corners: Vec<Vec3>,
    first_corner: Vec<u32>,
    first_link: Vec<u32>,
    neighbors: Vec<GroundNode>,
    costs: Vec<f32>,
    portals: Vec<Portal>,
    component: Vec<u32>,
    /// Level triangle and node, sorted; the node with the largest piece of a triangle comes first.
    by_triangle: Vec<(u32, GroundNode)>,
    grid: XzGrid,
    /// Made by the first search, or by [`GroundGraph::prepare`]: the neighbours alone need none.
    landmarks: OnceLock<Landmarks>,
}

/// Whether a triangle with this normal can be walked on.
pub fn is_walkable(normal: Vec3, slope_rad: f32) -> bool {
    normal.y >= slope_rad.cos()
}

impl GroundGraph {
    /// Builds the ground of a level. Degenerate triangles are nodes where their normal says so under the `original`
    /// rule and none under the `shared` rule; nothing panics on them.
    pub fn build(triangles: &[LevelTriangle], settings: &GroundSettings) -> Self {
        let walkable =
            |t: &LevelTriangle| is_walkable(t.normal, settings.slope_rad) && t.points.iter().all(|p| p.is_finite());
        let step = if settings.step_height.is_finite() { settings.step_height.max(0.0) } else { 0.0 };
        let (pieces, links) = match settings.adjacency {
            Adjacency::Original => {
                let pieces = Pieces::whole(triangles, walkable);
                let corners: Vec<[Vec3; 3]> = pieces.corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
                let links = original::links(&corners, step);
                (pieces, links)
            }
            Adjacency::Shared => shared::build(triangles, settings.slope_rad, step),
        };
        let mut graph = Self::assemble(triangles, pieces, links);
        graph.adjacency = settings.adjacency;
        graph.step_height = step;
        graph
    }

    /// Measures the distances that bound searches from below, which the first search would do otherwise.
    pub fn prepare(&self) {
        self.landmarks();
    }

    fn landmarks(&self) -> &Landmarks {
        self.landmarks.get_or_init(|| {
            if self.adjacency == Adjacency::Original || self.leads_both_ways() {
                Landmarks::new(self, &self.center, &self.component)
            } else {
                Landmarks::default()
            }
        })
    }

    fn assemble(triangles: &[LevelTriangle], pieces: Pieces, links: Vec<Link>) -> Self {
        let count = pieces.source.len();
        let source = || pieces.source.iter().map(|&i| &triangles[i as usize]);
        let (first_link, links) = sort_links(count, &links);
        let center: Vec<Vec3> = (0..count).map(|i| mean(pieces.outline(i))).collect();
        let costs = links.iter().map(|l| center[l.from as usize].distance(center[l.to as usize])).collect();
        let rects: Vec<Rect> = (0..count).map(|i| pieces.rect(i)).collect();
        let mut by_triangle: Vec<(u32, GroundNode)> =
            source().zip(0..).map(|(t, i)| (t.index, GroundNode(i))).collect();
        let size = |n: &GroundNode| area_xz(pieces.outline(n.0 as usize));
        by_triangle.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| size(&b.1).total_cmp(&size(&a.1))).then(a.1.cmp(&b.1)));
        Self {
            triangle: source().map(|t| t.index).collect(),
            points: source().map(|t| t.points).collect(),
            normal: source().map(|t| t.normal).collect(),
            component: components(count, &links),
            neighbors: links.iter().map(|l| GroundNode(l.to)).collect(),
            portals: links.iter().map(|l| l.portal).collect(),
            corners: pieces.corners,
            first_corner: pieces.first,
            grid: XzGrid::build(&rects),
            center,
            first_link,
            costs,
            by_triangle,
            ..Self::default()
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.triangle.len()
    }

    /// Whether there is no ground.
    pub fn is_empty(&self) -> bool {
        self.triangle.is_empty()
    }

    /// The neighbour rule it was built with.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// The highest step between neighbours, metres.
    pub fn step_height(&self) -> f32 {
        self.step_height
    }

    /// All nodes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = GroundNode> + use<> {
        (0..self.len() as u32).map(GroundNode)
    }

    /// The node of a level triangle: the largest piece when there are several; `None` when it is not ground.
    pub fn node_of(&self, triangle_index: u32) -> Option<GroundNode> {
        self.nodes_of(triangle_index).next()
    }

    /// All pieces of a level triangle, the largest first.
    pub fn nodes_of(&self, triangle_index: u32) -> impl Iterator<Item = GroundNode> + '_ {
        let start = self.by_triangle.partition_point(|(t, _)| *t < triangle_index);
        self.by_triangle[start..].iter().take_while(move |(t, _)| *t == triangle_index).map(|(_, n)| *n)
    }

    /// Number of the level triangle that a node is (a piece of).
    pub fn triangle(&self, node: GroundNode) -> u32 {
        self.triangle[node.0 as usize]
    }

    /// Corners of the level triangle that a node is (a piece of), world space.
    pub fn points(&self, node: GroundNode) -> &[Vec3; 3] {
        &self.points[node.0 as usize]
    }

    /// Corners of the node itself, a convex polygon in world space.
    pub fn outline(&self, node: GroundNode) -> &[Vec3] {
        let i = node.0 as usize;
        &self.corners[self.first_corner[i] as usize..self.first_corner[i + 1] as usize]
    }

    /// Unit normal of the node's triangle as the level gives it.
    pub fn normal(&self, node: GroundNode) -> Vec3 {
        self.normal[node.0 as usize]
    }

    /// Mean of the node's corners, world space.
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

    /// Level triangles next to a level triangle: neighbours of all its pieces, ascending, itself not included.
    pub fn triangle_neighbors(&self, triangle_index: u32) -> Vec<u32> {
        let mut out: Vec<u32> = self
            .nodes_of(triangle_index)
            .flat_map(|n| self.neighbors(n))
            .map(|&n| self.triangle(n))
            .filter(|&t| t != triangle_index)
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The island a node belongs to: there is a way between two nodes exactly when these are equal.
    pub fn component(&self, node: GroundNode) -> u32 {
        self.component[node.0 as usize]
    }

    /// The opening between two neighbours; `None` when they are none. Under the `original` rule it has no extent.
    pub fn portal(&self, from: GroundNode, to: GroundNode) -> Option<Portal> {
        let links = self.links(from);
        let at = self.neighbors[links.clone()].binary_search(&to).ok()?;
        Some(self.portals[links.start + at])
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

    /// Whether `xz` lies on the node's outline seen from above, give or take `margin` metres.
    pub fn covers(&self, node: GroundNode, xz: Vec2, margin: f32) -> bool {
        distance_outside(self.outline(node), xz) <= margin
    }

    /// The ground that someone at `point` stands on: of the nodes right below (by at most `max_drop` metres) or
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
            let beside = distance_outside(self.outline(node), xz);
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

    /// Whether every link has one that leads back.
    fn leads_both_ways(&self) -> bool {
        self.nodes().all(|a| self.neighbors(a).iter().all(|&b| self.neighbors(b).binary_search(&a).is_ok()))
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

impl Pieces {
    fn whole(triangles: &[LevelTriangle], keep: impl Fn(&LevelTriangle) -> bool) -> Self {
        let mut pieces = Self { first: vec![0], ..Self::default() };
        for (i, t) in triangles.iter().enumerate().filter(|(_, t)| keep(t)) {
            pieces.push(i as u32, t.points.iter().copied());
        }
        pieces
    }

    fn push(&mut self, source: u32, corners: impl Iterator<Item = Vec3>) {
        self.source.push(source);
        self.corners.extend(corners);
        self.first.push(self.corners.len() as u32);
    }

    fn outline(&self, i: usize) -> &[Vec3] {
        &self.corners[self.first[i] as usize..self.first[i + 1] as usize]
    }

    fn rect(&self, i: usize) -> Rect {
        self.outline(i).iter().fold(Rect::EMPTY, |r, p| r.including(to_plan(*p)))
    }
}

fn mean(points: &[Vec3]) -> Vec3 {
    match points {
        [a, b, c] => triangle::center(&[*a, *b, *c]),
        _ => points.iter().sum::<Vec3>() / points.len().max(1) as f32,
    }
}

fn area_xz(points: &[Vec3]) -> f32 {
    let Some((&first, rest)) = points.split_first() else { return 0.0 };
    let fan = rest.windows(2).map(|w| to_plan(w[0] - first).perp_dot(to_plan(w[1] - first)));
    (fan.sum::<f32>() * 0.5).abs()
}

/// How far `xz` lies outside a convex outline of either winding, metres, as the largest distance from an edge's line;
/// negative inside.
fn distance_outside(outline: &[Vec3], xz: Vec2) -> f32 {
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

/// Links sorted by both ends, and where each node's begin.
fn sort_links(count: usize, links: &[Link]) -> (Vec<u32>, Vec<Link>) {
    let mut first = vec![0_u32; count + 2];
    links.iter().for_each(|l| first[l.from as usize + 2] += 1);
    for i in 2..first.len() {
        first[i] += first[i - 1];
    }
    let mut sorted = links.to_vec();
    for link in links {
        let at = &mut first[link.from as usize + 1];
        sorted[*at as usize] = *link;
        *at += 1;
    }
    first.pop();
    for ends in first.windows(2) {
        sorted[ends[0] as usize..ends[1] as usize].sort_unstable_by_key(|l| l.to);
    }
    (first, sorted)
}

/// Number of the island of each node (union-find with path halving); numbered in node order.
fn components(count: usize, links: &[Link]) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..count as u32).collect();
    fn root(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    }
    for link in links {
        let (a, b) = (root(&mut parent, link.from), root(&mut parent, link.to));
        parent[a.max(b) as usize] = a.min(b);
    }
    let mut number = vec![u32::MAX; count];
    let mut next = 0;
    let mut out = Vec::with_capacity(count);
    for i in 0..count as u32 {
        let r = root(&mut parent, i) as usize;
        if number[r] == u32::MAX {
            number[r] = next;
            next += 1;
        }
        out.push(number[r]);
    }
    out
}
