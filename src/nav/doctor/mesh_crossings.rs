//! Where the islands of a mesh come nearest, and what parts them there.

use foldhash::{HashMap, HashMapExt};

use glam::{DVec3, Vec3};

use super::finding::{FaultKind, Finding, Mend};
use super::layered_edges::LayeredEdges;
use super::limits::AgentLimits;
use super::open_edges::{OpenEdge, open_edges};
use super::seams::Seam;
use super::span_graph::STEEPEST;
use crate::math::plan::{self, PlanPoint};
use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use crate::nav::mesh::{Filter, NavMesh, RawMesh};
use crate::nav::query::nearest::{SearchExtents, nearest};

/// The island of polygons that do not count.
pub(super) const NOWHERE: usize = usize::MAX;
/// How far beyond a limit a crossing may be that is worth a finding of its own.
const NEARLY: f64 = 1.5;
/// Ground that is no further apart than this touches, metres.
pub(super) const TOUCH: f64 = 0.02;
/// Borders nearer than this share of an agent's width have no wall between them; the rest is what outlines of cells lose.
const NARROW: f64 = 0.75;
/// Least length of a border that islands share, metres; shorter ones are points.
const BORDER: f64 = 0.05;

/// Where the borders of two islands come nearest.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestCrossing {
    /// How far apart they are, metres along the ground and up; less where they lie along each other than where they only
    /// touch.
    pub cost: f64,
    /// From the one to the other, in the world.
    line: [DVec3; 2],
    /// The borders.
    edges: [OpenEdge; 2],
    /// The seam that parts borders along each other.
    pub seam: Option<Seam>,
    /// Over which length the islands lie along each other seen from above, whatever their heights, metres.
    border: f64,
}

impl NearestCrossing {
    /// Where two edges come nearest; `local` are their ends from `origin` on.
    fn new([a, b]: [&OpenEdge; 2], local: [[Vec3; 2]; 2], origin: DVec3) -> Self {
        let [p, q] = local.map(|[from, to]| (from, to));
        let (p, q) = plan::closest_of_segments(p, q);
        let line = [p, q].map(|p| p.as_dvec3() + origin);
        let mut crossing = Self { cost: 0.0, line, edges: [*a, *b], seam: None, border: 0.0 };
        let distance = crossing.run() + crossing.rise().abs();
        crossing.seam = (distance < TOUCH).then(|| Seam::between(a, b)).flatten();
        crossing.cost = if crossing.seam.is_some() { -1.0 } else { distance };
        if crossing.run() < TOUCH {
            crossing.border = border(a, b);
        }
        crossing
    }

    /// The same from the other side.
    pub fn reversed(&self) -> Self {
        let ([from, to], [here, there]) = (self.line, self.edges);
        let seam = self.seam.and_then(|_| Seam::between(&there, &here));
        Self { line: [to, from], edges: [there, here], seam, ..*self }
    }

    /// The polygons that come nearest, by their numbers in the mesh.
    pub fn polygons(&self) -> [usize; 2] {
        self.edges.map(|edge| edge.polygon as usize)
    }

    /// Whether the line between the borders leads over ground of the mesh, so that nothing ends there.
    pub fn is_over_ground(&self, mesh: &NavMesh, climb: f32) -> bool {
        let extents = SearchExtents { half_extents: Vec3::new(0.01, climb, 0.01), climb: 0.0 };
        let is_ground = |part: f64| {
            let at = mesh.local(self.line[0].lerp(self.line[1], part));
            let found = nearest(mesh, at, &extents, &Filter::default());
            found.is_some_and(|p| (p.point - at).with_y(0.0).length() < 0.01)
        };
        self.seam.is_none() && self.run() > TOUCH && [0.25, 0.5, 0.75].into_iter().any(is_ground)
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

/// Per two islands, the smaller number first, the nearest places of their borders where that is not far beyond the limits.
pub(super) fn nearest_crossings(
    mesh: &RawMesh,
    island_of: &[usize],
    limits: &AgentLimits,
) -> Vec<([usize; 2], NearestCrossing)> {
    let is_counted = |edge: &OpenEdge| island_of[edge.polygon as usize] != NOWHERE;
    let edges: Vec<OpenEdge> = open_edges(mesh).into_iter().filter(is_counted).collect();
    // Both borders keep the agent's radius from what parts them.
    let (gap, rise) =
        (NEARLY * f64::from(limits.jump) + 2.0 * f64::from(limits.mesh_radius), NEARLY * f64::from(limits.climb));
    let layers = LayeredEdges::new(&edges, gap as f32, rise);
    let origin = layers.origin();
    let local = |e: &OpenEdge| e.ends.map(|end| (end - origin).as_vec3());
    let mut counts: HashMap<usize, usize> = HashMap::new();
    edges.iter().for_each(|edge| *counts.entry(island_of[edge.polygon as usize]).or_default() += 1);
    // What lies around each edge is looked at for all islands but the one with most.
    let most = counts.into_iter().max_by_key(|&(island, count)| (count, island)).map_or(NOWHERE, |(island, _)| island);
    let mut best: HashMap<[usize; 2], NearestCrossing> = HashMap::new();
    for (a, here) in edges.iter().map(|a| (a, island_of[a.polygon as usize])).filter(|&(_, here)| here != most) {
        let own = local(a);
        layers.for_each_near(a, 0.0, |j| {
            let b = &edges[j as usize];
            let there = island_of[b.polygon as usize];
            let is_new = there == most || here < there;
            if !is_new || height_between(a, b) > rise {
                return;
            }
            let mut crossing = NearestCrossing::new([a, b], [own, local(b)], origin);
            if here > there {
                crossing = crossing.reversed();
            }
            if crossing.run() <= gap && crossing.rise().abs() <= rise {
                let islands = [here.min(there), here.max(there)];
                let known = best.entry(islands).or_insert(NearestCrossing { border: 0.0, ..crossing });
                let border = known.border + crossing.border;
                *known = NearestCrossing { border, ..if crossing.cost < known.cost { crossing } else { *known } };
            }
        });
    }
    let mut found: Vec<_> = best.into_iter().collect();
    found.sort_unstable_by_key(|(islands, _)| *islands);
    found
}

/// How far apart the heights of two edges are at least, metres.
fn height_between(a: &OpenEdge, b: &OpenEdge) -> f64 {
    let [a, b] = [a, b].map(|edge| edge.ends.map(|end| end.y));
    (a[0].min(a[1]) - b[0].max(b[1])).max(b[0].min(b[1]) - a[0].max(a[1]))
}

/// Over which length two edges lie upon each other, seen from above.
fn border(a: &OpenEdge, b: &OpenEdge) -> f64 {
    let [from, to] = a.ends.map(|end| end.plan());
    let length = from.distance(to);
    if length < BORDER {
        return 0.0;
    }
    let direction = (to - from) / length;
    let [s, t] = b.ends.map(|end| end.plan() - from);
    if direction.perp_dot(s).abs().max(direction.perp_dot(t).abs()) > TOUCH {
        return 0.0;
    }
    let [s, t] = [s, t].map(|along| along.dot(direction).clamp(0.0, length));
    (s - t).abs()
}

/// What a crossing fails at. `ground` begins the sentence, `extent` is how large the ground is, metres.
pub(super) fn crossing_finding(crossing: &NearestCrossing, ground: &str, extent: f64, limits: &AgentLimits) -> Finding {
    let (line, run, rise) = (crossing.line, crossing.run(), crossing.rise());
    if let Some(seam) = crossing.seam {
        return seam.finding();
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
    } else if run < TOUCH && crossing.border > BORDER && rise.abs() >= 0.005 {
        let (height, side) = (rise.abs(), if rise > 0.0 { "higher" } else { "lower" });
        let cause = format!(
            "{ground} at a border of the rest, {height:.2} m {side}: they are not joined over {:.2} m, though an agent \
             climbs {} m.",
            crossing.border, limits.climb
        );
        let remedy = "Place a link, or bake or convert it again so that the polygons there are joined.";
        (FaultKind::UnreachableIsland, extent, cause, remedy)
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
