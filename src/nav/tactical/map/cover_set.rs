//! The covers of a level, in a grid by place.

use glam::Vec3;

use crate::math::Aabb;
use crate::nav::mesh::{Grid, NavMesh};
use crate::nav::tactical::segment::CoverSegment;

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

/// Something that hides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cover {
    /// An obstacle beside the mesh.
    Segment(CoverSegment),
    /// A flat, convex polygon of floor or ceiling; a triangle repeats its last corner.
    Slab([Vec3; 4]),
}

impl Cover {
    /// Bounding box, local.
    pub(super) fn bounds(&self) -> Aabb {
        match self {
            Self::Segment(s) => Aabb::from_points([s.a, s.b, s.a + Vec3::Y * s.height, s.b + Vec3::Y * s.height]),
            Self::Slab(corners) => Aabb::from_points(*corners),
        }
    }

    /// The corners of its outline in space; a segment is a rectangle that reaches `skirt` metres below the ground.
    pub(in crate::nav::tactical) fn corners(&self, skirt: f32) -> [Vec3; 4] {
        match self {
            Self::Segment(s) => {
                let (low, high) = (Vec3::Y * -skirt, Vec3::Y * s.height);
                [s.a + low, s.b + low, s.b + high, s.a + high]
            }
            Self::Slab(corners) => *corners,
        }
    }

    fn is_finite(&self) -> bool {
        match self {
            Self::Segment(s) => s.a.is_finite() && s.b.is_finite() && s.height.is_finite(),
            Self::Slab(corners) => corners.iter().all(|c| c.is_finite()),
        }
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
