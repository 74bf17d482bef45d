//! What is asked before something goes on.

use std::path::PathBuf;

/// A question that holds things up until it is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// There are unsaved changes; the text says what would lose them: "opening another scene".
    Unsaved(&'static str),
    /// Something needs the scene in a file as it is now; the text says why.
    SaveFirst(&'static str),
    /// A run ended without a word and left unsaved work.
    Restore {
        /// Where its scene is saved.
        scene: Option<PathBuf>,
        /// How long ago it was written, seconds.
        age_secs: u64,
    },
    /// A model file came in; what is it?
    ModelFile {
        /// The file.
        path: PathBuf,
        /// Whether it looks like a level.
        is_level: bool,
        /// The point of the window on which it was dropped.
        at: Option<egui::Pos2>,
    },
}
