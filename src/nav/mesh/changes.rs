//! What obstacles changed of a mesh lately, for those who keep what they measured on it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{NavMesh, PolyId};

/// How many changes are remembered.
const MOST: usize = 16;

/// One change: the mesh's number before it, and the polygons of the whole mesh that it concerned, ascending.
#[derive(Clone)]
struct Change {
    before: u64,
    touched: Arc<[u32]>,
}

/// The last changes of a mesh, the newest last. They are no part of what the mesh is.
#[derive(Clone, Default)]
pub(super) struct Changes(VecDeque<Change>);

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Changes")
    }
}

impl Changes {
    /// Remembers a change of the mesh that had the number `before`.
    pub(super) fn note(&mut self, before: u64, touched: Vec<u32>) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(Change { before, touched: touched.into() });
    }
}

impl NavMesh {
    /// The polygons that changes concerned since the mesh had the number `id` (see [`NavMesh::id`]), by the numbers
    /// of the polygons that they are [pieces of](NavMesh::whole), ascending. Every other polygon has the numbers, edges,
    /// portals, flags and neighbours that it had then. `None` when that is too long ago to be known, or was never.
    pub fn touched_since(&self, id: u64) -> Option<Vec<PolyId>> {
        if self.id == id {
            return Some(Vec::new());
        }
        let changes = &self.changes.0;
        let first = changes.iter().rposition(|c| c.before == id)?;
        let mut touched: Vec<u32> = changes.range(first..).flat_map(|c| c.touched.iter().copied()).collect();
        touched.sort_unstable();
        touched.dedup();
        Some(touched.into_iter().map(PolyId).collect())
    }
}
