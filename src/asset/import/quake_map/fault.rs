//! Why packages of Quake III are not read.

use thiserror::Error;

/// Why a package is not read.
#[derive(Debug, Error)]
pub(super) enum QuakeMapFault {
    /// It has no directory.
    #[error("it is no package of Quake III, which is a ZIP file, or it is cut off")]
    NoPackage,
    /// The directory is damaged.
    #[error("its list of files is damaged")]
    Directory,
    /// There is no map in it.
    #[error("it holds no map (`maps/NAME.bsp`): it is a ZIP file, unpack it and open the models in it")]
    NoMap,
    /// A file in it cannot be unpacked.
    #[error("the file {0:?} in it is damaged, encrypted, packed in an unknown way, or too large")]
    Entry(String),
    /// The map is of another family of games.
    #[error("its map is of another game than Quake III: its file does not begin with `IBSP`")]
    NoQuakeMap,
    /// The map is of another game of the family.
    #[error("its map is of version {0}; read are those of Quake III, 46, and of its successors, 47")]
    Version(u32),
    /// The map ends too early.
    #[error("its map is cut off")]
    CutOff,
}
