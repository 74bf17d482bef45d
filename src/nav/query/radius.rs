//! Paths for agents of any radius on one mesh, with exact clearance.
//!
//! A corridor is searched over transits (in by one portal, out by another) that are wide enough (after D. Demyen and
//! M. Buro, "Efficient Triangulation-Based Pathfinding", AAAI 2006: the width of a transit is the distance of what
//! stands to its left from what stands to its right). In it a string is pulled around discs that stand at the walls'
//! corners. What comes out is measured against every wall in reach: a wall that it comes too near to becomes a disc
//! too, and where that does not help the transit is given up and the search goes on. So a path that is returned
//! keeps its distance, whatever the mesh is like.

mod pull;
mod reach;
mod search;
#[cfg(test)]
mod tests;
mod touched;
mod tree;
mod width;

use glam::{DVec2, Vec3};

use super::funnel::{Crossings, Turn, straight_path};
use super::path::{Corridor, PathFinder};
use super::raycast::raycast;
use super::surface::Surface;
use super::{QueryError, check};
use crate::math::plan::to_plan_f64;
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint};
use pull::{Bend, Rope};
use reach::Leg;
use search::Transits;
use tree::Tree;
use width::Walls;

/// How much nearer than the radius a path may come to a wall, metres.
pub const TOLERANCE: f64 = 1e-3;
/// Arcs become lines that stay within this distance of them, metres: half of what checks allow for, so that rounding
/// never makes a bend too narrow.
const ARC: f64 = 4e-4;
/// How often a string is mended before its corridor is given up.
const MOST_MENDS: usize = 32;
/// How many transits are given up before the query is.
const MOST_DETOURS: usize = 64;

/// A path of an agent with a radius.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RadiusPath {
    /// The polygons and portals on the way.
    pub corridor: Corridor,
    /// Start, tangents, arcs and end as points, each with the polygon walked from there on. Where the agent does not
    /// fit at start or end, the nearest place where it does.
    pub points: Vec<Turn>,
}

/// What may be left out of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Haste {
    /// Others ask for ways to the same end: one search serves all. Its corridors are as short as others, but for ties.
    pub shared: bool,
    /// The plain line through a corridor that is wide enough portal by portal will do; it touches corners of walls.
    pub sketched: bool,
}

/// A way through a polygon: the portal that led in, [`NONE`] at the start, and the one that leads out.
type Transit = (u32, u32);

/// The searcher: keeps its memory from query to query, and measured widths as long as mesh and filter stay.
#[derive(Debug, Default)]
pub struct RadiusPaths {
    plain: PathFinder,
    surface: Surface,
    walls: Walls,
    transits: Transits,
    tree: Tree,
    rope: Rope,
    laid: Vec<Laid>,
}

/// A leg of a path that keeps its distance from walls.
#[derive(Clone, Copy, Debug)]
struct Laid {
    to: DVec2,
    /// Where it ends on the mesh.
    place: NavPoint,
    /// How many points the path has then.
    points: usize,
}

/// A query that has been checked.
#[derive(Clone, Copy)]
struct Ask<'a> {
    mesh: &'a NavMesh,
    start: NavPoint,
    end: NavPoint,
    filter: &'a Filter,
    radius: f64,
}

impl RadiusPaths {
    /// A searcher without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds a path on which every point keeps at least `radius` metres (less [`TOLERANCE`]) from every wall. With
    /// radius 0 it is the plain corridor and its straight path. On an error `out` is empty.
    ///
    /// # Errors
    /// There is no way, none is wide enough, or the arguments are none; see [`QueryError`].
    pub fn find(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        end: NavPoint,
        filter: &Filter,
        radius: f32,
        out: &mut RadiusPath,
    ) -> Result<(), QueryError> {
        self.find_in_haste(mesh, (start, end), filter, (radius, Haste::default()), out)
    }

    /// As [`find`](Self::find), but in haste.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub fn find_in_haste(
        &mut self,
        mesh: &NavMesh,
        (start, end): (NavPoint, NavPoint),
        filter: &Filter,
        (radius, haste): (f32, Haste),
        out: &mut RadiusPath,
    ) -> Result<(), QueryError> {
        out.corridor.clear();
        out.points.clear();
        if !(radius > 0.0 && radius.is_finite()) {
            self.plain.find(mesh, start, end, filter, &mut out.corridor)?;
            straight_path(mesh, &out.corridor, start.point, end.point, Crossings::None, &mut out.points);
            return Ok(());
        }
        check(mesh, start, end, filter)?;
        self.walls.prepare(mesh, filter, 2.0 * radius);
        let radius = f64::from(radius);
        let narrow = QueryError::TooNarrow(start.polygon.0, end.polygon.0);
        let start = self.make_room(mesh, start, filter, radius).ok_or(narrow)?;
        let end = self.make_room(mesh, end, filter, radius).ok_or(narrow)?;
        let ask = Ask { mesh, start, end, filter, radius };
        let mut banned: Vec<Transit> = Vec::new();
        let mut expanded = 0;
        for _ in 0..MOST_DETOURS {
            out.corridor.clear();
            let shared = haste.shared && filter.is_even() && banned.is_empty();
            let found = shared && self.tree.find(&ask, &mut self.walls, &mut out.corridor) || {
                expanded += std::mem::take(&mut out.corridor.expanded);
                self.transits.find(&ask, &mut self.walls, &banned, &mut out.corridor)
            };
            expanded += out.corridor.expanded;
            out.corridor.expanded = expanded;
            if !found {
                break;
            }
            if haste.sketched {
                straight_path(mesh, &out.corridor, start.point, end.point, Crossings::None, &mut out.points);
                return Ok(());
            }
            match self.pull(&ask, &out.corridor, &mut out.points) {
                Ok(()) => return Ok(()),
                Err(transit) if banned.contains(&transit) => break,
                Err(transit) => banned.push(transit),
            }
        }
        out.corridor.clear();
        out.points.clear();
        out.corridor.expanded = expanded;
        Err(narrow)
    }

    /// The place itself where an agent fits, else one nearby where it does.
    fn make_room(&mut self, mesh: &NavMesh, place: NavPoint, filter: &Filter, radius: f64) -> Option<NavPoint> {
        if self.walls.reach(mesh, radius as f32).is_clear(
            mesh,
            filter,
            place.polygon,
            &Leg::new(place.point, place.point, radius as f32),
        ) {
            return Some(place);
        }
        let (mut at, mut walked) = (place, Vec::new());
        // Each step leaves the nearest wall; between two walls that takes some.
        for _ in 0..24 {
            let Some(hit) = self.surface.wall_distance(mesh, at, radius as f32, filter) else { return Some(at) };
            if f64::from(hit.distance) >= radius - 0.1 * TOLERANCE {
                return Some(at);
            }
            let (a, b) = mesh.segment(hit.edge);
            let inwards = DVec2::new(f64::from(a.z - b.z), f64::from(b.x - a.x)).normalize_or_zero();
            let away = to_plan_f64(at.point) - to_plan_f64(hit.point);
            let away = if away.length() > 1e-4 { away.normalize() } else { inwards };
            let to = to_plan_f64(hit.point) + away * (radius + 1e-5);
            let target = Vec3::new(to.x as f32, at.point.y, to.y as f32);
            at = self.surface.walk(mesh, at, target, filter, &mut walked);
        }
        None
    }

    /// Pulls the string through the corridor and mends it until it keeps its distance. Else the transit to give up.
    fn pull(&mut self, ask: &Ask, corridor: &Corridor, out: &mut Vec<Turn>) -> Result<(), Transit> {
        let Ask { mesh, start, end, radius, .. } = *ask;
        let mut string = std::mem::take(&mut self.rope);
        string.begin(mesh, &self.walls, corridor, (start.point, end.point), radius);
        self.laid.clear();
        let answer = self.mend(ask, corridor, &mut string, out);
        self.rope = string;
        answer
    }

    fn mend(&mut self, ask: &Ask, corridor: &Corridor, string: &mut Rope, out: &mut Vec<Turn>) -> Result<(), Transit> {
        let Ask { mesh, radius, .. } = *ask;
        for _ in 0..MOST_MENDS {
            let Some(near) = self.lay(ask, string.bend(), out) else { return Ok(()) };
            let stop = string.place_of(mesh, near.path, near.span);
            let side = (near.way).perp_dot(near.wall - near.path);
            if side == 0.0 || !string.mend(stop, near.wall, radius, side > 0.0) {
                return Err(string.transit(stop, corridor));
            }
        }
        let middle = corridor.portals.len() / 2;
        Err((
            middle.checked_sub(1).map_or(NONE, |i| corridor.portals[i]),
            corridor.portals.get(middle).map_or(NONE, |&p| p),
        ))
    }

    /// Lays the path on the surface; where it comes too near to a wall, says where. Legs at its beginning that are
    /// those of the time before are kept.
    fn lay(&mut self, ask: &Ask, bends: &[Bend], out: &mut Vec<Turn>) -> Option<Near> {
        let Ask { mesh, start, filter, radius, .. } = *ask;
        let same = self.laid.iter().zip(bends.iter().skip(1)).take_while(|(laid, bend)| laid.to == bend.at).count();
        self.laid.truncate(same);
        let (mut at, kept) = self.laid.last().map_or((start, 1), |laid| (laid.place, laid.points));
        if same == 0 {
            out.clear();
            out.push(Turn { point: start.point, polygon: start.polygon.0 });
        }
        out.truncate(kept);
        let limit = (radius - 0.8 * TOLERANCE) as f32;
        let reach = self.walls.reach(mesh, radius as f32);
        for pair in bends.windows(2).skip(same) {
            let (from, to) = (to_plan_f64(at.point), pair[1].at);
            let point = Vec3::new(to.x as f32, at.point.y, to.y as f32);
            let (leg, mut clear) = (Leg::new(at.point, point, limit), true);
            let hit = raycast(mesh, at, point, filter, |p| clear = clear && reach.is_clear(mesh, filter, p, &leg));
            if !(clear && hit.share == 1.0)
                && let Some((path, wall)) = self.surface.wall_near(mesh, at, point, limit, filter)
            {
                let span = (pair[0].stop, pair[1].stop);
                return Some(Near { path: to_plan_f64(path), wall: to_plan_f64(wall), way: to - from, span });
            }
            at = NavPoint::new(hit.polygon, Vec3 { y: mesh.height_at(hit.polygon, point), ..point });
            if out.last().is_none_or(|last| last.point != at.point) {
                out.push(Turn { point: at.point, polygon: at.polygon.0 });
            }
            self.laid.push(Laid { to, place: at, points: out.len() });
        }
        None
    }
}

/// A place where a path comes too near to a wall.
struct Near {
    path: DVec2,
    wall: DVec2,
    /// The path's direction there.
    way: DVec2,
    /// The stops before and after.
    span: (usize, usize),
}
