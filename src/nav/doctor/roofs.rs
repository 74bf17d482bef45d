//! Which ground of a level is roofs: open to the sky, over other ground, and joined with none of it.

use std::collections::BTreeMap;

use crate::math::disjoint_sets::DisjointSets;

use super::measures::MeasuredLevel;
use super::span_graph::{SpanGraph, least_area};

/// Least share of a roof that lies over other ground, and of that ground that lies under roofs.
const COVER: f64 = 0.5;
/// Least share of the border of a building that is walls.
const ENCLOSED: f64 = 0.3;
/// How many roofs, the largest, are searched for openings.
const MAX_WELLS: usize = 4;

/// The area of the openings in ground under which other ground lies open to the sky, square metres.
fn well_area(root: usize, graph: &SpanGraph, joined: &mut DisjointSets) -> f32 {
    let [width, depth] = graph.size();
    let mut is_own = vec![false; width * depth];
    let mut has_other = vec![false; width * depth];
    for column in 0..width * depth {
        is_own[column] = graph.parts_in(column).any(|part| joined.root(part as usize) == root);
        has_other[column] =
            graph.ground_of(column).any(|(part, is_open)| is_open && joined.root(part as usize) != root);
    }
    // What one gets to from the border without crossing it is beside it.
    let mut is_outside = vec![false; width * depth];
    let is_border = |column: &usize| {
        let (x, z) = (column % width, column / width);
        x == 0 || z == 0 || x + 1 == width || z + 1 == depth
    };
    let mut stack: Vec<usize> = (0..width * depth).filter(is_border).collect();
    while let Some(column) = stack.pop() {
        if is_own[column] || std::mem::replace(&mut is_outside[column], true) {
            continue;
        }
        let (x, z) = (column % width, column / width);
        let rows = z.saturating_sub(1)..(z + 2).min(depth);
        let beside = rows.flat_map(|z| (x.saturating_sub(1)..(x + 2).min(width)).map(move |x| z * width + x));
        stack.extend(beside.filter(|&other| !is_outside[other]));
    }
    let wells = (0..width * depth).filter(|&column| !is_outside[column] && !is_own[column] && has_other[column]);
    wells.count() as f32 * graph.cell_size().powi(2)
}

/// The ground of a level in sets that ways and crossings join, and how they lie over each other.
pub(super) struct Storeys {
    /// Number of cells of each, by the part that the others are joined to.
    cells: Vec<f64>,
    /// Cells of each with nothing above.
    open: Vec<f64>,
    /// Cells of each with other ground below.
    over: Vec<f64>,
    /// Cells of one that lie over another.
    pairs: BTreeMap<[usize; 2], f64>,
    /// Sides of cells at which each ends, and those of them at walls.
    sides: Vec<[u32; 2]>,
}

impl Storeys {
    /// `joined` are the parts of the ground.
    pub fn of(graph: &SpanGraph, joined: &mut DisjointSets) -> Self {
        let none = vec![0.0; graph.areas().len()];
        let mut storeys =
            Self { cells: none.clone(), open: none.clone(), over: none, pairs: BTreeMap::new(), sides: Vec::new() };
        storeys.sides = vec![[0; 2]; storeys.cells.len()];
        for (part, [all, walls]) in graph.walls_of_parts().into_iter().enumerate() {
            let sides = &mut storeys.sides[joined.root(part)];
            *sides = [sides[0] + all, sides[1] + walls];
        }
        let mut below: Vec<usize> = Vec::new();
        for column in 0..graph.columns() {
            below.clear();
            for (part, is_open) in graph.ground_of(column) {
                let root = joined.root(part as usize);
                storeys.cells[root] += 1.0;
                storeys.open[root] += f64::from(u8::from(is_open));
                let others = below.iter().filter(|&&other| other != root);
                storeys.over[root] += f64::from(u8::from(others.clone().next().is_some()));
                others.for_each(|&other| *storeys.pairs.entry([root, other]).or_default() += 1.0);
                if !below.contains(&root) {
                    below.push(root);
                }
            }
        }
        storeys
    }

    /// The largest ground that is no roof: the ground that people walk on. `None` where there is none.
    pub fn main(&self) -> Option<usize> {
        let largest = |is_roof: bool| {
            let all = (0..self.cells.len()).filter(|&i| self.cells[i] > 0.0 && self.is_over_other(i) == is_roof);
            all.max_by(|&a, &b| self.cells[a].total_cmp(&self.cells[b]))
        };
        largest(false).or_else(|| largest(true))
    }

    /// Whether walls stand around ground, so that what lies over it is a roof without doubt.
    pub fn is_enclosed(&self, root: usize) -> bool {
        let [all, walls] = self.sides[root].map(f64::from);
        walls >= ENCLOSED * all
    }

    /// The roofs of ground that are not made to be walked on: that have no walls nor railings around them, and no opening that leads
    /// down to other ground, as to stairs.
    pub fn bare_roofs_of(&self, main: usize, level: &MeasuredLevel<'_>, joined: &mut DisjointSets) -> Vec<usize> {
        let mut roofs = self.roofs_of(main);
        roofs.retain(|&roof| !self.is_enclosed(roof));
        roofs.sort_by(|&a, &b| self.cells[b].total_cmp(&self.cells[a]));
        let least = least_area(level.limits);
        let mut number = 0;
        roofs.retain(|&roof| {
            number += 1;
            number > MAX_WELLS || well_area(roof, &level.graph, joined) < least
        });
        roofs
    }

    /// Whether most of it lies over other ground under the open sky.
    fn is_over_other(&self, root: usize) -> bool {
        self.open[root].min(self.over[root]) >= COVER * self.cells[root]
    }

    /// The roofs of ground: what lies over most of it, and has most of itself over it, under the open sky. Ground that has
    /// little over itself has none, so that a platform in a yard is no roof of it.
    fn roofs_of(&self, main: usize) -> Vec<usize> {
        let covers = |root: usize| self.pairs.get(&[root, main]).copied().unwrap_or(0.0);
        let is_over = |root: usize| self.open[root].min(covers(root)) >= COVER * self.cells[root];
        let roofs: Vec<usize> = (0..self.cells.len()).filter(|&i| self.cells[i] > 0.0 && is_over(i)).collect();
        let covered: f64 = roofs.iter().map(|&roof| covers(roof)).sum();
        if covered >= COVER * self.cells[main] { roofs } else { Vec::new() }
    }
}
