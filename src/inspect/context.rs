//! What overlays draw from.

use super::inspector::Inspector;
use crate::asset::AssetStore;
use crate::scene::{Scene, Selection};
use crate::sim::World;

/// What overlays draw from.
#[derive(Clone, Copy)]
pub struct OverlayContext<'a> {
    /// The live world.
    pub world: &'a World,
    /// The tools that look into it.
    pub inspector: &'a Inspector,
    /// The scene.
    pub scene: &'a Scene,
    /// Loaded models.
    pub assets: &'a AssetStore,
    /// What is selected.
    pub selection: &'a Selection,
}
