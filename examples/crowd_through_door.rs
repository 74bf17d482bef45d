//! Sends a crowd through a doorway and prints how long it takes.

use glam::DVec3;
use std::error::Error;
use walkabout::nav::crowd::{AgentSettings, AgentState, Budget, Crowd};
use walkabout::nav::mesh::{Filter, RawMesh, RawPolygon};

const DT_SECS: f32 = 1.0 / 60.0;
/// The doorway: where it begins and ends along x, and along z, metres.
const DOOR: [[f64; 2]; 2] = [[12.0, 12.4], [4.4, 5.6]];

fn main() -> Result<(), Box<dyn Error>> {
    // Two halls of 12 x 10 m, joined by a doorway 1.2 m wide. Polygons are neighbours where they share both corners of
    // an edge.
    let [[left, right], [near, far]] = DOOR;
    let places = [
        [(0.0, 0.0), (left, 0.0), (left, near), (left, far), (left, 10.0), (0.0, 10.0)],
        [(right, 0.0), (24.4, 0.0), (24.4, 10.0), (right, 10.0), (right, far), (right, near)],
    ];
    let vertices = places.as_flattened().iter().map(|&(x, z)| DVec3::new(x, 0.0, z)).collect();
    let halls = [RawPolygon::new([0, 1, 2, 3, 4, 5]), RawPolygon::new([6, 7, 8, 9, 10, 11])];
    let polygons = halls.into_iter().chain([RawPolygon::new([2, 11, 10, 3])]).collect();
    let mesh = RawMesh { vertices, polygons }.validate()?;

    // Agents walk from one hall to the same place in the other one.
    let mut crowd = Crowd::new();
    let settings = AgentSettings::default();
    for i in 0..60 {
        let at = DVec3::new(2.0 + 0.9 * f64::from(i % 10), 0.0, 2.0 + 1.2 * f64::from(i / 10));
        let id = crowd.add(&mesh, mesh.local(at), &settings).ok_or("an agent has no ground below it")?;
        crowd.set_goal(id, Some(mesh.local(at + DVec3::X * 12.4)));
    }
    println!("{} agents of {:.1} m, a doorway of {:.1} m", crowd.len(), 2.0 * settings.radius, far - near);

    // The budget bounds the searches of a step; agents whose turn has not come wait for their paths.
    let filter = Filter::default();
    for step in 1..=60 * 300 {
        crowd.step(&mesh, &filter, DT_SECS, Budget::default());
        let secs = step as f32 * DT_SECS;
        let beyond = crowd.iter().filter(|(_, agent)| mesh.world(agent.position()).x > right).count();
        if step % 600 == 0 {
            println!("{secs:4.0} s: {beyond} are through");
        }
        if crowd.iter().all(|(_, agent)| agent.state() == AgentState::Arrived) {
            println!("all arrived after {secs:.1} s");
            return Ok(());
        }
    }
    Err("the crowd has not arrived after 300 s".into())
}
