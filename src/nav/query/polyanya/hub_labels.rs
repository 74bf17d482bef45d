//! Hub labels: from a few hubs per corner, the distance between any two corners.
//!
//! E. Cohen, E. Halperin, H. Kaplan, U. Zwick, "Reachability and distance queries via 2-hop labels", SODA 2002; built as by
//! T. Akiba, Y. Iwata, Y. Yoshida, "Fast exact shortest-path distance queries on large networks by pruned landmark
//! labeling", SIGMOD 2013: one search from each corner, the important ones first, that ends where earlier labels already
//! tell the distance. The corners of a shortest path between two corners have a hub in common with both ends.

use std::ops::Range;

use rayon::prelude::*;

use crate::nav::mesh::NONE;
use crate::nav::search::heap::{Heap, Keyed};

/// Searches by which the importance of corners is estimated.
const SAMPLES: usize = 96;
/// Searches of one batch, at most: they do not see each other's labels, and run on all cores.
const MAX_BATCH: usize = 64;
/// Relative difference up to which a distance over earlier hubs is as good.
const SAME: f64 = 1e-12;

/// A build ends early when this share of the corners is done, one in so many, and it is expected to take so many times what it
/// may.
const EARLIEST: usize = 8;
const MARGIN: f64 = 1.5;

/// Bytes per label.
const BYTES: usize = 8;

/// The labels of all corners: the distance of each to its hubs. Which hubs these are the [`ViaLabels`](super::via_labels::ViaLabels)
/// know.
#[derive(Clone, Debug, Default)]
pub(in crate::nav::query) struct HubLabels {
    /// Per corner its labels, sorted by the next corner.
    pub(in crate::nav::query) first: Vec<u32>,
    /// Per label the distance to the hub, metres in the plane.
    pub(in crate::nav::query) lengths: Vec<f32>,
    /// Per label the next corner on the way to the hub, the corner itself at the hub, and the place of the hub's label
    /// there: both in one number, of which the place takes the lower [`place_bits`](Self::place_bits).
    pub(in crate::nav::query) next: Vec<u32>,
}

/// The labels with what is known of them once they are built.
pub(in crate::nav::query) struct BuiltLabels {
    pub(in crate::nav::query) labels: HubLabels,
    /// Per label the rank of its hub.
    pub(in crate::nav::query) hubs: Vec<u32>,
    /// Per rank the corner.
    pub(in crate::nav::query) corners: Vec<u32>,
}

/// A label while labels are built.
#[derive(Clone, Copy, Debug)]
struct ExactLabel {
    hub: u32,
    next: u32,
    length: f64,
}

/// How many labels there were by how many corners were done.
#[derive(Clone, Debug, Default)]
struct LabelGrowth(Vec<(usize, usize)>);

impl LabelGrowth {
    fn add(&mut self, corners: usize, labels: usize) {
        self.0.push((corners, labels));
    }

    /// How many labels there will be when all corners are done, if each doubling of the corners adds to the one before as the
    /// last one did. Later corners add less than that.
    fn expected(&self, all: usize) -> f64 {
        let Some(&(corners, labels)) = self.0.last() else { return 0.0 };
        let at = |share: usize| {
            let place = self.0.partition_point(|g| g.0 * share < corners);
            self.0.get(place).map_or(0.0, |g| g.1 as f64)
        };
        let (half, quarter) = (at(2), at(4));
        let mut added = labels as f64 - half;
        let ratio = if half > quarter { (added / (half - quarter)).min(1.0) } else { 1.0 };
        let (mut expected, mut done) = (labels as f64, corners as f64);
        while done < all as f64 {
            added *= ratio;
            expected += added * ((all as f64 - done) / done).min(1.0);
            done *= 2.0;
        }
        expected
    }
}

/// Corners that see each other, and how far they are: per corner a list.
pub(in crate::nav::query) type Links = Vec<Vec<(u32, f64)>>;

/// The links and their reverses, which rounding may have left out.
pub(in crate::nav::query) fn both_ways(links: Links) -> Links {
    let mut both = links.clone();
    for (from, list) in (0..).zip(&links) {
        for &(to, length) in list {
            both[to as usize].push((from, length));
        }
    }
    for list in &mut both {
        list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        list.dedup_by_key(|link| link.0);
    }
    both
}

impl HubLabels {
    /// Builds the labels of corners over links of both directions; tells which share of them is done.
    ///
    /// # Errors
    /// They would take more than this many bytes: about how many they take. That is known before the last corner where it is
    /// much more.
    pub(in crate::nav::query) fn build(
        links: &Links,
        max_bytes: usize,
        tell: impl Fn(f32),
    ) -> Result<BuiltLabels, usize> {
        let (labels, corners) = find_labels(links, max_bytes, tell)?;
        // The place of each label, by corner and rank, among those of its corner.
        let by_next = |of_corner: &Vec<ExactLabel>| {
            let mut order: Vec<u32> = (0..of_corner.len() as u32).collect();
            order.sort_by_key(|&i| (of_corner[i as usize].next, i));
            order
        };
        let orders: Vec<Vec<u32>> = labels.par_iter().map(by_next).collect();
        let places: Vec<Vec<u32>> = orders.par_iter().map(|order| inverse(order)).collect();
        let count = labels.iter().map(Vec::len).sum();
        let mut built = Self { first: vec![0], lengths: Vec::with_capacity(count), next: Vec::with_capacity(count) };
        let mut hubs = Vec::with_capacity(count);
        let bits = place_bits(labels.len());
        for (of_corner, order) in labels.iter().zip(&orders) {
            for &i in order {
                let ExactLabel { hub, next, length } = of_corner[i as usize];
                // The label is known there, too: a way's rest is a shortest way.
                let at = labels[next as usize].binary_search_by_key(&hub, |l| l.hub).unwrap_or_default();
                let place = places[next as usize][at];
                if place >> bits != 0 {
                    return Err(built.bytes().max(max_bytes.saturating_add(1)));
                }
                built.next.push(next << bits | place);
                built.lengths.push(length as f32);
                hubs.push(hub);
            }
            built.first.push(built.next.len() as u32);
        }
        if built.bytes() > max_bytes { Err(built.bytes()) } else { Ok(BuiltLabels { labels: built, hubs, corners }) }
    }

    /// How many bits of a number in [`next`](Self::next) are a place.
    fn place_bits(&self) -> u32 {
        place_bits(self.corners())
    }

    /// The numbers of a corner's labels.
    #[inline]
    pub(in crate::nav::query) fn of(&self, corner: u32) -> Range<usize> {
        self.first[corner as usize] as usize..self.first[corner as usize + 1] as usize
    }

    /// The next corner on the way to a label's hub.
    pub(in crate::nav::query) fn next_corner(&self, label: usize) -> u32 {
        self.next[label] >> self.place_bits()
    }

    /// How many corners there are.
    pub(in crate::nav::query) fn corners(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Size in memory.
    pub(in crate::nav::query) fn bytes(&self) -> usize {
        self.len() * BYTES + self.first.len() * 4
    }

    /// How many labels there are.
    pub(in crate::nav::query) fn len(&self) -> usize {
        self.next.len()
    }

    /// Whether all labels lead on to one there is: else a file is damaged.
    pub(in crate::nav::query) fn leads_on(&self) -> bool {
        let bits = self.place_bits();
        self.next.iter().all(|&next| {
            let (corner, place) = ((next >> bits) as usize, next & ((1 << bits) - 1));
            corner < self.corners() && (place as usize) < self.of(corner as u32).len()
        })
    }

    /// The corner of a label.
    pub(in crate::nav::query) fn corner_of(&self, label: u32) -> u32 {
        self.first.partition_point(|&first| first <= label) as u32 - 1
    }

    /// Adds the corners from one of them to the hub of one of its labels, both included.
    pub(in crate::nav::query) fn walk(&self, mut label: u32, out: &mut Vec<u32>) {
        let (bits, mut at) = (self.place_bits(), self.corner_of(label));
        // No way has more corners than there are: a damaged file cannot lead around in circles.
        for _ in 0..self.corners() {
            out.push(at);
            let next = self.next[label as usize];
            if next >> bits == at {
                return;
            }
            at = next >> bits;
            label = self.first[at as usize] + (next & ((1 << bits) - 1));
        }
    }
}

/// How many bits of a number hold a place, where the others hold one of so many corners.
pub(in crate::nav::query) fn place_bits(corners: usize) -> u32 {
    (corners.max(2) as u32 - 1).leading_zeros()
}

/// Per number its place in an order of all.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    (0..).zip(order).for_each(|(place, &number)| places[number as usize] = place);
    places
}

/// The labels of all corners, by rank, and per rank the corner; see [`HubLabels::build`].
fn find_labels(links: &Links, max_bytes: usize, tell: impl Fn(f32)) -> Result<(Vec<Vec<ExactLabel>>, Vec<u32>), usize> {
    let corners = by_importance(links);
    let mut labels: Vec<Vec<ExactLabel>> = vec![Vec::new(); links.len()];
    let (mut rank, mut count, mut growth) = (0, 0, LabelGrowth::default());
    while rank < corners.len() {
        let batch = (rank / 8).clamp(1, MAX_BATCH).min(corners.len() - rank);
        let search = |scratch: &mut PrunedSearch, i: usize| scratch.run(links, &labels, corners[rank + i]);
        let found: Vec<Vec<(u32, u32, f64)>> =
            (0..batch).into_par_iter().map_init(PrunedSearch::default, search).collect();
        for (i, reached) in found.into_iter().enumerate() {
            count += reached.len();
            for (corner, next, length) in reached {
                labels[corner as usize].push(ExactLabel { hub: (rank + i) as u32, next, length });
            }
        }
        rank += batch;
        growth.add(rank, count);
        let expected = growth.expected(corners.len()) * BYTES as f64;
        let is_sure = rank * EARLIEST >= corners.len() && expected > MARGIN * max_bytes as f64;
        if count * BYTES > max_bytes || is_sure {
            return Err((expected as usize).max(count * BYTES));
        }
        tell(rank as f32 / corners.len() as f32);
    }
    Ok((labels, corners))
}

/// A search by Dijkstra's algorithm (1959) in double precision, unlike the kernel, whose keys are single.
#[derive(Default)]
struct PrunedSearch {
    heap: Heap<Keyed>,
    lengths: Vec<f64>,
    next: Vec<u32>,
    touched: Vec<u32>,
    /// Per rank the distance of the root, infinite without a label.
    to_hubs: Vec<f64>,
}

impl PrunedSearch {
    /// Searches from a corner as far as labels do not tell the distance: the corners reached, the next corner on the
    /// way back, and the distance.
    fn run(&mut self, links: &Links, labels: &[Vec<ExactLabel>], root: u32) -> Vec<(u32, u32, f64)> {
        self.begin(links.len(), root);
        for label in &labels[root as usize] {
            self.to_hubs[label.hub as usize] = label.length;
        }
        let mut reached = Vec::new();
        while let Some(Keyed { key: length, number: at }) = self.heap.pop() {
            if length > self.lengths[at as usize] {
                continue;
            }
            let limit = length * (1.0 + SAME);
            if labels[at as usize].iter().any(|l| self.to_hubs[l.hub as usize] + l.length <= limit) {
                continue;
            }
            reached.push((at, self.next[at as usize], length));
            self.relax(links, at, length);
        }
        for label in &labels[root as usize] {
            self.to_hubs[label.hub as usize] = f64::INFINITY;
        }
        reached
    }

    fn begin(&mut self, count: usize, root: u32) {
        self.lengths.resize(count, f64::INFINITY);
        self.to_hubs.resize(count, f64::INFINITY);
        self.next.resize(count, NONE);
        for &corner in &self.touched {
            self.lengths[corner as usize] = f64::INFINITY;
        }
        self.touched.clear();
        self.touched.push(root);
        self.heap.clear();
        (self.lengths[root as usize], self.next[root as usize]) = (0.0, root);
        self.heap.push(Keyed { key: 0.0, number: root });
    }

    fn relax(&mut self, links: &Links, at: u32, length: f64) {
        for &(to, step) in &links[at as usize] {
            let known = &mut self.lengths[to as usize];
            if length + step < *known {
                if known.is_infinite() {
                    self.touched.push(to);
                }
                *known = length + step;
                self.next[to as usize] = at;
                self.heap.push(Keyed { key: length + step, number: to });
            }
        }
    }

    /// Counts for each corner how many shortest ways from the root lead over it.
    fn count_ways(&mut self, links: &Links, root: u32) -> Vec<u32> {
        self.begin(links.len(), root);
        let mut order = Vec::new();
        while let Some(Keyed { key: length, number: at }) = self.heap.pop() {
            if length == self.lengths[at as usize] {
                order.push(at);
                self.relax(links, at, length);
            }
        }
        let mut ways = vec![0; links.len()];
        for &at in order.iter().rev() {
            ways[at as usize] += 1;
            let next = self.next[at as usize];
            if next != at {
                ways[next as usize] += ways[at as usize];
            }
        }
        ways
    }
}

/// The corners, those first that lie on most of the shortest ways from a sample of corners.
fn by_importance(links: &Links) -> Vec<u32> {
    let count = links.len();
    let samples = SAMPLES.min(count);
    // A fixed stride that shares no factor with most numbers: neighbours in number are neighbours on the ground.
    let roots = (0..samples).map(|i| (i * count / samples) as u32);
    let ways: Vec<Vec<u32>> = roots
        .collect::<Vec<_>>()
        .into_par_iter()
        .map_init(PrunedSearch::default, |search, root| search.count_ways(links, root))
        .collect();
    let mut score = vec![0_u64; count];
    for of_root in ways {
        for (score, ways) in score.iter_mut().zip(of_root) {
            *score += u64::from(ways);
        }
    }
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by_key(|&corner| (std::cmp::Reverse(score[corner as usize]), corner));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_all_corners_are_expected_from_those_of_some() {
        let mut growth = LabelGrowth::default();
        assert_eq!(growth.expected(100), 0.0);
        // As many labels for each doubling as for the one before.
        for (corners, labels) in [(1, 100), (2, 200), (4, 300), (8, 400)] {
            growth.add(corners, labels);
        }
        assert_eq!(growth.expected(8), 400.0);
        assert_eq!(growth.expected(32), 600.0);
        assert_eq!(growth.expected(24), 550.0);
        // A line of corners that see each other: a build that is sure to take more ends before the last.
        let near = |i: usize, count: usize| (i.saturating_sub(1)..(i + 2).min(count)).filter(move |&k| k != i);
        let links: Links = (0..2000).map(|i| near(i, 2000).map(|k| (k as u32, 1.0)).collect()).collect();
        let all: usize = find_labels(&links, usize::MAX, |_| ()).unwrap().0.iter().map(Vec::len).sum();
        let shares = std::cell::RefCell::new(Vec::new());
        let told = find_labels(&links, all * BYTES / 3, |share| shares.borrow_mut().push(share)).unwrap_err();
        assert!(*shares.borrow().last().unwrap() < 0.7, "{shares:?}");
        assert!(told > all * BYTES / 3 && told < all * BYTES * 2, "{told} for {}", all * BYTES);
        assert!(find_labels(&links, all * BYTES, |_| ()).is_ok());
    }
}
