//! Behaviours: graphs of nodes that tell a character what to do.
//!
//! [`graph`] is the graph as it is written, [`kind`] the table of node kinds and their properties, [`check`] turns a
//! graph into a [`Tree`] and says what is wrong with it, [`running`] lets one character live by it and hands out
//! [`Effect`]s.

pub mod check;
pub mod effect;
pub mod graph;
pub mod kind;
pub mod layout;
pub mod random;
pub mod running;
pub mod task;

pub use check::{Problem, Severity, Tree, compile};
pub use effect::Effect;
pub use running::{EventSet, Running, Watched};
