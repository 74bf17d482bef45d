//! Doorways: narrow passages that one direction at a time passes, in turns.
//!
//! Where two streams meet in a doorway, each blocks the other. D. Helbing and P. Molnár ("Social force model for
//! pedestrian dynamics", Physical Review E 51, 1995, section IV) observed that people pass a narrow door in turns:
//! once one has got through, others follow easily, until the pressure on the other side has grown and turns the flow.
//! Here this is a rule: one direction has the right of way; it changes when no agent of that direction is left, or,
//! not before [`SERVED_SECS`], when the pressure from the other side is greater or the turn has lasted long enough.
//! Agents without the right of way keep a distance, so that those that come out find room. One-way traffic is
//! unaffected.
//!
//! A passage for one is a doorway as a whole, however the mesh cuts it. Where there is room at its ends, of two agents that
//! meet in it one goes back, and neither squeezes.

mod narrow_places;

use glam::{Vec2, Vec3};
use smallvec::SmallVec;

use super::crowd_mesh::CrowdMesh;
use crate::math::plan::{self, to_plan};
use crate::nav::mesh::{NONE, NavMesh, NavPoint};
use crate::nav::rect_grid::{Rect, RectGrid};
use narrow_places::{DoorwayKind, NarrowPlaces, NarrowPortal, PortalGroup};

/// Agents per metre of width from which right of way matters; fewer pass each other.
const CROWDED_DENSITY: f32 = 3.0;
/// Distance at which an agent counts as approaching, metres.
const APPROACH_REACH: f32 = 6.0;
/// Waiting distance of agents without the right of way: metres, and fraction of the width.
const WAIT: (f32, f32) = (2.3, 0.25);
/// Shortest turn of a direction, and longest while others wait, seconds; and by how much either grows per metre of
/// width. Each change costs the time in which one stream leaves and the other comes near: with half of these turns,
/// 60 people take a tenth longer through a door of 1.5 m, and 1,000 a sixth longer through one of 4 m.
const SERVED_SECS: (f32, f32) = (20.0, 30.0);
const SERVED_PER_WIDTH: (f32, f32) = (1.5, 4.0);
/// Pressure from the other side that changes the turn: factor, and additional agents.
const PRESSURE: (f32, f32) = (1.5, 3.0);
/// Time that agents inside get to leave, seconds.
const CLEAR_SECS: f32 = 5.0;
/// Agents this near when the turn changes still pass, metres, for this time, seconds: backing off into those behind
/// takes longer.
const COMMITTED: (f32, f32) = (1.0, 2.0);
/// Speed of an agent that waits too near and steps back, as a fraction of its preferred speed.
pub(super) const BACK_OFF_SPEED: f32 = 0.3;
/// Time before the waiting position at which an agent slows down, seconds.
pub(super) const SLOW_SECS: f32 = 0.7;
/// Distance from the end of a passage for one within which an agent that has left it still counts as in it, metres: agents that
/// wait would come towards it while there is no room to pass.
const CLEAR_OF_PASSAGE: f32 = 2.0;
/// Distance within which a doorway counts that is narrower than the next one, or than that in which an agent is, metres.
const NARROWER_REACH: f32 = 4.0;
/// Height difference beyond which a portal is on another floor, metres.
const MAX_HEIGHT_OFFSET: f32 = 1.5;

const NO_DOORWAY: u32 = u32::MAX;

/// Margin by which an end is widened on either side, metres: paths turn exactly there.
const END_MARGIN: f32 = 0.05;

/// An end of a doorway: a line from wall to wall.
#[derive(Clone, Copy, Debug)]
struct DoorwayEnd {
    a: Vec3,
    b: Vec3,
    middle: Vec2,
    /// Square of the distance from the middle within which agents may approach it, m².
    reach_squared: f32,
    doorway: u32,
    /// Across it, out of the doorway.
    outwards: Vec2,
    /// The direction of agents that leave the doorway here.
    direction: usize,
    /// The polygon of the doorway before it, [`NONE`] for a doorway that is a single line.
    inner: u32,
}

impl DoorwayEnd {
    /// The direction of an agent that crosses it this way.
    fn direction_of(&self, way: Vec2) -> usize {
        if way.dot(self.outwards) > 0.0 { self.direction } else { 1 - self.direction }
    }

    fn distance(&self, at: Vec2) -> f32 {
        plan::closest_on_segment(to_plan(self.a), to_plan(self.b), at).distance(at)
    }
}

/// Where a path crosses an end of a doorway.
#[derive(Clone, Copy, Debug)]
struct EndCrossing {
    doorway: u32,
    direction: usize,
    /// Distance over the path, metres.
    distance: f32,
}

/// A doorway, and the direction whose turn it is.
#[derive(Clone, Copy, Debug, Default)]
struct Doorway {
    width: f32,
    /// Too long for turns.
    is_excluded: bool,
    /// Whether it is a passage for one.
    is_for_one: bool,
    /// Whether it is one with room at each of its ends.
    has_room: bool,
    /// Where its ends begin in [`Doorways::ends`], and where they end.
    ends: [u32; 2],
    /// Direction with the right of way: 1 to one of its ends, 0 to the other.
    right_of_way: Option<usize>,
    served_secs: f32,
    /// Whether the other direction had the turn before.
    changed: bool,
    /// Whether so many agents come from both sides that they would block each other.
    crowded: bool,
    coming: [u32; 2],
    inside: [u32; 2],
}

/// A doorway on the path of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DoorwayApproach {
    doorway: u32,
    direction: usize,
    /// Distance to the doorway, metres; 0 inside.
    pub(super) distance: f32,
    /// Whether the order in which agents pass it does not depend on the time that they have lost: where they pass in turns,
    /// and in long passages, in which agents that turn back half way never get through.
    pub(super) keeps_order: bool,
    /// Whether it is a passage for one with room at each of its ends, so that agents that meet in it can go
    /// back.
    pub(super) has_room: bool,
}

/// All doorways of a mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Doorways {
    ends: Vec<DoorwayEnd>,
    /// Ends by the places from which they are within reach.
    by_place: RectGrid,
    /// The doorway that a polygon lies in.
    of_polygon: Vec<u32>,
    list: Vec<Doorway>,
}

/// The ends within reach of an agent.
type NearEnds<'a> = SmallVec<[&'a DoorwayEnd; 8]>;

impl Doorways {
    /// Finds the doorways of a mesh.
    pub(super) fn find(&mut self, mesh: &NavMesh, crowd_mesh: &CrowdMesh) {
        *self = Self { of_polygon: vec![NO_DOORWAY; mesh.len()], ..Self::default() };
        let places = NarrowPlaces::find(mesh, crowd_mesh);
        for (kind, group) in places.doorways() {
            self.add(mesh, &places, kind, &group);
        }
        // A doorway that is reached over a path within that distance is no farther in a straight line.
        let reach = |end: &DoorwayEnd| Rect::around([end.a, end.b].map(to_plan)).expanded(APPROACH_REACH);
        self.by_place = RectGrid::build(&self.ends.iter().map(reach).collect::<Vec<Rect>>());
    }

    /// Adds a doorway. Those of its ends that are nearer to the one of the two farthest apart are the ends of a direction,
    /// however it bends.
    fn add(&mut self, mesh: &NavMesh, places: &NarrowPlaces, kind: &DoorwayKind, group: &PortalGroup) {
        let number = self.list.len() as u32;
        let portals = || group.portals.iter().map(|&portal| &places.portals[portal]);
        let is_between = |part: &u32| group.between.contains(part);
        let is_end = |portal: &&NarrowPortal| !portal.parts.iter().all(is_between);
        let middles: SmallVec<[Vec2; 4]> = portals().filter(is_end).map(NarrowPortal::middle).collect();
        let farthest = farthest_pair(&middles);
        let has_room = |portal: &NarrowPortal| {
            portal.parts.iter().filter(|part| !is_between(part)).all(|&part| places.has_room(part, portal, group))
        };
        let first_end = self.ends.len() as u32;
        self.list.push(Doorway {
            ends: [first_end, first_end + middles.len() as u32],
            width: portals().map(NarrowPortal::width).fold(f32::INFINITY, f32::min),
            is_excluded: group.is_too_long,
            is_for_one: kind.is_for_one,
            // A ring has no ends.
            has_room: kind.is_for_one && farthest.is_some() && portals().filter(is_end).all(has_room),
            ..Doorway::default()
        });
        for portal in portals().filter(is_end) {
            let is_first = |[first, second]: [Vec2; 2]| {
                portal.middle().distance_squared(first) <= portal.middle().distance_squared(second)
            };
            let side = portal.parts.iter().position(is_between);
            let edge = (portal.b - portal.a).normalize_or_zero() * END_MARGIN;
            let reach = APPROACH_REACH + END_MARGIN + 0.5 * portal.width();
            self.ends.push(DoorwayEnd {
                a: portal.a - edge,
                b: portal.b + edge,
                middle: portal.middle(),
                reach_squared: reach * reach,
                doorway: number,
                outwards: portal.away_from(mesh, side.unwrap_or(0)),
                direction: usize::from(!farthest.is_some_and(is_first)),
                inner: side.map_or(NONE, |side| portal.polygons[side]),
            });
        }
        for &polygon in group.between.iter().flat_map(|part| &places.parts[part].polygons) {
            self.of_polygon[polygon as usize] = number;
        }
    }

    /// Ends that an agent at this place may have within reach.
    fn near(&self, at: Vec3) -> NearEnds<'_> {
        let ends = self.by_place.at(to_plan(at)).iter().map(|&number| &self.ends[number as usize]);
        let is_on_floor = |end: &DoorwayEnd| (end.a.y - at.y).abs().min((end.b.y - at.y).abs()) < MAX_HEIGHT_OFFSET;
        ends.filter(|end| end.middle.distance_squared(to_plan(at)) <= end.reach_squared && is_on_floor(end)).collect()
    }

    /// The doorway that an agent is in.
    fn inside(&self, NavPoint { polygon, point: at }: NavPoint, radius: f32, near: &NearEnds<'_>) -> Option<u32> {
        let at = to_plan(at);
        // A polygon may reach out of the doorway beyond the line at its end.
        let is_beyond = |end: &&DoorwayEnd| end.inner == polygon.0 && (at - end.middle).dot(end.outwards) > 0.0;
        let doorway = self.of_polygon.get(polygon.index()).copied().filter(|&doorway| doorway != NO_DOORWAY);
        doorway
            .filter(|_| !near.iter().any(is_beyond))
            .or_else(|| near.iter().filter(|end| end.distance(at) < radius).map(|end| end.doorway).min())
    }

    /// The doorway on the path over these corners, or the one that the agent is in; `before` is what it was a step ago.
    pub(super) fn ahead(
        &self,
        place: NavPoint,
        radius: f32,
        corners: &[Vec3],
        before: Option<DoorwayApproach>,
    ) -> Option<DoorwayApproach> {
        if self.list.is_empty() || corners.is_empty() {
            return None;
        }
        let (at, near) = (to_plan(place.point), self.near(place.point));
        let inside = self.inside(place, radius, &near);
        if near.is_empty() && inside.is_none() {
            return None;
        }
        let crossings = crossings(at, corners, &near);
        let crosses = |doorway: u32| crossings.iter().find(|crossing| crossing.doorway == doorway);
        // An agent that has left a passage for one makes room for others a little later.
        let is_clear = |before: &DoorwayApproach| {
            let is_of = |end: &&&DoorwayEnd| end.doorway == before.doorway;
            !near.iter().filter(is_of).any(|end| end.distance(at) < CLEAR_OF_PASSAGE)
        };
        let leaves = before.filter(|before| {
            before.distance <= 0.0
                && self.list[before.doorway as usize].is_for_one
                && inside != Some(before.doorway)
                && crosses(before.doorway).is_none()
                && !is_clear(before)
        });
        if leaves.is_some() {
            return leaves;
        }
        // An agent waits for a narrower doorway in the wider one before it, but not in a passage for one.
        let width_of = |doorway: u32| self.list[doorway as usize].width;
        let next = crossings.iter().find(|crossing| Some(crossing.doorway) != inside);
        let known = inside.or(next.map(|next| next.doorway))?;
        let narrower = crossings.iter().filter(|crossing| {
            let waits = inside.is_none_or(|inside| !self.list[inside as usize].is_for_one);
            waits && crossing.distance < NARROWER_REACH && width_of(crossing.doorway) < width_of(known)
        });
        let narrowest = narrower.min_by(|a, b| width_of(a.doorway).total_cmp(&width_of(b.doorway)));
        if let Some(crossing) = narrowest.or(next.filter(|_| inside.is_none())) {
            return Some(self.approach(crossing.doorway, crossing.direction, crossing.distance));
        }
        let doorway = inside?;
        let direction = crosses(doorway).map(|crossing| crossing.direction);
        let direction = direction.or(before.filter(|before| before.doorway == doorway).map(|before| before.direction));
        let direction =
            direction.unwrap_or_else(|| self.direction_at(doorway, at, to_plan(corners[corners.len() - 1]) - at));
        Some(self.approach(doorway, direction, 0.0))
    }

    /// The direction of an agent that goes this way in a doorway, by its nearest end: it neither leaves it soon nor is known to have
    /// come in.
    fn direction_at(&self, doorway: u32, at: Vec2, way: Vec2) -> usize {
        let [first, end] = self.list[doorway as usize].ends.map(|end| end as usize);
        let ends = self.ends[first..end].iter();
        ends.min_by(|a, b| a.distance(at).total_cmp(&b.distance(at))).map_or(0, |end| end.direction_of(way))
    }

    fn approach(&self, doorway: u32, direction: usize, distance: f32) -> DoorwayApproach {
        let Doorway { crowded, is_excluded, has_room, .. } = self.list[doorway as usize];
        DoorwayApproach { doorway, direction, distance, keeps_order: crowded || is_excluded, has_room }
    }

    /// Whether there are any.
    pub(super) fn exist(&self) -> bool {
        !self.list.is_empty()
    }

    /// Assigns the right of way by the agents approaching and inside.
    pub(super) fn update(&mut self, approaches: impl Iterator<Item = DoorwayApproach>, dt_secs: f32) {
        self.list.iter_mut().for_each(|p| (p.coming, p.inside) = ([0; 2], [0; 2]));
        for approach in approaches {
            let Some(doorway) = self.list.get_mut(approach.doorway as usize) else { continue };
            let count = if approach.distance > 0.0 { &mut doorway.coming } else { &mut doorway.inside };
            count[approach.direction] += 1;
        }
        self.list.iter_mut().for_each(|p| p.update(dt_secs));
    }

    /// Waiting distance, metres.
    pub(super) fn waiting_distance(&self, approach: &DoorwayApproach) -> f32 {
        WAIT.0 + WAIT.1 * self.list.get(approach.doorway as usize).map_or(0.0, |p| p.width)
    }

    /// Whether an agent has to wait.
    pub(super) fn must_wait(&self, approach: &DoorwayApproach) -> bool {
        let Some(doorway) = self.list.get(approach.doorway as usize) else { return false };
        let (mine, other) = (approach.direction, 1 - approach.direction);
        if approach.distance <= 0.0 || !doorway.crowded {
            return false;
        }
        let fresh = doorway.served_secs < COMMITTED.1 && doorway.changed;
        if fresh && doorway.right_of_way == Some(other) && approach.distance < COMMITTED.0 && doorway.inside[other] == 0
        {
            return false;
        }
        doorway.right_of_way != Some(mine) || doorway.inside[other] > 0 && doorway.served_secs < CLEAR_SECS
    }
}

impl Doorway {
    fn update(&mut self, dt_secs: f32) {
        let all = [0, 1].map(|i| self.coming[i] + self.inside[i]);
        let enough = CROWDED_DENSITY * self.width * if self.crowded { 0.5 } else { 1.0 };
        self.crowded = !self.is_excluded && all[0].min(all[1]) > 0 && (all[0] + all[1]) as f32 > enough;
        let first = usize::from(all[1] > all[0]);
        let right_of_way = *self.right_of_way.get_or_insert(first);
        let other = 1 - right_of_way;
        self.served_secs += dt_secs;
        let pressed = self.coming[other] as f32 > self.coming[right_of_way] as f32 * PRESSURE.0 + PRESSURE.1;
        let served = |secs: f32, per_width: f32| secs + per_width * self.width;
        let least = served(SERVED_SECS.0, SERVED_PER_WIDTH.0);
        let most = served(SERVED_SECS.1, SERVED_PER_WIDTH.1);
        let over = self.served_secs > if pressed { least } else { most };
        if all[other] == 0 {
            (self.served_secs, self.changed) = (0.0, false);
        } else if self.coming[right_of_way] == 0 || over {
            (self.right_of_way, self.served_secs, self.changed) = (Some(other), 0.0, true);
        }
    }
}

/// Where the path from a place over these corners crosses these ends within reach, the nearest first.
fn crossings(at: Vec2, corners: &[Vec3], ends: &[&DoorwayEnd]) -> SmallVec<[EndCrossing; 4]> {
    let mut crossings = SmallVec::<[EndCrossing; 4]>::new();
    let (mut from, mut gone) = (at, 0.0);
    // A path ends with its last point repeated.
    for to in corners.iter().map(|&corner| to_plan(corner)) {
        if gone > APPROACH_REACH || ends.is_empty() {
            break;
        }
        if to == from {
            continue;
        }
        let length = from.distance(to);
        crossings.extend(ends.iter().filter_map(|end| {
            let distance = gone + crossing(from, to, to_plan(end.a), to_plan(end.b))? * length;
            let (doorway, direction) = (end.doorway, end.direction_of(to - from));
            (distance < APPROACH_REACH).then_some(EndCrossing { doorway, direction, distance })
        }));
        gone += length;
        from = to;
    }
    crossings.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    crossings
}

/// The two of these points that are farthest apart; one twice if there is only one.
fn farthest_pair(points: &[Vec2]) -> Option<[Vec2; 2]> {
    let pairs = points.iter().enumerate().flat_map(|(i, &a)| points[i..].iter().map(move |&b| [a, b]));
    pairs.max_by(|[a, b], [c, d]| a.distance_squared(*b).total_cmp(&c.distance_squared(*d)))
}

/// Parameter at which the segment from `from` to `to` crosses the segment from `a` to `b`.
fn crossing(from: Vec2, to: Vec2, a: Vec2, b: Vec2) -> Option<f32> {
    let (way, line) = (to - from, b - a);
    let across = way.perp_dot(line);
    let [t, s] = [(a - from).perp_dot(line), (a - from).perp_dot(way)];
    // Most do not cross: only those that do are divided.
    let within = |x: f32| (0.0..=across.abs()).contains(&(x * across.signum()));
    (across != 0.0 && within(t) && within(s)).then(|| t / across)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{Filter, RawMesh, RawPolygon};
    use glam::DVec3;

    /// The corners of a square of twice this size around the origin, metres.
    fn square(half: f64) -> [DVec3; 4] {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| DVec3::new(half * x, 0.0, half * z))
    }

    fn doorways_of(vertices: Vec<DVec3>, polygons: Vec<RawPolygon>) -> Doorways {
        let mesh = RawMesh { vertices, polygons }.validate().unwrap();
        let (mut crowd_mesh, mut doorways) = (CrowdMesh::default(), Doorways::default());
        crowd_mesh.update(&mesh, &Filter::default());
        doorways.find(&mesh, &crowd_mesh);
        doorways
    }

    #[test]
    fn a_hall_at_both_ends_is_no_part_of_a_passage() {
        // A hall all around a block, six metres wide, and a passage for one through the block.
        let ends = [(-4.0, -0.2), (-4.0, 0.2), (4.0, 0.2), (4.0, -0.2)].map(|(x, z)| DVec3::new(x, 0.0, z));
        let vertices = [square(10.0), square(4.0), ends].concat();
        let rest = [[0, 1, 5, 4], [2, 3, 7, 6], [8, 11, 10, 9]].map(RawPolygon::new);
        let sides = [[1, 2, 6, 10, 11, 5], [3, 0, 4, 8, 9, 7]].map(RawPolygon::new);
        let doorways = doorways_of(vertices, rest.into_iter().chain(sides).collect());
        assert_eq!(doorways.of_polygon, [NO_DOORWAY, NO_DOORWAY, 0, NO_DOORWAY, NO_DOORWAY]);
        assert!(doorways.list.len() == 1 && doorways.list[0].has_room && !doorways.list[0].is_excluded);
    }

    #[test]
    fn a_passage_that_the_mesh_cuts_at_a_slant_is_one_doorway() {
        // Two halls, and between them a passage for one that turns by a right angle, of triangles from wall to wall. The
        // last of them reaches far along the wall of the hall.
        let vertices = [
            (-5.0, -5.0),
            (5.0, -5.0),
            (5.0, 0.0),
            (0.4, 0.0),
            (0.0, 0.0),
            (-5.0, 0.0),
            (0.4, 2.0),
            (0.0, 2.4),
            (2.0, 2.0),
            (2.0, 0.3),
            (6.0, 2.4),
            (9.0, 0.3),
        ];
        let vertices = vertices.map(|(x, z)| DVec3::new(x, 0.0, z)).into();
        let polygons: [&[u32]; 5] = [&[0, 1, 2, 3, 4, 5], &[4, 3, 6], &[4, 6, 7], &[7, 6, 8, 10], &[8, 9, 11, 10]];
        let doorways = doorways_of(vertices, polygons.map(RawPolygon::new).into());
        let passage = doorways.of_polygon[1];
        assert!(passage != NO_DOORWAY && doorways.of_polygon[2] == passage, "{:?}", doorways.of_polygon);
        let ends: Vec<&DoorwayEnd> = doorways.ends.iter().filter(|end| end.doorway == passage).collect();
        assert!(ends.len() == 2 && ends[0].direction != ends[1].direction, "{ends:?}");
        assert!(ends.iter().all(|end| to_plan(end.a).distance(to_plan(end.b)) < 0.6), "{ends:?}");
        assert!(!doorways.list[passage as usize].is_excluded);
    }

    #[test]
    fn a_ring_of_passages_has_no_end_with_room() {
        let polygons = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]].map(RawPolygon::new);
        let doorways = doorways_of([square(5.0), square(4.6)].concat(), polygons.into());
        assert_eq!(doorways.of_polygon, [0; 4]);
        assert!(doorways.list.len() == 1 && !doorways.list[0].has_room);
    }

    #[test]
    fn segments_cross_within_both() {
        let cross = |to: (f32, f32), a: (f32, f32), b: (f32, f32)| crossing(Vec2::ZERO, to.into(), a.into(), b.into());
        for (a, b) in [((1.0, -1.0), (1.0, 1.0)), ((1.0, 1.0), (1.0, -1.0))] {
            assert_eq!(cross((4.0, 0.0), a, b), Some(0.25));
            assert_eq!(cross((1.0, 0.0), a, b), Some(1.0), "the end counts");
            assert_eq!(cross((2.0, 2.0), a, b), Some(0.5), "and that of the other");
            assert_eq!(cross((0.9, 0.0), a, b), None);
            assert_eq!(cross((-4.0, 0.0), a, b), None);
            assert_eq!(cross((2.0, 2.1), a, b), None);
            assert_eq!(cross((0.0, 4.0), a, b), None, "parallel");
            assert_eq!(cross((0.0, 0.0), a, b), None, "no way at all");
        }
        assert_eq!(cross((4.0, 0.0), (1.0, 0.0), (2.0, 0.0)), None, "along each other");
    }
}
