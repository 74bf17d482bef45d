//! The triangles of a level with one corner at each place, and what shares their edges.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;

use super::watch::{DoctorError, DoctorWatch};
use crate::math::disjoint_sets::DisjointSets;
use crate::math::triangle;

/// Corners nearer than this are one, metres.
const WELD: f32 = 1e-3;

/// A triangle at an edge.
#[derive(Clone, Copy)]
pub(super) struct EdgeUse {
    pub triangle: u32,
    /// Whether it runs from the smaller corner to the larger.
    pub is_forward: bool,
}

/// Triangles whose corners at one place are one.
pub(super) struct Welded<'a> {
    pub triangles: &'a [[Vec3; 3]],
    /// Per triangle the numbers of its corners.
    pub corners: Vec<[u32; 3]>,
    /// Where the corners are.
    pub places: Vec<Vec3>,
    /// Per edge, its smaller corner first: who uses it.
    pub edges: HashMap<[u32; 2], Vec<EdgeUse>>,
}

impl<'a> Welded<'a> {
    /// Welds triangles.
    ///
    /// # Errors
    /// It was stopped.
    pub fn new(triangles: &'a [[Vec3; 3]], watch: &DoctorWatch<'_>) -> Result<Self, DoctorError> {
        let mut numbers: HashMap<[i64; 3], u32> = HashMap::new();
        let mut places = Vec::new();
        let mut number = |p: &Vec3| {
            let key = (p.as_dvec3() / f64::from(WELD)).round().to_array().map(|v| v as i64);
            *numbers.entry(key).or_insert_with(|| {
                places.push(*p);
                places.len() as u32 - 1
            })
        };
        let corners: Vec<[u32; 3]> = triangles.iter().map(|t| [number(&t[0]), number(&t[1]), number(&t[2])]).collect();
        let mut edges: HashMap<[u32; 2], Vec<EdgeUse>> = HashMap::with_capacity(corners.len() * 2);
        for (i, c) in corners.iter().enumerate().filter(|(_, c)| is_whole(c)) {
            watch.check()?;
            for k in 0..3 {
                let (a, b) = (c[k], c[(k + 1) % 3]);
                edges.entry([a.min(b), a.max(b)]).or_default().push(EdgeUse { triangle: i as u32, is_forward: a < b });
            }
        }
        Ok(Self { triangles, corners, places, edges })
    }

    /// Per triangle the first of those that hang together by edges: what touches in a corner is two things.
    pub fn components(&self) -> Vec<usize> {
        self.components_where(|_| true, |_, _| true)
    }

    /// As [`components`](Self::components), of some triangles alone and over edges at which `continues` holds between the first of
    /// these and another. All other triangles are by themselves.
    pub fn components_where(&self, belongs: impl Fn(u32) -> bool, continues: impl Fn(u32, u32) -> bool) -> Vec<usize> {
        let mut joined = DisjointSets::new(self.corners.len());
        for users in self.edges.values() {
            let mut users = users.iter().map(|user| user.triangle).filter(|&t| belongs(t));
            if let Some(first) = users.next() {
                users
                    .filter(|&other| continues(first, other))
                    .for_each(|other| joined.join(first as usize, other as usize));
            }
        }
        (0..self.corners.len()).map(|i| joined.root(i)).collect()
    }

    /// The boxes around the components.
    pub fn objects(&self) -> Vec<[Vec3; 2]> {
        let roots = self.components();
        let mut boxes: BTreeMap<usize, [Vec3; 2]> = BTreeMap::new();
        for (i, t) in self.triangles.iter().enumerate().filter(|(_, t)| t.iter().all(|p| p.is_finite())) {
            let around = boxes.entry(roots[i]).or_insert([t[0]; 2]);
            *around = t.iter().fold(*around, |[low, high], &p| [low.min(p), high.max(p)]);
        }
        boxes.into_values().collect()
    }

    /// The areas of the triangles at an outline, square metres.
    pub fn areas_beside(&self, outline: &[u32]) -> Vec<f64> {
        let next = outline.iter().cycle().skip(1);
        let users = outline.iter().zip(next).filter_map(|(&a, &b)| self.edges.get(&[a.min(b), a.max(b)]));
        users.flatten().map(|user| f64::from(triangle::area(&self.triangles[user.triangle as usize]))).collect()
    }

    /// How far the third corner of a triangle lies above an edge of it, less than nothing for below, metres; nothing where it lies
    /// between the ends in height.
    pub fn rise_from(&self, triangle: u32, edge: [u32; 2]) -> f32 {
        let height = |corner: u32| self.places[corner as usize].y;
        let third =
            self.corners[triangle as usize].into_iter().find(|corner| !edge.contains(corner)).map_or(0.0, height);
        let [low, high] = [height(edge[0]).min(height(edge[1])), height(edge[0]).max(height(edge[1]))];
        (third - high).max(0.0) + (third - low).min(0.0)
    }

    /// Where a triangle faces; nothing for one without area.
    pub fn normal(&self, triangle: u32) -> Vec3 {
        triangle::normal(&self.triangles[triangle as usize]).unwrap_or(Vec3::ZERO)
    }

    /// The edges in an order that does not change from run to run.
    pub fn sorted_edges(&self) -> impl Iterator<Item = ([u32; 2], &[EdgeUse])> {
        let mut ends: Vec<[u32; 2]> = self.edges.keys().copied().collect();
        ends.sort_unstable();
        ends.into_iter().map(|ends| (ends, self.edges[&ends].as_slice()))
    }
}

/// Whether a triangle has three corners.
pub(super) fn is_whole(c: &[u32; 3]) -> bool {
    c[0] != c[1] && c[1] != c[2] && c[2] != c[0]
}
