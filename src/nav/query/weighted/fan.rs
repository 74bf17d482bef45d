//! Which directions a best path may take from a vertex that it arrives at: those for which no step off the vertex makes it
//! cheaper.

use std::f64::consts::PI;

use super::mesh::{Fan, FanCell, SAME_ANGLE, WeightedMesh};

/// Added to sines and cosines whose arc would turn rounding into an angle near the critical one.
const ROUNDING: f64 = 1e-12;
/// By how much a path may miss the direction of a side along which it runs on, radians: more than rounding adds up to along a chain of
/// vertices in one line. A run that does not pay costs a beam, one that is missing the path.
const SAME_RUN: f64 = 1e-6;

/// How a path arrives at a vertex: over which cell of the fan, by its place there, and the angle back along the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) place: usize,
    pub(super) angle: f64,
}

/// Ways around the vertex to one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Left,
    Right,
}

impl WeightedMesh {
    pub(super) fn cells_of(&self, fan: &Fan) -> &[FanCell] {
        &self.fan_cells[fan.first as usize..fan.end as usize]
    }

    /// The angle at which the cell at a place of a fan ends.
    pub(super) fn end_of(&self, fan: &Fan, place: usize) -> f64 {
        self.cells_of(fan).get(place + 1).map_or(fan.total, |next| next.angle)
    }

    /// The angles between which a path may leave a vertex over the cell at a place of its fan, none when the first is the
    /// larger.
    pub(super) fn ways_out(&self, fan: &Fan, arrival: Arrival, place: usize) -> (f64, f64) {
        let (mut from, mut to) = (self.cells_of(fan)[place].angle, self.end_of(fan, place));
        if place == arrival.place {
            return (1.0, 0.0);
        }
        let is_left = place > arrival.place;
        if fan.closed || is_left {
            let wrapped = if is_left { 0.0 } else { fan.total };
            from = from.max(arrival.angle + self.least_turn(fan, arrival, place, Around::Left) - wrapped);
        }
        if fan.closed || !is_left {
            let wrapped = if is_left { fan.total } else { 0.0 };
            to = to.min(arrival.angle - self.least_turn(fan, arrival, place, Around::Right) + wrapped);
        }
        (from, to)
    }

    /// Whether a path may leave a vertex along the side where a cell of the fan begins or ends, which is at `angle`.
    pub(super) fn may_run(&self, fan: &Fan, arrival: Arrival, place: usize, angle: f64) -> bool {
        if arrival.place == place {
            return (angle - arrival.angle).abs() >= PI - SAME_RUN;
        }
        let (from, to) = self.ways_out(fan, arrival, place);
        from <= to + SAME_RUN && angle >= from - SAME_RUN && angle <= to + SAME_RUN
    }

    /// The least angle from the way back of an arrival to a way on over another cell, around one side of the vertex. Over
    /// cells of one cost the path may be straight or bend around the vertex. Where the cost changes, a step along the side
    /// must not pay, which is Snell's law as an inequality. Farther cells are not limited.
    fn least_turn(&self, fan: &Fan, arrival: Arrival, place: usize, around: Around) -> f64 {
        let cells = self.cells_of(fan);
        let count = cells.len();
        let weight = |place: usize| self.weight(cells[place].side);
        let next = |place: usize| match around {
            Around::Left => (place + 1) % count,
            Around::Right => (place + count - 1) % count,
        };
        let own = weight(arrival.place);
        let mut at = arrival.place;
        while weight(at) == own {
            if at == place && at != arrival.place {
                return PI - SAME_ANGLE;
            }
            at = next(at);
            if at == arrival.place {
                return PI - SAME_ANGLE;
            }
        }
        let (first, beyond) = (at, weight(at));
        while at != place {
            at = next(at);
            if weight(at) != beyond {
                return 0.0;
            }
        }
        let mut turn = match around {
            Around::Left => cells[first].angle - arrival.angle,
            Around::Right => arrival.angle - self.end_of(fan, first),
        };
        if turn < -SAME_ANGLE {
            turn += fan.total;
        }
        if turn >= PI {
            0.0
        } else {
            turn + (ROUNDING - (own / beyond) * turn.cos()).clamp(-1.0, 1.0).acos() - SAME_ANGLE
        }
    }
}
