//! Ways from corner to corner over which paths turn at no corner between.
//!
//! A cheapest path is a sequence of them, but for its first and last part. So when they are known, a search over corners alone
//! finds what paths cost, and what the rest of the way from a corner costs is known before beams are followed there.

/// A way to a corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct CornerWay {
    /// The corner where it ends, [`CellSide::corner`](super::mesh::CellSide::corner).
    pub(super) to: u32,
    pub(super) cost: f64,
}

/// The ways that cheapest paths may take from all corners at which paths turn; none where there are too many.
#[derive(Clone, Debug, Default)]
pub(super) struct CornerWays {
    /// Per corner where its ways begin in `ways`, and the end; empty where none are known.
    first: Vec<u32>,
    ways: Vec<CornerWay>,
}

impl CornerWays {
    /// Of a list of ways per corner.
    pub(super) fn new(lists: &[Vec<CornerWay>]) -> Self {
        let mut own = Self { first: vec![0], ways: Vec::with_capacity(lists.iter().map(Vec::len).sum()) };
        for list in lists {
            own.ways.extend(list);
            own.first.push(own.ways.len() as u32);
        }
        own
    }

    pub(super) fn are_known(&self) -> bool {
        !self.first.is_empty()
    }

    pub(super) fn from(&self, corner: u32) -> &[CornerWay] {
        let corner = corner as usize;
        match self.first.get(corner..corner + 2) {
            Some(&[first, end]) => &self.ways[first as usize..end as usize],
            _ => &[],
        }
    }
}

/// Leaves out ways that cost no less than two others one after the other.
pub(super) fn leave_out_detours(lists: &mut [Vec<CornerWay>]) {
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
