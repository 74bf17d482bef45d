//! The live world: what moves, and the order of a simulation step.

pub mod world;

pub use world::{Live, Motion, NavStatus, World};

/// Length of one simulation step in seconds.
pub const STEP_SECS: f32 = 1.0 / 60.0;
