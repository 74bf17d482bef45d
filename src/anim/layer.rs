//! Layers over a pose: a clip on a part of the skeleton, added to what is there or in its place.

use crate::asset::Skeleton;
use crate::ids::ClipId;
use crate::vocab::labelled;
use serde::{Deserialize, Serialize};

/// Most layers of a pose.
pub const MAX_LAYERS: usize = 4;

labelled! {
    /// How a layer changes the pose below it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum LayerKind: label {
        /// Adds the difference of its clip to the clip's start.
        #[default]
        Additive = "Additive",
        /// Takes the place of what is below it.
        Override = "Override",
    }
}

/// A layer at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseLayer {
    /// Its clip.
    pub clip: ClipId,
    /// Seconds from the clip's start.
    pub time_secs: f32,
    /// Its weight, 0…1; 0 is no layer.
    pub weight: f32,
    /// How it changes what is below it.
    pub kind: LayerKind,
    /// Half-open range of the nodes that it changes.
    pub nodes: [u32; 2],
}

/// The nodes at and below a node, as a half-open range: nodes lie in depth-first order.
pub fn nodes_below(skeleton: &Skeleton, node: u32) -> [u32; 2] {
    let after = skeleton.parents.iter().enumerate().skip(node as usize + 1);
    let end = after.take_while(|(_, parent)| parent.is_some_and(|parent| parent.0 >= node)).last();
    [node, end.map_or(node, |(i, _)| i as u32) + 1]
}
