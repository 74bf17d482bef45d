//! What cannot be reached on a mesh: islands, ends of links, targets.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use super::finding::{FaultKind, Finding, LoneGround, Mend, lone_ground};
use super::limits::{AgentLimits, NamedTarget};
use super::seams::{OpenEdge, edge_grid, open_edges};
use super::union::Union;
use crate::math::plan;
use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use crate::nav::mesh::{Filter, NavMesh, PolyId, RawMesh};
use crate::nav::query::nearest::{SearchExtents, nearest};

/// How far beyond a limit a crossing may be that is worth a finding of its own.
const NEARLY: f64 = 1.5;
/// Islands smaller than this are no finding, in squares of the agent's width.
const MIN_ISLAND: f64 = 1.0;

/// Ground that is no further apart than this touches, metres.
const TOUCH: f64 = 0.02;

/// What cannot be reached. `mesh` has no polygon that validation refuses.
pub(super) fn examine(
    mesh: &RawMesh,
    links: &[PlacedLink],
    limits: &AgentLimits,
    targets: &[NamedTarget],
) -> Vec<Finding> {
    let Some(valid) = validated(mesh) else { return Vec::new() };
    let mut joined = Union::new(valid.island_count() as usize);
    let mut findings = Vec::new();
    for (number, link) in links.iter().enumerate() {
        match snapped_ends(&valid, link, limits) {
            [Ok(a), Ok(b)] => {
                joined.join(a.island, b.island);
                findings.extend([a, b].iter().filter_map(|end| end.wrong_floor(&format!("link {number}"), limits)));
            }
            ends => findings.push(lost_link(number, link, &ends)),
        }
    }
    findings.extend(targets.iter().enumerate().filter_map(|(i, target)| lost_target(&valid, target, i, limits)));
    findings.extend(islands(&valid, mesh, &mut joined, limits));
    findings
}

/// The mesh, where queries accept it.
pub(super) fn validated(mesh: &RawMesh) -> Option<NavMesh> {
    // What is left of a damaged mesh may be refused for its neighbours: without them it is joined by its vertices.
    let plain = || {
        let mut plain = mesh.clone();
        plain.polygons.iter_mut().for_each(|p| p.neighbors = None);
        plain.validate()
    };
    mesh.validate().or_else(|_| plain()).ok()
}

/// The ground at the start and the end of a link.
pub(super) fn snapped_ends(
    mesh: &NavMesh,
    link: &PlacedLink,
    limits: &AgentLimits,
) -> [Result<SnappedPoint, DVec3>; 2] {
    [link.start, link.end].map(|end| SnappedPoint::near(mesh, end, link.reach.max(limits.climb)))
}

/// The ground that a point is taken to.
pub(super) struct SnappedPoint {
    asked: DVec3,
    found: DVec3,
    /// Its polygon.
    pub polygon: PolyId,
    island: usize,
    apart: f64,
}

impl SnappedPoint {
    /// The ground near a point, or the point.
    pub fn near(mesh: &NavMesh, asked: DVec3, reach: f32) -> Result<Self, DVec3> {
        let half_extents = Vec3::new(reach, SearchExtents::default().half_extents.y, reach);
        let extents = SearchExtents { half_extents, ..SearchExtents::default() };
        let found = nearest(mesh, mesh.local(asked), &extents, &Filter::default()).ok_or(asked)?;
        let place = mesh.world(found.point);
        if (place - asked).with_y(0.0).length() > f64::from(reach) {
            return Err(asked);
        }
        let island = mesh.polygon(found.polygon).island as usize;
        Ok(Self { asked, found: place, polygon: found.polygon, island, apart: (place.y - asked.y).abs() })
    }

    /// Whether it belongs to another floor. What is placed a little above the ground falls there.
    fn is_wrong(&self, limits: &AgentLimits) -> bool {
        let most = if self.found.y < self.asked.y { limits.climb.max(0.5 * limits.height) } else { limits.climb };
        self.apart > f64::from(most)
    }

    fn wrong_floor(&self, whose: &str, limits: &AgentLimits) -> Option<Finding> {
        self.is_wrong(limits).then(|| {
            let side = if self.found.y < self.asked.y { "below" } else { "above" };
            let cause = format!("The ground that {whose} is taken to lies {:.2} m {side} it.", self.apart);
            let remedy = "Move it to the floor that is meant.".into();
            let line = [self.asked, self.found];
            Finding::new(FaultKind::WrongFloor, self.asked, self.apart, [cause, remedy]).along(line)
        })
    }
}

fn lost_link(number: usize, link: &PlacedLink, ends: &[Result<SnappedPoint, DVec3>; 2]) -> Finding {
    let lost: Vec<&str> = ["start", "end"].into_iter().zip(ends).filter(|(_, e)| e.is_err()).map(|(n, _)| n).collect();
    let place = ends.iter().find_map(|e| e.as_ref().err()).copied().unwrap_or(link.start);
    let cause =
        format!("Nothing of the mesh is within {} m of the {} of link {number}.", link.reach, lost.join(" and the "));
    let remedy = "Move that end onto the mesh, raise the link's reach, or remove the link.".into();
    let size = (link.end - link.start).length();
    let finding = Finding::new(FaultKind::LinkOffMesh, place, size, [cause, remedy]);
    finding.along([link.start, link.end]).mended_by(Mend::RemoveLink(number))
}

fn lost_target(mesh: &NavMesh, target: &NamedTarget, number: usize, limits: &AgentLimits) -> Option<Finding> {
    let reach = SearchExtents::default().half_extents.x;
    match SnappedPoint::near(mesh, target.position, reach) {
        Ok(ground) if !ground.is_wrong(limits) => {
            let off = (ground.found - target.position).with_y(0.0).length();
            (off > f64::from(limits.radius)).then(|| {
                let cause = format!("{} lies {off:.2} m beside the mesh.", target.name);
                let remedy = "Move it onto the mesh.".into();
                Finding::new(FaultKind::TargetOffMesh, target.position, off, [cause, remedy])
                    .along([target.position, ground.found])
                    .mended_by(Mend::MoveTarget { target: number, to: ground.found })
            })
        }
        Ok(ground) => ground
            .wrong_floor(&target.name, limits)
            .map(|finding| finding.mended_by(Mend::MoveTarget { target: number, to: ground.found })),
        Err(place) => {
            let cause = format!("Nothing of the mesh is within {reach} m of {}.", target.name);
            let remedy = "Move it onto the mesh, or bake the ground that is missing there.".into();
            Some(Finding::new(FaultKind::TargetOffMesh, place, f64::from(reach), [cause, remedy]))
        }
    }
}

/// Islands that no link joins to the largest.
fn islands(valid: &NavMesh, mesh: &RawMesh, joined: &mut Union, limits: &AgentLimits) -> Vec<Finding> {
    let mut areas = vec![0.0; joined.len()];
    let mut middles = vec![(DVec3::ZERO, 0.0); areas.len()];
    let polygons: Vec<_> = valid.live_polygons().collect();
    for &id in &polygons {
        let corners: Vec<Vec3> = valid.corners(id).collect();
        let area = plan::area(&corners).abs();
        let root = joined.root(valid.polygon(id).island as usize);
        areas[root] += area;
        // The place of an island is the middle of its largest polygon: the mean of an island may lie beside it.
        if area > middles[root].1 {
            middles[root] = (valid.world(valid.polygon(id).center), area);
        }
    }
    let Some(main) = (0..areas.len()).max_by(|&a, &b| areas[a].total_cmp(&areas[b])) else { return Vec::new() };
    let least = MIN_ISLAND * f64::from(2.0 * limits.radius).powi(2);
    let wanted = |root: usize| root != main && areas[root] >= least;
    let mut island_of = vec![main; mesh.polygons.len()];
    for &id in &polygons {
        island_of[valid.source(id) as usize] = joined.root(valid.polygon(id).island as usize);
    }
    let crossings = nearest_crossings(mesh, &island_of, limits);
    let mut findings = Vec::new();
    let mut lone = Vec::new();
    for root in (0..areas.len()).filter(|&r| wanted(r)) {
        let crossing = crossings.range((root, 0)..(root + 1, 0)).map(|(_, c)| c).min_by(|a, b| a.0.total_cmp(&b.0));
        match crossing {
            Some((_, line)) => {
                let ground = format!("{:.1} m² of ground end", areas[root]);
                findings.push(crossing_finding(*line, &ground, areas[root].sqrt(), limits));
            }
            None => lone.push(LoneGround { place: middles[root].0, area: areas[root] }),
        }
    }
    findings.extend(lone_ground(lone));
    findings
}

/// Per island and other island, the nearest places of their borders where that is not far beyond the limits.
pub(super) fn nearest_crossings(
    mesh: &RawMesh,
    island_of: &[usize],
    limits: &AgentLimits,
) -> BTreeMap<(usize, usize), (f64, [DVec3; 2])> {
    let edges = open_edges(mesh);
    // Both borders keep the agent's radius from what parts them.
    let (gap, rise) =
        (NEARLY * f64::from(limits.jump) + 2.0 * f64::from(limits.radius), NEARLY * f64::from(limits.climb));
    let (grid, rects, origin) = edge_grid(&edges, gap as f32);
    let mut best: BTreeMap<(usize, usize), (f64, [DVec3; 2])> = BTreeMap::new();
    for (i, a) in edges.iter().enumerate() {
        let here = island_of[a.polygon as usize];
        grid.for_each_near(&rects[i], |j| {
            let b: &OpenEdge = &edges[j as usize];
            let there = island_of[b.polygon as usize];
            if here >= there {
                return;
            }
            let local = |e: &OpenEdge| ((e.ends[0] - origin).as_vec3(), (e.ends[1] - origin).as_vec3());
            let (p, q) = plan::closest_of_segments(local(a), local(b));
            let line = [p, q].map(|p| p.as_dvec3() + origin);
            let (run, height) = ((line[1] - line[0]).with_y(0.0).length(), (line[1].y - line[0].y).abs());
            if run > gap || height > rise {
                return;
            }
            for (pair, line) in [((here, there), line), ((there, here), [line[1], line[0]])] {
                let known = best.entry(pair).or_insert((f64::INFINITY, line));
                if run + height < known.0 {
                    *known = (run + height, line);
                }
            }
        });
    }
    best
}

/// What a crossing fails at. `ground` begins the sentence, `extent` is how large the ground is, metres.
pub(super) fn crossing_finding(line: [DVec3; 2], ground: &str, extent: f64, limits: &AgentLimits) -> Finding {
    let place = (line[0] + line[1]) * 0.5;
    let (run, height) = ((line[1] - line[0]).with_y(0.0).length(), (line[1].y - line[0].y).abs());
    let what = match (line[1].y - line[0].y, height < 0.005) {
        (_, true) => format!("{ground} {run:.2} m from the rest"),
        (rise, _) if rise > 0.0 => format!("{ground} {run:.2} m from the rest, which lies {height:.2} m higher"),
        _ => format!("{ground} {run:.2} m from the rest, which lies {height:.2} m lower"),
    };
    let link = PlacedLink {
        start: line[0],
        end: line[1],
        kind: LinkKind::Jump,
        both_ways: true,
        reach: limits.radius.max(0.1),
        area: 0,
        flags: 1,
    };
    let (fault, size, cause, remedy) = if height > f64::from(limits.climb) {
        let cause = format!("{what}; an agent climbs {} m.", limits.climb);
        (FaultKind::StepTooHigh, height, cause, "Place a link, or raise the step and bake again.")
    } else if run > f64::from(limits.jump) {
        let cause = format!("{what}; an agent jumps {} m.", limits.jump);
        (FaultKind::GapTooWide, run, cause, "Place a link, or widen the jump and find links again.")
    } else if run < TOUCH {
        let cause = format!("{ground} in a point of the rest; to walk over, an agent needs an edge that both share.");
        let remedy = "Place a link, or bake with smaller cells if there is room for an agent.";
        (FaultKind::UnreachableIsland, extent, cause, remedy)
    } else {
        let cause = format!("{what}, and no link leads there.");
        (FaultKind::UnreachableIsland, extent, cause, "Place a link, or bake with links.")
    };
    Finding::new(fault, place, size, [cause, remedy.into()]).along(line).mended_by(Mend::Link(link))
}
