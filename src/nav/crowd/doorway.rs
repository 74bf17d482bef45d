//! Doorways: narrow passages that one direction at a time passes, in turns.
//!
//! Where two streams meet in a doorway, each blocks the other. D. Helbing and P. Molnár ("Social force model for
//! pedestrian dynamics", Physical Review E 51, 1995, section IV) observed that people pass a narrow door in turns:
//! once one has got through, others follow easily, until the pressure on the other side has grown and turns the flow.
//! Here this is a rule: one direction has the right of way; it changes when no agent of that direction is left, or,
//! not before [`SERVED_SECS`], when the pressure from the other side is greater or the turn has lasted long enough.
//! Agents without the right of way keep a distance, so that those who come out find room. One-way traffic is
//! unaffected.
//!
//! A passage for one is a doorway as a whole, however the mesh cuts it. Where there is room at its ends, of two agents that
//! meet in it one goes back, and neither squeezes.

use std::collections::{BTreeMap, HashMap};

use glam::{Vec2, Vec3};
use smallvec::SmallVec;

use super::crowd_mesh::CrowdMesh;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan::{self, to_plan};
use crate::nav::mesh::{NavMesh, NavPoint, PolyId};
use crate::nav::rect_grid::{Rect, RectGrid};

/// Widest doorway, metres.
const MAX_WIDTH: f32 = 5.0;
/// Smallest mean width of a part of the mesh in which an agent that goes back lets another pass, metres.
const ROOM_WIDTH: f32 = 1.5;
/// Longest doorway, metres: agents that wait inside a longer one would block it.
const MAX_LENGTH: f32 = 8.0;
/// Greatest mean width of a passage for one, in which agents pass in turns alone, and its greatest length, metres on the
/// mesh.
const PASSAGE_WIDTH: f32 = 0.6;
const MAX_PASSAGE_LENGTH: f32 = 20.0;
/// Shortest one, metres: in shorter ones, and between the polygons of what is round, an agent never stands whole.
const MIN_PASSAGE_LENGTH: f32 = 0.8;
/// Smallest cosine between the portals of one doorway.
const STRAIGHT: f32 = 0.5;
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
/// Distance behind a portal at which its direction is certain, metres.
const MIN_AXIS_DISTANCE: f32 = 0.6;
/// Height difference beyond which a portal is on another floor, metres.
const MAX_HEIGHT_OFFSET: f32 = 1.5;

const NO_DOORWAY: u32 = u32::MAX;

/// Margin by which a portal is widened at either end, metres: paths turn exactly at its ends.
const PORTAL_MARGIN: f32 = 0.05;

/// A portal of a doorway.
#[derive(Clone, Copy, Debug)]
struct DoorwayPortal {
    a: Vec3,
    b: Vec3,
    middle: Vec2,
    /// Square of the distance from the middle within which agents may approach it, m².
    reach_squared: f32,
    doorway: u32,
}

impl DoorwayPortal {
    fn new(a: Vec3, b: Vec3, doorway: u32) -> Self {
        let reach = APPROACH_REACH + 0.5 * to_plan(a).distance(to_plan(b));
        Self { a, b, middle: to_plan((a + b) * 0.5), reach_squared: reach * reach, doorway }
    }
}

/// A doorway and whose turn it is.
#[derive(Clone, Copy, Debug, Default)]
struct Doorway {
    axis: Vec2,
    middle: Vec2,
    width: f32,
    /// Too long or too bent for turns.
    is_excluded: bool,
    /// Whether it is a passage for one with room at each of its ends.
    has_room: bool,
    /// Direction with the right of way: 1 along the axis, 0 against it.
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
    /// Whether who goes first in it does not depend on the time that agents have lost: where they pass in turns, and
    /// in long passages, in which those who change their minds half way never get through.
    pub(super) keeps_order: bool,
    /// Whether it is a passage for one with room at each of its ends, so that agents that meet in it can go
    /// back.
    pub(super) has_room: bool,
}

/// A portal from wall to wall that is no wider than a doorway.
#[derive(Clone, Copy, Debug)]
struct NarrowPortal {
    a: Vec3,
    b: Vec3,
    /// The polygons on both sides.
    polygons: [u32; 2],
    /// The parts of the mesh on both sides.
    parts: [u32; 2],
}

impl NarrowPortal {
    fn axis(&self) -> Vec2 {
        to_plan(self.b - self.a).perp().normalize_or_zero()
    }

    fn middle(&self) -> Vec2 {
        to_plan((self.a + self.b) * 0.5)
    }

    fn width(&self) -> f32 {
        to_plan(self.a).distance(to_plan(self.b))
    }
}

/// A part of the mesh: a polygon, or several that are one passage or hall.
#[derive(Clone, Debug)]
struct MeshPart {
    polygons: Vec<u32>,
    area_m2: f32,
    bounds: Rect,
}

impl MeshPart {
    const NOTHING: Self = Self { polygons: Vec::new(), area_m2: 0.0, bounds: Rect::EMPTY };

    fn add(&mut self, mesh: &NavMesh, polygon: PolyId) {
        let bounds = mesh.bounds_of(polygon);
        self.polygons.push(polygon.0);
        self.area_m2 += mesh.area_m2(polygon) as f32;
        self.bounds = self.bounds.including(to_plan(bounds.min)).including(to_plan(bounds.max));
    }

    /// Mean width along the diagonal, metres.
    fn width(&self) -> f32 {
        self.area_m2 / self.bounds.min.distance(self.bounds.max).max(f32::MIN_POSITIVE)
    }
}

/// Where a mesh is narrow. A passage may be cut along its length: polygons with a longer edge from wall to wall between
/// them are one part, which goes by the first of them.
struct NarrowPlaces {
    portals: Vec<NarrowPortal>,
    /// The parts beside them.
    parts: BTreeMap<u32, MeshPart>,
}

impl NarrowPlaces {
    fn find(mesh: &NavMesh, crowd_mesh: &CrowdMesh) -> Self {
        let (mut joined, mut portals, mut beside) = (DisjointSets::new(mesh.len()), Vec::new(), Vec::<u32>::new());
        for PolyId(polygon) in mesh.live_polygons() {
            for link in mesh.portals().links_of(polygon) {
                // Few portals reach from wall to wall: the others are not even read.
                if polygon > link.neighbor || !crowd_mesh.is_door(link.portal) {
                    continue;
                }
                let portal = mesh.portals().portal(link.portal);
                let polygons = [polygon, link.neighbor];
                let found = NarrowPortal { a: portal.left, b: portal.right, polygons, parts: polygons };
                if !polygons.iter().all(|&p| crowd_mesh.passes(p)) || !(found.width() > 0.0) {
                    continue;
                }
                beside.extend(polygons);
                if found.width() > MAX_WIDTH {
                    joined.join(polygon as usize, link.neighbor as usize);
                } else {
                    portals.push(found);
                }
            }
        }
        beside.sort_unstable();
        beside.dedup();
        let mut part_of = |polygon: u32| joined.root(polygon as usize) as u32;
        let mut parts = BTreeMap::new();
        for polygon in beside {
            parts.entry(part_of(polygon)).or_insert(MeshPart::NOTHING).add(mesh, PolyId(polygon));
        }
        for portal in &mut portals {
            portal.parts = portal.polygons.map(&mut part_of);
        }
        Self { portals, parts }
    }

    /// Whether a part is no wider than a passage for one.
    fn is_narrow(&self, part: u32) -> bool {
        self.parts.get(&part).is_some_and(|part| part.width() <= PASSAGE_WIDTH)
    }

    /// Passages for one: portals with parts between them that are no wider than [`PASSAGE_WIDTH`] on the mean.
    fn passages(&self) -> Vec<Vec<usize>> {
        let mut beside: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, portal) in self.portals.iter().enumerate() {
            portal.parts.iter().for_each(|part| beside.entry(*part).or_default().push(number));
        }
        let mut groups = DisjointSets::new(self.portals.len());
        for (part, portals) in &beside {
            // Its portals are no farther apart than its diagonal is long, and wide parts may have very many.
            if !self.is_narrow(*part) {
                continue;
            }
            for (i, &a) in portals.iter().enumerate() {
                for &b in &portals[i + 1..] {
                    let length = self.portals[a].middle().distance(self.portals[b].middle());
                    if self.parts[part].area_m2 <= PASSAGE_WIDTH * length {
                        groups.join(a, b);
                    }
                }
            }
        }
        let mut passages: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for number in 0..self.portals.len() {
            passages.entry(groups.root(number)).or_default().push(number);
        }
        let is_long = |members: &Vec<usize>| {
            let middles: SmallVec<[Vec2; 8]> = members.iter().map(|&number| self.portals[number].middle()).collect();
            middles.iter().any(|middle| middle.distance(middles[0]) >= MIN_PASSAGE_LENGTH)
        };
        passages.into_values().filter(is_long).collect()
    }
}

/// All doorways of a mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Doorways {
    portals: Vec<DoorwayPortal>,
    /// The polygons on both sides of each portal.
    leads_to: Vec<[u32; 2]>,
    /// Portals by the places from which they are within reach.
    by_place: RectGrid,
    /// Portals by the polygons on their sides.
    of_side: HashMap<u32, Vec<u32>>,
    /// The doorway that a polygon lies in, between two of its portals.
    of_polygon: Vec<u32>,
    list: Vec<Doorway>,
}

impl Doorways {
    /// Finds the doorways of a mesh.
    pub(super) fn find(&mut self, mesh: &NavMesh, crowd_mesh: &CrowdMesh) {
        *self = Self { of_polygon: vec![NO_DOORWAY; mesh.len()], ..Self::default() };
        let places = NarrowPlaces::find(mesh, crowd_mesh);
        let mut is_added = vec![false; places.portals.len()];
        for members in places.passages() {
            members.iter().for_each(|&number| is_added[number] = true);
            self.add_passage(&places, &members);
        }
        for (portal, _) in places.portals.iter().zip(is_added).filter(|(_, is_added)| !is_added) {
            self.add(mesh, portal);
        }
        // A doorway that is reached over a path within that distance is no farther in a straight line.
        let reach = |portal: &DoorwayPortal| Rect::around([portal.a, portal.b].map(to_plan)).expanded(APPROACH_REACH);
        self.by_place = RectGrid::build(&self.portals.iter().map(reach).collect::<Vec<Rect>>());
    }

    /// Adds a passage for one as a doorway of its own: its portals, and the parts of the mesh between them.
    fn add_passage(&mut self, places: &NarrowPlaces, members: &[usize]) {
        let portals = || members.iter().map(|&number| &places.portals[number]);
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for &NarrowPortal { parts: [a, b], .. } in portals() {
            *counts.entry(a).or_default() += 1;
            *counts.entry(b).or_default() += usize::from(a != b);
        }
        // Both ends may lead to the same hall, which is not between them.
        let is_between = |part: &u32| counts.get(part).is_some_and(|&count| count > 1) && places.is_narrow(*part);
        let Some(narrowest) = portals().min_by(|a, b| a.width().total_cmp(&b.width())) else { return };
        let (axis, middle, width) = (narrowest.axis(), narrowest.middle(), narrowest.width());
        let mut doorway = Doorway { axis, middle, width, has_room: true, ..Doorway::default() };
        let mut has_end = false;
        for portal in portals() {
            let outside: SmallVec<[&u32; 2]> = portal.parts.iter().filter(|part| !is_between(part)).collect();
            // What is between tells nothing of the direction: the mesh may be cut along the passage.
            doorway.is_excluded |= !outside.is_empty() && axis.dot(portal.axis()).abs() < STRAIGHT
                || middle.distance(portal.middle()) > MAX_PASSAGE_LENGTH;
            let width_of = |part: &u32| places.parts.get(part).map_or(0.0, MeshPart::width);
            has_end |= !outside.is_empty();
            doorway.has_room &= outside.into_iter().all(|part| width_of(part) >= ROOM_WIDTH);
            self.push_portal(portal, self.list.len() as u32);
        }
        // A ring has none.
        doorway.has_room &= has_end;
        for part in counts.keys().filter(|part| is_between(part)) {
            for &polygon in &places.parts[part].polygons {
                self.of_polygon[polygon as usize] = self.list.len() as u32;
            }
        }
        self.list.push(doorway);
    }

    fn push_portal(&mut self, portal: &NarrowPortal, doorway: u32) {
        let edge = (portal.b - portal.a).normalize_or_zero() * PORTAL_MARGIN;
        self.portals.push(DoorwayPortal::new(portal.a - edge, portal.b + edge, doorway));
        self.leads_to.push(portal.polygons);
    }

    /// Adds a portal between two polygons: to the doorway of a portal that leads out of one of them, else to a new
    /// one.
    fn add(&mut self, mesh: &NavMesh, added: &NarrowPortal) {
        let (axis, middle, polygons) = (added.axis(), added.middle(), added.polygons);
        let mut doorway = NO_DOORWAY;
        let mut touching: Vec<u32> = polygons.iter().filter_map(|p| self.of_side.get(p)).flatten().copied().collect();
        touching.sort_unstable();
        touching.dedup();
        for number in touching {
            let (portal, sides) = (&self.portals[number as usize], &self.leads_to[number as usize]);
            let Some(&between) = sides.iter().find(|g| polygons.contains(g)) else { continue };
            let length = portal.middle.distance(middle);
            // A room with two doors is no doorway.
            if mesh.area_m2(PolyId(between)) as f32 <= MAX_WIDTH * length
                && (doorway == NO_DOORWAY || doorway == portal.doorway)
            {
                doorway = portal.doorway;
                self.of_polygon[between as usize] = doorway;
            }
        }
        if let Some(p) = self.list.get_mut(doorway as usize) {
            p.is_excluded |= p.axis.dot(axis).abs() < STRAIGHT || p.middle.distance(middle) > MAX_LENGTH;
        }
        if doorway == NO_DOORWAY {
            self.list.push(Doorway { axis, middle, width: added.width(), ..Doorway::default() });
            doorway = self.list.len() as u32 - 1;
        }
        for polygon in polygons {
            self.of_side.entry(polygon).or_default().push(self.portals.len() as u32);
        }
        self.push_portal(added, doorway);
    }

    /// Portals that an agent at this place may have within reach.
    fn near(&self, at: Vec2) -> impl Iterator<Item = &DoorwayPortal> {
        let portals = self.by_place.at(at).iter().map(|&number| &self.portals[number as usize]);
        portals.filter(move |g| g.middle.distance_squared(at) <= g.reach_squared)
    }

    /// The doorway that an agent is in.
    fn inside(&self, at: Vec3, polygon: PolyId, radius: f32) -> Option<u32> {
        let doorway = self.of_polygon.get(polygon.index()).copied().filter(|&p| p != NO_DOORWAY);
        doorway.or_else(|| {
            let touches = |g: &&DoorwayPortal| {
                plan::closest_on_segment(to_plan(g.a), to_plan(g.b), to_plan(at)).distance(to_plan(at)) < radius
            };
            let portals = self.near(to_plan(at)).filter(|g| (g.a.y - at.y).abs() < MAX_HEIGHT_OFFSET);
            portals.filter(touches).map(|g| g.doorway).min()
        })
    }

    /// The doorway on the path over these corners, or the one that the agent is in.
    pub(super) fn ahead(
        &self,
        NavPoint { polygon, point: at }: NavPoint,
        radius: f32,
        corners: &[Vec3],
    ) -> Option<DoorwayApproach> {
        let last = corners.last().filter(|_| !self.portals.is_empty())?;
        if let Some(doorway) = self.inside(at, polygon, radius) {
            // A corner beside the portal does not tell the direction.
            let axis = self.list[doorway as usize].axis;
            let tells = |c: &&Vec3| (to_plan(**c) - to_plan(at)).dot(axis).abs() > MIN_AXIS_DISTANCE;
            let direction = self.direction(doorway, to_plan(*corners.iter().find(tells).unwrap_or(last)) - to_plan(at));
            return Some(self.approach(doorway, direction, 0.0));
        }
        let (mut from, mut gone) = (to_plan(at), 0.0);
        let is_on_floor = |g: &&DoorwayPortal| (g.a.y - at.y).abs().min((g.b.y - at.y).abs()) < MAX_HEIGHT_OFFSET;
        let near: SmallVec<[&DoorwayPortal; 8]> = self.near(from).filter(is_on_floor).collect();
        if near.is_empty() {
            return None;
        }
        // A path ends with its last point repeated.
        for to in corners.iter().map(|&corner| to_plan(corner)) {
            if to == from {
                continue;
            }
            let length = from.distance(to);
            let nearest = near
                .iter()
                .filter_map(|g| Some((crossing(from, to, to_plan(g.a), to_plan(g.b))? * length, g.doorway)))
                .min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            if let Some((distance, doorway)) = nearest {
                let direction = self.direction(doorway, to - from);
                return Some(self.approach(doorway, direction, gone + distance))
                    .filter(|a| a.distance < APPROACH_REACH);
            }
            gone += length;
            if gone > APPROACH_REACH {
                return None;
            }
            from = to;
        }
        None
    }

    fn approach(&self, doorway: u32, direction: usize, distance: f32) -> DoorwayApproach {
        let Doorway { crowded, is_excluded, has_room, .. } = self.list[doorway as usize];
        DoorwayApproach { doorway, direction, distance, keeps_order: crowded || is_excluded, has_room }
    }

    fn direction(&self, doorway: u32, way: Vec2) -> usize {
        usize::from(way.dot(self.list[doorway as usize].axis) > 0.0)
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
