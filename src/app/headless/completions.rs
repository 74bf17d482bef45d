//! `walkabout completions` and `walkabout man`: what a shell completes, and the manual's pages, made from the command table.

use super::output::{is_standard_output, misused, print_line};
use crate::disk::write::write_or_print;
use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  walkabout completions bash > ~/.local/share/bash-completion/completions/walkabout
  walkabout completions zsh > ~/.zfunc/_walkabout
  walkabout completions fish > ~/.config/fish/completions/walkabout.fish
  walkabout completions powershell >> $PROFILE";

/// Print what a shell needs to complete commands and options.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Write the manual: a page for the program and one for each command.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// Folder that the pages go to, made where it is not there.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub out: PathBuf,
}

/// The name of the program in all that is made.
const PROGRAM: &str = "walkabout";

/// Prints the completions of `program`.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(args: &CompletionsArgs, mut program: Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, PROGRAM, &mut script);
    write_or_print(Path::new(crate::disk::write::STANDARD_OUTPUT), &script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the manual's pages of `program`.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_manual(args: &ManArgs, program: Command) -> anyhow::Result<ExitCode> {
    if is_standard_output(&args.out) {
        misused!("the manual is many pages, and --out - is no folder; name one");
    }
    let say = || format!("manual not written. Folder: {}", args.out.display());
    std::fs::create_dir_all(&args.out).with_context(say)?;
    let pages = manual(program)?;
    for (name, page) in &pages {
        write_or_print(&args.out.join(name), page).with_context(say)?;
    }
    print_line(&format!("{} pages in {}", pages.len(), args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The pages by their file names.
fn manual(mut program: Command) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    program.build();
    let mut pages = vec![page(PROGRAM.to_owned(), program.clone())?];
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("{PROGRAM}-{}", command.get_name());
        pages.push(page(name, command.clone())?);
    }
    Ok(pages)
}

fn page(name: String, command: Command) -> anyhow::Result<(String, Vec<u8>)> {
    let mut text = Vec::new();
    let file = format!("{name}.1");
    clap_mangen::Man::new(command.display_name(name)).render(&mut text)?;
    Ok((file, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::cli::Cli;
    use clap::{CommandFactory, ValueEnum};

    #[test]
    fn every_shell_completes_every_command() {
        for shell in Shell::value_variants() {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), PROGRAM, &mut script);
            let script = String::from_utf8(script).unwrap();
            for command in Cli::command().get_subcommands() {
                let name = command.get_name();
                let offered = match shell {
                    Shell::Bash => format!("walkabout,{name})"),
                    Shell::Elvish => format!("            cand {name} '"),
                    Shell::Fish => format!("-a \"{name}\" -d"),
                    Shell::PowerShell => format!("[CompletionResult]::new('{name}', '{name}'"),
                    Shell::Zsh => format!("\n'{name}:"),
                    _ => panic!("how does {shell} offer a command?"),
                };
                assert!(script.contains(&offered), "{shell}: {offered}");
            }
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let pages = manual(Cli::command()).unwrap();
        assert_eq!(pages.len(), 1 + Cli::command().get_subcommands().count());
        let (name, page) = pages.iter().find(|(name, _)| name == "walkabout-render.1").unwrap();
        let page = String::from_utf8(page.clone()).unwrap();
        assert!(
            page.contains("backend") && page.contains(".SH EXAMPLES") | page.contains("Examples:"),
            "{name}: {page}"
        );
    }
}
