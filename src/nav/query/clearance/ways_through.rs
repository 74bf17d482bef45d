//! How wide the ways through the polygons of a mesh are.

use super::width_cache::{WidthCache, twin};
use crate::nav::mesh::{Filter, NavMesh, PolyId};

/// Calls `f` for each pair of portals of each polygon that passes, with their edges in that polygon and the width of the
/// way between them (after TA*, see [`super`]), metres: exact up to `need`, at least that beyond.
pub fn for_each_way_through(mesh: &NavMesh, filter: &Filter, need: f32, mut f: impl FnMut([u32; 2], f32)) {
    let mut widths = WidthCache::default();
    widths.prepare(mesh, filter, need);
    let passes = |polygon: u32| filter.passes(mesh.polygon(PolyId(polygon)));
    for id in mesh.live_polygons().filter(|id| passes(id.0)) {
        let ways = mesh.portals().links_of(id.0);
        for (i, way_in) in ways.iter().enumerate().filter(|(_, way)| passes(way.neighbor)) {
            let Some(by) = twin(mesh, way_in.portal) else { continue };
            for out in ways[i + 1..].iter().filter(|way| passes(way.neighbor)) {
                let edges = [way_in.portal, out.portal].map(|portal| mesh.portals().portal(portal).edge);
                f(edges, widths.width(mesh, filter, by, out.portal));
            }
        }
    }
}
