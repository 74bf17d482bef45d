//! The polygon mesh (Recast's `rcBuildPolyMesh`): contours to convex polygons that share vertices.
//!
//! Vertices of all contours are welded. Each contour is triangulated by ear clipping, the shortest ear first (after
//! O'Rourke, "Computational Geometry in C"), and the triangles are merged across their longest shared edges while they
//! stay convex and small enough (Hertel and Mehlhorn, 1983). Only touching pairs are examined, and contours are
//! independent.

use std::collections::HashMap;

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::contours::{Contour, ContourVertex, area2, in_cone, segments_meet};
use super::heightfield::GridFrame;
use crate::nav::mesh::{RawMesh, RawPolygon};

/// Vertices at one place whose heights differ by at most this are welded, cell heights.
const WELD_HEIGHT: i32 = 2;
/// Most corners of a polygon.
const MAX_CORNERS: usize = 12;

/// Builds the polygons of all contours, and the region of each.
pub fn build_poly_mesh(
    contours: &[Contour],
    frame: &GridFrame,
    corners: usize,
    stop: &AtomicBool,
) -> (RawMesh, Vec<u32>) {
    let corners = corners.clamp(3, MAX_CORNERS);
    let mut weld = VertexWeld::default();
    let indices: Vec<Vec<u32>> = contours.iter().map(|c| c.vertices.iter().map(|v| weld.add(*v)).collect()).collect();
    let vertices = weld.corners;
    let polygons: Vec<Vec<WeldedPolygon>> = contours
        .par_iter()
        .zip(&indices)
        .map(|(contour, indices)| {
            if stop.load(Relaxed) {
                return Vec::new();
            }
            let triangles = triangulate(&contour.vertices).into_iter().map(|t| t.map(|i| indices[i as usize]));
            let mut whole: Vec<WeldedPolygon> =
                triangles.filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]).map(WeldedPolygon::new).collect();
            // A contour that touches itself leaves inverted triangles. Merging tests angles at the ends of the shared
            // edge alone, which is enough for convex parts only; so these go before it, and slivers, which may carry
            // an edge to a neighbour, after it. What an inverted triangle covers, upright ones cover too.
            whole.retain(|p| p.area(&vertices) >= 0);
            let mut merged = merge(whole, &vertices, corners);
            merged.retain(|p| p.area(&vertices) > 0);
            merged
        })
        .collect();
    let regions = contours.iter().zip(&polygons).flat_map(|(c, list)| list.iter().map(|_| c.region)).collect();
    (to_mesh(contours, &polygons, &vertices, frame), regions)
}

/// Welded vertices, by place.
#[derive(Default)]
struct VertexWeld {
    corners: Vec<ContourVertex>,
    /// Newest vertex at a place, and for each vertex the one before it at its place.
    newest: HashMap<(i32, i32), u32>,
    before: Vec<u32>,
}

impl VertexWeld {
    fn add(&mut self, c: ContourVertex) -> u32 {
        let head = self.newest.entry((c.x, c.z)).or_insert(u32::MAX);
        let mut at = *head;
        while at != u32::MAX {
            if (self.corners[at as usize].y - c.y).abs() <= WELD_HEIGHT {
                return at;
            }
            at = self.before[at as usize];
        }
        self.before.push(*head);
        *head = self.corners.len() as u32;
        self.corners.push(c);
        *head
    }
}

/// A convex polygon of welded vertices.
#[derive(Clone, Copy)]
struct WeldedPolygon {
    list: [u32; MAX_CORNERS],
    count: usize,
}

impl WeldedPolygon {
    fn new(t: [u32; 3]) -> Self {
        let mut list = [0; MAX_CORNERS];
        list[..3].copy_from_slice(&t);
        Self { list, count: 3 }
    }

    fn corners(&self) -> &[u32] {
        &self.list[..self.count]
    }

    fn at(&self, i: usize) -> u32 {
        self.list[i % self.count]
    }

    /// Twice the area, positive for the winding of contours.
    fn area(&self, vertices: &[ContourVertex]) -> i64 {
        let v = |i: usize| &vertices[self.list[i] as usize];
        (1..self.count - 1).map(|i| -area2(v(0), v(i), v(i + 1))).sum()
    }

    /// The last edge shared by both: its index in each.
    fn common_edge(&self, other: &Self) -> Option<(usize, usize)> {
        (0..self.count).rev().find_map(|i| {
            let (a, b) = (self.at(i), self.at(i + 1));
            (0..other.count)
                .find(|&j| {
                    let (c, d) = (other.at(j), other.at(j + 1));
                    (a, b) == (d, c) || (a, b) == (c, d)
                })
                .map(|j| (i, j))
        })
    }

    /// Squared length of the shared edge if merging there gives a convex polygon of at most `most` corners, else 0.
    fn merge_value(&self, other: &Self, vertices: &[ContourVertex], most: usize) -> i64 {
        if self.count + other.count - 2 > most {
            return 0;
        }
        let Some((i, j)) = self.common_edge(other) else { return 0 };
        let v = |p: &Self, i: usize| &vertices[p.at(i) as usize];
        let convex = area2(v(self, i + self.count - 1), v(self, i), v(other, j + 2)) < 0
            && area2(v(other, j + other.count - 1), v(other, j), v(self, i + 2)) < 0;
        let (a, b) = (v(self, i), v(self, i + 1));
        let (dx, dz) = (i64::from(b.x - a.x), i64::from(b.z - a.z));
        if convex { dx * dx + dz * dz } else { 0 }
    }

    fn merged(&self, other: &Self) -> Option<Self> {
        let (i, j) = self.common_edge(other)?;
        let mut out = Self { list: [0; MAX_CORNERS], count: self.count + other.count - 2 };
        let rest = (1..self.count).map(|k| self.at(i + k)).chain((1..other.count).map(|k| other.at(j + k)));
        out.list.iter_mut().zip(rest).for_each(|(slot, v)| *slot = v);
        Some(out)
    }
}

/// Two touching polygons, the lower index first, and the value of merging them.
#[derive(Clone, Copy)]
struct MergeCandidate {
    a: u32,
    b: u32,
    value: i64,
}

/// Merges the pair with the longest shared edge, of equals the first, until none can be merged.
fn merge(mut polygons: Vec<WeldedPolygon>, vertices: &[ContourVertex], most: usize) -> Vec<WeldedPolygon> {
    if most <= 3 {
        return polygons;
    }
    let mut pairs = touching(&polygons);
    for p in &mut pairs {
        p.value = polygons[p.a as usize].merge_value(&polygons[p.b as usize], vertices, most);
    }
    loop {
        let best = pairs.iter().filter(|p| p.value > 0).max_by_key(|p| (p.value, std::cmp::Reverse((p.a, p.b))));
        let Some(&MergeCandidate { a, b, .. }) = best else { return polygons };
        let Some(merged) = polygons[a as usize].merged(&polygons[b as usize]) else { return polygons };
        polygons[a as usize] = merged;
        let last = polygons.len() as u32 - 1;
        polygons.swap_remove(b as usize);
        // Neighbours of b are neighbours of a now, and the last polygon has the index of b.
        for p in &mut pairs {
            let touched = [p.a, p.b].contains(&a) || [p.a, p.b].contains(&b);
            for side in [&mut p.a, &mut p.b] {
                if *side == b {
                    *side = a;
                } else if *side == last {
                    *side = b;
                }
            }
            (p.a, p.b) = (p.a.min(p.b), p.a.max(p.b));
            if touched && p.a != p.b {
                p.value = polygons[p.a as usize].merge_value(&polygons[p.b as usize], vertices, most);
            }
        }
        pairs.retain(|p| p.a != p.b);
    }
}

fn touching(polygons: &[WeldedPolygon]) -> Vec<MergeCandidate> {
    let mut edges: Vec<(u32, u32, u32)> = Vec::new();
    for (i, p) in polygons.iter().enumerate() {
        edges.extend((0..p.count).map(|k| (p.at(k).min(p.at(k + 1)), p.at(k).max(p.at(k + 1)), i as u32)));
    }
    edges.sort_unstable();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for same in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        for (k, x) in same.iter().enumerate() {
            pairs.extend(same[k + 1..].iter().filter(|y| y.2 != x.2).map(|y| (x.2, y.2)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs.into_iter().map(|(a, b)| MergeCandidate { a, b, value: 0 }).collect()
}

/// Triangulates a contour by ear clipping, the shortest cut first. A contour that crosses itself may leave a
/// remainder.
fn triangulate(corners: &[ContourVertex]) -> Vec<[u32; 3]> {
    let mut ring = EarRing { corners, left: (0..corners.len() as u32).collect(), ear: Vec::new() };
    if ring.left.len() < 3 {
        return Vec::new();
    }
    ring.ear = (0..ring.left.len()).map(|i| ring.is_ear(i)).collect();
    let mut out = Vec::with_capacity(corners.len() - 2);
    while ring.left.len() > 3 {
        let Some(i) = ring.shortest_ear().or_else(|| ring.shortest_loose_ear()) else { return out };
        let n = ring.left.len();
        let (before, after) = ((i + n - 1) % n, (i + 1) % n);
        out.push([ring.left[before], ring.left[i], ring.left[after]]);
        ring.left.remove(i);
        ring.ear.remove(i);
        // The angles of the neighbours have changed.
        let n = n - 1;
        let after = i % n;
        let before = (after + n - 1) % n;
        ring.ear[before] = ring.is_ear(before);
        ring.ear[after] = ring.is_ear(after);
    }
    out.push([ring.left[0], ring.left[1], ring.left[2]]);
    out
}

/// The remainder of a contour.
struct EarRing<'a> {
    corners: &'a [ContourVertex],
    left: Vec<u32>,
    /// Whether a vertex is an ear.
    ear: Vec<bool>,
}

impl EarRing<'_> {
    fn at(&self, i: usize) -> &ContourVertex {
        &self.corners[self.left[i % self.left.len()] as usize]
    }

    fn cut_length(&self, i: usize) -> i64 {
        let n = self.left.len();
        let (a, b) = (self.at(i + n - 1), self.at(i + 1));
        let (dx, dz) = (i64::from(b.x - a.x), i64::from(b.z - a.z));
        dx * dx + dz * dz
    }

    /// The ear with the shortest cut, of equals the one whose cut begins first.
    fn shortest_ear(&self) -> Option<usize> {
        let n = self.left.len();
        (0..n).map(|k| (k + 1) % n).filter(|&i| self.ear[i]).min_by_key(|&i| self.cut_length(i))
    }

    /// As [`shortest_ear`](Self::shortest_ear) for contours that overlap themselves: cuts may run along edges.
    fn shortest_loose_ear(&self) -> Option<usize> {
        let n = self.left.len();
        (0..n).map(|k| (k + 1) % n).filter(|&i| self.is_loose_ear(i)).min_by_key(|&i| self.cut_length(i))
    }

    /// Whether the cut between the neighbours of a vertex lies inside and meets no other edge.
    fn is_ear(&self, i: usize) -> bool {
        let n = self.left.len();
        let (a, b) = (i + n - 1, i + 1);
        let (p, q) = (self.at(a), self.at(b));
        let inside = in_cone(self.at(a + n - 1), p, self.at(a + 1), q);
        inside && self.is_cut_free(a, b, segments_meet)
    }

    fn is_loose_ear(&self, i: usize) -> bool {
        let n = self.left.len();
        let (a, b) = (i + n - 1, i + 1);
        let (p, q) = (self.at(a), self.at(b));
        let (before, after) = (self.at(a + n - 1), self.at(a + 1));
        let inside = if area2(before, p, after) <= 0 {
            area2(p, q, before) <= 0 && area2(q, p, after) <= 0
        } else {
            !(area2(p, q, after) <= 0 && area2(q, p, before) <= 0)
        };
        inside
            && self.is_cut_free(a, b, |p, q, c, d| {
                area2(p, q, c).signum() * area2(p, q, d).signum() < 0
                    && area2(c, d, p).signum() * area2(c, d, q).signum() < 0
            })
    }

    /// Whether a cut between two vertices meets no edge except those that end at them.
    fn is_cut_free(
        &self,
        a: usize,
        b: usize,
        meet: impl Fn(&ContourVertex, &ContourVertex, &ContourVertex, &ContourVertex) -> bool,
    ) -> bool {
        let n = self.left.len();
        let (p, q) = (self.at(a), self.at(b));
        (0..n).all(|k| {
            let next = (k + 1) % n;
            let ours = [k, next].iter().any(|&e| e == a % n || e == b % n);
            let (c, d) = (self.at(k), self.at(next));
            let shares = [c, d].iter().any(|e| e.same_place(p) || e.same_place(q));
            ours || shares || !meet(p, q, c, d)
        })
    }
}

/// Numbers the used vertices and finds neighbours by shared edges.
fn to_mesh(
    contours: &[Contour],
    polygons: &[Vec<WeldedPolygon>],
    vertices: &[ContourVertex],
    frame: &GridFrame,
) -> RawMesh {
    let mut numbers = vec![u32::MAX; vertices.len()];
    let mut mesh = RawMesh::default();
    for (contour, polygons) in contours.iter().zip(polygons) {
        for p in polygons {
            let list = p.corners().iter().map(|&v| {
                let number = &mut numbers[v as usize];
                if *number == u32::MAX {
                    *number = mesh.vertices.len() as u32;
                    mesh.vertices.push(world(&vertices[v as usize], frame));
                }
                *number
            });
            let mut polygon = RawPolygon::new(list.collect::<Vec<u32>>());
            polygon.area = contour.area - 1;
            mesh.polygons.push(polygon);
        }
    }
    link(&mut mesh);
    mesh
}

fn world(c: &ContourVertex, frame: &GridFrame) -> DVec3 {
    let scale = Vec3::new(frame.cell_size, frame.cell_height, frame.cell_size).as_dvec3();
    frame.origin.as_dvec3() + DVec3::new(f64::from(c.x), f64::from(c.y), f64::from(c.z)) * scale
}

/// Pairs edges that run opposite ways between the same vertices; an edge without a partner is a wall.
fn link(mesh: &mut RawMesh) {
    let mut open: HashMap<(u32, u32), Vec<(u32, u32)>> = HashMap::new();
    for p in &mut mesh.polygons {
        p.neighbors = Some(vec![None; p.vertices.len()]);
    }
    let mut taken: std::collections::HashSet<(u32, u32)> = std::collections::HashSet::new();
    for i in 0..mesh.polygons.len() {
        let list = mesh.polygons[i].vertices.clone();
        for (k, &a) in list.iter().enumerate() {
            let b = list[(k + 1) % list.len()];
            // Where more than two polygons meet at an edge, only the first two are neighbours, so that the twin
            // follows from the vertices alone.
            match open.get_mut(&(b, a)).and_then(Vec::pop) {
                Some((other, edge)) if !taken.contains(&(a, b)) => {
                    taken.extend([(a, b), (b, a)]);
                    set(mesh, i, k, other);
                    set(mesh, other as usize, edge as usize, i as u32);
                }
                _ => open.entry((a, b)).or_default().push((i as u32, k as u32)),
            }
        }
    }
}

fn set(mesh: &mut RawMesh, polygon: usize, edge: usize, neighbor: u32) {
    if let Some(list) = &mut mesh.polygons[polygon].neighbors {
        list[edge] = Some(neighbor);
    }
}
