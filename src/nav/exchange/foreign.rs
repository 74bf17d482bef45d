//! A navigation mesh as another program keeps it: polygons with corners of their own, not yet joined.

use glam::DVec3;

use crate::nav::mesh::off_mesh::PlacedLink;
use crate::nav::mesh::{DetourValues, RawMesh};

/// A convex polygon of another program, in our axes: metres, Y up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForeignPolygon {
    /// Corners in order, of either winding.
    pub corners: Vec<DVec3>,
    /// Area type, 0 to 63.
    pub area: u8,
    /// Flags for filters; a polygon with flags 0 is passed by no filter.
    pub flags: u16,
    /// Triangles that follow the ground, empty where the polygon is flat enough without.
    pub detail: Vec<[DVec3; 3]>,
}

/// A passage between two polygons over parts of their borders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BorderJoint {
    /// A polygon and the edge from this corner to the next.
    pub from: [u32; 2],
    /// The other polygon and its edge.
    pub to: [u32; 2],
}

/// How polygons become neighbours.
#[derive(Clone, Debug, PartialEq)]
pub enum Joining {
    /// By these passages alone, as the file says. Where the heights of both borders differ by more than `climb` metres
    /// everywhere they overlap, there is no passage.
    Explicit {
        /// The passages; each is named once.
        joints: Vec<BorderJoint>,
        /// Largest difference of heights, metres.
        climb: f64,
    },
    /// Wherever borders lie upon each other within `reach` metres seen from above and `climb` metres of height.
    Nearby {
        /// Largest distance from above, metres.
        reach: f64,
        /// Largest difference of heights, metres.
        climb: f64,
    },
}

/// Parts of a mesh whose borders are joined over a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedRegions {
    /// Largest gap, metres in space.
    pub margin: f64,
    /// For each polygon its region; `None` where the borders of a region stay apart.
    pub of: Vec<Option<u32>>,
}

/// The mesh of another program.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignMesh {
    /// The format in words, such as "Source engine navigation mesh, version 16".
    pub format: String,
    /// Its polygons.
    pub polygons: Vec<ForeignPolygon>,
    /// The same as the file lists them, in parts that share no vertices; of formats whose polygons name their corners by
    /// number.
    pub listed: Vec<RawMesh>,
    /// How they are joined.
    pub joining: Joining,
    /// Radius of the agents that it was made for, metres, where the file tells.
    pub agent_radius: Option<f32>,
    /// Regions that are joined over gaps, too.
    pub regions: Option<JoinedRegions>,
    /// What a set of Detour's tiles says besides.
    pub detour: Option<DetourValues>,
    /// Its off-mesh links: jumps, drops, ladders.
    pub links: Vec<PlacedLink>,
    /// Places to hide, in the world.
    pub cover: Vec<DVec3>,
    /// What the reader left out or changed, a sentence each.
    pub notes: Vec<String>,
}

impl ForeignMesh {
    /// An empty mesh of a format.
    pub fn new(format: String, joining: Joining) -> Self {
        Self {
            format,
            polygons: Vec::new(),
            listed: Vec::new(),
            joining,
            agent_radius: None,
            regions: None,
            detour: None,
            links: Vec::new(),
            cover: Vec::new(),
            notes: Vec::new(),
        }
    }
}
