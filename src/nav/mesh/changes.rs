//! What obstacles changed of a mesh lately, for those who keep what they measured on it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{NavMesh, PolyId};

/// How many changes are remembered.
const MOST: usize = 16;

/// One change: the mesh's number before it, the polygons of the whole mesh that it concerned, and those of them that are
/// walked on or cut in another way than before.
#[derive(Clone)]
struct Change {
    before: u64,
    touched: Arc<[u32]>,
    recut: Arc<[u32]>,
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
    pub(super) fn note(&mut self, before: u64, touched: Vec<u32>, recut: Vec<u32>) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(Change { before, touched: touched.into(), recut: recut.into() });
    }

    /// What changes since the mesh had the number `id` concerned, ascending; `None` when that is not known.
    fn since(&self, id: u64, of: fn(&Change) -> &[u32]) -> Option<Vec<PolyId>> {
        let first = self.0.iter().rposition(|c| c.before == id)?;
        let mut list: Vec<u32> = self.0.range(first..).flat_map(of).copied().collect();
        list.sort_unstable();
        list.dedup();
        Some(list.into_iter().map(PolyId).collect())
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
        self.changes.since(id, |c| &c.touched)
    }

    /// Those of the polygons that [changes concerned](Self::touched_since) that are cut in another way than before, or
    /// have other flags: walls and borders of pieces are where they were but within these, their outlines included.
    pub fn recut_since(&self, id: u64) -> Option<Vec<PolyId>> {
        if self.id == id {
            return Some(Vec::new());
        }
        self.changes.since(id, |c| &c.recut)
    }
}
