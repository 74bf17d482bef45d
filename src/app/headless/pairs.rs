//! Files of many queries, and how long queries took.

use crate::disk::read_text;
use anyhow::Context;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One query of a file; other keys are passed over.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Pair {
    #[serde(alias = "from")]
    pub start: End,
    #[serde(alias = "to", alias = "target")]
    pub end: End,
    /// Polygons of the ends, as the mesh's file numbers them.
    pub start_poly: Option<u32>,
    pub end_poly: Option<u32>,
}

/// Where a path starts or ends.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum End {
    /// At the centre of a level's triangle, by its number.
    Triangle(u32),
    /// At a point in the world.
    Point([f64; 3]),
}

impl Pair {
    /// The query between two points.
    pub fn between(from: Vec3, to: Vec3) -> Self {
        let point = |p: Vec3| End::Point(p.as_dvec3().to_array());
        Self { start: point(from), end: point(to), start_poly: None, end_poly: None }
    }
}

/// Largest file of pairs that is read, bytes.
const MAX_PAIRS_BYTES: u64 = 64 << 20;

/// The queries of a pairs file.
///
/// # Errors
/// The file cannot be read, is too large, or holds something else.
pub(super) fn read_pairs(file: &Path) -> anyhow::Result<Vec<Pair>> {
    let say = || format!("pairs not read; the file must hold a JSON array of queries. File: {}", file.display());
    serde_json::from_str(&read_text(file, MAX_PAIRS_BYTES).with_context(say)?).with_context(say)
}

/// Microseconds of many queries.
#[derive(Serialize)]
pub(super) struct QueryTimes {
    /// Mean.
    pub mean_us: f64,
    /// Median.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
}

impl QueryTimes {
    pub fn of(mut micros: Vec<f64>) -> Self {
        micros.sort_by(f64::total_cmp);
        let last = micros.len().saturating_sub(1);
        let rank = |part: f64| micros.get(((micros.len() as f64 * part) as usize).min(last)).copied().unwrap_or(0.0);
        let mean_us = micros.iter().sum::<f64>() / micros.len().max(1) as f64;
        Self { mean_us, p50_us: rank(0.5), p99_us: rank(0.99) }
    }
}

impl std::fmt::Display for QueryTimes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = f.precision().unwrap_or(1);
        let Self { mean_us, p50_us, p99_us } = self;
        write!(f, "mean {mean_us:.digits$} µs, median {p50_us:.digits$} µs, 99 % within {p99_us:.digits$} µs")
    }
}
