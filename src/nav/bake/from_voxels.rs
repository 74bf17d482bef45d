//! Meshes of what another program voxelized: the stages of a bake from the compact heightfield on.

use std::sync::atomic::AtomicBool;

use super::compact_heightfield::CompactHeightfield;
use super::contours::build_contours;
use super::detail_mesh::build_detail;
use super::error::BakeError;
use super::heightfield::Heightfield;
use super::partition::build_regions;
use super::poly_mesh::build_poly_mesh;
use super::settings::BakeSettings;
use crate::nav::mesh::{Detail, RawMesh};

/// A mesh and the heights inside its polygons.
#[derive(Clone, Debug)]
pub struct VoxelMesh {
    /// The mesh.
    pub mesh: RawMesh,
    /// Heights inside its polygons, if the settings ask for them.
    pub detail: Option<Detail>,
}

/// Meshes the walkable spans of a field, all of which are filtered and eroded already. `exits` has a bit per span and
/// direction (−x, +z, +x, −z) in which a neighbour may be; both need it.
///
/// # Errors
/// Settings out of range, or nothing walkable.
pub fn mesh_voxels(field: &Heightfield, exits: &[u8], settings: &BakeSettings) -> Result<VoxelMesh, BakeError> {
    let (voxels, stop) = (settings.voxels()?, AtomicBool::new(false));
    let mut compact = CompactHeightfield::new(field, voxels);
    let none = compact.no_span();
    let may_leave = |span: u32, direction: usize| exits.get(span as usize).is_some_and(|e| e >> direction & 1 != 0);
    for (span, links) in compact.links.iter_mut().enumerate() {
        for (direction, link) in links.iter_mut().enumerate() {
            if !may_leave(span as u32, direction) || !may_leave(*link, (direction + 2) % 4) {
                *link = none;
            }
        }
    }
    let regions = build_regions(&compact, settings, voxels, &Vec::new(), &stop);
    let contours = build_contours(&compact, &regions, settings, voxels, &stop);
    let (mesh, region_of) = build_poly_mesh(&contours, &field.frame, settings.corners as usize, &stop);
    if mesh.polygons.is_empty() {
        return Err(BakeError::NothingWalkable);
    }
    let detail = build_detail(&mesh, &region_of, &compact, &regions, settings, &stop);
    Ok(VoxelMesh { mesh, detail })
}
