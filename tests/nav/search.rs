//! A* against Dijkstra's search and against plain relaxation, on random graphs.

use proptest::prelude::*;
use walkabout::nav::search::strategy::{Heuristic, SearchAlgorithm};
use walkabout::nav::search::*;

/// A graph of points in the plane; hops cost at least the distance.
#[derive(Clone, Debug)]
struct Plane {
    points: Vec<(f32, f32)>,
    hops: Vec<Vec<(u32, f32)>>,
    informed: bool,
}

impl Plane {
    fn distance(&self, a: u32, b: u32) -> f32 {
        let (a, b) = (self.points[a as usize], self.points[b as usize]);
        (a.0 - b.0).hypot(a.1 - b.1)
    }

    /// The cheapest costs from `start`, by relaxing every hop until nothing changes (Bellman and Ford).
    fn relaxed(&self, start: u32) -> Vec<f64> {
        let mut cost = vec![f64::INFINITY; self.points.len()];
        cost[start as usize] = 0.0;
        loop {
            let mut changed = false;
            for (from, hops) in self.hops.iter().enumerate() {
                for &(to, hop) in hops {
                    let through = cost[from] + f64::from(hop);
                    if through < cost[to as usize] {
                        (cost[to as usize], changed) = (through, true);
                    }
                }
            }
            if !changed {
                return cost;
            }
        }
    }
}

impl Graph for Plane {
    fn node_count(&self) -> usize {
        self.points.len()
    }

    fn for_each_hop(&self, node: u32, mut f: impl FnMut(u32, f32)) {
        self.hops[node as usize].iter().for_each(|&(to, cost)| f(to, cost));
    }

    fn estimate(&self, node: u32, target: u32) -> f32 {
        // A hair less than the distance, as costs are rounded.
        if self.informed { self.distance(node, target) * (1.0 - 1e-5) } else { 0.0 }
    }
}

fn planes() -> impl Strategy<Value = Plane> {
    let points = proptest::collection::vec((-50.0_f32..50.0, -50.0_f32..50.0), 2..60);
    (points, proptest::collection::vec((any::<u32>(), any::<u32>(), 1.0_f32..3.0), 0..200)).prop_map(
        |(points, ends)| {
            let count = points.len() as u32;
            let mut plane = Plane { hops: vec![Vec::new(); points.len()], points, informed: true };
            for (a, b, factor) in ends {
                let (a, b) = (a % count, b % count);
                let cost = plane.distance(a, b) * factor;
                plane.hops[a as usize].push((b, cost));
            }
            plane
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Requirement: B-3, Z-2
    #[test]
    fn the_cheapest_way_is_found_with_and_without_estimates(plane in planes()) {
        let blind = Plane { informed: false, ..plane.clone() };
        let (mut search, mut way) = (Search::default(), Vec::new());
        for start in 0..plane.points.len().min(4) as u32 {
            let costs = plane.relaxed(start);
            let mut flooded = vec![f64::INFINITY; costs.len()];
            search.flood(&plane, start, |node, cost| flooded[node as usize] = f64::from(cost));
            for (target, &cost) in (0_u32..).zip(&costs) {
                let near = |found: f64| (found - cost).abs() <= 1e-4 * cost.max(1.0);
                prop_assert!(flooded[target as usize] == cost || near(flooded[target as usize]));
                let dijkstra = search.find(&blind, start, target, &mut way);
                let expanded_blindly = search.expanded();
                let informed = search.find(&plane, start, target, &mut way);
                prop_assert_eq!(dijkstra.is_some(), cost.is_finite());
                prop_assert_eq!(informed.is_some(), cost.is_finite());
                if let (Some(blind), Some(informed)) = (dijkstra, informed) {
                    prop_assert!(near(blind) && near(informed), "{} {} {}", blind, informed, cost);
                    prop_assert!(search.expanded() <= expanded_blindly + 1);
                    let sum: f64 = way.windows(2).map(|hop| {
                        let costs = plane.hops[hop[0] as usize].iter().filter(|h| h.0 == hop[1]);
                        costs.map(|h| f64::from(h.1)).fold(f64::INFINITY, f64::min)
                    }).sum();
                    prop_assert!(near(sum) && way.first() == Some(&start) && way.last() == Some(&target));
                }
            }
        }
    }
}

/// The fewest hops from `start` to each node.
fn fewest_hops(plane: &Plane, start: u32) -> Vec<Option<usize>> {
    let mut hops = vec![None; plane.points.len()];
    hops[start as usize] = Some(0);
    for round in 0..plane.points.len() {
        for from in (0..plane.points.len()).filter(|&n| hops[n] == Some(round)).collect::<Vec<_>>() {
            for &(to, _) in &plane.hops[from] {
                hops[to as usize].get_or_insert(round + 1);
            }
        }
    }
    hops
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn every_algorithm_finds_ways_of_its_kind(plane in planes()) {
        let (mut search, mut way) = (Search::default(), Vec::new());
        for start in 0..plane.points.len().min(3) as u32 {
            let (costs, hops) = (plane.relaxed(start), fewest_hops(&plane, start));
            for (target, &cost) in (0_u32..).zip(&costs) {
                for algorithm in SearchAlgorithm::ALL {
                    let found = search.find_by(algorithm, &plane, [start, target], &mut way);
                    prop_assert_eq!(found.is_some(), cost.is_finite(), "{:?}", algorithm);
                    let Some(found) = found else { continue };
                    prop_assert!(way.first() == Some(&start) && way.last() == Some(&target));
                    let is_hop = |hop: &[u32]| plane.hops[hop[0] as usize].iter().any(|h| h.0 == hop[1]);
                    prop_assert!(way.windows(2).all(is_hop), "{:?} {:?}", algorithm, way);
                    let near = 1e-4 * cost.max(1.0);
                    match algorithm {
                        SearchAlgorithm::AStar | SearchAlgorithm::Dijkstra => {
                            prop_assert!((found - cost).abs() <= near, "{:?} {} {}", algorithm, found, cost);
                        }
                        SearchAlgorithm::BreadthFirst => prop_assert_eq!(Some(way.len() - 1), hops[target as usize]),
                        SearchAlgorithm::Greedy | SearchAlgorithm::DepthFirst => prop_assert!(found >= cost - near),
                    }
                    prop_assert!(search.expanded() as usize <= plane.points.len() || algorithm.estimates());
                    prop_assert!(search.tree().any(|(node, _)| node == target));
                }
            }
        }
    }
}

#[test]
fn depth_first_search_follows_its_last_find_to_the_end() {
    // A star of three arms of two hops each, without a target: the last arm is gone through first.
    let hop = |to: u32| (to, 1.0);
    let plane = Plane {
        points: (0..7).map(|i| (i as f32, 0.0)).collect(),
        hops: vec![vec![hop(1), hop(2), hop(3)], vec![hop(4)], vec![hop(5)], vec![hop(6)], vec![], vec![], vec![]],
        informed: false,
    };
    let (mut search, mut way) = (Search::default(), Vec::new());
    assert!(search.find_by(SearchAlgorithm::DepthFirst, &plane, [0, 6], &mut way).is_some());
    assert_eq!((way.as_slice(), search.expanded()), (&[0, 3, 6][..], 2));
    assert!(search.find_by(SearchAlgorithm::BreadthFirst, &plane, [0, 6], &mut way).is_some());
    assert_eq!(search.expanded(), 6, "all that is nearer comes first");
}

#[test]
fn names_of_searches_are_those_of_scene_files() {
    for algorithm in SearchAlgorithm::ALL {
        assert_eq!(serde_json::to_string(&algorithm).unwrap(), format!("\"{}\"", algorithm.name()));
        assert_eq!(algorithm.name().parse(), Ok(algorithm));
    }
    for heuristic in Heuristic::ALL {
        assert_eq!(serde_json::to_string(&heuristic).unwrap(), format!("\"{}\"", heuristic.name()));
        assert_eq!(heuristic.name().parse(), Ok(heuristic));
    }
    let unknown = "quick".parse::<SearchAlgorithm>().unwrap_err().to_string();
    assert_eq!(unknown, "there is no search 'quick'; choose a-star, dijkstra, greedy, breadth-first, depth-first");
}

/// Words of which one letter differs: costs without any geometry, and no estimate.
struct Words(&'static [&'static str]);

impl Graph for Words {
    fn node_count(&self) -> usize {
        self.0.len()
    }

    fn for_each_hop(&self, node: u32, mut f: impl FnMut(u32, f32)) {
        let apart = |word: &str| word.bytes().zip(self.0[node as usize].bytes()).filter(|(a, b)| a != b).count();
        for (to, word) in (0..).zip(self.0) {
            if apart(word) == 1 {
                f(to, 1.0);
            }
        }
    }

    fn estimate(&self, node: u32, target: u32) -> f32 {
        let letters = self.0[node as usize].bytes().zip(self.0[target as usize].bytes());
        letters.filter(|(a, b)| a != b).count() as f32
    }
}

#[test]
fn z_02_a_ladder_of_words_is_climbed_without_any_geometry() {
    let words = Words(&["cold", "cord", "word", "ward", "warm", "card", "worm", "corn", "tree"]);
    let (mut search, mut way) = (Search::default(), Vec::new());
    assert_eq!(search.find(&words, 0, 4, &mut way), Some(4.0));
    let climbed: Vec<&str> = way.iter().map(|&i| words.0[i as usize]).collect();
    assert_eq!((climbed[0], climbed[4], climbed.len()), ("cold", "warm", 5));
    assert_eq!((search.find(&words, 0, 8, &mut way), way.len()), (None, 0), "no ladder leads to the tree");
}
