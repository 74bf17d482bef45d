//! The humanoid of a model: which of its nodes are the bones of a human body, whatever they are called.

mod body;
mod names;
mod rig;

pub use body::Humanoid;
pub use rig::{Rig, rotation_of};

#[cfg(test)]
mod tests;
