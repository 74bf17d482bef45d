//! The grid of a set's tiles: squares in x and z, whose lines are numbers that single precision holds.

use glam::{DVec2, DVec3};

/// Steps of a grid's lines for each side of a square: lines are whole multiples of a power of two.
const STEPS_PER_SIDE: f64 = 64.0;

/// Squares of one size, from the lowest corner on.
#[derive(Clone, Debug, PartialEq)]
pub struct SetGrid {
    /// The lowest x and z.
    pub origin: DVec2,
    /// Length of a square's side, metres.
    pub side: f64,
    /// Columns along x and rows along z.
    pub counts: [i32; 2],
}

impl SetGrid {
    /// The grid of at least this side that covers a box.
    pub fn new([low, high]: [DVec2; 2], side: f64) -> Self {
        let step = (side / STEPS_PER_SIDE).log2().floor().exp2();
        let side = (side / step).ceil() * step;
        let origin = (low / step).floor() * step;
        let count = |extent: f64| (extent / side).floor() as i32 + 1;
        Self { origin, side, counts: [count(high.x - origin.x), count(high.y - origin.y)] }
    }

    /// Where the line below a column (axis 0) or a row (axis 1) lies.
    pub fn line(&self, axis: usize, number: i32) -> f64 {
        self.origin[axis] + f64::from(number) * self.side
    }

    /// The square of a place.
    pub fn cell(&self, place: DVec2) -> [i32; 2] {
        let cells = ((place - self.origin) / self.side).floor();
        [0, 1].map(|axis| (cells[axis] as i32).clamp(0, self.counts[axis] - 1))
    }

    /// The lines that lie further than `slack` inside of a range.
    pub fn lines_within(&self, axis: usize, low: f64, high: f64, slack: f64) -> impl Iterator<Item = i32> + '_ {
        let below = |at: f64| ((at - self.origin[axis]) / self.side).floor() as i32;
        let (first, last) = (below(low).max(0), below(high).min(self.counts[axis] - 1));
        (first..=last).filter(move |&n| n > 0 && (low + slack..high - slack).contains(&self.line(axis, n)))
    }

    /// The most places that lie in one square.
    pub fn fullest(&self, places: &[DVec2]) -> usize {
        let mut cells: Vec<[i32; 2]> = places.iter().map(|&p| self.cell(p)).collect();
        cells.sort_unstable();
        cells.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0)
    }

    /// How many squares there are.
    pub fn len(&self) -> usize {
        self.counts[0] as usize * self.counts[1] as usize
    }
}

/// The middle of some corners, seen from above.
pub fn middle(corners: impl ExactSizeIterator<Item = DVec3>) -> DVec2 {
    let count = corners.len().max(1) as f64;
    let sum: DVec3 = corners.sum();
    DVec2::new(sum.x, sum.z) / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbers_of_single_precision() {
        let ends = [DVec2::new(-1_234.567, 98_765.432_1), DVec2::new(-200.1, 99_999.9)];
        let grid = SetGrid::new(ends, 77.7);
        assert!(grid.side >= 77.7 && grid.side < 80.0, "{}", grid.side);
        for axis in [0, 1] {
            let lines: Vec<f64> = (0..=grid.counts[axis]).map(|n| grid.line(axis, n)).collect();
            assert!(lines.iter().all(|line| f64::from(*line as f32) == *line));
            assert!(lines[0] <= ends[0][axis] && lines[lines.len() - 1] > ends[1][axis]);
        }
        assert_eq!(grid.cell(grid.origin + grid.side * 1.5), [1, 1]);
        let line = grid.line(0, 3);
        assert_eq!(grid.lines_within(0, line - 1.0, line + 1.0, 0.1).collect::<Vec<_>>(), [3]);
        assert_eq!(grid.lines_within(0, line - 0.05, line + 1.0, 0.1).count(), 0);
        assert_eq!(grid.fullest(&[grid.origin, grid.origin + 1.0, grid.origin + grid.side * 2.5]), 2);
    }
}
