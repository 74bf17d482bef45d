//! Settings for levels that are too large for the usual ones.

use super::heightfield::{MAX_SIDE_CELLS, TOP};
use super::settings::BakeSettings;
use glam::Vec3;

/// Cells to which the settings of a large level are fitted: half a metre for a square of 2 km.
const FITTED_CELLS: f32 = 16e6;
/// A level of more cells than this is baked in tiles where no tiles are chosen.
const UNTILED_CELLS: f32 = 4e6;
/// Edge of those tiles, cells.
const TILE_CELLS: u32 = 128;
/// To what a fitted cell is rounded up, metres.
const CELL_STEP: f32 = 0.05;

impl BakeSettings {
    /// The settings for a level of this size (x, y up, z): its cells grow until time and memory of a bake stay within
    /// seconds and a gigabyte, and what is large is baked in tiles. `None` where they serve as they are.
    pub fn fitted_to(&self, size: Vec3) -> Option<Self> {
        let (area, longest) = (size.x * size.z, size.x.max(size.z));
        let mut to = self.clone();
        let needed = (area / FITTED_CELLS).sqrt().max(longest / MAX_SIDE_CELLS);
        if needed > self.cell_size {
            to.cell_size = (needed / CELL_STEP).ceil() * CELL_STEP;
        }
        if size.y / self.cell_height >= f32::from(TOP) {
            // A layer less than there may be, for heights that are a multiple of the step.
            to.cell_height = (size.y / f32::from(TOP - 1) / CELL_STEP).ceil() * CELL_STEP;
        }
        if to.tile_cells == 0 && area / (to.cell_size * to.cell_size) > UNTILED_CELLS {
            to.tile_cells = TILE_CELLS;
        }
        (to != *self).then_some(to)
    }

    /// What to tell where slopes that may be walked are lost, and `""` where none are: within one cell and its neighbour a slope may rise by
    /// twice what lies between their middles, and what rises by more than the climb is a ledge.
    pub fn lost_slopes(&self) -> String {
        let kept_rad = (self.agent_climb / (2.0 * self.cell_size)).atan();
        let climb = 2.0 * self.cell_size * self.slope_rad.tan();
        if kept_rad >= self.slope_rad {
            return String::new();
        }
        let kept = kept_rad.to_degrees().floor();
        format!(
            " Slopes from about {kept}° on may be taken for ledges by cells of this size; a climb of {climb:.1} m keeps them."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_fitted_to_large_levels_alone() {
        let usual = BakeSettings::default();
        assert_eq!(usual.fitted_to(Vec3::new(120.0, 30.0, 80.0)), None);
        let town = usual.fitted_to(Vec3::new(700.0, 50.0, 700.0)).unwrap();
        assert_eq!((town.cell_size, town.tile_cells), (0.3, 128));
        let land = usual.fitted_to(Vec3::new(2000.0, 80.0, 2000.0)).unwrap();
        assert!((land.cell_size - 0.5).abs() < 1e-6, "{}", land.cell_size);
        assert_eq!(land.fitted_to(Vec3::new(2000.0, 80.0, 2000.0)), None);
        let road = usual.fitted_to(Vec3::new(50_000.0, 20_000.0, 2.0)).unwrap();
        assert!(
            50_000.0 / road.cell_size <= MAX_SIDE_CELLS && 20_000.0 / road.cell_height < f32::from(TOP),
            "{road:?}"
        );
    }

    #[test]
    fn slopes_that_coarse_cells_take_for_ledges_are_told() {
        let usual = BakeSettings { agent_climb: 0.9, slope_rad: 45_f32.to_radians(), ..BakeSettings::default() };
        assert_eq!(BakeSettings { cell_size: 0.3, ..usual.clone() }.lost_slopes(), "");
        let said = BakeSettings { cell_size: 1.0, ..usual }.lost_slopes();
        assert!(said.contains("24°") && said.contains("2.0 m"), "{said}");
    }

    #[test]
    fn heights_of_whole_layers_fit_fewer_than_may_be() {
        for step in [0.25, 0.3, 0.5, 2.0] {
            let size = Vec3::new(50.0, f32::from(TOP) * step, 50.0);
            let cell_height = BakeSettings::default().fitted_to(size).unwrap().cell_height;
            assert!(size.y / cell_height < f32::from(TOP), "{step}: {cell_height}");
        }
    }
}
