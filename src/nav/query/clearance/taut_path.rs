//! The funnel algorithm around discs instead of points: the shortest path through a corridor that keeps a clearance.
//!
//! It stands beside the [funnel over points](crate::nav::query::funnel): discs that overlap have no common tangent and
//! are skipped, where a point that repeats the apex restarts the funnel with exact signs.

use glam::{DVec2, Vec3};

use super::request::PortalPair;
use super::width_cache::WidthCache;
use crate::math::plan::{self, to_plan_f64};
use crate::nav::mesh::{NONE, NavMesh};
use crate::nav::query::path::Corridor;

/// Arcs become lines that stay within this distance of them, metres: half of what checks allow for, so that rounding
/// never makes a bend too narrow.
const MAX_ARC_ERROR: f64 = 4e-4;

/// A disc that the path passes; `side` is 1 when it is on the positive side of the path's direction (that of
/// [`Portal::right`](crate::nav::mesh::Portal::right)), −1 on the other. One that is no number has no tangents: it stands for
/// none, and is passed by without a branch of its own.
#[derive(Clone, Copy, Debug)]
struct CornerDisc {
    center: DVec2,
    radius: f64,
    side: f64,
}

impl CornerDisc {
    /// No disc on a side.
    fn none(side: f64) -> Self {
        Self { center: DVec2::NAN, radius: f64::NAN, side }
    }

    fn is_none(&self) -> bool {
        self.radius.is_nan()
    }

    /// Where the tangent to another disc touches it.
    fn touch_towards(&self, to: &Self) -> DVec2 {
        let along = if self.radius > 0.0 { unit_tangent(self, to) } else { None };
        along.map_or(self.center, |along| self.center - along.perp() * (self.side * self.radius))
    }
}

/// What the path passes through, in order: a portal of the corridor, or a disc inserted by a repair.
#[derive(Clone, Copy, Debug)]
struct Stop {
    left: CornerDisc,
    right: CornerDisc,
    portal: Option<u32>,
}

/// A vertex of the path, and the stop at which it bends with the middle of its disc; the start bends at none.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathVertex {
    pub(super) at: DVec2,
    pub(super) stop: Option<usize>,
    pub(super) center: DVec2,
}

/// Where a path comes too near to a wall.
pub(super) struct TooNear {
    pub(super) path: DVec2,
    pub(super) wall: DVec2,
    /// The path's direction there.
    pub(super) way: DVec2,
    /// The stops at which the path bends before and after; equal ones within an arc.
    pub(super) span: (Option<usize>, Option<usize>),
}

/// The path and the stops that it passes.
#[derive(Debug, Default)]
pub(super) struct TautPath {
    start: DVec2,
    /// That of the discs, metres.
    radius: f64,
    /// The angle by which an arc may turn at a point, radians.
    widest_turn: f64,
    /// The square of the length of the sum of two unit directions that differ by that.
    least_sum: f64,
    stops: Vec<Stop>,
    /// The discs around which it bends, from the start to the end.
    corners: Vec<TautCorner>,
    vertices: Vec<PathVertex>,
    /// The first stop that has changed since the funnel was run.
    changed: usize,
}

/// A disc around which the path bends, at a stop.
#[derive(Clone, Copy, Debug)]
struct TautCorner {
    disc: CornerDisc,
    stop: usize,
    /// The stop that the funnel looked at when it found the corner: nothing behind it matters to that.
    seen: usize,
    /// How many vertices of the path come before it.
    vertices: usize,
    /// The direction of the tangent to the next corner, if there is one.
    way_out: Option<DVec2>,
}

impl TautCorner {
    fn new(disc: CornerDisc, stop: usize, seen: usize) -> Self {
        Self { disc, stop, seen, vertices: 0, way_out: None }
    }
}

/// A side of the funnel: its direction from the apex, no number as long as there is none, and the stop of its disc.
#[derive(Clone, Copy)]
struct TautSide {
    way: DVec2,
    stop: usize,
}

impl TautSide {
    const NONE: Self = Self { way: DVec2::NAN, stop: 0 };
}

impl TautPath {
    /// Takes the portals of a corridor as stops.
    pub(super) fn reset(
        &mut self,
        mesh: &NavMesh,
        walls: &WidthCache,
        corridor: &Corridor,
        (start, end): (Vec3, Vec3),
        radius: f64,
    ) {
        let disc = |touched: bool, center: DVec2, side: f64| CornerDisc {
            center,
            radius: if touched { radius } else { 0.0 },
            side,
        };
        self.start = to_plan_f64(start);
        if self.radius != radius {
            let cosine = 1.0 / (1.0 + MAX_ARC_ERROR / radius);
            (self.radius, self.widest_turn, self.least_sum) = (radius, 2.0 * cosine.acos(), 4.0 * cosine * cosine);
        }
        self.stops.clear();
        self.stops.extend(corridor.portals.iter().map(|&p| {
            let [left, right] = walls.touch_ends(p);
            let [l, r] = mesh.portals().ends(p);
            Stop { left: disc(left, l, -1.0), right: disc(right, r, 1.0), portal: Some(p) }
        }));
        let point = |side: f64| CornerDisc { center: to_plan_f64(end), radius: 0.0, side };
        self.stops.push(Stop { left: point(-1.0), right: point(1.0), portal: None });
        self.corners.clear();
    }

    /// Runs the funnel: finds the discs around which the path bends. Those that were found without a look at what has changed
    /// since stay; returns the number of the last of them.
    fn run_funnel(&mut self) -> usize {
        let kept = self.corners.iter().skip(1).take_while(|corner| corner.seen < self.changed).count();
        self.corners.truncate(1 + kept);
        let (mut apex, mut i) = match kept {
            0 => (CornerDisc { center: self.start, radius: 0.0, side: 1.0 }, 0),
            _ => (self.corners[kept].disc, self.corners[kept].stop + 1),
        };
        if self.corners.is_empty() {
            self.corners.push(TautCorner::new(apex, 0, 0));
        }
        let (mut left, mut right) = (TautSide::NONE, TautSide::NONE);
        // Each restart begins behind its corner; the bound guards against endless restarts by rounding.
        let mut rest = 64 * self.stops.len() + 1024;
        while i < self.stops.len() && rest > 0 {
            rest -= 1;
            let stop = &self.stops[i];
            let to_left = tangent(&apex, &stop.left).unwrap_or(DVec2::NAN);
            let to_right = tangent(&apex, &stop.right).unwrap_or(DVec2::NAN);
            // The nearer disc first: of a portal seen edge-on the path bends around that one, not around the farther.
            let far = |disc: &CornerDisc| disc.center.distance_squared(apex.center);
            let is_left_first = far(&stop.left) < far(&stop.right);
            let corner = if is_left_first && tighten(&mut left, &right, to_left, i, -1.0) {
                Some((right, true))
            } else if tighten(&mut right, &left, to_right, i, 1.0) {
                Some((left, false))
            } else if !is_left_first && tighten(&mut left, &right, to_left, i, -1.0) {
                Some((right, true))
            } else {
                None
            };
            let Some((TautSide { stop: at, .. }, is_right)) = corner else {
                i += 1;
                continue;
            };
            apex = if is_right { self.stops[at].right } else { self.stops[at].left };
            self.corners.push(TautCorner::new(apex, at, i));
            (left, right) = (TautSide::NONE, TautSide::NONE);
            i = at + 1;
        }
        if let Some(end) = self.stops.last() {
            self.corners.push(TautCorner::new(end.right, self.stops.len() - 1, usize::MAX));
        }
        self.changed = usize::MAX;
        kept
    }

    /// Drops a disc around which the path bends only because its tangent leads past the end: it lies on its side of the straight
    /// line from the corner before to the end, and the end comes before it. Returns whether there was one.
    fn drop_disc_beyond_end(&mut self) -> bool {
        let (corners, last) = (&self.corners, self.stops.len() - 1);
        let [between @ .., end] = &corners[..] else { return false };
        let is_beyond = |before: &CornerDisc, disc: &CornerDisc| {
            let from = before.touch_towards(&end.disc);
            let way = end.disc.center - from;
            disc.radius > 0.0
                && way.perp_dot(disc.center - from) * disc.side > 0.0
                && way.dot(disc.center - end.disc.center) >= 0.0
        };
        // The end has made these corners; others stand before it on every path.
        let by_end = |i: usize| corners[i].seen == last || i + 1 == between.len();
        let beyond = (1..between.len()).find(|&i| by_end(i) && is_beyond(&corners[i - 1].disc, &corners[i].disc));
        let Some(TautCorner { disc, stop, .. }) = beyond.map(|i| corners[i]) else { return false };
        let slot = if disc.side > 0.0 { &mut self.stops[stop].right } else { &mut self.stops[stop].left };
        *slot = CornerDisc::none(disc.side);
        self.changed = stop;
        true
    }

    /// The taut path; arcs are polylines outside of their discs.
    pub(super) fn compute(&mut self) -> &[PathVertex] {
        let mut first = self.run_funnel();
        while self.drop_disc_beyond_end() {
            first = first.min(self.run_funnel());
        }
        let first = first.max(1);
        let (corners, out) = (&mut self.corners, &mut self.vertices);
        out.truncate(corners[first].vertices);
        if out.is_empty() {
            out.push(PathVertex { at: self.start, stop: None, center: self.start });
        }
        // Side by side, so that their roots and quotients overlap.
        for i in first..corners.len() {
            corners[i - 1].way_out = unit_tangent(&corners[i - 1].disc, &corners[i].disc);
        }
        let mut way_in = corners[first - 1].way_out.unwrap_or(DVec2::X);
        for i in first..corners.len() {
            corners[i].vertices = out.len();
            let TautCorner { disc, stop, way_out, .. } = corners[i];
            let stop = Some(stop);
            if i + 1 == corners.len() || disc.radius == 0.0 {
                out.push(PathVertex { at: disc.center, stop, center: disc.center });
                way_in = way_out.unwrap_or(DVec2::X);
                continue;
            }
            let arrives = std::mem::replace(&mut way_in, way_out.unwrap_or(DVec2::X));
            let way_out = way_out.unwrap_or(arrives);
            // Turned towards the disc: with its side.
            let sine = arrives.perp_dot(way_out) * disc.side;
            let sum = arrives + if sine < 0.0 { arrives } else { way_out };
            if sum.length_squared() >= self.least_sum {
                let at = disc.center - sum.perp() * (disc.side * disc.radius * 2.0 / sum.length_squared());
                out.push(PathVertex { at, stop, center: disc.center });
                continue;
            }
            let turn = sine.atan2(arrives.dot(way_out));
            // Rounded up without a call into the math library.
            let turns = turn / self.widest_turn;
            let count = turns as u32 + u32::from(f64::from(turns as u32) < turns);
            let half = DVec2::from_angle(turn / f64::from(count) * 0.5 * disc.side);
            let (step, outer) = (half.rotate(half), disc.radius / half.x);
            let mut along = arrives.rotate(half);
            for _ in 0..count {
                let at = disc.center - along.perp() * (disc.side * outer);
                out.push(PathVertex { at, stop, center: disc.center });
                along = along.rotate(step);
            }
        }
        out
    }

    /// The stop before which a wall lies that the path comes too near to.
    pub(super) fn stop_before(&self, mesh: &NavMesh, near: &TooNear) -> usize {
        let (from, to) = (near.span.0.map_or(0, |stop| stop + 1), near.span.1.unwrap_or(0));
        let is_ahead = |center: DVec2| (center - near.wall).dot(near.way) > 0.0;
        if from > to {
            // Within an arc: before its disc or after it.
            let corner = self.corners.iter().find(|corner| corner.stop == to);
            return if corner.is_some_and(|corner| is_ahead(corner.disc.center)) { to } else { from };
        }
        let point = Vec3::new(near.path.x as f32, 0.0, near.path.y as f32);
        let before = |stop: &Stop| match stop.portal {
            Some(p) => {
                let gate = mesh.portals().portal(p);
                plan::cross(gate.left, gate.right, point) > 0.0
            }
            None => {
                let disc = if stop.left.is_none() { stop.right } else { stop.left };
                disc.is_none() || is_ahead(disc.center)
            }
        };
        (from..to).find(|&i| before(&self.stops[i])).unwrap_or(to)
    }

    /// Lets the path pass beyond the corners of its corridor around which it bends towards a wall, where they are no
    /// walls; returns whether there was one. `right` is the side of these corners.
    pub(super) fn loosen(&mut self, near: &TooNear, right: bool) -> bool {
        let (mut loosened, last) = (false, self.stops.len() - 1);
        for stop in [near.span.0, near.span.1].into_iter().flatten().filter(|&stop| stop < last) {
            let Stop { left, right: other, .. } = &mut self.stops[stop];
            let slot = if right { other } else { left };
            if slot.radius == 0.0 {
                *slot = CornerDisc::none(slot.side);
                (loosened, self.changed) = (true, self.changed.min(stop));
            }
        }
        loosened
    }

    /// Inserts a disc at a wall before a stop; returns whether it was not there already.
    pub(super) fn repair(&mut self, stop: usize, wall: DVec2, radius: f64, right: bool) -> bool {
        let side = if right { 1.0 } else { -1.0 };
        let disc = CornerDisc { center: wall, radius, side };
        let near = stop.saturating_sub(4)..(stop + 4).min(self.stops.len());
        let stands = self.stops[near].iter().any(|s| {
            s.portal.is_none()
                && [s.left, s.right].iter().any(|d| d.radius > 0.0 && d.side == side && d.center.distance(wall) < 1e-3)
        });
        if stands {
            return false;
        }
        let none = CornerDisc::none(-side);
        let (left, right) = if right { (none, disc) } else { (disc, none) };
        self.stops.insert(stop, Stop { left, right, portal: None });
        self.changed = self.changed.min(stop);
        true
    }

    /// The portal pair around a stop.
    pub(super) fn portal_pair(&self, stop: usize, corridor: &Corridor) -> PortalPair {
        let before = self.stops[..stop].iter().filter(|s| s.portal.is_some()).count();
        let portal = |i: Option<usize>| i.and_then(|i| corridor.portals.get(i)).map_or(NONE, |&p| p);
        (portal(before.checked_sub(1)), portal(Some(before)))
    }
}

/// Tightens a side of the funnel to a disc in this direction if that lies within; returns whether it lies beyond the other
/// side, which then is a corner. `sign` is the side's. No comparison holds with a direction that is no number.
#[inline]
fn tighten(side: &mut TautSide, other: &TautSide, way: DVec2, stop: usize, sign: f64) -> bool {
    if way.x.is_nan() || side.way.perp_dot(way) * sign > 0.0 {
        return false;
    }
    if other.way.perp_dot(way) * sign <= 0.0 {
        return true;
    }
    *side = TautSide { way, stop };
    false
}

/// Direction (of any length) of the common tangent of two discs, each on its side. `None` when one contains the other.
#[inline]
fn tangent(from: &CornerDisc, to: &CornerDisc) -> Option<DVec2> {
    let way = to.center - from.center;
    let (length_squared, apart) = (way.length_squared(), to.side * to.radius - from.side * from.radius);
    let rest = length_squared - apart * apart;
    if !(rest >= 0.0 && length_squared > 0.0) {
        return None;
    }
    if apart == 0.0 {
        return Some(way);
    }
    Some(way * rest.sqrt() - way.perp() * apart)
}

/// The same of length 1.
fn unit_tangent(from: &CornerDisc, to: &CornerDisc) -> Option<DVec2> {
    tangent(from, to).map(DVec2::normalize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{Filter, fixture};
    use crate::nav::query::path::CorridorFinder;

    #[test]
    fn n_06_repaired_paths_are_those_computed_anew() {
        let (mut kept, filter) = (0, Filter::default());
        for seed in 1..60 {
            let mesh = fixture::random_mesh(seed, 14, 0.3).validate().unwrap();
            let mut chance = fixture::chance(seed);
            let mut place = || fixture::over(&mesh, f64::from(chance()) * 14.0, f64::from(chance()) * 14.0);
            let (Some(start), Some(end)) = (place(), place()) else { continue };
            let (mut corridor, mut walls, mut path) = <(Corridor, WidthCache, TautPath)>::default();
            let found = CorridorFinder::new().find(&mesh, start, end, &filter, &mut corridor);
            if found.is_err() || corridor.portals.is_empty() {
                continue;
            }
            walls.prepare(&mesh, &filter, 0.6);
            path.reset(&mesh, &walls, &corridor, (start.point, end.point), 0.3);
            path.compute();
            for _ in 0..8 {
                let mut below = |count: usize| ((chance() * count as f32) as usize).min(count - 1);
                let (stop, portal) = (below(path.stops.len()), corridor.portals[below(corridor.portals.len())]);
                let (right, [a, b]) = (below(2) == 0, mesh.portals().ends(portal));
                let wall = a.lerp(b, below(100) as f64 * 0.01);
                if below(3) == 0 {
                    let span = (Some(stop), Some(stop));
                    path.loosen(&TooNear { path: a, wall, way: b - a, span }, right);
                }
                path.repair(stop, wall, 0.3, right);
                kept += path.corners.iter().skip(1).filter(|corner| corner.seen < path.changed).count();
                let repaired = format!("{:?}", path.compute());
                path.corners.clear();
                assert_eq!(repaired, format!("{:?}", path.compute()), "seed {seed}");
            }
        }
        assert!(kept > 100, "{kept}");
    }
}
