//! `walkabout convert`: writes a scene anew in the current version.

use super::output::{is_standard_output, print_line};
use crate::scene::file;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a scene anew in the current version.
///
/// Reads any version that the original wrote. The output is written whole or not at all; a file that is already there stays
/// beside it as NAME.acfg.bak. Names of models stay as they are, so keep the output in the same folder as the input,
/// or in one beside it.
#[derive(Debug, clap::Args)]
pub struct ConvertArgs {
    /// Scene to read (.acfg).
    pub input: PathBuf,

    /// Scene to write (.acfg), or - for standard output.
    pub output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When the input cannot be read or the output cannot be written.
pub fn run(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let loaded = file::load(&args.input)?;
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    if is_standard_output(&args.output) {
        return print_line(file::to_string(&loaded.scene, &loaded.selection).trim_end()).map(|()| ExitCode::SUCCESS);
    }
    file::save(&loaded.scene, &loaded.selection, &args.output)?;
    print_line(&format!("{}: {} instances", args.output.display(), loaded.scene.instances.len()))?;
    Ok(ExitCode::SUCCESS)
}
