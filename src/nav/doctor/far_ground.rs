//! What is between parts of a level's ground that nothing an agent nearly could do joins, where they come nearest.

use std::collections::BTreeMap;

use glam::Vec3;

use super::finding::{FaultKind, Finding, length_words, slope_words};
use super::limits::AgentLimits;
use super::measures::MeasuredLevel;
use super::necks::NeckMeasure;
use super::probe::LevelProbe;
use crate::math::disjoint_sets::DisjointSets;

/// Into how many boxes each side of the ground is laid at most, along x and z.
const BOXES: f32 = 32.0;
/// Walls thinner than this are sheets, metres.
const SHEET: f32 = 0.005;

/// What is between the parts that are joined with the first and with the second of these, where they come nearest; `there` is
/// what the second ones are called.
pub(super) fn between(
    level: &MeasuredLevel<'_>,
    joined: &mut DisjointSets,
    ends: [usize; 2],
    there: &str,
) -> Option<Finding> {
    let [a, b] = ends.map(|end| {
        let root = joined.root(end);
        level.graph.borders_of(|part| joined.root(part as usize) == root)
    });
    let places = [&a, &b].map(|spans| spans.iter().map(|&span| level.graph.place(span)).collect::<Vec<Vec3>>());
    let [i, k] = nearest(&places[0], &places[1])?;
    let line = [a[i], b[k]].map(|span| level.ground(span));
    let finding = measured(level, line, there)?.along(line.map(|p| p.as_dvec3()));
    Some(finding.mended_by(level.link([a[i], b[k]])))
}

/// What is between two places where ground ends, from the one to the other; `None` where it is none that is measured, though cells
/// part the ground there.
fn measured(level: &MeasuredLevel<'_>, line: [Vec3; 2], there: &str) -> Option<Finding> {
    let ([from, to], probe, limits) = (line, &level.probe, level.limits);
    let (run, rise) = ((to - from).with_y(0.0).length(), to.y - from.y);
    let middle = (from + to) * 0.5;
    let say = |fault, size: f32, cause: String, remedy: &str| {
        Finding::new(fault, middle.as_dvec3(), f64::from(size), [cause, remedy.to_owned()])
    };
    if rise.abs() > limits.climb {
        let side = if rise > 0.0 { "higher" } else { "lower" };
        let away = if run < 2.0 * level.graph.cell_size() { String::new() } else { format!(" and {run:.2} m away") };
        let [told, limit] = length_words([rise.abs(), limits.climb]);
        let cause = format!("{there} lies {told} {side}{away}; an agent climbs {limit}.");
        let remedy = "Build stairs or a ramp, or place a link.";
        return Some(say(FaultKind::StepTooHigh, rise.abs(), cause, remedy));
    }
    if let Some(thickness) = wall(probe, line, limits) {
        let cause = match probe.top(middle + Vec3::Y * limits.climb, run.max(0.02)) {
            Some(top) if thickness < SHEET => {
                format!("A wall without thickness, {:.2} m high, is between.", top - from.y)
            }
            _ => format!("A wall of {thickness:.2} m is between."),
        };
        let remedy = "Cut a door into it, or place a link past it.";
        return Some(say(FaultKind::UnreachableIsland, thickness, cause, remedy));
    }
    let at = probe.surface(middle, limits.climb.max(rise.abs())).map(|(y, slope)| (middle.with_y(y), slope));
    if let Some((at, slope)) = at {
        if let Some((ceiling, _)) = probe.above(at, 0.05).filter(|(y, _)| y - at.y < limits.height) {
            let free = ceiling - at.y;
            let [told, limit] = length_words([free, limits.height]);
            let cause = format!("{told} are free under a ceiling; an agent is {limit} tall.");
            return Some(say(FaultKind::CeilingTooLow, free, cause, "Raise the ceiling, or place a link."));
        }
        if slope > limits.slope_rad {
            let [told, limit] = slope_words([slope, limits.slope_rad].map(f64::from));
            let cause = format!("A slope of {told} is between; an agent walks up to {limit}.");
            let remedy = "Make it flatter, add stairs, or place a link.";
            return Some(say(FaultKind::SlopeTooSteep, slope.to_degrees(), cause, remedy));
        }
        let (width, needed) = (NeckMeasure::new(probe, limits).width(at), 2.0 * limits.radius);
        let [told, limit] = length_words([width, needed]);
        let cause = format!("A passage of {told} is between; an agent needs {limit}.");
        let finding = || say(FaultKind::DoorTooThin, width, cause, "Widen it, or place a link.");
        return (width < needed).then(finding);
    }
    let (width, _) = level.gap_between(line);
    let far = if width > limits.jump { "jumps" } else { "could jump, where a link leads over," };
    let [told, limit] = length_words([width, limits.jump]);
    let cause = format!("A gap of {told} parts the ground; an agent {far} {limit}.");
    Some(say(FaultKind::GapTooWide, width, cause, "Place a link over it, or bridge it."))
}

/// How thick the wall between two places is, metres; `None` where there is none, or one that hangs higher than a step.
fn wall(probe: &LevelProbe, line: [Vec3; 2], limits: &AgentLimits) -> Option<f32> {
    let [from, to] = line.map(|place| place + Vec3::Y * (limits.climb + 0.05));
    let [there, back] = [probe.free(from, to)?, probe.free(to, from)?];
    Some((from.distance(to) - there - back).max(0.0))
}

/// The nearest two of these places: boxes of them are compared, the nearest boxes first.
fn nearest(a: &[Vec3], b: &[Vec3]) -> Option<[usize; 2]> {
    let all = || a.iter().chain(b).copied();
    let (low, high) = (all().reduce(Vec3::min)?, all().reduce(Vec3::max)?);
    let size = ((high - low).max_element() / BOXES).max(1e-3);
    let boxes = |points: &[Vec3]| {
        let mut boxes: BTreeMap<[i32; 2], PointBox> = BTreeMap::new();
        for (i, &point) in points.iter().enumerate() {
            let at = (point - low) / size;
            boxes.entry([at.x as i32, at.z as i32]).or_default().add(i, point);
        }
        boxes.into_values().collect::<Vec<_>>()
    };
    let (boxes_a, boxes_b) = (boxes(a), boxes(b));
    let mut pairs: Vec<(f32, &PointBox, &PointBox)> =
        boxes_a.iter().flat_map(|p| boxes_b.iter().map(move |q| (p.apart(q), p, q))).collect();
    pairs.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut best = (f32::INFINITY, None);
    for (apart, p, q) in pairs {
        if apart >= best.0 {
            break;
        }
        for &i in &p.members {
            for &k in &q.members {
                let distance = a[i].distance(b[k]);
                if distance < best.0 {
                    best = (distance, Some([i, k]));
                }
            }
        }
    }
    best.1
}

/// Places near each other, by their numbers, and the box around them.
struct PointBox {
    low: Vec3,
    high: Vec3,
    members: Vec<usize>,
}

impl Default for PointBox {
    fn default() -> Self {
        Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY, members: Vec::new() }
    }
}

impl PointBox {
    fn add(&mut self, number: usize, place: Vec3) {
        (self.low, self.high) = (self.low.min(place), self.high.max(place));
        self.members.push(number);
    }

    fn apart(&self, other: &Self) -> f32 {
        (self.low - other.high).max(other.low - self.high).max(Vec3::ZERO).length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_two_places_are_found() {
        let spiral = |turn: f32, out: f32| -> Vec<Vec3> {
            let at =
                |k: f32| Vec3::new((k * turn).sin() * (k + out), (k * 0.37).sin() * 3.0, (k * turn).cos() * (k + out));
            (0..300).map(|k| at(k as f32)).collect()
        };
        for out in [0.5, 20.0, 500.0] {
            let (a, b) = (spiral(0.1, 0.0), spiral(0.23, out));
            let [i, k] = nearest(&a, &b).unwrap();
            let least = a.iter().flat_map(|p| b.iter().map(|q| p.distance(*q))).fold(f32::INFINITY, f32::min);
            assert_eq!(a[i].distance(b[k]), least);
        }
        assert_eq!(nearest(&[], &[Vec3::ONE]), None);
    }
}
