//! Shadows of cover: the volumes that covers hide from an enemy, and the parts of a segment inside them.
//!
//! A volume is bounded by planes through the enemy's eye and the edges of the cover; a segment is clipped against all of
//! them (Cyrus and Beck, 1978), for eight volumes at once in structure-of-arrays form.

use crate::math::plan;
use glam::Vec3;

use super::cover::Cover;
use super::segment::{CoverClass, CoverSegment};
use crate::math::triangle::closest_point_on_segment;

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
/// A cover lies in a shadow also where it protrudes by this, metres.
const HULL_MARGIN: f32 = 1e-4;
/// Planes of a volume: the front and four sides.
const MAX_PLANES: usize = 5;
/// Planes in plan view: the front, two sides, and one for covers on other floors.
const FLAT_PLANES: usize = 4;

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
        let mut volume = Self::solid(eye, Cover::Segment(*cover).corners(skirt))?;
        volume.planes[0].1 +=
            if plan::cross(cover.a, cover.b, eye) > 0.0 { GROUND_SIDE_MARGIN } else { -GROUND_SIDE_MARGIN };
        Some(volume)
    }

    fn is_finite(&self) -> bool {
        self.planes.iter().all(|p| p.0.is_finite() && p.1.is_finite())
    }

    /// Adds what a cover on another floor asks of a character in plan view: one above the eyes hides only heads as high
    /// as its foot, one below the feet only feet as low as its top. Heads are as high above the feet as the enemy's eyes.
    fn keep_to_floor(&mut self, enemy: Vec3, eye_height: f32, cover: &CoverSegment) {
        let foot = cover.a.y.min(cover.b.y) - enemy.y;
        let top = cover.a.y.max(cover.b.y) + cover.height - enemy.y;
        if foot > eye_height {
            self.planes[3] = (Vec3::Y, foot - eye_height.max(0.0));
        } else if top < 0.0 {
            self.planes[3] = (Vec3::NEG_Y, -top);
        }
        self.count = FLAT_PLANES;
    }

    /// Per plane, the signed distance of points relative to the enemy: positive in front.
    pub(super) fn sides(&self) -> impl Iterator<Item = impl Fn(Vec3) -> f32 + '_> + '_ {
        let planes = self.planes[..self.count].iter().filter(|p| p.0 != Vec3::ZERO);
        planes.map(|(normal, offset)| move |p: Vec3| normal.dot(p) - offset)
    }

    /// Whether each of the planes has one of the points, relative to the enemy, in front by more than a margin: else no
    /// part of their hull is inside.
    pub(super) fn may_meet(&self, points: &[Vec3], margin: f32) -> bool {
        self.sides().all(|side| points.iter().any(|&p| side(p) > margin))
    }

    /// Whether a cover in plan view hides only from some heights.
    fn goes_by_height(&self) -> bool {
        self.count == FLAT_PLANES && self.planes[3].0 != Vec3::ZERO
    }

    /// Whether all points, relative to the enemy, lie inside.
    fn holds(&self, points: &[Vec3]) -> bool {
        self.sides().all(|side| points.iter().all(|&p| side(p) >= -HULL_MARGIN))
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
    eye_height: f32,
    sight: VisibilityModel,
    planes: usize,
    volumes: Vec<ShadowVolume>,
    blocks: Vec<[SoaPlane; MAX_PLANES]>,
    used: usize,
}

impl Shadow {
    /// A shadow without covers.
    pub fn new(enemy: &Enemy, sight: VisibilityModel) -> Self {
        let (apex, planes) = match sight {
            VisibilityModel::Flat { .. } => (enemy.position, FLAT_PLANES),
            VisibilityModel::Solid { .. } => (enemy.eye(), MAX_PLANES),
        };
        let eye_height = enemy.eye_height;
        Self { apex, eye_height, sight, planes, volumes: Vec::new(), blocks: Vec::new(), used: 0 }
    }

    /// The point that lines of sight begin at, local.
    pub(super) fn apex(&self) -> Vec3 {
        self.apex
    }

    /// The volume of a cover; `None` where it hides nothing.
    fn volume(&self, cover: &Cover) -> Option<ShadowVolume> {
        match (self.sight, cover) {
            (VisibilityModel::Flat { .. }, Cover::Slab(_)) => None,
            (VisibilityModel::Flat { crouching }, Cover::Segment(cover)) => {
                let hides = crouching || cover.class == CoverClass::Standing;
                let mut volume = ShadowVolume::flat(self.apex, cover.a, cover.b).filter(|_| hides)?;
                volume.keep_to_floor(self.apex, self.eye_height, cover);
                Some(volume)
            }
            (VisibilityModel::Solid { skirt, .. }, Cover::Segment(cover)) => {
                ShadowVolume::upright(self.apex, cover, skirt)
            }
            (VisibilityModel::Solid { .. }, Cover::Slab(corners)) => ShadowVolume::solid(self.apex, *corners),
        }
    }

    /// Adds covers, the nearest first, without those that lie in the shadow of others: they hide nothing more.
    pub(super) fn add_all<'a>(&mut self, covers: impl Iterator<Item = &'a Cover>) {
        let mut near: Vec<(f32, &Cover, ShadowVolume)> =
            covers.filter_map(|c| Some((self.distance_to(c), c, self.volume(c)?))).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Those that hide only from some heights come last: they cover no others.
        let (everywhere, by_height): (Vec<_>, Vec<_>) = near.into_iter().partition(|c| !c.2.goes_by_height());
        for (_, cover, volume) in everywhere {
            if !self.covers(cover) {
                self.add(Some(volume));
            }
        }
        let rest: Vec<_> = by_height.into_iter().filter(|c| !self.covers(c.1)).collect();
        rest.into_iter().for_each(|c| self.add(Some(c.2)));
    }

    /// Whether a cover lies in the shadow. In plan view what hides all of it hides all behind it, too; in space a single
    /// volume has to.
    fn covers(&self, cover: &Cover) -> bool {
        match (self.sight, cover) {
            (VisibilityModel::Flat { .. }, Cover::Segment(s)) => {
                let mut hidden = Intervals::default();
                self.hidden(s.a, s.b, &mut hidden);
                hidden.total() > 1.0 - HULL_MARGIN
            }
            (VisibilityModel::Flat { .. }, Cover::Slab(_)) => true,
            (VisibilityModel::Solid { skirt, .. }, cover) => {
                let corners = cover.corners(skirt).map(|c| c - self.apex);
                self.volumes.iter().any(|v| v.holds(&corners))
            }
        }
    }

    /// Distance of a cover's nearest corner or point to the eye, metres; by which order covers are added.
    fn distance_to(&self, cover: &Cover) -> f32 {
        match cover {
            Cover::Segment(s) => closest_point_on_segment(s.a, s.b, self.apex).distance(self.apex),
            Cover::Slab(corners) => corners.iter().map(|c| c.distance(self.apex)).fold(f32::INFINITY, f32::min),
        }
    }

    /// Adds a cover segment.
    pub fn add_segment(&mut self, cover: &CoverSegment) {
        self.add(self.volume(&Cover::Segment(*cover)));
    }

    /// Adds a slab: a flat convex polygon of floor or ceiling. In the flat model it hides nothing.
    pub fn add_slab(&mut self, corners: [Vec3; 4]) {
        self.add(self.volume(&Cover::Slab(corners)));
    }

    /// The volumes, in the order in which they were added.
    pub(super) fn volumes(&self) -> &[ShadowVolume] {
        &self.volumes
    }

    /// What has to be hidden of a character at this position, relative to the enemy.
    pub(super) fn target(&self, foot: Vec3) -> Vec3 {
        self.sight.target(foot) - self.apex
    }

    fn add(&mut self, volume: Option<ShadowVolume>) {
        let Some(volume) = volume else { return };
        self.volumes.push(volume);
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

    /// Whether it depends on heights: in space, and where there are covers on other floors.
    pub(super) fn counts_heights(&self) -> bool {
        match self.sight {
            VisibilityModel::Solid { .. } => true,
            VisibilityModel::Flat { .. } => self.volumes.iter().any(ShadowVolume::goes_by_height),
        }
    }

    /// Writes the hidden parts of the segment from `p` to `q` into `out`.
    pub fn hidden(&self, p: Vec3, q: Vec3, out: &mut Intervals) {
        out.clear();
        let (p, q) = (self.target(p), self.target(q));
        for block in &self.blocks {
            let (mut enter, mut leave) = ([0.0f32; LANES], [1.0f32; LANES]);
            for plane in &block[..self.planes] {
                clip_lanes(&plane.sides(p), &plane.sides(q), &mut enter, &mut leave);
            }
            let mut met = (0..LANES).fold(0u32, |bits, i| bits | u32::from(enter[i] <= leave[i]) << i);
            while met != 0 {
                let i = met.trailing_zeros() as usize;
                out.add(enter[i], leave[i]);
                met &= met - 1;
            }
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
