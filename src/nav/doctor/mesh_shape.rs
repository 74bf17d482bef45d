//! The shape of a mesh's polygons: those that no query accepts, spikes, slivers, polygons wound the other way.

use glam::DVec3;

use super::finding::{FaultKind, Finding};
use super::limits::AgentLimits;
use crate::math::plan;
use crate::nav::mesh::{MeshFile, RawMesh};

/// A polygon narrower than this is a sliver, metres, where it is also long.
const SLIVER_WIDTH: f64 = 0.02;
/// How many times longer than wide a sliver is.
const SLIVER_RATIO: f64 = 50.0;
/// Largest turn to the wrong side at a corner, as in validation.
const MAX_CONCAVITY: f64 = 1e-3;
/// Most corners of a polygon.
const MAX_CORNERS: usize = 1024;

/// A mesh without the polygons that no query accepts.
pub(super) struct SoundMesh {
    /// The mesh.
    pub mesh: RawMesh,
    /// The number in the file of each of its polygons.
    pub numbers: Vec<usize>,
}

/// The findings, and the rest of the mesh.
pub(super) fn examine(file: &MeshFile, limits: &AgentLimits) -> (Vec<Finding>, SoundMesh) {
    let mesh = &file.mesh;
    let mut findings = Vec::new();
    let mut kept = vec![true; mesh.polygons.len()];
    let mut windings = [0usize; 2];
    let mut outlines = Vec::with_capacity(kept.len());
    for (i, kept) in kept.iter_mut().enumerate() {
        let corners = corners_of(mesh, i);
        if let Some(cause) = refused(mesh, i, &corners) {
            findings.push(bad(i, &corners, cause));
            *kept = false;
        } else {
            windings[usize::from(plan::area(&corners) < 0.0)] += 1;
        }
        outlines.push(corners);
    }
    let turned = usize::from(windings[0] >= windings[1]);
    for (i, corners) in outlines.iter().enumerate().filter(|(i, _)| kept[*i]) {
        // A mesh of both windings in equal parts has no winding of its own.
        let is_turned = usize::from(plan::area(corners) < 0.0) == turned;
        if is_turned && windings[turned] * 10 < windings[1 - turned] {
            findings.push(flipped(i, corners));
        }
        findings.extend(sliver(i, corners));
    }
    findings.extend(spikes(mesh, &outlines, &kept, limits));
    findings.extend(detail_spikes(file, &outlines, limits));
    let numbers = (0..kept.len()).filter(|&i| kept[i]).collect();
    (findings, SoundMesh { mesh: mesh.retain(&kept), numbers })
}

/// The corners that are there.
pub(super) fn corners_of(mesh: &RawMesh, polygon: usize) -> Vec<DVec3> {
    let found = mesh.polygons[polygon].vertices.iter().filter_map(|&v| mesh.vertices.get(v as usize).copied());
    found.collect()
}

/// Why no query accepts a polygon.
fn refused(mesh: &RawMesh, polygon: usize, corners: &[DVec3]) -> Option<String> {
    let p = &mesh.polygons[polygon];
    if corners.len() != p.vertices.len() {
        return Some("names a vertex that is not there".into());
    }
    if !(3..=MAX_CORNERS).contains(&corners.len()) {
        return Some(format!("has {} corners; 3 to {MAX_CORNERS} are possible", corners.len()));
    }
    if !corners.iter().all(|c| c.is_finite()) {
        return Some("has a corner that is no finite number".into());
    }
    let mut sorted = p.vertices.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|w| w[0] == w[1]) {
        return Some("uses a vertex twice".into());
    }
    if plan::area(corners) as f32 == 0.0 {
        return Some("has no area seen from above".into());
    }
    if let Some(corner) = plan::first_reflex_corner(corners, MAX_CONCAVITY) {
        return Some(format!("is not convex at its corner {corner}"));
    }
    (p.area > 63).then(|| format!("has area {}; areas are 0 to 63", p.area))
}

fn bad(polygon: usize, corners: &[DVec3], cause: String) -> Finding {
    let finite: Vec<DVec3> = corners.iter().copied().filter(|c| c.is_finite()).collect();
    let remedy = "Split or remove the polygon, or bake the level again.".into();
    let texts = [format!("Polygon {polygon} {cause}, so no query accepts it."), remedy];
    Finding::new(FaultKind::BadPolygon, middle(&finite), extent(&finite), texts).around(&finite)
}

fn flipped(polygon: usize, corners: &[DVec3]) -> Finding {
    let cause = format!("Polygon {polygon} is wound the other way round than most, so that it faces down.");
    let remedy =
        "Reverse the order of its corners, or convert the mesh: files that are written have one winding.".into();
    Finding::new(FaultKind::Flipped, middle(corners), extent(corners), [cause, remedy]).around(corners)
}

fn sliver(polygon: usize, corners: &[DVec3]) -> Option<Finding> {
    let sides = || corners.iter().zip(corners.iter().cycle().skip(1));
    let length = |a: &DVec3, b: &DVec3| (*b - *a).with_y(0.0).length().max(1e-9);
    let longest = sides().map(|(a, b)| length(a, b)).fold(0.0, f64::max);
    // A convex polygon is narrowest across one of its edges.
    let across =
        |a: &DVec3, b: &DVec3| corners.iter().map(|c| plan::cross(*a, *b, *c).abs()).fold(0.0, f64::max) / length(a, b);
    let width = sides().map(|(a, b)| across(a, b)).fold(f64::INFINITY, f64::min);
    (width < SLIVER_WIDTH && longest > SLIVER_RATIO * width).then(|| {
        let cause = format!("Polygon {polygon} is {longest:.2} m long, but only {:.1} mm wide.", width * 1e3);
        let remedy = "Merge it with a neighbour, or bake with larger cells or a larger edge error.".into();
        Finding::new(FaultKind::Sliver, middle(corners), longest, [cause, remedy]).around(corners)
    })
}

/// Vertices far above or below all around them.
fn spikes(mesh: &RawMesh, outlines: &[Vec<DVec3>], kept: &[bool], limits: &AgentLimits) -> Vec<Finding> {
    let mut around: Vec<Surround> = vec![Surround::default(); mesh.vertices.len()];
    for (i, corners) in outlines.iter().enumerate().filter(|(i, _)| kept[*i]) {
        let vertices = &mesh.polygons[i].vertices;
        for (k, &v) in vertices.iter().enumerate() {
            let count = corners.len();
            let ring = [corners[(k + count - 1) % count], corners[(k + 1) % count]];
            around[v as usize].add(corners[k], ring, limits);
        }
    }
    let found = around.iter().zip(&mesh.vertices).enumerate();
    found.filter_map(|(v, (around, &place))| around.spike(&format!("Vertex {v}"), place, limits)).collect()
}

/// Points of the height detail far above or below all around them.
fn detail_spikes(file: &MeshFile, outlines: &[Vec<DVec3>], limits: &AgentLimits) -> Vec<Finding> {
    let Some(detail) = &file.detail else { return Vec::new() };
    let mut around: Vec<Surround> = vec![Surround::default(); detail.points.len()];
    for polygon in 0..outlines.len() {
        for triangle in detail.of(polygon) {
            let corners = triangle.map(|i| detail.points.get(i as usize).copied().unwrap_or(DVec3::NAN));
            if corners.iter().all(|c| c.is_finite()) {
                for k in 0..3 {
                    let ring = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
                    around[triangle[k] as usize].add(corners[k], ring, limits);
                }
            }
        }
    }
    let found = around.iter().zip(&detail.points).enumerate();
    found.filter_map(|(v, (around, &place))| around.spike(&format!("Detail point {v}"), place, limits)).collect()
}

/// What lies around a vertex.
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
    fn add(&mut self, place: DVec3, ring: [DVec3; 2], limits: &AgentLimits) {
        let steep = f64::from(limits.slope_rad).tan();
        for neighbor in ring {
            let rise = place.y - neighbor.y;
            self.rise = [self.rise[0].min(rise), self.rise[1].max(rise)];
            let run = (place - neighbor).with_y(0.0).length();
            self.edges[0] += 1;
            self.edges[1] += usize::from(rise.abs() > steep * run);
        }
    }

    fn spike(&self, what: &str, place: DVec3, limits: &AgentLimits) -> Option<Finding> {
        let [low, high] = self.rise;
        let climb = f64::from(limits.climb);
        let rise = if low > climb { low } else { -high };
        // All around lower or all higher by more than a step, and most edges steeper than a slope.
        (rise > climb && rise.is_finite() && self.edges[1] * 2 > self.edges[0]).then(|| {
            let side = if low > climb { "above" } else { "below" };
            let cause = format!("{what} lies {rise:.2} m {side} everything around it.");
            let remedy = "Move it to the height of its neighbours, or bake the level again.".into();
            let foot = place.with_y(if low > climb { place.y - rise } else { place.y + rise });
            Finding::new(FaultKind::Spike, place, rise, [cause, remedy]).along([place, foot])
        })
    }
}

/// The mean of points; zero for none.
pub(super) fn middle(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

/// The diagonal of the box around points.
pub(super) fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().copied().reduce(DVec3::min);
    let high = points.iter().copied().reduce(DVec3::max);
    low.zip(high).map_or(0.0, |(low, high)| (high - low).length())
}
