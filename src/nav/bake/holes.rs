//! Joins the holes of regions to their outlines: each by the shortest bridge that crosses nothing, from left to right.
//!
//! Vertices and edges are filed by cells, and the outline is a linked ring, so that a hole costs about as much in a
//! region of ten thousand others as in one of ten.

use super::contour::{Contour, ContourVertex, in_cone, segments_meet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Smallest side of a cell of the grid, cells of the bake.
const MIN_SIDE: i32 = 8;

/// Joins each hole to the outline of its region. A hole to which no bridge leads is lost.
pub fn join_holes(contours: Vec<Contour>, regions: u32) -> Vec<Contour> {
    let is_hole: Vec<bool> = contours.iter().map(|c| winding(&c.vertices) < 0).collect();
    if !is_hole.contains(&true) {
        return contours;
    }
    let mut holes: Vec<Vec<Contour>> = vec![Vec::new(); regions as usize];
    let mut outlines = Vec::new();
    for (c, hole) in contours.into_iter().zip(is_hole) {
        if hole {
            holes[c.region as usize].push(c);
        } else {
            outlines.push(c);
        }
    }
    for o in &mut outlines {
        let mut list = std::mem::take(&mut holes[o.region as usize]);
        if !list.is_empty() {
            list.sort_by_cached_key(|h| leftmost(&h.vertices).1);
            o.vertices = with_holes(&o.vertices, &list);
        }
    }
    outlines
}

/// Twice the enclosed area, positive for outlines and negative for holes.
fn winding(vertices: &[ContourVertex]) -> i64 {
    let last = vertices.len() - 1;
    let mut before = &vertices[last];
    let mut sum = 0;
    for c in vertices {
        sum += i64::from(c.x) * i64::from(before.z) - i64::from(before.x) * i64::from(c.z);
        before = c;
    }
    sum
}

/// Index of the vertex with the smallest x, then z, and these coordinates.
fn leftmost(vertices: &[ContourVertex]) -> (usize, (i32, i32)) {
    let key = |i: usize| (vertices[i].x, vertices[i].z);
    let best = (0..vertices.len()).min_by_key(|&i| key(i)).unwrap_or(0);
    (best, key(best))
}

/// An outline joined with its holes.
fn with_holes(outline: &[ContourVertex], holes: &[Contour]) -> Vec<ContourVertex> {
    let all = || outline.iter().chain(holes.iter().flat_map(|h| &h.vertices));
    let cells = Cells::around(all());
    let mut edges = EdgeGrid { files: vec![Vec::new(); cells.count()], edges: Vec::new(), cells };
    let mut ring = OutlineRing::new(outline, cells);
    edges.add_contour(outline, None);
    for (number, hole) in (0..).zip(holes) {
        edges.add_contour(&hole.vertices, Some(number));
    }
    let mut is_lost = vec![false; holes.len()];
    for (number, hole) in holes.iter().enumerate() {
        let hole = &hole.vertices;
        let first = leftmost(hole).0;
        let bridge = (0..hole.len()).map(|k| (first + k) % hole.len()).find_map(|at| {
            let is_free = |node: u32| edges.is_free(&ring.at[node as usize], &hole[at], &is_lost);
            ring.nearest(&hole[at], is_free).map(|node| (node, at))
        });
        match bridge {
            Some((node, at)) => {
                edges.add(ring.at[node as usize], hole[at], None);
                ring.join(node, hole, at);
            }
            None => is_lost[number] = true,
        }
    }
    ring.vertices()
}

/// A grid over an outline and its holes, seen from above.
#[derive(Clone, Copy)]
struct Cells {
    min: [i32; 2],
    side: i32,
    columns: i32,
    rows: i32,
}

impl Cells {
    /// About one cell per vertex.
    fn around<'a>(vertices: impl Iterator<Item = &'a ContourVertex>) -> Self {
        let (mut min, mut max, mut count) = ([i32::MAX; 2], [i32::MIN; 2], 0_u32);
        for v in vertices {
            min = [min[0].min(v.x), min[1].min(v.z)];
            max = [max[0].max(v.x), max[1].max(v.z)];
            count += 1;
        }
        let size = [0, 1].map(|i| f64::from(max[i]) - f64::from(min[i]) + 1.0);
        let side = ((size[0] * size[1] / f64::from(count.max(1))).sqrt() as i32).max(MIN_SIDE);
        let cells = size.map(|s| (s / f64::from(side)) as i32 + 1);
        Self { min, side, columns: cells[0], rows: cells[1] }
    }

    fn count(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    fn column(&self, x: i32) -> i32 {
        ((x - self.min[0]) / self.side).clamp(0, self.columns - 1)
    }

    fn row(&self, z: i32) -> i32 {
        ((z - self.min[1]) / self.side).clamp(0, self.rows - 1)
    }

    fn index(&self, column: i32, row: i32) -> usize {
        row as usize * self.columns as usize + column as usize
    }

    /// Calls `f` with cells that hold the segment a–b, until it says that this is enough. Returns whether it never did.
    fn all_along(&self, a: &ContourVertex, b: &ContourVertex, mut f: impl FnMut(usize) -> bool) -> bool {
        let (a, b) = if a.x <= b.x { (a, b) } else { (b, a) };
        let rise = f64::from(b.z - a.z) / f64::from(b.x - a.x).max(1.0);
        let (low, high) = (a.z.min(b.z), a.z.max(b.z));
        (self.column(a.x)..=self.column(b.x)).all(|column| {
            let from = (self.min[0] + column * self.side).max(a.x);
            let to = (self.min[0] + (column + 1) * self.side).min(b.x);
            let z = |x: i32| (f64::from(a.z) + rise * f64::from(x - a.x)) as i32;
            // An upright segment lies in one column; others are rounded outwards.
            let ends = if a.x == b.x { [low, high] } else { [z(from), z(to)] };
            let rows = self.row((ends[0].min(ends[1]) - 1).max(low))..=self.row((ends[0].max(ends[1]) + 1).min(high));
            rows.into_iter().all(|row| f(self.index(column, row)))
        })
    }
}

/// An edge, and the hole that it belongs to until that is joined.
struct GridEdge {
    a: ContourVertex,
    b: ContourVertex,
    hole: Option<u32>,
}

/// The edges of outline, holes and bridges, by the cells that they cross.
struct EdgeGrid {
    cells: Cells,
    files: Vec<Vec<u32>>,
    edges: Vec<GridEdge>,
}

impl EdgeGrid {
    fn add(&mut self, a: ContourVertex, b: ContourVertex, hole: Option<u32>) {
        let number = self.edges.len() as u32;
        let files = &mut self.files;
        self.cells.all_along(&a, &b, |cell| {
            files[cell].push(number);
            true
        });
        self.edges.push(GridEdge { a, b, hole });
    }

    fn add_contour(&mut self, vertices: &[ContourVertex], hole: Option<u32>) {
        let ends = vertices.iter().skip(1).chain(vertices.first());
        vertices.iter().zip(ends).for_each(|(a, b)| self.add(*a, *b, hole));
    }

    /// Whether the segment p–q meets no edge but those that share an end with it, and those of lost holes.
    fn is_free(&self, p: &ContourVertex, q: &ContourVertex, is_lost: &[bool]) -> bool {
        self.cells.all_along(p, q, |cell| {
            self.files[cell].iter().map(|&number| &self.edges[number as usize]).all(|GridEdge { a, b, hole }| {
                let shares = [a, b].iter().any(|c| c.same_place(p) || c.same_place(q));
                let is_gone = hole.is_some_and(|hole| is_lost[hole as usize]);
                shares || is_gone || !segments_meet(p, q, a, b)
            })
        })
    }
}

/// An outline while holes are joined to it: vertices linked in a ring.
struct OutlineRing {
    at: Vec<ContourVertex>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Numbers that ascend along the ring, around the end of their range.
    label: Vec<u64>,
    /// Where the outline begins: at the newest bridge.
    first: u32,
    cells: Cells,
    files: Vec<Vec<u32>>,
}

impl OutlineRing {
    fn new(outline: &[ContourVertex], cells: Cells) -> Self {
        let mut ring = Self {
            at: Vec::new(),
            next: Vec::new(),
            previous: Vec::new(),
            label: Vec::new(),
            first: 0,
            cells,
            files: vec![Vec::new(); cells.count()],
        };
        let count = outline.len() as u32;
        for v in outline {
            ring.add(*v);
        }
        ring.next = (0..count).map(|i| (i + 1) % count).collect();
        ring.previous = (0..count).map(|i| (i + count - 1) % count).collect();
        ring.number();
        ring
    }

    /// A new vertex, which is not linked yet.
    fn add(&mut self, v: ContourVertex) -> u32 {
        let node = self.at.len() as u32;
        self.at.push(v);
        self.next.push(node);
        self.previous.push(node);
        self.label.push(0);
        let cell = self.cells.index(self.cells.column(v.x), self.cells.row(v.z));
        self.files[cell].push(node);
        node
    }

    fn nodes(&self) -> impl Iterator<Item = u32> + '_ {
        let rest = std::iter::successors(Some(self.first), |&n| Some(self.next[n as usize]));
        rest.take(self.at.len())
    }

    fn vertices(&self) -> Vec<ContourVertex> {
        self.nodes().map(|n| self.at[n as usize]).collect()
    }

    /// Spreads the labels evenly.
    fn number(&mut self) {
        let step = u64::MAX / self.at.len() as u64;
        for (n, label) in self.nodes().collect::<Vec<_>>().into_iter().zip(0..) {
            self.label[n as usize] = label * step;
        }
    }

    /// The place of a vertex counted from the first one: larger is later.
    fn place(&self, node: u32) -> u64 {
        self.label[node as usize].wrapping_sub(self.label[self.first as usize])
    }

    /// Joins a hole by a bridge from `node` to its vertex `from`: the outline goes around itself, then around the hole.
    fn join(&mut self, node: u32, hole: &[ContourVertex], from: usize) {
        let around = (0..=hole.len()).map(|k| hole[(from + k) % hole.len()]);
        let mut last = self.previous[node as usize];
        let begin = last;
        let new: Vec<ContourVertex> = std::iter::once(self.at[node as usize]).chain(around).collect();
        let gap = self.label[node as usize].wrapping_sub(self.label[begin as usize]);
        let step = gap / (new.len() as u64 + 1);
        for (v, turn) in new.iter().zip(1..) {
            let n = self.add(*v);
            self.label[n as usize] = self.label[begin as usize].wrapping_add(step * turn);
            self.next[last as usize] = n;
            self.previous[n as usize] = last;
            last = n;
        }
        self.next[last as usize] = node;
        self.previous[node as usize] = last;
        self.first = node;
        if step == 0 {
            self.number();
        }
    }

    /// The vertex nearest to `p`, of equals the first, from inside whose angle `p` is seen and that `is_free`.
    fn nearest(&self, p: &ContourVertex, is_free: impl Fn(u32) -> bool) -> Option<u32> {
        let Cells { columns, rows, side, .. } = self.cells;
        let (column, row) = (self.cells.column(p.x), self.cells.row(p.z));
        let outermost = column.max(columns - 1 - column).max(row).max(rows - 1 - row);
        let mut found = BinaryHeap::new();
        for ring in 0..=outermost {
            for z in (row - ring).max(0)..=(row + ring).min(rows - 1) {
                // Between its first and its last row a ring has two cells.
                let whole = (z - row).abs() == ring;
                let step = if whole { 1 } else { 2 * ring.max(1) } as usize;
                for x in (column - ring..=column + ring).step_by(step).filter(|x| (0..columns).contains(x)) {
                    for &node in &self.files[self.cells.index(x, z)] {
                        found.extend(self.seen_from(node, p).map(Reverse));
                    }
                }
            }
            // What lies in cells further out is further away than this.
            let near = i64::from(ring) * i64::from(side);
            let reach = if ring == outermost { i64::MAX } else { near * near };
            while let Some(&Reverse((distance, _, node))) = found.peek()
                && distance <= reach
            {
                found.pop();
                if is_free(node) {
                    return Some(node);
                }
            }
        }
        None
    }

    /// Squared distance and place of a vertex, if `p` lies inside its angle.
    fn seen_from(&self, node: u32, p: &ContourVertex) -> Option<(i64, u64, u32)> {
        let vertex = |n: u32| &self.at[n as usize];
        let at = vertex(node);
        let (before, after) = (vertex(self.previous[node as usize]), vertex(self.next[node as usize]));
        let (dx, dz) = (i64::from(at.x - p.x), i64::from(at.z - p.z));
        in_cone(before, at, after, p).then(|| (dx * dx + dz * dz, self.place(node), node))
    }
}
