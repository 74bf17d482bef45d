//! Flights of stairs in a level: level pieces one after the other, each as far ahead and as much higher as the one before.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::welded::Welded;
use crate::math::triangle;

/// Least vertical part of the normal of what is level.
pub(super) const LEVEL: f32 = 0.9995;
/// Rises of flights that differ by no more than this part are one kind.
const SAME_RISE: f32 = 0.02;
/// Most level pieces among which stairs are looked for, the lowest.
const MAX_PIECES: usize = 1500;
/// Most pieces that are looked at from each.
const MAX_AHEAD: usize = 64;
/// Rise of a flight of stairs to its tread, least and most, and by how much its steps differ, in treads.
const RISE_TO_TREAD: [f32; 2] = [0.35, 1.1];
const STEP_ERROR: f32 = 0.06;
/// Fewest steps, one after the other, that are stairs.
const FEWEST_STEPS: usize = 3;
/// Least width of a flight of stairs, in treads: cubes that are piled up are none.
const MIN_WIDTH: f32 = 1.5;
/// How far the side of a step is from a whole number of rises, in rises.
const SIDE_ERROR: f32 = 0.06;

/// The step of a flight of stairs, in the level's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StairStep {
    pub rise: f32,
    pub tread: f32,
    /// Across the flight.
    pub width: f32,
    /// Number of steps of the longest flight of this kind.
    pub count: usize,
}

impl StairStep {
    /// Whether something as tall as this may be the side of a step: stairs that are solid have one of each height.
    pub fn is_side(&self, height: f32) -> bool {
        let steps = height / self.rise;
        (steps - steps.round()).abs() < SIDE_ERROR && (1.0..=(self.count + 1) as f32).contains(&steps.round())
    }
}

/// A level piece of the ground.
#[derive(Clone, Copy)]
struct LevelPiece {
    center: Vec3,
    area: f32,
}

/// The lowest level pieces of a level, from below.
fn level_pieces(welded: &Welded<'_>) -> Vec<LevelPiece> {
    let is_level: Vec<bool> = (0..welded.corners.len()).map(|t| welded.normal(t as u32).y > LEVEL).collect();
    let roots = welded.components_where(|t| is_level[t as usize], |_, _| true);
    let mut sums: BTreeMap<usize, LevelPiece> = BTreeMap::new();
    for (i, t) in welded.triangles.iter().enumerate().filter(|(i, _)| is_level[*i]) {
        let sum = sums.entry(roots[i]).or_insert(LevelPiece { center: Vec3::ZERO, area: 0.0 });
        let area = triangle::area(t);
        sum.center += (t[0] + t[1] + t[2]) / 3.0 * area;
        sum.area += area;
    }
    let mut pieces: Vec<LevelPiece> =
        sums.into_values().map(|sum| LevelPiece { center: sum.center / sum.area, area: sum.area }).collect();
    pieces.retain(|piece| piece.center.is_finite());
    pieces.sort_unstable_by(|a, b| a.center.y.total_cmp(&b.center.y));
    pieces.truncate(MAX_PIECES);
    pieces
}

/// The commonest step of stairs: level pieces of about one size, one after the other, each as far ahead and as much higher as the
/// one before.
pub(super) fn stairs(welded: &Welded<'_>) -> Option<StairStep> {
    let pieces = level_pieces(welded);
    let ahead = |piece: &LevelPiece, other: &LevelPiece| {
        let by = other.center - piece.center;
        let tread = by.with_y(0.0).length();
        let is_like = (0.5 * other.area..2.0 * other.area).contains(&piece.area);
        (is_like && (RISE_TO_TREAD[0] * tread..=RISE_TO_TREAD[1] * tread).contains(&by.y) && by.y > 0.0).then_some(by)
    };
    let next = |i: usize| -> Vec<(usize, Vec3)> {
        let others = pieces.iter().enumerate().skip(i + 1);
        others.filter_map(|(k, other)| Some((k, ahead(&pieces[i], other)?))).take(MAX_AHEAD).collect()
    };
    let steps: Vec<Vec<(usize, Vec3)>> = (0..pieces.len()).map(next).collect();
    let mut counts: BTreeMap<i32, (usize, StairStep)> = BTreeMap::new();
    let mut seen: BTreeSet<[usize; 2]> = BTreeSet::new();
    for (i, own) in steps.iter().enumerate() {
        for &(k, by) in own {
            if seen.contains(&[i, k]) {
                continue;
            }
            let tread = by.with_y(0.0).length();
            let width = pieces[i].area / tread;
            if width < MIN_WIDTH * tread {
                continue;
            }
            let mut chain = vec![[i, k]];
            let mut at = k;
            while let Some(&(further, _)) =
                steps[at].iter().find(|(_, other)| (*other - by).abs().max_element() < STEP_ERROR * tread)
            {
                chain.push([at, further]);
                at = further;
            }
            if chain.len() >= FEWEST_STEPS {
                let by = (pieces[at].center - pieces[i].center) / chain.len() as f32;
                let step = StairStep { rise: by.y, tread, width, count: chain.len() };
                let (sum, known) = counts.entry((step.rise.ln() / SAME_RISE).round() as i32).or_insert((0, step));
                *sum += chain.len();
                known.count = known.count.max(chain.len());
                seen.extend(chain);
            }
        }
    }
    // Every other step makes a flight as well, of fewer; rows of seats have smaller steps beside them.
    let most = counts.values().map(|(count, _)| *count).max()?;
    counts.into_values().find(|(count, _)| 2 * count >= most).map(|(_, step)| step)
}
