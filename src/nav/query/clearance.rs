//! Paths for agents of any radius on one mesh, with exact clearance.
//!
//! After TA* (D. Demyen and M. Buro, "Efficient Triangulation-Based Pathfinding", AAAI 2006). A corridor is searched
//! over pairs of portals (in by one, out by another) that are wide enough: the width of a pair is the distance between
//! what stands on its left and what stands on its right. A funnel over discs at the walls' corners turns the corridor
//! into a taut path. That path is measured against every wall within the radius: a wall that it comes too near to
//! becomes a disc, too, and corners of the corridor that are no walls give way to it; where that does not help the pair
//! of portals is banned and the search is repeated. A returned path therefore keeps its clearance on any mesh.

mod dirty_region;
mod goal_tree;
mod nearby_walls;
mod request;
mod search;
mod taut_path;
mod ways_through;
mod width_cache;

use glam::{DVec2, Vec3};

use super::funnel::{Crossings, PathPoint, straight_path};
use super::path::{Corridor, CorridorFinder};
use super::raycast::raycast;
use super::surface::Surface;
use super::{QueryError, check};
use crate::math::plan::{self, to_plan_f64};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};
use goal_tree::GoalTrees;
use nearby_walls::{CornerArc, Leg};
pub use request::TOLERANCE;
use request::{PortalPair, Request};
use search::WideSearch;
use taut_path::{PathVertex, TautPath, TooNear};
pub use ways_through::for_each_way_through;
use width_cache::WidthCache;

/// How often a taut path is repaired before its corridor is given up.
const MAX_REPAIRS: usize = 32;
/// How many pairs of portals are banned before the query fails.
const MAX_DETOURS: usize = 64;

/// A path of an agent with a radius.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClearancePath {
    /// The polygons and portals on the way.
    pub corridor: Corridor,
    /// Start, tangents, arcs and end as points, each with the polygon that the path enters there. A start or end where
    /// the agent does not fit is replaced by the nearest point where it does.
    pub points: Vec<PathPoint>,
    /// Nodes of the search from the end that serves this query with all others that are [`shared`](SearchHints::shared), whenever it was
    /// made; [`Corridor::expanded`] leaves them out.
    pub shared_expanded: u32,
}

/// What a search may leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchHints {
    /// More queries with the same end follow: one search from the end serves all. Corridors cost the same, ties apart.
    pub shared: bool,
    /// The straight path through a corridor whose portals are wide enough is good enough; it touches corners of walls.
    pub sketched: bool,
}

/// What is asked of [`ClearancePaths::find_with_hints`].
#[derive(Clone, Copy, Debug)]
pub struct ClearanceQuery<'a> {
    /// Where the path begins.
    pub start: NavPoint,
    /// Where it ends.
    pub end: NavPoint,
    /// Which polygons may be used, and what their areas cost.
    pub filter: &'a Filter,
    /// Distance to keep from walls, metres.
    pub radius: f32,
    /// What the search may leave out.
    pub hints: SearchHints,
}

/// Finds paths with clearance. Keeps its memory from query to query, and measured widths until mesh or filter change.
#[derive(Debug, Default)]
pub struct ClearancePaths {
    plain: CorridorFinder,
    surface: Surface,
    widths: WidthCache,
    wide_search: WideSearch,
    goal_trees: GoalTrees,
    taut_path: TautPath,
    laid: Vec<LaidLeg>,
}

/// A leg of a path that keeps its clearance.
#[derive(Clone, Copy, Debug)]
struct LaidLeg {
    to: DVec2,
    /// Where it ends on the mesh.
    place: NavPoint,
    /// How many portals of the corridor lie before that.
    passed: usize,
    /// How many points the path has then.
    points: usize,
}

impl ClearancePaths {
    /// With no memory allocated yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds a path on which every point keeps at least `radius` metres (less [`TOLERANCE`]) from every wall. With
    /// radius 0, as with one that is negative or no number, it is the plain corridor and its straight path. On an error
    /// `out` is empty.
    ///
    /// # Errors
    /// There is no path, none is wide enough, or an argument is invalid; see [`QueryError`].
    pub fn find(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        end: NavPoint,
        filter: &Filter,
        radius: f32,
        out: &mut ClearancePath,
    ) -> Result<(), QueryError> {
        self.find_with_hints(mesh, &ClearanceQuery { start, end, filter, radius, hints: SearchHints::default() }, out)
    }

    /// As [`find`](Self::find), leaving out what the hints allow.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub fn find_with_hints(
        &mut self,
        mesh: &NavMesh,
        query: &ClearanceQuery,
        out: &mut ClearancePath,
    ) -> Result<(), QueryError> {
        let ClearanceQuery { start, end, filter, radius, hints } = *query;
        out.corridor.clear();
        out.points.clear();
        out.shared_expanded = 0;
        if radius.is_nan() || radius <= 0.0 {
            self.plain.find(mesh, start, end, filter, &mut out.corridor)?;
            straight_path(mesh, &out.corridor, start.point, end.point, Crossings::None, &mut out.points);
            return Ok(());
        }
        check(mesh, start, end, filter)?;
        let narrow = QueryError::TooNarrow(start.polygon.0, end.polygon.0);
        if radius.is_infinite() {
            return Err(narrow);
        }
        self.widths.prepare(mesh, filter, 2.0 * radius);
        let radius = f64::from(radius);
        let start = self.make_room(mesh, start, filter, radius).ok_or(narrow)?;
        let end = self.make_room(mesh, end, filter, radius).ok_or(narrow)?;
        let request = Request { mesh, start, end, filter, radius };
        let mut banned: Vec<PortalPair> = Vec::new();
        let mut expanded = 0;
        for _ in 0..MAX_DETOURS {
            out.corridor.clear();
            let shared = hints.shared && filter.has_uniform_cost() && banned.is_empty();
            let mut found = false;
            if shared {
                (found, out.shared_expanded) = self.goal_trees.find(&request, &mut self.widths, &mut out.corridor);
            }
            found = found || self.wide_search.find(&request, &mut self.widths, &banned, &mut out.corridor);
            expanded += out.corridor.expanded;
            out.corridor.expanded = expanded;
            if !found {
                break;
            }
            if hints.sketched {
                straight_path(mesh, &out.corridor, start.point, end.point, Crossings::None, &mut out.points);
                return Ok(());
            }
            match self.tighten(&request, &out.corridor, &mut out.points) {
                Ok(()) => return Ok(()),
                Err(pair) if banned.contains(&pair) => break,
                Err(pair) => banned.push(pair),
            }
        }
        out.corridor.clear();
        out.points.clear();
        out.corridor.expanded = expanded;
        Err(narrow)
    }

    /// Returns the point itself if the agent fits there, else a nearby point where it does.
    fn make_room(&mut self, mesh: &NavMesh, place: NavPoint, filter: &Filter, radius: f64) -> Option<NavPoint> {
        if self.widths.reach(mesh, radius as f32).is_clear(
            mesh,
            filter,
            place.polygon,
            &Leg::new(place.point, place.point, radius as f32),
        ) {
            return Some(place);
        }
        let (mut at, mut walked) = (place, Vec::new());
        // Each step moves off the nearest wall; between two walls several steps are needed.
        for _ in 0..24 {
            let Some(hit) = self.surface.wall_distance(mesh, at, radius as f32, filter) else { return Some(at) };
            if f64::from(hit.distance) >= radius - 0.1 * TOLERANCE {
                return Some(at);
            }
            let (a, b) = mesh.edge_points(hit.edge);
            let inwards = DVec2::new(f64::from(a.z - b.z), f64::from(b.x - a.x)).normalize_or_zero();
            let away = to_plan_f64(at.point) - to_plan_f64(hit.point);
            let away = if away.length() > 1e-4 { away.normalize() } else { inwards };
            let to = to_plan_f64(hit.point) + away * (radius + 1e-5);
            let target = Vec3::new(to.x as f32, at.point.y, to.y as f32);
            at = self.surface.walk(mesh, at, target, filter, &mut walked);
        }
        None
    }

    /// Computes the taut path of the corridor and repairs it until it keeps its clearance. On failure returns the
    /// portal pair to ban.
    fn tighten(&mut self, request: &Request, corridor: &Corridor, out: &mut Vec<PathPoint>) -> Result<(), PortalPair> {
        let Request { mesh, start, end, radius, .. } = *request;
        let mut taut_path = std::mem::take(&mut self.taut_path);
        taut_path.reset(mesh, &self.widths, corridor, (start.point, end.point), radius);
        self.laid.clear();
        let answer = self.repair(request, corridor, &mut taut_path, out);
        self.taut_path = taut_path;
        answer
    }

    fn repair(
        &mut self,
        request: &Request,
        corridor: &Corridor,
        taut_path: &mut TautPath,
        out: &mut Vec<PathPoint>,
    ) -> Result<(), PortalPair> {
        let Request { mesh, radius, .. } = *request;
        for _ in 0..MAX_REPAIRS {
            let Some(near) = self.project(request, corridor, taut_path.compute(), out) else { return Ok(()) };
            let stop = taut_path.stop_before(mesh, &near);
            let side = (near.way).perp_dot(near.wall - near.path);
            let loosened = side != 0.0 && taut_path.loosen(&near, side < 0.0);
            if side == 0.0 || !taut_path.repair(stop, near.wall, radius, side > 0.0) && !loosened {
                return Err(taut_path.portal_pair(stop, corridor));
            }
        }
        let middle = corridor.portals.len() / 2;
        Err((
            middle.checked_sub(1).map_or(NONE, |i| corridor.portals[i]),
            corridor.portals.get(middle).map_or(NONE, |&p| p),
        ))
    }

    /// Projects the path onto the surface; returns where it first comes too near to a wall. Leading legs that have not
    /// changed since the last call are kept.
    fn project(
        &mut self,
        request: &Request,
        corridor: &Corridor,
        vertices: &[PathVertex],
        out: &mut Vec<PathPoint>,
    ) -> Option<TooNear> {
        let Request { mesh, start, filter, radius, .. } = *request;
        let same =
            self.laid.iter().zip(vertices.iter().skip(1)).take_while(|(laid, vertex)| laid.to == vertex.at).count();
        self.laid.truncate(same);
        let last = self.laid.last();
        let (mut at, mut passed, kept) = last.map_or((start, 0, 1), |laid| (laid.place, laid.passed, laid.points));
        if same == 0 {
            out.clear();
            out.push(PathPoint { point: start.point, polygon: start.polygon.0 });
        }
        out.truncate(kept);
        let limit = (radius - 0.8 * TOLERANCE) as f32;
        let reach = self.widths.reach(mesh, radius as f32);
        let mut arc: Option<CornerArc> = None;
        for (i, pair) in vertices.windows(2).enumerate().skip(same) {
            let (from, to) = (to_plan_f64(at.point), pair[1].at);
            let point = Vec3::new(to.x as f32, at.point.y, to.y as f32);
            match pair[1].stop.filter(|_| pair[0].stop == pair[1].stop) {
                Some(stop) if arc.as_ref().is_some_and(|arc| arc.stop == stop) => {}
                Some(stop) => {
                    let last = vertices[i..].iter().take_while(|v| v.stop == Some(stop)).last().unwrap_or(&pair[1]);
                    arc = CornerArc::new(stop, pair[0].center, [pair[0].at, last.at], limit.into());
                }
                None => arc = None,
            }
            let (mut leg, mut clear) = (None, true);
            let mut visit = |p: PolyId| {
                clear = clear
                    && (arc.as_mut().is_some_and(|arc| reach.is_arc_clear(mesh, filter, p, arc)) || {
                        let leg = leg.get_or_insert_with(|| Leg::new(at.point, point, limit));
                        reach.is_clear(mesh, filter, p, leg)
                    });
            };
            // Most legs are parts of arcs that stay within one polygon, and most others end in the one that following finds.
            let ends_in = |p: PolyId| mesh.soa_polygons().holds(p.0, point);
            let mut polygon = at.polygon;
            let mut arrives = ends_in(polygon);
            if !arrives {
                polygon = follow(mesh, corridor, &mut passed, (at, point, limit), &mut visit);
                arrives = ends_in(polygon);
            }
            if arrives {
                visit(polygon);
            } else {
                let hit = raycast(mesh, NavPoint { polygon, ..at }, point, filter, visit);
                (polygon, arrives) = (hit.polygon, hit.share == 1.0);
            }
            if !(clear && arrives)
                && let Some((path, wall)) = self.surface.wall_near(mesh, at, point, limit, filter)
            {
                let span = (pair[0].stop, pair[1].stop);
                return Some(TooNear { path: to_plan_f64(path), wall: to_plan_f64(wall), way: to - from, span });
            }
            at = NavPoint::new(polygon, Vec3 { y: mesh.height_at(polygon, point), ..point });
            if out.last().is_none_or(|last| last.point != at.point) {
                out.push(PathPoint { point: at.point, polygon: at.polygon.0 });
            }
            self.laid.push(LaidLeg { to, place: at, passed, points: out.len() });
        }
        None
    }
}

/// Follows a leg, from a place on the mesh, over the portals of a corridor as long as it surely passes between their ends:
/// three signs, where a [`raycast`] has to find the side by which it leaves a polygon (0.25 of the 4.6 µs of a query on the
/// town). Calls `visit` with the polygons that it leaves; returns the one that it comes to. `passed` counts the portals. Polygons
/// are left out where the leg keeps its clearance from both ends of the portals by which it enters and leaves: between these a
/// convex polygon has no wall nearer than they are.
#[inline]
fn follow(
    mesh: &NavMesh,
    corridor: &Corridor,
    passed: &mut usize,
    (at, to, limit): (NavPoint, Vec3, f32),
    mut visit: impl FnMut(PolyId),
) -> PolyId {
    let (polygons, mut next) = (&corridor.polygons, *passed);
    if polygons[next] != at.polygon {
        // The path may leave the corridor where corners of it are no walls, and come back.
        let Some(ahead) = polygons[next..].iter().position(|&p| p == at.polygon) else { return at.polygon };
        next += ahead;
    }
    let (from, to) = (to_plan_f64(at.point), to_plan_f64(to));
    // Crosses are distances from the leg's line times its length.
    let (margin, mut keeps) = (f64::from(limit).powi(2) * from.distance_squared(to), false);
    while let Some(&portal) = corridor.portals.get(next) {
        let [left, right] = mesh.portals().ends(portal);
        // Most legs are parts of arcs, which end before the next portal.
        if plan::cross(left, right, to) >= 0.0 {
            break;
        }
        let beside = (-plan::cross(from, to, left)).min(plan::cross(from, to, right));
        if beside <= 0.0 {
            break;
        }
        let kept = std::mem::replace(&mut keeps, beside * beside >= margin);
        if !(kept && keeps) {
            visit(polygons[next]);
        }
        next += 1;
    }
    *passed = next;
    polygons[next]
}

#[cfg(test)]
mod tests;
