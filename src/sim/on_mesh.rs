//! Ways over the scene's navigation mesh, by the planner that the scene names.

use super::body::Body;
use super::links::Leap;
use super::navigate::{fail, set_out};
use super::world::{Live, NavStatus, World};
use crate::math::flat;
use crate::math::triangle::closest_point_on_segment;
use crate::nav::cover::Biases;
use crate::nav::ground::GroundNode;
use crate::nav::mesh::links::Links;
use crate::nav::mesh::{Filter, NavMesh, PolyId};
use crate::nav::planner::{Found, Planner, Query, Tactics};
use crate::nav::query::nearest::{Reach, nearest};
use crate::nav::query::raycast::raycast;
use crate::scene::SceneNav;
use crate::scene::nav::MeshSource;
use glam::Vec3;
use std::collections::BTreeSet;

/// The room that somebody wants beside walls, as a part of the radius.
const ELBOW_ROOM: f32 = 1.2;

/// How far a walker may be pushed aside before it mends its way, in radii.
const ASIDE: f32 = 1.5;
/// Share of a leg that has to be free; the rest is rounding.
const WHOLE: f32 = 1.0 - 1e-3;
/// How far a target may move in all before a way that was led on is searched again: metres, and share of what is left.
const DRIFT: (f32, f32) = (3.0, 0.3);

/// The place on a mesh of somebody who stands at `point` in the world.
pub fn place(mesh: &NavMesh, point: Vec3, filter: &Filter) -> Option<(PolyId, Vec3)> {
    nearest(mesh, mesh.local(point.as_dvec3()), &Reach::default(), filter).map(|n| (n.polygon, n.point))
}

/// Distance from walls that a mesh keeps by itself, metres.
pub fn eroded(nav: &SceneNav) -> f32 {
    if nav.mesh == MeshSource::Baked { nav.bake.agent_radius } else { 0.0 }
}

impl World {
    /// Finds a way over the mesh to where the target stands; says how many nodes that took, if a search was made.
    pub(super) fn search_on_mesh(
        &mut self,
        i: usize,
        planner: &'static Planner,
        (goal, goal_node): (Vec3, Option<GroundNode>),
        nav: &SceneNav,
    ) -> Option<u32> {
        let (live, body) = (&mut self.live[i], &mut self.bodies[i]);
        let Some(shared) = self.mesh.current().cloned() else {
            let reason = match self.mesh.error() {
                Some(error) => format!("there is no navigation mesh: {error}"),
                None if self.mesh.is_building() => return None,
                None => format!("the planner '{}' needs a navigation mesh; bake one", planner.name),
            };
            fail(live, body, self.steps, reason);
            return None;
        };
        let mesh = &*shared;
        let filter = Filter::default();
        let ends = place(mesh, live.now.position.with_y(body.floor), &filter).zip(place(mesh, goal, &filter));
        let Some(((start_poly, start), (end_poly, end))) = ends else {
            fail(live, body, self.steps, "it or its target is off the navigation mesh".into());
            return None;
        };
        let islands = (mesh.polygon(start_poly).component, mesh.polygon(end_poly).component);
        if self.apart.0 != planner.name {
            // Another planner may take links that this one does not.
            self.apart = (planner.name, BTreeSet::new());
        }
        if self.apart.1.contains(&islands) {
            let reason = format!("no way leads from island {} to island {} of the mesh", islands.0, islands.1);
            fail(live, body, self.steps, reason);
            return None;
        }
        self.searches += 1;
        let room = (body.size.radius * ELBOW_ROOM - eroded(nav)).max(0.0);
        let radius = if planner.any_radius { room } else { 0.0 };
        let links = self.mesh.links().cloned();
        let links = links.as_deref();
        let threats = self.probe.threats().map(|t| &**t);
        let biases = Biases { exposure: nav.bias, ..Biases::default() };
        let tactics = Some(Tactics { threats, markup: None, biases: &biases });
        let points_alone = true;
        let query = Query { start, end, start_poly, end_poly, filter: &filter, radius, tactics, links, points_alone };
        if self.mesh.is_in_background() {
            self.planning.share(&shared);
        }
        let mut found = planner.find(&mut self.planning, mesh, &query);
        let mut expanded = found.expanded;
        if found.reason.is_some() && radius > 0.0 {
            // Bodies make themselves slim where it gets narrow.
            found = planner.find(&mut self.planning, mesh, &Query { radius: 0.0, ..query });
            expanded += found.expanded;
        }
        if let Some(reason) = found.reason {
            if islands.0 != islands.1 {
                self.apart.1.insert(islands);
            }
            fail(live, body, self.steps, reason);
            return Some(expanded);
        }
        let turn_radius = nav.turn_radius * body.scale();
        lay_way(live, mesh, &found, links, |points, polygon, out| {
            self.smoother.round(mesh, polygon.unwrap_or(start_poly), points, &filter, turn_radius, out);
        });
        // The last point is the target itself, which may stand beside the mesh; a link ends where it does.
        let lands_last = live.leaps.last().is_some_and(|leap| leap.left == 2);
        match live.path.last_mut() {
            Some(last) if !lands_last => *last = goal,
            _ => {
                live.path.push(goal);
                live.leaps.iter_mut().for_each(|leap| leap.left += 1);
            }
        }
        body.nav.triangles.clear();
        set_out(live, &mut body.nav, goal, goal_node, self.steps);
        Some(expanded)
    }
}

/// Lays the way of a walker along what a planner found: stretch by stretch, each made by `round`, which gets the
/// polygon that it begins in unless it is the first, and links between.
fn lay_way(
    live: &mut Live,
    mesh: &NavMesh,
    found: &Found,
    links: Option<&Links>,
    mut round: impl FnMut(&[Vec3], Option<PolyId>, &mut Vec<Vec3>),
) {
    live.path.clear();
    live.leaps.clear();
    let (mut begin, mut polygon, mut stretch) = (0, None, Vec::new());
    let taken = |&(at, exit)| links.map(|l| (at, l.taken(exit)));
    for link in found.links.iter().filter_map(taken).map(Some).chain([None]) {
        let end = link.map_or(found.points.len(), |(at, _)| at + 1);
        round(&found.points[begin..end], polygon, &mut stretch);
        // The walker stands at the first point of all.
        let skipped = usize::from(begin == 0 && stretch.len() > 1);
        live.path.extend(stretch.iter().skip(skipped).map(|p| mesh.world(*p).as_vec3()));
        if let Some((at, link)) = link {
            let end = mesh.world(link.end).as_vec3();
            live.leaps.push(Leap { left: live.path.len() - 1, end, kind: link.kind });
            (begin, polygon) = (at + 1, Some(link.to));
        }
    }
    live.leaps.iter_mut().for_each(|leap| leap.left = live.path.len() - leap.left);
}

/// Whether one can go straight from a place on the mesh to another, both in the world.
fn is_free(mesh: &NavMesh, from: Vec3, to: Vec3) -> bool {
    let filter = Filter::default();
    let Some((polygon, at)) = place(mesh, from, &filter) else { return false };
    let Some((_, end)) = place(mesh, to, &filter) else { return false };
    raycast(mesh, (polygon, at), end, &filter, |_| {}).share >= WHOLE
}

/// Mends the way of a walker that was pushed off it: it goes straight to the next point where it can, and asks for a
/// new way where it cannot.
pub(super) fn mend_way(live: &Live, body: &mut Body, mesh: &NavMesh) {
    let (Some(next), true) = (live.path.first(), live.nav == NavStatus::Walking && live.crossing.is_none()) else {
        return;
    };
    let at = live.now.position;
    let on_way = closest_point_on_segment(body.nav.leg_from, *next, at);
    if flat(on_way).distance(flat(at)) <= ASIDE * body.size.radius {
        return;
    }
    body.nav.wants_path |= !is_free(mesh, at, *next);
    body.nav.leg_from = at;
}

/// Leads a way on to a target that has moved: its last leg is turned there, or lengthened. Says whether that could be
/// done; the last point is for the caller to set.
pub(super) fn lead_on(live: &mut Live, body: &mut Body, goal: Vec3, mesh: &NavMesh) -> bool {
    let Some(&last) = live.path.last() else { return false };
    body.nav.drift += last.distance(goal);
    if body.nav.drift > DRIFT.0 + DRIFT.1 * live.distance_left.unwrap_or(0.0) {
        return false;
    }
    let from = live.path.len().checked_sub(2).map_or(live.now.position, |i| live.path[i]);
    if live.leaps.last().is_none_or(|leap| leap.left != live.path.len() + 1) && is_free(mesh, from, goal) {
        return true;
    }
    let free = is_free(mesh, last, goal);
    if free {
        live.path.push(goal);
        live.leaps.iter_mut().for_each(|leap| leap.left += 1);
    }
    free
}

/// Whether the whole way of a walker still leads over the mesh.
pub(super) fn is_way_whole(live: &Live, mesh: &NavMesh) -> bool {
    let begin = live.crossing.is_none().then_some(live.now.position);
    let points: Vec<Vec3> = begin.into_iter().chain(live.path.iter().copied()).collect();
    let last = points.len().saturating_sub(1);
    points.windows(2).enumerate().all(|(i, leg)| {
        // The target may stand beside the mesh; links are looked at when one comes to them.
        let leaps = live.leaps.iter().any(|leap| leap.left == points.len() - i);
        leaps || i + 1 == last && !on(mesh, leg[1]) || is_free(mesh, leg[0], leg[1])
    })
}

fn on(mesh: &NavMesh, point: Vec3) -> bool {
    let filter = Filter::default();
    place(mesh, point, &filter).is_some_and(|(_, p)| flat(p).distance(flat(mesh.local(point.as_dvec3()))) < 1e-3)
}
