//! Finding ways: the ground graph of a level, searches over graphs, paths and how to follow them.

pub mod bake;
pub mod crowd;
pub mod debug;
pub mod follow;
pub mod ground;
pub mod mesh;
pub mod path;
pub mod planner;
pub mod query;
pub mod search;
pub mod tactical;
