//! Islands of a patched mesh. Most changes keep them, which a search around the change shows.

use super::state::{DynamicMesh, Touch};
use crate::nav::mesh::validate::{UNNUMBERED, number_islands};
use crate::nav::mesh::{NONE, NavMesh, PolyId};

impl DynamicMesh {
    /// Whether the islands are unchanged: what was connected around the change still is without leaving it, and
    /// nothing else. New polygons then get the index of their island.
    pub(super) fn keep_islands(&mut self, base: &NavMesh, ring: &[u32]) -> bool {
        if self.obstacles.values().all(|e| e.polygons.is_empty()) {
            self.mesh.polygons.iter_mut().zip(&base.polygons).for_each(|(p, b)| p.island = b.island);
            self.mesh.island_count = base.island_count;
            return true;
        }
        let stamp = self.buffers.stamp;
        let mut group = std::mem::take(&mut self.buffers.stack);
        self.buffers.found.clear();
        self.buffers.seen.resize(self.mesh.polygons.len(), 0);
        let mut same = true;
        let mut slots = std::mem::take(&mut self.buffers.slots);
        slots.clear();
        slots.extend(ring.iter().flat_map(|&p| self.slots(p)));
        for &slot in &slots {
            if !same || self.buffers.seen[slot as usize] == stamp {
                continue;
            }
            group.clear();
            group.push(slot);
            self.buffers.seen[slot as usize] = stamp;
            let (mut next, mut island) = (0, UNNUMBERED);
            while let Some(&at) = group.get(next) {
                next += 1;
                let p = &self.mesh.polygons[at as usize];
                same &= p.island == UNNUMBERED || island == UNNUMBERED || p.island == island;
                island = island.min(p.island);
                for e in &self.mesh.edges[p.first_edge as usize..][..usize::from(p.edge_count)] {
                    let n = e.neighbor;
                    if n != NONE
                        && self.buffers.seen[n as usize] != stamp
                        && self.buffers.touched[self.mesh.parent_poly(PolyId(n)).index()] != Touch::None
                    {
                        self.buffers.seen[n as usize] = stamp;
                        group.push(n);
                    }
                }
            }
            same &= island != UNNUMBERED && !self.buffers.found.contains(&island);
            self.buffers.found.push(island);
            group.iter().for_each(|&s| self.mesh.polygons[s as usize].island = island);
        }
        self.buffers.slots = slots;
        self.buffers.stack = group;
        self.buffers.stack.clear();
        same && self.buffers.gone.iter().all(|g| self.buffers.found.contains(g))
    }

    /// Renumbers the islands.
    pub(super) fn number_islands(&mut self) {
        let NavMesh { polygons, edges, island_count, .. } = &mut *self.mesh;
        for p in polygons.iter_mut().filter(|p| p.island != NONE) {
            p.island = UNNUMBERED;
        }
        *island_count = number_islands(polygons, edges, &mut self.buffers.stack);
    }
}
