//! Ways that leave the mesh: placed by hand, or found where one can jump over a gap or drop from a ledge.
//!
//! [`Links`] lies beside a [`NavMesh`]: a query that takes it may go from a polygon to where the polygon's exits lead.
//! Points are local to the mesh, Y up, metres.

mod find;

pub use find::LinkSettings;

use crate::math::plan;
use glam::{DVec3, Vec3};
use thiserror::Error;

use super::{NONE, NavMesh, NavPoint, PolyId};

/// Most links of a mesh.
pub const MOST_LINKS: usize = 1 << 20;

/// How far the ends of a saved link may lie from the mesh, metres.
const SAVED_REACH: f32 = 0.5;

/// How a link is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// As whoever placed it says.
    Placed,
    /// A leap over a gap.
    Jump,
    /// A fall from a ledge; there is no way back.
    Drop,
}

/// A link that somebody placed, world space.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedLink {
    /// Where it begins; the ground within `reach` counts.
    pub start: DVec3,
    /// Where it ends.
    pub end: DVec3,
    /// How it is taken.
    pub kind: LinkKind,
    /// Whether it can be taken backwards.
    pub both_ways: bool,
    /// How far its ends may lie from the mesh, metres.
    pub reach: f32,
    /// Its area, for the costs of a filter.
    pub area: u8,
    /// Its flags, for a filter.
    pub flags: u16,
}

/// A link between two polygons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Polygon where it begins.
    pub from: PolyId,
    /// Polygon where it ends.
    pub to: PolyId,
    /// Point on the mesh where it begins.
    pub start: Vec3,
    /// Point on the mesh where it ends.
    pub end: Vec3,
    /// How it is taken.
    pub kind: LinkKind,
    /// Whether it can be taken backwards.
    pub both_ways: bool,
    /// See [`PlacedLink::area`].
    pub area: u8,
    /// See [`PlacedLink::flags`].
    pub flags: u16,
}

/// A link as seen from one of its polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Number of the link.
    pub link: u32,
    /// Whether it is taken backwards.
    pub backwards: bool,
}

/// A link that cannot be.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LinkError {
    #[error("the {end} of link {link} has no ground within {reach} m; move it onto the mesh or raise its reach")]
    OffMesh { link: usize, end: &'static str, reach: f32 },
    #[error("link {link} has area {area}; areas are 0 to 63")]
    Area { link: usize, area: u8 },
    #[error("there are {0} links, more than {MOST_LINKS}; raise the spacing of automatic links")]
    TooMany(usize),
    #[error("{name} is {value}, but {low} to {high} is possible")]
    Setting { name: &'static str, value: f32, low: f32, high: f32 },
}

/// The links of one mesh.
#[derive(Clone, Debug, Default)]
pub struct Links {
    links: Vec<Link>,
    /// First exit of each polygon, and the number of exits.
    starts: Vec<u32>,
    exits: Vec<Exit>,
}

impl Links {
    /// Links placed by hand and, before them in number, those found already (see [`LinkSettings::find`]).
    ///
    /// # Errors
    /// A placed link whose end has no ground, an area that is none, too many links.
    pub fn new(mesh: &NavMesh, found: Vec<Link>, placed: &[PlacedLink]) -> Result<Self, LinkError> {
        let mut links = found;
        if links.len() + placed.len() > MOST_LINKS {
            return Err(LinkError::TooMany(links.len() + placed.len()));
        }
        for (link, p) in placed.iter().enumerate() {
            if p.area > 63 {
                return Err(LinkError::Area { link, area: p.area });
            }
            let ground = |at: DVec3, end| {
                nearest(mesh, mesh.local(at), p.reach).ok_or(LinkError::OffMesh { link, end, reach: p.reach })
            };
            let (NavPoint { polygon: from, point: start }, NavPoint { polygon: to, point: end }) =
                (ground(p.start, "start")?, ground(p.end, "end")?);
            let (kind, both_ways, area, flags) = (p.kind, p.both_ways, p.area, p.flags);
            links.push(Link { from, to, start, end, kind, both_ways, area, flags });
        }
        Ok(Self::sorted(mesh, links))
    }

    /// The links as they are placed, for a file.
    pub fn placed(&self, mesh: &NavMesh) -> Vec<PlacedLink> {
        let place = |l: &Link| PlacedLink {
            start: mesh.world(l.start),
            end: mesh.world(l.end),
            kind: l.kind,
            both_ways: l.both_ways,
            reach: SAVED_REACH,
            area: l.area,
            flags: l.flags,
        };
        self.links.iter().map(place).collect()
    }

    /// The same links, with the same numbers, on a mesh that obstacles changed (see
    /// [`DynamicMesh`](super::DynamicMesh)): the ends on a cut polygon stand on its pieces now. A link whose end an
    /// obstacle covers has no exits until the obstacle is gone. Ask those of the mesh without obstacles.
    pub fn on(&self, mesh: &NavMesh) -> Self {
        let piece = |id: PolyId, at: Vec3| {
            let lies = |p: &PolyId| mesh.whole(*p) == id && mesh.is_live(*p) && mesh.contains_2d(*p, at);
            if mesh.is_live(id) { Some(id) } else { mesh.grid().at(at).iter().map(|&p| PolyId(p)).find(lies) }
        };
        let stand = |l: &Link| match (piece(l.from, l.start), piece(l.to, l.end)) {
            (Some(from), Some(to)) => Link { from, to, ..*l },
            _ => *l,
        };
        Self::sorted(mesh, self.links.iter().map(stand).collect())
    }

    fn sorted(mesh: &NavMesh, links: Vec<Link>) -> Self {
        let mut exits = Vec::new();
        for (link, l) in (0u32..).zip(&links) {
            if !(mesh.is_live(l.from) && mesh.is_live(l.to)) {
                continue;
            }
            exits.push((l.from, Exit { link, backwards: false }));
            if l.both_ways {
                exits.push((l.to, Exit { link, backwards: true }));
            }
        }
        exits.sort_by_key(|e| e.0);
        let mut starts = vec![0u32; mesh.len() + 1];
        exits.iter().for_each(|e| starts[e.0.index() + 1] += 1);
        for i in 0..mesh.len() {
            starts[i + 1] += starts[i];
        }
        Self { links, starts, exits: exits.into_iter().map(|e| e.1).collect() }
    }

    /// All links.
    pub fn all(&self) -> &[Link] {
        &self.links
    }

    /// The exits of a polygon; none for a polygon of another mesh.
    #[inline]
    pub fn exits(&self, polygon: PolyId) -> &[Exit] {
        match self.starts.get(polygon.index()..polygon.index() + 2) {
            Some(&[first, end]) => &self.exits[first as usize..end as usize],
            _ => &[],
        }
    }

    /// The link of an exit, turned the way it is taken.
    #[inline]
    pub fn taken(&self, exit: Exit) -> Link {
        let l = self.links[exit.link as usize];
        if exit.backwards { Link { from: l.to, to: l.from, start: l.end, end: l.start, ..l } } else { l }
    }

    /// Which of the mesh's islands can be reached from one of them.
    pub fn reachable(&self, mesh: &NavMesh, island: u32) -> Vec<bool> {
        let of = |p: PolyId| mesh.polygon(p).component;
        let mut ways: Vec<Vec<u32>> = vec![Vec::new(); mesh.components() as usize];
        for l in &self.links {
            let (a, b) = (of(l.from), of(l.to));
            if a == NONE || b == NONE {
                continue;
            }
            ways[a as usize].push(b);
            if l.both_ways {
                ways[b as usize].push(a);
            }
        }
        let mut reached = vec![false; ways.len()];
        let mut stack = vec![island];
        while let Some(i) = stack.pop() {
            if reached.get(i as usize) == Some(&false) {
                reached[i as usize] = true;
                stack.append(&mut ways[i as usize]);
            }
        }
        reached
    }
}

/// The polygon with the nearest point within `reach`, and that point.
fn nearest(mesh: &NavMesh, at: Vec3, reach: f32) -> Option<NavPoint> {
    if !(at.is_finite() && reach >= 0.0) {
        return None;
    }
    let mut best: Option<(f32, PolyId, Vec3)> = None;
    let mut look = |p: u32| {
        let id = PolyId(p);
        let on = closest(mesh, id, at);
        let off = on.distance(at);
        if off <= reach && best.is_none_or(|b| (off, id) < (b.0, b.1)) {
            best = Some((off, id, on));
        }
    };
    let r = Vec3::splat(reach.min(1e6));
    mesh.grid().for_each_in(at - r, at + r, &mut look);
    best.map(|b| NavPoint::new(b.1, b.2))
}

/// The point of a polygon that lies nearest seen from above, on its surface.
fn closest(mesh: &NavMesh, id: PolyId, at: Vec3) -> Vec3 {
    if mesh.contains_2d(id, at) {
        return Vec3::new(at.x, mesh.height_at(id, at), at.z);
    }
    let mut best = (f32::INFINITY, at);
    for e in 0..mesh.edges_of(id).len() as u32 {
        let (a, b) = mesh.segment(mesh.polygon(id).first_edge + e);
        let on = plan::closest_on_segment(a, b, at);
        let off = plan::distance_squared(on, at);
        if off < best.0 {
            best = (off, on);
        }
    }
    // Not on the edge's line, which the height detail may leave far behind.
    best.1.with_y(mesh.height_at(id, best.1))
}

#[cfg(test)]
mod tests;
