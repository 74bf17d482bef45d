//! A planner of one's own: searches the mesh for the path that climbs least, by the public API alone.

use glam::DVec3;
use std::error::Error;
use walkabout::asset::{level, load_model};
use walkabout::nav::bake::{BakeSettings, bake, silent};
use walkabout::nav::mesh::{Filter, NavMesh, PolyId};
use walkabout::nav::planner::{Planner, PlannerContext, Query};
use walkabout::nav::query::funnel::{Crossings, straight_path};
use walkabout::nav::query::path::Corridor;
use walkabout::nav::search::{Graph, Search};

/// The mesh as a graph whose edges cost what suits us: a metre of height as much as twenty on the level.
struct LeastClimb<'a>(&'a NavMesh);

impl Graph for LeastClimb<'_> {
    fn node_count(&self) -> usize {
        self.0.len()
    }

    fn for_each_hop(&self, node: u32, mut visit: impl FnMut(u32, f32)) {
        let here = self.0.polygon(PolyId(node)).center;
        // Portals are the edges that lead to a neighbour: walls are left out already.
        for portal in self.0.portals().links_of(node) {
            let there = self.0.polygon(PolyId(portal.neighbor)).center;
            visit(portal.neighbor, here.distance(there) + 20.0 * (there.y - here.y).max(0.0));
        }
    }

    fn estimate(&self, node: u32, target: u32) -> f32 {
        let [a, b] = [node, target].map(|p| self.0.polygon(PolyId(p)).center);
        a.distance(b) + 20.0 * (b.y - a.y).max(0.0)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let triangles = level::corners(&load_model("assets/levels/plaza.glb".as_ref())?);
    let settings = BakeSettings { agent_radius: 0.3, agent_climb: 0.4, ..BakeSettings::default() };
    let mesh = bake(&triangles, &settings, &mut silent)?.nav_mesh()?;
    let filter = Filter::default();
    let query = Query::between(&mesh, DVec3::new(-22.0, 0.0, 27.0), DVec3::new(16.6, 2.4, -28.5), &filter)?;

    let mut nodes = Vec::new();
    let cost = Search::default().find(&LeastClimb(&mesh), query.start.polygon.0, query.end.polygon.0, &mut nodes);
    cost.ok_or("start and end lie on islands that are not connected")?;

    // Polygons become a corridor by their portals, a corridor becomes a taut path by the funnel algorithm.
    let polygons: Vec<PolyId> = nodes.into_iter().map(PolyId).collect();
    let corridor = Corridor::through(&mesh, &polygons).ok_or("polygons that are no neighbours")?;
    let mut turns = Vec::new();
    straight_path(&mesh, &corridor, query.start.point, query.end.point, Crossings::All, &mut turns);
    let own = turns.iter().map(|turn| turn.point).collect();
    let shortest = Planner::Exact.find(&mut PlannerContext::new(), &mesh, &query);
    for (name, points) in [("least climb", own), ("shortest", shortest.points)] {
        let climb: f32 = points.windows(2).map(|leg| (leg[1].y - leg[0].y).max(0.0)).sum();
        let length: f32 = points.windows(2).map(|leg| leg[0].distance(leg[1])).sum();
        println!("{name:12} {length:6.2} m with {climb:.2} m of climb");
    }
    Ok(())
}
