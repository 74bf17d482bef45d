//! Distances from a few landmarks, which bound the distance between any two nodes from below: a path search that
//! knows them expands fewer nodes where straight lines say little (Goldberg and Harrelson, "Computing the shortest
//! path: A* search meets graph theory", 2005).

use crate::nav::search::{Graph, Search};
use glam::Vec3;
use rayon::prelude::*;

/// Number of landmarks: the outermost nodes in as many directions.
const COUNT: usize = 4;
/// Relative error of a sum of hops in single precision, generously.
const ERROR: f32 = 2e-6;

/// Distance of every node from each landmark; 0 for nodes that no way leads to. Empty when it says nothing.
#[derive(Clone, Debug, Default)]
pub struct Landmarks {
    distances: Vec<[f32; COUNT]>,
}

impl Landmarks {
    /// Landmarks in the largest island of a graph whose hops lead both ways at the same cost.
    pub fn new(graph: &(impl Graph + Sync), centers: &[Vec3], component: &[u32]) -> Self {
        let mut sizes = vec![0u32; component.iter().max().map_or(0, |&c| c as usize + 1)];
        for &c in component {
            sizes[c as usize] += 1;
        }
        let Some(largest) = (0..sizes.len()).max_by_key(|&c| (sizes[c], usize::MAX - c)) else {
            return Self::default();
        };
        let inside = || (0..centers.len()).filter(|&i| component[i] as usize == largest && centers[i].is_finite());
        let ways: [fn(Vec3) -> f32; COUNT] = [|p| p.x + p.z, |p| p.x - p.z, |p| p.z - p.x, |p| -p.x - p.z];
        let outermost: Vec<usize> = ways
            .iter()
            .filter_map(|way| inside().max_by(|&a, &b| way(centers[a]).total_cmp(&way(centers[b]))))
            .collect();
        let columns: Vec<Vec<f32>> = outermost
            .par_iter()
            .map(|&landmark| {
                let mut column = vec![0.0; centers.len()];
                Search::default().flood(graph, landmark as u32, |node, cost| column[node as usize] = cost);
                column
            })
            .collect();
        if columns.len() < COUNT {
            return Self::default();
        }
        Self { distances: (0..centers.len()).map(|i| std::array::from_fn(|k| columns[k][i])).collect() }
    }

    /// A lower bound of the distance between two nodes of one island.
    #[inline]
    pub fn bound(&self, a: u32, b: u32) -> f32 {
        let (Some(from_a), Some(from_b)) = (self.distances.get(a as usize), self.distances.get(b as usize)) else {
            return 0.0;
        };
        let mut bound = 0.0_f32;
        for k in 0..COUNT {
            bound = bound.max((from_a[k] - from_b[k]).abs() - ERROR * from_a[k].max(from_b[k]));
        }
        bound
    }
}
