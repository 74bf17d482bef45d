//! What designers say about polygons, and what agents make of it.

use std::ops::BitOr;

use crate::nav::mesh::{Filter, NavMesh, PolyId};

/// Marks of a polygon; they combine: thick bushes are [`SLOW`](Self::SLOW) `|` [`COVER`](Self::COVER).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u8);

impl Marks {
    /// Nothing special.
    pub const NONE: Self = Self(0);
    /// Mud, undergrowth: one gets on slowly.
    pub const SLOW: Self = Self(1);
    /// Deep water: for amphibious agents only.
    pub const AMPHIBIOUS: Self = Self(2);
    /// It provides cover by itself: whoever is in it is less exposed.
    pub const COVER: Self = Self(4);
    /// Unsafe whether anyone is in sight or not.
    pub const VULNERABLE: Self = Self(8);
    const COMBINATIONS: usize = 16;

    /// Whether all of these are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Marks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The marks of a mesh's polygons, one by one and by their areas.
#[derive(Clone, Debug, PartialEq)]
pub struct Markup {
    polygons: Vec<Marks>,
    areas: [Marks; AREAS],
}

/// How many areas there are.
const AREAS: usize = 64;

impl Markup {
    /// No marks at all.
    pub fn new(mesh: &NavMesh) -> Self {
        Self { polygons: vec![Marks::NONE; mesh.len()], areas: [Marks::NONE; AREAS] }
    }

    /// Marks of areas (numbers from 64 on are dropped), whatever the mesh: each polygon has those of its own.
    pub fn of_areas(marks: impl IntoIterator<Item = (u8, Marks)>) -> Self {
        let mut areas = [Marks::NONE; AREAS];
        for (area, marks) in marks {
            if let Some(of) = areas.get_mut(usize::from(area)) {
                *of = *of | marks;
            }
        }
        Self { polygons: Vec::new(), areas }
    }

    /// Marks kept in the polygons' flags: slow in bit `first_bit`, then amphibious, cover, vulnerable.
    pub fn from_flags(mesh: &NavMesh, first_bit: u32) -> Self {
        let marks = |flags: u16| Marks((flags.checked_shr(first_bit).unwrap_or(0) & 15) as u8);
        Self { polygons: mesh.polygons().iter().map(|p| marks(p.flags)).collect(), areas: [Marks::NONE; AREAS] }
    }

    /// Replaces the marks of a polygon; those of a polygon that is not there are dropped.
    pub fn set(&mut self, polygon: PolyId, marks: Marks) {
        if let Some(m) = self.polygons.get_mut(polygon.index()) {
            *m = marks;
        }
    }

    /// The marks of a polygon; the pieces that obstacles leave of one have its marks.
    pub fn get(&self, mesh: &NavMesh, polygon: PolyId) -> Marks {
        let own = self.polygons.get(mesh.whole(polygon).index()).copied().unwrap_or_default();
        own | self.areas[usize::from(mesh.polygon(polygon).area) % AREAS]
    }
}

/// How an agent weighs ways. Factors multiply the cost of a metre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Biases {
    /// A metre in the enemy's sight costs this much more, in metres; 0: he does not care.
    pub exposure: f32,
    /// Factor on slow ground.
    pub slow: f32,
    /// Factor where only amphibious agents go; none: he is not one.
    pub amphibious: Option<f32>,
    /// Factor on ground that provides cover; below 1 he looks for it even where no enemy is known.
    pub cover: f32,
    /// How much of the exposure ground that provides cover takes away, 0 (nothing) to 1 (all).
    pub concealment: f32,
    /// Factor on vulnerable ground.
    pub vulnerable: f32,
    /// Allow factors below 1: the search's estimate is scaled down, which keeps results the cheapest but makes it
    /// look farther. Otherwise such factors are refused.
    pub scaled: bool,
}

impl Default for Biases {
    fn default() -> Self {
        Self {
            exposure: 1.0,
            slow: 2.0,
            amphibious: None,
            cover: 1.0,
            concealment: 1.0,
            vulnerable: 2.0,
            scaled: false,
        }
    }
}

impl Biases {
    /// Factor on a metre of ground with these marks; infinite where the agent may not go.
    pub fn factor(&self, marks: Marks) -> f32 {
        let factor = |mark: Marks, factor: f32| if marks.has(mark) { factor } else { 1.0 };
        factor(Marks::SLOW, self.slow)
            * factor(Marks::AMPHIBIOUS, self.amphibious.unwrap_or(f32::INFINITY))
            * factor(Marks::COVER, self.cover)
            * factor(Marks::VULNERABLE, self.vulnerable)
    }
}

/// The factors of all combinations of marks, and the least that a metre can cost.
pub(super) struct Factors {
    of: [f32; Marks::COMBINATIONS],
    concealment: f32,
    /// Lower bound of what a metre costs.
    pub least: f32,
}

impl Factors {
    /// The name and value of the first factor that is out of bounds, if there is one.
    pub(super) fn new(biases: &Biases, filter: &Filter) -> Result<Self, (String, f32)> {
        let named = [
            ("slow", biases.slow),
            ("amphibious", biases.amphibious.unwrap_or(1.0)),
            ("cover", biases.cover),
            ("vulnerable", biases.vulnerable),
        ];
        let bound = |v: f32| v.is_finite() && if biases.scaled { v > 0.0 } else { v >= 1.0 };
        if let Some((name, value)) = named.iter().find(|n| !bound(n.1)) {
            return Err(((*name).to_owned(), *value));
        }
        if let Some((area, cost)) = filter.cost.iter().enumerate().find(|c| !bound(*c.1)) {
            return Err((format!("area {area}"), *cost));
        }
        if !(biases.exposure.is_finite() && biases.exposure >= 0.0) {
            return Err(("exposure".to_owned(), biases.exposure));
        }
        if !(0.0..=1.0).contains(&biases.concealment) {
            return Err(("concealment".to_owned(), biases.concealment));
        }
        let of = std::array::from_fn(|marks| biases.factor(Marks(marks as u8)));
        let least = of.iter().copied().fold(f32::INFINITY, f32::min);
        let area = filter.cost.iter().copied().fold(f32::INFINITY, f32::min);
        Ok(Self { of, concealment: biases.concealment, least: least * area })
    }

    /// What a metre costs; infinite where the agent may not go.
    pub(super) fn of(&self, marks: Marks) -> f32 {
        self.of[usize::from(marks.0 & 15)]
    }

    /// What remains of an exposure on ground with these marks.
    pub(super) fn visible(&self, marks: Marks) -> f32 {
        if marks.has(Marks::COVER) { 1.0 - self.concealment } else { 1.0 }
    }
}
