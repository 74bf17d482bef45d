//! The places that an end of a path stands for: where several polygons touch it lies in all of them.

use smallvec::{SmallVec, smallvec};

use super::prepare::{self, Key};
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::query::touching::{TouchingPolygons, vertex_at};

/// Finds them; keeps what it knows of the mesh and filter of the last query that had an end on a vertex.
#[derive(Debug, Default)]
pub(super) struct TouchingEnds(Option<(Key, TouchingPolygons)>);

impl TouchingEnds {
    /// A place, and the same in each other fan of polygons that touches it.
    pub(super) fn places(&mut self, mesh: &NavMesh, filter: &Filter, place: NavPoint) -> SmallVec<[NavPoint; 4]> {
        let is_on_mesh = place.polygon.index() < mesh.len() && filter.passes(mesh.polygon(place.polygon));
        if !is_on_mesh || vertex_at(mesh, place).is_none() {
            return smallvec![place];
        }
        let key = prepare::key(mesh, filter);
        let known = self.0.take().filter(|known| known.0 == key);
        let known = self.0.insert(known.unwrap_or_else(|| (key, TouchingPolygons::find(mesh, filter))));
        let fans = known.1.fans(mesh, filter, place);
        fans.into_iter().map(|polygon| NavPoint::new(polygon, place.point)).collect()
    }
}
