//! The panels, one per file. A panel reads [`UiContext`](super::UiContext) and pushes commands.

pub mod animation;
pub mod assets;
pub mod behavior;
pub mod cameras;
pub mod create;
pub mod environment;
pub mod export;
pub mod graph;
pub mod help;
pub mod history;
pub mod inspector;
pub mod interaction;
pub mod level;
pub mod log;
pub mod looks;
pub mod map;
pub mod model;
pub mod navigation;
pub mod outliner;
pub mod overlays;
pub mod palette;
pub mod profiler;
pub mod sound;
pub mod status;
pub mod toasts;
pub mod workbench;
