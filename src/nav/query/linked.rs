//! Ways that leave the mesh: corridors with links between them.
//!
//! The search is A* over entries: the portals by which polygons are come into, and the far ends of links. A link costs
//! its straight length times its area's cost, and a filter excludes it by its flags. A way without any link is the one
//! that [`PathFinder`] finds. Within a stretch between two links all that holds for paths without links does.

use std::collections::HashSet;

use glam::Vec3;

use super::funnel::{Crossings, Turn, straight_path};
use super::heap::{Heap, NO_ITEM, pack, unpack};
use super::path::{Corridor, PathFinder, tame, weight};
use super::{QueryError, check};
use crate::nav::mesh::links::{Exit, Links};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};

/// Share of the straight distance that the search expects to walk at least.
const HOPE: f32 = 0.999;

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
    entries: Vec<Entry>,
    stamp: u32,
    heap: Heap,
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

    fn begin(&mut self, mesh: &NavMesh, links: &Links) {
        let count = mesh.portals().len() + 2 * links.all().len();
        if self.entries.len() < count || self.stamp == u32::MAX {
            self.entries.clear();
            self.entries.resize(count, Entry::default());
            self.stamp = 0;
        }
        self.stamp += 1;
        self.heap.clear();
    }

    /// The last entry of the cheapest way and the exit that its last stretch begins with.
    fn search(&mut self, ask: &Ask, start: NavPoint, out: &mut Journey) -> Option<(u32, u32)> {
        let Ask { mesh, links, end, filter, banned } = *ask;
        self.begin(mesh, links);
        let goal = tame(mesh, end);
        let mut best = (f32::INFINITY, None);
        let mut next = Some((NONE, start.polygon, tame(mesh, start), 0.0, NONE));
        while let Some((by, polygon, at, cost, origin)) = next {
            out.expanded += 1;
            let weight_here = weight(mesh, filter, polygon.0);
            let whole = cost + at.distance(goal) * weight_here;
            if polygon == end.polygon && whole < best.0 && !banned.contains(&(origin, NONE)) {
                best = (whole, Some((by, origin)));
            }
            for way in mesh.portals().of(polygon.0) {
                if filter.passes(mesh.polygon(PolyId(way.neighbor))) {
                    let cost = cost + way.middle.distance(at) * weight_here;
                    self.offer(way.number, (cost, cost + way.middle.distance(goal) * HOPE), by, origin, best.0);
                }
            }
            for &exit in links.exits(polygon) {
                let (link, number) = (links.taken(exit), number(exit));
                let passes = filter.passes_flags(link.flags) && filter.passes(mesh.polygon(link.to));
                if passes && !banned.contains(&(origin, number)) {
                    let dear = filter.cost[usize::from(link.area & 63)].max(0.0);
                    let cost = cost + at.distance(link.start) * weight_here + link.start.distance(link.end) * dear;
                    let entry = mesh.portals().len() as u32 + number;
                    self.offer(entry, (cost, cost + link.end.distance(goal) * HOPE), by, number, best.0);
                }
            }
            next = self.next(ask, best.0);
        }
        if best.1.is_some() {
            out.cost = best.0;
        }
        best.1
    }

    fn offer(&mut self, entry: u32, (cost, total): (f32, f32), parent: u32, origin: u32, limit: f32) {
        let known = &mut self.entries[entry as usize];
        if total < limit && (known.stamp != self.stamp || total < known.total) {
            *known = Entry { cost, total, parent, origin, stamp: self.stamp };
            self.heap.push(pack(total, entry));
        }
    }

    /// The open entry that promises least: its number, polygon, place, cost and origin. `None` when none promises
    /// less than `limit`.
    fn next(&mut self, ask: &Ask, limit: f32) -> Option<(u32, PolyId, Vec3, f32, u32)> {
        loop {
            let (total, number) = unpack(self.heap.exchange(NO_ITEM)?);
            if total >= limit {
                return None;
            }
            let entry = self.entries[number as usize];
            if entry.total == total {
                let NavPoint { polygon, point: at } = place(ask, number);
                return Some((number, polygon, at, entry.cost, entry.origin));
            }
        }
    }

    fn trace(&self, ask: &Ask, start: NavPoint, last: u32, out: &mut Journey) {
        let Ask { mesh, links, end, .. } = *ask;
        let mut stretch = Stretch { end, ..Stretch::default() };
        let mut entry = last;
        loop {
            let exit = if entry == NONE { None } else { exit_of(mesh, entry) };
            if entry != NONE && exit.is_none() {
                stretch.corridor.portals.push(entry);
                entry = self.entries[entry as usize].parent;
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
            entry = self.entries[entry as usize].parent;
        }
        out.stretches.reverse();
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
