//! Tactical marks of polygons and the weights that agents give them.

use std::ops::BitOr;

use crate::nav::mesh::{Filter, NavMesh, PolyId};

/// Marks of a polygon, combined by `|`: thick bushes are [`SLOW`](Self::SLOW) `|` [`COVER`](Self::COVER).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u8);

impl Marks {
    /// No mark.
    pub const NONE: Self = Self(0);
    /// Slow ground: mud, undergrowth.
    pub const SLOW: Self = Self(1);
    /// Deep water: for amphibious agents only.
    pub const AMPHIBIOUS: Self = Self(2);
    /// Ground that provides cover by itself: characters in it are less exposed.
    pub const COVER: Self = Self(4);
    /// Unsafe ground, whether an enemy is in sight or not.
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

/// Number of areas.
const AREAS: usize = 64;

impl Markup {
    /// No marks.
    pub fn new(mesh: &NavMesh) -> Self {
        Self { polygons: vec![Marks::NONE; mesh.len()], areas: [Marks::NONE; AREAS] }
    }

    /// Marks by area, for any mesh: each polygon has the marks of its area. Area numbers from 64 on are ignored.
    pub fn from_areas(marks: impl IntoIterator<Item = (u8, Marks)>) -> Self {
        let mut areas = [Marks::NONE; AREAS];
        for (area, marks) in marks {
            if let Some(of) = areas.get_mut(usize::from(area)) {
                *of = *of | marks;
            }
        }
        Self { polygons: Vec::new(), areas }
    }

    /// Marks stored in the flags of the polygons: slow in bit `first_bit`, then amphibious, cover, vulnerable.
    pub fn from_flags(mesh: &NavMesh, first_bit: u32) -> Self {
        let marks = |flags: u16| Marks((flags.checked_shr(first_bit).unwrap_or(0) & 15) as u8);
        let mut all = Self::new(mesh);
        // Polygons that obstacles cut have no flags; their pieces have them.
        for id in mesh.live_polygons() {
            all.set(mesh.parent_poly(id), marks(mesh.polygon(id).flags));
        }
        all
    }

    /// Sets the marks of a polygon and of all pieces that obstacles leave of it; ignored for a polygon that does not
    /// exist, and without effect for a piece.
    pub fn set(&mut self, polygon: PolyId, marks: Marks) {
        if let Some(m) = self.polygons.get_mut(polygon.index()) {
            *m = marks;
        }
    }

    /// The marks of a polygon; pieces left by obstacles have those of their parent.
    pub fn get(&self, mesh: &NavMesh, polygon: PolyId) -> Marks {
        let own = self.polygons.get(mesh.parent_poly(polygon).index()).copied().unwrap_or_default();
        own | self.areas[usize::from(mesh.polygon(polygon).area) % AREAS]
    }
}

/// How an agent weighs paths. Factors multiply the cost of a metre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Biases {
    /// Extra cost of an exposed metre, metres; 0 ignores enemies.
    pub exposure: f32,
    /// Factor on slow ground.
    pub slow: f32,
    /// Factor on deep water; `None` for an agent that is not amphibious.
    pub amphibious: Option<f32>,
    /// Factor on ground that provides cover; below 1 it attracts the agent even without a known enemy.
    pub cover: f32,
    /// Fraction of the exposure removed by ground that provides cover, 0 to 1.
    pub concealment: f32,
    /// Factor on vulnerable ground.
    pub vulnerable: f32,
    /// Allows factors below 1: the heuristic is scaled down to stay admissible, at the price of more expansions. Factors
    /// below 1 are errors otherwise.
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
    /// Factor on a metre of ground with these marks; infinite where the agent is not allowed.
    pub fn factor(&self, marks: Marks) -> f32 {
        let factor = |mark: Marks, factor: f32| if marks.has(mark) { factor } else { 1.0 };
        factor(Marks::SLOW, self.slow)
            * factor(Marks::AMPHIBIOUS, self.amphibious.unwrap_or(f32::INFINITY))
            * factor(Marks::COVER, self.cover)
            * factor(Marks::VULNERABLE, self.vulnerable)
    }
}

/// The factors of all combinations of marks, and a lower bound of the cost of a metre.
pub(super) struct Factors {
    of: [f32; Marks::COMBINATIONS],
    concealment: f32,
    /// Lower bound of the cost of a metre.
    pub min_cost: f32,
}

impl Factors {
    /// # Errors
    /// Name and value of the first factor out of bounds.
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
        Ok(Self { of, concealment: biases.concealment, min_cost: least * area })
    }

    /// Factor on a metre with these marks; infinite where the agent is not allowed.
    pub(super) fn factor(&self, marks: Marks) -> f32 {
        self.of[usize::from(marks.0 & 15)]
    }

    /// Fraction of an exposure that remains on ground with these marks.
    pub(super) fn visibility(&self, marks: Marks) -> f32 {
        if marks.has(Marks::COVER) { 1.0 - self.concealment } else { 1.0 }
    }
}
