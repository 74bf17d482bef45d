//! Ways over the scene's navigation mesh, by the planner that the scene names.

use super::links::Leap;
use super::navigate::{fail, set_out};
use super::world::{Live, World};
use crate::nav::cover::Biases;
use crate::nav::ground::GroundNode;
use crate::nav::mesh::links::Links;
use crate::nav::mesh::{Filter, NavMesh, PolyId};
use crate::nav::planner::{Found, Planner, Query, Tactics};
use crate::nav::query::nearest::{Reach, nearest};
use crate::scene::SceneNav;
use crate::scene::nav::MeshSource;
use glam::Vec3;

/// The room that somebody wants beside walls, as a part of the radius.
const ELBOW_ROOM: f32 = 1.2;

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
        if body.nav.known_apart == Some(islands) {
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
                body.nav.known_apart = Some(islands);
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
