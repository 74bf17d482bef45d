//! Settings of agents, and budget and statistics of a step.

/// Fewest agents of a parallel task.
pub(super) const MIN_TASK: usize = 64;

/// Settings of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentSettings {
    /// Radius of the body, metres, 0 to 10.
    pub radius: f32,
    /// Height of the body, metres, 0 to 100; agents on other floors are no neighbours.
    pub height: f32,
    /// Distance that the centre of the body keeps from walls where there is room, metres, 0 to 10: the radius on
    /// meshes that reach to the walls, 0 on those baked for this radius.
    pub clearance: f32,
    /// Maximum speed, m/s, 0 to 100.
    pub max_speed: f32,
    /// Maximum acceleration, m/s², 0 to 1,000.
    pub max_acceleration: f32,
    /// Time horizon of the avoidance of other agents, seconds, 0.1 to 10.
    pub horizon_secs: f32,
}

impl Default for AgentSettings {
    /// A walking person on a mesh that reaches to the walls.
    fn default() -> Self {
        Self { radius: 0.3, height: 1.8, clearance: 0.3, max_speed: 1.5, max_acceleration: 8.0, horizon_secs: 1.5 }
    }
}

impl AgentSettings {
    /// Clamps to the ranges; NaN becomes the default.
    pub fn sanitized(&self) -> Self {
        let plain = Self::default();
        let sanitize =
            |value: f32, or: f32, low: f32, high: f32| if value.is_nan() { or } else { value.clamp(low, high) };
        Self {
            radius: sanitize(self.radius, plain.radius, 0.0, 10.0),
            height: sanitize(self.height, plain.height, 0.0, 100.0),
            clearance: sanitize(self.clearance, plain.clearance, 0.0, 10.0),
            max_speed: sanitize(self.max_speed, plain.max_speed, 0.0, 100.0),
            max_acceleration: sanitize(self.max_acceleration, plain.max_acceleration, 0.0, 1000.0),
            horizon_secs: sanitize(self.horizon_secs, plain.horizon_secs, 0.1, 10.0),
        }
    }
}

/// Search budget of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Expanded polygons. A search is not interrupted: expansions beyond the budget are charged to the next steps.
    pub expansions: u32,
}

impl Default for Budget {
    /// About a millisecond.
    fn default() -> Self {
        Self { expansions: 20_000 }
    }
}

impl Budget {
    /// No limit.
    pub const ALL: Self = Self { expansions: u32::MAX };
}

/// Statistics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrowdStats {
    /// Polygons that searches expanded.
    pub expanded: u32,
    /// Number of searches.
    pub searches: u32,
    /// Paths that were repaired or found without a search.
    pub repaired: u32,
    /// Agents still waiting for a search.
    pub waiting: u32,
}
