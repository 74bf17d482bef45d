//! Scratch space of a worker thread.

use crate::nav::mesh::PolyId;
use crate::nav::query::surface::Surface;

/// Scratch space of a worker thread.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkerScratch {
    pub(super) surface: Surface,
    pub(super) polygons: Vec<PolyId>,
    pub(super) walked: Vec<PolyId>,
}
