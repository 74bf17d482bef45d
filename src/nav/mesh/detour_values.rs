//! What files of other programs, Detour's above all, say besides polygons and links: the agents that a mesh was made for, the
//! cells of its bake, and numbers of programs.

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
    /// Edge and height of the cells of its bake, metres, where they are known; Detour's sets have none.
    pub cell: Option<[f32; 2]>,
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
        Self { agent, cell: None, user_id: 0, connections: Vec::new(), tiles: 0, lost: Vec::new() }
    }

    /// Multiplies all lengths.
    pub(in crate::nav) fn scale(&mut self, factor: f32) {
        let ExchangeAgent { height, radius, climb } = &mut self.agent;
        let own = [height, radius, climb].into_iter().chain(self.cell.iter_mut().flatten());
        own.chain(self.connections.iter_mut().map(|c| &mut c.radius)).for_each(|length| *length *= factor);
    }
}
