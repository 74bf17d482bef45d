//! The front door: window, frame loop, headless commands.

pub mod cli;
pub mod headless;
pub mod shell;

use std::path::PathBuf;
use std::process::ExitCode;

/// Opens the window.
///
/// # Errors
/// When there is no display or no graphics device.
pub fn run_window(scene: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    let _ = scene;
    Ok(ExitCode::SUCCESS)
}
