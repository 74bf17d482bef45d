//! Seams that do not join: edges without a neighbour that run along each other.

use std::collections::BTreeMap;

use glam::DVec3;

use super::finding::{FaultKind, Finding, MAX_LINES};
use super::layered_rects::LayeredEdges;
use super::limits::AgentLimits;
use super::near_places::join_near;
use super::open_edges::{OpenEdge, open_edges};
use super::watch::{DoctorError, DoctorWatch};
use crate::math::disjoint_sets::DisjointSets;
use crate::nav::mesh::RawMesh;

/// Vertices nearer than this are at one place, metres.
const WELD: f64 = 1e-3;
/// Widest seam of edges that lie along each other in any way, metres.
const NARROW_SEAM: f64 = 0.02;
/// Widest seam of polygons on both sides of it, metres.
const WIDE_SEAM: f64 = 0.1;
/// Share of the width of a mesh's agents up to which a seam is none: nearer borders have no wall between them.
pub(super) const NO_WALL: f64 = 0.75;
/// Shortest part that two edges share, metres.
const MIN_SHARED: f64 = 0.02;
/// Cosine of the largest angle between edges along each other.
const ALONG: f64 = 0.99;
/// How far apart the ends of two seams of one line lie, in widths of the wider one.
const SAME_SEAM: f64 = 1.5;

/// The widest seam of a mesh, metres.
pub(super) fn widest_seam(limits: &AgentLimits) -> f64 {
    (2.0 * NO_WALL * f64::from(limits.mesh_radius)).clamp(NARROW_SEAM, WIDE_SEAM)
}

/// The seams of a mesh that do not join, those of one line as one.
pub(super) fn examine(
    mesh: &RawMesh,
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<Vec<Finding>, DoctorError> {
    let edges = open_edges(mesh);
    let widest = widest_seam(limits);
    let layers = LayeredEdges::new(&edges, widest as f32, widest);
    let (mut parts, mut wide) = (BTreeMap::<(u32, FaultKind), EdgeSeams>::new(), Vec::new());
    // Over which length narrow seams run along each edge.
    let mut covered = vec![0.0; edges.len()];
    for (i, edge) in edges.iter().enumerate() {
        watch.check()?;
        layers.for_each_near(edge, |j| {
            let other = &edges[j as usize];
            if j as usize <= i || other.polygon == edge.polygon {
                return;
            }
            let Some(seam) = Seam::between(edge, other, widest) else { return };
            if seam.gap > NARROW_SEAM {
                wide.push(([i as u32, j], seam));
            } else {
                covered[i] += seam.length();
                covered[j as usize] += seam.length();
                parts.entry((i as u32, seam.fault)).or_default().add(seam);
            }
        });
    }
    // What lies between two edges that are joined to it, however badly, is ground.
    let is_free = |edge: u32| {
        let [a, b] = edges[edge as usize].ends;
        covered[edge as usize] < 0.5 * (b - a).length()
    };
    for (pair, seam) in wide.into_iter().filter(|(pair, _)| pair.iter().all(|&edge| is_free(edge))) {
        parts.entry((pair[0], seam.fault)).or_default().add(seam);
    }
    Ok(gathered(parts.into_values().collect()))
}

/// The seams of an edge that are of one kind.
#[derive(Default)]
struct EdgeSeams {
    /// Number of pairs of polygons.
    count: usize,
    /// Over all of them, metres.
    length: f64,
    /// The longest.
    longest: Option<Seam>,
    /// The widest.
    gap: f64,
    /// Ends of all.
    ends: Vec<DVec3>,
}

impl EdgeSeams {
    fn add(&mut self, seam: Seam) {
        self.count += 1;
        self.length += seam.length();
        self.gap = self.gap.max(seam.gap);
        if self.ends.len() < MAX_LINES {
            self.ends.extend(seam.line);
        }
        if self.longest.is_none_or(|longest| seam.length() > longest.length()) {
            self.longest = Some(seam);
        }
    }
}

/// One finding for the seams whose ends meet.
fn gathered(parts: Vec<EdgeSeams>) -> Vec<Finding> {
    let ends: Vec<(DVec3, usize)> =
        (0..parts.len()).flat_map(|i| parts[i].ends.iter().map(move |&end| (end, i))).collect();
    let mut joined = DisjointSets::new(parts.len());
    let reach = |a: usize, b: usize| SAME_SEAM * parts[a].gap.max(parts[b].gap).max(WELD);
    join_near(&ends, SAME_SEAM * WIDE_SEAM, &mut joined, reach);
    let mut lines: BTreeMap<(usize, FaultKind), Vec<usize>> = BTreeMap::new();
    for (i, part) in parts.iter().enumerate() {
        let Some(longest) = part.longest else { continue };
        lines.entry((joined.root(i), longest.fault)).or_default().push(i);
    }
    let list = |members: &Vec<usize>| seam_line(&members.iter().map(|&i| &parts[i]).collect::<Vec<_>>());
    lines.values().filter_map(list).collect()
}

/// The finding for seams of one line.
fn seam_line(parts: &[&EdgeSeams]) -> Option<Finding> {
    let count: usize = parts.iter().map(|part| part.count).sum();
    let length: f64 = parts.iter().map(|part| part.length).sum();
    let gap = parts.iter().map(|part| part.gap).fold(0.0, f64::max);
    let seams = || parts.iter().filter_map(|part| part.longest);
    let middle = seams().map(|seam| seam.middle() * seam.length()).sum::<DVec3>()
        / seams().map(|seam| seam.length()).sum::<f64>().max(1e-9);
    let off = |seam: &Seam| seam.middle().distance_squared(middle);
    let nearest = seams().min_by(|a, b| off(a).total_cmp(&off(b)))?;
    let whole = Seam { gap, ..nearest };
    let mut finding = whole.told(count, length);
    for line in parts.iter().flat_map(|part| part.ends.as_chunks::<2>().0).take(MAX_LINES) {
        finding = finding.along(*line);
    }
    Some(finding)
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
    pub fn between(a: &OpenEdge, b: &OpenEdge, widest: f64) -> Option<Self> {
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
        if gap > NARROW_SEAM && !(gap <= widest && is_between(a, b, shared.map(|s| a.ends[0] + direction * s), gap)) {
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

    /// Its middle.
    fn middle(&self) -> DVec3 {
        (self.line[0] + self.line[1]) * 0.5
    }

    /// It in words.
    pub fn finding(&self) -> Finding {
        self.told(1, self.length()).along(self.line)
    }

    /// So many pairs of polygons, over a length, in words; without a line.
    fn told(&self, count: usize, length: f64) -> Finding {
        let [a, b] = self.polygons;
        let one = count == 1;
        let pair = if one {
            format!("Polygons {a} and {b}")
        } else {
            format!("{count} pairs of polygons, {a} and {b} among them,")
        };
        let (cause, remedy) = match self.fault {
            _ if self.gap > WELD => {
                let up = if one { "" } else { "up to " };
                let cause = format!("{pair} are {up}{:.1} mm apart over {length:.2} m.", self.gap * 1e3);
                (cause, "Join their vertices in the program that made the mesh, or bake again.")
            }
            _ if self.is_listed => {
                let cause = format!(
                    "{pair} lie along {length:.2} m of one border, but their lists of neighbours have a wall there."
                );
                (cause, "List them as neighbours, if no wall is meant.")
            }
            FaultKind::DuplicateVertex => {
                let edge = if one { "an edge" } else { "edges" };
                let cause = format!("{pair} share {edge} of {length:.2} m, but each has vertices of its own there.");
                (cause, "Give both the same vertices.")
            }
            _ => {
                let edge = if one {
                    "an edge, but a vertex of one lies within it"
                } else {
                    "edges, but vertices of one lie within those of the other"
                };
                (format!("{pair} share {length:.2} m of {edge}."), "Give the longer edge that vertex, too.")
            }
        };
        Finding::new(self.fault, self.middle(), length, [cause, remedy.into()])
    }
}

/// Whether a seam lies between its polygons, so that they do not lie upon each other; `part` is where they share the edge of
/// the first, which may also lie above the other's.
fn is_between(a: &OpenEdge, b: &OpenEdge, part: [DVec3; 2], gap: f64) -> bool {
    let length = part[0].distance(part[1]);
    let middle = (part[0] + part[1]) * 0.5;
    let [from, to] = b.ends;
    let along = to - from;
    let beside = from + along * ((middle - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    length > gap && a.outside(beside) > 0.5 * gap && b.outside(middle) > 0.5 * gap
}
