//! The part of a mesh that a change concerns, in plan view.

use glam::{Vec2, Vec3};

use crate::math::Aabb;
use crate::math::plan::to_plan;
use crate::nav::mesh::{NavMesh, PolyId};

/// Everything is invalidated when more than one polygon in this many has changed.
const MANY: usize = 4;
/// Room for rounding around areas, metres.
const SLACK: f32 = 1e-3;

/// An axis-aligned rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    min: Vec2,
    max: Vec2,
}

impl Area {
    /// That of nothing.
    pub(super) const NOWHERE: Self = Self { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY };

    pub(super) fn of(bounds: &Aabb) -> Self {
        Self { min: to_plan(bounds.min), max: to_plan(bounds.max) }
    }

    /// That of a line between two points.
    pub(super) fn between(a: Vec3, b: Vec3) -> Self {
        Self { min: to_plan(a.min(b)), max: to_plan(a.max(b)) }
    }

    pub(super) fn unite(&mut self, other: Self) {
        (self.min, self.max) = (self.min.min(other.min), self.max.max(other.max));
    }

    pub(super) fn grown(self, metres: f32) -> Self {
        Self { min: self.min - metres, max: self.max + metres }
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// The polygons that have changed, and the areas in which walls may have.
#[derive(Debug)]
pub(super) struct DirtyRegion {
    /// By their numbers in the whole mesh, ascending.
    polygons: Vec<PolyId>,
    areas: Vec<Area>,
    all: Area,
}

impl DirtyRegion {
    /// The changes since the mesh had the id `id`; `None` when most of it has changed or the changes are not known.
    pub(super) fn since(mesh: &NavMesh, id: u64) -> Option<Self> {
        let (polygons, recut) = (mesh.changed_since(id)?, mesh.reshaped_since(id)?);
        if polygons.len() * MANY > mesh.len() {
            return None;
        }
        let areas: Vec<Area> = recut.iter().map(|&p| Area::of(mesh.bounds_of(p)).grown(SLACK)).collect();
        let mut all = Area::NOWHERE;
        areas.iter().for_each(|&a| all.unite(a));
        Some(Self { polygons, areas, all })
    }

    /// Whether a polygon is one of them, or a piece of one.
    pub(super) fn holds(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.polygons.binary_search(&mesh.parent_poly(polygon)).is_ok()
    }

    /// Whether something changed in an area.
    pub(super) fn meets(&self, area: &Area) -> bool {
        self.all.meets(area) && self.areas.iter().any(|a| a.meets(area))
    }
}
