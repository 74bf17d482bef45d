//! The live world: what moves, and the order of a simulation step.

mod behave;
mod body;
mod clear;
mod collide_pairs;
pub mod cover;
pub mod event;
mod feet;
mod gaze;
mod interact;
mod level;
pub mod links;
pub mod mesh;
mod navigate;
mod on_mesh;
pub mod orders;
pub mod plane;
pub mod pose;
mod presence;
mod preview;
mod reconcile;
mod rig;
mod step;
#[cfg(test)]
mod tests;
mod walk;
mod walkers;
mod way;
pub mod world;

pub use body::usable_scale;
pub use event::{Event, EventKind};
pub use interact::{Candidate, InteractionView};
pub use on_mesh::place as place_on_mesh;
pub use orders::{Orders, Steer};
pub use preview::Preview;
pub use world::{Live, Motion, NavStatus, StateHash, World};

/// Length of one simulation step in seconds.
pub const STEP_SECS: f32 = 1.0 / 60.0;
