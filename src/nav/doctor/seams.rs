//! Seams that do not join: edges without a neighbour that run along each other.

use std::collections::BTreeMap;

use glam::DVec3;

use super::finding::{FaultKind, Finding, LargestFaults};
use super::layered_edges::LayeredEdges;
use super::open_edges::{OpenEdge, open_edges};
use super::watch::{DoctorError, DoctorWatch};
use crate::nav::mesh::RawMesh;

/// Vertices nearer than this are at one place, metres.
const WELD: f64 = 1e-3;
/// Widest seam, metres.
const MAX_SEAM: f64 = 0.02;
/// Shortest part that two edges share, metres.
const MIN_SHARED: f64 = 0.02;
/// Cosine of the largest angle between edges along each other.
const ALONG: f64 = 0.99;

/// The seams of a mesh that do not join.
pub(super) fn examine(mesh: &RawMesh, watch: &DoctorWatch<'_>) -> Result<Vec<Finding>, DoctorError> {
    let edges = open_edges(mesh);
    let layers = LayeredEdges::new(&edges, MAX_SEAM as f32, MAX_SEAM);
    let mut found: BTreeMap<FaultKind, LargestFaults<Seam>> = BTreeMap::new();
    for (i, edge) in edges.iter().enumerate() {
        watch.check()?;
        layers.for_each_near(edge, MAX_SEAM as f32, |j| {
            let other = &edges[j as usize];
            if j as usize > i
                && other.polygon != edge.polygon
                && let Some(seam) = Seam::between(edge, other)
            {
                found.entry(seam.fault).or_insert_with(LargestFaults::new).push(seam.length(), seam);
            }
        });
    }
    Ok(found.into_values().flat_map(|seams| seams.findings(|seam| seam.finding())).collect())
}

/// What parts two edges that run along each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seam {
    polygons: [u32; 2],
    fault: FaultKind,
    /// Largest distance, metres.
    gap: f64,
    /// The part of the first edge along which they run.
    line: [DVec3; 2],
    /// Whether lists of neighbours part them.
    is_listed: bool,
}

impl Seam {
    /// `None` for edges that do not run along each other.
    pub fn between(a: &OpenEdge, b: &OpenEdge) -> Option<Self> {
        let along = a.ends[1] - a.ends[0];
        let (length, other) = (along.length(), b.ends[1] - b.ends[0]);
        if length < WELD || other.length() < WELD || along.dot(other).abs() < ALONG * length * other.length() {
            return None;
        }
        let direction = along / length;
        let place = |p: DVec3| (p - a.ends[0]).dot(direction);
        let (s, t) = (place(b.ends[0]).clamp(0.0, length), place(b.ends[1]).clamp(0.0, length));
        let shared = [s.min(t), s.max(t)];
        if shared[1] - shared[0] < MIN_SHARED.min(0.5 * length.min(other.length())) {
            return None;
        }
        let gap_at = |s: f64| {
            let here = a.ends[0] + direction * s;
            let t = (here - b.ends[0]).dot(other) / other.length_squared();
            (b.ends[0] + other * t.clamp(0.0, 1.0) - here).length()
        };
        let gap = gap_at(shared[0]).max(gap_at(shared[1]));
        if gap > MAX_SEAM {
            return None;
        }
        let reach = gap.max(WELD);
        let meets = |p: DVec3, q: DVec3| (p - q).length() <= reach * 1.5;
        let meet = (meets(a.ends[0], b.ends[1]) && meets(a.ends[1], b.ends[0]))
            || (meets(a.ends[0], b.ends[0]) && meets(a.ends[1], b.ends[1]));
        let is_listed = a.is_listed && b.is_listed;
        let fault = match meet {
            _ if gap > WELD || is_listed => FaultKind::OpenSeam,
            true => FaultKind::DuplicateVertex,
            false => FaultKind::TJunction,
        };
        let line = shared.map(|s| a.ends[0] + direction * s);
        Some(Self { polygons: [a.polygon, b.polygon], fault, gap, line, is_listed })
    }

    /// Over which length the edges run along each other, metres.
    fn length(&self) -> f64 {
        self.line[0].distance(self.line[1])
    }

    /// It in words.
    pub fn finding(&self) -> Finding {
        let (pair, length) = (format!("Polygons {} and {}", self.polygons[0], self.polygons[1]), self.length());
        let (cause, remedy) = match self.fault {
            _ if self.gap > WELD => {
                let cause = format!("{pair} are {:.1} mm apart over {length:.2} m.", self.gap * 1e3);
                (cause, "Join their vertices: convert the mesh with a larger tolerance, or bake again.")
            }
            _ if self.is_listed => {
                let cause = format!(
                    "{pair} lie along {length:.2} m of one border, but their lists of neighbours have a wall there."
                );
                (cause, "List them as neighbours, if no wall is meant.")
            }
            FaultKind::DuplicateVertex => {
                let cause = format!("{pair} share an edge of {length:.2} m, but each has vertices of its own there.");
                (cause, "Give both the same vertices.")
            }
            _ => {
                let cause = format!("{pair} share {length:.2} m of an edge, but a vertex of one lies within it.");
                (cause, "Give the longer edge that vertex, too.")
            }
        };
        let place = (self.line[0] + self.line[1]) * 0.5;
        Finding::new(self.fault, place, length, [cause, remedy.into()]).along(self.line)
    }
}
