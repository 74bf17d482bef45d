//! Commands that need no display: one file each, with its arguments (what can be typed) and `run` (what it does).

mod area;
pub mod assets;
pub mod bake;
pub mod bench;
mod bench_motion;
mod bench_paths;
mod case_result;
pub mod check;
pub mod completions;
pub mod convert;
mod demo_cases;
pub mod diff;
pub mod doctor;
mod error;
pub mod gpu;
pub mod ground;
pub mod import;
pub mod index;
mod level;
mod mesh;
mod mesh_path;
pub mod nav_query;
pub mod nav_test;
mod output;
mod overlay_layers;
mod pairs;
pub mod path;
pub mod path_args;
mod progress;
mod record;
pub mod render;
pub mod simulate;
mod step_times;
mod targets;
mod watch;

pub use output::{Usage, print_line};
