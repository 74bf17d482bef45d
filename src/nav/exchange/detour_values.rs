//! What Detour's files say besides polygons and links.

/// The agents that a mesh was made for, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExchangeAgent {
    /// Height.
    pub height: f32,
    /// Radius.
    pub radius: f32,
    /// Highest step.
    pub climb: f32,
}

/// What an off-mesh connection has besides a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConnectionValues {
    /// Radius of its ends, metres.
    pub radius: f32,
    /// The number that a program gave it.
    pub user_id: u32,
}

/// What a set of tiles says besides polygons and links, so that it goes back as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct DetourValues {
    /// The agents.
    pub agent: ExchangeAgent,
    /// The number that a program gave its tiles.
    pub user_id: u32,
    /// For each link its connection; empty where the links come from elsewhere.
    pub connections: Vec<ConnectionValues>,
    /// Tiles that it has.
    pub tiles: usize,
    /// What is lost when it goes back, a sentence each.
    pub lost: Vec<String>,
}

impl DetourValues {
    /// The values of a mesh that does not come from Detour.
    pub fn new(agent: ExchangeAgent) -> Self {
        Self { agent, user_id: 0, connections: Vec::new(), tiles: 0, lost: Vec::new() }
    }
}
