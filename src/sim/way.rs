//! The way of a walker over the mesh: rounded and held against walls a little ahead, as it was found beyond.
//!
//! Most ways are never walked to their end: targets move, doors open. So a way is found in haste at first, and its next
//! metres are made fit to be walked when the walker comes near; when many set out at once, they take turns. Parts meet
//! in the middles of straight legs.

use super::body::{Body, Navigation};
use super::links::{Leap, before_link};
use super::navigate::remeasure;
use super::on_mesh::{Ends, Tools, place};
use super::world::{Live, NavStatus, World};
use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::mesh::{Filter, NavMesh};
use crate::nav::planner::{PathResult, Planner, Query, SearchHints};
use crate::scene::SceneNav;
use crate::scene::nav::Bends;
use glam::Vec3;

/// How far ahead a way is held against walls at a time, metres at scale 1.
const LAID: f32 = 10.0;
/// How much of it is rounded then, metres at scale 1.
const ROUNDED: f32 = 4.0;
/// Legs of so many turn radii have room for the bends at both of their ends.
const ROOMY: f32 = 3.0;
/// The way is rounded further once so many rounded points are left.
const LAST_POINTS: usize = 2;
/// How many ways are rounded further in a step.
const PER_STEP: usize = 48;

/// About so far apart are the points of a spline, metres at scale 1.
const SPACING: f32 = 0.25;

/// The mesh, and which polygons may be walked on at what cost.
type Ground<'a> = (&'a NavMesh, &'a Filter);

/// What a walker's way is like.
#[derive(Clone, Copy)]
struct Manner {
    /// Distance that it keeps from walls, metres.
    room: f32,
    bends: Bends,
    /// Radius of arcs, metres.
    turn_radius: f32,
    scale: f32,
}

/// A way that is being laid.
#[derive(Clone, Debug, Default)]
pub struct Way {
    path: Vec<Vec3>,
    leaps: Vec<Leap>,
    /// How many points at its end are not rounded yet.
    rough: usize,
    /// Distance that it keeps from walls, metres.
    pub room: f32,
}

impl Way {
    /// An empty one in the memory of a walker's way, which is gone then.
    pub fn with_memory_of(live: &mut Live) -> Self {
        let (mut path, mut leaps) = (std::mem::take(&mut live.path), std::mem::take(&mut live.leaps));
        path.clear();
        leaps.clear();
        Self { path, leaps, rough: 0, room: 0.0 }
    }

    /// Makes it a walker's.
    pub fn give(self, live: &mut Live, nav: &mut Navigation) {
        (live.path, live.leaps) = (self.path, self.leaps);
        (nav.rough, nav.room) = (self.rough, self.room);
    }

    /// Lays it along what a planner found: stretch by stretch, and links between.
    pub fn lay(&mut self, mesh: &NavMesh, links: Option<&OffMeshLinks>, found: &PathResult) {
        // The walker stands at the first point of all.
        let mut begin = usize::from(found.points.len() > 1);
        let taken = |&(at, exit)| links.map(|l| (at, l.taken(exit)));
        for link in found.links.iter().filter_map(taken).map(Some).chain([None]) {
            let end = link.map_or(found.points.len(), |(at, _)| at + 1).max(begin);
            self.path.extend(found.points[begin..end].iter().map(|p| mesh.world(*p).as_vec3()));
            if let Some((_, link)) = link {
                if self.path.is_empty() {
                    // He stands where the link begins.
                    self.path.extend(found.points.first().map(|p| mesh.world(*p).as_vec3()));
                }
                let landing = mesh.world(link.end).as_vec3();
                self.leaps.push(Leap { left: self.path.len() - 1, end: landing, kind: link.kind });
                begin = end;
            }
        }
        self.leaps.iter_mut().for_each(|leap| leap.left = self.path.len() - leap.left);
        self.rough = self.path.len();
    }

    /// Makes the target itself the last point, which may stand beside the mesh; a link ends where it does.
    pub fn end_at(&mut self, goal: Vec3) {
        let lands_last = self.leaps.last().is_some_and(|leap| leap.left == 2);
        match self.path.last_mut() {
            Some(last) if !lands_last => *last = goal,
            _ => {
                self.path.push(goal);
                self.leaps.iter_mut().for_each(|leap| leap.left += 1);
                self.rough += usize::from(self.rough > 0);
            }
        }
    }
}

/// The part of a line that is rounded now, which may end in the middle of a leg, and how many of the line's points it
/// covers. A line that is `open` goes on behind its end, where it therefore must not be cut.
fn cut(line: &[Vec3], open: bool, turn_radius: f32, scale: f32) -> (Vec<Vec3>, usize) {
    let (mut gone, last) = (0.0, line.len().saturating_sub(2));
    for (i, leg) in line.windows(2).enumerate() {
        let length = leg[0].distance(leg[1]);
        let roomy = gone > ROUNDED * scale && (length > ROOMY * turn_radius || gone > 2.0 * ROUNDED * scale);
        if if i == last { open } else { roomy } {
            let mut part = line[..=i].to_vec();
            part.push(leg[0].midpoint(leg[1]));
            return (part, i + 1);
        }
        gone += length;
    }
    (line.to_vec(), line.len())
}

impl World {
    /// Rounds the ways of those further who come to where theirs are not rounded yet, in turns.
    pub(super) fn round_ways(&mut self, mesh: &NavMesh, nav: &SceneNav) {
        let (count, first) = (self.live.len(), self.next_to_round);
        let ground = (mesh, &nav.filter());
        let mut left = PER_STEP;
        for i in (0..count).map(|k| (first + k) % count) {
            if left == 0 {
                self.next_to_round = i;
                return;
            }
            let (live, body) = (&mut self.live[i], &mut self.bodies[i]);
            left -= usize::from(go_on(live, body, ground, &mut self.tools, (nav.bends, nav.turn_radius)));
        }
    }
}

/// Rounds a walker's way further when he comes to where it is not rounded yet. Says whether there was something to do.
fn go_on(
    live: &mut Live,
    body: &mut Body,
    ground: Ground,
    tools: &mut Tools,
    (bends, turn_radius): (Bends, f32),
) -> bool {
    let mesh = ground.0;
    let (scale, nav) = (body.scale(), &mut body.nav);
    nav.rough = nav.rough.min(live.path.len());
    let front = live.path.len() - nav.rough;
    let walks = live.nav == NavStatus::Walking && live.crossing.is_none();
    // One link at a time: what lies beyond it waits.
    let link = before_link(live);
    if nav.rough == 0 || front > LAST_POINTS || !walks || link < front {
        return false;
    }
    let from = front.checked_sub(1).map_or(live.now.position.with_y(body.floor), |i| live.path[i]);
    let end = link.saturating_add(1).min(live.path.len());
    let mut gone = 0.0;
    let mut legs = std::iter::once(&from).chain(&live.path[front..end]).zip(&live.path[front..end]);
    let far = legs.position(|(a, b)| {
        gone += a.distance(*b);
        gone > LAID * scale
    });
    let covered = far.map_or(end - front, |i| i + 1);
    let open = front + covered < end;
    let goal = live.path[front + covered - 1];
    let line: Vec<Vec3> = live.path[front..front + covered].iter().map(|p| mesh.local(p.as_dvec3())).collect();
    let manner = Manner { room: nav.room, bends, turn_radius: turn_radius * scale, scale };
    let Some((mut fit, smooth)) = fit(ground, tools, (from, &line), open, manner) else {
        nav.rough -= covered;
        return true;
    };
    if let (false, Some(last)) = (open, fit.last_mut()) {
        // The target may stand beside the mesh, and a link begins where it does.
        *last = goal;
    }
    nav.rough = nav.rough - covered + fit.len() - smooth;
    live.path.splice(front..front + covered, fit);
    nav.cleared = nav.cleared.min(front);
    remeasure(live, nav);
    true
}

/// Makes a line over the mesh fit to be walked, which leads from a place in the world through local points: keeps it
/// off walls and rounds its beginning. Gives points in the world without the first one, and how many of them are
/// rounded. `None` when it does not begin on the mesh.
fn fit(
    (mesh, filter): Ground,
    tools: &mut Tools,
    (from, line): (Vec3, &[Vec3]),
    open: bool,
    Manner { room, bends, turn_radius, scale }: Manner,
) -> Option<(Vec<Vec3>, usize)> {
    let from = place(mesh, from, filter)?;
    let end = place(mesh, mesh.world(*line.last()?).as_vec3(), filter)?;
    let mut points = Vec::with_capacity(line.len() + 1);
    if room > 0.0 {
        points = Planner::Funnel.find(&mut tools.planning, mesh, &wide((from, end), filter, room)).points;
    }
    if points.is_empty() {
        points.push(from.point);
        points.extend_from_slice(line);
        points.pop();
        points.push(end.point);
    }
    let (window, covered) = cut(&points, open, turn_radius, scale);
    let mut fit = Vec::new();
    match bends {
        Bends::Arcs => tools.smoother.round(mesh, from.polygon, &window, filter, turn_radius, &mut fit),
        Bends::Spline => tools.spline.draw(mesh, from.polygon, &window, filter, SPACING * scale, &mut fit),
    }
    let smooth = fit.len() - 1;
    let rest = fit.iter().skip(1).chain(&points[covered..]);
    Some((rest.map(|p| mesh.world(*p).as_vec3()).collect(), smooth))
}

/// Asks for a line that keeps its distance from walls.
fn wide<'a>((start, end): Ends, filter: &'a Filter, radius: f32) -> Query<'a> {
    let hints = SearchHints::default();
    Query { start, end, filter, radius, tactics: None, links: None, hints, skip_polygons: true }
}
