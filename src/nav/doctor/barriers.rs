//! What parts the ground of a level: steps, slopes, narrow passages, low ceilings and gaps, measured exactly.

use std::collections::{BTreeSet, VecDeque};

use glam::{DVec3, Vec3};

use super::far_ground;
use super::finding::{FaultKind, Finding, LoneGround, Mend, lone_ground};
use super::limits::AgentLimits;
use super::probe::LevelProbe;
use super::roofs::Storeys;
use super::span_graph::{Crossing, SpanGraph, SpanKind};
use super::watch::{DoctorError, DoctorStep, DoctorWatch};
use crate::math::disjoint_sets::DisjointSets;

/// Passages narrower than this part of the agent's width are cracks, and no finding.
const MIN_WIDTH: f32 = 0.25;
/// How far from the ends of a question ground is looked for, metres.
const REACH: f32 = 2.0;

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

/// What parts the ground of a level.
///
/// # Errors
/// See [`SpanGraph::build`].
pub(super) fn examine(
    triangles: &[[Vec3; 3]],
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<Vec<Finding>, DoctorError> {
    let mut graph = SpanGraph::build(triangles, limits, watch)?;
    let crossings = graph.crossings(limits.jump, watch)?;
    watch.begin(DoctorStep::Measures)?;
    let probe = LevelProbe::new(triangles);
    let mut joined = DisjointSets::new(graph.areas().len());
    let mut found = Vec::new();
    for crossing in &crossings {
        watch.check()?;
        let [a, b] = crossing.parts.map(|p| p as usize);
        if joined.root(a) == joined.root(b) {
            continue;
        }
        if let Some(finding) = barrier(&graph, &probe, crossing, limits) {
            joined.join(a, b);
            found.push((a, finding));
        }
    }
    let Some(parts) = JoinedParts::of(&graph, &mut joined) else { return Ok(Vec::new()) };
    // What parts roofs from roofs is no finding as long as nobody gets there.
    found.retain(|(part, _)| parts.walked.contains(&joined.root(*part)));
    Ok(found.into_iter().map(|(_, finding)| finding).chain(parts.rest()).collect())
}

/// Why an agent cannot walk from one place in a level to another.
///
/// # Errors
/// See [`examine_level`](super::examine_level).
pub fn why_no_path(triangles: &[[Vec3; 3]], limits: &AgentLimits, ends: [DVec3; 2]) -> Result<PathAnswer, DoctorError> {
    why_no_path_until(triangles, limits, ends, &DoctorWatch::default())
}

/// As [`why_no_path`], watched.
///
/// # Errors
/// As [`why_no_path`], or it was stopped.
pub fn why_no_path_until(
    triangles: &[[Vec3; 3]],
    limits: &AgentLimits,
    ends: [DVec3; 2],
    watch: &DoctorWatch<'_>,
) -> Result<PathAnswer, DoctorError> {
    let mut graph = SpanGraph::build(triangles, limits, watch)?;
    let crossings = graph.crossings(limits.jump, watch)?;
    watch.begin(DoctorStep::Measures)?;
    let probe = LevelProbe::new(triangles);
    let [start, goal] = ends.map(|end| graph.part_near(end.as_vec3(), REACH));
    let off = |end: usize| PathAnswer {
        barrier: Barrier::OffGround(end),
        text: format!("There is no ground with room for the agent within {REACH} m of the {}.", ["start", "goal"][end]),
    };
    let (Some(start), Some(goal)) = (start, goal) else { return Ok(off(usize::from(start.is_some()))) };
    if start == goal {
        return Ok(PathAnswer::joined());
    }
    let passage = |crossing: &Crossing| {
        let [a, b] = crossing.parts.map(|p| p as usize);
        let finding = barrier(&graph, &probe, crossing, limits)?;
        Some([[a, b], [b, a]].map(|parts| Passage { parts, finding: Some(finding.clone()) }))
    };
    let mut passages = Vec::new();
    for crossing in &crossings {
        watch.check()?;
        passages.extend(passage(crossing).into_iter().flatten());
    }
    let ends = [start as usize, goal as usize];
    if let Some(way) = fewest(&passages, graph.areas().len(), ends) {
        return Ok(PathAnswer::of(way));
    }
    let mut joined = DisjointSets::new(graph.areas().len());
    passages.iter().for_each(|passage| joined.join(passage.parts[0], passage.parts[1]));
    let far = "Nothing that the agent nearly could do leads from the start's part of the ground to the goal's.";
    Ok(match far_ground::between(&graph, &probe, &mut joined, ends, limits) {
        Some(finding) => {
            let text = format!("{far} Where they come nearest: {}", finding.cause);
            PathAnswer { barrier: Barrier::Findings(vec![finding]), text }
        }
        None => PathAnswer { barrier: Barrier::Far, text: far.into() },
    })
}

impl PathAnswer {
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
    /// The ways from each of these parts to each other, which one thing closes.
    pub fn among<'a>(parts: &'a BTreeSet<usize>, finding: &'a Finding) -> impl Iterator<Item = Self> + 'a {
        let pairs = parts.iter().flat_map(move |&from| parts.iter().map(move |&to| [from, to]));
        pairs.filter(|[from, to]| from != to).map(|parts| Self { parts, finding: Some(finding.clone()) })
    }
}

/// What has to be overcome from one part to another, as few things as possible: Dijkstra's search whose costs are 0 and 1.
pub(super) fn fewest(passages: &[Passage], parts: usize, [start, goal]: [usize; 2]) -> Option<Vec<Finding>> {
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); parts];
    for (i, passage) in passages.iter().enumerate() {
        leaving[passage.parts[0]].push(i);
    }
    let mut reached: Vec<Option<usize>> = vec![None; parts];
    let mut is_done = vec![false; parts];
    let mut queue = VecDeque::from([(start, None)]);
    while let Some((at, by)) = queue.pop_front() {
        if std::mem::replace(&mut is_done[at], true) {
            continue;
        }
        reached[at] = by;
        for &i in &leaving[at] {
            let next = (passages[i].parts[1], Some(i));
            if passages[i].finding.is_some() { queue.push_back(next) } else { queue.push_front(next) }
        }
    }
    let mut way = Vec::new();
    let mut at = goal;
    while at != start {
        let passage = &passages[reached[at]?];
        way.extend(passage.finding.clone());
        at = passage.parts[0];
    }
    way.reverse();
    Some(way)
}

/// The parts of the ground, each with all that crossings join to it.
struct JoinedParts {
    /// The largest that is no roof. Where no walls are around it, what lies over it may be ground as well.
    walked: Vec<usize>,
    /// The others but for the roofs of the largest.
    lone: Vec<LoneGround>,
}

impl JoinedParts {
    fn of(graph: &SpanGraph, joined: &mut DisjointSets) -> Option<Self> {
        let places = graph.places_of_parts();
        let mut areas = vec![0.0_f64; places.len()];
        for part in (0..places.len()).filter(|&p| places[p].is_finite()) {
            areas[joined.root(part)] += f64::from(graph.areas()[part]);
        }
        let storeys = Storeys::of(graph, joined);
        let main = storeys.main()?;
        let roofs = storeys.roofs_of(main);
        let lone = (0..areas.len()).filter(|&r| r != main && areas[r] > 0.0 && !roofs.contains(&r));
        let lone = lone.map(|r| LoneGround { place: places[r].as_dvec3(), area: areas[r] }).collect();
        let also = roofs.into_iter().filter(|_| !storeys.is_enclosed(main));
        Some(Self { walked: [main].into_iter().chain(also).collect(), lone })
    }

    fn rest(self) -> Option<Finding> {
        lone_ground(self.lone)
    }
}

/// What a crossing fails at; `None` for cracks and what cannot be measured.
fn barrier(graph: &SpanGraph, probe: &LevelProbe, crossing: &Crossing, limits: &AgentLimits) -> Option<Finding> {
    let spans = &crossing.spans;
    let (first, last) = (*spans.first()?, *spans.last()?);
    let line = [graph.place(first), graph.place(last)];
    let found = if crossing.is_gap {
        gap(line, limits)
    } else if let Some(pair) = spans.windows(2).find(|w| graph.is_high_step(w[0], w[1])) {
        step(graph, probe, spans, [pair[0], pair[1]], limits)
    } else if spans.iter().any(|&s| graph.kind(s) == SpanKind::Low) {
        ceiling(graph, probe, spans, limits)
    } else if spans.iter().any(|&s| graph.kind(s) == SpanKind::Steep) {
        slope(graph, probe, spans, limits)
    } else {
        door(graph, probe, spans, limits)
    }?;
    Some(found.along(line.map(|p| p.as_dvec3())))
}

fn gap(line: [Vec3; 2], limits: &AgentLimits) -> Option<Finding> {
    let width = (line[1] - line[0]).with_y(0.0).length();
    if width <= limits.jump && limits.has_links {
        return None;
    }
    let over = if width > limits.jump {
        format!("an agent jumps {:.2} m", limits.jump)
    } else {
        "no link leads over it, though an agent could jump that far".into()
    };
    let cause = format!("A gap of {width:.2} m parts the ground; {over}.");
    let remedy = "Place a link over it, or bridge it.".into();
    let place = ((line[0] + line[1]) * 0.5).as_dvec3();
    Some(
        Finding::new(FaultKind::GapTooWide, place, f64::from(width), [cause, remedy])
            .mended_by(Mend::jump(line, limits.radius)),
    )
}

/// The place of a span, exactly.
fn ground(graph: &SpanGraph, probe: &LevelProbe, span: u32) -> Vec3 {
    probe.ground(graph.place(span), graph.cell_size())
}

fn step(graph: &SpanGraph, probe: &LevelProbe, spans: &[u32], pair: [u32; 2], limits: &AgentLimits) -> Option<Finding> {
    // A cell away from the riser, where the cell holds one floor only.
    let at = |span: u32, away: isize| {
        let i = spans.iter().position(|&s| s == span).unwrap_or(0) as isize + away;
        ground(graph, probe, spans[i.clamp(0, spans.len() as isize - 1) as usize])
    };
    let [a, b] = [at(pair[0], -1), at(pair[1], 1)];
    let rise = (b.y - a.y).abs();
    let cause = format!("A step of {rise:.2} m parts the ground; an agent climbs {:.2} m.", limits.climb);
    let remedy = format!("Lower it or add a stair, place a link, or let agents climb {:.2} m.", round_up(rise));
    let place = ((a + b) * 0.5).as_dvec3();
    let finding = Finding::new(FaultKind::StepTooHigh, place, f64::from(rise), [cause, remedy]);
    Some(finding.along([a, b].map(|p| p.as_dvec3())).mended_by(Mend::Climb(round_up(rise))))
}

fn ceiling(graph: &SpanGraph, probe: &LevelProbe, spans: &[u32], limits: &AgentLimits) -> Option<Finding> {
    let low = spans.iter().filter(|&&s| graph.kind(s) == SpanKind::Low);
    let measured = low.filter_map(|&s| {
        let at = ground(graph, probe, s);
        probe.above(at, 0.05).map(|(y, _)| (y - at.y, at))
    });
    let (free, at) = measured.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let cause = format!("{free:.2} m are free under a ceiling; an agent is {:.2} m tall.", limits.height);
    let lower = (free * 20.0).floor() / 20.0;
    let remedy = format!("Raise the ceiling, or make agents {lower:.2} m tall.");
    let finding = Finding::new(FaultKind::CeilingTooLow, at.as_dvec3(), f64::from(free), [cause, remedy]);
    Some(finding.along([at, at + Vec3::Y * free].map(|p| p.as_dvec3())).mended_by(Mend::Height(lower)))
}

fn slope(graph: &SpanGraph, probe: &LevelProbe, spans: &[u32], limits: &AgentLimits) -> Option<Finding> {
    let reach = graph.cell_size() * 4.0 + 0.1;
    let steep = spans.iter().filter(|&&s| graph.kind(s) == SpanKind::Steep);
    let measured = steep.filter_map(|&s| {
        let place = graph.place(s);
        probe.surface(place, reach).map(|(y, slope)| (slope, place.with_y(y)))
    });
    let (slope, at) = measured.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let [degrees, limit] = [slope, limits.slope_rad].map(f32::to_degrees);
    let cause = format!("A slope of {degrees:.0}° parts the ground; an agent walks up to {limit:.0}°.");
    let remedy = format!("Make it flatter, add stairs, or let agents walk slopes of {:.0}°.", degrees.ceil());
    let finding = Finding::new(FaultKind::SlopeTooSteep, at.as_dvec3(), f64::from(degrees), [cause, remedy]);
    Some(finding.mended_by(Mend::Slope(degrees.ceil().to_radians())))
}

fn door(graph: &SpanGraph, probe: &LevelProbe, spans: &[u32], limits: &AgentLimits) -> Option<Finding> {
    // The ends lie on free ground.
    let inner = spans.get(1..spans.len() - 1).filter(|s| !s.is_empty()).unwrap_or(spans);
    let &narrowest = inner.iter().min_by_key(|&&s| graph.distance(s))?;
    let heights = [limits.climb + 0.05, limits.height * 0.5, limits.height * 0.95];
    let measured = inner.iter().filter(|&&s| graph.distance(s) <= graph.distance(narrowest) + 2).map(|&s| {
        let at = ground(graph, probe, s);
        (probe.width(at, heights, 2.0 * limits.radius, limits.climb), at)
    });
    let (width, at) = measured.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let needed = 2.0 * limits.radius;
    // Wide enough where it is measured: cells alone make it narrow, and the bake of such cells would, too.
    if width < MIN_WIDTH * needed || width >= needed {
        return None;
    }
    let narrow = ((width * 0.5 - 0.005) * 100.0).floor() / 100.0;
    let cause = format!("A passage is {width:.2} m wide; an agent needs {needed:.2} m.");
    let remedy = format!("Widen it, or make agents {:.2} m wide.", 2.0 * narrow);
    let finding = Finding::new(FaultKind::DoorTooThin, at.as_dvec3(), f64::from(width), [cause, remedy]);
    Some(finding.mended_by(Mend::Radius(narrow)))
}

/// The next multiple of five centimetres, with a little room.
fn round_up(metres: f32) -> f32 {
    ((metres + 0.005) * 20.0).ceil() / 20.0
}
