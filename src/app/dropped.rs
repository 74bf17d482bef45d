//! Files that were dropped on the window.

use egui::{Context, Pos2};
use std::collections::VecDeque;
use std::path::PathBuf;

/// A file that was dropped on the window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DroppedFile {
    pub path: PathBuf,
    /// The point of the window, where it is known.
    pub at: Option<Pos2>,
}

/// Files that were dropped together, in their order: while there is a question about one, the others wait.
#[derive(Clone, Debug, Default)]
pub(super) struct DroppedFiles {
    files: VecDeque<DroppedFile>,
    /// How many of the last ones no frame has seen.
    fresh: usize,
}

impl DroppedFiles {
    /// Takes a file in that has just been dropped.
    pub fn push(&mut self, path: PathBuf) {
        self.files.push_back(DroppedFile { path, at: None });
        self.fresh += 1;
    }

    /// Notes where the cursor is in the first frame after a drop: while files are dragged over the window it is not told.
    pub fn locate(&mut self, ctx: &Context) {
        let at = ctx.input(|input| input.pointer.latest_pos());
        let fresh = std::mem::take(&mut self.fresh);
        self.files.iter_mut().rev().take(fresh).for_each(|file| file.at = at);
    }

    /// The next file.
    pub fn pop(&mut self) -> Option<DroppedFile> {
        self.files.pop_front()
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}
