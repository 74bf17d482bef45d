//! The polygon mesh (Recast's `rcBuildPolyMesh`): contours to convex polygons that share vertices.
//!
//! Vertices of all contours are welded. Each contour is triangulated by ear clipping ([`super::ears`]), and the triangles
//! are merged across their longest shared edges while they stay convex and small enough (Hertel and Mehlhorn, 1983). Only
//! touching pairs are examined, the best first by a heap, and contours are independent.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::contour::{Contour, ContourVertex, area2};
use super::ears::triangulate;
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
            let triangles =
                triangulate(&contour.vertices, contour.storey).into_iter().map(|t| t.map(|i| indices[i as usize]));
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
    /// The vertex in a part of a place's heights, of which each holds one at most: two there would be welded.
    known: HashMap<[i32; 3], u32>,
}

impl VertexWeld {
    fn add(&mut self, c: ContourVertex) -> u32 {
        let part = c.y.div_euclid(WELD_HEIGHT + 1);
        let near = [part - 1, part, part + 1].into_iter().filter_map(|part| self.known.get(&[c.x, part, c.z]).copied());
        // Of several the newest one.
        if let Some(at) = near.filter(|&at| (self.corners[at as usize].y - c.y).abs() <= WELD_HEIGHT).max() {
            return at;
        }
        let new = self.corners.len() as u32;
        self.known.insert([c.x, part, c.z], new);
        self.corners.push(c);
        new
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

/// Merges the pair with the longest shared edge, of equals the first, until none can be merged.
fn merge(polygons: Vec<WeldedPolygon>, vertices: &[ContourVertex], most: usize) -> Vec<WeldedPolygon> {
    if most <= 3 {
        return polygons;
    }
    let mut merging = Merging { neighbors: touching(&polygons), polygons, vertices, most, best: BinaryHeap::new() };
    for a in 0..merging.polygons.len() as u32 {
        for b in merging.neighbors[a as usize].clone().into_iter().filter(|b| *b > a) {
            merging.offer(a, b);
        }
    }
    while let Some((value, Reverse((a, b)))) = merging.best.pop() {
        if merging.value(a, b) == value && !merging.merge(a, b) {
            break;
        }
    }
    merging.polygons
}

/// Polygons while they are merged.
struct Merging<'a> {
    polygons: Vec<WeldedPolygon>,
    /// Polygons that touch each one.
    neighbors: Vec<Vec<u32>>,
    vertices: &'a [ContourVertex],
    most: usize,
    /// Pairs, the lower index first, by the value of merging them; of equals the first. Outdated entries stay until they
    /// are taken.
    best: BinaryHeap<(i64, Reverse<(u32, u32)>)>,
}

impl Merging<'_> {
    /// The value of merging two polygons, 0 where they are not there or do not touch.
    fn value(&self, a: u32, b: u32) -> i64 {
        if !self.neighbors.get(a as usize).is_some_and(|list| list.contains(&b)) {
            return 0;
        }
        self.polygons[a as usize].merge_value(&self.polygons[b as usize], self.vertices, self.most)
    }

    fn offer(&mut self, a: u32, b: u32) {
        let (a, b) = (a.min(b), a.max(b));
        let value = self.value(a, b);
        if value > 0 {
            self.best.push((value, Reverse((a, b))));
        }
    }

    /// Merges polygon `b` into `a`; the last polygon takes the index of `b`.
    fn merge(&mut self, a: u32, b: u32) -> bool {
        let Some(merged) = self.polygons[a as usize].merged(&self.polygons[b as usize]) else { return false };
        self.polygons[a as usize] = merged;
        for n in std::mem::take(&mut self.neighbors[b as usize]) {
            let list = &mut self.neighbors[n as usize];
            list.retain(|other| *other != b);
            if n != a {
                if !list.contains(&a) {
                    list.push(a);
                }
                if !self.neighbors[a as usize].contains(&n) {
                    self.neighbors[a as usize].push(n);
                }
            }
        }
        let last = self.polygons.len() as u32 - 1;
        self.polygons.swap_remove(b as usize);
        self.neighbors.swap_remove(b as usize);
        if b != last {
            for n in self.neighbors[b as usize].clone() {
                self.neighbors[n as usize].iter_mut().filter(|other| **other == last).for_each(|other| *other = b);
                self.offer(b, n);
            }
        }
        for n in self.neighbors[a as usize].clone() {
            self.offer(a, n);
        }
        true
    }
}

/// The polygons that share an edge with each.
fn touching(polygons: &[WeldedPolygon]) -> Vec<Vec<u32>> {
    let mut edges: Vec<(u32, u32, u32)> = Vec::new();
    for (i, p) in polygons.iter().enumerate() {
        edges.extend((0..p.count).map(|k| (p.at(k).min(p.at(k + 1)), p.at(k).max(p.at(k + 1)), i as u32)));
    }
    edges.sort_unstable();
    let mut lists = vec![Vec::new(); polygons.len()];
    for same in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        for (k, x) in same.iter().enumerate() {
            for y in same[k + 1..].iter().filter(|y| y.2 != x.2) {
                lists[x.2 as usize].push(y.2);
                lists[y.2 as usize].push(x.2);
            }
        }
    }
    for list in &mut lists {
        list.sort_unstable();
        list.dedup();
    }
    lists
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
