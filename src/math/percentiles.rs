//! Summary of samples: mean and percentiles.

use serde::Serialize;

/// Mean and percentiles of what is measured many times, in the unit of its name; zeros without samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
}

impl Percentiles {
    /// The summary of `samples`.
    pub fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let at = |share: f64| samples.get(((samples.len() as f64 - 1.0) * share).round() as usize).copied();
        let mean = if samples.is_empty() { 0.0 } else { samples.iter().sum::<f64>() / samples.len() as f64 };
        Self { mean, p50: at(0.5).unwrap_or(0.0), p99: at(0.99).unwrap_or(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_ordered_and_empty_ones_are_zero() {
        assert_eq!(Percentiles::of(Vec::new()), Percentiles::default());
        let spread = Percentiles::of((0..100).rev().map(f64::from).collect());
        assert_eq!((spread.mean, spread.p50, spread.p99), (49.5, 50.0, 98.0));
    }
}
