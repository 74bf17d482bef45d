//! Shadows of cover: the volumes that covers hide from an enemy, and the parts of a segment inside them.
//!
//! A volume is bounded by planes through the enemy's eye and the edges of the cover; a segment is clipped against all of
//! them (Cyrus and Beck, 1978), for eight volumes at once in structure-of-arrays form.

use crate::math::plan;
use glam::Vec3;

use super::segment::{CoverClass, CoverSegment};

/// An enemy to hide from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enemy {
    /// Position of the feet, local.
    pub position: Vec3,
    /// Height of the eyes over the position, metres.
    pub eye_height: f32,
}

impl Enemy {
    /// An enemy 1.8 m tall.
    pub fn at(position: Vec3) -> Self {
        Self { position, eye_height: 1.7 }
    }

    /// Position of the eyes, local.
    pub fn eye(&self) -> Vec3 {
        self.position + Vec3::Y * self.eye_height
    }
}

/// How visibility past cover is modelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VisibilityModel {
    /// In plan view: everything behind a segment is hidden, at any distance and height. A standing character is hidden
    /// by standing cover only.
    Flat {
        /// Whether the character crouches.
        crouching: bool,
    },
    /// In space: a segment is a vertical rectangle, a slab a flat polygon; a character is hidden where its head is.
    Solid {
        /// Height of the character, metres.
        body_height: f32,
        /// How far an obstacle extends below the ground beside it, metres; lines of sight pass below that.
        skirt: f32,
    },
}

impl Default for VisibilityModel {
    fn default() -> Self {
        Self::Flat { crouching: false }
    }
}

impl VisibilityModel {
    /// The point that has to be hidden of a character at this position.
    fn target(&self, foot: Vec3) -> Vec3 {
        match self {
            Self::Flat { .. } => foot,
            Self::Solid { body_height, .. } => foot + Vec3::Y * *body_height,
        }
    }
}

/// A cover hides nothing from an enemy nearer to its plane than this, metres.
const MIN_PLANE_DISTANCE: f32 = 1e-4;
/// Positions this near to the line of a cover count as lying on its ground side, metres.
const GROUND_SIDE_MARGIN: f32 = 1e-3;
/// Planes of a volume: the front and four sides.
const MAX_PLANES: usize = 5;

/// The shadow volume of one cover and one enemy: the points in front of all its planes.
#[derive(Clone, Copy, Debug)]
pub struct ShadowVolume {
    /// Normal and offset of each, relative to the enemy: a point is in front where `normal · point >= offset`.
    planes: [(Vec3, f32); MAX_PLANES],
    count: usize,
}

impl ShadowVolume {
    /// The vertical planes through the cover from `a` to `b` and through the enemy and either end. `None` where the enemy
    /// stands on the line of the cover, which then hides nothing.
    pub fn flat(enemy: Vec3, a: Vec3, b: Vec3) -> Option<Self> {
        let level = |v: Vec3| Vec3::new(v.x, 0.0, v.z);
        let (a, b) = (level(a - enemy), level(b - enemy));
        let left = Vec3::new(a.z - b.z, 0.0, b.x - a.x).try_normalize()?;
        let offset = left.dot(a);
        if !(offset.abs() > MIN_PLANE_DISTANCE) {
            return None;
        }
        // The ground side counts as lying before the cover: for an enemy there, the shadow begins behind the margin.
        let front =
            if offset > 0.0 { (left, offset - GROUND_SIDE_MARGIN) } else { (-left, -offset + GROUND_SIDE_MARGIN) };
        let side = |tip: Vec3, other: Vec3| {
            let normal = Vec3::new(-tip.z, 0.0, tip.x).try_normalize()?;
            Some((if normal.dot(other) >= 0.0 { normal } else { -normal }, 0.0))
        };
        let none = (Vec3::ZERO, 0.0);
        Some(Self { planes: [front, side(a, b)?, side(b, a)?, none, none], count: 3 }).filter(Self::is_finite)
    }

    /// The frustum from an eye through the edges of a flat convex quadrilateral, behind it. `None` where the eye lies in
    /// its plane.
    pub fn solid(eye: Vec3, corners: [Vec3; 4]) -> Option<Self> {
        let c = corners.map(|v| v - eye);
        // By the diagonals, so that two corners may coincide.
        let normal = (c[2] - c[0]).cross(c[3] - c[1]).try_normalize()?;
        let middle = (c[0] + c[1] + c[2] + c[3]) * 0.25;
        let offset = normal.dot(middle);
        if !(offset.abs() > MIN_PLANE_DISTANCE) {
            return None;
        }
        let front = if offset > 0.0 { (normal, offset) } else { (-normal, -offset) };
        let mut volume = Self { planes: [front; MAX_PLANES], count: MAX_PLANES };
        for i in 0..4 {
            if let Some(side) = c[i].cross(c[(i + 1) % 4]).try_normalize() {
                volume.planes[i + 1] = (if side.dot(middle) >= 0.0 { side } else { -side }, 0.0);
            }
        }
        Some(volume).filter(Self::is_finite)
    }

    /// The volume behind the vertical rectangle over a segment.
    fn upright(eye: Vec3, cover: &CoverSegment, skirt: f32) -> Option<Self> {
        let (low, high) = (Vec3::Y * -skirt, Vec3::Y * cover.height);
        let mut volume = Self::solid(eye, [cover.a + low, cover.b + low, cover.b + high, cover.a + high])?;
        volume.planes[0].1 +=
            if plan::cross(cover.a, cover.b, eye) > 0.0 { GROUND_SIDE_MARGIN } else { -GROUND_SIDE_MARGIN };
        Some(volume)
    }

    fn is_finite(&self) -> bool {
        self.planes.iter().all(|p| p.0.is_finite() && p.1.is_finite())
    }

    /// The part of the segment from `p` to `q` inside the volume, as parameters from 0 at `p` to 1 at `q`. Both points
    /// are relative to the enemy: to the feet in the flat model, to the eye in the solid one.
    pub fn clip(&self, p: Vec3, q: Vec3) -> Option<(f32, f32)> {
        let (mut enter, mut leave) = (0.0f32, 1.0f32);
        for (normal, offset) in &self.planes[..self.count] {
            let (s, t) = (normal.dot(p) - offset, normal.dot(q) - offset);
            match (s < 0.0, t < 0.0) {
                (true, true) => return None,
                (true, false) => enter = enter.max(s / (s - t)),
                (false, true) => leave = leave.min(s / (s - t)),
                (false, false) => {}
            }
        }
        (enter <= leave).then_some((enter, leave))
    }
}

/// Disjoint intervals of a segment's parameter, 0 to 1, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intervals(Vec<(f32, f32)>);

impl Intervals {
    /// The intervals, each as begin and end.
    pub fn parts(&self) -> &[(f32, f32)] {
        &self.0
    }

    /// Their total length, 0 to 1.
    pub fn total(&self) -> f32 {
        self.0.iter().map(|i| i.1 - i.0).sum::<f32>().clamp(0.0, 1.0)
    }

    /// Adds an interval, merged with those that it overlaps or touches.
    #[inline]
    pub fn add(&mut self, from: f32, to: f32) {
        if self.0.last().is_none_or(|last| last.1 < from) {
            self.0.push((from, to));
        } else {
            self.unite(from, to);
        }
    }

    /// Adds an interval that does not simply follow the last.
    fn unite(&mut self, mut from: f32, mut to: f32) {
        let mut first = 0;
        while self.0[first].1 < from {
            first += 1;
        }
        let mut end = first;
        while end < self.0.len() && self.0[end].0 <= to {
            from = from.min(self.0[end].0);
            to = to.max(self.0[end].1);
            end += 1;
        }
        if end == first {
            self.0.insert(first, (from, to));
        } else {
            self.0[first] = (from, to);
            self.0.drain(first + 1..end);
        }
    }

    /// Keeps the intersection with `other`.
    pub fn intersect(&mut self, other: &Self) {
        let mine = std::mem::take(&mut self.0);
        let (mut i, mut j) = (0, 0);
        while let (Some(a), Some(b)) = (mine.get(i), other.0.get(j)) {
            let (from, to) = (a.0.max(b.0), a.1.min(b.1));
            if from <= to {
                self.0.push((from, to));
            }
            if a.1 < b.1 { i += 1 } else { j += 1 }
        }
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

const LANES: usize = 8;

/// One plane each of eight volumes, as structure of arrays.
#[derive(Clone, Copy, Debug)]
struct SoaPlane {
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
    offset: [f32; LANES],
}

/// Signed distances of a point to the planes of eight volumes, positive in front.
pub(super) type PlaneDistances = [[f32; LANES]; MAX_PLANES];

impl SoaPlane {
    #[inline(always)]
    fn sides(&self, p: Vec3) -> [f32; LANES] {
        let mut sides = [0.0; LANES];
        for (i, side) in sides.iter_mut().enumerate() {
            *side = self.x[i] * p.x + self.y[i] * p.y + self.z[i] * p.z - self.offset[i];
        }
        sides
    }
}

/// A plane with every point behind it: the volume is empty.
const NOTHING: SoaPlane = SoaPlane { x: [0.0; LANES], y: [0.0; LANES], z: [0.0; LANES], offset: [1.0; LANES] };

/// Everything that a list of covers hides from one enemy.
#[derive(Clone, Debug)]
pub struct Shadow {
    /// Common apex of the volumes.
    apex: Vec3,
    sight: VisibilityModel,
    planes: usize,
    blocks: Vec<[SoaPlane; MAX_PLANES]>,
    used: usize,
}

impl Shadow {
    /// A shadow without covers.
    pub fn new(enemy: &Enemy, sight: VisibilityModel) -> Self {
        let (apex, planes) = match sight {
            VisibilityModel::Flat { .. } => (enemy.position, 3),
            VisibilityModel::Solid { .. } => (enemy.eye(), MAX_PLANES),
        };
        Self { apex, sight, planes, blocks: Vec::new(), used: 0 }
    }

    /// The point that lines of sight begin at, local.
    pub(super) fn apex(&self) -> Vec3 {
        self.apex
    }

    /// Adds a cover segment.
    pub fn add_segment(&mut self, cover: &CoverSegment) {
        let volume = match self.sight {
            VisibilityModel::Flat { crouching: false } if cover.class == CoverClass::Crouching => None,
            VisibilityModel::Flat { .. } => ShadowVolume::flat(self.apex, cover.a, cover.b),
            VisibilityModel::Solid { skirt, .. } => ShadowVolume::upright(self.apex, cover, skirt),
        };
        self.add(volume);
    }

    /// Adds a slab: a flat convex polygon of floor or ceiling. In the flat model it hides nothing.
    pub fn add_slab(&mut self, corners: [Vec3; 4]) {
        if matches!(self.sight, VisibilityModel::Solid { .. }) {
            self.add(ShadowVolume::solid(self.apex, corners));
        }
    }

    fn add(&mut self, volume: Option<ShadowVolume>) {
        let Some(volume) = volume else { return };
        let lane = self.used % LANES;
        if lane == 0 {
            self.blocks.push([NOTHING; MAX_PLANES]);
        }
        self.used += 1;
        if let Some(block) = self.blocks.last_mut() {
            for (lanes, (normal, offset)) in block.iter_mut().zip(&volume.planes[..volume.count]) {
                (lanes.x[lane], lanes.y[lane], lanes.z[lane]) = (normal.x, normal.y, normal.z);
                lanes.offset[lane] = *offset;
            }
        }
    }

    /// Distances of a point to all planes, shared by the many segments that a search weighs from it.
    #[inline]
    pub(super) fn plane_distances(&self, p: Vec3) -> impl Iterator<Item = PlaneDistances> + '_ {
        let p = self.sight.target(p) - self.apex;
        self.blocks.iter().map(move |block| {
            let mut sides = [[0.0; LANES]; MAX_PLANES];
            for (side, plane) in sides.iter_mut().zip(&block[..self.planes]) {
                *side = plane.sides(p);
            }
            sides
        })
    }

    pub(super) fn counts_heights(&self) -> bool {
        matches!(self.sight, VisibilityModel::Solid { .. })
    }

    /// Number of [`PlaneDistances`] of a point.
    pub(super) fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Writes the hidden parts of the segment from a point with these distances to `q` into `out`.
    pub(super) fn hidden_from(&self, from: &[PlaneDistances], q: Vec3, out: &mut Intervals) {
        out.clear();
        let q = self.sight.target(q) - self.apex;
        for (block, from) in self.blocks.iter().zip(from) {
            self.clip(block, from, q, out);
        }
    }

    /// Writes the hidden parts of the segment from `p` to `q` into `out`.
    pub fn hidden(&self, p: Vec3, q: Vec3, out: &mut Intervals) {
        out.clear();
        let q = self.sight.target(q) - self.apex;
        for (block, from) in self.blocks.iter().zip(self.plane_distances(p)) {
            self.clip(block, &from, q, out);
        }
    }

    /// The [total](Intervals::total) of [`hidden_from`](Self::hidden_from) without an allocation, where at most eight
    /// covers are known.
    pub(super) fn total_from(&self, from: &[PlaneDistances], q: Vec3) -> Option<f32> {
        let ([block], [from]) = (&self.blocks[..], from) else { return None };
        let (enter, leave, mut met) = self.met(block, from, self.sight.target(q) - self.apex);
        let (mut parts, mut count) = ([(0.0f32, 0.0f32); LANES], 0);
        while met != 0 {
            let i = met.trailing_zeros() as usize;
            met &= met - 1;
            let mut at = count;
            while at > 0 && parts[at - 1].0 > enter[i] {
                parts[at] = parts[at - 1];
                at -= 1;
            }
            parts[at] = (enter[i], leave[i]);
            count += 1;
        }
        let (mut total, mut reached) = (0.0, 0.0f32);
        for &(from, to) in &parts[..count] {
            total += (to - from.max(reached)).max(0.0);
            reached = reached.max(to);
        }
        Some(total.clamp(0.0, 1.0))
    }

    /// Parameters at which the segment enters and leaves each of the eight volumes, and a bit per volume that it meets.
    #[inline(always)]
    fn met(&self, block: &[SoaPlane; MAX_PLANES], from: &PlaneDistances, q: Vec3) -> ([f32; LANES], [f32; LANES], u32) {
        let (mut enter, mut leave) = ([0.0f32; LANES], [1.0f32; LANES]);
        for (plane, from) in block[..self.planes].iter().zip(from) {
            clip_lanes(from, &plane.sides(q), &mut enter, &mut leave);
        }
        let met = (0..LANES).fold(0u32, |bits, i| bits | u32::from(enter[i] <= leave[i]) << i);
        (enter, leave, met)
    }

    fn clip(&self, block: &[SoaPlane; MAX_PLANES], from: &PlaneDistances, q: Vec3, out: &mut Intervals) {
        let (enter, leave, mut met) = self.met(block, from, q);
        while met != 0 {
            let i = met.trailing_zeros() as usize;
            out.add(enter[i], leave[i]);
            met &= met - 1;
        }
    }

    /// Fraction of the segment from `p` to `q` visible to the enemy, 0 (none) to 1 (all).
    pub fn exposure(&self, p: Vec3, q: Vec3, scratch: &mut Intervals) -> f32 {
        self.hidden(p, q, scratch);
        1.0 - scratch.total()
    }
}

/// [`ShadowVolume::clip`] by one plane of eight volumes, without a branch.
#[inline]
fn clip_lanes(p: &[f32; LANES], q: &[f32; LANES], enter: &mut [f32; LANES], leave: &mut [f32; LANES]) {
    for i in 0..LANES {
        let (s, t) = (p[i], q[i]);
        let cut = s / (s - t);
        // Behind at both ends: an entry after the end, so that the interval is empty.
        let from = if s < 0.0 { if t < 0.0 { 2.0 } else { cut } } else { 0.0 };
        let to = if s >= 0.0 && t < 0.0 { cut } else { 1.0 };
        enter[i] = if from > enter[i] { from } else { enter[i] };
        leave[i] = if to < leave[i] { to } else { leave[i] };
    }
}

#[cfg(test)]
mod tests;
