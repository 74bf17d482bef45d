//! Floors of rectangles, and what is measured on them.

use glam::{DVec3, Vec3};

use crate::math::plan::to_plan;
use crate::nav::crowd::{AgentId, AgentSettings, AgentState, Budget, Crowd};
use crate::nav::mesh::{Filter, NavMesh, RawMesh, RawPolygon};

/// Step of the tests, seconds.
pub(super) const DT: f32 = 1.0 / 60.0;

/// A floor of the rectangles between these lines for which `open` holds, centred on the origin.
pub(in crate::nav::crowd) fn floor(xs: &[f64], zs: &[f64], open: impl Fn(usize, usize) -> bool) -> NavMesh {
    let mut raw = RawMesh::default();
    for z in zs {
        raw.vertices.extend(xs.iter().map(|x| DVec3::new(*x, 0.05 * x, *z)));
    }
    let width = xs.len() as u32;
    for z in 0..zs.len() - 1 {
        for x in (0..xs.len() - 1).filter(|&x| open(x, z)) {
            let a = z as u32 * width + x as u32;
            raw.polygons.push(RawPolygon::new([a, a + 1, a + width + 1, a + width]));
        }
    }
    raw.validate().unwrap()
}

/// A point given in the coordinates of the floor.
pub(in crate::nav::crowd) fn at(mesh: &NavMesh, x: f64, z: f64) -> Vec3 {
    mesh.local(DVec3::new(x, 0.05 * x, z))
}

/// The record of a run.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Seconds until all agents had arrived; infinite if they had not.
    pub(super) all_secs: f32,
    pub(super) arrived: usize,
    /// Overlaps as fractions of the sum of the radii, per agent and step with any neighbour.
    pub(super) overlaps: Vec<f32>,
    /// Seconds that agents preferred to walk and stood, by agent.
    pub(super) stuck: Vec<f32>,
}

impl Record {
    /// The overlap that this share of the samples does not exceed; with 1 the greatest.
    pub(super) fn overlap(&mut self, share: f64) -> f32 {
        self.overlaps.sort_by(f32::total_cmp);
        let last = self.overlaps.len().checked_sub(1).expect("agents were measured");
        self.overlaps[((self.overlaps.len() as f64 * share) as usize).min(last)]
    }

    pub(super) fn mean_stuck(&self) -> f32 {
        self.stuck.iter().sum::<f32>() / self.stuck.len().max(1) as f32
    }

    pub(super) fn most_stuck(&self) -> f32 {
        self.stuck.iter().copied().fold(0.0, f32::max)
    }

    pub(super) fn tell(&mut self, name: &str) {
        let (overlap, most) = (self.overlap(0.99), self.overlap(1.0));
        println!(
            "{name}: {} arrived, all after {:.1} s, overlap p99 {:.3}, at most {most:.3} of the radii, stuck {:.2} s in the mean, {:.1} s at most",
            self.arrived,
            self.all_secs,
            overlap,
            self.mean_stuck(),
            self.most_stuck()
        );
    }
}

/// Checks that all agents are on the mesh.
pub(super) fn check(mesh: &NavMesh, crowd: &Crowd) {
    for (id, agent) in crowd.iter() {
        let (p, polygon) = (agent.position(), agent.polygon());
        assert!(
            p.is_finite() && agent.velocity().is_finite() && agent.preferred_velocity().is_finite(),
            "{id:?} {agent:?}"
        );
        assert!(mesh.contains_2d(polygon, p), "{id:?} at {p} is not over {polygon:?}");
        assert_eq!(mesh.height_at(polygon, p), p.y, "{id:?}");
    }
}

/// Steps until all have arrived; checks each step.
pub(super) fn run(mesh: &NavMesh, crowd: &mut Crowd, most_secs: f32) -> Record {
    let filter = Filter::default();
    let ids: Vec<AgentId> = crowd.iter().map(|a| a.0).collect();
    let mut record = Record { all_secs: f32::INFINITY, stuck: vec![0.0; ids.len()], ..Record::default() };
    for step in 0..(most_secs / DT) as usize {
        crowd.step(mesh, &filter, DT, Budget::default());
        check(mesh, crowd);
        measure(crowd, &ids, &mut record);
        record.arrived = crowd.iter().filter(|a| a.1.state() == AgentState::Arrived).count();
        if record.arrived == ids.len() {
            record.all_secs = (step + 1) as f32 * DT;
            break;
        }
    }
    record
}

fn measure(crowd: &Crowd, ids: &[AgentId], record: &mut Record) {
    for (&id, stuck) in ids.iter().zip(&mut record.stuck) {
        let Some(agent) = crowd.agent(id) else { continue };
        if agent.state() == AgentState::Walking && agent.velocity().length() < 0.1 {
            *stuck += DT;
        }
        let at = to_plan(agent.position());
        let depth = agent.neighbors.iter().filter_map(|i| crowd.slots.get(i as usize)).map(|other| {
            let radii = agent.settings.radius + other.agent.settings.radius;
            1.0 - to_plan(other.agent.position()).distance(at) / radii
        });
        record.overlaps.push(depth.fold(0.0, f32::max));
    }
}

/// Adds an agent that goes from one place to another.
pub(super) fn walker(mesh: &NavMesh, crowd: &mut Crowd, from: (f64, f64), to: (f64, f64)) -> AgentId {
    let id = crowd.add(mesh, at(mesh, from.0, from.1), &AgentSettings::default()).unwrap();
    crowd.set_goal(id, Some(at(mesh, to.0, to.1)));
    id
}
