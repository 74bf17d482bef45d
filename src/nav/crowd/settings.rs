//! What agents are like, what a step may take and what it took.

/// What an agent is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentSettings {
    /// Radius of the body, metres, 0 to 10.
    pub radius: f32,
    /// Height of the body, metres, 0 to 100; agents on other floors are no neighbours.
    pub height: f32,
    /// Distance that the body's middle keeps from walls where there is room, metres, 0 to 10: the radius on meshes that
    /// reach to the walls, 0 on those that were baked for this radius.
    pub clearance: f32,
    /// Most speed, m/s, 0 to 100.
    pub max_speed: f32,
    /// Most acceleration, m/s², 0 to 1,000.
    pub max_acceleration: f32,
    /// For how long other agents are avoided ahead, seconds, 0.1 to 10.
    pub horizon_secs: f32,
}

impl Default for AgentSettings {
    /// A person who walks, on a mesh that reaches to the walls.
    fn default() -> Self {
        Self { radius: 0.3, height: 1.8, clearance: 0.3, max_speed: 1.5, max_acceleration: 8.0, horizon_secs: 1.5 }
    }
}

impl AgentSettings {
    /// The same within the ranges; what is not a number becomes the default.
    pub fn tamed(&self) -> Self {
        let plain = Self::default();
        let tame = |value: f32, or: f32, low: f32, high: f32| if value.is_nan() { or } else { value.clamp(low, high) };
        Self {
            radius: tame(self.radius, plain.radius, 0.0, 10.0),
            height: tame(self.height, plain.height, 0.0, 100.0),
            clearance: tame(self.clearance, plain.clearance, 0.0, 10.0),
            max_speed: tame(self.max_speed, plain.max_speed, 0.0, 100.0),
            max_acceleration: tame(self.max_acceleration, plain.max_acceleration, 0.0, 1000.0),
            horizon_secs: tame(self.horizon_secs, plain.horizon_secs, 0.1, 10.0),
        }
    }
}

/// What one step may spend on searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Expanded polygons. A search is not interrupted: what it takes beyond is missing to the next steps.
    pub expansions: u32,
}

impl Default for Budget {
    /// About a millisecond.
    fn default() -> Self {
        Self { expansions: 20_000 }
    }
}

impl Budget {
    /// All that is asked for.
    pub const ALL: Self = Self { expansions: u32::MAX };
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Polygons that searches expanded.
    pub expanded: u32,
    /// Searches made.
    pub searches: u32,
    /// Ways that were mended or found without a search.
    pub mended: u32,
    /// Agents that still wait for a search.
    pub waiting: u32,
}
