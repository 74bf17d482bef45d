//! What a mesh with obstacles keeps: the mesh, the obstacles, their cuts, free lists and buffers.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use super::shape::{FootprintSide, Obstacle};
use crate::nav::mesh::free_list::FreeList;
use crate::nav::mesh::grid::GridEntry;
use crate::nav::mesh::{NONE, NavMesh, PolyLink};

/// Handle of an obstacle of a [`DynamicMesh`]; not reused after its removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObstacleId(pub(super) u32);

/// An obstacle and its effect.
#[derive(Clone, Debug)]
pub(super) struct ObstacleEntry {
    pub(super) obstacle: Obstacle,
    pub(super) sides: Vec<FootprintSide>,
    pub(super) enabled: bool,
    /// The original polygons that it cuts.
    pub(super) polygons: Vec<u32>,
}

/// The current mesh, copied on write: changed in place unless it is shared, in which case holders keep the former
/// state.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) kept: Arc<NavMesh>,
    /// The mesh itself during a change, which avoids a reference count check with every write.
    pub(super) open: Option<Box<NavMesh>>,
}

impl Shared {
    pub(super) fn open(&mut self) {
        if self.open.is_none() {
            self.open = Some(Box::new(std::mem::take(Arc::make_mut(&mut self.kept))));
        }
    }

    pub(super) fn close(&mut self) {
        if let Some(mesh) = self.open.take() {
            *Arc::make_mut(&mut self.kept) = *mesh;
        }
    }
}

impl Deref for Shared {
    type Target = NavMesh;

    fn deref(&self) -> &NavMesh {
        match &self.open {
            Some(mesh) => mesh,
            None => &self.kept,
        }
    }
}

impl DerefMut for Shared {
    fn deref_mut(&mut self) -> &mut NavMesh {
        match &mut self.open {
            Some(mesh) => mesh,
            None => Arc::make_mut(&mut self.kept),
        }
    }
}

/// A navigation mesh with dynamic obstacles.
#[derive(Clone, Debug)]
pub struct DynamicMesh {
    pub(super) base: Arc<NavMesh>,
    pub(super) mesh: Shared,
    pub(super) obstacles: BTreeMap<ObstacleId, ObstacleEntry>,
    pub(super) next: u32,
    /// Current flags of the original polygons.
    pub(super) flags: Vec<u16>,
    /// Number of polygons whose flags differ from the original ones, and number without flags.
    pub(super) reflagged: usize,
    pub(super) unflagged: usize,
    /// Per original polygon, the obstacles that cut it and the pieces that remain.
    pub(super) cuts: Vec<Option<Box<PolygonCut>>>,
    /// Per original edge (the lower of two twins), where footprint lines cross it.
    pub(super) points: Vec<Option<Box<EdgePoints>>>,
    /// Edges with crossing points.
    pub(super) pointed: Vec<u32>,
    /// Per edge of the patched mesh, the original edge that it lies on; [`NONE`] inside of a polygon.
    pub(super) labels: Vec<u32>,
    pub(super) dirty: Vec<u32>,
    /// Polygons whose flags changed, and their neighbours, not logged yet.
    pub(super) switched: Vec<u32>,
    pub(super) is_batching: bool,
    pub(super) tolerance: f64,
    pub(super) free: FreeLists,
    pub(super) buffers: PatchBuffers,
}

/// A corner of a piece, and the original edge that its edge lies on ([`NONE`] inside of the polygon).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OutlineCorner {
    pub(super) vertex: u32,
    pub(super) label: u32,
}

/// Corners of a piece, in order.
pub(super) type CutOutline = Vec<OutlineCorner>;

/// The effect of obstacles on a polygon.
#[derive(Clone, Debug, Default)]
pub(super) struct PolygonCut {
    /// The obstacles that cut it, in order.
    pub(super) obstacles: Vec<ObstacleId>,
    /// The remaining pieces.
    pub(super) pieces: Vec<CutOutline>,
    /// Vertices made inside of the polygon.
    pub(super) made: Vec<u32>,
    /// Polygon indices of the pieces.
    pub(super) slots: Range<u32>,
    /// Whether it is cut at all.
    pub(super) is_parted: bool,
}

/// Crossing points of an edge.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgePoints {
    /// In order along the edge: parameter, vertex, and for either side whether its polygon ends a cut there.
    pub(super) list: Vec<(f64, u32, [bool; 2])>,
}

/// The free lists of the arrays of a patched mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeLists {
    pub(super) slots: FreeList,
    pub(super) edges: FreeList,
    pub(super) vertices: FreeList,
    pub(super) links: FreeList,
    pub(super) portals: FreeList,
    pub(super) blocks: FreeList,
    pub(super) items: FreeList,
}

/// How a change affects an original polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touch {
    None,
    /// Neighbour of a rewritten polygon.
    Near,
    /// Rewritten.
    Patched,
    /// Cut again.
    Cut,
}

/// Buffers that are reused.
#[derive(Clone, Debug)]
pub(super) struct PatchBuffers {
    pub(super) shares: Vec<f64>,
    pub(super) offsets: Vec<f64>,
    pub(super) touched: Vec<Touch>,
    pub(super) stamp: u32,
    pub(super) lines: Vec<(u32, u32)>,
    pub(super) cells: Vec<u32>,
    pub(super) pending: Vec<(u32, u32, u32, u32)>,
    pub(super) stack: Vec<u32>,
    /// Islands of removed polygons.
    pub(super) gone: Vec<u32>,
    /// Islands that were found, and per polygon the stamp of the search that found it.
    pub(super) found: Vec<u32>,
    pub(super) seen: Vec<u32>,
    pub(super) slots: Vec<u32>,
    /// Vertices made inside of the polygon being cut.
    pub(super) made: Vec<u32>,
    pub(super) exits: Vec<PolyLink>,
    pub(super) items: Vec<GridEntry>,
    /// Garbage behind the original mesh after it was last compacted.
    pub(super) garbage: usize,
}

impl PatchBuffers {
    pub(super) fn new(base: &NavMesh) -> Self {
        Self {
            shares: Vec::new(),
            offsets: Vec::new(),
            touched: vec![Touch::None; base.own as usize],
            stamp: 0,
            lines: vec![(0, NONE); base.edges.len()],
            cells: vec![0; base.grid.spans.len()],
            pending: Vec::new(),
            stack: Vec::new(),
            gone: Vec::new(),
            found: Vec::new(),
            seen: Vec::new(),
            slots: Vec::new(),
            made: Vec::new(),
            exits: Vec::new(),
            items: Vec::new(),
            garbage: 0,
        }
    }

    pub(super) fn next_stamp(&mut self) -> u32 {
        if self.stamp == u32::MAX {
            self.lines.fill((0, NONE));
            self.cells.fill(0);
            self.seen.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.stamp
    }
}
