//! Named time scopes with a short history each.
//!
//! Scopes are values, not globals: whoever owns the frame owns a [`Profiler`] and lends it.

use std::collections::BTreeMap;
use std::time::Instant;

/// Samples kept per scope.
pub const HISTORY: usize = 240;

/// Ring buffer of one scope's times in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct Track {
    samples_ms: Vec<f32>,
    next: usize,
    open_ms: f32,
}

impl Track {
    fn close(&mut self) {
        let value = std::mem::take(&mut self.open_ms);
        if self.samples_ms.len() < HISTORY {
            self.samples_ms.push(value);
        } else {
            self.samples_ms[self.next] = value;
        }
        self.next = (self.next + 1) % HISTORY;
    }

    /// Samples from oldest to newest, one per frame.
    pub fn samples_ms(&self) -> impl Iterator<Item = f32> + '_ {
        let split = if self.samples_ms.len() < HISTORY { 0 } else { self.next };
        self.samples_ms[split..].iter().chain(&self.samples_ms[..split]).copied()
    }

    /// The newest sample; 0 when there is none.
    pub fn last_ms(&self) -> f32 {
        self.samples_ms().last().unwrap_or(0.0)
    }

    /// Mean of all kept samples; 0 when there is none.
    pub fn mean_ms(&self) -> f32 {
        let n = self.samples_ms.len();
        if n == 0 { 0.0 } else { self.samples_ms.iter().sum::<f32>() / n as f32 }
    }
}

/// Collects scope times; scopes appear in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Profiler {
    tracks: BTreeMap<&'static str, Track>,
}

impl Profiler {
    /// Runs `work` and adds its wall time to the open frame of scope `name`.
    pub fn scope<R>(&mut self, name: &'static str, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.add_ms(name, start.elapsed().as_secs_f32() * 1e3);
        result
    }

    /// Adds a time measured elsewhere (a GPU pass, say) to the open frame of scope `name`.
    pub fn add_ms(&mut self, name: &'static str, ms: f32) {
        self.tracks.entry(name).or_default().open_ms += ms;
    }

    /// Closes the frame: what was added becomes one sample per scope.
    pub fn end_frame(&mut self) {
        self.tracks.values_mut().for_each(Track::close);
    }

    /// All scopes by name.
    pub fn tracks(&self) -> impl Iterator<Item = (&'static str, &Track)> + '_ {
        self.tracks.iter().map(|(name, track)| (*name, track))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_add_up_within_a_frame_and_age_in_order() {
        let mut p = Profiler::default();
        p.add_ms("a", 1.0);
        p.add_ms("a", 2.0);
        p.end_frame();
        for i in 0..HISTORY {
            p.add_ms("a", i as f32);
            p.end_frame();
        }
        let (_, track) = p.tracks().next().unwrap();
        let samples: Vec<f32> = track.samples_ms().collect();
        assert_eq!(samples.len(), HISTORY);
        assert_eq!(samples[0], 0.0);
        assert_eq!(track.last_ms(), (HISTORY - 1) as f32);
    }
}
