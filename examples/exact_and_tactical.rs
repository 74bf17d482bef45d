//! Compares a shortest path with a tactical one, which trades length against being seen by an enemy.

use glam::DVec3;
use std::error::Error;
use walkabout::asset::{level, load_model};
use walkabout::nav::bake::{BakeSettings, bake, silent};
use walkabout::nav::mesh::Filter;
use walkabout::nav::planner::{Planner, PlannerContext, Query, Tactics};
use walkabout::nav::tactical::{
    Biases, CoverMap, CoverSettings, Enemy, MapSettings, ObstacleHeights, Threats, VisibilityModel, extract,
};

fn main() -> Result<(), Box<dyn Error>> {
    let triangles = level::corners(&load_model("assets/levels/courtyard.fbx".as_ref())?);
    let settings = BakeSettings { agent_radius: 0.3, agent_climb: 0.4, ..BakeSettings::default() };
    let mesh = bake(&triangles, &settings, &mut silent)?.nav_mesh()?;

    // Cover lies along the walls of the mesh, as high as the triangles beside them. It is found once for a mesh; the map
    // lists, for an enemy in any polygon, the few covers that hide most.
    let heights = ObstacleHeights::new(triangles.iter().copied(), mesh.origin());
    let covers = extract(&mesh, &CoverSettings::default(), |a, b, outward| heights.height(a, b, outward));
    let map = CoverMap::build(&mesh, &covers, &[], MapSettings::default());

    // Threats are made anew whenever an enemy moves: a look-up, no search and no rays.
    let enemy = Enemy::at(mesh.local(DVec3::new(-4.0, 0.0, 4.0)));
    let threats = Threats::new(&map, &[enemy], VisibilityModel::Flat { crouching: false });
    println!("{} covers; an enemy stands at {}", covers.len(), mesh.world(enemy.position));

    let filter = Filter::default();
    let ends = Query::between(&mesh, DVec3::new(-8.0, 0.0, 8.0), DVec3::new(9.0, 0.0, -9.0), &filter)?;
    let mut memory = PlannerContext::new();
    // A metre that the enemy sees costs as much as `exposure` more metres.
    for (planner, exposure) in [(Planner::Exact, 0.0), (Planner::Tactical, 0.1), (Planner::Tactical, 1.0)] {
        let biases = Biases { exposure, ..Biases::default() };
        let query = Query { tactics: Some(Tactics::against(&threats, &biases)), ..ends };
        let found = planner.find(&mut memory, &mesh, &query);
        if let Some(reason) = found.reason {
            return Err(reason.into());
        }
        let seen = threats.exposed_length(&found.points);
        println!("{planner:8}, exposure {exposure:4.1}: {:5.2} m, of which {seen:5.2} m are seen", found.length);
    }
    Ok(())
}
