//! Islands of a patched mesh: most changes leave them as they are, which a look around the change tells.

use super::patch::{Touch, UNNUMBERED};
use super::{DynamicMesh, NONE, NavMesh, PolyId};

impl DynamicMesh {
    /// Finds out whether the islands are what they were: what hung together around the change still does without
    /// leaving it, and nothing else. New polygons get their islands' numbers then.
    pub(super) fn keep_islands(&mut self, base: &NavMesh, ring: &[u32]) -> bool {
        if self.obstacles.values().all(|e| e.polygons.is_empty()) {
            self.mesh.polygons.iter_mut().zip(&base.polygons).for_each(|(p, b)| p.component = b.component);
            self.mesh.components = base.components;
            return true;
        }
        let stamp = self.scratch.stamp;
        let mut group = std::mem::take(&mut self.scratch.stack);
        self.scratch.found.clear();
        self.scratch.seen.resize(self.mesh.polygons.len(), 0);
        let mut same = true;
        let mut slots = std::mem::take(&mut self.scratch.slots);
        slots.clear();
        slots.extend(ring.iter().flat_map(|&p| self.slots(p)));
        for &slot in &slots {
            if !same || self.scratch.seen[slot as usize] == stamp {
                continue;
            }
            group.clear();
            group.push(slot);
            self.scratch.seen[slot as usize] = stamp;
            let (mut next, mut island) = (0, UNNUMBERED);
            while let Some(&at) = group.get(next) {
                next += 1;
                let p = &self.mesh.polygons[at as usize];
                same &= p.component == UNNUMBERED || island == UNNUMBERED || p.component == island;
                island = island.min(p.component);
                for e in &self.mesh.edges[p.first_edge as usize..][..usize::from(p.edge_count)] {
                    let n = e.neighbor;
                    if n != NONE
                        && self.scratch.seen[n as usize] != stamp
                        && self.scratch.touched[self.mesh.whole(PolyId(n)).index()] != Touch::None
                    {
                        self.scratch.seen[n as usize] = stamp;
                        group.push(n);
                    }
                }
            }
            same &= island != UNNUMBERED && !self.scratch.found.contains(&island);
            self.scratch.found.push(island);
            group.iter().for_each(|&s| self.mesh.polygons[s as usize].component = island);
        }
        self.scratch.slots = slots;
        self.scratch.stack = group;
        self.scratch.stack.clear();
        same && self.scratch.gone.iter().all(|g| self.scratch.found.contains(g))
    }

    /// Numbers the islands anew.
    pub(super) fn number_islands(&mut self) {
        let NavMesh { polygons, edges: all, components, .. } = &mut *self.mesh;
        for p in polygons.iter_mut().filter(|p| p.component != NONE) {
            p.component = UNNUMBERED;
        }
        let mut count = 0;
        let stack = &mut self.scratch.stack;
        for start in 0..polygons.len() {
            if polygons[start].component != UNNUMBERED {
                continue;
            }
            polygons[start].component = count;
            stack.push(start as u32);
            while let Some(at) = stack.pop() {
                let p = polygons[at as usize];
                for e in &all[p.first_edge as usize..][..usize::from(p.edge_count)] {
                    if e.neighbor != NONE && polygons[e.neighbor as usize].component == UNNUMBERED {
                        polygons[e.neighbor as usize].component = count;
                        stack.push(e.neighbor);
                    }
                }
            }
            count += 1;
        }
        *components = count;
    }
}
