//! Where a mesh is narrow: its portals from wall to wall, the parts of the mesh beside them, and which of them make one
//! doorway.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Vec2, Vec3};
use smallvec::SmallVec;

use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan::{self, to_plan};
use crate::nav::crowd::crowd_mesh::CrowdMesh;
use crate::nav::mesh::{NONE, NavMesh, PolyId};
use crate::nav::rect_grid::Rect;

/// Widest doorway, metres.
const MAX_WIDTH: f32 = 5.0;
/// Smallest mean width of a part of the mesh in which an agent that goes back lets another pass, metres, and its greatest
/// distance from the end of the doorway.
const ROOM_WIDTH: f32 = 1.5;
const MAX_ROOM_DISTANCE: f32 = 2.0;
/// Greatest area of a niche, a dead end beside a doorway that belongs to it, square metres.
const NICHE_AREA_M2: f32 = 0.5;
/// By how much a line from wall to wall is shorter than a portal that it takes the place of, metres.
const MIN_SHORTENING: f32 = 0.05;

/// A kind of doorways.
#[derive(Debug)]
pub(super) struct DoorwayKind {
    /// Greatest mean width of what is between its portals, metres.
    width: f32,
    /// Least and greatest length, metres.
    least_length: f32,
    length: f32,
    /// Whether agents pass in it in turns alone.
    pub(super) is_for_one: bool,
}

/// Passages for one. In shorter ones, and between the polygons of what is round, an agent never stands whole.
const PASSAGE_FOR_ONE: DoorwayKind = DoorwayKind { width: 0.6, least_length: 0.8, length: 20.0, is_for_one: true };
/// Doorways that agents share until too many meet. Agents that wait inside a longer one would block it.
const SHARED_DOORWAY: DoorwayKind = DoorwayKind { width: MAX_WIDTH, least_length: 0.0, length: 8.0, is_for_one: false };

/// A portal from wall to wall that is no wider than a doorway.
#[derive(Clone, Copy, Debug)]
pub(super) struct NarrowPortal {
    ends: [Vec3; 2],
    /// The shortest line from wall to wall at it, as the mesh may be cut at a slant: its ends.
    pub(super) a: Vec3,
    pub(super) b: Vec3,
    /// The polygons on both sides.
    pub(super) polygons: [u32; 2],
    /// The parts of the mesh on both sides.
    pub(super) parts: [u32; 2],
}

impl NarrowPortal {
    pub(super) fn middle(&self) -> Vec2 {
        to_plan((self.a + self.b) * 0.5)
    }

    pub(super) fn width(&self) -> f32 {
        length([self.a, self.b])
    }

    /// Across its shortest line, away from the polygon on this side of it.
    pub(super) fn away_from(&self, mesh: &NavMesh, side: usize) -> Vec2 {
        let [begin, end] = self.ends.map(to_plan);
        let (across, shortest) = ((end - begin).perp(), to_plan(self.b - self.a).perp().normalize_or_zero());
        let off = begin - to_plan(mesh.polygon(PolyId(self.polygons[side])).center);
        // Both lines lie across the same way.
        shortest * (shortest.dot(across) * across.dot(off)).signum()
    }

    /// Length of the longer wall from this portal to another, metres: they may have an end in common.
    fn wall_to(&self, other: &Self) -> f32 {
        let [[a, b], [c, d]] = [self.ends, other.ends].map(|ends| ends.map(to_plan));
        // Which ends lie on one side is told by either order of them.
        let [straight, crossed] = [[a.distance(c), b.distance(d)], [a.distance(d), b.distance(c)]];
        let [first, second] = if straight[0] + straight[1] <= crossed[0] + crossed[1] { straight } else { crossed };
        first.max(second)
    }
}

/// A part of the mesh: a polygon, or several that are one passage or hall.
#[derive(Clone, Debug)]
pub(super) struct MeshPart {
    pub(super) polygons: Vec<u32>,
    area_m2: f32,
    bounds: Rect,
    /// Number of links of its polygons.
    links: usize,
}

impl MeshPart {
    const NOTHING: Self = Self { polygons: Vec::new(), area_m2: 0.0, bounds: Rect::EMPTY, links: 0 };

    fn add(&mut self, mesh: &NavMesh, polygon: PolyId) {
        let bounds = mesh.bounds_of(polygon);
        self.polygons.push(polygon.0);
        self.area_m2 += mesh.area_m2(polygon) as f32;
        self.bounds = self.bounds.including(to_plan(bounds.min)).including(to_plan(bounds.max));
        self.links += mesh.portals().links_of(polygon.0).len();
    }

    /// Mean width along the diagonal, metres.
    fn width(&self) -> f32 {
        self.area_m2 / diagonal(&self.bounds).max(f32::MIN_POSITIVE)
    }
}

/// The portals of one doorway, by their numbers, and the parts of the mesh between them.
#[derive(Clone, Debug)]
pub(super) struct PortalGroup {
    pub(super) portals: Vec<usize>,
    pub(super) between: BTreeSet<u32>,
    /// What the middles of the portals span.
    bounds: Rect,
    /// Whether it is a piece of a passage that is longer than a doorway.
    pub(super) is_too_long: bool,
}

impl PortalGroup {
    fn add(&mut self, mut other: Self) {
        self.portals.append(&mut other.portals);
        self.between.append(&mut other.between);
        self.is_too_long |= other.is_too_long;
    }
}

/// Two portals with a part between them.
#[derive(Clone, Copy, Debug)]
struct PortalJoint {
    a: usize,
    b: usize,
    part: u32,
    length: f32,
}

/// Where a mesh is narrow. A passage may be cut along its length: polygons with a longer edge from wall to wall between
/// them are one part, which goes by the first of them.
#[derive(Debug)]
pub(super) struct NarrowPlaces {
    pub(super) portals: Vec<NarrowPortal>,
    /// The parts beside them.
    pub(super) parts: BTreeMap<u32, MeshPart>,
    /// The portals of each part.
    beside: BTreeMap<u32, Vec<usize>>,
}

impl NarrowPlaces {
    pub(super) fn find(mesh: &NavMesh, crowd_mesh: &CrowdMesh) -> Self {
        let (mut joined, mut portals, mut near) = (DisjointSets::new(mesh.len()), Vec::new(), Vec::<u32>::new());
        for PolyId(polygon) in mesh.live_polygons() {
            for link in mesh.portals().links_of(polygon) {
                // Few portals reach from wall to wall: the others are not even read.
                if polygon > link.neighbor || !crowd_mesh.is_door(link.portal) {
                    continue;
                }
                let portal = mesh.portals().portal(link.portal);
                let (ends, polygons) = ([portal.left, portal.right], [polygon, link.neighbor]);
                if !polygons.iter().all(|&p| crowd_mesh.passes(p)) || !(length(ends) > 0.0) {
                    continue;
                }
                near.extend(polygons);
                if length(ends) > MAX_WIDTH {
                    joined.join(polygon as usize, link.neighbor as usize);
                } else {
                    let [a, b] = shortest_line(mesh, crowd_mesh, portal.edge);
                    portals.push(NarrowPortal { ends, a, b, polygons, parts: polygons });
                }
            }
        }
        near.sort_unstable();
        near.dedup();
        let mut part_of = |polygon: u32| joined.root(polygon as usize) as u32;
        let mut parts = BTreeMap::new();
        for polygon in near {
            parts.entry(part_of(polygon)).or_insert(MeshPart::NOTHING).add(mesh, PolyId(polygon));
        }
        let mut beside: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, portal) in portals.iter_mut().enumerate() {
            portal.parts = portal.polygons.map(&mut part_of);
            let [a, b] = portal.parts;
            beside.entry(a).or_default().push(number);
            if a != b {
                beside.entry(b).or_default().push(number);
            }
        }
        Self { portals, parts, beside }
    }

    /// The doorways that the portals make: passages for one first, and shared doorways of the rest.
    pub(super) fn doorways(&self) -> Vec<(&'static DoorwayKind, PortalGroup)> {
        let mut doorways = Vec::new();
        let mut is_free = vec![true; self.portals.len()];
        for kind in [&PASSAGE_FOR_ONE, &SHARED_DOORWAY] {
            for group in self.groups(kind, &is_free) {
                group.portals.iter().for_each(|&number| is_free[number] = false);
                doorways.push((kind, group));
            }
        }
        doorways
    }

    /// The doorways of a kind that the free portals make: portals with parts between them that are no wider on the mean
    /// than the kind is, the nearest first, as far as none becomes longer.
    fn groups(&self, kind: &DoorwayKind, is_free: &[bool]) -> Vec<PortalGroup> {
        let mut sets = DisjointSets::new(self.portals.len());
        let alone = |(number, portal): (usize, &NarrowPortal)| PortalGroup {
            portals: vec![number],
            between: self.niches(portal, kind),
            bounds: Rect::around([portal.middle()]),
            is_too_long: false,
        };
        let mut groups: Vec<Option<PortalGroup>> =
            self.portals.iter().enumerate().map(|portal| is_free[portal.0].then(|| alone(portal))).collect();
        for PortalJoint { a, b, part, .. } in self.joints(kind, is_free) {
            let roots = [a, b].map(|portal| sets.root(portal));
            if roots[0] != roots[1] {
                let [Some(mut first), Some(mut second)] = roots.map(|root| groups[root].take()) else { continue };
                let bounds = first.bounds.including(second.bounds.min).including(second.bounds.max);
                if diagonal(&bounds) > kind.length {
                    (first.is_too_long, second.is_too_long) = (true, true);
                    (groups[roots[0]], groups[roots[1]]) = (Some(first), Some(second));
                    continue;
                }
                sets.join(a, b);
                first.add(second);
                groups[sets.root(a)] = Some(PortalGroup { bounds, ..first });
            }
            if let Some(group) = &mut groups[sets.root(a)] {
                group.between.insert(part);
            }
        }
        groups.into_iter().flatten().filter(|group| diagonal(&group.bounds) >= kind.least_length).collect()
    }

    /// The pairs of free portals with a part between them that is no wider than the kind, the shortest first.
    fn joints(&self, kind: &DoorwayKind, is_free: &[bool]) -> Vec<PortalJoint> {
        let mut joints = Vec::new();
        for (&part, portals) in &self.beside {
            let found = &self.parts[&part];
            // Its portals are no farther apart than its diagonal is long, and wide parts may have very many.
            if found.width() > kind.width {
                continue;
            }
            for (i, &a) in portals.iter().enumerate().filter(|(_, a)| is_free[**a]) {
                for &b in portals[i + 1..].iter().filter(|b| is_free[**b]) {
                    let length = self.portals[a].wall_to(&self.portals[b]);
                    if found.area_m2 <= kind.width * length {
                        joints.push(PortalJoint { a, b, part, length });
                    }
                }
            }
        }
        joints.sort_by(|a, b| a.length.total_cmp(&b.length));
        joints
    }

    /// The dead ends behind a portal that belong to its doorway.
    fn niches(&self, portal: &NarrowPortal, kind: &DoorwayKind) -> BTreeSet<u32> {
        let is_niche = |part: &MeshPart| part.links == 1 && part.area_m2 <= NICHE_AREA_M2 && part.width() <= kind.width;
        portal.parts.into_iter().filter(|part| is_niche(&self.parts[part])).collect()
    }

    /// Whether a part beyond an end of a doorway has room for an agent that goes back: itself, or through another portal.
    pub(super) fn has_room(&self, part: u32, end: &NarrowPortal, group: &PortalGroup) -> bool {
        let (found, portals) = (&self.parts[&part], &self.beside[&part]);
        let leads_to_room = |&number: &usize| {
            let portal = &self.portals[number];
            let is_near = portal.middle().distance(end.middle()) <= MAX_ROOM_DISTANCE;
            let is_wide = |beyond: &u32| *beyond != part && self.parts[beyond].width() >= ROOM_WIDTH;
            portal.width() >= ROOM_WIDTH || is_near && portal.parts.iter().any(is_wide)
        };
        // Links that are no narrow portals open to more of the same place.
        found.width() >= ROOM_WIDTH
            || found.links > portals.len()
            || portals.iter().filter(|number| !group.portals.contains(number)).any(leads_to_room)
    }
}

/// Length in plan view, metres.
fn length([a, b]: [Vec3; 2]) -> f32 {
    to_plan(a).distance(to_plan(b))
}

fn diagonal(bounds: &Rect) -> f32 {
    bounds.min.distance(bounds.max)
}

/// The shortest line from one end of a portal to the walls at its other end, of the polygons on both sides; the portal
/// itself if none is shorter.
fn shortest_line(mesh: &NavMesh, crowd_mesh: &CrowdMesh, edge: u32) -> [Vec3; 2] {
    let mut shortest = <[Vec3; 2]>::from(mesh.edge_points(edge));
    for edge in [edge, mesh.edges()[edge as usize].twin] {
        let polygon = mesh.polygon(PolyId(mesh.edges()[edge as usize].polygon));
        let (first, count) = (polygon.first_edge, u32::from(polygon.edge_count));
        let around = |on: u32| first + (edge - first + on) % count;
        let is_wall = |edge: &u32| match mesh.edges()[*edge as usize].neighbor {
            NONE => true,
            neighbor => !crowd_mesh.passes(neighbor),
        };
        let (begin, end) = mesh.edge_points(edge);
        let at_end: SmallVec<[u32; 8]> = (1..count).map(around).take_while(is_wall).collect();
        let at_begin: SmallVec<[u32; 8]> = (1..count).map(|back| around(count - back)).take_while(is_wall).collect();
        for (from, walls) in [(begin, at_end), (end, at_begin)] {
            for (a, b) in walls.into_iter().map(|wall| mesh.edge_points(wall)) {
                let line = [from, plan::closest_on_segment(a, b, from)];
                if length(line) > 0.0 && length(line) < length(shortest) - MIN_SHORTENING {
                    shortest = line;
                }
            }
        }
    }
    shortest
}
