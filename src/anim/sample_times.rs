//! Evenly spaced times at which a clip is sampled in advance.

/// Share of the time between two keys by which one may be off its even place.
pub const MAX_KEY_ERROR: f32 = 0.02;

/// Evenly spaced sample times of a clip, the first at its start and the last at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleTimes {
    /// Length of the clip, seconds; never negative.
    pub duration_secs: f32,
    /// Number of samples; at least one, 0 only for the default.
    pub count: usize,
}

impl SampleTimes {
    /// About `rate` samples per second, with at most `max_intervals` between them. A duration that is not finite counts
    /// as 0.
    pub fn new(duration_secs: f32, rate: f32, max_intervals: usize) -> Self {
        let duration_secs = if duration_secs.is_finite() { duration_secs.max(0.0) } else { 0.0 };
        Self { duration_secs, count: ((duration_secs * rate).ceil() as usize).min(max_intervals) + 1 }
    }

    /// The same with samples at all keys where these are evenly spaced over the clip, so that what is interpolated between
    /// samples is what is interpolated between keys: a few more a second, unless there are more keys than samples.
    pub fn at_keys(duration_secs: f32, rate: f32, max_intervals: usize, spacing_secs: Option<f32>) -> Self {
        let plain = Self::new(duration_secs, rate, max_intervals);
        let Some(spacing_secs) = spacing_secs.filter(|secs| *secs > 0.0) else { return plain };
        let gaps = plain.duration_secs / spacing_secs;
        let fits = (gaps - gaps.round()).abs() < MAX_KEY_ERROR && gaps.round() >= 1.0;
        let per_gap = rate * spacing_secs;
        if !fits || per_gap < 1.0 - MAX_KEY_ERROR {
            return plain;
        }
        let intervals = gaps.round() as usize * (per_gap - MAX_KEY_ERROR).ceil().max(1.0) as usize;
        if intervals > max_intervals { plain } else { Self { count: intervals + 1, ..plain } }
    }

    /// Time between two samples, seconds.
    pub fn gap_secs(&self) -> f32 {
        self.duration_secs / self.count.saturating_sub(1).max(1) as f32
    }

    /// Time of a sample, seconds from the clip's start.
    pub fn time_secs(&self, frame: usize) -> f32 {
        self.gap_secs() * frame as f32
    }

    /// The sample at or before a time and the fraction of the interval to the next; the time is clamped to the clip.
    #[inline]
    pub fn at(&self, time_secs: f32) -> (usize, f32) {
        let last = self.count.saturating_sub(1);
        if self.duration_secs <= 0.0 || time_secs.is_nan() {
            return (0, 0.0);
        }
        let at = (time_secs / self.duration_secs).clamp(0.0, 1.0) * last as f32;
        let frame = at as usize;
        if frame >= last { (last, 0.0) } else { (frame, at - frame as f32) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_span_the_clip_and_times_are_clamped_to_it() {
        let frames = SampleTimes::new(0.5, 30.0, 600);
        assert_eq!(frames.count, 16);
        assert!((frames.time_secs(15) - 0.5).abs() < 1e-6);
        assert_eq!((frames.at(-1.0), frames.at(9.0), frames.at(f32::NAN)), ((0, 0.0), (15, 0.0), (0, 0.0)));
        let (frame, share) = frames.at(0.25);
        assert!((frame as f32 + share - 7.5).abs() < 1e-4);
        for odd in [0.0, -3.0, f32::NAN, f32::INFINITY] {
            let times = SampleTimes::new(odd, 30.0, 600);
            assert_eq!((times.count, times.at(0.1)), (1, (0, 0.0)));
        }
        assert_eq!(SampleTimes::new(1e9, 60.0, 600).count, 601);
        assert_eq!(SampleTimes::default().at(0.5), (0, 0.0));
    }

    #[test]
    fn samples_lie_on_evenly_spaced_keys() {
        let count = |keys: f32, spacing: f32| SampleTimes::at_keys(keys * spacing, 60.0, 600, Some(spacing)).count;
        assert_eq!((count(29.0, 1.0 / 24.0), count(10.0, 1.0 / 30.0), count(7.0, 0.5)), (88, 21, 211));
        assert_eq!(count(6.0, 1.0 / 60.0), 7);
        let plain = SampleTimes::new(1.0, 60.0, 600);
        for spacing in [None, Some(0.0), Some(1.0 / 24.5), Some(1.0 / 120.0), Some(f32::NAN), Some(3.0)] {
            assert_eq!(SampleTimes::at_keys(1.0, 60.0, 600, spacing), plain, "{spacing:?}");
        }
        assert_eq!(SampleTimes::at_keys(9.0, 60.0, 600, Some(1.0 / 24.0)), SampleTimes::new(9.0, 60.0, 600));
    }
}
