//! What a mesh consists of, and which of it a query may use.

use glam::Vec3;

/// No polygon or no neighbour: a wall.
pub const NONE: u32 = u32::MAX;

/// Id of a polygon of a [`NavMesh`](super::NavMesh): its index in the mesh's own spatial order, which differs from the file's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolyId(pub u32);

impl PolyId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A point on a mesh: a polygon and a position over it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NavPoint {
    /// The polygon.
    pub polygon: PolyId,
    /// A point over or under the polygon, local; queries take its height from the surface.
    pub point: Vec3,
}

impl NavPoint {
    /// The point of this polygon.
    #[inline]
    pub const fn new(polygon: PolyId, point: Vec3) -> Self {
        Self { polygon, point }
    }
}

/// A convex polygon; its edges lie in [`NavMesh::edges`](super::NavMesh::edges).
#[derive(Clone, Copy, Debug)]
pub struct Polygon {
    /// Index of its first edge.
    pub first_edge: u32,
    /// Number of edges and corners, at least 3.
    pub edge_count: u16,
    /// Area type (see [`Filter`]), 0 to 63.
    pub area: u8,
    /// User-defined flags, tested by filters.
    pub flags: u16,
    /// Island (connected component): equal for two polygons exactly if edges connect them.
    pub island: u32,
    /// Mean of the corners, local.
    pub center: Vec3,
}

/// An edge of a polygon, from its vertex to the vertex of the polygon's next edge. The interior lies where
/// [`plan::cross`](crate::math::plan::cross) is positive.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Vertex at its begin.
    pub vertex: u32,
    /// The polygon beyond, [`NONE`] for a wall.
    pub neighbor: u32,
    /// The opposite edge of the neighbour, [`NONE`] for a wall.
    pub twin: u32,
    /// Its polygon.
    pub polygon: u32,
}

/// Polygons that a query may use, and the cost of a metre on them (Detour's `dtQueryFilter`).
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// A polygon needs at least one of these flags.
    pub include: u16,
    /// A polygon may have none of these flags.
    pub exclude: u16,
    /// Cost of a metre by area; values of at least 1 keep the heuristic admissible. What is negative or no number counts
    /// as 0; over ground of infinite cost no path leads on. The tactical search refuses both.
    pub cost: [f32; 64],
}

impl Default for Filter {
    /// All polygons at cost 1.
    fn default() -> Self {
        Self { include: u16::MAX, exclude: 0, cost: [1.0; 64] }
    }
}

impl Filter {
    /// Whether a query may use the polygon.
    #[inline]
    pub fn passes(&self, polygon: &Polygon) -> bool {
        self.passes_flags(polygon.flags)
    }

    /// Whether every polygon with any flag passes.
    #[inline]
    pub fn passes_all(&self) -> bool {
        self.include == u16::MAX && self.exclude == 0
    }

    /// Whether every area costs 1.
    #[inline]
    pub fn has_uniform_cost(&self) -> bool {
        // Without a branch, for vectorization.
        self.cost.iter().fold(true, |even, &cost| even & (cost == 1.0))
    }

    /// Whether polygons with these flags pass.
    #[inline]
    pub fn passes_flags(&self, flags: u16) -> bool {
        (flags & self.include != 0) & (flags & self.exclude == 0)
    }
}
