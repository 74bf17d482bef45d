//! The covers of a level, in a grid by place.

use crate::math::Aabb;
use crate::nav::mesh::{Grid, NavMesh};
use crate::nav::tactical::cover::Cover;

/// A cover of a [`CoverMap`](super::CoverMap): segments first, in the order given, then slabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoverId(pub u32);

/// Settings of a cover map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapSettings {
    /// Most covers per polygon, at most 255.
    pub capacity: usize,
    /// Covers farther away than this are ignored, metres, at most 10,000.
    pub reach: f32,
    /// Height of an enemy's eyes over the ground, metres.
    pub eye_height: f32,
}

impl Default for MapSettings {
    fn default() -> Self {
        Self { capacity: 8, reach: 40.0, eye_height: 1.7 }
    }
}

/// All covers of a level.
#[derive(Clone, Debug)]
pub(super) struct CoverSet {
    pub(super) settings: MapSettings,
    /// By id; `None` for covers that are not finite or were removed.
    pub(super) covers: Vec<Option<Cover>>,
    /// Ids by place.
    pub(super) grid: Grid,
}

impl CoverSet {
    /// Keeps the finite ones of the covers.
    pub(super) fn new(all: impl Iterator<Item = Cover>, mesh: &NavMesh, settings: MapSettings) -> Self {
        let covers: Vec<Option<Cover>> = all.map(|c| Some(c).filter(Cover::is_finite)).collect();
        // The grid needs a box for each id; a dropped cover is skipped wherever a query meets it.
        let anywhere = Aabb::from_points([mesh.bounds().center()]);
        let boxes: Vec<Aabb> = covers.iter().map(|c| c.map_or(anywhere, |c| c.bounds())).collect();
        Self { settings, covers, grid: Grid::build(&boxes) }
    }
}
