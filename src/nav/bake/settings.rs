//! Settings of a bake in world units, and the same in voxels.

use glam::{DVec3, Vec2, Vec3};

use super::error::BakeError;
use crate::nav::mesh::off_mesh::{LinkSettings, PlacedLink};

/// How the walkable surface is partitioned into regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Partition {
    /// Regions grow from the spans farthest from walls: fewest and roundest polygons.
    #[default]
    Watershed,
    /// Regions are swept row by row: fastest, long thin polygons.
    Monotone,
    /// Regions are swept, then merged into layers that do not overlap: suited to small tiles.
    Layers,
}

/// Area of a merged span where two spans meet within the climbing height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpanMerge {
    /// The larger area number, so that walkable beats unwalkable and water over ground replaces the ground.
    #[default]
    LargerArea,
    /// The area of the higher span.
    Higher,
}

/// A volume that gives the surface inside it another area.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Volume {
    /// The shape, world units.
    pub shape: VolumeShape,
    /// Area of the ground inside, 0 to 63; `None` makes it unwalkable.
    pub area: Option<u8>,
}

/// See [`Volume`]. Heights are world y, lower and upper.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VolumeShape {
    /// A vertical prism over a polygon in x and z, of any winding, concave or not.
    Convex {
        /// Corners in order, x and z.
        outline: Vec<Vec2>,
        /// Lower end.
        low: f32,
        /// Upper end.
        high: f32,
    },
    /// An axis-aligned box.
    Box {
        /// Minimum corner.
        min: Vec3,
        /// Maximum corner.
        max: Vec3,
    },
    /// A vertical cylinder.
    Cylinder {
        /// Middle of the lower disc.
        base: Vec3,
        /// Radius of the discs.
        radius: f32,
        /// Height over `base`.
        height: f32,
    },
}

/// Settings of a bake; lengths in world units, angles in radians.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BakeSettings {
    /// Edge of a cell in plan view.
    pub cell_size: f32,
    /// Height of a voxel.
    pub cell_height: f32,
    /// Free height over the ground that an agent needs.
    pub agent_height: f32,
    /// Distance between the mesh and walls.
    pub agent_radius: f32,
    /// Highest step that an agent climbs.
    pub agent_climb: f32,
    /// Steepest walkable slope.
    pub slope_rad: f32,
    /// Regions smaller than a square of this edge, in cells, are removed unless they touch others.
    pub region_min_cells: u32,
    /// Regions smaller than a square of this edge, in cells, are merged with a neighbour where possible.
    pub region_merge_cells: u32,
    /// Longest edge along a wall; 0 for no limit.
    pub edge_length: f32,
    /// Largest deviation of a simplified contour from the traced one, in cells.
    pub edge_error_cells: f32,
    /// Most corners of a polygon, 3 to 12.
    pub corners: u32,
    /// Spacing of the height samples, in cells; below 0.9 none are taken.
    pub detail_distance_cells: f32,
    /// Largest deviation of the height detail from the surface of the voxels, in cell heights.
    pub detail_error_cells: f32,
    /// How regions are made.
    pub partition: Partition,
    /// Area of merged spans.
    pub span_merge: SpanMerge,
    /// Edge of the square tiles whose regions are made independently and in parallel, in cells; 0 for a single tile.
    pub tile_cells: u32,
    /// Makes unwalkable lumps lower than a step on walkable ground walkable.
    pub filter_low_obstacles: bool,
    /// Makes spans at drops unwalkable.
    pub filter_ledges: bool,
    /// Makes ground without standing room unwalkable.
    pub filter_low_ceilings: bool,
    /// Areas by volume; later ones win.
    pub volumes: Vec<Volume>,
    /// Only islands with one of these points are kept; without any, all are.
    pub seeds: Vec<DVec3>,
    /// Settings of the jumps and drops to find; `None` finds none.
    pub links: Option<LinkSettings>,
    /// Off-mesh links placed by hand.
    pub placed_links: Vec<PlacedLink>,
    /// Keeps the intermediate results for drawing.
    pub keep_stages: bool,
}

impl Default for BakeSettings {
    /// The defaults of RecastDemo.
    fn default() -> Self {
        Self {
            cell_size: 0.3,
            cell_height: 0.2,
            agent_height: 2.0,
            agent_radius: 0.6,
            agent_climb: 0.9,
            slope_rad: 45f32.to_radians(),
            region_min_cells: 8,
            region_merge_cells: 20,
            edge_length: 12.0,
            edge_error_cells: 1.3,
            corners: 6,
            detail_distance_cells: 6.0,
            detail_error_cells: 1.0,
            partition: Partition::default(),
            span_merge: SpanMerge::default(),
            tile_cells: 0,
            filter_low_obstacles: true,
            filter_ledges: true,
            filter_low_ceilings: true,
            volumes: Vec::new(),
            seeds: Vec::new(),
            links: None,
            placed_links: Vec::new(),
            keep_stages: false,
        }
    }
}

/// [`BakeSettings`] in voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoxelSettings {
    /// Free height, cell heights, rounded up.
    pub height: u16,
    /// Step, cell heights, rounded down; less than `height`.
    pub climb: u16,
    /// Radius, cells, rounded up.
    pub radius: u16,
    /// Longest wall edge, cells; 0 for none.
    pub edge_length: i32,
    /// Fewest cells of a region.
    pub region_min: u32,
    /// Fewer cells than this are merged.
    pub region_merge: u32,
}

impl BakeSettings {
    /// Whether a bake of the same triangles has the same voxels and open space up to the erosion.
    pub fn has_same_voxels(&self, other: &Self) -> bool {
        let lengths =
            |s: &Self| [s.cell_size, s.cell_height, s.agent_height, s.agent_radius, s.agent_climb, s.slope_rad];
        let filters = |s: &Self| [s.filter_low_obstacles, s.filter_ledges, s.filter_low_ceilings];
        lengths(self) == lengths(other) && filters(self) == filters(other) && self.span_merge == other.span_merge
    }

    /// The settings in voxels.
    ///
    /// # Errors
    /// The first setting that is out of range.
    pub fn voxels(&self) -> Result<VoxelSettings, BakeError> {
        let check = |name: &'static str, value: f32, low: f32, high: f32| {
            let good = value >= low && value <= high;
            if good { Ok(value) } else { Err(BakeError::Setting { name, value, low, high }) }
        };
        check("cell_size", self.cell_size, 1e-3, 1e3)?;
        check("cell_height", self.cell_height, 1e-3, 1e3)?;
        check("agent_height", self.agent_height, self.cell_height, self.cell_height * 4096.0)?;
        check("agent_climb", self.agent_climb, 0.0, self.agent_height - self.cell_height * 1e-3)?;
        check("agent_radius", self.agent_radius, 0.0, self.cell_size * 120.0)?;
        check("slope_rad", self.slope_rad, 0.0, std::f32::consts::FRAC_PI_2)?;
        check("edge_length", self.edge_length, 0.0, f32::MAX)?;
        check("edge_error_cells", self.edge_error_cells, 0.0, 1e3)?;
        check("corners", self.corners as f32, 3.0, 12.0)?;
        check("region_min_cells", self.region_min_cells as f32, 0.0, 4096.0)?;
        check("region_merge_cells", self.region_merge_cells as f32, 0.0, 4096.0)?;
        check("detail_distance_cells", self.detail_distance_cells, 0.0, 1e3)?;
        check("detail_error_cells", self.detail_error_cells, 0.0, 1e3)?;
        if self.tile_cells != 0 {
            check("tile_cells", self.tile_cells as f32, 8.0, 4096.0)?;
        }
        if let Some(v) = self.volumes.iter().filter_map(|v| v.area).find(|&a| a > 63) {
            return Err(BakeError::Setting { name: "area of a volume", value: f32::from(v), low: 0.0, high: 63.0 });
        }
        let height = (self.agent_height / self.cell_height).ceil() as u16;
        Ok(VoxelSettings {
            height,
            climb: ((self.agent_climb / self.cell_height).floor() as u16).min(height - 1),
            radius: (self.agent_radius / self.cell_size).ceil() as u16,
            edge_length: (self.edge_length / self.cell_size).min(1e6) as i32,
            region_min: self.region_min_cells * self.region_min_cells,
            region_merge: self.region_merge_cells * self.region_merge_cells,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_2_voxel_counts_follow_from_world_units() {
        let v = BakeSettings::default().voxels().unwrap();
        assert_eq!((v.height, v.climb, v.radius), (10, 4, 2));
        let s = BakeSettings { agent_radius: 0.61, agent_climb: 0.81, agent_height: 2.01, ..Default::default() };
        let v = s.voxels().unwrap();
        assert_eq!((v.height, v.climb, v.radius), (11, 4, 3));
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let name = |s: BakeSettings| match s.voxels() {
            Err(BakeError::Setting { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        let d = BakeSettings::default;
        assert_eq!(name(BakeSettings { cell_size: f32::NAN, ..d() }), "cell_size");
        assert_eq!(name(BakeSettings { cell_height: 0.0, ..d() }), "cell_height");
        assert_eq!(name(BakeSettings { agent_climb: 2.0, ..d() }), "agent_climb");
        assert_eq!(name(BakeSettings { slope_rad: 1.6, ..d() }), "slope_rad");
        assert_eq!(name(BakeSettings { corners: 2, ..d() }), "corners");
        let shape = VolumeShape::Box { min: Vec3::ZERO, max: Vec3::ONE };
        let volumes = vec![Volume { shape, area: Some(64) }];
        assert_eq!(name(BakeSettings { volumes, ..d() }), "area of a volume");
    }
}
