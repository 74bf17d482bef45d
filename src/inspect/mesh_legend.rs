//! What the colours of the mesh overlay mean, with a legend; derived once for each mesh and colouring.

use crate::debug::Color;
use crate::nav::mesh::debug::{MeshColoring, UNFLAGGED, area_color, number_color};
use crate::nav::mesh::{NavMesh, PolyId};
use crate::scene::SceneNav;
use crate::scene::nav::{AreaRule, Mark};
use crate::sim::nav_mesh::{BuiltMesh, MeshState};
use std::collections::BTreeMap;

/// Most rows of a legend.
const MAX_ROWS: usize = 6;

/// A colour and what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendRow {
    /// The colour in the picture, linear.
    pub color: Color,
    /// What it means.
    pub text: String,
}

/// What the legend was derived from.
#[derive(Clone, Debug, PartialEq)]
struct LegendSources {
    mesh: u64,
    coloring: MeshColoring,
    areas: Vec<AreaRule>,
}

/// The colours of the mesh overlay.
#[derive(Clone, Debug, Default)]
pub struct MeshLegend {
    coloring: MeshColoring,
    sources: Option<LegendSources>,
    rows: Vec<LegendRow>,
    left_off: usize,
    /// Per island its place in the order of size, the largest first.
    ranks: Vec<u32>,
}

/// Polygons of one colour.
#[derive(Clone, Copy, Debug, Default)]
struct ColorSum {
    square_metres: f64,
    polygons: usize,
}

impl MeshLegend {
    /// What the colours mean.
    pub fn coloring(&self) -> MeshColoring {
        self.coloring
    }

    /// Changes what the colours mean; [`reconcile`](Self::reconcile) follows.
    pub fn set_coloring(&mut self, coloring: MeshColoring) {
        self.coloring = coloring;
    }

    /// The rows, the most important first.
    pub fn rows(&self) -> &[LegendRow] {
        &self.rows
    }

    /// How many more there would be.
    pub fn left_off(&self) -> usize {
        self.left_off
    }

    /// Brings the legend in line with the mesh. Cheap when nothing changed.
    pub fn reconcile(&mut self, state: &MeshState, nav: &SceneNav) {
        let (Some(mesh), Some(built)) = (state.current(), state.built()) else {
            *self = Self { coloring: self.coloring, ..Self::default() };
            return;
        };
        let sources = LegendSources { mesh: mesh.id(), coloring: self.coloring, areas: nav.areas.clone() };
        if self.sources.as_ref() == Some(&sources) {
            return;
        }
        self.sources = Some(sources);
        self.ranks = ranks_by_size(mesh);
        let (mut sums, mut barred) = (BTreeMap::<u32, ColorSum>::new(), ColorSum::default());
        for id in mesh.live_polygons() {
            let key = self.key(built, mesh, id);
            let sum = if mesh.polygon(id).flags == 0 { &mut barred } else { sums.entry(key).or_default() };
            sum.square_metres += mesh.area_m2(id);
            sum.polygons += 1;
        }
        let mut sums: Vec<(u32, ColorSum)> = sums.into_iter().collect();
        if self.coloring == MeshColoring::Region {
            sums.sort_by(|a, b| b.1.square_metres.total_cmp(&a.1.square_metres));
        }
        self.left_off = sums.len().saturating_sub(MAX_ROWS);
        sums.truncate(MAX_ROWS);
        self.rows = sums.iter().map(|&(key, sum)| self.row(key, sum, nav)).collect();
        if barred.polygons > 0 {
            self.rows.push(LegendRow { color: UNFLAGGED, text: format!("Barred, {}", size(barred)) });
        }
    }

    /// The colour of a polygon.
    pub fn color_of(&self, built: &BuiltMesh, mesh: &NavMesh, id: PolyId) -> Color {
        self.color(self.key(built, mesh, id))
    }

    fn color(&self, key: u32) -> Color {
        match self.coloring {
            MeshColoring::Area => area_color(key as u8),
            MeshColoring::Island | MeshColoring::Region => number_color(key),
        }
    }

    /// The number by which a polygon is coloured.
    fn key(&self, built: &BuiltMesh, mesh: &NavMesh, id: PolyId) -> u32 {
        let polygon = mesh.polygon(id);
        match self.coloring {
            MeshColoring::Area => u32::from(polygon.area),
            MeshColoring::Island => self.ranks.get(polygon.island as usize).copied().unwrap_or(polygon.island),
            MeshColoring::Region => {
                let source = mesh.source(mesh.parent_poly(id)) as usize;
                built.baked.as_ref().and_then(|baked| baked.region_of.get(source)).copied().unwrap_or(0)
            }
        }
    }

    fn row(&self, key: u32, sum: ColorSum, nav: &SceneNav) -> LegendRow {
        let text = match self.coloring {
            MeshColoring::Area => format!("{}, {}", area_name(key, nav), size(sum)),
            MeshColoring::Island => format!("Island {}, {}", key + 1, size(sum)),
            MeshColoring::Region if key == 0 => format!("No regions: this mesh is not baked, {}", size(sum)),
            MeshColoring::Region => format!("Region {key}, {}", size(sum)),
        };
        LegendRow { color: self.color(key), text }
    }
}

/// An area with what the scene says about it.
fn area_name(area: u32, nav: &SceneNav) -> String {
    let mut name = if area == 0 { "Ground".to_owned() } else { format!("Area {area}") };
    let Some(rule) = nav.areas.iter().find(|rule| u32::from(rule.area) == area) else { return name };
    if rule.cost != 1.0 {
        name += &format!(", cost {:.2}", rule.cost);
    }
    for mark in &rule.marks {
        name += match mark {
            Mark::Slow => ", slow",
            Mark::Amphibious => ", amphibious",
            Mark::Cover => ", cover",
            Mark::Vulnerable => ", vulnerable",
        };
    }
    name
}

fn size(sum: ColorSum) -> String {
    let digits = if sum.square_metres < 10.0 { 1 } else { 0 };
    format!("{:.digits$} m²", sum.square_metres)
}

/// Per island its place in the order of size.
fn ranks_by_size(mesh: &NavMesh) -> Vec<u32> {
    let mut sizes = vec![0.0; mesh.island_count() as usize];
    for id in mesh.live_polygons() {
        if let Some(size) = sizes.get_mut(mesh.polygon(id).island as usize) {
            *size += mesh.area_m2(id);
        }
    }
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|a, b| sizes[*b].total_cmp(&sizes[*a]));
    let mut ranks = vec![0; sizes.len()];
    order.into_iter().zip(0..).for_each(|(island, rank)| ranks[island] = rank);
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture::plan as plan_mesh;

    #[test]
    fn the_largest_island_comes_first() {
        let mesh = plan_mesh(&[".#..", ".#..", "##..", ".#.."], true).validate().unwrap();
        let ranks = ranks_by_size(&mesh);
        let rank_at = |x: f32, z: f32| {
            let id = mesh
                .live_polygons()
                .find(|id| mesh.contains_2d(*id, mesh.local(glam::DVec3::new(x.into(), 0.0, z.into()))));
            ranks[mesh.polygon(id.unwrap()).island as usize]
        };
        assert_eq!([rank_at(2.5, 0.5), rank_at(0.5, 0.5), rank_at(0.5, 3.5)], [0, 1, 2]);
    }

    #[test]
    fn areas_are_named_with_their_costs_and_marks() {
        let mud = AreaRule { area: 2, cost: 3.0, marks: vec![Mark::Slow] };
        let nav = SceneNav { areas: vec![mud], ..SceneNav::default() };
        assert_eq!(area_name(2, &nav), "Area 2, cost 3.00, slow");
        assert_eq!(area_name(0, &nav), "Ground");
    }
}
