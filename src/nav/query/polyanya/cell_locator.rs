//! Which cell of a derived mesh a point of a navigation mesh lies in.

use glam::DVec2;

use crate::nav::mesh::{Filter, NONE, NavMesh, PolyId};

/// The cells of polygons, and of the parts of those that were cut.
#[derive(Clone, Debug, Default)]
pub(in crate::nav::query) struct CellLocator {
    /// Per polygon: its cell, [`NONE`] when excluded.
    cell_of: Vec<u32>,
    /// Parts of polygons that were cut: polygon, cell, outline; sorted by polygon.
    parts: Vec<(u32, u32, Vec<DVec2>)>,
}

impl CellLocator {
    /// Of the parts that were cut, by [`HalfEdgeMesh::cut_outlines`](super::half_edge::HalfEdgeMesh::cut_outlines), and the
    /// cell of each ring.
    pub(in crate::nav::query) fn new(
        mesh: &NavMesh,
        filter: &Filter,
        outlines: Vec<(u32, u32, Vec<DVec2>)>,
        cell_of: impl Fn(u32) -> u32,
    ) -> Self {
        let number = |p: u32| if filter.passes(mesh.polygon(PolyId(p))) { cell_of(p) } else { NONE };
        let mut parts: Vec<_> = outlines.into_iter().map(|(p, ring, outline)| (p, cell_of(ring), outline)).collect();
        parts.sort_by_key(|p| p.0);
        Self { cell_of: (0..mesh.len() as u32).map(number).collect(), parts }
    }

    /// Size of its lists in memory.
    pub(in crate::nav::query) fn bytes(&self) -> usize {
        let outlines = self.parts.iter().map(|part| size_of_val(&part.2[..])).sum::<usize>();
        size_of_val(&self.cell_of[..]) + size_of_val(&self.parts[..]) + outlines
    }

    /// The cell of a point over a polygon that the filter passes.
    pub(in crate::nav::query) fn cell_at(&self, polygon: PolyId, point: DVec2) -> u32 {
        let first = self.parts.partition_point(|p| p.0 < polygon.0);
        let parts = self.parts[first..].iter().take_while(|p| p.0 == polygon.0);
        let depth = |outline: &[DVec2]| {
            let edges = (0..outline.len()).map(|i| (outline[i], outline[(i + 1) % outline.len()]));
            edges.map(|(a, b)| (b - a).perp_dot(point - a) / (b - a).length()).fold(f64::INFINITY, f64::min)
        };
        parts.max_by(|a, b| depth(&a.2).total_cmp(&depth(&b.2))).map_or(self.cell_of[polygon.index()], |p| p.1)
    }
}
