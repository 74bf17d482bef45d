//! Where the islands of a mesh come nearest, and what parts them there.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};

use glam::{DVec3, Vec3};
use smallvec::SmallVec;

use super::finding::{FaultKind, Finding, Mend, slope_words};
use super::layered_rects::LayeredEdges;
use super::limits::AgentLimits;
use super::open_edges::{OpenEdge, open_edges};
use super::seams::{NO_WALL, Seam, widest_seam};
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
/// Distances that differ by no more are equal, metres.
const EQUAL: f32 = 1e-3;
/// Most crossings of two islands that are looked at for the middle of their border.
const MAX_EQUAL: usize = 64;
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
    /// Seams are at most `widest` metres wide.
    fn new([a, b]: [&OpenEdge; 2], local: [[Vec3; 2]; 2], origin: DVec3, widest: f64) -> Self {
        let line = nearest_places(local).map(|p| p.as_dvec3() + origin);
        let mut crossing = Self { cost: 0.0, line, edges: [*a, *b], seam: None, border: 0.0 };
        let distance = crossing.run() + crossing.rise().abs();
        crossing.seam =
            (distance < TOUCH.max(widest + f64::from(EQUAL))).then(|| Seam::between(a, b, widest)).flatten();
        crossing.cost = if crossing.seam.is_some() { -1.0 } else { distance };
        if crossing.run() < TOUCH {
            crossing.border = border(a, b);
        }
        crossing
    }

    /// The same from the other side.
    pub fn reversed(&self) -> Self {
        let ([from, to], [here, there]) = (self.line, self.edges);
        let seam = self.seam.map(|seam| Seam::between(&there, &here, f64::INFINITY).unwrap_or(seam));
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

/// The borders of islands, found by where they lie.
pub(super) struct IslandBorders<'a> {
    edges: Vec<OpenEdge>,
    layers: LayeredEdges,
    /// The island of each polygon.
    island_of: &'a [usize],
    /// Widest crossing, highest one and widest seam, metres.
    gap: f64,
    rise: f64,
    widest: f64,
    /// The edges of each island, by their numbers.
    members: HashMap<usize, Vec<u32>>,
}

impl<'a> IslandBorders<'a> {
    pub fn new(mesh: &RawMesh, island_of: &'a [usize], limits: &AgentLimits) -> Self {
        let is_counted = |edge: &OpenEdge| island_of[edge.polygon as usize] != NOWHERE;
        let edges: Vec<OpenEdge> = open_edges(mesh).into_iter().filter(is_counted).collect();
        // Both borders keep the agent's radius from what parts them.
        let gap = NEARLY * f64::from(limits.jump) + 2.0 * f64::from(limits.mesh_radius);
        let rise = NEARLY * f64::from(limits.climb);
        let layers = LayeredEdges::new(&edges, gap as f32, rise);
        let mut members: HashMap<usize, Vec<u32>> = HashMap::new();
        for (i, edge) in edges.iter().enumerate() {
            members.entry(island_of[edge.polygon as usize]).or_default().push(i as u32);
        }
        Self { edges, layers, island_of, gap, rise, widest: widest_seam(limits), members }
    }

    /// Where two edges come nearest, from the first to the second.
    fn between(&self, edges: [u32; 2]) -> NearestCrossing {
        let (origin, edges) = (self.layers.origin(), edges.map(|k| &self.edges[k as usize]));
        let local = edges.map(|edge| edge.ends.map(|end| (end - origin).as_vec3()));
        NearestCrossing::new(edges, local, origin, self.widest)
    }

    /// Calls `f` with the crossings from an edge to those islands that are wanted: the island, the crossing and the other edge.
    fn for_each_from(
        &self,
        i: u32,
        is_wanted: impl Fn(usize) -> bool,
        mut f: impl FnMut(usize, &NearestCrossing, u32),
    ) {
        let a = &self.edges[i as usize];
        self.layers.for_each_near(a, |j| {
            let b = &self.edges[j as usize];
            let there = self.island_of[b.polygon as usize];
            if is_wanted(there) && height_between(a, b) <= self.rise {
                let crossing = self.between([i, j]);
                if crossing.run() <= self.gap && crossing.rise().abs() <= self.rise {
                    f(there, &crossing, j);
                }
            }
        });
    }

    /// Of equally near crossings that in the middle of the border, from the island with the smaller number.
    fn middle(&self, equal: &EqualCrossings) -> Option<NearestCrossing> {
        let crossing_of = |edges: [u32; 2]| {
            let [a, b] = edges.map(|k| self.island_of[self.edges[k as usize].polygon as usize]);
            let crossing = self.between(edges);
            if a > b { crossing.reversed() } else { crossing }
        };
        let crossings: SmallVec<[NearestCrossing; 1]> = equal.edges.iter().map(|&edges| crossing_of(edges)).collect();
        Some(NearestCrossing { border: equal.border, ..middle_of(&crossings)? })
    }

    /// The nearest crossings from an island to each other one that is wanted, by their numbers.
    pub fn near_island(&self, island: usize, is_wanted: impl Fn(usize) -> bool) -> Vec<(usize, NearestCrossing)> {
        let mut best: BTreeMap<usize, EqualCrossings> = BTreeMap::new();
        for &i in self.members.get(&island).into_iter().flatten() {
            let is_other = |there: usize| there != island && is_wanted(there);
            self.for_each_from(i, is_other, |there, crossing, j| best.entry(there).or_default().add(crossing, [i, j]));
        }
        let turned = |other: usize, crossing: NearestCrossing| {
            if other < island { crossing.reversed() } else { crossing }
        };
        best.iter().filter_map(|(&other, equal)| Some((other, turned(other, self.middle(equal)?)))).collect()
    }

    /// Per two islands, the smaller number first, the nearest places of their borders where that is not far beyond the limits.
    pub fn crossings(&self) -> Vec<([usize; 2], NearestCrossing)> {
        // What lies around each edge is looked at for all islands but the one with most.
        let most = self.members.iter().max_by_key(|(island, edges)| (edges.len(), **island)).map(|(island, _)| *island);
        let mut best: HashMap<[usize; 2], EqualCrossings> = HashMap::new();
        for (i, edge) in self.edges.iter().enumerate() {
            let here = self.island_of[edge.polygon as usize];
            if Some(here) == most {
                continue;
            }
            let is_new = |there: usize| Some(there) == most || here < there;
            self.for_each_from(i as u32, is_new, |there, crossing, j| {
                let islands = if here < there { [here, there] } else { [there, here] };
                best.entry(islands).or_default().add(crossing, [i as u32, j]);
            });
        }
        let mut found: Vec<_> =
            best.iter().filter_map(|(islands, equal)| Some((*islands, self.middle(equal)?))).collect();
        found.sort_unstable_by_key(|(islands, _)| *islands);
        found
    }
}

/// The nearest crossings of two islands, by the edges between which they lead.
struct EqualCrossings {
    least: f64,
    /// Over which length the islands lie along each other, metres.
    border: f64,
    edges: SmallVec<[[u32; 2]; 2]>,
}

impl Default for EqualCrossings {
    fn default() -> Self {
        Self { least: f64::INFINITY, border: 0.0, edges: SmallVec::new() }
    }
}

impl EqualCrossings {
    fn add(&mut self, crossing: &NearestCrossing, edges: [u32; 2]) {
        self.border += crossing.border;
        if crossing.cost < self.least - f64::from(EQUAL) {
            self.edges.clear();
            self.least = crossing.cost;
        }
        if crossing.cost < self.least + f64::from(EQUAL) && self.edges.len() < MAX_EQUAL {
            self.edges.push(edges);
        }
    }
}

/// Of equally near crossings that in the middle of the border.
fn middle_of(equal: &[NearestCrossing]) -> Option<NearestCrossing> {
    let place = |crossing: &NearestCrossing| (crossing.line[0] + crossing.line[1]) * 0.5;
    let center = equal.iter().map(place).sum::<DVec3>() / equal.len().max(1) as f64;
    let off = |crossing: &NearestCrossing| place(crossing).distance_squared(center);
    equal.iter().min_by(|a, b| off(a).total_cmp(&off(b))).copied()
}

/// The nearest places of two edges; of edges along each other those in the middle.
fn nearest_places([a, b]: [[Vec3; 2]; 2]) -> [Vec3; 2] {
    let (p, q) = plan::closest_of_segments((a[0], a[1]), (b[0], b[1]));
    let along = (a[1] - a[0]).with_y(0.0);
    let part = |point: Vec3| ((point - a[0]).dot(along) / along.length_squared().max(1e-12)).clamp(0.0, 1.0);
    let middle = a[0].lerp(a[1], 0.5 * (part(b[0]) + part(b[1])));
    let there = plan::closest_of_segments((middle, middle), (b[0], b[1])).1;
    let is_as_near = plan::distance(middle, there) <= plan::distance(p, q) + EQUAL
        && (there.y - middle.y).abs() <= (q.y - p.y).abs() + EQUAL;
    if is_as_near { [middle, there] } else { [p, q] }
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
    if run < NO_WALL * width {
        return format!(
            " In a mesh baked for a radius of {radius} m that is too near for a wall or a ledge between: a passage is \
             too narrow or too low there, or ground was left out."
        );
    }
    let room = (run - width).max(0.0);
    if room < 0.005 {
        return format!(
            " A mesh baked for a radius of {radius} m keeps that from walls and ledges: a thin wall or an edge may be there, \
             or ground was left out."
        );
    }
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
    let [told, limit] = slope_words([slope, f64::from(limits.slope_rad)]);
    format!(
        " In a mesh baked for a radius of {} m it can be a slope of {told}; an agent walks up to {limit}.",
        limits.mesh_radius
    )
}
