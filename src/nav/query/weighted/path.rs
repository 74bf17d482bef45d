//! How paths are kept while they are searched for, and the points of those that are found.

use glam::{DVec3, Vec3};
use smallvec::SmallVec;

use super::beam::{BeamFrame, BeamGate, Origin, PathRay};
use super::mesh::WeightedMesh;
use super::metric::Metric;
use crate::nav::mesh::{NONE, NavMesh};
use crate::nav::search::heap::Keyed;

/// Memory of a beam, bytes: with a place in the heap, and about one arrival at a corner.
pub(super) const BEAM_BYTES: usize = size_of::<BeamNode>() + size_of::<CornerArrival>() + size_of::<Keyed>();
/// Costs that differ by a smaller share are the same.
const SAME_COST: f64 = 1e-9;
/// So many beams keep their memory for the next search.
const MAX_KEPT: usize = (32 << 20) / BEAM_BYTES;

/// What a path goes over from one of its sources to a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum LegOver {
    /// The cell at the source.
    Cell,
    /// The sides that a beam crosses.
    Beam(u32),
}

impl LegOver {
    /// A beam, or the cell at the source where that is [`NONE`].
    pub(super) fn beam(number: u32) -> Self {
        if number == NONE { Self::Cell } else { Self::Beam(number) }
    }
}

/// The last part of a path: its source, what it goes over, and the ray that arrives; for ways its cost alone is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathLeg {
    pub(super) source: u32,
    pub(super) over: LegOver,
    pub(super) ray: PathRay,
}

/// Where a source lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SourcePlace {
    /// The place where the search begins.
    Start,
    /// A vertex of the mesh.
    Vertex(u32),
    /// On a side, metres from where it begins; from there the path runs along it.
    Side(u32, f64),
}

/// What beams and ways come from, and the path to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathSource {
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
    pub(super) bent: u32,
    /// The side, as the cell beyond has it.
    pub(super) side: u32,
    pub(super) origin: Origin,
    pub(super) frame: BeamFrame,
    pub(super) gate: BeamGate,
    pub(super) right: PathRay,
    pub(super) left: PathRay,
}

/// A path that arrives at the corner where a side begins, in a direction as the side's cell has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CornerArrival {
    pub(super) leg: PathLeg,
    pub(super) side: u32,
}

/// What a search knows of a corner.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CornerState {
    /// The query that it holds for.
    pub(super) query: u32,
    /// How the cheapest path known arrives, in [`PathTree::arrivals`]; [`NONE`] where the search begins.
    pub(super) arrival: u32,
    /// Whether the search went on from there.
    pub(super) done: bool,
    /// Cost of the cheapest path known, infinite without one.
    pub(super) cost: f64,
    /// What no path from there on costs less than.
    pub(super) ahead: f64,
    /// What the path from there on costs that labels know, infinite without one.
    pub(super) on: f64,
}

/// All paths of a search.
#[derive(Debug, Default)]
pub(super) struct PathTree {
    pub(super) beams: Vec<BeamNode>,
    pub(super) sources: Vec<PathSource>,
    pub(super) arrivals: Vec<CornerArrival>,
}

/// A whole path.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundPath {
    pub(super) cost: f64,
    /// The last legs of the searches from its start and from its end; none where labels tell the corners up to there.
    pub(super) legs: [Option<PathLeg>; 2],
    /// The corner where the search that found it came to, [`NONE`] where it came to the other end.
    pub(super) corner: u32,
}

impl CornerState {
    /// Whether a query knows a path that costs no more than this.
    #[inline]
    pub(super) fn is_reached(&self, query: u32, cost: f64) -> bool {
        // Bounds are rounded: what comes later may be cheaper by so much, and more would be a path to follow.
        let share = if self.done { 1.0 - SAME_COST } else { 1.0 };
        self.query == query && self.cost * share <= cost
    }
}

impl PathTree {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        if self.beams.capacity() > MAX_KEPT {
            *self = Self::default();
        }
        self.beams.clear();
        self.sources.clear();
        self.arrivals.clear();
    }

    /// Adds the points of the path that a leg ends, from there to its start, without these two.
    pub(super) fn points_back(&self, mesh: &NavMesh, net: &WeightedMesh, mut leg: PathLeg, points: &mut Vec<Vec3>) {
        loop {
            match leg.over {
                LegOver::Cell => {}
                LegOver::Beam(beam) => self.crossings(mesh, net, beam, &leg.ray, points),
            }
            let source = &self.sources[leg.source as usize];
            points.push(match source.place {
                SourcePlace::Start => return,
                SourcePlace::Vertex(vertex) => mesh.vertices()[vertex as usize],
                SourcePlace::Side(side, metres) => on_side(mesh, net, side, metres),
            });
            leg = source.leg;
        }
    }

    /// Adds where a ray crosses sides on its way through a beam, from its end to its source.
    fn crossings(&self, mesh: &NavMesh, net: &WeightedMesh, beam: u32, last: &PathRay, points: &mut Vec<Vec3>) {
        let mut beams = SmallVec::<[&BeamNode; 16]>::new();
        let mut number = beam;
        while let Some(beam) = self.beams.get(number as usize) {
            beams.push(beam);
            number = beam.parent;
        }
        beams.reverse();
        let Some(first) = beams.first() else { return };
        let bend = beams.iter().find(|beam| beam.gate.before != beam.gate.beyond);
        let mut ray = match first.origin {
            Origin::Point(at) => {
                let ahead = bend.map_or(last.at, |beam| beam.gate.a + beam.gate.along * last.s);
                PathRay { s: last.s, at, dir: (ahead - at).normalize_or_zero(), cost: 0.0 }
            }
            Origin::Run { from, along, dir, .. } => PathRay { s: last.s, at: from + along * last.s, dir, cost: 0.0 },
        };
        let first = points.len();
        for beam in beams {
            ray = beam.gate.cross(&ray);
            // The cell beyond has the side the other way round.
            let metres = beam.gate.length - beam.gate.place_of(ray.at);
            points.push(on_side(mesh, net, beam.side, metres));
        }
        points[first..].reverse();
    }
}

/// A point on a side, metres from where it begins.
fn on_side(mesh: &NavMesh, net: &WeightedMesh, side: u32, metres: f64) -> Vec3 {
    let first = &net.sides[side as usize];
    let next = &net.sides[first.next as usize];
    let [a, b] = [first, next].map(|s| mesh.vertices()[s.vertex as usize].as_dvec3());
    let share = metres / first.at.distance(next.at).max(f64::MIN_POSITIVE);
    a.lerp(b, share.clamp(0.0, 1.0)).as_vec3()
}

/// Keeps the points where a line bends.
pub(super) fn keep_bends(points: &[Vec3], metric: Metric, out: &mut Vec<Vec3>) {
    let space = |p: Vec3| if metric == Metric::Plan { DVec3 { y: 0.0, ..p.as_dvec3() } } else { p.as_dvec3() };
    for (i, &point) in points.iter().enumerate() {
        let is_last = i + 1 == points.len();
        if let (Some(&last), false) = (out.last(), is_last) {
            let (into, on) = (space(point) - space(last), space(points[i + 1]) - space(point));
            // Single precision leaves this much between points that lie in one line.
            let off = into.cross(on).length() / into.length().max(on.length()).max(f64::MIN_POSITIVE);
            if off < 1e-5 && into.dot(on) >= 0.0 {
                continue;
            }
        }
        out.push(point);
    }
}
