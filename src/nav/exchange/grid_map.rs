//! Grid maps of the public path benchmarks: MovingAI's `.map` text files.
//!
//! Layout: `type` with a word, if any, `height`, `width`, `map`, then a character per cell, row by row. Ground is `.` or `G`,
//! swamp `S`; water `W` is passed from water alone; everything else is an obstacle (N. Sturtevant, "Benchmarks for
//! Grid-Based Pathfinding", 2012). Cell x of row y is the square from (x, y) to (x + 1, y + 1) of our x and z, at height
//! 0, as the benchmarks' meshes of the same maps have it.

use glam::DVec3;

use super::ExchangeError;
use crate::nav::mesh::{RawMesh, RawPolygon};

/// Most cells of a map.
const MAX_CELLS: usize = 1 << 24;
/// Longest side of a polygon, cells: its corners stay below what a mesh takes.
const MAX_SIDE: usize = 128;
/// Area type of swamp, which costs what its weight says.
const SWAMP: u8 = 1;
/// Area type of water.
const WATER: u8 = 2;
/// No polygon.
const NONE: u32 = u32::MAX;

/// Whether a file begins as a grid map does. Planners for many agents keep theirs without a type.
pub fn is_grid_map(begin: &[u8]) -> bool {
    let mut words = begin.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_side = |word: &[u8]| matches!(word, b"height" | b"width");
    let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
    match words.next() {
        Some(b"type") => words.nth(1).is_some_and(is_side),
        Some(first) if is_side(first) => {
            words.next().is_some_and(is_number)
                && words.next().is_some_and(|second| is_side(second) && second != first)
                && words.next().is_some_and(is_number)
                && words.next() == Some(b"map")
        }
        _ => false,
    }
}

fn wrong(what: String) -> ExchangeError {
    ExchangeError::Text(format!("grid map: {what}"))
}

/// Width and height by a map's head, whose lines are taken; 0 for what it does not say.
fn head<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Result<[usize; 2], ExchangeError> {
    let [mut width, mut height] = [0_usize; 2];
    for line in lines {
        match line.split_once(char::is_whitespace).map_or((line.trim(), ""), |(key, value)| (key, value.trim())) {
            ("width", value) => width = value.parse().map_err(|_| wrong(format!("'{value}' is no width")))?,
            // Heights of corners stand before its cells.
            ("type", "octile-corner") => return Err(wrong("its type is 'octile-corner', and 'octile' is read".into())),
            ("height", value) => height = value.parse().map_err(|_| wrong(format!("'{value}' is no height")))?,
            ("map", _) => break,
            _ => {}
        }
    }
    Ok([width, height])
}

/// Width and height of the grid map that begins so, cells; `None` for what is none.
pub(super) fn size_of_map(begin: &[u8]) -> Option<[usize; 2]> {
    let text = std::str::from_utf8(begin).ok().filter(|_| is_grid_map(begin))?;
    head(&mut text.lines()).ok()
}

/// Reads a map. Cells of one kind become rectangles, whose borders are cut where others end.
///
/// # Errors
/// The head is no such text, the map is too large, or rows are missing.
pub fn read_grid_map(text: &str) -> Result<RawMesh, ExchangeError> {
    let mut lines = text.lines();
    let [width, height] = head(&mut lines)?;
    let cells = width.checked_mul(height).filter(|&cells| cells > 0);
    let cells = cells.ok_or_else(|| wrong("give 'height' and 'width', then 'map'".into()))?;
    if cells > MAX_CELLS {
        return Err(ExchangeError::TooMany { what: "cells", count: cells, limit: MAX_CELLS });
    }
    let mut kinds = Vec::with_capacity(cells.min(text.len()));
    for row in 0..height {
        let line = lines.next().map(|line| line.trim_end().as_bytes()).unwrap_or_default();
        if line.len() != width {
            return Err(wrong(format!("row {row} has {} cells, the head says {width}", line.len())));
        }
        kinds.extend(line.iter().map(|cell| CellKind::of(*cell)));
    }
    Ok(GridMap { width, height, kinds }.mesh())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellKind {
    Obstacle,
    Ground,
    Swamp,
    Water,
}

impl CellKind {
    fn of(cell: u8) -> Self {
        match cell {
            b'.' | b'G' => Self::Ground,
            b'S' => Self::Swamp,
            b'W' => Self::Water,
            _ => Self::Obstacle,
        }
    }

    fn area(self) -> u8 {
        match self {
            Self::Swamp => SWAMP,
            Self::Water => WATER,
            Self::Ground | Self::Obstacle => 0,
        }
    }

    /// Whether one leads to the other, both of them no obstacles.
    fn leads_to(self, other: Self) -> bool {
        (self == Self::Water) == (other == Self::Water)
    }
}

/// Cells from `x` and `y`, so many along both.
#[derive(Clone, Copy, Debug)]
struct CellRect {
    x: usize,
    y: usize,
    columns: usize,
    rows: usize,
}

/// A side of a rectangle: where it begins, its direction, and the offset to the cells beyond its steps.
struct Side {
    from: [usize; 2],
    step: [isize; 2],
    beyond: [isize; 2],
    length: usize,
}

struct GridMap {
    width: usize,
    height: usize,
    kinds: Vec<CellKind>,
}

impl GridMap {
    fn mesh(&self) -> RawMesh {
        let (rects, owners) = self.rects();
        let columns = self.width + 1;
        // Places where some rectangle has a corner; then their vertices.
        let mut vertex_of = vec![NONE; columns * (self.height + 1)];
        let mut vertices = Vec::new();
        for r in &rects {
            for (x, y) in [(r.x, r.y), (r.x + r.columns, r.y), (r.x, r.y + r.rows), (r.x + r.columns, r.y + r.rows)] {
                let vertex = &mut vertex_of[y * columns + x];
                if *vertex == NONE {
                    *vertex = vertices.len() as u32;
                    vertices.push(DVec3::new(x as f64, 0.0, y as f64));
                }
            }
        }
        let polygons = rects.iter().map(|rect| self.polygon(rect, &owners, &vertex_of)).collect();
        RawMesh { vertices, polygons }
    }

    /// Rectangles of one kind that cover all but obstacles, row by row the widest and then the highest, and the rectangle
    /// of each cell.
    fn rects(&self) -> (Vec<CellRect>, Vec<u32>) {
        let mut owners = vec![NONE; self.kinds.len()];
        let mut rects = Vec::new();
        for start in 0..self.kinds.len() {
            let (x, y, kind) = (start % self.width, start / self.width, self.kinds[start]);
            if kind == CellKind::Obstacle || owners[start] != NONE {
                continue;
            }
            let is_free = |x: usize, y: usize, owners: &[u32]| {
                let cell = y * self.width + x;
                self.kinds[cell] == kind && owners[cell] == NONE
            };
            let end = (x + MAX_SIDE).min(self.width);
            let columns = (x..end).take_while(|&x| is_free(x, y, &owners)).count();
            let last = (y + MAX_SIDE).min(self.height);
            let rows = (y..last).take_while(|&y| (x..x + columns).all(|x| is_free(x, y, &owners))).count();
            for row in y..y + rows {
                owners[row * self.width + x..row * self.width + x + columns].fill(rects.len() as u32);
            }
            rects.push(CellRect { x, y, columns, rows });
        }
        (rects, owners)
    }

    /// A rectangle with the corners of others on its sides, and the rectangle beyond each piece of a side.
    fn polygon(&self, r: &CellRect, owners: &[u32], vertex_of: &[u32]) -> RawPolygon {
        let (right, bottom) = (r.x + r.columns, r.y + r.rows);
        let sides = [
            Side { from: [r.x, r.y], step: [1, 0], beyond: [0, -1], length: r.columns },
            Side { from: [right, r.y], step: [0, 1], beyond: [0, 0], length: r.rows },
            Side { from: [right, bottom], step: [-1, 0], beyond: [-1, 0], length: r.columns },
            Side { from: [r.x, bottom], step: [0, -1], beyond: [-1, -1], length: r.rows },
        ];
        let kind = self.kinds[r.y * self.width + r.x];
        let (mut corners, mut neighbors) = (Vec::new(), Vec::new());
        for side in sides {
            for i in 0..side.length as isize {
                let at = |axis: usize| side.from[axis] as isize + i * side.step[axis];
                let vertex = vertex_of[at(1) as usize * (self.width + 1) + at(0) as usize];
                if vertex == NONE {
                    continue;
                }
                corners.push(vertex);
                let (x, y) = (at(0) + side.beyond[0], at(1) + side.beyond[1]);
                let is_inside = x >= 0 && y >= 0 && x < self.width as isize && y < self.height as isize;
                let cell = is_inside.then(|| y as usize * self.width + x as usize);
                let leads = |cell: &usize| owners[*cell] != NONE && kind.leads_to(self.kinds[*cell]);
                neighbors.push(cell.filter(leads).map(|cell| owners[cell]));
            }
        }
        let mut polygon = RawPolygon::new(corners);
        polygon.neighbors = Some(neighbors);
        polygon.area = kind.area();
        polygon
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{Filter, NavMesh};
    use crate::nav::query::nearest::{SearchExtents, nearest};
    use crate::nav::query::polyanya::{Polyanya, ShortestPath};

    fn read(rows: &[&str]) -> NavMesh {
        let text = format!("type octile\nheight {}\nwidth {}\nmap\n{}\n", rows.len(), rows[0].len(), rows.join("\r\n"));
        assert!(is_grid_map(text.as_bytes()));
        read_grid_map(&text).unwrap().validate().unwrap()
    }

    fn length(mesh: &NavMesh, from: [f64; 2], to: [f64; 2]) -> Option<f64> {
        let filter = Filter::default();
        let place = |[x, z]: [f64; 2]| {
            nearest(mesh, mesh.local(DVec3::new(x, 0.0, z)), &SearchExtents::default(), &filter).unwrap().nav_point()
        };
        let (mut search, mut path) = (Polyanya::new(), ShortestPath::default());
        search.find(mesh, place(from), place(to), &filter, &mut path).ok().map(|()| path.length_2d)
    }

    #[test]
    fn paths_lead_around_obstacles_at_any_angle() {
        let mesh = read(&["......", "..@@..", "..@@..", "......"]);
        let around = length(&mesh, [0.5, 2.0], [5.5, 2.0]).unwrap();
        let by_hand = 2.0 * 1.5_f64.hypot(1.0) + 2.0;
        assert!((around - by_hand).abs() < 1e-5, "{around} {by_hand}");
    }

    #[test]
    fn cells_that_touch_at_a_corner_are_no_way_and_water_is_its_own() {
        let mesh = read(&["..@", "@@.", "..."]);
        assert_eq!((mesh.island_count(), length(&mesh, [0.5, 0.5], [2.5, 1.5])), (2, None));
        let mesh = read(&["..SWW", "TTOWW"]);
        assert_eq!(mesh.island_count(), 2);
        assert!(length(&mesh, [0.5, 0.5], [2.5, 0.5]).is_some_and(|length| (length - 2.0).abs() < 1e-6));
        assert_eq!(length(&mesh, [2.5, 0.5], [3.5, 0.5]), None);
    }

    #[test]
    fn large_rooms_and_ragged_borders_are_whole() {
        let rows: Vec<String> =
            (0..300).map(|y| (0..300).map(|x| if x == 150 && y % 3 > 0 { '@' } else { '.' }).collect()).collect();
        let mesh = read(&rows.iter().map(String::as_str).collect::<Vec<&str>>());
        assert_eq!(mesh.island_count(), 1);
        let length = length(&mesh, [0.0, 0.5], [300.0, 0.5]).unwrap();
        assert!((length - 300.0).abs() < 1e-3, "{length}");
    }

    #[test]
    fn damaged_maps_are_refused_with_the_row() {
        let error = |text: &str| read_grid_map(text).unwrap_err().to_string();
        assert!(error("type octile\nheight 2\nwidth 3\nmap\n...\n..\n").contains("row 1 has 2 cells"));
        assert!(error("type octile-corner\nheight 1\nwidth 1\nmap\n1\nG\n").contains("'octile-corner'"));
        assert!(error("type octile\nheight x\nwidth 3\nmap\n").contains("'x' is no height"));
        assert!(error("type octile\nheight 2\nmap\n..\n").contains("'width'"));
        assert!(error("type octile\nheight 99999\nwidth 99999\nmap\n").contains("cells"));
        assert!(!is_grid_map(b"type = 3") && !is_grid_map(b"type octile"));
        assert!(is_grid_map(b"width 2\r\nheight 1\r\nmap\r\n..") && is_grid_map(b"height 1\nwidth 2\nmap\n"));
        for other in ["height 1\nheight 2\nmap", "height 1\nwidth a\nmap", "height 1\nwidth 2\n", "height", "map"] {
            assert!(!is_grid_map(other.as_bytes()), "{other}");
        }
        assert_eq!(read_grid_map("height 1\nwidth 2\nmap\n..\n").unwrap().polygons.len(), 1);
    }
}
