//! Keeps paths over the navigation mesh valid while characters are pushed, targets move and the mesh changes.

use crate::math::plan::to_plan;
use crate::math::triangle::closest_point_on_segment;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::query::raycast::raycast;
use crate::sim::character::CharacterState;
use crate::sim::derived::nav_mesh::locate;
use crate::sim::instance::{InstanceState, NavStatus};
use glam::Vec3;

/// Distance from its path at which a character repairs it, in radii.
const MAX_DEVIATION: f32 = 1.5;
/// Share of a leg that has to be free; the rest is rounding.
const MIN_FREE_SHARE: f32 = 1.0 - 1e-3;
/// Movement of a target after which a path is searched again, metres.
const MAX_GOAL_DRIFT: f32 = 3.0;
/// The same as a share of the path's length; adds to [`MAX_GOAL_DRIFT`].
const MAX_GOAL_DRIFT_SHARE: f32 = 0.3;

/// Whether a straight line leads over the mesh from one place to another, both in world space.
fn is_straight_free(mesh: &NavMesh, from: Vec3, to: Vec3) -> bool {
    let filter = Filter::default();
    let Some(from) = locate(mesh, from, &filter) else { return false };
    let Some(to) = locate(mesh, to, &filter) else { return false };
    raycast(mesh, from, to.point, &filter, |_| {}).share >= MIN_FREE_SHARE
}

/// Repairs the path of a character that was pushed off it: it goes straight to the next point where it can, and
/// requests a new path where it cannot.
pub fn repair_path(instance: &InstanceState, character: &mut CharacterState, mesh: &NavMesh) {
    let (Some(next), true) =
        (instance.path.first(), instance.nav == NavStatus::Walking && instance.traversal.is_none())
    else {
        return;
    };
    let at = instance.now.position;
    let on_path = closest_point_on_segment(character.nav.leg_start, *next, at);
    if to_plan(on_path).distance(to_plan(at)) <= MAX_DEVIATION * character.size.radius {
        return;
    }
    character.nav.wants_path |= !is_straight_free(mesh, at, *next);
    character.nav.leg_start = at;
}

/// Extends a path to a target that has moved: its last leg, which is never a link, is turned there, or another one is added.
/// Returns whether that could be done; the caller sets the last point.
pub fn extend_to_goal(
    instance: &mut InstanceState,
    character: &mut CharacterState,
    goal: Vec3,
    mesh: &NavMesh,
) -> bool {
    let Some(&last) = instance.path.last() else { return false };
    character.nav.goal_drift += last.distance(goal);
    let left = instance.distance_left.unwrap_or(0.0);
    if character.nav.goal_drift > MAX_GOAL_DRIFT + MAX_GOAL_DRIFT_SHARE * left {
        return false;
    }
    let from = instance.path.len().checked_sub(2).map_or(instance.now.position, |i| instance.path[i]);
    if is_straight_free(mesh, from, goal) {
        return true;
    }
    let is_free = is_straight_free(mesh, last, goal);
    if is_free {
        instance.path.push(goal);
        instance.links_ahead.iter_mut().for_each(|link| link.points_left += 1);
        character.nav.unsmoothed += usize::from(character.nav.unsmoothed > 0);
    }
    is_free
}

/// Whether the whole path of a character still leads over the mesh.
pub fn is_path_valid(instance: &InstanceState, mesh: &NavMesh) -> bool {
    let begin = instance.traversal.is_none().then_some(instance.now.position);
    let points: Vec<Vec3> = begin.into_iter().chain(instance.path.iter().copied()).collect();
    let last = points.len().saturating_sub(1);
    points.windows(2).enumerate().all(|(i, leg)| {
        // The target may stand beside the mesh; off-mesh links are tested when they are reached.
        let is_link = instance.links_ahead.iter().any(|link| link.points_left == points.len() - i);
        is_link || i + 1 == last && !is_on(mesh, leg[1]) || is_straight_free(mesh, leg[0], leg[1])
    })
}

/// Whether a place in world space lies over the mesh.
fn is_on(mesh: &NavMesh, point: Vec3) -> bool {
    locate(mesh, point, &Filter::default())
        .is_some_and(|NavPoint { point: p, .. }| to_plan(p).distance(to_plan(mesh.local(point.as_dvec3()))) < 1e-3)
}
