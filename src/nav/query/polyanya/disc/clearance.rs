//! How near walls come to a line or an arc, in double precision, over the cells that connect around it.

use glam::DVec2;

use super::super::mesh::PolyanyaMesh;
use super::tangent::{NO_ANGLE, is_between};
use crate::math::plan::{closest_on_segment, segments_cross};

/// A disc may come this much of its radius nearer to a wall than that: rounding decides nothing.
pub(super) const SLACK: f64 = 1e-7;
/// Steps by which an end that is too near to walls is moved away from them.
const MAX_MOVES: usize = 24;

/// A line or an arc whose distance to segments can be told.
pub(super) trait Shape {
    /// The distance to a segment.
    fn distance(&self, segment: [DVec2; 2]) -> f64;
}

/// A segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct StraightLine {
    pub(super) from: DVec2,
    pub(super) to: DVec2,
}

/// The part of a circle between two unit directions, at most half a turn to the left of the right one.
#[derive(Clone, Copy, Debug)]
pub(super) struct CircleArc {
    pub(super) middle: DVec2,
    pub(super) radius: f64,
    pub(super) right: DVec2,
    pub(super) left: DVec2,
}

fn to_segment([a, b]: [DVec2; 2], point: DVec2) -> f64 {
    closest_on_segment(a, b, point).distance(point)
}

impl Shape for StraightLine {
    fn distance(&self, [a, b]: [DVec2; 2]) -> f64 {
        let Self { from, to } = *self;
        let own = [from, to];
        if segments_cross(own, [a, b]) {
            return 0.0;
        }
        to_segment([a, b], from).min(to_segment([a, b], to)).min(to_segment(own, a)).min(to_segment(own, b))
    }
}

impl Shape for CircleArc {
    fn distance(&self, [a, b]: [DVec2; 2]) -> f64 {
        let Self { middle, radius, right, left } = *self;
        let holds = |way: DVec2| is_between([right, left], way, NO_ANGLE);
        let mut least = [right, left]
            .map(|way| to_segment([a, b], middle + way * radius))
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        // The ends of the segment, across the circle.
        for end in [a, b] {
            let way = end - middle;
            if way.length() > 0.0 && holds(way.normalize()) {
                least = least.min((way.length() - radius).abs());
            }
        }
        // Where the circle comes nearest to the line of the segment, or meets it.
        let unit = (b - a).normalize_or_zero();
        let foot = a + unit * (middle - a).dot(unit);
        let on_segment = |point: DVec2| (point - a).dot(b - a) >= 0.0 && (point - b).dot(a - b) >= 0.0;
        let away = foot.distance(middle);
        if away >= radius {
            if on_segment(foot) && holds((foot - middle) / away) {
                least = least.min(away - radius);
            }
        } else {
            let half = (radius * radius - away * away).sqrt();
            for point in [foot + unit * half, foot - unit * half] {
                if on_segment(point) && holds((point - middle) / radius) {
                    least = 0.0;
                }
            }
        }
        least
    }
}

/// Goes over the cells around a shape; keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    /// Per cell the number of the look that met it last.
    met: Vec<u32>,
    look: u32,
    cells: Vec<u32>,
}

impl Surroundings {
    /// Whether no wall is nearer to a shape than `limit`. The cells hold one of its ends, or touch its circle's middle.
    pub(super) fn is_clear(&mut self, net: &PolyanyaMesh, cells: &[u32], shape: &impl Shape, limit: f64) -> bool {
        self.visit(net, cells, shape, limit, |_, distance| distance < limit)
    }

    /// Whether the last look came to a cell.
    pub(super) fn has_met(&self, cell: u32) -> bool {
        self.met.get(cell as usize) == Some(&self.look)
    }

    /// Goes from cell to cell over portals that are near to the shape; stops where a wall is one to stop at, and returns
    /// whether there was none.
    fn visit(
        &mut self,
        net: &PolyanyaMesh,
        cells: &[u32],
        shape: &impl Shape,
        limit: f64,
        mut stops: impl FnMut([DVec2; 2], f64) -> bool,
    ) -> bool {
        self.look = self.look.wrapping_add(1);
        if self.look == 0 {
            self.met.fill(0);
            self.look = 1;
        }
        self.met.resize(net.cells.len().max(self.met.len()), 0);
        self.cells.clear();
        self.cells.extend_from_slice(cells);
        cells.iter().for_each(|&cell| self.met[cell as usize] = self.look);
        let mut next = 0;
        while let Some(&cell) = self.cells.get(next) {
            next += 1;
            let cell = net.cells[cell as usize];
            for &wall in &net.walls[cell.walls as usize..cell.walls_end as usize] {
                if stops(wall, shape.distance(wall)) {
                    return false;
                }
            }
            for p in &net.portals[cell.first as usize..cell.end as usize] {
                if self.met[p.to as usize] != self.look && shape.distance([p.a, p.b]) <= limit * (1.0 + 2.0 * SLACK) {
                    self.met[p.to as usize] = self.look;
                    self.cells.push(p.to);
                }
            }
        }
        true
    }

    /// Moves a point in these cells away from walls that are nearer than the radius, and sets its cells. `None` where there
    /// is no room.
    pub(super) fn make_room(
        &mut self,
        net: &PolyanyaMesh,
        cells: &mut Vec<u32>,
        mut point: DVec2,
        radius: f64,
    ) -> Option<DVec2> {
        for _ in 0..MAX_MOVES {
            let mut nearest: Option<([DVec2; 2], f64)> = None;
            let line = StraightLine { from: point, to: point };
            self.visit(net, cells, &line, radius, |wall, distance| {
                if nearest.is_none_or(|n| distance < n.1) {
                    nearest = Some((wall, distance));
                }
                false
            });
            let Some((wall, _)) = nearest.filter(|n| n.1 < radius * (1.0 - SLACK)) else { return Some(point) };
            let on = closest_on_segment(wall[0], wall[1], point);
            let inwards = (wall[1] - wall[0]).perp().normalize_or_zero();
            let away = if on.distance(point) > 1e-6 * radius { (point - on).normalize() } else { inwards };
            let to = on + away * (radius * (1.0 + 0.5 * SLACK));
            // The way there, and with it all cells around, stays within the ground that was met.
            let holds = |cell: u32| {
                let c = net.cells[cell as usize];
                let walls = net.walls[c.walls as usize..c.walls_end as usize].iter().copied();
                let portals = net.portals[c.first as usize..c.end as usize].iter().map(|p| [p.a, p.b]);
                walls.chain(portals).all(|[a, b]| (b - a).perp_dot(to - a) >= -1e-12 * (b - a).length_squared())
            };
            let cell = self.cells.iter().copied().find(|&cell| holds(cell))?;
            point = net.place(cell, to, cells);
        }
        None
    }
}
