//! Files: the one reader and the one writer of all that a user or another file can name, and the
//! watch for their changes.

pub mod read;
pub mod watch;
pub mod write;

pub use read::{ReadFault, read, read_inside, read_text};
pub use write::{WriteFault, write};
