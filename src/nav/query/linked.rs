//! Ways that leave the mesh: corridors with links between them.
//!
//! The search is A* over entries: the portals by which polygons are come into, and the far ends of links. A link costs
//! its straight length times its area's cost, and a filter excludes it by its flags. A way without any link is the one
//! that [`PathFinder`] finds. Within a stretch between two links all that holds for paths without links does.

use std::collections::HashSet;

use glam::Vec3;

use super::funnel::{Crossings, Turn, straight_path};
use super::path::{Corridor, HEURISTIC_SCALE, PathFinder, sanitize, weight};
use super::{QueryError, check};
use crate::nav::mesh::links::{Exit, Links};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};
use crate::nav::search::kernel::{NodeState, OpenList, Search, SearchSpace};

/// A part of a way without links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stretch {
    /// Where it begins: the query's start or the end of a link.
    pub start: NavPoint,
    /// Where it ends: the query's end or the start of a link.
    pub end: NavPoint,
    /// The polygons and portals between.
    pub corridor: Corridor,
    /// The link that is taken at its end; none for the last.
    pub exit: Option<Exit>,
}

/// A way with the links that it takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journey {
    /// At least one.
    pub stretches: Vec<Stretch>,
    /// What the search thinks it costs.
    pub cost: f32,
    /// How many entries the search expanded.
    pub expanded: u32,
}

/// From where to where a stretch leads: numbers of links' exits, [`NONE`] for the query's start and end.
pub type Span = (u32, u32);

/// What the search knows of an entry.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    cost: f32,
    total: f32,
    parent: u32,
    /// The exit that its stretch began with.
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

/// What a query asks for.
#[derive(Clone, Copy)]
struct Ask<'a> {
    mesh: &'a NavMesh,
    links: &'a Links,
    end: NavPoint,
    filter: &'a Filter,
    banned: &'a HashSet<Span>,
}

/// The searcher: keeps its memory from query to query.
#[derive(Clone, Debug, Default)]
pub struct LinkedPaths {
    plain: PathFinder,
    /// Per portal, then per exit of a link: two for each, forwards and backwards.
    kernel: Search<Entry>,
}

impl LinkedPaths {
    /// A searcher without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds a way from `start` to `end`, points over their polygons, that may take links of this mesh. On an error
    /// `out` is empty.
    ///
    /// # Errors
    /// There is no way, or the arguments are none; see [`QueryError`].
    pub fn find(
        &mut self,
        mesh: &NavMesh,
        links: &Links,
        start: NavPoint,
        end: NavPoint,
        filter: &Filter,
        out: &mut Journey,
    ) -> Result<(), QueryError> {
        self.find_but(mesh, links, (start, end), filter, &HashSet::new(), out)
    }

    /// As [`find`](Self::find), without the stretches that are `banned`.
    pub(in crate::nav) fn find_but(
        &mut self,
        mesh: &NavMesh,
        links: &Links,
        (start, end): (NavPoint, NavPoint),
        filter: &Filter,
        banned: &HashSet<Span>,
        out: &mut Journey,
    ) -> Result<(), QueryError> {
        out.stretches.clear();
        (out.cost, out.expanded) = (0.0, 0);
        let apart = match check(mesh, start, end, filter) {
            Err(QueryError::OtherIsland(a, b)) if !links.all().is_empty() => Some(QueryError::OtherIsland(a, b)),
            Err(reason) => return Err(reason),
            Ok(()) => None,
        };
        let ask = Ask { mesh, links, end, filter, banned };
        let last = if links.all().is_empty() { None } else { self.search(&ask, start, out) };
        if let Some((last, origin)) = last
            && origin != NONE
        {
            self.trace(&ask, start, last, out);
            return Ok(());
        }
        if let Some(apart) = apart {
            return Err(apart);
        }
        if banned.contains(&(NONE, NONE)) {
            return Err(QueryError::Blocked(start.polygon.0, end.polygon.0));
        }
        let mut corridor = Corridor::default();
        let found = self.plain.find(mesh, start, end, filter, &mut corridor);
        out.expanded += corridor.expanded;
        found?;
        out.cost = corridor.cost;
        out.stretches.push(Stretch { start, end, corridor, exit: None });
        Ok(())
    }

    /// The last entry of the cheapest path and the exit that its last stretch begins with.
    fn search(&mut self, ask: &Ask, start: NavPoint, out: &mut Journey) -> Option<(u32, u32)> {
        let count = ask.mesh.portals().len() + 2 * ask.links.all().len();
        let mut space = Entries { ask, goal: sanitize(ask.mesh, ask.end), best: None };
        let from = Entry { parent: NONE, origin: NONE, ..Entry::default() };
        let at = NavPoint::new(start.polygon, sanitize(ask.mesh, start));
        self.kernel.begin(count, |open| space.leave(NONE, at, &from, open));
        self.kernel.run(&mut space);
        out.expanded += 1 + self.kernel.expanded();
        let (cost, last) = space.best?;
        out.cost = cost;
        Some(last)
    }

    fn trace(&self, ask: &Ask, start: NavPoint, last: u32, out: &mut Journey) {
        let Ask { mesh, links, end, .. } = *ask;
        let mut stretch = Stretch { end, ..Stretch::default() };
        let mut entry = last;
        loop {
            let exit = if entry == NONE { None } else { exit_of(mesh, entry) };
            if entry != NONE && exit.is_none() {
                stretch.corridor.portals.push(entry);
                entry = self.kernel.get(entry).map_or(NONE, |e| e.parent);
                continue;
            }
            stretch.start = exit.map_or(start, |e| NavPoint::new(links.taken(e).to, links.taken(e).end));
            let corridor = &mut stretch.corridor;
            corridor.portals.reverse();
            corridor.polygons.extend(corridor.portals.iter().map(|&p| PolyId(mesh.portals().gate(p).polygon)));
            corridor.polygons.push(stretch.end.polygon);
            let before = exit.map(|e| NavPoint::new(links.taken(e).from, links.taken(e).start));
            let new = Stretch { end: before.unwrap_or_default(), exit, ..Stretch::default() };
            out.stretches.push(std::mem::replace(&mut stretch, new));
            if exit.is_none() {
                break;
            }
            entry = self.kernel.get(entry).map_or(NONE, |e| e.parent);
        }
        out.stretches.reverse();
    }
}

/// The ways of a mesh and its links.
struct Entries<'a> {
    ask: &'a Ask<'a>,
    goal: Vec3,
    /// The cheapest path to the end so far: its cost, its last entry and the exit that its last stretch begins with.
    best: Option<(f32, (u32, u32))>,
}

impl SearchSpace for Entries<'_> {
    type State = Entry;

    /// Nothing that is still open leads to the end at less cost.
    fn is_goal(&self, _: u32, entry: &Entry) -> bool {
        entry.total >= self.limit()
    }

    fn expand(&mut self, number: u32, entry: &Entry, open: &mut OpenList<Entry>) {
        self.leave(number, place(self.ask, number), entry, open);
    }
}

impl Entries<'_> {
    fn limit(&self) -> f32 {
        self.best.map_or(f32::INFINITY, |b| b.0)
    }

    /// Offers the ways out of a polygon, entered by an entry at a point.
    fn leave(&mut self, by: u32, NavPoint { polygon, point: at }: NavPoint, here: &Entry, open: &mut OpenList<Entry>) {
        let Ask { mesh, links, end, filter, banned } = *self.ask;
        let Entry { cost, origin, .. } = *here;
        let weight_here = weight(mesh, filter, polygon.0);
        let whole = cost + at.distance(self.goal) * weight_here;
        if polygon == end.polygon && whole < self.limit() && !banned.contains(&(origin, NONE)) {
            self.best = Some((whole, (by, origin)));
        }
        for way in mesh.portals().of(polygon.0) {
            if filter.passes(mesh.polygon(PolyId(way.neighbor))) {
                let cost = cost + way.middle.distance(at) * weight_here;
                let entry = Entry { cost, parent: by, origin, ..Entry::default() };
                self.offer(way.number, entry, way.middle, open);
            }
        }
        for &exit in links.exits(polygon) {
            let (link, number) = (links.taken(exit), number(exit));
            let passes = filter.passes_flags(link.flags) && filter.passes(mesh.polygon(link.to));
            if passes && !banned.contains(&(origin, number)) {
                let dear = filter.cost[usize::from(link.area & 63)].max(0.0);
                let cost = cost + at.distance(link.start) * weight_here + link.start.distance(link.end) * dear;
                let entry = Entry { cost, parent: by, origin: number, ..Entry::default() };
                self.offer(mesh.portals().len() as u32 + number, entry, link.end, open);
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

/// The number of an exit: twice the link's, and one for backwards.
pub(in crate::nav) fn number(exit: Exit) -> u32 {
    2 * exit.link + u32::from(exit.backwards)
}

/// The exit that an entry is the far end of; `None` for a portal.
fn exit_of(mesh: &NavMesh, entry: u32) -> Option<Exit> {
    let number = entry.checked_sub(mesh.portals().len() as u32)?;
    Some(Exit { link: number / 2, backwards: number % 2 == 1 })
}

/// The polygon that an entry leads to, and where.
fn place(ask: &Ask, entry: u32) -> NavPoint {
    if let Some(exit) = exit_of(ask.mesh, entry) {
        let link = ask.links.taken(exit);
        return NavPoint::new(link.to, link.end);
    }
    let gate = ask.mesh.portals().gate(entry);
    let into = ask.mesh.edges()[gate.edge as usize].neighbor;
    NavPoint::new(PolyId(into), (gate.left + gate.right) * 0.5)
}

/// Pulls the string through every stretch of a way, and tells where in `out` links begin: each leads from that point to
/// the next one, exactly from the link's start to its end.
pub fn straight_journey(
    mesh: &NavMesh,
    links: &Links,
    journey: &Journey,
    crossings: Crossings,
    out: &mut Vec<Turn>,
) -> Vec<(usize, Exit)> {
    out.clear();
    let (mut taken, mut line) = (Vec::new(), Vec::new());
    let mut came_by: Option<Exit> = None;
    for stretch in &journey.stretches {
        straight_path(mesh, &stretch.corridor, stretch.start.point, stretch.end.point, crossings, &mut line);
        if let (Some(first), Some(exit)) = (line.first_mut(), came_by) {
            first.point = links.taken(exit).end;
        }
        if let Some(exit) = stretch.exit {
            let at = links.taken(exit);
            // Where the stretch is one point, that point is where it began.
            if line.len() < 2 && line.first().is_some_and(|t| t.point != at.start) {
                line.push(Turn { point: at.start, polygon: at.from.0 });
            }
            if let Some(last) = line.last_mut() {
                last.point = at.start;
            }
            taken.push((out.len() + line.len() - 1, exit));
        }
        out.append(&mut line);
        came_by = stretch.exit;
    }
    taken
}

#[cfg(test)]
mod tests;
