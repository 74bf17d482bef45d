//! The cheapest path through a sequence of borders between cells of different cost.
//!
//! Where cost stays the same, the funnel (D. Demyen, M. Buro, AAAI 2006; M. Mononen, 2010) gives the shortest path. At a
//! border where it changes the path bends by Snell's law (J. Mitchell, C. Papadimitriou, "The weighted region problem",
//! JACM 1991): each such point is moved to its best place between its neighbours until none moves. The length of a path
//! is convex in these places, so that what is found is the cheapest of the sequence.

use glam::Vec3;

use crate::math::plan;

/// A border to cross, its ends as seen on the way, and where the search crossed it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    pub(super) left: Vec3,
    pub(super) right: Vec3,
    pub(super) at: Vec3,
}

/// A point of a path, and the leg of the sequence that begins there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TautPoint {
    pub(super) at: Vec3,
    pub(super) leg: usize,
}

/// Rounds of funnels, and sweeps over the bends within a round.
const MAX_ROUNDS: usize = 6;
const MAX_SWEEPS: usize = 16;
/// Bends that move less than this stay, metres.
const SETTLED: f64 = 3e-4;
/// Over-relaxation of the moves, which bends on both sides of a narrow strip need to move together.
const OVER: f32 = 1.6;
/// Corners nearer to each other than this are one, metres.
const SAME_CORNER: f32 = 2e-3;
/// Steps of the search for a bend.
const MAX_NEWTON: usize = 24;

/// Pulls paths tight; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct SnellPath {
    /// Per change of cost: the gate, and where it is crossed.
    bends: Vec<(usize, Vec3)>,
    /// Turns of all sections between bends, and where those of each begin.
    turns: Vec<TautPoint>,
    firsts: Vec<usize>,
}

impl SnellPath {
    /// Appends the path from `start` to `end`, both included, through the gates; `weights` are those of the legs before,
    /// between and behind them.
    pub(super) fn pull(&mut self, [start, end]: [Vec3; 2], gates: &[Gate], weights: &[f32], out: &mut Vec<TautPoint>) {
        self.bends.clear();
        let changes = |i: &usize| (weights[*i] - weights[i + 1]).abs() > 1e-5 * weights[*i];
        self.bends.extend((0..gates.len()).filter(changes).map(|i| (i, gates[i].at)));
        for _ in 0..MAX_ROUNDS {
            self.lay([start, end], gates);
            if self.bends.is_empty() || self.settle([start, end], gates, weights) < SETTLED {
                break;
            }
        }
        self.lay([start, end], gates);
        out.push(TautPoint { at: start, leg: 0 });
        for section in 0..=self.bends.len() {
            out.extend_from_slice(&self.turns[self.firsts[section]..self.firsts[section + 1]]);
            out.extend(self.bends.get(section).map(|&(gate, at)| TautPoint { at, leg: gate + 1 }));
        }
        out.push(TautPoint { at: end, leg: gates.len() });
    }

    /// Runs the funnel between the bends.
    fn lay(&mut self, [start, end]: [Vec3; 2], gates: &[Gate]) {
        self.turns.clear();
        self.firsts.clear();
        self.firsts.push(0);
        let (mut from, mut first) = (start, 0);
        for section in 0..=self.bends.len() {
            let (last, to) = self.bends.get(section).map_or((gates.len(), end), |&(gate, at)| (gate, at));
            funnel([from, to], &gates[first..last], first, &mut self.turns);
            self.firsts.push(self.turns.len());
            (from, first) = (to, last + 1);
        }
    }

    /// Moves each bend to its best place between what lies before and behind it; returns by how much they moved.
    fn settle(&mut self, [start, end]: [Vec3; 2], gates: &[Gate], weights: &[f32]) -> f64 {
        let mut most = 0.0f64;
        for _ in 0..MAX_SWEEPS {
            let mut moved = 0.0f64;
            for i in 0..self.bends.len() {
                let turns = |section: usize| &self.turns[self.firsts[section]..self.firsts[section + 1]];
                let before = i.checked_sub(1).map_or(start, |i| self.bends[i].1);
                let before = turns(i).last().map_or(before, |t| t.at);
                let behind = self.bends.get(i + 1).map_or(end, |b| b.1);
                let behind = turns(i + 1).first().map_or(behind, |t| t.at);
                let (gate, at) = self.bends[i];
                let here = Gate { at, ..gates[gate] };
                let best = bend([before, behind], &here, [weights[gate], weights[gate + 1]]);
                // Alone, a bend goes to its best place at once.
                let is_alone = self.bends.len() == 1;
                let best = if is_alone { best } else { within(&gates[gate], at + (best - at) * OVER) };
                moved = moved.max(f64::from(best.distance(at)));
                self.bends[i].1 = best;
            }
            most = most.max(moved);
            if moved < SETTLED {
                break;
            }
        }
        most
    }
}

/// The point of a border nearest to one on its line.
fn within(gate: &Gate, point: Vec3) -> Vec3 {
    let along = gate.right - gate.left;
    let share = (point - gate.left).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
    match share {
        s if s <= 0.0 => gate.left,
        s if s >= 1.0 => gate.right,
        s => gate.left + along * s,
    }
}

/// The point of a border over which the path between two points is cheapest: where the derivative of its cost, which is
/// convex, vanishes. Newton's method between bounds.
fn bend([before, behind]: [Vec3; 2], gate: &Gate, weights: [f32; 2]) -> Vec3 {
    let (left, along) = (gate.left.as_dvec3(), (gate.right - gate.left).as_dvec3());
    let length = along.length();
    let unit = along / length.max(f64::MIN_POSITIVE);
    // Place along the border, squared distance from its line, and weight of both sides.
    let sides = [(before, weights[0]), (behind, weights[1])].map(|(p, weight)| {
        let way = p.as_dvec3() - left;
        let place = way.dot(unit);
        (place, (way.length_squared() - place * place).max(1e-12), f64::from(weight))
    });
    let (mut low, mut high) = (0.0, length);
    let mut place = (gate.at.as_dvec3() - left).dot(unit).clamp(low, high);
    for _ in 0..MAX_NEWTON {
        let (mut slope, mut curve) = (0.0, 0.0);
        for (at, aside, weight) in sides {
            let squared = (place - at) * (place - at) + aside;
            let distance = squared.sqrt();
            slope += weight * (place - at) / distance;
            curve += weight * aside / (squared * distance);
        }
        if slope > 0.0 {
            high = place
        } else {
            low = place
        }
        let newton = place - slope / curve;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let moved = (next - place).abs();
        place = next;
        if moved < 0.1 * SETTLED {
            break;
        }
    }
    // Ends are taken whole: they are corners.
    match place {
        s if s < 2.0 * SETTLED => gate.left,
        s if s > length - 2.0 * SETTLED => gate.right,
        s => (left + unit * s).as_vec3(),
    }
}

/// Appends the corners of the shortest path through gates, numbered from `first`, without its ends.
fn funnel([start, end]: [Vec3; 2], gates: &[Gate], first: usize, out: &mut Vec<TautPoint>) {
    let (mut apex, mut left, mut right) = (start, start, start);
    let (mut left_at, mut right_at, mut i) = (0, 0, 0);
    while i <= gates.len() {
        let [l, r] = gates.get(i).map_or([end; 2], |g| [g.left, g.right]);
        let mut corner = None;
        if is_same(right, apex) || plan::cross(apex, right, r) <= 0.0 {
            if is_same(right, apex) || is_same(left, apex) || plan::cross(apex, left, r) > 0.0 {
                (right, right_at) = (r, i);
            } else {
                corner = Some((left, left_at));
            }
        }
        if corner.is_none() && (is_same(left, apex) || plan::cross(apex, left, l) >= 0.0) {
            if is_same(left, apex) || is_same(right, apex) || plan::cross(apex, right, l) < 0.0 {
                (left, left_at) = (l, i);
            } else {
                corner = Some((right, right_at));
            }
        }
        if let Some((at, gate)) = corner {
            if is_same(at, end) {
                break;
            }
            if out.last().is_none_or(|last| !is_same(last.at, at)) && !is_same(at, start) {
                out.push(TautPoint { at, leg: first + gate + 1 });
            }
            (apex, left, right) = (at, at, at);
            (left_at, right_at, i) = (gate, gate, gate + 1);
        } else {
            i += 1;
        }
    }
}

/// Whether two corners are one: ends of cells' borders differ by rounding where they meet, and the sign of a triangle over
/// two such ends says nothing.
fn is_same(a: Vec3, b: Vec3) -> bool {
    plan::distance_squared(a, b) < SAME_CORNER * SAME_CORNER
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, z: f32) -> Vec3 {
        Vec3::new(x, 0.0, z)
    }

    /// A gate at `x` that is crossed towards greater x, from `low` to `high` in z.
    fn gate(x: f32, low: f32, high: f32) -> Gate {
        // From a point before it, its right end lies on the positive side of its left end.
        Gate { left: at(x, low), right: at(x, high), at: at(x, 0.5 * (low + high)) }
    }

    fn pulled(gates: &[Gate], weights: &[f32], ends: [Vec3; 2]) -> Vec<TautPoint> {
        let mut out = Vec::new();
        SnellPath::default().pull(ends, gates, weights, &mut out);
        out
    }

    #[test]
    fn even_ground_gives_the_funnel() {
        let gates = [gate(1.0, 0.0, 9.0), gate(2.0, 2.0, 3.0), gate(3.0, -9.0, 9.0)];
        let path = pulled(&gates, &[1.0; 4], [at(0.0, 0.0), at(4.0, 0.0)]);
        let points: Vec<Vec3> = path.iter().map(|p| p.at).collect();
        assert_eq!(points, [at(0.0, 0.0), at(2.0, 2.0), at(4.0, 0.0)]);
        assert_eq!(path.iter().map(|p| p.leg).collect::<Vec<_>>(), [0, 2, 3]);
        assert_eq!(pulled(&gates[2..], &[1.0; 2], [at(0.0, 0.0), at(4.0, 4.0)]).len(), 2);
    }

    #[test]
    fn borders_that_meet_but_for_rounding_make_no_spike() {
        // Three borders of a fan around one corner, whose numbers differ by rounding.
        let corner = |x: f32, z: f32| at(-10.186 + x, 93.35 + z);
        let gates = [
            Gate { left: at(11.0, 100.0), right: corner(1e-6, 0.0), at: at(0.0, 97.0) },
            Gate { left: at(-5.086, 105.65), right: corner(0.0, 0.0), at: at(-7.0, 99.0) },
            Gate { left: at(-10.186, 105.0), right: corner(-1e-6, 8e-6), at: at(-10.186, 99.0) },
        ];
        let path = pulled(&gates, &[1.0; 4], [at(11.1, 84.0), at(-33.0, 102.1)]);
        let length: f32 = path.windows(2).map(|l| l[0].at.distance(l[1].at)).sum();
        let corner = at(-10.186, 93.35);
        let expected = at(11.1, 84.0).distance(corner) + corner.distance(at(-33.0, 102.1));
        assert!((length - expected).abs() < 1e-3, "{length} for {expected}: {path:?}");
    }

    #[test]
    fn a_path_bends_by_snells_law() {
        for (first, second) in [(1.0, 5.0), (5.0, 1.0), (1.0, 1.2)] {
            let path = pulled(&[gate(3.0, -50.0, 50.0)], &[first, second], [at(0.0, 0.0), at(7.0, 6.0)]);
            assert_eq!(path.len(), 3);
            let sine = |a: Vec3, b: Vec3| (b.z - a.z) / a.distance(b);
            let (before, behind) = (sine(path[0].at, path[1].at), sine(path[1].at, path[2].at));
            assert!((first * before - second * behind).abs() < 2e-3, "{before} {behind}");
        }
        // A strip: the same angle behind it as before.
        let strip = [gate(3.0, -50.0, 50.0), gate(4.0, -50.0, 50.0)];
        let path = pulled(&strip, &[1.0, 3.0, 1.0], [at(0.0, 0.0), at(8.0, 8.0)]);
        let way = |i: usize| (path[i + 1].at - path[i].at).normalize();
        assert!(way(0).distance(way(2)) < 5e-3, "{path:?}");
        assert!((way(0).z - 3.0 * way(1).z).abs() < 5e-3);
    }
}
