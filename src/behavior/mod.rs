//! Behaviour trees: graphs of nodes that control a character.
//!
//! [`graph`] is the saved graph, [`kind`] the table of node kinds and their properties, [`mod@compile`] turns a graph
//! into a [`BehaviorTree`] with a list of problems, [`tree_instance`] executes it for one character and emits
//! [`Effect`]s.

pub mod compile;
pub mod condition;
pub mod effect;
pub mod graph;
pub mod kind;
pub mod layout;
pub mod patrol;
pub mod split_mix;
pub mod task;
pub mod tree_instance;

pub use compile::{BehaviorTree, Problem, ProblemNode, Severity, compile};
pub use effect::Effect;
pub use tree_instance::{ActiveNode, NodeEventSet, TreeInstance};
