//! Interval trees in lists: of intervals in the order of their starts, those that meet another one.
//!
//! The middle of a list is the node over the middles of the parts before and after it (Cormen et al., *Introduction to
//! Algorithms*, "Interval trees"); each node knows the latest end in its part of the list.

use std::ops::Range;

/// Intervals of a part that is not divided any further: they are looked through as quickly.
const MAX_LEAF: usize = 16;

/// Turns the ends of a list's intervals into the latest ends in the parts of the list, each at the middle of its part.
pub fn latest_ends<T: PartialOrd + Copy>(ends: &mut [T]) -> Option<T> {
    let (before, rest) = ends.split_at_mut(ends.len() / 2);
    let (own, after) = rest.split_first_mut()?;
    for end in [latest_ends(before), latest_ends(after)].into_iter().flatten() {
        if end > *own {
            *own = end;
        }
    }
    Some(*own)
}

/// Calls `f` with each of `members`, in their order, whose closed interval meets the one from `low` to `high`. `latest` are
/// their [`latest_ends`].
pub fn for_each_meeting<M, T: PartialOrd + Copy>(
    (members, latest): (&[M], &[T]),
    [low, high]: [T; 2],
    interval: impl Fn(&M) -> [T; 2],
    mut f: impl FnMut(&M),
) {
    let begun = members.partition_point(|member| interval(member)[0] <= high);
    for_each_part(latest, 0..begun, low, &mut |part| {
        members[part].iter().filter(|member| interval(member)[1] >= low).for_each(&mut f);
    });
}

/// Calls `f` with parts of `range`, in their order, that together hold every interval of it that ends at `low` or later.
/// `latest` are the [`latest_ends`] of the intervals from the start of the range on, be they in it or not.
pub fn for_each_part<T: PartialOrd + Copy>(
    latest: &[T],
    range: Range<usize>,
    low: T,
    f: &mut impl FnMut(Range<usize>),
) {
    let middle = latest.len() / 2;
    if range.is_empty() || latest.get(middle).is_none_or(|&end| end < low) {
        return;
    }
    if latest.len() <= MAX_LEAF {
        return f(range.start..range.end.min(range.start + latest.len()));
    }
    let at = range.start + middle;
    for_each_part(&latest[..middle], range.start..range.end.min(at), low, f);
    if at < range.end {
        f(at..at + 1);
        for_each_part(&latest[middle + 1..], at + 1..range.end, low, f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_meet_are_found_and_few_others_looked_at() {
        for count in [0, 1, 2, 7, 1000] {
            // One of them reaches over all.
            let end = |i: u32| if i == 3 { 1e6 } else { i as f32 + 2.5 };
            let list: Vec<[f32; 2]> = (0..count).map(|i| [i as f32, end(i)]).collect();
            let mut latest: Vec<f32> = list.iter().map(|interval| interval[1]).collect();
            latest_ends(&mut latest);
            for low in (-3..1010).map(|i| i as f32 * 0.99) {
                let high = low + 4.0;
                let looked_at = std::cell::Cell::new(0);
                let interval = |&interval: &[f32; 2]| {
                    looked_at.set(looked_at.get() + 1);
                    interval
                };
                let mut found = Vec::new();
                for_each_meeting((&list, &latest), [low, high], interval, |member| found.push(*member));
                let expected = list.iter().filter(|[start, end]| *start <= high && *end >= low).copied();
                assert_eq!(found, expected.collect::<Vec<_>>());
                assert!(looked_at.get() <= 100, "{} of {count}", looked_at.get());
            }
        }
    }
}
