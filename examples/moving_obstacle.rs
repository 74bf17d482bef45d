//! Moves an obstacle over a navigation mesh, opens it as a door, and takes it away, while paths are asked for.

use glam::DVec3;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;
use walkabout::nav::mesh::{DynamicMesh, Filter, Obstacle, RawMesh, RawPolygon};
use walkabout::nav::planner::{Planner, PlannerContext, Query};

fn main() -> Result<(), Box<dyn Error>> {
    // A floor of 20 x 10 m.
    let vertices = [(0.0, 0.0), (20.0, 0.0), (20.0, 10.0), (0.0, 10.0)].map(|(x, z)| DVec3::new(x, 0.0, z)).to_vec();
    let floor = RawMesh { vertices, polygons: vec![RawPolygon::new([0, 1, 2, 3])] }.validate()?;

    // The mesh is patched in place: a change costs what lies around the obstacle, and the mesh that `mesh()` returns
    // answers every query as any other does. It equals the first one again when the last obstacle is gone.
    let mut mesh = DynamicMesh::new(Arc::new(floor));
    let (from, to) = (DVec3::new(1.0, 0.0, 5.0), DVec3::new(19.0, 0.0, 5.0));
    let (mut memory, filter) = (PlannerContext::new(), Filter::default());
    let mut ask = |mesh: &DynamicMesh, what: &str| -> Result<(), Box<dyn Error>> {
        // Polygons have other numbers after a change: look places up anew.
        let query = Query::between(mesh.mesh(), from, to, &filter)?;
        let found = Planner::Exact.find(&mut memory, mesh.mesh(), &query);
        match found.reason {
            None => println!("{what:28} {:5.2} m", found.length),
            Some(reason) => println!("{what:28} no path: {reason}"),
        }
        Ok(())
    };

    ask(&mesh, "empty floor")?;
    let wall =
        |z: f64, length: f64| Obstacle::cuboid(DVec3::new(10.0, 1.0, z), DVec3::new(0.25, 1.0, 0.5 * length), 0.0);
    let id = mesh.add(&wall(3.0, 6.0))?;
    ask(&mesh, "a wall up to z = 6")?;
    for z in [4.0, 5.0, 6.0] {
        let start = Instant::now();
        mesh.set(id, &wall(z, 6.0))?;
        let micros = start.elapsed().as_secs_f64() * 1e6;
        ask(&mesh, &format!("moved to z = {z} in {micros:.0} µs"))?;
    }
    mesh.set(id, &wall(5.0, 12.0))?;
    ask(&mesh, "as long as the floor is wide")?;
    mesh.set_enabled(id, false)?;
    ask(&mesh, "switched off, as an open door")?;
    mesh.remove(id)?;
    ask(&mesh, "taken away")?;
    println!("{} polygon, as at first: {}", mesh.mesh().len(), mesh.mesh().id() == mesh.base().id());
    Ok(())
}
