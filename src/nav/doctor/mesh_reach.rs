//! What cannot be reached on a mesh: islands, ends of links, targets.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use super::finding::{FaultKind, Finding, LoneGround, Mend, lone_ground};
use super::limits::{AgentLimits, NamedTarget};
use super::mesh_doors;
use super::seams::{OpenEdge, edge_grid, open_edges, seam};
use super::span_graph::STEEPEST;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan;
use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use crate::nav::mesh::{Filter, NavMesh, PolyId, RawMesh};
use crate::nav::query::nearest::{SearchExtents, nearest};

/// How far beyond a limit a crossing may be that is worth a finding of its own.
const NEARLY: f64 = 1.5;

/// Ground that is no further apart than this touches, metres.
const TOUCH: f64 = 0.02;
/// Borders nearer than this share of an agent's width have no wall between them; the rest is what outlines of cells lose.
const NARROW: f64 = 0.75;
/// How far the end of a link is moved onto the mesh at most, metres.
const LINK_MOVE: f32 = 4.0;

/// What cannot be reached. `mesh` has no polygon that validation refuses.
pub(super) fn examine(
    mesh: &RawMesh,
    links: &[PlacedLink],
    limits: &AgentLimits,
    targets: &[NamedTarget],
) -> Vec<Finding> {
    let Some(valid) = validated(mesh) else { return Vec::new() };
    let mut joined = DisjointSets::new(valid.island_count() as usize);
    let mut findings = Vec::new();
    for (number, link) in links.iter().enumerate() {
        match snapped_ends(&valid, link, limits) {
            [Ok(a), Ok(b)] => {
                joined.join(a.island, b.island);
                findings.extend([a, b].iter().filter_map(|end| end.wrong_floor(&format!("link {number}"), limits)));
            }
            ends => findings.push(lost_link(&valid, link, number, &ends)),
        }
    }
    findings.extend(targets.iter().enumerate().filter_map(|(i, target)| lost_target(&valid, target, i, limits)));
    findings.extend(islands(&valid, mesh, &mut joined, limits));
    findings.extend(mesh_doors::examine(&valid, limits));
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

fn lost_link(mesh: &NavMesh, link: &PlacedLink, number: usize, ends: &[Result<SnappedPoint, DVec3>; 2]) -> Finding {
    let lost: Vec<&str> = ["start", "end"].into_iter().zip(ends).filter(|(_, e)| e.is_err()).map(|(n, _)| n).collect();
    let place = ends.iter().find_map(|e| e.as_ref().err()).copied().unwrap_or(link.start);
    let cause =
        format!("Nothing of the mesh is within {} m of the {} of link {number}.", link.reach, lost.join(" and the "));
    let remedy = "Move that end onto the mesh, raise the link's reach, or remove the link.".into();
    let size = (link.end - link.start).length();
    let finding = Finding::new(FaultKind::LinkOffMesh, place, size, [cause, remedy]);
    let mend = moved_link(mesh, link, number, ends).unwrap_or(Mend::RemoveLink(number));
    finding.along([link.start, link.end]).mended_by(mend)
}

/// The link with its lost ends on the ground near them; `None` where there is none, or where it would lead nowhere.
fn moved_link(
    mesh: &NavMesh,
    link: &PlacedLink,
    number: usize,
    ends: &[Result<SnappedPoint, DVec3>; 2],
) -> Option<Mend> {
    let moved = |end: usize| match &ends[end] {
        Ok(_) => Some([link.start, link.end][end]),
        Err(at) => SnappedPoint::near(mesh, *at, LINK_MOVE).ok().map(|ground| ground.found),
    };
    let ends = [moved(0)?, moved(1)?];
    (ends[0].distance(ends[1]) > TOUCH).then_some(Mend::MoveLink { link: number, ends })
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
fn islands(valid: &NavMesh, mesh: &RawMesh, joined: &mut DisjointSets, limits: &AgentLimits) -> Vec<Finding> {
    let mut areas = vec![0.0; valid.island_count() as usize];
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
    let least = limits.min_island();
    let wanted = |root: usize| root != main && areas[root] > 0.0 && areas[root] >= least;
    let mut island_of = vec![main; mesh.polygons.len()];
    for &id in &polygons {
        island_of[valid.source(id) as usize] = joined.root(valid.polygon(id).island as usize);
    }
    let is_ground = |root: usize| root == main || wanted(root);
    let crossings = nearest_crossings(mesh, &island_of, limits).into_iter();
    let mut crossings: Vec<_> = crossings.filter(|((a, b), _)| a < b && is_ground(*a) && is_ground(*b)).collect();
    crossings.sort_by(|(_, a), (_, b)| a.cost.total_cmp(&b.cost));
    let mut found = Vec::new();
    for ((a, b), crossing) in crossings {
        let [root_a, root_b, root_main] = [a, b, main].map(|island| joined.root(island));
        if root_a == root_b {
            continue;
        }
        // From what is parted to the rest.
        let is_b = root_a == root_main || (root_b != root_main && areas[b] < areas[a]);
        let (island, crossing) = if is_b { (b, crossing.reversed()) } else { (a, crossing) };
        joined.join(a, b);
        // Seams are findings of their own.
        if crossing.seam().is_none() {
            let ground = format!("{:.1} m² of ground end", areas[island]);
            found.push((island, crossing_finding(&crossing, &ground, areas[island].sqrt(), limits)));
        }
    }
    // What parts roofs from roofs is no finding as long as nobody gets there.
    let root_main = joined.root(main);
    found.retain(|(island, _)| joined.root(*island) == root_main);
    let lone = (0..areas.len()).filter(|&island| wanted(island) && joined.root(island) != root_main);
    let lone = lone.map(|island| LoneGround { place: middles[island].0, area: areas[island] }).collect();
    found.into_iter().map(|(_, finding)| finding).chain(lone_ground(lone)).collect()
}

/// Where the borders of two islands come nearest.
pub(super) struct NearestCrossing {
    /// How far apart they are, metres along the ground and up; less where they lie along each other than where they only
    /// touch.
    cost: f64,
    /// From the one to the other, in the world.
    line: [DVec3; 2],
    /// The borders.
    edges: [OpenEdge; 2],
}

impl NearestCrossing {
    fn reversed(&self) -> Self {
        let ([from, to], [here, there]) = (self.line, self.edges);
        Self { cost: self.cost, line: [to, from], edges: [there, here] }
    }

    /// The seam that parts borders along each other.
    fn seam(&self) -> Option<Finding> {
        (self.run() + self.rise().abs() < TOUCH).then(|| seam(&self.edges[0], &self.edges[1]))?
    }

    /// How far apart the borders are, seen from above, metres.
    fn run(&self) -> f64 {
        (self.line[1] - self.line[0]).with_y(0.0).length()
    }

    /// How much higher the other one lies, metres.
    fn rise(&self) -> f64 {
        self.line[1].y - self.line[0].y
    }
}

/// Per island and other island, the nearest places of their borders where that is not far beyond the limits.
pub(super) fn nearest_crossings(
    mesh: &RawMesh,
    island_of: &[usize],
    limits: &AgentLimits,
) -> BTreeMap<(usize, usize), NearestCrossing> {
    let edges = open_edges(mesh);
    // Both borders keep the agent's radius from what parts them.
    let (gap, rise) =
        (NEARLY * f64::from(limits.jump) + 2.0 * f64::from(limits.mesh_radius), NEARLY * f64::from(limits.climb));
    let (grid, rects, origin) = edge_grid(&edges, gap as f32);
    let mut best: BTreeMap<(usize, usize), NearestCrossing> = BTreeMap::new();
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
            let mut crossing = NearestCrossing { cost: 0.0, line, edges: [*a, *b] };
            let (run, height) = (crossing.run(), crossing.rise().abs());
            if run > gap || height > rise {
                return;
            }
            crossing.cost = if crossing.seam().is_some() { -1.0 } else { run + height };
            for (pair, crossing) in [((there, here), crossing.reversed()), ((here, there), crossing)] {
                if best.get(&pair).is_none_or(|known| crossing.cost < known.cost) {
                    best.insert(pair, crossing);
                }
            }
        });
    }
    best
}

/// What a crossing fails at. `ground` begins the sentence, `extent` is how large the ground is, metres.
pub(super) fn crossing_finding(crossing: &NearestCrossing, ground: &str, extent: f64, limits: &AgentLimits) -> Finding {
    let (line, run, rise) = (crossing.line, crossing.run(), crossing.rise());
    if let Some(seam) = crossing.seam() {
        return seam;
    }
    let what = match (rise, rise.abs() < 0.005) {
        (_, true) => format!("{ground} {run:.2} m from the rest"),
        (rise, _) if rise > 0.0 => format!("{ground} {run:.2} m from the rest, which lies {rise:.2} m higher"),
        _ => format!("{ground} {run:.2} m from the rest, which lies {:.2} m lower", -rise),
    };
    let link = PlacedLink::new(LinkKind::Jump, [line[0], line[1]], limits.radius.max(0.1));
    let (fault, size, cause, remedy) = if rise.abs() > f64::from(limits.climb) {
        let slope = slope_between(run, rise.abs(), limits);
        let cause = format!("{what}; an agent climbs {} m.{slope}", limits.climb);
        (FaultKind::StepTooHigh, rise.abs(), cause, "Place a link, or raise the step and bake again.")
    } else if run > f64::from(limits.jump) {
        let cause = format!("{what}; an agent jumps {} m.{}", limits.jump, wall_or_gap(run, limits));
        (FaultKind::GapTooWide, run, cause, "Place a link, or widen the jump and find links again.")
    } else if run < TOUCH {
        let cause = format!("{ground} in a point of the rest; to walk over, an agent needs an edge that both share.");
        let remedy = "Place a link, or bake with smaller cells if there is room for an agent.";
        (FaultKind::UnreachableIsland, extent, cause, remedy)
    } else {
        let cause = format!("{what}, and no link leads there.{}", wall_or_gap(run, limits));
        (FaultKind::UnreachableIsland, extent, cause, "Place a link, or bake with links.")
    };
    let place = (line[0] + line[1]) * 0.5;
    Finding::new(fault, place, size, [cause, remedy.into()]).along(line).mended_by(Mend::Link(link))
}

/// What can be between two borders at about one height, a sentence after a space. A mesh does not hold what parts its
/// ground, but a bake keeps borders the agent's radius from walls and ledges: nearer ones have a narrow passage between.
fn wall_or_gap(run: f64, limits: &AgentLimits) -> String {
    let radius = limits.mesh_radius;
    let width = 2.0 * f64::from(radius);
    if run < NARROW * width {
        return format!(
            " In a mesh baked for a radius of {radius} m that is too near for a wall or a ledge between: a passage is \
             too narrow or too low there, or ground was left out."
        );
    }
    let room = (run - width).max(0.0);
    format!(
        " A mesh does not tell a gap from a wall: baked for a radius of {radius} m, {room:.2} m of either are there."
    )
}

/// The slope that can be between two borders of unequal height, a sentence after a space; empty where only a step can.
pub(super) fn slope_between(run: f64, height: f64, limits: &AgentLimits) -> String {
    let slope = height.atan2(run - 2.0 * f64::from(limits.mesh_radius));
    if slope <= f64::from(limits.slope_rad) || slope >= f64::from(STEEPEST) {
        return String::new();
    }
    let [degrees, limit] = [slope, f64::from(limits.slope_rad)].map(f64::to_degrees);
    format!(
        " In a mesh baked for a radius of {} m it can be a slope of {degrees:.0}°; an agent walks up to {limit:.0}°.",
        limits.mesh_radius
    )
}

#[cfg(test)]
mod tests {
    use super::super::limits::PERSON;
    use super::*;
    use crate::nav::mesh::RawPolygon;

    /// Squares along x: from where to where, and how high.
    fn mesh_of(squares: &[[f64; 3]]) -> RawMesh {
        let mut mesh = RawMesh::default();
        for &[from, to, y] in squares {
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend([[from, 0.0], [to, 0.0], [to, 4.0], [from, 4.0]].map(|[x, z]| DVec3::new(x, y, z)));
            mesh.polygons.push(RawPolygon::new([first, first + 1, first + 2, first + 3]));
        }
        mesh
    }

    #[test]
    fn what_parts_ground_is_found_once() {
        let faults = |squares: &[[f64; 3]]| -> Vec<(FaultKind, f64)> {
            let found = examine(&mesh_of(squares), &[], &PERSON, &[]);
            found.iter().map(|f| (f.fault, (f.place.x * 10.0).round() / 10.0)).collect()
        };
        // Three in a row: a gap on each side of the one between, from the largest on.
        let row = [[0.0, 20.0, 0.0], [21.2, 24.0, 0.0], [25.2, 30.0, 0.0]];
        assert_eq!(faults(&row), [(FaultKind::GapTooWide, 20.6), (FaultKind::GapTooWide, 24.6)]);
        // What parts two roofs to which nothing leads is no finding: all such ground is one, at its largest.
        let roofs = [[0.0, 20.0, 0.0], [21.2, 24.0, 9.0], [25.2, 30.0, 9.0], [50.0, 52.0, 9.0]];
        assert_eq!(faults(&roofs), [(FaultKind::UnreachableIsland, 27.6)]);
    }

    #[test]
    fn ground_below_a_bridge_does_not_end_at_it() {
        let mut mesh = mesh_of(&[[0.0, 10.0, 3.0]]);
        let below = [(4.0, -5.0), (6.0, -5.0), (6.0, 9.0), (4.0, 9.0)];
        mesh.vertices.extend(below.map(|(x, z)| DVec3::new(x, 0.0, z)));
        mesh.polygons.push(RawPolygon::new([4, 5, 6, 7]));
        let findings = examine(&mesh, &[], &PERSON, &[]);
        assert!(findings.iter().all(|finding| !finding.cause.contains("in a point")), "{findings:?}");
    }
}
