//! The agent for which a level or mesh is examined.

use glam::DVec3;

use crate::nav::bake::BakeSettings;

/// A place that agents go to, with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTarget {
    /// Its name, for the finding.
    pub name: String,
    /// In the world.
    pub position: DVec3,
}

/// The agent for which a level or mesh is examined. Metres and radians.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentLimits {
    /// Half the width of the agent.
    pub radius: f32,
    /// Distance that a mesh keeps from walls by itself: half the width of the agents that it was made for.
    pub mesh_radius: f32,
    /// Free height that it needs.
    pub height: f32,
    /// Highest step.
    pub climb: f32,
    /// Steepest slope.
    pub slope_rad: f32,
    /// Widest gap that it jumps.
    pub jump: f32,
    /// Whether links are found where it can jump.
    pub has_links: bool,
    /// Edge and height of the cells of which its mesh is baked, for changes of settings that the bake sees; `None` where
    /// none is.
    pub cells: Option<[f32; 2]>,
}

impl AgentLimits {
    /// Parts of a mesh smaller than this are no finding, square metres: the square of the agent's width.
    pub(super) fn min_island(&self) -> f64 {
        f64::from(2.0 * self.radius).powi(2)
    }
}

/// A person, as the tests of the doctor ask for one.
#[cfg(test)]
pub(super) const PERSON: AgentLimits = AgentLimits {
    radius: 0.3,
    mesh_radius: 0.3,
    height: 1.8,
    climb: 0.4,
    slope_rad: std::f32::consts::FRAC_PI_4,
    jump: 1.0,
    has_links: false,
    cells: None,
};

impl From<&BakeSettings> for AgentLimits {
    fn from(settings: &BakeSettings) -> Self {
        Self {
            radius: settings.agent_radius,
            mesh_radius: settings.agent_radius,
            height: settings.agent_height,
            climb: settings.agent_climb,
            slope_rad: settings.slope_rad,
            jump: settings.links.as_ref().map_or(1.0, |links| links.max_gap),
            has_links: settings.links.is_some(),
            cells: None,
        }
    }
}
