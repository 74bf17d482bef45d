//! Cover maps: per polygon, the few covers that matter for an enemy standing in it, chosen before any query.

mod cover_set;
mod cover_table;
mod selector;

pub use cover_set::{CoverId, MapSettings};

use glam::Vec3;
use rayon::prelude::*;

use super::cover::Cover;
use super::segment::CoverSegment;
use super::shadow::{Enemy, Shadow, VisibilityModel};
use crate::math::triangle::closest_point_on_segment;
use crate::nav::mesh::{NavMesh, PolyId};
use cover_set::CoverSet;
use cover_table::CoverTable;
use selector::CoverSelector;

/// The covers of a level and, per polygon, the few that hide most from an enemy standing in it.
#[derive(Clone, Debug)]
pub struct CoverMap {
    set: CoverSet,
    /// Number of segments; slabs follow them.
    segments: usize,
    table: CoverTable,
}

impl CoverMap {
    /// Chooses covers for every polygon of the mesh. Covers that are not finite are dropped.
    pub fn build(mesh: &NavMesh, segments: &[CoverSegment], slabs: &[[Vec3; 4]], mut settings: MapSettings) -> Self {
        (settings.capacity, settings.reach) = (settings.capacity.min(255), settings.reach.min(10_000.0));
        let all = segments.iter().map(|s| Cover::Segment(*s)).chain(slabs.iter().map(|s| Cover::Slab(*s)));
        let set = CoverSet::new(all, mesh, settings);
        let table = CoverTable::new(mesh.len(), settings.capacity, set.covers.len());
        let mut map = Self { set, segments: segments.len(), table };
        let choose = |selector: &mut CoverSelector, polygon: u32| {
            let mut chosen = Vec::new();
            selector.choose(&map.set, mesh, PolyId(polygon), &mut chosen);
            chosen
        };
        let rows: Vec<Vec<u32>> =
            (0..mesh.len() as u32).into_par_iter().map_init(CoverSelector::default, choose).collect();
        for (row, chosen) in rows.iter().enumerate() {
            map.table.set(row, chosen);
        }
        map
    }

    /// The settings it was built with.
    pub fn settings(&self) -> &MapSettings {
        &self.set.settings
    }

    /// Number of polygons.
    pub fn len(&self) -> usize {
        self.table.rows()
    }

    /// Whether it covers no polygon.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A cover; `None` after its removal.
    pub fn cover(&self, id: CoverId) -> Option<&Cover> {
        self.set.covers.get(id.0 as usize)?.as_ref()
    }

    /// The segments that were not removed.
    pub fn segments(&self) -> impl Iterator<Item = (CoverId, &CoverSegment)> {
        self.set.covers[..self.segments].iter().enumerate().filter_map(|(i, c)| match c {
            Some(Cover::Segment(s)) => Some((CoverId(i as u32), s)),
            _ => None,
        })
    }

    /// The floors and ceilings that were not removed.
    pub fn slabs(&self) -> impl Iterator<Item = &[Vec3; 4]> {
        self.set.covers[self.segments..].iter().filter_map(|c| match c {
            Some(Cover::Slab(corners)) => Some(corners),
            _ => None,
        })
    }

    /// All covers that were not removed.
    pub(super) fn covers(&self) -> impl Iterator<Item = &Cover> {
        self.set.covers.iter().flatten()
    }

    /// The segments that were not removed and pass a local point within `radius` metres at the ground.
    pub fn segments_near(&self, place: Vec3, radius: f32) -> impl Iterator<Item = CoverId> + '_ {
        let distance = move |s: &CoverSegment| closest_point_on_segment(s.a, s.b, place).distance(place);
        self.segments().filter(move |(_, s)| distance(s) <= radius).map(|(id, _)| id)
    }

    /// The covers chosen for an enemy in this polygon, the most useful first. Panics for a polygon that the mesh of the
    /// map does not have, such as a piece that an obstacle cut.
    pub fn covers_of(&self, polygon: PolyId) -> impl Iterator<Item = CoverId> + '_ {
        self.table.row(polygon.index()).map(CoverId)
    }

    /// Size of the table in bytes: polygons times capacity times 2 (4 from 65,535 covers on).
    pub fn table_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// The shadow that the covers of this polygon cast for an enemy in it.
    pub fn shadow(&self, enemy: &Enemy, polygon: PolyId, sight: VisibilityModel) -> Shadow {
        let mut shadow = Shadow::new(enemy, sight);
        for id in self.covers_of(polygon) {
            match self.cover(id) {
                Some(Cover::Segment(s)) => shadow.add_segment(s),
                Some(Cover::Slab(corners)) => shadow.add_slab(*corners),
                None => {}
            }
        }
        shadow
    }

    /// Removes a cover, as when it was destroyed, and chooses again wherever it was chosen: the map then equals that of
    /// a level that never had it. Returns the number of polygons whose covers changed.
    pub fn remove(&mut self, mesh: &NavMesh, id: CoverId) -> usize {
        if self.cover(id).is_none() {
            return 0;
        }
        self.set.covers[id.0 as usize] = None;
        // A cover that was not chosen had no influence on the choice of others: no other row can change, nor, in these
        // rows, what was chosen before it.
        let touched = self.table.rows_with(id.0);
        let again = |selector: &mut CoverSelector, &row: &usize| {
            let mut chosen: Vec<u32> = self.table.row(row).take_while(|c| *c != id.0).collect();
            selector.choose(&self.set, mesh, PolyId(row as u32), &mut chosen);
            chosen
        };
        let rows: Vec<Vec<u32>> = touched.par_iter().map_init(CoverSelector::default, again).collect();
        for (&row, chosen) in touched.iter().zip(&rows) {
            self.table.set(row, chosen);
        }
        touched.len()
    }
}
