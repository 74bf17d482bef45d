//! Questions to a navigation mesh.

pub mod exact;
