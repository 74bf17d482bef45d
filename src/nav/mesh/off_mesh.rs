//! Off-mesh links (Detour's off-mesh connections): placed by hand, or found where an agent can jump over a gap or drop
//! from a ledge.
//!
//! [`OffMeshLinks`] accompany a [`NavMesh`]: a query that takes them may leave a polygon by its exits. Points are
//! local to the mesh, Y up, metres.

mod find;
mod limits;

pub use find::LinkSettings;

use glam::{DVec3, Vec3};
use thiserror::Error;

use super::{NONE, NavMesh, NavPoint, PolyId};
use crate::math::plan;
use crate::vocab::labelled;

/// Most links of a mesh.
pub const MAX_LINKS: usize = 1 << 20;

/// Distance from the outline of a polygon at which the end of a link still lies on it, metres: ends lie on walls, and
/// rounding puts some of them outside.
const ON_EDGE: f32 = 1e-3;

/// Snap distance of the ends of a saved link, metres.
const SAVED_REACH: f32 = 0.5;

labelled! {
    /// How a link is traversed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum LinkKind: label, help {
        /// On foot in a straight line, or as the program that it is for defines.
        Placed = "Walk" "On foot in a straight line, no steeper than stairs.",
        /// A jump over a gap.
        Jump = "Jump" "By a jump, at most 5 m wide and 1.2 m up.",
        /// A drop from a ledge, one way.
        Drop = "Drop" "Down from a ledge, at most 6 m; one way.",
        /// A climb straight up or down.
        Ladder = "Ladder" "Straight up or down, its ends at most 1.5 m apart seen from above.",
        /// A doorway.
        Door = "Door" "On foot through an opening, at most 3 m long.",
        /// At once from one end to the other.
        Teleport = "Teleport" "At once, from anywhere to anywhere.",
    }
}

/// A link placed by hand, world space.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedLink {
    /// Start; snaps to ground within `reach`.
    pub start: DVec3,
    /// End; snaps to ground within `reach`.
    pub end: DVec3,
    /// How it is traversed.
    pub kind: LinkKind,
    /// Whether it can be traversed backwards.
    pub both_ways: bool,
    /// Largest distance of its ends from the mesh, metres.
    pub reach: f32,
    /// Area, for the costs of a filter.
    pub area: u8,
    /// Flags, for a filter.
    pub flags: u16,
}

impl PlacedLink {
    /// A link that is taken both ways, of plain ground.
    pub fn new(kind: LinkKind, [start, end]: [DVec3; 2], reach: f32) -> Self {
        Self { start, end, kind, both_ways: true, reach, area: 0, flags: 1 }
    }

    /// The link between the polygons that its ends snap to; errors name it by its number.
    ///
    /// # Errors
    /// An end without ground within reach, an area out of range.
    pub fn snapped(&self, mesh: &NavMesh, link: usize) -> Result<OffMeshLink, LinkError> {
        let Self { kind, both_ways, reach, area, flags, .. } = *self;
        if area > 63 {
            return Err(LinkError::Area { link, area });
        }
        let ground =
            |at: DVec3, end| nearest(mesh, mesh.local(at), reach).ok_or(LinkError::OffMesh { link, end, reach });
        let (NavPoint { polygon: from, point: start }, NavPoint { polygon: to, point: end }) =
            (ground(self.start, "start")?, ground(self.end, "end")?);
        Ok(OffMeshLink { from, to, start, end, kind, both_ways, area, flags })
    }
}

/// A link between two polygons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffMeshLink {
    /// Polygon of the start.
    pub from: PolyId,
    /// Polygon of the end.
    pub to: PolyId,
    /// Start on the mesh, local.
    pub start: Vec3,
    /// End on the mesh, local.
    pub end: Vec3,
    /// How it is traversed.
    pub kind: LinkKind,
    /// Whether it can be traversed backwards.
    pub both_ways: bool,
    /// See [`PlacedLink::area`].
    pub area: u8,
    /// See [`PlacedLink::flags`].
    pub flags: u16,
}

/// A link as seen from one of its polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffMeshExit {
    /// Index of the link.
    pub link: u32,
    /// Whether it is traversed backwards.
    pub backwards: bool,
}

/// Why links are invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LinkError {
    #[error("the {end} of link {} has no ground within {reach} m; move it onto the mesh or raise its reach", .link + 1)]
    OffMesh { link: usize, end: &'static str, reach: f32 },
    #[error("link {} has area {area}; areas are 0 to 63", .link + 1)]
    Area { link: usize, area: u8 },
    #[error("there are {0} links, more than {MAX_LINKS}; raise the spacing of automatic links")]
    TooMany(usize),
    #[error("the setting '{name}' is {value}; give a number from {low} to {high}")]
    Setting { name: &'static str, value: f32, low: f32, high: f32 },
}

/// The off-mesh links of one mesh.
#[derive(Clone, Debug, Default)]
pub struct OffMeshLinks {
    links: Vec<OffMeshLink>,
    /// First exit of each polygon, then the number of exits.
    starts: Vec<u32>,
    exits: Vec<OffMeshExit>,
}

impl OffMeshLinks {
    /// Combines the links that were found (see [`LinkSettings::find`]) with those placed by hand, in this order.
    ///
    /// # Errors
    /// A placed link without ground at an end, an area out of range, too many links.
    pub fn new(mesh: &NavMesh, found: Vec<OffMeshLink>, placed: &[PlacedLink]) -> Result<Self, LinkError> {
        let (links, left_out) = Self::with_valid(mesh, found, placed)?;
        left_out.into_iter().next().map_or(Ok(links), Err)
    }

    /// As [`OffMeshLinks::new`], without the placed links that are invalid on this mesh. Returns what is wrong with each of those, too.
    ///
    /// # Errors
    /// Too many links.
    pub fn with_valid(
        mesh: &NavMesh,
        found: Vec<OffMeshLink>,
        placed: &[PlacedLink],
    ) -> Result<(Self, Vec<LinkError>), LinkError> {
        let (mut links, mut left_out) = (found, Vec::new());
        if links.len() + placed.len() > MAX_LINKS {
            return Err(LinkError::TooMany(links.len() + placed.len()));
        }
        for (number, link) in placed.iter().enumerate() {
            match link.snapped(mesh, number) {
                Ok(link) => links.push(link),
                Err(error) => left_out.push(error),
            }
        }
        Ok((Self::sorted(mesh, links), left_out))
    }

    /// The links in the form of placed ones, for a file.
    pub fn placed(&self, mesh: &NavMesh) -> Vec<PlacedLink> {
        let place = |l: &OffMeshLink| PlacedLink {
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

    /// The links, with the same indices, on the mesh after obstacles changed it (see
    /// [`DynamicMesh`](super::DynamicMesh)): ends on cut polygons move to their pieces. A link with a covered end has
    /// no exits until the obstacle is gone. Call it on the links of the original mesh.
    pub fn on(&self, mesh: &NavMesh) -> Self {
        let piece = |id: PolyId, at: Vec3| {
            if mesh.is_live(id) {
                return Some(id);
            }
            let mut best: Option<(f32, PolyId)> = None;
            let slack = Vec3::splat(ON_EDGE);
            mesh.grid().for_each_in(at - slack, at + slack, |p| {
                let p = PolyId(p);
                if mesh.is_live(p) && mesh.parent_poly(p) == id {
                    let off = plan::distance(mesh.clamp_to_poly(p, at), at);
                    if off <= ON_EDGE && best.is_none_or(|b| off < b.0) {
                        best = Some((off, p));
                    }
                }
            });
            best.map(|b| b.1)
        };
        let stand = |l: &OffMeshLink| match (piece(l.from, l.start), piece(l.to, l.end)) {
            (Some(from), Some(to)) => OffMeshLink { from, to, ..*l },
            _ => *l,
        };
        Self::sorted(mesh, self.links.iter().map(stand).collect())
    }

    fn sorted(mesh: &NavMesh, links: Vec<OffMeshLink>) -> Self {
        let mut exits = Vec::new();
        for (link, l) in (0u32..).zip(&links) {
            if !(mesh.is_live(l.from) && mesh.is_live(l.to)) {
                continue;
            }
            exits.push((l.from, OffMeshExit { link, backwards: false }));
            if l.both_ways {
                exits.push((l.to, OffMeshExit { link, backwards: true }));
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
    pub fn all(&self) -> &[OffMeshLink] {
        &self.links
    }

    /// The exits of a polygon; none for a polygon of another mesh.
    #[inline]
    pub fn exits(&self, polygon: PolyId) -> &[OffMeshExit] {
        match self.starts.get(polygon.index()..polygon.index() + 2) {
            Some(&[first, end]) => &self.exits[first as usize..end as usize],
            _ => &[],
        }
    }

    /// The link of an exit, in the direction of traversal.
    #[inline]
    pub fn taken(&self, exit: OffMeshExit) -> OffMeshLink {
        let l = self.links[exit.link as usize];
        if exit.backwards { OffMeshLink { from: l.to, to: l.from, start: l.end, end: l.start, ..l } } else { l }
    }

    /// Which islands can be reached from an island over links.
    pub fn reachable(&self, mesh: &NavMesh, island: u32) -> Vec<bool> {
        let of = |p: PolyId| mesh.polygon(p).island;
        let mut ways: Vec<Vec<u32>> = vec![Vec::new(); mesh.island_count() as usize];
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

/// The point of a polygon nearest in plan view, on its surface.
fn closest(mesh: &NavMesh, id: PolyId, at: Vec3) -> Vec3 {
    let on = mesh.clamp_to_poly(id, at);
    // The height detail may deviate from the line of an edge.
    on.with_y(mesh.height_at(id, on))
}
