//! In which unit of length a level is: what is made for people in it has usual sizes, as the steps of stairs, lintels, ceilings,
//! furniture and walls have.

use std::collections::BTreeMap;

use glam::Vec3;

use super::doorways::{DoorOpening, doorways};
use super::flights::{LEVEL, StairStep, stairs};
use super::limits::AgentLimits;
use super::probe::LevelProbe;
use super::welded::Welded;
use crate::math::triangle;

/// How tall the people are for whom the usual sizes are, metres.
const PEOPLE: f32 = 1.8;
/// What stands upright: boards, treads and curbs, furniture, doors, rooms, and what is as tall as it likes.
const UPRIGHT: [UsualLength; 6] = [
    UsualLength { share: 0.08, middle: 0.05, spread: 0.7 },
    UsualLength { share: 0.08, middle: 0.2, spread: 0.3 },
    UsualLength { share: 0.3, middle: 0.85, spread: 0.65 },
    UsualLength { share: 0.1, middle: 2.15, spread: 0.2 },
    UsualLength { share: 0.28, middle: 3.0, spread: 0.25 },
    UsualLength { share: 0.3, middle: 7.5, spread: 0.8 },
];
/// Doors.
const DOOR: UsualLength = UsualLength { share: 0.5, middle: 2.15, spread: 0.12 };
/// Least share of doors among what is narrow and overhead.
const MIN_DOORS: f32 = 0.2;
/// How far what is usual is from the middle at most, in spreads.
const USUAL: f32 = 2.5;
/// What is narrow and overhead: seats, lintels of doors, beams and lintels of gates.
const OVERHEAD: [UsualLength; 3] = [
    UsualLength { share: 0.25, middle: 0.45, spread: 0.4 },
    DOOR,
    UsualLength { share: 0.25, middle: 3.0, spread: 0.4 },
];
/// What is wide and overhead: table tops, ceilings of rooms.
const CEILING: [UsualLength; 2] =
    [UsualLength { share: 0.3, middle: 0.7, spread: 0.5 }, UsualLength { share: 0.7, middle: 3.0, spread: 0.45 }];
/// Steps of stairs.
const RISE: UsualLength = UsualLength { share: 1.0, middle: 0.17, spread: 0.25 };
const TREAD: UsualLength = UsualLength { share: 1.0, middle: 0.29, spread: 0.25 };
/// Width of a flight of stairs, in treads.
const STAIR_WIDTH: UsualLength = UsualLength { share: 1.0, middle: 6.0, spread: 0.8 };
/// Rows of seats, as in a stadium, and how much less often they are there than stairs, as a logarithm.
const SEAT_RISE: UsualLength = UsualLength { share: 1.0, middle: 0.42, spread: 0.12 };
const SEAT_TREAD: UsualLength = UsualLength { share: 1.0, middle: 0.85, spread: 0.12 };
const ROW_WIDTH: UsualLength = UsualLength { share: 1.0, middle: 20.0, spread: 0.8 };
const SEATS: f32 = 3.0;
/// Steps of blocks, as games have them, and how much less often.
const BLOCK_RISE: UsualLength = UsualLength { share: 1.0, middle: 0.35, spread: 0.35 };
const BLOCK_TREAD: UsualLength = UsualLength { share: 1.0, middle: 0.5, spread: 0.45 };
const BLOCKS: f32 = 5.0;
/// What speaks against a unit in which the steps of stairs are too high for the agents, and by how much they are at least.
const UNCLIMBABLE: f32 = 2.0;
const TOO_HIGH: f32 = 1.02;
/// Doorways for people; gates and alleys.
const DOORWAY_WIDTH: UsualLength = UsualLength { share: 0.75, middle: 0.95, spread: 0.3 };
const DOORWAY_HEIGHT: UsualLength = UsualLength { share: 1.0, middle: 2.8, spread: 0.35 };
const GATE_WIDTH: UsualLength = UsualLength { share: 0.25, middle: 2.5, spread: 0.6 };
const GATE_HEIGHT: UsualLength = UsualLength { share: 1.0, middle: 4.5, spread: 0.5 };
const UNUSUAL_DOORWAY: f32 = 0.1;
const MAX_DOORWAY_KINDS: f32 = 3.0;
/// The edges of a level of which nine in ten are longer.
const EDGE: UsualLength = UsualLength { share: 1.0, middle: 0.7, spread: 1.3 };
/// What speaks for a size that is none of the usual ones, as a density, and how much it speaks against a unit at most.
const UNUSUAL_UPRIGHT: f32 = 0.004;
const UNUSUAL_OVERHEAD: f32 = 0.003;
const UNUSUAL_CEILING: f32 = 0.03;
const UNUSUAL_STEP: f32 = 9.0;
const UNUSUAL_EDGE: f32 = 2.0;
/// Sizes that differ by no more than this part are one kind.
const SAME_SIZE: f32 = 0.02;
/// How many kinds count at most: what one level has is alike.
const MAX_UPRIGHT_KINDS: f32 = 4.0;
const MAX_OVERHEAD_KINDS: f32 = 3.0;
/// Most surfaces overhead that are measured.
const MAX_OVERHEAD: usize = 600;
/// Narrow is what is narrower than this part of its height above the ground, wide what is wider than that one.
const NARROW: f32 = 0.3;
const WIDE: f32 = 0.5;
/// How long a lintel is, in parts of its height above the ground.
const LINTEL_LENGTH: std::ops::Range<f32> = 0.25..1.5;
/// Least vertical part of the normal of what is overhead, and largest of what is upright.
const OVER: f32 = 0.95;
const STANDS: f32 = 0.1;
/// Least downward part of the normal of what is aslant overhead.
const ASLANT: f32 = 0.3;
/// Share of the ceilings, by area, that are lower than the one that counts.
const LOW_CEILINGS: f32 = 0.3;

/// A range of lengths, metres, as a normal distribution of their logarithms.
struct UsualLength {
    /// How much of all it is.
    share: f32,
    middle: f32,
    spread: f32,
}

impl UsualLength {
    /// How far a length is from the middle, in spreads.
    fn off(&self, metres: f32) -> f32 {
        (metres / self.middle).ln() / self.spread
    }

    /// The logarithm of the likelihood of a length beside the middle, bounded below.
    fn log_likelihood(&self, metres: f32, bound: f32) -> f32 {
        (-0.5 * self.off(metres).powi(2)).max(-bound)
    }
}

/// The logarithm of the density of these at a length.
fn log_density(usual: &[UsualLength], metres: f32, unusual: f32) -> f32 {
    let of = |usual: &UsualLength| usual.share / usual.spread * (-0.5 * usual.off(metres).powi(2)).exp();
    (unusual + usual.iter().map(of).sum::<f32>()).ln()
}

/// Sizes that are about equal.
struct SizeKind {
    size: f32,
    weight: f32,
}

/// Sizes by kinds, each of which counts for what `weight` makes of their number.
fn kinds(sizes: impl Iterator<Item = f32>, weight: impl Fn(f32) -> f32) -> Vec<SizeKind> {
    let mut counts: BTreeMap<i32, f32> = BTreeMap::new();
    for size in sizes.filter(|size| *size > 0.0 && size.is_finite()) {
        *counts.entry((size.ln() / SAME_SIZE).round() as i32).or_default() += 1.0;
    }
    let kind = |(bin, count): (i32, f32)| SizeKind { size: (bin as f32 * SAME_SIZE).exp(), weight: weight(count) };
    counts.into_iter().map(kind).collect()
}

/// The sizes in a level that tell its unit, in that unit.
pub(super) struct ScaleEvidence {
    upright: Vec<SizeKind>,
    overhead: Vec<SizeKind>,
    /// Height of the commonest kind of lintels above the ground.
    pub lintel: Option<f32>,
    ceiling: Option<f32>,
    pub stairs: Option<StairStep>,
    doorways: Vec<DoorOpening>,
    edge: Option<f32>,
}

impl ScaleEvidence {
    pub fn of(welded: &Welded<'_>) -> Self {
        let triangles = welded.triangles;
        let height = |t: &[Vec3; 3]| {
            t.iter().map(|p| p.y).fold(f32::NEG_INFINITY, f32::max)
                - t.iter().map(|p| p.y).fold(f32::INFINITY, f32::min)
        };
        let stands = triangles.iter().filter(|t| triangle::normal(t).is_some_and(|n| n.y.abs() < STANDS));
        let stairs = stairs(welded);
        let is_side = |height: f32| stairs.is_some_and(|step| step.is_side(height));
        // Two triangles are a rectangle, and a body has about two such of each height.
        let heights = stands.map(height).filter(|height| !is_side(*height));
        let upright = kinds(heights, |count| (0.25 * count).min(4.0).sqrt());
        let Overhead { lintels, ceiling } = Overhead::of(welded, is_side);
        let overhead = kinds(lintels.into_iter(), |count| count.min(6.0).sqrt());
        let lintel = overhead.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|kind| kind.size);
        let lengths = |t: &[Vec3; 3]| [0, 1, 2].map(|k| t[k].distance(t[(k + 1) % 3]));
        let edge = lowest_tenth(triangles.iter().flat_map(lengths).filter(|length| *length > 0.0).collect());
        Self { upright, overhead, lintel, ceiling, stairs, doorways: doorways(welded), edge }
    }

    /// Whether stairs, or lintels or doorways where there are none, have the sizes in which they are made for people if so many metres
    /// are one unit.
    pub fn is_usual(&self, metres: f32, height: f32) -> bool {
        let scale = metres * PEOPLE / height;
        let fits = |usual: &UsualLength, size: f32| usual.off(size * scale).abs() < USUAL;
        if let Some(step) = self.stairs {
            return fits(&RISE, step.rise) && fits(&TREAD, step.tread);
        }
        let weight = |is_counted: &dyn Fn(f32) -> bool| {
            self.overhead.iter().filter(|kind| is_counted(kind.size)).map(|kind| kind.weight).sum::<f32>()
        };
        let lintels = weight(&|size| fits(&DOOR, size));
        let is_doorway =
            |doorway: &&DoorOpening| fits(&DOORWAY_WIDTH, doorway.width) && fits(&DOORWAY_HEIGHT, doorway.height);
        let count = self.doorways.iter().filter(is_doorway).count();
        let are_most = count > 0 && 2 * count >= self.doorways.len();
        lintels > 0.0 && lintels >= MIN_DOORS * weight(&|_| true) || are_most
    }

    /// How well the sizes fit if so many metres are one unit, as the logarithm of a likelihood, for these agents.
    pub fn fit(&self, metres: f32, limits: &AgentLimits) -> f32 {
        let person = PEOPLE / limits.height.max(1e-3);
        let scale = metres * person;
        let of = |kinds: &[SizeKind], most: f32, usual: &[UsualLength], unusual: f32| {
            let all: f32 = kinds.iter().map(|kind| kind.weight).sum();
            let sum =
                kinds.iter().map(|kind| kind.weight * log_density(usual, kind.size * scale, unusual)).sum::<f32>();
            sum * most.min(all) / all.max(1e-6)
        };
        of(&self.upright, MAX_UPRIGHT_KINDS, &UPRIGHT, UNUSUAL_UPRIGHT)
            + of(&self.overhead, MAX_OVERHEAD_KINDS, &OVERHEAD, UNUSUAL_OVERHEAD)
            + self.ceiling.map_or(0.0, |ceiling| log_density(&CEILING, ceiling * scale, UNUSUAL_CEILING))
            + self.stairs.map_or(0.0, |step| fit_of_stairs(&step, scale, limits.climb * person))
            + fit_of_doorways(&self.doorways, scale)
            + self.edge.map_or(0.0, |edge| EDGE.log_likelihood(edge * scale, UNUSUAL_EDGE))
    }
}

/// How well stairs fit, as the logarithm of a likelihood.
fn fit_of_stairs(step: &StairStep, scale: f32, climb: f32) -> f32 {
    let (rise, tread, width) = (step.rise * scale, step.tread * scale, step.width / step.tread);
    let of = |usual: [&UsualLength; 3]| -> f32 {
        [rise, tread, width].iter().zip(usual).map(|(size, usual)| usual.log_likelihood(*size, UNUSUAL_STEP)).sum()
    };
    let best = of([&RISE, &TREAD, &STAIR_WIDTH])
        .max(of([&SEAT_RISE, &SEAT_TREAD, &ROW_WIDTH]) - SEATS)
        .max(of([&BLOCK_RISE, &BLOCK_TREAD, &STAIR_WIDTH]) - BLOCKS);
    best - if rise > TOO_HIGH * climb { UNCLIMBABLE } else { 0.0 }
}

/// How well doorways fit, as the logarithm of a likelihood: those of one width are one kind.
fn fit_of_doorways(doorways: &[DoorOpening], scale: f32) -> f32 {
    let mut kinds: BTreeMap<[i32; 2], (DoorOpening, f32)> = BTreeMap::new();
    for doorway in doorways {
        let key = [doorway.width, doorway.height].map(|size| (size.ln() / SAME_SIZE).round() as i32);
        kinds.entry(key).or_insert((*doorway, 0.0)).1 += 1.0;
    }
    let density = |doorway: &DoorOpening| {
        let of = |width: &UsualLength, height: &UsualLength| {
            let off = width.off(doorway.width * scale).powi(2) + height.off(doorway.height * scale).powi(2);
            width.share / (width.spread * height.spread) * (-0.5 * off).exp()
        };
        (UNUSUAL_DOORWAY + of(&DOORWAY_WIDTH, &DOORWAY_HEIGHT) + of(&GATE_WIDTH, &GATE_HEIGHT)).ln()
    };
    let weight = |count: f32| count.min(4.0).sqrt();
    let all: f32 = kinds.values().map(|(_, count)| weight(*count)).sum();
    let sum: f32 = kinds.values().map(|(doorway, count)| weight(*count) * density(doorway)).sum();
    sum * MAX_DOORWAY_KINDS.min(all) / all.max(1e-6)
}

/// A length below which a tenth of these are; `None` of none.
pub(super) fn lowest_tenth(mut lengths: Vec<f32>) -> Option<f32> {
    let at = lengths.len() / 10;
    (!lengths.is_empty()).then(|| *lengths.select_nth_unstable_by(at, f32::total_cmp).1)
}

/// What is overhead of the ground.
struct Overhead {
    /// Heights above the ground of what is narrow.
    lintels: Vec<f32>,
    /// Height above the ground of most of what is wide.
    ceiling: Option<f32>,
}

impl Overhead {
    /// What is as high as the side of a step is the step's underside.
    fn of(welded: &Welded<'_>, is_side: impl Fn(f32) -> bool) -> Self {
        let triangles = welded.triangles;
        let over = |(_, t): &(usize, &[Vec3; 3])| triangle::normal(t).is_some_and(|n| n.y < -OVER);
        let count = triangles.iter().enumerate().filter(over).count();
        let (mut lintels, mut ceilings) = (Vec::new(), Vec::new());
        if count == 0 {
            return Self { lintels, ceiling: None };
        }
        let probe = LevelProbe::new(triangles);
        let all = || triangles.iter().flatten().filter(|p| p.is_finite());
        let tall =
            all().map(|p| p.y).fold(f32::NEG_INFINITY, f32::max) - all().map(|p| p.y).fold(f32::INFINITY, f32::min);
        for (number, t) in triangles.iter().enumerate().filter(over).step_by(1 + count / MAX_OVERHEAD) {
            let middle = (t[0] + t[1] + t[2]) / 3.0;
            let Some((ground, true)) = probe.below(middle, 1e-4 * tall) else { continue };
            let above = middle.y - ground;
            let longest = (0..3).map(|k| t[k].distance(t[(k + 1) % 3])).fold(0.0, f32::max);
            let width = 2.0 * triangle::area(t) / longest;
            let is_level = triangle::normal(t).is_some_and(|n| n.y < -LEVEL) && !is_of_slope(welded, number);
            if is_side(above) {
                continue;
            }
            if width > WIDE * above {
                ceilings.push((above, triangle::area(t)));
            } else if width < NARROW * above && LINTEL_LENGTH.contains(&(longest / above)) && is_level {
                lintels.push(above);
            }
        }
        ceilings.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let all = ceilings.iter().map(|(_, area)| area).sum::<f32>();
        let mut below = 0.0;
        let found = ceilings.iter().find(|(_, area)| {
            below += area;
            below >= LOW_CEILINGS * all
        });
        Self { lintels, ceiling: found.map(|(above, _)| *above) }
    }
}

/// Whether what is overhead goes on aslant beside a triangle, as the roof of a cave does.
fn is_of_slope(welded: &Welded<'_>, triangle: usize) -> bool {
    let corners = welded.corners[triangle];
    let users = |k: usize| {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        welded.edges.get(&[a.min(b), a.max(b)]).map_or(&[][..], Vec::as_slice)
    };
    (0..3).flat_map(users).any(|user| (-LEVEL..-ASLANT).contains(&welded.normal(user.triangle).y))
}
