//! Ways from corner to corner over which paths turn at no corner between.
//!
//! A cheapest path is a sequence of them, but for its first and last part. So when they are known, with where they bend, a search
//! follows beams around its two ends alone, and hub labels ([`CornerLabels`](super::corner_labels::CornerLabels)) tell the corners
//! between.
//!
//! Not to be taken for `VisibleCorners` of Polyanya, which are straight and found while a search runs.

use std::ops::Range;

use glam::Vec3;

/// A way to a corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct CornerWay {
    /// The corner where it ends, [`CellSide::corner`](super::mesh::CellSide::corner).
    pub(super) to: u32,
    /// Where its bends end in [`CornerWays::bends`]; they begin where those of the way before end.
    bends_end: u32,
    pub(super) cost: f64,
}

/// The cheapest way between two corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayBetween {
    pub(super) number: u32,
    pub(super) cost: f64,
    /// Whether it is the one in the other direction.
    pub(super) is_back: bool,
}

/// A way while ways are looked for.
#[derive(Clone, Debug)]
pub(super) struct RecordedWay {
    pub(super) to: u32,
    pub(super) cost: f64,
    /// Where it bends, in [`RecordedWays::bends`].
    pub(super) bends: Range<u32>,
}

/// Ways while they are looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordedWays {
    /// Per corner.
    pub(super) lists: Vec<Vec<RecordedWay>>,
    pub(super) bends: Vec<Vec3>,
}

/// The ways that cheapest paths may take from all corners at which paths turn; none where there are too many.
#[derive(Clone, Debug, Default)]
pub(super) struct CornerWays {
    /// Per corner where its ways begin in `ways`, and the end; empty where none are known.
    first: Vec<u32>,
    /// Those of each corner by the one where they end.
    ways: Vec<CornerWay>,
    /// Where ways bend, local.
    bends: Vec<Vec3>,
}

impl CornerWays {
    pub(super) fn new(mut recorded: RecordedWays) -> Self {
        let count = recorded.lists.iter().map(Vec::len).sum();
        let mut own = Self { first: vec![0], ways: Vec::with_capacity(count), ..Self::default() };
        for list in &mut recorded.lists {
            list.sort_unstable_by_key(|way| way.to);
            for way in list {
                own.bends.extend(&recorded.bends[way.bends.start as usize..way.bends.end as usize]);
                own.ways.push(CornerWay { to: way.to, bends_end: own.bends.len() as u32, cost: way.cost });
            }
            own.first.push(own.ways.len() as u32);
        }
        own
    }

    pub(super) fn are_known(&self) -> bool {
        !self.first.is_empty()
    }

    /// The numbers of the ways from a corner.
    fn of(&self, corner: u32) -> Range<usize> {
        let corner = corner as usize;
        self.first.get(corner..corner + 2).map_or(0..0, |ends| ends[0] as usize..ends[1] as usize)
    }

    /// The ways from a corner.
    pub(super) fn from(&self, corner: u32) -> &[CornerWay] {
        &self.ways[self.of(corner)]
    }

    /// The cheapest way between two corners. What was found in one direction only serves for both.
    pub(super) fn between(&self, [from, to]: [u32; 2]) -> Option<WayBetween> {
        let way = |a: u32, b: u32, is_back: bool| {
            let range = self.of(a);
            let place = self.ways[range.clone()].binary_search_by_key(&b, |way| way.to).ok()?;
            let number = range.start + place;
            Some(WayBetween { number: number as u32, cost: self.ways[number].cost, is_back })
        };
        match [way(from, to, false), way(to, from, true)] {
            [Some(there), Some(back)] if back.cost < there.cost => Some(back),
            [there, back] => there.or(back),
        }
    }

    /// Where a way bends, from its begin to its end.
    pub(super) fn bends(&self, way: u32) -> &[Vec3] {
        let way = way as usize;
        let first = if way == 0 { 0 } else { self.ways[way - 1].bends_end };
        &self.bends[first as usize..self.ways[way].bends_end as usize]
    }
}

/// Leaves out ways that cost no less than two others one after the other.
pub(super) fn leave_out_detours(lists: &mut [Vec<RecordedWay>]) {
    let mut over = vec![f64::INFINITY; lists.len()];
    for corner in 0..lists.len() {
        let mut own = std::mem::take(&mut lists[corner]);
        let two =
            || own.iter().flat_map(|way| lists[way.to as usize].iter().map(|next| (next.to, way.cost + next.cost)));
        two().for_each(|(to, cost)| over[to as usize] = over[to as usize].min(cost));
        let used: Vec<u32> = two().map(|(to, _)| to).collect();
        own.retain(|way| over[way.to as usize] > way.cost * (1.0 + 1e-12));
        used.iter().for_each(|&to| over[to as usize] = f64::INFINITY);
        lists[corner] = own;
    }
}
