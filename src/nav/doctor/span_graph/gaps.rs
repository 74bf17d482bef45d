//! Gaps between the brinks of two parts of the ground.

use std::collections::BTreeMap;

use glam::Vec3;

use super::{Crossing, NEARLY, NOWHERE, SpanGraph, SpanKind};
use crate::nav::bake::compact_heightfield::{STEP_X, STEP_Z};
use crate::nav::doctor::watch::{DoctorError, DoctorWatch};

/// Most places of one border that are looked at for its middle.
const MAX_EQUAL: usize = 512;

/// Gaps between two parts that are about equally wide, for the middle of their border.
#[derive(Default)]
struct EqualGaps {
    /// How wide each is, cells, and its ends.
    list: Vec<(i32, [u32; 2])>,
}

impl EqualGaps {
    fn least(&self) -> i32 {
        self.list.iter().map(|(step, _)| *step).min().unwrap_or(i32::MAX - 1)
    }

    /// Whether a gap as wide as that is one of them.
    fn takes(&self, step: i32) -> bool {
        let least = self.least();
        step < least || step <= Self::widest(least) && self.list.len() < MAX_EQUAL
    }

    /// The widest that counts as equal: corners reach farther in cells than borders.
    fn widest(least: i32) -> i32 {
        least.saturating_add(2 + least / 10)
    }

    fn add(&mut self, step: i32, ends: [u32; 2]) {
        self.list.retain(|(known, _)| *known <= Self::widest(step));
        self.list.push((step, ends));
    }
}

impl SpanGraph {
    /// Gaps between brinks of parts that nothing else joins.
    pub(super) fn gaps<T>(
        &self,
        jump: f32,
        known: &BTreeMap<[u32; 2], T>,
        watch: &DoctorWatch<'_>,
    ) -> Result<Vec<Crossing>, DoctorError> {
        let frame = self.field.frame;
        // Gaps that lie across rows and columns are longer along them.
        let reach = ((NEARLY * jump * std::f32::consts::SQRT_2 / frame.cell_size) as i32).saturating_add(2);
        let mut best: BTreeMap<[u32; 2], EqualGaps> = BTreeMap::new();
        for from in 0..self.parts.len() as u32 {
            watch.check()?;
            let part = self.parts[from as usize];
            if part == NOWHERE || self.kind(from) != SpanKind::Ground {
                continue;
            }
            for direction in 0..4 {
                if self.compact.links[from as usize][direction] != self.compact.no_span() {
                    continue;
                }
                let cell = self.cells[from as usize] as i32;
                let (x, z) = (cell % frame.width as i32, cell / frame.width as i32);
                for step in 2..=reach {
                    let (x, z) = (x + STEP_X[direction] * step, z + STEP_Z[direction] * step);
                    if x < 0 || z < 0 || x >= frame.width as i32 || z >= frame.depth as i32 {
                        break;
                    }
                    let there = z as usize * frame.width + x as usize;
                    let column = self.compact.columns[there]..self.compact.columns[there + 1];
                    let Some(to) = column
                        .into_iter()
                        .find(|&to| self.kind(to) == SpanKind::Ground && self.rise(from, to).abs() <= self.climb)
                    else {
                        continue;
                    };
                    let other = self.parts[to as usize];
                    let (pair, ends) =
                        if part < other { ([part, other], [from, to]) } else { ([other, part], [to, from]) };
                    let is_new = other != NOWHERE && other != part && !known.contains_key(&pair);
                    if is_new && best.get(&pair).is_none_or(|known| known.takes(step)) {
                        let [a, b] = [from, to].map(|s| self.place(s).as_dvec3());
                        if self.field.is_link_clear(a, b, self.voxels) {
                            best.entry(pair).or_default().add(step, ends);
                        }
                    }
                    break;
                }
            }
        }
        let middle = |(pair, gaps): ([u32; 2], EqualGaps)| {
            let places = gaps.list.iter().map(|&(_, [a, _])| self.place(a));
            let center = places.clone().sum::<Vec3>() / gaps.list.len().max(1) as f32;
            let nearest = gaps
                .list
                .iter()
                .zip(places)
                .min_by(|(_, p), (_, q)| p.distance_squared(center).total_cmp(&q.distance_squared(center)));
            let narrowest = gaps.list.iter().min_by_key(|(step, _)| *step)?;
            Some((pair, *narrowest, *nearest?.0))
        };
        let mut found: Vec<_> = best.into_iter().filter_map(middle).collect();
        found.sort_by_key(|(pair, (step, _), _)| (*step, *pair));
        let gaps = found.into_iter().map(|(parts, narrowest, middle)| {
            let brinks = |(step, ends)| self.nearest_brinks(parts, ends, step).unwrap_or(ends);
            Crossing { parts, spans: [brinks(narrowest), brinks(middle)].concat(), is_gap: true }
        });
        Ok(gaps.collect())
    }

    /// The nearest brinks of two parts at about one height, at most so many cells along rows and columns from these.
    fn nearest_brinks(&self, parts: [u32; 2], ends: [u32; 2], reach: i32) -> Option<[u32; 2]> {
        let frame = self.field.frame;
        let brinks = |end: usize| {
            let cell = self.cells[ends[end] as usize] as i32;
            let (x, z) = (cell % frame.width as i32, cell / frame.width as i32);
            let range = |at: i32, count: usize| (at - reach).max(0)..(at + reach + 1).min(count as i32);
            let rows = range(z, frame.depth);
            let cells =
                rows.flat_map(move |z| range(x, frame.width).map(move |x| z as usize * frame.width + x as usize));
            let spans = cells.flat_map(|cell| self.compact.columns[cell]..self.compact.columns[cell + 1]);
            let is_brink = move |&span: &u32| {
                let links = &self.compact.links[span as usize];
                self.parts[span as usize] == parts[end]
                    && self.kind(span) == SpanKind::Ground
                    && links.contains(&self.compact.no_span())
            };
            spans.filter(is_brink).collect::<Vec<u32>>()
        };
        let [from, to] = [brinks(0), brinks(1)];
        let pairs = from.iter().flat_map(|&a| to.iter().map(move |&b| [a, b]));
        let near = pairs.filter(|&[a, b]| self.rise(a, b).abs() <= self.climb);
        let apart = |[a, b]: [u32; 2]| (self.place(b) - self.place(a)).with_y(0.0).length();
        // Of equally near ones those beside the ends.
        let aside = |[a, b]: [u32; 2]| {
            let [p, q] = ends.map(|end| self.place(end));
            self.place(a).distance(p) + self.place(b).distance(q)
        };
        let best = near.map(|pair| (apart(pair) + 1e-3 * aside(pair), pair)).min_by(|p, q| p.0.total_cmp(&q.0))?.1;
        let [a, b] = best.map(|span| self.place(span).as_dvec3());
        self.field.is_link_clear(a, b, self.voxels).then_some(best)
    }
}
