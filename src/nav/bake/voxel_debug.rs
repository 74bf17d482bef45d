//! Debug drawing of voxels: tops coloured by height or area, parted by a faint grid, sides shaded by where they face, dark
//! edges where they end.

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
/// Lines between tops of one height.
const GRID: Color = [0.01, 0.015, 0.03, 0.4];
const GRID_WIDTH: f32 = 1.0;
/// Most cells along one line of the grid, which fades by its ends.
const GRID_CELLS: usize = 16;
/// Most cells along one top: software rasterizers lose long, thin triangles that reach far out of the picture.
const TOP_CELLS: usize = 8;
/// Height of the grid over the tops, metres, against z-fighting.
const GRID_LIFT: f32 = 0.005;
/// Sides of the squares of columns that are drawn as one: the first at which there is room for all.
const SQUARES: [usize; 5] = [1, 2, 4, 8, 16];
/// How far tops reach under those beside them, cells: where corners lie on sides of others, rounding would leave cracks.
const OVERLAP: f32 = 0.01;

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

/// Draws all spans of a field as boxes; where those are too many, the columns of larger and larger squares as one. Returns
/// whether all of it was drawn.
pub(super) fn draw(field: &Heightfield, colors: VoxelColors, layer: Layer, d: &mut DebugDraw) -> bool {
    let (triangles, lines) = (d.triangles.len(), d.lines.len());
    for side in SQUARES {
        let coarse = (side > 1).then(|| coarsened(field, side));
        let field = coarse.as_ref().unwrap_or(field);
        let highest = field.spans.iter().map(|s| s.top).max().unwrap_or(1);
        if (Drawing { field, colors, highest, layer }).all(d) {
            return true;
        }
        if Some(&side) != SQUARES.last() {
            d.triangles.truncate(triangles);
            d.lines.truncate(lines);
        }
    }
    false
}

/// A field with squares of `side` by `side` columns as one each, whose spans are the unions of theirs.
fn coarsened(field: &Heightfield, side: usize) -> Heightfield {
    let from = &field.frame;
    let (width, depth) = (from.width.div_ceil(side), from.depth.div_ceil(side));
    let frame = GridFrame { width, depth, cell_size: from.cell_size * side as f32, ..*from };
    let mut coarse = Heightfield { frame, columns: vec![0], spans: Vec::new() };
    let mut all: Vec<Span> = Vec::new();
    for cell in 0..width * depth {
        let (x, z) = (cell % width * side, cell / width * side);
        all.clear();
        for z in z..from.depth.min(z + side) {
            let row = z * from.width;
            let columns = field.columns[row + x] as usize..field.columns[row + from.width.min(x + side)] as usize;
            all.extend_from_slice(&field.spans[columns]);
        }
        all.sort_unstable_by_key(|span| (span.bottom, span.top));
        let first = coarse.spans.len();
        for span in &all {
            match coarse.spans[first..].last_mut() {
                Some(last) if span.bottom <= last.top => {
                    if span.top > last.top {
                        (last.top, last.area) = (span.top, span.area);
                    }
                }
                _ => coarse.spans.push(*span),
            }
        }
        coarse.columns.push(coarse.spans.len() as u32);
    }
    coarse
}

/// A direction of the grid.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Along {
    X,
    Z,
}

impl Along {
    /// Column and row of the `i`-th cell of a line in this direction.
    fn cell(self, i: usize, line: usize) -> [usize; 2] {
        if self == Self::X { [i, line] } else { [line, i] }
    }
}

/// Columns in a line with tops of one height and colour.
struct TopRun {
    /// The first, and the one after the last.
    ends: [usize; 2],
    top: u16,
    color: [f32; 3],
}

struct Drawing<'a> {
    field: &'a Heightfield,
    colors: VoxelColors,
    highest: u16,
    layer: Layer,
}

impl Drawing<'_> {
    /// Draws all of it; whether that was possible.
    fn all(&self, d: &mut DebugDraw) -> bool {
        let frame = &self.field.frame;
        let most = d.triangles.len() + 2 * MAX_SHAPES;
        for z in 0..frame.depth {
            if d.triangles.len() > most {
                return false;
            }
            for run in self.runs(Along::X, z) {
                self.top(z, &run, d);
                self.grid(Along::X, z, &run, d);
            }
        }
        // Tall sides tell more than those of steps: these follow while there is room.
        for heights in [TALL..=u16::MAX, 1..=TALL - 1] {
            for cell in 0..frame.cells() {
                if d.triangles.len() > most {
                    return false;
                }
                self.sides([cell % frame.width, cell / frame.width], &heights, d);
            }
        }
        for x in 0..frame.width {
            for run in self.runs(Along::Z, x) {
                self.grid(Along::Z, x, &run, d);
            }
        }
        true
    }

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

    /// The tops of a line of columns, equal ones merged.
    fn runs(&self, along: Along, line: usize) -> Vec<TopRun> {
        let frame = &self.field.frame;
        let count = if along == Along::X { frame.width } else { frame.depth };
        let (mut done, mut open, mut next): (Vec<TopRun>, Vec<TopRun>, Vec<TopRun>) = Default::default();
        for i in 0..=count {
            let [x, z] = along.cell(i, line);
            let column = if i < count { self.field.column(z * frame.width + x) } else { 0..0 };
            for span in column.map(|i| &self.field.spans[i]) {
                let color = self.color(span);
                let same = |run: &TopRun| run.top == span.top && run.color == color;
                let run = open.iter().position(same).map(|r| open.swap_remove(r));
                next.push(run.unwrap_or(TopRun { ends: [i, i], top: span.top, color }));
            }
            done.extend(open.drain(..).map(|run| TopRun { ends: [run.ends[0], i], ..run }));
            std::mem::swap(&mut open, &mut next);
        }
        done
    }

    /// The top of a run along x.
    fn top(&self, z: usize, run: &TopRun, d: &mut DebugDraw) {
        let frame = &self.field.frame;
        let [r, g, b] = run.color;
        let beyond = OVERLAP * frame.cell_size;
        let [low, high] = [[0, 0], [frame.width, frame.depth]].map(|corner| at(frame, corner, run.top));
        for from in (run.ends[0]..run.ends[1]).step_by(TOP_CELLS) {
            let to = run.ends[1].min(from + TOP_CELLS);
            let corner = |x: usize, z: usize, outwards: [f32; 2]| {
                let at = at(frame, [x, z], run.top) + Vec3::new(outwards[0], 0.0, outwards[1]) * beyond;
                at.clamp(low.with_y(at.y), high.with_y(at.y))
            };
            let corners = [
                corner(from, z, [-1.0, -1.0]),
                corner(from, z + 1, [-1.0, 1.0]),
                corner(to, z + 1, [1.0, 1.0]),
                corner(to, z, [1.0, -1.0]),
            ];
            shapes::quad(d, self.layer, corners, [r, g, b, ALPHA]);
        }
    }

    /// The line of the grid on the near side of a run; it fades where cells are small in the picture.
    fn grid(&self, along: Along, line: usize, run: &TopRun, d: &mut DebugDraw) {
        let frame = &self.field.frame;
        let style = LineStyle { width: GRID_WIDTH, spacing: frame.cell_size, ..LineStyle::default() };
        for from in (run.ends[0]..run.ends[1]).step_by(GRID_CELLS) {
            if d.lines.len() >= MAX_SHAPES {
                return;
            }
            let to = run.ends[1].min(from + GRID_CELLS);
            let ends = [from, to].map(|i| at(frame, along.cell(i, line), run.top) + Vec3::Y * GRID_LIFT);
            d.styled_line(self.layer, ends, GRID, style);
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

    fn geometry(field: &Heightfield) -> DebugDraw {
        let mut d = DebugDraw::wanting([Layer::BakeVoxels]);
        assert!(draw(field, VoxelColors::Height, Layer::BakeVoxels, &mut d));
        d
    }

    /// Rectangles and edges.
    fn drawn(field: &Heightfield) -> [usize; 2] {
        let d = geometry(field);
        [d.triangles.len() / 2, d.lines.iter().filter(|line| line.color == EDGE).count()]
    }

    #[test]
    fn a_fading_grid_parts_the_cells_of_a_plain() {
        // Four rows of twenty columns at one height: 4 lines along x, in two pieces each, and 20 along z.
        let plain: Vec<&[[u16; 2]]> = vec![&[[0, 2]]; 80];
        let d = geometry(&field(&plain, 20));
        let lines: Vec<_> = d.lines.iter().filter(|line| line.color == GRID).collect();
        assert_eq!(lines.len(), 4 * 2 + 20);
        assert!(lines.iter().all(|line| line.style.spacing == 1.0), "it fades where its lines come close");
        let long = |axis: Vec3| -> f32 { lines.iter().map(|line| (line.ends[1] - line.ends[0]).dot(axis)).sum() };
        assert_eq!((long(Vec3::X), long(Vec3::Z)), (80.0, 80.0), "each cell has a line on either axis");
    }

    #[test]
    fn tops_leave_no_cracks_between_rows_that_end_elsewhere() {
        // The second row begins a cell later: its corner lies within a side of the first.
        let d = geometry(&field(&[&[[0, 2]], &[[0, 2]], &[], &[[0, 2]]], 2));
        let tops: Vec<[f32; 2]> = (d.triangles.chunks(2))
            .filter(|quad| quad.iter().flat_map(|t| t.points).all(|p| p.y == 1.0 + LIFT))
            .map(|quad| {
                let z = |quad: &[crate::debug::DebugTriangle]| {
                    quad.iter().flat_map(|t| t.points).map(|p| p.z).collect::<Vec<_>>()
                };
                let z = z(quad);
                [z.iter().copied().fold(f32::MAX, f32::min), z.iter().copied().fold(f32::MIN, f32::max)]
            })
            .collect();
        assert_eq!(tops.len(), 2);
        assert!(tops[0][1] > tops[1][0], "{tops:?} overlap");
    }

    #[test]
    fn large_fields_are_drawn_in_squares_of_columns() {
        // A checkerboard of two heights, of which nothing merges: more columns than there is room for.
        let side = 700;
        let [low, high]: [&[[u16; 2]]; 2] = [&[[0, 1]], &[[0, 3]]];
        let columns: Vec<_> =
            (0..side * side).map(|i| if (i % side + i / side) % 2 == 0 { low } else { high }).collect();
        let whole = field(&columns, side);
        let d = geometry(&whole);
        assert!(d.triangles.len() <= 2 * MAX_SHAPES);
        let reach = d.triangles.iter().flat_map(|t| t.points).fold(Vec3::ZERO, Vec3::max);
        assert!(reach.x >= side as f32 && reach.z >= side as f32, "all of it is there: {reach}");
        let coarse = coarsened(&whole, 2);
        assert_eq!((coarse.frame.width, coarse.frame.cell_size, coarse.spans.len()), (350, 2.0, 350 * 350));
        assert!(coarse.spans.iter().all(|span| (span.bottom, span.top) == (0, 3)));
    }

    #[test]
    fn spans_apart_stay_apart_in_squares() {
        let odd = field(&[&[[0, 2]], &[[1, 3], [8, 9]], &[[5, 6]]], 3);
        let spans: Vec<[u16; 2]> = coarsened(&odd, 2).spans.iter().map(|span| [span.bottom, span.top]).collect();
        assert_eq!(spans, [[0, 3], [8, 9], [5, 6]]);
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
