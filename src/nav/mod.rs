//! Navigation: meshes, searches, queries, planners, crowds, tactical paths, and how to follow a path.

pub mod bake;
pub mod crowd;
pub mod debug;
pub mod diff;
pub mod doctor;
pub mod exchange;
pub mod follow;
pub mod mesh;
pub mod original;
pub mod planner;
pub mod query;
pub mod rect_grid;
pub mod search;
pub mod tactical;
