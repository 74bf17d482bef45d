//! How long the steps of a simulation took, which of them stand out, and how much memory was held.

use crate::disk::memory::resident_bytes;
use crate::math::Percentiles;
use serde_json::{Value, json};

/// A step that takes so many times the median stands out.
const SLOW_FACTOR: f64 = 10.0;
/// Most slow steps that are listed.
const MAX_LISTED: usize = 200;

/// The times of a run whose number of steps is known. Takes all of its memory at once, so that it can watch the rest grow.
pub struct StepTimes {
    ms: Vec<f64>,
    /// Searches for paths that began in each step.
    searches: Vec<u32>,
    done: usize,
    total_searches: u64,
    /// Bytes in memory after a tenth of the steps, when every buffer has its size.
    warm_bytes: Option<u64>,
    /// The same after the last.
    end_bytes: Option<u64>,
}

impl StepTimes {
    /// Room for `steps` steps.
    pub fn of(steps: usize) -> Self {
        // Not zeros, whose pages the system would hand out one by one as they are written.
        Self {
            ms: vec![f64::NAN; steps],
            searches: vec![u32::MAX; steps],
            done: 0,
            total_searches: 0,
            warm_bytes: None,
            end_bytes: None,
        }
    }

    /// Notes a step: its time, and how many searches there were until its end.
    pub fn add(&mut self, ms: f64, searches: u64) {
        if let (Some(time), Some(count)) = (self.ms.get_mut(self.done), self.searches.get_mut(self.done)) {
            *time = ms;
            *count = u32::try_from(searches.saturating_sub(self.total_searches)).unwrap_or(u32::MAX);
        }
        self.total_searches = searches;
        self.done += 1;
        if self.done == (self.ms.len() / 10).max(1) {
            self.warm_bytes = resident_bytes();
        }
        if self.done == self.ms.len() {
            self.end_bytes = resident_bytes();
        }
    }

    /// Of the steps' times in milliseconds; zeros without a step.
    pub fn summary(&self) -> Percentiles {
        Percentiles::of(self.ms[..self.done.min(self.ms.len())].to_vec())
    }

    /// The times as JSON, with the steps over ten times the median, slowest first.
    pub fn to_json(&self) -> Value {
        let Percentiles { mean, p50, p99 } = self.summary();
        let mut slow: Vec<usize> = (0..self.done).filter(|&step| self.ms[step] > SLOW_FACTOR * p50).collect();
        slow.sort_by(|a, b| self.ms[*b].total_cmp(&self.ms[*a]));
        let listed = slow.iter().take(MAX_LISTED);
        let listed = listed.map(|&step| json!({ "step": step, "ms": self.ms[step], "searches": self.searches[step] }));
        json!({ "mean": mean, "p50": p50, "p99": p99, "slow": listed.collect::<Vec<_>>(), "slow_count": slow.len() })
    }

    /// Bytes in memory after a tenth of the run and at its end; `null` where the system does not tell.
    pub fn memory_json(&self) -> Value {
        json!({ "after_a_tenth": self.warm_bytes, "end": self.end_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(samples: &[f64]) -> StepTimes {
        let mut times = StepTimes::of(samples.len());
        samples.iter().enumerate().for_each(|(i, ms)| times.add(*ms, i as u64 * 2));
        times
    }

    #[test]
    fn steps_over_ten_times_the_median_are_listed_slowest_first() {
        let json = times(&[1.0, 1.0, 10.5, 1.0, 1.0, 30.0, 10.0]).to_json();
        assert_eq!(json["slow_count"], 2);
        assert_eq!(json["slow"][0], json!({ "step": 5, "ms": 30.0, "searches": 2 }));
        assert_eq!(json["slow"][1]["step"], 2);
    }
}
