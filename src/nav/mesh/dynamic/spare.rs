//! Places behind the whole mesh that are free again, so that changes do not make its arrays longer and longer.

use std::ops::Range;

use glam::Vec3;

use super::{DynamicMesh, NONE, NavMesh};
use crate::nav::mesh::Lane;
use crate::nav::mesh::portals::MOST_LISTED;
use crate::nav::mesh::spare::{Spare, put};

/// The free places of a patched mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Spares {
    pub(super) slots: Spare,
    pub(super) edges: Spare,
    vertices: Spare,
    pub(super) ways: Spare,
    pub(super) numbers: Spare,
    pub(super) blocks: Spare,
    pub(super) items: Spare,
}

impl DynamicMesh {
    /// A new vertex.
    pub(super) fn add_vertex(&mut self, at: Vec3) -> u32 {
        let vertices = &mut self.mesh.vertices;
        let vertex = self.spares.vertices.place(1, vertices.len());
        put(vertices, vertex, at);
        vertex
    }

    /// Gives back vertices that no outline will have any more.
    pub(super) fn free_vertices(&mut self, list: impl IntoIterator<Item = u32>) {
        list.into_iter().for_each(|vertex| self.spares.vertices.give(vertex, 1));
    }

    /// Gives back the numbers of pieces that are taken out.
    pub(super) fn free_slots(&mut self, slots: &Range<u32>) {
        self.spares.slots.give(slots.start, slots.len());
    }

    /// Gives back what a polygon has behind the whole mesh: edges, blocks for rays, portals. It has to be written anew.
    pub(super) fn free_outline(&mut self, base: &NavMesh, slot: u32) {
        self.free_portals(base, slot);
        let p = self.mesh.polygons[slot as usize];
        if p.first_edge as usize >= base.edges.len() {
            let count = usize::from(p.edge_count);
            for edge in &mut self.mesh.edges[p.first_edge as usize..][..count] {
                (edge.neighbor, edge.twin) = (NONE, NONE);
            }
            self.spares.edges.give(p.first_edge, count);
        }
        let Lane { first, count } = self.mesh.lanes.lanes[slot as usize];
        if first as usize >= base.lanes.blocks.len() {
            self.spares.blocks.give(first, count as usize);
        }
    }

    /// Gives back the portals of a polygon.
    fn free_portals(&mut self, base: &NavMesh, slot: u32) {
        let (first, last) = std::mem::take(&mut self.mesh.portals.spans[slot as usize]);
        for way in first..last {
            self.free_exits(base, self.mesh.portals.ways[way as usize].number);
        }
        if first as usize >= base.portals.ways.len() && first < last {
            let number = self.mesh.portals.ways[first as usize].number;
            self.spares.numbers.give(number, (last - first) as usize);
            self.spares.ways.give(first, (last - first) as usize);
        }
    }

    /// Gives back the list of what follows a portal.
    pub(super) fn free_exits(&mut self, base: &NavMesh, number: u32) {
        let (first, last) = std::mem::take(&mut self.mesh.portals.exits[number as usize]);
        // Longer ones are the portals of the polygon beyond.
        if first as usize >= base.portals.ways.len() && last - first <= MOST_LISTED {
            self.spares.ways.give(first, (last - first) as usize);
        }
    }
}
