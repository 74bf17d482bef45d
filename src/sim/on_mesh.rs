//! Ways over the scene's navigation mesh, by the planner that the scene names.

use super::navigate::{fail, set_out};
use super::world::World;
use crate::nav::ground::GroundNode;
use crate::nav::mesh::{Filter, NavMesh, PolyId};
use crate::nav::planner::{Planner, Query};
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
        let Some(mesh) = self.mesh.current().cloned() else {
            let reason = match self.mesh.error() {
                Some(error) => format!("there is no navigation mesh: {error}"),
                None if self.mesh.is_building() => return None,
                None => format!("the planner '{}' needs a navigation mesh; bake one", planner.name),
            };
            fail(live, body, self.steps, reason);
            return None;
        };
        let mesh = &*mesh;
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
        let (tactics, links) = (None, None);
        let points_alone = true;
        let query = Query { start, end, start_poly, end_poly, filter: &filter, radius, tactics, links, points_alone };
        let mut found = planner.find(&mut self.planning, mesh, &query);
        let mut expanded = found.expanded;
        if found.reason.is_some() && radius > 0.0 && islands.0 == islands.1 {
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
        let mut round = Vec::new();
        self.smoother.round(mesh, start_poly, &found.points, &filter, turn_radius, &mut round);
        live.path.clear();
        live.path.extend(round.iter().skip(1).map(|p| mesh.world(*p).as_vec3()));
        // The last point is the target itself, which may stand beside the mesh.
        if let Some(last) = live.path.last_mut() {
            *last = goal;
        }
        body.nav.triangles.clear();
        set_out(live, &mut body.nav, goal, goal_node, self.steps);
        Some(expanded)
    }
}
