//! What commands print, and how they refuse what was typed.

use crate::disk::write::STANDARD_OUTPUT;
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

/// Says that a file was written: on standard error where its contents went to standard output.
///
/// # Errors
/// As [`print_line`].
pub fn print_written(file: &Path, text: &str) -> anyhow::Result<()> {
    if is_standard_output(file) {
        eprintln!("{text}");
        return Ok(());
    }
    print_line(text)
}

/// Checks that the name after an option says what is written there, so that a slip of the pen costs no scene or level.
///
/// # Errors
/// A name with another ending that does not stand for standard output.
pub fn check_ending(option: &str, file: Option<&Path>, kind: &str, ending: &str) -> anyhow::Result<()> {
    let wrong =
        |path: &&Path| !is_standard_output(path) && !path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if let Some(file) = file.filter(wrong) {
        misused!("{option} {} is no {kind}; give a name that ends in .{ending}, or -", file.display());
    }
    Ok(())
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
