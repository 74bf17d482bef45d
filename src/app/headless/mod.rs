//! Commands that need no display: one file each, with `Args` (what can be typed) and `run` (what it does).

mod area;
pub mod assets;
pub mod bake;
pub mod bench;
pub mod check;
pub mod convert;
mod error;
pub mod ground;
pub mod import;
mod level;
mod mesh;
mod mesh_path;
pub mod nav_query;
pub mod nav_test;
pub mod path;
mod progress;
pub mod render;
pub mod simulate;
mod targets;

use super::cli::Command;
use std::io::Write;
use std::process::ExitCode;
use thiserror::Error;

/// What was typed cannot be done, whatever the files hold: the program ends with exit code 2.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Leaves a command because of what was typed.
macro_rules! misused {
    ($($text:tt)*) => {
        return Err(anyhow::Error::new($crate::app::headless::Usage(format!($($text)*))))
    };
}
use misused;

/// Runs one command.
///
/// # Errors
/// What the command says.
pub fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Import(args) => import::run(args),
        Command::Bake(args) => bake::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Ground(args) => ground::run(&args),
        Command::NavQuery(args) => nav_query::run(&args),
        Command::NavTest(args) => nav_test::run(&args),
        Command::Path(args) => path::run(&args),
        Command::Render(args) => render::run(args),
        Command::Simulate(args) => simulate::run(args),
    }
}

/// Writes a line to standard output. Unlike `println!` it does not panic when the reader has gone away: the error
/// travels up and the program ends quietly.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_line(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}
