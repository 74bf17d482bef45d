//! How far a command is: one line on standard error that is written over, when a person sees it.

use std::io::{IsTerminal, Stderr, Write};
use std::time::{Duration, Instant};

/// Shortest time between two texts.
const PAUSE: Duration = Duration::from_millis(100);

/// A line that tells how far a command is. Nothing is written where standard error is no terminal; the line is wiped
/// away when this is dropped.
#[derive(Debug)]
pub struct ProgressLine<W: Write = Stderr> {
    out: Option<W>,
    width: usize,
    last: Option<Instant>,
}

impl ProgressLine {
    /// On standard error.
    pub fn new() -> Self {
        let out = std::io::stderr();
        Self::on(out.is_terminal().then_some(out))
    }
}

impl Default for ProgressLine {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Write> ProgressLine<W> {
    fn on(out: Option<W>) -> Self {
        Self { out, width: 0, last: None }
    }

    /// Shows a text at once.
    pub fn say(&mut self, text: &str) {
        let Some(out) = &mut self.out else { return };
        let width = text.chars().count();
        // Blanks over what is left of a longer text. That it cannot be shown changes nothing for the command.
        let _ = write!(out, "\r{text}{:1$}", "", self.width.saturating_sub(width)).and_then(|()| out.flush());
        (self.width, self.last) = (width, Some(Instant::now()));
    }

    /// Shows a text unless the last one is only just there: for loops.
    pub fn tell(&mut self, text: impl FnOnce() -> String) {
        if self.out.is_some() && self.last.is_none_or(|last| last.elapsed() >= PAUSE) {
            self.say(&text());
        }
    }
}

impl<W: Write> Drop for ProgressLine<W> {
    fn drop(&mut self) {
        if self.width > 0 {
            self.say("");
            if let Some(out) = &mut self.out {
                let _ = write!(out, "\r").and_then(|()| out.flush());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_text_wipes_a_longer_one_away_and_the_end_wipes_all() {
        let mut written = Vec::new();
        {
            let mut progress = ProgressLine::on(Some(&mut written));
            progress.say("importing");
            progress.tell(|| "too soon".into());
            progress.say("done");
        }
        assert_eq!(String::from_utf8(written).as_deref(), Ok("\rimporting\rdone     \r    \r"));
    }

    #[test]
    fn without_a_terminal_nothing_is_written() {
        let mut progress = ProgressLine::<Vec<u8>>::on(None);
        progress.say("importing");
        progress.tell(|| unreachable!("it would not be read"));
        assert_eq!(progress.width, 0);
    }
}
