//! Walks to targets: who wants a path, who gets one in this step, who has arrived, who is stuck.
//!
//! A path is searched when there is none, when the target has come to stand on another part of the ground, when
//! the walker has left the triangles of its path, or when it is stuck. Searches wait in a queue with a budget per
//! step; islands that are known not to be connected are never searched again.

use super::body::{Body, Girth, Navigation};
use super::event::EventKind;
use super::level::Level;
use super::on_mesh::{lead_on, mend_way};
use super::presence::Role;
use super::world::{Live, NavStatus, World};
use crate::collide::settings::BodySize;
use crate::math::plan::to_plan;
use crate::math::triangle::closest_point_on_segment;
use crate::nav::follow::way_length;
use crate::nav::ground::GroundNode;
use crate::nav::mesh::NavMesh;
use crate::nav::path::{NoPath, walk_line};
use crate::prefetch;
use crate::scene::{NavSettings, SceneNav};
use glam::Vec3;
use std::f32::consts::TAU;

/// How far ahead the list of walkers is read, see [`prefetch`].
const SOON: usize = 8;
/// Most searches per step.
const SEARCHES_PER_STEP: u32 = 16;
/// Nodes after whose expansion no further search begins in a step.
const EXPANSIONS_PER_STEP: u32 = 4000;
/// How far a walker may be pushed aside before it asks for a new path, in radii.
const ASIDE: f32 = 2.5;
/// First wait after a failure, steps; doubles with each further one.
const FIRST_WAIT: u64 = 60;
/// Longest wait after failures, steps.
const LONGEST_WAIT: u64 = 3600;
/// Steps without progress after which a walker is stuck.
const PATIENCE: u64 = 120;
/// How much more patience one has in a crowd on a mesh.
const IN_A_CROWD: u64 = 5;
/// Times stuck in a row after which a walker rests.
const STUCK_LIMIT: u32 = 5;
/// Distance to the target at which the first ones stop, in metres at scale 1.
const FIRST_RING: f32 = 0.8;
/// Distance between rings, and room for one person along a ring, in metres at scale 1.
const RING_ROOM: f32 = 0.75;
/// How much further than its place a target must move before its visitors set out again, metres at scale 1.
const LEAVE_SLACK: f32 = 0.75;

/// Distance at which the person after `count` others stops at a target, metres at scale 1: rings around it.
fn arrival_distance(count: u32) -> f32 {
    let (mut radius, mut left) = (FIRST_RING, count);
    loop {
        let places = (TAU * radius / RING_ROOM) as u32;
        if left < places {
            return radius;
        }
        left -= places;
        radius += RING_ROOM;
    }
}

impl World {
    /// One step of everyone's navigation.
    pub(super) fn navigate(&mut self, settings: &NavSettings, nav: &SceneNav) {
        let Some(level) = self.level.clone() else {
            let reason = || NavStatus::Failed("the scene has no level to walk on".into());
            for (live, body) in self.live.iter_mut().zip(&self.bodies) {
                let asked = settings.enabled && body.has_errand() && body.nav.target.is_some();
                match (asked && self.level_sources.is_some(), &live.nav) {
                    (true, NavStatus::Failed(_)) | (false, NavStatus::Off) => {}
                    (true, _) => live.nav = reason(),
                    (false, _) => live.nav = NavStatus::Off,
                }
            }
            return;
        };
        self.locate_targets(&level);
        let mesh = self.mesh_of_walkers(nav);
        let mut wanted = false;
        let walkers: Vec<usize> = (0..self.live.len()).filter(|&i| self.presences[i].on_errand).collect();
        for (k, &i) in walkers.iter().enumerate() {
            if let Some(&soon) = walkers.get(k + SOON) {
                prefetch::value(&self.live[soon].nav);
                prefetch::value(&self.bodies[soon].nav);
            }
            self.supervise(i, settings.enabled, &level, mesh.as_deref());
            wanted |= self.bodies[i].nav.wants_path;
        }
        if !nav.planner.needs_mesh() {
            if wanted {
                self.serve_queue(&level);
            }
        } else {
            if wanted {
                self.serve_on_mesh(nav.planner, nav);
            }
            mesh.iter().for_each(|mesh| self.round_ways(mesh, nav));
        }
        for i in walkers {
            self.presences[i].stirred |= !self.bodies[i].raised.is_empty();
        }
    }

    /// Keeps the ground node of everything that is someone's target, and how many stand around it.
    fn locate_targets(&mut self, level: &Level) {
        self.arrivals.clear();
        self.arrivals.resize(self.live.len(), 0);
        for i in (0..self.bodies.len()).filter(|&i| self.presences[i].on_errand) {
            let Some(target) = self.bodies[i].nav.target.map(|t| t as usize) else { continue };
            if self.live[i].nav == NavStatus::Arrived {
                self.arrivals[target] += 1;
            }
            locate(level, &self.live[target], &mut self.bodies[target]);
        }
    }

    /// Moves the state of one instance's navigation on.
    fn supervise(&mut self, i: usize, enabled: bool, level: &Level, mesh: Option<&NavMesh>) {
        let body = &self.bodies[i];
        let target = body.nav.target.map(|t| t as usize).filter(|_| enabled && body.has_errand());
        let Some(target) = target.filter(|_| body.looks.role == Role::Character) else {
            if self.live[i].nav != NavStatus::Off {
                self.bodies[i].reset_navigation();
                let live = &mut self.live[i];
                (live.nav, live.distance_left) = (NavStatus::Off, None);
                live.path.clear();
            }
            return;
        };
        if target == i {
            self.live[i].nav = NavStatus::Failed("it is its own target".into());
            return;
        }
        let goal = self.live[target].now.position;
        let goal_node = self.bodies[target].node.0;
        let visitors = self.arrivals[target];
        let (live, body) = (&mut self.live[i], &mut self.bodies[i]);
        match live.nav {
            NavStatus::Off => {
                live.nav = NavStatus::Waiting;
                body.nav.wants_path = true;
            }
            NavStatus::Arrived => stay(live, body, goal),
            NavStatus::Walking => {
                follow_goal(live, body, goal, goal_node, mesh);
                if arrives(live, body, goal, visitors) {
                    self.arrivals[target] += 1;
                } else {
                    watch_progress(live, body, self.steps);
                }
            }
            NavStatus::Waiting | NavStatus::Failed(_) => {
                body.nav.wants_path = true;
                live.distance_left = None;
            }
        }
        match mesh {
            Some(mesh) => mend_way(live, body, mesh),
            None => note_own_ground(live, body, level),
        }
    }

    /// Gives paths over the level's triangles to those who want one, in turns, within the step's budget.
    fn serve_queue(&mut self, level: &Level) {
        let count = self.live.len();
        let (mut searches, mut expanded) = (0, 0);
        let first = self.next_in_queue;
        for k in 0..count {
            let i = (first + k) % count;
            if !self.wants_way(i) {
                continue;
            }
            if searches >= SEARCHES_PER_STEP || expanded >= EXPANSIONS_PER_STEP {
                self.next_in_queue = i;
                return;
            }
            let Some((goal, goal_node)) = self.goal_of(i) else { continue };
            locate(level, &self.live[i], &mut self.bodies[i]);
            if let Some(nodes) = self.search_on_ground(i, level, goal, goal_node) {
                searches += 1;
                expanded += nodes;
            }
        }
    }

    /// Whether an instance wants a way in this step and stands where one can begin.
    pub(super) fn wants_way(&self, i: usize) -> bool {
        let nav = &self.bodies[i].nav;
        nav.wants_path && self.steps >= nav.retry_at && self.live[i].on_ground
    }

    /// Where the target of an instance stands, and the ground node there.
    pub(super) fn goal_of(&self, i: usize) -> Option<(Vec3, Option<GroundNode>)> {
        let target = self.bodies[i].nav.target? as usize;
        Some((self.live[target].now.position, self.bodies[target].node.0))
    }

    /// Finds a way over the level's triangles.
    fn search_on_ground(&mut self, i: usize, level: &Level, goal: Vec3, goal_node: Option<GroundNode>) -> Option<u32> {
        let (live, body) = (&mut self.live[i], &mut self.bodies[i]);
        let Some(graph) = &level.original else { return None };
        let (start, goal_node) = match (body.node.0, goal_node) {
            (None, _) => {
                fail(live, body, self.steps, NoPath::StartOffGround.to_string());
                return None;
            }
            (_, None) => {
                fail(live, body, self.steps, NoPath::TargetOffGround.to_string());
                return None;
            }
            (Some(start), Some(goal)) => (start, goal),
        };
        let islands = (graph.component(start), graph.component(goal_node));
        if body.nav.known_apart == Some(islands) {
            return None;
        }
        self.searches += 1;
        let found: Result<Vec<GroundNode>, _> = self.finder.find_nodes(graph, start, goal_node).map(Iterator::collect);
        let expanded = self.finder.expanded();
        let nodes = match found {
            Ok(nodes) => nodes,
            Err(reason) => {
                if reason == NoPath::OtherIsland {
                    body.nav.known_apart = Some(islands);
                }
                fail(live, body, self.steps, reason.to_string());
                return Some(expanded);
            }
        };
        let margin = body.size.radius * 1.2;
        let from = live.now.position.with_y(body.floor);
        live.leaps.clear();
        live.path = walk_line(graph, from, goal, &nodes, margin);
        body.nav.rough = 0;
        if live.path.len() > 1 {
            live.path.remove(0);
        }
        body.nav.triangles.clear();
        body.nav.triangles.extend(nodes.iter().map(|&n| graph.triangle(n)));
        set_out(live, &mut body.nav, goal, Some(goal_node), self.steps);
        Some(expanded)
    }
}

/// Takes up a new path.
pub(super) fn set_out(live: &mut Live, nav: &mut Navigation, goal: Vec3, goal_node: Option<GroundNode>, step: u64) {
    let target_moved = goal != nav.target_seen;
    nav.target_node = goal_node;
    nav.target_seen = goal;
    nav.wants_path = false;
    nav.known_apart = None;
    nav.drift = 0.0;
    (nav.cleared, nav.looked_from) = (0, Vec3::INFINITY);
    nav.leg_from = live.now.position;
    nav.checked_triangle = live.ground_triangle;
    let left = live.distance_left;
    measure(live, nav);
    if target_moved {
        excuse(live, nav, left);
    }
    if live.nav != NavStatus::Walking {
        nav.best = (f32::INFINITY, step);
        live.nav = NavStatus::Walking;
    }
}

/// Measures a way again that has not become another one.
pub(super) fn remeasure(live: &mut Live, nav: &mut Navigation) {
    let left = live.distance_left;
    measure(live, nav);
    excuse(live, nav, left);
}

/// Length of the way beyond the next point, and of all of it.
fn measure(live: &mut Live, nav: &mut Navigation) {
    nav.beyond_next = live.path.split_first().map_or(0.0, |(first, rest)| way_length(*first, rest));
    live.distance_left = Some(left_of(live, nav));
}

/// Whoever has further to go than the `left` metres before because the target moved away is not stuck for that.
fn excuse(live: &Live, nav: &mut Navigation, left: Option<f32>) {
    nav.best.0 += (live.distance_left.unwrap_or(0.0) - left.unwrap_or(0.0)).max(0.0);
}

fn left_of(live: &Live, nav: &Navigation) -> f32 {
    live.path.first().map_or(0.0, |next| next.distance(live.now.position) + nav.beyond_next)
}

/// Finds the ground node under an instance, if it has moved since.
fn locate(level: &Level, live: &Live, body: &mut Body) {
    let p = live.now.position;
    if body.node.1 == p {
        return;
    }
    let reach = level.settings.step_height.max(0.5);
    let Some(graph) = &level.original else { return };
    let still_there =
        |n: &GroundNode| live.ground_triangle == Some(graph.triangle(*n)) && graph.covers(*n, to_plan(p), 0.0);
    if !body.node.0.as_ref().is_some_and(still_there) {
        body.node.0 = graph.nearest(p, reach, reach).or_else(|| live.ground_triangle.and_then(|t| graph.node_of(t)));
    }
    body.node.1 = p;
}

/// Keeps the end of the path at a target that moves, and asks for a new path when it has left its node.
fn follow_goal(live: &mut Live, body: &mut Body, goal: Vec3, goal_node: Option<GroundNode>, mesh: Option<&NavMesh>) {
    if goal != body.nav.target_seen {
        let bent = match mesh {
            Some(mesh) => lead_on(live, body, goal, mesh),
            None => goal_node == body.nav.target_node,
        };
        if bent {
            (body.nav.target_seen, body.nav.target_node) = (goal, goal_node);
            if let Some(last) = live.path.last_mut() {
                *last = goal;
            }
            remeasure(live, &mut body.nav);
        } else {
            body.nav.wants_path = true;
        }
    }
    live.distance_left = Some(left_of(live, &body.nav));
}

/// Whether a walker is at its target; if so it stops.
pub(super) fn arrives(live: &mut Live, body: &mut Body, goal: Vec3, visitors: u32) -> bool {
    let scale = body.scale();
    let stop = arrival_distance(visitors) * scale;
    let distance = to_plan(goal).distance(to_plan(live.now.position));
    let height = (goal.y - live.now.position.y).abs();
    let left = live.distance_left.unwrap_or(distance);
    if live.crossing.is_some()
        || distance > stop
        || height > BodySize::PERSON.height * scale
        || left > stop * 1.5 + 0.5 * scale
    {
        return false;
    }
    live.nav = NavStatus::Arrived;
    live.path.clear();
    live.distance_left = Some(distance);
    body.nav.triangles.clear();
    body.nav.wants_path = false;
    body.nav.failures = 0;
    body.nav.stopped_at = stop;
    body.raised.raise(EventKind::TargetReached);
    true
}

/// Stays at the target until that has moved away.
pub(super) fn stay(live: &mut Live, body: &mut Body, goal: Vec3) {
    let distance = to_plan(goal).distance(to_plan(live.now.position));
    live.distance_left = Some(distance);
    if distance > body.nav.stopped_at + LEAVE_SLACK * body.scale() {
        live.nav = NavStatus::Waiting;
        body.nav.wants_path = true;
        body.nav.retry_at = 0;
    }
}

/// Notices who makes no headway: new path, slim for a while; after some rounds a rest.
fn watch_progress(live: &mut Live, body: &mut Body, step: u64) {
    let scale = body.scale();
    let nav = &mut body.nav;
    let left = live.distance_left.unwrap_or(0.0);
    if left < nav.best.0 - 0.1 * scale {
        if nav.best.0.is_finite() && nav.best.0 - left > scale {
            nav.failures = 0;
        }
        nav.best = (left, step);
    }
    if nav.waits {
        // Who lets others pass loses no time by his own fault.
        nav.best.1 += 1;
    }
    let patience = if body.member.is_some() { PATIENCE * IN_A_CROWD } else { PATIENCE };
    if step < nav.best.1 + patience || live.crossing.is_some() {
        return;
    }
    body.raised.raise(EventKind::Stuck);
    nav.failures += 1;
    nav.best = (f32::INFINITY, step);
    body.girth = Girth::LEAST;
    nav.wants_path = true;
    if nav.failures >= STUCK_LIMIT {
        live.nav = NavStatus::Failed("the way is blocked: it made no progress".into());
        live.path.clear();
        live.distance_left = None;
        nav.retry_at = step + wait_after(nav.failures - STUCK_LIMIT);
    }
}

/// Asks for a new path when the walker is well aside of its way, on ground that does not belong to it.
fn note_own_ground(live: &Live, body: &mut Body, level: &Level) {
    let nav = &mut body.nav;
    if live.ground_triangle == nav.checked_triangle {
        return;
    }
    if live.nav == NavStatus::Walking
        && let (Some(triangle), Some(next)) = (live.ground_triangle, live.path.first())
        && !nav.triangles.contains(&triangle)
    {
        let on_way = closest_point_on_segment(nav.leg_from, *next, live.now.position);
        if on_way.distance(live.now.position) <= ASIDE * body.size.radius {
            return;
        }
        // Ground that is no part of the graph leads nowhere: keep to the path there.
        nav.wants_path |= level.original.as_ref().is_some_and(|graph| graph.node_of(triangle).is_some());
    }
    nav.checked_triangle = live.ground_triangle;
}

fn wait_after(failures: u32) -> u64 {
    (FIRST_WAIT << failures.min(6)).min(LONGEST_WAIT)
}

/// Notes that there is no path, and when to try again.
pub(super) fn fail(live: &mut Live, body: &mut Body, step: u64, reason: String) {
    let status = NavStatus::Failed(reason);
    if live.nav != status {
        body.raised.raise(EventKind::NoPath);
        live.nav = status;
    }
    live.path.clear();
    live.distance_left = None;
    body.nav.retry_at = step + wait_after(body.nav.failures);
    body.nav.failures += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_grow_with_the_visitors() {
        assert_eq!(arrival_distance(0), FIRST_RING);
        let mut last = 0.0;
        for count in 0..200 {
            let d = arrival_distance(count);
            assert!(d >= last);
            last = d;
        }
        assert!((3.0..9.0).contains(&last), "{last}");
    }

    #[test]
    fn waits_double_up_to_a_limit() {
        assert_eq!([0, 1, 2].map(wait_after), [60, 120, 240]);
        assert_eq!(wait_after(1000), LONGEST_WAIT);
    }
}
