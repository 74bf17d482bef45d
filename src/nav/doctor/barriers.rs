//! What parts the ground of a level, and why there is no path over it.

use std::collections::{BTreeSet, VecDeque};

use glam::{DVec3, Vec3};

use super::alike::{PartFinding, gathered};
use super::far_ground;
use super::finding::{FaultKind, Finding, LoneGround, lone_ground};
use super::limits::AgentLimits;
use super::measures::{MeasuredCrossing, MeasuredLevel};
use super::no_ground;
use super::roofs::Storeys;
use super::span_graph::{SpanGraph, least_area};
use super::watch::{DoctorError, DoctorStep, DoctorWatch};
use super::welded::Welded;
use crate::math::disjoint_sets::DisjointSets;
use crate::nav::mesh::off_mesh::PlacedLink;

/// How far from the ends of a question ground is looked for, metres.
const REACH: f32 = 2.0;
/// Ground that is as large as furniture, in areas of the least ground.
const SMALL_PARTS: f32 = 4.0;

/// What parts two places.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub enum Barrier {
    /// There is a way.
    None,
    /// Nothing to stand on near the start (0) or the goal (1).
    OffGround(usize),
    /// These have to be overcome, in this order from the start.
    Findings(Vec<Finding>),
    /// Nothing that the agent nearly can do leads there, and nothing can be measured where they come nearest.
    Far,
}

/// Why there is no path.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct PathAnswer {
    /// What is between the places.
    pub barrier: Barrier,
    /// The answer in a sentence.
    pub text: String,
}

/// What parts the ground of a level, over which `links` lead.
///
/// # Errors
/// See [`SpanGraph::build`].
pub(super) fn examine(
    triangles: &[[Vec3; 3]],
    links: &[PlacedLink],
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<Vec<Finding>, DoctorError> {
    let mut graph = SpanGraph::build(triangles, limits, watch)?;
    let crossings = graph.crossings(limits.jump, watch)?;
    watch.begin(DoctorStep::Measures)?;
    let level = MeasuredLevel::new(graph, triangles, limits);
    let mut joined = DisjointSets::new(level.graph.areas().len());
    linked_parts(&level.graph, links).for_each(|(_, [a, b])| joined.join(a, b));
    let (mut closed, mut cracks) = (Vec::new(), Vec::new());
    for crossing in &crossings {
        watch.check()?;
        let [a, b] = crossing.parts.map(|p| p as usize);
        if joined.root(a) != joined.root(b) {
            match level.measure(crossing) {
                MeasuredCrossing::Open => joined.join(a, b),
                MeasuredCrossing::Closed { finding, faults } => closed.push((faults, [a, b], *finding)),
                MeasuredCrossing::Crack(crack) => cracks.extend(crack.map(|crack| ([a, b], *crack))),
            }
        }
    }
    let mut areas = vec![0.0; level.graph.areas().len()];
    for (part, area) in level.graph.areas().iter().enumerate() {
        areas[joined.root(part)] += area;
    }
    let small = SMALL_PARTS * least_area(limits);
    let mut found = Vec::new();
    // Where one thing alone is between two parts, that is what parts them.
    closed.sort_by_key(|(faults, ..)| *faults);
    for (_, [a, b], finding) in closed {
        let roots = [a, b].map(|part| joined.root(part));
        if roots[0] != roots[1] {
            let [own, other] = roots.map(|root| areas[root]);
            joined.join(a, b);
            areas[joined.root(a)] = own + other;
            found.push((a, PartFinding { finding, is_small: own.min(other) <= small }));
        }
    }
    let Some(parts) = JoinedParts::of(&level, &mut joined) else {
        return Ok(no_ground::finding(triangles, limits).into_iter().collect());
    };
    // What parts roofs from roofs is no finding as long as no agent gets there.
    found.retain(|(part, _)| parts.walked.contains(&joined.root(*part)));
    let rest = parts.rest(&level, &mut joined, &cracks);
    Ok(gathered(found.into_iter().map(|(_, finding)| finding).collect()).into_iter().chain(rest).collect())
}

/// The links that lead from ground to ground, by their numbers, and the parts that they join.
fn linked_parts<'a>(graph: &'a SpanGraph, links: &'a [PlacedLink]) -> impl Iterator<Item = (usize, [usize; 2])> + 'a {
    links.iter().enumerate().filter_map(|(number, link)| {
        let part = |end: DVec3| graph.part_near(end.as_vec3(), link.reach.clamp(0.0, REACH) + 2.0 * graph.cell_size());
        Some((number, [part(link.start)? as usize, part(link.end)? as usize]))
    })
}

/// Why an agent cannot walk from one place in a level to another.
///
/// # Errors
/// See [`examine_level`](super::examine_level).
pub fn why_no_path(triangles: &[[Vec3; 3]], limits: &AgentLimits, ends: [DVec3; 2]) -> Result<PathAnswer, DoctorError> {
    why_no_path_until(triangles, &[], limits, ends, &DoctorWatch::default())
}

/// As [`why_no_path`], watched, in a level over which links lead.
///
/// # Errors
/// As [`why_no_path`], or it was stopped.
pub fn why_no_path_until(
    triangles: &[[Vec3; 3]],
    links: &[PlacedLink],
    limits: &AgentLimits,
    ends: [DVec3; 2],
    watch: &DoctorWatch<'_>,
) -> Result<PathAnswer, DoctorError> {
    if let Some(inside_out) = no_ground::inside_out(&Welded::new(triangles, watch)?, limits) {
        return Ok(PathAnswer::of(vec![inside_out]));
    }
    let mut graph = SpanGraph::build(triangles, limits, watch)?;
    let crossings = graph.crossings(limits.jump, watch)?;
    watch.begin(DoctorStep::Measures)?;
    let level = MeasuredLevel::new(graph, triangles, limits);
    let [start, goal] = ends.map(|end| level.graph.part_near(end.as_vec3(), REACH));
    let (Some(start), Some(goal)) = (start, goal) else {
        let is_bare = !level.graph.places_of_parts().iter().any(|place| place.is_finite());
        let none = is_bare.then(|| no_ground::finding(triangles, limits)).flatten();
        return Ok(PathAnswer::off_ground(usize::from(start.is_some()), none));
    };
    if start == goal {
        return Ok(PathAnswer::joined());
    }
    let (mut passages, mut cracks) = (Vec::new(), Vec::new());
    for (number, parts) in linked_parts(&level.graph, links) {
        passages.extend(Passage::over_link(number, &links[number], parts));
    }
    for crossing in &crossings {
        watch.check()?;
        let [a, b] = crossing.parts.map(|p| p as usize);
        let both = |finding: Option<Finding>| [[a, b], [b, a]].map(|parts| Passage { parts, finding: finding.clone() });
        match level.measure(crossing) {
            MeasuredCrossing::Open => passages.extend(both(None)),
            MeasuredCrossing::Closed { finding, .. } => passages.extend(both(Some(*finding))),
            MeasuredCrossing::Crack(crack) => cracks.extend(crack.into_iter().flat_map(|crack| both(Some(*crack)))),
        }
    }
    let ends = [start as usize, goal as usize];
    let count = level.graph.areas().len();
    if let Some(way) = fewest(&passages, count, ends) {
        return Ok(PathAnswer::of(way));
    }
    let mut joined = DisjointSets::new(count);
    passages.iter().for_each(|passage| joined.join(passage.parts[0], passage.parts[1]));
    passages.extend(cracks);
    if let Some(way) = fewest(&passages, count, ends) {
        return Ok(PathAnswer::of(way));
    }
    let far = "Nothing that the agent nearly could do leads from the start's part of the ground to the goal's.";
    Ok(match far_ground::between(&level, &mut joined, ends, "The goal's ground") {
        Some(finding) => {
            let text = format!("{far} Where they come nearest: {}", finding.cause);
            PathAnswer { barrier: Barrier::Findings(vec![finding]), text }
        }
        None => PathAnswer { barrier: Barrier::Far, text: far.into() },
    })
}

impl PathAnswer {
    /// There is no ground at the start (0) or the goal (1); `none` says why there is none anywhere.
    fn off_ground(end: usize, none: Option<Finding>) -> Self {
        let which = ["start", "goal"][end];
        let mut text = format!("There is no ground with room for the agent within {REACH} m of the {which}.");
        if let Some(none) = none {
            text = format!("{text} {}", none.cause);
        }
        Self { barrier: Barrier::OffGround(end), text }
    }

    /// Both places lie on ground that is joined.
    pub(super) fn joined() -> Self {
        let text = "There is a way: both places are on the same part of the ground.".into();
        Self { barrier: Barrier::None, text }
    }

    /// These are between, from the start on; with none of them there is a way.
    pub(super) fn of(findings: Vec<Finding>) -> Self {
        let text = match &findings[..] {
            [] => return Self::joined(),
            [only] => only.cause.clone(),
            [first, ..] => format!("{} things are between, the first: {}", findings.len(), first.cause),
        };
        Self { barrier: Barrier::Findings(findings), text }
    }
}

/// A way from one part of the ground to another.
pub(super) struct Passage {
    /// The parts, in the direction in which it leads.
    pub parts: [usize; 2],
    /// What keeps agents from it; links lead over for nothing.
    pub finding: Option<Finding>,
}

impl Passage {
    /// The ways that a link opens between these parts, and the one that it does not.
    pub fn over_link(number: usize, link: &PlacedLink, [a, b]: [usize; 2]) -> [Self; 2] {
        let one_way = || {
            let cause = format!("Link {number} leads the other way only.");
            let remedy = "Let it lead both ways, or place another one.".into();
            let size = (link.end - link.start).length();
            let finding = Finding::new(FaultKind::UnreachableIsland, link.end, size, [cause, remedy]);
            finding.along([link.start, link.end])
        };
        let back = (!link.both_ways).then(one_way);
        [Self { parts: [a, b], finding: None }, Self { parts: [b, a], finding: back }]
    }

    /// The ways from each of these parts to each other, which one thing closes.
    pub fn among<'a>(parts: &'a BTreeSet<usize>, finding: &'a Finding) -> impl Iterator<Item = Self> + 'a {
        let pairs = parts.iter().flat_map(move |&from| parts.iter().map(move |&to| [from, to]));
        pairs.filter(|[from, to]| from != to).map(|parts| Self { parts, finding: Some(finding.clone()) })
    }
}

/// What has to be overcome from one part to another, as few things as possible.
pub(super) fn fewest(passages: &[Passage], parts: usize, ends: [usize; 2]) -> Option<Vec<Finding>> {
    let mut leaving: Vec<Vec<WayOut<usize>>> = (0..parts).map(|_| Vec::new()).collect();
    for (way, passage) in passages.iter().enumerate() {
        leaving[passage.parts[0]].push(WayOut { to: passage.parts[1], is_free: passage.finding.is_none(), way });
    }
    let way = fewest_ways(parts, ends, |at, _| std::mem::take(&mut leaving[at]))?;
    Some(way.into_iter().filter_map(|i| passages[i].finding.clone()).collect())
}

/// A way that leads out of a part.
pub(super) struct WayOut<W> {
    /// The part to which it leads.
    pub to: usize,
    /// Whether nothing keeps agents from it.
    pub is_free: bool,
    /// What it is.
    pub way: W,
}

/// The ways over which one comes from one part to another with as few that are not free as possible: Dijkstra's search whose costs
/// are 0 and 1. `leaving` is asked once for the ways out of each part that is reached, and told whether one that is not free would
/// be of use to another part.
pub(super) fn fewest_ways<W>(
    parts: usize,
    [start, goal]: [usize; 2],
    mut leaving: impl FnMut(usize, &dyn Fn(usize) -> bool) -> Vec<WayOut<W>>,
) -> Option<Vec<W>> {
    let mut reached: Vec<Option<(usize, W)>> = (0..parts).map(|_| None).collect();
    let (mut cost, mut is_done) = (vec![u32::MAX; parts], vec![false; parts]);
    let mut queue = VecDeque::from([start]);
    cost[start] = 0;
    while let Some(at) = queue.pop_front() {
        if at == goal {
            break;
        }
        if std::mem::replace(&mut is_done[at], true) {
            continue;
        }
        let own = cost[at];
        let ways = leaving(at, &|next| cost[next] > own + 1);
        for WayOut { to, is_free, way } in ways {
            let sum = own + u32::from(!is_free);
            if sum < cost[to] {
                (cost[to], reached[to]) = (sum, Some((at, way)));
                if is_free { queue.push_front(to) } else { queue.push_back(to) }
            }
        }
    }
    let mut found = Vec::new();
    let mut at = goal;
    while at != start {
        let (before, way) = reached[at].take()?;
        found.push(way);
        at = before;
    }
    found.reverse();
    Some(found)
}

/// The parts of the ground, each with all that crossings join to it.
struct JoinedParts {
    /// The largest that is no roof. Where no walls are around it, what lies over it may be ground as well.
    walked: Vec<usize>,
    /// The others but for the roofs of the largest.
    lone: Vec<LoneGround>,
    /// The part of the largest of those.
    largest: Option<usize>,
}

impl JoinedParts {
    fn of(level: &MeasuredLevel<'_>, joined: &mut DisjointSets) -> Option<Self> {
        let graph = &level.graph;
        let places = graph.places_of_parts();
        let mut areas = vec![0.0_f64; places.len()];
        for part in (0..places.len()).filter(|&p| places[p].is_finite()) {
            areas[joined.root(part)] += f64::from(graph.areas()[part]);
        }
        let storeys = Storeys::of(graph, joined);
        let main = storeys.main()?;
        let roofs = storeys.bare_roofs_of(main, level, joined);
        let lone: Vec<usize> =
            (0..areas.len()).filter(|&r| r != main && areas[r] > 0.0 && !roofs.contains(&r)).collect();
        let largest = lone.iter().copied().max_by(|&a, &b| areas[a].total_cmp(&areas[b]));
        let lone = lone.into_iter().map(|r| LoneGround { place: places[r].as_dvec3(), area: areas[r] }).collect();
        let also = roofs.into_iter().filter(|_| !storeys.is_enclosed(main));
        Some(Self { walked: [main].into_iter().chain(also).collect(), lone, largest })
    }

    /// One finding for all ground that nothing leads to, and what parts the largest of it from the rest. `cracks` are ways between
    /// parts that are too narrow to be passages.
    fn rest(
        self,
        level: &MeasuredLevel<'_>,
        joined: &mut DisjointSets,
        cracks: &[([usize; 2], Finding)],
    ) -> Option<Finding> {
        let between = self.largest.and_then(|largest| {
            let ends = [self.walked[0], largest].map(|part| joined.root(part));
            let own = cracks.iter().filter(|(parts, _)| {
                let roots = parts.map(|part| joined.root(part));
                roots == ends || roots == [ends[1], ends[0]]
            });
            let widest = own.max_by(|a, b| a.1.size.total_cmp(&b.1.size)).map(|(_, crack)| crack.clone());
            widest.or_else(|| far_ground::between(level, joined, ends, "That ground"))
        });
        lone_ground(self.lone, between.map(|finding| finding.cause))
    }
}
