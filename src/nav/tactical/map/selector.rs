//! Selects the covers of one polygon: lazy greedy maximum coverage of the ground that is not hidden yet.
//!
//! From a few viewpoints in the polygon, the ground within reach is cut into thin slices by direction. In the slices
//! that it spans, a cover hides all ground beyond its distance that no selected cover hides already. Direction,
//! distance and occlusion thus weigh together, and a cover that is not selected changes nothing. Gains only shrink as
//! covers are selected, so a stale gain is an upper bound and is computed again only when it reaches the top of the
//! heap.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::{Vec2, Vec3};

use super::super::segment::{CoverClass, CoverSegment};
use super::{Cover, CoverSet};
use crate::math::plan::{self, to_plan};
use crate::nav::mesh::{NavMesh, PolyId};

/// Slices around a viewpoint.
const SLICES: usize = 32;
/// Viewpoints per polygon: its middle and points halfway to corners.
const MAX_VIEWS: usize = 3;
/// Four sides, above and below: each gets a cover before any gets a second.
const SECTORS: usize = 6;

/// A viewpoint and the ground hidden from it.
struct HorizonView {
    ground: Vec3,
    /// Per slice, squared distance up to which a standing (0) and a crouching (1) character is visible, m².
    far_squared: [[f32; SLICES]; 2],
}

#[derive(Clone, Copy)]
struct CoverCandidate {
    gain: f32,
    id: u32,
    /// The selection round that the gain is of; in later rounds it is an upper bound.
    round: u32,
    sector: u8,
}

impl Ord for CoverCandidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.id.cmp(&self.id))
    }
}

impl PartialOrd for CoverCandidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CoverCandidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for CoverCandidate {}

/// Selects covers for one polygon at a time; keeps its buffers.
pub(super) struct CoverSelector {
    /// Direction (x, z) and width in radians of each slice.
    slices: [(Vec2, f32); SLICES],
    views: Vec<HorizonView>,
    near: Vec<u32>,
    /// Per cover, the turn in which it was last gathered.
    seen: Vec<u32>,
    turn: u32,
    open: BinaryHeap<CoverCandidate>,
    later: Vec<CoverCandidate>,
}

impl Default for CoverSelector {
    fn default() -> Self {
        let edge = |i: usize| direction_of(i as f32 * 4.0 / SLICES as f32);
        Self {
            slices: std::array::from_fn(|i| {
                let middle = direction_of((i as f32 + 0.5) * 4.0 / SLICES as f32);
                (middle.normalize(), edge(i).angle_to(edge(i + 1)).abs())
            }),
            views: Vec::new(),
            near: Vec::new(),
            seen: Vec::new(),
            turn: 0,
            open: BinaryHeap::new(),
            later: Vec::new(),
        }
    }
}

/// Pseudo-angle of a direction, 0 to 4: the position on the perimeter of the unit square with corners on the axes.
/// Monotonic in the angle, without trigonometry.
fn turn_of(v: Vec2) -> f32 {
    let part = v.y / (v.x.abs() + v.y.abs());
    if v.x < 0.0 {
        2.0 - part
    } else if part < 0.0 {
        4.0 + part
    } else {
        part
    }
}

fn direction_of(turn: f32) -> Vec2 {
    let t = turn.rem_euclid(4.0);
    let x = if t < 2.0 { 1.0 - t } else { t - 3.0 };
    Vec2::new(
        x,
        if t < 1.0 {
            t
        } else if t < 3.0 {
            2.0 - t
        } else {
            t - 4.0
        },
    )
}

impl CoverSelector {
    /// Completes the covers of a polygon, the best first. `chosen` holds those that are already decided.
    pub(super) fn choose(&mut self, map: &CoverSet, mesh: &NavMesh, polygon: PolyId, chosen: &mut Vec<u32>) {
        if map.settings.capacity == 0 || !(map.settings.reach > 0.0) {
            return;
        }
        self.look_around(map, mesh, polygon);
        let middle = mesh.polygon(polygon).center;
        let mut spread = Some([false; SECTORS]);
        for &id in chosen.iter() {
            self.hide(map, id);
            let sector = usize::from(sector_of(map, middle, id));
            spread = spread.filter(|taken| !taken[sector]);
            if let Some(taken) = &mut spread {
                taken[sector] = true;
            }
        }
        self.gather(map, middle, chosen);
        while chosen.len() < map.settings.capacity {
            let round = chosen.len() as u32 + 1;
            let Some(mut best) = self.open.pop() else {
                if spread.take().is_none() {
                    break;
                }
                // Every side with any cover has one: from here on only the gain counts.
                self.open.extend(self.later.drain(..));
                continue;
            };
            let sector = usize::from(best.sector);
            if spread.is_some_and(|taken| taken[sector]) {
                self.later.push(best);
            } else if best.round == round {
                chosen.push(best.id);
                self.hide(map, best.id);
                if let Some(taken) = &mut spread {
                    taken[sector] = true;
                }
            } else {
                best.gain = self.gain(map, best.id);
                best.round = round;
                if best.gain > 0.0 {
                    self.open.push(best);
                }
            }
        }
        self.open.clear();
        self.later.clear();
    }

    /// Places the viewpoints; nothing is hidden from them yet.
    fn look_around(&mut self, map: &CoverSet, mesh: &NavMesh, polygon: PolyId) {
        let middle = mesh.polygon(polygon).center;
        let corners = mesh.corners(polygon);
        let every = corners.len().div_ceil(MAX_VIEWS - 1);
        let far_squared = [[map.settings.reach * map.settings.reach; SLICES]; 2];
        self.views.clear();
        self.views.push(HorizonView { ground: middle, far_squared });
        self.views.extend(corners.step_by(every).map(|c| HorizonView { ground: (c + middle) * 0.5, far_squared }));
    }

    /// Lists the covers within reach with their gains.
    fn gather(&mut self, map: &CoverSet, middle: Vec3, chosen: &[u32]) {
        let radius = self.views.iter().map(|v| to_plan(v.ground - middle).length()).fold(0.0, f32::max);
        let around = Vec3::new(1.0, 0.0, 1.0) * (map.settings.reach + radius);
        self.near.clear();
        self.seen.resize(map.covers.len(), 0);
        self.turn += 1;
        chosen.iter().for_each(|&id| self.seen[id as usize] = self.turn);
        map.grid.for_each_in(middle - around, middle + around, |id| {
            if std::mem::replace(&mut self.seen[id as usize], self.turn) != self.turn {
                self.near.push(id);
            }
        });
        let round = chosen.len() as u32 + 1;
        let mut open = std::mem::take(&mut self.open).into_vec();
        for &id in &self.near {
            let gain = self.gain(map, id);
            if gain > 0.0 {
                open.push(CoverCandidate { gain, id, round, sector: sector_of(map, middle, id) });
            }
        }
        self.open = BinaryHeap::from(open);
    }

    /// Area that the cover would newly hide, m², summed over all viewpoints.
    fn gain(&self, map: &CoverSet, id: u32) -> f32 {
        match &map.covers[id as usize] {
            None => 0.0,
            Some(Cover::Slab(corners)) => self.slab_gain(map, corners),
            Some(Cover::Segment(s)) => {
                let layers = if s.class == CoverClass::Crouching { 1..2 } else { 0..2 };
                let mut sum = 0.0;
                for view in &self.views {
                    let past = past_end(map, view.ground, s);
                    each_slice(&self.slices, view.ground, s, |i, distance| {
                        let near = distance * distance;
                        for far in &view.far_squared[layers.clone()] {
                            sum += self.slices[i].1 * (far[i].min(near * past) - near).max(0.0);
                        }
                    });
                }
                sum * 0.5
            }
        }
    }

    /// Gain of a floor or ceiling: its area, weighted by nearness.
    fn slab_gain(&self, map: &CoverSet, corners: &[Vec3; 4]) -> f32 {
        let area = (corners[2] - corners[0]).cross(corners[3] - corners[1]).length() * 0.5;
        let bounds = Cover::Slab(*corners).bounds();
        let near =
            self.views.iter().map(|v| (1.0 - bounds.distance_squared(v.ground).sqrt() / map.settings.reach).max(0.0));
        area * near.map(|n| n * n).sum::<f32>()
    }

    /// Hides the ground behind a selected cover.
    fn hide(&mut self, map: &CoverSet, id: u32) {
        let Some(Cover::Segment(s)) = &map.covers[id as usize] else { return };
        let first = usize::from(s.class == CoverClass::Crouching);
        for view in &mut self.views {
            if past_end(map, view.ground, s).is_finite() {
                continue;
            }
            let far = &mut view.far_squared[first..];
            each_slice(&self.slices, view.ground, s, |i, distance| {
                far.iter_mut().for_each(|f| f[i] = f[i].min(distance * distance));
            });
        }
    }
}

/// The side of a point on which a cover lies, by its nearest point.
fn sector_of(map: &CoverSet, middle: Vec3, id: u32) -> u8 {
    match &map.covers[id as usize] {
        Some(Cover::Slab(corners)) => 4 + u8::from(corners[0].y > middle.y + map.settings.eye_height),
        Some(Cover::Segment(s)) => {
            let nearest = plan::closest_on_segment(to_plan(s.a - middle), to_plan(s.b - middle), Vec2::ZERO);
            if nearest.x.abs() > nearest.y.abs() { u8::from(nearest.x < 0.0) } else { 2 + u8::from(nearest.y < 0.0) }
        }
        None => 0,
    }
}

/// Where the shadow of a cover ends, as the square of a multiple of the cover's distance: infinite on the enemy's floor;
/// near where the cover lies above the enemy's eyes or below its feet, so that lines of sight pass it.
fn past_end(map: &CoverSet, ground: Vec3, cover: &CoverSegment) -> f32 {
    let (low, high) = (cover.a.y.min(cover.b.y), cover.a.y.max(cover.b.y) + cover.height);
    let gap = (low - ground.y - map.settings.eye_height).max(ground.y - high);
    // A character one metre tall is hidden until the line of sight has passed that metre of height.
    if gap > 0.0 { (1.0 + 1.0 / gap).powi(2) } else { f32::INFINITY }
}

/// Calls `f` with each slice whose middle the cover spans and the distance of the cover there, metres.
#[inline]
fn each_slice(slices: &[(Vec2, f32); SLICES], from: Vec3, cover: &CoverSegment, mut f: impl FnMut(usize, f32)) {
    let (mut a, mut b) = (to_plan(cover.a - from), to_plan(cover.b - from));
    let mut turn = a.perp_dot(b);
    if turn < 0.0 {
        (a, b, turn) = (b, a, -turn);
    }
    if !(turn > 1e-6) {
        return;
    }
    // Number of slices whose middles lie before a pseudo-angle; middles lie at halves.
    let before = |v: Vec2| (turn_of(v) * (SLICES as f32 / 4.0) + 0.5) as usize;
    let (first, mut end) = (before(a), before(b));
    if end < first {
        end += SLICES;
    }
    let ab = b - a;
    for i in first..end {
        let i = i % SLICES;
        f(i, turn / slices[i].0.perp_dot(ab));
    }
}
