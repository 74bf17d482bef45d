//! Bakes a navigation mesh from a level's triangles and asks it for a path.

use glam::DVec3;
use std::error::Error;
use walkabout::asset::{level, load_model};
use walkabout::nav::bake::{BakeSettings, bake, silent};
use walkabout::nav::mesh::Filter;
use walkabout::nav::planner::{Planner, PlannerContext, Query};

fn main() -> Result<(), Box<dyn Error>> {
    let model = load_model("assets/levels/plaza.glb".as_ref())?;
    let triangles = level::corners(&model);

    // Lengths are metres, angles radians. The mesh keeps the agent's radius from all walls, so that paths on it can be
    // walked by a point.
    let settings = BakeSettings { agent_radius: 0.3, agent_climb: 0.4, ..BakeSettings::default() };
    let baked = bake(&triangles, &settings, &mut silent)?;
    println!("{} triangles became {} polygons in {:.0} ms", triangles.len(), baked.polygons(), baked.total_ms());

    // A checked mesh is the only type that queries take. Its points are local, in single precision around a double
    // origin; `local` and `world` convert.
    let mesh = baked.nav_mesh()?;
    let filter = Filter::default();
    let from = DVec3::new(-22.0, 0.0, 27.0);
    let to = DVec3::new(16.6, 2.4, -28.5);
    let query = Query::between(&mesh, from, to, &filter)?;

    // The planner's working memory is kept from query to query; have one per thread.
    let mut memory = PlannerContext::new();
    let found = Planner::Funnel.find(&mut memory, &mesh, &query);
    if let Some(reason) = found.reason {
        return Err(reason.into());
    }
    println!("{:.2} m over {} polygons:", found.length, found.polygons.len());
    for point in found.points {
        println!("  {:.2}", mesh.world(point));
    }
    Ok(())
}
