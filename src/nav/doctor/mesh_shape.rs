//! The shape of a mesh's polygons: those that no query accepts, slivers, polygons wound the other way.

use std::collections::BTreeMap;

use glam::DVec3;

use super::finding::{FaultKind, Finding, MAX_LINES};
use super::limits::AgentLimits;
use super::near_places::regions;
use super::outlines::{corners_of, extent, middle};
use super::spikes;
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

/// What becomes of polygons that no query accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PolygonUse {
    /// They keep every query from the mesh.
    AsTheyAre,
    /// They are split or left out as the file is read.
    Mended,
}

/// A mesh without the polygons that no query accepts.
pub(super) struct SoundMesh {
    /// The mesh.
    pub mesh: RawMesh,
    /// The number in the file of each of its polygons.
    pub numbers: Vec<usize>,
}

/// The findings, and the rest of the mesh. Polygons beside each other with one fault are one finding.
pub(super) fn examine(file: &MeshFile, limits: &AgentLimits, used: PolygonUse) -> (Vec<Finding>, SoundMesh) {
    let mesh = &file.mesh;
    let mut kept = vec![true; mesh.polygons.len()];
    let mut windings = [0usize; 2];
    let mut outlines = Vec::with_capacity(kept.len());
    let mut refusals: BTreeMap<Refusal, Vec<usize>> = BTreeMap::new();
    for (i, kept) in kept.iter_mut().enumerate() {
        let corners = corners_of(mesh, i);
        if let Some(refusal) = refused(mesh, i, &corners) {
            refusals.entry(refusal).or_default().push(i);
            *kept = false;
        } else {
            windings[usize::from(plan::area(&corners) < 0.0)] += 1;
        }
        outlines.push(corners);
    }
    let turned = usize::from(windings[0] >= windings[1]);
    let (mut flipped, mut slivers) = (Vec::new(), Vec::new());
    for (i, corners) in outlines.iter().enumerate().filter(|(i, _)| kept[*i]) {
        // A mesh of both windings in equal parts has no winding of its own.
        let is_turned = usize::from(plan::area(corners) < 0.0) == turned;
        if sliver(corners).is_some() {
            slivers.push(i);
        } else if is_turned && windings[turned] * 10 < windings[1 - turned] {
            flipped.push(i);
        }
    }
    let mut findings = Vec::new();
    let outlines_of = |list: &[usize]| list.iter().map(|&i| outlines[i].clone()).collect::<Vec<_>>();
    for (refusal, list) in &refusals {
        for region in regions(mesh, list) {
            findings.push(bad(&region, &outlines_of(&region), refusal.cause(mesh, &region, &outlines), used));
        }
    }
    for region in regions(mesh, &flipped) {
        findings.push(flipped_region(&region, &outlines_of(&region)));
    }
    for region in regions(mesh, &slivers) {
        findings.push(sliver_region(&region, &outlines_of(&region)));
    }
    findings.extend(spikes::examine(file, &outlines, &kept, limits));
    let numbers = (0..kept.len()).filter(|&i| kept[i]).collect();
    (findings, SoundMesh { mesh: mesh.retain(&kept), numbers })
}

/// Why no query accepts a polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Refusal {
    LostVertex,
    CornerCount,
    NotFinite,
    VertexTwice,
    NoArea,
    NotConvex,
    BadArea,
}

impl Refusal {
    /// It as a sentence about polygons, without its end.
    fn cause(self, mesh: &RawMesh, polygons: &[usize], outlines: &[Vec<DVec3>]) -> String {
        let first = polygons[0];
        let (one, several) = match self {
            Self::LostVertex => ("names a vertex that is not there".into(), "name vertices that are not there"),
            Self::CornerCount => (
                format!("has {} corners; 3 to {MAX_CORNERS} are possible", outlines[first].len()),
                "have too few or too many corners; 3 to 1024 are possible",
            ),
            Self::NotFinite => {
                ("has a corner that is no finite number".into(), "have corners that are no finite numbers")
            }
            Self::VertexTwice => ("uses a vertex twice".into(), "use a vertex twice"),
            Self::NoArea => ("has no area seen from above".into(), "have no area seen from above"),
            Self::NotConvex => {
                let corner = plan::first_reflex_corner(&outlines[first], MAX_CONCAVITY).unwrap_or(0);
                (format!("is not convex at its corner {corner}"), "are not convex")
            }
            Self::BadArea => {
                let area = mesh.polygons[first].area;
                (format!("has area {area}; areas are 0 to 63"), "have areas beyond 63; areas are 0 to 63")
            }
        };
        subject(polygons) + if polygons.len() == 1 { &one } else { several }
    }
}

/// Polygons as the begin of a sentence, with a space.
fn subject(polygons: &[usize]) -> String {
    match polygons {
        [only] => format!("Polygon {only} "),
        _ => format!("{} polygons, {} among them, ", polygons.len(), polygons[0]),
    }
}

fn refused(mesh: &RawMesh, polygon: usize, corners: &[DVec3]) -> Option<Refusal> {
    let p = &mesh.polygons[polygon];
    if corners.len() != p.vertices.len() {
        return Some(Refusal::LostVertex);
    }
    if !(3..=MAX_CORNERS).contains(&corners.len()) {
        return Some(Refusal::CornerCount);
    }
    if !corners.iter().all(|c| c.is_finite()) {
        return Some(Refusal::NotFinite);
    }
    let mut sorted = p.vertices.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|w| w[0] == w[1]) {
        return Some(Refusal::VertexTwice);
    }
    if plan::area(corners) as f32 == 0.0 {
        return Some(Refusal::NoArea);
    }
    if plan::first_reflex_corner(corners, MAX_CONCAVITY).is_some() {
        return Some(Refusal::NotConvex);
    }
    (p.area > 63).then_some(Refusal::BadArea)
}

fn bad(polygons: &[usize], outlines: &[Vec<DVec3>], cause: String, used: PolygonUse) -> Finding {
    let is_one = polygons.len() == 1;
    let so = match used {
        PolygonUse::AsTheyAre if is_one => "no query accepts it",
        PolygonUse::AsTheyAre => "no query accepts them",
        PolygonUse::Mended if is_one => "it is split or left out as the file is read",
        PolygonUse::Mended => "they are split or left out as the file is read",
    };
    let what = if is_one { "polygon" } else { "polygons" };
    let remedy = format!("Split or remove the {what}, or bake the level again.");
    region_finding(FaultKind::BadPolygon, outlines, [format!("{cause}, so {so}."), remedy])
}

fn flipped_region(polygons: &[usize], outlines: &[Vec<DVec3>]) -> Finding {
    let (are, they, their) =
        if polygons.len() == 1 { ("is", "it faces", "its") } else { ("are", "they face", "their") };
    let cause = format!("{}{are} wound the other way round than most, so that {they} down.", subject(polygons));
    let remedy =
        format!("Reverse the order of {their} corners, or convert the mesh: files that are written have one winding.");
    region_finding(FaultKind::Flipped, outlines, [cause, remedy])
}

/// Length and width of a polygon that is a sliver, metres.
fn sliver(corners: &[DVec3]) -> Option<[f64; 2]> {
    let sides = || corners.iter().zip(corners.iter().cycle().skip(1));
    let length = |a: &DVec3, b: &DVec3| (*b - *a).with_y(0.0).length().max(1e-9);
    let longest = sides().map(|(a, b)| length(a, b)).fold(0.0, f64::max);
    // A convex polygon is narrowest across one of its edges.
    let across =
        |a: &DVec3, b: &DVec3| corners.iter().map(|c| plan::cross(*a, *b, *c).abs()).fold(0.0, f64::max) / length(a, b);
    let width = sides().map(|(a, b)| across(a, b)).fold(f64::INFINITY, f64::min);
    (width < SLIVER_WIDTH && longest > SLIVER_RATIO * width).then_some([longest, width])
}

fn sliver_region(polygons: &[usize], outlines: &[Vec<DVec3>]) -> Finding {
    let sizes = outlines.iter().filter_map(|corners| sliver(corners));
    let [length, width] = sizes.fold([0.0_f64; 2], |most, size| [most[0].max(size[0]), most[1].max(size[1])]);
    let (is, up) = if polygons.len() == 1 { ("is", "") } else { ("are", "up to ") };
    let wide = if width < 5e-5 { "less than 0.1".into() } else { format!("only {up}{:.1}", width * 1e3) };
    let cause = format!("{}{is} {up}{length:.2} m long, but {wide} mm wide.", subject(polygons));
    let what = if polygons.len() == 1 { "it with a neighbour" } else { "them with neighbours" };
    let remedy = format!("Merge {what}, or bake with larger cells or a larger edge error.");
    let finding = region_finding(FaultKind::Sliver, outlines, [cause, remedy]);
    Finding { size: length, ..finding }
}

/// The finding of polygons beside each other: at that which lies in their middle.
fn region_finding(fault: FaultKind, outlines: &[Vec<DVec3>], texts: [String; 2]) -> Finding {
    let finite: Vec<Vec<DVec3>> =
        outlines.iter().map(|corners| corners.iter().copied().filter(|c| c.is_finite()).collect()).collect();
    let all: Vec<DVec3> = finite.iter().flatten().copied().collect();
    let center = middle(&all);
    let middles = finite.iter().filter(|corners| !corners.is_empty()).map(|corners| middle(corners));
    let off = |place: &DVec3| place.distance_squared(center);
    let place = middles.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(center);
    let finding = Finding::new(fault, place, extent(&all), texts);
    let most = MAX_LINES / finite.first().map_or(1, |corners| corners.len().max(1));
    finite.iter().take(most.max(1)).fold(finding, |finding, corners| finding.around(corners))
}
