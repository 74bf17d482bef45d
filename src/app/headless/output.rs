//! What commands print, and how they refuse what was typed.

use crate::disk::write::{ReaderGone, STANDARD_OUTPUT};
use crate::disk::{folder_of, has_extension};
use anyhow::bail;
use serde::Serializer;
use std::io::Write;
use std::path::Path;
use thiserror::Error;

/// What was typed cannot be done, whatever the files hold: the program ends with exit code 2.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Leaves a command because of what was typed.
macro_rules! misused {
    ($($text:tt)*) => {
        return Err(anyhow::Error::new($crate::app::headless::output::Usage(format!($($text)*))))
    };
}
pub(super) use misused;

/// Writes a line to standard error. Unlike `eprintln!` it does not panic where that is closed.
pub fn print_aside(text: &str) {
    let _unread = writeln!(std::io::stderr(), "{text}");
}

/// Says that a file was written: on standard error where its contents went to standard output.
///
/// # Errors
/// As [`print_line`].
pub fn print_written(file: &Path, text: &str) -> anyhow::Result<()> {
    if is_standard_output(file) {
        print_aside(text);
        return Ok(());
    }
    print_line(text)
}

/// Checks that the name after an option says what is written there, so that a slip of the pen costs no scene or level.
///
/// # Errors
/// A name with another ending that does not stand for standard output.
pub fn check_ending(option: &str, file: Option<&Path>, kind: &str, ending: &str) -> anyhow::Result<()> {
    let wrong = |path: &&Path| !is_standard_output(path) && !has_extension(path, &[ending]);
    if let Some(file) = file.filter(wrong) {
        misused!("{option} {} is no {kind}; give a name that ends in .{ending}, or -", file.display());
    }
    Ok(())
}

/// Checks the file that an option names beside `--json`: its ending, that not both go to standard output, where neither could be
/// read, and that its folder is there.
///
/// # Errors
/// As for [`check_ending`] and [`check_folder`]; both go to standard output.
pub fn check_output(option: &str, file: Option<&Path>, [kind, ending]: [&str; 2], json: bool) -> anyhow::Result<()> {
    check_ending(option, file, kind, ending)?;
    if json && file.is_some_and(is_standard_output) {
        misused!("{option} - and --json both write to standard output; give {option} a file");
    }
    check_folder(file)
}

/// Checks that the folder of a file that is to be written is there, before what takes long is done for it.
///
/// # Errors
/// It is not.
pub fn check_folder(file: Option<&Path>) -> anyhow::Result<()> {
    // That of a bare name is the current one.
    let is_there = |folder: &Path| folder.as_os_str().is_empty() || folder.is_dir();
    let folder = file.filter(|file| !is_standard_output(file)).map(folder_of);
    match folder.filter(|folder| !is_there(folder)) {
        Some(folder) => bail!("there is no folder {}; make it, or name another file", folder.display()),
        None => Ok(()),
    }
}

/// Serializes the name of a file as it is shown: what of it is no Unicode is replaced.
///
/// # Errors
/// The serializer's.
pub fn as_shown<S: Serializer>(file: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&file.display())
}

/// Whether the reader of standard output has gone away, as in `walkabout … | head`: that is no failure.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| match cause.downcast_ref::<std::io::Error>() {
        Some(cause) => cause.kind() == std::io::ErrorKind::BrokenPipe,
        None => cause.is::<ReaderGone>(),
    })
}

/// Whether a name stands for standard output.
pub fn is_standard_output(file: &Path) -> bool {
    file == Path::new(STANDARD_OUTPUT)
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
