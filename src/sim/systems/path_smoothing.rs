//! Smooths paths over the mesh a little ahead of their characters: keeps them off walls and rounds their corners.
//!
//! Most paths are never walked to their end, because targets move and doors open. A path is therefore found in haste
//! first, and its next metres are smoothed when the character comes near, in turns when many set out at once. Smoothed
//! parts meet in the middles of straight legs.

use super::path_progress::remeasure;
use crate::nav::mesh::{Filter, NavMesh};
use crate::nav::planner::{Planner, Query};
use crate::nav::query::smooth::lay_end;
use crate::scene::SceneNav;
use crate::scene::nav::Bends;
use crate::sim::character::CharacterState;
use crate::sim::derived::nav_mesh::locate;
use crate::sim::instance::{InstanceState, NavStatus};
use crate::sim::instance_arrays::InstanceArrays;
use crate::sim::system_state::{NavigationState, PathScratch};
use glam::Vec3;

/// Length that is kept off walls at a time, metres at scale 1.
const CLEARED_LENGTH: f32 = 10.0;
/// Length of it that is rounded, metres at scale 1.
const SMOOTHED_LENGTH: f32 = 4.0;
/// Legs longer than this have room for the bends at both of their ends, in turn radii.
const MIN_LEG_TURNS: f32 = 3.0;
/// Number of smoothed points left at which smoothing goes on.
const LAST_POINTS: usize = 2;
/// Paths that are smoothed in a step.
const MAX_PER_STEP: usize = 48;
/// Distance between the points of a spline, metres at scale 1.
const SPLINE_SPACING: f32 = 0.25;

/// How a path is smoothed, on which mesh.
#[derive(Clone, Copy)]
struct SmoothingParams<'a> {
    mesh: &'a NavMesh,
    /// Polygons that may be walked on.
    filter: &'a Filter,
    bends: Bends,
    /// Radius of arcs, metres at scale 1.
    turn_radius: f32,
}

/// A stretch of a path to smooth.
struct Stretch<'a> {
    /// Where it begins, world space.
    from: Vec3,
    /// Its further points, in the mesh's space.
    line: &'a [Vec3],
    /// Whether the path goes on behind its end.
    is_open: bool,
    /// Distance that it keeps from walls, metres.
    clearance: f32,
    /// Scale of the character.
    scale: f32,
}

/// A stretch after smoothing: points in world space without the first one.
struct SmoothedStretch {
    points: Vec<Vec3>,
    /// Number of points at the front that are smoothed.
    smoothed: usize,
}

/// Smooths the paths of characters that come to where theirs are not smoothed yet, in turns.
/// `navigating` are the positions in the arrays of those that have one, ascending.
pub fn smooth_paths(
    state: &mut NavigationState,
    instances: &mut InstanceArrays,
    navigating: &[usize],
    mesh: &NavMesh,
    nav: &SceneNav,
) {
    let (before, after) = navigating.split_at(navigating.partition_point(|&i| i < state.next_to_smooth));
    let params = SmoothingParams { mesh, filter: &nav.filter(), bends: nav.bends, turn_radius: nav.turn_radius };
    let mut left = MAX_PER_STEP;
    for &i in after.iter().chain(before) {
        if left == 0 {
            state.next_to_smooth = i;
            return;
        }
        let (instance, character) = instances.at_mut(i);
        left -= usize::from(smooth_ahead(instance, character, &params, &mut state.scratch));
    }
}

/// Smooths a path further when its character comes to where it is not smoothed yet. Returns whether there was something
/// to do.
fn smooth_ahead(
    instance: &mut InstanceState,
    character: &mut CharacterState,
    params: &SmoothingParams<'_>,
    scratch: &mut PathScratch,
) -> bool {
    let (scale, nav) = (character.scale(), &mut character.nav);
    nav.unsmoothed = nav.unsmoothed.min(instance.path.len());
    let front = instance.path.len() - nav.unsmoothed;
    let walks = instance.nav == NavStatus::Walking && instance.traversal.is_none();
    // One link at a time: the path beyond it waits.
    let link = instance.points_before_link();
    if nav.unsmoothed == 0 || front > LAST_POINTS || !walks || link < front {
        return false;
    }
    let from = front.checked_sub(1).map_or(instance.now.position.with_y(character.ground_height), |i| instance.path[i]);
    let end = link.saturating_add(1).min(instance.path.len());
    let mut length = 0.0;
    let mut legs = std::iter::once(&from).chain(&instance.path[front..end]).zip(&instance.path[front..end]);
    let far = legs.position(|(a, b)| {
        length += a.distance(*b);
        length > CLEARED_LENGTH * scale
    });
    let covered = far.map_or(end - front, |i| i + 1);
    let is_open = front + covered < end;
    let goal = instance.path[front + covered - 1];
    let line: Vec<Vec3> =
        instance.path[front..front + covered].iter().map(|p| params.mesh.local(p.as_dvec3())).collect();
    let stretch = Stretch { from, line: &line, is_open, clearance: nav.clearance, scale };
    let Some(SmoothedStretch { mut points, smoothed }) = smooth(&stretch, params, scratch) else {
        nav.unsmoothed -= covered;
        return true;
    };
    if let (false, Some(last)) = (is_open, points.last_mut()) {
        // The target may stand beside the mesh, and a link begins where it does.
        *last = goal;
    }
    nav.unsmoothed = nav.unsmoothed - covered + points.len() - smoothed;
    instance.path.splice(front..front + covered, points);
    nav.cleared = nav.cleared.min(front);
    remeasure(instance, nav);
    true
}

/// Keeps a stretch off walls and rounds its beginning. `None` when it does not begin on the mesh.
fn smooth(stretch: &Stretch<'_>, params: &SmoothingParams<'_>, scratch: &mut PathScratch) -> Option<SmoothedStretch> {
    let SmoothingParams { mesh, filter, bends, .. } = *params;
    let from = locate(mesh, stretch.from, filter)?;
    let end = locate(mesh, mesh.world(*stretch.line.last()?).as_vec3(), filter)?;
    let mut points = Vec::with_capacity(stretch.line.len() + 1);
    if stretch.clearance > 0.0 {
        let query = Query { radius: stretch.clearance, skip_polygons: true, ..Query::new(from, end, filter) };
        points = Planner::Funnel.find(&mut scratch.planning, mesh, &query).points;
    }
    if points.is_empty() {
        points.push(from.point);
        points.extend_from_slice(stretch.line);
        points.pop();
        points.push(end.point);
    }
    let turn_radius = params.turn_radius * stretch.scale;
    let (window, covered) = window_to_round(&points, stretch.is_open, turn_radius, stretch.scale);
    let mut rounded = Vec::new();
    match bends {
        Bends::Arcs => scratch.smoother.round(mesh, from.polygon, &window, filter, turn_radius, &mut rounded),
        Bends::Spline => {
            let spacing = SPLINE_SPACING * stretch.scale;
            scratch.spline.draw(mesh, from.polygon, &window, filter, spacing, &mut rounded);
        }
    }
    if covered < points.len() {
        lay_end(mesh, from.polygon, &mut rounded, filter);
    }
    let smoothed = rounded.len() - 1;
    let points = rounded.iter().skip(1).chain(&points[covered..]).map(|p| mesh.world(*p).as_vec3()).collect();
    Some(SmoothedStretch { points, smoothed })
}

/// The front of a line that is rounded now, which may end in the middle of a leg, and how many of the line's points it
/// covers. A line that is open goes on behind its end, which is therefore no place to end.
fn window_to_round(line: &[Vec3], is_open: bool, turn_radius: f32, scale: f32) -> (Vec<Vec3>, usize) {
    let (mut length, last) = (0.0, line.len().saturating_sub(2));
    for (i, leg) in line.windows(2).enumerate() {
        let leg_length = leg[0].distance(leg[1]);
        let is_long = leg_length > MIN_LEG_TURNS * turn_radius || length > 2.0 * SMOOTHED_LENGTH * scale;
        if if i == last { is_open } else { length > SMOOTHED_LENGTH * scale && is_long } {
            let mut part = line[..=i].to_vec();
            part.push(leg[0].midpoint(leg[1]));
            return (part, i + 1);
        }
        length += leg_length;
    }
    (line.to_vec(), line.len())
}
