//! What a crossing between two parts of a level's ground fails at, measured on the triangles: steps, slopes, narrow
//! passages, low ceilings and gaps.

use glam::Vec3;

use super::finding::{FaultKind, Finding, Mend, length_words, slope_words};
use super::ground_gap::nearest_ground;
use super::limits::AgentLimits;
use super::necks::NeckMeasure;
use super::probe::LevelProbe;
use super::span_graph::{Crossing, NEARLY, STEEPEST, SpanGraph, SpanKind};

/// Passages narrower than this part of the agent's width are cracks, and no finding.
const MIN_WIDTH: f32 = 0.25;
/// What is beyond a limit by no more than this is within it, metres and radians.
const TOLERANCE: f32 = 1e-3;
/// Widths that differ by no more are the same, metres.
const WIDTH_TOLERANCE: f32 = 5e-3;
/// Steps in which a brink is looked for, metres, and as a part of the way to it: in large levels cells are long.
const BRINK_STEP: f32 = 0.001;
const BRINK_PART: f32 = 1e-4;
/// Half the side of what is measured of a cell, in cells.
const CELL_HALF_WIDTH: f32 = 0.52;
/// By how much cells make room aslant larger, as a factor, and how many of them it is off.
const ASLANT: f32 = 1.1;
const ROOM_ERROR: f32 = 2.5;
/// How many of the narrowest spans of a way are measured, and about as many of the others.
const MAX_MEASURED: usize = 24;
/// Smallest cells that a change of settings asks for, metres.
const MIN_CELL: f32 = 0.02;
/// Smallest radius that it asks for, metres.
const MIN_RADIUS: f32 = 0.01;

/// What a crossing is to the agent.
#[derive(Clone, Debug)]
pub(super) enum MeasuredCrossing {
    /// Cells alone make it look closed.
    Open,
    /// This keeps the agent from it, the first of so many faults.
    Closed { finding: Box<Finding>, faults: usize },
    /// Too narrow to be taken for a passage, and what it is, or not measured.
    Crack(Option<Box<Finding>>),
}

impl MeasuredCrossing {
    fn closed(finding: Finding) -> Self {
        Self::Closed { finding: Box::new(finding), faults: 1 }
    }
}

/// A level as spans, with its triangles to measure on.
pub(super) struct MeasuredLevel<'a> {
    pub graph: SpanGraph,
    pub probe: LevelProbe<'a>,
    pub limits: &'a AgentLimits,
}

impl<'a> MeasuredLevel<'a> {
    pub fn new(graph: SpanGraph, triangles: &'a [[Vec3; 3]], limits: &'a AgentLimits) -> Self {
        Self { graph, probe: LevelProbe::new(triangles), limits }
    }

    /// What a crossing is to the agent.
    pub fn measure(&self, crossing: &Crossing) -> MeasuredCrossing {
        let spans = &crossing.spans;
        let (Some(&first), Some(&last)) = (spans.first(), spans.last()) else { return MeasuredCrossing::Crack(None) };
        if crossing.is_gap {
            return self.gap(spans);
        }
        // Onto the side of a slope that is too steep there is a step beside it: the slope is what matters.
        let steps = |of_slopes: bool| self.step(spans, of_slopes);
        let found = [steps(false), self.ceiling(spans), self.slope(spans).or_else(|| steps(true))];
        let faults = found.iter().flatten().count();
        let measured = match found.into_iter().flatten().next() {
            Some(finding) => MeasuredCrossing::Closed { finding: Box::new(finding), faults },
            None => self.door(spans),
        };
        match measured {
            MeasuredCrossing::Closed { finding, faults } => {
                let line = [first, last].map(|span| self.graph.place(span).as_dvec3());
                let finding = Finding { crossings: vec![line], ..finding.along(line) };
                MeasuredCrossing::Closed { finding: Box::new(finding), faults }
            }
            other => other,
        }
    }

    /// A link between the parts of the ground to which these spans belong, its ends on ground with room around.
    pub fn link(&self, spans: [u32; 2]) -> Mend {
        let room = self.limits.radius + self.limits.cells.map_or(0.5 * self.limits.radius, |[edge, _]| 1.5 * edge);
        let ends = spans.map(|span| self.ground(self.graph.inner_ground(span, room)));
        Mend::link(ends, self.limits.radius)
    }

    /// The place of a span, exactly.
    pub fn ground(&self, span: u32) -> Vec3 {
        self.probe.ground(self.graph.place(span), self.graph.cell_size())
    }

    /// A place on the ground in the cell of a span, its middle unless that lies beside a brink, and its slope, radians.
    fn surface_in(&self, span: u32) -> Option<(Vec3, f32)> {
        let (place, cell) = (self.graph.place(span), self.graph.cell_size());
        let around = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
        let places = around.map(|(x, z)| place + Vec3::new(x as f32, 0.0, z as f32) * 0.45 * cell);
        let reach = cell * 4.0 + 0.1;
        let exact = places.into_iter().find_map(|at| {
            let (y, slope) = self.probe.surface(at, reach)?;
            Some((at.with_y(y), slope))
        });
        // What reaches into the cell by less than that.
        exact.or_else(|| self.probe.surface_over(place, 0.5 * cell, reach))
    }

    /// That place, or the middle of the span where there is none.
    fn ground_in(&self, span: u32) -> Vec3 {
        self.surface_in(span).map_or(self.graph.place(span), |(place, _)| place)
    }

    /// How far the ground at a place goes on towards another, metres; less than nothing where it ends before.
    pub fn brink(&self, from: Vec3, to: Vec3) -> f32 {
        let direction = (to - from).with_y(0.0).normalize_or_zero();
        let run = (to - from).with_y(0.0).length();
        let at = |along: f32| from + direction * along;
        let (mut along, mut end) = (-self.graph.cell_size(), -self.graph.cell_size());
        let step = BRINK_STEP.max(BRINK_PART * (run + self.graph.cell_size()));
        // Over slits, but not into the one that it ends at.
        while along + step < run && self.probe.covered(at(along + step), self.limits.climb).is_some() {
            along += step;
            if self.probe.surface(at(along), self.limits.climb).is_some() {
                end = along;
            }
        }
        end
    }

    /// How high triangles reach over the cell of a span, whatever their slope.
    fn top(&self, span: u32) -> f32 {
        let place = self.graph.place(span);
        // A little more: what stands at the side of a cell belongs to one of them.
        self.probe.top(place, CELL_HALF_WIDTH * self.graph.cell_size()).map_or(place.y, |top| top.min(place.y))
    }

    /// How wide the gap is that two pieces of ground lie along, metres, and the nearest two places of theirs.
    pub fn gap_between(&self, ends: [Vec3; 2]) -> (f32, [Vec3; 2]) {
        let [from, to] = ends;
        let run = (to - from).with_y(0.0).length();
        let along = (run - self.brink(from, to) - self.brink(to, from)).max(0.0);
        let exact = nearest_ground(&self.probe, ends, self.limits.climb, self.limits.slope_rad);
        let exact = exact.map(|line| ((line[1] - line[0]).with_y(0.0).length(), line));
        exact.filter(|(width, _)| *width <= along).unwrap_or((along, ends))
    }

    /// The gap at pairs of brinks: at the last of them, unless it is narrower at another.
    fn gap(&self, spans: &[u32]) -> MeasuredCrossing {
        let limits = self.limits;
        let measured = spans.as_chunks::<2>().0.iter().map(|&pair| {
            let (width, line) = self.gap_between(pair.map(|span| self.ground(span)));
            (width, line, pair)
        });
        let Some((width, [from, to], pair)) = measured.reduce(|a, b| if a.0 < b.0 - WIDTH_TOLERANCE { a } else { b })
        else {
            return MeasuredCrossing::Crack(None);
        };
        if width <= limits.jump && limits.has_links {
            return MeasuredCrossing::Open;
        }
        if width > NEARLY * limits.jump + TOLERANCE {
            return MeasuredCrossing::Crack(None);
        }
        let [told, jump] = length_words([width, limits.jump]);
        let over = if width > limits.jump {
            format!("an agent jumps {jump}")
        } else {
            "no link leads over it, though an agent could jump that far".into()
        };
        let cause = format!("A gap of {told} parts the ground; {over}.");
        let remedy = "Place a link over it, or bridge it.".into();
        let place = ((from + to) * 0.5).as_dvec3();
        let finding = Finding::new(FaultKind::GapTooWide, place, f64::from(width), [cause, remedy]);
        let line = pair.map(|span| self.graph.place(span).as_dvec3());
        MeasuredCrossing::closed(finding.along([from, to].map(|p| p.as_dvec3())).along(line).mended_by(self.link(pair)))
    }

    /// The highest step of a crossing that is too high, of those to or from slopes that are too steep or of the others.
    fn step(&self, spans: &[u32], of_slopes: bool) -> Option<Finding> {
        let limits = self.limits;
        let pairs = (1..spans.len())
            .filter(|&i| self.graph.is_high_step(spans[i - 1], spans[i]))
            // Beside the edge of a slope cells hold both, it and what is beside it.
            .filter(|&i| {
                let around = &spans[i.saturating_sub(2)..(i + 2).min(spans.len())];
                around.iter().any(|&span| self.is_steep(span)) == of_slopes
            });
        let measured = pairs.map(|i| {
            // A cell away from the riser, where the cell holds one floor only.
            let [a, b] = [self.ground(spans[i.saturating_sub(2)]), self.ground(spans[(i + 1).min(spans.len() - 1)])];
            let rise = (b.y - a.y).abs();
            if rise > limits.climb + TOLERANCE {
                return (rise, [a, b]);
            }
            // Something thin stands there.
            let [low, high] = if self.graph.place(spans[i - 1]).y < self.graph.place(spans[i]).y {
                [a, self.graph.place(spans[i])]
            } else {
                [b, self.graph.place(spans[i - 1])]
            };
            let high = high.with_y(self.top(if high == self.graph.place(spans[i]) { spans[i] } else { spans[i - 1] }));
            (high.y - low.y, [low, high])
        });
        let too_high = measured.filter(|(rise, _)| *rise > limits.climb + TOLERANCE);
        let (rise, line) = too_high.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(self.step_finding(rise, line))
    }

    /// Whether the ground of a span is steeper than the agent walks: beside lower ground cells do not tell it.
    fn is_steep(&self, span: u32) -> bool {
        // What is steeper than any slope that may part two parts is a wall.
        let slope = || self.surface_in(span).map_or(0.0, |(_, slope)| if slope > STEEPEST { 0.0 } else { slope });
        self.graph.kind(span) == SpanKind::Steep || slope() > self.limits.slope_rad + TOLERANCE
    }

    /// A step of this height, from the one of these places to the other.
    fn step_finding(&self, rise: f32, line: [Vec3; 2]) -> Finding {
        let climb = round_up(rise);
        let [told, limit] = length_words([rise, self.limits.climb]);
        let cause = format!("A step of {told} parts the ground; an agent climbs {limit}.");
        let place = ((line[0] + line[1]) * 0.5).as_dvec3();
        let finding = Finding::new(FaultKind::StepTooHigh, place, f64::from(rise), [cause, String::new()]);
        finding.along(line.map(|p| p.as_dvec3())).mended_by_agents(Some(Mend::Climb(climb)))
    }

    /// The lowest ceiling of a crossing that is too low.
    fn ceiling(&self, spans: &[u32]) -> Option<Finding> {
        let limits = self.limits;
        let low = spans.iter().filter(|&&s| self.graph.kind(s) == SpanKind::Low);
        let measured = low.filter_map(|&s| {
            let at = self.ground(s);
            let over =
                self.probe.above(at, 0.05).map(|(y, _)| y - at.y).filter(|free| *free < limits.height - TOLERANCE);
            // Beside the middle of the cell, where the ceiling is thin.
            let half = CELL_HALF_WIDTH * self.graph.cell_size();
            let free = over.or_else(|| Some(self.probe.lowest_over(at, half, 0.05 + limits.climb)? - at.y))?;
            (free < limits.height - TOLERANCE).then_some((free, at))
        });
        let (free, at) = measured.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let [told, limit] = length_words([free, limits.height]);
        let cause = format!("{told} are free under a ceiling; an agent is {limit} tall.");
        // The free height that cells leave of it.
        let seen = limits.cells.map_or(free, |[_, height]| ((free / height + TOLERANCE).floor() - 1.0) * height);
        let lower = (seen.min(free) * 20.0 + TOLERANCE).floor() / 20.0;
        let mend = (lower > limits.climb + TOLERANCE).then_some(Mend::Height(lower));
        let finding = Finding::new(FaultKind::CeilingTooLow, at.as_dvec3(), f64::from(free), [cause, String::new()]);
        Some(finding.along([at, at + Vec3::Y * free].map(|p| p.as_dvec3())).mended_by_agents(mend))
    }

    /// The steepest slope of a crossing that is too steep.
    fn slope(&self, spans: &[u32]) -> Option<Finding> {
        let limits = self.limits;
        let steep = spans.iter().filter(|&&s| self.is_steep(s));
        let measured = steep.filter_map(|&s| self.surface_in(s).map(|(at, slope)| (slope, at)));
        let too_steep = measured.filter(|(slope, _)| *slope > limits.slope_rad + TOLERANCE && *slope <= STEEPEST);
        let (slope, at) = too_steep.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let degrees = slope.to_degrees();
        let [told, limit] = slope_words([slope, limits.slope_rad].map(f64::from));
        let cause = format!("A slope of {told} parts the ground; an agent walks up to {limit}.");
        let steeper = degrees.ceil().to_radians();
        // From the cell before to the one behind, the ground must not rise by more than a step.
        let cell = limits.cells.and_then(|[edge, height]| {
            let fits = hundredths(0.5 * (limits.climb - 2.0 * height) / steeper.min(STEEPEST).tan());
            (fits < edge).then_some(fits.max(MIN_CELL))
        });
        let finding = Finding::new(FaultKind::SlopeTooSteep, at.as_dvec3(), f64::from(degrees), [cause, String::new()]);
        let mend = Mend::all([Mend::Slope(steeper)].into_iter().chain(cell.map(Mend::CellSize)));
        Some(finding.mended_by_agents(mend))
    }

    /// The narrowest place of a crossing.
    fn door(&self, spans: &[u32]) -> MeasuredCrossing {
        let limits = self.limits;
        // The ends lie on free ground.
        let inner = spans.get(1..spans.len() - 1).filter(|s| !s.is_empty()).unwrap_or(spans);
        let needed = 2.0 * limits.radius;
        let necks = NeckMeasure::new(&self.probe, limits);
        let measured = self.narrow_spans(inner).into_iter().map(|span| {
            let at = self.ground_in(span);
            (necks.width(at), at)
        });
        let Some((width, at)) = measured.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return MeasuredCrossing::Crack(None);
        };
        if width >= needed - TOLERANCE {
            return MeasuredCrossing::Open;
        }
        let [told, limit] = length_words([width, needed]);
        let cause = format!("A passage is {told} wide; an agent needs {limit}.");
        let finding = Finding::new(FaultKind::DoorTooThin, at.as_dvec3(), f64::from(width), [cause, String::new()]);
        if width < MIN_WIDTH * needed {
            return MeasuredCrossing::Crack(Some(Box::new(finding.mended_by_agents(None))));
        }
        let mend = narrower(width, limits)
            .and_then(|(narrow, cell)| Mend::all([Mend::Radius(narrow)].into_iter().chain(cell.map(Mend::CellSize))));
        MeasuredCrossing::closed(finding.mended_by_agents(mend))
    }

    /// The spans of a way that are worth to be measured: those nearest to walls and brinks in cells, those with the least room between
    /// such, which tell narrow places by a few cells, and some of all others.
    fn narrow_spans(&self, spans: &[u32]) -> Vec<u32> {
        let (graph, cell) = (&self.graph, self.graph.cell_size());
        let nearest = spans.iter().map(|&span| graph.distance(span)).min().unwrap_or(0);
        let mut found: Vec<u32> = spans.iter().copied().filter(|&span| graph.distance(span) <= nearest + 2).collect();
        let rooms = spans.iter().map(|&span| (graph.chord(span, 2.0 * self.limits.radius), span));
        // Beside the ground there is no room at all.
        let mut rooms: Vec<(f32, u32)> = rooms.filter(|(room, _)| *room > 0.5 * cell).collect();
        rooms.sort_by(|a, b| a.0.total_cmp(&b.0));
        let least = rooms.first().map_or(0.0, |first| first.0);
        rooms.retain(|(room, _)| *room <= least * ASLANT + ROOM_ERROR * cell);
        found.extend(rooms.iter().take(MAX_MEASURED).map(|(_, span)| span));
        found.extend(spans.iter().step_by(1 + spans.len() / MAX_MEASURED));
        found.sort_unstable();
        found.dedup();
        // Long corridors are as narrow at many places.
        let stride = 1 + found.len() / (4 * MAX_MEASURED);
        found.into_iter().step_by(stride).collect()
    }
}

/// The radius of agents that get through a passage, metres, and the edge of the cells in which a bake sees that, where
/// its own are too large. Of its width, two cells may be lost at the sides, and as many as the radius takes on both. None where
/// that would be less than a centimetre.
fn narrower(width: f32, limits: &AgentLimits) -> Option<(f32, Option<f32>)> {
    let fits = |edge: f32| ((width / edge + TOLERANCE).floor() - 2.0) * 0.5;
    let (radius, cell) = match limits.cells {
        None => return radius_through(width).map(|radius| (radius, None)),
        Some([edge, _]) => {
            let (cell, new) = if fits(edge) >= 1.0 { (edge, None) } else { smallest_cells(width) };
            // A little less, so that rounding up to cells stays below.
            (hundredths(fits(cell).floor() * cell - TOLERANCE), new)
        }
    };
    (radius >= MIN_RADIUS - TOLERANCE).then_some((radius, cell))
}

/// The radius of agents that get through a passage in a mesh without cells, metres.
pub(super) fn radius_through(width: f32) -> Option<f32> {
    Some(hundredths(width * 0.5 - 0.005)).filter(|radius| *radius >= MIN_RADIUS - TOLERANCE)
}

/// Cells of which a passage is eight wide.
fn smallest_cells(width: f32) -> (f32, Option<f32>) {
    let cell = hundredths(width / 8.0).max(MIN_CELL);
    (cell, Some(cell))
}

/// Rounded down to centimetres.
fn hundredths(metres: f32) -> f32 {
    (metres * 100.0 + TOLERANCE).floor() / 100.0
}

/// The next multiple of five centimetres, with a little room.
fn round_up(metres: f32) -> f32 {
    ((metres + 0.005) * 20.0).ceil() / 20.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::bake::BakeSettings;

    #[test]
    fn what_is_too_narrow_for_any_agent_has_no_mend() {
        let limits = |edge| AgentLimits { cells: Some([edge, 0.02]), ..AgentLimits::from(&BakeSettings::default()) };
        assert_eq!(narrower(0.07, &limits(0.3)), None, "three of the smallest cells, and two are lost at the sides");
        assert_eq!(narrower(0.015, &AgentLimits { cells: None, ..limits(0.3) }), None);
        let (radius, cell) = narrower(0.8, &limits(0.3)).unwrap();
        assert!((0.2..0.4).contains(&radius) && cell == Some(0.1), "{radius} {cell:?}");
        assert_eq!(narrower(0.8, &limits(0.1)), Some((0.29, None)));
    }
}
