//! Evenly spaced times at which a clip is sampled in advance.

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
}
