//! The ground of a level as spans of a heightfield, for an agent and for one that can do a little more.
//!
//! Spans that the agent itself can stand on are *free*; free spans that it can walk between make a *part* of the ground.
//! What a little more would open (higher steps, steeper slopes, lower ceilings, narrower passages) lies between the
//! parts: a search in breadth from all of them finds where two come nearest.

mod gaps;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicBool;

use glam::Vec3;

use super::limits::AgentLimits;
use super::watch::{DoctorError, DoctorStep, DoctorWatch};
use crate::math::plan;
use crate::nav::bake::compact_heightfield::{CompactHeightfield, STEP_X, STEP_Z};
use crate::nav::bake::filter::filter;
use crate::nav::bake::heightfield::{GROUND, GridFrame, Heightfield, TOP, UNWALKABLE};
use crate::nav::bake::{BakeSettings, VoxelSettings};

/// Area of ground that is steeper than the agent walks.
const STEEP: u8 = 2;
/// Area of ground under a ceiling that is lower than the agent.
const LOW: u8 = 3;
/// Parts of the ground of fewer cells are none: where cells are larger than people each would be one.
const MIN_PART_CELLS: usize = 16;
/// No part, no parent.
pub(super) const NOWHERE: u32 = u32::MAX;
/// Most cells of the field; larger levels get larger cells.
const MAX_CELLS: f32 = 3e6;
/// Most cells that all triangles cover, one by one.
const MAX_COVERED: f32 = 2e7;
/// Steepest slope that may part two parts, radians.
pub(super) const STEEPEST: f32 = 1.31;
/// What else than the limits may part two parts, as a factor on them.
pub(super) const NEARLY: f32 = 1.5;
/// Longest crossing between two parts, metres.
const MAX_CROSSING_M: f32 = 15.0;
/// How many cells a passage loses to the walls on each side and may lose all the same.
const WALL_LOSS: f32 = 0.7;
/// By how much more ground reaches over a brink than beside a wall, two per cell.
const BRINK_LOSS: u16 = 2;
/// Crossings of two parts that meet no farther apart than this are one, metres.
const CROSSING_APART: f32 = 1.5;
/// Most crossings between two parts.
const MAX_CROSSINGS: usize = 16;

/// What a span is to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanKind {
    /// Ground to walk on, if there is room.
    Ground,
    /// Too steep.
    Steep,
    /// Under a ceiling that is too low.
    Low,
}

/// Two parts, and the place where a crossing between them meets.
type CrossingPlace = ([u32; 2], [usize; 2]);

/// A way between two parts that the agent cannot take, or that has to be measured.
#[derive(Clone, Debug)]
pub(super) struct Crossing {
    /// The parts.
    pub parts: [u32; 2],
    /// Its spans, from a free one of the first part to one of the second; for a gap both brinks where it is narrowest, and
    /// after them those in the middle of the border.
    pub spans: Vec<u32>,
    /// Whether it leads over a gap without ground.
    pub is_gap: bool,
}

/// The spans, and the parts of the ground.
pub(super) struct SpanGraph {
    field: Heightfield,
    compact: CompactHeightfield,
    voxels: VoxelSettings,
    /// Largest difference of heights that the agent climbs, voxels.
    climb: i32,
    height: i32,
    /// Distance from what the agent cannot stand on, two per cell.
    distance: Vec<u16>,
    cells: Vec<u32>,
    /// Part of each span: of the free spans, and afterwards of those nearest to them.
    parts: Vec<u32>,
    /// Area of each part, square metres.
    areas: Vec<f32>,
    /// Per span the one before it on the way from its part.
    parents: Vec<u32>,
    depths: Vec<u16>,
}

impl SpanGraph {
    /// Lays out a level.
    ///
    /// # Errors
    /// As the bake: limits out of range, corners that are not finite, a level too large or too high. It was stopped.
    pub(super) fn build(
        triangles: &[[Vec3; 3]],
        limits: &AgentLimits,
        watch: &DoctorWatch<'_>,
    ) -> Result<Self, DoctorError> {
        watch.begin(DoctorStep::Voxels)?;
        Self::build_in(triangles, settings(triangles, limits), limits, watch)
    }

    /// The areas of the parts of the ground, square metres, laid out in cells that are no smaller than these.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub(super) fn parts_in_cells(
        triangles: &[[Vec3; 3]],
        limits: &AgentLimits,
        cell_size: f32,
        watch: &DoctorWatch<'_>,
    ) -> Result<Vec<f32>, DoctorError> {
        let fine = settings(triangles, limits);
        let cell_size = cell_size.max(3.0 * fine.cell_size);
        let settings = BakeSettings { cell_size, cell_height: fine.cell_height.max(limits.climb / 6.0), ..fine };
        Ok(Self::build_in(triangles, settings, limits, watch)?.areas)
    }

    fn build_in(
        triangles: &[[Vec3; 3]],
        settings: BakeSettings,
        limits: &AgentLimits,
        watch: &DoctorWatch<'_>,
    ) -> Result<Self, DoctorError> {
        let exact = settings.voxels()?;
        let stop = watch.stop();
        let rasterized = |slope_rad: f32| {
            let settings = BakeSettings { slope_rad, ..settings.clone() };
            let mut field = Heightfield::rasterize(triangles, &settings, exact.climb, stop)?;
            filter(&mut field, &settings, exact, stop);
            // What was stopped is incomplete.
            watch.check()?;
            Ok::<_, DoctorError>(field)
        };
        let strict = rasterized(limits.slope_rad)?;
        let mut field = rasterized(STEEPEST.max(limits.slope_rad))?;
        let voxels = VoxelSettings {
            height: (f32::from(exact.height) / NEARLY) as u16,
            climb: ((f32::from(exact.climb) * NEARLY) as u16).max(exact.climb + 1),
            ..exact
        };
        mark(&mut field, &strict, exact.height, voxels.height);
        drop(strict);
        let compact = CompactHeightfield::new(&field, voxels);
        let mut cells = vec![0; compact.len()];
        for cell in 0..field.frame.cells() {
            cells[compact.columns[cell] as usize..compact.columns[cell + 1] as usize].fill(cell as u32);
        }
        let (count, frame) = (compact.len(), field.frame);
        let mut graph = Self {
            field,
            voxels: exact,
            // Heights are rounded to voxels: what may be higher than a step is measured. Slopes are no steps.
            climb: (i32::from(exact.climb) - 1).max(slope_rise(limits, &frame)),
            height: i32::from(exact.height),
            distance: Vec::new(),
            cells,
            parts: vec![NOWHERE; count],
            areas: Vec::new(),
            parents: vec![NOWHERE; count],
            depths: vec![0; count],
            compact,
        };
        graph.distance = graph.distances(stop);
        graph.find_parts(limits, watch)?;
        Ok(graph)
    }

    /// Distances from walls, and from brinks less what cells add to ground there: a wall fills the cells that it lies in,
    /// and so does ground.
    fn distances(&self, stop: &AtomicBool) -> Vec<u16> {
        let is_brink = |i: usize, direction: usize, link: u32| {
            let is_lower = link == self.compact.no_span() || self.rise(i as u32, link) < -self.climb;
            is_lower && !self.is_wall(i, direction)
        };
        let from = |brinks: bool| {
            let inner = |areas: &[u8], links: &[u32; 4], i: usize| {
                let mut ends = links.iter().enumerate().filter(|&(_, &link)| !self.is_open(i as u32, link));
                areas[i] == GROUND && ends.all(|(direction, &link)| is_brink(i, direction, link) != brinks)
            };
            self.compact.border_distance(u16::MAX / 4, inner, stop)
        };
        let (mut distances, brinks) = (from(false), from(true));
        distances.iter_mut().zip(brinks).for_each(|(d, brink)| *d = (*d).min(brink.saturating_sub(BRINK_LOSS)));
        distances
    }

    /// Whether the agent can walk from a span to its neighbour, width aside.
    fn is_open(&self, from: u32, to: u32) -> bool {
        let c = &self.compact;
        if to == c.no_span() || c.areas[from as usize] != GROUND || c.areas[to as usize] != GROUND {
            return false;
        }
        let [a, b] = [from, to].map(|s| c.spans[s as usize]);
        let ceiling = (i32::from(a.y) + i32::from(a.space)).min(i32::from(b.y) + i32::from(b.space));
        let floor = i32::from(a.y).max(i32::from(b.y));
        self.rise(from, to).abs() <= self.climb && ceiling - floor >= self.height
    }

    /// How much higher the second span lies, voxels.
    fn rise(&self, from: u32, to: u32) -> i32 {
        i32::from(self.compact.spans[to as usize].y) - i32::from(self.compact.spans[from as usize].y)
    }

    /// Numbers the parts of the ground, and spreads their numbers over what lies between.
    fn find_parts(&mut self, limits: &AgentLimits, watch: &DoctorWatch<'_>) -> Result<(), DoctorError> {
        watch.check()?;
        let cell = self.field.frame.cell_size;
        // A wall fills its cells: what is free lies farther from it, by a cell on the average. What is narrower is measured.
        let room = ((limits.radius / cell - WALL_LOSS) * 2.0).max(0.0);
        let is_free = |graph: &Self, i: u32| {
            graph.compact.areas[i as usize] == GROUND && f32::from(graph.distance[i as usize]) >= room
        };
        let mut stack = Vec::new();
        let mut small = Vec::new();
        for seed in 0..self.parts.len() as u32 {
            if self.parts[seed as usize] != NOWHERE || !is_free(self, seed) {
                continue;
            }
            let part = self.areas.len() as u32;
            let mut count = 0_usize;
            stack.push(seed);
            self.parts[seed as usize] = part;
            while let Some(at) = stack.pop() {
                watch.check()?;
                count += 1;
                for next in self.compact.links[at as usize] {
                    if self.is_open(at, next) && self.parts[next as usize] == NOWHERE && is_free(self, next) {
                        self.parts[next as usize] = part;
                        stack.push(next);
                    }
                }
            }
            self.areas.push(count as f32 * cell * cell);
            small.push(self.areas[part as usize] < least_area(limits) || count < MIN_PART_CELLS);
        }
        for part in &mut self.parts {
            if *part != NOWHERE && small[*part as usize] {
                *part = NOWHERE;
            }
        }
        Ok(())
    }

    /// The shortest ways between the parts, shortest first: at most one for each pair and place where they meet.
    ///
    /// # Errors
    /// It was stopped.
    pub(super) fn crossings(&mut self, jump: f32, watch: &DoctorWatch<'_>) -> Result<Vec<Crossing>, DoctorError> {
        watch.begin(DoctorStep::Parts)?;
        let most = (MAX_CROSSING_M / self.field.frame.cell_size).min(f32::from(u16::MAX)) as u16;
        let mut queue: VecDeque<u32> =
            (0..self.parts.len() as u32).filter(|&i| self.parts[i as usize] != NOWHERE).collect();
        let mut best: BTreeMap<CrossingPlace, (u16, [u32; 2])> = BTreeMap::new();
        let apart = ((CROSSING_APART / self.field.frame.cell_size) as usize).max(1);
        while let Some(at) = queue.pop_front() {
            watch.check()?;
            let (part, depth) = (self.parts[at as usize], self.depths[at as usize]);
            for next in self.compact.links[at as usize] {
                if next == self.compact.no_span() {
                    continue;
                }
                let other = self.parts[next as usize];
                if other == NOWHERE && depth < most {
                    self.parts[next as usize] = part;
                    self.depths[next as usize] = depth + 1;
                    self.parents[next as usize] = at;
                    queue.push_back(next);
                } else if other != NOWHERE && other != part {
                    let (pair, ends) =
                        if part < other { ([part, other], [at, next]) } else { ([other, part], [next, at]) };
                    let length = depth + self.depths[next as usize] + 1;
                    let cell = self.cells[ends[0] as usize] as usize;
                    let width = self.field.frame.width;
                    let place = [cell % width / apart, cell / width / apart];
                    let known = best.entry((pair, place)).or_insert((u16::MAX, ends));
                    if length < known.0 {
                        *known = (length, ends);
                    }
                }
            }
        }
        let found: Vec<_> = best.iter().map(|(&(parts, _), &(length, ends))| (length, parts, ends)).collect();
        // Of equal ones that which lies in the middle of the border comes first.
        let mut middles: BTreeMap<([u32; 2], u16), (Vec3, f32)> = BTreeMap::new();
        for &(length, parts, [end, _]) in &found {
            let (sum, count) = middles.entry((parts, length)).or_default();
            (*sum, *count) = (*sum + self.place(end), *count + 1.0);
        }
        let off = |&(length, parts, [end, _]): &(u16, [u32; 2], [u32; 2])| {
            let (sum, count) = middles[&(parts, length)];
            self.place(end).distance_squared(sum / count)
        };
        let mut found: Vec<_> = found.into_iter().map(|crossing| (off(&crossing), crossing)).collect();
        found.sort_by(|(off_a, a), (off_b, b)| a.0.cmp(&b.0).then(off_a.total_cmp(off_b)));
        let mut found: Vec<_> = found.into_iter().map(|(_, crossing)| crossing).collect();
        let mut counts: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        found.retain(|(_, parts, _)| {
            let count = counts.entry(*parts).or_default();
            *count += 1;
            *count <= MAX_CROSSINGS
        });
        let crossing = |(_, parts, [a, b]): (u16, [u32; 2], [u32; 2])| {
            let mut spans = self.way_back(a);
            spans.reverse();
            spans.extend(self.way_back(b));
            Crossing { parts, spans, is_gap: false }
        };
        let mut all: Vec<Crossing> = found.into_iter().map(crossing).collect();
        all.extend(self.gaps(jump, &counts, watch)?);
        Ok(all)
    }

    /// The free span that the crossings reached one from, and from it further in on that part of the ground, where there
    /// is more room: for the end of a link, `room` metres from where the ground ends if there is that much.
    pub(super) fn inner_ground(&self, span: u32, room: f32) -> u32 {
        let free = self.way_back(span).last().copied().unwrap_or(span);
        let wanted = (room / self.field.frame.cell_size * 2.0) as u16;
        let further = |&at: &u32| {
            let beside = self.compact.links[at as usize].into_iter().filter(|&next| self.is_open(at, next));
            let best = beside.max_by_key(|&next| self.distance[next as usize])?;
            (self.distance[at as usize] < wanted && self.distance[best as usize] > self.distance[at as usize])
                .then_some(best)
        };
        std::iter::successors(Some(free), further).last().unwrap_or(free)
    }

    /// The spans from one back to the free span it was reached from.
    fn way_back(&self, from: u32) -> Vec<u32> {
        std::iter::successors(Some(from), |&at| Some(self.parents[at as usize]).filter(|&p| p != NOWHERE)).collect()
    }

    /// The middle of a span's floor, world space.
    pub(super) fn place(&self, span: u32) -> Vec3 {
        let frame: GridFrame = self.field.frame;
        let cell = self.cells[span as usize] as usize;
        let at = Vec3::new((cell % frame.width) as f32 + 0.5, 0.0, (cell / frame.width) as f32 + 0.5) * frame.cell_size;
        let height = f32::from(self.compact.spans[span as usize].y) * frame.cell_height;
        frame.origin + at + Vec3::Y * height
    }

    /// What a span is to the agent.
    pub(super) fn kind(&self, span: u32) -> SpanKind {
        match self.compact.areas[span as usize] {
            GROUND => SpanKind::Ground,
            STEEP => SpanKind::Steep,
            _ => SpanKind::Low,
        }
    }

    /// Whether the step between two spans may be higher than the agent climbs.
    pub(super) fn is_high_step(&self, from: u32, to: u32) -> bool {
        self.rise(from, to).abs() > self.climb
    }

    /// Distance of a span from what the agent cannot stand on, two per cell.
    pub(super) fn distance(&self, span: u32) -> u16 {
        self.distance[span as usize]
    }

    /// How far the agent can walk from a span along rows, columns and diagonals and back again, the shortest of these, metres;
    /// at most `most` to each side.
    pub(super) fn chord(&self, span: u32, most: f32) -> f32 {
        let cell = self.field.frame.cell_size;
        let step = |at: u32, direction: usize| {
            Some(self.compact.links[at as usize][direction % 4]).filter(|&next| self.is_open(at, next))
        };
        let run = |direction: usize| {
            let straight = (0..(most / cell) as usize).scan(span, |at, _| {
                *at = step(*at, direction)?;
                Some(cell)
            });
            straight.sum::<f32>()
        };
        let slant = |direction: usize| {
            let edge = cell * std::f32::consts::SQRT_2;
            let aslant = (0..(most / edge) as usize).scan(span, |at, _| {
                *at = step(step(*at, direction)?, direction + 1)?;
                Some(edge)
            });
            aslant.sum::<f32>()
        };
        [run(0) + run(2), run(1) + run(3), slant(0) + slant(2), slant(1) + slant(3)]
            .into_iter()
            .fold(f32::INFINITY, f32::min)
    }

    /// Edge of a cell, metres.
    pub(super) fn cell_size(&self) -> f32 {
        self.field.frame.cell_size
    }

    /// Areas of the parts, square metres; those below [`least_area`] are no parts.
    pub(super) fn areas(&self) -> &[f32] {
        &self.areas
    }

    /// The spans at the borders of what the crossings gave to these parts.
    pub(super) fn borders_of(&self, mut is_in: impl FnMut(u32) -> bool) -> Vec<u32> {
        let mut is_of = |span: u32| self.parts.get(span as usize).is_some_and(|&part| part != NOWHERE && is_in(part));
        let mut borders = Vec::new();
        for span in 0..self.parts.len() as u32 {
            if is_of(span) && !self.compact.links[span as usize].into_iter().all(&mut is_of) {
                borders.push(span);
            }
        }
        borders
    }

    /// Per part how many sides of cells it ends at, with what the crossings gave to it, and how many of those are at walls.
    pub(super) fn walls_of_parts(&self) -> Vec<[u32; 2]> {
        let mut sides = vec![[0; 2]; self.areas.len()];
        for span in (0..self.parts.len()).filter(|&span| self.parts[span] != NOWHERE) {
            for direction in (0..4).filter(|&d| self.compact.links[span][d] == self.compact.no_span()) {
                let of_part = &mut sides[self.parts[span] as usize];
                of_part[0] += 1;
                of_part[1] += u32::from(self.is_wall(span, direction));
            }
        }
        sides
    }

    /// Whether something stands beside a span that is higher than a step.
    fn is_wall(&self, span: usize, direction: usize) -> bool {
        let frame = self.field.frame;
        let cell = self.cells[span] as i32;
        let x = cell % frame.width as i32 + STEP_X[direction];
        let z = cell / frame.width as i32 + STEP_Z[direction];
        if x < 0 || z < 0 || x >= frame.width as i32 || z >= frame.depth as i32 {
            return false;
        }
        let floor = i32::from(self.compact.spans[span].y);
        let column = self.field.column(z as usize * frame.width + x as usize);
        let [low, high] = [floor + self.climb, floor + self.height];
        self.field.spans[column].iter().any(|s| i32::from(s.bottom) < high && i32::from(s.top) > low)
    }

    /// Number of columns along x and z.
    pub(super) const fn size(&self) -> [usize; 2] {
        [self.field.frame.width, self.field.frame.depth]
    }

    /// The parts in a column, with what the crossings gave to them.
    pub(super) fn parts_in(&self, column: usize) -> impl Iterator<Item = u32> {
        let spans = self.compact.columns[column] as usize..self.compact.columns[column + 1] as usize;
        spans.map(|span| self.parts[span]).filter(|&part| part != NOWHERE)
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.field.frame.cells()
    }

    /// The parts whose free ground lies in a column, from below, and whether nothing is above it.
    pub(super) fn ground_of(&self, column: usize) -> impl Iterator<Item = (u32, bool)> {
        let spans = self.compact.columns[column] as usize..self.compact.columns[column + 1] as usize;
        let free = spans.filter(|&span| self.parts[span] != NOWHERE && self.depths[span] == 0);
        free.map(|span| {
            let above = self.compact.spans[span];
            (self.parts[span], above.y + above.space == TOP)
        })
    }

    /// The part nearest to a point, at most `reach` metres away from above and from below.
    pub(super) fn part_near(&self, point: Vec3, reach: f32) -> Option<u32> {
        let frame = self.field.frame;
        let cells = (reach / frame.cell_size) as i32;
        let at = (point - frame.origin) / frame.cell_size;
        // Casts and sums end at the bounds of the type: places may lie far outside of the level.
        let around = |at: f32, count: usize| {
            let at = at as i32;
            at.saturating_sub(cells).max(0)..=at.saturating_add(cells).min(count as i32 - 1)
        };
        let mut best: Option<(f32, u32)> = None;
        for z in around(at.z, frame.depth) {
            for x in around(at.x, frame.width) {
                let cell = z as usize * frame.width + x as usize;
                for span in self.compact.columns[cell]..self.compact.columns[cell + 1] {
                    // What spread from a part belongs to it only where it is free.
                    let apart = self.place(span).distance(point);
                    let is_free = self.parts[span as usize] != NOWHERE && self.depths[span as usize] == 0;
                    if is_free && apart <= reach && best.is_none_or(|(known, _)| apart < known) {
                        best = Some((apart, self.parts[span as usize]));
                    }
                }
            }
        }
        best.map(|(_, part)| part)
    }

    /// A free span of each part, the farthest from walls.
    pub(super) fn places_of_parts(&self) -> Vec<Vec3> {
        let mut best = vec![(0, NOWHERE); self.areas.len()];
        for span in 0..self.parts.len() as u32 {
            let part = self.parts[span as usize];
            if part != NOWHERE && self.depths[span as usize] == 0 {
                let own = (u32::from(self.distance[span as usize]) + 1, span);
                if own.0 > best[part as usize].0 {
                    best[part as usize] = own;
                }
            }
        }
        best.into_iter().map(|(_, span)| if span == NOWHERE { Vec3::NAN } else { self.place(span) }).collect()
    }
}

/// By how many voxels neighbouring spans differ at most on ground that is as steep as the agent walks.
fn slope_rise(limits: &AgentLimits, frame: &GridFrame) -> i32 {
    (frame.cell_size * limits.slope_rad.tan().min(10.0) / frame.cell_height).ceil() as i32 + 1
}

/// Parts of the ground smaller than this are none, square metres.
pub(super) fn least_area(limits: &AgentLimits) -> f32 {
    (4.0 * limits.radius).powi(2).max(0.25)
}

/// Edge of the cells in which a level is examined, metres, where its size makes them too coarse to find each narrow
/// passage and gap.
pub fn coarse_cells(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Option<f32> {
    Some(settings(triangles, limits).cell_size).filter(|&cell| cell > limits.radius.max(0.12) / 2.0)
}

/// Cells fine enough to measure the limits with, as far as the size of the level lets.
fn settings(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> BakeSettings {
    let finite = || triangles.iter().flatten().filter(|p| p.is_finite());
    let low = finite().copied().reduce(Vec3::min).unwrap_or(Vec3::ZERO);
    let high = finite().copied().reduce(Vec3::max).unwrap_or(Vec3::ZERO);
    let size = high - low;
    let covered: f64 = triangles.iter().map(|t| plan::area(t).abs()).filter(|area| area.is_finite()).sum();
    let fits = (size.x * size.z / MAX_CELLS).max(covered as f32 / MAX_COVERED).sqrt();
    let cell_size = (limits.radius / 6.0).max(0.02).max(fits).max(limits.radius / 100.0);
    let cell_height = (limits.climb / 20.0).max(0.01).max(size.y / 60_000.0).max(limits.height / 4000.0);
    BakeSettings {
        cell_size,
        cell_height,
        agent_height: limits.height,
        agent_radius: limits.radius,
        agent_climb: limits.climb,
        slope_rad: limits.slope_rad,
        filter_ledges: false,
        filter_low_ceilings: false,
        ..BakeSettings::default()
    }
}

/// Marks the spans of a field with what they are to an agent: `strict` has the same spans with its own slope.
fn mark(field: &mut Heightfield, strict: &Heightfield, height: u16, least_height: u16) {
    for cell in 0..field.frame.cells() {
        let column = field.column(cell);
        for i in column.clone() {
            let ceiling = if i + 1 < column.end { field.spans[i + 1].bottom } else { TOP };
            let space = ceiling.saturating_sub(field.spans[i].top);
            let is_flat = strict.spans.get(i).is_some_and(|s| s.area != UNWALKABLE);
            let span = &mut field.spans[i];
            span.area = match span.area {
                UNWALKABLE => UNWALKABLE,
                _ if space < least_height => UNWALKABLE,
                _ if space < height => LOW,
                _ if !is_flat => STEEP,
                _ => GROUND,
            };
        }
    }
}
