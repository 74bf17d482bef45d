//! Where an entry of a list is after the list has changed: while a file dialog is open, the lists of a scene may.

/// The place in a list `now` of what stood at `i` in the list before; `None` where it was taken out. A list of the same length
/// holds the same entries, one of which may have changed; in another one, those before and after the change are equal.
pub fn place_now<T: PartialEq>(before: &[T], now: &[T], i: usize) -> Option<usize> {
    if before.len() == now.len() {
        return (i < now.len()).then_some(i);
    }
    let is_same = |(a, b): &(&T, &T)| a == b;
    let first = before.iter().zip(now).take_while(is_same).count();
    if i < first {
        return Some(i);
    }
    let others = before.len().min(now.len()) - first;
    let last = before.iter().rev().zip(now.iter().rev()).take(others).take_while(is_same).count();
    let from_end = before.len().checked_sub(i + 1)?;
    (from_end < last).then(|| now.len() - 1 - from_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_where_others_come_and_go() {
        let places = |before: &[char], now: &[char]| -> Vec<Option<usize>> {
            (0..before.len()).map(|i| place_now(before, now, i)).collect()
        };
        let all = ['a', 'b', 'c'];
        assert_eq!(places(&all, &['a', 'c']), [Some(0), None, Some(1)]);
        assert_eq!(places(&all, &['b', 'c']), [None, Some(0), Some(1)]);
        assert_eq!(places(&all, &['b']), [None, None, None], "two changes are not told apart");
        assert_eq!(places(&['a', 'c'], &all), [Some(0), Some(2)], "one came between");
        assert_eq!(places(&all, &['a', 'x', 'c']), [0, 1, 2].map(Some), "the second was changed");
        assert_eq!(places(&['a', 'a'], &['a']), [Some(0), None]);
        assert_eq!((places(&all, &[]), place_now(&all, &all, 3)), (vec![None; 3], None));
    }
}
