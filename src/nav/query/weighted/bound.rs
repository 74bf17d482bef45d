//! Rays of beams at a side, and lower bounds of what all paths through it cost.

use glam::DVec3;

use super::beam::{Beam, BeamGate, PathRay};
use super::mesh::WeightedMesh;

/// Where paths end, in the space of [`CellSide::space`](super::mesh::CellSide::space), and the least cost of a metre on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathTarget {
    pub(super) point: DVec3,
    pub(super) least: f64,
    /// Cost of the best path known, infinite without one: what costs more need not be followed.
    pub(super) known: f64,
}

impl Default for PathTarget {
    fn default() -> Self {
        Self { point: DVec3::ZERO, least: 0.0, known: f64::INFINITY }
    }
}

impl PathTarget {
    /// A lower bound of what it costs to come there.
    pub(super) fn from(&self, point: DVec3) -> f64 {
        self.least * point.distance(self.point)
    }
}

/// A lower bound of the cost of all paths of a beam through a side between two rays, right and left, on to the target: the
/// least of a convex function, bounded from below by its tangents. From the corners at the side's begin and end paths on cost
/// at least `ahead`, and so less between as a walk to them costs.
pub(super) fn lower_bound(
    net: &WeightedMesh,
    beam: &Beam,
    (gate, side): (&BeamGate, u32),
    (right, left): (&PathRay, &PathRay),
    target: &PathTarget,
    ahead: [f64; 2],
) -> f64 {
    let (begin, end) = (net.sides[side as usize].space, net.sides[net.sides[side as usize].next as usize].space);
    let along = (end - begin) / gate.length;
    let twin = net.sides[side as usize].twin;
    let walk = net.weight(side).min(net.weight(twin));
    let point = |ray: &PathRay| {
        let x = gate.place_of(ray.at);
        let way = begin + along * x - target.point;
        let far = way.length();
        let mut rest = (target.least * far, target.least * way.dot(along) / far.max(f64::MIN_POSITIVE));
        for other in [(ahead[0] - walk * x, -walk), (ahead[1] - walk * (gate.length - x), walk)] {
            if other.0 > rest.0 {
                rest = other;
            }
        }
        (x, ray.cost + rest.0, gate.before * ray.dir.dot(gate.along) + rest.1)
    };
    let (mut low, mut high) = (point(right), point(left));
    let rough = least_of_tangents(low, high);
    if low.2 >= 0.0 || high.2 <= 0.0 || rough >= target.known {
        return rough;
    }
    // One more tangent: three save a hundredth of the beams, and cost a tenth of the time.
    let share = (low.2 / (low.2 - high.2)).clamp(0.05, 0.95);
    let ray = match beam.straight_from() {
        Some(origin) => {
            let at = gate.a + gate.along * (low.0 + (high.0 - low.0) * share);
            let way = (at - origin).length();
            PathRay { s: 0.0, at, dir: (at - origin) / way, cost: beam.cost + beam.weight * way }
        }
        None => hit(gate, &beam.trace(right.s + (left.s - right.s) * share), beam.weight),
    };
    let middle = point(&ray);
    if middle.2 < 0.0 {
        low = middle;
    } else {
        high = middle;
    }
    least_of_tangents(low, high)
}

/// A line below what it costs to come to the places on a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostTangent {
    /// A place, metres along the side.
    pub(super) at: f64,
    /// Its value there.
    pub(super) cost: f64,
    /// How much it grows by the metre.
    pub(super) slope: f64,
}

impl CostTangent {
    /// The tangent to the cost of a beam at one of its rays, along the line of a side; a metre costs `weight`. The cost over a
    /// beam is convex, so that it lies above on the whole side.
    pub(super) fn on(gate: &BeamGate, ray: &PathRay, weight: f64) -> Self {
        let along = ray.dir.dot(gate.along);
        let at = gate.place_of(ray.at);
        let off = gate.a + gate.along * at - ray.at;
        Self { at, cost: ray.cost + weight * ray.dir.dot(off), slope: weight * along }
    }

    pub(super) fn value(&self, at: f64) -> f64 {
        self.cost + self.slope * (at - self.at)
    }

    /// Where two of them meet.
    pub(super) fn meeting(&self, other: &Self) -> f64 {
        (other.cost - self.cost + self.slope * self.at - other.slope * other.at) / (self.slope - other.slope)
    }
}

/// A lower bound of what all paths of a beam through a side between two places on it cost, from tangents of the cost up to
/// there; from the corners on they cost at least `ahead`. Less tight than [`lower_bound`], but it needs no rays to the side.
pub(super) fn rough_bound(gate: &BeamGate, tangents: [CostTangent; 2], [low, high]: [f64; 2], ahead: [f64; 2]) -> f64 {
    let walk = gate.before.min(gate.beyond);
    let value = |x: f64| {
        let rest = (ahead[0] - walk * x).max(ahead[1] - walk * (gate.length - x));
        tangents[0].value(x).max(tangents[1].value(x)) + rest
    };
    // Between the places where either bends it is linear.
    let bends = [tangents[0].meeting(&tangents[1]), (gate.length + (ahead[0] - ahead[1]) / walk) * 0.5];
    let inside = bends.map(|x| if x.is_finite() { x.max(low).min(high) } else { low });
    value(low).min(value(high)).min(value(inside[0])).min(value(inside[1]))
}

/// A lower bound of a convex function between two places, from its values and slopes there.
fn least_of_tangents(low: (f64, f64, f64), high: (f64, f64, f64)) -> f64 {
    if low.2 >= 0.0 {
        return low.1;
    }
    if high.2 <= 0.0 {
        return high.1;
    }
    let x = (high.1 - low.1 + low.2 * low.0 - high.2 * high.0) / (low.2 - high.2);
    let meeting = low.1 + low.2 * (x - low.0);
    if meeting.is_finite() {
        meeting.min(low.1).min(high.1)
    } else {
        low.1.min(high.1) - low.2.abs() * (high.0 - low.0)
    }
}

/// A ray up to the line of a side, not bent there.
pub(super) fn hit(gate: &BeamGate, ray: &PathRay, weight: f64) -> PathRay {
    let crossed = BeamGate { before: weight, beyond: weight, ..*gate }.cross(ray);
    PathRay { dir: ray.dir, ..crossed }
}

/// The ray of a beam, between two that meet a side, that meets it with this sine of the angle to its normal, positive to
/// the left.
pub(super) fn critical_ray(beam: &Beam, gate: &BeamGate, between: [PathRay; 2], sine: f64) -> PathRay {
    if let Some(from) = beam.straight_from() {
        let height = -gate.along.perp().dot(gate.a - from);
        let s = gate.place_of(from) + height * sine / (1.0 - sine * sine).sqrt();
        let at = gate.a + gate.along * s;
        let way = at - from;
        return PathRay { s, at, dir: way.normalize_or_zero(), cost: beam.cost + beam.weight * way.length() };
    }
    hit(
        gate,
        &beam.search(
            between,
            |ray| sine - ray.dir.dot(gate.along),
            |ray, motion| -motion.turn * ray.dir.perp_dot(gate.along),
        ),
        beam.weight,
    )
}
