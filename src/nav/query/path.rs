//! Corridors from polygon to polygon: A* as Detour does it.
//!
//! A polygon's position is the middle of the edge by which the search first reached it. A step costs the distance between
//! two positions times the area's cost of the polygon that it crosses; the heuristic is 0.999 of the straight distance.
//! There is no limit on nodes.

use glam::Vec3;

use super::{QueryError, check};
use crate::nav::mesh::{Filter, NO_STEP, NONE, NavMesh, NavPoint, PolyId};
use crate::nav::search::kernel::{NodeState, OpenList, Progress, Search, SearchSpace};

/// Heuristic scale, below 1 so that the estimate stays admissible under rounding (Detour's `H_SCALE`).
pub(super) const HEURISTIC_SCALE: f32 = 0.999;
/// Coordinates are clamped to this, metres, so that distances stay finite.
const FAR: f32 = 1e7;

/// A sequence of adjacent polygons, as a search found it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corridor {
    /// From the start's to the end's; one when they are the same.
    pub polygons: Vec<PolyId>,
    /// The portals between them (see [`PortalGraph`](crate::nav::mesh::PortalGraph)), one fewer.
    pub portals: Vec<u32>,
    /// Its cost by the search, along the middles of portals.
    pub cost: f32,
    /// How many polygons the search expanded.
    pub expanded: u32,
}

impl Corridor {
    /// Through polygons of which each is a neighbour of the next, such as a search of one's own finds; `None` where one
    /// is not, or there is no polygon. Costs are not known: 0.
    pub fn through(mesh: &NavMesh, polygons: &[PolyId]) -> Option<Self> {
        let first = *polygons.first()?;
        if !mesh.is_live(first) {
            return None;
        }
        let between = |pair: &[PolyId]| {
            let to = pair[1].0;
            mesh.portals().links_of(pair[0].0).iter().find(|way| way.neighbor == to).map(|way| way.portal)
        };
        let portals = polygons.windows(2).map(between).collect::<Option<_>>()?;
        Some(Self { polygons: polygons.to_vec(), portals, ..Self::default() })
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.polygons.clear();
        self.portals.clear();
        (self.cost, self.expanded) = (0.0, 0);
    }

    /// Completes a corridor whose portals were traced from its end to its start.
    pub(super) fn finish(&mut self, mesh: &NavMesh, last: PolyId) {
        self.portals.reverse();
        self.polygons.extend(self.portals.iter().map(|&p| PolyId(mesh.portals().portal(p).polygon)));
        self.polygons.push(last);
    }
}

/// Flag on the parent of a polygon whose position is not the middle of its portal.
pub(super) const MOVED: u32 = 1 << 31;

/// The state of a polygon.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(super) struct Node {
    pub(super) at: Vec3,
    pub(super) cost: f32,
    pub(super) total: f32,
    pub(super) parent: u32,
    pub(super) portal: u32,
    pub(super) stamp: u32,
}

impl NodeState for Node {
    #[inline(always)]
    fn total(&self) -> f32 {
        self.total
    }

    #[inline(always)]
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

/// The corridors to one end. With `PLAIN`, the filter passes everything at cost 1. With `DIRECT`, dead ends are pruned,
/// which changes no path.
struct Corridors<'a, const PLAIN: bool, const DIRECT: bool> {
    mesh: &'a NavMesh,
    filter: &'a Filter,
    goal: u32,
    goal_number: u32,
    end: Vec3,
    closest: Closest,
}

impl<const PLAIN: bool, const DIRECT: bool> SearchSpace for Corridors<'_, PLAIN, DIRECT> {
    type State = Node;

    #[inline(always)]
    fn is_goal(&self, node: u32, _: &Node) -> bool {
        node == self.goal
    }

    #[inline(always)]
    fn expand(&mut self, at: u32, here: &Node, open: &mut OpenList<Node>) {
        let Self { mesh, filter, goal, goal_number, end, .. } = *self;
        let (portals, stamp) = (mesh.portals(), open.stamp());
        let Node { at: from, cost: here_cost, portal: by, .. } = *here;
        let (parent, moved) = (here.parent & !MOVED, here.parent & MOVED);
        let weight = if PLAIN { 1.0 } else { weight(mesh, filter, at) };
        let ways = if by == NONE { portals.links_of(at) } else { portals.links_beyond(by) };
        for way in ways {
            if way.neighbor == parent || DIRECT && !way.goals.contains(goal_number) {
                continue;
            }
            if !PLAIN && !filter.passes(mesh.polygon(PolyId(way.neighbor))) {
                continue;
            }
            let next = open.slot(way.neighbor);
            let known = next.stamp == stamp;
            // A polygon's position is the middle of its portal unless the search reached it by another one before.
            let (place, step) = if known || moved != 0 || way.step == NO_STEP {
                measure(if known { next.at } else { way.middle }, from)
            } else {
                (way.middle, way.step)
            };
            let mut cost = here_cost + step * weight;
            let mut rest = place.distance(end);
            if way.neighbor == goal {
                cost += rest * if PLAIN { 1.0 } else { self::weight(mesh, filter, goal) };
                rest = 0.0;
            }
            rest *= HEURISTIC_SCALE;
            let total = cost + rest;
            if known && total >= next.total || !(total < f32::INFINITY) {
                continue;
            }
            let parent = if known { at | MOVED } else { at };
            *next = Node { at: place, cost, total, parent, portal: way.portal, stamp };
            open.push(way.neighbor, total);
            if !DIRECT && rest < self.closest.rest {
                self.closest = Closest { polygon: way.neighbor, rest };
            }
        }
    }
}

/// The polygon nearest to the end, by what was expected to remain, that a search came to.
#[derive(Clone, Copy, Debug, Default)]
struct Closest {
    polygon: u32,
    rest: f32,
}

/// A search for a corridor that can stop and go on.
#[derive(Clone, Debug, Default)]
pub(super) struct CorridorSearch {
    kernel: Search<Node>,
    goal: u32,
    end: Vec3,
    /// Cost of the straight way where start and end share a polygon, else 0.
    within: f32,
    closest: Closest,
}

impl CorridorSearch {
    /// Forgets the last search and opens the start.
    pub(super) fn begin(&mut self, mesh: &NavMesh, start: NavPoint, end: NavPoint, filter: &Filter) {
        let (at, end_at) = (sanitize(mesh, start), sanitize(mesh, end));
        let rest = at.distance(end_at) * HEURISTIC_SCALE;
        let shared = start.polygon == end.polygon;
        self.within = if shared { cost_within(mesh, filter, end.polygon.0, [at, end_at]) } else { 0.0 };
        (self.goal, self.end) = (end.polygon.0, end_at);
        self.closest = Closest { polygon: start.polygon.0, rest };
        self.kernel.begin(mesh.len(), |open| {
            let stamp = open.stamp();
            *open.slot(start.polygon.0) = Node { at, cost: 0.0, total: rest, parent: NONE, portal: NONE, stamp };
            open.push(start.polygon.0, rest);
        });
    }

    /// Expands polygons until the end is found, all are seen, or `budget` is spent. With `direct`, dead
    /// ends are pruned, which changes no path.
    pub(super) fn advance(&mut self, mesh: &NavMesh, filter: &Filter, direct: bool, budget: u32) -> Progress {
        match (mesh.every_poly_walkable() && filter.passes_all() && filter.has_uniform_cost(), direct) {
            (true, true) => self.run::<true, true>(mesh, filter, budget),
            (true, false) => self.run::<true, false>(mesh, filter, budget),
            (false, true) => self.run::<false, true>(mesh, filter, budget),
            (false, false) => self.run::<false, false>(mesh, filter, budget),
        }
    }

    fn run<const PLAIN: bool, const DIRECT: bool>(&mut self, mesh: &NavMesh, filter: &Filter, budget: u32) -> Progress {
        let (goal, goal_number, closest) = (self.goal, mesh.portals().goal_number(self.goal), self.closest);
        let mut space = Corridors::<PLAIN, DIRECT> { mesh, filter, goal, goal_number, end: self.end, closest };
        let progress = self.kernel.advance(&mut space, budget);
        self.closest = space.closest;
        progress
    }

    /// The polygon nearest to the end, by what was expected to remain, that the search came to.
    pub(super) fn closest(&self) -> u32 {
        self.closest.polygon
    }

    /// How many polygons were expanded.
    pub(super) fn expanded(&self) -> u32 {
        self.kernel.expanded()
    }

    /// What the current search knows: each polygon that it came to, its node, and whether that is still open.
    pub(super) fn known(&self) -> impl Iterator<Item = (u32, &Node, bool)> {
        self.kernel.reached()
    }

    /// Writes the path from the start to a polygon that the search came to.
    pub(super) fn trace(&self, mesh: &NavMesh, to: u32, out: &mut Corridor) {
        out.clear();
        let Some(mut node) = self.kernel.get(to) else { return };
        let is_within = to == self.goal && node.portal == NONE;
        (out.cost, out.expanded) = (if is_within { self.within } else { node.cost }, self.kernel.expanded());
        while node.portal != NONE {
            out.portals.push(node.portal);
            node = self.kernel.parent(node.parent & !MOVED);
        }
        out.finish(mesh, PolyId(to));
    }
}

/// The rare case, out of line so that the common one stays short.
#[cold]
#[inline(never)]
fn measure(place: Vec3, from: Vec3) -> (Vec3, f32) {
    (place, place.distance(from))
}

/// Cost of a metre on the polygon; never negative, never NaN.
#[inline]
pub(super) fn weight(mesh: &NavMesh, filter: &Filter, polygon: u32) -> f32 {
    filter.cost[usize::from(mesh.polygon(PolyId(polygon)).area & 63)].max(0.0)
}

/// Cost of the straight way between two points of one polygon; no way at all costs nothing on any ground.
pub(super) fn cost_within(mesh: &NavMesh, filter: &Filter, polygon: u32, [from, to]: [Vec3; 2]) -> f32 {
    let way = from.distance(to);
    if way > 0.0 { way * weight(mesh, filter, polygon) } else { 0.0 }
}

/// The point with finite, clamped coordinates.
pub(super) fn sanitize(mesh: &NavMesh, NavPoint { polygon, point }: NavPoint) -> Vec3 {
    let y = if point.y.is_finite() { point.y } else { mesh.height_at(polygon, point) };
    Vec3 { y, ..point }.clamp(Vec3::splat(-FAR), Vec3::splat(FAR))
}

/// Finds corridors; keeps its memory from query to query.
#[derive(Clone, Debug, Default)]
pub struct CorridorFinder {
    search: CorridorSearch,
}

impl CorridorFinder {
    /// With no memory allocated yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds a corridor from `start` to `end`, points over their polygons. On an error `out` is empty. An end on another
    /// island is refused without a search.
    ///
    /// # Errors
    /// There is no path, or an argument is invalid; see [`QueryError`].
    pub fn find(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        end: NavPoint,
        filter: &Filter,
        out: &mut Corridor,
    ) -> Result<(), QueryError> {
        out.clear();
        check(mesh, start, end, filter)?;
        self.search.begin(mesh, start, end, filter);
        let progress = self.search.advance(mesh, filter, true, u32::MAX);
        if progress == Progress::Found(end.polygon.0) {
            self.search.trace(mesh, end.polygon.0, out);
            return Ok(());
        }
        out.expanded = self.search.expanded();
        Err(QueryError::Blocked(start.polygon.0, end.polygon.0))
    }

    /// As [`find`](Self::find), but where the end cannot be reached the corridor leads to the polygon nearest to it, and
    /// the reason is returned. That takes a search of the whole island.
    ///
    /// # Errors
    /// An argument is invalid, or the start cannot be left; see [`QueryError`].
    pub fn find_partial(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        end: NavPoint,
        filter: &Filter,
        out: &mut Corridor,
    ) -> Result<Option<QueryError>, QueryError> {
        out.clear();
        let reason = match check(mesh, start, end, filter) {
            Ok(()) => QueryError::Blocked(start.polygon.0, end.polygon.0),
            Err(reason) if reason.leaves_a_part() => reason,
            Err(reason) => return Err(reason),
        };
        self.search.begin(mesh, start, end, filter);
        let found = self.search.advance(mesh, filter, false, u32::MAX) == Progress::Found(end.polygon.0);
        self.search.trace(mesh, if found { end.polygon.0 } else { self.search.closest() }, out);
        Ok((!found).then_some(reason))
    }
}
