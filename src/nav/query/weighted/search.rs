//! The search: A* over beams and over the vertices at which paths turn, by lower bounds of the whole path's cost.

mod cell;
mod meeting;
mod prune;
mod survey;
mod ways;

use glam::{DVec2, DVec3, Vec3};

use super::beam::{Beam, BeamFrame, BeamGate, Origin, PathRay};
use super::bound::{CostTangent, PathTarget, critical_ray, lower_bound};
use super::fan::Arrival;
use super::landmarks::TargetCosts;
use super::meeting::Meeting;
use super::mesh::{Fan, SAME_ANGLE, WeightedMesh, is_on};
use super::path::{
    BEAM_BYTES, BeamNode, CornerArrival, CornerState, FoundPath, LegOver, PathLeg, PathSource, PathTree, SourcePlace,
};
use crate::math::plan::inner_angle;
use crate::nav::mesh::{NONE, NavMesh};
use crate::nav::search::heap::Keyed;
use crate::nav::search::hot_queue::HotQueue;

/// The search ends when no way is cheaper by more than this share: each smaller one costs more beams.
const GAP: f64 = 2e-5;
/// A search takes at most 256 MB; one that would need more answers with the bounds that it has.
const MAX_BEAMS: usize = (256 << 20) / BEAM_BYTES;
/// Numbers in the heap from here on are those of arrivals at corners, before it those of beams.
const FIRST_ARRIVAL: u32 = 1 << 31;
/// Sines that differ by less are the same.
const SAME_SINE: f64 = 1e-9;

/// The cheapest runs known along a side from a place on it, valid for the query of that number.
#[derive(Clone, Copy, Debug, Default)]
struct KnownRun {
    query: u32,
    from: f64,
    cost: f64,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SearchPart {
    /// A whole path, or paths to all corners.
    #[default]
    Alone,
    /// The ways from a corner: it arrives at all others, also where paths do not turn, and goes on from none.
    Recording,
    /// The last legs of paths, from their end.
    FromEnd,
    /// The first legs, from their start.
    FromStart,
}

/// The search and its memory.
#[derive(Debug, Default)]
pub(super) struct WeightedSearch {
    tree: PathTree,
    queue: HotQueue,
    /// Per corner.
    corners: Vec<CornerState>,
    runs: Vec<[KnownRun; 2]>,
    query: u32,
    gates: Vec<BeamGate>,
    goal: Option<FoundPath>,
    target: PathTarget,
    landmarks: TargetCosts,
    part: SearchPart,
    meeting: Meeting,
    /// Per corner, in a search without an end: the cost of the path there.
    pub(super) costs: Vec<f64>,
    tolerance: f64,
    pub(super) ends: Vec<(u32, DVec2)>,
    pub(super) starts: Vec<(u32, DVec2)>,
    pub(super) expanded: u32,
}

/// A beam while a cell is looked over.
struct CellView<'a> {
    beam: Beam<'a>,
    source: u32,
    node: u32,
    bent: u32,
    frame: BeamFrame,
    cell: u32,
}

/// What a search comes to.
pub(super) enum Outcome {
    /// The cheapest path, and what no path costs less than.
    Found { path: FoundPath, lower_bound: f64 },
    /// There is none.
    NoPath,
    /// The limit of memory was reached before a path was known; no path costs less than this.
    GaveUp { lower_bound: f64 },
}

impl WeightedSearch {
    /// Finds the cheapest path between [`starts`](Self::starts) and [`ends`](Self::ends), which are located on the mesh;
    /// `target` is the end in the space of [`CellSide::space`](super::mesh::CellSide::space).
    pub(super) fn run(&mut self, net: &WeightedMesh, target: DVec3) -> Outcome {
        if !self.begin(net, target) {
            return Outcome::NoPath;
        }
        if net.labels.are_known() {
            self.target.least = 0.0;
            return self.run_by_labels(net);
        }
        self.look_around(net);
        let mut proven = f64::INFINITY;
        while let Some(item) = self.queue.pop(self.target.known) {
            let enough = self.goal.is_some_and(|path| item.key >= path.cost * (1.0 - GAP));
            if enough || self.tree.beams.len() >= MAX_BEAMS {
                proven = item.key;
                break;
            }
            self.follow(net, item.number);
        }
        self.outcome(proven)
    }

    /// What a search comes to when all paths that it left over cost at least this.
    fn outcome(&self, proven: f64) -> Outcome {
        match self.goal {
            // What cost more than a path that is known was left out.
            Some(path) => Outcome::Found { path, lower_bound: proven.min(path.cost) },
            None if proven.is_finite() => Outcome::GaveUp { lower_bound: proven },
            None => Outcome::NoPath,
        }
    }

    /// The points of a path between its two ends.
    pub(super) fn points_of(
        &self,
        mesh: &NavMesh,
        net: &WeightedMesh,
        path: &FoundPath,
        [from, to]: [Vec3; 2],
    ) -> Vec<Vec3> {
        let mut points = Vec::new();
        if let Some(leg) = path.legs[0] {
            self.tree.points_back(mesh, net, leg, &mut points);
        }
        points.push(from);
        points.reverse();
        self.points_between(mesh, net, &mut points);
        if let Some(leg) = path.legs[1] {
            self.meeting.tree.points_back(mesh, net, leg, &mut points);
        }
        points.push(to);
        points
    }

    /// Takes up a beam or a path that arrives at a vertex.
    fn follow(&mut self, net: &WeightedMesh, number: u32) {
        match number.checked_sub(FIRST_ARRIVAL).map(|number| self.tree.arrivals[number as usize]) {
            None => self.expand(net, number),
            Some(arrival) => self.turn(net, arrival),
        }
    }

    /// Forgets the last query.
    fn clear(&mut self, net: &WeightedMesh) {
        self.queue.clear();
        self.tree.clear();
        (self.goal, self.expanded) = (None, 0);
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            self.corners.clear();
            self.runs.clear();
            self.query = 1;
        }
        self.corners.resize(net.corners.len().max(self.corners.len()), CornerState::default());
        self.runs.resize(net.sides.len().max(self.runs.len()), Default::default());
    }

    /// Returns whether start and end hang together.
    fn begin(&mut self, net: &WeightedMesh, target: DVec3) -> bool {
        self.clear(net);
        self.meeting.clear();
        // Where ground touches at an end, it may lie on several islands.
        let island = |place: &(u32, DVec2)| net.cells[place.0 as usize].island;
        let shares = |others: &[(u32, DVec2)], place: &(u32, DVec2)| others.iter().any(|o| island(o) == island(place));
        let (starts, ends) = (&mut self.starts, &mut self.ends);
        starts.retain(|start| shares(ends, start));
        ends.retain(|end| shares(starts, end));
        let (Some(start), Some(end)) = (starts.first(), ends.first()) else { return false };
        let least = starts.iter().map(|start| net.least[island(start) as usize]).fold(f64::INFINITY, f64::min);
        self.target = PathTarget { point: target, least, known: f64::INFINITY };
        self.landmarks = net.costs_to(ends);
        self.tolerance = 1e-9 * (1.0 + start.1.abs().max_element() + end.1.abs().max_element());
        true
    }

    /// What the start sees of the cells that it lies in or on.
    fn look_around(&mut self, net: &WeightedMesh) {
        let leg = PathLeg { source: NONE, over: LegOver::Cell, ray: PathRay::default() };
        self.tree.sources.push(PathSource { place: SourcePlace::Start, cost: 0.0, leg });
        for i in 0..self.starts.len() {
            let (cell, at) = self.starts[i];
            let weight = net.cells[cell as usize].weight;
            let ray_to = |point: DVec2| {
                let way = point - at;
                PathRay { s: 0.0, at: point, dir: way.normalize_or_zero(), cost: weight * way.length() }
            };
            for end in 0..self.ends.len() {
                if self.ends[end].0 == cell {
                    let leg = PathLeg { source: 0, over: LegOver::Cell, ray: ray_to(self.ends[end].1) };
                    self.offer_whole(leg);
                }
            }
            for side in net.cells[cell as usize].first..net.cells[cell as usize].end {
                let (a, b) = (net.sides[side as usize].at, net.end(side));
                let (right, left) = (ray_to(a), ray_to(b));
                // The search from one end may go on from a corner where it begins as labels tell.
                if a.distance(at) > self.tolerance || matches!(self.part, SearchPart::FromEnd | SearchPart::FromStart) {
                    self.arrive(net, PathLeg { source: 0, over: LegOver::Cell, ray: right }, side);
                } else {
                    let corner = net.sides[side as usize].corner;
                    let state = self.corner(net, corner);
                    (state.cost, state.arrival, state.done) = (0.0, NONE, true);
                }
                if is_on(a - at, b - at) {
                    self.run_both_ways(
                        net,
                        PathLeg { source: 0, over: LegOver::Cell, ray: ray_to(at) },
                        side,
                        (at - a).length(),
                    );
                } else if (a - at).perp_dot(b - at) > self.tolerance * a.distance(b) {
                    let beam = Beam {
                        origin: Origin::Point(at),
                        cost: 0.0,
                        gates: &[],
                        weight,
                        right,
                        left,
                        tolerance: self.tolerance,
                    };
                    let view = CellView { beam, source: 0, node: NONE, bent: NONE, frame: BeamFrame::IDENTITY, cell };
                    self.see(net, &view, side, right, left);
                }
            }
        }
    }

    /// Follows a beam into the cell behind its side.
    fn expand(&mut self, net: &WeightedMesh, number: u32) {
        self.expanded += 1;
        let node = self.tree.beams[number as usize];
        let mut gates = std::mem::take(&mut self.gates);
        self.collect_gates(node.bent, &mut gates);
        let cell = net.sides[node.side as usize].cell;
        let beam = Beam {
            origin: node.origin,
            cost: self.tree.sources[node.source as usize].cost,
            gates: &gates,
            weight: net.cells[cell as usize].weight,
            right: node.right,
            left: node.left,
            tolerance: self.tolerance,
        };
        let view = CellView { beam, source: node.source, node: number, bent: node.bent, frame: node.frame, cell };
        let first = net.sides[node.side as usize].next;
        self.look_over(net, &view, first, node.side);
        self.gates = gates;
    }

    /// The sides where the cost changes, from the source to a beam behind one.
    fn collect_gates(&self, mut bent: u32, gates: &mut Vec<BeamGate>) {
        gates.clear();
        while let Some(node) = self.tree.beams.get(bent as usize) {
            gates.push(node.gate);
            bent = self.tree.beams.get(node.parent as usize).map_or(NONE, |parent| parent.bent);
        }
        gates.reverse();
    }

    fn gate(&self, net: &WeightedMesh, view: &CellView, side: u32) -> BeamGate {
        let (a, b) = (view.frame.apply(net.sides[side as usize].at), view.frame.apply(net.end(side)));
        let twin = net.sides[side as usize].twin;
        BeamGate::new(a, b, view.beam.weight, if twin == NONE { view.beam.weight } else { net.weight(twin) })
    }

    fn offer(&mut self, path: FoundPath) {
        if self.goal.is_none_or(|goal| path.cost < goal.cost) {
            self.goal = Some(path);
            self.target.known = path.cost;
        }
    }

    fn push(&mut self, key: f64, number: u32) {
        if key < self.target.known {
            self.queue.push(Keyed { key, number });
        }
    }

    /// Offers a path that a leg ends.
    fn offer_whole(&mut self, leg: PathLeg) {
        let legs = if self.part == SearchPart::FromEnd { [None, Some(leg)] } else { [Some(leg), None] };
        self.offer(FoundPath { cost: leg.ray.cost, legs, corner: NONE });
    }

    /// A path arrives at the vertex where a side begins, in a direction as the side's cell has it.
    fn arrive(&mut self, net: &WeightedMesh, leg: PathLeg, side: u32) {
        let corner = net.sides[side as usize].corner;
        let (cost, number) = (leg.ray.cost, self.tree.arrivals.len() as u32);
        if !self.reach(net, corner, cost, number) {
            return;
        }
        self.tree.arrivals.push(CornerArrival { leg, side });
        match self.part {
            SearchPart::FromEnd | SearchPart::FromStart => self.meet(corner, leg),
            SearchPart::Alone if !net.corners[corner as usize].turns => {}
            _ => self.push(cost + self.corners[corner as usize].ahead, FIRST_ARRIVAL | number),
        }
    }

    /// Makes a vertex the source of beams in all directions that may pay.
    fn turn(&mut self, net: &WeightedMesh, CornerArrival { leg, side }: CornerArrival) {
        let (from, cost) = (net.sides[side as usize], leg.ray.cost);
        if !self.take_up(from.corner, cost) {
            return;
        }
        self.expanded += 1;
        let fan = net.fans[from.fan as usize];
        let arrival = Arrival { place: from.place as usize, angle: back_angle(net, &fan, side, leg.ray.dir) };
        let source = self.tree.sources.len() as u32;
        self.tree.sources.push(PathSource { place: SourcePlace::Vertex(from.vertex), cost, leg });
        for place in 0..(fan.end - fan.first) as usize {
            let cell = net.cells_of(&fan)[place];
            let at = net.sides[cell.side as usize].at;
            let along = (net.end(cell.side) - at).normalize_or_zero();
            let here = |dir: DVec2| PathRay { s: 0.0, at, dir, cost };
            let is_run = |angle: f64| net.may_run(&fan, arrival, place, angle);
            let leg = |dir: DVec2| PathLeg { source, over: LegOver::Cell, ray: here(dir) };
            if is_run(cell.angle) {
                self.run_beside(net, leg(along), cell.side, 0.0, true);
            }
            let before = net.before(cell.side);
            let back = (net.sides[before as usize].at - at).normalize_or_zero();
            if is_run(net.end_of(&fan, place)) {
                self.run_beside(net, leg(back), before, net.length(before), false);
            }
            let (least, most) = net.ways_out(&fan, arrival, place);
            if least > most + SAME_ANGLE {
                continue;
            }
            let direction = |angle: f64| DVec2::from_angle(angle - cell.angle).rotate(along);
            let beam = Beam {
                origin: Origin::Point(at),
                cost,
                gates: &[],
                weight: net.weight(cell.side),
                right: here(direction(least)),
                left: here(direction(most.max(least))),
                tolerance: self.tolerance,
            };
            let number = net.sides[cell.side as usize].cell;
            let view = CellView { beam, source, node: NONE, bent: NONE, frame: BeamFrame::IDENTITY, cell: number };
            self.look_over(net, &view, net.sides[cell.side as usize].next, before);
        }
    }

    /// Adds the part of a side between two rays as a beam of its own, and where it becomes total reflection the run along it.
    fn see(&mut self, net: &WeightedMesh, view: &CellView, side: u32, mut right: PathRay, mut left: PathRay) {
        let twin = net.sides[side as usize].twin;
        if twin == NONE {
            return;
        }
        let gate = self.gate(net, view, side);
        if view.beam.straight_from().is_some() {
            (right.s, left.s) = (gate.place_of(right.at), gate.place_of(left.at));
        }
        // A side in one line with the rays is none: paths along it lead to its ends, and run from there.
        let is_along = |ray: &PathRay| ray.dir.perp_dot(gate.along).abs() <= 4.0 * SAME_SINE;
        if (left.at - right.at).dot(gate.along) <= self.tolerance || is_along(&right) && is_along(&left) {
            return;
        }
        let Some(grazes) = self.cut_critical(net, view, (&gate, side), (&mut right, &mut left)) else { return };
        let tangents = [&right, &left].map(|ray| CostTangent::on(&gate, ray, gate.before));
        if self.is_dominated(net, &gate, side, tangents, tangents.map(|t| t.at)) {
            return;
        }
        let ahead = [side, net.sides[side as usize].next].map(|side| self.ahead(net, side));
        let bound = lower_bound(net, &view.beam, (&gate, side), (&right, &left), &self.target, ahead);
        if bound >= self.target.known {
            return;
        }
        let number = self.tree.beams.len() as u32;
        let bends = gate.before != gate.beyond;
        // By rounding, a critical ray would leave the side by 1e-8.
        let bend = |ray: PathRay, grazes: bool, way: f64| {
            let dir = if grazes { gate.along * way } else { gate.refract(ray.dir) };
            PathRay { dir, ..ray }
        };
        self.tree.beams.push(BeamNode {
            source: view.source,
            parent: view.node,
            bent: if bends { number } else { view.bent },
            side: twin,
            origin: view.beam.origin,
            frame: BeamFrame::onto(
                [net.end(twin), net.sides[twin as usize].at],
                [gate.a, view.frame.apply(net.end(side))],
            ),
            gate,
            right: bend(right, grazes[0], -1.0),
            left: bend(left, grazes[1], 1.0),
        });
        self.push(bound, number);
    }

    /// Where a side leads to cheaper ground, cuts off what would be reflected there, beyond the critical angle; the critical
    /// rays themselves run along the side. Returns which of the two rays, right and left, are such; none when nothing passes.
    fn cut_critical(
        &mut self,
        net: &WeightedMesh,
        view: &CellView,
        (gate, side): (&BeamGate, u32),
        (right, left): (&mut PathRay, &mut PathRay),
    ) -> Option<[bool; 2]> {
        let most = gate.beyond / gate.before;
        if most >= 1.0 {
            return Some([false; 2]);
        }
        let sine = |ray: &PathRay| ray.dir.dot(gate.along);
        if sine(right) > most + SAME_SINE || sine(left) < -most - SAME_SINE {
            return None;
        }
        let between = [*right, *left];
        let mut grazes = [false; 2];
        for (to_left, sign) in [(true, 1.0), (false, -1.0)] {
            let (outer, inner) = if to_left { (&mut *left, &*right) } else { (&mut *right, &*left) };
            if sign * sine(outer) < most - SAME_SINE {
                continue;
            }
            // Rays that are all critical cost the same along the side: the last of them runs for all.
            let all = sign * sine(inner) >= most - SAME_SINE;
            let critical = if all || sign * sine(outer) <= most {
                *outer
            } else {
                critical_ray(&view.beam, gate, between, sign * most)
            };
            let ray = PathRay { dir: view.frame.direction_in_cell(gate.along * sign), ..critical };
            let leg = PathLeg { source: view.source, over: LegOver::beam(view.node), ray };
            self.run_beside(net, leg, side, gate.place_of(critical.at), to_left);
            *outer = critical;
            grazes[usize::from(to_left)] = true;
            if all {
                return None;
            }
        }
        ((left.at - right.at).dot(gate.along) > self.tolerance).then_some(grazes)
    }

    /// Runs from a point on a side in both directions.
    fn run_both_ways(&mut self, net: &WeightedMesh, leg: PathLeg, side: u32, place: f64) {
        for to_end in [true, false] {
            self.run_beside(net, leg, side, place, to_end);
        }
    }

    /// Adds the beam of a run along a side on which one side is cheaper: paths that leave it for the dearer side, at the
    /// critical angle. The side is given in either of its cells, with metres from where it begins there.
    fn run_beside(&mut self, net: &WeightedMesh, leg: PathLeg, side: u32, place: f64, to_end: bool) {
        let twin = net.sides[side as usize].twin;
        if twin == NONE || net.weight(side) == net.weight(twin) {
            return;
        }
        let length = net.length(side);
        // From here on as the dearer cell has it.
        let is_dear = net.weight(side) > net.weight(twin);
        let (side, place, to_end) = if is_dear { (side, place, to_end) } else { (twin, length - place, !to_end) };
        let (dear, cheap) = (net.weight(side), net.weight(net.sides[side as usize].twin));
        let far = if to_end { length - place } else { place };
        let cost = leg.ray.cost;
        let known = &mut self.runs[side as usize][usize::from(to_end)];
        if known.query == self.query {
            let behind = if to_end { place - known.from } else { known.from - place };
            if behind >= 0.0 && known.cost + cheap * behind <= cost {
                return;
            }
        }
        if far <= self.tolerance {
            return;
        }
        *known = KnownRun { query: self.query, from: place, cost };
        let source = self.tree.sources.len() as u32;
        self.tree.sources.push(PathSource { place: SourcePlace::Side(side, place), cost, leg });
        let (begin, end) = (net.sides[side as usize].at, net.end(side));
        let gate = BeamGate::new(end, begin, dear, dear);
        let along = if to_end { -gate.along } else { gate.along };
        let sine = cheap / dear;
        let dir = along * sine - gate.along.perp() * (1.0 - sine * sine).sqrt();
        let from = begin - gate.along * place;
        let near = PathRay { s: 0.0, at: from, dir, cost };
        let last = PathRay { s: far, at: from + along * far, dir, cost: cost + cheap * far };
        let (right, left) = if to_end { (last, near) } else { (near, last) };
        let twin = net.sides[side as usize].twin;
        let back = (net.sides[twin as usize].at - net.end(twin)).normalize_or_zero();
        let (dir, at) = if to_end { (back, twin) } else { (-back, net.sides[twin as usize].next) };
        self.arrive(net, PathLeg { source, over: LegOver::Cell, ray: PathRay { dir, ..last } }, at);
        let origin = Origin::Run { from, along, dir: near.dir, weight: cheap };
        let beam = Beam { origin, cost, gates: &[], weight: dear, right, left, tolerance: self.tolerance };
        let cell = net.sides[side as usize].cell;
        let view = CellView { beam, source, node: NONE, bent: NONE, frame: BeamFrame::IDENTITY, cell };
        let ahead = [twin, net.sides[twin as usize].next].map(|side| self.ahead(net, side));
        let bound = lower_bound(net, &view.beam, (&gate, twin), (&right, &left), &self.target, ahead);
        if bound >= self.target.known {
            return;
        }
        let number = self.tree.beams.len() as u32;
        let frame = BeamFrame::IDENTITY;
        self.tree.beams.push(BeamNode { source, parent: NONE, bent: NONE, side, origin, frame, gate, right, left });
        self.push(bound, number);
    }
}

/// The angle back along a path that arrives at the vertex where a side begins, over the side's cell.
fn back_angle(net: &WeightedMesh, fan: &Fan, side: u32, dir: DVec2) -> f64 {
    let from = &net.sides[side as usize];
    let own = net.cells_of(fan)[from.place as usize].angle;
    let size = net.end_of(fan, from.place as usize) - own;
    own + inner_angle(net.end(side) - from.at, -dir).min(size)
}
