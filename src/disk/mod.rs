//! Files: the one reader of all that a user or another file can name.

pub mod read;

pub use read::{ReadFault, read, read_inside, read_text};
