//! Behaviour graphs of characters.

pub mod graph;
