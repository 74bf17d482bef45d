//! Sound without a device: what is heard is rendered into samples, and written as a WAV file.

use crate::disk::WriteFault;
use crate::disk::write::write_or_print;
use kira::backend::{Backend, Renderer};
use std::convert::Infallible;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Samples per second and channel.
pub const SAMPLE_RATE: u32 = 48_000;
const CHANNELS: u16 = 2;

/// A backend that renders when it is asked to.
#[derive(Default)]
pub struct Offline {
    renderer: Option<Mutex<Renderer>>,
}

impl Backend for Offline {
    type Settings = ();
    type Error = Infallible;

    fn setup((): (), _: usize) -> Result<(Self, u32), Infallible> {
        Ok((Self::default(), SAMPLE_RATE))
    }

    fn start(&mut self, renderer: Renderer) -> Result<(), Infallible> {
        self.renderer = Some(Mutex::new(renderer));
        Ok(())
    }
}

impl Offline {
    /// Appends so many moments, left and right in turn, to `out`.
    pub fn render(&mut self, moments: usize, out: &mut Vec<f32>) {
        let start = out.len();
        out.resize(start + moments * usize::from(CHANNELS), 0.0);
        if let Some(renderer) = &mut self.renderer {
            let renderer = renderer.get_mut().unwrap_or_else(PoisonError::into_inner);
            renderer.on_start_processing();
            renderer.process(&mut out[start..], CHANNELS);
        }
    }
}

/// Writes samples, left and right in turn, as a WAV file of 16-bit PCM; `-` is standard output.
///
/// # Errors
/// What is there is no regular file, the system refuses, or the samples are more than such a file holds.
pub fn write_wav(path: &Path, samples: &[f32]) -> Result<(), WriteFault> {
    let fault = WriteFault::new("encoding", "there are more than 4 GB of samples");
    let file_bytes = u32::try_from(44 + samples.len() * 2).map_err(|_| fault)?;
    let bytes = file_bytes - 44;
    let frame_bytes = CHANNELS * 2;
    let mut out = Vec::with_capacity(file_bytes as usize);
    out.extend_from_slice(b"RIFF");
    out.extend_from_slice(&(36 + bytes).to_le_bytes());
    out.extend_from_slice(b"WAVEfmt ");
    out.extend_from_slice(&16_u32.to_le_bytes());
    // PCM.
    out.extend_from_slice(&1_u16.to_le_bytes());
    out.extend_from_slice(&CHANNELS.to_le_bytes());
    out.extend_from_slice(&SAMPLE_RATE.to_le_bytes());
    out.extend_from_slice(&(SAMPLE_RATE * u32::from(frame_bytes)).to_le_bytes());
    out.extend_from_slice(&frame_bytes.to_le_bytes());
    out.extend_from_slice(&16_u16.to_le_bytes());
    out.extend_from_slice(b"data");
    out.extend_from_slice(&bytes.to_le_bytes());
    for sample in samples {
        out.extend_from_slice(&((sample.clamp(-1.0, 1.0) * 32_767.0).round() as i16).to_le_bytes());
    }
    write_or_print(path, &out)
}
