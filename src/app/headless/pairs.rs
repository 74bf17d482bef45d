//! Files of many queries, and how long queries took.

use crate::disk::excerpt::shortened;
use crate::disk::read_text;
use crate::math::Percentiles;
use anyhow::{Context, bail};
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
    /// The true length in the plane, where the file knows it; negative without a path.
    #[serde(skip)]
    pub length: Option<f64>,
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
        Self { start: point(from), end: point(to), start_poly: None, end_poly: None, length: None }
    }
}

/// Largest file of pairs that is read, bytes.
const MAX_PAIRS_BYTES: u64 = 64 << 20;

/// The queries of a pairs file.
///
/// # Errors
/// The file cannot be read, is too large, or holds something else.
pub(super) fn read_pairs(file: &Path) -> anyhow::Result<Vec<Pair>> {
    let say = || format!("pairs not read. File: {}", file.display());
    let text = read_text(file, MAX_PAIRS_BYTES).with_context(say)?;
    if text.trim_start().starts_with(['[', '{']) {
        let queries = serde_json::from_str(&text).map_err(|e| anyhow::Error::msg(shortened(&e)));
        return queries.context("the file must hold a JSON array of queries").with_context(say);
    }
    benchmark_pairs(&text).with_context(say)
}

/// The queries of the path benchmarks, by line: start x and y, end x and y and maybe the true length; or those of
/// MovingAI's scenarios, whose lengths are those of a grid and say nothing here.
fn benchmark_pairs(text: &str) -> anyhow::Result<Vec<Pair>> {
    let is_scenario = text.trim_start().starts_with("version");
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(text.lines()).skip(usize::from(is_scenario)) {
        let words: Vec<&str> = line.split([',', ' ', '\t']).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            continue;
        }
        // Bucket, name, width and height go before in a scenario.
        let numbers: Vec<f64> =
            words.iter().skip(4 * usize::from(is_scenario)).filter_map(|w| w.parse().ok()).collect();
        let [x, y, to_x, to_y, rest @ ..] = &numbers[..] else {
            if number == 1 {
                // The names of the columns.
                continue;
            }
            bail!("line {number} has no four numbers: start x and y, end x and y; or give a JSON array of queries");
        };
        let (start, end) = (End::Point([*x, 0.0, *y]), End::Point([*to_x, 0.0, *to_y]));
        let length = rest.first().copied().filter(|_| !is_scenario);
        pairs.push(Pair { start, end, start_poly: None, end_poly: None, length });
    }
    Ok(pairs)
}

/// Relative difference up to which two lengths are the same.
const SAME_LENGTH: f64 = 1e-5;

/// Whether a length is another than the true one, both negative where there is no path.
pub(super) fn differs(length: f64, truth: f64) -> bool {
    (length < 0.0) != (truth < 0.0) || truth >= 0.0 && (length - truth).abs() > SAME_LENGTH * truth.max(1.0)
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
    pub fn of(micros: Vec<f64>) -> Self {
        let Percentiles { mean, p50, p99 } = Percentiles::of(micros);
        Self { mean_us: mean, p50_us: p50, p99_us: p99 }
    }
}

impl std::fmt::Display for QueryTimes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = f.precision().unwrap_or(1);
        let Self { mean_us, p50_us, p99_us } = self;
        write!(f, "mean {mean_us:.digits$} µs, median {p50_us:.digits$} µs, 99 % within {p99_us:.digits$} µs")
    }
}

#[cfg(test)]
mod tests {
    use super::differs;

    #[test]
    fn lengths_differ_by_a_part_in_100_000_or_a_missing_path() {
        assert!(!differs(100.0005, 100.0) && differs(100.002, 100.0) && differs(99.998, 100.0));
        assert!(!differs(-1.0, -1.0) && differs(-1.0, 3.0) && differs(3.0, -1.0));
    }
}
