//! Makes the path of a character from what a planner found.

use crate::nav::mesh::NavMesh;
use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::planner::PathResult;
use crate::sim::instance::InstanceState;
use crate::sim::path_state::PathState;
use crate::sim::traversal::LinkTraversal;
use glam::Vec3;

/// A path that is being made.
#[derive(Clone, Debug, Default)]
pub struct PathBuilder {
    path: Vec<Vec3>,
    links: Vec<LinkTraversal>,
    /// Number of points at its end that are not smoothed yet.
    unsmoothed: usize,
    /// Distance that it keeps from walls, metres.
    pub clearance: f32,
}

impl PathBuilder {
    /// An empty path in the memory of a character's path, which is taken.
    pub fn reusing(instance: &mut InstanceState) -> Self {
        let (mut path, mut links) = (std::mem::take(&mut instance.path), std::mem::take(&mut instance.links_ahead));
        path.clear();
        links.clear();
        Self { path, links, unsmoothed: 0, clearance: 0.0 }
    }

    /// Gives the path to a character.
    pub fn install(self, instance: &mut InstanceState, nav: &mut PathState) {
        (instance.path, instance.links_ahead) = (self.path, self.links);
        (nav.unsmoothed, nav.clearance) = (self.unsmoothed, self.clearance);
    }

    /// Adds what a planner found: points in world space, and the off-mesh links between them.
    pub fn append(&mut self, mesh: &NavMesh, links: Option<&OffMeshLinks>, found: &PathResult) {
        // The character stands at the first point.
        let mut begin = usize::from(found.points.len() > 1);
        let taken = |&(at, exit)| links.map(|l| (at, l.taken(exit)));
        for link in found.links.iter().filter_map(taken).map(Some).chain([None]) {
            let end = link.map_or(found.points.len(), |(at, _)| at + 1).max(begin);
            self.path.extend(found.points[begin..end].iter().map(|p| mesh.world(*p).as_vec3()));
            if let Some((_, link)) = link {
                if self.path.is_empty() {
                    // The character stands where the link begins.
                    self.path.extend(found.points.first().map(|p| mesh.world(*p).as_vec3()));
                }
                let end_in_world = mesh.world(link.end).as_vec3();
                // The position in the path for now; counted from its end once that is known.
                let points_left = self.path.len() - 1;
                self.links.push(LinkTraversal { points_left, end: end_in_world, kind: link.kind });
                begin = end;
            }
        }
        self.links.iter_mut().for_each(|link| link.points_left = self.path.len() - link.points_left);
        self.unsmoothed = self.path.len();
    }

    /// Makes the target, which may stand beside the mesh, the last point; after a link that ends the path it is added.
    pub fn end_at(&mut self, goal: Vec3) {
        let ends_with_link = self.links.last().is_some_and(|link| link.points_left == 2);
        match self.path.last_mut() {
            Some(last) if !ends_with_link => *last = goal,
            _ => {
                self.path.push(goal);
                self.links.iter_mut().for_each(|link| link.points_left += 1);
                self.unsmoothed += usize::from(self.unsmoothed > 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::off_mesh::LinkKind;

    #[test]
    fn no_link_is_the_last_leg_of_a_path() {
        let link = LinkTraversal { points_left: 2, end: Vec3::X, kind: LinkKind::Jump };
        let mut builder = PathBuilder { path: vec![Vec3::ZERO, Vec3::X], links: vec![link], ..PathBuilder::default() };
        builder.end_at(Vec3::X);
        assert_eq!((builder.path.len(), builder.links[0].points_left), (3, 3));
    }
}
