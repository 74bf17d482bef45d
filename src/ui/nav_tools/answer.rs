//! What the tools found, in a line: for the panel and over the picture.

use super::tools::Tool;
use crate::inspect::query_tool::{QueryResult, QueryTool, RayResult, WallResult};
use crate::scene::nav::Probe;

/// Why a tool has nothing to say about a place.
const OFF_MESH: &str = "That place is off the navigation mesh: click nearer to it.";

/// What a tool found out about the places of a scene, if it asks something.
pub fn of_tool(tool: Tool, query: &QueryTool, probe: &Probe) -> Option<String> {
    let off = |is_asked: bool| is_asked.then(|| OFF_MESH.to_owned());
    match tool {
        Tool::Raycast => query.ray().map(ray).or_else(|| off(probe.ray_start.is_some() && probe.ray_end.is_some())),
        Tool::Wall => query.wall().map(wall).or_else(|| off(probe.wall_from.is_some())),
        Tool::Random => off(probe.around.is_some() && probe.random > 0 && query.random().is_empty()),
        Tool::Path => paths(query.results()).map(|said| format!("{said}{}", way_to_answer(query.results()))),
        Tool::Threat | Tool::Destroy | Tool::Obstacle | Tool::Block => paths(query.results()),
        Tool::None | Tool::Send | Tool::Volume | Tool::Link | Tool::Seed | Tool::Crowd | Tool::Tile => None,
    }
}

/// Where it is said what is between, while a path has no way.
fn way_to_answer(results: &[QueryResult]) -> &'static str {
    if results.iter().any(|result| result.reason.is_some()) { ". Why? in the panel says what is between." } else { "" }
}

/// How far a straight way is free.
fn ray(ray: &RayResult) -> String {
    let (free, whole) = (ray.start.distance(ray.reached), ray.start.distance(ray.end));
    let said = if ray.free { "free all the way" } else { "a wall blocks it" };
    format!("{free:.2} of {whole:.2} m: {said}")
}

/// How far the nearest wall is.
fn wall(wall: &WallResult) -> String {
    format!("Nearest wall: {:.2} m", wall.distance)
}

/// The lengths of the test paths, or why there are none.
fn paths(results: &[QueryResult]) -> Option<String> {
    let one = |result: &QueryResult| match &result.reason {
        None => format!("{}: {:.2} m", result.planner, result.length),
        Some(reason) => format!("{}: no path, {reason}", result.planner),
    };
    let mut said: Vec<String> = results.iter().map(one).collect();
    if let [first, others @ ..] = results
        && first.reason.is_some()
        && others.iter().all(|other| other.reason == first.reason)
    {
        said = first.reason.iter().map(|reason| format!("No path: {reason}")).collect();
    }
    (!said.is_empty()).then(|| said.join("   "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::planner::Planner;

    #[test]
    fn paths_are_told_by_their_lengths_or_by_what_is_wrong() {
        let found = |planner, length: f64| QueryResult { planner, length, ..Default::default() };
        let none = |planner, reason: &str| QueryResult { reason: Some(reason.into()), ..found(planner, 0.0) };
        assert_eq!(paths(&[]), None);
        assert_eq!(paths(&[found(Planner::Funnel, 2.0)]).unwrap(), "funnel: 2.00 m");
        assert_eq!(
            paths(&[found(Planner::Funnel, 2.0), none(Planner::Exact, "why")]).unwrap(),
            "funnel: 2.00 m   exact: no path, why"
        );
        assert_eq!(
            paths(&[none(Planner::Funnel, "the end is off"), none(Planner::Exact, "the end is off")]).unwrap(),
            "No path: the end is off"
        );
        assert_eq!(way_to_answer(&[found(Planner::Funnel, 2.0)]), "");
        assert!(way_to_answer(&[found(Planner::Funnel, 2.0), none(Planner::Exact, "why")]).contains("Why?"));
        let (query, mut probe) = (QueryTool::default(), Probe::default());
        for tool in [Tool::Crowd, Tool::Path, Tool::Wall, Tool::Raycast, Tool::Random] {
            assert_eq!(of_tool(tool, &query, &probe), None);
        }
        probe.wall_from = Some(glam::Vec3::ONE);
        assert_eq!(of_tool(Tool::Wall, &query, &probe).as_deref(), Some(OFF_MESH));
    }
}
