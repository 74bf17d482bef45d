//! Finds jumps over a gap, places a link by hand, and asks for paths that may take them.

use glam::DVec3;
use std::error::Error;
use walkabout::nav::mesh::off_mesh::{LinkKind, LinkSettings, OffMeshLinks, PlacedLink};
use walkabout::nav::mesh::{Filter, RawMesh, RawPolygon};
use walkabout::nav::planner::{Planner, PlannerContext, Query};

fn main() -> Result<(), Box<dyn Error>> {
    // Two platforms of 8 x 4 m with a gap of 2 m between them, and a third one 6 m farther on.
    let platform = |z: f64| [(0.0, z), (8.0, z), (8.0, z + 4.0), (0.0, z + 4.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
    let vertices = [platform(0.0), platform(6.0), platform(16.0)].concat();
    let polygons = (0..3).map(|i| RawPolygon::new([0, 1, 2, 3].map(|corner| 4 * i + corner))).collect();
    let mesh = RawMesh { vertices, polygons }.validate()?;

    // Jumps and drops are found along the walls of the mesh. The mesh does not know what stands in a gap: the closure
    // tells whether there is room for a jump. Here nothing is in the way.
    let found = LinkSettings { max_gap: 2.5, ..LinkSettings::default() }.find(&mesh, &|_, _| true)?;
    println!("{} jumps found", found.len());

    // Other links, such as ladders and lifts, are placed by hand. Flags and areas work as those of polygons do.
    let lift = PlacedLink {
        start: DVec3::new(1.0, 0.0, 9.5),
        end: DVec3::new(1.0, 0.0, 16.5),
        kind: LinkKind::Placed,
        both_ways: true,
        reach: 0.5,
        area: 0,
        flags: 1,
    };
    let links = OffMeshLinks::new(&mesh, found, &[lift])?;

    let filter = Filter::default();
    let ends = Query::between(&mesh, DVec3::new(7.0, 0.0, 1.0), DVec3::new(7.0, 0.0, 19.0), &filter)?;
    let mut memory = PlannerContext::new();
    for (what, links) in [("without links", None), ("with links", Some(&links))] {
        let path = Planner::Exact.find(&mut memory, &mesh, &Query { links, ..ends });
        match path.reason {
            Some(reason) => println!("{what}: no path, {reason}"),
            None => println!("{what}: {:.2} m", path.length),
        }
        for (at, exit) in path.links {
            // A link leads from the point of its place to the next one.
            let [from, to] = [path.points[at], path.points[at + 1]].map(|point| mesh.world(point));
            let kind = links.map(|links| links.taken(exit).kind);
            println!("  {kind:?} from {from:.1} to {to:.1}");
        }
    }
    Ok(())
}
