//! Named time scopes with a short history each.
//!
//! Scopes are values, not globals: the owner of the frame owns a [`Profiler`] and lends it.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// Samples kept per scope.
pub const HISTORY: usize = 240;

/// Seconds over which a mean is taken.
pub const MEAN_SECS: usize = 30;

/// Some samples together.
#[derive(Clone, Copy, Debug, Default)]
struct SampleSum {
    sum_ms: f64,
    count: u32,
}

/// Ring buffer of one scope's times in milliseconds, and their sums by the second.
#[derive(Clone, Debug, Default)]
pub struct ProfileTrack {
    samples_ms: Vec<f32>,
    next: usize,
    open_ms: f32,
    second: SampleSum,
    seconds: VecDeque<SampleSum>,
}

impl ProfileTrack {
    fn close(&mut self) {
        let value = std::mem::take(&mut self.open_ms);
        if self.samples_ms.len() < HISTORY {
            self.samples_ms.push(value);
        } else {
            self.samples_ms[self.next] = value;
        }
        self.next = (self.next + 1) % HISTORY;
        self.second.sum_ms += f64::from(value);
        self.second.count += 1;
    }

    fn end_second(&mut self) {
        if self.seconds.len() == MEAN_SECS {
            self.seconds.pop_front();
        }
        self.seconds.push_back(std::mem::take(&mut self.second));
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

    /// Mean of the last [`MEAN_SECS`] seconds; 0 without samples.
    pub fn long_mean_ms(&self) -> f32 {
        let all = self.seconds.iter().chain([&self.second]);
        let sum = all.fold(SampleSum::default(), |sum, one| SampleSum {
            sum_ms: sum.sum_ms + one.sum_ms,
            count: sum.count + one.count,
        });
        if sum.count == 0 { 0.0 } else { (sum.sum_ms / f64::from(sum.count)) as f32 }
    }
}

/// A stretch of time within a frame, for a flame graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileSpan {
    /// Name of the scope.
    pub name: &'static str,
    /// How many spans it lies in.
    pub depth: u32,
    /// When it began, milliseconds after the first span of the frame.
    pub start_ms: f32,
    /// How long it took, milliseconds.
    pub ms: f32,
}

/// Spans of a frame beyond which none of another profiler are merged into it.
const MAX_SPANS: usize = 512;

/// Collects scope times; scopes appear in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Profiler {
    tracks: BTreeMap<&'static str, ProfileTrack>,
    /// Spans of the open frame in the order in which they began, with the time at which that was.
    spans: Vec<(ProfileSpan, Instant)>,
    /// Places in `spans` of those that did not end yet, outermost first.
    open: Vec<usize>,
    /// Spans of the frame before.
    last: Vec<ProfileSpan>,
    /// When the second began whose samples are summed.
    second_began: Option<Instant>,
}

impl Profiler {
    /// Runs `work` and adds its wall time to the open frame of scope `name`.
    pub fn scope<R>(&mut self, name: &'static str, work: impl FnOnce() -> R) -> R {
        self.enter(name);
        let result = work();
        self.leave();
        result
    }

    /// Opens a scope that [`Self::leave`] closes, for work that needs the profiler itself; scopes may lie in scopes.
    pub fn enter(&mut self, name: &'static str) {
        let now = Instant::now();
        let depth = self.open.len() as u32;
        let start_ms = self.spans.first().map_or(0.0, |first| ms_between(first.1, now));
        self.open.push(self.spans.len());
        self.spans.push((ProfileSpan { name, depth, start_ms, ms: 0.0 }, now));
    }

    /// Closes the scope that was opened last; does nothing when none is open.
    pub fn leave(&mut self) {
        let Some(index) = self.open.pop() else { return };
        let (span, start) = &mut self.spans[index];
        span.ms = ms_between(*start, Instant::now());
        let (name, ms) = (span.name, span.ms);
        self.add_ms(name, ms);
    }

    /// Attributes the time since `start` to scopes that took turns in it, in proportion to their own measured times, which
    /// add up over all threads. The scopes appear one after the other.
    pub fn attribute(&mut self, start: Instant, scopes: &[(&'static str, u64)]) {
        let whole_ms = ms_between(start, Instant::now());
        let first = self.spans.first().map_or(start, |first| first.1);
        let sum = scopes.iter().map(|(_, time)| time).sum::<u64>().max(1);
        let mut start_ms = ms_between(first, start);
        for &(name, time) in scopes {
            let ms = whole_ms * (time as f64 / sum as f64) as f32;
            self.spans.push((ProfileSpan { name, depth: self.open.len() as u32, start_ms, ms }, start));
            self.add_ms(name, ms);
            start_ms += ms;
        }
    }

    /// Merges the last frame of another profiler, which began at `start`, into the open scope.
    pub fn merge(&mut self, other: &Self, start: Instant) {
        let depth = self.open.len() as u32;
        let first = self.spans.first().map_or(start, |first| first.1);
        let after_ms = ms_between(first, start);
        for span in other.last.iter().take(MAX_SPANS.saturating_sub(self.spans.len())) {
            let span = ProfileSpan { depth: span.depth + depth, start_ms: span.start_ms + after_ms, ..*span };
            self.spans.push((span, start));
        }
    }

    /// Adds a time measured elsewhere (a GPU pass, say) to the open frame of scope `name`.
    pub fn add_ms(&mut self, name: &'static str, ms: f32) {
        self.tracks.entry(name).or_default().open_ms += ms;
    }

    /// Closes the frame: what was added becomes one sample per scope.
    pub fn end_frame(&mut self) {
        self.end_frame_at(Instant::now());
    }

    fn end_frame_at(&mut self, now: Instant) {
        // What did not end is no time of this frame.
        self.open.clear();
        self.tracks.values_mut().for_each(ProfileTrack::close);
        let began = *self.second_began.get_or_insert(now);
        if now.saturating_duration_since(began) >= Duration::from_secs(1) {
            self.second_began = Some(now);
            self.tracks.values_mut().for_each(ProfileTrack::end_second);
        }
        self.last.clear();
        self.last.extend(self.spans.drain(..).map(|(span, _)| span));
    }

    /// Where the time of the frame went that was closed last: spans in the order in which they began.
    pub fn spans(&self) -> &[ProfileSpan] {
        &self.last
    }

    /// All scopes by name.
    pub fn tracks(&self) -> impl Iterator<Item = (&'static str, &ProfileTrack)> + '_ {
        self.tracks.iter().map(|(name, track)| (*name, track))
    }
}

fn ms_between(from: Instant, to: Instant) -> f32 {
    to.saturating_duration_since(from).as_secs_f32() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_share_the_time() {
        let mut profiler = Profiler::default();
        let start = Instant::now();
        std::thread::sleep(std::time::Duration::from_millis(2));
        profiler.attribute(start, &[("one", 3), ("other", 1)]);
        profiler.end_frame();
        let [one, other] = profiler.spans() else { panic!("{:?}", profiler.spans()) };
        assert!((one.ms - 3.0 * other.ms).abs() < 1e-3 * one.ms && one.ms + other.ms >= 2.0);
        assert_eq!((one.name, other.start_ms), ("one", one.start_ms + one.ms));
        assert_eq!(profiler.tracks().map(|(_, t)| t.last_ms()).collect::<Vec<_>>(), [one.ms, other.ms]);
    }

    #[test]
    fn spans_lie_in_spans() {
        let mut inner = Profiler::default();
        inner.scope("leg", || ());
        inner.end_frame();
        let mut p = Profiler::default();
        p.enter("frame");
        p.scope("panels", || ());
        p.enter("simulate");
        p.merge(&inner, Instant::now());
        p.leave();
        p.leave();
        p.leave();
        p.enter("left open");
        p.end_frame();
        let seen: Vec<(&str, u32)> = p.spans().iter().map(|span| (span.name, span.depth)).collect();
        assert_eq!(seen, [("frame", 0), ("panels", 1), ("simulate", 1), ("leg", 2), ("left open", 0)]);
        let frame = p.spans()[0];
        assert!(p.spans()[1..4].iter().all(|s| s.start_ms >= 0.0 && s.start_ms + s.ms <= frame.ms + 0.5));
        assert!(p.tracks().any(|(name, _)| name == "panels") && p.tracks().all(|(name, _)| name != "leg"));
        p.end_frame();
        assert!(p.spans().is_empty(), "a frame without scopes has no spans");
    }

    #[test]
    fn means_are_of_the_last_thirty_seconds() {
        let (mut p, start) = (Profiler::default(), Instant::now());
        for i in 0..100_u64 {
            // Two frames a second; after fifty seconds each takes twice as long.
            for half in [0, 500] {
                p.add_ms("a", if i < 50 { 1.0 } else { 2.0 });
                p.end_frame_at(start + Duration::from_millis(i * 1000 + half));
            }
            let mean = p.tracks().next().map_or(0.0, |(_, track)| track.long_mean_ms());
            let wanted = if i < 50 { 1.0 } else { 2.0 };
            let is_mixed = (50..82).contains(&i);
            assert!(if is_mixed { (1.0..=2.0).contains(&mean) } else { mean == wanted }, "second {i}: {mean}");
        }
    }

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
