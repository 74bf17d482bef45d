//! What can be wrong with what was typed, and with a point of a query.

use crate::scene::limits::MAX_AREAS;
use glam::DVec3;
use thiserror::Error;

/// Why the value of an option cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArgError {
    /// A part is no number.
    #[error("'{0}' is not a number")]
    Number(String),
    /// A coordinate is no number.
    #[error("'{0}' is not a number; write X,Y,Z")]
    Coordinate(String),
    /// A coordinate is infinite or no number.
    #[error("the numbers must be finite")]
    NotFinite,
    /// A point has too few or too many coordinates.
    #[error("there are {0} numbers; write three, X,Y,Z")]
    Coordinates(usize),
    /// An agent's measures are not three numbers of at least zero.
    #[error("'{0}' is no agent; write height, radius and step in metres, such as 1.8,0.3,0.4")]
    Agent(String),
    /// A pair has no sign between its parts.
    #[error("'{text}' has no '='; write {form}")]
    NoSign {
        /// The value as typed.
        text: String,
        /// What it should look like.
        form: &'static str,
    },
    /// An area is no number, or too large.
    #[error("'{0}' is no area; write a number from 0 to {max}", max = MAX_AREAS - 1)]
    Area(String),
    /// No mark has this name.
    #[error("'{0}' is no mark; choose slow, amphibious, cover, vulnerable")]
    Mark(String),
    /// No weight has this name.
    #[error("'{0}' is no weight; choose slow, amphibious, cover, concealment, vulnerable")]
    Weight(String),
    /// Flags are not hexadecimal, or too many.
    #[error("'{0}' is no set of flags; write up to ffff")]
    Flags(String),
    /// A size is not made of two numbers above 0.
    #[error("'{0}' is not a size; write width and height as in 1280x720")]
    Size(String),
}

/// Why a point is not on a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum OffMesh {
    /// The mesh has no polygon of this number.
    #[error("the mesh has no polygon {0}")]
    NoPolygon(u32),
    /// No polygon is near the point.
    #[error("no polygon within 2 m beside and 4 m over or under {0}")]
    TooFar(DVec3),
}

/// An end of a path that is not on the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum EndOffMesh {
    /// The path's start.
    #[error("the start is off the mesh: {0}")]
    Start(OffMesh),
    /// The path's end.
    #[error("the end is off the mesh: {0}")]
    End(OffMesh),
}
