//! Queries with the usual settings.

use super::{Metric, Query, SearchHints};
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::query::nearest::{SearchExtents, nearest};
use crate::nav::query::{Place, QueryError};
use glam::DVec3;

impl<'a> Query<'a> {
    /// A query of an agent without a radius from one point of a mesh to another.
    pub fn new(start: NavPoint, end: NavPoint, filter: &'a Filter) -> Self {
        let hints = SearchHints::default();
        Self {
            start,
            end,
            filter,
            radius: 0.0,
            metric: Metric::Plan,
            tactics: None,
            links: None,
            hints,
            skip_polygons: false,
        }
    }

    /// The same between two points in the world, each moved onto the nearest ground of the mesh within the default
    /// [`SearchExtents`].
    ///
    /// # Errors
    /// [`QueryError::NoGround`] where there is none, [`QueryError::NotFinite`].
    pub fn between(mesh: &NavMesh, from: DVec3, to: DVec3, filter: &'a Filter) -> Result<Self, QueryError> {
        let ground = |place: Place, world: DVec3| {
            if !world.is_finite() {
                return Err(QueryError::NotFinite(place));
            }
            let near = nearest(mesh, mesh.local(world), &SearchExtents::default(), filter);
            near.map(|near| near.nav_point()).ok_or(QueryError::NoGround(place))
        };
        Ok(Self::new(ground(Place::Start, from)?, ground(Place::End, to)?, filter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture;

    #[test]
    fn ends_are_put_on_the_ground_or_refused() {
        let mesh = fixture::plan(&["...."], false).validate().unwrap();
        let (filter, on) = (Filter::default(), DVec3::new(0.5, 0.4, 0.5));
        let query = Query::between(&mesh, on, DVec3::new(3.5, -0.3, 0.5), &filter).unwrap();
        assert_eq!((query.start.point.y, query.end.point.y), (0.0, 0.0));
        let refused = |to: DVec3| Query::between(&mesh, on, to, &filter).unwrap_err();
        assert_eq!(refused(DVec3::splat(500.0)), QueryError::NoGround(Place::End));
        assert_eq!(refused(DVec3::NAN), QueryError::NotFinite(Place::End));
    }
}
