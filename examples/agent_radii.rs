//! Finds paths for agents of several radii on one mesh: the radius is an argument of the query.

use glam::DVec3;
use std::error::Error;
use walkabout::asset::{level, load_model};
use walkabout::nav::bake::{BakeSettings, bake, silent};
use walkabout::nav::mesh::Filter;
use walkabout::nav::planner::{Planner, PlannerContext, Query};
use walkabout::nav::query::surface::Surface;

fn main() -> Result<(), Box<dyn Error>> {
    // Baked for radius 0 the mesh reaches to the walls, and no agent is too wide or too thin for it.
    let triangles = level::corners(&load_model("assets/levels/courtyard.fbx".as_ref())?);
    let settings = BakeSettings { agent_radius: 0.0, agent_climb: 0.4, ..BakeSettings::default() };
    let mesh = bake(&triangles, &settings, &mut silent)?.nav_mesh()?;
    let filter = Filter::default();
    let query = Query::between(&mesh, DVec3::new(-8.0, 0.0, 8.0), DVec3::new(9.0, 0.0, -9.0), &filter)?;

    // Not every planner takes a radius: `Planner::takes_any_radius` says which do.
    let (mut memory, mut surface) = (PlannerContext::new(), Surface::new());
    for radius in [0.0, 0.3, 0.6, 1.2, 2.4, 4.8] {
        let found = Planner::Funnel.find(&mut memory, &mesh, &Query { radius, ..query });
        if let Some(reason) = found.reason {
            println!("radius {radius:.1} m: no path, {reason}");
            continue;
        }
        // The nearest wall to any point of the path is as far off as the agent is wide.
        let mut clearance = f32::INFINITY;
        for point in &found.points {
            let world = mesh.world(*point);
            let place = Query::between(&mesh, world, world, &filter)?;
            let wall = surface.wall_distance(&mesh, place.start, 10.0, &filter);
            clearance = clearance.min(wall.map_or(10.0, |wall| wall.distance));
        }
        println!("radius {radius:.1} m: {:.2} m, never nearer than {clearance:.2} m to a wall", found.length);
    }
    Ok(())
}
