//! The rules that values of a scene may break.

use crate::nav::bake::BakeError;
use thiserror::Error;

/// A rule that a value breaks, and what would be right. The text follows the name of the element, as in "instance 14 has
/// the scale 0; use a number from 0.0001 to 10000".
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RuleError {
    /// A number is out of its range, or no number.
    #[error("has the {key} {value}; use a number from {low} to {high}")]
    OutOfRange {
        /// What the number says.
        key: String,
        /// The number.
        value: f32,
        /// Smallest value allowed.
        low: f32,
        /// Largest value allowed.
        high: f32,
    },
    /// A text is too long.
    #[error("has a {key} of {bytes} bytes; at most {limit} are allowed")]
    TooLong {
        /// What the text says.
        key: String,
        /// Its length, bytes.
        bytes: usize,
        /// Greatest length, bytes.
        limit: usize,
    },
    /// A name is empty.
    #[error("has no {key}; give it one")]
    Unnamed {
        /// What the name is of.
        key: String,
    },
    /// A list is too long.
    #[error("has {count} {key}; at most {limit} are allowed")]
    TooMany {
        /// What is counted.
        key: String,
        /// How many there are.
        count: usize,
        /// How many may be.
        limit: usize,
    },
    /// A list is full.
    #[error("would be one too many: at most {limit} are allowed")]
    Full {
        /// How many may be.
        limit: usize,
    },
    /// Keys of a curve do not ascend.
    #[error("has {key} that are not in the order of their times; sort them")]
    Unordered {
        /// What they are keys of.
        key: String,
    },
    /// A new name is in use.
    #[error("name {name:?} is taken; choose another")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// Two elements of a file have one name.
    #[error("has a name that an earlier one has; rename one of them")]
    NameRepeated,
    /// A value is none of those that are known.
    #[error("{has} {value}; use {choices}")]
    Unknown {
        /// What the value says, with its verb: "has the adjacency".
        has: &'static str,
        /// The value as written.
        value: String,
        /// The values that are known.
        choices: &'static str,
    },
    /// The octree would divide cells without end.
    #[error("has the octree-threshold 0; use 1 or more")]
    ZeroThreshold,
    /// The outline of a prism has too few or too many corners.
    #[error("has an obstacle {number} whose outline has {corners} corners; use 3 to {limit}")]
    OutlineCorners {
        /// The obstacle, counted from 1.
        number: usize,
        /// Corners of its outline.
        corners: usize,
        /// Most corners allowed.
        limit: usize,
    },
    /// The outline of a prism is not convex.
    #[error(
        "has an obstacle {number} whose outline is not convex, or not counter-clockwise in x and z; put its corners in order"
    )]
    OutlineShape {
        /// The obstacle, counted from 1.
        number: usize,
    },
    /// The settings of a bake are out of range.
    #[error("cannot be baked: {0}")]
    Bake(#[from] BakeError),
    /// What the element refers to is not there.
    #[error("{0} that is gone")]
    Dangling(&'static str),
    /// The first camera is edited in a way that only others allow.
    #[error("is the first of the list, {0}")]
    FirstCamera(&'static str),
    /// An instance is its own target.
    #[error("cannot walk to itself; choose another target")]
    OwnTarget,
    /// A key holds what cannot be read.
    #[error("has a '{key}' that cannot be read: {reason}")]
    Unreadable {
        /// The key.
        key: String,
        /// The reader's words.
        reason: String,
    },
}
