//! Paths on two meshes between the same places.

use glam::{DVec3, Vec3Swizzles};
use rayon::prelude::*;
use serde::Serialize;

use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::planner::{Planner, PlannerContext, Query, find_all};
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
    let mut contexts: Vec<PlannerContext> =
        (0..rayon::current_num_threads()).map(|_| PlannerContext::default()).collect();
    let [before, after] = sides.map(|side| try_paths(&side, &mut contexts, pairs));
    pairs.iter().zip(before.into_iter().zip(after)).map(|(&ends, (was, is))| change(ends, was, is)).collect()
}

/// A path on one mesh.
struct Attempt {
    length: Option<f64>,
    /// Why there is none.
    reason: Option<String>,
}

fn change(ends: PathPair, was: Attempt, is: Attempt) -> PathChange {
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

/// A path to try, and the way in plan between its ends and where they are asked for, metres.
struct PlacedQuery<'a> {
    query: Query<'a>,
    beside: f64,
}

/// Tries all paths on one mesh; contexts share what planners prepare of it.
fn try_paths(side: &DiffSide, contexts: &mut [PlannerContext], pairs: &[PathPair]) -> Vec<Attempt> {
    let placed: Vec<Result<PlacedQuery, &str>> = pairs.par_iter().map(|ends| place(side, ends)).collect();
    let queries: Vec<Query> = placed.iter().flatten().map(|placed| placed.query).collect();
    let mut found = find_all(contexts, side.planner, side.mesh, &queries).into_iter();
    let attempt = |placed: Result<PlacedQuery, &str>| match placed {
        Err(reason) => Attempt { length: None, reason: Some(reason.into()) },
        Ok(PlacedQuery { beside, .. }) => {
            let found = found.next().unwrap_or_default();
            let reason = found.reason.map(|reason| reason.to_string());
            Attempt { length: reason.is_none().then_some(found.length + beside), reason }
        }
    };
    placed.into_iter().map(attempt).collect()
}

/// The query of a path on a mesh, with the way to the nearest ground, in plan: the loss of the ground under an end makes no
/// path shorter.
fn place<'a>(side: &DiffSide<'a>, ends: &PathPair) -> Result<PlacedQuery<'a>, &'static str> {
    let DiffSide { mesh, links, filter, radius, .. } = *side;
    let on = |place: DVec3| -> Option<(NavPoint, f64)> {
        let near = nearest(mesh, mesh.local(place), &SearchExtents::default(), filter)?.nav_point();
        Some((near, (mesh.world(near.point) - place).xz().length()))
    };
    let (start, to_start) = on(ends.from).ok_or("its begin is off the mesh")?;
    let (end, from_end) = on(ends.to).ok_or("its end is off the mesh")?;
    let query = Query { radius, links: Some(links), skip_polygons: true, ..Query::new(start, end, filter) };
    Ok(PlacedQuery { query, beside: to_start + from_end })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture;

    #[test]
    fn threads_share_the_index_of_corners() {
        let mesh = fixture::random_mesh(7, 24, 0.3).validate().unwrap();
        let (filter, links) = (Filter::default(), OffMeshLinks::default());
        let side = DiffSide { mesh: &mesh, links: &links, filter: &filter, planner: Planner::ExactIndex, radius: 0.0 };
        let pairs = sample_pairs(&[side, side], 300, &mut fixture::chance(3));
        let mut contexts: Vec<PlannerContext> = (0..4).map(|_| PlannerContext::default()).collect();
        let shared = try_paths(&side, &mut contexts, &pairs);
        assert!(contexts[1..].iter().all(|context| context.shares_index(&contexts[0])));
        let alone = try_paths(&side, &mut [PlannerContext::default()], &pairs);
        assert!(shared.iter().zip(&alone).all(|(a, b)| (a.length, &a.reason) == (b.length, &b.reason)));
        assert!(shared.iter().any(|a| a.length.is_some()) && shared.iter().any(|a| a.length.is_none()));
        let changes = compare_paths(&[side, side], &pairs);
        assert!(changes.iter().all(|change| matches!(change.fate, PathFate::Same | PathFate::Never)));
    }
}
