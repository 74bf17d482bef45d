//! The free lists of a patched mesh: everything behind the original mesh is reused.

use std::ops::Range;

use glam::Vec3;

use super::state::DynamicMesh;
use crate::nav::mesh::free_list::put;
use crate::nav::mesh::portals::MAX_LISTED;
use crate::nav::mesh::{NONE, NavMesh, SoaPolygon};

impl DynamicMesh {
    /// Adds a vertex.
    pub(super) fn add_vertex(&mut self, at: Vec3) -> u32 {
        let vertices = &mut self.mesh.vertices;
        let vertex = self.free.vertices.allocate(1, vertices.len());
        put(vertices, vertex, at);
        vertex
    }

    /// Releases vertices that no outline uses any more.
    pub(super) fn free_vertices(&mut self, list: impl IntoIterator<Item = u32>) {
        list.into_iter().for_each(|vertex| self.free.vertices.release(vertex, 1));
    }

    /// Releases the polygon indices of removed pieces.
    pub(super) fn free_slots(&mut self, slots: &Range<u32>) {
        self.free.slots.release(slots.start, slots.len());
    }

    /// Releases what a polygon has behind the original mesh: edges, ray-cast blocks, portals. It has to be rewritten.
    pub(super) fn free_outline(&mut self, base: &NavMesh, slot: u32) {
        self.free_portals(base, slot);
        let p = self.mesh.polygons[slot as usize];
        if p.first_edge as usize >= base.edges.len() {
            let count = usize::from(p.edge_count);
            for edge in &mut self.mesh.edges[p.first_edge as usize..][..count] {
                (edge.neighbor, edge.twin) = (NONE, NONE);
            }
            self.free.edges.release(p.first_edge, count);
        }
        let SoaPolygon { first, count } = self.mesh.soa_polygons.polygons[slot as usize];
        if first as usize >= base.soa_polygons.blocks.len() {
            self.free.blocks.release(first, count as usize);
        }
    }

    /// Releases the portals of a polygon.
    fn free_portals(&mut self, base: &NavMesh, slot: u32) {
        let (first, last) = std::mem::take(&mut self.mesh.portals.spans[slot as usize]);
        for way in first..last {
            self.free_beyond(base, self.mesh.portals.links[way as usize].portal);
        }
        if first as usize >= base.portals.links.len() && first < last {
            let portal = self.mesh.portals.links[first as usize].portal;
            self.free.portals.release(portal, (last - first) as usize);
            self.free.links.release(first, (last - first) as usize);
        }
    }

    /// Releases the list of links beyond a portal.
    pub(super) fn free_beyond(&mut self, base: &NavMesh, number: u32) {
        let (first, last) = std::mem::take(&mut self.mesh.portals.beyond[number as usize]);
        // Longer ranges are the links of the polygon beyond.
        if first as usize >= base.portals.links.len() && last - first <= MAX_LISTED {
            self.free.links.release(first, (last - first) as usize);
        }
    }
}
