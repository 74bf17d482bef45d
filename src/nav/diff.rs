//! Differences of two navigation meshes: polygons that came and went, ground that did, islands that joined or split, and
//! [paths](compare_paths) that became longer, shorter or impossible.

mod ground;
mod paths;

use glam::DVec3;
use serde::Serialize;
use std::collections::BTreeMap;

use super::mesh::{NavMesh, PolyId};
pub use ground::DiffTolerance;
use ground::Overlaps;
pub use paths::{DiffSide, PathChange, PathFate, PathPair, compare_paths, sample_pairs};

/// Smallest ground that counts as a part of an island, square metres.
const MIN_PART_M2: f64 = 0.1;

/// A polygon that one of the meshes has alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LonePolygon {
    /// Its number in the file of the mesh.
    pub polygon: u32,
    /// Its middle, world space.
    pub at: DVec3,
    /// Its size, square metres seen from above.
    pub area_m2: f64,
    /// How much of it the other mesh has no ground for, square metres.
    pub bare_m2: f64,
}

/// A polygon that both have, with another area or other flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RelabelledPolygon {
    /// Its numbers in both files.
    pub polygons: [u32; 2],
    /// Its areas.
    pub areas: [u8; 2],
    /// Its flags.
    pub flags: [u16; 2],
}

/// A part of an island.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IslandPart {
    /// A place on it, world space.
    pub at: DVec3,
    /// Its size, square metres.
    pub area_m2: f64,
}

/// Islands that became others; each by its parts, the largest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct IslandChanges {
    /// Islands of the first mesh that are several in the second.
    pub split: Vec<Vec<IslandPart>>,
    /// Islands of the second mesh that were several in the first.
    pub joined: Vec<Vec<IslandPart>>,
    /// Islands of the first mesh whose ground is gone.
    pub went: Vec<IslandPart>,
    /// Islands of the second mesh on new ground.
    pub came: Vec<IslandPart>,
}

impl IslandChanges {
    /// Their number.
    pub fn count(&self) -> usize {
        self.split.len() + self.joined.len() + self.went.len() + self.came.len()
    }
}

/// What differs between two meshes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MeshDiff {
    /// Number of polygons that both have.
    pub same: usize,
    /// Those of the first mesh alone, the barest first.
    pub went: Vec<LonePolygon>,
    /// Those of the second mesh alone, the barest first.
    pub came: Vec<LonePolygon>,
    /// Those with another area or other flags.
    pub relabelled: Vec<RelabelledPolygon>,
    /// Ground that the second mesh lacks, square metres.
    pub lost_m2: f64,
    /// Ground that the first mesh lacks, square metres.
    pub gained_m2: f64,
    /// Islands that became others.
    pub islands: IslandChanges,
}

/// Compares two meshes, in world space.
pub fn compare(meshes: [&NavMesh; 2], tolerance: &DiffTolerance) -> MeshDiff {
    let overlaps = Overlaps::of(meshes, tolerance);
    let [a, b] = meshes;
    let relabelled = overlaps.same.iter().filter_map(|&[p, q]| {
        let (was, is) = (a.polygon(p), b.polygon(q));
        let change = RelabelledPolygon {
            polygons: [a.source(p), b.source(q)],
            areas: [was.area, is.area],
            flags: [was.flags, is.flags],
        };
        (was.area != is.area || was.flags != is.flags).then_some(change)
    });
    let lone = |side: usize| {
        let mesh = meshes[side];
        let of = |(&p, &covered): (&PolyId, &f64)| {
            let area_m2 = mesh.area_m2(p);
            // What rounding leaves along borders is nothing.
            let bare = (area_m2 - covered).max(0.0);
            let bare_m2 = if bare < 1e-3 * area_m2 { 0.0 } else { bare };
            LonePolygon { polygon: mesh.source(p), at: mesh.world(mesh.polygon(p).center), area_m2, bare_m2 }
        };
        let mut all: Vec<LonePolygon> = overlaps.lone[side].iter().map(of).collect();
        all.sort_by(|x, y| y.bare_m2.total_cmp(&x.bare_m2).then(x.polygon.cmp(&y.polygon)));
        all
    };
    let (went, came) = (lone(0), lone(1));
    // A sum of nothing is negative zero.
    let bare = |all: &[LonePolygon]| all.iter().fold(0.0, |sum, p| sum + p.bare_m2);
    MeshDiff {
        same: overlaps.same.len(),
        relabelled: relabelled.collect(),
        lost_m2: bare(&went),
        gained_m2: bare(&came),
        islands: islands(meshes, &overlaps),
        went,
        came,
    }
}

/// What two islands have in common.
#[derive(Clone, Copy)]
struct SharedGround {
    area: f64,
    /// The largest common piece and where it lies.
    largest: f64,
    at: DVec3,
}

fn islands(meshes: [&NavMesh; 2], overlaps: &Overlaps) -> IslandChanges {
    let [a, b] = meshes;
    let mut shared: BTreeMap<[u32; 2], SharedGround> = BTreeMap::new();
    let same = overlaps.same.iter().map(|&pair| (pair, a.area_m2(pair[0])));
    for ([p, q], area) in same.chain(overlaps.pieces.iter().copied()) {
        let key = [a.polygon(p).island, b.polygon(q).island];
        let at = a.world(a.polygon(p).center);
        let of = shared.entry(key).or_insert(SharedGround { area: 0.0, largest: 0.0, at });
        of.area += area;
        if area > of.largest {
            (of.largest, of.at) = (area, at);
        }
    }
    shared.retain(|_, s| s.area >= MIN_PART_M2);
    // By island of one side: its parts on the other.
    let parts = |side: usize| {
        let mut of: BTreeMap<u32, Vec<IslandPart>> = BTreeMap::new();
        for (key, s) in &shared {
            of.entry(key[side]).or_default().push(IslandPart { at: s.at, area_m2: s.area });
        }
        of.values_mut().for_each(|list| list.sort_by(|x, y| y.area_m2.total_cmp(&x.area_m2)));
        of
    };
    let (of_a, of_b) = (parts(0), parts(1));
    let several = |of: &BTreeMap<u32, Vec<IslandPart>>| of.values().filter(|list| list.len() > 1).cloned().collect();
    IslandChanges {
        split: several(&of_a),
        joined: several(&of_b),
        went: lone_islands(a, |island| of_a.contains_key(&island)),
        came: lone_islands(b, |island| of_b.contains_key(&island)),
    }
}

/// The islands that the other mesh has no ground of.
fn lone_islands(mesh: &NavMesh, is_known: impl Fn(u32) -> bool) -> Vec<IslandPart> {
    let mut found: BTreeMap<u32, SharedGround> = BTreeMap::new();
    for p in mesh.live_polygons().filter(|&p| !is_known(mesh.polygon(p).island)) {
        let (area, at) = (mesh.area_m2(p), mesh.world(mesh.polygon(p).center));
        let of = found.entry(mesh.polygon(p).island).or_insert(SharedGround { area: 0.0, largest: 0.0, at });
        of.area += area;
        if area > of.largest {
            (of.largest, of.at) = (area, at);
        }
    }
    let parts = found.values().filter(|s| s.area >= MIN_PART_M2);
    parts.map(|s| IslandPart { at: s.at, area_m2: s.area }).collect()
}
