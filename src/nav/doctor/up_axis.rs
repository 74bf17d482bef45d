//! Whether another axis than y is up in a level: upright, its ground hangs together and is wide; on its side, its ground is walls,
//! one by one.

use foldhash::HashMap;
use glam::Vec3;

use super::axis::UpAxis;
use super::finding::{FaultKind, Finding, Mend};
use super::level_shape::extent_of;
use super::limits::AgentLimits;
use super::span_graph::{SpanGraph, least_area};
use super::units;
use super::watch::{DoctorError, DoctorWatch};
use super::welded::Welded;
use crate::math::triangle;

/// How much more speaks for another axis than for each of the rest, as the logarithm of a ratio of areas.
const CLEARLY: f64 = 0.8;
/// How much less may speak for the level as it lies than for what is flat enough in it, before it is laid out.
const SURELY: f64 = 2.0;
/// What the share of a level's area counts that faces up more than down: floors without undersides.
const NET: f64 = 3.0;
/// What the share of a level's area counts that is level or upright: walls are upright at any angle to each other.
const ALIGNED: f64 = 2.0;
/// What the extent along an axis counts: most levels are wider than high.
const FLAT: f64 = 0.5;
/// What the share of what is upright counts that begins at one height, and how much less it counts that ends at one: bodies stand on
/// floors, and are of all heights.
const STANDING: f64 = 1.0;
const ENDING: f64 = 0.5;
/// What the share of what is level counts that lies at one height: ground does, walls one by one do not.
const ONE_LEVEL: f64 = 1.0;
/// Heights that differ by no more are one, in parts of a step.
const SAME_HEIGHT: f32 = 0.05;
/// What the largest part of the ground counts; the rest is what all of it counts, storeys without stairs between them.
const LARGEST_PART_WEIGHT: f64 = 0.5;
/// Largest part of the normal of what is upright along an axis, and least of what is level.
const UPRIGHT: f64 = 0.05;
const LEVEL: f64 = 0.97;
/// The largest cells of the ground in widths of the agent, and how much of its width it has to have.
const CELL: f32 = 0.25;
const NARROW: f32 = 0.5;

/// How much there is at which heights.
#[derive(Default)]
struct HeightCounts {
    counts: HashMap<i32, f64>,
    all: f64,
}

impl HeightCounts {
    fn add(&mut self, height: f32, same: f32, amount: f64) {
        *self.counts.entry((height / same).round() as i32).or_default() += amount;
        self.all += amount;
    }

    /// The share of all that is at the commonest height.
    fn commonest(&self) -> f64 {
        self.counts.values().copied().fold(0.0, f64::max) / self.all.max(1e-9)
    }
}

/// What speaks for an axis without a look at what hangs together.
struct AxisEvidence {
    axis: UpAxis,
    /// The sum of all that counts, as the logarithm of an area.
    known: f64,
    /// Area that is flat enough to walk on with the axis upwards, square metres.
    flat: f64,
}

impl AxisEvidence {
    fn of(axis: UpAxis, triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Self {
        let slope = f64::from(limits.slope_rad.cos());
        let (mut all, mut net, mut aligned, mut flat) = (0.0, 0.0, 0.0, 0.0);
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        let [mut feet, mut tops, mut levels] = [(); 3].map(|()| HeightCounts::default());
        let same = (SAME_HEIGHT * limits.climb).max(1e-3);
        for t in triangles {
            let Some(normal) = triangle::normal(t) else { continue };
            let (area, up) = (f64::from(triangle::area(t)), f64::from(axis.upright(normal).y));
            all += area;
            net += area * up;
            aligned += if up.abs() < UPRIGHT || up.abs() > LEVEL { area } else { 0.0 };
            flat += if up >= slope { area } else { 0.0 };
            let [mut foot, mut top] = [f32::INFINITY, f32::NEG_INFINITY];
            for p in t {
                let y = axis.upright(*p).y;
                (foot, top) = (foot.min(y), top.max(y));
            }
            (low, high) = (low.min(foot), high.max(top));
            if up.abs() < UPRIGHT {
                feet.add(foot, same, 1.0);
                tops.add(top, same, 1.0);
            } else if up > LEVEL {
                levels.add((foot + top) * 0.5, limits.climb.max(1e-3), area);
            }
        }
        let extent = f64::from((high - low).max(limits.height));
        let lies = STANDING * feet.commonest() - ENDING * tops.commonest() + ONE_LEVEL * levels.commonest();
        let known = (NET * net + ALIGNED * aligned) / all.max(1e-9) - FLAT * extent.ln() + lies;
        Self { axis, known, flat }
    }

    /// What speaks for it at most, whatever hangs together.
    fn at_most(&self, least: f64) -> f64 {
        self.known + self.flat.max(least).ln()
    }

    /// What speaks for it in all.
    fn score(
        &self,
        triangles: &[[Vec3; 3]],
        limits: &AgentLimits,
        watch: &DoctorWatch<'_>,
    ) -> Result<f64, DoctorError> {
        let least = f64::from(least_area(limits));
        let turned: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.map(|p| self.axis.upright(p))).collect();
        let narrow = AgentLimits { radius: limits.radius * NARROW, ..limits.clone() };
        let areas = SpanGraph::parts_in_cells(&turned, &narrow, limits.radius * 2.0 * CELL, watch)?;
        let largest = areas.iter().copied().map(f64::from).fold(least, f64::max);
        let all = areas.iter().copied().map(f64::from).filter(|area| *area >= least).sum::<f64>().max(largest);
        Ok(self.known + LARGEST_PART_WEIGHT * largest.ln() + (1.0 - LARGEST_PART_WEIGHT) * all.ln())
    }
}

/// That another axis than y is up in a level, if one is, behind its unit, where that is another. `unit` is the one that it seems to be
/// in as it lies.
///
/// # Errors
/// It was stopped.
pub(super) fn lies_on_side(
    triangles: &[[Vec3; 3]],
    unit: Option<&Finding>,
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<Option<Vec<Finding>>, DoctorError> {
    let Some((place, size)) = extent_of(triangles) else { return Ok(None) };
    let scaled: Vec<[Vec3; 3]>;
    let axes = match unit.and_then(|unit| unit.mend.as_ref()) {
        Some(Mend::Scale(factor)) => {
            scaled = triangles.iter().map(|t| t.map(|p| p * *factor)).collect();
            axes_up(&scaled, limits, watch)?
        }
        _ => axes_up(triangles, limits, watch)?,
    };
    let Some((axis, opposite)) = axes else { return Ok(None) };
    // Stairs, doors and walls are what they are only once they stand.
    let upright: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.map(|p| axis.upright(p))).collect();
    let unit = units::examine(&Welded::new(&upright, watch)?, limits).map(|unit| Finding { place, ..unit });
    let name = opposite.map_or(axis.name().to_owned(), |other| format!("{}, or along {}", axis.name(), other.name()));
    let remedy = "Export the level with y up, or swap its axes.".into();
    let lying = Finding::new(FaultKind::NoGround, place, size, [on_its_side(&name), remedy]);
    // Of the two that may be, files mostly have this one.
    let usual = opposite.filter(|other| *other == UpAxis::Z).unwrap_or(axis);
    Ok(Some(unit.into_iter().chain([lying.mended_by(Mend::StandUp(usual))]).collect()))
}

/// The axis that is up in a level in place of y, and the opposite one where that may as well be; `None` where y is.
fn axes_up(
    triangles: &[[Vec3; 3]],
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<Option<(UpAxis, Option<UpAxis>)>, DoctorError> {
    let least = f64::from(least_area(limits));
    let scored = |evidence: &AxisEvidence| match evidence.score(triangles, limits, watch) {
        Err(DoctorError::Stopped) => Err(DoctorError::Stopped),
        // What cannot be laid out so has no ground.
        other => Ok(other.unwrap_or(evidence.known + least.ln())),
    };
    let own = AxisEvidence::of(UpAxis::Y, triangles, limits);
    let others = UpAxis::OTHERS.map(|axis| AxisEvidence::of(axis, triangles, limits));
    let is_near = |upright: f64| others.iter().any(|other| other.at_most(least) > upright + CLEARLY);
    // Where much less faces along every other axis nothing has to be laid out.
    if !is_near(own.at_most(least) - SURELY) {
        return Ok(None);
    }
    let upright = scored(&own)?;
    if !is_near(upright) {
        return Ok(None);
    }
    let mut scores = Vec::new();
    for other in &others {
        let worth = other.at_most(least) > upright;
        scores.push((other.axis, if worth { scored(other)? } else { other.at_most(least) }));
    }
    let Some(&(axis, best)) = scores.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Ok(None) };
    let beside = scores.iter().filter(|(other, _)| !other.is_along(axis)).map(|(_, score)| *score);
    if best <= beside.fold(upright, f64::max) + CLEARLY {
        return Ok(None);
    }
    // Rooms whose ceilings are like their floors may as well lie the other way round.
    let is_alike = |(other, score): &&(UpAxis, f64)| *other != axis && other.is_along(axis) && *score > best - CLEARLY;
    Ok(Some((axis, scores.iter().find(is_alike).map(|(other, _)| *other))))
}

/// That this axis is up instead of y, a sentence.
pub(super) fn on_its_side(axis: &str) -> String {
    format!("The level lies on its side: its ground faces along {axis}, as if that were up in its file; here y is up.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::bake::BakeSettings;
    use glam::Vec3Swizzles as _;

    fn told(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Option<String> {
        lies_on_side(triangles, None, limits, &DoctorWatch::default()).unwrap().map(|found| found[0].cause.clone())
    }

    /// A square of this side in two triangles that face where `normal` does, along an axis.
    fn square(side: f32, normal: Vec3) -> [[Vec3; 3]; 2] {
        let (u, v) = (normal.zxy() * side, normal.yzx() * side);
        [[Vec3::ZERO, u, u + v], [Vec3::ZERO, u + v, v]]
    }

    #[test]
    fn a_backdrop_lays_no_level_on_its_side() {
        let limits = AgentLimits::from(&BakeSettings::default());
        let backdrop = square(9.0, Vec3::Z);
        assert!(told(&backdrop, &limits).is_some());
        // A closed body: its lower side cancels what faces up.
        let body = [square(10.0, Vec3::Y), square(10.0, Vec3::Y).map(|[a, b, c]| [a, c, b])].concat();
        assert!(told(&[backdrop.to_vec(), body].concat(), &limits).is_none());
    }
}
