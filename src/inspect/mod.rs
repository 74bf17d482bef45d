//! What looks into the world and never moves it: overlays, the workbench's query tool, the crowd demo.

mod context;
pub mod crowd_demo;
mod inspector;
mod interaction;
pub mod nav_gizmos;
pub mod overlays;
pub mod query_tool;

pub use inspector::Inspector;
