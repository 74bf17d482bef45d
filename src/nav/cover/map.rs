//! Which covers matter for an enemy who stands in a polygon: a small table per polygon, made ahead of all queries.

mod table;
mod view;

use glam::Vec3;
use rayon::prelude::*;

use super::segment::CoverSegment;
use super::wedge::{Enemy, Lee, Sight};
use crate::math::Aabb;
use crate::math::triangle::closest_point_on_segment;
use crate::nav::mesh::{Grid, NavMesh, PolyId};
use table::Table;
use view::Chooser;

/// A cover of a [`CoverMap`]: segments first, in the order given, then slabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoverId(pub u32);

/// How maps are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapSettings {
    /// Most covers per polygon, up to 255.
    pub capacity: usize,
    /// Covers farther off than this do not matter, in metres, up to 10,000.
    pub reach: f32,
    /// How high an enemy's eyes are, in metres.
    pub eye_height: f32,
}

impl Default for MapSettings {
    fn default() -> Self {
        Self { capacity: 8, reach: 40.0, eye_height: 1.7 }
    }
}

/// A cover as the map keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cover {
    /// An obstacle beside the mesh.
    Segment(CoverSegment),
    /// A flat, convex polygon of floor or ceiling; three corners repeat the last.
    Slab([Vec3; 4]),
}

impl Cover {
    fn bounds(&self) -> Aabb {
        match self {
            Self::Segment(s) => Aabb::from_points([s.a, s.b, s.a + Vec3::Y * s.height, s.b + Vec3::Y * s.height]),
            Self::Slab(corners) => Aabb::from_points(*corners),
        }
    }

    fn is_finite(&self) -> bool {
        match self {
            Self::Segment(s) => s.a.is_finite() && s.b.is_finite() && s.height.is_finite(),
            Self::Slab(corners) => corners.iter().all(|c| c.is_finite()),
        }
    }
}

/// The covers of a level and, per polygon, the few that hide most from whoever stands in it.
#[derive(Clone, Debug)]
pub struct CoverMap {
    settings: MapSettings,
    /// None: removed.
    covers: Vec<Option<Cover>>,
    segments: usize,
    grid: Grid,
    table: Table,
}

impl CoverMap {
    /// Chooses covers for every polygon of the mesh. Covers that are not finite are left out.
    pub fn build(mesh: &NavMesh, segments: &[CoverSegment], slabs: &[[Vec3; 4]], mut settings: MapSettings) -> Self {
        (settings.capacity, settings.reach) = (settings.capacity.min(255), settings.reach.min(10_000.0));
        let all = segments.iter().map(|s| Cover::Segment(*s)).chain(slabs.iter().map(|s| Cover::Slab(*s)));
        let covers: Vec<Option<Cover>> = all.map(|c| Some(c).filter(Cover::is_finite)).collect();
        // What was left out stays out of reach of every question to the grid: it is skipped when met.
        let somewhere = Aabb::from_points([mesh.bounds().center()]);
        let boxes: Vec<Aabb> = covers.iter().map(|c| c.map_or(somewhere, |c| c.bounds())).collect();
        let mut map = Self {
            table: Table::new(mesh.len(), settings.capacity, covers.len()),
            grid: Grid::build(&boxes),
            segments: segments.len(),
            covers,
            settings,
        };
        let choose = |chooser: &mut Chooser, polygon: u32| {
            let mut chosen = Vec::new();
            chooser.choose(&map, mesh, PolyId(polygon), &mut chosen);
            chosen
        };
        let rows: Vec<Vec<u32>> = (0..mesh.len() as u32).into_par_iter().map_init(Chooser::default, choose).collect();
        for (row, chosen) in rows.iter().enumerate() {
            map.table.set(row, chosen);
        }
        map
    }

    /// How it was made.
    pub fn settings(&self) -> &MapSettings {
        &self.settings
    }

    /// How many polygons it knows.
    pub fn len(&self) -> usize {
        self.table.rows()
    }

    /// Whether it is that of no mesh at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A cover, unless it was removed.
    pub fn cover(&self, id: CoverId) -> Option<&Cover> {
        self.covers.get(id.0 as usize)?.as_ref()
    }

    /// The segments that still stand, for drawing.
    pub fn segments(&self) -> impl Iterator<Item = (CoverId, &CoverSegment)> {
        self.covers[..self.segments].iter().enumerate().filter_map(|(i, c)| match c {
            Some(Cover::Segment(s)) => Some((CoverId(i as u32), s)),
            _ => None,
        })
    }

    /// The floors and ceilings, for drawing.
    pub fn slabs(&self) -> impl Iterator<Item = &[Vec3; 4]> {
        self.covers[self.segments..].iter().filter_map(|c| match c {
            Some(Cover::Slab(corners)) => Some(corners),
            _ => None,
        })
    }

    /// The segments that still stand and pass a place, local, within `radius` metres at the ground.
    pub fn segments_near(&self, place: Vec3, radius: f32) -> impl Iterator<Item = CoverId> + '_ {
        let distance = move |s: &CoverSegment| closest_point_on_segment(s.a, s.b, place).distance(place);
        self.segments().filter(move |(_, s)| distance(s) <= radius).map(|(id, _)| id)
    }

    /// The covers that matter for an enemy in this polygon, the most useful first.
    pub fn covers_of(&self, polygon: PolyId) -> impl Iterator<Item = CoverId> + '_ {
        self.table.row(polygon.index()).map(CoverId)
    }

    /// Size of the table in bytes: polygons times capacity times 2 (4 from 65,535 covers on).
    pub fn table_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// What the map hides from an enemy in this polygon.
    pub fn lee(&self, enemy: &Enemy, polygon: PolyId, sight: Sight) -> Lee {
        let mut lee = Lee::new(enemy, sight);
        for id in self.covers_of(polygon) {
            match self.cover(id) {
                Some(Cover::Segment(s)) => lee.add_segment(s),
                Some(Cover::Slab(corners)) => lee.add_slab(*corners),
                None => {}
            }
        }
        lee
    }

    /// Takes a cover away (something was blown up) and chooses anew where it was chosen: afterwards the map is that
    /// of a level that never had it. Answers how many polygons were touched.
    pub fn remove(&mut self, mesh: &NavMesh, id: CoverId) -> usize {
        if self.cover(id).is_none() {
            return 0;
        }
        self.covers[id.0 as usize] = None;
        // A cover that was not chosen had no part in the choice of others, so that no other row can change, and in
        // these rows nothing that was chosen before it.
        let touched = self.table.rows_with(id.0);
        let again = |chooser: &mut Chooser, &row: &usize| {
            let mut chosen: Vec<u32> = self.table.row(row).take_while(|c| *c != id.0).collect();
            chooser.choose(self, mesh, PolyId(row as u32), &mut chosen);
            chosen
        };
        let rows: Vec<Vec<u32>> = touched.par_iter().map_init(Chooser::default, again).collect();
        for (&row, chosen) in touched.iter().zip(&rows) {
            self.table.set(row, chosen);
        }
        touched.len()
    }
}

#[cfg(test)]
mod tests;
