//! The live world: what moves, and the systems that move it.
//!
//! [`World`] is data. [`World::reconcile`] derives it from a scene; [`World::step`] runs the systems of `systems` in
//! their order. An agent is three things: what the scene says ([`SceneInstance`](crate::scene::SceneInstance)), what the
//! body does (`CharacterState`, of which [`InstanceState`] is what others see), and what the crowd knows
//! ([`Agent`](crate::nav::crowd::Agent)).

mod behavior_state;
mod character;
mod clip_events;
mod control;
mod derived;
mod door;
mod dust;
mod event;
mod foot_state;
mod head_and_face;
mod inertia;
mod instance;
mod instance_arrays;
mod level_parts;
pub mod model_rig;
mod morph_weights;
mod motion_queries;
pub mod orders;
mod parallel;
mod path_state;
pub mod pose;
mod preview;
mod queries;
mod reconcile;
mod state_hash;
mod step;
mod system_state;
mod systems;
#[cfg(test)]
mod tests;
mod traversal;
mod world;

pub use clip_events::PassedEvent;
pub use derived::level::LevelGeometry;
pub use derived::{cover, nav_mesh};
pub use dust::Grain;
pub use event::{Event, EventKind};
pub use instance::{InstanceState, NavStatus, Pose};
pub use level_parts::LevelParts;
pub use model_rig::usable_scale;
pub use motion_queries::FootPlace;
pub use orders::{Orders, Steer};
pub use preview::{Ghost, Preview};
pub use queries::Footfall;
pub use state_hash::StateHash;
pub use systems::interaction::{InteractionCandidate, InteractionView};
pub use systems::plane;
pub use world::World;

/// Length of one simulation step in seconds.
pub const STEP_SECS: f32 = 1.0 / 60.0;
