//! Patrols: which of a row of waypoints a character walks to next.

use super::split_mix::SplitMix64;
use crate::vocab::file_enum;

file_enum! {
    /// In which order waypoints are walked to.
    PatrolOrder {
        /// Any one, at random.
        Random = 0 "at random",
        /// One after the other, and from the last to the first.
        InOrder = 1 "in order",
        /// To the last and back to the first.
        ThereAndBack = 2 "there and back",
    }
}

/// The waypoints of a node, and their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waypoints {
    /// In which order.
    pub order: PatrolOrder,
    /// Number of the first among all targets, from 1.
    pub first: u32,
    /// Number of the last; 0 for the last of all.
    pub last: u32,
}

impl Waypoints {
    /// Those of all targets that are meant.
    pub fn among<'a, T>(&self, targets: &'a [T]) -> &'a [T] {
        let end = if self.last == 0 { targets.len() } else { targets.len().min(self.last as usize) };
        targets.get((self.first.max(1) as usize - 1)..end).unwrap_or_default()
    }
}

/// How far a patrol has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patrol {
    /// The waypoint that was walked to last.
    at: Option<usize>,
    goes_back: bool,
}

impl Patrol {
    /// The position of the next of `count` waypoints, at least one.
    pub fn advance(&mut self, order: PatrolOrder, count: usize, random: &mut SplitMix64) -> usize {
        let last = count.saturating_sub(1);
        // Waypoints may have been removed since.
        let next = match (order, self.at.map(|at| at.min(last))) {
            (PatrolOrder::Random, _) => random.below(count),
            (_, None) => 0,
            (PatrolOrder::InOrder, Some(at)) => (at + 1) % count.max(1),
            (PatrolOrder::ThereAndBack, Some(at)) => {
                self.goes_back = if self.goes_back { at > 0 } else { at >= last };
                if self.goes_back { at.saturating_sub(1) } else { (at + 1).min(last) }
            }
        };
        self.at = Some(next);
        next
    }

    /// All that decides how it goes on, as a number.
    pub fn bits(&self) -> u64 {
        self.at.map_or(0, |at| at as u64 + 1) << 1 | u64::from(self.goes_back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(order: PatrolOrder, count: usize) -> Vec<usize> {
        let (mut patrol, mut random) = (Patrol::default(), SplitMix64::new(1));
        (0..7).map(|_| patrol.advance(order, count, &mut random)).collect()
    }

    #[test]
    fn waypoints_follow_in_their_order() {
        assert_eq!(walk(PatrolOrder::InOrder, 3), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(walk(PatrolOrder::ThereAndBack, 3), [0, 1, 2, 1, 0, 1, 2]);
        assert_eq!(walk(PatrolOrder::ThereAndBack, 1), [0; 7]);
        assert!(walk(PatrolOrder::Random, 3).iter().all(|at| *at < 3));
    }

    #[test]
    fn a_patrol_goes_on_among_the_waypoints_that_are_left() {
        for (order, left) in [(PatrolOrder::ThereAndBack, [1, 0, 1, 2]), (PatrolOrder::InOrder, [0, 1, 2, 0])] {
            let (mut patrol, mut random) = (Patrol::default(), SplitMix64::new(1));
            assert_eq!([6; 6].map(|count| patrol.advance(order, count, &mut random)), [0, 1, 2, 3, 4, 5]);
            assert_eq!([3; 4].map(|count| patrol.advance(order, count, &mut random)), left, "{order:?}");
        }
    }

    #[test]
    fn a_part_of_the_targets_is_meant() {
        let all = [1, 2, 3, 4, 5];
        let among = |first, last| Waypoints { first, last, ..Waypoints::default() }.among(&all).to_vec();
        assert_eq!((among(0, 0), among(2, 4), among(4, 99)), (all.to_vec(), vec![2, 3, 4], vec![4, 5]));
        assert!(among(9, 0).is_empty() && among(4, 2).is_empty());
    }
}
