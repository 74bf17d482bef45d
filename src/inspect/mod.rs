//! What looks into the world and never moves it: overlays, the workbench's query tool, the crowd demo, the doctor, the
//! motion meter.

mod contact_history;
mod context;
pub mod crowd_demo;
pub mod doctor;
mod grid;
mod inspector;
mod instances;
mod interaction;
mod mend_trial;
pub mod mesh_compare;
pub mod mesh_compare_debug;
pub mod mesh_legend;
pub mod motion_meter;
pub mod nav_gizmos;
pub mod overlay_legend;
pub mod overlay_style;
pub mod overlays;
pub mod query_tool;
pub mod tree_compare;
mod zones;

pub use contact_history::ContactHistory;
pub use inspector::Inspector;
