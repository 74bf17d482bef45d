//! Searches a path a few polygons at a time: for time budgets, and for looking into a search.

use glam::DVec3;
use std::error::Error;
use walkabout::asset::{level, load_model};
use walkabout::nav::bake::{BakeSettings, bake, silent};
use walkabout::nav::mesh::Filter;
use walkabout::nav::planner::Query;
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::path::Corridor;
use walkabout::nav::query::sliced::{Slice, SlicedPath};

fn main() -> Result<(), Box<dyn Error>> {
    let triangles = level::corners(&load_model("assets/levels/plaza.glb".as_ref())?);
    let settings = BakeSettings { agent_radius: 0.3, agent_climb: 0.4, ..BakeSettings::default() };
    let mesh = bake(&triangles, &settings, &mut silent)?.nav_mesh()?;
    let filter = Filter::default();
    let query = Query::between(&mesh, DVec3::new(-22.0, 0.0, 27.0), DVec3::new(16.6, 2.4, -28.5), &filter)?;

    // With `partial` the search keeps the polygon nearest to the goal, so that there is something to walk at any time.
    let partial = true;
    let mut search = SlicedPath::begin(&mesh, query.start, query.end, &filter, partial)?;
    let mut corridor = Corridor::default();
    loop {
        let slice = search.advance(&mesh, 20);
        let (open, closed): (Vec<_>, Vec<_>) = search.nodes().partition(|node| node.open);
        search.corridor(&mesh, &mut corridor);
        println!(
            "{:3} expanded: {:3} open, {:3} closed, best corridor {:2} polygons",
            search.expanded(),
            open.len(),
            closed.len(),
            corridor.polygons.len()
        );
        match slice {
            Slice::Open => {}
            Slice::Found => break,
            Slice::Failed => return Err("the goal cannot be reached".into()),
        }
    }

    let mut turns = Vec::new();
    straight_path(&mesh, &corridor, query.start.point, query.end.point, Crossings::None, &mut turns);
    println!("found a path with {} corners", turns.len().saturating_sub(2));
    Ok(())
}
