//! The search: A* over beams and over the vertices at which paths turn, by lower bounds of the whole path's cost.

mod backward;
mod cell;
mod prune;
mod survey;
mod ways;

use glam::{DVec2, DVec3};

use super::backward::{BackwardCosts, ReachedCorner};
use super::beam::{Beam, BeamFrame, BeamGate, Origin, PathRay};
use super::bound::{CostTangent, PathTarget, critical_ray, lower_bound};
use super::fan::Arrival;
use super::landmarks::TargetCosts;
use super::mesh::{Fan, SAME_ANGLE, WeightedMesh, is_on};
use super::ways::CornerWay;
use crate::math::plan::inner_angle;
use crate::nav::mesh::NONE;
use crate::nav::search::heap::{Heap, Keyed};

/// The search ends when no way is cheaper by more than this share: each smaller one costs more beams.
const GAP: f64 = 2e-5;
/// Memory that a search takes at most, bytes, and that it keeps for the next one; one that would need more answers with the
/// bounds that it has.
const MAX_BYTES: usize = 256 << 20;
const MAX_KEPT: usize = 32 << 20;
/// Memory of a beam.
const BEAM_BYTES: usize = size_of::<BeamNode>() + size_of::<SearchTask>() + size_of::<Keyed>();
/// Sines that differ by less are the same.
const SAME_SINE: f64 = 1e-9;
/// Costs that differ by a smaller share are the same.
const SAME_COST: f64 = 1e-9;

/// The last part of a path: the ray that arrives, the beam it belongs to and that beam's source.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathLeg {
    pub(super) source: u32,
    /// The beam, [`NONE`] where the ray stays in a cell at its source.
    pub(super) beam: u32,
    pub(super) ray: PathRay,
}

/// Where a source lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SourcePlace {
    /// The start of the path.
    Start,
    /// A vertex of the mesh.
    Vertex(u32),
    /// On a side, metres from where it begins; from there the path runs along it.
    Side(u32, f64),
}

/// What beams come from, and the path to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeamSource {
    pub(super) place: SourcePlace,
    pub(super) cost: f64,
    /// How the path arrives; meaningless at the start.
    pub(super) leg: PathLeg,
}

/// A beam behind a side that it crossed.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeamNode {
    pub(super) source: u32,
    /// The beam before that side, [`NONE`] at the source.
    pub(super) parent: u32,
    /// The last beam on the way here, maybe itself, behind a side where the cost changes.
    bent: u32,
    /// The side, as the cell beyond has it.
    pub(super) side: u32,
    pub(super) origin: Origin,
    frame: BeamFrame,
    pub(super) gate: BeamGate,
    right: PathRay,
    left: PathRay,
}

/// What the heap orders.
#[derive(Clone, Copy, Debug)]
enum SearchTask {
    Beam(u32),
    /// A path that arrives at a vertex, where this side begins.
    Turn(PathLeg, u32, f64),
    /// A path that arrives at a corner over ways between corners.
    Relay(u32, f64),
}

/// How a search goes on from corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AtCorners {
    /// With beams.
    #[default]
    Turn,
    /// Over the ways from there, if they are known.
    Relay,
    /// Not at all: ways that end there are recorded.
    Record,
}

/// The cheapest runs known along a side from a place on it, valid for the query of that number.
#[derive(Clone, Copy, Debug, Default)]
struct KnownRun {
    query: u32,
    from: f64,
    cost: f64,
}

/// The search and its memory.
#[derive(Debug, Default)]
pub(super) struct WeightedSearch {
    pub(super) beams: Vec<BeamNode>,
    pub(super) sources: Vec<BeamSource>,
    tasks: Vec<SearchTask>,
    heap: Heap<Keyed>,
    /// By corners.
    reached: Vec<ReachedCorner>,
    runs: Vec<[KnownRun; 2]>,
    query: u32,
    gates: Vec<BeamGate>,
    goal: Option<(f64, PathLeg)>,
    target: PathTarget,
    landmarks: TargetCosts,
    at_corners: AtCorners,
    backward: BackwardCosts,
    /// The ways that a search for them has found.
    recorded: Vec<CornerWay>,
    /// Per corner: what no path from there costs less than, valid for the query of that number.
    ahead: Vec<(u32, f64)>,
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
    /// The cheapest path: its last leg and cost, and what no path costs less than.
    Found { leg: PathLeg, cost: f64, lower_bound: f64 },
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
        self.search_backward(net);
        match self.aim(net) {
            // Rounding can make what was found from the end seem cheaper than any path.
            Outcome::NoPath if self.backward.is_known() => {
                self.backward.clear();
                self.begin(net, target);
                self.aim(net)
            }
            outcome => outcome,
        }
    }

    /// The search from the start, by bounds of the rest.
    fn aim(&mut self, net: &WeightedMesh) -> Outcome {
        self.look_around(net);
        let mut proven: Option<f64> = None;
        while let Some(item) = self.heap.pop() {
            let enough = self.goal.is_some_and(|goal| item.key >= goal.0 * (1.0 - GAP));
            if enough || self.beams.len() >= MAX_BYTES / BEAM_BYTES {
                proven = Some(item.key);
                break;
            }
            self.follow(net, item.number);
        }
        match (self.goal, proven) {
            (Some((cost, leg)), bound) => {
                // What cost more than a path that is known was left out.
                let lower_bound = bound.unwrap_or(cost).min(cost).min(self.target.known);
                Outcome::Found { leg, cost, lower_bound }
            }
            (None, Some(lower_bound)) => Outcome::GaveUp { lower_bound },
            (None, None) => Outcome::NoPath,
        }
    }

    /// Takes up a beam or a path that arrives at a vertex.
    fn follow(&mut self, net: &WeightedMesh, task: u32) {
        match self.tasks[task as usize] {
            SearchTask::Beam(beam) => self.expand(net, beam),
            SearchTask::Turn(leg, side, cost) => match self.at_corners {
                AtCorners::Relay if net.ways.are_known() => self.relay(net, net.sides[side as usize].corner, cost),
                _ => self.turn(net, leg, side, cost),
            },
            SearchTask::Relay(corner, cost) => self.relay(net, corner, cost),
        }
    }

    /// Forgets the last query.
    fn clear(&mut self, net: &WeightedMesh) {
        self.heap.clear();
        self.tasks.clear();
        self.beams.clear();
        self.sources.clear();
        if self.beams.capacity() > MAX_KEPT / BEAM_BYTES {
            (self.beams, self.tasks, self.heap) = Default::default();
        }
        (self.goal, self.expanded) = (None, 0);
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            self.reached.clear();
            self.backward = BackwardCosts::default();
            self.runs.clear();
            self.ahead.clear();
            self.query = 1;
        }
        self.reached.resize((net.corners as usize).max(self.reached.len()), ReachedCorner::default());
        self.runs.resize(net.sides.len().max(self.runs.len()), Default::default());
        self.ahead.resize((net.corners as usize).max(self.ahead.len()), (0, 0.0));
    }

    /// Returns whether start and end hang together.
    fn begin(&mut self, net: &WeightedMesh, target: DVec3) -> bool {
        self.clear(net);
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
        let leg = PathLeg { source: NONE, beam: NONE, ray: PathRay::default() };
        self.sources.push(BeamSource { place: SourcePlace::Start, cost: 0.0, leg });
        for i in 0..self.starts.len() {
            let (cell, at) = self.starts[i];
            let weight = net.cells[cell as usize].weight;
            let ray_to = |point: DVec2| {
                let way = point - at;
                PathRay { s: 0.0, at: point, dir: way.normalize_or_zero(), cost: weight * way.length() }
            };
            for end in 0..self.ends.len() {
                if self.ends[end].0 == cell {
                    self.offer(PathLeg { source: 0, beam: NONE, ray: ray_to(self.ends[end].1) });
                }
            }
            for side in net.cells[cell as usize].first..net.cells[cell as usize].end {
                let (a, b) = (net.sides[side as usize].at, net.end(side));
                let (right, left) = (ray_to(a), ray_to(b));
                if a.distance(at) > self.tolerance {
                    self.arrive(net, PathLeg { source: 0, beam: NONE, ray: right }, side);
                } else {
                    let corner = net.sides[side as usize].corner;
                    self.reached[corner as usize] = ReachedCorner { query: self.query, done: true, cost: 0.0 };
                }
                if is_on(a - at, b - at) {
                    self.run_both_ways(
                        net,
                        PathLeg { source: 0, beam: NONE, ray: ray_to(at) },
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
        let node = self.beams[number as usize];
        let mut gates = std::mem::take(&mut self.gates);
        self.collect_gates(node.bent, &mut gates);
        let cell = net.sides[node.side as usize].cell;
        let beam = Beam {
            origin: node.origin,
            cost: self.sources[node.source as usize].cost,
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
        while let Some(node) = self.beams.get(bent as usize) {
            gates.push(node.gate);
            bent = self.beams.get(node.parent as usize).map_or(NONE, |parent| parent.bent);
        }
        gates.reverse();
    }

    fn gate(&self, net: &WeightedMesh, view: &CellView, side: u32) -> BeamGate {
        let (a, b) = (view.frame.apply(net.sides[side as usize].at), view.frame.apply(net.end(side)));
        let twin = net.sides[side as usize].twin;
        BeamGate::new(a, b, view.beam.weight, if twin == NONE { view.beam.weight } else { net.weight(twin) })
    }

    fn offer(&mut self, leg: PathLeg) {
        if self.goal.is_none_or(|goal| leg.ray.cost < goal.0) {
            self.goal = Some((leg.ray.cost, leg));
            self.target.known = self.target.known.min(leg.ray.cost);
        }
    }

    fn push(&mut self, key: f64, task: SearchTask) {
        if key >= self.target.known {
            return;
        }
        self.heap.push(Keyed { key, number: self.tasks.len() as u32 });
        self.tasks.push(task);
    }

    /// A path arrives at the vertex where a side begins, in a direction as the side's cell has it.
    fn arrive(&mut self, net: &WeightedMesh, leg: PathLeg, side: u32) {
        let from = &net.sides[side as usize];
        let cost = leg.ray.cost;
        if !self.reach(from.corner, cost) {
            return;
        }
        self.limit_at(from.corner, cost);
        if from.fan == NONE && self.at_corners != AtCorners::Record {
            return;
        }
        let key = cost + self.target.from(from.space).max(self.ahead(net, side));
        self.push(key, SearchTask::Turn(leg, side, cost));
    }

    /// Makes a vertex the source of beams in all directions that may pay.
    fn turn(&mut self, net: &WeightedMesh, leg: PathLeg, side: u32, cost: f64) {
        let from = net.sides[side as usize];
        let reached = &mut self.reached[from.corner as usize];
        if reached.done || reached.cost < cost {
            return;
        }
        reached.done = true;
        self.expanded += 1;
        let fan = net.fans[from.fan as usize];
        let arrival = Arrival { place: from.place as usize, angle: back_angle(net, &fan, side, leg.ray.dir) };
        let source = self.sources.len() as u32;
        self.sources.push(BeamSource { place: SourcePlace::Vertex(from.vertex), cost, leg });
        for place in 0..(fan.end - fan.first) as usize {
            let cell = net.cells_of(&fan)[place];
            let at = net.sides[cell.side as usize].at;
            let along = (net.end(cell.side) - at).normalize_or_zero();
            let here = |dir: DVec2| PathRay { s: 0.0, at, dir, cost };
            let is_run = |angle: f64| net.may_run(&fan, arrival, place, angle);
            let leg = |dir: DVec2| PathLeg { source, beam: NONE, ray: here(dir) };
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
        let number = self.beams.len() as u32;
        let bends = gate.before != gate.beyond;
        // By rounding, a critical ray would leave the side by 1e-8.
        let bend = |ray: PathRay, grazes: bool, way: f64| {
            let dir = if grazes { gate.along * way } else { gate.refract(ray.dir) };
            PathRay { dir, ..ray }
        };
        self.beams.push(BeamNode {
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
        self.push(bound, SearchTask::Beam(number));
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
            let leg = PathLeg { source: view.source, beam: view.node, ray };
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
        let source = self.sources.len() as u32;
        self.sources.push(BeamSource { place: SourcePlace::Side(side, place), cost, leg });
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
        self.arrive(net, PathLeg { source, beam: NONE, ray: PathRay { dir, ..last } }, at);
        let origin = Origin::Run { from, along, dir: near.dir, weight: cheap };
        let beam = Beam { origin, cost, gates: &[], weight: dear, right, left, tolerance: self.tolerance };
        let cell = net.sides[side as usize].cell;
        let view = CellView { beam, source, node: NONE, bent: NONE, frame: BeamFrame::IDENTITY, cell };
        let ahead = [twin, net.sides[twin as usize].next].map(|side| self.ahead(net, side));
        let bound = lower_bound(net, &view.beam, (&gate, twin), (&right, &left), &self.target, ahead);
        if bound >= self.target.known {
            return;
        }
        let number = self.beams.len() as u32;
        let frame = BeamFrame::IDENTITY;
        self.beams.push(BeamNode { source, parent: NONE, bent: NONE, side, origin, frame, gate, right, left });
        self.push(bound, SearchTask::Beam(number));
    }
}

/// The angle back along a path that arrives at the vertex where a side begins, over the side's cell.
fn back_angle(net: &WeightedMesh, fan: &Fan, side: u32, dir: DVec2) -> f64 {
    let from = &net.sides[side as usize];
    let own = net.cells_of(fan)[from.place as usize].angle;
    let size = net.end_of(fan, from.place as usize) - own;
    own + inner_angle(net.end(side) - from.at, -dir).min(size)
}
