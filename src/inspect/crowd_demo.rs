//! The crowd demo: agents without models that a scene sends over its mesh, to see how many fit through where.

use crate::debug::{Color, DebugDraw, Layer, shapes};
use crate::nav::crowd::{Agent, AgentId, AgentSettings, AgentState, Budget, Crowd};
use crate::nav::mesh::{Filter, NavMesh};
use crate::scene::nav::PlacedCrowd;
use crate::sim::STEP_SECS;
use glam::{Vec2, Vec3};
use std::collections::HashMap;
use std::sync::Arc;

/// Room that a new agent gets, as a part of its radius.
const SPACING: f32 = 2.3;
/// Turn from one place to the next on the spiral in which a crowd is set up (the golden angle), radians.
const SPIRAL_RAD: f32 = crate::math::angle::GOLDEN_ANGLE_RAD;
const BODY_SIDES: u32 = 16;
const WALKING: Color = [0.20, 0.75, 0.35, 0.75];
const SQUEEZING: Color = [0.95, 0.55, 0.10, 0.80];
const WAITING: Color = [0.95, 0.85, 0.20, 0.75];
const ARRIVED: Color = [0.25, 0.50, 0.95, 0.75];
const FAILED: Color = [0.90, 0.20, 0.20, 0.80];
/// What the colours of agents mean.
pub const LEGEND: [(Color, &str); 5] = [
    (WALKING, "Walking"),
    (SQUEEZING, "Squeezing past"),
    (WAITING, "Waiting"),
    (ARRIVED, "Arrived"),
    (FAILED, "Without a path"),
];
const EDGE: Color = [0.05, 0.08, 0.10, 0.35];
const VELOCITY: Color = [1.0, 1.0, 1.0, 1.0];

/// How many agents are at what.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// All of them.
    pub agents: usize,
    /// Those that walk or wait for a way.
    pub walking: usize,
    /// Those at their goal.
    pub arrived: usize,
    /// Those without a way.
    pub failed: usize,
    /// The longest time that one has been stuck, seconds.
    pub stuck_secs: f32,
    /// The deepest overlap of two bodies, metres.
    pub overlap: f32,
}

/// One agent of a group.
#[derive(Clone, Copy, Debug)]
struct Member {
    id: AgentId,
    group: usize,
    returning: bool,
}

/// All demo agents of a scene.
#[derive(Clone, Debug, Default)]
pub struct CrowdDemo {
    groups: Vec<PlacedCrowd>,
    mesh: Option<Arc<NavMesh>>,
    crowd: Crowd,
    members: Vec<Member>,
}

impl CrowdDemo {
    /// Takes over the scene's groups and its mesh as it was built; other groups or another mesh start over.
    pub fn reconcile(&mut self, groups: &[PlacedCrowd], mesh: Option<&Arc<NavMesh>>) {
        let same_mesh = match (&self.mesh, mesh) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        if same_mesh && self.groups == groups {
            return;
        }
        (self.groups, self.mesh) = (groups.to_vec(), mesh.cloned());
        self.set_up();
    }

    fn set_up(&mut self) {
        (self.crowd, self.members) = (Crowd::new(), Vec::new());
        let Some(mesh) = &self.mesh else { return };
        for (group, placed) in self.groups.iter().enumerate() {
            let settings = AgentSettings {
                radius: placed.radius,
                clearance: placed.clearance,
                max_speed: placed.speed,
                ..AgentSettings::default()
            };
            for k in 0..placed.count {
                let arm = Vec2::from_angle(k as f32 * SPIRAL_RAD) * (k as f32).sqrt() * placed.radius * SPACING;
                let at = placed.from + Vec3::new(arm.x, 0.0, arm.y);
                let Some(id) = self.crowd.add(mesh, mesh.local(at.as_dvec3()), &settings) else { continue };
                self.crowd.set_goal(id, Some(mesh.local(placed.to.as_dvec3())));
                self.members.push(Member { id, group, returning: false });
            }
        }
    }

    /// One step on the mesh as it is now, at what its areas cost.
    pub fn step(&mut self, mesh: Option<&NavMesh>, filter: &Filter) {
        let Some(mesh) = mesh.filter(|_| !self.members.is_empty()) else { return };
        self.crowd.step(mesh, filter, STEP_SECS, Budget::default());
        for member in &mut self.members {
            let placed = &self.groups[member.group];
            let arrived = self.crowd.agent(member.id).is_some_and(|agent| agent.state() == AgentState::Arrived);
            if placed.there_and_back && arrived {
                member.returning = !member.returning;
                let goal = if member.returning { placed.from } else { placed.to };
                self.crowd.set_goal(member.id, Some(mesh.local(goal.as_dvec3())));
            }
        }
    }

    /// All agents, always in the same order.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> + '_ {
        self.crowd.iter().map(|(_, agent)| agent)
    }

    /// How many agents are at what.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for agent in self.iter() {
            counts.agents += 1;
            match agent.state() {
                AgentState::Walking | AgentState::Driven | AgentState::Waiting => counts.walking += 1,
                AgentState::Arrived => counts.arrived += 1,
                AgentState::Failed(_) => counts.failed += 1,
                AgentState::Idle => {}
            }
            counts.stuck_secs = counts.stuck_secs.max(agent.stuck_secs());
        }
        counts.overlap = self.deepest_overlap();
        counts
    }

    /// By a grid whose cells are as wide as two of the widest bodies: those that overlap lie in neighbouring cells.
    fn deepest_overlap(&self) -> f32 {
        let widest = self.iter().map(|agent| agent.settings().radius).fold(f32::MIN_POSITIVE, f32::max);
        let cell_of = |at: Vec3| [at.x, at.z].map(|along| (along / (2.0 * widest)).floor() as i64);
        let mut cells: HashMap<[i64; 2], Vec<&Agent>> = HashMap::new();
        let mut deepest = 0.0_f32;
        for agent in self.iter() {
            let (at, radius, height) = (agent.position(), agent.settings().radius, agent.settings().height);
            let [x, z] = cell_of(at);
            for place in 0..9 {
                let near = [x.saturating_add(place % 3 - 1), z.saturating_add(place / 3 - 1)];
                for other in cells.get(&near).into_iter().flatten() {
                    let apart = other.position() - at;
                    if apart.y.abs() < height {
                        deepest = deepest.max(radius + other.settings().radius - apart.with_y(0.0).length());
                    }
                }
            }
            cells.entry([x, z]).or_default().push(agent);
        }
        deepest
    }

    /// Draws every agent as an upright prism with its velocity.
    pub fn draw(&self, d: &mut DebugDraw, mesh: Option<&NavMesh>) {
        let (layer, Some(mesh)) = (Layer::NavCrowd, mesh) else { return };
        for agent in self.iter() {
            let at = mesh.world(agent.position()).as_vec3();
            let color = match agent.state() {
                AgentState::Walking | AgentState::Driven if agent.radius_scale() < 0.99 => SQUEEZING,
                AgentState::Walking | AgentState::Driven => WALKING,
                AgentState::Waiting | AgentState::Idle => WAITING,
                AgentState::Arrived => ARRIVED,
                AgentState::Failed(_) => FAILED,
            };
            let rim = shapes::rim(at, agent.settings().radius * agent.radius_scale(), BODY_SIDES);
            shapes::prism(d, layer, &rim, agent.settings().height, color, EDGE);
            let chest = at + Vec3::Y * agent.settings().height * 0.75;
            if agent.velocity().length_squared() > 0.01 {
                shapes::arrow(d, layer, chest, chest + agent.velocity() * 0.6, VELOCITY);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture::plan;
    use crate::scene::SceneNav;

    fn group(count: u32) -> PlacedCrowd {
        let (from, to) = (Vec3::new(1.5, 0.0, 1.5), Vec3::new(10.5, 0.0, 1.5));
        PlacedCrowd { from, to, count, radius: 0.2, clearance: 0.2, there_and_back: false, ..PlacedCrowd::default() }
    }

    fn hall() -> Arc<NavMesh> {
        Arc::new(plan(&["............", "............", "............"], false).validate().unwrap())
    }

    #[test]
    fn a_crowd_walks_to_its_goal_and_back() {
        let mesh = hall();
        for there_and_back in [false, true] {
            let mut agents = CrowdDemo::default();
            agents.reconcile(&[PlacedCrowd { there_and_back, ..group(8) }], Some(&mesh));
            assert_eq!(agents.counts().agents, 8);
            let mut farthest = 0.0_f32;
            for _ in 0..20 * 60 {
                agents.step(Some(&mesh), &Filter::default());
                farthest = agents.iter().map(|a| mesh.world(a.position()).x as f32).fold(farthest, f32::max);
            }
            let counts = agents.counts();
            assert!(farthest > 9.5 && counts.failed == 0 && counts.overlap < 0.1, "{farthest} {counts:?}");
            assert_eq!(counts.arrived == 8, !there_and_back, "{counts:?}");
        }
    }

    #[test]
    fn the_deepest_overlap_is_that_of_any_two_agents() {
        let mesh = hall();
        let mut agents = CrowdDemo::default();
        agents.reconcile(&[group(20), PlacedCrowd { radius: 0.35, ..group(12) }], Some(&mesh));
        let all: Vec<&Agent> = agents.iter().collect();
        let mut deepest = 0.0_f32;
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                let apart = (a.position() - b.position()).with_y(0.0).length();
                deepest = deepest.max(a.settings().radius + b.settings().radius - apart);
            }
        }
        assert!(deepest > 0.1, "both groups start at the same place: {deepest}");
        assert_eq!(agents.counts().overlap, deepest);
    }

    #[test]
    fn groups_start_over_only_when_they_or_the_mesh_change() {
        let mesh = hall();
        let mut agents = CrowdDemo::default();
        agents.reconcile(&[group(3)], Some(&mesh));
        let start: Vec<Vec3> = agents.iter().map(Agent::position).collect();
        (0..60).for_each(|_| agents.step(Some(&mesh), &Filter::default()));
        agents.reconcile(&[group(3)], Some(&mesh));
        let places = |agents: &CrowdDemo| agents.iter().map(Agent::position).collect::<Vec<_>>();
        assert_ne!(places(&agents), start);
        // Pictures are drawn of a copy.
        let mut copy = agents.clone();
        assert_eq!(places(&copy), places(&agents));
        for one in [&mut agents, &mut copy] {
            one.step(Some(&mesh), &Filter::default());
        }
        assert_eq!(places(&copy), places(&agents));
        agents.reconcile(&[group(4)], Some(&mesh));
        assert_eq!(agents.counts().agents, 4);
        agents.reconcile(&[group(4)], None);
        agents.step(None, &Filter::default());
        assert_eq!(agents.counts().agents, 0);
    }

    /// Four rows of twelve squares, with a ford (area 7) across the hall but for the last row.
    fn hall_with_ford() -> Arc<NavMesh> {
        let mut raw = plan(&["............"; 4], false);
        raw.polygons.iter_mut().skip(5).step_by(12).take(3).for_each(|p| p.area = 7);
        Arc::new(raw.validate().unwrap())
    }

    #[test]
    fn tp_11_crowds_go_around_ground_that_is_dear_or_marked() {
        use crate::scene::nav::{AreaRule, Mark};
        let mesh = hall_with_ford();
        let mut nav = SceneNav::default();
        let mut farthest_aside = |rules: &[AreaRule]| {
            nav.areas = rules.to_vec();
            let mut agents = CrowdDemo::default();
            agents.reconcile(&[group(1)], Some(&mesh));
            let (mut most, filter) = (0.0_f32, nav.crowd_filter());
            for _ in 0..20 * 60 {
                agents.step(Some(&mesh), &filter);
                most = agents.iter().map(|a| mesh.world(a.position()).z as f32).fold(most, f32::max);
            }
            assert_eq!(agents.counts().arrived, 1);
            most
        };
        let rule = |cost: f32, marks: &[Mark]| AreaRule { area: 7, cost, marks: marks.to_vec() };
        assert!(farthest_aside(&[]) < 2.0);
        assert!(farthest_aside(&[rule(20.0, &[])]) > 2.9, "a cost");
        assert!(farthest_aside(&[rule(10.0, &[Mark::Slow])]) > 2.9, "a cost and a mark");
        assert!(farthest_aside(&[rule(1.0, &[Mark::Amphibious])]) > 2.9, "none of them swims");
        assert!(farthest_aside(&[rule(1.0, &[Mark::Cover])]) < 2.0);
    }

    #[test]
    fn a_cost_that_changes_sends_walkers_another_way() {
        let mesh = hall_with_ford();
        let mut agents = CrowdDemo::default();
        agents.reconcile(&[group(1)], Some(&mesh));
        let mut filter = Filter::default();
        let mut aside = 0.0_f32;
        for step in 0..20 * 60 {
            if step == 60 {
                filter.cost[7] = 30.0;
            }
            agents.step(Some(&mesh), &filter);
            aside = agents.iter().map(|a| mesh.world(a.position()).z as f32).fold(aside, f32::max);
        }
        assert!(aside > 2.9 && agents.counts().arrived == 1, "{aside} {:?}", agents.counts());
    }

    #[test]
    fn everyone_is_drawn_with_a_colour_for_what_it_is_at() {
        let mesh = hall();
        let mut agents = CrowdDemo::default();
        let lost = PlacedCrowd { to: Vec3::new(1e4, 0.0, 0.0), ..group(1) };
        agents.reconcile(&[group(2), lost], Some(&mesh));
        (0..30).for_each(|_| agents.step(Some(&mesh), &Filter::default()));
        let mut d = DebugDraw::wanting([Layer::NavCrowd]);
        agents.draw(&mut d, Some(&mesh));
        for color in [WALKING, FAILED, VELOCITY] {
            let drawn = d.triangles.iter().any(|t| t.color == color) || d.lines.iter().any(|l| l.color == color);
            assert!(drawn, "{color:?}");
        }
    }
}
