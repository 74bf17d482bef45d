//! What the passes of a frame do: how many there are, and their GPU times by timestamp queries, where the device supports them.
//!
//! The crate wgpu-profiler (0.28) would save some thirty lines here: its queries are closed per pass and its frames after
//! submission, so that most of this file would remain as an adapter. It allocates a label per pass and frame, and cannot
//! discard the passes of insets and thumbnails, which are not part of the frame.

use super::readback::Readback;
use serde::Serialize;

/// Passes timed per frame.
const MAX_PASSES: u32 = 32;

/// What the passes of a frame record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PassCounts {
    /// Passes, of drawing and of computing.
    pub passes: u32,
    /// Draws of models, each of any number of instances.
    pub draws: u32,
    /// Triangles of these, of all instances.
    pub triangles: u64,
    /// Dispatches.
    pub dispatches: u32,
}

/// Times and counts the passes of a frame; times arrive a frame or more later.
#[derive(Debug)]
pub struct PassTimer {
    queries: Option<TimestampQueries>,
    counts: PassCounts,
    frame_counts: PassCounts,
    names: Vec<&'static str>,
    read_names: Vec<&'static str>,
    times_ms: Vec<(&'static str, f32)>,
}

#[derive(Debug)]
struct TimestampQueries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: Readback,
    period_ns: f32,
}

impl PassTimer {
    /// A timer; without results on devices without timestamp queries.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let queries = device.features().contains(wgpu::Features::TIMESTAMP_QUERY).then(|| {
            let bytes = u64::from(MAX_PASSES) * 16;
            TimestampQueries {
                set: device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("pass times"),
                    ty: wgpu::QueryType::Timestamp,
                    count: MAX_PASSES * 2,
                }),
                resolved: device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("pass times"),
                    size: bytes,
                    usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                    mapped_at_creation: false,
                }),
                readback: Readback::new(device, "pass times", bytes),
                period_ns: queue.get_timestamp_period(),
            }
        });
        Self {
            queries,
            counts: PassCounts::default(),
            frame_counts: PassCounts::default(),
            names: Vec::new(),
            read_names: Vec::new(),
            times_ms: Vec::new(),
        }
    }

    fn slot(&mut self, name: &'static str) -> Option<(&wgpu::QuerySet, u32)> {
        self.counts.passes += 1;
        let queries = self.queries.as_ref()?;
        let slot = self.names.len() as u32;
        (slot < MAX_PASSES).then(|| {
            self.names.push(name);
            (&queries.set, slot * 2)
        })
    }

    /// Timestamps for a render pass called `name`.
    pub fn render(&mut self, name: &'static str) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        self.slot(name).map(|(query_set, first)| wgpu::RenderPassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Timestamps for a compute pass called `name`.
    pub fn compute(&mut self, name: &'static str) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.slot(name).map(|(query_set, first)| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Counts draws of the frame, and their triangles.
    pub fn count_draws(&mut self, draws: u32, triangles: u64) {
        self.counts.draws += draws;
        self.counts.triangles += triangles;
    }

    /// Counts dispatches of the frame.
    pub fn count_dispatches(&mut self, dispatches: u32) {
        self.counts.dispatches += dispatches;
    }

    /// What the last frame recorded.
    pub fn last_counts(&self) -> PassCounts {
        self.frame_counts
    }

    /// Discards the passes recorded since the last frame ended.
    pub fn discard(&mut self) {
        self.names.clear();
        self.counts = PassCounts::default();
    }

    /// Ends the recording of a frame.
    pub fn finish(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let names = std::mem::take(&mut self.names);
        self.frame_counts = std::mem::take(&mut self.counts);
        let Some(queries) = &mut self.queries else { return };
        if names.is_empty() {
            return;
        }
        encoder.resolve_query_set(&queries.set, 0..names.len() as u32 * 2, &queries.resolved, 0);
        if queries.readback.copy(encoder, &queries.resolved) {
            self.read_names = names;
        }
    }

    /// Reads the results that have arrived and maps the next ones. To be called after submission.
    pub fn collect(&mut self, device: &wgpu::Device) {
        let Some(queries) = &mut self.queries else { return };
        queries.readback.submitted();
        let (names, period_ns) = (&self.read_names, queries.period_ns);
        let times = queries.readback.collect(device, |bytes| {
            let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
            let ms = |i: usize| ticks[i * 2 + 1].saturating_sub(ticks[i * 2]) as f32 * period_ns * 1e-6;
            names.iter().enumerate().map(|(i, name)| (*name, ms(i))).collect()
        });
        if let Some(times) = times {
            self.times_ms = times;
        }
    }

    /// The newest times in milliseconds, in the order of the passes; empty without timestamps.
    pub fn times_ms(&self) -> &[(&'static str, f32)] {
        &self.times_ms
    }
}
