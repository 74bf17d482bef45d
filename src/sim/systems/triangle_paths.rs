//! Paths over the level's triangles, as the original program finds them, for the planner `centers`.

use super::path_progress::{begin_path, fail_path};
use crate::math::plan::to_plan;
use crate::math::triangle::closest_point_on_segment;
use crate::nav::original::{GroundGraph, GroundNode, NoPath, centers_line};
use crate::sim::character::CharacterState;
use crate::sim::derived::level::LevelGeometry;
use crate::sim::instance::{InstanceState, NavStatus};
use crate::sim::instance_arrays::InstanceArrays;
use crate::sim::system_state::NavigationState;
use glam::Vec3;

/// Most searches per step.
const MAX_SEARCHES: u32 = 16;
/// Expanded nodes after which no further search begins in a step.
const MAX_EXPANSIONS: u32 = 4000;
/// Distance from its path at which a character asks for a new one, in radii.
const MAX_DEVIATION: f32 = 2.5;

/// Serves requests for paths in turns, within the budget of a step.
pub fn process_requests(state: &mut NavigationState, instances: &mut InstanceArrays, level: &LevelGeometry, step: u64) {
    let count = instances.len();
    let (mut searches, mut expanded) = (0, 0);
    let first = state.next_request;
    for i in (0..count).map(|k| (first + k) % count) {
        if !instances.wants_path(i, step) {
            continue;
        }
        if searches >= MAX_SEARCHES || expanded >= MAX_EXPANSIONS {
            state.next_request = i;
            return;
        }
        let Some(goal) = instances.goal_of(i) else { continue };
        let goal_node = instances.goal_node_of(i);
        let (instance, character) = instances.at_mut(i);
        locate_ground_node(level, instance, character);
        let Some(graph) = &level.original else { continue };
        let request = TriangleRequest { graph, goal, goal_node, step };
        if let Some(nodes) = request.search(state, instance, character) {
            searches += 1;
            expanded += nodes;
        }
    }
}

/// A request for a path.
struct TriangleRequest<'a> {
    graph: &'a GroundGraph,
    /// World space.
    goal: Vec3,
    goal_node: Option<GroundNode>,
    step: u64,
}

impl TriangleRequest<'_> {
    /// Searches a path and begins it. Returns the number of expanded nodes, if there was a search.
    fn search(
        &self,
        state: &mut NavigationState,
        instance: &mut InstanceState,
        character: &mut CharacterState,
    ) -> Option<u32> {
        let graph = self.graph;
        let (start, goal_node) = match (character.ground_node, self.goal_node) {
            (None, _) => {
                fail_path(instance, character, self.step, NoPath::StartOffGround.to_string());
                return None;
            }
            (_, None) => {
                fail_path(instance, character, self.step, NoPath::TargetOffGround.to_string());
                return None;
            }
            (Some(start), Some(goal)) => (start, goal),
        };
        let islands = (graph.component(start), graph.component(goal_node));
        if character.nav.unreachable_islands == Some(islands) {
            return None;
        }
        state.searches += 1;
        let found: Result<Vec<GroundNode>, _> = state.finder.find_nodes(graph, start, goal_node).map(Iterator::collect);
        let expanded = state.finder.expanded();
        let nodes = match found {
            Ok(nodes) => nodes,
            Err(reason) => {
                if reason == NoPath::OtherIsland {
                    character.nav.unreachable_islands = Some(islands);
                }
                fail_path(instance, character, self.step, reason.to_string());
                return Some(expanded);
            }
        };
        let from = instance.now.position.with_y(character.ground_height);
        instance.links_ahead.clear();
        instance.path = centers_line(graph, from, self.goal, &nodes);
        character.nav.unsmoothed = 0;
        if instance.path.len() > 1 {
            instance.path.remove(0);
        }
        character.nav.triangles.clear();
        character.nav.triangles.extend(nodes.iter().map(|&n| graph.triangle(n)));
        begin_path(instance, &mut character.nav, self.goal, Some(goal_node), self.step);
        Some(expanded)
    }
}

/// Finds the node of the triangle graph under an instance, if it has moved since.
pub fn locate_ground_node(level: &LevelGeometry, instance: &InstanceState, character: &mut CharacterState) {
    let p = instance.now.position;
    if character.ground_node_at == p {
        return;
    }
    let Some(graph) = &level.original else { return };
    let still_there =
        |n: &GroundNode| instance.ground_triangle == Some(graph.triangle(*n)) && graph.covers(*n, to_plan(p));
    if !character.ground_node.as_ref().is_some_and(still_there) {
        let standing_on = || instance.ground_triangle.and_then(|t| graph.node_of(t));
        character.ground_node = graph.node_at(p).or_else(standing_on);
    }
    character.ground_node_at = p;
}

/// Requests a new path for a character that is far from its path, on triangles that are no part of it.
pub fn repair_path(instance: &InstanceState, character: &mut CharacterState, level: &LevelGeometry) {
    let nav = &mut character.nav;
    if instance.ground_triangle == nav.checked_triangle {
        return;
    }
    if instance.nav == NavStatus::Walking
        && let (Some(triangle), Some(next)) = (instance.ground_triangle, instance.path.first())
        && !nav.triangles.contains(&triangle)
    {
        let on_path = closest_point_on_segment(nav.leg_start, *next, instance.now.position);
        if on_path.distance(instance.now.position) <= MAX_DEVIATION * character.size.radius {
            return;
        }
        // Triangles outside the graph lead nowhere: keep to the path there.
        nav.wants_path |= level.original.as_ref().is_some_and(|graph| graph.node_of(triangle).is_some());
    }
    nav.checked_triangle = instance.ground_triangle;
}
