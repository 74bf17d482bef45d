//! The live world: what moves, and the order of a simulation step.

pub mod agents;
mod behave;
mod body;
mod clear;
mod collide_pairs;
mod crowd;
pub mod event;
mod feet;
mod interact;
mod level;
pub mod links;
pub mod mesh;
mod navigate;
mod on_mesh;
pub mod orders;
pub mod overlays;
pub mod placed;
pub mod pose;
mod preview;
pub mod probe;
mod reconcile;
mod rig;
mod step;
#[cfg(test)]
mod tests;
mod walk;
mod walkers;
mod way;
pub mod world;

pub use event::{Event, EventKind};
pub use orders::{Orders, Steer};
pub use preview::Preview;
pub use world::{Live, Motion, NavStatus, World};

/// Length of one simulation step in seconds.
pub const STEP_SECS: f32 = 1.0 / 60.0;
