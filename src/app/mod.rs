//! The front door: window, frame loop, headless commands.

pub mod shell;
