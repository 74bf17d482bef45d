//! The front door: window, frame loop, headless commands.
//!
//! [`App`] is state. Its fields' types lie below it and do not know it; what is done with it lies above, in files by subject:
//! the history's steps and the scene's files first, then what makes steps, then the commands, and the frame on top.

mod assets_panel;
mod bake;
mod bones;
pub mod camera_controller;
pub mod camera_gizmos;
mod camera_preview;
pub mod camera_view;
mod camera_wheel;
pub mod cli;
mod clip_sources;
pub mod clock;
mod compose;
mod create;
pub mod display;
mod drags;
pub mod execute;
mod export;
mod export_job;
pub mod fallen_notices;
pub mod files;
mod findings;
mod footing;
pub mod frame;
pub mod gizmo;
pub mod gizmo_drag;
mod group;
pub mod headless;
mod history;
mod import;
pub mod keys;
pub mod layout;
mod live;
mod live_files;
pub mod middle_drag;
mod model_fit;
mod pending_action;
pub mod pick;
mod pick_queue;
mod pick_requests;
mod player_input;
mod problem_report;
pub mod recent;
pub mod recovery;
mod scene_lock;
mod scene_setup;
mod selected;
pub mod selection_overlay;
mod send;
pub mod sound;
mod start;
mod state;
pub mod steering;
mod surface;
pub mod textures;
mod thumbnails;
pub mod tool;
mod unsaved;
mod viewport_state;
mod views;
mod wake;
pub mod window;

pub use start::run_window;
pub use state::App;
