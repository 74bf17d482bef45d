//! Debug drawing of voxels: tops coloured by height or area, sides shaded by where they face, dark edges where they end.

use std::ops::RangeInclusive;

use glam::Vec3;

use super::debug_colors::{MAX_SHAPES, area_color};
use super::heightfield::{GridFrame, Heightfield, Span};
use crate::debug::{Color, DebugDraw, Layer, LineStyle, shapes};

/// Height over the surface, metres, against z-fighting.
const LIFT: f32 = 0.04;
/// Colours of the lowest and of the highest top.
const LOW: [f32; 3] = [0.05, 0.12, 0.30];
const HIGH: [f32; 3] = [0.95, 0.85, 0.55];
/// Opacity of tops and sides: what is whole hides what lies behind it.
const ALPHA: f32 = 1.0;
/// Every second height is darker by this factor: steps are seen.
const STEP_SHADE: f32 = 0.82;
/// Brightness of the sides that face along x and along z.
const SIDE_SHADE: [f32; 2] = [0.55, 0.4];
const EDGE: Color = [0.01, 0.015, 0.03, 1.0];
const EDGE_WIDTH: f32 = 1.5;

/// Heights of the sides that are drawn first, voxels.
const TALL: u16 = 5;

/// The columns beside a column, by the direction that a side faces.
const SIDES: [[i32; 2]; 4] = [[-1, 0], [0, 1], [1, 0], [0, -1]];

/// What the colours of tops mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VoxelColors {
    /// Their heights.
    Height,
    /// Where one can stand.
    Area,
}

/// Draws all spans of a field as boxes. Returns whether all of it was drawn.
pub(super) fn draw(field: &Heightfield, colors: VoxelColors, layer: Layer, d: &mut DebugDraw) -> bool {
    let drawing = Drawing { field, colors, highest: field.spans.iter().map(|s| s.top).max().unwrap_or(1), layer };
    let frame = &field.frame;
    let most = d.triangles.len() + 2 * MAX_SHAPES;
    for z in 0..frame.depth {
        if d.triangles.len() > most {
            return false;
        }
        drawing.tops(z, d);
    }
    // Tall sides tell more than those of steps: these follow while there is room.
    for heights in [TALL..=u16::MAX, 1..=TALL - 1] {
        for cell in 0..frame.cells() {
            if d.triangles.len() > most {
                return false;
            }
            drawing.sides([cell % frame.width, cell / frame.width], &heights, d);
        }
    }
    true
}

struct Drawing<'a> {
    field: &'a Heightfield,
    colors: VoxelColors,
    highest: u16,
    layer: Layer,
}

impl Drawing<'_> {
    fn color(&self, span: &Span) -> [f32; 3] {
        let shade = if span.top.is_multiple_of(2) { 1.0 } else { STEP_SHADE };
        let color = match self.colors {
            VoxelColors::Height => {
                Vec3::from(LOW).lerp(HIGH.into(), f32::from(span.top) / f32::from(self.highest.max(1)))
            }
            VoxelColors::Area => Vec3::from_slice(&area_color(span.area)[..3]),
        };
        (color * shade).to_array()
    }

    /// The tops of a row of columns, equal ones merged.
    fn tops(&self, z: usize, d: &mut DebugDraw) {
        let frame = &self.field.frame;
        // A run of columns, from its first on, with the same top.
        let mut runs: Vec<(usize, Span)> = Vec::new();
        let mut next = Vec::new();
        for x in 0..=frame.width {
            let column = if x < frame.width { self.field.column(z * frame.width + x) } else { 0..0 };
            for span in column.map(|i| self.field.spans[i]) {
                let same = |run: &(usize, Span)| run.1.top == span.top && self.color(&run.1) == self.color(&span);
                let run = runs.iter().position(same).map(|r| runs.swap_remove(r));
                next.push(run.unwrap_or((x, span)));
            }
            for (first, span) in runs.drain(..) {
                let corners = [(first, z), (first, z + 1), (x, z + 1), (x, z)];
                let [r, g, b] = self.color(&span);
                shapes::quad(d, self.layer, corners.map(|(x, z)| at(frame, [x, z], span.top)), [r, g, b, ALPHA]);
            }
            std::mem::swap(&mut runs, &mut next);
        }
    }

    /// What of a column's sides no neighbour covers, and the edges above it.
    fn sides(&self, [x, z]: [usize; 2], heights: &RangeInclusive<u16>, d: &mut DebugDraw) {
        let frame = &self.field.frame;
        for span in &self.field.spans[self.field.column(z * frame.width + x)] {
            let [r, g, b] = self.color(span);
            for [dx, dz] in SIDES {
                let (beside_x, beside_z) = (x as i32 + dx, z as i32 + dz);
                let is_inside =
                    (0..frame.width as i32).contains(&beside_x) && (0..frame.depth as i32).contains(&beside_z);
                let beside = if is_inside {
                    self.field.column(beside_z as usize * frame.width + beside_x as usize)
                } else {
                    0..0
                };
                let ends = match [dx, dz] {
                    [-1, _] => [[x, z], [x, z + 1]],
                    [1, _] => [[x + 1, z], [x + 1, z + 1]],
                    [_, 1] => [[x, z + 1], [x + 1, z + 1]],
                    _ => [[x, z], [x + 1, z]],
                };
                let shade = SIDE_SHADE[usize::from(dx == 0)];
                let color = [r * shade, g * shade, b * shade, ALPHA];
                let mut low = span.bottom;
                let covers = self.field.spans[beside].iter().filter(|s| s.top > span.bottom && s.bottom < span.top);
                for cover in covers {
                    self.side(SidePiece { ends, low, high: cover.bottom }, heights, color, d);
                    low = low.max(cover.top);
                }
                self.side(SidePiece { ends, low, high: span.top }, heights, color, d);
                if low < span.top && heights.contains(&(span.top - low)) {
                    let edge = ends.map(|corner| at(frame, corner, span.top));
                    let style = LineStyle { width: EDGE_WIDTH, ..LineStyle::default() };
                    d.styled_line(self.layer, edge, EDGE, style);
                }
            }
        }
    }

    /// A piece of a side from a height to another, if it is of one of these heights.
    fn side(&self, piece: SidePiece, heights: &RangeInclusive<u16>, color: Color, d: &mut DebugDraw) {
        let SidePiece { ends, low, high } = piece;
        if low < high && heights.contains(&(high - low)) {
            let [a, b] = ends.map(|corner| at(&self.field.frame, corner, low));
            let [c, e] = ends.map(|corner| at(&self.field.frame, corner, high));
            shapes::quad(d, self.layer, [a, b, e, c], color);
        }
    }
}

/// A piece of a column's side: between two corners of the grid and two heights.
struct SidePiece {
    ends: [[usize; 2]; 2],
    low: u16,
    high: u16,
}

/// A corner of the grid at a height.
fn at(frame: &GridFrame, [x, z]: [usize; 2], y: u16) -> Vec3 {
    let scale = Vec3::new(frame.cell_size, frame.cell_height, frame.cell_size);
    frame.origin + Vec3::new(x as f32, f32::from(y), z as f32) * scale + Vec3::Y * LIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(columns: &[&[[u16; 2]]], width: usize) -> Heightfield {
        let (cell_size, cell_height) = (1.0, 0.5);
        let frame = GridFrame { origin: Vec3::ZERO, width, depth: columns.len() / width, cell_size, cell_height };
        let mut field = Heightfield { frame, columns: vec![0], spans: Vec::new() };
        for column in columns {
            field.spans.extend(column.iter().map(|&[bottom, top]| Span { bottom, top, area: 1 }));
            field.columns.push(field.spans.len() as u32);
        }
        field
    }

    fn drawn(field: &Heightfield) -> [usize; 2] {
        let mut d = DebugDraw::wanting([Layer::BakeVoxels]);
        assert!(draw(field, VoxelColors::Height, Layer::BakeVoxels, &mut d));
        [d.triangles.len() / 2, d.lines.len()]
    }

    #[test]
    fn a_row_of_equal_columns_has_one_top_and_sides_around() {
        assert_eq!(drawn(&field(&[&[[0, 2]], &[[0, 2]], &[[0, 2]]], 3)), [1 + 8, 8]);
    }

    #[test]
    fn sides_are_drawn_where_no_neighbour_covers_them() {
        // A step: of the higher column one side is half covered, of the lower one it is covered whole.
        assert_eq!(drawn(&field(&[&[[0, 4]], &[[0, 2]]], 2)), [2 + 4 + 3, 4 + 3]);
        // A gap in the neighbour leaves a part in the middle free, but no edge on top.
        assert_eq!(drawn(&field(&[&[[0, 6]], &[[0, 2], [4, 6]]], 2)), [2 + 4 + 6, 3 + 6]);
    }
}
