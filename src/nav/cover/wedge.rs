//! What lies in the lee of cover: planes from the enemy over a segment's ends, and how much of a path they hide.

use crate::math::plan;
use glam::Vec3;

use super::segment::{CoverClass, CoverSegment};

/// Someone to hide from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enemy {
    /// Where he stands, local.
    pub position: Vec3,
    /// How high his eyes are over that, in metres.
    pub eye_height: f32,
}

impl Enemy {
    /// One of 1.8 m.
    pub fn at(position: Vec3) -> Self {
        Self { position, eye_height: 1.7 }
    }

    /// Where the eyes are.
    pub fn eye(&self) -> Vec3 {
        self.position + Vec3::Y * self.eye_height
    }
}

/// How cover is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sight {
    /// As seen from above: all behind a segment is hidden, however far and high. A walker who does not duck is
    /// hidden by standing cover alone.
    Flat {
        /// The walker ducks.
        crouching: bool,
    },
    /// In space: a segment is an upright rectangle, a slab a level polygon; a walker is hidden where his head is.
    Solid {
        /// The walker's height in metres.
        body_height: f32,
        /// How far an obstacle goes on below the ground beside it, in metres; below that one may see through.
        skirt: f32,
    },
}

impl Default for Sight {
    fn default() -> Self {
        Self::Flat { crouching: false }
    }
}

impl Sight {
    /// What has to be hidden of someone at this place.
    fn target(&self, foot: Vec3) -> Vec3 {
        match self {
            Self::Flat { .. } => foot,
            Self::Solid { body_height, .. } => foot + Vec3::Y * *body_height,
        }
    }
}

/// An enemy this near to the plane of a cover, in metres, sees along it and is hidden by nothing.
const ALONG: f32 = 1e-4;
/// Whoever walks this near to a cover's line, in metres, walks on its ground side.
const BESIDE: f32 = 1e-3;
/// Front and four sides.
const MOST_PLANES: usize = 5;

/// The space that one cover hides from one enemy: in front of all its planes.
#[derive(Clone, Copy, Debug)]
pub struct Wedge {
    /// Normal and offset each, relative to the enemy: in front is `normal · point >= offset`.
    planes: [(Vec3, f32); MOST_PLANES],
    count: usize,
}

impl Wedge {
    /// Three upright planes: through the cover from `a` to `b`, and from the enemy over either end. None where the
    /// enemy stands on the cover's line: it hides nothing from him.
    pub fn flat(enemy: Vec3, a: Vec3, b: Vec3) -> Option<Self> {
        let level = |v: Vec3| Vec3::new(v.x, 0.0, v.z);
        let (a, b) = (level(a - enemy), level(b - enemy));
        let left = Vec3::new(a.z - b.z, 0.0, b.x - a.x).try_normalize()?;
        let offset = left.dot(a);
        if !(offset.abs() > ALONG) {
            return None;
        }
        // The ground side counts as before the cover: for an enemy there, the lee begins a little behind the line.
        let front = if offset > 0.0 { (left, offset - BESIDE) } else { (-left, -offset + BESIDE) };
        let side = |tip: Vec3, other: Vec3| {
            let normal = Vec3::new(-tip.z, 0.0, tip.x).try_normalize()?;
            Some((if normal.dot(other) >= 0.0 { normal } else { -normal }, 0.0))
        };
        let none = (Vec3::ZERO, 0.0);
        Some(Self { planes: [front, side(a, b)?, side(b, a)?, none, none], count: 3 }).filter(Self::is_finite)
    }

    /// The frustum from an eye over the edges of a flat, convex polygon with four corners, cut off before it. None
    /// where the eye lies in its plane.
    pub fn solid(eye: Vec3, corners: [Vec3; 4]) -> Option<Self> {
        let c = corners.map(|v| v - eye);
        // Diagonals, so that two corners may be one.
        let normal = (c[2] - c[0]).cross(c[3] - c[1]).try_normalize()?;
        let middle = (c[0] + c[1] + c[2] + c[3]) * 0.25;
        let offset = normal.dot(middle);
        if !(offset.abs() > ALONG) {
            return None;
        }
        let front = if offset > 0.0 { (normal, offset) } else { (-normal, -offset) };
        let mut wedge = Self { planes: [front; MOST_PLANES], count: MOST_PLANES };
        for i in 0..4 {
            if let Some(side) = c[i].cross(c[(i + 1) % 4]).try_normalize() {
                wedge.planes[i + 1] = (if side.dot(middle) >= 0.0 { side } else { -side }, 0.0);
            }
        }
        Some(wedge).filter(Self::is_finite)
    }

    /// The upright rectangle over a segment.
    fn upright(eye: Vec3, cover: &CoverSegment, skirt: f32) -> Option<Self> {
        let (low, high) = (Vec3::Y * -skirt, Vec3::Y * cover.height);
        let mut wedge = Self::solid(eye, [cover.a + low, cover.b + low, cover.b + high, cover.a + high])?;
        wedge.planes[0].1 += if plan::cross(cover.a, cover.b, eye) > 0.0 { BESIDE } else { -BESIDE };
        Some(wedge)
    }

    fn is_finite(&self) -> bool {
        self.planes.iter().all(|p| p.0.is_finite() && p.1.is_finite())
    }

    /// The part of the way from `p` to `q` that is in front of all planes, 0 at `p` to 1 at `q`. Both are relative to
    /// the enemy (flat: to where he stands; solid: to his eye).
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

/// Disjoint parts of the way from 0 to 1, in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intervals(Vec<(f32, f32)>);

impl Intervals {
    /// The parts.
    pub fn parts(&self) -> &[(f32, f32)] {
        &self.0
    }

    /// Their common length, 0 to 1.
    pub fn total(&self) -> f32 {
        self.0.iter().map(|i| i.1 - i.0).sum::<f32>().clamp(0.0, 1.0)
    }

    /// Adds a part; what overlaps or touches is united.
    #[inline]
    pub fn add(&mut self, from: f32, to: f32) {
        if self.0.last().is_none_or(|last| last.1 < from) {
            self.0.push((from, to));
        } else {
            self.unite(from, to);
        }
    }

    /// Adds a part that does not simply follow the last.
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

    /// Keeps what is in `other`, too.
    pub fn keep(&mut self, other: &Self) {
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

/// The same plane of eight wedges, side by side for the processor's vector unit.
#[derive(Clone, Copy, Debug)]
struct PlaneLanes {
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
    offset: [f32; LANES],
}

/// Distances of a place to the planes of eight wedges, positive in front.
pub(super) type Sides = [[f32; LANES]; MOST_PLANES];

impl PlaneLanes {
    #[inline(always)]
    fn sides(&self, p: Vec3) -> [f32; LANES] {
        let mut sides = [0.0; LANES];
        for (i, side) in sides.iter_mut().enumerate() {
            *side = self.x[i] * p.x + self.y[i] * p.y + self.z[i] * p.z - self.offset[i];
        }
        sides
    }
}

/// Everything is behind it.
const NOTHING: PlaneLanes = PlaneLanes { x: [0.0; LANES], y: [0.0; LANES], z: [0.0; LANES], offset: [1.0; LANES] };

/// All that is hidden from one enemy by a list of covers.
#[derive(Clone, Debug)]
pub struct Lee {
    /// Where the wedges' tips are.
    apex: Vec3,
    sight: Sight,
    planes: usize,
    blocks: Vec<[PlaneLanes; MOST_PLANES]>,
    used: usize,
}

impl Lee {
    /// No cover yet.
    pub fn new(enemy: &Enemy, sight: Sight) -> Self {
        let (apex, planes) = match sight {
            Sight::Flat { .. } => (enemy.position, 3),
            Sight::Solid { .. } => (enemy.eye(), MOST_PLANES),
        };
        Self { apex, sight, planes, blocks: Vec::new(), used: 0 }
    }

    /// Where what is seen is seen from.
    pub(super) fn apex(&self) -> Vec3 {
        self.apex
    }

    /// Adds a segment.
    pub fn add_segment(&mut self, cover: &CoverSegment) {
        let wedge = match self.sight {
            Sight::Flat { crouching: false } if cover.class == CoverClass::Crouching => None,
            Sight::Flat { .. } => Wedge::flat(self.apex, cover.a, cover.b),
            Sight::Solid { skirt, .. } => Wedge::upright(self.apex, cover, skirt),
        };
        self.add(wedge);
    }

    /// Adds a slab: a flat, convex polygon of floor or ceiling. Seen from above it hides nothing.
    pub fn add_slab(&mut self, corners: [Vec3; 4]) {
        if matches!(self.sight, Sight::Solid { .. }) {
            self.add(Wedge::solid(self.apex, corners));
        }
    }

    fn add(&mut self, wedge: Option<Wedge>) {
        let Some(wedge) = wedge else { return };
        let lane = self.used % LANES;
        if lane == 0 {
            self.blocks.push([NOTHING; MOST_PLANES]);
        }
        self.used += 1;
        if let Some(block) = self.blocks.last_mut() {
            for (lanes, (normal, offset)) in block.iter_mut().zip(&wedge.planes[..wedge.count]) {
                (lanes.x[lane], lanes.y[lane], lanes.z[lane]) = (normal.x, normal.y, normal.z);
                lanes.offset[lane] = *offset;
            }
        }
    }

    /// Where a place lies to all planes; a search asks once for many ways from there.
    #[inline]
    pub(super) fn sides(&self, p: Vec3) -> impl Iterator<Item = Sides> + '_ {
        let p = self.sight.target(p) - self.apex;
        self.blocks.iter().map(move |block| {
            let mut sides = [[0.0; LANES]; MOST_PLANES];
            for (side, plane) in sides.iter_mut().zip(&block[..self.planes]) {
                *side = plane.sides(p);
            }
            sides
        })
    }

    pub(super) fn counts_heights(&self) -> bool {
        matches!(self.sight, Sight::Solid { .. })
    }

    /// How many [`Sides`] a place has.
    pub(super) fn side_count(&self) -> usize {
        self.blocks.len()
    }

    /// Puts the hidden parts of the way from a place with these sides to `q` into `out`.
    pub(super) fn hidden_from(&self, from: &[Sides], q: Vec3, out: &mut Intervals) {
        out.clear();
        let q = self.sight.target(q) - self.apex;
        for (block, from) in self.blocks.iter().zip(from) {
            self.clip(block, from, q, out);
        }
    }

    /// Puts the hidden parts of the way from `p` to `q` into `out`.
    pub fn hidden(&self, p: Vec3, q: Vec3, out: &mut Intervals) {
        out.clear();
        let q = self.sight.target(q) - self.apex;
        for (block, from) in self.blocks.iter().zip(self.sides(p)) {
            self.clip(block, &from, q, out);
        }
    }

    /// [`total`](Intervals::total) of what [`hidden_from`](Self::hidden_from) gives, if these covers are few enough
    /// to be told on the stack.
    pub(super) fn total_from(&self, from: &[Sides], q: Vec3) -> Option<f32> {
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

    /// Where the way from a place with these sides to `q` enters and leaves the lanes' wedges, and which it meets.
    #[inline(always)]
    fn met(&self, block: &[PlaneLanes; MOST_PLANES], from: &Sides, q: Vec3) -> ([f32; LANES], [f32; LANES], u32) {
        let (mut enter, mut leave) = ([0.0f32; LANES], [1.0f32; LANES]);
        for (plane, from) in block[..self.planes].iter().zip(from) {
            clip_lanes(from, &plane.sides(q), &mut enter, &mut leave);
        }
        let met = (0..LANES).fold(0u32, |bits, i| bits | u32::from(enter[i] <= leave[i]) << i);
        (enter, leave, met)
    }

    fn clip(&self, block: &[PlaneLanes; MOST_PLANES], from: &Sides, q: Vec3, out: &mut Intervals) {
        let (enter, leave, mut met) = self.met(block, from, q);
        while met != 0 {
            let i = met.trailing_zeros() as usize;
            out.add(enter[i], leave[i]);
            met &= met - 1;
        }
    }

    /// Which part of the way from `p` to `q` the enemy sees: 0 (none) to 1 (all).
    pub fn exposure(&self, p: Vec3, q: Vec3, scratch: &mut Intervals) -> f32 {
        self.hidden(p, q, scratch);
        1.0 - scratch.total()
    }
}

/// [`Wedge::clip`] by one plane, eight wedges at once, without a branch.
#[inline]
fn clip_lanes(p: &[f32; LANES], q: &[f32; LANES], enter: &mut [f32; LANES], leave: &mut [f32; LANES]) {
    for i in 0..LANES {
        let (s, t) = (p[i], q[i]);
        let cut = s / (s - t);
        // Behind at both ends: entered after the end.
        let from = if s < 0.0 { if t < 0.0 { 2.0 } else { cut } } else { 0.0 };
        let to = if s >= 0.0 && t < 0.0 { cut } else { 1.0 };
        enter[i] = if from > enter[i] { from } else { enter[i] };
        leave[i] = if to < leave[i] { to } else { leave[i] };
    }
}

#[cfg(test)]
mod tests;
