//! Cells of ground that are painted as not passable: squares of a grid over the world, each at a height.

use crate::math::Aabb;
use glam::{IVec3, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Cells that no path crosses, each by its number along x, y and z.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BarredCells(BTreeSet<[i32; 3]>);

impl BarredCells {
    /// Edge of a cell seen from above, metres.
    pub const EDGE: f32 = 0.25;
    /// Height of a cell: ground that is so far from a floor is another floor, metres.
    pub const HEIGHT: f32 = 0.5;

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All cells.
    pub fn iter(&self) -> impl Iterator<Item = [i32; 3]> + '_ {
        self.0.iter().copied()
    }

    /// The cell that holds a place on the ground.
    pub fn cell_at(place: Vec3) -> [i32; 3] {
        (place / Vec3::new(Self::EDGE, Self::HEIGHT, Self::EDGE)).floor().as_ivec3().to_array()
    }

    /// Middle of the lower side of a cell.
    pub fn middle(cell: [i32; 3]) -> Vec3 {
        let half = Vec3::new(0.5, 0.0, 0.5);
        (IVec3::from(cell).as_vec3() + half) * Vec3::new(Self::EDGE, Self::HEIGHT, Self::EDGE)
    }

    /// Bars a cell, or lets through again. Returns whether that changed anything.
    pub fn set(&mut self, cell: [i32; 3], is_barred: bool) -> bool {
        if is_barred { self.0.insert(cell) } else { self.0.remove(&cell) }
    }

    /// Lets through everywhere.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Boxes that together are the cells: runs along x of one height, joined along z where they are as long.
    pub fn boxes(&self) -> Vec<Aabb> {
        // By height, row and column, so that runs lie one after the other.
        let cells: BTreeSet<[i32; 3]> = self.iter().map(|[x, y, z]| [y, z, x]).collect();
        let mut runs: Vec<CellRun> = Vec::new();
        for [level, row, x] in cells {
            match runs.last_mut() {
                Some(run) if (run.level, run.rows[0], run.columns[1]) == (level, row, x) => run.columns[1] += 1,
                _ => runs.push(CellRun { level, columns: [x, x + 1], rows: [row, row + 1] }),
            }
        }
        runs.sort_unstable_by_key(|run| (run.level, run.columns, run.rows));
        let mut joined: Vec<CellRun> = Vec::new();
        for run in runs {
            match joined.last_mut() {
                Some(last) if (last.level, last.columns) == (run.level, run.columns) && last.rows[1] == run.rows[0] => {
                    last.rows[1] = run.rows[1];
                }
                _ => joined.push(run),
            }
        }
        joined.into_iter().map(CellRun::bounds).collect()
    }
}

/// A rectangle of cells of one height.
#[derive(Clone, Copy)]
struct CellRun {
    level: i32,
    /// First column, and the one after the last.
    columns: [i32; 2],
    /// First row, and the one after the last.
    rows: [i32; 2],
}

impl CellRun {
    fn bounds(self) -> Aabb {
        let size = Vec3::new(BarredCells::EDGE, BarredCells::HEIGHT, BarredCells::EDGE);
        let corner = |side: usize| IVec3::new(self.columns[side], self.level + side as i32, self.rows[side]);
        Aabb::new(corner(0).as_vec3() * size, corner(1).as_vec3() * size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_their_middles_and_join_to_few_boxes() {
        let mut cells = BarredCells::default();
        for x in -3..3 {
            for z in 0..4 {
                assert!(cells.set([x, 1, z], true));
            }
        }
        assert!(!cells.set([0, 1, 0], true));
        assert!(cells.iter().all(|cell| BarredCells::cell_at(BarredCells::middle(cell)) == cell));
        let expected = Aabb::new(Vec3::new(-0.75, 0.5, 0.0), Vec3::new(0.75, 1.0, 1.0));
        assert_eq!(cells.boxes(), [expected]);
        cells.set([0, 1, 1], false);
        let area: f32 = cells.boxes().iter().map(|part| part.size().x * part.size().z).sum();
        assert!((area - 23.0 * BarredCells::EDGE.powi(2)).abs() < 1e-5 && cells.boxes().len() <= 4);
        cells.set([0, 5, 0], true);
        assert_eq!(cells.boxes().len(), 5, "another floor is a box of its own");
    }
}
