//! The program: arguments in, exit code out.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use walkabout::app::cli::{Cli, FailedInput};
use walkabout::app::headless::{Usage, is_broken_pipe};

fn main() -> ExitCode {
    if let Some(code) = walkabout::asset::worker::run_if_worker() {
        return ExitCode::from(code);
    }
    start_log();
    // A typo is answered there, with exit code 2.
    let line = Cli::from_command_line();
    let opens_window = line.command.is_none();
    match line.run() {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let text = described(&error);
            // The reader has gone away; nothing is left to report to.
            let _gone = writeln!(std::io::stderr(), "walkabout: {text}");
            if opens_window {
                walkabout::app::display::show_failure(&text);
            }
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

/// What is logged of whom. What the crates of the window say of a desktop that lacks something is of no use to anyone: the program goes on
/// without it.
const FILTER: &str = "warn,wgpu_hal=error,wgpu_hal::gles=off,wgpu_core=error,naga=error,winit=error,\
                      sctk_adwaita=off,egui_winit=error";

/// Logs warnings to standard error; `RUST_LOG` chooses otherwise.
fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(FILTER));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // Where standard error is closed, an error of logging would be a panic.
    log.with_ansi(std::io::stderr().is_terminal()).log_internal_errors(false).init();
}

/// The error and its causes, each once.
fn described(error: &anyhow::Error) -> String {
    let mut causes = error.chain().skip(usize::from(error.is::<FailedInput>()));
    let mut text = causes.next().map(ToString::to_string).unwrap_or_default();
    for cause in causes {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str("\n  because: ");
            text.push_str(&cause);
        }
    }
    // What a scene names is not what was typed.
    let input = error.downcast_ref::<FailedInput>().map(|input| input.0.display().to_string());
    if let Some(input) = input.filter(|input| !text.contains(input)) {
        text.push_str("\n  in: ");
        text.push_str(&input);
    }
    text
}
