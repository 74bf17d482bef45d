//! Files: the one reader and the one writer of all that a user or another file can name.

pub mod read;
pub mod write;

pub use read::{ReadFault, read, read_inside, read_text};
pub use write::{WriteFault, write};
