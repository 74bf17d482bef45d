//! What connections and ladders become: joints of borders that can be walked across, links for the rest.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::file::{Connection, Ladder, NavArea, NavFile};
use super::units::{METRES_PER_UNIT, STEP_UNITS, metres};
use crate::nav::exchange::BorderJoint;
use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};

/// Borders this far apart still lie upon each other, units.
const TOUCH_UNITS: f64 = 1.0;

/// Distance of a link's end from the border of its area, units: about 5 cm.
const INSET_UNITS: f64 = 2.0;

/// Snap distance of a link's ends, metres.
const REACH: f32 = 0.5;

/// A rectangle's border: where it lies, and from where to where it runs.
struct Border {
    at: f64,
    low: f64,
    high: f64,
}

impl NavArea {
    /// Whether the area can be stood on.
    pub fn has_extent(&self) -> bool {
        self.south_east.x > self.north_west.x && self.south_east.y > self.north_west.y
    }

    /// From north-west clockwise seen from above: the edge after corner `n` looks to direction `n`.
    pub fn corners(&self) -> [DVec3; 4] {
        let [nw, se] = [self.north_west, self.south_east];
        [nw, DVec3::new(se.x, nw.y, self.north_east_z), se, DVec3::new(nw.x, se.y, self.south_west_z)]
    }

    /// Height between those of the corners.
    fn height(&self, x: f64, y: f64) -> f64 {
        let [nw, se] = [self.north_west, self.south_east];
        let [east, south] = [(x - nw.x) / (se.x - nw.x), (y - nw.y) / (se.y - nw.y)];
        let north_z = nw.z + east * (self.north_east_z - nw.z);
        let south_z = self.south_west_z + east * (se.z - self.south_west_z);
        north_z + south * (south_z - north_z)
    }

    fn border(&self, direction: usize) -> Border {
        let [nw, se] = [self.north_west, self.south_east];
        match direction {
            0 => Border { at: nw.y, low: nw.x, high: se.x },
            1 => Border { at: se.x, low: nw.y, high: se.y },
            2 => Border { at: se.y, low: nw.x, high: se.x },
            _ => Border { at: nw.x, low: nw.y, high: se.y },
        }
    }

    /// Height at a place on the border.
    fn border_height(&self, direction: usize, along: f64) -> f64 {
        let at = self.border(direction).at;
        if direction.is_multiple_of(2) { self.height(along, at) } else { self.height(at, along) }
    }

    /// The place inside of the area that is nearest to one, a little away from the borders.
    fn inside(&self, x: f64, y: f64) -> DVec3 {
        let within = |value: f64, low: f64, high: f64| {
            let inset = INSET_UNITS.min((high - low) / 4.0);
            value.clamp(low + inset, high - inset)
        };
        let [nw, se] = [self.north_west, self.south_east];
        let [x, y] = [within(x, nw.x, se.x), within(y, nw.y, se.y)];
        DVec3::new(x, y, self.height(x, y))
    }

    /// The place inside of a border.
    fn inside_border(&self, direction: usize, along: f64) -> DVec3 {
        let at = self.border(direction).at;
        if direction.is_multiple_of(2) { self.inside(along, at) } else { self.inside(at, along) }
    }
}

/// Whether the borders of two areas lie upon each other and one can step from one to the other.
fn can_walk(from: &NavArea, direction: usize, to: &NavArea) -> bool {
    let back = (direction + 2) % 4;
    let [a, b] = [from.border(direction), to.border(back)];
    let [low, high] = [a.low.max(b.low), a.high.min(b.high)];
    if !(low < high) || !((a.at - b.at).abs() <= TOUCH_UNITS) {
        return false;
    }
    let rise = |along| to.border_height(back, along) - from.border_height(direction, along);
    let [first, last] = [rise(low), rise(high)];
    first * last <= 0.0 || first.abs().min(last.abs()) <= STEP_UNITS
}

/// A link between the middles of the shared part of two borders.
fn link(from: &NavArea, direction: usize, to: &NavArea, both_ways: bool) -> PlacedLink {
    let back = (direction + 2) % 4;
    let [a, b] = [from.border(direction), to.border(back)];
    let middle = (a.low.max(b.low) + a.high.min(b.high)) / 2.0;
    let [start, end] = [from.inside_border(direction, middle), to.inside_border(back, middle)];
    let falls = !both_ways && end.z < start.z - TOUCH_UNITS;
    placed([start, end], if falls { LinkKind::Drop } else { LinkKind::Jump }, both_ways)
}

fn placed([start, end]: [DVec3; 2], kind: LinkKind, both_ways: bool) -> PlacedLink {
    PlacedLink { start: metres(start), end: metres(end), kind, both_ways, reach: REACH, area: 0, flags: 1 }
}

/// The areas that are kept, by their numbers.
pub(super) struct KeptAreas<'a> {
    areas: &'a [NavArea],
    polygons: HashMap<u32, u32>,
}

/// Joints, links, and how much could not be understood.
#[derive(Default)]
pub(super) struct Passages {
    pub joints: Vec<BorderJoint>,
    pub links: Vec<PlacedLink>,
    /// Connections to areas that are not kept.
    pub lost: usize,
}

impl<'a> KeptAreas<'a> {
    /// Of areas with the same number the first counts.
    pub fn new(areas: &'a [NavArea]) -> Self {
        let mut polygons = HashMap::new();
        for (area, polygon) in areas.iter().zip(0..) {
            polygons.entry(area.id).or_insert(polygon);
        }
        Self { areas, polygons }
    }

    fn by_number(&self, id: u32) -> Option<&'a NavArea> {
        self.areas.get(*self.polygons.get(&id)? as usize)
    }

    /// Joints of all pairs that can be walked between both ways, links for all other connections.
    /// `polygon_of` names the polygon of each area of the file.
    pub fn connect(&self, connections: &[Connection], polygon_of: &[Option<u32>]) -> Passages {
        let mut passages = Passages::default();
        let mut ways: Vec<[u32; 3]> = Vec::with_capacity(connections.len());
        for way in connections {
            let Some(from) = polygon_of[way.from as usize] else { continue };
            match self.polygons.get(&way.to) {
                Some(&to) if to == from => {}
                Some(&to) => ways.push([from, to, way.direction]),
                None => passages.lost += 1,
            }
        }
        ways.sort_unstable();
        ways.dedup();
        for group in ways.chunk_by(|a, b| a[..2] == b[..2]) {
            let [from, to, first] = group[0];
            let back = ways.partition_point(|way| way[..2] < [to, from][..]);
            let both_ways = ways.get(back).is_some_and(|way| way[..2] == [to, from]);
            if both_ways && to < from {
                continue;
            }
            let [a, b] = [&self.areas[from as usize], &self.areas[to as usize]];
            match group.iter().map(|way| way[2]).find(|&d| both_ways && can_walk(a, d as usize, b)) {
                Some(d) => passages.joints.push(BorderJoint { from: [from, d], to: [to, (d + 2) % 4] }),
                None => passages.links.push(link(a, first as usize, b, both_ways)),
            }
        }
        passages
    }

    /// Adds links along the ladders; answers how many ladders lead nowhere.
    pub fn climb(&self, file: &NavFile, links: &mut Vec<PlacedLink>) -> usize {
        let uses: HashSet<[u32; 3]> = file.ladder_uses.iter().map(|u| [u.area, u.ladder, u32::from(u.up)]).collect();
        let mut useless = 0;
        for ladder in &file.ladders {
            let before = links.len();
            let bottom = self.by_number(ladder.bottom_area);
            let mut seen = [0; 4];
            for (place, id) in ladder.tops.into_iter().enumerate() {
                let Some([bottom, top]) = bottom.and_then(|bottom| Some([bottom, self.by_number(id)?])) else {
                    continue;
                };
                if seen.contains(&id) {
                    continue;
                }
                seen[place] = id;
                let behind = place == 3;
                let told = file.version >= 7;
                let up = !behind && if told { uses.contains(&[bottom.id, ladder.id, 1]) } else { !ladder.dangling };
                let down = !told || uses.contains(&[top.id, ladder.id, 0]);
                links.extend(ladder_link(ladder, [bottom, top], [up, down]));
            }
            useless += usize::from(links.len() == before);
        }
        useless
    }
}

fn ladder_link(ladder: &Ladder, [bottom, top]: [&NavArea; 2], [up, down]: [bool; 2]) -> Option<PlacedLink> {
    let low = bottom.inside(ladder.bottom.x, ladder.bottom.y);
    let high = top.inside(ladder.top.x, ladder.top.y);
    match [up, down] {
        [true, _] => Some(placed([low, high], LinkKind::Placed, down)),
        [false, true] => Some(placed([high, low], LinkKind::Placed, false)),
        [false, false] => None,
    }
}

/// The largest height at which bilinear ground between the corners differs from two triangles, metres.
pub(super) fn twist(area: &NavArea) -> f64 {
    let sum = area.north_west.z + area.south_east.z - area.north_east_z - area.south_west_z;
    sum.abs() / 4.0 * METRES_PER_UNIT
}
