//! The ids of meshes, and the log of recent changes of one, from which caches of derived data learn what to update.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::PolyId;

/// The next mesh's id; 0 is that of a mesh by default, which nothing may take for another mesh.
static MESH_COUNT: AtomicU64 = AtomicU64::new(1);

/// A new mesh id.
pub(super) fn next_id() -> u64 {
    MESH_COUNT.fetch_add(1, Ordering::Relaxed)
}

/// Number of changes that are kept.
const MAX_CHANGES: usize = 16;

/// A change: the mesh's id before it, the original polygons it affected, and those of them whose shape or walkability
/// changed.
#[derive(Clone)]
pub(super) struct MeshChange {
    before: u64,
    pub(super) changed: Arc<[u32]>,
    pub(super) reshaped: Arc<[u32]>,
}

/// The last changes of a mesh, newest last.
#[derive(Clone, Default)]
pub(super) struct Changes(VecDeque<MeshChange>);

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Changes")
    }
}

impl Changes {
    /// Logs a change of the mesh that had the id `before`.
    pub(super) fn log(&mut self, before: u64, changed: Vec<u32>, reshaped: Vec<u32>) {
        if self.0.len() == MAX_CHANGES {
            self.0.pop_front();
        }
        self.0.push_back(MeshChange { before, changed: changed.into(), reshaped: reshaped.into() });
    }

    /// Polygons affected since the mesh had an id, ascending; `None` if that is not known.
    pub(super) fn since(&self, id: u64, of: fn(&MeshChange) -> &[u32]) -> Option<Vec<PolyId>> {
        let first = self.0.iter().rposition(|c| c.before == id)?;
        let mut list: Vec<u32> = self.0.range(first..).flat_map(of).copied().collect();
        list.sort_unstable();
        list.dedup();
        Some(list.into_iter().map(PolyId).collect())
    }
}
