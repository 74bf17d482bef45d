//! Growable, typed GPU buffers whose writes are checked.

use super::GpuError;
use bytemuck::Pod;
use std::cell::Cell;
use std::marker::PhantomData;

/// Bytes that [`GrowBuffer::write_from_fn`] writes at once; a multiple of the size of any element that is one of four bytes.
const PIECE_BYTES: usize = 32 << 20;

/// A buffer of which less than one in so many elements is asked for is too large.
const SPARE_FACTOR: usize = 8;
/// How often it has to be too large until it shrinks: for half a minute of frames.
const SHRINKS_AFTER: u32 = 1800;

/// A queue, and the bytes that were written through it into buffers.
#[derive(Clone, Copy, Debug)]
pub struct MeteredQueue<'a> {
    /// The queue.
    pub queue: &'a wgpu::Queue,
    /// Bytes written into [`GrowBuffer`]s so far.
    pub written_bytes: &'a Cell<u64>,
}

/// Most elements of a buffer of this usage that the device can hold and show to a shader at once.
pub fn most_elements<T>(device: &wgpu::Device, usage: wgpu::BufferUsages) -> usize {
    let limits = device.limits();
    let mut limit = limits.max_buffer_size;
    if usage.contains(wgpu::BufferUsages::STORAGE) {
        limit = limit.min(limits.max_storage_buffer_binding_size);
    }
    (limit / size_of::<T>().max(1) as u64) as usize
}

/// A buffer of `T` that grows by doubling, and shrinks again where little of it has been needed for long. Both create a new,
/// empty buffer: contents are lost.
#[derive(Debug)]
pub struct GrowBuffer<T> {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: wgpu::Buffer,
    capacity: usize,
    /// The capacity at the start, below which it does not shrink.
    least: usize,
    /// How often in succession it was too large.
    spared: u32,
    element: PhantomData<T>,
}

impl<T: Pod> GrowBuffer<T> {
    /// A buffer with room for `capacity` elements (at least one). `usage` gains `COPY_DST`.
    pub fn new(device: &wgpu::Device, label: &'static str, usage: wgpu::BufferUsages, capacity: usize) -> Self {
        let capacity = capacity.max(1);
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let buffer = Self::make(device, label, usage, capacity);
        Self { label, usage, buffer, capacity, least: capacity, spared: 0, element: PhantomData }
    }

    /// A buffer that holds `data`, or one zeroed element when there is none.
    pub fn with_data(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        label: &'static str,
        usage: wgpu::BufferUsages,
        data: &[T],
    ) -> Self {
        let buffer = Self::new(device, label, usage, data.len());
        if !data.is_empty() {
            queue.write_buffer(&buffer.buffer, 0, bytemuck::cast_slice(data));
        }
        buffer
    }

    /// Writes `count` elements from element `at` on, each made by its index among them, piece by piece, so that no copy of all of them is in
    /// memory beside the buffer. They have to fit: beyond its end the device reports an error with the buffer's label.
    pub fn write_from_fn(
        &self,
        upload: (&wgpu::Device, &wgpu::Queue),
        at: usize,
        count: usize,
        make: impl Fn(usize) -> T,
    ) {
        let (device, queue) = upload;
        let piece = (PIECE_BYTES / size_of::<T>().max(1)).max(1);
        let mut elements = Vec::with_capacity(piece.min(count));
        for first in (0..count).step_by(piece) {
            elements.clear();
            elements.extend((first..count.min(first + piece)).map(&make));
            queue.write_buffer(&self.buffer, ((at + first) * size_of::<T>()) as u64, bytemuck::cast_slice(&elements));
            if first + piece < count {
                // Sends it off, so that the memory of the copy is free again.
                queue.submit([]);
                // A device that is lost takes no more copies, and says so where frames are drawn.
                let _ = device.poll(wgpu::PollType::wait_indefinitely());
            }
        }
    }

    fn make(device: &wgpu::Device, label: &str, usage: wgpu::BufferUsages, capacity: usize) -> wgpu::Buffer {
        let bytes = (capacity * size_of::<T>()) as u64;
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(16),
            usage,
            mapped_at_creation: false,
        })
    }

    /// Most elements that the device can hold in it.
    pub fn most(&self, device: &wgpu::Device) -> usize {
        most_elements::<T>(device, self.usage)
    }

    /// Makes room for the `len` elements of a frame. Returns whether the buffer was replaced: bind groups that name it are
    /// stale then.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] when the device cannot hold that many.
    pub fn reserve(&mut self, device: &wgpu::Device, len: usize) -> Result<bool, GpuError> {
        if len <= self.capacity {
            let is_spare = self.capacity > self.least && len < self.capacity / SPARE_FACTOR;
            self.spared = if is_spare { self.spared + 1 } else { 0 };
            if self.spared < SHRINKS_AFTER {
                return Ok(false);
            }
        }
        let max = self.most(device);
        if len > max {
            return Err(GpuError::TooLarge { buffer: self.label, asked: len, max });
        }
        self.spared = 0;
        self.capacity = len.next_power_of_two().max(self.least).min(max);
        self.buffer = Self::make(device, self.label, self.usage, self.capacity);
        Ok(true)
    }

    /// Writes `data` from element `first` on.
    ///
    /// # Errors
    /// [`GpuError::BufferFull`] when it does not fit; nothing is written then.
    pub fn write(&self, queue: MeteredQueue<'_>, first: usize, data: &[T]) -> Result<(), GpuError> {
        if first.saturating_add(data.len()) > self.capacity {
            return Err(GpuError::BufferFull { buffer: self.label, first, count: data.len(), capacity: self.capacity });
        }
        if !data.is_empty() {
            let bytes: &[u8] = bytemuck::cast_slice(data);
            queue.queue.write_buffer(&self.buffer, (first * size_of::<T>()) as u64, bytes);
            queue.written_bytes.set(queue.written_bytes.get() + bytes.len() as u64);
        }
        Ok(())
    }

    /// Makes room for `data` and writes it from the start. Returns whether the buffer was replaced.
    ///
    /// # Errors
    /// As [`GrowBuffer::reserve`].
    pub fn fill(&mut self, device: &wgpu::Device, queue: MeteredQueue<'_>, data: &[T]) -> Result<bool, GpuError> {
        let replaced = self.reserve(device, data.len())?;
        self.write(queue, 0, data)?;
        Ok(replaced)
    }

    /// The buffer, for binding; another one after [`GrowBuffer::reserve`] returned true.
    pub fn raw(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Number of elements that fit.
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::GpuContext;

    #[test]
    fn writing_beyond_the_capacity_is_an_error_with_a_name() {
        let gpu = GpuContext::headless().unwrap();
        let mut buffer = GrowBuffer::<u32>::new(&gpu.device, "numbers", wgpu::BufferUsages::STORAGE, 4);
        let written_bytes = Cell::new(0);
        let queue = MeteredQueue { queue: &gpu.queue, written_bytes: &written_bytes };
        assert!(buffer.write(queue, 0, &[1, 2, 3, 4]).is_ok());
        let error = buffer.write(queue, 2, &[1, 2, 3]).unwrap_err();
        assert!(error.to_string().contains("'numbers'"), "{error}");
        assert!(buffer.reserve(&gpu.device, 5).unwrap());
        assert!(!buffer.reserve(&gpu.device, 8).unwrap());
        assert!(buffer.write(queue, 2, &[1, 2, 3]).is_ok());
        assert_eq!(written_bytes.get(), 28, "what did not fit is not counted");
        assert!(matches!(buffer.reserve(&gpu.device, usize::MAX / 8), Err(GpuError::TooLarge { .. })));
        assert!(gpu.take_errors().is_empty());
    }

    #[test]
    fn what_is_not_needed_for_long_is_given_back() {
        let gpu = GpuContext::headless().unwrap();
        let mut buffer = GrowBuffer::<u32>::new(&gpu.device, "numbers", wgpu::BufferUsages::STORAGE, 4);
        let mut replaced = |len: usize, times: u32| {
            let count = (0..times).filter(|_| buffer.reserve(&gpu.device, len).unwrap()).count();
            (count, buffer.capacity())
        };
        assert_eq!(replaced(1000, 3), (1, 1024));
        assert_eq!(replaced(10, SHRINKS_AFTER - 1), (0, 1024));
        assert_eq!(replaced(500, 1), (0, 1024), "it is needed again");
        assert_eq!(replaced(10, 2 * SHRINKS_AFTER), (1, 16));
        assert_eq!(replaced(0, 2 * SHRINKS_AFTER), (1, 4), "not below what it began with");
    }
}
