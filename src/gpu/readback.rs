//! Readback: textures synchronously (headless), buffers asynchronously a frame later.

use super::GpuError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const IDLE: u8 = 0;
const PENDING: u8 = 1;
const READY: u8 = 2;
const FAILED: u8 = 3;

/// An asynchronous readback: a buffer that the device copies into and that is mapped a frame or more later.
#[derive(Debug)]
pub struct Readback {
    buffer: wgpu::Buffer,
    state: Arc<AtomicU8>,
    copied: bool,
}

impl Readback {
    /// A readback of `bytes` bytes.
    pub fn new(device: &wgpu::Device, label: &str, bytes: u64) -> Self {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self { buffer, state: Arc::new(AtomicU8::new(IDLE)), copied: false }
    }

    /// Records the copy from `source`, unless the previous one is pending. Returns whether it did.
    pub fn copy(&mut self, encoder: &mut wgpu::CommandEncoder, source: &wgpu::Buffer) -> bool {
        if !self.is_idle() {
            return false;
        }
        encoder.copy_buffer_to_buffer(source, 0, &self.buffer, 0, self.buffer.size());
        self.copied = true;
        true
    }

    /// Records the copy of a whole texture, its rows `row_bytes` apart, a multiple of
    /// [`wgpu::COPY_BYTES_PER_ROW_ALIGNMENT`]; else as [`Readback::copy`].
    pub fn copy_texture(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        texture: &wgpu::Texture,
        row_bytes: u32,
    ) -> bool {
        if !self.is_idle() {
            return false;
        }
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row_bytes), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &self.buffer, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
        self.copied = true;
        true
    }

    /// Whether no copy is pending.
    pub fn is_idle(&self) -> bool {
        !self.copied && self.state.load(Ordering::Acquire) == IDLE
    }

    /// Requests the mapping. To be called after the commands were submitted.
    pub fn submitted(&mut self) {
        if !std::mem::take(&mut self.copied) {
            return;
        }
        self.state.store(PENDING, Ordering::Release);
        let state = Arc::clone(&self.state);
        self.buffer.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            state.store(if result.is_ok() { READY } else { FAILED }, Ordering::Release);
        });
    }

    /// Passes the data to `read` if it has arrived. Never blocks.
    pub fn collect<R>(&mut self, device: &wgpu::Device, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        if device.poll(wgpu::PollType::Poll).is_err() {
            return None;
        }
        match self.state.load(Ordering::Acquire) {
            READY => {
                let result = self.buffer.slice(..).get_mapped_range().ok().map(|view| read(&view));
                self.buffer.unmap();
                self.state.store(IDLE, Ordering::Release);
                result
            }
            FAILED => {
                self.state.store(IDLE, Ordering::Release);
                None
            }
            _ => None,
        }
    }
}

/// A texture that can be drawn into and read back.
pub fn target(
    device: &wgpu::Device,
    label: &str,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// The pixels of an 8-bit four-channel texture, rows from the top. Waits for the device: not for frames of a window.
///
/// # Errors
/// [`GpuError::Readback`] when the device is lost.
pub fn read_texture(device: &wgpu::Device, queue: &wgpu::Queue, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    let (width, height) = (texture.width(), texture.height());
    let row = width * 4;
    let padded_row = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("picture readback"),
        size: u64::from(padded_row) * u64::from(height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded_row), rows_per_image: None },
        },
        texture.size(),
    );
    queue.submit([encoder.finish()]);
    let bytes = read_buffer(device, &buffer)?;
    let mut picture = Vec::with_capacity(bytes.len());
    for padded in bytes.chunks_exact(padded_row as usize) {
        picture.extend_from_slice(&padded[..row as usize]);
    }
    Ok(picture)
}

/// The bytes of a mappable buffer. Waits for the device.
///
/// # Errors
/// [`GpuError::Readback`] when the device is lost.
pub fn read_buffer(device: &wgpu::Device, buffer: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
    let failed = |e: &dyn std::fmt::Display| GpuError::Readback(e.to_string());
    let (sender, receiver) = std::sync::mpsc::channel();
    buffer.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        // The receiver lives until the result arrives; a failed send means that it is not needed.
        let _ = sender.send(result);
    });
    device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| failed(&e))?;
    receiver.recv().map_err(|e| failed(&e))?.map_err(|e| failed(&e))?;
    let bytes = buffer.slice(..).get_mapped_range().map_err(|e| failed(&e))?.to_vec();
    buffer.unmap();
    Ok(bytes)
}
