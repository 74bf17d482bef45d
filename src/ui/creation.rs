//! Many instances at once: how many of which model are wanted, and where.

use crate::ids::ModelId;
use crate::vocab::labelled;
use glam::Vec3;

/// Most instances that are created at once.
pub const MAX_COUNT: u32 = 10_000;

labelled! {
    /// How new instances are spread.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Spread: label, help {
        /// Anywhere on ground that can be walked on.
        Ground = "Scattered on the ground"
            "Anywhere that can be walked on, evenly by area, but for small islands such as tops of walls.",
        /// At random in a square around the middle of the picture.
        Random = "At random"
            "In a square around the middle of the viewport, on the ground where there is some.",
        /// In rows and columns around the middle of the picture.
        Grid = "In a grid"
            "In rows and columns around the middle of the viewport, on the ground where there is some.",
        /// Along corners that are clicked on the ground.
        Path = "Along a path" "One after the other along corners that are clicked on the ground.",
    }
}

/// What is to be created.
#[derive(Clone, Debug, PartialEq)]
pub struct Creation {
    /// Of which model; the first of the scene when it is gone.
    pub model: Option<ModelId>,
    /// How many.
    pub count: u32,
    /// Where.
    pub spread: Spread,
    /// Least distance between two, or the side of a grid's cell, metres.
    pub distance: f32,
    /// Corners of the path of [`Spread::Path`], in world space.
    pub corners: Vec<Vec3>,
    /// Half the side of the square of [`Spread::Random`], metres.
    pub reach: f32,
    /// The same seed gives the same places.
    pub seed: u64,
    /// Whether each looks another way.
    pub turned: bool,
    /// Whether they walk, each to a random target if there are targets.
    pub walk: bool,
    /// Whether they take the material variants of their model in turn.
    pub dressed: bool,
}

impl Default for Creation {
    fn default() -> Self {
        Self {
            model: None,
            count: 50,
            spread: Spread::Ground,
            distance: 1.0,
            corners: Vec::new(),
            reach: 10.0,
            seed: 1,
            turned: true,
            walk: false,
            dressed: true,
        }
    }
}
