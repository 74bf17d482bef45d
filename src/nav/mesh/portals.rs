//! The portal graph: the links between neighbouring polygons, packed in the order in which searches read them.

use glam::{DVec2, Vec3};

use super::block_cut_tree::{BlockCutTree, GoalRange};
use super::free_list::put;
use super::{Edge, NONE, Polygon};
use crate::math::plan::to_plan_f64;

/// A polygon with more links than this has one list of them for all portals that lead into it, instead of one list per
/// portal.
pub(super) const MAX_LISTED: u32 = 16;

/// [`PolyLink::step`] of a link outside a list of [`PortalGraph::links_beyond`]: the distance is not precomputed.
pub const NO_STEP: f32 = -1.0;

/// A link from a polygon to its neighbour over a shared edge: an edge of the search graph.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PolyLink {
    /// Middle of the shared edge, local.
    pub middle: Vec3,
    /// The neighbouring polygon.
    pub neighbor: u32,
    /// Goals of the same island that lie beyond this link; for all others it is a dead end.
    pub goals: GoalRange,
    /// The portal that it crosses.
    pub portal: u32,
    /// Distance from the middle of the portal of entry, metres, in a list of [`PortalGraph::links_beyond`];
    /// [`NO_STEP`] elsewhere.
    pub step: f32,
}

/// The opening that a link crosses: both ends of the shared edge as seen from inside its polygon.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Portal {
    /// The end where the edge begins, local.
    pub left: Vec3,
    /// The edge of the mesh.
    pub edge: u32,
    /// The end where the edge ends, local: from a point inside on the positive side of `left` (see
    /// [`plan::cross`](crate::math::plan::cross)).
    pub right: Vec3,
    /// The polygon that is left through it.
    pub polygon: u32,
}

/// All links and portals; those of one polygon lie side by side, in the order of its edges.
#[derive(Clone, Debug, Default)]
pub struct PortalGraph {
    /// Per polygon, its range of `links`.
    pub(super) spans: Vec<(u32, u32)>,
    /// First one link per portal, in the portals' order; then the lists of links beyond portals; then what obstacles
    /// changed.
    pub(super) links: Vec<PolyLink>,
    /// Per portal, the range of `links` that lead on after entering by it.
    pub(super) beyond: Vec<(u32, u32)>,
    pub(super) portals: Vec<Portal>,
    pub(super) ends: Vec<[DVec2; 2]>,
    pub(super) goal_numbers: Vec<u32>,
}

impl PortalGraph {
    /// An empty graph with room for what it will hold: of large meshes growing lists would take as much again.
    fn with_room_for(polygons: &[Polygon], edges: &[Edge]) -> Self {
        let (mut portals, mut links) = (0, 0);
        for p in polygons {
            let own = &edges[p.first_edge as usize..p.first_edge as usize + usize::from(p.edge_count)];
            let neighbors = own.iter().filter(|edge| edge.neighbor != NONE).count();
            portals += neighbors;
            // A list of its own for each portal to here, of what leads on from here.
            let listed = if neighbors > MAX_LISTED as usize { 0 } else { neighbors.saturating_sub(1) };
            links += neighbors * (1 + listed);
        }
        Self {
            spans: Vec::with_capacity(polygons.len()),
            links: Vec::with_capacity(links),
            beyond: Vec::with_capacity(portals),
            portals: Vec::with_capacity(portals),
            ends: Vec::with_capacity(portals),
            goal_numbers: Vec::new(),
        }
    }

    pub(super) fn build(vertices: &[Vec3], polygons: &[Polygon], edges: &[Edge]) -> Self {
        let tree = BlockCutTree::build(polygons, edges);
        let mut all = Self::with_room_for(polygons, edges);
        for (polygon, p) in (0..).zip(polygons) {
            let begin = all.links.len() as u32;
            for edge in p.first_edge..p.first_edge + u32::from(p.edge_count) {
                let neighbor = edges[edge as usize].neighbor;
                if neighbor != NONE {
                    let at = [all.links.len(), all.portals.len()].map(|len| len as u32);
                    all.put(at, vertices, (p, edges, edge), tree.goals(polygon, neighbor));
                }
            }
            all.spans.push((begin, all.links.len() as u32));
        }
        all.goal_numbers = tree.numbers;
        let mut list = Vec::new();
        for portal in 0..all.portals.len() {
            let (from, link) = (all.portals[portal].polygon, all.links[portal]);
            all.beyond[portal] = all.list_beyond(from, &link, &mut list).unwrap_or_else(|| {
                let listed = all.links.len() as u32;
                all.links.append(&mut list);
                (listed, all.links.len() as u32)
            });
        }
        all
    }

    /// Writes an edge of a polygon as a link and a portal with these indices, each of which may be one past the last.
    pub(super) fn put(
        &mut self,
        [link, portal]: [u32; 2],
        vertices: &[Vec3],
        (p, edges, edge): (&Polygon, &[Edge], u32),
        goals: GoalRange,
    ) {
        let after = if edge + 1 - p.first_edge == u32::from(p.edge_count) { p.first_edge } else { edge + 1 };
        let Edge { vertex, neighbor, polygon, .. } = edges[edge as usize];
        let (left, right) = (vertices[vertex as usize], vertices[edges[after as usize].vertex as usize]);
        put(&mut self.links, link, PolyLink { middle: (left + right) * 0.5, neighbor, goals, portal, step: NO_STEP });
        put(&mut self.portals, portal, Portal { left, edge, right, polygon });
        put(&mut self.ends, portal, [to_plan_f64(left), to_plan_f64(right)]);
        put(&mut self.beyond, portal, (0, 0));
    }

    /// Collects the links that lead on after taking `link` out of polygon `from`: none that lead straight back. Returns
    /// the range of the neighbour's own links instead where these are more than [`MAX_LISTED`].
    pub(super) fn list_beyond(&self, from: u32, link: &PolyLink, out: &mut Vec<PolyLink>) -> Option<(u32, u32)> {
        let (first, last) = self.spans[link.neighbor as usize];
        if last - first > MAX_LISTED {
            return Some((first, last));
        }
        let onwards = self.links_of(link.neighbor).iter().filter(|next| next.neighbor != from);
        out.clear();
        out.extend(onwards.map(|next| PolyLink { step: next.middle.distance(link.middle), ..*next }));
        None
    }

    /// The links of a polygon.
    #[inline]
    pub fn links_of(&self, polygon: u32) -> &[PolyLink] {
        let (first, last) = self.spans[polygon as usize];
        &self.links[first as usize..last as usize]
    }

    /// The links of the polygon beyond a portal, without those that lead back unless the polygon has very many.
    #[inline]
    pub fn links_beyond(&self, portal: u32) -> &[PolyLink] {
        let (first, last) = self.beyond[portal as usize];
        &self.links[first as usize..last as usize]
    }

    /// A portal by its index.
    #[inline]
    pub fn portal(&self, portal: u32) -> &Portal {
        &self.portals[portal as usize]
    }

    /// The left and the right end of a portal in the xz plane.
    #[inline]
    pub fn ends(&self, portal: u32) -> [DVec2; 2] {
        self.ends[portal as usize]
    }

    /// The number of a polygon as a goal, for [`GoalRange::contains`].
    #[inline]
    pub fn goal_number(&self, polygon: u32) -> u32 {
        self.goal_numbers[polygon as usize]
    }

    /// Number of portals, two for each shared edge.
    pub fn len(&self) -> usize {
        self.portals.len()
    }

    /// Whether every edge is a wall.
    pub fn is_empty(&self) -> bool {
        self.portals.is_empty()
    }
}
