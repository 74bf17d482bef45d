//! What goes on after the question about unsaved changes.

use std::path::PathBuf;

/// What goes on after the question about unsaved changes.
#[derive(Clone, Debug, PartialEq)]
pub enum PendingAction {
    /// The program ends.
    Quit,
    /// An empty scene.
    New,
    /// Another scene.
    Open(PathBuf),
    /// A new scene around a level.
    OpenLevel(PathBuf),
    /// The unsaved work that was left behind.
    Restore,
    /// The file of a test case is asked for.
    Record,
}
