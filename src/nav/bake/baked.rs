//! The result of a bake.

use super::compact_heightfield::CompactHeightfield;
use super::contours::Contour;
use super::heightfield::Heightfield;
use super::region::Regions;
use super::step::BakeStep;
use super::tiles::TileGrid;
use crate::nav::mesh::off_mesh::PlacedLink;
use crate::nav::mesh::{Detail, MeshError, MeshFile, NavMesh, RawMesh};

/// The result of a bake.
#[derive(Clone, Debug)]
pub struct Baked {
    /// The mesh; [`RawMesh::validate`] accepts it.
    pub mesh: RawMesh,
    /// Heights inside its polygons, if the settings ask for them.
    pub detail: Option<Detail>,
    /// Off-mesh links, placed and found.
    pub links: Vec<PlacedLink>,
    /// Milliseconds of each step.
    pub log: Vec<(BakeStep, f32)>,
    /// Number of triangles baked.
    pub triangles: usize,
    /// Number of columns of the heightfield.
    pub cells: usize,
    /// Number of spans of the heightfield.
    pub spans: usize,
    /// Number of regions.
    pub regions: u32,
    /// The region of each polygon of `mesh`, 1 and up.
    pub region_of: Vec<u32>,
    /// The intermediate results, if the settings ask for them.
    pub debug: Option<BakeDebug>,
}

impl Baked {
    /// Milliseconds of all steps.
    pub fn total_ms(&self) -> f32 {
        self.log.iter().map(|(_, ms)| ms).sum()
    }

    /// The validated mesh with its height detail.
    ///
    /// # Errors
    /// None is known: baked meshes are valid.
    pub fn nav_mesh(&self) -> Result<NavMesh, MeshError> {
        let mesh = self.mesh.validate()?;
        match &self.detail {
            Some(detail) => mesh.with_detail(detail),
            None => Ok(mesh),
        }
    }

    /// The mesh as files hold it, with its height detail and links.
    pub fn file(&self) -> MeshFile {
        MeshFile { mesh: self.mesh.clone(), detail: self.detail.clone(), links: self.links.clone(), values: None }
    }

    /// Number of polygons.
    pub fn polygons(&self) -> usize {
        self.mesh.polygons.len()
    }
}

/// The intermediate results between triangles and polygons, for drawing.
#[derive(Clone, Debug)]
pub struct BakeDebug {
    /// Spans after the filters.
    pub field: Heightfield,
    /// Areas of these spans before the filters: a bake of a level that has changed in a part goes on from there.
    pub rasterized: Vec<u8>,
    /// The compact heightfield after erosion and marking by volumes.
    pub compact: CompactHeightfield,
    /// Areas of its spans between erosion and marking: a bake with other volumes goes on from there.
    pub eroded: Vec<u8>,
    /// Its regions.
    pub regions: Regions,
    /// Simplified contours of the regions.
    pub contours: Vec<Contour>,
    /// What lies in which tile.
    pub tiles: TileGrid,
}
