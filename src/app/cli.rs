//! The command line: what a user may type and where it leads.
//!
//! A headless command lives in a file of its own below `headless/`, with `Args` and `run`; here it has one variant
//! and one arm.

use super::headless;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

/// A workbench for game characters that find their way.
///
/// Without a command, opens a window on SCENE (the plaza without one). The commands work without a display.
#[derive(Debug, Parser)]
#[command(name = "walkabout", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub struct Cli {
    /// Scene (.acfg), level, model or navigation mesh to open in a window.
    pub scene: Option<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment would replace the help text of the program")]
    pub device: headless::gpu::DeviceArgs,

    /// What to do instead of opening a window.
    #[command(subcommand)]
    pub command: Option<HeadlessCommand>,
}

const EXAMPLES: &str = "\
Examples:
  walkabout config/plaza.acfg
  walkabout render config/plaza.acfg --out plaza.png --size 1280x720 --seconds 10
  walkabout simulate config/plaza.acfg --seconds 60 --json
  walkabout path assets/levels/plaza.glb --from -22,0,27 --to 16.6,2.4,-28.5 --json

Exit codes: 0 done, 1 failed, 2 wrong usage.";

/// The headless commands. Each is explained where its arguments stand: a text here would hide that one.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "a doc comment would replace the help text of the command's own arguments")]
pub enum HeadlessCommand {
    Check(headless::check::CheckArgs),
    Completions(headless::completions::CompletionsArgs),
    Convert(headless::convert::ConvertArgs),
    Import(headless::import::ImportArgs),
    Diff(headless::diff::DiffArgs),
    Doctor(headless::doctor::DoctorArgs),
    Gpu(headless::gpu::GpuArgs),
    Ground(headless::ground::GroundArgs),
    NavQuery(headless::nav_query::NavQueryArgs),
    NavTest(headless::nav_test::NavTestArgs),
    Path(Box<headless::path_args::PathArgs>),
    Bake(headless::bake::BakeArgs),
    Index(headless::index::IndexArgs),
    Man(headless::completions::ManArgs),
    Render(headless::render::RenderArgs),
    Bench(headless::bench::BenchArgs),
    Simulate(headless::simulate::SimulateArgs),
}

impl Cli {
    /// Reads the command line; ends the program where it cannot be understood, as clap does. Where the first word is
    /// neither a command nor a file, it is taken for a command that was misspelt, not for a scene.
    pub fn from_command_line() -> Self {
        Self::try_parse().unwrap_or_else(|error| {
            let first = std::env::args_os().nth(1).filter(|word| !PathBuf::from(word).exists());
            let may_misspell = matches!(error.kind(), ErrorKind::ArgumentConflict | ErrorKind::UnknownArgument);
            match first.filter(|_| may_misspell) {
                Some(word) if Self::command().find_subcommand(&word).is_none() && !is_option(&word) => {
                    let text = format!("there is no command and no file '{}'", word.display());
                    Self::command().error(ErrorKind::InvalidSubcommand, text).exit()
                }
                _ => error.exit(),
            }
        })
    }

    /// Does what was asked.
    ///
    /// # Errors
    /// Whatever the command says; the caller prints the chain.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            None => {
                self.device.choose()?;
                super::run_window(self.scene)
            }
            Some(command) => {
                let input = command.input();
                command.run().map_err(|error| match input {
                    // What was typed wrongly says so itself.
                    Some(input) if !error.is::<headless::Usage>() => error.context(FailedInput(input)),
                    _ => error,
                })
            }
        }
    }
}

fn is_option(word: &OsStr) -> bool {
    word.to_string_lossy().starts_with('-')
}

/// The file that a command was to work on: the outermost context of its error, so that errors of what a scene names lead
/// to the scene.
#[derive(Debug, thiserror::Error)]
#[error("in {}", .0.display())]
pub struct FailedInput(pub PathBuf);

impl HeadlessCommand {
    /// The one file that the command works on, as typed.
    fn input(&self) -> Option<PathBuf> {
        match self {
            Self::Import(args) => Some(args.model.clone()),
            Self::Bake(args) => Some(args.input.clone()),
            Self::Bench(args) => args.scene.clone(),
            Self::Convert(args) => Some(args.input.clone()),
            Self::Doctor(args) => Some(args.input.clone()),
            Self::Ground(args) => Some(args.level.input.clone()),
            Self::NavQuery(args) => Some(args.input.level.input.clone()),
            Self::Index(args) => Some(args.input.level.input.clone()),
            Self::Path(args) => Some(args.input.level.input.clone()),
            Self::Render(args) => Some(args.scene.clone()),
            Self::Simulate(args) => Some(args.scene.clone()),
            // Without a file, with several, or with findings that name theirs.
            Self::Check(_) | Self::Completions(_) | Self::Diff(_) | Self::Gpu(_) | Self::Man(_) | Self::NavTest(_) => {
                None
            }
        }
    }

    /// Runs a headless command.
    ///
    /// # Errors
    /// What the command says.
    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Import(args) => headless::import::run(args),
            Self::Bake(args) => headless::bake::run(&args),
            Self::Bench(args) => headless::bench::run(&args),
            Self::Check(args) => headless::check::run(&args),
            Self::Completions(args) => headless::completions::run(&args, Cli::command()),
            Self::Man(args) => headless::completions::write_manual(&args, Cli::command()),
            Self::Convert(args) => headless::convert::run(&args),
            Self::Diff(args) => headless::diff::run(&args),
            Self::Doctor(args) => headless::doctor::run(&args),
            Self::Gpu(args) => headless::gpu::run(&args),
            Self::Ground(args) => headless::ground::run(&args),
            Self::NavQuery(args) => headless::nav_query::run(&args),
            Self::NavTest(args) => headless::nav_test::run(&args),
            Self::Index(args) => headless::index::run(&args),
            Self::Path(args) => headless::path::run(&args),
            Self::Render(args) => headless::render::run(args),
            Self::Simulate(args) => headless::simulate::run(args),
        }
    }
}
