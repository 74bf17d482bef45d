//! Corners far above or below everything around them: of a mesh, of its height detail, of a level.

use std::collections::BTreeMap;

use glam::DVec3;

use super::finding::{FaultKind, Finding, MAX_LINES};
use super::limits::AgentLimits;
use super::outlines::{extent, middle};
use crate::math::disjoint_sets::DisjointSets;
use crate::nav::mesh::MeshFile;

/// Most vertices that make a spike together.
const MAX_TOGETHER: usize = 16;
/// Least slope of what parts several vertices from all around them, radians.
const MIN_STEEP: f32 = 0.96;

/// Vertices of a mesh far above or below all around them.
pub(super) fn examine(file: &MeshFile, outlines: &[Vec<DVec3>], kept: &[bool], limits: &AgentLimits) -> Vec<Finding> {
    let mesh = &file.mesh;
    let mut ground = CornerGraph::new("Vertex", "vertices", &mesh.vertices);
    for (i, _) in outlines.iter().enumerate().filter(|(i, _)| kept[*i]) {
        ground.add_ring(&mesh.polygons[i].vertices);
    }
    let mut findings = ground.spikes(limits);
    let Some(detail) = &file.detail else { return findings };
    let mut ground = CornerGraph::new("Detail point", "detail points", &detail.points);
    for polygon in 0..outlines.len() {
        let is_whole = |triangle: &[u32; 3]| {
            triangle.iter().all(|&i| detail.points.get(i as usize).is_some_and(|point| point.is_finite()))
        };
        detail.of(polygon).iter().filter(|t| is_whole(t)).for_each(|triangle| ground.add_ring(triangle));
    }
    findings.extend(ground.spikes(limits));
    findings
}

/// Corners, and the edges from one to another as polygons have them.
pub(super) struct CornerGraph<'a> {
    /// What one is called, and what several are called.
    names: [&'static str; 2],
    places: &'a [DVec3],
    edges: Vec<[u32; 2]>,
}

impl<'a> CornerGraph<'a> {
    pub fn new(one: &'static str, several: &'static str, places: &'a [DVec3]) -> Self {
        Self { names: [one, several], places, edges: Vec::new() }
    }

    /// Adds the edges of a polygon.
    pub fn add_ring(&mut self, ring: &[u32]) {
        self.edges.extend((0..ring.len()).map(|k| [ring[k], ring[(k + 1) % ring.len()]]));
    }

    /// The spikes: single corners, and few that lie together.
    pub fn spikes(&self, limits: &AgentLimits) -> Vec<Finding> {
        let singles = self.singles(limits);
        let mut is_told = vec![false; self.places.len()];
        singles.iter().for_each(|&(v, _)| is_told[v] = true);
        let mut findings: Vec<Finding> = singles.into_iter().map(|(v, rise)| self.finding(&[v], rise)).collect();
        findings.extend(self.together(limits, &is_told));
        findings
    }

    /// Single corners that are spikes, and how far they lie above everything around them; less than nothing for below.
    pub fn singles(&self, limits: &AgentLimits) -> Vec<(usize, f64)> {
        let mut around = vec![Surround::default(); self.places.len()];
        let slope = f64::from(limits.slope_rad).tan();
        for &[a, b] in &self.edges {
            for [from, to] in [[a, b], [b, a]] {
                around[from as usize].add(self.places[from as usize], self.places[to as usize], slope);
            }
        }
        let climb = f64::from(limits.climb);
        around.iter().enumerate().filter_map(|(v, around)| Some((v, around.spike(climb)?))).collect()
    }

    /// A few vertices that lie together above or below everything around them, over walls.
    fn together(&self, limits: &AgentLimits, is_told: &[bool]) -> Vec<Finding> {
        let climb = f64::from(limits.climb);
        let steep = f64::from(limits.slope_rad.max(MIN_STEEP)).tan();
        let is_wall = |[a, b]: [u32; 2]| {
            let away = self.places[b as usize] - self.places[a as usize];
            away.y.abs() > climb && away.y.abs() > steep * away.with_y(0.0).length()
        };
        let mut joined = DisjointSets::new(self.places.len());
        self.edges.iter().filter(|&&edge| !is_wall(edge)).for_each(|&[a, b]| joined.join(a as usize, b as usize));
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        (0..self.places.len()).for_each(|v| *counts.entry(joined.root(v)).or_default() += 1);
        // Per group how much it lies above others, at least and at most.
        let mut rises: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
        for &[a, b] in self.edges.iter().filter(|&&edge| is_wall(edge)) {
            for [from, to] in [[a, b], [b, a]].map(|ends| ends.map(|v| v as usize)) {
                let [own, other] = [from, to].map(|v| joined.root(v));
                if own == other || counts[&own] > MAX_TOGETHER || counts[&own] * 2 > counts[&other] {
                    // Of two groups of about one size none is a spike of the other.
                    rises.insert(own, [f64::NEG_INFINITY, f64::INFINITY]);
                    continue;
                }
                let rise = self.places[from].y - self.places[to].y;
                let known = rises.entry(own).or_insert([f64::INFINITY, f64::NEG_INFINITY]);
                *known = [known[0].min(rise), known[1].max(rise)];
            }
        }
        rises.retain(|root, [low, high]| counts[root] > 1 && (*low > climb || *high < -climb) && high.is_finite());
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for v in (0..self.places.len()).filter(|&v| !is_told[v]) {
            let root = joined.root(v);
            if rises.contains_key(&root) {
                members.entry(root).or_default().push(v);
            }
        }
        let rise_of = |root: &usize| if rises[root][0] > climb { rises[root][0] } else { rises[root][1] };
        members.iter().map(|(root, list)| self.finding(list, rise_of(root))).collect()
    }

    /// These corners lie so far above everything around them.
    fn finding(&self, corners: &[usize], rise: f64) -> Finding {
        let (height, side) = (rise.abs(), if rise > 0.0 { "above" } else { "below" });
        let (first, [one, several]) = (corners[0], self.names);
        let cause = match corners.len() {
            1 => format!("{one} {first} lies {height:.2} m {side} everything around it."),
            count => {
                format!("{count} {several}, {first} among them, lie {height:.2} m {side} everything around them.")
            }
        };
        let remedy = match corners.len() {
            1 => "Move it to the height of its neighbours, or bake the level again.",
            _ => "Move them to the height of their neighbours, or bake the level again.",
        };
        let places: Vec<DVec3> = corners.iter().map(|&v| self.places[v]).collect();
        let size = height.max(extent(&places));
        let finding = Finding::new(FaultKind::Spike, middle(&places), size, [cause, remedy.into()]);
        places.iter().take(MAX_LINES).fold(finding, |finding, &p| finding.along([p, p.with_y(p.y - rise)]))
    }
}

/// What lies around a corner.
#[derive(Clone, Copy, Debug)]
struct Surround {
    /// Highest and lowest difference of height to a neighbour.
    rise: [f64; 2],
    /// Number of edges, and of those steeper than an agent walks.
    edges: [usize; 2],
}

impl Default for Surround {
    fn default() -> Self {
        Self { rise: [f64::INFINITY, f64::NEG_INFINITY], edges: [0, 0] }
    }
}

impl Surround {
    fn add(&mut self, place: DVec3, neighbor: DVec3, slope: f64) {
        let rise = place.y - neighbor.y;
        self.rise = [self.rise[0].min(rise), self.rise[1].max(rise)];
        let run = (place - neighbor).with_y(0.0).length();
        self.edges[0] += 1;
        self.edges[1] += usize::from(rise.abs() > slope * run);
    }

    /// How far it lies above everything around it, less than nothing for below: all of it lower or all higher by more than
    /// a step, over edges most of which are steeper than a slope.
    fn spike(&self, climb: f64) -> Option<f64> {
        let [low, high] = self.rise;
        let rise = if low > climb { low } else { high };
        (rise.abs() > climb && (low > climb || high < -climb) && rise.is_finite() && self.edges[1] * 2 > self.edges[0])
            .then_some(rise)
    }
}
