//! Paths on two meshes between the same places.

use glam::{DVec3, Vec3Swizzles};
use rayon::prelude::*;
use serde::Serialize;

use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::planner::{Planner, PlannerContext, Query};
use crate::nav::query::nearest::{SearchExtents, nearest};
use crate::nav::query::random::random_point;

/// Relative difference up to which two lengths are the same.
const SAME_SHARE: f64 = 0.01;
/// Difference up to which two lengths are the same, metres.
const SAME_METRES: f64 = 0.05;

/// How often the end of a path is chosen anew, so that it lies on the island of its begin.
const MAX_TRIES: usize = 16;

/// A mesh and how agents walk on it.
#[derive(Clone, Copy, Debug)]
pub struct DiffSide<'a> {
    /// The mesh.
    pub mesh: &'a NavMesh,
    /// Ways off it.
    pub links: &'a OffMeshLinks,
    /// Which polygons may be used, and what their areas cost.
    pub filter: &'a Filter,
    /// The planner.
    pub planner: Planner,
    /// Distance to keep from walls, metres.
    pub radius: f32,
}

/// Where a path is tried, world space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PathPair {
    /// Its begin.
    pub from: DVec3,
    /// Its end.
    pub to: DVec3,
}

/// What became of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathFate {
    /// There was one, and there is none.
    Impossible,
    /// It is longer.
    Longer,
    /// There was none, and there is one.
    Possible,
    /// It is shorter.
    Shorter,
    /// It is as long.
    Same,
    /// Neither mesh has one.
    Never,
}

/// A path on both meshes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathChange {
    /// What became of it.
    pub fate: PathFate,
    /// Where it was tried.
    #[serde(flatten)]
    pub ends: PathPair,
    /// Its length on both meshes, metres, with the way in plan from its ends to the nearest ground.
    pub lengths: [Option<f64>; 2],
    /// Why the second mesh has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl PathChange {
    /// By how much it grew, percent; negative where it is shorter.
    pub fn growth_percent(&self) -> Option<f64> {
        let [was, is] = self.lengths;
        Some((is? / was.filter(|was| *was > 0.0)? - 1.0) * 100.0)
    }
}

/// Random places, half of them on the first mesh and half on the second, uniform by area; half of those on one island. `chance` gives numbers from 0 to
/// below 1.
pub fn sample_pairs(sides: &[DiffSide; 2], count: usize, chance: &mut impl FnMut() -> f32) -> Vec<PathPair> {
    let pair = |i: usize| {
        let DiffSide { mesh, filter, .. } = sides[i % 2];
        let island = |at: &NavPoint| mesh.polygon(at.polygon).island;
        let from = random_point(mesh, filter, chance)?;
        let mut to = random_point(mesh, filter, chance)?;
        // Every other pair of a mesh lies on one island, as far as a few tries find such.
        for _ in 0..MAX_TRIES {
            if i % 4 < 2 || island(&from) == island(&to) {
                break;
            }
            to = random_point(mesh, filter, chance)?;
        }
        Some(PathPair { from: mesh.world(from.point), to: mesh.world(to.point) })
    };
    (0..count).filter_map(pair).collect()
}

/// Tries paths on both meshes, in parallel; the result has their order.
pub fn compare_paths(sides: &[DiffSide; 2], pairs: &[PathPair]) -> Vec<PathChange> {
    let contexts = || [PlannerContext::default(), PlannerContext::default()];
    pairs.par_iter().map_init(contexts, |contexts, ends| change(sides, contexts, *ends)).collect()
}

/// A path on one mesh.
struct Attempt {
    length: Option<f64>,
    /// Why there is none.
    reason: Option<String>,
}

fn change(sides: &[DiffSide; 2], contexts: &mut [PlannerContext; 2], ends: PathPair) -> PathChange {
    let [before, after] = contexts;
    let (was, is) = (attempt(&sides[0], before, ends), attempt(&sides[1], after, ends));
    let lengths = [was.length, is.length];
    let fate = match lengths {
        [Some(was), Some(is)] if (was - is).abs() <= SAME_METRES.max(SAME_SHARE * was) => PathFate::Same,
        [Some(was), Some(is)] if is > was => PathFate::Longer,
        [Some(_), Some(_)] => PathFate::Shorter,
        [Some(_), None] => PathFate::Impossible,
        [None, Some(_)] => PathFate::Possible,
        [None, None] => PathFate::Never,
    };
    PathChange { fate, ends, lengths, reason: is.reason }
}

fn attempt(side: &DiffSide, context: &mut PlannerContext, ends: PathPair) -> Attempt {
    let DiffSide { mesh, links, filter, planner, radius } = *side;
    // With the way to the nearest ground, in plan: the loss of the ground under an end makes no path shorter.
    let on = |place: DVec3| -> Option<(NavPoint, f64)> {
        let near = nearest(mesh, mesh.local(place), &SearchExtents::default(), filter)?.nav_point();
        Some((near, (mesh.world(near.point) - place).xz().length()))
    };
    let off = |reason: &str| Attempt { length: None, reason: Some(reason.into()) };
    let Some((start, to_start)) = on(ends.from) else { return off("its begin is off the mesh") };
    let Some((end, from_end)) = on(ends.to) else { return off("its end is off the mesh") };
    let query = Query { radius, links: Some(links), skip_polygons: true, ..Query::new(start, end, filter) };
    let found = planner.find(context, mesh, &query);
    let reason = found.reason.map(|reason| reason.to_string());
    Attempt { length: reason.is_none().then_some(to_start + found.length + from_end), reason }
}
