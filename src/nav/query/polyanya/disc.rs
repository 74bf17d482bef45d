//! Shortest paths for a disc of any radius: straight lines and arcs around corners, exact in plan view.
//!
//! The places where the disc's middle may be are the ground less what lies nearer to a wall than its radius. A shortest path
//! in them consists of common tangents of circles around corners and of arcs of those circles (Y. Liu, S. Arimoto,
//! "Finding the Shortest Path of a Disc Among Polygonal Obstacles Using a Radius-Independent Graph", IEEE Transactions on
//! Robotics and Automation 1995): where a tangent is free, the corners see each other, whatever the radius. So what each
//! corner sees is found once, and A* goes over tangents in the order of their costs and looks at the walls beside a tangent
//! when its turn comes. Lengths are those of the lines and arcs themselves.

mod clearance;
mod sight;
mod tangent;
#[cfg(test)]
mod tests;

use glam::DVec2;

use super::mesh::{Corner, PolyanyaMesh};
use crate::nav::mesh::{NONE, NavMesh, NavPoint};
use crate::nav::search::heap::{Heap, Keyed};
use clearance::{CircleArc, SLACK, StraightLine, Surroundings};
use sight::Sights;
use tangent::{NO_ANGLE, Tangent, arc_angle, is_between, tangent};

/// Arcs are drawn as chords that leave them by at most this, metres.
const MAX_SAGITTA: f64 = 5e-4;
/// Most of the same for tangents to ends, which may lean as far towards a wall as ends may stand nearer to it.
const MAX_LEAN: f64 = 1e-3;
/// The end, in place of a corner.
const END: u32 = NONE - 1;

/// A way that is known to be free up to a circle, or to the start.
#[derive(Clone, Copy, Debug)]
struct DiscLabel {
    /// The corner in the middle of the circle; [`NONE`] for the start.
    corner: u32,
    /// 1 where it is turned around to the left, -1 to the right, 0 at the start.
    turn: f64,
    /// Unit direction from the corner to where the path meets the circle.
    met: DVec2,
    /// Where that is.
    at: DVec2,
    /// Length of the path to there.
    cost: f64,
    /// Angles below this are none on its circle, radians.
    lean: f64,
    parent: u32,
    /// The next label of the same corner and turn.
    next: u32,
}

/// A tangent whose surroundings are not looked at yet.
#[derive(Clone, Copy, Debug)]
struct TangentCandidate {
    from: u32,
    /// A corner or [`END`].
    to: u32,
    turn: f64,
    line: Tangent,
    /// Unit directions from the corners to the ends of the line.
    left: DVec2,
    met: DVec2,
    cost: f64,
    lean: f64,
    /// Where it is remembered whether the line is free, [`NONE`] where it is not.
    memory: u32,
}

/// The labels of a corner, to either side; valid for the query of that number.
#[derive(Clone, Copy, Debug, Default)]
struct AtCorner {
    query: u32,
    first: [u32; 2],
}

/// The search; keeps what it learns of a mesh from query to query.
#[derive(Debug, Default)]
pub(super) struct DiscSearch {
    sights: Sights,
    surroundings: Surroundings,
    labels: Vec<DiscLabel>,
    candidates: Vec<TangentCandidate>,
    heap: Heap<Keyed>,
    corners: Vec<AtCorner>,
    query: u32,
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// Corners that the start and the end see.
    from_start: Vec<u32>,
    to_end: Vec<u32>,
    target: DVec2,
    radius: f64,
    pub(super) expanded: u32,
}

/// A path for a disc.
pub(super) struct DiscPath {
    pub(super) length: f64,
    /// Points of the lines and arcs from the start to the end, and the vertex of the corner beside each, if there is one.
    pub(super) points: Vec<(DVec2, u32)>,
}

impl DiscSearch {
    /// Finds the shortest path of a disc's middle. An end that is nearer to a wall than the radius is moved away from it.
    pub(super) fn find(
        &mut self,
        mesh: &NavMesh,
        net: &PolyanyaMesh,
        [start, end]: [NavPoint; 2],
        radius: f64,
    ) -> Option<DiscPath> {
        self.begin(net, radius);
        let (_, from) = net.locate(mesh, start, &mut self.starts);
        let (_, to) = net.locate(mesh, end, &mut self.ends);
        let from = self.surroundings.make_room(net, &mut self.starts, from, radius)?;
        self.target = self.surroundings.make_room(net, &mut self.ends, to, radius)?;
        let island = |cells: &[u32]| cells.first().map(|&c| net.cells[c as usize].island);
        if island(&self.starts) != island(&self.ends) {
            return None;
        }
        self.sights.look(net, from, &self.starts, &mut self.from_start);
        self.sights.look(net, self.target, &self.ends, &mut self.to_end);
        self.labels.push(DiscLabel {
            corner: NONE,
            turn: 0.0,
            met: DVec2::ZERO,
            at: from,
            cost: 0.0,
            lean: NO_ANGLE,
            parent: NONE,
            next: NONE,
        });
        self.expand(net, 0);
        while let Some(item) = self.heap.pop() {
            let candidate = self.candidates[item.number as usize];
            if candidate.to != END && self.is_dominated(net, &candidate) || !self.is_free(net, &candidate) {
                continue;
            }
            let label = self.keep(&candidate);
            if candidate.to == END {
                return Some(self.trace(net, label));
            }
            self.expand(net, label);
        }
        None
    }

    fn begin(&mut self, net: &PolyanyaMesh, radius: f64) {
        self.heap.clear();
        self.labels.clear();
        self.candidates.clear();
        self.expanded = 0;
        self.radius = radius;
        self.sights.keep_for(net, radius);
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            self.corners.clear();
            self.query = 1;
        }
        self.corners.resize(net.corners.len().max(self.corners.len()), AtCorner::default());
    }

    /// Makes the tangents that go on from a label.
    fn expand(&mut self, net: &PolyanyaMesh, number: u32) {
        self.expanded += 1;
        let label = self.labels[number as usize];
        if label.corner == NONE {
            for i in 0..self.from_start.len() {
                self.offer_both(net, number, (self.from_start[i], NONE));
            }
            self.offer(net, number, (END, NONE), 0.0);
            return;
        }
        for i in self.sights.of(net, label.corner) {
            self.offer_both(net, number, (self.sights.corner(i), i));
        }
        if self.to_end.binary_search(&label.corner).is_ok() {
            self.offer(net, number, (END, NONE), 0.0);
        }
    }

    fn offer_both(&mut self, net: &PolyanyaMesh, from: u32, to: (u32, u32)) {
        for turn in [1.0, -1.0] {
            self.offer(net, from, to, turn);
        }
    }

    /// Makes the tangent from a label to a circle, or to the end, if the path may bend by it at both ends.
    fn offer(&mut self, net: &PolyanyaMesh, from: u32, (to, memory): (u32, u32), turn: f64) {
        let label = self.labels[from as usize];
        let middle = if to == END { self.target } else { net.corners[to as usize].at };
        let own = if label.corner == NONE { label.at } else { net.corners[label.corner as usize].at };
        let Some(line) = tangent((own, label.turn * self.radius), (middle, turn * self.radius)) else { return };
        let [left, met] = [label.turn, turn].map(|turn| line.along.perp() * -turn);
        let mut cost = label.cost + line.length;
        let is_end = label.corner == NONE || to == END;
        let lean = if is_end { (4.0 * SLACK * self.radius / line.length).clamp(NO_ANGLE, MAX_LEAN) } else { NO_ANGLE };
        if label.corner != NONE {
            let (angle, lean) = (arc_angle(label.met, left, label.turn), lean.max(label.lean));
            if angle < -lean || !is_beside(&net.corners[label.corner as usize], left, lean) {
                return;
            }
            cost += self.radius * angle.max(0.0);
        }
        if to != END && !is_beside(&net.corners[to as usize], met, lean) {
            return;
        }
        let number = self.candidates.len() as u32;
        self.candidates.push(TangentCandidate { from, to, turn, line, left, met, cost, lean, memory });
        self.heap.push(Keyed { key: cost + line.to.distance(self.target), number });
    }

    /// Whether a label of the same circle leads to all that a tangent leads to, at no more cost.
    fn is_dominated(&mut self, net: &PolyanyaMesh, candidate: &TangentCandidate) -> bool {
        let at = self.corners[candidate.to as usize];
        if at.query != self.query {
            return false;
        }
        let mut number = at.first[usize::from(candidate.turn > 0.0)];
        while number != NONE {
            let label = self.labels[number as usize];
            let angle = arc_angle(label.met, candidate.met, candidate.turn);
            if angle >= -NO_ANGLE
                && label.cost + self.radius * angle.max(0.0) <= candidate.cost * (1.0 + 1e-12)
                && self.is_arc_free(net, candidate.to, candidate.turn, [label.met, candidate.met])
            {
                return true;
            }
            number = label.next;
        }
        false
    }

    /// Whether no wall is too near to the arc before a tangent and to the tangent itself.
    fn is_free(&mut self, net: &PolyanyaMesh, candidate: &TangentCandidate) -> bool {
        let label = self.labels[candidate.from as usize];
        let from = label.corner;
        if from != NONE && !self.is_arc_free(net, from, label.turn, [label.met, candidate.left]) {
            return false;
        }
        let which = usize::from(label.turn > 0.0) * 2 + usize::from(candidate.turn > 0.0);
        if let Some(known) = self.sights.known(candidate.memory, which) {
            return known;
        }
        let line = StraightLine { from: candidate.line.from, to: candidate.line.to };
        let limit = self.radius * (1.0 - SLACK);
        let cells = if from == NONE { &self.starts[..] } else { self.sights.fan(from) };
        let mut free = self.surroundings.is_clear(net, cells, &line, limit);
        if candidate.to == END {
            free &= self.ends.iter().any(|&end| self.surroundings.has_met(end));
        }
        self.sights.learn(candidate.memory, which, free);
        free
    }

    fn is_arc_free(&mut self, net: &PolyanyaMesh, corner: u32, turn: f64, [from, to]: [DVec2; 2]) -> bool {
        let angle = arc_angle(from, to, turn);
        if angle <= NO_ANGLE {
            return true;
        }
        let (middle, limit) = (net.corners[corner as usize].at, self.radius * (1.0 - SLACK));
        let [right, left] = if turn > 0.0 { [from, to] } else { [to, from] };
        let arc = CircleArc { middle, radius: self.radius, right, left };
        self.surroundings.is_clear(net, self.sights.fan(corner), &arc, limit)
    }

    fn keep(&mut self, candidate: &TangentCandidate) -> u32 {
        let number = self.labels.len() as u32;
        let mut next = NONE;
        if candidate.to != END {
            let at = &mut self.corners[candidate.to as usize];
            if at.query != self.query {
                *at = AtCorner { query: self.query, first: [NONE; 2] };
            }
            next = std::mem::replace(&mut at.first[usize::from(candidate.turn > 0.0)], number);
        }
        let TangentCandidate { from: parent, to: corner, turn, line, met, cost, lean, .. } = *candidate;
        self.labels.push(DiscLabel { corner, turn, met, at: line.to, cost, lean, parent, next });
        number
    }

    /// The lines and arcs back from the end.
    fn trace(&self, net: &PolyanyaMesh, end: u32) -> DiscPath {
        let mut path = DiscPath { length: self.labels[end as usize].cost, points: vec![(self.target, NONE)] };
        let mut ahead = self.labels[end as usize];
        while ahead.parent != NONE {
            let label = self.labels[ahead.parent as usize];
            if label.corner != NONE {
                let corner = &net.corners[label.corner as usize];
                let middle = if ahead.corner == END { self.target } else { net.corners[ahead.corner as usize].at };
                let radii = (label.turn * self.radius, ahead.turn * self.radius);
                let line = tangent((corner.at, radii.0), (middle, radii.1));
                let left = line.map_or(label.met, |line| line.along.perp() * -label.turn);
                let angle = arc_angle(label.met, left, label.turn).max(0.0);
                let step = (8.0 * MAX_SAGITTA / self.radius).sqrt();
                let count = (angle / step).ceil() as usize;
                for i in (0..=count).rev() {
                    let share = if count == 0 { 0.0 } else { i as f64 / count as f64 };
                    let way = DVec2::from_angle(label.turn * angle * share).rotate(label.met);
                    path.points.push((corner.at + way * self.radius, corner.vertex));
                }
            } else {
                path.points.push((label.at, NONE));
            }
            ahead = label;
        }
        path.points.reverse();
        path
    }
}

/// Whether a disc that touches a corner from this direction, or one by `lean` beside it, touches neither of its walls beside it.
fn is_beside(corner: &Corner, way: DVec2, lean: f64) -> bool {
    let normals = [corner.right_wall.perp(), -corner.left_wall.perp()].map(DVec2::normalize_or_zero);
    corner.spiral || is_between(normals, way, lean)
}
