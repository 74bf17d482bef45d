//! Which of the things that are cut out of a mesh close a way: obstacles, and ground that is painted as not passable.

use std::collections::BTreeSet;

use glam::{DVec3, Vec3};

use super::barriers::{Barrier, Passage, PathAnswer, fewest};
use super::finding::{FaultKind, Finding};
use super::limits::AgentLimits;
use super::mesh_reach::SnappedPoint;
use super::mesh_why::WalkedParts;
use crate::math::plan;
use crate::nav::mesh::off_mesh::PlacedLink;
use crate::nav::mesh::{NONE, NavMesh, PolyId};
use crate::nav::query::nearest::SearchExtents;

/// How much farther than an agent's radius ground may lie from what was cut out of it, metres.
const MARGIN: f32 = 0.3;

/// Something that is cut out of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocker {
    /// What it is, as the begin of a sentence.
    pub name: String,
    /// Outline of its lower side, in the world.
    pub outline: Vec<DVec3>,
    /// How high it stands, metres.
    pub height: f64,
}

/// What of these closes the way between two places of the mesh that they are cut out of; `None` where there is a way, and
/// where none of them parts the places.
pub fn what_blocks(
    mesh: &NavMesh,
    links: &[PlacedLink],
    blockers: &[Blocker],
    limits: &AgentLimits,
    ends: [DVec3; 2],
) -> Option<PathAnswer> {
    let parts = WalkedParts::of(mesh);
    let reach = SearchExtents::default().half_extents.x;
    let part_at = |end: DVec3| Some(parts.of[SnappedPoint::near(mesh, end, reach).ok()?.polygon.index()]);
    let ends = [part_at(ends[0])?, part_at(ends[1])?];
    let mut passages = Vec::new();
    for link in links {
        let there = parts.link_passage(mesh, link);
        let back = there.filter(|_| link.both_ways).map(|[a, b]| [b, a]);
        passages.extend(there.into_iter().chain(back).map(|parts| Passage { parts, finding: None }));
    }
    for blocker in blockers {
        let around = parts_around(mesh, &parts, blocker, limits.radius + MARGIN);
        passages.extend(Passage::among(&around, &finding(blocker)));
    }
    let answer = PathAnswer::of(fewest(&passages, parts.count, ends)?);
    (answer.barrier != Barrier::None).then_some(answer)
}

/// The parts of the ground whose borders lie along an outline.
fn parts_around(mesh: &NavMesh, parts: &WalkedParts, blocker: &Blocker, reach: f32) -> BTreeSet<usize> {
    let outline: Vec<Vec3> = blocker.outline.iter().map(|p| mesh.local(*p)).collect();
    let room = Vec3::splat(reach);
    let low = outline.iter().copied().fold(Vec3::INFINITY, Vec3::min) - room;
    let high = outline.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max) + room;
    let high = high.with_y(high.y + blocker.height as f32);
    let mut around = BTreeSet::new();
    mesh.grid().for_each_in(low, high, |number| {
        let id = PolyId(number);
        let bounds = mesh.bounds_of(id);
        if !(mesh.is_live(id) && bounds.min.cmple(high).all() && low.cmple(bounds.max).all()) {
            return;
        }
        let corners = mesh.corners_of(id);
        let is_along = |(k, _): (usize, _)| {
            let edge = (corners[k], corners[(k + 1) % corners.len()]);
            (0..outline.len()).any(|i| {
                let (p, q) = plan::closest_of_segments(edge, (outline[i], outline[(i + 1) % outline.len()]));
                (p - q).with_y(0.0).length() <= reach
            })
        };
        let walls = mesh.edges_of(id).iter().enumerate().filter(|(_, edge)| edge.neighbor == NONE);
        if mesh.polygon(id).flags != 0 && walls.into_iter().any(is_along) {
            around.insert(parts.of[id.index()]);
        }
    });
    around
}

fn finding(blocker: &Blocker) -> Finding {
    let outline = &blocker.outline;
    let place = outline.iter().sum::<DVec3>() / outline.len().max(1) as f64;
    let size = outline.iter().map(|p| p.distance(place)).fold(0.0, f64::max) * 2.0;
    let cause = format!("{} closes the way.", blocker.name);
    let remedy = "Move or open it, or place a link past it.".into();
    Finding::new(FaultKind::Barred, place, size, [cause, remedy]).around(outline)
}
