//! Paths that take off-mesh links: corridors with links between them.
//!
//! The search is A* over entries: the portals that lead into polygons, and the far ends of links. A link costs its
//! straight length times its area's cost, and a filter excludes it by its flags. A path without any link is that of
//! [`CorridorFinder`]. A segment between two links is a path without links.

use std::collections::HashSet;

use glam::Vec3;

use super::funnel::{Crossings, PathPoint, straight_path};
use super::path::{Corridor, CorridorFinder, HEURISTIC_SCALE, sanitize, weight};
use super::{QueryError, check};
use crate::nav::mesh::off_mesh::{OffMeshExit, OffMeshLinks};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};
use crate::nav::search::kernel::{NodeState, OpenList, Search, SearchSpace};

/// A part of a path without links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathSegment {
    /// Where it begins: the query's start or the end of a link.
    pub start: NavPoint,
    /// Where it ends: the query's end or the start of a link.
    pub end: NavPoint,
    /// The polygons and portals between.
    pub corridor: Corridor,
    /// The link that is taken at its end; none for the last.
    pub exit: Option<OffMeshExit>,
}

/// A path and the links that it takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkedPath {
    /// At least one.
    pub segments: Vec<PathSegment>,
    /// Its cost by the search, along the middles of portals.
    pub cost: f32,
    /// How many entries the search expanded.
    pub expanded: u32,
}

/// The ends of a segment: numbers of links' exits, [`NONE`] for the query's start and end.
pub type ExitPair = (u32, u32);

/// Most origins that are searched apart because segments from them are banned.
const MAX_APART: usize = 8;

/// The state of an entry.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    cost: f32,
    total: f32,
    parent: u32,
    /// The exit that its segment began with.
    origin: u32,
    stamp: u32,
}

impl NodeState for Entry {
    fn total(&self) -> f32 {
        self.total
    }

    fn stamp(&self) -> u32 {
        self.stamp
    }
}

/// A validated query.
#[derive(Clone, Copy)]
struct Request<'a> {
    mesh: &'a NavMesh,
    links: &'a OffMeshLinks,
    end: NavPoint,
    filter: &'a Filter,
    banned: &'a HashSet<ExitPair>,
    /// Origins of banned segments, in the order of [`rank`]. What leads on from them is not what leads on from others at
    /// the same place: it is searched apart, so that neither hides the other.
    apart: &'a [u32],
}

impl Request<'_> {
    /// Number of entries.
    fn count(&self) -> u32 {
        self.mesh.portals().len() as u32 + 2 * self.links.all().len() as u32
    }

    /// The node of an entry on the way from an origin.
    fn node(&self, entry: u32, origin: u32) -> u32 {
        let layer = self.apart.binary_search_by_key(&rank(origin), |&o| rank(o)).map_or(0, |i| i as u32 + 1);
        layer * self.count() + entry
    }

    /// The entry of a node; [`NONE`] for the start.
    fn entry(&self, node: u32) -> u32 {
        if node == NONE { NONE } else { node % self.count() }
    }
}

/// Finds paths that may take links; keeps its memory from query to query.
#[derive(Clone, Debug, Default)]
pub struct LinkedPathFinder {
    plain: CorridorFinder,
    /// Per portal, then per exit of a link: two for each, forwards and backwards; the same again per origin that is
    /// searched apart.
    kernel: Search<Entry>,
}

impl LinkedPathFinder {
    /// With no memory allocated yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds a path from `start` to `end`, points over their polygons, that may take links of this mesh. On an error
    /// `out` is empty.
    ///
    /// # Errors
    /// There is no path, or an argument is invalid; see [`QueryError`].
    pub fn find(
        &mut self,
        mesh: &NavMesh,
        links: &OffMeshLinks,
        start: NavPoint,
        end: NavPoint,
        filter: &Filter,
        out: &mut LinkedPath,
    ) -> Result<(), QueryError> {
        self.find_without(mesh, links, (start, end), filter, &HashSet::new(), out)
    }

    /// As [`find`](Self::find), without the segments that are `banned`.
    pub(in crate::nav) fn find_without(
        &mut self,
        mesh: &NavMesh,
        links: &OffMeshLinks,
        (start, end): (NavPoint, NavPoint),
        filter: &Filter,
        banned: &HashSet<ExitPair>,
        out: &mut LinkedPath,
    ) -> Result<(), QueryError> {
        out.segments.clear();
        (out.cost, out.expanded) = (0.0, 0);
        let other_island = match check(mesh, start, end, filter) {
            Err(QueryError::OtherIsland(a, b)) if !links.all().is_empty() => Some(QueryError::OtherIsland(a, b)),
            Err(reason) => return Err(reason),
            Ok(()) => None,
        };
        let mut apart: Vec<u32> = banned.iter().map(|pair| pair.0).collect();
        apart.sort_unstable_by_key(|&origin| rank(origin));
        apart.dedup();
        apart.truncate(MAX_APART);
        let request = Request { mesh, links, end, filter, banned, apart: &apart };
        let last = if links.all().is_empty() { None } else { self.search(&request, start, out) };
        if let Some((last, origin)) = last
            && origin != NONE
        {
            self.trace(&request, start, last, out);
            return Ok(());
        }
        if let Some(reason) = other_island {
            return Err(reason);
        }
        if banned.contains(&(NONE, NONE)) {
            return Err(QueryError::Blocked(start.polygon.0, end.polygon.0));
        }
        let mut corridor = Corridor::default();
        let found = self.plain.find(mesh, start, end, filter, &mut corridor);
        out.expanded += corridor.expanded;
        found?;
        out.cost = corridor.cost;
        out.segments.push(PathSegment { start, end, corridor, exit: None });
        Ok(())
    }

    /// The last entry of the cheapest path and the exit that its last segment begins with.
    fn search(&mut self, request: &Request, start: NavPoint, out: &mut LinkedPath) -> Option<(u32, u32)> {
        let count = request.count() as usize * (1 + request.apart.len());
        let mut space = Entries { request, goal: sanitize(request.mesh, request.end), best: None };
        let from = Entry { parent: NONE, origin: NONE, ..Entry::default() };
        let at = NavPoint::new(start.polygon, sanitize(request.mesh, start));
        self.kernel.begin(count, |open| space.leave(NONE, at, &from, open));
        self.kernel.run(&mut space);
        out.expanded += 1 + self.kernel.expanded();
        let (cost, last) = space.best?;
        out.cost = cost;
        Some(last)
    }

    fn trace(&self, request: &Request, start: NavPoint, last: u32, out: &mut LinkedPath) {
        let Request { mesh, links, end, .. } = *request;
        let mut segment = PathSegment { end, ..PathSegment::default() };
        let mut entry = last;
        loop {
            let exit = if entry == NONE { None } else { exit_of(mesh, request.entry(entry)) };
            if entry != NONE && exit.is_none() {
                segment.corridor.portals.push(request.entry(entry));
                entry = self.kernel.get(entry).map_or(NONE, |e| e.parent);
                continue;
            }
            segment.start = exit.map_or(start, |e| NavPoint::new(links.taken(e).to, links.taken(e).end));
            let corridor = &mut segment.corridor;
            corridor.portals.reverse();
            corridor.polygons.extend(corridor.portals.iter().map(|&p| PolyId(mesh.portals().portal(p).polygon)));
            corridor.polygons.push(segment.end.polygon);
            let before = exit.map(|e| NavPoint::new(links.taken(e).from, links.taken(e).start));
            let new = PathSegment { end: before.unwrap_or_default(), exit, ..PathSegment::default() };
            out.segments.push(std::mem::replace(&mut segment, new));
            if exit.is_none() {
                break;
            }
            entry = self.kernel.get(entry).map_or(NONE, |e| e.parent);
        }
        out.segments.reverse();
    }
}

/// The graph of entries.
struct Entries<'a> {
    request: &'a Request<'a>,
    goal: Vec3,
    /// The cheapest path to the end so far: its cost, its last entry and the exit that its last segment begins with.
    best: Option<(f32, (u32, u32))>,
}

impl SearchSpace for Entries<'_> {
    type State = Entry;

    /// Whether no open entry can lead to the end at less cost.
    fn is_goal(&self, _: u32, entry: &Entry) -> bool {
        entry.total >= self.limit()
    }

    fn expand(&mut self, number: u32, entry: &Entry, open: &mut OpenList<Entry>) {
        self.leave(number, place(self.request, self.request.entry(number)), entry, open);
    }
}

impl Entries<'_> {
    fn limit(&self) -> f32 {
        self.best.map_or(f32::INFINITY, |b| b.0)
    }

    /// Offers the portals and links that lead out of a polygon, entered at a point.
    fn leave(&mut self, by: u32, NavPoint { polygon, point: at }: NavPoint, here: &Entry, open: &mut OpenList<Entry>) {
        let Request { mesh, links, end, filter, banned, .. } = *self.request;
        let Entry { cost, origin, .. } = *here;
        let weight_here = weight(mesh, filter, polygon.0);
        let whole = cost + at.distance(self.goal) * weight_here;
        if polygon == end.polygon && whole < self.limit() && !banned.contains(&(origin, NONE)) {
            self.best = Some((whole, (by, origin)));
        }
        for way in mesh.portals().links_of(polygon.0) {
            if filter.passes(mesh.polygon(PolyId(way.neighbor))) {
                let cost = cost + way.middle.distance(at) * weight_here;
                let entry = Entry { cost, parent: by, origin, ..Entry::default() };
                self.offer(self.request.node(way.portal, origin), entry, way.middle, open);
            }
        }
        for &exit in links.exits(polygon) {
            let (link, number) = (links.taken(exit), number(exit));
            let passes = filter.passes_flags(link.flags) && filter.passes(mesh.polygon(link.to));
            if passes && !banned.contains(&(origin, number)) {
                let dear = filter.cost[usize::from(link.area & 63)].max(0.0);
                let cost = cost + at.distance(link.start) * weight_here + link.start.distance(link.end) * dear;
                let entry = Entry { cost, parent: by, origin: number, ..Entry::default() };
                let far_end = mesh.portals().len() as u32 + number;
                self.offer(self.request.node(far_end, number), entry, link.end, open);
            }
        }
    }

    fn offer(&self, number: u32, entry: Entry, at: Vec3, open: &mut OpenList<Entry>) {
        let (stamp, total) = (open.stamp(), entry.cost + at.distance(self.goal) * HEURISTIC_SCALE);
        let known = open.slot(number);
        if total < self.limit() && (known.stamp != stamp || total < known.total) {
            *known = Entry { total, stamp, ..entry };
            open.push(number, total);
        }
    }
}

/// The place of an origin in the order of origins: the query's start comes first.
fn rank(origin: u32) -> u32 {
    origin.wrapping_add(1)
}

/// The number of an exit: twice the link's, and one for backwards.
pub(in crate::nav) fn number(exit: OffMeshExit) -> u32 {
    2 * exit.link + u32::from(exit.backwards)
}

/// The exit that an entry is the far end of; `None` for a portal.
fn exit_of(mesh: &NavMesh, entry: u32) -> Option<OffMeshExit> {
    let number = entry.checked_sub(mesh.portals().len() as u32)?;
    Some(OffMeshExit { link: number / 2, backwards: number % 2 == 1 })
}

/// The polygon that an entry leads to, and where.
fn place(request: &Request, entry: u32) -> NavPoint {
    if let Some(exit) = exit_of(request.mesh, entry) {
        let link = request.links.taken(exit);
        return NavPoint::new(link.to, link.end);
    }
    let gate = request.mesh.portals().portal(entry);
    let into = request.mesh.edges()[gate.edge as usize].neighbor;
    NavPoint::new(PolyId(into), (gate.left + gate.right) * 0.5)
}

/// Runs the funnel through every segment and returns where in `out` links begin: each leads from that point to
/// the next one, exactly from the link's start to its end.
pub fn straight_linked_path(
    mesh: &NavMesh,
    links: &OffMeshLinks,
    linked_path: &LinkedPath,
    crossings: Crossings,
    out: &mut Vec<PathPoint>,
) -> Vec<(usize, OffMeshExit)> {
    out.clear();
    let (mut taken, mut line) = (Vec::new(), Vec::new());
    let mut came_by: Option<OffMeshExit> = None;
    for segment in &linked_path.segments {
        straight_path(mesh, &segment.corridor, segment.start.point, segment.end.point, crossings, &mut line);
        if let (Some(first), Some(exit)) = (line.first_mut(), came_by) {
            first.point = links.taken(exit).end;
        }
        if let Some(exit) = segment.exit {
            let at = links.taken(exit);
            // A segment of one point has only its start.
            if line.len() < 2 && line.first().is_some_and(|t| t.point != at.start) {
                line.push(PathPoint { point: at.start, polygon: at.from.0 });
            }
            if let Some(last) = line.last_mut() {
                last.point = at.start;
            }
            taken.push((out.len() + line.len() - 1, exit));
        }
        out.append(&mut line);
        came_by = segment.exit;
    }
    taken
}
