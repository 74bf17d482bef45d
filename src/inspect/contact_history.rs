//! How many pairs of instances touched each other in the last steps.

use std::collections::VecDeque;

/// Steps that are kept: four seconds.
const KEPT: usize = 240;

/// Numbers of touching pairs, one for each of the last steps.
#[derive(Clone, Debug, Default)]
pub struct ContactHistory(VecDeque<u32>);

impl ContactHistory {
    /// Adds the number of a step.
    pub(super) fn push(&mut self, pairs: usize) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(u32::try_from(pairs).unwrap_or(u32::MAX));
    }

    /// The number in the last step; 0 before the first.
    pub fn last(&self) -> u32 {
        self.0.back().copied().unwrap_or(0)
    }

    /// The numbers, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_steps_are_kept() {
        let mut history = ContactHistory::default();
        assert_eq!(history.last(), 0);
        (0..1000).for_each(|pairs| history.push(pairs));
        assert_eq!((history.last(), history.iter().count(), history.iter().next()), (999, KEPT, Some(760)));
    }
}
